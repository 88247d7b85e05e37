/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ANPU datasheet: the contract between the driver and the device.
 *
 * Registers, doorbells, queue contexts, event queues, page tables. Packets, status pages and fault
 * records, which userspace sees too, are in anpu_packet.h. The prose, with the state machines and
 * the ordering rules, is Documentation/device.md.
 *
 * Everything is little-endian. "HBM address" means an offset into the device's memory, which is
 * also an offset into BAR2. Reserved bits and fields read as zero and must be written as zero.
 *
 * Rule for adding: new registers take reserved offsets, new fields take reserved space whose zero
 * keeps the old meaning, and ANPU_VERSION_MINOR goes up; a capability bit announces what software
 * must know before use. A change that breaks old software raises ANPU_VERSION_MAJOR, and a driver
 * refuses a device whose major number it does not know.
 */
#ifndef ANPU_HW_H
#define ANPU_HW_H

#include <anpu/anpu_packet.h>

/* PCI identity ------------------------------------------------------------------------------- */

/** ANPU_PCI_VENDOR - QEMU's unregistered vendor space */
#define ANPU_PCI_VENDOR		0x1234
/** ANPU_PCI_DEVICE - device ID, also the subsystem device ID */
#define ANPU_PCI_DEVICE		0x11e9
/** ANPU_PCI_CLASS - base class 0x12 (processing accelerators), sub-class 0x00 */
#define ANPU_PCI_CLASS		0x1200
/** ANPU_PCI_REVISION - revision ID */
#define ANPU_PCI_REVISION	1

/** ANPU_BAR_REGS - BAR of registers and doorbells: 64-bit, not prefetchable */
#define ANPU_BAR_REGS		0
/**
 * ANPU_BAR_HBM - BAR of the whole HBM: 64-bit, prefetchable; its size is the HBM's, a power of 2
 */
#define ANPU_BAR_HBM		2
/** ANPU_BAR_MSIX - BAR of the MSI-X table and pending bits */
#define ANPU_BAR_MSIX		4

/* Limits of the architecture; the actual device tells its own in registers --------------------- */

#define ANPU_MAX_QUEUES		4096
#define ANPU_MAX_ASIDS		4096
#define ANPU_MAX_CORES		64
#define ANPU_MAX_EVENT_QUEUES	16
/** ANPU_VA_BITS - virtual addresses are below 2^48 */
#define ANPU_VA_BITS		48

/* Registers in BAR0 --------------------------------------------------------------------------- *
 *
 * Every register is 64 bits wide and is accessed whole, by one aligned 8-byte read or write. Any
 * other access reads as zero, writes nothing and is counted in ANPU_REG_BAD_ACCESS, and so is an
 * access to an undefined offset or a write to a read-only register.
 */

/** ANPU_REG_ID - RO, ANPU_ID_VALUE */
#define ANPU_REG_ID		0x000
#define ANPU_ID_VALUE		0x55504e41ULL	/* "ANPU" */

/** ANPU_REG_VERSION - RO, bits 31:16 major, 15:0 minor; bits 47:32 the ISA's version */
#define ANPU_REG_VERSION	0x008
#define ANPU_VERSION_MAJOR	1
#define ANPU_VERSION_MINOR	10

/** ANPU_REG_CAPS - RO, ANPU_CAP_* */
#define ANPU_REG_CAPS		0x010
/** ANPU_CAP_HBM_COHERENT - BAR2 is host memory: the driver may map it write-back */
#define ANPU_CAP_HBM_COHERENT	(1ULL << 0)
/** ANPU_CAP_DETERMINISTIC - the device runs in its deterministic mode */
#define ANPU_CAP_DETERMINISTIC	(1ULL << 1)
/** ANPU_CAP_CALIBRATION - the calibration registers work */
#define ANPU_CAP_CALIBRATION	(1ULL << 2)
/** ANPU_CAP_PRINT - queue contexts have a print buffer (since 1.1) */
#define ANPU_CAP_PRINT		(1ULL << 3)
/** ANPU_CAP_ABORT - the queue commands from ABORT on, and status.commands (since 1.1) */
#define ANPU_CAP_ABORT		(1ULL << 4)
/** ANPU_CAP_JUMP - ANPU_OP_JUMP (since 1.2) */
#define ANPU_CAP_JUMP		(1ULL << 5)
/**
 * ANPU_CAP_RECOVERY - HEARTBEAT, the queue commands RESET and REFRESH, status.refresh (since 1.2)
 */
#define ANPU_CAP_RECOVERY	(1ULL << 6)
/** ANPU_CAP_INJECT - the registers ANPU_REG_INJECT are there: a device for tests (since 1.2) */
#define ANPU_CAP_INJECT		(1ULL << 7)
/**
 * ANPU_CAP_PEER - the platform takes the device's accesses of system addresses to the BARs of other
 * devices, wherever those sit; without it the driver asks the topology (since 1.2)
 */
#define ANPU_CAP_PEER		(1ULL << 8)
/**
 * ANPU_CAP_KICK - register KICK, and control blocks of ANPU_CONTROL_SIZE where there were pages
 * before: a driver of many queues then touches few pages (since 1.2)
 */
#define ANPU_CAP_KICK		(1ULL << 9)
/** ANPU_CAP_REDUCE - ANPU_OP_REDUCE (since 1.3) */
#define ANPU_CAP_REDUCE		(1ULL << 10)
/** ANPU_CAP_MAX_CORES - a KERNEL's max_cores (since 1.3) */
#define ANPU_CAP_MAX_CORES	(1ULL << 11)
/** ANPU_CAP_HALT - the queue command HALT (since 1.4) */
#define ANPU_CAP_HALT		(1ULL << 12)
/** ANPU_CAP_RANDOM - ANPU_OP_RANDOM (since 1.4) */
#define ANPU_CAP_RANDOM		(1ULL << 13)
/**
 * ANPU_CAP_SHADOW_DOORBELLS - register SHADOW_DOORBELLS: doorbells in memory, see struct
 * anpu_shadow_doorbells (since 1.5)
 */
#define ANPU_CAP_SHADOW_DOORBELLS	(1ULL << 14)
/** ANPU_CAP_END_TASK - the queue command END_TASK (since 1.5) */
#define ANPU_CAP_END_TASK	(1ULL << 15)
/** ANPU_CAP_BUSY - the registers BUSY_AT, BUSY_CUBE and BUSY_VECTOR (since 1.5) */
#define ANPU_CAP_BUSY		(1ULL << 16)
/** ANPU_CAP_PRIORITY - the queue command PRIORITY (since 1.5) */
#define ANPU_CAP_PRIORITY	(1ULL << 17)
/** ANPU_CAP_OVERFLOW - ANPU_KERNEL_OVERFLOW, and overflow tables of queues (since 1.5) */
#define ANPU_CAP_OVERFLOW	(1ULL << 18)
/** ANPU_CAP_LAUNCH - ANPU_KERNEL_LAUNCH (since 1.6) */
#define ANPU_CAP_LAUNCH		(1ULL << 19)
/** ANPU_CAP_TRACE - trace buffers of queues (since 1.7) */
#define ANPU_CAP_TRACE		(1ULL << 20)
/** ANPU_CAP_QUEUE_BUSY - cube_ns and vector_ns of struct anpu_queue_status (since 1.7) */
#define ANPU_CAP_QUEUE_BUSY	(1ULL << 21)
/** ANPU_CAP_BLOCKS - kernels of ANPU_MAX_BLOCKS blocks (since 1.8) */
#define ANPU_CAP_BLOCKS		(1ULL << 22)
/** ANPU_CAP_NAMES - the registers SOC and CANN are there (since 1.8) */
#define ANPU_CAP_NAMES		(1ULL << 23)
/** ANPU_CAP_CODE_LIST - a debugger looks at struct anpu_code_list of processes (since 1.10) */
#define ANPU_CAP_CODE_LIST	(1ULL << 24)

/** ANPU_REG_HBM_SIZE - RO, bytes; the HBM is zero at power-on, and no reset changes it */
#define ANPU_REG_HBM_SIZE	0x018
/** ANPU_REG_QUEUES - RO, number of queues */
#define ANPU_REG_QUEUES		0x020
/** ANPU_REG_ASIDS - RO, number of address spaces, ASID 0 included */
#define ANPU_REG_ASIDS		0x028
/** ANPU_REG_CORES - RO, bits 15:0 AI cores, bits 31:16 vector sub-cores per AI core */
#define ANPU_REG_CORES		0x030
/** ANPU_REG_EVENT_QUEUES - RO, number of event queues and MSI-X vectors */
#define ANPU_REG_EVENT_QUEUES	0x038
/** ANPU_REG_DOORBELLS - RO, bits 31:0 offset of queue 0's doorbell page, 63:32 bytes per page */
#define ANPU_REG_DOORBELLS	0x040
/** ANPU_REG_CLOCK - RO, device clock in nanoseconds, monotonic, never adjusted, 0 at power-on */
#define ANPU_REG_CLOCK		0x048

/** ANPU_REG_CONTROL - RW, reset 0, ANPU_CONTROL_* */
#define ANPU_REG_CONTROL	0x100
/** ANPU_CONTROL_ENABLE - queues may be started */
#define ANPU_CONTROL_ENABLE	(1ULL << 0)
/**
 * ANPU_CONTROL_RESET - write 1 to reset the device: every queue stops as by STOP without an event,
 * event queues are disabled, tables forgotten, registers get their reset values; the HBM keeps its
 * contents. Reads as 1 until done; while it does, other writes are ignored.
 */
#define ANPU_CONTROL_RESET	(1ULL << 1)

/** ANPU_REG_STATUS - RO, ANPU_STATUS_* */
#define ANPU_REG_STATUS		0x108
/** ANPU_STATUS_READY - not in reset */
#define ANPU_STATUS_READY	(1ULL << 0)
/** ANPU_STATUS_FATAL - the device has failed as a whole and needs a reset */
#define ANPU_STATUS_FATAL	(1ULL << 1)

/** ANPU_REG_RESETS - RO, resets since power-on, by register, FLR or bus */
#define ANPU_REG_RESETS		0x110

/**
 * ANPU_REG_ASID_TABLE - RW, reset 0, HBM address of the ASID table, 4096-byte aligned: one __u64
 * per ASID, ANPU_ASID_VALID | HBM address of the top page table. Entry 0 is ignored: in ASID 0
 * virtual addresses are HBM addresses, all rights; it belongs to the driver.
 */
#define ANPU_REG_ASID_TABLE	0x118
/**
 * ANPU_REG_QUEUE_TABLE - RW, reset 0, HBM address of an array of struct anpu_queue_context,
 * 4096-byte aligned
 */
#define ANPU_REG_QUEUE_TABLE	0x120
/** ANPU_REG_TIMEOUT - RW, default limit of a kernel, limit of other long packets; us, 0 = none */
#define ANPU_REG_TIMEOUT	0x128
#define ANPU_TIMEOUT_RESET	60000000ULL

/**
 * ANPU_REG_QUEUE_CMD - WO, bits 7:0 enum anpu_queue_cmd, bits 31:16 queue, bits 63:32 the argument
 * of a command that has one, else zero. Commands of one queue take effect in the order written, but
 * none that can be carried out at once waits for a REFRESH. Their effect shows in the status page.
 */
#define ANPU_REG_QUEUE_CMD	0x130

/**
 * ANPU_REG_TLB_INVALIDATE - WO, bits 15:0 ASID, or ANPU_TLB_ALL. Forget all translations, mappings
 * of system memory and decoded code of that address space. Each write takes the next number,
 * starting with 1; it has taken effect when ANPU_REG_TLB_DONE has reached its number: from then on
 * no access uses what the page tables said before the write.
 */
#define ANPU_REG_TLB_INVALIDATE	0x138
#define ANPU_TLB_ALL		(1ULL << 31)
/** ANPU_REG_TLB_ISSUED - RO, number of the newest invalidation */
#define ANPU_REG_TLB_ISSUED	0x140
/** ANPU_REG_TLB_DONE - RO, all invalidations up to this number have taken effect */
#define ANPU_REG_TLB_DONE	0x148

/** ANPU_REG_IRQ_TEST - WO, raise the MSI-X vector of this number from inside the access */
#define ANPU_REG_IRQ_TEST	0x150
/**
 * ANPU_REG_CALIBRATE - RW, for benchmarks: write a number of bytes (at most ANPU_CALIBRATE_MAX) to
 * let the device copy that much with plain memcpy between two buffers of its own; reads as the
 * nanoseconds that took, 0 while it is running, all ones if the host had no memory for the buffers
 */
#define ANPU_REG_CALIBRATE	0x158
#define ANPU_CALIBRATE_MAX	(256ULL << 20)
/**
 * ANPU_REG_KICK - WO, number of a queue: as its doorbell, with the wptr that its struct
 * anpu_queue_control has (since 1.2, ANPU_CAP_KICK)
 */
#define ANPU_REG_KICK		0x160

/**
 * ANPU_REG_HEARTBEAT - RO, bits 31:0 beats of the scheduler, bits 63:32 zero, or the number + 1 of
 * a queue whose packet has been executing for seconds without any progress (since 1.2). A read asks
 * for one more beat: of a healthy device it is there a moment later, whatever its queues do.
 */
#define ANPU_REG_HEARTBEAT	0x168
#define ANPU_HEARTBEAT_BEATS(value)	((__u32)(value))
#define ANPU_HEARTBEAT_STALLED(value)	((__u32)((value) >> 32))

/**
 * ANPU_REG_BUSY_AT - RO, reset 0 at power-on: a read takes down the device's clock and how busy its
 * AI cores have been until then, and returns that clock (since 1.5, as the next two)
 */
#define ANPU_REG_BUSY_AT	0x170
/**
 * ANPU_REG_BUSY_CUBE - RO, nanoseconds that AI cores have had blocks of operators with the cube
 * unit, ANPU_CORE_ANY, AIC, or the first sub-block of MIX: the sum over the AI cores, from power-on
 * to the last read of BUSY_AT. A block has an AI core from its beginning to its end, also while it
 * waits; when there are more blocks than AI cores, all are busy. No reset changes it.
 */
#define ANPU_REG_BUSY_CUBE	0x178
/**
 * ANPU_REG_BUSY_VECTOR - RO, the same of the vector unit: ANPU_CORE_ANY, AIV, other sub-blocks of
 * MIX
 */
#define ANPU_REG_BUSY_VECTOR	0x1c8
/**
 * ANPU_REG_SHADOW_DOORBELLS - RW, reset 0, HBM address of the struct anpu_shadow_doorbells,
 * 4096-byte aligned; 0: none (since 1.5, ANPU_CAP_SHADOW_DOORBELLS). Can be written only while
 * ANPU_CONTROL_ENABLE is not set.
 */
#define ANPU_REG_SHADOW_DOORBELLS	0x1d0

/* Counters, RO, reset 0 */
#define ANPU_REG_BAD_ACCESS	0x180	/* refused register accesses */
#define ANPU_REG_PACKETS	0x188	/* packets completed */
#define ANPU_REG_KERNELS	0x190	/* KERNEL packets completed */
#define ANPU_REG_BLOCKS		0x198	/* operator blocks completed */
#define ANPU_REG_FAULTS		0x1a0	/* fault records written */
#define ANPU_REG_COPY_BYTES	0x1a8	/* bytes written by COPY, FILL, REDUCE and RANDOM */
#define ANPU_REG_DOORBELLS_RUNG	0x1b0	/* doorbell writes */
#define ANPU_REG_INTERRUPTS	0x1b8	/* MSI-X messages sent */
#define ANPU_REG_EVENTS		0x1c0	/* events written */

/** ANPU_NAME_SIZE - bytes of a text in registers, the zeros behind it included */
#define ANPU_NAME_SIZE		64
/**
 * ANPU_REG_SOC - RO, which chip the device is to be taken for: text in ANPU_NAME_SIZE / 8
 * registers, its first byte in bits 7:0 of the first one, zeros behind it; empty unless the device
 * was made with a name (since 1.8, ANPU_CAP_NAMES). Nothing else of the device depends on it.
 * @n: register, 0 to ANPU_NAME_SIZE / 8 - 1
 */
#define ANPU_REG_SOC(n)		(0x300 + (n) * 0x8)
/**
 * ANPU_REG_CANN - RO, the version that the software on the host is to be taken for, as ANPU_REG_SOC
 * @n: register, 0 to ANPU_NAME_SIZE / 8 - 1
 */
#define ANPU_REG_CANN(n)	(0x340 + (n) * 0x8)

/**
 * ANPU_REG_INJECT - RW, for tests, there with ANPU_CAP_INJECT only (since 1.2): a fault that the
 * device is to have, ANPU_INJECT(times, queue, ms). Reads as what is left of it. No reset by
 * register changes it, a PCI reset makes it 0.
 * @n: enum anpu_inject
 */
#define ANPU_REG_INJECT(n)	(0x200 + (n) * 0x8)

/**
 * enum anpu_inject - faults that a test can ask for; each happens @times times
 * @ANPU_INJECT_STOP: a command of the queue, but START and RESET, is not carried out; what the
 *	queue does goes on
 * @ANPU_INJECT_QUEUE_RESET: a RESET of the queue is not carried out
 * @ANPU_INJECT_START: a START of the queue is not carried out
 * @ANPU_INJECT_REFUSE: a START of the queue is refused
 * @ANPU_INJECT_HANG: a packet of the queue begins and does not end until it is killed
 * @ANPU_INJECT_COMPLETED: completed is not stored when a packet of the queue completes, nor is the
 *	COMPLETED event sent; a later one that is stored makes up for it
 * @ANPU_INJECT_DOORBELL: a doorbell of the queue is lost, by register or in shared memory
 * @ANPU_INJECT_INTERRUPT: a message of the MSI-X vector (@queue) is not sent, its event is written
 * @ANPU_INJECT_EVENT: with an event of the event queue (@queue), its wptr runs ahead of rptr by
 *	more than its size
 * @ANPU_INJECT_INVALIDATE: TLB_DONE does not reach an invalidation's number, nor later ones, until
 *	the next reset
 * @ANPU_INJECT_RESET: a reset by register takes @ms longer; 0: it does not end before a PCI reset
 * @ANPU_INJECT_FREEZE: from now on for @ms, 0: until the next reset, the scheduler stands still: no
 *	packet begins, no command is carried out, the heartbeat does not change
 * @ANPU_INJECT_GONE: from now on for @ms, 0: until a PCI reset, the device does nothing, BAR0 and
 *	the configuration space read as all ones and ignore what is written; then it is as after a
 *	PCI reset
 * @ANPU_INJECT_COUNT: number of faults
 */
enum anpu_inject {
	ANPU_INJECT_STOP = 0,
	ANPU_INJECT_QUEUE_RESET,
	ANPU_INJECT_START,
	ANPU_INJECT_REFUSE,
	ANPU_INJECT_HANG,
	ANPU_INJECT_COMPLETED,
	ANPU_INJECT_DOORBELL,
	ANPU_INJECT_INTERRUPT,
	ANPU_INJECT_EVENT,
	ANPU_INJECT_INVALIDATE,
	ANPU_INJECT_RESET,
	ANPU_INJECT_FREEZE,
	ANPU_INJECT_GONE,
	ANPU_INJECT_COUNT
};

/** ANPU_INJECT - value for ANPU_REG_INJECT: how often, 0 to 0xffff; which queue; milliseconds */
#define ANPU_INJECT(times, queue, ms) \
	((__u64)(times) | (__u64)(queue) << 16 | (__u64)(ms) << 32)
/** ANPU_INJECT_ALWAYS - as times: as often as there is an occasion */
#define ANPU_INJECT_ALWAYS	0xffffULL
/** ANPU_INJECT_ANY - as queue: each */
#define ANPU_INJECT_ANY		0xffffULL

/**
 * ANPU_REG_EQ_BASE - RW, reset 0, an event queue's HBM address, 4096-byte aligned: a struct
 * anpu_event_header, then the entries
 * @n: event queue
 */
#define ANPU_REG_EQ_BASE(n)	(0x400 + (n) * 0x10)
/** ANPU_REG_EQ_SIZE - RW, reset 0, log2 of the number of entries, 4 to 16; 0 disables the queue */
#define ANPU_REG_EQ_SIZE(n)	(0x408 + (n) * 0x10)
#define ANPU_EQ_LOG2_MIN	4
#define ANPU_EQ_LOG2_MAX	16

/** ANPU_DOORBELL_OFFSET - offset in BAR0 of the doorbell pages */
#define ANPU_DOORBELL_OFFSET	0x10000
/** ANPU_DOORBELL_STRIDE - bytes per doorbell page; one page can be mapped into a process */
#define ANPU_DOORBELL_STRIDE	0x1000
/**
 * ANPU_DOORBELL_WPTR - WO, offset in a doorbell page: an 8-byte write of the queue's write index
 * (struct anpu_queue_control.wptr). An index that moves backwards, or runs ahead of completed by
 * more than the ring's size, halts the queue with ANPU_FAULT_BAD_DOORBELL. The device takes the
 * greater of the value and the control page's wptr. Other offsets are refused accesses.
 */
#define ANPU_DOORBELL_WPTR	0x0
/** ANPU_BAR_REGS_SIZE - size of BAR0 for a number of queues, before rounding up to a power of 2 */
#define ANPU_BAR_REGS_SIZE(queues) \
	(ANPU_DOORBELL_OFFSET + (queues) * (unsigned long long)ANPU_DOORBELL_STRIDE)

/* Queues --------------------------------------------------------------------------------------- */

/**
 * enum anpu_queue_cmd - commands of ANPU_REG_QUEUE_CMD
 * @ANPU_QUEUE_START: read the context and begin at index 0; the state becomes RUNNING, or REFUSED
 *	with fault record 0 telling why. Only for a STOPPED or REFUSED queue, else ignored.
 * @ANPU_QUEUE_STOP: kill the running packet within 10 ms (its fault is ANPU_FAULT_KILLED), drop the
 *	others, write STOPPED, send ANPU_EVENT_STOPPED. After that the device touches neither ring,
 *	pages nor address space for this queue. A STOPPED queue sends the event again.
 * @ANPU_QUEUE_RESUME: a HALTED queue goes on behind the packet that failed
 * @ANPU_QUEUE_ABORT: kill the running packet within 10 ms (its fault is ANPU_FAULT_KILLED) and drop
 *	what was written behind it, which is one failure KILLED more, whose record has no opcode,
 *	the last packet's number as @seq and how many they are as @addr: completed becomes wptr, and
 *	the queue goes on with what comes then. So does a HALTED queue.
 * @ANPU_QUEUE_HALT_ON_FAILURE: as if started with ANPU_QUEUE_STOP_ON_FAILURE, from the next packet
 *	on
 * @ANPU_QUEUE_GO_ON: as if started without; a HALTED queue stays halted
 * @ANPU_QUEUE_RESET: as STOP, for a queue that does not obey STOP: the engines and AI cores that
 *	work for it are reset with it, other queues go on (since 1.2, as the next)
 * @ANPU_QUEUE_REFRESH: at the next packet boundary look at wptr, whether a doorbell has rung or
 *	not, and store completed, state and status.refresh anew
 * @ANPU_QUEUE_HALT: kill the running packet within 10 ms (its fault is ANPU_FAULT_KILLED) and halt,
 *	as after a failure; what was written behind it stays. That is one failure KILLED more, whose
 *	record has no opcode and the number of packets completed as @seq. Only for a queue that
 *	RUNs, else ignored (since 1.4)
 * @ANPU_QUEUE_END_TASK: if the packet of the ring that is being executed, or parked, is the one
 *	whose sequence number has the argument as its low 32 bits, end it within 10 ms, all of it:
 *	an INDIRECT with its packets that have not run. It has failed with ANPU_FAULT_ENDED, unless
 *	it has ended before, and the queue goes on, or halts, as after any failure. Nothing happens
 *	if it has not begun or was executed (since 1.5, ANPU_CAP_END_TASK)
 * @ANPU_QUEUE_PRIORITY: the argument is the queue's priority from the next packet on, 0 to
 *	ANPU_PRIORITIES - 1, others are refused accesses (since 1.5, ANPU_CAP_PRIORITY)
 * @ANPU_QUEUE_CMD_COUNT: number of commands, plus 1
 *
 * ABORT and the next two, END_TASK and PRIORITY are for queues that RUN or are HALTED, else
 * ignored, and add 1 to status.commands when they have taken effect. REFRESH is for such queues,
 * too.
 */
enum anpu_queue_cmd {
	ANPU_QUEUE_START = 1,
	ANPU_QUEUE_STOP,
	ANPU_QUEUE_RESUME,
	ANPU_QUEUE_ABORT,
	ANPU_QUEUE_HALT_ON_FAILURE,
	ANPU_QUEUE_GO_ON,
	ANPU_QUEUE_RESET,
	ANPU_QUEUE_REFRESH,
	ANPU_QUEUE_HALT,
	ANPU_QUEUE_END_TASK,
	ANPU_QUEUE_PRIORITY,
	ANPU_QUEUE_CMD_COUNT
};

/** ANPU_QUEUE_CMD - value for ANPU_REG_QUEUE_CMD */
#define ANPU_QUEUE_CMD(cmd, queue) ((__u64)(cmd) | (__u64)(queue) << 16)
/** ANPU_QUEUE_CMD_ARG - the same of a command with an argument */
#define ANPU_QUEUE_CMD_ARG(cmd, queue, arg) (ANPU_QUEUE_CMD(cmd, queue) | (__u64)(__u32)(arg) << 32)

#define ANPU_RING_LOG2_MIN	4
#define ANPU_RING_LOG2_MAX	16
#define ANPU_PRIORITIES		8

/** ANPU_QUEUE_STOP_ON_FAILURE - halt at the first failed packet; else record it and go on */
#define ANPU_QUEUE_STOP_ON_FAILURE	(1U << 0)
#define ANPU_QUEUE_FLAGS		0x1U

/** ANPU_CONTROL_SIZE - bytes of a struct anpu_queue_control that the device looks at */
#define ANPU_CONTROL_SIZE		128

/**
 * struct anpu_queue_context - how a queue runs; read once by START
 * @ring: HBM address of the ring, 4096-byte aligned; packet i stands at (i mod size) * 64
 * @status: HBM address of the struct anpu_queue_status, 4096-byte aligned
 * @control: HBM address of the struct anpu_queue_control, 4096-byte aligned; with ANPU_CAP_KICK
 *	aligned to ANPU_CONTROL_SIZE
 * @ring_log2: log2 of the ring's size in packets, ANPU_RING_LOG2_MIN to _MAX
 * @asid: address space of all packets
 * @priority: 0 (highest) to ANPU_PRIORITIES - 1
 * @event_queue: event queue of this queue's events
 * @flags: ANPU_QUEUE_*
 * @reserved0: must be zero
 * @cookie: the driver's, copied into events
 * @print: virtual address of the struct anpu_print_buffer of its operators' output, aligned
 *	to ANPU_PRINT_ALIGN, or 0: output is dropped. A buffer that cannot be accessed faults the
 *	operator.
 * @overflow: virtual address of the overflow table, ANPU_OVERFLOW_ENTRIES times struct
 *	anpu_overflow, aligned to ANPU_OVERFLOW_ALIGN, or 0: a KERNEL with ANPU_KERNEL_OVERFLOW is
 *	refused. An entry that cannot be accessed faults the operator that has something to note.
 * @trace: virtual address of the struct anpu_trace_buffer in which the device records when packets
 *	and blocks ran, aligned to ANPU_TRACE_ALIGN, or 0: it records nothing. Nothing fails if the
 *	buffer cannot be accessed; then there is no record. Since 1.7, where it was reserved
 * @reserved: must be zero
 *
 * Sequence numbers are write indices: the packet written at index i has sequence number i + 1.
 */
struct anpu_queue_context {
	__u64 ring;
	__u64 status;
	__u64 control;
	__u32 ring_log2;
	__u32 asid;
	__u32 priority;
	__u32 event_queue;
	__u32 flags;
	__u32 reserved0;
	__u64 cookie;
	__u64 print;
	__u64 overflow;
	__u64 trace;
	__u64 reserved[6];
};

/** ANPU_SHADOW_GROUP - queues of a group of struct anpu_shadow_doorbells */
#define ANPU_SHADOW_GROUP		64

/**
 * struct anpu_shadow_doorbells - doorbells of all queues in memory (since 1.5,
 *	ANPU_CAP_SHADOW_DOORBELLS)
 * @polling: not 0 while the device promises to look at @group again; written by the device
 * @reserved: zero
 * @group: for each group of ANPU_SHADOW_GROUP queues, not 0: one of them may have rung
 * @rung: for each queue, not 0: it has rung, as by register KICK
 *
 * To ring a queue: store wptr; store (release) 1 to its @rung, then (release) 1 to its @group;
 * issue a full memory barrier; read @polling; write register KICK only if it is zero. The device
 * takes a @group by an atomic exchange with 0, then the @rung of its queues likewise. Before it
 * stops looking it clears @polling, issues a full barrier, and looks once more. Zero all of it
 * before its address is given to the device. Bytes of queues that the device does not have, or that
 * do not run, are taken and ignored.
 */
struct anpu_shadow_doorbells {
	__u32 polling;
	__u32 reserved[15];
	__u8 group[ANPU_MAX_QUEUES / ANPU_SHADOW_GROUP];
	__u8 rung[ANPU_MAX_QUEUES];
};

/* Event queues --------------------------------------------------------------------------------- */

/**
 * enum anpu_event_type - type of an event
 * @ANPU_EVENT_NONE: never sent
 * @ANPU_EVENT_COMPLETED: completed has reached irq_at; @seq is completed
 * @ANPU_EVENT_FAULT: a packet failed; @code is the cause, @data0 the fault's ordinal
 * @ANPU_EVENT_NOTIFY: a NOTIFY packet; @data0 its cookie, @data1 its value
 * @ANPU_EVENT_SIGNAL: a SEM_SIGNAL with ANPU_SEM_IRQ; @data0 the address, @data1 the new value
 * @ANPU_EVENT_STOPPED: QUEUE_STOP is done
 */
enum anpu_event_type {
	ANPU_EVENT_NONE = 0,
	ANPU_EVENT_COMPLETED,
	ANPU_EVENT_FAULT,
	ANPU_EVENT_NOTIFY,
	ANPU_EVENT_SIGNAL,
	ANPU_EVENT_STOPPED
};

/**
 * struct anpu_event - entry of an event queue
 * @type: enum anpu_event_type
 * @queue: queue it is about
 * @code: by type, else zero
 * @seq: sequence number of the packet it is about
 * @cookie: the queue context's
 * @data0: by type, else zero
 * @data1: by type, else zero
 * @reserved: zero
 */
struct anpu_event {
	__u16 type;
	__u16 queue;
	__u32 code;
	__u64 seq;
	__u64 cookie;
	__u64 data0;
	__u64 data1;
	__u64 reserved[3];
};

/**
 * struct anpu_event_header - first 128 bytes of an event queue
 * @wptr: events ever written by the device; stored (release) after the entry, before the interrupt
 * @reserved0: zero
 * @rptr: events ever consumed by the driver; stored (release) by the driver
 * @reserved1: zero
 *
 * Entry i stands behind the header at (i mod size) * 64. The device never overwrites an entry that
 * the driver has not consumed: while the queue is full it holds events back and parks the queues
 * that produce them, looking at rptr again at least every millisecond. For events of the types
 * FAULT, NOTIFY and SIGNAL it is full when three quarters of its entries are not consumed: programs
 * can make as many of these as they like, and the rest is for COMPLETED and STOPPED.
 */
struct anpu_event_header {
	__u64 wptr;
	__u64 reserved0[7];
	__u64 rptr;
	__u64 reserved1[7];
};

/* Address spaces ------------------------------------------------------------------------------- *
 *
 * Four levels of 512-entry tables in HBM, indexed by bits 47:39, 38:30, 29:21 and 20:12 of the
 * virtual address. A leaf stands in the last level (4 KiB) or the third (2 MiB). Sixteen aligned
 * leaves of the last level that map 64 KiB of contiguous, 64-KiB-aligned memory with equal rights
 * may all carry ANPU_PTE_CONT, which lets the device keep one translation for them. Bits marked
 * "(leaf)" must be zero in an entry that points to a table.
 */

/** ANPU_ASID_VALID - the ASID table entry is in use */
#define ANPU_ASID_VALID		(1ULL << 0)

/** ANPU_PTE_VALID - the entry is in use; all other bits are ignored without it */
#define ANPU_PTE_VALID		(1ULL << 0)
/** ANPU_PTE_READ - reads allowed (leaf) */
#define ANPU_PTE_READ		(1ULL << 1)
/** ANPU_PTE_WRITE - writes allowed (leaf); needs READ */
#define ANPU_PTE_WRITE		(1ULL << 2)
/** ANPU_PTE_EXEC - operator code may be fetched (leaf); excludes WRITE */
#define ANPU_PTE_EXEC		(1ULL << 3)
/** ANPU_PTE_LEAF - the entry maps memory; else it points to the next table */
#define ANPU_PTE_LEAF		(1ULL << 4)
/** ANPU_PTE_CONT - one of sixteen leaves of a 64 KiB page (leaf, last level only) */
#define ANPU_PTE_CONT		(1ULL << 5)
/** ANPU_PTE_SYSTEM - the address is a DMA address in system memory, else an HBM address (leaf) */
#define ANPU_PTE_SYSTEM		(1ULL << 6)
/** ANPU_PTE_RESERVED - bits that must be zero in a valid entry */
#define ANPU_PTE_RESERVED	((0x1fULL << 7))
/** ANPU_PTE_ADDR - address of the next table or of the memory; alignment as the leaf's size */
#define ANPU_PTE_ADDR		0x000ffffffffff000ULL
/** ANPU_PTE_SOFT - bits that the device ignores, for the driver's own use */
#define ANPU_PTE_SOFT		0xfff0000000000000ULL

#define ANPU_PT_LEVELS		4
#define ANPU_PT_ENTRIES		512
#define ANPU_PT_SIZE		4096
/** ANPU_PT_SHIFT - lowest address bit that level l (0 = top) looks at */
#define ANPU_PT_SHIFT(l)	(39 - 9 * (l))
#define ANPU_PAGE_4K		0x1000ULL
#define ANPU_PAGE_64K		0x10000ULL
#define ANPU_PAGE_2M		0x200000ULL

#endif /* ANPU_HW_H */
