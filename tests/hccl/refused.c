// SPDX-License-Identifier: MIT
/*
 * The n-th call for memory, a thread, a socket or something of the runtime fails, for n = 1, 2, 3, ... until the library makes no
 * more of them: each time the program gets a code and a sentence, nothing is left, and the next call works.
 *
 * The program's own definitions stand before those of the C library and of libacl, for libhccl, too.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "../libacl/left.h"
#include "hccltest.h"

#define T   HCCL_DATA_TYPE_INT32
#define SUM HCCL_REDUCE_SUM

/* In this thread: what is left until a call fails, 0 if none shall, and which that was */
static __thread int countdown;
static __thread const char *failed;

static bool refused(const char *what)
{
	if (!countdown || --countdown)
		return false;
	failed = what;
	errno = ENOMEM;
	return true;
}

bool refuse_block(const void *by)
{
	return is_of_libhccl(by) && refused("memory");
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
/* A function that answers @failure when it is its turn to fail */
#define FUNCTION(type, name, failure, params, args) \
type name params \
{ \
	return is_of_libhccl(__builtin_return_address(0)) && refused(#name) ? (failure) : NEXT(name) args; \
}

FUNCTION(int, pthread_create, EAGAIN,
	 (pthread_t *restrict thread, const pthread_attr_t *restrict attr, void *(*fn)(void *), void *restrict arg), (thread, attr, fn, arg))
FUNCTION(int, socket, -1, (int domain, int type, int protocol), (domain, type, protocol))
FUNCTION(int, eventfd, -1, (unsigned int count, int flags), (count, flags))
FUNCTION(ssize_t, getrandom, -1, (void *buf, size_t size, unsigned int flags), (buf, size, flags))

#define ACL_FUNCTION(name, params, args) FUNCTION(aclError, name, ACL_ERROR_RT_INTERNAL_ERROR, params, args)

ACL_FUNCTION(aclrtGetDevice, (int32_t *device), (device))
ACL_FUNCTION(aclrtGetCurrentContext, (aclrtContext *c), (c))
ACL_FUNCTION(aclrtCreateContext, (aclrtContext *c, int32_t device), (c, device))
ACL_FUNCTION(aclrtMalloc, (void **p, size_t size, aclrtMemMallocPolicy policy), (p, size, policy))
ACL_FUNCTION(aclrtMemcpy, (void *dst, size_t max, const void *src, size_t n, aclrtMemcpyKind kind), (dst, max, src, n, kind))
ACL_FUNCTION(aclrtCreateEventWithFlag, (aclrtEvent *e, uint32_t flag), (e, flag))
ACL_FUNCTION(aclrtRecordEvent, (aclrtEvent e, aclrtStream s), (e, s))
ACL_FUNCTION(aclrtValueWrite, (void *p, uint64_t value, uint32_t flag, aclrtStream s), (p, value, flag, s))
ACL_FUNCTION(aclrtMemcpyAsync, (void *dst, size_t max, const void *src, size_t n, aclrtMemcpyKind kind, aclrtStream s),
	     (dst, max, src, n, kind, s))
ACL_FUNCTION(aclrtPointerGetAttributes, (const void *p, aclrtPtrAttributes *a), (p, a))
ACL_FUNCTION(aclrtMemGetAddressRange, (void *p, void **base, size_t *size), (p, base, size))
ACL_FUNCTION(aclrtBinaryLoadFromData, (const void *data, size_t n, const aclrtBinaryLoadOptions *o, aclrtBinHandle *b), (data, n, o, b))
ACL_FUNCTION(aclrtStreamWaitEvent, (aclrtStream s, aclrtEvent e), (s, e))

/* Communicators and memory that the calls of a test use */
static struct {
	HcclComm comm;
	aclrtStream stream, other;
	char *buf; /* of 4096 bytes on the device */
	char path[40];
} it;

#define TABLE "{ \"version\": \"1.0\", \"status\": \"completed\", \"server_list\": [ { \"device\": [ { \"rank_id\": \"0\", " \
	"\"device_id\": \"0\" } ] } ] }"

static HcclResult ends(HcclResult ret, HcclComm *comm)
{
	countdown = 0;
	if (!ret)
		HCCL(HcclCommDestroy(*comm));
	return ret;
}

static HcclResult root_info(void)
{
	HcclRootInfo root;
	HcclResult ret = HcclGetRootInfo(&root);

	HcclComm comm;

	countdown = 0;
	if (!ret)
		HCCL(HcclCommInitRootInfo(1, &root, 0, &comm));
	return ends(ret, &comm);
}

static HcclResult join_by_table(void)
{
	HcclComm comm = NULL;

	return ends(HcclCommInitClusterInfo(it.path, 0, &comm), &comm);
}

static HcclResult join_in_a_group(void)
{
	HcclComm comm = NULL;
	HcclResult ret, end;

	HCCL(HcclGroupStart());
	ret = HcclCommInitClusterInfo(it.path, 0, &comm);
	end = HcclGroupEnd();
	return ends(ret ? ret : end, &comm);
}

static HcclResult part(void)
{
	HcclCommConfig config;
	HcclComm comm = NULL;
	uint32_t me = 0;

	HcclCommConfigInit(&config);
	return ends(HcclCreateSubCommConfig(&it.comm, 1, &me, 1, 0, &config, &comm), &comm);
}

static HcclResult part_in_a_group(void)
{
	HcclCommConfig config;
	HcclComm comm = NULL;
	HcclResult ret, end;
	uint32_t me = 0;

	HcclCommConfigInit(&config);
	HCCL(HcclGroupStart());
	ret = HcclCreateSubCommConfig(&it.comm, 1, &me, 1, 0, &config, &comm);
	end = HcclGroupEnd();
	return ends(ret ? ret : end, &comm);
}

static HcclResult all_in_one(void)
{
	int32_t devices[2] = { 0, 0 };
	HcclComm comms[2] = { NULL };
	HcclResult ret = HcclCommInitAll(2, devices, comms);

	countdown = 0;
	if (!ret)
		HCCL(HcclCommDestroy(comms[1]));
	else
		CHECK(!comms[0] && !comms[1]);
	return ends(ret, &comms[0]);
}

static HcclResult window(void)
{
	HcclCommSymWindow win;
	HcclResult ret = HcclCommSymWinRegister(it.comm, it.buf, 64, &win, 1);

	countdown = 0;
	if (!ret)
		HCCL(HcclCommSymWinDeregister(win));
	return ret;
}

static HcclResult range(void)
{
	HcclResult ret = HcclCommSetMemoryRange(it.comm, it.buf, 64, 0, 0);

	countdown = 0;
	if (!ret)
		HCCL(HcclCommUnsetMemoryRange(it.comm, it.buf));
	return ret;
}

static HcclResult gather(void)
{
	return HcclAllGather(it.buf, it.buf + 2048, 16, T, it.comm, it.stream);
}

static HcclResult gather_in_another_stream(void)
{
	return HcclAllGather(it.buf, it.buf + 2048, 16, T, it.comm, it.other);
}

static HcclResult scatter_sums(void)
{
	return HcclReduceScatter(it.buf, it.buf + 2048, 16, T, SUM, it.comm, it.stream);
}

static HcclResult all_to_all(void)
{
	return HcclAlltoAll(it.buf, 16, T, it.buf + 2048, 16, T, it.comm, it.stream);
}

static HcclResult batch(void)
{
	HcclSendRecvItem items[2] = { { HCCL_SEND, it.buf, 16, T, 0 }, { HCCL_RECV, it.buf + 2048, 16, T, 0 } };

	return HcclBatchSendRecv(items, 2, it.comm, it.stream);
}

/* A group refuses a call that it cannot hold back at once, and one that it holds back before it is done */
static HcclResult group(void)
{
	HcclResult first, second, end;

	HCCL(HcclGroupStart());
	first = HcclBarrier(it.comm, it.stream);
	second = HcclAllReduce(it.buf, it.buf, 16, T, SUM, it.comm, it.stream);
	end = HcclGroupEnd();
	return first ? first : second ? second : end;
}

/* A call that failed may have broken the communicator; its tasks have been dropped, and its memory may go at once */
static void anew(void)
{
	HcclRootInfo root;

	if (it.comm)
		HCCL(HcclCommDestroy(it.comm));
	(void)aclrtSynchronizeStream(it.stream);
	(void)aclrtSynchronizeStream(it.other);
	HCCL(HcclGetRootInfo(&root));
	HCCL(HcclCommInitRootInfo(1, &root, 0, &it.comm));
	HCCL(HcclBarrier(it.comm, it.stream));
	ACL(aclrtSynchronizeStream(it.stream));
	ACL(aclrtSynchronizeStream(it.other));
}

/* Fails the call's requests one by one, and then lets it pass; tells how many it has */
static int fail_each(const char *name, HcclResult (*call)(void), bool own)
{
	char code[16];
	HcclResult ret;
	const char *text;
	int n;

	for (n = 1; n < 300; n++) {
		if (own)
			anew();
		aclGetRecentErrMsg();
		failed = NULL;
		countdown = n;
		ret = call();
		countdown = 0;
		if (!failed)
			break;
		/* there are other numbers for processes, and a group without a context before it has none to go back to */
		if (!ret && (!strcmp(failed, "getrandom") || !strcmp(failed, "aclrtGetCurrentContext")))
			continue;
		text = aclGetRecentErrMsg();
		snprintf(code, sizeof(code), "E%d Hccl", ret);
		if (!ret || !text || !strstr(text, code))
			FAIL("%s, number %d, %s fails: %d: %s", name, n, failed, ret, text ? text : "nothing is said");
	}
	if (ret)
		FAIL("%s: %d: %s", name, ret, aclGetRecentErrMsg());
	return n - 1;
}

static void scene(void)
{
	int fd;

	if (strcmp(getenv("ANPU_DEVICE") ? : "", "direct"))
		SKIP("the program knows what libhccl asks for in the direct engine only");
	begin();
	ACL(aclrtSetDevice(0));
	ACL(aclrtCreateStream(&it.stream));
	ACL(aclrtCreateStream(&it.other));
	it.buf = dev_with(NULL, 4096);
	strcpy(it.path, "/tmp/hccl-refused-XXXXXX");
	fd = mkstemp(it.path);
	CHECK_EQ(write(fd, TABLE, strlen(TABLE)), (ssize_t)strlen(TABLE));
	close(fd);
	anew();
}

static void end_scene(void)
{
	unlink(it.path);
	HCCL(HcclCommDestroy(it.comm));
	it.comm = NULL;
	ACL(aclrtFree(it.buf));
	ACL(aclrtDestroyStream(it.stream));
	ACL(aclrtDestroyStream(it.other));
}

struct call {
	const char *name;
	HcclResult (*call)(void);
	int least; /* requests that it has, or more */
};

static void try_all(const struct call *calls, size_t n, bool own)
{
	scene();
	for (size_t i = 0; i < n; i++)
		CHECK_OP(fail_each(calls[i].name, calls[i].call, own), >=, calls[i].least);
	end_scene();
}

static void communicators_are_whole_or_absent(void)
{
	static const struct call calls[] = { { "root info", root_info, 5 }, { "table", join_by_table, 20 },
					     { "table in a group", join_in_a_group, 20 }, { "part", part, 20 },
					     { "part in a group", part_in_a_group, 20 }, { "all in one", all_in_one, 5 } };

	try_all(calls, sizeof(calls) / sizeof(calls[0]), false);
}

static void memory_is_known_or_not(void)
{
	static const struct call calls[] = { { "window", window, 4 }, { "range", range, 1 } };

	try_all(calls, sizeof(calls) / sizeof(calls[0]), false);
}

static void calls_are_done_or_fail(void)
{
	static const struct call calls[] = { { "gather", gather, 8 }, { "gather in another stream", gather_in_another_stream, 8 },
					     { "sums", scatter_sums, 8 }, { "all to all", all_to_all, 8 }, { "batch", batch, 8 },
					     { "group", group, 8 } };

	try_all(calls, sizeof(calls) / sizeof(calls[0]), true);
}

TAP_MAIN(TEST(communicators_are_whole_or_absent),
	 TEST(memory_is_known_or_not),
	 TEST(calls_are_done_or_fail))
