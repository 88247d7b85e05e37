// SPDX-License-Identifier: MIT
/*
 * Memory of the machine in place of the devices', for ranks that are processes whose devices are their own. All map the
 * same file in memory, the one that has what they see of each other, behind that: one rank's part behind the other. A
 * rank maps all of them at one stretch, its own first, which it registers with its device. From there on tasks do not see a
 * difference. Between machines it is pinned memory of the rank alone, with words and the slots for its own chunks in place of
 * the others' parts, and wire.c carries what tasks put there.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/front.h"
#include "hccl_inside.h"

#define PAGE 4096

/* Where the part of @rank begins in the file */
static uint64_t part_of(const struct hccl_comm *c, uint32_t rank)
{
	return (c->board_size + PAGE - 1) / PAGE * PAGE + rank * c->base_size;
}

static bool map(const struct hccl_comm *c, char *at, uint64_t size, uint64_t offset)
{
	return mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, c->board_fd, (off_t)offset) == at;
}

/* Of what there is for another rank */
static uint64_t peer_bytes(const struct hccl_comm *c)
{
	return c->wire ? hccl_words_bytes(c->ranks) + HCCL_SLOTS * c->slot_bytes : c->base_size;
}

static bool map_peer(struct hccl_comm *c, uint32_t peer, char *at)
{
	c->peers[peer].base = at;
	c->peers[peer].slots = at + (c->wire ? hccl_words_bytes(c->ranks) : hccl_slots_offset(c, peer, c->rank));
	return c->wire || map(c, at, c->base_size, part_of(c, peer));
}

static bool map_all(struct hccl_comm *c)
{
	char *at = c->window;
	bool ok = c->wire || map(c, at, c->base_size, part_of(c, c->rank));

	at += c->base_size;
	for (uint32_t i = 0; i < c->ranks && ok; i++) {
		if (i == c->rank)
			continue;
		ok = map_peer(c, i, at);
		at += peer_bytes(c);
	}
	return ok;
}

static HcclResult no_window(const struct hccl_comm *c)
{
	return hccl_fail(HCCL_E_MEMORY, "%u ranks need %llu bytes of shared memory on this machine, which it does not give "
			 "(%s): a smaller HCCL_BUFFSIZE needs less", c->ranks,
			 (unsigned long long)(c->base_size * c->ranks), strerror(errno));
}

static HcclResult open_alone(struct hccl_comm *c, uint64_t size)
{
	void *at;
	aclError err = aclrtMallocHost(&at, size);

	if (err)
		return hccl_fail_acl(err, "aclrtMallocHost() of the communicator's memory (HCCL_BUFFSIZE)");
	anpu_front_ordered(at);
	memset(at, 0, size);
	c->window = at;
	c->window_size = size;
	(void)map_all(c);
	hccl_first_words(c->window, c->ranks);
	c->base = c->window;
	return HCCL_SUCCESS;
}

HcclResult hccl_window_open(struct hccl_comm *c)
{
	uint64_t size = c->base_size + (c->ranks - 1) * peer_bytes(c);
	void *at, *seen;
	aclError err;

	if (c->wire)
		return open_alone(c, size);
	/* whichever rank comes first makes the file that long */
	if (ftruncate(c->board_fd, (off_t)part_of(c, c->ranks)))
		return no_window(c);
	at = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return no_window(c);
	c->window = at;
	c->window_size = size;
	c->window_shared = true;
	if (!map_all(c)) {
		HcclResult ret = no_window(c);

		munmap(c->window, c->window_size);
		c->window = NULL;
		return ret;
	}
#ifdef MADV_POPULATE_READ
	/* registering touches each page; the kernel maps many at once. Where it cannot (before 5.14), that only takes longer */
	(void)madvise(c->window, size, MADV_POPULATE_READ);
#endif
	hccl_first_words(c->window, c->ranks);
	err = aclrtHostRegister(c->window, size, ACL_HOST_REGISTER_MAPPED, &seen);
	if (err) {
		munmap(c->window, c->window_size);
		c->window = NULL;
		return hccl_fail_acl(err, "aclrtHostRegister() of the communicator's memory (HCCL_BUFFSIZE)");
	}
	/* nobody waits for what the own tasks say of themselves */
	anpu_front_shared(hccl_state_of(c->window) + 1);
	/* the device has it at the same address */
	c->base = c->window;
	return HCCL_SUCCESS;
}

void hccl_window_close(struct hccl_comm *c)
{
	if (!c->window)
		return;
	if (!c->window_shared) {
		(void)aclrtFreeHost(c->window);
	} else {
		if (c->base)
			(void)aclrtHostUnregister(c->window);
		munmap(c->window, c->window_size);
	}
	c->window = NULL;
}
