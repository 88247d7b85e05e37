// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What must be zero in the arguments of every ioctl: padding, unknown flags, fields of other types. Each of these bits alone is
 * refused, and nothing has happened; without them the same arguments are taken.
 */
#include "anpu_test.h"

/* The bits of a field that must be zero. @error: where it is another one than -EINVAL */
struct field {
	const char *name;
	uint32_t offset;
	uint32_t size;
	uint64_t bits;
	int error;
};

#define FIELD(type, field, bits)	{ #field, offsetof(struct type, field), sizeof(((struct type *)0)->field), bits, -EINVAL }
#define MARK(type, field)		FIELD(type, field, ~0ULL)

FIXTURE(reserved) {
	int fd;
	struct stream s;
	uint32_t bo;
};

FIXTURE_SETUP(reserved)
{
	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, stream_create(self->fd, 0, 64, &self->s));
	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_HBM, PAGE, 0, 0, &self->bo));
}

FIXTURE_TEARDOWN(reserved)
{
	close(self->fd);
}

/*
 * Sets each bit of the fields of @part, which is in @args or what these point to; then the call is refused, and without it @taken.
 * The arguments are as before each time.
 */
static void try_fields(struct __test_metadata *_metadata, int fd, unsigned long request, void *args, size_t size, void *part,
		       size_t part_size, const struct field *fields, size_t n, int taken)
{
	char before[256], part_before[256];

	ASSERT_LE(size, sizeof(before));
	ASSERT_LE(part_size, sizeof(part_before));
	memcpy(before, args, size);
	memcpy(part_before, part, part_size);
	for (size_t i = 0; i < n; i++) {
		for (unsigned int bit = 0; bit < 8 * fields[i].size; bit++) {
			if (!(fields[i].bits >> bit & 1))
				continue;
			((uint8_t *)part)[fields[i].offset + bit / 8] ^= 1 << bit % 8;
			EXPECT_EQ(fields[i].error, do_ioctl(fd, request, args)) {
				TH_LOG("%s, bit %u", fields[i].name, bit);
			}
			memcpy(args, before, size);
			memcpy(part, part_before, part_size);
		}
	}
	EXPECT_EQ(taken, do_ioctl(fd, request, args));
}

#define TRY(request, args, ...) do { \
	const struct field fields_[] = { __VA_ARGS__ }; \
	try_fields(_metadata, self->fd, request, &(args), sizeof(args), &(args), sizeof(args), fields_, \
		   sizeof(fields_) / sizeof(fields_[0]), 0); \
} while (0)
/* Of an element of an array that the arguments point to */
#define TRY_PART(request, args, part, taken, ...) do { \
	const struct field fields_[] = { __VA_ARGS__ }; \
	try_fields(_metadata, self->fd, request, &(args), sizeof(args), &(part), sizeof(part), fields_, \
		   sizeof(fields_) / sizeof(fields_[0]), taken); \
} while (0)

TEST_F(reserved, objects)
{
	struct drm_anpu_bo_create create = { .size = PAGE, .type = DRM_ANPU_BO_HBM };
	struct drm_anpu_bo_create memory = { .size = PAGE, .type = DRM_ANPU_BO_SYSTEM };
	struct drm_anpu_bo_mmap_offset map = { .handle = self->bo };
	uint64_t before = hbm_free(self->fd);

	TRY(DRM_IOCTL_ANPU_BO_CREATE, create, MARK(drm_anpu_bo_create, pad), MARK(drm_anpu_bo_create, user_ptr),
	    FIELD(drm_anpu_bo_create, flags, ~(uint64_t)DRM_ANPU_BO_CONTIGUOUS), FIELD(drm_anpu_bo_create, type, ~3ULL));
	/* Refused calls have taken none, and the one that was not takes a page. */
	EXPECT_EQ(before - PAGE, hbm_free(self->fd));
	TRY(DRM_IOCTL_ANPU_BO_CREATE, memory, MARK(drm_anpu_bo_create, pad), MARK(drm_anpu_bo_create, user_ptr),
	    MARK(drm_anpu_bo_create, flags));
	TRY(DRM_IOCTL_ANPU_BO_MMAP_OFFSET, map, MARK(drm_anpu_bo_mmap_offset, pad));
}

TEST_F(reserved, mappings)
{
	struct drm_anpu_vm_bind_op op = { .op = DRM_ANPU_VM_REPLACE, .va = VA(0), .size = PAGE, .handle = self->bo, .flags = RW };
	struct drm_anpu_vm_bind_op none = { .op = DRM_ANPU_VM_UNMAP, .va = VA(0), .size = PAGE };
	struct drm_anpu_vm_bind args = { .ops = ARRAY(&op, 1) };

	TRY(DRM_IOCTL_ANPU_VM_BIND, args, MARK(drm_anpu_vm_bind, pad));
	TRY_PART(DRM_IOCTL_ANPU_VM_BIND, args, op, 0, MARK(drm_anpu_vm_bind_op, pad), FIELD(drm_anpu_vm_bind_op, flags, ~3ULL),
		 FIELD(drm_anpu_vm_bind_op, op, ~3ULL));
	args.ops.array = (uintptr_t)&none;
	TRY_PART(DRM_IOCTL_ANPU_VM_BIND, args, none, 0, MARK(drm_anpu_vm_bind_op, pad), MARK(drm_anpu_vm_bind_op, flags),
		 MARK(drm_anpu_vm_bind_op, handle), MARK(drm_anpu_vm_bind_op, offset));
}

TEST_F(reserved, streams)
{
	struct drm_anpu_stream_create create = { .priority = 4, .ring_entries = 64 };
	struct drm_anpu_stream_destroy destroy = { .stream = self->s.id };
	struct drm_anpu_stream_get_state state = { .stream = self->s.id };
	struct drm_anpu_stream_set set = { .stream = self->s.id };

	TRY(DRM_IOCTL_ANPU_STREAM_CREATE, create, FIELD(drm_anpu_stream_create, flags, ~7ULL),
	    FIELD(drm_anpu_stream_create, priority, ~7ULL), FIELD(drm_anpu_stream_create, print, ANPU_PRINT_ALIGN - 1),
	    FIELD(drm_anpu_stream_create, overflow, ANPU_OVERFLOW_ALIGN - 1), FIELD(drm_anpu_stream_create, trace, ANPU_TRACE_ALIGN - 1));
	TRY(DRM_IOCTL_ANPU_STREAM_GET_STATE, state, MARK(drm_anpu_stream_get_state, flags));
	TRY(DRM_IOCTL_ANPU_STREAM_SET, set, MARK(drm_anpu_stream_set, pad), MARK(drm_anpu_stream_set, priority),
	    FIELD(drm_anpu_stream_set, flags, ~(uint64_t)(DRM_ANPU_STREAM_STOP_ON_FAILURE | DRM_ANPU_STREAM_SET_PRIORITY)));
	set = (struct drm_anpu_stream_set){ .stream = self->s.id, .flags = DRM_ANPU_STREAM_SET_PRIORITY, .priority = 4 };
	TRY(DRM_IOCTL_ANPU_STREAM_SET, set, MARK(drm_anpu_stream_set, pad), FIELD(drm_anpu_stream_set, priority, ~7ULL),
	    FIELD(drm_anpu_stream_set, flags, ~(uint64_t)DRM_ANPU_STREAM_SET_PRIORITY));
	/* It is still there after all those that are refused. */
	TRY(DRM_IOCTL_ANPU_STREAM_DESTROY, destroy, MARK(drm_anpu_stream_destroy, pad));
}

TEST_F(reserved, submissions)
{
	union anpu_packet nop = pkt_nop();
	struct drm_anpu_submit submit = { .stream = self->s.id, .packets = ARRAY(&nop, 1) };
	struct drm_anpu_submit_job job = { .stream = self->s.id, .packets = ARRAY(&nop, 1) };
	struct drm_anpu_stream_get_state st;

	TRY(DRM_IOCTL_ANPU_SUBMIT, submit, MARK(drm_anpu_submit, pad),
	    FIELD(drm_anpu_submit, flags, ~(uint64_t)DRM_ANPU_SUBMIT_NONBLOCK));
	ASSERT_EQ(0, get_state(self->fd, self->s.id, &st, 0, NULL));
	EXPECT_EQ(1, st.submitted);
	if (do_ioctl(self->fd, DRM_IOCTL_ANPU_SUBMIT_JOB, &job) == -EOPNOTSUPP)
		SKIP(return, "no fences here");
	job.seq = 0;
	TRY(DRM_IOCTL_ANPU_SUBMIT_JOB, job, FIELD(drm_anpu_submit_job, flags, ~(uint64_t)DRM_ANPU_SUBMIT_NONBLOCK));
	ASSERT_EQ(0, get_state(self->fd, self->s.id, &st, 0, NULL));
	EXPECT_EQ(3, st.submitted);
}

TEST_F(reserved, objects_of_jobs)
{
	struct drm_anpu_job_object object = { .handle = self->bo, .flags = DRM_ANPU_OBJECT_WRITE };
	union anpu_packet nop = pkt_nop();
	struct drm_anpu_submit_job job = { .packets = ARRAY(&nop, 1), .objects = ARRAY(&object, 1) };
	struct stream bounded;

	if (stream_create(self->fd, DRM_ANPU_STREAM_BOUNDED, 64, &bounded))
		SKIP(return, "no fences here");
	job.stream = bounded.id;
	TRY_PART(DRM_IOCTL_ANPU_SUBMIT_JOB, job, object, 0, FIELD(drm_anpu_job_object, flags, ~(uint64_t)DRM_ANPU_OBJECT_WRITE));
}

TEST_F(reserved, waits)
{
	struct drm_anpu_wait_item seq = { .type = DRM_ANPU_WAIT_SEQ, .stream = self->s.id };
	struct drm_anpu_wait_item memory = { .type = DRM_ANPU_WAIT_MEMORY, .handle = self->bo, .cond = ANPU_SEM_EQ, .width = 8,
		.mask = ~0ULL };
	struct drm_anpu_wait args = { .items = ARRAY(&seq, 1) };

	TRY(DRM_IOCTL_ANPU_WAIT, args, MARK(drm_anpu_wait, pad), MARK(drm_anpu_wait, pad2),
	    FIELD(drm_anpu_wait, flags, ~(uint64_t)DRM_ANPU_WAIT_ALL));
	TRY_PART(DRM_IOCTL_ANPU_WAIT, args, seq, 0, MARK(drm_anpu_wait_item, pad), MARK(drm_anpu_wait_item, mask),
		 MARK(drm_anpu_wait_item, offset), MARK(drm_anpu_wait_item, handle), MARK(drm_anpu_wait_item, cond),
		 MARK(drm_anpu_wait_item, width), FIELD(drm_anpu_wait_item, type, ~3ULL));
	args.items.array = (uintptr_t)&memory;
	TRY_PART(DRM_IOCTL_ANPU_WAIT, args, memory, 0, MARK(drm_anpu_wait_item, pad), MARK(drm_anpu_wait_item, stream),
		 FIELD(drm_anpu_wait_item, offset, ~(PAGE - 8)), FIELD(drm_anpu_wait_item, cond, ~15ULL),
		 FIELD(drm_anpu_wait_item, width, ~0xcULL));
}

TEST_F(reserved, events_and_resets)
{
	struct drm_anpu_event_subscribe subscribe = {};
	struct drm_anpu_reset stream = { .scope = DRM_ANPU_RESET_STREAM, .stream = self->s.id };
	struct drm_anpu_reset abort = { .scope = DRM_ANPU_ABORT_STREAM, .stream = self->s.id };
	struct drm_anpu_reset device = { .scope = DRM_ANPU_RESET_DEVICE, .stream = 1 };

	TRY(DRM_IOCTL_ANPU_EVENT_SUBSCRIBE, subscribe, MARK(drm_anpu_event_subscribe, pad),
	    FIELD(drm_anpu_event_subscribe, mask, ~7ULL));
	TRY(DRM_IOCTL_ANPU_RESET, stream, MARK(drm_anpu_reset, seq), FIELD(drm_anpu_reset, scope, ~3ULL));
	TRY(DRM_IOCTL_ANPU_RESET, abort, MARK(drm_anpu_reset, seq));
	EXPECT_EQ(-EINVAL, do_ioctl(self->fd, DRM_IOCTL_ANPU_RESET, &device));
	device.stream = 0;
	device.seq = 1;
	EXPECT_EQ(-EINVAL, do_ioctl(self->fd, DRM_IOCTL_ANPU_RESET, &device));
}

TEST_HARNESS_MAIN
