#!/bin/bash
# SPDX-License-Identifier: MIT
# gdb on this machine stops operators of a program in the VM.
cd "$(dirname "$0")/../.." || exit 1
make -s -C tests diagnosis >&2 || exit 1
exec tests/diagnosis/gdb.py test_vm
