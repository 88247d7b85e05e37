/* SPDX-License-Identifier: MIT */
/* More cases of bugs.c: order by events and functions of the host, what ends while it is waited for, alignment. */

static void half_element(void)
{
	char *out = (char *)tensor(64);

	LAUNCH("fill", 1, NULL, A(out + 2), 0, 60); /* BUG half_element */
	tell(aclrtSynchronizeStream(NULL));
	aclrtFree(out);
}

/* An address among a list's arguments that was appended as an int */
static void list_small(void)
{
	float *in = tensor(64), *out = tensor(64);
	int short_in = (int)A(in);
	uint32_t n = 0;
	aclrtArgsHandle list;
	aclrtParamHandle p;

	aclrtKernelArgsInit(kernel("copy"), &list);
	aclrtKernelArgsAppend(list, &out, sizeof(out), &p);
	aclrtKernelArgsAppend(list, &short_in, sizeof(short_in), &p);
	aclrtKernelArgsAppend(list, &n, sizeof(n), &p);
	aclrtKernelArgsFinalize(list);
	aclrtLaunchKernelWithConfig(kernel("copy"), 1, NULL, NULL, list, NULL); /* BUG list_small */
	tell(aclrtSynchronizeStream(NULL));
	aclrtFree(in);
	aclrtFree(out);
}

static void timeout_ignored(void)
{
	aclrtStream s = stream();
	aclrtEvent e;

	aclrtCreateEvent(&e);
	aclrtStreamWaitEvent(s, e); /* CALL timeout_ignored */
	aclrtSynchronizeStreamWithTimeout(s, 10); /* BUG timeout_ignored */
	tell(0);
	aclrtResetDevice(0);
}

/* Right: the program waits again, and the event is recorded meanwhile */
static void timeout_waited(void)
{
	aclrtStream s = stream();
	aclrtEvent e;

	aclrtCreateEvent(&e);
	aclrtStreamWaitEvent(s, e);
	aclrtSynchronizeStreamWithTimeout(s, 10);
	aclrtRecordEvent(e, NULL);
	tell(aclrtSynchronizeStream(s));
	aclrtDestroyEvent(e);
	aclrtDestroyStream(s);
}

static void event_gone_early(void)
{
	aclrtStream s = stream();
	aclrtEvent e;

	aclrtCreateEvent(&e);
	aclrtStreamWaitEvent(s, e);
	aclrtDestroyEvent(e); /* BUG event_gone_early */
	tell(aclrtSynchronizeStream(s));
	aclrtDestroyStream(s);
}

static void notify_gone_early(void)
{
	aclrtStream s = stream();
	aclrtNotify n;

	aclrtCreateNotify(&n, 0);
	aclrtWaitAndResetNotify(n, s, 0); /* BUG notify_gone_early */
	aclrtDestroyNotify(n); /* FREED notify_gone_early */
	tell(aclrtSynchronizeStreamWithTimeout(s, 10));
	aclrtStreamAbort(s);
	aclrtDestroyStream(s);
}

static void *end_stream_soon(void *s)
{
	aclrtSetDevice(0);
	usleep(50000);
	aclrtDestroyStreamForce(s); /* FREED stream_gone_early */
	return NULL;
}

static void stream_gone_early(void)
{
	aclrtStream s = stream();
	pthread_t thread;
	aclrtEvent e;

	aclrtCreateEvent(&e);
	aclrtStreamWaitEvent(s, e);
	pthread_create(&thread, NULL, end_stream_soon, s);
	tell(aclrtSynchronizeStream(s));
	pthread_join(thread, NULL);
	aclrtDestroyEvent(e);
}

static void allocate(void *arg)
{
	aclrtMalloc(arg, 64, ACL_MEM_MALLOC_HUGE_FIRST); /* BUG malloc_in_function */
}

static void malloc_in_function(void)
{
	aclrtStream s = stream();
	void *p;

	aclrtLaunchHostFunc(s, allocate, &p);
	tell(aclrtSynchronizeStream(s));
	aclrtDestroyStream(s);
}

/* Right: a stream that waits for two others is all that is synchronised */
static void join_right(void)
{
	aclrtStream s[3] = { stream(), stream(), stream() };
	float *a = tensor(64), host[64];
	aclrtEvent e[2];

	for (int i = 0; i < 2; i++) {
		aclrtCreateEvent(&e[i]);
		LAUNCH("fill", 1, s[i], A(a + 32 * i), 0, 32);
		aclrtRecordEvent(e[i], s[i]);
		aclrtStreamWaitEvent(s[2], e[i]);
	}
	aclrtSynchronizeStream(s[2]);
	tell(aclrtMemcpy(host, sizeof(host), a, sizeof(host), ACL_MEMCPY_DEVICE_TO_HOST));
	for (int i = 0; i < 3; i++)
		aclrtDestroyStream(s[i]);
	aclrtDestroyEvent(e[0]);
	aclrtDestroyEvent(e[1]);
	aclrtFree(a);
}

/* Two streams without order fill parts of a tensor by an index */
static void fill_parts(uint32_t second)
{
	aclrtStream s[2] = { stream(), stream() };
	float *a = tensor(64);

	LAUNCH("fill_part", 4, s[0], A(a), 0, 32); /* MADE parts_meet */
	LAUNCH("fill_part", 4, s[1], A(a), second, 32); /* BUG parts_meet */
	aclrtSynchronizeStream(s[0]);
	tell(aclrtSynchronizeStream(s[1]));
	aclrtDestroyStream(s[0]);
	aclrtDestroyStream(s[1]);
	aclrtFree(a);
}

static void parts_meet(void)
{
	fill_parts(31);
}

/* Right: the parts are different ones */
static void parts_right(void)
{
	fill_parts(32);
}

static char *filled;

static void fill_pinned(void *arg)
{
	memset(filled, 7, *(size_t *)arg);
}

/* Right: a function of the host fills what the copy behind it takes */
static void function_right(void)
{
	size_t size = 16384;
	aclrtStream s = stream();
	void *d = device(size);

	aclrtMallocHost((void **)&filled, size);
	aclrtLaunchHostFunc(s, fill_pinned, &size);
	aclrtMemcpyAsync(d, size, filled, size, ACL_MEMCPY_HOST_TO_DEVICE, s);
	tell(aclrtSynchronizeStream(s));
	aclrtDestroyStream(s);
	aclrtFreeHost(filled);
	aclrtFree(d);
}

/* Right: what a stream had when it was aborted does not write any more */
static void aborted_right(void)
{
	float *a = tensor(64), *never = tensor(64), host[64] = { 0 };
	aclrtStream s = stream();

	aclrtMemset(never, 256, 0, 256);
	aclrtValueWait(never, 1, ACL_STREAM_WAIT_VALUE_EQ, s);
	LAUNCH("fill", 1, s, A(a), 0, 64);
	aclrtStreamAbort(s);
	tell(aclrtMemcpy(a, sizeof(host), host, sizeof(host), ACL_MEMCPY_HOST_TO_DEVICE));
	aclrtDestroyStream(s);
	aclrtFree(never);
	aclrtFree(a);
}

/* A number of elements that is less than none */
static void size_negative(void)
{
	int rows = 3, padding = 8;
	void *p;

	tell(aclrtMalloc(&p, (size_t)(rows - padding) * 4, ACL_MEM_MALLOC_HUGE_FIRST)); /* BUG size_negative */
}

/* The stream is destroyed before the recording's end */
static void record_destroyed(void)
{
	float *a = tensor(64);
	aclrtStream s = stream();

	aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	LAUNCH("fill", 1, s, A(a), 0, 64);
	tell(aclrtDestroyStream(s)); /* BUG record_destroyed */
	aclrtFree(a);
}

/* The task goes to the default stream instead of the one that is recorded */
static void record_empty(void)
{
	float *a = tensor(64);
	aclrtStream s = stream();
	aclmdlRI graph;

	aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	LAUNCH("fill", 1, NULL, A(a), 0, 64);
	tell(aclmdlRICaptureEnd(s, &graph)); /* BUG record_empty */
	aclrtSynchronizeStream(NULL);
	aclmdlRIDestroy(graph);
	aclrtDestroyStream(s);
	aclrtFree(a);
}

/* A result is cleared while its kernel may run */
static void fill_early(void)
{
	aclrtStream s = stream();
	float *a = tensor(64);

	LAUNCH("fill", 1, s, A(a), 0, 64); /* CALL fill_early */
	tell(aclrtMemset(a, 256, 0, 256)); /* BUG fill_early */
	aclrtSynchronizeStream(s);
	aclrtDestroyStream(s);
	aclrtFree(a);
}

/* Memory is freed that the device still knows */
static void register_left(void)
{
	void *mine = aligned_alloc(4096, 8192), *known;

	tell(aclrtHostRegister(mine, 8192, ACL_HOST_REGISTER_MAPPED, &known)); /* BUG register_left */
	free(mine);
}

/* A value for all bytes that has more than one */
static void fill_value(void)
{
	int *a = device(256);

	tell(aclrtMemset(a, 256, 1000, 256)); /* BUG fill_value */
	aclrtFree(a);
}

/* A variable of type double is copied to where a float belongs */
static void double_for_float(void)
{
	float *a = device(256);
	double value = 0.5;
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	LAUNCH("fill", 1, NULL, A(a), bits, 64); /* BUG double_for_float */
	tell(aclrtSynchronizeStream(NULL));
	aclrtFree(a);
}

/* An integer is copied to where a float belongs */
static void int_for_float(void)
{
	float *a = device(256);

	LAUNCH("fill", 1, NULL, A(a), 2, 64); /* BUG int_for_float */
	tell(aclrtSynchronizeStream(NULL));
	aclrtFree(a);
}

/* Two streams of a recording: the second one does not wait for the kernel that makes what it reads */
static void record_two(bool waits)
{
	aclrtStream one = stream(), two = stream();
	float *a = tensor(64), *b = device(256);
	aclrtEvent begun, made, done;
	aclmdlRI graph;

	aclrtCreateEvent(&begun);
	aclrtCreateEvent(&made);
	aclrtCreateEvent(&done);
	aclmdlRICaptureBegin(one, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	aclrtRecordEvent(begun, one);
	aclrtStreamWaitEvent(two, begun);
	LAUNCH("fill", 1, one, A(a), 0, 64); /* CALL graph_unordered */
	aclrtRecordEvent(made, one);
	if (waits)
		aclrtStreamWaitEvent(two, made);
	LAUNCH("copy", 1, two, A(b), A(a), 64); /* BUG graph_unordered */
	aclrtRecordEvent(done, two);
	aclrtStreamWaitEvent(one, done);
	aclmdlRICaptureEnd(one, &graph);
	aclmdlRIExecuteAsync(graph, one);
	tell(aclrtSynchronizeStream(one));
	aclmdlRIDestroy(graph);
	aclrtDestroyEvent(begun);
	aclrtDestroyEvent(made);
	aclrtDestroyEvent(done);
	aclrtDestroyStream(one);
	aclrtDestroyStream(two);
	aclrtFree(a);
	aclrtFree(b);
}

static void graph_unordered(void)
{
	record_two(false);
}

static void graph_ordered(void)
{
	record_two(true);
}

/* A block of the heap has elements where the copy counts bytes */
static void heap_small(void)
{
	float *a = tensor(1024), *host = malloc(1024);

	tell(aclrtMemcpy(host, 4096, a, 1048, ACL_MEMCPY_DEVICE_TO_HOST)); /* BUG heap_small */
	_exit(0); /* the heap is damaged */
}

/* The same with a block that has a mapping of its own, in front of another one */
static void heap_small_large(void)
{
	char *behind = malloc(4 << 20), *host = malloc(4 << 20);
	void *a = NULL;

	kernel("fill");
	aclrtMalloc(&a, 8 << 20, ACL_MEM_MALLOC_HUGE_FIRST);
	memset(host, 0, 4 << 20);
	memset(behind, 0, 4 << 20);
	tell(aclrtMemcpy(a, 8 << 20, host, (4 << 20) + 8192, ACL_MEMCPY_HOST_TO_DEVICE)); /* BUG heap_small_large */
	aclrtFree(a);
	free(behind);
	free(host);
}

static void heap_middle(void)
{
	float *a = tensor(64), *host = malloc(1024);

	memset(host, 0, 1024);
	tell(aclrtMemcpy(a, 256, host + 200, 256, ACL_MEMCPY_HOST_TO_DEVICE)); /* BUG heap_middle */
	aclrtFree(a);
	free(host);
}

/* Where it was: the compiler warns of the pointer itself */
static const void *was(uintptr_t at)
{
	__asm__("" : "+r"(at));
	return (const void *)at;
}

static void heap_freed(void)
{
	float *a = tensor(64), *host = malloc(256);
	uintptr_t at = (uintptr_t)host;

	memset(host, 0, 256);
	free(host);
	tell(aclrtMemcpy(a, 256, was(at), 256, ACL_MEMCPY_HOST_TO_DEVICE)); /* BUG heap_freed */
	aclrtFree(a);
}

static void heap_freed_large(void)
{
	char *host = malloc(8192), *behind = malloc(64);
	uintptr_t at = (uintptr_t)host;
	void *a = tensor(2048);

	memset(host, 0, 8192);
	free(host);
	tell(aclrtMemcpy(a, 8192, was(at), 8192, ACL_MEMCPY_HOST_TO_DEVICE)); /* BUG heap_freed_large */
	aclrtFree(a);
	free(behind);
}

/* A result and a source of an asynchronous copy in memory of malloc() that is freed before the stream is synchronised */
static void pageable_freed(void)
{
	float *a = tensor(64), *host = malloc(256);

	memset(host, 0, 256);
	aclrtMemcpyAsync(a, 256, host, 256, ACL_MEMCPY_HOST_TO_DEVICE, NULL); /* BUG pageable_freed */
	free(host);
	LAUNCH("fill", 1, NULL, A(a), 0, 64); /* CALL pageable_freed */
	tell(aclrtSynchronizeStream(NULL));
	aclrtFree(a);
}

static void pageable_freed_large(void)
{
	char *host = malloc(1 << 20);
	void *a = tensor(1 << 18);

	memset(host, 0, 1 << 20);
	aclrtMemcpyAsync(a, 1 << 20, host, 1 << 20, ACL_MEMCPY_HOST_TO_DEVICE, NULL); /* BUG pageable_freed_large */
	free(host);
	tell(aclrtSynchronizeStream(NULL));
	aclrtFree(a);
}

/* The last block of the heap, which becomes a part of the rest */
static void pageable_freed_last(void)
{
	void *a = tensor(8192);
	char *host = malloc(32768);

	LAUNCH("fill", 1, NULL, A(a), 0, 8192);
	aclrtMemcpyAsync(host, 32768, a, 32768, ACL_MEMCPY_DEVICE_TO_HOST, NULL); /* BUG pageable_freed_last */
	free(host);
	tell(aclrtSynchronizeDevice());
	aclrtFree(a);
}

static void free_host(void *host)
{
	free(host);
}

/* Right: freed behind a synchronisation, an event, or in a function behind the copy; and realloc() that gives back other bytes */
static void pageable_right(void)
{
	float *a = tensor(64), *host = malloc(256), *other = malloc(256), *third = malloc(40000);
	aclrtEvent e;

	memset(host, 0, 256);
	memset(third, 0, 40000);
	aclrtCreateEvent(&e);
	aclrtMemcpyAsync(a, 256, host, 256, ACL_MEMCPY_HOST_TO_DEVICE, NULL);
	aclrtMemcpyAsync(other, 256, a, 256, ACL_MEMCPY_DEVICE_TO_HOST, NULL);
	aclrtRecordEvent(e, NULL);
	aclrtSynchronizeEvent(e);
	free(host);
	free(other);
	host = malloc(256);
	memset(host, 0, 256);
	aclrtMemcpyAsync(a, 256, host, 256, ACL_MEMCPY_HOST_TO_DEVICE, NULL);
	aclrtLaunchHostFunc(NULL, free_host, host);
	aclrtMemcpyAsync(a, 256, third, 256, ACL_MEMCPY_HOST_TO_DEVICE, NULL);
	third = realloc(third, 36000);
	tell(aclrtSynchronizeStream(NULL));
	free(third);
	aclrtDestroyEvent(e);
	aclrtFree(a);
}

/* A recording in which two streams fill the same tensor, or with @apart its halves; the kernel has no pointer to const */
static void record_fills(uint32_t apart)
{
	aclrtStream a = stream(), b = stream();
	float *t = tensor(128);
	aclrtEvent fork, join;
	aclmdlRI graph;

	aclrtCreateEvent(&fork);
	aclrtCreateEvent(&join);
	aclmdlRICaptureBegin(a, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	aclrtRecordEvent(fork, a);
	aclrtStreamWaitEvent(b, fork);
	LAUNCH("fill_part", 1, a, A(t), 0, 64); /* CALL graph_writers */
	LAUNCH("fill_part", 1, b, A(t), apart, 64); /* BUG graph_writers */
	aclrtRecordEvent(join, b);
	aclrtStreamWaitEvent(a, join);
	aclmdlRICaptureEnd(a, &graph);
	aclmdlRIExecuteAsync(graph, a);
	tell(aclrtSynchronizeStream(a));
	aclmdlRIDestroy(graph);
	aclrtDestroyEvent(fork);
	aclrtDestroyEvent(join);
	aclrtDestroyStream(a);
	aclrtDestroyStream(b);
	aclrtFree(t);
}

static void graph_writers(void)
{
	record_fills(60);
}

/* Right: the parts are different */
static void graph_writers_apart(void)
{
	record_fills(64);
}

static void reduce_unwritten(void)
{
	float *sum = tensor(64), *part = device(256);

	aclrtReduceAsync(sum, part, 256, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, NULL, NULL); /* BUG reduce_unwritten */
	tell(aclrtSynchronizeStream(NULL));
	aclrtFree(sum);
	aclrtFree(part);
}

/* Right: a task that is queued writes it */
static void reduce_written(void)
{
	float *sum = tensor(64), *part = device(256);

	aclrtMemsetAsync(part, 256, 0, 256, NULL);
	aclrtReduceAsync(sum, part, 256, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, NULL, NULL);
	tell(aclrtSynchronizeStream(NULL));
	aclrtFree(sum);
	aclrtFree(part);
}

static float variable[64], next_variable[64];

static void variable_small(void)
{
	float *a = tensor(128);

	next_variable[0] = 1;
	tell(aclrtMemcpy(a, 512, variable, 512, ACL_MEMCPY_HOST_TO_DEVICE)); /* BUG variable_small */
	aclrtFree(a);
}

/* Rows of a matrix that the program has only the first half of */
static void heap_rows(void)
{
	float *a = tensor(256);
	char *host = malloc(512);

	tell(aclrtMemcpy2d(host, 64, a, 64, 64, 9, ACL_MEMCPY_DEVICE_TO_HOST)); /* BUG heap_rows */
	_exit(0); /* the heap is damaged */
}

static void heap_rows_freed(void)
{
	float *a = tensor(256);
	char *host = malloc(1024);
	uintptr_t at = (uintptr_t)host;

	memset(host, 0, 1024);
	free(host);
	tell(aclrtMemcpy2d(a, 64, was(at), 64, 64, 16, ACL_MEMCPY_HOST_TO_DEVICE)); /* BUG heap_rows_freed */
	aclrtFree(a);
}

static void variable_rows(void)
{
	float *a = tensor(128);

	next_variable[0] = 1;
	tell(aclrtMemcpy2d(a, 64, variable, 64, 64, 8, ACL_MEMCPY_HOST_TO_DEVICE)); /* BUG variable_rows */
	aclrtFree(a);
}

/* The last row ends with the block, and not with its pitch */
static void rows_right(void)
{
	float *a = tensor(256);
	char *host = malloc(15 * 64 + 40);

	tell(aclrtMemcpy2d(host, 64, a, 64, 40, 16, ACL_MEMCPY_DEVICE_TO_HOST));
	free(host);
	aclrtFree(a);
}

/* An array of the function has fewer elements than the tensor */
static void stack_small(void)
{
	float *a = tensor(128), part[16] = { 0 };

	tell(aclrtMemcpy(a, 512, part, 128, ACL_MEMCPY_HOST_TO_DEVICE)); /* BUG stack_small */
	aclrtFree(a);
}

static int copy_from(void *to, const float *from, size_t size)
{
	return aclrtMemcpy(to, size, from, size, ACL_MEMCPY_HOST_TO_DEVICE); /* BUG stack_caller */
}

/* The array is its caller's, and doubles are counted */
static void stack_caller(void)
{
	float *a = tensor(256), host[8][8] = { { 0 } };

	tell(copy_from(a, host[0], 64 * sizeof(double)));
	aclrtFree(a);
}

static int copy_whole(void *to, size_t n)
{
	float host[n]; /* its size is not known before it runs */

	memset(host, 0, sizeof(host));
	return aclrtMemcpy(to, sizeof(host), host, sizeof(host), ACL_MEMCPY_HOST_TO_DEVICE);
}

/* Whole variables and parts of them, structures by their first member, arrays without a fixed size */
static void stack_right(void)
{
	struct { float head[4], body[60]; } host = { .head = { 0 } };
	float *a = tensor(256), *most = __builtin_alloca(1024), one = 1, matrix[4][64] = { { 0 } };
	int err = copy_whole(a, 256);

	memset(most, 0, 1024);
	for (unsigned int i = 0; i < 3; i++) {
		err |= aclrtMemcpy(a, 1024, host.head, sizeof(host), ACL_MEMCPY_HOST_TO_DEVICE);
		err |= aclrtMemcpy(a, 1024, matrix[i], 64 * 4 * (4 - i), ACL_MEMCPY_HOST_TO_DEVICE);
		err |= aclrtMemcpy(a, 1024, most, 1024, ACL_MEMCPY_HOST_TO_DEVICE);
		err |= aclrtMemcpy(a, 1024, &one, sizeof(one), ACL_MEMCPY_HOST_TO_DEVICE);
	}
	tell(err);
	aclrtFree(a);
}

/* All bytes of blocks, parts of them, variables and the stack */
static void heap_right(void)
{
	static const size_t sizes[] = { 1, 24, 100, 1032, 1033, 70000, 300000, 5 << 20 };
	char *host[8], stack[256] = { 0 };
	void *a = NULL;

	kernel("fill");
	aclrtMalloc(&a, 5 << 20, ACL_MEM_MALLOC_HUGE_FIRST);
	for (unsigned int round = 0; round < 20; round++) {
		for (unsigned int i = 0; i < 8; i++)
			host[i] = calloc(1, sizes[i]);
		free(host[round % 8]);
		host[round % 8] = calloc(1, sizes[round % 8]);
		for (unsigned int i = 0; i < 8; i++) {
			aclrtMemcpy(a, 5 << 20, host[i], sizes[i], ACL_MEMCPY_HOST_TO_DEVICE);
			aclrtMemcpy(a, 5 << 20, host[i] + sizes[i] / 3, sizes[i] - sizes[i] / 3, ACL_MEMCPY_HOST_TO_DEVICE);
		}
		for (unsigned int i = 0; i < 8; i++)
			free(host[(i * 3 + round) % 8]);
	}
	aclrtMemcpy(a, 5 << 20, variable, sizeof(variable), ACL_MEMCPY_HOST_TO_DEVICE);
	tell(aclrtMemcpy(a, 5 << 20, stack, sizeof(stack), ACL_MEMCPY_HOST_TO_DEVICE));
	aclrtFree(a);
}

#define ORDERS_CASES \
	CASE(heap_small), CASE(heap_small_large), CASE(heap_middle), CASE(heap_freed), CASE(heap_freed_large), CASE(variable_small), \
	CASE(graph_writers), CASE(graph_writers_apart), CASE(reduce_unwritten), CASE(reduce_written), \
	CASE(pageable_freed), CASE(pageable_freed_large), CASE(pageable_freed_last), CASE(pageable_right), \
	CASE(heap_right), CASE(heap_rows), CASE(heap_rows_freed), CASE(variable_rows), CASE(rows_right), CASE(stack_small), CASE(stack_caller), CASE(stack_right), \
	CASE(fill_value), CASE(double_for_float), CASE(int_for_float), CASE(graph_unordered), CASE(graph_ordered), \
	CASE(size_negative), CASE(record_destroyed), CASE(record_empty), CASE(register_left), CASE(fill_early), \
	CASE(half_element), CASE(list_small), CASE(timeout_ignored), CASE(timeout_waited), CASE(event_gone_early), \
	CASE(notify_gone_early), CASE(stream_gone_early), CASE(malloc_in_function), CASE(join_right), CASE(function_right), CASE(aborted_right), \
	CASE(parts_meet), CASE(parts_right),
