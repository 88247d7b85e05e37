/* SPDX-License-Identifier: MIT */
#ifndef ASCENDC_REGISTER_OP_IMPL_REGISTRY_H
#define ASCENDC_REGISTER_OP_IMPL_REGISTRY_H
#ifndef __riscv
#include "../host/opdef.h"
#include "../log/check.h"

/* Operators use it with no other header than this one. */
#ifndef OPS_CHECK_NULL_WITH_CONTEXT
#define OPS_CHECK_NULL_WITH_CONTEXT(context, pointer)	ASCENDC_CHECK_NULL(context, pointer)
#endif
#endif
#endif
