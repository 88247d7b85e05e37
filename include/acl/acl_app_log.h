/* SPDX-License-Identifier: MIT */
/*
 * ACL_APP_LOG(), which acl_base.h includes. A macro with any number of arguments is an extension
 * before C99 and C++11; in a file that counts as one of the system's it gives no warning.
 */
#ifndef _ACL_APP_LOG_H_
#define _ACL_APP_LOG_H_

#pragma GCC system_header

#include "acl_base.h"

/* aclAppLog() with the place of the call */
#define ACL_APP_LOG(level, ...) aclAppLog((level), __func__, __FILE__, __LINE__, __VA_ARGS__)

#endif /* _ACL_APP_LOG_H_ */
