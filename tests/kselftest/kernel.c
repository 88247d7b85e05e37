// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* KERNEL packets with hand-assembled operators: results and faults as the driver reports them. */
#include "anpu_test.h"

#define CODE	VA(10)
#define DATA	VA(11)

FIXTURE(kernel) {
	int fd;
	struct stream s;
	uint32_t code_bo;
	uint32_t *code;
	uint64_t *data;
};

BOTH_WAYS(kernel);

FIXTURE_SETUP(kernel)
{
	stream_mode = variant->mode;
	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &self->s));
	self->code = make_buffer(self->fd, DRM_ANPU_BO_HBM, PAGE, CODE, RX, &self->code_bo);
	ASSERT_NE(MAP_FAILED, self->code);
	self->data = make_buffer(self->fd, DRM_ANPU_BO_SYSTEM, PAGE, DATA, RW, NULL);
	ASSERT_NE(MAP_FAILED, self->data);
}

FIXTURE_TEARDOWN(kernel)
{
	close(self->fd);
}

/* Runs code (which must end) as one block, with the data buffer as argument block. */
#define RUN_CODE(timeout_us, ...) ({ \
	const uint32_t code_[] = { __VA_ARGS__ }; \
	union anpu_packet pkt_ = pkt_kernel(CODE, DATA, 64, timeout_us); \
	memcpy(self->code, code_, sizeof(code_)); \
	pkt_.hdr.flags = ANPU_KERNEL_CODE_SYNC; \
	ASSERT_EQ(0, run(self->fd, self->s.id, &pkt_, 1)); \
})

TEST_F(kernel, writes_its_result)
{
	self->data[0] = 40;
	RUN_CODE(0, RV_LD(R_A1, 0, R_A0), RV_ADDI(R_A1, R_A1, 2), RV_SD(R_A1, 8, R_A0), RV_RET);
	EXPECT_EQ(0, self->s.status->errors);
	EXPECT_EQ(1, self->s.status->kernels);
	EXPECT_EQ(42, self->data[1]);
}

TEST_F(kernel, no_arguments)
{
	union anpu_packet pkt = pkt_kernel(CODE, 0, 0, 0);

	self->code[0] = RV_RET;
	ASSERT_EQ(0, run(self->fd, self->s.id, &pkt, 1));
	EXPECT_EQ(0, self->s.status->errors);
}

TEST_F(kernel, illegal_instruction)
{
	struct anpu_fault fault;

	RUN_CODE(0, RV_LI(R_A1, 5), RV_ILLEGAL, RV_RET);
	EXPECT_EQ(ANPU_FAULT_ILLEGAL, last_fault(self->fd, self->s.id, &fault));
	EXPECT_EQ(CODE + 4, fault.pc);
	EXPECT_EQ(CODE, fault.entry);
	EXPECT_EQ(0, fault.block);
	EXPECT_EQ(5, fault.x[R_A1]);
	EXPECT_EQ(ANPU_OP_KERNEL, fault.opcode);
	/* The stream goes on. */
	RUN_CODE(0, RV_RET);
	EXPECT_EQ(1, self->s.status->errors);
}

TEST_F(kernel, breakpoint)
{
	struct anpu_fault fault;

	RUN_CODE(0, RV_EBREAK);
	EXPECT_EQ(ANPU_FAULT_BREAKPOINT, last_fault(self->fd, self->s.id, &fault));
	EXPECT_EQ(CODE, fault.pc);
}

TEST_F(kernel, load_from_unmapped_memory)
{
	struct anpu_fault fault;

	self->data[0] = VA(60) + 24;
	RUN_CODE(0, RV_LD(R_A1, 0, R_A0), RV_LD(R_A2, 0, R_A1), RV_RET);
	EXPECT_EQ(ANPU_FAULT_UNMAPPED, last_fault(self->fd, self->s.id, &fault));
	EXPECT_EQ(VA(60) + 24, fault.addr);
	EXPECT_EQ(CODE + 4, fault.pc);
	EXPECT_EQ(ANPU_ACCESS_READ, fault.access);
	EXPECT_EQ(8, fault.size);
}

TEST_F(kernel, store_to_its_own_code)
{
	struct anpu_fault fault;

	self->data[0] = CODE;
	RUN_CODE(0, RV_LD(R_A1, 0, R_A0), RV_SD(R_ZERO, 0, R_A1), RV_RET);
	EXPECT_EQ(ANPU_FAULT_PERMISSION, last_fault(self->fd, self->s.id, &fault));
	EXPECT_EQ(CODE, fault.addr);
	EXPECT_EQ(ANPU_ACCESS_WRITE, fault.access);
}

TEST_F(kernel, entry_that_cannot_be_executed)
{
	union anpu_packet data = pkt_kernel(DATA, 0, 0, 0), nowhere = pkt_kernel(VA(70), 0, 0, 0);
	struct anpu_fault fault;

	self->data[0] = RV_RET;
	ASSERT_EQ(0, run(self->fd, self->s.id, &data, 1));
	EXPECT_EQ(ANPU_FAULT_FETCH, last_fault(self->fd, self->s.id, &fault));
	ASSERT_EQ(0, run(self->fd, self->s.id, &nowhere, 1));
	EXPECT_EQ(ANPU_FAULT_FETCH, last_fault(self->fd, self->s.id, &fault));
	EXPECT_EQ(VA(70), fault.pc);
}

TEST_F(kernel, runs_off_the_end_of_its_text)
{
	struct anpu_fault fault;
	union anpu_packet pkt = pkt_kernel(CODE + PAGE - 4, 0, 0, 0);

	self->code[PAGE / 4 - 1] = RV_LI(R_A1, 1);
	ASSERT_EQ(0, run(self->fd, self->s.id, &pkt, 1));
	EXPECT_EQ(ANPU_FAULT_FETCH, last_fault(self->fd, self->s.id, &fault));
	EXPECT_EQ(CODE + PAGE, fault.pc);
}

TEST_F(kernel, never_ends)
{
	union anpu_packet stamp = { .timestamp = { .hdr.opcode = ANPU_OP_TIMESTAMP, .addr = DATA } };
	struct anpu_fault fault;

	ASSERT_EQ(0, run(self->fd, self->s.id, &stamp, 1));
	RUN_CODE(200000, RV_LOOP);
	EXPECT_EQ(ANPU_FAULT_TIMEOUT, last_fault(self->fd, self->s.id, &fault));
	/* By the device's own clock, and never before. */
	EXPECT_LE(self->data[0] + 200000000, fault.time_ns);
	EXPECT_EQ(CODE, fault.entry);
	EXPECT_EQ(CODE, fault.pc);
	EXPECT_EQ(0, fault.block);
	RUN_CODE(0, RV_RET);
	EXPECT_EQ(1, self->s.status->errors);
}

TEST_F(kernel, endless_one_does_not_block_others)
{
	union anpu_packet loop = pkt_kernel(CODE, 0, 0, ANPU_TIMEOUT_NEVER);
	union anpu_packet fill = pkt_fill(DATA, 8, 0x11);
	struct stream other;

	self->code[0] = RV_LOOP;
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &other));
	ASSERT_EQ(0, submit(self->fd, self->s.id, &loop, 1, NULL));
	EXPECT_EQ(0, run(self->fd, other.id, &fill, 1));
	EXPECT_EQ(0x1111111111111111, self->data[0]);
	EXPECT_EQ(-ETIME, wait_seq_until(self->fd, self->s.id, 1, now_ns() + 20000000));
	/* It ends although the operator never would. */
	EXPECT_EQ(0, stream_destroy(self->fd, self->s.id));
}

TEST_F(kernel, unmapped_while_it_runs)
{
	/* Loops over a load until the page goes away under it. */
	const uint32_t code[] = {
		RV_LD(R_A1, 0, R_A0),
		RV_LD(R_A2, 0, R_A1),
		0xffdff06f,	/* j .-4 */
	};
	union anpu_packet pkt = pkt_kernel(CODE, DATA, 8, ANPU_TIMEOUT_NEVER);
	struct anpu_fault fault;

	ASSERT_NE(MAP_FAILED, make_buffer(self->fd, DRM_ANPU_BO_HBM, PAGE, VA(20), RW, NULL));
	self->data[0] = VA(20);
	memcpy(self->code, code, sizeof(code));
	ASSERT_EQ(0, submit(self->fd, self->s.id, &pkt, 1, NULL));
	EXPECT_EQ(-ETIME, wait_seq_until(self->fd, self->s.id, 1, now_ns() + 30000000));
	ASSERT_EQ(0, vm_unmap(self->fd, VA(20), PAGE));
	ASSERT_EQ(0, wait_seq(self->fd, self->s.id, 1));
	EXPECT_EQ(ANPU_FAULT_UNMAPPED, last_fault(self->fd, self->s.id, &fault));
	EXPECT_EQ(VA(20), fault.addr);
}

TEST_HARNESS_MAIN
