// SPDX-License-Identifier: MIT
/* aclrtHostRegister, its variants, aclrtHostUnregister, aclrtHostGetDevicePointer. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "../acltest.h"

#define PAGE 4096UL

static void *pages(size_t size, int prot)
{
	void *p = mmap(NULL, size, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	return p;
}

static void kernels_read_and_write_it(void)
{
	uint64_t *mem, *dev = NULL, *alias = NULL;

	start();
	mem = pages(16 * PAGE, PROT_READ | PROT_WRITE);
	mem[0] = 77;
	ACL(aclrtHostRegister(mem, 16 * PAGE, ACL_HOST_REGISTER_MAPPED, (void **)&dev));
	CHECK(dev);
	LAUNCH(op("load_store"), 1, NULL, U64(&dev[8 * 512]), U64(&dev[0]));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(mem[8 * 512], 77);
	/* zero-copy: what the program stores now is what the next kernel reads */
	mem[0] = 78;
	LAUNCH(op("load_store"), 1, NULL, U64(&dev[1]), U64(&dev[0]));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(mem[1], 78);
	ACL(aclrtHostGetDevicePointer(&mem[5], (void **)&alias, 0));
	CHECK(alias == dev + 5);
	ACL(aclrtHostUnregister(mem));
	/* it is the program's again, and the device's no more */
	mem[0] = 1;
	LAUNCH(op("store"), 1, NULL, U64(dev), 5);
	FAILS(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION);
	CHECK_EQ(mem[0], 1);
	munmap(mem, 16 * PAGE);
}

/* Any size: whole pages are registered */
static void heap_memory_of_any_size(void)
{
	char *mem = NULL, *dev;

	start();
	CHECK_EQ(posix_memalign((void **)&mem, PAGE, 3 * PAGE), 0);
	ACL(aclrtHostRegister(mem, PAGE + 10, ACL_HOST_REGISTER_MAPPED, (void **)&dev));
	LAUNCH(op("store"), 1, NULL, U64(dev + PAGE), 5);
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(*(uint64_t *)(mem + PAGE), 5);
	ACL(aclrtHostUnregister(mem));
	ACL(aclrtHostRegister(mem, 3 * PAGE, ACL_HOST_REGISTER_MAPPED, (void **)&dev));
	ACL(aclrtHostUnregister(mem));
	free(mem);
}

static void readonly(void)
{
	uint64_t *mem, *dev, *out;

	start();
	mem = pages(2 * PAGE, PROT_READ | PROT_WRITE);
	mem[3] = 33;
	CHECK_EQ(mprotect(mem, 2 * PAGE, PROT_READ), 0);
	FAILS(aclrtHostRegister(mem, PAGE, ACL_HOST_REGISTER_MAPPED, (void **)&dev),
	      ACL_ERROR_RT_PARAM_INVALID, "writable");
	ACL(aclrtHostRegister(mem, PAGE, ACL_HOST_REGISTER_READONLY, (void **)&dev));
	out = dev_alloc(8);
	LAUNCH(op("load_store"), 1, NULL, U64(out), U64(&dev[3]));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(out), 33);
	LAUNCH(op("store"), 1, NULL, U64(dev), 5);
	FAILS(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION, "write");
	ACL(aclrtHostUnregister(mem));
}

static void copies_of_all_kinds(void)
{
	enum { SIZE = 1 << 20 };
	aclrtStream stream;
	char *mem, *dev, *map;

	start();
	stream = new_stream();
	mem = pages(SIZE + PAGE, PROT_READ | PROT_WRITE);
	dev = dev_alloc(SIZE);
	for (int flag = 0; flag < 3; flag++) {
		uint32_t flags[] = { ACL_HOST_REG_PINNED, ACL_HOST_REG_MAPPED,
				     ACL_HOST_REG_READONLY | ACL_HOST_REG_PINNED };

		ACL(aclrtHostRegisterV2(mem, SIZE, flags[flag]));
		fill_pattern(mem, SIZE, 5);
		ACL(aclrtMemcpyAsync(dev, SIZE, mem, SIZE, ACL_MEMCPY_HOST_TO_DEVICE, stream));
		ACL(aclrtSynchronizeStream(stream));
		CHECK_DEVICE(dev, SIZE, 5);
		memset(mem, 0, SIZE);
		ACL(aclrtMemcpyAsync(mem, SIZE, dev, SIZE, ACL_MEMCPY_DEVICE_TO_HOST, stream));
		ACL(aclrtSynchronizeStream(stream));
		CHECK_PATTERN(mem, SIZE, 5);
		memset(mem, 0, SIZE);
		ACL(aclrtMemcpy(mem + 1, SIZE, dev, SIZE - 1, ACL_MEMCPY_DEVICE_TO_HOST));
		CHECK_PATTERN(mem + 1, SIZE - 1, 5);
		/* over the end of the registration: it is the program's memory there, too */
		ACL(aclrtMemcpy(mem + PAGE, SIZE, dev, SIZE, ACL_MEMCPY_DEVICE_TO_HOST));
		CHECK_PATTERN(mem + PAGE, SIZE, 5);
		ACL(aclrtHostUnregister(mem));
	}
	ACL(aclrtHostRegisterV2(mem, SIZE, ACL_HOST_REG_PINNED));
	FAILS(aclrtHostGetDevicePointer(mem, (void **)&map, 0), ACL_ERROR_RT_PARAM_INVALID,
	      "ACL_HOST_REG_MAPPED");
	ACL(aclrtHostUnregister(mem));
}

/* Only all of it is what the program has from aclrtMallocHost(), and managed memory is no memory of its own */
static void no_part_of_pinned_or_managed_memory_is_registered(void)
{
	char *pinned, *managed = NULL;
	void *dev;

	start();
	pinned = pinned_alloc(4 * PAGE);
	FAILS(aclrtHostRegisterV2(pinned, PAGE, ACL_HOST_REG_MAPPED),
	      ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "known to the device already");
	FAILS(aclrtHostRegister(pinned, 3 * PAGE, ACL_HOST_REGISTER_MAPPED, &dev),
	      ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
	FAILS(aclrtHostRegisterV2(pinned + PAGE, 3 * PAGE, ACL_HOST_REG_MAPPED),
	      ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
	ACL(aclrtHostRegisterV2(pinned, 3 * PAGE + 1, ACL_HOST_REG_MAPPED));
	ACL(aclrtHostUnregister(pinned));
	ACL(aclrtFreeHost(pinned));
	ACL(aclrtMemAllocManaged((void **)&managed, 2 << 20, ACL_RT_MEM_ATTACH_GLOBAL));
	FAILS(aclrtHostRegisterV2(managed, PAGE, ACL_HOST_REG_MAPPED),
	      ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
	FAILS(aclrtHostRegisterV2(managed, 2 << 20, ACL_HOST_REG_MAPPED),
	      ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
	ACL(aclrtFree(managed));
}

/* Memory of aclrtMallocHost() has its device pointer anyway; programs register it all the same */
static void pinned_memory_is_registered_once_more(void)
{
	uint64_t *pinned, *small, *dev;

	start();
	pinned = pinned_alloc(PAGE);
	small = pinned_alloc(64);
	for (int i = 0; i < 2; i++) {
		ACL(aclrtHostRegisterV2(pinned, PAGE, ACL_HOST_REG_MAPPED));
		FAILS(aclrtHostRegisterV2(pinned, PAGE, ACL_HOST_REG_MAPPED),
		      ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
		ACL(aclrtHostGetDevicePointer(pinned, (void **)&dev, 0));
		LAUNCH(op("store"), 1, NULL, U64(dev), 7 + i);
		ACL(aclrtSynchronizeStream(NULL));
		CHECK_EQ(*pinned, 7 + i);
		ACL(aclrtHostUnregister(pinned));
		FAILS(aclrtHostUnregister(pinned), ACL_ERROR_HOST_MEMORY_NOT_REGISTERED,
		      "aclrtMallocHost");
	}
	ACL(aclrtHostRegister(small, 64, ACL_HOST_REGISTER_MAPPED, (void **)&dev));
	CHECK(dev == small);
	/* more than there is, or a part */
	CHECK(aclrtHostRegisterV2(pinned, 4096 * PAGE, ACL_HOST_REG_MAPPED) != ACL_SUCCESS);
	ACL(aclrtHostRegisterV2(pinned, PAGE, ACL_HOST_REG_PINNED));
	ACL(aclrtFreeHost(pinned));
	ACL(aclrtFreeHost(small));
}

static void errors(void)
{
	char *mem, *pinned;
	void *dev;

	start();
	mem = pages(8 * PAGE, PROT_READ | PROT_WRITE);
	pinned = pinned_alloc(PAGE);
	FAILS(aclrtHostRegister(NULL, PAGE, ACL_HOST_REGISTER_MAPPED, &dev),
	      ACL_ERROR_INVALID_PARAM, "ptr");
	FAILS(aclrtHostRegister(mem, PAGE, ACL_HOST_REGISTER_MAPPED, NULL),
	      ACL_ERROR_INVALID_PARAM, "devPtr");
	FAILS(aclrtHostRegister(mem, 0, ACL_HOST_REGISTER_MAPPED, &dev), ACL_ERROR_INVALID_PARAM,
	      "size is 0");
	FAILS(aclrtHostRegister(mem, PAGE, (aclrtHostRegisterType)3, &dev),
	      ACL_ERROR_INVALID_PARAM, "3");
	FAILS(aclrtHostRegister(mem, PAGE, ACL_HOST_REGISTER_IOMEMORY, &dev),
	      ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
	FAILS(aclrtHostRegister(mem + 8, PAGE, ACL_HOST_REGISTER_MAPPED, &dev),
	      ACL_ERROR_RT_ADDR_UNALIGNED, "4096");
	FAILS(aclrtHostRegister((void *)(1UL << 50), PAGE, ACL_HOST_REGISTER_MAPPED, &dev),
	      ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclrtHostRegister(mem, ~0UL, ACL_HOST_REGISTER_MAPPED, &dev),
	      ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclrtHostRegister((void *)PAGE, PAGE, ACL_HOST_REGISTER_MAPPED, &dev),
	      ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "mmap");
	FAILS(aclrtHostRegister((char *)dev_alloc(2 << 20), PAGE, ACL_HOST_REGISTER_MAPPED, &dev),
	      ACL_ERROR_RT_PARAM_INVALID, "device memory");
	munmap(mem + 4 * PAGE, PAGE);
	FAILS(aclrtHostRegister(mem, 8 * PAGE, ACL_HOST_REGISTER_MAPPED, &dev),
	      ACL_ERROR_RT_PARAM_INVALID, "not all mapped");
	ACL(aclrtHostRegister(mem + PAGE, 2 * PAGE, ACL_HOST_REGISTER_MAPPED, &dev));
	FAILS(aclrtHostRegister(mem, 2 * PAGE, ACL_HOST_REGISTER_MAPPED, &dev),
	      ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
	FAILS(aclrtHostRegister(mem + 2 * PAGE, PAGE, ACL_HOST_REGISTER_MAPPED, &dev),
	      ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
	FAILS(aclrtHostRegisterV2(mem, PAGE, 0), ACL_ERROR_INVALID_PARAM, "flag");
	FAILS(aclrtHostRegisterV2(mem, PAGE, 0x40), ACL_ERROR_INVALID_PARAM, "0x40");
	FAILS(aclrtHostRegisterV2(mem, PAGE, ACL_HOST_REG_IOMEMORY),
	      ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
	FAILS(aclrtHostUnregister(NULL), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtHostUnregister(mem), ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, "not registered");
	FAILS(aclrtHostUnregister(mem + 2 * PAGE), ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, "start");
	FAILS(aclrtHostUnregister(pinned), ACL_ERROR_HOST_MEMORY_NOT_REGISTERED,
	      "aclrtMallocHost");
	FAILS(aclrtFreeHost(mem + PAGE), ACL_ERROR_RT_PARAM_INVALID, "aclrtHostUnregister");
	FAILS(aclrtHostGetDevicePointer(mem, &dev, 0), ACL_ERROR_HOST_MEMORY_NOT_REGISTERED);
	FAILS(aclrtHostGetDevicePointer(mem + PAGE, &dev, 1), ACL_ERROR_INVALID_PARAM, "flag");
	FAILS(aclrtHostGetDevicePointer(NULL, &dev, 0), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtHostGetDevicePointer(mem, NULL, 0), ACL_ERROR_INVALID_PARAM);
	ACL(aclrtHostGetDevicePointer(pinned, &dev, 0));
	CHECK(dev == pinned);
	ACL(aclrtHostUnregister(mem + PAGE));
	FAILS(aclrtHostUnregister(mem + PAGE), ACL_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

/* Ranges may touch each other; a single page that is shared is refused, from either side and from around. */
static void ranges_side_by_side(void)
{
	char *mem, *dev[3];
	void *other;

	start();
	mem = pages(8 * PAGE, PROT_READ | PROT_WRITE);
	ACL(aclrtHostRegister(mem + 3 * PAGE, 2 * PAGE, ACL_HOST_REGISTER_MAPPED, (void **)&dev[1]));
	FAILS(aclrtHostRegister(mem + 2 * PAGE, PAGE + 1, ACL_HOST_REGISTER_MAPPED, &other), ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
	FAILS(aclrtHostRegister(mem + 4 * PAGE, 2 * PAGE, ACL_HOST_REGISTER_MAPPED, &other), ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
	FAILS(aclrtHostRegister(mem, 8 * PAGE, ACL_HOST_REGISTER_MAPPED, &other), ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
	ACL(aclrtHostRegister(mem + PAGE, 2 * PAGE, ACL_HOST_REGISTER_MAPPED, (void **)&dev[0]));
	ACL(aclrtHostRegister(mem + 5 * PAGE, 1, ACL_HOST_REGISTER_MAPPED, (void **)&dev[2]));
	/* each is memory of its own, to its last byte */
	LAUNCH(op("store"), 1, NULL, U64(dev[0] + 2 * PAGE - 8), 1);
	LAUNCH(op("store"), 1, NULL, U64(dev[1]), 2);
	LAUNCH(op("store"), 1, NULL, U64(dev[1] + 2 * PAGE - 8), 3);
	LAUNCH(op("store"), 1, NULL, U64(dev[2]), 4);
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(*(uint64_t *)(mem + 3 * PAGE - 8), 1);
	CHECK_EQ(*(uint64_t *)(mem + 3 * PAGE), 2);
	CHECK_EQ(*(uint64_t *)(mem + 5 * PAGE - 8), 3);
	CHECK_EQ(*(uint64_t *)(mem + 5 * PAGE), 4);
	ACL(aclrtHostUnregister(mem + 3 * PAGE));
	ACL(aclrtHostGetDevicePointer(mem + 3 * PAGE - 1, &other, 0));
	CHECK(other == dev[0] + 2 * PAGE - 1);
	FAILS(aclrtHostGetDevicePointer(mem + 3 * PAGE, &other, 0), ACL_ERROR_HOST_MEMORY_NOT_REGISTERED);
	FAILS(aclrtHostGetDevicePointer(mem + 5 * PAGE - 1, &other, 0), ACL_ERROR_HOST_MEMORY_NOT_REGISTERED);
	ACL(aclrtHostGetDevicePointer(mem + 5 * PAGE, &other, 0));
	CHECK(other == dev[2]);
	ACL(aclrtHostRegister(mem + 3 * PAGE, 2 * PAGE, ACL_HOST_REGISTER_MAPPED, &other));
	for (int i = 1; i < 6; i += 2)
		ACL(aclrtHostUnregister(mem + i * PAGE));
}

static void the_limit_of_locked_memory(void)
{
	struct rlimit limit = { 65536, 65536 };
	void *mem, *dev;

	if (!has_driver())
		SKIP("the direct engine: no memory is locked");
	start();
	mem = pages(1 << 20, PROT_READ | PROT_WRITE);
	CHECK_EQ(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
	if (setuid(65534))
		SKIP("this user cannot become another one");
	FAILS(aclrtHostRegister(mem, 1 << 20, ACL_HOST_REGISTER_MAPPED, &dev),
	      ACL_ERROR_RT_MEMORY_ALLOCATION, "ulimit -l");
}

/* After the device is reset the memory is the program's alone */
static void a_reset_ends_registrations(void)
{
	void *mem, *dev;

	start();
	mem = pages(PAGE, PROT_READ | PROT_WRITE);
	ACL(aclrtHostRegister(mem, PAGE, ACL_HOST_REGISTER_MAPPED, &dev));
	ACL(aclrtResetDevice(0));
	ACL(aclrtSetDevice(0));
	FAILS(aclrtHostUnregister(mem), ACL_ERROR_HOST_MEMORY_NOT_REGISTERED);
	ACL(aclrtHostRegister(mem, PAGE, ACL_HOST_REGISTER_MAPPED, &dev));
	ACL(aclrtHostUnregister(mem));
}

static void many_times_leaks_nothing(void)
{
	char *mem;
	void *dev;

	start();
	mem = pages(64 * PAGE, PROT_READ | PROT_WRITE);
	for (int i = 0; i < 500; i++) {
		char *at = mem + (i % 60) * PAGE;

		ACL(aclrtHostRegister(at, 4 * PAGE, ACL_HOST_REGISTER_MAPPED, &dev));
		ACL(aclrtHostUnregister(at));
	}
}

static void host_memory_with_attributes(void)
{
	aclrtMallocAttribute attr[2] = { { ACL_RT_MEM_ATTR_MODULE_ID, { .moduleId = 3 } },
					 { ACL_RT_MEM_ATTR_VA_FLAG, { .vaFlag = 1 } } };
	aclrtMallocConfig cfg = { attr, 2 };
	uint64_t *p = NULL;

	start();
	ACL(aclrtMallocHostWithCfg((void **)&p, 100, &cfg));
	LAUNCH(op("store"), 1, NULL, U64(p), 9);
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(*p, 9);
	ACL(aclrtFreeHost(p));
	ACL(aclrtMallocHostWithCfg((void **)&p, 100, NULL));
	ACL(aclrtFreeHost(p));
	FAILS(aclrtMallocHostWithCfg(NULL, 100, NULL), ACL_ERROR_INVALID_PARAM, "ptr");
	FAILS(aclrtMallocHostWithCfg((void **)&p, 0, NULL), ACL_ERROR_INVALID_PARAM, "size");
	attr[1].value.vaFlag = 2;
	FAILS(aclrtMallocHostWithCfg((void **)&p, 100, &cfg), ACL_ERROR_INVALID_PARAM, "vaFlag");
	attr[1].attr = ACL_RT_MEM_ATTR_DEVICE_ID;
	FAILS(aclrtMallocHostWithCfg((void **)&p, 100, &cfg), ACL_ERROR_INVALID_PARAM,
	      "attribute 1");
	/* each attribute is looked at, the first and an only one, too */
	for (cfg.numAttrs = 2; cfg.numAttrs; cfg.numAttrs--) {
		attr[1] = (aclrtMallocAttribute){ ACL_RT_MEM_ATTR_VA_FLAG, { .vaFlag = 0 } };
		attr[0] = (aclrtMallocAttribute){ ACL_RT_MEM_ATTR_DEVICE_ID, { .deviceId = 0 } };
		FAILS(aclrtMallocHostWithCfg((void **)&p, 100, &cfg), ACL_ERROR_INVALID_PARAM, "attribute 0");
		attr[0] = (aclrtMallocAttribute){ ACL_RT_MEM_ATTR_VA_FLAG, { .vaFlag = 2 } };
		FAILS(aclrtMallocHostWithCfg((void **)&p, 100, &cfg), ACL_ERROR_INVALID_PARAM, "vaFlag is 2");
		attr[0].value.vaFlag = 0;
		ACL(aclrtMallocHostWithCfg((void **)&p, 100, &cfg));
		ACL(aclrtFreeHost(p));
	}
	cfg.attrs = NULL;
	ACL(aclrtMallocHostWithCfg((void **)&p, 100, &cfg)); /* none of no attributes */
	ACL(aclrtFreeHost(p));
	cfg.numAttrs = 1;
	FAILS(aclrtMallocHostWithCfg((void **)&p, 100, &cfg), ACL_ERROR_INVALID_PARAM, "NULL");
}

/* With anpu-server its pages change their place meanwhile */
#define COUNTERS 64
static uint64_t *counted;
static atomic_bool counting;

static void *count_up(void *arg)
{
	uint64_t *mine = counted + (uintptr_t)arg, n = 0;

	while (atomic_load(&counting)) {
		n++;
		for (unsigned int i = 0; i < COUNTERS; i++)
			((volatile uint64_t *)mine)[i * 512]++;
	}
	return (void *)(uintptr_t)n;
}

static void threads_write_while_it_is_registered(void)
{
	pthread_t thread[3];
	void *dev, *n;

	start();
	counted = pages(COUNTERS * PAGE, PROT_READ | PROT_WRITE);
	atomic_store(&counting, true);
	for (uintptr_t i = 0; i < 3; i++)
		CHECK_EQ(pthread_create(&thread[i], NULL, count_up, (void *)i), 0);
	for (unsigned int i = 0; i < 200; i++) {
		ACL(aclrtHostRegister(counted, COUNTERS * PAGE, ACL_HOST_REGISTER_MAPPED, &dev));
		ACL(aclrtHostUnregister(counted));
	}
	atomic_store(&counting, false);
	for (unsigned int i = 0; i < 3; i++) {
		CHECK_EQ(pthread_join(thread[i], &n), 0);
		for (unsigned int k = 0; k < COUNTERS; k++)
			CHECK_EQ(counted[k * 512 + i], (uintptr_t)n);
	}
}

static void one_byte(int fd, bool out)
{
	char c = 0;

	CHECK_EQ(out ? write(fd, &c, 1) : read(fd, &c, 1), 1);
}

static void a_child_has_a_copy_of_its_own(void)
{
	int there[2], back[2], status;
	volatile uint64_t *mem;
	uint64_t *dev;
	pid_t pid;

	start();
	mem = pages(2 * PAGE, PROT_READ | PROT_WRITE);
	mem[0] = 1;
	ACL(aclrtHostRegister((void *)(uintptr_t)mem, 2 * PAGE, ACL_HOST_REGISTER_MAPPED, (void **)&dev));
	CHECK_EQ(pipe(there), 0);
	CHECK_EQ(pipe(back), 0);
	pid = fork();
	if (!pid) {
		one_byte(there[0], false);
		if (mem[0] != 1)
			_exit(1);
		mem[0] = 2;
		mem[1] = 2;
		one_byte(back[1], true);
		_exit(0);
	}
	mem[0] = 3;
	one_byte(there[1], true);
	one_byte(back[0], false);
	CHECK_EQ(mem[1], 0);
	LAUNCH(op("load_store"), 1, NULL, U64(&dev[5]), U64(&dev[0]));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(mem[5], 3);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	ACL(aclrtHostUnregister((void *)(uintptr_t)mem));
}

/* After aclrtHostUnregister() it is what it was: private, and given back by MADV_DONTNEED */
static void afterwards_it_is_private_memory_again(void)
{
	uint64_t *mem, *dev;

	start();
	mem = pages(4 * PAGE, PROT_READ | PROT_WRITE);
	mem[0] = 7;
	ACL(aclrtHostRegister(mem, 4 * PAGE, ACL_HOST_REGISTER_MAPPED, (void **)&dev));
	LAUNCH(op("store"), 1, NULL, U64(&dev[512]), 5);
	ACL(aclrtSynchronizeStream(NULL));
	ACL(aclrtHostUnregister(mem));
	CHECK_EQ(mem[0], 7);
	CHECK_EQ(mem[512], 5);
	CHECK_EQ(madvise(mem, 4 * PAGE, MADV_DONTNEED), 0);
	CHECK_EQ(mem[0], 0);
	CHECK_EQ(mem[512], 0);
	/* and it may end before its registration does */
	mem[0] = 8;
	ACL(aclrtHostRegister(mem, 4 * PAGE, ACL_HOST_REGISTER_MAPPED, (void **)&dev));
	munmap(mem, 4 * PAGE);
	ACL(aclrtHostUnregister(mem));
}

static void memory_that_processes_share(void)
{
	int fd = memfd_create("shared", MFD_CLOEXEC);
	uint64_t *mem, *dev, value = 0;

	start();
	CHECK_EQ(ftruncate(fd, 8 * PAGE), 0);
	mem = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 2 * PAGE);
	CHECK(mem != MAP_FAILED);
	ACL(aclrtHostRegister(mem, 4 * PAGE, ACL_HOST_REGISTER_MAPPED, (void **)&dev));
	LAUNCH(op("store"), 1, NULL, U64(&dev[512]), 5);
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(mem[512], 5);
	CHECK_EQ(pread(fd, &value, 8, 3 * PAGE), 8);
	CHECK_EQ(value, 5);
	if (!has_driver()) {
		/* pages are not pinned: those that went away are a fault of the task, and of nothing else */
		CHECK_EQ(ftruncate(fd, 0), 0);
		LAUNCH(op("store"), 1, NULL, U64(&dev[512]), 6);
		FAILS(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION);
		CHECK_EQ(ftruncate(fd, 8 * PAGE), 0);
		LAUNCH(op("store"), 1, NULL, U64(&dev[512]), 6);
		ACL(aclrtSynchronizeStream(NULL));
		CHECK_EQ(mem[512], 6);
	}
	ACL(aclrtHostUnregister(mem));
	close(fd);
}

static void memory_that_a_server_cannot_have(void)
{
	const char *engine = getenv("ANPU_DEVICE");
	char room[2 * PAGE], *on_stack = (char *)(((uintptr_t)room + PAGE - 1) & ~(PAGE - 1));
	char name[] = "build/tests/libacl/hostreg.XXXXXX", *mem;
	void *dev;
	int fd;

	if (!engine || strncmp(engine, "server", 6))
		SKIP("for anpu-server");
	start();
	FAILS(aclrtHostRegister(on_stack, PAGE, ACL_HOST_REGISTER_MAPPED, &dev), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
	      "stack");
	fd = mkstemp(name);
	CHECK_OP(fd, >=, 0);
	unlink(name);
	CHECK_EQ(ftruncate(fd, PAGE), 0);
	mem = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(mem != MAP_FAILED);
	FAILS(aclrtHostRegister(mem, PAGE, ACL_HOST_REGISTER_MAPPED, &dev), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "file");
	/* of a file that it does not write to, the program has a copy of its own */
	mem = mmap(mem, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, 0);
	CHECK(mem != MAP_FAILED);
	ACL(aclrtHostRegister(mem, PAGE, ACL_HOST_REGISTER_MAPPED, &dev));
	ACL(aclrtHostUnregister(mem));
}

TAP_MAIN(TEST(kernels_read_and_write_it),
	 TEST(heap_memory_of_any_size),
	 TEST(readonly),
	 TEST(copies_of_all_kinds),
	 TEST(pinned_memory_is_registered_once_more), TEST(no_part_of_pinned_or_managed_memory_is_registered),
	 TEST(errors),
	 TEST(ranges_side_by_side), TEST(the_limit_of_locked_memory),
	 TEST(a_reset_ends_registrations),
	 TEST(many_times_leaks_nothing),
	 TEST(threads_write_while_it_is_registered),
	 TEST(a_child_has_a_copy_of_its_own),
	 TEST(afterwards_it_is_private_memory_again),
	 TEST(memory_that_processes_share),
	 TEST(memory_that_a_server_cannot_have),
	 TEST(host_memory_with_attributes))
