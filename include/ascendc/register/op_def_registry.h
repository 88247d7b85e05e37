/* SPDX-License-Identifier: MIT */
/* A tiling header may include this one, whose declarations are the host's: for the AI core there are none. */
#ifndef ASCENDC_REGISTER_OP_DEF_REGISTRY_H
#define ASCENDC_REGISTER_OP_DEF_REGISTRY_H
#endif
