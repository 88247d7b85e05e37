// SPDX-License-Identifier: MIT
/*
 * A rank's side of a meeting; meet.h has the messages.
 */
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "core/front.h"
#include "net/meet.h"
#include "net/net.h"

struct hccl_meeting {
	int fd;
	bool stream; /* TCP */
	uint32_t ranks, rank;
	atomic_bool ending;
	bool root_may_go; /* none of the ranks in the root's process is there any more */
	uint32_t host;	  /* the first of those */
	int64_t host_pid; /* 0: not welcome yet */
	HcclResult failed; /* of an exchange: all ranks that are left know, and there will be no other */
	int wake;	  /* for hccl_meet_wake() */
	struct hccl_comm *parent; /* its failure ends what is waited for; NULL: there is none, or all is done */
};

/* The root answers in time, or is given up: it has a limit of its own, and needs a moment to tell */
#define GRACE_MS 10000

int hccl_connect_seconds(void)
{
	const char *text = getenv("HCCL_CONNECT_TIMEOUT");
	long n = text ? strtol(text, NULL, 10) : 0;

	return n >= 1 && n <= HCCL_CONNECT_MAX ? (int)n : 120;
}

unsigned int meet_sockaddr(const struct hccl_address *a, void *addr)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	size_t n = strnlen(a->name, sizeof(a->name) - 1);

	/* an abstract name: it begins with a 0 and goes when nobody listens */
	memcpy(un.sun_path + 1, a->name, n);
	memcpy(addr, &un, sizeof(un));
	return (unsigned int)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
}

static int connect_here(const struct hccl_address *addr)
{
	char room[128];
	unsigned int size = meet_sockaddr(addr, room);
	int err, fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd < 0 || !connect(fd, (void *)room, size))
		return fd;
	err = errno;
	close(fd);
	errno = err;
	return -1;
}

static bool not_yet(int err)
{
	return err == ECONNREFUSED || err == EAGAIN || err == EHOSTUNREACH || err == ENETUNREACH || err == ETIMEDOUT;
}

/* Connected or -1; with @late tries until the root listens, or @parent has failed */
static int connect_to(const struct hccl_address *addr, bool late, bool stream, const struct hccl_comm *parent)
{
	int64_t deadline = hccl_now_ms() + hccl_connect_seconds() * 1000LL;
	struct timespec pause = { .tv_nsec = 5000000 };
	int fd, err;

	for (;;) {
		fd = stream ? hccl_net_connect(addr->ip, addr->port) : connect_here(addr);
		if (fd >= 0)
			return fd;
		err = errno;
		if (!late || !not_yet(err) || hccl_now_ms() > deadline || (parent && atomic_load(&parent->broken))) {
			errno = err;
			return -1;
		}
		nanosleep(&pause, NULL);
	}
}

/* All @size bytes of a stream, in a moment: it has begun to come */
static bool read_all(int fd, void *buf, size_t size)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char *at = buf;
	ssize_t n;

	while (size) {
		if (poll(&p, 1, GRACE_MS) == 0)
			return false;
		n = recv(fd, at, size, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		size -= (size_t)n;
	}
	return true;
}

/* One message with what is behind it, at most @most bytes; its size, 0 or -1 as recv() */
static ssize_t take(struct hccl_meeting *m, struct meet_message *msg, size_t most)
{
	if (!m->stream)
		return recv(m->fd, msg, most, 0);
	if (!read_all(m->fd, msg, sizeof(*msg)))
		return 0;
	if (msg->magic != MEET_MAGIC || msg->kind != MEET_EXCHANGE)
		return sizeof(*msg);
	if (msg->shared > most - sizeof(*msg) || !read_all(m->fd, msg + 1, msg->shared))
		return 0;
	return (ssize_t)(sizeof(*msg) + msg->shared);
}

void hccl_meet_name_root(const struct hccl_meeting *m, char text[HCCL_TEXT])
{
	if (m->host_pid && !m->root_may_go)
		snprintf(text, HCCL_TEXT, "rank %u (process %lld), whose process made the root info, ended without "
			 "HcclCommDestroy()", m->host, (long long)m->host_pid);
	else
		snprintf(text, HCCL_TEXT, "the process that made the root info ended, or closed the connection");
}

static HcclResult gone(const struct hccl_meeting *m)
{
	char text[HCCL_TEXT];

	hccl_meet_name_root(m, text);
	return hccl_fail(HCCL_E_REMOTE, "%s", text);
}

static HcclResult put(struct hccl_meeting *m, enum meet_kind kind, const struct meet_message *what)
{
	struct meet_message msg = *what;
	bool closed;

	msg.magic = MEET_MAGIC;
	msg.version = MEET_VERSION;
	msg.kind = kind;
	if (send(m->fd, &msg, sizeof(msg), MSG_NOSIGNAL) == sizeof(msg))
		return HCCL_SUCCESS;
	closed = errno == EPIPE || errno == ECONNRESET;
	/* the root may have said why before it went */
	while (closed && take(m, &msg, sizeof(msg)) == sizeof(msg) && msg.magic == MEET_MAGIC) {
		msg.data[sizeof(msg.data) - 1] = 0;
		if (msg.kind == MEET_FAIL)
			return hccl_fail(HCCL_E_REMOTE, "%s", msg.data);
		if (msg.kind == MEET_REFUSED)
			return hccl_fail((HcclResult)msg.code, "%s", msg.data);
	}
	return gone(m);
}

/* How often a rank that waits for others looks whether the communicator that they have in common has failed */
#define LOOK_MS 50

static HcclResult await(struct hccl_meeting *m)
{
	int64_t deadline = hccl_now_ms() + hccl_connect_seconds() * 1000LL + GRACE_MS, rest;
	unsigned int noted = anpu_front_wait_begins("other ranks of the communicator, which have not come to this call, or its root");
	struct pollfd p = { .fd = m->fd, .events = POLLIN };
	HcclResult ret = HCCL_SUCCESS;
	bool came = false;

	while (!ret && !came && (rest = deadline - hccl_now_ms()) > 0) {
		came = poll(&p, 1, m->parent && rest > LOOK_MS ? LOOK_MS : (int)rest) > 0;
		ret = m->parent && !came ? hccl_comm_broken(m->parent) : HCCL_SUCCESS;
	}
	anpu_front_wait_over(noted);
	if (came || ret)
		return ret;
	return hccl_fail(HCCL_E_TIMEOUT, "the root of the communicator does not answer");
}

/* WELCOME, with memory */
static HcclResult get_welcome(struct hccl_meeting *m, const struct hccl_address *addr, int *fd)
{
	struct meet_message msg;
	char room[CMSG_SPACE(sizeof(int))];
	struct iovec data = { &msg, sizeof(msg) };
	struct msghdr hdr = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof(room) };
	struct cmsghdr *c;
	HcclResult ret = await(m);

	if (ret)
		return ret;
	if ((m->stream ? take(m, &msg, sizeof(msg)) : recvmsg(m->fd, &hdr, MSG_CMSG_CLOEXEC)) != sizeof(msg) ||
	    msg.magic != MEET_MAGIC)
		return gone(m);
	msg.data[sizeof(msg.data) - 1] = 0;
	if (msg.kind == MEET_REFUSED || msg.kind == MEET_FAIL)
		return hccl_fail((HcclResult)msg.code, "%s", msg.data);
	m->root_may_go = msg.code != 0;
	m->host = msg.rank;
	m->host_pid = msg.pid;
	*fd = -1;
	if (m->stream && msg.kind == MEET_WELCOME && !memcmp(msg.job, addr->job, sizeof(msg.job)))
		return HCCL_SUCCESS;
	c = m->stream ? NULL : CMSG_FIRSTHDR(&hdr);
	if (msg.kind != MEET_WELCOME || !c || c->cmsg_type != SCM_RIGHTS)
		return gone(m);
	memcpy(fd, CMSG_DATA(c), sizeof(int));
	return HCCL_SUCCESS;
}

HcclResult hccl_meet_join(const struct hccl_address *addr, uint32_t ranks, uint32_t rank, bool late, size_t shared,
			  struct hccl_comm *parent, struct hccl_meeting **out, int *fd)
{
	struct meet_message msg = { .ranks = ranks, .rank = rank, .shared = shared, .pid = getpid() };
	struct hccl_meeting *m = calloc(1, sizeof(*m));
	HcclResult ret;

	if (!m)
		return hccl_fail(HCCL_E_MEMORY, "no memory for a communicator");
	m->ranks = ranks;
	m->rank = rank;
	m->parent = parent;
	m->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (m->wake < 0) {
		free(m);
		return hccl_fail(HCCL_E_SYSCALL, "no descriptor for a communicator: %s", strerror(errno));
	}
	m->stream = addr->ip[0] && addr->machine != hccl_net_machine();
	m->fd = connect_to(addr, late, m->stream, parent);
	if (m->fd < 0 && m->stream) {
		close(m->wake);
		free(m);
		return hccl_fail(HCCL_E_TCP_CONNECT, "the root of the communicator cannot be reached at %s, port %u (%s): the "
				 "process that made the root info ended, its ranks have joined already, or HCCL_IF_IP or "
				 "HCCL_SOCKET_IFNAME has to say there which address others reach", addr->ip, addr->port,
				 strerror(errno));
	}
	if (m->fd < 0) {
		close(m->wake);
		free(m);
		return hccl_fail(HCCL_E_TCP_CONNECT, "the root of the communicator cannot be reached (%s): the process "
				 "that made the root info ended, its ranks have joined already, or it runs on another "
				 "machine", strerror(errno));
	}
	memcpy(msg.job, addr->job, sizeof(msg.job));
	ret = put(m, MEET_HELLO, &msg);
	if (!ret)
		ret = get_welcome(m, addr, fd);
	if (ret) {
		hccl_meet_free(m);
		return ret;
	}
	*out = m;
	return HCCL_SUCCESS;
}

void hccl_meet_abandon(const struct hccl_address *addr, uint32_t ranks, uint32_t rank)
{
	struct meet_message msg = { .magic = MEET_MAGIC, .version = MEET_VERSION, .kind = MEET_HELLO, .ranks = ranks, .rank = rank,
				    .shared = 1, .pid = getpid() };
	int fd = connect_here(addr);

	if (fd < 0)
		return;
	memcpy(msg.job, addr->job, sizeof(msg.job));
	if (send(fd, &msg, sizeof(msg), MSG_NOSIGNAL) == sizeof(msg))
		(void)shutdown(fd, SHUT_WR);
	/* the root closes the connection when it listens no more */
	while (recv(fd, &msg, sizeof(msg), 0) > 0)
		;
	close(fd);
}

void hccl_meet_joined(struct hccl_meeting *m)
{
	m->parent = NULL;
}

static HcclResult get_exchange(struct hccl_meeting *m, struct meet_message *got, size_t need)
{
	HcclResult ret;
	ssize_t n;

	for (;;) {
		ret = await(m);
		if (ret)
			return ret;
		n = take(m, got, need);
		if (n < (ssize_t)sizeof(*got) || got->magic != MEET_MAGIC)
			return gone(m);
		if (got->kind == MEET_EXCHANGE && n == (ssize_t)need)
			return HCCL_SUCCESS;
		if (got->kind != MEET_BYE)
			break;
		m->root_may_go = true;
	}
	got->data[sizeof(got->data) - 1] = 0;
	return hccl_fail(got->code == HCCL_E_TIMEOUT ? HCCL_E_TIMEOUT : HCCL_E_REMOTE, "%s", got->data);
}

HcclResult hccl_meet_exchange(struct hccl_meeting *m, const void *mine, size_t size, void *all)
{
	struct meet_message msg = { .rank = m->rank, .size = (uint32_t)size };
	size_t need = sizeof(msg) + size * m->ranks;
	struct meet_message *got;
	HcclResult ret;

	if (m->failed)
		return m->failed;
	got = malloc(need);
	if (!got || size > MEET_DATA) {
		free(got);
		return hccl_fail(HCCL_E_MEMORY, "no memory to exchange %zu bytes between ranks", size);
	}
	memcpy(msg.data, mine, size);
	ret = put(m, MEET_EXCHANGE, &msg);
	if (!ret)
		ret = get_exchange(m, got, need);
	if (!ret)
		memcpy(all, got + 1, need - sizeof(msg));
	m->failed = ret;
	free(got);
	return ret;
}

int hccl_meet_news(struct hccl_meeting *m, int ms, char text[HCCL_TEXT])
{
	struct pollfd p[2] = { { .fd = m->fd, .events = POLLIN }, { .fd = m->wake, .events = POLLIN } };
	struct meet_message msg;
	uint64_t calls;
	ssize_t n;

	for (;;) {
		n = poll(p, 2, ms);
		if (n == 0)
			return 2;
		/* what others have said before is heard before */
		if (n > 0 && !p[0].revents && read(m->wake, &calls, sizeof(calls)) == sizeof(calls))
			return 3;
		if (n < 0 || !p[0].revents)
			continue;
		n = take(m, &msg, sizeof(msg));
		if (n == sizeof(msg) && msg.kind == MEET_BYE)
			m->root_may_go = true;
		else if (n >= 0 || errno != EINTR)
			break;
	}
	if (atomic_load(&m->ending) || (n <= 0 && m->root_may_go))
		return 0;
	if (n != sizeof(msg) || msg.magic != MEET_MAGIC || msg.kind != MEET_FAIL)
		return -1;
	msg.data[sizeof(msg.data) - 1] = 0;
	memcpy(text, msg.data, HCCL_TEXT);
	return msg.code == MEET_ENDED ? 4 : 1;
}

void hccl_meet_wake(struct hccl_meeting *m)
{
	uint64_t one = 1;

	(void)!write(m->wake, &one, sizeof(one));
}

void hccl_meet_tell(struct hccl_meeting *m, const char *text)
{
	struct meet_message msg = { .magic = MEET_MAGIC, .version = MEET_VERSION, .kind = MEET_FAIL, .rank = m->rank };

	/* without a root nobody is left to be told */
	msg.size = (uint32_t)snprintf(msg.data, sizeof(msg.data), "%s", text);
	if (msg.size >= sizeof(msg.data))
		msg.size = sizeof(msg.data) - 1;
	(void)!send(m->fd, &msg, sizeof(msg), MSG_NOSIGNAL | MSG_DONTWAIT);
}

/*
 * The root is a thread of this process, which may end as soon as its last rank has left: then the other ranks would see
 * the root's end before the root has told them that it may go. The root closes the connection when it has done that.
 */
static void await_root(const struct hccl_meeting *m)
{
	struct pollfd p = { .fd = m->fd, .events = POLLRDHUP };

	shutdown(m->fd, SHUT_WR);
	while (poll(&p, 1, GRACE_MS) < 0 && errno == EINTR)
		;
}

void hccl_meet_end(struct hccl_meeting *m)
{
	struct meet_message msg = { .magic = MEET_MAGIC, .version = MEET_VERSION, .kind = MEET_BYE, .rank = m->rank };

	if (atomic_exchange(&m->ending, true))
		return;
	(void)!send(m->fd, &msg, sizeof(msg), MSG_NOSIGNAL);
	if (!m->stream && m->host_pid == getpid())
		await_root(m);
	shutdown(m->fd, SHUT_RDWR);
}

void hccl_meet_free(struct hccl_meeting *m)
{
	close(m->fd);
	close(m->wake);
	free(m);
}
