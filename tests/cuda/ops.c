// SPDX-License-Identifier: MIT
/* Kernels of the tests: small ones that show that they ran, when, and with which arguments. */
#include <anpu/graph_node.h>
#include <anpu/threads.h>

#define CSR(n) ({ uint64_t v_; __asm__ volatile("csrr %0, %1" : "=r"(v_) : "i"(n)); v_; })

struct pair {
	int32_t a;
	int64_t b;
};

uint64_t counter = 5;
volatile int32_t table[4] = { 1, 2, 3, 4 };

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

ANPU_KERNEL void add_counter(volatile uint64_t *p)
{
	*p = counter++;
}

ANPU_KERNEL void sum_table(volatile uint64_t *p)
{
	*p = (uint64_t)(table[0] + table[1] + table[2] + table[3]);
}

ANPU_KERNEL void spin_then_store(uint64_t us, volatile uint64_t *p, uint64_t value)
{
	uint64_t end = CSR(ANPU_CSR_time) + us * 1000;

	while (CSR(ANPU_CSR_time) < end)
		;
	*p = value;
}

/* Works for @n steps, then out[number] = how many have ended before, which out[0] counts */
ANPU_KERNEL void work_then_count(uint64_t n, uint64_t *out, uint64_t number)
{
	volatile uint64_t steps = 0;

	while (steps < n)
		steps = steps + 1;
	out[number] = __atomic_fetch_add(&out[0], 1, __ATOMIC_SEQ_CST) + 1;
}

/* Each block ends when all of them have begun, which the grid's barrier waits for: *met counts them. */
ANPU_KERNEL void meet(uint64_t *met)
{
	uint64_t blocks = CSR(ANPU_CSR_blocknum);

	__atomic_fetch_add(met, 1, __ATOMIC_SEQ_CST);
	anpu_sys_SYNCALL(ANPU_SYNC_KIND, 0);
	while (__atomic_load_n(met, __ATOMIC_SEQ_CST) < blocks)
		;
}

ANPU_KERNEL void vector_add(const float *a, const float *b, float *c, int32_t n)
{
	uint64_t block = CSR(ANPU_CSR_blockidx), blocks = CSR(ANPU_CSR_blocknum);

	for (int64_t i = (int64_t)block; i < n; i += (int64_t)blocks)
		c[i] = a[i] + b[i];
}

/* out[i] = i + 1 for block i */
ANPU_KERNEL void block_numbers(volatile uint32_t *out)
{
	uint64_t block = CSR(ANPU_CSR_blockidx);

	out[block] = (uint32_t)block + 1;
}

/* Each thread stores block and number at its place */
ANPU_KERNEL void thread_numbers(volatile uint32_t *out)
{
	const struct anpu_block_info *info = (const struct anpu_block_info *)ANPU_INFO_BASE;
	uint64_t me, block = CSR(ANPU_CSR_blockidx), n;

	ANPU_KERNEL_META(ANPU_META_THREADS, 256);
	__asm__ volatile("mv %0, gp" : "=r"(me));
	n = (me & 0xffff) + info->block_dim[0] * ((me >> 16 & 0xffff) + info->block_dim[1] * (me >> 32));
	out[block * info->threads + n] = (uint32_t)(block << 16 | n);
	if (!n && !block)
		out[1000] = info->dynamic_size;
}

/* Parameters of many sizes, whose places differ between the layouts */
ANPU_KERNEL void many_params(volatile double *out, int8_t a, int16_t b, float c, double d, int32_t e, struct pair f)
{
	out[0] = a;
	out[1] = b;
	out[2] = c;
	out[3] = d;
	out[4] = e;
	out[5] = f.a;
	out[6] = (double)f.b;
}

ANPU_KERNEL void write_at(volatile uint64_t *p)
{
	*p = 1;
}

ANPU_KERNEL void illegal_instruction(void)
{
	__asm__ volatile(".word 0xffffffff");
}

ANPU_KERNEL void failed_assert(void)
{
	anpu_assert(0);
}

/* Triggers, waits until *go is 1, and then a while longer; out[block] = when it ended */
ANPU_KERNEL void front(volatile uint64_t *go, volatile uint64_t *out)
{
	uint64_t block = CSR(ANPU_CSR_blockidx), end;

	anpu_thread_TRIGGER(0, 0);
	if (CSR(ANPU_CSR_blocknum) > 1)
		anpu_sys_SYNCALL(ANPU_SYNC_KIND, 0);
	while (!*go)
		;
	end = CSR(ANPU_CSR_time) + 1000000;
	while (CSR(ANPU_CSR_time) < end)
		;
	out[block] = CSR(ANPU_CSR_time);
}

/* The same without a trigger */
ANPU_KERNEL void shy_front(volatile uint64_t *go, volatile uint64_t *out)
{
	while (!*go)
		;
	out[CSR(ANPU_CSR_blockidx)] = CSR(ANPU_CSR_time);
}

/* out[2 * block]: when it began; then lets the one in front go on, waits for it, and out[2 * block + 1] = when */
ANPU_KERNEL void behind(volatile uint64_t *go, volatile uint64_t *out)
{
	uint64_t block = CSR(ANPU_CSR_blockidx);

	out[2 * block] = CSR(ANPU_CSR_time);
	*go = 1;
	anpu_thread_GRIDWAIT(0, 0);
	out[2 * block + 1] = CSR(ANPU_CSR_time);
}

/* Each block gives its number to the next one of its cluster; out[block] = what it got */
static inline __attribute__((always_inline)) void pass(volatile uint32_t *out)
{
	const struct anpu_block_info *info = (const struct anpu_block_info *)ANPU_INFO_BASE;
	uint32_t n = info->cluster_blocks, next = (info->cluster_rank + 1) % n;
	uint64_t block = CSR(ANPU_CSR_blockidx);

	*(volatile uint32_t *)(uintptr_t)(ANPU_PEER_BASE + next * ANPU_PEER_STRIDE + 64) = (uint32_t)block;
	anpu_thread_CLUSTER(ANPU_CLUSTER_BOTH, 0);
	out[block] = *(volatile uint32_t *)(uintptr_t)(ANPU_UB_BASE + 64);
}

ANPU_KERNEL void pass_on(volatile uint32_t *out)
{
	ANPU_KERNEL_META(ANPU_META_THREADS, 256);
	pass(out);
}

/* Written for clusters of 2 x 1 x 1 blocks */
ANPU_KERNEL void pairs_pass_on(volatile uint32_t *out)
{
	ANPU_KERNEL_META(ANPU_META_THREADS, 256);
	ANPU_KERNEL_META(ANPU_META_CLUSTER, 2 | 1 << 8 | 1 << 16);
	pass(out);
}

/* Stores a number of each kind of parameter, and how many blocks it has */
ANPU_KERNEL void told(volatile uint64_t *out, int32_t a, int8_t b, int64_t c)
{
	uint64_t block = CSR(ANPU_CSR_blockidx);

	if (!block) {
		out[0] = (uint64_t)(int64_t)a;
		out[1] = (uint64_t)(int64_t)b;
		out[2] = (uint64_t)c;
	}
	__atomic_fetch_add(&out[3], 1, __ATOMIC_SEQ_CST);
}

/* Changes a later kernel of its graph: results[0 ..] = what the changes returned */
ANPU_KERNEL void change(struct anpu_graph_node *node, int32_t a, int64_t c, uint32_t blocks, int32_t enabled,
			volatile uint64_t *results)
{
	int8_t both[12] = { 0 };

	results[0] = (uint64_t)anpu_node_set_param(node, 8, &a, sizeof(a));
	results[1] = (uint64_t)anpu_node_set_param(node, 16, &c, sizeof(c));
	results[2] = (uint64_t)anpu_node_set_grid(node, blocks, 1, 1);
	results[3] = (uint64_t)anpu_node_set_enabled(node, enabled);
	results[4] = (uint64_t)anpu_node_set_param(node, 20, both, 8);
	results[5] = (uint64_t)anpu_node_set_grid(node, 0, 1, 1);
	results[6] = (uint64_t)anpu_node_set_grid(node, 0x7fffffff, 0x7fffffff, 0x7fffffff);
	results[7] = (uint64_t)anpu_node_set_enabled((struct anpu_graph_node *)0, 1);
}
