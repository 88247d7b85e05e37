// SPDX-License-Identifier: MIT
/* Making communicators: root infos, rank tables, parts of others, settings, names, and what is wrong with them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>

#include "hccltest.h"

enum { N = 3000 };

static void sum(HcclComm comm, aclrtStream stream, int32_t mine, int32_t want)
{
	int32_t *host = host_alloc(N * 4);
	void *buf;

	for (int i = 0; i < N; i++)
		host[i] = mine;
	buf = dev_with(host, N * 4);
	HCCL(HcclAllReduce(buf, buf, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, comm, stream));
	ACL(aclrtSynchronizeStream(stream));
	dev_read(host, buf, N * 4);
	for (int i = 0; i < N; i++)
		CHECK_EQ(host[i], want);
	ACL(aclrtFree(buf));
}

/* Rank tables -------------------------------------------------------------------------------------- */

static char path[] = "/tmp/hccl-table-XXXXXX";

static void save_table(const char *text)
{
	int fd = mkstemp(path);

	CHECK(fd >= 0);
	CHECK_EQ(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static void write_table(uint32_t ranks)
{
	char text[4096];
	size_t used;

	used = (size_t)sprintf(text, "{ \"version\": \"1.0\", \"status\": \"completed\", \"server_count\": \"1\",\n"
			       "  \"server_list\": [ { \"server_id\": \"10.0.0.1\", \"host_nic_ip\": \"reserve\", \"device\": [\n");
	/* not in their order */
	for (uint32_t i = ranks; i-- > 0;)
		used += (size_t)sprintf(text + used, "    { \"device_id\": \"%d\", \"device_ip\": \"10.0.1.%u\", \"rank_id\": "
					"\"%u\" }%s\n", device_of(i), i, i, i ? "," : "");
	sprintf(text + used, "  ] } ] }\n");
	save_table(text);
}

/* The older form, with an instance for each rank */
static void write_instances(uint32_t ranks)
{
	char text[4096];
	size_t used;

	used = (size_t)sprintf(text, "{ \"status\": \"completed\", \"deploy_mode\": \"lab\", \"group_count\": \"1\", \"group_list\": [ {\n"
			       "  \"group_name\": \"\", \"device_num\": \"%u\", \"server_num\": \"1\", \"instance_list\": [\n", ranks);
	for (uint32_t i = ranks; i-- > 0;)
		used += (size_t)sprintf(text + used, "    { \"devices\": [ { \"device_id\": \"%d\", \"device_ip\": \"10.0.1.%u\" } ], "
					"\"rank_id\": \"%u\", \"server_id\": \"10.0.0.1\" }%s\n", device_of(i), i, i, i ? "," : "");
	sprintf(text + used, "  ], \"server_list\": [ { \"server_id\": \"10.0.0.1\", \"para_plane_info\": [ ] } ] } ],\n"
		"  \"para_plane_nic_location\": \"device\", \"para_plane_nic_name\": [ \"eth0\" ] }\n");
	save_table(text);
}

/* The same with devices in the order of ranks, of a container */
static void write_pod(uint32_t ranks)
{
	char text[4096];
	size_t used;

	used = (size_t)sprintf(text, "{ \"status\": \"completed\", \"group_count\": \"1\", \"group_list\": [ { \"group_name\": \"all\",\n"
			       "  \"instance_count\": \"1\", \"instance_list\": [ { \"pod_name\": \"a\", \"server_id\": \"10.0.0.1\", "
			       "\"devices\": [\n");
	for (uint32_t i = 0; i < ranks; i++)
		used += (size_t)sprintf(text + used, "    { \"device_id\": \"%d\", \"device_ip\": \"10.0.1.%u\" }%s\n", device_of(i), i,
					i < ranks - 1 ? "," : "");
	sprintf(text + used, "  ] } ] } ] }\n");
	save_table(text);
}

static void *table_rank(void *arg)
{
	uint32_t rank = (uint32_t)(uintptr_t)arg;
	HcclCommConfig config = small_buffers(NULL);
	char name[COMM_NAME_MAX_LENGTH];
	aclrtStream stream;
	HcclComm comm;

	ACL(aclrtSetDevice(device_of(rank)));
	ACL(aclrtCreateStream(&stream));
	HCCL(HcclCommInitClusterInfo(path, rank, &comm));
	sum(comm, stream, (int32_t)rank, 3);
	HCCL(HcclCommDestroy(comm));
	/* again, by another way */
	strcpy(config.hcclCommName, "again");
	HCCL(HcclCommInitClusterInfoConfig(path, rank, &config, &comm));
	HCCL(HcclGetCommName(comm, name));
	CHECK(!strcmp(name, "again"));
	sum(comm, stream, 1, 3);
	HCCL(HcclCommDestroy(comm));
	HCCL(HcclCommInitClusterInfo(NULL, rank, &comm));
	sum(comm, stream, 2, 6);
	HCCL(HcclCommDestroy(comm));
	ACL(aclrtDestroyStream(stream));
	return NULL;
}

static void with_table(void (*write)(uint32_t ranks))
{
	pthread_t threads[3];

	strcpy(path + strlen(path) - 6, "XXXXXX");
	write(3);
	setenv("RANK_TABLE_FILE", path, 1);
	for (uintptr_t i = 0; i < 3; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, table_rank, (void *)i), 0);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	unlink(path);
}

static void rank_tables(void)
{
	begin();
	with_table(write_table);
	with_table(write_instances);
	with_table(write_pod);
}

#define HEAD "{ \"version\": \"1.0\", \"status\": \"completed\", \"server_list\": [ { \"device\": [\n"
#define TAIL "\n] } ] }"
#define OLD_HEAD "{ \"status\": \"completed\", \"group_list\": [ { \"instance_list\": [\n"
#define OLD_TAIL "\n] } ] }"

static void bad_rank_tables(void)
{
	static const struct {
		const char *text;
		HcclResult code;
		const char *facts[2];
	} bad[] = {
		{ "", HCCL_E_PARA, { "line 1, column 1", "rankTableString" } },
		{ "{ \"version\": \"1.0\",\n  oops", HCCL_E_PARA, { "line 2, column 3", "" } },
		{ "{ }", HCCL_E_PARA, { "version", "missing" } },
		{ "{ \"version\": \"1.0\" }", HCCL_E_PARA, { "no rank", "server_list" } },
		{ "{ \"version\":\n\"9\" }", HCCL_E_NOT_SUPPORT, { "line 2, column 2", "version" } },
		{ "{ \"version\": \"1.0\", \"status\": \"initializing\" }", HCCL_E_UNAVAIL, { "status", "completed" } },
		{ HEAD "{ \"device_id\": \"0\" }" TAIL, HCCL_E_PARA, { "rank_id", "line 1" } },
		{ HEAD "{ \"rank_id\": \"0\" }" TAIL, HCCL_E_PARA, { "device_id", "line 1" } },
		{ HEAD "{ \"rank_id\": \"1\", \"device_id\": \"0\" }" TAIL, HCCL_E_PARA, { "line 2, column 15", "rank_id is 1" } },
		{ HEAD "{ \"rank_id\": \"0\", \"device_id\": \"x\" }" TAIL, HCCL_E_PARA, { "line 2, column 33", "device_id" } },
		{ HEAD "{ \"rank_id\": \"0\", \"device_id\": \"0\" },\n{ \"rank_id\": \"0\", \"device_id\": \"0\" }" TAIL, HCCL_E_PARA,
		  { "line 3, column 15", "already" } },
		{ HEAD "{ \"rank_id\": \"0\", \"device_id\": \"0\" } ],\n\"server_id\": \"a..b\" },{ \"server_id\": \"b\" } ] }", HCCL_E_PARA,
		  { "line 3, column 15", "\"a..b\"" } }, /* no name that could be asked for */
		{ HEAD "{ \"rank_id\": \"0\", \"device_id\": \"0\" } ] },\n{ \"server_id\": \"b\" } ] }", HCCL_E_PARA,
		  { "host_ip", "192.168.1.2" } },
		{ "{ \"version\": \"1.0\", \"server_list\":\n { } }", HCCL_E_PARA, { "line 1, column 22", "must be a list" } },
		{ "{ \"version\": \"1.0\", \"server_list\": [\n 5 ] }", HCCL_E_PARA, { "line 2, column 2", "objects" } },
		{ "{ \"version\": \"1.0\", \"server_list\": [ {\n \"device\": \"0\" } ] }", HCCL_E_PARA,
		  { "line 2, column 13", "must be a list" } },
		{ HEAD "7" TAIL, HCCL_E_PARA, { "line 2, column 1", "\"device\" must have objects" } },
		{ HEAD "{ \"rank_id\": null" TAIL, HCCL_E_PARA, { "line 2", "\"rank_id\" must be text or a number" } },
		{ HEAD "{ \"rank_id\": \"-1\", \"device_id\": \"0\" }" TAIL, HCCL_E_PARA, { "line 2, column 15", "rank_id is \"-1\"" } },
		{ HEAD "{ \"rank_id\": \"0\", \"device_id\": \"0\", }" TAIL, HCCL_E_PARA, { "line 2, column", "" } },
		{ HEAD "{ \"rank_id\": \"0\" \"device_id\": \"0\" }" TAIL, HCCL_E_PARA, { "line 2, column 18", "" } },
		{ HEAD "{ \"rank_id\": \"0\", \"device_id\": \"0\" }\n]", HCCL_E_PARA, { "line 3, column", "" } },
		{ "{ \"version\": [ ] }", HCCL_E_PARA, { "line 1", "\"version\" must be text" } },
		{ "{ \"version\": \"1.0\",\n\"server_count\": \"2\", \"server_list\": [ { \"device\": [ { \"rank_id\": \"0\", \"device_id\": "
		  "\"0\" } ] } ] }", HCCL_E_PARA, { "line 2, column 18", "server_count is 2" } },
		{ "{ \"version\": \"1.0\", \"server_count\": \"many\" }", HCCL_E_PARA, { "server_count is \"many\"", "line 1" } },
		{ OLD_HEAD "{ \"rank_id\": \"0\", \"devices\": [ { \"device_id\": \"0\" }, { \"device_id\": \"1\" } ] }" OLD_TAIL, HCCL_E_PARA,
		  { "line 2, column 15", "2 devices" } },
		{ OLD_HEAD "{ \"rank_id\": \"0\", \"devices\": [ { \"device_id\": \"0\" } ] },\n{ \"devices\": [ { \"device_id\": \"1\" } ] }"
		  OLD_TAIL, HCCL_E_PARA, { "line 3", "without \"rank_id\"" } },
		{ OLD_HEAD "{ \"devices\": { } }" OLD_TAIL, HCCL_E_PARA, { "line 2, column 4", "\"devices\" must be a list" } },
		{ "{ \"group_list\": [\n7 ] }", HCCL_E_PARA, { "line 2, column 1", "\"group_list\" must have objects" } },
		{ "{ \"group_list\": [ ] }", HCCL_E_PARA, { "no rank", "server_list" } },
		{ OLD_HEAD "{ \"server_id\": \"a..b\", \"devices\": [ { \"device_id\": \"0\" } ] },\n{ \"server_id\": \"b\", \"devices\": [ { "
		  "\"device_id\": \"0\" } ] }" OLD_TAIL, HCCL_E_PARA, { "line 2, column 17", "\"a..b\"" } },
		{ HEAD "{ \"rank_id\": \"0\", \"device_id\": \"77\" }" TAIL, HCCL_E_PARA, { "aclrtSetDevice(77)", "device 77" } },
	};
	HcclCommConfig config = small_buffers(NULL);
	HcclComm comm;

	begin();
	ACL(aclrtSetDevice(0));
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		HcclResult ret;

		aclGetRecentErrMsg();
		ret = HcclCommInitClusterInfoMemConfig(bad[i].text, 0, &config, &comm);
		if (ret != bad[i].code)
			FAIL("table %u: %d, not %d: %s", i, ret, bad[i].code, aclGetRecentErrMsg());
		check_facts(aclGetRecentErrMsg(), bad[i].facts[0], bad[i].facts[1], NULL);
	}
	HFAILS(HcclCommInitClusterInfoMemConfig(HEAD "{ \"rank_id\": \"0\", \"device_id\": \"0\" }" TAIL, 1, &config, &comm),
	       HCCL_E_PARA, "rank is 1", "has 1 ranks");
	HFAILS(HcclCommInitClusterInfo("/nowhere/table.json", 0, &comm), HCCL_E_OPEN_FILE_FAILURE, "/nowhere/table.json",
	       "No such file");
	HFAILS(HcclCommInitClusterInfo("/tmp", 0, &comm), HCCL_E_OPEN_FILE_FAILURE, "/tmp", "no file");
	unsetenv("RANK_TABLE_FILE");
	HFAILS(HcclCommInitClusterInfo(NULL, 0, &comm), HCCL_E_PTR, "RANK_TABLE_FILE");
	HFAILS(HcclCommInitClusterInfo("x", 0, NULL), HCCL_E_PTR, "comm");
	HFAILS(HcclCommInitClusterInfoConfig("x", 0, NULL, &comm), HCCL_E_PTR, "config");
	HFAILS(HcclCommInitClusterInfoMemConfig(NULL, 0, &config, &comm), HCCL_E_PTR, "rankTableString");
}

/* Parts of others ------------------------------------------------------------------------------------ */

static void parts(struct rank *r)
{
	uint32_t even[] = { 4, 0, 2 }, odd[] = { 3, 1 }, *ids = r->rank % 2 ? odd : even, n = r->rank % 2 ? 2 : 3, me = 0, got;
	HcclCommConfig config = small_buffers(NULL);
	HcclComm sub, again, none = r->comm;

	while (ids[me] != r->rank)
		me++;
	HCCL(HcclCreateSubCommConfig(&r->comm, n, ids, 7, me, &config, &sub));
	HCCL(HcclGetRankId(sub, &got));
	CHECK_EQ(got, me);
	HCCL(HcclGetRankSize(sub, &got));
	CHECK_EQ(got, n);
	sum(sub, r->stream, (int32_t)r->rank, r->rank % 2 ? 4 : 6);
	/* both at once, and the large one goes on */
	sum(r->comm, r->stream, 1, 5);
	/* the same numbers again, when the first is gone */
	HCCL(HcclCommDestroy(sub));
	HCCL(HcclCreateSubCommConfig(&r->comm, n, ids, 7, me, &config, &again));
	sum(again, r->stream, 1, (int32_t)n);
	HCCL(HcclCommDestroy(again));
	HCCL(HcclCreateSubCommConfig(&r->comm, 0, NULL, 9, 0, &config, &none));
	CHECK(!none);
	HFAILS(HcclCreateSubCommConfig(&r->comm, 2, NULL, 9, 0, &config, &none), HCCL_E_PTR, "rankIds");
	HFAILS(HcclCreateSubCommConfig(&r->comm, 9, ids, 9, 0, &config, &none), HCCL_E_PARA, "rankNum is 9");
	HFAILS(HcclCreateSubCommConfig(&r->comm, n, ids, 9, n, &config, &none), HCCL_E_PARA, "subCommRankId");
	HFAILS(HcclCreateSubCommConfig(&r->comm, n, ids, 9, me, NULL, &none), HCCL_E_PTR, "config");
	HFAILS(HcclCreateSubCommConfig(NULL, n, ids, 9, me, &config, &none), HCCL_E_PTR, "comm");
	HFAILS(HcclCreateSubCommConfig(&r->comm, n, ids, 9, me, &config, NULL), HCCL_E_PTR, "subComm");
	ids[!me] = r->rank;
	HFAILS(HcclCreateSubCommConfig(&r->comm, n, ids, 9, me, &config, &none), HCCL_E_PARA, "both");
	ids[!me] = 17;
	HFAILS(HcclCreateSubCommConfig(&r->comm, n, ids, 9, me, &config, &none), HCCL_E_PARA, "17");
}

/* Ranks that are alone, at the same time, with numbers that are not the same */
static char names_of_alone[4][COMM_NAME_MAX_LENGTH];

static void alone(struct rank *r)
{
	HcclCommConfig config;
	HcclComm sub;
	uint32_t id = r->rank;

	HcclCommConfigInit(&config);
	HCCL(HcclCreateSubCommConfig(&r->comm, 1, &id, 100 + r->rank, 0, &config, &sub));
	HCCL(HcclGetCommName(sub, names_of_alone[r->rank]));
	meet(r);
	for (uint32_t i = 0; i < r->rank; i++)
		CHECK(strcmp(names_of_alone[i], names_of_alone[r->rank]));
	HCCL(HcclCommDestroy(sub));
}

static void parts_of_a_communicator(void)
{
	HcclCommConfig config = small_buffers(NULL);

	begin();
	with_ranks(5, &config, parts, NULL);
	meet_count(4);
	with_ranks(4, NULL, alone, NULL);
}

/* Joining ---------------------------------------------------------------------------------------------- */

static void bad_joins(void)
{
	int32_t devices[] = { 0, 99 };
	HcclRootInfo root, wrong = { { 0 } };
	HcclComm comm, comms[2];

	test_leaves = true; /* roots that nobody joins: their threads wait for ranks */
	begin();
	HFAILS(HcclGetRootInfo(NULL), HCCL_E_PTR, "rootInfo");
	HCCL(HcclGetRootInfo(&root));
	HFAILS(HcclCommInitRootInfo(1, &root, 0, &comm), HCCL_E_RUNTIME, "aclrtSetDevice");
	HCCL(HcclGetRootInfo(&root));
	ACL(aclrtSetDevice(0));
	HFAILS(HcclCommInitRootInfo(0, &root, 0, &comm), HCCL_E_PARA, "nRanks is 0");
	HFAILS(HcclCommInitRootInfo(4096, &root, 0, &comm), HCCL_E_PARA, "nRanks is 4096");
	HFAILS(HcclCommInitRootInfo(2, &root, 2, &comm), HCCL_E_PARA, "rank is 2");
	HFAILS(HcclCommInitRootInfo(2, NULL, 0, &comm), HCCL_E_PTR, "rootInfo");
	HFAILS(HcclCommInitRootInfo(2, &root, 0, NULL), HCCL_E_PTR, "comm");
	HFAILS(HcclCommInitRootInfo(1, &wrong, 0, &comm), HCCL_E_PARA, "HcclGetRootInfo");
	HFAILS(HcclCommInitRootInfoConfig(1, &root, 0, NULL, &comm), HCCL_E_PTR, "config");
	HFAILS(HcclCommInitAll(0, devices, comms), HCCL_E_PARA, "ndev is 0");
	HFAILS(HcclCommInitAll(2, devices, comms), HCCL_E_PARA, "devices[1] is 99");
	HFAILS(HcclCommInitAll(2, NULL, comms), HCCL_E_PTR, "devices");
	HFAILS(HcclCommInitAll(2, devices, NULL), HCCL_E_PTR, "comms");
	HCCL(HcclCommInitRootInfo(1, &root, 0, &comm));
	/* all have joined */
	HFAILS(HcclCommInitRootInfo(1, &root, 0, &comms[0]), HCCL_E_TCP_CONNECT, "joined already");
	HCCL(HcclCommDestroy(comm));
	HFAILS(HcclCommDestroy(comm), HCCL_E_PARA, "no communicator");
	HFAILS(HcclCommDestroy(NULL), HCCL_E_PTR, "comm");
}

static void a_rank_that_does_not_join_is_named(void)
{
	HcclRootInfo root;
	HcclComm comm;

	begin();
	setenv("HCCL_CONNECT_TIMEOUT", "1", 1);
	ACL(aclrtSetDevice(0));
	HCCL(HcclGetRootInfo(&root));
	HFAILS(HcclCommInitRootInfo(4, &root, 2, &comm), HCCL_E_TIMEOUT, "3 of 4 ranks", "0, 1, 3", "HCCL_CONNECT_TIMEOUT");
}

static HcclRootInfo twice_root;

static void *rank_of_two(void *arg)
{
	HcclComm comm;
	static _Atomic int refused;

	(void)arg;
	ACL(aclrtSetDevice(0));
	/* both say that they are rank 0 of 2: whoever comes second is refused, and the first does not wait for ever */
	aclGetRecentErrMsg();
	if (HcclCommInitRootInfo(2, &twice_root, 0, &comm) == HCCL_E_PARA) {
		refused++;
		check_facts(aclGetRecentErrMsg(), "rank 0 is there already", "joins once", NULL);
	}
	CHECK_OP(refused, <=, 1);
	return NULL;
}

static void a_rank_that_joins_twice_is_refused(void)
{
	pthread_t threads[2];

	begin();
	setenv("HCCL_CONNECT_TIMEOUT", "1", 1);
	HCCL(HcclGetRootInfo(&twice_root));
	for (int i = 0; i < 2; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, rank_of_two, NULL), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

/* Settings --------------------------------------------------------------------------------------------- */

static void try_config(const HcclCommConfig *config, HcclResult code, const char *fact)
{
	HcclRootInfo root;
	HcclComm comm;
	HcclResult ret;

	HCCL(HcclGetRootInfo(&root));
	aclGetRecentErrMsg();
	ret = HcclCommInitRootInfoConfig(1, &root, 0, config, &comm);
	if (ret != code)
		FAIL("%d, not %d, for %s", ret, code, fact);
	if (ret)
		check_facts(aclGetRecentErrMsg(), fact, NULL);
	else
		HCCL(HcclCommDestroy(comm));
}

static void settings(void)
{
	static const char *const good[] = {
		"level0:NA;level1:ring", "level0:NA;level1:H-D_R", "level0:ring;level1:H-D_R", "level0:fullmesh;level1:pairwise",
		"level0:NA;level1:NHR;level2:NB", "level0:NA;level1:NHR_V1", "level0:NA;level1:AHC", "level0:NA;level1:pipeline",
		"allreduce=level0:NA;level1:tree/others=level0:NA;level1:NHR", "alltoall=level0:NA;level1:pairwise",
		"allgather=level0:NA;level1:NHR/reducescatter=level0:NA;level1:NB/broadcast=level0:NA;level1:ring/"
		"reduce=level0:NA;level1:ring/scatter=level0:NA;level1:ring",
	};
	static const char *const bad[] = { "ring", "level1:star", "level0:NA;level9:ring", "none=level1:ring", "=", "level1",
					   "allreduce=level0:NA;level1:star", "allreduce=", "level0:NA;level1:ring " };
	HcclCommConfig config;

	test_leaves = true; /* as in bad_joins() */
	begin();
	ACL(aclrtSetDevice(0));
	memset(&config, 0, sizeof(config));
	try_config(&config, HCCL_E_PARA, "HcclCommConfigInit");
	HcclCommConfigInit(&config);
	try_config(&config, HCCL_SUCCESS, "");
	/* that of a program which was compiled with the first version: it ends behind hcclDeterministic */
	config.reserved[0] = 32;
	config.reserved[1] = 0;
	config.hcclExecTimeOut = -5;
	try_config(&config, HCCL_SUCCESS, "");
	HcclCommConfigInit(&config);
	config.hcclExecTimeOut = -5;
	try_config(&config, HCCL_E_PARA, "hcclExecTimeOut is -5");
	HcclCommConfigInit(&config);
	config.hcclBufferSize = 0;
	try_config(&config, HCCL_E_PARA, "hcclBufferSize is 0");
	HcclCommConfigInit(&config);
	config.hcclDeterministic = 5;
	try_config(&config, HCCL_E_PARA, "hcclDeterministic is 5");
	HcclCommConfigInit(&config);
	memset(config.hcclCommName, 'x', sizeof(config.hcclCommName));
	try_config(&config, HCCL_E_PARA, "hcclCommName");
	for (unsigned int i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		HcclCommConfigInit(&config);
		strcpy(config.hcclAlgo, good[i]);
		try_config(&config, HCCL_SUCCESS, "");
	}
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		HcclCommConfigInit(&config);
		strcpy(config.hcclAlgo, bad[i]);
		try_config(&config, HCCL_E_PARA, bad[i]);
	}
	HcclCommConfigInit(&config);
	setenv("HCCL_BUFFSIZE", "0", 1);
	try_config(&config, HCCL_E_PARA, "HCCL_BUFFSIZE is '0'");
	setenv("HCCL_BUFFSIZE", "1", 1);
	setenv("HCCL_EXEC_TIMEOUT", "soon", 1);
	try_config(&config, HCCL_E_PARA, "HCCL_EXEC_TIMEOUT is 'soon'");
	setenv("HCCL_EXEC_TIMEOUT", "0", 1);
	setenv("HCCL_CONNECT_TIMEOUT", "0", 1);
	try_config(&config, HCCL_E_PARA, "HCCL_CONNECT_TIMEOUT is '0'");
	setenv("HCCL_CONNECT_TIMEOUT", "2 min", 1);
	try_config(&config, HCCL_E_PARA, "HCCL_CONNECT_TIMEOUT is '2 min'");
	setenv("HCCL_CONNECT_TIMEOUT", "7200", 1);
	setenv("HCCL_DETERMINISTIC", "maybe", 1);
	try_config(&config, HCCL_E_PARA, "HCCL_DETERMINISTIC is 'maybe'");
	setenv("HCCL_DETERMINISTIC", "strict", 1);
	setenv("HCCL_ALGO", "fast", 1);
	try_config(&config, HCCL_E_PARA, "HCCL_ALGO");
	setenv("HCCL_ALGO", "level0:NA;level1:ring", 1);
	try_config(&config, HCCL_SUCCESS, "");
}

static void communicators_tell_their_settings(void)
{
	HcclConfigTypeOpExpansionMode mode = HCCL_OP_EXPANSION_MODE_INVALID;
	char algo[HCCL_COMM_ALGO_MAX_LENGTH] = "?";
	HcclCommConfig config;
	HcclRootInfo root;
	HcclComm comm;

	begin();
	ACL(aclrtSetDevice(0));
	setenv("HCCL_ALGO", "level0:NA;level1:ring", 1);
	for (int i = 0; i < 2; i++) {
		HcclCommConfigInit(&config);
		strcpy(config.hcclAlgo, i ? "level0:NA;level1:H-D_R" : "");
		HCCL(HcclGetRootInfo(&root));
		HCCL(HcclCommInitRootInfoConfig(1, &root, 0, &config, &comm));
		HCCL(HcclConfigGetInfo(comm, HCCL_CONFIG_TYPE_HCCL_ALGO, sizeof(algo), algo));
		CHECK(!strcmp(algo, i ? "level0:NA;level1:H-D_R" : "level0:NA;level1:ring"));
		HCCL(HcclConfigGetInfo(comm, HCCL_CONFIG_TYPE_OP_EXPANSION_MODE, sizeof(mode), &mode));
		CHECK_EQ(mode, HCCL_OP_EXPANSION_MODE_HOST_TS);
		HFAILS(HcclConfigGetInfo(comm, HCCL_CONFIG_TYPE_OP_EXPANSION_MODE, 1, &mode), HCCL_E_PARA, "infoLen is 1");
		HFAILS(HcclConfigGetInfo(comm, HCCL_CONFIG_TYPE_HCCL_ALGO, 64, algo), HCCL_E_PARA, "infoLen is 64");
		HFAILS(HcclConfigGetInfo(comm, HCCL_CONFIG_TYPE_UB_MULTI_CHANNEL_NUM, 4, algo), HCCL_E_NOT_SUPPORT, "channels");
		HFAILS(HcclConfigGetInfo(comm, HCCL_CONFIG_TYPE_INVALID, 4, algo), HCCL_E_PARA, "cfgType is -1");
		HFAILS(HcclConfigGetInfo(comm, HCCL_CONFIG_TYPE_HCCL_ALGO, sizeof(algo), NULL), HCCL_E_PTR, "info");
		HCCL(HcclCommDestroy(comm));
	}
	HFAILS(HcclConfigGetInfo(comm, HCCL_CONFIG_TYPE_HCCL_ALGO, sizeof(algo), algo), HCCL_E_PARA, "communicator");
}

/* Some programs look for it in the library instead of taking the header's */
static void the_library_initialises_a_config(void)
{
	void (*init)(HcclCommConfig *config) = (void (*)(HcclCommConfig *))dlsym(RTLD_DEFAULT, "HcclCommConfigInit");
	HcclCommConfig one, other;

	CHECK(init);
	memset(&one, 0x11, sizeof(one));
	memset(&other, 0x22, sizeof(other));
	HcclCommConfigInit(&one);
	init(&other);
	CHECK(!memcmp(&one, &other, sizeof(one)));
}

static void questions(void)
{
	union HcclConfigValue value = { 1 };

	begin();
	CHECK(!strcmp(HcclGetErrorString(HCCL_SUCCESS), "no error"));
	for (int i = 0; i <= HCCL_E_OOM; i++)
		CHECK(strcmp(HcclGetErrorString((HcclResult)i), "unknown error"));
	CHECK(!strcmp(HcclGetErrorString((HcclResult)4711), "unknown error"));
	/* all fields that programs can ask about are there */
	CHECK(HcclGetCommConfigCapability() > HCCL_COMM_CONFIG_EXEC_TIMEOUT);
	CHECK_EQ(HcclGetCommConfigCapability(), HCCL_COMM_CONFIG_BUFFER_NAME + 1);
	setenv("HCCL_DETERMINISTIC", "STRICT", 1);
	HCCL(HcclGetConfig(HCCL_DETERMINISTIC, &value));
	CHECK_EQ(value.value, 2);
	value.value = 1;
	HCCL(HcclSetConfig(HCCL_DETERMINISTIC, value));
	value.value = 7;
	HCCL(HcclGetConfig(HCCL_DETERMINISTIC, &value));
	CHECK_EQ(value.value, 1);
	value.value = 9;
	HFAILS(HcclSetConfig(HCCL_DETERMINISTIC, value), HCCL_E_PARA, "9");
	HFAILS(HcclSetConfig(HCCL_CONFIG_RESERVED, value), HCCL_E_PARA, "config");
	HFAILS(HcclGetConfig(HCCL_CONFIG_RESERVED, &value), HCCL_E_PARA, "config");
	HFAILS(HcclGetConfig(HCCL_DETERMINISTIC, NULL), HCCL_E_PTR, "configValue");
}

/* Programs that pass on as little, and have no room for more */
static void root_info_needs_256_bytes(void)
{
	HcclRootInfo root, copy;
	HcclComm comm;

	begin();
	memset(&root, 0x5a, sizeof(root));
	HCCL(HcclGetRootInfo(&root));
	for (size_t i = 256; i < sizeof(root); i++)
		CHECK_EQ(root.internal[i], 0x5a);
	memset(&copy, 0xa5, sizeof(copy));
	memcpy(&copy, &root, 256);
	ACL(aclrtSetDevice(0));
	HCCL(HcclCommInitRootInfo(1, &copy, 0, &comm));
	HCCL(HcclCommDestroy(comm));
}

/* Memory comes back ---------------------------------------------------------------------------------------- */

static void nothing(struct rank *r)
{
	HCCL(HcclBarrier(r->comm, r->stream));
	ACL(aclrtSynchronizeStream(r->stream));
}

static int next_fd(void)
{
	int fd = open("/dev/null", O_RDONLY);

	close(fd);
	return fd;
}

static void memory_and_sockets_come_back(void)
{
	size_t before;
	int fd;

	begin();
	ACL(aclrtSetDevice(0));
	with_ranks(4, NULL, nothing, NULL);
	before = free_hbm();
	fd = next_fd();
	for (int i = 0; i < 5; i++)
		with_ranks(4, NULL, nothing, NULL);
	UNTIL(free_hbm() + (1 << 20) >= before);
	/* the root's threads close theirs when the last rank has left */
	UNTIL(next_fd() <= fd + 2);
}

/* A rank whose stream waits, so that its tasks still run when it leaves */
struct slow {
	const HcclRootInfo *root;
	_Atomic(HcclComm) comm;
	uint64_t *gate;
};

static void *leave_slowly(void *arg)
{
	struct slow *s = arg;
	aclrtStream stream;
	HcclComm comm;
	void *buf;

	ACL(aclrtSetDevice(device_of(1)));
	ACL(aclrtCreateStream(&stream));
	HCCL(HcclCommInitRootInfo(2, s->root, 1, &comm));
	buf = dev_with(NULL, 4);
	s->gate = close_host_gate(stream);
	HCCL(HcclRecv(buf, 1, HCCL_DATA_TYPE_INT32, 0, comm, stream));
	atomic_store(&s->comm, comm);
	HCCL(HcclCommDestroy(comm));
	/* what it took it has said in the memory of the other one */
	ACL(aclrtSynchronizeStream(stream));
	ACL(aclrtFree(buf));
	ACL(aclrtDestroyStream(stream));
	return NULL;
}

static void memory_stays_while_another_rank_leaves(void)
{
	HcclRootInfo root;
	struct slow s = { .root = &root };
	aclrtStream stream;
	pthread_t thread;
	HcclComm comm;
	uint32_t rank;
	void *buf;

	begin();
	ACL(aclrtSetDevice(device_of(0)));
	ACL(aclrtCreateStream(&stream));
	HCCL(HcclGetRootInfo(&root));
	CHECK_EQ(pthread_create(&thread, NULL, leave_slowly, &s), 0);
	HCCL(HcclCommInitRootInfo(2, &root, 0, &comm));
	buf = dev_with(NULL, 4);
	HCCL(HcclSend(buf, 1, HCCL_DATA_TYPE_INT32, 1, comm, stream));
	ACL(aclrtSynchronizeStream(stream));
	/* the other one is on its way out */
	UNTIL(atomic_load(&s.comm) && HcclGetRankId(atomic_load(&s.comm), &rank) == HCCL_E_PARA);
	HCCL(HcclCommDestroy(comm));
	open_host_gate(s.gate);
	pthread_join(thread, NULL);
	ACL(aclrtFree(buf));
	ACL(aclrtDestroyStream(stream));
}

TAP_MAIN(TEST(rank_tables),
	 TEST(bad_rank_tables),
	 TEST(parts_of_a_communicator),
	 TEST(bad_joins),
	 TEST(a_rank_that_does_not_join_is_named),
	 TEST(a_rank_that_joins_twice_is_refused),
	 TEST(settings),
	 TEST(communicators_tell_their_settings),
	 TEST(the_library_initialises_a_config),
	 TEST(questions),
	 TEST(root_info_needs_256_bytes),
	 TEST(memory_and_sockets_come_back),
	 TEST(memory_stays_while_another_rank_leaves))
