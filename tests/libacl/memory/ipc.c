// SPDX-License-Identifier: MIT
/* Memory of one process in another, by key and by handle. */
#include "../turns.h"

#define MIB	(1UL << 20)
#define PAGE	(2 * MIB)

static void import_two(void)
{
	char key[2][65];
	uint64_t *p[2], *again;
	int32_t pid;

	start();
	ACL(aclrtDeviceGetBareTgid(&pid));
	CHECK_EQ(pid, getpid());
	tell(to_parent, &pid, sizeof(pid));
	hear(to_child, key, sizeof(key));
	for (int i = 0; i < 2; i++) {
		ACL(aclrtIpcMemImportByKey((void **)&p[i], key[i], 0));
		CHECK_DEVICE(p[i], 3000, (unsigned int)i + 1);
	}
	/* operators reach it, and it is the same memory */
	LAUNCH(op("store"), 1, NULL, U64(p[0]), 4711);
	LAUNCH(op("store"), 1, NULL, U64(p[1]), 4712);
	ACL(aclrtSynchronizeStream(NULL));
	turn(to_parent);
	await(to_child);
	CHECK_EQ(read_u64(&p[0][1]), 1234);
	FAILS(aclrtFree(p[0]), ACL_ERROR_RT_PARAM_INVALID, "aclrtIpcMemClose");
	FAILS(aclrtUnmapMem((void *)((uintptr_t)p[0] & ~4095UL)), ACL_ERROR_RT_PARAM_INVALID);
	/* both lie in one object of the driver: closing one must not take the other */
	ACL(aclrtIpcMemClose(key[0]));
	FAILS(aclrtMemcpy(p[0], 8, &pid, 1, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclrtIpcMemClose(key[0]), ACL_ERROR_RT_PARAM_INVALID);
	CHECK_EQ(read_u64(p[1]), 4712);
	ACL(aclrtIpcMemImportByKey((void **)&again, key[0], 0));
	CHECK_EQ(read_u64(again), 4711);
	turn(to_parent);
	await(to_child);
	/* the other process has freed it and ended its use; it is still here */
	CHECK_EQ(read_u64(p[1]), 4712);
	FAILS(aclrtIpcMemImportByKey((void **)&p[0], key[1], 0), ACL_ERROR_RT_PARAM_INVALID,
	      "any more");
	ACL(aclrtIpcMemClose(key[1]));
	ACL(aclrtIpcMemClose(key[0]));
}

static void by_key(void)
{
	pid_t pid = partner(import_two);
	char key[2][65];
	uint64_t *p[2];
	int32_t theirs;

	start();
	hear(to_parent, &theirs, sizeof(theirs));
	CHECK_EQ(theirs, pid);
	for (int i = 0; i < 2; i++) {
		p[i] = dev_alloc(3000);
		put_pattern(p[i], 3000, (unsigned int)i + 1);
		ACL(aclrtIpcMemGetExportKey(p[i], 3000, key[i], sizeof(key[i]), 0));
		ACL(aclrtIpcMemSetImportPid(key[i], &theirs, 1));
	}
	tell(to_child, key, sizeof(key));
	await(to_parent);
	CHECK_EQ(read_u64(p[0]), 4711);
	CHECK_EQ(read_u64(p[1]), 4712);
	write_u64(&p[0][1], 1234);
	turn(to_child);
	await(to_parent);
	ACL(aclrtFree(p[1]));
	ACL(aclrtIpcMemClose(key[1]));
	turn(to_child);
	expect_success(pid);
}

static void import_large(void)
{
	char key[65], *p;

	start();
	hear(to_child, key, sizeof(key));
	ACL(aclrtIpcMemImportByKey((void **)&p, key, ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS));
	CHECK_DEVICE(p, 20 * MIB, 6);
	put_pattern(p, 20 * MIB, 7);
	/* ends without closing */
}

static void large_memory_at_an_offset(void)
{
	pid_t pid = partner(import_large);
	size_t before;
	char key[65], *p;

	start();
	before = free_hbm();
	p = dev_alloc(24 * MIB);
	put_pattern(p + 3 * MIB + 512, 20 * MIB, 6);
	ACL(aclrtIpcMemGetExportKey(p + 3 * MIB + 512, 20 * MIB, key, sizeof(key),
				    ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION));
	tell(to_child, key, sizeof(key));
	expect_success(pid);
	CHECK_DEVICE(p + 3 * MIB + 512, 20 * MIB, 7);
	ACL(aclrtIpcMemClose(key));
	ACL(aclrtFree(p));
	UNTIL(free_hbm() + MIB >= before);
	CHECK_OP(free_hbm() + MIB, >=, before);
}

static void may_not_import(void)
{
	char key[65];
	void *p;

	start();
	hear(to_child, key, sizeof(key));
	FAILS(aclrtIpcMemImportByKey(&p, key, 0), ACL_ERROR_RT_NO_PERMISSION, "does not let", "aclrtIpcMemSetImportPid()");
	turn(to_parent);
	await(to_child);
	ACL(aclrtIpcMemImportByKey(&p, key, 0));
	turn(to_parent);
	await(to_child);
	FAILS(aclrtIpcMemImportByKey(&p, "anpu-0000000000000001", 0), ACL_ERROR_RT_IPC_ERROR,
	      "process 0");
	FAILS(aclrtIpcMemImportByKey(&p, "anpu-00000000000000zz", 0), ACL_ERROR_RT_PARAM_INVALID,
	      "aclrtIpcMemGetExportKey");
	FAILS(aclrtIpcMemImportByKey(&p, "", 0), ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclrtIpcMemImportByKey(NULL, key, 0), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtIpcMemImportByKey(&p, NULL, 0), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtIpcMemImportByKey(&p, key, 2), ACL_ERROR_INVALID_PARAM, "flags");
}

static void only_who_is_named(void)
{
	pid_t pid = partner(may_not_import);
	int32_t id[2] = { 1, pid };
	char key[65], old[65];
	void *p;

	start();
	p = dev_alloc(4096);
	ACL(aclrtIpcMemGetExportKey(p, 4096, key, 22, 0));
	tell(to_child, key, sizeof(key));
	await(to_parent);
	ACL(aclrtIpcMemSetImportPid(key, id, 2));
	turn(to_child);
	await(to_parent);
	turn(to_child);
	expect_success(pid);
	FAILS(aclrtIpcMemImportByKey(&p, key, 0), ACL_ERROR_RT_PARAM_INVALID, "this process");
	memcpy(old, key, sizeof(old));
	ACL(aclrtIpcMemClose(key));
	FAILS(aclrtIpcMemClose(old), ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclrtIpcMemClose(NULL), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtIpcMemClose("abc"), ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclrtIpcMemSetImportPid(key, id, 2), ACL_ERROR_RT_PARAM_INVALID, "closed");
	FAILS(aclrtIpcMemSetImportPid(NULL, id, 2), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtIpcMemSetImportPid(key, NULL, 2), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtIpcMemSetImportPid(key, id, 0), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtIpcMemSetImportPid(key, id, 65537), ACL_ERROR_INVALID_PARAM, "num is 65537", "1 to 65536");
	FAILS(aclrtIpcMemGetExportKey(NULL, 1, key, 65, 0), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtIpcMemGetExportKey(p, 1, NULL, 65, 0), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtIpcMemGetExportKey(p, 0, key, 65, 0), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtIpcMemGetExportKey(p, 1, key, 21, 0), ACL_ERROR_INVALID_PARAM, "22");
	FAILS(aclrtIpcMemGetExportKey(p, 1, key, 65, 2), ACL_ERROR_INVALID_PARAM, "flags");
	FAILS(aclrtIpcMemGetExportKey(key, 1, key, 65, 0), ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclrtIpcMemGetExportKey(dev_alloc(PAGE), PAGE + 4096, key, 65, 0),
	      ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclrtDeviceGetBareTgid(NULL), ACL_ERROR_INVALID_PARAM);
}

static char *map(aclrtDrvMemHandle h)
{
	void *p;

	ACL(aclrtReserveMemAddress(&p, 2 * PAGE, 0, NULL, 1));
	ACL(aclrtMapMem(p, 2 * PAGE, 0, h, 0));
	return p;
}

static void import_physical(void)
{
	aclrtDrvMemHandle h[3];
	aclrtMemFabricHandle fabric;
	uint64_t number[2];
	char *p[3];

	start();
	hear(to_child, number, sizeof(number));
	hear(to_child, &fabric, sizeof(fabric));
	ACL(aclrtMemImportFromShareableHandle(number[0], 0, &h[0]));
	ACL(aclrtMemImportFromShareableHandleV2(&number[1], ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, 0,
						&h[1]));
	ACL(aclrtMemImportFromShareableHandleV2(&fabric, ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, 0,
						&h[2]));
	for (int i = 0; i < 3; i++) {
		p[i] = map(h[i]);
		CHECK_DEVICE(p[i], 2 * PAGE, 5);
		ACL(aclrtFreePhysical(h[i]));
	}
	/* three times the same memory */
	put_pattern(p[1], 2 * PAGE, 6);
	CHECK_DEVICE(p[0], 2 * PAGE, 6);
	CHECK_DEVICE(p[2], 2 * PAGE, 6);
	ACL(aclrtUnmapMem(p[0]));
	ACL(aclrtUnmapMem(p[1]));
	CHECK_DEVICE(p[2], 2 * PAGE, 6);
	FAILS(aclrtMemImportFromShareableHandle(number[0], 1, &h[0]), ACL_ERROR_RT_INVALID_DEVICEID,
	      "1");
	FAILS(aclrtMemImportFromShareableHandle(number[0] ^ 1, 0, &h[0]),
	      ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclrtMemImportFromShareableHandle(0, 0, &h[0]), ACL_ERROR_RT_IPC_ERROR);
	FAILS(aclrtMemImportFromShareableHandle(number[0], 0, NULL), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtMemImportFromShareableHandleV2(NULL, 1, 0, &h[0]), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtMemImportFromShareableHandleV2(&fabric, 3, 0, &h[0]), ACL_ERROR_INVALID_PARAM,
	      "shareType");
	FAILS(aclrtMemImportFromShareableHandleV2(&fabric, 2, 1, &h[0]), ACL_ERROR_INVALID_PARAM,
	      "flags");
}

static void by_shareable_handle(void)
{
	aclrtPhysicalMemProp prop = { .memAttr = ACL_HBM_MEM_HUGE,
				      .location = { 0, ACL_MEM_LOCATION_TYPE_DEVICE } };
	pid_t pid = partner(import_physical);
	aclrtMemFabricHandle fabric;
	aclrtDrvMemHandle h;
	uint64_t number[2];
	int32_t id = pid;
	char *p;

	start();
	ACL(aclrtMallocPhysical(&h, 2 * PAGE, &prop, 0));
	p = map(h);
	put_pattern(p, 2 * PAGE, 5);
	ACL(aclrtMemExportToShareableHandle(h, ACL_MEM_HANDLE_TYPE_NONE, 0, &number[0]));
	ACL(aclrtMemSetPidToShareableHandle(number[0], &id, 1));
	ACL(aclrtMemExportToShareableHandleV2(h, ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION,
					      ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, &number[1]));
	ACL(aclrtMemExportToShareableHandleV2(h, 0, ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, &fabric));
	ACL(aclrtMemSetPidToShareableHandleV2(&fabric, ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, &id, 1));
	tell(to_child, number, sizeof(number));
	tell(to_child, &fabric, sizeof(fabric));
	expect_success(pid);
	CHECK_DEVICE(p, 2 * PAGE, 6);
	FAILS(aclrtMemExportToShareableHandle(NULL, 0, 0, number), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtMemExportToShareableHandle(h, 0, 0, NULL), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtMemExportToShareableHandle(h, 2, 0, number), ACL_ERROR_INVALID_PARAM,
	      "handleType");
	FAILS(aclrtMemExportToShareableHandle(h, 0, 8, number), ACL_ERROR_INVALID_PARAM, "flags");
	FAILS(aclrtMemExportToShareableHandle(p, 0, 0, number), ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclrtMemExportToShareableHandleV2(h, 0, 9, number), ACL_ERROR_INVALID_PARAM,
	      "shareType");
	FAILS(aclrtMemExportToShareableHandleV2(h, 0, 1, NULL), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtMemSetPidToShareableHandle(1, &id, 1), ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclrtMemSetPidToShareableHandle(number[0], NULL, 1), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtMemSetPidToShareableHandle(number[0], &id, 0), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtMemSetPidToShareableHandleV2(&fabric, 0, &id, 1), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtMemImportFromShareableHandle(number[0], 0, &h), ACL_ERROR_RT_PARAM_INVALID,
	      "this process");
}

static void import_and_reset(void)
{
	char key[65];
	void *p;

	start();
	hear(to_child, key, sizeof(key));
	for (int i = 0; i < 50; i++) {
		ACL(aclrtIpcMemImportByKey(&p, key, 0));
		ACL(aclrtMemset(p, 4096, i, 4096));
		ACL(aclrtResetDevice(0));
		ACL(aclrtSetDevice(0));
		FAILS(aclrtIpcMemClose(key), ACL_ERROR_RT_PARAM_INVALID);
	}
	turn(to_parent);
	await(to_child);
	/* the exporter's reset has taken the key back */
	FAILS(aclrtIpcMemImportByKey(&p, key, 0), ACL_ERROR_RT_PARAM_INVALID);
}

static void a_reset_ends_both_sides(void)
{
	pid_t pid = partner(import_and_reset);
	char key[65];
	void *p;

	start();
	p = dev_alloc(4096);
	ACL(aclrtIpcMemGetExportKey(p, 4096, key, 65,
				    ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION));
	tell(to_child, key, sizeof(key));
	await(to_parent);
	CHECK_EQ(read_u64(p), 0x3131313131313131);
	ACL(aclrtResetDevice(0));
	turn(to_child);
	expect_success(pid);
}

/* Takes memory, and ends as if it had given it back */
static void imports_and_forgets(void)
{
	char key[65];
	void *p;

	start();
	hear(to_child, key, sizeof(key));
	ACL(aclrtIpcMemImportByKey(&p, key, 0));
	turn(to_parent);
	ACL(aclrtResetDevice(0));
	ACL(aclFinalize());
}

/* The text of the file, which is removed */
static const char *take(const char *name)
{
	static char text[8192];
	FILE *f = fopen(name, "r");

	CHECK(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = 0;
	fclose(f);
	unlink(name);
	return text;
}

static bool in_one_line(const char *text, const char *first, const char *second)
{
	const char *at = strstr(text, first), *then = at ? strstr(at, second) : NULL, *end = at ? strchr(at, '\n') : NULL;

	return then && (!end || then < end);
}

/* Keys and imported memory have to be closed, as other memory has to be freed */
static void the_checking_mode_tells_what_is_left_open(void)
{
	char file[] = "/tmp/ipc-XXXXXX", key[65], owner[96];
	const char *text;
	pid_t pid;
	void *p;

	CHECK(close(mkstemp(file)) == 0);
	setenv("ANPU_CHECK", "1", 1);
	setenv("ANPU_CHECK_JSON", file, 1);
	pid = partner(imports_and_forgets);
	start();
	p = dev_alloc(MIB);
	ACL(aclrtIpcMemGetExportKey(p, MIB, key, sizeof(key), ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION));
	tell(to_child, key, sizeof(key));
	await(to_parent);
	expect_success(pid);
	ACL(aclrtFree(p));
	ACL(aclrtResetDevice(0));
	ACL(aclFinalize());
	text = take(file);
	snprintf(owner, sizeof(owner), "memory of process %d was never closed", (int)getpid());
	if (!in_one_line(text, "in imports_and_forgets()", owner))
		FAIL("the import is not told: %s", text);
	snprintf(owner, sizeof(owner), "key '%s' was never closed", key);
	if (!in_one_line(text, "in the_checking_mode_tells_what_is_left_open()", owner))
		FAIL("the key is not told: %s", text);
}

TAP_MAIN(TEST(by_key),
	 TEST(large_memory_at_an_offset),
	 TEST(only_who_is_named),
	 TEST(by_shareable_handle),
	 TEST(a_reset_ends_both_sides),
	 TEST(the_checking_mode_tells_what_is_left_open))
