/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef ANPU_USER_H
#define ANPU_USER_H

#include <linux/list.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct anpu_device;
struct dmem_cgroup_pool_state;

/**
 * enum anpu_resource - what a user can have too much of
 * @ANPU_RESOURCE_FILES: open files, and with them address spaces
 * @ANPU_RESOURCE_QUEUES: queues
 * @ANPU_RESOURCE_HBM: bytes of HBM: objects, rings, status pages, page tables
 * @ANPU_RESOURCE_COUNT: number of kinds
 */
enum anpu_resource {
	ANPU_RESOURCE_FILES,
	ANPU_RESOURCE_QUEUES,
	ANPU_RESOURCE_HBM,
	ANPU_RESOURCE_COUNT
};

/**
 * struct anpu_user - what a user has of a device
 * @link: in the device's list of users
 * @uid: who opened the files
 * @refs: open files and charges, under anpu_device.users_lock
 * @used: how much the user has of each resource, under anpu_device.users_lock
 */
struct anpu_user {
	struct list_head link;
	kuid_t uid;
	u64 refs;
	u64 used[ANPU_RESOURCE_COUNT];
};

/**
 * struct anpu_charge - HBM that is charged to a user and a cgroup
 * @user: the user, or NULL: it is the driver's
 * @pool: the cgroup's share of the HBM, or NULL
 * @size: bytes
 */
struct anpu_charge {
	struct anpu_user *user;
	struct dmem_cgroup_pool_state *pool;
	u64 size;
};

struct anpu_user *anpu_user_open(struct anpu_device *adev);
void anpu_user_close(struct anpu_device *adev, struct anpu_user *user);
int anpu_user_charge(struct anpu_device *adev, struct anpu_user *user, enum anpu_resource what,
		     u64 amount);
void anpu_user_uncharge(struct anpu_device *adev, struct anpu_user *user, enum anpu_resource what,
			u64 amount);
int anpu_charge_hbm(struct anpu_device *adev, struct anpu_user *user, u64 size,
		    struct anpu_charge *charge);
void anpu_uncharge_hbm(struct anpu_device *adev, struct anpu_charge *charge);

#endif /* ANPU_USER_H */
