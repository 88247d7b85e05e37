/* SPDX-License-Identifier: MIT */
#ifndef ASCENDC_REGISTER_OP_IMPL_REGISTRY_H
#define ASCENDC_REGISTER_OP_IMPL_REGISTRY_H
#ifndef __riscv
#include "../host/opdef.h"
#endif
#endif
