// SPDX-License-Identifier: MIT
/* The DMA engine: COPY, COPY_2D, COPY_DESC, FILL, REDUCE, RANDOM over runs of contiguous host memory. */
#include <string.h>

#include "internal.h"

/* bytes moved between two looks at invalidations and kills, some 25 us */
#define PIECE_POLL	(256ULL << 10)
/* from this size on a copy is split into units for all workers */
#define SPLIT_MIN	(4ULL << 20)
#define SPLIT_UNIT	(1ULL << 20)
/* random numbers take some fifty times as long */
#define RANDOM_MIN	(128ULL << 10)
#define RANDOM_UNIT	(32ULL << 10)
/* copies of more rows keep nobody watching, see pool.c */
#define BRIEF_ROWS	64

/* Shall the packet end before it writes to this address? Fills @f with that. */
bool dma_stopped(struct queue *q, uint64_t addr, struct core_fault *f)
{
	uint32_t cause = queue_ends(q);

	if (!cause)
		return false;
	fault_set(f, cause, 0, 0, "the %s was stopped before 0x%llx was written",
		  q->pkt.hdr.opcode == ANPU_OP_REDUCE ? "reduction" :
		  q->pkt.hdr.opcode == ANPU_OP_RANDOM ? "generator" : "copy",
		  (unsigned long long)addr);
	return true;
}

/*
 * Semaphores are copied and filled too, while other queues look at them: words move whole. An event
 * is reset by a FILL of eight bytes.
 */
static void move(void *to, const void *from, uint64_t n)
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
		memmove(to, from, n);
}

/*
 * Two ranges side by side, run by run of contiguous host memory. Inside mmu_enter(); the address space
 * must not wrap: packet_check() sees to that.
 */
bool dma_walk(struct mmu *mmu, struct queue *q, const struct dma_pass *pass, uint64_t src, uint64_t dst,
	      uint64_t size, struct core_fault *f)
{
	uint64_t since = 0;

	while (size) {
		uint64_t from_span, to_span, n;
		void *from, *to;

		if (since >= pass->poll) {
			since = 0;
			mmu_poll(mmu);
			if (dma_stopped(q, dst, f))
				return false;
		}
		from = mmu_access(mmu, src, ANPU_ACCESS_READ, &from_span, f);
		if (!from)
			return false;
		to = mmu_access(mmu, dst, pass->access, &to_span, f);
		if (!to)
			return false;
		n = from_span < to_span ? from_span : to_span;
		if (n > size)
			n = size;
		if (n > pass->poll - since)
			n = pass->poll - since;
		pass->work(to, from, n);
		src += n;
		dst += n;
		size -= n;
		since += n;
	}
	return true;
}

static bool copy_range(struct mmu *mmu, struct queue *q, uint64_t src, uint64_t dst, uint64_t size,
		       struct core_fault *f)
{
	static const struct dma_pass copy = { move, PIECE_POLL, ANPU_ACCESS_WRITE };

	return dma_walk(mmu, q, &copy, src, dst, size, f);
}

static void fill_bytes(uint8_t *to, uint64_t n, uint64_t pattern, uint32_t pattern_size)
{
	uint64_t done;

	if (pattern_size == 1) {
		memset(to, (int)(pattern & 0xff), n);
		return;
	}
	/* runs begin at a multiple of the pattern's size; double what is there already */
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
	move(to, &word, n);
}

static bool fill_range(struct mmu *mmu, struct queue *q, uint64_t dst, uint64_t size,
		       uint64_t pattern, uint32_t pattern_size, struct core_fault *f)
{
	uint64_t since = 0;

	while (size) {
		uint64_t n;
		void *to;

		if (since >= PIECE_POLL) {
			since = 0;
			mmu_poll(mmu);
			if (dma_stopped(q, dst, f))
				return false;
		}
		to = mmu_access(mmu, dst, ANPU_ACCESS_WRITE, &n, f);
		if (!to)
			return false;
		if (n > size)
			n = size;
		if (n > PIECE_POLL - since)
			n = PIECE_POLL - since;
		fill_run(to, n, pattern, pattern_size);
		dst += n;
		size -= n;
		since += n;
	}
	return true;
}

static void count_bytes(struct queue *q, uint64_t bytes)
{
	shared_write(&q->status->copy_bytes, shared_read(&q->status->copy_bytes) + bytes);
	count_add(&q->m->count.copy_bytes, bytes);
}

/* One unit of a split copy, fill or reduction, on any worker. Counting is left to the end of the job. */
bool dma_unit(struct worker *w, struct job *job, uint32_t unit, struct core_fault *f)
{
	uint64_t at = (uint64_t)unit * job->piece;
	uint64_t n = job->size - at < job->piece ? job->size - at : job->piece;
	bool ok;

	mmu_enter(&w->mmu, job->q->ctx.asid);
	if (job->type == JOB_COPY)
		ok = copy_range(&w->mmu, job->q, job->src + at, job->dst + at, n, f);
	else if (job->type == JOB_REDUCE)
		ok = reduce_range(&w->mmu, job->q, job->src + at, job->dst + at, n, f);
	else if (job->type == JOB_RANDOM)
		ok = random_range(&w->mmu, job->q, &job->random, at, n, f);
	else
		ok = fill_range(&w->mmu, job->q, job->dst + at, n, job->pattern, job->pattern_size,
				f);
	mmu_exit(&w->mmu);
	return ok;
}

/* The end of a packet that was executed at once: @bytes were written, if it went well. */
static enum exec_result leave(struct worker *w, struct queue *q, bool ok, uint64_t bytes)
{
	mmu_exit(&w->mmu);
	if (!ok)
		return EXEC_FAULT;
	count_bytes(q, bytes);
	pool_memory_written(w, NULL);
	return EXEC_DONE;
}

static bool worth_splitting(const struct queue *q, uint64_t size)
{
	return size >= (q->pkt.hdr.opcode == ANPU_OP_RANDOM ? RANDOM_MIN : SPLIT_MIN) &&
	       !q->m->cfg.deterministic;
}

static enum exec_result start_split(struct worker *w, struct queue *q, enum job_type type,
				    uint64_t src, uint64_t dst, uint64_t size)
{
	struct job *job = &q->job;

	job->type = type;
	job->src = src;
	job->dst = dst;
	job->size = size;
	job->piece = type == JOB_RANDOM ? RANDOM_UNIT : SPLIT_UNIT;
	/* few enough units for the 32-bit counters, whatever the size */
	while (size / job->piece >= 1U << 20)
		job->piece *= 2;
	/* rounded up, without overflow: the size may be all of 64 bits */
	job->total = (size - 1) / job->piece + 1;
	return job_start_dma(w, q);
}

enum exec_result dma_copy(struct worker *w, struct queue *q, uint64_t src, uint64_t dst,
			  uint64_t size)
{
	bool ok;

	if (!size)
		return EXEC_DONE;
	if (worth_splitting(q, size))
		return start_split(w, q, JOB_COPY, src, dst, size);
	if (size > BRIEF_BYTES)
		pool_unwatch(w);
	mmu_enter(&w->mmu, q->ctx.asid);
	ok = copy_range(&w->mmu, q, src, dst, size, &w->fault);
	return leave(w, q, ok, size);
}

enum exec_result dma_copy_2d(struct worker *w, struct queue *q)
{
	const struct anpu_pkt_copy_2d *p = &q->pkt.copy_2d;
	uint64_t since = 0;
	bool ok = true;

	if (!p->width || !p->height)
		return EXEC_DONE;
	if (p->width > BRIEF_BYTES / p->height || p->height > BRIEF_ROWS)
		pool_unwatch(w);
	mmu_enter(&w->mmu, q->ctx.asid);
	for (uint64_t row = 0; row < p->height && ok; row++) {
		if (since >= PIECE_POLL || !(row & 255)) {
			since = 0;
			mmu_poll(&w->mmu);
			ok = !dma_stopped(q, p->dst + row * p->dst_pitch, &w->fault);
			if (!ok)
				break;
		}
		ok = copy_range(&w->mmu, q, p->src + row * p->src_pitch,
				p->dst + row * p->dst_pitch, p->width, &w->fault);
		since += p->width;
	}
	return leave(w, q, ok, p->width * p->height);
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
			  (unsigned long long)d.reserved);
		return EXEC_FAULT;
	}
	if (d.size > ~d.src || d.size > ~d.dst) {
		fault_set(&w->fault, ANPU_FAULT_BAD_PACKET, 0, q->pkt.copy_desc.desc,
			  "COPY_DESC: 0x%llx bytes from 0x%llx to 0x%llx wrap around",
			  (unsigned long long)d.size, (unsigned long long)d.src,
			  (unsigned long long)d.dst);
		return EXEC_FAULT;
	}
	return dma_copy(w, q, d.src, d.dst, d.size);
}

enum exec_result dma_fill(struct worker *w, struct queue *q)
{
	const struct anpu_pkt_fill *p = &q->pkt.fill;
	bool ok;

	if (!p->size)
		return EXEC_DONE;
	if (worth_splitting(q, p->size)) {
		q->job.pattern = p->pattern;
		q->job.pattern_size = p->pattern_size;
		return start_split(w, q, JOB_FILL, 0, p->dst, p->size);
	}
	if (p->size > BRIEF_BYTES)
		pool_unwatch(w);
	mmu_enter(&w->mmu, q->ctx.asid);
	ok = fill_range(&w->mmu, q, p->dst, p->size, p->pattern, p->pattern_size, &w->fault);
	return leave(w, q, ok, p->size);
}

enum exec_result dma_reduce(struct worker *w, struct queue *q)
{
	const struct anpu_pkt_reduce *p = &q->pkt.reduce;
	bool ok;

	if (!p->size)
		return EXEC_DONE;
	/* units are multiples of every element's size */
	if (worth_splitting(q, p->size))
		return start_split(w, q, JOB_REDUCE, p->src, p->dst, p->size);
	if (p->size > BRIEF_BYTES / 8)
		pool_unwatch(w);
	mmu_enter(&w->mmu, q->ctx.asid);
	ok = reduce_range(&w->mmu, q, p->src, p->dst, p->size, &w->fault);
	return leave(w, q, ok, p->size);
}

enum exec_result dma_random(struct worker *w, struct queue *q)
{
	struct random_job r;
	bool ok;

	if (!random_prepare(w, q, &r))
		return EXEC_FAULT;
	if (!r.size)
		return EXEC_DONE;
	if (worth_splitting(q, r.size)) {
		q->job.random = r;
		return start_split(w, q, JOB_RANDOM, 0, r.dst, r.size);
	}
	if (r.size > BRIEF_BYTES / 64)
		pool_unwatch(w);
	mmu_enter(&w->mmu, q->ctx.asid);
	ok = random_range(&w->mmu, q, &r, 0, r.size, &w->fault);
	return leave(w, q, ok, r.size);
}
