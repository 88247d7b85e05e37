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

void anpu_address_text(struct anpu_device *dev, uint64_t addr, char *buf, size_t size)
{
	(void)dev;
	(void)addr;
	snprintf(buf, size, "WHAT IT IS");
}

bool anpu_is_null(uint64_t addr)
{
	return !addr;
}

bool anpu_ended_code(uint64_t addr)
{
	return addr == 0x2000;
}

static const char *text_of(struct anpu_fault fault)
{
	static char buf[512];

	anpu_fault_text(NULL, &fault, buf, sizeof(buf));
	tap_note("%s", buf);
	return buf;
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

TAP_MAIN(TEST(dropped_packets_are_no_task), TEST(an_access_without_size_has_none),
	 TEST(null_is_no_scratchpad), TEST(code_that_was_unloaded))
