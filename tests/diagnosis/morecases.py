# SPDX-License-Identifier: MIT
"""More rows of the catalogue: see cases.py."""

CHECK = {"ANPU_CHECK": "1"}


def checked(name, code, title, shows, remedy):
    return (name, code, title, shows, remedy, CHECK)


# Operators: nothing is shown without the checking mode unless the row says so
OPERATORS = [
    ("que_depth", 507036, "a second tensor is taken from a queue of one buffer", "que_depth() at {BUG} ... AllocTensor: all buffers of "
     "the queue are in use; FreeTensor() gives one back", "FreeTensor() before, or more buffers"),
    ("que_no_enque", 507036, "a tensor is taken that nobody has put into the queue", "que_no_enque() at {BUG} ... DeQue: the queue is "
     "empty; EnQue() a tensor first", "EnQue() behind the copy"),
    ("que_no_free", 507036, "tensors are never given back", "que_no_free() at {BUG} ... AllocTensor: all buffers of the queue are in use",
     "FreeTensor() at the end of the loop"),
    ("que_free_twice", 507036, "a tensor is given back twice", "que_free_twice() at {BUG} ... FreeTensor: this tensor was given back "
     "before", "once"),
    ("que_other", 507036, "a tensor is taken from another queue", "que_other() at {BUG} ... DeQue: the queue is empty; EnQue() a tensor first ... "
     "in que_other() at {CALL}", "the queue that has it"),
    ("gather_elements", 507035, "Gather() gets numbers of elements where it wants offsets in bytes", "gather_elements() at {BUG} ... VGATHER: "
     "index[1] = 0x1: src 0x100001 is not aligned to an element ... in gather_elements() at {CALL}", "four times as much for floats"),
    checked("pad_rows", 507035, "the last row of a copy is shorter than the others", "read of 16 bytes at 0x ... right behind the end of the nearest "
            "allocation, 240 B at 0x ... pad_rows() at {BUG} ... in pad_rows() at {CALL}", "the last row by itself"),
    ("event_number", 507035, "an event is waited for with another number than it is set with", "event_number() at {BUG} ... WAITFLAG MTE2 "
     "to V event 1: nothing has set it, the core would hang", "the same number"),
    ("ub_too_much", 507036, "more buffers than the unified buffer has room for", "InitBuffer 2: 131072 bytes wanted, of 196608 there are "
     "65536 left ... ub_too_much() at {BUG} ... the buffers need more than UB has", "smaller tiles"),
    checked("cast_size", 507035, "a conversion into a buffer of the source's size", "cast_size() at {BUG} ... dst UB+0x0 leaves its buffer, "
            "which ends at UB+0x80: it is too small, or the count too large", "size it by the result's type"),
    ("overlap_shift", 507035, "results overlap the operands", "overlap_shift() at {BUG} ... VBINS ADD: dst 0x100020 + 480 overlaps src0 "
     "0x100000 + 480 in part; use one address or two", "another buffer"),
    ("sync_if", 507034, "only some blocks come to SyncAll()", "sync_if() at {BUG} ... deadlock: 2 of 4 blocks wait, the others ended: "
     "blocks 0-1 in SYNCALL", "all blocks come to it"),
    ("no_tiling", 507035, "a launch without tiling data", "read of 4 bytes at 0x0, NULL ... no_tiling() at {BUG}", "pass it"),
    ("mix_flag_number", 507014, "the halves of a MIX kernel use different flags", "kernel 'mix_flag_number' ... its vector part 0 ... "
     "mix_flag_number() at {BUG} ... deadlock: 2 of 3 blocks wait, the others ended: blocks 0.1, 0.2 for cross flag 4", "one number"),
    ("shared_small", 507015, "dynamic shared memory for one thread too few", "write of 4 bytes ... shared_small() at {BUG} ... which is in "
     "no scratchpad ... thread (63, 0, 0)", "look at the launch's size"),
    ("spin_forever", 507014, "blocks wait for a counter that one of them never raises", "the kernel ran longer than its limit ... "
     "spin_forever() at {BUG}", "each block raises it"),
    ("local_behind", 507015, "an index into a local array is too large", "local_behind() at {BUG} ... is behind the end of the stack of "
     "thread 0: an index of a local array is too large; thread (0, 0, 0)", "look at the index"),
    ("print_wild", 507015, "an operator prints a text by an address that is wrong", "read of 1 byte at 0x ... where anpu_printf() reads the text of "
     "a %s ... in a call, at pc 0x ... print_wild() at {BUG} ... in print_wild() at", "look at the arguments of that call"),
    ("null_function", 507015, "an operator calls a function by a pointer that was not set", "jump to 0x0, a null function pointer ... the last call was at "
     "0x ... null_function() at {BUG}", "look at that call"),
    ("recursion", 507015, "a recursion without an end", "stack overflow ... _ZL4deepPVii ... is below the 16 KiB stack of thread 0",
     "give it an end"),
    checked("tbuf_no_sync", 507035, "a TBuf is computed into while it is still being stored", "tbuf_no_sync() at {BUG} ... VBINS writes "
            "dst UB+0x100 before DMA_LIN ... wait for a flag from MTE3 to V ... tbuf_no_sync() at {MADE}", "only queues synchronise by themselves"),
    checked("buffer_half", 507035, "a buffer has half of what is computed into it", "buffer_half() at {BUG} ... VBINS: dst UB+0x100 leaves "
            "its buffer, which ends at UB+0x180", "look at InitBuffer()"),
    checked("buffer_next", 507035, "the same, and another buffer lies behind it", "buffer_next() at {BUG} ... VBINS: dst UB+0x0 leaves its "
            "buffer, which ends at UB+0x80", "as above"),
    checked("repeat_more", 507035, "one repeat too many", "repeat_more() at {BUG} ... VREP: src0 UB+0x0 leaves its buffer, which ends at "
            "UB+0x200", "count and repeats"),
    checked("scalar_early", 507035, "the scalar unit reads a sum before it is there", "scalar_early() at {BUG} ... scalar load reads UB+0x0 "
            "before VRED ... wait for a flag from V to S", "SetFlag and WaitFlag of V_S"),
    checked("scalar_store", 507035, "the scalar unit writes over what is being computed", "scalar_store() at {BUG} ... scalar store writes "
            "UB+0x0 before VDUP ... wait for a flag from V to S", "as above"),
    checked("reload_early", 507035, "what was stored to global memory is loaded at once", "reload_early() at {BUG} ... DMA_LIN reads src 0x "
            "... before DMA_LIN ... wait for a flag from MTE3 to MTE2", "the flag"),
    checked("scalar_global_early", 507035, "the same by GetValue()", "scalar_global_early() at {BUG} ... wait for a flag from MTE3 to S",
            "the flag"),
    checked("event_pair", 507035, "a flag between the wrong pipes", "event_pair() at {BUG} ... DMA_LIN reads src UB+0x0 before VBINS ... "
            "wait for a flag from V to MTE3", "V_MTE3"),
    checked("atomic_no_zero", 507035, "an atomic addition to a tensor that nothing has set", "atomic_no_zero() at {BUG} ... it adds to the "
            "global memory at 0x ... which nothing has written; set it, to 0 perhaps, first", "`aclrtMemset()`"),
    checked("atomic_forgotten", 507035, "blocks store where they should add", "atomic_forgotten() at {BUG} ... DMA_LIN writes 0x ... which "
            "block ... writes at", "SetAtomicAdd()"),
    checked("tiling_blocks", 507035, "each block takes a half, and there are four", "tiling_blocks() at {BUG} ... in tiling_blocks() at "
            "{CALL}", "divide by GetBlockNum()"),
    checked("count_no_block", 507036, "DataCopy() of a length that 32 does not divide", "DataCopy: 240 bytes are no multiple of 32: the "
            "first 224 would be copied ... only whole blocks of 32 bytes are copied", "DataCopyPad()"),
    checked("mask_short", 507035, "a mask leaves elements out that are stored", "mask_short() at {BUG} ... DMA_LIN: src UB+0x1f0, byte 240 "
            "of 256, was never written", "the mask"),
    checked("global_behind", 507035, "a loop with <= over a tensor", "right behind the end of the nearest allocation, 256 B at 0x ... "
            "global_behind() at {BUG}", "<"),
    checked("mix_same_part", 507015, "both vector cores of a block write the same part", "its vector part ... mix_same_part() at {BUG} ... "
            "which block 0's vector part ... writes at", "GetSubBlockIdx()"),
    checked("no_block_index", 507015, "the index lacks blockIdx", "no_block_index() at {BUG} ... scalar store writes 0x ... which block ... "
            "writes at", "blockIdx.x * blockDim.x + threadIdx.x"),
    checked("rows_columns", 0, "rows and columns are exchanged", "uninitialised: this copy reads 192 bytes ... rows_columns() at {MADE} "
            "... in rows_columns() at {CALL}", "the bounds"),
    checked("loop_barrier", 507015, "a loop fills shared memory again while others read", "loop_barrier() at {MADE} ... which thread ... "
            "writes at 0x ... no barrier orders them ... loop_barrier() at {BUG}", "a second barrier"),
    checked("atomic_unset", 507015, "a counter that nothing has set", "atomic_unset() at {BUG} ... atomic access: nothing has "
            "written the global memory", "`aclrtMemset()`"),
    checked("last_block", 507015, "the last block adds up what others have not surely stored", "last_block() at {BUG} ... scalar load reads "
            "0x ... which block ... writes at 0x ... last_block() at {MADE}", "`__threadfence()` and an atomic counter"),
    checked("wrong_stride", 507015, "an address is computed in bytes and not in elements", "an address that is not aligned ... wrong_stride() at {BUG} ... "
            "scalar store: 0x ... is no multiple of the 4 bytes of what is there: look at the pointer; thread (1, 0, 0)", "the pointer's type"),
    checked("static_small", 507015, "more threads than an array in shared memory has elements", "write of 4 bytes at 0x ... static_small() at {BUG} "
            "... scalar store at 0x ... behind the 640 bytes of the operator file's shared variables; thread", "the array's size"),
    ("warp_mask", 507015, "the caller of an operation of the warp is not in its mask", "warp_mask() at {BUG} ... the caller, lane 8, is not in its "
     "mask 0x000000ff; thread (8, 0, 0)", "`__activemask()`, or a mask for all who come"),
    checked("warp_source", 507015, "a value is taken from a lane that is not in the mask", "warp_source() at {BUG} ... asks lane 7, which is none of "
            "the lanes 0xffffff7f that have come: look at the mask; thread (", "a mask with that lane, which comes, too"),
    checked("warp_source_right", 0, "masks that have the lanes that are asked are right", "CODE 0", ""),
    checked("branch_shuffle", 507015, "lanes of two branches come to different shuffles with full masks", "branch_shuffle() at {BUG} ... SHFL: lanes "
            "0x0000ffff are at another shuffle, at 0x ...: a mask names those that come; thread (31, 0, 0) ... branch_shuffle() at "
            "{MADE}", "a mask of those that come, or one shuffle for all"),
    checked("half_warp", 507015, "the sum of a warp of which the block has half", "half_warp() at {BUG} ... SHFL: lane 0 asks lane 16, which its "
            "mask 0xffffffff names and which is not there: lanes 0x0000ffff are; thread (32, 0, 0)", "a mask and a width of the threads that there are"),
    checked("sum_of_left", 507015, "the sum of a warp of which threads have returned", "sum_of_left() at {BUG} ... SHFL: lane ... asks lane 20, "
            "which its mask 0xffffffff names and which is not there", "let them add 0 instead"),
    checked("masks_right", 0, "masks that name who comes are right", "CODE 0", ""),
    checked("swap_loop", 0, "a loop of compare-and-swap, which begins with a load, is right", "CODE 0", ""),
    checked("lock_store", 507015, "a lock is given back by a plain store", "lock_store() at {BUG} ... which block ... writes at 0x ... no barrier or "
            "flag orders them ... lock_store() at {MADE}", "`atomicExch()`"),
    checked("barrier_counts", 507015, "a barrier in loops of different lengths", "barrier_counts() at {BUG} ... the thread ended while ... threads of "
            "its block wait for all in BAR 0", "the same number of barriers for all"),
    ("atomic_odd", 507015, "an atomic operation at no multiple of 4", "an address that is not aligned ... atomic_odd() at {BUG} ... atomic access to "
     "0x ... which is not aligned to its 4 bytes", "the pointer"),
    checked("set_behind", 507036, "SetValue() behind the last element of a tensor", "set_behind() at {BUG} ... "
            "UB+0x100: the index is too large, the tensor's buffer ends at UB+0x100", "the index"),
    checked("value_next", 507036, "the same, and another buffer lies behind it", "value_next() at {BUG} ... UB+0x100: the index is too large, the "
            "tensor's buffer ends at UB+0x100 ... in value_next() at {CALL}", "as above"),
    checked("part_next", 507035, "a part of a tensor begins behind it, in another buffer", "write of 64 bytes at 0x100100 ... part_next() at {BUG} ... "
            "dst 0x100100 is a part of a tensor that begins outside of the tensor's buffer: look at its offset ... in part_next() at {CALL}", "the offset"),
    checked("free_forgotten", 507036, "FreeTensor() is missing, once", "free_forgotten() at {BUG} ... FreeTensor() is missing: the tensor of "
            "AllocTensor() at 0x ... was not given back ... free_forgotten() at {MADE} ... in free_forgotten() at {CALL}", "FreeTensor()"),
    checked("use_freed", 507035, "a tensor is used behind FreeTensor()", "use_freed() at {BUG} ... src0 UB+0x0, byte 0 of 256, was given back by "
            "FreeTensor(), and not written since", "free it later"),
    ("no_init_buffer", 507036, "InitBuffer() is missing", "no_init_buffer() at {BUG} ... AllocTensor: the queue has no buffers: InitBuffer() was not "
     "called for it", "`InitBuffer()`"),
    checked("no_bytes", 507036, "a queue's buffers have no bytes", "no_bytes() at {BUG} ... AllocTensor: the queue's buffers have no bytes: "
            "InitBuffer() had the length 0", "the tiling, which nobody filled in"),
    checked("work_small", 507036, "the working tensor of a reduction is too small", "work_small() at {BUG} ... the working tensor of ReduceSum, "
            "ReduceMax or ReduceMin is too small: an element for each 256 bytes", "the size in the tiling"),
    checked("work_in_source", 507036, "the working tensor of a reduction is a later part of its source", "work_in_source() at {BUG} ... the working tensor "
            "of ReduceSum, ReduceMax or ReduceMin lies in the source", "a tensor of its own, or the source itself"),
    checked("transpose_small", 507036, "`Transpose()` of a tensor of less than 16 x 16 elements", "transpose_small() at {BUG} ... Transpose: the matrix "
            "is of 16 x 16 elements of 16 bits, and one of the tensors has fewer than 512 bytes", "the size in the tiling"),
    checked("que_no_deque", 507035, "DeQue() is missing", "que_no_deque() at {BUG} ... VBINS reads src0 UB+0x0 before DMA_LIN ... wait for a flag from "
            "MTE2 to V", "`DeQue()`, which waits"),
    checked("block_length", 507035, "bytes where DataCopyParams counts blocks of 32", "block_length() at {BUG} ... dst UB+0x0 leaves its buffer, which "
            "ends at UB+0x100", "the unit"),
    checked("pad_elements", 507035, "elements where DataCopyExtParams counts bytes", "pad_elements() at {BUG} ... src0 UB+0x40, byte 64 of 256, was "
            "never written", "the unit"),
    ("event_too_high", 507035, "an event's number is too high", "event_too_high() at {BUG} ... SETFLAG: event 9 is not below 8", "0 to 7"),
    ("offset_odd", 507035, "a tensor's part begins at no multiple of 32 bytes", "offset_odd() at {BUG} ... dst 0x10000c is not a multiple of 32",
     "the offset"),
    checked("early_return", 507015, "threads return before a barrier", "early_return() at {BUG} ... the thread ended while "
            "... threads of its block wait for all in BAR 0", "no return before a barrier"),
]

# What the scalar unit stores, atomic copies, flags of pipes
SCALARS = [
    checked("set_then_vector", 507035, "SetValue() before a vector operation, without a flag", "set_then_vector() at {BUG} ... VBINS reads src0 UB+0xc before "
            "the store at 0x ... has surely written it; wait for a flag from S to V ... set_then_vector() at {MADE} ... in set_then_vector() at "
            "{CALL}", "SetFlag and WaitFlag of S_V"),
    checked("set_then_store", 507035, "SetValue() before a copy to global memory, without a flag", "set_then_store() at {BUG} ... DMA_LIN reads src UB+0x0 "
            "before the store ... wait for a flag from S to MTE3 ... set_then_store() at {MADE}", "S_MTE3"),
    checked("global_set_early", 507035, "SetValue() of a global tensor before it is copied", "global_set_early() at {BUG} ... DMA_LIN reads src 0x ... before "
            "the store at 0x ... wait for a flag from S to MTE2 ... global_set_early() at {MADE}", "DataCacheCleanAndInvalid(), and S_MTE2"),
    checked("global_set_loop", 507035, "the same by a loop", "DMA_LIN reads src 0x ... before the store at 0x ... wait for a flag from S to MTE2 ... "
            "global_set_loop() at {MADE} ... in global_set_loop() at {CALL}", "as above"),
    checked("scalars_right", 0, "SetValue() with flags and SetAtomicNone() are right", "CODE 0", ""),
    checked("divided", 507036, "an integer division by zero", "divided() at {BUG} ... integer division of 64 by zero ... in divided() at {CALL}",
            "the tiling, or `if` before it"),
    ("init_in_loop", 507036, "InitBuffer() in a loop", "init_in_loop() at {BUG} ... InitBuffer: this object has buffers already, as in a loop, and there is no "
     "room for more", "`InitBuffer()` once, before the loop"),
    checked("atomic_left", 507035, "SetAtomicNone() is missing", "atomic_left() at {BUG} ... SetAtomicNone() is missing: all copies behind this were atomic, the "
            "last one at 0x ... atomic_left() at {MADE} ... in atomic_left() at {CALL}",
            "SetAtomicNone() behind the last copy that adds"),
    checked("pipe_second", 507036, "a second TPipe beside the first one", "pipe_second() at {BUG} ... a second TPipe has handed out the memory of "
            "this buffer again, UB+0x0 ... in pipe_second() at {CALL}", "one TPipe for all buffers"),
    checked("pipe_second_buf", 507036, "the same with TBuf", "pipe_second_buf() at {BUG} ... a second TPipe has handed out the memory of this buffer "
            "again, UB+0x0 ... in pipe_second_buf() at {CALL}", "as above"),
    checked("repeats_many", 507036, "more than 255 repeats", "260 repeats are asked for, and a core would do 4 ... repeats_many() at {BUG} ... "
            "repeatTimes is not in 0 to 255 ... in repeats_many() at {CALL}", "several calls, or the form with a count"),
    checked("atomic_other_type", 507036, "SetAtomicAdd() of another type than the copy's", "was told the type F16, and this copy's elements are F32 ... "
            "atomic_other_type() at {BUG} ... another type than SetAtomicAdd() ... in atomic_other_type() at {CALL}", "the same type"),
    checked("global_index", 507036, "an index behind the size that SetGlobalBuffer() was told", "global_index() at {BUG} ... element 32 of a GlobalTensor "
            "that has 32 by SetGlobalBuffer() ... in global_index() at {CALL}", "<"),
    checked("global_copy", 507036, "the same by DataCopy()", "global_copy() at {BUG} ... element 47 of a GlobalTensor that has 32 by SetGlobalBuffer() "
            "... in global_copy() at {CALL}", "the offset and the count"),
    checked("barrier_workspace", 507036, "SyncAll() with a workspace that nobody has cleared", "barrier_workspace() at {BUG} ... SyncAll: the workspace is "
            "not full of zeros ... in barrier_workspace() at {CALL}", "`aclrtMemset()` before the launch"),
    checked("told_right", 0, "TPipes behind each other, parts and views of tensors, and repeats in the counter mode are right", "CODE 0", ""),
    checked("cross_other_pipe", 507035, "a cross-core flag of another pipe than the one that stores", "exchange<PIPE_V>() at {BUG}, inlined into cross_other_pipe() "
            "... DMA_LIN reads 0x ... which block ... writes at 0x ... its flag is for another pipe ... at {MADE}", "the pipe of the copy: PIPE_MTE3, or PIPE_FIX behind Fixpipe()"),
    checked("cross_right", 0, "the same with the pipe that stores is right", "CODE 0", ""),
    ("grid_no_coop", 507016, "grid.sync() in a launch that is not cooperative", "grid_no_coop() at {BUG} ... grid.sync(): the launch is not cooperative: "
     "cuLaunchCooperativeKernel() or cudaLaunchCooperativeKernel()", "a cooperative launch"),
]

HOSTS = [
    ("graph_fork", 107025, "a stream of a recording does not come back", "the recording's stream does not wait for the last task of stream "
     "3, which has joined it", "record an event there, wait for it"),
    ("copy_2d_pitch", 100000, "a pitch that is smaller than the width", "width is 48 and must not exceed dpitch 40 and spitch 64", ""),
    ("copy_2d_height", 107000, "a row too many", "src with 1088 bytes from 0x ... leaves its allocation", ""),
    ("copy_to_null", 100000, "a copy to NULL", "dst is NULL", ""),
    ("notify_twice", 507046, "two waits, and one record of a notify", "queued by aclrtWaitAndResetNotify() in notify_twice() at {BUG}, waits "
     "for notify 1, which nothing has recorded, or not again since a wait took its record", "a record for each wait"),
    ("reset_early", 507046, "an event is reset before another stream waits for it", "aclrtStreamWaitEvent() in reset_early() at {BUG}, waits "
     "for event 1, which was reset by aclrtResetEvent() in reset_early() at {CALL}, and not recorded since", "reset it behind the wait"),
    ("value_circle", 507046, "the stream that would write the value waits behind it", "aclrtStreamWaitEvent() in value_circle() at {BUG} ... "
     "aclrtValueWait() in value_circle() at {CALL}, waits for the value 1", "write it before the wait"),
    ("host_func_hangs", 507046, "a host function waits for a lock", "aclrtLaunchHostFunc() in host_func_hangs() at {BUG}, waits for a host "
     "function, which a thread of the runtime runs", "look at what the function waits for"),
    ("event_time_early", 107006, "the time of an event that has not been reached", "has not completed yet: synchronise the stream or the "
     "event first", ""),
    ("event_no_time", 107006, "the time between events without times", "it was made without ACL_EVENT_TIME_LINE", ""),
    ("event_for_stream", 107017, "an event where a stream belongs", "which is an event and not a stream", ""),
    ("address_of_handle", 107017, "the address of a handle", "which is no handle that this library has given out", "the handle itself"),
    ("register_twice", 507910, "memory is registered twice", "is known to the device already", ""),
    ("ipc_freed", 107000, "a process imports its own key", "was made by this process: it is for others", ""),
    ("many_blocks", 107000, "a number of blocks that was computed from a negative one", "numBlocks is 4294967295 and one launch of 'fill' can "
     "have", ""),
    ("value_odd", 107008, "a value at an odd address", "must be a multiple of 8", ""),
    checked("host_writes", 0, "a buffer is filled again while a copy reads it", "race: host_writes() at {BUG} writes pinned memory at 0x ... "
            "byte 100 of those that a copy of stream 2 reads, which is not known to be done ... in host_writes() at {CALL}",
            "a second buffer, or synchronise before"),
    checked("host_reads", 0, "a result is read before the copy is done", "race: host_reads() at {BUG} ... pinned memory at 0x ... byte 0 of "
            "those that a copy of stream 2 writes ... in host_reads() at {CALL}", "synchronise the stream before"),
    checked("host_other_sync", 0, "another stream is synchronised", "race: host_other_sync() at {BUG} ... byte 4 of those that a copy of "
            "stream 2 writes ... in host_other_sync() at {CALL}", "the stream of the copy"),
    checked("host_early_event", 0, "an event is synchronised that stands before the copy", "race: host_early_event() at {BUG} ... in "
            "host_early_event() at {CALL}", "record it behind the copy"),
    checked("host_right", 0, "a program that knows when its copies are done is right", "CODE 0", ""),
    checked("host_neighbour", 0, "system calls beside what a copy uses are right", "CODE 0", ""),
    checked("host_halves", 0, "a result is read before the copies of its page are done", "race: host_halves() at {BUG} reads pinned memory at 0x ... "
            "byte 4 of those that a copy of stream 2 writes ... in host_halves() at {CALL}", "synchronise the stream before"),
    checked("graph_race", 0, "a stream reads what a graph in another one writes", "race: kernel 'copy' of stream 3 reads memory at 0x ... "
            "kernel 'fill' of a graph of stream 2, which writes it, has no order with it ... aclmdlRIExecuteAsync() in graph_race() at "
            "{CALL} ... in graph_race() at {BUG}", "an event between them"),
    checked("graph_early", 0, "the result of a graph is copied at once", "race: this copy reads memory at 0x ... kernel 'fill' of a graph of "
            "stream 2, which writes it, is not known to be done ... in graph_early() at {CALL} ... in graph_early() at {BUG}",
            "synchronise the stream before"),
    checked("many_arguments", 0, "more arguments than the kernel has parameters", "arguments: argsSize is 40, and the 3 parameters of kernel "
            "'fill' take 20 bytes ... in many_arguments() at {BUG}", "the right kernel, or fewer"),
    checked("packed_arguments", 507015, "the structure of the arguments is packed", "host-pointer: kernel 'copy' gets 0x ... as its parameter "
            "'out', which is no address ... in packed_arguments() at {BUG}", "no packing: each parameter is aligned"),
    checked("pool_other_stream", 0, "memory of a pool is used at once in another stream", "race: kernel 'fill' of stream 3 writes memory at 0x "
            "... the allocation of stream 2 ... in pool_other_stream() at {CALL} ... in pool_other_stream() at {BUG}",
            "an event behind the allocation"),
    checked("pool_freed_early", 0, "memory of a pool ends while another stream uses it", "race: the end of the allocation of stream 2 ... kernel "
            "'fill' of stream 3 ... in pool_freed_early() at {CALL} ... in pool_freed_early() at {BUG}", "an event before the end"),
    checked("pool_used_freed", 0, "memory of a pool is used behind its end", "use-after-free: kernel 'fill' gets 0x ... as its parameter 'out' "
            "... aclrtMemPoolFreeAsync() in pool_used_freed() at {FREED} ... in pool_used_freed() at {CALL}", "free it later"),
    checked("pool_behind", 507015, "an operator writes behind memory of a pool", "right behind the end of the nearest allocation, 400 B at 0x "
            "... aclrtMemPoolMallocAsync() in pool_behind() at {MADE} ... in pool_behind() at {CALL}", "the number of elements"),
    checked("pool_unwritten", 0, "memory of a pool is read that nothing has written", "uninitialised: this copy reads 256 bytes ... "
            "aclrtMemPoolMallocAsync() in pool_unwritten() at {MADE} ... in pool_unwritten() at {BUG}", "write it"),
    checked("pool_leak", 0, "memory of a pool is never freed", "leak: an allocation of a memory pool was never freed ... in pool_leak() at "
            "{MADE}", "free it"),
    checked("copy_overlap", 0, "a copy whose ranges overlap", "overlap: 1024 bytes are copied from 0x ... and these ranges overlap ... in "
            "copy_overlap() at {BUG}", "two copies, or another buffer"),
    checked("copy_2d_unwritten", 0, "rows that nothing has written", "uninitialised: this copy reads 64 bytes ... the first at byte 512 ... "
            "copy_2d_unwritten() at {MADE} ... in copy_2d_unwritten() at {BUG}", "look at the operator's last rows"),
    checked("async_unwritten", 0, "the same by an asynchronous copy", "uninitialised: a copy of stream 2 has brought 1024 bytes to the host that "
            "nothing had written ... async_unwritten() at {MADE} ... in async_unwritten() at {BUG}", "write it before"),
    checked("copied_unwritten", 0, "the same by way of another tensor", "uninitialised: this copy reads 1024 bytes", "look at the copy before"),
    checked("both_threads", 0, "two threads use one tensor in streams of their own", "race: kernel 'fill' of stream 3 writes memory at 0x ... "
            "kernel 'fill' of stream 2 ... in both_thread() at {CALL}", "an event, or join before the launch"),
    checked("half_size", 507015, "a tensor for elements of half the size", "right behind the end of the nearest allocation, 128 B at 0x ... "
            "half_size() at {MADE} ... in half_size() at {CALL}", "sizes by type"),
    checked("reduce_race", 0, "a reduction of what another stream writes", "race: a reduction of stream 2 reads memory at 0x ... in reduce_race() "
            "at {CALL} ... in reduce_race() at {BUG}", "an event between them"),
    checked("leak_graph", 0, "a graph is never destroyed", "leak: a graph was never destroyed ... in leak_graph() at", "destroy it"),
    checked("host_derefs", "SIGSEGV", "the program writes to device memory", "host-access: host_derefs() at {BUG} writes 0x ... byte 12 of the "
            "256 B of device memory at 0x ... only the device reaches its memory, copy it with aclrtMemcpy()", "`aclrtMemcpy()`"),
    checked("copy_from_hole", "SIGSEGV", "a copy reads behind memory that the program has mapped", "host-pointer: this call reads memory of the host "
            "at 0x ... of src, which is 0x ... the program has 4096 bytes there, and the copy wants 266240 or more ... in copy_from_hole() at {BUG}",
            "check count, and whether the memory was unmapped or freed"),
    checked("copy_to_text", "SIGSEGV", "a copy into constant memory of the program", "host-pointer: this call writes memory of the host at 0x ... "
            "in copy_to_text() at {BUG}", "memory that can be written"),
]

# Programs in Python: a sentence has their lines
SNAKES = [
    ("py_host_pointer", 507015, "a program in Python passes the address of an array", "host memory, which the device does not reach ... "
     "aclrtLaunchKernelWithHostArgs() in launch() at", "copy it"),
    ("py_freed", 507015, "memory is freed before the launch", "device memory that was freed ... by aclrtFree() in py_freed() at {FREED}, made "
     "by aclrtMalloc() in device() at", "free it behind a synchronisation"),
    ("py_twice", 107000, "memory is freed twice", "it was freed already ... by aclrtFree() in py_twice() at {FREED}", "once"),
    checked("py_behind", 507015, "an operator writes behind a tensor", "right behind the end of the nearest allocation, 400 B at 0x ... "
            "aclrtMalloc() in device() at ... called from py_behind() at ... was submitted by ... called from py_behind() at {CALL}",
            "the number of elements"),
    checked("py_early", 0, "a result is copied before the stream is synchronised", "race: this copy reads memory at 0x ... kernel 'fill' of "
            "stream 2 ... in py_early() at {BUG}", "synchronise before"),
    checked("py_unwritten", 0, "memory is read that nothing has written", "uninitialised: this copy reads 64 bytes ... called from "
            "py_unwritten() at {MADE} ... in py_unwritten() at {BUG}", "write it"),
    checked("py_kind", 0, "a copy with the wrong kind", "copy-kind: kind is ACL_MEMCPY_HOST_TO_DEVICE ... in py_kind() at {BUG}",
            "2: to the host"),
    checked("py_leak", 0, "memory is never freed", "leak: 256 B of device memory ... aclrtMalloc() in device() at ... called from "
            "py_leak() at {MADE}", "free it"),
    checked("py_small_array", 0, "a copy from an array that is smaller", "host-memory: src gives 64 bytes at 0x ... the address of 'host', an object of type "
            "ndarray with 32 bytes from there on: look at its shape and dtype [aclrtMemcpy() in py_small_array() at {BUG}", "`host.nbytes`"),
    checked("py_gaps", 0, "a copy from a view with gaps", "host-memory: src gives 128 bytes at 0x ... the address of 'host', an object of type ndarray whose "
            "elements do not lie behind each other ... in py_gaps() at {BUG}", "`numpy.ascontiguousarray()`"),
    checked("py_temporary", 0, "the address of an object that was not kept", "host-memory: src gives 64 bytes at 0x ... the address that "
            "acl.util.bytes_to_ptr() gave in py_temporary() at {MADE} of an object that the program has not kept ... in py_temporary() at {BUG}",
            "keep it in a variable"),
    checked("py_arrays_right", 0, "copies from parts of arrays are right", "CODE 0", ""),
    checked("py_no_init", 0, "acl.init() is forgotten", "call: aclInit() comes before any other call ... [aclrtSetDevice() in py_no_init() at {BUG}",
            "call it first"),
    checked("py_unfinished", 0, "acl.finalize() is forgotten", "leak: the program ends without aclFinalize() ... aclInit() in main() at {CALL}",
            "call it before the end"),
    checked("py_array_ends", 0, "an array ends before the asynchronous copy from it", "use-after-free: the 262144 bytes of malloc() at 0x ... that a copy of stream ... reads "
            "were freed before the program knew that the copy is done ... py_array_ends() at {BUG}", "keep it until the stream is synchronised"),
    checked("py_array_stays", 0, "the same with an array that is kept is right", "CODE 0", ""),
    checked("py_early_view", 0, "a result is looked at before the stream is synchronised", "race: py_early_view() at {BUG} ... reads pinned memory at 0x ... "
            "which is not known to be done ... aclrtMemcpyAsync() in py_early_view() at {CALL}", "`acl.rt.synchronize_stream()` before"),
    checked("py_view_long", 0, "an array over more memory than there is", "host-access: acl.util.ptr_to_numpy() gives 4194304 bytes at 0x ... in pinned memory "
            "of 64 bytes ... which has 64 from there on ... in py_view_long() at {BUG}", "the shape"),
    checked("py_view_device", 0, "an array over device memory", "host-access: acl.util.ptr_to_numpy() gives 64 bytes at 0x ... device memory made by "
            "aclrtMalloc() in device() ... called from py_view_device() at {MADE} ... in py_view_device() at {BUG}", "`acl.rt.memcpy()`"),
    checked("py_view_freed", "SIGSEGV", "an array over pinned memory that was freed", "host-access: py_view_freed() at {BUG} ... reads 0x ... host memory that "
            "was freed or unregistered (ended by aclrtFreeHost() in py_view_freed() at {FREED}", "free it behind the last use"),
    checked("py_easy", 507015, "the same by acl.easy", "right behind the end of the nearest allocation ... in py_easy() at {BUG}",
            "the number of elements"),
]

# Programs that hang, and what is told when the time is up or somebody asks
HANGS = [
    ("value_unwritten", 507046, "a stream waits for a value that nothing writes", "aclrtValueWait() in value_unwritten() at {BUG}, waits for the value 7 "
     "at 0x ... byte 16 of the device memory at 0x ... no task that is queued writes it", "write it, in a stream that gets there"),
    ("baton_circle", 507046, "three streams pass a baton that none has", "aclrtWaitAndResetNotify() in baton_circle() at {BUG}, waits for notify "
     "1 ... queued by aclrtRecordNotify() in baton_circle() at {CALL} ... this is a circle: stream 2 waits for stream 4, which waits for "
     "stream 3, which waits for stream 2, and none of them can go on", "record one before the first wait"),
    ("shared_notify", 507046, "a stream waits for a notify of another process", "aclrtWaitAndResetNotify() in shared_notify() at {BUG}, waits for "
     "notify 1, which processes share, and none of them has recorded", "look at the other process by `anpu-smi hang PID`"),
    ("py_hangs", 0, "a program in Python seems to hang", "aclrtStreamWaitEvent() in py_hangs() at {BUG}, waits for event 1, which was never recorded "
     "... in aclrtSynchronizeStream() in wait_for() at {CALL}: it waits for stream 2 of device 0", "`anpu-smi hang PID`"),
    ("host_never", 507047, "a thread waits for an event that nobody records", "has no record: it is event 1, which was never recorded",
     "record it, before or in another thread"),
    ("host_reset", 507047, "a thread waits for an event that was reset", "event 1, which was reset by aclrtResetEvent() in host_reset() at {BUG}, "
     "and not recorded since", "reset it behind the wait"),
    ("counting_hangs", 507046, "a counting notify does not get to its number", "aclrtCntNotifyWaitWithTimeout() in counting_hangs() at {BUG}, waits "
     "for counting notify 1, which is 2, to be compared with 3", "count the records"),
    ("graph_hangs", 507046, "a graph waits", "queued by aclmdlRIExecuteAsync() in graph_hangs() at {CALL}, executes graph 1 of 2 tasks ... task 1, "
     "recorded by aclrtWaitAndResetNotify() in graph_hangs() at {BUG}, waits for notify 1, which nothing has recorded",
     "record it in another stream, or in the graph"),
    ("function_hangs", 507046, "a stream waits for one whose host function waits for a lock", "aclrtLaunchHostFunc() in function_hangs() at {BUG}, "
     "waits for a host function ... take_held() at ... has not returned", "look at what the function waits for"),
    ("graph_function_hangs", 507046, "the same in a graph", "aclrtLaunchHostFunc() in graph_function_hangs() at {BUG}, waits for the host function "
     "take_held() at ... which has not returned", "as above"),
    ("asked_by_tool", 0, "a program seems to hang", "aclrtWaitAndResetNotify() in asked_by_tool() at {CALL}, waits for notify "
     "1, which nothing has recorded ... in aclrtSynchronizeEvent() in sync_event() at {BUG}: it waits for event 1, which was never recorded",
     "each stream and each thread is in the report"),
    ("cu_wait_value", 0, "a program of the driver API seems to hang", "queued by cuStreamWaitValue32() in cu_wait_value() at "
     "{BUG}, waits for the value 1 at 0x ... no task that is queued writes it by cuStreamWriteValue32() ... in cuEventSynchronize() in "
     "cu_wait_value() at {CALL}: it waits for stream 2 of device 0",
     "as above"),
    ("cu_and_acl", 0, "streams of both APIs hang, and each is told in its own words", "aclrtValueWait() in cu_and_acl() at {CALL}, waits for the "
     "value 1 ... queued writes it by aclrtValueWrite() ... cuStreamWaitValue32() in cu_and_acl() at {BUG}, waits for the value 1 ... queued "
     "writes it by cuStreamWriteValue32()", "as above"),
    ("hccl_missing", 507046, "a rank does not call the collective", "queued by HcclAllReduce() in hccl_missing() at {BUG}, waits for rank 1 of "
     "communicator ... which has called 0 collectives, and this rank 0 1, the last HcclAllReduce", "each rank calls the same collectives"),
    ("hccl_alone", 0, "a rank does not come", "in HcclCommInitRootInfo() in hccl_alone() at {BUG}: it waits for other ranks of the "
     "communicator", "start as many as `nRanks` says"),
]

# Order, alignment, and what ends while it is waited for
ORDERS = [
    checked("tensor_odd", 507036, "a tensor of floats begins at no multiple of 4", "the tensor's part begins at 0x ... which is no multiple of the 4 bytes "
            "of its elements ... tensor_odd() at {BUG} ... global memory is used at an address that is no multiple of the element's size ... in "
            "tensor_odd() at {CALL}", "offsets of a GM_ADDR are bytes"),
    checked("value_misaligned", 507035, "the same by GetValue()", "an address that is not aligned ... value_misaligned() at {BUG} ... scalar load: 0x ... is "
            "no multiple of the 4 bytes of what is there ... in value_misaligned() at {CALL}", "as above"),
    checked("half_element", 507015, "the same in the program", "alignment: kernel 'fill' gets 0x ... as its parameter 'out' of type volatile float *, which is no "
            "multiple of 4 ... half_element() at {BUG}", "as above"),
    checked("bursts_many", 507036, "5,000 bursts in one DataCopy()", "bursts_many() at {BUG} ... blockCount is greater than 4095, and a core would copy its "
            "lowest 12 bits ... in bursts_many() at {CALL}", "several copies"),
    checked("count_set_late", 507015, "a thread sets a counter in shared memory, and the others do not wait", "count_set_late() at {BUG} ... atomic access reads "
            "UB+0x ... which thread (0, 0, 0) writes at 0x ... no barrier orders them ... count_set_late() at {MADE}", "`__syncthreads()` behind it"),
    checked("first_block_sets", 507015, "the first block sets a counter for all", "first_block_sets() at ... no barrier or flag orders them ... in "
            "first_block_sets() at {CALL}", "`aclrtMemset()` before the launch"),
    ("trapped", 507015, "a kernel calls __trap()", "trapped() at {BUG} ... __builtin_trap() or __trap(), or a place that the compiler takes for unreachable; "
     "thread (5, 0, 0)", "the line is the kernel's own check, or behind a function without return"),
    checked("list_small", 0, "an address is appended to a list of arguments as an int", "arguments: parameter 1 of kernel 'copy', 'in' of type const volatile "
            "float *, has 8 bytes, and 4 were appended for it ... list_small() at {BUG}", "sizeof() of the parameter's own type"),
    checked("size_negative", 207001, "a size is computed that is less than 0", "call: the size is -20 as a number with a sign: look at how it is "
            "computed [aclrtMalloc() in size_negative() at {BUG}", "the computation"),
    checked("record_destroyed", 0, "a stream is destroyed while it is recorded", "recording: stream 2 ends while it is recorded, and the recording with "
            "it ... aclrtDestroyStream() in record_destroyed() at {BUG}", "`aclmdlRICaptureEnd()` before"),
    checked("record_empty", 0, "a recording that gets no tasks", "recording: the recording of stream 2 has no tasks: those of other streams, the default "
            "stream among them, are not in it ... aclmdlRICaptureEnd() in record_empty() at {BUG}", "launch in the stream that is recorded"),
    checked("fill_early", 0, "memory is filled while a kernel uses it", "race: this fill writes memory at 0x ... kernel 'fill' of stream 2 ... in fill_early() "
            "at {CALL} ... aclrtMemset() in fill_early() at {BUG}", "`aclrtMemsetAsync()` in that stream, or synchronise before"),
    checked("register_left", 0, "registered memory is freed", "leak: 8 KiB of memory at 0x ... were registered and never unregistered ... aclrtHostRegister() "
            "in register_left() at {BUG}", "`aclrtHostUnregister()` before"),
    checked("timeout_ignored", 0, "a wait runs out of time, and the program goes on", "timeout: E507046 aclrtSynchronizeStreamWithTimeout: the time is up ... "
            "aclrtStreamWaitEvent() in timeout_ignored() at {CALL} ... waits for event 1, which was never recorded ... ends without having waited for this with "
            "success ... in timeout_ignored() at {BUG}", "look at what the wait returns"),
    checked("timeout_waited", 0, "a program that waits again is right", "CODE 0", ""),
    checked("event_gone_early", 0, "an event is destroyed that a stream waits for", "race: event 1 is destroyed while 1 wait of streams for it has not ended, and "
            "nothing has recorded it ... aclrtDestroyEvent() in event_gone_early() at {BUG}", "destroy it behind the synchronisation"),
    ("notify_gone_early", 507046, "a notify is destroyed that a stream waits for", "aclrtWaitAndResetNotify() in notify_gone_early() at {BUG}, waits for "
     "notify 1, which was destroyed by aclrtDestroyNotify() in notify_gone_early() at {FREED} before anything had recorded it", "as above"),
    ("stream_gone_early", 107023, "a stream is destroyed that another thread waits for", "stream 2 was destroyed by aclrtDestroyStreamForce() in "
     "end_stream_soon() at {FREED} while this thread waited for it", "as above"),
    checked("malloc_in_function", 0, "a host function allocates memory", "call: E207000 aclrtMalloc: it was called from inside a callback of the runtime ... "
            "[aclrtMalloc() in allocate() at {BUG}]", "let another thread do it"),
    checked("parts_meet", 0, "two streams fill parts of a tensor by an index, and the parts share an element", "race: kernel 'fill_part' of stream ... writes "
            "memory at 0x ... and kernel 'fill_part' of stream ... which writes it, has no order with it ... fill_parts() at {MADE} ... "
            "fill_parts() at {BUG}", "the parts' bounds, or an event between the streams"),
    checked("parts_right", 0, "the same with parts that are different is right", "CODE 0", ""),
    checked("join_right", 0, "a stream that has waited for others is synchronised: right", "CODE 0", ""),
    checked("aborted_right", 0, "memory is used that an aborted stream would have written: right", "CODE 0", ""),
    checked("fill_value", 0, "a fill by a value that has more than 8 bits", "call: value is 1000, and a fill writes its lowest byte, 0xe8, "
            "everywhere ... aclrtMemset() in fill_value() at {BUG}", "a kernel, or a copy"),
    checked("double_for_float", 0, "a double where the kernel has a float", "arguments: parameter 1 of kernel 'fill', 'value' of type float, gets "
            "the 8 bytes of the double 0.5 ... in double_for_float() at {BUG}", "a variable of the parameter's type"),
    checked("int_for_float", 0, "an integer where the kernel has a float", "arguments: parameter 1 of kernel 'fill', 'value' of type float, gets the integer 2 "
            "... in int_for_float() at {BUG}", "a variable of the parameter's type"),
    checked("py_int_for_float", 0, "the same in Python", "arguments: parameter 1 of kernel 'fill', 'value' of type float, gets the integer 2 ... at {BUG}",
            "`np.float32(2).view(np.uint32)` in an array of slots"),
    checked("graph_unordered", 0, "tasks of two streams of a recording have no order", "race: kernel 'copy' of a graph reads memory at 0x ... and "
            "kernel 'fill' of a graph, which writes it, has no order with it in the graph ... at {CALL} ... at {BUG}",
            "`aclrtRecordEvent()` behind the first one, `aclrtStreamWaitEvent()` before the second one, in the recording"),
    checked("graph_ordered", 0, "the same with an event is right", "CODE 0", ""),
    checked("heap_small", 0, "a result is copied into a block of malloc() that is smaller", "host-memory: dst takes 1048 bytes at 0x ... in a block of "
            "malloc() at 0x ... that has 1032 bytes from there on at most ... in heap_small() at {BUG}", "bytes and not elements"),
    checked("heap_small_large", 0, "the same with megabytes", "host-memory: src gives 4202496 bytes at 0x ... in a block of malloc() at 0x ... from there on at "
            "most ... in heap_small_large() at {BUG}", "as above"),
    checked("heap_middle", 0, "a copy begins in the middle of a block, and leaves it", "host-memory: src gives 256 bytes at 0x ... in a block of malloc() at "
            "0x ... that has 232 bytes from there on at most ... in heap_middle() at {BUG}", "the offset"),
    checked("heap_freed", 0, "a copy from memory of malloc() that was freed", "host-memory: src gives 256 bytes at 0x ... in a block of malloc() at 0x ... that "
            "was freed ... in heap_freed() at {BUG}", "free it behind the copy"),
    checked("heap_freed_large", 0, "the same with more bytes", "host-memory: src gives 8192 bytes at 0x ... that was freed ... in heap_freed_large() at {BUG}",
            "as above"),
    checked("graph_writers", 0, "tasks of a recording without an order write the same bytes, by kernels whose pointers are not const", "race: kernel 'fill_part' of a graph "
            "writes memory at 0x ... and kernel 'fill_part' of a graph, which writes it, has no order with it in the graph ... in record_fills() at {CALL} ... in "
            "record_fills() at {BUG}", "`aclrtRecordEvent()` behind the first one, `aclrtStreamWaitEvent()` before the second one, in the recording"),
    checked("graph_writers_apart", 0, "the same with different parts is right", "CODE 0", ""),
    checked("reduce_unwritten", 0, "a reduction of memory that nothing has written", "uninitialised: this reduction reads 256 bytes that nothing has written since "
            "aclrtMalloc() ... aclrtReduceAsync() in reduce_unwritten() at {BUG}", "set or copy it before"),
    checked("reduce_written", 0, "a reduction of what a task before it writes is right", "CODE 0", ""),
    checked("pageable_freed", 0, "a block of malloc() is freed behind an asynchronous copy from it", "use-after-free: the 256 bytes of malloc() at 0x ... that a copy of "
            "stream ... reads were freed before the program knew that the copy is done ... free(), which came before aclrtLaunchKernelWithHostArgs() in pageable_freed() at {CALL} ... aclrtMemcpyAsync() in "
            "pageable_freed() at {BUG}", "`aclrtSynchronizeStream()` before, or `aclrtMemcpy()`"),
    checked("pageable_freed_large", 0, "the same with a block that is a mapping", "use-after-free: the 1048576 bytes of malloc() at 0x ... reads were freed before ... "
            "aclrtMemcpyAsync() in pageable_freed_large() at {BUG}", "as above"),
    checked("pageable_freed_last", 0, "the block of a result is freed before the device is synchronised", "use-after-free: the 32768 bytes of malloc() at 0x ... writes were "
            "freed before ... aclrtMemcpyAsync() in pageable_freed_last() at {BUG}", "as above"),
    checked("pageable_right", 0, "blocks that are freed behind a synchronisation, an event, or by a function behind the copy are right", "CODE 0", ""),
    checked("variable_small", 0, "a copy from an array that is smaller", "host-memory: src gives 512 bytes at 0x ... in the variable 'variable' of 256 bytes, "
            "which has 256 from there on ... in variable_small() at {BUG}", "sizeof() of the array"),
    checked("heap_right", 0, "copies of whole blocks and of parts are right", "CODE 0", ""),
    checked("heap_rows", 0, "rows are copied into a block of malloc() that is smaller", "host-memory: dst takes 576 bytes at 0x ... in a block of malloc() at "
            "0x ... that has 520 bytes from there on at most ... aclrtMemcpy2d() in heap_rows() at {BUG}", "pitch times height"),
    checked("heap_rows_freed", 0, "rows from memory of malloc() that was freed", "host-memory: src gives 1024 bytes at 0x ... that was freed ... "
            "aclrtMemcpy2d() in heap_rows_freed() at {BUG}", "free it behind the copy"),
    checked("variable_rows", 0, "rows from an array that is smaller", "host-memory: src gives 512 bytes at 0x ... in the variable 'variable' of 256 bytes ... "
            "in variable_rows() at {BUG}", "the number of rows"),
    checked("stack_small", 0, "a copy from an array of the function that is smaller", "host-memory: src gives 128 bytes at 0x ... in the local variable 'part' "
            "of 64 bytes, which has 64 from there on ... in stack_small() at {BUG}", "sizeof() of the array"),
    checked("stack_caller", 0, "the same with an array of the function's caller", "host-memory: src gives 512 bytes at 0x ... in the local variable 'host' of "
            "256 bytes, which has 256 from there on ... in copy_from() at {BUG}", "the size of its elements"),
    checked("stack_right", 0, "copies of local variables and of parts are right", "CODE 0", ""),
    checked("rows_right", 0, "a last row that ends with its block is right", "CODE 0", ""),
    checked("cu_rows_small", 0, "cuMemcpy2D() into a block of malloc() that is smaller", "host-memory: dst takes 1024 bytes at 0x ... in a block of malloc() at "
            "0x ... cuMemcpy2D() in cu_rows_small() at {BUG}", "pitch times height"),
    checked("cu_pool_unused", 0, "memory of a pool that nothing has used is freed at once: right", "CODE 0", ""),
    checked("cu_pool_free", 0, "cuMemFree() of memory of a pool, and a fill may still write it", "race: the end of the allocation ... and a fill of stream "
            "... in cu_pool_free() at {CALL} ... in cu_pool_free() at {BUG}", "`cuStreamSynchronize()` before"),
    checked("function_right", 0, "a host function fills what is copied behind it: right", "CODE 0", ""),
]

# Programs of the driver API, and ranks
FRONTS = [
    ("cu_freed", 700, "a kernel uses memory that was freed", "device memory that was freed ... by cuMemFree() in cu_freed() at {FREED}, made by "
     "cuMemAlloc() in cu_freed() at ... null_store() at kernels.c:30 ... was submitted by cuLaunchKernel() in cu_freed() at {CALL}",
     "free it behind `cuCtxSynchronize()`"),
    ("cu_host_pointer", 700, "a kernel gets an address of the host", "host memory, which the device does not reach ... was submitted by "
     "cuLaunchKernel() in cu_host_pointer() at {CALL}", "copy it"),
    ("cu_pointer_twice", 700, "a parameter is the address of the variable that has the address", "host memory, which the device does not reach ... "
     "cuLaunchKernel() in cu_pointer_twice() at {CALL}", "`&p` in kernelParams, and not `&&p`"),
    checked("cu_pool_other", 0, "memory of `cuMemAllocAsync()` is used at once in another stream", "race: kernel 'fill' of stream 3 writes memory at 0x ... "
            "and the allocation of stream 2, which writes it, has no order with it ... cuMemAllocAsync() in cu_pool_other() at {CALL} ... called from "
            "cu_pool_other() at {BUG}", "an event behind the allocation"),
    checked("cu_pool_right", 0, "the same with events, or synchronised, is right", "CODE 0", ""),
    checked("cu_node_alone", 0, "a kernel node lacks the dependency on the one that makes its input", "race: kernel 'copy' of a graph reads memory at 0x ... and "
            "kernel 'fill' of a graph, which writes it, has no order with it in the graph ... cuGraphAddKernelNode() in two_nodes() at {CALL} ... "
            "cuGraphAddKernelNode() in two_nodes() at {BUG}", "name that node in its dependencies"),
    checked("cu_node_right", 0, "the same with the dependency is right", "CODE 0", ""),
    checked("cu_node_fill", 0, "a node that sets memory lacks it", "race: a fill writes memory at 0x ... kernel 'fill' of a graph, which writes it, has no order with it "
            "in the graph ... graph_of_node() at ... called from cu_node_fill() at {CALL} ... cuGraphAddMemsetNode() in cu_node_fill() at {BUG}", "as above"),
    checked("cu_null", 700, "a pointer that was not set", "write of 4 bytes at 0x0, NULL ... fill() at kernels.c: ... was submitted by cuLaunchKernel() in cu_null() at "
            "{CALL}", "look at what the allocation returned"),
    checked("cu_graph_writes", 0, "a graph and another stream write the same tensor", "race: kernel 'fill' of stream 3 writes memory at 0x ... kernel 'fill' of a "
            "graph of stream 2, which writes it, has no order with it ... cuGraphLaunch() in cu_graph_writes() at {CALL} ... called from cu_graph_writes() at "
            "{BUG}", "an event between them"),
    checked("cu_graph_writes_right", 0, "the same with events is right", "CODE 0", ""),
    checked("cu_left", 0, "a program ends, and its context and memory are left", "leak: 256 B of device memory ... cuMemAlloc() in cu_left() at {MADE} ... "
            "leak: a context was never destroyed: see cuCtxDestroy() ... cuCtxCreate() in function() at", "free and destroy them"),
    checked("cu_left_stream", 0, "a stream is left", "leak: a stream was never destroyed: see cuStreamDestroy() ... cuStreamCreate() in cu_left_stream() at "
            "{MADE}", "destroy it"),
    checked("cu_left_event", 0, "an event is left", "leak: an event was never destroyed: see cuEventDestroy() ... cuEventCreate() in cu_left_event() at {MADE}",
            "destroy it"),
    checked("cu_left_graph", 0, "a graph is left", "leak: a graph was never destroyed: see cuGraphDestroy() ... cuGraphCreate() in cu_left_graph() at {MADE}",
            "destroy it"),
    checked("cu_left_exec", 0, "an instantiated graph is left", "leak: an instantiated graph was never destroyed: see cuGraphExecDestroy() ... "
            "in cu_left_exec() at {MADE}", "destroy it, too"),
    checked("cu_left_record", 0, "a recorded graph is left", "leak: a recorded graph was never destroyed: see cuGraphDestroy() ... cuStreamBeginCapture() in "
            "cu_left_record() at {MADE}", "destroy it"),
    checked("cu_left_module", 0, "a module is left at the program's end", "leak: a module was never unloaded: see cuModuleUnload() ... cuModuleLoad() in "
            "cu_left_module() at {MADE}", "unload it, or destroy its context"),
    checked("cu_heap_small", 0, "a copy from a block of malloc() that is smaller", "host-memory: src gives 1024 bytes at 0x ... in a block of malloc() at 0x "
            "... that has 264 bytes from there on at most ... cuMemcpyHtoD() in cu_heap_small() at {BUG}", "bytes and not elements"),
    ("cu_free_twice", 1, "memory is freed twice", "it was freed already ... by cuMemFree() in cu_free_twice() at {FREED}", "once"),
    ("cu_free_middle", 1, "an address inside of an allocation is freed", "which is not the start of an allocation", "the address of "
     "`cuMemAlloc()`"),
    ("cu_copy_long", 1, "a copy is longer than the allocation", "the destination is the 512 bytes at 0x ... has 256 bytes from that address on",
     "bytes and not elements"),
    ("cu_no_context", 201, "a thread has no context", "cuMemcpyHtoD: this thread has no context: call cuCtxCreate() or cuCtxSetCurrent()",
     "`cuCtxSetCurrent()`"),
    ("cu_threads", 701, "a kernel for one thread is launched with 64", "a block of the launch has 64x1x1 threads, and 'fill' can have 1",
     "blocks instead of threads, or a .cu file"),
    ("cu_event_time", 400, "the time of an event that was never recorded", "was never recorded", "record both"),
    checked("cu_behind", 700, "a kernel writes behind its memory", "right behind the end of the nearest allocation, 400 B at 0x ... cuMemAlloc() in "
            "cu_behind() at {MADE} ... fill() at kernels.c:8 ... cuLaunchKernel() in cu_behind() at {CALL}", "the number of elements"),
    checked("cu_early", 0, "a result of a stream that does not wait for the default one is copied", "race: this copy reads memory at 0x ... kernel "
            "'fill' of stream 2 ... cuLaunchKernel() in cu_early() at {CALL} ... cuMemcpyDtoH() in cu_early() at {BUG}",
            "`cuStreamSynchronize()` before"),
    checked("cu_graph_early", 0, "the result of a graph is copied at once", "race: this copy reads memory at 0x ... and kernel 'fill' of a graph of "
            "stream 2, which writes it, is not known to be done ... cuGraphLaunch() in cu_graph_early() at {CALL} ... cuMemcpyDtoH() in "
            "cu_graph_early() at {BUG}", "`cuStreamSynchronize()` before"),
    checked("cu_record_early", 0, "the same with a graph that was recorded", "race: this copy reads memory at 0x ... and kernel 'fill' of a graph of "
            "stream 2, which writes it, is not known to be done ... cuGraphLaunch() in cu_record_early() at {CALL} ... cuMemcpyDtoH() in "
            "cu_record_early() at {BUG}", "as above"),
    checked("cu_graph_waits", 0, "a graph that is synchronised is right", "CODE 0", ""),
    checked("cu_event_race", 0, "a stream waits for an event that stands before the kernel", "race: kernel 'fill' of stream 3 writes memory at 0x ... "
            "kernel 'fill' of stream 2 ... cuLaunchKernel() in cu_event_race() at {CALL} ... cuLaunchKernel() in cu_event_race() at {BUG}",
            "record it behind the kernel"),
    checked("cu_value_order", 0, "values that streams write and wait for order them", "CODE 0", ""),
    checked("cu_leak", 0, "memory is never freed", "leak: 256 B of device memory at 0x ... cuMemAlloc() in cu_leak() at {MADE}",
            "free it before `cuCtxDestroy()`"),
    checked("cu_wrong_name", 500, "a kernel that the file does not have", "call: E500 cuModuleGetFunction: 'build/tests/diagnosis/kernels.o' has no "
            "kernel 'vecadd'; its kernels: fill, copy ... cuModuleGetFunction() in cu_wrong_name() at {BUG}", "`extern \"C\"`, or the mangled name"),
    ("cu_free_kind", 1, "pinned memory is freed as device memory", "E1 cuMemFree: dptr is 0x ... pinned memory of the host: free it with "
     "cuMemFreeHost()", "`cuMemFreeHost()`"),
    ("cu_capture_malloc", 900, "memory is allocated while a stream is recorded", "cuMemAlloc() is refused while a stream is recorded in a mode that "
     "forbids it ... CU_STREAM_CAPTURE_MODE_RELAXED", "allocate before"),
    checked("cu_derefs", "SIGSEGV", "the program writes to device memory", "host-access: cu_derefs() at {BUG} writes 0x ... byte 12 of the 256 B of "
            "device memory at 0x ... made by cuMemAlloc() in cu_derefs() at {MADE} ... copy it with cuMemcpy()", "`cuMemcpyHtoD()`"),
    checked("hccl_counts", 1, "ranks give different counts", "rank 0 calls HcclAllReduce(64 fp32 sum) at hccl_counts() at {BUG}, rank 1 "
            "HcclAllReduce(32 fp32 sum) at sum_less() at {CALL}", "the same in all"),
    checked("hccl_types", 1, "ranks give different types", "rank 0 calls HcclAllReduce(64 fp32 sum) at hccl_types() at {BUG}, rank 1 "
            "HcclAllReduce(64 fp16 sum) at sum_halves() at {CALL}", "the same in all"),
    checked("hccl_order", 1, "ranks call collectives in another order", "rank 0 calls HcclAllReduce(64 fp32 sum) at hccl_order() at {BUG}, rank 1 "
            "HcclBroadcast(64 fp32) at other_order() at {CALL}", "the same order in all"),
    ("hccl_long", 1, "a collective of as many elements as there are bytes", "recvBuf is 0x ... with 1048576 bytes, and the allocation there, of",
     "elements and not bytes"),
    ("hccl_overlap", 1, "the buffers of a collective overlap", "sendBuf 0x ... with 256 bytes and recvBuf 0x ... with 256 bytes overlap",
     "the offset in bytes"),
    ("hccl_freed", 15, "a collective of memory that was freed", "device memory that was freed ... by aclrtFree() in hccl_freed() at {FREED}",
     "free it behind a synchronisation"),
    ("hccl_host", 1, "a collective of a variable of the host", "sendBuf is 0x ... memory of the host that devices do not reach: pass memory of "
     "aclrtMalloc()", "copy it to the device"),
    ("hccl_small", 1, "the result of a collective does not fit into its buffer", "recvBuf is 0x ... with 256 bytes, and the allocation there",
     "elements and not bytes"),
    checked("hccl_early", 0, "the result of a collective is copied at once", "race: this copy reads memory at 0x ... and HcclAllReduce() of stream ... "
            "which writes it, is not known to be done ... HcclAllReduce() in hccl_early() at {CALL} ... in hccl_early() at {BUG}",
            "`aclrtSynchronizeStream()` before"),
    checked("hccl_free_early", 0, "a collective's buffer is freed at once", "use-after-free: memory at 0x ... is freed, and HcclAllReduce() of stream ... "
            "which uses it, is not known to be done ... in hccl_free_early() at {CALL} ... aclrtFree() in hccl_free_early() at {BUG}", "as above"),
    checked("hccl_unwritten", 0, "a collective reduces memory that nothing has written", "uninitialised: HcclAllReduce() reads 256 bytes that nothing has written since "
            "aclrtMalloc() ... HcclAllReduce() in hccl_unwritten() at {BUG}", "set or copy it before"),
    checked("hccl_right", 0, "a collective that is synchronised is right", "CODE 0", ""),
    checked("hccl_filled", 0, "a collective's input is filled anew in another stream", "race: a fill of stream ... writes memory at 0x ... and HcclAllReduce() "
            "of stream ... which reads it, has no order with it ... HcclAllReduce() in hccl_filled() at {CALL} ... aclrtMemsetAsync() in hccl_filled() at "
            "{BUG}", "`aclrtRecordEvent()` behind the collective, `aclrtStreamWaitEvent()` before the fill"),
    checked("hccl_parts", 0, "parts of the result of HcclAlltoAllV() overlap", "overlap: recvBuf gets 64 elements of rank 0 at element 0 and 64 of rank 1 at "
            "32: these overlap ... HcclAlltoAllV() in hccl_parts() at {BUG}", "the displacements"),
    checked("hccl_group_open", 0, "HcclGroupEnd() is missing", "group: HcclAllReduce() at hccl_group_open() at {CALL} has not been done yet, as "
            "HcclGroupStart() holds it back ... HcclCommDestroy() in hccl_group_open() at {BUG}", "`HcclGroupEnd()`"),
    checked("hccl_unreceived", 0, "two sends and one receive", "unreceived: number 2 from rank 0 to rank 1: rank 0 sends 64 fp32 with HcclSend at "
            "hccl_unreceived() at {CALL}, and rank 1 has not received it: each send needs a receive [HcclCommDestroy()", "a receive for each send"),
    checked("hccl_received", 0, "as many receives as sends are right", "CODE 0", ""),
    ("hccl_self", 1, "a rank sends to itself", "rank 0 sends itself something else than it receives from itself", "another rank"),
]

MORE = OPERATORS + SCALARS + HOSTS + SNAKES + HANGS + ORDERS + FRONTS
