// SPDX-License-Identifier: MIT
/*
 * The table of the engine: descriptors, and which function serves which ioctl.
 *
 * The descriptor of an open device is an eventfd, so poll() works on it as it is; everything else that
 * is done with it comes here.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "direct.h"
#include "remote/protocol.h"

#define MAX_FDS		65536
#define ARG_MAX_BYTES	256

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* A struct file is never freed, only used again: the doorbell looks at it without a reference */
static _Atomic(struct file *) files[MAX_FDS];
static struct file *free_files;
static atomic_bool used;	/* a device was switched on in this process */
static atomic_bool forked;	/* this is a child of such a process: it has no device */

/* Files ------------------------------------------------------------------------------------------ */

static struct file *get_file(int fd)
{
	struct file *file;

	if (fd < 0 || fd >= MAX_FDS || atomic_load(&forked))
		return NULL;
	pthread_mutex_lock(&lock);
	file = atomic_load(&files[fd]);
	if (file)
		file->refs++;
	pthread_mutex_unlock(&lock);
	return file;
}

static void drop_file(struct file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	pthread_mutex_lock(&lock);
	file->next_free = free_files;
	free_files = file;
	pthread_mutex_unlock(&lock);
}

static void end_file(struct file *file)
{
	struct device *dev = file->dev;

	if (atomic_load(&file->on)) {
		pthread_mutex_lock(&dev->event_lock);
		for (unsigned int i = 0; i < ARRAY_SIZE(dev->files); i++)
			if (dev->files[i] == file)
				dev->files[i] = NULL;
		pthread_mutex_unlock(&dev->event_lock);
		/* queues end before the memory that they can reach */
		streams_end(file);
		vm_fini(&file->vm);
		bo_close_all(file);
		event_file_end(file);
		list_file_ends(file);
	}
	drop_file(file);
}

static void put_file(struct file *file)
{
	bool last;

	pthread_mutex_lock(&lock);
	last = !--file->refs;
	pthread_mutex_unlock(&lock);
	if (last)
		end_file(file);
}

static struct file *new_file(unsigned int number)
{
	struct file *file;

	pthread_mutex_lock(&lock);
	file = free_files;
	if (file)
		free_files = file->next_free;
	pthread_mutex_unlock(&lock);
	if (!file)
		file = malloc(sizeof(*file));
	if (!file)
		return NULL;
	*file = (struct file){ .number = number, .fd = -1, .refs = 1, .space = EVENT_SPACE };
	file->last = &file->first;
	return file;
}

/* A device whose table is full has as many address spaces as there can be */
static int enlist(struct file *file)
{
	struct device *dev = file->dev;
	unsigned int i = 0;

	pthread_mutex_lock(&dev->event_lock);
	while (i < ARRAY_SIZE(dev->files) && dev->files[i])
		i++;
	if (i < ARRAY_SIZE(dev->files))
		dev->files[i] = file;
	pthread_mutex_unlock(&dev->event_lock);
	return i < ARRAY_SIZE(dev->files) ? 0 : -ENOSPC;
}

static void on_fork(void)
{
	if (!atomic_load(&used))
		return;
	atomic_store(&forked, true);
	devices_forked();
}

static void watch_forks(void)
{
	(void)pthread_atfork(NULL, NULL, on_fork);
}

static int direct_open(unsigned int number)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct file *file;
	char why[320];
	int err;

	if (atomic_load(&forked))
		return -ENODEV;
	if (device_list(why, sizeof(why)) <= (int)number)
		return -ENOENT;
	pthread_once(&once, watch_forks);
	file = new_file(number);
	if (!file)
		return -ENOMEM;
	file->fd = eventfd(0, EFD_CLOEXEC);
	if (file->fd < 0 || file->fd >= MAX_FDS) {
		err = file->fd < 0 ? -errno : -EMFILE;
		drop_file(file);
		return err;
	}
	atomic_store(&files[file->fd], file);
	return file->fd;
}

/* The first call that needs the device switches it on, and gives the file its address space */
static int switch_on(struct file *file)
{
	static pthread_mutex_t on_lock = PTHREAD_MUTEX_INITIALIZER;
	struct device *dev;
	int err = 0;

	if (atomic_load_explicit(&file->on, memory_order_acquire))
		return 0;
	pthread_mutex_lock(&on_lock);
	if (!atomic_load(&file->on)) {
		atomic_store(&used, true);
		dev = device_get(file->number);
		file->dev = dev;
		err = dev ? vm_init(&file->vm, dev) : -ENOMEM;
		if (!err)
			err = enlist(file);
		if (!err)
			list_file(file);
		atomic_store(&file->on, !err);
	}
	pthread_mutex_unlock(&on_lock);
	return err;
}

static void direct_close(int fd)
{
	struct file *file = NULL;

	if (fd < 0 || fd >= MAX_FDS)
		return;
	if (atomic_load(&forked)) {
		/* the parent's device: the child gives back its descriptor only */
		if (atomic_exchange(&files[fd], NULL))
			close(fd);
		return;
	}
	pthread_mutex_lock(&lock);
	file = atomic_exchange(&files[fd], NULL);
	pthread_mutex_unlock(&lock);
	if (file)
		put_file(file);
}

/* DRM's own ioctls ------------------------------------------------------------------------------- */

static int version(struct file *file, void *data)
{
	static const char name[] = DRM_ANPU_DRIVER_NAME, desc[] = "ANPU neural processing unit";
	struct drm_version *v = data;
	size_t name_room = v->name_len, desc_room = v->desc_len;
	int err = 0;

	v->version_major = DRM_ANPU_DRIVER_MAJOR;
	v->version_minor = DRM_ANPU_DRIVER_MINOR;
	v->version_patchlevel = 0;
	v->name_len = strlen(name);
	v->desc_len = strlen(desc);
	v->date_len = 0;
	if (v->name)
		err = guard_copy(v->name, name, min_u64(name_room, strlen(name)));
	if (!err && v->desc)
		err = guard_copy(v->desc, desc, min_u64(desc_room, strlen(desc)));
	return err;
}

static int get_cap(struct file *file, void *data)
{
	struct drm_get_cap *cap = data;

	switch (cap->capability) {
	case DRM_CAP_PRIME:
		cap->value = DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT;
		return 0;
	case DRM_CAP_TIMESTAMP_MONOTONIC:
		cap->value = 1;
		return 0;
	case DRM_CAP_SYNCOBJ:
	case DRM_CAP_SYNCOBJ_TIMELINE:
		cap->value = 0;
		return 0;
	}
	return -EOPNOTSUPP;
}

/* A dma_fence is the kernel's: DRM_ANPU_INFO_FENCES is not set. */
static int no_jobs(struct file *file, void *data)
{
	(void)file;
	(void)data;
	return -EOPNOTSUPP;
}

/* Dispatch --------------------------------------------------------------------------------------- */

struct handler {
	unsigned long request;
	int (*fn)(struct file *file, void *data);
};

static const struct handler handlers[] = {
	{ DRM_IOCTL_ANPU_WAIT, wait_ioctl },
	{ DRM_IOCTL_ANPU_SUBMIT, submit_ioctl },
	{ DRM_IOCTL_ANPU_BO_CREATE, bo_create },
	{ DRM_IOCTL_ANPU_VM_BIND, vm_bind },
	{ DRM_IOCTL_GEM_CLOSE, bo_gem_close },
	{ DRM_IOCTL_ANPU_BO_MMAP_OFFSET, bo_mmap_offset },
	{ DRM_IOCTL_ANPU_DEV_QUERY, device_query },
	{ DRM_IOCTL_ANPU_STREAM_CREATE, stream_create },
	{ DRM_IOCTL_ANPU_STREAM_DESTROY, stream_destroy },
	{ DRM_IOCTL_ANPU_STREAM_GET_STATE, stream_get_state },
	{ DRM_IOCTL_ANPU_STREAM_SET, stream_set },
	{ DRM_IOCTL_ANPU_SUBMIT_JOB, no_jobs },
	{ DRM_IOCTL_ANPU_EVENT_SUBSCRIBE, event_subscribe },
	{ DRM_IOCTL_ANPU_RESET, stream_reset },
	{ DRM_IOCTL_PRIME_HANDLE_TO_FD, bo_export },
	{ DRM_IOCTL_PRIME_FD_TO_HANDLE, bo_import },
	{ DRM_IOCTL_VERSION, version },
	{ DRM_IOCTL_GET_CAP, get_cap },
};

static const struct handler *find_handler(unsigned long request)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(handlers); i++)
		if (_IOC_NR(handlers[i].request) == _IOC_NR(request))
			return &handlers[i];
	return NULL;
}

unsigned long engine_request(unsigned long request, int *err)
{
	const struct handler *h = find_handler(request);

	*err = 0;
	if (_IOC_TYPE(request) != DRM_IOCTL_BASE)
		*err = -ENOTTY;
	else if (!h)
		*err = _IOC_NR(request) >= DRM_COMMAND_BASE && _IOC_NR(request) < DRM_COMMAND_END ? -EINVAL
												  : -EACCES;
	return *err ? 0 : h->request;
}

int engine_ask(unsigned long request, void *data)
{
	const struct handler *h = find_handler(request);

	return h->fn == version || h->fn == get_cap ? h->fn(NULL, data) : -ENOTTY;
}

/* A program that only asks which devices there are, and what they are called, has none: its children may */
static bool needs_device(const struct handler *h, const void *data)
{
	const struct drm_anpu_dev_query *query = data;

	return h->fn != version && h->fn != get_cap &&
	       (h->fn != device_query || query->type != DRM_ANPU_QUERY_NAMES);
}

/*
 * As DRM does it: the caller's struct may be shorter or longer than this one's, and is written back
 * whatever the call returns, as far as the request says that it is read.
 */
static int call(struct file *file, unsigned long request, void *arg)
{
	const struct handler *h = find_handler(request);
	uint8_t data[ARG_MAX_BYTES] = { 0 };
	size_t theirs = _IOC_SIZE(request), ours;
	int ret;

	if (!engine_request(request, &ret))
		return ret;
	ours = min_u64(theirs, _IOC_SIZE(h->request));
	if (request & h->request & ((unsigned long)_IOC_WRITE << _IOC_DIRSHIFT) && guard_copy(data, arg, ours))
		return -EFAULT;
	ret = needs_device(h, data) ? switch_on(file) : 0;
	if (!ret && file->dev && device_gone(file->dev)) {
		list_state(file->dev);
		ret = -ENODEV;
	}
	if (!ret)
		ret = h->fn(file, data);
	if (request & h->request & ((unsigned long)_IOC_READ << _IOC_DIRSHIFT) && guard_copy(arg, data, ours))
		return -EFAULT;
	return ret;
}

static int direct_ioctl(int fd, unsigned long request, void *arg)
{
	struct file *file = get_file(fd);
	int ret;

	if (!file)
		return atomic_load(&forked) ? -ENODEV : -EBADF;
	ret = call(file, request, arg);
	put_file(file);
	return ret;
}

/* Mappings --------------------------------------------------------------------------------------- */

static void *map_file(struct file *file, void *addr, size_t size, int prot, int flags, uint64_t offset)
{
	struct bo *bo = bo_by_offset(file, offset, size);
	void *p;

	if (!bo && bo_is_anothers(file, offset)) {
		errno = EACCES;
		return MAP_FAILED;
	}
	if (!bo)
		return stream_map(file, addr, offset, size, prot, flags);
	p = bo_map(bo, addr, offset - bo->offset, size, prot, flags);
	bo_put(bo);
	return p;
}

static void *direct_mmap(void *addr, size_t size, int prot, int flags, int fd, uint64_t offset)
{
	struct file *file = get_file(fd);
	struct bo *bo;
	void *p;

	size = round_up(size, PAGE);
	if (file && switch_on(file)) {
		put_file(file);
		errno = ENODEV;
		return MAP_FAILED;
	}
	if (file) {
		p = map_file(file, addr, size, prot, flags, offset);
		put_file(file);
		return p;
	}
	bo = atomic_load(&forked) ? NULL : bo_by_fd(fd);
	if (!bo || offset > bo->size || size > bo->size - offset) {
		bo_put(bo);
		errno = EINVAL;
		return MAP_FAILED;
	}
	p = bo_map(bo, addr, offset, size, prot, flags);
	bo_put(bo);
	return p;
}

static int direct_munmap(void *addr, size_t size)
{
	size = round_up(size, PAGE);
	if (!atomic_load(&forked) && map_end(addr, size))
		return 0;
	return munmap(addr, size) ? -errno : 0;
}

static void direct_doorbell(int fd, uint32_t queue, uint64_t wptr)
{
	struct file *file = atomic_load_explicit(&files[fd], memory_order_acquire);

	if (!file || atomic_load_explicit(&forked, memory_order_relaxed) ||
	    atomic_load_explicit(&file->dev->owner[queue], memory_order_relaxed) != fd + 1)
		return;
	anpu_model_doorbell(file->dev->model, queue, wptr);
}

/* For a server's clients ------------------------------------------------------------------------- */

int shared_mmap(int fd, uint64_t offset, uint64_t size, int prot, int flags, struct shared_map *map)
{
	struct file *file = get_file(fd);
	struct bo *bo;
	int err;

	if (!file)
		return -EBADF;
	size = round_up(size, PAGE);
	err = switch_on(file) ? -ENODEV : 0;
	bo = err ? NULL : bo_by_offset(file, offset, size);
	if (err)
		;
	else if (bo)
		err = flags & MAP_SHARED ? bo_share(bo, offset - bo->offset, map) : -EINVAL;
	else if (bo_is_anothers(file, offset))
		err = -EACCES;
	else
		err = stream_share(file, offset, size, prot, flags, map);
	bo_put(bo);
	put_file(file);
	return err;
}

void shared_doorbell(int fd, uint32_t queue, uint64_t wptr)
{
	struct file *file = get_file(fd);

	if (!file)
		return;
	if (atomic_load(&file->on) && queue < file->dev->config.queues)
		direct_doorbell(fd, queue, wptr);
	put_file(file);
}

int shared_close(int fd, uint32_t handle, bool *used)
{
	struct drm_gem_close args = { .handle = handle };
	struct file *file = get_file(fd);
	struct bo *bo = NULL;
	int err;

	*used = false;
	if (!file)
		return -EBADF;
	err = switch_on(file);
	if (!err) {
		bo = bo_lookup(file, handle);
		err = bo_gem_close(file, &args);
	}
	if (bo) {
		pthread_mutex_lock(&file->dev->lock);
		*used = bo->refs > 1;
		pthread_mutex_unlock(&file->dev->lock);
	}
	bo_put(bo);
	put_file(file);
	return err;
}

int shared_piece(int fd, const struct anpu_piece *piece, int file_fd)
{
	struct file *file = get_file(fd);
	struct bo *bo;
	int err;

	if (!file)
		return -EBADF;
	err = switch_on(file);
	bo = err ? NULL : bo_lookup(file, piece->handle);
	if (!err)
		err = bo ? bo_piece(bo, piece, file_fd) : -ENOENT;
	bo_put(bo);
	put_file(file);
	return err;
}

void shared_owner(int fd, uint32_t pid)
{
	struct file *file = get_file(fd);

	if (!file)
		return;
	file->pid = pid;
	put_file(file);
}

void shared_hang_up(int fd)
{
	struct file *file = get_file(fd);
	uint64_t one = 1;

	if (!file)
		return;
	atomic_store(&file->gone, true);
	wait_wake_all();
	(void)!write(file->fd, &one, sizeof(one));
	put_file(file);
}

static void direct_shared(int fd, const void *at, size_t size)
{
	struct file *file = get_file(fd);

	if (!file)
		return;
	if (atomic_load(&file->on))
		anpu_model_shared(file->dev->model, at, size);
	put_file(file);
}

/* The rest --------------------------------------------------------------------------------------- */

static ssize_t direct_read(int fd, void *buf, size_t size)
{
	struct file *file = get_file(fd);
	ssize_t n;

	if (!file)
		return -EBADF;
	n = switch_on(file);
	if (!n)
		n = event_read(file, buf, size);
	put_file(file);
	return n;
}

static uint64_t direct_nodes(void)
{
	char why[320];
	int n = device_list(why, sizeof(why));

	return n <= 0 || atomic_load(&forked) ? 0 : ~0ULL >> (ANPU_ENGINE_MAX_NODES - n);
}

static void direct_why(char *text, size_t size)
{
	if (device_list(text, size) >= 0)
		copy_text(text, size, "a child of fork() has no device: its parent has it");
}

/* All devices of the process are behind one host bridge that no machine has */
static int direct_bridges(uint64_t address, char *path)
{
	copy_text(path, PATH_MAX, "/direct/pci0000:00/0000:00:%02x.0", (unsigned int)(address >> 8 & 0xff));
	return 0;
}

static const struct anpu_engine engine = {
	.version = ANPU_ENGINE_VERSION,
	.path = "direct device ",
	.nodes = direct_nodes,
	.why = direct_why,
	.open = direct_open,
	.close = direct_close,
	.ioctl = direct_ioctl,
	.mmap = direct_mmap,
	.munmap = direct_munmap,
	.read = direct_read,
	.doorbell = direct_doorbell,
	.shared = direct_shared,
	.bridges = direct_bridges,
};

__attribute__((visibility("default"))) const struct anpu_engine *anpu_direct_engine(void)
{
	return &engine;
}
