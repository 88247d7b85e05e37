// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>

#include "rig.h"

void *mmu_access(struct mmu *mmu, uint64_t va, uint32_t access, uint64_t *span,
		 struct core_fault *fault)
{
	mmu->accesses++;
	for (unsigned int n = 0; n < 3; n++) {
		struct region *r = &mmu->region[n];

		if (va - r->va >= r->size)
			continue;
		if (access & ~r->rights) {
			core_fail(fault, ANPU_FAULT_PERMISSION, "fake: no right %u", access);
			break;
		}
		*span = r->size - (va - r->va);
		if (mmu->span_limit && *span > mmu->span_limit)
			*span = mmu->span_limit;
		return r->host + (va - r->va);
	}
	if (fault->cause != ANPU_FAULT_PERMISSION)
		core_fail(fault, ANPU_FAULT_UNMAPPED, "fake: 0x%llx is not mapped",
			  (unsigned long long)va);
	fault->addr = va;
	fault->access = access;
	return NULL;
}

bool mmu_page_whole(struct mmu *mmu, uint64_t va)
{
	return !mmu->part || va / PAGE_SIZE != mmu->part / PAGE_SIZE;
}

uint64_t mmu_stamp(const struct mmu *mmu)
{
	return mmu->stamp;
}

bool mmu_poll(struct mmu *mmu)
{
	mmu->polls++;
	if (!mmu->drops)
		return false;
	mmu->drops--;
	if (mmu->spare) {
		struct region *data = &mmu->region[1];
		uint8_t *old = data->host;

		memcpy(mmu->spare, old, data->size);
		memset(old, 0xee, data->size);
		data->host = mmu->spare;
		mmu->spare = old;
	}
	return true;
}

static uint64_t fake_clock(void *ctx)
{
	struct rig *r = ctx;

	/* blocks of several threads may share a rig */
	return __atomic_add_fetch(&r->now, r->tick, __ATOMIC_RELAXED);
}

static bool fake_print(void *ctx, struct mmu *mmu, const struct core_text *t,
		       struct core_fault *fault)
{
	struct rig *r = ctx;

	(void)mmu;
	if (r->print_fails) {
		*fault = (struct core_fault){ .cause = ANPU_FAULT_UNMAPPED, .addr = 0x1234,
					      .message = "no buffer" };
		return false;
	}
	if (r->printed_len + t->len < sizeof(r->printed)) {
		memcpy(r->printed + r->printed_len, t->text, t->len);
		r->printed_len += t->len;
	}
	return true;
}

static void die(const char *what)
{
	printf("Bail out! %s\n", what);
	exit(1);
}

void rig_init(struct rig *r)
{
	static const struct { uint64_t va; uint32_t rights; } regions[3] = {
		{ CODE_VA, ANPU_ACCESS_READ | ANPU_ACCESS_FETCH },
		{ DATA_VA, ANPU_ACCESS_READ | ANPU_ACCESS_WRITE },
		{ RO_VA, ANPU_ACCESS_READ },
	};

	memset(r, 0, sizeof(*r));
	for (unsigned int n = 0; n < 3; n++) {
		r->mmu.region[n] = (struct region){ .va = regions[n].va, .size = REGION_BYTES,
						    .host = calloc(1, REGION_BYTES),
						    .rights = regions[n].rights };
		if (!r->mmu.region[n].host)
			die("no memory");
	}
	r->k.pkt = (struct anpu_pkt_kernel){ .hdr = { .opcode = ANPU_OP_KERNEL, .task_id = 77 },
					     .entry = CODE_VA, .args = DATA_VA, .args_size = 64,
					     .grid_x = 4, .grid_y = 3, .grid_z = 2 };
	r->k.code = code_cache_new();
	r->k.clock = fake_clock;
	r->k.clock_ctx = r;
	r->k.print = fake_print;
	r->k.print_ctx = r;
	r->k.cores = 8;
	r->tick = 1000;
	if (!r->k.code || !core_kernel_init(&r->k, &r->fault))
		die("core_kernel_init");
}

void rig_fini(struct rig *r)
{
	core_block_free(r->b);
	core_kernel_fini(&r->k);
	code_cache_free(r->k.code);
	for (unsigned int n = 0; n < 3; n++)
		free(r->mmu.region[n].host);
}

void rig_block(struct rig *r, uint64_t pc)
{
	core_block_free(r->b);
	r->k.pkt.entry = pc;
	r->b = core_block_new(&r->k, 5, 0, 3);
	if (!r->b)
		die("core_block_new");
	memset(&r->fault, 0, sizeof(r->fault));
}

void rig_code(struct rig *r, unsigned int offset, const uint32_t *words, unsigned int n)
{
	memcpy(r->mmu.region[0].host + offset, words, n * 4);
	code_cache_invalidate(r->k.code);
}

enum core_result rig_run(struct rig *r)
{
	return core_block_run(r->b, &r->mmu, ~0ULL >> 1, &r->fault);
}

enum core_result rig_one(struct rig *r, uint32_t word, void (*setup)(struct core_block *b, void *ctx),
			 void *ctx)
{
	const uint32_t code[2] = { word, RET };

	rig_code(r, 0, code, 2);
	rig_block(r, CODE_VA);
	if (setup)
		setup(r->b, ctx);
	return rig_run(r);
}

uint8_t *rig_data(struct rig *r)
{
	return r->mmu.region[1].host;
}

/* TAP ------------------------------------------------------------------------------------------ */

static unsigned int tap_count, tap_failed;

bool tap_ok(bool ok, const char *format, ...)
{
	va_list ap;

	printf("%sok %u - ", ok ? "" : "not ", ++tap_count);
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	putchar('\n');
	tap_failed += !ok;
	return ok;
}

void tap_skip(const char *name, const char *why)
{
	printf("ok %u - %s # SKIP %s\n", ++tap_count, name, why);
}

void tap_note(const char *format, ...)
{
	va_list ap;

	printf("# ");
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	putchar('\n');
}

int tap_done(void)
{
	printf("1..%u\n", tap_count);
	return tap_failed != 0;
}

uint64_t rnd(void)
{
	static uint64_t s = 0x9e3779b97f4a7c15ULL;

	/* xorshift64* */
	s ^= s >> 12;
	s ^= s << 25;
	s ^= s >> 27;
	return s * 0x2545f4914f6cdd1dULL;
}
