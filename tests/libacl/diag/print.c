// SPDX-License-Identifier: MIT
/* The output of operators arrives on the program's stdout when it synchronises. */
#include <fcntl.h>
#include <pthread.h>

#include "../acltest.h"

/* From here on stdout and stderr go to files; the test's own messages go where they went before */
static int real_stdout = -1;
static char out_name[] = "/tmp/anpu-print-out-XXXXXX";
static char err_name[] = "/tmp/anpu-print-err-XXXXXX";

static void redirect(int fd, char *name)
{
	int file = mkstemp(name);

	CHECK(file >= 0);
	CHECK_EQ(dup2(file, fd), fd);
	close(file);
}

static void capture(void)
{
	fflush(stdout);
	real_stdout = dup(1);
	CHECK(real_stdout >= 0);
	redirect(1, out_name);
	redirect(2, err_name);
}

/* The present contents of a file */
static char *content(const char *name)
{
	static char text[2][8 << 20];
	static int turn;
	char *to = text[turn ^= 1];
	int fd = open(name, O_RDONLY);
	ssize_t n = read(fd, to, sizeof(text[0]) - 1);

	close(fd);
	to[n < 0 ? 0 : n] = '\0';
	return to;
}

static char *printed(void)
{
	return content(out_name);
}

static void give_back(void)
{
	fflush(stdout);
	dup2(real_stdout, 1);
	unlink(out_name);
	unlink(err_name);
}

#define SHOWN(cond) do { \
	if (!(cond)) { \
		char *o_ = strndup(printed(), 500), *e_ = strndup(content(err_name), 500); \
		give_back(); \
		FAIL("%s does not hold; stdout: '%s' stderr: '%s'", #cond, o_, e_); \
	} \
} while (0)

static unsigned int count_of(const char *text, const char *part)
{
	unsigned int n = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		n++;
	return n;
}

/* Every synchronisation shows what came before it, and nothing is shown twice */
static void at_each_synchronisation(void)
{
	aclrtStream stream;
	aclrtEvent event;
	aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;

	start();
	stream = new_stream();
	ACL(aclrtCreateEvent(&event));
	op("say");
	capture();
	LAUNCH(op("say"), 1, stream, 1, 1);
	ACL(aclrtSynchronizeStream(stream));
	SHOWN(!strcmp(printed(), "who 1 block 0 time 0\n"));
	LAUNCH(op("say"), 1, stream, 2, 1);
	ACL(aclrtSynchronizeDevice());
	SHOWN(strstr(printed(), "time 0\nwho 2 block 0"));
	LAUNCH(op("say"), 1, stream, 3, 1);
	ACL(aclrtRecordEvent(event, stream));
	ACL(aclrtSynchronizeEvent(event));
	SHOWN(strstr(printed(), "time 0\nwho 3 block 0"));
	ACL(aclrtDestroyEvent(event));
	LAUNCH(op("say"), 1, stream, 4, 1);
	ACL(aclrtSynchronizeStreamWithTimeout(stream, 10000));
	SHOWN(strstr(printed(), "time 0\nwho 4 block 0"));
	LAUNCH(op("say"), 1, stream, 5, 1);
	while (status != ACL_STREAM_STATUS_COMPLETE)
		ACL(aclrtStreamQuery(stream, &status));
	SHOWN(strstr(printed(), "time 0\nwho 5 block 0"));
	LAUNCH(op("say"), 1, stream, 6, 1);
	ACL(aclrtDestroyStream(stream));
	SHOWN(strstr(printed(), "time 0\nwho 6 block 0"));
	LAUNCH(op("say"), 1, NULL, 7, 1);
	ACL(aclFinalize());
	SHOWN(strstr(printed(), "time 0\nwho 7 block 0"));
	SHOWN(count_of(printed(), "who") == 7);
	SHOWN(!*content(err_name));
	give_back();
}

/* Between the program's own output, in the order of time */
static void in_order_with_the_programs_output(void)
{
	start();
	op("say");
	capture();
	printf("before\n");
	LAUNCH(op("say"), 1, NULL, 1, 2);
	ACL(aclrtSynchronizeStream(NULL));
	printf("after\n");
	fflush(stdout);
	SHOWN(!strcmp(printed(),
		      "before\nwho 1 block 0 time 0\nwho 1 block 0 time 1\nafter\n"));
	give_back();
}

static void formats(void)
{
	start();
	op("say_formats");
	capture();
	LAUNCH(op("say_formats"), 1, NULL, 0);
	ACL(aclrtSynchronizeStream(NULL));
	SHOWN(!strcmp(printed(), "-7    42 beef z str 1.50 -1099511627776 %\n"));
	give_back();
}

/* Whole lines of all blocks, each block's in its order */
static void many_blocks(void)
{
	enum { BLOCKS = 200, TIMES = 10 };
	unsigned int next[BLOCKS] = { 0 }, who, block, time, lines = 0;
	char *text, *save;

	start();
	op("say");
	capture();
	LAUNCH(op("say"), BLOCKS, NULL, 9, TIMES);
	ACL(aclrtSynchronizeStream(NULL));
	text = printed();
	give_back();
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		CHECK_EQ(sscanf(line, "who %u block %u time %u", &who, &block, &time), 3);
		CHECK_EQ(who, 9);
		CHECK_OP(block, <, BLOCKS);
		CHECK_EQ(time, next[block]);
		next[block]++;
		lines++;
	}
	CHECK_EQ(lines, BLOCKS * TIMES);
}

static void long_texts(void)
{
	char *text = host_alloc(4096), *got;

	start();
	op("say_bytes");
	for (int i = 0; i < 4096; i++)
		text[i] = (char)('a' + i % 26);
	capture();
	for (uint64_t n = 4090; n <= 4096; n++) {
		char *dev = dev_alloc(4096);

		ACL(aclrtMemcpy(dev, 4096, text, 4096, ACL_MEMCPY_HOST_TO_DEVICE));
		LAUNCH(op("say_bytes"), 20, NULL, U64(dev), n);
		ACL(aclrtSynchronizeStream(NULL));
	}
	got = printed();
	SHOWN(strlen(got) == 20 * (4090 + 4091 + 4092 + 4093 + 4094 + 4095 + 4096));
	for (uint64_t n = 4090; n <= 4096; n++)
		for (int i = 0; i < 20; i++, got += n)
			SHOWN(!memcmp(got, text, n));
	give_back();
}

static void until_set(const uint64_t *word)
{
	while (!__atomic_load_n(word, __ATOMIC_ACQUIRE))
		usleep(1000);
}

/* No loss without a notice: what arrives and what the notice counts are everything */
static void overflow_is_told(void)
{
	enum { BLOCKS = 60000 };
	unsigned long long texts = 0, bytes = 0, size = 0;
	unsigned int lines;
	uint64_t *word;
	size_t limit = 0;
	char *notice;

	start();
	word = pinned_alloc(8);
	*word = 0;
	ACL(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE, 1024));
	ACL(aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE, &limit));
	CHECK_EQ(limit, 1024);
	op("say_bytes");
	op("store");
	capture();
	{
		char *dev = dev_alloc(64);

		ACL(aclrtMemcpy(dev, 64, "0123456789\n", 11, ACL_MEMCPY_HOST_TO_DEVICE));
		LAUNCH(op("say_bytes"), BLOCKS, NULL, U64(dev), 11);
	}
	LAUNCH(op("store"), 1, NULL, U64(word), 1);
	/* not drained while it runs: nobody waits */
	until_set(word);
	ACL(aclrtSynchronizeStream(NULL));
	lines = count_of(printed(), "0123456789\n");
	notice = content(err_name);
	SHOWN(lines > 0 && lines < BLOCKS);
	for (char *n = notice; (n = strstr(n, "anpu: device 0: ")); n++) {
		unsigned long long t, b;

		SHOWN(sscanf(n, "anpu: device 0: %llu texts (%llu bytes) of operator output were "
				"lost: the print buffer has %llu bytes", &t, &b, &size) == 3);
		texts += t;
		bytes += b;
	}
	SHOWN(texts == BLOCKS - lines);
	SHOWN(bytes == texts * 11);
	SHOWN(strstr(notice, "ANPU_PRINT_BUFFER=") && strstr(notice, "aclrtDeviceSetLimit"));
	/* and it goes on */
	LAUNCH(op("say"), 1, NULL, 5, 1);
	ACL(aclrtSynchronizeStream(NULL));
	SHOWN(strstr(printed(), "who 5"));
	give_back();
}

static void the_environment_sets_the_size(void)
{
	size_t cores, limit;
	int64_t value;

	setenv("ANPU_PRINT_BUFFER", "2M", 1);
	start();
	ACL(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_AICORE_CORE_NUM, &value));
	cores = (size_t)value;
	ACL(aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE, &limit));
	CHECK_EQ(limit, ((2 << 20) + cores - 1) / cores);
	ACL(aclrtResetDevice(0));
	capture();
	setenv("ANPU_PRINT_BUFFER", "much", 1);
	ACL(aclrtSetDevice(0));
	SHOWN(strstr(content(err_name), "ANPU_PRINT_BUFFER is 'much'"));
	ACL(aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE, &limit));
	SHOWN(limit == 65536);
	give_back();
}

static void limits_and_their_errors(void)
{
	aclrtStream stream;
	uint64_t *go;
	size_t v;

	start();
	ACL(aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, &v));
	CHECK_EQ(v, 32768);
	ACL(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, 1000));
	FAILS(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, 40000),
	      ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "40000", "32768");
	FAILS(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE, 1000),
	      ACL_ERROR_INVALID_PARAM, "1000", "1024");
	FAILS(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE, 2UL << 30),
	      ACL_ERROR_INVALID_PARAM, "2147483648");
	FAILS(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE, 4096),
	      ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "SIMT");
	FAILS(aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE, &v),
	      ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "SIMT");
	FAILS(aclrtDeviceSetLimit((aclrtDeviceLimit)99, 1), ACL_ERROR_INVALID_PARAM, "99");
	FAILS(aclrtDeviceGetLimit((aclrtDeviceLimit)99, &v), ACL_ERROR_INVALID_PARAM, "99");
	FAILS(aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, NULL), ACL_ERROR_INVALID_PARAM,
	      "value");
	stream = new_stream();
	go = pinned_alloc(16);
	go[0] = go[1] = 0;
	capture();
	LAUNCH(op("say_then_hang"), 1, stream, U64(go));
	aclGetRecentErrMsg();
	SHOWN(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE, 4096) ==
	      ACL_ERROR_RT_STREAM_NOT_COMPLETE);
	SHOWN(strstr(aclGetRecentErrMsg(), "aclrtSynchronizeDevice"));
	*(volatile uint64_t *)go = 1;
	ACL(aclrtSynchronizeDevice());
	/* the ring is made anew */
	ACL(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE, 8192));
	LAUNCH(op("say"), 1, stream, 1, 1);
	ACL(aclrtSynchronizeDevice());
	SHOWN(!strcmp(printed(), "waiting for Godot\nGodot is here\nwho 1 block 0 time 0\n"));
	give_back();
}

/* A program that waits sees what an operator says that does not end */
static void while_somebody_waits(void)
{
	aclrtStream stream;
	uint64_t *go;

	start();
	stream = new_stream();
	go = pinned_alloc(16);
	go[0] = go[1] = 0;
	op("say_then_hang");
	capture();
	LAUNCH(op("say_then_hang"), 1, stream, U64(go));
	until_set(&go[1]);
	SHOWN(aclrtSynchronizeStreamWithTimeout(stream, 1000) == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
	SHOWN(!strcmp(printed(), "waiting for Godot\n"));
	*(volatile uint64_t *)go = 1;
	ACL(aclrtSynchronizeStream(stream));
	SHOWN(!strcmp(printed(), "waiting for Godot\nGodot is here\n"));
	give_back();
}

static char hook_text[2048];
static volatile int hook_printed;

static void hook(aclrtExceptionInfo *info)
{
	const char *msg = aclGetRecentErrMsg();

	CHECK_EQ(aclrtGetErrorCodeFromExceptionInfo(info), ACL_ERROR_RT_AICORE_TRAP_EXCEPTION);
	hook_printed = !!strstr(printed(), "about to trap");
	snprintf(hook_text, sizeof(hook_text), "%s", msg ? msg : "");
}

/* The output of an operator just before it fails is printed: its author needs it most */
static void before_a_fault(void)
{
	const char *msg;

	start();
	op("say_then_trap");
	ACL(aclrtExceptionInfoCallbackRegister(hook));
	capture();
	LAUNCH(op("say_then_trap"), 1, NULL, 0);
	SHOWN(aclrtSynchronizeStream(NULL) == ACL_ERROR_RT_AICORE_TRAP_EXCEPTION);
	msg = aclGetRecentErrMsg();
	SHOWN(msg && strstr(msg, "as announced") && strstr(msg, "say_then_trap"));
	SHOWN(!strcmp(printed(), "about to trap in block 0\n"));
	ACL(aclFinalize());
	SHOWN(hook_printed);
	SHOWN(strstr(hook_text, "as announced") && strstr(hook_text, "say_then_trap"));
	give_back();
}

static void before_a_timeout_and_a_kill(void)
{
	aclrtStream stream;
	uint64_t *go;

	start();
	stream = new_stream();
	go = pinned_alloc(16);
	go[0] = go[1] = 0;
	op("say_then_hang");
	ACL(aclrtSetOpExecuteTimeOutWithMs(200));
	capture();
	LAUNCH(op("say_then_hang"), 1, stream, U64(go));
	SHOWN(aclrtSynchronizeStream(stream) == ACL_ERROR_RT_AICORE_TIMEOUT);
	SHOWN(!strcmp(printed(), "waiting for Godot\n"));
	ACL(aclrtSetOpExecuteTimeOutWithMs(0));
	go[1] = 0;
	LAUNCH(op("say_then_hang"), 1, stream, U64(go));
	until_set(&go[1]);
	ACL(aclrtDestroyStreamForce(stream));
	ACL(aclrtSynchronizeDevice());
	SHOWN(!strcmp(printed(), "waiting for Godot\nwaiting for Godot\n"));
	give_back();
}

static void two_streams(void)
{
	aclrtStream a, b;

	start();
	a = new_stream();
	b = new_stream();
	op("say");
	capture();
	for (int i = 0; i < 20; i++) {
		LAUNCH(op("say"), 4, a, 1, 3);
		LAUNCH(op("say"), 4, b, 2, 3);
	}
	ACL(aclrtSynchronizeStream(a));
	SHOWN(count_of(printed(), "who 1 block ") == 240);
	ACL(aclrtSynchronizeStream(b));
	SHOWN(count_of(printed(), "who 2 block ") == 240);
	SHOWN(count_of(printed(), "\n") == 480);
	give_back();
}

static void exits_without_synchronising(bool finalize)
{
	uint64_t *said;

	start();
	said = pinned_alloc(8);
	*said = 0;
	LAUNCH(op("say"), 2, NULL, 8, 1);
	LAUNCH(op("store"), 1, NULL, U64(said), 1);
	if (finalize)
		ACL(aclFinalize());
	else
		until_set(said);
	exit(0);
}

/* A program whose stdout is a pipe, which ends by exit(), with and without aclFinalize() */
static void at_exit(void)
{
	for (int finalize = 0; finalize < 2; finalize++) {
		char text[256] = "";
		int p[2], status;
		ssize_t n, got = 0;
		pid_t pid;

		CHECK_EQ(pipe(p), 0);
		fflush(stdout);
		pid = fork();
		CHECK(pid >= 0);
		if (!pid) {
			dup2(p[1], 1);
			close(p[0]);
			close(p[1]);
			exits_without_synchronising(finalize);
		}
		close(p[1]);
		while ((n = read(p[0], text + got, sizeof(text) - 1 - (size_t)got)) > 0)
			got += n;
		close(p[0]);
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK_EQ(status, 0);
		CHECK_EQ(count_of(text, "who 8 block"), 2);
	}
}

static void *print_in_thread(void *stream)
{
	ACL(aclrtSetDevice(0));
	for (int i = 0; i < 50; i++) {
		LAUNCH(op("say"), 2, stream, 3, 2);
		ACL(aclrtSynchronizeStream(stream));
	}
	return NULL;
}

static void threads_share_stdout(void)
{
	pthread_t thread[4];
	unsigned int good = 0;
	char *save, *text;

	start();
	op("say");
	capture();
	for (int i = 0; i < 4; i++)
		CHECK_EQ(pthread_create(&thread[i], NULL, print_in_thread, new_stream()), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	text = printed();
	give_back();
	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		unsigned int who, block, time;

		CHECK_EQ(sscanf(l, "who %u block %u time %u", &who, &block, &time), 3);
		good++;
	}
	CHECK_EQ(good, 4 * 50 * 2 * 2);
}

static void say_here(void)
{
	start();
	for (int i = 0; i < 20; i++) {
		LAUNCH(op("say"), 2, NULL, (uint64_t)getpid(), 2);
		ACL(aclrtSynchronizeStream(NULL));
	}
	exit(0);
}

/* Nobody sees what another process's operators print */
static void two_processes(void)
{
	int out[2];
	pid_t pid[2];

	for (int i = 0; i < 2; i++) {
		int p[2];

		CHECK_EQ(pipe(p), 0);
		fflush(stdout);
		pid[i] = fork();
		if (!pid[i]) {
			dup2(p[1], 1);
			say_here();
		}
		close(p[1]);
		out[i] = p[0];
	}
	for (int i = 0; i < 2; i++) {
		static char text[65536];
		char own[32];
		ssize_t n;
		size_t got = 0;
		int status;

		while ((n = read(out[i], text + got, sizeof(text) - 1 - got)) > 0)
			got += (size_t)n;
		text[got] = '\0';
		snprintf(own, sizeof(own), "who %d block", pid[i]);
		CHECK_EQ(waitpid(pid[i], &status, 0), pid[i]);
		CHECK_EQ(status, 0);
		CHECK_EQ(count_of(text, own), 80);
		CHECK_EQ(count_of(text, "who"), 80);
	}
}

TAP_MAIN(TEST(at_each_synchronisation),
	 TEST(in_order_with_the_programs_output),
	 TEST(formats),
	 TEST(many_blocks),
	 TEST(long_texts),
	 TEST(overflow_is_told),
	 TEST(the_environment_sets_the_size),
	 TEST(limits_and_their_errors),
	 TEST(while_somebody_waits),
	 TEST(before_a_fault),
	 TEST(before_a_timeout_and_a_kill),
	 TEST(two_streams),
	 TEST(at_exit),
	 TEST(threads_share_stdout),
	 TEST(two_processes))
