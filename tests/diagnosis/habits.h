/* SPDX-License-Identifier: MIT */
/* More cases of bugs.c: habits of host programs that end badly. */

/* The event is recorded in the stream that waits for it, and not in the one that writes. */
static void event_stream(void)
{
	aclrtStream one = stream(), two = stream();
	float *a = tensor(64), *b = tensor(64);
	aclrtEvent e;

	aclrtCreateEvent(&e);
	LAUNCH("fill", 1, one, A(a), 0, 64); /* CALL event_stream */
	aclrtRecordEvent(e, two);
	aclrtStreamWaitEvent(two, e);
	LAUNCH("copy", 1, two, A(b), A(a), 64); /* BUG event_stream */
	tell(aclrtSynchronizeDevice());
	aclrtDestroyEvent(e);
	aclrtDestroyStream(one);
	aclrtDestroyStream(two);
	aclrtFree(a);
	aclrtFree(b);
}

/* The stream waits for the event's first record, and the data come behind the second one. */
static void event_twice(void)
{
	aclrtStream one = stream(), two = stream();
	float *a = tensor(64), *b = tensor(64);
	aclrtEvent e;

	aclrtCreateEvent(&e);
	LAUNCH("fill", 1, one, A(b), 0, 64);
	aclrtRecordEvent(e, one);
	aclrtStreamWaitEvent(two, e);
	LAUNCH("fill", 1, one, A(a), 0, 64); /* CALL event_twice */
	aclrtRecordEvent(e, one);
	LAUNCH("copy", 1, two, A(b), A(a), 64); /* BUG event_twice */
	tell(aclrtSynchronizeDevice());
	aclrtDestroyEvent(e);
	aclrtDestroyStream(one);
	aclrtDestroyStream(two);
	aclrtFree(a);
	aclrtFree(b);
}

static void context_gone(void)
{
	aclrtContext c;
	aclrtStream s;

	aclrtCreateContext(&c, 0);
	aclrtCreateStream(&s);
	aclrtDestroyContext(c); /* FREED context_gone */
	tell(aclrtSynchronizeStream(s)); /* BUG context_gone */
}

static void context_current(void)
{
	aclrtContext c;
	aclrtStream s;

	aclrtCreateContext(&c, 0);
	aclrtDestroyContext(c); /* FREED context_current */
	tell(aclrtCreateStream(&s)); /* BUG context_current */
}

static void context_twice(void)
{
	aclrtContext c, other;

	aclrtCreateContext(&other, 0);
	aclrtCreateContext(&c, 0);
	/* whose place is not told */
	aclrtDestroyContext(other);
	aclrtDestroyContext(c); /* FREED context_twice */
	tell(aclrtDestroyContext(c)); /* BUG context_twice */
}

static void stream_twice(void)
{
	aclrtStream s = stream();

	aclrtDestroyStream(s); /* FREED stream_twice */
	tell(aclrtDestroyStream(s)); /* BUG stream_twice */
}

static void event_destroyed(void)
{
	aclrtEvent e;

	aclrtCreateEvent(&e);
	aclrtDestroyEvent(e); /* FREED event_destroyed */
	tell(aclrtDestroyEvent(e)); /* BUG event_destroyed */
}

static void reset_memory(void)
{
	char host[64] = "", *p = device(4096);

	aclrtResetDevice(0); /* FREED reset_memory */
	aclrtSetDevice(0);
	tell(aclrtMemcpy(p, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE)); /* BUG reset_memory */
}

static void reset_kernel(void)
{
	float *p = device(4096);
	uint64_t args[] = { A(p), 0, 16 };
	aclrtFuncHandle f = kernel("fill");

	aclrtResetDevice(0); /* FREED reset_kernel */
	aclrtSetDevice(0);
	tell(aclrtLaunchKernelWithHostArgs(f, 1, NULL, NULL, args, sizeof(args), NULL, 0)); /* BUG reset_kernel */
}

static void set_nothing(aclrtStream *s)
{
	(void)s;
}

static void stream_unset(void)
{
	aclrtStream s = (aclrtStream)(uintptr_t)0x5555;

	set_nothing(&s);
	tell(aclrtSynchronizeStream(s)); /* BUG stream_unset */
}

/* The arguments stand in device memory that is freed before the kernel has read them. */
static void args_freed(void)
{
	uint64_t args[3] = { A(tensor(64)), 0, 64 };
	void *p = device(sizeof(args));
	aclrtStream s = stream(), other = stream();
	uint64_t *word = zeroed(8);

	aclrtMemcpy(p, sizeof(args), args, sizeof(args), ACL_MEMCPY_HOST_TO_DEVICE);
	aclrtValueWait(word, 1, ACL_STREAM_WAIT_VALUE_EQ, s);
	aclrtLaunchKernel(kernel("fill"), 1, p, sizeof(args), s); /* CALL args_freed */
	aclrtFree(p); /* BUG args_freed */
	aclrtValueWrite(word, 1, 0, other);
	tell(aclrtSynchronizeStream(s));
}

/* The same without a wait for a value */
static void args_freed_early(void)
{
	uint64_t args[3] = { A(tensor(64)), 0, 64 };
	void *p = device(sizeof(args));
	aclrtStream s = stream();

	aclrtMemcpy(p, sizeof(args), args, sizeof(args), ACL_MEMCPY_HOST_TO_DEVICE);
	aclrtLaunchKernel(kernel("fill"), 1, p, sizeof(args), s); /* CALL args_freed_early */
	tell(aclrtFree(p)); /* BUG args_freed_early */
	aclrtSynchronizeStream(s);
}

/* sizeof a pointer, and not of what it points to */
static void sizeof_pointer(void)
{
	float *host = calloc(64, 4), *a = device(256); /* MADE sizeof_pointer */

	aclrtMemcpy(a, 256, host, sizeof(host), ACL_MEMCPY_HOST_TO_DEVICE); /* CALL sizeof_pointer */
	tell(aclrtMemcpy(host, 256, a, 256, ACL_MEMCPY_DEVICE_TO_HOST)); /* BUG sizeof_pointer */
	aclrtFree(a);
	free(host);
}

static void source_for_target(void)
{
	float host[64] = { 0 }, *a = device(256);

	tell(aclrtMemcpy(host, 256, a, 256, ACL_MEMCPY_HOST_TO_DEVICE)); /* BUG source_for_target */
	aclrtFree(a);
}

/* With the default kind nothing is wrong but the direction: what is read was never written. */
static void source_for_target_default(void)
{
	float host[64] = { 0 }, *a = device(256); /* MADE source_for_target_default */

	tell(aclrtMemcpy(host, 256, a, 256, ACL_MEMCPY_DEFAULT)); /* BUG source_for_target_default */
	aclrtFree(a);
}

/* The buffer of the host is smaller than the copy. */
static void host_small(void)
{
	float *a = tensor(1024), *pinned;

	aclrtMallocHost((void **)&pinned, 1024); /* MADE host_small */
	tell(aclrtMemcpy(pinned, 4096, a, 4096, ACL_MEMCPY_DEVICE_TO_HOST)); /* BUG host_small */
	aclrtFreeHost(pinned);
	aclrtFree(a);
}

static void host_small_async(void)
{
	float *a = tensor(4096), *pinned;
	aclrtStream s = stream();

	aclrtMallocHost((void **)&pinned, 4096); /* MADE host_small_async */
	tell(aclrtMemcpyAsync(pinned, 16384, a, 16384, ACL_MEMCPY_DEVICE_TO_HOST, s)); /* BUG host_small_async */
	aclrtSynchronizeStream(s);
	aclrtDestroyStream(s);
	aclrtFreeHost(pinned);
	aclrtFree(a);
}

static void free_inside(void)
{
	char *p = device(4096); /* MADE free_inside */

	tell(aclrtFree(p + 512)); /* BUG free_inside */
	aclrtFree(p);
}

static void free_kind(void)
{
	void *p;

	aclrtMallocHost(&p, 4096); /* MADE free_kind */
	tell(aclrtFree(p)); /* BUG free_kind */
	aclrtFreeHost(p);
}

static void free_malloc(void)
{
	void *p = malloc(4096);

	tell(aclrtFreeHost(p)); /* BUG free_malloc */
	free(p);
}

/* The program calls the device's memory its own. */
static void free_device_as_host(void)
{
	void *p = device(4096); /* MADE free_device_as_host */

	tell(aclrtFreeHost(p)); /* BUG free_device_as_host */
	aclrtFree(p);
}

static void callback_frees(void *p)
{
	aclrtFree(p); /* BUG callback_free */
}

static void callback_free(void)
{
	float *a = tensor(64);
	aclrtStream s = stream();

	aclrtLaunchHostFunc(s, callback_frees, a);
	LAUNCH("fill", 1, s, A(a), 0, 64); /* CALL callback_free */
	tell(aclrtSynchronizeStream(s));
	aclrtDestroyStream(s);
}

/* The way out on an error forgets what was made before. */
static int leaves_early(void)
{
	void *p = device(4096); /* BUG leak_error_path */

	if (aclrtMemset(p, 16, 0, 4096)) /* CALL leak_error_path */
		return 1;
	aclrtFree(p);
	return 0;
}

static void leak_error_path(void)
{
	tell(leaves_early());
}

static void capture_stack_inner(aclrtStream s, float *a, aclmdlRI *graph)
{
	float local[64];

	for (int i = 0; i < 64; i++)
		local[i] = 1;
	aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	tell(aclrtMemcpyAsync(a, 256, local, 256, ACL_MEMCPY_HOST_TO_DEVICE, s)); /* BUG capture_stack */
	aclmdlRICaptureEnd(s, graph);
}

static void capture_stack(void)
{
	aclrtStream s = stream();
	float *a = device(256);
	aclmdlRI graph = NULL;

	capture_stack_inner(s, a, &graph);
	aclmdlRIExecuteAsync(graph, s);
	aclrtSynchronizeStream(s);
	aclmdlRIDestroy(graph);
	aclrtDestroyStream(s);
	aclrtFree(a);
}

/* A graph is recorded with the memory of the host that is freed before it runs. */
static void graph_host_freed(void)
{
	aclrtStream s = stream();
	float *a = device(256), *pinned;
	aclmdlRI graph;

	aclrtMallocHost((void **)&pinned, 256);
	memset(pinned, 0, 256);
	aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	aclrtMemcpyAsync(a, 256, pinned, 256, ACL_MEMCPY_HOST_TO_DEVICE, s); /* CALL graph_host_freed */
	aclmdlRICaptureEnd(s, &graph);
	aclrtFreeHost(pinned); /* FREED graph_host_freed */
	aclmdlRIExecuteAsync(graph, s); /* BUG graph_host_freed */
	tell(aclrtSynchronizeStream(s));
	aclmdlRIDestroy(graph);
	aclrtDestroyStream(s);
	aclrtFree(a);
}

static void graph_gone(void)
{
	aclrtStream s = stream();
	float *a = tensor(64);
	aclmdlRI graph;

	aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	LAUNCH("fill", 1, s, A(a), 0, 64);
	aclmdlRICaptureEnd(s, &graph);
	aclmdlRIDestroy(graph); /* FREED graph_gone */
	tell(aclmdlRIExecuteAsync(graph, s)); /* BUG graph_gone */
	aclrtDestroyStream(s);
	aclrtFree(a);
}

static void device_reset(void)
{
	void *p;

	aclrtResetDevice(0); /* FREED device_reset */
	tell(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST)); /* BUG device_reset */
}

static void wrong_device(void)
{
	tell(aclrtSetDevice(7)); /* BUG wrong_device */
}

static void wrong_name(void)
{
	aclrtBinHandle bin;
	aclrtFuncHandle f;

	aclrtBinaryLoadFromFile(KERNELS, NULL, &bin);
	tell(aclrtBinaryGetFunction(bin, "fil", &f)); /* BUG wrong_name */
	aclrtBinaryUnLoad(bin);
}

static void event_times(void)
{
	aclrtEvent a, b;
	float ms;

	aclrtCreateEvent(&a);
	aclrtCreateEvent(&b);
	aclrtRecordEvent(a, NULL);
	LAUNCH("fill", 1, NULL, A(tensor(64)), 0, 64);
	aclrtRecordEvent(b, NULL); /* CALL event_times */
	aclrtSynchronizeStream(NULL);
	tell(aclrtEventElapsedTime(&ms, b, a)); /* BUG event_times */
	aclrtDestroyEvent(a);
	aclrtDestroyEvent(b);
}

/* Tiling: the structure of the host has a member more than that of the operator. */
static void wrong_tiling(void)
{
	struct {
		uint32_t version, tiles, length;
	} host = { 1, 0, 64 };
	void *tiling = device(sizeof(host));
	float *a = tensor(64);

	aclrtMemcpy(tiling, sizeof(host), &host, sizeof(host), ACL_MEMCPY_HOST_TO_DEVICE);
	RUN(WILD, "tiled", 1, NULL, A(a), A(tiling)); /* CALL wrong_tiling */
	tell(aclrtSynchronizeStream(NULL));
	aclrtFree(tiling);
	aclrtFree(a);
}

/* A tile's length of 0 in the tiling */
static void zero_tiling(void)
{
	uint32_t host[2] = { 64, 0 };
	void *tiling = device(sizeof(host));
	float *a = tensor(64);

	aclrtMemcpy(tiling, sizeof(host), host, sizeof(host), ACL_MEMCPY_HOST_TO_DEVICE);
	RUN(WILD, "tiled", 1, NULL, A(a), A(tiling)); /* CALL zero_tiling */
	tell(aclrtSynchronizeStream(NULL));
	aclrtFree(tiling);
	aclrtFree(a);
}

/* The tiling is smaller than what the operator reads. */
static void small_tiling(void)
{
	uint32_t host = 64;
	void *tiling = device(sizeof(host)); /* MADE small_tiling */
	float *a = tensor(64);

	aclrtMemcpy(tiling, sizeof(host), &host, sizeof(host), ACL_MEMCPY_HOST_TO_DEVICE);
	RUN(WILD, "tiled", 1, NULL, A(a), A(tiling)); /* CALL small_tiling */
	tell(aclrtSynchronizeStream(NULL));
	aclrtFree(tiling);
	aclrtFree(a);
}

#define WILD_CASE(name, blocks, ...) \
static void name(void) \
{ \
	float *a = tensor(256), *b = tensor(256); \
	(void)b; \
	RUN(WILD, #name, blocks, NULL, __VA_ARGS__); \
	tell(aclrtSynchronizeStream(NULL)); \
	aclrtFree(a); \
	aclrtFree(b); \
}
WILD_CASE(overflow, 1, A(a), 1 << 30)
WILD_CASE(unaligned, 1, A(b), A(a))
WILD_CASE(too_large, 1, A(a))
WILD_CASE(matrix_large, 1, A(a), A(b))
WILD_CASE(ub_end, 1, A(b), A(a))
WILD_CASE(stale_l1, 1, A(a), A(b))
WILD_CASE(null_tile, 1, A(a), 0)
WILD_CASE(barrier_left, 4, A(a))
WILD_CASE(flag_twice, 1, A(a), A(b))
WILD_CASE(null_function, 1, A(a), 1)
WILD_CASE(print_wild, 1, A(a), 1u << 30)

static void last_tile(void)
{
	float *in = tensor(250), *out = tensor(250); /* MADE last_tile */

	RUN(WILD, "last_tile", 1, NULL, A(out), A(in), 250); /* CALL last_tile */
	tell(aclrtSynchronizeStream(NULL));
	aclrtFree(in);
	aclrtFree(out);
}

/* Matrices that nothing has written: all of one, and one row of the other */
static void cube_unwritten(void)
{
	float *a = tensor(256), *b = device(512), *c = tensor(256); /* MADE cube_unwritten */

	RUN(WILD, "cube_unwritten", 1, NULL, A(a), A(b), A(c)); /* CALL cube_unwritten */
	tell(aclrtSynchronizeStream(NULL));
	aclrtFree(a);
	aclrtFree(b);
	aclrtFree(c);
}

static void cube_unwritten_rows(void)
{
	float *a = tensor(256), *b = device(512), *c = tensor(256); /* MADE cube_unwritten_rows */
	char host[480] = "";

	aclrtMemcpy(b, 512, host, 480, ACL_MEMCPY_HOST_TO_DEVICE);
	RUN(WILD, "cube_unwritten", 1, NULL, A(a), A(b), A(c)); /* CALL cube_unwritten_rows */
	tell(aclrtSynchronizeStream(NULL));
	aclrtFree(a);
	aclrtFree(b);
	aclrtFree(c);
}

/* Blocks of threads --------------------------------------------------------------------------------- */

#define TEAM_CASE(name, blocks, threads, ...) \
static void name(void) \
{ \
	float *a = tensor(128), *b = tensor(128); \
	uint64_t args_[] = { __VA_ARGS__ }; \
	dim3 grid = { blocks, 1, 1 }, block = { threads, 1, 1 }; \
	(void)b; \
	aclrtLaunchSIMTKernelWithHostArgs(other_kernel(TEAM, #name), grid, block, 0, NULL, NULL, args_, sizeof(args_), \
					  NULL, 0); \
	tell(aclrtSynchronizeStream(NULL)); \
	aclrtFree(a); \
	aclrtFree(b); \
}
TEAM_CASE(tree, 2, 128, A(a), A(b))
TEAM_CASE(no_barrier, 1, 128, A(a), A(b))
TEAM_CASE(tree_no_barrier, 1, 128, A(a), A(b))
TEAM_CASE(shared_count, 1, 64, A(a))
TEAM_CASE(local_count, 1, 64, A(a))
TEAM_CASE(atomic_count, 2, 64, A(a))
TEAM_CASE(count_set_late, 1, 64, A(a))
TEAM_CASE(warp_early, 1, 32, A(a))
TEAM_CASE(warp_synced, 1, 32, A(a))
TEAM_CASE(in_place, 1, 128, A(a))
TEAM_CASE(in_turn, 1, 128, A(a))
TEAM_CASE(half_barrier, 1, 128, A(a))
TEAM_CASE(no_guard, 2, 96, A(a), 128)
TEAM_CASE(shared_unwritten, 1, 128, A(a))

#define HABITS_CASES \
	CASE(event_stream), CASE(event_twice), CASE(context_gone), \
	CASE(context_current), CASE(context_twice), CASE(stream_twice), CASE(event_destroyed), CASE(reset_memory), \
	CASE(reset_kernel), CASE(stream_unset), CASE(args_freed), CASE(args_freed_early), CASE(sizeof_pointer), \
	CASE(source_for_target), CASE(source_for_target_default), CASE(host_small), CASE(host_small_async), \
	CASE(free_inside), CASE(free_kind), CASE(free_malloc), CASE(free_device_as_host), CASE(callback_free), \
	CASE(leak_error_path), CASE(capture_stack), CASE(graph_host_freed), CASE(graph_gone), \
	CASE(device_reset), CASE(wrong_device), CASE(wrong_name), \
	CASE(event_times), CASE(wrong_tiling), CASE(zero_tiling), CASE(small_tiling), \
	CASE(overflow), CASE(last_tile), CASE(unaligned), CASE(too_large), CASE(matrix_large), \
	CASE(ub_end), CASE(stale_l1), CASE(null_tile), CASE(barrier_left), CASE(null_function), CASE(print_wild), CASE(flag_twice), \
	CASE(cube_unwritten), CASE(cube_unwritten_rows), CASE(tree), CASE(no_barrier), CASE(tree_no_barrier), \
	CASE(shared_count), CASE(local_count), CASE(atomic_count), CASE(count_set_late), CASE(warp_early), CASE(warp_synced), CASE(in_place), \
	CASE(in_turn), CASE(half_barrier), CASE(no_guard), CASE(shared_unwritten),
