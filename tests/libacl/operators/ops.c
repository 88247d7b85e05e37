// SPDX-License-Identifier: MIT
/* Operators of the tests: tiny ones that show that they ran, and one for every way to fail. */
#include <anpu/anpu_intrin.h>

#define CSR(n) ({ uint64_t v_; __asm__ volatile("csrr %0, %1" : "=r"(v_) : "i"(n)); v_; })

ANPU_KERNEL void nothing(void)
{
}

ANPU_KERNEL void store(volatile uint64_t *p, uint64_t value)
{
	*p = value;
}

ANPU_KERNEL void load_store(volatile uint64_t *dst, const volatile uint64_t *src)
{
	*dst = *src;
}

ANPU_KERNEL void increment(volatile uint64_t *p)
{
	*p = *p + 1;
}

ANPU_KERNEL void spin_then_store(uint64_t us, volatile uint64_t *p, uint64_t value)
{
	uint64_t end = CSR(ANPU_CSR_time) + us * 1000;

	while (CSR(ANPU_CSR_time) < end)
		;
	*p = value;
}

ANPU_KERNEL void store_time(volatile uint64_t *ns)
{
	*ns = CSR(ANPU_CSR_time);
}

/* out[i] = i + 1 for block i */
ANPU_KERNEL void block_numbers(volatile uint32_t *out)
{
	uint64_t block = CSR(ANPU_CSR_blockidx);

	out[block] = (uint32_t)block + 1;
}

ANPU_KERNEL void block_count(volatile uint64_t *out)
{
	if (CSR(ANPU_CSR_blockidx) == 0)
		*out = CSR(ANPU_CSR_blocknum);
}

/* Sum of all argument slots but the first, which is where it goes */
ANPU_KERNEL void sum_slots(volatile uint64_t *out)
{
	const uint64_t *slot = (const uint64_t *)CSR(ANPU_CSR_args);
	uint64_t n = CSR(ANPU_CSR_argssize) / 8, sum = 0;

	for (uint64_t i = 1; i < n; i++)
		sum += slot[i];
	*out = sum;
}

ANPU_KERNEL void sum_behind(volatile uint64_t *out, const uint64_t *data, uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += data[i];
	*out = sum;
}

ANPU_KERNEL void narrow_params(volatile uint64_t *out, int8_t a, uint16_t b, float c, double d)
{
	out[0] = (uint64_t)(int64_t)a;
	out[1] = b;
	out[2] = (uint64_t)(int64_t)(c * 2);
	out[3] = (uint64_t)(int64_t)(d * 4);
}

ANPU_KERNEL void divide(volatile float *out, float a, float b)
{
	*out = a / b;
}

/* 1 / 0 in every second block */
ANPU_KERNEL void divide_in_blocks(volatile float *out)
{
	uint64_t block = CSR(ANPU_CSR_blockidx);

	if (block % 2)
		*out = 1 / (float)(block / 64);
}

static uint64_t counter = 100;

/* Data of the binary: keeps its value from launch to launch */
ANPU_KERNEL void count_up(volatile uint64_t *out)
{
	*out = ++counter;
}

/* Ways to fail --------------------------------------------------------------------------------- */

ANPU_KERNEL void read_at(const volatile uint64_t *p)
{
	(void)*p;
}

ANPU_KERNEL void write_at(volatile uint64_t *p)
{
	*p = 1;
}

ANPU_KERNEL void read_in_block(const volatile uint64_t *p, uint64_t block)
{
	if (CSR(ANPU_CSR_blockidx) == block)
		(void)*p;
}

ANPU_KERNEL void illegal_instruction(void)
{
	__asm__ volatile(".word 0xffffffff");
}

ANPU_KERNEL void jump_to(uint64_t addr)
{
	((void (*)(void))addr)();
}

ANPU_KERNEL void jump_to_stack(void)
{
	volatile uint32_t code[4] = { 0x00008067, 0x00008067, 0x00008067, 0x00008067 };

	((void (*)(void))(uintptr_t)code)();
}

ANPU_KERNEL void run_for_ever(volatile uint64_t *p)
{
	for (;;)
		*p = *p + 1;
}

static __attribute__((noinline)) uint64_t deeper(uint64_t n)
{
	volatile uint64_t frame[64];

	frame[n % 64] = n;
	if (n == ~0UL)
		return 0;
	return deeper(n + 1) + frame[n % 64];
}

ANPU_KERNEL void overflow_stack(volatile uint64_t *out)
{
	*out = deeper(0);
}

ANPU_KERNEL void trap(void)
{
	static const char text[] = "tiling data is stale";

	__asm__ volatile(".insn r %0, 0, %1, x0, %2, %3"
			 : : "i"(ANPU_OPC_SYS), "i"(ANPU_SYS_TRAP), "r"(text),
			     "r"(sizeof(text) - 1) : "memory");
}

ANPU_KERNEL void failed_assert(void)
{
	static const char text[] = "rows > 0";

	__asm__ volatile(".insn r %0, 0, %1, x0, %2, %3"
			 : : "i"(ANPU_OPC_SYS), "i"(ANPU_SYS_ASSERT), "r"(text),
			     "r"(sizeof(text) - 1) : "memory");
}

ANPU_KERNEL void breakpoint(void)
{
	__asm__ volatile("ebreak");
}

/* Stores, then reads from nowhere: what was before the fault stays */
ANPU_KERNEL void store_then_read(volatile uint64_t *p, uint64_t value, const volatile uint64_t *bad)
{
	*p = value;
	(void)*bad;
	*p = value + 1;
}

/* Output. Each block says which it is; blocks of one launch print in any order */
ANPU_KERNEL void say(uint64_t who, uint64_t times)
{
	for (uint64_t i = 0; i < times; i++)
		anpu_printf("who %u block %u time %u\n", (unsigned int)who, anpu_block_idx(),
			    (unsigned int)i);
}

/* A text of any length, in one piece */
ANPU_KERNEL void say_bytes(const char *text, uint64_t bytes)
{
	anpu_print_bytes(text, bytes);
}

ANPU_KERNEL void say_then_trap(void)
{
	anpu_printf("about to trap in block %u\n", anpu_block_idx());
	anpu_trap("as announced");
}

/* go[1]: it has said it */
ANPU_KERNEL void say_then_hang(volatile uint64_t *go)
{
	anpu_printf("waiting for %s\n", "Godot");
	go[1] = 1;
	while (!*go)
		;
	anpu_printf("%s is here\n", "Godot");
}

ANPU_KERNEL void say_formats(void)
{
	anpu_printf("%d %5u %x %c %s %.2f %lld %%\n", -7, 42u, 0xbeefu, 'z', "str", 1.5, -(1LL << 40));
}

ANPU_KERNEL void wait_for_word(volatile uint64_t *go)
{
	while (!*go)
		;
}

/* Each block tells that it has begun */
ANPU_KERNEL void begin_and_wait(volatile uint64_t *begun, volatile uint64_t *go)
{
	begun[anpu_block_idx()] = 1;
	while (!*go)
		;
}

/* Variables that programs reach by name, and kernels that use them */
volatile uint64_t tally = 1000;
volatile uint64_t samples[16];
const volatile uint64_t fixed = 77;

ANPU_KERNEL void add_to_tally(uint64_t n)
{
	tally = tally + n;
}

ANPU_KERNEL void copy_samples(volatile uint64_t *out)
{
	for (unsigned int i = 0; i < 16; i++)
		out[i] = samples[i] + fixed;
}

/* A kernel with a number of its own, as tools that tile operators give them */
ANPU_KERNEL void keyed(volatile uint64_t *p)
{
	*p = 1234567;
}

__asm__(".pushsection .ascend.meta.keyed,\"\",@progbits\n"
	".half 14, 8\n" /* ANPU_META_TILING_KEY */
	".quad 1234567\n"
	".popsection");
