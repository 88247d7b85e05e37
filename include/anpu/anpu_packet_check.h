/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Sizes and offsets of packets and of what the device writes for processes to read, as numbers.
 * The device, the driver and libacl all include this.
 */
#ifndef ANPU_PACKET_CHECK_H
#define ANPU_PACKET_CHECK_H

#include <anpu/anpu_packet.h>

ANPU_CHECK_SIZE(struct anpu_pkt_header, 8);
ANPU_CHECK_OFFSET(struct anpu_pkt_header, opcode, 0);
ANPU_CHECK_OFFSET(struct anpu_pkt_header, reserved, 1);
ANPU_CHECK_OFFSET(struct anpu_pkt_header, flags, 2);
ANPU_CHECK_OFFSET(struct anpu_pkt_header, task_id, 4);

ANPU_CHECK_SIZE(struct anpu_pkt_kernel, 64);
ANPU_CHECK_OFFSET(struct anpu_pkt_kernel, hdr, 0);
ANPU_CHECK_OFFSET(struct anpu_pkt_kernel, entry, 8);
ANPU_CHECK_OFFSET(struct anpu_pkt_kernel, args, 16);
ANPU_CHECK_OFFSET(struct anpu_pkt_kernel, args_size, 24);
ANPU_CHECK_OFFSET(struct anpu_pkt_kernel, grid_x, 28);
ANPU_CHECK_OFFSET(struct anpu_pkt_kernel, grid_y, 32);
ANPU_CHECK_OFFSET(struct anpu_pkt_kernel, grid_z, 36);
ANPU_CHECK_OFFSET(struct anpu_pkt_kernel, cluster_x, 40);
ANPU_CHECK_OFFSET(struct anpu_pkt_kernel, cluster_y, 41);
ANPU_CHECK_OFFSET(struct anpu_pkt_kernel, cluster_z, 42);
ANPU_CHECK_OFFSET(struct anpu_pkt_kernel, sched_mode, 43);
ANPU_CHECK_OFFSET(struct anpu_pkt_kernel, dyn_scratch, 44);
ANPU_CHECK_OFFSET(struct anpu_pkt_kernel, timeout_us, 48);
ANPU_CHECK_OFFSET(struct anpu_pkt_kernel, core_type, 56);
ANPU_CHECK_OFFSET(struct anpu_pkt_kernel, mix_ratio, 57);
ANPU_CHECK_OFFSET(struct anpu_pkt_kernel, priority, 58);
ANPU_CHECK_OFFSET(struct anpu_pkt_kernel, max_cores, 59);
ANPU_CHECK_OFFSET(struct anpu_pkt_kernel, aiv_entry, 60);

ANPU_CHECK_SIZE(struct anpu_kernel_launch, ANPU_LAUNCH_SIZE);
ANPU_CHECK_OFFSET(struct anpu_kernel_launch, size, 0);
ANPU_CHECK_OFFSET(struct anpu_kernel_launch, flags, 4);
ANPU_CHECK_OFFSET(struct anpu_kernel_launch, block_x, 8);
ANPU_CHECK_OFFSET(struct anpu_kernel_launch, block_y, 12);
ANPU_CHECK_OFFSET(struct anpu_kernel_launch, block_z, 16);
ANPU_CHECK_OFFSET(struct anpu_kernel_launch, static_scratch, 20);
ANPU_CHECK_OFFSET(struct anpu_kernel_launch, begun, 24);
ANPU_CHECK_OFFSET(struct anpu_kernel_launch, begun_value, 32);
ANPU_CHECK_OFFSET(struct anpu_kernel_launch, triggered, 40);
ANPU_CHECK_OFFSET(struct anpu_kernel_launch, triggered_value, 48);
ANPU_CHECK_OFFSET(struct anpu_kernel_launch, reserved, 56);

ANPU_CHECK_SIZE(struct anpu_overflow, 64);
ANPU_CHECK_OFFSET(struct anpu_overflow, status, 0);
ANPU_CHECK_OFFSET(struct anpu_overflow, reserved, 4);

ANPU_CHECK_SIZE(struct anpu_code_list, 32);
ANPU_CHECK_OFFSET(struct anpu_code_list, magic, 0);
ANPU_CHECK_OFFSET(struct anpu_code_list, serial, 8);
ANPU_CHECK_OFFSET(struct anpu_code_list, first, 16);
ANPU_CHECK_OFFSET(struct anpu_code_list, reserved, 24);

ANPU_CHECK_SIZE(struct anpu_code_file, 128);
ANPU_CHECK_OFFSET(struct anpu_code_file, next, 0);
ANPU_CHECK_OFFSET(struct anpu_code_file, serial, 8);
ANPU_CHECK_OFFSET(struct anpu_code_file, base, 16);
ANPU_CHECK_OFFSET(struct anpu_code_file, image, 24);
ANPU_CHECK_OFFSET(struct anpu_code_file, size, 32);
ANPU_CHECK_OFFSET(struct anpu_code_file, name, 40);

ANPU_CHECK_SIZE(struct anpu_trace_buffer, 64);
ANPU_CHECK_OFFSET(struct anpu_trace_buffer, ring, 0);
ANPU_CHECK_OFFSET(struct anpu_trace_buffer, size, 8);
ANPU_CHECK_OFFSET(struct anpu_trace_buffer, head, 16);
ANPU_CHECK_OFFSET(struct anpu_trace_buffer, tail, 24);
ANPU_CHECK_OFFSET(struct anpu_trace_buffer, lost, 32);
ANPU_CHECK_OFFSET(struct anpu_trace_buffer, flags, 40);
ANPU_CHECK_OFFSET(struct anpu_trace_buffer, reserved, 48);

ANPU_CHECK_SIZE(struct anpu_trace_record, 64);
ANPU_CHECK_OFFSET(struct anpu_trace_record, turn, 0);
ANPU_CHECK_OFFSET(struct anpu_trace_record, begin_ns, 8);
ANPU_CHECK_OFFSET(struct anpu_trace_record, end_ns, 16);
ANPU_CHECK_OFFSET(struct anpu_trace_record, seq, 24);
ANPU_CHECK_OFFSET(struct anpu_trace_record, queue, 32);
ANPU_CHECK_OFFSET(struct anpu_trace_record, task_id, 36);
ANPU_CHECK_OFFSET(struct anpu_trace_record, block, 40);
ANPU_CHECK_OFFSET(struct anpu_trace_record, sub_block, 44);
ANPU_CHECK_OFFSET(struct anpu_trace_record, kind, 46);
ANPU_CHECK_OFFSET(struct anpu_trace_record, code, 47);
ANPU_CHECK_OFFSET(struct anpu_trace_record, core, 48);
ANPU_CHECK_OFFSET(struct anpu_trace_record, cause, 52);
ANPU_CHECK_OFFSET(struct anpu_trace_record, amount, 56);

ANPU_CHECK_SIZE(struct anpu_trace_pipes, 64);
ANPU_CHECK_OFFSET(struct anpu_trace_pipes, turn, 0);
ANPU_CHECK_OFFSET(struct anpu_trace_pipes, vector_ns, 8);
ANPU_CHECK_OFFSET(struct anpu_trace_pipes, cube_ns, 16);
ANPU_CHECK_OFFSET(struct anpu_trace_pipes, mte1_ns, 24);
ANPU_CHECK_OFFSET(struct anpu_trace_pipes, mte2_ns, 32);
ANPU_CHECK_OFFSET(struct anpu_trace_pipes, block, 40);
ANPU_CHECK_OFFSET(struct anpu_trace_pipes, sub_block, 44);
ANPU_CHECK_OFFSET(struct anpu_trace_pipes, kind, 46);
ANPU_CHECK_OFFSET(struct anpu_trace_pipes, reserved, 47);
ANPU_CHECK_OFFSET(struct anpu_trace_pipes, mte3_ns, 48);
ANPU_CHECK_OFFSET(struct anpu_trace_pipes, fix_ns, 56);

ANPU_CHECK_SIZE(struct anpu_pkt_copy, 64);
ANPU_CHECK_OFFSET(struct anpu_pkt_copy, hdr, 0);
ANPU_CHECK_OFFSET(struct anpu_pkt_copy, src, 8);
ANPU_CHECK_OFFSET(struct anpu_pkt_copy, dst, 16);
ANPU_CHECK_OFFSET(struct anpu_pkt_copy, size, 24);
ANPU_CHECK_OFFSET(struct anpu_pkt_copy, reserved, 32);

ANPU_CHECK_SIZE(struct anpu_pkt_copy_2d, 64);
ANPU_CHECK_OFFSET(struct anpu_pkt_copy_2d, hdr, 0);
ANPU_CHECK_OFFSET(struct anpu_pkt_copy_2d, src, 8);
ANPU_CHECK_OFFSET(struct anpu_pkt_copy_2d, dst, 16);
ANPU_CHECK_OFFSET(struct anpu_pkt_copy_2d, src_pitch, 24);
ANPU_CHECK_OFFSET(struct anpu_pkt_copy_2d, dst_pitch, 32);
ANPU_CHECK_OFFSET(struct anpu_pkt_copy_2d, width, 40);
ANPU_CHECK_OFFSET(struct anpu_pkt_copy_2d, height, 48);
ANPU_CHECK_OFFSET(struct anpu_pkt_copy_2d, reserved, 56);

ANPU_CHECK_SIZE(struct anpu_copy_desc, 32);
ANPU_CHECK_OFFSET(struct anpu_copy_desc, src, 0);
ANPU_CHECK_OFFSET(struct anpu_copy_desc, dst, 8);
ANPU_CHECK_OFFSET(struct anpu_copy_desc, size, 16);
ANPU_CHECK_OFFSET(struct anpu_copy_desc, reserved, 24);

ANPU_CHECK_SIZE(struct anpu_pkt_copy_desc, 64);
ANPU_CHECK_OFFSET(struct anpu_pkt_copy_desc, hdr, 0);
ANPU_CHECK_OFFSET(struct anpu_pkt_copy_desc, desc, 8);
ANPU_CHECK_OFFSET(struct anpu_pkt_copy_desc, reserved, 16);

ANPU_CHECK_SIZE(struct anpu_pkt_fill, 64);
ANPU_CHECK_OFFSET(struct anpu_pkt_fill, hdr, 0);
ANPU_CHECK_OFFSET(struct anpu_pkt_fill, dst, 8);
ANPU_CHECK_OFFSET(struct anpu_pkt_fill, size, 16);
ANPU_CHECK_OFFSET(struct anpu_pkt_fill, pattern, 24);
ANPU_CHECK_OFFSET(struct anpu_pkt_fill, pattern_size, 32);
ANPU_CHECK_OFFSET(struct anpu_pkt_fill, reserved0, 36);
ANPU_CHECK_OFFSET(struct anpu_pkt_fill, reserved, 40);

ANPU_CHECK_SIZE(struct anpu_pkt_sem_signal, 64);
ANPU_CHECK_OFFSET(struct anpu_pkt_sem_signal, hdr, 0);
ANPU_CHECK_OFFSET(struct anpu_pkt_sem_signal, addr, 8);
ANPU_CHECK_OFFSET(struct anpu_pkt_sem_signal, value, 16);
ANPU_CHECK_OFFSET(struct anpu_pkt_sem_signal, timestamp, 24);
ANPU_CHECK_OFFSET(struct anpu_pkt_sem_signal, op, 32);
ANPU_CHECK_OFFSET(struct anpu_pkt_sem_signal, width, 36);
ANPU_CHECK_OFFSET(struct anpu_pkt_sem_signal, reserved, 40);

ANPU_CHECK_SIZE(struct anpu_pkt_sem_wait, 64);
ANPU_CHECK_OFFSET(struct anpu_pkt_sem_wait, hdr, 0);
ANPU_CHECK_OFFSET(struct anpu_pkt_sem_wait, addr, 8);
ANPU_CHECK_OFFSET(struct anpu_pkt_sem_wait, value, 16);
ANPU_CHECK_OFFSET(struct anpu_pkt_sem_wait, mask, 24);
ANPU_CHECK_OFFSET(struct anpu_pkt_sem_wait, timeout_us, 32);
ANPU_CHECK_OFFSET(struct anpu_pkt_sem_wait, cond, 40);
ANPU_CHECK_OFFSET(struct anpu_pkt_sem_wait, width, 44);
ANPU_CHECK_OFFSET(struct anpu_pkt_sem_wait, reserved, 48);

ANPU_CHECK_SIZE(struct anpu_pkt_timestamp, 64);
ANPU_CHECK_OFFSET(struct anpu_pkt_timestamp, hdr, 0);
ANPU_CHECK_OFFSET(struct anpu_pkt_timestamp, addr, 8);
ANPU_CHECK_OFFSET(struct anpu_pkt_timestamp, reserved, 16);

ANPU_CHECK_SIZE(struct anpu_pkt_notify, 64);
ANPU_CHECK_OFFSET(struct anpu_pkt_notify, hdr, 0);
ANPU_CHECK_OFFSET(struct anpu_pkt_notify, cookie, 8);
ANPU_CHECK_OFFSET(struct anpu_pkt_notify, value, 16);
ANPU_CHECK_OFFSET(struct anpu_pkt_notify, reserved, 24);

ANPU_CHECK_SIZE(struct anpu_pkt_indirect, 64);
ANPU_CHECK_OFFSET(struct anpu_pkt_indirect, hdr, 0);
ANPU_CHECK_OFFSET(struct anpu_pkt_indirect, addr, 8);
ANPU_CHECK_OFFSET(struct anpu_pkt_indirect, count, 16);
ANPU_CHECK_OFFSET(struct anpu_pkt_indirect, reserved0, 20);
ANPU_CHECK_OFFSET(struct anpu_pkt_indirect, reserved, 24);

ANPU_CHECK_SIZE(struct anpu_pkt_jump, 64);
ANPU_CHECK_OFFSET(struct anpu_pkt_jump, hdr, 0);
ANPU_CHECK_OFFSET(struct anpu_pkt_jump, addr, 8);
ANPU_CHECK_OFFSET(struct anpu_pkt_jump, value, 16);
ANPU_CHECK_OFFSET(struct anpu_pkt_jump, mask, 24);
ANPU_CHECK_OFFSET(struct anpu_pkt_jump, cond, 32);
ANPU_CHECK_OFFSET(struct anpu_pkt_jump, width, 36);
ANPU_CHECK_OFFSET(struct anpu_pkt_jump, target, 40);
ANPU_CHECK_OFFSET(struct anpu_pkt_jump, reserved0, 44);
ANPU_CHECK_OFFSET(struct anpu_pkt_jump, reserved, 48);

ANPU_CHECK_SIZE(struct anpu_pkt_reduce, 64);
ANPU_CHECK_OFFSET(struct anpu_pkt_reduce, hdr, 0);
ANPU_CHECK_OFFSET(struct anpu_pkt_reduce, src, 8);
ANPU_CHECK_OFFSET(struct anpu_pkt_reduce, dst, 16);
ANPU_CHECK_OFFSET(struct anpu_pkt_reduce, size, 24);
ANPU_CHECK_OFFSET(struct anpu_pkt_reduce, op, 32);
ANPU_CHECK_OFFSET(struct anpu_pkt_reduce, type, 36);
ANPU_CHECK_OFFSET(struct anpu_pkt_reduce, reserved, 40);

ANPU_CHECK_SIZE(struct anpu_pkt_random, 64);
ANPU_CHECK_OFFSET(struct anpu_pkt_random, hdr, 0);
ANPU_CHECK_OFFSET(struct anpu_pkt_random, dst, 8);
ANPU_CHECK_OFFSET(struct anpu_pkt_random, count, 16);
ANPU_CHECK_OFFSET(struct anpu_pkt_random, counter, 24);
ANPU_CHECK_OFFSET(struct anpu_pkt_random, seed, 32);
ANPU_CHECK_OFFSET(struct anpu_pkt_random, a, 40);
ANPU_CHECK_OFFSET(struct anpu_pkt_random, b, 48);
ANPU_CHECK_OFFSET(struct anpu_pkt_random, dist, 56);
ANPU_CHECK_OFFSET(struct anpu_pkt_random, type, 57);
ANPU_CHECK_OFFSET(struct anpu_pkt_random, reserved, 58);

ANPU_CHECK_SIZE(union anpu_packet, 64);
ANPU_CHECK_OFFSET(union anpu_packet, hdr, 0);
ANPU_CHECK_OFFSET(union anpu_packet, kernel, 0);
ANPU_CHECK_OFFSET(union anpu_packet, copy, 0);
ANPU_CHECK_OFFSET(union anpu_packet, copy_2d, 0);
ANPU_CHECK_OFFSET(union anpu_packet, copy_desc, 0);
ANPU_CHECK_OFFSET(union anpu_packet, fill, 0);
ANPU_CHECK_OFFSET(union anpu_packet, sem_signal, 0);
ANPU_CHECK_OFFSET(union anpu_packet, sem_wait, 0);
ANPU_CHECK_OFFSET(union anpu_packet, timestamp, 0);
ANPU_CHECK_OFFSET(union anpu_packet, notify, 0);
ANPU_CHECK_OFFSET(union anpu_packet, indirect, 0);
ANPU_CHECK_OFFSET(union anpu_packet, jump, 0);
ANPU_CHECK_OFFSET(union anpu_packet, reduce, 0);
ANPU_CHECK_OFFSET(union anpu_packet, random, 0);
ANPU_CHECK_OFFSET(union anpu_packet, qword, 0);

ANPU_CHECK_SIZE(struct anpu_fault, 512);
ANPU_CHECK_OFFSET(struct anpu_fault, ordinal, 0);
ANPU_CHECK_OFFSET(struct anpu_fault, seq, 8);
ANPU_CHECK_OFFSET(struct anpu_fault, time_ns, 16);
ANPU_CHECK_OFFSET(struct anpu_fault, task_id, 24);
ANPU_CHECK_OFFSET(struct anpu_fault, cause, 28);
ANPU_CHECK_OFFSET(struct anpu_fault, queue, 32);
ANPU_CHECK_OFFSET(struct anpu_fault, asid, 34);
ANPU_CHECK_OFFSET(struct anpu_fault, opcode, 36);
ANPU_CHECK_OFFSET(struct anpu_fault, core_type, 37);
ANPU_CHECK_OFFSET(struct anpu_fault, reserved0, 38);
ANPU_CHECK_OFFSET(struct anpu_fault, ib_index, 40);
ANPU_CHECK_OFFSET(struct anpu_fault, args_size, 44);
ANPU_CHECK_OFFSET(struct anpu_fault, entry, 48);
ANPU_CHECK_OFFSET(struct anpu_fault, pc, 56);
ANPU_CHECK_OFFSET(struct anpu_fault, addr, 64);
ANPU_CHECK_OFFSET(struct anpu_fault, access, 72);
ANPU_CHECK_OFFSET(struct anpu_fault, size, 76);
ANPU_CHECK_OFFSET(struct anpu_fault, block, 80);
ANPU_CHECK_OFFSET(struct anpu_fault, sub_block, 84);
ANPU_CHECK_OFFSET(struct anpu_fault, core, 88);
ANPU_CHECK_OFFSET(struct anpu_fault, insn, 92);
ANPU_CHECK_OFFSET(struct anpu_fault, args, 96);
ANPU_CHECK_OFFSET(struct anpu_fault, reserved, 104);
ANPU_CHECK_OFFSET(struct anpu_fault, message, 128);
ANPU_CHECK_OFFSET(struct anpu_fault, x, 256);

ANPU_CHECK_SIZE(struct anpu_queue_status, 4096);
ANPU_CHECK_OFFSET(struct anpu_queue_status, completed, 0);
ANPU_CHECK_OFFSET(struct anpu_queue_status, started, 8);
ANPU_CHECK_OFFSET(struct anpu_queue_status, errors, 16);
ANPU_CHECK_OFFSET(struct anpu_queue_status, state, 24);
ANPU_CHECK_OFFSET(struct anpu_queue_status, first_cause, 28);
ANPU_CHECK_OFFSET(struct anpu_queue_status, first_seq, 32);
ANPU_CHECK_OFFSET(struct anpu_queue_status, polling, 40);
ANPU_CHECK_OFFSET(struct anpu_queue_status, reserved0, 44);
ANPU_CHECK_OFFSET(struct anpu_queue_status, busy_ns, 48);
ANPU_CHECK_OFFSET(struct anpu_queue_status, kernels, 56);
ANPU_CHECK_OFFSET(struct anpu_queue_status, copy_bytes, 64);
ANPU_CHECK_OFFSET(struct anpu_queue_status, commands, 72);
ANPU_CHECK_OFFSET(struct anpu_queue_status, refresh, 80);
ANPU_CHECK_OFFSET(struct anpu_queue_status, cube_ns, 88);
ANPU_CHECK_OFFSET(struct anpu_queue_status, vector_ns, 96);
ANPU_CHECK_OFFSET(struct anpu_queue_status, reserved, 104);
ANPU_CHECK_OFFSET(struct anpu_queue_status, fault, 512);

ANPU_CHECK_SIZE(struct anpu_queue_control, 4096);
ANPU_CHECK_OFFSET(struct anpu_queue_control, wptr, 0);
ANPU_CHECK_OFFSET(struct anpu_queue_control, reserved0, 8);
ANPU_CHECK_OFFSET(struct anpu_queue_control, irq_at, 64);
ANPU_CHECK_OFFSET(struct anpu_queue_control, reserved, 72);

ANPU_CHECK_SIZE(struct anpu_print_buffer, 128);
ANPU_CHECK_OFFSET(struct anpu_print_buffer, ring, 0);
ANPU_CHECK_OFFSET(struct anpu_print_buffer, size, 8);
ANPU_CHECK_OFFSET(struct anpu_print_buffer, head, 16);
ANPU_CHECK_OFFSET(struct anpu_print_buffer, lost, 24);
ANPU_CHECK_OFFSET(struct anpu_print_buffer, lost_bytes, 32);
ANPU_CHECK_OFFSET(struct anpu_print_buffer, reserved0, 40);
ANPU_CHECK_OFFSET(struct anpu_print_buffer, tail, 64);
ANPU_CHECK_OFFSET(struct anpu_print_buffer, reserved1, 72);

ANPU_CHECK_SIZE(struct anpu_print_record, 32);
ANPU_CHECK_OFFSET(struct anpu_print_record, size, 0);
ANPU_CHECK_OFFSET(struct anpu_print_record, queue, 4);
ANPU_CHECK_OFFSET(struct anpu_print_record, reserved, 6);
ANPU_CHECK_OFFSET(struct anpu_print_record, task_id, 8);
ANPU_CHECK_OFFSET(struct anpu_print_record, block, 12);
ANPU_CHECK_OFFSET(struct anpu_print_record, sub_block, 16);
ANPU_CHECK_OFFSET(struct anpu_print_record, core, 20);
ANPU_CHECK_OFFSET(struct anpu_print_record, time_ns, 24);

#endif /* ANPU_PACKET_CHECK_H */
