// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The driver's diagnosis: tracepoints, and a coredump of a device that is reset. */
#include "faulty.h"
#include "tracing.h"

FIXTURE(diag) {
	int fd;
	struct stream s;
	uint32_t bo;
};

FIXTURE_SETUP(diag)
{
	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &self->s));
	ASSERT_NE(MAP_FAILED, make_buffer(self->fd, DRM_ANPU_BO_HBM, MIB, VA(0), RW, &self->bo));
}

FIXTURE_TEARDOWN(diag)
{
	close(self->fd);
}

#define SAYS(text, what) \
	EXPECT_NE(NULL, strstr(text, what)) { \
		TH_LOG("no '%s' in:\n%.3000s", what, text); \
	}

TEST_F(diag, tracepoints)
{
	union anpu_packet pkts[2] = { pkt_fill(8, 8, 0), pkt_wait_us(VA(0), 1, 500000) };
	char *text, line[100];

	ASSERT_EQ(0, tracing_begin());
	ASSERT_EQ(0, write_file(TRACING "/events/anpu/enable", "1"));
	ASSERT_EQ(0, run(self->fd, self->s.id, pkts, 2));
	ASSERT_EQ(0, vm_map(self->fd, VA(2), MIB, self->bo, RW));
	ASSERT_EQ(0, vm_unmap(self->fd, VA(2), MIB));
	ASSERT_EQ(0, reset_device(self->fd));
	ASSERT_EQ(0, write_file(TRACING "/events/anpu/enable", "0"));
	text = read_text(TRACING "/trace");
	snprintf(line, sizeof(line), "queue=%u stream=%u seq=2 doorbell=", self->s.queue, self->s.id);
	SAYS(text, line);
	snprintf(line, sizeof(line), "queue=%u stream=%u type=fault seq=1 code=%u", self->s.queue,
		 self->s.id, ANPU_FAULT_UNMAPPED);
	SAYS(text, line);
	snprintf(line, sizeof(line), "queue=%u stream=%u type=completed seq=2", self->s.queue,
		 self->s.id);
	SAYS(text, line);
	snprintf(line, sizeof(line), "op=map va=%#llx size=0x100000 flags=0x3",
		 (unsigned long long)VA(2));
	SAYS(text, line);
	snprintf(line, sizeof(line), "op=unmap va=%#llx size=0x100000", (unsigned long long)VA(2));
	SAYS(text, line);
	SAYS(text, "why=\"asked to by a process\"");
	free(text);
}

TEST_F_TIMEOUT(diag, coredump, 300)
{
	union anpu_packet pkts[4] = { pkt_fill(8, 8, 0), pkt_wait(VA(0), 77), pkt_nop(),
		pkt_copy(VA(0), VA(1), 0x1234) };
	char *text, path[300], line[200], out[] = "/tmp/anpu-dump-XXXXXX";
	int fd;

	forget_dumps();
	ASSERT_EQ(0, submit(self->fd, self->s.id, pkts, 4, NULL));
	ASSERT_TRUE(SOON(self->s.status->completed == 1));
	ASSERT_EQ(0, reset_device(self->fd));
	find_file("/sys/class/devcoredump/devcd*/data", path, sizeof(path));
	ASSERT_NE(0, path[0]);
	text = read_text(path);
	SAYS(text, "anpu-coredump 1\nreason asked to by a process\n");
	SAYS(text, "[registers]\ncontrol 1\n");
	snprintf(line, sizeof(line), "queue %u asid ", self->s.queue);
	SAYS(text, line);
	SAYS(text, "submitted 4 completed 1 ");
	SAYS(text, "fault 1 seq 1 ");
	/* The packets that have not completed, word by word. */
	snprintf(line, sizeof(line), "packet 2 %llx %llx 4d ", (unsigned long long)pkts[1].qword[0],
		 (unsigned long long)VA(0));
	SAYS(text, line);
	SAYS(text, "packet 4 ");
	SAYS(text, " rw- hbm + 0");
	EXPECT_STREQ("\n[end]\n", text + strlen(text) - 7);

	fd = mkstemp(out);
	ASSERT_GE(fd, 0);
	ASSERT_EQ((ssize_t)strlen(text), write(fd, text, strlen(text)));
	close(fd);
	free(text);
	if (!access("scripts/anpu-coredump", X_OK)) {
		FILE *f;

		snprintf(line, sizeof(line), "scripts/anpu-coredump %s", out);
		f = popen(line, "r");
		ASSERT_NE(NULL, f);
		text = calloc(1, 1 << 20);
		ASSERT_GT(fread(text, 1, (1 << 20) - 1, f), 0);
		EXPECT_EQ(0, pclose(f));
		SAYS(text, "1 completed, 3 left, 1 failed");
		SAYS(text, "failure 1: packet 1 (FILL, task 0): UNMAPPED: ");
		SAYS(text, "packet 2: SEM_WAIT addr 0x200000000, value 0x4d");
		SAYS(text, "packet 4: COPY src");
		free(text);
		/* Every prefix is tried where no processor is emulated, by tests/kselftest/check. */
		snprintf(line, sizeof(line),
			 "ANPU_SLOW=20 tests/kselftest/coredump.py scripts/anpu-coredump %s >&2 && cp %s build/tests/kselftest/coredump",
			 out, out);
		EXPECT_EQ(0, system(line));
	}
	unlink(out);
	forget_dumps();
}

/* A program's name is no line of the dump, or of the log. */
TEST_F(diag, names_are_no_lines)
{
	char *text, path[300];
	struct stream s;
	int fd;

	forget_dumps();
	ASSERT_EQ(0, prctl(PR_SET_NAME, "a\n[end]\033\n"));
	fd = anpu_open();
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, stream_create(fd, 0, 0, &s));
	ASSERT_EQ(0, reset_device(fd));
	find_file("/sys/class/devcoredump/devcd*/data", path, sizeof(path));
	ASSERT_NE(0, path[0]);
	text = read_text(path);
	SAYS(text, "program a?[end]??\n");
	SAYS(text, "\na?[end]??[");
	free(text);
	close(fd);
	forget_dumps();
}

/* However many mappings somebody has: others wait for the reset that the dump is made in. */
TEST_F(diag, a_dump_has_its_limits)
{
	enum { MAPPINGS = 8192, AT_ONCE = 2048 };
	static struct drm_anpu_vm_bind_op ops[AT_ONCE];
	char *text, path[300], *at;
	unsigned int lines = 0;

	forget_dumps();
	for (uint32_t n = 0; n < MAPPINGS; n += AT_ONCE) {
		for (uint32_t i = 0; i < AT_ONCE; i++)
			ops[i] = (struct drm_anpu_vm_bind_op) {
				.op = DRM_ANPU_VM_MAP, .flags = RW, .size = PAGE, .handle = self->bo,
				.va = VA(4) + 2 * PAGE * (n + i),
			};
		ASSERT_EQ(0, vm_bind(self->fd, ops, AT_ONCE, NULL));
	}
	ASSERT_EQ(0, reset_device(self->fd));
	find_file("/sys/class/devcoredump/devcd*/data", path, sizeof(path));
	ASSERT_NE(0, path[0]);
	text = read_text(path);
	for (at = text; (at = strstr(at, " rw- hbm + ")); at++)
		lines++;
	EXPECT_EQ(4096, lines);
	SAYS(text, "\n  and more\n");
	SAYS(text, "\n[end]\n");
	free(text);
	forget_dumps();
}

/* One fails, and as many as there are halt with it; that is too much work for one interrupt. */
TEST_F(diag, a_big_group_is_halted_bit_by_bit)
{
	const uint32_t stop = DRM_ANPU_STREAM_STOP_ON_FAILURE;
	union anpu_packet bad = pkt_fill(8, 8, 0), nop = pkt_nop();
	enum { GROUP = 200 };
	struct stream failed, s[GROUP];
	char *text, *event, line[100];

	ASSERT_EQ(0, stream_create_group(self->fd, stop, 16, 1, &failed));
	for (int i = 0; i < GROUP; i++)
		ASSERT_EQ(0, stream_create_group(self->fd, stop, 16, 1, &s[i]));
	ASSERT_EQ(0, tracing_begin());
	/* IRQ_WAKE_THREAD */
	ASSERT_EQ(0, write_file(TRACING "/events/irq/irq_handler_exit/filter", "ret == 2"));
	ASSERT_EQ(0, write_file(TRACING "/events/irq/irq_handler_exit/enable", "1"));
	ASSERT_EQ(0, write_file(TRACING "/events/anpu/anpu_event/enable", "1"));
	ASSERT_EQ(0, submit(self->fd, failed.id, &bad, 1, NULL));
	for (int i = 0; i < GROUP; i++) {
		ASSERT_TRUE(SOON(s[i].status->state == ANPU_QUEUE_HALTED)) {
			TH_LOG("stream %d", i);
		}
	}
	/* Its event, the first of all, is over when they have been told: not in one go. */
	snprintf(line, sizeof(line), "queue=%u stream=%u type=fault", failed.queue, failed.id);
	ASSERT_TRUE(SOON(strstr(text = read_text(TRACING "/trace"), line)));
	event = strstr(text, line);
	*event = '\0';
	SAYS(text, "irq_handler_exit");
	ASSERT_EQ(0, write_file(TRACING "/events/anpu/anpu_event/enable", "0"));
	ASSERT_EQ(0, write_file(TRACING "/events/irq/irq_handler_exit/enable", "0"));
	ASSERT_EQ(0, write_file(TRACING "/events/irq/irq_handler_exit/filter", "0"));
	EXPECT_EQ(0, run(self->fd, self->s.id, &nop, 1));
}

TEST_HARNESS_MAIN
