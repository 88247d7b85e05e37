// SPDX-License-Identifier: MIT
/*
 * Buffer objects: ranges of the HBM, files in memory, and memory of the program. A system object is a
 * file of its own, so the mappings that the program has of it keep its pages, whatever ends before.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "direct.h"

/* Offsets of objects for mmap(); those of streams are above */
#define FIRST_OFFSET	(1ULL << 32)

/* Lives ---------------------------------------------------------------------------------------- */

void bo_get(struct bo *bo)
{
	pthread_mutex_lock(&bo->dev->lock);
	bo->refs++;
	pthread_mutex_unlock(&bo->dev->lock);
}

static void release(struct bo *bo)
{
	*(bo->prev ? &bo->prev->next : &bo->dev->bos) = bo->next;
	if (bo->next)
		bo->next->prev = bo->prev;
	for (unsigned int i = 0; i < bo->n_chunks; i++)
		(bo->fd >= 0 ? hbm_give_shown : hbm_give)(&bo->dev->hbm, bo->chunk[i].start, bo->chunk[i].size);
	if (bo->type == DRM_ANPU_BO_SYSTEM || (shared_device && bo->type == DRM_ANPU_BO_USERPTR && !bo->torn))
		munmap(bo->cpu, bo->size);
	if (bo->fd >= 0)
		close(bo->fd);
	free(bo->chunk);
	free(bo);
}

/* The object of another device, if this one was imported, is let go of without this device's lock. */
void bo_put(struct bo *bo)
{
	struct device *dev;
	struct bo *origin = NULL;

	if (!bo)
		return;
	dev = bo->dev;
	pthread_mutex_lock(&dev->lock);
	if (!--bo->refs) {
		origin = bo->origin;
		release(bo);
	}
	pthread_mutex_unlock(&dev->lock);
	bo_put(origin);
}

static _Atomic uint64_t serials = 1;

static struct bo *new_bo(struct device *dev, uint32_t type, uint32_t flags, uint64_t size)
{
	struct bo *bo = calloc(1, sizeof(*bo));

	if (!bo)
		return NULL;
	*bo = (struct bo){ .dev = dev, .refs = 1, .type = type, .flags = flags, .size = size,
			   .fd = -1, .serial = atomic_fetch_add(&serials, 1) };
	return bo;
}

static void enlist(struct bo *bo)
{
	struct device *dev = bo->dev;

	bo->next = dev->bos;
	if (bo->next)
		bo->next->prev = bo;
	dev->bos = bo;
}

/* Addresses of an object's bytes --------------------------------------------------------------- */

static uint64_t hbm_addr(const struct bo *bo, uint64_t offset, uint64_t *span)
{
	unsigned int i = 0;

	while (offset >= bo->chunk[i].size)
		offset -= bo->chunk[i++].size;
	*span = bo->chunk[i].size - offset;
	return bo->chunk[i].start + offset;
}

bool bo_is_hbm(const struct bo *bo)
{
	return bo->type == DRM_ANPU_BO_HBM;
}

uint64_t bo_addr(const struct bo *bo, uint64_t offset, uint64_t *span)
{
	if (bo->origin) {
		uint64_t addr = bo_addr(bo->origin, offset, span);

		return bo_is_hbm(bo->origin) ? (uintptr_t)bo->origin->dev->hbm.cpu + addr : addr;
	}
	if (bo_is_hbm(bo))
		return hbm_addr(bo, offset, span);
	*span = bo->size - offset;
	return (uintptr_t)bo->cpu + offset;
}

uint64_t bo_read(const struct bo *bo, uint64_t offset, uint32_t width)
{
	uint64_t span, addr = bo_addr(bo, offset, &span);
	const void *p = bo_is_hbm(bo) ? bo->dev->hbm.cpu + addr : (const void *)(uintptr_t)addr;

	return width == 8 ? __atomic_load_n((const uint64_t *)p, __ATOMIC_ACQUIRE)
			  : __atomic_load_n((const uint32_t *)p, __ATOMIC_ACQUIRE);
}

/* Handles -------------------------------------------------------------------------------------- */

struct bo *bo_lookup(struct file *file, uint32_t handle)
{
	struct bo *bo = NULL;

	pthread_mutex_lock(&file->dev->lock);
	if (handle && handle <= file->n_handles)
		bo = file->handle[handle - 1];
	if (bo)
		bo->refs++;
	pthread_mutex_unlock(&file->dev->lock);
	return bo;
}

/* HBM of another device counts there alone. */
static void account(struct file *file, const struct bo *bo, bool add)
{
	uint64_t *bytes = bo_is_hbm(bo) ? &file->own_hbm : &file->own_system;

	if (bo->origin && bo_is_hbm(bo->origin))
		return;
	*bytes += add ? bo->size : -bo->size;
	list_memory(file);
}

/* Device locked; takes over the reference */
static int add_handle(struct file *file, struct bo *bo, uint32_t *handle)
{
	unsigned int i = 0, max = file->n_handles ? 2 * file->n_handles : 64;
	struct bo **table;

	while (i < file->n_handles && file->handle[i])
		i++;
	if (i == file->n_handles) {
		table = realloc(file->handle, max * sizeof(*table));
		if (!table)
			return -ENOMEM;
		memset(table + i, 0, (max - i) * sizeof(*table));
		file->handle = table;
		file->n_handles = max;
	}
	file->handle[i] = bo;
	account(file, bo, true);
	*handle = i + 1;
	return 0;
}

static struct bo *take_handle(struct file *file, uint32_t handle)
{
	struct bo *bo = NULL;

	pthread_mutex_lock(&file->dev->lock);
	if (handle && handle <= file->n_handles)
		bo = file->handle[handle - 1];
	if (bo) {
		file->handle[handle - 1] = NULL;
		account(file, bo, false);
	}
	pthread_mutex_unlock(&file->dev->lock);
	return bo;
}

int bo_gem_close(struct file *file, void *data)
{
	const struct drm_gem_close *args = data;
	struct bo *bo = take_handle(file, args->handle);

	if (!bo)
		return -EINVAL;
	bo_put(bo);
	return 0;
}

void bo_close_all(struct file *file)
{
	for (uint32_t i = 1; i <= file->n_handles; i++)
		bo_put(take_handle(file, i));
	free(file->handle);
	file->handle = NULL;
	file->n_handles = 0;
}

/* BO_CREATE ------------------------------------------------------------------------------------ */

static int check_create(const struct drm_anpu_bo_create *args)
{
	uint32_t known = 0;

	if (args->type > DRM_ANPU_BO_USERPTR)
		return -EINVAL;
	if (args->type == DRM_ANPU_BO_HBM)
		known = DRM_ANPU_BO_CONTIGUOUS;
	if (args->type == DRM_ANPU_BO_USERPTR)
		known = DRM_ANPU_BO_READONLY;
	if (args->flags & ~known || args->pad || !args->size || args->size > VA_END - VA_START)
		return -EINVAL;
	if (args->type == DRM_ANPU_BO_USERPTR)
		return aligned(args->size | args->user_ptr, PAGE) && args->user_ptr &&
		       args->user_ptr + args->size > args->user_ptr ? 0 : -EINVAL;
	return args->user_ptr ? -EINVAL : 0;
}

static uint64_t machine_memory(void)
{
	return (uint64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
}

static int note_inode(struct bo *bo, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	bo->st_dev = st.st_dev;
	bo->ino = st.st_ino;
	return 0;
}

/* Shows the object's file where the device has its chunks; release() puts right what is half done */
static int show_file(struct bo *bo, int fd)
{
	uint64_t at = 0;
	int err = note_inode(bo, fd);

	bo->fd = fd;
	for (unsigned int i = 0; i < bo->n_chunks && !err; i++) {
		err = hbm_show(&bo->dev->hbm, bo->chunk[i].start, bo->chunk[i].size, fd, at);
		at += bo->chunk[i].size;
	}
	return err;
}

/* Device locked. @fd: the file that has the contents already, which is taken over; else -1 */
static int back_hbm(struct bo *bo, int fd)
{
	int n = hbm_take_ranges(&bo->dev->hbm, bo->size, bo->flags & DRM_ANPU_BO_CONTIGUOUS, &bo->chunk);

	bo->n_chunks = n < 0 ? 0 : n;
	if (n >= 0 && shared_device && fd < 0) {
		fd = shared_file("anpu-hbm", bo->size);
		n = fd < 0 ? fd : n;
	}
	if (n >= 0 && fd >= 0)
		return show_file(bo, fd);
	if (n < 0 && fd >= 0)
		close(fd);
	return n < 0 ? n : 0;
}

/*
 * A descriptor that would leave the program too few is closed again: mappings are made from the
 * engine's own then, and the object cannot be exported.
 */
static void keep_fd(struct bo *bo, int fd)
{
	struct rlimit limit = { .rlim_cur = 1024 };

	(void)getrlimit(RLIMIT_NOFILE, &limit);
	/* a server gives it to its clients, and needs few for itself */
	if (shared_device || (rlim_t)fd < limit.rlim_cur / 2) {
		bo->fd = fd;
		return;
	}
	close(fd);
}

static int system_file(uint64_t size)
{
	int fd;

	if (shared_device)
		return shared_file("anpu-system", size);
	fd = memfd_create("anpu-system", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (!ftruncate(fd, size))
		return fd;
	close(fd);
	return -ENOMEM;
}

/* Takes over @fd */
static int back_system(struct bo *bo, int fd)
{
	int err = -ENOMEM;

	if (fd < 0)
		return fd;
	bo->cpu = mmap(NULL, bo->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (bo->cpu != MAP_FAILED)
		err = note_inode(bo, fd);
	if (err) {
		if (bo->cpu != MAP_FAILED)
			munmap(bo->cpu, bo->size);
		close(fd);
		return err;
	}
	keep_fd(bo, fd);
	return 0;
}

/* In a server: addresses, which the client fills with pieces of its memory; see bo_piece() */
static int reserve(struct bo *bo)
{
	void *p = mmap(NULL, bo->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	bo->cpu = p;
	return p == MAP_FAILED ? -ENOMEM : 0;
}

static int back_user(struct bo *bo, uint64_t user_ptr)
{
	if (bo->size > machine_memory())
		return -ENOMEM;
	if (user_ptr >= VA_END || bo->size > VA_END - user_ptr)
		return -EFAULT;
	if (shared_device)
		return reserve(bo);
	bo->cpu = (uint8_t *)(uintptr_t)user_ptr;
	guard_rearm();
	return guard_touch(bo->cpu, bo->size, !(bo->flags & DRM_ANPU_BO_READONLY));
}

int bo_create(struct file *file, void *data)
{
	struct drm_anpu_bo_create *args = data;
	struct device *dev = file->dev;
	int err = check_create(args);
	struct bo *bo;

	if (err)
		return err;
	if (dev->wedged)
		return -EIO;
	bo = new_bo(dev, args->type, args->flags, round_up(args->size, PAGE));
	if (!bo)
		return -ENOMEM;
	if (bo->type == DRM_ANPU_BO_SYSTEM)
		err = bo->size > machine_memory() ? -ENOMEM : back_system(bo, system_file(bo->size));
	else if (bo->type == DRM_ANPU_BO_USERPTR)
		err = back_user(bo, args->user_ptr);
	if (err) {
		free(bo);
		return err;
	}
	pthread_mutex_lock(&dev->lock);
	if (bo_is_hbm(bo))
		err = back_hbm(bo, -1);
	enlist(bo);
	if (!err)
		err = add_handle(file, bo, &args->handle);
	args->size = err ? args->size : bo->size;
	if (err)
		release(bo);
	pthread_mutex_unlock(&dev->lock);
	return err;
}

/* Mapping into the program --------------------------------------------------------------------- */

int bo_mmap_offset(struct file *file, void *data)
{
	struct drm_anpu_bo_mmap_offset *args = data;
	struct device *dev = file->dev;
	struct bo *bo;
	int err = 0;

	if (args->pad)
		return -EINVAL;
	bo = bo_lookup(file, args->handle);
	if (!bo)
		return -ENOENT;
	pthread_mutex_lock(&dev->lock);
	if (bo->type != DRM_ANPU_BO_HBM && bo->type != DRM_ANPU_BO_SYSTEM) {
		err = -EINVAL;
	} else {
		if (!bo->offset) {
			bo->offset = FIRST_OFFSET + dev->next_offset;
			dev->next_offset += bo->size;
		}
		args->offset = bo->offset;
	}
	pthread_mutex_unlock(&dev->lock);
	bo_put(bo);
	return err;
}

struct bo *bo_by_offset(struct file *file, uint64_t offset, uint64_t size)
{
	struct bo *bo, *found = NULL;

	pthread_mutex_lock(&file->dev->lock);
	for (unsigned int i = 0; i < file->n_handles && !found; i++) {
		bo = file->handle[i];
		if (bo && bo->offset && offset >= bo->offset && offset - bo->offset < bo->size &&
		    size <= bo->size - (offset - bo->offset))
			found = bo;
	}
	if (found)
		found->refs++;
	pthread_mutex_unlock(&file->dev->lock);
	return found;
}

static void *map_system(const struct bo *bo, void *addr, uint64_t at, uint64_t size, int prot, int flags)
{
	void *p;

	if (bo->fd >= 0)
		return mmap(addr, size, prot, flags, bo->fd, at);
	/* an old size of 0 asks for a second mapping of the same pages */
	p = flags & MAP_FIXED ? mremap(bo->cpu + at, 0, size, MREMAP_MAYMOVE | MREMAP_FIXED, addr)
			      : mremap(bo->cpu + at, 0, size, MREMAP_MAYMOVE);
	if (p != MAP_FAILED && prot != (PROT_READ | PROT_WRITE))
		(void)mprotect(p, size, prot);
	return p;
}

/* A range of addresses, and then each piece of the HBM in its place */
static void *map_hbm(const struct bo *bo, void *addr, uint64_t at, uint64_t size, int prot, int flags)
{
	uint8_t *p = mmap(addr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | (flags & MAP_FIXED), -1, 0);
	uint64_t span, done, part;

	if (p == MAP_FAILED)
		return p;
	for (done = 0; done < size; done += part) {
		uint64_t where = hbm_addr(bo, at + done, &span);

		part = min_u64(span, size - done);
		if (mmap(p + done, part, prot, MAP_SHARED | MAP_FIXED, bo->dev->hbm.fd, where) == MAP_FAILED) {
			int err = errno;

			munmap(p, size);
			errno = err;
			return MAP_FAILED;
		}
	}
	return p;
}

void *bo_map(struct bo *bo, void *addr, uint64_t at, uint64_t size, int prot, int flags)
{
	void *p;
	int err;

	if (!(flags & MAP_SHARED)) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	if (!bo_is_hbm(bo))
		return map_system(bo, addr, at, size, prot, flags);
	p = map_hbm(bo, addr, at, size, prot, flags);
	if (p == MAP_FAILED)
		return p;
	err = map_note(p, size, bo, NULL, 0);
	if (!err)
		return p;
	munmap(p, size);
	errno = -err;
	return MAP_FAILED;
}

int bo_share(struct bo *bo, uint64_t at, struct shared_map *map)
{
	if (bo->fd < 0)
		return -EINVAL;
	map->fd = fcntl(bo->fd, F_DUPFD_CLOEXEC, 0);
	map->at = at;
	return map->fd < 0 ? -errno : 0;
}

/* Sharing -------------------------------------------------------------------------------------- */

/* The contents of a file that stands for an exported HBM object */
struct token {
	char magic[16];
	uint64_t process;
	uint64_t serial;
};
#define MAGIC	"anpu-hbm-object"

/* A number that no other process has, as its objects are counted from 1, too */
static uint64_t process_key(void)
{
	static _Atomic uint64_t key;
	uint64_t now = atomic_load(&key), fresh = 0;

	if (now)
		return now;
	if (getrandom(&fresh, sizeof(fresh), 0) != sizeof(fresh) || !fresh)
		fresh = (uint64_t)getpid() << 32 | 1;
	return atomic_compare_exchange_strong(&key, &now, fresh) ? fresh : now;
}

static int export_hbm(const struct bo *bo)
{
	struct token token = { MAGIC, process_key(), bo->serial };
	int fd = memfd_create(MAGIC, MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (pwrite(fd, &token, sizeof(token), 0) == sizeof(token))
		return fd;
	close(fd);
	return -ENOMEM;
}

static int export_fd(struct bo *bo)
{
	int fd;

	if (bo_is_hbm(bo) && !shared_device)
		return export_hbm(bo);
	if (bo->fd < 0)
		return -EMFILE;
	fd = fcntl(bo->fd, F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? -errno : fd;
}

/* The serial number of the HBM object that a file stands for, or 0 for any other file */
static uint64_t token_of(int fd)
{
	struct token token = { 0 };

	if (shared_device)
		return 0;
	if (pread(fd, &token, sizeof(token), 0) != sizeof(token) || memcmp(token.magic, MAGIC, sizeof(MAGIC)))
		return 0;
	return token.process == process_key() ? token.serial : UINT64_MAX;
}

/* An object of this engine, but of another process? */
static bool is_foreign(int fd)
{
	char path[64], name[64] = "";

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (readlink(path, name, sizeof(name) - 1) < 0)
		return false;
	return !strncmp(name, "/memfd:anpu-", 12);
}

int bo_export(struct file *file, void *data)
{
	struct drm_prime_handle *args = data;
	struct bo *bo = bo_lookup(file, args->handle);
	int fd;

	if (!bo)
		return -ENOENT;
	if (args->flags & ~(DRM_CLOEXEC | DRM_RDWR)) {
		bo_put(bo);
		return -EINVAL;
	}
	pthread_mutex_lock(&file->dev->lock);
	if (bo->type == DRM_ANPU_BO_USERPTR)
		fd = -EOPNOTSUPP;
	else
		fd = export_fd(bo->origin ? bo->origin : bo);
	pthread_mutex_unlock(&file->dev->lock);
	bo_put(bo);
	if (fd < 0)
		return fd;
	args->fd = fd;
	return 0;
}

struct bo *bo_by_fd(int fd)
{
	struct bo *bo, *found = NULL;
	unsigned int n;
	struct device *const *devices = device_table(&n);
	struct stat st;
	uint64_t serial;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return NULL;
	serial = token_of(fd);
	for (unsigned int i = 0; i < n && !found; i++) {
		pthread_mutex_lock(&devices[i]->lock);
		for (bo = devices[i]->bos; bo && !found; bo = bo->next)
			if (serial && bo_is_hbm(bo) ? bo->serial == serial
						    : bo->ino == st.st_ino && bo->st_dev == st.st_dev)
				found = bo;
		if (found)
			found->refs++;
		pthread_mutex_unlock(&devices[i]->lock);
	}
	return found;
}

/* Device locked: an object has one handle in a file, however often it is imported */
static uint32_t handle_of(const struct file *file, const struct bo *bo)
{
	for (unsigned int i = 0; i < file->n_handles; i++) {
		const struct bo *mine = file->handle[i];

		if (mine && (mine == bo || mine->origin == bo))
			return i + 1;
	}
	return 0;
}

bool bo_is_anothers(struct file *file, uint64_t offset)
{
	bool found = false;

	pthread_mutex_lock(&file->dev->lock);
	for (const struct bo *bo = file->dev->bos; bo && !found; bo = bo->next)
		found = bo->offset && offset >= bo->offset && offset - bo->offset < bo->size &&
			!handle_of(file, bo);
	pthread_mutex_unlock(&file->dev->lock);
	return found;
}

/*
 * A client's descriptor keeps what it stands for, as a dma-buf does, though the object has been closed: the
 * file still has its contents, and becomes an object again.
 */
static int adopt(struct file *file, struct drm_prime_handle *args)
{
	bool hbm;
	uint64_t size = shared_file_size(args->fd, &hbm);
	int fd, err = 0;
	struct bo *bo;

	if (!size || size > VA_END - VA_START)
		return -EINVAL;
	fd = fcntl(args->fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	bo = new_bo(file->dev, hbm ? DRM_ANPU_BO_HBM : DRM_ANPU_BO_SYSTEM, 0, size);
	if (!bo)
		close(fd);
	if (bo && !hbm)
		err = back_system(bo, fd);
	if (!bo || err) {
		free(bo);
		return err ? err : -ENOMEM;
	}
	pthread_mutex_lock(&file->dev->lock);
	if (hbm)
		err = back_hbm(bo, fd);
	enlist(bo);
	if (!err)
		err = add_handle(file, bo, &args->handle);
	if (err)
		release(bo);
	pthread_mutex_unlock(&file->dev->lock);
	return err;
}

int bo_import(struct file *file, void *data)
{
	struct drm_prime_handle *args = data;
	struct bo *bo, *found;
	int err = 0;

	if (fcntl(args->fd, F_GETFD) < 0)
		return -EBADF;
	found = bo_by_fd(args->fd);
	if (!found && shared_device)
		return adopt(file, args);
	if (!found)
		return is_foreign(args->fd) ? -EOPNOTSUPP : -EINVAL;
	bo = found;
	if (found->dev != file->dev) {
		bo = new_bo(file->dev, BO_IMPORTED, found->flags, found->size);
		if (!bo) {
			bo_put(found);
			return -ENOMEM;
		}
		bo->origin = found;
	}
	pthread_mutex_lock(&file->dev->lock);
	args->handle = handle_of(file, found);
	if (bo != found)
		enlist(bo);
	if (!args->handle) {
		err = add_handle(file, bo, &args->handle);
		if (!err)
			bo = NULL;
	}
	pthread_mutex_unlock(&file->dev->lock);
	bo_put(bo);
	return err;
}
