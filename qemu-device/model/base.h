/* SPDX-License-Identifier: MIT */
/* Small things that all files of the model share. */
#ifndef ANPU_MODEL_BASE_H
#define ANPU_MODEL_BASE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct anpu_model;
struct queue;
struct worker;

/* Data that different threads write all the time is kept so many bytes apart. */
#define CACHE_LINE	64

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

/* of 64 bits, for printf() */
#define ull(x)		((unsigned long long)(x))

/* Words in guest-visible memory. seq_cst where the datasheet asks for a full barrier. */
#define shared_load(p)		__atomic_load_n(p, __ATOMIC_SEQ_CST)
#define shared_store(p, v)	__atomic_store_n(p, v, __ATOMIC_SEQ_CST)
#define shared_read(p)		__atomic_load_n(p, __ATOMIC_RELAXED)
#define shared_write(p, v)	__atomic_store_n(p, v, __ATOMIC_RELAXED)
#define shared_or(p, v)		((void)__atomic_fetch_or(p, v, __ATOMIC_SEQ_CST))

static inline void cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

#endif /* ANPU_MODEL_BASE_H */
