// SPDX-License-Identifier: MIT
/*
 * Streams: a queue of the device, its ring, its status page; starting, stopping, commands.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "direct.h"

#define DEFAULT_ENTRIES	1024
#define MAX_STREAM_ID	0xffffffU
/* Offsets for mmap() of pages of streams: above those of objects */
#define PAGES_OFFSET	(1ULL << 62)
#define PAGES_KIND	48
#define PAGES_QUEUE	32
/* How long the device may take for a command; it needs 10 ms to end what runs, and a processor for that */
#define PATIENCE_S	60

/* Helpers -------------------------------------------------------------------------------------- */

uint64_t stream_completed(const struct stream *s)
{
	return __atomic_load_n(&s->status->completed, __ATOMIC_ACQUIRE);
}

uint32_t stream_state(const struct stream *s)
{
	return __atomic_load_n(&s->status->state, __ATOMIC_ACQUIRE);
}

static uint64_t ring_bytes(const struct stream *s)
{
	return round_up((uint64_t)ANPU_PACKET_SIZE << s->ring_log2, PAGE);
}

static void command(struct stream *s, uint32_t cmd, uint32_t arg)
{
	device_write(s->dev, ANPU_REG_QUEUE_CMD, ANPU_QUEUE_CMD_ARG(cmd, s->queue, arg));
}

/* Has the device store again what may have been lost */
void stream_refresh(struct stream *s)
{
	if (!atomic_load(&s->dead))
		command(s, ANPU_QUEUE_REFRESH, 0);
}

static time_t seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/* Waits for a moment, which grows with the number of tries; false once the time limit has passed */
static bool linger(unsigned int *tries, time_t since)
{
	if ((*tries)++ < 200) {
		sched_yield();
		return true;
	}
	usleep(20);
	return seconds() - since < PATIENCE_S;
}

const struct anpu_fault *stream_fault(const struct stream *s, uint64_t ordinal)
{
	uint64_t slot = ordinal < 2 ? 0 : 1 + (ordinal - 2) % (ANPU_STATUS_FAULTS - 1);
	const struct anpu_fault *rec = &s->status->fault[slot];

	return ordinal && __atomic_load_n(&rec->ordinal, __ATOMIC_ACQUIRE) == ordinal ? rec : NULL;
}

static int read_fault(const struct stream *s, uint64_t ordinal, struct anpu_fault *fault)
{
	const struct anpu_fault *rec = stream_fault(s, ordinal);

	if (!rec)
		return -ENODATA;
	memcpy(fault, rec, sizeof(*fault));
	/* the device may have begun to write a newer record over it */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&rec->ordinal, __ATOMIC_RELAXED) == ordinal ? 0 : -ENODATA;
}

/* References ----------------------------------------------------------------------------------- */

struct stream *stream_find(struct file *file, uint32_t id)
{
	struct stream *found = NULL;

	pthread_mutex_lock(&file->dev->event_lock);
	for (unsigned int i = 0; i < file->n_streams && !found; i++)
		if (file->stream[i] && file->stream[i]->id == id)
			found = file->stream[i];
	if (found)
		found->refs++;
	pthread_mutex_unlock(&file->dev->event_lock);
	return found;
}

/* Protects the files that show pages of streams; taken after all other locks, before wait_lock only */
static pthread_mutex_t files_lock = PTHREAD_MUTEX_INITIALIZER;

/* Files locked, as in what follows: pages of the stream's own again; clients keep files that nobody looks at */
static bool hide_file(struct stream *s, int *fd)
{
	struct hbm *hbm = &s->dev->hbm;
	bool user = fd == &s->user_fd;
	int err = 0;

	if (*fd < 0)
		return true;
	if (user)
		err = hbm_hide(hbm, s->ring_addr, ring_bytes(s));
	if (!err)
		err = hbm_hide(hbm, user ? s->page_addr + PAGE : s->page_addr, PAGE);
	/* what the client still has mapped reads as zero; nobody can do this to a file that is sealed */
	if (!err && user)
		(void)fallocate(*fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, PAGE + ring_bytes(s));
	close(*fd);
	*fd = -1;
	return !err;
}

static int show_status(struct stream *s)
{
	int err;

	s->status_fd = shared_file("anpu-status", PAGE);
	if (s->status_fd < 0)
		return s->status_fd;
	err = hbm_show(&s->dev->hbm, s->page_addr, PAGE, s->status_fd, 0);
	return err ? err : shared_file_end_writing(s->status_fd);
}

static int show_user(struct stream *s)
{
	struct hbm *hbm = &s->dev->hbm;
	int err;

	s->user_fd = shared_file("anpu-ring", PAGE + ring_bytes(s));
	if (s->user_fd < 0)
		return s->user_fd;
	err = hbm_show(hbm, s->page_addr + PAGE, PAGE, s->user_fd, 0);
	return err ? err : hbm_show(hbm, s->ring_addr, ring_bytes(s), s->user_fd, PAGE);
}

/* A server's stream: what its client maps is in files. Those of a stream that was revoked are made anew */
static int show_files(struct stream *s)
{
	int err = 0;

	if (!shared_device)
		return 0;
	pthread_mutex_lock(&files_lock);
	if (s->status_fd < 0)
		err = show_status(s);
	if (!err && s->user_fd < 0 && s->flags & DRM_ANPU_STREAM_USER_QUEUE)
		err = show_user(s);
	pthread_mutex_unlock(&files_lock);
	return err;
}

static void release(struct stream *s)
{
	struct hbm *hbm = &s->dev->hbm;
	bool mine;

	pthread_mutex_lock(&files_lock);
	mine = hide_file(s, &s->status_fd);
	mine = hide_file(s, &s->user_fd) && mine;
	pthread_mutex_unlock(&files_lock);
	pthread_mutex_lock(&s->dev->lock);
	/* pages that still show a client's file are never used again */
	if (s->page_addr && mine)
		hbm_give(hbm, s->page_addr, 2 * PAGE);
	if (s->ring_addr && mine)
		hbm_give(hbm, s->ring_addr, ring_bytes(s));
	pthread_mutex_unlock(&s->dev->lock);
	pthread_mutex_destroy(&s->lock);
	pthread_mutex_destroy(&s->cmd_lock);
	free(s);
}

void stream_put(struct stream *s)
{
	bool last;

	if (!s)
		return;
	pthread_mutex_lock(&s->dev->event_lock);
	last = !--s->refs;
	pthread_mutex_unlock(&s->dev->event_lock);
	if (last)
		release(s);
}

/* Starting and stopping ------------------------------------------------------------------------ */

static void write_context(struct stream *s)
{
	s->dev->contexts[s->queue] = (struct anpu_queue_context){
		.ring = s->ring_addr,
		.status = s->page_addr,
		.control = s->page_addr + PAGE,
		.ring_log2 = s->ring_log2,
		.asid = s->file->vm.asid,
		.priority = s->priority,
		.flags = s->flags & DRM_ANPU_STREAM_STOP_ON_FAILURE ? ANPU_QUEUE_STOP_ON_FAILURE : 0,
		.cookie = s->cookie,
		.print = s->print,
		.overflow = s->overflow,
		.trace = s->trace,
	};
}

/* The stream is not dead any more, whatever is returned */
static int start(struct stream *s)
{
	time_t since = seconds();
	unsigned int tries = 0;
	int err = show_files(s);

	if (err)
		return err;
	list_stream_rests(s);
	memset(s->status, 0, PAGE);
	memset(s->control, 0, PAGE);
	pthread_mutex_lock(&s->dev->event_lock);
	s->cookie = ++s->dev->next_cookie;
	atomic_store(&s->stopped, false);
	s->released_ns = device_read(s->dev, ANPU_REG_CLOCK);
	s->dev->streams[s->queue] = s;
	pthread_mutex_unlock(&s->dev->event_lock);
	wait_revive(s);
	write_context(s);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	command(s, ANPU_QUEUE_START, 0);
	while (stream_state(s) == ANPU_QUEUE_STOPPED)
		if (!linger(&tries, since))
			return -EIO;
	if (s->id)
		list_stream(s);
	if (stream_state(s) != ANPU_QUEUE_REFUSED)
		return 0;
	atomic_store(&s->stopped, true);
	return -EIO;
}

/* The device touches nothing of the stream any more when this returns true */
static bool stop(struct stream *s)
{
	time_t since = seconds();
	unsigned int tries = 0;

	if (atomic_load(&s->stopped) || device_gone(s->dev))
		return true;
	command(s, ANPU_QUEUE_STOP, 0);
	while (!atomic_load(&s->stopped))
		if (!linger(&tries, since)) {
			device_wedge(s->dev);
			return false;
		}
	return true;
}

/* Has the device carry out one of the commands from ABORT on; 0 when it has */
static int obey(struct stream *s, uint32_t cmd, uint32_t arg)
{
	time_t since = seconds();
	unsigned int tries = 0;
	uint64_t before;
	uint32_t epoch;
	int err = 0;

	pthread_mutex_lock(&s->cmd_lock);
	epoch = atomic_load(&s->epoch);
	before = __atomic_load_n(&s->status->commands, __ATOMIC_ACQUIRE);
	if (atomic_load(&s->dead))
		err = -EIO;
	else
		command(s, cmd, arg);
	while (!err && __atomic_load_n(&s->status->commands, __ATOMIC_ACQUIRE) == before)
		if (atomic_load(&s->dead) || atomic_load(&s->epoch) != epoch || !linger(&tries, since))
			err = -EIO;
	pthread_mutex_unlock(&s->cmd_lock);
	return err;
}

/* STREAM_CREATE -------------------------------------------------------------------------------- */

static int check_va(const struct device *dev, uint64_t va, uint64_t align, uint64_t cap)
{
	if (!va)
		return 0;
	if (!(dev->caps & cap))
		return -EOPNOTSUPP;
	return !aligned(va, align) || va < VA_START || va >= VA_END ? -EINVAL : 0;
}

static int check_create(const struct device *dev, const struct drm_anpu_stream_create *args)
{
	const uint32_t known = DRM_ANPU_STREAM_STOP_ON_FAILURE | DRM_ANPU_STREAM_USER_QUEUE;
	int err;

	/* There are no fences in a process: nobody else could wait for them. */
	if (args->flags == DRM_ANPU_STREAM_BOUNDED)
		return -EOPNOTSUPP;
	if (args->flags & ~known || args->priority >= DRM_ANPU_PRIORITIES)
		return -EINVAL;
	if (args->ring_entries &&
	    (args->ring_entries & (args->ring_entries - 1) ||
	     args->ring_entries < 1U << ANPU_RING_LOG2_MIN || args->ring_entries > 1U << ANPU_RING_LOG2_MAX))
		return -EINVAL;
	if (args->group && !(dev->caps & ANPU_CAP_HALT))
		return -EOPNOTSUPP;
	err = check_va(dev, args->print, ANPU_PRINT_ALIGN, ANPU_CAP_PRINT);
	err = err ? err : check_va(dev, args->overflow, ANPU_OVERFLOW_ALIGN, ANPU_CAP_OVERFLOW);
	return err ? err : check_va(dev, args->trace, ANPU_TRACE_ALIGN, ANPU_CAP_TRACE);
}

static struct stream *new_stream(struct file *file, const struct drm_anpu_stream_create *args)
{
	uint32_t entries = args->ring_entries ? args->ring_entries : DEFAULT_ENTRIES;
	struct stream *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->dev = file->dev;
	s->file = file;
	s->flags = args->flags;
	s->priority = args->priority;
	s->group = args->group;
	s->print = args->print;
	s->overflow = args->overflow;
	s->trace = args->trace;
	s->ring_log2 = __builtin_ctz(entries);
	s->refs = 1;
	s->status_fd = -1;
	s->user_fd = -1;
	pthread_mutex_init(&s->lock, NULL);
	pthread_mutex_init(&s->cmd_lock, NULL);
	return s;
}

static int take_memory(struct stream *s)
{
	struct hbm *hbm = &s->dev->hbm;

	pthread_mutex_lock(&s->dev->lock);
	s->ring_addr = hbm_take(hbm, ring_bytes(s));
	s->page_addr = s->ring_addr ? hbm_take(hbm, 2 * PAGE) : 0;
	pthread_mutex_unlock(&s->dev->lock);
	if (!s->page_addr)
		return -ENOSPC;
	s->ring = (void *)(hbm->cpu + s->ring_addr);
	s->status = (void *)(hbm->cpu + s->page_addr);
	s->control = (void *)(hbm->cpu + s->page_addr + PAGE);
	return 0;
}

/* Event lock held: the next queue that is free, in turn, as numbers of queues stand in messages */
static int take_queue(struct stream *s)
{
	struct device *dev = s->dev;

	for (unsigned int n = 1; n < dev->config.queues; n++) {
		unsigned int q = 1 + (dev->next_queue + n - 1) % (dev->config.queues - 1);

		if (dev->streams[q])
			continue;
		dev->next_queue = q;
		dev->streams[q] = s;
		s->queue = q;
		return 0;
	}
	return -ENOSPC;
}

/* Event lock held: a place in the file's table, and an identifier that no stream of it has */
static int take_place(struct file *file, struct stream *s)
{
	unsigned int i = 0, max = file->n_streams ? 2 * file->n_streams : 16, n;
	struct stream **table;

	while (i < file->n_streams && file->stream[i])
		i++;
	if (i == file->n_streams) {
		table = realloc(file->stream, max * sizeof(*table));
		if (!table)
			return -ENOMEM;
		memset(table + i, 0, (max - i) * sizeof(*table));
		file->stream = table;
		file->n_streams = max;
	}
	do {
		file->next_stream = file->next_stream >= MAX_STREAM_ID ? 1 : file->next_stream + 1;
		for (n = 0; n < file->n_streams; n++)
			if (file->stream[n] && file->stream[n]->id == file->next_stream)
				break;
	} while (n < file->n_streams);
	s->id = file->next_stream;
	file->stream[i] = s;
	return 0;
}

static void leave_queue(struct stream *s)
{
	pthread_mutex_lock(&s->dev->event_lock);
	atomic_store(&s->dev->owner[s->queue], 0);
	if (s->queue && s->dev->streams[s->queue] == s)
		s->dev->streams[s->queue] = NULL;
	pthread_mutex_unlock(&s->dev->event_lock);
}

static uint64_t offset_of(const struct stream *s, enum page_kind kind)
{
	return PAGES_OFFSET | (uint64_t)kind << PAGES_KIND | (uint64_t)s->queue << PAGES_QUEUE;
}

static void tell(struct stream *s, struct drm_anpu_stream_create *args)
{
	bool user = s->flags & DRM_ANPU_STREAM_USER_QUEUE;

	args->ring_entries = 1U << s->ring_log2;
	args->stream = s->id;
	args->queue = s->queue;
	args->status_offset = offset_of(s, PAGE_STATUS);
	args->ring_offset = user ? offset_of(s, PAGE_RING) : 0;
	args->control_offset = user ? offset_of(s, PAGE_CONTROL) : 0;
	args->doorbell_offset = user ? offset_of(s, PAGE_DOORBELL) : 0;
}

int stream_create(struct file *file, void *data)
{
	struct drm_anpu_stream_create *args = data;
	struct device *dev = file->dev;
	int err = check_create(dev, args);
	struct stream *s;

	if (err)
		return err;
	if (atomic_load(&dev->wedged))
		return -EIO;
	s = new_stream(file, args);
	if (!s)
		return -ENOMEM;
	err = take_memory(s);
	if (!err) {
		pthread_mutex_lock(&dev->event_lock);
		err = take_queue(s);
		pthread_mutex_unlock(&dev->event_lock);
	}
	if (!err) {
		pthread_mutex_lock(&dev->reset_lock);
		err = start(s);
		pthread_mutex_unlock(&dev->reset_lock);
	}
	if (!err) {
		if (s->flags & DRM_ANPU_STREAM_USER_QUEUE)
			atomic_store(&dev->owner[s->queue], file->fd + 1);
		pthread_mutex_lock(&dev->event_lock);
		err = take_place(file, s);
		if (!err) {
			tell(s, args);
			list_stream(s);
		}
		pthread_mutex_unlock(&dev->event_lock);
	}
	if (err) {
		if (s->cookie && !stop(s))
			return err; /* the device may still use its memory */
		leave_queue(s);
		stream_put(s);
	}
	return err;
}

/* The end -------------------------------------------------------------------------------------- */

void stream_revoke(struct stream *s, bool status)
{
	if (!shared_device) {
		map_revoke(s, status);
		return;
	}
	pthread_mutex_lock(&files_lock);
	(void)hide_file(s, &s->user_fd);
	pthread_mutex_unlock(&files_lock);
}

/* Takes over the table's reference */
static void end(struct stream *s)
{
	wait_kill(s);
	/* a RESET that restarts the stream does so before this, or not at all */
	pthread_mutex_lock(&s->lock);
	s->destroyed = true;
	wait_kill(s);
	pthread_mutex_unlock(&s->lock);
	stream_revoke(s, true);
	if (!stop(s))
		return; /* the device may still use its memory */
	list_stream_rests(s);
	if (shared_device)
		memset(s->status, 0, PAGE);
	leave_queue(s);
	stream_put(s);
}

/* Takes it out of the table; @id 0: any stream */
static struct stream *take_out(struct file *file, uint32_t id)
{
	struct stream *found = NULL;

	pthread_mutex_lock(&file->dev->event_lock);
	for (unsigned int i = 0; i < file->n_streams && !found; i++) {
		struct stream *s = file->stream[i];

		if (!s || (id && s->id != id))
			continue;
		file->stream[i] = NULL;
		found = s;
	}
	pthread_mutex_unlock(&file->dev->event_lock);
	return found;
}

int stream_destroy(struct file *file, void *data)
{
	const struct drm_anpu_stream_destroy *args = data;
	struct stream *s;

	if (args->pad)
		return -EINVAL;
	s = args->stream ? take_out(file, args->stream) : NULL;
	if (!s)
		return -ENOENT;
	end(s);
	return 0;
}

void streams_end(struct file *file)
{
	struct stream *s;

	while ((s = take_out(file, 0)))
		end(s);
	free(file->stream);
	file->stream = NULL;
	file->n_streams = 0;
}

/* STREAM_SET, STREAM_GET_STATE ------------------------------------------------------------------ */

static int set_mode(struct stream *s, bool halt)
{
	uint32_t epoch;
	int err;

	if (halt) {
		/* before the device learns of it: a failure from then on is the group's, too */
		__atomic_or_fetch(&s->flags, DRM_ANPU_STREAM_STOP_ON_FAILURE, __ATOMIC_SEQ_CST);
		return obey(s, ANPU_QUEUE_HALT_ON_FAILURE, 0);
	}
	do {
		epoch = atomic_load(&s->epoch);
		err = obey(s, ANPU_QUEUE_GO_ON, 0);
		if (!err)
			__atomic_and_fetch(&s->flags, ~DRM_ANPU_STREAM_STOP_ON_FAILURE, __ATOMIC_SEQ_CST);
		/* a restart in between used the old mode */
	} while (!err && atomic_load(&s->epoch) != epoch);
	return err;
}

int stream_set(struct file *file, void *data)
{
	const struct drm_anpu_stream_set *args = data;
	bool priority = args->flags == DRM_ANPU_STREAM_SET_PRIORITY;
	struct stream *s;
	int err;

	if ((args->flags & ~DRM_ANPU_STREAM_STOP_ON_FAILURE && !priority) || args->pad ||
	    args->priority >= (priority ? DRM_ANPU_PRIORITIES : 1))
		return -EINVAL;
	if (!(file->dev->caps & (priority ? ANPU_CAP_PRIORITY : ANPU_CAP_ABORT)))
		return -EOPNOTSUPP;
	s = stream_find(file, args->stream);
	if (!s)
		return -ENOENT;
	if (priority) {
		s->priority = args->priority;
		err = obey(s, ANPU_QUEUE_PRIORITY, args->priority);
		list_priority(s);
	} else {
		err = set_mode(s, args->flags & DRM_ANPU_STREAM_STOP_ON_FAILURE);
	}
	stream_put(s);
	return err;
}

int stream_get_state(struct file *file, void *data)
{
	struct drm_anpu_stream_get_state *args = data;
	struct anpu_fault fault;
	struct stream *s;
	int err = 0;

	if (args->flags || (args->fault && !args->fault_ordinal))
		return -EINVAL;
	s = stream_find(file, args->stream);
	if (!s)
		return -ENOENT;
	args->completed = stream_completed(s);
	args->submitted = s->flags & DRM_ANPU_STREAM_USER_QUEUE
				  ? __atomic_load_n(&s->control->wptr, __ATOMIC_ACQUIRE)
				  : atomic_load(&s->wptr);
	args->errors = __atomic_load_n(&s->status->errors, __ATOMIC_ACQUIRE);
	args->first_cause = s->status->first_cause;
	args->state = stream_state(s);
	if (args->fault_ordinal)
		err = read_fault(s, args->fault_ordinal, &fault);
	if (!err && args->fault)
		err = guard_copy((void *)(uintptr_t)args->fault, &fault, sizeof(fault));
	stream_put(s);
	return err;
}

/* RESET ---------------------------------------------------------------------------------------- */

static int restart(struct stream *s)
{
	int err = -EIO;

	if (!wait_kill(s))
		return -EIO;
	pthread_mutex_lock(&s->lock);
	if (s->destroyed) {
		err = -ENOENT;
	} else if (stop(s)) {
		pthread_mutex_lock(&s->dev->reset_lock);
		err = start(s);
		pthread_mutex_unlock(&s->dev->reset_lock);
		if (err)
			wait_kill(s);
	}
	pthread_mutex_unlock(&s->lock);
	return err;
}

static int abort_stream(struct stream *s)
{
	if (!(s->dev->caps & ANPU_CAP_ABORT))
		return -EOPNOTSUPP;
	pthread_mutex_lock(&s->dev->event_lock);
	s->released_ns = device_read(s->dev, ANPU_REG_CLOCK);
	pthread_mutex_unlock(&s->dev->event_lock);
	return obey(s, ANPU_QUEUE_ABORT, 0);
}

static int end_task(struct stream *s, uint64_t seq)
{
	if (!(s->dev->caps & ANPU_CAP_END_TASK))
		return -EOPNOTSUPP;
	if (!seq)
		return -EINVAL;
	if (atomic_load(&s->dead))
		return -EIO;
	/* the device gets half of the number, which may equal that of another packet */
	if (seq != stream_completed(s) + 1)
		return 0;
	return obey(s, ANPU_QUEUE_END_TASK, (uint32_t)seq);
}

int stream_reset(struct file *file, void *data)
{
	const struct drm_anpu_reset *args = data;
	struct stream *s;
	int err;

	if ((args->seq && args->scope != DRM_ANPU_END_TASK) || args->scope > DRM_ANPU_END_TASK)
		return -EINVAL;
	if (args->scope == DRM_ANPU_RESET_DEVICE)
		return args->stream ? -EINVAL : device_reset(file->dev);
	s = stream_find(file, args->stream);
	if (!s)
		return -ENOENT;
	if (args->scope == DRM_ANPU_RESET_STREAM)
		err = restart(s);
	else if (args->scope == DRM_ANPU_ABORT_STREAM)
		err = abort_stream(s);
	else
		err = end_task(s, args->seq);
	stream_put(s);
	return err;
}

/* Pages in the program ------------------------------------------------------------------------- */

static void *refuse(int err)
{
	errno = err;
	return MAP_FAILED;
}

static struct stream *stream_of_offset(struct file *file, uint64_t offset, enum page_kind *kind)
{
	uint64_t queue = offset >> PAGES_QUEUE & 0xffff;
	struct stream *s = NULL;

	*kind = offset >> PAGES_KIND & 0x3fff;
	if (!(offset & PAGES_OFFSET) || *kind >= PAGE_KINDS || (uint32_t)offset ||
	    queue >= file->dev->config.queues)
		return NULL;
	pthread_mutex_lock(&file->dev->event_lock);
	s = file->dev->streams[queue];
	if (s && (s->file != file || !s->id))
		s = NULL;
	if (s)
		s->refs++;
	pthread_mutex_unlock(&file->dev->event_lock);
	return s;
}

static void *map_page(struct stream *s, void *addr, enum page_kind kind, uint64_t size, int prot, int flags)
{
	uint64_t at[] = { [PAGE_STATUS] = s->page_addr, [PAGE_RING] = s->ring_addr,
			  [PAGE_CONTROL] = s->page_addr + PAGE };
	void *p;
	int err;

	/* nobody sees a store to the page: doorbells are rung by a call */
	if (kind == PAGE_DOORBELL)
		p = mmap(addr, size, prot, MAP_SHARED | MAP_ANONYMOUS | (flags & MAP_FIXED), -1, 0);
	else
		p = mmap(addr, size, prot, MAP_SHARED | (flags & MAP_FIXED),
			 kind == PAGE_STATUS ? s->dev->hbm.read_fd : s->dev->hbm.fd, at[kind]);
	if (p == MAP_FAILED)
		return p;
	err = map_note(p, size, NULL, s, kind);
	if (err) {
		munmap(p, size);
		return refuse(-err);
	}
	/* it was destroyed meanwhile */
	if (atomic_load(&s->dead))
		stream_revoke(s, s->destroyed);
	return p;
}

/* 0 or -errno: may this page be mapped so? */
static int check_map(const struct stream *s, enum page_kind kind, uint64_t size, int prot, int flags)
{
	if ((kind != PAGE_STATUS && !(s->flags & DRM_ANPU_STREAM_USER_QUEUE)) ||
	    size != (kind == PAGE_RING ? ring_bytes(s) : PAGE) ||
	    (kind != PAGE_STATUS && !(flags & MAP_SHARED)))
		return -EINVAL;
	return kind == PAGE_STATUS && prot & PROT_WRITE ? -EACCES : 0;
}

void *stream_map(struct file *file, void *addr, uint64_t offset, uint64_t size, int prot, int flags)
{
	enum page_kind kind;
	struct stream *s = stream_of_offset(file, offset, &kind);
	void *p;
	int err;

	if (!s)
		return refuse(EINVAL);
	size = round_up(size, PAGE);
	err = check_map(s, kind, size, prot, flags);
	p = err ? refuse(-err) : map_page(s, addr, kind, size, prot, flags);
	stream_put(s);
	return p;
}

int stream_share(struct file *file, uint64_t offset, uint64_t size, int prot, int flags, struct shared_map *map)
{
	enum page_kind kind;
	struct stream *s = stream_of_offset(file, offset, &kind);
	int err, fd;

	if (!s)
		return -EINVAL;
	*map = (struct shared_map){ .fd = -1, .at = kind == PAGE_RING ? PAGE : 0 };
	err = check_map(s, kind, size, prot, flags);
	if (!err && kind != PAGE_DOORBELL) {
		pthread_mutex_lock(&files_lock);
		fd = kind == PAGE_STATUS ? s->status_fd : s->user_fd;
		/* a stream that is dead has none: the client gets pages of its own that nobody looks at */
		map->fd = fd < 0 ? fd : fcntl(fd, F_DUPFD_CLOEXEC, 0);
		err = fd >= 0 && map->fd < 0 ? -errno : 0;
		pthread_mutex_unlock(&files_lock);
	}
	stream_put(s);
	return err;
}
