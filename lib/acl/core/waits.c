// SPDX-License-Identifier: MIT
/*
 * The table of waits.h. It has no pointers into stacks: a thread that is cancelled while it sleeps leaves its row behind, which
 * is seen by its number being no thread's any more.
 */
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/core.h"
#include "core/waits.h"

/* More threads than this may sleep; the rest is not told */
#define ROWS 256

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct anpu_waiting rows[ROWS];
static unsigned int next;

static bool is_thread(int32_t tid)
{
	return !syscall(SYS_tgkill, getpid(), tid, 0) || errno != ESRCH;
}

/* Lock held: a row that is free, or becomes so because its thread has ended; ROWS: none */
static unsigned int free_row(void)
{
	for (unsigned int i = 0; i < ROWS; i++) {
		unsigned int at = (next + i) % ROWS;

		if (!rows[at].tid || (i + 1 == ROWS && !is_thread(rows[at].tid))) {
			next = at + 1;
			return at;
		}
	}
	return ROWS;
}

static unsigned int note(struct anpu_waiting *w)
{
	unsigned int at;

	w->tid = (int32_t)syscall(SYS_gettid);
	w->since = (int64_t)anpu_trace_now();
	anpu_site_here(&w->site);
	pthread_mutex_lock(&lock);
	at = free_row();
	if (at < ROWS)
		rows[at] = *w;
	pthread_mutex_unlock(&lock);
	return at;
}

unsigned int anpu_wait_begins(enum anpu_wait_kind kind, int32_t device, int64_t number, uint64_t seq)
{
	struct anpu_waiting w = { .kind = kind, .device = device, .number = number, .seq = seq };

	return note(&w);
}

unsigned int anpu_front_wait_begins(const char *what)
{
	ACL_UNCANCELLED();
	struct anpu_waiting w = { .kind = ANPU_WAITS_FOR_FRONT, .device = -1, .what = what };

	return note(&w);
}

void anpu_front_wait_over(unsigned int place)
{
	anpu_wait_over(place);
}

void anpu_wait_over(unsigned int place)
{
	if (place >= ROWS)
		return;
	pthread_mutex_lock(&lock);
	rows[place].tid = 0;
	pthread_mutex_unlock(&lock);
}

size_t anpu_waits_list(struct anpu_waiting *list, size_t max)
{
	size_t n = 0;

	pthread_mutex_lock(&lock);
	for (unsigned int i = 0; i < ROWS; i++) {
		if (rows[i].tid && !is_thread(rows[i].tid))
			rows[i].tid = 0;
		if (rows[i].tid && n < max)
			list[n++] = rows[i];
	}
	pthread_mutex_unlock(&lock);
	return n;
}
