// SPDX-License-Identifier: MIT
/*
 * Nodes of devices, whatever engine serves them.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <fcntl.h>
#include <sys/mman.h>

#include <drm/anpu_accel.h>

#include "core/core.h"
#include "core/engine.h"

/* Version of the node's driver: major, minor, patch level; -ENXIO for another driver than this library's */
static int read_version(const struct anpu_engine *engine, int fd, int number[3])
{
	struct drm_version version = { 0 };
	char name[32] = "";
	int err;

	version.name = name;
	version.name_len = sizeof(name) - 1;
	err = engine->ioctl(fd, DRM_IOCTL_VERSION, &version);
	if (err)
		return err;
	number[0] = version.version_major;
	number[1] = version.version_minor;
	number[2] = version.version_patchlevel;
	return strcmp(name, DRM_ANPU_DRIVER_NAME) ? -ENXIO : 0;
}

uint64_t anpu_nodes(void)
{
	return anpu_engine()->nodes();
}

void anpu_nodes_why(char *text, size_t size)
{
	anpu_engine()->why(text, size);
}

int anpu_node_open_by(const struct anpu_engine *engine, struct anpu_node *node, unsigned int number)
{
	int err, version[3];

	*node = (struct anpu_node){ .engine = engine, .fd = -1 };
	snprintf(node->path, sizeof(node->path), "%s%u", engine->path, number);
	node->fd = engine->open(number);
	if (node->fd < 0)
		return node->fd;
	err = read_version(engine, node->fd, version);
	if (!err && version[0] != DRM_ANPU_DRIVER_MAJOR)
		err = -EPROTO;
	if (err)
		anpu_node_close(node);
	return err;
}

int anpu_node_open(struct anpu_node *node, unsigned int number)
{
	return anpu_node_open_by(anpu_engine(), node, number);
}

void anpu_node_close(struct anpu_node *node)
{
	node->engine->close(node->fd);
	node->fd = -1;
}

int anpu_node_bridges(uint64_t pci_address, char *path)
{
	return anpu_engine()->bridges(pci_address, path);
}

void anpu_device_get(struct anpu_device *dev)
{
	atomic_fetch_add_explicit(&anpu_node_of(dev)->refs, 1, memory_order_relaxed);
}

void anpu_device_put(struct anpu_device *dev)
{
	struct anpu_node *node = anpu_node_of(dev);

	if (atomic_fetch_sub_explicit(&node->refs, 1, memory_order_acq_rel) == 1)
		node->release(dev);
}

int anpu_ioctl(struct anpu_device *dev, unsigned long request, void *arg)
{
	struct anpu_node *node = anpu_node_of(dev);

	return node->engine->ioctl(node->fd, request, arg);
}

void *anpu_map(struct anpu_device *dev, uint64_t offset, size_t size, int prot)
{
	return anpu_map_fd(dev, anpu_node_of(dev)->fd, offset, size, prot);
}

void *anpu_map_fd(struct anpu_device *dev, int fd, uint64_t offset, size_t size, int prot)
{
	void *p = anpu_node_of(dev)->engine->mmap(NULL, size, prot, MAP_SHARED, fd, offset);

	return p == MAP_FAILED ? NULL : p;
}

void anpu_unmap(struct anpu_device *dev, const volatile void *p, size_t size)
{
	/* fails only for addresses that anpu_map() has not returned */
	(void)anpu_node_of(dev)->engine->munmap((void *)(uintptr_t)p, size);
}

bool anpu_pins_cheaply(struct anpu_device *dev)
{
	return !anpu_node_of(dev)->engine->moves_memory;
}

bool anpu_rings(struct anpu_device *dev)
{
	return anpu_node_of(dev)->engine->doorbell;
}

void anpu_doorbell(struct anpu_device *dev, uint32_t queue, uint64_t wptr)
{
	anpu_node_of(dev)->engine->doorbell(anpu_node_of(dev)->fd, queue, wptr);
}

void anpu_tell_shared(struct anpu_device *dev, const void *at, size_t size)
{
	const struct anpu_node *node = anpu_node_of(dev);

	if (node->engine->shared)
		node->engine->shared(node->fd, at, size);
}

ssize_t anpu_read_events(struct anpu_device *dev, int stop, void *buf, size_t size)
{
	struct anpu_node *node = anpu_node_of(dev);
	struct pollfd fds[] = { { .fd = node->fd, .events = POLLIN },
				{ .fd = stop, .events = POLLIN } };
	ssize_t n;

	for (;;) {
		if (poll(fds, ARRAY_SIZE(fds), -1) < 0)
			continue; /* EINTR, EAGAIN and ENOMEM are temporary */
		n = 0;
		if (fds[0].revents & POLLIN)
			n = node->engine->read(node->fd, buf, size);
		if (n > 0)
			return n;
		if (fds[1].revents)
			return 0;
		if ((n < 0 && n != -EINTR && n != -EAGAIN) ||
		    (!n && fds[0].revents & (POLLHUP | POLLERR | POLLNVAL)))
			return -ENODEV;
	}
}

int anpu_export_gem(struct anpu_device *dev, uint32_t gem, int *fd)
{
	struct drm_prime_handle prime = { .handle = gem, .flags = O_CLOEXEC | O_RDWR };
	int err = anpu_ioctl(dev, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);

	*fd = prime.fd;
	return err;
}

int anpu_import_gem(struct anpu_device *dev, int fd, uint32_t *gem)
{
	struct drm_prime_handle prime = { .fd = fd };
	int err = anpu_ioctl(dev, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime);

	*gem = prime.handle;
	return err;
}

int anpu_close_gem(struct anpu_device *dev, uint32_t gem)
{
	struct drm_gem_close close = { .handle = gem };

	return anpu_ioctl(dev, DRM_IOCTL_GEM_CLOSE, &close);
}

int anpu_driver_version(struct anpu_device *dev, int version[3])
{
	return read_version(anpu_node_of(dev)->engine, anpu_node_of(dev)->fd, version);
}
