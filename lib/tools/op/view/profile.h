/* SPDX-License-Identifier: MIT */
/* Where the time of a run goes: by pipe and by kind of tile operation. */
#ifndef OP_PROFILE_H
#define OP_PROFILE_H

#include <anpu/anpu_isa.h>

#include "op/run.h"
#include "op/view/tile.h"

/**
 * struct op_count - what operations of one kind did
 * @what: the kind; of a pipe its name
 * @pipe: enum anpu_pipe
 * @count: operations that were carried out
 * @ns: host's time
 * @bytes: copied, or written as results
 * @flops: of MMAD
 */
struct op_count {
	char what[40];
	unsigned int pipe;
	uint64_t count;
	uint64_t ns;
	uint64_t bytes;
	uint64_t flops;
};

struct op_profile;

/** op_profile_new() - an empty one; NULL: out of memory */
struct op_profile *op_profile_new(void);
void op_profile_free(struct op_profile *p);
/** op_profile_reset() - set all counts to 0; @p may be NULL */
void op_profile_reset(struct op_profile *p);
/** op_profile_observer() - for op_launch.observer */
const struct core_observer *op_profile_observer(struct op_profile *p);

/**
 * op_profile_sum() - after a run: everything by pipe and by kind, the costliest first
 * @result: of the run, timed; the scalar unit gets the time that no operation took
 * @pipe: indexed by enum anpu_pipe
 * @count: out: kinds
 *
 * Return: the kinds, good until op_profile_free()
 */
const struct op_count *op_profile_sum(struct op_profile *p, const struct op_result *result,
				      struct op_count pipe[ANPU_PIPE_COUNT], size_t *count);

/** op_profile_print() - as a table */
void op_profile_print(struct op_profile *p, const struct op_result *result);

#endif /* OP_PROFILE_H */
