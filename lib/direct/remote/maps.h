/* SPDX-License-Identifier: MIT */
/* The process's mappings, as /proc/self/maps tells them. */
#ifndef ANPU_MAPS_H
#define ANPU_MAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct mapped - one mapping
 * @prot: PROT_*; @shared: else private
 * @offset: of @start in the file
 * @dev, @ino: of the file, 0: none
 * @name: what the kernel calls it, cut off at the end; empty for anonymous memory
 */
struct mapped {
	uint64_t start;
	uint64_t end;
	int prot;
	bool shared;
	uint64_t offset;
	dev_t dev;
	ino_t ino;
	char name[256];
};

/* The first mapping that ends above an address; false: there is none. It allocates nothing */
bool maps_find(uint64_t addr, struct mapped *m);
/* A descriptor of the file that a shared mapping shows, or -1 if this process has no way to open it */
int maps_open(const struct mapped *m, bool write);

#endif /* ANPU_MAPS_H */
