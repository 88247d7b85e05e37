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
 * operands come in chunks along k to L1, and from there to L0A and L0B, where the cube unit takes
 * them; L0B has half of the tile's columns at a time. L1, L0A and L0B have two buffers each, and
 * flags hand them from one pipe to the next, so that on a core whose pipes run side by side the
 * loads hide behind the cube.
 *
 * Operands are cut into strips of 16 rows of A or columns of B. In L1 and in L0 a strip's fractals
 * follow each other along k, so that a buffer of L0 is filled by one copy of whole fractals, and the
 * cube unit finds all that it multiplies in one place.
 */
#include <stdbool.h>

#include <anpu/anpu_intrin.h>

#define TILE_M		128
#define TILE_N		256
#define HALF_N		(TILE_N / 2)	/* columns of the tile that L0B has at a time */
#define FRACTAL		512	/* bytes; 16 rows of 32 bytes */
#define C_FRACTAL	1024	/* of L0C: 16 x 16 numbers of 4 bytes */
#define EDGE		16
#define BUFFERS		2

/* Bytes of k in a chunk: of a row of A, or of a column of B */
#define CHUNK		256

#define L1_BYTES	((TILE_M + TILE_N) * CHUNK)
#define L1_A(buffer)	ANPU_L1((buffer) * L1_BYTES)
#define L1_B(buffer)	ANPU_L1((buffer) * L1_BYTES + TILE_M * CHUNK)
#define L0_A(buffer)	ANPU_L0A((buffer) * TILE_M * CHUNK)
#define L0_B(buffer)	ANPU_L0B((buffer) * HALF_N * CHUNK)

/* Events of the buffers of L0A and L0B, between pipes M and MTE1 */
#define L0A_EVENT(buffer) (buffer)
#define L0B_EVENT(buffer) (BUFFERS + (buffer))

_Static_assert(BUFFERS * L1_BYTES <= ANPU_L1_SIZE, "L1 holds all buffers");
_Static_assert(BUFFERS * TILE_M * CHUNK <= ANPU_L0A_SIZE, "L0A holds all buffers");
_Static_assert(BUFFERS * HALF_N * CHUNK <= ANPU_L0B_SIZE, "L0B holds all buffers");
_Static_assert(TILE_M * TILE_N * 4 <= ANPU_L0C_SIZE, "L0C holds a tile");

/**
 * struct matmul - the whole job
 * @type: of A and B; @bytes of an element, @c0 elements in a block of 32 bytes
 * @nt: B is n x k
 */
struct matmul {
	const char *a;
	const char *b;
	char *c;
	uint32_t m, n, k;
	enum anpu_type type;
	uint32_t bytes, c0;
	bool nt;
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

/* Fractals of a strip along @k */
static inline uint32_t depth_of(const struct matmul *job, uint32_t k)
{
	return (k + job->c0 - 1) / job->c0;
}

/* Bytes of a strip with that depth */
static inline uint32_t strip_bytes(uint32_t depth)
{
	return depth * FRACTAL;
}

/*
 * Strips of @edge rows or columns to L1: the whole ones by one copy, a narrower one behind them by
 * another. @desc describes one strip; @strip_edge is the field of it that has the strip's rows or columns.
 */
static void load_strips(const struct matmul *job, char *l1, const char *from, uint32_t edge,
			struct anpu_nd2nz_desc *desc, uint32_t *strip_edge)
{
	uint32_t strips = edge / EDGE, rest = edge % EDGE;
	uint64_t ctl = ANPU_CTL(0, job->type, 0);

	desc->nd_num = strips;
	*strip_edge = EDGE;
	if (strips)
		anpu_dma_nd2nz(l1, from, desc, ctl);
	if (!rest)
		return;
	desc->nd_num = 1;
	*strip_edge = rest;
	anpu_dma_nd2nz(l1 + (uint64_t)strips * desc->dst_nz_stride * job->bytes,
		       from + (uint64_t)strips * desc->src_nd_stride * job->bytes, desc, ctl);
}

/* Strips of rows, each of @k elements that follow each other: of A, or of B as n x k */
static void load_rows(const struct matmul *job, char *l1, const char *from, uint32_t rows, uint32_t k)
{
	struct anpu_nd2nz_desc desc = {
		.d = k,
		.src_nd_stride = EDGE * job->k,
		.src_d = job->k,
		.dst_c0_stride = EDGE,
		.dst_n_stride = 1,
		.dst_nz_stride = strip_bytes(depth_of(job, k)) / job->bytes,
	};

	load_strips(job, l1, from, rows, &desc, &desc.n);
}

/* Strips of columns of B as k x n: a row of a strip is a row of L0B's fractals */
static void load_columns(const struct matmul *job, char *l1, const char *from, uint32_t columns,
			 uint32_t k)
{
	struct anpu_nd2nz_desc desc = {
		.n = k,
		.src_nd_stride = EDGE,
		.src_d = job->n,
		.dst_c0_stride = 1,
		.dst_n_stride = EDGE / job->c0,
		.dst_nz_stride = strip_bytes(depth_of(job, k)) / job->bytes,
	};

	load_strips(job, l1, from, columns, &desc, &desc.d);
}

/* GM to L1: k0 to k0 + k of the tile's rows of A and columns of B */
static void load_l1(const struct matmul *job, const struct tile *tile, uint32_t k0, uint32_t k,
		    uint32_t buffer)
{
	const char *a = job->a + ((uint64_t)tile->row * job->k + k0) * job->bytes;
	const char *b = job->b;

	anpu_waitflag(ANPU_PIPE_MTE1, ANPU_PIPE_MTE2, buffer);
	load_rows(job, L1_A(buffer), a, tile->m, k);
	if (job->nt)
		load_rows(job, L1_B(buffer), b + ((uint64_t)tile->col * job->k + k0) * job->bytes,
			  tile->n, k);
	else
		load_columns(job, L1_B(buffer), b + ((uint64_t)k0 * job->n + tile->col) * job->bytes,
			     tile->n, k);
	anpu_setflag(ANPU_PIPE_MTE2, ANPU_PIPE_MTE1, buffer);
}

/* L1 to L0A or L0B: the strips of @edge rows or columns, as they are or each fractal transposed */
static void load_l0(const struct matmul *job, char *l0, const char *l1, uint32_t edge,
		    uint32_t depth, uint64_t transpose)
{
	uint32_t fractals = round_up(edge, EDGE) / EDGE * depth;

	anpu_load2d(l0, l1, ANPU_LOAD2D(0, fractals, 1, 1), ANPU_CTL(0, job->type, 0) | transpose);
}

/* Which buffer comes next; they are used in turn, also from one tile to the next */
struct turn {
	uint32_t l1, l0a, l0b;
};

/* Columns of the tile from @col on, as many as L0B holds: += A B over the chunk in L1 */
static void multiply(const struct matmul *job, const struct tile *tile, uint32_t col, uint32_t k,
		     const struct turn *turn, uint32_t flags)
{
	uint32_t c_column = round_up(tile->m, EDGE) / EDGE * C_FRACTAL, depth = depth_of(job, k);
	uint32_t end = min(tile->n, col + HALF_N), strip = strip_bytes(depth);
	const char *a = L0_A(turn->l0a);
	char *b = L0_B(turn->l0b);

	anpu_waitflag(ANPU_PIPE_M, ANPU_PIPE_MTE1, L0B_EVENT(turn->l0b));
	load_l0(job, b, (char *)L1_B(turn->l1) + col / EDGE * strip, end - col, depth,
		job->nt ? ANPU_CTL_TRANSPOSE : 0);
	anpu_setflag(ANPU_PIPE_MTE1, ANPU_PIPE_M, 0);
	anpu_waitflag(ANPU_PIPE_MTE1, ANPU_PIPE_M, 0);
	for (; col < end; col += EDGE, b += strip)
		anpu_mmad(ANPU_L0C(col / EDGE * c_column), a, b,
			  ANPU_MMAD(tile->m, min(end - col, EDGE), k, job->type, flags));
	anpu_setflag(ANPU_PIPE_M, ANPU_PIPE_MTE1, L0B_EVENT(turn->l0b));
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

/* The tile += A B over a chunk of k */
static void multiply_chunk(const struct matmul *job, const struct tile *tile, uint32_t k,
			   struct turn *turn, bool first)
{
	uint32_t col;

	anpu_waitflag(ANPU_PIPE_MTE2, ANPU_PIPE_MTE1, turn->l1);
	anpu_waitflag(ANPU_PIPE_M, ANPU_PIPE_MTE1, L0A_EVENT(turn->l0a));
	load_l0(job, L0_A(turn->l0a), L1_A(turn->l1), tile->m, depth_of(job, k), 0);
	for (col = 0; col < tile->n; col += HALF_N) {
		multiply(job, tile, col, k, turn, first ? ANPU_MMAD_INIT : 0);
		turn->l0b = (turn->l0b + 1) % BUFFERS;
	}
	anpu_setflag(ANPU_PIPE_M, ANPU_PIPE_MTE1, L0A_EVENT(turn->l0a));
	anpu_setflag(ANPU_PIPE_MTE1, ANPU_PIPE_MTE2, turn->l1);
	turn->l0a = (turn->l0a + 1) % BUFFERS;
	turn->l1 = (turn->l1 + 1) % BUFFERS;
}

static void compute(const struct matmul *job, const struct tile *tile, struct turn *turn)
{
	uint32_t chunk = CHUNK / job->bytes, k0;

	anpu_waitflag(ANPU_PIPE_FIX, ANPU_PIPE_M, 0);
	for (k0 = 0; k0 < job->k; k0 += chunk) {
		uint32_t k = min(job->k - k0, chunk);

		load_l1(job, tile, k0, k, turn->l1);
		multiply_chunk(job, tile, k, turn, k0 == 0);
	}
	store(job, tile);
}

/* All buffers are free at first, and must be free again at the end. */
static void free_buffers(void (*flag)(enum anpu_pipe from, enum anpu_pipe to, uint32_t event))
{
	uint32_t buffer;

	for (buffer = 0; buffer < BUFFERS; buffer++) {
		flag(ANPU_PIPE_MTE1, ANPU_PIPE_MTE2, buffer);
		flag(ANPU_PIPE_M, ANPU_PIPE_MTE1, L0A_EVENT(buffer));
		flag(ANPU_PIPE_M, ANPU_PIPE_MTE1, L0B_EVENT(buffer));
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

#define MATMUL(name, ctype, result, anpu_type, is_nt) \
ANPU_KERNEL void name(const ctype *a, const ctype *b, result *c, uint32_t m, uint32_t n, uint32_t k) \
{ \
	matmul((struct matmul){ .a = (const char *)a, .b = (const char *)b, .c = (char *)c, \
				.m = m, .n = n, .k = k, .type = anpu_type, \
				.bytes = sizeof(ctype), .c0 = ANPU_LOCAL_ALIGN / sizeof(ctype), \
				.nt = is_nt }); \
}

MATMUL(matmul_f32, float, float, ANPU_TYPE_F32, false)
MATMUL(matmul_f16, _Float16, float, ANPU_TYPE_F16, false)
MATMUL(matmul_bf16, uint16_t, float, ANPU_TYPE_BF16, false)
MATMUL(matmul_nt_f32, float, float, ANPU_TYPE_F32, true)
MATMUL(matmul_nt_f16, _Float16, float, ANPU_TYPE_F16, true)
MATMUL(matmul_nt_bf16, uint16_t, float, ANPU_TYPE_BF16, true)
MATMUL(matmul_nt_s8, int8_t, int32_t, ANPU_TYPE_S8, true)
