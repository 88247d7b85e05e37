// SPDX-License-Identifier: MIT
/*
 * libFuzzer target: what libhccl hears from others before it knows them. The first byte says whether the rest is a rank
 * table, or a script of connections to the root of a communicator and of what comes over them.
 */
#include "fuzz.h"

#include <poll.h>

/* The root does not wait here for what will not come */
#define poll(p, n, ms) poll(p, n, 0)
#include "../../lib/hccl/net/serve.c"
#undef poll

#include <sys/eventfd.h>

/* In place of the library around serve.c and ranktable.c */
HcclResult hccl_fail(HcclResult code, const char *fmt, ...)
{
	char text[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return code;
}

int hccl_connect_seconds(void)
{
	return 3600;
}

unsigned int meet_sockaddr(const struct hccl_address *a, void *addr)
{
	(void)a;
	(void)addr;
	return 0;
}

HcclResult hccl_whitelist_check(void)
{
	return HCCL_SUCCESS;
}

bool hccl_whitelist_allows(int fd, char why[HCCL_TEXT])
{
	snprintf(why, HCCL_TEXT, "not in the list");
	return fd >= 0;
}

/* Names of the table are not asked for anywhere */
bool hccl_net_lookup(const char *name, char ip[HCCL_IP])
{
	snprintf(ip, HCCL_IP, "%s", name);
	return strlen(name) < HCCL_IP;
}

int hccl_net_accept(int listener)
{
	(void)listener;
	return -1;
}

int hccl_net_listen(const char *ip, uint16_t *port)
{
	(void)ip;
	(void)port;
	return -1;
}

HcclResult hccl_net_listen_free(const char *ip, uint16_t *port, int *fd)
{
	*fd = hccl_net_listen(ip, port);
	return HCCL_SUCCESS;
}

static void read_table(struct input *in)
{
	struct hccl_table table;
	uint32_t rank = (uint32_t)take(in, 1) % 4;
	char *text = malloc(in->left ? in->left : 1);
	HcclResult ret;

	if (!text)
		return;
	memcpy(text, in->p, in->left);
	ret = hccl_table_read(text, in->left, "table", rank, &table);
	if (!ret) {
		require(table.ranks > rank && table.ranks <= HCCL_MAX_RANKS, "%u ranks", table.ranks);
		require(table.device >= 0, "device %d", table.device);
		require(memchr(table.ip, 0, sizeof(table.ip)), "an address without end");
	}
	free(text);
}

enum { LINES = 12 };

static const uint8_t job[16] = "the job's number";

/* A whole message, right but for what the input says */
static void say_message(struct input *in, int fd)
{
	struct meet_message m = { .magic = MEET_MAGIC, .version = MEET_VERSION, .kind = MEET_HELLO, .ranks = 3, .shared = 4096,
				  .pid = getpid() };
	uint8_t wrong = (uint8_t)take(in, 1);

	memcpy(m.job, job, sizeof(m.job));
	m.rank = (uint32_t)take(in, 1) % 4;
	m.kind = wrong & 1 ? (uint32_t)take(in, 1) % 8 : MEET_HELLO;
	m.size = wrong & 2 ? (uint32_t)take(in, 4) : 64;
	m.ranks = wrong & 4 ? (uint32_t)take(in, 2) : 3;
	m.shared = wrong & 8 ? take(in, 8) : 4096;
	if (wrong & 16)
		m.job[take(in, 1) % 16] ^= 1;
	if (wrong & 32)
		m.version = (uint32_t)take(in, 1);
	if (wrong & 64)
		m.pid = (int64_t)take(in, 8);
	for (unsigned int i = 0; wrong & 128 && i < 8; i++)
		m.data[i * 50] = (char)take(in, 1);
	(void)!send(fd, &m, sizeof(m), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void say_noise(struct input *in, int fd)
{
	size_t n = take(in, 1) % 96;
	const uint8_t *at = in->p;

	n = n < in->left ? n : in->left;
	(void)!send(fd, at, n, MSG_NOSIGNAL | MSG_DONTWAIT);
	in->p += n;
	in->left -= n;
}

static int connect_one(struct server *s, bool stream)
{
	int fd[2];

	if (s->listener < 0 || s->waiting == ARRAY_SIZE(s->lobby) ||
	    socketpair(AF_UNIX, (stream ? SOCK_STREAM : SOCK_SEQPACKET) | SOCK_CLOEXEC, 0, fd))
		return -1;
	s->lobby[s->waiting++] = (struct line){ .fd = fd[0], .stream = stream, .since = hccl_now_ms() };
	return fd[1];
}

static void check_server(const struct server *s)
{
	uint32_t here = 0;

	require(s->waiting <= ARRAY_SIZE(s->lobby), "%u in the lobby", s->waiting);
	require(s->ranks <= HCCL_MAX_RANKS, "%u ranks", s->ranks);
	for (uint32_t i = 0; i < s->ranks; i++) {
		here += s->guests[i].fd >= 0;
		require(s->guests[i].size <= MEET_DATA, "%u bytes of an exchange", s->guests[i].size);
	}
	require(here == s->here, "%u ranks are here and %u are counted", here, s->here);
}

static void step(struct server *s, struct input *in, int *lines, struct pollfd *p)
{
	unsigned int what = (unsigned int)take(in, 1), i = what / 8 % LINES;
	char room[8192];

	if (lines[i] < 0) {
		lines[i] = connect_one(s, what & 1);
	} else if (what % 8 == 0) {
		close(lines[i]);
		lines[i] = -1;
	} else if (what % 8 < 3) {
		say_noise(in, lines[i]);
	} else {
		say_message(in, lines[i]);
	}
	if (s->listener >= 0 || s->here)
		serve_once(s, p);
	check_server(s);
	for (i = 0; i < LINES; i++)
		while (lines[i] >= 0 && recv(lines[i], room, sizeof(room), MSG_DONTWAIT) > 0)
			;
}

static void run_root(struct input *in)
{
	struct server *s = calloc(1, sizeof(*s));
	struct pollfd *p = calloc(HCCL_MAX_RANKS + ARRAY_SIZE(s->lobby) + 2, sizeof(*p));
	int lines[LINES];

	if (!s || !p)
		abort();
	memcpy(s->addr.job, job, sizeof(job));
	s->tcp = -1;
	s->listener = eventfd(0, EFD_CLOEXEC);
	for (int i = 0; i < LINES; i++)
		lines[i] = -1;
	while (in->left)
		step(s, in, lines, p);
	close_listeners(s);
	for (uint32_t i = 0; i < s->waiting; i++)
		close(s->lobby[i].fd);
	for (uint32_t i = 0; i < s->ranks; i++)
		if (s->guests[i].fd >= 0)
			close(s->guests[i].fd);
	for (int i = 0; i < LINES; i++)
		if (lines[i] >= 0)
			close(lines[i]);
	free(s->guests);
	free(s);
	free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };

	if (take(&in, 1) & 1)
		read_table(&in);
	else
		run_root(&in);
	return 0;
}
