/* SPDX-License-Identifier: MIT */
/*
 * Matmul<>: C = A * B + bias, tile by tile. It computes where it is called: on a whole core, on a cube core, or on
 * a vector core of a MIX kernel, which CSR cubeuse gives a cube unit; then the cube half of the kernel ends at
 * REGIST_MATMUL_OBJ(). So no messages pass between the cores, no workspace is needed, and a call that does
 * not wait has done its work when it returns.
 */
#ifndef ASCENDC_ADV_MATMUL_H
#define ASCENDC_ADV_MATMUL_H

#include "matmul/tile.h"

namespace AscendC {

namespace detail {

/* The cube half of a MIX kernel serves the vector half, unless the operator says that it computes itself. */
constexpr ASCENDC_FN bool matmul_server()
{
#if defined(__DAV_C220_CUBE__) && !defined(ASCENDC_CUBE_ONLY)
	return true;
#else
	return false;
#endif
}

template <class T> ASCENDC_FN constexpr const T &static_tiling(const T &config)
{
	return config;
}

template <const auto &config> ASCENDC_FN constexpr const MatmulConfig &config_of()
{
	if constexpr (std::is_same_v<std::remove_cv_t<std::remove_reference_t<decltype(config)>>, MatmulConfig>)
		return config;
	else
		return config.cfg;
}

} // namespace detail

template <class A, class B, class C, class Bias = C, const auto &config = CFG_NORM,
	  class Callbacks = MatmulCallBackFunc<>, class... Policy>
class Matmul {
	using TA = typename A::T;
	using TB = typename B::T;
	using TC = typename C::T;
	using TBias = typename Bias::T;
	using Sum = std::conditional_t<std::is_integral_v<TA> || std::is_same_v<TA, int4b_t>, int32_t, float>;

	static_assert(std::is_same_v<TA, TB>, "AscendC::Matmul: A and B have one type of elements here");
	static_assert(detail::is_float<TA> || std::is_same_v<TA, int8_t> || std::is_same_v<TA, int4b_t>,
		      "AscendC::Matmul: A and B of half, bfloat16_t, float, int8_t or int4b_t; other types are not supported here");
	static_assert(detail::type_of<TC> >= 0 && sizeof(TC) <= 4 && !std::is_same_v<TC, int4b_t>,
		      "AscendC::Matmul: this type of C is not supported here");
	static_assert(A::format != CubeFormat::ZN && A::format != CubeFormat::ZZ && A::format != CubeFormat::NN &&
		      B::format != CubeFormat::ZN && B::format != CubeFormat::ZZ && B::format != CubeFormat::NN,
		      "AscendC::Matmul: matrices are ND, ND_ALIGN, NZ, VECTOR or SCALAR; other formats are not supported here");
	static constexpr bool nz_out = C::format == CubeFormat::NZ;

public:
	using AType = A;
	using BType = B;
	using CType = C;
	using BiasType = Bias;

	template <class Tiling> ASCENDC_FN void Init(const Tiling *tiling, TPipe * = nullptr)
	{
		TCubeTiling none = {};

		if constexpr (std::is_null_pointer_v<Tiling>)
			read(none);
		else if (tiling)
			read(*tiling);
		else
			read(none);
		if (detail::core_type() == 2)
			anpu_set_csr_cubeuse(1);
		slot = detail::state()->matmuls++ % 2;
	}

	ASCENDC_FN void Init(decltype(nullptr), TPipe * = nullptr)
	{
		Init(static_cast<const TCubeTiling *>(nullptr));
	}

	/* Operands --------------------------------------------------------------------------------- */

	ASCENDC_FN void SetTensorA(const GlobalTensor<TA> &gm, bool isTransposeA = false)
	{
		set(left, detail::place(gm), isTransposeA);
	}

	ASCENDC_FN void SetTensorA(const LocalTensor<TA> &tensor, bool isTransposeA = false)
	{
		set(left, tensor.address, isTransposeA);
	}

	ASCENDC_FN void SetTensorA(TA value)
	{
		set(left, 0, false);
		left.scalar = detail::pattern(value);
	}

	ASCENDC_FN void SetTensorB(const GlobalTensor<TB> &gm, bool isTransposeB = false)
	{
		set(right, detail::place(gm), isTransposeB);
	}

	ASCENDC_FN void SetTensorB(const LocalTensor<TB> &tensor, bool isTransposeB = false)
	{
		set(right, tensor.address, isTransposeB);
	}

	ASCENDC_FN void SetTensorB(TB value)
	{
		set(right, 0, false);
		right.scalar = detail::pattern(value);
	}

	template <class T> ASCENDC_FN void SetBias(const T &tensor)
	{
		bias = detail::place(tensor);
		biased = true;
	}

	ASCENDC_FN void DisableBias()
	{
		biased = false;
	}

	ASCENDC_FN void ClearBias()
	{
		biased = false;
	}

	ASCENDC_FN void SetQuantScalar(uint64_t scale)
	{
		scalar = scale;
		words = nullptr;
		quantised = true;
	}

	template <class T> ASCENDC_FN void SetQuantVector(const T &scales)
	{
		words = reinterpret_cast<const uint64_t *>(detail::place(scales));
		quantised = true;
	}

	/* Shapes ----------------------------------------------------------------------------------- */

	ASCENDC_FN void SetOrgShape(int m, int n, int k)
	{
		SetOrgShape(m, n, k, k);
	}

	ASCENDC_FN void SetOrgShape(int m, int n, int ka, int kb, int kc = 0)
	{
		orgM = uint32_t(m);
		orgN = uint32_t(n);
		orgKa = uint32_t(ka);
		orgKb = uint32_t(kb);
		orgKc = uint32_t(kc ? kc : n);
	}

	ASCENDC_FN void SetSingleShape(int m, int n, int k)
	{
		SetTail(m, n, k);
	}

	ASCENDC_FN void SetTail(int m = -1, int n = -1, int k = -1)
	{
		singleM = m == -1 ? singleM : uint32_t(m);
		singleN = n == -1 ? singleN : uint32_t(n);
		singleK = k == -1 ? singleK : uint32_t(k);
		running = false;
	}

	ASCENDC_FN void SetBatchNum(int batchA, int batchB)
	{
		batches[0] = uint32_t(batchA);
		batches[1] = uint32_t(batchB);
	}

	/* Settings that results do not depend on here; HF32 would compute less exactly. */
	ASCENDC_FN void SetHF32(bool = false, int = 0) {}
	ASCENDC_FN void SetSubBlockIdx(uint8_t) {}
	ASCENDC_FN void SetLocalWorkspace(const LocalTensor<uint8_t> &) {}
	template <class T> ASCENDC_FN void SetWorkspace(const GlobalTensor<T> &space)
	{
		workspace = detail::place(space);
	}
	template <class T> ASCENDC_FN void SetWorkspace(__gm__ T *space, int = 0)
	{
		workspace = uint64_t(reinterpret_cast<uintptr_t>(space));
	}
	template <class T> ASCENDC_FN void SetWorkspace(__gm__ const T *space, int = 0)
	{
		workspace = uint64_t(reinterpret_cast<uintptr_t>(space));
	}
	ASCENDC_FN void SetUserDefInfo(const uint64_t pointer)
	{
		user_tiling = pointer;
	}
	template <class T> ASCENDC_FN void SetSelfDefineData(T data)
	{
		if constexpr (std::is_pointer_v<T>)
			user_data = uint64_t(reinterpret_cast<uintptr_t>(data));
		else
			user_data = uint64_t(data);
	}

	/* The work --------------------------------------------------------------------------------- */

	/** Iterate() - the next tile of C; false when all have been computed. Not waiting: GetTensorC() computes them. */
	template <bool sync = true> ASCENDC_FN bool Iterate(bool enPartialSum = false)
	{
		if constexpr (!sync) {
			running = false;
			lazy = true;
			return true;
		}
		lazy = false;
		if (!advance())
			return false;
		compute(enPartialSum, result_address());
		return true;
	}

	/* into a tensor in CO1 that the operator has allocated */
	template <bool sync = true, class T> ASCENDC_FN bool Iterate(bool enPartialSum, const LocalTensor<T> &result)
	{
		lazy = false;
		if (!advance())
			return false;
		compute(enPartialSum, result.address);
		return true;
	}

	template <bool sync = true>
	ASCENDC_FN void IterateAll(const GlobalTensor<TC> &gm, uint8_t enAtomic = 0, bool enSequentialWrite = false,
				   bool = false, bool fakeMsg = false)
	{
		if (fakeMsg)
			return;
		all(detail::place(gm), pitch_gm(), enAtomic, enSequentialWrite);
	}

	template <bool sync = true> ASCENDC_FN void IterateAll(const LocalTensor<TC> &local, uint8_t enAtomic = 0)
	{
		if (enAtomic)
			anpu_trap("IterateAll: atomic results go to global memory");
		all(local.address, pitch_local(), 0, false);
	}

	template <bool sync = true>
	ASCENDC_FN void GetTensorC(const GlobalTensor<TC> &gm, uint8_t enAtomic = 0, bool enSequentialWrite = false)
	{
		next_lazy();
		out(detail::place(gm), pitch_gm(), enAtomic, enSequentialWrite);
	}

	/* A tensor that is smaller than this core's C gets the tile alone, row behind row of baseN. */
	template <bool sync = true, bool doPad = false>
	ASCENDC_FN void GetTensorC(const LocalTensor<TC> &local, uint8_t enAtomic = 0, bool enSequentialWrite = false,
				   uint32_t = 0, uint32_t = 0, uint32_t = 0, uint32_t = 0)
	{
		uint64_t whole = uint64_t(singleM) * (nz_out ? singleN : pitch_local()) * sizeof(TC);

		if (enAtomic)
			anpu_trap("GetTensorC: atomic results go to global memory");
		next_lazy();
		out(local.address, pitch_local(), 0, enSequentialWrite || local.bytes < whole);
	}

	template <bool sync = true>
	ASCENDC_FN void GetTensorC(const GlobalTensor<TC> &gm, const LocalTensor<TC> &local, uint8_t enAtomic = 0,
				   bool enSequentialWrite = false)
	{
		GetTensorC<sync>(local, 0, enSequentialWrite);
		out(detail::place(gm), pitch_gm(), enAtomic, enSequentialWrite);
	}

	/** GetTensorC() - of Iterate<false>(): the tile in the workspace of SetWorkspace() */
	template <bool sync = true> ASCENDC_FN GlobalTensor<TC> GetTensorC(uint8_t enAtomic = 0, bool = false)
	{
		GlobalTensor<TC> result;

		if (!workspace)
			anpu_trap("GetTensorC: SetWorkspace() says where the tile goes");
		next_lazy();
		result.SetGlobalBuffer(reinterpret_cast<TC *>(workspace) + uint64_t(position) * baseM * baseN, baseM * baseN);
		out(detail::place(result), baseN, enAtomic, true);
		return result;
	}

	ASCENDC_FN MatrixOffset GetOffsetC() const
	{
		detail::Tile tile = tile_at(position);

		return {int32_t(tile.row * orgKc + tile.col), int32_t(tile.row), int32_t(tile.col), int32_t(tile.m),
			int32_t(tile.n)};
	}

	/** IterateBatch() - @batchA matrices times @batchB, of which one may be a multiple of the other */
	template <bool sync = true, bool waitIterateBatch = false>
	ASCENDC_FN void IterateBatch(const GlobalTensor<TC> &gm, uint32_t batchA, uint32_t batchB, bool enSequentialWrite,
				     const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0,
				     const uint32_t matrixStrideC = 0, const bool enPartialSum = false,
				     const uint8_t enAtomic = 0)
	{
		const uint32_t strides[] = {matrixStrideA, matrixStrideB, matrixStrideC};

		batch(detail::place(gm), true, batchA, batchB, enSequentialWrite, strides, enPartialSum, enAtomic);
	}

	template <bool sync = true>
	ASCENDC_FN void IterateBatch(const LocalTensor<TC> &local, uint32_t batchA, uint32_t batchB, bool enSequentialWrite,
				     const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0,
				     const uint32_t matrixStrideC = 0, const bool enPartialSum = false, const uint8_t = 0)
	{
		const uint32_t strides[] = {matrixStrideA, matrixStrideB, matrixStrideC};

		batch(local.address, false, batchA, batchB, enSequentialWrite, strides, enPartialSum, 0);
	}

	ASCENDC_FN void IterateBatch(const GlobalTensor<TC> &gm, bool enPartialSum, uint8_t enAtomic, bool enSequentialWrite,
				     const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0,
				     const uint32_t matrixStrideC = 0)
	{
		IterateBatch(gm, batches[0], batches[1], enSequentialWrite, matrixStrideA, matrixStrideB, matrixStrideC,
			     enPartialSum, enAtomic);
	}

	ASCENDC_FN void IterateBatch(const LocalTensor<TC> &local, bool enPartialSum, uint8_t enAtomic,
				     bool enSequentialWrite, const uint32_t matrixStrideA = 0,
				     const uint32_t matrixStrideB = 0, const uint32_t matrixStrideC = 0)
	{
		IterateBatch(local, batches[0], batches[1], enSequentialWrite, matrixStrideA, matrixStrideB, matrixStrideC,
			     enPartialSum, enAtomic);
	}

	/** IterateNBatch() - @batchLoop times IterateBatch(), results behind each other in the workspace */
	template <bool sync = true, bool waitIterateBatch = false>
	ASCENDC_FN void IterateNBatch(const uint32_t batchLoop, uint32_t batchA, uint32_t batchB, bool enSequentialWrite,
				      const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0,
				      const uint32_t matrixStrideC = 0)
	{
		const uint32_t strides[] = {matrixStrideA, matrixStrideB, matrixStrideC};
		uint32_t most = batchA > batchB ? batchA : batchB;

		if (!workspace)
			anpu_trap("IterateNBatch: SetWorkspace() says where the results go");
		for (uint32_t loop = 0; loop < batchLoop; loop++) {
			first_batch = loop;
			batch(workspace + uint64_t(loop) * most * singleM * singleN * sizeof(TC), true, batchA, batchB,
			      enSequentialWrite, strides, false, 0);
		}
		first_batch = 0;
		batch_read = 0;
	}

	template <bool sync = true> ASCENDC_FN GlobalTensor<TC> GetBatchTensorC(uint32_t batchA, uint32_t batchB, bool = false)
	{
		GlobalTensor<TC> result;
		uint32_t most = batchA > batchB ? batchA : batchB;

		result.SetGlobalBuffer(reinterpret_cast<TC *>(workspace) + uint64_t(batch_read) * most * singleM * singleN,
				       uint64_t(most) * singleM * singleN);
		batch_read++;
		return result;
	}

	template <bool sync = true> ASCENDC_FN GlobalTensor<TC> GetBatchC(uint32_t batchA, uint32_t batchB, bool seq = false)
	{
		return GetBatchTensorC<sync>(batchA, batchB, seq);
	}

	/* Work is done when calls return. */
	ASCENDC_FN void WaitIterateAll() {}
	ASCENDC_FN void WaitIterateBatch() {}
	ASCENDC_FN void WaitGetTensorC() {}
	ASCENDC_FN void AsyncGetTensorC(const LocalTensor<TC> &local)
	{
		GetTensorC(local);
	}

	ASCENDC_FN void End()
	{
		running = false;
		biased = false;
	}

private:
	template <class Tiling> ASCENDC_FN void read(const Tiling &t)
	{
#define ASCENDC_TILING(name) (fixed_tiling && fixed()->name > 0 ? uint32_t(fixed()->name) : uint32_t(t.name))
		singleM = ASCENDC_TILING(singleCoreM);
		singleN = rowN = ASCENDC_TILING(singleCoreN);
		singleK = ASCENDC_TILING(singleCoreK);
		baseM = ASCENDC_TILING(baseM);
		baseN = ASCENDC_TILING(baseN);
		baseK = ASCENDC_TILING(baseK);
		order = uint32_t(t.iterateOrder);
		orgM = ASCENDC_TILING(M);
		orgN = ASCENDC_TILING(N);
		orgKa = ASCENDC_TILING(Ka);
		orgKb = ASCENDC_TILING(Kb);
#undef ASCENDC_TILING
		orgKc = orgN;
		a_layout = {uint32_t(t.ALayoutInfoB), uint32_t(t.ALayoutInfoS), uint32_t(t.ALayoutInfoN),
			    uint32_t(t.ALayoutInfoG), uint32_t(t.ALayoutInfoD)};
		b_layout = {uint32_t(t.BLayoutInfoB), uint32_t(t.BLayoutInfoS), uint32_t(t.BLayoutInfoN),
			    uint32_t(t.BLayoutInfoG), uint32_t(t.BLayoutInfoD)};
		c_layout = {uint32_t(t.CLayoutInfoB), uint32_t(t.CLayoutInfoS1), uint32_t(t.CLayoutInfoN),
			    uint32_t(t.CLayoutInfoG), uint32_t(t.CLayoutInfoS2)};
		running = false;
		if (!orgM || !baseM)
			return;
		if (baseM % 16 || baseN % 16 || detail::div_up(baseM, 16) * detail::div_up(baseN, 16) > 128)
			anpu_trap("Matmul: baseM and baseN of the tiling are multiples of 16 and their product at most 32768, which L0C holds");
	}

	static constexpr bool fixed_tiling =
		std::is_same_v<std::remove_cv_t<std::remove_reference_t<decltype(config)>>, MatmulApiStaticTiling>;

	/* The constant tiling; its fields are asked for only where there is one. */
	static ASCENDC_FN constexpr const MatmulApiStaticTiling *fixed()
	{
		if constexpr (fixed_tiling)
			return &config;
		else
			return nullptr;
	}

	ASCENDC_FN void set(detail::MatrixIn &m, uint64_t place, bool transposed)
	{
		m.place = place;
		m.transposed = transposed;
		running = false;
		lazy = false;
		given = true;
	}

	/* Rows of a stored matrix: @rows x @cols as a whole, @own_rows x @own_cols this core's part, which UB and L1 hold */
	template <class Type, class T>
	static ASCENDC_FN uint32_t pitch_of(uint32_t rows, uint32_t cols, uint32_t own_rows, uint32_t own_cols)
	{
		constexpr bool local = Type::pos != TPosition::GM;
		constexpr uint32_t c0 = detail::block_elements<T>;

		if (detail::hardware_of(Type::pos) == Hardware::L1 || Type::format == CubeFormat::NZ)
			return detail::div_up(local ? own_rows : rows, 16) * 16;
		if (local || Type::format == CubeFormat::ND_ALIGN)
			return detail::div_up(local ? own_cols : cols, c0) * c0;
		return cols;
	}

	ASCENDC_FN uint32_t pitch_gm() const
	{
		return nz_out ? detail::div_up(orgM, 16) * 16 : C::format == CubeFormat::ND_ALIGN ? aligned(orgKc) : orgKc;
	}

	ASCENDC_FN uint32_t pitch_local() const
	{
		uint32_t cols = rowN > singleN ? rowN : singleN;

		return nz_out ? detail::div_up(singleM, 16) * 16 : C::format == CubeFormat::ND_ALIGN ? aligned(cols) : cols;
	}

	static ASCENDC_FN uint32_t aligned(uint32_t cols)
	{
		constexpr uint32_t c0 = ONE_BLK_SIZE / sizeof(TC);

		return detail::div_up(cols, c0) * c0;
	}

	ASCENDC_FN uint32_t result_address() const
	{
		bool half = baseM * baseN * sizeof(Sum) <= ANPU_L0C_SIZE / 2;

		return ANPU_L0C_BASE + (half && slot ? ANPU_L0C_SIZE / 2 : 0);
	}

	ASCENDC_FN uint32_t tiles() const
	{
		return detail::div_up(singleM, baseM) * detail::div_up(singleN, baseN);
	}

	ASCENDC_FN detail::Tile tile_at(uint32_t number) const
	{
		uint32_t rows = detail::div_up(singleM, baseM), cols = detail::div_up(singleN, baseN);
		uint32_t i = order ? number / cols : number % rows, j = order ? number % cols : number / rows;
		detail::Tile tile = {i * baseM, j * baseN, baseM, baseN};

		if (tile.m > singleM - tile.row)
			tile.m = singleM - tile.row;
		if (tile.n > singleN - tile.col)
			tile.n = singleN - tile.col;
		return tile;
	}

	ASCENDC_FN bool advance()
	{
		if (!given)
			anpu_trap("Matmul: SetTensorA() and SetTensorB() come before Iterate() and IterateAll()");
		if (!baseM || !baseN || !singleM || !singleN || !singleK)
			anpu_trap("Matmul: the tiling has a size of 0; call Init() or REGIST_MATMUL_OBJ() with the tiling data");
		position = running ? position + 1 : 0;
		running = position < tiles();
		return running;
	}

	ASCENDC_FN void next_lazy()
	{
		if (lazy) {
			if (!advance())
				anpu_trap("GetTensorC: all tiles of this core's C have been taken");
			compute(false, result_address());
		}
	}

	ASCENDC_FN void all(uint64_t place, uint32_t pitch, uint8_t atomic, bool dense)
	{
		lazy = false;
		running = false;
		while (advance()) {
			compute(false, result_address());
			out(place + (dense ? uint64_t(position) * baseM * baseN * sizeof(TC) : 0), pitch, atomic, dense);
		}
	}

	ASCENDC_FN detail::Fractals left_part(const detail::Tile &tile, uint32_t k, uint32_t depth) const
	{
		uint32_t m1 = detail::div_up(tile.m, 16);

		if constexpr (!std::is_null_pointer_v<std::remove_cv_t<decltype(Callbacks::DataCopyA1)>>) {
			Callbacks::DataCopyA1(scratch_l1(detail::matmul_l1_a), reinterpret_cast<const void *>(left.place),
					      int(tile.row / baseM), int(k / baseK), int(tile.m), int(depth), user_tiling,
					      user_data);
			return {detail::matmul_l1_a, 1, left.transposed ? detail::div_up(depth, 16) : m1};
		} else if (left.transposed) {
			return detail::to_l1<TA, A>(detail::matmul_l1_a, left, k, tile.row, depth, tile.m, false);
		} else {
			return detail::to_l1<TA, A>(detail::matmul_l1_a, left, tile.row, k, tile.m, depth, true);
		}
	}

	ASCENDC_FN detail::Fractals right_part(const detail::Tile &tile, uint32_t k, uint32_t depth) const
	{
		if constexpr (!std::is_null_pointer_v<std::remove_cv_t<decltype(Callbacks::DataCopyB1)>>) {
			Callbacks::DataCopyB1(scratch_l1(detail::matmul_l1_b), reinterpret_cast<const void *>(right.place),
					      int(k / baseK), int(tile.col / baseN), int(depth), int(tile.n), user_tiling,
					      user_data);
			return {detail::matmul_l1_b, 1, detail::div_up(right.transposed ? tile.n : depth, 16)};
		} else if (right.transposed) {
			return detail::to_l1<TB, B>(detail::matmul_l1_b, right, tile.col, k, tile.n, depth, false);
		} else {
			return detail::to_l1<TB, B>(detail::matmul_l1_b, right, k, tile.col, depth, tile.n, sizeof(TB) == 2);
		}
	}

	static ASCENDC_FN LocalTensor<int8_t> scratch_l1(uint32_t address)
	{
		return LocalTensor<int8_t>(TPosition::A1, address - ANPU_L1_BASE, ANPU_L0A_SIZE);
	}

	static constexpr bool own_copies = !std::is_null_pointer_v<std::remove_cv_t<decltype(Callbacks::DataCopyA1)>> ||
					   !std::is_null_pointer_v<std::remove_cv_t<decltype(Callbacks::DataCopyB1)>>;

	/* The tile at @position into L0C, as much of k at a time as L0A and L0B hold */
	ASCENDC_FN void compute(bool partial, uint32_t to)
	{
		detail::Tile tile = tile_at(position);
		uint32_t m1 = detail::div_up(tile.m, 16), n1 = detail::div_up(tile.n, 16);
		uint32_t step = detail::depth_of<TA>(m1, n1);

		set_pitches();
		if constexpr (own_copies) {
			if (baseK > step)
				anpu_trap("Matmul: a tile of baseK does not fit into L0A or L0B");
			step = baseK;
		}
		for (uint32_t k = 0; k < singleK; k += step) {
			uint32_t depth = step < singleK - k ? step : singleK - k;
			bool first = !k && !partial, add = first && biased;

			detail::settle();
			detail::Fractals a = left_part(tile, k, depth), b = right_part(tile, k, depth);
			if (add)
				detail::fill_bias<TBias>(bias + uint64_t(tile.col) * sizeof(TBias), tile.n);
			detail::settle();
			detail::to_l0a<TA>(a, m1, depth, left.transposed);
			detail::to_l0b<TB>(b, n1, depth, right.transposed);
			if (add)
				anpu_set_csr_bias(ANPU_BT_BASE);
			detail::settle();
			anpu_tile_MMAD(to, ANPU_L0A_BASE, ANPU_L0B_BASE,
				       ANPU_MMAD(tile.m, tile.n, depth, detail::type_of<TA>,
						 add ? ANPU_MMAD_BIAS : first ? ANPU_MMAD_INIT : 0));
		}
		detail::settle();
		result = to;
	}

	ASCENDC_FN void set_pitches()
	{
		if (!in_batch) {
			left.pitch = left.transposed ? pitch_of<A, TA>(orgKa, orgM, singleK, singleM) :
						       pitch_of<A, TA>(orgM, orgKa, singleM, singleK);
			right.pitch = right.transposed ? pitch_of<B, TB>(orgN, orgKb, singleN, singleK) :
							 pitch_of<B, TB>(orgKb, orgN, singleK, singleN);
		}
	}

	ASCENDC_FN QuantMode_t mode() const
	{
		bool each = words != nullptr;

		if constexpr (std::is_same_v<TC, Sum>)
			return NoQuant;
		else if constexpr (std::is_same_v<Sum, float> && sizeof(TC) > 1)
			return std::is_same_v<TC, half> ? F322F16 : F322BF16;
		if (!quantised)
			anpu_trap("Matmul: this type of C needs SetQuantScalar() or SetQuantVector()");
		if constexpr (std::is_same_v<Sum, float>)
			return each ? VQF322B8_PRE : QF322B8_PRE;
		else if constexpr (sizeof(TC) == 1)
			return each ? VREQ8 : REQ8;
		else
			return each ? VDEQF16 : DEQF16;
	}

	/* The tile in L0C to @place: where it belongs in C, or @dense: row behind row of baseN */
	ASCENDC_FN void out(uint64_t place, uint32_t pitch, uint8_t atomic, bool dense)
	{
		detail::Tile tile = tile_at(position);
		uint64_t before = anpu_csr_atomic();

		if constexpr (!std::is_null_pointer_v<std::remove_cv_t<decltype(Callbacks::DataCopyOut)>>) {
			call_out(place, pitch, tile);
			return;
		}
		detail::TileOut to = {place, dense ? (nz_out ? detail::div_up(tile.m, 16) * 16 : baseN) : pitch,
				      dense ? 0 : tile.row, dense ? 0 : tile.col, mode(), words ? words + tile.col : nullptr,
				      scalar};
		detail::set_atomic<TC>(atomic);
		detail::tile_out<TC, Sum, nz_out>(to, result, tile);
		detail::settle();
		if (atomic)
			anpu_set_csr_atomic(before);
	}

	ASCENDC_FN void call_out(uint64_t place, uint32_t pitch, const detail::Tile &tile)
	{
		uint64_t at = nz_out ? uint64_t(tile.col) * pitch + uint64_t(tile.row) * 16 : uint64_t(tile.row) * pitch + tile.col;
		uint16_t rows = uint16_t(detail::div_up(tile.m, 16) * 16);
		DataCopyOutParams params;
		LocalTensor<int8_t> co1(TPosition::CO1, result - ANPU_L0C_BASE, tile.m * tile.n * sizeof(Sum));

		params.cBurstNum = uint16_t(tile.n);
		params.burstLen = uint16_t(tile.m);
		params.srcStride = rows;
		params.dstStride = pitch;
		params.oriNSize = nz_out ? 0 : uint16_t(tile.n);
		params.quantScalar = scalar;
		params.quantMode = mode();
		Callbacks::DataCopyOut(reinterpret_cast<const void *>(place + at * sizeof(TC)), co1, &params, user_tiling,
				       user_data);
		detail::settle();
	}

	/* Batches ---------------------------------------------------------------------------------- */

	struct Layout {
		uint32_t b, s, n, g, d;
	};

	/* Distance of two matrices in elements and of two rows of one, in a layout */
	template <LayoutMode how> static ASCENDC_FN void distances(const Layout &l, uint32_t &matrix, uint32_t &row)
	{
		if constexpr (how == LayoutMode::BSNGD) {
			matrix = l.d;
			row = l.n * l.g * l.d;
		} else if constexpr (how == LayoutMode::SBNGD) {
			matrix = l.d;
			row = l.b * l.n * l.g * l.d;
		} else if constexpr (how == LayoutMode::BNGS1S2) {
			matrix = l.s * l.d;
			row = l.d;
		}
	}

	ASCENDC_FN void batch(uint64_t place, bool global, uint32_t a, uint32_t b, bool dense, const uint32_t *strides,
			      bool partial, uint8_t atomic)
	{
		uint32_t most = a > b ? a : b, c_pitch = global && A::layout != LayoutMode::NORMAL ? pitch_gm() : pitch_local();
		uint32_t a_step, b_step, c_step;
		detail::MatrixIn first_a = left, first_b = right;
		uint64_t first_bias = bias;

		if (!a || !b || most % a || most % b)
			anpu_trap("IterateBatch: one of batchA and batchB is a multiple of the other");
		in_batch = false;
		set_pitches();
		a_step = singleM * singleK;
		b_step = singleN * singleK;
		c_step = singleM * singleN;
		distances<A::layout>(a_layout, a_step, left.pitch);
		distances<B::layout>(b_layout, b_step, right.pitch);
		distances<C::layout>(c_layout, c_step, c_pitch);
		if constexpr (A::layout == LayoutMode::NORMAL || A::layout == LayoutMode::NONE)
			c_pitch = nz_out ? detail::div_up(singleM, 16) * 16 : C::format == CubeFormat::ND_ALIGN && !global ? aligned(singleN) : singleN;
		a_step = strides[0] ? strides[0] : a_step;
		b_step = strides[1] ? strides[1] : b_step;
		c_step = strides[2] ? strides[2] : c_step;
		first_a.pitch = left.pitch;
		first_b.pitch = right.pitch;
		in_batch = true;
		for (uint32_t i = 0; i < most; i++) {
			uint64_t at_a = uint64_t(first_batch) * a + i / (most / a), at_b = uint64_t(first_batch) * b + i / (most / b);

			left = first_a;
			right = first_b;
			left.place += detail::bytes_of<TA>(at_a * a_step);
			right.place += detail::bytes_of<TB>(at_b * b_step);
			if (config_biases_each())
				bias = first_bias + uint64_t(i) * singleN * sizeof(TBias);
			running = false;
			lazy = false;
			while (advance()) {
				compute(partial, result_address());
				out(place + uint64_t(i) * c_step * sizeof(TC) +
				    (dense ? uint64_t(position) * baseM * baseN * sizeof(TC) : 0), c_pitch, atomic,
				    dense && tiles() > 1);
			}
		}
		in_batch = false;
		left = first_a;
		right = first_b;
		bias = first_bias;
	}

	static constexpr ASCENDC_FN bool config_biases_each()
	{
		return detail::config_of<config>().isBiasBatch;
	}

	detail::MatrixIn left = {}, right = {};
	uint64_t bias = 0, scalar = 0, workspace = 0, user_tiling = 0, user_data = 0;
	const uint64_t *words = nullptr;
	uint32_t orgM = 0, orgN = 0, orgKa = 0, orgKb = 0, orgKc = 0;
	uint32_t singleM = 0, singleN = 0, singleK = 0, baseM = 0, baseN = 0, baseK = 0;
	uint32_t rowN = 0;	/* of the tiling: rows of C in UB stay that long when SetTail() makes singleN smaller */
	uint32_t order = 0, position = 0, result = 0, slot = 0, first_batch = 0, batch_read = 0;
	uint32_t batches[2] = {1, 1};
	Layout a_layout = {}, b_layout = {}, c_layout = {};
	bool running = false, lazy = false, given = false, biased = false, quantised = false, in_batch = false;
};

template <class A, class B, class C, class Bias = C, const auto &config = CFG_NORM,
	  class Callbacks = MatmulCallBackFunc<>, class... Policy>
using MatmulImpl = Matmul<A, B, C, Bias, config, Callbacks, Policy...>;

namespace detail {

ASCENDC_FN void matmul_regist(TPipe *) {}

template <class M, class... Rest> ASCENDC_FN void matmul_regist(TPipe *pipe, M &object, Rest &&...rest);

template <class M, class Tiling, class... Rest>
ASCENDC_FN void matmul_regist(TPipe *pipe, M &object, Tiling *tiling, Rest &&...rest)
{
	object.Init(tiling, pipe);
	matmul_regist(pipe, rest...);
}

template <class M, class... Rest> ASCENDC_FN void matmul_regist(TPipe *pipe, M &, Rest &&...rest)
{
	matmul_regist(pipe, rest...);
}

} // namespace detail

} // namespace AscendC

/* sources that take the details of the kit's Matmul<> into their scope name this one, and use the names of the API */
namespace AscendC::Impl::Detail {
}

/* Sources name these without a namespace where they write AscendC::Matmul. */
using AscendC::CFG_IBSHARE_NORM;
using AscendC::CFG_MDL;
using AscendC::CFG_NORM;
using AscendC::CFG_SPECIAL_MDL;

namespace matmul {
using namespace AscendC;

/* The pack is always empty: a template of the author's own is the more special one, as with those of core/math.h */
template <class A, class B, class... None> ASCENDC_FN constexpr auto CeilDiv(A a, B b, None...)
{
	static_assert(!sizeof...(None), "matmul::CeilDiv takes two numbers");
	return DivCeil(a, b);
}

template <class A, class B, class... None> ASCENDC_FN constexpr auto Align(A a, B b, None...)
{
	static_assert(!sizeof...(None), "matmul::Align takes two numbers");
	return DivCeil(a, b) * b;
}
}

/* REGIST_MATMUL_OBJ(pipe, workspace, object, tiling, object, tiling, ...); the tilings may come later, by Init() */
#define REGIST_MATMUL_OBJ(pipe, workspace, ...) \
	if (AscendC::detail::matmul_server()) \
		return; \
	AscendC::detail::matmul_regist(pipe, __VA_ARGS__)

#endif
