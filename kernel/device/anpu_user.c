// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Limits on each user's share of a device, by module parameters, and charging HBM to cgroups. The
 * memory and queues of a file are charged to the user who opened it, and stay charged wherever the
 * file or an object is passed on to. The kernel's cgroup of device memory limits HBM better where
 * there is one (Linux 6.14); it knows neither queues nor address spaces.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/slab.h>

#include "anpu_device.h"
#include "anpu_drv.h"
#include "anpu_user.h"

/* Users ---------------------------------------------------------------------------------------- */

static u64 anpu_user_limit(enum anpu_resource what)
{
	switch (what) {
	case ANPU_RESOURCE_FILES:
		return READ_ONCE(anpu_max_files_per_user) ?: U64_MAX;
	case ANPU_RESOURCE_QUEUES:
		return READ_ONCE(anpu_max_queues_per_user) ?: U64_MAX;
	default:
		return (u64)READ_ONCE(anpu_max_hbm_per_user) << 20 ?: U64_MAX;
	}
}

/* Under users_lock. */
static struct anpu_user *anpu_user_find(struct anpu_device *adev, kuid_t uid)
{
	struct anpu_user *user;

	list_for_each_entry(user, &adev->users, link) {
		if (uid_eq(user->uid, uid))
			return user;
	}
	return NULL;
}

/* Under users_lock. */
static void anpu_user_unref(struct anpu_user *user)
{
	if (--user->refs)
		return;
	list_del(&user->link);
	kfree(user);
}

/**
 * anpu_user_open() - the calling task opens a file
 * @adev: device
 *
 * Return: its user with a reference, charged with the file, or an error pointer: -ENOMEM, -ENOSPC.
 */
struct anpu_user *anpu_user_open(struct anpu_device *adev)
{
	struct anpu_user *fresh __free(kfree) = kzalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT);
	struct anpu_user *user;
	int ret;

	if (!fresh)
		return ERR_PTR(-ENOMEM);
	scoped_guard(mutex, &adev->users_lock) {
		user = anpu_user_find(adev, current_uid());
		if (!user) {
			user = no_free_ptr(fresh);
			user->uid = current_uid();
			list_add(&user->link, &adev->users);
		}
		user->refs++;
	}
	ret = anpu_user_charge(adev, user, ANPU_RESOURCE_FILES, 1);
	if (!ret)
		return user;
	scoped_guard(mutex, &adev->users_lock)
		anpu_user_unref(user);
	return ERR_PTR(ret);
}

/**
 * anpu_user_close() - a file is closed
 * @adev: device
 * @user: who opened it; what is charged to the user has references of its own
 */
void anpu_user_close(struct anpu_device *adev, struct anpu_user *user)
{
	anpu_user_uncharge(adev, user, ANPU_RESOURCE_FILES, 1);
	guard(mutex)(&adev->users_lock);
	anpu_user_unref(user);
}

/**
 * anpu_user_charge() - a user takes some of a resource
 * @adev: device
 * @user: user
 * @what: which resource
 * @amount: how much
 *
 * Return: 0, or -ENOSPC if that is more than a user may have.
 */
int anpu_user_charge(struct anpu_device *adev, struct anpu_user *user, enum anpu_resource what,
		     u64 amount)
{
	u64 limit = anpu_user_limit(what);

	guard(mutex)(&adev->users_lock);
	if (limit != U64_MAX && user->used[what] + amount > limit && !capable(CAP_SYS_RESOURCE)) {
		drm_dbg_driver(&adev->drm,
			       "user %u has %llu of resource %u, and may not have %llu more\n",
			       from_kuid(&init_user_ns, user->uid), user->used[what], what,
			       amount);
		return -ENOSPC;
	}
	user->used[what] += amount;
	user->refs++;
	return 0;
}

/**
 * anpu_user_uncharge() - a user gives back what one call of anpu_user_charge() has charged
 * @adev: device
 * @user: user
 * @what: which resource
 * @amount: how much
 */
void anpu_user_uncharge(struct anpu_device *adev, struct anpu_user *user, enum anpu_resource what,
			u64 amount)
{
	guard(mutex)(&adev->users_lock);
	user->used[what] -= amount;
	anpu_user_unref(user);
}

/* HBM ------------------------------------------------------------------------------------------ */

/**
 * anpu_charge_hbm() - HBM is taken for a user, who calls
 * @adev: device
 * @user: user, NULL: it is the driver's and costs nobody
 * @size: bytes
 * @charge: filled, for anpu_uncharge_hbm()
 *
 * Return: 0, -ENOSPC if the user or the task's cgroup may not have as much, -ENOMEM.
 */
int anpu_charge_hbm(struct anpu_device *adev, struct anpu_user *user, u64 size,
		    struct anpu_charge *charge)
{
	int ret;

	*charge = (struct anpu_charge) { .size = size };
	if (!user)
		return 0;
	ret = anpu_user_charge(adev, user, ANPU_RESOURCE_HBM, size);
	if (ret)
		return ret;
	/* The cgroup may have a limit: -EAGAIN. */
	ret = adev->hbm.cgroup ?
		dmem_cgroup_try_charge(adev->hbm.cgroup, size, &charge->pool, NULL) : 0;
	if (ret) {
		drm_dbg_driver(&adev->drm, "the cgroup may not have %llu bytes of HBM more\n",
			       size);
		anpu_user_uncharge(adev, user, ANPU_RESOURCE_HBM, size);
		return ret == -EAGAIN ? -ENOSPC : ret;
	}
	charge->user = user;
	return 0;
}

/**
 * anpu_uncharge_hbm() - HBM is given back
 * @adev: device
 * @charge: of anpu_charge_hbm(), or zero
 */
void anpu_uncharge_hbm(struct anpu_device *adev, struct anpu_charge *charge)
{
	if (!charge->user)
		return;
	if (charge->pool)
		dmem_cgroup_uncharge(charge->pool, charge->size);
	anpu_user_uncharge(adev, charge->user, ANPU_RESOURCE_HBM, charge->size);
	charge->user = NULL;
}
