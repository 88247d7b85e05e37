/* SPDX-License-Identifier: MIT */
/*
 * Types of the high-level matrix multiplication. Matmul<> itself is not built: using an object of it is an error when
 * compiling, which says what to use instead.
 */
#ifndef ASCENDC_ADV_MATMUL_H
#define ASCENDC_ADV_MATMUL_H

#include "../cube/fixpipe.h"
#include "../cube/mmad.h"
#include "../kernel_tiling/kernel_tiling.h"

enum class CubeFormat : uint8_t {
	ND = 0, NZ, ZN, ZZ, NN, ND_ALIGN, SCALAR, VECTOR, ROW_MAJOR, COLUMN_MAJOR,
};
enum class LayoutMode : uint8_t { NONE = 0, BSNGD, SBNGD, BNGS1S2, NORMAL };

namespace AscendC {

template <TPosition pos, CubeFormat type, class T, bool transpose = false, LayoutMode layout = LayoutMode::NONE,
	  bool share = false>
struct MatmulType {
	static constexpr TPosition position = pos;
	static constexpr CubeFormat format = type;
	using type_of_elements = T;
	using T_ = T;
};

struct MatmulConfig {
	bool doNorm = true;
};
constexpr MatmulConfig CFG_NORM = {};
constexpr MatmulConfig CFG_MDL = {};
constexpr MatmulConfig CFG_IBSHARE_NORM = {};

template <class A, class B, class C, class Bias = C, const auto &config = CFG_NORM, class... More> class Matmul {
	static_assert(detail::no<A>, "AscendC::Matmul is not supported here: write the multiplication with LoadData(), Mmad() and Fixpipe(); Documentation/ascendc.md has an example");
};

} // namespace AscendC

namespace matmul {
using namespace AscendC;
}

#define REGIST_MATMUL_OBJ(...) \
	static_assert(false, "AscendC::REGIST_MATMUL_OBJ is not supported here: Matmul<> is not built")

#endif
