/* SPDX-License-Identifier: MIT */
/* For op_host: what the macros of messages and checks are made of. */
#ifndef ASCENDC_LOG_CHECK_H
#define ASCENDC_LOG_CHECK_H
#include <cstdio>
#include <string>

#include "../host/opdef.h"

namespace ascendc_log {

inline const char *name_of(const char *name) { return name ? name : "(no name)"; }
inline const char *name_of(const std::string &name) { return name.c_str(); }

template <class Context> inline auto name_of(const Context *context) -> decltype(context->GetNodeName())
{
	return context ? context->GetNodeName() : "(no context)";
}

} // namespace ascendc_log

#define ASCENDC_LOG(level, name, format, ...) \
	std::fprintf(stderr, "[" level "] %s: " format "\n", ascendc_log::name_of(name), ##__VA_ARGS__)
#define ASCENDC_NO_LOG(name, format, ...) \
	((void)(false && std::fprintf(stderr, "%s: " format "\n", ascendc_log::name_of(name), ##__VA_ARGS__)))
#define ASCENDC_CHECK_IF(condition, log, expression) \
	do { \
		if (condition) { \
			log; \
			expression; \
		} \
	} while (0)
#define ASCENDC_CHECK_NULL(context, pointer) \
	ASCENDC_CHECK_IF((pointer) == nullptr, ASCENDC_LOG("ERROR", context, "%s is nullptr", #pointer), return ge::GRAPH_FAILED)

#endif
