// SPDX-License-Identifier: MIT
/* The kernel of TemplateAdd: y = x + extra, negated or twice, by the arguments of the template. */
#include "kernel_operator.h"
#include "template_add_key.h"

using namespace AscendC;

/* one of two lists of parameters, by the core */
#if __NPU_ARCH__ >= 3510
template <typename D_T, uint32_t MODE, int FORMAT>
#else
template <typename D_T, uint32_t MODE, int FORMAT, bool NEGATIVE>
#endif
__global__ __aicore__ void template_add(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
	REGISTER_TILING_DEFAULT(TemplateAddData);
	GET_TILING_DATA(data, tiling);
	static_assert(FORMAT == 2);
	/* MODE 100 is a MIX kernel, whose cube core computes nothing and whose second vector core has no part */
	if ASCEND_IS_AIC
		return;
	if (GetSubBlockIdx() > 0)
		return;
	GlobalTensor<D_T> from, to;
	TPipe pipe;
	TBuf<TPosition::VECCALC> buf;
	DataCopyExtParams copy{1, static_cast<uint32_t>(data.total * sizeof(D_T)), 0, 0, 0};

	from.SetGlobalBuffer((__gm__ D_T *)x, data.total);
	to.SetGlobalBuffer((__gm__ D_T *)y, data.total);
	pipe.InitBuffer(buf, 1024);
	LocalTensor<D_T> a = buf.Get<D_T>();

	DataCopyPad(a, from, copy, {false, 0, 0, 0});
	PipeBarrier<PIPE_ALL>();
	Adds(a, a, D_T(data.extra), data.total);
	if constexpr (MODE == TEMPLATE_ADD_TWICE || MODE == 100)
		Muls(a, a, D_T(MODE == 100 ? 100 : 2), data.total);
	if constexpr (NEGATIVE)
		Muls(a, a, D_T(-1), data.total);
	PipeBarrier<PIPE_ALL>();
	DataCopyPad(to, a, copy);
}
