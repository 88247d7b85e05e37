/* SPDX-License-Identifier: MIT */
/* The file that code or data of this process was loaded from. */
#ifndef ANPU_MODULE_H
#define ANPU_MODULE_H

#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * struct anpu_module - a program or shared library
 * @base: what is added to addresses in the file
 * @path: of the file; empty for the program itself, as dl_iterate_phdr() names it
 */
struct anpu_module {
	uint64_t base;
	char path[PATH_MAX];
};

/* dl_iterate_phdr(), which no thread is in at a fork; true if @fn has ended it */
bool anpu_modules_each(int (*fn)(struct dl_phdr_info *info, size_t size, void *arg), void *arg);
/* The module that has @addr in one of its segments; false if none has */
bool anpu_module_find(uint64_t addr, struct anpu_module *m);

#endif /* ANPU_MODULE_H */
