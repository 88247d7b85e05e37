/* SPDX-License-Identifier: MIT */
/* Positions, pipes, events and the other enumerations of Ascend C. */
#ifndef ASCENDC_CORE_ENUMS_H
#define ASCENDC_CORE_ENUMS_H

#include "base.h"

/** enum pipe_t - the units of a core that work side by side */
enum pipe_t {
	PIPE_S = ANPU_PIPE_S,
	PIPE_V = ANPU_PIPE_V,
	PIPE_M = ANPU_PIPE_M,
	PIPE_MTE1 = ANPU_PIPE_MTE1,
	PIPE_MTE2 = ANPU_PIPE_MTE2,
	PIPE_MTE3 = ANPU_PIPE_MTE3,
	PIPE_ALL = ANPU_PIPE_ALL,
	PIPE_MTE4 = 7,
	PIPE_MTE5 = 8,
	PIPE_V2 = 9,
	PIPE_FIX = ANPU_PIPE_FIX,
};

/* Sources have macros of these names before they include this header: there they are the compiler's own. */
#pragma push_macro("EVENT_ID0")
#undef EVENT_ID0
#pragma push_macro("EVENT_ID1")
#undef EVENT_ID1
#pragma push_macro("EVENT_ID2")
#undef EVENT_ID2
#pragma push_macro("EVENT_ID3")
#undef EVENT_ID3
#pragma push_macro("EVENT_ID4")
#undef EVENT_ID4
#pragma push_macro("EVENT_ID5")
#undef EVENT_ID5
#pragma push_macro("EVENT_ID6")
#undef EVENT_ID6
#pragma push_macro("EVENT_ID7")
#undef EVENT_ID7

/** enum event_t - number of a flag between two pipes */
enum event_t {
	EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7,
	EVENT_ID_MAX,
};

#pragma pop_macro("EVENT_ID0")
#pragma pop_macro("EVENT_ID1")
#pragma pop_macro("EVENT_ID2")
#pragma pop_macro("EVENT_ID3")
#pragma pop_macro("EVENT_ID4")
#pragma pop_macro("EVENT_ID5")
#pragma pop_macro("EVENT_ID6")
#pragma pop_macro("EVENT_ID7")

/** enum cache_line_t, dcci_dst_t - operands of dcci() */
enum cache_line_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE };
enum dcci_dst_t { CACHELINE_ALL = 0, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
/** enum pad_t - padding of copies out of CO1 */
enum pad_t : uint8_t { PAD_NONE = 0, PAD_MODE1, PAD_MODE2, PAD_MODE3, PAD_MODE4, PAD_MODE5, PAD_MODE6, PAD_MODE7, PAD_MODE8 };
enum mem_dsb_t { DSB_ALL = 0, DSB_DDR, DSB_UB, DSB_SEQ };

namespace AscendC {

/** enum class TPosition - what a tensor in a scratchpad is for, which says in which one it lies */
enum class TPosition : uint8_t {
	GM, A1, A2, B1, B2, C1, C2, CO1, CO2, VECIN, VECOUT, VECCALC, LCM = VECCALC,
	SPM, SHM = SPM, TSCM, C2PIPE2GM, C2PIPE2LOCAL, MAX,
};
using QuePosition = TPosition;

enum class Hardware : uint8_t { GM, UB, L1, L0A, L0B, L0C, BIAS, FIXBUF, MAX };

/** enum class HardEvent - a pair of pipes: the second one waits for the first */
enum class HardEvent : uint8_t {
	MTE2_MTE1, MTE1_MTE2, MTE1_M, M_MTE1, MTE2_V, V_MTE2, MTE3_V, V_MTE3, M_V, V_M, V_V,
	MTE3_MTE1, MTE1_MTE3, MTE1_V, MTE2_M, M_MTE2, V_MTE1, M_FIX, FIX_M, MTE3_MTE2, MTE2_MTE3,
	S_V, V_S, S_MTE2, MTE2_S, S_MTE3, MTE3_S, MTE2_FIX, FIX_MTE2, FIX_S, M_S, FIX_MTE3,
	MTE1_FIX, FIX_MTE1, FIX_FIX, FIX_V, V_FIX, MTE3_FIX, S_FIX, MTE1_S, S_MTE1, S_M, MAX,
};

enum class RoundMode : uint8_t {
	CAST_NONE = 0, CAST_RINT, CAST_FLOOR, CAST_CEIL, CAST_ROUND, CAST_TRUNC, CAST_ODD,
	CAST_HYBRID, CAST_UNKNOWN = 0xff, UNKNOWN = 0xff,
};

enum class CMPMODE : uint8_t { LT = 0, GT, EQ, LE, GE, NE };

enum class SELMODE : uint8_t {
	VSEL_CMPMASK_SPR = 0, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE,
};

enum class ReduceType { SUM = 0, MAX, MIN, OR, AND, XOR };
enum class ReduceMode : uint8_t { REDUCE_MAX, REDUCE_MIN, REDUCE_SUM };
enum class ReduceOrder : uint8_t {
	ORDER_VALUE_INDEX = 0, ORDER_INDEX_VALUE, ORDER_ONLY_VALUE, ORDER_ONLY_INDEX,
};

enum class MaskMode : uint8_t { NORMAL = 0, COUNTER };
enum class DeqScale : uint8_t { DEQ_NONE, DEQ, VDEQ, DEQ8, VDEQ8, DEQ16, VDEQ16 };
enum class CacheLine : uint64_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE };
enum class DcciDst : uint64_t {
	CACHELINE_ALL = 0, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC,
};
enum class CacheMode : uint8_t {
	CACHE_MODE_DISABLE = 0, CACHE_MODE_NORMAL, CACHE_MODE_LAST, CACHE_MODE_PERSISTENT,
};
enum class CacheRwMode { READ = 1, WRITE = 2, RW = 3 };
enum class AtomicDtype : uint8_t {
	ATOMIC_NONE = 0, ATOMIC_F32, ATOMIC_F16, ATOMIC_S16, ATOMIC_S32, ATOMIC_S8, ATOMIC_BF16,
};
enum class AtomicOp : uint8_t { ATOMIC_SUM = 0, ATOMIC_MAX, ATOMIC_MIN };
enum class MemDsbT : uint64_t { ALL = 0, DDR, UB, SEQ };
enum class PrinterMode { PRINTER_MODE_NONE, PRINTER_MODE_DUMP };

enum class DataFormat : uint8_t {
	ND = 0, NZ, NCHW, NC1HWC0, NHWC, NCDHW, NDC1HWC0, FRACTAL_Z_3D,
};

enum class TransposeType : uint8_t {
	TRANSPOSE_TYPE_NONE = 0, TRANSPOSE_NZ2ND_0213, TRANSPOSE_NZ2NZ_0213,
	TRANSPOSE_NZ2NZ_012_WITH_N, TRANSPOSE_NZ2ND_012_WITH_N, TRANSPOSE_NZ2ND_012_WITHOUT_N,
	TRANSPOSE_NZ2NZ_012_WITHOUT_N, TRANSPOSE_ND2ND_ONLY, TRANSPOSE_ND_UB_GM,
	TRANSPOSE_GRAD_ND_UB_GM, TRANSPOSE_ND2ND_B16, TRANSPOSE_NCHW2NHWC, TRANSPOSE_NHWC2NCHW,
	TRANSPOSE_ND2ND_021, TRANSPOSE_ND2ND_102, TRANSPOSE_ND2ND_210,
};

/* Core types: g_coreType is what the code runs on */
enum AnpuCoreKind { MIX = 0, AIC, AIV };

namespace detail {

/* The pipes of each HardEvent, in its order */
struct Pair {
	uint8_t from, to;
};

#define ASCENDC_PAIR(from, to) { ANPU_PIPE_##from, ANPU_PIPE_##to }
inline constexpr Pair event_pipes[] = {
	ASCENDC_PAIR(MTE2, MTE1), ASCENDC_PAIR(MTE1, MTE2), ASCENDC_PAIR(MTE1, M),
	ASCENDC_PAIR(M, MTE1), ASCENDC_PAIR(MTE2, V), ASCENDC_PAIR(V, MTE2), ASCENDC_PAIR(MTE3, V),
	ASCENDC_PAIR(V, MTE3), ASCENDC_PAIR(M, V), ASCENDC_PAIR(V, M), ASCENDC_PAIR(V, V),
	ASCENDC_PAIR(MTE3, MTE1), ASCENDC_PAIR(MTE1, MTE3), ASCENDC_PAIR(MTE1, V),
	ASCENDC_PAIR(MTE2, M), ASCENDC_PAIR(M, MTE2), ASCENDC_PAIR(V, MTE1), ASCENDC_PAIR(M, FIX),
	ASCENDC_PAIR(FIX, M), ASCENDC_PAIR(MTE3, MTE2), ASCENDC_PAIR(MTE2, MTE3),
	ASCENDC_PAIR(S, V), ASCENDC_PAIR(V, S), ASCENDC_PAIR(S, MTE2), ASCENDC_PAIR(MTE2, S),
	ASCENDC_PAIR(S, MTE3), ASCENDC_PAIR(MTE3, S), ASCENDC_PAIR(MTE2, FIX),
	ASCENDC_PAIR(FIX, MTE2), ASCENDC_PAIR(FIX, S), ASCENDC_PAIR(M, S), ASCENDC_PAIR(FIX, MTE3),
	ASCENDC_PAIR(MTE1, FIX), ASCENDC_PAIR(FIX, MTE1), ASCENDC_PAIR(FIX, FIX),
	ASCENDC_PAIR(FIX, V), ASCENDC_PAIR(V, FIX), ASCENDC_PAIR(MTE3, FIX), ASCENDC_PAIR(S, FIX),
	ASCENDC_PAIR(MTE1, S), ASCENDC_PAIR(S, MTE1), ASCENDC_PAIR(S, M),
};
#undef ASCENDC_PAIR
static_assert(sizeof(event_pipes) / sizeof(Pair) == static_cast<size_t>(HardEvent::MAX));

/* The scratchpad in which a position lies */
constexpr ASCENDC_FN Hardware hardware_of(TPosition pos)
{
	switch (pos) {
	case TPosition::GM:
		return Hardware::GM;
	case TPosition::A1:
	case TPosition::B1:
	case TPosition::C1:
	case TPosition::TSCM:
	case TPosition::SPM:
		return Hardware::L1;
	case TPosition::A2:
		return Hardware::L0A;
	case TPosition::B2:
		return Hardware::L0B;
	case TPosition::C2:
		return Hardware::BIAS;
	case TPosition::CO1:
		return Hardware::L0C;
	case TPosition::C2PIPE2GM:
		return Hardware::FIXBUF;
	default:
		return Hardware::UB;
	}
}

constexpr ASCENDC_FN uint32_t base_of(Hardware where)
{
	switch (where) {
	case Hardware::L1:
		return ANPU_L1_BASE;
	case Hardware::L0A:
		return ANPU_L0A_BASE;
	case Hardware::L0B:
		return ANPU_L0B_BASE;
	case Hardware::L0C:
		return ANPU_L0C_BASE;
	case Hardware::BIAS:
		return ANPU_BT_BASE;
	case Hardware::FIXBUF:
		return ANPU_FB_BASE;
	default:
		return ANPU_UB_BASE;
	}
}

constexpr ASCENDC_FN uint32_t size_of(Hardware where)
{
	switch (where) {
	case Hardware::L1:
		return ANPU_L1_SIZE;
	case Hardware::L0A:
		return ANPU_L0A_SIZE;
	case Hardware::L0B:
		return ANPU_L0B_SIZE;
	case Hardware::L0C:
		return ANPU_L0C_SIZE;
	case Hardware::BIAS:
		return ANPU_BT_SIZE;
	case Hardware::FIXBUF:
		return ANPU_FB_SIZE;
	default:
		return ASCENDC_UB_BYTES;
	}
}

} // namespace detail
} // namespace AscendC

#endif
