/* SPDX-License-Identifier: MIT */
/* More cases of bugs.c: operators in Ascend C and with several blocks, memory of the host, handles, graphs. */

#define BLOCKS "build/tests/diagnosis/blocks.o"
#define ASCEND "build/tests/diagnosis/ascend.o"
#define WILD "build/tests/diagnosis/wild.o"
#define TEAM "build/tests/diagnosis/team.o"
#define QUEUES "build/tests/diagnosis/queues.o"
#define SCALARS "build/tests/diagnosis/scalars.o"
#define TENSORS "build/tests/diagnosis/tensors.o"
#define HALVES "build/tests/diagnosis/halves.o"
#define GRID "build/tests/diagnosis/grid.o"

static aclrtFuncHandle other_kernel(const char *file, const char *name)
{
	static const char *const files[] = { BLOCKS, ASCEND, WILD, TEAM, QUEUES, SCALARS, TENSORS, HALVES, GRID };
	static aclrtBinHandle bins[sizeof(files) / sizeof(files[0])];
	aclrtFuncHandle f = NULL;
	aclrtBinHandle *bin;
	unsigned int i = 0;

	while (strcmp(files[i], file))
		i++;
	bin = &bins[i];
	if (!*bin && aclrtBinaryLoadFromFile(file, NULL, bin))
		tell(1);
	if (aclrtBinaryGetFunction(*bin, name, &f))
		tell(2);
	return f;
}

#define RUN(file, name, blocks, stream, ...) do { \
	uint64_t args_[] = { __VA_ARGS__ }; \
	aclrtLaunchKernelWithHostArgs(other_kernel(file, name), blocks, stream, NULL, args_, sizeof(args_), NULL, 0); \
} while (0)

/* A tensor with numbers in it */
static float *tensor(size_t n)
{
	float *p = device(4 * n), *host = calloc(n, 4);

	for (size_t i = 0; i < n; i++)
		host[i] = (float)i;
	aclrtMemcpy(p, 4 * n, host, 4 * n, ACL_MEMCPY_HOST_TO_DEVICE);
	free(host);
	return p;
}

static void read_one_more(void)
{
	float *in = tensor(100), *out = tensor(1);

	RUN(BLOCKS, "sum", 1, NULL, A(out), A(in), 100); /* CALL read_one_more */
	tell(aclrtSynchronizeStream(NULL));
	aclrtFree(in);
	aclrtFree(out);
}

static void read_one_more_page(void)
{
	float *in = tensor(1024), *out = tensor(1);

	RUN(BLOCKS, "sum", 1, NULL, A(out), A(in), 1024); /* CALL read_one_more_page */
	tell(aclrtSynchronizeStream(NULL));
	aclrtFree(in);
	aclrtFree(out);
}

static void write_one_more(void)
{
	float *out = tensor(1000);

	RUN(BLOCKS, "ramp", 1, NULL, A(out), 1000); /* CALL write_one_more */
	tell(aclrtSynchronizeStream(NULL));
	aclrtFree(out);
}

static void byte_more(void)
{
	float *in = tensor(8), *out = tensor(8);

	RUN(BLOCKS, "bytes", 1, NULL, A(out), A(in), 31); /* right */
	RUN(BLOCKS, "bytes", 1, NULL, A(out), A(in), 32); /* CALL byte_more */
	tell(aclrtSynchronizeStream(NULL));
	aclrtFree(in);
	aclrtFree(out);
}

static void read_before(void)
{
	float *in = tensor(100), *out = tensor(100);

	RUN(BLOCKS, "before", 1, NULL, A(out), A(in), 100); /* CALL read_before */
	tell(aclrtSynchronizeStream(NULL));
	aclrtFree(in);
	aclrtFree(out);
}

static void tile_behind(void)
{
	float *in = tensor(100), *out = tensor(100);

	RUN(BLOCKS, "tiles", 1, NULL, A(out), A(in), 100); /* CALL tile_behind */
	tell(aclrtSynchronizeStream(NULL));
	aclrtFree(in);
	aclrtFree(out);
}

#define BLOCKS_CASE(name, blocks, ...) \
static void name(void) \
{ \
	float *a = tensor(256), *b = tensor(256); \
	(void)b; \
	RUN(BLOCKS, #name, blocks, NULL, __VA_ARGS__); \
	tell(aclrtSynchronizeStream(NULL)); \
	aclrtFree(a); \
	aclrtFree(b); \
}
BLOCKS_CASE(lost_sum, 4, A(a))
BLOCKS_CASE(kept_sum, 4, A(a))
BLOCKS_CASE(neighbour, 4, A(a), A(b))
BLOCKS_CASE(neighbour_sync, 4, A(a), A(b))
BLOCKS_CASE(second_barrier, 4, A(a), A(b))
BLOCKS_CASE(half_atomic, 4, A(a))
BLOCKS_CASE(set_only, 1, A(a), A(b))
BLOCKS_CASE(wait_only, 1, 0)
BLOCKS_CASE(cross_left, 2, 0)
BLOCKS_CASE(ping_pong, 2, 0)
BLOCKS_CASE(halves, 2, A(a), A(b), 0)

static void halves_flag(void)
{
	float *a = tensor(256), *b = tensor(256);

	RUN(BLOCKS, "halves", 2, NULL, A(a), A(b), 1);
	tell(aclrtSynchronizeStream(NULL));
	aclrtFree(a);
	aclrtFree(b);
}

static void asc_unwritten_input(void)
{
	float *x = device(1024), *y = tensor(256), *z = tensor(256); /* MADE asc_unwritten_input */

	RUN(ASCEND, "asc_add", 2, NULL, A(x), A(y), A(z), 128); /* CALL asc_unwritten_input */
	tell(aclrtSynchronizeStream(NULL));
	aclrtFree(x);
	aclrtFree(y);
	aclrtFree(z);
}

static void asc_add(void)
{
	float *x = tensor(256), *y = tensor(256), *z = device(1024);

	RUN(ASCEND, "asc_add", 2, NULL, A(x), A(y), A(z), 128);
	tell(aclrtSynchronizeStream(NULL));
	aclrtFree(x);
	aclrtFree(y);
	aclrtFree(z);
}

#define ASCEND_CASE(name, blocks, ...) \
static void name(void) \
{ \
	float *a = tensor(256), *b = tensor(256); \
	(void)b; \
	RUN(ASCEND, #name, blocks, NULL, __VA_ARGS__); \
	tell(aclrtSynchronizeStream(NULL)); \
	aclrtFree(a); \
	aclrtFree(b); \
}
ASCEND_CASE(asc_overlap, 4, A(a), A(b), 32)
ASCEND_CASE(asc_no_syncall, 4, A(a), A(b))
ASCEND_CASE(asc_flag_left, 1, A(a), A(b))
ASCEND_CASE(asc_no_v_mte3, 1, A(a), A(b))
ASCEND_CASE(asc_uninit, 1, A(b))

/* The program ------------------------------------------------------------------------------------- */

static void pinned_freed(void)
{
	float *a = tensor(1 << 20), *host;
	aclrtStream s = stream(), other = stream();
	uint64_t *word = device(8);

	/* the copy cannot be over when its memory is freed */
	aclrtMemset(word, 8, 0, 8);
	aclrtValueWait(word, 1, ACL_STREAM_WAIT_VALUE_EQ, s);
	aclrtMallocHost((void **)&host, 4 << 20);
	aclrtMemcpyAsync(host, 4 << 20, a, 4 << 20, ACL_MEMCPY_DEVICE_TO_HOST, s); /* CALL pinned_freed */
	tell(aclrtFreeHost(host)); /* BUG pinned_freed */
	aclrtValueWrite(word, 1, 0, other);
	aclrtSynchronizeStream(s);
	aclrtDestroyStream(s);
	aclrtDestroyStream(other);
	aclrtFree(word);
	aclrtFree(a);
}

static void pinned_shared(void)
{
	float *a = tensor(1024), *b = tensor(1024), *host;
	aclrtStream one = stream(), two = stream();

	aclrtMallocHost((void **)&host, 4096);
	aclrtMemcpyAsync(host, 4096, a, 4096, ACL_MEMCPY_DEVICE_TO_HOST, one); /* CALL pinned_shared */
	aclrtMemcpyAsync(b, 4096, host, 4096, ACL_MEMCPY_HOST_TO_DEVICE, two); /* BUG pinned_shared */
	tell(aclrtSynchronizeDevice());
	aclrtDestroyStream(one);
	aclrtDestroyStream(two);
	aclrtFreeHost(host);
	aclrtFree(a);
	aclrtFree(b);
}

static void swapped(void)
{
	float *a = tensor(64), *b = tensor(64);

	RUN(BLOCKS, "sum", 1, NULL, A(a), 64, A(b)); /* BUG swapped */
	tell(aclrtSynchronizeStream(NULL));
}

static void packed(void)
{
	struct {
		float *out;
		float value;
		uint32_t n;
	} args = { tensor(64), 1, 64 };

	tell(aclrtLaunchKernelWithHostArgs(kernel("fill"), 1, NULL, NULL, &args, sizeof(args), NULL, 0)); /* BUG packed */
}

static void no_blocks(void)
{
	uint64_t args[3] = { A(tensor(64)), 0, 64 };

	tell(aclrtLaunchKernelWithHostArgs(kernel("fill"), 0, NULL, NULL, args, sizeof(args), NULL, 0)); /* BUG no_blocks */
}

static void wrong_file(void)
{
	aclrtBinHandle bin;

	tell(aclrtBinaryLoadFromFile("build/tests/diagnosis/block.o", NULL, &bin)); /* BUG wrong_file */
}

static void memset_long(void)
{
	tell(aclrtMemset(tensor(64), 256, 0, 260)); /* BUG memset_long */
}

static void memset_lies(void)
{
	tell(aclrtMemset(tensor(64), 1 << 20, 0, 1 << 20)); /* BUG memset_lies */
}

static void elements_for_bytes(void)
{
	float host[64] = { 0 }, *a = device(256); /* MADE elements_for_bytes */

	aclrtMemcpy(a, 256, host, 64, ACL_MEMCPY_HOST_TO_DEVICE);
	tell(aclrtMemcpy(host, 256, a, 256, ACL_MEMCPY_DEVICE_TO_HOST)); /* BUG elements_for_bytes */
	aclrtFree(a);
}

static void event_never(void)
{
	aclrtEvent a, b;
	float ms;

	aclrtCreateEvent(&a);
	aclrtCreateEvent(&b);
	aclrtRecordEvent(a, NULL);
	aclrtSynchronizeStream(NULL);
	tell(aclrtEventElapsedTime(&ms, a, b)); /* BUG event_never */
	aclrtDestroyEvent(a);
	aclrtDestroyEvent(b);
}

static void event_gone(void)
{
	aclrtEvent e;

	aclrtCreateEvent(&e);
	aclrtDestroyEvent(e);
	tell(aclrtRecordEvent(e, NULL)); /* BUG event_gone */
}

static void unloaded(void)
{
	aclrtBinHandle bin;
	aclrtFuncHandle f;
	uint64_t args[3] = { A(tensor(64)), 0, 64 };

	aclrtBinaryLoadFromFile(KERNELS, NULL, &bin);
	aclrtBinaryGetFunction(bin, "fill", &f);
	aclrtBinaryUnLoad(bin); /* FREED unloaded */
	tell(aclrtLaunchKernelWithHostArgs(f, 1, NULL, NULL, args, sizeof(args), NULL, 0)); /* BUG unloaded */
}

static void capture_sync(void)
{
	aclrtStream s = stream();
	aclmdlRI graph;

	aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	tell(aclrtSynchronizeStream(s)); /* BUG capture_sync */
	aclmdlRICaptureEnd(s, &graph);
	aclrtDestroyStream(s);
}

static void capture_malloc(void)
{
	aclrtStream s = stream();
	float host[16] = { 0 }, *a = tensor(16);
	aclmdlRI graph = NULL;

	aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL); /* CALL capture_malloc */
	tell(aclrtMemcpy(a, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE)); /* BUG capture_malloc */
	aclmdlRICaptureEnd(s, &graph);
	aclrtDestroyStream(s);
}

static void graph_freed(void)
{
	aclrtStream s = stream();
	aclmdlRI graph;
	float *a = tensor(64);

	aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	LAUNCH("fill", 1, s, A(a), 0, 64); /* CALL graph_freed */
	aclmdlRICaptureEnd(s, &graph);
	aclrtFree(a); /* FREED graph_freed */
	aclmdlRIExecuteAsync(graph, s); /* BUG graph_freed */
	tell(aclrtSynchronizeStream(s));
	aclmdlRIDestroy(graph);
	aclrtDestroyStream(s);
}

static void leak_stream(void)
{
	stream(); /* BUG leak_stream */
	tell(0);
}

static void leak_event(void)
{
	aclrtEvent e;

	aclrtCreateEvent(&e); /* BUG leak_event */
	tell(0);
}

static void leak_key(void)
{
	char key[65], *a = device(4096);

	aclrtIpcMemGetExportKey(a, 4096, key, sizeof(key), 0); /* BUG leak_key */
	tell(aclrtFree(a));
}

static void leak_host(void)
{
	void *p;

	aclrtMallocHost(&p, 4096); /* BUG leak_host */
	tell(0);
}

static void notify_circle(void)
{
	aclrtStream a = stream(), b = stream();
	aclrtNotify m, n;

	aclrtCreateNotify(&m, 0);
	aclrtCreateNotify(&n, 0);
	aclrtWaitAndResetNotify(n, a, 0); /* BUG notify_circle */
	aclrtRecordNotify(m, a);
	aclrtWaitAndResetNotify(m, b, 0);
	aclrtRecordNotify(n, b);
	tell(aclrtSynchronizeStreamWithTimeout(a, 300));
	aclrtStreamAbort(a);
	aclrtStreamAbort(b);
}

static void value_never(void)
{
	aclrtStream s = stream();
	uint64_t *word = zeroed(8);

	aclrtValueWait(word, 1, ACL_STREAM_WAIT_VALUE_EQ, s); /* BUG value_never */
	tell(aclrtSynchronizeStreamWithTimeout(s, 300));
	aclrtStreamAbort(s);
}

static void two_writers(void)
{
	aclrtStream one = stream(), two = stream();
	float *a = tensor(64);

	LAUNCH("fill", 1, one, A(a), 0, 64); /* CALL two_writers */
	LAUNCH("fill", 1, two, A(a), 0, 64); /* BUG two_writers */
	tell(aclrtSynchronizeDevice());
	aclrtDestroyStream(one);
	aclrtDestroyStream(two);
	aclrtFree(a);
}

static void event_before(void)
{
	aclrtStream one = stream(), two = stream();
	float *a = tensor(64), *b = tensor(64);
	aclrtEvent e;

	aclrtCreateEvent(&e);
	aclrtRecordEvent(e, one);
	LAUNCH("fill", 1, one, A(a), 0, 64); /* CALL event_before */
	aclrtStreamWaitEvent(two, e);
	LAUNCH("copy", 1, two, A(b), A(a), 64); /* BUG event_before */
	tell(aclrtSynchronizeDevice());
	aclrtDestroyEvent(e);
	aclrtDestroyStream(one);
	aclrtDestroyStream(two);
	aclrtFree(a);
	aclrtFree(b);
}

/* Operators whose parameters do not say what is read and what is written */
static void asc_streams(void)
{
	float *x = tensor(256), *y = tensor(256), *z = tensor(256), *out = tensor(256);
	aclrtStream one = stream(), two = stream();

	RUN(ASCEND, "asc_add", 2, one, A(x), A(y), A(z), 128); /* CALL asc_streams */
	RUN(ASCEND, "asc_add", 2, two, A(z), A(y), A(out), 128); /* BUG asc_streams */
	tell(aclrtSynchronizeDevice());
	aclrtDestroyStream(one);
	aclrtDestroyStream(two);
	aclrtFree(x);
	aclrtFree(y);
	aclrtFree(z);
	aclrtFree(out);
}

/* Right: two streams read one tensor, and the program reads it meanwhile */
static void asc_share(void)
{
	float *x = tensor(256), *y = tensor(256), *z = tensor(256), *out = tensor(256), host[256];
	aclrtStream one = stream(), two = stream();

	RUN(ASCEND, "asc_add", 2, one, A(x), A(y), A(z), 128);
	RUN(ASCEND, "asc_add", 2, two, A(x), A(y), A(out), 128);
	aclrtMemcpy(host, 1024, x, 1024, ACL_MEMCPY_DEVICE_TO_HOST);
	tell(aclrtSynchronizeDevice());
	aclrtDestroyStream(one);
	aclrtDestroyStream(two);
	aclrtFree(x);
	aclrtFree(y);
	aclrtFree(z);
	aclrtFree(out);
}

static void asc_early(void)
{
	float *x = tensor(256), *y = tensor(256), *z = tensor(256), host[256];
	aclrtStream s = stream();

	RUN(ASCEND, "asc_add", 2, s, A(x), A(y), A(z), 128); /* CALL asc_early */
	aclrtMemcpy(host, 1024, z, 1024, ACL_MEMCPY_DEVICE_TO_HOST); /* BUG asc_early */
	tell(aclrtSynchronizeStream(s));
	aclrtDestroyStream(s);
	aclrtFree(x);
	aclrtFree(y);
	aclrtFree(z);
}

static void memset_race(void)
{
	aclrtStream one = stream();
	float *a = tensor(64);

	aclrtMemsetAsync(a, 256, 0, 256, one); /* CALL memset_race */
	LAUNCH("fill", 1, NULL, A(a), 0, 64); /* BUG memset_race */
	tell(aclrtSynchronizeDevice());
	aclrtDestroyStream(one);
	aclrtFree(a);
}

#define HOST_CASES \
	CASE(read_one_more), CASE(read_one_more_page), CASE(write_one_more), CASE(byte_more), CASE(read_before), \
	CASE(tile_behind), CASE(lost_sum), CASE(kept_sum), CASE(neighbour), CASE(neighbour_sync), \
	CASE(second_barrier), CASE(half_atomic), CASE(set_only), CASE(wait_only), CASE(cross_left), CASE(ping_pong), \
	CASE(halves), CASE(halves_flag), CASE(asc_unwritten_input), CASE(asc_add), CASE(asc_overlap), \
	CASE(asc_no_syncall), CASE(asc_flag_left), CASE(asc_no_v_mte3), CASE(asc_uninit), CASE(pinned_freed), \
	CASE(pinned_shared), CASE(swapped), CASE(packed), \
	CASE(no_blocks), CASE(wrong_file), CASE(memset_long), CASE(memset_lies), \
	CASE(elements_for_bytes), CASE(event_never), CASE(event_gone), CASE(unloaded), CASE(capture_sync), \
	CASE(capture_malloc), CASE(graph_freed), CASE(leak_stream), CASE(leak_key), CASE(leak_event), \
	CASE(leak_host), CASE(notify_circle), CASE(value_never), CASE(two_writers), \
	CASE(event_before), CASE(memset_race), CASE(asc_streams), CASE(asc_share), CASE(asc_early),
