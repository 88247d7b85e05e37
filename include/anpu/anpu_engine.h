/* SPDX-License-Identifier: MIT */
/*
 * How libacl reaches a device: the one table of functions behind which the contract of
 * <drm/anpu_accel.h> is kept. The kernel's driver is one engine (lib/acl/core/driver.c), the device
 * model inside the process another one (lib/direct). libacl does not know which of them it has.
 *
 * Every function that can fail returns -errno and leaves errno alone, unless it says otherwise.
 */
#ifndef ANPU_ENGINE_H
#define ANPU_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** ANPU_ENGINE_VERSION - of struct anpu_engine: an engine of another version is not used */
#define ANPU_ENGINE_VERSION	5

/** ANPU_ENGINE_MAX_NODES - nodes have numbers below this */
#define ANPU_ENGINE_MAX_NODES	64

/**
 * struct anpu_engine - an implementation of the uAPI
 * @path: what to print before a node's number in messages
 * @nodes: bit N for each node N that there may be, of any driver; all bits if nobody can tell
 * @why: a sentence that tells why there is no device
 * @open: opens node N: a descriptor that polls readable while there are events; -ENXIO for a node
 *	of another driver
 * @close: closes a descriptor of @open
 * @ioctl: begins anew after signals, so no request may ask for -EAGAIN
 * @mmap: as mmap() of a descriptor of @open, or of a dma-buf; MAP_FAILED and errno
 * @munmap: as munmap() of what @mmap has returned, whole
 * @read: as read(): takes events
 * @doorbell: rings user queue @queue of a descriptor, as a store of @wptr to its doorbell page does;
 *	NULL: store to the page, which is mapped only then
 * @moves_memory: an object of the program's memory costs a copy of that memory, so nobody makes one for a
 *	single transfer
 * @shared: devices of other processes write words in these @size bytes of registered memory, or wait for them there. NULL:
 *	nobody wants to know
 * @bridges: path of a PCI device in sysfs, through its bridges, into a buffer of PATH_MAX bytes
 */
struct anpu_engine {
	uint32_t version;
	const char *path;
	uint64_t (*nodes)(void);
	void (*why)(char *text, size_t size);
	int (*open)(unsigned int number);
	void (*close)(int fd);
	int (*ioctl)(int fd, unsigned long request, void *arg);
	void *(*mmap)(void *addr, size_t size, int prot, int flags, int fd, uint64_t offset);
	int (*munmap)(void *addr, size_t size);
	ssize_t (*read)(int fd, void *buf, size_t size);
	void (*doorbell)(int fd, uint32_t queue, uint64_t wptr);
	bool moves_memory;
	void (*shared)(int fd, const void *at, size_t size);
	int (*bridges)(uint64_t pci_address, char *path);
};

/** anpu_direct_engine() - of libanpu-direct.so, which is found by dlopen() */
const struct anpu_engine *anpu_direct_engine(void);
#define ANPU_DIRECT_LIBRARY	"libanpu-direct.so"
#define ANPU_DIRECT_SYMBOL	"anpu_direct_engine"

/** anpu_server_engine() - of the same library: the device model in another process, for several */
const struct anpu_engine *anpu_server_engine(void);
#define ANPU_SERVER_SYMBOL	"anpu_server_engine"

#endif /* ANPU_ENGINE_H */
