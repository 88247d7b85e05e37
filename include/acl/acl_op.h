/* SPDX-License-Identifier: MIT */
/*
 * Types of operators by name, none of which is built: acl/acl_op_compiler.h needs them. A launch of an
 * operator's own kernel is aclrtLaunchKernelWithConfig() and its relatives, acl/acl_rt_kernel.h.
 */
#ifndef ACL_ACL_OP_H_
#define ACL_ACL_OP_H_

#include "acl_base.h"

typedef struct aclopAttr aclopAttr;
typedef struct aclTensorDesc aclTensorDesc;

typedef enum aclEngineType {
	ACL_ENGINE_SYS,
	ACL_ENGINE_AICORE,
	ACL_ENGINE_VECTOR
} aclopEngineType;

#endif /* ACL_ACL_OP_H_ */
