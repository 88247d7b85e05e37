/* SPDX-License-Identifier: MIT */
/* A name by which sources include a part of Ascend C. */
#ifndef ASCENDC_ADV_API_PAD_BROADCAST_H
#define ASCENDC_ADV_API_PAD_BROADCAST_H
#include "../../kernel_operator.h"
#endif
