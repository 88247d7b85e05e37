/* SPDX-License-Identifier: MIT */
/*
 * malloc() and new of kernels. The heap is the context's: cuModuleLoad() and its kind write where it is into the modules that use
 * it (lib/cuda/module/heap.c). Programs of AscendCL and anpu-op have none, and there malloc() returns NULL.
 *
 * Blocks have 32, 64, 128 ... bytes. A block of the heap is taken from the list of free ones of its size, else from what no block has
 * been made of, else from a list of larger ones; a freed one goes back to its list. Lists are changed by compare-and-swap of their
 * heads, which count their changes, so threads never wait for each other.
 */
#pragma once

/* At the beginning of the heap; all zero but for its size when a context makes it */
struct anpu_heap {
	unsigned long long size, next; /* bytes of the heap, and of it what blocks have been made of; 0: nothing yet */
	unsigned long long free[48];   /* by the logarithm of the size: number of 16 bytes of the first block, changes << 32 */
};
/* In front of what malloc() returns */
struct anpu_heap_block {
	unsigned int order, used; /* logarithm of the size; ANPU_HEAP_USED */
	unsigned int next;	  /* in a list, as in its head */
	unsigned int unused;
};
#define ANPU_HEAP_USED	0x68656170u
#define ANPU_HEAP_LEAST	5

/* A template, so that only modules that use it have the variable, whose name heap.c looks for */
template <class T> struct anpu_heap_of {
	static struct anpu_heap *volatile at;
};
template <class T> struct anpu_heap *volatile anpu_heap_of<T>::at;

static inline anpu_heap_block *anpu_heap_pop(anpu_heap *h, unsigned int order)
{
	unsigned long long head = __atomic_fetch_or(&h->free[order], 0ull, __ATOMIC_SEQ_CST), after;
	anpu_heap_block *b;

	do {
		if (!(unsigned int)head)
			return nullptr;
		b = (anpu_heap_block *)((char *)h + 16ull * (unsigned int)head);
		after = ((head >> 32) + 1) << 32 | __atomic_fetch_or(&b->next, 0u, __ATOMIC_SEQ_CST);
	} while (!__atomic_compare_exchange_n(&h->free[order], &head, after, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
	return b;
}

/* A block of what none has been made of */
static inline anpu_heap_block *anpu_heap_cut(anpu_heap *h, unsigned int order)
{
	unsigned long long old = __atomic_fetch_or(&h->next, 0ull, __ATOMIC_SEQ_CST), from;
	anpu_heap_block *b;

	do {
		from = old ? old : (sizeof(*h) + 63) / 64 * 64;
		if (from > h->size || h->size - from < 1ull << order)
			return nullptr;
	} while (!__atomic_compare_exchange_n(&h->next, &old, from + (1ull << order), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
	b = (anpu_heap_block *)((char *)h + from);
	b->next = 0; /* the checking mode tells of an exchange with what nothing has written */
	return b;
}

static __attribute__((noinline)) void *anpu_heap_malloc(size_t n)
{
	anpu_heap *h = anpu_heap_of<void>::at;
	unsigned int order = ANPU_HEAP_LEAST, made;
	anpu_heap_block *b;

	if (!h || n > h->size)
		return nullptr;
	while (1ull << order < n + sizeof(*b))
		order++;
	made = order;
	b = anpu_heap_pop(h, order);
	if (!b)
		b = anpu_heap_cut(h, order);
	while (!b && ++made < sizeof(h->free) / sizeof(h->free[0]))
		b = anpu_heap_pop(h, made);
	if (!b)
		return nullptr;
	b->order = made;
	b->used = ANPU_HEAP_USED;
	return b + 1;
}

static __attribute__((noinline)) void anpu_heap_free(void *p)
{
	static const char why[] = "free() or delete of a pointer that malloc() or new of kernels did not return, or that was freed";
	anpu_heap *h = anpu_heap_of<void>::at;
	anpu_heap_block *b = (anpu_heap_block *)p - 1;
	unsigned long long head, after;

	if (!p)
		return;
	if (!h || (char *)b < (char *)(h + 1) || (char *)b >= (char *)h + h->size || (uintptr_t)b % 16 || b->used != ANPU_HEAP_USED)
		anpu_sys_TRAP((uint64_t)why, sizeof(why) - 1);
	b->used = 0;
	head = __atomic_fetch_or(&h->free[b->order], 0ull, __ATOMIC_SEQ_CST);
	do {
		__atomic_exchange_n(&b->next, (unsigned int)head, __ATOMIC_SEQ_CST);
		after = ((head >> 32) + 1) << 32 | (unsigned int)(((char *)b - (char *)h) / 16);
	} while (!__atomic_compare_exchange_n(&h->free[b->order], &head, after, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
}

extern "C" {
inline void *malloc(size_t n) { return anpu_heap_malloc(n); }
inline void free(void *p) { anpu_heap_free(p); }
}

/* A constructor runs without a question whether there is memory, so new has none to answer */
static __attribute__((noinline)) void *anpu_heap_new(size_t n)
{
	static const char why[] = "new: the heap of kernels is full or absent: set CU_LIMIT_MALLOC_HEAP_SIZE, or use malloc(), which returns NULL";
	void *p = anpu_heap_malloc(n);

	if (!p)
		anpu_sys_TRAP((uint64_t)why, sizeof(why) - 1);
	return p;
}

/* They replace those of the language, and are there only in files that use them */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winline-new-delete"
inline void *operator new(size_t n) { return anpu_heap_new(n); }
inline void *operator new[](size_t n) { return anpu_heap_new(n); }
inline void operator delete(void *p) noexcept { anpu_heap_free(p); }
inline void operator delete[](void *p) noexcept { anpu_heap_free(p); }
inline void operator delete(void *p, size_t) noexcept { anpu_heap_free(p); }
inline void operator delete[](void *p, size_t) noexcept { anpu_heap_free(p); }
#pragma clang diagnostic pop
