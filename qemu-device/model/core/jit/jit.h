/* SPDX-License-Identifier: MIT */
/*
 * Translation of hot code to the host's (x86-64 only). The interpreter decides what is hot, enters
 * translated code when it comes to an instruction that has some, and carries on wherever translated
 * code leaves. See "The translator" in Documentation/model.md.
 */
#ifndef ANPU_JIT_H
#define ANPU_JIT_H

#include "../core_int.h"
#include "../insn_ops.h"

#if defined(__x86_64__) && defined(__linux__)
#define HOST_JIT	1
#else
#define HOST_JIT	0
#endif

/**
 * struct jit_entry - an address with translated code; lives as long as its generation
 * @pc: address of the instruction
 * @code: host code to jump to
 * @go: the interpreter's own handler of the instruction
 */
struct jit_entry {
	uint64_t pc;
	const void *code;
	const void *go;
};

/** struct jit_page - the entries on a page of code */
struct jit_page {
	_Atomic(const struct jit_entry *) entry[PAGE_INSNS];
};

/**
 * enum jit_exit - why translated code returned; b->pc is where, b->jit.credit what is left
 * @JIT_GO: the code ends there: carry on
 * @JIT_POLL: time to poll
 * @JIT_STEP: the instruction is one for the interpreter, even if it has translated code
 * @JIT_FAULT: the instruction faulted
 */
enum jit_exit { JIT_GO, JIT_POLL, JIT_STEP, JIT_FAULT };

/** jit_run() - run @e until it leaves; credit and total of @b->jit are set and read by the caller */
enum jit_exit jit_run(struct core_block *b, const struct jit_entry *e);

/**
 * jit_sample() - code at @pc has been met by a poll, or by one of many exits from translated code: translate it if that
 * happens often
 * @page: its page
 * @left: translated code has ended there: loops were found before, and the rest is translated but once
 * @handler: what the interpreter does at an instruction with translated code
 */
void jit_sample(struct core_block *b, struct code_page *page, uint64_t pc, bool left, const void *handler);

/** jit_gen_free() - free the translated code of a generation */
void jit_gen_free(struct code_gen *g);

/** jit_eager() - is code to be translated before it is hot? For tests. */
bool jit_eager(const struct code_cache *c);

/** jit_mode_default() - the mode of new code caches: from the environment, off if the host cannot */
enum core_jit jit_mode_default(void);

static inline const struct jit_entry *jit_entry_at(struct code_page *page, unsigned int n)
{
	struct jit_page *j = atomic_load_explicit(&page->jit, memory_order_acquire);

	return j ? atomic_load_explicit(&j->entry[n], memory_order_acquire) : NULL;
}

#endif /* ANPU_JIT_H */
