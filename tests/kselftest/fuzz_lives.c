// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The fuzzer's lives: processes of some threads, and what is found in them. */
#include <pthread.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <sys/time.h>

#define ANPU_TEST_PART
#include "anpu_test.h"
#include "fuzz.h"

static __thread struct fuzz_actor *me;

/* Findings ------------------------------------------------------------------------------------- */

void fuzz_finding(struct fuzz_shared *shared, const char *format, ...)
{
	uint32_t n = __atomic_fetch_add(&shared->n_findings, 1, __ATOMIC_RELAXED);
	va_list args;

	if (n >= FUZZ_FINDINGS)
		return;
	va_start(args, format);
	vsnprintf(shared->findings[n], sizeof(shared->findings[n]), format, args);
	va_end(args);
}

/* The line of /proc/self/maps that an address is in. */
static void find_map(const void *address, char *line, int size)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start, end;

	while (maps && fgets(line, size, maps)) {
		if (sscanf(line, "%lx-%lx", &start, &end) == 2 && (unsigned long)address >= start &&
		    (unsigned long)address < end)
			break;
	}
	if (maps)
		fclose(maps);
	line[strcspn(line, "\n")] = 0;
}

/*
 * A mapping of the device never gives SIGBUS; SIGSEGV is for what mprotect() has forbidden. A memfd
 * that has become shorter does: by a descriptor that was another's when it was used. Other threads
 * may have mapped something else there since.
 */
static void on_fault(int sig, siginfo_t *info, void *context)
{
	struct fuzz_actor *a = me;
	char line[160] = "";

	if (!a || !a->touching) {
		signal(sig, SIG_DFL);
		raise(sig);
		return;
	}
	find_map(info->si_addr, line, sizeof(line));
	if (sig == SIGBUS && (strstr(line, "/accel/") || strstr(line, "dmabuf")))
		FINDING(a, "SIGBUS, code %d, at %p: %s", info->si_code, info->si_addr, line);
	siglongjmp(a->escape, 1);
}

/* Lives ---------------------------------------------------------------------------------------- */

struct start {
	struct fuzz_life *life;
	uint32_t thread;
	uint8_t *args;
};

/* FUZZ_ARGS bytes, then a page that nobody can access. */
static uint8_t *make_args(void)
{
	uint8_t *args = mmap(NULL, FUZZ_ARGS + PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (args == MAP_FAILED || mprotect(args + FUZZ_ARGS, PAGE, PROT_NONE))
		_exit(3);
	return args;
}

static void *act_on(void *arg)
{
	struct start *start = arg;
	struct fuzz_life *life = start->life;
	struct fuzz_actor a = { .life = life,
		.trace = &life->shared->trace[life->worker][start->thread], .args = start->args };
	uint64_t seed = fuzz_mix(fuzz_mix(life->shared->seed, life->worker),
				 (uint64_t)life->life << 8 | start->thread);
	/* Something to begin with, so that the first steps are not all refused. */
	static const uint32_t first[] = { 9, 1, 1, 8, 3, 5, 8 };

	me = &a;
	a.trace->life = life->life;
	for (a.step = 0; a.step < FUZZ_STEPS && !life->shared->stop; a.step++) {
		a.rng = fuzz_mix(seed, a.step);
		a.file = fuzz_below(&a, FUZZ_FILES);
		a.act = a.step < 7 ? first[a.step] : fuzz_draw_act(&a);
		fuzz_act(&a);
	}
	me = NULL;
	return NULL;
}

static void nothing(int sig)
{
}

/* Signals interrupt what sleeps, in some lives with restart, in others without. */
static void interrupt(uint64_t seed)
{
	struct itimerval timer = { { 0, 2000 }, { 0, 2000 } };
	struct sigaction sa = { .sa_handler = nothing, .sa_flags = seed & 1 ? SA_RESTART : 0 };

	if (seed & 6)
		return;
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

static void drop_capabilities(void)
{
	/* _LINUX_CAPABILITY_VERSION_3 */
	struct {
		uint32_t version;
		int pid;
	} header = { 0x20080522, 0 };
	uint32_t none[6] = {};

	if (syscall(SYS_capset, &header, none))
		_exit(3);
}

/* The first is shared. Between them nothing is accessible: who pins too much reaches nothing else. */
static void make_areas(struct fuzz_life *l)
{
	uint8_t *room = mmap(NULL, (2 * FUZZ_AREAS + 1) * FUZZ_AREA_SIZE, PROT_NONE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (room == MAP_FAILED)
		_exit(3);
	for (int i = 0; i < FUZZ_AREAS; i++) {
		l->areas[i] = mmap(room + (2 * i + 1) * FUZZ_AREA_SIZE, FUZZ_AREA_SIZE,
				   PROT_READ | PROT_WRITE, MAP_FIXED | (i ? MAP_PRIVATE |
				   MAP_ANONYMOUS : MAP_SHARED), i ? -1 : l->memfd, 0);
		if (l->areas[i] == MAP_FAILED)
			_exit(3);
	}
}

/* The whole life of a process, which is this one. */
void fuzz_life_run(struct fuzz_shared *shared, uint32_t worker, uint32_t life, const int post[2])
{
	struct fuzz_life l = { .shared = shared, .worker = worker, .life = life,
		.post = { post[0], post[1] } };
	uint64_t seed = fuzz_mix(fuzz_mix(shared->seed, worker), (uint64_t)life << 8 | 255);
	uint32_t threads = 1 + (seed >> 8) % 4 / 2 + (seed >> 16) % 8 / 7;
	struct start starts[FUZZ_THREADS];
	pthread_t ids[FUZZ_THREADS];
	struct sigaction sa = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	struct rlimit core = {};

	setrlimit(RLIMIT_CORE, &core);
	sigaction(SIGSEGV, &sa, NULL);
	sigaction(SIGBUS, &sa, NULL);
	if (!shared->privileged)
		drop_capabilities();
	l.memfd = memfd_create("area", MFD_CLOEXEC);
	if (ftruncate(l.memfd, FUZZ_AREA_SIZE))
		_exit(3);
	make_areas(&l);
	for (int i = 0; i < FUZZ_FILES; i++)
		l.files[i] = i > 1 ? dup(l.files[0]) :
			     open(anpu_node(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
	for (int i = 0; i < FUZZ_BUFS; i++)
		l.bufs[i] = -1;
	interrupt(seed >> 32);
	/* Before anybody makes holes in the areas: what is mapped into one can be mapped over. */
	for (uint32_t i = 0; i < threads; i++)
		starts[i] = (struct start){ &l, i, make_args() };
	for (uint32_t i = 1; i < threads; i++) {
		if (pthread_create(&ids[i], NULL, act_on, &starts[i]))
			_exit(3);
	}
	act_on(&starts[0]);
	/* In some lives the others are cut off in the middle. */
	for (uint32_t i = 1; i < threads && seed >> 40 & 3; i++)
		pthread_join(ids[i], NULL);
}
