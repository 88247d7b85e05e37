// SPDX-License-Identifier: MIT
/*
 * Floating-point overflow: what it gives, and where kernels note that it has happened.
 *
 * The device notes overflows in a table of the process, an entry per tag of streams; the first one is
 * for streams without. So to read a status is a copy and to clear it a fill, in the stream's order.
 */
#include <errno.h>
#include <stdlib.h>

#include "diag/diag.h"

#define ENTRY	    sizeof(struct anpu_overflow)
#define TABLE_SIZE  (ANPU_OVERFLOW_ENTRIES * ENTRY)

/* Entry n is for tag[n], from 1 on; given out once, because recorded kernels name it, too */
struct anpu_overflows {
	struct anpu_region *table;
	pthread_mutex_t lock;
	uint32_t tags; /* entries in use, the one without a tag included */
	uint32_t tag[ANPU_OVERFLOW_ENTRIES];
};

/* Who begins with a device's table; it is used without */
static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;

/* Mode ----------------------------------------------------------------------------------------- */

aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode)
{
	struct anpu_context *ctx;
	aclError ret;

	ACL_ENTER();
	if (mode != ACL_RT_OVERFLOW_MODE_SATURATION && mode != ACL_RT_OVERFLOW_MODE_INFNAN)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"mode is %d and must be 0 (saturation) or 1 (INF/NAN)", (int)mode);
	ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	atomic_store(&ctx->obj.dev->saturate, mode == ACL_RT_OVERFLOW_MODE_SATURATION);
	anpu_context_put(ctx);
	return ACL_SUCCESS;
}

aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode *mode)
{
	struct anpu_context *ctx;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(mode);
	ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	*mode = atomic_load(&ctx->obj.dev->saturate) ? ACL_RT_OVERFLOW_MODE_SATURATION
						     : ACL_RT_OVERFLOW_MODE_INFNAN;
	anpu_context_put(ctx);
	return ACL_SUCCESS;
}

/* The table ------------------------------------------------------------------------------------ */

static struct anpu_overflows *overflows_of(struct anpu_device *dev)
{
	return __atomic_load_n(&dev->overflows, __ATOMIC_ACQUIRE);
}

static int make_table(struct anpu_device *dev)
{
	struct anpu_overflows *o = calloc(1, sizeof(*o));
	int err;

	if (!o)
		return -ENOMEM;
	err = anpu_region_new(dev, ANPU_REGION_STATUS, DRM_ANPU_BO_SYSTEM, TABLE_SIZE,
			      DRM_ANPU_VM_READ | DRM_ANPU_VM_WRITE, &o->table);
	if (err) {
		free(o);
		return err;
	}
	/* the program may copy the first entry, whose address it can get, and no other */
	pthread_mutex_lock(&dev->lock);
	o->table->user_size = ENTRY;
	pthread_mutex_unlock(&dev->lock);
	anpu_region_get(o->table); /* the other reference is the table of regions' */
	pthread_mutex_init(&o->lock, NULL);
	o->tags = 1;
	__atomic_store_n(&dev->overflows, o, __ATOMIC_RELEASE);
	return 0;
}

int anpu_overflow_start(struct anpu_device *dev, uint64_t *va)
{
	struct anpu_overflows *o;
	int err = 0;

	*va = 0;
	if (!(dev->info.flags & DRM_ANPU_INFO_OVERFLOW))
		return 0;
	pthread_mutex_lock(&start_lock);
	if (!overflows_of(dev))
		err = make_table(dev);
	pthread_mutex_unlock(&start_lock);
	o = overflows_of(dev);
	if (o)
		*va = o->table->va;
	return err;
}

void anpu_overflow_free(struct anpu_device *dev)
{
	struct anpu_overflows *o = dev->overflows;

	if (!o)
		return;
	anpu_region_put(o->table);
	pthread_mutex_destroy(&o->lock);
	free(o);
}

static aclError unsupported(const struct anpu_device *dev)
{
	return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"device %d or its driver does not note overflows (since 1.5)", dev->id);
}

/* Streams -------------------------------------------------------------------------------------- */

aclError anpu_overflow_switch(struct anpu_stream *s, uint32_t on, const char *name)
{
	if (on > 1)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "%s is %u and must be 0 or 1", name, on);
	if (on && !overflows_of(s->obj.dev))
		return unsupported(s->obj.dev);
	if (on)
		atomic_fetch_or(&s->kernel_flags, ANPU_KERNEL_OVERFLOW);
	else
		atomic_fetch_and(&s->kernel_flags, (uint16_t)~ANPU_KERNEL_OVERFLOW);
	return ACL_SUCCESS;
}

/* The entry of a tag; 0 after acl_fail() */
static uint32_t entry_of(struct anpu_overflows *o, uint32_t tag)
{
	uint32_t n;

	pthread_mutex_lock(&o->lock);
	for (n = 1; n < o->tags && o->tag[n] != tag; n++)
		;
	if (n == ANPU_OVERFLOW_ENTRIES) {
		n = 0;
	} else if (n == o->tags) {
		o->tag[n] = tag;
		o->tags++;
	}
	pthread_mutex_unlock(&o->lock);
	if (!n)
		acl_fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
			 "userCustomTag is %u, and a device has room for %d tags, which the streams "
			 "of this process have had already",
			 tag, ANPU_OVERFLOW_ENTRIES - 1);
	return n;
}

aclError anpu_overflow_tag(struct anpu_stream *s, uint32_t tag)
{
	struct anpu_overflows *o = overflows_of(s->obj.dev);
	uint16_t old = atomic_load(&s->kernel_flags), new;
	uint32_t entry = 0;

	if (tag && o) {
		entry = entry_of(o, tag);
		if (!entry)
			return acl_last_failure();
	}
	do {
		new = (uint16_t)((old & 0xff) | ANPU_KERNEL_OVERFLOW_ENTRY(entry));
	} while (!atomic_compare_exchange_weak(&s->kernel_flags, &old, new));
	atomic_store(&s->tag, tag);
	return ACL_SUCCESS;
}

aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag)
{
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER();
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	ret = anpu_overflow_switch(s, flag, "flag");
	anpu_stream_put(s);
	return ret;
}

aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t *flag)
{
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(flag);
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	*flag = anpu_overflow_checked(s);
	anpu_stream_put(s);
	return ACL_SUCCESS;
}

/* Status --------------------------------------------------------------------------------------- */

/* Where kernels of the stream note overflows; 0: nowhere */
static uint64_t entry_va(struct anpu_stream *s)
{
	const struct anpu_overflows *o = overflows_of(s->obj.dev);

	return o ? o->table->va +
			   ANPU_KERNEL_GET_OVERFLOW_ENTRY(atomic_load(&s->kernel_flags)) * ENTRY
		 : 0;
}

static aclError get_status(void *outputAddr, uint64_t size, aclrtStream stream)
{
	union anpu_packet pkt = { .copy = { .hdr.opcode = ANPU_OP_COPY,
					    .dst = (uintptr_t)outputAddr,
					    .size = ENTRY } };
	struct anpu_stream *s;
	struct anpu_mem mem;
	aclError ret;

	ACL_CHECK_PTR(outputAddr);
	if (size != ENTRY)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"outputSize is %llu and must be %zu, the bytes of a status",
				(unsigned long long)size, ENTRY);
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	pkt.copy.src = entry_va(s);
	if (!pkt.copy.src)
		ret = unsupported(s->obj.dev);
	else
		ret = anpu_mem_look_reached(outputAddr, size, "outputAddr", s, &mem);
	if (!ret) {
		ret = anpu_stream_submit(s, &pkt, NULL);
		anpu_mem_done(&mem);
	}
	anpu_stream_put(s);
	return ret;
}

static aclError reset_status(aclrtStream stream)
{
	union anpu_packet pkt = { .fill = { .hdr.opcode = ANPU_OP_FILL,
					    .size = ENTRY,
					    .pattern_size = 8 } };
	struct anpu_stream *s;
	aclError ret = anpu_stream_find(stream, &s);

	if (ret)
		return ret;
	pkt.fill.dst = entry_va(s);
	ret = pkt.fill.dst ? anpu_stream_submit(s, &pkt, NULL) : unsupported(s->obj.dev);
	anpu_stream_put(s);
	return ret;
}

static aclError check_mode(uint32_t mode)
{
	if (!mode)
		return ACL_SUCCESS;
	return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"checkMode is %u and must be 0: there is one status, whatever kernels are "
			"being debugged",
			mode);
}

aclError aclrtGetOverflowStatus(void *outputAddr, size_t outputSize, aclrtStream stream)
{
	ACL_ENTER();
	return get_status(outputAddr, outputSize, stream);
}

aclError aclrtResetOverflowStatus(aclrtStream stream)
{
	ACL_ENTER();
	return reset_status(stream);
}

aclError aclrtGetFloatOverflowStatus(void *outputAddr, uint64_t outputSize, aclrtStream stream)
{
	ACL_ENTER();
	return get_status(outputAddr, outputSize, stream);
}

aclError aclrtResetFloatOverflowStatus(aclrtStream stream)
{
	ACL_ENTER();
	return reset_status(stream);
}

aclError aclrtNpuGetFloatOverFlowStatus(void *outputAddr, uint64_t outputSize, uint32_t checkMode,
					aclrtStream stream)
{
	aclError ret;

	ACL_ENTER();
	ret = check_mode(checkMode);
	return ret ? ret : get_status(outputAddr, outputSize, stream);
}

aclError aclrtNpuClearFloatOverFlowStatus(uint32_t checkMode, aclrtStream stream)
{
	aclError ret;

	ACL_ENTER();
	ret = check_mode(checkMode);
	return ret ? ret : reset_status(stream);
}

aclError aclrtCtxGetFloatOverflowAddr(void **overflowAddr)
{
	struct anpu_overflows *o;
	struct anpu_context *ctx;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(overflowAddr);
	ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	/* there since the context's default stream was made, and as long as the device is open */
	o = overflows_of(ctx->obj.dev);
	if (o)
		*overflowAddr = (void *)(uintptr_t)o->table->va;
	else
		ret = unsupported(ctx->obj.dev);
	anpu_context_put(ctx);
	return ret;
}
