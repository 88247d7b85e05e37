/* SPDX-License-Identifier: MIT */
/* The file that code or data of this process was loaded from. */
#ifndef ANPU_MODULE_H
#define ANPU_MODULE_H

#include <elf.h>
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
/* A symbol of a variable or a function, its name of up to @most bytes; true: no more are wanted */
typedef bool anpu_symbol_fn(const Elf64_Sym *symbol, const char *name, size_t most, void *arg);
/* symbols.c: all that the module's file has, until @see wants no more; true if it has ended so */
bool anpu_module_symbols(const struct anpu_module *m, anpu_symbol_fn *see, void *arg);

#endif /* ANPU_MODULE_H */
