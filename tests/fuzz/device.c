// SPDX-License-Identifier: MIT
/*
 * libFuzzer target: the whole model with its AI cores, through registers and memory only, as a
 * hostile driver and hostile programs use it: packets, contexts, page tables, doorbells, commands,
 * event queues, code.
 *
 * An odd first byte asks for a driver that does its work and programs that do not: address spaces
 * reach only the user's part of the HBM, and then nothing else may have changed but what the device
 * owns. In the other runs everything may be written over. Each run ends with a reset, some with
 * a NOP after it.
 */
#include <time.h>

#include <anpu/anpu_isa.h>

#include "fuzz.h"
/* used only in the message about a hang */
#include "model/internal.h"

/* Encodings */
#define R_TYPE(op, f3, f7, rd, rs1, rs2) \
	((uint32_t)(op) | (rd) << 7 | (uint32_t)(f3) << 12 | (uint32_t)(rs1) << 15 | \
	 (uint32_t)(rs2) << 20 | (uint32_t)(f7) << 25)
#define I_TYPE(op, f3, rd, rs1, imm) \
	((uint32_t)(op) | (rd) << 7 | (f3) << 12 | (rs1) << 15 | ((uint32_t)(imm) & 0xfff) << 20)
#define S_TYPE(op, f3, rs1, rs2, imm) \
	((uint32_t)(op) | ((imm) & 31) << 7 | (f3) << 12 | (rs1) << 15 | (rs2) << 20 | \
	 ((uint32_t)(imm) >> 5 & 0x7f) << 25)
#define B_TYPE(f3, rs1, rs2, imm) \
	(0x63u | ((uint32_t)(imm) >> 11 & 1) << 7 | ((uint32_t)(imm) >> 1 & 15) << 8 | (f3) << 12 | \
	 (rs1) << 15 | (rs2) << 20 | ((uint32_t)(imm) >> 5 & 0x3f) << 25 | \
	 ((uint32_t)(imm) >> 12 & 1) << 31)
#define J_TYPE(rd, imm) \
	(0x6fu | (rd) << 7 | ((uint32_t)(imm) & 0xff000) | ((uint32_t)(imm) >> 11 & 1) << 20 | \
	 ((uint32_t)(imm) >> 1 & 0x3ff) << 21 | ((uint32_t)(imm) >> 20 & 1) << 31)
#define U_TYPE(op, rd, imm20)	((uint32_t)(op) | (rd) << 7 | (uint32_t)(imm20) << 12)
#define ADDI(rd, rs1, imm)	I_TYPE(0x13, 0, rd, rs1, imm)
#define RET			I_TYPE(0x67, 0, 0, 1, 0)
#define CSRR(rd, csr)		I_TYPE(0x73, 2, rd, 0, csr)
#define SYS_INSN(n, rs1, rs2)	R_TYPE(ANPU_OPC_SYS, 0, n, 0, rs1, rs2)
#define TILE_INSN(n, rd, rs1, rs2, rs3) \
	R_TYPE(ANPU_OPC_TILE, (n) & 7, (uint32_t)(n) >> 3 | (uint32_t)(rs3) << 2, rd, rs1, rs2)

#define HBM		(16ULL << 20)
#define RAM		(1ULL << 20)
#define DMA_KEPT	0x100000000ULL
#define DMA_TRANSIENT	0x200000000ULL
#define QUEUES		4
#define SPACES		4
#define EVENT_QUEUES	2
#define RING_LOG2	5
/* a run that takes longer than this counts as a hang */
#define LONG_US		10000000

/* HBM addresses of the driver's part, and where the user's begins */
#define ASID_TABLE	0x1000
#define QUEUE_TABLE	0x2000
#define RING(q)		(0x10000ULL + (q) * 0x4000)
#define STATUS(q)	(RING(q) + 0x1000)
#define CONTROL(q)	(RING(q) + 0x3000)
#define EVENTS(n)	(0x40000ULL + (n) * 0x4000)
#define SHADOW		0x60000
#define TABLES		0x80000
#define TABLE_COUNT	16
#define DRIVER_END	0x100000
#define USER		0x200000
/* virtual addresses: code, then data, both in 2 MiB leaves, then pages of either kind of memory */
#define VA		0x100000000ULL
#define VA_DATA		(VA + 0x200000)
#define VA_SMALL	(VA + 0x1000000)
#define CODE_SLOT	64
#define CODE_SLOTS	32

static struct anpu_model *m;
static uint8_t *hbm, *ram, *copy;
static atomic_int out;
static uint64_t wptr[QUEUES];
static bool contained;

/* The host ------------------------------------------------------------------------------------------- */

static bool host_map(void *ctx, uint64_t dma, uint64_t len, bool write, struct anpu_mapping *to)
{
	uint64_t at = dma & 0xffffffffULL, window = dma - at;

	(void)ctx;
	(void)write;
	if (window < DMA_KEPT || window > DMA_TRANSIENT || at >= RAM)
		return false;
	*to = (struct anpu_mapping){ .ptr = ram + at, .len = len < RAM - at ? len : RAM - at,
				     .transient = window == DMA_TRANSIENT };
	atomic_fetch_add(&out, to->transient);
	return true;
}

static void host_unmap(void *ctx, const struct anpu_mapping *map, bool write, uint64_t len)
{
	(void)ctx;
	(void)write;
	require(map->transient && len <= map->len, "a strange unmap");
	atomic_fetch_sub(&out, 1);
}

static void host_raise(void *ctx, unsigned int vector)
{
	(void)ctx;
	require(vector < EVENT_QUEUES, "vector %u", vector);
}

static uint64_t host_clock(void *ctx)
{
	struct timespec ts;

	(void)ctx;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static bool within(uint64_t us, bool (*done)(unsigned int), unsigned int arg)
{
	uint64_t end = host_clock(NULL) + us * 1000;
	struct timespec ts = { 0, 20000 };

	while (!done(arg)) {
		if (host_clock(NULL) > end)
			return false;
		nanosleep(&ts, NULL);
	}
	return true;
}

static void set(uint64_t offset, uint64_t value)
{
	anpu_model_write(m, offset, value, 8);
}

/* The driver's writes also go into the copy of memory that is compared at the end. */
static void poke(uint64_t at, const void *from, size_t n)
{
	memcpy(hbm + at, from, n);
	memcpy(copy + at, from, n);
}

static void poke64(uint64_t at, uint64_t v)
{
	__atomic_store_n((uint64_t *)(hbm + at), v, __ATOMIC_SEQ_CST);
	memcpy(copy + at, &v, 8);
}

/* Values ---------------------------------------------------------------------------------------------- */

static uint64_t address(struct input *in)
{
	static const uint64_t base[] = { VA_DATA, VA_DATA + 0x400000, VA_SMALL, VA_SMALL + 0x10000, VA,
					 USER, VA_DATA - 64, VA_SMALL + 0xff000, 0, HBM - 64 };
	uint8_t c = (uint8_t)take(in, 1);

	if (c >= 245)
		return take(in, 8);
	return base[c % 10] + take(in, 1) * (c & 0x80 ? 0x1000 : 64) + (c & 0x40 ? c & 7 : 0);
}

static uint64_t amount(struct input *in)
{
	uint8_t c = (uint8_t)take(in, 1);

	return c < 100 ? c : c < 200 ? (c - 99) * 64 : c < 240 ? (c - 199) * 0x20000ULL :
	       take(in, c < 250 ? 4 : 8);
}

static uint64_t limit_us(struct input *in)
{
	uint8_t c = (uint8_t)take(in, 1);

	return c < 128 ? c * 8 : c < 250 ? 0 : ANPU_TIMEOUT_NEVER;
}

static uint64_t entry(struct input *in)
{
	uint8_t c = (uint8_t)take(in, 1);

	return c < 240 ? VA + c % CODE_SLOTS * CODE_SLOT : address(in);
}

/* Packets --------------------------------------------------------------------------------------------- */

static void kernel(struct input *in, struct anpu_pkt_kernel *k)
{
	uint8_t shape = (uint8_t)take(in, 1);

	k->entry = entry(in);
	k->grid_x = 1 + (shape & 7);
	k->grid_y = 1 + (shape >> 3 & 1);
	k->grid_z = 1 + (shape >> 4 & 1);
	k->timeout_us = limit_us(in);
	if (!k->timeout_us)
		k->timeout_us = 500;
	k->args = address(in) & ~7ULL;
	k->args_size = 64;
	if (shape & 0x20) {
		k->core_type = ANPU_CORE_MIX;
		k->mix_ratio = 1 + (shape >> 6 & 1);
		k->aiv_entry = (int32_t)((take(in, 1) % CODE_SLOTS) * CODE_SLOT);
	} else if (shape & 0x80) {
		k->core_type = (uint8_t)take(in, 1) % ANPU_CORE_COUNT;
		k->priority = (uint8_t)take(in, 1) % (ANPU_PRIORITIES + 1);
		k->hdr.flags = take(in, 1) & ANPU_KERNEL_FLAGS & ~ANPU_KERNEL_CHECK;
		k->sched_mode = (uint8_t)take(in, 1) & 3;
		k->max_cores = (uint8_t)take(in, 1);
	}
}

static void semaphore(struct input *in, union anpu_packet *p)
{
	uint8_t how = (uint8_t)take(in, 1);
	uint32_t width = how & 1 ? 4 : 8;
	uint64_t addr = address(in) & ~(uint64_t)(width - 1);

	if (p->hdr.opcode == ANPU_OP_SEM_SIGNAL) {
		p->sem_signal.addr = addr;
		p->sem_signal.width = width;
		p->sem_signal.op = how >> 1 & 3;
		p->sem_signal.value = take(in, 1);
		p->hdr.flags = how & 0x40 ? ANPU_SEM_IRQ : 0;
		if (how & 0x80)
			p->sem_signal.timestamp = address(in) & ~7ULL;
		return;
	}
	p->sem_wait.addr = addr;
	p->sem_wait.width = width;
	p->sem_wait.cond = (how >> 1 & 15) % (ANPU_SEM_COND_COUNT + 1);
	p->sem_wait.value = take(in, 1);
	p->sem_wait.mask = how & 0x20 ? take(in, 8) : ~0ULL;
	p->sem_wait.timeout_us = limit_us(in);
	p->hdr.flags = how & 0x40 ? ANPU_SEM_CLEAR : 0;
}

static void jump(struct input *in, union anpu_packet *p)
{
	uint8_t how = (uint8_t)take(in, 1);
	uint32_t width = how & 1 && !(how & 2) ? 8 : 4;

	p->jump.target = (uint32_t)take(in, 1) % 24;
	if ((how & 3) == 3) {
		p->hdr.flags = ANPU_JUMP_ALWAYS;
		return;
	}
	p->jump.addr = address(in) & ~(uint64_t)(width - 1);
	p->jump.width = width;
	if (how & 2) {
		p->hdr.flags = ANPU_JUMP_TABLE;
		p->jump.value = address(in) & ~3ULL;
		return;
	}
	p->jump.cond = (how >> 2 & 15) % (ANPU_SEM_COND_COUNT + 1);
	p->hdr.flags = how & 0x40 ? ANPU_JUMP_SIGNED : 0;
	p->jump.mask = ~0ULL;
	if (how & 0x80) {
		p->hdr.flags |= ANPU_JUMP_MEMORY;
		p->jump.value = address(in) & ~(uint64_t)(width - 1);
	} else {
		p->jump.value = take(in, 1);
	}
}

static void random_numbers(struct input *in, struct anpu_pkt_random *r)
{
	uint8_t more = (uint8_t)take(in, 1);

	r->dist = (uint8_t)take(in, 1) % (ANPU_RANDOM_DIST_COUNT + 1);
	r->type = (uint8_t)take(in, 1) % (ANPU_RANDOM_TYPE_COUNT + 1);
	r->hdr.flags = more & ANPU_RANDOM_FLAGS;
	r->dst = address(in) & ~7ULL;
	r->counter = address(in);
	r->count = more & ANPU_RANDOM_COUNT_AT ? address(in) : amount(in);
	r->seed = more & ANPU_RANDOM_SEED_AT ? address(in) : take(in, 8);
	r->a = more & ANPU_RANDOM_A_AT ? address(in) : take(in, 4);
	if (r->dist != ANPU_RANDOM_BITMASK || more & 0x80)
		r->b = more & ANPU_RANDOM_B_AT ? address(in) : take(in, 4);
	else
		r->hdr.flags &= ~ANPU_RANDOM_B_AT;
}

static void fill_in(struct input *in, union anpu_packet *p)
{
	switch (p->hdr.opcode) {
	case ANPU_OP_KERNEL:
		kernel(in, &p->kernel);
		break;
	case ANPU_OP_COPY:
		p->copy.src = address(in);
		p->copy.dst = address(in);
		p->copy.size = amount(in);
		break;
	case ANPU_OP_COPY_2D:
		p->copy_2d.src = address(in);
		p->copy_2d.dst = address(in);
		p->copy_2d.width = take(in, 1);
		p->copy_2d.height = amount(in);
		p->copy_2d.src_pitch = p->copy_2d.width + take(in, 1);
		p->copy_2d.dst_pitch = p->copy_2d.width + amount(in);
		break;
	case ANPU_OP_COPY_DESC:
		p->copy_desc.desc = address(in) & ~7ULL;
		break;
	case ANPU_OP_FILL:
		p->fill.pattern_size = 1U << (take(in, 1) & 3);
		p->fill.dst = address(in) & ~7ULL;
		p->fill.size = amount(in) & ~7ULL;
		p->fill.pattern = take(in, 8);
		break;
	case ANPU_OP_SEM_SIGNAL:
	case ANPU_OP_SEM_WAIT:
		semaphore(in, p);
		break;
	case ANPU_OP_TIMESTAMP:
		p->timestamp.addr = address(in) & ~7ULL;
		break;
	case ANPU_OP_NOTIFY:
		p->notify.cookie = take(in, 1);
		break;
	case ANPU_OP_INDIRECT:
		p->indirect.addr = address(in) & ~63ULL;
		p->indirect.count = 1 + (uint32_t)take(in, 1) % 20;
		break;
	case ANPU_OP_JUMP:
		jump(in, p);
		break;
	case ANPU_OP_REDUCE:
		p->reduce.op = (uint32_t)take(in, 1) % (ANPU_REDUCE_OP_COUNT + 1);
		p->reduce.type = (uint32_t)take(in, 1) % (ANPU_REDUCE_TYPE_COUNT + 1);
		p->reduce.src = address(in) & ~3ULL;
		p->reduce.dst = address(in) & ~3ULL;
		p->reduce.size = amount(in) & ~3ULL;
		break;
	case ANPU_OP_RANDOM:
		random_numbers(in, &p->random);
		break;
	}
}

static void packet(struct input *in, union anpu_packet *p)
{
	uint8_t what = (uint8_t)take(in, 1);

	memset(p, 0, sizeof(*p));
	p->hdr.opcode = what % (ANPU_OP_COUNT + 1);
	p->hdr.task_id = what;
	fill_in(in, p);
	/* often valid, sometimes one byte off, sometimes anything */
	if (what >= 250)
		for (unsigned int i = 0; i < 8; i++)
			p->qword[i] = take(in, 8);
	else if (what >= 230)
		((uint8_t *)p)[take(in, 1) & 63] = (uint8_t)take(in, 1);
}

/* Memory: code, tables, things for packets to find ------------------------------------------------------ */

static void usual_code(void)
{
	static const uint32_t code[][CODE_SLOT / 4] = {
		{ RET },
		{ J_TYPE(0, 0) },
		{ SYS_INSN(ANPU_SYS_SYNCALL, 0, 0), SYS_INSN(ANPU_SYS_SYNCALL, 0, 0), RET },
		{ S_TYPE(0x23, 3, 10, 10, 0), I_TYPE(3, 3, 11, 10, 0), RET },
		{ SYS_INSN(ANPU_SYS_XSET, 0, 0), SYS_INSN(ANPU_SYS_XWAIT, 0, 0), RET },
		/* its argument is the address that some queues have for a print buffer */
		{ ADDI(11, 0, 24), SYS_INSN(ANPU_SYS_PRINT, 10, 11), SYS_INSN(ANPU_SYS_PRINT, 10, 11), RET },
		{ ADDI(11, 0, 16), SYS_INSN(ANPU_SYS_TRAP, 10, 11) },
		{ 0x00100073 },
		{ ADDI(5, 0, 1000), ADDI(5, 5, -1), B_TYPE(1, 5, 0, -4), RET },
		{ SYS_INSN(ANPU_SYS_XWAIT, 0, 0), RET },
		/* block 0 leaves, the others wait for it */
		{ CSRR(5, ANPU_CSR_blockidx), B_TYPE(1, 5, 0, 8), RET, SYS_INSN(ANPU_SYS_SYNCALL, 0, 0), RET },
		/* eight words from the arguments to UB and behind them, by the memory engine */
		{ U_TYPE(0x37, 5, ANPU_UB_BASE >> 12), ADDI(6, 0, 64), TILE_INSN(ANPU_TILE_DMA_LIN, 6, 5, 10, 0),
		  ADDI(7, 10, 64), TILE_INSN(ANPU_TILE_DMA_LIN, 6, 7, 5, 0), RET },
		/* recursion down the stack */
		{ ADDI(2, 2, -2048), S_TYPE(0x23, 3, 2, 1, 0), J_TYPE(1, -8) },
		{ 0x0000100f, J_TYPE(0, -4) },
	};

	memcpy(hbm + USER, code, sizeof(code));
}

static void usual_tables(void)
{
	for (unsigned int asid = 1; asid < SPACES; asid++)
		poke64(ASID_TABLE + 8 * asid, (TABLES + (asid & 1) * 4096) | ANPU_ASID_VALID);
	/* two roots, one level 1, one level 2, one level 3 table to begin with */
	poke64(TABLES, (TABLES + 2 * 4096) | ANPU_PTE_VALID);
	poke64(TABLES + 4096, (TABLES + 2 * 4096) | ANPU_PTE_VALID);
	poke64(TABLES + 2 * 4096 + 4 * 8, (TABLES + 3 * 4096) | ANPU_PTE_VALID);
	for (unsigned int i = 0; i < 7; i++)
		poke64(TABLES + 3 * 4096 + i * 8, (USER + i * 0x200000) | ANPU_PTE_VALID | ANPU_PTE_LEAF |
		       ANPU_PTE_READ | (i ? ANPU_PTE_WRITE : ANPU_PTE_EXEC));
	poke64(TABLES + 3 * 4096 + 8 * 8, (TABLES + 4 * 4096) | ANPU_PTE_VALID);
	for (unsigned int i = 0; i < 16; i++)
		poke64(TABLES + 4 * 4096 + i * 8, ((i & 1 ? DMA_KEPT : DMA_TRANSIENT) + i * 4096) |
		       ANPU_PTE_VALID | ANPU_PTE_LEAF | ANPU_PTE_READ | ANPU_PTE_WRITE | ANPU_PTE_SYSTEM);
}

/* Print buffers, some of which make sense, where the addresses of contexts often lie. */
static void usual_prints(void)
{
	for (unsigned int i = 0; i < 32; i++) {
		struct anpu_print_buffer b = { .ring = VA_DATA + 0x2000 + i * 64, .size = 64 << (i & 3) };

		b.size += i == 30 ? 4 : 0;
		b.tail = i == 31 ? 3 : 0;
		memcpy(hbm + USER + 0x200000 + i * sizeof(b), &b, sizeof(b));
	}
}

/* The same for trace buffers, half of which want operations. */
static void usual_traces(void)
{
	for (unsigned int i = 0; i < 64; i++) {
		struct anpu_trace_buffer b = { .ring = VA_DATA + 0x402000 + i * 64, .size = 1 << (i >> 1 & 7), .flags = i & 1 };

		b.head = b.tail = i * 3;
		memcpy(hbm + USER + 0x600000 + i * sizeof(b), &b, sizeof(b));
	}
}

/* A driver that does its work maps only the user's part of the HBM, as a whole or in pieces. */
static void table_entry(struct input *in)
{
	uint64_t at = TABLES + (take(in, 1) % TABLE_COUNT) * 4096 + (take(in, 1) & 31) * 8;
	uint8_t kind = (uint8_t)take(in, 1);
	uint64_t e = ANPU_PTE_VALID | ANPU_PTE_LEAF | (take(in, 1) & 0x2e);

	if (kind < 60)
		e = (TABLES + kind % TABLE_COUNT * 4096) | ANPU_PTE_VALID;
	else if (kind < 120)
		e |= USER + (kind % 7) * 0x200000ULL;
	else if (kind < 180)
		e |= USER + take(in, 2) % 0xe00 * 4096;
	else if (kind < 230 || contained)
		e |= ((kind & 1 ? DMA_KEPT : DMA_TRANSIENT) + take(in, 1) * 4096) | ANPU_PTE_SYSTEM;
	else
		e = take(in, 8);
	poke64(at, e);
	if (kind & 1)
		set(ANPU_REG_TLB_INVALIDATE, kind & 2 ? ANPU_TLB_ALL : kind % SPACES);
}

static void write_user(struct input *in)
{
	uint64_t at = USER + (take(in, 1) & 0x7f) * 64 + (take(in, 1) % 4) * 0x200000;
	union anpu_packet p;

	if (take(in, 1) & 1) {
		packet(in, &p);
		memcpy(hbm + at, &p, sizeof(p));
		return;
	}
	for (unsigned int i = 0, n = 1 + (unsigned int)take(in, 1) % 16; i < n; i++) {
		uint32_t word = (uint32_t)take(in, 4);

		memcpy(hbm + at + 4 * i, &word, 4);
	}
}

/* Queues ------------------------------------------------------------------------------------------------ */

static void context(struct input *in, unsigned int q, bool usual)
{
	struct anpu_queue_context c = { .ring = RING(q), .status = STATUS(q), .control = CONTROL(q),
		.ring_log2 = RING_LOG2, .asid = 1 + q % (SPACES - 1), .event_queue = q % EVENT_QUEUES,
		.cookie = q };
	uint8_t how = usual ? 0 : (uint8_t)take(in, 1);

	c.priority = how & 3;
	c.flags = how >> 2 & 1 ? ANPU_QUEUE_STOP_ON_FAILURE : 0;
	if (how & 8)
		c.print = address(in) & ((1ULL << ANPU_VA_BITS) - ANPU_PRINT_ALIGN);
	if (how & 0x80)
		c.trace = address(in) & ((1ULL << ANPU_VA_BITS) - ANPU_TRACE_ALIGN);
	if (!contained && (how & 0x10))
		c.asid = how >> 5 & 3;
	if (!contained && how >= 0xe0)
		((uint8_t *)&c)[take(in, 1) % sizeof(c)] = (uint8_t)take(in, 1);
	poke(QUEUE_TABLE + q * sizeof(c), &c, sizeof(c));
}

/* Not in the copy: the device takes what is written. */
static void ring(unsigned int q)
{
	struct anpu_shadow_doorbells *b = (void *)(hbm + SHADOW);

	__atomic_store_n(&b->rung[q], 1, __ATOMIC_RELEASE);
	__atomic_store_n(&b->group[0], 1, __ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&b->polling, __ATOMIC_SEQ_CST))
		set(ANPU_REG_KICK, q);
}

static void scribble(struct input *in)
{
	uint8_t *shadow = hbm + SHADOW;

	__atomic_store_n(&shadow[take(in, 2) % sizeof(struct anpu_shadow_doorbells)], (uint8_t)take(in, 1), __ATOMIC_SEQ_CST);
}

static void submit(struct input *in, unsigned int q)
{
	unsigned int n = 1 + (unsigned int)take(in, 1) % 6;
	struct anpu_queue_status *s = (void *)(hbm + STATUS(q));

	if (contained && wptr[q] + n - __atomic_load_n(&s->completed, __ATOMIC_SEQ_CST) > 1 << RING_LOG2)
		return;
	while (n--) {
		union anpu_packet p;

		packet(in, &p);
		poke(RING(q) + (wptr[q]++ & ((1 << RING_LOG2) - 1)) * 64, &p, sizeof(p));
	}
	poke64(CONTROL(q), wptr[q]);
	if (q & 1)
		ring(q);
	else
		anpu_model_doorbell(m, q, wptr[q]);
}

static void start(unsigned int q)
{
	wptr[q] = 0;
	poke64(CONTROL(q), 0);
	set(ANPU_REG_QUEUE_CMD, ANPU_QUEUE_CMD(ANPU_QUEUE_START, q));
}

static void events_read(unsigned int n)
{
	struct anpu_event_header *h = (void *)(hbm + EVENTS(n));

	__atomic_store_n(&h->rptr, __atomic_load_n(&h->wptr, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
}

static void event_queue(struct input *in)
{
	unsigned int n = (unsigned int)take(in, 1) % EVENT_QUEUES, what = (unsigned int)take(in, 1);

	if (what & 1) {
		events_read(n);
	} else {
		set(ANPU_REG_EQ_SIZE(n), 0);
		set(ANPU_REG_EQ_BASE(n), what & 2 || contained ? EVENTS(n) : take(in, 3) & ~0xfffULL);
		set(ANPU_REG_EQ_SIZE(n), contained ? 4 + (what >> 4 & 1) : what >> 4);
	}
}

static void any_register(struct input *in)
{
	uint64_t offset = take(in, 2), value = take(in, 8);
	unsigned int size = 1U << (take(in, 1) & 3);

	offset = offset & 0x8000 ? offset & 0x7fff : (offset & 0x7f) * 8;
	if (size == 8 && offset == ANPU_REG_CALIBRATE)
		value &= 0xffff;
	anpu_model_read(m, offset, size);
	if (!contained && offset < 0x1000)
		anpu_model_write(m, offset, value, size);
}

static void command(struct input *in, unsigned int q)
{
	unsigned int cmd = (unsigned int)take(in, 1);

	uint32_t arg = 0;

	if (contained && cmd % 4 == 0)	/* a queue is not restarted under its driver */
		cmd = ANPU_QUEUE_RESUME;
	/* a packet that is likely executed, or near it */
	if (cmd % 8 == 7) {
		cmd = cmd & 8 ? ANPU_QUEUE_END_TASK : ANPU_QUEUE_PRIORITY;
		arg = cmd == ANPU_QUEUE_PRIORITY ? take(in, 1) % (ANPU_PRIORITIES + 1) :
						   (uint32_t)wptr[q] - take(in, 1) % 4;
		set(ANPU_REG_QUEUE_CMD, ANPU_QUEUE_CMD_ARG(cmd, q, arg));
		return;
	}
	set(ANPU_REG_QUEUE_CMD, ANPU_QUEUE_CMD(cmd % 5, q));
}

static bool idle(unsigned int q)
{
	struct anpu_queue_status *s = (void *)(hbm + STATUS(q));

	return __atomic_load_n(&s->completed, __ATOMIC_SEQ_CST) >= wptr[q];
}

/* State of a queue; a driver that waits for one reads its events, or STOP would never end. */
static bool in_state(unsigned int q, uint32_t state)
{
	struct anpu_queue_status *s = (void *)(hbm + STATUS(q));

	for (unsigned int n = 0; n < EVENT_QUEUES; n++)
		events_read(n);
	return __atomic_load_n(&s->state, __ATOMIC_ACQUIRE) == state;
}

static bool stopped(unsigned int q)
{
	return in_state(q, ANPU_QUEUE_STOPPED);
}

static bool running(unsigned int q)
{
	return in_state(q, ANPU_QUEUE_RUNNING);
}

/* Prints the state of a model that should be idle by now. It takes no locks: one of them may be the hang. */
static bool tell(void)
{
	fprintf(stderr, "resetting %llu, %u pieces of work, %u parked, %u asleep\n",
		(unsigned long long)atomic_load(&m->resetting), atomic_load(&m->n_work),
		atomic_load(&m->n_parked), atomic_load(&m->sleepers));
	for (unsigned int i = 0; i < QUEUES; i++) {
		const struct queue *q = &m->queues[i];

		fprintf(stderr, "queue %u: hold %d, phase %d, opcode %u, interrupt %u, manager %d; job: "
			"active %d, %u of %u done, %u running, %u ready, %u blocked, stop %u\n", i, q->hold,
			q->phase, q->pkt.hdr.opcode, atomic_load(&q->interrupt), q->manager_has,
			q->job->active, q->job->done, q->job->total, q->job->executing, q->job->ready.n,
			q->job->blocked.n, atomic_load(&q->job->k.stop));
	}
	return false;
}

/* The steps of a driver that uses a queue again. */
static void restart(struct input *in, unsigned int q)
{
	if (contained) {
		set(ANPU_REG_QUEUE_CMD, ANPU_QUEUE_CMD(ANPU_QUEUE_STOP, q));
		require(within(LONG_US, stopped, q) || tell(), "queue %u does not stop", q);
	}
	context(in, q, false);
	start(q);
	require(!contained || within(LONG_US, running, q) || tell(), "queue %u does not start again", q);
}

static void step(struct input *in)
{
	uint8_t op = (uint8_t)take(in, 1);
	unsigned int q = op >> 6;

	switch (op & 31) {
	case 0:
		table_entry(in);
		break;
	case 1:
		write_user(in);
		break;
	case 2:
		restart(in, q);
		break;
	case 3:
		command(in, q);
		break;
	case 4:
		anpu_model_doorbell(m, q, contained || (op & 32) ? wptr[q] : take(in, 8));
		break;
	case 5:
		event_queue(in);
		break;
	case 6:
		any_register(in);
		break;
	case 7:
		set(ANPU_REG_TLB_INVALIDATE, op & 32 ? ANPU_TLB_ALL : q);
		break;
	case 8:
		within(200, idle, q);
		break;
	case 9:
		anpu_model_invalidate(m);
		break;
	case 10:
		if (!contained && (op & 32))
			anpu_model_reset(m);
		break;
	case 11:
		if (contained || (op & 32))
			ring(q);
		else
			scribble(in);
		break;
	default:
		submit(in, q);
	}
}

/* Begin and end ------------------------------------------------------------------------------------------- */

static void init(void)
{
	static const struct anpu_host_ops ops = { .map = host_map, .unmap = host_unmap, .raise = host_raise, .clock = host_clock };
	struct anpu_config c;
	char err[200] = "";

	anpu_config_default(&c);
	hbm = aligned_alloc(4096, HBM);
	ram = aligned_alloc(4096, RAM);
	copy = malloc(DRIVER_END);
	require(hbm && ram && copy, "no memory");
	memset(hbm, 0, HBM);
	memset(ram, 0, RAM);
	c.hbm = hbm;
	c.hbm_size = HBM;
	c.cores = 3;
	c.threads = 2;
	c.queues = QUEUES;
	c.asids = SPACES;
	c.event_queues = EVENT_QUEUES;
	c.spin_us = 0;
	m = anpu_model_create(&c, &ops, NULL, err, sizeof(err));
	require(m, "%s", err);
}

static void begin(void)
{
	memset(hbm, 0, USER + 0x2000);
	memset(copy, 0, DRIVER_END);
	for (unsigned int i = 1; i < 7; i++)
		memset(hbm + USER + i * 0x200000, (int)i, 0x4000);
	usual_code();
	usual_tables();
	usual_prints();
	usual_traces();
	set(ANPU_REG_ASID_TABLE, ASID_TABLE);
	set(ANPU_REG_QUEUE_TABLE, QUEUE_TABLE);
	set(ANPU_REG_SHADOW_DOORBELLS, SHADOW);
	set(ANPU_REG_CONTROL, ANPU_CONTROL_ENABLE);
	for (unsigned int n = 0; n < EVENT_QUEUES; n++) {
		set(ANPU_REG_EQ_BASE(n), EVENTS(n));
		set(ANPU_REG_EQ_SIZE(n), 4);
	}
}

static bool ready(unsigned int arg)
{
	(void)arg;
	return anpu_model_read(m, ANPU_REG_STATUS, 8) & ANPU_STATUS_READY;
}

static void check_fault(const struct anpu_fault *f, unsigned int q)
{
	if (!f->ordinal)
		return;
	require(f->cause && f->cause < ANPU_FAULT_COUNT, "fault of cause %u", f->cause);
	require(f->queue == q, "queue %u has a fault of queue %u", q, f->queue);
	require(*f->message && memchr(f->message, 0, sizeof(f->message)), "a fault without a sentence");
}

/* Of the memory that the driver owns, the device may only have written status pages, events and shadow doorbells. */
static void check_contained(void)
{
	for (unsigned int q = 0; q < QUEUES; q++) {
		struct anpu_queue_status *s = (void *)(hbm + STATUS(q));

		require(s->completed <= wptr[q], "queue %u: %llu of %llu packets are completed", q,
			(unsigned long long)s->completed, (unsigned long long)wptr[q]);
		for (unsigned int i = 0; i < ANPU_STATUS_FAULTS; i++)
			check_fault(&s->fault[i], q);
		memset(hbm + STATUS(q), 0, sizeof(*s));
	}
	for (unsigned int n = 0; n < EVENT_QUEUES; n++)
		memset(hbm + EVENTS(n), 0, 0x4000);
	require(!((struct anpu_shadow_doorbells *)(void *)(hbm + SHADOW))->polling, "a device fresh from reset promises to look");
	memset(hbm + SHADOW, 0, sizeof(struct anpu_shadow_doorbells));
	for (unsigned int i = 0; i < DRIVER_END && memcmp(hbm, copy, DRIVER_END); i++)
		require(hbm[i] == copy[i], "a program has changed the driver's memory at 0x%x", i);
}

static void reset(bool by_host)
{
	if (by_host)
		anpu_model_reset(m);
	else
		set(ANPU_REG_CONTROL, ANPU_CONTROL_RESET);
	require(within(LONG_US, ready, 0) || tell(), "a reset does not end");
	require(!atomic_load(&out), "%d transient mappings were not returned", atomic_load(&out));
}

static void nop(void)
{
	union anpu_packet p = { .hdr = { .opcode = ANPU_OP_NOP } };
	struct anpu_queue_status *s = (void *)(hbm + STATUS(0));

	begin();
	contained = true;
	context(NULL, 0, true);
	start(0);
	require(within(LONG_US, running, 0), "after a reset a queue does not start");
	poke(RING(0), &p, sizeof(p));
	wptr[0] = 1;
	poke64(CONTROL(0), 1);
	anpu_model_doorbell(m, 0, 1);
	require(within(LONG_US, idle, 0), "after a reset a NOP does not complete");
	require(!s->errors, "after a reset a NOP fails: %s", s->fault[0].message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	uint8_t ending;

	if (size < 2)
		return 0;
	if (!m)
		init();
	contained = take(&in, 1) & 1;
	ending = (uint8_t)take(&in, 1);
	begin();
	for (unsigned int q = 0; q < QUEUES; q++) {
		context(NULL, q, true);
		start(q);
	}
	while (in.left)
		step(&in);
	for (unsigned int q = 0; q < QUEUES; q++)
		within(300, idle, q);
	reset(ending & 1);
	if (contained)
		check_contained();
	if (ending & 0x0e)
		return 0;
	nop();
	reset(!(ending & 1));
	return 0;
}
