// SPDX-License-Identifier: MIT
/*
 * Windows: memory of a rank that the others of the communicator find. Collectives do not need them, and copy as before; an
 * operator, or a copy of the program, reads and writes another rank's window by the address that HcclSymWinGetPeerPointer() gives.
 *
 * A rank numbers its windows as it registers them, and writes a card of each into memory that the ranks of the machine share. All ranks
 * register windows of the same meaning in the same order, or tell each other their numbers by HcclCommExchangeMem().
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "calls.h"
#include "hccl_inside.h"

struct window {
	struct window *next;
	struct hccl_comm *c;
	unsigned int users; /* the list, and calls that use it; under the lock */
	uintptr_t base;
	uint64_t size, number;
	struct hccl_window_card *card; /* of this rank, which the others read */
	struct view *views; /* by rank: the window of another rank that belongs to this one */
};

/*
 * @number: 0 until HcclCommExchangeMem() has told, which means the same as this rank's; @key: of memory that is imported, @at where,
 * or empty
 */
struct view {
	uint64_t number;
	char key[sizeof(((struct hccl_window_card *)NULL)->key)];
	void *at;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct window *windows;

/* Registering ------------------------------------------------------------------------------------- */

static void fill_card(struct hccl_window_card *card, const struct window *w)
{
	const struct hccl_comm *c = w->c;

	card->base = w->base;
	card->size = w->size;
	card->token = hccl_process_token();
	card->device = c->device;
	card->key[0] = 0;
	/*
	 * The communicator's own memory has a key where other processes need one. Without a key, as of memory of the host, they are
	 * told so when they ask
	 */
	if (c->peers[c->rank].key[0] &&
	    aclrtIpcMemGetExportKey((void *)w->base, w->size, card->key, sizeof(card->key),
				    ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION))
		card->key[0] = 0;
	atomic_store(&card->number, w->number);
}

/* Lock held */
static HcclResult publish(struct window *w)
{
	struct hccl_public *me = hccl_public_of(w->c, w->c->rank);
	struct hccl_window_card *card = me->windows;

	while (card < me->windows + HCCL_WINDOWS && atomic_load(&card->number))
		card++;
	if (card == me->windows + HCCL_WINDOWS)
		return hccl_fail(HCCL_E_UNAVAIL, "the communicator has %d windows of this rank already: end one before", HCCL_WINDOWS);
	w->number = atomic_load(&me->registered) + 1;
	w->card = card;
	fill_card(card, w);
	/* whoever has seen this number finds the card, or knows that the window has ended */
	atomic_store(&me->registered, w->number);
	w->next = windows;
	windows = w;
	return HCCL_SUCCESS;
}

/* Lock held */
static void end_view(const struct hccl_comm *c, struct view *v)
{
	if (v->key[0])
		hccl_import_end(c, v->key);
	v->key[0] = 0;
}

static void free_window(struct window *w)
{
	if (!w)
		return;
	free(w->views);
	free(w);
}

/* Lock held */
static void put(struct window *w)
{
	if (--w->users)
		return;
	for (uint32_t i = 0; i < w->c->ranks; i++)
		end_view(w->c, &w->views[i]);
	free_window(w);
}

/* Lock held; out of the list already */
static void end_window(struct window *w)
{
	if (w->card->key[0])
		hccl_close_key(w->c, w->card->key);
	atomic_store(&w->card->number, 0);
	put(w);
}

static HcclResult add(struct hccl_comm *c, void *addr, uint64_t size, void **out)
{
	struct window *w = calloc(1, sizeof(*w));
	HcclResult ret = HCCL_SUCCESS;

	if (w)
		w->views = calloc(c->ranks, sizeof(*w->views));
	if (!w || !w->views) {
		free_window(w);
		return hccl_fail(HCCL_E_MEMORY, "no memory for a window");
	}
	w->users = 1;
	w->c = c;
	w->base = (uintptr_t)addr;
	w->size = size;
	pthread_mutex_lock(&lock);
	ret = publish(w);
	pthread_mutex_unlock(&lock);
	if (ret)
		free_window(w);
	else
		*out = w;
	return ret;
}

static HcclResult look(const struct hccl_comm *c, void *addr, uint64_t size)
{
	HcclResult ret;

	if (!size || (uintptr_t)addr + size < (uintptr_t)addr)
		return hccl_fail(HCCL_E_PARA, "size is %llu, which is none for memory at %p", (unsigned long long)size, addr);
	ret = hccl_check_device(c);
	return ret ? ret : hccl_check_place("addr", addr, size);
}

static HcclResult add_for(HcclComm comm, void *addr, uint64_t size, void **out, const char *out_name)
{
	HcclResult ret = HCCL_SUCCESS;
	struct hccl_comm *c = hccl_comm_get(comm, &ret);

	if (!c)
		return ret;
	if (!addr || !out)
		ret = hccl_fail(HCCL_E_PTR, "%s is NULL", addr ? out_name : "addr");
	if (!ret)
		ret = look(c, addr, size);
	if (!ret)
		ret = add(c, addr, size, out);
	hccl_comm_put(c);
	return ret;
}

/* Lock held; @c: NULL, or the communicator that it must be of */
static struct window **find(const void *handle, const struct hccl_comm *c)
{
	struct window **p = &windows;

	while (*p && (*p != handle || (c && (*p)->c != c)))
		p = &(*p)->next;
	return p;
}

static HcclResult take_away(void *handle, const char *name, const struct hccl_comm *c)
{
	struct window **p, *w;

	if (!handle)
		return hccl_fail(HCCL_E_PTR, "%s is NULL", name);
	pthread_mutex_lock(&lock);
	p = find(handle, c);
	w = *p;
	if (w) {
		*p = w->next;
		end_window(w);
	}
	pthread_mutex_unlock(&lock);
	return w ? HCCL_SUCCESS : hccl_fail(HCCL_E_PARA, "%s is %p, which is no window (any more)%s", name, handle,
					    c ? " of the communicator" : "");
}

HcclResult HcclCommSymWinRegister(HcclComm comm, void *addr, uint64_t size, HcclCommSymWindow *winHandle, uint32_t flag)
{
	HCCL_ENTER();
	if (flag != HCCL_WIN_COLL_SYMMETRIC)
		return hccl_fail(HCCL_E_PARA, "flag is %u and must be HCCL_WIN_COLL_SYMMETRIC (1)", flag);
	return add_for(comm, addr, size, winHandle, "winHandle");
}

HcclResult HcclCommSymWinDeregister(HcclCommSymWindow winHandle)
{
	HCCL_ENTER();
	return take_away(winHandle, "winHandle", NULL);
}

HcclResult HcclCommRegister(HcclComm comm, void *addr, uint64_t size, void **handle, uint32_t flag)
{
	HCCL_ENTER();
	if (flag)
		return hccl_fail(HCCL_E_PARA, "flag is %u and must be 0", flag);
	return add_for(comm, addr, size, handle, "handle");
}

HcclResult HcclCommDeregister(HcclComm comm, void *handle)
{
	HcclResult ret = HCCL_SUCCESS;
	struct hccl_comm *c;

	HCCL_ENTER();
	c = hccl_comm_get(comm, &ret);
	if (!c)
		return ret;
	ret = take_away(handle, "handle", c);
	hccl_comm_put(c);
	return ret;
}

HcclResult HcclCommSymWinGet(HcclComm comm, void *ptr, size_t size, HcclCommSymWindow *winHandle, size_t *offset)
{
	uintptr_t at = (uintptr_t)ptr;
	HcclResult ret = HCCL_SUCCESS;
	struct hccl_comm *c;
	struct window *w;

	HCCL_ENTER();
	c = hccl_comm_get(comm, &ret);
	if (!c)
		return ret;
	if (!ptr || !winHandle || !offset)
		ret = hccl_fail(HCCL_E_PTR, "%s is NULL", !ptr ? "ptr" : winHandle ? "offset" : "winHandle");
	pthread_mutex_lock(&lock);
	for (w = windows; w && (w->c != c || at < w->base || at - w->base >= w->size || size > w->size - (at - w->base));)
		w = w->next;
	if (!ret && w) {
		*winHandle = w;
		*offset = at - w->base;
	}
	pthread_mutex_unlock(&lock);
	if (!ret && !w)
		ret = hccl_fail(HCCL_E_NOT_FOUND, "%p with %zu bytes is in no window of the communicator", ptr, size);
	hccl_comm_put(c);
	return ret;
}

void hccl_windows_end(struct hccl_comm *c)
{
	struct window **p = &windows, *w;

	pthread_mutex_lock(&lock);
	while (*p) {
		w = *p;
		if (w->c != c) {
			p = &w->next;
			continue;
		}
		*p = w->next;
		end_window(w);
	}
	pthread_mutex_unlock(&lock);
}

/* Windows of other ranks -------------------------------------------------------------------------- */

/* A copy of the card of window @number of @rank; false: there is none */
static bool read_card(const struct hccl_comm *c, uint32_t rank, uint64_t number, struct hccl_window_card *out)
{
	struct hccl_window_card *card = hccl_public_of(c, rank)->windows;

	for (unsigned int i = 0; i < HCCL_WINDOWS; i++, card++) {
		if (atomic_load(&card->number) != number)
			continue;
		memcpy(out, card, sizeof(*out));
		atomic_thread_fence(memory_order_acquire);
		/* it may have ended meanwhile */
		return atomic_load(&card->number) == number;
	}
	return false;
}

/* All ranks register a window, but each when it comes to that */
static HcclResult await_card(struct hccl_comm *c, uint32_t rank, uint64_t number, struct hccl_window_card *out)
{
	int64_t deadline = c->set.seconds ? hccl_now_ms() + c->set.seconds * 1000 : INT64_MAX;
	struct timespec pause = { .tv_nsec = 200000 };
	HcclResult ret;

	while (atomic_load(&hccl_public_of(c, rank)->registered) < number) {
		ret = hccl_comm_stopped(c);
		if (ret)
			return ret;
		if (atomic_load(&hccl_public_of(c, rank)->left) == HCCL_LEFT)
			return hccl_fail(HCCL_E_REMOTE, "rank %u has left the communicator and had no window %llu", rank,
					 (unsigned long long)number);
		if (hccl_now_ms() > deadline)
			return hccl_fail(HCCL_E_TIMEOUT, "rank %u has not registered its window %llu after %lld s "
					 "(HCCL_EXEC_TIMEOUT): all ranks register as many", rank, (unsigned long long)number,
					 (long long)c->set.seconds);
		nanosleep(&pause, NULL);
	}
	if (read_card(c, rank, number, out))
		return HCCL_SUCCESS;
	return hccl_fail(HCCL_E_UNAVAIL, "rank %u has ended its window %llu", rank, (unsigned long long)number);
}

/* Memory of another process; a view uses it once, until end_view() */
static HcclResult import(const struct hccl_comm *c, struct view *v, const char *key, void **at)
{
	HcclResult ret = HCCL_SUCCESS;

	pthread_mutex_lock(&lock);
	if (!v->key[0])
		ret = hccl_import(key, c->device, &v->at);
	if (!ret) {
		memcpy(v->key, key, sizeof(v->key));
		*at = v->at;
	}
	pthread_mutex_unlock(&lock);
	return ret;
}

/* Where this rank's device has the memory of @card */
static HcclResult reach(const struct hccl_comm *c, struct view *v, uint32_t rank, const struct hccl_window_card *card, void **at)
{
	aclError err = ACL_SUCCESS;

	if (card->token == hccl_process_token()) {
		*at = (void *)(uintptr_t)card->base;
		if (card->device != c->device)
			err = aclrtDeviceEnablePeerAccess(card->device, 0);
		return err ? hccl_fail_acl(err, "aclrtDeviceEnablePeerAccess()") : HCCL_SUCCESS;
	}
	if (c->window)
		return hccl_fail(HCCL_E_NOT_SUPPORT, "rank %u is another process with a device of its own (ANPU_DEVICE=direct), which no other "
				 "process reaches: use threads, ANPU_DEVICE=server or the VM", rank);
	if (!card->key[0])
		return hccl_fail(HCCL_E_NOT_SUPPORT, "rank %u is another process, and its window is no memory of aclrtMalloc(), which it could "
				 "share", rank);
	return import(c, v, card->key, at);
}

static HcclResult peer_pointer(struct window *w, size_t offset, uint32_t rank, void **ptr)
{
	struct hccl_comm *c = w->c;
	struct view *v = &w->views[rank];
	struct hccl_window_card card;
	void *at = NULL;
	HcclResult ret;

	if (c->wire)
		return hccl_fail(HCCL_E_NOT_SUPPORT, "ranks of the communicator are on several machines (or ANPU_HCCL_TRANSPORT is ucx): "
				 "windows of others are not reached, send and receive instead");
	ret = await_card(c, rank, v->number ? v->number : w->number, &card);
	if (!ret && offset >= card.size)
		ret = hccl_fail(HCCL_E_PARA, "offset is %zu, and the window of rank %u has %llu bytes", offset, rank,
				(unsigned long long)card.size);
	if (!ret)
		ret = reach(c, v, rank, &card, &at);
	if (!ret)
		*ptr = (char *)at + offset;
	return ret;
}

/* The window, and its communicator, until give_back(); @c: NULL, or the communicator that it must be of */
static struct window *take(void *handle, const char *name, const struct hccl_comm *c, HcclResult *ret)
{
	struct window *w;

	if (!handle) {
		*ret = hccl_fail(HCCL_E_PTR, "%s is NULL", name);
		return NULL;
	}
	pthread_mutex_lock(&lock);
	w = *find(handle, c);
	if (!w)
		*ret = hccl_fail(HCCL_E_PARA, "%s is %p, which is no window (any more)%s", name, handle, c ? " of the communicator" : "");
	else if (!hccl_comm_get(w->c, ret))
		w = NULL;
	else
		w->users++;
	pthread_mutex_unlock(&lock);
	return w;
}

static void give_back(struct window *w)
{
	struct hccl_comm *c = w->c;

	pthread_mutex_lock(&lock);
	put(w);
	pthread_mutex_unlock(&lock);
	hccl_comm_put(c);
}

HcclResult HcclSymWinGetPeerPointer(HcclCommSymWindow winHandle, size_t offset, uint32_t peerRank, void **ptr)
{
	HcclResult ret = HCCL_SUCCESS;
	struct window *w;

	HCCL_ENTER();
	if (!ptr)
		return hccl_fail(HCCL_E_PTR, "ptr is NULL");
	w = take(winHandle, "winHandle", NULL, &ret);
	if (!w)
		return ret;
	if (peerRank >= w->c->ranks)
		ret = hccl_fail(HCCL_E_PARA, "peerRank is %u and the communicator has %u ranks", peerRank, w->c->ranks);
	if (!ret)
		ret = peer_pointer(w, offset, peerRank, ptr);
	give_back(w);
	return ret;
}

/* Exchange ---------------------------------------------------------------------------------------- */

static HcclResult check_peers(const struct hccl_comm *c, const uint32_t *ranks, uint32_t n)
{
	if (!ranks)
		return hccl_fail(HCCL_E_PTR, "peerRanks is NULL");
	if (!n || n >= c->ranks)
		return hccl_fail(HCCL_E_PARA, "peerRankNum is %u and the communicator has %u other ranks", n, c->ranks - 1);
	for (uint32_t i = 0; i < n; i++) {
		if (ranks[i] >= c->ranks || ranks[i] == c->rank)
			return hccl_fail(HCCL_E_PARA, "peerRanks[%u] is %u, which is %s", i, ranks[i],
					 ranks[i] == c->rank ? "this rank itself" : "none of the communicator's ranks");
		for (uint32_t k = 0; k < i; k++)
			if (ranks[k] == ranks[i])
				return hccl_fail(HCCL_E_PARA, "peerRanks[%u] and peerRanks[%u] are both %u", k, i, ranks[i]);
	}
	return HCCL_SUCCESS;
}

/* @memory of the device has this rank's number, and room for those of the others behind it */
static HcclResult send_and_receive(struct hccl_comm *c, const uint32_t *ranks, uint32_t n, uint64_t *memory, const void *site)
{
	HcclSendRecvItem *items = calloc(2 * (size_t)n, sizeof(*items));
	aclrtStream stream = NULL;
	HcclResult ret, broken;
	aclError err;

	if (!items)
		return hccl_fail(HCCL_E_MEMORY, "no memory for numbers of %u ranks", n);
	for (uint32_t i = 0; i < n; i++) {
		items[2 * i] = (HcclSendRecvItem){ HCCL_SEND, memory, 1, HCCL_DATA_TYPE_UINT64, ranks[i] };
		items[2 * i + 1] = (HcclSendRecvItem){ HCCL_RECV, memory + 1 + i, 1, HCCL_DATA_TYPE_UINT64, ranks[i] };
	}
	err = aclrtCreateStream(&stream);
	ret = err ? hccl_fail_acl(err, "aclrtCreateStream()") :
		hccl_batch(items, 2 * n, hccl_api(), c, stream, site);
	if (!ret) {
		err = aclrtSynchronizeStream(stream);
		broken = hccl_comm_stopped(c);
		ret = broken ? broken : err ? hccl_fail_acl(err, "aclrtSynchronizeStream()") : HCCL_SUCCESS;
	}
	if (stream)
		(void)aclrtDestroyStream(stream);
	free(items);
	return ret;
}

/* Numbers go from rank to rank by the device, as data of a program do, so that a rank that does not come is named as then */
static HcclResult exchange(struct window *w, const uint32_t *ranks, uint32_t n, const void *site)
{
	struct hccl_comm *c = w->c;
	size_t bytes = (n + 1) * sizeof(uint64_t);
	uint64_t *all = calloc(n + 1, sizeof(*all)), *memory = NULL;
	HcclResult ret = HCCL_SUCCESS;
	aclError err;

	if (!all)
		return hccl_fail(HCCL_E_MEMORY, "no memory for numbers of %u ranks", n);
	all[0] = w->number;
	err = aclrtMalloc((void **)&memory, bytes, ACL_MEM_MALLOC_NORMAL_ONLY);
	if (!err)
		err = aclrtMemcpy(memory, bytes, all, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
	if (!err)
		ret = send_and_receive(c, ranks, n, memory, site);
	if (!err && !ret)
		err = aclrtMemcpy(all, bytes, memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
	if (err)
		ret = hccl_fail_acl(err, "a number on its way between ranks");
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < n && !ret; i++) {
		end_view(c, &w->views[ranks[i]]);
		w->views[ranks[i]].number = all[i + 1];
	}
	pthread_mutex_unlock(&lock);
	if (memory)
		(void)aclrtFree(memory);
	free(all);
	return ret;
}

HcclResult HcclCommExchangeMem(HcclComm comm, void *windowHandle, uint32_t *peerRanks, uint32_t peerRankNum)
{
	HcclResult ret = HCCL_SUCCESS;
	struct hccl_comm *c;
	struct window *w;

	HCCL_ENTER();
	c = hccl_comm_get(comm, &ret);
	if (!c)
		return ret;
	w = take(windowHandle, "windowHandle", c, &ret);
	if (!ret)
		ret = check_peers(c, peerRanks, peerRankNum);
	if (!ret)
		ret = exchange(w, peerRanks, peerRankNum, __builtin_return_address(0));
	if (w)
		give_back(w);
	hccl_comm_put(c);
	return ret;
}
