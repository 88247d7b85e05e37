// SPDX-License-Identifier: MIT
/* See harness.h. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

/* TAP -------------------------------------------------------------------------------------------- */

static int tests, failures;

void ok_(bool cond, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	tests++;
	printf("%sok %d - ", cond ? "" : "not ", tests);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	if (!cond) {
		failures++;
		printf("# failed at %s:%d\n", file, line);
	}
	fflush(stdout);
}

void is_(uint64_t got, uint64_t want, const char *file, int line, const char *what)
{
	ok_(got == want, file, line, "%s", what);
	if (got != want)
		printf("# got 0x%llx, want 0x%llx\n", (unsigned long long)got,
		       (unsigned long long)want);
}

int done_testing(void)
{
	printf("1..%d\n", tests);
	return failures != 0;
}

void die(const char *fmt, ...)
{
	va_list ap;

	printf("Bail out! ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
	_exit(2);
}

/* Time ------------------------------------------------------------------------------------------- */

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

void sleep_us(unsigned int us)
{
	struct timespec ts = { us / 1000000, us % 1000000 * 1000 };

	nanosleep(&ts, NULL);
}

/* Host functions --------------------------------------------------------------------------------- */

static bool host_map(void *ctx, uint64_t dma, uint64_t len, bool write, struct anpu_mapping *map)
{
	static const uint64_t windows[] = { DMA_PLAIN, DMA_TRANSIENT, DMA_READONLY, DMA_SCRAPS };
	struct dev *d = ctx;

	atomic_fetch_add(&d->maps, 1);
	atomic_fetch_add(&d->maps_waiting, 1);
	while (atomic_load(&d->map_held))
		sleep_us(100);
	atomic_fetch_sub(&d->maps_waiting, 1);
	for (int i = 0; i < 4; i++) {
		uint64_t at = dma - windows[i];

		if (at >= RAM_SIZE)
			continue;
		if ((write && windows[i] == DMA_READONLY) ||
		    (windows[i] == DMA_PLAIN && atomic_load(&d->plain_gone)))
			return false;
		map->ptr = d->ram + at;
		map->len = len < RAM_SIZE - at ? len : RAM_SIZE - at;
		if (windows[i] == DMA_SCRAPS)
			map->len = 2048;
		map->handle = d;
		map->transient = windows[i] == DMA_TRANSIENT || windows[i] == DMA_SCRAPS;
		if (map->transient)
			atomic_fetch_add(&d->transient, 1);
		return true;
	}
	return false;
}

static void host_unmap(void *ctx, const struct anpu_mapping *map, bool write, uint64_t len)
{
	struct dev *d = ctx;

	(void)write;
	(void)len;
	if (map->handle != d || !map->transient)
		die("unmap of something that was not mapped");
	atomic_fetch_sub(&d->transient, 1);
}

static void host_raise(void *ctx, unsigned int vector)
{
	struct dev *d = ctx;

	atomic_fetch_add(&d->raises_waiting, 1);
	while (atomic_load(&d->raise_held))
		sleep_us(100);
	atomic_fetch_sub(&d->raises_waiting, 1);
	atomic_fetch_add(&d->irqs[vector], 1);
}

static uint64_t host_clock(void *ctx)
{
	(void)ctx;
	return now_ns();
}

static void host_print(void *ctx, unsigned int queue, uint32_t task, uint32_t block,
		       const char *text, size_t len)
{
	struct dev *d = ctx;

	(void)queue;
	(void)task;
	(void)block;
	if (len == 5 && !memcmp(text, "hello", 5))
		atomic_fetch_add(&d->prints, 1);
}

/* Device ----------------------------------------------------------------------------------------- */

struct anpu_config config_small(void)
{
	struct anpu_config c;

	anpu_config_default(&c);
	c.hbm_size = 64 << 20;
	c.cores = 4;
	c.queues = 64;
	c.asids = 16;
	c.event_queues = 4;
	c.threads = 3;
	return c;
}

static void *pages(uint64_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		die("mmap of %llu bytes failed", (unsigned long long)size);
	return p;
}

struct dev *dev_new(const struct anpu_config *cfg)
{
	return dev_new_guarded(cfg, NULL);
}

struct dev *dev_new_guarded(const struct anpu_config *cfg,
			    bool (*guard)(void *ctx, void (*fn)(void *arg), void *arg, uint64_t *addr))
{
	const struct anpu_host_ops ops = {
		.map = host_map, .unmap = host_unmap, .raise = host_raise, .clock = host_clock,
		.print = host_print, .guard = guard
	};
	struct dev *d = calloc(1, sizeof(*d));
	char err[160] = "";

	if (!d)
		die("no memory");
	d->cfg = *cfg;
	d->hbm_size = cfg->hbm_size;
	d->hbm = pages(d->hbm_size);
	d->ram = pages(RAM_SIZE);
	d->cfg.hbm = d->hbm;
	d->m = anpu_model_create(&d->cfg, &ops, d, err, sizeof(err));
	if (!d->m)
		die("anpu_model_create: %s", err);
	dev_setup(d);
	return d;
}

void dev_setup(struct dev *d)
{
	d->hbm_next = 1 << 20;
	d->asid_table = hbm_alloc(d, 8ULL * d->cfg.asids, 4096);
	d->queue_table = hbm_alloc(d, sizeof(struct anpu_queue_context) * d->cfg.queues, 4096);
	memset(hbm_ptr(d, d->asid_table), 0, 8ULL * d->cfg.asids);
	set_reg(d, ANPU_REG_ASID_TABLE, d->asid_table);
	set_reg(d, ANPU_REG_QUEUE_TABLE, d->queue_table);
	set_reg(d, ANPU_REG_CONTROL, ANPU_CONTROL_ENABLE);
}

struct dev *dev_default(void)
{
	struct anpu_config c = config_small();

	return dev_new(&c);
}

void dev_free(struct dev *d)
{
	anpu_model_destroy(d->m);
	if (atomic_load(&d->transient))
		die("%d transient mappings were not returned", atomic_load(&d->transient));
	munmap(d->hbm, d->hbm_size);
	munmap(d->ram, RAM_SIZE);
	free(d);
}

uint64_t reg(struct dev *d, uint64_t offset)
{
	return anpu_model_read(d->m, offset, 8);
}

void set_reg(struct dev *d, uint64_t offset, uint64_t value)
{
	anpu_model_write(d->m, offset, value, 8);
}

uint64_t hbm_alloc(struct dev *d, uint64_t size, uint64_t align)
{
	uint64_t at = (d->hbm_next + align - 1) & ~(align - 1);

	if (at + size > d->hbm_size)
		die("the test needs more HBM");
	d->hbm_next = at + size;
	return at;
}

uint64_t load64(const void *p)
{
	return __atomic_load_n((const uint64_t *)p, __ATOMIC_SEQ_CST);
}

void store64(void *p, uint64_t v)
{
	__atomic_store_n((uint64_t *)p, v, __ATOMIC_SEQ_CST);
}

/* Queues ----------------------------------------------------------------------------------------- */

struct anpu_queue_context *tq_context(struct tq *q)
{
	return (struct anpu_queue_context *)hbm_ptr(q->d, q->d->queue_table) + q->id;
}

struct tq *tq_new(struct dev *d, unsigned int id, unsigned int log2)
{
	struct tq *q = calloc(1, sizeof(*q));

	if (!q)
		die("no memory");
	q->d = d;
	q->id = id;
	q->log2 = log2;
	q->ring_at = hbm_alloc(d, 64ULL << log2, 4096);
	q->status_at = hbm_alloc(d, 4096, 4096);
	q->control_at = hbm_alloc(d, 4096, 4096);
	q->ring = hbm_ptr(d, q->ring_at);
	q->st = hbm_ptr(d, q->status_at);
	q->ctl = hbm_ptr(d, q->control_at);
	memset(q->st, 0, 4096);
	memset(q->ctl, 0, 4096);
	*tq_context(q) = (struct anpu_queue_context){ .ring = q->ring_at, .status = q->status_at,
		.control = q->control_at, .ring_log2 = log2, .cookie = 0xc0de0000 + id };
	return q;
}

void tq_command(struct tq *q, enum anpu_queue_cmd cmd)
{
	set_reg(q->d, ANPU_REG_QUEUE_CMD, ANPU_QUEUE_CMD(cmd, q->id));
}

enum anpu_queue_state tq_state(struct tq *q)
{
	return __atomic_load_n(&q->st->state, __ATOMIC_ACQUIRE);
}

bool tq_polling(struct tq *q)
{
	return __atomic_load_n(&q->st->polling, __ATOMIC_SEQ_CST);
}

bool tq_wait_state(struct tq *q, enum anpu_queue_state state)
{
	return eventually(tq_state(q) == state);
}

void tq_start(struct tq *q)
{
	q->wptr = 0;
	store64(&q->ctl->wptr, 0);
	store64(&q->ctl->irq_at, 0);
	tq_command(q, ANPU_QUEUE_START);
	if (!tq_wait_state(q, ANPU_QUEUE_RUNNING))
		die("queue %u did not start: state %u, %s", q->id, tq_state(q),
		    q->st->fault[0].message);
}

void tq_stop(struct tq *q)
{
	tq_command(q, ANPU_QUEUE_STOP);
	if (!tq_wait_state(q, ANPU_QUEUE_STOPPED))
		die("queue %u did not stop", q->id);
}

struct tq *tq_started(struct dev *d, unsigned int id, uint32_t asid, uint32_t flags)
{
	struct tq *q = tq_new(d, id, 6);

	tq_context(q)->asid = asid;
	tq_context(q)->flags = flags;
	tq_start(q);
	return q;
}

uint64_t tq_push(struct tq *q, const union anpu_packet *p)
{
	uint64_t size = 1ULL << q->log2;

	if (!eventually(q->wptr - load64(&q->st->completed) < size))
		die("queue %u: the ring does not drain", q->id);
	q->ring[q->wptr & (size - 1)] = *p;
	q->wptr++;
	store64(&q->ctl->wptr, q->wptr);
	return q->wptr;
}

void tq_ring(struct tq *q)
{
	/* the barrier between wptr and polling is in store64() */
	if (!tq_polling(q))
		anpu_model_doorbell(q->d->m, q->id, q->wptr);
}

void tq_kick(struct tq *q)
{
	set_reg(q->d, ANPU_REG_KICK, q->id);
}

bool tq_wait(struct tq *q, uint64_t seq)
{
	uint64_t end = now_ns() + PATIENCE_NS;

	for (int i = 0; load64(&q->st->completed) < seq; i++) {
		if (i > 2000)
			sleep_us(50);
		if (now_ns() > end) {
			printf("# queue %u: completed %llu of %llu, state %u, polling %u\n", q->id,
			       (unsigned long long)load64(&q->st->completed),
			       (unsigned long long)seq, tq_state(q), tq_polling(q));
			return false;
		}
	}
	return true;
}

uint64_t tq_run(struct tq *q, const union anpu_packet *p)
{
	uint64_t seq = tq_push(q, p);

	tq_ring(q);
	if (!tq_wait(q, seq))
		die("queue %u: packet %llu, opcode %u, does not complete", q->id,
		    (unsigned long long)seq, p->hdr.opcode);
	return seq;
}

unsigned int next_random(unsigned int *seed)
{
	*seed = *seed * 1103515245 + 12345;
	return *seed >> 16;
}

void nap(unsigned int *seed)
{
	if (next_random(seed) % 64 == 0)
		sleep_us(next_random(seed) % 120);
}

struct submitter {
	pthread_t thread;
	struct tq **q;
	unsigned int count, rounds, seed;
	bool (*ring)(struct tq *q, unsigned int *seed);
	bool good;
};

static void *submitter(void *arg)
{
	struct submitter *s = arg;
	union anpu_packet nop = p_nop();

	for (unsigned int i = 0; i < s->rounds && s->good; i++) {
		struct tq *q = s->q[next_random(&s->seed) % s->count];

		tq_push(q, &nop);
		s->good = s->ring(q, &s->seed);
	}
	return NULL;
}

bool tq_submit_many(struct tq **q, unsigned int queues, unsigned int rounds,
		    bool (*ring)(struct tq *q, unsigned int *seed))
{
	unsigned int part = queues / SUBMITTERS;
	struct submitter s[SUBMITTERS];
	bool good = true;

	for (unsigned int i = 0; i < SUBMITTERS; i++) {
		s[i] = (struct submitter){ .q = q + i * part, .count = part, .rounds = rounds,
					   .seed = i + 1, .ring = ring, .good = true };
		if (pthread_create(&s[i].thread, NULL, submitter, &s[i]))
			die("no thread");
	}
	for (unsigned int i = 0; i < SUBMITTERS; i++) {
		pthread_join(s[i].thread, NULL);
		good = good && s[i].good;
	}
	return good;
}

uint64_t tq_errors(struct tq *q)
{
	return __atomic_load_n(&q->st->errors, __ATOMIC_ACQUIRE);
}

const struct anpu_fault *tq_last_fault(struct tq *q)
{
	uint64_t n = tq_errors(q);

	if (!n)
		return NULL;
	return &q->st->fault[n == 1 ? 0 : 1 + (n - 2) % (ANPU_STATUS_FAULTS - 1)];
}

void tq_fails(struct tq *q, const union anpu_packet *p, uint32_t cause, const char *text,
	      const char *what)
{
	uint64_t before = tq_errors(q);
	uint64_t seq = tq_run(q, p);
	const struct anpu_fault *f = tq_last_fault(q);
	bool good = tq_errors(q) == before + 1 && f->cause == cause && f->seq == seq &&
		    f->ordinal == before + 1 && strstr(f->message, text) &&
		    f->opcode == p->hdr.opcode && f->task_id == p->hdr.task_id;

	ok(good, "%s", what);
	if (!good)
		printf("# errors %llu -> %llu, cause %u (want %u), seq %llu, message '%s'\n",
		       (unsigned long long)before, (unsigned long long)tq_errors(q),
		       f ? f->cause : 0, cause, f ? (unsigned long long)f->seq : 0,
		       f ? f->message : "");
}

void tq_free(struct tq *q)
{
	free(q);
}

/* Packets ---------------------------------------------------------------------------------------- */

static atomic_uint next_task = 100;

static union anpu_packet packet(uint8_t opcode)
{
	union anpu_packet p;

	memset(&p, 0, sizeof(p));
	p.hdr.opcode = opcode;
	p.hdr.task_id = atomic_fetch_add(&next_task, 1);
	return p;
}

union anpu_packet p_nop(void)
{
	return packet(ANPU_OP_NOP);
}

union anpu_packet p_copy(uint64_t src, uint64_t dst, uint64_t size)
{
	union anpu_packet p = packet(ANPU_OP_COPY);

	p.copy.src = src;
	p.copy.dst = dst;
	p.copy.size = size;
	return p;
}

union anpu_packet p_fill(uint64_t dst, uint64_t size, uint64_t pattern, uint32_t pattern_size)
{
	union anpu_packet p = packet(ANPU_OP_FILL);

	p.fill.dst = dst;
	p.fill.size = size;
	p.fill.pattern = pattern;
	p.fill.pattern_size = pattern_size;
	return p;
}

union anpu_packet p_reduce(uint64_t src, uint64_t dst, uint64_t size, enum anpu_reduce_op op,
			   enum anpu_reduce_type type)
{
	return (union anpu_packet){ .reduce = { .hdr.opcode = ANPU_OP_REDUCE, .src = src,
						.dst = dst, .size = size, .op = op,
						.type = type } };
}

union anpu_packet p_signal(uint64_t addr, uint64_t value, enum anpu_sem_op op)
{
	union anpu_packet p = packet(ANPU_OP_SEM_SIGNAL);

	p.sem_signal.addr = addr;
	p.sem_signal.value = value;
	p.sem_signal.op = op;
	p.sem_signal.width = 8;
	return p;
}

union anpu_packet p_wait(uint64_t addr, uint64_t value, enum anpu_sem_cond cond,
			 uint64_t timeout_us)
{
	union anpu_packet p = packet(ANPU_OP_SEM_WAIT);

	p.sem_wait.addr = addr;
	p.sem_wait.value = value;
	p.sem_wait.mask = ~0ULL;
	p.sem_wait.timeout_us = timeout_us;
	p.sem_wait.cond = cond;
	p.sem_wait.width = 8;
	return p;
}

union anpu_packet p_notify(uint64_t cookie, uint64_t value)
{
	union anpu_packet p = packet(ANPU_OP_NOTIFY);

	p.notify.cookie = cookie;
	p.notify.value = value;
	return p;
}

union anpu_packet p_timestamp(uint64_t addr)
{
	union anpu_packet p = packet(ANPU_OP_TIMESTAMP);

	p.timestamp.addr = addr;
	return p;
}

union anpu_packet p_indirect(uint64_t addr, uint32_t count)
{
	union anpu_packet p = packet(ANPU_OP_INDIRECT);

	p.indirect.addr = addr;
	p.indirect.count = count;
	return p;
}

union anpu_packet p_kernel(uint64_t entry, uint32_t blocks)
{
	union anpu_packet p = packet(ANPU_OP_KERNEL);

	p.kernel.entry = entry;
	p.kernel.grid_x = blocks;
	p.kernel.grid_y = 1;
	p.kernel.grid_z = 1;
	return p;
}

uint64_t program(struct dev *d, const struct fake_insn *insn, unsigned int n)
{
	uint64_t at = hbm_alloc(d, n * sizeof(*insn), 64);

	memcpy(hbm_ptr(d, at), insn, n * sizeof(*insn));
	return at;
}

/* Contention ------------------------------------------------------------------------------------- */

static bool add_once(struct contender *c, unsigned int word)
{
	if (c->width == 8) {
		uint64_t *p = (uint64_t *)c->at + word, old = __atomic_load_n(p, __ATOMIC_RELAXED);

		return __atomic_compare_exchange_n(p, &old, old + c->step, false, __ATOMIC_SEQ_CST,
						   __ATOMIC_RELAXED);
	}
	uint32_t *p = (uint32_t *)c->at + word, old = __atomic_load_n(p, __ATOMIC_RELAXED);

	return __atomic_compare_exchange_n(p, &old, old + (uint32_t)c->step, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_RELAXED);
}

static void *contend(void *arg)
{
	struct contender *c = arg;

	while (!atomic_load(&c->stop)) {
		for (unsigned int i = 0; i < c->words; i++) {
			while (!add_once(c, i))
				atomic_fetch_add(&c->conflicts, 1);
		}
		atomic_fetch_add(&c->added, 1);
	}
	return NULL;
}

void contender_start(struct contender *c)
{
	if (pthread_create(&c->thread, NULL, contend, c))
		die("no thread");
}

void contender_stop(struct contender *c)
{
	atomic_store(&c->stop, true);
	pthread_join(c->thread, NULL);
	printf("# %llu conflicts in %llu rounds\n", (unsigned long long)atomic_load(&c->conflicts),
	       (unsigned long long)atomic_load(&c->added));
}

/* Event queues ----------------------------------------------------------------------------------- */

struct teq *teq_new(struct dev *d, unsigned int nr, unsigned int log2)
{
	struct teq *e = calloc(1, sizeof(*e));
	uint64_t at = hbm_alloc(d, sizeof(*e->hdr) + (64ULL << log2), 4096);

	if (!e)
		die("no memory");
	e->d = d;
	e->nr = nr;
	e->log2 = log2;
	e->hdr = hbm_ptr(d, at);
	e->entry = (struct anpu_event *)(e->hdr + 1);
	memset(e->hdr, 0, sizeof(*e->hdr));
	set_reg(d, ANPU_REG_EQ_BASE(nr), at);
	set_reg(d, ANPU_REG_EQ_SIZE(nr), log2);
	if (reg(d, ANPU_REG_EQ_SIZE(nr)) != log2)
		die("event queue %u was not accepted", nr);
	return e;
}

bool teq_pop(struct teq *e, struct anpu_event *out)
{
	uint64_t rptr = load64(&e->hdr->rptr);

	if (load64(&e->hdr->wptr) == rptr)
		return false;
	*out = e->entry[rptr & ((1ULL << e->log2) - 1)];
	store64(&e->hdr->rptr, rptr + 1);
	return true;
}

bool teq_wait(struct teq *e, struct anpu_event *out)
{
	return eventually(teq_pop(e, out));
}

void teq_free(struct teq *e)
{
	free(e);
}

/* Address spaces --------------------------------------------------------------------------------- */

static uint64_t new_table(struct dev *d)
{
	uint64_t at = hbm_alloc(d, 4096, 4096);

	memset(hbm_ptr(d, at), 0, 4096);
	return at;
}

uint64_t as_root(struct dev *d, uint32_t asid)
{
	uint64_t *entry = (uint64_t *)hbm_ptr(d, d->asid_table) + asid;

	if (!load64(entry))
		store64(entry, new_table(d) | ANPU_ASID_VALID);
	return load64(entry) & ~ANPU_ASID_VALID;
}

void as_clear(struct dev *d, uint32_t asid)
{
	store64((uint64_t *)hbm_ptr(d, d->asid_table) + asid, 0);
}

uint64_t *as_entry(struct dev *d, uint32_t asid, uint64_t va, int level)
{
	uint64_t table = as_root(d, asid);

	for (int l = 0;; l++) {
		uint64_t *e = (uint64_t *)hbm_ptr(d, table) + (va >> ANPU_PT_SHIFT(l) & 511);

		if (l == level)
			return e;
		if (!(load64(e) & ANPU_PTE_VALID))
			store64(e, new_table(d) | ANPU_PTE_VALID);
		table = load64(e) & ANPU_PTE_ADDR;
	}
}

void as_map(struct dev *d, uint32_t asid, uint64_t va, uint64_t size, uint64_t pa, uint64_t flags,
	    uint64_t page)
{
	uint64_t step = page == ANPU_PAGE_2M ? ANPU_PAGE_2M : ANPU_PAGE_4K;

	if (page == ANPU_PAGE_64K)
		flags |= ANPU_PTE_CONT;
	for (uint64_t at = 0; at < size; at += step)
		store64(as_entry(d, asid, va + at, step == ANPU_PAGE_2M ? 2 : 3),
			(pa + at) | flags | ANPU_PTE_VALID | ANPU_PTE_LEAF);
}

void invalidate(struct dev *d, uint64_t what)
{
	uint64_t n = reg(d, ANPU_REG_TLB_ISSUED) + 1;

	set_reg(d, ANPU_REG_TLB_INVALIDATE, what);
	if (!eventually(reg(d, ANPU_REG_TLB_DONE) >= n))
		die("invalidation %llu does not get done", (unsigned long long)n);
}
