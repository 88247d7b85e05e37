// SPDX-License-Identifier: MIT
/* The remote protocol's packets: $TEXT#SUM, acknowledged by + until gdb asks for none. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "stub.h"

#define SEND_SECONDS	10

bool gdb_parse(const char *text, struct gdb_config *config)
{
	unsigned long port;
	char *end;

	*config = (struct gdb_config){ .wait = GDB_WAIT_LAUNCH };
	config->streams = !strcmp(text, "-");
	if (config->streams)
		return true;
	if (!strncmp(text, "fault:", 6)) {
		config->wait = GDB_WAIT_FAULT;
		text += 6;
	} else if (!strncmp(text, "launch:", 7)) {
		text += 7;
	}
	text += *text == ':';
	if (*text < '0' || *text > '9')
		return false;
	port = strtoul(text, &end, 10);
	config->port = (unsigned int)port;
	return !*end && port < 65536;
}

/* Standard output is the connection's: what else is written there goes to standard error */
static bool open_streams(struct gdb_link *l)
{
	l->in = dup(0);
	l->out = dup(1);
	return l->in >= 0 && l->out >= 0 && dup2(2, 1) >= 0;
}

bool link_open(struct gdb_link *l, const struct gdb_config *config, unsigned int *port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)config->port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(at);
	int one = 1;

	l->listener = -1;
	l->in = -1;
	l->out = -1;
	if (config->streams)
		return open_streams(l);
	l->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (l->listener < 0)
		return false;
	(void)setsockopt(l->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(l->listener, (struct sockaddr *)&at, sizeof(at)) || listen(l->listener, 1) ||
	    getsockname(l->listener, (struct sockaddr *)&at, &size)) {
		int err = errno;

		link_end(l);
		errno = err;
		return false;
	}
	*port = ntohs(at.sin_port);
	return true;
}

void link_accept(struct gdb_link *l)
{
	struct timeval limit = { .tv_sec = SEND_SECONDS };

	l->in = accept4(l->listener, NULL, NULL, SOCK_CLOEXEC);
	l->out = l->in;
	l->no_ack = false;
	l->state = LINK_IDLE;
	l->sent_size = 0;
	if (l->in >= 0)
		(void)setsockopt(l->in, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

void link_close(struct gdb_link *l)
{
	if (l->in >= 0)
		close(l->in);
	if (l->out >= 0 && l->out != l->in)
		close(l->out);
	l->in = -1;
	l->out = -1;
}

void link_end(struct gdb_link *l)
{
	link_close(l);
	if (l->listener >= 0)
		close(l->listener);
	l->listener = -1;
}

static void put(struct gdb_link *l, const char *text, size_t size)
{
	while (size && l->out >= 0) {
		ssize_t n = l->in == l->out ? send(l->out, text, size, MSG_NOSIGNAL) : write(l->out, text, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			link_close(l);
			return;
		}
		text += n;
		size -= (size_t)n;
	}
}

static int nibble(int c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : 0;
}

/* A byte between packets */
static enum link_news take_idle(struct gdb_link *l, unsigned char c)
{
	if (c == 3)
		return LINK_INTERRUPT;
	if (c == '-' && !l->no_ack)
		put(l, l->sent, l->sent_size);
	if (c == '$') {
		l->state = LINK_TEXT;
		l->size = 0;
		l->sum = 0;
	}
	return LINK_NOTHING;
}

static enum link_news take_end(struct gdb_link *l, unsigned char c)
{
	bool good;

	l->told |= (unsigned char)nibble(c);
	l->state = LINK_IDLE;
	l->text[l->size] = 0;
	good = l->told == l->sum;
	if (!l->no_ack)
		put(l, good ? "+" : "-", 1);
	if (l->in < 0)
		return LINK_CLOSED;
	return good || l->no_ack ? LINK_PACKET : LINK_NOTHING;
}

enum link_news link_take(struct gdb_link *l)
{
	unsigned char c;
	ssize_t n;

	while ((n = read(l->in, &c, 1)) < 0 && errno == EINTR)
		;
	if (n != 1) {
		link_close(l);
		return LINK_CLOSED;
	}
	switch (l->state) {
	case LINK_IDLE:
		return take_idle(l, c);
	case LINK_TEXT:
		if (c == '#') {
			l->state = LINK_HIGH;
			return LINK_NOTHING;
		}
		l->sum = (unsigned char)(l->sum + c);
		/* what is longer than gdb was told is cut, and answered as a packet that nobody knows */
		if (l->size < GDB_PACKET)
			l->text[l->size++] = (char)c;
		return LINK_NOTHING;
	case LINK_HIGH:
		l->told = (unsigned char)(nibble(c) << 4);
		l->state = LINK_LOW;
		return LINK_NOTHING;
	default:
		return take_end(l, c);
	}
}

void link_send(struct gdb_link *l, const char *text, size_t size)
{
	unsigned char sum = 0;

	if (size + 8 > sizeof(l->sent))
		size = sizeof(l->sent) - 8;
	l->sent[0] = '$';
	memcpy(l->sent + 1, text, size);
	for (size_t i = 0; i < size; i++)
		sum = (unsigned char)(sum + (unsigned char)text[i]);
	l->sent_size = size + 1 + (size_t)snprintf(l->sent + size + 1, 4, "#%02x", sum);
	put(l, l->sent, l->sent_size);
}
