// SPDX-License-Identifier: MIT
/*
 * The kernel's driver as an engine: system calls on a node in /dev/accel, by libdrm where that has a
 * function. It has none that finds a device: drmGetDevices2() looks at /dev/dri only and does not see
 * nodes in /dev/accel (libdrm 2.4.114). mmap(), poll() and read() are the C library's.
 *
 * drmIoctl() begins anew after EINTR and after EAGAIN. The driver returns EAGAIN for one thing only, a
 * SUBMIT with DRM_ANPU_SUBMIT_NONBLOCK to a ring that is full, and this library always lets SUBMIT wait.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "core/core.h"
#include "core/engine.h"

#define PATH "/dev/accel/accel"

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

/*
 * Opening a name that does not exist costs as much as opening a file. Not by opendir(), which
 * allocates.
 */
static uint64_t driver_nodes(void)
{
	int fd = open("/dev/accel", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char buf[2048] __attribute__((aligned(8)));
	uint64_t found = 0;
	ssize_t n = -1;

	if (fd < 0)
		return errno == ENOENT ? 0 : UINT64_MAX;
	while ((n = getdents64(fd, (void *)buf, sizeof(buf))) > 0)
		found |= nodes_among(buf, n);
	close(fd);
	return n ? UINT64_MAX : found;
}

static bool file_has(const char *dir, const char *entry, const char *file, const char *text)
{
	char path[512], line[32] = "";
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s/%s", dir, entry, file);
	f = fopen(path, "re");
	if (!f)
		return false;
	if (!fgets(line, sizeof(line), f))
		line[0] = 0;
	fclose(f);
	return !strncmp(line, text, strlen(text));
}

/* Is there an NPU; with @bound, does a driver have it */
static bool on_pci_bus(bool *bound)
{
	static const char devices[] = "/sys/bus/pci/devices";
	DIR *dir = opendir(devices);
	char path[512] = "";
	struct dirent *e;
	bool found = false;

	while (dir && !found && (e = readdir(dir)))
		found = file_has(devices, e->d_name, "vendor", "0x1234") &&
			file_has(devices, e->d_name, "device", "0x11e9");
	if (found)
		snprintf(path, sizeof(path), "%s/%s/driver", devices, e->d_name);
	*bound = found && !access(path, F_OK);
	if (dir)
		closedir(dir);
	return found;
}

static void driver_why(char *text, size_t size)
{
	bool bound, found = on_pci_bus(&bound);

	if (bound)
		snprintf(text, size,
			 "the machine has an ANPU with its driver, and /dev/accel has no node of it: make "
			 "the node visible here (in a container: --device /dev/accel/accel0), or let udev "
			 "make it");
	else if (found)
		snprintf(text, size,
			 "the machine has an ANPU and no driver for it: load the module (modprobe "
			 "anpu, or insmod anpu.ko)");
	else
		snprintf(text, size,
			 "this machine has no ANPU on its PCI bus: run the program in the VM "
			 "(scripts/anpu-run PROGRAM, make shell)");
}

static int driver_open(unsigned int number)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), PATH "%u", number);
	fd = open(path, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static void driver_close(int fd)
{
	close(fd);
}

static int driver_ioctl(int fd, unsigned long request, void *arg)
{
	return drmIoctl(fd, request, arg) ? -errno : 0;
}

static void *driver_mmap(void *addr, size_t size, int prot, int flags, int fd, uint64_t offset)
{
	return mmap(addr, size, prot, flags, fd, offset);
}

static int driver_munmap(void *addr, size_t size)
{
	return munmap(addr, size) ? -errno : 0;
}

static ssize_t driver_read(int fd, void *buf, size_t size)
{
	ssize_t n = read(fd, buf, size);

	return n < 0 ? -errno : n;
}

static int driver_bridges(uint64_t address, char *path)
{
	char link[96];

	snprintf(link, sizeof(link), "/sys/bus/pci/devices/%04x:%02x:%02x.%x",
		 (unsigned int)(address >> 32), (unsigned int)(address >> 16 & 0xff),
		 (unsigned int)(address >> 8 & 0xff), (unsigned int)(address & 0xff));
	return realpath(link, path) ? 0 : -errno;
}

const struct anpu_engine anpu_driver_engine = {
	.version = ANPU_ENGINE_VERSION,
	.path = PATH,
	.nodes = driver_nodes,
	.why = driver_why,
	.open = driver_open,
	.close = driver_close,
	.ioctl = driver_ioctl,
	.mmap = driver_mmap,
	.munmap = driver_munmap,
	.read = driver_read,
	.bridges = driver_bridges,
};
