// SPDX-License-Identifier: MIT
/* struct anpu_kernel_launch: what the device takes, and the sentence for each thing it refuses. */
#include <stdio.h>
#include <string.h>

#include "harness.h"

static struct dev *d;
static struct tq *q;
static uint64_t at, out;

static struct anpu_kernel_launch *fresh(void)
{
	struct anpu_kernel_launch *l = hbm_ptr(d, at);

	*l = (struct anpu_kernel_launch){ .size = ANPU_LAUNCH_SIZE, .block_x = 1, .block_y = 1,
					  .block_z = 1 };
	return l;
}

static union anpu_packet launch(uint32_t blocks)
{
	union anpu_packet p = p_kernel(PROGRAM(d, { FAKE_STORE, 0, out }), blocks);

	p.hdr.flags = ANPU_KERNEL_LAUNCH;
	p.kernel.args = at;
	return p;
}

#define REFUSED(change, text) do { \
	struct anpu_kernel_launch *l = fresh(); \
	union anpu_packet p = launch(2); \
	change; \
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, text, "refused: " #change); \
	(void)l; \
} while (0)

static void test_taken(void)
{
	union anpu_packet p = launch(3);
	uint64_t errors = tq_errors(q);

	fresh();
	tq_run(q, &p);
	is(tq_errors(q), errors, "a launch without arguments runs");
	is(load64(hbm_ptr(d, out + 16)), 3, "all of its blocks");
	p.kernel.args_size = 64;
	p.kernel.cluster_x = 1;
	tq_run(q, &p);
	is(tq_errors(q), errors, "with arguments behind the structure, too");
}

static void test_refused(void)
{
	REFUSED(l->size = 64, "size 64");
	REFUSED(l->flags = 1u << 31, "flags 0x80000000, only");
	REFUSED(l->block_y = 0, "has a zero");
	REFUSED((l->block_x = 1024, l->block_y = 2), "more than 1024 threads");
	REFUSED((l->block_x = 1u << 31, l->block_y = 1u << 31, l->block_z = 1u << 31), "more than 1024");
	REFUSED((p.kernel.grid_x = 32, p.kernel.cluster_x = 32), "more than 16 blocks");
	REFUSED((p.kernel.grid_x = 8, p.kernel.cluster_x = 8), "needs 8 AI cores, the kernel has 4");
	REFUSED((p.kernel.cluster_x = 2, p.kernel.max_cores = 1), "needs 2 AI cores, the kernel has 1");
	REFUSED((p.kernel.cluster_x = 2, p.kernel.core_type = ANPU_CORE_MIX, p.kernel.mix_ratio = 1), "MIX");
	REFUSED(l->begun = 4, "not aligned to 8");
	REFUSED(l->triggered_value = 4, "a value without the address");
	REFUSED(l->reserved[8] = 1, "reserved word 8 is 0x1");
	REFUSED(p.kernel.args = ~0ULL - 15, "wrap around");
}

static void test_unreadable(void)
{
	union anpu_packet p = launch(2);

	p.kernel.args = 1ULL << 40;
	tq_fails(q, &p, ANPU_FAULT_UNMAPPED, "", "a structure that cannot be read");
}

static void test_hidden(void)
{
	struct anpu_config c = config_small();
	union anpu_packet p;
	struct dev *old;
	struct tq *other;

	c.hide_caps = ANPU_CAP_LAUNCH;
	old = dev_new(&c);
	other = tq_started(old, 1, 0, 0);
	p = p_kernel(PROGRAM(old, { FAKE_END, 0, 0 }), 1);
	p.hdr.flags = ANPU_KERNEL_LAUNCH;
	p.kernel.args = hbm_alloc(old, 256, 8);
	tq_fails(other, &p, ANPU_FAULT_BAD_PACKET, "flags 0x10", "an older device refuses the flag");
	tq_free(other);
	dev_free(old);
}

int main(void)
{
	d = dev_default();
	q = tq_started(d, 1, 0, 0);
	at = hbm_alloc(d, 4096, 4096);
	out = hbm_alloc(d, 64, 8);
	test_taken();
	test_refused();
	test_unreadable();
	tq_free(q);
	dev_free(d);
	test_hidden();
	return done_testing();
}
