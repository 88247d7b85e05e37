// SPDX-License-Identifier: MIT
/* The remote protocol's packets: $TEXT#SUM, acknowledged by + until gdb asks for none. */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "op/gdb/gdb.h"

/* Standard output is the connection's: what else is written there goes to standard error */
static bool open_streams(struct gdb_link *l)
{
	l->in = dup(0);
	l->out = dup(1);
	return l->in >= 0 && l->out >= 0 && dup2(2, 1) >= 0;
}

static bool open_port(struct gdb_link *l, unsigned int port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(at);
	int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

	if (s < 0)
		return false;
	(void)setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(s, (struct sockaddr *)&at, sizeof(at)) || listen(s, 1) ||
	    getsockname(s, (struct sockaddr *)&at, &size)) {
		close(s);
		return false;
	}
	fprintf(stderr, "anpu-op: waiting for gdb-multiarch: target remote :%u\n", ntohs(at.sin_port));
	l->in = accept4(s, NULL, NULL, SOCK_CLOEXEC);
	l->out = l->in;
	close(s);
	return l->in >= 0;
}

bool gdb_link_open(struct gdb_link *l, const char *where)
{
	char *end;
	unsigned long port = strtoul(where, &end, 10);

	*l = (struct gdb_link){ .in = -1, .out = -1 };
	if (!strcmp(where, "-") ? open_streams(l) : !*end && port < 65536 && open_port(l, (unsigned int)port))
		return true;
	fprintf(stderr, "anpu-op: --gdb=%s: give a port, or - for standard input and output: %s\n", where, strerror(errno));
	return false;
}

void gdb_link_close(struct gdb_link *l)
{
	close(l->in);
	if (l->out != l->in)
		close(l->out);
}

static int take(struct gdb_link *l)
{
	unsigned char c;
	ssize_t n;

	while ((n = read(l->in, &c, 1)) < 0 && errno == EINTR)
		;
	if (n == 1)
		return c;
	l->closed = true;
	return -1;
}

static void put(struct gdb_link *l, const char *text, size_t size)
{
	while (size) {
		ssize_t n = l->in == l->out ? send(l->out, text, size, MSG_NOSIGNAL) : write(l->out, text, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			l->closed = true;
			return;
		}
		text += n;
		size -= (size_t)n;
	}
}

static int nibble(int c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool gdb_receive(struct gdb_link *l)
{
	for (;;) {
		unsigned char sum = 0;
		int c = take(l);

		if (c == 3) {
			strcpy(l->text, "\3");
			l->size = 1;
			return true;
		}
		if (c < 0)
			return false;
		if (c != '$')
			continue;
		for (l->size = 0; (c = take(l)) >= 0 && c != '#';) {
			sum = (unsigned char)(sum + c);
			if (l->size < sizeof(l->text) - 1)
				l->text[l->size++] = (char)c;
		}
		l->text[l->size] = 0;
		c = nibble(take(l)) * 16;
		c += nibble(take(l));
		if (l->closed)
			return false;
		if (!l->no_ack)
			put(l, c == sum ? "+" : "-", 1);
		if (l->no_ack || c == sum)
			return true;
	}
}

void gdb_send(struct gdb_link *l, const char *text, size_t size)
{
	unsigned char sum = 0;
	char end[4];
	int c;

	for (size_t i = 0; i < size; i++)
		sum = (unsigned char)(sum + (unsigned char)text[i]);
	snprintf(end, sizeof(end), "#%02x", sum);
	do {
		put(l, "$", 1);
		put(l, text, size);
		put(l, end, 3);
		if (l->no_ack || l->closed)
			return;
		while ((c = take(l)) >= 0 && c != '+' && c != '-')
			;
	} while (c == '-');
}

bool gdb_interrupted(struct gdb_link *l)
{
	struct pollfd fd = { .fd = l->in, .events = POLLIN };

	/* while the operator runs, gdb sends nothing else */
	return poll(&fd, 1, 0) > 0 && take(l) == 3;
}
