// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* VM_BIND: every refusal, atomicity, and that the device sees exactly what is bound. */
#include "faulty.h"
#include "fdinfo.h"

#define BO_SIZE	(8 * MIB)

FIXTURE(vm) {
	int fd;
	uint32_t bo;
	uint64_t *mem;
	struct stream s;
	uint64_t *out;
};

FIXTURE_SETUP(vm)
{
	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_HBM, BO_SIZE, 0, 0, &self->bo));
	self->mem = bo_map(self->fd, self->bo, BO_SIZE);
	ASSERT_NE(MAP_FAILED, self->mem);
	/* The first word of each page has its number. */
	for (uint64_t i = 0; i < BO_SIZE / PAGE; i++)
		self->mem[i * PAGE / 8] = i + 1;
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &self->s));
	self->out = make_buffer(self->fd, DRM_ANPU_BO_SYSTEM, PAGE, VA(100), RW, NULL);
	ASSERT_NE(MAP_FAILED, self->out);
}

FIXTURE_TEARDOWN(vm)
{
	close(self->fd);
}

/* The page number the device reads at an address, 0 if it is a fault. */
static uint64_t peek(int fd, struct stream *s, uint64_t *out, uint64_t va)
{
	union anpu_packet pkt = pkt_copy(VA(100), va, 8);
	uint64_t errors = s->status->errors;

	*(volatile uint64_t *)out = 0;
	if (run(fd, s->id, &pkt, 1))
		return ~0ULL;
	if (s->status->errors != errors)
		return 0;
	return *(volatile uint64_t *)out;
}

#define PEEK(va)	peek(self->fd, &self->s, self->out, va)

static struct drm_anpu_vm_bind_op map_op(uint32_t op, uint64_t va, uint64_t size, uint32_t handle,
					 uint64_t offset)
{
	return (struct drm_anpu_vm_bind_op){
		.op = op, .va = va, .size = size, .handle = handle, .offset = offset,
		.flags = op == DRM_ANPU_VM_UNMAP ? 0 : RW,
	};
}

TEST_F(vm, bad_operations)
{
	const uint64_t va = VA(0);
	struct {
		int error;
		struct drm_anpu_vm_bind_op op;
	} bad[] = {
		{ -EINVAL, { .op = 3, .va = va, .size = PAGE, .handle = self->bo, .flags = RW } },
		{ -EINVAL, { .va = va, .size = PAGE, .handle = self->bo } },
		{ -EINVAL, { .va = va, .size = PAGE, .handle = self->bo, .flags = 2 } },
		{ -EINVAL, { .va = va, .size = PAGE, .handle = self->bo, .flags = 7 } },
		{ -EINVAL, { .va = va, .size = PAGE, .handle = self->bo, .flags = 1 | 8 } },
		{ -EINVAL, { .va = va + 1, .size = PAGE, .handle = self->bo, .flags = RW } },
		{ -EINVAL, { .va = va, .size = PAGE + 1, .handle = self->bo, .flags = RW } },
		{ -EINVAL, { .va = va, .size = 0, .handle = self->bo, .flags = RW } },
		{ -EINVAL, { .va = va, .size = PAGE, .handle = self->bo, .flags = RW, .offset = 8 } },
		{ -EINVAL, { .va = va, .size = PAGE, .handle = self->bo, .flags = RW, .pad = 1 } },
		{ -EINVAL, { .va = 0, .size = PAGE, .handle = self->bo, .flags = RW } },
		{ -EINVAL, { .va = (1ULL << 32) - PAGE, .size = PAGE, .handle = self->bo, .flags = RW } },
		{ -EINVAL, { .va = (1ULL << 32) - PAGE, .size = 2 * PAGE, .handle = self->bo, .flags = RW } },
		{ -EINVAL, { .va = 1ULL << 48, .size = PAGE, .handle = self->bo, .flags = RW } },
		{ -EINVAL, { .va = (1ULL << 48) - PAGE, .size = 2 * PAGE, .handle = self->bo,
			     .flags = RW } },
		{ -EINVAL, { .va = -PAGE, .size = 2 * PAGE, .handle = self->bo, .flags = RW } },
		{ -EINVAL, { .va = va, .size = BO_SIZE + PAGE, .handle = self->bo, .flags = RW } },
		{ -EINVAL, { .va = va, .size = PAGE, .handle = self->bo, .flags = RW,
			     .offset = BO_SIZE } },
		{ -EINVAL, { .va = va, .size = PAGE, .handle = self->bo, .flags = RW,
			     .offset = -PAGE } },
		{ -ENOENT, { .va = va, .size = PAGE, .handle = self->bo + 50, .flags = RW } },
		{ -ENOENT, { .va = va, .size = PAGE, .flags = RW } },
		{ -EINVAL, { .op = DRM_ANPU_VM_UNMAP, .va = va, .size = PAGE, .flags = 1 } },
		{ -EINVAL, { .op = DRM_ANPU_VM_UNMAP, .va = va, .size = PAGE, .handle = self->bo } },
		{ -EINVAL, { .op = DRM_ANPU_VM_UNMAP, .va = va, .size = PAGE, .offset = PAGE } },
		{ -EINVAL, { .op = DRM_ANPU_VM_UNMAP, .va = 0, .size = PAGE } },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		uint32_t failed = 77;

		EXPECT_EQ(bad[i].error, vm_bind(self->fd, &bad[i].op, 1, &failed)) {
			TH_LOG("operation %zu", i);
		}
		EXPECT_EQ(0, failed);
	}
	EXPECT_EQ(0, PEEK(va));
}

TEST_F(vm, bad_arrays)
{
	struct drm_anpu_vm_bind args = { .ops = { .stride = 48, .count = 1, .array = 8 } };
	struct {
		struct drm_anpu_vm_bind_op op;
		uint64_t more;
	} big = { map_op(DRM_ANPU_VM_MAP, VA(0), PAGE, self->bo, 0), 1 };

	EXPECT_EQ(-EFAULT, do_ioctl(self->fd, DRM_IOCTL_ANPU_VM_BIND, &args));
	args.ops.stride = 0;
	EXPECT_EQ(-EINVAL, do_ioctl(self->fd, DRM_IOCTL_ANPU_VM_BIND, &args));
	args = (struct drm_anpu_vm_bind){ .ops = ARRAY(&big, 1), .pad = 1 };
	EXPECT_EQ(-EINVAL, do_ioctl(self->fd, DRM_IOCTL_ANPU_VM_BIND, &args));
	args.pad = 0;
	EXPECT_EQ(-E2BIG, do_ioctl(self->fd, DRM_IOCTL_ANPU_VM_BIND, &args));
	/* A newer program whose extra field is zero. */
	big.more = 0;
	EXPECT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_VM_BIND, &args));
	EXPECT_EQ(1, args.failed);
	/* There is an end to that, as somebody has to look at it all. */
	args.ops.stride = 2 * DRM_ANPU_MAX_STRIDE;
	args.ops.array = (uintptr_t)mmap(NULL, 2 * DRM_ANPU_MAX_STRIDE, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	*(struct drm_anpu_vm_bind_op *)(uintptr_t)args.ops.array =
		map_op(DRM_ANPU_VM_UNMAP, VA(0), PAGE, 0, 0);
	EXPECT_EQ(-E2BIG, do_ioctl(self->fd, DRM_IOCTL_ANPU_VM_BIND, &args));
	args.ops.stride = DRM_ANPU_MAX_STRIDE;
	EXPECT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_VM_BIND, &args));
	args.ops.count = DRM_ANPU_MAX_BIND_OPS + 1;
	EXPECT_EQ(-E2BIG, do_ioctl(self->fd, DRM_IOCTL_ANPU_VM_BIND, &args));
	args.ops.count = 0;
	EXPECT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_VM_BIND, &args));
}

/* The driver walks over what is mapped, not over what could be: else this takes minutes. */
TEST_F(vm, all_of_the_space_many_times)
{
	static struct drm_anpu_vm_bind_op ops[DRM_ANPU_MAX_BIND_OPS];
	uint64_t start = 4ULL << 30, size = (1ULL << 48) - start;
	uint32_t failed;

	ASSERT_EQ(0, vm_map(self->fd, start, PAGE, self->bo, RW));
	ASSERT_EQ(0, vm_map(self->fd, start + size - PAGE, PAGE, self->bo, RW));
	for (uint32_t i = 0; i < DRM_ANPU_MAX_BIND_OPS; i++)
		ops[i] = map_op(DRM_ANPU_VM_UNMAP, start, size, 0, 0);
	for (uint32_t i = 1; i < DRM_ANPU_MAX_BIND_OPS; i += 512)
		ops[i] = map_op(DRM_ANPU_VM_MAP, VA(i), PAGE, self->bo, 0);
	ASSERT_EQ(0, vm_bind(self->fd, ops, DRM_ANPU_MAX_BIND_OPS, &failed));
	EXPECT_EQ(DRM_ANPU_MAX_BIND_OPS, failed);
	/* Nothing is mapped, and no page table is left over. */
	EXPECT_EQ(0, vm_map(self->fd, start, PAGE, self->bo, RW));
	EXPECT_EQ(0, vm_unmap(self->fd, start, size));
}

TEST_F(vm, an_older_program)
{
	/* An op struct that ends before @offset: the rest counts as zero. */
	struct drm_anpu_vm_bind_op op = map_op(DRM_ANPU_VM_MAP, VA(0), PAGE, self->bo, 0);
	struct drm_anpu_vm_bind args = { .ops = ARRAY(&op, 1) };

	args.ops.stride = offsetof(struct drm_anpu_vm_bind_op, offset);
	op.offset = 3 * PAGE;
	EXPECT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_VM_BIND, &args));
	EXPECT_EQ(1, PEEK(VA(0)));
}

TEST_F(vm, map_replace_unmap)
{
	EXPECT_EQ(0, vm_op(self->fd, DRM_ANPU_VM_MAP, VA(0), 4 * PAGE, self->bo, 0, RW));
	EXPECT_EQ(1, PEEK(VA(0)));
	EXPECT_EQ(4, PEEK(VA(0) + 3 * PAGE));
	EXPECT_EQ(0, PEEK(VA(0) + 4 * PAGE));
	EXPECT_EQ(-EEXIST, vm_op(self->fd, DRM_ANPU_VM_MAP, VA(0) + 3 * PAGE, PAGE, self->bo, 0, RW));
	EXPECT_EQ(0, vm_op(self->fd, DRM_ANPU_VM_REPLACE, VA(0) + PAGE, 2 * PAGE, self->bo,
			   10 * PAGE, RW));
	EXPECT_EQ(1, PEEK(VA(0)));
	EXPECT_EQ(11, PEEK(VA(0) + PAGE));
	EXPECT_EQ(12, PEEK(VA(0) + 2 * PAGE));
	EXPECT_EQ(4, PEEK(VA(0) + 3 * PAGE));
	EXPECT_EQ(0, vm_unmap(self->fd, VA(0) + 2 * PAGE, PAGE));
	EXPECT_EQ(11, PEEK(VA(0) + PAGE));
	EXPECT_EQ(0, PEEK(VA(0) + 2 * PAGE));
	EXPECT_EQ(4, PEEK(VA(0) + 3 * PAGE));
	/* Nothing there is nothing to refuse. */
	EXPECT_EQ(0, vm_unmap(self->fd, VA(50), 1ULL << 30));
	EXPECT_EQ(0, vm_unmap(self->fd, 1ULL << 32, (1ULL << 48) - (1ULL << 32)));
	EXPECT_EQ(0, PEEK(VA(0)));
}

TEST_F(vm, all_page_sizes_cut_everywhere)
{
	const uint64_t base = VA(0);
	const uint64_t cuts[] = { 0, 1, 15, 16, 17, 511, 512, 513, 1024, 1535, 2047 };

	for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
		uint64_t at = cuts[i] * PAGE;

		ASSERT_EQ(0, vm_map(self->fd, base, BO_SIZE, self->bo, RW));
		ASSERT_EQ(cuts[i] + 1, PEEK(base + at));
		ASSERT_EQ(0, vm_unmap(self->fd, base + at, PAGE));
		EXPECT_EQ(0, PEEK(base + at));
		if (at)
			EXPECT_EQ(cuts[i], PEEK(base + at - PAGE));
		if (at + PAGE < BO_SIZE)
			EXPECT_EQ(cuts[i] + 2, PEEK(base + at + PAGE));
		/* Fill the hole with another page. */
		ASSERT_EQ(0, vm_op(self->fd, DRM_ANPU_VM_MAP, base + at, PAGE, self->bo, 99 * PAGE,
				   RW));
		EXPECT_EQ(100, PEEK(base + at));
		EXPECT_EQ(1 + (cuts[i] == 0) * 99, PEEK(base));
		ASSERT_EQ(0, vm_unmap(self->fd, base, BO_SIZE));
		EXPECT_EQ(0, PEEK(base + BO_SIZE - PAGE));
	}
}

TEST_F(vm, misaligned_objects)
{
	/* Object and address disagree about what is 64 KiB and 2 MiB aligned. */
	ASSERT_EQ(0, vm_op(self->fd, DRM_ANPU_VM_MAP, VA(0) + 5 * PAGE, 4 * MIB, self->bo, 3 * PAGE,
			   RW));
	for (uint64_t i = 0; i < 4 * MIB / PAGE; i += 13)
		ASSERT_EQ(i + 4, PEEK(VA(0) + (i + 5) * PAGE));
	EXPECT_EQ(0, PEEK(VA(0) + 4 * PAGE));
	EXPECT_EQ(0, PEEK(VA(0) + 5 * PAGE + 4 * MIB));
}

TEST_F(vm, all_or_none)
{
	struct drm_anpu_vm_bind_op ops[] = {
		map_op(DRM_ANPU_VM_UNMAP, VA(0) + PAGE, 600 * PAGE, 0, 0),
		map_op(DRM_ANPU_VM_MAP, VA(1), MIB, self->bo, 0),
		map_op(DRM_ANPU_VM_REPLACE, VA(0), PAGE, self->bo, 7 * PAGE),
		map_op(DRM_ANPU_VM_MAP, VA(0) + 700 * PAGE, PAGE, self->bo, 0),
	};
	uint32_t failed;

	ASSERT_EQ(0, vm_map(self->fd, VA(0), BO_SIZE, self->bo, RW));
	EXPECT_EQ(-EEXIST, vm_bind(self->fd, ops, 4, &failed));
	EXPECT_EQ(3, failed);
	for (uint64_t i = 0; i < BO_SIZE / PAGE; i += 37)
		ASSERT_EQ(i + 1, PEEK(VA(0) + i * PAGE));
	EXPECT_EQ(0, PEEK(VA(1)));
	EXPECT_EQ(0, vm_bind(self->fd, ops, 3, &failed));
	EXPECT_EQ(3, failed);
	EXPECT_EQ(8, PEEK(VA(0)));
	EXPECT_EQ(0, PEEK(VA(0) + 600 * PAGE));
	EXPECT_EQ(602, PEEK(VA(0) + 601 * PAGE));
	EXPECT_EQ(2, PEEK(VA(1) + PAGE));
}

TEST_F(vm, operations_of_one_call_meet)
{
	/* Big leaf, cut, replaced whole, cut again: all in one call. */
	struct drm_anpu_vm_bind_op ops[] = {
		map_op(DRM_ANPU_VM_MAP, VA(0), 4 * MIB, self->bo, 0),
		map_op(DRM_ANPU_VM_UNMAP, VA(0) + 3 * PAGE, PAGE, 0, 0),
		map_op(DRM_ANPU_VM_REPLACE, VA(0), 2 * MIB, self->bo, 2 * MIB),
		map_op(DRM_ANPU_VM_UNMAP, VA(0) + 5 * PAGE, 2 * PAGE, 0, 0),
		map_op(DRM_ANPU_VM_MAP, VA(0) + 6 * PAGE, PAGE, self->bo, 0),
	};

	ASSERT_EQ(0, vm_bind(self->fd, ops, 5, NULL));
	EXPECT_EQ(513, PEEK(VA(0)));
	EXPECT_EQ(516, PEEK(VA(0) + 3 * PAGE));
	EXPECT_EQ(0, PEEK(VA(0) + 5 * PAGE));
	EXPECT_EQ(1, PEEK(VA(0) + 6 * PAGE));
	EXPECT_EQ(520, PEEK(VA(0) + 7 * PAGE));
	EXPECT_EQ(513, PEEK(VA(0) + 2 * MIB));
}

TEST_F(vm, many_operations)
{
	struct drm_anpu_vm_bind_op *ops = calloc(DRM_ANPU_MAX_BIND_OPS, sizeof(*ops));
	uint64_t free_before = hbm_free(self->fd);

	ASSERT_NE(NULL, ops);
	/* Scattered: each page in a table of its own. */
	for (int i = 0; i < 256; i++)
		ops[i] = map_op(DRM_ANPU_VM_MAP, VA(200) + i * 4 * MIB, PAGE, self->bo, i * PAGE);
	ASSERT_EQ(0, vm_bind(self->fd, ops, 256, NULL));
	EXPECT_LT(hbm_free(self->fd), free_before);
	/* Tables share larger pieces of HBM: 256 of them take hardly more than 256 pages. */
	EXPECT_GE(hbm_free(self->fd) + 320 * PAGE, free_before);
	EXPECT_EQ(201, PEEK(VA(200) + 200 * 4 * MIB));
	ASSERT_EQ(0, vm_unmap(self->fd, VA(200), 1ULL << 30));
	/* Empty page tables are given back. */
	EXPECT_EQ(free_before, hbm_free(self->fd));
	for (int i = 0; i < DRM_ANPU_MAX_BIND_OPS; i++)
		ops[i] = map_op(DRM_ANPU_VM_MAP, VA(200) + i * PAGE, PAGE, self->bo,
				(i * 7 % 2048) * PAGE);
	ASSERT_EQ(0, vm_bind(self->fd, ops, DRM_ANPU_MAX_BIND_OPS, NULL));
	EXPECT_EQ(1000 * 7 % 2048 + 1, PEEK(VA(200) + 1000 * PAGE));
	free(ops);
}

TEST_F(vm, no_memory_for_page_tables)
{
	struct drm_anpu_vm_bind_op ops[256];
	uint32_t handle, failed;
	uint64_t size = 64 * MIB;

	for (int i = 0; i < 256; i++)
		ops[i] = map_op(DRM_ANPU_VM_MAP, VA(200) + i * 4 * MIB, PAGE, self->bo, 0);
	while (size >= PAGE) {
		if (bo_create(self->fd, DRM_ANPU_BO_HBM, size, 0, 0, &handle))
			size /= 2;
	}
	EXPECT_EQ(-ENOSPC, vm_bind(self->fd, ops, 256, &failed));
	EXPECT_LT(failed, 256);
	EXPECT_EQ(0, PEEK(VA(200)));
}

TEST_F(vm, rights)
{
	union anpu_packet fill = pkt_fill(VA(0), 8, 1);
	struct anpu_fault fault;

	ASSERT_EQ(0, vm_map(self->fd, VA(0), PAGE, self->bo, DRM_ANPU_VM_READ));
	EXPECT_EQ(1, PEEK(VA(0)));
	ASSERT_EQ(0, run(self->fd, self->s.id, &fill, 1));
	EXPECT_EQ(ANPU_FAULT_PERMISSION, last_fault(self->fd, self->s.id, &fault));
	EXPECT_EQ(VA(0), fault.addr);
	EXPECT_EQ(ANPU_ACCESS_WRITE, fault.access);
	EXPECT_EQ(1, self->mem[0]);
}

TEST_F(vm, mapping_keeps_the_object)
{
	ASSERT_EQ(0, vm_map(self->fd, VA(0), BO_SIZE, self->bo, RW));
	ASSERT_EQ(0, bo_close(self->fd, self->bo));
	ASSERT_EQ(0, munmap(self->mem, BO_SIZE));
	EXPECT_EQ(3, PEEK(VA(0) + 2 * PAGE));
	EXPECT_EQ(-ENOENT, vm_map(self->fd, VA(1), PAGE, self->bo, RW));
	ASSERT_EQ(0, vm_unmap(self->fd, VA(0), BO_SIZE));
	EXPECT_EQ(0, PEEK(VA(0) + 2 * PAGE));
}

TEST_F(vm, system_memory)
{
	uint64_t *sys;
	uint32_t h;

	sys = make_buffer(self->fd, DRM_ANPU_BO_SYSTEM, 6 * MIB, VA(2), RW, &h);
	ASSERT_NE(MAP_FAILED, sys);
	for (uint64_t i = 0; i < 6 * MIB / PAGE; i++)
		sys[i * PAGE / 8] = i + 1000;
	for (uint64_t i = 0; i < 6 * MIB / PAGE; i += 11)
		ASSERT_EQ(i + 1000, PEEK(VA(2) + i * PAGE));
	ASSERT_EQ(0, vm_unmap(self->fd, VA(2) + MIB, MIB));
	EXPECT_EQ(0, PEEK(VA(2) + MIB));
	EXPECT_EQ(1000, PEEK(VA(2)));
	EXPECT_EQ(1512, PEEK(VA(2) + 2 * MIB));
}

/*
 * Operations that replace each other cost what the last one does: else this would take minutes, with a suspend, a removal
 * and a SIGKILL waiting for each of the calls.
 */
TEST_F(vm, a_range_replaced_many_times)
{
	/* So that nothing is mapped by big pages. */
	const uint64_t size = 192 * MIB, va = VA(0) + PAGE;
	struct drm_anpu_vm_bind_op *ops = calloc(DRM_ANPU_MAX_BIND_OPS, sizeof(*ops));
	uint32_t big;

	ASSERT_NE(NULL, ops);
	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_HBM, size, 0, 0, &big));
	for (int i = 0; i < DRM_ANPU_MAX_BIND_OPS; i++)
		ops[i] = map_op(DRM_ANPU_VM_REPLACE, va, size, big, 0);
	ops[DRM_ANPU_MAX_BIND_OPS - 1] = map_op(DRM_ANPU_VM_REPLACE, va + MIB, BO_SIZE, self->bo, 0);
	for (int i = 0; i < 16; i++)
		ASSERT_EQ(0, vm_bind(self->fd, ops, DRM_ANPU_MAX_BIND_OPS, NULL));
	EXPECT_EQ(1, PEEK(va + MIB));
	EXPECT_EQ(BO_SIZE / PAGE, PEEK(va + MIB + BO_SIZE - PAGE));
	ASSERT_EQ(0, vm_unmap(self->fd, va + MIB, BO_SIZE));
	EXPECT_EQ(0, PEEK(va + MIB));
	free(ops);
}

/* A page of a number of operations at random, in one call, is what a program would see that applies them one by one. */
TEST_F(vm, many_operations_are_as_one_by_one)
{
	enum { PAGES = 1536, CALLS = 60, OPS = 24 };
	static uint64_t want[PAGES];
	unsigned int seed = 7;

	for (int call = 0; call < CALLS; call++) {
		struct drm_anpu_vm_bind_op ops[OPS];

		for (int i = 0; i < OPS; i++) {
			/* Often big pages, and often parts of them. */
			uint64_t unit = rand_r(&seed) % 3 ? 1 : 512;
			uint64_t at = rand_r(&seed) % PAGES / unit * unit;
			uint64_t n = 1 + rand_r(&seed) % (unit == 1 ? 300 : PAGES);
			uint64_t from = rand_r(&seed) % 512 / unit * unit;
			bool unmap = rand_r(&seed) % 3 == 0;

			if (n > PAGES - at)
				n = PAGES - at;
			ops[i] = map_op(unmap ? DRM_ANPU_VM_UNMAP : DRM_ANPU_VM_REPLACE, VA(0) + at * PAGE,
					n * PAGE, unmap ? 0 : self->bo, unmap ? 0 : from * PAGE);
			for (uint64_t j = 0; j < n; j++)
				want[at + j] = unmap ? 0 : from + j + 1;
		}
		ASSERT_EQ(0, vm_bind(self->fd, ops, OPS, NULL));
		for (int i = 0; i < PAGES; i += 1 + rand_r(&seed) % 64) {
			ASSERT_EQ(want[i], PEEK(VA(0) + i * PAGE)) {
				TH_LOG("call %d page %d", call, i);
			}
		}
	}
}

/* Big pages need no table of leaves; a part of one that goes needs one, and gives it back with the rest. */
TEST_F(vm, big_pages_need_no_tables)
{
	const char *line = "\ndrm-total-hbm-driver:\t";
	uint32_t odd[3], big, one, kib = PAGE >> 10;
	uint64_t before;

	/* Whatever was given to others before, and whatever was left between them. */
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_HBM, PAGE + i * 16 * PAGE, 0, 0, &odd[i]));
	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_HBM, 4 * MIB, 0, 0, &big));
	/* The tables above are there. */
	ASSERT_EQ(0, vm_map(self->fd, VA(2), PAGE, self->bo, RW));
	before = fdinfo_number(self->fd, line);
	ASSERT_EQ(0, vm_map(self->fd, VA(1), 4 * MIB, big, RW));
	EXPECT_EQ(before, fdinfo_number(self->fd, line));
	/* An object of one big page is aligned as that is. */
	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_HBM, 3 * MIB + 16 * PAGE, 0, 0, &odd[0]));
	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_HBM, 2 * MIB, 0, 0, &one));
	ASSERT_EQ(0, vm_map(self->fd, VA(6), 2 * MIB, one, RW));
	EXPECT_EQ(before, fdinfo_number(self->fd, line));
	/* Exactly one big page of an object: its second. */
	ASSERT_EQ(0, vm_op(self->fd, DRM_ANPU_VM_MAP, VA(3), 2 * MIB, big, 2 * MIB, RW));
	EXPECT_EQ(before, fdinfo_number(self->fd, line));
	/* Not aligned in one of both: two tables each. */
	ASSERT_EQ(0, vm_op(self->fd, DRM_ANPU_VM_MAP, VA(4), 2 * MIB, big, PAGE, RW));
	EXPECT_EQ(before + kib, fdinfo_number(self->fd, line));
	ASSERT_EQ(0, vm_op(self->fd, DRM_ANPU_VM_MAP, VA(5) + PAGE, 2 * MIB, big, PAGE, RW));
	EXPECT_EQ(before + 3 * kib, fdinfo_number(self->fd, line));
	ASSERT_EQ(0, vm_unmap(self->fd, VA(4), 2 * MIB));
	ASSERT_EQ(0, vm_unmap(self->fd, VA(5), 4 * MIB));
	EXPECT_EQ(before, fdinfo_number(self->fd, line));
	ASSERT_EQ(0, vm_unmap(self->fd, VA(1) + 7 * PAGE, PAGE));
	EXPECT_EQ(before + kib, fdinfo_number(self->fd, line));
	ASSERT_EQ(0, vm_unmap(self->fd, VA(1) + 2 * MIB, 2 * MIB));
	EXPECT_EQ(before + kib, fdinfo_number(self->fd, line));
	ASSERT_EQ(0, vm_unmap(self->fd, VA(1), 2 * MIB));
	EXPECT_EQ(before, fdinfo_number(self->fd, line));
}

/* What is refused leaves no table behind, and no reference to an object. */
TEST_F(vm, refused_calls_leave_nothing)
{
	const char *line = "\ndrm-total-hbm-driver:\t";
	uint64_t tables = fdinfo_number(self->fd, line), unused;
	struct drm_anpu_vm_bind_op ops[3];
	uint32_t bo, failed;

	ASSERT_EQ(0, vm_map(self->fd, VA(2), PAGE, self->bo, RW));
	ASSERT_EQ(0, vm_unmap(self->fd, VA(2), PAGE));
	EXPECT_EQ(tables, fdinfo_number(self->fd, line));
	unused = hbm_free(self->fd);
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_HBM, MIB, 0, 0, &bo));
		ops[0] = map_op(DRM_ANPU_VM_MAP, VA(30), PAGE, bo, 0);
		ops[1] = map_op(DRM_ANPU_VM_REPLACE, VA(30), MIB, bo, 0);
		/* Another object between two of the same one, and then one that is not there, or not free. */
		ops[2] = i == 0 ? map_op(DRM_ANPU_VM_MAP, VA(30) + PAGE, PAGE, bo, 0) :
			 i == 1 ? map_op(DRM_ANPU_VM_MAP, VA(31), PAGE, bo + 100, 0) :
				  map_op(DRM_ANPU_VM_MAP, VA(31), PAGE, self->bo, BO_SIZE);
		EXPECT_EQ(i == 0 ? -EEXIST : i == 1 ? -ENOENT : -EINVAL, vm_bind(self->fd, ops, 3, &failed));
		EXPECT_EQ(2, failed);
		EXPECT_EQ(tables, fdinfo_number(self->fd, line));
		ASSERT_EQ(0, bo_close(self->fd, bo));
		EXPECT_TRUE(SOON(hbm_free(self->fd) == unused));
	}
}

/* How many bytes debugfs says are mapped, of all files together; -1 if it does not. */
static long long all_mapped(void)
{
	char *text = read_text(DEVICE_FILES "address_spaces"), *at = text;
	long long sum = *text ? 0 : -1;

	while ((at = strstr(at, ": mapped "))) {
		at += strlen(": mapped ");
		sum += atoll(at);
	}
	free(text);
	return sum;
}

/* What debugfs says is mapped is what is mapped, however mappings were cut and replaced. */
TEST_F(vm, the_sum_of_mappings)
{
	long long before = all_mapped();

	if (before < 0)
		SKIP(return, "no debugfs");
	ASSERT_EQ(0, vm_map(self->fd, VA(0), BO_SIZE, self->bo, RW));
	EXPECT_EQ(before + BO_SIZE, all_mapped());
	ASSERT_EQ(0, vm_unmap(self->fd, VA(0) + 3 * PAGE, 2 * PAGE));
	ASSERT_EQ(0, vm_op(self->fd, DRM_ANPU_VM_REPLACE, VA(0) + MIB, MIB, self->bo, 0, RW));
	EXPECT_EQ(before + BO_SIZE - 2 * PAGE, all_mapped());
	EXPECT_EQ(-EEXIST, vm_map(self->fd, VA(0) + 2 * PAGE, 3 * PAGE, self->bo, RW));
	EXPECT_EQ(before + BO_SIZE - 2 * PAGE, all_mapped());
	ASSERT_EQ(0, vm_unmap(self->fd, VA(0), BO_SIZE));
	EXPECT_EQ(before, all_mapped());
}

/* What a call cuts off a mapping twice stays where it is: the device, which copies from it all the time, never misses it. */
TEST_F(vm, parts_that_stay_are_never_away)
{
	enum { ROUNDS = 150 };
	const uint64_t va = VA(0) + PAGE, kept = va + 16 * PAGE, size = BO_SIZE - 16 * PAGE;
	struct drm_anpu_vm_bind_op ops[] = {
		map_op(DRM_ANPU_VM_UNMAP, va, 8 * PAGE, 0, 0),
		map_op(DRM_ANPU_VM_UNMAP, va + 8 * PAGE, 8 * PAGE, 0, 0),
	};
	union anpu_packet copy = pkt_copy(VA(50), kept, size);
	uint64_t seq = 0;

	ASSERT_NE(MAP_FAILED, make_buffer(self->fd, DRM_ANPU_BO_HBM, BO_SIZE, VA(50), RW, NULL));
	/* Not aligned: a page of 4 KiB each */
	for (int i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(0, wait_seq(self->fd, self->s.id, seq));
		ASSERT_EQ(0, vm_op(self->fd, DRM_ANPU_VM_REPLACE, va, BO_SIZE, self->bo, 0, RW));
		for (int n = 0; n < 4; n++)
			ASSERT_EQ(0, submit(self->fd, self->s.id, &copy, 1, &seq));
		ASSERT_EQ(0, vm_bind(self->fd, ops, 2, NULL));
	}
	ASSERT_EQ(0, wait_seq(self->fd, self->s.id, seq));
	EXPECT_EQ(0, self->s.status->errors);
}

static long long kernel_memory_kb(void)
{
	char text[8192], *at;

	read_some("/proc/meminfo", text, sizeof(text));
	at = strstr(text, "\nSlab:");
	return at ? atoll(at + strlen("\nSlab:")) : -1;
}

/* Mappings that were prepared for a call that is refused are given back. */
TEST_F(vm, refused_calls_keep_no_memory)
{
	struct drm_anpu_vm_bind_op *ops = calloc(DRM_ANPU_MAX_BIND_OPS, sizeof(*ops));
	long long before;

	ASSERT_NE(NULL, ops);
	ASSERT_EQ(0, vm_map(self->fd, VA(0), PAGE, self->bo, RW));
	for (int i = 0; i < DRM_ANPU_MAX_BIND_OPS; i++)
		ops[i] = map_op(DRM_ANPU_VM_MAP, VA(0) + i * PAGE, PAGE, self->bo, 0);
	EXPECT_EQ(-EEXIST, vm_bind(self->fd, ops, DRM_ANPU_MAX_BIND_OPS, NULL));
	/* Where the driver is, others do not take memory meanwhile. */
	if (all_mapped() < 0)
		SKIP(return, "no debugfs");
	before = kernel_memory_kb();
	for (int i = 0; i < 200; i++)
		ASSERT_EQ(-EEXIST, vm_bind(self->fd, ops, DRM_ANPU_MAX_BIND_OPS, NULL));
	/* 4096 mappings of each call would be half a MiB. */
	EXPECT_GT(before + (32 << 10), kernel_memory_kb());
	free(ops);
}

TEST_HARNESS_MAIN
