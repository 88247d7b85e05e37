// SPDX-License-Identifier: MIT
/* Devices, contexts, modules, functions: what can be asked, made and ended. */
#include <elf.h>
#include <sys/mman.h>

#include "cutest.h"

static void nothing_works_before_init(void)
{
	CUdevice dev;
	int v = 0;

	FAILS(cuDeviceGet(&dev, 0), CUDA_ERROR_NOT_INITIALIZED, "cuInit");
	CU(cuDriverGetVersion(&v));
	CHECK_EQ(v, CUDA_VERSION);
	FAILS(cuInit(1), CUDA_ERROR_INVALID_VALUE, "Flags is 0x1");
	CU(cuInit(0));
	CU(cuInit(0));
	CU(cuDeviceGet(&dev, 0));
	FAILS(cuDeviceGet(&dev, 77), CUDA_ERROR_INVALID_DEVICE, "77");
	FAILS(cuDeviceGet(NULL, 0), CUDA_ERROR_INVALID_VALUE, "device is NULL");
	FAILS(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT, "no context");
}

static void codes_have_names(void)
{
	const char *name = NULL;

	CU(cuGetErrorName(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, &name));
	CHECK(!strcmp(name, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"));
	CU(cuGetErrorString(CUDA_ERROR_NOT_READY, &name));
	CHECK(strlen(name) > 5);
	FAILS(cuGetErrorName((CUresult)12345, &name), CUDA_ERROR_INVALID_VALUE, "12345");
	CHECK(!name);
	FAILS(cuGetErrorString((CUresult)12345, &name), CUDA_ERROR_INVALID_VALUE, "12345");
}

static void a_device_tells_what_it_is(void)
{
	char name[100], bus[20], last[20];
	CUuuid id, zero = { { 0 } };
	int count, major, minor, v, same;
	CUdevprop prop;
	CUdevice dev;
	size_t bytes;

	CU(cuInit(0));
	CU(cuDeviceGetCount(&count));
	CHECK_OP(count, >=, 1);
	CU(cuDeviceGetName(name, sizeof(name), 0));
	CHECK(strlen(name) > 4);
	CU(cuDeviceGetName(name, 4, 0));
	CHECK_EQ(strlen(name), 3);
	CU(cuDeviceTotalMem(&bytes, 0));
	CHECK_OP(bytes, >=, 1 << 26);
	CU(cuDeviceGetUuid(&id, 0));
	CHECK(memcmp(&id, &zero, sizeof(id)));
	CU(cuDeviceComputeCapability(&major, &minor, 0));
	CHECK_EQ(major, 9);
	CU(cuDeviceGetProperties(&prop, 0));
	CHECK_OP(prop.maxThreadsPerBlock, >=, 1);
	CU(cuDeviceGetPCIBusId(bus, sizeof(bus), 0));
	dev = -1;
	CU(cuDeviceGetByPCIBusId(&dev, bus));
	CHECK_EQ(dev, 0);
	FAILS(cuDeviceGetByPCIBusId(&dev, "ffff:00:00.0"), CUDA_ERROR_INVALID_DEVICE, "");
	snprintf(last, sizeof(last), "1 to %d", CU_DEVICE_ATTRIBUTE_MAX - 1);
	FAILS(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_MAX, 0), CUDA_ERROR_INVALID_VALUE, last);
	CU(cuDeviceCanAccessPeer(&same, 0, 0));
	for (int a = 1; a < CU_DEVICE_ATTRIBUTE_MAX; a++)
		CU(cuDeviceGetAttribute(&v, (CUdevice_attribute)a, 0));
	FAILS(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_MAX, 0), CUDA_ERROR_INVALID_VALUE, "attrib");
	FAILS(cuDeviceGetAttribute(&v, (CUdevice_attribute)1, 9), CUDA_ERROR_INVALID_DEVICE, "9");
	CU(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
	CHECK_OP(v, >=, 1);
	CU(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 0));
	CHECK_EQ(v, 1);
	CU(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0));
	CHECK_EQ(v, 1024);
	CHECK_EQ(prop.maxThreadsPerBlock, 1024);
	CU(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 0));
	CHECK_EQ(v, 1024);
	CU(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
	CHECK_EQ(v, 32);
	CU(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 0));
	CHECK_EQ(v, 1);
}

static void contexts_lie_on_a_stack(void)
{
	CUcontext a, b, c;
	CUdevice dev = 9;
	unsigned int flags, version;
	unsigned long long one, two;

	CU(cuInit(0));
	CU(cuCtxGetCurrent(&c));
	CHECK(!c);
	FAILS(cuCtxPopCurrent(&c), CUDA_ERROR_INVALID_CONTEXT, "");
	CU(cuCtxCreate(&a, CU_CTX_SCHED_SPIN, 0));
	CU(cuCtxCreate(&b, 0, 0));
	CU(cuCtxGetCurrent(&c));
	CHECK(c == b);
	CU(cuCtxPopCurrent(&c));
	CHECK(c == b);
	CU(cuCtxGetCurrent(&c));
	CHECK(c == a);
	CU(cuCtxGetFlags(&flags));
	CHECK_EQ(flags, CU_CTX_SCHED_SPIN);
	CU(cuCtxSetFlags(CU_CTX_SYNC_MEMOPS));
	CU(cuCtxGetFlags(&flags));
	CHECK_EQ(flags, CU_CTX_SYNC_MEMOPS);
	for (flags = CU_CTX_MAP_HOST; flags <= CU_CTX_SYNC_MEMOPS; flags *= 2)
		CU(cuCtxSetFlags(flags));
	FAILS(cuCtxSetFlags(flags), CUDA_ERROR_INVALID_VALUE, "flags is");
	CU(cuCtxGetDevice(&dev));
	CHECK_EQ(dev, 0);
	CU(cuCtxGetApiVersion(a, &version));
	CU(cuCtxGetId(a, &one));
	CU(cuCtxGetId(b, &two));
	CHECK(one != two);
	CU(cuCtxPushCurrent(b));
	CU(cuCtxDestroy(b));
	CU(cuCtxGetCurrent(&c));
	CHECK(c == a);
	FAILS(cuCtxPushCurrent(b), CUDA_ERROR_INVALID_CONTEXT, "ended");
	FAILS(cuCtxEnablePeerAccess(a, 0), CUDA_ERROR_INVALID_DEVICE, "both contexts");
	FAILS(cuCtxEnablePeerAccess(a, 1), CUDA_ERROR_INVALID_VALUE, "0x1");
	FAILS(cuCtxDisablePeerAccess(a), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, "no access");
	FAILS(cuCtxSetCurrent((CUcontext)0x1234), CUDA_ERROR_INVALID_CONTEXT, "0x1234");
	CU(cuCtxSetCurrent(NULL));
	CU(cuCtxGetCurrent(&c));
	CHECK(!c);
	CU(cuCtxSetCurrent(a));
	CU(cuCtxDestroy(a));
	FAILS(cuCtxDestroy(a), CUDA_ERROR_INVALID_CONTEXT, "");
	FAILS(cuCtxCreate(&a, 3, 0), CUDA_ERROR_INVALID_VALUE, "flags is 0x3");
	FAILS(cuCtxCreate(&a, 0, 5), CUDA_ERROR_INVALID_DEVICE, "5");
}

static void limits_and_hints_are_kept(void)
{
	CUsharedconfig banks;
	CUfunc_cache cache;
	int least, greatest;
	size_t v, kept;

	start();
	CU(cuCtxGetLimit(&v, CU_LIMIT_STACK_SIZE));
	CHECK_EQ(v, 16384);
	CU(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 1024));
	CU(cuCtxGetLimit(&v, CU_LIMIT_MALLOC_HEAP_SIZE));
	CHECK_EQ(v, 8 << 20);
	CU(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 1 << 20));
	CU(cuCtxGetLimit(&v, CU_LIMIT_MALLOC_HEAP_SIZE));
	CHECK_EQ(v, 1 << 20);
	CU(cuCtxSetLimit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 32));
	CU(cuCtxGetLimit(&v, CU_LIMIT_MAX_L2_FETCH_GRANULARITY));
	CHECK_EQ(v, 32);
	CU(cuCtxSetLimit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 129));
	CU(cuCtxGetLimit(&v, CU_LIMIT_MAX_L2_FETCH_GRANULARITY));
	CHECK_EQ(v, 32);
	CU(cuCtxGetLimit(&v, CU_LIMIT_PERSISTING_L2_CACHE_SIZE));
	CU(cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, v + 1));
	CU(cuCtxGetLimit(&kept, CU_LIMIT_PERSISTING_L2_CACHE_SIZE));
	CHECK_EQ(kept, v);
	FAILS(cuCtxGetLimit(&v, CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH), CUDA_ERROR_UNSUPPORTED_LIMIT, "launch no kernels");
	FAILS(cuCtxGetLimit(&v, CU_LIMIT_MAX), CUDA_ERROR_INVALID_VALUE, "limit is");
	CU(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
	CU(cuCtxGetCacheConfig(&cache));
	CHECK_EQ(cache, CU_FUNC_CACHE_PREFER_L1);
	FAILS(cuCtxSetCacheConfig((CUfunc_cache)9), CUDA_ERROR_INVALID_VALUE, "9");
	CU(cuCtxSetSharedMemConfig(CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE));
	CU(cuCtxGetSharedMemConfig(&banks));
	CHECK_EQ(banks, CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE);
	CU(cuCtxGetStreamPriorityRange(&least, &greatest));
	CHECK_OP(greatest, <, 0);
	CHECK_OP(least, >=, 0);
	CU(cuCtxResetPersistingL2Cache());
	CU(cuProfilerStart());
	CU(cuProfilerStop());
}

static void the_primary_context_is_that_of_the_other_front(void)
{
	CUcontext mine, c;
	aclrtContext theirs;
	unsigned int flags;
	int active;

	CU(cuInit(0));
	CU(cuDevicePrimaryCtxGetState(0, &flags, &active));
	CHECK_EQ(active, 0);
	CU(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_YIELD));
	CU(cuDevicePrimaryCtxRetain(&mine, 0));
	CU(cuCtxGetCurrent(&c));
	CHECK(!c);
	CU(cuDevicePrimaryCtxGetState(0, &flags, &active));
	CHECK_EQ(active, 1);
	CHECK_EQ(flags, CU_CTX_SCHED_YIELD);
	CHECK_EQ(aclrtSetDevice(0), 0);
	CHECK_EQ(aclrtGetCurrentContext(&theirs), 0);
	CHECK(theirs == mine);
	CU(cuCtxGetCurrent(&c));
	CHECK(c == mine);
	FAILS(cuCtxDestroy(mine), CUDA_ERROR_INVALID_CONTEXT, "primary");
	CHECK_EQ(aclrtResetDevice(0), 0);
	CU(cuCtxSynchronize());
	CU(cuDevicePrimaryCtxRelease(0));
	FAILS(cuDevicePrimaryCtxRelease(0), CUDA_ERROR_INVALID_CONTEXT, "not retained");
	FAILS(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED, "");
	CU(cuDevicePrimaryCtxRetain(&mine, 0));
	CU(cuCtxSetCurrent(mine));
	CU(cuDevicePrimaryCtxReset(0));
	FAILS(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED, "");
}

static void *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "r");
	void *data;

	CHECK(f);
	fseek(f, 0, SEEK_END);
	*size = (size_t)ftell(f);
	rewind(f);
	data = malloc(*size);
	CHECK(fread(data, 1, *size, f) == *size);
	fclose(f);
	return data;
}

static void modules_come_from_files_and_from_memory(void)
{
	char log[64] = "x";
	CUjit_option options[] = { CU_JIT_WALL_TIME, CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES };
	void *values[] = { NULL, log, (void *)sizeof(log) };
	CUfunctionLoadingState loaded;
	unsigned int count, stores = 0;
	CUmoduleLoadingMode mode;
	CUfunction all[64];
	const char *name;
	CUdeviceptr p;
	CUmodule a, b, of;
	CUfunction f;
	size_t size, bytes;
	void *image = read_file(OPS, &size);

	start();
	CU(cuModuleGetLoadingMode(&mode));
	CU(cuModuleLoad(&a, OPS));
	CU(cuModuleGetFunctionCount(&count, a));
	CHECK(count > 10 && count < 64);
	CU(cuModuleEnumerateFunctions(all, count, a));
	for (unsigned int i = 0; i < count; i++) {
		CU(cuFuncGetName(&name, all[i]));
		stores += !strcmp(name, "store");
		CU(cuFuncLoad(all[i]));
		CU(cuFuncIsLoaded(&loaded, all[i]));
		CHECK_EQ(loaded, CU_FUNCTION_LOADING_STATE_LOADED);
	}
	CHECK_EQ(stores, 1);
	FAILS(cuModuleEnumerateFunctions(all, count + 1, a), CUDA_ERROR_INVALID_VALUE, "the module has");
	FAILS(cuModuleGetFunctionCount(&count, NULL), CUDA_ERROR_INVALID_HANDLE, "no module");
	CU(cuModuleLoadDataEx(&b, image, 3, options, values));
	CHECK_EQ(log[0], 0);
	CHECK(!values[2]);
	CU(cuModuleUnload(b));
	CU(cuModuleLoadData(&b, image));
	CU(cuModuleUnload(b));
	CU(cuModuleLoadFatBinary(&b, image));
	free(image); /* it was copied */
	CU(cuModuleGetFunction(&f, b, "store"));
	CU(cuFuncGetModule(&of, f));
	CHECK(of == b);
	CU(cuFuncGetName(&name, f));
	CHECK(!strcmp(name, "store"));
	FAILS(cuModuleGetFunction(&f, b, "no_such_kernel"), CUDA_ERROR_NOT_FOUND, "no_such_kernel");
	CU(cuModuleGetGlobal(&p, &bytes, b, "table"));
	CHECK_EQ(bytes, 16);
	CHECK_EQ(read_u64(p), 1 | 2ull << 32);
	FAILS(cuModuleGetGlobal(&p, &bytes, b, "no_such_variable"), CUDA_ERROR_NOT_FOUND, "no_such_variable");
	CU(cuModuleUnload(b));
	FAILS(cuModuleUnload(b), CUDA_ERROR_INVALID_HANDLE, "");
	FAILS(cuModuleGetFunction(&f, b, "store"), CUDA_ERROR_INVALID_HANDLE, "");
	FAILS(cuModuleLoad(&a, "no/such/file"), CUDA_ERROR_FILE_NOT_FOUND, "no/such/file");
	FAILS(cuModuleLoad(&a, "README.md"), CUDA_ERROR_INVALID_IMAGE, "anpucc");
	FAILS(cuModuleLoadData(&a, ".version 8.0\n.target sm_90\n"), CUDA_ERROR_INVALID_PTX, "PTX");
	FAILS(cuModuleLoadData(&a, "\x50\xed\x55\xba????????????"), CUDA_ERROR_NO_BINARY_FOR_GPU, "fat binary");
}

/* The text of a file, with a zero behind it, as programs read PTX */
static char *text_of(const char *path)
{
	static char text[1 << 20];
	FILE *f = fopen(path, "r");

	CHECK(f != NULL);
	text[fread(text, 1, sizeof(text) - 1, f)] = 0;
	fclose(f);
	return text;
}

static void check_swap(CUfunction f)
{
	CUdeviceptr out = dev_alloc(8);
	void *args[] = { &out };

	CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
	CHECK_EQ(read_u64(out), 7);
	CU(cuMemFree(out));
}

/* anpucc -ptx writes text, which programs hand over as a string */
static void images_come_as_text(void)
{
	char *text = text_of(MANAGED_TEXT), *cut;
	CUlinkState l;
	CUlibrary lib;
	CUfunction f;
	CUkernel k;
	CUmodule m;
	void *linked;

	start();
	CHECK_EQ(strlen(text), strcspn(text, "\x80\r"));
	CU(cuModuleLoadData(&m, text));
	CU(cuModuleGetFunction(&f, m, "swap_managed"));
	check_swap(f);
	CU(cuModuleUnload(m));
	CU(cuModuleLoad(&m, MANAGED_TEXT));
	CU(cuModuleGetFunction(&f, m, "swap_managed"));
	check_swap(f);
	CU(cuLibraryLoadData(&lib, text, NULL, NULL, 0, NULL, NULL, 0));
	CU(cuLibraryGetKernel(&k, lib, "swap_managed"));
	check_swap((CUfunction)k);
	CU(cuLibraryUnload(lib));
	CU(cuLibraryLoadFromFile(&lib, MANAGED_TEXT, NULL, NULL, 0, NULL, NULL, 0));
	CU(cuLibraryGetKernel(&k, lib, "swap_managed"));
	CU(cuLibraryUnload(lib));
	CU(cuLinkCreate(0, NULL, NULL, &l));
	CU(cuLinkAddData(l, CU_JIT_INPUT_PTX, text, strlen(text) + 1, "managed.ptx", 0, NULL, NULL));
	CU(cuLinkComplete(l, &linked, NULL));
	CU(cuModuleLoadData(&m, linked));
	CU(cuLinkDestroy(l));
	CU(cuLinkCreate(0, NULL, NULL, &l));
	CU(cuLinkAddFile(l, CU_JIT_INPUT_PTX, MANAGED_TEXT, 0, NULL, NULL));
	CU(cuLinkDestroy(l));
	/* without its end, with other letters, without a number */
	text[strlen(text) / 2] = 0;
	FAILS(cuModuleLoadData(&m, text), CUDA_ERROR_INVALID_IMAGE, "of which it has");
	cut = strchr(text, '\n');
	cut[9] = '-';
	FAILS(cuLibraryLoadData(&lib, text, NULL, NULL, 0, NULL, NULL, 0), CUDA_ERROR_INVALID_IMAGE, "of which it has 6");
	cut[0] = 0;
	cut[-1] = 0;
	strcpy(strstr(text, ": ") + 2, "x");
	FAILS(cuModuleLoadData(&m, text), CUDA_ERROR_INVALID_IMAGE, "without a number");
}

/* The buffer of a program has the sentence that tells why an image was refused, and how long that is */
static void an_error_log_tells_why(void)
{
	static char ptx[] = ".version 8.0\n.target sm_90\n";
	CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER };
	char log[512] = "x", small[8];
	void *values[] = { (void *)sizeof(log), log };
	void *image, *linked;
	CUlibrary lib;
	CUlinkState l;
	size_t size;
	CUmodule m;

	start();
	FAILS(cuModuleLoadDataEx(&m, ptx, 2, options, values), CUDA_ERROR_INVALID_PTX, "PTX");
	CHECK(strstr(log, "cuModuleLoadDataEx()") || strstr(log, "cuModuleLoadDataEx:"));
	CHECK(strstr(log, "anpucc"));
	CHECK_EQ((size_t)values[0], strlen(log));
	values[0] = (void *)sizeof(small);
	values[1] = small;
	FAILS(cuLibraryLoadData(&lib, ptx, options, values, 2, NULL, NULL, 0), CUDA_ERROR_INVALID_PTX, "PTX");
	CHECK_EQ((size_t)values[0], sizeof(small) - 1);
	CHECK_EQ(strlen(small), sizeof(small) - 1);
	values[0] = (void *)sizeof(log);
	values[1] = log;
	FAILS(cuLibraryLoadFromFile(&lib, "no/such/file", options, values, 2, NULL, NULL, 0), CUDA_ERROR_FILE_NOT_FOUND, "");
	CHECK(strstr(log, "no/such/file"));
	/* the linker's log is that of all calls for it, until one of them succeeds */
	values[0] = (void *)sizeof(log);
	CU(cuLinkCreate(2, options, values, &l));
	CHECK_EQ(log[0], 0);
	CHECK(!values[0]);
	FAILS(cuLinkAddData(l, CU_JIT_INPUT_PTX, ptx, sizeof(ptx), "x", 0, NULL, NULL), CUDA_ERROR_INVALID_PTX, "anpucc");
	CHECK(strstr(log, "cuLinkAddData") && strstr(log, "PTX"));
	CHECK_EQ((size_t)values[0], strlen(log));
	FAILS(cuLinkAddFile(l, CU_JIT_INPUT_PTX, "no/such/file", 0, NULL, NULL), CUDA_ERROR_FILE_NOT_FOUND, "");
	CHECK(strstr(log, "no/such/file"));
	FAILS(cuLinkComplete(l, &linked, NULL), CUDA_ERROR_INVALID_VALUE, "");
	CHECK(strstr(log, "nothing was added"));
	image = read_file(OPS, &size);
	CU(cuLinkAddData(l, CU_JIT_INPUT_CUBIN, image, size, "ops", 0, NULL, NULL));
	CHECK_EQ(log[0], 0);
	CHECK(!values[0]);
	CU(cuLinkDestroy(l));
	free(image);
}

static void a_linker_gives_back_what_is_linked(void)
{
	static char ptx[] = ".version 8.0\n.target sm_90\n";
	CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
	char log[64] = "x";
	void *values[] = { log, (void *)sizeof(log) };
	void *image, *linked = NULL;
	size_t size, got = 0;
	CUlinkState l;
	CUfunction f;
	CUmodule m;

	image = read_file(OPS, &size);
	start();
	CU(cuLinkCreate(2, options, values, &l));
	CHECK_EQ(log[0], 0);
	FAILS(cuLinkComplete(l, &linked, &got), CUDA_ERROR_INVALID_VALUE, "nothing was added");
	FAILS(cuLinkAddData(l, CU_JIT_INPUT_PTX, ptx, sizeof(ptx), "x", 0, NULL, NULL), CUDA_ERROR_INVALID_PTX, "anpucc");
	FAILS(cuLinkAddData(l, CU_JIT_INPUT_CUBIN, image, size / 2, NULL, 0, NULL, NULL), CUDA_ERROR_INVALID_IMAGE,
	      "not in them");
	FAILS(cuLinkAddData(l, CU_JIT_INPUT_CUBIN, image, 5, NULL, 0, NULL, NULL), CUDA_ERROR_INVALID_IMAGE, "");
	FAILS(cuLinkAddData(l, CU_JIT_INPUT_CUBIN, image, 0, NULL, 0, NULL, NULL), CUDA_ERROR_INVALID_VALUE, "size is 0");
	FAILS(cuLinkAddData(l, (CUjitInputType)6, image, size, NULL, 0, NULL, NULL), CUDA_ERROR_INVALID_VALUE, "0 to 5");
	FAILS(cuLinkAddData(l, CU_JIT_INPUT_CUBIN, NULL, size, NULL, 0, NULL, NULL), CUDA_ERROR_INVALID_VALUE, "NULL");
	FAILS(cuLinkAddFile(l, CU_JIT_INPUT_LIBRARY, OPS, 0, NULL, NULL), CUDA_ERROR_NOT_SUPPORTED, "libraries");
	FAILS(cuLinkAddFile(l, CU_JIT_INPUT_PTX, "no/such/file", 0, NULL, NULL), CUDA_ERROR_FILE_NOT_FOUND, "no/such/file");
	/* files of anpucc come by the names that other compilers give theirs */
	CU(cuLinkAddData(l, CU_JIT_INPUT_PTX, image, size, "ops", 0, NULL, NULL));
	CU(cuLinkComplete(l, &linked, &got));
	CHECK_EQ(got, size);
	CHECK(!memcmp(linked, image, size));
	FAILS(cuLinkAddFile(l, CU_JIT_INPUT_OBJECT, OPS, 0, NULL, NULL), CUDA_ERROR_INVALID_VALUE, "another linker");
	CU(cuModuleLoadData(&m, linked));
	CU(cuLinkDestroy(l));
	CU(cuModuleGetFunction(&f, m, "store"));
	FAILS(cuLinkDestroy(l), CUDA_ERROR_INVALID_HANDLE, "no linker");
	CU(cuLinkCreate(0, NULL, NULL, &l));
	CU(cuLinkAddFile(l, CU_JIT_INPUT_CUBIN, OPS, 0, NULL, NULL));
	CU(cuLinkComplete(l, &linked, NULL));
	CU(cuModuleLoadDataEx(&m, linked, 0, NULL, NULL));
	CU(cuLinkDestroy(l));
	free(image);
}

/* The linker looks at no byte behind an image, and at what its headers say of the file */
static void images_have_the_bytes_that_their_headers_name(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size, room;
	char *image = read_file(OPS, &size), *end;
	Elf64_Ehdr *e = (Elf64_Ehdr *)image;
	Elf64_Shdr *s = (Elf64_Shdr *)(image + e->e_shoff), was;
	CUlinkState l;
	unsigned int i;

	start();
	room = (size + page - 1) / page * page;
	end = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(end != MAP_FAILED);
	end += room;
	CHECK(!mprotect(end, page, PROT_NONE));
	CU(cuLinkCreate(0, NULL, NULL, &l));
	for (room = 1; room < 200; room += room < 70 ? 1 : 40) {
		memcpy(end - room, image, room);
		FAILS(cuLinkAddData(l, CU_JIT_INPUT_CUBIN, end - room, room, NULL, 0, NULL, NULL), CUDA_ERROR_INVALID_IMAGE, "");
	}
	/* a table of sections that begins in the image, and ends behind it */
	memcpy(end - size, image, size);
	((Elf64_Ehdr *)(end - size))->e_shoff = (size - 8) / 8 * 8;
	FAILS(cuLinkAddData(l, CU_JIT_INPUT_CUBIN, end - size, size, NULL, 0, NULL, NULL), CUDA_ERROR_INVALID_IMAGE, "not in them");
	/* a section of the file that ends behind it, and one that has no bytes in it */
	for (i = 1; i < e->e_shnum && (s[i].sh_type != SHT_PROGBITS || s[i].sh_flags & SHF_ALLOC); i++)
		;
	CHECK_OP(i, <, e->e_shnum);
	was = s[i];
	s[i].sh_size = 2 * size;
	FAILS(cuLinkAddData(l, CU_JIT_INPUT_CUBIN, image, size, NULL, 0, NULL, NULL), CUDA_ERROR_INVALID_IMAGE, "headers tell of");
	s[i].sh_type = SHT_NOBITS;
	CU(cuLinkAddData(l, CU_JIT_INPUT_CUBIN, image, size, NULL, 0, NULL, NULL));
	s[i] = was;
	CU(cuLinkDestroy(l));
	munmap(end - (size + page - 1) / page * page, (size + page - 1) / page * page + page);
	free(image);
}

/* Local symbols come first, and the table of symbols tells where the others begin, as the format asks for */
static void check_symbols(const char *image)
{
	const Elf64_Ehdr *e = (const Elf64_Ehdr *)image;
	const Elf64_Shdr *s = (const Elf64_Shdr *)(image + e->e_shoff);
	unsigned int tables = 0;

	for (unsigned int i = 0; i < e->e_shnum; i++) {
		const Elf64_Sym *sym = (const Elf64_Sym *)(image + s[i].sh_offset);

		if (s[i].sh_type != SHT_SYMTAB)
			continue;
		tables++;
		for (unsigned int n = 0; n < s[i].sh_size / s[i].sh_entsize; n++)
			CHECK_EQ(ELF64_ST_BIND(sym[n].st_info) == STB_LOCAL, n < s[i].sh_info);
	}
	CHECK_EQ(tables, 1);
}

/* Two images become one: kernels of both, with their variables, addresses of these, and arguments */
static void a_linker_puts_images_together(void)
{
	CUdeviceptr p, counter, managed;
	void *linked = NULL, *image;
	CUfunction add, sum, swap;
	size_t size, got = 0, n;
	unsigned int count = 0, all;
	CUlinkState l;
	CUmodule m;

	start();
	p = dev_alloc(8);
	CU(cuModuleGetFunctionCount(&all, ops()));
	image = read_file(MANAGED_OPS, &size);
	CU(cuLinkCreate(0, NULL, NULL, &l));
	CU(cuLinkAddData(l, CU_JIT_INPUT_CUBIN, image, size, "managed", 0, NULL, NULL));
	CU(cuLinkAddFile(l, CU_JIT_INPUT_CUBIN, OPS, 0, NULL, NULL));
	CU(cuLinkComplete(l, &linked, &got));
	CHECK_OP(got, >, size);
	check_symbols(linked);
	CU(cuModuleLoadData(&m, linked));
	CU(cuLinkDestroy(l));
	CU(cuModuleGetFunctionCount(&count, m));
	CHECK_EQ(count, all + 4);
	CU(cuModuleGetFunction(&add, m, "add_counter"));
	CU(cuModuleGetFunction(&sum, m, "sum_table"));
	CU(cuModuleGetFunction(&swap, m, "swap_managed"));
	CU(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){ &p }, NULL));
	CHECK_EQ(read_u64(p), 5);
	CU(cuLaunchKernel(sum, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){ &p }, NULL));
	CHECK_EQ(read_u64(p), 10);
	CU(cuLaunchKernel(swap, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){ &p }, NULL));
	CHECK_EQ(read_u64(p), 7);
	CU(cuModuleGetGlobal(&managed, &n, m, "managed_counter"));
	CHECK_EQ(*(volatile uint64_t *)(uintptr_t)managed, 12);
	CU(cuModuleGetGlobal(&counter, &n, m, "table"));
	CHECK_EQ(n, 16);
	CU(cuModuleUnload(m));
	/* a kernel twice, and a damaged image behind one that is whole */
	CU(cuLinkCreate(0, NULL, NULL, &l));
	CU(cuLinkAddFile(l, CU_JIT_INPUT_CUBIN, OPS, 0, NULL, NULL));
	CU(cuLinkAddFile(l, CU_JIT_INPUT_CUBIN, OPS, 0, NULL, NULL));
	FAILS(cuLinkComplete(l, &linked, &got), CUDA_ERROR_INVALID_VALUE, "have a kernel '");
	CU(cuLinkDestroy(l));
	CU(cuLinkCreate(0, NULL, NULL, &l));
	CU(cuLinkAddFile(l, CU_JIT_INPUT_CUBIN, OPS, 0, NULL, NULL));
	((Elf64_Ehdr *)image)->e_machine = EM_X86_64;
	CU(cuLinkAddData(l, CU_JIT_INPUT_CUBIN, image, size, "damaged", 0, NULL, NULL));
	FAILS(cuLinkComplete(l, &linked, &got), CUDA_ERROR_INVALID_IMAGE, "another machine");
	CU(cuLinkDestroy(l));
	CU(cuLinkCreate(0, NULL, NULL, &l));
	((Elf64_Ehdr *)image)->e_machine = EM_RISCV;
	CU(cuLinkAddData(l, CU_JIT_INPUT_CUBIN, image, size, "one", 0, NULL, NULL));
	CU(cuLinkAddData(l, CU_JIT_INPUT_CUBIN, image, size, "two", 0, NULL, NULL));
	FAILS(cuLinkComplete(l, &linked, &got), CUDA_ERROR_INVALID_VALUE, "swap_managed");
	CU(cuLinkDestroy(l));
	free(image);
}

/* Bytes all over an image changed, most in its headers and tables: refused, or linked, and never a crash */
static void damaged_images_are_linked_or_refused(void)
{
	void *image, *linked;
	size_t size, i;
	CUlinkState l;
	CUresult ret;

	start();
	image = read_file(MANAGED_OPS, &size);
	for (i = 16; i < size; i += i < 400 || i > size - 4000 ? 5 : 61) {
		((uint8_t *)image)[i] ^= 0x81;
		CU(cuLinkCreate(0, NULL, NULL, &l));
		CU(cuLinkAddFile(l, CU_JIT_INPUT_CUBIN, OPS, 0, NULL, NULL));
		ret = cuLinkAddData(l, CU_JIT_INPUT_CUBIN, image, size, "damaged", 0, NULL, NULL);
		if (!ret)
			ret = cuLinkComplete(l, &linked, NULL);
		CHECK(!ret || ret == CUDA_ERROR_INVALID_IMAGE || ret == CUDA_ERROR_INVALID_VALUE || ret == CUDA_ERROR_NOT_SUPPORTED);
		CU(cuLinkDestroy(l));
		((uint8_t *)image)[i] ^= 0x81;
	}
	free(image);
}

static void a_library_belongs_to_no_context(void)
{
	CUfunction f1, f2;
	CUcontext one, two;
	CUkernel k, same;
	const char *name;
	CUlibrary lib, l;
	CUdeviceptr p;
	size_t bytes, offset, size;
	CUmodule m;
	int v;

	CU(cuInit(0));
	CU(cuLibraryLoadFromFile(&lib, OPS, NULL, NULL, 0, NULL, NULL, 0));
	/* a handle is no address */
	CHECK_OP((uintptr_t)lib >> 48, !=, 0);
	CU(cuLibraryGetKernel(&k, lib, "increment"));
	CU(cuLibraryGetKernel(&same, lib, "increment"));
	CHECK(k == same);
	FAILS(cuLibraryGetKernel(&same, lib, "nobody"), CUDA_ERROR_NOT_FOUND, "nobody");
	CU(cuKernelGetName(&name, k));
	CHECK(!strcmp(name, "increment"));
	CU(cuKernelGetLibrary(&l, k));
	CHECK(l == lib);
	FAILS(cuKernelGetFunction(&f1, k), CUDA_ERROR_INVALID_CONTEXT, "");
	one = start();
	CU(cuKernelGetFunction(&f1, k));
	CU(cuCtxCreate(&two, 0, 0));
	CU(cuKernelGetFunction(&f2, k));
	CHECK(f1 != f2);
	CU(cuLibraryGetModule(&m, lib));
	FAILS(cuModuleUnload(m), CUDA_ERROR_NOT_PERMITTED, "library");
	CU(cuLibraryGetGlobal(&p, &bytes, lib, "counter"));
	CHECK_EQ(bytes, 8);
	CU(cuKernelGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, k, 0));
	CU(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50, k, 0));
	CU(cuKernelGetParamInfo(k, 0, &offset, &size));
	CHECK_EQ(size, 8);
	p = dev_alloc(8);
	CU(cuLaunchKernel((CUfunction)k, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){ &p }, NULL));
	CHECK_EQ(read_u64(p), 1);
	CU(cuCtxDestroy(two));
	CU(cuCtxSetCurrent(one));
	CU(cuLibraryUnload(lib));
	FAILS(cuLibraryUnload(lib), CUDA_ERROR_INVALID_HANDLE, "");
	FAILS(cuKernelGetName(&name, k), CUDA_ERROR_INVALID_HANDLE, "");
	FAILS(cuLibraryLoadFromFile(&lib, "none", NULL, NULL, 0, NULL, NULL, 0), CUDA_ERROR_FILE_NOT_FOUND, "");
}

static void a_library_comes_from_memory(void)
{
	CUlibrary lib;
	CUkernel k;
	size_t size;
	void *image = read_file(OPS, &size);

	CU(cuInit(0));
	CU(cuLibraryLoadData(&lib, image, NULL, NULL, 0, NULL, NULL, 0));
	free(image);
	CU(cuLibraryGetKernel(&k, lib, "store"));
	CU(cuLibraryUnload(lib));
	FAILS(cuLibraryLoadData(&lib, "nonsense, and more of it......................................",
				NULL, NULL, 0, NULL, NULL, 0), CUDA_ERROR_INVALID_IMAGE, "");
}

static void functions_have_attributes(void)
{
	size_t offset, size;
	int v;

	start();
	for (int a = 0; a < CU_FUNC_ATTRIBUTE_MAX; a++)
		CU(cuFuncGetAttribute(&v, (CUfunction_attribute)a, op("store")));
	FAILS(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX, op("store")), CUDA_ERROR_INVALID_VALUE, "");
	CU(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, op("store")));
	CHECK_EQ(v, 1);
	CU(cuFuncSetAttribute(op("store"), CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 30));
	CU(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, op("store")));
	CHECK_EQ(v, 30);
	FAILS(cuFuncSetAttribute(op("store"), CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 101),
	      CUDA_ERROR_INVALID_VALUE, "101");
	FAILS(cuFuncSetAttribute(op("store"), CU_FUNC_ATTRIBUTE_NUM_REGS, 1), CUDA_ERROR_INVALID_VALUE, "cannot be set");
	FAILS(cuFuncSetAttribute(op("store"), CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 20),
	      CUDA_ERROR_INVALID_VALUE, "store");
	FAILS(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_NUM_REGS, (CUfunction)0x77), CUDA_ERROR_INVALID_HANDLE, "");
	CU(cuFuncSetCacheConfig(op("store"), CU_FUNC_CACHE_PREFER_SHARED));
	CU(cuFuncSetSharedMemConfig(op("store"), CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE));
	CU(cuFuncGetParamInfo(op("many_params"), 3, &offset, &size));
	CHECK_EQ(offset, 12); /* in a C struct, which extra is */
	CHECK_EQ(size, 4);
	FAILS(cuFuncGetParamInfo(op("store"), 2, &offset, &size), CUDA_ERROR_INVALID_VALUE, "2");
}

static void occupancy_is_one_block_on_a_core(void)
{
	CUlaunchConfig config = { .gridDimX = 4, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1,
				  .blockDimZ = 1 };
	int blocks, threads, cores, n;
	size_t shared;

	start();
	CU(cuDeviceGetAttribute(&cores, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
	CU(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, op("store"), 1, 0));
	CHECK_EQ(blocks, 1);
	CU(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, op("store"), 2000, 0, 0));
	CHECK_EQ(blocks, 0);
	CU(cuOccupancyMaxPotentialBlockSize(&blocks, &threads, op("store"), NULL, 0, 0));
	CHECK_EQ(blocks, cores);
	CHECK_EQ(threads, 1);
	CU(cuOccupancyMaxPotentialBlockSizeWithFlags(&blocks, &threads, op("store"), NULL, 0, 0, 0));
	CU(cuOccupancyAvailableDynamicSMemPerBlock(&shared, op("store"), 1, 1));
	CU(cuOccupancyMaxPotentialClusterSize(&n, op("store"), &config));
	CHECK_OP(n, >=, 1);
	CU(cuOccupancyMaxActiveClusters(&n, op("store"), &config));
	CHECK_EQ(n, cores);
	FAILS(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, op("store"), 0, 0), CUDA_ERROR_INVALID_VALUE, "");
}

static void addresses_of_functions_come_by_name(void)
{
	CUdriverProcAddressQueryResult status;
	CUresult (*alloc)(CUdeviceptr *, size_t);
	CUdeviceptr p = 0;
	void *fn, *other;

	start();
	CU(cuGetProcAddress("cuMemAlloc", &fn, CUDA_VERSION, CU_GET_PROC_ADDRESS_DEFAULT, &status));
	CHECK_EQ(status, CU_GET_PROC_ADDRESS_SUCCESS);
	memcpy(&alloc, &fn, sizeof(alloc));
	CU(alloc(&p, 100));
	CHECK(p);
	CU(cuGetProcAddress("cuLaunchKernel", &fn, CUDA_VERSION, CU_GET_PROC_ADDRESS_LEGACY_STREAM, NULL));
	CU(cuGetProcAddress("cuLaunchKernel", &other, CUDA_VERSION, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
			    NULL));
	CHECK(fn != other);
	FAILS(cuGetProcAddress("cuNoSuch", &fn, CUDA_VERSION, 0, &status), CUDA_ERROR_NOT_FOUND, "cuNoSuch");
	CHECK_EQ(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
	CHECK(!fn);
	FAILS(cuGetProcAddress("cuInit", &fn, 99990, 0, &status), CUDA_ERROR_NOT_FOUND, "99990");
	CHECK_EQ(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
	FAILS(cuGetProcAddress("cuInit", &fn, CUDA_VERSION, 8, NULL), CUDA_ERROR_INVALID_VALUE, "flags");
}

static void what_is_not_built_says_so(void)
{
	void *f;

	start();
	FAILS(cuLibraryGetUnifiedFunction(&f, NULL, "x"), CUDA_ERROR_NOT_SUPPORTED, "cuLibraryGetUnifiedFunction");
}

TAP_MAIN(TEST(nothing_works_before_init),
	 TEST(codes_have_names),
	 TEST(a_device_tells_what_it_is),
	 TEST(contexts_lie_on_a_stack),
	 TEST(limits_and_hints_are_kept),
	 TEST(the_primary_context_is_that_of_the_other_front),
	 TEST(modules_come_from_files_and_from_memory),
	 TEST(an_error_log_tells_why),
	 TEST(a_linker_gives_back_what_is_linked),
	 TEST(a_linker_puts_images_together),
	 TEST(damaged_images_are_linked_or_refused),
	 TEST(images_have_the_bytes_that_their_headers_name),
	 TEST(a_library_belongs_to_no_context),
	 TEST(a_library_comes_from_memory),
	 TEST(images_come_as_text),
	 TEST(functions_have_attributes),
	 TEST(occupancy_is_one_block_on_a_core),
	 TEST(addresses_of_functions_come_by_name),
	 TEST(what_is_not_built_says_so))
