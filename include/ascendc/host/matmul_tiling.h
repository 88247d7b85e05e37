/* SPDX-License-Identifier: MIT */
/*
 * For the host: matmul_tiling::MatmulApiTiling and relatives, which fill a TCubeTiling, and the sizes and tilings of SoftMax. Matmul<> chooses
 * how much of k it takes at a time by itself, so that baseM, baseN and this core's part of C are what counts.
 */
#ifndef ASCENDC_HOST_MATMUL_TILING_H
#define ASCENDC_HOST_MATMUL_TILING_H

#include <algorithm>
#include <stdint.h>
#include <type_traits>

#include <anpu/anpu_isa.h>
#include "../kernel_tiling/kernel_tiling.h"

namespace matmul_tiling {

enum class TPosition : uint8_t {
	GM, A1, A2, B1, B2, C1, C2, CO1, CO2, VECIN, VECOUT, VECCALC, LCM = VECCALC, SPM, SHM = SPM, TSCM, C2PIPE2GM,
	C2PIPE2LOCAL, MAX,
};
enum class CubeFormat : uint8_t { ND = 0, NZ, ZN, ZZ, NN, ND_ALIGN, SCALAR, VECTOR, ROW_MAJOR, COLUMN_MAJOR };
enum class DataType : int {
	DT_FLOAT = 0, DT_FLOAT16 = 1, DT_INT8 = 2, DT_INT32 = 3, DT_UINT8 = 4, DT_INT16 = 6, DT_UINT16 = 7, DT_UINT32 = 8,
	DT_INT64 = 9, DT_UINT64 = 10, DT_BFLOAT16 = 27, DT_INT4 = 29, DT_UNDEFINED = 43,
	DT_BF16 = DT_BFLOAT16,
};
enum class MatrixTraverse : int { NOSET = 0, FIRSTM = 1, FIRSTN = 2 };
enum class DequantType : int { SCALAR = 0, TENSOR = 1 };
enum class ScheduleType : int { INNER_PRODUCT = 0, OUTER_PRODUCT = 1 };
enum class MatrixMadType : int { NORMAL = 0, HF32 = 1 };

/** struct PlatformInfo - memory sizes of a core that the tiling is for */
struct PlatformInfo {
	int socVersion = 1;
	uint64_t l1Size = ANPU_L1_SIZE;
	uint64_t l0CSize = ANPU_L0C_SIZE;
	uint64_t ubSize = ANPU_UB_2201;
	uint64_t l0ASize = ANPU_L0A_SIZE;
	uint64_t l0BSize = ANPU_L0B_SIZE;
};

namespace detail {

inline int32_t bits_of(DataType type)
{
	switch (type) {
	case DataType::DT_INT4:
		return 4;
	case DataType::DT_INT8:
	case DataType::DT_UINT8:
		return 8;
	case DataType::DT_FLOAT16:
	case DataType::DT_BFLOAT16:
	case DataType::DT_INT16:
	case DataType::DT_UINT16:
		return 16;
	default:
		return 32;
	}
}

inline int32_t up(int32_t value, int32_t unit)
{
	return (value + unit - 1) / unit * unit;
}

inline int32_t parts(int32_t whole, int32_t part)
{
	return (whole + part - 1) / part;
}

} // namespace detail

/** MatmulApiTilingBase - what the tilings for one core, several cores and batches share; functions return 0, or -1 if it cannot be */
class MatmulApiTilingBase {
public:
	MatmulApiTilingBase() = default;
	/* a PlatformAscendC, whose cores are as kernels find them */
	template <class Platform> explicit MatmulApiTilingBase(const Platform &) {}
	virtual ~MatmulApiTilingBase() = default;

	template <class P, class F> int32_t SetAType(P pos, F format, DataType type, bool isTrans = false)
	{
		a_ = {int(pos), int(format), type, isTrans};
		return 0;
	}
	template <class P, class F> int32_t SetBType(P pos, F format, DataType type, bool isTrans = false)
	{
		b_ = {int(pos), int(format), type, isTrans};
		return 0;
	}
	template <class P, class F> int32_t SetCType(P pos, F format, DataType type)
	{
		c_ = {int(pos), int(format), type, false};
		return 0;
	}
	template <class P, class F> int32_t SetBiasType(P pos, F format, DataType type)
	{
		bias_ = {int(pos), int(format), type, false};
		return 0;
	}
	int32_t SetDequantType(DequantType) { return 0; }
	int32_t EnableBias(bool isBiasIn = false)
	{
		tiling_.isBias = isBiasIn;
		return 0;
	}
	int32_t SetBias(bool isBiasIn = false) { return EnableBias(isBiasIn); }

	virtual int32_t SetShape(int32_t m, int32_t n, int32_t k)
	{
		m_ = m;
		n_ = n;
		k_ = k;
		return 0;
	}
	int32_t SetOrgShape(int32_t m, int32_t n, int32_t k) { return SetOrgShape(m, n, k, k); }
	int32_t SetOrgShape(int32_t m, int32_t n, int32_t ka, int32_t kb)
	{
		tiling_.M = m;
		tiling_.N = n;
		tiling_.Ka = ka;
		tiling_.Kb = kb;
		return 0;
	}

	/* -1: as before; sizes that are not multiples of 16 are refused by GetTiling() */
	int32_t SetFixSplit(int32_t baseM = -1, int32_t baseN = -1, int32_t baseK = -1)
	{
		base_m_ = baseM == -1 ? -1 : detail::up(baseM, 16);
		base_n_ = baseN == -1 ? -1 : detail::up(baseN, 16);
		base_k_ = baseK;
		return 0;
	}
	int32_t SetBufferSpace(int32_t l1 = -1, int32_t l0c = -1, int32_t = -1, int32_t = -1)
	{
		l1_ = l1 == -1 ? ANPU_L1_SIZE : l1;
		l0c_ = l0c == -1 ? ANPU_L0C_SIZE : l0c;
		return 0;
	}
	int32_t SetTraverse(MatrixTraverse traverse)
	{
		tiling_.iterateOrder = traverse == MatrixTraverse::FIRSTN;
		return 0;
	}
	int32_t SetMadType(MatrixMadType) { return 0; }
	int32_t SetSplitRange(int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1) { return 0; }
	int32_t SetDoubleBuffer(bool, bool, bool, bool, bool = true, bool = true) { return 0; }
	template <class Config> void SetMatmulConfigParams(const Config &) {}
	void SetMatmulConfigParams(int32_t, bool = false, ScheduleType = ScheduleType::INNER_PRODUCT,
				   MatrixTraverse = MatrixTraverse::NOSET, bool = false) {}

	int32_t SetALayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d)
	{
		tiling_.ALayoutInfoB = b;
		tiling_.ALayoutInfoS = s;
		tiling_.ALayoutInfoN = n;
		tiling_.ALayoutInfoG = g;
		tiling_.ALayoutInfoD = d;
		return 0;
	}
	int32_t SetBLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d)
	{
		tiling_.BLayoutInfoB = b;
		tiling_.BLayoutInfoS = s;
		tiling_.BLayoutInfoN = n;
		tiling_.BLayoutInfoG = g;
		tiling_.BLayoutInfoD = d;
		return 0;
	}
	int32_t SetCLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d)
	{
		tiling_.CLayoutInfoB = b;
		tiling_.CLayoutInfoS1 = s;
		tiling_.CLayoutInfoN = n;
		tiling_.CLayoutInfoG = g;
		tiling_.CLayoutInfoS2 = d;
		return 0;
	}
	int32_t SetBatchNum(int32_t batch)
	{
		tiling_.BatchNum = batch;
		return 0;
	}
	int32_t SetBatchInfoForNormal(int32_t batchA, int32_t batchB, int32_t m, int32_t n, int32_t k)
	{
		SetBatchNum(std::max(batchA, batchB));
		SetOrgShape(m, n, k);
		return SetShape(m, n, k);
	}

	int32_t GetBaseM() const { return tiling_.baseM; }
	int32_t GetBaseN() const { return tiling_.baseN; }
	int32_t GetBaseK() const { return tiling_.baseK; }

	/** GetTiling() - into the structure itself, or the class of op_host that has it as its value */
	template <class T> int64_t GetTiling(T &tiling)
	{
		if (compute())
			return -1;
		if constexpr (std::is_same_v<T, ::TCubeTiling>)
			tiling = tiling_;
		else
			tiling.value = tiling_;
		return 0;
	}

protected:
	struct Operand {
		int pos = 0, format = 0;
		DataType type = DataType::DT_FLOAT16;
		bool transposed = false;
	};

	/* this core's part of C */
	virtual void share()
	{
		tiling_.usedCoreNum = 1;
		tiling_.singleCoreM = m_;
		tiling_.singleCoreN = n_;
	}

	int32_t compute()
	{
		if (m_ <= 0 || n_ <= 0 || k_ <= 0)
			return -1;
		if (!tiling_.M)
			SetOrgShape(m_, n_, k_);
		share();
		tiling_.singleCoreK = k_;
		if (choose_base())
			return -1;
		fill();
		return 0;
	}

	Operand a_, b_, c_, bias_;
	::TCubeTiling tiling_ = {};
	int32_t m_ = 0, n_ = 0, k_ = 0;

private:
	/* A tile fits into L0C, and its sides into L0A and L0B beside at least 32 bytes of k */
	int32_t choose_base()
	{
		int32_t bits = detail::bits_of(a_.type), most = std::min(int32_t(ANPU_L0C_SIZE), l0c_) / 4;
		int32_t base_m = base_m_ != -1 ? base_m_ : std::min(detail::up(tiling_.singleCoreM, 16), 128);
		int32_t base_n = base_n_ != -1 ? base_n_ : std::min(detail::up(tiling_.singleCoreN, 16), 256);

		while (base_n_ == -1 && base_n > 16 && base_m * base_n > most)
			base_n = detail::up(base_n / 2, 16);
		while (base_m_ == -1 && base_m > 16 && base_m * base_n > most)
			base_m = detail::up(base_m / 2, 16);
		int32_t room = ANPU_L0A_SIZE / 2 * 8 / bits / std::max(base_m, base_n), unit = std::max(16, 256 / bits);
		int32_t base_k = base_k_ != -1 ? base_k_ : std::min(detail::up(k_, unit), std::max(unit, room / unit * unit));

		if (base_m <= 0 || base_n <= 0 || base_k <= 0 || base_m % 16 || base_n % 16 || base_m * base_n > most ||
		    std::max(base_m, base_n) > 1008)
			return -1;
		tiling_.baseM = base_m;
		tiling_.baseN = base_n;
		tiling_.baseK = base_k;
		return 0;
	}

	void fill()
	{
		int32_t bits = detail::bits_of(a_.type), steps = detail::parts(k_, tiling_.baseK);
		int32_t half = l1_ / 4, a = tiling_.baseM * tiling_.baseK * bits / 8, b = tiling_.baseN * tiling_.baseK * bits / 8;

		tiling_.stepM = tiling_.stepN = 1;
		tiling_.stepKa = std::max(1, std::min(steps, half / a));
		tiling_.stepKb = std::max(1, std::min(steps, half / b));
		tiling_.depthA1 = tiling_.stepKa < steps ? tiling_.stepKa * 2 : tiling_.stepKa;
		tiling_.depthB1 = tiling_.stepKb < steps ? tiling_.stepKb * 2 : tiling_.stepKb;
		tiling_.shareL1Size = tiling_.depthA1 * a + tiling_.depthB1 * b;
		tiling_.shareL0CSize = tiling_.baseM * tiling_.baseN * 4;
		tiling_.shareMode = tiling_.shareUbSize = 0;
		tiling_.transLength = std::max({a, b, tiling_.shareL0CSize});
		tiling_.batchM = tiling_.batchN = tiling_.singleBatchM = tiling_.singleBatchN = 1;
		tiling_.dbL0A = tiling_.dbL0B = 2;
		tiling_.dbL0C = 1;
	}

	int32_t base_m_ = -1, base_n_ = -1, base_k_ = -1;
	int32_t l1_ = ANPU_L1_SIZE, l0c_ = ANPU_L0C_SIZE;
};

class MatmulApiTiling : public MatmulApiTilingBase {
public:
	using MatmulApiTilingBase::MatmulApiTilingBase;
	MatmulApiTiling() = default;
};

class BatchMatmulTiling : public MatmulApiTilingBase {
public:
	using MatmulApiTilingBase::MatmulApiTilingBase;
	BatchMatmulTiling() = default;

	int32_t GetCoreNum(int32_t &dim, int32_t &mDim, int32_t &nDim) const
	{
		dim = mDim = nDim = 1;
		return 0;
	}
};

/** MultiCoreMatmulTiling - C is shared out in rectangles among at most SetDim() cores, so that the largest one is as small as it can be */
class MultiCoreMatmulTiling : public MatmulApiTilingBase {
public:
	using MatmulApiTilingBase::MatmulApiTilingBase;
	MultiCoreMatmulTiling() = default;

	int32_t SetDim(int32_t dim)
	{
		dim_ = dim;
		return dim > 0 ? 0 : -1;
	}
	int32_t SetSingleRange(int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1) { return 0; }
	int32_t SetSingleShape(int32_t m = -1, int32_t n = -1, int32_t k = -1)
	{
		single_m_ = m;
		single_n_ = n;
		return k == -1 || k == k_ || !k_ ? 0 : -1;
	}
	int32_t SetAlignSplit(int32_t m, int32_t n, int32_t)
	{
		align_m_ = std::max(1, m);
		align_n_ = std::max(1, n);
		return 0;
	}
	/* sums of several cores would need atomic results */
	void EnableMultiCoreSplitK(bool) {}
	void SetSplitK(bool) {}
	int32_t GetSingleShape(int32_t &m, int32_t &n, int32_t &k)
	{
		m = tiling_.singleCoreM;
		n = tiling_.singleCoreN;
		k = tiling_.singleCoreK;
		return 0;
	}
	int32_t GetCoreNum(int32_t &dim, int32_t &mDim, int32_t &nDim)
	{
		mDim = detail::parts(m_, tiling_.singleCoreM);
		nDim = detail::parts(n_, tiling_.singleCoreN);
		dim = mDim * nDim;
		return 0;
	}

protected:
	void share() override
	{
		int64_t best = 0, edges = 0;

		for (int32_t rows = 1; rows <= dim_; rows++) {
			int32_t m = single_m_ > 0 ? single_m_ : part(m_, rows, align_m_);
			int32_t n = single_n_ > 0 ? single_n_ : part(n_, dim_ / rows, align_n_);
			int64_t area = int64_t(m) * n;

			if (best && (area > best || (area == best && m + n >= edges)))
				continue;
			best = area;
			edges = m + n;
			tiling_.singleCoreM = m;
			tiling_.singleCoreN = n;
		}
		tiling_.usedCoreNum = detail::parts(m_, tiling_.singleCoreM) * detail::parts(n_, tiling_.singleCoreN);
	}

private:
	/* one of @count parts, a multiple of 16 unless it is the whole */
	static int32_t part(int32_t whole, int32_t count, int32_t align)
	{
		int32_t each = detail::up(detail::parts(whole, count), align > 1 ? align : 16);

		return std::min(each, whole);
	}

	int32_t dim_ = 1, single_m_ = -1, single_n_ = -1, align_m_ = 1, align_n_ = 1;
};

} // namespace matmul_tiling

namespace optiling {

/** WithCubeFields - a class whose value is a TCubeTiling, with set_NAME() and get_NAME() for its fields */
template <class Base> class WithCubeFields : public Base {
public:
#define ASCENDC_CUBE_FIELD(name) \
	void set_##name(int32_t number) { this->value.name = number; } \
	int32_t get_##name() const { return this->value.name; }
	ASCENDC_CUBE_FIELD(usedCoreNum)
	ASCENDC_CUBE_FIELD(M)
	ASCENDC_CUBE_FIELD(N)
	ASCENDC_CUBE_FIELD(Ka)
	ASCENDC_CUBE_FIELD(Kb)
	ASCENDC_CUBE_FIELD(singleCoreM)
	ASCENDC_CUBE_FIELD(singleCoreN)
	ASCENDC_CUBE_FIELD(singleCoreK)
	ASCENDC_CUBE_FIELD(baseM)
	ASCENDC_CUBE_FIELD(baseN)
	ASCENDC_CUBE_FIELD(baseK)
	ASCENDC_CUBE_FIELD(depthA1)
	ASCENDC_CUBE_FIELD(depthB1)
	ASCENDC_CUBE_FIELD(stepM)
	ASCENDC_CUBE_FIELD(stepN)
	ASCENDC_CUBE_FIELD(isBias)
	ASCENDC_CUBE_FIELD(transLength)
	ASCENDC_CUBE_FIELD(iterateOrder)
	ASCENDC_CUBE_FIELD(shareMode)
	ASCENDC_CUBE_FIELD(shareL1Size)
	ASCENDC_CUBE_FIELD(shareL0CSize)
	ASCENDC_CUBE_FIELD(shareUbSize)
	ASCENDC_CUBE_FIELD(batchM)
	ASCENDC_CUBE_FIELD(batchN)
	ASCENDC_CUBE_FIELD(singleBatchM)
	ASCENDC_CUBE_FIELD(singleBatchN)
	ASCENDC_CUBE_FIELD(stepKa)
	ASCENDC_CUBE_FIELD(stepKb)
	ASCENDC_CUBE_FIELD(depthAL1CacheUB)
	ASCENDC_CUBE_FIELD(depthBL1CacheUB)
	ASCENDC_CUBE_FIELD(dbL0A)
	ASCENDC_CUBE_FIELD(dbL0B)
	ASCENDC_CUBE_FIELD(dbL0C)
	ASCENDC_CUBE_FIELD(ALayoutInfoB)
	ASCENDC_CUBE_FIELD(ALayoutInfoS)
	ASCENDC_CUBE_FIELD(ALayoutInfoN)
	ASCENDC_CUBE_FIELD(ALayoutInfoG)
	ASCENDC_CUBE_FIELD(ALayoutInfoD)
	ASCENDC_CUBE_FIELD(BLayoutInfoB)
	ASCENDC_CUBE_FIELD(BLayoutInfoS)
	ASCENDC_CUBE_FIELD(BLayoutInfoN)
	ASCENDC_CUBE_FIELD(BLayoutInfoG)
	ASCENDC_CUBE_FIELD(BLayoutInfoD)
	ASCENDC_CUBE_FIELD(CLayoutInfoB)
	ASCENDC_CUBE_FIELD(CLayoutInfoS1)
	ASCENDC_CUBE_FIELD(CLayoutInfoN)
	ASCENDC_CUBE_FIELD(CLayoutInfoG)
	ASCENDC_CUBE_FIELD(CLayoutInfoS2)
	ASCENDC_CUBE_FIELD(BatchNum)
	ASCENDC_CUBE_FIELD(mxTypePara)
#undef ASCENDC_CUBE_FIELD
};

} // namespace optiling

namespace AscendC {

namespace host {

template <class T, class = void> inline constexpr bool holds_structure = false;
template <class T> inline constexpr bool holds_structure<T, std::void_t<decltype(T::value)>> = true;

/* The kernel's structure: itself (AscendC::tiling), or what a class of optiling holds */
template <class T> inline auto &plain(T &tiling)
{
	if constexpr (holds_structure<T>)
		return tiling.value;
	else
		return tiling;
}

} // namespace host

namespace detail {

/* Rows in fp32, one of them for a row of NZ, whose columns are 16 wide, and a block for results */
template <class Shape> inline uint32_t softmax_bytes(const Shape &shape, uint32_t rows)
{
	uint32_t last = static_cast<uint32_t>(shape.GetDim(shape.GetDimNum() - 1));

	return ((last + 15) / 16 * 16 * rows + 8) * 4;
}

template <class Plain, class Shape, class T>
inline void softmax_tiling(const Shape &shape, uint32_t size, uint32_t space, T &tiling)
{
	Plain &t = host::plain(tiling) = {};

	t.srcK = static_cast<uint32_t>(shape.GetDim(shape.GetDimNum() - 1));
	t.srcM = 1;
	for (size_t i = 0; i + 1 < shape.GetDimNum(); i++)
		t.srcM *= static_cast<uint32_t>(shape.GetDim(i));
	t.srcSize = t.srcM * t.srcK;
	t.outMaxM = t.srcM;
	t.outMaxK = 32 / size;
	t.outMaxSize = t.outMaxM * t.outMaxK;
	t.splitM = space ? 1 : 0;
	t.splitK = t.splitSize = t.srcK;
	t.reduceM = 1;
	t.reduceK = t.reduceSize = t.outMaxK;
	t.rangeM = t.srcM;
}

} // namespace detail

#define ASCENDC_SOFTMAX_SIZES(name, rows) \
	template <class Shape, class... More> inline uint32_t Get##name##MaxTmpSize(const Shape &shape, More...) \
	{ \
		return detail::softmax_bytes(shape, rows); \
	} \
	template <class Shape, class... More> inline uint32_t Get##name##MinTmpSize(const Shape &shape, More...) \
	{ \
		return detail::softmax_bytes(shape, rows); \
	}
ASCENDC_SOFTMAX_SIZES(SoftMax, 2)
ASCENDC_SOFTMAX_SIZES(SoftMaxFlash, 2)
ASCENDC_SOFTMAX_SIZES(SoftMaxFlashV2, 2)
ASCENDC_SOFTMAX_SIZES(SoftMaxGrad, 3)
ASCENDC_SOFTMAX_SIZES(LogSoftMax, 2)
#undef ASCENDC_SOFTMAX_SIZES

template <class Shape, class T>
inline void SoftMaxTilingFunc(const Shape &shape, const uint32_t dataTypeSize, const uint32_t localWorkSpaceSize, T &tiling)
{
	detail::softmax_tiling<::SoftMaxTiling>(shape, dataTypeSize, localWorkSpaceSize, tiling);
}

template <class Shape, class T>
inline void SoftMaxFlashTilingFunc(const Shape &shape, const uint32_t dataTypeSize, const uint32_t localWorkSpaceSize, T &tiling,
				   const bool = false)
{
	detail::softmax_tiling<::SoftMaxTiling>(shape, dataTypeSize, localWorkSpaceSize, tiling);
}

template <class Shape, class T>
inline void SoftMaxFlashV2TilingFunc(const Shape &shape, const uint32_t dataTypeSize1, const uint32_t, const uint32_t localWorkSpaceSize,
				     T &tiling, const bool = false, const bool = false, const bool = false)
{
	detail::softmax_tiling<::SoftMaxTiling>(shape, dataTypeSize1, localWorkSpaceSize, tiling);
}

template <class Shape, class T>
inline void SoftMaxGradTilingFunc(const Shape &shape, const uint32_t dataTypeSize, const uint32_t localWorkSpaceSize, T &tiling,
				  const bool = false)
{
	detail::softmax_tiling<::SoftMaxTiling>(shape, dataTypeSize, localWorkSpaceSize, tiling);
}

template <class Shape, class T>
inline void LogSoftMaxTilingFunc(const Shape &shape, const uint32_t dataTypeSize, const uint32_t localWorkSpaceSize, T &tiling)
{
	detail::softmax_tiling<::LogSoftMaxTiling>(shape, dataTypeSize, localWorkSpaceSize, tiling);
}

template <class Shape>
inline void GetSoftMaxFlashV3MaxMinTmpSize(const Shape &shape, const uint32_t, const uint32_t, uint32_t &maxValue, uint32_t &minValue,
					   const bool, const bool = false)
{
	maxValue = minValue = detail::softmax_bytes(shape, 2);
}

template <class Shape, class T>
inline void SoftMaxFlashV3TilingFunc(const Shape &shape, const uint32_t dataTypeSize1, const uint32_t, const uint32_t localWorkSpaceSize,
				     T &tiling, const bool, const bool = false)
{
	detail::softmax_tiling<::SoftMaxTiling>(shape, dataTypeSize1, localWorkSpaceSize, tiling);
}

} // namespace AscendC


namespace matmul_tiling {

/** struct SysTilingTempBufSize - what Matmul<> uses of the scratchpads beside the operator's own buffers, in bytes */
struct SysTilingTempBufSize {
	int32_t ubSize = 0;
	int32_t l1Size = 0;
	int32_t l0cSize = 0;
};

} // namespace matmul_tiling

/** MatmulGetTmpBufSize() and its kin - of a TCubeTiling. UB: nothing; L1: the last 128 KiB; L0C: a base block of results in 32 bits */
template <class Tiling> int32_t MatmulGetTmpBufSize(Tiling &tiling, matmul_tiling::SysTilingTempBufSize &size)
{
	const auto &t = AscendC::host::plain(tiling);

	size = {0, 128 * 1024, static_cast<int32_t>(t.baseM * t.baseN * 4)};
	return 0;
}

template <class Tiling> int32_t MultiCoreMatmulGetTmpBufSize(Tiling &tiling, matmul_tiling::SysTilingTempBufSize &size)
{
	return MatmulGetTmpBufSize(tiling, size);
}

template <class Tiling> int32_t BatchMatmulGetTmpBufSize(Tiling &tiling, matmul_tiling::SysTilingTempBufSize &size)
{
	return MatmulGetTmpBufSize(tiling, size);
}

#endif
