/* SPDX-License-Identifier: MIT */
/*
 * Tensor dumps.
 */
#ifndef _ACL_MDL_H_
#define _ACL_MDL_H_

#include "acl_rt_structs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Tensor dump stop */
ACL_FUNC_VISIBILITY aclError aclmdlFinalizeDump(void);

/* Tensor dump start */
ACL_FUNC_VISIBILITY aclError aclmdlInitDump(void);

/* Tensor dump config */
ACL_FUNC_VISIBILITY aclError aclmdlSetDump(const char *dumpCfgPath);

#ifdef __cplusplus
}
#endif

#endif /* _ACL_MDL_H_ */
