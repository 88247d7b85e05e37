# SPDX-License-Identifier: MIT
# The AI core's sources, relative to qemu-device/; they need -lm and -lpthread.
include $(dir $(lastword $(MAKEFILE_LIST)))sources-tile.mk
ANPU_CORE_SRCS := \
	model/core/amo.c \
	model/core/block.c \
	model/core/cluster.c \
	model/core/code_cache.c \
	model/core/csr.c \
	model/core/decode.c \
	model/core/exec.c \
	model/core/fp.c \
	model/core/jit/alloc.c \
	model/core/jit/arena.c \
	model/core/jit/asm.c \
	model/core/jit/call.c \
	model/core/jit/insn.c \
	model/core/jit/jit.c \
	model/core/jit/region.c \
	model/core/jit/translate.c \
	model/core/jit/translate_fp.c \
	model/core/jit/translate_int.c \
	model/core/jit/translate_memory.c \
	model/core/jit/translate_pair.c \
	model/core/lanes/lanes.c \
	model/core/lanes/regs.c \
	model/core/lanes/run_avx2.c \
	model/core/lanes/run_avx512.c \
	model/core/lanes/run_plain.c \
	model/core/lanes/wide.c \
	model/core/mem.c \
	model/core/observe.c \
	model/core/soft_fp.c \
	model/core/sync.c \
	model/core/sys.c \
	model/core/threads.c \
	model/core/warp.c \
	$(ANPU_TILE_SRCS)
