// SPDX-License-Identifier: MIT
/*
 * Nodes of devices: the library's system calls for a device are here, by libdrm where that has a
 * function. It has none that finds a device: drmGetDevices2() looks at /dev/dri only and does not see
 * nodes in /dev/accel (libdrm 2.4.114). mmap(), poll() and read() are the C library's.
 *
 * drmIoctl() begins anew after EINTR and after EAGAIN. The driver returns EAGAIN for one thing only, a
 * SUBMIT with DRM_ANPU_SUBMIT_NONBLOCK to a ring that is full, and this library always lets SUBMIT wait.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <drm/anpu_accel.h>
#include <xf86drm.h>

#include "core/core.h"

/*
 * Version of the node's driver: major, minor, patch level; -ENXIO for another driver than this library's.
 * drmGetVersion() would allocate memory, and says EFAULT when there is none.
 */
static int read_version(int fd, int number[3])
{
	struct drm_version version = { 0 };
	char name[32] = "";

	version.name = name;
	version.name_len = sizeof(name) - 1;
	if (drmIoctl(fd, DRM_IOCTL_VERSION, &version))
		return -errno;
	number[0] = version.version_major;
	number[1] = version.version_minor;
	number[2] = version.version_patchlevel;
	return strcmp(name, DRM_ANPU_DRIVER_NAME) ? -ENXIO : 0;
}

/* Bit N for each entry accelN of a part of the directory */
static uint64_t nodes_among(const char *entries, size_t size)
{
	uint64_t found = 0;
	unsigned int number;
	size_t at;
	char end;

	for (at = 0; at < size; at += ((const struct dirent64 *)(entries + at))->d_reclen) {
		const struct dirent64 *e = (const struct dirent64 *)(entries + at);

		if (sscanf(e->d_name, "accel%u%c", &number, &end) == 1 && number < ANPU_MAX_NODES)
			found |= 1ULL << number;
	}
	return found;
}

/* Not by opendir(), which allocates */
uint64_t anpu_nodes(void)
{
	int fd = open("/dev/accel", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char buf[2048] __attribute__((aligned(8)));
	uint64_t found = 0;
	ssize_t n = -1;

	if (fd < 0)
		return errno == ENOENT ? 0 : UINT64_MAX;
	while ((n = getdents64(fd, buf, sizeof(buf))) > 0)
		found |= nodes_among(buf, n);
	close(fd);
	return n ? UINT64_MAX : found;
}

int anpu_node_open(struct anpu_node *node, unsigned int number)
{
	int err, version[3];

	*node = (struct anpu_node){ .fd = -1 };
	snprintf(node->path, sizeof(node->path), "/dev/accel/accel%u", number);
	node->fd = open(node->path, O_RDWR | O_CLOEXEC);
	if (node->fd < 0)
		return -errno;
	err = read_version(node->fd, version);
	if (!err && version[0] != DRM_ANPU_DRIVER_MAJOR)
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
	return drmIoctl(anpu_node_of(dev)->fd, request, arg) ? -errno : 0;
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
			continue; /* EINTR, EAGAIN and ENOMEM are temporary */
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
	return drmPrimeHandleToFD(anpu_node_of(dev)->fd, gem, DRM_CLOEXEC | DRM_RDWR, fd) ? -errno : 0;
}

int anpu_import_gem(struct anpu_device *dev, int fd, uint32_t *gem)
{
	return drmPrimeFDToHandle(anpu_node_of(dev)->fd, fd, gem) ? -errno : 0;
}

int anpu_close_gem(struct anpu_device *dev, uint32_t gem)
{
	return drmCloseBufferHandle(anpu_node_of(dev)->fd, gem) ? -errno : 0;
}

int anpu_driver_version(struct anpu_device *dev, int version[3])
{
	return read_version(anpu_node_of(dev)->fd, version);
}
