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
#ifndef OPS_CHECK
#define OPS_CHECK(condition, log, expression)	ASCENDC_CHECK_IF(condition, log, expression)
#endif
#ifndef OP_CHECK
#define OP_CHECK(condition, log, expression)	ASCENDC_CHECK_IF(condition, log, expression)
#endif
#ifndef OPS_LOG_E_IF
#define OPS_LOG_E_IF(condition, name, expression, format, ...) \
	ASCENDC_CHECK_IF(condition, ASCENDC_LOG("ERROR", name, format, ##__VA_ARGS__), expression)
#endif
#ifndef OPS_LOG_E_IF_NULL
#define OPS_LOG_E_IF_NULL(name, pointer, expression) \
	ASCENDC_CHECK_IF((pointer) == nullptr, ASCENDC_LOG("ERROR", name, "%s is nullptr", #pointer), expression)
#endif
#endif
#endif
