/* SPDX-License-Identifier: MIT */
/* For op_host: checks that report an error and leave. */
#ifndef ASCENDC_ERROR_OPS_ERROR_H
#define ASCENDC_ERROR_OPS_ERROR_H
#ifndef __riscv
#include "../log/ops_log.h"
#include "../register/op_impl_registry.h"

#ifndef OPS_ERR_IF
#define OPS_ERR_IF(condition, log, expression)	ASCENDC_CHECK_IF(condition, log, expression)
#endif
#ifndef OPS_REPORT_VECTOR_INNER_ERR
#define OPS_REPORT_VECTOR_INNER_ERR(name, format, ...)	ASCENDC_LOG("ERROR", name, format, ##__VA_ARGS__)
#define OPS_REPORT_CUBE_INNER_ERR(name, format, ...)	ASCENDC_LOG("ERROR", name, format, ##__VA_ARGS__)
#endif
#endif
#endif
