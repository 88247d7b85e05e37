// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The acts of the fuzzer: each step of a life executes one of them. */
#include <sys/socket.h>
#include <sys/syscall.h>

#define ANPU_TEST_PART
#include "anpu_test.h"
#include "fuzz.h"

/* Gossip, trace ------------------------------------------------------------------------------- */

static void gossip(struct fuzz_actor *a, uint64_t number)
{
	struct fuzz_shared *s = a->life->shared;

	s->gossip[__atomic_fetch_add(&s->gossiped, 1, __ATOMIC_RELAXED) % FUZZ_GOSSIP] = number;
}

static void note(struct fuzz_actor *a, int result)
{
	uint32_t n = a->trace->step++ % FUZZ_TRACE;

	a->trace->last[n].step = a->step;
	a->trace->last[n].act = a->act;
	a->trace->last[n].result = result;
	__atomic_fetch_add(&a->life->shared->acts, 1, __ATOMIC_RELAXED);
}

/* Touching memory ------------------------------------------------------------------------------ */

static void touch(struct fuzz_actor *a, void *to, const void *from, size_t size)
{
	if (!sigsetjmp(a->escape, 1)) {
		a->touching = 1;
		__asm__ volatile("" ::: "memory");
		memcpy(to, from, size);
		__asm__ volatile("" ::: "memory");
	}
	a->touching = 0;
}

static struct fuzz_map *some_map(struct fuzz_actor *a)
{
	struct fuzz_map *map = &a->maps[fuzz_below(a, FUZZ_MAPS)];

	return map->ptr ? map : NULL;
}

static void keep_map(struct fuzz_actor *a, void *ptr, uint64_t size, int writable)
{
	struct fuzz_map *map = &a->maps[fuzz_below(a, FUZZ_MAPS)];

	if (map->ptr)
		munmap(map->ptr, map->size);
	*map = (struct fuzz_map){ ptr, size, writable };
}

/* ioctls --------------------------------------------------------------------------------------- */

static int some_file(struct fuzz_actor *a)
{
	return a->life->files[fuzz_below(a, 16) ? a->file : fuzz_below(a, FUZZ_FILES)];
}

/* One of this life's numbers, preferably one that there is; the step is about its file from here on. */
static uint32_t some_number(struct fuzz_actor *a, const volatile uint64_t *numbers, uint32_t count)
{
	uint64_t number;

	for (int i = 0; i < 4; i++) {
		number = numbers[fuzz_below(a, count)];
		if (number)
			break;
	}
	if (!fuzz_below(a, 32))
		return fuzz_hostile(a);
	a->file = (number >> 32) % FUZZ_FILES;
	return number;
}

static uint32_t some_stream(struct fuzz_actor *a)
{
	return some_number(a, a->life->streams, FUZZ_STREAMS);
}

static uint32_t some_bo(struct fuzz_actor *a)
{
	return some_number(a, a->life->bos, FUZZ_BOS);
}

static void keep_number(struct fuzz_actor *a, volatile uint64_t *numbers, uint32_t count,
			uint32_t number)
{
	numbers[fuzz_below(a, count)] = (uint64_t)a->file << 32 | number;
	gossip(a, number);
}

/* Where the arguments lie: mostly in good memory, at times in the device's, or nowhere. */
static void *place(struct fuzz_actor *a, const void *args, uint32_t size)
{
	static const uint64_t nowhere[] = { 0, 8, 0xffff888000000000, 0x7ffffffff000, ~7ULL };
	struct fuzz_map *map = some_map(a);
	uint8_t *to = a->args;

	switch (fuzz_below(a, 24)) {
	case 0:
		return (void *)nowhere[fuzz_below(a, 5)];
	case 1:
		/* The end lies beyond what can be accessed. */
		memcpy(a->args + FUZZ_ARGS - 8, args, 8);
		return a->args + FUZZ_ARGS - 8;
	case 2:
	case 3:
	case 4:
		if (map && map->size > size)
			to = map->ptr + (fuzz_below(a, map->size - size) & ~7U);
		break;
	}
	touch(a, to, args, size);
	return to;
}

/* Does it, with something wrong in every fourth, and judges the result. The arguments come back. */
static int call(struct fuzz_actor *a, enum known_ioctl which, void *args)
{
	const struct documented *doc = &documented[which];
	struct fuzz_shared *s = a->life->shared;
	unsigned long request = doc->request;
	int ret, fd = some_file(a);
	void *at;

	if (!fuzz_below(a, 6))
		fuzz_mutate(a, args, doc->size);
	at = place(a, args, doc->size);
	/* Structs as an older or newer header has them. */
	if (!fuzz_below(a, 40))
		request = (request & ~((unsigned long)_IOC_SIZEMASK << _IOC_SIZESHIFT)) |
			  (unsigned long)(fuzz_below(a, 300) & ~3U) << _IOC_SIZESHIFT;
	ret = ioctl(fd, request, at) ? -errno : 0;
	touch(a, args, at, doc->size);
	note(a, ret);
	__atomic_fetch_add(ret ? &s->refused[which] : &s->done[which], 1, __ATOMIC_RELAXED);
	/* The descriptor may be closed or another's by now: these are never the driver's. */
	if (!is_documented(which, -ret) && ret != -ENOTTY && ret != -EBADF)
		FINDING(a, "%s gave %s", doc->name, strerrorname_np(-ret));
	return ret;
}

static void act_query(struct fuzz_actor *a)
{
	struct drm_anpu_dev_query args = { .type = fuzz_below(a, 4), .size = fuzz_below(a, 120),
		.pointer = (uintptr_t)place(a, documented, 128) };

	call(a, IOCTL_DEV_QUERY, &args);
}

/* Memory that is there but not for testing: nothing between what is small and what is absurd. */
static uint64_t some_size(struct fuzz_actor *a)
{
	uint64_t size = (1 + fuzz_below(a, 64)) * (fuzz_below(a, 4) ? PAGE : 16 * PAGE);

	return fuzz_below(a, 8) ? size : 2 * MIB * (1 + fuzz_below(a, 2));
}

static void act_bo(struct fuzz_actor *a)
{
	struct drm_anpu_bo_create args = { .size = some_size(a), .type = fuzz_below(a, 3) };
	struct fuzz_life *life = a->life;

	if (args.type == DRM_ANPU_BO_HBM)
		args.flags = fuzz_below(a, 4) ? 0 : DRM_ANPU_BO_CONTIGUOUS;
	if (args.type == DRM_ANPU_BO_USERPTR) {
		args.size = PAGE * (1 + fuzz_below(a, 64));
		args.flags = fuzz_below(a, 4) ? 0 : DRM_ANPU_BO_READONLY;
		args.user_ptr = (uintptr_t)life->areas[fuzz_below(a, FUZZ_AREAS)] +
				fuzz_below(a, 200) * PAGE;
		/* And the memory of others: the device's, a mapping of a dma-buf. */
		if (!fuzz_below(a, 8) && some_map(a))
			args.user_ptr = (uintptr_t)a->maps[0].ptr;
	}
	if (!call(a, IOCTL_BO_CREATE, &args))
		keep_number(a, life->bos, FUZZ_BOS, args.handle);
}

static void act_gem_close(struct fuzz_actor *a)
{
	struct drm_gem_close args = { .handle = some_bo(a) };

	call(a, IOCTL_GEM_CLOSE, &args);
}

static void act_map(struct fuzz_actor *a)
{
	static const int prots[] = { PROT_READ | PROT_WRITE, PROT_READ | PROT_WRITE, PROT_READ,
		PROT_WRITE, PROT_NONE, PROT_READ | PROT_EXEC };
	int prot = prots[fuzz_below(a, 6)];
	struct drm_anpu_bo_mmap_offset args = { .handle = some_bo(a) };
	uint64_t size = some_size(a);
	void *p;

	if (call(a, IOCTL_BO_MMAP_OFFSET, &args))
		args.offset = fuzz_hostile(a) & ~(PAGE - 1);
	gossip(a, args.offset);
	if (!fuzz_below(a, 8))
		args.offset += fuzz_below(a, 16) * PAGE;
	p = mmap(NULL, size, prot, fuzz_below(a, 8) ? MAP_SHARED : MAP_PRIVATE, some_file(a),
		 args.offset);
	if (p == MAP_FAILED && size > PAGE)
		p = mmap(NULL, size = PAGE, prot, MAP_SHARED, some_file(a), args.offset);
	note(a, p == MAP_FAILED ? -errno : 0);
	if (p != MAP_FAILED)
		keep_map(a, p, size, prot & PROT_WRITE);
}

static void act_touch(struct fuzz_actor *a)
{
	struct fuzz_map *map = some_map(a);
	uint8_t bytes[256];

	if (!map)
		return;
	for (int i = 0; i < 4; i++) {
		uint64_t at = fuzz_below(a, map->size - sizeof(bytes) + 1);

		memset(bytes, fuzz_random(a), sizeof(bytes));
		if (map->writable && fuzz_below(a, 2))
			touch(a, map->ptr + at, bytes, sizeof(bytes));
		else
			touch(a, bytes, map->ptr + at, sizeof(bytes));
	}
	note(a, 0);
}

/* Code and packets for indirect ones, where they may be mapped for operators. */
static void act_write_work(struct fuzz_actor *a)
{
	struct fuzz_map *map = some_map(a);
	union anpu_packet pkts[16];
	uint32_t code[256];

	if (!map || !map->writable)
		return;
	fuzz_code(a, code, 256);
	touch(a, map->ptr, code, sizeof(code));
	for (int i = 0; i < 16; i++)
		fuzz_packet(a, &pkts[i]);
	if (map->size >= PAGE)
		touch(a, map->ptr + 1024, pkts, sizeof(pkts));
	note(a, 0);
}

static void act_remap(struct fuzz_actor *a)
{
	struct fuzz_map *map = some_map(a);
	void *p;

	if (!map)
		return;
	switch (fuzz_below(a, 6)) {
	case 0:
		munmap(map->ptr, map->size);
		map->ptr = NULL;
		break;
	case 1:
		mprotect(map->ptr, PAGE, fuzz_below(a, 8));
		break;
	case 2:
		madvise(map->ptr, map->size, fuzz_below(a, 26));
		break;
	case 3:
		p = mremap(map->ptr, map->size, fuzz_below(a, 2) ? map->size : 2 * map->size,
			   MREMAP_MAYMOVE);
		if (p != MAP_FAILED)
			map->ptr = p;
		break;
	case 4:
		mlock(map->ptr, PAGE);
		break;
	default:
		msync(map->ptr, map->size, MS_SYNC);
		break;
	}
	note(a, 0);
}

/* The pages under pinned objects come and go. */
static void act_area(struct fuzz_actor *a)
{
	struct fuzz_life *life = a->life;
	uint8_t *p = life->areas[fuzz_below(a, FUZZ_AREAS)] + fuzz_below(a, 200) * PAGE;
	uint64_t size = PAGE * (1 + fuzz_below(a, 50));

	switch (fuzz_below(a, 7)) {
	case 0:
		munmap(p, size);
		break;
	case 1:
		mmap(p, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		break;
	case 2:
		mmap(p, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, life->memfd, 0);
		break;
	case 3:
		madvise(p, size, MADV_DONTNEED);
		break;
	case 4:
		mprotect(p, size, fuzz_below(a, 4));
		break;
	case 5:
		if (ftruncate(life->memfd, fuzz_below(a, 256) * PAGE))
			return;
		break;
	default:
		fallocate(life->memfd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, size);
		break;
	}
	note(a, 0);
}

static void some_bind(struct fuzz_actor *a, struct drm_anpu_vm_bind_op *op)
{
	*op = (struct drm_anpu_vm_bind_op){ .op = fuzz_below(a, 2) ? DRM_ANPU_VM_REPLACE :
		fuzz_below(a, 3), .va = fuzz_va(a) & ~(PAGE - 1), .size = some_size(a) };

	if (op->op == DRM_ANPU_VM_UNMAP)
		return;
	op->flags = DRM_ANPU_VM_READ | (fuzz_below(a, 4) ? DRM_ANPU_VM_WRITE : 0);
	op->handle = some_bo(a);
	if (!fuzz_below(a, 4))
		op->offset = fuzz_below(a, 64) * PAGE;
	if (fuzz_below(a, 4))
		op->size = PAGE * (1 + fuzz_below(a, 4));
	if (!fuzz_below(a, 6)) {
		op->va = VA(10);
		op->flags = RX;
		op->op = DRM_ANPU_VM_REPLACE;
		op->size = PAGE;
		op->offset = 0;
	}
}

static void act_bind(struct fuzz_actor *a)
{
	struct drm_anpu_vm_bind_op ops[6];
	uint32_t count = fuzz_below(a, 3) ? 1 : 1 + fuzz_below(a, 6);
	struct drm_anpu_vm_bind args = { .ops = ARRAY(ops, count) };

	for (uint32_t i = 0; i < count; i++) {
		some_bind(a, &ops[i]);
		if (!fuzz_below(a, 16))
			fuzz_mutate(a, &ops[i], sizeof(ops[i]));
	}
	if (!fuzz_below(a, 16))
		args.ops.array = (uintptr_t)place(a, ops, sizeof(*ops) * count);
	gossip(a, ops[0].va);
	call(a, IOCTL_VM_BIND, &args);
}

static void map_stream(struct fuzz_actor *a, const struct drm_anpu_stream_create *s)
{
	const uint64_t offsets[] = { s->status_offset, s->ring_offset, s->control_offset,
		s->doorbell_offset };
	uint32_t which = fuzz_below(a, 4);
	uint64_t size = which == 1 ? (s->ring_entries * 64ULL + PAGE - 1) & ~(PAGE - 1) : PAGE;
	int prot = which && fuzz_below(a, 8) ? PROT_READ | PROT_WRITE : PROT_READ;
	void *p;

	/* Its length may be somebody's joke. */
	if (size > 8 * MIB)
		return;
	p = mmap(NULL, size, prot, MAP_SHARED, some_file(a), offsets[which]);
	if (p != MAP_FAILED)
		keep_map(a, p, size, prot & PROT_WRITE);
}

static void act_stream(struct fuzz_actor *a)
{
	struct drm_anpu_stream_create args = { .priority = 2 + fuzz_below(a, 6),
		.ring_entries = fuzz_below(a, 4) ? 16 : 16 << fuzz_below(a, 6),
		.flags = fuzz_below(a, 2) | (fuzz_below(a, 4) ? 0 : DRM_ANPU_STREAM_USER_QUEUE) };

	if (!fuzz_below(a, 3))
		args.flags = (args.flags & 1) | DRM_ANPU_STREAM_BOUNDED;

	if (!fuzz_below(a, 8))
		args.print = fuzz_va(a) & ~127ULL;
	if (call(a, IOCTL_STREAM_CREATE, &args))
		return;
	keep_number(a, a->life->streams, FUZZ_STREAMS, args.stream);
	gossip(a, args.control_offset);
	for (int i = 0; i < 3; i++)
		map_stream(a, &args);
}

static void act_stream_destroy(struct fuzz_actor *a)
{
	struct drm_anpu_stream_destroy args = { .stream = some_stream(a) };

	call(a, IOCTL_STREAM_DESTROY, &args);
}

static void act_stream_set(struct fuzz_actor *a)
{
	struct drm_anpu_stream_set args = { .stream = some_stream(a), .flags = fuzz_below(a, 2) };

	if (!fuzz_below(a, 4)) {
		args.flags = DRM_ANPU_STREAM_SET_PRIORITY;
		args.priority = fuzz_below(a, DRM_ANPU_PRIORITIES + 1);
	}
	call(a, IOCTL_STREAM_SET, &args);
}

static void act_submit(struct fuzz_actor *a)
{
	union anpu_packet pkts[24];
	uint32_t count = 1 + fuzz_below(a, 24);
	struct drm_anpu_submit args = { .stream = some_stream(a),
		.flags = fuzz_below(a, 4) ? DRM_ANPU_SUBMIT_NONBLOCK : 0,
		.packets = ARRAY(pkts, count) };

	for (uint32_t i = 0; i < count; i++)
		fuzz_packet(a, &pkts[i]);
	if (!fuzz_below(a, 8))
		args.packets.array = (uintptr_t)place(a, pkts, sizeof(*pkts) * count);
	call(a, IOCTL_SUBMIT, &args);
}

/* A fence that there may be: syncobjs have small numbers, and so have descriptors. */
static struct drm_anpu_fence some_fence(struct fuzz_actor *a, bool out)
{
	struct drm_anpu_fence fence = { .handle = 1 + fuzz_below(a, 4),
					.point = fuzz_below(a, 4) ? 0 : fuzz_below(a, 3) };

	if (fuzz_below(a, 3))
		return fence;
	return (struct drm_anpu_fence){ .type = DRM_ANPU_FENCE_SYNC_FILE,
					.handle = out ? 0 : fuzz_below(a, 60) };
}

/* Short waits of others' making, so that jobs wait for jobs; sync files close with the life. */
static void act_job(struct fuzz_actor *a)
{
	struct drm_syncobj_create syncobj = { .flags = DRM_SYNCOBJ_CREATE_SIGNALED };
	bool plain = fuzz_below(a, 2);
	struct drm_anpu_job_object objects[2];
	struct drm_anpu_fence in[4], out[2];
	union anpu_packet pkts[4];
	struct drm_anpu_submit_job args = { .flags = DRM_ANPU_SUBMIT_NONBLOCK,
		.packets = ARRAY(pkts, 1 + fuzz_below(a, 4)), .in = ARRAY(in, plain ? fuzz_below(a, 2) : fuzz_below(a, 4)),
		.out = ARRAY(out, plain ? fuzz_below(a, 2) : fuzz_below(a, 3)),
		.objects = ARRAY(objects, plain ? 0 : fuzz_below(a, 3)) };

	args.stream = some_stream(a);
	if (!fuzz_below(a, 2))
		ioctl(some_file(a), DRM_IOCTL_SYNCOBJ_CREATE, &syncobj);
	for (int i = 0; i < 4; i++) {
		in[i] = some_fence(a, false);
		fuzz_packet(a, &pkts[i]);
		if (plain || !fuzz_below(a, 2))
			pkts[i] = pkt_wait_us(fuzz_va(a) & ~7ULL, 1, fuzz_below(a, 2000));
	}
	for (int i = 0; i < 2; i++) {
		out[i] = some_fence(a, true);
		objects[i] = (struct drm_anpu_job_object){ some_bo(a), fuzz_below(a, 2) };
	}
	if (!fuzz_below(a, 8))
		fuzz_mutate(a, in, sizeof(in));
	if (!call(a, IOCTL_SUBMIT_JOB, &args) && fuzz_below(a, 2)) {
		for (int i = 0; i < 2; i++) {
			if (out[i].type == DRM_ANPU_FENCE_SYNC_FILE && out[i].handle > 2)
				close(out[i].handle);
		}
	}
}

/* Writes packets and indices into a mapping that may be a ring, a control page or a doorbell. */
static void act_user_queue(struct fuzz_actor *a)
{
	struct fuzz_map *map = some_map(a);
	union anpu_packet pkts[16];
	uint64_t index = fuzz_below(a, 4) ? fuzz_below(a, 40) : fuzz_hostile(a);

	if (!map || !map->writable)
		return;
	if (map->size >= sizeof(pkts) && fuzz_below(a, 2)) {
		for (int i = 0; i < 16; i++)
			fuzz_packet(a, &pkts[i]);
		touch(a, map->ptr, pkts, sizeof(pkts));
	} else {
		touch(a, map->ptr, &index, sizeof(index));
	}
	for (int i = 0; i < FUZZ_MAPS; i++) {
		if (a->maps[i].ptr && a->maps[i].writable && a->maps[i].size == PAGE &&
		    !fuzz_below(a, 3))
			touch(a, a->maps[i].ptr, &index, sizeof(index));
	}
	note(a, 0);
}

static void act_wait(struct fuzz_actor *a)
{
	struct drm_anpu_wait_item items[8] = {};
	uint32_t count = fuzz_below(a, 2) ? 1 : 1 + fuzz_below(a, 8);
	struct drm_anpu_wait args = { .flags = fuzz_below(a, 2), .items = ARRAY(items, count),
		.timeout_ns = now_ns() + fuzz_below(a, 2000000) };

	for (uint32_t i = 0; i < count; i++) {
		if (fuzz_below(a, 2)) {
			items[i].stream = some_stream(a);
			items[i].value = fuzz_below(a, 4) ? fuzz_below(a, 4) : fuzz_below(a, 40);
		} else {
			items[i].type = DRM_ANPU_WAIT_MEMORY;
			items[i].handle = some_bo(a);
			items[i].value = fuzz_below(a, 4);
			items[i].mask = ~0ULL;
			items[i].offset = fuzz_below(a, 600) * 8;
			items[i].width = fuzz_below(a, 2) ? 4 : 8;
			items[i].cond = fuzz_below(a, ANPU_SEM_COND_COUNT);
		}
		if (!fuzz_below(a, 16))
			fuzz_mutate(a, &items[i], sizeof(items[i]));
	}
	call(a, IOCTL_WAIT, &args);
}

static void act_state(struct fuzz_actor *a)
{
	struct drm_anpu_stream_get_state args = { .stream = some_stream(a),
		.fault_ordinal = fuzz_below(a, 10) };

	if (args.fault_ordinal && fuzz_below(a, 2))
		args.fault = (uintptr_t)place(a, documented, sizeof(struct anpu_fault));
	call(a, IOCTL_STREAM_GET_STATE, &args);
}

static void act_events(struct fuzz_actor *a)
{
	struct drm_anpu_event_subscribe args = { .mask = fuzz_below(a, 8) };
	struct pollfd pfd = { .fd = some_file(a), .events = POLLIN };
	char *buf = (char *)a->args;

	if (fuzz_below(a, 2)) {
		call(a, IOCTL_EVENT_SUBSCRIBE, &args);
		return;
	}
	if (poll(&pfd, 1, fuzz_below(a, 2)) > 0 && pfd.revents & POLLIN)
		note(a, read(pfd.fd, fuzz_below(a, 8) ? buf : buf + FUZZ_ARGS - 8,
			     fuzz_below(a, 4096)) < 0 ? -errno : 0);
}

static void act_reset(struct fuzz_actor *a)
{
	struct drm_anpu_reset args = { .scope = fuzz_below(a, 2) ? DRM_ANPU_RESET_STREAM :
		DRM_ANPU_ABORT_STREAM, .stream = some_stream(a) };

	/* The numbers of its packets are small, and some are being executed. */
	if (!fuzz_below(a, 2)) {
		args.scope = DRM_ANPU_END_TASK;
		args.seq = 1 + fuzz_below(a, 64);
	}
	if (!fuzz_below(a, 64))
		args = (struct drm_anpu_reset){ .scope = DRM_ANPU_RESET_DEVICE };
	call(a, IOCTL_RESET, &args);
}

static void act_prime(struct fuzz_actor *a)
{
	struct fuzz_life *life = a->life;
	volatile int *buf = &life->bufs[fuzz_below(a, FUZZ_BUFS / 2) + (fuzz_below(a, 8) ? 0 : 2)];
	struct drm_prime_handle args = { .handle = some_bo(a), .flags = DRM_CLOEXEC | DRM_RDWR };
	void *p;
	int old;

	switch (fuzz_below(a, 3)) {
	case 0:
		if (call(a, IOCTL_PRIME_EXPORT, &args))
			return;
		old = __atomic_exchange_n(buf, args.fd, __ATOMIC_RELAXED);
		if (old > 2)
			close(old);
		break;
	case 1:
		args = (struct drm_prime_handle){ .fd = *buf };
		if (!call(a, IOCTL_PRIME_IMPORT, &args))
			keep_number(a, life->bos, FUZZ_BOS, args.handle);
		break;
	default:
		p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, *buf, 0);
		note(a, p == MAP_FAILED ? -errno : 0);
		if (p != MAP_FAILED)
			keep_map(a, p, PAGE, 1);
		break;
	}
}

/* A file or a dma-buf goes to whoever takes it, or comes from somebody. */
static void act_pass(struct fuzz_actor *a)
{
	char kind = fuzz_below(a, 2), space[CMSG_SPACE(sizeof(int))] = {};
	struct fuzz_life *life = a->life;
	volatile int *slot = kind ? &life->files[fuzz_below(a, FUZZ_FILES)] :
		&life->bufs[fuzz_below(a, FUZZ_BUFS)];
	struct iovec iov = { &kind, 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = space,
		.msg_controllen = sizeof(space) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	int old;

	if (fuzz_below(a, 2)) {
		*c = (struct cmsghdr){ CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS };
		memcpy(CMSG_DATA(c), (const void *)slot, sizeof(int));
		note(a, sendmsg(life->post[0], &msg, MSG_DONTWAIT) < 0 ? -errno : 0);
		return;
	}
	if (recvmsg(life->post[1], &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) < 0 || !(c = CMSG_FIRSTHDR(&msg)))
		return;
	slot = kind ? &life->files[fuzz_below(a, FUZZ_FILES)] : &life->bufs[fuzz_below(a, FUZZ_BUFS)];
	memcpy(&old, CMSG_DATA(c), sizeof(int));
	old = __atomic_exchange_n(slot, old, __ATOMIC_RELAXED);
	if (old > 2)
		close(old);
	note(a, 0);
}

static void act_file(struct fuzz_actor *a)
{
	volatile int *slot = &a->life->files[fuzz_below(a, FUZZ_FILES)];
	int old, new = open(anpu_node(), O_RDWR | O_CLOEXEC | O_NONBLOCK);

	note(a, new < 0 ? -errno : 0);
	if (new < 0 && errno != ENOSPC && errno != EMFILE && errno != EIO)
		FINDING(a, "open gave %s", strerrorname_np(errno));
	old = __atomic_exchange_n(slot, new, __ATOMIC_RELAXED);
	if (old > 2)
		close(old);
}

static void act_process(struct fuzz_actor *a)
{
	uint32_t how = fuzz_below(a, 5);
	pid_t pid;

	/* Only a child that has no threads may do more than system calls. */
	pid = fork();
	if (!pid) {
		if (how == 0)
			execl("/bin/true", "true", NULL);
		/* To be killed; its parent may be killed before. */
		if (how == 1)
			usleep(100000);
		for (int i = 0; i < FUZZ_MAPS; i++) {
			if (a->maps[i].ptr && a->maps[i].writable)
				touch(a, a->maps[i].ptr, &how, sizeof(how));
		}
		for (int i = 0; i < FUZZ_FILES; i++)
			close(a->life->files[i]);
		_exit(0);
	}
	if (pid > 0 && how == 1)
		kill(pid, SIGKILL);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	note(a, pid < 0 ? -errno : 0);
}

/*
 * Syncobjs are the DRM core's own. It allocates what count_handles asks for without __GFP_NOWARN: a count beyond
 * 4 MiB of handles is a warning in the log with every DRM driver, of which this test would accuse ours. So is a count of
 * some thousands when memory is scattered, because an allocation of more than eight pages may fail and is told with a stack.
 */
static void bound_syncobjs(unsigned int nr, void *args)
{
	struct drm_syncobj_timeline_wait *points = args;
	struct drm_syncobj_timeline_array *timeline = args;
	struct drm_syncobj_array *array = args;
	struct drm_syncobj_wait *wait = args;

	if (nr == _IOC_NR(DRM_IOCTL_SYNCOBJ_WAIT))
		wait->count_handles %= 1024;
	else if (nr == _IOC_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT))
		points->count_handles %= 1024;
	else if (nr == _IOC_NR(DRM_IOCTL_SYNCOBJ_RESET) || nr == _IOC_NR(DRM_IOCTL_SYNCOBJ_SIGNAL))
		array->count_handles %= 1024;
	else if (nr == _IOC_NR(DRM_IOCTL_SYNCOBJ_QUERY) || nr == _IOC_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL))
		timeline->count_handles %= 1024;
}

/* Any request at all: no crash is all that can be asked. */
static void act_any_ioctl(struct fuzz_actor *a)
{
	unsigned long request = _IOC(fuzz_below(a, 4), 'd', fuzz_below(a, 256),
				     fuzz_below(a, 4) ? fuzz_below(a, 128) : fuzz_below(a, 16384));

	for (int i = 0; i < 16; i++)
		((uint64_t *)a->args)[i] = fuzz_below(a, 3) ? fuzz_hostile(a) : 0;
	bound_syncobjs(_IOC_NR(request), a->args);
	note(a, ioctl(some_file(a), request, a->args) ? -errno : 0);
}

static void act_look(struct fuzz_actor *a)
{
	char path[64], text[4096];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", some_file(a));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	note(a, read(fd, text, sizeof(text)) < 0 ? -errno : 0);
	close(fd);
}

/* Acts ----------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	uint32_t weight;
	void (*act)(struct fuzz_actor *a);
} acts[] = {
	{ "query", 2, act_query },
	{ "bo", 8, act_bo },
	{ "gem_close", 2, act_gem_close },
	{ "map", 8, act_map },
	{ "touch", 4, act_touch },
	{ "write_work", 6, act_write_work },
	{ "remap", 3, act_remap },
	{ "area", 3, act_area },
	{ "bind", 14, act_bind },
	{ "stream", 6, act_stream },
	{ "stream_destroy", 1, act_stream_destroy },
	{ "stream_set", 1, act_stream_set },
	{ "submit", 16, act_submit },
	{ "job", 8, act_job },
	{ "user_queue", 8, act_user_queue },
	{ "wait", 6, act_wait },
	{ "state", 3, act_state },
	{ "events", 3, act_events },
	{ "reset", 2, act_reset },
	{ "prime", 5, act_prime },
	{ "pass", 3, act_pass },
	{ "file", 1, act_file },
	{ "process", 1, act_process },
	{ "any_ioctl", 2, act_any_ioctl },
	{ "look", 1, act_look },
};

#define ACTS	(sizeof(acts) / sizeof(*acts))

const char *fuzz_act_name(uint32_t act)
{
	return act < ACTS ? acts[act].name : "?";
}

uint32_t fuzz_draw_act(struct fuzz_actor *a)
{
	static uint32_t total;
	uint32_t at, i;

	if (!total) {
		uint32_t sum = 0;

		for (i = 0; i < ACTS; i++)
			sum += acts[i].weight;
		total = sum;
	}
	at = fuzz_below(a, total);
	for (i = 0; at >= acts[i].weight; i++)
		at -= acts[i].weight;
	return i;
}

void fuzz_act(struct fuzz_actor *a)
{
	acts[a->act].act(a);
}
