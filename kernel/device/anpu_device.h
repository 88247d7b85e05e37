/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The device: its state and its registers. See Documentation/driver.md for the locks.
 */
#ifndef ANPU_DEVICE_H
#define ANPU_DEVICE_H

#include <linux/cleanup.h>
#include <linux/idr.h>
#include <linux/io.h>
#include <linux/list.h>
#include <linux/mm_types.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/percpu-rwsem.h>
#include <linux/rwsem.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include <drm/drm_device.h>
#include <drm/drm_drv.h>
#include <drm/drm_print.h>

#include <anpu/anpu_hw_check.h>
#include <anpu/anpu_hw.h>
#include <drm/anpu_accel.h>
#include <anpu/anpu_accel_check.h>

#include "anpu_compat.h"
#include "memory/anpu_hbm.h"
#include "reset/anpu_watchdog.h"

struct anpu_eq;
struct anpu_stream;
struct drm_file;

/* Global memory of the AI cores begins here (ANPU_GM_BASE); below are core-local windows. */
#define ANPU_VA_START		SZ_4G
#define ANPU_VA_END		BIT_ULL(ANPU_VA_BITS)

/**
 * enum anpu_state - what can be done with a device
 * @ANPU_RUNNING: everything
 * @ANPU_RESETTING: it is being reset by register: streams are dead, new ones come later
 * @ANPU_LEAVING: it will be away in a moment: streams end, sleepers wake, nothing new begins
 * @ANPU_AWAY: BARs may not answer; only the owner of the presence lock touches the device
 * @ANPU_RETURNING: it answers again and is being restarted; the presence lock is still held
 * @ANPU_FROZEN: cut off because of a bus error that the bus may recover from
 * @ANPU_WEDGED: cut off, as it did not come back from a reset; a reset by the bus may help
 * @ANPU_REMOVING: it is being removed or has vanished, and may still reach memory
 * @ANPU_GONE: the same, and cut off
 */
enum anpu_state {
	ANPU_RUNNING,
	ANPU_RESETTING,
	ANPU_LEAVING,
	ANPU_AWAY,
	ANPU_RETURNING,
	ANPU_FROZEN,
	ANPU_WEDGED,
	ANPU_REMOVING,
	ANPU_GONE
};

/**
 * struct anpu_device - one NPU
 * @drm: DRM's part
 * @pdev: PCI device
 * @regs: BAR0
 * @hbm_base: BAR2's physical address
 * @hbm_cpu: BAR2, write-back when the device says it is coherent
 * @hbm_size: bytes of HBM
 * @hbm_coherent: ANPU_CAP_HBM_COHERENT
 * @user_queues: DRM_ANPU_STREAM_USER_QUEUE can be had
 * @bounce: streaming DMA of this device goes through bounce buffers, or needs syncs: only memory
 *	that is made for DMA can be shared with it
 * @version: ANPU_REG_VERSION
 * @caps: ANPU_REG_CAPS
 * @n_queues: queues, queue 0 is the driver's own
 * @n_asids: address spaces, ASID 0 is the driver's own
 * @n_cores: AI cores
 * @n_vector: vector sub-cores per AI core
 * @n_eqs: event queues in use
 * @timeout_us: default limit of a kernel's running time
 * @hbm: allocator of HBM
 * @asid_mem: the ASID table
 * @queue_mem: the table of queue contexts
 * @control_mem: control blocks by queue, of queues that no process maps; NULL if the device wants
 *	pages
 * @shadow_mem: the struct anpu_shadow_doorbells of those queues, or NULL
 * @asids: address spaces in use
 * @queue_ids: queues in use
 * @eqs: event queues
 * @streams_lock: protects @streams, and with it every use of a stream by an interrupt
 * @streams: streams by queue
 * @cookie: last cookie given to a queue
 * @tlb_lock: serialises invalidations, so that each knows its number
 * @busy_lock: held while the registers BUSY_* are read together
 * @presence_lock: closed while the device is away, see anpu_pm.c
 * @absent: anpu_leave() has taken @presence_lock, which anpu_return() is to release
 * @tables_stale: page tables may lack what was written to them, as the bus had an error; under
 *	@presence_lock, held for writing
 * @reset_lock: held while the device is reset or a queue is started, and while @state changes
 * @state: what can be done with the device, see enum anpu_state
 * @reset_gen: reset generation: number of resets made by this driver; a wait for the device to
 *	acknowledge something ends when it changes
 * @queue_resets: queues reset because they did not stop
 * @driver_stream: the driver's own stream, for clearing HBM
 * @quarantine: streams whose queue has not answered START: queue and memory stay theirs until
 *	the next reset; under @reset_lock
 * @watchdog: notices that the device or a queue stands still
 * @users_lock: of @users and all that is in them
 * @users: users that have open files or are charged for something, struct anpu_user
 * @files: open files, under @files_lock; changed only with @presence_lock held
 * @files_lock: of @files
 * @dma_bos: objects in system memory, under @dma_lock
 * @dma_lock: of @dma_bos
 * @exports: attachments of others to our HBM, struct anpu_export, under @export_lock
 * @export_lock: of @exports and @revocations
 * @revocations: how often all of them were told to let go
 * @imports: objects of what others exported, under @import_lock
 * @import_lock: of @imports; held while entries for others' HBM are cleared, and while @state
 *	changes to and from ANPU_AWAY
 * @peer_lock: of anpu_bo.live and anpu_bo.mappings of all objects
 * @dummy: a page of zeros for read-only mappings of what is gone
 * @lost_work: takes the memory of a device that is gone from others
 * @fault_work: prints fault records
 * @fault_pending: a bit per queue with a fault record to print
 */
struct anpu_device {
	struct drm_device drm;
	struct pci_dev *pdev;
	void __iomem *regs;
	phys_addr_t hbm_base;
	void *hbm_cpu;
	u64 hbm_size;
	bool hbm_coherent;
	bool user_queues;
	bool bounce;
	u64 version;
	u64 caps;
	u32 n_queues;
	u32 n_asids;
	u32 n_cores;
	u32 n_vector;
	u32 n_eqs;
	u64 timeout_us;

	struct anpu_hbm hbm;
	struct anpu_region *asid_mem;
	struct anpu_region *queue_mem;
	struct anpu_region *control_mem;
	struct anpu_region *shadow_mem;
	struct ida asids;
	struct ida queue_ids;
	struct anpu_eq *eqs;

	spinlock_t streams_lock; /* of streams */
	struct anpu_stream **streams;
	atomic64_t cookie;

	struct mutex tlb_lock; /* of invalidations */
	struct mutex busy_lock; /* of the registers BUSY_* */
	struct percpu_rw_semaphore presence_lock; /* of the device's presence */
	bool absent;
	bool tables_stale;
	struct mutex reset_lock; /* of resets, starts and the state */
	enum anpu_state state;
	u32 reset_gen;
	u32 queue_resets;
	struct anpu_stream *driver_stream;
	struct list_head quarantine;
	struct anpu_watchdog watchdog;

	struct mutex users_lock; /* of users */
	struct list_head users;
	struct mutex files_lock; /* of files */
	struct list_head files;
	struct mutex dma_lock; /* of dma_bos */
	struct list_head dma_bos;

	struct mutex export_lock; /* of exports */
	struct list_head exports;
	u32 revocations;
	struct mutex import_lock; /* of imports */
	struct list_head imports;
	spinlock_t peer_lock; /* of live and mappings of imported objects */

	struct page *dummy;
	struct work_struct lost_work;
	struct work_struct fault_work;
	unsigned long *fault_pending;
};

static inline struct anpu_device *to_anpu_device(struct drm_device *drm)
{
	return container_of(drm, struct anpu_device, drm);
}

static inline u64 anpu_read(struct anpu_device *adev, u32 reg)
{
	return readq(adev->regs + reg);
}

static inline void anpu_write(struct anpu_device *adev, u32 reg, u64 value)
{
	writeq(value, adev->regs + reg);
}

/*
 * Orders stores to HBM: a device that sees one behind this also sees those before it. dma_wmb() is
 * enough for memory that is coherent, but does not order a write-combining mapping everywhere.
 */
static inline void anpu_hbm_wmb(bool coherent)
{
	/* The callers say what pairs with it. */
	if (coherent)
		dma_wmb();
	else
		wmb(); /* for a write-combining mapping */
}

/* Orders loads from HBM: what the device has stored before what was read before this is there. */
static inline void anpu_hbm_rmb(bool coherent)
{
	if (coherent)
		dma_rmb();
	else
		rmb(); /* for a write-combining mapping */
}

/* Changes what can be done with the device; Documentation/driver.md draws who may do so when. */
static inline void anpu_set_state(struct anpu_device *adev, enum anpu_state state)
{
	lockdep_assert_held(&adev->reset_lock);
	WRITE_ONCE(adev->state, state);
}

/* The device works, or will when its reset is over. */
static inline bool anpu_up(struct anpu_device *adev)
{
	return READ_ONCE(adev->state) <= ANPU_RESETTING;
}

/* The device is being removed or has vanished: calls say -ENODEV. */
static inline bool anpu_gone(struct anpu_device *adev)
{
	return READ_ONCE(adev->state) >= ANPU_REMOVING;
}

/* The device cannot reach memory any more, as its bus mastering is off, and is not asked either. */
static inline bool anpu_cut_off(struct anpu_device *adev)
{
	enum anpu_state state = READ_ONCE(adev->state);

	return state == ANPU_FROZEN || state == ANPU_WEDGED || state == ANPU_GONE;
}

/* The error of calls to a device that is of no use any more. */
static inline int anpu_dead_error(struct anpu_device *adev)
{
	return anpu_gone(adev) ? -ENODEV : -EIO;
}

/* Reads of a device that is not on the bus any more return all ones. */
static inline bool anpu_vanished(struct anpu_device *adev)
{
	return anpu_read(adev, ANPU_REG_ID) == U64_MAX;
}

/* A section in which the device is there: CLASS(anpu_enter, idx)(drm); idx < 0 if it is not. */
static inline int anpu_enter(struct drm_device *drm)
{
	int idx;

	return drm_dev_enter(drm, &idx) ? idx : -ENODEV;
}

static inline void anpu_exit(int idx)
{
	if (idx >= 0)
		drm_dev_exit(idx);
}

DEFINE_CLASS(anpu_enter, int, anpu_exit(_T), anpu_enter(drm), struct drm_device *drm)

int anpu_device_init(struct anpu_device *adev);
void anpu_device_fini(struct anpu_device *adev);
int anpu_device_program(struct anpu_device *adev);
int anpu_device_reset_hw(struct anpu_device *adev);
int anpu_clock_read(struct anpu_device *adev, struct drm_anpu_clock_info *clock);
int anpu_query_busy(struct anpu_device *adev, struct drm_anpu_busy_info *info);
int anpu_dev_query_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file);

#endif /* ANPU_DEVICE_H */
