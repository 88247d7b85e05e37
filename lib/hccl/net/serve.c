// SPDX-License-Identifier: MIT
/*
 * The root's side of a meeting: a thread that waits for all ranks, hands round what they say, and tells all others
 * when one ends. It lives until the last rank has left.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "net/meet.h"
#include "net/net.h"

/* A connection that stays silent is closed after this time, so that those who speak find room */
#define SILENT_MS 5000

/* A connection, and the part of a message that has come */
struct line {
	int fd;
	bool stream; /* TCP */
	int64_t since;
	size_t have;
	struct meet_message in;
};

struct guest {
	int fd;	    /* -1: has not come, or has left */
	struct line line;
	int64_t pid;
	bool said;  /* its part of the exchange is there */
	bool bye;
	char data[MEET_DATA];
	uint32_t size;
};

struct server {
	struct hccl_address addr;
	int listener;	      /* -1: all have come */
	int tcp;	      /* the same for other machines; -1 if there is no address for them */
	struct line lobby[128]; /* have connected and not said who they are */
	uint32_t waiting;
	uint32_t ranks;	      /* 0: nobody has come yet */
	uint32_t here;	      /* ranks that have come and not left */
	uint64_t shared;
	int64_t deadline;     /* for the last one to come, ms */
	int64_t late;	      /* likewise for the last one's part of an exchange; 0: there is none */
	struct guest *guests; /* by rank */
	HcclResult gave_up;   /* and why, for those who speak later */
	char why[HCCL_TEXT];
};

/* A rank that does not listen any more is found out when its end is read */
static void say(const struct server *s, int fd, enum meet_kind kind, HcclResult code, const char *text)
{
	struct meet_message m = { .magic = MEET_MAGIC, .version = MEET_VERSION, .kind = kind, .code = code,
				  .ranks = s->ranks };

	memcpy(m.job, s->addr.job, sizeof(m.job));
	m.size = (uint32_t)snprintf(m.data, sizeof(m.data), "%s", text);
	(void)!send(fd, &m, sizeof(m), MSG_NOSIGNAL | MSG_DONTWAIT);
}

/*
 * This process's own ranks hear of a failure behind all others: the program may end as soon as they do, and this thread with it, and the
 * others would be told that this process ended, not why.
 */
static void tell_all(struct server *s, enum meet_kind kind, HcclResult code, uint32_t except, const char *text)
{
	for (int own = 0; own < 2; own++)
		for (uint32_t i = 0; i < s->ranks; i++)
			if (i != except && s->guests[i].fd >= 0 && (s->guests[i].pid == getpid()) == own)
				say(s, s->guests[i].fd, kind, code, text);
}

static void close_guest(struct server *s, uint32_t rank)
{
	close(s->guests[rank].fd);
	s->guests[rank].fd = -1;
	s->here--;
}

static void close_listeners(struct server *s)
{
	if (s->listener >= 0)
		close(s->listener);
	if (s->tcp >= 0)
		close(s->tcp);
	s->listener = -1;
	s->tcp = -1;
}

/* The way out before all have come */
static void give_up(struct server *s, HcclResult code, const char *text)
{
	s->gave_up = code;
	snprintf(s->why, sizeof(s->why), "%s", text);
	close_listeners(s);
	tell_all(s, MEET_REFUSED, code, UINT32_MAX, text);
	for (uint32_t i = 0; i < s->ranks; i++)
		if (s->guests[i].fd >= 0)
			close_guest(s, i);
}

/* The first rank of this process, or the number of ranks if none is there (any more) */
static uint32_t host(const struct server *s)
{
	for (uint32_t i = 0; i < s->ranks; i++)
		if (s->guests[i].fd >= 0 && !s->guests[i].bye && s->guests[i].pid == getpid())
			return i;
	return s->ranks;
}

static bool no_host(const struct server *s)
{
	return host(s) == s->ranks;
}

static void send_memory(struct server *s)
{
	int fd = memfd_create("hccl", MFD_CLOEXEC);
	struct meet_message m = { .magic = MEET_MAGIC, .version = MEET_VERSION, .kind = MEET_WELCOME,
				  .code = no_host(s), .rank = host(s), .pid = getpid() };
	char room[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec data = { &m, sizeof(m) };
	struct msghdr msg = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof(room) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	if (fd < 0 || ftruncate(fd, (off_t)(s->shared * s->ranks))) {
		give_up(s, HCCL_E_SYSCALL, "the root got no shared memory for the ranks");
		if (fd >= 0)
			close(fd);
		return;
	}
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(int));
	memcpy(m.job, s->addr.job, sizeof(m.job));
	for (uint32_t i = 0; i < s->ranks; i++) {
		if (s->guests[i].line.stream)
			(void)!send(s->guests[i].fd, &m, sizeof(m), MSG_NOSIGNAL);
		else
			(void)!sendmsg(s->guests[i].fd, &msg, MSG_NOSIGNAL);
	}
	close(fd);
}

/* Why it cannot join: a code and a sentence, or HCCL_SUCCESS */
static HcclResult refuse(const struct server *s, const struct meet_message *m, char *text)
{
	if (m->magic != MEET_MAGIC || m->version != MEET_VERSION) {
		snprintf(text, HCCL_TEXT, "the root has version %d of the library's messages, and this rank another: "
			 "use one libhccl.so for all", MEET_VERSION);
		return HCCL_E_PARA;
	}
	if (memcmp(m->job, s->addr.job, sizeof(m->job))) {
		snprintf(text, HCCL_TEXT, "the root info is of another communicator than the one that is made here");
		return HCCL_E_PARA;
	}
	if (!m->ranks || m->ranks > HCCL_MAX_RANKS || m->rank >= m->ranks || !m->shared || m->shared > 1 << 20) {
		snprintf(text, HCCL_TEXT, "rank %u of %u is none", m->rank, m->ranks);
		return HCCL_E_PARA;
	}
	if (s->gave_up) {
		snprintf(text, HCCL_TEXT, "%s", s->why);
		return s->gave_up;
	}
	if (s->ranks && m->ranks != s->ranks) {
		snprintf(text, HCCL_TEXT, "rank %u says that there are %u ranks, and others say %u", m->rank, m->ranks,
			 s->ranks);
		return HCCL_E_PARA;
	}
	if (s->ranks && s->guests[m->rank].fd >= 0) {
		snprintf(text, HCCL_TEXT, "rank %u is there already, in process %lld: each rank joins once", m->rank,
			 (long long)s->guests[m->rank].pid);
		return HCCL_E_PARA;
	}
	return HCCL_SUCCESS;
}

/* The first one says how many there are */
static bool first_guest(struct server *s, const struct meet_message *m)
{
	s->guests = calloc(m->ranks, sizeof(*s->guests));
	if (!s->guests)
		return false;
	for (uint32_t i = 0; i < m->ranks; i++)
		s->guests[i].fd = -1;
	s->ranks = m->ranks;
	s->shared = m->shared;
	s->deadline = hccl_now_ms() + hccl_connect_seconds() * 1000LL;
	return true;
}

/* 1: line->in is a message, 0: it is not whole, -1: the end, or what no rank sends */
static int hear(struct line *line)
{
	ssize_t n = recv(line->fd, (char *)&line->in + line->have, sizeof(line->in) - line->have, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0)
		return -1;
	line->have += (size_t)n;
	if (line->have == sizeof(line->in)) {
		line->have = 0;
		return 1;
	}
	return line->stream && (line->have < sizeof(line->in.magic) || line->in.magic == MEET_MAGIC) ? 0 : -1;
}

static void hello(struct server *s, const struct line *line)
{
	const struct meet_message m = line->in;
	char text[HCCL_TEXT];
	int fd = line->fd;
	HcclResult why;

	if (m.kind != MEET_HELLO) {
		close(fd);
		return;
	}
	why = refuse(s, &m, text);
	if (!why && !s->ranks && !first_guest(s, &m)) {
		why = HCCL_E_MEMORY;
		snprintf(text, sizeof(text), "the root has no memory for %u ranks", m.ranks);
	}
	if (why) {
		say(s, fd, MEET_REFUSED, why, text);
		close(fd);
		return;
	}
	s->guests[m.rank].fd = fd;
	s->guests[m.rank].line = *line;
	/* numbers of other machines' processes say nothing here */
	s->guests[m.rank].pid = line->stream ? -m.pid : m.pid;
	s->here++;
	if (s->here < s->ranks)
		return;
	close_listeners(s);
	send_memory(s);
}

/* Only processes of this user: the name of the socket is no secret */
static bool same_user(int fd)
{
	struct ucred who;
	socklen_t n = sizeof(who);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) && who.uid == getuid();
}

static void let_in(struct server *s, bool tcp)
{
	int fd = tcp ? hccl_net_accept(s->tcp) : accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);
	char why[HCCL_TEXT];

	if (fd < 0)
		return;
	if (tcp && !hccl_whitelist_allows(fd, why)) {
		say(s, fd, MEET_REFUSED, HCCL_E_TCP_CONNECT, why);
		close(fd);
		return;
	}
	if (!tcp && !same_user(fd)) {
		close(fd);
		return;
	}
	if (s->waiting == ARRAY_SIZE(s->lobby)) {
		/* a rank speaks at once: whoever has been silent for longest is none */
		close(s->lobby[0].fd);
		memmove(s->lobby, s->lobby + 1, --s->waiting * sizeof(s->lobby[0]));
	}
	s->lobby[s->waiting++] = (struct line){ .fd = fd, .stream = tcp, .since = hccl_now_ms() };
}

/* Ranks that have not come, or have not said their part of an exchange, into @text with what is wrong with them */
static void name_missing(const struct server *s, const char *what, char text[HCCL_TEXT])
{
	char list[128];
	size_t used = 0, n = 0;

	for (uint32_t i = 0; i < s->ranks; i++) {
		if (s->late ? s->guests[i].said : s->guests[i].fd >= 0)
			continue;
		if (used < sizeof(list) - 16)
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%u", n ? ", " : "", i);
		else if (used < sizeof(list) - 4)
			used += (size_t)snprintf(list + used, sizeof(list) - used, "...");
		n++;
	}
	snprintf(text, HCCL_TEXT, "%zu of %u ranks have not %s within %d s (HCCL_CONNECT_TIMEOUT): %s", n, s->ranks, what,
		 hccl_connect_seconds(), list);
}

static void missing(struct server *s)
{
	char text[HCCL_TEXT];

	name_missing(s, "come", text);
	give_up(s, HCCL_E_TIMEOUT, text);
}

/* Some ranks wait for others in an exchange: there will be no other one */
static void end_exchange(struct server *s)
{
	char text[HCCL_TEXT];

	name_missing(s, "come to what the others call", text);
	s->late = 0;
	tell_all(s, MEET_FAIL, HCCL_E_TIMEOUT, UINT32_MAX, text);
}

/* Everybody has said its part */
static void hand_round(struct server *s)
{
	size_t head = sizeof(struct meet_message), used = head;
	char *all = calloc(1, head + (size_t)s->ranks * MEET_DATA);
	struct meet_message *m = (void *)all;

	if (!all) {
		tell_all(s, MEET_FAIL, HCCL_E_MEMORY, UINT32_MAX, "the root has no memory to exchange data");
		return;
	}
	m->magic = MEET_MAGIC;
	m->kind = MEET_EXCHANGE;
	for (uint32_t i = 0; i < s->ranks; i++) {
		memcpy(all + used, s->guests[i].data, s->guests[i].size);
		used += s->guests[i].size;
		s->guests[i].said = false;
	}
	s->late = 0;
	m->shared = used - head;
	for (uint32_t i = 0; i < s->ranks; i++)
		if (s->guests[i].fd >= 0)
			(void)!send(s->guests[i].fd, all, used, MSG_NOSIGNAL);
	free(all);
}

static void left(struct server *s, uint32_t rank)
{
	struct guest *g = &s->guests[rank];
	char text[HCCL_TEXT];

	if (!g->bye) {
		snprintf(text, sizeof(text), "rank %u (process %lld%s) ended without HcclCommDestroy()", rank,
			 (long long)(g->pid < 0 ? -g->pid : g->pid), g->pid < 0 ? " of another machine" : "");
		if (s->listener >= 0) {
			give_up(s, HCCL_E_REMOTE, text);
			return;
		}
		tell_all(s, MEET_FAIL, MEET_ENDED, rank, text);
	}
	close_guest(s, rank);
}

static void listen_to(struct server *s, uint32_t rank)
{
	struct guest *g = &s->guests[rank];
	int whole = hear(&g->line);
	struct meet_message m = g->line.in;
	bool all = true;

	if (!whole)
		return;
	if (whole < 0 || m.magic != MEET_MAGIC || m.size > sizeof(m.data)) {
		left(s, rank);
		return;
	}
	m.data[sizeof(m.data) - 1] = 0;
	if (m.kind == MEET_BYE) {
		g->bye = true;
		if (g->pid == getpid() && no_host(s))
			tell_all(s, MEET_BYE, HCCL_SUCCESS, rank, "");
	} else if (m.kind == MEET_FAIL) {
		tell_all(s, MEET_FAIL, HCCL_E_REMOTE, rank, m.data);
	}
	if (m.kind != MEET_EXCHANGE || m.size > MEET_DATA)
		return;
	memcpy(g->data, m.data, m.size);
	g->size = m.size;
	g->said = true;
	s->late = s->late ? s->late : hccl_now_ms() + hccl_connect_seconds() * 1000LL;
	for (uint32_t i = 0; i < s->ranks; i++)
		all = all && s->guests[i].said;
	if (all)
		hand_round(s);
}

/* Those in the lobby: who says hello, and who has been silent for too long; @p of the first @n of them */
static void look_at_lobby(struct server *s, const struct pollfd *p, uint32_t n)
{
	uint32_t kept = 0;
	int heard;

	for (uint32_t i = 0; i < s->waiting; i++) {
		struct line *line = &s->lobby[i];

		heard = i < n && p[i].revents ? hear(line) : 0;
		if (heard > 0)
			hello(s, line);
		else if (heard < 0 || (line->stream && hccl_now_ms() - line->since > SILENT_MS))
			close(line->fd);
		else
			s->lobby[kept++] = *line;
	}
	s->waiting = kept;
}

/* One round: waits for something to happen and reacts. @p has room for all */
static void serve_once(struct server *s, struct pollfd *p)
{
	uint32_t n = 0, lobby = s->waiting;
	int64_t limit = s->listener >= 0 && s->ranks ? s->deadline : s->late;
	int64_t rest = limit ? limit - hccl_now_ms() : -1;

	for (uint32_t i = 0; i < s->ranks; i++)
		p[n++] = (struct pollfd){ .fd = s->guests[i].fd, .events = POLLIN };
	for (uint32_t i = 0; i < lobby; i++)
		p[n++] = (struct pollfd){ .fd = s->lobby[i].fd, .events = POLLIN };
	p[n] = (struct pollfd){ .fd = s->listener, .events = POLLIN };
	p[n + 1] = (struct pollfd){ .fd = s->tcp, .events = POLLIN };
	if (limit && rest <= 0) {
		if (s->listener >= 0)
			missing(s);
		else
			end_exchange(s);
		return;
	}
	if (lobby && (rest < 0 || rest > SILENT_MS))
		rest = SILENT_MS;
	if (poll(p, n + 2, (int)rest) < 0)
		return;
	for (uint32_t i = 0; i < n - lobby; i++)
		if (p[i].revents && s->guests[i].fd == p[i].fd)
			listen_to(s, i);
	look_at_lobby(s, p + n - lobby, lobby);
	if (p[n].revents && s->listener >= 0)
		let_in(s, false);
	if (p[n + 1].revents && s->tcp >= 0)
		let_in(s, true);
}

static void *serve(void *arg)
{
	struct server *s = arg;
	struct pollfd *p = calloc(HCCL_MAX_RANKS + ARRAY_SIZE(s->lobby) + 2, sizeof(*p));

	while (p && (s->listener >= 0 || s->here))
		serve_once(s, p);
	close_listeners(s);
	for (uint32_t i = 0; i < s->waiting; i++)
		close(s->lobby[i].fd);
	free(p);
	free(s->guests);
	free(s);
	return NULL;
}

static int open_listener(const struct hccl_address *addr)
{
	char room[128];
	unsigned int size = meet_sockaddr(addr, room);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd < 0 || (!bind(fd, (void *)room, size) && !listen(fd, 1024)))
		return fd;
	close(fd);
	return -1;
}

/* For other machines, if there is an address for them, at the port that is known already or another */
static HcclResult open_tcp(struct hccl_address *addr, int *fd)
{
	HcclResult ret;

	*fd = -1;
	if (!addr->ip[0])
		return HCCL_SUCCESS;
	ret = hccl_whitelist_check();
	if (ret || !addr->port)
		return ret ? ret : hccl_net_listen_free(addr->ip, &addr->port, fd);
	*fd = hccl_net_listen(addr->ip, &addr->port);
	if (*fd >= 0)
		return HCCL_SUCCESS;
	return hccl_fail(HCCL_E_TCP_CONNECT, "nobody can listen at %s, port %u, on this machine: %s (HCCL_IF_BASE_PORT)", addr->ip,
			 addr->port, strerror(errno));
}

HcclResult hccl_meet_serve(struct hccl_address *addr)
{
	struct server *s = calloc(1, sizeof(*s));
	sigset_t all, before;
	pthread_attr_t attr;
	pthread_t thread;
	HcclResult ret;
	int err;

	if (!s)
		return hccl_fail(HCCL_E_MEMORY, "no memory for a communicator's root");
	ret = open_tcp(addr, &s->tcp);
	if (ret) {
		free(s);
		return ret;
	}
	s->addr = *addr;
	s->listener = open_listener(addr);
	if (s->listener < 0) {
		err = errno;
		close_listeners(s);
		free(s);
		if (err == EADDRINUSE)
			return hccl_fail(HCCL_E_UNAVAIL, "a communicator with this rank table or these numbers is "
					 "being made on this machine now");
		return hccl_fail(HCCL_E_SYSCALL, "a socket for other ranks cannot be made: %s", strerror(err));
	}
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	err = pthread_create(&thread, &attr, serve, s);
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!err)
		return HCCL_SUCCESS;
	close_listeners(s);
	free(s);
	return hccl_fail(HCCL_E_SYSCALL, "a thread for other ranks cannot be made: %s", strerror(err));
}
