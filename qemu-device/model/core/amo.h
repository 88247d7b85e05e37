/* SPDX-License-Identifier: MIT */
/* Atomic instructions of the scalar unit. */
#ifndef ANPU_AMO_H
#define ANPU_AMO_H

#include "core_int.h"

/* struct insn.imm of an atomic instruction: funct5 or enum anpu_amo_op, and these */
#define AMO_DOUBLE	32	/* of 8 bytes */
#define AMO_OWN		64	/* enum anpu_amo_op */

/** amo_decode() - fill @i->imm; false if the encoding is illegal */
bool amo_decode(uint32_t word, struct insn *i);
/** amo_exec() - execute one; false: @fault is filled and nothing has changed */
bool amo_exec(struct core_block *b, const struct insn *i, struct core_fault *fault);
/** amo_forget() - the reservation of lr is lost */
void amo_forget(struct core_block *b);

#endif /* ANPU_AMO_H */
