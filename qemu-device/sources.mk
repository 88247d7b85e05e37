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
	model/shadow.c \
	model/busy.c \
	model/debug.c \
	model/dma.c \
	model/early.c \
	model/event.c \
	model/fault.c \
	model/gdb/answers.c \
	model/gdb/blocks.c \
	model/gdb/files.c \
	model/gdb/link.c \
	model/gdb/stub.c \
	model/guard.c \
	model/inject.c \
	model/job.c \
	model/kernel.c \
	model/launch.c \
	model/manager.c \
	model/mmu.c \
	model/model.c \
	model/others.c \
	model/packet.c \
	model/plan.c \
	model/pool.c \
	model/postmortem.c \
	model/print.c \
	model/queue.c \
	model/queue_cmd.c \
	model/random.c \
	model/record.c \
	model/reduce.c \
	model/regs.c \
	model/sema.c \
	model/trace.c
ANPU_MODEL_SRCS := $(ANPU_DEVICE_SRCS) $(ANPU_CORE_SRCS)
# compilers for arm64 fuse a product and a sum unless they are told, which rounds once instead of twice
ANPU_MODEL_CFLAGS := -D_GNU_SOURCE -O2 -fno-strict-aliasing -ffp-contract=off
