// SPDX-License-Identifier: MIT
/*
 * The checking mode's look at ordinary memory of the program that a copy uses: is the block of malloc() or the variable
 * there as large, and was the block freed? Nothing stands in front of malloc(). What glibc keeps beside its blocks is read
 * instead, and believed only if all of it fits: the blocks of the heap follow each other from its begin to its end, a large one
 * has a mapping of its own. Memory of other threads' heaps and of other allocators is not known. Other threads may
 * give memory back meanwhile, so it is read through the kernel, which says when there is none.
 *
 * Local variables are known by debug information, of functions that this thread is in: those that stay at one place of the
 * function's frame, as arrays do whose address is taken.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include <unwind.h>

#include "memory/memory.h"

#define IN_USE	 1ull /* flags in a block's size: the one before it is used; it is a mapping; it is of another heap */
#define MAPPED	 2ull
#define FLAGS	 7ull
#define HEAD	 16ull
#define SMALLEST 32ull
#define BLOCKS	 (1u << 20) /* more are not looked at */
#define PAGE	 4096ull

#ifdef __GLIBC__
/* Two words in front of what malloc() returns */
struct head {
	uint64_t before; /* size of the block before it, if that is free */
	uint64_t size;	 /* and flags */
	uint64_t next, key; /* what was freed not long ago is in a list, and has this key */
};

/* Glibc marks blocks that a thread has freed by a number of the process; 0: it is not known */
static uint64_t freed_key(void)
{
	uint64_t found[2], at;
	unsigned int i;
	void *p;

	for (i = 0; i < 2; i++) {
		p = malloc(64 + 32 * i);
		if (!p)
			return 0;
		at = (uintptr_t)p;
		__asm__("" : "+r"(at)); /* the compiler does not know what it is: this thread gets the block again next, so it stays */
		((uint64_t *)p)[1] = 0;
		free(p);
		found[i] = ((const struct head *)(uintptr_t)(at - HEAD))->key;
	}
	return found[0] == found[1] ? found[0] : 0;
}

/* Begin and end of the heap that grows by brk(); false: the program has none */
static bool find_heap(uint64_t *begin, uint64_t *end)
{
	static _Atomic uint64_t first; /* it stays where it is */
	unsigned long long from, to;
	char line[256];
	FILE *f;

	if (!first) {
		f = fopen("/proc/self/maps", "re");
		while (f && fgets(line, sizeof(line), f))
			if (strstr(line, "[heap]") && sscanf(line, "%llx-%llx", &from, &to) == 2) {
				first = from;
				break;
			}
		if (f)
			fclose(f);
	}
	*begin = first;
	*end = (uintptr_t)sbrk(0);
	return first && first % PAGE == 0 && *end > first;
}

/* A piece of the heap that was read: from @at, @size bytes */
struct window {
	uint64_t at, size;
	char bytes[1 << 14];
};

/* Reads up to @n bytes of this process; how many are there */
static size_t peek(uint64_t at, void *to, size_t n)
{
	struct iovec here = { to, n }, there = { (void *)(uintptr_t)at, n };
	ssize_t got = process_vm_readv(getpid(), &here, 1, &there, 1, 0);

	return got > 0 ? (size_t)got : 0;
}

/* The first two words of the block that begins at @at; false: they are not there */
static bool peek_head(struct window *w, uint64_t at, uint64_t end, struct head *h)
{
	if (at < w->at || at - w->at + HEAD > w->size) {
		w->at = at;
		w->size = peek(at, w->bytes, min_u64(sizeof(w->bytes), end - at));
		if (w->size < HEAD)
			return false;
	}
	memcpy(h, w->bytes + (at - w->at), HEAD);
	return true;
}

static bool fits(const struct head *h, uint64_t at, uint64_t end)
{
	uint64_t size = h->size & ~FLAGS;

	return !(h->size & FLAGS & ~IN_USE) && size >= SMALLEST && size % 16 == 0 && size <= end - at;
}

/* The heap's block that has the address. All blocks have to fit, also those behind it */
static bool block_of(uint64_t addr, struct anpu_heap_block *b)
{
	struct window w = { .size = 0 };
	uint64_t at, end;
	struct head h;
	unsigned int n;

	if (!find_heap(&at, &end) || addr < at || addr >= end)
		return false;
	b->size = 0;
	for (n = 0; at + HEAD < end && n < BLOCKS; n++) {
		if (!peek_head(&w, at, end, &h) || !fits(&h, at, end))
			return false;
		if (b->size && at == b->at + b->size)
			b->freed = !(h.size & IN_USE);
		if (addr - at < (h.size & ~FLAGS))
			*b = (struct anpu_heap_block){ .at = at, .size = h.size & ~FLAGS };
		at += h.size & ~FLAGS;
	}
	return at == end && b->size;
}

/* The last one is what has not been given out yet */
static bool is_rest(const struct anpu_heap_block *b)
{
	uint64_t begin, end;

	return find_heap(&begin, &end) && b->at + b->size == end;
}

/* A block that is a mapping, if @addr is what malloc() has returned */
static bool mapping_of(uint64_t addr, struct anpu_heap_block *b)
{
	struct head h;

	if (addr % PAGE != HEAD || peek(addr - HEAD, &h, HEAD) != HEAD || h.before || (h.size & FLAGS) != MAPPED ||
	    (h.size & ~FLAGS) % PAGE || h.size >> 40 || (h.size & ~FLAGS) < 16 * PAGE)
		return false;
	*b = (struct anpu_heap_block){ .at = addr - HEAD, .size = h.size & ~FLAGS, .mapped = true };
	return true;
}

/*
 * Is the program's malloc() the one whose blocks are known here? A program that is not position-independent may have a place of its own by which
 * it calls the function; then what its blocks look like has to do
 */
static bool is_glibc(void)
{
	const Elf64_Sym *symbol = NULL;
	Dl_info info;
	void *p = dlsym(RTLD_DEFAULT, "malloc");

	if (!p || !dladdr1(p, &info, (void **)&symbol, RTLD_DL_SYMENT) || !info.dli_fname)
		return false;
	return strstr(info.dli_fname, "libc.so") || !symbol || symbol->st_shndx == SHN_UNDEF;
}

/* The block that has the address, be it in use or not */
static bool find_block(uint64_t addr, struct anpu_heap_block *b)
{
	static _Atomic int known; /* 1: yes, 2: no */

	*b = (struct anpu_heap_block){ 0 };
	if (!known)
		known = is_glibc() ? 1 : 2;
	return known == 1 && (mapping_of(addr, b) || (block_of(addr, b) && !is_rest(b))) && addr >= b->at + HEAD;
}

/* Has the thread that freed it kept it for its own next one */
static bool was_kept(const struct anpu_heap_block *b)
{
	uint64_t key = b->mapped ? 0 : freed_key();
	struct head h;

	return key && peek(b->at, &h, sizeof(h)) == sizeof(h) && h.key == key;
}

bool anpu_heap_find(uint64_t addr, struct anpu_heap_block *b)
{
	return find_block(addr, b) && !b->freed && !was_kept(b);
}

bool anpu_heap_ended(const struct anpu_heap_block *b, uint64_t end, bool thoroughly)
{
	struct anpu_heap_block now;
	struct head own, next;

	if (peek(b->at, &own, HEAD) != HEAD)
		return true;
	if (b->mapped || was_kept(b))
		return !b->mapped;
	/* another allocation, of less, has got its begin, or realloc() has given back its end */
	if (b->at + (own.size & ~FLAGS) + 8 < end)
		return true;
	/* realloc() may have made it longer, and then there is no head behind it any more */
	if ((own.size & ~FLAGS) == b->size && peek(b->at + b->size, &next, HEAD) == HEAD && !(next.size & IN_USE))
		return true;
	/* what was freed has become a part of a block before it, or of the rest */
	return thoroughly && block_of(b->at, &now) && (now.freed || is_rest(&now));
}

static bool wrong_block(uint64_t addr, uint64_t size, char *text, size_t room)
{
	struct anpu_heap_block b;
	uint64_t end;

	if (!find_block(addr, &b))
		return false;
	/* the last word of a block is in the next one's head; a mapping has none behind it */
	end = b.at + b.size + (b.mapped ? 0 : 8);
	if (b.freed || was_kept(&b)) {
		snprintf(text, room, "in a block of malloc() at %#llx that was freed: free it behind the copy",
			 (unsigned long long)(b.at + HEAD));
		return true;
	}
	if (addr + size <= end)
		return false;
	snprintf(text, room, "in a block of malloc() at %#llx that has %llu bytes from there on at most: check its size and the count, "
		 "which are bytes and not elements", (unsigned long long)(b.at + HEAD), (unsigned long long)(end - addr));
	return true;
}
#else
bool anpu_heap_find(uint64_t addr, struct anpu_heap_block *b)
{
	(void)addr, (void)b;
	return false;
}

bool anpu_heap_ended(const struct anpu_heap_block *b, uint64_t end, bool thoroughly)
{
	(void)b, (void)end, (void)thoroughly;
	return false;
}

static bool wrong_block(uint64_t addr, uint64_t size, char *text, size_t room)
{
	(void)addr, (void)size, (void)text, (void)room;
	return false;
}
#endif

/* The variable of the program that a range begins in, if none has all of it */
struct variable {
	uint64_t at, size; /* of the range, as addresses in the file */
	uint64_t has, left;
	bool found;
	char name[128];
};

/* One variable may be a part of another one, so the search ends only at one that has the whole range */
static bool has_range(const Elf64_Sym *s, const char *name, size_t most, void *arg)
{
	struct variable *v = arg;

	if (ELF64_ST_TYPE(s->st_info) != STT_OBJECT || v->at - s->st_value >= s->st_size)
		return false;
	v->has = s->st_size;
	v->left = s->st_value + s->st_size - v->at;
	v->found = true;
	snprintf(v->name, sizeof(v->name), "%.*s", (int)most, name);
	return v->size <= v->left;
}

static bool wrong_variable(uint64_t addr, uint64_t size, char *text, size_t room)
{
	struct variable v = { .size = size };
	struct anpu_module m;

	/* variables of libraries are not looked at */
	if (!anpu_module_find(addr, &m) || *m.path)
		return false;
	v.at = addr - m.base;
	if (anpu_module_symbols(&m, has_range, &v) || !v.found)
		return false;
	snprintf(text, room, "in the variable '%s' of %llu bytes, which has %llu from there on: check its size and the count, which are "
		 "bytes and not elements", v.name, (unsigned long long)v.has, (unsigned long long)v.left);
	return true;
}

/**
 * struct frames - the search for the function that has an address in its frame
 * @pc: where the frame in hand is, and @stack what its stack ends with
 * @found: it is the one, and its caller's stack ended with @caller
 */
struct frames {
	uint64_t addr;
	uint64_t pc, stack, caller;
	unsigned int left;
	bool found;
};

/* The unwinder tells of each frame where that of the function that it called began */
static _Unwind_Reason_Code one_frame(struct _Unwind_Context *context, void *arg)
{
	struct frames *f = arg;
	uint64_t stack = _Unwind_GetCFA(context);

	f->found = f->pc && f->stack <= f->addr && f->addr < stack;
	f->caller = stack;
	if (f->found || !f->left-- || stack < f->stack)
		return _URC_END_OF_STACK;
	f->pc = _Unwind_GetIP(context);
	f->stack = stack;
	return f->pc ? _URC_NO_REASON : _URC_END_OF_STACK;
}

#define FRAMES	   64
#define KNOWN	   256 /* places of variables that are kept */
#define STACK_MOST (64ull << 20)

/*
 * The program's variable at @offset of the frame of the function around @pc, in the program; without a size there is none. Debug
 * information is read once for a place: loops copy the same again
 */
static void local_at(uint64_t pc, int64_t offset, struct anpu_local *local)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct {
		uint64_t pc;
		int64_t offset;
		struct anpu_local local;
	} known[KNOWN], *k;
	bool locked = !pthread_mutex_trylock(&lock); /* a child of fork() may never get it */

	k = &known[(pc * 31 + (uint64_t)offset) % KNOWN];
	if (!locked || k->pc != pc || k->offset != offset)
		(void)anpu_lines_local("/proc/self/exe", pc, offset, local);
	else
		*local = k->local;
	if (!locked)
		return;
	k->pc = pc;
	k->offset = offset;
	k->local = *local;
	pthread_mutex_unlock(&lock);
}

static bool wrong_local(uint64_t addr, uint64_t size, char *text, size_t room)
{
	struct frames f = { .addr = addr, .left = FRAMES };
	struct anpu_local local;
	struct anpu_module m;

	if (addr - (uintptr_t)__builtin_frame_address(0) >= STACK_MOST)
		return false;
	(void)_Unwind_Backtrace(one_frame, &f);
	if (!f.found || !anpu_module_find(f.pc - 1, &m) || *m.path)
		return false;
	local_at(f.pc - 1 - m.base, (int64_t)(addr - f.caller), &local);
	if (!local.size || size <= local.left)
		return false;
	snprintf(text, room, "in the local variable '%s' of %llu bytes, which has %llu from there on: check its size and the count, "
		 "which are bytes and not elements", local.name, (unsigned long long)local.size, (unsigned long long)local.left);
	return true;
}

bool anpu_heap_wrong(uint64_t addr, uint64_t size, char *text, size_t room)
{
	return wrong_block(addr, size, text, room) || wrong_variable(addr, size, text, room) || wrong_local(addr, size, text, room);
}
