// SPDX-License-Identifier: MIT
/* Files of operators: gdb gets their list, and reads them through the stub, so that it needs no paths of this machine. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stub.h"

#define FOLDER		"/anpu/"
#define FILE_CHUNK	8000	/* bytes of a file in a reply: each may need two */

/* Address of the first segment; an image without one has no code */
static bool first_segment(const uint8_t *image, size_t size, uint64_t *va)
{
	Elf64_Phdr p;
	Elf64_Ehdr h;

	if (size < sizeof(h))
		return false;
	memcpy(&h, image, sizeof(h));
	if (memcmp(h.e_ident, ELFMAG, SELFMAG) || h.e_phentsize != sizeof(p) || h.e_phoff > size ||
	    (size - h.e_phoff) / sizeof(p) < h.e_phnum)
		return false;
	for (unsigned int i = 0; i < h.e_phnum; i++) {
		memcpy(&p, image + h.e_phoff + i * sizeof(p), sizeof(p));
		*va = p.p_vaddr;
		if (p.p_type == PT_LOAD)
			return true;
	}
	return false;
}

/* The last part of a path, without what XML or gdb could mistake for something else */
static void take_name(char *to, size_t size, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t n = 0;

	for (path = slash ? slash + 1 : path; *path && n + 1 < size; path++)
		to[n++] = strchr("<>&\"' ", *path) || *path < ' ' ? '_' : *path;
	to[n] = 0;
}

bool gdb_code_listed(struct gdb *g, uint32_t space, uint64_t serial)
{
	bool is;

	pthread_mutex_lock(&g->lock);
	gdb_look_gone(g);
	is = g->listed == space && g->list_serial == serial;
	pthread_mutex_unlock(&g->lock);
	return is;
}

void gdb_code_begin(struct gdb *g, uint32_t space)
{
	pthread_mutex_lock(&g->lock);
	for (struct gdb_code *c = g->code; c; c = c->next)
		c->seen = c->space != space;
	pthread_mutex_unlock(&g->lock);
}

bool gdb_code_known(struct gdb *g, uint32_t space, uint64_t serial)
{
	struct gdb_code *c;

	pthread_mutex_lock(&g->lock);
	c = g->code;
	while (c && (c->space != space || c->serial != serial))
		c = c->next;
	if (c)
		c->seen = true;
	pthread_mutex_unlock(&g->lock);
	return c;
}

void gdb_code_loaded(struct gdb *g, uint32_t space, uint64_t serial, uint64_t base, const char *name, const void *image, size_t size)
{
	struct gdb_code *c = calloc(1, sizeof(*c));
	uint64_t va;

	if (c)
		c->image = malloc(size ? size : 1);
	if (!c || !c->image || !first_segment(image, size, &va)) {
		free(c ? c->image : NULL);
		free(c);
		return;
	}
	memcpy(c->image, image, size);
	c->size = size;
	c->space = space;
	c->serial = serial;
	c->seen = true;
	c->base = base;
	c->address = base + va;
	take_name(c->name, sizeof(c->name), name);
	pthread_mutex_lock(&g->lock);
	c->number = ++g->codes;
	c->next = g->code;
	g->code = c;
	g->news = true;
	pthread_mutex_unlock(&g->lock);
}

/* Lock held: drops the files of an address space, or of all those that were not seen */
static void drop(struct gdb *g, uint32_t space)
{
	struct gdb_code **at = &g->code, *c;

	while ((c = *at)) {
		if (space ? c->space != space : c->seen) {
			at = &c->next;
			continue;
		}
		*at = c->next;
		g->news = true;
		free(c->image);
		free(c);
	}
}

void gdb_drop_code(struct gdb *g, uint32_t space)
{
	drop(g, space);
	if (g->listed == space)
		g->listed = 0;
}

void gdb_code_end(struct gdb *g, uint32_t space, uint64_t serial)
{
	pthread_mutex_lock(&g->lock);
	drop(g, 0);
	g->space = space;
	g->listed = space;
	g->list_serial = serial;
	if (g->news && g->connected && !g->stopped) {
		gdb_stop(g, g->blocks, SIG_TRAP, "%s", "");
		g->library = true;
		g->news = false;
	}
	pthread_mutex_unlock(&g->lock);
}

void gdb_libraries(struct gdb *g, const char *range)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f) {
		say(g, "E0c");
		return;
	}
	fputs("<library-list version=\"1.0\">", f);
	for (const struct gdb_code *c = g->code; c; c = c->next)
		fprintf(f, "<library name=\"" FOLDER "%u/%s\"><segment address=\"0x%llx\"/></library>", c->number, c->name,
			(unsigned long long)c->address);
	fputs("</library-list>", f);
	if (fclose(f) || !text)
		say(g, "E0c");
	else
		say_part(g, text, size, range);
	free(text);
}

/* Reading them ----------------------------------------------------------------------------------- */

static const struct gdb_code *by_number(const struct gdb *g, unsigned long n)
{
	const struct gdb_code *c = g->code;

	while (c && c->number != n)
		c = c->next;
	return c;
}

/* vFile replies have bytes as they are, but for a few that have a meaning of their own */
static void say_binary(struct gdb *g, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n && g->size + 2 < sizeof(g->reply); i++) {
		uint8_t c = bytes[i];

		if (c == '}' || c == '$' || c == '#' || c == '*') {
			g->reply[g->size++] = '}';
			c ^= 0x20;
		}
		g->reply[g->size++] = (char)c;
	}
}

static void open_code(struct gdb *g, const char *hex)
{
	unsigned long number;
	char name[200] = "";
	const char *rest;
	size_t n = strspn(hex, "0123456789abcdef") / 2;

	if (n < sizeof(name) && from_hex(hex, n, (uint8_t *)name) && begins(name, FOLDER, &rest)) {
		number = strtoul(rest, NULL, 10);
		if (by_number(g, number)) {
			say(g, "F%lx", number);
			return;
		}
	}
	say(g, "F-1,2");	/* there is no such file */
}

static void read_code(struct gdb *g, const char *text)
{
	unsigned long fd, count, at;
	const struct gdb_code *c;

	c = sscanf(text, "%lx,%lx,%lx", &fd, &count, &at) == 3 ? by_number(g, fd) : NULL;
	if (!c) {
		say(g, "F-1,9");
		return;
	}
	at = at < c->size ? at : c->size;
	count = count < c->size - at ? count : c->size - at;
	count = count < FILE_CHUNK ? count : FILE_CHUNK;
	say(g, "F%lx;", count);
	say_binary(g, c->image + at, count);
}

static void state_of_code(struct gdb *g, const char *text)
{
	const struct gdb_code *c = by_number(g, strtoul(text, NULL, 16));
	uint8_t stat[64] = { 0 };

	if (!c) {
		say(g, "F-1,9");
		return;
	}
	/* a regular file that all may read; numbers begin with their highest byte */
	stat[10] = 0x81;
	stat[11] = 0x24;
	for (unsigned int i = 0; i < 8; i++)
		stat[28 + i] = (uint8_t)((uint64_t)c->size >> (56 - 8 * i));
	say(g, "F%zx;", sizeof(stat));
	say_binary(g, stat, sizeof(stat));
}

void gdb_file(struct gdb *g, const char *text)
{
	const char *rest;

	if (begins(text, "setfs:", &rest) || begins(text, "close:", &rest))
		say(g, "F0");
	else if (begins(text, "open:", &rest))
		open_code(g, rest);
	else if (begins(text, "pread:", &rest))
		read_code(g, rest);
	else if (begins(text, "fstat:", &rest))
		state_of_code(g, rest);
}
