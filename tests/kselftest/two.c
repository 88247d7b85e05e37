// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Programs at once, each checking its own results. */
#include "anpu_test.h"

static int program(int seed, int rounds)
{
	int fd = anpu_open();
	unsigned char *p;
	struct stream a, b;

	if (fd < 0 || stream_create(fd, 0, 0, &a) || stream_create(fd, 0, 0, &b))
		return 1;
	p = make_buffer(fd, DRM_ANPU_BO_SYSTEM, 2 * MIB, VA(0), RW, NULL);
	if (p == MAP_FAILED ||
	    make_buffer(fd, DRM_ANPU_BO_HBM, 2 * MIB, VA(1), RW, NULL) == MAP_FAILED)
		return 2;
	for (int i = 1; i <= rounds; i++) {
		unsigned char v = seed * 16 + i % 16;
		union anpu_packet first[2] = {
			pkt_fill(VA(1), MIB, v), pkt_signal(VA(1) + MIB, i, 0),
		};
		union anpu_packet second[2] = {
			pkt_wait(VA(1) + MIB, i), pkt_copy(VA(0), VA(1), MIB),
		};
		uint64_t seq;

		if (submit(fd, b.id, second, 2, &seq) || submit(fd, a.id, first, 2, NULL))
			return 3;
		if (wait_seq(fd, b.id, seq))
			return 4;
		if (p[0] != v || p[MIB / 2] != v || p[MIB - 1] != v)
			return 5;
	}
	return a.status->errors || b.status->errors ? 6 : 0;
}

TEST(programs_at_once)
{
	enum { PROGRAMS = 4 };
	pid_t pids[PROGRAMS];
	int status;

	for (int i = 0; i < PROGRAMS; i++) {
		pids[i] = fork();
		if (!pids[i])
			_exit(program(i, 100));
	}
	for (int i = 0; i < PROGRAMS; i++) {
		waitpid(pids[i], &status, 0);
		EXPECT_EQ(0, status);
	}
}

TEST(many_files_of_one_program)
{
	enum { FILES = 100 };
	union anpu_packet nop = pkt_nop();
	int fd[FILES];
	struct stream s;

	for (int i = 0; i < FILES; i++) {
		fd[i] = anpu_open();
		ASSERT_GE(fd[i], 0);
		ASSERT_EQ(0, stream_create(fd[i], 0, 16, &s));
		ASSERT_EQ(0, run(fd[i], s.id, &nop, 1));
	}
	for (int i = 0; i < FILES; i++)
		close(fd[i]);
}

TEST_HARNESS_MAIN
