/* SPDX-License-Identifier: MIT */
/* The operator's image as data of the library. */
	.section .rodata
	.balign 16
	.globl hccl_ops
	.hidden hccl_ops
hccl_ops:
	.incbin "reduce.npu"
	.globl hccl_ops_end
	.hidden hccl_ops_end
hccl_ops_end:
	.section .note.GNU-stack,"",@progbits
