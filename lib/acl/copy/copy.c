// SPDX-License-Identifier: MIT
/*
 * Copies and fills.
 *
 * Synchronous copies between host and device take the first way that is possible and worth it:
 * small ones through the CPU's window of the buffer object; pinned memory by a COPY packet;
 * pageable memory that is pinned for the time of the copy, piece by piece, unless the engine would have to
 * copy it for that; the window, whatever the size; a bounce buffer where the device's memory has no window.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "copy/copy.h"
#include "copy/front.h"

/* Up to here a window copy beats a packet's round trip (make bench: copy_*) */
#define WINDOW_MAX (32 * 1024)
/* From here pinning pageable memory beats copying it with the CPU */
#define USER_MIN (256 * 1024)
/* Pieces of a large pageable copy, and how many are pinned at once: small enough for usual limits of locked memory */
#define USER_PIECE     (2 * 1024 * 1024)
#define USER_PIECES    3
#define BOUNCE_SIZE    (1024 * 1024)
#define BETWEEN_PIECE  (4ULL << 20)
#define CPU_PIECE      8192
#define CPU_FILL_PIECE 1024

static aclError run(struct anpu_stream *s, union anpu_packet *pkt)
{
	aclError ret = anpu_stream_submit(s, pkt, NULL);

	return ret ? ret : anpu_stream_sync(s, ANPU_FOREVER);
}

static union anpu_packet copy_packet(uint64_t dst, uint64_t src, uint64_t size)
{
	return (union anpu_packet){ .copy = {
					    .hdr.opcode = ANPU_OP_COPY,
					    .src = src,
					    .dst = dst,
					    .size = size,
				    } };
}

static union anpu_packet fill_packet(uint64_t dst, int value, uint64_t size)
{
	return (union anpu_packet){ .fill = {
					    .hdr.opcode = ANPU_OP_FILL,
					    .dst = dst,
					    .size = size,
					    .pattern = value & 0xff,
					    .pattern_size = 1,
				    } };
}

void anpu_copy_end(struct anpu_device *dev)
{
	pthread_mutex_lock(&dev->copy_lock);
	if (dev->copy_stream)
		anpu_stream_end(dev->copy_stream);
	dev->copy_stream = NULL;
	if (dev->bounce)
		anpu_region_end(dev->bounce);
	dev->bounce = NULL;
	pthread_mutex_unlock(&dev->copy_lock);
}

struct anpu_stream *anpu_copy_stream(struct anpu_device *dev)
{
	if (!dev->copy_stream)
		dev->copy_stream = anpu_stream_new(NULL, dev, 2, 0);
	return dev->copy_stream;
}

/*
 * Pieces, because for 16 KiB and more the C library prefers "rep movsb", which software emulation
 * executes byte by byte: five times slower than the vector loop it takes for small sizes.
 */
void anpu_cpu_copy(char *dst, const char *src, uint64_t count)
{
	uint64_t done, len;

	if (anpu_checking())
		anpu_touch_cpu_copy(dst, src, count);
	for (done = 0; done < count; done += len) {
		len = min_u64(count - done, CPU_PIECE);
		memcpy(dst + done, src + done, len);
	}
	if (anpu_checking())
		anpu_touch_cpu_copy(NULL, NULL, 0);
}

/* The same for "rep stosb" */
static void cpu_fill(char *dst, int value, uint64_t count)
{
	uint64_t done, len;

	for (done = 0; done < count; done += len) {
		len = min_u64(count - done, CPU_FILL_PIECE);
		memset(dst + done, value, len);
	}
}

/* One packet on the device's own stream, waited for */
aclError anpu_run_packet(struct anpu_device *dev, union anpu_packet pkt)
{
	struct anpu_stream *s;
	aclError ret;

	pthread_mutex_lock(&dev->copy_lock);
	s = anpu_copy_stream(dev);
	ret = s ? run(s, &pkt) : acl_last_failure();
	pthread_mutex_unlock(&dev->copy_lock);
	return ret;
}

/* A piece of pageable memory that is pinned and mapped at its own address */
struct user_piece {
	uint32_t handle;
	uint64_t start;
	uint64_t size;
	uint64_t seq;
};

static int pin(struct anpu_device *dev, struct user_piece *p, uint64_t addr, uint64_t len,
	       bool write)
{
	uint64_t start = addr & ~4095ULL, size = align_up(addr + len, 4096) - start;
	struct drm_anpu_bo_create create = {
		.size = size,
		.type = DRM_ANPU_BO_USERPTR,
		.user_ptr = start,
		.flags = write ? 0 : DRM_ANPU_BO_READONLY,
	};
	struct drm_anpu_vm_bind_op op = {
		.op = DRM_ANPU_VM_MAP,
		.flags = DRM_ANPU_VM_READ | (write ? DRM_ANPU_VM_WRITE : 0),
		.va = start,
		.size = size,
	};
	int err;

	if (start < dev->info.va_start || start + size > dev->info.va_end)
		return -ERANGE;
	err = anpu_ioctl(dev, DRM_IOCTL_ANPU_BO_CREATE, &create);
	if (err)
		return err;
	op.handle = create.handle;
	err = anpu_vm_bind(dev, &op, 1);
	if (err) {
		anpu_bo_close(dev, create.handle);
		return err;
	}
	*p = (struct user_piece){ .handle = create.handle, .start = start, .size = size };
	return 0;
}

static aclError unpin(struct anpu_device *dev, struct anpu_stream *s, struct user_piece *p)
{
	struct drm_anpu_vm_bind_op op = { .op = DRM_ANPU_VM_UNMAP,
					  .va = p->start,
					  .size = p->size };
	aclError ret;

	if (!p->handle)
		return ACL_SUCCESS;
	ret = anpu_stream_wait(s, p->seq, ANPU_FOREVER, 0);
	/* this fails only when the device is gone, and then nothing is mapped */
	(void)anpu_vm_bind(dev, &op, 1);
	anpu_bo_close(dev, p->handle);
	p->handle = 0;
	return ret;
}

/* The first to be copied is at @first */
static aclError unpin_all(struct anpu_device *dev, struct anpu_stream *s,
			  struct user_piece piece[USER_PIECES], unsigned int first)
{
	aclError ret = ACL_SUCCESS;

	for (unsigned int i = 0; i < USER_PIECES; i++) {
		aclError end = unpin(dev, s, &piece[(first + i) % USER_PIECES]);

		ret = ret ? ret : end;
	}
	return ret;
}

/*
 * Copies by pinning piece after piece; while the device copies some, the next is being pinned. They are several,
 * so that the device has work while this thread wakes up. Stops early, without an error, where memory cannot be
 * pinned; *done tells how far it came.
 */
static aclError copy_user(struct anpu_device *dev, struct anpu_stream *s, uint64_t device,
			  uint64_t host, uint64_t count, bool to_device, uint64_t *done)
{
	uint64_t told = atomic_load(&s->errors_seen);
	struct user_piece piece[USER_PIECES] = { 0 };
	unsigned int turn = 0;
	aclError ret = ACL_SUCCESS, end;

	for (*done = 0; *done < count && !ret; turn = (turn + 1) % USER_PIECES) {
		uint64_t at = host + *done;
		uint64_t len = min_u64(count - *done, USER_PIECE - (at & 4095));
		union anpu_packet pkt = to_device ? copy_packet(device + *done, at, len)
						  : copy_packet(at, device + *done, len);

		ret = unpin(dev, s, &piece[turn]);
		if (ret)
			break;
		/* the pieces in flight share no page, because all but the last end on one */
		if (pin(dev, &piece[turn], at, len, !to_device)) {
			/* there may be room in the limit of locked memory when the others are done */
			ret = unpin_all(dev, s, piece, turn);
			if (ret || pin(dev, &piece[turn], at, len, !to_device))
				break;
		}
		ret = anpu_stream_submit(s, &pkt, &piece[turn].seq);
		*done += len;
	}
	end = unpin_all(dev, s, piece, turn);
	ret = ret ? ret : end;
	return ret ? ret : anpu_stream_report(s, told);
}

/* Copies through a pinned buffer of the library, which works for all memory */
static aclError copy_bounce(struct anpu_device *dev, struct anpu_stream *s, uint64_t device,
			    char *host, uint64_t count, bool to_device)
{
	uint64_t done, len;
	char *bounce;
	aclError ret;
	int err = 0;

	if (!dev->bounce)
		err = anpu_region_new(dev, ANPU_REGION_INTERNAL, DRM_ANPU_BO_SYSTEM, BOUNCE_SIZE,
				      DRM_ANPU_VM_READ | DRM_ANPU_VM_WRITE, &dev->bounce);
	if (err)
		return anpu_fail_ioctl(dev, err, "allocating a buffer for copies");
	bounce = anpu_region_window(dev->bounce);
	if (!bounce)
		return acl_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
				"the buffer for copies cannot be mapped");
	for (done = 0; done < count; done += len) {
		union anpu_packet pkt;

		len = min_u64(count - done, BOUNCE_SIZE);
		if (to_device)
			anpu_cpu_copy(bounce, host + done, len);
		pkt = to_device ? copy_packet(device + done, dev->bounce->va, len)
				: copy_packet(dev->bounce->va, device + done, len);
		ret = run(s, &pkt);
		if (ret)
			return ret;
		if (!to_device)
			anpu_cpu_copy(host + done, bounce, len);
	}
	return ACL_SUCCESS;
}

/* Copies pageable memory of more bytes than the window is the fastest way for */
static aclError copy_pageable(struct anpu_mem *device, char *host, uint64_t count, bool to_device)
{
	struct anpu_device *dev = device->dev;
	struct anpu_stream *s;
	uint64_t done = 0;
	char *window;
	aclError ret = ACL_SUCCESS;

	pthread_mutex_lock(&dev->copy_lock);
	s = anpu_copy_stream(dev);
	if (!s)
		ret = acl_last_failure();
	if (!ret && count >= USER_MIN && anpu_pins_cheaply(dev))
		ret = copy_user(dev, s, device->addr, (uintptr_t)host, count, to_device, &done);
	window = !ret && done < count ? anpu_window_of(device) : NULL;
	if (window && to_device)
		anpu_cpu_copy(window + done, host + done, count - done);
	else if (window)
		anpu_cpu_copy(host + done, window + done, count - done);
	else if (!ret && done < count)
		ret = copy_bounce(dev, s, device->addr + done, host + done, count - done,
				  to_device);
	pthread_mutex_unlock(&dev->copy_lock);
	return ret;
}

static aclError copy_host_device(struct anpu_mem *device, struct anpu_mem *host, uint64_t count,
				 bool to_device)
{
	char *ptr = (char *)(uintptr_t)host->addr;
	void *window;

	if (count <= WINDOW_MAX) {
		window = anpu_window_of(device);
		if (window) {
			anpu_cpu_copy(to_device ? window : ptr, to_device ? ptr : window, count);
			return ACL_SUCCESS;
		}
	}
	if (host->place == ANPU_PLACE_PINNED && host->pinned_for == device->dev->id)
		return anpu_run_packet(device->dev,
				       to_device ? copy_packet(device->addr, host->addr, count)
						 : copy_packet(host->addr, device->addr, count));
	return copy_pageable(device, ptr, count, to_device);
}

/* Rights are looked at before, because the CPU, which does what is small, has all of them */
static aclError may_copy(struct anpu_mem *dst, struct anpu_mem *src, uint64_t count)
{
	aclError ret = anpu_mem_may(dst, count, true, "dst");

	return ret ? ret : anpu_mem_may(src, count, false, "src");
}

/*
 * Copies between devices: one of them does it if it has access, otherwise through the host's memory
 */
static aclError copy_between(struct anpu_mem *dst, struct anpu_mem *src, uint64_t count)
{
	uint64_t size = min_u64(count, BETWEEN_PIECE), done, len;
	struct anpu_mem d = *dst, s = *src, host = { .place = ANPU_PLACE_PAGEABLE };
	void *piece = NULL;
	bool direct;
	aclError ret = anpu_peer_copy(dst, src, count, &direct);

	if (!ret && !direct)
		ret = may_copy(dst, src, count);
	if (ret || direct)
		return ret;
	if (dst->place != ANPU_PLACE_DEVICE || src->place != ANPU_PLACE_DEVICE)
		return anpu_copy_sync(dst, src, count);
	/* whole pages, so that the devices can read and write them directly */
	if (posix_memalign(&piece, 4096, align_up(size, 4096)))
		return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a copy between devices");
	host.addr = (uintptr_t)piece;
	for (done = 0; done < count && !ret; done += len) {
		len = min_u64(count - done, size);
		s.addr = src->addr + done;
		d.addr = dst->addr + done;
		ret = copy_host_device(&s, &host, len, false);
		if (!ret)
			ret = copy_host_device(&d, &host, len, true);
	}
	free(piece);
	return ret;
}

aclError anpu_copy_sync(struct anpu_mem *dst, struct anpu_mem *src, uint64_t count)
{
	aclError ret = ACL_SUCCESS;

	/* between devices either of them may have the rights */
	if (dst->place != ANPU_PLACE_DEVICE || src->place != ANPU_PLACE_DEVICE || dst->dev == src->dev)
		ret = may_copy(dst, src, count);
	if (ret)
		return ret;
	if (dst->place == ANPU_PLACE_DEVICE && src->place == ANPU_PLACE_DEVICE) {
		if (dst->dev != src->dev)
			return copy_between(dst, src, count);
		return anpu_run_packet(dst->dev, copy_packet(dst->addr, src->addr, count));
	}
	if (dst->place == ANPU_PLACE_DEVICE)
		return copy_host_device(dst, src, count, true);
	if (src->place == ANPU_PLACE_DEVICE)
		return copy_host_device(src, dst, count, false);
	memmove((void *)(uintptr_t)dst->addr, (void *)(uintptr_t)src->addr, count);
	return ACL_SUCCESS;
}

/* The checks that synchronous and asynchronous copies share; looks at both ranges */
aclError anpu_check_copy(void *dst, size_t dest_max, const void *src, size_t count,
			 struct anpu_mem *d, struct anpu_mem *s)
{
	aclError ret;

	if (count > dest_max)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"count is %zu and destMax is %zu: the copy would run %zu bytes "
				"past its destination",
				count, dest_max, count - dest_max);
	ret = anpu_mem_look(dst, count, "dst", d);
	if (ret)
		return ret;
	ret = anpu_mem_look_source(src, count, "src", s);
	if (ret) {
		anpu_mem_done(d);
		return ret;
	}
	if (anpu_checking()) {
		anpu_object_look(d, count, "dst", true);
		anpu_object_look(s, count, "src", false);
	}
	if (anpu_checking() && d->addr < s->addr + count && s->addr < d->addr + count && d->addr != s->addr)
		anpu_finding("overlap", NULL,
			     "%zu bytes are copied from %p to %p, and these ranges overlap: on other devices the copy "
			     "reads what it has written; take two copies, or another buffer", count, src, dst);
	return ret;
}

/* The places decide what a synchronous copy does, and a kind that does not fit is a mistake all the same */
static void check_sync_kind(const struct anpu_mem *d, const struct anpu_mem *s, aclrtMemcpyKind kind)
{
	static const char *const name[] = {
		[ACL_MEMCPY_HOST_TO_HOST] = "ACL_MEMCPY_HOST_TO_HOST",
		[ACL_MEMCPY_HOST_TO_DEVICE] = "ACL_MEMCPY_HOST_TO_DEVICE",
		[ACL_MEMCPY_DEVICE_TO_HOST] = "ACL_MEMCPY_DEVICE_TO_HOST",
		[ACL_MEMCPY_DEVICE_TO_DEVICE] = "ACL_MEMCPY_DEVICE_TO_DEVICE",
	};
	bool to = kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
	bool from = kind == ACL_MEMCPY_DEVICE_TO_HOST || kind == ACL_MEMCPY_DEVICE_TO_DEVICE;

	if ((size_t)kind >= ARRAY_SIZE(name) || !name[kind])
		return;
	if ((d->managed || to == (d->place == ANPU_PLACE_DEVICE)) &&
	    (s->managed || from == (s->place == ANPU_PLACE_DEVICE)))
		return;
	anpu_finding("copy-kind", NULL,
		     "kind is %s, and dst %#llx is %s memory and src %#llx is %s memory: on other devices this copy "
		     "fails or copies something else",
		     name[kind], (unsigned long long)d->addr, d->place == ANPU_PLACE_DEVICE ? "device" : "host",
		     (unsigned long long)s->addr, s->place == ANPU_PLACE_DEVICE ? "device" : "host");
}

aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind)
{
	struct anpu_context *ctx;
	struct anpu_mem d, s;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(dst);
	ACL_CHECK_PTR(src);
	if ((int)kind < ACL_MEMCPY_HOST_TO_HOST || kind > ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"kind is %d and synchronous copies have the kinds 0 to %d",
				(int)kind, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE);
	ret = anpu_recorder.unsafe("aclrtMemcpy()");
	if (!ret)
		ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	ret = anpu_check_copy(dst, destMax, src, count, &d, &s);
	if (!ret) {
		if (anpu_checking())
			check_sync_kind(&d, &s, kind);
		if (anpu_checking() && count) {
			anpu_races_host(d.addr, count, true, "this copy");
			anpu_races_host(s.addr, count, false, "this copy");
		}
		if (count)
			ret = anpu_copy_sync(&d, &s, count);
		if (!ret && anpu_checking() && d.place != ANPU_PLACE_DEVICE)
			anpu_unwritten_look(&s, dst, count, "this copy", NULL);
		anpu_mem_done(&d);
		anpu_mem_done(&s);
	}
	anpu_context_put(ctx);
	return ret;
}

static const char *place_name(enum anpu_place place)
{
	return place == ANPU_PLACE_DEVICE ? "device" : "host";
}

/* An asynchronous copy fails if the places do not fit the kind that the program names */
aclError anpu_check_kind(const struct anpu_mem *d, const struct anpu_mem *s, aclrtMemcpyKind kind)
{
	/* managed memory, and physical memory of the host, is of either side */
	bool to = d->place == ANPU_PLACE_DEVICE || d->managed;
	bool from = s->place == ANPU_PLACE_DEVICE || s->managed, fits;

	switch (kind) {
	case ACL_MEMCPY_HOST_TO_DEVICE:
	case ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE:
		fits = to && (s->place != ANPU_PLACE_DEVICE || s->managed);
		break;
	case ACL_MEMCPY_DEVICE_TO_HOST:
		fits = (d->place != ANPU_PLACE_DEVICE || d->managed) && from;
		break;
	case ACL_MEMCPY_DEVICE_TO_DEVICE:
	case ACL_MEMCPY_INNER_DEVICE_TO_DEVICE:
	case ACL_MEMCPY_INTER_DEVICE_TO_DEVICE:
		fits = to && from;
		break;
	case ACL_MEMCPY_DEFAULT:
		fits = to || from;
		break;
	case ACL_MEMCPY_HOST_TO_HOST:
		return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"kind is ACL_MEMCPY_HOST_TO_HOST, which only aclrtMemcpy() does");
	default:
		return acl_fail(ACL_ERROR_INVALID_PARAM, "kind is %d and kinds go from 0 to %d",
				(int)kind, ACL_MEMCPY_INTER_DEVICE_TO_DEVICE);
	}
	if (fits && kind == ACL_MEMCPY_INNER_DEVICE_TO_DEVICE && !d->managed && !s->managed &&
	    d->dev != s->dev)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"kind is 6, a copy within one device, but dst %#llx is memory of "
				"device %d and src %#llx of device %d: give the kind that fits",
				(unsigned long long)d->addr, d->dev->id,
				(unsigned long long)s->addr, s->dev->id);
	if (fits)
		return ACL_SUCCESS;
	if (kind == ACL_MEMCPY_DEFAULT)
		return acl_fail(
			ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"dst and src are both host memory, which only aclrtMemcpy() copies");
	return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			"kind is %d, but dst %#llx is %s memory and src %#llx is %s memory: give "
			"the kind that fits, or ACL_MEMCPY_DEFAULT",
			(int)kind, (unsigned long long)d->addr, place_name(d->place),
			(unsigned long long)s->addr, place_name(s->place));
}

/* Can the stream's device reach it without the CPU's help */
bool anpu_reachable(const struct anpu_mem *mem, const struct anpu_stream *stream)
{
	if (mem->place == ANPU_PLACE_DEVICE)
		return mem->dev == stream->obj.dev || anpu_peer_reaches(stream->obj.dev, mem, 0);
	return mem->place == ANPU_PLACE_PINNED && mem->pinned_for == stream->obj.dev->id;
}

aclError anpu_mem_look_reached(const void *ptr, uint64_t size, const char *name,
			       const struct anpu_stream *stream, struct anpu_mem *mem)
{
	aclError ret = anpu_mem_look(ptr, size, name, mem);

	if (ret || anpu_reachable(mem, stream))
		return ret;
	if (mem->place == ANPU_PLACE_PAGEABLE)
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			       "%s is %p, which is neither device memory nor pinned memory of "
			       "aclrtMallocHost()",
			       name, ptr);
	else
		ret = acl_fail(ACL_ERROR_RT_STREAM_CONTEXT,
			       "%s is %p, memory of another device than the stream's (%d)", name,
			       ptr, stream->obj.dev->id);
	anpu_mem_done(mem);
	return ret;
}

aclError anpu_copy_async(struct anpu_mem *d, struct anpu_mem *s, uint64_t count,
			 struct anpu_stream *stream)
{
	union anpu_packet pkt = copy_packet(d->addr, s->addr, count);
	aclError ret;

	if (anpu_reachable(d, stream) && anpu_reachable(s, stream))
		return anpu_stream_submit(stream, &pkt, NULL);
	/* pageable memory: in the stream's order, and done when the call returns */
	ret = anpu_recorder.illegal(stream, ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC,
				    "copies of pageable memory and between devices are done at "
				    "once, take pinned memory");
	if (ret)
		return ret;
	ret = anpu_stream_wait(stream, atomic_load(&stream->last_seq), ANPU_FOREVER, 0);
	return ret ? ret : anpu_copy_sync(d, s, count);
}

/* Only the one that is pageable is looked at */
static void note_pageable(const struct anpu_mem *mem, uint64_t count, bool writes, const struct anpu_stream *s)
{
	if (anpu_checking() && mem->place == ANPU_PLACE_PAGEABLE)
		anpu_pageable_copy(s->number, atomic_load(&s->last_seq), mem->addr, count, writes);
}

/* @checked: the places have to fit @kind, of which none copies from the host to the host */
static aclError memcpy_async(void *dst, size_t dest_max, const void *src, size_t count,
			     aclrtMemcpyKind kind, bool checked, aclrtStream stream)
{
	struct anpu_stream *st;
	struct anpu_mem d, s;
	aclError ret;

	ACL_CHECK_PTR(dst);
	ACL_CHECK_PTR(src);
	ret = anpu_stream_find(stream, &st);
	if (ret)
		return ret;
	ret = anpu_check_copy(dst, dest_max, src, count, &d, &s);
	if (!ret) {
		if (checked)
			ret = anpu_check_kind(&d, &s, kind);
		if (!ret && count)
			ret = anpu_copy_async(&d, &s, count, st);
		if (!ret && checked) { /* a front's copies are done when the call returns, by its own documents */
			note_pageable(&d, count, true, st);
			note_pageable(&s, count, false, st);
		}
		anpu_mem_done(&d);
		anpu_mem_done(&s);
	}
	anpu_stream_put(st);
	return ret;
}

aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count,
			  aclrtMemcpyKind kind, aclrtStream stream)
{
	ACL_ENTER();
	return memcpy_async(dst, destMax, src, count, kind, true, stream);
}

aclError aclrtMemcpyAsyncWithCondition(void *dst, size_t destMax, const void *src, size_t count,
				       aclrtMemcpyKind kind, aclrtStream stream)
{
	ACL_ENTER();
	return memcpy_async(dst, destMax, src, count, kind, true, stream);
}

aclError anpu_front_copy_any(void *dst, const void *src, size_t bytes, aclrtStream stream)
{
	ACL_ENTER();
	return memcpy_async(dst, bytes, src, bytes, ACL_MEMCPY_DEFAULT, false, stream);
}

/* The checking mode: a fill writes the lowest byte of its value */
static void look_at_value(int32_t value)
{
	if (anpu_checking() && (value < -128 || value > 255))
		anpu_finding("call", NULL, "value is %d, and a fill writes its lowest byte, %#x, everywhere: other values take a kernel or a copy",
			     value, (unsigned int)value & 0xff);
}

/* Checks of both fills; the range must be device or pinned memory */
static aclError check_fill(void *ptr, size_t max, int32_t value, size_t count, struct anpu_mem *mem)
{
	aclError ret;

	look_at_value(value);
	if (count > max)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"count is %zu and maxCount is %zu: the fill would run %zu bytes "
				"past its end",
				count, max, count - max);
	ret = anpu_mem_look(ptr, count, "devPtr", mem);
	if (!ret && mem->place == ANPU_PLACE_PAGEABLE)
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			       "devPtr is %p, which is neither device memory nor pinned memory of "
			       "aclrtMallocHost()",
			       ptr);
	return ret;
}

aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count)
{
	struct anpu_context *ctx;
	struct anpu_mem mem = { 0 };
	struct anpu_device *dev;
	bool mine;
	char *cpu;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(devPtr);
	ret = anpu_recorder.unsafe("aclrtMemset()");
	if (!ret)
		ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	ret = check_fill(devPtr, maxCount, value, count, &mem);
	if (!ret)
		ret = anpu_mem_may(&mem, count, true, "devPtr");
	dev = mem.place == ANPU_PLACE_DEVICE ? mem.dev : ctx->obj.dev;
	mine = mem.place == ANPU_PLACE_DEVICE ||
	       (mem.place == ANPU_PLACE_PINNED && mem.pinned_for == dev->id);
	if (!ret && count) {
		if (anpu_checking() && mem.place != ANPU_PLACE_PAGEABLE)
			anpu_races_host(mem.addr, count, true, "this fill");
		cpu = mem.place != ANPU_PLACE_DEVICE ? devPtr : anpu_window_of(&mem);
		if (cpu && (count <= WINDOW_MAX || !mine))
			cpu_fill(cpu, value, count);
		else
			ret = anpu_run_packet(dev, fill_packet(mem.addr, value, count));
	}
	anpu_mem_done(&mem);
	anpu_context_put(ctx);
	return ret;
}

aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count,
			  aclrtStream stream)
{
	union anpu_packet pkt;
	struct anpu_stream *st;
	struct anpu_mem mem = { 0 };
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(devPtr);
	ret = anpu_stream_find(stream, &st);
	if (ret)
		return ret;
	ret = check_fill(devPtr, maxCount, value, count, &mem);
	if (!ret && !anpu_reachable(&mem, st))
		ret = acl_fail(ACL_ERROR_RT_STREAM_CONTEXT,
			       "devPtr is %p, memory of another device than the stream's (%d)",
			       devPtr, st->obj.dev->id);
	if (!ret && count) {
		pkt = fill_packet(mem.addr, value, count);
		ret = anpu_stream_submit(st, &pkt, NULL);
	}
	anpu_mem_done(&mem);
	anpu_stream_put(st);
	return ret;
}
