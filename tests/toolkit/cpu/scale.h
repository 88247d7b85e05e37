/* SPDX-License-Identifier: MIT */
#ifndef SCALE_H
#define SCALE_H

#include <cstdint>

struct ScaleTiling {
	uint32_t n;
	float factor;
};

#endif
