# SPDX-License-Identifier: MIT
# The device's sources, relative to this directory. Read by the builds for QEMU (scripts/) and by Makefile.

anpu_here := $(dir $(lastword $(MAKEFILE_LIST)))

# QEMU's style and interfaces: compiled with QEMU's include directories
ANPU_GLUE_SRCS := anpu_pci.c anpu_dma.c
ANPU_GLUE_CFLAGS :=
# only when the device is a plugin, which -DANPU_PLUGIN tells
ANPU_PLUGIN_SRCS := anpu_plugin.c

# no QEMU header: C11 and pthreads
include $(anpu_here)model/core/sources.mk
ANPU_DEVICE_SRCS := \
	model/model.c \
	model/regs.c \
	model/diag/codelist.c \
	model/diag/debug.c \
	model/diag/fault.c \
	model/diag/inject.c \
	model/diag/plan.c \
	model/diag/postmortem.c \
	model/diag/print.c \
	model/diag/record.c \
	model/diag/trace.c \
	model/gdb/answers.c \
	model/gdb/blocks.c \
	model/gdb/files.c \
	model/gdb/link.c \
	model/gdb/stub.c \
	model/launch/early.c \
	model/launch/job.c \
	model/launch/kernel.c \
	model/launch/launch.c \
	model/launch/unit.c \
	model/memory/dma.c \
	model/memory/guard.c \
	model/memory/mmu.c \
	model/memory/random.c \
	model/memory/reduce.c \
	model/queue/event.c \
	model/queue/packet.c \
	model/queue/queue.c \
	model/queue/queue_cmd.c \
	model/queue/sema.c \
	model/queue/shadow.c \
	model/sched/busy.c \
	model/sched/futex.c \
	model/sched/manager.c \
	model/sched/others.c \
	model/sched/parked.c \
	model/sched/pool.c
# What takes the compiler longest comes first, so that no processor waits for another at the end
anpu_long := $(filter %_avx2.c %_avx512.c %_plain.c,$(ANPU_CORE_SRCS))
ANPU_MODEL_SRCS := $(anpu_long) $(ANPU_DEVICE_SRCS) $(filter-out $(anpu_long),$(ANPU_CORE_SRCS))
# compilers for arm64 fuse a product and a sum unless they are told, which rounds once instead of twice
ANPU_MODEL_CFLAGS := -D_GNU_SOURCE -O2 -fno-strict-aliasing -ffp-contract=off
