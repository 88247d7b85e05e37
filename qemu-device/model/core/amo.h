/* SPDX-License-Identifier: MIT */
/* Atomic instructions of the scalar unit. */
#ifndef ANPU_AMO_H
#define ANPU_AMO_H

#include "core_int.h"

/* struct insn.imm of an atomic instruction: funct5 or enum anpu_amo_op, and these */
#define AMO_DOUBLE	32	/* of 8 bytes */
#define AMO_OWN		64	/* enum anpu_amo_op */

/* funct5 of the A extension */
enum { A_ADD = 0x00, A_SWAP = 0x01, A_LR = 0x02, A_SC = 0x03, A_XOR = 0x04, A_CAS = 0x05, A_OR = 0x08,
       A_AND = 0x0c, A_MIN = 0x10, A_MAX = 0x14, A_MINU = 0x18, A_MAXU = 0x1c };

/** amo_reserves() - is it lr or sc? */
static inline bool amo_reserves(int32_t imm)
{
	return !(imm & AMO_OWN) && ((imm & 31) == A_LR || (imm & 31) == A_SC);
}

/** amo_adds_words() - is it amoadd.w? */
static inline bool amo_adds_words(int32_t imm)
{
	return imm == A_ADD;
}

/** amo_decode() - fill @i->imm; false if the encoding is illegal */
bool amo_decode(uint32_t word, struct insn *i);
/** amo_exec() - execute one; false: @fault is filled and nothing has changed */
bool amo_exec(struct core_block *b, const struct insn *i, struct core_fault *fault);
/** amo_forget() - the reservation of lr is lost */
void amo_forget(struct core_block *b);

#endif /* ANPU_AMO_H */
