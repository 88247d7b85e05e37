// SPDX-License-Identifier: GPL-2.0-only OR MIT
#define ANPU_TEST_PART
#include "anpu_test.h"
#include "bystander.h"

/* So often a wait for a packet is told; a busy machine is no failure, and a hang ends with the suite's time. */
#define TELL_AFTER	SECONDS(60)
#define SIZE		(2 * MIB)

static uint64_t pattern(uint64_t i)
{
	return (i + 77) * 0x9e3779b97f4a7c15ULL;
}

int bystander_stream(struct bystander *b)
{
	struct stream s;
	int ret;

	/* Queues and HBM may all be in use for a moment, the device away. */
	do {
		ret = stream_create(b->fd, 0, 64, &s);
		if (ret)
			usleep(1000);
	} while (ret == -ENOSPC || ret == -EBUSY);
	if (b->status)
		munmap((void *)b->status, PAGE);
	b->stream = s.id;
	b->status = s.status;
	return ret;
}

int bystander_init(struct bystander *b)
{
	static const uint32_t code[] = {
		RV_LD(R_A1, 0, R_A0), RV_ADDI(R_A1, R_A1, 2), RV_SD(R_A1, 8, R_A0), RV_RET,
	};
	void *text;

	memset(b, 0, sizeof(*b));
	b->fd = anpu_open();
	b->hbm = make_buffer(b->fd, DRM_ANPU_BO_HBM, SIZE, VA(0), RW, NULL);
	b->sys = make_buffer(b->fd, DRM_ANPU_BO_SYSTEM, SIZE, VA(1), RW, NULL);
	b->work = make_buffer(b->fd, DRM_ANPU_BO_HBM, PAGE, VA(2), RW, NULL);
	text = make_buffer(b->fd, DRM_ANPU_BO_HBM, PAGE, VA(10), RX, NULL);
	if (b->hbm == MAP_FAILED || b->sys == MAP_FAILED || b->work == MAP_FAILED ||
	    text == MAP_FAILED)
		return -ENOMEM;
	memcpy(text, code, sizeof(code));
	for (uint64_t i = 0; i < SIZE / 8; i++)
		b->hbm[i] = b->sys[i] = pattern(i);
	return bystander_stream(b);
}

static int await(struct bystander *b, uint64_t round, uint64_t seq)
{
	int ret;

	while ((ret = wait_seq_until(b->fd, b->stream, seq, now_ns() + TELL_AFTER)) == -ETIME)
		fprintf(stderr,
			"# bystander: round %lu still waits for packet %lu: completed %llu, started %llu, state %u\n",
			round, seq, b->status->completed, b->status->started, b->status->state);
	return ret;
}

int bystander_work(struct bystander *b, uint64_t n)
{
	union anpu_packet pkts[3] = { pkt_kernel(VA(10), VA(2), 64, ANPU_TIMEOUT_NEVER),
		pkt_copy(VA(2) + 64, VA(1) + n % 1000 * 64, 64), pkt_fill(VA(2) + 128, 64, n) };
	uint64_t seq;
	int ret;

	b->work[0] = n;
	ret = submit(b->fd, b->stream, pkts, 3, &seq);
	if (!ret)
		ret = await(b, n, seq);
	if (ret)
		return ret;
	if (b->work[1] == n + 2 && b->work[8] == pattern(n % 1000 * 8) &&
	    (b->work[16] & 0xff) == (n & 0xff) && !b->status->errors)
		return 0;
	fprintf(stderr,
		"# bystander: round %lu: the kernel stored %#lx of %#lx to %#lx, the copy %#lx of %#lx, the fill %#lx; packet %lu, completed %llu, started %llu, errors %llu, state %u\n",
		n, b->work[1], n + 2, b->work[0], b->work[8], pattern(n % 1000 * 8), b->work[16],
		seq, b->status->completed, b->status->started, b->status->errors,
		b->status->state);
	return 1;
}

uint64_t bystander_damage(const struct bystander *b)
{
	uint64_t bad = 0;

	for (uint64_t i = 0; i < SIZE / 8; i++)
		bad += (b->hbm[i] != pattern(i)) + (b->sys[i] != pattern(i));
	return bad;
}

int bystander_try(void)
{
	int ret, status = -1;
	pid_t pid = fork();

	if (!pid) {
		struct bystander b;

		ret = bystander_init(&b);
		for (uint64_t n = 1; !ret && n < 100; n++)
			ret = bystander_work(&b, n);
		_exit(ret || bystander_damage(&b) ? 1 : 0);
	}
	waitpid(pid, &status, 0);
	return status;
}
