/* SPDX-License-Identifier: MIT */
/* Cases of bugs.c that the checking mode (ANPU_CHECK=1) finds; the plain API shows nothing of most of them. */

static void chk_write_behind(void)
{
	float *out = zeroed(400); /* MADE chk_write_behind */

	LAUNCH("fill", 1, NULL, A(out), 0, 101); /* CALL chk_write_behind */
	tell(aclrtSynchronizeStream(NULL));
	aclrtFree(out);
}

static void chk_write_before(void)
{
	float *out = zeroed(400);

	LAUNCH("fill", 1, NULL, A(out - 2), 0, 100); /* CALL chk_write_before */
	tell(aclrtSynchronizeStream(NULL));
	aclrtFree(out);
}

static void chk_write_page(void)
{
	float *out = zeroed(512); /* MADE chk_write_page */

	LAUNCH("fill", 1, NULL, A(out), 0, 129); /* CALL chk_write_page */
	tell(aclrtSynchronizeStream(NULL));
	aclrtFree(out);
}

static void chk_unwritten(void)
{
	float host[16], *out = device(64);

	tell(aclrtMemcpy(host, 64, out, 64, ACL_MEMCPY_DEVICE_TO_HOST)); /* BUG chk_unwritten */
	aclrtFree(out);
}

static void chk_unwritten_tail(void)
{
	float host[100], *out = device(400);

	LAUNCH("fill", 1, NULL, A(out), 0, 99);
	aclrtSynchronizeStream(NULL);
	tell(aclrtMemcpy(host, 400, out, 400, ACL_MEMCPY_DEVICE_TO_HOST)); /* BUG chk_unwritten_tail */
	aclrtFree(out);
}

static void chk_unwritten_input(void)
{
	float *in = device(400), *out = device(400);

	LAUNCH("copy", 1, NULL, A(out), A(in), 100); /* BUG chk_unwritten_input */
	tell(aclrtSynchronizeStream(NULL));
	aclrtFree(in);
	aclrtFree(out);
}

static void chk_kind(void)
{
	char host[64] = "", *p = device(64);

	tell(aclrtMemcpy(p, 64, host, 64, ACL_MEMCPY_DEVICE_TO_HOST)); /* BUG chk_kind */
	aclrtFree(p);
}

static void chk_host_pointer(void)
{
	float local[100], *out = device(400);

	memset(local, 0, sizeof(local));
	LAUNCH("copy", 1, NULL, A(out), A(local), 0); /* BUG chk_host_pointer */
	tell(aclrtSynchronizeStream(NULL));
	aclrtFree(out);
}

static void chk_no_synchronise(void)
{
	float host[100], *out = zeroed(400);
	aclrtStream s = stream();

	LAUNCH("fill", 1, s, A(out), 0, 100); /* CALL chk_no_synchronise */
	tell(aclrtMemcpy(host, 400, out, 400, ACL_MEMCPY_DEVICE_TO_HOST)); /* BUG chk_no_synchronise */
	aclrtSynchronizeStream(s);
	aclrtFree(out);
}

static void chk_streams(void)
{
	float *a = zeroed(400), *b = zeroed(400);
	aclrtStream one = stream(), two = stream();

	LAUNCH("fill", 1, one, A(a), 0, 100); /* CALL chk_streams */
	LAUNCH("copy", 1, two, A(b), A(a), 100); /* BUG chk_streams */
	tell(aclrtSynchronizeDevice());
	aclrtFree(a);
	aclrtFree(b);
}

/* Both are found when the streams are waited for, in the order of the launches. */
static void chk_two_races(void)
{
	float *a = zeroed(400), *b = zeroed(400), *c = zeroed(400), *d = zeroed(400);
	aclrtStream one = stream(), two = stream(), three = stream(), four = stream();

	LAUNCH("fill", 1, one, A(a), 0, 100); /* CALL chk_two_races */
	LAUNCH("copy", 1, two, A(b), A(a), 100); /* BUG chk_two_races */
	LAUNCH("fill", 1, three, A(c), 0, 100); /* MADE chk_two_races */
	LAUNCH("copy", 1, four, A(d), A(c), 100); /* FREED chk_two_races */
	tell(aclrtSynchronizeDevice());
	aclrtFree(a);
	aclrtFree(b);
	aclrtFree(c);
	aclrtFree(d);
}

static void chk_stream_copy(void)
{
	aclrtStream one = stream(), two = stream();
	float *a = zeroed(400), *pinned;

	aclrtMallocHost((void **)&pinned, 400);
	memset(pinned, 0, 400);
	LAUNCH("fill", 1, one, A(a), 0, 100); /* CALL chk_stream_copy */
	aclrtMemcpyAsync(pinned, 400, a, 400, ACL_MEMCPY_DEVICE_TO_HOST, two); /* BUG chk_stream_copy */
	tell(aclrtSynchronizeDevice());
	aclrtFree(a);
	aclrtFreeHost(pinned);
}

static void chk_free_in_use(void)
{
	float *out = zeroed(400);
	aclrtStream s = stream();

	LAUNCH("fill", 1, s, A(out), 0, 100); /* CALL chk_free_in_use */
	tell(aclrtFree(out)); /* BUG chk_free_in_use */
	aclrtSynchronizeStream(s);
}

static void chk_leak(void)
{
	void *p = NULL;

	aclrtMalloc(&p, 4096, ACL_MEM_MALLOC_HUGE_FIRST); /* BUG chk_leak chk_json chk_status */
	tell(0);
}

/* More than one piece of the library's table of addresses is of this allocation. */
static void chk_large_leak(void)
{
	void *p = NULL;

	aclrtMalloc(&p, 32 << 20, ACL_MEM_MALLOC_HUGE_FIRST); /* BUG chk_large_leak */
	tell(0);
}

static void chk_ignored(void)
{
	char *p = device(64), host[128] = "";

	aclrtMemcpy(p, 64, host, 128, ACL_MEMCPY_HOST_TO_DEVICE); /* BUG chk_ignored */
	aclrtFree(p);
	tell(0);
}

static void chk_pipes(void)
{
	float *in = zeroed(32), *out = zeroed(32);

	LAUNCH("no_flag", 1, NULL, A(in), A(out)); /* CALL chk_pipes */
	tell(aclrtSynchronizeStream(NULL));
}

static void chk_reuse(void)
{
	float *in = zeroed(64), *out = zeroed(64);

	LAUNCH("early_load", 1, NULL, A(in), A(out)); /* CALL chk_reuse */
	tell(aclrtSynchronizeStream(NULL));
}

static void chk_scratchpad(void)
{
	float *in = zeroed(32), *out = zeroed(32);

	LAUNCH("half_loaded", 1, NULL, A(in), A(out)); /* CALL chk_scratchpad */
	tell(aclrtSynchronizeStream(NULL));
}

/* A right program: events, copies in both directions, host synchronisation, everything freed */
/* Data that travels behind the arguments: the library writes its address, and the program's is looked at by nobody */
static void clean_placeholder(float *out)
{
	struct {
		void *out;
		uint64_t in;
		uint64_t n;
		float data[2];
	} args = { out, 0x28, 2, { 1, 2 } };
	aclrtPlaceHolderInfo place = { .addrOffset = 8, .dataOffset = 24 };

	aclrtLaunchKernelWithHostArgs(kernel("copy"), 1, NULL, NULL, &args, sizeof(args), &place, 1);
	aclrtSynchronizeStream(NULL);
}

/* A kernel of a graph reads what is written between the recording and the replay */
static void clean_graph(aclrtStream s)
{
	float host[16] = { 0 }, *in = device(64), *out = device(64);
	aclmdlRI graph;

	aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	LAUNCH("copy", 1, s, A(out), A(in), 16);
	aclmdlRICaptureEnd(s, &graph);
	aclrtMemcpy(in, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE);
	aclmdlRIExecuteAsync(graph, s);
	aclrtSynchronizeStream(s);
	aclmdlRIDestroy(graph);
	aclrtFree(in);
	aclrtFree(out);
}

/* A wait that is queued before the task that it waits for is: by a value in memory, and by a notify */
static void clean_waits(aclrtStream one, aclrtStream two, float *a, float *b)
{
	uint64_t *word = zeroed(8);
	aclrtNotify notify;

	aclrtCreateNotify(&notify, 0);
	aclrtValueWait(word, 1, ACL_STREAM_WAIT_VALUE_EQ, two);
	LAUNCH("copy", 1, two, A(b), A(a), 100);
	LAUNCH("fill", 1, one, A(a), 0, 100);
	aclrtValueWrite(word, 1, 0, one);
	aclrtSynchronizeStream(two);
	aclrtWaitAndResetNotify(notify, two, 0);
	LAUNCH("copy", 1, two, A(b), A(a), 100);
	LAUNCH("fill", 1, one, A(a), 0, 100);
	aclrtRecordNotify(notify, one);
	aclrtSynchronizeStream(two);
	aclrtSynchronizeStream(one);
	aclrtDestroyNotify(notify);
	aclrtFree(word);
}

/* This call rounds the size, so that the rest of the last 32 bytes is the program's */
static void clean_align32(void)
{
	char host[64] = { 0 };
	void *p;

	aclrtMallocAlign32(&p, 33, ACL_MEM_MALLOC_NORMAL_ONLY);
	aclrtMemcpy(p, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE);
	aclrtFree(p);
}

static void chk_clean(void)
{
	float host[100] = { 0 }, *a = device(400), *b = device(400), *pinned;
	aclrtStream one = stream(), two = stream();
	aclrtEvent done;

	aclrtMallocHost((void **)&pinned, 400);
	memset(pinned, 0, 400);
	aclrtCreateEvent(&done);
	aclrtMemcpy(a, 400, host, 400, ACL_MEMCPY_HOST_TO_DEVICE);
	for (int i = 0; i < 3; i++) {
		LAUNCH("fill", 2, one, A(a), 0, 100);
		aclrtRecordEvent(done, one);
		aclrtStreamWaitEvent(two, done);
		LAUNCH("copy", 1, two, A(b), A(a), 100);
		aclrtMemcpyAsync(pinned, 400, b, 400, ACL_MEMCPY_DEVICE_TO_HOST, two);
		aclrtSynchronizeStream(two);
	}
	aclrtMemcpy(host, 400, b, 400, ACL_MEMCPY_DEVICE_TO_HOST);
	clean_placeholder(b);
	clean_graph(one);
	clean_waits(one, two, a, b);
	clean_align32();
	aclrtDestroyEvent(done);
	aclrtDestroyStream(one);
	aclrtDestroyStream(two);
	aclrtFreeHost(pinned);
	aclrtFree(a);
	aclrtFree(b);
	tell(0);
}

#define CHECKED_CASES \
	CASE(chk_write_behind), CASE(chk_write_before), CASE(chk_write_page), CASE(chk_unwritten), \
	CASE(chk_unwritten_tail), CASE(chk_unwritten_input), CASE(chk_kind), CASE(chk_host_pointer), \
	CASE(chk_no_synchronise), CASE(chk_streams), CASE(chk_two_races), CASE(chk_stream_copy), \
	CASE(chk_free_in_use), CASE(chk_leak), CASE(chk_large_leak), CASE(chk_ignored), CASE(chk_pipes), CASE(chk_reuse), CASE(chk_scratchpad), CASE(chk_clean), \
	{ "chk_json", chk_leak }, { "chk_status", chk_leak }, { "chk_suppressed", chk_leak },
