/* SPDX-License-Identifier: MIT */
/* For op_host: the messages of log.h by other names. */
#ifndef ASCENDC_LOG_OPS_LOG_H
#define ASCENDC_LOG_OPS_LOG_H
#ifndef __riscv
#include "log.h"

#ifndef OPS_LOG_E
#define OPS_LOG_E(name, format, ...)	ASCENDC_LOG("ERROR", name, format, ##__VA_ARGS__)
#define OPS_LOG_W(name, format, ...)	ASCENDC_LOG("WARNING", name, format, ##__VA_ARGS__)
#define OPS_LOG_I(name, format, ...)	ASCENDC_NO_LOG(name, format, ##__VA_ARGS__)
#define OPS_LOG_D(name, format, ...)	ASCENDC_NO_LOG(name, format, ##__VA_ARGS__)
#endif
#endif
#endif
