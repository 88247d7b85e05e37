// SPDX-License-Identifier: MIT
/*
 * Lines by elfutils' libdw, which knows every version of DWARF. If libdw was missing when this was
 * compiled, messages have addresses only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "op/view/lines.h"

#ifdef HAVE_LIBDW

#include <elfutils/libdw.h>
#include <fcntl.h>
#include <libgen.h>
#include <unistd.h>

/** struct row - where the code of a line begins; file NULL: where code without lines begins */
struct row {
	uint64_t address;
	const char *file;
	int line;
};

/** struct source - a source that has been read; @line: where its lines begin, @lines of them */
struct source {
	struct source *next;
	const char *file;
	char *text;
	char **line;
	unsigned int lines;
};

/** struct op_lines - @row in the order of addresses */
struct op_lines {
	int fd;
	Dwarf *dwarf;
	struct row *row;
	size_t rows;
	struct source *sources;
	char *folder;
};

static int by_address(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	/* of two rows with one address, the end of a piece and the beginning of another, the beginning counts */
	return !x->file == !y->file ? 0 : x->file ? 1 : -1;
}

static int add_unit(struct op_lines *l, Dwarf_Die *unit)
{
	struct row *more;
	Dwarf_Lines *lines;
	size_t count;

	if (dwarf_getsrclines(unit, &lines, &count))
		return 0;
	more = realloc(l->row, (l->rows + count + 1) * sizeof(*more));
	if (!more)
		return -1;
	l->row = more;
	for (size_t i = 0; i < count; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		struct row *r = &l->row[l->rows];
		bool end = false;

		if (!line || dwarf_lineaddr(line, &r->address) ||
		    dwarf_lineendsequence(line, &end) || dwarf_lineno(line, &r->line))
			continue;
		r->file = end ? NULL : dwarf_linesrc(line, NULL, NULL);
		/* functions that the linker dropped have lines at address 0 */
		if (r->address)
			l->rows++;
	}
	return 0;
}

static int add_units(struct op_lines *l)
{
	Dwarf_Off at = 0, next;
	size_t header;

	while (!dwarf_nextcu(l->dwarf, at, &next, &header, NULL, NULL, NULL)) {
		Dwarf_Die unit;

		if (dwarf_offdie(l->dwarf, at + header, &unit) && add_unit(l, &unit))
			return -1;
		at = next;
	}
	if (l->rows)
		qsort(l->row, l->rows, sizeof(*l->row), by_address);
	return 0;
}

struct op_lines *op_lines_open(const char *path, char *why, size_t size)
{
	struct op_lines *l = calloc(1, sizeof(*l));
	char *copy = strdup(path);

	if (!l || !copy) {
		snprintf(why, size, "out of memory for source lines");
		free(l);
		free(copy);
		return NULL;
	}
	l->folder = strdup(dirname(copy));
	free(copy);
	l->fd = open(path, O_RDONLY | O_CLOEXEC);
	l->dwarf = l->fd < 0 ? NULL : dwarf_begin(l->fd, DWARF_C_READ);
	if (l->folder && l->dwarf && !add_units(l) && l->rows)
		return l;
	snprintf(why, size, "no source lines: compile '%s' with anpucc -g to see them", path);
	op_lines_close(l);
	return NULL;
}

void op_lines_close(struct op_lines *l)
{
	struct source *next;

	if (!l)
		return;
	for (struct source *s = l->sources; s; s = next) {
		next = s->next;
		free(s->text);
		free(s->line);
		free(s);
	}
	if (l->dwarf)
		dwarf_end(l->dwarf);
	if (l->fd >= 0)
		close(l->fd);
	free(l->folder);
	free(l->row);
	free(l);
}

/* Sources -------------------------------------------------------------------------------------- */

static FILE *open_source(const struct op_lines *l, const char *file)
{
	FILE *f = fopen(file, "r");
	char path[4096];

	if (f || *file == '/')
		return f;
	snprintf(path, sizeof(path), "%s/%s", l->folder, file);
	f = fopen(path, "r");
	if (f || !strrchr(file, '/'))
		return f;
	snprintf(path, sizeof(path), "%s/%s", l->folder, strrchr(file, '/') + 1);
	return fopen(path, "r");
}

static void split(struct source *s)
{
	unsigned int n = 1;

	for (char *c = s->text; *c; c++)
		n += *c == '\n';
	s->line = calloc(n, sizeof(*s->line));
	if (!s->line)
		return;
	for (char *c = s->text, *end; s->lines < n; c = end + 1) {
		s->line[s->lines++] = c;
		end = strchr(c, '\n');
		if (!end)
			break;
		*end = 0;
	}
}

static struct source *read_source(struct op_lines *l, const char *file)
{
	struct source *s = calloc(1, sizeof(*s));
	FILE *f = open_source(l, file);
	size_t size = 0;

	if (s) {
		s->file = file;
		s->next = l->sources;
		l->sources = s;
	}
	/* a file of more than 16 MiB is not read as a source */
	if (s && f && getdelim(&s->text, &size, 0, f) > 0 && size < 1 << 24)
		split(s);
	if (f)
		fclose(f);
	return s;
}

static const char *text_of(struct op_lines *l, const char *file, unsigned int line)
{
	struct source *s = l->sources;

	while (s && strcmp(s->file, file))
		s = s->next;
	if (!s)
		s = read_source(l, file);
	return s && line && line <= s->lines ? s->line[line - 1] : NULL;
}

int op_lines_at(struct op_lines *l, uint64_t address, struct op_line *line)
{
	size_t low = 0, high = l ? l->rows : 0;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (l->row[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || !l->row[low - 1].file || l->row[low - 1].line < 1)
		return -1;
	line->file = l->row[low - 1].file;
	line->line = (unsigned int)l->row[low - 1].line;
	/* the directory "." only says that the compiler ran there */
	while (!strncmp(line->file, "./", 2))
		line->file += 2;
	line->text = text_of(l, line->file, line->line);
	return 0;
}

#else /* HAVE_LIBDW */

struct op_lines {
	int nothing;
};

struct op_lines *op_lines_open(const char *path, char *why, size_t size)
{
	snprintf(why, size,
		 "no source lines for '%s': this anpu-op was compiled without libdw "
		 "(apt-get install libdw-dev, then make -C lib/tools)",
		 path);
	return NULL;
}

void op_lines_close(struct op_lines *lines)
{
	free(lines);
}

int op_lines_at(struct op_lines *lines, uint64_t address, struct op_line *line)
{
	(void)lines;
	(void)address;
	(void)line;
	return -1;
}

#endif /* HAVE_LIBDW */
