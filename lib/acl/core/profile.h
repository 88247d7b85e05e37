/* SPDX-License-Identifier: MIT */
/*
 * "profiler" in aclInit()'s configuration: a timeline from aclInit() to aclFinalize().
 */
#ifndef ANPU_PROFILE_H
#define ANPU_PROFILE_H

#include <limits.h>
#include <stdbool.h>

#include "util/util.h"

struct anpu_profile {
	bool on;		  /* "switch" is "on" */
	char folder[PATH_MAX];	  /* "output", or empty */
};

/* Takes the value of "profiler.@key"; 0, or -1 with a sentence in @why */
int anpu_profile_option(struct anpu_profile *p, struct anpu_json_text key, enum anpu_json_kind kind, struct anpu_json_text value,
			char *why, size_t why_size);
/* Begins the timeline that @p asks for, if any, unless ANPU_TRACE records one already */
aclError anpu_profile_begin(const struct anpu_profile *p);
/* Writes it, if one was begun */
aclError anpu_profile_end(void);

#endif /* ANPU_PROFILE_H */
