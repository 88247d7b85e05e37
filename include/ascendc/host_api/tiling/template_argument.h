/* SPDX-License-Identifier: MIT */
/*
 * Kernels that are templates whose arguments a tiling key stands for. The declaration names the parameters and their values, the
 * selection the combinations that exist. On the host GET_TPL_TILING_KEY(arguments...) makes the key; anpucc reads both lists and
 * compiles the kernel for the arguments of -DANPU_TILING_KEY (scripts/anpucc.d/templates.py knows the same numbers of bits).
 */
#ifndef ASCENDC_HOST_API_TILING_TEMPLATE_ARGUMENT_H
#define ASCENDC_HOST_API_TILING_TEMPLATE_ARGUMENT_H

#include <cstdint>

/* How many bits of the key a parameter has */
#define ASCENDC_TPL_1_BW	1
#define ASCENDC_TPL_2_BW	2
#define ASCENDC_TPL_4_BW	4
#define ASCENDC_TPL_8_BW	8

/* How the values of a UINT are written: pairs of first and last, single values, or a number of pairs, these, single values */
#define ASCENDC_TPL_UI_RANGE	0
#define ASCENDC_TPL_UI_LIST	1
#define ASCENDC_TPL_UI_MIX	2

#define ASCENDC_TPL_DTYPE	0
#define ASCENDC_TPL_FORMAT	1
#define ASCENDC_TPL_UINT	2
#define ASCENDC_TPL_BOOL	3

#if defined(ANPU_TPL_TEXT)
/* anpucc reads what remains of these behind the preprocessor. */
#define ASCENDC_TPL_ARGS_DECL(op, ...)		anpu_tpl(declaration, op, __VA_ARGS__) anpu_tpl_end
#define ASCENDC_TPL_SEL(...)			anpu_tpl(selections, __VA_ARGS__) anpu_tpl_end
#define ASCENDC_TPL_ARGS_SEL(...)		anpu_tpl(selection, __VA_ARGS__)
#define ASCENDC_TPL_DTYPE_DECL(x, ...)		anpu_tpl(DTYPE, x, __VA_ARGS__)
#define ASCENDC_TPL_DATATYPE_DECL(x, ...)	anpu_tpl(DTYPE, x, __VA_ARGS__)
#define ASCENDC_TPL_FORMAT_DECL(x, ...)		anpu_tpl(FORMAT, x, __VA_ARGS__)
#define ASCENDC_TPL_UINT_DECL(x, bits, ...)	anpu_tpl(UINT, x, bits, __VA_ARGS__)
#define ASCENDC_TPL_BOOL_DECL(x, ...)		anpu_tpl(BOOL, x, __VA_ARGS__)
#define ASCENDC_TPL_DTYPE_SEL(x, ...)		anpu_tpl(DTYPE, x, __VA_ARGS__)
#define ASCENDC_TPL_DATATYPE_SEL(x, ...)	anpu_tpl(DTYPE, x, __VA_ARGS__)
#define ASCENDC_TPL_FORMAT_SEL(x, ...)		anpu_tpl(FORMAT, x, __VA_ARGS__)
#define ASCENDC_TPL_UINT_SEL(x, ...)		anpu_tpl(UINT, x, 0, __VA_ARGS__)
#define ASCENDC_TPL_BOOL_SEL(x, ...)		anpu_tpl(BOOL, x, __VA_ARGS__)
#define ASCENDC_TPL_KERNEL_TYPE_SEL(...)	anpu_tpl(kernel_type, __VA_ARGS__)
#define ASCENDC_TPL_DETERMINISTIC_SEL(...)	anpu_tpl(deterministic, __VA_ARGS__)
#define ASCENDC_TPL_TILING_STRUCT_SEL(...)	anpu_tpl(structure, __VA_ARGS__)
#define ASCENDC_TPL_INPUT(n)			anpu_tpl(place, n)
#define ASCENDC_TPL_OUTPUT(n)			anpu_tpl(place, n)

#elif defined(__ANPU__) || !defined(__cplusplus)
#define ASCENDC_TPL_ARGS_DECL(...)
#define ASCENDC_TPL_SEL(...)
#define ASCENDC_TPL_ARGS_SEL(...)

#else
#include "../../host/template_key.h"
#endif

#ifndef ANPU_TPL_TEXT
/* Types of elements and formats, by their numbers in ge::DataType and ge::Format */
#define C_DT_FLOAT		0
#define C_DT_FLOAT16		1
#define C_DT_INT8		2
#define C_DT_INT32		3
#define C_DT_UINT8		4
#define C_DT_INT16		6
#define C_DT_UINT16		7
#define C_DT_UINT32		8
#define C_DT_INT64		9
#define C_DT_UINT64		10
#define C_DT_DOUBLE		11
#define C_DT_BOOL		12
#define C_DT_COMPLEX64		16
#define C_DT_COMPLEX128		17
#define C_DT_BF16		27
#define C_DT_INT4		29
#define C_DT_HIFLOAT8		34
#define C_DT_FLOAT8_E5M2	35
#define C_DT_FLOAT8_E4M3FN	36
#define C_FORMAT_NCHW		0
#define C_FORMAT_NHWC		1
#define C_FORMAT_ND		2
#define C_FORMAT_NC1HWC0	3
#define C_FORMAT_FRACTAL_Z	4
#define C_FORMAT_FRACTAL_NZ	29
#define C_FORMAT_NCDHW		30
#define C_FORMAT_NDC1HWC0	32
#endif

#endif
