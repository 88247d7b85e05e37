// SPDX-License-Identifier: MIT
/* The checking mode: clocks, flags and barriers, the scalar unit, sentences. See check.h. */
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>

#include "check.h"
#include "blocks.h"
#include "team.h"
#include "../threads.h"

static const char *const tile_names[ANPU_TILE_OP_COUNT] = {
#define X(name, number, ...) [number] = #name,
	ANPU_TILE_OPS(X)
#undef X
};

static const char *const engine_names[CHECK_ENGINES + 1] = {
	[CHECK_V] = "V", [CHECK_M] = "M", [CHECK_MTE1] = "MTE1", [CHECK_MTE2] = "MTE2",
	[CHECK_MTE3] = "MTE3", [CHECK_FIX] = "FIX", [CHECK_S] = "S",
};

static unsigned int engine_of(unsigned int pipe)
{
	static const uint8_t engines[ANPU_PIPE_COUNT] = {
		[ANPU_PIPE_S] = CHECK_S, [ANPU_PIPE_V] = CHECK_V, [ANPU_PIPE_M] = CHECK_M,
		[ANPU_PIPE_MTE1] = CHECK_MTE1, [ANPU_PIPE_MTE2] = CHECK_MTE2,
		[ANPU_PIPE_MTE3] = CHECK_MTE3, [ANPU_PIPE_FIX] = CHECK_FIX,
	};

	return engines[pipe];
}

/* States that are as new, of blocks that have ended: to clear what these have used is faster than to map memory. */
#define SPARES	16
static _Atomic(struct check *) spares[SPARES];

/* Mapped memory is zero, and takes host memory only where it is touched: most of it never is. */
struct check *check_new(void)
{
	void *p = NULL;

	for (unsigned int n = 0; !p && n < SPARES; n++)
		if (atomic_load_explicit(&spares[n], memory_order_relaxed))
			p = atomic_exchange(&spares[n], NULL);
	if (p)
		return p;
	p = mmap(NULL, sizeof(struct check), PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* Clearing more than this many granules takes as long as new memory does. */
#define CLEAN_GRANULES	4096

static bool clean(struct check *c)
{
	uint64_t ranges = c->ranges < CHECK_RANGES ? c->ranges : CHECK_RANGES;

	if (c->end - c->first > CLEAN_GRANULES)
		return false;
	memset(c->range, 0, ranges * sizeof(c->range[0]));
	for (unsigned int from = 0; from < ANPU_PIPE_COUNT; from++)
		for (unsigned int to = 0; to < ANPU_PIPE_COUNT; to++)
			for (unsigned int left = c->flags[from][to]; left; left &= left - 1)
				memset(&c->flag[from][to][__builtin_ctz(left)], 0, sizeof(c->flag[0][0][0]));
	/* the bytes of a granule are set where it is split */
	memset(&c->owner[c->first], 0, (size_t)(c->end - c->first) * sizeof(c->owner[0]));
	memset(&c->granule[c->first], 0, (size_t)(c->end - c->first) * sizeof(c->granule[0]));
	memset(c, 0, offsetof(struct check, range));
	return true;
}

void check_free(struct check *c)
{
	struct check *none;
	unsigned int n;

	if (!c)
		return;
	check_team_free(c->team);
	for (n = 0; n < SPARES; n++)
		if (!atomic_load_explicit(&spares[n], memory_order_relaxed))
			break;
	if (n < SPARES && clean(c)) {
		for (; n < SPARES; n++) {
			none = NULL;
			if (atomic_compare_exchange_strong(&spares[n], &none, c))
				return;
		}
	}
	munmap(c, sizeof(*c));
}

void check_use(struct check *c, int64_t n, int64_t count)
{
	if (n < c->first || !c->end)
		c->first = n;
	if (n + count > c->end)
		c->end = n + count;
}

/* Clocks ----------------------------------------------------------------------------------------- */

static void join(uint64_t *clock, const uint64_t *other)
{
	for (unsigned int n = 0; n < CHECK_ENGINES; n++)
		if (clock[n] < other[n])
			clock[n] = other[n];
}

void check_begin(struct core_block *b, unsigned int pipe, const char *name)
{
	struct check *c = b->check;

	c->engine = engine_of(pipe);
	join(c->clock[c->engine], c->clock[CHECK_S]);
	c->stamp = ++c->clock[c->engine][c->engine] | (uint64_t)c->engine << 56;
	c->name = name;
	c->pc = (int32_t)((int64_t)(b->pc - b->kernel->pkt.entry) >> 2);
}

void check_set(struct core_block *b, unsigned int from, unsigned int to, unsigned int event,
	       unsigned int count)
{
	struct check *c = b->check;
	struct check_flag *f = &c->flag[from][to][event];
	uint64_t *clock = f->clock[(f->first + count - 1) % ANPU_FLAG_MAX];

	c->flags[from][to] |= (uint8_t)(1u << event);
	f->pc = b->pc;
	memcpy(clock, c->clock[engine_of(from)], sizeof(f->clock[0]));
	join(clock, c->clock[CHECK_S]);
	f->stores[(f->first + count - 1) % ANPU_FLAG_MAX] = c->stores;
	c->storing = false;
}

void check_wait(struct core_block *b, unsigned int from, unsigned int to, unsigned int event)
{
	struct check *c = b->check;
	struct check_flag *f = &c->flag[from][to][event];

	join(c->clock[engine_of(to)], f->clock[f->first]);
	if (to != ANPU_PIPE_S && c->stores_known[engine_of(to)] < f->stores[f->first])
		c->stores_known[engine_of(to)] = f->stores[f->first];
	f->first = (f->first + 1) % ANPU_FLAG_MAX;
}

void check_barrier(struct core_block *b)
{
	struct check *c = b->check;

	for (unsigned int n = 0; n < CHECK_ENGINES; n++) {
		c->clock[CHECK_S][n] = c->clock[n][n];
		c->stores_known[n] = c->stores;
	}
	c->storing = false;
}

void check_cache(struct core_block *b)
{
	b->check->stores_global = 0;
}

void check_left_open(struct core_block *b, unsigned int pipe)
{
	if (pipe != ANPU_PIPE_ALL && check_has_others(b))
		check_global_left(b, engine_of(pipe));
}

/* The scalar unit ---------------------------------------------------------------------------------- */

uint32_t check_word_at(struct core_block *b, uint64_t pc)
{
	struct core_fault ignored = { 0 };
	uint64_t span;
	uint32_t word = 0;
	const void *p = mmu_access(b->mmu, pc, ANPU_ACCESS_FETCH, &span, &ignored);

	if (p && span >= sizeof(word))
		memcpy(&word, p, sizeof(word));
	return word;
}

/* Compilers make an acquiring load of a load and a fence behind it, and a releasing store of the reverse. */
static bool fenced(struct core_block *b, uint32_t access)
{
	const unsigned int n = (unsigned int)(b->pc / 4) % CHECK_KNOWN;
	const uint32_t mask = 0x707f, fence = 0x0f;
	struct check *c = b->check;

	if (c->place[n].pc != b->pc) {
		c->place[n].pc = b->pc;
		c->place[n].fenced = (check_word_at(b, access == ANPU_ACCESS_WRITE ? b->pc - 4 : b->pc + 4) & mask) ==
				     fence;
	}
	return c->place[n].fenced;
}

static bool report(struct core_fault *fault, uint64_t va, uint64_t size, uint32_t access)
{
	fault->addr = va;
	fault->size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
	fault->access = access;
	return false;
}

/*
 * A kernel with shared variables has nothing else in the unified buffer than these, at its beginning, and its dynamic
 * shared memory, at its end. An index that leaves an array can run into the rest.
 */
static bool check_shared(const struct core_block *b, const char *name, uint64_t va, uint64_t size, uint32_t access,
			 struct core_fault *fault)
{
	const uint32_t fixed = b->kernel->launch.static_scratch, dynamic = b->kernel->pkt.dyn_scratch;
	uint64_t at = va - ANPU_UB_BASE;

	if (!fixed || at >= ANPU_UB_SIZE || at + size <= fixed || at >= ANPU_UB_SIZE - dynamic)
		return true;
	if (at + size > ANPU_UB_SIZE - dynamic)
		core_fail(fault, ANPU_FAULT_SCRATCHPAD, "%s at 0x%llx, before the dynamic shared memory", name,
			  (unsigned long long)va);
	else
		core_fail(fault, ANPU_FAULT_SCRATCHPAD, "%s at 0x%llx, %s the %u bytes of the operator file's shared variables",
			  name, (unsigned long long)va, at > fixed ? "behind" : "right behind", fixed);
	return report(fault, va, size, access);
}

static bool scalar_local(struct core_block *b, const char *name, uint64_t va, uint64_t size,
			 uint32_t access, bool atomic, struct core_fault *fault)
{
	struct check *c = b->check;
	unsigned int engine = c->engine;
	const char *operation = c->name;
	bool ok;

	if (check_number(va, size) < 0)
		return true;
	if (!check_shared(b, name, va, size, access, fault))
		return false;
	if (check_team_looks(b) && !check_team_access(b, name, va, size, access, atomic || fenced(b, access), fault))
		return false;
	c->engine = CHECK_S;
	c->name = name;
	ok = access == ANPU_ACCESS_WRITE ? check_write(b, "", va, size, fault) :
					   check_read(b, "", va, size, fault);
	if (ok && access == ANPU_ACCESS_WRITE && c->buffers)
		check_store_local(b, va, size);
	c->engine = engine;
	c->name = operation;
	return ok;
}

/*
 * Atomic accesses to one place come one behind the other: the later sub-block knows what the earlier ones did. That
 * does not order the access itself with a plain store that was there before: another way must.
 */
static bool between_blocks(struct core_block *b, const char *name, uint64_t va, uint64_t size, uint32_t access,
			   bool atomic, struct core_fault *fault)
{
	bool ok = check_blocks_access(b, name, b->pc, va, size, access, atomic, fault);

	if (atomic && access & ANPU_ACCESS_READ)
		check_learns(b, CHECK_SYNC_WORD, va & ~7ULL);
	if (atomic && access & ANPU_ACCESS_WRITE)
		check_tells(b, CHECK_SYNC_WORD, va & ~7ULL);
	return ok;
}

static bool scalar_global(struct core_block *b, const char *name, uint64_t va, uint64_t size, uint32_t access,
			  bool atomic, struct core_fault *fault)
{
	if (!check_global_scalar(b, name, va, size, access & ANPU_ACCESS_WRITE ? ANPU_ACCESS_WRITE : access, fault) ||
	    !check_allocated(b, va, size, access, fault))
		return false;
	if (access & ANPU_ACCESS_WRITE && b->check->buffers && !atomic)
		check_store_global(b, va, size);
	atomic |= b->check->word;
	if (check_team_looks(b) && !check_team_access(b, name, va, size, access, atomic || fenced(b, access), fault))
		return false;
	if (!check_has_others(b))
		return true;
	return between_blocks(b, name, va, size, access, atomic || fenced(b, access), fault);
}

/* A block that is in no cluster reaches its own unified buffer by the addresses of a peer's, too */
static uint64_t own_place(const struct core_block *b, uint64_t va)
{
	return !b->cluster && va - ANPU_PEER_BASE < ANPU_UB_SIZE ? va - ANPU_PEER_BASE + ANPU_UB_BASE : va;
}

bool check_aligned(const char *name, uint64_t va, unsigned int size, uint32_t access, struct core_fault *fault)
{
	char place[32];

	if (!(va & (size - 1)) || (va < ANPU_GM_BASE && check_number(va, size) < 0))
		return true;
	check_place(va, place, sizeof(place));
	core_fail(fault, ANPU_FAULT_MISALIGNED,
		  "%s: %s is no multiple of the %u bytes of what is there: look at the pointer",
		  name, place, size);
	return report(fault, va, size, access);
}

bool check_scalar(struct core_block *b, const char *name, uint64_t va, uint64_t size,
		  uint32_t access, struct core_fault *fault)
{
	return va < ANPU_GM_BASE ? scalar_local(b, name, own_place(b, va), size, access, false, fault) :
				   scalar_global(b, name, va, size, access, false, fault);
}

bool check_amo(struct core_block *b, uint64_t va, uint64_t size, uint32_t access, struct core_fault *fault)
{
	if (va >= ANPU_GM_BASE)
		return scalar_global(b, "atomic access", va, size, access | ANPU_ACCESS_READ, true, fault);
	va = own_place(b, va);
	return scalar_local(b, "atomic access", va, size, ANPU_ACCESS_READ, true, fault) &&
	       (access != ANPU_ACCESS_WRITE || scalar_local(b, "atomic access", va, size, ANPU_ACCESS_WRITE, true, fault));
}

bool check_cached(const struct core_block *b, uint64_t va, const uint8_t *p, uint32_t access)
{
	if (va < ANPU_GM_BASE)
		return va - ANPU_STACK_BASE < ANPU_STACK_SIZE ||
		       va - ANPU_THREAD_STACKS < THREAD_STACKS_BYTES;
	/* an operator with buffers stores there, and its engines may read that too early */
	if (access != ANPU_ACCESS_READ && b->check->buffers)
		return false;
	return !check_has_others(b) && !check_team_looks(b) && !check_global_live(b, va) && check_plain_page(p, va);
}

bool check_records(struct core_block *b, uint64_t va)
{
	return b->check->buffers && !check_has_others(b) && !check_team_looks(b) && !check_global_live(b, va) &&
	       check_page_allocated(b, va);
}

/* The kernel's end ---------------------------------------------------------------------------------- */

/* By the interface of Ascend C, which has buffers, the kernel ends what it has begun */
static bool check_atomic_end(struct core_block *b, struct core_fault *fault)
{
	const struct check *c = b->check;

	if (!c->buffers || !(b->csr.atomic & 0xff))
		return true;
	if (c->atomic_copy)
		core_fail(fault, ANPU_FAULT_SYNC,
			  "SetAtomicNone() is missing: all copies behind this were atomic, the last one at 0x%llx",
			  (unsigned long long)c->atomic_copy);
	else
		core_fail(fault, ANPU_FAULT_SYNC, "SetAtomicNone() is missing: copies are still atomic at the block's end");
	fault->pc = c->atomic_pc;
	return false;
}

bool check_end(struct core_block *b, struct core_fault *fault)
{
#define X(name, number, ...) [number] = #name,
	static const char *const names[ANPU_PIPE_COUNT] = { ANPU_PIPES(X) };
#undef X

	for (unsigned int from = 0; b->flags_used && from < ANPU_PIPE_COUNT; from++)
		for (unsigned int to = 0; to < ANPU_PIPE_COUNT; to++)
			for (unsigned int n = 0; n < ANPU_EVENT_IDS; n++) {
				if (!b->flag[from][to][n])
					continue;
				core_fail(fault, ANPU_FAULT_SYNC,
					  "SETFLAG %s to %s event %u: still set at the block's end, where the next "
					  "kernel finds it; wait for it", names[from], names[to], n);
				fault->pc = b->check->flag[from][to][n].pc;
				return false;
			}
	return check_atomic_end(b, fault);
}

/* Sentences ---------------------------------------------------------------------------------------- */

void check_place(uint64_t va, char *text, size_t size)
{
#define X(name, base, bytes, ...) \
	if (va - (base) < (bytes)) { \
		snprintf(text, size, "%s+0x%llx", #name, (unsigned long long)(va - (base))); \
		return; \
	}
	ANPU_WINDOWS(X)
#undef X
	snprintf(text, size, "0x%llx", (unsigned long long)va);
}

/*
 * The instruction of an earlier operation, which was issued at this address: so it is a tile
 * operation.
 */
static const char *operation_at(struct core_block *b, uint64_t pc)
{
	const char *name = NULL;
	uint32_t word = check_word_at(b, pc);

	if ((word & 0x7f) == ANPU_OPC_TILE)
		name = tile_names[(word >> 25 & 3) << 3 | (word >> 12 & 7)];
	return name ? name : "the operation";
}

bool check_race(struct core_block *b, const char *name, const char *role, unsigned int engine,
		uint64_t va, uint64_t size, uint32_t access, uint64_t stamp, int32_t pc, bool wrote,
		struct core_fault *fault)
{
	uint64_t where = b->kernel->pkt.entry + (uint64_t)((int64_t)pc * 4);
	const char *other = CHECK_ENGINE(stamp) == CHECK_S ? "the store" : operation_at(b, where);
	char place[32];

	check_place(va, place, sizeof(place));
	core_fail(fault, ANPU_FAULT_RACE,
		  "%s %s %s%s%s before %s at 0x%llx has surely %s it; wait for a flag from %s to %s",
		  name, access & ANPU_ACCESS_WRITE ? "writes" : "reads", role, *role ? " " : "",
		  place, other, (unsigned long long)where, wrote ? "written" : "read",
		  engine_names[CHECK_ENGINE(stamp)], engine_names[engine]);
	return report(fault, va, size, access);
}

bool check_unwritten(struct core_block *b, const char *role, uint64_t va, uint64_t size,
		     struct core_fault *fault)
{
	const struct check *c = b->check;
	uint64_t first = va;
	char place[32];
	int64_t n;

	while (first < va + size - 1 && check_is_written(b, first, 1, false))
		first++;
	check_place(first, place, sizeof(place));
	n = check_number(first, 1);
	core_fail(fault, ANPU_FAULT_UNINITIALISED,
		  "%s: %s%s%s, byte %llu of %llu, was %s; %s",
		  c->name, role, *role ? " " : "", place, (unsigned long long)(first - va), (unsigned long long)size,
		  n >= 0 && c->owner[n] & CHECK_GIVEN_BACK ? "given back by FreeTensor(), and not written since" :
							     "never written by this block",
		  check_team_looks(b) ? "write it first, or add a barrier" : "load or compute it first");
	return report(fault, first, size - (first - va), ANPU_ACCESS_READ);
}
