/* SPDX-License-Identifier: MIT */
/* For op_host: messages by module. Errors and warnings go to standard error; those of the other levels are not printed. */
#ifndef ASCENDC_TOOLCHAIN_SLOG_H
#define ASCENDC_TOOLCHAIN_SLOG_H
#ifndef __riscv
#include <cstdarg>
#include <cstdint>
#include <cstdio>

#define DLOG_DEBUG	0
#define DLOG_INFO	1
#define DLOG_WARN	2
#define DLOG_ERROR	3
#define DLOG_NULL	4
#define DLOG_EVENT	16
#define DLOG_TYPE_DEBUG	0
#define DLOG_TYPE_RUN	1

/* Modules that messages may name; operators are OP */
enum { SLOG = 0, GE = 45, OP = 63 };

/** CheckLogLevel() - whether messages of a level are printed */
inline int CheckLogLevel(int, int level)
{
	return level == DLOG_WARN || level == DLOG_ERROR;
}

/** DlogSub() - a message with a module, a part of it and a level */
__attribute__((format(printf, 4, 5))) inline void DlogSub(int module, const char *part, int level, const char *format, ...)
{
	std::va_list args;

	if (!CheckLogLevel(module, level))
		return;
	std::fprintf(stderr, "[%s] module %d%s%s: ", level == DLOG_ERROR ? "ERROR" : "WARNING", module, *part ? " " : "", part);
	va_start(args, format);
	std::vfprintf(stderr, format, args);
	va_end(args);
	std::fputc('\n', stderr);
}

/* The newer names: of messages with a kind, which all go to the same place here */
inline int AlogCheckDebugLevel(uint32_t module, int level)
{
	return CheckLogLevel(int(module), level);
}

#define DlogRecord(module, level, ...)		DlogSub(int(module), "", level, __VA_ARGS__)
#define AlogRecord(module, kind, level, ...)	((void)(kind), DlogSub(int(module), "", level, __VA_ARGS__))

#define dlog_error(module, format, ...)	std::fprintf(stderr, "[ERROR] module %d: " format "\n", int(module), ##__VA_ARGS__)
#define dlog_warn(module, format, ...)	std::fprintf(stderr, "[WARNING] module %d: " format "\n", int(module), ##__VA_ARGS__)
#define dlog_info(module, format, ...)	((void)(false && std::fprintf(stderr, "%d" format, int(module), ##__VA_ARGS__)))
#define dlog_debug(module, format, ...)	((void)(false && std::fprintf(stderr, "%d" format, int(module), ##__VA_ARGS__)))
#endif
#endif
