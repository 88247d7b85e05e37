/* SPDX-License-Identifier: MIT */
/* Memory that other processes and other devices reach. */
#ifndef ANPU_PEER_H
#define ANPU_PEER_H

#include "mem.h"

/* ipc.c: an object for a dma-buf; 0 or -errno */
int anpu_import_fd(struct anpu_device *dev, int fd, uint32_t *gem);
/* ipc.c: one user of an imported GEM handle less */
void anpu_import_drop(struct anpu_device *dev, uint32_t gem);
/* Ends what the device shares with other processes, and has from them */
void anpu_imports_end(struct anpu_device *dev);
/* share.c: the part of it that others may still ask for */
void anpu_shares_end(struct anpu_device *dev);

/* peer.c: what device @id may reach of others is closed */
void anpu_peers_forget(int id);
/*
 * Copies from one device to another by one of them, which reaches the other's memory. @done is false
 * if that is not open, does not pay, or this machine cannot do it: then nothing has been copied.
 */
aclError anpu_peer_copy(const struct anpu_mem *dst, const struct anpu_mem *src, uint64_t count,
			bool *done);

#endif /* ANPU_PEER_H */
