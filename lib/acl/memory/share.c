// SPDX-License-Identifier: MIT
/*
 * Memory for other processes: a table of dma-bufs, each under a number that cannot be guessed, and a
 * thread that hands their descriptors to processes that know the number and may have it. The thread
 * listens on an abstract socket named after the process, whose id is part of the number.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "memory/memory.h"

#define PID_SHIFT 42
#define MAGIC	  0x45524853u
#define WAIT_S	  5

struct request {
	uint32_t magic;
	uint32_t kind;
	uint64_t number;
};

struct answer {
	int32_t error; /* 0 or errno */
	uint32_t host;
	uint64_t offset;
	uint64_t size;
	uint64_t pci_address;
};

struct share {
	struct acl_node node; /* by number */
	struct acl_node owned; /* by owner, if it has one */
	struct share *next, *prev;
	struct anpu_device *dev; /* not counted: shares end before their device */
	struct anpu_shared what;
	enum anpu_share_kind kind;
	bool anybody;
	pid_t *pids;
	size_t count;
	struct anpu_site site; /* the call that made it */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct acl_node *shares;
static struct acl_node *owned;
static struct share *all;
static bool serving;

pid_t anpu_share_owner(uint64_t number)
{
	return number >> PID_SHIFT;
}

static socklen_t address_of(pid_t pid, struct sockaddr_un *a)
{
	memset(a, 0, sizeof(*a));
	a->sun_family = AF_UNIX;
	snprintf(a->sun_path + 1, sizeof(a->sun_path) - 1, "anpu-share-%d", (int)pid);
	return sizeof(a->sun_family) + 1 + strlen(a->sun_path + 1);
}

/* Lock held */
static struct share *find(uint64_t number)
{
	struct acl_node *n = acl_tree_find(shares, number, 0);

	return n ? container_of(n, struct share, node) : NULL;
}

static bool may_have(const struct share *s, pid_t pid)
{
	size_t i;

	if (s->anybody)
		return true;
	for (i = 0; i < s->count; i++)
		if (s->pids[i] == pid)
			return true;
	return false;
}

/* The server ----------------------------------------------------------------------------------- */

/* The request of the peer; a descriptor that the caller closes, or -1 */
static int look_up(const struct request *req, pid_t pid, struct answer *ans)
{
	const struct share *s;
	int fd = -1;

	pthread_mutex_lock(&lock);
	s = find(req->number);
	if (!s) {
		ans->error = ENOENT;
	} else if (s->kind != req->kind) {
		ans->error = EPROTO;
	} else if (!may_have(s, pid)) {
		ans->error = EACCES;
	} else {
		ans->host = s->what.host;
		ans->offset = s->what.offset;
		ans->size = s->what.size;
		ans->pci_address = s->what.pci_address;
		fd = dup(s->what.fd);
		ans->error = fd < 0 ? errno : 0;
	}
	pthread_mutex_unlock(&lock);
	return fd;
}

static void send_answer(int peer, struct answer *ans, int fd)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct iovec iov = { ans, sizeof(*ans) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (fd >= 0) {
		control.head = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)),
						 .cmsg_level = SOL_SOCKET,
						 .cmsg_type = SCM_RIGHTS };
		memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_LEN(sizeof(int));
	}
	/* if the peer has gone away nobody needs the answer */
	(void)sendmsg(peer, &msg, MSG_NOSIGNAL);
}

static void set_patience(int fd)
{
	struct timeval t = { .tv_sec = WAIT_S };

	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof(t));
}

static void serve_one(int peer)
{
	struct request req = { 0 };
	struct answer ans = { 0 };
	socklen_t size = sizeof(struct ucred);
	struct ucred who;
	int fd;

	set_patience(peer);
	if (recv(peer, &req, sizeof(req), 0) != sizeof(req) || req.magic != MAGIC ||
	    getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &who, &size))
		return;
	fd = look_up(&req, who.pid, &ans);
	send_answer(peer, &ans, fd);
	if (fd >= 0)
		close(fd);
}

static void *serve(void *arg)
{
	int listener = (int)(intptr_t)arg, peer;

	for (;;) {
		peer = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (peer < 0) {
			if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
				usleep(10000); /* until there is room for one more */
			continue;
		}
		serve_one(peer);
		close(peer);
	}
	return NULL;
}

/* Lock held; 0 or -errno */
static int start_server(void)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), err;
	struct sockaddr_un a;
	sigset_t all, old;
	socklen_t size = address_of(getpid(), &a);
	pthread_t thread;

	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&a, size) || listen(fd, 16)) {
		err = -errno;
		close(fd);
		return err;
	}
	anpu_watch_exit();
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = -pthread_create(&thread, NULL, serve, (void *)(intptr_t)fd);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (err) {
		close(fd);
		return err;
	}
	pthread_detach(thread);
	serving = true;
	return 0;
}

/* The table ------------------------------------------------------------------------------------ */

/* Lock held */
static void free_share(struct share *s)
{
	acl_tree_remove(&shares, &s->node);
	if (s->what.owner)
		acl_tree_remove(&owned, &s->owned);
	*(s->prev ? &s->prev->next : &all) = s->next;
	if (s->next)
		s->next->prev = s->prev;
	close(s->what.fd);
	free(s->pids);
	free(s);
}

int anpu_share_add(struct anpu_device *dev, enum anpu_share_kind kind,
		   const struct anpu_shared *what, bool anybody, uint64_t *number)
{
	struct share *s = calloc(1, sizeof(*s));
	uint64_t random;
	int err = 0;

	if (!s)
		return -ENOMEM;
	s->dev = dev;
	s->kind = kind;
	s->what = *what;
	s->what.pci_address = dev->info.pci_address;
	s->anybody = anybody;
	anpu_site_here(&s->site);
	pthread_mutex_lock(&lock);
	if (!serving)
		err = start_server();
	while (!err) {
		if (getrandom(&random, sizeof(random), 0) != sizeof(random))
			err = -EIO;
		*number = (uint64_t)getpid() << PID_SHIFT | (random & ((1ULL << PID_SHIFT) - 1));
		if (!find(*number))
			break;
	}
	if (!err) {
		s->node = (struct acl_node){ .key = *number };
		acl_tree_add(&shares, &s->node);
		s->owned = (struct acl_node){ .key = (uintptr_t)what->owner, .tie = *number };
		if (what->owner)
			acl_tree_add(&owned, &s->owned);
		s->next = all;
		if (all)
			all->prev = s;
		all = s;
	}
	pthread_mutex_unlock(&lock);
	if (err)
		free(s);
	return err;
}

int anpu_share_allow(uint64_t number, enum anpu_share_kind kind, const int32_t *pids, size_t n)
{
	struct share *s;
	int err = 0;
	pid_t *more;
	size_t i;

	pthread_mutex_lock(&lock);
	s = find(number);
	more = s && s->kind == kind ? realloc(s->pids, (s->count + n) * sizeof(*more)) : NULL;
	if (more) {
		s->pids = more;
		for (i = 0; i < n; i++)
			more[s->count++] = pids[i];
	} else {
		err = s && s->kind == kind ? -ENOMEM : -ENOENT;
	}
	pthread_mutex_unlock(&lock);
	return err;
}

bool anpu_share_end(uint64_t number, enum anpu_share_kind kind)
{
	struct share *s;
	bool ended;

	pthread_mutex_lock(&lock);
	s = find(number);
	ended = s && s->kind == kind;
	if (ended)
		free_share(s);
	pthread_mutex_unlock(&lock);
	return ended;
}

void anpu_shares_end_of(const struct acl_obj *owner)
{
	struct acl_node *n;

	pthread_mutex_lock(&lock);
	while ((n = acl_tree_floor(owned, (uintptr_t)owner)) && n->key == (uintptr_t)owner)
		free_share(container_of(n, struct share, owned));
	pthread_mutex_unlock(&lock);
}

struct acl_obj *anpu_share_owned(uint64_t number, enum anpu_share_kind kind)
{
	struct acl_obj *owner = NULL;
	struct share *s;

	pthread_mutex_lock(&lock);
	s = find(number);
	/* an owner that is being released waits for the lock in anpu_shares_end_of() */
	if (s && s->kind == kind && s->what.owner && acl_obj_try_get(s->what.owner))
		owner = s->what.owner;
	pthread_mutex_unlock(&lock);
	return owner;
}

void anpu_shares_end(struct anpu_device *dev)
{
	struct share *s, *next;

	pthread_mutex_lock(&lock);
	for (s = all; s; s = next) {
		next = s->next;
		if (s->dev != dev)
			continue;
		if (s->kind == ANPU_SHARE_MEMORY && anpu_checking())
			anpu_finding("leak", &s->site, "key '" ANPU_KEY_FORMAT "' was never closed: see aclrtIpcMemClose(); the call that made "
				     "it is", (unsigned long long)s->node.key);
		free_share(s);
	}
	pthread_mutex_unlock(&lock);
}

/* The other side ------------------------------------------------------------------------------- */

static int receive(int fd, struct anpu_shared *what)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct answer ans = { 0 };
	struct iovec iov = { &ans, sizeof(ans) };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *c;

	if (recvmsg(fd, &msg, MSG_CMSG_CLOEXEC) != sizeof(ans))
		return -EPIPE;
	*what = (struct anpu_shared){ .fd = -1,
				      .host = ans.host,
				      .offset = ans.offset,
				      .size = ans.size,
				      .pci_address = ans.pci_address };
	c = CMSG_FIRSTHDR(&msg);
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
		memcpy(&what->fd, CMSG_DATA(c), sizeof(what->fd));
	if (ans.error)
		return -ans.error;
	return what->fd >= 0 ? 0 : -EPIPE;
}

int anpu_share_open(uint64_t number, enum anpu_share_kind kind, struct anpu_shared *what)
{
	struct request req = { .magic = MAGIC, .kind = kind, .number = number };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), err = 0;
	struct sockaddr_un a;
	socklen_t size = address_of(anpu_share_owner(number), &a);

	if (fd < 0)
		return -errno;
	set_patience(fd);
	if (connect(fd, (struct sockaddr *)&a, size))
		err = -ECONNREFUSED;
	else if (send(fd, &req, sizeof(req), MSG_NOSIGNAL) != sizeof(req))
		err = -EPIPE;
	else
		err = receive(fd, what);
	close(fd);
	return err;
}
