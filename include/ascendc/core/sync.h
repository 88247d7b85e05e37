/* SPDX-License-Identifier: MIT */
/* Flags and barriers between the pipes of a core and between cores. */
#ifndef ASCENDC_CORE_SYNC_H
#define ASCENDC_CORE_SYNC_H

#include "state.h"
#include "where.h"

namespace AscendC {

using TEventID = int8_t;
constexpr TEventID INVALID_TEVENTID = -1;

namespace detail {

/* The pair V_V and the like: a pipe is in order with itself. */
template <HardEvent event> inline constexpr bool same_pipe =
	event_pipes[static_cast<size_t>(event)].from == event_pipes[static_cast<size_t>(event)].to;

template <HardEvent event> ASCENDC_FN void set_flag(uint32_t id)
{
	constexpr Pair pair = event_pipes[static_cast<size_t>(event)];

	static_assert(event != HardEvent::MAX, "AscendC::SetFlag: name a pair of pipes, as HardEvent::MTE2_V");
	if constexpr (!same_pipe<event>)
		anpu_sys_SETFLAG(ANPU_FLAG((uint64_t)pair.from, (uint64_t)pair.to, (uint64_t)id), 0);
}

template <HardEvent event> ASCENDC_FN void wait_flag(uint32_t id)
{
	constexpr Pair pair = event_pipes[static_cast<size_t>(event)];

	static_assert(event != HardEvent::MAX, "AscendC::WaitFlag: name a pair of pipes, as HardEvent::MTE2_V");
	if constexpr (!same_pipe<event>)
		anpu_sys_WAITFLAG(ANPU_FLAG((uint64_t)pair.from, (uint64_t)pair.to, (uint64_t)id), 0);
}

/* The lowest free flag of a pair, or INVALID_TEVENTID if all eight are in use */
template <HardEvent event> ASCENDC_FN TEventID take_event()
{
	uint8_t *used = &state()->events[static_cast<size_t>(event)];
	uint32_t id = 0;

	while (id < ANPU_EVENT_IDS && (*used >> id & 1))
		id++;
	if (id == ANPU_EVENT_IDS)
		return INVALID_TEVENTID;
	*used = static_cast<uint8_t>(*used | 1u << id);
	return static_cast<TEventID>(id);
}

template <HardEvent event> ASCENDC_FN void give_event(TEventID id)
{
	uint8_t *used = &state()->events[static_cast<size_t>(event)];

	*used = static_cast<uint8_t>(*used & ~(1u << id));
}

} // namespace detail

template <HardEvent event> ASCENDC_FN void SetFlag(int32_t id)
{
	detail::set_flag<event>(static_cast<uint32_t>(id));
}

template <HardEvent event> ASCENDC_FN void WaitFlag(int32_t id)
{
	detail::wait_flag<event>(static_cast<uint32_t>(id));
}

template <pipe_t pipe> ASCENDC_FN void PipeBarrier()
{
	/* The pipes of other chips that this core does not have are part of its vector unit. */
	anpu_sys_PIPEBAR(pipe == PIPE_MTE4 || pipe == PIPE_MTE5 || pipe == PIPE_V2 ?
			 ANPU_PIPE_ALL : pipe, 0);
}

template <MemDsbT which> ASCENDC_FN void DataSyncBarrier()
{
	anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
}

/** SyncAll() - ends when all vector cores of the launch have come here; false: cube cores, too */
template <bool vector_only = true> ASCENDC_FN void SyncAll()
{
	anpu_sys_SYNCALL(vector_only ? ANPU_SYNC_KIND : ANPU_SYNC_ALL, 0);
}

namespace detail {

/* The pipes of other chips that this core does not have are part of its vector unit. */
constexpr uint64_t cross_pipe(pipe_t pipe)
{
	return pipe == PIPE_MTE4 || pipe == PIPE_MTE5 || pipe == PIPE_V2 ? 0 : ANPU_CROSS_PIPE((uint64_t)pipe);
}

} // namespace detail

/**
 * CrossCoreSetFlag() - sets a flag for all cores of the caller's kind (mode 0), the vector cores of the block (1), the other kind's cores
 * of the block (2), or one core of the other kind (4): the cube core's flags 16 to 31 are flags 0 to 15 of the second vector core.
 * The flag is set when @pipe has done what it was given before
 */
template <uint8_t mode = 0, pipe_t pipe = PIPE_ALL> ASCENDC_FN void CrossCoreSetFlag(uint16_t flag)
{
	static_assert(mode <= 2 || mode == 4, "AscendC::CrossCoreSetFlag: the mode is 0, 1, 2 or 4");
	anpu_sys_XSET(ANPU_CROSS((uint64_t)flag, (uint64_t)mode), detail::cross_pipe(pipe));
}

/** CrossCoreWaitFlag() - the mode is that of the CrossCoreSetFlag() */
template <uint8_t mode = 0xff, pipe_t pipe = PIPE_S> ASCENDC_FN void CrossCoreWaitFlag(uint16_t flag)
{
	/* Calls that leave the mode at its default meet flags of modes 0 to 2. */
	anpu_sys_XWAIT(ANPU_CROSS((uint64_t)flag, mode == 1 || mode == 2 || mode == 4 ? (uint64_t)mode : ANPU_CROSS_ANY), 0);
}

/** WaitEvent() - CrossCoreWaitFlag() by its older name */
ASCENDC_FN void WaitEvent(uint16_t flag)
{
	CrossCoreWaitFlag(flag);
}

/** SetSyncBaseAddr() - where a chip keeps its flags between cores, which are in no memory here */
ASCENDC_FN void SetSyncBaseAddr(uint64_t) {}

} // namespace AscendC

namespace AscendC {

ASCENDC_FN void Barrier()
{
	anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
}

/** TQueSync - a flag between two pipes as an object */
template <pipe_t from, pipe_t to> class TQueSync {
public:
	ASCENDC_FN void SetFlag(TEventID id)
	{
		anpu_sys_SETFLAG(ANPU_FLAG((uint64_t)from, (uint64_t)to, (uint64_t)id), 0);
	}

	ASCENDC_FN void WaitFlag(TEventID id)
	{
		anpu_sys_WAITFLAG(ANPU_FLAG((uint64_t)from, (uint64_t)to, (uint64_t)id), 0);
	}
};

} // namespace AscendC

/* The same by the names that the compiler of Ascend C has built in */
ASCENDC_FN void set_flag(pipe_t from, pipe_t to, int id)
{
	if (from != to)
		anpu_sys_SETFLAG(ANPU_FLAG((uint64_t)from, (uint64_t)to, (uint64_t)id), 0);
}

ASCENDC_FN void wait_flag(pipe_t from, pipe_t to, int id)
{
	if (from != to)
		anpu_sys_WAITFLAG(ANPU_FLAG((uint64_t)from, (uint64_t)to, (uint64_t)id), 0);
}

ASCENDC_FN void pipe_barrier(pipe_t pipe)
{
	anpu_sys_PIPEBAR((uint64_t)pipe, 0);
}

/** icache_preload() - asks for code before it runs; this core has no cache of code that could be cold */
ASCENDC_FN void icache_preload(int64_t)
{
}

ASCENDC_FN void dcci(const volatile void *address, uint64_t what = 0, uint64_t where = 0)
{
	(void)what;
	(void)where;
	anpu_sys_DCCI((uint64_t)address, 64);
}

ASCENDC_FN void dsb(mem_dsb_t what)
{
	(void)what;
	anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
}

#endif
