// SPDX-License-Identifier: MIT
/*
 * Operands of tile operations: checks, and sentences for those that are refused.
 */
#include <stdio.h>

#include "../check/check.h"
#include "tile_int.h"
#include "../outside.h"

/* the first line of a message that fits into a fault record */
#define MESSAGE_SIZE	sizeof(((struct core_fault *)0)->message)

struct window {
	const char *name;
	uint32_t base;
	uint32_t size;
};

static const struct window windows[] = {
#define X(name, base, bytes, meaning) { #name, base, bytes },
	ANPU_WINDOWS(X)
#undef X
};

#define N_WINDOWS	(sizeof(windows) / sizeof(windows[0]))

const uint8_t tile_type_bits[16] = {
#define X(name, number, bits, meaning) [number] = bits,
	ANPU_TYPES(X)
#undef X
};

const char *tile_type_name(unsigned int type)
{
	static const char *const names[16] = {
#define X(name, number, bits, meaning) [number] = #name,
		ANPU_TYPES(X)
#undef X
	};

	return type < 16 && names[type] ? names[type] : "unknown";
}

bool tile_fail(struct tile *t, const char *format, ...)
{
	char text[MESSAGE_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return core_fail(t->fault, ANPU_FAULT_OPERAND, "%s%s%s: %.110s", t->name,
			 *t->sub ? " " : "", t->sub, text);
}

static int window_index(uint64_t va)
{
	for (unsigned int i = 0; i < N_WINDOWS; i++)
		if (va - windows[i].base < windows[i].size)
			return (int)i;
	return -1;
}

unsigned int tile_window_of(uint64_t va)
{
	int i;

	if (va >= ANPU_GM_BASE)
		return WIN_GM;
	i = window_index(va);
	return i < 0 ? 0 : 1u << i;
}

const char *tile_window_name(unsigned int window)
{
	for (unsigned int i = 0; i < N_WINDOWS; i++)
		if (window & (1u << i))
			return windows[i].name;
	return window & WIN_GM ? "global memory" : "no window";
}

/* "UB or L1" */
static const char *set_name(unsigned int set, char *buf, size_t size)
{
	size_t len = 0;

	buf[0] = 0;
	for (unsigned int i = 0; i <= N_WINDOWS; i++) {
		if (!(set & (1u << i)))
			continue;
		len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? "/" : "",
					tile_window_name(1u << i));
		if (len >= size)
			break;
	}
	return buf;
}

static bool refused(struct tile *t, uint64_t va, uint64_t size, uint32_t access)
{
	t->fault->addr = va;
	t->fault->size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
	t->fault->access = access;
	return false;
}

bool tile_local_slow(struct tile *t, const char *role, uint64_t va, uint64_t size, uint32_t align,
		     unsigned int set, uint32_t access, uint8_t **p)
{
	unsigned int window = tile_window_of(va);
	char names[48];
	const struct window *w;

	if (core_is_outside(va)) {
		core_fail(t->fault, ANPU_FAULT_SCRATCHPAD, "%s: %s 0x%llx " CORE_OUTSIDE, t->name, role,
			  (unsigned long long)(va & ~(uint64_t)ANPU_OUTSIDE));
		return refused(t, va & ~(uint64_t)ANPU_OUTSIDE, size, access);
	}
	if (!window) {
		local_fault(va, size, access, t->fault);
		core_fail(t->fault, ANPU_FAULT_SCRATCHPAD,
			  va ? "%s: %s 0x%llx is in no scratchpad window; it must be in %s"
			     : "%s: %s 0x%llx is null, a pointer that was not set; it must be in global memory, if this takes that, or %s",
			  t->name, role, (unsigned long long)va, set_name(set, names, sizeof(names)));
		return refused(t, va, size, access);
	}
	if (!(window & set)) {
		tile_fail(t, "%s 0x%llx is in %s; it must be in %s", role, (unsigned long long)va,
			  tile_window_name(window), set_name(set, names, sizeof(names)));
		return refused(t, va, size, access);
	}
	w = &windows[window_index(va)];
	if (size > w->size - (va - w->base)) {
		core_fail(t->fault, ANPU_FAULT_SCRATCHPAD,
			  "%s: %s 0x%llx + %llu bytes leaves %s, which ends at 0x%x", t->name, role,
			  (unsigned long long)va, (unsigned long long)size, w->name,
			  w->base + w->size);
		return refused(t, va, size, access);
	}
	if (va & (align - 1)) {
		tile_fail(t, "%s 0x%llx is not a multiple of %u", role, (unsigned long long)va,
			  align);
		return refused(t, va, size, access);
	}
	*p = local_ptr(t->b, va);
	return true;
}

bool tile_bad_ctl(struct tile *t, const char *role, uint64_t word, uint64_t allowed)
{
	return tile_fail(t, "bits 0x%llx of %s 0x%llx are not used by it and must be zero",
			 (unsigned long long)(word & ~allowed), role, (unsigned long long)word);
}

bool tile_overlaps(struct tile *t, uint64_t dst, uint64_t dst_size, const char *role, uint64_t src,
		   uint64_t src_size)
{
	tile_fail(t, "dst 0x%llx + %llu overlaps %s 0x%llx + %llu in part; use one address or two",
		  (unsigned long long)dst, (unsigned long long)dst_size, role,
		  (unsigned long long)src, (unsigned long long)src_size);
	return refused(t, dst, dst_size, ANPU_ACCESS_WRITE);
}

#define SPLAT_BY_HAND	2048
#define SPLAT_PIECE	4096

void tile_splat(void *d, uint64_t value, unsigned int bytes, size_t n)
{
	size_t size = bytes * n, have, piece;
	uint64_t pair __attribute__((vector_size(16)));
	uint8_t *p = d;

	for (have = bytes; have < 8; have *= 2) {
		value &= ~0ULL >> (64 - 8 * have);
		value |= value << (8 * have);
	}
	pair = (typeof(pair)){ value, value };
	/* stores alone at first: to load what was just stored in smaller pieces is slow */
	for (have = 0; have + 64 <= size && have < SPLAT_BY_HAND; have += 64)
		for (unsigned int i = 0; i < 64; i += sizeof(pair))
			memcpy(p + have + i, &pair, sizeof(pair));
	for (; have + 8 <= size && have < 64; have += 8)
		memcpy(p + have, &value, 8);
	/* double what is there by copies, which the C library does fast */
	for (; have + 8 <= size; have += piece) {
		piece = have < SPLAT_PIECE ? have : SPLAT_PIECE;
		piece = piece < size - have ? piece : (size - have) & ~(size_t)7;
		memcpy(p + have, p, piece);
	}
	memcpy(p + have, &value, size - have);
}

bool tile_desc(struct tile *t, uint64_t va, void *desc)
{
	if (va % 8)
		return tile_fail(t, "descriptor 0x%llx is not a multiple of 8",
				 (unsigned long long)va);
	if (unlikely(t->b->check) &&
	    !check_scalar(t->b, "descriptor", va, 32, ANPU_ACCESS_READ, t->fault))
		return false;
	return mem_read(t->b, va, 32, desc, t->fault);
}
