/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM anpu

#if !defined(ANPU_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define ANPU_TRACE_H

#include <linux/tracepoint.h>

#include "memory/anpu_vm.h"
#include "stream/anpu_stream.h"

/* Packets up to @wptr were given to the device; @doorbell tells whether it had to be woken. */
TRACE_EVENT(anpu_submit,
	TP_PROTO(const struct anpu_stream *stream, u64 wptr, bool doorbell),
	TP_ARGS(stream, wptr, doorbell),
	TP_STRUCT__entry(
		__string(dev, dev_name(stream->adev->drm.dev))
		__field(u32, queue)
		__field(u32, stream)
		__field(u64, wptr)
		__field(bool, doorbell)
	),
	TP_fast_assign(
		__assign_str(dev);
		__entry->queue = stream->queue;
		__entry->stream = stream->id;
		__entry->wptr = wptr;
		__entry->doorbell = doorbell;
	),
	TP_printk("dev=%s queue=%u stream=%u seq=%llu doorbell=%d", __get_str(dev),
		  __entry->queue, __entry->stream, __entry->wptr, __entry->doorbell)
);

/* The device has sent an event about a stream: completed, failed, notified, stopped. */
TRACE_EVENT(anpu_event,
	TP_PROTO(const struct anpu_stream *stream, const struct anpu_event *ev),
	TP_ARGS(stream, ev),
	TP_STRUCT__entry(
		__string(dev, dev_name(stream->adev->drm.dev))
		__field(u32, queue)
		__field(u32, stream)
		__field(u32, type)
		__field(u32, code)
		__field(u64, seq)
	),
	TP_fast_assign(
		__assign_str(dev);
		__entry->queue = stream->queue;
		__entry->stream = stream->id;
		__entry->type = ev->type;
		__entry->code = ev->code;
		__entry->seq = ev->seq;
	),
	TP_printk("dev=%s queue=%u stream=%u type=%s seq=%llu code=%u", __get_str(dev),
		  __entry->queue, __entry->stream,
		  __print_symbolic(__entry->type,
				   { ANPU_EVENT_COMPLETED, "completed" },
				   { ANPU_EVENT_FAULT, "fault" },
				   { ANPU_EVENT_NOTIFY, "notify" },
				   { ANPU_EVENT_SIGNAL, "signal" },
				   { ANPU_EVENT_STOPPED, "stopped" }),
		  __entry->seq, __entry->code)
);

/* An operation of a VM_BIND has taken effect. */
TRACE_EVENT(anpu_bind,
	TP_PROTO(const struct anpu_vm *vm, const struct drm_anpu_vm_bind_op *op),
	TP_ARGS(vm, op),
	TP_STRUCT__entry(
		__string(dev, dev_name(vm->adev->drm.dev))
		__field(u32, asid)
		__field(u32, op)
		__field(u32, flags)
		__field(u32, handle)
		__field(u64, va)
		__field(u64, size)
		__field(u64, offset)
	),
	TP_fast_assign(
		__assign_str(dev);
		__entry->asid = vm->asid;
		__entry->op = op->op;
		__entry->flags = op->flags;
		__entry->handle = op->handle;
		__entry->va = op->va;
		__entry->size = op->size;
		__entry->offset = op->offset;
	),
	TP_printk("dev=%s asid=%u op=%s va=%#llx size=%#llx flags=%#x handle=%u offset=%#llx",
		  __get_str(dev), __entry->asid,
		  __print_symbolic(__entry->op,
				   { DRM_ANPU_VM_MAP, "map" },
				   { DRM_ANPU_VM_REPLACE, "replace" },
				   { DRM_ANPU_VM_UNMAP, "unmap" }),
		  __entry->va, __entry->size, __entry->flags, __entry->handle, __entry->offset)
);

/* All streams die because the device is reset. */
TRACE_EVENT(anpu_reset,
	TP_PROTO(const struct anpu_device *adev, const char *why),
	TP_ARGS(adev, why),
	TP_STRUCT__entry(
		__string(dev, dev_name(adev->drm.dev))
		__string(why, why)
		__field(u32, resets)
	),
	TP_fast_assign(
		__assign_str(dev);
		__assign_str(why);
		__entry->resets = adev->reset_gen;
	),
	TP_printk("dev=%s resets=%u why=\"%s\"", __get_str(dev), __entry->resets, __get_str(why))
);

#endif /* ANPU_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH diag
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE anpu_trace
#include <trace/define_trace.h>
