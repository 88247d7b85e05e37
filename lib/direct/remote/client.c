// SPDX-License-Identifier: MIT
/*
 * The engine of a process whose devices are in anpu-server: the same table as the device model's own and
 * the kernel's node. Memory and pages of streams are mapped from files of the server's, so what the
 * uAPI does without a system call is done without one here, too.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "direct.h"
#include "remote/remote.h"

#define MAX_FDS		65536
/* Events of one read(), which may be fewer than there is room for */
#define READ_MAX	4096

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* A struct remote is never freed, only used again: the doorbell looks at it without a reference */
static _Atomic(struct remote *) files[MAX_FDS];
static struct remote *free_files;
static atomic_bool used, forked;
/* The connection that keeps the server there as long as this process, -1: none yet */
static int presence = -1;
static struct anpu_welcome told;

/* fork() ---------------------------------------------------------------------------------------- */

/*
 * The child has copies of all connections, which would keep the parent's devices open when it has ended.
 * Nodes that the parent has opened and not used are as good in the child, which connects anew.
 */
static void on_fork(void)
{
	for (unsigned int fd = 0; fd < MAX_FDS; fd++) {
		struct remote *r = atomic_load_explicit(&files[fd], memory_order_relaxed);

		if (!r || r->socket < 0)
			continue;
		close(r->socket);
		for (unsigned int i = 0; i < r->n; i++)
			close(r->channel[i]);
		r->socket = -1;
		r->n = 0;
		r->n_idle = 0;
		pthread_mutex_init(&r->lock, NULL);
	}
	pages_after_fork(true);
	if (presence >= 0)
		close(presence);
	presence = -1;
	pthread_mutex_init(&lock, NULL);
	if (atomic_load(&used))
		atomic_store(&forked, true);
}

static void in_parent(void)
{
	pages_after_fork(false);
}

/* Before a call that is the server's: 0 or -errno */
static int connect_anew(struct remote *r)
{
	struct anpu_welcome w;
	int fd, socket = 0;

	atomic_store(&used, true);
	pthread_mutex_lock(&r->lock);
	if (r->socket < 0) {
		socket = remote_dial(r->number, &w, &fd);
		if (socket >= 0) {
			/* the program knows its descriptor by number */
			(void)dup3(fd, r->fd, O_CLOEXEC);
			close(fd);
			r->socket = socket;
		}
	}
	pthread_mutex_unlock(&r->lock);
	return socket < 0 ? socket : 0;
}

static void prepare(void)
{
	guard_init();
	(void)pthread_atfork(pages_before_fork, in_parent, on_fork);
}

static void prepare_once(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, prepare);
}

/* Files ----------------------------------------------------------------------------------------- */

static struct remote *get_file(int fd)
{
	struct remote *r;

	if (fd < 0 || fd >= MAX_FDS || atomic_load(&forked))
		return NULL;
	pthread_mutex_lock(&lock);
	r = atomic_load(&files[fd]);
	if (r)
		r->refs++;
	pthread_mutex_unlock(&lock);
	return r;
}

/* The server hangs up when everything of the node has been given back */
static void end_file(struct remote *r)
{
	int state;
	char byte;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	if (r->socket >= 0) {
		(void)shutdown(r->socket, SHUT_WR);
		while (recv(r->socket, &byte, 1, 0) > 0)
			;
		close(r->socket);
	}
	for (unsigned int i = 0; i < r->n; i++)
		close(r->channel[i]);
	close(r->fd);
	pages_forget(r);
	pthread_setcancelstate(state, NULL);
	free(r->channel);
	free(r->idle);
	pthread_mutex_lock(&lock);
	r->next_free = free_files;
	free_files = r;
	pthread_mutex_unlock(&lock);
}

static void put_file(struct remote *r)
{
	bool last;

	pthread_mutex_lock(&lock);
	last = !--r->refs;
	pthread_mutex_unlock(&lock);
	if (last)
		end_file(r);
}

static struct remote *new_file(unsigned int number, int fd, int socket)
{
	struct remote *r;

	pthread_mutex_lock(&lock);
	r = free_files;
	if (r)
		free_files = r->next_free;
	pthread_mutex_unlock(&lock);
	if (!r)
		r = malloc(sizeof(*r));
	if (!r)
		return NULL;
	*r = (struct remote){ .number = number, .fd = fd, .socket = socket, .refs = 1 };
	pthread_mutex_init(&r->lock, NULL);
	return r;
}

/* The server, which has no terminal, would tell nobody that the first operator waits for gdb */
static void tell_gdb(unsigned int number, unsigned int port)
{
	static _Atomic uint64_t done;

	if (port && !(atomic_fetch_or(&done, 1ULL << number % 64) & 1ULL << number % 64))
		fprintf(stderr, "anpu: device %u: gdb: anpu-server has a stub: gdb-multiarch -ex 'target remote :%u' -ex sharedlibrary\n",
			number, port);
}

static int client_open(unsigned int number)
{
	struct anpu_welcome w;
	struct remote *r;
	int fd, socket;

	if (atomic_load(&forked))
		return -ENODEV;
	prepare_once();
	socket = remote_dial(number, &w, &fd);
	if (socket < 0)
		return socket;
	r = fd < MAX_FDS ? new_file(number, fd, socket) : NULL;
	if (!r) {
		close(fd);
		close(socket);
		return fd < MAX_FDS ? -ENOMEM : -EMFILE;
	}
	r->names = w.names;
	tell_gdb(number, w.gdb_port);
	atomic_store(&files[fd], r);
	return fd;
}

static void client_close(int fd)
{
	struct remote *r;

	if (fd < 0 || fd >= MAX_FDS)
		return;
	if (atomic_load(&forked)) {
		if (atomic_exchange(&files[fd], NULL))
			close(fd);
		return;
	}
	pthread_mutex_lock(&lock);
	r = atomic_exchange(&files[fd], NULL);
	pthread_mutex_unlock(&lock);
	if (r)
		put_file(r);
}

/* Calls ----------------------------------------------------------------------------------------- */

static int client_ioctl(int fd, unsigned long request, void *arg)
{
	struct remote *r = get_file(fd);
	int err = 0;

	if (!r)
		return atomic_load(&forked) ? -ENODEV : -EBADF;
	if (!remote_knows(request, arg))
		err = connect_anew(r);
	if (!err)
		err = remote_ioctl(r, request, arg);
	put_file(r);
	return err;
}

static void *map_answer(void *addr, size_t size, int prot, int flags, int fd, uint64_t at)
{
	void *p = mmap(addr, size, prot, MAP_SHARED | (flags & MAP_FIXED) | (fd < 0 ? MAP_ANONYMOUS : 0), fd,
		       fd < 0 ? 0 : at);
	int err = errno;

	if (fd >= 0)
		close(fd);
	errno = err;
	return p;
}

static void *client_mmap(void *addr, size_t size, int prot, int flags, int fd, uint64_t offset)
{
	struct remote *r = get_file(fd);
	struct anpu_call call = { .kind = ANPU_CALL_MMAP, .number = offset, .size = size, .prot = prot,
				  .flags = flags };
	struct iovec part = { &call, sizeof(call) };
	struct anpu_reply reply;
	int err, got_fd = -1;
	size_t got;

	/* a descriptor that was exported is the memory itself */
	if (!r)
		return mmap(addr, size, prot, flags, fd, offset);
	err = connect_anew(r);
	if (!err)
		err = remote_call(r, &part, 1, -1, &reply, NULL, 0, &got_fd, &got);
	put_file(r);
	err = err ? err : (int)reply.result;
	if (!err)
		return map_answer(addr, size, prot, flags, got_fd, reply.at);
	if (got_fd >= 0)
		close(got_fd);
	errno = -err;
	return MAP_FAILED;
}

static int client_munmap(void *addr, size_t size)
{
	return munmap(addr, size) ? -errno : 0;
}

static ssize_t client_read(int fd, void *buf, size_t size)
{
	struct remote *r = get_file(fd);
	uint8_t events[READ_MAX];
	struct anpu_call call = { .kind = ANPU_CALL_READ, .number = min_u64(size, sizeof(events)) };
	struct iovec part = { &call, sizeof(call) }, room = { events, sizeof(events) };
	struct anpu_reply reply;
	size_t got = 0;
	int err = 0;

	if (!r)
		return -EBADF;
	/* events that were taken and cannot be delivered would be lost */
	if (guard_touch(buf, call.number, true) ||
	    (call.number && guard_touch((uint8_t *)buf + call.number - 1, 1, true)))
		err = -EFAULT;
	if (!err)
		err = connect_anew(r);
	if (!err)
		err = remote_call(r, &part, 1, -1, &reply, &room, 1, NULL, &got);
	put_file(r);
	if (err || reply.result < 0)
		return err ? err : reply.result;
	got = min_u64(got, call.number);
	return guard_copy(buf, events, got) ? -EFAULT : (ssize_t)got;
}

/* The device is asleep, or the caller would not ring: the server is told, and answers nothing */
static void client_doorbell(int fd, uint32_t queue, uint64_t wptr)
{
	struct remote *r = atomic_load_explicit(&files[fd], memory_order_acquire);
	struct anpu_note note = { .kind = ANPU_NOTE_BELL, .queue = queue, .wptr = wptr };
	struct iovec part = { &note, sizeof(note) };
	int state;

	if (!r || r->socket < 0 || atomic_load_explicit(&forked, memory_order_relaxed))
		return;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	(void)anpu_send(r->socket, &part, 1, -1);
	pthread_setcancelstate(state, NULL);
}

/* Questions ------------------------------------------------------------------------------------- */

static uint64_t client_nodes(void)
{
	uint64_t nodes;
	int fd;

	if (atomic_load(&forked))
		return 0;
	prepare_once();
	pthread_mutex_lock(&lock);
	if (presence < 0)
		presence = remote_dial(ANPU_ASK, &told, &fd);
	nodes = presence < 0 ? 0 : told.nodes;
	pthread_mutex_unlock(&lock);
	return nodes;
}

static void client_why(char *text, size_t size)
{
	if (atomic_load(&forked)) {
		copy_text(text, size, "a child of fork() has no device: its parent has it");
		return;
	}
	pthread_mutex_lock(&lock);
	copy_text(text, size, "ANPU_DEVICE asks for a server, and it cannot be had: %s", told.why);
	pthread_mutex_unlock(&lock);
}

static int client_bridges(uint64_t address, char *path)
{
	copy_text(path, PATH_MAX, "/server/pci0000:00/0000:00:%02x.0", (unsigned int)(address >> 8 & 0xff));
	return 0;
}

static const struct anpu_engine engine = {
	.version = ANPU_ENGINE_VERSION,
	.path = "device of anpu-server ",
	.nodes = client_nodes,
	.why = client_why,
	.open = client_open,
	.close = client_close,
	.ioctl = client_ioctl,
	.mmap = client_mmap,
	.munmap = client_munmap,
	.read = client_read,
	.doorbell = client_doorbell,
	.moves_memory = true,
	.bridges = client_bridges,
};

__attribute__((visibility("default"))) const struct anpu_engine *anpu_server_engine(void)
{
	return &engine;
}
