// SPDX-License-Identifier: MIT
/*
 * Speed of tile operations on this host beside plain loops with the same memory traffic, compiled
 * for the same instructions. Not a test: it prints a table. Each figure is the best of several.
 */
#include <immintrin.h>
#include <time.h>

#include "tile_test.h"

#define HOST	__attribute__((target("avx2,fma,f16c"), optimize("O3"), noinline))

/* as the interpreter calls it */
static void go(unsigned int op, uint64_t rs1, uint64_t rs2, uint64_t rs3, uint64_t rd)
{
	struct tile_args a = { rs1, rs2, rs3, rd };

	if (!tile_run(test_block, op, &a, &test_fault)) {
		fprintf(stderr, "%s\n", test_fault.message);
		exit(1);
	}
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

#define BEST(time, work) do { \
	time = 1e9; \
	for (int round_ = 0; round_ < 15; round_++) { \
		double start_ = now(); \
		work; \
		start_ = now() - start_; \
		time = start_ < time ? start_ : time; \
	} \
} while (0)

#define REPS	200

HOST static float peak(long n)
{
	__m256 acc[12], x = _mm256_set1_ps(0.999f);
	float out[8];

	for (int i = 0; i < 12; i++)
		acc[i] = _mm256_set1_ps((float)i);
	for (long k = 0; k < n; k++)
		for (int i = 0; i < 12; i++)
			acc[i] = _mm256_fmadd_ps(acc[i], x, x);
	for (int i = 1; i < 12; i++)
		acc[0] = _mm256_add_ps(acc[0], acc[i]);
	_mm256_storeu_ps(out, acc[0]);
	return out[0];
}

HOST static void plain_add(float *d, const float *a, const float *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		d[i] = a[i] + b[i];
}

HOST static void plain_add16(_Float16 *d, const _Float16 *a, const _Float16 *b, size_t n)
{
	for (size_t i = 0; i + 8 <= n; i += 8) {
		__m256 x = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(a + i)));
		__m256 y = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(b + i)));

		_mm_storeu_si128((__m128i *)(void *)(d + i), _mm256_cvtps_ph(_mm256_add_ps(x, y), 0));
	}
}

HOST static float plain_sum(const float *a, size_t n)
{
	float s[32] = { 0 };

	for (size_t i = 0; i + 32 <= n; i += 32)
		for (int j = 0; j < 32; j++)
			s[j] += a[i + j];
	for (int j = 1; j < 32; j++)
		s[0] += s[j];
	return s[0];
}

static double peak_gf;

static void bench_mmad(unsigned int type, uint32_t m, uint32_t n, uint32_t k)
{
	double t;

	for (size_t i = 0; i < 0x10000 / type_size(type); i++) {
		put(test_block->local + ANPU_L0A_BASE - LOCAL_BASE, type, i, round_to(1, type, 1));
		put(test_block->local + ANPU_L0B_BASE - LOCAL_BASE, type, i, round_to(1, type, 1));
	}
	local_dirty(test_block, ANPU_L0A_BASE, ANPU_L0A_SIZE);
	local_dirty(test_block, ANPU_L0B_BASE, ANPU_L0B_SIZE);
	BEST(t, for (int i = 0; i < REPS; i++)
		go(ANPU_TILE_MMAD, ANPU_L0C_BASE, ANPU_L0A_BASE, ANPU_L0B_BASE,
		    ANPU_MMAD(m, n, k, type, 0)));
	t = 2.0 * m * n * k * REPS / t * 1e-9;
	printf("MMAD %-5s %3u x %3u x %4u      %8.1f GF/s  %.2f of peak\n", tile_type_name(type), m, n, k,
	       t, t / peak_gf);
}

/* what an operator does for c = a b, n x n each: where its time goes */
struct chain {
	unsigned int type;
	uint32_t n;
	double load, l0, mmad, fix;
};

/* rows and columns of a result in L0C */
#define CHAIN_M		128
#define CHAIN_N		256

static void describe(const void *desc)
{
	memcpy(ub(0x2f000), desc, 32);
}

#define SPENT(what, work) do { \
	double spent_ = now(); \
	work; \
	what += now() - spent_; \
} while (0)

/* columns of k that L0A holds */
static void chain_step(struct chain *c, uint32_t depth, uint64_t a, uint64_t b, bool first)
{
	unsigned int size = type_size(c->type), c0 = 32 / size;
	uint32_t strip = depth * 16 * size, half = CHAIN_N / 2;
	struct anpu_nd2nz_desc da = { CHAIN_M / 16, 16, depth, 16 * c->n, c->n, 16, 1, 16 * depth };
	struct anpu_nd2nz_desc db = { CHAIN_N / 16, depth, 16, 16, c->n, 1, 16 / c0, 16 * depth };
	uint64_t ctl = ANPU_CTL(0, c->type, 0);

	SPENT(c->load,
	      describe(&da); go(ANPU_TILE_DMA_ND2NZ, ANPU_L1_BASE, a, UB(0x2f000), ctl);
	      describe(&db); go(ANPU_TILE_DMA_ND2NZ, ANPU_L1_BASE + 0x20000, b, UB(0x2f000), ctl));
	SPENT(c->l0, go(ANPU_TILE_LOAD2D, ANPU_L0A_BASE, ANPU_L1_BASE, ANPU_LOAD2D(0, 128, 1, 1), ctl));
	for (uint32_t h = 0; h < 2; h++) {
		SPENT(c->l0, go(ANPU_TILE_LOAD2D, ANPU_L0B_BASE, ANPU_L1_BASE + 0x20000 + h * 0x10000,
				ANPU_LOAD2D(0, 128, 1, 1), ctl));
		SPENT(c->mmad,
		      for (uint32_t j = 0; j < half / 16; j++)
			for (uint32_t i = 0; i < CHAIN_M / 16; i++)
				go(ANPU_TILE_MMAD,
				   ANPU_L0C_BASE + ((h * half / 16 + j) * (CHAIN_M / 16) + i) * 1024,
				   ANPU_L0A_BASE + i * strip, ANPU_L0B_BASE + j * strip,
				   ANPU_MMAD(16, 16, depth, c->type, first ? ANPU_MMAD_INIT : 0)));
	}
}

static void chain_all(struct chain *c)
{
	uint32_t depth = 512 / type_size(c->type);
	uint64_t size = (uint64_t)c->n * c->n, bytes = size * type_size(c->type);
	struct anpu_fix_desc f = { .m = CHAIN_M, .n = CHAIN_N, .src_stride = CHAIN_M,
				   .dst_stride = c->n, .nd_num = 1 };

	for (uint32_t j = 0; j < c->n; j += CHAIN_N)
		for (uint32_t i = 0; i < c->n; i += CHAIN_M) {
			for (uint32_t k = 0; k < c->n; k += depth)
				chain_step(c, depth,
					   GM_BASE + ((uint64_t)i * c->n + k) * type_size(c->type),
					   GM_BASE + bytes + ((uint64_t)k * c->n + j) * type_size(c->type), !k);
			describe(&f);
			SPENT(c->fix, go(ANPU_TILE_FIXPIPE, GM_BASE + 2 * bytes + ((uint64_t)i * c->n + j) * 4,
					 ANPU_L0C_BASE, UB(0x2f000),
					 ANPU_CTL_CVT(0, ANPU_TYPE_F32, ANPU_TYPE_F32, 0)));
		}
}

static void bench_chain(unsigned int type, uint32_t n)
{
	struct chain best = { 0 };
	double total = 1e9;

	for (int i = 0; i < (n > 1000 ? 3 : 20); i++) {
		struct chain c = { .type = type, .n = n };
		double t = now();

		chain_all(&c);
		t = now() - t;
		if (t < total) {
			total = t;
			best = c;
		}
	}
	printf("matmul %-4s %4u, one thread       %8.1f GF/s  %.2f of peak; GM to L1 %2.0f %%, "
	       "L1 to L0 %2.0f %%, MMAD %2.0f %%, FIXPIPE %2.0f %%\n", tile_type_name(type), n,
	       2e-9 * n * n * n / total, 2e-9 * n * n * n / total / peak_gf, 100 * best.load / total,
	       100 * best.l0 / total, 100 * best.mmad / total, 100 * best.fix / total);
}

static void bench_chains(void)
{
	struct mmu before = test_mmu;

	test_mmu.flat = 64 << 20;
	test_mmu.run = 2 << 20;
	test_mmu.mem = aligned_alloc(2 << 20, test_mmu.flat);
	if (!test_mmu.mem)
		exit(2);
	memset(test_mmu.mem, 0, test_mmu.flat);
	bench_chain(ANPU_TYPE_F32, 512);
	bench_chain(ANPU_TYPE_F16, 512);
	bench_chain(ANPU_TYPE_F32, 2048);
	bench_chain(ANPU_TYPE_F16, 2048);
	free(test_mmu.mem);
	test_mmu = before;
}

static void row(const char *name, double elements, double t, double plain)
{
	printf("%-32s %8.2f G/s", name, elements * REPS / t * 1e-9);
	if (plain > 0)
		printf("  plain %8.2f  ratio %.2f", elements * REPS / plain * 1e-9, plain / t);
	putchar('\n');
}

static void bench_vector(void)
{
	const unsigned int n = 8192;
	volatile float sink;
	double t, p;

	for (unsigned int i = 0; i < n; i++)
		put(ub(0), ANPU_TYPE_F32, i, round_to(i / 1024.0L, ANPU_TYPE_F32, 1));
	memcpy(ub(0x10000), ub(0), n * 4);
#define OP(name, op, src1, ctl, plain) do { \
	BEST(t, for (int i = 0; i < REPS; i++) go(op, UB(0x20000), UB(0), src1, ctl)); \
	p = 0; \
	plain; \
	row(name, n, t, p); \
} while (0)
	OP("VBIN ADD F32", ANPU_TILE_VBIN, UB(0x10000), ANPU_CTL(n, ANPU_TYPE_F32, ANPU_BIN_ADD),
	   BEST(p, for (int i = 0; i < REPS; i++) plain_add((float *)(void *)ub(0x20000),
		(float *)(void *)ub(0), (float *)(void *)ub(0x10000), n)));
	OP("VBINS MUL F32", ANPU_TILE_VBINS, 0x3f800000, ANPU_CTL(n, ANPU_TYPE_F32, ANPU_BIN_MUL), );
	OP("VTRI MLA F32", ANPU_TILE_VTRI, UB(0x10000), ANPU_CTL(n, ANPU_TYPE_F32, ANPU_TRI_MLA), );
	OP("VBIN DIV F32", ANPU_TILE_VBIN, UB(0x10000), ANPU_CTL(n, ANPU_TYPE_F32, ANPU_BIN_DIV), );
	OP("VBIN MAX F32", ANPU_TILE_VBIN, UB(0x10000), ANPU_CTL(n, ANPU_TYPE_F32, ANPU_BIN_MAX), );
	OP("VBIN ADD S32", ANPU_TILE_VBIN, UB(0x10000), ANPU_CTL(n, ANPU_TYPE_S32, ANPU_BIN_ADD), );
	OP("VCVT F32 to F16", ANPU_TILE_VCVT, 0, ANPU_CTL_CVT(n, ANPU_TYPE_F16, ANPU_TYPE_F32, 1), );
	OP("VCVT F16 to F32", ANPU_TILE_VCVT, 0, ANPU_CTL_CVT(n, ANPU_TYPE_F32, ANPU_TYPE_F16, 1), );
	OP("VCVT F32 to S32 RINT", ANPU_TILE_VCVT, 0, ANPU_CTL_CVT(n, ANPU_TYPE_S32, ANPU_TYPE_F32, 1), );
	OP("VRED SUM F32 whole", ANPU_TILE_VRED, 0, ANPU_CTL(n, ANPU_TYPE_F32, ANPU_RED_SUM),
	   BEST(p, for (int i = 0; i < REPS; i++) sink = plain_sum((float *)(void *)ub(0), n)));
	OP("VRED MAX F32 whole", ANPU_TILE_VRED, 0, ANPU_CTL(n, ANPU_TYPE_F32, ANPU_RED_MAX), );
	OP("VRED SUM F32 block", ANPU_TILE_VRED, 0,
	   ANPU_CTL(n, ANPU_TYPE_F32, ANPU_RED_SUM | ANPU_RED_BLOCK), );
	OP("VUN EXP F32", ANPU_TILE_VUN, 0, ANPU_CTL(n, ANPU_TYPE_F32, ANPU_UN_EXP), );
	OP("VUN LN F32", ANPU_TILE_VUN, 0, ANPU_CTL(n, ANPU_TYPE_F32, ANPU_UN_LN), );
	OP("VUN TANH F32", ANPU_TILE_VUN, 0, ANPU_CTL(n, ANPU_TYPE_F32, ANPU_UN_TANH), );
	OP("VUN ERF F32", ANPU_TILE_VUN, 0, ANPU_CTL(n, ANPU_TYPE_F32, ANPU_UN_ERF), );
	OP("VUN SIN F32", ANPU_TILE_VUN, 0, ANPU_CTL(n, ANPU_TYPE_F32, ANPU_UN_SIN), );
	OP("VUN RSQRT F32", ANPU_TILE_VUN, 0, ANPU_CTL(n, ANPU_TYPE_F32, ANPU_UN_RSQRT), );
	OP("VCMP LT F32", ANPU_TILE_VCMP, UB(0x10000), ANPU_CTL(n, ANPU_TYPE_F32, ANPU_CMP_LT), );
	OP("VBIN ADD F16", ANPU_TILE_VBIN, UB(0x10000), ANPU_CTL(n, ANPU_TYPE_F16, ANPU_BIN_ADD),
	   BEST(p, for (int i = 0; i < REPS; i++) plain_add16((_Float16 *)(void *)ub(0x20000),
		(_Float16 *)(void *)ub(0), (_Float16 *)(void *)ub(0x10000), n)));
	OP("VUN EXP F16", ANPU_TILE_VUN, 0, ANPU_CTL(n, ANPU_TYPE_F16, ANPU_UN_EXP), );
	(void)sink;
}

static void bench_dma(void)
{
	double t, p;

	test_mmu.run = 0x10000;
	BEST(t, for (int i = 0; i < REPS; i++) go(ANPU_TILE_DMA_LIN, UB(0), GM_BASE, 0x10000, 0));
	BEST(p, for (int i = 0; i < REPS; i++) memcpy(ub(0), gm(0), 0x10000));
	row("DMA_LIN 64 KiB, bytes", 0x10000, t, p);
	BEST(t, for (int i = 0; i < REPS; i++)
		go(ANPU_TILE_DMA_ATOM, GM_BASE, UB(0), 0, ANPU_CTL(0x4000, ANPU_TYPE_F32, ANPU_ATOM_ADD)));
	row("DMA_ATOM ADD F32", 0x4000, t, 0);
	BEST(t, for (int i = 0; i < REPS * 100; i++)
		go(ANPU_TILE_VBIN, UB(0x20000), UB(0), UB(0x10000), ANPU_CTL(8, ANPU_TYPE_F32, 0)));
	printf("one VBIN of 8 elements           %8.1f ns\n", t / REPS * 10e6);
}

int main(int argc, char **argv)
{
	volatile float sink;
	double t;

	test_init();
	tile_force(argc > 1 ? (unsigned int)atoi(argv[1]) : 0);
	printf("kernels: %s\n", tile_kernels()->name);
	BEST(t, sink = peak(1000000));
	(void)sink;
	peak_gf = 1000000.0 * 12 * 16 / t * 1e-9;
	printf("peak of FMA                      %8.1f GF/s\n", peak_gf);
	bench_mmad(ANPU_TYPE_F32, 16, 16, 16);
	bench_mmad(ANPU_TYPE_F32, 16, 16, 64);
	bench_mmad(ANPU_TYPE_F32, 16, 16, 128);
	bench_mmad(ANPU_TYPE_F32, 128, 128, 128);
	bench_mmad(ANPU_TYPE_F16, 16, 16, 16);
	bench_mmad(ANPU_TYPE_F16, 16, 16, 128);
	bench_mmad(ANPU_TYPE_F16, 128, 128, 128);
	bench_mmad(ANPU_TYPE_BF16, 128, 128, 128);
	bench_mmad(ANPU_TYPE_S8, 128, 128, 256);
	bench_chains();
	bench_vector();
	bench_dma();
	return 0;
}
