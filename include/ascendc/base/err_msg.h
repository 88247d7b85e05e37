/* SPDX-License-Identifier: MIT */
/* For op_host: reports of errors with a code. They go to standard error. */
#ifndef ASCENDC_BASE_ERR_MSG_H
#define ASCENDC_BASE_ERR_MSG_H
#ifndef __riscv
#include <cstdarg>
#include <cstdio>
#include <string>
#include <vector>

namespace ascendc_log {

/* An error with its code; callers may have no words for it */
inline void inner(const char *code, const char *format, ...)
{
	std::va_list args;

	std::fprintf(stderr, "[ERROR] %s: ", code);
	va_start(args, format);
	if (format)
		std::vfprintf(stderr, format, args);
	va_end(args);
	std::fputc('\n', stderr);
}

/* An error that a table of the toolkit words: its code, and the values that the words have */
inline void predefined(const std::string &code, const std::vector<const char *> &names, const std::vector<const char *> &values)
{
	std::fprintf(stderr, "[ERROR] %s:", code.c_str());
	for (size_t i = 0; i < names.size() && i < values.size(); i++)
		std::fprintf(stderr, " %s=%s", names[i], values[i]);
	std::fputc('\n', stderr);
}

} // namespace ascendc_log

#define REPORT_INNER_ERR_MSG(code, format, ...)	ascendc_log::inner(code, format, ##__VA_ARGS__)
#define REPORT_USER_DEFINED_ERR_MSG(code, format, ...)	REPORT_INNER_ERR_MSG(code, format, ##__VA_ARGS__)
#define REPORT_PREDEFINED_ERR_MSG(code, ...)	ascendc_log::predefined(code, ##__VA_ARGS__)
#endif
#endif
