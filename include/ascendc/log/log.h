/* SPDX-License-Identifier: MIT */
/*
 * For op_host: messages and checks of an operator's functions. Errors and warnings go to standard error with the operator's name;
 * messages of the other levels are not printed. A project that defines these macros itself keeps its own.
 */
#ifndef ASCENDC_LOG_LOG_H
#define ASCENDC_LOG_LOG_H
#ifndef __riscv
#include "check.h"

#ifndef OP_LOGE
#define OP_LOGE(name, format, ...)	ASCENDC_LOG("ERROR", name, format, ##__VA_ARGS__)
#endif
#ifndef OP_LOGE_WITHOUT_REPORT
#define OP_LOGE_WITHOUT_REPORT(name, format, ...)	ASCENDC_LOG("ERROR", name, format, ##__VA_ARGS__)
#endif
#ifndef OP_LOGW
#define OP_LOGW(name, format, ...)	ASCENDC_LOG("WARNING", name, format, ##__VA_ARGS__)
#endif
#ifndef OP_LOGI
#define OP_LOGI(name, format, ...)	ASCENDC_NO_LOG(name, format, ##__VA_ARGS__)
#endif
#ifndef OP_LOGD
#define OP_LOGD(name, format, ...)	ASCENDC_NO_LOG(name, format, ##__VA_ARGS__)
#endif
#ifndef OP_CHECK_IF
#define OP_CHECK_IF(condition, log, expression)	ASCENDC_CHECK_IF(condition, log, expression)
#endif
#ifndef OP_CHECK_NULL_WITH_CONTEXT
#define OP_CHECK_NULL_WITH_CONTEXT(context, pointer)	ASCENDC_CHECK_NULL(context, pointer)
#endif
#endif
#endif
