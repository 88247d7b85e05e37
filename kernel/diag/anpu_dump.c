// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The state of the device and its queues just before a reset, as a devcoredump: text, a line per
 * fact; scripts/anpu-coredump makes it readable. The dump is made with the reset's lock held and
 * takes no lock that a stuck program could hold.
 */
#include <linux/devcoredump.h>
#include <linux/sysfs.h>
#include <linux/vmalloc.h>

#include "anpu_dump.h"
#include "device/anpu_device.h"
#include "device/anpu_drv.h"
#include "device/anpu_event.h"
#include "memory/anpu_vm.h"
#include "stream/anpu_stream.h"

#define ANPU_DUMP_MAX		SZ_1M
/* Packets of a ring that are shown, beginning with the oldest that has not completed. */
#define ANPU_DUMP_PACKETS	16
/* Mappings of an address space: a program can have millions, and others wait for the reset. */
#define ANPU_DUMP_MAPPINGS	4096

/**
 * anpu_registers_print() - print the device's counters and registers
 * @adev: device, in a section of anpu_enter()
 * @p: printer
 */
void anpu_registers_print(struct anpu_device *adev, struct drm_printer *p)
{
	static const struct {
		const char *name;
		u32 reg;
	} regs[] = {
		{ "control", ANPU_REG_CONTROL }, { "status", ANPU_REG_STATUS },
		{ "resets", ANPU_REG_RESETS }, { "clock", ANPU_REG_CLOCK },
		{ "tlb_issued", ANPU_REG_TLB_ISSUED }, { "tlb_done", ANPU_REG_TLB_DONE },
		{ "bad_access", ANPU_REG_BAD_ACCESS }, { "packets", ANPU_REG_PACKETS },
		{ "kernels", ANPU_REG_KERNELS }, { "blocks", ANPU_REG_BLOCKS },
		{ "faults", ANPU_REG_FAULTS }, { "copy_bytes", ANPU_REG_COPY_BYTES },
		{ "doorbells", ANPU_REG_DOORBELLS_RUNG }, { "interrupts", ANPU_REG_INTERRUPTS },
		{ "events", ANPU_REG_EVENTS },
	};

	for (u32 i = 0; i < ARRAY_SIZE(regs); i++)
		drm_printf(p, "%s %llu\n", regs[i].name, anpu_read(adev, regs[i].reg));
	drm_printf(p, "driver_resets %u%s\n", READ_ONCE(adev->reset_gen),
		   anpu_cut_off(adev) ? " dead" : "");
	drm_printf(p, "queue_resets %u\nlost_interrupts %d\n", READ_ONCE(adev->queue_resets),
		   atomic_read(&adev->watchdog.lost_interrupts));
	if (adev->shadow_mem) {
		const struct anpu_shadow_doorbells *shadow = adev->shadow_mem->cpu;

		drm_printf(p, "shadow_doorbells %#llx\nshadow_polling %u\n", adev->shadow_mem->addr,
			   READ_ONCE(shadow->polling));
	}
	for (u32 i = 0; i < adev->n_eqs; i++)
		drm_printf(p, "event_queue %u: events %llu interrupts %llu\n", i,
			   READ_ONCE(adev->eqs[i].rptr), READ_ONCE(adev->eqs[i].interrupts));
}

static void anpu_dump_fault(struct anpu_stream *stream, u64 ordinal, struct anpu_fault *f,
			    struct drm_printer *p)
{
	if (anpu_fault_read(stream, ordinal, f))
		return;
	drm_printf(p, "fault %llu seq %llu time %llu task %u cause %u opcode %u core_type %u",
		   f->ordinal, f->seq, f->time_ns, f->task_id, f->cause, f->opcode, f->core_type);
	drm_printf(p, " ib_index %u entry %#llx args %#llx args_size %u",
		   f->ib_index, f->entry, f->args, f->args_size);
	drm_printf(p, " pc %#llx addr %#llx access %u size %u",
		   f->pc, f->addr, f->access, f->size);
	drm_printf(p, " block %u sub_block %u core %u insn %#x message %*pE\n", f->block,
		   f->sub_block, f->core, f->insn,
		   (int)strnlen(f->message, sizeof(f->message)), f->message);
	drm_puts(p, "x");
	for (u32 i = 0; i < ARRAY_SIZE(f->x); i++)
		drm_printf(p, " %llx", f->x[i]);
	drm_puts(p, "\n");
}

static void anpu_dump_packets(struct anpu_stream *stream, struct drm_printer *p)
{
	u64 completed = anpu_stream_completed(stream), wptr = anpu_stream_submitted(stream);
	u64 count = min_t(u64, wptr - completed, min_t(u64, stream->ring_mask + 1,
						       ANPU_DUMP_PACKETS));

	for (u64 i = completed; i < completed + count; i++) {
		union anpu_packet pkt;
		const u64 *q = pkt.qword;

		/* A stream that is destroyed gives its ring back after it has left the table. */
		scoped_guard(spinlock_irqsave, &stream->adev->streams_lock) {
			if (stream->adev->streams[stream->queue] != stream)
				return;
			pkt = stream->ring[i & stream->ring_mask];
		}
		drm_printf(p, "packet %llu %llx %llx %llx %llx %llx %llx %llx %llx\n", i + 1,
			   q[0], q[1], q[2], q[3], q[4], q[5], q[6], q[7]);
	}
}

static void anpu_dump_stream(struct anpu_stream *stream, struct anpu_fault *fault,
			     struct drm_printer *p)
{
	const struct anpu_queue_status *st = stream->status;
	u64 errors = READ_ONCE(st->errors);

	drm_printf(p, "queue %u asid %u priority %u flags %#x event_queue %u state %u",
		   stream->queue, stream->asid, stream->priority, stream->flags, stream->eq,
		   anpu_stream_state(stream));
	drm_printf(p, " submitted %llu completed %llu started %llu errors %llu polling %u",
		   anpu_stream_submitted(stream), anpu_stream_completed(stream),
		   READ_ONCE(st->started), errors, READ_ONCE(st->polling));
	drm_printf(p, " busy_ns %llu ring %u stream %u pid %d%s program %s\n",
		   READ_ONCE(st->busy_ns), 1u << stream->ring_log2, stream->id, stream->pid,
		   READ_ONCE(stream->dead) ? " dead" : "", stream->comm);
	anpu_dump_packets(stream, p);
	if (errors)
		anpu_dump_fault(stream, 1, fault, p);
	/* The device may report any number, so this number bounds no loop. */
	for (u32 i = ANPU_STATUS_FAULTS - 1; i--;) {
		if (errors >= i + 2)
			anpu_dump_fault(stream, errors - i, fault, p);
	}
}

static void anpu_dump_all(struct anpu_device *adev, const char *why,
			  const struct drm_print_iterator *iter, struct drm_printer *p)
{
	struct anpu_fault *fault __free(kfree) = kmalloc(sizeof(*fault), GFP_KERNEL);
	struct anpu_file *file;

	drm_printf(p, "anpu-coredump 1\nreason %s\ndevice %s version %llu.%llu cores %u hbm %llu\n",
		   why, pci_name(adev->pdev), (adev->version >> 16) & 0xffff,
		   adev->version & 0xffff, adev->n_cores, adev->hbm_size);
	drm_puts(p, "[registers]\n");
	anpu_registers_print(adev, p);
	drm_puts(p, "[queues]\n");
	for (u32 i = 0; fault && i < adev->n_queues; i++) {
		struct anpu_stream *stream __free(anpu_stream) = anpu_stream_of_queue(adev, i);

		if (stream)
			anpu_dump_stream(stream, fault, p);
	}
	drm_puts(p, "[address spaces]\n");
	scoped_guard(mutex, &adev->files_lock) {
		list_for_each_entry(file, &adev->files, link) {
			/* It is full. */
			if (!iter->remain)
				break;
			drm_printf(p, "%s[%d] ", file->comm, file->pid);
			anpu_vm_print(file->vm, p, ANPU_DUMP_MAPPINGS);
		}
	}
	drm_puts(p, "[end]\n");
}

/**
 * anpu_dump() - make a devcoredump
 * @adev: device, in a section of anpu_enter(), with its reset_lock held
 * @why: the reason, one line
 *
 * The kernel keeps one per device, until somebody has read it or five minutes have passed. Until
 * then no other is made, nor while the old one goes: its link in sysfs is the last to go, and the
 * kernel complains about a second one.
 */
void anpu_dump(struct anpu_device *adev, const char *why)
{
	struct drm_print_iterator iter = { .remain = ANPU_DUMP_MAX };
	struct drm_printer p = drm_coredump_printer(&iter);
	struct kernfs_node *old = sysfs_get_dirent(adev->pdev->dev.kobj.sd, "devcoredump");

	if (old) {
		sysfs_put(old);
		return;
	}
	/* A reset goes on without a dump, and the log tells of the reset already. */
	iter.data = __vmalloc(ANPU_DUMP_MAX, GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
	if (!iter.data)
		return;
	anpu_dump_all(adev, why, &iter, &p);
	dev_coredumpv(&adev->pdev->dev, iter.data, ANPU_DUMP_MAX - iter.remain, GFP_KERNEL);
}
