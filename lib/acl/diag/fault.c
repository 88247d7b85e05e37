// SPDX-License-Identifier: MIT
/*
 * Describes the failure of a task: from a fault record to the code and the sentence that
 * synchronising returns.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anpu/anpu_isa.h>

#include "diag/diag.h"

static const char *const cause_text[ANPU_FAULT_COUNT] = {
	[ANPU_FAULT_BAD_OPCODE] = "the packet is unknown to the device",
	[ANPU_FAULT_BAD_PACKET] = "the device refused the packet",
	[ANPU_FAULT_BAD_DOORBELL] = "the queue was told a wrong write index",
	[ANPU_FAULT_BAD_CONTEXT] = "the queue could not be started",
	[ANPU_FAULT_WAIT_TIMEOUT] = "a wait for another stream expired",
	[ANPU_FAULT_KILLED] = "the task was killed",
	[ANPU_FAULT_ENDED] = "the task was stopped by aclrtStreamStop()",
	[ANPU_FAULT_UNMAPPED] = "memory that is not allocated",
	[ANPU_FAULT_PERMISSION] = "memory that does not allow it",
	[ANPU_FAULT_BAD_PTE] = "memory behind a broken page table",
	[ANPU_FAULT_BUS] = "host memory that the device cannot reach",
	[ANPU_FAULT_MISALIGNED] = "an address that is not aligned",
	[ANPU_FAULT_FETCH] = "the program counter left the operator's code",
	[ANPU_FAULT_ILLEGAL] = "illegal instruction",
	[ANPU_FAULT_BREAKPOINT] = "breakpoint instruction",
	[ANPU_FAULT_TRAP] = "the operator trapped",
	[ANPU_FAULT_ASSERT] = "an assertion of the operator failed",
	[ANPU_FAULT_TIMEOUT] = "the kernel ran longer than its limit",
	[ANPU_FAULT_SCRATCHPAD] = "an access outside the scratchpads",
	[ANPU_FAULT_STACK] = "stack overflow",
	[ANPU_FAULT_OPERAND] = "an operation refused an operand",
	[ANPU_FAULT_SYNC] = "flags are set and waited for in a way that does not match",
	[ANPU_FAULT_DEADLOCK] = "all blocks wait for each other",
	[ANPU_FAULT_UNINITIALISED] = "memory was read before it was written",
	[ANPU_FAULT_RACE] = "two pipes, threads or blocks touched the same memory without synchronisation",
	[ANPU_FAULT_INTERNAL] = "the device ran out of host resources",
};

static aclError kernel_code(const struct anpu_fault *f)
{
	bool vector = f->core_type == ANPU_CORE_AIV;

	switch (f->cause) {
	case ANPU_FAULT_TIMEOUT:
	case ANPU_FAULT_DEADLOCK:
		return vector ? ACL_ERROR_RT_VECTOR_CORE_TIMEOUT : ACL_ERROR_RT_AICORE_TIMEOUT;
	case ANPU_FAULT_TRAP:
	case ANPU_FAULT_ASSERT:
	case ANPU_FAULT_BREAKPOINT:
		return vector ? ACL_ERROR_RT_VECTOR_CORE_TRAP_EXCEPTION
			      : ACL_ERROR_RT_AICORE_TRAP_EXCEPTION;
	default:
		return vector ? ACL_ERROR_RT_VECTOR_CORE_EXCEPTION : ACL_ERROR_RT_AICORE_EXCEPTION;
	}
}

aclError anpu_fault_code(const struct anpu_fault *f)
{
	if (f->cause == ANPU_FAULT_KILLED)
		return ACL_ERROR_RT_STREAM_ABORT;
	if (f->cause == ANPU_FAULT_ENDED)
		return ACL_ERROR_RT_TASK_ABORT_STOP;
	if (f->cause == ANPU_FAULT_INTERNAL)
		return ACL_ERROR_RT_INTERNAL_ERROR;
	if (f->opcode == ANPU_OP_KERNEL)
		return kernel_code(f);
	if (f->cause == ANPU_FAULT_WAIT_TIMEOUT)
		return ACL_ERROR_RT_EVENT_SYNC_TIMEOUT;
	if (f->opcode == ANPU_OP_COPY || f->opcode == ANPU_OP_COPY_2D ||
	    f->opcode == ANPU_OP_COPY_DESC || f->opcode == ANPU_OP_FILL ||
	    f->opcode == ANPU_OP_REDUCE)
		return ACL_ERROR_RT_SYS_DMA;
	return ACL_ERROR_RT_TS_ERROR;
}

static const char *task_name(unsigned int opcode)
{
	switch (opcode) {
	case ANPU_OP_KERNEL:
		return "kernel";
	case ANPU_OP_COPY:
	case ANPU_OP_COPY_2D:
	case ANPU_OP_COPY_DESC:
		return "copy";
	case ANPU_OP_FILL:
		return "fill";
	case ANPU_OP_REDUCE:
		return "reduction";
	case ANPU_OP_RANDOM:
		return "making of random numbers";
	case ANPU_OP_SEM_SIGNAL:
		return "event record";
	case ANPU_OP_SEM_WAIT:
		return "event wait";
	case ANPU_OP_INDIRECT:
		return "graph";
	default:
		return "task";
	}
}

static const char *access_name(uint32_t access)
{
	if (access & ANPU_ACCESS_FETCH)
		return "instruction fetch";
	return access & ANPU_ACCESS_WRITE ? "write" : "read";
}

/* Of a queue as a whole: what it had to do was dropped. The address is then the number of packets */
static void add_dropped(struct anpu_text *t, const struct anpu_fault *f)
{
	if (f->addr)
		anpu_text_add(t, "%llu packets of tasks that had not begun were dropped, because the stream was "
		       "aborted or its device reset",
		    (unsigned long long)f->addr);
	else
		anpu_text_add(t, "a task that waited for an event, a notify or a function of the program was "
		       "ended, because the stream was aborted or its device reset");
}

/* Which block, and of a kernel with a cube and vector parts, which of them */
static void add_block(struct anpu_text *t, const struct anpu_fault *f, const struct anpu_task *task)
{
	bool mix = f->sub_block || (task && task->opcode == ANPU_OP_KERNEL && task->core_type == ANPU_CORE_MIX);

	if (f->block == ANPU_FAULT_NO_BLOCK)
		return;
	anpu_text_add(t, " in block %u", f->block);
	if (mix && !f->sub_block)
		anpu_text_add(t, ", its cube part,");
	else if (mix)
		anpu_text_add(t, ", its vector part %u,", f->sub_block - 1);
	anpu_text_add(t, " on core %u", f->core);
}

static void add_task(struct anpu_text *t, struct anpu_device *dev, const struct anpu_fault *f,
		     const struct anpu_task *task)
{
	char name[128] = "";

	anpu_text_add(t, "%s", task_name(f->opcode));
	if (f->opcode == ANPU_OP_KERNEL) {
		anpu_symbolise(dev, f->entry, name, sizeof(name), true);
		if (*name)
			anpu_text_add(t, " '%s'", name);
		else
			anpu_text_add(t, anpu_ended_code(f->entry) ? " of a binary that was unloaded" : " '?'");
	}
	anpu_text_add(t, " (task %u) failed", f->task_id);
	add_block(t, f, task);
}

/*
 * Programs that are not position-independent (Debian's python3 is one) have their heap below global memory, also
 * where the stacks of threads are. Nearer to the scratchpads, an operator that ran over is the likelier reason.
 */
static bool low_host_address(uint64_t addr)
{
	return addr >= ANPU_STACK_TOP + ANPU_STACK_GUARD && anpu_in_process(addr);
}

/* Is the address itself what was wrong */
static bool wrong_address(const struct anpu_fault *f)
{
	return f->access && (f->cause == ANPU_FAULT_UNMAPPED ||
			     (f->cause == ANPU_FAULT_MISALIGNED && acl_handle_type(f->addr)) ||
			     (f->cause == ANPU_FAULT_SCRATCHPAD && (anpu_is_null(f->addr) || low_host_address(f->addr))));
}

static void add_cause(struct anpu_text *t, struct anpu_device *dev, const struct anpu_fault *f,
		      const struct anpu_task *task)
{
	char what[1400];

	if (f->access && f->size)
		anpu_text_add(t, "%s of %u byte%s at 0x%llx, ", access_name(f->access), f->size,
		    f->size == 1 ? "" : "s", (unsigned long long)f->addr);
	else if (f->access)
		anpu_text_add(t, "%s at 0x%llx, ", access_name(f->access), (unsigned long long)f->addr);
	if (wrong_address(f)) {
		anpu_address_text(dev, f->addr, what, sizeof(what));
		anpu_text_add(t, "%s", what);
	} else if (f->cause == ANPU_FAULT_FETCH && anpu_ended_code(f->pc)) {
		anpu_text_add(t, "the binary was unloaded while its kernel ran: synchronise the stream before "
		       "aclrtBinaryUnLoad()");
	} else if (f->cause == ANPU_FAULT_WAIT_TIMEOUT && task && task->opcode == ANPU_OP_SEM_WAIT &&
		   anpu_sync_text(dev, NULL, task->args, task->entry, what, sizeof(what))) {
		anpu_text_add(t, "a wait has expired; it was for %s", what);
	} else if (f->cause == ANPU_FAULT_BAD_PACKET && f->opcode == ANPU_OP_COPY_DESC) {
		anpu_text_add(t, "the descriptor at %#llx does not hold what aclrtSetMemcpyDesc() writes: it was "
		       "not called for it, or something has written there",
		    (unsigned long long)f->addr);
	} else {
		anpu_text_add(t, "%s", f->cause < ANPU_FAULT_COUNT && cause_text[f->cause] ? cause_text[f->cause]
										 : "fault");
	}
}

/* Where in the operator it was: function, source lines with the calls that were inlined around it */
static void add_place(struct anpu_text *t, struct anpu_device *dev, uint64_t pc)
{
	char where[128] = "", lines[700] = "";

	anpu_symbolise(dev, pc, where, sizeof(where), false);
	anpu_code_lines(dev, pc, lines, sizeof(lines));
	anpu_text_add(t, ", at pc %#llx", (unsigned long long)pc);
	if (*lines)
		anpu_text_add(t, " (%s; %s)", lines, where);
	else if (*where)
		anpu_text_add(t, " (%s%s)", where, !strncmp(where, ANPU_ENTRY_PREFIX, strlen(ANPU_ENTRY_PREFIX)) ?
			      ": where the kernel's arguments are read" : "; compile it by anpucc -g to see lines");
}

/* A text that anpu_printf() cannot read: the operator's line is the call's. False if it is something else */
static bool add_printf(struct anpu_text *t, struct anpu_device *dev, const struct anpu_fault *f)
{
	uint64_t call = f->x[ANPU_PRINTF_CALLER] - 4; /* the register has the address behind it */
	char name[128] = "";

	anpu_symbolise(dev, f->pc, name, sizeof(name), true);
	if (strcmp(name, ANPU_PRINTF_READS))
		return false;
	anpu_text_add(t, ", where anpu_printf() reads the text of a %%s, in a call");
	add_place(t, dev, call);
	return true;
}

/* The device's sentence may name other instructions: where they are in the source */
static void add_message(struct anpu_text *t, struct anpu_device *dev, const struct anpu_fault *f)
{
	char message[sizeof(f->message) + 1], lines[300], *at, *end;

	snprintf(message, sizeof(message), "%.*s", (int)sizeof(f->message), f->message);
	anpu_text_add(t, "; the device says: %s", message);
	for (at = strstr(message, "0x"); at; at = strstr(end, "0x")) {
		uint64_t pc = strtoull(at, &end, 16);

		if (pc != f->pc && pc != f->addr)
			anpu_code_lines(dev, pc, lines, sizeof(lines));
		else
			lines[0] = 0;
		if (*lines)
			anpu_text_add(t, " (%#llx is %s)", (unsigned long long)pc, lines);
	}
}

static void add_site(struct anpu_text *t, const struct anpu_task *task)
{
	char where[1000] = "";

	if (task)
		anpu_site_text(&task->site, where, sizeof(where));
	if (*where)
		anpu_text_add(t, "; the task was submitted by %s", where);
}

/* The first failure of a device writes a core file, if the user wants one */
static void add_core(struct anpu_text *t, struct anpu_device *dev, const struct anpu_fault *f)
{
	const char *core = getenv("ANPU_CORE");
	char code[600] = "";

	if (!core || !*core)
		return;
	anpu_code_base(dev, f->pc, code, sizeof(code));
	if (*code)
		anpu_text_add(t, "; look at it: gdb-multiarch -c %s -ex 'add-symbol-file %s'", core, code);
}

void anpu_fault_text(struct anpu_device *dev, const struct anpu_fault *f, const struct anpu_task *task,
		     char *buf, size_t size)
{
	struct anpu_text t = { .buf = buf, .size = size };

	if (f->cause == ANPU_FAULT_KILLED && f->opcode == ANPU_OP_INVALID) {
		add_dropped(&t, f);
		return;
	}
	add_task(&t, dev, f, task);
	anpu_text_add(&t, ": ");
	add_cause(&t, dev, f, task);
	if (f->pc && !add_printf(&t, dev, f))
		add_place(&t, dev, f->pc);
	if (f->cause == ANPU_FAULT_ILLEGAL && f->insn)
		anpu_text_add(&t, ", instruction %08x", f->insn);
	/* of an address the device knows less than is said already */
	if (f->message[0] && !wrong_address(f))
		add_message(&t, dev, f);
	add_site(&t, task);
	if (f->pc)
		add_core(&t, dev, f);
}
