// SPDX-License-Identifier: MIT
/* Streams and memory with options, and cache hints. */
#include <fcntl.h>
#include <unistd.h>

#include "../acltest.h"

static void streams_from_options(void)
{
	aclrtStreamConfigHandle *options = aclrtCreateStreamConfigHandle();
	size_t flag = ACL_STREAM_FAST_LAUNCH;
	uint32_t priority = 5, got = 0;
	uint64_t *word;
	aclrtStream s;

	CHECK(options);
	start();
	word = dev_alloc(8);
	ACL(aclrtSetStreamConfigOpt(options, ACL_RT_STREAM_FLAG, &flag, sizeof(flag)));
	ACL(aclrtSetStreamConfigOpt(options, ACL_RT_STREAM_PRIORITY, &priority, sizeof(priority)));
	ACL(aclrtCreateStreamV2(&s, options));
	ACL(aclrtStreamGetPriority(s, &got));
	CHECK_EQ(got, 5);
	ACL(aclrtStreamGetFlags(s, &got));
	CHECK_EQ(got, ACL_STREAM_FAST_LAUNCH);
	ACL(aclrtDestroyStreamConfigHandle(options));
	LAUNCH(op("store"), 1, s, U64(word), 9);
	ACL(aclrtSynchronizeStream(s));
	CHECK_EQ(read_u64(word), 9);
	ACL(aclrtCreateStreamV2(&s, NULL));
	ACL(aclrtDestroyStream(s));
}

/* The operator of a machine keeps priorities for privileged users: everybody else gets the most urgent of the rest */
static void priorities_that_are_kept_for_others(void)
{
	aclrtStreamAttrValue v = { .streamPriority = 1 };
	uint32_t got = 99;
	aclrtStream s;
	int fd;

	if (!has_driver())
		SKIP("the direct engine: the device is the user's own, so no priorities are kept");
	fd = open("/sys/module/anpu/parameters/unprivileged_priority", O_WRONLY);
	CHECK(fd >= 0);
	CHECK_EQ(pwrite(fd, "5", 1, 0), 1);
	start();
	if (setgid(65534) || setuid(65534))
		SKIP("this user cannot become another one");
	ACL(aclrtCreateStream(&s));
	ACL(aclrtDestroyStream(s));
	ACL(aclrtCreateStreamWithConfig(&s, 0, 0));
	ACL(aclrtStreamGetPriority(s, &got));
	CHECK_EQ(got, 0);
	ACL(aclrtSetStreamAttribute(s, ACL_STREAM_ATTR_PRIORITY, &v));
	ACL(aclrtDestroyStream(s));
	CHECK_EQ(pwrite(fd, "2", 1, 0), 1);
}

static void stream_options_are_checked(void)
{
	aclrtStreamConfigHandle *options = aclrtCreateStreamConfigHandle();
	size_t size = 4096, flag = (size_t)1 << 40;
	uint32_t priority = 99;
	aclrtStream s;
	void *work;

	start();
	work = dev_alloc(size);
	FAILS(aclrtSetStreamConfigOpt(NULL, ACL_RT_STREAM_FLAG, &flag, 8), ACL_ERROR_INVALID_PARAM,
	      "handle");
	FAILS(aclrtSetStreamConfigOpt(options, ACL_RT_STREAM_FLAG, NULL, 8), ACL_ERROR_INVALID_PARAM,
	      "attrValue");
	ACL(aclrtSetStreamConfigOpt(options, ACL_RT_STREAM_FLAG, &flag, sizeof(uint32_t)));
	FAILS(aclrtSetStreamConfigOpt(options, ACL_RT_STREAM_FLAG, &flag, 3), ACL_ERROR_INVALID_PARAM,
	      "8 bytes");
	FAILS(aclrtSetStreamConfigOpt(options, (aclrtStreamConfigAttr)4, &flag, 8),
	      ACL_ERROR_INVALID_PARAM, "4");
	ACL(aclrtSetStreamConfigOpt(options, ACL_RT_STREAM_FLAG, &flag, 8));
	FAILS(aclrtCreateStreamV2(&s, options), ACL_ERROR_INVALID_PARAM, "32 bits");
	flag = 0;
	ACL(aclrtSetStreamConfigOpt(options, ACL_RT_STREAM_FLAG, &flag, 8));
	ACL(aclrtSetStreamConfigOpt(options, ACL_RT_STREAM_PRIORITY, &priority, 4));
	FAILS(aclrtCreateStreamV2(&s, options), ACL_ERROR_RT_PARAM_INVALID, "99");
	ACL(aclrtSetStreamConfigOpt(options, ACL_RT_STREAM_WORK_SIZE, &size, 8));
	/* streams need no work memory, and take some */
	priority = 3;
	ACL(aclrtSetStreamConfigOpt(options, ACL_RT_STREAM_PRIORITY, &priority, 4));
	ACL(aclrtSetStreamConfigOpt(options, ACL_RT_STREAM_WORK_ADDR_PTR, &work, sizeof(work)));
	ACL(aclrtCreateStreamV2(&s, options));
	ACL(aclrtStreamGetPriority(s, &priority));
	CHECK_EQ(priority, 3);
	ACL(aclrtDestroyStream(s));
	FAILS(aclrtCreateStreamV2(NULL, options), ACL_ERROR_INVALID_PARAM, "stream");
	FAILS(aclrtDestroyStreamConfigHandle(NULL), ACL_ERROR_INVALID_PARAM, "handle");
	ACL(aclrtDestroyStreamConfigHandle(options));
}

static void memory_with_attributes(void)
{
	aclrtMallocAttribute attrs[] = {
		{ .attr = ACL_RT_MEM_ATTR_MODULE_ID, .value.moduleId = 33 },
		{ .attr = ACL_RT_MEM_ATTR_DEVICE_ID, .value.deviceId = 0 },
		{ .attr = ACL_RT_MEM_ATTR_VA_FLAG, .value.vaFlag = 0 },
	};
	aclrtMallocConfig cfg = { .attrs = attrs, .numAttrs = 3 };
	aclrtMemMallocPolicy low = (aclrtMemMallocPolicy)(ACL_MEM_MALLOC_HUGE_FIRST |
							   ACL_MEM_TYPE_LOW_BAND_WIDTH);
	void *p = NULL;

	start();
	ACL(aclrtMallocWithCfg(&p, 5000, low, &cfg));
	put_pattern(p, 5000, 3);
	CHECK_DEVICE(p, 5000, 3);
	ACL(aclrtFree(p));
	ACL(aclrtMallocWithCfg(&p, 5000, ACL_MEM_MALLOC_NORMAL_ONLY, NULL));
	ACL(aclrtFree(p));
	attrs[1].value.deviceId = 7;
	FAILS(aclrtMallocWithCfg(&p, 64, low, &cfg), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "deviceId is 7");
	attrs[1].value.deviceId = 0;
	attrs[2].value.vaFlag = 1;
	FAILS(aclrtMallocWithCfg(&p, 64, low, &cfg), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "vaFlag");
	attrs[2].attr = (aclrtMallocAttrType)9;
	FAILS(aclrtMallocWithCfg(&p, 64, low, &cfg), ACL_ERROR_INVALID_PARAM, "9");
	cfg.attrs = NULL;
	FAILS(aclrtMallocWithCfg(&p, 64, low, &cfg), ACL_ERROR_INVALID_PARAM, "cfg->attrs");
	FAILS(aclrtMallocWithCfg(&p, 64, ACL_MEM_ACCESS_USER_SPACE_READONLY, NULL),
	      ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "only read");
	FAILS(aclrtMallocWithCfg(&p, 0, low, NULL), ACL_ERROR_INVALID_PARAM, "size");
	FAILS(aclrtMallocWithCfg(NULL, 64, low, NULL), ACL_ERROR_INVALID_PARAM, "devPtr");
}

static void cache_hints_check_what_they_get(void)
{
	char *dev, host[64];
	uint64_t *desc;
	size_t size;

	start();
	dev = dev_alloc(4096);
	ACL(aclrtMemFlush(dev, 4096));
	ACL(aclrtMemInvalidate(dev + 100, 10));
	ACL(aclrtMemFlush(pinned_alloc(100), 100));
	for (int type = 0; type <= ACL_RT_CMO_TYPE_FLUSH; type++)
		ACL(aclrtCmoAsync(dev, 4096, (aclrtCmoType)type, NULL));
	FAILS(aclrtMemFlush(NULL, 1), ACL_ERROR_INVALID_PARAM, "devPtr");
	FAILS(aclrtMemFlush(dev, 0), ACL_ERROR_INVALID_PARAM, "size");
	FAILS(aclrtMemFlush(dev, 1 << 20), ACL_ERROR_RT_PARAM_INVALID, "leaves");
	FAILS(aclrtMemInvalidate(host, 1), ACL_ERROR_RT_PARAM_INVALID, "host memory");
	FAILS(aclrtCmoAsync(dev, 64, (aclrtCmoType)4, NULL), ACL_ERROR_INVALID_PARAM, "4");
	FAILS(aclrtCmoAsync(dev, 64, ACL_RT_CMO_TYPE_PREFETCH, dev), ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclrtCmoAsync(NULL, 64, ACL_RT_CMO_TYPE_PREFETCH, NULL), ACL_ERROR_INVALID_PARAM, "src");
	ACL(aclrtCmoGetDescSize(&size));
	desc = dev_alloc(size);
	ACL(aclrtCmoSetDesc(desc, dev, 4096));
	ACL(aclrtCmoAsyncWithDesc(desc, ACL_RT_CMO_TYPE_PREFETCH, NULL, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(desc), U64(dev));
	FAILS(aclrtCmoGetDescSize(NULL), ACL_ERROR_INVALID_PARAM, "size");
	FAILS(aclrtCmoSetDesc(NULL, dev, 64), ACL_ERROR_INVALID_PARAM, "cmoDesc");
	FAILS(aclrtCmoSetDesc(desc, NULL, 64), ACL_ERROR_INVALID_PARAM, "src");
	FAILS(aclrtCmoSetDesc(desc, dev, 0), ACL_ERROR_INVALID_PARAM, "size");
	FAILS(aclrtCmoSetDesc(&size, dev, 64), ACL_ERROR_RT_PARAM_INVALID, "cmoDesc");
	FAILS(aclrtCmoSetDesc(desc, &size, 64), ACL_ERROR_RT_PARAM_INVALID, "src");
	FAILS(aclrtCmoAsyncWithDesc(desc, ACL_RT_CMO_TYPE_PREFETCH, NULL, desc),
	      ACL_ERROR_INVALID_PARAM, "reserve");
	FAILS(aclrtCmoAsyncWithDesc(desc, (aclrtCmoType)4, NULL, NULL), ACL_ERROR_INVALID_PARAM, "4");
	FAILS(aclrtCmoAsyncWithDesc(NULL, ACL_RT_CMO_TYPE_PREFETCH, NULL, NULL),
	      ACL_ERROR_INVALID_PARAM, "cmoDesc");
	FAILS(aclrtCmoAsyncWithDesc(desc, ACL_RT_CMO_TYPE_PREFETCH, dev, NULL),
	      ACL_ERROR_RT_INVALID_HANDLE);
}

TAP_MAIN(TEST(streams_from_options),
	 TEST(priorities_that_are_kept_for_others),
	 TEST(stream_options_are_checked),
	 TEST(memory_with_attributes),
	 TEST(cache_hints_check_what_they_get))
