// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The bodies of the tracepoints. */
#ifndef __CHECKER__
#define CREATE_TRACE_POINTS
#include "anpu_trace.h"
#endif
