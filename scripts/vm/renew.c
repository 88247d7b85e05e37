// SPDX-License-Identifier: MIT
/* The time, and random numbers, of a machine that may go on from where another one stopped (booted.py). */
#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "init.h"

static void set_time(const char *text)
{
	long long seconds;
	struct timespec now = { 0 };

	if (sscanf(text, "%lld %ld", &seconds, &now.tv_nsec) != 2)
		fail(125, "bad record for the time: '%s'", text);
	now.tv_sec = seconds;
	if (clock_settime(CLOCK_REALTIME, &now))
		fail(125, "the VM cannot set its clock to %s: %s", text, strerror(errno));
}

static void stir_random_numbers(const char *text)
{
	/* a struct rand_pool_info with its bytes */
	struct {
		int entropy_count, buf_size;
		unsigned char bytes[32];
	} pool = { .entropy_count = 8 * sizeof(pool.bytes), .buf_size = sizeof(pool.bytes) };
	int fd = open("/dev/urandom", O_WRONLY | O_CLOEXEC);

	for (size_t i = 0; i < sizeof(pool.bytes); i++)
		if (sscanf(text + 2 * i, "%2hhx", &pool.bytes[i]) != 1)
			fail(125, "bad record for random numbers: '%s'", text);
	if (fd < 0 || ioctl(fd, RNDADDENTROPY, &pool) || ioctl(fd, RNDRESEEDCRNG))
		fail(125, "the VM cannot add to its random numbers: %s", strerror(errno));
	close(fd);
}

/* Nanoseconds since the boot */
uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

/**
 * renew() - give this machine the host's time and random numbers of its own
 * @cfg: with both
 */
void renew(const struct vm_config *cfg)
{
	if (cfg->time)
		set_time(cfg->time);
	if (cfg->random)
		stir_random_numbers(cfg->random);
}
