// SPDX-License-Identifier: MIT
/*
 * The rooms of libacl, put together. A folder is a room, and <room>/<room>.h has what it offers. Rooms
 * use each other in one direction only:
 *
 *	util <- core <- device <- memory <- stream <-+- copy <- launch <-+- graph
 *	                                             +- sync <-----------+- diag
 *	                                                                 +- config, which uses graph, too
 *	                                             +- pool
 *
 * A room may use everything to its left that a line leads to; the header of each names them.
 *
 * Where a lower room has something to tell a higher one, or to ask it, it declares a table, which is
 * defined here, where all rooms are known. The tables are constant: nothing is registered at run
 * time. tests/unit/lib/rooms.py checks the directions.
 *
 * Locks, in the order in which they nest: the device table (device/device.c), a context's, a stream's,
 * that of peer access (memory/peermap.c), a device's, the list of its streams (events_lock), callbacks,
 * the host memory table, the handle registry. A thread that uses an object holds a reference, so a
 * concurrent destroy only makes its handle unknown.
 */
#include "diag/diag.h"
#include "graph/graph.h"
#include "pool/pool.h"

/* aclFinalize() ends all contexts, and with the last one of each device everything else */
static aclError process_end(void)
{
	return anpu_host_memory_tell_left(anpu_contexts_end_all());
}

aclError (*const anpu_process_end)(void) = process_end;

const struct anpu_context_life anpu_context_life = {
	.begin = anpu_context_streams_begin,
	.end = anpu_context_streams_end,
	.release = anpu_context_streams_release,
};

const struct anpu_memory_hooks anpu_memory_hooks = {
	.await_tasks = anpu_sync_current_device,
	.freed = anpu_races_freed,
	.allocation = { [ANPU_REGION_POOL] = anpu_pool_allocation,
			[ANPU_REGION_CODE] = anpu_binary_variable },
};

/* A binary ends: what was kept of it by its addresses ends, too */
static void binary_end(struct anpu_binary *bin)
{
	anpu_exception_forget(bin);
	anpu_timeline_forget(bin);
}

void (*const anpu_trace_collect)(void) = anpu_timeline_collect;

const struct anpu_stream_life anpu_stream_life[] = {
	{ .leave = anpu_graph_leave },
	{ .begin = anpu_timeline_start,
	  .leave = anpu_timeline_stream_leaves,
	  .destroy = anpu_timeline_stream_ends },
	{ .begin = anpu_print_start },
	{ .destroy = anpu_events_leave, .end = anpu_calls_end },
	{ .end = anpu_allocator_forget },
};
const unsigned int anpu_stream_life_count = ARRAY_SIZE(anpu_stream_life);

const struct anpu_recorder anpu_recorder = {
	.packet = anpu_graph_record,
	.args = anpu_graph_args,
	.host_func = anpu_graph_host_func,
	.cannot = anpu_graph_cannot,
	.refuse = anpu_graph_refuse,
	.illegal = anpu_graph_illegal,
	.unsafe = anpu_capture_unsafe,
	.device = anpu_capture_device,
	.event = anpu_capture_event,
	.wait = anpu_capture_wait,
	.dependency = anpu_capture_dependency,
	.live = anpu_capture_live,
	.forget = anpu_capture_forget,
	.refuse_event = anpu_capture_refuse_event,
};

const struct anpu_stream_hooks anpu_stream_hooks = {
	.progress = anpu_print_drain,
	.prints = anpu_print_active,
	.synchronised = anpu_pools_settle,
	.failed = anpu_events_await_hooks,
	.traced = anpu_timeline_read,
	.dropped = anpu_calls_drop,
	.fault_code = anpu_fault_code,
	.fault_text = anpu_fault_text,
	.hang_text = anpu_hang_text,
};

const struct anpu_diag_hooks anpu_diag_hooks = { .graph_waits = anpu_graph_waits_text };

const struct anpu_sync_hooks anpu_sync_hooks = {
	.wanted = anpu_exceptions_wanted,
	.failed = anpu_exception_tell,
	.notified = anpu_graph_call_reached,
};

const struct anpu_launch_hooks anpu_launch_hooks = { .binary_end = binary_end };

/* In the order in which rooms end; they begin in the reverse order */
const struct anpu_device_life anpu_device_life[] = {
	{ .leave = anpu_event_waits_release },
	{ .end = acl_obj_tell_all_left },
	{ .end = anpu_device_streams_end },
	{ .end = anpu_copy_end },
	/* runs exception callbacks, which may still ask for functions */
	{ .end = anpu_events_end },
	{ .end = anpu_print_drain, .release = anpu_print_free },
	{ .opened = anpu_hang_watch, .end = anpu_hang_watch_end },
	{ .release = anpu_timeline_free },
	{ .release = anpu_code_list_free },
	{ .opened = anpu_exceptions_opened, .release = anpu_overflow_free },
	/* from here on no object of the device gets a handle */
	{ .end = acl_obj_end_device },
	/* those that other threads were making meanwhile */
	{ .end = anpu_device_streams_end },
	{ .end = anpu_binaries_end },
	{ .end = acl_obj_drop_device },
	{ .end = anpu_pools_end },
	{ .end = anpu_slots_end },
	{ .end = anpu_host_memory_orphan },
	{ .end = anpu_peers_forget },
	{ .end = anpu_imports_end },
	{ .begin = anpu_regions_begin,
	  .end = anpu_regions_end,
	  .release = anpu_regions_release },
};
const unsigned int anpu_device_life_count = ARRAY_SIZE(anpu_device_life);
