// SPDX-License-Identifier: MIT
/*
 * Source lines by elfutils' libdw, which knows every version of DWARF. It is loaded when the first line
 * is asked for, so that programs which do not fail start as fast as without it, and need not have it.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/forks.h"
#include "util/lines.h"

#if __has_include(<elfutils/libdw.h>)

#include <dwarf.h>
#include <elfutils/libdw.h>

#define FUNCTIONS(X)                                                                            \
	X(elf_version) X(elf_memory) X(elf_end) X(dwarf_begin) X(dwarf_begin_elf) X(dwarf_end)    \
	X(dwarf_nextcu) X(dwarf_offdie) X(dwarf_haspc) X(dwarf_getsrc_die) X(dwarf_linesrc)       \
	X(dwarf_lineno) X(dwarf_getscopes) X(dwarf_getscopes_die) X(dwarf_dieoffset)              \
	X(dwarf_diename) X(dwarf_tag) X(dwarf_attr) X(dwarf_formudata) X(dwarf_getsrcfiles)       \
	X(dwarf_filesrc) X(dwarf_lineaddr) X(dwarf_child) X(dwarf_siblingof)                      \
	X(dwarf_attr_integrate) X(dwarf_getlocation) X(dwarf_formref_die) X(dwarf_aggregate_size)

static struct {
#define X(name) __typeof__(name) *name;
	FUNCTIONS(X)
#undef X
} dw;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool loaded;
/* libdw's objects are of one thread at a time */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void load(void)
{
	void *lib = dlopen("libdw.so.1", RTLD_LAZY | RTLD_LOCAL);

	loaded = lib;
#define X(name) \
	loaded = loaded && (dw.name = (__typeof__(name) *)(uintptr_t)dlsym(lib, #name));
	FUNCTIONS(X)
#undef X
	loaded = loaded && dw.elf_version(EV_CURRENT) != EV_NONE;
}

/* A child of fork() is told of its mistakes with their lines, too: no other thread was loading or using libdw when it was made. */
static void start(void)
{
	anpu_forks_free(&lock);
	pthread_mutex_lock(&lock);
	load();
	pthread_mutex_unlock(&lock);
}

/* The part of the debug information whose code has the address */
static bool find_unit(Dwarf *dwarf, uint64_t addr, Dwarf_Die *unit)
{
	Dwarf_Off at = 0, next;
	size_t header;

	/* not by .debug_aranges, which clang does not write */
	while (!dw.dwarf_nextcu(dwarf, at, &next, &header, NULL, NULL, NULL)) {
		if (dw.dwarf_offdie(dwarf, at + header, unit) && dw.dwarf_haspc(unit, addr) == 1)
			return true;
		at = next;
	}
	return false;
}

static void set_file(struct anpu_source *p, const char *file)
{
	char cwd[sizeof(p->file)];
	size_t n;

	if (!file)
		return;
	while (!strncmp(file, "./", 2))
		file += 2;
	/* a path below the current directory is shown from there on */
	if (getcwd(cwd, sizeof(cwd))) {
		n = strlen(cwd);
		if (n > 1 && !strncmp(file, cwd, n) && file[n] == '/')
			file += n + 1;
	}
	while (!strncmp(file, "./", 2))
		file += 2;
	n = strlen(file);
	/* of a path that is too long the end says more */
	snprintf(p->file, sizeof(p->file), "%s", n < sizeof(p->file) ? file : file + n - sizeof(p->file) + 1);
}

static Dwarf_Word number(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value = 0;

	if (!dw.dwarf_attr(die, name, &attr) || dw.dwarf_formudata(&attr, &value))
		return 0;
	return value;
}

/* Where an inlined function was called */
static void set_call(Dwarf_Die *unit, Dwarf_Die *inlined, struct anpu_source *p)
{
	Dwarf_Word file = number(inlined, DW_AT_call_file);
	Dwarf_Files *files;
	size_t count;

	p->line = (unsigned int)number(inlined, DW_AT_call_line);
	if (!dw.dwarf_getsrcfiles(unit, &files, &count) && file < count)
		set_file(p, dw.dwarf_filesrc(files, file, NULL, NULL));
}

static void set_name(Dwarf_Die *die, struct anpu_source *p)
{
	const char *name = dw.dwarf_diename(die);

	if (name)
		snprintf(p->function, sizeof(p->function), "%s", name);
}

/* The scopes around the address, the innermost first, with those of callers of inlined functions; to be freed. Their number */
static int scopes_of(Dwarf *dwarf, Dwarf_Die *unit, uint64_t addr, Dwarf_Die **chain)
{
	Dwarf_Die *scopes = NULL, inner;
	int n = dw.dwarf_getscopes(unit, addr, &scopes);

	*chain = NULL;
	/* of an inlined function, the scopes are those of its source, and not those of its caller */
	if (n > 0 && dw.dwarf_offdie(dwarf, dw.dwarf_dieoffset(&scopes[0]), &inner))
		n = dw.dwarf_getscopes_die(&inner, chain);
	else
		n = 0;
	free(scopes);
	return n;
}

/* The functions around the address: each inlined one says where it was called in the next */
static unsigned int add_scopes(Dwarf *dwarf, Dwarf_Die *unit, uint64_t addr, struct anpu_source *place)
{
	Dwarf_Die *chain;
	int n = scopes_of(dwarf, unit, addr, &chain), i;
	unsigned int count = 1;

	for (i = 0; i < n; i++) {
		int tag = dw.dwarf_tag(&chain[i]);

		if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine)
			set_name(&chain[i], &place[count - 1]);
		if (tag == DW_TAG_subprogram || count == ANPU_PLACES)
			break;
		if (tag == DW_TAG_inlined_subroutine) {
			place[count] = (struct anpu_source){ .line = 0 };
			set_call(unit, &chain[i], &place[count++]);
		}
	}
	free(chain);
	return count;
}

/* The number of the line, or of the one before it in the same function: the compiler gives some instructions none. 0: there is none */
static int line_at(Dwarf *dwarf, Dwarf_Die *unit, uint64_t addr, Dwarf_Line **line)
{
	Dwarf_Die *chain;
	int n = scopes_of(dwarf, unit, addr, &chain), i = 0, number = 0;
	Dwarf_Addr at = addr;

	while (i < n && dw.dwarf_tag(&chain[i]) != DW_TAG_subprogram)
		i++;
	do {
		*line = dw.dwarf_getsrc_die(unit, at);
		if (!*line || dw.dwarf_lineno(*line, &number) || dw.dwarf_lineaddr(*line, &at))
			number = -1;
	} while (!number && i < n && dw.dwarf_haspc(&chain[i], --at) == 1);
	free(chain);
	return number > 0 ? number : 0;
}

static unsigned int look(Dwarf *dwarf, uint64_t addr, struct anpu_source *place)
{
	Dwarf_Line *line;
	Dwarf_Die unit;
	int number;

	if (!find_unit(dwarf, addr, &unit))
		return 0;
	number = line_at(dwarf, &unit, addr, &line);
	if (!number)
		return 0;
	place[0] = (struct anpu_source){ .line = (unsigned int)number };
	set_file(&place[0], dw.dwarf_linesrc(line, NULL, NULL));
	return add_scopes(dwarf, &unit, addr, place);
}

unsigned int anpu_lines_image(const void *elf, size_t size, uint64_t addr, struct anpu_source *place)
{
	unsigned int count = 0;
	Dwarf *dwarf;
	Elf *file;

	if (pthread_once(&once, start) || !loaded)
		return 0;
	pthread_mutex_lock(&lock);
	file = dw.elf_memory((char *)(uintptr_t)elf, size);
	dwarf = file ? dw.dwarf_begin_elf(file, DWARF_C_READ, NULL) : NULL;
	if (dwarf)
		count = look(dwarf, addr, place);
	if (dwarf)
		dw.dwarf_end(dwarf);
	if (file)
		dw.elf_end(file);
	pthread_mutex_unlock(&lock);
	return count;
}

/*
 * Programs fail at the same calls again and again, and reading debug information takes milliseconds: what
 * was found is kept. Under the lock.
 */
#define KEPT 32

static struct kept {
	dev_t dev;
	ino_t ino;
	struct timespec changed;
	uint64_t addr;
	unsigned int count;
	struct anpu_source place[ANPU_PLACES];
} kept[KEPT];

static bool is_kept(const struct kept *k, const struct stat *file, uint64_t addr)
{
	return k->count && k->addr == addr && k->ino == file->st_ino && k->dev == file->st_dev &&
	       k->changed.tv_sec == file->st_mtim.tv_sec && k->changed.tv_nsec == file->st_mtim.tv_nsec;
}

static unsigned int look_into_file(int fd, uint64_t addr, struct anpu_source *place)
{
	Dwarf *dwarf = dw.dwarf_begin(fd, DWARF_C_READ);
	unsigned int count;

	if (!dwarf)
		return 0;
	count = look(dwarf, addr, place);
	dw.dwarf_end(dwarf);
	return count;
}

static unsigned int find_kept(int fd, const struct stat *file, uint64_t addr, struct anpu_source *place)
{
	struct kept *k = &kept[(addr ^ addr >> 5 ^ file->st_ino) % KEPT];

	if (!is_kept(k, file, addr)) {
		*k = (struct kept){ .dev = file->st_dev, .ino = file->st_ino, .changed = file->st_mtim, .addr = addr };
		k->count = look_into_file(fd, addr, k->place);
	}
	memcpy(place, k->place, k->count * sizeof(*place));
	return k->count;
}

unsigned int anpu_lines_file(const char *path, uint64_t addr, struct anpu_source *place)
{
	unsigned int count = 0;
	struct stat file;
	int fd;

	if (pthread_once(&once, start) || !loaded)
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	pthread_mutex_lock(&lock);
	if (!fstat(fd, &file))
		count = find_kept(fd, &file, addr, place);
	pthread_mutex_unlock(&lock);
	close(fd);
	return count;
}

/* Local variables --------------------------------------------------------------------------------- */

/* Where the variable is, from the function's frame on, and how many bytes it has; false: it moves, or is in no frame */
static bool place_of(Dwarf_Die *die, int64_t *offset, uint64_t *size)
{
	Dwarf_Attribute attr;
	Dwarf_Die type;
	Dwarf_Word bytes;
	Dwarf_Op *op;
	size_t n;

	if (!dw.dwarf_attr_integrate(die, DW_AT_type, &attr) || !dw.dwarf_formref_die(&attr, &type) ||
	    dw.dwarf_aggregate_size(&type, &bytes) || !bytes)
		return false;
	/* one that is not the same in its whole scope has a list of locations, which dwarf_getlocation() refuses */
	if (!dw.dwarf_attr(die, DW_AT_location, &attr) || dw.dwarf_getlocation(&attr, &op, &n) || n != 1 || op->atom != DW_OP_fbreg)
		return false;
	*offset = (int64_t)op->number;
	*size = bytes;
	return true;
}

/* Offsets count from where the caller had its stack */
static bool has_plain_frame(Dwarf_Die *function)
{
	Dwarf_Attribute attr;
	Dwarf_Op *op;
	size_t n;

	return dw.dwarf_attr(function, DW_AT_frame_base, &attr) && !dw.dwarf_getlocation(&attr, &op, &n) && n == 1 &&
	       op->atom == DW_OP_call_frame_cfa;
}

/* The variables of one scope; of several that have the offset, which share the place, the one with the most behind it counts */
static void look_at_scope(Dwarf_Die *scope, int64_t offset, struct anpu_local *local)
{
	Dwarf_Die die;
	int64_t begin;
	uint64_t size;
	int tag;

	if (dw.dwarf_child(scope, &die))
		return;
	do {
		tag = dw.dwarf_tag(&die);
		if ((tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) || !place_of(&die, &begin, &size) || offset < begin ||
		    (uint64_t)(offset - begin) >= size || size - (uint64_t)(offset - begin) <= local->left)
			continue;
		local->size = size;
		local->left = size - (uint64_t)(offset - begin);
		snprintf(local->name, sizeof(local->name), "%s", dw.dwarf_diename(&die) ? dw.dwarf_diename(&die) : "?");
	} while (!dw.dwarf_siblingof(&die, &die));
}

static void look_for_local(Dwarf *dwarf, uint64_t addr, int64_t offset, struct anpu_local *local)
{
	Dwarf_Die unit, *chain;
	int n, i, last = 0;

	if (!find_unit(dwarf, addr, &unit))
		return;
	n = scopes_of(dwarf, &unit, addr, &chain);
	while (last < n && dw.dwarf_tag(&chain[last]) != DW_TAG_subprogram)
		last++;
	for (i = 0; last < n && has_plain_frame(&chain[last]) && i <= last; i++)
		look_at_scope(&chain[i], offset, local);
	free(chain);
}

bool anpu_lines_local(const char *path, uint64_t addr, int64_t offset, struct anpu_local *local)
{
	Dwarf *dwarf;
	int fd;

	*local = (struct anpu_local){ .size = 0 };
	if (pthread_once(&once, start) || !loaded)
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	pthread_mutex_lock(&lock);
	dwarf = dw.dwarf_begin(fd, DWARF_C_READ);
	if (dwarf) {
		look_for_local(dwarf, addr, offset, local);
		dw.dwarf_end(dwarf);
	}
	pthread_mutex_unlock(&lock);
	close(fd);
	return local->size;
}

#else /* without libdw's headers */

unsigned int anpu_lines_image(const void *elf, size_t size, uint64_t addr, struct anpu_source *place)
{
	(void)elf;
	(void)size;
	(void)addr;
	(void)place;
	return 0;
}

unsigned int anpu_lines_file(const char *path, uint64_t addr, struct anpu_source *place)
{
	(void)path;
	(void)addr;
	(void)place;
	return 0;
}

bool anpu_lines_local(const char *path, uint64_t addr, int64_t offset, struct anpu_local *local)
{
	(void)path, (void)addr, (void)offset, (void)local;
	return false;
}

#endif

/* Functions of the C++ library between two of the program: threads, algorithms, containers */
static bool is_library(const struct anpu_source *p)
{
	return !strncmp(p->file, "/usr/include/c++/", 17);
}

void anpu_places_text(const struct anpu_source *place, unsigned int count, char *buf, size_t size)
{
	unsigned int i, own = 0;
	size_t used = 0;
	int n;

	*buf = 0;
	for (i = 0; i < count; i++)
		own += !is_library(&place[i]);
	for (i = 0; i < count && used < size; i++) {
		const struct anpu_source *p = &place[i];

		if (own && is_library(p))
			continue;
		n = snprintf(buf + used, size - used, "%s%s%s%s%s:%u", used ? ", inlined into " : "",
			     p->function, *p->function ? "() at " : "", "", *p->file ? p->file : "?",
			     p->line);
		used += n > 0 ? (size_t)n : 0;
	}
}
