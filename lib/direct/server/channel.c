// SPDX-License-Identifier: MIT
/*
 * A channel: one call after the other, each carried out by the engine on memory of this process. Pointers
 * that a client sends are never used: those of an argument are set to where its data is here.
 *
 * Data stands at the end of its room, before a page that cannot be read, and is looked at under the
 * engine's guard: a client that sends less than it says gets -EFAULT, as for memory that it does not have.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "direct.h"
#include "server/server.h"

#define CHANNELS_MAX	4096
#define ROOM		(ANPU_DATA_MAX + PAGE)
#define OUT_MAX		1024

_Static_assert(sizeof(struct anpu_fault) <= OUT_MAX, "a fault record is written behind a pointer");

/**
 * struct channel - see above
 * @socket: this end; @room: for what comes, and a page that cannot be read
 */
struct channel {
	struct channel *next, *prev;
	struct client *client;
	int socket;
	uint8_t *room;
};

/**
 * struct work - a call under way
 * @arg: as it came; @data: what came behind it, @size; @out: what goes back behind the answer, @out_size
 * @fd: that came, or -1; @out_fd: that goes back, or -1
 */
struct work {
	struct anpu_call call;
	uint64_t arg[ANPU_ARG_MAX / 8];
	const uint8_t *data;
	size_t size;
	uint8_t out[OUT_MAX > 4096 ? OUT_MAX : 4096];
	size_t out_size;
	int fd, out_fd;
	struct anpu_reply reply;
};

/* The calls ------------------------------------------------------------------------------------- */

static void query_out(struct work *w, int err)
{
	struct drm_anpu_dev_query *q = (void *)w->arg;
	struct drm_anpu_stream_get_state *s = (void *)w->arg;

	if (err)
		return;
	if (_IOC_NR(w->call.number) == _IOC_NR(DRM_IOCTL_ANPU_DEV_QUERY))
		w->out_size = q->pointer ? min_u64(w->out_size, q->size) : 0;
	else
		w->out_size = s->fault ? sizeof(struct anpu_fault) : 0;
}

/* The pointer in an argument that is written through: into this process's room, if there is one */
static void set_out(struct work *w, const struct anpu_layout *layout)
{
	struct drm_anpu_dev_query *q = (void *)w->arg;
	uint64_t pointer, mine = (uintptr_t)w->out;

	memcpy(&pointer, (uint8_t *)w->arg + layout->at, sizeof(pointer));
	if (pointer)
		memcpy((uint8_t *)w->arg + layout->at, &mine, sizeof(mine));
	if (_IOC_NR(w->call.number) == _IOC_NR(DRM_IOCTL_ANPU_DEV_QUERY)) {
		q->size = min_u64(q->size, OUT_MAX);
		w->out_size = q->size;
	}
}

static int run_layout(struct client *c, struct work *w, const struct anpu_layout *layout)
{
	uint64_t data = (uintptr_t)w->data;
	int err;

	if (layout->kind == ANPU_POINTER_IN)
		memcpy((uint8_t *)w->arg + layout->at, &data, sizeof(data));
	if (layout->kind == ANPU_POINTER_OUT)
		set_out(w, layout);
	/* among other things a client asks how much memory is free */
	if (_IOC_NR(w->call.number) == _IOC_NR(DRM_IOCTL_ANPU_DEV_QUERY))
		clients_settle(c);
	err = anpu_direct_engine()->ioctl(c->file, w->call.number, w->arg);
	if (layout->kind == ANPU_POINTER_OUT)
		query_out(w, err);
	if (layout->kind != ANPU_POINTER_OUT || err)
		w->out_size = 0;
	/* addresses of this process are nobody's business */
	if (layout->kind != ANPU_NO_POINTER)
		memset((uint8_t *)w->arg + layout->at, 0, sizeof(data));
	return err;
}

static int run_prime(struct client *c, struct work *w)
{
	struct drm_prime_handle *args = (void *)w->arg;
	bool import = _IOC_NR(w->call.number) == _IOC_NR(DRM_IOCTL_PRIME_FD_TO_HANDLE);
	int err;

	if (import && w->fd < 0)
		return -EBADF;
	args->fd = import ? w->fd : -1;
	err = anpu_direct_engine()->ioctl(c->file, w->call.number, args);
	if (!import && !err)
		w->out_fd = args->fd;
	args->fd = -1;
	return err;
}

static int run_create(struct client *c, struct work *w)
{
	struct drm_anpu_bo_create *args = (void *)w->arg;
	int err;

	err = anpu_direct_engine()->ioctl(c->file, w->call.number, args);
	if (err != -ENOSPC)
		return err;
	clients_settle(c);
	return anpu_direct_engine()->ioctl(c->file, w->call.number, args);
}

/* The client is told whether the device may still use the memory */
static int run_close(struct client *c, struct work *w)
{
	const struct drm_gem_close *args = (void *)w->arg;
	bool used;
	int err = shared_close(c->file, args->handle, &used);

	w->reply.at = used;
	return err;
}

/* false: what no client of this build sends */
static bool run_ioctl(struct client *c, struct work *w)
{
	struct anpu_layout layout;
	int err;

	if (engine_request(w->call.number, &err) != w->call.number || w->call.arg != _IOC_SIZE(w->call.number) ||
	    !anpu_layout(w->call.number, &layout))
		return false;
	switch (_IOC_NR(w->call.number)) {
	case _IOC_NR(DRM_IOCTL_PRIME_FD_TO_HANDLE):
	case _IOC_NR(DRM_IOCTL_PRIME_HANDLE_TO_FD):
		w->reply.result = run_prime(c, w);
		break;
	case _IOC_NR(DRM_IOCTL_ANPU_BO_CREATE):
		w->reply.result = run_create(c, w);
		break;
	case _IOC_NR(DRM_IOCTL_GEM_CLOSE):
		w->reply.result = run_close(c, w);
		break;
	default:
		w->reply.result = run_layout(c, w, &layout);
	}
	return true;
}

static void run_mmap(struct client *c, struct work *w)
{
	struct shared_map map = { .fd = -1 };

	w->reply.result = shared_mmap(c->file, w->call.number, w->call.size, w->call.prot, w->call.flags, &map);
	w->out_fd = map.fd;
	w->reply.at = map.at;
}

static void run_read(struct client *c, struct work *w)
{
	w->reply.result = anpu_direct_engine()->read(c->file, w->out, min_u64(w->call.number, sizeof(w->out)));
	w->out_size = w->reply.result > 0 ? w->reply.result : 0;
}

static bool run_call(struct client *c, struct work *w)
{
	switch (w->call.kind) {
	case ANPU_CALL_IOCTL:
		return run_ioctl(c, w);
	case ANPU_CALL_MMAP:
		run_mmap(c, w);
		return !w->call.arg;
	case ANPU_CALL_READ:
		run_read(c, w);
		return !w->call.arg;
	case ANPU_CALL_PIECE:
		if (w->call.arg != sizeof(struct anpu_piece))
			return false;
		w->reply.result = shared_piece(c->file, (void *)w->arg, w->fd);
		return true;
	}
	return false;
}

/* One message ----------------------------------------------------------------------------------- */

/* false: the client is gone, or sends what nobody understands */
static bool receive(struct channel *ch, struct work *w)
{
	struct iovec in[] = { { &w->call, sizeof(w->call) }, { ch->room, ROOM } };
	ssize_t size = anpu_receive(ch->socket, in, 2, &w->fd);
	size_t rest;

	if (size < (ssize_t)sizeof(w->call))
		return false;
	rest = size - sizeof(w->call);
	if (w->call.arg > sizeof(w->arg) || w->call.arg > rest || rest - w->call.arg > ANPU_DATA_MAX)
		return false;
	memcpy(w->arg, ch->room, w->call.arg);
	w->size = rest - w->call.arg;
	w->data = ch->room + ROOM - w->size;
	memmove((void *)(uintptr_t)w->data, ch->room + w->call.arg, w->size);
	return true;
}

static bool answer(struct channel *ch, struct work *w)
{
	struct iovec out[] = { { &w->reply, sizeof(w->reply) }, { w->arg, w->call.arg }, { w->out, w->out_size } };

	w->reply.arg = w->call.arg;
	return !anpu_send(ch->socket, out, 3, w->out_fd);
}

static bool serve_one(struct channel *ch)
{
	struct work w;
	bool ok;

	memset(w.arg, 0, sizeof(w.arg));
	w.out_size = 0;
	w.out_fd = -1;
	w.reply = (struct anpu_reply){ 0 };
	ok = receive(ch, &w) && run_call(ch->client, &w) && answer(ch, &w);
	if (w.fd >= 0)
		close(w.fd);
	if (w.out_fd >= 0)
		close(w.out_fd);
	return ok;
}

/* Lives ----------------------------------------------------------------------------------------- */

static void *run(void *arg)
{
	struct channel *ch = arg;
	struct client *c = ch->client;

	while (serve_one(ch))
		;
	munmap(ch->room, ROOM + PAGE);
	pthread_mutex_lock(&c->lock);
	*(ch->prev ? &ch->prev->next : &c->channels) = ch->next;
	if (ch->next)
		ch->next->prev = ch->prev;
	close(ch->socket);
	c->n--;
	if (!c->n)
		pthread_cond_signal(&c->none);
	pthread_mutex_unlock(&c->lock);
	free(ch);
	return NULL;
}

static struct channel *new_channel(struct client *c, int socket)
{
	struct channel *ch = calloc(1, sizeof(*ch));

	if (!ch)
		return NULL;
	ch->client = c;
	ch->socket = socket;
	ch->room = mmap(NULL, ROOM + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (ch->room != MAP_FAILED && !mprotect(ch->room + ROOM, PAGE, PROT_NONE))
		return ch;
	free(ch);
	return NULL;
}

int channel_make(struct client *c)
{
	struct channel *ch = NULL;
	int pair[2], err = 0;

	if (c->n >= CHANNELS_MAX)
		return -EAGAIN;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	ch = new_channel(c, pair[0]);
	if (!ch)
		err = -ENOMEM;
	pthread_mutex_lock(&c->lock);
	if (!err)
		err = server_thread(run, ch);
	if (!err) {
		ch->next = c->channels;
		if (ch->next)
			ch->next->prev = ch;
		c->channels = ch;
		c->n++;
	}
	pthread_mutex_unlock(&c->lock);
	if (!err)
		return pair[1];
	if (ch)
		munmap(ch->room, ROOM + PAGE);
	free(ch);
	close(pair[0]);
	close(pair[1]);
	return err;
}

void channels_end(struct client *c)
{
	pthread_mutex_lock(&c->lock);
	for (struct channel *ch = c->channels; ch; ch = ch->next)
		(void)shutdown(ch->socket, SHUT_RDWR);
	while (c->n)
		pthread_cond_wait(&c->none, &c->lock);
	pthread_mutex_unlock(&c->lock);
}
