# SPDX-License-Identifier: MIT
"""Collective communication (hccl/hccl.h): ranks that are threads or processes, on one machine or several.

Functions are called as in C and return their results as those of acl do: comm, ret = acl.hccl.comm_init_root_info(ranks,
root_info, rank). Buffers, communicators and streams are int, a root info is bytes, lists of counts are sequences. While
a function runs, other threads do. Import it by its name: import acl.hccl.
"""

import ctypes
import os
from collections.abc import Callable, Sequence

SUCCESS, E_PARA, E_PTR, E_MEMORY, E_INTERNAL, E_NOT_SUPPORT, E_NOT_FOUND, E_UNAVAIL, E_SYSCALL, E_TIMEOUT = range(10)
E_REMOTE, E_SUSPENDING = 21, 22
INT8, INT16, INT32, FP16, FP32, INT64, UINT64, UINT8, UINT16, UINT32, FP64, BFP16, INT128 = range(13)
SUM, PROD, MAX, MIN = range(4)
SEND, RECV = range(2)
STATUS_READY, STATUS_SUSPENDING, STATUS_INVALID = 0, 1, 254
DETERMINISTIC = 0
CONFIG_TYPE_OP_EXPANSION_MODE, CONFIG_TYPE_HCCL_ALGO = range(2)
ROOT_INFO_BYTES = 4108
COMM_NAME_MAX_LENGTH = 128
COMM_ALGO_MAX_LENGTH = 1600

_u32, _u64, _int, _ptr = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_int, ctypes.c_void_p
_RootInfo = ctypes.c_char * ROOT_INFO_BYTES


class CommConfig(ctypes.Structure):
    """Settings of one communicator; a new one says nothing."""

    _fields_ = [
        ("size", ctypes.c_size_t), ("magic", _u32), ("version", _u32), ("reserved", _u64),
        ("hcclBufferSize", _u32), ("hcclDeterministic", _u32), ("hcclCommName", ctypes.c_char * COMM_NAME_MAX_LENGTH),
        ("hcclUdi", ctypes.c_char * 128), ("hcclOpExpansionMode", _u32), ("hcclRdmaTrafficClass", _u32),
        ("hcclRdmaServiceLevel", _u32), ("hcclWorldRankID", _u32), ("hcclJobID", _u64), ("aclGraphZeroCopyEnable", ctypes.c_uint8),
        ("hcclExecTimeOut", ctypes.c_int32), ("hcclAlgo", ctypes.c_char * 1600), ("hcclRetryEnable", ctypes.c_char * 50),
        ("hcclRetryParams", ctypes.c_char * 128), ("hcclBufferName", ctypes.c_char * 128), ("hcclQos", _u32),
        ("hcclSymWinMaxMemSizePerRank", _u64)]

    def __init__(self, **settings: int | bytes) -> None:
        unset = 0xffffffff
        super().__init__(size=ctypes.sizeof(CommConfig), magic=0xf0f0f0f0, version=10, hcclBufferSize=unset, hcclDeterministic=unset,
                         hcclRdmaTrafficClass=unset, hcclRdmaServiceLevel=unset, hcclExecTimeOut=-1, hcclQos=unset,
                         hcclSymWinMaxMemSizePerRank=16)
        for name, value in settings.items():
            if name not in (field[0] for field in self._fields_):
                raise TypeError("HcclCommConfig has no field '%s'" % name)
            setattr(self, name, value)


class SendRecvItem(ctypes.Structure):
    """One piece of work of batch_send_recv(): SendRecvItem(SEND, buf, count, INT8, rank)."""

    _fields_ = [("sendRecvType", _int), ("buf", _ptr), ("count", _u64), ("dataType", _int), ("remoteRank", _u32)]


def _beside_libascendcl() -> str:
    """libhccl.so of the installation whose libascendcl.so the module acl has loaded, or else where the linker looks."""
    import acl  # noqa: F401  pylint: disable=import-outside-toplevel,unused-import,cyclic-import
    with open("/proc/self/maps", encoding="utf-8") as maps:
        for line in maps:
            path = line.rstrip("\n").split(" ")[-1]
            if os.path.basename(path).startswith(("libascendcl.so", "libacl.so")):
                here = os.path.join(os.path.dirname(path), "libhccl.so")
                if os.path.exists(here):
                    return here
    return "libhccl.so"


_lib = ctypes.CDLL(_beside_libascendcl())


def _function(name: str, *types: object) -> Callable[..., int]:
    function = getattr(_lib, name)
    function.argtypes, function.restype = types, _int
    return function  # type: ignore[no-any-return]


_data = (_ptr, _ptr)
_where = (_ptr, _ptr)  # communicator and stream
_get_root_info = _function("HcclGetRootInfo", _ptr)
_init = _function("HcclCommInitRootInfo", _u32, _ptr, _u32, _ptr)
_init_config = _function("HcclCommInitRootInfoConfig", _u32, _ptr, _u32, _ptr, _ptr)
_init_all = _function("HcclCommInitAll", _u32, _ptr, _ptr)
_init_cluster = _function("HcclCommInitClusterInfo", ctypes.c_char_p, _u32, _ptr)
_init_cluster_config = _function("HcclCommInitClusterInfoConfig", ctypes.c_char_p, _u32, _ptr, _ptr)
_init_cluster_text = _function("HcclCommInitClusterInfoMemConfig", ctypes.c_char_p, _u32, _ptr, _ptr)
_create_sub = _function("HcclCreateSubCommConfig", _ptr, _u32, _ptr, _u64, _u32, _ptr, _ptr)
_destroy = _function("HcclCommDestroy", _ptr)
_suspend = _function("HcclCommSuspend", _ptr)
_resume = _function("HcclCommResume", _ptr)
_rank_id = _function("HcclGetRankId", _ptr, _ptr)
_rank_size = _function("HcclGetRankSize", _ptr, _ptr)
_comm_name = _function("HcclGetCommName", _ptr, _ptr)
_by_name = _function("HcclCommGetHandleWithName", ctypes.c_char_p, _ptr)
_async_error = _function("HcclGetCommAsyncError", _ptr, _ptr)
_status = _function("HcclCommGetStatus", ctypes.c_char_p, _ptr)
_set_config = _function("HcclSetConfig", _int, ctypes.c_int32)
_get_config = _function("HcclGetConfig", _int, _ptr)
_config_info = _function("HcclConfigGetInfo", _ptr, _int, _u32, _ptr)
_capability = _function("HcclGetCommConfigCapability")
_all_reduce = _function("HcclAllReduce", *_data, _u64, _int, _int, *_where)
_reduce = _function("HcclReduce", *_data, _u64, _int, _int, _u32, *_where)
_broadcast = _function("HcclBroadcast", _ptr, _u64, _int, _u32, *_where)
_reduce_scatter = _function("HcclReduceScatter", *_data, _u64, _int, _int, *_where)
_reduce_scatter_v = _function("HcclReduceScatterV", _ptr, _ptr, _ptr, _ptr, _u64, _int, _int, *_where)
_all_gather = _function("HcclAllGather", *_data, _u64, _int, *_where)
_all_gather_v = _function("HcclAllGatherV", _ptr, _u64, _ptr, _ptr, _ptr, _int, *_where)
_scatter = _function("HcclScatter", *_data, _u64, _int, _u32, *_where)
_all_to_all = _function("HcclAlltoAll", _ptr, _u64, _int, _ptr, _u64, _int, *_where)
_all_to_all_v = _function("HcclAlltoAllV", _ptr, _ptr, _ptr, _int, _ptr, _ptr, _ptr, _int, *_where)
_all_to_all_vc = _function("HcclAlltoAllVC", _ptr, _ptr, _int, _ptr, _int, *_where)
_barrier = _function("HcclBarrier", *_where)
_send = _function("HcclSend", _ptr, _u64, _int, _u32, *_where)
_recv = _function("HcclRecv", _ptr, _u64, _int, _u32, *_where)
_batch = _function("HcclBatchSendRecv", _ptr, _u32, *_where)
_group_start = _function("HcclGroupStart")
_group_end = _function("HcclGroupEnd")


def _counts(values: Sequence[int], comm: int, square: bool = False) -> ctypes.Array[ctypes.c_uint64]:
    """As many as the library reads: one by rank, or by two ranks."""
    ranks, ret = get_rank_size(comm)
    if not ret and len(values) != (ranks * ranks if square else ranks):
        raise ValueError("%d counts for %d ranks" % (len(values), ranks))
    return (_u64 * len(values))(*values)


# Communicators -----------------------------------------------------------------------------------------------------

def get_root_info() -> tuple[bytes, int]:
    """How ranks find each other: one calls it and gives the bytes to all."""
    info = _RootInfo()
    ret = _get_root_info(info)
    return info.raw, ret


def comm_init_root_info(n_ranks: int, root_info: bytes, rank: int) -> tuple[int, int]:
    """Joins a communicator with the device of the calling thread; returns when all have come."""
    comm = _ptr()
    ret = _init(n_ranks, _RootInfo.from_buffer_copy(root_info), rank, ctypes.byref(comm))
    return comm.value or 0, ret


def comm_init_root_info_config(n_ranks: int, root_info: bytes, rank: int, config: CommConfig) -> tuple[int, int]:
    """The same with settings."""
    comm = _ptr()
    ret = _init_config(n_ranks, _RootInfo.from_buffer_copy(root_info), rank, ctypes.byref(config), ctypes.byref(comm))
    return comm.value or 0, ret


def comm_init_all(devices: Sequence[int]) -> tuple[list[int], int]:
    """Communicators of a process that is all ranks itself."""
    comms = (_ptr * len(devices))()
    ret = _init_all(len(devices), (ctypes.c_int32 * len(devices))(*devices), comms)
    return [c or 0 for c in comms], ret


def comm_init_cluster_info(cluster_info: str | None, rank: int, config: CommConfig | None = None) -> tuple[int, int]:
    """Joins the communicator that a rank table describes; None: the file that RANK_TABLE_FILE says."""
    comm, path = _ptr(), None if cluster_info is None else os.fsencode(cluster_info)
    if config is None:
        ret = _init_cluster(path, rank, ctypes.byref(comm))
    else:
        ret = _init_cluster_config(path, rank, ctypes.byref(config), ctypes.byref(comm))
    return comm.value or 0, ret


def comm_init_cluster_info_mem_config(rank_table: str, rank: int, config: CommConfig) -> tuple[int, int]:
    """The same with the rank table's text instead of a file's name."""
    comm = _ptr()
    ret = _init_cluster_text(rank_table.encode(), rank, ctypes.byref(config), ctypes.byref(comm))
    return comm.value or 0, ret


def create_sub_comm_config(comm: int, rank_ids: Sequence[int], sub_comm_id: int, sub_comm_rank_id: int,
                           config: CommConfig) -> tuple[int, int]:
    """A communicator of some ranks of another; no rank_ids: this rank is not in it, and gets 0."""
    sub, parent = _ptr(), _ptr(comm)
    ids = (_u32 * len(rank_ids))(*rank_ids) if rank_ids else None
    ret = _create_sub(ctypes.byref(parent), len(rank_ids), ids, sub_comm_id, sub_comm_rank_id, ctypes.byref(config),
                      ctypes.byref(sub))
    return sub.value or 0, ret


def comm_destroy(comm: int) -> int:
    """Leaves a communicator."""
    return _destroy(comm)


def comm_suspend(comm: int) -> int:
    """Drops this rank's collectives, and refuses others until comm_resume()."""
    return _suspend(comm)


def comm_resume(comm: int) -> int:
    """Goes on, when all ranks have called it."""
    return _resume(comm)


# Questions -----------------------------------------------------------------------------------------------------------

def get_rank_id(comm: int) -> tuple[int, int]:
    """Which rank the communicator is."""
    value = _u32()
    ret = _rank_id(comm, ctypes.byref(value))
    return value.value, ret


def get_rank_size(comm: int) -> tuple[int, int]:
    """How many ranks there are."""
    value = _u32()
    ret = _rank_size(comm, ctypes.byref(value))
    return value.value, ret


def get_comm_name(comm: int) -> tuple[str, int]:
    """The communicator's name."""
    name = ctypes.create_string_buffer(COMM_NAME_MAX_LENGTH)
    ret = _comm_name(comm, name)
    return name.value.decode(errors="replace"), ret


def comm_get_handle_with_name(name: str) -> tuple[int, int]:
    """The communicator of that name."""
    comm = _ptr()
    ret = _by_name(name.encode(), ctypes.byref(comm))
    return comm.value or 0, ret


def get_comm_async_error(comm: int) -> tuple[int, int]:
    """Whether another rank ended or did not come; acl.get_recent_err_msg() names it."""
    value = _int()
    ret = _async_error(comm, ctypes.byref(value))
    return value.value, ret


def comm_get_status(name: str) -> tuple[int, int]:
    """STATUS_READY, STATUS_SUSPENDING, or STATUS_INVALID when it has failed; of the communicator of that name."""
    value = _int()
    ret = _status(name.encode(), ctypes.byref(value))
    return value.value, ret


def set_config(config: int, value: int) -> int:
    """A setting of the process: DETERMINISTIC."""
    return _set_config(config, value)


def get_config(config: int) -> tuple[int, int]:
    """Asks for one."""
    value = ctypes.c_int32()
    ret = _get_config(config, ctypes.byref(value))
    return value.value, ret


def config_get_info(comm: int, cfg_type: int) -> tuple[int | str, int]:
    """A setting of a communicator: who makes its tasks, or the algorithms as they were asked for."""
    if cfg_type == CONFIG_TYPE_HCCL_ALGO:
        text = ctypes.create_string_buffer(COMM_ALGO_MAX_LENGTH)
        ret = _config_info(comm, cfg_type, COMM_ALGO_MAX_LENGTH, text)
        return text.value.decode(errors="replace"), ret
    value = _int()
    ret = _config_info(comm, cfg_type, ctypes.sizeof(value), ctypes.byref(value))
    return value.value, ret


def get_comm_config_capability() -> int:
    """The first number of a setting that CommConfig cannot have."""
    return _capability()


def get_error_string(code: int) -> str:
    """A code in words."""
    function = _lib.HcclGetErrorString
    function.argtypes, function.restype = [_int], ctypes.c_char_p
    text: bytes = function(code)
    return text.decode()


# Collectives -----------------------------------------------------------------------------------------------------------

def all_reduce(send_buf: int, recv_buf: int, count: int, data_type: int, op: int, comm: int, stream: int) -> int:
    """Reduces, the result to all."""
    return _all_reduce(send_buf, recv_buf, count, data_type, op, comm, stream)


def reduce(send_buf: int, recv_buf: int, count: int, data_type: int, op: int, root: int, comm: int, stream: int) -> int:
    """Reduces, the result to one."""
    return _reduce(send_buf, recv_buf, count, data_type, op, root, comm, stream)


def broadcast(buf: int, count: int, data_type: int, root: int, comm: int, stream: int) -> int:
    """One rank's data to all."""
    return _broadcast(buf, count, data_type, root, comm, stream)


def reduce_scatter(send_buf: int, recv_buf: int, recv_count: int, data_type: int, op: int, comm: int, stream: int) -> int:
    """Reduces, a part of the result to each."""
    return _reduce_scatter(send_buf, recv_buf, recv_count, data_type, op, comm, stream)


def reduce_scatter_v(send_buf: int, send_counts: Sequence[int], send_displs: Sequence[int], recv_buf: int, recv_count: int,
                     data_type: int, op: int, comm: int, stream: int) -> int:
    """The same with parts of different sizes."""
    return _reduce_scatter_v(send_buf, _counts(send_counts, comm), _counts(send_displs, comm), recv_buf, recv_count, data_type, op,
                             comm, stream)


def all_gather(send_buf: int, recv_buf: int, send_count: int, data_type: int, comm: int, stream: int) -> int:
    """Everybody's data to all."""
    return _all_gather(send_buf, recv_buf, send_count, data_type, comm, stream)


def all_gather_v(send_buf: int, send_count: int, recv_buf: int, recv_counts: Sequence[int], recv_displs: Sequence[int],
                 data_type: int, comm: int, stream: int) -> int:
    """The same with parts of different sizes."""
    return _all_gather_v(send_buf, send_count, recv_buf, _counts(recv_counts, comm), _counts(recv_displs, comm), data_type, comm,
                         stream)


def scatter(send_buf: int, recv_buf: int, recv_count: int, data_type: int, root: int, comm: int, stream: int) -> int:
    """A part of one rank's data to each."""
    return _scatter(send_buf, recv_buf, recv_count, data_type, root, comm, stream)


def all_to_all(send_buf: int, send_count: int, send_type: int, recv_buf: int, recv_count: int, recv_type: int, comm: int,
               stream: int) -> int:
    """A part of everybody's data to each."""
    return _all_to_all(send_buf, send_count, send_type, recv_buf, recv_count, recv_type, comm, stream)


def all_to_all_v(send_buf: int, send_counts: Sequence[int], sdispls: Sequence[int], send_type: int, recv_buf: int,
                 recv_counts: Sequence[int], rdispls: Sequence[int], recv_type: int, comm: int, stream: int) -> int:
    """The same with parts of different sizes."""
    return _all_to_all_v(send_buf, _counts(send_counts, comm), _counts(sdispls, comm), send_type, recv_buf, _counts(recv_counts, comm),
                         _counts(rdispls, comm), recv_type, comm, stream)


def all_to_all_vc(send_buf: int, send_count_matrix: Sequence[int], send_type: int, recv_buf: int, recv_type: int, comm: int,
                  stream: int) -> int:
    """The same with all sizes in one matrix: element i * ranks + j is from rank i to rank j."""
    return _all_to_all_vc(send_buf, _counts(send_count_matrix, comm, True), send_type, recv_buf, recv_type, comm, stream)


def barrier(comm: int, stream: int) -> int:
    """Streams of all ranks have come here."""
    return _barrier(comm, stream)


# Pairs -------------------------------------------------------------------------------------------------------------------

def send(send_buf: int, count: int, data_type: int, dest_rank: int, comm: int, stream: int) -> int:
    """Data to another rank."""
    return _send(send_buf, count, data_type, dest_rank, comm, stream)


def recv(recv_buf: int, count: int, data_type: int, src_rank: int, comm: int, stream: int) -> int:
    """Data of another rank."""
    return _recv(recv_buf, count, data_type, src_rank, comm, stream)


def batch_send_recv(items: Sequence[SendRecvItem], comm: int, stream: int) -> int:
    """Several of those that do not wait for each other."""
    return _batch((SendRecvItem * len(items))(*items), len(items), comm, stream)


def group_start() -> int:
    """What this thread calls from now on is done together."""
    return _group_start()


def group_end() -> int:
    """Does it."""
    return _group_end()
