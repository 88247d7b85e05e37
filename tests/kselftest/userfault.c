// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A call of one process touches memory whose contents come late or never: they may be those of a file system in
 * userspace, or of a file server that is gone; here userfaultfd holds them back. Meanwhile other processes go on, the
 * device is reset in every possible way, and the driver is unbound.
 */
#include "faulty.h"
#include "hold.h"

/* Which part of a call lies in the memory that is held back, and what the call returns if the driver is unbound then */
enum held { ARGUMENTS, PACKETS, OPERATIONS, ITEMS, PINNED, FAULT, QUERY };

FIXTURE(userfault) {
	char device[64];
	char reset[300];
	int fd;
	int others;
	uint32_t bo;
	struct stream s;
	struct held_page held;
	pthread_t thread;
	enum held what;
	int ret;
	_Atomic bool done;
};

FIXTURE_VARIANT(userfault) {
	enum held what;
	int ret;
};

FIXTURE_VARIANT_ADD(userfault, arguments) { .what = ARGUMENTS, .ret = -ENODEV };
FIXTURE_VARIANT_ADD(userfault, submitter) { .what = PACKETS, .ret = -ENODEV };
FIXTURE_VARIANT_ADD(userfault, binder) { .what = OPERATIONS, .ret = -ENODEV };
FIXTURE_VARIANT_ADD(userfault, waiter) { .what = ITEMS, .ret = -ENODEV };
FIXTURE_VARIANT_ADD(userfault, pinner) { .what = PINNED, .ret = -ENODEV };
FIXTURE_VARIANT_ADD(userfault, reader_of_a_fault) { .what = FAULT, .ret = 0 };
FIXTURE_VARIANT_ADD(userfault, reader_of_a_number) { .what = QUERY, .ret = 0 };

static int call_held(FIXTURE_DATA(userfault) *self)
{
	struct drm_anpu_dev_query query = { .type = DRM_ANPU_QUERY_MEMORY,
		.size = sizeof(struct drm_anpu_memory_info), .pointer = (uintptr_t)self->held.page };
	struct drm_anpu_wait wait = { .items = { .stride = sizeof(struct drm_anpu_wait_item), .count = 1,
		.array = (uintptr_t)self->held.page } };
	struct drm_anpu_stream_get_state state;
	uint32_t handle;

	switch (self->what) {
	case ARGUMENTS:
		return do_ioctl(self->fd, DRM_IOCTL_ANPU_SUBMIT, self->held.page);
	case PACKETS:
		return submit(self->fd, self->s.id, self->held.page, 1, NULL);
	case OPERATIONS:
		return vm_bind(self->fd, self->held.page, 1, NULL);
	case ITEMS:
		return do_ioctl(self->fd, DRM_IOCTL_ANPU_WAIT, &wait);
	case PINNED:
		return bo_create(self->fd, DRM_ANPU_BO_USERPTR, PAGE, 0, (uintptr_t)self->held.page, &handle);
	case FAULT:
		return get_state(self->fd, self->s.id, &state, 1, self->held.page);
	default:
		return do_ioctl(self->fd, DRM_IOCTL_ANPU_DEV_QUERY, &query);
	}
}

static void *be_held(void *arg)
{
	FIXTURE_DATA(userfault) *self = arg;

	self->ret = call_held(self);
	self->done = true;
	return NULL;
}

/* The page gets contents with which the call succeeds. */
static int let_go(FIXTURE_DATA(userfault) *self)
{
	union anpu_packet nop = pkt_nop();
	struct drm_anpu_submit args = { .stream = self->s.id, .packets = ARRAY((union anpu_packet *)NULL, 1) };
	struct drm_anpu_vm_bind_op op = { .op = DRM_ANPU_VM_MAP, .flags = RW, .va = VA(1), .size = PAGE,
		.handle = self->bo };
	struct drm_anpu_wait_item item = { .type = DRM_ANPU_WAIT_SEQ, .stream = self->s.id };

	args.packets.stride = sizeof(nop);
	args.packets.array = (uintptr_t)self->held.page + PAGE / 2;
	switch (self->what) {
	case ARGUMENTS: {
		char page[PAGE] = {};

		memcpy(page, &args, sizeof(args));
		memcpy(page + PAGE / 2, &nop, sizeof(nop));
		return page_release(&self->held, page, sizeof(page));
	}
	case PACKETS:
		return page_release(&self->held, &nop, sizeof(nop));
	case OPERATIONS:
		return page_release(&self->held, &op, sizeof(op));
	case ITEMS:
		return page_release(&self->held, &item, sizeof(item));
	default:
		return page_release(&self->held, "", 1);
	}
}

FIXTURE_SETUP(userfault)
{
	union anpu_packet bad = pkt_fill(8, 8, 0);
	glob_t found;

	self->what = variant->what;
	if (page_hold(&self->held))
		SKIP(return, "this kernel has no userfaultfd");
	ASSERT_EQ(0, glob("/sys/bus/pci/drivers/anpu/0*", 0, NULL, &found));
	snprintf(self->device, sizeof(self->device), "%.60s", strrchr(found.gl_pathv[0], '/') + 1);
	globfree(&found);
	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_HBM, PAGE, 0, 0, &self->bo));
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &self->s));
	ASSERT_EQ(0, run(self->fd, self->s.id, &bad, 1));
	self->others = anpu_open();
	ASSERT_GE(self->others, 0);
	ASSERT_EQ(0, pthread_create(&self->thread, NULL, be_held, self));
	ASSERT_EQ(0, page_held(&self->held));
}

/* Called in the parent, because the old device keeps its number until the child has ended. */
FIXTURE_TEARDOWN_PARENT(userfault)
{
	forget_dumps();
	if (access(anpu_node(), F_OK) && self->device[0]) {
		write_file("/sys/bus/pci/drivers/anpu/bind", self->device);
		SOON(!access(anpu_node(), F_OK));
	}
}

/* Another process has a stream, and it computes. */
static int others_work(int fd)
{
	union anpu_packet nop = pkt_nop();
	struct stream s;
	int ret = stream_create(fd, 0, 0, &s);

	return ret ?: run(fd, s.id, &nop, 1) ?: stream_destroy(fd, s.id);
}

#define OTHERS_WORK() do { \
	EXPECT_EQ(0, others_work(self->others)); \
	ASSERT_FALSE(self->done); \
} while (0)

TEST_F(userfault, others_go_on)
{
	union anpu_packet nop = pkt_nop();
	int status;
	pid_t pid;

	OTHERS_WORK();
	/* Another process, with the same stream */
	pid = fork();
	if (!pid)
		_exit(-run(self->fd, self->s.id, &nop, 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	ASSERT_FALSE(self->done);
	ASSERT_EQ(0, let_go(self));
	ASSERT_EQ(0, pthread_join(self->thread, NULL));
	EXPECT_EQ(0, self->ret);
}

TEST_F(userfault, the_stream_goes)
{
	struct drm_anpu_reset reset = { .scope = DRM_ANPU_RESET_STREAM, .stream = self->s.id };

	EXPECT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_RESET, &reset));
	EXPECT_EQ(0, stream_destroy(self->fd, self->s.id));
	OTHERS_WORK();
	ASSERT_EQ(0, let_go(self));
	ASSERT_EQ(0, pthread_join(self->thread, NULL));
}

TEST_F_TIMEOUT(userfault, resets_and_removal_go_on, 90)
{
	struct drm_anpu_reset reset = { .scope = DRM_ANPU_RESET_DEVICE };
	int expected = variant->ret;
	glob_t found;

	ASSERT_EQ(0, do_ioctl(self->others, DRM_IOCTL_ANPU_RESET, &reset));
	OTHERS_WORK();
	ASSERT_EQ(0, reset_by_bus(self->device));
	OTHERS_WORK();
	ASSERT_EQ(0, glob("/sys/kernel/debug/accel/0*/pm_test", 0, NULL, &found));
	ASSERT_EQ(0, write_file(found.gl_pathv[0], "1"));
	globfree(&found);
	OTHERS_WORK();
	ASSERT_EQ(0, write_file("/sys/bus/pci/drivers/anpu/unbind", self->device));
	ASSERT_FALSE(self->done);
	ASSERT_EQ(0, let_go(self));
	ASSERT_EQ(0, pthread_join(self->thread, NULL));
	EXPECT_EQ(expected, self->ret);
}

TEST_HARNESS_MAIN
