// SPDX-License-Identifier: MIT
/*
 * matmul: C = A B for row-major matrices of any size, C m x n, A m x k, k at least 1.
 *
 *   matmul_f32, matmul_f16, matmul_bf16	B is k x n
 *   matmul_nt_f32, _f16, _bf16, _s8		B is n x k, as weights often are
 *
 * C is fp32, of s8 matrices s32. Every element is summed over ascending k by fused multiply-adds
 * in fp32, so that the result depends neither on the number of blocks nor on the tiles' sizes.
 *
 * C is cut into tiles of 128 x 256, which fill L0C; the blocks take them in turn. For each tile the
 * operands come in chunks along k: large ones to L1, small ones from there to L0A and L0B, where
 * the cube unit takes them. L1, L0A and L0B have two buffers each, and flags hand them from one
 * pipe to the next, so that on a core whose pipes run side by side the loads hide behind the cube.
 */
#include <stdbool.h>

#include <anpu/anpu_intrin.h>

#define TILE_M		128
#define TILE_N		256
#define FRACTAL		512	/* bytes; 16 rows of 32 bytes */
#define C_FRACTAL	1024	/* of L0C: 16 x 16 numbers of 4 bytes */
#define EDGE		16
#define BUFFERS		2

/* Bytes of k in a chunk: of a row of A, or of a column of B */
#define L1_CHUNK	512
#define L0_CHUNK	128

/*
 * In L1 a matrix is columns of fractals. An unused fractal behind each column keeps blocks of the
 * same row from being a power of 2 apart, where memories have only so many places for them.
 */
#define L1_A_BYTES	((TILE_M + EDGE) * L1_CHUNK)
#define L1_B_BYTES	((TILE_N + 2 * EDGE) * L1_CHUNK)
#define L1_A(buffer)	ANPU_L1((buffer) * (L1_A_BYTES + L1_B_BYTES))
#define L1_B(buffer)	ANPU_L1((buffer) * (L1_A_BYTES + L1_B_BYTES) + L1_A_BYTES)
#define L0_A(buffer)	ANPU_L0A((buffer) * TILE_M * L0_CHUNK)
#define L0_B(buffer)	ANPU_L0B((buffer) * TILE_N * L0_CHUNK)

/**
 * struct matmul - the whole job
 * @type: of A and B; @bytes of an element, @c0 elements in a block of 32 bytes
 * @nt: B is n x k
 * @strip: columns of C that one MMAD makes: L0B holds its matrix in strips of so many columns
 */
struct matmul {
	const char *a;
	const char *b;
	char *c;
	uint32_t m, n, k;
	enum anpu_type type;
	uint32_t bytes, c0;
	bool nt;
	uint32_t strip;
};

/* Where a tile of C is and how large: the last ones of a row or column are smaller. */
struct tile {
	uint32_t row, col;
	uint32_t m, n;
};

static inline uint32_t min(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static inline uint32_t round_up(uint32_t x, uint32_t unit)
{
	return (x + unit - 1) / unit * unit;
}

/* Rows from one column of fractals in L1 to the next */
static inline uint32_t column_rows(uint32_t rows)
{
	return round_up(rows, EDGE) + EDGE;
}

/* rows x cols elements of a row-major matrix to L1, as columns of fractals of 16 rows each */
static void load_nz(const struct matmul *job, void *l1, const char *from, uint32_t rows,
		    uint32_t cols, uint32_t width)
{
	struct anpu_nd2nz_desc desc = {
		.nd_num = 1,
		.n = rows,
		.d = cols,
		.src_d = width,
		.dst_c0_stride = column_rows(rows),
		.dst_n_stride = 1,
	};

	anpu_dma_nd2nz(l1, from, &desc, ANPU_CTL(0, job->type, 0));
}

/* GM to L1: k0 to k0 + k of the tile's rows of A and columns of B */
static void load_l1(const struct matmul *job, const struct tile *tile, uint32_t k0, uint32_t k,
		    uint32_t buffer)
{
	const char *a = job->a + ((uint64_t)tile->row * job->k + k0) * job->bytes;
	const char *b = job->b;

	anpu_waitflag(ANPU_PIPE_MTE1, ANPU_PIPE_MTE2, buffer);
	load_nz(job, L1_A(buffer), a, tile->m, k, job->k);
	if (job->nt) {
		b += ((uint64_t)tile->col * job->k + k0) * job->bytes;
		load_nz(job, L1_B(buffer), b, tile->n, k, job->k);
	} else {
		b += ((uint64_t)k0 * job->n + tile->col) * job->bytes;
		load_nz(job, L1_B(buffer), b, k, tile->n, job->n);
	}
	anpu_setflag(ANPU_PIPE_MTE2, ANPU_PIPE_MTE1, buffer);
}

/* m x k fractals, column by column in L1, row by row in L0A; k0 is the first column to take */
static void load_a(const struct matmul *job, char *l0a, const char *l1, uint32_t m, uint32_t k0,
		   uint32_t k)
{
	uint32_t m1 = (m + EDGE - 1) / EDGE, k1 = (k + job->c0 - 1) / job->c0;
	uint32_t column = column_rows(m) / EDGE, first = k0 / job->c0 * column, i;

	for (i = 0; i < m1; i++)
		anpu_load2d(l0a + i * k1 * FRACTAL, l1, ANPU_LOAD2D(first + i, k1, column, 1),
			    ANPU_CTL(0, job->type, 0));
}

/* B as n x k: fractals of 16 n x c0 k, a column of L1 is a row of L0B, but each one transposed */
static void load_b_nt(const struct matmul *job, char *l0b, const char *l1, uint32_t n, uint32_t k0,
		      uint32_t k)
{
	uint32_t n1 = (n + EDGE - 1) / EDGE, k1 = (k + job->c0 - 1) / job->c0;
	uint32_t column = column_rows(n) / EDGE, first = k0 / job->c0 * column, i;

	for (i = 0; i < k1; i++)
		anpu_load2d(l0b + i * n1 * FRACTAL, l1, ANPU_LOAD2D(first + i * column, n1, 1, 1),
			    ANPU_CTL(0, job->type, 0) | ANPU_CTL_TRANSPOSE);
}

/* B as k x n of 16-bit numbers: fractals of 16 k x 16 n, column by column in L1 */
static void load_b_16(const struct matmul *job, char *l0b, const char *l1, uint32_t n, uint32_t k0,
		      uint32_t k, uint32_t l1_rows)
{
	uint32_t n1 = (n + EDGE - 1) / EDGE, k1 = (k + EDGE - 1) / EDGE, i;

	for (i = 0; i < k1; i++)
		anpu_load2d(l0b + i * n1 * FRACTAL, l1,
			    ANPU_LOAD2D(k0 / EDGE + i, n1, l1_rows / EDGE, 1),
			    ANPU_CTL(0, job->type, 0));
}

/*
 * B as k x n of 32-bit numbers: L1 has columns of 8 numbers, a row of L0B has 16. In strips of 16
 * columns, two columns of L1 side by side make a matrix of L0B.
 */
static void load_b_32(char *l0b, const char *l1, uint32_t n, uint32_t k0, uint32_t k,
		      uint32_t l1_rows)
{
	uint32_t block = ANPU_LOCAL_ALIGN, columns = (n + 7) / 8, i;

	for (i = 0; i < columns; i++)
		anpu_dma_burst(l0b + i / 2 * EDGE * L0_CHUNK + i % 2 * block,
			       l1 + (i * l1_rows + k0) * block, ANPU_BURSTS(k, 1, 0, 1));
}

/* L1 to L0A and L0B: k0 to k0 + k of the chunk in L1, which has @chunk of k */
static void load_l0(const struct matmul *job, const struct tile *tile, uint32_t l1, uint32_t chunk,
		    uint32_t k0, uint32_t k, uint32_t buffer)
{
	anpu_waitflag(ANPU_PIPE_M, ANPU_PIPE_MTE1, buffer);
	load_a(job, L0_A(buffer), L1_A(l1), tile->m, k0, k);
	if (job->nt)
		load_b_nt(job, L0_B(buffer), L1_B(l1), tile->n, k0, k);
	else if (job->bytes == 2)
		load_b_16(job, L0_B(buffer), L1_B(l1), tile->n, k0, k, column_rows(chunk));
	else
		load_b_32(L0_B(buffer), L1_B(l1), tile->n, k0, k, column_rows(chunk));
	anpu_setflag(ANPU_PIPE_MTE1, ANPU_PIPE_M, buffer);
}

/* The tile += A B over the k that are in a buffer of L0A and L0B */
static void multiply(const struct matmul *job, const struct tile *tile, uint32_t k, uint32_t buffer,
		     bool first)
{
	uint32_t c_column = round_up(tile->m, EDGE) / EDGE * C_FRACTAL, col;
	uint32_t flags = first ? ANPU_MMAD_INIT : 0;

	anpu_waitflag(ANPU_PIPE_MTE1, ANPU_PIPE_M, buffer);
	for (col = 0; col < tile->n; col += job->strip)
		anpu_mmad(ANPU_L0C(col / EDGE * c_column), L0_A(buffer),
			  (char *)L0_B(buffer) + col * L0_CHUNK,
			  ANPU_MMAD(tile->m, min(tile->n - col, job->strip), k, job->type, flags));
	anpu_setflag(ANPU_PIPE_M, ANPU_PIPE_MTE1, buffer);
}

static void store(const struct matmul *job, const struct tile *tile)
{
	enum anpu_type type = job->type == ANPU_TYPE_S8 ? ANPU_TYPE_S32 : ANPU_TYPE_F32;
	struct anpu_fix_desc desc = {
		.m = (uint16_t)tile->m,
		.n = (uint16_t)tile->n,
		.src_stride = round_up(tile->m, EDGE),
		.dst_stride = job->n,
		.layout = ANPU_FIX_ND,
		.nd_num = 1,
	};

	anpu_setflag(ANPU_PIPE_M, ANPU_PIPE_FIX, 0);
	anpu_waitflag(ANPU_PIPE_M, ANPU_PIPE_FIX, 0);
	anpu_fixpipe(job->c + ((uint64_t)tile->row * job->n + tile->col) * sizeof(float),
		     ANPU_L0C(0), &desc, ANPU_CTL_CVT(0, type, type, ANPU_ROUND_NONE));
	anpu_setflag(ANPU_PIPE_FIX, ANPU_PIPE_M, 0);
}

/* Which buffer comes next; they are used in turn, also from one tile to the next */
struct turn {
	uint32_t l1, l0;
};

static void compute(const struct matmul *job, const struct tile *tile, struct turn *turn)
{
	uint32_t l1_chunk = L1_CHUNK / job->bytes, l0_chunk = L0_CHUNK / job->bytes, k1, k0;

	anpu_waitflag(ANPU_PIPE_FIX, ANPU_PIPE_M, 0);
	for (k1 = 0; k1 < job->k; k1 += l1_chunk) {
		uint32_t chunk = min(job->k - k1, l1_chunk);

		load_l1(job, tile, k1, chunk, turn->l1);
		anpu_waitflag(ANPU_PIPE_MTE2, ANPU_PIPE_MTE1, turn->l1);
		for (k0 = 0; k0 < chunk; k0 += l0_chunk) {
			uint32_t k = min(chunk - k0, l0_chunk);

			load_l0(job, tile, turn->l1, chunk, k0, k, turn->l0);
			multiply(job, tile, k, turn->l0, k1 + k0 == 0);
			turn->l0 = (turn->l0 + 1) % BUFFERS;
		}
		anpu_setflag(ANPU_PIPE_MTE1, ANPU_PIPE_MTE2, turn->l1);
		turn->l1 = (turn->l1 + 1) % BUFFERS;
	}
	store(job, tile);
}

/* All buffers are free at first, and must be free again at the end. */
static void free_buffers(void (*flag)(enum anpu_pipe from, enum anpu_pipe to, uint32_t event))
{
	uint32_t buffer;

	for (buffer = 0; buffer < BUFFERS; buffer++) {
		flag(ANPU_PIPE_MTE1, ANPU_PIPE_MTE2, buffer);
		flag(ANPU_PIPE_M, ANPU_PIPE_MTE1, buffer);
	}
	flag(ANPU_PIPE_FIX, ANPU_PIPE_M, 0);
}

static void matmul(struct matmul job)
{
	uint32_t cols = (job.n + TILE_N - 1) / TILE_N;
	uint64_t tiles = (uint64_t)((job.m + TILE_M - 1) / TILE_M) * cols, i;
	struct turn turn = { 0 };

	anpu_assert(job.k > 0);
	/* Fractals are read whole; elements behind the matrices' edges do not count. */
	if (job.m % EDGE || job.n % EDGE || job.k % EDGE) {
		anpu_dma_fill(ANPU_L1(0), ANPU_L1_SIZE, 0);
		anpu_dma_fill(ANPU_L0B(0), ANPU_L0B_SIZE, 0);
		anpu_pipebar(ANPU_PIPE_ALL);
	}
	free_buffers(anpu_setflag);
	for (i = anpu_block_idx(); i < tiles; i += anpu_block_num()) {
		uint32_t row = (uint32_t)(i / cols) * TILE_M, col = (uint32_t)(i % cols) * TILE_N;
		struct tile tile = { row, col, min(job.m - row, TILE_M), min(job.n - col, TILE_N) };

		compute(&job, &tile, &turn);
	}
	free_buffers(anpu_waitflag);
}

#define MATMUL(name, ctype, result, anpu_type, is_nt, columns) \
ANPU_KERNEL void name(const ctype *a, const ctype *b, result *c, uint32_t m, uint32_t n, uint32_t k) \
{ \
	matmul((struct matmul){ .a = (const char *)a, .b = (const char *)b, .c = (char *)c, \
				.m = m, .n = n, .k = k, .type = anpu_type, \
				.bytes = sizeof(ctype), .c0 = ANPU_LOCAL_ALIGN / sizeof(ctype), \
				.nt = is_nt, .strip = columns }); \
}

MATMUL(matmul_f32, float, float, ANPU_TYPE_F32, false, EDGE)
MATMUL(matmul_f16, _Float16, float, ANPU_TYPE_F16, false, TILE_N)
MATMUL(matmul_bf16, uint16_t, float, ANPU_TYPE_BF16, false, TILE_N)
MATMUL(matmul_nt_f32, float, float, ANPU_TYPE_F32, true, TILE_N)
MATMUL(matmul_nt_f16, _Float16, float, ANPU_TYPE_F16, true, TILE_N)
MATMUL(matmul_nt_bf16, uint16_t, float, ANPU_TYPE_BF16, true, TILE_N)
MATMUL(matmul_nt_s8, int8_t, int32_t, ANPU_TYPE_S8, true, TILE_N)
