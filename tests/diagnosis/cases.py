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
     "two pipes or blocks touched the same memory without synchronisation ... no_flag() at {BUG} ... wait for a flag from MTE2 to "
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
    ("leak_event", 0, "an event is never destroyed", "leak: an event was never destroyed ... in leak_event() at {BUG}",
     "destroy it", CHECK),
    ("leak_host", 0, "pinned memory is never freed", "leak: 4 KiB of pinned memory at 0x ... in leak_host() at {BUG}",
     "free it", CHECK),
    ("pinned_freed", 0, "pinned memory is freed under a copy", "task: E507013 ... host memory that was freed or unregistered ... "
     "aclrtFreeHost() in pinned_freed() at {BUG} ... in pinned_freed() at {CALL}", "synchronise the stream before", CHECK),
]
