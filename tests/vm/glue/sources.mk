# SPDX-License-Identifier: MIT
# Programs of tests/vm/qemu.sh that scripts/lib/qemu-device.mk compiles as it does the device's own glue
ANPU_GLUE_SRCS := unplug.c memory.c
