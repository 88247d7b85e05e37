// SPDX-License-Identifier: MIT
/* Packets: the checks of anpu_packet.h, and which function executes which opcode. */
#include <stddef.h>
#include <string.h>

#include "internal.h"
#include "diag/fault.h"
#include "memory/dma.h"
#include "queue/packet.h"
#include "queue/sema.h"

/* bytes [from, to) of the packet must be zero */
struct zero_range {
	uint8_t from;
	uint8_t to;
};

#define RANGE(type, first) { offsetof(struct type, first), ANPU_PACKET_SIZE }
#define FIELD(type, field) { offsetof(struct type, field), \
	offsetof(struct type, field) + sizeof(((struct type *)0)->field) }

/**
 * struct opcode_info - what the format says about an opcode
 * @name: its name in messages
 * @flags: flags that are defined
 * @zero: ranges of reserved bytes
 * @check: checks parameters, beyond flags and reserved bytes; or NULL
 */
struct opcode_info {
	const char *name;
	uint16_t flags;
	struct zero_range zero[2];
	bool (*check)(const struct anpu_model *m, const struct queue *q,
		      const union anpu_packet *p, struct core_fault *f);
};

/* A refusal has the cause BAD_PACKET and a sentence with the value. */
#define REFUSE(f, ...) (fault_set(f, ANPU_FAULT_BAD_PACKET, 0, 0, __VA_ARGS__), false)
#define MISALIGNED(f, at, ...) (fault_set(f, ANPU_FAULT_MISALIGNED, 0, at, __VA_ARGS__), false)

/* Most blocks of a kernel: more if they do not know of each other */
static uint32_t most_blocks(const struct anpu_model *m, const struct anpu_pkt_kernel *k)
{
	bool related = k->core_type == ANPU_CORE_MIX || k->cluster_x > 1 || k->cluster_y > 1 || k->cluster_z > 1;

	return related || m->cfg.hide_caps & ANPU_CAP_BLOCKS ? ANPU_MAX_RELATED_BLOCKS : ANPU_MAX_BLOCKS;
}

static bool check_grid(const struct anpu_model *m, const struct anpu_pkt_kernel *k,
		       struct core_fault *f)
{
	uint64_t blocks = (uint64_t)k->grid_x * k->grid_y;
	uint32_t most = most_blocks(m, k);

	if (!k->grid_x || !k->grid_y || !k->grid_z)
		return REFUSE(f, "KERNEL: grid %ux%ux%u has a zero; each dimension is at least 1",
			      k->grid_x, k->grid_y, k->grid_z);
	if (blocks > most || blocks * k->grid_z > most)
		return REFUSE(f, "KERNEL: grid %ux%ux%u has more than %u blocks", k->grid_x,
			      k->grid_y, k->grid_z, most);
	if ((k->cluster_x && k->grid_x % k->cluster_x) ||
	    (k->cluster_y && k->grid_y % k->cluster_y) ||
	    (k->cluster_z && k->grid_z % k->cluster_z))
		return REFUSE(f, "KERNEL: cluster %ux%ux%u does not divide grid %ux%ux%u",
			      k->cluster_x, k->cluster_y, k->cluster_z, k->grid_x, k->grid_y,
			      k->grid_z);
	if (k->sched_mode >= ANPU_SCHED_COUNT)
		return REFUSE(f, "KERNEL: schedule mode %u is unknown", k->sched_mode);
	blocks *= k->grid_z;
	if (k->sched_mode != ANPU_SCHED_BATCH)
		return true;
	if (blocks > m->cfg.cores)
		return REFUSE(f, "KERNEL: batch mode needs %llu AI cores, the device has %u",
			      ull(blocks), m->cfg.cores);
	if (k->max_cores && blocks > k->max_cores)
		return REFUSE(f, "KERNEL: batch mode needs %llu AI cores, max_cores is %u",
			      ull(blocks), k->max_cores);
	return true;
}

/* Check ANPU_KERNEL_OVERFLOW and the entry of the table that the flags name. */
static bool check_overflow(const struct anpu_model *m, const struct queue *q,
			   const struct anpu_pkt_kernel *k, struct core_fault *f)
{
	const uint16_t entry = ANPU_KERNEL_GET_OVERFLOW_ENTRY(k->hdr.flags);
	const uint16_t ours = ANPU_KERNEL_OVERFLOW | ANPU_KERNEL_OVERFLOW_ENTRY(0xff);

	if (m->cfg.hide_caps & ANPU_CAP_OVERFLOW && k->hdr.flags & ours)
		return REFUSE(f, "KERNEL: flags 0x%x, only 0x%x are defined", k->hdr.flags,
			      ANPU_KERNEL_FLAGS & ~ours);
	if (!(k->hdr.flags & ANPU_KERNEL_OVERFLOW) && entry)
		return REFUSE(f, "KERNEL: entry %u of the overflow table without the flag OVERFLOW",
			      entry);
	if (k->hdr.flags & ANPU_KERNEL_OVERFLOW && !q->ctx.overflow)
		return REFUSE(f, "KERNEL: the flag OVERFLOW, and the queue has no overflow table");
	return true;
}

static bool check_kernel(const struct anpu_model *m, const struct queue *q,
			 const union anpu_packet *p, struct core_fault *f)
{
	const struct anpu_pkt_kernel *k = &p->kernel;
	bool mix = k->core_type == ANPU_CORE_MIX, launch = k->hdr.flags & ANPU_KERNEL_LAUNCH;

	if (!check_grid(m, k, f) || !check_overflow(m, q, k, f))
		return false;
	if (k->core_type >= ANPU_CORE_COUNT)
		return REFUSE(f, "KERNEL: core type %u is unknown", k->core_type);
	if (mix ? k->mix_ratio < 1 || k->mix_ratio > 2 : k->mix_ratio != 0)
		return REFUSE(f, "KERNEL: mix_ratio %u; a MIX kernel has 1 or 2, others 0",
			      k->mix_ratio);
	if (k->aiv_entry && (!mix || k->aiv_entry % 4))
		return REFUSE(f, "KERNEL: aiv_entry %d; a multiple of 4 for MIX kernels, else 0",
			      k->aiv_entry);
	if (k->priority >= ANPU_PRIORITIES)
		return REFUSE(f, "KERNEL: priority %u is not in 0..%d", k->priority,
			      ANPU_PRIORITIES - 1);
	if (k->max_cores && m->cfg.hide_caps & ANPU_CAP_MAX_CORES)
		return REFUSE(f, "KERNEL: reserved byte %zu is 0x%x, must be 0",
			      offsetof(struct anpu_pkt_kernel, max_cores), k->max_cores);
	if (launch && m->cfg.hide_caps & ANPU_CAP_LAUNCH)
		return REFUSE(f, "KERNEL: flags 0x%x, only 0x%x are defined", k->hdr.flags,
			      ANPU_KERNEL_FLAGS & ~ANPU_KERNEL_LAUNCH);
	if (!k->args_size && k->args && !launch)
		return REFUSE(f, "KERNEL: args is 0x%llx but args_size is 0", ull(k->args));
	if (k->args_size + (launch ? (uint64_t)ANPU_LAUNCH_SIZE : 0) > ~k->args)
		return REFUSE(f, "KERNEL: %u bytes of arguments at 0x%llx wrap around",
			      k->args_size, ull(k->args));
	if (k->entry % 4)
		return MISALIGNED(f, k->entry, "KERNEL: entry 0x%llx is not 4-byte aligned",
				  ull(k->entry));
	if (k->args % 8)
		return MISALIGNED(f, k->args, "KERNEL: args 0x%llx is not 8-byte aligned",
				  ull(k->args));
	return true;
}

static bool check_copy(const struct anpu_model *m, const struct queue *q,
		       const union anpu_packet *p, struct core_fault *f)
{
	const struct anpu_pkt_copy *c = &p->copy;

	if (c->size > ~c->src || c->size > ~c->dst)
		return REFUSE(f, "COPY: 0x%llx bytes from 0x%llx to 0x%llx wrap around",
			      ull(c->size), ull(c->src), ull(c->dst));
	return true;
}

static bool rows_wrap(uint64_t base, uint64_t pitch, uint64_t width, uint64_t height)
{
	/* pitch * height is at most 2^63 here */
	uint64_t len = pitch * (height - 1) + width;

	return len > ~base;
}

static bool check_copy_2d(const struct anpu_model *m, const struct queue *q,
			  const union anpu_packet *p, struct core_fault *f)
{
	const struct anpu_pkt_copy_2d *c = &p->copy_2d;
	uint64_t pitch = c->src_pitch > c->dst_pitch ? c->src_pitch : c->dst_pitch;

	if (c->src_pitch < c->width || c->dst_pitch < c->width)
		return REFUSE(f, "COPY_2D: width 0x%llx exceeds the pitch (source 0x%llx, destination 0x%llx)",
			      ull(c->width), ull(c->src_pitch), ull(c->dst_pitch));
	if (c->height && pitch > (1ULL << 63) / c->height)
		return REFUSE(f, "COPY_2D: pitch 0x%llx times height 0x%llx exceeds 2^63",
			      ull(pitch), ull(c->height));
	if (c->height && (rows_wrap(c->src, c->src_pitch, c->width, c->height) ||
			  rows_wrap(c->dst, c->dst_pitch, c->width, c->height)))
		return REFUSE(f, "COPY_2D: the rows from 0x%llx to 0x%llx wrap around",
			      ull(c->src), ull(c->dst));
	return true;
}

static bool check_copy_desc(const struct anpu_model *m, const struct queue *q,
			    const union anpu_packet *p, struct core_fault *f)
{
	if (p->copy_desc.desc % 8)
		return MISALIGNED(f, p->copy_desc.desc,
				  "COPY_DESC: descriptor 0x%llx is not 8-byte aligned",
				  ull(p->copy_desc.desc));
	return true;
}

static bool check_fill(const struct anpu_model *m, const struct queue *q,
		       const union anpu_packet *p, struct core_fault *f)
{
	const struct anpu_pkt_fill *c = &p->fill;
	uint32_t n = c->pattern_size;

	if (n != 1 && n != 2 && n != 4 && n != 8)
		return REFUSE(f, "FILL: pattern_size %u is not 1, 2, 4 or 8", n);
	if (c->size % n)
		return REFUSE(f, "FILL: size 0x%llx is not a multiple of the pattern's %u bytes",
			      ull(c->size), n);
	if (c->size > ~c->dst)
		return REFUSE(f, "FILL: 0x%llx bytes at 0x%llx wrap around", ull(c->size),
			      ull(c->dst));
	if (c->dst % n)
		return MISALIGNED(f, c->dst, "FILL: dst 0x%llx is not aligned to the %u-byte pattern",
				  ull(c->dst), n);
	return true;
}

static bool check_width(const char *name, uint64_t addr, uint32_t width, struct core_fault *f)
{
	if (width != 4 && width != 8)
		return REFUSE(f, "%s: width %u is not 4 or 8", name, width);
	if (addr % width)
		return MISALIGNED(f, addr, "%s: semaphore 0x%llx is not aligned to its %u bytes",
				  name, ull(addr), width);
	return true;
}

static bool check_sem_signal(const struct anpu_model *m, const struct queue *q,
			     const union anpu_packet *p, struct core_fault *f)
{
	const struct anpu_pkt_sem_signal *s = &p->sem_signal;

	if (s->op >= ANPU_SEM_OP_COUNT)
		return REFUSE(f, "SEM_SIGNAL: operation %u is unknown", s->op);
	if (s->timestamp % 8)
		return MISALIGNED(f, s->timestamp,
				  "SEM_SIGNAL: timestamp 0x%llx is not 8-byte aligned",
				  ull(s->timestamp));
	return check_width("SEM_SIGNAL", s->addr, s->width, f);
}

static bool check_sem_wait(const struct anpu_model *m, const struct queue *q,
			   const union anpu_packet *p, struct core_fault *f)
{
	if (p->sem_wait.cond >= ANPU_SEM_COND_COUNT)
		return REFUSE(f, "SEM_WAIT: condition %u is unknown", p->sem_wait.cond);
	return check_width("SEM_WAIT", p->sem_wait.addr, p->sem_wait.width, f);
}

static bool check_timestamp(const struct anpu_model *m, const struct queue *q,
			    const union anpu_packet *p, struct core_fault *f)
{
	if (p->timestamp.addr % 8)
		return MISALIGNED(f, p->timestamp.addr,
				  "TIMESTAMP: address 0x%llx is not 8-byte aligned",
				  ull(p->timestamp.addr));
	return true;
}

static bool check_indirect(const struct anpu_model *m, const struct queue *q,
			   const union anpu_packet *p, struct core_fault *f)
{
	const struct anpu_pkt_indirect *i = &p->indirect;

	if (q->ib_active)
		return REFUSE(f, "INDIRECT: inside an INDIRECT packet");
	if (!i->count || i->count > ANPU_MAX_INDIRECT)
		return REFUSE(f, "INDIRECT: count %u is not in 1..%d", i->count, ANPU_MAX_INDIRECT);
	if ((uint64_t)i->count * ANPU_PACKET_SIZE > ~i->addr)
		return REFUSE(f, "INDIRECT: %u packets at 0x%llx wrap around", i->count,
			      ull(i->addr));
	if (i->addr % ANPU_PACKET_SIZE)
		return MISALIGNED(f, i->addr, "INDIRECT: address 0x%llx is not 64-byte aligned",
				  ull(i->addr));
	return true;
}

static bool check_jump(const struct anpu_model *m, const struct queue *q,
		       const union anpu_packet *p, struct core_fault *f)
{
	const struct anpu_pkt_jump *j = &p->jump;
	uint16_t alone = j->hdr.flags & (ANPU_JUMP_ALWAYS | ANPU_JUMP_TABLE);

	if (!q->ib_active)
		return REFUSE(f, "JUMP: outside of an INDIRECT packet");
	if (alone && alone != j->hdr.flags)
		return REFUSE(f, "JUMP: flags 0x%x; ALWAYS and TABLE stand alone", j->hdr.flags);
	if (!(alone & ANPU_JUMP_TABLE) && j->target > q->ib_count)
		return REFUSE(f, "JUMP: target %u, the INDIRECT has %u packets", j->target,
			      q->ib_count);
	if (alone & ANPU_JUMP_ALWAYS)
		return !(j->addr | j->value | j->mask | j->cond | j->width) ||
		       REFUSE(f, "JUMP: ALWAYS has no condition, its fields must be 0");
	if (!check_width("JUMP", j->addr, j->width, f))
		return false;
	if (alone & ANPU_JUMP_TABLE) {
		if (!j->target || j->mask || j->cond || j->width != 4)
			return REFUSE(f, "JUMP: a table has width 4, no condition and at least one entry");
		if (4ULL * j->target > ~j->value)
			return REFUSE(f, "JUMP: %u entries at 0x%llx wrap around", j->target,
				      ull(j->value));
		return check_width("JUMP", j->value, 4, f);
	}
	if (j->cond >= ANPU_SEM_COND_COUNT)
		return REFUSE(f, "JUMP: condition %u is unknown", j->cond);
	return !(j->hdr.flags & ANPU_JUMP_MEMORY) || check_width("JUMP", j->value, j->width, f);
}

static bool check_reduce(const struct anpu_model *m, const struct queue *q,
			 const union anpu_packet *p, struct core_fault *f)
{
	const struct anpu_pkt_reduce *r = &p->reduce;
	uint32_t n;

	if (r->op >= ANPU_REDUCE_OP_COUNT)
		return REFUSE(f, "REDUCE: operation %u is unknown", r->op);
	if (r->type >= ANPU_REDUCE_TYPE_COUNT)
		return REFUSE(f, "REDUCE: type %u is unknown", r->type);
	n = ANPU_REDUCE_SIZE(r->type);
	if (r->size % n)
		return REFUSE(f, "REDUCE: size 0x%llx is not a multiple of the element's %u bytes",
			      ull(r->size), n);
	if (r->size > ~r->src || r->size > ~r->dst)
		return REFUSE(f, "REDUCE: 0x%llx bytes from 0x%llx to 0x%llx wrap around",
			      ull(r->size), ull(r->src), ull(r->dst));
	if (r->src % n)
		return MISALIGNED(f, r->src, "REDUCE: src 0x%llx is not aligned to the %u-byte element",
				  ull(r->src), n);
	if (r->dst % n)
		return MISALIGNED(f, r->dst, "REDUCE: dst 0x%llx is not aligned to the %u-byte element",
				  ull(r->dst), n);
	return true;
}

static bool check_random(const struct anpu_model *m, const struct queue *q,
			 const union anpu_packet *p, struct core_fault *f)
{
	const struct anpu_pkt_random *r = &p->random;
	uint32_t n;

	if (r->dist >= ANPU_RANDOM_DIST_COUNT)
		return REFUSE(f, "RANDOM: distribution %u is unknown", r->dist);
	if (r->type >= ANPU_RANDOM_TYPE_COUNT)
		return REFUSE(f, "RANDOM: type %u is unknown", r->type);
	if (r->dist != ANPU_RANDOM_UNIFORM && r->type < ANPU_RANDOM_F16)
		return REFUSE(f, "RANDOM: distribution %u has no type %u", r->dist, r->type);
	if (r->dist == ANPU_RANDOM_BITMASK && (r->b || r->hdr.flags & ANPU_RANDOM_B_AT))
		return REFUSE(f, "RANDOM: a mask has no second parameter, b is 0x%llx", ull(r->b));
	n = r->dist == ANPU_RANDOM_BITMASK ? 1 : ANPU_RANDOM_SIZE(r->type);
	if (r->dst % n)
		return MISALIGNED(f, r->dst, "RANDOM: dst 0x%llx is not aligned to the %u-byte element",
				  ull(r->dst), n);
	return true;
}

static bool check_notify(const struct anpu_model *m, const struct queue *q,
			 const union anpu_packet *p, struct core_fault *f)
{
	if (!event_enabled((struct anpu_model *)m, q->ctx.event_queue))
		return REFUSE(f, "NOTIFY: event queue %u is disabled, nobody would be told",
			      q->ctx.event_queue);
	return true;
}

static const struct opcode_info opcodes[ANPU_OP_COUNT] = {
	[ANPU_OP_NOP] = { "NOP", 0, { { 8, ANPU_PACKET_SIZE } }, NULL },
	[ANPU_OP_KERNEL] = { "KERNEL", ANPU_KERNEL_FLAGS, { { 0, 0 } }, check_kernel },
	[ANPU_OP_COPY] = { "COPY", 0, { RANGE(anpu_pkt_copy, reserved) }, check_copy },
	[ANPU_OP_COPY_2D] = { "COPY_2D", 0, { RANGE(anpu_pkt_copy_2d, reserved) },
		check_copy_2d },
	[ANPU_OP_COPY_DESC] = { "COPY_DESC", 0, { RANGE(anpu_pkt_copy_desc, reserved) },
		check_copy_desc },
	[ANPU_OP_FILL] = { "FILL", 0, { RANGE(anpu_pkt_fill, reserved0) }, check_fill },
	[ANPU_OP_SEM_SIGNAL] = { "SEM_SIGNAL", ANPU_SEM_SIGNAL_FLAGS,
		{ RANGE(anpu_pkt_sem_signal, reserved) }, check_sem_signal },
	[ANPU_OP_SEM_WAIT] = { "SEM_WAIT", ANPU_SEM_WAIT_FLAGS,
		{ RANGE(anpu_pkt_sem_wait, reserved) }, check_sem_wait },
	[ANPU_OP_TIMESTAMP] = { "TIMESTAMP", 0, { RANGE(anpu_pkt_timestamp, reserved) },
		check_timestamp },
	[ANPU_OP_NOTIFY] = { "NOTIFY", 0, { RANGE(anpu_pkt_notify, reserved) }, check_notify },
	[ANPU_OP_INDIRECT] = { "INDIRECT", 0, { RANGE(anpu_pkt_indirect, reserved0) },
		check_indirect },
	[ANPU_OP_JUMP] = { "JUMP", ANPU_JUMP_FLAGS, { RANGE(anpu_pkt_jump, reserved0) },
		check_jump },
	[ANPU_OP_REDUCE] = { "REDUCE", 0, { RANGE(anpu_pkt_reduce, reserved) }, check_reduce },
	[ANPU_OP_RANDOM] = { "RANDOM", ANPU_RANDOM_FLAGS, { RANGE(anpu_pkt_random, reserved) },
		check_random },
};

static bool check_zero(const struct opcode_info *info, const union anpu_packet *p,
		       struct core_fault *f)
{
	static const uint8_t zeros[ANPU_PACKET_SIZE];
	const uint8_t *bytes = (const uint8_t *)p;

	if (p->hdr.reserved)
		return REFUSE(f, "%s: reserved byte of the header is 0x%x, must be 0", info->name,
			      p->hdr.reserved);
	for (int r = 0; r < 2; r++) {
		unsigned int i = info->zero[r].from;

		if (!memcmp(bytes + i, zeros, info->zero[r].to - i))
			continue;
		while (!bytes[i])
			i++;
		return REFUSE(f, "%s: reserved byte %u is 0x%x, must be 0", info->name, i,
			      bytes[i]);
	}
	return true;
}

/**
 * packet_check() - all checks that need no memory but the packet's own 64 bytes
 * @p: a private copy: the guest may change the original at any time
 */
bool packet_check(const struct anpu_model *m, const struct queue *q, const union anpu_packet *p,
		  struct core_fault *f)
{
	const struct opcode_info *info;

	if (p->hdr.opcode >= ANPU_OP_COUNT || !opcodes[p->hdr.opcode].name) {
		fault_set(f, ANPU_FAULT_BAD_OPCODE, 0, 0, "opcode %u is not defined",
			  p->hdr.opcode);
		return false;
	}
	info = &opcodes[p->hdr.opcode];
	if (p->hdr.flags & ~info->flags)
		return REFUSE(f, "%s: flags 0x%x, only 0x%x are defined", info->name,
			      p->hdr.flags, info->flags);
	return check_zero(info, p, f) && (!info->check || info->check(m, q, p, f));
}

static enum exec_result timestamp(struct worker *w, struct queue *q)
{
	uint64_t span;
	uint64_t *to;

	mmu_enter(&w->mmu, q->ctx.asid);
	to = mmu_access(&w->mmu, q->pkt.timestamp.addr, ANPU_ACCESS_WRITE, &span, &w->fault);
	if (to)
		__atomic_store_n(to, model_clock(q->m), __ATOMIC_SEQ_CST);
	mmu_exit(&w->mmu);
	return to ? EXEC_DONE : EXEC_FAULT;
}

static enum exec_result notify(struct queue *q)
{
	q->owed[q->n_owed++] = (struct anpu_event){
		.type = ANPU_EVENT_NOTIFY, .queue = q->id, .seq = q->completed + 1,
		.cookie = q->ctx.cookie, .data0 = q->pkt.notify.cookie,
		.data1 = q->pkt.notify.value };
	return EXEC_DONE;
}

/**
 * packet_exec() - execute the checked packet in the queue's hand, or go on with one that was parked
 *
 * An INDIRECT never comes here: queue.c fetches its packets.
 */
enum exec_result packet_exec(struct worker *w, struct queue *q)
{
	const union anpu_packet *p = &q->pkt;

	switch (p->hdr.opcode) {
	case ANPU_OP_NOP:
		return EXEC_DONE;
	case ANPU_OP_KERNEL:
		return job_start_kernel(w, q);
	case ANPU_OP_COPY:
		return dma_copy(w, q, p->copy.src, p->copy.dst, p->copy.size);
	case ANPU_OP_COPY_2D:
		return dma_copy_2d(w, q);
	case ANPU_OP_COPY_DESC:
		return dma_copy_desc(w, q);
	case ANPU_OP_FILL:
		return dma_fill(w, q);
	case ANPU_OP_SEM_SIGNAL:
		return sema_signal(w, q);
	case ANPU_OP_SEM_WAIT:
		return sema_wait(w, q);
	case ANPU_OP_TIMESTAMP:
		return timestamp(w, q);
	case ANPU_OP_NOTIFY:
		return notify(q);
	case ANPU_OP_JUMP:
		return sema_jump(w, q);
	case ANPU_OP_REDUCE:
		return dma_reduce(w, q);
	case ANPU_OP_RANDOM:
		return dma_random(w, q);
	default:
		__builtin_unreachable();
	}
}
