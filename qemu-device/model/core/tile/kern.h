/* SPDX-License-Identifier: MIT */
/*
 * All kernels of one kind of host; compiled by kern_plain.c, kern_avx2.c and kern_avx512.c.
 */
#include "tile_int.h"
#include "simd.h"
#include "kern_elem.h"
#include "kern_math.h"
#include "kern_cvt.h"
#include "kern_red.h"
#include "kern_mmad.h"

#define FLOATS(op) \
	[ANPU_TYPE_F32] = op##_f32, [ANPU_TYPE_F16] = op##_f16, [ANPU_TYPE_BF16] = op##_bf16
#define INTS(op) \
	[ANPU_TYPE_S8] = op##_s8, [ANPU_TYPE_U8] = op##_u8, \
	[ANPU_TYPE_S16] = op##_s16, [ANPU_TYPE_U16] = op##_u16, \
	[ANPU_TYPE_S32] = op##_s32, [ANPU_TYPE_U32] = op##_u32, \
	[ANPU_TYPE_S64] = op##_s64, [ANPU_TYPE_U64] = op##_u64
#define SIGNEDS(op) \
	[ANPU_TYPE_S8] = op##_s8, [ANPU_TYPE_S16] = op##_s16, [ANPU_TYPE_S32] = op##_s32, \
	[ANPU_TYPE_S64] = op##_s64

const struct tile_kernels TILE_KERNELS = {
	.name = TILE_NAME,
	.bin = {
		[ANPU_BIN_ADD] = { FLOATS(add), INTS(add) },
		[ANPU_BIN_SUB] = { FLOATS(sub), INTS(sub) },
		[ANPU_BIN_MUL] = { FLOATS(mul), INTS(mul) },
		[ANPU_BIN_DIV] = { FLOATS(div), INTS(div) },
		[ANPU_BIN_MAX] = { FLOATS(max), INTS(max) },
		[ANPU_BIN_MIN] = { FLOATS(min), INTS(min) },
		[ANPU_BIN_AND] = { INTS(and) },
		[ANPU_BIN_OR] = { INTS(or) },
		[ANPU_BIN_XOR] = { INTS(xor) },
		[ANPU_BIN_SHL] = { INTS(shl) },
		[ANPU_BIN_SHR] = { INTS(shr) },
		[ANPU_BIN_LRELU] = { FLOATS(lrelu) },
		[ANPU_BIN_ADDRELU] = { FLOATS(addrelu), SIGNEDS(addrelu) },
		[ANPU_BIN_SUBRELU] = { FLOATS(subrelu), SIGNEDS(subrelu) },
		[ANPU_BIN_ABSDIFF] = { FLOATS(absdiff), INTS(absdiff) },
	},
	.un = {
		[ANPU_UN_COPY] = {
			[ANPU_TYPE_F32] = copy_s32, [ANPU_TYPE_F16] = copy_s16,
			[ANPU_TYPE_BF16] = copy_s16, INTS(copy),
		},
		[ANPU_UN_ABS] = { FLOATS(abs), SIGNEDS(abs) },
		[ANPU_UN_NEG] = { FLOATS(neg), SIGNEDS(neg) },
		[ANPU_UN_NOT] = { INTS(not) },
		[ANPU_UN_RELU] = { FLOATS(relu), SIGNEDS(relu) },
		[ANPU_UN_SQRT] = { FLOATS(sqrt) },
		[ANPU_UN_RSQRT] = { FLOATS(rsqrt) },
		[ANPU_UN_REC] = { FLOATS(rec) },
		[ANPU_UN_EXP] = { FLOATS(exp) },
		[ANPU_UN_LN] = { FLOATS(ln) },
		[ANPU_UN_TANH] = { FLOATS(tanh) },
		[ANPU_UN_SIN] = { FLOATS(sin) },
		[ANPU_UN_COS] = { FLOATS(cos) },
		[ANPU_UN_ERF] = { FLOATS(erf) },
		[ANPU_UN_ROUND] = { FLOATS(rint) },
	},
	.tri = {
		[ANPU_TRI_MLA] = { FLOATS(mla), INTS(mla) },
		[ANPU_TRI_MAD] = { FLOATS(mad), INTS(mad) },
		[ANPU_TRI_MADRELU] = { FLOATS(madrelu), SIGNEDS(madrelu) },
	},
	.cmp = {
		[ANPU_CMP_LT] = { FLOATS(lt), INTS(lt) },
		[ANPU_CMP_GT] = { FLOATS(gt), INTS(gt) },
		[ANPU_CMP_EQ] = { FLOATS(eq), INTS(eq) },
		[ANPU_CMP_LE] = { FLOATS(le), INTS(le) },
		[ANPU_CMP_GE] = { FLOATS(ge), INTS(ge) },
		[ANPU_CMP_NE] = { FLOATS(ne), INTS(ne) },
	},
	.sel = { [1] = sel_1, [2] = sel_2, [4] = sel_4, [8] = sel_8 },
	.red = {
		[ANPU_RED_SUM] = { FLOATS(sum), INTS(sum) },
		[ANPU_RED_MAX] = { FLOATS(rmax), INTS(rmax) },
		[ANPU_RED_MIN] = { FLOATS(rmin), INTS(rmin) },
	},
	.fold = {
		[ANPU_RED_SUM] = { FLOATS(fold_sum) },
		[ANPU_RED_MAX] = { FLOATS(fold_rmax) },
		[ANPU_RED_MIN] = { FLOATS(fold_rmin) },
	},
	.find = {
		FLOATS(find),
		[ANPU_TYPE_S16] = find_16, [ANPU_TYPE_U16] = find_16,
		[ANPU_TYPE_S32] = find_32, [ANPU_TYPE_U32] = find_32,
		[ANPU_TYPE_S64] = find_64, [ANPU_TYPE_U64] = find_64,
	},
	.cvt = {
		[ANPU_TYPE_F32] = { CVT_ROW_f32 },
		[ANPU_TYPE_F16] = { CVT_ROW_f16 },
		[ANPU_TYPE_BF16] = { CVT_ROW_bf16 },
		[ANPU_TYPE_S8] = { CVT_ROW_s8 },
		[ANPU_TYPE_U8] = { CVT_ROW_u8 },
		[ANPU_TYPE_S16] = { CVT_ROW_s16 },
		[ANPU_TYPE_U16] = { CVT_ROW_u16 },
		[ANPU_TYPE_S32] = { CVT_ROW_s32 },
		[ANPU_TYPE_U32] = { CVT_ROW_u32 },
		[ANPU_TYPE_S64] = { CVT_ROW_s64 },
		[ANPU_TYPE_U64] = { CVT_ROW_u64 },
		[ANPU_TYPE_S4] = { CVT_ROW_s4 },
	},
	.sat = { FLOATS(sat) },
	.mmad = { FLOATS(mmad), [ANPU_TYPE_S8] = mmad_s8, [ANPU_TYPE_S4] = mmad_s4 },
	.l0a = { [ANPU_TYPE_F16] = l0_f16, [ANPU_TYPE_BF16] = l0_bf16, [ANPU_TYPE_S8] = l0a_s8 },
	.l0b = { [ANPU_TYPE_F16] = l0_f16, [ANPU_TYPE_BF16] = l0_bf16, [ANPU_TYPE_S8] = l0b_s8 },
};
