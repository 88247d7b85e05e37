// SPDX-License-Identifier: MIT
/*
 * A call of the server: an ioctl with what its pointers point to. Memory of the program is read by the
 * kernel when the message is sent, and written under the guard, so a bad pointer is -EFAULT.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "direct.h"
#include "remote/remote.h"

/* Packets of one message; a SUBMIT of more is several */
#define PACKETS_MAX	1024

/* Channels -------------------------------------------------------------------------------------- */

/* Locked: the server is asked for one more */
static int new_channel(struct remote *r)
{
	struct anpu_note note = { .kind = ANPU_NOTE_CHANNEL };
	struct iovec out = { &note, sizeof(note) }, in;
	struct anpu_reply reply;
	int fd = -1, err = 0;
	ssize_t n;

	if (r->n == r->max) {
		unsigned int max = 2 * r->max + 4;
		int *channel = realloc(r->channel, max * sizeof(int)), *idle;

		if (!channel)
			return -ENOMEM;
		r->channel = channel;
		idle = realloc(r->idle, max * sizeof(int));
		if (!idle)
			return -ENOMEM;
		r->idle = idle;
		r->max = max;
	}
	err = anpu_send(r->socket, &out, 1, -1);
	in = (struct iovec){ &reply, sizeof(reply) };
	n = err ? err : anpu_receive(r->socket, &in, 1, &fd);
	if (n == sizeof(reply) && !reply.result && fd >= 0) {
		r->channel[r->n++] = fd;
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return n == sizeof(reply) && reply.result < 0 ? (int)reply.result : -ENODEV;
}

static int take_channel(struct remote *r)
{
	int fd;

	pthread_mutex_lock(&r->lock);
	fd = r->n_idle ? r->idle[--r->n_idle] : new_channel(r);
	pthread_mutex_unlock(&r->lock);
	return fd;
}

static void put_channel(struct remote *r, int fd, bool works)
{
	pthread_mutex_lock(&r->lock);
	if (works)
		r->idle[r->n_idle++] = fd;
	for (unsigned int i = 0; !works && i < r->n; i++)
		if (r->channel[i] == fd)
			r->channel[i--] = r->channel[--r->n];
	pthread_mutex_unlock(&r->lock);
	if (!works)
		close(fd);
}

static int call_server(struct remote *r, const struct iovec *parts, int n, int fd, struct anpu_reply *reply,
		       const struct iovec *room, int m, int *got_fd, size_t *got)
{
	struct iovec in[4] = { { reply, sizeof(*reply) } };
	int channel = take_channel(r), err;
	ssize_t size;

	if (channel < 0)
		return channel;
	memcpy(in + 1, room, m * sizeof(*room));
	err = anpu_send(channel, parts, n, fd);
	/* it was not sent: the channel is as it was */
	if (err == -EFAULT || err == -EMSGSIZE || err == -ENOBUFS || err == -ENOMEM || err == -ETOOMANYREFS) {
		put_channel(r, channel, true);
		return err;
	}
	size = err ? err : anpu_receive(channel, in, m + 1, got_fd);
	put_channel(r, channel, size >= (ssize_t)sizeof(*reply));
	if (size < (ssize_t)sizeof(*reply)) {
		if (got_fd && *got_fd >= 0)
			close(*got_fd);
		return -ENODEV;
	}
	*got = size - sizeof(*reply);
	return 0;
}

/* A call of the kernel's node does not end a thread that is cancelled; messages would, and lose the channel */
int remote_call(struct remote *r, const struct iovec *parts, int n, int fd, struct anpu_reply *reply,
		const struct iovec *room, int m, int *got_fd, size_t *got)
{
	int state, err;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	err = call_server(r, parts, n, fd, reply, room, m, got_fd, got);
	pthread_setcancelstate(state, NULL);
	return err;
}

/* ioctl ----------------------------------------------------------------------------------------- */

/**
 * struct request - an ioctl under way
 * @arg: of the program, copied; @size bytes of it
 * @data: what goes along; @out: where data that comes back goes; @room: bytes there
 * @at: of the answer
 */
struct request {
	unsigned long number;
	uint8_t *arg;
	size_t size;
	struct iovec data;
	uint8_t *out;
	size_t room;
	uint64_t at;
};

/* A descriptor that goes along with the argument of a PRIME call, or that the argument is to name */
static int *fd_of(struct request *q)
{
	return &((struct drm_prime_handle *)(void *)q->arg)->fd;
}

static int send_request(struct remote *r, struct request *q)
{
	bool import = _IOC_NR(q->number) == _IOC_NR(DRM_IOCTL_PRIME_FD_TO_HANDLE);
	bool export = _IOC_NR(q->number) == _IOC_NR(DRM_IOCTL_PRIME_HANDLE_TO_FD);
	struct anpu_call call = { .kind = ANPU_CALL_IOCTL, .arg = q->size, .number = q->number, .size = q->room };
	struct iovec parts[] = { { &call, sizeof(call) }, { q->arg, q->size }, q->data };
	uint8_t answer[ANPU_ARG_MAX];
	struct iovec room[] = { { answer, q->size }, { q->out, q->room } };
	struct anpu_reply reply;
	int fd = import ? *fd_of(q) : -1, got_fd = -1, err;
	size_t got;

	if (import && fcntl(fd, F_GETFD) < 0)
		return -EBADF;
	err = remote_call(r, parts, 3, fd, &reply, room, 2, &got_fd, &got);
	if (!err && got >= q->size && reply.arg == q->size)
		memcpy(q->arg, answer, q->size);
	if (import && q->size >= sizeof(struct drm_prime_handle))
		*fd_of(q) = fd;
	if (!err && export && !reply.result && got_fd >= 0)
		*fd_of(q) = got_fd;
	else if (got_fd >= 0)
		close(got_fd);
	q->at = err ? 0 : reply.at;
	q->room = !err && got > q->size ? got - q->size : 0;
	return err ? err : (int)reply.result;
}

/* As many bytes as can be read of a range of the program's memory that cannot be read whole */
static int send_readable(struct remote *r, struct request *q)
{
	const uint8_t *from = q->data.iov_base;
	size_t size = q->data.iov_len, done = 0;
	uint8_t *copy = malloc(size);
	int err;

	if (!copy)
		return -ENOMEM;
	while (done < size) {
		size_t part = min_u64(size - done, PAGE - ((uintptr_t)(from + done) & (PAGE - 1)));

		if (guard_copy(copy + done, from + done, part))
			break;
		done += part;
	}
	/* the server meets the end where this process would have met the bad page */
	q->data = (struct iovec){ copy, done };
	err = send_request(r, q);
	free(copy);
	return err;
}

static int send_in(struct remote *r, struct request *q, const struct drm_anpu_array *array, size_t bytes)
{
	size_t room = q->room;
	int err;

	q->data = (struct iovec){ (void *)(uintptr_t)array->array, bytes };
	err = send_request(r, q);
	if (err != -EFAULT || !bytes)
		return err;
	q->data = (struct iovec){ (void *)(uintptr_t)array->array, bytes };
	q->room = room;
	return send_readable(r, q);
}

/* Elements with far more room than they need: without it they fit into one message */
static int send_packed(struct remote *r, struct request *q, struct drm_anpu_array *array, size_t element)
{
	struct drm_anpu_array packed = { .stride = element, .count = array->count };
	uint8_t *copy = malloc((size_t)array->count * element);
	int err = copy ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < array->count; i++)
		err = guard_element(copy + i * element, element, array, i);
	packed.array = (uintptr_t)copy;
	if (!err) {
		struct drm_anpu_array theirs = *array;

		*array = packed;
		err = send_in(r, q, &packed, (size_t)array->count * element);
		*array = theirs;
	}
	free(copy);
	return err;
}

static int call_in(struct remote *r, struct request *q, const struct anpu_layout *layout)
{
	struct drm_anpu_array *array = (void *)(q->arg + layout->at - offsetof(struct drm_anpu_array, array));
	struct drm_anpu_array theirs = *array;
	uint64_t bytes = (uint64_t)array->count * array->stride;
	int err;

	if (bytes <= ANPU_DATA_MAX)
		err = send_in(r, q, &theirs, bytes);
	else if (array->stride > layout->element && array->count * layout->element <= ANPU_DATA_MAX)
		err = send_packed(r, q, array, layout->element);
	else
		err = send_in(r, q, &theirs, 0); /* too many: the server refuses it before it looks at one */
	*array = theirs;
	return err;
}

/* Some packets after the other, until one is refused or there is no room */
static int call_submit(struct remote *r, struct request *q, const struct anpu_layout *layout)
{
	struct drm_anpu_submit *args = (void *)q->arg, whole = *args;
	uint32_t done = 0;
	uint64_t seq = 0;
	int err;

	do {
		*args = whole;
		args->packets.count = min_u64(whole.packets.count - done, PACKETS_MAX);
		args->packets.array = whole.packets.array + (uint64_t)done * ANPU_PACKET_SIZE;
		args->submitted = 0;
		err = call_in(r, q, layout);
		if (err)
			break;
		done += args->submitted;
		seq = args->seq;
	} while (done < whole.packets.count && args->submitted == args->packets.count);
	args->packets = whole.packets;
	if (!done)
		return err;
	args->submitted = done;
	args->seq = seq;
	return 0;
}

static int call_out(struct remote *r, struct request *q, const struct anpu_layout *layout)
{
	uint8_t answer[1024];
	uint64_t pointer;
	int err;

	memcpy(&pointer, q->arg + layout->at, sizeof(pointer));
	q->out = answer;
	q->room = sizeof(answer);
	err = send_request(r, q);
	memcpy(q->arg + layout->at, &pointer, sizeof(pointer));
	if (!err && pointer && q->room && guard_copy((void *)(uintptr_t)pointer, answer, q->room))
		return -EFAULT;
	return err;
}

static int call_close(struct remote *r, struct request *q)
{
	const struct drm_gem_close *args = (void *)q->arg;
	int err = send_request(r, q);

	if (!err)
		pages_closed(r, args->handle, q->at);
	return err;
}

/* An object of the program's memory is made empty, and then filled */
static int call_create(struct remote *r, struct request *q)
{
	const struct drm_anpu_bo_create *args = (void *)q->arg;
	struct drm_anpu_bo_create wish = *args;
	struct drm_gem_close close = { 0 };
	struct request end = { .number = DRM_IOCTL_GEM_CLOSE, .arg = (void *)&close, .size = sizeof(close) };
	int err = send_request(r, q);

	if (err || wish.type != DRM_ANPU_BO_USERPTR)
		return err;
	err = pages_fill(r, args->handle, &wish);
	if (!err)
		return 0;
	close.handle = args->handle;
	(void)call_close(r, &end);
	memcpy(q->arg, &wish, sizeof(wish));
	return err;
}

static int call(struct remote *r, struct request *q)
{
	struct anpu_layout layout;

	if (_IOC_NR(q->number) == _IOC_NR(DRM_IOCTL_ANPU_BO_CREATE))
		return call_create(r, q);
	if (_IOC_NR(q->number) == _IOC_NR(DRM_IOCTL_GEM_CLOSE))
		return call_close(r, q);

	(void)anpu_layout(q->number, &layout);
	switch (layout.kind) {
	case ANPU_POINTER_OUT:
		return call_out(r, q, &layout);
	case ANPU_POINTER_IN:
		if (_IOC_NR(q->number) == _IOC_NR(DRM_IOCTL_ANPU_SUBMIT) &&
		    ((struct drm_anpu_submit *)(void *)q->arg)->packets.stride == ANPU_PACKET_SIZE)
			return call_submit(r, q, &layout);
		return call_in(r, q, &layout);
	default:
		return send_request(r, q);
	}
}

/* VERSION and GET_CAP, by which a library looks for devices, and what they are called */
bool remote_knows(unsigned long request, const void *arg)
{
	uint32_t type;

	if (_IOC_NR(request) == _IOC_NR(DRM_IOCTL_VERSION) || _IOC_NR(request) == _IOC_NR(DRM_IOCTL_GET_CAP))
		return true;
	return _IOC_NR(request) == _IOC_NR(DRM_IOCTL_ANPU_DEV_QUERY) && !guard_copy(&type, arg, sizeof(type)) &&
	       type == DRM_ANPU_QUERY_NAMES;
}

static int tell_names(const struct remote *r, struct drm_anpu_dev_query *query)
{
	if (query->pointer && guard_copy((void *)(uintptr_t)query->pointer, &r->names,
					 min_u64(query->size, sizeof(r->names))))
		return -EFAULT;
	query->size = sizeof(r->names);
	return 0;
}

/* As the kernel does it: see call() in engine.c, which the server ends up in */
int remote_ioctl(struct remote *r, unsigned long request, void *arg)
{
	uint64_t data[ANPU_ARG_MAX / 8] = { 0 };
	struct request q = { .arg = (void *)data };
	unsigned long known;
	size_t ours;
	int err;

	known = engine_request(request, &err);
	if (!known)
		return err;
	ours = min_u64(_IOC_SIZE(request), _IOC_SIZE(known));
	if (request & known & ((unsigned long)_IOC_WRITE << _IOC_DIRSHIFT) && guard_copy(data, arg, ours))
		return -EFAULT;
	/* in this build's form, in which what the program's lacks is zero */
	q.number = known;
	q.size = _IOC_SIZE(known);
	if (_IOC_NR(request) == _IOC_NR(DRM_IOCTL_ANPU_DEV_QUERY) && remote_knows(request, data))
		err = tell_names(r, (void *)data);
	else
		err = engine_ask(request, data);
	if (err == -ENOTTY)
		err = call(r, &q);
	if (request & known & ((unsigned long)_IOC_READ << _IOC_DIRSHIFT) && guard_copy(arg, data, ours))
		return -EFAULT;
	return err;
}
