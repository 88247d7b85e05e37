/* SPDX-License-Identifier: MIT */
/*
 * The structures of tiling data by the macros of operator projects. For the AI core: plain structures with the
 * fields in their order (anpucc --tiling=HEADER includes such a header before the kernel). For the host: classes.
 */
#ifndef ASCENDC_REGISTER_TILINGDATA_BASE_H
#define ASCENDC_REGISTER_TILINGDATA_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __riscv
/* Kernels name the structures without the namespace of the host's code that they stand in. */
namespace optiling {}
using namespace optiling;

#define BEGIN_TILING_DATA_DEF(name)			struct name {
/* Headers that both sides include may set fields in functions that only the host calls. */
#define TILING_DATA_FIELD_DEF(type, name) \
	type name; \
	inline void set_##name(type value) { name = value; } \
	inline type get_##name() const { return name; }
#define TILING_DATA_FIELD_DEF_ARR(type, count, name)	type name[count];
#define TILING_DATA_FIELD_DEF_STRUCT(type, name)	type name;
#define END_TILING_DATA_DEF				}
#define REGISTER_TILING_DATA_CLASS(op, name)		using AnpuTilingData = name;
#else
#include "../host/tilingdata.h"
#endif

#endif
