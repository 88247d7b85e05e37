// SPDX-License-Identifier: MIT
/* custom-1: flags between pipes, and services of the host. */
#include "check/check.h"
#include "sync.h"

#define ROW(n, num, ...) [num] = #n,
static const char *const pipe_names[ANPU_PIPE_COUNT] = { ANPU_PIPES(ROW) };
static const char *const sys_names[] = { ANPU_SYS_OPS(ROW) };
#undef ROW
#define ROW(n, num, rs1, rs2, ...) [num] = rs2[0] == '0',
static const bool rs2_zero[] = { ANPU_SYS_OPS(ROW) };
#undef ROW
#define ROW(n, num, rs1, ...) [num] = rs1[0] == '0',
static const bool rs1_zero[] = { ANPU_SYS_OPS(ROW) };
#undef ROW

static const char *pipe_name(uint64_t pipe)
{
	return pipe < ANPU_PIPE_COUNT ? pipe_names[pipe] : NULL;
}

static bool real_pipe(uint64_t pipe)
{
	return pipe_name(pipe) && pipe != ANPU_PIPE_ALL;
}

/* Find the counter of a flag operand; NULL with a fault. */
static uint8_t *flag_of(struct core_block *b, const char *op, uint64_t operand,
			struct core_fault *fault)
{
	uint64_t from = operand & 0xff, to = operand >> 8 & 0xff, event = operand >> 16;

	if (!real_pipe(from) || !real_pipe(to) || from == to) {
		core_fail(fault, ANPU_FAULT_OPERAND,
			  "%s: pipes %llu to %llu are not two different pipes (see ANPU_PIPES)", op,
			  (unsigned long long)from, (unsigned long long)to);
		return NULL;
	}
	if (event >= ANPU_EVENT_IDS) {
		core_fail(fault, ANPU_FAULT_OPERAND, "%s: event %llu is not below %u", op,
			  (unsigned long long)event, ANPU_EVENT_IDS);
		return NULL;
	}
	b->flags_used = true;
	return &b->flag[from][to][event];
}

static enum sys_result set_flag(struct core_block *b, uint64_t operand, struct core_fault *fault)
{
	uint8_t *flag = flag_of(b, "SETFLAG", operand, fault);

	if (!flag)
		return SYS_FAULT;
	if (*flag == ANPU_FLAG_MAX) {
		core_fail(fault, ANPU_FAULT_SYNC,
			  "SETFLAG %s to %s event %u: set %u times and never waited for",
			  pipe_names[operand & 0xff], pipe_names[operand >> 8 & 0xff],
			  (unsigned int)(operand >> 16), ANPU_FLAG_MAX);
		return SYS_FAULT;
	}
	++*flag;
	if (unlikely(b->check))
		check_set(b, operand & 0xff, operand >> 8 & 0xff, (unsigned int)(operand >> 16), *flag);
	return SYS_NEXT;
}

static enum sys_result wait_flag(struct core_block *b, uint64_t operand, struct core_fault *fault)
{
	uint8_t *flag = flag_of(b, "WAITFLAG", operand, fault);

	if (!flag)
		return SYS_FAULT;
	if (!*flag) {
		/* operations of a core run in order: no later one can set it */
		core_fail(fault, ANPU_FAULT_SYNC,
			  "WAITFLAG %s to %s event %u: nothing has set it, the core would hang",
			  pipe_names[operand & 0xff], pipe_names[operand >> 8 & 0xff],
			  (unsigned int)(operand >> 16));
		return SYS_FAULT;
	}
	--*flag;
	if (unlikely(b->check))
		check_wait(b, operand & 0xff, operand >> 8 & 0xff, (unsigned int)(operand >> 16));
	return SYS_NEXT;
}

static enum sys_result pipe_barrier(struct core_block *b, uint64_t pipe, struct core_fault *fault)
{
	if (pipe_name(pipe)) {
		if (unlikely(b->check) && pipe == ANPU_PIPE_ALL)
			check_barrier(b);
		return SYS_NEXT;
	}
	core_fail(fault, ANPU_FAULT_OPERAND, "PIPEBAR: %llu is no pipe (see ANPU_PIPES)",
		  (unsigned long long)pipe);
	return SYS_FAULT;
}

/* the pipe is the checking mode's: operations run in order */
static enum sys_result cross_set(struct core_block *b, uint64_t operand, uint64_t pipe, struct core_fault *fault)
{
	if (!pipe || pipe_name(pipe - 1))
		return sync_set(b, operand, pipe ? (unsigned int)pipe - 1 : ANPU_PIPE_ALL, fault);
	core_fail(fault, ANPU_FAULT_OPERAND, "XSET: %llu is no pipe (see ANPU_PIPES)", (unsigned long long)pipe - 1);
	return SYS_FAULT;
}

/* a block deals with others only when all its engines are done */
static enum sys_result between_blocks(struct core_block *b, enum sys_result r)
{
	if (unlikely(b->check) && r == SYS_NEXT)
		check_barrier(b);
	return r;
}

/* Read a text that an operator hands over, up to @len bytes. */
static bool read_text(struct core_block *b, uint64_t text, uint64_t len, char *to,
		      struct core_fault *fault)
{
	if (unlikely(b->check) && len &&
	    !check_scalar(b, "text", text, len, ANPU_ACCESS_READ, fault))
		return false;
	return mem_read(b, text, len, to, fault);
}

static enum sys_result print(struct core_block *b, uint64_t text, uint64_t len,
			     struct core_fault *fault)
{
	char buf[ANPU_TEXT_MAX];

	if (len > ANPU_TEXT_MAX) {
		core_fail(fault, ANPU_FAULT_OPERAND, "PRINT: %llu bytes, at most %u at a time",
			  (unsigned long long)len, ANPU_TEXT_MAX);
		return SYS_FAULT;
	}
	if (!read_text(b, text, len, buf, fault))
		return SYS_FAULT;
	if (b->kernel->print && len) {
		struct core_text t = { b->block, b->sub_block, b->core, buf, len };

		if (!b->kernel->print(b->kernel->print_ctx, b->mmu, &t, fault))
			return SYS_FAULT;
	}
	return SYS_NEXT;
}

/* Fault with the operator's message; a text that cannot be read faults as a load does. */
static enum sys_result raise(struct core_block *b, uint32_t cause, uint64_t text, uint64_t len,
			     struct core_fault *fault)
{
	char buf[sizeof(fault->message)] = "";
	uint64_t n, keep = len < sizeof(buf) ? len : sizeof(buf) - 1;

	if (!read_text(b, text, keep, buf, fault))
		return SYS_FAULT;
	for (n = 0; n < keep && buf[n]; n++)
		if (buf[n] < ' ' || buf[n] > '~')
			buf[n] = '?';
	buf[n] = 0;
	core_fail(fault, cause, "%s", buf[0] ? buf : "no message given");
	return SYS_FAULT;
}

enum sys_result sys_run(struct core_block *b, unsigned int op, uint64_t rs1, uint64_t rs2,
			struct core_fault *fault)
{
	if (op >= sizeof(sys_names) / sizeof(sys_names[0])) {
		core_fail(fault, ANPU_FAULT_ILLEGAL, "custom-1 operation %u does not exist", op);
		return SYS_FAULT;
	}
	if ((rs2_zero[op] && rs2) || (rs1_zero[op] && rs1)) {
		core_fail(fault, ANPU_FAULT_OPERAND, "%s: an unused operand is 0x%llx, not zero",
			  sys_names[op], (unsigned long long)(rs1_zero[op] && rs1 ? rs1 : rs2));
		return SYS_FAULT;
	}
	switch (op) {
	case ANPU_SYS_SETFLAG: return set_flag(b, rs1, fault);
	case ANPU_SYS_WAITFLAG: return wait_flag(b, rs1, fault);
	case ANPU_SYS_PIPEBAR: return pipe_barrier(b, rs1, fault);
	case ANPU_SYS_XSET: return between_blocks(b, cross_set(b, rs1, rs2, fault));
	case ANPU_SYS_XWAIT: return between_blocks(b, sync_wait(b, rs1, fault));
	case ANPU_SYS_SYNCALL: return between_blocks(b, sync_all(b, rs1, fault));
	case ANPU_SYS_POST: return between_blocks(b, sync_post(b, rs1, rs2, fault));
	case ANPU_SYS_AWAIT: return between_blocks(b, sync_await(b, rs1, rs2, fault));
	case ANPU_SYS_PRINT: return print(b, rs1, rs2, fault);
	case ANPU_SYS_TRAP: return raise(b, ANPU_FAULT_TRAP, rs1, rs2, fault);
	case ANPU_SYS_ASSERT: return raise(b, ANPU_FAULT_ASSERT, rs1, rs2, fault);
	case ANPU_SYS_EXIT: return SYS_EXIT;
	case ANPU_SYS_BUFFER:
		if (b->check)
			check_buffer(b, rs1, rs2);
		return SYS_NEXT;
	default: /* DCCI: caches are coherent */
		if (unlikely(b->check))
			check_cache(b);
		return SYS_NEXT;
	}
}

enum sys_result sys_exec(struct core_block *b, unsigned int op, uint64_t rs1, uint64_t rs2,
			 struct core_fault *fault)
{
	return unlikely(b->kernel->observer) ? observed_sys(b, op, rs1, rs2, fault) :
					       sys_run(b, op, rs1, rs2, fault);
}
