// SPDX-License-Identifier: MIT
/*
 * libFuzzer target: arbitrary words as code of the AI core, decoder, interpreter, translator and all
 * tile and system operations behind them, with registers that point at the borders of every kind of
 * memory. What ran at full speed runs again instruction by instruction, and must end the same.
 */
#include "fuzz.h"
#include "rig.h"

#define MAX_WORDS	1024
/* longer runs are not repeated */
#define MAX_STEPS	6000

static const uint64_t places[] = {
	DATA_VA, DATA_VA + REGION_BYTES - 64, RO_VA, CODE_VA, ANPU_UB_BASE, ANPU_UB_BASE + ANPU_UB_SIZE - 256,
	ANPU_L1_BASE, ANPU_L0A_BASE, ANPU_L0B_BASE, ANPU_L0C_BASE, ANPU_BT_BASE, ANPU_FB_BASE,
	ANPU_STACK_BASE, DATA_VA + 4096 - 8,
};

/** struct after - what a run leaves behind */
struct after {
	enum core_result result;
	uint64_t x[32];
	uint64_t f[32];
	uint64_t pc, retired, tiles;
	uint32_t frm, fflags;
	struct core_csrs csr;
	struct core_fault fault;
	size_t printed_len;
	uint64_t dirty[(LOCAL_PAGES + 63) / 64];
	uint8_t data[REGION_BYTES];
	uint8_t local[LOCAL_PAGES * PAGE_SIZE];
};

static struct rig r;
static struct after fast, slow;
static uint8_t first_data[REGION_BYTES];

static void init(void)
{
	rig_init(&r);
	for (size_t i = 0; i < REGION_BYTES; i += 8) {
		uint64_t v = i & 0x1000 ? rnd() : rnd() & 0xff;

		memcpy(first_data + i, &v, 8);
	}
}

/* The same state each time: only the input decides. */
static void prepare(const uint8_t *data)
{
	core_block_free(r.b);
	r.b = NULL;
	core_kernel_fini(&r.k);
	require(core_kernel_init(&r.k, &r.fault), "no kernel");
	rig_block(&r, CODE_VA);
	memcpy(rig_data(&r), first_data, REGION_BYTES);
	r.printed_len = 0;
	for (unsigned int k = 5; k < 32; k++) {
		uint8_t c = data[k % 16];

		r.b->x[k] = k & 1 ? places[c % (sizeof(places) / sizeof(places[0]))] + (c >> 4) * 32 : c * k;
		r.b->f[k] = r.b->x[k] * 0x9e3779b97f4a7c15ULL;
	}
	r.mmu.span_limit = data[1] & 1 ? 4096 : 0;
	r.mmu.drops = data[2] & 3;
}

static bool is_dirty(const struct after *a, size_t page)
{
	return a->dirty[page / 64] >> (page % 64) & 1;
}

static void look(struct after *a, enum core_result result)
{
	a->result = result;
	memcpy(a->x, r.b->x, sizeof(a->x));
	memcpy(a->f, r.b->f, sizeof(a->f));
	a->pc = result == CORE_FAULT ? r.fault.pc : r.b->pc;
	a->retired = r.b->retired;
	a->tiles = r.b->tiles;
	a->frm = r.b->frm;
	a->fflags = r.b->fflags;
	a->csr = r.b->csr;
	a->fault = r.fault;
	a->printed_len = r.printed_len;
	memcpy(a->dirty, r.b->dirty, sizeof(a->dirty));
	memcpy(a->data, rig_data(&r), REGION_BYTES);
	for (size_t p = 0; p < LOCAL_PAGES; p++)
		if (is_dirty(a, p))
			memcpy(a->local + p * PAGE_SIZE, r.b->local + p * PAGE_SIZE, PAGE_SIZE);
}

/* state that no run may leave behind */
static void check_after(const struct after *a)
{
	require(a->x[0] == 0, "x0 is 0x%llx", (unsigned long long)a->x[0]);
	require(!r.b->tlb_count, "translations are kept between runs");
	if (a->result != CORE_FAULT)
		return;
	require(a->fault.cause > ANPU_FAULT_NONE && a->fault.cause < ANPU_FAULT_COUNT, "no cause");
	require(a->fault.message[0] && memchr(a->fault.message, 0, sizeof(a->fault.message)), "no message");
	require(a->fault.x[0] == a->retired, "x[0] is not the count of instructions");
}

static const uint8_t *page_of(const struct after *a, size_t p)
{
	static const uint8_t zeroes[PAGE_SIZE];

	return is_dirty(a, p) ? a->local + p * PAGE_SIZE : zeroes;
}

static void compare(void)
{
	const char *text = fast.fault.message;

	require(fast.result == slow.result, "it ends as %d, by steps as %d", fast.result, slow.result);
	require(fast.pc == slow.pc && fast.retired == slow.retired && fast.tiles == slow.tiles,
		"pc 0x%llx after %llu, by steps 0x%llx after %llu", (unsigned long long)fast.pc,
		(unsigned long long)fast.retired, (unsigned long long)slow.pc,
		(unsigned long long)slow.retired);
	for (unsigned int i = 0; i < 32; i++)
		require(fast.x[i] == slow.x[i] && fast.f[i] == slow.f[i],
			"x%u 0x%llx, f%u 0x%llx, by steps 0x%llx, 0x%llx", i,
			(unsigned long long)fast.x[i], i, (unsigned long long)fast.f[i],
			(unsigned long long)slow.x[i], (unsigned long long)slow.f[i]);
	require(fast.frm == slow.frm && fast.fflags == slow.fflags &&
		!memcmp(&fast.csr, &slow.csr, sizeof(fast.csr)), "CSRs differ (fflags %u, by steps %u)",
		fast.fflags, slow.fflags);
	require(fast.result != CORE_FAULT || !strcmp(text, slow.fault.message), "fault '%s', by steps '%s'",
		text, slow.fault.message);
	require(!memcmp(fast.data, slow.data, REGION_BYTES), "global memory differs");
	require(fast.printed_len == slow.printed_len, "output differs");
	for (size_t p = 0; p < LOCAL_PAGES; p++)
		if (is_dirty(&fast, p) || is_dirty(&slow, p))
			require(!memcmp(page_of(&fast, p), page_of(&slow, p), PAGE_SIZE),
				"core-local memory differs at 0x%zx", LOCAL_BASE + p * PAGE_SIZE);
}

/* The clock advances with every read, so programs that read the time are not run a second time. */
static bool asks_time(const uint32_t *code, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((code[i] & 0x7f) == 0x73 && code[i] >> 20 == ANPU_CSR_time)
			return true;
	return false;
}

static void repeat(const uint8_t *data)
{
	enum core_result result;

	prepare(data);
	do
		result = core_block_step(r.b, &r.mmu, &r.fault);
	while (result == CORE_MORE && r.b->retired <= MAX_STEPS &&
	       (fast.result != CORE_MORE || r.b->retired < fast.retired));
	look(&slow, result);
	compare();
}

/* The first 16 bytes choose registers and more, the rest is code. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t code[MAX_WORDS];
	size_t n;

	if (size < 20)
		return 0;
	if (!r.k.code)
		init();
	n = (size - 16) / 4 < MAX_WORDS - 1 ? (size - 16) / 4 : MAX_WORDS - 1;
	memcpy(code, data + 16, n * 4);
	code[n] = RET;
	code_cache_set_jit(r.k.code, data[3] & 3 ? CORE_JIT_EAGER : data[3] & 4 ? CORE_JIT_ON : CORE_JIT_OFF);
	rig_code(&r, 0, code, (unsigned int)n + 1);
	prepare(data);
	look(&fast, core_block_run(r.b, &r.mmu, 4000, &r.fault));
	check_after(&fast);
	if (fast.retired <= MAX_STEPS && !asks_time(code, n))
		repeat(data);
	return 0;
}
