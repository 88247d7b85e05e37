// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Many processes that do everything there is and are killed at random moments: in the end all is as
 * it was, and a bystander has not noticed. Documentation/testing.md tells how to run it for long.
 */
#include <glob.h>
#include <pthread.h>
#include <sys/socket.h>

#include "anpu_test.h"
#include "bystander.h"
#include "census.h"

#define PROCESSES_MAX	128
#define STOP_TIMEOUT	"/sys/module/anpu/parameters/stop_timeout_ms"
/* A process that is killed must die, what was submitted be done; this is for a machine with much else to do. */
#define PATIENCE	(SECONDS(60) * anpu_slow())

/* Why a victim ended before it was killed. */
enum { WRONG_RESULT = 10, WRONG_ERROR };

static uint64_t setting(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

static uint32_t rnd(uint64_t *seed, uint32_t below)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*seed >> 33) % below;
}

/* Victims -------------------------------------------------------------------------------------- */

struct victim {
	int fd;
	uint64_t rng;
	int post;
	struct stream s;
	uint64_t *data;
	uint32_t data_bo;
};

/* Others have the memory, the queues: come back later. Everything else is a finding. */
static bool good_at(int line, int ret)
{
	if (ret && ret != -ENOSPC && ret != -ENOMEM) {
		fprintf(stderr, "# storm.c:%d: process %d: unexpected: %s\n", line, getpid(),
			strerror(-ret));
		_exit(WRONG_ERROR);
	}
	return !ret;
}

#define good(ret) good_at(__LINE__, ret)

static void right_at(int line, bool right)
{
	if (right)
		return;
	fprintf(stderr, "# storm.c:%d: process %d: a wrong result\n", line, getpid());
	_exit(WRONG_RESULT);
}

#define right(is) right_at(__LINE__, is)

/* As run(), but as patient as the others make it be: a victim is killed sooner or later in any case. */
static int work(struct victim *v, uint32_t stream, const union anpu_packet *pkts, uint32_t count)
{
	uint64_t seq;
	int ret = submit(v->fd, stream, pkts, count, &seq);

	if (ret)
		return ret;
	while ((ret = wait_seq_until(v->fd, stream, seq, now_ns() + PATIENCE)) == -ETIME)
		;
	return ret;
}

static int begin(struct victim *v)
{
	static const uint32_t code[] = {
		RV_LD(R_A1, 0, R_A0), RV_ADDI(R_A1, R_A1, 2), RV_SD(R_A1, 8, R_A0), RV_RET, RV_LOOP,
	};
	uint32_t text;
	void *p;
	int ret;

	v->fd = anpu_open();
	if (v->fd < 0)
		return v->fd;
	ret = bo_create(v->fd, DRM_ANPU_BO_HBM, 64 * PAGE, 0, 0, &v->data_bo);
	if (!ret)
		ret = vm_map(v->fd, VA(0), 64 * PAGE, v->data_bo, RW);
	if (!ret)
		ret = bo_create(v->fd, DRM_ANPU_BO_HBM, PAGE, 0, 0, &text);
	if (!ret)
		ret = vm_map(v->fd, VA(10), PAGE, text, RX);
	if (!ret)
		ret = stream_create(v->fd, 0, 64, &v->s);
	if (ret)
		return ret;
	v->data = bo_map(v->fd, v->data_bo, 64 * PAGE);
	p = bo_map(v->fd, text, PAGE);
	if (v->data == MAP_FAILED || p == MAP_FAILED)
		return -ENOMEM;
	memcpy(p, code, sizeof(code));
	munmap(p, PAGE);
	return 0;
}

static void launches(struct victim *v)
{
	for (uint32_t i = 0; i < 20; i++) {
		union anpu_packet pkt = pkt_kernel(VA(10), VA(0), 64, ANPU_TIMEOUT_NEVER);

		v->data[0] = i;
		if (!good(work(v, v->s.id, &pkt, 1)))
			return;
		right(v->data[1] == i + 2 && !v->s.status->errors);
	}
}

static void fill_and_cut(struct victim *v, uint32_t bo, uint64_t size)
{
	union anpu_packet pkt = pkt_fill(VA(1), size, 0x5a);
	uint64_t *p;

	if (!good(vm_op(v->fd, DRM_ANPU_VM_REPLACE, VA(1), size, bo, 0, RW)))
		return;
	p = bo_map(v->fd, bo, size);
	if (p != MAP_FAILED) {
		if (good(work(v, v->s.id, &pkt, 1)))
			right(p[0] == 0x5a5a5a5a5a5a5a5a && p[size / 8 - 1] == p[0]);
		munmap(p, size);
	}
	good(vm_unmap(v->fd, VA(1) + size / 2 / PAGE * PAGE, size));
}

static void buffers(struct victim *v)
{
	uint32_t type = rnd(&v->rng, 2), bo;
	uint64_t size = (1 + rnd(&v->rng, 200)) * PAGE;

	if (!good(bo_create(v->fd, type, size, 0, 0, &bo)))
		return;
	fill_and_cut(v, bo, size);
	good(bo_close(v->fd, bo));
}

static void user_memory(struct victim *v)
{
	uint64_t size = (1 + rnd(&v->rng, 100)) * PAGE;
	uint64_t *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	union anpu_packet pkt = pkt_fill(VA(2), size, 0x33);
	uint32_t bo;

	if (p == MAP_FAILED)
		return;
	if (good(bo_create(v->fd, DRM_ANPU_BO_USERPTR, size, 0, (uintptr_t)p, &bo))) {
		if (good(vm_op(v->fd, DRM_ANPU_VM_REPLACE, VA(2), size, bo, 0, RW)) &&
		    good(work(v, v->s.id, &pkt, 1)))
			right(p[0] == 0x3333333333333333);
		/* Sometimes it stays pinned and mapped when the memory goes. */
		if (rnd(&v->rng, 2))
			good(vm_unmap(v->fd, VA(2), size));
		good(bo_close(v->fd, bo));
	}
	munmap(p, size);
}

static void user_queue(struct victim *v)
{
	union anpu_packet pkts[3] = { pkt_nop(), pkt_fill(VA(0) + PAGE, PAGE, 7), pkt_nop() };
	struct stream s;
	int ret;

	stream_mode = DRM_ANPU_STREAM_USER_QUEUE;
	ret = stream_create(v->fd, 0, 64, &s);
	stream_mode = 0;
	if (!good(ret))
		return;
	for (int i = 0; i < 20; i++)
		good(work(v, s.id, pkts, 3));
	right(((uint8_t *)v->data)[PAGE] == 7);
	if (rnd(&v->rng, 2)) {
		struct user_queue *q = user_queue_find(v->fd, s.id);

		munmap(q->ring, PAGE);
		munmap((void *)q->control, PAGE);
		munmap((void *)q->doorbell, PAGE);
		munmap((void *)s.status, PAGE);
		good(stream_destroy(v->fd, s.id));
	}
}

static void write_to_shared(struct victim *v, uint32_t bo)
{
	union anpu_packet pkt = pkt_fill(VA(3), PAGE, 1);

	if (good(vm_op(v->fd, DRM_ANPU_VM_REPLACE, VA(3), PAGE, bo, 0, RW)))
		good(work(v, v->s.id, &pkt, 1));
}

/* Gives a buffer to whoever takes it, or takes one and writes to it. */
static void sharing(struct victim *v)
{
	char byte = 0, space[CMSG_SPACE(sizeof(int))] = {};
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = space,
		.msg_controllen = sizeof(space) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	struct drm_prime_handle prime = { .flags = DRM_CLOEXEC | DRM_RDWR };

	if (rnd(&v->rng, 2)) {
		if (!good(bo_create(v->fd, rnd(&v->rng, 2), PAGE, 0, 0, &prime.handle)))
			return;
		if (good(do_ioctl(v->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime))) {
			*c = (struct cmsghdr){ CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS };
			memcpy(CMSG_DATA(c), &prime.fd, sizeof(int));
			sendmsg(v->post, &msg, MSG_DONTWAIT);
			close(prime.fd);
		}
	} else {
		if (recvmsg(v->post, &msg, MSG_DONTWAIT) < 0 || !(c = CMSG_FIRSTHDR(&msg)))
			return;
		memcpy(&prime.fd, CMSG_DATA(c), sizeof(int));
		if (!good(do_ioctl(v->fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime))) {
			close(prime.fd);
			return;
		}
		write_to_shared(v, prime.handle);
		close(prime.fd);
	}
	good(bo_close(v->fd, prime.handle));
}

static void events(struct victim *v)
{
	struct drm_anpu_event_subscribe sub = { .mask = 7 };
	union anpu_packet pkts[2] = { pkt_notify(1, 2), pkt_fill(8, 8, 0) };
	char buf[512];
	struct stream s;

	good(do_ioctl(v->fd, DRM_IOCTL_ANPU_EVENT_SUBSCRIBE, &sub));
	if (!good(stream_create(v->fd, 0, 16, &s)))
		return;
	good(submit(v->fd, s.id, pkts, 2, NULL));
	right(read(v->fd, buf, sizeof(buf)) > 0);
	munmap((void *)s.status, PAGE);
	good(stream_destroy(v->fd, s.id));
}

static void *sleep_on(void *arg)
{
	struct victim *v = arg;
	struct drm_anpu_wait_item item = { .type = DRM_ANPU_WAIT_MEMORY, .handle = v->data_bo,
		.offset = 8 * PAGE, .value = 1, .mask = ~0ULL, .width = 8 };

	wait_items(v->fd, &item, 1, 0, INT64_MAX, NULL);
	return NULL;
}

/* Nothing more happens but by death: threads in every kind of wait, an operator without end. */
static void sleepers(struct victim *v)
{
	union anpu_packet pkts[2] = { pkt_wait(VA(0) + 8 * PAGE, 1),
		pkt_kernel(VA(10) + 16, 0, 0, ANPU_TIMEOUT_NEVER) };
	struct stream s, t;
	pthread_t thread;
	uint64_t seq;

	if (stream_create(v->fd, 0, 16, &s) || stream_create(v->fd, 0, 16, &t))
		return;
	submit(v->fd, s.id, &pkts[0], 1, &seq);
	submit(v->fd, t.id, &pkts[1], 1, NULL);
	pthread_create(&thread, NULL, sleep_on, v);
	wait_seq_until(v->fd, s.id, seq, INT64_MAX);
	_exit(WRONG_ERROR);
}

static void fork_and_files(struct victim *v)
{
	pid_t pid = fork();

	if (!pid) {
		/* Holds the file until it is gone, too. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		usleep(20000);
		_exit(0);
	}
	close(anpu_open());
	if (pid > 0 && rnd(&v->rng, 2))
		waitpid(pid, NULL, 0);
}

static void victim(uint64_t seed, int post)
{
	static void (* const acts[])(struct victim *) = {
		launches, launches, buffers, buffers, user_memory, user_queue, sharing, sharing,
		events, fork_and_files,
	};
	struct victim v = { .rng = seed, .post = post };
	bool room = good(begin(&v));

	while (room) {
		uint32_t n = rnd(&v.rng, 64);

		if (n == 63)
			sleepers(&v);
		else
			acts[n % (sizeof(acts) / sizeof(*acts))](&v);
	}
	/* No room: wait to be killed. */
	for (;;)
		pause();
}

/* The storm ------------------------------------------------------------------------------------ */

struct storm {
	uint64_t seed;
	uint64_t rng;
	uint32_t processes;
	uint32_t born;
	uint32_t findings;
	uint32_t programs;
	int post[2];
	struct {
		pid_t pid;
		uint32_t number;
		bool program;
		int64_t end;
	} at[PROCESSES_MAX];
};

FIXTURE(storm) {
	struct storm storm;
	struct census before;
	int log;
};

/* The same seed each time, so that a commit which passed passes again; 0 asks for another one in each run */
static uint64_t seed_of(const char *name)
{
	uint64_t seed = setting(name, 1);

	return seed ? seed : (uint64_t)time(NULL) << 20 | getpid();
}

FIXTURE_SETUP(storm)
{
	struct storm *st = &self->storm;

	st->seed = st->rng = seed_of("ANPU_STORM_SEED");
	st->processes = setting("ANPU_STORM_PROCESSES", 32);
	if (st->processes > PROCESSES_MAX)
		st->processes = PROCESSES_MAX;
	/* How fast this machine is today is not what is tested. */
	write_file(STOP_TIMEOUT, "20000");
	self->log = klog_open();
	ASSERT_GE(self->log, 0);
	ASSERT_EQ(0, census_take(&self->before)) {
		TH_LOG("needs debugfs, /proc/slabinfo and one device at least");
	}
}

FIXTURE_TEARDOWN(storm)
{
	write_file(STOP_TIMEOUT, "1000");
	census_free(&self->before);
}

/* Becomes one of the programs of a list. What it prints is not ours to tell. */
static void become(const char *list, uint32_t number)
{
	char *copy = strdup(list), *words[64] = {}, *at = copy;
	int count = 0, null = open("/dev/null", O_RDWR);

	while (count < 64 && (words[count] = strtok(at, " ,"))) {
		at = NULL;
		count++;
	}
	dup2(null, 1);
	dup2(null, 2);
	if (count)
		execl(words[number % count], words[number % count], NULL);
	_exit(127);
}

static void bear(struct storm *st, uint32_t slot)
{
	const char *programs = getenv("ANPU_STORM_EXEC");
	/* Every third is another program, if there is one. */
	bool program = programs && *programs && (st->born + 1) % 3 == 0;
	uint64_t seed = st->seed + ++st->born * 0x9e3779b97f4a7c15ULL;
	pid_t pid = fork();

	if (pid < 0) {
		fprintf(stderr, "# victim %u cannot be born: %s\n", st->born, strerror(errno));
		st->findings++;
		return;
	}
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (program)
			become(programs, st->born / 3);
		victim(seed, st->post[st->born % 2]);
	}
	st->at[slot].pid = pid;
	st->at[slot].number = st->born;
	st->at[slot].program = program;
	st->programs += program;
	st->at[slot].end = now_ns() + (1 + rnd(&st->rng, 400)) * 1000000LL;
}

static void tell_stacks(pid_t pid)
{
	char path[64], text[4096];
	glob_t found;

	snprintf(path, sizeof(path), "/proc/%d/task/*/stack", pid);
	if (glob(path, 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		int fd = open(found.gl_pathv[i], O_RDONLY | O_CLOEXEC);
		ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text));

		if (n > 0)
			fprintf(stderr, "# %s:\n%.*s", found.gl_pathv[i], (int)n, text);
		close(fd);
	}
	globfree(&found);
}

static void bury(struct storm *st, uint32_t slot)
{
	int64_t end = now_ns() + PATIENCE;
	pid_t pid = st->at[slot].pid, ret;
	int status;

	while ((ret = waitpid(pid, &status, WNOHANG)) == 0 && now_ns() < end)
		usleep(200);
	st->at[slot].pid = 0;
	if (ret == pid && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		return;
	/* Programs end, or find out that others have all the memory; they do not crash. */
	if (ret == pid && st->at[slot].program && WIFEXITED(status) && WEXITSTATUS(status) < 126)
		return;
	st->findings++;
	if (ret != pid)
		tell_stacks(pid);
	fprintf(stderr, "# victim %u (process %d) %s\n", st->at[slot].number, pid, ret != pid ? "does not die" :
		WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) :
		WEXITSTATUS(status) == WRONG_RESULT ? "had a wrong result" :
		WEXITSTATUS(status) == WRONG_ERROR ? "had an unexpected error" : "ended");
}

/* Everybody dies when his time has come; now and then all at once. */
static void round_of(struct storm *st, bool last)
{
	bool all = last || !rnd(&st->rng, 400);
	int64_t now = now_ns();

	for (uint32_t i = 0; i < st->processes; i++) {
		if (st->at[i].pid && (all || st->at[i].end <= now))
			kill(st->at[i].pid, SIGKILL);
	}
	for (uint32_t i = 0; i < st->processes; i++) {
		if (st->at[i].pid && (all || st->at[i].end <= now))
			bury(st, i);
		if (!st->at[i].pid && !last)
			bear(st, i);
	}
}

static void rage(struct storm *st, int64_t end, int log, int *complaints)
{
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, st->post)) {
		st->findings++;
		return;
	}
	/* However slow the machine is, some die and are born again. */
	while ((now_ns() < end || st->born < 3 * st->processes / 2) && !st->findings && !*complaints) {
		round_of(st, false);
		*complaints += klog_check(log);
		usleep(1000);
	}
	round_of(st, true);
	close(st->post[0]);
	close(st->post[1]);
}

static pid_t watch(int stop[2])
{
	struct bystander b;
	pid_t pid = fork();
	char c;
	int ret;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(stop[1]);
	ret = bystander_init(&b);
	for (uint64_t n = 1; !ret && read(stop[0], &c, 1) < 0; n++) {
		ret = bystander_work(&b, n);
		if (!ret && n % 64 == 0)
			ret = bystander_damage(&b) ? 2 : 0;
	}
	if (ret)
		fprintf(stderr, "# bystander: %d, %llu errors, %lu numbers changed\n", ret,
			b.status ? b.status->errors : 0ULL, bystander_damage(&b));
	_exit(ret || bystander_damage(&b) ? 1 : 0);
}

TEST_F_TIMEOUT(storm, killed_at_random_moments, 24 * 3600)
{
	struct storm *st = &self->storm;
	int complaints = 0, status = -1, stop[2];
	pid_t by;

	TH_LOG("seed %#lx, %u processes", st->seed, st->processes);
	/* Once before it counts: what the kernel keeps from the first time is no leak. */
	rage(st, now_ns() + SECONDS(2), self->log, &complaints);
	ASSERT_EQ(0, census_settle(&self->before)) {
		census_compare(&self->before, st->born);
	}
	census_free(&self->before);
	ASSERT_EQ(0, census_take(&self->before));
	st->born = 0;
	ASSERT_EQ(0, pipe2(stop, O_NONBLOCK | O_CLOEXEC));
	by = watch(stop);
	rage(st, now_ns() + SECONDS(setting("ANPU_STORM_SECONDS", 10)), self->log, &complaints);
	close(stop[1]);
	waitpid(by, &status, 0);
	EXPECT_EQ(0, status);
	TH_LOG("%u victims, %u of them programs", st->born, st->programs);
	EXPECT_EQ(0, st->findings);
	EXPECT_EQ(0, complaints + klog_check(self->log));
	EXPECT_EQ(0, bystander_try());
	EXPECT_EQ(0, census_compare(&self->before, st->born));
	EXPECT_GT(st->born, st->processes);
}

TEST_HARNESS_MAIN
