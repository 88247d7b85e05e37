// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The driver's diagnosis: tracepoints, and a coredump of a device that is reset. */
#include <sys/stat.h>

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

/* All that a dump says of a failure */
static void fault_lines(char *buf, size_t size, const struct anpu_fault *f)
{
	int n = snprintf(buf, size, "\nfault %llu seq %llu time %llu task %u cause %u opcode %u core_type %u ib_index %u"
			 " entry 0x%llx args 0x%llx args_size %u pc 0x%llx addr 0x%llx access %u size %u"
			 " block %u sub_block %u core %u insn 0x%x message %.*s\nx",
			 f->ordinal, f->seq, f->time_ns, f->task_id, f->cause, f->opcode, f->core_type, f->ib_index,
			 f->entry, f->args, f->args_size, f->pc, f->addr, f->access, f->size, f->block, f->sub_block,
			 f->core, f->insn, (int)sizeof(f->message), f->message);

	for (size_t i = 0; i < sizeof(f->x) / sizeof(f->x[0]); i++)
		n += snprintf(buf + n, size - n, " %llx", f->x[i]);
	snprintf(buf + n, size - n, "\n");
}

TEST_F_TIMEOUT(diag, coredump, 300)
{
	union anpu_packet pkts[4] = { pkt_fill(8, 8, 0), pkt_wait(VA(0), 77), pkt_nop(),
		pkt_copy(VA(0), VA(1), 0x1234) };
	char *text, path[300], line[2048], out[] = "/tmp/anpu-dump-XXXXXX";
	const unsigned long long *q = pkts[1].qword;
	struct anpu_fault fault;
	int fd;

	forget_dumps();
	ASSERT_EQ(0, submit(self->fd, self->s.id, pkts, 4, NULL));
	ASSERT_TRUE(SOON(self->s.status->completed == 1));
	ASSERT_EQ(ANPU_FAULT_UNMAPPED, last_fault(self->fd, self->s.id, &fault));
	ASSERT_EQ(0, reset_device(self->fd));
	find_file("/sys/class/devcoredump/devcd*/data", path, sizeof(path));
	ASSERT_NE(0, path[0]);
	text = read_text(path);
	SAYS(text, "anpu-coredump 1\nreason asked to by a process\n");
	SAYS(text, "[registers]\ncontrol 1\n");
	snprintf(line, sizeof(line), "queue %u asid ", self->s.queue);
	SAYS(text, line);
	SAYS(text, "submitted 4 completed 1 ");
	snprintf(line, sizeof(line), " stream %u pid %d program diag\n", self->s.id, getpid());
	SAYS(text, line);
	fault_lines(line, sizeof(line), &fault);
	SAYS(text, line);
	/* The packets that have not completed, word by word. */
	snprintf(line, sizeof(line), "\npacket 2 %llx %llx %llx %llx %llx %llx %llx %llx\npacket 3 ", q[0], q[1], q[2], q[3],
		 q[4], q[5], q[6], q[7]);
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

/* The line of a debugfs file that has @what in it, which the caller frees; "" if there is none. */
static char *line_with(const char *file, const char *what)
{
	char path[100], *text, *at, *line;

	snprintf(path, sizeof(path), DEVICE_FILES "%s", file);
	text = read_text(path);
	at = strstr(text, what);
	while (at && at > text && at[-1] != '\n')
		at--;
	line = at ? strndup(at, strcspn(at, "\n")) : strdup("");
	free(text);
	return line;
}

/* The column of each number of debugfs' "queues", and who is behind it */
TEST_F(diag, queues_in_debugfs)
{
	union anpu_packet pkts[4] = { pkt_nop(), pkt_fill(8, 8, 0), pkt_wait(VA(0), 77), pkt_nop() };
	struct drm_anpu_stream_set set = { .stream = self->s.id, .flags = DRM_ANPU_STREAM_SET_PRIORITY, .priority = 6 };
	char who[100], rest[200], *line;
	unsigned int queue, asid, priority, state;
	unsigned long long submitted, completed, errors, busy;
	struct stream user;

	ASSERT_EQ(0, submit(self->fd, self->s.id, pkts, 4, NULL));
	ASSERT_TRUE(SOON(self->s.status->state == ANPU_QUEUE_PARKED));
	snprintf(who, sizeof(who), "[%d] stream %u", getpid(), self->s.id);
	line = line_with("queues", who);
	ASSERT_EQ(9, sscanf(line, "%u %u %u %u %llu %llu %llu %llu %199[^\n]", &queue, &asid, &priority, &state,
			    &submitted, &completed, &errors, &busy, rest)) {
		TH_LOG("%s", line);
	}
	EXPECT_EQ(self->s.queue, queue);
	EXPECT_NE(0, asid);
	EXPECT_EQ(4, priority);
	EXPECT_EQ(ANPU_QUEUE_PARKED, state);
	EXPECT_EQ(4, submitted);
	EXPECT_EQ(2, completed);
	EXPECT_EQ(1, errors);
	EXPECT_STREQ(who, strchr(rest, '['));
	free(line);
	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_STREAM_SET, &set));
	line = line_with("queues", who);
	ASSERT_EQ(3, sscanf(line, "%u %u %u", &queue, &asid, &priority));
	EXPECT_EQ(6, priority);
	free(line);
	ASSERT_EQ(0, stream_create(self->fd, DRM_ANPU_STREAM_USER_QUEUE, 0, &user));
	ASSERT_EQ(0, reset_device(self->fd));
	line = line_with("queues", who);
	EXPECT_STREQ(" dead", strstr(line, who) + strlen(who));
	free(line);
	snprintf(who, sizeof(who), "[%d] stream %u", getpid(), user.id);
	line = line_with("queues", who);
	EXPECT_STREQ(" user dead", strstr(line, who) + strlen(who));
	free(line);
	forget_dumps();
}

/* debugfs lists each mapping: its addresses, its rights, and its place in which kind of memory */
TEST_F(diag, address_spaces_in_debugfs)
{
	unsigned long long mapped, top;
	unsigned int asid, tables, before;
	uint32_t system, pinned;
	char who[40], *line;
	void *mine;

	snprintf(who, sizeof(who), "[%d] asid ", getpid());
	line = line_with("address_spaces", who);
	ASSERT_EQ(4, sscanf(strstr(line, who) + strlen(who), "%u: mapped %llu, page tables %u, top at %llx", &asid,
			    &mapped, &before, &top));
	free(line);
	EXPECT_EQ(MIB, mapped);
	EXPECT_NE(0, top);
	mine = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, mine);
	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_SYSTEM, 4 * PAGE, 0, 0, &system));
	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_USERPTR, 2 * PAGE, 0, (uintptr_t)mine, &pinned));
	ASSERT_EQ(0, vm_op(self->fd, DRM_ANPU_VM_MAP, VA(16), 2 * PAGE, system, PAGE, RX));
	ASSERT_EQ(0, vm_op(self->fd, DRM_ANPU_VM_MAP, VA(17), PAGE, pinned, PAGE, DRM_ANPU_VM_READ));
	line = line_with("address_spaces", who);
	ASSERT_EQ(4, sscanf(strstr(line, who) + strlen(who), "%u: mapped %llu, page tables %u, top at %llx", &asid,
			    &mapped, &tables, &top));
	free(line);
	EXPECT_EQ(MIB + 3 * PAGE, mapped);
	/* VA(16) is in another gigabyte than VA(0); VA(17) has a table of leaves of its own. */
	EXPECT_EQ(before + 3, tables);
	line = line_with("address_spaces", " r-x system ");
	EXPECT_STREQ("  000240000000-000240002000 r-x system + 0x1000", line);
	free(line);
	line = line_with("address_spaces", " r-- userptr ");
	EXPECT_STREQ("  000244000000-000244001000 r-- userptr + 0x1000", line);
	free(line);
	line = line_with("address_spaces", " rw- hbm ");
	EXPECT_STREQ("  000200000000-000200100000 rw- hbm + 0x0", line);
	free(line);
}

/* The first line about the HBM says what the query says, and the device's counters count. */
TEST_F(diag, hbm_and_device_in_debugfs)
{
	union anpu_packet pkts[3] = { pkt_copy(VA(0), VA(0) + PAGE, 1000), pkt_fill(8, 8, 0), pkt_nop() };
	long long packets = device_value("packets"), faults = device_value("faults");
	long long bytes = device_value("copy_bytes");
	struct drm_anpu_memory_info info = {};
	unsigned long long total, unused, dirty, left;
	uint32_t bo;
	char *line;

	/* Memory of files that were closed before may go back a moment later. */
	ASSERT_TRUE(SOON(!memory_info(self->fd, &info) && (line = line_with("hbm", "total ")) &&
			 sscanf(line, "total %llu free %llu dirty %llu", &total, &unused, &dirty) == 3 &&
			 info.hbm_total == total && info.hbm_free == unused));
	/* Everything that somebody has counts as dirty, and whole pages. */
	EXPECT_GE(dirty, MIB);
	EXPECT_LE(dirty, total + PAGE);
	EXPECT_EQ(0, dirty % PAGE);
	ASSERT_EQ(0, run(self->fd, self->s.id, pkts, 3));
	EXPECT_GE(device_value("packets"), packets + 3);
	EXPECT_EQ(faults + 1, device_value("faults"));
	EXPECT_EQ(bytes + 1000, device_value("copy_bytes"));
	EXPECT_EQ(1, device_value("control"));
	EXPECT_EQ(device_value("tlb_issued"), device_value("tlb_done"));
	/* The driver clears memory that was given back in the background, and counts it as dirty no more. */
	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_HBM, 8 * MIB, 0, 0, &bo));
	line = line_with("hbm", "total ");
	ASSERT_EQ(3, sscanf(line, "total %llu free %llu dirty %llu", &total, &unused, &dirty));
	ASSERT_EQ(0, bo_close(self->fd, bo));
	EXPECT_TRUE(SOON((line = line_with("hbm", "total ")) &&
			 sscanf(line, "total %llu free %llu dirty %llu", &total, &unused, &left) == 3 &&
			 left + 8 * MIB <= dirty));
}

/* Only root may read these files, and only root may write to those that do something. */
/* The device clears in the background what was freed, and does so once: then nobody waits for it who takes the memory. */
TEST_F(diag, what_is_freed_is_cleared_in_the_background)
{
	uint64_t dirty = hbm_says("dirty "), *p;
	uint32_t bo;

	/* Memory that other processes have freed may still be cleared meanwhile. */
	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_HBM, 16 * MIB, 0, 0, &bo));
	EXPECT_LE(16 * MIB, hbm_says("dirty "));
	p = bo_map(self->fd, bo, 16 * MIB);
	ASSERT_NE(MAP_FAILED, p);
	memset(p, 0x5a, 16 * MIB);
	ASSERT_EQ(0, munmap(p, 16 * MIB));
	ASSERT_EQ(0, bo_close(self->fd, bo));
	EXPECT_TRUE(SOON(hbm_says("dirty ") <= dirty));
}

TEST_F(diag, modes_of_files_in_debugfs)
{
	static const struct {
		const char *name;
		mode_t mode;
	} files[] = {
		{ "queues", 0400 }, { "address_spaces", 0400 }, { "hbm", 0400 }, { "device", 0400 }, { "irq_test", 0200 },
		{ "pm_test", 0200 }, { "calibrate", 0600 },
	};
	char pattern[100], path[300];
	struct stat st;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(pattern, sizeof(pattern), DEVICE_FILES "%s", files[i].name);
		find_file(pattern, path, sizeof(path));
		ASSERT_EQ(0, stat(path, &st)) {
			TH_LOG("no %s", pattern);
		}
		EXPECT_EQ(files[i].mode, st.st_mode & 07777) {
			TH_LOG("%s", path);
		}
	}
}

/* Of many failures the first and the newest are in the dump, of many packets the next ones; of few all are. */
TEST_F_TIMEOUT(diag, what_a_dump_has_no_room_for, 300)
{
	enum { SHOWN = 16 };
	static const struct {
		int failures, left;
	} cases[] = { { ANPU_STATUS_FAULTS + 3, 20 }, { ANPU_STATUS_FAULTS, 3 }, { 1, SHOWN } };
	union anpu_packet bad = pkt_fill(8, 8, 0), wait = pkt_wait(VA(0), 77), nop = pkt_nop();
	char *text, path[300], line[60];

	for (size_t n = 0; n < sizeof(cases) / sizeof(cases[0]); n++) {
		const int failures = cases[n].failures, left = cases[n].left;
		struct stream s;

		forget_dumps();
		ASSERT_EQ(0, stream_create(self->fd, 0, 64, &s));
		for (int i = 0; i < failures; i++)
			ASSERT_EQ(0, submit(self->fd, s.id, &bad, 1, NULL));
		ASSERT_EQ(0, submit(self->fd, s.id, &wait, 1, NULL));
		for (int i = 1; i < left; i++)
			ASSERT_EQ(0, submit(self->fd, s.id, &nop, 1, NULL));
		ASSERT_TRUE(SOON(s.status->completed == failures));
		ASSERT_EQ(0, reset_device(self->fd));
		find_file("/sys/class/devcoredump/devcd*/data", path, sizeof(path));
		ASSERT_NE(0, path[0]);
		text = read_text(path);
		for (int i = 0; i <= failures + 1; i++) {
			bool there = i == 1 || (i > failures + 1 - ANPU_STATUS_FAULTS && i > 0 && i <= failures);

			snprintf(line, sizeof(line), "\nfault %d seq %d time ", i, i);
			EXPECT_EQ(there, !!strstr(text, line)) {
				TH_LOG("failure %d of %d", i, failures);
			}
		}
		for (int i = failures; i <= failures + left + 1; i++) {
			snprintf(line, sizeof(line), "\npacket %d ", i);
			EXPECT_EQ(i > failures && i <= failures + left && i <= failures + SHOWN,
				  !!strstr(text, line)) {
				TH_LOG("packet %d of %d", i, failures + left);
			}
		}
		free(text);
		ASSERT_EQ(0, stream_destroy(self->fd, s.id));
	}
	forget_dumps();
}

/* How many lines of the kernel's log have @what in them; the last of these is kept. */
static int log_lines(int kmsg, const char *what, char *last, size_t size)
{
	char record[2048];
	int count = 0;
	ssize_t n;

	lseek(kmsg, 0, SEEK_DATA);
	while ((n = read(kmsg, record, sizeof(record) - 1)) > 0 || (n < 0 && errno == EPIPE)) {
		record[n > 0 ? n : 0] = '\0';
		if (!strstr(record, what))
			continue;
		count++;
		snprintf(last, size, "%.*s", (int)strcspn(record, "\n"), record);
	}
	return count;
}

/* Packets fail until the log has a line of this stream, as there are only so many lines in five seconds: their number */
static uint64_t fail_until_logged(int fd, const struct stream *s, const union anpu_packet *bad, int kmsg, char *line,
				  size_t size)
{
	uint64_t failures = s->status->errors;
	int64_t end = late();
	char what[80];

	while (now_ns() < end) {
		failures++;
		snprintf(what, sizeof(what), "[%d] stream %u (queue %u): packet %llu ", getpid(), s->id, s->queue,
			 (unsigned long long)failures);
		if (run(fd, s->id, bad, 1))
			return 0;
		for (int i = 0; i < 100; i++) {
			if (log_lines(kmsg, what, line, size))
				return failures;
			usleep(5000);
		}
	}
	return 0;
}

/* Each failure is a line with who, where and why, once; what a program has ended by itself is none. */
TEST_F_TIMEOUT(diag, failures_in_the_log, 150)
{
	union anpu_packet bad = pkt_fill(8, 8, 0), never = pkt_wait(VA(0), 77), broken;
	struct drm_anpu_reset reset = { .scope = DRM_ANPU_RESET_STREAM, .stream = self->s.id };
	int kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char line[1024], want[200], comm[16] = "";
	unsigned long long n;
	struct stream s;
	uint32_t *code;

	ASSERT_GE(kmsg, 0);
	ASSERT_EQ(0, prctl(PR_GET_NAME, comm));
	code = make_buffer(self->fd, DRM_ANPU_BO_HBM, PAGE, VA(8), RX, NULL);
	ASSERT_NE(MAP_FAILED, code);
	code[0] = RV_ILLEGAL;
	broken = pkt_kernel(VA(8), 0, 0, 0);
	bad.hdr.task_id = 77;
	ASSERT_EQ(0, submit(self->fd, self->s.id, &never, 1, NULL));
	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_RESET, &reset));
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &s));
	n = fail_until_logged(self->fd, &s, &bad, kmsg, line, sizeof(line));
	ASSERT_NE(0, n);
	snprintf(want, sizeof(want), "%s[%d] stream %u (queue %u): packet %llu (opcode %u, task 77) failed: address not mapped: ",
		 comm, getpid(), s.id, s.queue, n, ANPU_OP_FILL);
	SAYS(line, want);
	snprintf(want, sizeof(want), "; failure %llu of %llu", n, n);
	EXPECT_STREQ(want, strrchr(line, ';'));
	EXPECT_EQ(NULL, strstr(line, "; block"));
	n = fail_until_logged(self->fd, &s, &broken, kmsg, line, sizeof(line));
	ASSERT_NE(0, n);
	SAYS(line, "failed: illegal instruction: ");
	SAYS(line, "; block 0 at pc 0x220000000; failure ");
	snprintf(want, sizeof(want), "[%d] stream %u (queue %u): packet %llu ", getpid(), s.id, s.queue, n);
	EXPECT_EQ(1, log_lines(kmsg, want, line, sizeof(line)));
	snprintf(want, sizeof(want), "[%d] stream %u (queue %u): ", getpid(), self->s.id, self->s.queue);
	EXPECT_EQ(0, log_lines(kmsg, want, line, sizeof(line)));
	close(kmsg);
}

/* Tools of benchmarks: each interrupt vector, and how long the device takes for a number of bytes */
TEST_F(diag, tools_in_debugfs)
{
	char path[300], *text, *line;
	unsigned int vectors = 0;
	long long ns;

	text = read_text(DEVICE_FILES "device");
	for (line = text; (line = strstr(line, "\nevent_queue ")); line++)
		vectors++;
	free(text);
	ASSERT_NE(0, vectors);
	find_file(DEVICE_FILES "irq_test", path, sizeof(path));
	for (unsigned int i = 0; i < vectors; i++) {
		unsigned long long before = 0, after = 0;
		char number[20], what[40];

		snprintf(what, sizeof(what), "event_queue %u: ", i);
		line = line_with("device", what);
		EXPECT_EQ(1, sscanf(line, "event_queue %*u: events %*u interrupts %llu", &before));
		free(line);
		snprintf(number, sizeof(number), "%u", i);
		EXPECT_EQ(0, write_file(path, number));
		line = line_with("device", what);
		EXPECT_EQ(1, sscanf(line, "event_queue %*u: events %*u interrupts %llu", &after));
		free(line);
		EXPECT_LT(before, after);
	}
	snprintf(path + strlen(path) + 1, 20, "%u", vectors);
	EXPECT_EQ(-EINVAL, write_file(path, path + strlen(path) + 1));
	EXPECT_EQ(-EINVAL, write_file(path, "x"));
	find_file(DEVICE_FILES "calibrate", path, sizeof(path));
	if (write_file(path, "4096") == -EOPNOTSUPP)
		return;
	text = read_text(path);
	ns = atoll(text);
	free(text);
	EXPECT_GT(ns, 0);
	EXPECT_EQ(-EINVAL, write_file(path, "0"));
	EXPECT_EQ(-EINVAL, write_file(path, "0x7fffffffffffffff"));
}

TEST_HARNESS_MAIN
