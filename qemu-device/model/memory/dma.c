// SPDX-License-Identifier: MIT
/*
 * The DMA engine: COPY, COPY_2D, COPY_DESC, FILL, REDUCE, RANDOM over runs of contiguous host
 * memory.
 */
#include <string.h>

#include "internal.h"
#include "diag/fault.h"
#include "memory/dma.h"
#include "memory/random.h"
#include "memory/reduce.h"
#include "sched/parked.h"

/* bytes between two looks at invalidations, kills and the clock; they take some 25 us */
#define PIECE_POLL	(256ULL << 10)
/* larger packets are jobs, which give way to others at the end of a turn */
#define SINGLE_MAX	PIECE_POLL
#define RANDOM_SINGLE	(4ULL << 10)
/* larger packets are split into units for all workers */
#define SPLIT_MIN	(4ULL << 20)
#define SPLIT_UNIT	(1ULL << 20)
/* the same of RANDOM, whose bytes take some fifty times as long */
#define RANDOM_MIN	(128ULL << 10)
#define RANDOM_UNIT	(32ULL << 10)
/* what the C library's memcpy() moves by its vector loop in any case */
#define MOVE_PIECE	2048ULL
/* to begin a row takes as long as to move so many bytes */
#define ROW_BYTES	1024ULL
/* the longest turn; half of a block's, as the clock is read less often */
#define DMA_SLICE_NS	(SLICE_NS / 2)

static const char *name_of(const struct queue *q)
{
	switch (q->pkt.hdr.opcode) {
	case ANPU_OP_REDUCE:
		return "reduction";
	case ANPU_OP_RANDOM:
		return "generator";
	default:
		return "copy";
	}
}

/**
 * dma_look() - every @poll bytes: take part in invalidations, look for kills and at the clock
 * @addr: what is written next
 *
 * The caller holds no pointer from mmu_access(). Return: false if the packet is to end: @f is
 * filled.
 */
bool dma_look(struct dma_slice *s, uint64_t poll, uint64_t addr, struct core_fault *f)
{
	uint32_t cause;

	if (s->since < poll)
		return true;
	s->since = 0;
	mmu_poll(s->mmu);
	cause = queue_ends(s->q);
	if (cause) {
		fault_set(f, cause, 0, 0, "the %s was stopped before 0x%llx was written",
			  name_of(s->q), ull(addr));
		return false;
	}
	s->over = s->until != ~0ULL && model_clock(s->q->m) >= s->until;
	return true;
}

/*
 * For some thousand bytes and more the C library takes "rep movsb", which some processors (AMD's Zen) execute at a tenth of its
 * speed where the destination is 1 to 31 bytes ahead of the source, modulo 4096. Copies into malloc()'s large blocks are such:
 * pieces keep the C library to its vector loop.
 */
static void move_bytes(char *to, const char *from, uint64_t n)
{
	bool apart = (uintptr_t)to - (uintptr_t)from >= n && (uintptr_t)from - (uintptr_t)to >= n;
	unsigned int ahead = ((uintptr_t)to - (uintptr_t)from) % 4096;
	uint64_t done, piece = apart && ahead && ahead < 32 ? MOVE_PIECE : n;

	/* compilers make "rep movs" of a constant size, too */
	for (done = 0; done < n; done += piece)
		memmove(to + done, from + done, n - done < piece ? n - done : piece);
}

/*
 * Semaphores may be copied and filled while other queues look at them, and an event is reset by a
 * FILL of eight bytes: so 4 or 8 aligned bytes are moved by one access.
 */
static void move(const struct dma_pass *pass, void *to, const void *from, uint64_t n)
{
	uintptr_t bits = (uintptr_t)to | (uintptr_t)from;

	if (n == 8 && !(bits & 7))
		__atomic_store_n((uint64_t *)to, __atomic_load_n((const uint64_t *)from,
								 __ATOMIC_ACQUIRE),
				 __ATOMIC_RELEASE);
	else if (n == 4 && !(bits & 3))
		__atomic_store_n((uint32_t *)to, __atomic_load_n((const uint32_t *)from,
								 __ATOMIC_ACQUIRE),
				 __ATOMIC_RELEASE);
	else
		move_bytes(to, from, n);
}

/*
 * Work on two ranges side by side, run by run of contiguous host memory. Inside mmu_enter();
 * packet_check() has made sure that the addresses do not wrap.
 *
 * Only pages and @pass->poll cut a run, never the clock: so a word of 4 or 8 bytes is moved by one
 * access. Return: false if it failed; else @s tells how far the turn went.
 */
bool dma_walk(struct dma_slice *s, const struct dma_pass *pass, uint64_t src, uint64_t dst,
	      uint64_t size, struct core_fault *f)
{
	while (size) {
		uint64_t from_span, to_span, n;
		void *from, *to;

		if (!dma_look(s, pass->poll, dst, f))
			return false;
		if (s->over)
			return true;
		from = mmu_access(s->mmu, src, ANPU_ACCESS_READ, &from_span, f);
		if (!from)
			return false;
		to = mmu_access(s->mmu, dst, pass->access, &to_span, f);
		if (!to)
			return false;
		n = from_span < to_span ? from_span : to_span;
		if (n > size)
			n = size;
		if (n > pass->poll)
			n = pass->poll;
		pass->work(pass, to, from, n);
		src += n;
		dst += n;
		size -= n;
		s->since += n;
		s->written += n;
	}
	return true;
}

/* Copy @size bytes from byte @at on, counted as if the rows stood behind each other. */
static bool copy_range(struct dma_slice *s, const struct job *job, uint64_t at, uint64_t size,
		       struct core_fault *f)
{
	static const struct dma_pass copy = { .work = move, .poll = PIECE_POLL, .access = ANPU_ACCESS_WRITE };
	uint64_t row = at / job->width, skip = at % job->width;

	while (size && !s->over) {
		uint64_t n = job->width - skip < size ? job->width - skip : size;

		if (!dma_walk(s, &copy, job->src + row * job->src_pitch + skip,
			      job->dst + row * job->dst_pitch + skip, n, f))
			return false;
		s->since += ROW_BYTES;
		size -= n;
		skip = 0;
		row++;
	}
	return true;
}

static void fill_bytes(uint8_t *to, uint64_t n, uint64_t pattern, uint32_t pattern_size)
{
	uint64_t done;

	if (pattern_size == 1) {
		memset(to, (int)(pattern & 0xff), n);
		return;
	}
	/* a run begins at a multiple of the pattern's size: double what is filled already */
	memcpy(to, &pattern, n < pattern_size ? n : pattern_size);
	for (done = pattern_size; done < n; ) {
		uint64_t more = done < n - done ? done : n - done;

		if (more > 32768)
			more = 32768;
		memcpy(to + done, to, more);
		done += more;
	}
}

static void fill_run(void *to, uint64_t n, uint64_t pattern, uint32_t pattern_size)
{
	uint64_t word = 0;

	if (n != 4 && n != 8) {
		fill_bytes(to, n, pattern, pattern_size);
		return;
	}
	fill_bytes((uint8_t *)&word, n, pattern, pattern_size);
	move(NULL, to, &word, n);
}

static bool fill_range(struct dma_slice *s, const struct job *job, uint64_t at, uint64_t size,
		       struct core_fault *f)
{
	uint64_t dst = job->dst + at;

	while (size) {
		uint64_t n;
		void *to;

		if (!dma_look(s, PIECE_POLL, dst, f))
			return false;
		if (s->over)
			return true;
		to = mmu_access(s->mmu, dst, ANPU_ACCESS_WRITE, &n, f);
		if (!to)
			return false;
		if (n > size)
			n = size;
		if (n > PIECE_POLL)
			n = PIECE_POLL;
		fill_run(to, n, job->pattern, job->pattern_size);
		dst += n;
		size -= n;
		s->since += n;
		s->written += n;
	}
	return true;
}

/* Execute a part of what @job describes. */
static bool do_range(struct dma_slice *s, const struct job *job, uint64_t at, uint64_t size,
		     struct core_fault *f)
{
	switch (job->type) {
	case JOB_COPY:
		return copy_range(s, job, at, size, f);
	case JOB_REDUCE:
		return reduce_range(s, job->src + at, job->dst + at, size, f);
	case JOB_RANDOM:
		return random_range(s, &job->random, at, size, f);
	default: /* JOB_FILL */
		return fill_range(s, job, at, size, f);
	}
}

static void count_bytes(struct queue *q, uint64_t bytes)
{
	shared_write(&q->status->copy_bytes, shared_read(&q->status->copy_bytes) + bytes);
	count_add(&q->m->count.copy_bytes, bytes);
}

/* Has the job run for longer than the device allows? Then @f is filled. */
static bool past_limit(const struct job *job, uint64_t now, uint64_t addr, struct core_fault *f)
{
	if (job->deadline == ~0ULL || now < job->deadline)
		return false;
	fault_set(f, ANPU_FAULT_TIMEOUT, 0, 0,
		  "the %s ran longer than its limit of %llu us: 0x%llx and what follows is not written",
		  name_of(job->q), ull(job->limit_us), ull(addr));
	return true;
}

/**
 * dma_unit() - a worker's turn with a unit of a job
 * @u: the unit; @u->written grows
 *
 * The bytes are counted when the job ends. Return: CORE_MORE if the turn was over before the unit
 * was done.
 */
enum core_result dma_unit(struct worker *w, struct job *job, struct unit *u, struct core_fault *f)
{
	uint64_t at = (uint64_t)u->number * job->piece, now = model_clock(w->m);
	uint64_t n = job->size - at < job->piece ? job->size - at : job->piece;
	struct dma_slice s = { .mmu = &w->mmu, .q = job->q, .until = now + DMA_SLICE_NS,
			       /* look at once: it may have been killed while it was set aside */
			       .since = ~0ULL };
	bool ok;

	at += u->written;
	n -= u->written;
	if (past_limit(job, now, job->dst + at, f))
		return CORE_FAULT;
	mmu_enter(&w->mmu, job->q->ctx.asid);
	ok = dma_look(&s, 0, job->dst + at, f) && do_range(&s, job, at, n, f);
	mmu_exit(&w->mmu);
	if (!ok)
		return CORE_FAULT;
	u->written += s.written;
	return s.written == n ? CORE_DONE : CORE_MORE;
}

/* Execute what q->job describes in one go: it is short, or the device is in deterministic mode. */
static enum exec_result run_at_once(struct worker *w, struct queue *q)
{
	struct job *job = q->job;
	struct dma_slice s = { .mmu = &w->mmu, .q = q, .until = ~0ULL };
	bool ok;

	mmu_enter(&w->mmu, q->ctx.asid);
	ok = do_range(&s, job, 0, job->size, &w->fault);
	mmu_exit(&w->mmu);
	if (!ok)
		return EXEC_FAULT;
	count_bytes(q, job->size);
	parked_memory_written(w, NULL);
	return EXEC_DONE;
}

/**
 * struct dma_cost - sizes from which a kind of packet is executed in another way
 * @brief: larger packets are executed while another worker looks at doorbells
 * @single: larger packets are jobs
 * @split: packets of this size and larger are split among all workers, in units of @unit bytes
 */
struct dma_cost {
	uint64_t brief, single, split, unit;
};

static const struct dma_cost copy_cost = { BRIEF_BYTES, SINGLE_MAX, SPLIT_MIN, SPLIT_UNIT };
static const struct dma_cost random_cost = { BRIEF_BYTES / 64, RANDOM_SINGLE, RANDOM_MIN, RANDOM_UNIT };

/* Execute what q->job describes. It takes as long as @bytes contiguous bytes of its kind. */
static enum exec_result execute(struct worker *w, struct queue *q, uint64_t bytes,
				const struct dma_cost *cost)
{
	struct job *job = q->job;

	if (bytes > cost->brief)
		pool_unwatch(w);
	/* in deterministic mode there are no turns, as the clock decides nothing */
	if (bytes <= cost->single || q->m->cfg.deterministic)
		return run_at_once(w, q);
	job->piece = job->size;
	if (bytes >= cost->split) {
		job->piece = cost->unit;
		/* units of whole rows, so that a word is not split between two workers */
		if (job->type == JOB_COPY && job->width < job->piece)
			job->piece = (cost->unit / (job->width + ROW_BYTES) + 1) * job->width;
		/* few enough units for the 32-bit counters, whatever the size */
		while (job->size / job->piece >= 1U << 20)
			job->piece *= 2;
	}
	/* rounded up, without overflow: the size may be all of 64 bits */
	job->total = (job->size - 1) / job->piece + 1;
	return job_start_dma(w, q);
}

enum exec_result dma_copy(struct worker *w, struct queue *q, uint64_t src, uint64_t dst,
			  uint64_t size)
{
	struct job *job = q->job;

	if (!size)
		return EXEC_DONE;
	job->type = JOB_COPY;
	job->src = src;
	job->dst = dst;
	job->size = size;
	job->width = size;
	return execute(w, q, size, &copy_cost);
}

enum exec_result dma_copy_2d(struct worker *w, struct queue *q)
{
	const struct anpu_pkt_copy_2d *p = &q->pkt.copy_2d;
	struct job *job = q->job;

	if (!p->width || !p->height)
		return EXEC_DONE;
	job->type = JOB_COPY;
	job->src = p->src;
	job->dst = p->dst;
	job->src_pitch = p->src_pitch;
	job->dst_pitch = p->dst_pitch;
	job->width = p->width;
	/* packet_check() has made sure that even pitch times height is at most 2^63 */
	job->size = p->width * p->height;
	if (p->height > SPLIT_MIN / ROW_BYTES)
		return execute(w, q, ~0ULL, &copy_cost);
	return execute(w, q, job->size + p->height * ROW_BYTES, &copy_cost);
}

enum exec_result dma_copy_desc(struct worker *w, struct queue *q)
{
	struct anpu_copy_desc d;
	bool ok;

	mmu_enter(&w->mmu, q->ctx.asid);
	ok = mmu_read_mem(&w->mmu, &d, q->pkt.copy_desc.desc, sizeof(d), &w->fault);
	mmu_exit(&w->mmu);
	if (!ok)
		return EXEC_FAULT;
	if (d.reserved) {
		fault_set(&w->fault, ANPU_FAULT_BAD_PACKET, 0, q->pkt.copy_desc.desc,
			  "COPY_DESC: the descriptor's reserved field is 0x%llx, must be 0",
			  ull(d.reserved));
		return EXEC_FAULT;
	}
	if (d.size > ~d.src || d.size > ~d.dst) {
		fault_set(&w->fault, ANPU_FAULT_BAD_PACKET, 0, q->pkt.copy_desc.desc,
			  "COPY_DESC: 0x%llx bytes from 0x%llx to 0x%llx wrap around", ull(d.size),
			  ull(d.src), ull(d.dst));
		return EXEC_FAULT;
	}
	return dma_copy(w, q, d.src, d.dst, d.size);
}

enum exec_result dma_fill(struct worker *w, struct queue *q)
{
	const struct anpu_pkt_fill *p = &q->pkt.fill;
	struct job *job = q->job;

	if (!p->size)
		return EXEC_DONE;
	job->type = JOB_FILL;
	job->dst = p->dst;
	job->size = p->size;
	job->pattern = p->pattern;
	job->pattern_size = p->pattern_size;
	return execute(w, q, p->size, &copy_cost);
}

enum exec_result dma_reduce(struct worker *w, struct queue *q)
{
	const struct anpu_pkt_reduce *p = &q->pkt.reduce;
	struct job *job = q->job;

	if (!p->size)
		return EXEC_DONE;
	job->type = JOB_REDUCE;
	job->src = p->src;
	job->dst = p->dst;
	/* units are multiples of every element's size */
	job->size = p->size;
	return execute(w, q, p->size, &copy_cost);
}

enum exec_result dma_random(struct worker *w, struct queue *q)
{
	struct job *job = q->job;

	if (!random_prepare(w, q, &job->random))
		return EXEC_FAULT;
	if (!job->random.size)
		return EXEC_DONE;
	job->type = JOB_RANDOM;
	job->dst = job->random.dst;
	job->size = job->random.size;
	return execute(w, q, job->size, &random_cost);
}
