// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The fuzzer: bystander, observer, workers; and what must hold in the end. Documentation/testing.md
 * tells how to run it for long and how to repeat a finding.
 */
#include <glob.h>
#include <sys/socket.h>

#include "anpu_test.h"
#include "bystander.h"
#include "census.h"
#include "fuzz.h"

/* A process that is killed must die; this is for a machine with much else to do. */
#define DEATH_SECONDS	(60 * anpu_slow())
#define STOP_TIMEOUT	"/sys/module/anpu/parameters/stop_timeout_ms"
#define RESET_TIMEOUT	"/sys/module/anpu/parameters/reset_timeout_ms"
/* Findings and traces that are told. */
#define FINDINGS_TOLD	8
/* An ioctl that was tried so often must have succeeded: even of the rarest every tenth does. */
#define TRIES_ENOUGH	400

FIXTURE(fuzz) {
	struct fuzz_shared *shared;
	struct census before;
	int log;
	int post[2];
	uint32_t workers;
	uint32_t from;
	int32_t only_worker;
};

FIXTURE_VARIANT(fuzz) {
	bool privileged;
};

/* Workers without capabilities cannot disturb others; those with them can reset the device, but no more. */
FIXTURE_VARIANT_ADD(fuzz, unprivileged) { .privileged = false };
FIXTURE_VARIANT_ADD(fuzz, privileged) { .privileged = true };

static uint64_t setting(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

/* The same seed each time, so that a commit which passed passes again; 0 asks for another one in each run */
static uint64_t seed_of(const char *name)
{
	uint64_t seed = setting(name, 1);

	return seed ? seed : (uint64_t)time(NULL) << 20 | getpid();
}

FIXTURE_SETUP(fuzz)
{
	const char *life = getenv("ANPU_FUZZ_LIFE");

	self->shared = mmap(NULL, sizeof(*self->shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->shared);
	self->shared->seed = seed_of("ANPU_FUZZ_SEED");
	self->shared->privileged = variant->privileged;
	self->workers = setting("ANPU_FUZZ_WORKERS", 4);
	self->from = setting("ANPU_FUZZ_FROM", 0);
	self->only_worker = -1;
	if (life && sscanf(life, "%d:%u", &self->only_worker, &self->from) != 2)
		self->only_worker = -1;
	if (self->workers > FUZZ_WORKERS)
		self->workers = FUZZ_WORKERS;
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, self->post));
	/* How fast this machine is today is not what is tested. */
	write_file(STOP_TIMEOUT, "20000");
	write_file(RESET_TIMEOUT, "20000");
	self->log = klog_open();
	ASSERT_GE(self->log, 0);
	ASSERT_EQ(0, census_take(&self->before)) {
		TH_LOG("needs debugfs, /proc/slabinfo and one device at least");
	}
}

FIXTURE_TEARDOWN(fuzz)
{
	write_file(STOP_TIMEOUT, "1000");
	write_file(RESET_TIMEOUT, "2000");
	census_free(&self->before);
}

/* The bystander -------------------------------------------------------------------------------- */

static void bystander(struct fuzz_shared *shared)
{
	struct bystander b = {};
	uint64_t n, bad;
	int ret;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (bystander_init(&b)) {
		fuzz_finding(shared, "the bystander cannot begin");
		_exit(1);
	}
	for (n = 1; !shared->stop; n++) {
		ret = bystander_work(&b, n);
		if (ret == -EIO && shared->privileged) {
			stream_destroy(b.fd, b.stream);
			ret = bystander_stream(&b);
		}
		if (ret) {
			fuzz_finding(shared, "bystander: round %lu gave %d, %lu errors", n, ret,
				     b.status->errors);
			break;
		}
		bad = n % 64 ? 0 : bystander_damage(&b);
		if (bad) {
			fuzz_finding(shared, "bystander: %lu numbers of its memory changed", bad);
			break;
		}
	}
	bad = bystander_damage(&b);
	if (bad)
		fuzz_finding(shared, "bystander: %lu numbers of its memory changed", bad);
	_exit(0);
}

/* The observer --------------------------------------------------------------------------------- */

/* Reads everything that can be read; with privileges, also takes the device away now and then. */
static void observer(struct fuzz_shared *shared)
{
	static const char * const files[] = { "/sys/kernel/debug/accel/*/*",
		"/sys/bus/pci/drivers/anpu/0*/anpu/*" };
	static char text[1 << 16];
	glob_t found;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (uint32_t n = 0; !shared->stop; n++) {
		if (!glob(files[n % 2], 0, NULL, &found)) {
			for (size_t i = 0; i < found.gl_pathc; i++) {
				int fd = open(found.gl_pathv[i], O_RDONLY);

				while (fd >= 0 && read(fd, text, sizeof(text)) > 0)
					;
				close(fd);
			}
			globfree(&found);
		}
		if (shared->privileged && n % 16 == 8 &&
		    !glob(n & 16 ? "/sys/bus/pci/drivers/anpu/0*/reset" :
			  "/sys/kernel/debug/accel/0*/pm_test", 0, NULL, &found)) {
			write_file(found.gl_pathv[0], "1");
			globfree(&found);
		}
		usleep(20000);
	}
	_exit(0);
}

/* Workers -------------------------------------------------------------------------------------- */

/* Waits for a life that was killed or has no time left. */
static void end_life(struct fuzz_shared *shared, uint32_t worker, uint32_t life, pid_t pid, bool killed)
{
	char path[64], stack[4096] = "";
	int status, fd;

	for (int64_t end = now_ns() + SECONDS(DEATH_SECONDS); now_ns() < end; usleep(500)) {
		if (waitpid(pid, &status, WNOHANG) != pid)
			continue;
		if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
			fuzz_finding(shared, "worker %u life %u ended by signal %d", worker, life,
				     WTERMSIG(status));
		else if (WIFEXITED(status) && WEXITSTATUS(status))
			fuzz_finding(shared, "worker %u life %u exited with %d", worker, life,
				     WEXITSTATUS(status));
		return;
	}
	snprintf(path, sizeof(path), "/proc/%d/stack", pid);
	fd = open(path, O_RDONLY);
	if (fd >= 0 && read(fd, stack, sizeof(stack) - 1) > 0)
		fprintf(stderr, "# stack of life %u of worker %u:\n%s", life, worker, stack);
	fuzz_finding(shared, "worker %u life %u %s and does not end", worker, life,
		     killed ? "was killed" : "has run out of steps");
	shared->stop = 1;
	_exit(1);
}

static void live(struct fuzz_shared *shared, uint32_t worker, uint32_t life, const int post[2])
{
	uint64_t seed = fuzz_mix(fuzz_mix(shared->seed, worker), (uint64_t)life << 8 | 254);
	/* Some die young. */
	int64_t end = now_ns() + (seed & 3 ? 1500 : 1 + (seed >> 8) % 200) * 1000000LL * anpu_slow();
	siginfo_t info = {};
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		fuzz_life_run(shared, worker, life, post);
		_exit(0);
	}
	while (now_ns() < end && !shared->stop) {
		if (waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid)
			break;
		usleep(500);
	}
	if (!info.si_pid)
		kill(pid, SIGKILL);
	end_life(shared, worker, life, pid, !info.si_pid);
	__atomic_fetch_add(&shared->lives, 1, __ATOMIC_RELAXED);
}

static void worker(struct fuzz_shared *shared, uint32_t number, uint32_t from, bool one,
		   const int post[2])
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Children of lives that were killed are ours. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* A machine may be so busy that no life has come to its first act when the time is over. */
	for (uint32_t life = from; (now_ns() < shared->end || !shared->acts) && !shared->stop; life++) {
		live(shared, number, life, post);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (one)
			break;
	}
	_exit(0);
}

/* In the end ----------------------------------------------------------------------------------- */

static void tell_trace(struct fuzz_shared *shared, uint32_t worker)
{
	for (uint32_t t = 0; t < FUZZ_THREADS; t++) {
		struct fuzz_trace *trace = &shared->trace[worker][t];

		if (!trace->step)
			continue;
		fprintf(stderr, "# worker %u thread %u life %u:", worker, t, trace->life);
		for (uint32_t i = 0; i < FUZZ_TRACE; i++) {
			uint32_t k = (trace->step + i) % FUZZ_TRACE;

			fprintf(stderr, " %u:%s=%d", trace->last[k].step,
				fuzz_act_name(trace->last[k].act), trace->last[k].result);
		}
		fprintf(stderr, "\n");
	}
}

/* The last steps are printed first, so that the findings, which matter most, stand at the end. */
static void tell(struct fuzz_shared *shared, uint32_t workers)
{
	uint32_t n = shared->n_findings < FUZZ_FINDINGS ? shared->n_findings : FUZZ_FINDINGS;

	fprintf(stderr, "# %u lives, %lu acts; ioctls done/refused:", shared->lives, shared->acts);
	for (int i = 0; i < IOCTL_COUNT; i++)
		fprintf(stderr, " %s %lu/%lu", documented[i].name, shared->done[i],
			shared->refused[i]);
	fprintf(stderr, "\n");
	for (uint32_t w = 0; n && w < workers; w++)
		tell_trace(shared, w);
	for (uint32_t i = 0; i < n && i < FINDINGS_TOLD; i++)
		fprintf(stderr, "# finding: %s\n", shared->findings[i]);
	if (n > FINDINGS_TOLD)
		fprintf(stderr, "# and %u findings more\n", shared->n_findings - FINDINGS_TOLD);
}

static pid_t start(struct fuzz_shared *shared, void (*role)(struct fuzz_shared *))
{
	pid_t pid = fork();

	if (!pid)
		role(shared);
	return pid;
}

TEST_F_TIMEOUT(fuzz, ioctls, 24 * 3600)
{
	struct fuzz_shared *shared = self->shared;
	pid_t pids[FUZZ_WORKERS], by, watch;
	bool one = self->only_worker >= 0;
	int complaints = 0, status = -1;

	TH_LOG("seed %#lx, %u workers", shared->seed, one ? 1 : self->workers);
	shared->end = now_ns() + SECONDS(setting("ANPU_FUZZ_SECONDS", 10));
	by = start(shared, bystander);
	watch = start(shared, observer);
	for (uint32_t i = 0; i < self->workers; i++) {
		pids[i] = one && i != self->only_worker ? -1 : fork();
		if (!pids[i])
			worker(shared, i, self->from, one, self->post);
	}
	for (uint32_t i = 0; i < self->workers; i++) {
		while (pids[i] > 0 && !waitpid(pids[i], NULL, WNOHANG)) {
			complaints += klog_check(self->log);
			/* Later findings would be consequences of this complaint. */
			shared->stop |= complaints > 0;
			usleep(50000);
		}
	}
	shared->stop = 1;
	waitpid(by, &status, 0);
	if (status)
		fuzz_finding(shared, "the bystander ended with status %#x", status);
	waitpid(watch, NULL, 0);
	close(self->post[0]);
	close(self->post[1]);
	complaints += klog_check(self->log);
	tell(shared, self->workers);
	EXPECT_EQ(0, shared->n_findings);
	EXPECT_EQ(0, complaints);
	EXPECT_EQ(0, bystander_try());
	EXPECT_EQ(0, census_compare(&self->before, shared->lives));
	/* Nobody is satisfied by refusals alone. On a slow kernel chance has too few tries for that. */
	EXPECT_NE(0, shared->acts);
	for (int i = 0; i < IOCTL_COUNT; i++) {
		EXPECT_TRUE(shared->done[i] || shared->refused[i] < TRIES_ENOUGH) {
			TH_LOG("%s never succeeded", documented[i].name);
		}
	}
}

TEST_HARNESS_MAIN
