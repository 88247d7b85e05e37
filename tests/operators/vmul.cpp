// SPDX-License-Identifier: MIT
/*
 * An operator in C++: z = x * y * scale, element by element.
 *
 * vmul_f32 takes fp32 tensors; vmul_f16 takes fp16 ones, converts each tile to fp32, computes there
 * and rounds once at the end. One class template serves both.
 */
#include <anpu/anpu_intrin.h>

namespace
{

/* A piece of the unified buffer that holds N elements, from byte At on. */
template <typename T, uint32_t At, uint32_t N> struct Buffer {
	static constexpr uint32_t end = At + N * sizeof(T);
	static_assert(At % ANPU_LOCAL_ALIGN == 0 && end <= ANPU_UB_SIZE, "buffer outside of UB");
	static T *data()
	{
		return static_cast<T *>(ANPU_UB(At));
	}
};

template <typename T> class Multiply
{
      public:
	Multiply(const T *x, const T *y, T *z, uint32_t n, float scale)
	    : x(x), y(y), z(z), scale(scale)
	{
		count = anpu_share(n, ANPU_LOCAL_ALIGN / sizeof(T), &first);
	}

	void process()
	{
		for (uint64_t done = 0; done < count; done += tile) {
			uint64_t left = count - done;

			one(first + done, left < tile ? left : tile);
		}
	}

      private:
	static constexpr uint32_t tile = 4096;
	using In = Buffer<T, 0, tile>;
	using A = Buffer<float, In::end, tile>;
	using B = Buffer<float, A::end, tile>;

	void load(float *wide, const T *from, uint32_t n)
	{
		if constexpr (sizeof(T) == sizeof(float)) {
			anpu_copy(wide, from, n * sizeof(T));
		} else {
			anpu_copy(In::data(), from, n * sizeof(T));
			anpu_pipebar(ANPU_PIPE_ALL);
			anpu_vcvt(wide, In::data(),
				  ANPU_CTL_CVT(n, ANPU_TYPE_F32, ANPU_TYPE_F16, ANPU_ROUND_NONE));
		}
		anpu_pipebar(ANPU_PIPE_ALL);
	}

	void one(uint64_t at, uint32_t n)
	{
		load(A::data(), x + at, n);
		load(B::data(), y + at, n);
		anpu_vbin(A::data(), A::data(), B::data(),
			  ANPU_CTL(n, ANPU_TYPE_F32, ANPU_BIN_MUL));
		anpu_vbins(A::data(), A::data(), anpu_bits_f32(scale),
			   ANPU_CTL(n, ANPU_TYPE_F32, ANPU_BIN_MUL));
		store(z + at, n);
	}

	void store(T *to, uint32_t n)
	{
		anpu_pipebar(ANPU_PIPE_ALL);
		if constexpr (sizeof(T) == sizeof(float)) {
			anpu_copy(to, A::data(), n * sizeof(T));
		} else {
			anpu_vcvt(In::data(), A::data(),
				  ANPU_CTL_CVT(n, ANPU_TYPE_F16, ANPU_TYPE_F32, ANPU_ROUND_RINT));
			anpu_pipebar(ANPU_PIPE_ALL);
			anpu_copy(to, In::data(), n * sizeof(T));
		}
		anpu_pipebar(ANPU_PIPE_ALL);
	}

	const T *x;
	const T *y;
	T *z;
	float scale;
	uint64_t first;
	uint64_t count;
};

} // namespace

ANPU_KERNEL void vmul_f32(const float *x, const float *y, float *z, uint32_t n, float scale)
{
	Multiply<float>(x, y, z, n, scale).process();
}

ANPU_KERNEL void vmul_f16(const _Float16 *x, const _Float16 *y, _Float16 *z, uint32_t n,
			  float scale)
{
	Multiply<_Float16>(x, y, z, n, scale).process();
}
