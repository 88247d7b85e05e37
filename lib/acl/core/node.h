/* SPDX-License-Identifier: MIT */
/*
 * A device's node: everything that the library asks of a device goes through the functions of this
 * header, and no other file knows that a device is a file descriptor. What is behind them is an engine
 * (anpu/anpu_engine.h) that keeps the contract of <drm/anpu_accel.h>.
 *
 * A struct anpu_device begins with its node, so that core can count its references and refuse it
 * handles without knowing the rest.
 */
#ifndef ANPU_NODE_H
#define ANPU_NODE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <anpu/anpu_engine.h>

#include "core/handle.h"

struct anpu_node {
	const struct anpu_engine *engine;
	int fd;
	char path[32];
	atomic_uint refs;
	bool handles_ended; /* the device ends, its objects get no handles; under the registry's lock */
	struct acl_obj_list handles[ACL_TYPE_COUNT]; /* what it has of each type; likewise */
	void (*release)(struct anpu_device *dev); /* ends the device when nobody refers to it any more */
};

static inline struct anpu_node *anpu_node_of(struct anpu_device *dev)
{
	return (struct anpu_node *)dev;
}

#define ANPU_MAX_NODES ANPU_ENGINE_MAX_NODES

/* Bit N for each node N that there may be, of any driver; all bits if nobody can tell */
uint64_t anpu_nodes(void);
/* A sentence that tells why there is none */
void anpu_nodes_why(char *text, size_t size);
/* Path of a PCI device in sysfs, through its bridges, into a buffer of PATH_MAX bytes; 0 or -errno */
int anpu_node_bridges(uint64_t pci_address, char *path);
/* Opens node @number if it is of this driver: 0 or -errno, -ENXIO for another driver's */
int anpu_node_open(struct anpu_node *node, unsigned int number);
/* The same by an engine that need not be this process's */
int anpu_node_open_by(const struct anpu_engine *engine, struct anpu_node *node, unsigned int number);
void anpu_node_close(struct anpu_node *node);

void anpu_device_get(struct anpu_device *dev);
void anpu_device_put(struct anpu_device *dev);

/* ioctl() that begins anew after signals, so no request may ask for EAGAIN; 0 or -errno */
int anpu_ioctl(struct anpu_device *dev, unsigned long request, void *arg);
/* Maps what the driver has at an offset, to be unmapped with anpu_unmap(); NULL and errno */
void *anpu_map(struct anpu_device *dev, uint64_t offset, size_t size, int prot);
/* The same of a dma-buf */
void *anpu_map_fd(struct anpu_device *dev, int fd, uint64_t offset, size_t size, int prot);
/* Is an object of the program's memory made where the memory is, without a copy of it? */
bool anpu_pins_cheaply(struct anpu_device *dev);
/* Are user queues rung by anpu_doorbell()? Else by a store to the doorbell page */
bool anpu_rings(struct anpu_device *dev);
void anpu_doorbell(struct anpu_device *dev, uint32_t queue, uint64_t wptr);
/* Devices of other processes write words in this registered memory, or wait for them there */
void anpu_tell_shared(struct anpu_device *dev, const void *at, size_t size);
void anpu_unmap(struct anpu_device *dev, const volatile void *p, size_t size);
/*
 * Waits until the driver has events and reads them: their bytes, 0 if @stop has become readable and
 * there are none, or -ENODEV when the device is gone.
 */
ssize_t anpu_read_events(struct anpu_device *dev, int stop, void *buf, size_t size);
/* A dma-buf of a GEM object, and the GEM object of a dma-buf; 0 or -errno */
int anpu_export_gem(struct anpu_device *dev, uint32_t gem, int *fd);
int anpu_import_gem(struct anpu_device *dev, int fd, uint32_t *gem);
/* Closes the handle of a GEM object. 0 or -errno */
int anpu_close_gem(struct anpu_device *dev, uint32_t gem);
/* Version of the driver: major, minor, patch level. 0 or -errno */
int anpu_driver_version(struct anpu_device *dev, int version[3]);

#endif /* ANPU_NODE_H */
