/* SPDX-License-Identifier: MIT */
/* Memory that other processes and other devices reach. */
#ifndef ANPU_PEER_H
#define ANPU_PEER_H

#include "memory/region.h"

struct anpu_mem;

/* memory/ipc.c: an object for a dma-buf; 0 or -errno */
int anpu_import_fd(struct anpu_device *dev, int fd, uint32_t *gem);
/* memory/ipc.c: one user of an imported GEM handle less */
void anpu_import_drop(struct anpu_device *dev, uint32_t gem);
/* Ends what the device shares with other processes, and has from them */
void anpu_imports_end(struct anpu_device *dev);
/* memory/share.c: the part of it that others may still ask for */
void anpu_shares_end(struct anpu_device *dev);

/* peermap.c: a region lives, or its rights have changed: maps it for peers. 0 or -errno */
int anpu_peers_update(struct anpu_region *region);
/* The region ends: unmaps it from all of them */
void anpu_peers_drop(struct anpu_region *region);
/* The rights of another device than the region's, DRM_ANPU_VM_* */
uint32_t anpu_peer_rights(struct anpu_region *region, const struct anpu_device *dev);
/* aclrtMemSetAccess() for a device that is not the region's; 0 or -errno */
int anpu_peer_set_rights(struct anpu_region *region, struct anpu_device *dev, uint32_t rights);
/* The device ends, and with it what it may reach of others */
void anpu_peers_forget(struct anpu_device *dev);
/* May device @id reach all memory of device @peer */
bool anpu_peer_is_open(int id, int peer);
/* Gives a device access to all memory of another, also what is allocated later; 0 or -errno */
int anpu_peer_open(struct anpu_device *dev, int peer);
/* Ends the access; false if it was not open */
bool anpu_peer_close(struct anpu_device *dev, int peer);

/* peer.c: has another device than the memory's all of it in its address space, with these rights */
bool anpu_peer_reaches(const struct anpu_device *dev, const struct anpu_mem *mem, uint32_t rights);
/* Opens access to the device at a PCI address, if the program sees one there */
aclError anpu_peer_open_by_pci(struct anpu_device *dev, uint64_t pci_address);
#endif /* ANPU_PEER_H */
