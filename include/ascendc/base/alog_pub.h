/* SPDX-License-Identifier: MIT */
/* For op_host: the messages of toolchain/slog.h by their other header. */
#ifndef ASCENDC_BASE_ALOG_PUB_H
#define ASCENDC_BASE_ALOG_PUB_H
#include "../toolchain/slog.h"
#endif
