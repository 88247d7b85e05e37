/* SPDX-License-Identifier: MIT */
/* Source lines of code: of the program that uses this library, and of operators. */
#ifndef ANPU_LINES_H
#define ANPU_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ANPU_PLACES 8

/**
 * struct anpu_source - one level of a chain of inlined calls
 * @function: its name, or empty
 * @file: path of the source, or empty
 * @line: from 1
 */
struct anpu_source {
	char function[128];
	char file[256];
	unsigned int line;
};

/*
 * The place of the instruction at @addr (as in the file), in @place[0], and the calls that were inlined
 * around it, the innermost first. Returns how many there are, 0 if the file has no debug information or
 * libdw.so.1 cannot be loaded.
 */
unsigned int anpu_lines_image(const void *elf, size_t size, uint64_t addr, struct anpu_source *place);
unsigned int anpu_lines_file(const char *path, uint64_t addr, struct anpu_source *place);

/**
 * struct anpu_local - a local variable
 * @size: its bytes; @left: of these from the address on
 */
struct anpu_local {
	uint64_t size;
	uint64_t left;
	char name[128];
};

/*
 * The variable that has the byte at @offset from where the caller of the function around @addr (as in the file) had its stack.
 * false: none is known there, or the file has no debug information.
 */
bool anpu_lines_local(const char *path, uint64_t addr, int64_t offset, struct anpu_local *local);
/* "a.c:3 in f(), inlined into g() at a.c:20" */
void anpu_places_text(const struct anpu_source *place, unsigned int count, char *buf, size_t size);

/**
 * struct anpu_site - a call of the program into this library
 * @api: public function that was called
 * @pc: return addresses in the program, the innermost first, NULL behind the last; the checking mode
 *	has several, else there is one, because finding them takes time
 */
#define ANPU_SITE_DEPTH 6
struct anpu_site {
	const char *api;
	const void *pc[ANPU_SITE_DEPTH];
};

/* The call that this thread is in */
void anpu_site_here(struct anpu_site *site);
/* The same outside of calls, of a program that a front runs (anpu_front_now()); false, and nothing is changed, where there is none */
bool anpu_site_now(struct anpu_site *site);
/* "aclrtMalloc() in main() at prog.c:30", or an empty text if there is no site */
void anpu_site_text(const struct anpu_site *site, char *buf, size_t size);
/* The places alone: "main() at prog.c:30, called from ..." */
void anpu_site_places(const struct anpu_site *site, char *buf, size_t size);

#endif /* ANPU_LINES_H */
