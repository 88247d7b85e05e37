// SPDX-License-Identifier: MIT
/* Where what is accepted ends: the last number, byte or rank that is, and the first that is not. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>

#include "hccltest.h"

#define T   HCCL_DATA_TYPE_INT32
#define SUM HCCL_REDUCE_SUM

/* Rank tables ------------------------------------------------------------------------------------ */

#define HEAD "{ \"version\": \"1.0\", \"status\": \"completed\", \"server_list\": [ { \"device\": [\n"
#define TAIL "\n] } ] }"
#define OLD_HEAD "{ \"status\": \"completed\", \"group_list\": [ { \"instance_list\": [\n"
#define OLD_TAIL "\n] } ] }"
#define DEVICE(rank, device) "{ \"rank_id\": \"" rank "\", \"device_id\": \"" device "\" }"
#define FORTY "abcdefghijklmnopqrstuvwxyz0123456789ABCD"

static void refuses_table(const char *text, HcclResult code, const char *fact, const char *other)
{
	HcclCommConfig config = small_buffers(NULL);
	HcclComm comm;
	HcclResult ret;

	aclGetRecentErrMsg();
	ret = HcclCommInitClusterInfoMemConfig(text, 0, &config, &comm);
	if (ret != code)
		FAIL("%.200s: %d, not %d: %s", text, ret, code, aclGetRecentErrMsg());
	check_facts(aclGetRecentErrMsg(), fact, other, NULL);
}

static void numbers_of_rank_tables(void)
{
	static const struct {
		const char *text;
		HcclResult code;
		const char *facts[2];
	} bad[] = {
		/* read, and refused later, as no such device is the thread's */
		{ HEAD DEVICE("0", "1023") TAIL, HCCL_E_PARA, { "rank 0 device 1023", "aclrtSetDevice(1023)" } },
		{ HEAD DEVICE("0", "000000000000077") TAIL, HCCL_E_PARA, { "rank 0 device 77", "" } },
		{ HEAD DEVICE("0", "1024") TAIL, HCCL_E_PARA, { "line 2, column 33", "must be a number from 0 to 1023" } },
		{ HEAD DEVICE("0", "0000000000000077") TAIL, HCCL_E_PARA, { "device_id is \"000000000000007\"", "number" } },
		{ HEAD DEVICE("0", " 7") TAIL, HCCL_E_PARA, { "device_id is \" 7\"", "number" } },
		{ HEAD DEVICE("0", "+7") TAIL, HCCL_E_PARA, { "device_id is \"+7\"", "number" } },
		{ HEAD DEVICE("0", "7 ") TAIL, HCCL_E_PARA, { "device_id is \"7 \"", "number" } },
		{ HEAD DEVICE("0", "") TAIL, HCCL_E_PARA, { "device_id is \"\"", "number" } },
		{ HEAD DEVICE("1023", "0") TAIL, HCCL_E_PARA, { "line 2, column 15", "rank_id is 1023 and there are 1 ranks" } },
		{ HEAD DEVICE("1024", "0") TAIL, HCCL_E_PARA, { "rank_id is \"1024\"", "from 0 to 1023" } },
		{ HEAD DEVICE("0", "0") ",\n" DEVICE("1", "0") ",\n" DEVICE("2", "0") ",\n" DEVICE("2", "0") TAIL, HCCL_E_PARA,
		  { "line 5, column 15", "rank_id 2 is there already" } },
		{ HEAD DEVICE("0", "0") ",\n" DEVICE("2", "0") TAIL, HCCL_E_PARA, { "line 3", "rank_id is 2 and there are 2 ranks" } },
		{ OLD_HEAD "{ \"rank_id\": \"1023\", \"devices\": [ { \"device_id\": \"0\" } ] }" OLD_TAIL, HCCL_E_PARA,
		  { "line 2, column 15", "rank_id is 1023 and" } },
		{ OLD_HEAD "{ \"rank_id\": \"1024\", \"devices\": [ { \"device_id\": \"0\" } ] }" OLD_TAIL, HCCL_E_PARA,
		  { "rank_id is \"1024\"", "from 0 to 1023" } },
		{ OLD_HEAD "{ \"rank_id\": \"0\", \"devices\": [ ] }" OLD_TAIL, HCCL_E_PARA, { "rank_id 0 and 0 devices", "one" } },
		{ "{ \"version\": \"1.0\",\n\"server_count\": \"1024\" }", HCCL_E_PARA, { "line 2, column 18", "server_count is 1024" } },
		{ "{ \"version\": \"1.0\", \"server_count\": \"1025\" }", HCCL_E_PARA, { "\"1025\"", "from 0 to 1024" } },
		{ "{ \"version\": \"1.0\", \"server_count\": \"0\" }", HCCL_E_PARA, { "no rank", "" } },
		{ "{ \"status\": \"" FORTY "\" }", HCCL_E_UNAVAIL, { "status is \"" FORTY "\" and", "" } },
		{ "{ \"status\": \"" FORTY "E\" }", HCCL_E_UNAVAIL, { "status is \"" FORTY "\" and", "" } },
		{ "{ \"version\": \"" FORTY "\" }", HCCL_E_NOT_SUPPORT, { "version is \"" FORTY "\" and", "" } },
		{ "{ \"version\": \"" FORTY "E\" }", HCCL_E_NOT_SUPPORT, { "version is \"" FORTY "\" and", "" } },
		{ "{ \"version\": \"1.2\", \"status\": \"completed\" }", HCCL_E_PARA, { "no rank", "" } },
		{ HEAD DEVICE("0", "0") " ], \"server_id\": \"" FORTY "abcdefghij..789_\" },\n{ \"server_id\": \"b\" } ] }", HCCL_E_PARA,
		  { "has \"" FORTY "abcdefghij..789_\" as", "192.168.1.2" } },
		{ HEAD DEVICE("0", "0") " ], \"server_id\": \"" FORTY "abcdefghij..789_abcdE\" },\n{ \"server_id\": \"b\" } ] }", HCCL_E_PARA,
		  { "has \"" FORTY "abcdefghij..789_abcd\" as", "" } },
	};

	begin();
	ACL(aclrtSetDevice(0));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		refuses_table(bad[i].text, bad[i].code, bad[i].facts[0], bad[i].facts[1]);
}

/* As many ranks or servers as there may be, each of them @each, and one more */
static void many(const char *head, const char *each, const char *tail, const char *fits, const char *fact)
{
	char *text = host_alloc(1024 * 64 + 200);
	size_t used;

	for (int n = 1024; n <= 1025; n++) {
		used = (size_t)sprintf(text, "%s", head);
		for (int i = 0; i < n; i++) {
			used += (size_t)sprintf(text + used, each, i);
			text[used++] = i < n - 1 ? ',' : ' ';
		}
		strcpy(text + used, tail);
		refuses_table(text, HCCL_E_PARA, n == 1024 ? fits : fact, "");
	}
}

static void a_rank_table_has_1024_ranks(void)
{
	HcclCommConfig config = small_buffers(NULL);
	HcclComm comm;

	begin();
	ACL(aclrtSetDevice(0));
	many(HEAD, "{\"rank_id\":\"%d\",\"device_id\":\"3\"}", TAIL, "rank 0 device 3", "more than 1024 ranks");
	many("{ \"version\": \"1.0\", \"server_list\": [", "{\"server_id\":\"%d\"}", "] }", "no rank", "more than 1024 servers");
	/* and tells nothing when it is right */
	aclGetRecentErrMsg();
	HCCL(HcclCommInitClusterInfoMemConfig(HEAD DEVICE("0", "0") TAIL, 0, &config, &comm));
	CHECK(!aclGetRecentErrMsg());
	HCCL(HcclCommDestroy(comm));
}

static void a_rank_table_has_16_mib(void)
{
	char path[] = "/tmp/hccl-limits-XXXXXX";
	int fd = mkstemp(path);
	HcclComm comm;

	CHECK(fd >= 0);
	begin();
	ACL(aclrtSetDevice(0));
	CHECK(!ftruncate(fd, 16 << 20));
	HFAILS(HcclCommInitClusterInfo(path, 0, &comm), HCCL_E_PARA, "line 1, column 1");
	CHECK(!ftruncate(fd, (16 << 20) + 1));
	HFAILS(HcclCommInitClusterInfo(path, 0, &comm), HCCL_E_OPEN_FILE_FAILURE, "16 MiB");
	unlink(path);
	close(fd);
}

/* Settings --------------------------------------------------------------------------------------- */

/* Joins alone, with a root of its own */
static HcclResult alone(const HcclCommConfig *config)
{
	HcclRootInfo root;
	HcclComm comm;
	HcclResult ret;

	HCCL(HcclGetRootInfo(&root));
	aclGetRecentErrMsg();
	ret = HcclCommInitRootInfoConfig(1, &root, 0, config, &comm);
	if (!ret)
		HCCL(HcclCommDestroy(comm));
	return ret;
}

static void numbers_of_the_environment(void)
{
	static const struct {
		const char *name, *good[3], *bad[4];
	} of[] = {
		{ "HCCL_BUFFSIZE", { "1", "65536", "" }, { "0", "65537", "-1", "99999999999999999999" } },
		{ "HCCL_EXEC_TIMEOUT", { "0", "2147483647", "" }, { "-1", "2147483648", "1s", "99999999999999999999" } },
		{ "HCCL_CONNECT_TIMEOUT", { "1", "7200", "" }, { "0", "7201", " ", "x" } },
		{ "HCCL_DETERMINISTIC", { "false", "True", "" }, { "1", "stric", "stricter", " true" } },
	};
	HcclCommConfig config;
	char fact[80];

	test_leaves = true; /* roots that nobody joins: their threads wait for ranks */
	begin();
	ACL(aclrtSetDevice(0));
	HcclCommConfigInit(&config);
	for (size_t k = 0; k < sizeof(of) / sizeof(of[0]); k++) {
		for (int i = 0; i < 3; i++) {
			setenv(of[k].name, of[k].good[i], 1);
			HCCL(alone(&config));
		}
		for (int i = 0; i < 4; i++) {
			setenv(of[k].name, of[k].bad[i], 1);
			if (alone(&config) != HCCL_E_PARA)
				FAIL("%s=%s is taken", of[k].name, of[k].bad[i]);
			snprintf(fact, sizeof(fact), "%s is '%s' in the environment", of[k].name, of[k].bad[i]);
			check_facts(aclGetRecentErrMsg(), fact, NULL);
		}
		unsetenv(of[k].name);
	}
}

static void numbers_of_a_configuration(void)
{
	HcclCommConfig config;
	uint64_t size;

	test_leaves = true; /* as above */
	begin();
	ACL(aclrtSetDevice(0));
	HcclCommConfigInit(&config);
	config.hcclBufferSize = 65536;
	HCCL(alone(&config));
	config.hcclBufferSize = 65537;
	HFAILS(alone(&config), HCCL_E_PARA, "hcclBufferSize is 65537", "1 to 65536 MiB");
	HcclCommConfigInit(&config);
	for (uint32_t i = 0; i < 3; i++) {
		config.hcclDeterministic = i;
		HCCL(alone(&config));
	}
	config.hcclDeterministic = 3;
	HFAILS(alone(&config), HCCL_E_PARA, "hcclDeterministic is 3");
	HcclCommConfigInit(&config);
	config.hcclExecTimeOut = 0;
	HCCL(alone(&config));
	config.hcclExecTimeOut = -2;
	HFAILS(alone(&config), HCCL_E_PARA, "hcclExecTimeOut is -2");
	/* as many bytes as the structure says it has; it goes on behind what this library knows */
	for (size = 31; size <= 65537; size = size == 32 ? 65536 : size + 1) {
		struct {
			HcclCommConfig config;
			char more[65537];
		} *large = host_alloc(sizeof(*large));

		HcclCommConfigInit(&large->config);
		memcpy(large->config.reserved, &size, sizeof(size));
		if (size == 31 || size == 65537)
			HFAILS(alone(&large->config), HCCL_E_PARA, "config says", "which no version has");
		else
			HCCL(alone(&large->config));
	}
	/* names and algorithms end within their room */
	HcclCommConfigInit(&config);
	memset(config.hcclCommName, 'x', sizeof(config.hcclCommName) - 1);
	HCCL(alone(&config));
	HcclCommConfigInit(&config);
	memset(config.hcclAlgo, 'x', sizeof(config.hcclAlgo));
	HFAILS(alone(&config), HCCL_E_PARA, "hcclAlgo has no end");
}

static void values_of_the_process(void)
{
	static const char *const words[] = { "false", "true", "strict" };
	union HcclConfigValue value;

	begin();
	setenv("HCCL_DETERMINISTIC", "", 1);
	HCCL(HcclGetConfig(HCCL_DETERMINISTIC, &value));
	CHECK_EQ(value.value, 0);
	for (int i = 0; i < 3; i++) {
		setenv("HCCL_DETERMINISTIC", words[i], 1);
		HCCL(HcclGetConfig(HCCL_DETERMINISTIC, &value));
		CHECK_EQ(value.value, i);
	}
	setenv("HCCL_DETERMINISTIC", "no", 1);
	value.value = 77;
	HFAILS(HcclGetConfig(HCCL_DETERMINISTIC, &value), HCCL_E_PARA, "HCCL_DETERMINISTIC is 'no'");
	CHECK_EQ(value.value, 77);
	for (int i = 0; i < 3; i++) {
		value.value = i;
		HCCL(HcclSetConfig(HCCL_DETERMINISTIC, value));
		HCCL(HcclGetConfig(HCCL_DETERMINISTIC, &value));
		CHECK_EQ(value.value, i);
	}
	value.value = 3;
	HFAILS(HcclSetConfig(HCCL_DETERMINISTIC, value), HCCL_E_PARA, "configValue is 3");
	value.value = -1;
	HFAILS(HcclSetConfig(HCCL_DETERMINISTIC, value), HCCL_E_PARA, "configValue is -1");
}

/* All ranks must come to the same size, from the environment or from a configuration */
struct one {
	pthread_t thread;
	uint32_t rank;
	const HcclRootInfo *root;
	uint32_t mib; /* 0: none in the configuration */
	HcclResult ret;
	char why[400];
};

enum { RANKS = 4 };

static void *with_buffers(void *arg)
{
	struct one *o = arg;
	HcclCommConfig config;
	HcclComm comm;

	HcclCommConfigInit(&config);
	if (o->mib)
		config.hcclBufferSize = o->mib;
	ACL(aclrtSetDevice(device_of(o->rank)));
	aclGetRecentErrMsg();
	o->ret = HcclCommInitRootInfoConfig(RANKS, o->root, o->rank, &config, &comm);
	if (o->ret)
		snprintf(o->why, sizeof(o->why), "%s", aclGetRecentErrMsg());
	else
		HCCL(HcclCommDestroy(comm));
	return NULL;
}

static void join_all(struct one *all, uint32_t mib_of_last)
{
	HcclRootInfo root;

	HCCL(HcclGetRootInfo(&root));
	for (uint32_t i = 0; i < RANKS; i++) {
		all[i] = (struct one){ .rank = i, .root = &root, .mib = i == RANKS - 1 ? mib_of_last : 0 };
		CHECK_EQ(pthread_create(&all[i].thread, NULL, with_buffers, &all[i]), 0);
	}
	for (int i = 0; i < RANKS; i++)
		pthread_join(all[i].thread, NULL);
}

static void all_ranks_have_one_size_of_buffers(void)
{
	struct one all[RANKS];

	begin();
	setenv("HCCL_BUFFSIZE", "1", 1);
	join_all(all, 1);
	for (int i = 0; i < RANKS; i++)
		if (all[i].ret)
			FAIL("rank %d: %d: %s", i, all[i].ret, all[i].why);
	unsetenv("HCCL_BUFFSIZE");
	join_all(all, 1);
	for (int i = 0; i < RANKS; i++) {
		CHECK_EQ(all[i].ret, HCCL_E_PARA);
		check_facts(all[i].why, i < RANKS - 1 ? "rank 3 has another size" : "rank 0 has another size", "HCCL_BUFFSIZE", NULL);
	}
}

/* Joining ---------------------------------------------------------------------------------------- */

static void numbers_of_ranks(void)
{
	int32_t devices[2] = { 0, -1 };
	HcclComm comm, comms[2];
	HcclRootInfo root;
	uint32_t count;

	test_leaves = true; /* as above */
	begin();
	ACL(aclrtSetDevice(0));
	HCCL(HcclGetRootInfo(&root));
	HFAILS(HcclCommInitRootInfo(1025, &root, 0, &comm), HCCL_E_PARA, "nRanks is 1025", "1 to 1024");
	HFAILS(HcclCommInitRootInfo(1024, &root, 1024, &comm), HCCL_E_PARA, "rank is 1024", "number of ranks, 1024");
	HFAILS(HcclCommInitAll(1025, devices, comms), HCCL_E_PARA, "ndev is 1025");
	HFAILS(HcclCommInitAll(2, devices, comms), HCCL_E_PARA, "devices[1] is -1");
	ACL(aclrtGetDeviceCount(&count));
	devices[1] = (int32_t)count;
	HFAILS(HcclCommInitAll(2, devices, comms), HCCL_E_PARA, "devices[1] is", "devices 0 to");
	devices[1] = (int32_t)count - 1;
	HCCL(HcclCommInitAll(2, devices, comms));
	HCCL(HcclCommDestroy(comms[0]));
	HCCL(HcclCommDestroy(comms[1]));
	/* each byte of what a root info begins with counts */
	for (int i = 0; i < 8; i++) {
		HcclRootInfo wrong = root;

		wrong.internal[i] ^= 1;
		HFAILS(HcclCommInitRootInfo(1, &wrong, 0, &comm), HCCL_E_PARA, "HcclGetRootInfo");
	}
}

static int next_fd(void)
{
	int fd = open("/proc/self/comm", O_RDONLY);

	close(fd);
	return fd;
}

/* Somebody else has the only port that root infos may have */
static void ports_of_others(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0), before;
	socklen_t size = sizeof(a);
	HcclRootInfo root;
	char port[16];

	CHECK(fd >= 0 && !bind(fd, (void *)&a, sizeof(a)) && !listen(fd, 1) && !getsockname(fd, (void *)&a, &size));
	snprintf(port, sizeof(port), "%d", ntohs(a.sin_port));
	begin();
	setenv("HCCL_IF_IP", "127.0.0.1", 1);
	setenv("HCCL_HOST_SOCKET_PORT_RANGE", port, 1);
	before = next_fd();
	HFAILS(HcclGetRootInfo(&root), HCCL_E_TCP_CONNECT, "127.0.0.1", "HCCL_HOST_SOCKET_PORT_RANGE is ");
	CHECK_EQ(next_fd(), before);
	close(fd);
}

/* Arguments of calls ------------------------------------------------------------------------------ */

static void first_bytes_count(struct rank *r)
{
	enum { N = 256 };
	int32_t *buf = dev_with(NULL, N * 4), *other = dev_with(NULL, N * 4);
	HcclComm c = r->comm;
	aclrtStream s = r->stream;
	HcclSendRecvItem item = { HCCL_SEND, buf, 1, T, 2 };

	/* neighbours do not overlap, and one element more does */
	HCCL(HcclAllReduce(buf, buf + 64, 64, T, SUM, c, s));
	HCCL(HcclAllReduce(buf + 64, buf, 64, T, SUM, c, s));
	HFAILS(HcclAllReduce(buf, buf + 63, 64, T, SUM, c, s), HCCL_E_PARA, "overlap", "256 bytes");
	HFAILS(HcclAllReduce(buf + 63, buf, 64, T, SUM, c, s), HCCL_E_PARA, "overlap", "256 bytes");
	/* the own part is allowed, and the neighbour's is not */
	HFAILS(HcclAllGather(buf + (1 - r->rank) * 64, buf, 64, T, c, s), HCCL_E_PARA, "overlap");
	HFAILS(HcclReduceScatter(buf, buf + (1 - r->rank) * 64, 64, T, SUM, c, s), HCCL_E_PARA, "overlap");
	HCCL(HcclReduceScatter(buf, buf + r->rank * 64, 64, T, SUM, c, s));
	ACL(aclrtSynchronizeStream(s));
	/* as long as the allocation, which may be more than was asked for, and far beyond it */
	HCCL(HcclAllReduce(buf, other, N, T, SUM, c, s));
	HFAILS(HcclAllReduce(buf, other, 1 << 28, T, SUM, c, s), HCCL_E_PARA, "sendBuf", "1073741824 bytes");
	HFAILS(HcclAllReduce((char *)buf + 2, other, 1, T, SUM, c, s), HCCL_E_PARA, "sendBuf", "multiple of the type's 4 bytes");
	/* what moves data takes any address */
	HCCL(HcclBroadcast((char *)buf + 1, 1, T, 1, c, s));
	ACL(aclrtSynchronizeStream(s));
	HFAILS(HcclBroadcast(buf, 1, T, 2, c, s), HCCL_E_PARA, "root is 2", "2 ranks");
	HFAILS(HcclBatchSendRecv(&item, 1, c, s), HCCL_E_PARA, "item 0 is for rank 2", "2 ranks");
	item = (HcclSendRecvItem){ (HcclSendRecvType)2, buf, 1, T, 0 };
	HFAILS(HcclBatchSendRecv(&item, 1, c, s), HCCL_E_PARA, "item 0 has sendRecvType 2");
	item = (HcclSendRecvItem){ HCCL_SEND, buf, (UINT64_MAX >> 2) / 4 + 1, T, 0 };
	HFAILS(HcclBatchSendRecv(&item, 1, c, s), HCCL_E_PARA, "no memory has");
	item.count = (UINT64_MAX >> 2) / 4;
	HFAILS(HcclBatchSendRecv(&item, 1, c, s), HCCL_E_PARA, "the buffer of item 0", "and the allocation there");
	/* nothing needs no buffer */
	item = (HcclSendRecvItem){ r->rank ? HCCL_RECV : HCCL_SEND, NULL, 0, T, 1 - r->rank };
	HCCL(HcclBatchSendRecv(&item, 1, c, s));
	HCCL(HcclAllReduce(NULL, NULL, 0, T, SUM, c, s));
	ACL(aclrtSynchronizeStream(s));
	ACL(aclrtFree(buf));
	ACL(aclrtFree(other));
}

static void bytes_of_calls(void)
{
	begin();
	with_ranks(2, NULL, first_bytes_count, NULL);
}

/* Buffers of which one is a part of the other */
static void own_parts(struct rank *r)
{
	uint64_t counts[2] = { 16, 32 }, at[2] = { 64, 8 }, other = 1 - r->rank, mine = counts[r->rank];
	int32_t *buf = dev_with(NULL, 256 * 4), *part = buf + at[r->rank], *wrong = buf + at[other];
	HcclComm c = r->comm;
	aclrtStream s = r->stream;

	HCCL(HcclAllGatherV(part, mine, buf, counts, at, T, c, s));
	HFAILS(HcclAllGatherV(wrong, mine, buf, counts, at, T, c, s), HCCL_E_PARA, "overlap");
	HFAILS(HcclAllGatherV(part + 1, mine, buf, counts, at, T, c, s), HCCL_E_PARA, "overlap");
	HCCL(HcclReduceScatterV(buf, counts, at, part, mine, T, SUM, c, s));
	HFAILS(HcclReduceScatterV(buf, counts, at, wrong, mine, T, SUM, c, s), HCCL_E_PARA, "overlap");
	/* only the root of a scatter has a buffer to send from */
	HCCL(HcclScatter(buf, r->rank ? buf + 16 : buf, 16, T, 0, c, s));
	if (!r->rank)
		HFAILS(HcclScatter(buf, buf + 16, 16, T, 0, c, s), HCCL_E_PARA, "overlap");
	ACL(aclrtSynchronizeStream(s));
	ACL(aclrtFree(buf));
}

static void buffers_that_are_parts_of_others(void)
{
	begin();
	with_ranks(2, NULL, own_parts, NULL);
}

/* Uses of memory that libhccl tells the checking mode ------------------------------------------------------------------- */

static __thread struct use {
	char what[32];
	const void *ptr;
	size_t size;
	bool write;
} uses[8];
static __thread unsigned int used;

/* In place of the library's, lib/acl/stream/front.h */
void anpu_front_used(aclrtStream stream, const char *what, const void *ptr, size_t size, bool write);

void anpu_front_used(aclrtStream stream, const char *what, const void *ptr, size_t size, bool write)
{
	(void)stream;
	if (!size || used == 8)
		return;
	snprintf(uses[used].what, sizeof(uses[used].what), "%s", what);
	uses[used].ptr = ptr;
	uses[used].size = size;
	uses[used++].write = write;
}

static void check_use(unsigned int n, const char *what, const void *ptr, size_t size, bool write)
{
	const struct use *u = &uses[n];

	if (n >= used || strcmp(u->what, what) || u->ptr != ptr || u->size != size || u->write != write)
		FAIL("%s: use %u of %u is %p, %zu bytes, %d by %s", what, n, used, u->ptr, u->size, u->write, u->what);
}

static void tell_uses(struct rank *r)
{
	char *buf = dev_with(NULL, 4096);
	HcclComm c = r->comm;
	aclrtStream s = r->stream;

	used = 0;
	HCCL(HcclAllReduce(buf, buf + 512, 100, T, SUM, c, s));
	CHECK_EQ(used, 2);
	check_use(0, "HcclAllReduce()", buf, 400, false);
	check_use(1, "HcclAllReduce()", buf + 512, 400, true);
	used = 0;
	HCCL(HcclBroadcast(buf, 9, HCCL_DATA_TYPE_FP16, 1, c, s));
	CHECK_EQ(used, 1);
	check_use(0, "HcclBroadcast()", buf, 18, r->rank == 0);
	used = 0;
	if (r->rank)
		HCCL(HcclRecv(buf + 8, 5, HCCL_DATA_TYPE_INT64, 0, c, s));
	else
		HCCL(HcclSend(buf + 8, 5, HCCL_DATA_TYPE_INT64, 1, c, s));
	CHECK_EQ(used, 1);
	check_use(0, r->rank ? "HcclRecv()" : "HcclSend()", buf + 8, 40, r->rank == 1);
	used = 0;
	HCCL(HcclAllGather(buf, buf + 1024, 10, T, c, s));
	CHECK_EQ(used, 2);
	check_use(0, "HcclAllGather()", buf, 40, false);
	check_use(1, "HcclAllGather()", buf + 1024, 80, true);
	used = 0;
	HCCL(HcclReduce(buf, buf + 1024, 10, T, SUM, 0, c, s));
	CHECK_EQ(used, 2 - r->rank);
	if (!r->rank)
		check_use(1, "HcclReduce()", buf + 1024, 40, true);
	ACL(aclrtSynchronizeStream(s));
	ACL(aclrtFree(buf));
}

static void uses_of_buffers_are_told(void)
{
	begin();
	with_ranks(2, NULL, tell_uses, NULL);
}

TAP_MAIN(TEST(numbers_of_rank_tables),
	 TEST(a_rank_table_has_1024_ranks),
	 TEST(a_rank_table_has_16_mib),
	 TEST(numbers_of_the_environment),
	 TEST(numbers_of_a_configuration),
	 TEST(values_of_the_process),
	 TEST(all_ranks_have_one_size_of_buffers),
	 TEST(numbers_of_ranks),
	 TEST(ports_of_others),
	 TEST(bytes_of_calls),
	 TEST(buffers_that_are_parts_of_others),
	 TEST(uses_of_buffers_are_told))
