// SPDX-License-Identifier: MIT
/*
 * Convolution on cube cores by the basic API: the image, NC1HWC0 of half, becomes columns on its way to L0A (LoadData3DParamsV2), the
 * filter is a matrix of c1 * kh * kw * 16 rows and @cout columns. Each block has an image; y is row-major, ho * wo x cout.
 */
#include "kernel_operator.h"

using namespace AscendC;

struct ConvTiling {
	uint16_t c1, h, w, cout;
	uint8_t kh, kw, stride, pad;
};

extern "C" __global__ __aicore__ void conv_custom(GM_ADDR x, GM_ADDR filter, GM_ADDR y, GM_ADDR tilingGm)
{
	KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
	GET_TILING_DATA_WITH_STRUCT(ConvTiling, t, tilingGm);
	uint32_t ho = (t.h + 2 * t.pad - t.kh) / t.stride + 1, wo = (t.w + 2 * t.pad - t.kw) / t.stride + 1;
	uint32_t m = ho * wo, m16 = (m + 15) / 16 * 16, k = t.c1 * t.kh * t.kw * 16, n = t.cout, image = t.c1 * t.h * t.w * 16;
	TPipe pipe;
	TQue<TPosition::A1, 1> inA1;
	TQue<TPosition::B1, 1> inB1;
	TQue<TPosition::A2, 1> inA2;
	TQue<TPosition::B2, 1> inB2;
	TQue<TPosition::CO1, 1> out;
	GlobalTensor<half> xGm, filterGm;
	GlobalTensor<float> yGm;

	pipe.InitBuffer(inA1, 1, image * sizeof(half));
	pipe.InitBuffer(inB1, 1, k * n * sizeof(half));
	pipe.InitBuffer(inA2, 1, m16 * k * sizeof(half));
	pipe.InitBuffer(inB2, 1, k * n * sizeof(half));
	pipe.InitBuffer(out, 1, m16 * n * sizeof(float));
	xGm.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(x) + GetBlockIdx() * image);
	filterGm.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(filter));
	yGm.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(y) + GetBlockIdx() * m * n);

	LocalTensor<half> a1 = inA1.AllocTensor<half>(), b1 = inB1.AllocTensor<half>();
	DataCopy(a1, xGm, image);
	DataCopy(b1, filterGm, Nd2NzParams(1, k, n, 0, n, k, 1, 0));
	SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID7);
	WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID7);
	inA1.EnQue(a1);
	inB1.EnQue(b1);
	a1 = inA1.DeQue<half>();
	b1 = inB1.DeQue<half>();

	LocalTensor<half> a2 = inA2.AllocTensor<half>(), b2 = inB2.AllocTensor<half>();
	LoadData3DParamsV2<half> p;
	p.padList[0] = p.padList[1] = p.padList[2] = p.padList[3] = t.pad;
	p.l1H = t.h;
	p.l1W = t.w;
	p.channelSize = t.c1 * 16;
	p.kExtension = k;
	p.mExtension = m16;
	p.strideW = p.strideH = t.stride;
	p.filterW = t.kw;
	p.filterH = t.kh;
	LoadData(a2, a1, p);
	for (uint32_t i = 0; i < k / 16; i++)
		LoadData(b2[i * 16 * n], b1[i * 256], LoadData2DParams(0, n / 16, k / 16, 0, 0, true, 0));
	inA2.EnQue(a2);
	inB2.EnQue(b2);
	a2 = inA2.DeQue<half>();
	b2 = inB2.DeQue<half>();

	LocalTensor<float> c = out.AllocTensor<float>();
	MmadParams mmad;
	mmad.m = m16;
	mmad.n = n;
	mmad.k = k;
	Mmad(c, a2, b2, mmad);
	out.EnQue(c);
	c = out.DeQue<float>();
	Fixpipe(yGm, c, FixpipeParamsV220(n, m, m16, n, false));
	out.FreeTensor(c);
	inA1.FreeTensor(a1);
	inB1.FreeTensor(b1);
	inA2.FreeTensor(a2);
	inB2.FreeTensor(b2);
}
