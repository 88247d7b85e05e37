// SPDX-License-Identifier: MIT
/*
 * The cost of the driver's calls, without libacl: submission, waking, many streams and processes, binding, pinning.
 *
 * All packets are NOPs, which the device completes about as fast as it can look at them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <anpu/anpu_packet.h>
#include <drm/anpu_accel.h>

#include "driver.h"
#include "stats.h"

#define MIB	(1024UL * 1024)
#define VA	0x200000000UL

struct stream {
	int fd;
	uint32_t id;
	uint64_t seq;
};

static void die(const char *what)
{
	fprintf(stderr, "bench: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t *samples(size_t n)
{
	uint64_t *s = malloc(n * sizeof(*s));

	if (!s)
		die("samples");
	return s;
}

static void call(int fd, unsigned long request, void *args, const char *what)
{
	if (ioctl(fd, request, args))
		die(what);
}

static int open_node(const char *node)
{
	int fd = open(node, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		die(node);
	return fd;
}

static struct stream stream_open(int fd)
{
	struct drm_anpu_stream_create args = { .priority = 4 };

	call(fd, DRM_IOCTL_ANPU_STREAM_CREATE, &args, "STREAM_CREATE");
	return (struct stream){ .fd = fd, .id = args.stream };
}

static void submit_packet(struct stream *s, const union anpu_packet *pkt)
{
	struct drm_anpu_submit args = {
		.stream = s->id, .packets = { ANPU_PACKET_SIZE, 1, (uintptr_t)pkt },
	};

	call(s->fd, DRM_IOCTL_ANPU_SUBMIT, &args, "SUBMIT");
	s->seq = args.seq;
}

static void submit(struct stream *s)
{
	union anpu_packet nop = { .hdr.opcode = ANPU_OP_NOP };

	submit_packet(s, &nop);
}

static void wait_all(const struct stream *streams, size_t count)
{
	struct drm_anpu_wait_item items[DRM_ANPU_MAX_WAIT_ITEMS] = {};
	struct drm_anpu_wait args = {
		.flags = DRM_ANPU_WAIT_ALL, .timeout_ns = INT64_MAX,
		.items = { sizeof(items[0]), count, (uintptr_t)items },
	};

	for (size_t i = 0; i < count; i++) {
		items[i].type = DRM_ANPU_WAIT_SEQ;
		items[i].stream = streams[i].id;
		items[i].value = streams[i].seq;
	}
	call(streams->fd, DRM_IOCTL_ANPU_WAIT, &args, "WAIT");
}

static void wait_for(const struct stream *s)
{
	struct drm_anpu_wait_item item = {
		.type = DRM_ANPU_WAIT_SEQ, .stream = s->id, .value = s->seq,
	};
	struct drm_anpu_wait args = {
		.timeout_ns = INT64_MAX, .items = { sizeof(item), 1, (uintptr_t)&item },
	};

	call(s->fd, DRM_IOCTL_ANPU_WAIT, &args, "WAIT");
}

static uint32_t make_object(int fd, uint32_t type, void *ptr, uint64_t size)
{
	struct drm_anpu_bo_create args = {
		.size = size, .type = type, .user_ptr = (uintptr_t)ptr,
	};

	call(fd, DRM_IOCTL_ANPU_BO_CREATE, &args, "BO_CREATE");
	return args.handle;
}

static void drop_object(int fd, uint32_t handle)
{
	struct drm_gem_close args = { .handle = handle };

	call(fd, DRM_IOCTL_GEM_CLOSE, &args, "GEM_CLOSE");
}

static void bind(int fd, const struct drm_anpu_vm_bind_op *ops, uint32_t count)
{
	struct drm_anpu_vm_bind args = {
		.ops = { sizeof(*ops), count, (uintptr_t)ops },
	};

	call(fd, DRM_IOCTL_ANPU_VM_BIND, &args, "VM_BIND");
}

/* Submission ------------------------------------------------------------------------------------ */

static void noop(int fd)
{
	struct drm_anpu_dev_query q = { .type = DRM_ANPU_QUERY_INFO };

	call(fd, DRM_IOCTL_ANPU_DEV_QUERY, &q, "DEV_QUERY");
}

/*
 * The call alone: the ring is emptied outside of what is measured. In turn with what it is compared
 * with, call by call, so that other work on the machine meets both.
 */
static void bench_submit_one(const char *node)
{
	enum { N = 20000, BATCH = 500 };
	const size_t count = bench_samples(N);
	uint64_t *floor = samples(N), *ns = samples(N);
	int fd = open_node(node);
	struct stream s = stream_open(fd);

	for (size_t i = 0; i < count; i++) {
		uint64_t t;

		if (i % BATCH == 0 && i)
			wait_for(&s);
		t = bench_now();
		noop(fd);
		floor[i] = bench_now() - t;
		t = bench_now();
		submit(&s);
		ns[i] = bench_now() - t;
	}
	close(fd);
	bench_add("noop_in_turn", BENCH_NS, floor, count, 0, NULL);
	bench_add("submit_one", BENCH_NS, ns, count, 0, "noop_in_turn");
	free(floor);
	free(ns);
}

struct user_queue {
	union anpu_packet *ring;
	volatile struct anpu_queue_control *control;
	volatile uint64_t *doorbell;
	const volatile struct anpu_queue_status *status;
	uint64_t mask;
	uint64_t wptr;
};

static void *map_page(int fd, uint64_t offset, uint64_t size, int prot)
{
	void *p = mmap(NULL, size, prot, MAP_SHARED, fd, offset);

	if (p == MAP_FAILED)
		die("mmap of a user queue");
	return p;
}

static struct user_queue user_queue_open(int fd)
{
	const int rw = PROT_READ | PROT_WRITE;
	struct drm_anpu_stream_create args = {
		.priority = 4, .ring_entries = 1024, .flags = DRM_ANPU_STREAM_USER_QUEUE,
	};

	call(fd, DRM_IOCTL_ANPU_STREAM_CREATE, &args, "STREAM_CREATE");
	return (struct user_queue){
		.ring = map_page(fd, args.ring_offset, args.ring_entries * ANPU_PACKET_SIZE, rw),
		.control = map_page(fd, args.control_offset, 4096, rw),
		.doorbell = map_page(fd, args.doorbell_offset, 4096, PROT_WRITE),
		.status = map_page(fd, args.status_offset, 4096, PROT_READ),
		.mask = args.ring_entries - 1,
	};
}

static void user_submit(struct user_queue *q)
{
	q->ring[q->wptr++ & q->mask] = (union anpu_packet){ .hdr.opcode = ANPU_OP_NOP };
	__atomic_store_n(&q->control->wptr, q->wptr, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (!q->status->polling)
		*q->doorbell = q->wptr;
}

/* One by one a clock would cost more than what it measures: ten at a time. */
static void bench_user_submit(const char *node)
{
	enum { N = 2000, BURST = 10 };
	const size_t count = bench_samples(N);
	uint64_t *ns = samples(N);
	int fd = open_node(node);
	struct user_queue q = user_queue_open(fd);

	for (size_t i = 0; i < count; i++) {
		uint64_t t;

		if (i % 50 == 0)
			while (q.status->completed < q.wptr)
				;
		t = bench_now();
		for (int n = 0; n < BURST; n++)
			user_submit(&q);
		ns[i] = (bench_now() - t) / BURST;
	}
	while (q.status->completed < q.wptr)
		;
	close(fd);
	bench_add("user_submit", BENCH_NS, ns, count, 0, "noop_ioctl");
	free(ns);
}

/* A no-op ioctl, then an interrupt that wakes its sleeper: below this no submit and wait can be. */
static void bench_wake_floor(const char *node, int irq_test)
{
	enum { N = 5000 };
	const size_t count = bench_samples(N);
	uint64_t *ns = samples(N);
	int fd = open_node(node);

	for (size_t i = 0; i < count; i++) {
		uint64_t t = bench_now();

		noop(fd);
		if (pwrite(irq_test, "0", 1, 0) != 1)
			die("irq_test");
		ns[i] = bench_now() - t;
	}
	close(fd);
	bench_add("noop_doorbell_irq", BENCH_NS, ns, count, 0, NULL);
	free(ns);
}

static void bench_submit_wake(const char *node)
{
	enum { N = 5000 };
	const size_t count = bench_samples(N);
	uint64_t *ns = samples(N);
	int fd = open_node(node);
	struct stream s = stream_open(fd);

	for (size_t i = 0; i < count; i++) {
		uint64_t t = bench_now();

		submit(&s);
		wait_for(&s);
		ns[i] = bench_now() - t;
	}
	close(fd);
	bench_add("submit_wake", BENCH_NS, ns, count, 0, "noop_doorbell_irq");
	free(ns);
}

enum { COMPLETED_SAMPLES = 2000, COMPLETED_BATCH = 100 };

/* From now on the process may write and end. Strict seccomp would forbid it to read the clock, too. */
static void forbid_calls(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(code) / sizeof(code[0]), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		die("seccomp");
}

/*
 * In a process that may only write and end: a system call in between would kill it. A hundred at a
 * time, as the clock costs more than what is measured.
 */
static void check_completed(const char *node, int result)
{
	static uint64_t ns[COMPLETED_SAMPLES];
	struct drm_anpu_stream_create args = { .priority = 4 };
	const volatile struct anpu_queue_status *status;
	uint64_t missing = 0;
	struct stream s = { .fd = open_node(node) };

	call(s.fd, DRM_IOCTL_ANPU_STREAM_CREATE, &args, "STREAM_CREATE");
	status = map_page(s.fd, args.status_offset, 4096, PROT_READ);
	s.id = args.stream;
	for (int i = 0; i < 10; i++)
		submit(&s);
	wait_for(&s);
	forbid_calls();
	for (size_t i = 0; i < bench_samples(COMPLETED_SAMPLES); i++) {
		uint64_t t = bench_now();

		for (int n = 0; n < COMPLETED_BATCH; n++)
			missing += __atomic_load_n(&status->completed, __ATOMIC_ACQUIRE) < s.seq;
		ns[i] = (bench_now() - t) / COMPLETED_BATCH;
	}
	for (size_t at = 0; !missing && at < sizeof(ns); ) {
		ssize_t n = write(result, (char *)ns + at, sizeof(ns) - at);

		if (n <= 0)
			break;
		at += n;
	}
	_exit(!!missing);
}

/* Waiting for what has completed is a load. */
static void bench_wait_completed(const char *node)
{
	uint64_t *ns = samples(COMPLETED_SAMPLES);
	size_t at = 0, size = bench_samples(COMPLETED_SAMPLES) * sizeof(*ns);
	int result[2], ended;
	pid_t pid;

	if (pipe(result))
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid)
		check_completed(node, result[1]);
	close(result[1]);
	while (at < size) {
		ssize_t n = read(result[0], (char *)ns + at, size - at);

		if (n <= 0)
			break;
		at += n;
	}
	if (waitpid(pid, &ended, 0) != pid || ended || at < size) {
		fprintf(stderr, "bench: wait_completed: the process ended with %#x\n", ended);
		exit(1);
	}
	close(result[0]);
	bench_add("wait_completed", BENCH_NS, ns, bench_samples(COMPLETED_SAMPLES), 0, "noop_ioctl");
	free(ns);
}

/* An operator that returns at once, submitted and waited for: what aclrtSynchronizeStream() has below it. */
static void bench_launch_sync(const char *node)
{
	enum { N = 5000, RET = 0x8067 };
	const size_t count = bench_samples(N);
	uint64_t *ns = samples(N);
	int fd = open_node(node);
	struct stream s = stream_open(fd);
	uint32_t code = make_object(fd, DRM_ANPU_BO_HBM, NULL, 4096);
	struct drm_anpu_vm_bind_op op = {
		.op = DRM_ANPU_VM_MAP, .flags = DRM_ANPU_VM_READ | DRM_ANPU_VM_EXEC, .va = VA,
		.size = 4096, .handle = code,
	};
	struct drm_anpu_bo_mmap_offset offset = { .handle = code };
	union anpu_packet pkt = {
		.kernel = { .hdr.opcode = ANPU_OP_KERNEL, .entry = VA, .grid_x = 1, .grid_y = 1,
			    .grid_z = 1 },
	};
	uint32_t *text;

	call(fd, DRM_IOCTL_ANPU_BO_MMAP_OFFSET, &offset, "BO_MMAP_OFFSET");
	text = map_page(fd, offset.offset, 4096, PROT_READ | PROT_WRITE);
	*text = RET;
	bind(fd, &op, 1);
	for (size_t i = 0; i < count; i++) {
		uint64_t t = bench_now();

		submit_packet(&s, &pkt);
		wait_for(&s);
		ns[i] = bench_now() - t;
	}
	munmap(text, 4096);
	close(fd);
	bench_add("driver_launch_sync", BENCH_NS, ns, count, 0, "noop_doorbell_irq");
	free(ns);
}

/* Many ------------------------------------------------------------------------------------------ */

#define CALLS		8000	/* of a round of one process, over all of its streams */
#define ROUNDS		21

/* Nanoseconds per launch of a round over all of the streams, waits included. */
static uint64_t launch_round(struct stream *streams, size_t count, size_t launches)
{
	uint64_t t = bench_now();

	for (size_t i = 0; i < launches; i++)
		submit(&streams[i % count]);
	wait_all(streams, count);
	return (bench_now() - t) / launches;
}

static uint64_t noop_round(int fd, size_t calls)
{
	uint64_t t = bench_now();

	for (size_t i = 0; i < calls; i++)
		noop(fd);
	return (bench_now() - t) / calls;
}

enum { PROCESSES = 64 };

/*
 * Processes that start a round together and end it together. Each has its share: with tokens in a pipe
 * whoever runs first would take those of others, too.
 */
struct crowd {
	pthread_barrier_t start;
	pthread_barrier_t end;
	size_t calls;	/* of each in a round */
	bool launch;	/* else they make calls that do nothing */
	bool over;
};

static void worker(struct crowd *c, const char *node)
{
	int fd = open_node(node);
	struct stream s = c->launch ? stream_open(fd) : (struct stream){};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		pthread_barrier_wait(&c->start);
		if (c->over)
			_exit(0);
		if (c->launch)
			launch_round(&s, 1, c->calls);
		else
			noop_round(fd, c->calls);
		pthread_barrier_wait(&c->end);
	}
}

/* A process that fails must not leave the others waiting at the barrier. */
static void worker_ended(int signum)
{
	static const char why[] = "bench: one of 64 processes ended early\n";

	(void)signum;
	(void)!write(STDERR_FILENO, why, sizeof(why) - 1);
	_exit(1);
}

static struct crowd *crowd_start(const char *node, size_t calls, bool launch)
{
	struct crowd *c = mmap(NULL, sizeof(*c), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_barrierattr_t shared;

	if (c == MAP_FAILED)
		die("crowd");
	c->calls = calls;
	c->launch = launch;
	errno = pthread_barrierattr_init(&shared);
	if (!errno)
		errno = pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	if (!errno)
		errno = pthread_barrier_init(&c->start, &shared, PROCESSES + 1);
	if (!errno)
		errno = pthread_barrier_init(&c->end, &shared, PROCESSES + 1);
	if (errno)
		die("barriers");
	for (size_t i = 0; i < PROCESSES; i++) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (!pid)
			worker(c, node);
	}
	return c;
}

static void crowd_end(struct crowd *c)
{
	c->over = true;
	pthread_barrier_wait(&c->start);
	for (size_t i = 0; i < PROCESSES; i++)
		wait(NULL);
	munmap(c, sizeof(*c));
}

/* Nanoseconds per call, over all processes. */
static uint64_t crowd_round(struct crowd *c)
{
	uint64_t t = bench_now();

	pthread_barrier_wait(&c->start);
	pthread_barrier_wait(&c->end);
	return (bench_now() - t) / (PROCESSES * c->calls);
}

static void add_rounds(const char *name, uint64_t *ns, const char *floor)
{
	bench_add(name, BENCH_NS, ns, bench_samples(ROUNDS), 0, floor);
}

/* The same packets in one stream and in many, round by round: other work on the machine meets both. */
static void bench_streams(const char *node)
{
	enum { STREAMS = 1000 };
	static uint64_t one[ROUNDS], many[ROUNDS];
	int fd = open_node(node);
	struct stream single = stream_open(fd), *streams = calloc(STREAMS, sizeof(*streams));

	if (!streams)
		die("streams");
	for (size_t i = 0; i < STREAMS; i++)
		streams[i] = stream_open(fd);
	for (size_t i = 0; i < bench_samples(ROUNDS); i++) {
		one[i] = launch_round(&single, 1, CALLS);
		many[i] = launch_round(streams, STREAMS, CALLS);
	}
	close(fd);
	free(streams);
	add_rounds("streams_1", one, NULL);
	add_rounds("streams_1000", many, "streams_1");
}

enum { NOOPS, LAUNCHES, NOOP_BURSTS, LAUNCH_BURSTS, CROWDS };

static const struct {
	const char *name, *floor;
	size_t calls;
	bool launch;
} crowd_specs[CROWDS] = {
	[NOOPS] = { "noop_ioctl_64p", "noop_ioctl_1p", 1000, false },
	[LAUNCHES] = { "processes_64", "processes_1", 1000, true },
	[NOOP_BURSTS] = { "noop_bursts_64p", "noop_ioctl_1p", CALLS / PROCESSES, false },
	[LAUNCH_BURSTS] = { "launch_bursts_64p", "noop_bursts_64p", CALLS / PROCESSES, true },
};

/* The same calls by one process and by many, likewise. */
static void bench_processes(const char *node)
{
	static uint64_t noops[ROUNDS], one[ROUNDS], crowd[CROWDS][ROUNDS];
	struct crowd *crowds[CROWDS];
	struct stream single;
	int fd;

	signal(SIGCHLD, worker_ended);
	/* the processes first: they inherit no stream */
	for (size_t k = 0; k < CROWDS; k++)
		crowds[k] = crowd_start(node, crowd_specs[k].calls, crowd_specs[k].launch);
	fd = open_node(node);
	single = stream_open(fd);
	for (size_t i = 0; i < bench_samples(ROUNDS); i++) {
		noops[i] = noop_round(fd, CALLS);
		one[i] = launch_round(&single, 1, CALLS);
		for (size_t k = 0; k < CROWDS; k++)
			crowd[k][i] = crowd_round(crowds[k]);
	}
	signal(SIGCHLD, SIG_DFL);
	for (size_t k = 0; k < CROWDS; k++)
		crowd_end(crowds[k]);
	close(fd);
	add_rounds("noop_ioctl_1p", noops, NULL);
	add_rounds("processes_1", one, NULL);
	for (size_t k = 0; k < CROWDS; k++)
		add_rounds(crowd_specs[k].name, crowd[k], crowd_specs[k].floor);
}

/* Memory ---------------------------------------------------------------------------------------- */

/* One call that maps @count pieces of an object so that no two are neighbours; unmapping is not measured. */
static void bench_bind(const char *node, const char *name, uint32_t flags, uint64_t piece, size_t count)
{
	struct drm_anpu_vm_bind_op *ops = calloc(count, sizeof(*ops));
	struct drm_anpu_vm_bind_op unmap = { .op = DRM_ANPU_VM_UNMAP, .va = VA };
	uint64_t *ns = samples(ROUNDS), total = piece * count;
	int fd = open_node(node);
	struct drm_anpu_bo_create bo = { .size = total, .type = DRM_ANPU_BO_HBM, .flags = flags };

	if (!ops)
		die(name);
	call(fd, DRM_IOCTL_ANPU_BO_CREATE, &bo, "BO_CREATE");
	for (size_t i = 0; i < count; i++) {
		/* Backwards, so that what follows in the address space does not in memory. */
		ops[i] = (struct drm_anpu_vm_bind_op){
			.op = DRM_ANPU_VM_MAP, .flags = DRM_ANPU_VM_READ | DRM_ANPU_VM_WRITE,
			.va = VA + i * piece, .size = piece, .handle = bo.handle,
			.offset = (count - 1 - i) * piece,
		};
	}
	unmap.size = total;
	for (size_t i = 0; i < bench_samples(ROUNDS); i++) {
		uint64_t t = bench_now();

		for (size_t at = 0; at < count; at += DRM_ANPU_MAX_BIND_OPS)
			bind(fd, ops + at, count - at < DRM_ANPU_MAX_BIND_OPS ? count - at :
			     DRM_ANPU_MAX_BIND_OPS);
		ns[i] = bench_now() - t;
		bind(fd, &unmap, 1);
	}
	close(fd);
	bench_add(name, BENCH_NS, ns, bench_samples(ROUNDS), 0, "noop_ioctl");
	free(ops);
	free(ns);
}

static void bench_pin(const char *node)
{
	uint64_t *ns = samples(ROUNDS);
	int fd = open_node(node);
	void *p = mmap(NULL, 64 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		die("pin_64m");
	memset(p, 1, 64 * MIB);
	for (size_t i = 0; i < bench_samples(ROUNDS); i++) {
		uint64_t t = bench_now();
		uint32_t handle = make_object(fd, DRM_ANPU_BO_USERPTR, p, 64 * MIB);

		ns[i] = bench_now() - t;
		drop_object(fd, handle);
	}
	munmap(p, 64 * MIB);
	close(fd);
	bench_add("pin_64m", BENCH_MBPS, ns, bench_samples(ROUNDS), 64 * MIB, "guest_memcpy");
	free(ns);
}

void bench_driver(const char *node, int irq_test)
{
	bench_submit_one(node);
	bench_user_submit(node);
	bench_wake_floor(node, irq_test);
	bench_submit_wake(node);
	bench_wait_completed(node);
	bench_launch_sync(node);
	bench_streams(node);
	bench_processes(node);
	bench_bind(node, "vm_bind_1g_2m", DRM_ANPU_BO_CONTIGUOUS, 1024 * MIB, 1);
	bench_bind(node, "vm_bind_64m_4k", 0, 4096, 64 * MIB / 4096);
	bench_pin(node);
}
