// SPDX-License-Identifier: MIT
/* Kernels and blocks: how they are made, run and pooled. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "check/check.h"
#include "soft_fp.h"
#include "sync.h"
#include "threads.h"

#define LOCAL_BYTES	((size_t)LOCAL_PAGES << PAGE_SHIFT)
#define POOL_MAX	32	/* idle blocks kept per address space */
#define LIVE_MAX	4096	/* blocks at once: each may hold a megabyte of the host's memory */

bool core_kernel_init(struct core_kernel *k, struct core_fault *fault)
{
	const struct anpu_pkt_kernel *p = &k->pkt;

	if ((p->entry & 3) || (p->aiv_entry & 3))
		return core_fail(fault, ANPU_FAULT_BAD_PACKET,
				 "kernel entry 0x%llx (%+d for vector cores) is not 4-byte aligned",
				 (unsigned long long)p->entry, p->aiv_entry);
	if (p->dyn_scratch > ANPU_UB_SIZE)
		return core_fail(fault, ANPU_FAULT_BAD_PACKET,
				 "dyn_scratch of %u bytes exceeds the unified buffer of %u",
				 p->dyn_scratch, ANPU_UB_SIZE);
	if (k->launch.static_scratch > ANPU_UB_SIZE - p->dyn_scratch)
		return core_fail(fault, ANPU_FAULT_BAD_PACKET,
				 "%u bytes of static and %u of dynamic shared memory exceed the unified buffer of %u",
				 k->launch.static_scratch, p->dyn_scratch, ANPU_UB_SIZE);
	if (p->hdr.flags & ANPU_KERNEL_CODE_SYNC)
		code_cache_invalidate(k->code);
	return sync_init(k, fault);
}

void core_kernel_fini(struct core_kernel *k)
{
	sync_fini(k);
}

unsigned int core_sub_blocks(const struct anpu_pkt_kernel *pkt)
{
	return pkt->core_type == ANPU_CORE_MIX ? 1u + pkt->mix_ratio : 1u;
}

static struct core_block *block_alloc(void)
{
	struct core_block *b = calloc(1, sizeof(*b));
	unsigned int n;

	if (!b)
		return NULL;
	b->local = mmap(NULL, LOCAL_BYTES, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (b->local == MAP_FAILED) {
		free(b);
		return NULL;
	}
	for (n = 0; n < TLB_SIZE; n++) {
		b->tlb[n].rtag = TLB_NONE;
		b->tlb[n].wtag = TLB_NONE;
	}
	tlb_near_clear(b);
	return b;
}

void core_block_destroy(struct core_block *b)
{
	threads_free(b);
	munmap(b->local, LOCAL_BYTES);
	free(b->step_page);
	free(b);
}

static void block_gone(struct code_cache *c)
{
	pthread_mutex_lock(&c->lock);
	c->live--;
	pthread_mutex_unlock(&c->lock);
}

static struct core_block *pool_take(struct code_cache *c)
{
	struct core_block *b = NULL;
	bool room;

	pthread_mutex_lock(&c->lock);
	room = c->live < LIVE_MAX;
	if (room) {
		c->live++;
		b = c->pool;
		if (b) {
			c->pool = b->next;
			c->pooled--;
		}
	}
	pthread_mutex_unlock(&c->lock);
	if (b || !room)
		return b;
	b = block_alloc();
	if (!b)
		block_gone(c);
	return b;
}

/* Give everything that an operator can see the state of a new core. */
static void block_reset(struct core_block *b)
{
	const struct anpu_pkt_kernel *p = &b->kernel->pkt;

	clear(b->x, sizeof(b->x));
	clear(b->f, sizeof(b->f));
	clear(&b->csr, sizeof(b->csr));
	clear(&b->ahead, sizeof(b->ahead));
	b->written = 0;
	b->csr.fpctl = p->hdr.flags & ANPU_KERNEL_SATURATE ? ANPU_FPCTL_SATURATE : 0;
	b->csr.vmask[0] = ~0ULL;
	b->csr.vmask[1] = ~0ULL;
	b->watch = p->hdr.flags & ANPU_KERNEL_OVERFLOW;
	b->overflow = 0;
	b->fflags_told = 0;
	b->frm = 0;
	b->fflags = 0;
	b->retired = 0;
	b->tiles = 0;
	if (unlikely(b->kernel->time_pipes))
		memset(b->pipe_ns, 0, sizeof(b->pipe_ns));
	b->operations = NULL;
	b->wait = 0;
	if (b->flags_used)
		memset(b->flag, 0, sizeof(b->flag));
	b->flags_used = false;
	b->x[1] = ANPU_EXIT_PC;
	b->x[2] = ANPU_STACK_TOP;
	b->x[10] = p->args;
	b->x[11] = p->args_size;
	b->pc = p->entry;
	b->core_type = p->core_type;
	b->reserved_va = ~0ULL;
	b->triggered = false;
	b->cluster = NULL;
	if (p->core_type == ANPU_CORE_MIX) {
		b->core_type = b->sub_block ? ANPU_CORE_AIV : ANPU_CORE_AIC;
		if (b->sub_block)
			b->pc += (uint64_t)(int64_t)p->aiv_entry;
	}
	b->no_cube = core_lacks_cube(b);
}

static void place(uint32_t to[3], uint32_t n, const uint32_t dim[3])
{
	if (n < dim[0]) {
		to[0] = n;
		return;
	}
	to[0] = n % dim[0];
	to[1] = n / dim[0] % dim[1];
	to[2] = n / dim[0] / dim[1];
}

static uint32_t at_least_one(uint32_t n)
{
	return n ? n : 1;
}

/*
 * A kernel with a struct anpu_kernel_launch: tell the block where it is, and give it its threads. Its local memory is
 * zero, so that fields which stay zero need not be written.
 */
static bool block_launch(struct core_block *b)
{
	const struct anpu_kernel_launch *l = &b->kernel->launch;
	const struct anpu_pkt_kernel *p = &b->kernel->pkt;
	struct anpu_block_info *info = (struct anpu_block_info *)local_ptr(b, ANPU_INFO_BASE);
	const uint32_t grid[3] = { p->grid_x, p->grid_y, p->grid_z };
	const uint32_t dim[3] = { l->block_x, l->block_y, l->block_z };
	const uint32_t cluster[3] = { at_least_one(p->cluster_x), at_least_one(p->cluster_y), at_least_one(p->cluster_z) };
	unsigned int n;

	b->launched = true;
	place(info->block_idx, b->block, grid);
	for (n = 0; n < 3; n++) {
		info->grid_dim[n] = grid[n];
		info->block_dim[n] = dim[n];
		info->cluster_dim[n] = cluster[n];
		if (cluster[n] > 1)
			info->cluster_idx[n] = info->block_idx[n] % cluster[n];
	}
	info->threads = dim[0] * dim[1] * dim[2];
	info->cluster_rank = info->cluster_idx[0] + cluster[0] * (info->cluster_idx[1] + cluster[1] * info->cluster_idx[2]);
	info->cluster_blocks = cluster[0] * cluster[1] * cluster[2];
	info->dynamic = ANPU_UB_BASE + ANPU_UB_SIZE - p->dyn_scratch;
	info->dynamic_size = p->dyn_scratch;
	info->cooperative = p->sched_mode == ANPU_SCHED_BATCH;
	b->x[2] = ANPU_INFO_BASE;
	b->x[4] = ANPU_UB_BASE;
	return info->threads == 1 || threads_begin(b, dim);
}

struct core_block *block_new(struct core_kernel *k, uint32_t block, uint32_t sub_block, uint32_t core)
{
	struct core_block *b;

	if (k->spare && k->spare->block) {
		b = k->spare->block;
		k->spare->block = NULL;
	} else {
		b = pool_take(k->code);
	}
	if (!b)
		return NULL;
	if (unlikely(k->pkt.hdr.flags & ANPU_KERNEL_CHECK)) {
		b->check = check_new();
		if (!b->check) {
			core_block_destroy(b);
			block_gone(k->code);
			return NULL;
		}
	}
	b->kernel = k;
	b->tool = NULL;
	b->attended = false;
	b->block = block;
	b->sub_block = sub_block;
	b->core = core;
	block_reset(b);
	if (k->launch.size && !block_launch(b)) {
		block_end(b);
		return NULL;
	}
	return b;
}

struct core_block *core_block_new(struct core_kernel *k, uint32_t block, uint32_t sub_block,
				  uint32_t core)
{
	struct core_block *b = core_cluster_blocks(k) > 1 ? cluster_block(k, block, sub_block, core) :
							   block_new(k, block, sub_block, core);

	if (b && k->launch.flags & ANPU_LAUNCH_TRIGGER_AT_START && k->launch.size)
		(void)sync_trigger(b);
	return b;
}

void block_pool(struct code_cache *c, struct core_block *b)
{
	bool keep;

	pthread_mutex_lock(&c->lock);
	c->live--;
	keep = c->pooled < POOL_MAX;
	if (keep) {
		b->next = c->pool;
		c->pool = b;
		c->pooled++;
	}
	pthread_mutex_unlock(&c->lock);
	if (!keep)
		core_block_destroy(b);
}

void block_end(struct core_block *b)
{
	struct core_kernel *k;

	check_free(b->check);
	b->check = NULL;
	local_clean(b);
	if (unlikely(b->spare_threads))
		threads_clean(b);
	k = b->kernel;
	b->kernel = NULL;
	if (k->spare && !k->spare->block)
		k->spare->block = b;
	else
		block_pool(k->code, b);
}

/* The decoded code that the block runs, which it still has if its run was left in the middle */
static void let_code_go(struct core_block *b)
{
	if (b->gen && !sync_kept(b->kernel, b->gen))
		code_gen_put(b->kernel->code, b->gen);
	b->gen = NULL;
}

void core_block_free(struct core_block *b)
{
	if (!b)
		return;
	let_code_go(b);
	sync_block_gone(b);
	(void)sync_trigger(b);
	if (!b->cluster || cluster_gone(b))
		block_end(b);
}

void core_block_again(struct core_block *b, uint32_t block)
{
	struct core_kernel *k = b->kernel;

	sync_block_gone(b);
	(void)sync_trigger(b);
	local_clean(b);
	if (b->spare_threads)
		threads_clean(b);
	b->block = block;
	block_reset(b);
	/* cannot fail, as it has its threads' memory */
	if (k->launch.size)
		(void)block_launch(b);
	if (k->launch.flags & ANPU_LAUNCH_TRIGGER_AT_START && k->launch.size)
		(void)sync_trigger(b);
}

/* The program counter has left the code: it says nothing of who jumped there, but the last call may */
static void name_call(struct core_block *b, struct core_fault *fault)
{
	const uint64_t at = b->x[1] - 4;
	const uint32_t mask = 0xff7, call = 0x0e7; /* jal and jalr with rd = ra: they differ in one bit */
	size_t used = strlen(fault->message);

	if (at >= ANPU_GM_BASE && !(at & 3) && (check_word_at(b, at) & mask) == call)
		snprintf(fault->message + used, sizeof(fault->message) - used, "; the last call was at 0x%llx",
			 (unsigned long long)at);
}

enum core_result core_block_run(struct core_block *b, struct mmu *mmu, uint64_t budget_ns,
				struct core_fault *fault)
{
	struct core_kernel *k = b->kernel;
	enum core_result r;

	if (b->check || !mmu_stamp(mmu) || b->tlb_stamp != mmu_stamp(mmu) || b->tlb_mmu != mmu)
		tlb_flush(b);
	/* whoever leaves this function in the middle, as guards of the host's memory do, leaves no translations */
	b->tlb_stamp = 0;
	b->mmu = mmu;
	b->gen = sync_code(k, &b->gen_serial);
	if (unlikely(!b->gen))
		b->gen = code_gen_get(k->code, &b->gen_serial);
	r = exec_run(b, budget_ns, fault);
	if (unlikely(b->check) && r == CORE_DONE)
		check_parts(b);
	if (unlikely(b->check) && r == CORE_DONE && (!check_end(b, fault) || !sync_left(b, fault)))
		r = CORE_FAULT;
	if (unlikely(r == CORE_FAULT) && fault->cause == ANPU_FAULT_FETCH)
		name_call(b, fault);
	let_code_go(b);
	b->mmu = NULL;
	tlb_keep(b, mmu);
	if (r == CORE_FAULT) {
		memcpy(fault->x, b->x, sizeof(fault->x));
		fault->x[0] = b->retired;
		if (unlikely(b->threads))
			thread_name(b, fault);
	}
	return r;
}

void block_note_fflags(struct core_block *b, uint32_t flags)
{
	uint32_t fresh = flags & ~(uint32_t)b->fflags_told;

	if (fresh & (FP_OF | FP_DZ))
		b->overflow |= ANPU_OVERFLOW_INFINITE;
	if (fresh & FP_NV)
		b->overflow |= ANPU_OVERFLOW_INVALID;
	b->fflags_told |= (uint8_t)flags;
}

uint32_t core_block_overflow(struct core_block *b)
{
	uint32_t seen;

	if (!b->watch)
		return 0;
	block_note_fflags(b, b->fflags);
	seen = b->overflow;
	b->overflow = 0;
	return seen;
}

void core_block_where(const struct core_block *b, struct core_fault *fault)
{
	fault->pc = b->pc;
	memcpy(fault->x, b->x, sizeof(fault->x));
	fault->x[0] = b->retired;
}

void core_block_counts(const struct core_block *b, struct core_counts *counts)
{
	counts->insns = b->retired;
	counts->tiles = b->tiles;
}
