// SPDX-License-Identifier: MIT
/*
 * Promises of anpu-server about its clients: they are kept apart, those that die leave nothing, and none
 * can do harm to it, whatever it sends.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <anpu/anpu_engine.h>
#include <drm/anpu_accel.h>
#include <drm/anpu_packet.h>

#include "remote/protocol.h"
#include "tap.h"

#define MIB	(1ULL << 20)
#define VA	(1ULL << 33)

static const struct anpu_engine *engine;

static const char *socket_path(void)
{
	return getenv("ANPU_DEVICE") + strlen("server:");
}

static void load(void)
{
	void *library = dlopen(ANPU_DIRECT_LIBRARY, RTLD_NOW);
	const struct anpu_engine *(*get)(void);

	CHECK(library);
	get = (const struct anpu_engine *(*)(void))dlsym(library, ANPU_SERVER_SYMBOL);
	CHECK(get);
	engine = get();
}

static int node(void)
{
	int fd;

	if (!engine)
		load();
	if (!engine->nodes()) {
		char why[1024] = "";

		engine->why(why, sizeof(why));
		FAIL("%s", why);
	}
	fd = engine->open(0);
	CHECK_OP(fd, >=, 0);
	return fd;
}

static uint64_t free_hbm(int fd)
{
	struct drm_anpu_memory_info info = { 0 };
	struct drm_anpu_dev_query q = { .type = DRM_ANPU_QUERY_MEMORY, .size = sizeof(info),
					.pointer = (uintptr_t)&info };

	CHECK_EQ(engine->ioctl(fd, DRM_IOCTL_ANPU_DEV_QUERY, &q), 0);
	return info.hbm_free;
}

static uint32_t create(int fd, uint32_t type, uint64_t size)
{
	struct drm_anpu_bo_create c = { .size = size, .type = type };

	CHECK_EQ(engine->ioctl(fd, DRM_IOCTL_ANPU_BO_CREATE, &c), 0);
	return c.handle;
}

static uint64_t offset_of(int fd, uint32_t handle)
{
	struct drm_anpu_bo_mmap_offset o = { .handle = handle };

	CHECK_EQ(engine->ioctl(fd, DRM_IOCTL_ANPU_BO_MMAP_OFFSET, &o), 0);
	return o.offset;
}

static uint64_t *map(int fd, uint32_t handle, uint64_t size)
{
	void *p = engine->mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset_of(fd, handle));

	CHECK(p != MAP_FAILED);
	return p;
}

/* Waits without an end for a value that nobody writes */
static void wait_forever(int fd, uint32_t handle)
{
	struct drm_anpu_wait_item item = { .type = DRM_ANPU_WAIT_MEMORY, .handle = handle, .width = 8, .value = 1,
					   .mask = ~0ULL, .cond = ANPU_SEM_EQ };
	struct drm_anpu_wait w = { .timeout_ns = INT64_MAX,
				   .items = { .stride = sizeof(item), .count = 1, .array = (uintptr_t)&item } };

	(void)engine->ioctl(fd, DRM_IOCTL_ANPU_WAIT, &w);
}

static void say(int pipe)
{
	CHECK_EQ(write(pipe, "", 1), 1);
}

static void hear(int pipe)
{
	char c;

	CHECK_EQ(read(pipe, &c, 1), 1);
}

/* Tests ----------------------------------------------------------------------------------------- */

static void memory_of_a_killed_client_comes_back(void)
{
	int said[2], fd;
	uint64_t before;
	pid_t pid;

	CHECK_EQ(pipe(said), 0);
	pid = fork();
	if (!pid) {
		fd = node();
		(void)create(fd, DRM_ANPU_BO_HBM, 64 * MIB);
		say(said[1]);
		wait_forever(fd, create(fd, DRM_ANPU_BO_SYSTEM, 4096));
		_exit(1);
	}
	hear(said[0]);
	fd = node();
	before = free_hbm(fd);
	kill(pid, SIGKILL);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	CHECK_OP(free_hbm(fd), >=, before + 64 * MIB);
}

static atomic_int waiting, waited;

static void *wait_a_moment(void *arg)
{
	int fd = *(int *)arg;
	struct drm_anpu_wait_item item = { .type = DRM_ANPU_WAIT_MEMORY, .handle = 1, .width = 8, .value = 1,
					   .mask = ~0ULL, .cond = ANPU_SEM_EQ };
	struct drm_anpu_wait w = { .timeout_ns = (int64_t)(tap_ms() + 500) * 1000000,
				   .items = { .stride = sizeof(item), .count = 1, .array = (uintptr_t)&item } };

	atomic_store(&waiting, 1);
	atomic_store(&waited, engine->ioctl(fd, DRM_IOCTL_ANPU_WAIT, &w));
	pthread_testcancel();
	return NULL;
}

/* As in a call of the kernel's: the wait ends, and then the thread */
static void a_cancelled_thread_ends_its_call_first(void)
{
	int fd = node();
	pthread_t thread;
	void *end;

	CHECK_EQ(create(fd, DRM_ANPU_BO_SYSTEM, 4096), 1);
	CHECK_EQ(pthread_create(&thread, NULL, wait_a_moment, &fd), 0);
	UNTIL(atomic_load(&waiting));
	usleep(20000);
	CHECK_EQ(pthread_cancel(thread), 0);
	CHECK_EQ(pthread_join(thread, &end), 0);
	CHECK(end == PTHREAD_CANCELED);
	CHECK_EQ(atomic_load(&waited), -ETIME);
	CHECK_OP(free_hbm(fd), >, 0);
}

static void objects_of_others_are_out_of_reach(void)
{
	struct drm_anpu_vm_bind_op op = { .op = DRM_ANPU_VM_MAP, .flags = DRM_ANPU_VM_READ, .va = VA, .size = MIB };
	struct drm_anpu_vm_bind b = { .ops = { .stride = sizeof(op), .count = 1, .array = (uintptr_t)&op } };
	int a = node(), said[2], status;
	uint64_t offset;
	pid_t pid;

	op.handle = create(a, DRM_ANPU_BO_HBM, MIB);
	offset = offset_of(a, op.handle);
	CHECK_EQ(engine->ioctl(a, DRM_IOCTL_ANPU_VM_BIND, &b), 0);
	CHECK_EQ(pipe(said), 0);
	/* a process that has used its device has none in a child of fork(): this one begins anew by exec() */
	pid = fork();
	if (!pid) {
		char text[32];

		snprintf(text, sizeof(text), "%#llx", (unsigned long long)offset);
		execl("/proc/self/exe", "clients", "--reach", text, NULL);
		_exit(2);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

static int reach(const char *text)
{
	uint64_t offset = strtoull(text, NULL, 0);
	int fd = node();
	struct drm_gem_close close = { .handle = 1 };

	errno = 0;
	if (engine->mmap(NULL, MIB, PROT_READ, MAP_SHARED, fd, offset) != MAP_FAILED || errno != EACCES)
		return 3;
	return engine->ioctl(fd, DRM_IOCTL_GEM_CLOSE, &close) == -EINVAL ? 0 : 4;
}

static void send_fd(int socket, int fd)
{
	char byte = 0;
	struct iovec part = { &byte, 1 };

	CHECK_EQ(anpu_send(socket, &part, 1, fd), 0);
}

static int get_fd(int socket)
{
	char byte;
	struct iovec part = { &byte, 1 };
	int fd;

	CHECK_EQ(anpu_receive(socket, &part, 1, &fd), 1);
	return fd;
}

/* As with a dma-buf: who has the descriptor has the memory, though the one who made it is gone */
static void outlives(uint32_t type)
{
	struct drm_prime_handle import = { 0 };
	int pair[2], fd;
	pid_t pid;

	CHECK_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	pid = fork();
	if (!pid) {
		struct drm_prime_handle export = { .flags = DRM_CLOEXEC | DRM_RDWR };

		fd = node();
		export.handle = create(fd, type, MIB);
		map(fd, export.handle, MIB)[77] = 0x1234567;
		CHECK_EQ(engine->ioctl(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &export), 0);
		send_fd(pair[1], export.fd);
		_exit(0);
	}
	import.fd = get_fd(pair[0]);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	fd = node();
	CHECK_EQ(engine->ioctl(fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &import), 0);
	CHECK_EQ(map(fd, import.handle, MIB)[77], 0x1234567);
}

static void exported_system_memory_outlives_its_process(void)
{
	outlives(DRM_ANPU_BO_SYSTEM);
}

static void exported_device_memory_outlives_its_process(void)
{
	outlives(DRM_ANPU_BO_HBM);
}

static void exported_hbm_outlives_its_object(void)
{
	struct drm_prime_handle export = { .flags = DRM_CLOEXEC | DRM_RDWR }, import = { 0 };
	int a = node(), b;
	uint64_t before;

	b = node();
	export.handle = create(a, DRM_ANPU_BO_HBM, MIB);
	map(a, export.handle, MIB)[5] = 99;
	CHECK_EQ(engine->ioctl(a, DRM_IOCTL_PRIME_HANDLE_TO_FD, &export), 0);
	engine->close(a);
	before = free_hbm(b);
	import.fd = export.fd;
	CHECK_EQ(engine->ioctl(b, DRM_IOCTL_PRIME_FD_TO_HANDLE, &import), 0);
	CHECK_EQ(free_hbm(b), before - MIB);
	CHECK_EQ(map(b, import.handle, MIB)[5], 99);
}

static void other_devices_are_refused(void)
{
	char why[1024] = "";
	int said[2], status;
	pid_t pid;

	CHECK_EQ(pipe(said), 0);
	pid = fork();
	if (!pid) {
		setenv("ANPU_DIRECT", "hbm=64M", 1);
		hear(said[0]);
		load();
		if (engine->nodes() || engine->open(0) != -EBUSY)
			_exit(1);
		engine->why(why, sizeof(why));
		_exit(strstr(why, "ANPU_DIRECT") && strstr(why, "another server") ? 0 : 2);
	}
	(void)node();
	say(said[1]);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

static void the_server_ends_after_its_last_client(void)
{
	pid_t pid = fork();
	struct stat st;

	if (!pid) {
		(void)node();
		_exit(stat(socket_path(), &st) ? 1 : 0);
	}
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	UNTIL(stat(socket_path(), &st));
	CHECK_OP(stat(socket_path(), &st), <, 0);
	CHECK_EQ(errno, ENOENT);
}

/* Messages that no library sends ------------------------------------------------------------------------- */

static int dial(void)
{
	struct sockaddr_un address;
	char text[256];
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	CHECK_EQ(anpu_server_address(socket_path(), &address, text, sizeof(text)), 0);
	CHECK_EQ(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static int raw_node(void)
{
	struct anpu_hello hello = { .magic = ANPU_HELLO_MAGIC, .protocol = ANPU_PROTOCOL };
	struct anpu_welcome w;
	struct iovec out = { &hello, sizeof(hello) }, in = { &w, sizeof(w) };
	int fd = dial(), event;

	CHECK_EQ(anpu_send(fd, &out, 1, -1), 0);
	CHECK_EQ(anpu_receive(fd, &in, 1, &event), sizeof(w));
	CHECK_EQ(w.error, 0);
	CHECK_OP(event, >=, 0);
	return fd;
}

static int raw_channel(int socket)
{
	struct anpu_note note = { .kind = ANPU_NOTE_CHANNEL };
	struct anpu_reply reply;
	struct iovec out = { &note, sizeof(note) }, in = { &reply, sizeof(reply) };
	int fd;

	CHECK_EQ(anpu_send(socket, &out, 1, -1), 0);
	CHECK_EQ(anpu_receive(socket, &in, 1, &fd), sizeof(reply));
	CHECK_EQ(reply.result, 0);
	return fd;
}

/* The result of a call, or -ENOTCONN if the server hung up; what comes back of the argument is in @arg */
static int raw_call(int channel, struct anpu_call call, void *arg, size_t size, const void *data, size_t n, int fd)
{
	uint8_t answer[8192];
	struct anpu_reply reply;
	struct iovec out[] = { { &call, sizeof(call) }, { arg, size }, { (void *)(uintptr_t)data, n } };
	struct iovec in[] = { { &reply, sizeof(reply) }, { answer, sizeof(answer) } };
	int got_fd;
	ssize_t got;

	if (anpu_send(channel, out, 3, fd))
		return -ENOTCONN;
	got = anpu_receive(channel, in, 2, &got_fd);
	if (got_fd >= 0)
		close(got_fd);
	if (got < (ssize_t)sizeof(reply))
		return -ENOTCONN;
	if ((size_t)got >= sizeof(reply) + size && size <= sizeof(answer))
		memcpy(arg, answer, size);
	return (int)reply.result;
}

static int raw_ioctl(int channel, unsigned long request, void *arg, const void *data, size_t n, int fd)
{
	struct anpu_call call = { .kind = ANPU_CALL_IOCTL, .arg = _IOC_SIZE(request), .number = request };

	return raw_call(channel, call, arg, _IOC_SIZE(request), data, n, fd);
}

static uint64_t raw_free(int channel)
{
	struct drm_anpu_dev_query q = { .type = DRM_ANPU_QUERY_MEMORY, .size = sizeof(struct drm_anpu_memory_info),
					.pointer = 1 };
	struct anpu_call call = { .kind = ANPU_CALL_IOCTL, .arg = sizeof(q), .number = DRM_IOCTL_ANPU_DEV_QUERY };
	struct drm_anpu_memory_info info;
	struct anpu_reply reply;
	struct iovec out[] = { { &call, sizeof(call) }, { &q, sizeof(q) } };
	struct iovec in[] = { { &reply, sizeof(reply) }, { &q, sizeof(q) }, { &info, sizeof(info) } };

	CHECK_EQ(anpu_send(channel, out, 2, -1), 0);
	CHECK_EQ(anpu_receive(channel, in, 3, NULL), sizeof(reply) + sizeof(q) + sizeof(info));
	CHECK_EQ(reply.result, 0);
	return info.hbm_free;
}

/* At any moment, in any call: everything comes back */
static void clients_are_killed_anywhere(void)
{
	uint64_t before;
	int channel, fd;

	load();
	CHECK_EQ(engine->nodes(), 1); /* and so the server is there */
	channel = raw_channel(raw_node());
	before = raw_free(channel);
	for (int i = 0; i < 20; i++) {
		pid_t pid = fork();

		if (!pid) {
			for (fd = node();;) {
				struct drm_anpu_stream_create s = { .flags = DRM_ANPU_STREAM_USER_QUEUE };
				uint32_t handle = create(fd, DRM_ANPU_BO_HBM, 3 * MIB);

				(void)map(fd, handle, 3 * MIB);
				(void)engine->ioctl(fd, DRM_IOCTL_ANPU_STREAM_CREATE, &s);
				(void)engine->ioctl(fd, DRM_IOCTL_GEM_CLOSE, &(struct drm_gem_close){ handle, 0 });
			}
		}
		usleep(1000 * (i + 1));
		CHECK_EQ(waitpid(pid, NULL, WNOHANG), 0);
		kill(pid, SIGKILL);
		CHECK_EQ(waitpid(pid, NULL, 0), pid);
		CHECK_EQ(raw_free(channel), before);
	}
}

static void pointers_are_not_followed(void)
{
	int fd = node(), channel = raw_channel(raw_node());
	struct drm_anpu_bo_create c = { .size = 4096, .type = DRM_ANPU_BO_USERPTR, .user_ptr = (uintptr_t)&c & ~4095ULL };
	struct drm_anpu_vm_bind b = { .ops = { .stride = 40, .count = 4096, .array = 0x1000 } };
	struct drm_anpu_wait w = { .items = { .stride = 4096, .count = 1024, .array = (uintptr_t)&w } };
	struct drm_anpu_dev_query q = { .type = DRM_ANPU_QUERY_INFO, .size = ~0U, .pointer = 0x1000 };
	struct drm_anpu_stream_create sc = { 0 };
	struct drm_anpu_submit s = { .packets = { .stride = 64, .count = ~0U, .array = 0x1000 } };

	/* an object of the client's memory has none until the client sends files of it */
	CHECK_EQ(raw_ioctl(channel, DRM_IOCTL_ANPU_BO_CREATE, &c, NULL, 0, -1), 0);
	CHECK_EQ(raw_ioctl(channel, DRM_IOCTL_ANPU_VM_BIND, &b, NULL, 0, -1), -EFAULT);
	CHECK_EQ(b.ops.array, 0);
	CHECK_EQ(raw_ioctl(channel, DRM_IOCTL_ANPU_VM_BIND, &b, &b, 8, -1), -EFAULT);
	CHECK_EQ(raw_ioctl(channel, DRM_IOCTL_ANPU_WAIT, &w, &b, 16, -1), -EFAULT);
	CHECK_EQ(raw_ioctl(channel, DRM_IOCTL_ANPU_DEV_QUERY, &q, NULL, 0, -1), 0);
	CHECK_EQ(q.size, sizeof(struct drm_anpu_info));
	CHECK_EQ(raw_ioctl(channel, DRM_IOCTL_ANPU_STREAM_CREATE, &sc, NULL, 0, -1), 0);
	s.stream = sc.stream;
	CHECK_EQ(raw_ioctl(channel, DRM_IOCTL_ANPU_SUBMIT, &s, NULL, 0, -1), -EFAULT);
	CHECK_OP(free_hbm(fd), >, 0);
}

static int sealed(const char *name, uint64_t size, int seals)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	CHECK_EQ(ftruncate(fd, size), 0);
	CHECK_EQ(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

static void files_that_could_shrink_are_no_memory(void)
{
	const int whole = F_SEAL_SHRINK | F_SEAL_GROW;
	struct drm_prime_handle p = { 0 };
	int fds[8], n = 0, channel;

	(void)node();
	channel = raw_channel(raw_node());
	fds[n++] = -1;
	fds[n++] = open("/dev/zero", O_RDWR);
	fds[n++] = dup(channel);
	fds[n++] = sealed("anpu-hbm", 4096, F_SEAL_GROW);
	fds[n++] = sealed("anpu-system", 4096, F_SEAL_SHRINK);
	fds[n++] = sealed("anpu-system", 0, whole);
	fds[n++] = sealed("anpu-system", 4097, whole);
	fds[n++] = sealed("else", 4096, whole);
	for (int i = 0; i < n; i++)
		CHECK_EQ(raw_ioctl(channel, DRM_IOCTL_PRIME_FD_TO_HANDLE, &p, NULL, 0, fds[i]), i ? -EINVAL : -EBADF);
	CHECK_OP(raw_ioctl(channel, DRM_IOCTL_PRIME_FD_TO_HANDLE, &p, NULL, 0,
			   sealed("anpu-system", 4096, whole | F_SEAL_WRITE)), <, 0);
	/* its own contents are as good as a new object's */
	CHECK_EQ(raw_ioctl(channel, DRM_IOCTL_PRIME_FD_TO_HANDLE, &p, NULL, 0, sealed("anpu-hbm", 4096, whole)), 0);
}

static int raw_piece(int channel, struct anpu_piece piece, int fd)
{
	return raw_call(channel, (struct anpu_call){ .kind = ANPU_CALL_PIECE, .arg = sizeof(piece) }, &piece,
			sizeof(piece), NULL, 0, fd);
}

static void memory_of_a_client_is_in_files_of_its_own(void)
{
	struct drm_anpu_bo_create c = { .size = 4 * 4096, .type = DRM_ANPU_BO_USERPTR, .user_ptr = 4096 };
	int channel, memory = memfd_create("anything", MFD_CLOEXEC), disk = open("/proc/self/exe", O_RDONLY);
	struct anpu_piece good = { .offset = 4096, .size = 4096 }, p;
	uint32_t system;

	(void)node();
	channel = raw_channel(raw_node());
	CHECK_EQ(ftruncate(memory, 8192), 0);
	CHECK_EQ(raw_ioctl(channel, DRM_IOCTL_ANPU_BO_CREATE, &c, NULL, 0, -1), 0);
	good.handle = c.handle;
	CHECK_EQ(raw_piece(channel, good, memory), 0);
	CHECK_EQ(raw_piece(channel, good, memory), 0); /* in the place of the one before */
	CHECK_EQ(raw_piece(channel, good, -1), -EBADF);
	CHECK_EQ(raw_piece(channel, good, disk), -EOPNOTSUPP);
	CHECK_EQ(raw_piece(channel, good, channel), -EOPNOTSUPP);
	CHECK_EQ(raw_piece(channel, good, open("/dev/zero", O_RDWR)), -EOPNOTSUPP);
#define WRONG(member, value) (p = good, p.member = (value), raw_piece(channel, p, memory))
	CHECK_EQ(WRONG(handle, c.handle + 1), -ENOENT);
	CHECK_EQ(WRONG(pad, 1), -EINVAL);
	CHECK_EQ(WRONG(size, 0), -EINVAL);
	CHECK_EQ(WRONG(size, 4097), -EINVAL);
	CHECK_EQ(WRONG(size, 4 * 4096), -EINVAL);
	CHECK_EQ(WRONG(size, -4096ULL), -EINVAL);
	CHECK_EQ(WRONG(offset, 4 * 4096), -EINVAL);
	CHECK_EQ(WRONG(offset, -4096ULL), -EINVAL);
	CHECK_EQ(WRONG(offset, 1), -EINVAL);
	CHECK_EQ(WRONG(at, 1), -EINVAL);
	CHECK_EQ(WRONG(at, -4096ULL), -EINVAL);
	c = (struct drm_anpu_bo_create){ .size = 4096, .type = DRM_ANPU_BO_SYSTEM };
	CHECK_EQ(raw_ioctl(channel, DRM_IOCTL_ANPU_BO_CREATE, &c, NULL, 0, -1), 0);
	system = c.handle;
	CHECK_EQ(WRONG(handle, system), -EINVAL);
	/* more than there is */
	c = (struct drm_anpu_bo_create){ .size = 1ULL << 46, .type = DRM_ANPU_BO_USERPTR, .user_ptr = 4096 };
	CHECK_EQ(raw_ioctl(channel, DRM_IOCTL_ANPU_BO_CREATE, &c, NULL, 0, -1), -ENOMEM);
}

static void status_pages_are_for_reading(void)
{
	struct drm_anpu_stream_create s = { .flags = DRM_ANPU_STREAM_USER_QUEUE };
	struct anpu_call call = { .kind = ANPU_CALL_MMAP, .size = 4096, .prot = PROT_READ, .flags = MAP_SHARED };
	int fd = node(), channel = raw_channel(raw_node()), page = -1;
	struct anpu_reply reply;
	struct iovec out = { &call, sizeof(call) }, in = { &reply, sizeof(reply) };
	void *p;

	CHECK_EQ(raw_ioctl(channel, DRM_IOCTL_ANPU_STREAM_CREATE, &s, NULL, 0, -1), 0);
	call.number = s.status_offset;
	CHECK_EQ(anpu_send(channel, &out, 1, -1), 0);
	CHECK_EQ(anpu_receive(channel, &in, 1, &page), sizeof(reply));
	CHECK_OP(page, >=, 0);
	CHECK_OP(write(page, "x", 1), <, 0);
	CHECK_OP(ftruncate(page, 0), <, 0);
	CHECK_OP(fallocate(page, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096), <, 0);
	CHECK(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, page, 0) == MAP_FAILED);
	p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, page, 0);
	CHECK(p != MAP_FAILED);
	CHECK_OP(mprotect(p, 4096, PROT_READ | PROT_WRITE), <, 0);
	CHECK_OP(free_hbm(fd), >, 0);
}

static uint32_t random32(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15;

	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(state >> 32);
}

static void fill_random(void *to, size_t size)
{
	for (size_t i = 0; i + 4 <= size; i += 4)
		/* small numbers reach further than large ones */
		*(uint32_t *)((uint8_t *)to + i) = random32() % 3 ? random32() % 5 : random32();
}

/* Requests as they may be, with contents as they may not be; none of them waits */
static void random_call(int *channel, int socket)
{
	static const unsigned long requests[] = {
		DRM_IOCTL_ANPU_BO_CREATE, DRM_IOCTL_ANPU_BO_MMAP_OFFSET, DRM_IOCTL_ANPU_VM_BIND,
		DRM_IOCTL_ANPU_STREAM_CREATE, DRM_IOCTL_ANPU_STREAM_DESTROY, DRM_IOCTL_ANPU_STREAM_SET,
		DRM_IOCTL_ANPU_STREAM_GET_STATE, DRM_IOCTL_ANPU_EVENT_SUBSCRIBE, DRM_IOCTL_GEM_CLOSE,
		DRM_IOCTL_PRIME_HANDLE_TO_FD, DRM_IOCTL_PRIME_FD_TO_HANDLE, DRM_IOCTL_ANPU_DEV_QUERY,
	};
	unsigned long request = requests[random32() % (sizeof(requests) / sizeof(requests[0]))];
	struct anpu_call call = { .kind = ANPU_CALL_IOCTL, .arg = _IOC_SIZE(request), .number = request };
	uint8_t arg[256], data[2048];
	size_t n = random32() % sizeof(data), size = call.arg;

	fill_random(arg, sizeof(arg));
	fill_random(data, sizeof(data));
	if (random32() % 16 == 0)
		call.kind = ANPU_CALL_PIECE;
	if (random32() % 16 == 0)
		call.arg = random32() % 300;
	if (random32() % 64 == 0)
		call.number ^= 1ULL << random32() % 64;
	if (random32() % 64 == 0)
		size = random32() % 256;
	if (raw_call(*channel, call, arg, size, data, n, random32() % 2 ? 0 : -1) != -ENOTCONN)
		return;
	close(*channel);
	*channel = raw_channel(socket);
}

static void nothing_that_is_sent_does_harm(void)
{
	static uint8_t big[ANPU_MESSAGE_MAX];
	int fd = node(), socket = raw_node(), channel = raw_channel(socket), odd;
	uint64_t before = free_hbm(fd);

	for (int i = 0; i < 3000; i++)
		random_call(&channel, socket);
	for (int i = 0; i < 200; i++) {
		struct anpu_note note = { .kind = ANPU_NOTE_BELL, .queue = random32() % 3 ? random32() % 2000 : random32(),
					  .wptr = random32() };

		CHECK_EQ(send(socket, &note, sizeof(note), MSG_NOSIGNAL), sizeof(note));
	}
	(void)send(channel, big, sizeof(big), MSG_NOSIGNAL);
	close(channel);
	/* a note that nobody knows ends the node */
	CHECK_EQ(send(socket, "x", 1, MSG_NOSIGNAL), 1);
	CHECK_OP(recv(socket, big, sizeof(big), 0), <=, 0);
	close(socket);
	for (int i = 0; i < 20; i++) {
		odd = dial();
		(void)send(odd, big, i * 100, MSG_NOSIGNAL);
		close(odd);
	}
	CHECK_EQ(free_hbm(fd), before);
}

int main(int argc, char **argv)
{
	static const struct tap_test tests[] = {
		TEST(memory_of_a_killed_client_comes_back),
		TEST(clients_are_killed_anywhere),
		TEST(a_cancelled_thread_ends_its_call_first),
		TEST(objects_of_others_are_out_of_reach),
		TEST(exported_system_memory_outlives_its_process),
		TEST(exported_device_memory_outlives_its_process),
		TEST(exported_hbm_outlives_its_object),
		TEST(other_devices_are_refused),
		TEST(the_server_ends_after_its_last_client),
		TEST(pointers_are_not_followed),
		TEST(files_that_could_shrink_are_no_memory),
		TEST(memory_of_a_client_is_in_files_of_its_own),
		TEST(status_pages_are_for_reading),
		TEST(nothing_that_is_sent_does_harm),
	};

	if (argc == 3 && !strcmp(argv[1], "--reach"))
		return reach(argv[2]);
	return tap_main(tests, sizeof(tests) / sizeof(tests[0]), argc, argv);
}
