// SPDX-License-Identifier: MIT
/*
 * The device's memory: who has which part of it. Free memory is a hole in the file, so it is zero when
 * it is taken, and costs the machine nothing until then.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "direct.h"

/* Below this, writing zeros is faster than making a hole and filling it again with page faults. */
#define CLEAR_BY_HAND	(64U << 10)

/* A read-only descriptor, so that its mappings can never become writable. Without /proc it is writable, and they can */
static int open_again(int fd)
{
	char path[32];
	int again;

	copy_text(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, O_RDONLY | O_CLOEXEC);
	return again < 0 ? fd : again;
}

int hbm_init(struct hbm *h, uint64_t size)
{
	h->fd = memfd_create("anpu-hbm", MFD_CLOEXEC);
	if (h->fd < 0)
		return -errno;
	if (ftruncate(h->fd, size))
		goto fail;
	h->cpu = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, h->fd, 0);
	if (h->cpu == MAP_FAILED)
		goto fail;
	/* a child of fork() has no device */
	(void)madvise(h->cpu, size, MADV_DONTFORK);
	(void)madvise(h->cpu, size, MADV_DONTDUMP);
	h->read_fd = open_again(h->fd);
	h->max = 64;
	h->free_list = calloc(h->max, sizeof(*h->free_list));
	if (!h->free_list) {
		munmap(h->cpu, size);
		if (h->read_fd != h->fd)
			close(h->read_fd);
		goto fail;
	}
	h->free_list[0] = (struct range){ 0, size };
	h->n = 1;
	h->size = size;
	h->left = size;
	h->total = size;
	return 0;
fail:
	close(h->fd);
	return -ENOMEM;
}

void hbm_fini(struct hbm *h)
{
	munmap(h->cpu, h->size);
	if (h->read_fd != h->fd)
		close(h->read_fd);
	close(h->fd);
	free(h->free_list);
}

static void set_left(struct hbm *h, uint64_t left)
{
	h->left = left;
	if (h->dev)
		list_free(h->dev, left);
}

/* Takes a part of a free range. A range that is cut in two needs room in the list: see hbm_give(). */
static void cut(struct hbm *h, unsigned int i, uint64_t start, uint64_t size)
{
	struct range *r = &h->free_list[i];
	uint64_t before = start - r->start, after = r->start + r->size - (start + size);

	set_left(h, h->left - size);
	if (before && after) {
		memmove(r + 1, r, (h->n - i) * sizeof(*r));
		h->n++;
		r[0].size = before;
		r[1] = (struct range){ start + size, after };
	} else if (before) {
		r->size = before;
	} else if (after) {
		*r = (struct range){ start + size, after };
	} else {
		memmove(r, r + 1, (h->n - i - 1) * sizeof(*r));
		h->n--;
	}
}

/* Room for one more free range, before anything is cut. */
static bool has_room(struct hbm *h, unsigned int more)
{
	struct range *list;

	if (h->n + more <= h->max)
		return true;
	list = realloc(h->free_list, 2 * (h->max + more) * sizeof(*list));
	if (!list)
		return false;
	h->free_list = list;
	h->max = 2 * (h->max + more);
	return true;
}

uint64_t hbm_take(struct hbm *h, uint64_t size)
{
	unsigned int i = h->n;

	size = round_up(size, PAGE);
	if (!has_room(h, 1))
		return 0;
	while (i--) {
		struct range r = h->free_list[i];
		uint64_t start = r.start + r.size - size;

		/* address 0 means failure, so nobody gets it this way */
		if (r.size < size || !start)
			continue;
		cut(h, i, start, size);
		return start;
	}
	return 0;
}

static void clear(struct hbm *h, uint64_t addr, uint64_t size)
{
	if (size < CLEAR_BY_HAND ||
	    fallocate(h->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, addr, size))
		memset(h->cpu + addr, 0, size);
}

/* Puts a range that is zero back into the list */
static void put_back(struct hbm *h, uint64_t addr, uint64_t size)
{
	unsigned int i = 0;
	struct range *r;

	set_left(h, h->left + size);
	while (i < h->n && h->free_list[i].start < addr)
		i++;
	r = &h->free_list[i];
	if (i && r[-1].start + r[-1].size == addr) {
		r[-1].size += size;
		if (i < h->n && r->start == addr + size) {
			r[-1].size += r->size;
			memmove(r, r + 1, (h->n - i - 1) * sizeof(*r));
			h->n--;
		}
		return;
	}
	if (i < h->n && r->start == addr + size) {
		r->start = addr;
		r->size += size;
		return;
	}
	/* without memory for the list, the range stays out of use */
	if (!has_room(h, 1)) {
		set_left(h, h->left - size);
		return;
	}
	r = &h->free_list[i];
	memmove(r + 1, r, (h->n - i) * sizeof(*r));
	*r = (struct range){ addr, size };
	h->n++;
}

void hbm_give(struct hbm *h, uint64_t addr, uint64_t size)
{
	size = round_up(size, PAGE);
	clear(h, addr, size);
	put_back(h, addr, size);
}

int hbm_show(struct hbm *h, uint64_t addr, uint64_t size, int fd, uint64_t at)
{
	void *p = mmap(h->cpu + addr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, fd, at);

	return p == MAP_FAILED ? -ENOMEM : 0;
}

int hbm_hide(struct hbm *h, uint64_t addr, uint64_t size)
{
	return hbm_show(h, addr, size, h->fd, addr);
}

/* A range that cannot be made the device's own again, and so belongs to somebody's file, is never given out */
void hbm_give_shown(struct hbm *h, uint64_t addr, uint64_t size)
{
	if (!hbm_hide(h, addr, size))
		put_back(h, addr, size);
}

/* The first free range that has @size bytes at a multiple of @align. */
static bool find(const struct hbm *h, uint64_t size, uint64_t align, unsigned int *at, uint64_t *start)
{
	for (unsigned int i = 0; i < h->n; i++) {
		const struct range *r = &h->free_list[i];
		uint64_t first = round_up(r->start, align);

		if (first - r->start < r->size && r->size - (first - r->start) >= size) {
			*at = i;
			*start = first;
			return true;
		}
	}
	return false;
}

static int take_pieces(struct hbm *h, uint64_t size, struct range *out)
{
	int n = 0;

	while (size) {
		struct range r = h->free_list[0];
		uint64_t part = min_u64(size, r.size);

		cut(h, 0, r.start, part);
		out[n++] = (struct range){ r.start, part };
		size -= part;
	}
	return n;
}

int hbm_take_ranges(struct hbm *h, uint64_t size, bool contiguous, struct range **out)
{
	uint64_t align = size >= ANPU_PAGE_2M ? ANPU_PAGE_2M : size >= ANPU_PAGE_64K ? ANPU_PAGE_64K : PAGE;
	uint64_t start = 0;
	unsigned int i;
	bool one;

	if (size > h->left)
		return -ENOSPC;
	one = find(h, size, align, &i, &start) || (!contiguous && find(h, size, PAGE, &i, &start));
	if (!one && contiguous)
		return -ENOSPC;
	*out = calloc(one ? 1 : h->n, sizeof(**out));
	if (!*out || !has_room(h, 1)) {
		free(*out);
		return -ENOMEM;
	}
	if (!one)
		return take_pieces(h, size, *out);
	cut(h, i, start, size);
	**out = (struct range){ start, size };
	return 1;
}
