// SPDX-License-Identifier: MIT
/*
 * The n-th block of memory that the library asks for in a call is refused, for n = 1, 2, 3, ... until the call needs no more: each time it
 * says so, nothing is lost (left.c), and the call works when there is memory.
 */
#include <stdio.h>

#include "../libacl/left.h"
#include "cutest.h"

/* In this thread: what is left until a block is refused, 0 if none shall be */
static __thread int countdown;
static __thread bool failed;

bool refuse_block(const void *by)
{
	if (!countdown || !is_of_libcuda(by) || --countdown)
		return false;
	failed = true;
	errno = ENOMEM;
	return true;
}

/* Objects and memory that the calls of a test use */
static struct {
	CUcontext ctx;
	CUstream stream;
	CUgraph graph;
	CUgraphNode node, second;
	CUgraphExec exec;
	CUfunction func;
	CUmemoryPool pool;
	CUdeviceptr word;
	char image[1 << 20]; /* the file OPS */
} it;

static void on_host(void *data)
{
	(void)data;
}

static void on_stream(CUstream stream, CUresult status, void *data)
{
	(void)stream;
	(void)status;
	(void)data;
}

#define MAKES(name, type, make, undo) \
static CUresult name(void) \
{ \
	type made = 0; \
	CUresult ret = make; \
	countdown = 0; \
	if (!ret) \
		CU(undo); \
	return ret; \
}

MAKES(memory, CUdeviceptr, cuMemAlloc(&made, 4096), cuMemFree(made))
MAKES(rows, CUdeviceptr, cuMemAllocPitch(&made, &(size_t){ 0 }, 100, 100, 4), cuMemFree(made))
MAKES(managed, CUdeviceptr, cuMemAllocManaged(&made, 4096, CU_MEM_ATTACH_GLOBAL), cuMemFree(made))
MAKES(pinned, void *, cuMemHostAlloc(&made, 4096, 0), cuMemFreeHost(made))
MAKES(of_pool, CUdeviceptr, cuMemAllocAsync(&made, 4096, it.stream), cuMemFreeAsync(made, it.stream))
MAKES(of_own_pool, CUdeviceptr, cuMemAllocFromPoolAsync(&made, 4096, it.pool, it.stream), cuMemFreeAsync(made, it.stream))
MAKES(range, CUdeviceptr, cuMemAddressReserve(&made, 2 << 20, 0, 0, 0), cuMemAddressFree(made, 2 << 20))
MAKES(aligned, CUdeviceptr, cuMemAddressReserve(&made, 2 << 20, 8 << 20, 0, 0), cuMemAddressFree(made, 2 << 20))
MAKES(stream, CUstream, cuStreamCreate(&made, CU_STREAM_NON_BLOCKING), cuStreamDestroy(made))
MAKES(ranked, CUstream, cuStreamCreateWithPriority(&made, CU_STREAM_DEFAULT, 0), cuStreamDestroy(made))
MAKES(event, CUevent, cuEventCreate(&made, 0), cuEventDestroy(made))
MAKES(context, CUcontext, cuCtxCreate(&made, 0, 0), cuCtxDestroy(made))
MAKES(file, CUmodule, cuModuleLoad(&made, OPS), cuModuleUnload(made))
MAKES(data, CUmodule, cuModuleLoadData(&made, it.image), cuModuleUnload(made))
MAKES(library, CUlibrary, cuLibraryLoadData(&made, it.image, NULL, NULL, 0, NULL, NULL, 0), cuLibraryUnload(made))
MAKES(library_file, CUlibrary, cuLibraryLoadFromFile(&made, OPS, NULL, NULL, 0, NULL, NULL, 0), cuLibraryUnload(made))
MAKES(linker, CUlinkState, cuLinkCreate(0, NULL, NULL, &made), cuLinkDestroy(made))
MAKES(graph, CUgraph, cuGraphCreate(&made, 0), cuGraphDestroy(made))
MAKES(clone, CUgraph, cuGraphClone(&made, it.graph), cuGraphDestroy(made))
MAKES(instance, CUgraphExec, cuGraphInstantiate(&made, it.graph, 0), cuGraphExecDestroy(made))
MAKES(object, CUuserObject, cuUserObjectCreate(&made, it.image, on_host, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
      cuUserObjectRelease(made, 1))

static CUresult pool(void)
{
	CUmemPoolProps props = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } };
	CUmemoryPool made;
	CUresult ret = cuMemPoolCreate(&made, &props);

	countdown = 0;
	if (!ret)
		CU(cuMemPoolDestroy(made));
	return ret;
}

static CUresult physical(void)
{
	CUmemAllocationProp prop = { .type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } };
	CUmemGenericAllocationHandle made;
	CUresult ret = cuMemCreate(&made, 2 << 20, &prop, 0);

	countdown = 0;
	if (!ret)
		CU(cuMemRelease(made));
	return ret;
}

static CUresult registered(void)
{
	static char own[3 * 4096];
	char *page = own + (4096 - (uintptr_t)own % 4096);
	CUresult ret = cuMemHostRegister(page, 4096, 0);

	countdown = 0;
	if (!ret)
		CU(cuMemHostUnregister(page));
	return ret;
}

static CUresult recording(void)
{
	CUgraph made = NULL;
	CUresult ret = cuStreamBeginCapture(it.stream, CU_STREAM_CAPTURE_MODE_RELAXED), end = CUDA_SUCCESS;

	if (!ret) {
		ret = cuMemsetD32Async(it.word, 1, 1, it.stream);
		end = cuStreamEndCapture(it.stream, &made);
	}
	countdown = 0;
	if (made)
		CU(cuGraphDestroy(made));
	return ret ? ret : end;
}

static CUresult launch(void)
{
	return cuLaunchKernel(it.func, 1, 1, 1, 1, 1, 1, 0, it.stream, NULL, NULL);
}

static CUresult host_function(void)
{
	return cuLaunchHostFunc(it.stream, on_host, NULL);
}

static CUresult callback(void)
{
	return cuStreamAddCallback(it.stream, on_stream, NULL, 0);
}

static CUresult edge(void)
{
	CUgraphNode node;
	CUresult ret = cuGraphAddEmptyNode(&node, it.graph, &it.node, 1);

	countdown = 0;
	if (!ret)
		CU(cuGraphDestroyNode(node));
	return ret;
}

static CUresult dependency(void)
{
	CUresult ret = cuGraphAddDependencies(it.graph, &it.second, &it.node, 1);

	countdown = 0;
	if (!ret)
		CU(cuGraphRemoveDependencies(it.graph, &it.second, &it.node, 1));
	return ret;
}

static CUresult picture(void)
{
	return cuGraphDebugDotPrint(it.graph, "/tmp/cuda-refused.dot", 0);
}

static CUresult parameters(void)
{
	return cuParamSeti(it.func, 0, 1);
}

static CUresult replay(void)
{
	return cuGraphLaunch(it.exec, it.stream);
}

static const struct call {
	const char *name;
	CUresult (*call)(void);
} calls[] = { { "memory", memory }, { "rows", rows }, { "managed", managed }, { "pinned", pinned }, { "of a pool", of_pool },
	      { "of an own pool", of_own_pool }, { "range", range }, { "aligned", aligned }, { "stream", stream },
	      { "ranked", ranked }, { "event", event }, { "context", context }, { "file", file }, { "data", data },
	      { "library", library }, { "library's file", library_file }, { "linker", linker }, { "graph", graph },
	      { "clone", clone }, { "instance", instance }, { "object", object }, { "pool", pool }, { "physical", physical },
	      { "registered", registered }, { "recording", recording }, { "launch", launch },
	      { "host function", host_function }, { "callback", callback }, { "edge", edge }, { "dependency", dependency },
	      { "picture", picture }, { "parameters", parameters }, { "replay", replay } };

/* Tells how many blocks it needs; records of what was there before are used again */
static int fail_each(const struct call *c)
{
	const char *text;
	char code[16];
	CUresult ret;
	int n;

	for (n = 1; n < 300; n++) {
		aclGetRecentErrMsg();
		failed = false;
		countdown = n;
		ret = c->call();
		countdown = 0;
		if (!failed)
			break;
		text = aclGetRecentErrMsg();
		snprintf(code, sizeof(code), "E%d cu", (int)ret);
		if (!ret || !text || !strstr(text, code))
			FAIL("%s, block %d: %d: %s", c->name, n, (int)ret, text ? text : "nothing is said");
		if (ret != CUDA_ERROR_OUT_OF_MEMORY)
			FAIL("%s, block %d: %d: %s", c->name, n, (int)ret, text);
	}
	if (ret)
		FAIL("%s: %d: %s", c->name, (int)ret, aclGetRecentErrMsg());
	CU(cuStreamSynchronize(it.stream));
	return n - 1;
}

static void scene(void)
{
	CUmemPoolProps props = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } };
	FILE *f = fopen(OPS, "r");

	CHECK(f && fread(it.image, 1, sizeof(it.image), f) > 0);
	fclose(f);
	it.ctx = start();
	it.func = op("nothing");
	it.word = dev_alloc(64);
	it.stream = new_stream(CU_STREAM_NON_BLOCKING);
	CU(cuMemPoolCreate(&it.pool, &props));
	CU(cuGraphCreate(&it.graph, 0));
	CU(cuGraphAddEmptyNode(&it.node, it.graph, NULL, 0));
	it.second = add_kernel(it.graph, NULL, "nothing", NULL);
	it.exec = instantiated(it.graph);
}

static void calls_work_or_say_why(void)
{
	int blocks = 0;

	if (strcmp(getenv("ANPU_DEVICE") ? : "", "direct"))
		SKIP("the program knows what libcuda asks for in the direct engine only");
	scene();
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		blocks += fail_each(&calls[i]);
	CHECK_OP(blocks, >=, 30);
	remove("/tmp/cuda-refused.dot");
}

TAP_MAIN(TEST(calls_work_or_say_why))
