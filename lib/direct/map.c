// SPDX-License-Identifier: MIT
/*
 * Mappings of the HBM that the program has: objects stay as long as they are mapped, and pages of
 * streams are taken back. Mappings of system objects need no note, as the kernel counts those itself.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "direct.h"

struct map {
	struct map *next;
	void *addr;
	uint64_t size;
	struct bo *bo;		/* referenced, or NULL */
	struct stream *stream;	/* NULL also when its pages were taken back */
	enum page_kind kind;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct map *maps;

int map_note(void *addr, uint64_t size, struct bo *bo, struct stream *s, enum page_kind kind)
{
	struct map *m = calloc(1, sizeof(*m));

	if (!m)
		return -ENOMEM;
	*m = (struct map){ .addr = addr, .size = size, .bo = bo, .stream = s, .kind = kind };
	if (bo)
		bo_get(bo);
	pthread_mutex_lock(&lock);
	m->next = maps;
	maps = m;
	pthread_mutex_unlock(&lock);
	return 0;
}

bool map_end(void *addr, uint64_t size)
{
	struct map **p, *m;

	pthread_mutex_lock(&lock);
	for (p = &maps; *p && ((*p)->addr != addr || (*p)->size != size); p = &(*p)->next)
		;
	m = *p;
	if (m) {
		*p = m->next;
		/* under the lock: map_revoke() must not put pages where other memory is by now */
		munmap(addr, size);
	}
	pthread_mutex_unlock(&lock);
	if (!m)
		return false;
	bo_put(m->bo);
	free(m);
	return true;
}

/* The program's mappings of an ended stream become private pages: they read as zero, and writes have no effect. */
void map_revoke(struct stream *s, bool status)
{
	struct map *m;

	pthread_mutex_lock(&lock);
	for (m = maps; m; m = m->next) {
		if (m->stream != s || (m->kind == PAGE_STATUS && !status))
			continue;
		(void)mmap(m->addr, m->size,
			   m->kind == PAGE_STATUS ? PROT_READ : PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		m->stream = NULL;
	}
	pthread_mutex_unlock(&lock);
}
