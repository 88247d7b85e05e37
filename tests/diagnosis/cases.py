# SPDX-License-Identifier: MIT
"""The rows of the catalogue: name, code, title, quote, remedy, environment; see catalogue.py."""

SUBMITTED = "the task was submitted by aclrtLaunchKernelWithHostArgs() in {name}() at {{CALL}}"
BLOCKING = {"ASCEND_LAUNCH_BLOCKING": "1"}
CHECK = {"ANPU_CHECK": "1"}


def by(name):
    return SUBMITTED.format(name=name)


CASES = [
    # Operators that fail
    ("op_read_behind", 507015, "an operator reads behind a tensor",
     "kernel 'copy' (task 1) failed in block 0 ... read of 4 bytes at 0x ... behind the end of the nearest allocation, "
     "4.0 MiB at 0x ... made by aclrtMalloc() in device() at ... copy() at {BUG} ... " + by("op_read_behind"),
     "give the operator the number of elements that the tensor has"),
    ("op_inlined", 507015, "a function that was inlined into an operator writes behind a tensor",
     "write of 4 bytes ... store_at() at {BUG}, inlined into far_store() at kernels.c:25 ... " + by("op_inlined"),
     "look at the index in both lines"),
    ("op_null", 507015, "an operator gets a pointer that was not set",
     "write of 4 bytes at 0x0, NULL: a pointer that was not set ... null_store() at {BUG} ... " + by("op_null"),
     "check the arguments of the launch"),
    ("op_host_pointer", 507015, "an operator gets the address of a variable of the host",
     "host memory, which the device does not reach: copy it with aclrtMemcpy() ... at {BUG} ... " + by("op_host_pointer"),
     "pass memory of `aclrtMalloc()`, and copy there"),
    ("op_low_host_pointer", 507015, "an operator gets an address of the host where stacks of threads would be",
     "host memory, which the device does not reach: copy it with aclrtMemcpy() ... at {BUG} ... " +
     by("op_low_host_pointer"),
     "pass memory of `aclrtMalloc()`, and copy there"),
    ("op_freed", 507015, "an operator uses memory that was freed",
     "in the 4.0 MiB at 0x ... device memory that was freed ... by aclrtFree() in op_freed() at {FREED}, made by "
     "aclrtMalloc() ... at {BUG} ... " + by("op_freed"),
     "free it behind a synchronisation of the streams that use it"),
    ("op_handle", 507015, "an operator gets a handle where an address belongs",
     "the handle of a stream and no address ... at {BUG} ... " + by("op_handle"), "check the order of the arguments"),
    ("op_assert", 507016, "an assertion of an operator fails",
     "an assertion of the operator failed ... divide() at {BUG} ... kernels.c:35: n ... " + by("op_assert"),
     "the sentence has what the operator asserts"),
    ("op_trap", 507016, "an operator gives up",
     "the operator trapped ... give_up() at {BUG} ... the tensor has no elements ... " + by("op_trap"),
     "the sentence has what the operator says"),
    ("op_timeout", 507014, "an operator does not end",
     "the kernel ran longer than its limit ... endless() at ... limit of 300000 us ... " + by("op_timeout"),
     "look at the loop, or raise the limit: `aclrtSetOpExecuteTimeOutWithMs()`"),
    ("op_deadlock", 507014, "some blocks end, and others wait for them",
     "one_leaves() at {BUG} ... deadlock: 3 of 4 blocks wait, the others ended: blocks 0-2 in SYNCALL ... "
     + by("op_deadlock"), "all blocks have to arrive at a barrier"),
    ("later_failures", 507015, "the first task of a stream fails, others are behind it",
     "null_store() at ... " + by("later_failures") + " ... the stream has stopped: its 5 tasks behind this one do not run",
     "repair the first one"),
    ("blocking", 507015, "which launch was it",
     "E507015 aclrtLaunchKernelWithHostArgs: stream 1: kernel 'null_store' ... in blocking() at {BUG}",
     "with this variable the launch itself returns the failure", BLOCKING),
    # Calls with wrong arguments
    ("double_free", 107000, "memory is freed twice",
     "it was freed already ... by aclrtFree() in double_free() at {FREED}, made by aclrtMalloc()",
     "free it once"),
    ("copy_too_long", 107000, "a copy is longer than the allocation",
     "src with 128 bytes from 0x ... leaves its allocation, which begins at 0x", "check offset and size"),
    ("use_after_free_copy", 107000, "a copy from memory that was freed",
     "not allocated any more ... by aclrtFree() in use_after_free_copy() at {FREED}", "free it later"),
    ("few_arguments", 107000, "a launch with fewer arguments than the operator has parameters",
     "argsSize is 8 and kernel 'copy' has 3 parameters that take 20 bytes", "pass all, each at a multiple of 8"),
    ("wrong_handle", 107017, "a stream is used that was destroyed",
     "a stream that was destroyed already, or whose device was reset", "destroy it later"),
    ("thread_without_device", 107002, "a thread that has set no device",
     "this thread has no device: call aclrtSetDevice() or aclrtSetCurrentContext() in it first",
     "each thread sets its device"),
    ("sync_in_callback", 207000, "a callback waits for a stream",
     "it was called from inside a callback of the runtime, where it could wait for that callback itself",
     "let another thread wait"),
    # Hangs
    ("never_recorded", 507046, "a stream waits for an event that nobody records",
     "stream 2: 0 of 2 tasks have run; the next, queued by aclrtStreamWaitEvent() in never_recorded() at {BUG}, waits "
     "for event 1, which was never recorded", "record it, before or in another thread"),
    ("circle", 507046, "two streams wait for each other",
     "aclrtStreamWaitEvent() in circle() at {BUG} ... this is a circle: stream 2 waits for stream 3, which waits for "
     "stream 2, and none of them can go on", "record an event before the stream waits for another one"),
    ("no_report_thread", 507046, "a callback has no thread that runs it",
     "aclrtLaunchCallback() in no_report_thread() at {BUG}, waits for a callback, and no thread is in "
     "aclrtProcessReport()", "call `aclrtProcessReport()` in a loop in the thread that is subscribed"),
    ("wait_expired", 507047, "a limit for waits ends one",
     "a wait has expired; it was for event 1, which was never recorded ... aclrtStreamWaitEvent() in wait_expired() at "
     "{BUG}", "record the event, or raise `aclrtSetOpWaitTimeout()`"),
    ("by_signal", 507046, "a program seems to hang",
     "aclrtStreamWaitEvent() in by_signal() at {BUG}, waits for event 1, which was never recorded",
     "`kill -QUIT PID` with this variable", {"ANPU_HANG_SIGNAL": "QUIT"}),
    ("several_hang", 507046, "several streams wait, and a program seems to hang",
     "queued by aclrtWaitAndResetNotify() in several_hang() at {CALL}, waits for notify 2, which nothing has recorded ... "
     "at {MADE}, waits for notify 1, which nothing has recorded ... "
     "aclrtStreamWaitEvent() in several_hang() at {BUG}, waits for event 1, which was never recorded",
     "look at each stream of the report", {"ANPU_HANG_SIGNAL": "QUIT"}),
    # The checking mode
    ("chk_write_behind", 507015, "an operator writes a few bytes behind a tensor",
     "write of 4 bytes at 0x ... right behind the end of the nearest allocation, 400 B at 0x ... chk_write_behind() at "
     "{MADE} ... fill() at kernels.c:8 ... in chk_write_behind() at {CALL}",
     "give the operator the number of elements that the tensor has", CHECK),
    ("chk_write_before", 507015, "an operator writes before a tensor",
     "write of 4 bytes at 0x ... 8 B before the nearest allocation, 400 B at 0x ... fill() at kernels.c:8 ... in "
     "chk_write_before() at {CALL}", "look at the smallest index", CHECK),
    ("chk_write_page", 507015, "an operator writes just behind a tensor that fills its last 64 bytes",
     "write of 4 bytes at 0x ... right behind the end of the nearest allocation, 512 B at 0x ... chk_write_page() at "
     "{MADE} ... fill() at kernels.c:8 ... in chk_write_page() at {CALL}", "as above", CHECK),
    ("chk_unwritten", 0, "a copy to the host of memory that nothing has written",
     "uninitialised: this copy reads 64 bytes that nothing has written since aclrtMalloc() ... in chk_unwritten() at "
     "{BUG}", "launch the operator that writes it, or copy from another tensor", CHECK),
    ("chk_unwritten_tail", 0, "an operator leaves the last element out",
     "uninitialised: this copy reads 4 bytes ... the first at byte 396 of the allocation of 400 B ... at {BUG}",
     "look at the operator's last step", CHECK),
    ("chk_unwritten_input", 507015, "an operator's input was never copied to the device",
     "uninitialised: kernel 'copy', launched with it as its parameter 'in', reads 32 bytes that nothing has written ... "
     "at {BUG} ... scalar load: nothing has written the global memory at 0x", "copy the input before", CHECK),
    ("chk_kind", 0, "a copy with the wrong kind", "copy-kind: kind is ACL_MEMCPY_DEVICE_TO_HOST, and dst 0x ... is "
     "device memory ... in chk_kind() at {BUG}", "name the kind that fits", CHECK),
    ("chk_host_pointer", 0, "an operator that does not use it, yet, gets a host pointer",
     "host-pointer: kernel 'copy' gets 0x ... as its parameter 'in', which is host memory ... at {BUG}",
     "pass memory of `aclrtMalloc()`", CHECK),
    ("chk_no_synchronise", 0, "results are read before the stream is synchronised",
     "race: this copy reads memory at 0x ... and kernel 'fill' of stream 2, which writes it, is not known to be done ... "
     "in chk_no_synchronise() at {CALL} ... in chk_no_synchronise() at {BUG}", "synchronise the stream before", CHECK),
    ("chk_streams", 0, "two streams use a tensor, and no event orders them",
     "race: kernel 'copy' of stream 3 reads memory at 0x ... kernel 'fill' of stream 2, which writes it, has no order "
     "with it ... in chk_streams() at {CALL} ... in chk_streams() at {BUG}",
     "`aclrtRecordEvent()` behind the writer, `aclrtStreamWaitEvent()` before the reader", CHECK),
    ("chk_two_races", 0, "two pairs of streams use a tensor each, and no event orders them",
     "race: kernel 'copy' of stream 3 reads memory at 0x ... kernel 'fill' of stream 2, which writes it ... in chk_two_races() at "
     "{CALL} ... in chk_two_races() at {BUG} ... race: kernel 'copy' of stream 5 reads memory at 0x ... kernel 'fill' of stream 4, "
     "which writes it ... in chk_two_races() at {MADE} ... in chk_two_races() at {FREED}", "as above, for each pair", CHECK),
    ("chk_stream_copy", 0, "a copy in another stream than the operator that makes its data",
     "race: a copy of stream 3 reads memory at 0x ... in chk_stream_copy() at {CALL} ... aclrtMemcpyAsync() in "
     "chk_stream_copy() at {BUG}", "as above, or copy in the same stream", CHECK),
    ("chk_free_in_use", 0, "memory is freed while an operator may still use it",
     "use-after-free: memory at 0x ... is freed, and kernel 'fill' of stream 2, which uses it, is not known to be done "
     "... in chk_free_in_use() at {CALL} ... aclrtFree() in chk_free_in_use() at {BUG}",
     "synchronise the stream before", CHECK),
    ("chk_leak", 0, "memory is never freed",
     "leak: 4 KiB of device memory at 0x ... were never freed ... aclrtMalloc() in chk_leak() at {BUG}",
     "free it, or suppress `leak:`", CHECK),
    ("chk_large_leak", 0, "much memory is never freed: one finding",
     "leak: 32 MiB of device memory at 0x ... were never freed ... aclrtMalloc() in chk_large_leak() at {BUG} ... "
     "anpu: check: 1 finding", "as above", CHECK),
    ("chk_ignored", 0, "a call fails, and the program does not look",
     "call: E107000 aclrtMemcpy: count is 128 and destMax is 64 ... in chk_ignored() at {BUG}",
     "check what each call returns", CHECK),
    ("chk_pipes", 507015, "an operator does not wait for a copy into its scratchpad",
     "two pipes, threads or blocks touched the same memory without synchronisation ... no_flag() at {BUG} ... wait for a flag from MTE2 to "
     "V ... no_flag() at kernels.c:62 ... in chk_pipes() at {CALL}", "set and wait for the flag", CHECK),
    ("chk_reuse", 507015, "an operator loads into a tile that is still being stored",
     "early_load() at {BUG} ... wait for a flag from MTE3 to MTE2 ... in chk_reuse() at {CALL}",
     "set the flag behind the store, wait for it before the load", CHECK),
    ("chk_scratchpad", 507015, "an operator computes with more elements than it has loaded",
     "memory was read before it was written ... half_loaded() at {BUG} ... byte 32 of 64, was never written by "
     "this block ... in chk_scratchpad() at {CALL}", "load as many as are used", CHECK),
    ("chk_json", 0, "findings for programs", '{"kind": "leak", ... aclrtMalloc() in chk_leak() at checked.h:',
     "a JSON object in a line for each", dict(CHECK, ANPU_CHECK_JSON="/dev/stdout")),
    ("chk_status", 0, "findings fail a CI job", "anpu: check: 1 finding", "the program's exit status is the variable's",
     dict(CHECK, ANPU_CHECK_STATUS="9")),
    ("chk_suppressed", 0, "a finding that is accepted", "anpu: check: 0 findings, 1 suppressed",
     "a line `KIND:TEXT` in the file leaves out findings of a kind (`*`: any) whose text or call has TEXT",
     dict(CHECK, ANPU_CHECK_SUPPRESS="tests/diagnosis/suppressed", ANPU_CHECK_STATUS="0")),
    ("chk_clean", 0, "a right program has no findings", "CODE 0", "", CHECK),
    # Bounds, to the byte
    ("read_one_more", 507015, "an operator reads one element behind a tensor",
     "read of 4 bytes at 0x ... right behind the end of the nearest allocation, 400 B at 0x ... sum() at {BUG} ... "
     "in read_one_more() at {CALL}", "look at the loop's last step", CHECK),
    ("read_one_more_page", 507015, "the same with a tensor of whole pages", "right behind the end of the nearest "
     "allocation, 4 KiB at 0x ... sum() at {BUG} ... in read_one_more_page() at {CALL}", "as above", CHECK),
    ("write_one_more", 507015, "an operator writes one element behind a tensor", "write of 4 bytes at 0x ... right behind "
     "the end of the nearest allocation, 3.9 KiB at 0x ... ramp() at {BUG} ... in write_one_more() at {CALL}",
     "as above", CHECK),
    ("byte_more", 507015, "one byte behind", "read of 1 byte at 0x ... right behind the end of the nearest allocation, "
     "32 B at 0x ... bytes() at {BUG} ... in byte_more() at {CALL}", "as above", CHECK),
    ("read_before", 507015, "an operator reads the element before the first one", "read of 4 bytes at 0x ... 4 B before "
     "the nearest allocation, 400 B at 0x ... before() at {BUG} ... in read_before() at {CALL}",
     "look at the smallest index", CHECK),
    ("tile_behind", 507015, "the last tile is copied whole, and the tensor ends in it", "read of 112 bytes at 0x ... right "
     "behind the end of the nearest allocation, 400 B at 0x ... tiles() at {BUG} ... in tile_behind() at {CALL}",
     "copy the rest by `DataCopyPad()` or `anpu_dma_pad()`", CHECK),
    ("asc_unwritten_input", 507035, "an input of an Ascend C operator was never copied to the device",
     "memory was read before it was written, at pc 0x ... Compute() at {BUG} ... VBIN: src0 UB+0x0, byte 0 of 256, was "
     "never written ... in asc_unwritten_input() at {CALL}", "copy the input before", CHECK),
    # Blocks beside each other
    ("lost_sum", 507015, "all blocks add to one sum, without atomics",
     "scalar load reads 0x ... which block ... writes at 0x ... no barrier or flag orders them ... lost_sum() at {BUG}",
     "add atomically, or let each block have a sum of its own", CHECK),
    ("half_atomic", 507015, "one block stores where others add atomically",
     "half_atomic() at ... no barrier or flag orders them ... half_atomic() at blocks.c:",
     "a barrier between the two", CHECK),
    ("neighbour", 507015, "a block reads what its neighbour writes",
     "neighbour() at ... block ... no barrier or flag orders them ... neighbour() at blocks.c:",
     "`SyncAll()` between the two", CHECK),
    ("second_barrier", 507015, "a tensor is used again, and only the first of two barriers is there",
     "second_barrier() at ... which block ... no barrier or flag orders them ... second_barrier() at blocks.c:",
     "a barrier before the tensor is used again, too", CHECK),
    ("asc_overlap", 507035, "each block of an Ascend C operator writes a bit of its neighbour's part",
     "asc_overlap() at {BUG} ... DMA_LIN writes 0x ... which block ... writes at 0x ... no barrier or flag orders them",
     "look at the length of the last copy", CHECK),
    ("asc_no_syncall", 507035, "block 0 makes a value that all use, and they do not wait",
     "asc_no_syncall() at ascend.cpp: ... DMA_LIN ... which block ... no barrier or flag orders them ... asc_no_syncall() "
     "at ascend.cpp:", "`SyncAll()` before the value is used", CHECK),
    ("halves", 507015, "the vector part of a MIX kernel does not wait for the cube part",
     "vector_half() at {BUG}, inlined into halves_mix_aiv() ... DMA_LIN reads 0x ... cube part writes at 0x ... "
     "cube_half() at {MADE}", "`CrossCoreSetFlag()` behind the store, `CrossCoreWaitFlag()` before the load", CHECK),
    # Flags
    ("set_only", 507015, "a flag is set behind the last step, and nobody waits for it",
     "set_only() at {BUG} ... SETFLAG MTE3 to MTE2 event 3: still set at the block's end",
     "wait for it, or leave the set out in the last step", CHECK),
    ("asc_flag_left", 507035, "the same in Ascend C",
     "asc_flag_left() at {BUG} ... SETFLAG MTE3 to V event 1: still set at the block's end", "as above", CHECK),
    ("wait_only", 507015, "a wait for a flag that nothing sets",
     "wait_only() at {BUG} ... WAITFLAG MTE2 to V event 2: nothing has set it", "set it", {}),
    ("cross_left", 507015, "a cross-core flag that nobody waits for",
     "cross_left() at {BUG} ... XSET of cross flag 5, mode ALL, by block 0: set 1 times, waited for 0 times at the "
     "kernel's end", "wait for it in each block", CHECK),
    ("ping_pong", 507014, "two blocks wait for each other",
     "ping_pong() at {BUG} ... 2 of 2 blocks wait: block 1 for cross flag 0; block 0 for cross flag 1",
     "one of them sets before it waits", {}),
    ("asc_no_v_mte3", 507035, "a result is stored before it is surely there",
     "asc_no_v_mte3() at {BUG} ... wait for a flag from V to MTE3", "set and wait for the flag", CHECK),
    ("asc_uninit", 507035, "a tensor of the scratchpad that nothing has written", "asc_uninit() at {BUG} ... never written",
     "load or compute it", CHECK),
    ("kept_sum", 0, "the sum with atomics is right", "CODE 0", "", CHECK),
    ("neighbour_sync", 0, "neighbours with a barrier are right", "CODE 0", "", CHECK),
    ("halves_flag", 0, "a MIX kernel with flags is right", "CODE 0", "", CHECK),
    ("asc_add", 0, "an Ascend C operator with queues is right", "CODE 0", "", CHECK),
    # The program
    ("pinned_shared", 0, "one stream reads pinned memory that another one is still writing",
     "race: a copy of stream 3 reads memory at 0x ... a copy of stream 2, which writes it ... in pinned_shared() at {CALL} "
     "... in pinned_shared() at {BUG}", "an event between the streams", CHECK),
    ("event_before", 0, "an event is recorded before the task that is waited for",
     "race: kernel 'copy' of stream 3 reads ... kernel 'fill' of stream 2, which writes it ... in event_before() at {CALL} "
     "... in event_before() at {BUG}", "record it behind the task", CHECK),
    ("memset_race", 0, "a fill in one stream, an operator in another one", "race: kernel 'fill' of stream 1 writes ... a "
     "fill of stream 2 ... in memset_race() at {CALL} ... in memset_race() at {BUG}", "as above", CHECK),
    ("swapped", 507015, "two arguments are swapped", "host-pointer: kernel 'sum' gets 0x40 as its parameter 'in' ... in "
     "swapped() at {BUG}", "check the order of the arguments", CHECK),
    ("packed", 107000, "two small arguments in one slot",
     "argsSize is 16 and kernel 'fill' has 3 parameters that take 20 bytes: each starts at a multiple of 8", "pad them", {}),
    ("no_blocks", 100000, "a launch without blocks", "numBlocks is 0", "check the tiling", {}),
    ("wrong_file", 107009, "an operator file that is not there", "block.o' cannot be read: No such file", "", {}),
    ("memset_long", 107000, "a fill that is longer than it says", "count is 260 and maxCount is 256", "bytes, not elements", {}),
    ("memset_lies", 107000, "a fill that is longer than the allocation", "leaves its allocation, which begins at 0x", "as above", {}),
    ("elements_for_bytes", 0, "a copy of as many bytes as there are elements",
     "uninitialised: this copy reads 192 bytes that nothing has written since aclrtMalloc(), the first at byte 64 ... "
     "elements_for_bytes() at {MADE} ... in elements_for_bytes() at {BUG}", "sizes are in bytes", CHECK),
    ("event_never", 507000, "the time of an event that was never recorded", "was never recorded", "record both", {}),
    ("event_gone", 107017, "an event that was destroyed", "an event that was destroyed already", "destroy it later", {}),
    ("unloaded", 107017, "a function of a binary that was unloaded", "a function that was destroyed already",
     "unload it later", {}),
    ("capture_sync", 107027, "a stream is synchronised while it is recorded", "stream 2 is being recorded, and its tasks do "
     "not run: there is nothing to wait for", "synchronise behind the recording", {}),
    ("capture_malloc", 107030, "a copy while a stream is recorded", "is refused while a stream is recorded in a mode that "
     "forbids it", "copy before, or record in another mode", {}),
    ("graph_freed", 507015, "a graph runs when its memory has been freed", "device memory that was freed ... in "
     "graph_freed() at {FREED} ... fill() at kernels.c:8 ... in graph_freed() at {BUG}", "free it behind the graph's last run", CHECK),
    ("notify_circle", 507046, "two streams wait for each other's notify", "in notify_circle() at {BUG} ... this is a circle",
     "record a notify before the stream waits", {}),
    ("value_never", 507046, "a stream waits for a value that nobody writes",
     "aclrtValueWait() in value_never() at {BUG}", "write it in another stream or by the host", {}),
    ("two_writers", 0, "two streams write one tensor",
     "race: kernel 'fill' of stream 3 writes memory at 0x ... kernel 'fill' of stream 2, which writes it, has no order with it "
     "... in two_writers() at {CALL} ... in two_writers() at {BUG}", "an event between them", CHECK),
    ("asc_streams", 0, "the result of an Ascend C operator is used in another stream",
     "race: kernel 'asc_add' of stream 3 reads memory at 0x ... kernel 'asc_add' of stream 2, which writes it ... in "
     "asc_streams() at {CALL} ... in asc_streams() at {BUG}", "an event between them", CHECK),
    ("asc_early", 0, "the result of an Ascend C operator is read before it is synchronised",
     "race: this copy reads memory at 0x ... kernel 'asc_add' of stream 2, which writes it, is not known to be done ... in "
     "asc_early() at {CALL} ... in asc_early() at {BUG}", "synchronise the stream before", CHECK),
    ("asc_share", 0, "two streams and the program that read the same tensor are right", "CODE 0", "", CHECK),
    ("leak_stream", 0, "a stream is never destroyed", "leak: a stream was never destroyed ... leak_stream() at {BUG}",
     "destroy it", CHECK),
    ("leak_key", 0, "memory is freed whose key for other processes is not closed",
     "leak: key 'anpu-... was never closed: see aclrtIpcMemClose(); ... in leak_key() at {BUG}",
     "close the key in each process that has it, in front of `aclrtFree()`", CHECK),
    ("leak_event", 0, "an event is never destroyed", "leak: an event was never destroyed ... in leak_event() at {BUG}",
     "destroy it", CHECK),
    ("leak_host", 0, "pinned memory is never freed", "leak: 4 KiB of pinned memory at 0x ... in leak_host() at {BUG}",
     "free it", CHECK),
    ("pinned_freed", 0, "pinned memory is freed under a copy", "task: E507013 ... host memory that was freed or unregistered ... "
     "aclrtFreeHost() in pinned_freed() at {BUG} ... in pinned_freed() at {CALL}", "synchronise the stream before", CHECK),
    # Habits of host programs
    ("event_stream", 0, "an event is recorded in the stream that waits for it",
     "race: kernel 'copy' of stream 3 reads ... kernel 'fill' of stream 2, which writes it ... in event_stream() at {CALL} "
     "... in event_stream() at {BUG}", "record it in the stream of the writer", CHECK),
    ("event_twice", 0, "a stream waits for the first of two records of an event",
     "race: kernel 'copy' of stream 3 reads ... kernel 'fill' of stream 2, which writes it ... in event_twice() at {CALL} "
     "... in event_twice() at {BUG}", "wait behind the record that is meant", CHECK),
    ("context_gone", 107002, "a stream's context is destroyed before it", "this thread's context was destroyed, or its device "
     "reset (by aclrtDestroyContext() in context_gone() at {FREED} ... in context_gone() at {BUG}",
     "destroy the context last", CHECK),
    ("context_current", 107002, "a thread's context was destroyed", "this thread's context was destroyed, or its device reset "
     "(by aclrtDestroyContext() in context_current() at {FREED} ... in context_current() at {BUG}", "as above", CHECK),
    ("context_twice", 107017, "a context is destroyed twice", "a context that was destroyed already, or whose device was reset "
     "(by aclrtDestroyContext() in context_twice() at {FREED} ... in context_twice() at {BUG}", "destroy it once", CHECK),
    ("stream_twice", 107017, "a stream is destroyed twice", "a stream that was destroyed already, or whose device was reset "
     "(by aclrtDestroyStream() in stream_twice() at {FREED} ... in stream_twice() at {BUG}", "destroy it once", CHECK),
    ("event_destroyed", 107017, "an event is destroyed twice", "an event that was destroyed already, or whose device was reset "
     "(by aclrtDestroyEvent() in event_destroyed() at {FREED} ... in event_destroyed() at {BUG}", "destroy it once", CHECK),
    ("graph_gone", 107017, "a graph runs that was destroyed", "a graph that was destroyed already, or whose device was reset "
     "(by aclmdlRIDestroy() in graph_gone() at {FREED} ... in graph_gone() at {BUG}", "destroy it behind its last run", CHECK),
    ("reset_memory", 107000, "memory of a device that was reset", "device memory that was freed ... by aclrtResetDevice() in "
     "reset_memory() at {FREED} ... in reset_memory() at {BUG}", "allocate it again", CHECK),
    ("reset_kernel", 107017, "a function of a device that was reset", "a function that was destroyed already, or whose device was "
     "reset (by aclrtResetDevice() in reset_kernel() at {FREED} ... in reset_kernel() at {BUG}", "load it again", CHECK),
    ("device_reset", 107002, "memory is allocated behind the reset of the device", "or its device reset (by aclrtResetDevice() in "
     "device_reset() at {FREED} ... in device_reset() at {BUG}", "`aclrtSetDevice()` again", CHECK),
    ("stream_unset", 107017, "a variable that was never set is taken for a stream",
     "stream is 0x5555, which is no handle that this library has given out", "create it", {}),
    ("args_freed", 507015, "arguments in device memory are freed before the kernel has read them",
     "read of 8 bytes at 0x ... device memory that was freed ... by aclrtFree() in args_freed() at {BUG} ... "
     "where the kernel's arguments are read ... in args_freed() at {CALL}", "free them behind a synchronisation", CHECK),
    ("args_freed_early", 0, "the same, and the kernel may or may not have read them",
     "use-after-free: memory at 0x ... is freed, and kernel 'fill' of stream 2, which uses it, is not known to be done ... in "
     "args_freed_early() at {CALL} ... in args_freed_early() at {BUG}", "as above", CHECK),
    ("sizeof_pointer", 0, "the size of a pointer is copied, and not of what it points to",
     "uninitialised: this copy reads 248 bytes ... the first at byte 8 of the allocation of 256 B ... sizeof_pointer() at {MADE} "
     "... in sizeof_pointer() at {BUG}", "look at the copy that filled it", CHECK),
    ("source_for_target", 0, "source and destination of a copy are swapped",
     "copy-kind: kind is ACL_MEMCPY_HOST_TO_DEVICE, and dst 0x ... is host memory and src 0x ... in source_for_target() at {BUG}",
     "swap them", CHECK),
    ("source_for_target_default", 0, "the same in a copy of the default kind", "uninitialised: this copy reads 256 bytes ... "
     "source_for_target_default() at {MADE} ... in source_for_target_default() at {BUG}", "as above", CHECK),
    ("host_small", 107000, "a copy is longer than its pinned buffer",
     "dst with 4096 bytes from 0x ... leaves its pinned allocation, which begins at 0x ... and has 1024 bytes", "bytes", {}),
    ("host_small_async", 107000, "the same asynchronously", "dst with 16384 bytes from 0x ... leaves its pinned allocation",
     "as above", {}),
    ("free_inside", 107000, "memory is freed by an address inside of it",
     "which is inside an allocation that begins at 0x", "free what `aclrtMalloc()` returned", {}),
    ("free_kind", 107000, "pinned memory is freed as device memory", "which is pinned host memory: free it with aclrtFreeHost()",
     "", {}),
    ("free_malloc", 107000, "memory of malloc() is freed as pinned memory", "which is no pinned memory", "`free()`", {}),
    ("free_device_as_host", 107000, "device memory is freed as pinned memory", "which is device memory: free it with aclrtFree()",
     "", {}),
    ("callback_free", 0, "a callback frees memory", "it was called from inside a callback of the runtime ... in callback_frees() at "
     "{BUG}", "let another thread free it", CHECK),
    ("leak_error_path", 1, "the way out on an error forgets an allocation", "count is 4096 and maxCount is 16 ... in leaves_early() at "
     "{CALL} ... leak: 4 KiB of device memory ... leaves_early() at {BUG}", "free it there, too", CHECK),
    ("capture_stack", 107041, "a graph is recorded with a copy of a local variable", "copies of pageable memory and between devices "
     "are done at once, take pinned memory. The recording is void", "pinned memory that lives as long as the graph", {}),
    ("graph_host_freed", 507013, "pinned memory is freed before the graph runs that copies from it",
     "host memory that was freed or unregistered ... in graph_host_freed() at {FREED} ... by aclmdlRIExecuteAsync() in "
     "graph_host_freed() at {BUG}", "free it behind the graph's last run", CHECK),
    ("wrong_device", 107001, "a device that is not there", "device 7 cannot be used: there is one device, number 0", "", {}),
    ("wrong_name", 507027, "a kernel that the file does not have", "has no kernel 'fil'; its kernels: fill, copy", "", {}),
    ("event_times", 107007, "two events are the wrong way round", "they are the wrong way round", "swap them", {}),
    ("wrong_tiling", 507016, "the host's tiling structure has other members than the operator's", "an assertion of the operator failed "
     "... tiled() at {BUG} ... in wrong_tiling() at {CALL}", "one header for both, and assertions", {}),
    ("zero_tiling", 507016, "a length of 0 in the tiling", "tiled() at {BUG} ... in zero_tiling() at {CALL}", "as above", {}),
    ("small_tiling", 507015, "less tiling data than the operator reads", "read of 4 bytes at 0x ... right behind the end of the nearest "
     "allocation, 4 B at 0x ... small_tiling() at {MADE} ... tiled() at {BUG} ... in small_tiling() at {CALL}", "as above", CHECK),
    # Addresses, lengths and shapes
    ("overflow", 507015, "an offset does not fit its type", "write of 4 bytes at 0x ... overflow() at {BUG}", "64 bits for offsets", {}),
    ("last_tile", 507015, "the last tile is stored as a whole one", "write of 24 bytes at 0x ... right behind the end of the nearest "
     "allocation, 1000 B at 0x ... last_tile() at {MADE} ... last_tile() at {BUG} ... in last_tile() at {CALL}",
     "store what is left", CHECK),
    ("unaligned", 507015, "an operand at no multiple of 32", "unaligned() at {BUG} ... VBIN ADD: src0 0x100004 is not a multiple of 32",
     "round offsets up", {}),
    ("too_large", 507015, "a matrix that is larger than L0A", "too_large() at {BUG} ... leaves L0A, which ends at", "split it", {}),
    ("matrix_large", 507015, "a product that is larger than L0C", "matrix_large() at {BUG} ... leaves L0C, which ends at",
     "split it", {}),
    ("ub_end", 507015, "a tile that leaves the unified buffer", "ub_end() at {BUG} ... leaves UB, which ends at", "smaller tiles", {}),
    ("stale_l1", 507015, "an operand of the cube unit from a place that was not filled", "stale_l1() at {BUG} ... LOAD2D: src "
     "L1+0x1000, byte 0 of 512, was never written", "look at the offset", CHECK),
    ("null_tile", 507015, "a tile is copied from a pointer that was not set", "read of 64 bytes at 0x0, NULL ... null_tile() at {BUG}",
     "check the arguments", {}),
    ("barrier_left", 507014, "a block without work leaves before the barrier", "barrier_left() at {BUG} ... deadlock: 3 of 4 blocks "
     "wait, the others ended: blocks 1-3 in SYNCALL", "all blocks come to it", {}),
    ("flag_twice", 507015, "a flag is set twice and waited for once", "flag_twice() at {BUG} ... SETFLAG MTE2 to MTE3 event 1: still "
     "set at the block's end", "as many waits as sets", CHECK),
    ("cube_unwritten", 507015, "a matrix for the cube unit was never written", "uninitialised: kernel 'cube_unwritten', launched with it "
     "as its parameter 'b' ... cube_unwritten() at {MADE} ... cube_unwritten() at {BUG} ... in cube_unwritten() at {CALL}",
     "copy it before", CHECK),
    ("cube_unwritten_rows", 507015, "the same of its last row", "cube_unwritten() at {BUG} ... MMAD: src1 L0B+0x1e0, byte 0 of 2, was "
     "never written ... in cube_unwritten_rows() at {CALL}", "as above", CHECK),
    # Threads of a block: after some thousand instructions another one runs, so which is the first to meet another may differ
    ("no_barrier", 507015, "threads read what others are about to write", "no_barrier() at {BUG} ... was never written by this block; "
     "write it first, or add a barrier; thread (", "`__syncthreads()` between the two", CHECK),
    ("tree_no_barrier", 507015, "the loop of a sum as a tree has no barrier", "tree_no_barrier() at {BUG} ... scalar store writes UB+0x "
     "... which thread ... reads at 0x ... no barrier orders them; thread ( ... tree_no_barrier() at {BUG}",
     "`__syncthreads()` behind each step", CHECK),
    ("shared_count", 507015, "all threads add to one number, without atomics", "shared_count() at {BUG} ... which thread ... writes at "
     "0x ... no barrier orders them ... shared_count() at {BUG}", "`atomicAdd()`", CHECK),
    ("local_count", 507015, "the same in shared memory", "local_count() at {BUG} ... UB+0x ... no barrier orders them", "as above",
     CHECK),
    ("warp_early", 507015, "the threads of a warp do not wait for each other", "warp_early() at {BUG} ... or add a barrier",
     "`__syncwarp()`", CHECK),
    ("in_place", 507015, "a stencil in place", "in_place() at {MADE} ... scalar store writes 0x ... which thread ... reads at 0x "
     "... no barrier orders them ... in_place() at {BUG}", "`__syncthreads()` between reading and writing", CHECK),
    ("half_barrier", 507015, "half of the threads come to a barrier", "half_barrier() at {BUG} ... the thread ended while "
     "... threads of its block wait for all in BAR 0", "barriers stand outside of conditions", CHECK),
    ("no_guard", 507015, "more threads than elements", "right behind the end of the nearest allocation, 512 B at 0x ... no_guard() at "
     "{BUG}", "`if (i < n)`", CHECK),
    ("shared_unwritten", 507015, "shared memory that no thread has written", "shared_unwritten() at {BUG} ... was never written by this "
     "block", "write it", CHECK),
    ("tree", 0, "a tree with its barriers is right", "CODE 0", "", CHECK),
    ("atomic_count", 0, "atomics are right", "CODE 0", "", CHECK),
    ("warp_synced", 0, "a barrier of the warp is right", "CODE 0", "", CHECK),
    ("in_turn", 0, "a stencil with a barrier is right", "CODE 0", "", CHECK),
]
