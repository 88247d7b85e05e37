// SPDX-License-Identifier: MIT
/*
 * Words of memory: queued stores and waits, and fills with a 32-bit pattern.
 */
#include "copy/copy.h"
#include "copy/front.h"

/* An aligned word of @width bytes that the stream's device reaches, and the stream with a reference */
static aclError find_word_of(void *addr, uint32_t width, aclrtStream stream, struct anpu_stream **s)
{
	struct anpu_mem mem;
	aclError ret;

	ACL_CHECK_PTR(addr);
	if ((uintptr_t)addr % width)
		return acl_fail(ACL_ERROR_RT_ADDR_UNALIGNED,
				"devAddr is %p and must be a multiple of %u", addr, width);
	ret = anpu_stream_find(stream, s);
	if (ret)
		return ret;
	ret = anpu_mem_look(addr, width, "devAddr", &mem);
	if (!ret && !anpu_reachable(&mem, *s))
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			       "devAddr is %p, which is no memory of the stream's device %d", addr,
			       (*s)->obj.dev->id);
	anpu_mem_done(&mem);
	if (ret)
		anpu_stream_put(*s);
	return ret;
}

static aclError find_word(void *addr, aclrtStream stream, struct anpu_stream **s)
{
	return find_word_of(addr, 8, stream, s);
}

aclError aclrtValueWrite(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream)
{
	union anpu_packet pkt = anpu_signal_packet((uintptr_t)devAddr, value, 0, ANPU_SEM_SET);
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER();
	if (flag)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "flag is %#x and must be 0", flag);
	ret = find_word(devAddr, stream, &s);
	if (ret)
		return ret;
	ret = anpu_stream_submit(s, &pkt, NULL);
	anpu_stream_put(s);
	return ret;
}

static aclError wait_word(void *addr, uint32_t width, uint64_t value, uint32_t flag, aclrtStream stream)
{
	static const uint32_t cond[] = {
		[ACL_STREAM_WAIT_VALUE_GEQ] = ANPU_SEM_GE,
		[ACL_STREAM_WAIT_VALUE_EQ] = ANPU_SEM_EQ,
		[ACL_STREAM_WAIT_VALUE_AND] = ANPU_SEM_ANY,
		[ACL_STREAM_WAIT_VALUE_NOR] = ANPU_SEM_NOR,
	};
	union anpu_packet pkt = { .sem_wait = {
					  .hdr.opcode = ANPU_OP_SEM_WAIT,
					  .addr = (uintptr_t)addr,
					  .value = value,
					  .mask = UINT64_MAX,
					  .timeout_us = ANPU_TIMEOUT_NEVER,
					  .width = width,
				  } };
	struct anpu_stream *s;
	aclError ret;

	if (flag >= ARRAY_SIZE(cond))
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"flag is %#x and must be one of ACL_STREAM_WAIT_VALUE_*, 0 to %zu",
				flag, ARRAY_SIZE(cond) - 1);
	ret = find_word_of(addr, width, stream, &s);
	if (ret)
		return ret;
	pkt.sem_wait.cond = cond[flag];
	ret = anpu_stream_submit(s, &pkt, NULL);
	anpu_stream_put(s);
	return ret;
}

aclError aclrtValueWait(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream)
{
	ACL_ENTER();
	return wait_word(devAddr, 8, value, flag, stream);
}

aclError anpu_front_wait(uint32_t *addr, uint32_t value, uint32_t flag, aclrtStream stream)
{
	ACL_ENTER();
	return wait_word(addr, 4, value, flag, stream);
}

/* Queues a packet about the word at @addr */
static __attribute__((noinline)) aclError submit_word(void *addr, aclrtStream stream, union anpu_packet *pkt)
{
	ACL_UNCANCELLED();
	struct anpu_stream *s;
	aclError ret = find_word(addr, stream, &s);

	if (ret)
		return ret;
	ret = anpu_stream_submit(s, pkt, NULL);
	anpu_stream_put(s);
	return ret;
}

aclError anpu_front_add(uint64_t *addr, uint64_t n, aclrtStream stream)
{
	union anpu_packet pkt = anpu_signal_packet((uintptr_t)addr, n, 0, ANPU_SEM_ADD);

	return submit_word(addr, stream, &pkt);
}

aclError anpu_front_await(uint64_t *addr, uint64_t limit_us, aclrtStream stream)
{
	union anpu_packet pkt = { .sem_wait = {
					  .hdr = { .opcode = ANPU_OP_SEM_WAIT,
						   .flags = ANPU_SEM_CLEAR },
					  .addr = (uintptr_t)addr,
					  .value = 1,
					  .mask = UINT64_MAX,
					  .cond = ANPU_SEM_EQ,
					  .width = 8,
					  .timeout_us = limit_us,
				  } };

	return submit_word(addr, stream, &pkt);
}

aclError anpu_front_abort(uint64_t *addr, aclrtStream stream)
{
	ACL_UNCANCELLED();
	struct anpu_stream *s;
	aclError ret = anpu_stream_find_leaving(stream, &s);

	if (ret)
		return ret;
	/* for threads that come in between, the abort has not ended until the wait is queued */
	atomic_fetch_add(&s->aborts, 1);
	ret = anpu_stream_abort(s);
	anpu_finding_waited(s, ret);
	if (!ret)
		ret = anpu_front_await(addr, 0, stream);
	atomic_fetch_add(&s->aborts_over, 1);
	anpu_stream_put(s);
	return ret;
}

/* A fill of @n words; the memory must be reachable by the stream's device */
static aclError fill(struct anpu_stream *s, void *ptr, size_t size, uint32_t value, size_t n,
		     bool async)
{
	union anpu_packet pkt = { .fill = {
					  .hdr.opcode = ANPU_OP_FILL,
					  .dst = (uintptr_t)ptr,
					  .size = n * 4,
					  .pattern = value,
					  .pattern_size = 4,
				  } };
	struct anpu_mem mem;
	aclError ret;

	if (n > size / 4)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"N is %zu and memSize %zu bytes: the fill would run past its end",
				n, size);
	if ((uintptr_t)ptr % 4)
		return acl_fail(ACL_ERROR_RT_ADDR_UNALIGNED,
				"ptr is %p and must be a multiple of 4", ptr);
	ret = anpu_mem_look(ptr, n * 4, "ptr", &mem);
	if (!ret && !anpu_reachable(&mem, s))
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			       "ptr is %p, which is neither memory of device %d nor pinned for it",
			       ptr, s->obj.dev->id);
	if (!ret && n)
		ret = async ? anpu_stream_submit(s, &pkt, NULL) : anpu_run_packet(s->obj.dev, pkt);
	anpu_mem_done(&mem);
	return ret;
}

static aclError memset_d32(void *ptr, size_t size, uint32_t value, size_t n, aclrtStream stream,
			   bool async)
{
	struct anpu_stream *s;
	aclError ret;

	ACL_CHECK_PTR(ptr);
	ret = async ? ACL_SUCCESS : anpu_recorder.unsafe("aclrtMemsetD32()");
	if (!ret)
		ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	ret = fill(s, ptr, size, value, n, async);
	anpu_stream_put(s);
	return ret;
}

aclError aclrtMemsetD32(void *ptr, size_t memSize, uint32_t value, size_t N)
{
	ACL_ENTER();
	return memset_d32(ptr, memSize, value, N, NULL, false);
}

aclError aclrtMemsetD32Async(void *ptr, size_t memSize, uint32_t value, size_t N,
			     aclrtStream stream)
{
	ACL_ENTER();
	return memset_d32(ptr, memSize, value, N, stream, true);
}
