// SPDX-License-Identifier: MIT
/*
 * Where the program called the library: noted by an address for each task and allocation, and put into
 * words when a message needs it.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#include "core/core.h"
#include "core/front.h"

/* The path of the program, which dl_iterate_phdr() names by an empty text */
static void name_program(struct anpu_module *m)
{
	ssize_t n = readlink("/proc/self/exe", m->path, sizeof(m->path) - 1);

	m->path[n > 0 ? n : 0] = 0;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Texts of a front stand among the addresses, with a bit that no address of a program has */
#define TEXT (1ULL << 63)

static _Atomic(const char *const *(*)(void)) front_at;

void anpu_front_at(const char *const *(*where)(void))
{
	atomic_store(&front_at, where);
}

static _Atomic(const char *const *(*)(void)) front_now;

void anpu_front_now(const char *const *(*where)(void))
{
	atomic_store(&front_now, where);
}

static bool take_texts(struct anpu_site *site, const char *const *at)
{
	unsigned int i;

	for (i = 0; at && at[i] && i < ANPU_SITE_DEPTH; i++)
		site->pc[i] = (const void *)((uintptr_t)at[i] | TEXT);
	if (i && i < ANPU_SITE_DEPTH)
		site->pc[i] = NULL;
	return i;
}

bool anpu_site_now(struct anpu_site *site)
{
	const char *const *(*where)(void) = atomic_load(&front_now);

	return where && take_texts(site, where());
}

static bool is_text(const void *pc)
{
	return (uintptr_t)pc & TEXT;
}

/* One address: lines if the file has them, else a name that the dynamic linker knows, else an offset */
static void code_place(const void *pc, char *buf, size_t size)
{
	/* a return address is behind the call */
	uint64_t addr = (uintptr_t)pc - 1;
	struct anpu_module m;
	struct anpu_source place[ANPU_PLACES];
	unsigned int count;
	Dl_info info;

	*buf = 0;
	if (!anpu_module_find(addr, &m))
		return;
	if (!*m.path)
		name_program(&m);
	count = anpu_lines_file(m.path, addr - m.base, place);
	if (count)
		anpu_places_text(place, count, buf, size);
	else if (dladdr((void *)(uintptr_t)addr, &info) && info.dli_sname)
		snprintf(buf, size, "%s() in %.255s+%#llx", info.dli_sname, base_name(m.path),
			 (unsigned long long)(addr - m.base));
	else
		snprintf(buf, size, "%.255s+%#llx", base_name(m.path), (unsigned long long)(addr - m.base));
}

void anpu_front_place(const void *pc, char *buf, size_t size)
{
	ACL_UNCANCELLED();

	if (is_text(pc))
		snprintf(buf, size, "%s", (const char *)((uintptr_t)pc & ~TEXT));
	else
		code_place(pc, buf, size);
}

/* @left: frames that may still come until the program's are reached; @n: those of @site that have been found */
struct walk {
	struct anpu_site *site;
	unsigned int left;
	unsigned int n;
};

/* The compiler's unwinder begins with frames of the library; not every C library has backtrace() */
static _Unwind_Reason_Code one_frame(struct _Unwind_Context *context, void *arg)
{
	struct walk *w = arg;
	void *pc = (void *)_Unwind_GetIP(context);

	if (!pc || !w->left--)
		return _URC_END_OF_STACK;
	if (!w->n)
		w->n = pc == w->site->pc[0];
	else
		w->site->pc[w->n++] = pc;
	return w->n < ANPU_SITE_DEPTH ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/* The frames behind the one that called the library */
static void walk(struct anpu_site *site)
{
	struct walk w = { .site = site, .left = 32 };

	(void)_Unwind_Backtrace(one_frame, &w);
	if (w.n && w.n < ANPU_SITE_DEPTH)
		site->pc[w.n] = NULL;
}

void anpu_site_here(struct anpu_site *site)
{
	const char *const *(*where)(void) = atomic_load_explicit(&front_at, memory_order_relaxed);

	site->api = acl_site_api();
	if (where && take_texts(site, where()))
		return;
	site->pc[0] = acl_current_caller();
	site->pc[1] = NULL; /* ends the list */
	if (site->pc[0] && anpu_checking())
		walk(site);
}

/* Frames of the libraries of C and C++, below main() and functions of threads, say nothing */
static bool last_frame(const void *pc)
{
	Dl_info info;

	if (is_text(pc))
		return false;
	return !dladdr((void *)((uintptr_t)pc - 1), &info) || !info.dli_fname ||
	       !strncmp(base_name(info.dli_fname), "libc.so", 7) || !strncmp(base_name(info.dli_fname), "libstdc++.so", 12);
}

/* Frames of this library, which has called a function of the program */
static bool own_frame(const void *pc)
{
	Dl_info info, own;

	return !is_text(pc) && dladdr((void *)((uintptr_t)pc - 1), &info) && dladdr((void *)own_frame, &own) &&
	       info.dli_fbase == own.dli_fbase;
}

/* @before: what stands in front of the first place */
static size_t places_text(const struct anpu_site *site, const char *before, char *buf, size_t size)
{
	char text[640];
	size_t used = 0;
	unsigned int i;
	int n;

	for (i = 0; i < ANPU_SITE_DEPTH && site->pc[i] && used < size; i++) {
		if (i && own_frame(site->pc[i]))
			continue;
		if (i && last_frame(site->pc[i]))
			break;
		anpu_front_place(site->pc[i], text, sizeof(text));
		if (!*text)
			break;
		if (i && strstr(text, " at /usr/include/c++/")) /* between two functions of the program */
			continue;
		n = snprintf(buf + used, size - used, "%s%s", i ? ", called from " : before, text);
		used += n > 0 ? (size_t)n : 0;
	}
	return used;
}

void anpu_site_places(const struct anpu_site *site, char *buf, size_t size)
{
	*buf = 0;
	places_text(site, "", buf, size);
}

void anpu_site_text(const struct anpu_site *site, char *buf, size_t size)
{
	char before[80];

	*buf = 0;
	if (!site->api || !site->pc[0])
		return;
	snprintf(before, sizeof(before), "%s() in ", anpu_api_name(site->api));
	if (!places_text(site, before, buf, size))
		snprintf(buf, size, "%s()", anpu_api_name(site->api));
}
