// SPDX-License-Identifier: MIT
/* The same for what only C++ has. */
#include <anpu/anpu_intrin.h>

struct Base {
	float x;
};

struct Derived : Base {
	int32_t y;
};

struct Methods {
	double d;
	int32_t i;
	double sum() const
	{
		return d + i;
	}
	static int counter;
};

enum class Kind : int8_t { low = -100, high = 100 };

struct Mixed {
	union {
		float f;
		uint32_t u;
	};
	float g;
};

struct Bits {
	uint32_t a : 3, b : 29;
};

template <typename T> struct Pair {
	T first, second;
};

ANPU_KERNEL void classes(Derived a, Methods b, Kind c, Mixed d, Bits e, Pair<double> f,
			 const double &g, bool h, decltype(nullptr) i, double *out)
{
	double values[] = { a.x,
			    double(a.y),
			    b.sum(),
			    double(int8_t(c)),
			    d.f,
			    d.g,
			    double(e.a),
			    double(e.b),
			    f.first,
			    f.second,
			    g,
			    double(h),
			    double(i == nullptr) };

	for (int n = 0; n < 13; n++)
		out[n] = values[n];
}

namespace space
{
/* Without extern "C" the kernel has its mangled name. */
__attribute__((section(".anpu.kernel"), used, visibility("default"))) void mangled(int32_t a,
										   double *out)
{
	out[0] = a;
}
} // namespace space
