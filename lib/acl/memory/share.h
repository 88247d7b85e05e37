/* SPDX-License-Identifier: MIT */
/* Memory for other processes, under numbers that cannot be guessed. */
#ifndef ANPU_SHARE_H
#define ANPU_SHARE_H

#include "memory/physical.h"

enum anpu_share_kind {
	ANPU_SHARE_MEMORY = 1, /* aclrtIpcMemGetExportKey() */
	ANPU_SHARE_PHYSICAL,   /* aclrtMemExportToShareableHandle() */
	ANPU_SHARE_EVENT,      /* aclrtIpcGetEventHandle() */
	ANPU_SHARE_NOTIFY      /* aclrtNotifyGetExportKey() */
};

struct anpu_shared {
	int fd;		 /* dma-buf */
	bool host;	 /* of system memory */
	uint64_t offset; /* of the memory in it */
	uint64_t size;
	uint64_t pci_address; /* of its device */
	struct acl_obj *owner; /* the share ends with it: anpu_shares_end_of(); or NULL */
};

/*
 * Lets other processes have the memory, if @anybody or those that anpu_share_allow() names. Takes
 * over @what->fd unless it fails. 0 or -errno
 */
int anpu_share_add(struct anpu_device *dev, enum anpu_share_kind kind,
		   const struct anpu_shared *what, bool anybody, uint64_t *number);
/* 0, -ENOENT or -ENOMEM */
int anpu_share_allow(uint64_t number, enum anpu_share_kind kind, const int32_t *pids, size_t n);
/* The physical memory ends, and so do its shares */
void anpu_shares_end_of(const struct acl_obj *owner);
/*
 * From now on nobody gets the memory; processes that have it keep it. false if the number is
 * unknown
 */
bool anpu_share_end(uint64_t number, enum anpu_share_kind kind);
/*
 * Gets the memory from the process that shares it; the caller closes @what->fd. -ECONNREFUSED: there
 * is no such process, -ENOENT: it shares nothing under the number, -EPROTO: not of that kind,
 * -EACCES: not with this process, -EPIPE: it does not answer
 */
int anpu_share_open(uint64_t number, enum anpu_share_kind kind, struct anpu_shared *what);
/* A number as text */
#define ANPU_KEY_FORMAT "anpu-%016llx"
#define ANPU_KEY_SIZE	22

/* ipc.c: gives a GEM object of @what->size bytes to others */
aclError anpu_share_gem(struct anpu_device *dev, uint32_t gem, enum anpu_share_kind kind,
			struct anpu_shared *what, bool anybody, uint64_t *number);
/* The number of a key that @maker() has made */
aclError anpu_share_parse(const char *key, const char *maker, uint64_t *number);
/* An object that another process shares; @name of the number for messages */
aclError anpu_share_find(uint64_t number, enum anpu_share_kind kind, const char *name,
			 struct anpu_shared *what);
/* Opens access to the device it belongs to, if the program sees that; closes what->fd on failure */
aclError anpu_share_enable_peer(struct anpu_device *dev, const struct anpu_shared *what);
/* The imported object, without a handle yet; takes over what->fd. NULL after acl_fail() */
struct anpu_physical *anpu_share_import(struct anpu_device *dev, const struct anpu_shared *what);

/* The owner of what this process shares under the number, with a reference, or NULL */
struct acl_obj *anpu_share_owned(uint64_t number, enum anpu_share_kind kind);

/* Process that made the number */
pid_t anpu_share_owner(uint64_t number);

#endif /* ANPU_SHARE_H */
