// SPDX-License-Identifier: MIT
/*
 * The errors of a program that cannot have a device. The environment variable WHY_NO_DEVICE says
 * how the VM was started: device (none), module (not loaded), permission (of another user); with node the
 * program removes the device's node.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "../acltest.h"

static const char *why(void)
{
	const char *value = getenv("WHY_NO_DEVICE");

	if (!value)
		FAIL("WHY_NO_DEVICE is not set");
	return value;
}

static void remove_node(void)
{
	if (!strcmp(why(), "node") && unlink("/dev/accel/accel0") && errno != ENOENT)
		FAIL("/dev/accel/accel0 cannot be removed: %s", strerror(errno));
}

static void check_reason(const char *msg)
{
	if (!strcmp(why(), "permission"))
		check_facts(msg, "/dev/accel/accel0", "group", NULL);
	else if (!strcmp(why(), "node"))
		check_facts(msg, "has an ANPU with its driver", "/dev/accel has no node", NULL);
	else if (!strcmp(why(), "module"))
		check_facts(msg, "module", "anpu", "modprobe", NULL);
	else
		check_facts(msg, "PCI", "anpu-run", NULL);
}

static void init_works(void)
{
	remove_node();
	ACL(aclInit(NULL));
	ACL(aclFinalize());
}

static void count_tells_why(void)
{
	uint32_t n = 7;

	ACL(aclInit(NULL));
	CHECK_EQ(aclrtGetDeviceCount(&n), strcmp(why(), "permission") ? ACL_ERROR_RT_NO_DEVICE :
								       ACL_ERROR_RT_NO_PERMISSION);
	check_reason(aclGetRecentErrMsg());
}

static void set_tells_why(void)
{
	int32_t id;

	ACL(aclInit(NULL));
	CHECK_EQ(aclrtSetDevice(0), ACL_ERROR_RT_INVALID_DEVICEID);
	check_reason(aclGetRecentErrMsg());
	FAILS(aclrtGetDevice(&id), ACL_ERROR_RT_CONTEXT_NULL);
}

static void the_rest_says_there_is_no_context(void)
{
	aclrtStream stream;
	void *p;

	ACL(aclInit(NULL));
	FAILS(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL);
	FAILS(aclrtCreateStream(&stream), ACL_ERROR_RT_CONTEXT_NULL);
	FAILS(aclrtSynchronizeDevice(), ACL_ERROR_RT_CONTEXT_NULL);
	FAILS(aclrtResetDevice(0), ACL_ERROR_RT_INVALID_DEVICEID);
	ACL(aclFinalize());
}

static void soc_name_is_null(void)
{
	CHECK(!aclrtGetSocName());
}

TAP_MAIN(TEST(init_works),
	 TEST(count_tells_why),
	 TEST(set_tells_why),
	 TEST(the_rest_says_there_is_no_context),
	 TEST(soc_name_is_null))
