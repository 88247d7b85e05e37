// SPDX-License-Identifier: MIT
/*
 * Versions: of the API, which is the runtime's, and of the driver.
 */
#include <stdio.h>
#include <string.h>

#include "device/device.h"

struct version {
	int major;
	int minor;
	int patch;
};

aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion, int32_t *patchVersion)
{
	ACL_ENTER();
	ACL_CHECK_PTR(majorVersion);
	ACL_CHECK_PTR(minorVersion);
	ACL_CHECK_PTR(patchVersion);
	*majorVersion = ACL_MAJOR_VERSION;
	*minorVersion = ACL_MINOR_VERSION;
	*patchVersion = ACL_PATCH_VERSION;
	return ACL_SUCCESS;
}

static aclError driver_version(struct version *v)
{
	struct anpu_device *dev = anpu_device_open(0);
	int number[3], err;

	if (!dev)
		return acl_last_failure();
	err = anpu_driver_version(dev, number);
	if (err)
		anpu_fail_ioctl(dev, err, "asking for the driver's version");
	anpu_device_close(dev);
	if (err)
		return acl_last_failure();
	*v = (struct version){ number[0], number[1], number[2] };
	return ACL_SUCCESS;
}

static aclError version_of(const char *package, struct version *v)
{
	/* "cann" is all that is installed together, which has the runtime's version. */
	if (!strcmp(package, "runtime") || !strcmp(package, "cann")) {
		*v = (struct version){ ACL_MAJOR_VERSION, ACL_MINOR_VERSION, ACL_PATCH_VERSION };
		return ACL_SUCCESS;
	}
	if (!strcmp(package, "driver"))
		return driver_version(v);
	return acl_fail(ACL_ERROR_INVALID_PARAM,
			"there is no package '%.64s' here: 'cann', 'runtime' and 'driver' have versions",
			package);
}

aclError aclsysGetVersionStr(char *pkgName, char *versionStr)
{
	struct version v;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(pkgName);
	ACL_CHECK_PTR(versionStr);
	ret = version_of(pkgName, &v);
	if (!ret)
		snprintf(versionStr, ACL_PKG_VERSION_MAX_SIZE, "%d.%d.%d", v.major, v.minor,
			 v.patch);
	return ret;
}

aclError aclsysGetVersionNum(char *pkgName, int32_t *versionNum)
{
	struct version v;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(pkgName);
	ACL_CHECK_PTR(versionNum);
	ret = version_of(pkgName, &v);
	if (!ret)
		*versionNum = v.major * 10000000 + v.minor * 100000 + v.patch * 1000;
	return ret;
}

aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion *version)
{
	static const char *const package[] = {
		[ACL_PKG_NAME_CANN] = "cann",	      [ACL_PKG_NAME_RUNTIME] = "runtime",
		[ACL_PKG_NAME_COMPILER] = "compiler", [ACL_PKG_NAME_HCCL] = "hccl",
		[ACL_PKG_NAME_TOOLKIT] = "toolkit",   [ACL_PKG_NAME_OPP] = "opp",
		[ACL_PKG_NAME_OPP_KERNEL] = "opp_kernel",
		[ACL_PKG_NAME_DRIVER] = "driver",
	};
	struct version v;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(version);
	if ((int)name < 0 || (size_t)name >= ARRAY_SIZE(package))
		return acl_fail(ACL_ERROR_INVALID_PARAM, "name is %d and must be 0 to %zu",
				(int)name, ARRAY_SIZE(package) - 1);
	ret = version_of(package[name], &v);
	if (ret)
		return ret;
	memset(version, 0, sizeof(*version));
	snprintf(version->version, sizeof(version->version), "%d.%d.%d", v.major, v.minor, v.patch);
	snprintf(version->majorVersion, sizeof(version->majorVersion), "%d", v.major);
	snprintf(version->minorVersion, sizeof(version->minorVersion), "%d", v.minor);
	snprintf(version->patchVersion, sizeof(version->patchVersion), "%d", v.patch);
	return ACL_SUCCESS;
}
