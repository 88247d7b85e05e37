/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The device: registers, interrupts, HBM, reset. See Documentation/driver.md for the locks.
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
#include <drm/drm_mm.h>
#include <drm/drm_print.h>

#include <anpu/anpu_hw_check.h>
#include <anpu/anpu_hw.h>
#include <drm/anpu_accel.h>
#include <anpu/anpu_accel_check.h>

#include "anpu_compat.h"

struct anpu_stream;
struct seq_file;

/* Global memory of the AI cores begins here (ANPU_GM_BASE); below are core-local windows. */
#define ANPU_VA_START		SZ_4G
#define ANPU_VA_END		BIT_ULL(ANPU_VA_BITS)

/**
 * struct anpu_region - a piece of HBM that belongs to the driver itself
 * @node: in the HBM's allocator
 * @addr: HBM address
 * @size: bytes
 * @cpu: the driver's view of it
 */
struct anpu_region {
	struct drm_mm_node node;
	u64 addr;
	u64 size;
	void *cpu;
};

/**
 * struct anpu_chunk - a contiguous piece of HBM of a buffer object
 * @node: in the HBM's allocator
 * @link: in a list of chunks
 * @offset: where it begins in the object
 */
struct anpu_chunk {
	struct drm_mm_node node;
	struct list_head link;
	u64 offset;
};

/**
 * struct anpu_hbm - who has which part of the device memory
 * @lock: of all the members
 * @mm: the allocator
 * @total: bytes that buffer objects can have in all
 * @free: bytes not in use, those being cleared included
 * @dirty: a bit per page that some owner may have written since it was last cleared
 * @scrub: chunks whose owner is gone, to be cleared before they go back to @mm
 * @scrub_work: clears them
 * @tables: slabs of page tables with room
 * @cgroup: the region of the dmem cgroup, or NULL
 */
struct anpu_hbm {
	struct mutex lock; /* of all below */
	struct drm_mm mm;
	u64 total;
	u64 free;
	unsigned long *dirty;
	struct list_head scrub;
	struct work_struct scrub_work;
	struct list_head tables;
	struct dmem_cgroup_region *cgroup;
};

/**
 * struct anpu_eq - an event queue and its interrupt
 * @adev: device
 * @index: number of the queue and its MSI-X vector
 * @irq: Linux interrupt, 0 if none
 * @mem: HBM of header and entries
 * @hdr: its header
 * @ring: its entries
 * @mask: number of entries - 1
 * @lock: serialises consumers
 * @rptr: events consumed
 * @halt_next: queue at which halting a group goes on for the event at @rptr, 0 if it has not begun
 * @halt_at: when the failure was for which it is halted, by the device's clock
 * @broken: its indices make no sense: the device is to be reset
 * @seen: @rptr when the watchdog last looked and there were events, else U64_MAX
 * @interrupts: how often the interrupt came
 * @test_task: a writer of debugfs' irq_test that waits for the interrupt
 */
struct anpu_eq {
	struct anpu_device *adev;
	u32 index;
	int irq;
	struct anpu_region *mem;
	struct anpu_event_header *hdr;
	struct anpu_event *ring;
	u64 mask;
	spinlock_t lock; /* of rptr and halt_* */
	u64 rptr;
	u32 halt_next;
	u64 halt_at;
	bool broken;
	u64 seen;
	u64 interrupts;
	struct task_struct *test_task;
};

/**
 * struct anpu_watchdog - looks whether the device does what it has to do
 * @link: in the list of those that are told when anpu_watchdog_ms changes
 * @ms: what that was when it began its last look
 * @work: one look
 * @running: @work looks again and again, as there are streams
 * @beats: of the device's heart, when they last changed
 * @beats_at: when that was, in jiffies
 * @stalled: queue + 1 that the device says makes no progress
 * @stalled_at: since when, in jiffies
 * @lost_interrupts: events that were found without their interrupt
 */
struct anpu_watchdog {
	struct list_head link;
	unsigned int ms;
	struct delayed_work work;
	bool running;
	u32 beats;
	unsigned long beats_at;
	u32 stalled;
	unsigned long stalled_at;
	atomic_t lost_interrupts;
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
 * @board_mem: the struct anpu_board of those queues, or NULL
 * @asids: address spaces in use
 * @queue_ids: queues in use
 * @eqs: event queues
 * @streams_lock: protects @streams, and with it every use of a stream by an interrupt
 * @streams: streams by queue
 * @cookie: last cookie given to a queue
 * @tlb_lock: serialises invalidations, so that each knows its number
 * @busy_lock: of what the device has taken down of how busy it is
 * @gate: closed while the device is away, see anpu_pm.c
 * @away: it is, or will be in a moment
 * @frozen: @dead because of a bus error that the bus may recover from
 * @suspect: of what was written to HBM lately something may have got lost on the bus
 * @reset_lock: held while the device is reset or a queue is started
 * @resetting: a reset is running
 * @dead: the device does not answer any more and has been cut off
 * @gone: the device is being removed
 * @resets: resets made by this driver; who waits for the device ends its wait when it changes
 * @queue_resets: queues reset because they did not stop
 * @own: the driver's own stream, for clearing HBM
 * @quarantine: streams whose queue has not answered START: what is theirs is nobody's before
 *	the next reset; under @reset_lock
 * @watchdog: notices what else nobody would
 * @files: open files, under @files_lock; changes inside the gate only
 * @files_lock: of @files
 * @dma_bos: objects in system memory, under @dma_lock
 * @dma_lock: of @dma_bos
 * @exports: attachments of others to our HBM, struct anpu_export, under @export_lock
 * @export_lock: of @exports and @revocations
 * @revocations: how often all of them were told to let go
 * @exports_off: nobody may attach to our HBM now; changes are seen under each dma-buf's dma_resv
 * @imports: objects of what others exported, under @import_lock
 * @import_lock: of @imports and @quiet; held while entries for others' HBM are cleared
 * @quiet: the device does nothing, and its page tables may be out of reach
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
	struct anpu_region *board_mem;
	struct ida asids;
	struct ida queue_ids;
	struct anpu_eq *eqs;

	spinlock_t streams_lock; /* of streams */
	struct anpu_stream **streams;
	atomic64_t cookie;

	struct mutex tlb_lock; /* of invalidations */
	struct mutex busy_lock; /* of the registers BUSY_* */
	struct percpu_rw_semaphore gate; /* of the device's presence */
	bool away;
	bool frozen;
	bool suspect;
	struct mutex reset_lock; /* of resets and starts */
	bool resetting;
	bool dead;
	bool gone;
	u32 resets;
	u32 queue_resets;
	struct anpu_stream *own;
	struct list_head quarantine;
	struct anpu_watchdog watchdog;

	struct mutex files_lock; /* of files */
	struct list_head files;
	struct mutex dma_lock; /* of dma_bos */
	struct list_head dma_bos;

	struct mutex export_lock; /* of exports */
	struct list_head exports;
	u32 revocations;
	bool exports_off;
	struct mutex import_lock; /* of imports and quiet */
	struct list_head imports;
	bool quiet;
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

/* What calls say when the device is of no use any more. */
static inline int anpu_dead_error(struct anpu_device *adev)
{
	return READ_ONCE(adev->gone) ? -ENODEV : -EIO;
}

/* Nothing answers there: whatever is read has all bits set. */
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

/* Who comes from outside: CLASS(anpu_gate, gate)(adev). Not to be nested. */
static inline struct anpu_device *anpu_gate_enter(struct anpu_device *adev)
{
	percpu_down_read(&adev->gate);
	return adev;
}

DEFINE_CLASS(anpu_gate, struct anpu_device *, percpu_up_read(&_T->gate), anpu_gate_enter(adev),
	     struct anpu_device *adev)

/* One element of a user array, whatever size the caller's idea of it has. */
static __always_inline int anpu_copy_element(void *dst, size_t size,
					     const struct drm_anpu_array *array, u32 index)
{
	const void __user *from;

	if (!array->stride)
		return -EINVAL;
	/* Nobody's struct is that long, and somebody has to look at each byte. */
	if (array->stride > DRM_ANPU_MAX_STRIDE)
		return -E2BIG;
	from = u64_to_user_ptr(array->array + (u64)index * array->stride);
	/* Nearly always, and with a constant size: then nothing about it is left to be checked. */
	if (array->stride == size)
		return copy_from_user(dst, from, size) ? -EFAULT : 0;
	return copy_struct_from_user(dst, size, from, array->stride);
}

/* Module parameters, anpu_drv.c */
extern uint anpu_ring_entries;
extern uint anpu_event_entries;
extern uint anpu_vectors;
extern uint anpu_stop_timeout_ms;
extern uint anpu_reset_timeout_ms;
extern uint anpu_watchdog_ms;
extern ulong anpu_kernel_timeout_us;

/* Jiffies that the device has for acknowledging something. */
static inline unsigned long anpu_patience(void)
{
	return msecs_to_jiffies(READ_ONCE(anpu_stop_timeout_ms));
}

/* anpu_device.c */
int anpu_device_init(struct anpu_device *adev);
void anpu_device_fini(struct anpu_device *adev);
int anpu_device_program(struct anpu_device *adev);
int anpu_device_reset_hw(struct anpu_device *adev);
int anpu_clock_read(struct anpu_device *adev, struct drm_anpu_clock_info *clock);
int anpu_dev_query_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file);

/* anpu_event.c */
int anpu_eqs_init(struct anpu_device *adev);
void anpu_eqs_enable(struct anpu_device *adev);
void anpu_eqs_fini(struct anpu_device *adev);
int anpu_irqs_init(struct anpu_device *adev);
void anpu_irqs_fini(struct anpu_device *adev);
void anpu_eqs_poll(struct anpu_device *adev);
bool anpu_eqs_check(struct anpu_device *adev);

/* anpu_hbm.c */
bool anpu_hbm_pristine(struct anpu_device *adev);
void anpu_hbm_prepare(struct anpu_device *adev);
int anpu_hbm_init(struct anpu_device *adev, bool pristine);
void anpu_hbm_fini(struct anpu_device *adev);
struct anpu_region *anpu_region_create(struct anpu_device *adev, u64 size, u64 align);
void anpu_region_destroy(struct anpu_device *adev, struct anpu_region *region);
int anpu_chunks_create(struct anpu_device *adev, u64 size, bool contiguous,
		       struct list_head *chunks);
void anpu_chunks_destroy(struct anpu_device *adev, struct list_head *chunks, u64 size);
void anpu_hbm_info(struct anpu_device *adev, struct drm_anpu_memory_info *info);
void anpu_hbm_show(struct anpu_device *adev, struct seq_file *m);

/* anpu_peer.c */
void anpu_exports_revoke(struct anpu_device *adev);
void anpu_exports_admit(struct anpu_device *adev);
void anpu_imports_wake(struct anpu_device *adev);
void anpu_imports_end(struct anpu_device *adev);

/* anpu_pm.c */
extern const struct pci_error_handlers anpu_error_handlers;
extern const struct dev_pm_ops anpu_pm_ops;
long anpu_ioctl(struct file *filp, unsigned int cmd, unsigned long arg);
long anpu_compat_ioctl(struct file *filp, unsigned int cmd, unsigned long arg);
vm_fault_t anpu_gate_fault(struct anpu_device *adev, struct vm_fault *vmf);
int anpu_pm_test(struct anpu_device *adev);
void anpu_gate_remove(struct anpu_device *adev);
void anpu_lost_work(struct work_struct *work);

/* anpu_dump.c */
void anpu_registers_print(struct anpu_device *adev, struct drm_printer *p);
void anpu_dump(struct anpu_device *adev, const char *why);

/* anpu_reset.c */
void anpu_streams_kill_all(struct anpu_device *adev);
int anpu_device_restart(struct anpu_device *adev);
int anpu_reset_device(struct anpu_device *adev, u32 resets, const char *why);
void anpu_stream_end(struct anpu_stream *stream, const char *why);
bool anpu_reset_queue(struct anpu_stream *stream, u32 resets);
void anpu_quarantine_end(struct anpu_device *adev);
void anpu_device_quiesce(struct anpu_device *adev);
void anpu_device_kill(struct anpu_device *adev);
int anpu_reset_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file);

/* anpu_watchdog.c */
void anpu_watchdog_init(struct anpu_device *adev);
void anpu_watchdog_start(struct anpu_device *adev);
void anpu_watchdog_now(struct anpu_device *adev);
void anpu_watchdog_changed(void);
void anpu_watchdog_enable(struct anpu_device *adev);
void anpu_watchdog_disable(struct anpu_device *adev);

/* anpu_debugfs.c */
void anpu_debugfs_init(struct anpu_device *adev);
extern const struct attribute_group *anpu_sysfs_groups[];

#endif /* ANPU_DEVICE_H */
