# SPDX-License-Identifier: MIT
# Tile operations of the AI core; paths are relative to qemu-device/. The files choose their own
# optimisation and host instructions, so they need no flags.
# The arithmetic alone, which the device's own reductions use, too
ANPU_TILE_KERNEL_SRCS := \
	model/core/tile/host.c \
	model/core/tile/kern_avx2.c \
	model/core/tile/kern_avx512.c \
	model/core/tile/kern_plain.c
ANPU_TILE_SRCS := \
	$(ANPU_TILE_KERNEL_SRCS) \
	model/core/check/check.c \
	model/core/check/blocks.c \
	model/core/check/global.c \
	model/core/check/local.c \
	model/core/check/marks.c \
	model/core/check/team.c \
	model/core/tile/ahead.c \
	model/core/tile/arg.c \
	model/core/tile/atomic.c \
	model/core/tile/check_cube.c \
	model/core/tile/check_vec.c \
	model/core/tile/cube.c \
	model/core/tile/dma.c \
	model/core/tile/fix.c \
	model/core/tile/l0.c \
	model/core/tile/blocks.c \
	model/core/tile/move.c \
	model/core/tile/overflow.c \
	model/core/tile/red.c \
	model/core/tile/rep.c \
	model/core/tile/rep_red.c \
	model/core/tile/sort.c \
	model/core/tile/tile.c \
	model/core/tile/vec.c
