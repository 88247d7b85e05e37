// SPDX-License-Identifier: MIT
/*
 * The benchmark program of `make bench`, run in the VM.
 *
 * Each figure stands beside its floor, measured in the same run: absolute times say little on an
 * emulated machine, ratios do. Documentation/bench.md explains every name.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <acl/acl.h>
#include <drm/anpu_accel.h>

#include "copies.h"
#include "driver.h"
#include "kernels.h"
#include "objects.h"
#include "runtime.h"
#include "stats.h"

#define MIB (1024UL * 1024)

static void die(const char *what, const char *why)
{
	fprintf(stderr, "bench: %s: %s\n", what, why);
	exit(1);
}

#define ACL(call) do { \
	aclError err_ = (call); \
	if (err_ != ACL_SUCCESS) { \
		const char *msg_ = aclGetRecentErrMsg(); \
		fprintf(stderr, "bench: %s returned %d: %s\n", #call, err_, msg_ ? msg_ : ""); \
		exit(1); \
	} \
} while (0)

static uint64_t *samples(size_t n)
{
	uint64_t *s = malloc(n * sizeof(*s));

	if (!s)
		die("samples", strerror(errno));
	return s;
}

/* Floors ---------------------------------------------------------------------------------------- */

/* The cheapest ioctl that goes through the driver: it asks for the size of a struct. */
static void bench_noop_ioctl(const char *node)
{
	enum { N = 20000 };
	const size_t count = bench_samples(N);
	uint64_t *s = samples(N);
	int fd = open(node, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		die(node, strerror(errno));
	for (size_t i = 0; i < count; i++) {
		struct drm_anpu_dev_query q = { .type = DRM_ANPU_QUERY_INFO };
		uint64_t t = bench_now();

		if (ioctl(fd, DRM_IOCTL_ANPU_DEV_QUERY, &q))
			die("DEV_QUERY", strerror(errno));
		s[i] = bench_now() - t;
	}
	close(fd);
	bench_add("noop_ioctl", BENCH_NS, s, count, 0, NULL);
	free(s);
}

/* A file of the first device in debugfs, where a device is named by its PCI address. */
static int open_debugfs(const char *file, int flags)
{
	char pattern[64];
	glob_t found;
	int fd;

	snprintf(pattern, sizeof(pattern), "/sys/kernel/debug/accel/*/%s", file);
	if (glob(pattern, 0, NULL, &found))
		die(pattern, "no such file: is debugfs mounted, and is this root?");
	fd = open(found.gl_pathv[0], flags | O_CLOEXEC);
	if (fd < 0)
		die(found.gl_pathv[0], strerror(errno));
	globfree(&found);
	return fd;
}

/* A register write that raises the interrupt from inside the access, until its sleeper is awake. */
static void bench_doorbell_irq(void)
{
	enum { N = 5000 };
	const size_t count = bench_samples(N);
	uint64_t *s = samples(N);
	int fd = open_debugfs("irq_test", O_WRONLY);

	for (size_t i = 0; i < count; i++) {
		uint64_t t = bench_now();

		if (pwrite(fd, "0", 1, 0) != 1)
			die("irq_test", strerror(errno));
		s[i] = bench_now() - t;
	}
	close(fd);
	bench_add("doorbell_irq", BENCH_NS, s, count, 0, NULL);
	free(s);
}

/* One memcpy in the QEMU process; an open file of this kind can be used once. */
static uint64_t calibrate(size_t bytes)
{
	char text[32];
	ssize_t len;
	int fd;

	snprintf(text, sizeof(text), "%zu", bytes);
	fd = open_debugfs("calibrate", O_WRONLY);
	if (write(fd, text, strlen(text)) < 0)
		die("calibrate", strerror(errno));
	close(fd);
	fd = open_debugfs("calibrate", O_RDONLY);
	len = read(fd, text, sizeof(text) - 1);
	if (len <= 0)
		die("calibrate", strerror(errno));
	close(fd);
	text[len] = 0;
	return strtoull(text, NULL, 10);
}

/* Plain memcpy in the QEMU process, timed by the device itself. */
static void bench_host_memcpy(void)
{
	enum { N = 11 };
	const size_t count = bench_samples(N);
	uint64_t *s = samples(N);

	for (size_t i = 0; i < count; i++)
		s[i] = calibrate(64 * MIB);
	bench_add("host_memcpy", BENCH_MBPS, s, count, 64 * MIB, NULL);
	free(s);
}

static void bench_guest_memcpy(void)
{
	enum { N = 11 };
	const size_t count = bench_samples(N);
	uint64_t *s = samples(N);
	char *a = malloc(64 * MIB), *b = malloc(64 * MIB);

	if (!a || !b)
		die("guest_memcpy", strerror(errno));
	memset(a, 1, 64 * MIB);
	memset(b, 2, 64 * MIB);
	for (size_t i = 0; i < count; i++) {
		uint64_t t = bench_now();

		memcpy(b, a, 64 * MIB);
		/* Keeps the compiler from dropping the copy. */
		__asm__ volatile("" : : "r"(b) : "memory");
		s[i] = bench_now() - t;
	}
	free(a);
	free(b);
	bench_add("guest_memcpy", BENCH_MBPS, s, count, 64 * MIB, NULL);
	free(s);
}

static void usage(void)
{
	fprintf(stderr, "usage: bench [--quick] [--objects[=KIND]] [--json FILE] [--node /dev/accel/accelN] [--operators DIR]\n");
	exit(2);
}

static int objects_alone(const char *operators, bool quick, const char *kind, const char *json)
{
	ACL(aclInit(NULL));
	ACL(aclrtSetDevice(0));
	bench_objects(operators, quick, kind);
	ACL(aclFinalize());
	return bench_report(json) ? 1 : 0;
}

int main(int argc, char **argv)
{
	const char *json = NULL, *node = "/dev/accel/accel0", *operators = "build/operators";
	const char *kind = NULL;
	static const struct bench_floors floors = {
		.call = "noop_ioctl", .submit = "submit_one", .sync = "doorbell_irq",
		.driver_sync = "driver_launch_sync", .round_trip = "noop_doorbell_irq",
		.launches = "launch_100",
	};
	bool quick = false, only_objects = false;
	aclrtStream stream;

	for (int i = 1; i < argc; i++) {
		bool more = i + 1 < argc;

		if (!strcmp(argv[i], "--json") && more)
			json = argv[++i];
		else if (!strcmp(argv[i], "--node") && more)
			node = argv[++i];
		else if (!strcmp(argv[i], "--operators") && more)
			operators = argv[++i];
		else if (!strcmp(argv[i], "--quick"))
			bench_be_quick(quick = true);
		else if (!strcmp(argv[i], "--objects"))
			only_objects = true;
		else if (!strncmp(argv[i], "--objects=", strlen("--objects=")))
			kind = argv[i] + strlen("--objects=");
		else
			usage();
	}
	if (only_objects || kind)
		return objects_alone(operators, quick, kind, json);

	bench_noop_ioctl(node);
	bench_doorbell_irq();
	bench_host_memcpy();
	bench_guest_memcpy();
	bench_driver(node, open_debugfs("irq_test", O_WRONLY));

	ACL(aclInit(NULL));
	ACL(aclrtSetDevice(0));
	ACL(aclrtCreateStream(&stream));
	bench_runtime(operators, &floors);
	bench_copies("noop_ioctl", "host_memcpy", "host_memcpy");
	bench_prefix("vm_");
	bench_kernels(stream, operators);
	bench_prefix("");
	bench_objects(operators, quick, NULL);
	ACL(aclrtDestroyStream(stream));
	ACL(aclrtResetDevice(0));
	ACL(aclFinalize());
	return bench_report(json) ? 1 : 0;
}
