/* SPDX-License-Identifier: MIT */
/* Functions of libascendcl.so, beside its public ones, that the libraries of this folder use */
#ifndef ANPU_KIT_FRONT_H
#define ANPU_KIT_FRONT_H

#include <acl/acl.h>

#include "../acl/core/front.h"

/* Fails @api with a sentence made as by printf() */
__attribute__((format(printf, 3, 4))) int kit_fail(const char *api, int code, const char *fmt, ...);

#endif
