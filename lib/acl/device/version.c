// SPDX-License-Identifier: MIT
/*
 * Versions: of the API, which is the runtime's, and of the driver.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"

#define VERSION_CHARS "0123456789.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-_"

/* text: the version as it is said, with what stands behind the third number */
struct version {
	int major;
	int minor;
	int patch;
	char text[32];
};

static void say(struct version *v)
{
	snprintf(v->text, sizeof(v->text), "%d.%d.%d", v->major, v->minor, v->patch);
}

aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion, int32_t *patchVersion)
{
	ACL_ENTER_SHORT();
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
	*v = (struct version){ .major = number[0], .minor = number[1], .patch = number[2] };
	say(v);
	return ACL_SUCCESS;
}

/*
 * ANPU_CANN_VERSION, or else the property cann of the first device, says which version the installed software claims to be, for programs that ask for one:
 * two or three numbers and what follows, as 8.5.0 or 8.2.RC1
 */
static aclError version_of_software(struct version *v)
{
	const char *text = getenv("ANPU_CANN_VERSION");
	struct drm_anpu_names names;
	char end;

	if (!text) {
		anpu_device_names(&names);
		text = *names.cann ? names.cann : NULL;
	}
	if (!text) {
		*v = (struct version){ .major = ACL_MAJOR_VERSION, .minor = ACL_MINOR_VERSION,
				       .patch = ACL_PATCH_VERSION };
		say(v);
		return ACL_SUCCESS;
	}
	*v = (struct version){ 0 };
	if (strlen(text) >= sizeof(v->text) || strspn(text, VERSION_CHARS) != strlen(text) ||
	    sscanf(text, "%3d.%2d%c", &v->major, &v->minor, &end) < 2 || v->major < 0 || v->minor < 0 ||
	    (sscanf(text, "%*d.%*d.%2d", &v->patch) == 1 && v->patch < 0))
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"ANPU_CANN_VERSION, or the device's property cann, is '%.40s' and must be a version of at most %zu "
				"characters, as 8.5.0 or 8.2.RC1", text, sizeof(v->text) - 1);
	memcpy(v->text, text, strlen(text) + 1);
	return ACL_SUCCESS;
}

static aclError version_of(const char *package, struct version *v)
{
	/* "cann" is all that is installed together, which has the runtime's version. */
	if (!strcmp(package, "runtime") || !strcmp(package, "cann"))
		return version_of_software(v);
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
		snprintf(versionStr, ACL_PKG_VERSION_MAX_SIZE, "%s", v.text);
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
	snprintf(version->version, sizeof(version->version), "%s", v.text);
	snprintf(version->majorVersion, sizeof(version->majorVersion), "%d", v.major);
	snprintf(version->minorVersion, sizeof(version->minorVersion), "%d", v.minor);
	snprintf(version->patchVersion, sizeof(version->patchVersion), "%d", v.patch);
	return ACL_SUCCESS;
}
