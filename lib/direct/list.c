// SPDX-License-Identifier: MIT
/*
 * The list of <anpu/anpu_device_list.h>: what other processes of the same user may know of a device. It is for people who
 * look, so a list that cannot be made is no failure: the device works without.
 *
 * The lock of a list is taken last, inside of all others. The engine believes nothing that it reads there, as the same user
 * could write to the file: places are its own numbers.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <anpu/anpu_device_list.h>

#include "direct.h"

/**
 * struct list - the list of a device
 * @used: which files there are
 */
struct list {
	pthread_mutex_t lock;
	struct anpu_list_device *device;
	struct anpu_list_file *files;
	struct anpu_list_queue *queues;
	bool used[ANPU_ASIDS_DEFAULT];
};

static void begin(struct list *l)
{
	pthread_mutex_lock(&l->lock);
	__atomic_store_n(&l->device->turn, l->device->turn + 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void end(struct list *l)
{
	__atomic_store_n(&l->device->turn, l->device->turn + 1, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&l->lock);
}

static void describe(struct anpu_list_device *to, struct device *dev)
{
	uint64_t cores = device_read(dev, ANPU_REG_CORES);
	struct drm_anpu_names names;

	device_names(dev->number, &names);
	*to = (struct anpu_list_device){
		.version = ANPU_LIST_VERSION,
		.pid = getpid(),
		.server = shared_device,
		.number = dev->number,
		.cores = cores & 0xffff,
		.vector_cores = (cores & 0xffff) * (cores >> 16 & 0xffff),
		.queues = dev->config.queues,
		.files = ANPU_ASIDS_DEFAULT,
		.hw_version = (uint32_t)device_read(dev, ANPU_REG_VERSION),
		.hbm_total = dev->hbm.total,
		.hbm_free = dev->hbm.left,
	};
	_Static_assert(sizeof(to->soc) == sizeof(names.soc), "the name of a device has one size");
	memcpy(to->soc, names.soc, sizeof(to->soc));
	/* last: a reader that sees it sees the rest */
	__atomic_store_n(&to->magic, ANPU_LIST_MAGIC, __ATOMIC_RELEASE);
}

void list_make(struct device *dev)
{
	uint64_t files = sizeof(struct anpu_list_device);
	uint64_t queues = files + ANPU_ASIDS_DEFAULT * sizeof(struct anpu_list_file);
	uint64_t size = round_up(queues + dev->config.queues * sizeof(struct anpu_list_queue), PAGE);
	struct list *l = calloc(1, sizeof(*l));
	int fd = l ? shared_file(ANPU_LIST_NAME, size) : -1;
	uint8_t *p = fd < 0 ? MAP_FAILED : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED) {
		if (fd >= 0)
			close(fd);
		free(l);
		return;
	}
	/* a child of fork() has no device; the descriptor stays open, as other processes find the file by it */
	(void)madvise(p, size, MADV_DONTFORK);
	pthread_mutex_init(&l->lock, NULL);
	l->device = (void *)p;
	l->files = (void *)(p + files);
	l->queues = (void *)(p + queues);
	describe(l->device, dev);
	dev->list = l;
}

void list_free(struct device *dev, uint64_t bytes)
{
	if (dev->list)
		__atomic_store_n(&dev->list->device->hbm_free, bytes, __ATOMIC_RELAXED);
}

void list_state(struct device *dev)
{
	if (!dev->list)
		return;
	begin(dev->list);
	dev->list->device->resets = atomic_load(&dev->resets);
	dev->list->device->state = device_gone(dev)		? ANPU_LIST_GONE
				   : atomic_load(&dev->wedged) ? ANPU_LIST_WEDGED
							       : ANPU_LIST_OK;
	end(dev->list);
}

/* Files ---------------------------------------------------------------------------------------- */

void list_file(struct file *file)
{
	struct list *l = file->dev->list;
	unsigned int i = 0;

	if (!l)
		return;
	begin(l);
	while (i < ANPU_ASIDS_DEFAULT && l->used[i])
		i++;
	if (i < ANPU_ASIDS_DEFAULT) {
		l->used[i] = true;
		l->files[i] = (struct anpu_list_file){ .used = 1, .pid = file->pid ? file->pid : (uint32_t)getpid() };
		file->listed = i + 1;
	}
	end(l);
}

void list_memory(const struct file *file)
{
	struct list *l = file->dev->list;

	if (!l || !file->listed)
		return;
	begin(l);
	l->files[file->listed - 1].hbm = file->own_hbm;
	l->files[file->listed - 1].system = file->own_system;
	end(l);
}

void list_file_ends(struct file *file)
{
	struct list *l = file->dev->list;

	if (!l || !file->listed)
		return;
	begin(l);
	anpu_list_work_add(&l->device->past, &l->files[file->listed - 1].past);
	l->files[file->listed - 1] = (struct anpu_list_file){ .used = 0 };
	l->used[file->listed - 1] = false;
	file->listed = 0;
	end(l);
}

/* Streams -------------------------------------------------------------------------------------- */

void list_stream(const struct stream *s)
{
	struct list *l = s->dev->list;
	int hbm = s->dev->hbm.fd;
	bool own = s->status_fd >= 0, user = s->user_fd >= 0;

	if (!l || !s->file->listed)
		return;
	begin(l);
	l->queues[s->queue] = (struct anpu_list_queue){
		.file = s->file->listed,
		.stream = s->id,
		.priority = s->priority,
		.status = { .fd = own ? s->status_fd : hbm, .at = own ? 0 : s->page_addr },
		.control = { .fd = user ? s->user_fd : hbm, .at = user ? 0 : s->page_addr + PAGE },
	};
	end(l);
}

void list_priority(const struct stream *s)
{
	struct list *l = s->dev->list;

	if (!l || !s->file->listed)
		return;
	begin(l);
	if (l->queues[s->queue].file == s->file->listed && l->queues[s->queue].stream == s->id)
		l->queues[s->queue].priority = s->priority;
	end(l);
}

void list_stream_rests(const struct stream *s)
{
	struct list *l = s->dev->list;
	const struct anpu_queue_status *st = s->status;
	struct anpu_list_work work = {
		.cube_ns = __atomic_load_n(&st->cube_ns, __ATOMIC_RELAXED),
		.vector_ns = __atomic_load_n(&st->vector_ns, __ATOMIC_RELAXED),
		.busy_ns = __atomic_load_n(&st->busy_ns, __ATOMIC_RELAXED),
		.completed = __atomic_load_n(&st->completed, __ATOMIC_RELAXED),
		.errors = __atomic_load_n(&st->errors, __ATOMIC_RELAXED),
	};

	if (!l || !s->file->listed)
		return;
	begin(l);
	if (l->queues[s->queue].file == s->file->listed) {
		anpu_list_work_add(&l->files[s->file->listed - 1].past, &work);
		l->queues[s->queue] = (struct anpu_list_queue){ .file = 0 };
	}
	end(l);
}
