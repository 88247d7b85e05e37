// SPDX-License-Identifier: MIT
/*
 * Random tile operations with operands that are often nearly right. Nothing may go wrong but by a
 * fault with a cause and a message, and the plain kernels must do what the host's do, bit for bit.
 *
 * As a program it runs random inputs (argument: how many); tests/fuzz builds it for libFuzzer, which
 * brings its own main().
 */
#include "tile_test.h"

#define FUZZ_GM		0x20000
#define OPS		4
/* In UB: a descriptor, then two lists of addresses */
#define DESC		0x2f000
#define LISTS		0x2f100
#define DESC_ROOM	0x300

struct input {
	const uint8_t *p;
	size_t left;
};

static uint64_t take(struct input *in, unsigned int bytes)
{
	uint64_t v = 0;

	if (bytes > in->left)
		bytes = (unsigned int)in->left;
	if (bytes)
		memcpy(&v, in->p, bytes);
	in->p += bytes;
	in->left -= bytes;
	return v;
}

/* mostly an address that the operand could have: in the right window, UB if it is 0 */
static uint64_t address(struct input *in, uint64_t window)
{
	static const uint32_t bases[] = { ANPU_UB_BASE, ANPU_L1_BASE, ANPU_L0A_BASE, ANPU_L0B_BASE,
		ANPU_L0C_BASE, ANPU_BT_BASE, ANPU_FB_BASE, ANPU_STACK_BASE };
	unsigned int kind = (unsigned int)take(in, 1), off = (unsigned int)take(in, 2);

	if (kind < 200)
		return (window ? window : ANPU_UB_BASE + (kind % 3) * 0x10000) +
		       (off & (kind & 1 ? 0x7c00 : 0x0fe0));
	if (kind < 230)
		return GM_BASE + off;
	if (kind < 250)
		return bases[kind % 8] + (uint64_t)(kind & 1 ? off : off & ~31u);
	return take(in, 8);
}

/* windows of the operands of operations that are not the vector unit's */
static uint64_t window(unsigned int op, unsigned int which, uint64_t r)
{
	switch (op) {
	case ANPU_TILE_DMA_LIN: case ANPU_TILE_DMA_BURST: case ANPU_TILE_DMA_PAD:
		return which ? (r & 1 ? GM_BASE : ANPU_L1_BASE) : 0;
	case ANPU_TILE_DMA_ATOM: return which ? 0 : GM_BASE;
	case ANPU_TILE_DMA_ND2NZ: return which ? GM_BASE : ANPU_L1_BASE;
	case ANPU_TILE_LOAD2D: return which ? ANPU_L1_BASE : r & 1 ? ANPU_L0A_BASE : ANPU_L0B_BASE;
	case ANPU_TILE_LOAD3D: return which ? ANPU_L1_BASE : ANPU_L0A_BASE;
	case ANPU_TILE_MMAD:
		return which == 0 ? ANPU_L0C_BASE : which == 1 ? ANPU_L0A_BASE : ANPU_L0B_BASE;
	case ANPU_TILE_FIXPIPE: return which ? ANPU_L0C_BASE : r & 1 ? GM_BASE : 0;
	default: return 0;
	}
}

/* every field is absent half the time, for most operations have no use for it */
static uint64_t control(struct input *in)
{
	uint64_t count = take(in, 1), have = take(in, 1), w = 0;

	if (count & 0x80)
		count = count == 0xff ? take(in, 4) : take(in, 2) & (have & 0x80 ? 0xffe0 : 0x1fff);
	w = count | take(in, 1) % 14 << ANPU_CTL_TYPE_SHIFT;
	if (have & 1)
		w |= take(in, 1) % 14 << ANPU_CTL_TYPE2_SHIFT;
	if (have & 2)
		w |= (take(in, 1) & (have & 4 ? 0x37 : 3)) << ANPU_CTL_SUB_SHIFT;
	if (have & 8)
		w |= (take(in, 1) & 7) << ANPU_CTL_ROUND_SHIFT;
	if ((have & 0x30) == 0x30)
		w |= 1ULL << (49 + take(in, 1) % 6);
	if (have == 0x7f)
		w |= take(in, 1) << 56;
	if (have & 0x40)
		w &= ~0xffffffffULL;
	return w;
}

/* what descriptors of some operations look like, to be changed here and there */
static void model(unsigned int op, uint8_t *d)
{
	struct anpu_rep_desc rep = { ANPU_CTL(64, ANPU_TYPE_F32, ANPU_BIN_ADD), ANPU_TILE_VBIN, 0, 3,
				     1, 1, 1, 8, 8, 8, 0 };
	struct anpu_mrg_desc mrg = { { { ANPU_UB_BASE, 5 }, { ANPU_UB_BASE + 64, 3 },
				       { ANPU_UB_BASE + 128, 7 }, { ANPU_UB_BASE + 256, 9 } } };
	struct anpu_nd2nz_desc nz = { 1, 20, 20, 0, 24, 32, 1, 0 };
	struct anpu_load3d_desc l3 = { 6, 5, 32, 64, 20, 0, 0, { 1, 1, 1, 1 }, 2, 2, 1, 1, 1, 1, { 0 } };
	struct anpu_fix_desc fix = { 20, 20, 32, 24, 1, 0, 0, 1, 0, 0, ANPU_FB_BASE, 0 };

	memcpy(d, op == ANPU_TILE_VREP ? (void *)&rep : op == ANPU_TILE_VMRG ? (void *)&mrg :
	       op == ANPU_TILE_DMA_ND2NZ ? (void *)&nz : op == ANPU_TILE_LOAD3D ? (void *)&l3 :
	       (void *)&fix, 32);
}

static void descriptor(struct input *in, unsigned int op)
{
	unsigned int changes = (unsigned int)take(in, 1) % 8;
	uint8_t *d = ub(DESC);

	model(op, d);
	if (op == ANPU_TILE_VREP) {
		static const uint8_t ops[] = { ANPU_TILE_VBIN, ANPU_TILE_VBINS, ANPU_TILE_VUN,
			ANPU_TILE_VTRI, ANPU_TILE_VCVT, ANPU_TILE_VDUP, ANPU_TILE_VCMP, ANPU_TILE_VSEL };
		struct anpu_rep_desc *rep = (struct anpu_rep_desc *)(void *)d;

		rep->op = ops[take(in, 1) % 8];
		rep->ctl = control(in);
		if (take(in, 1) & 1)
			rep->ctl = (rep->ctl & ~0xffffffffULL) | ANPU_CTL_MASK;
		if (take(in, 1) & 1)
			rep->src1_block = rep->src1_repeat = 0;
		if (rep->op == ANPU_TILE_VCMP)
			rep->dst_block = rep->dst_repeat = 0;
		if (rep->op == ANPU_TILE_VDUP)
			rep->src0_block = rep->src0_repeat = 0;
	}
	while (changes-- > 3)
		d[take(in, 1) % 32] = (uint8_t)take(in, 1);
}

/* Blocks of VTRANSB: at one distance, but for some */
static uint64_t list(struct input *in, unsigned int which)
{
	uint64_t first = UB(take(in, 2) * 32 % ANPU_UB_SIZE), step = take(in, 1) % 40 * 32;
	unsigned int changes = (unsigned int)take(in, 1) % 8;
	uint32_t at = LISTS + which * 0x100;

	for (unsigned int i = 0; i < 16; i++) {
		uint64_t block = first + i * step;

		memcpy(ub(at + i * 8), &block, sizeof(block));
	}
	while (changes-- > 5) {
		uint64_t block = take(in, 1) & 1 ? UB(take(in, 2)) : take(in, 8);

		memcpy(ub(at + take(in, 1) % 16 * 8), &block, sizeof(block));
	}
	return UB(at);
}

static uint64_t operand(struct input *in, unsigned int op, unsigned int which)
{
	static const char *const roles[][4] = {
#define X(name, number, pipe, rs1, rs2, rs3, rd, built, meaning) [number] = { rs1, rs2, rs3, rd },
		ANPU_TILE_OPS(X)
#undef X
	};
	const char *role = op < sizeof(roles) / sizeof(roles[0]) && roles[op][0] ? roles[op][which] : "0";

	if (take(in, 1) > 250)
		return take(in, 8);
	if (!strcmp(role, "0"))
		return 0;
	if (!strcmp(role, "ctl"))
		return control(in);
	if (!strcmp(role, "desc")) {
		descriptor(in, op);
		return UB(DESC);
	}
	if (!strcmp(role, "dsts") || !strcmp(role, "srcs"))
		return list(in, which);
	if (!strcmp(role, "repeats"))
		return ANPU_REPEATS(take(in, 1) % 9, take(in, 1) % 40, take(in, 1) % 40) | take(in, 1) % 5 << 48;
	if (!strcmp(role, "bytes"))
		return take(in, 1) * 32;
	if (!strcmp(role, "mmad"))
		return ANPU_MMAD(take(in, 1) % 70, take(in, 1) % 70, take(in, 1), take(in, 1) % 16,
				 take(in, 1) % 4);
	if (!strcmp(role, "shape"))
		return take(in, 1) & 1 ? ANPU_SHAPE(take(in, 1) % 50, take(in, 1) % 50) : 0;
	if (!strcmp(role, "bursts") || !strcmp(role, "load2d"))
		return ANPU_BURSTS(take(in, 1) % 9, take(in, 1) % 9, take(in, 1) % 9, take(in, 1) % 9);
	if (!strcmp(role, "padbursts"))
		return ANPU_PAD_BURSTS(take(in, 1) % 9, take(in, 1), take(in, 1) & 1 ? take(in, 1) % 33 : 0,
				       take(in, 1) & 1 ? take(in, 1) % 33 : take(in, 1) & 1 ? ANPU_PAD_FIRST(take(in, 1) % 5) : 0);
	if (!strcmp(role, "gaps"))
		return ANPU_PAD_GAPS(take(in, 1), take(in, 1));
	if (!strcmp(role, "scalar") || !strcmp(role, "pattern"))
		return take(in, 8);
	return address(in, window(op, which, take(in, 1)));
}

static void csrs(struct input *in)
{
	struct core_csrs *c = &test_block->csr;

	c->fpctl = take(in, 1) & 1;
	c->vmask[0] = take(in, 8);
	c->vmask[1] = take(in, 8);
	c->cmpmask[0] = take(in, 8);
	c->cmpmask[1] = ~c->cmpmask[0];
	c->padval = take(in, 8);
	c->atomic = take(in, 1) & 0x40 ? take(in, 2) & 0xf03 : 0;
	c->quant = take(in, 6);
	c->selmask = take(in, 1) & 1 ? UB(take(in, 1) * 32) : address(in, 0);
	c->bias = take(in, 1) & 1 ? ANPU_BT_BASE + take(in, 1) * 32 : address(in, 0);
}

/* Memory before and after ------------------------------------------------------------------------ */

static uint8_t *start_local, *start_gm, *host_local, *host_gm;
static const size_t local_size = LOCAL_END - LOCAL_BASE;

static void require(bool ok, const char *what, unsigned int op)
{
	if (ok)
		return;
	fprintf(stderr, "operation %u: %s: %s\n", op, what, test_fault.message);
	abort();
}

static void fuzz_init(void)
{
	test_init();
	start_local = malloc(local_size);
	start_gm = malloc(FUZZ_GM);
	host_local = malloc(local_size);
	host_gm = malloc(FUZZ_GM);
	if (!start_local || !start_gm || !host_local || !host_gm)
		exit(2);
	for (size_t i = 0; i < local_size; i += 4096)
		rnd_fill(test_block->local + i, ANPU_TYPE_F32, 512);
	for (size_t i = 2048; i < local_size; i += 4096)
		rnd_fill(test_block->local + i, ANPU_TYPE_F16, 1024);
	rnd_fill(gm(0), ANPU_TYPE_F32, FUZZ_GM / 4);
	memcpy(start_local, test_block->local, local_size);
	memcpy(start_gm, gm(0), FUZZ_GM);
}

/* pages that are marked as written: compare with the host's result, or put back */
static void each_page(void (*fn)(size_t offset, size_t size, void *arg), void *arg)
{
	for (size_t i = 0; i < LOCAL_PAGES; i++)
		if (test_block->dirty[i / 64] >> (i % 64) & 1)
			fn(i * PAGE_SIZE, PAGE_SIZE, arg);
}

static void save_page(size_t at, size_t size, void *arg)
{
	memcpy(host_local + at, test_block->local + at, size);
}

static void check_page(size_t at, size_t size, void *arg)
{
	bool *same = arg;

	*same = *same && !memcmp(host_local + at, test_block->local + at, size);
}

static void restore_page(size_t at, size_t size, void *arg)
{
	memcpy(test_block->local + at, start_local + at, size);
}

/* nothing but the destination may have changed; between L1 and L0A MMAD keeps wide fractals */
static void check_unmarked(unsigned int op)
{
	const size_t hole = (ANPU_L1_BASE + ANPU_L1_SIZE - LOCAL_BASE) / PAGE_SIZE;
	const size_t l0a = (ANPU_L0A_BASE - LOCAL_BASE) / PAGE_SIZE;

	for (size_t i = 0; i < LOCAL_PAGES; i++)
		if (!(test_block->dirty[i / 64] >> (i % 64) & 1) && (i < hole || i >= l0a))
			require(!memcmp(test_block->local + i * PAGE_SIZE, start_local + i * PAGE_SIZE,
					PAGE_SIZE), "wrote without marking the page", op);
}

static void restore(void)
{
	each_page(restore_page, NULL);
	memset(test_block->dirty, 0, sizeof(test_block->dirty));
	memset(test_block->l0_type, 0, sizeof(test_block->l0_type));
	memcpy(gm(0), start_gm, FUZZ_GM);
}

/* operations that were not refused */
static unsigned long done[32];

static void one(struct input *in)
{
	unsigned int op = (unsigned int)take(in, 1) % 32;
	struct core_csrs csr, after;
	uint8_t desc[DESC_ROOM];
	uint64_t r[4];
	bool host, same = true;

	csrs(in);
	for (unsigned int i = 0; i < 4; i++)
		r[i] = operand(in, op, i);
	memcpy(desc, ub(DESC), sizeof(desc));
	csr = test_block->csr;
	host = run(op, r[0], r[1], r[2], r[3]);
	require(host || (test_fault.cause && *test_fault.message), "a fault without a cause", op);
	require(test_block->tile_cost > 0, "no cost", op);
	done[op] += host;
	after = test_block->csr;
	each_page(save_page, NULL);
	memcpy(host_gm, gm(0), FUZZ_GM);
	/* descriptor and lists were put there without marking the page */
	memcpy(start_local + (ANPU_UB_BASE - LOCAL_BASE) + DESC, desc, sizeof(desc));
	if (take(in, 1) == 0)
		check_unmarked(op);
	for (unsigned int set = 1; tile_kernel_set(set); set++) {
		restore();
		test_block->csr = csr;
		tile_force(set);
		require(host == run(op, r[0], r[1], r[2], r[3]), "kernels differ in faulting", op);
		each_page(check_page, &same);
		require(same && !memcmp(host_gm, gm(0), FUZZ_GM), "kernels differ", op);
		require(!memcmp(&after, &test_block->csr, sizeof(after)), "CSRs differ", op);
	}
	tile_force(0);
	restore();
	test_block->csr = csr;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };

	if (!test_block)
		fuzz_init();
	for (int i = 0; i < OPS && in.left; i++)
		one(&in);
	return 0;
}

#ifndef TILE_LIBFUZZER
int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 20000;
	uint8_t data[512];

	for (long i = 0; i < n; i++) {
		for (size_t j = 0; j < sizeof(data); j += 8) {
			uint64_t r = rnd();

			memcpy(data + j, &r, 8);
		}
		LLVMFuzzerTestOneInput(data, sizeof(data));
	}
	tap_ok(true, "%ld random inputs", n);
	for (unsigned int op = 0; op <= ANPU_TILE_FIXPIPE; op++)
		tap_ok(done[op] > 0, "operation %u was accepted %lu times", op, done[op]);
	return tap_end();
}
#endif
