// SPDX-License-Identifier: MIT
/* The stub's thread: a gdb comes, gives commands while blocks stand, lets them go on, and leaves. */
#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "stub.h"

#define BYE_SECONDS	1

/* Replies ---------------------------------------------------------------------------------------- */

void say(struct gdb *g, const char *fmt, ...)
{
	size_t room = sizeof(g->reply) - g->size;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(g->reply + g->size, room, fmt, ap);
	va_end(ap);
	g->size += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

void say_bytes(struct gdb *g, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		say(g, "%02x", ((const uint8_t *)bytes)[i]);
}

void say_part(struct gdb *g, const char *text, size_t size, const char *range)
{
	unsigned long at, n;

	if (sscanf(range, "%lx,%lx", &at, &n) != 2 || at > size) {
		say(g, "E01");
		return;
	}
	if (n > GDB_PACKET)
		n = GDB_PACKET;
	if (n >= size - at)
		say(g, "l%.*s", (int)(size - at), text + at);
	else
		say(g, "m%.*s", (int)n, text + at);
}

bool from_hex(const char *text, size_t n, uint8_t *to)
{
	for (size_t i = 0; i < n; i++) {
		char digits[3] = { text[0], text[0] ? text[1] : 0, 0 };

		if (!isxdigit((unsigned char)digits[0]) || !isxdigit((unsigned char)digits[1]))
			return false;
		to[i] = (uint8_t)strtoul(digits, NULL, 16);
		text += 2;
	}
	return true;
}

bool begins(const char *text, const char *with, const char **rest)
{
	size_t n = strlen(with);

	if (strncmp(text, with, n))
		return false;
	*rest = text + n;
	return true;
}

/* Stops ------------------------------------------------------------------------------------------ */

void say_stop(struct gdb *g)
{
	if (g->at)
		gdb_number(g, g->at);
	say(g, "T%02xthread:%x;", g->signal, g->at ? g->at->number + g->at_thread : IDLE_THREAD);
	if (g->hit)
		say(g, "watch:%llx;", (unsigned long long)g->hit);
	if (g->broke && g->swbreak)
		say(g, "swbreak:;");
	if (g->library)
		say(g, "library:;");
}

/* Lock held: no block is in the core any more. Return: false: the stub ends */
static bool all_out(struct gdb *g)
{
	while (g->inside && !g->ending)
		pthread_cond_wait(&g->changed, &g->lock);
	return !g->ending;
}

/* Lock held; text on gdb's console. It may be sent while blocks run, as gdb sees it */
static void tell_console(struct gdb *g)
{
	if (!*g->why)
		return;
	g->size = 0;
	say(g, "O");
	say_bytes(g, g->why, strlen(g->why));
	link_send(&g->link, g->reply, g->size);
}

/* Tells gdb that blocks have stopped, when all of them have */
static void announce(struct gdb *g)
{
	pthread_mutex_lock(&g->lock);
	if (g->connected && g->announce && all_out(g)) {
		g->announce = false;
		tell_console(g);
		g->size = 0;
		say_stop(g);
		link_send(&g->link, g->reply, g->size);
	}
	pthread_mutex_unlock(&g->lock);
}

/* Lock held: what a gdb that has just come is shown: a block that fails, or else the first one */
static struct gdb_block *most_interesting(struct gdb *g)
{
	struct gdb_block *u = g->blocks;

	while (u && !u->fault)
		u = u->next;
	return u ? u : g->blocks;
}

static void gdb_connected(struct gdb *g)
{
	struct gdb_block *u;

	pthread_mutex_lock(&g->lock);
	u = most_interesting(g);
	g->connected = true;
	g->told = true;
	g->breaks.serial = ++g->serial;
	gdb_stop(g, u, u && u->fault ? gdb_signal(u->fault->cause) : SIG_TRAP, "%s", u && u->fault ? u->fault->message : "");
	/* gdb asks why; without a program it does not ask for files, so it is told of them when it lets blocks go on */
	g->announce = false;
	g->waits = false;
	g->news = g->code != NULL;
	for (u = g->blocks; u; u = u->next)
		u->fresh = false;
	pthread_mutex_unlock(&g->lock);
}

/* Lock held */
static void leave_link(struct gdb *g)
{
	link_close(&g->link);
	/* what gdb wanted of code changes only while no block is in the core */
	g->stopped = true;
	g->announce = false;
	(void)all_out(g);
	gdb_release(g);
}

static void disconnected(struct gdb *g)
{
	pthread_mutex_lock(&g->lock);
	leave_link(g);
	pthread_mutex_unlock(&g->lock);
}

/* Going on --------------------------------------------------------------------------------------- */

/* One action of vCont, "s:3" or "r10,20:3" or "c", from *@at on; false: there is none */
static bool next_action(const char **at, char *what, uint64_t range[2], unsigned int *thread)
{
	unsigned long long from = 0, to = 0;
	char *end;

	if (**at != ';')
		return false;
	*what = (*at)[1];
	if (!*what)
		return false;
	*at += 2;
	if (*what == 'r') {
		from = strtoull(*at, &end, 16);
		to = *end == ',' ? strtoull(end + 1, &end, 16) : 0;
		*at = end;
	}
	while (**at && **at != ':' && **at != ';')
		(*at)++;
	*thread = 0;
	if (**at == ':') {
		*thread = (*at)[1] == '-' ? 0 : (unsigned int)strtoul(*at + 1, &end, 16);
		while (**at && **at != ';')
			(*at)++;
	}
	range[0] = from;
	range[1] = to;
	return true;
}

/* Returns what vCont's actions tell a block to do: the first that is for it. NULL stands for blocks that begin later */
static enum action action_of(const char *text, struct gdb_block *u)
{
	unsigned int thread;
	uint64_t range[2];
	char what;

	while (next_action(&text, &what, range, &thread)) {
		if (thread && (!u || thread - u->number >= u->threads))
			continue;
		if (what == 'c' || what == 'C' || !u)
			return ACT_GO;
		u->step = thread ? thread - u->number : core_block_current(u->b);
		u->from = what == 'r' ? range[0] : 0;
		u->to = what == 'r' ? range[1] : 0;
		return ACT_STEP;
	}
	return ACT_STAND;
}

/* Lock held. vCont's actions, ";s:1;c" or so */
static bool go_on(struct gdb *g, const char *text)
{
	for (struct gdb_block *u = g->blocks; u; u = u->next) {
		u->action = action_of(text, u);
		if (u->fault)
			u->action = ACT_GO;
	}
	g->rest = g->blocks ? action_of(text, NULL) : ACT_GO;
	/* a step of a device without blocks leads to the next one that begins */
	g->next_launch |= !g->blocks && !strchr(text, 'c');
	gdb_resume(g);
	if (g->news) {
		gdb_stop(g, g->blocks, SIG_TRAP, "%s", "");
		g->library = true;
		g->news = false;
	}
	return true;
}

/* Commands --------------------------------------------------------------------------------------- */

static void choose_thread(struct gdb *g, const char *text)
{
	unsigned int thread = 0;

	if (*text == 'g') {
		g->shown = gdb_find(g, (unsigned int)strtoul(text + 1, NULL, 16), &thread);
		g->shown_thread = thread;
	}
	say(g, "OK");
}

static void alive(struct gdb *g, const char *text)
{
	unsigned int n = (unsigned int)strtoul(text, NULL, 16), thread;
	struct gdb_block *u = gdb_find(g, n, &thread);
	struct core_state s;

	if (u ? core_block_thread(u->b, thread, &s) : !g->blocks && n == IDLE_THREAD)
		say(g, "OK");
	else
		say(g, "E01");
}

static bool leave(struct gdb *g, const char *reply)
{
	say(g, "%s", reply);
	link_send(&g->link, g->reply, g->size);
	link_close(&g->link);
	gdb_release(g);
	return true;
}

static bool killed(struct gdb *g)
{
	(void)leave(g, "OK");
	if (g->ops.kill)
		g->ops.kill(g->ctx, g->program ? g->program : g->space);
	else
		g->ops.note(g->ctx, "gdb: its user wants the program to end, which is not in the device's power: it goes on");
	return true;
}

static bool verbose_command(struct gdb *g, const char *text)
{
	const char *rest;

	if (!strcmp(text, "vCont?"))
		say(g, "vCont;c;C;s;S;r");
	else if (begins(text, "vCont", &rest))
		return go_on(g, rest);
	else if (begins(text, "vKill", &rest))
		return killed(g);
	else if (begins(text, "vFile:", &rest))
		gdb_file(g, rest);
	return false;
}

bool gdb_command(struct gdb *g, const char *text)
{
	switch (*text) {
	case '?':
		say_stop(g);
		break;
	case 'g': case 'p': case 'P':
		gdb_registers(g, text);
		break;
	case 'm': case 'M':
		gdb_memory(g, text);
		break;
	case 'Z': case 'z':
		gdb_breaks(g, text);
		break;
	case 'q':
		gdb_question(g, text);
		break;
	case 'c':
		return go_on(g, ";c");
	case 's':
		return go_on(g, ";s");
	case 'H':
		choose_thread(g, text + 1);
		break;
	case 'T':
		alive(g, text + 1);
		break;
	case 'D':
		return leave(g, "OK");
	case 'k':
		return killed(g);
	case 'v':
		return verbose_command(g, text);
	case 'Q':
		if (!strcmp(text, "QStartNoAckMode"))
			say(g, "OK");
		break;
	}
	return false;
}

static void serve_packet(struct gdb *g)
{
	bool no_ack = !strcmp(g->link.text, "QStartNoAckMode");

	pthread_mutex_lock(&g->lock);
	/* gdb says nothing while blocks run but that they are to stop */
	if (g->stopped && all_out(g)) {
		g->size = 0;
		if (!gdb_command(g, g->link.text))
			link_send(&g->link, g->reply, g->size);
		g->link.no_ack |= no_ack;
	}
	pthread_mutex_unlock(&g->lock);
}

static void interrupt(struct gdb *g)
{
	pthread_mutex_lock(&g->lock);
	gdb_stop(g, g->blocks, SIG_INT, "%s", "");
	pthread_mutex_unlock(&g->lock);
}

static void take(struct gdb *g)
{
	switch (link_take(&g->link)) {
	case LINK_PACKET:
		serve_packet(g);
		break;
	case LINK_INTERRUPT:
		interrupt(g);
		break;
	default:
		break;
	}
	if (g->link.in < 0)
		disconnected(g);
}

/* Life ------------------------------------------------------------------------------------------- */

static bool ending(struct gdb *g)
{
	bool is;

	pthread_mutex_lock(&g->lock);
	is = g->ending;
	pthread_mutex_unlock(&g->lock);
	return is;
}

/* gdb waits for a stop, and gets the end */
static void say_end(struct gdb *g, int status)
{
	if (g->link.in < 0 || g->stopped)
		return;
	g->size = 0;
	say(g, "W%02x", status & 0xff);
	link_send(&g->link, g->reply, g->size);
}

/* The program that gdb has, of several, may have ended; nobody here knows with which status */
static void look_over(struct gdb *g)
{
	pthread_mutex_lock(&g->lock);
	gdb_look_gone(g);
	if (g->over && g->link.in >= 0) {
		say_end(g, 0);
		leave_link(g);
	}
	g->over = false;
	pthread_mutex_unlock(&g->lock);
}

static void *serve(void *arg)
{
	struct gdb *g = arg;
	uint64_t news;

	if (g->config.streams)
		gdb_connected(g);
	while (!ending(g)) {
		bool there = g->link.in >= 0;
		struct pollfd fds[] = { { .fd = g->wake, .events = POLLIN },
					{ .fd = there ? g->link.in : g->link.listener, .events = POLLIN } };

		if (poll(fds, 2, -1) < 0)
			continue;
		if (fds[0].revents) {
			(void)!read(g->wake, &news, sizeof(news));
			announce(g);
			look_over(g);
			/* the connection that was looked at may not be there any more */
			if (there && g->link.in < 0)
				continue;
		}
		if (!fds[1].revents)
			continue;
		if (there) {
			take(g);
			continue;
		}
		link_accept(&g->link);
		if (g->link.in >= 0)
			gdb_connected(g);
	}
	return NULL;
}

/* Signals of the program are for its own threads */
static bool start(struct gdb *g)
{
	sigset_t all, old;
	bool ok;

	sigfillset(&all);
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	ok = !pthread_create(&g->thread, NULL, serve, g);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (ok)
		pthread_setname_np(g->thread, "anpu-gdb");
	return ok;
}

struct gdb *gdb_new(const struct gdb_config *config, const struct gdb_ops *ops, void *ctx, char *err, size_t size)
{
	struct gdb *g = calloc(1, sizeof(*g));

	if (!g) {
		snprintf(err, size, "no memory");
		return NULL;
	}
	g->config = *config;
	g->ops = *ops;
	g->ctx = ctx;
	g->waits = config->wait == GDB_WAIT_LAUNCH;
	g->next_number = config->offset ? IDLE_THREAD : IDLE_THREAD + 1;
	pthread_mutex_init(&g->lock, NULL);
	pthread_cond_init(&g->changed, NULL);
	g->wake = eventfd(0, EFD_CLOEXEC);
	if (g->wake >= 0 && link_open(&g->link, config, &g->config.port) && start(g))
		return g;
	snprintf(err, size, "%s", strerror(errno));
	link_end(&g->link);
	if (g->wake >= 0)
		close(g->wake);
	free(g);
	return NULL;
}

unsigned int gdb_port(const struct gdb *g)
{
	return g->config.port;
}

void gdb_end(struct gdb *g)
{
	if (!g || g->ended)
		return;
	pthread_mutex_lock(&g->lock);
	g->ending = true;
	pthread_cond_broadcast(&g->changed);
	gdb_wake(g);
	pthread_mutex_unlock(&g->lock);
	pthread_join(g->thread, NULL);
	g->ended = true;
}

void gdb_free(struct gdb *g, int status)
{
	if (!g)
		return;
	gdb_end(g);
	say_end(g, status);
	link_end(&g->link);
	close(g->wake);
	while (g->code) {
		struct gdb_code *next = g->code->next;

		free(g->code->image);
		free(g->code);
		g->code = next;
	}
	pthread_mutex_destroy(&g->lock);
	pthread_cond_destroy(&g->changed);
	free(g);
}

void gdb_bye(struct gdb *g, int status)
{
	struct timespec until;

	/* a thread of the program may have the lock, and never let go of it */
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += BYE_SECONDS;
	if (pthread_mutex_timedlock(&g->lock, &until))
		return;
	say_end(g, status);
	pthread_mutex_unlock(&g->lock);
}

void gdb_forked(struct gdb *g)
{
	link_end(&g->link);
	close(g->wake);
}
