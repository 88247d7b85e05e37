/* SPDX-License-Identifier: MIT */
/* The checking mode's findings: one readable report for each mistake of the program. */
#ifndef ANPU_FINDING_H
#define ANPU_FINDING_H

#include <stdarg.h>

#include "util/util.h"

/*
 * Reports a mistake, in the checking mode; elsewhere nothing happens. @kind is a word by which it can be
 * suppressed, @site the call that is wrong, or NULL for the one that this thread is in.
 */
void anpu_finding(const char *kind, const struct anpu_site *site, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same for a call that has failed */
void anpu_finding_call(int code, const char *text);
/*
 * A wait for the stream or event @object has ended with @code. One that ran out of time is a finding when the process
 * ends, unless the object was waited for with success since then, or what stood there was aborted (code 0).
 */
void anpu_finding_waited(const void *object, int code);

#endif /* ANPU_FINDING_H */
