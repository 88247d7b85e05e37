/* SPDX-License-Identifier: MIT */
/* More cases of bugs.c: memory of the host under copies, streams and events, pools, graphs, arguments, sizes. */

static char *pinned(size_t size)
{
	void *p = NULL;

	if (aclrtMallocHost(&p, size))
		exit(3);
	memset(p, 0, size);
	return p;
}

/* Waits in stream s until open() */
static uint64_t *gate(aclrtStream s)
{
	uint64_t *word = zeroed(64);

	aclrtValueWait(word, 1, ACL_STREAM_WAIT_VALUE_EQ, s);
	return word;
}

static void open_gate(uint64_t *word)
{
	uint64_t one = 1;

	aclrtMemcpy(word, 8, &one, 8, ACL_MEMCPY_HOST_TO_DEVICE);
}

/* The next input is put into the buffer of which the last copy still reads. */
static void host_writes(void)
{
	aclrtStream s = stream();
	char *host = pinned(8192);
	float *a = tensor(2048), *b = tensor(2048);

	aclrtMemcpyAsync(a, 8192, host, 8192, ACL_MEMCPY_HOST_TO_DEVICE, s); /* CALL host_writes */
	host[100] = 1; /* BUG host_writes */
	aclrtMemcpyAsync(b, 8192, host, 8192, ACL_MEMCPY_HOST_TO_DEVICE, s);
	tell(aclrtSynchronizeStream(s));
	aclrtDestroyStream(s);
	aclrtFreeHost(host);
	aclrtFree(a);
	aclrtFree(b);
}

/* The result is read before the copy is known to be done. */
static void host_reads(void)
{
	aclrtStream s = stream();
	char *host = pinned(256);
	float *a = tensor(64);

	aclrtMemcpyAsync(host, 256, a, 256, ACL_MEMCPY_DEVICE_TO_HOST, s); /* CALL host_reads */
	printf("the first is %d\n", host[0]); /* BUG host_reads */
	tell(aclrtSynchronizeStream(s));
	aclrtDestroyStream(s);
	aclrtFreeHost(host);
	aclrtFree(a);
}

/* The wrong stream is synchronised. */
static void host_other_sync(void)
{
	aclrtStream s = stream(), other = stream();
	char *host = pinned(256);
	float *a = tensor(64);

	aclrtMemcpyAsync(host, 256, a, 256, ACL_MEMCPY_DEVICE_TO_HOST, s); /* CALL host_other_sync */
	aclrtSynchronizeStream(other);
	printf("the first is %d\n", host[4]); /* BUG host_other_sync */
	tell(aclrtSynchronizeStream(s));
	aclrtDestroyStream(s);
	aclrtDestroyStream(other);
	aclrtFreeHost(host);
	aclrtFree(a);
}

/* An event is synchronised that stands before the copy. */
static void host_early_event(void)
{
	aclrtStream s = stream();
	char *host = pinned(256);
	float *a = tensor(64);
	aclrtEvent e;

	aclrtCreateEvent(&e);
	aclrtRecordEvent(e, s);
	aclrtMemcpyAsync(host, 256, a, 256, ACL_MEMCPY_DEVICE_TO_HOST, s); /* CALL host_early_event */
	aclrtSynchronizeEvent(e);
	printf("the first is %d\n", host[4]); /* BUG host_early_event */
	tell(aclrtSynchronizeStream(s));
	aclrtDestroyEvent(e);
	aclrtDestroyStream(s);
	aclrtFreeHost(host);
	aclrtFree(a);
}

/* Right: each buffer is used when its copy is done, by an event, by a query, and in a function of the stream. */
static void host_seen(void *p)
{
	((char *)p)[0]++;
}

static void host_right(void)
{
	aclrtStream s = stream();
	char *host = pinned(4096 * 3);
	float *a = tensor(1024);
	aclrtStreamStatus status;
	aclrtEvent e;

	aclrtCreateEvent(&e);
	aclrtMemcpyAsync(host, 4096, a, 4096, ACL_MEMCPY_DEVICE_TO_HOST, s);
	aclrtRecordEvent(e, s);
	aclrtMemcpyAsync(host + 4096, 4096, a, 4096, ACL_MEMCPY_DEVICE_TO_HOST, s);
	aclrtSynchronizeEvent(e);
	host[4]++;
	aclrtLaunchHostFunc(s, host_seen, host + 4096);
	host[8192] = 3;
	do
		aclrtStreamQuery(s, &status);
	while (status != ACL_STREAM_STATUS_COMPLETE);
	host[4096]++;
	aclrtMemcpyAsync(a, 4096, host + 8192, 4096, ACL_MEMCPY_HOST_TO_DEVICE, s);
	printf("%d\n", host[8192]);
	tell(aclrtSynchronizeStream(s));
	host[8192] = 4;
	aclrtDestroyEvent(e);
	aclrtDestroyStream(s);
	aclrtFreeHost(host);
	aclrtFree(a);
}

/* A kernel that was launched through a graph, and another stream that reads its result at once */
static void graph_race(void)
{
	aclrtStream s = stream(), other = stream();
	float *a = tensor(64), *b = tensor(64);
	aclmdlRI graph;

	kernel("fill");
	aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	LAUNCH("fill", 1, s, A(a), 0, 64);
	aclmdlRICaptureEnd(s, &graph);
	aclmdlRIExecuteAsync(graph, s); /* CALL graph_race */
	LAUNCH("copy", 1, other, A(b), A(a), 64); /* BUG graph_race */
	tell(aclrtSynchronizeDevice());
	aclmdlRIDestroy(graph);
	aclrtDestroyStream(s);
	aclrtDestroyStream(other);
	aclrtFree(a);
	aclrtFree(b);
}

/* The result of a graph is copied before it is synchronised. */
static void graph_early(void)
{
	aclrtStream s = stream();
	float *a = tensor(64), host[64];
	aclmdlRI graph;

	kernel("fill");
	aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	LAUNCH("fill", 1, s, A(a), 0, 64);
	aclmdlRICaptureEnd(s, &graph);
	aclmdlRIExecuteAsync(graph, s); /* CALL graph_early */
	tell(aclrtMemcpy(host, 256, a, 256, ACL_MEMCPY_DEVICE_TO_HOST)); /* BUG graph_early */
	aclrtSynchronizeStream(s);
	aclmdlRIDestroy(graph);
	aclrtDestroyStream(s);
	aclrtFree(a);
}

/* The second stream of a recording never comes back. */
static void graph_fork(void)
{
	aclrtStream s = stream(), other = stream();
	float *a = tensor(64), *b = tensor(64);
	aclrtEvent fork;
	aclmdlRI graph;

	kernel("fill");
	aclrtCreateEvent(&fork);
	aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	aclrtRecordEvent(fork, s);
	aclrtStreamWaitEvent(other, fork);
	LAUNCH("fill", 1, other, A(a), 0, 64); /* CALL graph_fork */
	tell(aclmdlRICaptureEnd(s, &graph)); /* BUG graph_fork */
	aclrtFree(a);
	aclrtFree(b);
}

/* More arguments than the kernel has parameters: it is another kernel that was meant */
static void many_arguments(void)
{
	float *a = tensor(64);

	LAUNCH("fill", 1, NULL, A(a), 0, 64, 5, 6); /* BUG many_arguments */
	tell(aclrtSynchronizeStream(NULL));
	aclrtFree(a);
}

/* The structure of the arguments is packed, and the kernel's parameters are aligned. */
static void packed_arguments(void)
{
	struct __attribute__((packed)) { uint32_t n; float *out, *in; } args = { 64, tensor(64), tensor(64) };

	tell(aclrtLaunchKernelWithHostArgs(kernel("copy"), 1, NULL, NULL, &args, sizeof(args), NULL, 0)); /* BUG packed_arguments */
	tell(aclrtSynchronizeStream(NULL));
}

static aclrtMemPool pool(void)
{
	aclrtMemPoolProps props = { .allocType = ACL_MEM_ALLOCATION_TYPE_PINNED, .handleType = ACL_MEM_HANDLE_TYPE_NONE,
				    .location = { .type = ACL_MEM_LOCATION_TYPE_DEVICE } };
	aclrtMemPool p = NULL;

	if (aclrtMemPoolCreate(&p, &props))
		tell(1);
	return p;
}

/* Memory of a pool is used in another stream than it was allocated in, at once. */
static void pool_other_stream(void)
{
	aclrtStream s = stream(), other = stream();
	aclrtMemPool p = pool();
	float *before = tensor(64);
	void *a;

	LAUNCH("fill", 1, s, A(before), 0, 64);
	aclrtMemPoolMallocAsync(&a, 256, p, s); /* CALL pool_other_stream */
	LAUNCH("fill", 1, other, A(a), 0, 64); /* BUG pool_other_stream */
	aclrtSynchronizeStream(other);
	aclrtMemPoolFreeAsync(a, s);
	tell(aclrtSynchronizeDevice());
	aclrtMemPoolDestroy(p);
	aclrtDestroyStream(s);
	aclrtDestroyStream(other);
	aclrtFree(before);
}

/* It is freed in one stream, and the other one still uses it. */
static void pool_freed_early(void)
{
	aclrtStream s = stream(), other = stream();
	aclrtMemPool p = pool();
	void *a;

	aclrtMemPoolMallocAsync(&a, 256, p, s);
	aclrtSynchronizeStream(s);
	LAUNCH("fill", 1, other, A(a), 0, 64); /* CALL pool_freed_early */
	aclrtMemPoolFreeAsync(a, s); /* BUG pool_freed_early */
	aclrtSynchronizeStream(other); /* it is over before the pool gives its memory back */
	tell(aclrtSynchronizeDevice());
	aclrtMemPoolDestroy(p);
	aclrtDestroyStream(s);
	aclrtDestroyStream(other);
}

/* It is used behind its end in the stream. */
static void pool_used_freed(void)
{
	aclrtStream s = stream();
	aclrtMemPool p = pool();
	void *a;

	aclrtMemPoolMallocAsync(&a, 256, p, s);
	aclrtMemPoolFreeAsync(a, s); /* FREED pool_used_freed */
	LAUNCH("fill", 1, s, A(a), 0, 64); /* CALL pool_used_freed */
	tell(aclrtSynchronizeStream(s));
	aclrtMemPoolDestroy(p);
	aclrtDestroyStream(s);
}

static void pool_behind(void)
{
	aclrtStream s = stream();
	aclrtMemPool p = pool();
	void *a;

	aclrtMemPoolMallocAsync(&a, 400, p, s); /* MADE pool_behind */
	LAUNCH("fill", 1, s, A(a), 0, 101); /* CALL pool_behind */
	tell(aclrtSynchronizeStream(s));
	aclrtMemPoolFreeAsync(a, s);
	aclrtSynchronizeStream(s);
	aclrtMemPoolDestroy(p);
	aclrtDestroyStream(s);
}

static void pool_unwritten(void)
{
	aclrtStream s = stream();
	aclrtMemPool p = pool();
	char host[256];
	void *a;

	aclrtMemPoolMallocAsync(&a, 256, p, s); /* MADE pool_unwritten */
	aclrtSynchronizeStream(s);
	tell(aclrtMemcpy(host, 256, a, 256, ACL_MEMCPY_DEVICE_TO_HOST)); /* BUG pool_unwritten */
	aclrtMemPoolFreeAsync(a, s);
	aclrtSynchronizeStream(s);
	aclrtMemPoolDestroy(p);
	aclrtDestroyStream(s);
}

/* Memory of a pool is never freed, nor is the pool. */
static void pool_leak(void)
{
	aclrtStream s = stream();
	aclrtMemPool p = pool();
	void *a;

	aclrtMemPoolMallocAsync(&a, 256, p, s); /* MADE pool_leak */
	tell(aclrtSynchronizeStream(s));
	aclrtDestroyStream(s);
}

/* A copy whose ranges overlap */
static void copy_overlap(void)
{
	char *a = zeroed(4096);

	tell(aclrtMemcpy(a + 64, 1024, a, 1024, ACL_MEMCPY_DEVICE_TO_DEVICE)); /* BUG copy_overlap */
	aclrtFree(a);
}

/* The pitch of the result is the one of the source. */
static void copy_2d_pitch(void)
{
	char *a = zeroed(16 * 64), *host = calloc(16, 48);

	tell(aclrtMemcpy2d(host, 40, a, 64, 48, 16, ACL_MEMCPY_DEVICE_TO_HOST)); /* BUG copy_2d_pitch */
	free(host);
	aclrtFree(a);
}

static void copy_2d_height(void)
{
	char *a = zeroed(16 * 64), *host = calloc(17, 64);

	tell(aclrtMemcpy2d(host, 64, a, 64, 64, 17, ACL_MEMCPY_DEVICE_TO_HOST)); /* BUG copy_2d_height */
	free(host);
	aclrtFree(a);
}

/* A rectangle of which the operator has written a part */
static void copy_2d_unwritten(void)
{
	char *a = device(16 * 64), *host = calloc(16, 64); /* MADE copy_2d_unwritten */

	aclrtMemset(a, 16 * 64, 0, 512);
	tell(aclrtMemcpy2d(host, 64, a, 64, 64, 16, ACL_MEMCPY_DEVICE_TO_HOST)); /* BUG copy_2d_unwritten */
	free(host);
	aclrtFree(a);
}

/* The asynchronous copy of unwritten memory */
static void async_unwritten(void)
{
	char *a = device(1024), *host = pinned(1024); /* MADE async_unwritten */
	aclrtStream s = stream();

	aclrtMemcpyAsync(host, 1024, a, 1024, ACL_MEMCPY_DEVICE_TO_HOST, s); /* BUG async_unwritten */
	tell(aclrtSynchronizeStream(s));
	aclrtDestroyStream(s);
	aclrtFreeHost(host);
	aclrtFree(a);
}

/* The same between two tensors, of which the second is the one that is read */
static void copied_unwritten(void)
{
	char *a = device(1024), *b = zeroed(1024), host[1024];

	aclrtMemcpy(b, 1024, a, 1024, ACL_MEMCPY_DEVICE_TO_DEVICE); /* BUG copied_unwritten */
	tell(aclrtMemcpy(host, 1024, b, 1024, ACL_MEMCPY_DEVICE_TO_HOST));
	aclrtFree(a);
	aclrtFree(b);
}

/* One record of a notify, and two waits */
static void notify_twice(void)
{
	aclrtStream s = stream(), other = stream();
	aclrtNotify n;

	aclrtCreateNotify(&n, 0);
	aclrtRecordNotify(n, other);
	aclrtWaitAndResetNotify(n, s, 0);
	aclrtWaitAndResetNotify(n, s, 0); /* BUG notify_twice */
	tell(aclrtSynchronizeStreamWithTimeout(s, 500));
	aclrtStreamAbort(s);
}

/* The event is reset before the other stream has waited for it. */
static void reset_early(void)
{
	aclrtStream s = stream(), other = stream();
	uint64_t *word = gate(other);
	aclrtEvent e;

	aclrtCreateEvent(&e);
	aclrtRecordEvent(e, s);
	aclrtSynchronizeStream(s);
	aclrtResetEvent(e, s); /* CALL reset_early */
	aclrtSynchronizeStream(s);
	aclrtStreamWaitEvent(other, e); /* BUG reset_early */
	open_gate(word);
	tell(aclrtSynchronizeStreamWithTimeout(other, 500));
	aclrtStreamAbort(other);
}

/* The stream that would open the gate waits behind it: three streams in a circle by a value and an event */
static void value_circle(void)
{
	aclrtStream s = stream(), other = stream();
	uint64_t *word = zeroed(64);
	aclrtEvent e;

	aclrtCreateEvent(&e);
	aclrtValueWait(word, 1, ACL_STREAM_WAIT_VALUE_EQ, s); /* CALL value_circle */
	aclrtRecordEvent(e, s);
	aclrtStreamWaitEvent(other, e); /* BUG value_circle */
	aclrtValueWrite(word, 1, 0, other);
	tell(aclrtSynchronizeStreamWithTimeout(other, 500));
	aclrtStreamAbort(s);
	aclrtStreamAbort(other);
}

/* A callback waits for what its own stream has behind it. */
static pthread_mutex_t callback_lock = PTHREAD_MUTEX_INITIALIZER;

static void lock_it(void *p)
{
	(void)p;
	pthread_mutex_lock(&callback_lock);
	pthread_mutex_unlock(&callback_lock);
}

static void host_func_hangs(void)
{
	aclrtStream s = stream();

	pthread_mutex_lock(&callback_lock);
	aclrtLaunchHostFunc(s, lock_it, NULL); /* BUG host_func_hangs */
	tell(aclrtSynchronizeStreamWithTimeout(s, 500));
	pthread_mutex_unlock(&callback_lock);
	aclrtSynchronizeStream(s);
	aclrtDestroyStream(s);
}

/* The time between two events, of which the later one has not been reached */
static void event_time_early(void)
{
	aclrtStream s = stream();
	aclrtEvent a, b;
	uint64_t *word;
	float ms;

	aclrtCreateEvent(&a);
	aclrtCreateEvent(&b);
	aclrtRecordEvent(a, s);
	word = gate(s);
	aclrtRecordEvent(b, s); /* CALL event_time_early */
	tell(aclrtEventElapsedTime(&ms, a, b)); /* BUG event_time_early */
	open_gate(word);
	aclrtSynchronizeStream(s);
}

/* Events without times are asked for one. */
static void event_no_time(void)
{
	aclrtStream s = stream();
	aclrtEvent a, b;
	float ms;

	aclrtCreateEventWithFlag(&a, ACL_EVENT_SYNC); /* MADE event_no_time */
	aclrtCreateEventWithFlag(&b, ACL_EVENT_SYNC);
	aclrtRecordEvent(a, s);
	aclrtRecordEvent(b, s);
	aclrtSynchronizeStream(s);
	tell(aclrtEventElapsedTime(&ms, a, b)); /* BUG event_no_time */
}

/* A handle of one kind where another one belongs */
static void event_for_stream(void)
{
	aclrtEvent e;

	aclrtCreateEvent(&e);
	tell(aclrtSynchronizeStream((aclrtStream)e)); /* BUG event_for_stream */
}

/* The address of the handle and not the handle */
static void address_of_handle(void)
{
	aclrtStream s = stream();

	tell(aclrtSynchronizeStream((aclrtStream)&s)); /* BUG address_of_handle */
	aclrtDestroyStream(s);
}

/* A copy into memory of the host that cannot be written */
/* The file that was mapped is shorter than the tensor, or a part of it was unmapped */
static void copy_from_hole(void)
{
	char *a = device(65 * 4096), *host = mmap(NULL, 65 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(host + 4096, 64 * 4096);
	tell(aclrtMemcpy(a, 65 * 4096, host, 65 * 4096, ACL_MEMCPY_HOST_TO_DEVICE)); /* BUG copy_from_hole */
}

static void copy_to_text(void)
{
	char *a = zeroed(64);

	tell(aclrtMemcpy((void *)(uintptr_t)"a text of the program, which is constant, and of more than 64 bytes", 64, a, 64, /* BUG copy_to_text */
			 ACL_MEMCPY_DEVICE_TO_HOST));
	aclrtFree(a);
}

static void copy_to_null(void)
{
	char *a = zeroed(64);

	tell(aclrtMemcpy(NULL, 64, a, 64, ACL_MEMCPY_DEVICE_TO_HOST)); /* BUG copy_to_null */
	aclrtFree(a);
}

/* The host writes to device memory as to its own. */
static void host_derefs(void)
{
	float *a = tensor(64);

	tell(0);
	a[3] = 1; /* BUG host_derefs */
	aclrtFree(a);
}

/* A page of the program is registered twice. */
static void register_twice(void)
{
	void *p = NULL, *d;

	if (posix_memalign(&p, 4096, 4096))
		exit(3);
	aclrtHostRegister(p, 4096, ACL_HOST_REGISTER_MAPPED, &d); /* CALL register_twice */
	tell(aclrtHostRegister(p, 4096, ACL_HOST_REGISTER_MAPPED, &d)); /* BUG register_twice */
}

/* The key of memory that is not there any more */
static void ipc_freed(void)
{
	char key[65] = "", *a = device(2 << 20);
	void *p;

	aclrtIpcMemGetExportKey(a, 2 << 20, key, sizeof(key), 0);
	aclrtFree(a); /* FREED ipc_freed */
	tell(aclrtIpcMemImportByKey(&p, key, 0)); /* BUG ipc_freed */
}

/* Blocks beyond what a launch can have */
static void many_blocks(void)
{
	float *a = tensor(64);
	uint64_t args[] = { A(a), 0, 64 };

	tell(aclrtLaunchKernelWithHostArgs(kernel("fill"), (uint32_t)-1, NULL, NULL, args, sizeof(args), NULL, 0)); /* BUG many_blocks */
	aclrtFree(a);
}

/* Two threads use one tensor in streams of their own. */
static float *both_tensor;

static void *both_thread(void *p)
{
	aclrtStream s;

	(void)p;
	aclrtSetDevice(0);
	s = stream();
	LAUNCH("fill", 1, s, A(both_tensor), 0, 64); /* CALL both_threads */
	aclrtSynchronizeStream(s);
	aclrtDestroyStream(s);
	return NULL;
}

static void both_threads(void)
{
	aclrtStream s = stream();
	pthread_t t;

	both_tensor = tensor(64);
	kernel("fill");
	LAUNCH("fill", 1, s, A(both_tensor), 0, 64);
	pthread_create(&t, NULL, both_thread, NULL);
	pthread_join(t, NULL);
	tell(aclrtSynchronizeStream(s));
	aclrtDestroyStream(s);
	aclrtFree(both_tensor);
}

/* A tensor of the right number of elements, and of the wrong type */
static void half_size(void)
{
	uint16_t *a = zeroed(64 * 2); /* MADE half_size */

	LAUNCH("fill", 1, NULL, A(a), 0, 64); /* CALL half_size */
	tell(aclrtSynchronizeStream(NULL));
	aclrtFree(a);
}

/* The reduction's operands in another stream */
static void reduce_race(void)
{
	float *a = tensor(64), *sum = zeroed(256);
	aclrtStream s = stream(), other = stream();

	LAUNCH("fill", 1, other, A(a), 0, 64); /* CALL reduce_race */
	aclrtReduceAsync(sum, a, 64 * sizeof(float), ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, s, NULL); /* BUG reduce_race */
	tell(aclrtSynchronizeDevice());
	aclrtDestroyStream(s);
	aclrtDestroyStream(other);
	aclrtFree(a);
	aclrtFree(sum);
}

/* Waits for a word at an address that has no room for it */
static void value_odd(void)
{
	char *a = zeroed(64);

	tell(aclrtValueWait(a + 2, 1, ACL_STREAM_WAIT_VALUE_EQ, NULL)); /* BUG value_odd */
	aclrtFree(a);
}

/* Leaks of what is no memory */
static void leak_graph(void)
{
	aclrtStream s = stream();
	float *a = tensor(64);
	aclmdlRI graph;

	aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	LAUNCH("fill", 1, s, A(a), 0, 64);
	aclmdlRICaptureEnd(s, &graph); /* MADE leak_graph */
	aclmdlRIExecuteAsync(graph, s);
	tell(aclrtSynchronizeStream(s));
	aclrtDestroyStream(s);
	aclrtFree(a);
}

#define TRICKS_CASES \
	CASE(host_writes), CASE(host_reads), CASE(host_other_sync), CASE(host_early_event), CASE(host_right), \
	CASE(graph_race), CASE(graph_early), CASE(graph_fork), \
	CASE(many_arguments), CASE(packed_arguments), \
	CASE(pool_other_stream), CASE(pool_freed_early), CASE(pool_used_freed), CASE(pool_behind), \
	CASE(pool_unwritten), CASE(pool_leak), \
	CASE(copy_overlap), CASE(copy_2d_pitch), CASE(copy_2d_height), CASE(copy_2d_unwritten), \
	CASE(async_unwritten), CASE(copied_unwritten), \
	CASE(notify_twice), CASE(reset_early), CASE(value_circle), CASE(host_func_hangs), \
	CASE(event_time_early), CASE(event_no_time), CASE(event_for_stream), \
	CASE(address_of_handle), CASE(copy_to_text), CASE(copy_from_hole), CASE(copy_to_null), CASE(host_derefs), \
	CASE(register_twice), CASE(ipc_freed), CASE(many_blocks), CASE(both_threads), \
	CASE(half_size), CASE(reduce_race), CASE(value_odd), CASE(leak_graph),
