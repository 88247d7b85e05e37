/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Root looks at HBM past the driver; the kernel must let him: iomem=relaxed. */
#ifndef ANPU_BAR_H
#define ANPU_BAR_H

#include "anpu_test.h"

/* All of BAR2 of a device of that name on the PCI bus; *@bar is MAP_FAILED if it cannot be had. */
static inline void map_bar(const char *device, char **bar, uint64_t *size)
{
	unsigned long long first = 0, last = 0;
	char path[300];
	FILE *f;
	int fd;

	*bar = MAP_FAILED;
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/resource", device);
	f = fopen(path, "r");
	for (int i = 0; f && i < 3; i++) {
		if (fscanf(f, "%llx %llx %*x", &first, &last) != 2)
			first = last = 0;
	}
	if (f)
		fclose(f);
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/resource2", device);
	fd = open(path, O_RDWR | O_SYNC);
	if (fd < 0 || !first)
		return;
	*size = last - first + 1;
	*bar = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
}

#endif /* ANPU_BAR_H */
