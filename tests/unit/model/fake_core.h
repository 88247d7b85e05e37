/* SPDX-License-Identifier: MIT */
/*
 * A stand-in for the AI core, so that the device side is tested on its own and without a compiler
 * for operators. Its programs are arrays of struct fake_insn in device memory.
 */
#ifndef FAKE_CORE_H
#define FAKE_CORE_H

#include <stdint.h>

/**
 * enum fake_op - what an instruction does; @val and @arg are its fields, B the block number
 * @FAKE_END: the block is done
 * @FAKE_STORE: store B + 1 (64 bits) at val + 8 * B
 * @FAKE_INC: atomically add 1 at val
 * @FAKE_LOAD: read 8 bytes at val
 * @FAKE_BURN: run for val nanoseconds, as a tile operation does
 * @FAKE_FOREVER: run until stopped
 * @FAKE_UNTIL: run until the word at val is not zero
 * @FAKE_FROM: the block is done if B < arg
 * @FAKE_ILLEGAL: fault, if arg is B or 0xffffffff
 * @FAKE_SYNCALL: wait for all blocks
 * @FAKE_SET: set flag arg
 * @FAKE_WAIT: wait for flag arg
 * @FAKE_PRINT: print "hello", or the arg bytes at val
 * @FAKE_CORE: store the AI core's number at val + 8 * B
 * @FAKE_SUB: atomically add 1 at val + 8 * sub-block
 * @FAKE_FLAGS: store the packet's flags at val + 8 * B
 * @FAKE_OVERFLOW: overflow: arg is the status
 * @FAKE_TRIGGER: the kernel behind need not wait for this block
 * @FAKE_GRIDWAIT: wait for the kernel in front
 * @FAKE_CLOCK: store the device's clock at val + 8 * B
 * @FAKE_PIPE: pipe arg has worked for val nanoseconds
 */
enum fake_op {
	FAKE_END = 0x46414b45,
	FAKE_STORE,
	FAKE_INC,
	FAKE_LOAD,
	FAKE_BURN,
	FAKE_FOREVER,
	FAKE_UNTIL,
	FAKE_FROM,
	FAKE_ILLEGAL,
	FAKE_SYNCALL,
	FAKE_SET,
	FAKE_WAIT,
	FAKE_PRINT,
	FAKE_CORE,
	FAKE_SUB,
	FAKE_FLAGS,
	FAKE_OVERFLOW,
	FAKE_TRIGGER,
	FAKE_GRIDWAIT,
	FAKE_CLOCK,
	FAKE_PIPE
};

struct fake_insn {
	uint32_t op;
	uint32_t arg;
	uint64_t val;
};

/* refuse to make more blocks than this at a time; 0 for no limit */
void fake_core_limit(unsigned int blocks);

/* most blocks that ran at the same time since the last call */
unsigned int fake_core_most_running(void);

/* blocks so far that were made of one that had burnt time */
unsigned int fake_core_behind_burns(void);

/* address spaces so far whose operators are not to be translated */
unsigned int fake_core_untranslated(void);

#endif /* FAKE_CORE_H */
