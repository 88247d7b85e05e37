/* SPDX-License-Identifier: MIT */
/*
 * TPipe: hands out the memory of the scratchpads and the flags between pipes. Memory is handed out
 * in the order of the InitBuffer() calls and never taken back before Reset().
 */
#ifndef ASCENDC_CORE_PIPE_H
#define ASCENDC_CORE_PIPE_H

#include <anpu/anpu_isa_buffers.h>

#include "sync.h"
#include "tensor.h"

namespace AscendC {

template <TPosition src, TPosition dst, int32_t depth, auto mask> class TQueBind;
template <TPosition pos> class TBuf;
template <TPosition pos, uint32_t ids> class TBufPool;

namespace detail {

#define ASCENDC_BUFFERS		64	/* of the queues of one TPipe, as on the chips */
#define ASCENDC_NO_EVENT	(-1)
#define ASCENDC_BARRIER		(-2)	/* no flag was free: a barrier stands in for it */

enum BufferState : uint8_t { BUFFER_FREE, BUFFER_OWNED, BUFFER_QUEUED, BUFFER_DEQUEUED };

/**
 * struct Buffer - one of a queue
 * @address: where it begins
 * @state: who has it
 * @filled: flag that EnQue() set
 * @freed: flag that FreeTensor() set
 * @taken: where AllocTensor() gave it out: the lower half of that address
 */
struct Buffer {
	uint32_t address;
	uint8_t state;
	int8_t filled;
	int8_t freed;
	uint8_t reserved;
	uint32_t taken;
};

constexpr ASCENDC_FN uint32_t round_up(uint32_t bytes)
{
	return (bytes + ANPU_LOCAL_ALIGN - 1) / ANPU_LOCAL_ALIGN * ANPU_LOCAL_ALIGN;
}

/**
 * struct Taken - memory that InitBuffer() has handed out
 * @where: enum Hardware
 * @count: of buffers
 * @address: of its first byte
 * @bytes: of all buffers together
 */
struct Taken {
	Hardware where;
	uint8_t count;
	uint32_t address;
	uint32_t bytes;
};

/* Tells the checking mode of buffers, one behind the other */
__attribute__((noinline)) inline void tell_buffers(uint32_t address, uint32_t each, uint32_t count)
{
	if (!anpu_csr_checking())
		return;
	for (uint32_t i = 0; i < count; i++)
		anpu_buffer(reinterpret_cast<const void *>(static_cast<uintptr_t>(address + i * each)), each);
}

/* Tells it that a buffer has no contents any more */
__attribute__((noinline)) inline void tell_given_back(uint32_t address)
{
	if (anpu_csr_checking())
		anpu_buffer(reinterpret_cast<const void *>(static_cast<uintptr_t>(address)), 0);
}

/* There are no buffers any more */
__attribute__((noinline)) inline void tell_no_buffers()
{
	for (uint32_t i = 0; i < static_cast<uint32_t>(Hardware::MAX); i++)
		if (size_of(static_cast<Hardware>(i)))
			tell_buffers(base_of(static_cast<Hardware>(i)), size_of(static_cast<Hardware>(i)), 1);
}

/* Owners of the memory: a line for each InitBuffer() so far, in their order */
__attribute__((noinline)) inline void print_taken(const Taken *taken, uint32_t count, Hardware where, uint32_t wanted,
						  uint32_t limit)
{
	uint32_t sum = 0, number = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (taken[i].where != where)
			continue;
		sum += taken[i].bytes;
		anpu_printf("InitBuffer %u: %u bytes at 0x%x, %u together\n", ++number, taken[i].bytes, taken[i].address, sum);
	}
	anpu_printf("InitBuffer %u: %u bytes wanted, of %u there are %u left\n", number + 1, wanted, limit, limit - sum);
}

/** struct Sentence - a trap's text; it lies where the state of the block was, which has ended then */
struct Sentence {
	char *end = reinterpret_cast<char *>(static_cast<uintptr_t>(ANPU_STACK_BASE));

	Sentence &operator<<(const char *text)
	{
		while ((*end = *text++))
			end++;
		return *this;
	}

	Sentence &operator<<(uint64_t number)
	{
		bool begun = false;

		*this << "0x";
		for (int at = 60; at >= 0; at -= 4) {
			uint32_t digit = number >> at & 15;

			begun |= digit || !at;
			if (begun)
				*end++ = static_cast<char>(digit < 10 ? '0' + digit : 'a' + digit - 10);
		}
		*end = 0;
		return *this;
	}

	Sentence &decimal(uint64_t number)
	{
		char digits[20];
		uint32_t count = 0;

		do
			digits[count++] = static_cast<char>('0' + number % 10);
		while (number /= 10);
		while (count)
			*end++ = digits[--count];
		*end = 0;
		return *this;
	}

	/* A place in a scratchpad, which begins at 0 here as in the checking mode's own sentences */
	Sentence &place(Hardware where, uint32_t address)
	{
		constexpr const char *names[] = {"GM+", "UB+", "L1+", "L0A+", "L0B+", "L0C+", "BT+", "FB+"};

		return *this << names[static_cast<size_t>(where)] << static_cast<uint64_t>(address - base_of(where));
	}

	const char *text() const
	{
		return reinterpret_cast<const char *>(static_cast<uintptr_t>(ANPU_STACK_BASE));
	}
};

/* The first of these buffers that is not free, for a trap in the checking mode; NULL: there is none */
__attribute__((noinline)) inline const char *not_freed(const Buffer *pool, uint32_t count)
{
	uint64_t here;

	if (!anpu_csr_checking())
		return nullptr;
	while (count && pool->state == BUFFER_FREE) {
		pool++;
		count--;
	}
	if (!count)
		return nullptr;
	__asm__("auipc %0, 0" : "=r"(here));
	return (Sentence() << (pool->state == BUFFER_QUEUED ? "DeQue() is missing: the tensor of AllocTensor() at " :
			       "FreeTensor() is missing: the tensor of AllocTensor() at ")
			   << here + static_cast<uint64_t>(static_cast<int32_t>(pool->taken - static_cast<uint32_t>(here)))
			   << (pool->state == BUFFER_QUEUED ? " is still in its queue" : " was not given back")).text();
}

template <Hardware where> [[noreturn]] ASCENDC_FN void no_room()
{
	anpu_trap(where == Hardware::UB && ASCENDC_UB_BYTES == ANPU_UB_2201 ?
			  "InitBuffer: the buffers need more than UB has (192 KiB less what the launch reserved)" :
		  where == Hardware::UB ? "InitBuffer: the buffers need more than UB has (248 KiB, of Ascend310P 256, less what the launch reserved)" :
		  where == Hardware::L1 ? "InitBuffer: the buffers need more than L1 has (512 KiB)" :
		  where == Hardware::L0A ? "InitBuffer: the buffers need more than L0A has (64 KiB)" :
		  where == Hardware::L0B ? "InitBuffer: the buffers need more than L0B has (64 KiB)" :
		  where == Hardware::L0C ? "InitBuffer: the buffers need more than L0C has (128 KiB)" :
		  "InitBuffer: the buffers need more than the bias table (4 KiB) or FB (8 KiB) has");
}

} // namespace detail

class TPipe {
public:
	ASCENDC_FN TPipe()
	{
		Init();
	}

	ASCENDC_FN ~TPipe()
	{
		if (const char *text = detail::not_freed(pool, buffers))
			anpu_trap(text);
		Destroy();
		if (detail::state()->pipe == this)
			detail::state()->pipe = nullptr;
	}

	TPipe(const TPipe &) = delete;

	/*
	 * Buffers that this TPipe hands out from here on lie behind those of the other one, and GetTPipePtr() is this one.
	 * Queues keep the buffers that they have, which stand in the TPipe that gave them.
	 */
	ASCENDC_FN TPipe &operator=(const TPipe &other)
	{
		for (uint32_t i = 0; i < static_cast<uint32_t>(Hardware::MAX); i++)
			used[i] = other.used[i];
		detail::state()->pipe = this;
		return *this;
	}

	ASCENDC_FN void Init()
	{
		detail::state()->pipe = this;
		Reset();
	}

	/* Flags that nobody will wait for are taken back, so that the next TPipe finds none set. */
	ASCENDC_FN void Destroy()
	{
		drain<HardEvent::V_MTE2>();
		drain<HardEvent::MTE3_V>();
		drain<HardEvent::MTE3_MTE2>();
		drain<HardEvent::MTE1_MTE2>();
		drain<HardEvent::M_MTE1>();
		drain<HardEvent::FIX_M>();
		drain<HardEvent::MTE1_MTE3>();
	}

	ASCENDC_FN void Reset()
	{
		Destroy();
		detail::tell_no_buffers();
		for (uint32_t i = 0; i < static_cast<uint32_t>(Hardware::MAX); i++)
			used[i] = 0;
		buffers = 0;
		takers = 0;
	}

	template <TPosition src, TPosition dst, int32_t depth, auto mask>
	ASCENDC_FN bool InitBuffer(TQueBind<src, dst, depth, mask> &queue, uint8_t num, uint32_t bytes)
	{
		constexpr Hardware where = TQueBind<src, dst, depth, mask>::where;
		uint32_t each = detail::round_up(bytes);

		if (buffers + num > ASCENDC_BUFFERS)
			anpu_trap(queue.has_buffers() ? "InitBuffer: this queue has buffers already, as in a loop, and a TPipe has at most 64" :
							"InitBuffer: a TPipe has at most 64 buffers of queues");
		uint32_t at = take<where>(num * each, num, queue.has_buffers());

		detail::tell_buffers(at, each, num);
		queue.init(&pool[buffers], num, at, each);
		buffers += num;
		return true;
	}

	template <TPosition pos> ASCENDC_FN bool InitBuffer(TBuf<pos> &buffer, uint32_t bytes)
	{
		uint32_t len = detail::round_up(bytes);

		uint32_t at = take<detail::hardware_of(pos)>(len, 1, buffer.GetBufLen() != 0);

		detail::tell_buffers(at, len, 1);
		buffer.init(at, len, this);
		return true;
	}

	template <TPosition pos, uint32_t ids>
	ASCENDC_FN bool InitBufPool(TBufPool<pos, ids> &part, uint32_t bytes)
	{
		uint32_t len = detail::round_up(bytes);

		part.init(take<detail::hardware_of(pos)>(len), len);
		return true;
	}

	/* The second pool of the same memory */
	template <TPosition pos, uint32_t ids, class Pool>
	ASCENDC_FN bool InitBufPool(TBufPool<pos, ids> &part, uint32_t bytes, Pool &shared)
	{
		return part.share(bytes, shared);
	}

	template <HardEvent event> ASCENDC_FN TEventID AllocEventID()
	{
		TEventID id = detail::take_event<event>();

		if (id == INVALID_TEVENTID)
			anpu_trap("AllocEventID: all eight flags of this pair of pipes are in use");
		return id;
	}

	template <HardEvent event> ASCENDC_FN void ReleaseEventID(TEventID id)
	{
		detail::give_event<event>(id);
	}

	template <HardEvent event> ASCENDC_FN TEventID FetchEventID()
	{
		return FetchEventID(event);
	}

	/* A flag that is free now; the next call may return it again */
	ASCENDC_FN TEventID FetchEventID(HardEvent event)
	{
		uint32_t taken = detail::state()->events[static_cast<size_t>(event)];
		TEventID id = 0;

		while (id < ANPU_EVENT_IDS && (taken >> id & 1))
			id++;
		if (id == ANPU_EVENT_IDS)
			anpu_trap("FetchEventID: all eight flags of this pair of pipes are in use");
		return id;
	}

	template <TPosition pos, class T>
	ASCENDC_FN LocalTensor<T> GetAbsAddr(int32_t offset, int32_t elements) const
	{
		return LocalTensor<T>(pos, static_cast<uint32_t>(offset), static_cast<uint32_t>(elements));
	}

	template <TPosition pos> ASCENDC_FN TBuf<pos> GetAbsAddr(int32_t offset, int32_t bytes) const
	{
		TBuf<pos> buffer;

		buffer.init(detail::base_of(detail::hardware_of(pos)) + static_cast<uint32_t>(offset),
			    static_cast<uint32_t>(bytes), this);
		return buffer;
	}

	ASCENDC_FN uint64_t GetQueueEndAddress(TPosition pos) const
	{
		return used[static_cast<size_t>(detail::hardware_of(pos))];
	}

	/* Finds the buffer that has @address: its bytes are [@begin, @end), in a scratchpad; GM: there is none */
	ASCENDC_FN Hardware find(uint32_t address, uint32_t &begin, uint32_t &end) const
	{
		for (uint32_t i = 0; i < takers; i++) {
			uint32_t skip = address - taken[i].address;

			if (skip >= taken[i].bytes)
				continue;
			begin = address - skip % (taken[i].bytes / taken[i].count);
			end = begin + taken[i].bytes / taken[i].count;
			return taken[i].where;
		}
		return Hardware::GM;
	}

	/* Are these buffers of its queues? */
	ASCENDC_FN bool owns(const detail::Buffer *first) const
	{
		return first >= pool && first < pool + ASCENDC_BUFFERS;
	}

	/* For TBufPool: buffers of queues, and memory */
	ASCENDC_FN detail::Buffer *take_buffers(uint8_t num)
	{
		if (buffers + num > ASCENDC_BUFFERS)
			anpu_trap("InitBuffer: a TPipe has at most 64 buffers of queues");
		buffers += num;
		return &pool[buffers - num];
	}

private:
	template <Hardware where> ASCENDC_FN uint32_t take(uint32_t bytes, uint8_t num = 1, bool again = false)
	{
		constexpr uint32_t base = detail::base_of(where);
		uint32_t limit = where == Hardware::UB ? detail::ub_end() - base : detail::size_of(where);
		uint32_t &next = used[static_cast<size_t>(where)];
		uint32_t at = next;

		if (bytes > limit - next) {
			detail::print_taken(taken, takers, where, bytes, limit);
			if (again)
				anpu_trap("InitBuffer: this object has buffers already, as in a loop, and there is no room for more");
			detail::no_room<where>();
		}
		if (takers < ASCENDC_BUFFERS)
			taken[takers++] = {where, num, base + at, bytes};
		next += bytes;
		return base + at;
	}

	template <HardEvent event> ASCENDC_FN void drain()
	{
		uint8_t *left = &detail::state()->unwaited[static_cast<size_t>(event)];

		for (uint32_t id = 0; *left; id++) {
			if (!(*left >> id & 1))
				continue;
			detail::wait_flag<event>(id);
			detail::give_event<event>(static_cast<TEventID>(id));
			*left = static_cast<uint8_t>(*left & ~(1u << id));
		}
	}

	uint32_t used[static_cast<size_t>(Hardware::MAX)];
	uint32_t buffers;
	uint32_t takers;
	detail::Taken taken[ASCENDC_BUFFERS];
	detail::Buffer pool[ASCENDC_BUFFERS];
};

namespace detail {

__attribute__((noinline)) inline const char *behind_buffer(uint32_t address, uint64_t skip)
{
	const TPipe *pipe = state()->pipe;
	Hardware where = Hardware::GM;
	uint32_t begin, end;

	if (anpu_csr_checking() && pipe)
		where = pipe->find(address, begin, end);
	if (where == Hardware::GM || address + skip - begin < end - begin)
		return nullptr;
	Sentence text;
	text.place(where, static_cast<uint32_t>(address + skip)) << ": the index is too large, the tensor's buffer ends at ";
	return text.place(where, end).text();
}

__attribute__((noinline)) inline const char *behind_global(uint64_t index, uint64_t size)
{
	if (!anpu_csr_checking())
		return nullptr;
	return (Sentence() << "element ").decimal(index)
		.operator<<(" of a GlobalTensor that has ").decimal(size)
		.operator<<(" by SetGlobalBuffer(): look at the index, the count and that size").text();
}

__attribute__((noinline)) inline uint32_t part_of(uint32_t address, uint32_t skip)
{
	const TPipe *pipe = state()->pipe;
	uint32_t begin, end, part = address + skip;

	if (!anpu_csr_checking() || !pipe || pipe->find(address, begin, end) == Hardware::GM || part - begin < end - begin)
		return part;
	return (part & (ANPU_OUTSIDE - 1)) | ANPU_OUTSIDE;
}

__attribute__((noinline)) inline const char *shares_memory(uint32_t address)
{
	uint32_t begin, end;
	Hardware where = anpu_csr_checking() ? state()->pipe->find(address, begin, end) : Hardware::GM;

	if (where == Hardware::GM)
		return nullptr;
	return (Sentence() << "a second TPipe has handed out the memory of this buffer again, ").place(where, address)
		.operator<<(": make one TPipe, or Destroy() the first").text();
}

/* Has the TPipe that was made last handed out the memory of a buffer of another TPipe? NULL if not, else the sentence of a trap */
ASCENDC_FN const char *other_pipe(const TPipe *owner, uint32_t address)
{
	const TPipe *last = state()->pipe;

	return looks_at_indices && last && owner != last ? shares_memory(address) : nullptr;
}

ASCENDC_FN const char *other_pipe(const Buffer *first, uint32_t address)
{
	const TPipe *last = state()->pipe;

	return looks_at_indices && last && !last->owns(first) ? shares_memory(address) : nullptr;
}

} // namespace detail
} // namespace AscendC

/* Sources call it with and without AscendC:: */
ASCENDC_FN AscendC::TPipe *GetTPipePtr()
{
	return AscendC::detail::state()->pipe;
}

namespace AscendC {
using ::GetTPipePtr;
}

#endif
