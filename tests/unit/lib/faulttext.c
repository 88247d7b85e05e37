// SPDX-License-Identifier: MIT
/* Sentences about fault records, also of kinds that a test can hardly bring about in a device. */
#include <stdio.h>

#include "diag/diag.h"
#include "tap.h"

/* Inputs of the sentences besides the fault record */
void anpu_symbolise(struct anpu_device *dev, uint64_t va, char *buf, size_t size, bool entry)
{
	(void)dev;
	(void)entry;
	snprintf(buf, size, "%s", va == 0x1000 ? "scale" : "");
}

const char *acl_handle_type(uint64_t number)
{
	(void)number;
	return NULL;
}

void anpu_address_text(struct anpu_device *dev, uint64_t addr, char *buf, size_t size)
{
	(void)dev;
	(void)addr;
	snprintf(buf, size, "WHAT IT IS");
}

void anpu_code_lines(struct anpu_device *dev, uint64_t addr, char *buf, size_t size)
{
	(void)dev;
	snprintf(buf, size, "%s", addr == 0x3000 ? "inner() at s.c:7, inlined into scale() at s.c:20" :
				  addr == 0x3100 ? "scale() at s.c:9" : "");
}

void anpu_code_base(struct anpu_device *dev, uint64_t addr, char *buf, size_t n)
{
	(void)dev;
	snprintf(buf, n, addr == 0x3000 ? "-o 0x2f00 s.o" : "");
}

void anpu_site_text(const struct anpu_site *site, char *buf, size_t size)
{
	snprintf(buf, size, "%s() in main() at p.c:44", site->api);
}

bool anpu_sync_text(struct anpu_device *dev, struct anpu_stream *s, uint64_t addr, uint64_t value, char *buf,
		    size_t size)
{
	(void)dev;
	(void)s;
	(void)value;
	snprintf(buf, size, "event 3, which was never recorded");
	return addr == 0x5000;
}

bool anpu_is_null(uint64_t addr)
{
	return !addr;
}

bool anpu_in_process(uint64_t addr)
{
	(void)addr;
	return false;
}

bool anpu_ended_code(uint64_t addr)
{
	return addr == 0x2000;
}

static const char *text_with(struct anpu_fault fault, const struct anpu_task *task)
{
	static char buf[1024];

	anpu_fault_text(NULL, &fault, task, buf, sizeof(buf));
	tap_note("%s", buf);
	return buf;
}

static const char *text_of(struct anpu_fault fault)
{
	return text_with(fault, NULL);
}

static void places_in_operator_and_program(void)
{
	const struct anpu_task task = { .opcode = ANPU_OP_KERNEL, .site.api = "aclrtLaunchKernel" };
	const char *text = text_with((struct anpu_fault){ .cause = ANPU_FAULT_RACE,
							  .opcode = ANPU_OP_KERNEL,
							  .entry = 0x1000,
							  .pc = 0x3000,
							  .message = "VBIN before DMA_LIN at 0x3100" },
				     &task);

	CHECK(strstr(text, "at pc 0x3000 (inner() at s.c:7, inlined into scale() at s.c:20; "));
	CHECK(strstr(text, "DMA_LIN at 0x3100 (0x3100 is scale() at s.c:9)"));
	CHECK(strstr(text, "submitted by aclrtLaunchKernel() in main() at p.c:44"));
}

static void the_part_of_a_mix_kernel(void)
{
	const struct anpu_task task = { .opcode = ANPU_OP_KERNEL, .core_type = ANPU_CORE_MIX };
	struct anpu_fault f = { .cause = ANPU_FAULT_DEADLOCK, .opcode = ANPU_OP_KERNEL, .block = 3 };

	CHECK(strstr(text_with(f, &task), "in block 3, its cube part, on core 0"));
	f.sub_block = 2;
	CHECK(strstr(text_with(f, &task), "in block 3, its vector part 1, on core 0"));
	f.sub_block = 0;
	CHECK(strstr(text_of(f), "in block 3 on core 0"));
}

static void a_flag_set_too_often_is_no_wait(void)
{
	const char *text = text_of((struct anpu_fault){ .cause = ANPU_FAULT_SYNC,
							.opcode = ANPU_OP_KERNEL,
							.message = "SETFLAG V to MTE3 event 1: set 15 times" });

	CHECK(strstr(text, "SETFLAG") && !strstr(text, "waited for that"));
}

static void dropped_packets_are_no_task(void)
{
	const char *text = text_of((struct anpu_fault){ .cause = ANPU_FAULT_KILLED,
							.block = ANPU_FAULT_NO_BLOCK,
							.addr = 7,
							.message = "7 packets were dropped" });

	CHECK(strstr(text, "7 packets") && strstr(text, "aborted"));
	CHECK(!strstr(text, "task 0"));
	text = text_of((struct anpu_fault){ .cause = ANPU_FAULT_KILLED,
					    .block = ANPU_FAULT_NO_BLOCK });
	CHECK(strstr(text, "waited") && !strstr(text, "task 0"));
}

static void an_access_without_size_has_none(void)
{
	const char *text = text_of((struct anpu_fault){ .cause = ANPU_FAULT_UNMAPPED,
							.opcode = ANPU_OP_COPY_DESC,
							.block = ANPU_FAULT_NO_BLOCK,
							.access = ANPU_ACCESS_READ,
							.task_id = 5,
							.addr = 0x4000 });

	CHECK(strstr(text, "copy (task 5)") && strstr(text, "read at 0x4000, WHAT IT IS"));
	CHECK(!strstr(text, "0 bytes"));
}

static void null_is_no_scratchpad(void)
{
	const char *text = text_of((struct anpu_fault){ .cause = ANPU_FAULT_SCRATCHPAD,
							.opcode = ANPU_OP_KERNEL,
							.entry = 0x1000,
							.access = ANPU_ACCESS_WRITE,
							.size = 4,
							.message = "the device's words" });

	CHECK(strstr(text, "'scale'") && strstr(text, "write of 4 bytes at 0x0, WHAT IT IS"));
	CHECK(!strstr(text, "scratchpad") && !strstr(text, "words"));
}

static void code_that_was_unloaded(void)
{
	const char *text = text_of((struct anpu_fault){ .cause = ANPU_FAULT_FETCH,
							.opcode = ANPU_OP_KERNEL,
							.entry = 0x2000,
							.pc = 0x2000 });

	CHECK(strstr(text, "unloaded") && strstr(text, "aclrtBinaryUnLoad()"));
	CHECK(!strstr(text, "left the operator") && !strstr(text, "'?'"));
}

static void only_an_illegal_instruction_is_told(void)
{
	struct anpu_fault f = { .cause = ANPU_FAULT_ILLEGAL, .opcode = ANPU_OP_KERNEL, .entry = 0x1000, .pc = 0x3000, .insn = 0x7b };

	CHECK(strstr(text_of(f), ", instruction 0000007b"));
	f.insn = 0; /* the device could not read it */
	CHECK(!strstr(text_of(f), ", instruction"));
	f.insn = 0x7b;
	f.cause = ANPU_FAULT_UNMAPPED;
	CHECK(!strstr(text_of(f), ", instruction"));
}

TAP_MAIN(TEST(places_in_operator_and_program),
		TEST(the_part_of_a_mix_kernel),
		TEST(a_flag_set_too_often_is_no_wait),
		TEST(dropped_packets_are_no_task), TEST(an_access_without_size_has_none),
	 TEST(null_is_no_scratchpad), TEST(code_that_was_unloaded),
	 TEST(only_an_illegal_instruction_is_told))
