// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A module that is wrong on purpose, in the way that its parameter says: tests/debug/detect loads it
 * to see that each check of a debug kernel makes a suite fail.
 */
#include <linux/cleanup.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timer.h>

static char *bug = "";
module_param(bug, charp, 0444);
MODULE_PARM_DESC(bug, "what to do wrong: the name of a function below");

static void use_after_free(void)
{
	char *p = kmalloc(64, GFP_KERNEL);

	if (!p)
		return;
	kfree(p);
	OPTIMIZER_HIDE_VAR(p);
	WRITE_ONCE(p[8], 1);
}

static void out_of_bounds(void)
{
	char *p = kmalloc(60, GFP_KERNEL);
	size_t at = 60;

	if (!p)
		return;
	OPTIMIZER_HIDE_VAR(at);
	WRITE_ONCE(p[at], 1);
	kfree(p);
}

static DEFINE_MUTEX(lock_a);
static DEFINE_MUTEX(lock_b);

static void lock_order(void)
{
	mutex_lock(&lock_a);
	mutex_lock(&lock_b);
	mutex_unlock(&lock_b);
	mutex_unlock(&lock_a);
	mutex_lock(&lock_b);
	mutex_lock(&lock_a);
	mutex_unlock(&lock_a);
	mutex_unlock(&lock_b);
}

static DEFINE_SPINLOCK(spin);

static void sleep_in_atomic(void)
{
	spin_lock(&spin);
	msleep(20);
	spin_unlock(&spin);
}

static void leak(void)
{
	int i;

	for (i = 0; i < 8; i++) {
		void *p = kzalloc(200, GFP_KERNEL);

		OPTIMIZER_HIDE_VAR(p);
	}
}

static void undefined(void)
{
	int bits = 40;

	OPTIMIZER_HIDE_VAR(bits);
	pr_info("anpu_splat: %d\n", 1 << bits);
}

static void nothing(struct timer_list *timer)
{
}

static void free_active(void)
{
	struct timer_list *timer = kzalloc(sizeof(*timer), GFP_KERNEL);

	if (!timer)
		return;
	timer_setup(timer, nothing, 0);
	mod_timer(timer, jiffies + 3600 * HZ);
	kfree(timer);
}

static void list_twice(void)
{
	static LIST_HEAD(head);
	struct list_head *entry = kzalloc(sizeof(*entry), GFP_KERNEL);

	if (!entry)
		return;
	list_add(entry, &head);
	list_del(entry);
	list_del(entry);
	kfree(entry);
}

static void dma_unmap_other(void)
{
	struct pci_dev *pdev = pci_get_device(PCI_ANY_ID, PCI_ANY_ID, NULL);

	if (!pdev)
		return;
	dma_unmap_single(&pdev->dev, 0x1000, 64, DMA_TO_DEVICE);
	pci_dev_put(pdev);
}

static int shared;

static int race_thread(void *unused)
{
	while (!kthread_should_stop()) {
		shared++;
		barrier();
		cond_resched();
	}
	return 0;
}

static void race(void)
{
	struct task_struct *a = kthread_run(race_thread, NULL, "anpu-splat-a");
	struct task_struct *b = kthread_run(race_thread, NULL, "anpu-splat-b");

	msleep(15000);
	if (!IS_ERR(a))
		kthread_stop(a);
	if (!IS_ERR(b))
		kthread_stop(b);
}

static void warn(void)
{
	WARN(1, "anpu_splat: as asked\n");
}

#define BUG_NAMED(name) { #name, name }

static const struct {
	const char *name;
	void (*commit)(void);
} bugs[] = {
	BUG_NAMED(use_after_free), BUG_NAMED(out_of_bounds), BUG_NAMED(lock_order),
	BUG_NAMED(sleep_in_atomic), BUG_NAMED(leak), BUG_NAMED(undefined), BUG_NAMED(free_active),
	BUG_NAMED(list_twice), BUG_NAMED(dma_unmap_other), BUG_NAMED(race), BUG_NAMED(warn),
};

static int __init splat_init(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bugs); i++) {
		if (strcmp(bugs[i].name, bug))
			continue;
		bugs[i].commit();
		return 0;
	}
	return -EINVAL;
}

static void __exit splat_exit(void)
{
}

module_init(splat_init);
module_exit(splat_exit);
MODULE_DESCRIPTION("Does one thing wrong, on purpose");
MODULE_LICENSE("Dual MIT/GPL");
