// SPDX-License-Identifier: MIT
/*
 * The timeline's memory. Each thread adds to a chunk of its own without a lock; chunks are in one list, which is
 * written to the file when the recording ends, or when there are so many that memory would run short.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "core/core.h"
#include "core/front.h"

#define EVENTS	   1000 /* of a chunk */
#define CHUNKS_MAX 4096 /* some 400 MB: then full ones are written while the program runs */
#define DEPTH	   8	/* calls of the API inside of each other */
#define NAMES	   1024
/*
 * Saves behind waits cost time. The first ones are free, so that a short program loses nothing. Then saves may take one part in
 * SAVES_SHARE of the time; of time without saves no more than CREDIT_NS is kept, or else a loop of launches and waits would
 * spend on formatting at once what a long pause has left.
 */
#define SAVES_FREE  16
#define SAVES_SHARE 50
#define CREDIT_NS   1000000

struct chunk {
	struct chunk *next;
	atomic_uint used;
	atomic_bool full; /* its thread has taken another one, or has ended */
	unsigned int written; /* that are in the file; under the lock */
	struct anpu_traced e[EVENTS];
};

struct name {
	struct name *next;
	char text[];
};

struct call {
	uint64_t begin;
	const char *api;
};

/* A thread's part of the timeline. It is freed with the thread; its chunk belongs to the list. */
struct thread {
	struct chunk *chunk;
	uint64_t turn; /* of the recording that the chunk belongs to */
	uint32_t id;
	bool waited; /* the call that runs has waited for a stream */
	bool saves;  /* and nothing was left in that */
	unsigned int depth;
	struct call call[DEPTH];
	bool queued; /* the call that runs has queued @submit, which goes into the call's own record */
	struct anpu_traced submit;
};

_Bool anpu_trace_on;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* the list of chunks and the file; nests inside of all others */
static struct chunk *chunks;
static struct chunk *retired; /* of the last recording: a thread may just be adding to one */
static unsigned int chunk_count;
static _Atomic uint64_t turn = 1, lost;
static atomic_uint saves; /* behind waits, up to SAVES_FREE */
static _Atomic int64_t credit; /* processor time in ns that they may take; below 0 when the last one took more */
static _Atomic uint64_t credited; /* until when @credit has its share of the time */
static FILE *file;
static atomic_bool prepared;
static pid_t owner;

static pthread_mutex_t name_lock = PTHREAD_MUTEX_INITIALIZER;
static struct name *names[NAMES];

static pthread_once_t key_once = PTHREAD_ONCE_INIT, fork_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static __thread struct thread *mine;

uint64_t anpu_trace_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

const char *anpu_trace_text(const char *text)
{
	struct name *n;
	uint32_t hash = 0;
	const char *c;

	for (c = text; *c; c++)
		hash = hash * 31 + (unsigned char)*c;
	pthread_mutex_lock(&name_lock);
	for (n = names[hash % NAMES]; n && strcmp(n->text, text); n = n->next)
		;
	if (!n) {
		n = malloc(sizeof(*n) + strlen(text) + 1);
		if (n) {
			strcpy(n->text, text);
			n->next = names[hash % NAMES];
			names[hash % NAMES] = n;
		}
	}
	pthread_mutex_unlock(&name_lock);
	return n ? n->text : NULL;
}

/* Threads ----------------------------------------------------------------------------------------- */

static void thread_ends(void *data)
{
	struct thread *t = data;

	mine = NULL;
	if (t->chunk && t->turn == atomic_load(&turn))
		atomic_store(&t->chunk->full, true);
	free(t);
}

static void make_key(void)
{
	/* without a key what a thread has is not freed when it ends; nothing else is lost */
	(void)pthread_key_create(&key, thread_ends);
}

static struct thread *thread_of(void)
{
	if (mine)
		return mine;
	mine = calloc(1, sizeof(*mine));
	if (!mine)
		return NULL;
	mine->id = (uint32_t)gettid();
	if (!pthread_once(&key_once, make_key))
		(void)pthread_setspecific(key, mine);
	return mine;
}

uint32_t anpu_trace_thread(void)
{
	struct thread *t = thread_of();

	return t ? t->id : 0;
}

static void free_list(struct chunk *c)
{
	struct chunk *next;

	for (; c; c = next) {
		next = c->next;
		munmap(c, sizeof(*c));
	}
}

/* Lock held: its thread may be adding to it */
static void write_chunk(struct chunk *c)
{
	unsigned int n = atomic_load_explicit(&c->used, memory_order_acquire);

	for (; c->written < n; c->written++)
		anpu_trace_file_add(file, &c->e[c->written]);
}

/* Lock held: writes chunks that no thread adds to any more */
static void write_full(void)
{
	ACL_UNCANCELLED();
	struct chunk **at = &chunks, *c;

	while ((c = *at)) {
		if (!atomic_load(&c->full)) {
			at = &c->next;
			continue;
		}
		write_chunk(c);
		*at = c->next;
		chunk_count--;
		munmap(c, sizeof(*c));
	}
	/* a child of fork() must not have anything of it left to write */
	fflush(file);
}

/* Lock held: the recording is off */
static void write_all(void)
{
	struct chunk *c;

	for (c = chunks; c; c = c->next)
		write_chunk(c);
	free_list(retired);
	retired = chunks;
	chunks = NULL;
	chunk_count = 0;
}

static bool new_chunk(struct thread *t)
{
	/* populated at once: 22 page faults, one by one, would cost the calls that are recorded more */
	struct chunk *c = mmap(NULL, sizeof(*c), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (c == MAP_FAILED)
		return false;
	atomic_init(&c->used, 0);
	atomic_init(&c->full, false);
	c->written = 0;
	pthread_mutex_lock(&lock);
	if (!anpu_trace_on) {
		pthread_mutex_unlock(&lock);
		munmap(c, sizeof(*c));
		return false;
	}
	if (t->chunk && t->turn == atomic_load(&turn))
		atomic_store(&t->chunk->full, true);
	if (chunk_count >= CHUNKS_MAX)
		write_full();
	c->next = chunks;
	chunks = c;
	chunk_count++;
	t->chunk = c;
	t->turn = atomic_load(&turn);
	pthread_mutex_unlock(&lock);
	return true;
}

void anpu_trace_lose(uint64_t n)
{
	atomic_fetch_add(&lost, n);
}

void anpu_trace_add(const struct anpu_traced *e)
{
	struct thread *t = thread_of();
	struct chunk *c;
	unsigned int n;

	if (!t || !anpu_traces())
		return;
	c = t->turn == atomic_load_explicit(&turn, memory_order_relaxed) ? t->chunk : NULL;
	if (!c || atomic_load_explicit(&c->used, memory_order_relaxed) == EVENTS) {
		if (!new_chunk(t)) {
			atomic_fetch_add(&lost, 1);
			return;
		}
		c = t->chunk;
	}
	n = atomic_load_explicit(&c->used, memory_order_relaxed);
	c->e[n] = *e;
	atomic_store_explicit(&c->used, n + 1, memory_order_release);
}

/* Calls of the API -------------------------------------------------------------------------------- */

void anpu_trace_enter(const char *api)
{
	struct thread *t = thread_of();
	const char *front = acl_front_api();

	if (t && t->depth++ < DEPTH)
		t->call[t->depth - 1] = (struct call){ anpu_trace_now(), front ? front : api };
}

uint64_t anpu_trace_submitted(void)
{
	const struct thread *t = mine;

	if (!t || !t->depth || t->depth > DEPTH || t->waited)
		return anpu_trace_now();
	return t->call[t->depth - 1].begin;
}

void anpu_trace_submit(const struct anpu_traced *e)
{
	struct thread *t = mine;

	if (!t || !t->depth || t->depth > DEPTH || t->queued) {
		anpu_trace_add(e);
		return;
	}
	t->queued = true;
	t->submit = *e;
}

void anpu_trace_waited(bool empty)
{
	if (!mine)
		return;
	mine->waited = true;
	mine->saves |= empty;
}

static int64_t processor_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool may_save(uint64_t now)
{
	uint64_t since = atomic_exchange(&credited, now);
	int64_t left = atomic_load(&credit);

	if (now > since)
		left += (int64_t)((now - since) / SAVES_SHARE);
	atomic_store(&credit, left < CREDIT_NS ? left : CREDIT_NS);
	if (atomic_load(&saves) < SAVES_FREE) {
		atomic_fetch_add(&saves, 1);
		return true;
	}
	return left > 0;
}

/* The program may leave by _exit() now, or be killed */
static void save_now_and_then(uint64_t now)
{
	int64_t start;

	if (!may_save(now))
		return;
	start = processor_ns();
	anpu_trace_save();
	atomic_fetch_sub(&credit, processor_ns() - start);
}

void anpu_trace_leave(void)
{
	struct thread *t = mine;
	struct anpu_traced e = { .what = ANPU_TRACED_CALL };
	struct call *c;

	/* without memory for the thread's part there is nothing */
	if (!t || !t->depth || t->depth-- > DEPTH)
		return;
	c = &t->call[t->depth];
	e.begin = c->begin;
	e.end = anpu_trace_now();
	e.name = c->api;
	e.thread = t->id;
	if (t->queued) {
		e.submitted = t->submit.begin;
		e.a = t->submit.a;
		e.b = t->submit.b;
		e.track = t->submit.track;
		e.device = t->submit.device;
		t->queued = false;
	}
	anpu_trace_add(&e);
	if (!t->waited || t->depth)
		return;
	if (t->saves)
		save_now_and_then(e.end);
	t->waited = false;
	t->saves = false;
}

/* On and off ---------------------------------------------------------------------------------------- */

bool anpu_trace_wanted(void)
{
	return anpu_traces() || atomic_load(&prepared);
}

void anpu_trace_prepare(void)
{
	atomic_store(&prepared, true);
}

static void watch_forks(void);

int anpu_trace_begin(const char *path)
{
	int err = 0;

	(void)pthread_once(&fork_once, watch_forks);
	pthread_mutex_lock(&lock);
	if (file) {
		err = -EBUSY;
	} else {
		file = fopen(path, "we");
		err = file ? 0 : -errno;
	}
	if (!err) {
		owner = getpid();
		atomic_store(&lost, 0);
		atomic_store(&saves, 0);
		atomic_store(&credit, CREDIT_NS);
		atomic_store(&credited, anpu_trace_now());
		atomic_fetch_add(&turn, 1);
		anpu_trace_file_begin(file);
		fflush(file);
		__atomic_store_n(&anpu_trace_on, true, __ATOMIC_SEQ_CST);
	}
	pthread_mutex_unlock(&lock);
	/* devices that are open begin to record, too */
	if (!err)
		anpu_trace_collect();
	return err;
}

int anpu_trace_end(void)
{
	int err = 0;

	if (!anpu_traces())
		return 0;
	anpu_trace_collect();
	pthread_mutex_lock(&lock);
	__atomic_store_n(&anpu_trace_on, false, __ATOMIC_SEQ_CST);
	if (file) {
		write_all();
		anpu_trace_file_end(file, atomic_load(&lost));
		if (ferror(file))
			err = -EIO;
		if (fclose(file) && !err)
			err = -errno;
		file = NULL;
	}
	atomic_fetch_add(&turn, 1);
	pthread_mutex_unlock(&lock);
	/* devices that are open stop to record, and what they have recorded meanwhile belongs to no timeline */
	anpu_trace_collect();
	return err;
}

void anpu_trace_save(void)
{
	ACL_UNCANCELLED();
	struct chunk *c;

	if (!anpu_traces())
		return;
	anpu_trace_collect();
	pthread_mutex_lock(&lock);
	if (file && getpid() == owner) {
		for (c = chunks; c; c = c->next)
			write_chunk(c);
		/* a child of fork() must not have anything of it left to write */
		fflush(file);
	}
	pthread_mutex_unlock(&lock);
}

bool anpu_trace_operations(void)
{
	const char *env = getenv("ANPU_TRACE_OPERATIONS");

	return env && *env && strcmp(env, "0");
}

void anpu_front_trace_prepare(void)
{
	anpu_trace_prepare();
}

int anpu_front_trace(const char *path)
{
	ACL_UNCANCELLED();

	return path ? anpu_trace_begin(path) : anpu_trace_end();
}

void anpu_front_mark(const char *text, uint64_t begin, uint64_t end)
{
	struct anpu_traced e = { .what = ANPU_TRACED_MARK, .begin = begin, .end = end };

	if (!anpu_traces())
		return;
	e.name = anpu_trace_text(text);
	e.thread = anpu_trace_thread();
	if (e.name)
		anpu_trace_add(&e);
}

/* %p in the name is the process's number, for programs that start others */
static char *file_name(const char *pattern)
{
	const char *at = strstr(pattern, "%p");
	char *path = malloc(strlen(pattern) + 16);

	if (path && at)
		sprintf(path, "%.*s%d%s", (int)(at - pattern), pattern, getpid(), at + 2);
	else if (path)
		strcpy(path, pattern);
	return path;
}

static void complain(const char *path, int err)
{
	fprintf(stderr, "anpu: ANPU_TRACE: '%s' cannot be written: %s\n", path, strerror(-err));
}

static void begin_by_environment(const char *pattern)
{
	char *path = file_name(pattern);
	int err = path ? anpu_trace_begin(path) : -ENOMEM;

	if (err)
		complain(path ? path : pattern, err);
	free(path);
}

/*
 * In a child of fork(), whose parent had not used a device or else the child's calls fail. What was recorded is the
 * parent's; the child has a file of its own if the name has its number
 */
static void begin_in_child(void)
{
	const char *pattern = getenv("ANPU_TRACE");

	/* other threads of the parent may have had the locks, and are not here */
	pthread_mutex_init(&lock, NULL);
	pthread_mutex_init(&name_lock, NULL);
	__atomic_store_n(&anpu_trace_on, false, __ATOMIC_SEQ_CST);
	atomic_fetch_add(&turn, 1);
	chunks = NULL;
	retired = NULL;
	chunk_count = 0;
	file = NULL;
	if (mine)
		mine->id = (uint32_t)gettid();
	if (pattern && strstr(pattern, "%p"))
		begin_by_environment(pattern);
}

/* Without it, a child's calls would be added to a timeline that nobody writes, or that its parent writes, too */
static void watch_forks(void)
{
	(void)pthread_atfork(NULL, NULL, begin_in_child);
}

static void __attribute__((constructor)) begin_with_process(void)
{
	const char *pattern = getenv("ANPU_TRACE");

	if (!pattern || !*pattern)
		return;
	begin_by_environment(pattern);
}

/* Not in a child that was forked: the file is its parent's */
static void __attribute__((destructor)) end_with_process(void)
{
	const char *path = getenv("ANPU_TRACE");
	int err;

	if (!file || getpid() != owner)
		return;
	err = anpu_trace_end();
	if (err)
		complain(path && *path ? path : "the trace", err);
}
