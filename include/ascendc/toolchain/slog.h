/* SPDX-License-Identifier: MIT */
/* For op_host: messages by module. Errors and warnings go to standard error; those of the other levels are not printed. */
#ifndef ASCENDC_TOOLCHAIN_SLOG_H
#define ASCENDC_TOOLCHAIN_SLOG_H
#ifndef __riscv
#include <cstdio>

#define dlog_error(module, format, ...)	std::fprintf(stderr, "[ERROR] module %d: " format "\n", int(module), ##__VA_ARGS__)
#define dlog_warn(module, format, ...)	std::fprintf(stderr, "[WARNING] module %d: " format "\n", int(module), ##__VA_ARGS__)
#define dlog_info(module, format, ...)	((void)(false && std::fprintf(stderr, "%d" format, int(module), ##__VA_ARGS__)))
#define dlog_debug(module, format, ...)	((void)(false && std::fprintf(stderr, "%d" format, int(module), ##__VA_ARGS__)))
#endif
#endif
