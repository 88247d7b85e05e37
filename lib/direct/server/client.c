// SPDX-License-Identifier: MIT
/*
 * A client's connection: its first message, doorbells, wishes for channels, its end. When the process dies,
 * however it does, the kernel closes its sockets, and everything of its open nodes ends here.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "direct.h"
#include "server/server.h"

/* A connection whose first message does not come within this time is closed */
#define HELLO_S	10

int client_ended = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t one_less = PTHREAD_COND_INITIALIZER;
static struct client *clients;
static unsigned int count;

unsigned int client_count(void)
{
	unsigned int n;

	pthread_mutex_lock(&lock);
	n = count;
	pthread_mutex_unlock(&lock);
	return n;
}

/* List locked: has a client other than @but hung up, whose objects have not all been released yet? */
static bool one_is_ending(const struct client *but)
{
	for (const struct client *c = clients; c; c = c->next) {
		struct pollfd fd = { .fd = c->socket, .events = POLLRDHUP };

		if (c != but && c->file >= 0 && poll(&fd, 1, 0) > 0 && fd.revents & (POLLRDHUP | POLLHUP))
			return true;
	}
	return false;
}

void clients_settle(const struct client *but)
{
	pthread_mutex_lock(&lock);
	/* a client that is ending itself does not wait: two such would wait for each other */
	while (!but->ending && one_is_ending(but))
		pthread_cond_wait(&one_less, &lock);
	pthread_mutex_unlock(&lock);
}

static void enlist(struct client *c)
{
	pthread_mutex_lock(&lock);
	c->next = clients;
	if (c->next)
		c->next->prev = c;
	clients = c;
	count++;
	pthread_mutex_unlock(&lock);
}

static void delist(struct client *c)
{
	pthread_mutex_lock(&lock);
	*(c->prev ? &c->prev->next : &clients) = c->next;
	if (c->next)
		c->next->prev = c->prev;
	count--;
	pthread_cond_broadcast(&one_less);
	pthread_mutex_unlock(&lock);
}

/* A client that has no wish takes whatever the server has */
static bool same_wish(const char *name, const char *theirs, char *why)
{
	const char *mine = getenv(name);

	if (!*theirs || !strcmp(theirs, mine ? mine : ""))
		return true;
	copy_text(why, ANPU_TEXT_MAX,
		  "%s is '%.300s' here and '%.300s' for the server that runs: use the same, or another server "
		  "(ANPU_DEVICE=server:SOCKET)", name, theirs, mine ? mine : "");
	return false;
}

/* Checks the first message of a client: 0, or -errno and a sentence */
static int check_hello(const struct anpu_hello *hello, ssize_t size, char *why)
{
	char list[ANPU_TEXT_MAX] = "";
	int n = device_list(list, sizeof(list));

	if (size != sizeof(*hello) || hello->magic != ANPU_HELLO_MAGIC || hello->protocol != ANPU_PROTOCOL ||
	    !memchr(hello->devices, 0, sizeof(hello->devices)) || !memchr(hello->gdb, 0, sizeof(hello->gdb))) {
		copy_text(why, ANPU_TEXT_MAX, "this process and the server are of different versions");
		return -EPROTO;
	}
	if (n < 0) {
		copy_text(why, ANPU_TEXT_MAX, "%s", list);
		return -EINVAL;
	}
	if (!same_wish("ANPU_DIRECT", hello->devices, why) || !same_wish("ANPU_GDB", hello->gdb, why))
		return -EBUSY;
	return hello->node != ANPU_ASK && hello->node >= (unsigned int)n ? -ENOENT : 0;
}

/* The process at the other end of a connection, or 0 */
static uint32_t process_of(int socket)
{
	struct ucred who;
	socklen_t size = sizeof(who);

	return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) ? 0 : who.pid;
}

/* Answers the first message; 0: the client stays */
static int welcome(struct client *c)
{
	struct anpu_hello hello;
	struct anpu_welcome w = { 0 };
	struct iovec in = { &hello, sizeof(hello) }, out = { &w, sizeof(w) };
	struct timeval patience = { .tv_sec = HELLO_S }, forever = { 0 };
	ssize_t size;
	int err, file;

	(void)setsockopt(c->socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	size = anpu_receive(c->socket, &in, 1, NULL);
	(void)setsockopt(c->socket, SOL_SOCKET, SO_RCVTIMEO, &forever, sizeof(forever));
	w.error = check_hello(&hello, size, w.why);
	w.nodes = anpu_direct_engine()->nodes();
	clients_settle(c);
	if (!w.error && hello.node != ANPU_ASK) {
		file = anpu_direct_engine()->open(hello.node);
		w.error = file < 0 ? file : 0;
		shared_owner(file, process_of(c->socket));
		device_names(hello.node, &w.names);
		w.gdb_port = device_gdb_port(hello.node);
		pthread_mutex_lock(&lock);
		c->file = file;
		pthread_mutex_unlock(&lock);
	}
	err = anpu_send(c->socket, &out, 1, c->file < 0 ? -1 : c->file);
	return w.error ? (int)w.error : err;
}

static int answer_channel(struct client *c)
{
	struct anpu_reply reply = { 0 };
	struct iovec out = { &reply, sizeof(reply) };
	int fd = channel_make(c), err;

	reply.result = fd < 0 ? fd : 0;
	err = anpu_send(c->socket, &out, 1, fd < 0 ? -1 : fd);
	if (fd >= 0)
		close(fd);
	return err;
}

/* Serves the connection until the client hangs up or sends an invalid message */
static void listen_to(struct client *c)
{
	struct anpu_note note;
	struct iovec in = { &note, sizeof(note) };

	while (anpu_receive(c->socket, &in, 1, NULL) == sizeof(note) && c->file >= 0) {
		if (note.kind == ANPU_NOTE_BELL)
			shared_doorbell(c->file, note.queue, note.wptr);
		else if (note.kind != ANPU_NOTE_CHANNEL || answer_channel(c))
			return;
	}
}

static void *run(void *arg)
{
	struct client *c = arg;
	uint64_t one = 1;

	if (!welcome(c))
		listen_to(c);
	pthread_mutex_lock(&lock);
	c->ending = true;
	pthread_cond_broadcast(&one_less);
	pthread_mutex_unlock(&lock);
	if (c->file >= 0) {
		shared_hang_up(c->file);
		channels_end(c);
		anpu_direct_engine()->close(c->file);
	}
	delist(c);
	close(c->socket);
	pthread_cond_destroy(&c->none);
	pthread_mutex_destroy(&c->lock);
	free(c);
	(void)!write(client_ended, &one, sizeof(one));
	return NULL;
}

int client_begin(int socket)
{
	struct client *c = calloc(1, sizeof(*c));
	int err;

	if (!c)
		return -ENOMEM;
	*c = (struct client){ .socket = socket, .file = -1 };
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->none, NULL);
	enlist(c);
	err = server_thread(run, c);
	if (!err)
		return 0;
	delist(c);
	free(c);
	return err;
}

__attribute__((constructor)) static void make_ended(void)
{
	client_ended = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}
