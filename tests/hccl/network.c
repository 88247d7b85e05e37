// SPDX-License-Identifier: MIT
/*
 * Variables of the environment about addresses, ports and who may join, with ranks on the machines that tests/hccl/machines has
 * made: number i has 10.77.0.(i + 1) at eth0 beside lo, and where the kernel has IPv6 fd77::(i + 1).
 */
#include <sys/mman.h>
#include <sys/wait.h>

#include "hccltest.h"

/* A root info begins with it */
struct info {
	char magic[8], name[64];
	uint8_t job[16];
	char ip[46];
	uint16_t port;
};

static void begin_on(int number)
{
	if (!getenv("HCCL_TEST_MACHINES"))
		SKIP("there are no machines: tests/hccl/machines makes them");
	enter_machine(number);
	begin();
}

/* Sets @variables, which end with NULL, as "NAME=value"; all others that are meant here are not set */
static void environment(const char *const *variables)
{
	static const char *const all[] = { "HCCL_IF_IP", "HCCL_SOCKET_IFNAME", "HCCL_SOCKET_FAMILY", "HCCL_IF_BASE_PORT",
					   "HCCL_HOST_SOCKET_PORT_RANGE", "HCCL_WHITELIST_DISABLE", "HCCL_WHITELIST_FILE" };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		unsetenv(all[i]);
	for (; *variables; variables++) {
		char name[64];
		const char *value = strchr(*variables, '=') + 1;

		snprintf(name, sizeof(name), "%.*s", (int)(value - *variables - 1), *variables);
		setenv(name, value, 1);
	}
}

static HcclResult root_info(struct info *info)
{
	HcclRootInfo root;
	HcclResult ret;

	aclGetRecentErrMsg();
	ret = HcclGetRootInfo(&root);
	memcpy(info, root.internal, sizeof(*info));
	return ret;
}

static void has_address(const char *const *variables, const char *ip)
{
	struct info info;

	environment(variables);
	if (root_info(&info) || strcmp(info.ip, ip))
		FAIL("%s: address %s, not %s: %s", *variables, info.ip, ip, aclGetRecentErrMsg());
}

/* One variable alone, whose value is wrong */
static void is_bad(const char *name, const char *value)
{
	char text[80];
	const char *one[] = { text, NULL };
	struct info info;
	HcclResult ret;

	snprintf(text, sizeof(text), "%s=%s", name, value);
	environment(one);
	ret = root_info(&info);
	if (ret != HCCL_E_PARA)
		FAIL("%s: %d, not HCCL_E_PARA", text, ret);
	check_facts(aclGetRecentErrMsg(), name, value, NULL);
}

static void the_address_is_the_one_asked_for(void)
{
	static const struct {
		const char *variables[3];
		const char *ip;
	} good[] = {
		{ { NULL }, "10.77.0.1" },
		{ { "HCCL_SOCKET_IFNAME=eth" }, "10.77.0.1" },
		{ { "HCCL_SOCKET_IFNAME=en,et" }, "10.77.0.1" },
		{ { "HCCL_SOCKET_IFNAME==eth0" }, "10.77.0.1" },
		{ { "HCCL_SOCKET_IFNAME==en0,eth0" }, "10.77.0.1" },
		{ { "HCCL_SOCKET_IFNAME=^lo" }, "10.77.0.1" },
		{ { "HCCL_SOCKET_IFNAME=lo" }, "127.0.0.1" },
		{ { "HCCL_SOCKET_IFNAME=^eth" }, "127.0.0.1" },
		{ { "HCCL_SOCKET_IFNAME=^=eth0" }, "127.0.0.1" },
		{ { "HCCL_SOCKET_IFNAME=^=eth", "HCCL_SOCKET_FAMILY=AF_INET" }, "10.77.0.1" },
		{ { "HCCL_IF_IP=127.0.0.1", "HCCL_SOCKET_IFNAME=eth0" }, "127.0.0.1" },
	};
	static const char *const foreign[] = { "HCCL_IF_IP=10.77.0.99", NULL };
	static const char *const no_ipv6[] = { "HCCL_SOCKET_FAMILY=AF_INET6", "HCCL_SOCKET_IFNAME==eth1", NULL };
	struct info info;

	test_leaves = true; /* roots that nobody joins: their threads wait for ranks */
	begin_on(0);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		has_address(good[i].variables, good[i].ip);
	is_bad("HCCL_SOCKET_IFNAME", "=eth");
	is_bad("HCCL_SOCKET_IFNAME", "wlan,docker");
	is_bad("HCCL_SOCKET_FAMILY", "AF_UNIX");
	is_bad("HCCL_IF_IP", "localhost");
	environment(foreign);
	HFAILS(root_info(&info), HCCL_E_TCP_CONNECT, "10.77.0.99", "HCCL_IF_IP");
	environment(no_ipv6);
	HFAILS(root_info(&info), HCCL_E_PARA, "'=eth1'", "IPv6", "HCCL_SOCKET_FAMILY");
}

/* The machine that the process is on; some kernels have none */
static bool has_ipv6(void)
{
	FILE *f = fopen("/proc/thread-self/net/if_inet6", "r");
	char line[128];
	bool found = false;

	while (f && fgets(line, sizeof(line), f))
		found = found || !strncmp(line, "fd77", 4);
	if (f)
		fclose(f);
	return found;
}

static void an_ipv6_address_is_taken_if_asked_for(void)
{
	static const char *const family[] = { "HCCL_SOCKET_FAMILY=AF_INET6", NULL };
	static const char *const both[] = { "HCCL_SOCKET_FAMILY=AF_INET6", "HCCL_SOCKET_IFNAME=eth0", NULL };
	static const char *const ip[] = { "HCCL_IF_IP=fd77::1", "HCCL_SOCKET_FAMILY=AF_INET", NULL };

	test_leaves = true; /* roots that nobody joins: their threads wait for ranks */
	begin_on(0);
	if (!has_ipv6())
		SKIP("this kernel has no IPv6");
	has_address(family, "fd77::1");
	has_address(both, "fd77::1");
	has_address(ip, "fd77::1");
}

static void the_port_is_one_of_those_asked_for(void)
{
	static const char *const range[] = { "HCCL_HOST_SOCKET_PORT_RANGE=31000,31010-31011", "HCCL_IF_BASE_PORT=32000", NULL };
	static const char *const base[] = { "HCCL_IF_BASE_PORT=32000", NULL };
	static const char *const any[] = { "HCCL_HOST_SOCKET_PORT_RANGE=auto", "HCCL_IF_BASE_PORT=32000", NULL };
	static const char *const bad[] = { "31000-30999", "70000", "0", "31000,", "31000;31001", "31000-", "some", "-5" };
	static const uint16_t ports[] = { 31000, 31010, 31011 };
	struct info info;

	test_leaves = true; /* roots that nobody joins: their threads wait for ranks */
	begin_on(1);
	/* each listens until its ranks have come, and none comes */
	environment(range);
	for (int i = 0; i < 3; i++) {
		HCCL(root_info(&info));
		CHECK_EQ(info.port, ports[i]);
	}
	HFAILS(root_info(&info), HCCL_E_TCP_CONNECT, "HCCL_HOST_SOCKET_PORT_RANGE", "31000,31010-31011", "10.77.0.2");
	environment(base);
	for (int i = 0; i < 32; i++) {
		HCCL(root_info(&info));
		CHECK_EQ(info.port, 32000 + i);
	}
	HFAILS(root_info(&info), HCCL_E_TCP_CONNECT, "HCCL_IF_BASE_PORT", "32000");
	environment(any);
	HCCL(root_info(&info));
	CHECK(info.port && (info.port < 32000 || info.port > 32031));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		is_bad("HCCL_HOST_SOCKET_PORT_RANGE", bad[i]);
	is_bad("HCCL_IF_BASE_PORT", "1023");
	is_bad("HCCL_IF_BASE_PORT", "65521");
	is_bad("HCCL_IF_BASE_PORT", "60000x");
}

/* Two ranks on two machines ---------------------------------------------------------------------------- */

static struct {
	HcclRootInfo root;
	volatile int ready, done;
} *shared;
static bool refused; /* rank 1 is */

static void second_rank(void)
{
	HcclComm comm;

	enter_machine(1);
	while (!shared->ready)
		usleep(1000);
	begin();
	ACL(aclrtSetDevice(0));
	if (refused) {
		HFAILS(HcclCommInitRootInfo(2, &shared->root, 1, &comm), HCCL_E_TCP_CONNECT, "refuses", "HCCL_WHITELIST_FILE");
		shared->done = 1;
		return;
	}
	HCCL(HcclCommInitRootInfo(2, &shared->root, 1, &comm));
	HCCL(HcclCommDestroy(comm));
}

static void first_rank(void)
{
	HcclComm comm;

	enter_machine(0);
	begin();
	ACL(aclrtSetDevice(0));
	HCCL(HcclGetRootInfo(&shared->root));
	shared->ready = 1;
	if (refused) {
		/* it is this process that refuses */
		while (!shared->done)
			usleep(1000);
		return;
	}
	HCCL(HcclCommInitRootInfo(2, &shared->root, 0, &comm));
	HCCL(HcclCommDestroy(comm));
}

static void two_machines(void)
{
	pid_t first, second;

	if (!getenv("HCCL_TEST_MACHINES"))
		SKIP("there are no machines: tests/hccl/machines makes them");
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(shared != MAP_FAILED);
	first = child(first_rank);
	second = child(second_rank);
	expect_success(first);
	expect_success(second);
	munmap(shared, sizeof(*shared));
}

static char list[] = "/tmp/hccl-list-XXXXXX";

static void write_list(const char *text)
{
	FILE *f;

	if (strstr(list, "XXXXXX"))
		close(mkstemp(list));
	f = fopen(list, "w");
	CHECK(f);
	fputs(text, f);
	fclose(f);
}

static void only_listed_machines_join(void)
{
	setenv("HCCL_WHITELIST_FILE", list, 1);
	write_list("{ \"host_ip\": [ \"10.77.0.9\", \"10.77.0.2\" ] }");
	setenv("HCCL_WHITELIST_FILE", list, 1);
	setenv("HCCL_WHITELIST_DISABLE", "0", 1);
	two_machines();
	/* addresses are compared whole */
	write_list("{ \"host_ip\": [ \"10.77.0.1\", \"10.77.0.22\", \"0.77.0.2\" ], \"device_ip\": [ \"10.77.0.2\" ] }");
	refused = true;
	two_machines();
	/* the list does not count if it is disabled */
	setenv("HCCL_WHITELIST_DISABLE", "1", 1);
	refused = false;
	two_machines();
	unlink(list);
}

static void a_bad_list_is_told(void)
{
	static const char *const none[] = { "HCCL_WHITELIST_DISABLE=0", NULL };
	static const char *const nowhere[] = { "HCCL_WHITELIST_DISABLE=0", "HCCL_WHITELIST_FILE=/nowhere/list.json", NULL };
	static const char *const word[] = { "HCCL_WHITELIST_DISABLE=no", NULL };
	struct info info;

	begin_on(0);
	environment(none);
	HFAILS(root_info(&info), HCCL_E_PARA, "HCCL_WHITELIST_FILE is not set");
	environment(nowhere);
	HFAILS(root_info(&info), HCCL_E_OPEN_FILE_FAILURE, "/nowhere/list.json", "No such file");
	environment(word);
	HFAILS(root_info(&info), HCCL_E_PARA, "HCCL_WHITELIST_DISABLE is 'no'");
	environment(none);
	write_list("{ \"host_ip\": \n[ oops ] }");
	setenv("HCCL_WHITELIST_FILE", list, 1);
	HFAILS(root_info(&info), HCCL_E_PARA, list, "line 2");
	write_list("{ \"device_ip\": [ \"10.77.0.2\" ] }");
	HFAILS(root_info(&info), HCCL_E_PARA, list, "host_ip");
	unlink(list);
}

static void ipv6_or_skip(void)
{
	enter_machine(0);
	_exit(has_ipv6() ? 0 : 1);
}

static void ranks_meet_by_ipv6(void)
{
	int status;

	if (getenv("HCCL_TEST_MACHINES") && waitpid(child(ipv6_or_skip), &status, 0) > 0 && status)
		SKIP("this kernel has no IPv6");
	setenv("HCCL_SOCKET_FAMILY", "AF_INET6", 1);
	setenv("HCCL_SOCKET_IFNAME", "eth0", 1);
	two_machines();
}

TAP_MAIN(TEST(the_address_is_the_one_asked_for),
	 TEST(an_ipv6_address_is_taken_if_asked_for),
	 TEST(the_port_is_one_of_those_asked_for),
	 TEST(only_listed_machines_join),
	 TEST(a_bad_list_is_told),
	 TEST(ranks_meet_by_ipv6))
