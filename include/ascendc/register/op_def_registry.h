/* SPDX-License-Identifier: MIT */
/* OpDef and what functions of op_host are given. A tiling header may include this one: for the AI core there is nothing in it. */
#ifndef ASCENDC_REGISTER_OP_DEF_REGISTRY_H
#define ASCENDC_REGISTER_OP_DEF_REGISTRY_H
#ifndef __riscv
#include "../host/opdef.h"
#include "tilingdata_base.h"
#endif
#endif
