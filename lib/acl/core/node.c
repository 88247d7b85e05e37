// SPDX-License-Identifier: MIT
/*
 * Nodes of devices: the library's system calls for a device are here.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <drm/anpu_accel.h>

#include "core/core.h"

static int do_ioctl(int fd, unsigned long request, void *arg)
{
	int ret;

	do {
		ret = ioctl(fd, request, arg);
	} while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : 0;
}

int anpu_node_open(struct anpu_node *node, unsigned int number)
{
	struct drm_version version = { 0 };
	char name[32] = "";
	int err;

	*node = (struct anpu_node){ .fd = -1 };
	snprintf(node->path, sizeof(node->path), "/dev/accel/accel%u", number);
	node->fd = open(node->path, O_RDWR | O_CLOEXEC);
	if (node->fd < 0)
		return -errno;
	version.name = name;
	version.name_len = sizeof(name) - 1;
	err = do_ioctl(node->fd, DRM_IOCTL_VERSION, &version);
	if (!err && strcmp(name, DRM_ANPU_DRIVER_NAME))
		err = -ENXIO;
	if (!err && version.version_major != DRM_ANPU_DRIVER_MAJOR)
		err = -EPROTO;
	if (err)
		anpu_node_close(node);
	return err;
}

void anpu_node_close(struct anpu_node *node)
{
	close(node->fd);
	node->fd = -1;
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
	return do_ioctl(anpu_node_of(dev)->fd, request, arg);
}

void *anpu_map(struct anpu_device *dev, uint64_t offset, size_t size, int prot)
{
	void *p = mmap(NULL, size, prot, MAP_SHARED, anpu_node_of(dev)->fd, offset);

	return p == MAP_FAILED ? NULL : p;
}

ssize_t anpu_read_events(struct anpu_device *dev, int stop, void *buf, size_t size)
{
	struct pollfd fds[] = { { .fd = anpu_node_of(dev)->fd, .events = POLLIN },
				{ .fd = stop, .events = POLLIN } };
	ssize_t n;

	for (;;) {
		if (poll(fds, ARRAY_SIZE(fds), -1) < 0)
			continue; /* EINTR, EAGAIN, ENOMEM: all pass */
		n = 0;
		if (fds[0].revents & POLLIN)
			n = read(anpu_node_of(dev)->fd, buf, size);
		if (n > 0)
			return n;
		if (fds[1].revents)
			return 0;
		if ((n < 0 && errno != EINTR && errno != EAGAIN) ||
		    (!n && fds[0].revents & (POLLHUP | POLLERR | POLLNVAL)))
			return -ENODEV;
	}
}

int anpu_export_gem(struct anpu_device *dev, uint32_t gem, int *fd)
{
	struct drm_prime_handle prime = { .handle = gem, .flags = DRM_CLOEXEC | DRM_RDWR };
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

int anpu_driver_version(struct anpu_device *dev, int version[3])
{
	struct drm_version drm = { 0 };
	int err = anpu_ioctl(dev, DRM_IOCTL_VERSION, &drm);

	version[0] = drm.version_major;
	version[1] = drm.version_minor;
	version[2] = drm.version_patchlevel;
	return err;
}
