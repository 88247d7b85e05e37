/* SPDX-License-Identifier: MIT */
/*
 * Collective communication between ANPU devices. Documentation/hccl.md is the manual.
 *
 * All functions return HCCL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(). Collectives and what is sent
 * and received are tasks of a stream, as aclrtMemcpyAsync() is: the calls return at once, buffers are memory that the
 * stream's device reaches, and all ranks of a communicator call the same ones in the same order.
 */
#ifndef HCCL_H_
#define HCCL_H_

#include <acl/acl.h>

#include <hccl/hccl_types.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* Communicators -------------------------------------------------------------------------------- */

/*
 * HcclCommConfigInit - fills @config with "not set"; to be called before fields are set. The size that it notes is that of
 * the program's header, so it is here and not a call; the library has it, too, for programs that load it by name.
 */
static inline void HcclCommConfigInit(HcclCommConfig *config)
{
	struct {
		size_t size;
		uint32_t magic;
		uint32_t version;
		uint64_t zero;
	} info = { sizeof(*config), HCCL_COMM_CONFIG_MAGIC_WORD, HCCL_COMM_CONFIG_VERSION, 0 };
	const char *from = (const char *)&info;
	char *to = (char *)config;
	size_t i;

	for (i = 0; i < sizeof(*config); i++)
		to[i] = i < sizeof(info) ? from[i] : '\0';
	config->hcclBufferSize = HCCL_COMM_BUFFSIZE_CONFIG_NOT_SET;
	config->hcclDeterministic = HCCL_COMM_DETERMINISTIC_CONFIG_NOT_SET;
	config->hcclOpExpansionMode = HCCL_COMM_DEFAULT_OP_EXPANSION_MODE;
	config->hcclRdmaTrafficClass = HCCL_COMM_TRAFFIC_CLASS_CONFIG_NOT_SET;
	config->hcclRdmaServiceLevel = HCCL_COMM_SERVICE_LEVEL_CONFIG_NOT_SET;
	config->hcclExecTimeOut = HCCL_COMM_EXECTIMEOUT_CONFIG_NOT_SET;
	config->hcclQos = HCCL_COMM_QOS_CONFIG_NOT_SET;
	config->hcclSymWinMaxMemSizePerRank = HCCL_DEFAULT_SYMMETRIC_MEMORY_STRIDE;
}

/*
 * HcclGetRootInfo - one process calls it and gives @rootInfo to all ranks, by any means. Ranks may be threads and
 * processes of this machine. The process must live until they have joined.
 */
extern HcclResult HcclGetRootInfo(HcclRootInfo *rootInfo);

/*
 * HcclCommInitRootInfo - joins a communicator of @nRanks ranks as number @rank, with the device of the calling
 * thread; several ranks may have one device. Returns when all have come, or after HCCL_CONNECT_TIMEOUT seconds (120)
 * HCCL_E_TIMEOUT with the numbers of those that have not.
 */
extern HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo *rootInfo, uint32_t rank, HcclComm *comm);
extern HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks, const HcclRootInfo *rootInfo, uint32_t rank,
		const HcclCommConfig *config, HcclComm *comm);

/* HcclCommInitAll - communicators of a process that is all ranks: comms[i] is rank i on device devices[i] */
extern HcclResult HcclCommInitAll(uint32_t ndev, int32_t *devices, HcclComm *comms);

/* HcclCommInitClusterInfo - the rank table, a file in JSON, says which ranks there are; NULL: RANK_TABLE_FILE */
extern HcclResult HcclCommInitClusterInfo(const char *clusterInfo, uint32_t rank, HcclComm *comm);
extern HcclResult HcclCommInitClusterInfoConfig(const char *clusterInfo, uint32_t rank, HcclCommConfig *config,
		HcclComm *comm);
extern HcclResult HcclCommInitClusterInfoMemConfig(const char *rankTableString, uint32_t rank, HcclCommConfig *config,
		HcclComm *comm);

/*
 * HcclCreateSubCommConfig - ranks rankIds[0] ... of *comm make a communicator in which rankIds[i] is number i. Each of
 * them calls it with its own @subCommRankId; another rank may call it with rankIds NULL, and gets NULL.
 */
extern HcclResult HcclCreateSubCommConfig(HcclComm *comm, uint32_t rankNum, uint32_t *rankIds, uint64_t subCommId,
		uint32_t subCommRankId, HcclCommConfig *config, HcclComm *subComm);

/* HcclCommDestroy - waits for this rank's collectives, also in graphs that run, then leaves; other ranks may still do theirs */
extern HcclResult HcclCommDestroy(HcclComm comm);

/*
 * HcclCommSuspend - drops this rank's collectives; until HcclCommResume() all calls return HCCL_E_SUSPENDING.
 * HcclCommResume - all ranks call it, with or without HcclCommSuspend() before: what was left of collectives is
 * dropped, also in graphs that are running, and when it returns, calls are possible again.
 */
extern HcclResult HcclCommSuspend(HcclComm comm);
extern HcclResult HcclCommResume(HcclComm comm);
/* There are no network cards to switch between: HCCL_SUCCESS, with a warning in the log */
extern HcclResult HcclCommWorkingDevNicSet(HcclComm comm, uint32_t *ranks, bool *useBackup, uint32_t nRanks);

/*
 * Memory whose data need no copy. What programs say is checked and kept, and data are copied as before: results are the
 * same, and so is the time that calls take.
 */
extern HcclResult HcclCommSetMemoryRange(HcclComm comm, void *baseVirPtr, size_t size, size_t alignment,
		uint64_t flags);
extern HcclResult HcclCommUnsetMemoryRange(HcclComm comm, void *baseVirPtr);
extern HcclResult HcclCommActivateCommMemory(HcclComm comm, void *virPtr, size_t size, size_t offset,
		aclrtDrvMemHandle handle, uint64_t flags);
extern HcclResult HcclCommDeactivateCommMemory(HcclComm comm, void *virPtr);
/*
 * Windows: memory of this rank, of aclrtMalloc() on its device, that other ranks find. Collectives copy as before.
 *
 * HcclCommSymWinRegister - all ranks call it, with memory of the same meaning in the same order; @flag: 1.
 * HcclCommRegister - the same for memory that not all ranks have; @flag: 0. HcclCommExchangeMem() tells which belong together.
 * A rank has up to 32 windows of a communicator; they end with it.
 */
extern HcclResult HcclCommSymWinRegister(HcclComm comm, void *addr, uint64_t size, HcclCommSymWindow *winHandle,
		uint32_t flag);
extern HcclResult HcclCommSymWinDeregister(HcclCommSymWindow winHandle);
/* HcclCommSymWinGet - the window that has @size bytes at @ptr, and where in it; HCCL_E_NOT_FOUND: none */
extern HcclResult HcclCommSymWinGet(HcclComm comm, void *ptr, size_t size, HcclCommSymWindow *winHandle,
		size_t *offset);
/*
 * HcclSymWinGetPeerPointer - the address of byte @offset of the window of @peerRank, for operators and copies of this rank's
 * device. It waits up to HCCL_EXEC_TIMEOUT seconds until that rank has registered it, and is good until this rank's window
 * ends. HCCL_E_NOT_SUPPORT: devices do not reach each other, as those of several machines, or of processes with ANPU_DEVICE=direct.
 */
extern HcclResult HcclSymWinGetPeerPointer(HcclCommSymWindow winHandle, size_t offset, uint32_t peerRank, void **ptr);
extern HcclResult HcclCommRegister(HcclComm comm, void *addr, uint64_t size, void **handle, uint32_t flag);
extern HcclResult HcclCommDeregister(HcclComm comm, void *handle);
/* HcclCommExchangeMem - ranks @peerRanks call it with windows of theirs, and this rank among their peers; returns when all have */
extern HcclResult HcclCommExchangeMem(HcclComm comm, void *windowHandle, uint32_t *peerRanks, uint32_t peerRankNum);

/* Questions ------------------------------------------------------------------------------------ */

extern HcclResult HcclGetRankId(HcclComm comm, uint32_t *rank);
extern HcclResult HcclGetRankSize(HcclComm comm, uint32_t *rankSize);
/* HcclGetCommName - up to COMM_NAME_MAX_LENGTH bytes with the end */
extern HcclResult HcclGetCommName(HcclComm comm, char *commName);
/* Of several ranks in one process the one that the thread has made, else one of its device */
extern HcclResult HcclCommGetHandleWithName(const char *commName, HcclComm *comm);
extern HcclResult HcclCommGetStatus(const char *commId, HcclCommStatus *status);
/*
 * HcclGetCommAsyncError - HCCL_SUCCESS; HCCL_E_REMOTE when another rank ended or reported a failure, HCCL_E_TIMEOUT
 * when a collective of this rank waited longer than HCCL_EXEC_TIMEOUT seconds (1836). The sentence names the rank.
 * HCCL_E_SUSPENDING between HcclCommSuspend() and HcclCommResume().
 */
extern HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult *asyncError);
extern const char *HcclGetErrorString(HcclResult code);
extern uint32_t HcclGetCommConfigCapability(void);
extern HcclResult HcclSetConfig(HcclConfig config, union HcclConfigValue configValue);
extern HcclResult HcclGetConfig(HcclConfig config, union HcclConfigValue *configValue);
/* HcclConfigGetInfo - @infoLen: bytes at @info, as many as what is asked for has */
extern HcclResult HcclConfigGetInfo(HcclComm comm, HcclConfigType cfgType, uint32_t infoLen, void *info);

/* Collectives ---------------------------------------------------------------------------------- */

extern HcclResult HcclAllReduce(void *sendBuf, void *recvBuf, uint64_t count, HcclDataType dataType,
		HcclReduceOp op, HcclComm comm, aclrtStream stream);
extern HcclResult HcclReduce(void *sendBuf, void *recvBuf, uint64_t count, HcclDataType dataType, HcclReduceOp op,
		uint32_t root, HcclComm comm, aclrtStream stream);
extern HcclResult HcclBroadcast(void *buf, uint64_t count, HcclDataType dataType, uint32_t root, HcclComm comm,
		aclrtStream stream);
extern HcclResult HcclReduceScatter(void *sendBuf, void *recvBuf, uint64_t recvCount, HcclDataType dataType,
		HcclReduceOp op, HcclComm comm, aclrtStream stream);
/* counts and displacements are arrays of uint64_t, in elements */
extern HcclResult HcclReduceScatterV(void *sendBuf, const void *sendCounts, const void *sendDispls, void *recvBuf,
		uint64_t recvCount, HcclDataType dataType, HcclReduceOp op, HcclComm comm, aclrtStream stream);
extern HcclResult HcclAllGather(void *sendBuf, void *recvBuf, uint64_t sendCount, HcclDataType dataType,
		HcclComm comm, aclrtStream stream);
extern HcclResult HcclAllGatherV(void *sendBuf, uint64_t sendCount, void *recvBuf, const void *recvCounts,
		const void *recvDispls, HcclDataType dataType, HcclComm comm, aclrtStream stream);
extern HcclResult HcclScatter(void *sendBuf, void *recvBuf, uint64_t recvCount, HcclDataType dataType, uint32_t root,
		HcclComm comm, aclrtStream stream);
extern HcclResult HcclAlltoAll(const void *sendBuf, uint64_t sendCount, HcclDataType sendType, const void *recvBuf,
		uint64_t recvCount, HcclDataType recvType, HcclComm comm, aclrtStream stream);
extern HcclResult HcclAlltoAllV(const void *sendBuf, const void *sendCounts, const void *sdispls,
		HcclDataType sendType, const void *recvBuf, const void *recvCounts, const void *rdispls,
		HcclDataType recvType, HcclComm comm, aclrtStream stream);
/* sendCountMatrix[i * ranks + j]: elements from rank i to rank j */
extern HcclResult HcclAlltoAllVC(const void *sendBuf, const void *sendCountMatrix, HcclDataType sendType,
		const void *recvBuf, HcclDataType recvType, HcclComm comm, aclrtStream stream);
extern HcclResult HcclBarrier(HcclComm comm, aclrtStream stream);

/* Between two ranks ---------------------------------------------------------------------------- */

/* The streams wait for each other: two ranks that both send first may wait for ever, HcclBatchSendRecv() does not */
extern HcclResult HcclSend(void *sendBuf, uint64_t count, HcclDataType dataType, uint32_t destRank, HcclComm comm,
		aclrtStream stream);
extern HcclResult HcclRecv(void *recvBuf, uint64_t count, HcclDataType dataType, uint32_t srcRank, HcclComm comm,
		aclrtStream stream);
extern HcclResult HcclBatchSendRecv(HcclSendRecvItem *sendRecvInfo, uint32_t itemNum, HcclComm comm,
		aclrtStream stream);

/*
 * Calls of this thread between the two are done together by the second: sends and receives of one communicator do not
 * wait for each other, and one thread may be several ranks. Those with a communicator or a stream in common keep their
 * order. Groups nest; the outermost counts.
 */
extern HcclResult HcclGroupStart(void);
extern HcclResult HcclGroupEnd(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* HCCL_H_ */
