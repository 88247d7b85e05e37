/* SPDX-License-Identifier: MIT */
/* Sizes and offsets of hccl_types.h, compiled by tests/hccl/host. */
#include <stddef.h>

#include <hccl/hccl.h>

#define AT(type, field, offset) _Static_assert(offsetof(type, field) == (offset), #type "." #field)

_Static_assert(sizeof(HcclRootInfo) == 4108, "root info");
_Static_assert(sizeof(HcclSendRecvItem) == 32, "item");
AT(HcclSendRecvItem, buf, 8);
AT(HcclSendRecvItem, count, 16);
AT(HcclSendRecvItem, dataType, 24);
AT(HcclSendRecvItem, remoteRank, 28);
AT(HcclCommConfig, hcclBufferSize, 24);
AT(HcclCommConfig, hcclDeterministic, 28);
AT(HcclCommConfig, hcclCommName, 32);
AT(HcclCommConfig, hcclUdi, 160);
AT(HcclCommConfig, hcclOpExpansionMode, 288);
AT(HcclCommConfig, hcclWorldRankID, 300);
AT(HcclCommConfig, hcclJobID, 304);
AT(HcclCommConfig, aclGraphZeroCopyEnable, 312);
AT(HcclCommConfig, hcclExecTimeOut, 316);
AT(HcclCommConfig, hcclAlgo, 320);
AT(HcclCommConfig, hcclRetryEnable, 1920);
AT(HcclCommConfig, hcclRetryParams, 1970);
AT(HcclCommConfig, hcclBufferName, 2098);
AT(HcclCommConfig, hcclQos, 2228);
AT(HcclCommConfig, hcclSymWinMaxMemSizePerRank, 2232);
_Static_assert(HCCL_E_REMOTE == 21 && HCCL_E_OOM == 24 && HCCL_DATA_TYPE_BFP16 == 11 && HCCL_DATA_TYPE_HIF8 == 14 &&
	       HCCL_REDUCE_MIN == 3 && HCCL_RECV == 1, "values");
