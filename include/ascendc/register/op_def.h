/* SPDX-License-Identifier: MIT */
#ifndef ASCENDC_REGISTER_OP_DEF_H
#define ASCENDC_REGISTER_OP_DEF_H
#ifndef __riscv
#include "../host/opdef.h"
#endif
#endif
