// SPDX-License-Identifier: MIT
/* Functions that the tests of tile operations share. */
#include <sys/mman.h>

#include "tile_test.h"

struct mmu test_mmu;
struct core_block *test_block;
struct core_fault test_fault;

/* TAP -------------------------------------------------------------------------------------------- */

static unsigned int tests, failures;

void tap_ok(bool ok, const char *format, ...)
{
	va_list args;

	tests++;
	failures += !ok;
	printf("%sok %u - ", ok ? "" : "not ", tests);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

void tap_diag(const char *format, ...)
{
	va_list args;

	printf("# ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

int tap_end(void)
{
	printf("1..%u\n", tests);
	return failures ? 1 : 0;
}

/* Memory ----------------------------------------------------------------------------------------- */

/* No block here has threads, so nothing is in their stacks */
uint8_t *threads_stack(struct core_block *b, uint64_t va, unsigned int size, uint32_t access,
		       struct core_fault *fault)
{
	(void)b;
	(void)size;
	core_fail(fault, ANPU_FAULT_UNMAPPED, "no threads");
	fault->addr = va;
	fault->access = access;
	return NULL;
}

/* Nor is one in a cluster */
uint8_t *cluster_peer(struct core_block *b, uint64_t va, uint32_t access, struct core_fault *fault)
{
	(void)b;
	core_fail(fault, ANPU_FAULT_UNMAPPED, "no cluster");
	fault->addr = va;
	fault->access = access;
	return NULL;
}

void *mmu_access(struct mmu *mmu, uint64_t va, uint32_t access, uint64_t *span,
		 struct core_fault *fault)
{
	uint64_t page = va & ~(uint64_t)(GM_PAGE - 1);

	mmu->accesses++;
	if (mmu->flat && va - GM_BASE < mmu->flat) {
		*span = mmu->run - va % mmu->run;
		return mmu->mem + (va - GM_BASE);
	}
	if (va < GM_BASE || va >= GM_BASE + GM_SIZE || page == GM_HOLE ||
	    (page == GM_RO && (access & ANPU_ACCESS_WRITE))) {
		core_fail(fault, page == GM_RO ? ANPU_FAULT_PERMISSION : ANPU_FAULT_UNMAPPED,
			  "access to 0x%llx", (unsigned long long)va);
		fault->addr = va;
		fault->access = access;
		return NULL;
	}
	*span = mmu->run - va % mmu->run;
	if (va < GM_HOLE && va + *span > GM_HOLE)
		*span = GM_HOLE - va;
	if (va < GM_RO && va + *span > GM_RO)
		*span = GM_RO - va;
	if (page == GM_RO && *span > GM_RO + GM_PAGE - va)
		*span = GM_RO + GM_PAGE - va;
	if (va + *span > GM_BASE + GM_SIZE)
		*span = GM_BASE + GM_SIZE - va;
	return mmu->mem + (va - GM_BASE);
}

bool mmu_page_whole(struct mmu *mmu, uint64_t va)
{
	(void)mmu, (void)va;
	return true;
}

bool mmu_poll(struct mmu *mmu)
{
	(void)mmu;
	return false;
}

uint64_t mmu_stamp(const struct mmu *mmu)
{
	(void)mmu;
	return 0;
}

/* tests run operations without a kernel, which nobody observes */
bool observed_tile(struct core_block *b, unsigned int op, const struct tile_args *a,
		   struct core_fault *fault)
{
	(void)b, (void)op, (void)a, (void)fault;
	abort();
}

void test_init(void)
{
	test_mmu.mem = mmap(NULL, GM_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);
	test_mmu.run = 3 * GM_PAGE;
	test_block = calloc(1, sizeof(*test_block));
	if (test_mmu.mem == MAP_FAILED || !test_block)
		exit(2);
	test_block->local = mmap(NULL, LOCAL_END - LOCAL_BASE, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (test_block->local == MAP_FAILED)
		exit(2);
	test_block->mmu = &test_mmu;
	test_block->csr.vmask[0] = ~0ULL;
	test_block->csr.vmask[1] = ~0ULL;
}

uint8_t *ub(uint32_t offset)
{
	return test_block->local + (ANPU_UB_BASE - LOCAL_BASE) + offset;
}

uint8_t *gm(uint64_t offset)
{
	return test_mmu.mem + offset;
}

/* Operations ------------------------------------------------------------------------------------- */

bool run(unsigned int op, uint64_t rs1, uint64_t rs2, uint64_t rs3, uint64_t rd)
{
	struct tile_args a = { rs1, rs2, rs3, rd };

	memset(&test_fault, 0, sizeof(test_fault));
	return tile_run(test_block, op, &a, &test_fault);
}

bool run_within(uint32_t dst, size_t bytes, unsigned int op, uint64_t rs1, uint64_t rs2, uint64_t rs3, uint64_t rd)
{
	const size_t n = 4096;
	uint8_t *behind = ub(dst) + bytes;
	bool ok;

	memset(behind, 0xa5, n);
	ok = run(op, rs1, rs2, rs3, rd);
	if (*behind == 0xa5 && !memcmp(behind, behind + 1, n - 1))
		return ok;
	tap_diag("operation %u writes behind the %zu bytes of its destination", op, bytes);
	return false;
}

void refuse(uint32_t cause, const char *text, unsigned int op, uint64_t rs1, uint64_t rs2,
	    uint64_t rs3, uint64_t rd)
{
	bool ran = run(op, rs1, rs2, rs3, rd);
	bool ok = !ran && test_fault.cause == cause && strstr(test_fault.message, text);

	tap_ok(ok, "refused: %s", test_fault.message);
	if (!ok)
		tap_diag("want cause %u and \"%s\"; %s, cause %u", cause, text,
			 ran ? "it ran" : "faulted", test_fault.cause);
}

/* Values ----------------------------------------------------------------------------------------- */

uint64_t rnd(void)
{
	static uint64_t s = 0x9e3779b97f4a7c15;

	s ^= s << 13;
	s ^= s >> 7;
	s ^= s << 17;
	return s * 0x2545f4914f6cdd1d;
}

unsigned int type_size(unsigned int type)
{
	return tile_type_bits[type] / 8;
}

bool type_float(unsigned int type)
{
	return type <= ANPU_TYPE_BF16;
}

bool type_signed(unsigned int type)
{
	return type == ANPU_TYPE_S8 || type == ANPU_TYPE_S16 || type == ANPU_TYPE_S32 ||
	       type == ANPU_TYPE_S64 || type == ANPU_TYPE_S4;
}

static unsigned int mantissa(unsigned int type)
{
	return type == ANPU_TYPE_F32 ? 23 : type == ANPU_TYPE_F16 ? 10 : 7;
}

static uint64_t exponent_max(unsigned int type)
{
	return type == ANPU_TYPE_F16 ? 31 : 255;
}

uint64_t rnd_bits(unsigned int type)
{
	uint64_t r = rnd(), all = ~0ULL >> (64 - tile_type_bits[type]);
	unsigned int m = mantissa(type);
	uint64_t sign = 1ULL << (tile_type_bits[type] - 1);
	unsigned int kind = (unsigned int)(rnd() >> 40) % 8;

	if (!type_float(type)) {
		if (kind < 2)
			return (r % 9 - 4) & all;
		if (kind == 2)
			return (sign + r % 5 - 2) & all;
		return (kind < 5 ? r >> (r >> 58) : r) & all;
	}
	switch (kind) {
	case 0: return round_to((long double)(int64_t)(r % 4001) / 8 - 250, type, ANPU_ROUND_RINT);
	case 1: /* zero, subnormal */
		return (r & sign) | (r >> 8 & ((1ULL << m) - 1) & (r & 0x100 ? ~0ULL : 0));
	case 2: /* infinity, NaN, greatest */
		return ((r & sign) | exponent_max(type) << m) -
		       (r >> 8 & 3 ? 0 : 1) + (r >> 10 & 3 ? 0 : r >> 12 & ((1ULL << m) - 1));
	case 3: /* close to one */
		return (r & sign) | (((exponent_max(type) >> 1) << m) + r % 64 - 32);
	default: return r & all;
	}
}

void rnd_fill(void *p, unsigned int type, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put(p, type, i, rnd_bits(type));
}

uint64_t get(const void *p, unsigned int type, size_t i)
{
	uint64_t v = 0;

	memcpy(&v, (const uint8_t *)p + i * type_size(type), type_size(type));
	return v;
}

void put(void *p, unsigned int type, size_t i, uint64_t bits)
{
	memcpy((uint8_t *)p + i * type_size(type), &bits, type_size(type));
}

long double real(uint64_t bits, unsigned int type)
{
	unsigned int m = mantissa(type);
	int bias = (int)exponent_max(type) / 2;
	uint64_t e = bits >> m & exponent_max(type);
	long double frac = (long double)(bits & ((1ULL << m) - 1));
	long double v;

	if (e == exponent_max(type))
		v = frac != 0 ? (long double)NAN : (long double)INFINITY;
	else if (!e)
		v = ldexpl(frac, 1 - bias - (int)m);
	else
		v = ldexpl(frac + ldexpl(1, (int)m), (int)e - bias - (int)m);
	return bits >> (tile_type_bits[type] - 1) & 1 ? -v : v;
}

__int128 whole(uint64_t bits, unsigned int type)
{
	unsigned int n = tile_type_bits[type];

	if (type_signed(type))
		return (int64_t)(bits << (64 - n)) >> (64 - n);
	return bits;
}

long double round_whole(long double v, unsigned int mode)
{
	long double f = floorl(v), d = v - f;

	if (d == 0 || isinf(v) || isnan(v))
		return v;
	switch (mode) {
	case ANPU_ROUND_FLOOR: break;
	case ANPU_ROUND_CEIL: f += 1; break;
	case ANPU_ROUND_TRUNC: f += v < 0; break;
	case ANPU_ROUND_ODD: f += fmodl(f, 2) == 0; break;
	case ANPU_ROUND_ROUND: f += d > 0.5L || (d == 0.5L && v > 0); break;
	default: f += d > 0.5L || (d == 0.5L && fmodl(f, 2) != 0); break;
	}
	return copysignl(f, v);
}

uint64_t nan_of(unsigned int type)
{
	return type == ANPU_TYPE_F32 ? 0x7fc00000 : type == ANPU_TYPE_F16 ? 0x7e00 : 0x7fc0;
}

static uint64_t overflow(bool neg, unsigned int type, unsigned int mode)
{
	uint64_t inf = exponent_max(type) << mantissa(type);
	bool finite = mode == ANPU_ROUND_TRUNC || mode == ANPU_ROUND_ODD ||
		      mode == (neg ? ANPU_ROUND_CEIL : ANPU_ROUND_FLOOR);

	return inf - finite;
}

uint64_t round_to(long double v, unsigned int type, unsigned int mode)
{
	unsigned int m = mantissa(type);
	int bias = (int)exponent_max(type) / 2;
	uint64_t sign = (uint64_t)!!signbit(v) << (tile_type_bits[type] - 1);
	long double unit, r;
	int e;

	if (isnan(v))
		return nan_of(type);
	if (isinf(v))
		return sign | exponent_max(type) << m;
	if (v == 0)
		return sign;
	frexpl(v, &e);
	e -= 1;
	if (e < 1 - bias)
		e = 1 - bias;
	unit = ldexpl(1, e - (int)m);
	r = fabsl(round_whole(v / unit, mode));
	if (e > bias || (e == bias && r >= ldexpl(2, (int)m)))
		return sign | overflow(sign, type, mode);
	/* the hidden bit carries into the exponent by itself */
	return sign | (((uint64_t)(e + bias - 1) << m) + (uint64_t)r);
}

uint64_t clamp_to(long double v, unsigned int type)
{
	unsigned int n = tile_type_bits[type];
	long double top = ldexpl(1, (int)n - type_signed(type));
	long double low = type_signed(type) ? -top : 0;
	uint64_t all = ~0ULL >> (64 - n);

	if (isnan(v))
		return 0;
	if (v >= top)
		return type_signed(type) ? all >> 1 : all;
	if (v <= low)
		return type_signed(type) ? 1ULL << (n - 1) : 0;
	return (v < 0 ? -(uint64_t)-v : (uint64_t)v) & all;
}

uint64_t saturated(uint64_t bits, unsigned int type)
{
	uint64_t sign = 1ULL << (tile_type_bits[type] - 1);
	uint64_t inf = exponent_max(type) << mantissa(type);

	if ((bits & ~sign) > inf)
		return 0;
	return (bits & ~sign) == inf ? bits - 1 : bits;
}
