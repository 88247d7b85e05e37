// SPDX-License-Identifier: MIT
/*
 * Devices: finding the nodes, opening them once per process, their address ranges, and the calls
 * that only ask.
 */
#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "device/device.h"

/* Addresses to keep per device: far more than its memory, so that freed ones are reused late */
#define RANGE_SIZE (64ULL << 30)
#define RANGE_MIN  (1ULL << 30)

/* Address ranges stay reserved until the process ends, so that stale pointers are recognised */
struct range {
	uint64_t base;
	uint64_t size;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct anpu_device *devices[ANPU_MAX_DEVICES];
static struct range ranges[ANPU_MAX_DEVICES];
static atomic_int range_count; /* the highest device with a range, plus one */
static bool fork_handler;
static atomic_bool used; /* a device was opened */

aclError anpu_fail_ioctl(struct anpu_device *dev, int err, const char *what)
{
	switch (err) {
	case -ENODEV:
		atomic_store(&dev->lost, true);
		return acl_fail(
			ACL_ERROR_RT_DRV_INTERNAL_ERROR,
			"%s failed: device %d (%s) is gone; end its use with aclrtResetDevice()",
			what, dev->id, dev->node.path);
	case -EIO:
		return acl_fail(ACL_ERROR_RT_DRV_INTERNAL_ERROR,
				"%s failed: device %d (%s) has failed or was reset, what was on it "
				"is lost; call aclrtResetDeviceForce() and set it again",
				what, dev->id, dev->node.path);
	case -ESHUTDOWN: /* anpu_region_new() and anpu_slot_take() say so */
		return acl_fail(ACL_ERROR_RT_CONTEXT_NULL,
				"%s failed: device %d is being reset by another thread", what,
				dev->id);
	case -EXDEV: /* of regions */
		return acl_fail(ACL_ERROR_RT_DRV_INTERNAL_ERROR,
				"%s failed: it belongs to another device, which is gone or away", what);
	case -ENOMEM:
		return acl_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
				"%s failed: no system memory is left, or the limit of locked "
				"memory (ulimit -l) is reached",
				what);
	default:
		return acl_fail(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "%s failed on device %d (%s): %s",
				what, dev->id, dev->node.path, strerror(-err));
	}
}

/* Why there is no device: 0 and a sentence, or -EACCES, -EPROTO, -ENOMEM with one */
static int explain(int denied, const char *node, char *why, size_t size)
{
	if (denied == -EACCES || denied == -EPERM) {
		snprintf(why, size,
			 "%s may not be opened by this user: add the user to the group that owns "
			 "it (ls -l %s; usually 'render')",
			 node, node);
		return -EACCES;
	}
	if (denied == -EPROTO) {
		snprintf(why, size,
			 "the driver of %s speaks another version than %d of the interface: "
			 "rebuild and reload module and library together",
			 node, DRM_ANPU_DRIVER_MAJOR);
		return -EPROTO;
	}
	if (denied == -ENOMEM) {
		snprintf(why, size, "no memory to open %s: end other programs or free some", node);
		return -ENOMEM;
	}
	if (denied == -EIO)
		snprintf(why, size,
			 "%s has failed and its driver could not bring it back: dmesg says why; unload and "
			 "load the module again (rmmod anpu, modprobe anpu), or start the VM again",
			 node);
	else if (denied == -ENODEV || denied == -EREMOTEIO)
		snprintf(why, size,
			 "%s belongs to a device that is gone: it was unplugged, or is being reset or "
			 "suspended; try again when it is back, or start the VM again", node);
	else if (denied == -EBUSY || denied == -EAGAIN || denied == -EMFILE || denied == -ENFILE ||
		 denied == -EUSERS)
		snprintf(why, size,
			 "%s is busy (%s): other processes, or this user's, have as many of its address "
			 "spaces as it has; end some of them (fuser %s lists them)",
			 node, strerror(-denied), node);
	else if (denied)
		snprintf(why, size, "%s cannot be opened: %s", node, strerror(-denied));
	else
		anpu_nodes_why(why, size);
	return 0;
}

/* Programs for a machine with eight devices say no more than their number */
#define MORE_DEVICES                                                                               \
	" (anpu-run --device ... as often as devices are wanted, or "                              \
	"ANPU_DIRECT=\"cores=2;cores=2;...\" without a VM)"

/*
 * Goes through the nodes: opens device @want, 0, or with -1 tells the number of devices; -ENODEV,
 * -EACCES, -EPROTO, -ENOMEM with the reason in @why. A node that could not be opened for want of memory
 * ends the search: without it the devices behind it would get other numbers.
 */
static int scan(int want, struct anpu_node *node, char *why, size_t why_size)
{
	char denied_path[sizeof(node->path)] = "";
	int count = 0, denied = 0, err;
	uint64_t nodes = anpu_nodes();
	struct anpu_node found;

	for (; nodes; nodes &= nodes - 1) {
		err = anpu_node_open(&found, __builtin_ctzll(nodes));
		if (err == -ENXIO || err == -ENOENT)
			continue;
		if (err == -ENOMEM)
			return explain(err, found.path, why, why_size);
		if (err) {
			if (!denied) {
				denied = err;
				memcpy(denied_path, found.path, sizeof(denied_path));
			}
			continue;
		}
		if (count++ == want) {
			*node = found;
			return 0;
		}
		anpu_node_close(&found);
	}
	if (count && want < 0)
		return count;
	if (count) {
		if (count == 1)
			snprintf(why, why_size, "there is one device, number 0" MORE_DEVICES);
		else
			snprintf(why, why_size,
				 "there are %d devices, with the numbers 0 to %d" MORE_DEVICES, count,
				 count - 1);
		return -ENODEV;
	}
	err = explain(denied, denied_path, why, why_size);
	return err ? err : -ENODEV;
}

aclError anpu_device_error(int err, aclError otherwise)
{
	return err == -ENOMEM ? ACL_ERROR_RT_MEMORY_ALLOCATION : otherwise;
}

int anpu_device_count_all(char *why, size_t why_size)
{
	return scan(-1, NULL, why, why_size);
}

int anpu_device_count(char *why, size_t why_size)
{
	int present = anpu_device_count_all(why, why_size);

	return present < 0 ? present : anpu_visible_count(present);
}

/* A device that is open keeps its number even if others go away */
static int open_visible(int id, struct anpu_node *node, char *why, size_t why_size)
{
	int machine = anpu_visible_to_machine(id), count;
	int err = machine >= 0 ? scan(machine, node, why, why_size) : -ENODEV;

	if (err != -ENODEV || !anpu_visible_limited())
		return err;
	count = anpu_device_count(why, why_size);
	if (count == -ENOMEM)
		return count;
	if (count >= 0)
		snprintf(why, why_size,
			 "ASCEND_RT_VISIBLE_DEVICES shows %d of the machine's devices to this program, "
			 "counted from 0", count);
	return -ENODEV;
}

/* A number that no device of any machine has */
static void refuse_number(int id)
{
	char why[256];
	int count = anpu_device_count(why, sizeof(why));

	if (count == 1)
		snprintf(why, sizeof(why), "there is one device, number 0");
	else if (count >= 0)
		snprintf(why, sizeof(why), "there are %d devices, counted from 0", count);
	acl_fail(ACL_ERROR_RT_INVALID_DEVICEID, "device %d does not exist: %s", id, why);
}

static int query(struct anpu_device *dev)
{
	struct drm_anpu_dev_query q = {
		.type = DRM_ANPU_QUERY_INFO,
		.size = sizeof(dev->info),
		.pointer = (uintptr_t)&dev->info,
	};

	return anpu_ioctl(dev, DRM_IOCTL_ANPU_DEV_QUERY, &q);
}

static uint64_t try_range(uint64_t hint, uint64_t size, const struct drm_anpu_info *info)
{
	uint64_t room = size + ANPU_CHUNK_SIZE, start, base;
	void *p = mmap((void *)(uintptr_t)hint, room, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return 0;
	start = (uintptr_t)p;
	base = align_up(start, ANPU_CHUNK_SIZE);
	if (base < info->va_start || base + size > info->va_end) {
		munmap(p, room);
		return 0;
	}
	if (base > start)
		munmap(p, base - start);
	if (start + room > base + size)
		munmap((void *)(uintptr_t)(base + size), start + room - base - size);
	return base;
}

/* Reserves the device's addresses; they cannot be touched by the CPU */
static bool reserve(struct range *r, const struct drm_anpu_info *info)
{
	uint64_t size = max_u64(RANGE_SIZE, align_up(info->hbm_size, ANPU_CHUNK_SIZE) * 4), hint;

	for (; !r->base && size >= RANGE_MIN; size /= 2) {
		r->base = try_range(0, size, info);
		/* under valgrind the kernel's own choice lies below what the device can address */
		for (hint = 1ULL << 45; !r->base && hint >= info->va_start; hint /= 2)
			r->base = try_range(hint, size, info);
		r->size = size;
	}
	return r->base != 0;
}

/* The last reference to the device was dropped: frees it */
static void release(struct anpu_device *dev)
{
	unsigned int i;

	for (i = 0; i < anpu_device_life_count; i++)
		if (anpu_device_life[i].release)
			anpu_device_life[i].release(dev);
	anpu_node_close(&dev->node);
	pthread_mutex_destroy(&dev->lock);
	pthread_mutex_destroy(&dev->copy_lock);
	pthread_mutex_destroy(&dev->slots_lock);
	pthread_mutex_destroy(&dev->events_lock);
	pthread_cond_destroy(&dev->events_cond);
	free(dev);
}

/* The rooms begin in the reverse order of their ends */
static aclError begin(struct anpu_device *dev)
{
	aclError ret = ACL_SUCCESS;
	unsigned int i;

	for (i = anpu_device_life_count; i-- && !ret;)
		if (anpu_device_life[i].begin)
			ret = anpu_device_life[i].begin(dev);
	return ret;
}

void anpu_device_leave(struct anpu_device *dev)
{
	unsigned int i;

	for (i = 0; i < anpu_device_life_count; i++)
		if (anpu_device_life[i].leave)
			anpu_device_life[i].leave(dev);
}

/* The device gets one more context */
static aclError opened(struct anpu_device *dev)
{
	aclError ret = ACL_SUCCESS;
	unsigned int i;

	for (i = anpu_device_life_count; i-- && !ret;)
		if (anpu_device_life[i].opened)
			ret = anpu_device_life[i].opened(dev);
	return ret;
}

static struct anpu_device *open_device(int id, struct anpu_node *node)
{
	struct anpu_device *dev = calloc(1, sizeof(*dev));
	pthread_condattr_t attr;
	int err;

	if (!dev) {
		anpu_node_close(node);
		acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for device %d", id);
		return NULL;
	}
	dev->id = id;
	dev->machine = anpu_visible_to_machine(id);
	dev->node = *node;
	dev->node.release = release;
	atomic_init(&dev->node.refs, 1);
	pthread_mutex_init(&dev->lock, NULL);
	pthread_mutex_init(&dev->copy_lock, NULL);
	pthread_mutex_init(&dev->slots_lock, NULL);
	pthread_mutex_init(&dev->events_lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&dev->events_cond, &attr);
	pthread_condattr_destroy(&attr);
	err = query(dev);
	if (err) {
		anpu_fail_ioctl(dev, err, "asking for the device's properties");
		goto fail;
	}
	if (!reserve(&ranges[id], &dev->info)) {
		acl_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
			 "this process has no range of addresses left for device %d: raise its "
			 "limit (ulimit -v)",
			 id);
		goto fail;
	}
	if (atomic_load(&range_count) <= id) /* under the device table's lock */
		atomic_store_explicit(&range_count, id + 1, memory_order_release);
	dev->va_base = ranges[id].base;
	dev->va_size = ranges[id].size;
	if (!begin(dev))
		return dev;
fail:
	anpu_device_put(dev);
	return NULL;
}

static void on_fork(void)
{
	if (atomic_load(&used))
		acl_error_forked();
}

struct anpu_device *anpu_device_open(int id)
{
	struct anpu_device *dev = NULL;
	struct anpu_node node;
	char why[256];

	if (id < 0 || id >= ANPU_MAX_DEVICES) {
		refuse_number(id);
		return NULL;
	}
	pthread_mutex_lock(&lock);
	if (!fork_handler)
		fork_handler = !pthread_atfork(NULL, NULL, on_fork);
	dev = devices[id];
	if (dev) {
		anpu_device_get(dev);
	} else {
		/* before a child of fork() could inherit anything of the device */
		bool before = atomic_exchange(&used, true);

		int err = open_visible(id, &node, why, sizeof(why));

		if (err)
			acl_fail(anpu_device_error(err, ACL_ERROR_RT_INVALID_DEVICEID),
				 "device %d cannot be used: %s", id, why);
		else
			dev = open_device(id, &node);
		if (dev) {
			devices[id] = dev;
			anpu_device_get(dev); /* one reference of the table, one of the caller */
		} else {
			atomic_store(&used, before);
		}
	}
	if (dev)
		dev->contexts++;
	pthread_mutex_unlock(&lock);
	if (dev && opened(dev)) {
		anpu_device_close(dev);
		return NULL;
	}
	return dev;
}

/* Everything of the device ends: handles, streams, memory */
static void retire(struct anpu_device *dev)
{
	unsigned int i;

	for (i = 0; i < anpu_device_life_count; i++)
		if (anpu_device_life[i].end)
			anpu_device_life[i].end(dev);
	anpu_device_put(dev);
}

void anpu_device_close(struct anpu_device *dev)
{
	bool last;

	pthread_mutex_lock(&lock);
	last = --dev->contexts == 0;
	if (last)
		devices[dev->id] = NULL;
	pthread_mutex_unlock(&lock);
	if (last)
		retire(dev);
	anpu_device_put(dev);
}

struct anpu_device *anpu_device_find(int id)
{
	struct anpu_device *dev = NULL;

	pthread_mutex_lock(&lock);
	if (id >= 0 && id < ANPU_MAX_DEVICES)
		dev = devices[id];
	if (dev)
		anpu_device_get(dev);
	pthread_mutex_unlock(&lock);
	return dev;
}

/* Ranges are written once, before the first pointer into them is given out */
int anpu_device_number_of(const void *ptr)
{
	uint64_t a = (uintptr_t)ptr;
	int i;

	for (i = 0; i < atomic_load_explicit(&range_count, memory_order_acquire); i++)
		if (ranges[i].base && a >= ranges[i].base && a - ranges[i].base < ranges[i].size)
			return i;
	return -1;
}

bool anpu_in_device_range(const void *ptr)
{
	return anpu_device_number_of(ptr) >= 0;
}

struct anpu_device *anpu_device_of(const void *ptr)
{
	return anpu_device_find(anpu_device_number_of(ptr));
}

aclError aclrtGetDeviceCount(uint32_t *count)
{
	char why[256];
	int n;

	ACL_ENTER();
	ACL_CHECK_PTR(count);
	n = anpu_device_count(why, sizeof(why));
	*count = n < 0 ? 0 : n;
	if (n >= 0)
		return ACL_SUCCESS;
	return acl_fail(n == -EACCES ? ACL_ERROR_RT_NO_PERMISSION :
				       anpu_device_error(n, ACL_ERROR_RT_NO_DEVICE),
			"%s", why);
}

aclError aclrtGetRunMode(aclrtRunMode *runMode)
{
	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(runMode);
	*runMode = ACL_HOST;
	return ACL_SUCCESS;
}

#define SOC_NAME "ANPU1"

void anpu_device_names(struct drm_anpu_names *names)
{
	struct drm_anpu_dev_query q = {
		.type = DRM_ANPU_QUERY_NAMES,
		.size = sizeof(*names),
		.pointer = (uintptr_t)names,
	};
	struct anpu_node node;
	char why[256];

	*names = (struct drm_anpu_names){ 0 };
	if (open_visible(0, &node, why, sizeof(why)))
		return;
	/* an older driver does not know the question, and nobody gave its device a name */
	if (node.engine->ioctl(node.fd, DRM_IOCTL_ANPU_DEV_QUERY, &q))
		*names = (struct drm_anpu_names){ 0 };
	anpu_node_close(&node);
}

static struct {
	char name[64];
	bool valid;
} soc;

static void read_soc_name(void)
{
	const char *text = getenv("ANPU_SOC_NAME"), *c;
	struct drm_anpu_names names;

	if (!text) {
		anpu_device_names(&names);
		text = *names.soc ? names.soc : SOC_NAME;
	}
	soc.valid = *text && strlen(text) < sizeof(soc.name);
	for (c = text; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("_-.", *c))
			soc.valid = false;
	snprintf(soc.name, sizeof(soc.name), "%s", text);
}

/*
 * The name that ANPU_SOC_NAME gives the chip, or else the property soc of the first device: programs refuse chips whose
 * names they do not know. It is read once, as the name must not change while a program has it. NULL if it is no name.
 */
const char *acl_soc_name(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, read_soc_name);
	return soc.valid ? soc.name : NULL;
}

static aclError fail_soc_name(void)
{
	return acl_fail(ACL_ERROR_INVALID_PARAM,
			"ANPU_SOC_NAME is '%.40s' and must have 1 to %zu letters, digits, '_', '-' or '.', "
			"as Ascend910B1", getenv("ANPU_SOC_NAME") ?: "", sizeof(soc.name) - 1);
}

const char *aclrtGetSocName(void)
{
	ACL_UNCANCELLED();
	char why[256];
	int n;

	if (acl_enter(__func__))
		return NULL;
	n = anpu_device_count(why, sizeof(why));
	if (n < 0) {
		acl_fail(anpu_device_error(n, ACL_ERROR_RT_NO_DEVICE), "%s", why);
		return NULL;
	}
	if (!acl_soc_name())
		fail_soc_name();
	return acl_soc_name();
}

aclError aclrtCheckArchCompatibility(const char *socVersion, int32_t *canCompatible)
{
	ACL_ENTER();
	ACL_CHECK_PTR(socVersion);
	ACL_CHECK_PTR(canCompatible);
	if (!acl_soc_name())
		return fail_soc_name();
	*canCompatible = !strcmp(socVersion, acl_soc_name());
	return ACL_SUCCESS;
}

aclError anpu_memory_info(struct anpu_device *dev, struct drm_anpu_memory_info *info)
{
	struct drm_anpu_dev_query q = {
		.type = DRM_ANPU_QUERY_MEMORY,
		.size = sizeof(*info),
		.pointer = (uintptr_t)info,
	};
	int err = anpu_ioctl(dev, DRM_IOCTL_ANPU_DEV_QUERY, &q);

	return err ? anpu_fail_ioctl(dev, err, "asking for the free memory") : ACL_SUCCESS;
}

uint64_t anpu_hbm_free(struct anpu_device *dev, uint64_t *largest)
{
	struct drm_anpu_memory_info info = { 0 };

	if (anpu_memory_info(dev, &info))
		return 0;
	*largest = info.hbm_largest;
	return info.hbm_free;
}
