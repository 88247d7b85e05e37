// SPDX-License-Identifier: MIT
/*
 * Reports of hangs: which stream is where, what it waits for and who would have to do that; streams that wait
 * for each other in a circle. A wait that times out has the report in its sentence. With ANPU_HANG_SIGNAL in
 * the environment the program writes it to standard error when that signal comes.
 */
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diag/diag.h"

struct group {
	struct anpu_stream **list;
	size_t n;
};

/* The reason why a stream does not go on: the task at its head, and the other stream's task that would let it go on */
struct stop {
	struct anpu_task task;
	struct anpu_stream *on; /* whose task that is, or NULL */
	struct anpu_task signal;
};

static bool idle(const struct anpu_stream *s)
{
	return anpu_stream_reached(s, atomic_load(&s->last_seq));
}

/* A task that has not run and stores what is waited for */
static bool find_signal(const struct group *g, const struct anpu_task *wait, struct stop *stop)
{
	struct anpu_task t;
	size_t i;

	for (i = 0; i < g->n; i++) {
		struct anpu_stream *s = g->list[i];
		uint64_t seq = anpu_stream_completed(s) + 1, last = atomic_load(&s->last_seq);

		for (; seq <= last; seq++) {
			if (!anpu_task_find(s, seq, &t) || t.opcode != ANPU_OP_SEM_SIGNAL ||
			    t.args != wait->args || t.entry < wait->entry)
				continue;
			stop->on = s;
			stop->signal = t;
			return true;
		}
	}
	return false;
}

static bool look(const struct group *g, struct anpu_stream *s, struct stop *stop)
{
	*stop = (struct stop){ .on = NULL };
	if (idle(s) || !anpu_task_find(s, anpu_stream_completed(s) + 1, &stop->task))
		return false;
	if (stop->task.opcode == ANPU_OP_SEM_WAIT)
		(void)find_signal(g, &stop->task, stop);
	return true;
}

static void add_wait(struct anpu_text *t, struct anpu_stream *s, const struct stop *stop)
{
	char what[300], where[500];

	if (anpu_sync_text(s->obj.dev, s, stop->task.args, stop->task.entry, what, sizeof(what)))
		anpu_text_add(t, "waits for %s", what);
	else
		anpu_text_add(t, "waits for the value %llu at %#llx", (unsigned long long)stop->task.entry,
		    (unsigned long long)stop->task.args);
	if (!stop->on)
		return;
	anpu_site_text(&stop->signal.site, where, sizeof(where));
	anpu_text_add(t, "; its record is task %llu of stream %d, queued by %s", (unsigned long long)stop->signal.seq,
	    stop->on->number, where);
}

static void add_stream(struct anpu_text *t, const struct group *g, struct anpu_stream *s)
{
	uint64_t done = anpu_stream_completed(s), last = atomic_load(&s->last_seq);
	struct stop stop;
	char name[128], where[500];

	anpu_text_add(t, "stream %d: %llu of %llu tasks have run", s->number, (unsigned long long)done,
	    (unsigned long long)last);
	if (anpu_stream_halted(s)) {
		anpu_text_add(t, "; it has stopped after a failure, until aclrtStreamAbort() or aclrtDestroyStream()");
		return;
	}
	if (!look(g, s, &stop))
		return;
	anpu_site_text(&stop.task.site, where, sizeof(where));
	anpu_text_add(t, "; the next, queued by %s, ", where);
	if (stop.task.opcode == ANPU_OP_SEM_WAIT) {
		add_wait(t, s, &stop);
	} else if (stop.task.opcode == ANPU_OP_KERNEL) {
		anpu_symbolise(s->obj.dev, stop.task.entry, name, sizeof(name), true);
		anpu_text_add(t, "runs kernel '%s'", *name ? name : "?");
	} else {
		anpu_text_add(t, "is running, or is about to");
	}
}

/* Follows who waits for whom from @s on; a stream that comes again closes a circle */
static void add_circle(struct anpu_text *t, const struct group *g, struct anpu_stream *s)
{
	struct anpu_stream *path[16];
	struct stop stop;
	size_t n = 0, i;

	while (s && n < ARRAY_SIZE(path)) {
		for (i = 0; i < n && path[i] != s; i++)
			;
		if (i < n)
			break;
		path[n++] = s;
		s = look(g, s, &stop) ? stop.on : NULL;
	}
	if (!s || n == ARRAY_SIZE(path))
		return;
	anpu_text_add(t, "; this is a circle: stream %d", path[i]->number);
	for (i++; i < n; i++)
		anpu_text_add(t, " waits for stream %d, which", path[i]->number);
	anpu_text_add(t, " waits for stream %d, and none of them can go on", s->number);
}

void anpu_hang_text(struct anpu_stream *s, char *buf, size_t size)
{
	struct anpu_text t = { .buf = buf, .size = size };
	struct group g = { .n = 0 };
	struct anpu_stream *at = s;
	struct stop stop;
	unsigned int hops;
	size_t i;

	*buf = 0;
	g.list = anpu_stream_list(s->obj.dev, &g.n);
	if (!g.list)
		return;
	/* this stream, and those that it waits for, one after the other */
	for (hops = 0; at && hops < 4 && !idle(at); hops++) {
		anpu_text_add(&t, "; ");
		add_stream(&t, &g, at);
		at = look(&g, at, &stop) && stop.on != s && stop.on != at ? stop.on : NULL;
	}
	add_circle(&t, &g, s);
	for (i = 0; i < g.n; i++)
		anpu_stream_put(g.list[i]);
	free(g.list);
}

/* By signal ------------------------------------------------------------------------------------------ */

static sem_t asked;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void report_device(struct anpu_device *dev)
{
	struct group g = { .n = 0 };
	unsigned int busy = 0;
	char line[3000];
	size_t i;

	g.list = anpu_stream_list(dev, &g.n);
	for (i = 0; g.list && i < g.n; i++) {
		struct anpu_text t = { .buf = line, .size = sizeof(line) };

		if (!idle(g.list[i])) {
			add_stream(&t, &g, g.list[i]);
			add_circle(&t, &g, g.list[i]);
			fprintf(stderr, "anpu: device %d: %s\n", dev->id, line);
			busy++;
		}
	}
	if (!busy)
		fprintf(stderr, "anpu: device %d: all of its %zu streams are idle\n", dev->id, g.n);
	for (i = 0; g.list && i < g.n; i++)
		anpu_stream_put(g.list[i]);
	free(g.list);
}

static void *report(void *arg)
{
	int id;

	for (;;) {
		while (sem_wait(&asked))
			;
		fprintf(stderr, "anpu: report of process %d, on request by a signal\n", getpid());
		for (id = 0; id < ANPU_MAX_DEVICES; id++) {
			struct anpu_device *dev = anpu_device_find(id);

			if (!dev)
				continue;
			report_device(dev);
			anpu_device_put(dev);
		}
		fprintf(stderr, "anpu: end of the report\n");
	}
	return arg;
}

static void on_signal(int number)
{
	(void)number;
	(void)sem_post(&asked);
}

/* "QUIT", "SIGQUIT" or a number; 0 if it is none */
static int signal_of(const char *text)
{
	/* not every C library has sigabbrev_np() */
	static const struct { const char *name; int number; } known[] = {
		{ "HUP", SIGHUP }, { "INT", SIGINT }, { "QUIT", SIGQUIT }, { "ILL", SIGILL }, { "TRAP", SIGTRAP },
		{ "ABRT", SIGABRT }, { "BUS", SIGBUS }, { "FPE", SIGFPE }, { "KILL", SIGKILL }, { "USR1", SIGUSR1 },
		{ "SEGV", SIGSEGV }, { "USR2", SIGUSR2 }, { "PIPE", SIGPIPE }, { "ALRM", SIGALRM }, { "TERM", SIGTERM },
		{ "CHLD", SIGCHLD }, { "CONT", SIGCONT }, { "STOP", SIGSTOP }, { "TSTP", SIGTSTP }, { "TTIN", SIGTTIN },
		{ "TTOU", SIGTTOU }, { "URG", SIGURG }, { "XCPU", SIGXCPU }, { "XFSZ", SIGXFSZ }, { "PROF", SIGPROF },
		{ "VTALRM", SIGVTALRM }, { "WINCH", SIGWINCH }, { "IO", SIGIO }, { "POLL", SIGIO }, { "PWR", SIGPWR },
		{ "SYS", SIGSYS },
	};
	int number = atoi(text);

	if (!strncmp(text, "SIG", 3))
		text += 3;
	for (unsigned int i = 0; i < ARRAY_SIZE(known) && !number; i++)
		if (!strcmp(known[i].name, text))
			number = known[i].number;
	return number > 0 && number < NSIG ? number : 0;
}

static void start(void)
{
	const char *env = getenv("ANPU_HANG_SIGNAL");
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	sigset_t all, old;
	pthread_t thread;
	int number, err;

	if (!env || !*env)
		return;
	number = signal_of(env);
	if (!number) {
		fprintf(stderr, "anpu: ANPU_HANG_SIGNAL is '%s' and must be a signal's name or number, as QUIT: "
				"it is ignored\n", env);
		return;
	}
	sigfillset(&all);
	sem_init(&asked, 0, 0);
	/* signals of the program are for its own threads */
	pthread_sigmask(SIG_BLOCK, &all, &old);
	err = pthread_create(&thread, NULL, report, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (err || sigaction(number, &sa, NULL))
		fprintf(stderr, "anpu: ANPU_HANG_SIGNAL: no report can be made: %s\n",
			strerror(err ? err : errno));
	else
		pthread_detach(thread);
}

aclError anpu_hang_watch(struct anpu_device *dev)
{
	(void)dev;
	pthread_once(&once, start);
	return ACL_SUCCESS;
}
