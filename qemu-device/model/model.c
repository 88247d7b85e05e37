// SPDX-License-Identifier: MIT
/* Creating, destroying and resetting a device. */
#include <ctype.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"
#include "diag/debug.h"
#include "diag/inject.h"
#include "diag/plan.h"
#include "diag/record.h"
#include "sched/futex.h"
#include "sched/manager.h"
#include "sched/others.h"

unsigned int host_cpus(void)
{
	cpu_set_t set;

	if (!sched_getaffinity(0, sizeof(set), &set) && CPU_COUNT(&set) > 0)
		return CPU_COUNT(&set);
	return 1;
}

void anpu_config_default(struct anpu_config *c)
{
	*c = (struct anpu_config){
		.hbm_size = ANPU_HBM_DEFAULT,
		.cores = ANPU_CORES_DEFAULT,
		.queues = ANPU_QUEUES_DEFAULT,
		.event_queues = ANPU_EVENT_QUEUES_DEFAULT,
		.asids = ANPU_ASIDS_DEFAULT,
		.spin_us = ANPU_SPIN_AUTO,
		.jit = true,
	};
}

static bool in_range(const char *name, unsigned int value, unsigned int min, unsigned int max,
		     char *err, size_t size)
{
	if (value >= min && value <= max)
		return true;
	snprintf(err, size, "%s=%u is not possible: choose %u to %u", name, value, min, max);
	return false;
}

void anpu_config_inject(struct anpu_config *c, const char *text)
{
	c->inject = !strcmp(text, "on");
	c->plan = c->inject || !strcmp(text, "off") || !*text ? NULL : text;
}

static bool gdb_check(const struct anpu_config *c, char *err, size_t size)
{
	struct gdb_config config;

	if (!c->gdb || (gdb_parse(c->gdb, &config) && !config.streams))
		return true;
	snprintf(err, size, "gdb=%.40s is not possible: choose a port of this machine, as in 1234, or fault:1234", c->gdb);
	return false;
}

/* A file may be wrong until it is read */
static bool plan_check(const struct anpu_config *c, char *err, size_t size)
{
	struct plan_fault faults[PLAN_FAULTS_MAX];
	unsigned int n;

	return !c->plan || *c->plan == '@' || plan_parse(c->plan, faults, &n, err, size);
}

void anpu_config_name(char name[64], const char *text)
{
	memset(name, 0, ANPU_NAME_SIZE);
	/* without a zero at the end it is no text: see name_check() */
	memcpy(name, text, strnlen(text, ANPU_NAME_SIZE));
}

static bool name_check(const char *what, const char *name, size_t max, const char *example, char *err, size_t size)
{
	size_t len = strnlen(name, ANPU_NAME_SIZE), i = 0;

	while (i < len && (isalnum((unsigned char)name[i]) || strchr("._+-", name[i])))
		i++;
	if (i == len && len <= max)
		return true;
	snprintf(err, size, "%s=%.40s is not possible: choose at most %zu letters, digits, '.', '_', '+' or '-', as %s",
		 what, name, max, example);
	return false;
}

bool anpu_config_check(const struct anpu_config *c, char *err, size_t size)
{
	if ((c->hbm_size & (c->hbm_size - 1)) || c->hbm_size < ANPU_HBM_MIN ||
	    c->hbm_size > ANPU_HBM_MAX) {
		snprintf(err, size,
			 "hbm=%llu is not possible: choose a power of 2 from %llu MiB to %llu GiB",
			 (unsigned long long)c->hbm_size, ANPU_HBM_MIN >> 20, ANPU_HBM_MAX >> 30);
		return false;
	}
	if (!in_range("cores", c->cores, 1, ANPU_MAX_CORES, err, size) ||
	    !in_range("queues", c->queues, 1, ANPU_MAX_QUEUES, err, size) ||
	    !in_range("event-queues", c->event_queues, 1, ANPU_MAX_EVENT_QUEUES, err, size) ||
	    !in_range("asids", c->asids, 2, ANPU_MAX_ASIDS, err, size) ||
	    !in_range("threads", c->threads, 0, ANPU_THREADS_MAX, err, size))
		return false;
	if (c->spin_us != ANPU_SPIN_AUTO &&
	    !in_range("spin-us", c->spin_us, 0, ANPU_SPIN_MAX, err, size))
		return false;
	if (c->threads > c->cores) {
		snprintf(err, size,
			 "threads=%u exceeds cores=%u: a thread plays one AI core at a time",
			 c->threads, c->cores);
		return false;
	}
	if (!name_check("soc", c->soc, ANPU_NAME_SIZE - 1, "Ascend910B1", err, size) ||
	    !name_check("cann", c->cann, 31, "8.5.0", err, size) || !plan_check(c, err, size) ||
	    !gdb_check(c, err, size))
		return false;
	if (c->record && c->threads > 1) {
		snprintf(err, size, "threads=%u contradicts record, as a recorded device has one thread", c->threads);
		return false;
	}
	if (c->deterministic && c->threads > 1) {
		snprintf(err, size, "threads=%u contradicts deterministic=on, which has one thread",
			 c->threads);
		return false;
	}
	return true;
}

uint64_t anpu_model_regs_size(unsigned int queues)
{
	uint64_t size = 1;

	while (size < ANPU_BAR_REGS_SIZE(queues))
		size *= 2;
	return size;
}

static void complete_config(struct anpu_config *c)
{
	c->deterministic |= c->record != NULL;
	if (!c->threads) {
		c->threads = c->deterministic ? 1 : host_cpus();
		if (c->threads > c->cores)
			c->threads = c->cores;
		if (c->threads > ANPU_THREADS_MAX)
			c->threads = ANPU_THREADS_MAX;
	}
	/* on one CPU a spinning worker only keeps the guest from running */
	if (c->spin_us == ANPU_SPIN_AUTO)
		c->spin_us = host_cpus() > 1 ? ANPU_SPIN_DEFAULT : 0;
}

static bool allocate_queues(struct anpu_model *m)
{
	m->queues = aligned_alloc(CACHE_LINE, m->cfg.queues * sizeof(*m->queues));
	if (!m->queues)
		return false;
	memset(m->queues, 0, m->cfg.queues * sizeof(*m->queues));
	for (unsigned int i = 0; i < m->cfg.queues; i++) {
		m->queues[i].m = m;
		m->queues[i].id = i;
		m->queues[i].jobs[0].q = &m->queues[i];
		m->queues[i].jobs[1].q = &m->queues[i];
		m->queues[i].job = m->queues[i].jobs;
	}
	return true;
}

/* If it fails, anpu_model_destroy() can end what there is: queues are whole, and of the rest none is used */
static bool allocate(struct anpu_model *m)
{
	mmu_init(&m->manager_mmu, m);
	mmu_init(&m->debug_mmu, m);
	if (!allocate_queues(m))
		return false;
	m->workers = calloc(m->cfg.threads, sizeof(*m->workers));
	m->eqs = calloc(m->cfg.event_queues, sizeof(*m->eqs));
	m->spaces = calloc(m->cfg.asids, sizeof(*m->spaces));
	if (!m->workers || !m->eqs || !m->spaces)
		return false;
	for (unsigned int i = 0; i < m->cfg.event_queues; i++)
		pthread_mutex_init(&m->eqs[i].lock, NULL);
	for (unsigned int i = 0; i < m->cfg.threads; i++) {
		m->workers[i].m = m;
		m->workers[i].id = i;
		mmu_init(&m->workers[i].mmu, m);
	}
	return true;
}

static bool start_thread(pthread_t *thread, void *(*fn)(void *), void *arg, const char *name)
{
	if (pthread_create(thread, NULL, fn, arg))
		return false;
	/* the name is for people who look at the process; the device works without it */
	pthread_setname_np(*thread, name);
	return true;
}

static bool start_all(struct anpu_model *m)
{
	char name[16];

	/* known before any thread runs: mmu_done() looks at all of them */
	m->n_workers = m->cfg.threads;
	for (unsigned int i = 0; i < m->n_workers; i++) {
		struct worker *w = &m->workers[i];

		snprintf(name, sizeof(name), "anpu-%u", i);
		w->started = start_thread(&w->thread, pool_worker, w, name);
		if (!w->started)
			return false;
	}
	m->raiser_started = start_thread(&m->raiser, event_raiser, m, "anpu-raiser");
	if (!m->raiser_started)
		return false;
	others_add(m);
	m->manager_started = start_thread(&m->manager, manager_main, m, "anpu-manager");
	return m->manager_started;
}

/*
 * The model's threads take no signals but those of their own faults: the host's threads handle the
 * others.
 */
static bool start_threads(struct anpu_model *m)
{
	static const int own[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL };
	sigset_t block, old;
	bool ok;

	sigfillset(&block);
	for (unsigned int i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		sigdelset(&block, own[i]);
	pthread_sigmask(SIG_SETMASK, &block, &old);
	ok = start_all(m);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return ok;
}

struct anpu_model *anpu_model_create(const struct anpu_config *config,
				     const struct anpu_host_ops *ops, void *ctx, char *err,
				     size_t size)
{
	struct anpu_model *m;

	if (!anpu_config_check(config, err, size))
		return NULL;
	if (!config->hbm || (uintptr_t)config->hbm % 4096) {
		snprintf(err, size, "the memory for the HBM is missing or not page aligned");
		return NULL;
	}
	if (!ops->map || !ops->raise || !ops->clock) {
		snprintf(err, size, "the host functions map, raise and clock are needed");
		return NULL;
	}
	m = aligned_alloc(CACHE_LINE, sizeof(*m));
	if (!m) {
		snprintf(err, size, "no memory for the device");
		return NULL;
	}
	memset(m, 0, sizeof(*m));
	m->cfg = *config;
	complete_config(&m->cfg);
	m->ops = *ops;
	m->ctx = ctx;
	m->hbm = config->hbm;
	m->injecting = config->inject || config->plan;
	m->clock_base = ops->clock(ctx);
	m->spin_ns = m->cfg.spin_us * 1000ULL;
	atomic_init(&m->spin_now, m->spin_ns);
	atomic_init(&m->caller_cpu, -1);
	pthread_mutex_init(&m->inval_lock, NULL);
	pthread_mutex_init(&m->code_lock, NULL);
	pthread_mutex_init(&m->list_lock, NULL);
	pthread_mutex_init(&m->print_lock, NULL);
	pthread_mutex_init(&m->lock, NULL);
	pthread_mutex_init(&m->cmd_lock, NULL);
	regs_reset(m);
	m->core_file = m->cfg.core ? strdup(m->cfg.core) : NULL;
	m->cfg.core = NULL;
	if (!record_begin(m, err, size)) {
		anpu_model_destroy(m);
		return NULL;
	}
	if (!allocate(m) || !plan_begin(m)) {
		snprintf(err, size, "no memory for %u queues and %u threads", m->cfg.queues,
			 m->cfg.threads);
		anpu_model_destroy(m);
		return NULL;
	}
	if (!debug_begin(m, err, size)) {
		anpu_model_destroy(m);
		return NULL;
	}
	if (!start_threads(m)) {
		snprintf(err, size, "the host cannot start %u threads", m->cfg.threads + 2);
		anpu_model_destroy(m);
		return NULL;
	}
	return m;
}

static void join_threads(struct anpu_model *m)
{
	others_remove(m);
	inject_pci_reset(m);
	manager_begin_reset(m);
	atomic_store(&m->exiting, 1);
	manager_kick(m);
	if (m->manager_started)
		pthread_join(m->manager, NULL);
	if (m->raiser_started) {
		atomic_fetch_add(&m->raiser_wake, 1);
		futex_wake(&m->raiser_wake, 1);
		pthread_join(m->raiser, NULL);
	}
	for (unsigned int i = 0; i < m->n_workers; i++) {
		if (!m->workers[i].started)
			continue;
		/* it may be on its way to sleep: repeat until all have been seen to leave */
		atomic_fetch_add(&m->wake, 1);
		futex_wake(&m->wake, ~0U >> 1);
		pthread_join(m->workers[i].thread, NULL);
	}
}

static void free_parts(struct anpu_model *m)
{
	for (unsigned int i = 0; m->queues && i < m->cfg.queues; i++)
		job_abort(&m->queues[i]);
	for (unsigned int i = 0; m->spaces && i < m->cfg.asids; i++) {
		struct code_cache *code = atomic_load(&m->spaces[i].code);

		if (code)
			code_cache_free(code);
	}
	for (unsigned int i = 0; m->workers && i < m->n_workers; i++)
		mmu_fini(&m->workers[i].mmu);
	mmu_fini(&m->manager_mmu);
	mmu_fini(&m->debug_mmu);
	for (unsigned int i = 0; m->eqs && i < m->cfg.event_queues; i++)
		pthread_mutex_destroy(&m->eqs[i].lock);
}

void anpu_model_destroy(struct anpu_model *m)
{
	if (!m)
		return;
	if (m->queues)
		join_threads(m);
	gdb_end(m->gdb);
	free_parts(m);
	debug_end(m);
	plan_end(m);
	record_end(m);
	free(m->core_file);
	pthread_mutex_destroy(&m->cmd_lock);
	pthread_mutex_destroy(&m->lock);
	pthread_mutex_destroy(&m->print_lock);
	pthread_mutex_destroy(&m->list_lock);
	pthread_mutex_destroy(&m->code_lock);
	pthread_mutex_destroy(&m->inval_lock);
	free(m->spaces);
	free(m->eqs);
	free(m->workers);
	free(m->queues);
	free(m);
}

void anpu_model_reset(struct anpu_model *m)
{
	uint64_t n;

	inject_pci_reset(m);
	manager_begin_reset(m);
	n = mmu_invalidate(m, 0, true, INVAL_HOST);
	/* running accesses end within microseconds: they look at their kill flag all the time */
	while (!mmu_reset_done(m, n))
		sched_yield();
}

uint64_t anpu_model_invalidate(struct anpu_model *m)
{
	return mmu_invalidate(m, 0, true, INVAL_HOST);
}

bool anpu_model_invalidated(struct anpu_model *m, uint64_t number)
{
	return mmu_done(m) >= number;
}

void anpu_model_stats(struct anpu_model *m, struct anpu_stats *s)
{
	*s = (struct anpu_stats){
		.packets = atomic_load(&m->count.packets),
		.kernels = atomic_load(&m->count.kernels),
		.blocks = atomic_load(&m->count.blocks),
		.insns = atomic_load(&m->count.insns),
		.tiles = atomic_load(&m->count.tiles),
		.faults = atomic_load(&m->count.faults),
		.copy_bytes = atomic_load(&m->count.copy_bytes),
		.doorbells = atomic_load(&m->count.doorbells),
		.interrupts = atomic_load(&m->count.interrupts),
		.events = atomic_load(&m->count.events),
		.bad_access = atomic_load(&m->count.bad_access),
		.wakeups = atomic_load(&m->count.wakeups),
		.preemptions = atomic_load(&m->count.preemptions),
	};
}
