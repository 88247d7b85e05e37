// SPDX-License-Identifier: MIT
/*
 * Communicators: how they are made, found, and end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "core/front.h"
#include "graph/front.h"
#include "hccl_inside.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;
static struct hccl_comm *comms;	 /* the program's */
/*
 * Nobody finds these, and they use the memory of others: being made, when others may have done all they want, and left, before this rank
 * hears that all have come; and being destroyed, while their last tasks run
 */
static struct hccl_comm *hidden;
static pid_t owner; /* the process that has communicators; a child of it ends none of them */
static struct hccl_comm *leaving; /* destroyed, and ranks of this process may still write into their memory */

/* Making ---------------------------------------------------------------------------------------- */

static HcclResult take_device(struct hccl_comm *c)
{
	aclError err = aclrtGetDevice(&c->device);

	if (!err)
		err = aclrtGetCurrentContext(&c->context);
	return err ? hccl_fail(HCCL_E_RUNTIME, "the thread has no device: call aclrtSetDevice() before") : HCCL_SUCCESS;
}

/*
 * A rank that has left may reset its device, with which its memory would go, while others have yet to tell it that its
 * last chunk was taken, by a store into that memory. A context of the library keeps the device until all ranks of the
 * process have left.
 */
static HcclResult hold_device(struct hccl_comm *c)
{
	uint64_t before = anpu_front_context();
	aclError err = aclrtCreateContext(&c->hold, c->device);

	anpu_front_set_context(before);
	return err ? hccl_fail_acl(err, "aclrtCreateContext()") : HCCL_SUCCESS;
}

static void let_go(struct hccl_comm *c)
{
	if (c->hold)
		(void)aclrtDestroyContext(c->hold);
	c->hold = NULL;
}

static HcclResult map_board(struct hccl_comm *c, int fd)
{
	c->board_size = hccl_public_bytes(c->ranks) * c->ranks;
	/* what ranks of other machines say of themselves comes by messages */
	c->board = mmap(NULL, c->board_size, PROT_READ | PROT_WRITE,
			fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);
	c->board_fd = fd;
	if (c->board != (char *)MAP_FAILED)
		return HCCL_SUCCESS;
	c->board = NULL;
	return hccl_fail(HCCL_E_SYSCALL, "the ranks' shared memory cannot be mapped");
}

static void name_comm(struct hccl_comm *c)
{
	size_t used;

	memcpy(c->name, c->set.name, sizeof(c->name));
	if (c->name[0])
		return;
	used = (size_t)snprintf(c->name, sizeof(c->name), "hccl_world_");
	for (unsigned int i = 0; i < 8; i++)
		used += (size_t)snprintf(c->name + used, sizeof(c->name) - used, "%02x", c->addr.job[i]);
}

static void free_comm(struct hccl_comm *c)
{
	hccl_window_close(c);
	if (c->board)
		munmap(c->board, c->board_size);
	if (c->board_fd >= 0)
		close(c->board_fd);
	pthread_mutex_destroy(&c->lock);
	pthread_mutex_destroy(&c->news);
	pthread_cond_destroy(&c->answered);
	free(c->peers);
	free(c->tx);
	free(c->rx);
	free(c->places);
	free(c->sent);
	free(c->received);
	free(c->dropped);
	free(c);
}

/* Of one that never was the program's */
static void undo(struct hccl_comm *c)
{
	if (c->done)
		(void)aclrtDestroyEvent(c->done);
	if (c->binary)
		(void)aclrtBinaryUnLoad(c->binary);
	hccl_close_peers(c);
	hccl_free_memory(c);
	if (c->meeting) {
		hccl_meet_end(c->meeting);
		hccl_meet_free(c->meeting);
	}
	let_go(c);
	free_comm(c);
}

static HcclResult fill(struct hccl_comm *c, bool late, struct hccl_comm *parent)
{
	int fd = -1;
	HcclResult ret = take_device(c);
	aclError err;

	if (!ret)
		ret = hold_device(c);
	if (!ret)
		ret = hccl_meet_join(&c->addr, c->ranks, c->rank, late, hccl_public_bytes(c->ranks), parent,
				     &c->meeting, &fd);
	if (!ret)
		ret = map_board(c, fd);
	if (!ret)
		ret = hccl_reach_all(c);
	if (!ret)
		ret = hccl_reduce_load(c);
	if (ret)
		return ret;
	err = aclrtCreateEventWithFlag(&c->done, ACL_EVENT_SYNC);
	if (err)
		return hccl_fail_acl(err, "aclrtCreateEventWithFlag()");
	hccl_meet_joined(c->meeting);
	return hccl_watch(c);
}

/* Lock held */
static bool unlink_from(struct hccl_comm **list, struct hccl_comm *c)
{
	while (*list && *list != c)
		list = &(*list)->next;
	if (!*list)
		return false;
	*list = c->next;
	return true;
}

static void release_all(struct hccl_comm *end);
static struct hccl_comm *take_finished(const struct hccl_address *addr);

/* The ranks of this process that have left waited for this one */
static void give_up(struct hccl_comm *c)
{
	struct hccl_address addr = c->addr;
	uint64_t before = anpu_front_context();
	struct hccl_comm *end;

	pthread_mutex_lock(&lock);
	(void)unlink_from(&hidden, c);
	pthread_mutex_unlock(&lock);
	undo(c);
	pthread_mutex_lock(&lock);
	end = take_finished(&addr);
	pthread_mutex_unlock(&lock);
	release_all(end);
	anpu_front_set_context(before);
}

HcclResult hccl_comm_make(const struct hccl_address *addr, uint32_t ranks, uint32_t rank, bool late, struct hccl_comm *parent,
			  const struct hccl_settings *set, struct hccl_comm **out)
{
	struct hccl_comm *c = calloc(1, sizeof(*c));
	HcclResult ret;

	if (!c)
		return hccl_fail(HCCL_E_MEMORY, "no memory for a communicator");
	c->addr = *addr;
	c->ranks = ranks;
	c->rank = rank;
	c->set = *set;
	c->maker = pthread_self();
	c->board_fd = -1;
	pthread_mutex_init(&c->lock, NULL);
	pthread_mutex_init(&c->news, NULL);
	pthread_cond_init(&c->answered, NULL);
	c->peers = calloc(ranks, sizeof(*c->peers));
	c->tx = calloc(ranks, sizeof(*c->tx));
	c->rx = calloc(ranks, sizeof(*c->rx));
	c->places = calloc(2 * (size_t)ranks, sizeof(*c->places));
	c->sent = calloc(ranks, sizeof(*c->sent));
	c->received = calloc(ranks, sizeof(*c->received));
	name_comm(c);
	pthread_mutex_lock(&lock);
	c->next = hidden;
	hidden = c;
	pthread_mutex_unlock(&lock);
	ret = c->peers && c->tx && c->rx && c->places && c->sent && c->received ? fill(c, late, parent) :
		hccl_fail(HCCL_E_MEMORY, "no memory for a communicator of %u ranks", ranks);
	if (ret) {
		give_up(c);
		return ret;
	}
	pthread_mutex_lock(&lock);
	(void)unlink_from(&hidden, c);
	c->next = comms;
	comms = c;
	owner = getpid();
	pthread_mutex_unlock(&lock);
	*out = c;
	return HCCL_SUCCESS;
}

/* Finding --------------------------------------------------------------------------------------- */

struct hccl_comm *hccl_comm_get(HcclComm comm, HcclResult *ret)
{
	struct hccl_comm *c;

	if (!comm) {
		*ret = hccl_fail(HCCL_E_PTR, "comm is NULL");
		return NULL;
	}
	pthread_mutex_lock(&lock);
	for (c = comms; c && c != comm; c = c->next)
		;
	if (c)
		c->users++;
	pthread_mutex_unlock(&lock);
	if (!c)
		*ret = hccl_fail(HCCL_E_PARA, "comm is %p, which is no communicator (any more)", comm);
	return c;
}

void hccl_comm_put(struct hccl_comm *c)
{
	pthread_mutex_lock(&lock);
	if (!--c->users)
		pthread_cond_broadcast(&idle);
	pthread_mutex_unlock(&lock);
}

bool hccl_comm_each(bool (*fn)(struct hccl_comm *c, void *arg), void *arg)
{
	bool found = false;

	pthread_mutex_lock(&lock);
	for (struct hccl_comm *c = comms; c && !found; c = c->next)
		found = fn(c, arg);
	pthread_mutex_unlock(&lock);
	return found;
}

void hccl_comm_break(struct hccl_comm *c, HcclResult code, const char *why)
{
	pthread_mutex_lock(&c->news);
	if (!atomic_load(&c->broken)) {
		snprintf(c->why, sizeof(c->why), "%s", why);
		atomic_store(&c->broken, (int)code);
	}
	pthread_mutex_unlock(&c->news);
}

HcclResult hccl_comm_broken(struct hccl_comm *c)
{
	HcclResult code = (HcclResult)atomic_load(&c->broken);
	char why[HCCL_TEXT];

	if (!code)
		return HCCL_SUCCESS;
	pthread_mutex_lock(&c->news);
	memcpy(why, c->why, sizeof(why));
	pthread_mutex_unlock(&c->news);
	return hccl_fail(code, "%s", why);
}

/* The end --------------------------------------------------------------------------------------- */

/*
 * Each task of a call is in front of one that writes the rank's state, which no other rank does; other words in the memory of a
 * rank are written by tasks of others, which may have the same device
 */
size_t hccl_busy_streams(const struct hccl_comm *c, aclrtStream *list, size_t room)
{
	return anpu_front_users(hccl_state_of(c->base), sizeof(struct hccl_state), list, room);
}

/* Tasks of this rank have run, also those of graphs, or never will */
static void await_tasks(struct hccl_comm *c)
{
	struct timespec pause = { .tv_nsec = 200000 };

	while (!atomic_load(&c->broken) && hccl_busy_streams(c, NULL, 0))
		nanosleep(&pause, NULL);
}

/*
 * The wait that hccl_watch_abort() has left behind must have failed before its word goes. It does so at once, unless the stream stops
 * at a failure: so not for ever
 */
static void await_failure(struct hccl_comm *c)
{
	struct timespec pause = { .tv_nsec = 200000 };
	aclrtEventRecordedStatus event;

	for (int i = 0; i < 2500 && c->stream && atomic_load(&c->broken); i++) {
		if (aclrtQueryEventStatus(c->done, &event) || event == ACL_EVENT_RECORDED_STATUS_COMPLETE)
			return;
		nanosleep(&pause, NULL);
	}
}

static bool has(const struct hccl_comm *list, const struct hccl_address *addr)
{
	while (list && memcmp(&list->addr, addr, sizeof(*addr)))
		list = list->next;
	return list;
}

/* If nobody of this process is left in the communicator, those that have left can go; lock held */
static struct hccl_comm *take_finished(const struct hccl_address *addr)
{
	struct hccl_comm **p, *out = NULL, *one;

	if (has(comms, addr) || has(hidden, addr))
		return NULL;
	for (p = &leaving; *p;) {
		one = *p;
		if (memcmp(&one->addr, addr, sizeof(*addr))) {
			p = &one->next;
			continue;
		}
		*p = one->next;
		one->next = out;
		out = one;
	}
	return out;
}

/*
 * After aclrtResetDeviceForce() or aclFinalize() the memory went with the device, and the address may be somebody else's.
 * Imports end here and not in leave(): two ranks of a process import the same key, aclrtIpcMemClose() cannot say whose mapping it ends, and
 * a rank that has not left still writes through its own.
 */
static void release(struct hccl_comm *c)
{
	if (!aclrtSetCurrentContext(c->hold)) {
		hccl_close_peers(c);
		hccl_free_memory(c);
		if (c->own_device)
			(void)aclrtResetDevice(c->device);
		let_go(c);
	}
	free_comm(c);
}

static void release_all(struct hccl_comm *end)
{
	struct hccl_comm *next;

	for (; end; end = next) {
		next = end->next;
		release(end);
	}
}

/* Whoever waits for this rank from now on waits for nothing */
static void say_left(struct hccl_comm *c)
{
	if (!atomic_load(&c->broken))
		atomic_store(&hccl_public_of(c, c->rank)->left, HCCL_LEFT);
}

static void leave(struct hccl_comm *c)
{
	bool there = !aclrtSetCurrentContext(c->context);

	if (there)
		await_tasks(c);
	say_left(c);
	hccl_watch_end(c);
	if (there)
		await_failure(c);
	hccl_wire_end(c);
	hccl_meet_end(c->meeting);
	hccl_meet_free(c->meeting);
	if (!there)
		return;
	(void)aclrtDestroyEvent(c->done);
	(void)aclrtBinaryUnLoad(c->binary);
}

/* Nobody finds it any more, nor uses it; lock held */
static bool hide(struct hccl_comm *c)
{
	if (!unlink_from(&comms, c))
		return false;
	c->next = hidden;
	hidden = c;
	while (c->users > 1)
		pthread_cond_wait(&idle, &lock);
	return true;
}

HcclResult HcclCommDestroy(HcclComm comm)
{
	HcclResult ret = HCCL_SUCCESS;
	struct hccl_comm *c, *end;
	uint64_t before;
	bool mine;

	HCCL_ENTER();
	c = hccl_comm_get(comm, &ret);
	if (!c)
		return ret;
	hccl_check_held_back(comm);
	pthread_mutex_lock(&lock);
	mine = hide(c);
	pthread_mutex_unlock(&lock);
	hccl_windows_end(c);
	if (!mine) {
		hccl_comm_put(c);
		return hccl_fail(HCCL_E_PARA, "comm is being destroyed by another thread");
	}
	before = anpu_front_context();
	hccl_check_left(c);
	leave(c);
	pthread_mutex_lock(&lock);
	(void)unlink_from(&hidden, c);
	c->next = leaving;
	leaving = c;
	end = take_finished(&c->addr);
	pthread_mutex_unlock(&lock);
	release_all(end);
	anpu_front_set_context(before);
	return HCCL_SUCCESS;
}

/* A program that ends without HcclCommDestroy() ------------------------------------------------- */

/* Without its context, as after aclFinalize(), it has none */
static bool has_tasks(struct hccl_comm *c)
{
	uint64_t context = (uintptr_t)c->context;
	bool primary;

	if (anpu_front_context_device(context, &primary) < 0)
		return false;
	anpu_front_set_context(context);
	return hccl_busy_streams(c, NULL, 0);
}

/*
 * A rank without tasks owes the others nothing, and they may have calls of their own to finish, or data to take that are there already: so
 * they are told as by HcclCommDestroy(). Data for ranks of other machines may be on their way yet, and are lost.
 */
static void __attribute__((destructor)) end_with_process(void)
{
	struct timespec pause = { .tv_nsec = 1000000 };
	int tries = 0;

	if (owner != getpid())
		return;
	while (pthread_mutex_trylock(&lock)) {
		if (++tries == 100)
			return;
		nanosleep(&pause, NULL);
	}
	for (struct hccl_comm *c = comms; c; c = c->next) {
		if (c->wire || atomic_load(&c->broken) || has_tasks(c))
			continue;
		say_left(c);
		hccl_meet_end(c->meeting);
	}
	pthread_mutex_unlock(&lock);
}
