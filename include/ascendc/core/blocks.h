/* SPDX-License-Identifier: MIT */
/*
 * Synchronisation of blocks through global memory: IBSet() and IBWait(), SyncAll() with a workspace,
 * and the forms that wait in turn. A block that waits gives its core to others. Also Mutex, for the pipes of a core.
 */
#ifndef ASCENDC_CORE_BLOCKS_H
#define ASCENDC_CORE_BLOCKS_H

#include "../move/copy.h"
#include "../move/atomic.h"
#include "sync.h"

namespace AscendC {

namespace detail {

/* A core's word in a workspace, in a block of 32 bytes of its own */
template <class G> ASCENDC_FN uint64_t slot_of(const G &workspace, uint64_t number)
{
	return place(workspace) + number * ONE_BLK_SIZE;
}

/* Vector cores of the launch, or cube cores */
ASCENDC_FN int64_t cores()
{
	return GetBlockNum() * GetSubBlockNum();
}

} // namespace detail

/*
 * SyncAll() with a workspace of zeros: of all cores of the caller's kind, or of the first usedCores. Then each core counts its
 * calls in its word and waits until the others have counted as far.
 */
template <bool vector_only = true, class G, class U>
ASCENDC_FN void SyncAll(const G &gmWorkspace, const U &, const int32_t usedCores = 0)
{
	if (!usedCores || usedCores == detail::cores()) {
		/* the device does not need the workspace, at whose contents only the checking mode looks */
		if (anpu_csr_checking() && *reinterpret_cast<const volatile uint32_t *>(detail::slot_of(gmWorkspace, uint64_t(GetBlockIdx()))))
			anpu_trap("SyncAll: the workspace is not full of zeros, which a core would take for the arrival of others");
		anpu_sys_SYNCALL(ANPU_SYNC_KIND, 0);
		return;
	}
	uint64_t own = detail::slot_of(gmWorkspace, uint64_t(GetBlockIdx()));
	uint32_t calls = *reinterpret_cast<const uint32_t *>(own) + 1;

	anpu_sys_POST(own, calls);
	for (int32_t i = 0; i < usedCores; i++)
		anpu_sys_AWAIT(detail::slot_of(gmWorkspace, uint64_t(i)), ANPU_AWAIT(calls, 1));
}

/** IBSet() - sets event @eventID of core @blockIdx, once the last one has been taken by IBWait(); the workspace begins as zeros */
template <bool isAIVOnly = true, class G, class U>
ASCENDC_FN void IBSet(const G &gmWorkspace, const U &, int32_t blockIdx, int32_t eventID)
{
	uint64_t word = detail::slot_of(gmWorkspace, uint64_t(detail::cores() * eventID + blockIdx));

	anpu_sys_AWAIT(word, ANPU_AWAIT(0, 0));
	anpu_sys_POST(word, 1);
}

template <bool isAIVOnly = true, class G, class U>
ASCENDC_FN void IBWait(const G &gmWorkspace, const U &, int32_t blockIdx, int32_t eventID)
{
	uint64_t word = detail::slot_of(gmWorkspace, uint64_t(detail::cores() * eventID + blockIdx));

	anpu_sys_AWAIT(word, ANPU_AWAIT(1, 0));
	anpu_sys_POST(word, 0);
}

/* Cores that take turns: a word counts the turns, of which each core takes every cores()th. */
template <class G, class U> ASCENDC_FN void InitDetermineComputeWorkspace(const G &gmWorkspace, const U &)
{
	if (!GetBlockIdx())
		anpu_sys_POST(detail::place(gmWorkspace), 0);
	detail::state()->turn = uint32_t(GetBlockIdx());
	anpu_sys_SYNCALL(ANPU_SYNC_KIND, 0);
}

template <class G, class U> ASCENDC_FN void WaitPreBlock(const G &gmWorkspace, const U &)
{
	anpu_sys_AWAIT(detail::place(gmWorkspace), ANPU_AWAIT(detail::state()->turn, 0));
}

template <class G, class U> ASCENDC_FN void NotifyNextBlock(const G &gmWorkspace, const U &)
{
	anpu_sys_POST(detail::place(gmWorkspace), detail::state()->turn + 1);
	detail::state()->turn += uint32_t(detail::cores());
}

/** Mutex - pipes that take turns with something; what one did before Unlock() is done before another goes on after Lock() */
using MutexID = uint8_t;
constexpr MutexID MAX_MUTEX_ID = 32;

class Mutex {
public:
	template <pipe_t pipe> static ASCENDC_FN void Lock(MutexID id)
	{
		uint8_t *holder = find(id);

		if (*holder & locked)
			anpu_trap("Mutex::Lock: the mutex is locked already, and nothing could unlock it");
		if (*holder && *holder != pipe + 1)
			anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
		*holder = locked | (pipe + 1);
	}

	template <pipe_t pipe> static ASCENDC_FN void Unlock(MutexID id)
	{
		uint8_t *holder = find(id);

		if (*holder != (locked | (pipe + 1)))
			anpu_trap("Mutex::Unlock: this pipe has not locked the mutex");
		*holder = pipe + 1;
	}

private:
	static constexpr uint8_t locked = 0x80;

	static ASCENDC_FN uint8_t *find(MutexID id)
	{
		if (id >= MAX_MUTEX_ID)
			anpu_trap("Mutex: there are 32 of them, 0 to 31");
		return &detail::state()->mutex[id];
	}
};

ASCENDC_FN MutexID AllocMutexID()
{
	uint32_t *used = &detail::state()->mutexes;
	MutexID id = 0;

	while (id < MAX_MUTEX_ID && *used >> id & 1)
		id++;
	if (id == MAX_MUTEX_ID)
		anpu_trap("AllocMutexID: all 32 are in use");
	*used |= 1u << id;
	return id;
}

ASCENDC_FN void ReleaseMutexID(MutexID id)
{
	detail::state()->mutexes &= ~(1u << id);
}

/** InitOutput() - fills global memory with a value; Fill() and InitGlobalMemory() are the same */
template <class T> ASCENDC_FN void InitGlobalMemory(const GlobalTensor<T> &tensor, const uint64_t size, const T value)
{
	/* by the scalar unit in words, which needs no scratchpad */
	T *at = const_cast<T *>(tensor.GetPhyAddr());

	for (uint64_t i = 0; i < size; i++)
		at[i] = value;
}

template <class T> ASCENDC_FN void InitOutput(const GlobalTensor<T> &tensor, uint32_t size, T value = T{})
{
	InitGlobalMemory(tensor, uint64_t(size), value);
}

template <class T> ASCENDC_FN void Fill(const GlobalTensor<T> &tensor, const uint64_t size, const T value)
{
	InitGlobalMemory(tensor, size, value);
}

/* The special registers of the control word: saturation is the one that this core has */
template <int8_t first, int8_t last> ASCENDC_FN int64_t GetCtrlSpr()
{
	return first <= 60 && 60 <= last ? int64_t(!(anpu_csr_fpctl() & ANPU_FPCTL_SATURATE)) << (60 - first) : 0;
}

template <int8_t first, int8_t last> ASCENDC_FN void SetCtrlSpr(int64_t value)
{
	/* bit 60: 1 gives infinities and NaN, 0 saturates; bit 48: the same for conversions; others have no meaning here */
	if (first <= 60 && 60 <= last)
		anpu_set_csr_fpctl(value >> (60 - first) & 1 ? 0 : ANPU_FPCTL_SATURATE);
}

template <int8_t first, int8_t last> ASCENDC_FN void ResetCtrlSpr()
{
	if (first <= 60 && 60 <= last)
		anpu_set_csr_fpctl(0);
}

/* Marks for profilers, and for kernels that are launched as one: here each kernel has ended before the next one begins */
ASCENDC_FN void MetricsProfStart() {}
ASCENDC_FN void MetricsProfStop() {}
#define TRACE_START(number)	((void)(number))
#define TRACE_STOP(number)	((void)(number))
template <pipe_t pipe, uint16_t index> ASCENDC_FN void MarkStamp() {}
ASCENDC_FN void MarkStamp(uint16_t) {}
template <pipe_t pipe = PIPE_MTE3, int8_t task = 0> ASCENDC_FN void SetNextTaskStart() {}
template <pipe_t pipe = PIPE_MTE2, int8_t task = 0> ASCENDC_FN void WaitPreTaskEnd() {}

#define PRELOAD(lines)	((void)(lines))
ASCENDC_FN void ICachePreLoad(const int64_t) {}
ASCENDC_FN int64_t GetICachePreloadStatus() { return 0; }

template <int32_t cycles> ASCENDC_FN void Nop()
{
	__asm__ volatile("nop");
}

} // namespace AscendC

#endif
