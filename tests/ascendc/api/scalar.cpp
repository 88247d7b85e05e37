// SPDX-License-Identifier: MIT
/* Numbers on the scalar unit, and names that sources use without including what declares them. */
struct BeforeTheFirstInclude {
	int32_t a;
	uint64_t b;
};
/* declared where it is defined, before it is */
namespace AscendC {
namespace tiling {
struct TCubeTiling;
}
}
#include "unit.h"
#include "kernel_log.h"
#include "adv_api/pad/broadcast.h"
#include "basic_api/kernel_vec_intf.h"
#include "kernel_event.h"
#include "kernel_tensor_impl.h"
#include "kernel_utils.h"
#include "lib/matmul_intf.h"
#include "platform/platform_ascendc.h"
#include "register/tilingdata_base.h"

#include <cmath>

namespace optiling {
BEGIN_TILING_DATA_DEF(ScalarTiling)
TILING_DATA_FIELD_DEF(uint32_t, count);
END_TILING_DATA_DEF;
}

static_assert(std::is_same_v<AscendC::tiling::TCubeTiling, ::TCubeTiling> && ::CFG_MDL.doMultiDataLoad && ::CFG_NORM.doNorm);
static_assert(std::is_same_v<decltype(MAX_REPEAT_TIMES), const int32_t> && sizeof(BeforeTheFirstInclude) == 16);

TEST(powers)
{
	int64_t four = 4;

	assert(std::pow(4, 3) == 64 && std::pow(four, 20) == 1099511627776.0 && std::pow(2.0, -2) == 0.25);
	assert(std::pow(-3, 3) == -27 && std::pow(0.5f, 2) == 0.25 && std::pow(2.0f, 0.5f) == powf(2.0f, 0.5f));
	assert(std::pow(2.0, 0.5) > 1.41421356237309 && std::pow(2.0, 0.5) < 1.41421356237310);
}

TEST(overloads)
{
	int64_t four = 4, less = -4;

	assert(std::abs(-1.5f) == 1.5f && std::abs(-2.5) == 2.5 && std::abs(-3) == 3 && std::abs(less) == 4);
	assert(std::log(four) == ::log(4.0) && std::exp(1.0f) == expf(1.0f) && std::sqrt(four) == 2);
	assert(!std::isnan(1.0f) && std::isinf(std::numeric_limits<float>::infinity()) && std::round(2.5f) == 3 && std::trunc(-2.5) == -2);
	assert(RoundUp(33u, 32u) == 64 && CeilDiv(33u, 32) == 2 && CeilAlign(33l, 32u) == 64 && matmul::CeilDiv(65, 32) == 3 && matmul::Align(65, 32) == 96);
}

static __aicore__ inline uint32_t fields(__kfc_workspace__ GM_ADDR workspace)
{
	ScalarTiling tiling;

	tiling.set_count(7);
	ASCENDC_ASSERT((tiling.count == 7), { KERNEL_LOG(KERNEL_ERROR, "count is %u", tiling.count); });
	KERNEL_LOG(KERNEL_INFO, "not printed");
	return workspace ? tiling.get_count() : 0;
}

static const float LEAST = *(float *)(&F32_NEG_INF);

TEST(overflows)
{
	LocalTensor<half> a = at<half>(0);

	assert(__builtin_isinf(LEAST) && LEAST < 0);
	AscendCUtils::SetOverflow(0);
	Duplicate(a, half(60000.0f), 64);
	Add(a, a, a, 64);
	PipeBarrier<PIPE_ALL>();
	assert(float(a.GetValue(5)) == 65504.0f);
	AscendCUtils::SetOverflow(1);
	Add(a, a, a, 64);
	PipeBarrier<PIPE_ALL>();
	assert(__builtin_isinf(float(a.GetValue(5))));
}

TEST(names)
{
	assert(fields(GetSysWorkSpacePtr()) == 7);
}

TEST(bits)
{
	assert(sbitset0(0xff, 3) == 0xf7 && sbitset1(1, 63) == 0x8000000000000001ull && bcnt0(3) == 62 && bcnt1(0xf0f0) == 8);
	assert(sff0(7) == 3 && sff0(~0ull) == -1 && sff1(0x50) == 4 && sff1(0) == -1 && clz(1) == 63 && clz(0) == 64);
	assert(AscendCUtils::GetBitSize(4) == 32);
}

/* Numbers of the vector unit and others that operators use without defining them */
static_assert(B8_DATA_NUM_PER_BLOCK * B8_BYTE_SIZE == 32 && B16_DATA_NUM_PER_BLOCK * B16_BYTE_SIZE == 32 &&
	      B32_DATA_NUM_PER_BLOCK * B32_BYTE_SIZE == 32 && B64_DATA_NUM_PER_BLOCK * B64_BYTE_SIZE == 32);
static_assert(B8_DATA_NUM_PER_REPEAT == 256 && B16_DATA_NUM_PER_REPEAT == 128 && B32_DATA_NUM_PER_REPEAT == 64 && B64_DATA_NUM_PER_REPEAT == 32);
static_assert(ONE_REPEAT_FLOAT_SIZE == 64 && ONE_REPEAT_HALF_SIZE == 128 && ONE_BLK_FLOAT_NUM == 8 && ONE_BLK_HALF_NUM == 16);
static_assert(BLK_NUM_PER_REP == 8 && BRCB_BROADCAST_NUMBER == 8 && TWO == 2 && PI == 3.14159265f);

/* The operator's own function for two types is the one that is called. */
template <class T, class U> inline T min(T const &, U const &)
{
	return 77;
}

TEST(own_min)
{
	uint32_t a = 3, b = 4;

	assert(min(a, b) == 77 && max(a, b) == 4);
}

/* Questions about types that templates of operators ask */
struct Asked {
	int field;
	void method(int) const;
	virtual ~Asked();
};
static_assert(std::is_member_function_pointer_v<decltype(&Asked::method)> && !std::is_member_function_pointer_v<decltype(&Asked::field)>);
static_assert(std::is_member_object_pointer_v<decltype(&Asked::field)> && !std::is_member_object_pointer_v<int *>);
static_assert(std::is_destructible_v<Asked> && !std::is_destructible_v<void> && std::is_destructible_v<int &> && !std::is_destructible_v<void()>);
static_assert(std::is_trivially_destructible_v<half> && !std::is_trivially_destructible_v<Asked> && std::has_virtual_destructor_v<Asked>);
static_assert(std::is_nothrow_move_constructible_v<int> && std::is_move_assignable_v<float> && !std::is_copy_assignable_v<const int>);
static_assert(std::is_fundamental_v<float> && !std::is_fundamental_v<int *> && std::is_compound_v<Asked>);
static_assert(std::is_same_v<std::add_cv_t<int>, const volatile int> && sizeof(std::aligned_storage_t<24>) == 32 && alignof(std::aligned_storage_t<24>) == 16);
static_assert(std::is_nothrow_constructible_v<int, float> && std::is_trivially_constructible_v<int> && std::is_nothrow_assignable<int &, int>::value);

/* Numbers past the caches: the offset is in bytes */
TEST(numbers_past_caches)
{
	uint32_t words[3] = {1, 2, 3};

	st_dev(uint32_t(7), reinterpret_cast<__gm__ uint32_t *>(words), 4);
	assert(words[0] == 1 && words[1] == 7 && words[2] == 3);
	assert(ld_dev(reinterpret_cast<__gm__ uint32_t *>(words + 2), -4) == 7 && ld_dev(reinterpret_cast<__gm__ uint32_t *>(words), 8) == 3);
}

/* Flags between cores by their older names: the launch has one core, which meets itself */
TEST(older_names_of_flags)
{
	SetSyncBaseAddr(0);
	CrossCoreSetFlag<0, PIPE_S>(3);
	WaitEvent(3);
}

/* Constants of type half, which the compiler puts into calls, comparisons and conversions by their values */
constexpr half LOWEST = -65504.0;
static const half SMALL = half(0.25f);
struct Limits {
	static constexpr half TOP = 1.5;
};

__attribute__((noinline)) static float wide(half value, half other) { return float(value) + float(other); }

TEST(constants_of_half)
{
	static float out[4];
	LocalTensor<half> a = at<half>(0), b = at<half>(1);

	a.SetValue(0, LOWEST);
	a.SetValue(1, Limits::TOP);
	Duplicate(b, SMALL, 16);
	PipeBarrier<PIPE_ALL>();
	out[0] = wide(LOWEST, Limits::TOP);
	out[1] = LOWEST;
	out[2] = SMALL;
	out[3] = a(0) < Limits::TOP ? 1.0f : 0.0f;
	assert(float(a(0)) == -65504 && float(a(1)) == 1.5f && float(b(7)) == 0.25f);
	assert(out[0] == -65502.5f && out[1] == -65504 && out[2] == 0.25f && out[3] == 1);
}
