// SPDX-License-Identifier: MIT
/*
 * Numbers of devices. The program counts the devices that ASCEND_RT_VISIBLE_DEVICES lists, in that
 * order; without the variable it counts all as the machine does. The runtime's logical number and
 * the physical one are both the machine's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool limited;
static int listed;
static int list[ANPU_MAX_DEVICES];

static bool is_listed(long number)
{
	int i;

	for (i = 0; i < listed; i++)
		if (list[i] == number)
			return true;
	return false;
}

/* "1, 0", or "none" */
static void name_devices(int count, char *buf, size_t size)
{
	size_t used = 0;
	int i;

	snprintf(buf, size, "none");
	for (i = 0; i < count && used < size; i++)
		used += snprintf(buf + used, size - used, "%s%d", i ? ", " : "", list[i]);
}

/* Standard error is told what is wrong with an entry, and which devices are left; once */
static void tell(const char *entry, int length, const char *why, int left)
{
	static atomic_bool told;
	char devices[8 * ANPU_MAX_DEVICES];

	if (atomic_exchange(&told, true))
		return;
	name_devices(left, devices, sizeof(devices));
	fprintf(stderr,
		"anpu: ASCEND_RT_VISIBLE_DEVICES is '%s', and '%.*s' in it %s: that and what follows "
		"is ignored, and of the machine's devices the program sees: %s\n",
		getenv("ASCEND_RT_VISIBLE_DEVICES"), length, entry, why, devices);
}

/* Reads the number of an entry, with spaces around it: -1 if it is none */
static long read_number(const char *entry, size_t length)
{
	char text[32], *end;
	long number;

	while (length && (*entry == ' ' || *entry == '\t')) {
		entry++;
		length--;
	}
	while (length && (entry[length - 1] == ' ' || entry[length - 1] == '\t'))
		length--;
	if (!length || length >= sizeof(text) || *entry < '0' || *entry > '9')
		return -1;
	memcpy(text, entry, length);
	text[length] = 0;
	number = strtol(text, &end, 10);
	return *end ? -1 : number;
}

/*
 * The list ends at the first entry that is no number, or is there already. An empty value is a list
 * of no device, with which programs are kept from them.
 */
static void read_list(void)
{
	const char *text = getenv("ASCEND_RT_VISIBLE_DEVICES");
	size_t length;
	long number;

	limited = text != NULL;
	while (text && *text) {
		length = strcspn(text, ",");
		number = read_number(text, length);
		if (number < 0 || number >= ANPU_MAX_DEVICES || is_listed(number)) {
			tell(text, (int)length,
			     number < 0 ? "is no number" :
			     number >= ANPU_MAX_DEVICES ? "is greater than any device's number" :
							  "is there twice",
			     listed);
			return;
		}
		list[listed++] = (int)number;
		text += length + (text[length] == ',');
	}
}

bool anpu_visible_limited(void)
{
	pthread_once(&once, read_list);
	return limited;
}

int anpu_visible_count(int present)
{
	char entry[16], why[64];
	int n = 0;

	pthread_once(&once, read_list);
	if (!limited)
		return present;
	while (n < listed && list[n] < present)
		n++;
	if (n < listed) {
		snprintf(entry, sizeof(entry), "%d", list[n]);
		snprintf(why, sizeof(why), "is no device of this machine, which has %d", present);
		tell(entry, (int)strlen(entry), why, n);
	}
	return n;
}

int anpu_visible_to_machine(int user)
{
	pthread_once(&once, read_list);
	if (!limited)
		return user;
	return user < listed ? list[user] : -1;
}

/* The program's number of one of the machine's, which is present; -1: the program does not see it */
static int from_machine(int machine)
{
	int i;

	for (i = 0; limited && i < listed; i++)
		if (list[i] == machine)
			return i;
	return limited ? -1 : machine;
}

/* How many devices the program sees (with @user) or the machine has; negative after acl_fail() */
static int count(bool user)
{
	char why[256];
	int present = anpu_device_count_all(why, sizeof(why));

	if (present < 0) {
		acl_fail(anpu_device_error(present, ACL_ERROR_RT_INVALID_DEVICEID), "there is no device: %s", why);
		return -1;
	}
	return user ? anpu_visible_count(present) : present;
}

/* Checks a device's number and translates it: to the machine's from the program's, or back */
static aclError translate(int32_t id, int32_t *out, bool from_user, bool to_user)
{
	int n = count(from_user), machine;

	if (n < 0)
		return acl_last_failure();
	if (id < 0 || id >= n)
		return acl_fail(ACL_ERROR_RT_INVALID_DEVICEID,
				"device %d does not exist: %s, numbered from 0", id,
				from_user && limited ? "ASCEND_RT_VISIBLE_DEVICES lists fewer" :
						       "there are fewer");
	machine = from_user ? anpu_visible_to_machine(id) : id;
	*out = to_user ? from_machine(machine) : machine;
	if (*out < 0)
		return acl_fail(ACL_ERROR_RT_INVALID_DEVICEID,
				"device %d is hidden from this program by "
				"ASCEND_RT_VISIBLE_DEVICES",
				id);
	return ACL_SUCCESS;
}

aclError aclrtGetLogicDevIdByUserDevId(const int32_t userDevid, int32_t *const logicDevId)
{
	ACL_ENTER();
	ACL_CHECK_PTR(logicDevId);
	return translate(userDevid, logicDevId, true, false);
}

aclError aclrtGetUserDevIdByLogicDevId(const int32_t logicDevId, int32_t *const userDevid)
{
	ACL_ENTER();
	ACL_CHECK_PTR(userDevid);
	return translate(logicDevId, userDevid, false, true);
}

aclError aclrtGetPhyDevIdByLogicDevId(const int32_t logicDevId, int32_t *const phyDevId)
{
	ACL_ENTER();
	ACL_CHECK_PTR(phyDevId);
	return translate(logicDevId, phyDevId, false, false);
}

aclError aclrtGetLogicDevIdByPhyDevId(const int32_t phyDevId, int32_t *const logicDevId)
{
	ACL_ENTER();
	ACL_CHECK_PTR(logicDevId);
	return translate(phyDevId, logicDevId, false, false);
}

aclError aclrtGetPhyDevIdByUserDevId(const int32_t userDevId, int32_t *const phyDevId)
{
	ACL_ENTER();
	ACL_CHECK_PTR(phyDevId);
	return translate(userDevId, phyDevId, true, false);
}

aclError aclrtGetUserDevIdByPhyDevId(const int32_t phyDevId, int32_t *const userDevId)
{
	ACL_ENTER();
	ACL_CHECK_PTR(userDevId);
	return translate(phyDevId, userDevId, false, true);
}
