/* SPDX-License-Identifier: MIT */
/* More cases of fronts.c: mistakes in programs of the driver API and in ranks of a communicator. */

#define KERNELS "build/tests/diagnosis/kernels.o"

static CUcontext current;

static CUfunction function(const char *name)
{
	static CUmodule module;
	CUfunction f = NULL;

	if (!current) {
		cuInit(0);
		cuCtxCreate(&current, 0, 0);
	}
	if (!module && cuModuleLoad(&module, KERNELS))
		tell(1);
	if (cuModuleGetFunction(&f, module, name))
		tell(2);
	return f;
}

static void cu_freed(void)
{
	CUfunction f = function("null_store");
	CUdeviceptr p;
	void *params[] = { &p };

	cuMemAlloc(&p, 4 << 20);
	cuMemFree(p); /* FREED cu_freed */
	cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL); /* CALL cu_freed */
	tell(cuCtxSynchronize());
}

static void cu_host_pointer(void)
{
	CUfunction f = function("null_store");
	float host[16], *p = host;
	void *params[] = { &p };

	cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL); /* CALL cu_host_pointer */
	tell(cuCtxSynchronize());
}

/* The address of the variable that has the address */
static void cu_pointer_twice(void)
{
	CUfunction f = function("null_store");
	CUdeviceptr p, *at = &p;
	void *params[] = { &at };

	cuMemAlloc(&p, 64);
	cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL); /* CALL cu_pointer_twice */
	tell(cuCtxSynchronize());
}

static void cu_free_twice(void)
{
	CUdeviceptr p;

	function("fill");
	cuMemAlloc(&p, 256);
	cuMemFree(p); /* FREED cu_free_twice */
	tell(cuMemFree(p));
}

static void cu_free_middle(void)
{
	CUdeviceptr p;

	function("fill");
	cuMemAlloc(&p, 256);
	tell(cuMemFree(p + 64));
}

static void cu_copy_long(void)
{
	float host[128];
	CUdeviceptr p;

	function("fill");
	cuMemAlloc(&p, 256);
	tell(cuMemcpyHtoD(p, host, sizeof(host)));
}

static void cu_behind(void)
{
	CUfunction f = function("fill");
	CUdeviceptr p;
	float value = 1;
	uint32_t n = 101;
	void *params[] = { &p, &value, &n };

	cuMemAlloc(&p, 400); /* MADE cu_behind */
	cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL); /* CALL cu_behind */
	tell(cuCtxSynchronize());
	cuMemFree(p);
}

/* A stream that does not wait for the default one, and a copy in that */
static void cu_early(void)
{
	CUfunction f = function("fill");
	float value = 1, host[64];
	CUdeviceptr p;
	uint32_t n = 64;
	void *params[] = { &p, &value, &n };
	CUstream s;

	cuStreamCreate(&s, CU_STREAM_NON_BLOCKING);
	cuMemAlloc(&p, 256);
	cuMemsetD8(p, 0, 256);
	cuCtxSynchronize();
	cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, params, NULL); /* CALL cu_early */
	cuMemcpyDtoH(host, p, 256); /* BUG cu_early */
	tell(cuCtxSynchronize());
	cuStreamDestroy(s);
	cuMemFree(p);
}

static void *without_context(void *p)
{
	tell(cuMemcpyHtoD(*(CUdeviceptr *)p, "12345678", 8));
	return NULL;
}

static void cu_no_context(void)
{
	pthread_t thread;
	CUdeviceptr p;

	function("fill");
	cuMemAlloc(&p, 64);
	pthread_create(&thread, NULL, without_context, &p);
	pthread_join(thread, NULL);
}

static void cu_threads(void)
{
	CUfunction f = function("fill");
	CUdeviceptr p;
	float value = 1;
	uint32_t n = 64;
	void *params[] = { &p, &value, &n };

	cuMemAlloc(&p, 256);
	tell(cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, NULL, params, NULL));
}

static void cu_event_time(void)
{
	CUevent a, b;
	float ms;

	function("fill");
	cuEventCreate(&a, 0);
	cuEventCreate(&b, 0);
	cuEventRecord(a, NULL);
	tell(cuEventElapsedTime(&ms, a, b));
}

/* The event stands before the kernel that is waited for */
static void cu_event_race(void)
{
	CUfunction f = function("fill");
	float value = 1;
	CUdeviceptr p;
	uint32_t n = 64;
	void *params[] = { &p, &value, &n };
	CUstream s, t;
	CUevent e;

	cuStreamCreate(&s, CU_STREAM_NON_BLOCKING);
	cuStreamCreate(&t, CU_STREAM_NON_BLOCKING);
	cuEventCreate(&e, CU_EVENT_DISABLE_TIMING);
	cuMemAlloc(&p, 256);
	cuEventRecord(e, s);
	cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, params, NULL); /* CALL cu_event_race */
	cuStreamWaitEvent(t, e, 0);
	cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, t, params, NULL); /* BUG cu_event_race */
	tell(cuCtxSynchronize());
}

/* Right: a value that one stream writes and the other waits for orders them, and a third one that waits for an event */
static void cu_value_order(void)
{
	CUdeviceptr p, word;
	CUstream s, t, u;
	char host[256];
	CUevent e;

	function("fill");
	cuStreamCreate(&s, CU_STREAM_NON_BLOCKING);
	cuStreamCreate(&t, CU_STREAM_NON_BLOCKING);
	cuStreamCreate(&u, CU_STREAM_NON_BLOCKING);
	cuEventCreate(&e, CU_EVENT_DISABLE_TIMING);
	cuMemAlloc(&p, 256);
	cuMemAlloc(&word, 64);
	cuMemsetD8(word, 0, 64);
	cuMemsetD8(p, 0, 256);
	cuCtxSynchronize();
	cuStreamWaitValue32(s, word, 1, CU_STREAM_WAIT_VALUE_GEQ);
	cuEventRecord(e, s);
	cuMemsetD8Async(p, 1, 256, t);
	cuStreamWriteValue32(t, word, 1, 0);
	cuStreamWaitEvent(u, e, 0);
	cuMemsetD8Async(p, 2, 256, u);
	cuStreamSynchronize(u);
	tell(cuMemcpyDtoH(host, p, 256));
	cuEventDestroy(e);
	cuStreamDestroy(s);
	cuStreamDestroy(t);
	cuStreamDestroy(u);
	cuMemFree(p);
	cuMemFree(word);
	cuCtxDestroy(current);
}

/* Memory that the end of the context frees */
static void cu_leak(void)
{
	CUdeviceptr p;

	function("fill");
	cuMemAlloc(&p, 256); /* MADE cu_leak */
	tell(cuCtxDestroy(current));
}

static void cu_wrong_name(void)
{
	CUmodule module;
	CUfunction f;

	function("fill");
	cuModuleLoad(&module, KERNELS);
	tell(cuModuleGetFunction(&f, module, "vecadd")); /* BUG cu_wrong_name */
}

static void cu_free_kind(void)
{
	void *p;

	function("fill");
	cuMemAllocHost(&p, 256);
	tell(cuMemFree((CUdeviceptr)(uintptr_t)p));
}

static void cu_capture_malloc(void)
{
	CUdeviceptr p;
	CUstream s;

	function("fill");
	cuStreamCreate(&s, 0);
	cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
	tell(cuMemAlloc(&p, 256));
}

static void cu_derefs(void)
{
	CUdeviceptr p;

	function("fill");
	cuMemAlloc(&p, 256); /* MADE cu_derefs */
	((volatile char *)(uintptr_t)p)[12] = 1; /* BUG cu_derefs */
}

/* A context of its own, whose end is the end of all */
static CUstream own_stream(void)
{
	CUstream s;

	cuStreamCreate(&s, CU_STREAM_NON_BLOCKING);
	return s;
}

static void launch_fill(CUdeviceptr p, CUstream s)
{
	float value = 1;
	uint32_t n = 64;
	void *params[] = { &p, &value, &n };

	cuLaunchKernel(function("fill"), 1, 1, 1, 1, 1, 1, 0, s, params, NULL);
}

/* Memory in the order of one stream is used in another one, which nothing has let wait */
static void cu_pool_other(void)
{
	CUdeviceptr p;
	CUstream s, t;

	function("fill");
	s = own_stream();
	t = own_stream();
	cuMemAllocAsync(&p, 256, s); /* CALL cu_pool_other */
	launch_fill(p, t); /* BUG cu_pool_other */
	cuStreamSynchronize(t);
	cuMemFreeAsync(p, s);
	tell(cuCtxSynchronize());
	cuCtxDestroy(current);
}

/* A block of the heap has half of the rows */
static void cu_rows_small(void)
{
	CUDA_MEMCPY2D copy = { .srcMemoryType = CU_MEMORYTYPE_DEVICE, .dstMemoryType = CU_MEMORYTYPE_HOST, .WidthInBytes = 64, .Height = 16 };
	CUdeviceptr p;

	function("fill");
	cuMemAlloc(&p, 1024);
	cuMemsetD8(p, 0, 1024);
	copy.srcDevice = p;
	copy.dstHost = malloc(512);
	tell(cuMemcpy2D(&copy)); /* BUG cu_rows_small */
	_exit(0); /* the heap is damaged */
}

/* Memory that nothing has used is freed where it was allocated */
static void cu_pool_unused(void)
{
	CUdeviceptr p;
	CUstream s;

	function("fill");
	s = own_stream();
	cuMemAllocAsync(&p, 4096, s);
	tell(cuMemFree(p));
	cuStreamDestroy(s);
	cuCtxDestroy(current);
}

/* The same of memory that a fill may still write */
static void cu_pool_free(void)
{
	CUdeviceptr p;
	CUstream s;

	function("fill");
	s = own_stream();
	cuMemAllocAsync(&p, 4096, s);
	cuMemsetD8Async(p, 0, 4096, s); /* CALL cu_pool_free */
	tell(cuMemFree(p)); /* BUG cu_pool_free */
	cuStreamSynchronize(s);
	cuStreamDestroy(s);
	cuCtxDestroy(current);
}

static void cu_pool_right(void)
{
	CUdeviceptr p;
	CUstream s, t;
	CUevent e;

	function("fill");
	s = own_stream();
	t = own_stream();
	cuEventCreate(&e, CU_EVENT_DISABLE_TIMING);
	cuMemAllocAsync(&p, 256, s);
	cuEventRecord(e, s);
	cuStreamWaitEvent(t, e, 0);
	launch_fill(p, t);
	cuEventRecord(e, t);
	cuStreamWaitEvent(s, e, 0);
	cuMemFreeAsync(p, s);
	cuMemAllocAsync(&p, 256, s);
	cuStreamSynchronize(s);
	launch_fill(p, t);
	cuStreamSynchronize(t);
	cuMemFreeAsync(p, t);
	tell(cuCtxSynchronize());
	cuEventDestroy(e);
	cuStreamDestroy(s);
	cuStreamDestroy(t);
	cuCtxDestroy(current);
}

/* The process ends, and nothing was ended before */
static void cu_left(void)
{
	CUdeviceptr p;

	function("fill");
	cuMemAlloc(&p, 256); /* MADE cu_left */
	tell(cuCtxSynchronize());
}

static void cu_left_stream(void)
{
	CUstream s;

	function("fill");
	cuStreamCreate(&s, 0); /* MADE cu_left_stream */
	tell(cuCtxDestroy(current));
}

static void cu_left_event(void)
{
	CUevent e;

	function("fill");
	cuEventCreate(&e, 0); /* MADE cu_left_event */
	tell(cuCtxSynchronize());
}

static void cu_left_graph(void)
{
	CUgraph g;

	function("fill");
	cuGraphCreate(&g, 0); /* MADE cu_left_graph */
	tell(cuCtxSynchronize());
}

static void cu_left_exec(void)
{
	CUgraphExec e;
	CUgraph g;

	function("fill");
	cuGraphCreate(&g, 0);
	cuGraphInstantiate(&e, g, 0); /* MADE cu_left_exec */
	cuGraphDestroy(g);
	tell(cuCtxDestroy(current));
}

static void cu_left_record(void)
{
	CUstream s;
	CUgraph g;

	function("fill");
	s = own_stream();
	cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL); /* MADE cu_left_record */
	tell(cuStreamEndCapture(s, &g));
	cuStreamDestroy(s);
	cuCtxDestroy(current);
}

static void cu_left_module(void)
{
	CUmodule module;

	function("fill");
	tell(cuModuleLoad(&module, KERNELS)); /* MADE cu_left_module */
}

static void cu_heap_small(void)
{
	CUdeviceptr p;
	float *host = malloc(256);

	function("fill");
	memset(host, 0, 256);
	cuMemAlloc(&p, 1024);
	tell(cuMemcpyHtoD(p, host, 1024)); /* BUG cu_heap_small */
	cuMemFree(p);
	free(host);
}

/* Ranks ---------------------------------------------------------------------------------------- */

static HcclRootInfo root_info;
static aclrtStream rank_stream[2];
static HcclComm rank_comm[2];
static char *rank_memory[2];

static void begin_rank(int rank)
{
	aclrtSetDevice(0);
	aclrtCreateStream(&rank_stream[rank]);
	HcclCommInitRootInfo(2, &root_info, rank, &rank_comm[rank]);
	aclrtMalloc((void **)&rank_memory[rank], 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST);
	aclrtMemset(rank_memory[rank], 1 << 20, 0, 1 << 20);
}

static void *(*other_rank)(void);
static volatile int other_has_called;

static void other_calls(void)
{
	__atomic_store_n(&other_has_called, 1, __ATOMIC_SEQ_CST);
}

/* This rank comes second to a call */
static void await_other(void)
{
	while (!__atomic_load_n(&other_has_called, __ATOMIC_SEQ_CST))
		usleep(1000);
}

static void *run_other(void *arg)
{
	begin_rank(1);
	other_rank();
	return arg;
}

/* Both ranks, this one being number 0 */
static void begin_ranks(void *(*other)(void))
{
	pthread_t thread;

	aclInit(NULL);
	aclrtSetDevice(0);
	HcclGetRootInfo(&root_info);
	other_rank = other;
	pthread_create(&thread, NULL, run_other, NULL);
	begin_rank(0);
}

#define SUM(rank, count, type) \
	HcclAllReduce(rank_memory[rank], rank_memory[rank] + (512 << 10), count, type, HCCL_REDUCE_SUM, rank_comm[rank], \
		      rank_stream[rank])

static void *sum_less(void)
{
	SUM(1, 32, HCCL_DATA_TYPE_FP32); /* CALL hccl_counts */
	other_calls();
	return NULL;
}

static void hccl_counts(void)
{
	begin_ranks(sum_less);
	await_other();
	tell(SUM(0, 64, HCCL_DATA_TYPE_FP32)); /* BUG hccl_counts */
	_exit(0);
}

static void *sum_halves(void)
{
	SUM(1, 64, HCCL_DATA_TYPE_FP16); /* CALL hccl_types */
	other_calls();
	return NULL;
}

static void hccl_types(void)
{
	begin_ranks(sum_halves);
	await_other();
	tell(SUM(0, 64, HCCL_DATA_TYPE_FP32)); /* BUG hccl_types */
	_exit(0);
}

static void *other_order(void)
{
	HcclBroadcast(rank_memory[1], 64, HCCL_DATA_TYPE_FP32, 0, rank_comm[1], rank_stream[1]); /* CALL hccl_order */
	other_calls();
	return NULL;
}

static void hccl_order(void)
{
	begin_ranks(other_order);
	await_other();
	tell(SUM(0, 64, HCCL_DATA_TYPE_FP32)); /* BUG hccl_order */
	_exit(0);
}

static void *nothing_more(void)
{
	return NULL;
}

static void hccl_long(void)
{
	begin_ranks(nothing_more);
	tell(SUM(0, 256 << 10, HCCL_DATA_TYPE_FP32));
	_exit(0);
}

static void hccl_overlap(void)
{
	begin_ranks(nothing_more);
	tell(HcclAllReduce(rank_memory[0], rank_memory[0] + 128, 64, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, rank_comm[0],
			   rank_stream[0]));
	_exit(0);
}

static void hccl_freed(void)
{
	void *p;

	begin_ranks(nothing_more);
	aclrtMalloc(&p, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
	aclrtFree(p); /* FREED hccl_freed */
	tell(HcclAllReduce(p, rank_memory[0], 64, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, rank_comm[0], rank_stream[0]));
	_exit(0);
}

static void hccl_host(void)
{
	static float mine[64];

	begin_ranks(nothing_more);
	tell(HcclAllReduce(mine, rank_memory[0], 64, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, rank_comm[0], rank_stream[0]));
	_exit(0);
}

/* The result's buffer has half of the elements */
static void hccl_small(void)
{
	void *p;

	begin_ranks(nothing_more);
	aclrtMalloc(&p, 128, ACL_MEM_MALLOC_HUGE_FIRST);
	tell(HcclAllReduce(rank_memory[0], p, 64, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, rank_comm[0], rank_stream[0]));
	_exit(0);
}

static void *sum_as_well(void)
{
	SUM(1, 64, HCCL_DATA_TYPE_FP32);
	return NULL;
}

/* The result is read before the stream is synchronised */
static void hccl_early(void)
{
	float host[64];

	begin_ranks(sum_as_well);
	SUM(0, 64, HCCL_DATA_TYPE_FP32); /* CALL hccl_early */
	tell(aclrtMemcpy(host, 256, rank_memory[0] + (512 << 10), 256, ACL_MEMCPY_DEVICE_TO_HOST)); /* BUG hccl_early */
	_exit(0);
}

static void hccl_free_early(void)
{
	begin_ranks(sum_as_well);
	SUM(0, 64, HCCL_DATA_TYPE_FP32); /* CALL hccl_free_early */
	tell(aclrtFree(rank_memory[0])); /* BUG hccl_free_early */
	_exit(0);
}

/* The other rank's part is right, and this one's was never set */
static void hccl_unwritten(void)
{
	void *part = NULL;

	begin_ranks(sum_as_well);
	aclrtMalloc(&part, 256, ACL_MEM_MALLOC_HUGE_FIRST);
	HcclAllReduce(part, rank_memory[0], 64, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, rank_comm[0], rank_stream[0]); /* BUG hccl_unwritten */
	tell(aclrtSynchronizeStream(rank_stream[0]));
	_exit(0);
}

static void *parts_as_well(void)
{
	uint64_t counts[] = { 64, 64 }, at[] = { 0, 64 };

	HcclAlltoAllV(rank_memory[1], counts, at, HCCL_DATA_TYPE_FP32, rank_memory[1] + (512 << 10), counts, at, HCCL_DATA_TYPE_FP32,
		      rank_comm[1], rank_stream[1]);
	return NULL;
}

/* The second displacement is too small */
static void hccl_parts(void)
{
	uint64_t counts[] = { 64, 64 }, at[] = { 0, 64 }, to[] = { 0, 32 };

	begin_ranks(parts_as_well);
	tell(HcclAlltoAllV(rank_memory[0], counts, at, HCCL_DATA_TYPE_FP32, rank_memory[0] + (512 << 10), /* BUG hccl_parts */
			   counts, to, HCCL_DATA_TYPE_FP32, rank_comm[0], rank_stream[0]));
	aclrtSynchronizeStream(rank_stream[0]);
	_exit(0);
}

static void hccl_group_open(void)
{
	begin_ranks(nothing_more);
	HcclGroupStart();
	SUM(0, 64, HCCL_DATA_TYPE_FP32); /* CALL hccl_group_open */
	aclrtSynchronizeStream(rank_stream[0]);
	tell(HcclCommDestroy(rank_comm[0])); /* BUG hccl_group_open */
	_exit(0);
}

/* Right: synchronised before */
static void hccl_right(void)
{
	float host[64];

	begin_ranks(sum_as_well);
	SUM(0, 64, HCCL_DATA_TYPE_FP32);
	aclrtSynchronizeStream(rank_stream[0]);
	aclrtMemcpy(host, 256, rank_memory[0] + (512 << 10), 256, ACL_MEMCPY_DEVICE_TO_HOST);
	tell(aclrtFree(rank_memory[0]));
	_exit(0);
}

/* The input of a collective is filled anew in another stream */
static void hccl_filled(void)
{
	aclrtStream s;

	begin_ranks(sum_as_well);
	aclrtCreateStream(&s);
	SUM(0, 64, HCCL_DATA_TYPE_FP32); /* CALL hccl_filled */
	aclrtMemsetAsync(rank_memory[0], 256, 1, 256, s); /* BUG hccl_filled */
	tell(aclrtSynchronizeStream(rank_stream[0]));
	_exit(0);
}

static void leave_rank(int rank)
{
	aclrtSynchronizeStream(rank_stream[rank]);
	HcclCommDestroy(rank_comm[rank]);
}

static void *receive_once(void)
{
	HcclRecv(rank_memory[1], 64, HCCL_DATA_TYPE_FP32, 0, rank_comm[1], rank_stream[1]);
	leave_rank(1);
	other_calls();
	return NULL;
}

/* The second send has no receive */
static void hccl_unreceived(void)
{
	begin_ranks(receive_once);
	HcclSend(rank_memory[0], 64, HCCL_DATA_TYPE_FP32, 1, rank_comm[0], rank_stream[0]);
	HcclSend(rank_memory[0], 64, HCCL_DATA_TYPE_FP32, 1, rank_comm[0], rank_stream[0]); /* CALL hccl_unreceived */
	await_other();
	leave_rank(0); /* BUG hccl_unreceived */
	tell(0);
	_exit(0);
}

static void *receive_two(void)
{
	HcclRecv(rank_memory[1], 64, HCCL_DATA_TYPE_FP32, 0, rank_comm[1], rank_stream[1]);
	HcclRecv(rank_memory[1], 64, HCCL_DATA_TYPE_FP32, 0, rank_comm[1], rank_stream[1]);
	leave_rank(1);
	other_calls();
	return NULL;
}

/* Right: two sends and two receives */
static void hccl_received(void)
{
	begin_ranks(receive_two);
	for (int i = 0; i < 2; i++)
		HcclSend(rank_memory[0], 64, HCCL_DATA_TYPE_FP32, 1, rank_comm[0], rank_stream[0]);
	await_other();
	leave_rank(0);
	tell(0);
	_exit(0);
}

static void hccl_self(void)
{
	begin_ranks(nothing_more);
	tell(HcclSend(rank_memory[0], 64, HCCL_DATA_TYPE_FP32, 0, rank_comm[0], rank_stream[0]));
	_exit(0);
}

/* Objects that each program of a graph has */
struct graph_program {
	CUstream s;
	CUdeviceptr p;
	CUgraph graph;
	CUgraphExec exec;
	float value;
	uint32_t n;
};

static void graph_begin(struct graph_program *g)
{
	g->value = 1;
	g->n = 64;
	function("fill");
	cuStreamCreate(&g->s, CU_STREAM_NON_BLOCKING);
	cuMemAlloc(&g->p, 256);
	cuMemsetD8(g->p, 0, 256);
	cuCtxSynchronize();
}

static void graph_of_node(struct graph_program *g)
{
	void *params[] = { &g->p, &g->value, &g->n };
	CUDA_KERNEL_NODE_PARAMS node = { .func = function("fill"), .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1,
					 .blockDimZ = 1, .kernelParams = params };
	CUgraphNode made;

	cuGraphCreate(&g->graph, 0);
	cuGraphAddKernelNode(&made, g->graph, NULL, 0, &node);
	cuGraphInstantiate(&g->exec, g->graph, 0);
}

static void graph_of_stream(struct graph_program *g)
{
	void *params[] = { &g->p, &g->value, &g->n };

	cuStreamBeginCapture(g->s, CU_STREAM_CAPTURE_MODE_GLOBAL);
	cuLaunchKernel(function("fill"), 1, 1, 1, 1, 1, 1, 0, g->s, params, NULL);
	cuStreamEndCapture(g->s, &g->graph);
	cuGraphInstantiate(&g->exec, g->graph, 0);
}

static void graph_end(struct graph_program *g)
{
	cuStreamSynchronize(g->s);
	cuGraphExecDestroy(g->exec);
	cuGraphDestroy(g->graph);
	cuMemFree(g->p);
	cuStreamDestroy(g->s);
}

/* A graph's stream does not wait for the default one, and the copy does not wait for it */
static void cu_graph_early(void)
{
	struct graph_program g;
	float host[64];

	graph_begin(&g);
	graph_of_node(&g);
	cuGraphLaunch(g.exec, g.s); /* CALL cu_graph_early */
	tell(cuMemcpyDtoH(host, g.p, 256)); /* BUG cu_graph_early */
	graph_end(&g);
}

static void cu_record_early(void)
{
	struct graph_program g;
	float host[64];

	graph_begin(&g);
	graph_of_stream(&g);
	cuGraphLaunch(g.exec, g.s); /* CALL cu_record_early */
	tell(cuMemcpyDtoH(host, g.p, 256)); /* BUG cu_record_early */
	graph_end(&g);
}

static void cu_graph_waits(void)
{
	struct graph_program g;
	float host[64];

	graph_begin(&g);
	graph_of_node(&g);
	for (unsigned int i = 0; i < 2; i++) {
		cuGraphLaunch(g.exec, g.s);
		cuStreamSynchronize(g.s);
		tell(cuMemcpyDtoH(host, g.p, 256));
		cuCtxSynchronize();
	}
	graph_end(&g);
	cuCtxDestroy(current);
}

/* Two nodes of a graph; the second one comes behind the first @n of them */
static void two_nodes(struct graph_program *g, size_t n)
{
	CUdeviceptr to = 0;
	void *fill[] = { &g->p, &g->value, &g->n }, *copy[] = { &to, &g->p, &g->n };
	CUDA_KERNEL_NODE_PARAMS node = { .func = function("fill"), .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1,
					 .blockDimZ = 1, .kernelParams = fill };
	CUgraphNode first, second;

	cuMemAlloc(&to, 256);
	cuGraphCreate(&g->graph, 0);
	cuGraphAddKernelNode(&first, g->graph, NULL, 0, &node); /* CALL cu_node_alone */
	node.func = function("copy");
	node.kernelParams = copy;
	cuGraphAddKernelNode(&second, g->graph, &first, n, &node); /* BUG cu_node_alone */
	cuGraphInstantiate(&g->exec, g->graph, 0);
	cuGraphLaunch(g->exec, g->s);
	tell(cuStreamSynchronize(g->s));
	cuMemFree(to);
}

static void cu_node_alone(void)
{
	struct graph_program g;

	graph_begin(&g);
	two_nodes(&g, 0);
	graph_end(&g);
	cuCtxDestroy(current);
}

static void cu_node_right(void)
{
	struct graph_program g;

	graph_begin(&g);
	two_nodes(&g, 1);
	graph_end(&g);
	cuCtxDestroy(current);
}

/* A memory node of a graph */
static void cu_node_fill(void)
{
	CUDA_MEMSET_NODE_PARAMS fill = { .elementSize = 1, .width = 256, .height = 1 };
	struct graph_program g;
	CUgraphNode node;

	graph_begin(&g);
	graph_of_node(&g); /* CALL cu_node_fill */
	cuGraphExecDestroy(g.exec);
	fill.dst = g.p;
	cuGraphAddMemsetNode(&node, g.graph, NULL, 0, &fill, current); /* BUG cu_node_fill */
	cuGraphInstantiate(&g.exec, g.graph, 0);
	cuGraphLaunch(g.exec, g.s);
	tell(cuStreamSynchronize(g.s));
	graph_end(&g);
	cuCtxDestroy(current);
}

static void cu_null(void)
{
	CUfunction f = function("fill");
	CUdeviceptr p = 0;
	float value = 1;
	uint32_t n = 64;
	void *params[] = { &p, &value, &n };

	cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL); /* CALL cu_null */
	tell(cuCtxSynchronize());
}

/* A graph and another stream only write the same tensor */
static void cu_graph_writes(void)
{
	struct graph_program g;
	CUstream t;

	graph_begin(&g);
	t = own_stream();
	graph_of_node(&g);
	cuGraphLaunch(g.exec, g.s); /* CALL cu_graph_writes */
	launch_fill(g.p, t); /* BUG cu_graph_writes */
	cuStreamSynchronize(t);
	tell(cuStreamSynchronize(g.s));
	cuStreamDestroy(t);
	graph_end(&g);
	cuCtxDestroy(current);
}

/* The same, each behind the other */
static void cu_graph_writes_right(void)
{
	struct graph_program g;
	CUevent e;
	CUstream t;

	graph_begin(&g);
	t = own_stream();
	cuEventCreate(&e, CU_EVENT_DISABLE_TIMING);
	graph_of_node(&g);
	for (unsigned int i = 0; i < 8; i++) {
		cuGraphLaunch(g.exec, g.s);
		cuGraphLaunch(g.exec, g.s);
		cuEventRecord(e, g.s);
		cuStreamWaitEvent(t, e, 0);
		launch_fill(g.p, t);
		cuEventRecord(e, t);
		cuStreamWaitEvent(g.s, e, 0);
	}
	cuStreamSynchronize(t);
	tell(cuStreamSynchronize(g.s));
	cuStreamDestroy(t);
	cuEventDestroy(e);
	graph_end(&g);
	cuCtxDestroy(current);
}

#define SEEDS_CASES \
	CASE(cu_node_alone), CASE(cu_node_right), CASE(cu_node_fill), CASE(cu_null), CASE(cu_graph_writes), CASE(cu_graph_writes_right), \
	CASE(cu_pool_other), CASE(cu_pool_right), CASE(cu_pool_unused), CASE(cu_pool_free), CASE(cu_rows_small), CASE(cu_left), CASE(cu_left_stream), CASE(cu_left_event), CASE(cu_left_graph), \
	CASE(cu_left_exec), CASE(cu_left_record), CASE(cu_left_module), CASE(cu_heap_small), \
	CASE(cu_graph_early), CASE(cu_record_early), CASE(cu_graph_waits), \
	CASE(cu_freed), CASE(cu_host_pointer), CASE(cu_pointer_twice), CASE(cu_free_twice), CASE(cu_free_middle), \
	CASE(cu_copy_long), CASE(cu_behind), CASE(cu_early), CASE(cu_no_context), CASE(cu_threads), \
	CASE(cu_event_time), CASE(hccl_counts), CASE(hccl_types), CASE(hccl_order), CASE(hccl_long), CASE(hccl_overlap), \
	CASE(cu_event_race), CASE(cu_value_order), CASE(cu_leak), CASE(cu_wrong_name), CASE(cu_free_kind), CASE(cu_capture_malloc), \
	CASE(cu_derefs), CASE(hccl_freed), CASE(hccl_self), CASE(hccl_unreceived), CASE(hccl_received), CASE(hccl_filled), CASE(hccl_host), \
	CASE(hccl_small), CASE(hccl_early), CASE(hccl_free_early), CASE(hccl_right), CASE(hccl_unwritten), CASE(hccl_parts), CASE(hccl_group_open),
