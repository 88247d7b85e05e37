// SPDX-License-Identifier: MIT
/* Kernels that write down what arrives in their parameters, for abi.sh. */
#include <anpu/anpu_intrin.h>

ANPU_KERNEL void integers(uint8_t a, int8_t b, uint16_t c, int16_t d, uint32_t e, int32_t f,
			  uint64_t g, int64_t h, double *out)
{
	double values[] = { a, b, c, d, e, f, (double)g, (double)h };

	for (int i = 0; i < 8; i++)
		out[i] = values[i];
}

/* Five integers come to registers, three and the pointer to the stack. */
ANPU_KERNEL void many(double *out, int a, int b, int c, int d, int e, int f, int g, int h, int i,
		      int j, int8_t k)
{
	int values[] = { a, b, c, d, e, f, g, h, i, j, k };

	for (int n = 0; n < 11; n++)
		out[n] = values[n];
}

/* More floating-point values than registers: the rest takes integer registers, then the stack. */
ANPU_KERNEL void floats(float a, double b, _Float16 c, float d, double e, _Float16 f, float g,
			double h, _Float16 i, float j, double k, double *out, _Float16 l, float m,
			double n, float o, _Float16 p, float q)
{
	double values[] = { (double)a, b, (double)c, (double)d, e,	  (double)f,
			    (double)g, h, (double)i, (double)j, k,	  (double)l,
			    (double)m, n, (double)o, (double)p, (double)q };

	for (int z = 0; z < 17; z++)
		out[z] = values[z];
}

ANPU_KERNEL void mixed(uint8_t a, float b, int16_t c, double d, _Bool e, _Float16 f, const float *x,
		       int8_t g, double *out)
{
	double values[] = { a, (double)b, c, d, e, (double)f, (double)x[1], g };

	for (int i = 0; i < 8; i++)
		out[i] = values[i];
}

struct s12 {
	int32_t a, b, c;
};

struct s16 {
	double d;
	float f;
};

struct s40 {
	int64_t v[5];
};

struct fi {
	float f;
	int32_t i;
};

struct ff {
	float x, y;
};

struct bytes {
	uint8_t b[5];
};

struct half3 {
	_Float16 h[3];
};

ANPU_KERNEL void structures(struct s12 a, struct s16 b, struct s40 c, struct fi d, struct ff e,
			    struct bytes f, double *out)
{
	double values[] = { a.a,
			    a.b,
			    a.c,
			    b.d,
			    (double)b.f,
			    (double)c.v[0],
			    (double)c.v[4],
			    (double)d.f,
			    d.i,
			    (double)e.x,
			    (double)e.y,
			    f.b[0],
			    f.b[4] };

	for (int i = 0; i < 13; i++)
		out[i] = values[i];
}

/* The structure of 16 bytes is split between the last register and the stack. */
ANPU_KERNEL void split(double *out, int64_t a, int64_t b, int64_t c, int64_t d, int64_t e,
		       int64_t f, struct s12 g, struct half3 h, struct s40 i)
{
	double values[] = {
		(double)a,     (double)b, (double)c, (double)d,	     (double)e,	     (double)f,
		g.a,	       g.b,	  g.c,	     (double)h.h[0], (double)h.h[2], (double)i.v[1],
		(double)i.v[3]
	};

	for (int n = 0; n < 13; n++)
		out[n] = values[n];
}

/* A block may change its copy of a structure; the next block must not see that. */
ANPU_KERNEL void own_copy(struct s40 s, double *out)
{
	volatile struct s40 *mine = (volatile struct s40 *)&s;

	mine->v[2] += anpu_block_idx() + 1;
	out[anpu_block_idx()] = (double)mine->v[2];
}

enum small { MINUS = -3, PLUS = 3 };

union number {
	uint64_t u;
	double d;
};

ANPU_KERNEL void others(enum small a, union number b, __int128 c, _Complex float d, void (*e)(void),
			double *out)
{
	double values[] = { a,
			    b.d,
			    (double)(int64_t)(c >> 64),
			    (double)(int64_t)c,
			    (double)__real__ d,
			    (double)__imag__ d,
			    (double)(uintptr_t)e };

	for (int i = 0; i < 7; i++)
		out[i] = values[i];
}

struct config {
	uint32_t n[1000];
};

ANPU_KERNEL void large(const struct config c, uint8_t last, double *out)
{
	out[0] = c.n[0];
	out[1] = c.n[999];
	out[2] = last;
}

ANPU_KERNEL void nothing(void)
{
}

/* The registers of entry are as the ISA says: a1 holds the size of the argument block. */
ANPU_KERNEL void csrs(uint64_t a, uint64_t b, uint64_t *out)
{
	out[0] = anpu_csr_argssize();
	out[1] = ((const uint64_t *)anpu_csr_args())[0] == a &&
		 ((const uint64_t *)anpu_csr_args())[1] == b;
	out[2] = anpu_csr_blocknum() * 1000000 + anpu_grid_x() * 10000 + anpu_grid_y() * 100 +
		 anpu_grid_z();
	out[3] = anpu_csr_isaver() == ANPU_ISA_VERSION;
	out[4] = (uintptr_t)__builtin_frame_address(0) % 16;
}
