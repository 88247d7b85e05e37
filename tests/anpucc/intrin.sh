#!/bin/bash
# SPDX-License-Identifier: MIT
# The intrinsics agree with the tables of the instruction set.
exec "$(dirname "$0")/intrin.py"
