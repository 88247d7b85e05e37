// SPDX-License-Identifier: MIT
/*
 * The memory of a rank into which the others write: words that tasks wait for, then room for chunks. It is on the
 * rank's device; ranks of one process reach it by its address, those of others by an IPC key. If a rank's device is
 * inside of its process (ANPU_DEVICE=direct), no other process reaches the device: then it is memory of the machine,
 * see window.c. Between machines UCX carries the data, see wire.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "hccl_inside.h"

#define SLOT_MIN 4096
/* Larger chunks would only take longer until the next rank can begin with them */
#define SLOT_MAX (512ULL << 10)
/*
 * Of all ranks of a communicator together: they may all be on one small device, and programs ask for HCCL_BUFFSIZE that
 * fit on the large devices that they were written for
 */
#define ALL_MAX	 (128ULL << 20)

/* No machine's number */
#define WIRE_WANTED UINT64_MAX
/* Of an address in UCX in one exchange, and all of it at most */
#define PART	    240
#define ADDRESS_MAX 16384

/* Messages of ranks to each other while a communicator is made */
struct card {
	int64_t pid;
	uint64_t token; /* of the process: numbers of processes are used again */
	uint64_t base, slot_bytes;
	int32_t device;
	int32_t status;
	uint64_t machine; /* see net.c */
	uint32_t inside; /* the device model runs in the process */
	uint32_t address; /* bytes of its address in UCX */
	char key[65];
};

uint64_t hccl_process_token(void)
{
	static _Atomic uint64_t token;
	uint64_t mine = 0, none = 0;

	if (getrandom(&mine, sizeof(mine), 0) != sizeof(mine) || !mine)
		mine = (uint64_t)getpid() << 32 | (uintptr_t)&token >> 4;
	atomic_compare_exchange_strong(&token, &none, mine);
	return atomic_load(&token);
}

static void size_slots(struct hccl_comm *c)
{
	uint64_t others = c->ranks > 1 ? c->ranks - 1 : 1;
	uint64_t most = ALL_MAX / c->ranks, bytes = c->set.buffer < most ? c->set.buffer : most;

	c->slot_bytes = bytes / (others * HCCL_SLOTS) / SLOT_MIN * SLOT_MIN;
	c->slot_bytes = c->slot_bytes < SLOT_MIN ? SLOT_MIN : c->slot_bytes > SLOT_MAX ? SLOT_MAX : c->slot_bytes;
	c->base_size = hccl_words_bytes(c->ranks) + c->slot_bytes * others * HCCL_SLOTS;
}

void hccl_first_words(char *at, uint32_t ranks)
{
	memset(at, 0, hccl_words_bytes(ranks));
	/* there is room for a chunk in all slots */
	for (uint32_t i = 0; i < ranks; i++)
		for (uint32_t k = 0; k < HCCL_SLOTS; k++)
			*hccl_word_free(at, ranks, i, k) = 1;
}

HcclResult hccl_write_words(struct hccl_comm *c)
{
	size_t words = hccl_words_bytes(c->ranks);
	aclError err = ACL_SUCCESS;
	char *start;

	if (c->window) {
		hccl_first_words(c->window, c->ranks);
		return HCCL_SUCCESS;
	}
	start = malloc(words);
	if (!start)
		return hccl_fail(HCCL_E_MEMORY, "no memory for a communicator");
	hccl_first_words(start, c->ranks);
	err = aclrtMemcpy(c->base, words, start, words, ACL_MEMCPY_HOST_TO_DEVICE);
	free(start);
	return err ? hccl_fail_acl(err, "aclrtMemcpy() to the communicator's memory") : HCCL_SUCCESS;
}

static HcclResult take_memory(struct hccl_comm *c)
{
	aclError err = aclrtMalloc((void **)&c->base, c->base_size, ACL_MEM_MALLOC_HUGE_FIRST);

	if (err) {
		c->base = NULL;
		return hccl_fail_acl(err, "aclrtMalloc() of the communicator's memory (HCCL_BUFFSIZE)");
	}
	return hccl_write_words(c);
}

void hccl_free_memory(struct hccl_comm *c)
{
	hccl_wire_end(c);
	if (c->base && !c->window)
		(void)aclrtFree(c->base);
	hccl_window_close(c);
	c->base = NULL;
}

/* Everybody's cards; all ranks fail if one has */
static HcclResult exchange(struct hccl_comm *c, struct card *mine, struct card *all, HcclResult so_far)
{
	HcclResult ret;

	mine->status = so_far;
	ret = hccl_meet_exchange(c->meeting, mine, sizeof(*mine), all);
	if (so_far || ret)
		return so_far ? so_far : ret;
	for (uint32_t i = 0; i < c->ranks; i++)
		if (all[i].status)
			return hccl_fail(HCCL_E_REMOTE, "rank %u (process %lld) failed to make the communicator: %s", i,
					 (long long)all[i].pid, HcclGetErrorString((HcclResult)all[i].status));
	for (uint32_t i = 0; i < c->ranks; i++)
		if (all[i].slot_bytes != c->slot_bytes)
			return hccl_fail(HCCL_E_PARA, "rank %u has another size of buffers (HCCL_BUFFSIZE, "
					 "hcclBufferSize) than this rank %u", i, c->rank);
	return HCCL_SUCCESS;
}

static bool same_process(const struct card *a, const struct card *b)
{
	return a->pid == b->pid && a->token == b->token;
}

/* The device model runs in the process: then no other process has the same devices */
static bool device_in_process(void)
{
	const char *wish = getenv("ANPU_DEVICE");

	if (wish && *wish)
		return !strcmp(wish, "direct");
	return access("/dev/accel", F_OK) != 0;
}

/* A key of this rank's memory, if a rank of another process needs one */
static HcclResult export(struct hccl_comm *c, struct card *mine, const struct card *all)
{
	aclError err = ACL_SUCCESS;
	bool needed = false;

	for (uint32_t i = 0; i < c->ranks; i++)
		needed = needed || !same_process(mine, &all[i]);
	if (needed)
		err = aclrtIpcMemGetExportKey(c->base, c->base_size, mine->key, sizeof(mine->key),
					      ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION);
	if (err)
		return hccl_fail_acl(err, "aclrtIpcMemGetExportKey()");
	/* the memory lives until this process has closed the key, too */
	memcpy(c->peers[c->rank].key, mine->key, sizeof(mine->key));
	return HCCL_SUCCESS;
}

/* Ranks of several machines, or ANPU_HCCL_TRANSPORT=ucx in the environment of one; all come to the same answer */
static bool needs_wire(const struct hccl_comm *c, const struct card *all)
{
	bool apart = false;

	for (uint32_t i = 0; i < c->ranks; i++)
		apart = apart || all[i].machine != all[0].machine || all[i].machine == WIRE_WANTED;
	return apart;
}

static uint64_t own_machine(void)
{
	const char *wish = getenv("ANPU_HCCL_TRANSPORT");

	return wish && !strcmp(wish, "ucx") ? WIRE_WANTED : hccl_net_machine();
}

/* All ranks come to the same answer */
static bool needs_window(const struct hccl_comm *c, const struct card *all)
{
	bool inside = false, apart = false;

	for (uint32_t i = 0; i < c->ranks; i++) {
		inside = inside || all[i].inside;
		apart = apart || !same_process(&all[0], &all[i]);
	}
	return inside && apart;
}

static HcclResult reach(struct hccl_comm *c, const struct card *mine, const struct card *other, struct hccl_peer *p)
{
	aclError err = ACL_SUCCESS;
	void *at = NULL;

	if (same_process(mine, other)) {
		p->base = (char *)(uintptr_t)other->base;
		if (p->device != c->device)
			err = aclrtDeviceEnablePeerAccess(p->device, 0);
		return err ? hccl_fail_acl(err, "aclrtDeviceEnablePeerAccess()") : HCCL_SUCCESS;
	}
	err = aclrtIpcMemImportByKey(&at, other->key, 0);
	if (err)
		return hccl_fail_acl(err, "aclrtIpcMemImportByKey() of another rank's memory");
	p->base = at;
	memcpy(p->key, other->key, sizeof(p->key));
	return HCCL_SUCCESS;
}

/* By the devices' own memory */
static HcclResult reach_devices(struct hccl_comm *c, struct card *mine, struct card *all)
{
	HcclResult ret = take_memory(c);

	mine->base = (uintptr_t)c->base;
	if (!ret)
		ret = export(c, mine, all);
	ret = exchange(c, mine, all, ret);
	for (uint32_t i = 0; i < c->ranks && !ret; i++) {
		ret = reach(c, mine, &all[i], &c->peers[i]);
		if (!ret && i != c->rank)
			c->peers[i].slots = c->peers[i].base + hccl_slots_offset(c, i, c->rank);
	}
	return ret;
}

/* Everybody's address in UCX, which is longer than what an exchange takes; they are *@stride bytes apart */
static HcclResult exchange_addresses(struct hccl_comm *c, const struct card *all, char **out, size_t *stride)
{
	char part[PART], *parts = malloc((size_t)c->ranks * PART);
	HcclResult ret = HCCL_SUCCESS;
	size_t mine;
	const char *address = hccl_wire_address(c, &mine);

	*stride = 0;
	for (uint32_t i = 0; i < c->ranks; i++)
		*stride = all[i].address > *stride ? all[i].address : *stride;
	*out = calloc(c->ranks, *stride + 1);
	if (!parts || !*out)
		ret = hccl_fail(HCCL_E_MEMORY, "no memory for the addresses of %u ranks", c->ranks);
	for (size_t at = 0; at < *stride && !ret; at += PART) {
		size_t n = *stride - at < PART ? *stride - at : PART;

		memset(part, 0, sizeof(part));
		if (at < mine)
			memcpy(part, address + at, mine - at < n ? mine - at : n);
		ret = hccl_meet_exchange(c->meeting, part, PART, parts);
		for (uint32_t i = 0; i < c->ranks && !ret; i++)
			memcpy(*out + i * *stride + at, parts + i * PART, n);
	}
	free(parts);
	return ret;
}

/* By UCX */
static HcclResult reach_wire(struct hccl_comm *c, struct card *mine, struct card *all)
{
	HcclResult ret = hccl_wire_load(c);
	char *addresses = NULL;
	size_t stride = 0, bytes = 0;

	if (!ret)
		ret = hccl_window_open(c);
	if (!ret)
		hccl_wire_address(c, &bytes);
	mine->address = (uint32_t)bytes;
	ret = exchange(c, mine, all, ret);
	for (uint32_t i = 0; i < c->ranks && !ret; i++)
		if (!all[i].address || all[i].address > ADDRESS_MAX)
			ret = hccl_fail(HCCL_E_REMOTE, "rank %u has an address of %u bytes", i, all[i].address);
	if (!ret)
		ret = exchange_addresses(c, all, &addresses, &stride);
	if (!ret)
		ret = hccl_wire_start(c, addresses, stride);
	free(addresses);
	return ret;
}

static HcclResult find_groups(struct hccl_comm *c, const struct card *all)
{
	uint64_t *machines = calloc(c->ranks, sizeof(*machines));

	if (!machines)
		return hccl_fail(HCCL_E_MEMORY, "no memory for %u ranks", c->ranks);
	for (uint32_t i = 0; i < c->ranks; i++)
		machines[i] = all[i].machine;
	hccl_find_groups(c, machines);
	free(machines);
	return HCCL_SUCCESS;
}

HcclResult hccl_reach_all(struct hccl_comm *c)
{
	struct card mine = { .pid = getpid(), .token = hccl_process_token(), .device = c->device,
			     .inside = device_in_process(), .machine = own_machine() };
	struct card *all = calloc(c->ranks, sizeof(*all));
	HcclResult ret;

	if (!all)
		return hccl_fail(HCCL_E_MEMORY, "no memory for %u ranks", c->ranks);
	size_slots(c);
	mine.slot_bytes = c->slot_bytes;
	ret = exchange(c, &mine, all, HCCL_SUCCESS);
	for (uint32_t i = 0; i < c->ranks && !ret; i++) {
		c->peers[i].pid = all[i].pid;
		c->peers[i].device = all[i].device;
	}
	if (!ret)
		ret = find_groups(c, all);
	if (!ret) {
		if (needs_wire(c, all))
			ret = reach_wire(c, &mine, all);
		else
			ret = needs_window(c, all) ? hccl_window_open(c) : reach_devices(c, &mine, all);
		/* nobody writes before all are ready to be written to */
		ret = exchange(c, &mine, all, ret);
	}
	free(all);
	return ret;
}

void hccl_close_peers(struct hccl_comm *c)
{
	for (uint32_t i = 0; c->peers && i < c->ranks; i++)
		if (c->peers[i].key[0])
			(void)aclrtIpcMemClose(c->peers[i].key);
}

