/* SPDX-License-Identifier: MIT */
/*
 * ANPU accel driver: the contract between the driver and userspace.
 *
 * An open file of /dev/accel/accelN is one address space. Everything that is made through it lives
 * in it and goes away with it: buffer objects (GEM handles), mappings, streams. Work is a sequence
 * of 64-byte packets (drm/anpu_packet.h) that SUBMIT puts into a stream's ring; completion is a
 * sequence number that the device writes into the stream's status page, which userspace maps, so
 * that a query is a load. Work of streams that are BOUNDED can have dma_fences (SUBMIT_JOB); host
 * callbacks and unbounded kernels cannot keep their rules.
 *
 * Rules that hold for every ioctl:
 * - Structs have no implicit padding and are multiples of 64 bits. Fields called pad or reserved,
 *   and undefined flag bits, must be zero, else -EINVAL.
 * - Pointers are __u64. Arrays are struct drm_anpu_array, with the caller's idea of the size of an
 *   element: smaller than the kernel's means the rest is zero, larger, up to DRM_ANPU_MAX_STRIDE,
 *   is accepted if the rest is zero (else -E2BIG).
 * - Timeouts are absolute, in nanoseconds of CLOCK_MONOTONIC; 0 polls, S64_MAX waits for ever. So
 *   a call interrupted by a signal is restarted with the same arguments.
 * - -ENODEV: the device is gone; -EIO: the device has failed or was reset and the object is dead;
 *   -EFAULT: a userspace pointer cannot be accessed; -ENOMEM: the kernel has no memory for what the
 *   call needs; -EINTR: a signal came whose handler does not restart calls; these are not repeated
 *   below.
 *
 * Rule for adding: new ioctls take new numbers; structs grow at the end, zero meaning the old
 * behaviour; DRIVER_MINOR goes up. What exists is never changed.
 */
#ifndef ANPU_ACCEL_H
#define ANPU_ACCEL_H

#include "drm.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** DRM_ANPU_DRIVER_NAME - name in struct drm_version */
#define DRM_ANPU_DRIVER_NAME	"anpu"
#define DRM_ANPU_DRIVER_MAJOR	1
#define DRM_ANPU_DRIVER_MINOR	9

/**
 * enum drm_anpu_ioctl_id - ioctl numbers, relative to DRM_COMMAND_BASE
 * @DRM_ANPU_DEV_QUERY: struct drm_anpu_dev_query
 * @DRM_ANPU_BO_CREATE: struct drm_anpu_bo_create
 * @DRM_ANPU_BO_MMAP_OFFSET: struct drm_anpu_bo_mmap_offset
 * @DRM_ANPU_VM_BIND: struct drm_anpu_vm_bind
 * @DRM_ANPU_STREAM_CREATE: struct drm_anpu_stream_create
 * @DRM_ANPU_STREAM_DESTROY: struct drm_anpu_stream_destroy
 * @DRM_ANPU_SUBMIT: struct drm_anpu_submit
 * @DRM_ANPU_WAIT: struct drm_anpu_wait
 * @DRM_ANPU_STREAM_GET_STATE: struct drm_anpu_stream_get_state
 * @DRM_ANPU_EVENT_SUBSCRIBE: struct drm_anpu_event_subscribe
 * @DRM_ANPU_RESET: struct drm_anpu_reset
 * @DRM_ANPU_STREAM_SET: struct drm_anpu_stream_set
 * @DRM_ANPU_SUBMIT_JOB: struct drm_anpu_submit_job (since 1.8)
 *
 * Buffer objects are released with DRM_IOCTL_GEM_CLOSE and shared with the PRIME ioctls:
 *
 * - PRIME_HANDLE_TO_FD: HBM and system objects. -EOPNOTSUPP for USERPTR; -ENOENT for an unknown
 *   handle.
 * - PRIME_FD_TO_HANDLE: the device's own objects; memory of other drivers, which they pin; and
 *   (since 1.2) HBM objects of another ANPU, which this device then accesses itself, peer to peer.
 *   -EOPNOTSUPP if it cannot be reached or DMA goes through bounce buffers; -EBUSY while the other
 *   device is away; -EINVAL if it is no dma-buf or its size is not a multiple of the page size;
 *   -EBADF for a bad descriptor; -ENODEV if the other device is gone.
 *
 * HBM of another device is revoked when that device is reset by PCI, suspended, removed or found to
 * be gone: mappings stay, but accesses fault (ANPU_FAULT_UNMAPPED) until REPLACE maps the object
 * again.
 *
 * These, VERSION, GET_CAP, SET_CLIENT_NAME and (since 1.8) those of syncobjs (SYNCOBJ_*, also for
 * timelines) are all of DRM's own ioctls that there are: others give -EACCES.
 */
enum drm_anpu_ioctl_id {
	DRM_ANPU_DEV_QUERY = 0,
	DRM_ANPU_BO_CREATE,
	DRM_ANPU_BO_MMAP_OFFSET,
	DRM_ANPU_VM_BIND,
	DRM_ANPU_STREAM_CREATE,
	DRM_ANPU_STREAM_DESTROY,
	DRM_ANPU_SUBMIT,
	DRM_ANPU_WAIT,
	DRM_ANPU_STREAM_GET_STATE,
	DRM_ANPU_EVENT_SUBSCRIBE,
	DRM_ANPU_RESET,
	DRM_ANPU_STREAM_SET,
	DRM_ANPU_SUBMIT_JOB
};

/**
 * struct drm_anpu_array - an array of structs in user memory
 * @stride: bytes from one element to the next: sizeof() of the struct the caller was compiled with
 * @count: elements
 * @array: user pointer to the first element
 */
struct drm_anpu_array {
	__u32 stride;
	__u32 count;
	__u64 array;
};

/** DRM_ANPU_MAX_STRIDE - largest stride of an array */
#define DRM_ANPU_MAX_STRIDE	4096

/* DEV_QUERY ------------------------------------------------------------------------------------ */

/**
 * enum drm_anpu_query_type - what DEV_QUERY tells
 * @DRM_ANPU_QUERY_INFO: struct drm_anpu_info
 * @DRM_ANPU_QUERY_MEMORY: struct drm_anpu_memory_info
 * @DRM_ANPU_QUERY_CLOCK: struct drm_anpu_clock_info
 * @DRM_ANPU_QUERY_BUSY: struct drm_anpu_busy_info (since 1.5)
 * @DRM_ANPU_QUERY_NAMES: struct drm_anpu_names (since 1.8)
 */
enum drm_anpu_query_type {
	DRM_ANPU_QUERY_INFO = 0,
	DRM_ANPU_QUERY_MEMORY,
	DRM_ANPU_QUERY_CLOCK,
	DRM_ANPU_QUERY_BUSY,
	DRM_ANPU_QUERY_NAMES
};

/** DRM_ANPU_INFO_HBM_MMAP - HBM buffer objects can be mapped by the CPU */
#define DRM_ANPU_INFO_HBM_MMAP		(1 << 0)
/** DRM_ANPU_INFO_USER_QUEUES - DRM_ANPU_STREAM_USER_QUEUE works */
#define DRM_ANPU_INFO_USER_QUEUES	(1 << 1)
/** DRM_ANPU_INFO_DETERMINISTIC - the device runs in its deterministic mode */
#define DRM_ANPU_INFO_DETERMINISTIC	(1 << 2)
/** DRM_ANPU_INFO_PRINT - drm_anpu_stream_create.print works (since 1.1) */
#define DRM_ANPU_INFO_PRINT		(1 << 3)
/** DRM_ANPU_INFO_ABORT - STREAM_SET and DRM_ANPU_ABORT_STREAM work (since 1.1) */
#define DRM_ANPU_INFO_ABORT		(1 << 4)
/** DRM_ANPU_INFO_JUMP - the device knows ANPU_OP_JUMP (since 1.2) */
#define DRM_ANPU_INFO_JUMP		(1 << 5)
/** DRM_ANPU_INFO_REDUCE - device and driver know ANPU_OP_REDUCE (since 1.3) */
#define DRM_ANPU_INFO_REDUCE		(1 << 6)
/** DRM_ANPU_INFO_MAX_CORES - the device knows struct anpu_pkt_kernel's max_cores (since 1.3) */
#define DRM_ANPU_INFO_MAX_CORES		(1 << 7)
/** DRM_ANPU_INFO_GROUP - drm_anpu_stream_create.group works (since 1.4) */
#define DRM_ANPU_INFO_GROUP		(1 << 8)
/** DRM_ANPU_INFO_RANDOM - device and driver know ANPU_OP_RANDOM (since 1.4) */
#define DRM_ANPU_INFO_RANDOM		(1 << 9)
/** DRM_ANPU_INFO_END_TASK - DRM_ANPU_END_TASK works (since 1.5) */
#define DRM_ANPU_INFO_END_TASK		(1 << 11)
/** DRM_ANPU_INFO_BUSY - DRM_ANPU_QUERY_BUSY works (since 1.5) */
#define DRM_ANPU_INFO_BUSY		(1 << 12)
/** DRM_ANPU_INFO_PRIORITY - DRM_ANPU_STREAM_SET_PRIORITY works (since 1.5) */
#define DRM_ANPU_INFO_PRIORITY		(1 << 13)
/** DRM_ANPU_INFO_OVERFLOW - overflow tables and ANPU_KERNEL_OVERFLOW work (since 1.5) */
#define DRM_ANPU_INFO_OVERFLOW		(1 << 14)
/** DRM_ANPU_INFO_LAUNCH - device and driver know ANPU_KERNEL_LAUNCH (since 1.6) */
#define DRM_ANPU_INFO_LAUNCH		(1 << 15)
/** DRM_ANPU_INFO_TRACE - drm_anpu_stream_create.trace works (since 1.7) */
#define DRM_ANPU_INFO_TRACE		(1 << 16)
/** DRM_ANPU_INFO_FENCES - SUBMIT_JOB, BOUNDED streams and waits for fences work (since 1.8) */
#define DRM_ANPU_INFO_FENCES		(1 << 17)
/** DRM_ANPU_INFO_CODE_LIST - a debugger looks at struct anpu_code_list (since 1.9) */
#define DRM_ANPU_INFO_CODE_LIST		(1 << 18)

/**
 * struct drm_anpu_info - facts that do not change
 * @device_id: PCI device ID
 * @hw_version: major << 16 | minor
 * @isa_version: version of the AI core's instruction set
 * @cores: AI cores
 * @vector_cores: vector sub-cores of all AI cores
 * @max_streams: streams that the device can have, over all processes
 * @flags: DRM_ANPU_INFO_*
 * @max_blocks: largest number of blocks of one KERNEL packet
 * @hbm_size: bytes of device memory
 * @va_start: first virtual address that VM_BIND accepts
 * @va_end: first virtual address behind that range
 * @page_size: smallest unit of BO sizes and mappings: the page size of the kernel, 4096 on x86-64
 * @huge_page_size: size and alignment from which mappings are most efficient, 2 MiB
 * @default_timeout_us: limit of a kernel's running time if the packet asks for the default
 * @pci_address: domain << 32 | bus << 16 | device << 8 | function
 */
struct drm_anpu_info {
	__u32 device_id;
	__u32 hw_version;
	__u32 isa_version;
	__u32 cores;
	__u32 vector_cores;
	__u32 max_streams;
	__u32 flags;
	__u32 max_blocks;
	__u64 hbm_size;
	__u64 va_start;
	__u64 va_end;
	__u32 page_size;
	__u32 huge_page_size;
	__u64 default_timeout_us;
	__u64 pci_address;
};

/**
 * struct drm_anpu_memory_info - memory at this moment
 * @hbm_total: bytes of HBM that buffer objects can have in all
 * @hbm_free: bytes of HBM not in use
 * @hbm_largest: bytes of the largest buffer object that could be made now
 * @own_hbm: bytes of HBM held by this file
 * @own_system: bytes of system memory pinned by this file
 */
struct drm_anpu_memory_info {
	__u64 hbm_total;
	__u64 hbm_free;
	__u64 hbm_largest;
	__u64 own_hbm;
	__u64 own_system;
};

/**
 * struct drm_anpu_clock_info - two clocks read together
 * @device_ns: the device's clock, as TIMESTAMP packets write it
 * @monotonic_ns: CLOCK_MONOTONIC between two readings of the device's clock, whose mean is above
 * @error_ns: half the distance of the two readings: the conversion's uncertainty
 */
struct drm_anpu_clock_info {
	__u64 device_ns;
	__u64 monotonic_ns;
	__u64 error_ns;
};

/**
 * struct drm_anpu_busy_info - how busy the AI cores have been, of all processes
 * @device_ns: the device's clock at this moment
 * @cube_ns: nanoseconds that AI cores have had blocks of operators with the cube unit, the sum over
 *	the AI cores, since the device was switched on; no reset changes it
 * @vector_ns: the same with the vector unit
 *
 * Between two queries, (difference of cube_ns) / (drm_anpu_info.cores * difference of device_ns) is
 * the part of the AI cores that was in use, 1 if none was idle at any time.
 */
struct drm_anpu_busy_info {
	__u64 device_ns;
	__u64 cube_ns;
	__u64 vector_ns;
};

/** DRM_ANPU_NAME_SIZE - bytes of a name, the zeros behind it included */
#define DRM_ANPU_NAME_SIZE	64

/**
 * struct drm_anpu_names - what programs that ask are to be told; empty: nothing was set
 * @soc: name of the chip
 * @cann: version of the software on the host
 */
struct drm_anpu_names {
	char soc[DRM_ANPU_NAME_SIZE];
	char cann[DRM_ANPU_NAME_SIZE];
};

/**
 * struct drm_anpu_dev_query - DRM_IOCTL_ANPU_DEV_QUERY
 * @type: in: enum drm_anpu_query_type
 * @size: in: bytes at @pointer; out: bytes the kernel has for this type
 * @pointer: in: user pointer to the struct, or 0 to learn @size
 *
 * The kernel writes min(in, out) bytes. Errors: -EINVAL for an unknown type; -EOPNOTSUPP for BUSY
 * unless DRM_ANPU_INFO_BUSY is set.
 */
struct drm_anpu_dev_query {
	__u32 type;
	__u32 size;
	__u64 pointer;
};

/* Buffer objects ------------------------------------------------------------------------------ */

/**
 * enum drm_anpu_bo_type - where a buffer object lives
 * @DRM_ANPU_BO_HBM: device memory, zeroed
 * @DRM_ANPU_BO_SYSTEM: system memory, zeroed, pinned while it exists
 * @DRM_ANPU_BO_USERPTR: the caller's own memory, pinned while the object exists and accounted
 *	against RLIMIT_MEMLOCK; after a fork() the object stays the parent's memory, and the child
 *	has copies of the pinned pages
 */
enum drm_anpu_bo_type {
	DRM_ANPU_BO_HBM = 0,
	DRM_ANPU_BO_SYSTEM,
	DRM_ANPU_BO_USERPTR
};

/** DRM_ANPU_BO_CONTIGUOUS - HBM: one contiguous range, aligned to 2 MiB if at least that large */
#define DRM_ANPU_BO_CONTIGUOUS	(1 << 0)
/** DRM_ANPU_BO_READONLY - USERPTR: pin for reading; only read-only mappings can be made */
#define DRM_ANPU_BO_READONLY	(1 << 1)

/**
 * struct drm_anpu_bo_create - DRM_IOCTL_ANPU_BO_CREATE
 * @size: in: bytes, not 0; out: rounded up to the page size. USERPTR needs a multiple of it
 * @type: in: enum drm_anpu_bo_type
 * @flags: in: DRM_ANPU_BO_*
 * @user_ptr: in: USERPTR: page-aligned start; else 0
 * @handle: out: GEM handle
 * @pad: must be zero
 *
 * Errors: -EINVAL for a bad size, type, flag, padding or alignment; -ENOSPC if the HBM is
 * exhausted or too fragmented; -ENOMEM if system memory is, or if RLIMIT_MEMLOCK would be exceeded;
 * -EFAULT if USERPTR memory is not mapped or not writable as asked; -EOPNOTSUPP for USERPTR if DMA
 * goes through bounce buffers on this machine (also for the import of foreign dma-bufs).
 */
struct drm_anpu_bo_create {
	__u64 size;
	__u32 type;
	__u32 flags;
	__u64 user_ptr;
	__u32 handle;
	__u32 pad;
};

/**
 * struct drm_anpu_bo_mmap_offset - DRM_IOCTL_ANPU_BO_MMAP_OFFSET
 * @handle: in: GEM handle
 * @pad: must be zero
 * @offset: out: offset for mmap() on this file, for the whole object
 *
 * Errors: -ENOENT for an unknown handle; -EINVAL for USERPTR objects, which are mapped already, and
 * for imported ones.
 */
struct drm_anpu_bo_mmap_offset {
	__u32 handle;
	__u32 pad;
	__u64 offset;
};

/* Address space ------------------------------------------------------------------------------- */

/**
 * enum drm_anpu_vm_op - what a VM_BIND operation does
 * @DRM_ANPU_VM_MAP: map part of a buffer object; the range must be unmapped
 * @DRM_ANPU_VM_REPLACE: map, after unmapping whatever is in the range
 * @DRM_ANPU_VM_UNMAP: unmap whatever is in the range, also parts of mappings
 */
enum drm_anpu_vm_op {
	DRM_ANPU_VM_MAP = 0,
	DRM_ANPU_VM_REPLACE,
	DRM_ANPU_VM_UNMAP
};

/** DRM_ANPU_VM_READ - the device may read; needed by every mapping */
#define DRM_ANPU_VM_READ	(1 << 0)
/** DRM_ANPU_VM_WRITE - the device may write; excludes EXEC */
#define DRM_ANPU_VM_WRITE	(1 << 1)
/** DRM_ANPU_VM_EXEC - operators may be fetched from here; excludes WRITE */
#define DRM_ANPU_VM_EXEC	(1 << 2)

/**
 * struct drm_anpu_vm_bind_op - one operation
 * @op: enum drm_anpu_vm_op
 * @flags: DRM_ANPU_VM_READ, _WRITE, _EXEC for MAP and REPLACE; 0 for UNMAP
 * @va: virtual address, page-aligned
 * @size: bytes, page-aligned, not 0
 * @handle: GEM handle; 0 for UNMAP
 * @pad: must be zero
 * @offset: byte offset into the object, page-aligned; 0 for UNMAP
 */
struct drm_anpu_vm_bind_op {
	__u32 op;
	__u32 flags;
	__u64 va;
	__u64 size;
	__u32 handle;
	__u32 pad;
	__u64 offset;
};

/**
 * struct drm_anpu_vm_bind - DRM_IOCTL_ANPU_VM_BIND
 * @ops: in: array of struct drm_anpu_vm_bind_op
 * @pad: must be zero
 * @failed: out: index of the operation that was refused, or the number of operations
 *
 * Synchronous. The operations are executed in order, all or none: when one is refused, the address
 * space is as before. When the call returns, no access of the device uses what was unmapped.
 * Errors: -EINVAL for bad arguments or a range outside va_start..va_end or the object; -EEXIST if
 * MAP meets a mapping; -ENOENT for an unknown handle; -EACCES for a writable mapping of a read-only
 * object; -ENOSPC if there is no HBM for page tables; -E2BIG for more than
 * DRM_ANPU_MAX_BIND_OPS operations; for HBM of another device -EBUSY while that is away, -ENODEV
 * when it is gone.
 */
struct drm_anpu_vm_bind {
	struct drm_anpu_array ops;
	__u32 pad;
	__u32 failed;
};

#define DRM_ANPU_MAX_BIND_OPS	4096

/* Streams ------------------------------------------------------------------------------------- */

/** DRM_ANPU_STREAM_STOP_ON_FAILURE - halt at the first failed packet; else go on with the next */
#define DRM_ANPU_STREAM_STOP_ON_FAILURE	(1 << 0)
/**
 * DRM_ANPU_STREAM_USER_QUEUE - map ring, control page and doorbell into the process, which then
 * submits without system calls; SUBMIT is refused with -EPERM. -EOPNOTSUPP unless
 * DRM_ANPU_INFO_USER_QUEUES is set.
 *
 * The process writes packets to ring[i % ring_entries] for i = 0, 1, ..., while i - completed <
 * ring_entries; stores i + 1 to the control page's wptr (release); issues a full memory barrier;
 * and if the status page's polling is 0, stores the same number to the first 8 bytes of the
 * doorbell page. Nothing is checked before the device executes it: a bad packet fails with a fault
 * record, a bad index halts the stream (ANPU_FAULT_BAD_DOORBELL). irq_at in the control page is the
 * driver's; a process that writes it may sleep too long in WAIT. RESET_STREAM sets wptr to 0. When
 * the device is reset, its pages but the status page read as zero and lead nowhere.
 */
#define DRM_ANPU_STREAM_USER_QUEUE	(1 << 1)
/**
 * DRM_ANPU_STREAM_BOUNDED - every packet ends by itself in bounded time, so that jobs of the stream
 * can have fences (since 1.8; not with USER_QUEUE; -EOPNOTSUPP unless DRM_ANPU_INFO_FENCES is set).
 * SUBMIT and SUBMIT_JOB refuse INDIRECT with -EINVAL, and a KERNEL or SEM_WAIT whose timeout is
 * more than DRM_ANPU_BOUNDED_US; ANPU_TIMEOUT_DEFAULT means that many microseconds there.
 */
#define DRM_ANPU_STREAM_BOUNDED		(1 << 2)

/** DRM_ANPU_BOUNDED_US - largest timeout of a packet of a BOUNDED stream */
#define DRM_ANPU_BOUNDED_US		10000000

#define DRM_ANPU_PRIORITIES		8

/**
 * struct drm_anpu_stream_create - DRM_IOCTL_ANPU_STREAM_CREATE
 * @flags: in: DRM_ANPU_STREAM_*
 * @priority: in: 0 (highest) to DRM_ANPU_PRIORITIES - 1; below 2, or what the driver's parameter
 *	unprivileged_priority says, needs CAP_SYS_NICE
 * @ring_entries: in: packets the ring holds, a power of two from 16 to 65536, 0 for the default;
 *	out: the size
 * @stream: out: identifier, unique in this file, not 0
 * @queue: out: number of the device's queue, for messages
 * @group: in: streams of this file with the same number, other than 0, halt together: when a packet
 *	of one with STOP_ON_FAILURE fails, the running packets of the others with STOP_ON_FAILURE
 *	are killed, and they halt, too (a failure with cause KILLED for each of the two). A packet
 *	that was killed is no failure in this sense. Since 1.4, where it was padding;
 *	-EOPNOTSUPP unless DRM_ANPU_INFO_GROUP is set
 * @status_offset: out: offset for a read-only mmap() of the 4096-byte struct anpu_queue_status
 * @ring_offset: out: USER_QUEUE: offset for mmap() of the ring, ring_entries * 64 bytes, rounded up
 *	to pages; else 0. Like the other two: MAP_SHARED only, whole only
 * @control_offset: out: USER_QUEUE: offset for mmap() of the 4096-byte struct
 *	anpu_queue_control; else 0
 * @doorbell_offset: out: USER_QUEUE: offset for mmap() of the 4096-byte doorbell page; else 0
 * @print: in: virtual address of a struct anpu_print_buffer (drm/anpu_packet.h), aligned to
 *	ANPU_PRINT_ALIGN, from which the process reads what the stream's operators print; 0: their
 *	output is dropped. Streams may share one. It is looked at when an operator prints, and by
 *	the device alone: an operator that prints while it is not mapped readable and writable
 *	faults. Since 1.1, -EOPNOTSUPP unless DRM_ANPU_INFO_PRINT is set
 * @overflow: in: virtual address of the overflow table, ANPU_OVERFLOW_ENTRIES times struct
 *	anpu_overflow (drm/anpu_packet.h), aligned to ANPU_OVERFLOW_ALIGN, in which kernels with
 *	ANPU_KERNEL_OVERFLOW note overflows; 0: such kernels fail. Streams may share one. Only
 *	entries that are used need be mapped, readable and writable; a kernel that has something to
 *	note elsewhere faults. Since 1.5, where the structure ended; -EOPNOTSUPP unless
 *	DRM_ANPU_INFO_OVERFLOW is set
 * @trace: in: virtual address of a struct anpu_trace_buffer (drm/anpu_packet.h), aligned to
 *	ANPU_TRACE_ALIGN, in which the device records when the stream's packets and their blocks
 *	ran; 0: it records nothing. Streams may share one. It is looked at by the device alone, and
 *	what is not mapped readable and writable is not recorded. Since 1.7, where the structure
 *	ended; -EOPNOTSUPP unless DRM_ANPU_INFO_TRACE is set
 *
 * Errors: -EINVAL for bad arguments; -EACCES for a priority that needs CAP_SYS_NICE; -ENOSPC if all
 * queues or the HBM are in use; -EBUSY while the device resets.
 */
struct drm_anpu_stream_create {
	__u32 flags;
	__u32 priority;
	__u32 ring_entries;
	__u32 stream;
	__u32 queue;
	__u32 group;
	__u64 status_offset;
	__u64 ring_offset;
	__u64 control_offset;
	__u64 doorbell_offset;
	__u64 print;
	__u64 overflow;
	__u64 trace;
};

/**
 * struct drm_anpu_stream_destroy - DRM_IOCTL_ANPU_STREAM_DESTROY
 * @stream: in: identifier
 * @pad: must be zero
 *
 * Stops the stream at once: the running packet is killed, queued ones are dropped, waiters get
 * -EIO. Mapped pages of the stream read as zero afterwards. Errors: -ENOENT for an unknown stream.
 */
struct drm_anpu_stream_destroy {
	__u32 stream;
	__u32 pad;
};

/** DRM_ANPU_STREAM_SET_PRIORITY - STREAM_SET sets the priority and no failure mode (since 1.5) */
#define DRM_ANPU_STREAM_SET_PRIORITY	(1 << 16)

/**
 * struct drm_anpu_stream_set - DRM_IOCTL_ANPU_STREAM_SET
 * @stream: in: identifier
 * @flags: in: DRM_ANPU_STREAM_STOP_ON_FAILURE or 0, from the next packet on that executes; or
 *	DRM_ANPU_STREAM_SET_PRIORITY alone
 * @priority: in: with SET_PRIORITY: from the next packet on, as in drm_anpu_stream_create; else 0
 * @pad: must be zero
 *
 * A stream that has halted stays halted. Since 1.1; @priority since 1.5. Errors: -EINVAL for other
 * flags or priorities; -ENOENT for an unknown stream; -EACCES for a priority that needs
 * CAP_SYS_NICE; -EOPNOTSUPP unless DRM_ANPU_INFO_ABORT, with SET_PRIORITY DRM_ANPU_INFO_PRIORITY,
 * is set.
 */
struct drm_anpu_stream_set {
	__u32 stream;
	__u32 flags;
	__u32 priority;
	__u32 pad;
};

/** DRM_ANPU_SUBMIT_NONBLOCK - return -EAGAIN instead of waiting for room in the ring */
#define DRM_ANPU_SUBMIT_NONBLOCK	(1 << 0)

/**
 * struct drm_anpu_submit - DRM_IOCTL_ANPU_SUBMIT
 * @stream: in: identifier
 * @flags: in: DRM_ANPU_SUBMIT_*
 * @packets: in: array of union anpu_packet; stride must be 64
 * @submitted: out: packets now in the ring
 * @pad: must be zero
 * @seq: out: sequence number of the last packet that was submitted
 *
 * Each packet is copied once, then checked: opcode, flags, reserved fields, constants. Addresses
 * are checked by the device when it uses them. Packets are submitted in order; if one is refused or
 * there is no room, those before it stay submitted (@submitted and @seq tell) and the call fails
 * only when @submitted is 0. Errors: -EINVAL for a bad packet or argument; -ENOENT for an unknown
 * stream; -EAGAIN with NONBLOCK if the ring is full; -EINTR only before the first packet;
 * -EPERM for a USER_QUEUE stream; -ECANCELED if the stream has halted after a failure (mode
 * STOP_ON_FAILURE); -EIO if it is dead.
 */
struct drm_anpu_submit {
	__u32 stream;
	__u32 flags;
	struct drm_anpu_array packets;
	__u32 submitted;
	__u32 pad;
	__u64 seq;
};

/**
 * enum drm_anpu_fence_type - where a fence is
 * @DRM_ANPU_FENCE_SYNCOBJ: in a syncobj of this file, or at a point of it
 * @DRM_ANPU_FENCE_SYNC_FILE: in a sync file
 */
enum drm_anpu_fence_type {
	DRM_ANPU_FENCE_SYNCOBJ = 0,
	DRM_ANPU_FENCE_SYNC_FILE
};

/**
 * struct drm_anpu_fence - a fence that a job waits for, or that it gives out
 * @type: enum drm_anpu_fence_type
 * @handle: SYNCOBJ: its handle; SYNC_FILE: a file descriptor; of a fence that a job gives out it is
 *	out, and means nothing if the call fails
 * @point: SYNCOBJ: point of the timeline, 0 for a syncobj that is none; else 0
 */
struct drm_anpu_fence {
	__u32 type;
	__u32 handle;
	__u64 point;
};

/** DRM_ANPU_OBJECT_WRITE - the job writes the object; else it only reads it */
#define DRM_ANPU_OBJECT_WRITE	(1 << 0)

/**
 * struct drm_anpu_job_object - a buffer object that a job shares with others
 * @handle: GEM handle
 * @flags: DRM_ANPU_OBJECT_*
 */
struct drm_anpu_job_object {
	__u32 handle;
	__u32 flags;
};

/** DRM_ANPU_MAX_JOB_FENCES - most elements of each array of fences and of objects of a job */
#define DRM_ANPU_MAX_JOB_FENCES	1024

/**
 * struct drm_anpu_submit_job - DRM_IOCTL_ANPU_SUBMIT_JOB
 * @stream: in: identifier
 * @flags: in: DRM_ANPU_SUBMIT_*
 * @packets: in: array of union anpu_packet; stride must be 64; at least one, and not more than the
 *	ring holds
 * @in: in: array of struct drm_anpu_fence: the packets, and what is submitted behind them, begin
 *	when all of these have signalled. Nobody sleeps for that
 * @out: in: array of struct drm_anpu_fence: they get the job's fence, which signals when the last
 *	packet has completed; of BOUNDED streams only
 * @objects: in: array of struct drm_anpu_job_object, none twice: the job waits for the fences of
 *	others that these objects have, of writers, and with OBJECT_WRITE of readers, too; and its
 *	own fence is added to them. Of BOUNDED streams only
 * @seq: out: sequence number of the last packet
 *
 * All packets are submitted, or none. Since 1.8.
 *
 * A fence to be waited for must be there: a syncobj that has none, or a point that nobody has
 * submitted, is -EINVAL. If one of them signals with an error, the job is not executed: its first
 * packet fails, with ANPU_FAULT_BAD_OPCODE and opcode 0 in its record, the others do nothing.
 *
 * The job's fence signals at the latest when the time that the driver allows for a job
 * (fence_timeout_ms, default 10 s) is over since its fences have signalled and the jobs before it
 * have ended: then the stream ends. The error of the fence: 0 if all packets succeeded; that of the
 * fence which it waited for; -ETIME if a packet exceeded its timeout, -ECANCELED if it was killed
 * or dropped (ABORT_STREAM, END_TASK, a stream that has halted); -EIO for other failures, and if
 * the stream was reset, destroyed or took too long, or the device was reset; -ENODEV if the device
 * is gone. If more than six packets have failed since, -EIO may be said of a job that succeeded.
 *
 * Errors: -EINVAL for a bad packet or argument, an object that is named twice, or @out or @objects
 * of a stream that is not BOUNDED; -E2BIG for too many packets, fences or objects; -ENOENT for an
 * unknown stream, syncobj or object; -EBADF for a descriptor that is no sync file; -EMFILE if there
 * is no descriptor left; -EAGAIN with NONBLOCK if the ring has no room; -EPERM for a USER_QUEUE
 * stream; -ECANCELED if the stream has halted; -EIO if it is dead; -EOPNOTSUPP unless
 * DRM_ANPU_INFO_FENCES is set.
 */
struct drm_anpu_submit_job {
	__u32 stream;
	__u32 flags;
	struct drm_anpu_array packets;
	struct drm_anpu_array in;
	struct drm_anpu_array out;
	struct drm_anpu_array objects;
	__u64 seq;
};

/**
 * enum drm_anpu_wait_type - what a wait item waits for
 * @DRM_ANPU_WAIT_SEQ: completed of a stream to reach a sequence number
 * @DRM_ANPU_WAIT_MEMORY: a value in a buffer object to meet a condition; woken by SEM_SIGNAL
 *	packets with ANPU_SEM_IRQ
 * @DRM_ANPU_WAIT_SYNCOBJ: the fence of a syncobj, or of a point of it, to signal (since 1.8)
 * @DRM_ANPU_WAIT_SYNC_FILE: the fence of a sync file to signal (since 1.8)
 */
enum drm_anpu_wait_type {
	DRM_ANPU_WAIT_SEQ = 0,
	DRM_ANPU_WAIT_MEMORY,
	DRM_ANPU_WAIT_SYNCOBJ,
	DRM_ANPU_WAIT_SYNC_FILE
};

/**
 * struct drm_anpu_wait_item - one thing to wait for
 * @type: enum drm_anpu_wait_type
 * @stream: SEQ: identifier; else 0
 * @value: SEQ: sequence number; MEMORY: reference value; SYNCOBJ: point of the timeline, 0 for a
 *	syncobj that is none; else 0
 * @mask: MEMORY: ANDed with the memory value; else 0
 * @offset: MEMORY: byte offset into the object, aligned to @width; else 0
 * @handle: MEMORY: GEM handle of an HBM or system object, or (since 1.3) of a system object of
 *	another ANPU; SYNCOBJ: its handle; SYNC_FILE: file descriptor; SEQ: 0
 * @cond: MEMORY: enum anpu_sem_cond; else 0
 * @width: MEMORY: 4 or 8; else 0
 * @pad: must be zero
 */
struct drm_anpu_wait_item {
	__u32 type;
	__u32 stream;
	__u64 value;
	__u64 mask;
	__u64 offset;
	__u32 handle;
	__u32 cond;
	__u32 width;
	__u32 pad;
};

/** DRM_ANPU_WAIT_ALL - wait for all items, else for any */
#define DRM_ANPU_WAIT_ALL	(1 << 0)

#define DRM_ANPU_MAX_WAIT_ITEMS	1024

/**
 * struct drm_anpu_wait - DRM_IOCTL_ANPU_WAIT
 * @flags: in: DRM_ANPU_WAIT_ALL
 * @pad: must be zero
 * @timeout_ns: in: absolute, CLOCK_MONOTONIC
 * @items: in: array of struct drm_anpu_wait_item, at least one
 * @signaled: out: index of the first item that is satisfied (wait for any), or the number of items
 * @pad2: must be zero
 *
 * Tells that packets have completed, not that they succeeded: see the status page; and that fences
 * have signalled, also if that was with an error. With WAIT_ALL a sequence number that has been
 * reached counts, whatever becomes of its stream before the others.
 * Errors: -EINVAL for bad arguments, also a sequence number that was never submitted to a stream
 * that SUBMIT feeds, a syncobj without a fence, or a point that nobody has submitted; -ENOENT for
 * an unknown stream or handle; -EBADF for a descriptor that is no sync file; -ETIME when the time
 * is up; -EIO if a stream waited for dies; -E2BIG for more than DRM_ANPU_MAX_WAIT_ITEMS items;
 * -ECANCELED if a stream waited for has halted before the sequence number; -EOPNOTSUPP for fences
 * unless DRM_ANPU_INFO_FENCES is set.
 */
struct drm_anpu_wait {
	__u32 flags;
	__u32 pad;
	__s64 timeout_ns;
	struct drm_anpu_array items;
	__u32 signaled;
	__u32 pad2;
};

/**
 * struct drm_anpu_stream_get_state - DRM_IOCTL_ANPU_STREAM_GET_STATE
 * @stream: in: identifier
 * @flags: in: must be zero
 * @state: out: enum anpu_queue_state
 * @first_cause: out: enum anpu_fault_cause of the first failure, 0 if none
 * @completed: out: packets completed
 * @submitted: out: packets submitted; USER_QUEUE: wptr as the process wrote it
 * @errors: out: packets that failed
 * @fault_ordinal: in: which failure to return in @fault, from 1; 0 for none
 * @fault: in: user pointer to a struct anpu_fault, or 0
 *
 * Errors: -ENOENT for an unknown stream; -ENODATA if the failure has not happened or its record
 * was overwritten by newer ones (the first is kept always).
 */
struct drm_anpu_stream_get_state {
	__u32 stream;
	__u32 flags;
	__u32 state;
	__u32 first_cause;
	__u64 completed;
	__u64 submitted;
	__u64 errors;
	__u64 fault_ordinal;
	__u64 fault;
};

/* Events -------------------------------------------------------------------------------------- */

/** DRM_ANPU_EVENT_FAULT - a packet of a stream of the file failed: struct drm_anpu_event_fault */
#define DRM_ANPU_EVENT_FAULT	0x80000000
/** DRM_ANPU_EVENT_NOTIFY - a NOTIFY packet: struct drm_anpu_event_notify */
#define DRM_ANPU_EVENT_NOTIFY	0x80000001
/** DRM_ANPU_EVENT_RESET - the device was reset, streams are dead: struct drm_anpu_event_reset */
#define DRM_ANPU_EVENT_RESET	0x80000002
/** DRM_ANPU_EVENT_LOST - events were dropped: struct drm_anpu_event_lost */
#define DRM_ANPU_EVENT_LOST	0x80000003

#define DRM_ANPU_SUBSCRIBE_FAULT	(1 << 0)
#define DRM_ANPU_SUBSCRIBE_NOTIFY	(1 << 1)
#define DRM_ANPU_SUBSCRIBE_RESET	(1 << 2)

/**
 * struct drm_anpu_event_subscribe - DRM_IOCTL_ANPU_EVENT_SUBSCRIBE
 * @mask: in: DRM_ANPU_SUBSCRIBE_* of all events wanted from now on; 0 for none
 * @pad: must be zero
 *
 * Events are read() from the file, which also polls readable, as struct drm_event with the types
 * above. Events are never dropped silently: if the file's event space is full, a LOST event with
 * the number follows once there is room. A NOTIFY of a file that has not subscribed is dropped.
 * Errors: -EINVAL for unknown bits.
 */
struct drm_anpu_event_subscribe {
	__u32 mask;
	__u32 pad;
};

/**
 * struct drm_anpu_event_fault - DRM_ANPU_EVENT_FAULT
 * @base: type and length
 * @stream: identifier
 * @cause: enum anpu_fault_cause
 * @seq: sequence number of the failed packet
 * @ordinal: of the fault in its stream, for STREAM_GET_STATE
 * @task_id: of the packet
 * @pad: zero
 */
struct drm_anpu_event_fault {
	struct drm_event base;
	__u32 stream;
	__u32 cause;
	__u64 seq;
	__u64 ordinal;
	__u32 task_id;
	__u32 pad;
};

/**
 * struct drm_anpu_event_notify - DRM_ANPU_EVENT_NOTIFY
 * @base: type and length
 * @stream: identifier
 * @pad: zero
 * @seq: sequence number of the NOTIFY packet
 * @cookie: of the packet
 * @value: of the packet
 */
struct drm_anpu_event_notify {
	struct drm_event base;
	__u32 stream;
	__u32 pad;
	__u64 seq;
	__u64 cookie;
	__u64 value;
};

/**
 * struct drm_anpu_event_reset - DRM_ANPU_EVENT_RESET
 * @base: type and length
 * @resets: resets of the device so far
 * @pad: zero
 */
struct drm_anpu_event_reset {
	struct drm_event base;
	__u32 resets;
	__u32 pad;
};

/**
 * struct drm_anpu_event_lost - DRM_ANPU_EVENT_LOST
 * @base: type and length
 * @count: events dropped since the last LOST event
 */
struct drm_anpu_event_lost {
	struct drm_event base;
	__u64 count;
};

/* Reset --------------------------------------------------------------------------------------- */

/**
 * enum drm_anpu_reset_scope - what RESET resets
 * @DRM_ANPU_RESET_STREAM: one stream of this file: the running packet is killed, queued ones are
 *	dropped, and the stream goes on empty: completed and sequence numbers start again at zero,
 *	failures are forgotten. Waiters get -EIO.
 * @DRM_ANPU_RESET_DEVICE: the whole device, every process; needs CAP_SYS_ADMIN. All streams die.
 * @DRM_ANPU_ABORT_STREAM: one stream of this file: the running packet is killed, what was submitted
 *	behind it is dropped (a failure with cause KILLED for each of the two), and the stream goes
 *	on, also if it had halted. Sequence numbers go on, too: what was dropped counts as
 *	completed, so waiters return. Since 1.1, -EOPNOTSUPP unless DRM_ANPU_INFO_ABORT is set
 * @DRM_ANPU_END_TASK: one packet of one stream of this file, if it is being executed or waits: it
 *	is ended, all of it, and has failed with cause ENDED; what is behind it goes on, or the
 *	stream halts, as after any failure. Nothing happens if @seq has not begun or has
 *	completed. When the call returns it will do no more, and completes as soon as its events
 *	have room. Since 1.5, -EOPNOTSUPP unless DRM_ANPU_INFO_END_TASK is set
 */
enum drm_anpu_reset_scope {
	DRM_ANPU_RESET_STREAM = 0,
	DRM_ANPU_RESET_DEVICE,
	DRM_ANPU_ABORT_STREAM,
	DRM_ANPU_END_TASK
};

/**
 * struct drm_anpu_reset - DRM_IOCTL_ANPU_RESET
 * @scope: in: enum drm_anpu_reset_scope
 * @stream: in: RESET_STREAM, ABORT_STREAM, END_TASK: identifier; else 0
 * @seq: in: END_TASK: sequence number of the packet, not 0; the status page's started has that of
 *	the one being executed, unless completed is as large. Else 0. Since 1.5
 *
 * Errors: -EINVAL for an unknown scope or a bad @seq; -ENOENT for an unknown stream; -EPERM without
 * CAP_SYS_ADMIN; -ETIMEDOUT if the device does not come back, which is then dead (-EIO).
 */
struct drm_anpu_reset {
	__u32 scope;
	__u32 stream;
	__u64 seq;
};

#define DRM_ANPU_IOCTL(access, nr, type) \
	DRM_##access(DRM_COMMAND_BASE + (nr), struct type)

#define DRM_IOCTL_ANPU_DEV_QUERY \
	DRM_ANPU_IOCTL(IOWR, DRM_ANPU_DEV_QUERY, drm_anpu_dev_query)
#define DRM_IOCTL_ANPU_BO_CREATE \
	DRM_ANPU_IOCTL(IOWR, DRM_ANPU_BO_CREATE, drm_anpu_bo_create)
#define DRM_IOCTL_ANPU_BO_MMAP_OFFSET \
	DRM_ANPU_IOCTL(IOWR, DRM_ANPU_BO_MMAP_OFFSET, drm_anpu_bo_mmap_offset)
#define DRM_IOCTL_ANPU_VM_BIND \
	DRM_ANPU_IOCTL(IOWR, DRM_ANPU_VM_BIND, drm_anpu_vm_bind)
#define DRM_IOCTL_ANPU_STREAM_CREATE \
	DRM_ANPU_IOCTL(IOWR, DRM_ANPU_STREAM_CREATE, drm_anpu_stream_create)
#define DRM_IOCTL_ANPU_STREAM_DESTROY \
	DRM_ANPU_IOCTL(IOW, DRM_ANPU_STREAM_DESTROY, drm_anpu_stream_destroy)
#define DRM_IOCTL_ANPU_SUBMIT \
	DRM_ANPU_IOCTL(IOWR, DRM_ANPU_SUBMIT, drm_anpu_submit)
#define DRM_IOCTL_ANPU_WAIT \
	DRM_ANPU_IOCTL(IOWR, DRM_ANPU_WAIT, drm_anpu_wait)
#define DRM_IOCTL_ANPU_STREAM_GET_STATE \
	DRM_ANPU_IOCTL(IOWR, DRM_ANPU_STREAM_GET_STATE, drm_anpu_stream_get_state)
#define DRM_IOCTL_ANPU_EVENT_SUBSCRIBE \
	DRM_ANPU_IOCTL(IOW, DRM_ANPU_EVENT_SUBSCRIBE, drm_anpu_event_subscribe)
#define DRM_IOCTL_ANPU_RESET \
	DRM_ANPU_IOCTL(IOW, DRM_ANPU_RESET, drm_anpu_reset)
#define DRM_IOCTL_ANPU_STREAM_SET \
	DRM_ANPU_IOCTL(IOW, DRM_ANPU_STREAM_SET, drm_anpu_stream_set)
#define DRM_IOCTL_ANPU_SUBMIT_JOB \
	DRM_ANPU_IOCTL(IOWR, DRM_ANPU_SUBMIT_JOB, drm_anpu_submit_job)

#if defined(__cplusplus)
}
#endif

#endif /* ANPU_ACCEL_H */
