// SPDX-License-Identifier: MIT
/*
 * How busy the AI cores are: the registers BUSY_*.
 *
 * Blocks that several workers may have in turn are counted under m->lock, when they begin and end.
 * A kernel of one block has no lock: its worker keeps its time, until it is set aside or ends.
 */
#include "internal.h"

/* Parts of a nanosecond that struct busy's share has: blocks that are many have little time each. */
#define BUSY_SHIFT	12

/* Which units of its AI core a block may use: 1 << enum busy_unit of each. */
static unsigned int units_of_block(const struct anpu_pkt_kernel *p, uint32_t sub_block)
{
	switch (p->core_type) {
	case ANPU_CORE_AIC:
		return 1U << BUSY_CUBE;
	case ANPU_CORE_AIV:
		return 1U << BUSY_VECTOR;
	case ANPU_CORE_MIX:
		return 1U << (sub_block ? BUSY_VECTOR : BUSY_CUBE);
	default: /* ANPU_CORE_ANY */
		return 1U << BUSY_CUBE | 1U << BUSY_VECTOR;
	}
}

/*
 * Lock held: count what has passed up to @now. Nothing, if another worker has counted up to a later
 * clock already.
 */
static void count_until(struct anpu_model *m, uint64_t now)
{
	struct busy *b = &m->busy;

	if (now <= b->since)
		return;
	for (int i = 0; i < BUSY_UNITS; i++) {
		unsigned int cores = b->blocks[i] < m->cfg.cores ? b->blocks[i] : m->cfg.cores;

		b->total[i] += cores * (now - b->since);
		if (cores)
			b->share[i] += ((now - b->since) << BUSY_SHIFT) * cores / b->blocks[i];
	}
	b->since = now;
}

static void add_time(struct queue *q, int unit, uint64_t ns)
{
	__u64 *status = unit == BUSY_CUBE ? &q->status->cube_ns : &q->status->vector_ns;

	if (ns)
		__atomic_fetch_add(status, ns, __ATOMIC_RELAXED);
}

/* Lock held, and time counted: bring the queue's status page up to date. */
static void tell_queue(const struct busy *b, struct queue *q)
{
	struct queue_busy *mine = &q->busy;

	for (int i = 0; i < BUSY_UNITS; i++) {
		uint64_t gained = mine->blocks[i] * (b->share[i] - mine->seen[i]) + mine->rest[i];

		add_time(q, i, gained >> BUSY_SHIFT);
		mine->rest[i] = gained & ((1 << BUSY_SHIFT) - 1);
		mine->seen[i] = b->share[i];
	}
}

/** busy_goes_on() - a block of a job has had a turn; lock held */
void busy_goes_on(struct anpu_model *m, const struct job *job, uint64_t now)
{
	count_until(m, now);
	tell_queue(&m->busy, job->q);
}

/** busy_begins() - a block of a job gets an AI core; lock held */
void busy_begins(struct anpu_model *m, const struct job *job, uint32_t unit, uint64_t now)
{
	unsigned int units = units_of_block(&job->k.pkt, unit % job->subs);

	busy_goes_on(m, job, now);
	for (int i = 0; i < BUSY_UNITS; i++) {
		m->busy.blocks[i] += units >> i & 1;
		job->q->busy.blocks[i] += units >> i & 1;
	}
}

/** busy_ends() - the block has ended, or could not be made; lock held */
void busy_ends(struct anpu_model *m, const struct job *job, uint32_t unit, uint64_t now)
{
	unsigned int units = units_of_block(&job->k.pkt, unit % job->subs);

	busy_goes_on(m, job, now);
	for (int i = 0; i < BUSY_UNITS; i++) {
		m->busy.blocks[i] -= units >> i & 1;
		job->q->busy.blocks[i] -= units >> i & 1;
	}
}

/*
 * Only the worker writes. A reader that sees the same even number before and after has numbers that
 * belong together. Each store is a release and each load an acquire, so that none passes that of
 * the number.
 */
static void change_single(struct busy_single *s, uint64_t since, unsigned int units, uint64_t took)
{
	__atomic_store_n(&s->turn, s->turn + 1, __ATOMIC_RELAXED);
	for (int i = 0; i < BUSY_UNITS && took; i++)
		if (s->units >> i & 1)
			__atomic_store_n(&s->total[i], s->total[i] + took, __ATOMIC_RELEASE);
	__atomic_store_n(&s->since, since, __ATOMIC_RELEASE);
	__atomic_store_n(&s->units, units, __ATOMIC_RELEASE);
	__atomic_store_n(&s->turn, s->turn + 1, __ATOMIC_RELEASE);
}

/** busy_single_begins() - a worker begins with the only block of a kernel */
void busy_single_begins(struct worker *w, const struct anpu_pkt_kernel *p)
{
	w->single.told = w->clock;
	change_single(&w->single, w->clock, units_of_block(p, 0), 0);
}

/** busy_single_goes_on() - the block has had a turn: the queue's status page says so */
void busy_single_goes_on(struct worker *w, struct queue *q, uint64_t now)
{
	struct busy_single *s = &w->single;

	if (now <= s->told)
		return;
	for (int i = 0; i < BUSY_UNITS; i++)
		if (s->units >> i & 1)
			add_time(q, i, now - s->told);
	s->told = now;
}

/**
 * busy_single_ends() - the block has ended, or other workers may have it from now on; nothing, if there
 * is none
 */
void busy_single_ends(struct worker *w, struct queue *q, uint64_t now)
{
	struct busy_single *s = &w->single;

	if (!s->units)
		return;
	busy_single_goes_on(w, q, now);
	change_single(s, 0, 0, now > s->since ? now - s->since : 0);
}

static void add_single(struct busy_single *s, uint64_t now, uint64_t sum[BUSY_UNITS])
{
	uint64_t since, total[BUSY_UNITS];
	unsigned int turn, units;

	do {
		turn = __atomic_load_n(&s->turn, __ATOMIC_ACQUIRE);
		since = __atomic_load_n(&s->since, __ATOMIC_ACQUIRE);
		units = __atomic_load_n(&s->units, __ATOMIC_ACQUIRE);
		for (int i = 0; i < BUSY_UNITS; i++)
			total[i] = __atomic_load_n(&s->total[i], __ATOMIC_ACQUIRE);
	} while (turn & 1 || turn != __atomic_load_n(&s->turn, __ATOMIC_RELAXED));
	for (int i = 0; i < BUSY_UNITS; i++) {
		sum[i] += total[i];
		if (units >> i & 1 && now > since)
			sum[i] += now - since;
	}
}

/**
 * busy_take() - a read of BUSY_AT: store all numbers as of now for the other registers
 *
 * Small kernels that are executed while AI cores are kept by blocks that were set aside could add
 * up to more than all AI cores: the excess is left out.
 *
 * Return: the device's clock at that time.
 */
uint64_t busy_take(struct anpu_model *m)
{
	struct busy *b = &m->busy;
	uint64_t sum[BUSY_UNITS], now, most;

	pthread_mutex_lock(&m->lock);
	now = model_clock(m);
	count_until(m, now);
	for (int i = 0; i < BUSY_UNITS; i++)
		sum[i] = b->total[i] - b->left_out[i];
	for (unsigned int i = 0; i < m->n_workers; i++)
		add_single(&m->workers[i].single, now, sum);
	most = m->cfg.cores * (now - b->taken_at);
	for (int i = 0; i < BUSY_UNITS; i++) {
		uint64_t before = atomic_load(&b->taken[i]);

		if (sum[i] - before > most) {
			b->left_out[i] += sum[i] - before - most;
			sum[i] = before + most;
		}
		atomic_store(&b->taken[i], sum[i]);
	}
	b->taken_at = now;
	pthread_mutex_unlock(&m->lock);
	return now;
}
