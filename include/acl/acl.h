/* SPDX-License-Identifier: MIT */
/*
 * AscendCL: one include for the runtime API.
 */
#ifndef _ACL_ACL_H_
#define _ACL_ACL_H_

#include "acl_base.h"
#include "acl_rt.h"
#include "acl_mdl.h"

#endif /* _ACL_ACL_H_ */
