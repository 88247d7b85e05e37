/* SPDX-License-Identifier: MIT */
/* Cases of bugs.c whose mistake is in an operator: of queues.cpp, scalars.cpp, tensors.cpp, halves.cpp and grid.cu. */

/* The operator gets a tensor with numbers, one that nothing has written, and perhaps more */
#define OPERATOR(file, name, blocks, in, out, ...) \
static void name(void) \
{ \
	float *x = tensor(in), *z = device(4 * (out)); \
	RUN(file, #name, blocks, NULL, A(x), A(z) __VA_OPT__(,) __VA_ARGS__); \
	tell(aclrtSynchronizeStream(NULL)); \
	aclrtFree(x); \
	aclrtFree(z); \
}
OPERATOR(QUEUES, que_depth, 1, 64, 64) /* CALL que_depth */
OPERATOR(QUEUES, que_no_enque, 1, 64, 64) /* CALL que_no_enque */
OPERATOR(QUEUES, que_no_free, 1, 64, 64) /* CALL que_no_free */
OPERATOR(QUEUES, que_free_twice, 1, 64, 64) /* CALL que_free_twice */
OPERATOR(QUEUES, que_other, 1, 64, 64) /* CALL que_other */
OPERATOR(QUEUES, gather_elements, 1, 64, 64) /* CALL gather_elements */
OPERATOR(QUEUES, pad_rows, 1, 60, 64) /* CALL pad_rows */
OPERATOR(QUEUES, tbuf_no_sync, 1, 128, 128) /* CALL tbuf_no_sync */
OPERATOR(QUEUES, buffer_half, 1, 64, 64) /* CALL buffer_half */
OPERATOR(QUEUES, buffer_next, 1, 64, 64) /* CALL buffer_next */
OPERATOR(QUEUES, cast_size, 1, 64, 64) /* CALL cast_size */
OPERATOR(QUEUES, scalar_early, 1, 64, 64) /* CALL scalar_early */
OPERATOR(QUEUES, reload_early, 1, 64, 128) /* CALL reload_early */
OPERATOR(QUEUES, event_number, 1, 64, 64) /* CALL event_number */
OPERATOR(QUEUES, event_pair, 1, 64, 64) /* CALL event_pair */
OPERATOR(QUEUES, atomic_no_zero, 1, 64, 64) /* CALL atomic_no_zero */
OPERATOR(QUEUES, atomic_forgotten, 4, 256, 64) /* CALL atomic_forgotten */
OPERATOR(QUEUES, tiling_blocks, 4, 256, 256, 256) /* CALL tiling_blocks */
OPERATOR(QUEUES, count_no_block, 1, 64, 60, 60) /* CALL count_no_block */
OPERATOR(QUEUES, mask_short, 1, 64, 64) /* CALL mask_short */
OPERATOR(QUEUES, repeat_more, 1, 128, 128) /* CALL repeat_more */
OPERATOR(QUEUES, global_behind, 1, 64, 1, 64) /* CALL global_behind */
OPERATOR(QUEUES, ub_too_much, 1, 64, 64) /* CALL ub_too_much */
OPERATOR(QUEUES, overlap_shift, 1, 128, 128) /* CALL overlap_shift */
OPERATOR(QUEUES, scalar_global_early, 1, 64, 128) /* CALL scalar_global_early */
OPERATOR(HALVES, mix_flag_number, 1, 64, 64) /* CALL mix_flag_number */

OPERATOR(QUEUES, set_behind, 1, 64, 64) /* CALL set_behind */
OPERATOR(QUEUES, value_next, 1, 64, 64) /* CALL value_next */
OPERATOR(QUEUES, part_next, 1, 64, 64) /* CALL part_next */
OPERATOR(QUEUES, free_forgotten, 1, 64, 64) /* CALL free_forgotten */
OPERATOR(QUEUES, use_freed, 1, 64, 64) /* CALL use_freed */
OPERATOR(QUEUES, no_init_buffer, 1, 64, 64) /* CALL no_init_buffer */
OPERATOR(QUEUES, no_bytes, 1, 64, 64) /* CALL no_bytes */
OPERATOR(QUEUES, que_no_deque, 1, 64, 64) /* CALL que_no_deque */
OPERATOR(QUEUES, block_length, 1, 64, 64) /* CALL block_length */
OPERATOR(QUEUES, pad_elements, 1, 64, 64) /* CALL pad_elements */
OPERATOR(QUEUES, event_too_high, 1, 64, 64) /* CALL event_too_high */
OPERATOR(QUEUES, offset_odd, 1, 64, 64) /* CALL offset_odd */
OPERATOR(QUEUES, work_small, 1, 64, 64)
OPERATOR(QUEUES, work_in_source, 1, 64, 64)
OPERATOR(QUEUES, transpose_small, 1, 64, 64)
OPERATOR(QUEUES, tensor_odd, 1, 64, 64) /* CALL tensor_odd */
OPERATOR(QUEUES, value_misaligned, 1, 64, 64) /* CALL value_misaligned */
OPERATOR(QUEUES, bursts_many, 1, 64, 64) /* CALL bursts_many */
OPERATOR(SCALARS, set_then_vector, 1, 64, 64) /* CALL set_then_vector */
OPERATOR(SCALARS, set_then_store, 1, 64, 64) /* CALL set_then_store */
OPERATOR(SCALARS, global_set_early, 1, 64, 64) /* CALL global_set_early */
OPERATOR(SCALARS, global_set_loop, 1, 2048, 64) /* CALL global_set_loop */
OPERATOR(SCALARS, scalars_right, 1, 64, 64)
OPERATOR(SCALARS, init_in_loop, 1, 64, 64)
OPERATOR(SCALARS, atomic_left, 1, 128, 64) /* CALL atomic_left */
OPERATOR(SCALARS, cross_other_pipe, 2, 128, 128) /* CALL cross_other_pipe */
OPERATOR(SCALARS, cross_right, 2, 128, 128)
/* The second tensor is one of zeros */
static void divided(void)
{
	float *x = tensor(64), *z = device(256);

	tell(aclrtMemset(z, 256, 0, 256));
	RUN(SCALARS, "divided", 1, NULL, A(x), A(z)); /* CALL divided */
	tell(aclrtSynchronizeStream(NULL));
	aclrtFree(x);
	aclrtFree(z);
}
OPERATOR(TENSORS, pipe_second, 1, 64, 64) /* CALL pipe_second */
OPERATOR(TENSORS, pipe_second_buf, 1, 64, 64) /* CALL pipe_second_buf */
OPERATOR(TENSORS, repeats_many, 1, 64, 16640, 16640) /* CALL repeats_many */
OPERATOR(TENSORS, atomic_other_type, 1, 64, 64) /* CALL atomic_other_type */
OPERATOR(TENSORS, global_index, 1, 64, 64) /* CALL global_index */
OPERATOR(TENSORS, global_copy, 1, 64, 64) /* CALL global_copy */
OPERATOR(TENSORS, barrier_workspace, 2, 64, 64) /* CALL barrier_workspace */
OPERATOR(TENSORS, told_right, 1, 64, 64)

/* The operator gets one tensor, and perhaps more */
#define OPERATOR_OUT(file, name, blocks, out, ...) \
static void name(void) \
{ \
	float *z = device(4 * (out)); \
	RUN(file, #name, blocks, NULL, A(z) __VA_OPT__(,) __VA_ARGS__); \
	tell(aclrtSynchronizeStream(NULL)); \
	aclrtFree(z); \
}
OPERATOR_OUT(QUEUES, scalar_store, 1, 8) /* CALL scalar_store */
OPERATOR_OUT(QUEUES, sync_if, 4, 32) /* CALL sync_if */
OPERATOR_OUT(QUEUES, no_tiling, 1, 64, 0) /* CALL no_tiling */
OPERATOR_OUT(HALVES, mix_same_part, 2, 128) /* CALL mix_same_part */

/* Threads: @dyn bytes of dynamic shared memory */
#define THREADS(name, blocks, x, y, dyn, in, out, ...) \
static void name(void) \
{ \
	float *a = tensor(in), *z = device(4 * (out)); \
	uint64_t args_[] = { __VA_ARGS__ }; \
	dim3 grid = { blocks, 1, 1 }, block = { x, y, 1 }; \
	aclrtSetOpExecuteTimeOutWithMs(1000); \
	aclrtLaunchSIMTKernelWithHostArgs(other_kernel(GRID, #name), grid, block, dyn, NULL, NULL, args_, sizeof(args_), NULL, 0); \
	tell(aclrtSynchronizeStream(NULL)); \
	aclrtFree(a); \
	aclrtFree(z); \
}
THREADS(no_block_index, 2, 64, 1, 0, 128, 128, A(a), A(z)) /* CALL no_block_index */
THREADS(loop_barrier, 1, 64, 1, 0, 256, 64, A(a), A(z), 4) /* CALL loop_barrier */
THREADS(shared_small, 1, 64, 1, 252, 64, 64, A(a), A(z)) /* CALL shared_small */
THREADS(atomic_unset, 1, 64, 1, 0, 1, 1, A(z)) /* CALL atomic_unset */
THREADS(spin_forever, 4, 32, 1, 0, 1, 1, A(a)) /* CALL spin_forever */
THREADS(last_block, 8, 1, 1, 0, 8, 8, A(z), A(a)) /* CALL last_block */
THREADS(local_behind, 1, 32, 1, 0, 1, 32, A(z), 12) /* CALL local_behind */
THREADS(wrong_stride, 1, 32, 1, 0, 32, 32, A(a)) /* CALL wrong_stride */
THREADS(early_return, 1, 64, 1, 0, 64, 64, A(a), A(z), 40) /* CALL early_return */
THREADS(recursion, 1, 4, 1, 0, 4, 4, A(a)) /* CALL recursion */
THREADS(static_small, 1, 256, 1, 0, 256, 256, A(a), A(z)) /* CALL static_small */
THREADS(warp_mask, 1, 32, 1, 0, 32, 32, A(a), A(z)) /* CALL warp_mask */
THREADS(warp_source, 1, 32, 1, 0, 32, 32, A(a), A(z)) /* CALL warp_source */
THREADS(warp_source_right, 1, 32, 1, 0, 32, 32, A(a), A(z))
THREADS(branch_shuffle, 1, 32, 1, 0, 32, 32, A(a), A(z)) /* CALL branch_shuffle */
THREADS(half_warp, 1, 48, 1, 0, 48, 48, A(a), A(z)) /* CALL half_warp */
THREADS(sum_of_left, 1, 32, 1, 0, 32, 32, A(a), A(z)) /* CALL sum_of_left */
THREADS(masks_right, 1, 32, 1, 0, 32, 32, A(a), A(z))
THREADS(swap_loop, 8, 64, 1, 0, 64, 64, A(a))
THREADS(lock_store, 2, 1, 1, 0, 2, 1, A(a), A(a) + 4) /* CALL lock_store */
THREADS(barrier_counts, 1, 64, 1, 0, 64, 64, A(z), 2) /* CALL barrier_counts */
THREADS(atomic_odd, 1, 4, 1, 0, 64, 64, A(a)) /* CALL atomic_odd */
THREADS(first_block_sets, 4, 1, 1, 0, 1, 1, A(a)) /* CALL first_block_sets */
THREADS(grid_no_coop, 2, 8, 1, 0, 16, 16, A(z)) /* CALL grid_no_coop */
THREADS(trapped, 1, 8, 1, 0, 8, 8, A(z)) /* CALL trapped */

/* Rows and columns are exchanged: the operator writes too little, and the program reads all */
static void rows_columns(void)
{
	int *z = device(256), host[64]; /* MADE rows_columns */
	uint64_t args[] = { A(z), 16, 4 };
	dim3 grid = { 1, 1, 1 }, block = { 16, 4, 1 };

	aclrtLaunchSIMTKernelWithHostArgs(other_kernel(GRID, "rows_columns"), grid, block, 0, NULL, NULL, args, sizeof(args), NULL, 0);
	aclrtSynchronizeStream(NULL);
	tell(aclrtMemcpy(host, 256, z, 256, ACL_MEMCPY_DEVICE_TO_HOST)); /* CALL rows_columns */
	aclrtFree(z);
}

#define LAUNCHES_CASES \
	CASE(que_depth), CASE(que_no_enque), CASE(que_no_free), CASE(que_free_twice), CASE(que_other), \
	CASE(gather_elements), CASE(pad_rows), CASE(tbuf_no_sync), \
	CASE(buffer_half), CASE(buffer_next), CASE(cast_size), CASE(scalar_early), CASE(reload_early), \
	CASE(event_number), CASE(event_pair), CASE(atomic_no_zero), CASE(atomic_forgotten), CASE(tiling_blocks), \
	CASE(count_no_block), CASE(mask_short), CASE(repeat_more), CASE(global_behind), CASE(ub_too_much), \
	CASE(overlap_shift), CASE(scalar_global_early), CASE(mix_flag_number), CASE(scalar_store), CASE(sync_if), \
	CASE(no_tiling), CASE(mix_same_part), CASE(no_block_index), CASE(loop_barrier), CASE(shared_small), \
	CASE(atomic_unset), CASE(spin_forever), CASE(last_block), CASE(local_behind), CASE(wrong_stride), \
	CASE(early_return), CASE(recursion), CASE(rows_columns), \
	CASE(set_behind), CASE(value_next), CASE(part_next), CASE(free_forgotten), CASE(use_freed), CASE(no_init_buffer), CASE(no_bytes), CASE(que_no_deque), CASE(block_length), \
	CASE(pad_elements), CASE(event_too_high), CASE(offset_odd), CASE(work_small), CASE(work_in_source), CASE(transpose_small), \
	CASE(tensor_odd), CASE(value_misaligned), CASE(bursts_many), CASE(first_block_sets), CASE(trapped), \
	CASE(set_then_vector), CASE(set_then_store), CASE(global_set_early), CASE(global_set_loop), CASE(scalars_right), CASE(divided), CASE(init_in_loop), CASE(atomic_left), \
	CASE(cross_other_pipe), CASE(cross_right), CASE(grid_no_coop), \
	CASE(pipe_second), CASE(pipe_second_buf), CASE(repeats_many), CASE(atomic_other_type), CASE(global_index), CASE(global_copy), \
	CASE(barrier_workspace), CASE(told_right), \
	CASE(static_small), CASE(warp_mask), CASE(warp_source), CASE(warp_source_right), CASE(branch_shuffle), CASE(half_warp), CASE(sum_of_left), CASE(masks_right), CASE(swap_loop), CASE(lock_store), CASE(barrier_counts), CASE(atomic_odd),
