// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* How busy the AI cores are: DEV_QUERY, fdinfo and sysfs say the same. Nobody else uses the device here. */
#include <glob.h>
#include <inttypes.h>

#include "anpu_test.h"
#include "fdinfo.h"

#define CODE	VA(10)
#define DATA	VA(11)

struct user {
	int fd;
	struct stream s;
	uint64_t *data;
};

FIXTURE(busy) {
	struct user a, b;
};

BOTH_WAYS(busy);

/*
 * A file with a stream, and code that says in the first word of its arguments that it has begun, and never ends. Behind it
 * stands code that goes round as often as the first word of its arguments says.
 */
#define TURNS		(CODE + 64)

static int open_user(struct user *u)
{
	const uint32_t code[] = { RV_LI(R_A1, 1), RV_SD(R_A1, 0, R_A0), RV_LOOP };
	const uint32_t turns[] = { RV_LD(R_A1, 0, R_A0), RV_ADDI(R_A1, R_A1, -1), RV_BNEZ_BACK(R_A1, -4), RV_RET };
	uint8_t *at;

	u->fd = anpu_open();
	if (u->fd < 0)
		return -errno;
	at = make_buffer(u->fd, DRM_ANPU_BO_HBM, PAGE, CODE, RX, NULL);
	u->data = make_buffer(u->fd, DRM_ANPU_BO_SYSTEM, PAGE, DATA, RW, NULL);
	if ((void *)at == MAP_FAILED || (void *)u->data == MAP_FAILED)
		return -ENOMEM;
	memcpy(at, code, sizeof(code));
	memcpy(at + TURNS - CODE, turns, sizeof(turns));
	return stream_create(u->fd, 0, 0, &u->s);
}

FIXTURE_SETUP(busy)
{
	stream_mode = variant->mode;
	ASSERT_EQ(0, open_user(&self->a));
	ASSERT_EQ(0, open_user(&self->b));
}

FIXTURE_TEARDOWN(busy)
{
	close(self->a.fd);
	close(self->b.fd);
}

static int query(int fd, uint32_t type, void *info, uint32_t size)
{
	struct drm_anpu_dev_query args = { .type = type, .size = size, .pointer = (uintptr_t)info };

	return do_ioctl(fd, DRM_IOCTL_ANPU_DEV_QUERY, &args);
}

static int busy(int fd, struct drm_anpu_busy_info *info)
{
	return query(fd, DRM_ANPU_QUERY_BUSY, info, sizeof(*info));
}

static int begin(struct user *u, uint32_t core_type, uint32_t blocks, uint64_t *seq)
{
	union anpu_packet loop = pkt_kernel(CODE, DATA, 64, ANPU_TIMEOUT_NEVER);
	int ret;

	loop.kernel.core_type = core_type;
	loop.kernel.grid_x = blocks;
	u->data[0] = 0;
	ret = submit(u->fd, u->s.id, &loop, 1, seq);
	while (!ret && !*(volatile uint64_t *)u->data)
		usleep(100);
	return ret;
}

static int end(struct user *u, uint64_t seq)
{
	struct drm_anpu_reset args = { .scope = DRM_ANPU_END_TASK, .stream = u->s.id, .seq = seq };

	return do_ioctl(u->fd, DRM_IOCTL_ANPU_RESET, &args) ?: wait_seq(u->fd, u->s.id, seq);
}

static uint64_t cube(const struct user *u)
{
	return fdinfo_number(u->fd, "\ndrm-engine-cube:\t");
}

static uint64_t vector(const struct user *u)
{
	return fdinfo_number(u->fd, "\ndrm-engine-vector:\t");
}

/* A block has its AI core all the time between two queries. */
TEST_F(busy, a_block_that_runs)
{
	struct drm_anpu_busy_info a, b, c, d;
	uint64_t seq;

	ASSERT_EQ(0, busy(self->a.fd, &a));
	ASSERT_EQ(0, begin(&self->a, ANPU_CORE_AIV, 1, &seq));
	ASSERT_EQ(0, busy(self->a.fd, &b));
	usleep(1000);
	ASSERT_EQ(0, busy(self->a.fd, &c));
	EXPECT_LT(a.vector_ns, b.vector_ns);
	EXPECT_LT(b.device_ns, c.device_ns);
	EXPECT_EQ(c.device_ns - b.device_ns, c.vector_ns - b.vector_ns);
	EXPECT_EQ(a.cube_ns, c.cube_ns);
	ASSERT_EQ(0, end(&self->a, seq));
	ASSERT_EQ(0, busy(self->a.fd, &c));
	ASSERT_EQ(0, busy(self->a.fd, &d));
	EXPECT_EQ(c.vector_ns, d.vector_ns);
	EXPECT_LT(c.device_ns, d.device_ns);
}

TEST_F(busy, fdinfo_grows_while_an_operator_runs)
{
	uint64_t seq, before;

	for (uint32_t blocks = 1; blocks <= 5; blocks += 4) {
		ASSERT_EQ(0, begin(&self->a, ANPU_CORE_AIC, blocks, &seq));
		before = cube(&self->a);
		EXPECT_TRUE(SOON(cube(&self->a) > before));
		EXPECT_EQ(0, vector(&self->a));
		ASSERT_EQ(0, end(&self->a, seq));
	}
	EXPECT_EQ(0, cube(&self->b));
}

static bool within_a_hundredth(uint64_t a, uint64_t b)
{
	return (a > b ? a - b : b - a) <= b / 100;
}

/* Two files, more blocks than AI cores, streams that are restarted and destroyed: nothing is lost and nothing counts twice. */
TEST_F(busy, files_add_up_to_the_device)
{
	struct drm_anpu_reset reset = { .scope = DRM_ANPU_RESET_STREAM };
	struct drm_anpu_busy_info first, now;
	struct drm_anpu_info info;
	uint64_t seq_a, seq_b;

	ASSERT_EQ(0, query(self->a.fd, DRM_ANPU_QUERY_INFO, &info, sizeof(info)));
	ASSERT_EQ(0, busy(self->a.fd, &first));
	for (int i = 0; i < 4; i++) {
		ASSERT_EQ(0, begin(&self->a, ANPU_CORE_ANY, info.cores, &seq_a));
		ASSERT_EQ(0, begin(&self->b, ANPU_CORE_AIV, 2 * info.cores, &seq_b));
		usleep(10000);
		ASSERT_EQ(0, end(&self->b, seq_b));
		ASSERT_EQ(0, end(&self->a, seq_a));
		reset.stream = self->a.s.id;
		ASSERT_EQ(0, do_ioctl(self->a.fd, DRM_IOCTL_ANPU_RESET, &reset));
	}
	ASSERT_EQ(0, stream_destroy(self->b.fd, self->b.s.id));
	ASSERT_EQ(0, busy(self->a.fd, &now));
	EXPECT_LT(first.cube_ns, now.cube_ns);
	EXPECT_EQ(0, cube(&self->b));
	EXPECT_LT(0, vector(&self->b));
	EXPECT_TRUE(within_a_hundredth(cube(&self->a), now.cube_ns - first.cube_ns));
	EXPECT_TRUE(within_a_hundredth(vector(&self->a) + vector(&self->b), now.vector_ns - first.vector_ns));
	EXPECT_EQ(info.cores, fdinfo_number(self->a.fd, "\ndrm-engine-capacity-cube:\t"));
	EXPECT_EQ(info.cores, fdinfo_number(self->a.fd, "\ndrm-engine-capacity-vector:\t"));
	EXPECT_LT(1, fdinfo_number(self->a.fd, "\ndrm-engine-capacity-npu:\t"));
}

/* A number in sysfs of the device that has the most of it, as there may be two. */
static uint64_t sysfs_number(const char *name)
{
	char path[128], text[64];
	uint64_t most = 0, value;
	glob_t found;

	snprintf(path, sizeof(path), "/sys/bus/pci/drivers/anpu/0*/%s", name);
	if (glob(path, 0, NULL, &found))
		return UINT64_MAX;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		read_some(found.gl_pathv[i], text, sizeof(text));
		value = strtoull(text, NULL, 10);
		most = value > most ? value : most;
	}
	globfree(&found);
	return most;
}

TEST_F(busy, sysfs)
{
	struct drm_anpu_busy_info info;
	struct drm_anpu_memory_info memory;
	struct drm_anpu_info device;
	uint64_t seq, longer;

	ASSERT_EQ(0, query(self->a.fd, DRM_ANPU_QUERY_INFO, &device, sizeof(device)));
	ASSERT_EQ(0, begin(&self->a, ANPU_CORE_AIV, device.cores, &seq));
	usleep(2000);
	ASSERT_EQ(0, end(&self->a, seq));
	ASSERT_EQ(0, busy(self->a.fd, &info));
	EXPECT_EQ(info.cube_ns / 1000, sysfs_number("anpu/cube_busy_time_us"));
	EXPECT_EQ(info.vector_ns / 1000, sysfs_number("anpu/vector_busy_time_us"));
	longer = info.vector_ns > info.cube_ns ? info.vector_ns : info.cube_ns;
	EXPECT_EQ(longer / device.cores / 1000, sysfs_number("npu_busy_time_us"));
	ASSERT_EQ(0, query(self->a.fd, DRM_ANPU_QUERY_MEMORY, &memory, sizeof(memory)));
	EXPECT_EQ(memory.hbm_total - memory.hbm_free, sysfs_number("npu_memory_utilization"));
}

#define STREAMS		4	/* of each file */
#define LONGEST		(1u << 18)	/* turns of a kernel */

/**
 * struct load - a stream that always has something to do
 * @args: place of its kernels' arguments in @user's data
 * @seq: of the last kernel
 */
struct load {
	struct user *user;
	struct stream s;
	unsigned int args;
	uint64_t seq;
};

static unsigned int setting(const char *name, unsigned int otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoul(text, NULL, 0) : otherwise;
}

/* Kernels of any kind, number of blocks and length, a few of them behind each other */
static int load_submit(struct load *l, uint32_t cores)
{
	static const uint32_t types[] = { ANPU_CORE_ANY, ANPU_CORE_AIC, ANPU_CORE_AIV };
	int ret = 0;

	l->user->data[l->args * 8] = 1 + rand() % LONGEST;
	for (int n = rand() % 3; n >= 0 && !ret; n--) {
		union anpu_packet k = pkt_kernel(TURNS, DATA + l->args * 64, 64, ANPU_TIMEOUT_NEVER);

		k.kernel.core_type = types[rand() % 3];
		k.kernel.grid_x = 1 + rand() % (2 * cores);
		ret = submit(l->user->fd, l->s.id, &k, 1, &l->seq);
	}
	return ret;
}

/* Now and then what runs is ended, the stream started again, or another one takes its place. */
static int load_go_on(struct load *l, uint32_t cores)
{
	struct drm_anpu_reset end = { .scope = DRM_ANPU_END_TASK, .stream = l->s.id, .seq = l->seq };
	struct drm_anpu_reset again = { .scope = DRM_ANPU_RESET_STREAM, .stream = l->s.id };
	int fd = l->user->fd, ret = 0;

	switch (rand() % 16) {
	case 0:
		ret = do_ioctl(fd, DRM_IOCTL_ANPU_RESET, &end);
		break;
	case 1:
		return do_ioctl(fd, DRM_IOCTL_ANPU_RESET, &again) ?: load_submit(l, cores);
	case 2:
		ret = stream_destroy(fd, l->s.id);
		return ret ?: stream_create(fd, 0, 0, &l->s) ?: load_submit(l, cores);
	}
	return ret ?: wait_seq(fd, l->s.id, l->seq) ?: load_submit(l, cores);
}

/* A mixed load; ANPU_BUSY_SECONDS is how long, up to 120, ANPU_BUSY_SEED which. */
TEST_F_TIMEOUT(busy, a_mixed_load_adds_up, 150)
{
	struct user *users[] = { &self->a, &self->b };
	struct drm_anpu_busy_info first, now;
	struct load loads[2 * STREAMS];
	struct drm_anpu_info info;
	unsigned int rounds = 0;
	uint64_t files[2];

	srand(setting("ANPU_BUSY_SEED", 1));
	ASSERT_EQ(0, query(self->a.fd, DRM_ANPU_QUERY_INFO, &info, sizeof(info)));
	ASSERT_EQ(0, busy(self->a.fd, &first));
	for (int i = 0; i < 2 * STREAMS; i++) {
		loads[i] = (struct load){ .user = users[i % 2], .args = 1 + i };
		ASSERT_EQ(0, stream_create(loads[i].user->fd, 0, 0, &loads[i].s));
		ASSERT_EQ(0, load_submit(&loads[i], info.cores));
	}
	do {
		ASSERT_EQ(0, load_go_on(&loads[rand() % (2 * STREAMS)], info.cores));
		ASSERT_EQ(0, busy(self->a.fd, &now));
		rounds++;
	} while (now.device_ns - first.device_ns < setting("ANPU_BUSY_SECONDS", 1) * 1000000000ULL);
	for (int i = 0; i < 2 * STREAMS; i++)
		ASSERT_EQ(0, wait_seq(loads[i].user->fd, loads[i].s.id, loads[i].seq));
	ASSERT_EQ(0, busy(self->a.fd, &now));
	files[0] = cube(&self->a) + cube(&self->b);
	files[1] = vector(&self->a) + vector(&self->b);
	TH_LOG("%u rounds: files %" PRIu64 " and %" PRIu64 " us, device %" PRIu64 " and %" PRIu64 " us", rounds,
	       files[0] / 1000, files[1] / 1000, (uint64_t)(now.cube_ns - first.cube_ns) / 1000,
	       (uint64_t)(now.vector_ns - first.vector_ns) / 1000);
	EXPECT_TRUE(within_a_hundredth(files[0], now.cube_ns - first.cube_ns));
	EXPECT_TRUE(within_a_hundredth(files[1], now.vector_ns - first.vector_ns));
}

TEST_HARNESS_MAIN
