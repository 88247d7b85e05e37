// SPDX-License-Identifier: MIT
/* Older and newer forms of functions, by their symbols and by cuGetProcAddress(), and what is declared and refused. */
#include <dlfcn.h>

#include "cutest.h"

/* What cuGetProcAddress() gives to a program of that version */
static void *proc(const char *name, int version)
{
	void *fn = NULL;

	CU(cuGetProcAddress(name, &fn, version, CU_GET_PROC_ADDRESS_LEGACY_STREAM, NULL));
	CHECK(fn);
	return fn;
}

static void *symbol(const char *name)
{
	void *fn = dlsym(RTLD_DEFAULT, name);

	CHECK(fn);
	return fn;
}

/* The version of a program decides which form a name means */
static void names_mean_the_form_of_a_version(void)
{
	start();
	CHECK(proc("cuMemPrefetchAsync", 12010) == (void *)cuMemPrefetchAsync);
	CHECK(proc("cuMemPrefetchAsync", 12020) == (void *)cuMemPrefetchAsync_v2);
	CHECK(proc("cuMemAdvise", 11000) == (void *)cuMemAdvise);
	CHECK(proc("cuMemAdvise", CUDA_VERSION) == (void *)cuMemAdvise_v2);
	CHECK(proc("cuCtxCreate", 11030) == (void *)cuCtxCreate_v2);
	CHECK(proc("cuCtxCreate", 11040) == (void *)cuCtxCreate_v3);
	CHECK(proc("cuGraphInstantiate", 11080) == symbol("cuGraphInstantiate_v2"));
	CHECK(proc("cuGraphInstantiate", 12000) == (void *)cuGraphInstantiate);
	CHECK(proc("cuGraphInstantiateWithFlags", 11040) == (void *)cuGraphInstantiate);
	CHECK(proc("cuGraphAddKernelNode", 11080) == symbol("cuGraphAddKernelNode"));
	CHECK(proc("cuGraphAddKernelNode", 12000) == symbol("cuGraphAddKernelNode_v2"));
	CHECK(proc("cuStreamGetCaptureInfo", 10020) == symbol("cuStreamGetCaptureInfo"));
	CHECK(proc("cuStreamGetCaptureInfo", 11030) == symbol("cuStreamGetCaptureInfo_v2"));
	CHECK(proc("cuStreamGetCaptureInfo", 12030) == symbol("cuStreamGetCaptureInfo_v3"));
	CHECK(proc("cuGetProcAddress", 11030) == symbol("cuGetProcAddress"));
	CHECK(proc("cuGetProcAddress", 12000) == symbol("cuGetProcAddress_v2"));
	CHECK(proc("cuInit", 2000) == (void *)cuInit);
}

/* A program of a version in which there was no such function is told so */
static void functions_have_a_first_version(void)
{
	CUdriverProcAddressQueryResult how;
	void *fn = &how;

	CU(cuInit(0));
	FAILS(cuGetProcAddress("cuLaunchKernelEx", &fn, 11050, 0, &how), CUDA_ERROR_NOT_FOUND, "since version 11060");
	CHECK(!fn);
	CHECK_EQ(how, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
	CU(cuGetProcAddress("cuLaunchKernelEx", &fn, 11060, 0, &how));
	CHECK(fn == (void *)cuLaunchKernelEx);
	CHECK_EQ(how, CU_GET_PROC_ADDRESS_SUCCESS);
	FAILS(cuGetProcAddress("cuInit", &fn, CUDA_VERSION + 10, 0, &how), CUDA_ERROR_NOT_FOUND, "this library follows");
	CHECK_EQ(how, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
	FAILS(cuGetProcAddress("cuNoSuch", &fn, 11060, 0, &how), CUDA_ERROR_NOT_FOUND, "cuNoSuch");
	CHECK_EQ(how, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
}

/* Programs that look up names without a suffix, and Python's ctypes */
static void names_without_a_suffix_exist(void)
{
	CUresult (*get)(const char *, void **, int, cuuint64_t) = symbol("cuGetProcAddress");
	CUresult (*create)(CUcontext *, unsigned int, CUdevice) = symbol("cuCtxCreate");
	CUresult (*pop)(CUcontext *) = symbol("cuCtxPopCurrent");
	CUresult (*destroy)(CUcontext) = symbol("cuCtxDestroy");
	CUresult (*uuid)(CUuuid *, CUdevice) = symbol("cuDeviceGetUuid");
	CUresult (*total)(unsigned int *, CUdevice) = symbol("cuDeviceTotalMem");
	CUresult (*global)(CUdeviceptr *, size_t *, CUmodule, const char *) = symbol("cuModuleGetGlobal");
	unsigned int bytes = 0;
	size_t all = 0;
	CUdeviceptr old, new;
	CUcontext ctx, now;
	CUuuid a, b;
	void *fn;

	start();
	CU(total(&bytes, 0));
	CU(cuDeviceTotalMem(&all, 0));
	CHECK(bytes && (bytes == all || (bytes == UINT32_MAX && all > UINT32_MAX)));
	FAILS(total(NULL, 0), CUDA_ERROR_INVALID_VALUE, "bytes is NULL");
	CHECK(proc("cuDeviceTotalMem", 12000) == (void *)cuDeviceTotalMem);
	CU(get("cuMemAlloc", &fn, 11040, 0));
	CHECK(fn == (void *)cuMemAlloc);
	FAILS(get("cuNoSuch", &fn, 11040, 0), CUDA_ERROR_NOT_FOUND, "cuNoSuch");
	CU(global(&old, &all, ops(), "counter"));
	CU(cuModuleGetGlobal(&new, NULL, ops(), "counter"));
	CHECK(old == new && all == 8);
	CU(create(&ctx, 0, 0));
	CU(pop(&now));
	CHECK(now == ctx);
	CU(destroy(ctx));
	CU(uuid(&a, 0));
	CU(cuDeviceGetUuid(&b, 0));
	CHECK(!memcmp(&a, &b, sizeof(a)));
}

/* Contexts are counted by the oldest calls */
static void contexts_are_attached_and_detached(void)
{
	CUcontext ctx = start(), same, now;
	CUexecAffinityParam cores = { .type = CU_EXEC_AFFINITY_TYPE_SM_COUNT, .param = { { 1 } } };
	CUctxCigParam graphics = { CIG_DATA_TYPE_D3D12_COMMAND_QUEUE, NULL };
	int n, yes;

	CU(cuCtxAttach(&same, 0));
	CHECK(same == ctx);
	FAILS(cuCtxAttach(&same, 1), CUDA_ERROR_INVALID_VALUE, "flags");
	CU(cuCtxDetach(ctx));
	CU(cuCtxGetCurrent(&now));
	CHECK(now == ctx);
	FAILS(cuCtxCreate_v3(&same, &cores, 1, 0, 0), CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, "numParams is 1");
	FAILS(cuCtxCreate_v3(&same, NULL, 1, 0, 0), CUDA_ERROR_INVALID_VALUE, "paramsArray");
	CU(cuCtxCreate_v3(&same, NULL, 0, 0, 0));
	CU(cuCtxDetach(same));
	FAILS(cuCtxCreate(&same, &(CUctxCreateParams){ .cigParams = &graphics }, 0, 0), CUDA_ERROR_NOT_SUPPORTED, "cigParams");
	CU(cuCtxCreate(&same, NULL, 0, 0));
	CU(cuCtxDetach(same));
	FAILS(cuCtxDetach(same), CUDA_ERROR_INVALID_CONTEXT, "has ended");
	CU(cuDeviceGetExecAffinitySupport(&yes, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 0));
	CHECK_EQ(yes, 0);
	FAILS(cuDeviceGetExecAffinitySupport(&yes, (CUexecAffinityType)9, 0), CUDA_ERROR_INVALID_VALUE, "type is 9");
	CU(cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
	CU(cuCtxGetExecAffinity(&cores, CU_EXEC_AFFINITY_TYPE_SM_COUNT));
	CHECK_EQ(cores.param.smCount.val, n);
}

/* The first structure of kernel nodes ends where the newest one goes on */
static void old_structures_of_kernels_are_read_to_their_end(void)
{
	CUresult (*add)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const CUDA_KERNEL_NODE_PARAMS_v1 *) =
		symbol("cuGraphAddKernelNode");
	CUresult (*get)(CUgraphNode, CUDA_KERNEL_NODE_PARAMS_v1 *) = symbol("cuGraphKernelNodeGetParams");
	CUresult (*set)(CUgraphNode, const CUDA_KERNEL_NODE_PARAMS_v1 *) = symbol("cuGraphKernelNodeSetParams");
	CUresult (*set_exec)(CUgraphExec, CUgraphNode, const CUDA_KERNEL_NODE_PARAMS_v1 *) =
		symbol("cuGraphExecKernelNodeSetParams");
	CUresult (*make)(CUgraphExec *, CUgraph, CUgraphNode *, char *, size_t) = symbol("cuGraphInstantiate_v2");
	CUresult (*update)(CUgraphExec, CUgraph, CUgraphNode *, CUgraphExecUpdateResult *) = symbol("cuGraphExecUpdate");
	struct {
		CUDA_KERNEL_NODE_PARAMS_v1 p;
		uint64_t behind[2];
	} mem = { .behind = { ~0ULL, ~0ULL } };
	CUDA_GRAPH_INSTANTIATE_PARAMS how = { 0 };
	CUgraphExecUpdateResult result = CU_GRAPH_EXEC_UPDATE_ERROR;
	uint64_t value = 5;
	CUgraphNode node, bad;
	CUgraphExec exec, other;
	CUdeviceptr p;
	CUgraph graph;
	char text[64];

	start();
	p = dev_alloc(8);
	mem.p = (CUDA_KERNEL_NODE_PARAMS_v1){ .func = op("store"), .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1,
					      .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1,
					      .kernelParams = (void *[]){ &p, &value } };
	CU(cuGraphCreate(&graph, 0));
	CU(add(&node, graph, NULL, 0, &mem.p));
	FAILS(get(node, NULL), CUDA_ERROR_INVALID_VALUE, "nodeParams is NULL");
	CU(get(node, &mem.p));
	CHECK_EQ(mem.behind[0], ~0ULL);
	CHECK_EQ(mem.p.gridDimX, 1);
	CU(make(&exec, graph, &bad, text, sizeof(text)));
	CU(cuGraphLaunch(exec, NULL));
	CHECK_EQ(read_u64(p), 5);
	value = 6;
	mem.p.kernelParams = (void *[]){ &p, &value };
	CU(set_exec(exec, node, &mem.p));
	CU(cuGraphLaunch(exec, NULL));
	CHECK_EQ(read_u64(p), 6);
	value = 7;
	CU(set(node, &mem.p));
	CU(update(exec, graph, &bad, &result));
	CHECK_EQ(result, CU_GRAPH_EXEC_UPDATE_SUCCESS);
	CU(cuGraphLaunch(exec, NULL));
	CHECK_EQ(read_u64(p), 7);
	FAILS(make(&other, NULL, &bad, text, sizeof(text)), CUDA_ERROR_INVALID_VALUE, "no graph");
	CHECK(text[0]);
	CU(cuGraphInstantiateWithParams(&other, graph, &how));
	CHECK_EQ(how.result_out, CUDA_GRAPH_INSTANTIATE_SUCCESS);
	CU(cuGraphExecDestroy(other));
	FAILS(cuGraphInstantiateWithParams(&other, NULL, &how), CUDA_ERROR_INVALID_VALUE, "no graph");
	CHECK_EQ(how.result_out, CUDA_GRAPH_INSTANTIATE_ERROR);
	CU(cuGraphExecDestroy(exec));
	CU(cuGraphDestroy(graph));
}

static void recordings_are_asked_in_each_form(void)
{
	CUresult (*first)(CUstream, CUstreamCaptureStatus *, cuuint64_t *) = symbol("cuStreamGetCaptureInfo");
	CUstreamCaptureStatus status;
	const CUgraphEdgeData *edges;
	cuuint64_t a = 0, b = 0;
	CUgraph graph, seen;
	size_t n = 1;
	CUstream s;

	start();
	s = new_stream(CU_STREAM_NON_BLOCKING);
	CU(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
	CU(first(s, &status, &a));
	CHECK_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
	CU(cuStreamGetCaptureInfo_v3(s, &status, &b, NULL, NULL, NULL, NULL));
	CHECK(a && a == b);
	CU(cuStreamGetCaptureInfo_v3(s, &status, &b, &seen, NULL, &edges, &n));
	CHECK(edges && !n);
	CU(cuStreamEndCapture(s, &graph));
	CHECK(graph == seen);
	CU(cuGraphDestroy(graph));
}

/* What the device does not have says so, with the name of the function and what to do instead */
static void what_is_refused_says_why(void)
{
	CUDA_ARRAY_DESCRIPTOR shape = { 4, 4, CU_AD_FORMAT_FLOAT, 1 };
	CUDA_RESOURCE_DESC what = { .resType = CU_RESOURCE_TYPE_LINEAR };
	CUDA_TEXTURE_DESC how = { .filterMode = CU_TR_FILTER_MODE_POINT };
	const void *table;
	CUtexObject tex;
	CUuuid id = { { 0 } };
	/* of OpenGL: cuda.h does not have it, and loaders of libraries want to find it */
	CUresult (*image)(CUgraphicsResource *, unsigned int, unsigned int, unsigned int) = symbol("cuGraphicsGLRegisterImage");
	CUresult (*devices)(unsigned int *, CUdevice *, unsigned int, int) = symbol("cuGLGetDevices_v2");
	CUtexref ref;
	CUarray array;

	start();
	FAILS(image(NULL, 1, 2, 0), CUDA_ERROR_NOT_SUPPORTED, "no other API");
	FAILS(devices(NULL, NULL, 0, 0), CUDA_ERROR_NOT_SUPPORTED, "no other API");
	FAILS(cuArrayCreate(&array, &shape), CUDA_ERROR_NOT_SUPPORTED, "cuMemAlloc()");
	FAILS(cuTexObjectCreate(&tex, &what, &how, NULL), CUDA_ERROR_NOT_SUPPORTED, "cuTexObjectCreate() is declared and refused");
	FAILS(cuModuleGetTexRef(&ref, ops(), "x"), CUDA_ERROR_NOT_SUPPORTED, "textures");
	FAILS(cuGetExportTable(&table, &id), CUDA_ERROR_NOT_SUPPORTED, "cuGetExportTable");
	FAILS(cuImportExternalMemory(NULL, NULL), CUDA_ERROR_NOT_SUPPORTED, "no other API");
	FAILS(cuGreenCtxDestroy(NULL), CUDA_ERROR_NOT_SUPPORTED, "as a whole");
}

TAP_MAIN(TEST(names_mean_the_form_of_a_version), TEST(functions_have_a_first_version), TEST(names_without_a_suffix_exist),
	 TEST(contexts_are_attached_and_detached), TEST(old_structures_of_kernels_are_read_to_their_end),
	 TEST(recordings_are_asked_in_each_form), TEST(what_is_refused_says_why))
