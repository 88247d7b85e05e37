/* SPDX-License-Identifier: MIT */
/* Channels, threads and buffers for communication operators that programs write themselves */
#ifndef HCCL_RES_H_
#define HCCL_RES_H_

#error "hccl/hccl_res.h is not built: communicators give no channels, threads or buffers to programs. Use the collectives of hccl/hccl.h, or memory of other ranks by aclrtIpcMemGetExportKey() and aclrtNotifyCreate()"

#endif /* HCCL_RES_H_ */
