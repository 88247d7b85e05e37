/* SPDX-License-Identifier: MIT */
/*
 * The programs' own allocators; acl_rt_misc.h declares them, so that acl.h alone is enough.
 */
#ifndef _ACL_RT_ALLOCATOR_H_
#define _ACL_RT_ALLOCATOR_H_

#include "acl_rt_misc.h"

#endif
