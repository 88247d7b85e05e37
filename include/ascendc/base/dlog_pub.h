/* SPDX-License-Identifier: MIT */
/* For op_host: the messages of toolchain/slog.h by their newer header, and those with a level as a number. */
#ifndef ASCENDC_BASE_DLOG_PUB_H
#define ASCENDC_BASE_DLOG_PUB_H
#include "../toolchain/slog.h"
#endif
