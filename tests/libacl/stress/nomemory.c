// SPDX-License-Identifier: MIT
/*
 * The n-th allocation of a call fails, for n = 1, 2, 3, ... until the call needs no more: it says that
 * memory is missing, keeps nothing, and works when it is called again. This program's malloc() stands
 * before the C library's, for libacl too.
 */
#include <pthread.h>

#include "../acltest.h"
#include "../scarce.h"

#define TIMES_MAX	500
#define PAGE		4096

/* Calls ------------------------------------------------------------------------------------------ */

/* The objects that the calls need and make */
static struct {
	void *handle;
	void *dev;
	void *host;
	aclrtStream stream;
	aclrtEvent event;
	aclrtFuncHandle func;
	aclrtBinHandle bin;
	void *file;
	size_t file_size;
} it;

static void bare(void)
{
}

static void scene(void)
{
	start();
	it.stream = new_stream();
	it.dev = dev_alloc(PAGE);
	it.host = malloc(PAGE);
	it.func = op("store");
	ACL(aclrtCreateEvent(&it.event));
}

static void scene_with_file(void)
{
	FILE *f = fopen(VADD, "rb");

	start();
	CHECK(f);
	it.file = malloc(1 << 20);
	it.file_size = fread(it.file, 1, 1 << 20, f);
	fclose(f);
}

static void scene_with_binary(void)
{
	start();
	ACL(aclrtBinaryLoadFromFile(VADD, NULL, &it.bin));
}

static aclError init(void)
{
	return aclInit(NULL);
}

static void initialised(void)
{
	ACL(aclInit(NULL));
}

static aclError set_device(void)
{
	return aclrtSetDevice(0);
}

static aclError create_context(void)
{
	return aclrtCreateContext(&it.handle, 0);
}

static aclError create_stream(void)
{
	return aclrtCreateStream(&it.handle);
}

static aclError create_event(void)
{
	return aclrtCreateEvent(&it.handle);
}

static aclError create_notify(void)
{
	return aclrtCreateNotify(&it.handle, 0);
}

static aclError dev_malloc(void)
{
	return aclrtMalloc(&it.handle, 64, ACL_MEM_MALLOC_HUGE_FIRST);
}

static aclError dev_malloc_big(void)
{
	return aclrtMalloc(&it.handle, 8 << 20, ACL_MEM_MALLOC_HUGE_FIRST);
}

static aclError host_malloc(void)
{
	return aclrtMallocHost(&it.handle, 1 << 20);
}

static aclError reserve(void)
{
	return aclrtReserveMemAddress(&it.handle, 2 << 20, 0, NULL, 0);
}

static aclError copy_in(void)
{
	return aclrtMemcpy(it.dev, PAGE, it.host, PAGE, ACL_MEMCPY_HOST_TO_DEVICE);
}

static aclError copy_async(void)
{
	return aclrtMemcpyAsync(it.dev, PAGE, it.host, PAGE, ACL_MEMCPY_HOST_TO_DEVICE, it.stream);
}

static aclError set_async(void)
{
	return aclrtMemsetAsync(it.dev, PAGE, 1, PAGE, it.stream);
}

static aclError record(void)
{
	return aclrtRecordEvent(it.event, it.stream);
}

static aclError wait_event(void)
{
	return aclrtStreamWaitEvent(it.stream, it.event);
}

static aclError synchronise(void)
{
	return aclrtSynchronizeStream(it.stream);
}

static aclError load_file(void)
{
	return aclrtBinaryLoadFromFile(VADD, NULL, &it.handle);
}

static aclError load_data(void)
{
	return aclrtBinaryLoadFromData(it.file, it.file_size, NULL, &it.handle);
}

static aclError get_function(void)
{
	return aclrtBinaryGetFunction(it.bin, "vadd_f32", &it.handle);
}

static aclError launch(void)
{
	uint64_t args[2] = { U64(it.dev), 5 };

	return aclrtLaunchKernelWithHostArgs(it.func, 1, it.stream, NULL, args, sizeof(args), NULL, 0);
}

static aclError args_init(void)
{
	return aclrtKernelArgsInit(it.func, &it.handle);
}

static void on_host(void *data)
{
	(void)data;
}

static aclError host_func(void)
{
	return aclrtLaunchHostFunc(it.stream, on_host, NULL);
}

static void on_exception(aclrtExceptionInfo *info)
{
	(void)info;
}

static aclError exception_callback(void)
{
	return aclrtSetExceptionInfoCallback(on_exception);
}

static aclError capture(void)
{
	aclError ret = aclmdlRICaptureBegin(it.stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	aclError end;

	if (ret)
		return ret;
	ret = launch();
	end = aclmdlRICaptureEnd(it.stream, &it.handle);
	return ret ? ret : end;
}

static aclError data_buffer(void)
{
	it.handle = aclCreateDataBuffer(it.dev, PAGE);
	return it.handle ? ACL_SUCCESS : ACL_ERROR_BAD_ALLOC;
}

static aclError stream_config(void)
{
	it.handle = aclrtCreateStreamConfigHandle();
	return it.handle ? ACL_SUCCESS : ACL_ERROR_BAD_ALLOC;
}

/* Trials ----------------------------------------------------------------------------------------- */

enum { FAILED_WELL, NO_FAULT = 100, BAD };

/* Memory, or what a table without memory has no more of */
static bool documented(aclError ret)
{
	return ret == ACL_ERROR_BAD_ALLOC || ret == ACL_ERROR_RT_MEMORY_ALLOCATION ||
	       ret == ACL_ERROR_RT_RESOURCE_ALLOC_FAIL || ret == ACL_ERROR_RT_NO_EVENT_RESOURCE ||
	       ret == ACL_ERROR_RT_NO_NOTIFY_RESOURCE || ret == ACL_ERROR_RT_NO_MODEL_RESOURCE;
}

/* With the n-th failing, in a process of its own */
static int trial_once(const char *name, void (*prepare)(void), aclError (*call)(void), int n)
{
	aclError ret, again;
	long before, after;
	bool fault, grows = true;

	prepare();
	countdown = n;
	ret = call();
	fault = !countdown;
	countdown = 0;
	if (!fault || ret == ACL_SUCCESS) {
		if (ret != ACL_SUCCESS)
			tap_note("%s without a fault: %d: %s", name, ret, aclGetRecentErrMsg());
		return ret ? BAD : fault ? FAILED_WELL : NO_FAULT;
	}
	if (!documented(ret)) {
		tap_note("%s, allocation %d: %d: %s", name, n, ret, aclGetRecentErrMsg());
		return BAD;
	}
	/*
	 * The library keeps some memory for good, once, and the engine's threads come and go natively: memory that is lost is
	 * lost in each round.
	 */
	for (int i = 0; i < 6; i++) {
		before = blocks;
		countdown = n;
		again = call();
		countdown = 0;
		after = blocks;
		if (again == ACL_SUCCESS)
			return FAILED_WELL;
		grows &= !i || after > before;
	}
	if (grows) {
		tap_note("%s, allocation %d: %ld blocks are kept", name, n, after - before);
		return BAD;
	}
	again = call();
	if (again != ACL_SUCCESS)
		tap_note("%s, allocation %d, then: %d: %s", name, n, again, aclGetRecentErrMsg());
	return again ? BAD : FAILED_WELL;
}

static void trials(const char *name, void (*prepare)(void), aclError (*call)(void), int least)
{
	for (int n = 1; n < TIMES_MAX; n++) {
		pid_t pid;
		int status;

		fflush(stdout);
		pid = fork();
		if (!pid) {
			status = trial_once(name, prepare, call, n);
			fflush(stdout);
			_exit(status);
		}
		waitpid(pid, &status, 0);
		if (WIFEXITED(status) && WEXITSTATUS(status) == NO_FAULT) {
			/* There was something to fail */
			CHECK_OP(n - 1, >=, least);
			return;
		}
		if (status)
			FAIL("%s, allocation %d: status %#x", name, n, (unsigned int)status);
	}
	FAIL("%s: no end", name);
}

/* Pools, managed memory, what processes share ------------------------------------------------------ */

static aclrtMemPool pool;
static void *of_pool;

static void scene_with_pool(void)
{
	aclrtMemPoolProps props = { .location = { 0, ACL_MEM_LOCATION_TYPE_DEVICE } };

	scene();
	ACL(aclrtMemPoolCreate(&pool, &props));
	ACL(aclrtMemPoolMallocAsync(&of_pool, PAGE, pool, it.stream));
}

static aclError create_pool(void)
{
	aclrtMemPoolProps props = { .location = { 0, ACL_MEM_LOCATION_TYPE_DEVICE } };

	return aclrtMemPoolCreate(&it.handle, &props);
}

static aclError pool_malloc(void)
{
	return aclrtMemPoolMallocAsync(&it.handle, 64 << 20, pool, it.stream);
}

static aclError pool_free(void)
{
	return aclrtMemPoolFreeAsync(of_pool, it.stream);
}

static aclError managed(void)
{
	return aclrtMemAllocManaged(&it.handle, 8, ACL_RT_MEM_ATTACH_GLOBAL);
}

static aclError ipc_event(void)
{
	return aclrtCreateEventExWithFlag(&it.handle, ACL_EVENT_IPC);
}

static aclError by_pointers(void)
{
	return aclrtMemcpyAsyncWithOffset(it.dev, 8, 0, it.dev, 8, 0,
					  ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, it.stream);
}

/* Other calls: each of these functions undoes what it has done. */

static void scene_with_pages(void)
{
	scene();
	it.file = aligned_alloc(PAGE, PAGE);
	CHECK(it.file);
}

static aclError host_register(void)
{
	void *there;
	aclError ret = aclrtHostRegister(it.file, PAGE, ACL_HOST_REGISTER_MAPPED, &there);

	return ret ? ret : aclrtHostUnregister(it.file);
}

static aclError physical(void)
{
	aclrtPhysicalMemProp prop = { .memAttr = ACL_HBM_MEM_HUGE, .location = { 0, ACL_MEM_LOCATION_TYPE_DEVICE } };
	aclrtDrvMemHandle handle;
	void *va;
	aclError ret = aclrtReserveMemAddress(&va, 2 << 20, 0, NULL, 1), end;

	if (ret)
		return ret;
	ret = aclrtMallocPhysical(&handle, 2 << 20, &prop, 0);
	if (!ret) {
		ret = aclrtMapMem(va, 2 << 20, 0, handle, 0);
		if (!ret)
			ret = aclrtUnmapMem(va);
		end = aclrtFreePhysical(handle);
		ret = ret ? ret : end;
	}
	end = aclrtReleaseMemAddress(va);
	return ret ? ret : end;
}

static aclError label_list(void)
{
	aclrtLabelList list;
	aclrtLabel label;
	aclError ret = aclrtCreateLabel(&label), end;

	if (ret)
		return ret;
	ret = aclrtCreateLabelList(&label, 1, &list);
	if (!ret)
		ret = aclrtDestroyLabelList(list);
	end = aclrtDestroyLabel(label);
	return ret ? ret : end;
}

/* A recording of several streams, with an event, a fill and a launch; it is executed twice */
static aclError graph(void)
{
	aclmdlRI made = NULL;
	aclError ret = aclmdlRICaptureBegin(it.stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED), end;

	if (ret)
		return ret;
	ret = launch();
	if (!ret)
		ret = aclrtMemsetAsync(it.dev, PAGE, 1, PAGE, it.stream);
	if (!ret)
		ret = aclrtLaunchHostFunc(it.stream, on_host, NULL);
	end = aclmdlRICaptureEnd(it.stream, &made);
	ret = ret ? ret : end;
	for (int i = 0; i < 2 && !ret; i++)
		ret = aclmdlRIExecuteAsync(made, it.stream);
	end = aclrtSynchronizeStream(it.stream);
	ret = ret ? ret : end;
	end = made ? aclmdlRIDestroy(made) : ACL_SUCCESS;
	return ret ? ret : end;
}

/* A graph of two bound streams, of which one starts the other */
static aclError bound_graph(void)
{
	aclrtStream a = NULL, b = NULL;
	aclmdlRI made = NULL;
	aclError ret = aclrtCreateStreamWithConfig(&a, 0, ACL_STREAM_PERSISTENT), end;

	if (!ret)
		ret = aclrtCreateStreamWithConfig(&b, 0, ACL_STREAM_PERSISTENT);
	if (!ret)
		ret = aclmdlRIBuildBegin(&made, 0);
	if (!ret)
		ret = aclmdlRIBindStream(made, a, ACL_MODEL_STREAM_FLAG_HEAD);
	if (!ret)
		ret = aclmdlRIBindStream(made, b, 0);
	if (!ret)
		ret = aclrtActiveStream(b, a);
	if (!ret)
		ret = aclrtMemsetAsync(it.dev, PAGE, 1, PAGE, b);
	if (!ret)
		ret = aclmdlRIEndTask(made, b);
	if (!ret)
		ret = aclmdlRIBuildEnd(made, NULL);
	end = made ? aclmdlRIDestroy(made) : ACL_SUCCESS;
	ret = ret ? ret : end;
	end = a ? aclrtDestroyStream(a) : ACL_SUCCESS;
	ret = ret ? ret : end;
	end = b ? aclrtDestroyStream(b) : ACL_SUCCESS;
	return ret ? ret : end;
}

static aclError global(void)
{
	size_t size;

	return aclrtBinaryGetDevAddress(it.bin, &it.handle, &size);
}

static aclError subscribe(void)
{
	aclError ret = aclrtSubscribeReport((uint64_t)pthread_self(), it.stream);

	return ret ? ret : aclrtUnSubscribeReport((uint64_t)pthread_self(), it.stream);
}

static void on_state(int32_t id, aclrtDeviceState state, void *args)
{
	(void)id;
	(void)state;
	(void)args;
}

static aclError state_hook(void)
{
	return aclrtRegDeviceStateCallback("name", on_state, NULL);
}

static aclError abort_all(void)
{
	return aclrtDeviceTaskAbort(0, 0);
}

/* Freed memory comes back */

static size_t free_memory(void)
{
	size_t left, all;

	ACL(aclrtGetMemInfo(ACL_HBM_MEM, &left, &all));
	return left;
}

/*
 * Calls that free succeed when every allocation in them fails; what could not be unmapped for want of memory is
 * unmapped by the next call that makes or frees something.
 */
static void freed_without_memory(void)
{
	aclrtPhysicalMemProp prop = { .memAttr = ACL_HBM_MEM_HUGE, .location = { 0, ACL_MEM_LOCATION_TYPE_DEVICE } };
	aclrtDrvMemHandle handle;
	void *big, *va, *again;
	size_t left;

	start();
	ACL(aclrtFree(dev_alloc(8 << 20)));
	left = free_memory();
	for (int n = 1; n < 8; n++) {
		big = dev_alloc(64 << 20);
		countdown = n;
		ACL(aclrtFree(big));
		countdown = 0;
		ACL(aclrtFree(dev_alloc(8 << 20)));
		CHECK_EQ(free_memory(), left);
	}
	ACL(aclrtReserveMemAddress(&va, 8 << 20, 0, NULL, 1));
	ACL(aclrtMallocPhysical(&handle, 2 << 20, &prop, 0));
	for (int n = 1; n < 8; n++) {
		/* the same addresses, those beside them, and the whole range */
		ACL(aclrtMapMem(va, 2 << 20, 0, handle, 0));
		ACL(aclrtMapMem((char *)va + (4 << 20), 2 << 20, 0, handle, 0));
		countdown = n;
		ACL(aclrtUnmapMem(va));
		countdown = n;
		ACL(aclrtUnmapMem((char *)va + (4 << 20)));
		countdown = 0;
		FAILS(aclrtUnmapMem(va), ACL_ERROR_RT_PARAM_INVALID);
		FAILS(aclrtMemset(va, 8, 0, 8), ACL_ERROR_RT_PARAM_INVALID);
		ACL(aclrtReleaseMemAddress(va));
		ACL(aclrtReserveMemAddress(&again, 8 << 20, 0, va, 1));
		CHECK(again == va);
	}
	ACL(aclrtMapMem(va, 2 << 20, 0, handle, 0));
	ACL(aclrtFreePhysical(handle));
	countdown = 1;
	ACL(aclrtUnmapMem(va));
	countdown = 0;
	ACL(aclrtReleaseMemAddress(va));
	CHECK_EQ(free_memory(), left);
	/* the device takes away at its end what is left then */
	big = dev_alloc(64 << 20);
	countdown = 1;
	ACL(aclrtFree(big));
	countdown = 0;
	ACL(aclrtResetDevice(0));
	ACL(aclrtSetDevice(0));
	CHECK(free_memory() >= left);
}

#define TRIAL(prepare, call, least) \
static void test_##call(void) \
{ \
	trials(#call, prepare, call, least); \
}

TRIAL(bare, init, 0)
TRIAL(initialised, set_device, 1)
TRIAL(start, create_context, 1)
TRIAL(start, create_stream, 1)
TRIAL(start, create_event, 1)
TRIAL(start, create_notify, 1)
TRIAL(start, dev_malloc, 0)
TRIAL(start, dev_malloc_big, 0)
TRIAL(start, host_malloc, 0)
TRIAL(start, reserve, 1)
TRIAL(scene, copy_in, 0)
TRIAL(scene, copy_async, 0)
TRIAL(scene, set_async, 0)
TRIAL(scene, record, 0)
TRIAL(scene, wait_event, 0)
TRIAL(scene, synchronise, 0)
TRIAL(start, load_file, 1)
TRIAL(scene_with_file, load_data, 1)
TRIAL(scene_with_binary, get_function, 0)
TRIAL(scene, launch, 0)
TRIAL(scene, args_init, 1)
TRIAL(scene, host_func, 1)
TRIAL(start, exception_callback, 0)
TRIAL(scene, capture, 1)
TRIAL(start, stream_config, 1)
TRIAL(start, data_buffer, 1)
TRIAL(start, create_pool, 1)
TRIAL(scene_with_pool, pool_malloc, 1)
TRIAL(scene_with_pool, pool_free, 0)
TRIAL(start, managed, 1)
TRIAL(start, ipc_event, 1)
TRIAL(scene, by_pointers, 0)
TRIAL(start, state_hook, 1)
TRIAL(scene, abort_all, 1)
TRIAL(scene_with_pages, host_register, 1)
TRIAL(start, physical, 1)
TRIAL(start, label_list, 1)
TRIAL(scene, graph, 1)
TRIAL(scene, bound_graph, 1)
TRIAL(scene_with_binary, global, 0)
TRIAL(scene, subscribe, 1)

TAP_MAIN(TEST(test_init), TEST(test_set_device), TEST(test_create_context), TEST(test_create_stream),
	 TEST(test_create_event), TEST(test_create_notify), TEST(test_dev_malloc),
	 TEST(test_dev_malloc_big), TEST(test_host_malloc), TEST(test_reserve), TEST(test_copy_in),
	 TEST(test_copy_async), TEST(test_set_async), TEST(test_record), TEST(test_wait_event),
	 TEST(test_synchronise), TEST(test_load_file), TEST(test_load_data), TEST(test_get_function),
	 TEST(test_launch), TEST(test_args_init), TEST(test_host_func), TEST(test_exception_callback),
	 TEST(test_capture), TEST(test_stream_config), TEST(test_data_buffer),
	 TEST(test_create_pool), TEST(test_pool_malloc), TEST(test_pool_free), TEST(test_managed),
	 TEST(test_ipc_event), TEST(test_by_pointers), TEST(test_state_hook), TEST(test_abort_all),
	 TEST(test_host_register), TEST(test_physical), TEST(test_label_list), TEST(test_graph), TEST(test_bound_graph), TEST(test_global),
	 TEST(test_subscribe), TEST(freed_without_memory))
