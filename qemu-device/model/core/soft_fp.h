/* SPDX-License-Identifier: MIT */
/*
 * Floating point in integers: every format, rounding mode and exception flag of the scalar unit.
 * Used where the host's unit cannot do it (half precision, round to nearest with ties away) and
 * for conversions.
 */
#ifndef ANPU_SOFT_FP_H
#define ANPU_SOFT_FP_H

#include <stdbool.h>
#include <stdint.h>

enum fp_format { FP_S = 0, FP_D = 1, FP_H = 2, FP_FORMATS = 4 };	/* as the fmt field */

enum fp_round { FP_RNE = 0, FP_RTZ, FP_RDN, FP_RUP, FP_RMM, FP_DYN = 7 };

#define FP_NX	1u
#define FP_UF	2u
#define FP_OF	4u
#define FP_DZ	8u
#define FP_NV	16u

enum fp_int { FP_W = 0, FP_WU, FP_L, FP_LU };				/* as the rs2 field */

/* Values are bit patterns in the low bits, already unboxed; @flags gets FP_* OR-ed in. */
uint64_t soft_fma(enum fp_format f, uint64_t a, uint64_t b, uint64_t c, enum fp_round rm,
		  uint32_t *flags);
uint64_t soft_add(enum fp_format f, uint64_t a, uint64_t b, enum fp_round rm, uint32_t *flags);
uint64_t soft_sub(enum fp_format f, uint64_t a, uint64_t b, enum fp_round rm, uint32_t *flags);
uint64_t soft_mul(enum fp_format f, uint64_t a, uint64_t b, enum fp_round rm, uint32_t *flags);
uint64_t soft_div(enum fp_format f, uint64_t a, uint64_t b, enum fp_round rm, uint32_t *flags);
uint64_t soft_sqrt(enum fp_format f, uint64_t a, enum fp_round rm, uint32_t *flags);
uint64_t soft_convert(enum fp_format to, enum fp_format from, uint64_t a, enum fp_round rm,
		      uint32_t *flags);
uint64_t soft_from_int(enum fp_format to, enum fp_int kind, uint64_t a, enum fp_round rm,
		       uint32_t *flags);
uint64_t soft_to_int(enum fp_format from, enum fp_int kind, uint64_t a, enum fp_round rm,
		     uint32_t *flags);
uint64_t soft_min(enum fp_format f, uint64_t a, uint64_t b, uint32_t *flags);
uint64_t soft_max(enum fp_format f, uint64_t a, uint64_t b, uint32_t *flags);
bool soft_eq(enum fp_format f, uint64_t a, uint64_t b, uint32_t *flags);
bool soft_lt(enum fp_format f, uint64_t a, uint64_t b, uint32_t *flags);
bool soft_le(enum fp_format f, uint64_t a, uint64_t b, uint32_t *flags);
unsigned int soft_class(enum fp_format f, uint64_t a);
uint64_t soft_sign(enum fp_format f);
uint64_t soft_nan(enum fp_format f);
uint64_t soft_neg(enum fp_format f, uint64_t a);

#endif /* ANPU_SOFT_FP_H */
