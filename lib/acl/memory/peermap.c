// SPDX-License-Identifier: MIT
/*
 * Memory of one device in the address spaces of others, at the same address. Where peer access is
 * open, that is all memory that programs allocate: what there is when it is opened, and what comes
 * later. aclrtMemSetAccess() asks for one mapping.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "memory/memory.h"

/* A region in another device's address space */
struct anpu_peer_map {
	struct anpu_peer_map *next;
	struct anpu_device *dev; /* whose address space, referenced */
	uint32_t gem;		 /* handle of the object there; 0: not mapped */
	uint32_t rights;	 /* DRM_ANPU_VM_* */
	bool asked;		 /* by aclrtMemSetAccess(), which peer access does not change */
};

/* Protects all maps and the variables below; taken before a device's lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* peers[a][b]: device a may reach the memory of device b */
static atomic_bool peers[ANPU_MAX_DEVICES][ANPU_MAX_DEVICES];
/* Devices that may reach others, referenced */
static struct anpu_device *opener[ANPU_MAX_DEVICES];
/* Some access was opened or asked for: most programs never do, and allocate without looking here */
static atomic_bool used;

bool anpu_peer_is_open(int id, int peer)
{
	return atomic_load(&peers[id][peer]);
}

/* The rights of the region's own device: others may not have more */
static uint32_t rights_of(const struct anpu_region *region)
{
	switch (region->kind) {
	case ANPU_REGION_BIG:
	case ANPU_REGION_SLAB:
	case ANPU_REGION_POOL:
		return DRM_ANPU_VM_READ | DRM_ANPU_VM_WRITE;
	case ANPU_REGION_MAPPED:
		return region->rights;
	default:
		return 0;
	}
}

/* One map; lock held ---------------------------------------------------------------------------- */

static struct anpu_peer_map **find(struct anpu_region *region, const struct anpu_device *dev)
{
	struct anpu_peer_map **p = &region->peers;

	while (*p && (*p)->dev != dev)
		p = &(*p)->next;
	return p;
}

static bool is_live(const struct anpu_region *region)
{
	bool live;

	pthread_mutex_lock(&region->dev->lock);
	live = region->live;
	pthread_mutex_unlock(&region->dev->lock);
	return live;
}

/* The region's object on the other device */
static int import(const struct anpu_region *region, struct anpu_device *dev, uint32_t *gem)
{
	int fd, err = anpu_export_gem(region->dev, region->handle, &fd);

	if (err)
		return err;
	err = anpu_import_fd(dev, fd, gem);
	close(fd);
	return err;
}

static int bind_map(const struct anpu_region *region, struct anpu_device *dev, uint32_t gem,
		    uint32_t rights)
{
	struct drm_anpu_vm_bind_op op = {
		.op = rights ? DRM_ANPU_VM_REPLACE : DRM_ANPU_VM_UNMAP,
		.flags = rights,
		.handle = rights ? gem : 0,
		.va = region->va,
		.size = region->size,
		.offset = rights ? region->bo_offset : 0,
	};

	return anpu_vm_bind(dev, &op, 1);
}

static void unmap(const struct anpu_region *region, struct anpu_peer_map *m)
{
	if (!m->gem)
		return;
	/* this fails only when the device is gone, and then nothing is mapped */
	(void)bind_map(region, m->dev, m->gem, 0);
	anpu_import_drop(m->dev, m->gem);
	m->gem = 0;
	m->rights = 0;
}

static void drop(struct anpu_region *region, struct anpu_peer_map **p)
{
	struct anpu_peer_map *m = *p;

	*p = m->next;
	unmap(region, m);
	anpu_device_put(m->dev);
	free(m);
}

static int change(const struct anpu_region *region, struct anpu_peer_map *m, uint32_t rights)
{
	uint32_t gem = m->gem;
	int err = 0;

	if (rights == m->rights)
		return 0;
	if (!rights) {
		unmap(region, m);
		return 0;
	}
	if (!gem)
		err = import(region, m->dev, &gem);
	if (err)
		return err;
	err = bind_map(region, m->dev, gem, rights);
	if (!err) {
		m->gem = gem;
		m->rights = rights;
	} else if (!m->gem) {
		anpu_import_drop(m->dev, gem);
	}
	return err;
}

/* Makes or changes the map of a live region; one that is asked for stays, even without rights */
static int set(struct anpu_region *region, struct anpu_device *dev, uint32_t rights, bool asked)
{
	struct anpu_peer_map **p = find(region, dev), *m = *p;
	int err;

	if (!is_live(region))
		return 0;
	if (!m) {
		m = calloc(1, sizeof(*m));
		if (!m)
			return -ENOMEM;
		anpu_device_get(dev);
		m->dev = dev;
		*p = m;
	}
	err = change(region, m, rights);
	if (!err)
		m->asked |= asked;
	if (!m->gem && !m->asked)
		drop(region, p);
	return err;
}

/*
 * A device may be unable to reach another's memory without anything being wrong: this machine cannot do
 * it, or one of the two is gone or away. Copies go by way of the host's memory then, and their failures
 * say what is wrong with a device.
 */
static bool is_apart(int err)
{
	return err == -EOPNOTSUPP || err == -ENODEV || err == -EIO || err == -EBUSY;
}

static int follow_access(struct anpu_region *region, struct anpu_device *dev)
{
	struct anpu_peer_map *m = *find(region, dev);
	int err = m && m->asked ? 0 : set(region, dev, rights_of(region), false);

	return is_apart(err) ? 0 : err;
}

/* Regions --------------------------------------------------------------------------------------- */

int anpu_peers_update(struct anpu_region *region)
{
	int err = 0, i;

	if (!atomic_load(&used) || region->kind == ANPU_REGION_INTERNAL ||
	    region->kind == ANPU_REGION_ARGS)
		return 0;
	pthread_mutex_lock(&lock);
	for (i = 0; i < ANPU_MAX_DEVICES && !err; i++)
		if (opener[i] && atomic_load(&peers[i][region->dev->id]))
			err = follow_access(region, opener[i]);
	pthread_mutex_unlock(&lock);
	return err;
}

void anpu_peers_drop(struct anpu_region *region)
{
	if (!atomic_load(&used))
		return;
	pthread_mutex_lock(&lock);
	while (region->peers)
		drop(region, &region->peers);
	pthread_mutex_unlock(&lock);
}

uint32_t anpu_peer_rights(struct anpu_region *region, const struct anpu_device *dev)
{
	const struct anpu_peer_map *m;
	uint32_t rights;

	if (!atomic_load(&used))
		return 0;
	pthread_mutex_lock(&lock);
	m = *find(region, dev);
	rights = m ? m->rights : 0;
	pthread_mutex_unlock(&lock);
	return rights;
}

int anpu_peer_set_rights(struct anpu_region *region, struct anpu_device *dev, uint32_t rights)
{
	int err;

	atomic_store(&used, true); /* set before set() looks whether the region is alive */
	pthread_mutex_lock(&lock);
	err = set(region, dev, rights, true);
	pthread_mutex_unlock(&lock);
	return err;
}

/* Devices --------------------------------------------------------------------------------------- */

/* Does @fn to every region of a device, until it fails; it has the lock */
static int each_region(struct anpu_device *owner, struct anpu_device *dev,
		       int (*fn)(struct anpu_region *region, struct anpu_device *dev))
{
	struct anpu_region *region;
	uint64_t at = 0;
	int err = 0;

	while (!err && (region = anpu_region_next(owner, &at))) {
		pthread_mutex_lock(&lock);
		err = fn(region, dev);
		pthread_mutex_unlock(&lock);
		anpu_region_put(region);
	}
	return err;
}

static int end_access(struct anpu_region *region, struct anpu_device *dev)
{
	struct anpu_peer_map **p = find(region, dev);

	if (*p && !(*p)->asked)
		drop(region, p);
	return 0;
}

static int forget(struct anpu_region *region, struct anpu_device *dev)
{
	struct anpu_peer_map **p = find(region, dev);

	if (*p)
		drop(region, p);
	return 0;
}

int anpu_peer_open(struct anpu_device *dev, int peer)
{
	struct anpu_device *owner = anpu_device_find(peer), *old = NULL;
	int err = 0;

	atomic_store(&used, true);
	pthread_mutex_lock(&lock);
	if (opener[dev->id] != dev) {
		old = opener[dev->id];
		anpu_device_get(dev);
		opener[dev->id] = dev;
	}
	atomic_store(&peers[dev->id][peer], true);
	pthread_mutex_unlock(&lock);
	if (old)
		anpu_device_put(old);
	if (!owner)
		return 0; /* memory that it allocates later is mapped by anpu_peers_update() */
	err = each_region(owner, dev, follow_access);
	if (err)
		anpu_peer_close(dev, peer);
	anpu_device_put(owner);
	return err;
}

bool anpu_peer_close(struct anpu_device *dev, int peer)
{
	struct anpu_device *owner = anpu_device_find(peer);
	bool open;

	pthread_mutex_lock(&lock);
	open = atomic_exchange(&peers[dev->id][peer], false);
	pthread_mutex_unlock(&lock);
	if (owner) {
		each_region(owner, dev, end_access);
		anpu_device_put(owner);
	}
	return open;
}

void anpu_peers_forget(struct anpu_device *dev)
{
	struct anpu_device *owner;
	bool had;
	int i;

	if (!atomic_load(&used))
		return;
	pthread_mutex_lock(&lock);
	for (i = 0; i < ANPU_MAX_DEVICES; i++)
		atomic_store(&peers[dev->id][i], false);
	had = opener[dev->id] == dev;
	if (had)
		opener[dev->id] = NULL;
	pthread_mutex_unlock(&lock);
	if (had)
		anpu_device_put(dev);
	for (i = 0; i < ANPU_MAX_DEVICES; i++) {
		owner = anpu_device_find(i);
		if (owner) {
			each_region(owner, dev, forget);
			anpu_device_put(owner);
		}
	}
}
