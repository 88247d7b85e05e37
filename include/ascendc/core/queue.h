/* SPDX-License-Identifier: MIT */
/*
 * TQue and TQueBind: buffers that go from the pipe that fills them to the pipe that uses them and
 * back. EnQue() sets a flag that DeQue() waits for, FreeTensor() one that AllocTensor() waits for.
 */
#ifndef ASCENDC_CORE_QUEUE_H
#define ASCENDC_CORE_QUEUE_H

#include "pipe.h"

namespace AscendC {

namespace detail {

/* The pipe that writes into a queue's buffers and the one that reads them */
constexpr ASCENDC_FN uint8_t producer(TPosition src, TPosition dst)
{
	switch (src) {
	case TPosition::GM:
	case TPosition::VECIN:
		return ANPU_PIPE_MTE2;
	case TPosition::A1:
	case TPosition::B1:
	case TPosition::C1:
		return ANPU_PIPE_MTE1;
	case TPosition::CO1:
		return ANPU_PIPE_M;
	case TPosition::CO2:
		return ANPU_PIPE_FIX;
	case TPosition::VECOUT:
		return hardware_of(dst) == Hardware::L1 ? ANPU_PIPE_MTE3 : ANPU_PIPE_V;
	default:
		return ANPU_PIPE_V;
	}
}

constexpr ASCENDC_FN uint8_t consumer(TPosition src, TPosition dst)
{
	switch (dst) {
	case TPosition::A1:
	case TPosition::B1:
	case TPosition::C1:
	case TPosition::TSCM:
		return ANPU_PIPE_MTE1;
	case TPosition::A2:
	case TPosition::B2:
	case TPosition::C2:
		return ANPU_PIPE_M;
	case TPosition::CO2:
		return ANPU_PIPE_FIX;
	case TPosition::C2PIPE2GM:
		return ANPU_PIPE_FIX;
	case TPosition::GM:
	case TPosition::VECOUT:
		return src == TPosition::CO1 ? ANPU_PIPE_FIX : ANPU_PIPE_MTE3;
	default:
		return ANPU_PIPE_V;
	}
}

constexpr ASCENDC_FN HardEvent event_of(uint8_t from, uint8_t to)
{
	for (size_t i = 0; i < static_cast<size_t>(HardEvent::MAX); i++)
		if (event_pipes[i].from == from && event_pipes[i].to == to)
			return static_cast<HardEvent>(i);
	return HardEvent::V_V;
}

/* The scratchpad of a queue's buffers: a path into the cube unit's memories ends in it. */
constexpr ASCENDC_FN Hardware home(TPosition src, TPosition dst)
{
	if (src == TPosition::GM || src == TPosition::A1 || src == TPosition::B1 ||
	    src == TPosition::C1 || hardware_of(dst) == Hardware::L1)
		return hardware_of(dst);
	return hardware_of(src);
}

} // namespace detail

/** struct TQueConfig - what the third argument of a queue may point at; conversions on the way are DataCopy()'s here */
struct TQueConfig {
	bool nd2nz = false;
	bool nz2nd = false;
	bool scmBlockGroup = false;
	uint32_t bufferLen = 0;
	uint32_t bufferNumber = 0;
	uint32_t consumerSize = 0;
	TPosition consumer[8] = {};
	bool enableStaticEvtId = false;
	bool enableLoopQueue = false;
};

/** TQueBind - buffers that are filled at one position and used at another one */
template <TPosition src, TPosition dst, int32_t depth, auto mask = 0> class TQueBind {
public:
	static constexpr Hardware where = detail::home(src, dst);
	static constexpr TPosition srcPosition = src;
	static constexpr TPosition dstPosition = dst;

	template <class T> ASCENDC_FN LocalTensor<T> AllocTensor()
	{
		return tensor<T>(acquire());
	}

	template <class T> ASCENDC_FN void AllocTensor(LocalTensor<T> &out)
	{
		out = tensor<T>(acquire());
	}

	template <class T> ASCENDC_FN bool EnQue(const LocalTensor<T> &filled)
	{
		return EnQue(filled.GetBufferHandle());
	}

	template <TPosition from, TPosition to, class T> ASCENDC_FN bool EnQue(const LocalTensor<T> &filled)
	{
		return EnQue(filled.GetBufferHandle());
	}

	template <class T> ASCENDC_FN LocalTensor<T> DeQue()
	{
		return tensor<T>(next());
	}

	template <class T> ASCENDC_FN void DeQue(LocalTensor<T> &out)
	{
		out = tensor<T>(next());
	}

	template <TPosition from, TPosition to, class T> ASCENDC_FN LocalTensor<T> DeQue()
	{
		return tensor<T>(next());
	}

	template <class T> ASCENDC_FN void FreeTensor(const LocalTensor<T> &used)
	{
		FreeBuffer(used.GetBufferHandle());
	}

	ASCENDC_FN bool EnQue(TBufHandle handle)
	{
		detail::Buffer *buffer = mine(handle);

		if (buffer->state == detail::BUFFER_QUEUED)
			anpu_trap("EnQue: this tensor is in the queue already");
		if (buffer->state == detail::BUFFER_FREE)
			anpu_trap("EnQue: this tensor was given back by FreeTensor()");
		if (depth > 0 && queued >= depth) {
			anpu_printf("EnQue: the queue's depth is %d, and as many tensors are in it\n", int(depth));
			anpu_trap("EnQue: the queue is full: DeQue() a tensor first, or declare it with a greater depth");
		}
		if constexpr (!detail::same_pipe<fill_event>)
			buffer->filled = set<fill_event>();
		buffer->state = detail::BUFFER_QUEUED;
		fifo[(head + queued) % limit] = static_cast<uint8_t>(buffer - first);
		queued++;
		return true;
	}

	ASCENDC_FN TBufHandle AllocBuffer()
	{
		return reinterpret_cast<TBufHandle>(acquire());
	}

	ASCENDC_FN TBufHandle DeQue()
	{
		return reinterpret_cast<TBufHandle>(next());
	}

	ASCENDC_FN void FreeBuffer(TBufHandle handle)
	{
		detail::Buffer *buffer = reinterpret_cast<detail::Buffer *>(handle);

		if (!is_mine(buffer) && (!buffer || anpu_csr_checking()))
			anpu_trap("FreeTensor: the tensor is not from AllocTensor() or DeQue() of this queue");
		if (buffer->state == detail::BUFFER_FREE)
			anpu_trap("FreeTensor: this tensor was given back before");
		if (buffer->state == detail::BUFFER_QUEUED)
			anpu_trap("FreeTensor: this tensor is in the queue; take it out by DeQue() first");
		if (!is_mine(buffer)) {
			/* of another queue, which finds that out in recount() */
			anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
			buffer->state = detail::BUFFER_FREE;
			return;
		}
		if constexpr (!detail::same_pipe<free_event>) {
			buffer->freed = set<free_event>();
			if (buffer->freed >= 0)
				note<free_event>(buffer->freed, true);
		}
		buffer->state = detail::BUFFER_FREE;
		owned--;
		detail::tell_given_back(buffer->address);
	}

	ASCENDC_FN bool VacantInQue() const
	{
		return queued < (depth > 0 ? depth : 1);
	}

	ASCENDC_FN bool HasTensorInQue() const
	{
		return queued > 0;
	}

	ASCENDC_FN int32_t GetTensorCountInQue() const
	{
		return queued;
	}

	ASCENDC_FN bool HasIdleBuffer()
	{
		if (owned >= count)
			recount();
		return owned < count;
	}

	ASCENDC_FN void FreeAllEvent()
	{
		for (uint8_t i = 0; i < count; i++)
			wait_freed(&first[i]);
	}

	template <class T> ASCENDC_FN LocalTensor<T> ToTensor(TBufHandle handle)
	{
		return tensor<T>(mine(handle));
	}

	ASCENDC_FN bool has_buffers() const
	{
		return count != 0;
	}

	/* TPipe and TBufPool call this */
	ASCENDC_FN void init(detail::Buffer *buffers, uint8_t num, uint32_t address, uint32_t bytes)
	{
		if (num > limit)
			anpu_trap("InitBuffer: a queue has at most 16 buffers");
		first = buffers;
		count = num;
		length = bytes;
		head = queued = owned = turn = 0;
		for (uint8_t i = 0; i < num; i++)
			first[i] = {address + i * bytes, detail::BUFFER_FREE, ASCENDC_NO_EVENT,
				    ASCENDC_NO_EVENT, 0, 0};
	}

private:
	static constexpr uint32_t limit = 16;
	static constexpr uint8_t from = detail::producer(src, dst);
	static constexpr uint8_t to = detail::consumer(src, dst);
	static constexpr HardEvent fill_event = detail::event_of(from, to);
	static constexpr HardEvent free_event = detail::event_of(to, from);

	template <class T> ASCENDC_FN LocalTensor<T> tensor(detail::Buffer *buffer) const
	{
		LocalTensor<T> result;

		result.address = buffer->address;
		result.bytes = length;
		result.handle = reinterpret_cast<TBufHandle>(buffer);
		result.position = src == TPosition::GM || where == Hardware::L0A ||
			where == Hardware::L0B || where == Hardware::BIAS ? dst : src;
		return result;
	}

	ASCENDC_FN detail::Buffer *mine(TBufHandle handle) const
	{
		detail::Buffer *buffer = reinterpret_cast<detail::Buffer *>(handle);

		if (!is_mine(buffer))
			anpu_trap("EnQue: the tensor is not from AllocTensor() or DeQue() of this queue");
		return buffer;
	}

	ASCENDC_FN bool is_mine(const detail::Buffer *buffer) const
	{
		return buffer >= first && buffer < first + count;
	}

	/* The FreeTensor() of another queue, too, gives a buffer back: hardware keeps no books of queues. */
	ASCENDC_FN void recount()
	{
		owned = 0;
		for (uint8_t i = 0; i < count; i++)
			owned += first[i].state != detail::BUFFER_FREE;
	}

	/* The buffers take turns, as double buffering expects. */
	ASCENDC_FN detail::Buffer *acquire()
	{
		detail::Buffer *buffer = first + turn;

		if (owned >= count)
			recount();
		if (!count)
			anpu_trap("AllocTensor: the queue has no buffers: InitBuffer() was not called for it");
		if (!length && anpu_csr_checking())
			anpu_trap("AllocTensor: the queue's buffers have no bytes: InitBuffer() had the length 0");
		if (owned >= count)
			anpu_trap("AllocTensor: all buffers of the queue are in use; FreeTensor() gives one back");
		if (const char *text = detail::other_pipe(first, buffer->address))
			anpu_trap(text);
		while (buffer->state != detail::BUFFER_FREE)
			buffer = buffer + 1 == first + count ? first : buffer + 1;
		turn = static_cast<uint8_t>(buffer + 1 == first + count ? 0 : buffer + 1 - first);
		wait_freed(buffer);
		buffer->state = detail::BUFFER_OWNED;
		uint64_t here;
		__asm__ volatile("auipc %0, 0" : "=r"(here));
		buffer->taken = static_cast<uint32_t>(here);
		owned++;
		return buffer;
	}

	ASCENDC_FN detail::Buffer *next()
	{
		detail::Buffer *buffer = first + fifo[head];

		if (!queued)
			anpu_trap("DeQue: the queue is empty; EnQue() a tensor first");
		if (const char *text = detail::other_pipe(first, buffer->address))
			anpu_trap(text);
		if constexpr (!detail::same_pipe<fill_event>) {
			if (buffer->filled >= 0) {
				detail::wait_flag<fill_event>(static_cast<uint32_t>(buffer->filled));
				detail::give_event<fill_event>(buffer->filled);
			} else {
				anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
			}
			buffer->filled = ASCENDC_NO_EVENT;
		}
		head = (head + 1) % limit;
		queued--;
		buffer->state = detail::BUFFER_DEQUEUED;
		return buffer;
	}

	ASCENDC_FN void wait_freed(detail::Buffer *buffer)
	{
		if constexpr (!detail::same_pipe<free_event>) {
			if (buffer->freed >= 0) {
				detail::wait_flag<free_event>(static_cast<uint32_t>(buffer->freed));
				detail::give_event<free_event>(buffer->freed);
				note<free_event>(buffer->freed, false);
			} else if (buffer->freed == ASCENDC_BARRIER) {
				anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
			}
			buffer->freed = ASCENDC_NO_EVENT;
		}
	}

	template <HardEvent event> static ASCENDC_FN int8_t set()
	{
		TEventID id = detail::take_event<event>();

		if (id == INVALID_TEVENTID)
			return ASCENDC_BARRIER;
		detail::set_flag<event>(static_cast<uint32_t>(id));
		return id;
	}

	template <HardEvent event> static ASCENDC_FN void note(int8_t id, bool waits)
	{
		uint8_t *left = &detail::state()->unwaited[static_cast<size_t>(event)];

		*left = static_cast<uint8_t>(waits ? *left | 1u << id : *left & ~(1u << id));
	}

	detail::Buffer *first = nullptr;
	uint32_t length = 0;
	uint8_t count = 0;
	uint8_t owned = 0;
	uint8_t turn = 0;
	uint8_t head = 0;
	int32_t queued = 0;
	uint8_t fifo[limit];
};

namespace detail {

constexpr ASCENDC_FN TPosition source_of(TPosition pos)
{
	switch (pos) {
	case TPosition::VECIN:
	case TPosition::A1:
	case TPosition::B1:
	case TPosition::C1:
	case TPosition::TSCM:
		return TPosition::GM;
	case TPosition::A2:
		return TPosition::A1;
	case TPosition::B2:
		return TPosition::B1;
	case TPosition::C2:
	case TPosition::C2PIPE2GM:
		return TPosition::C1;
	default:
		return pos;
	}
}

constexpr ASCENDC_FN TPosition target_of(TPosition pos)
{
	switch (pos) {
	case TPosition::VECOUT:
	case TPosition::CO2:
		return TPosition::GM;
	case TPosition::CO1:
		return TPosition::CO2;
	default:
		return pos;
	}
}

} // namespace detail

/** TQue - a queue at one position: VECIN is filled from GM, VECOUT is stored to GM, and so on */
template <TPosition pos, int32_t depth, auto mask = 0>
class TQue : public TQueBind<detail::source_of(pos), detail::target_of(pos), depth, mask> {};

/** TSCM - a queue in L1 that is filled from GM or from the vector unit */
template <TPosition pos, int32_t depth = 1, auto mask = 0>
class TSCM : public TQueBind<pos, TPosition::TSCM, depth, mask> {};

/** TBuf - memory without a queue */
template <TPosition pos = TPosition::VECCALC> class TBuf {
public:
	template <class T> ASCENDC_FN LocalTensor<T> Get()
	{
		return part<T>(0, length);
	}

	template <class T> ASCENDC_FN LocalTensor<T> Get(uint32_t elements)
	{
		return part<T>(0, static_cast<uint32_t>(detail::bytes_of<T>(elements)));
	}

	template <class T> ASCENDC_FN LocalTensor<T> GetWithOffset(uint32_t elements, uint32_t offset)
	{
		return part<T>(offset, static_cast<uint32_t>(detail::bytes_of<T>(elements)));
	}

	ASCENDC_FN uint32_t GetBufLen() const
	{
		return length;
	}

	template <class T> ASCENDC_FN LocalTensor<T> AllocTensor()
	{
		return Get<T>();
	}

	template <class T> ASCENDC_FN void FreeTensor(LocalTensor<T> &) {}

	/*
	 * EnQue(), DeQue(): one function passes the vector unit's results on to another without a queue. DeQue() gives the tensor that
	 * EnQue() was given last, or all of the buffer
	 */
	template <class T> ASCENDC_FN bool EnQue(const LocalTensor<T> &tensor)
	{
		given = tensor.address;
		given_bytes = tensor.bytes;
		return true;
	}

	template <class T> ASCENDC_FN LocalTensor<T> DeQue()
	{
		PipeBarrier<PIPE_V>();
		return given_bytes ? part<T>(given - address, given_bytes) : Get<T>();
	}

	ASCENDC_FN void init(uint32_t at, uint32_t bytes, const TPipe *pipe)
	{
		address = at;
		length = bytes;
		given_bytes = 0;
		owner = pipe;
	}

private:
	template <class T> ASCENDC_FN LocalTensor<T> part(uint32_t offset, uint32_t bytes) const
	{
		LocalTensor<T> result;

		if (const char *text = detail::other_pipe(owner, address))
			anpu_trap(text);
		result.address = address + offset;
		result.bytes = bytes;
		result.position = pos;
		return result;
	}

	uint32_t address = 0;
	uint32_t length = 0;
	uint32_t given = 0;
	uint32_t given_bytes = 0;
	const TPipe *owner = nullptr;
};

/** TBufPool - a part of a scratchpad that is handed out again after Reset() */
template <TPosition pos, uint32_t ids = 4> class TBufPool {
public:
	template <TPosition src, TPosition dst, int32_t depth, auto mask>
	ASCENDC_FN bool InitBuffer(TQueBind<src, dst, depth, mask> &queue, uint8_t num, uint32_t bytes)
	{
		uint32_t each = detail::round_up(bytes);

		uint32_t at = take(num * each);

		detail::tell_buffers(at, each, num);
		queue.init(GetTPipePtr()->take_buffers(num), num, at, each);
		return true;
	}

	template <TPosition other> ASCENDC_FN bool InitBuffer(TBuf<other> &buffer, uint32_t bytes)
	{
		uint32_t len = detail::round_up(bytes);

		uint32_t at = take(len);

		detail::tell_buffers(at, len, 1);
		buffer.init(at, len, GetTPipePtr());
		return true;
	}

	template <TPosition other, uint32_t n>
	ASCENDC_FN bool InitBufPool(TBufPool<other, n> &part, uint32_t bytes)
	{
		uint32_t len = detail::round_up(bytes);

		part.init(take(len), len);
		return true;
	}

	template <TPosition other, uint32_t n, class Pool>
	ASCENDC_FN bool InitBufPool(TBufPool<other, n> &part, uint32_t bytes, Pool &shared)
	{
		return part.share(bytes, shared);
	}

	/* Take the memory of another pool, too */
	template <class Pool> ASCENDC_FN bool share(uint32_t bytes, Pool &shared)
	{
		if (detail::round_up(bytes) > shared.length())
			anpu_trap("InitBufPool: the pool that is to be shared is smaller");
		init(shared.start(), detail::round_up(bytes));
		return true;
	}

	ASCENDC_FN void Reset()
	{
		used = 0;
	}

	ASCENDC_FN uint32_t start() const { return address; }
	ASCENDC_FN uint32_t length() const { return bytes; }

	ASCENDC_FN void init(uint32_t at, uint32_t len)
	{
		detail::tell_buffers(at, len, 1);
		address = at;
		bytes = len;
		used = 0;
	}

private:
	ASCENDC_FN uint32_t take(uint32_t len)
	{
		if (len > bytes - used)
			anpu_trap("InitBuffer: the buffers need more than the TBufPool has");
		used += len;
		return address + used - len;
	}

	uint32_t address = 0;
	uint32_t bytes = 0;
	uint32_t used = 0;
};

/** LocalMemAllocator - memory of a scratchpad in the static style, without TPipe */
template <Hardware hard = Hardware::UB> class LocalMemAllocator {
public:
	ASCENDC_FN uint32_t GetCurAddr() const
	{
		return next;
	}

	template <class T, uint32_t elements> ASCENDC_FN LocalTensor<T> Alloc()
	{
		return Alloc<usual, T>(elements);
	}

	template <TPosition pos, class T, uint32_t elements> ASCENDC_FN LocalTensor<T> Alloc()
	{
		return Alloc<pos, T>(elements);
	}

	template <class T> ASCENDC_FN LocalTensor<T> Alloc(uint32_t elements)
	{
		return Alloc<usual, T>(elements);
	}

	template <TPosition pos, class T> ASCENDC_FN LocalTensor<T> Alloc(uint32_t elements)
	{
		uint32_t bytes = detail::round_up(static_cast<uint32_t>(detail::bytes_of<T>(elements)));
		uint32_t limit = hard == Hardware::UB ? detail::ub_end() - ANPU_UB_BASE : detail::size_of(hard);

		static_assert(detail::hardware_of(pos) == hard, "LocalMemAllocator: the position lies in another scratchpad");
		if (bytes > limit - next)
			detail::no_room<hard>();
		next += bytes;
		return LocalTensor<T>(pos, next - bytes, elements);
	}

private:
	static constexpr TPosition usual =
		hard == Hardware::UB ? TPosition::VECCALC : hard == Hardware::L1 ? TPosition::A1 :
		hard == Hardware::L0A ? TPosition::A2 : hard == Hardware::L0B ? TPosition::B2 :
		hard == Hardware::L0C ? TPosition::CO1 : hard == Hardware::BIAS ? TPosition::C2 :
		TPosition::C2PIPE2GM;
	uint32_t next = 0;
};

ASCENDC_FN void InitSocState()
{
	anpu_set_csr_atomic(0);
	anpu_set_csr_vmask0(~0ull);
	anpu_set_csr_vmask1(~0ull);
	detail::state()->counter = 0;
}

} // namespace AscendC

#endif
