// SPDX-License-Identifier: MIT
/* Prints what the library says of chip and versions, or its sentences; the environment decides. */
#include <acl/acl.h>
#include <stdio.h>

static void sentence(void)
{
	const char *text = aclGetRecentErrMsg();

	printf("%s\n", text ? text : "no sentence");
}

int main(void)
{
	char cann[] = "cann", text[ACL_PKG_VERSION_MAX_SIZE] = "";
	aclCANNPackageVersion version = { 0 };
	const char *name;
	int32_t number = 0, can = -1;
	int64_t ub = 0;

	aclInit(NULL);
	name = aclrtGetSocName();
	if (name)
		printf("soc %s\n", name);
	else
		sentence();
	if (!aclrtCheckArchCompatibility("Ascend910B1", &can))
		printf("910B1 %d\n", can);
	if (!aclrtGetDeviceInfo(0, ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE, &ub))
		printf("UB %lld KiB\n", (long long)ub >> 10);
	if (aclsysGetCANNVersion(ACL_PKG_NAME_CANN, &version) || aclsysGetVersionStr(cann, text) ||
	    aclsysGetVersionNum(cann, &number))
		sentence();
	else
		printf("version %s %s.%s.%s %s %d\n", version.version, version.majorVersion,
		       version.minorVersion, version.patchVersion, text, number);
	return aclFinalize();
}
