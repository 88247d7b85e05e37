// SPDX-License-Identifier: MIT
/* Operators for the tests of the whole model: what blocks do to each other, and what takes long. */
#include <anpu/anpu_intrin.h>

/* Scheduling --------------------------------------------------------------------------------------- */

ANPU_KERNEL void mark(volatile uint64_t *out)
{
	out[anpu_block_idx()] = anpu_block_idx() + 1;
}

/* until another kernel, or the host, writes */
ANPU_KERNEL void until(volatile uint64_t *flag)
{
	while (!*flag)
		;
}

/* says that it runs, then waits: kernels that wait for each other must run at the same time */
ANPU_KERNEL void meet(volatile uint64_t *mine, volatile uint64_t *theirs)
{
	*mine = 1;
	anpu_dcci((const void *)mine, 8);
	while (!*theirs)
		;
}

/* @n times round, then the time */
ANPU_KERNEL void work(volatile uint64_t *out, uint64_t n)
{
	while (n--)
		__asm__ volatile("");
	out[anpu_block_idx()] = anpu_time_ns();
}

ANPU_KERNEL void forever(void)
{
	for (;;)
		__asm__ volatile("");
}

/* Sums of floats whose last bits depend on the order: each block adds its part to one number. */
ANPU_KERNEL void float_sum(const float *in, float *sum, uint64_t n)
{
	float *tile = (float *)ANPU_UB(0);
	uint64_t i, first, mine = anpu_share(n, 1, &first);

	for (i = 0; i < mine; i++) {
		tile[0] = in[first + i] * 1.0001f;
		anpu_dma_atom(sum, tile, ANPU_CTL(1, ANPU_TYPE_F32, ANPU_ATOM_ADD));
	}
}

/* Whole numbers, of 4 bytes and of 1: any order gives the same, a lost update does not. */
ANPU_KERNEL void count_up(int32_t *words, int8_t *bytes, uint64_t rounds)
{
	int32_t *tile = (int32_t *)ANPU_UB(0);
	int8_t *small = (int8_t *)ANPU_UB(4096);
	uint64_t i;

	for (i = 0; i < 64; i++) {
		tile[i] = 1;
		small[i] = 1;
	}
	for (i = 0; i < rounds; i++) {
		anpu_dma_atom(words, tile, ANPU_CTL(64, ANPU_TYPE_S32, ANPU_ATOM_ADD));
		anpu_dma_atom(bytes, small, ANPU_CTL(64, ANPU_TYPE_S8, ANPU_ATOM_ADD));
	}
}

ANPU_KERNEL void say(uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		anpu_printf("%u of %u: %u\n", anpu_block_idx(), anpu_block_num(), (uint32_t)i);
}

/* Synchronisation -------------------------------------------------------------------------------------- */

/* Each round every block adds one; behind the barrier all must see all. */
ANPU_KERNEL void rounds(volatile uint64_t *slots, volatile uint64_t *bad, uint64_t n)
{
	uint64_t r, i, me = anpu_block_idx(), all = anpu_block_num();

	for (r = 1; r <= n; r++) {
		slots[me] = r;
		anpu_syncall(ANPU_SYNC_ALL);
		for (i = 0; i < all; i += 1 + all / 16)
			if (slots[i] < r)
				bad[0] = me + 1;
		anpu_syncall(ANPU_SYNC_ALL);
	}
}

/* the first @n blocks leave, the others wait for all */
ANPU_KERNEL void leave(uint64_t n)
{
	if (anpu_block_idx() < n)
		return;
	anpu_syncall(ANPU_SYNC_ALL);
}

ANPU_KERNEL void wait_only(uint64_t flag)
{
	if (flag == 7)
		anpu_xwait(7, ANPU_CROSS_ALL);
	else
		anpu_xwait(3, ANPU_CROSS_ALL);
}

/* block 0 waits for flag 2 and the others for flag 5, which only the waiters would set */
ANPU_KERNEL void crossed(void)
{
	if (anpu_block_idx() == 0) {
		anpu_xwait(2, ANPU_CROSS_ALL);
		anpu_xset(5, ANPU_CROSS_ALL);
	} else {
		anpu_xwait(5, ANPU_CROSS_ALL);
		anpu_xset(2, ANPU_CROSS_ALL);
	}
}

/* block 0 sets a flag @n times that no other block waits for */
ANPU_KERNEL void set_often(uint64_t n)
{
	while (anpu_block_idx() == 0 && n--)
		anpu_xset(4, ANPU_CROSS_ALL);
}

/* waits as often as it sets, @n times: no set is lost, none counts twice */
ANPU_KERNEL void set_and_wait(volatile uint64_t *out, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		anpu_xset(1, ANPU_CROSS_ALL);
		anpu_xwait(1, ANPU_CROSS_ALL);
	}
	out[anpu_block_idx()] = n;
}

/* A MIX pair: the cube part makes, the vector parts take, through memory and flags of mode GROUP. */
ANPU_KERNEL void pair_mix_aic(volatile uint64_t *box, volatile uint64_t *out, uint64_t n)
{
	for (uint64_t i = 1; i <= n; i++) {
		box[anpu_block_idx()] = i;
		anpu_xset(0, ANPU_CROSS_GROUP);
		anpu_xwait(1, ANPU_CROSS_GROUP);
	}
	out[3 * anpu_block_idx()] = n;
}

ANPU_KERNEL void pair_mix_aiv(volatile uint64_t *box, volatile uint64_t *out, uint64_t n)
{
	uint64_t good = 0;

	for (uint64_t i = 1; i <= n; i++) {
		anpu_xwait(0, ANPU_CROSS_GROUP);
		good += box[anpu_block_idx()] == i;
		/* both vector parts are done before either says so */
		anpu_xset(2, ANPU_CROSS_PEERS);
		anpu_xwait(2, ANPU_CROSS_PEERS);
		anpu_xset(1, ANPU_CROSS_GROUP);
	}
	out[3 * anpu_block_idx() + 1 + anpu_sub_block_idx()] = good;
}

/* the vector parts end without a word */
ANPU_KERNEL void silent_mix_aic(void)
{
	anpu_xwait(6, ANPU_CROSS_GROUP);
}

ANPU_KERNEL void silent_mix_aiv(void)
{
}

/* Operators that take long: each repeats one operation of the largest size for ever --------------------------- */

ANPU_KERNEL void long_copy(void *gm, uint64_t n)
{
	while (n--)
		anpu_dma_lin(ANPU_L1(0), gm, ANPU_L1_SIZE);
}

ANPU_KERNEL void long_atomic(void *gm, uint64_t n)
{
	while (n--)
		anpu_dma_atom(gm, ANPU_UB(0), ANPU_CTL(ANPU_UB_SIZE, ANPU_TYPE_S8, ANPU_ATOM_ADD));
}

ANPU_KERNEL void long_sin(void *gm, uint64_t n)
{
	(void)gm;
	while (n--)
		anpu_vun(ANPU_UB(0), ANPU_UB(0), ANPU_CTL(ANPU_UB_SIZE / 2, ANPU_TYPE_F16, ANPU_UN_SIN));
}

ANPU_KERNEL void long_sort(void *gm, uint64_t n)
{
	(void)gm;
	while (n--)
		anpu_vsort(ANPU_UB(0), ANPU_UB(0x20000), (const uint32_t *)ANPU_UB(0x28000),
			   ANPU_CTL(8192, ANPU_TYPE_F32, 0));
}

ANPU_KERNEL void long_mmad(void *gm, uint64_t n)
{
	(void)gm;
	while (n--)
		anpu_mmad(ANPU_L0C(0), ANPU_L0A(0), ANPU_L0B(0),
			  ANPU_MMAD(176, 176, 352, ANPU_TYPE_S8, ANPU_MMAD_INIT));
}

static void repeat(uint64_t ctl, uint8_t op, void *src1, uint64_t n)
{
	struct anpu_rep_desc *d = (struct anpu_rep_desc *)ANPU_UB(0x2f000);

	*d = (struct anpu_rep_desc){ .ctl = ctl, .op = op, .repeat = 4095, .dst_block = 1, .src0_block = 1,
		.src1_block = src1 ? 1 : 0 };
	while (n--)
		anpu_vrep(ANPU_UB(0), ANPU_UB(0x8000), (uint64_t)src1, d);
}

ANPU_KERNEL void long_vrep_sin(void *gm, uint64_t n)
{
	(void)gm;
	repeat(ANPU_CTL(128, ANPU_TYPE_F16, ANPU_UN_SIN), ANPU_TILE_VUN, 0, n);
}

ANPU_KERNEL void long_vrep_div(void *gm, uint64_t n)
{
	(void)gm;
	repeat(ANPU_CTL(32, ANPU_TYPE_S64, ANPU_BIN_DIV), ANPU_TILE_VBIN, ANPU_UB(0x10000), n);
}

ANPU_KERNEL void long_load3d(void *gm, uint64_t n)
{
	struct anpu_load3d_desc *d = (struct anpu_load3d_desc *)ANPU_UB(0x2f000);

	(void)gm;
	*d = (struct anpu_load3d_desc){ .height = 64, .width = 64, .channels = 32, .k_step = 144,
		.m_step = 224, .pad = { 1, 1, 1, 1 }, .kernel_w = 3, .kernel_h = 3, .stride_w = 1,
		.stride_h = 1, .dilation_w = 1, .dilation_h = 1 };
	while (n--)
		anpu_load3d(ANPU_L0A(0), ANPU_L1(0), d, ANPU_CTL(0, ANPU_TYPE_F16, 0));
}

ANPU_KERNEL void long_print(void *gm, uint64_t n)
{
	while (n--)
		anpu_print_bytes(gm, ANPU_TEXT_MAX);
}

ANPU_KERNEL void long_sync(void *gm, uint64_t n)
{
	(void)gm;
	if (anpu_block_idx())
		anpu_syncall(ANPU_SYNC_ALL);
	else if (n)
		forever();
}

/* Tenants: one leaves a pattern wherever a core can keep something, another one looks for it ---------- */

#define EACH_WINDOW(X) \
	X(ANPU_UB_BASE, ANPU_UB_SIZE) X(ANPU_L1_BASE, ANPU_L1_SIZE) X(ANPU_L0A_BASE, ANPU_L0A_SIZE) \
	X(ANPU_L0B_BASE, ANPU_L0B_SIZE) X(ANPU_L0C_BASE, ANPU_L0C_SIZE) X(ANPU_BT_BASE, ANPU_BT_SIZE) \
	X(ANPU_FB_BASE, ANPU_FB_SIZE)

static void fill_window(uint64_t base, uint64_t size, uint64_t pattern)
{
	for (volatile uint64_t *p = (void *)base; (uint64_t)p < base + size; p++)
		*p = pattern;
}

/* the same by the engines, which note in other places what they write */
static void fill_by_engines(uint64_t pattern)
{
	anpu_dma_fill(ANPU_L1(0), ANPU_L1_SIZE, pattern);
	anpu_vdup(ANPU_UB(0), pattern & 0xffff, ANPU_CTL(ANPU_UB_SIZE / 2, ANPU_TYPE_S16, 0));
	anpu_mmad(ANPU_L0C(0), ANPU_L0A(0), ANPU_L0B(0), ANPU_MMAD(128, 128, 128, ANPU_TYPE_S8, ANPU_MMAD_INIT));
}

#define EACH_CSR(X) \
	X(fpctl) X(vmask0) X(vmask1) X(padval) X(atomic) X(quant) X(selmask) X(cmpmask0) X(cmpmask1) X(bias) \
	X(vcount) X(accval)

static void set_csrs(uint64_t pattern)
{
#define SET(name) anpu_set_csr_##name(pattern);
	EACH_CSR(SET)
#undef SET
}

/*
 * Leaves @pattern in all scratchpads, the stack, every register and CSR. Then it ends with @text as the text
 * of an assert, or for @n of 0 in an endless loop.
 */
ANPU_KERNEL void poison(const char *text, uint64_t n, uint64_t pattern)
{
	register const char *a0 __asm__("a0") = text;
	register uint64_t a1 __asm__("a1") = n;
	register uint64_t t0 __asm__("t0") = pattern;

#define FILL(base, size) fill_window(base, size, pattern);
	EACH_WINDOW(FILL)
#undef FILL
	fill_by_engines(pattern);
	fill_window(ANPU_STACK_BASE, ANPU_STACK_SIZE / 2, pattern);
	set_csrs(pattern);
	__asm__ volatile(".irp r, 6,7,8,9,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
			 "mv x\\r, t0\n"
			 ".endr\n"
			 ".irp r, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
			 "fmv.d.x f\\r, t0\n"
			 ".endr\n"
			 "1: beqz a1, 1b\n"
			 ".insn r 0x2b, 0, %3, x0, a0, a1\n"
			 : : "r"(a0), "r"(a1), "r"(t0), "i"(ANPU_SYS_ASSERT) : "memory");
	__builtin_unreachable();
}

/* Copies the CSRs, all scratchpads and the stack, as they are at the start, to @out. */
ANPU_KERNEL void spy_memory(volatile uint64_t *out)
{
#define GET(name) *out++ = anpu_csr_##name();
	EACH_CSR(GET)
#undef GET
#define READ(base, size) \
	for (volatile uint64_t *p = (void *)(uint64_t)(base); (uint64_t)p < (base) + (size); p++) \
		*out++ = *p;
	EACH_WINDOW(READ)
	READ(ANPU_STACK_BASE, ANPU_STACK_SIZE)
#undef READ
}

/* Stores all registers, as they are at the start, at @out. */
ANPU_KERNEL __attribute__((naked)) void spy_registers(uint64_t *out)
{
	__asm__ volatile(".irp r, 1,2,3,4,5,6,7,8,9,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
			 "sd x\\r, 8 * \\r(a0)\n"
			 ".endr\n"
			 ".irp r, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
			 "fsd f\\r, 256 + 8 * \\r(a0)\n"
			 ".endr\n"
			 "ret");
}
