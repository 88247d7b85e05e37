/* SPDX-License-Identifier: MIT */
/*
 * The whole runtime API, in parts by noun.
 */
#ifndef _ACL_RT_H_
#define _ACL_RT_H_

#include "acl_rt_init.h"
#include "acl_rt_device.h"
#include "acl_rt_context.h"
#include "acl_rt_stream.h"
#include "acl_rt_event.h"
#include "acl_rt_notify.h"
#include "acl_rt_callback.h"
#include "acl_rt_memory.h"
#include "acl_rt_memcpy.h"
#include "acl_rt_vmm.h"
#include "acl_rt_ipc.h"
#include "acl_rt_kernel.h"
#include "acl_rt_exception.h"
#include "acl_rt_limits.h"
#include "acl_rt_model.h"
#include "acl_rt_misc.h"
#include "acl_rt_memory_soma.h"

#endif /* _ACL_RT_H_ */
