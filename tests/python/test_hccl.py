# SPDX-License-Identifier: MIT
"""acl.hccl: ranks that are one thread, in groups, or several."""

import ctypes
import threading

import pytest

import acl
import acl.hccl as hccl
from conftest import ok

RANKS = 3
N = 1000


def values(rank):
    return [rank * 3 + i % 7 for i in range(N)]


class Rank:
    """One of RANKS ranks on the thread's device."""

    def __init__(self, comm):
        self.comm = comm
        self.stream = ok(acl.rt.create_stream())
        self.send = ok(acl.rt.malloc(4 * N * RANKS, 0))
        self.recv = ok(acl.rt.malloc(4 * N * RANKS, 0))
        self.rank = ok(hccl.get_rank_id(comm))
        self.put(values(self.rank) * RANKS)

    def put(self, numbers):
        data = (ctypes.c_int32 * len(numbers))(*numbers)
        ok(acl.rt.memcpy(self.send, len(data) * 4, ctypes.addressof(data), len(data) * 4, 1))

    def get(self, count):
        ok(acl.rt.synchronize_stream(self.stream))
        data = (ctypes.c_int32 * count)()
        ok(acl.rt.memcpy(ctypes.addressof(data), 4 * count, self.recv, 4 * count, 2))
        return list(data)

    def leave(self):
        ok(hccl.comm_destroy(self.comm))
        ok(acl.rt.free(self.send))
        ok(acl.rt.free(self.recv))
        ok(acl.rt.destroy_stream(self.stream))


@pytest.fixture(name="ranks")
def make_ranks(device):  # pylint: disable=unused-argument
    ranks = [Rank(comm) for comm in ok(hccl.comm_init_all([0] * RANKS))]
    yield ranks
    for rank in ranks:
        rank.leave()


def together(ranks, call):
    ok(hccl.group_start())
    for r in ranks:
        ok(call(r))
    ok(hccl.group_end())


def test_reductions(ranks):
    total = [sum(column) for column in zip(*(values(r) for r in range(RANKS)))]
    together(ranks, lambda r: hccl.all_reduce(r.send, r.recv, N, hccl.INT32, hccl.SUM, r.comm, r.stream))
    assert all(r.get(N) == total for r in ranks)
    together(ranks, lambda r: hccl.reduce(r.send, r.recv, N, hccl.INT32, hccl.MAX, 1, r.comm, r.stream))
    assert ranks[1].get(N) == values(RANKS - 1)
    together(ranks, lambda r: hccl.reduce_scatter(r.send, r.recv, N, hccl.INT32, hccl.SUM, r.comm, r.stream))
    assert all(r.get(N) == total for r in ranks)
    together(ranks, lambda r: hccl.reduce_scatter_v(r.send, [10, 20, 30], [0, N, 2 * N], r.recv, [10, 20, 30][r.rank],
                                                    hccl.INT32, hccl.SUM, r.comm, r.stream))
    assert [r.get(10 * r.rank + 10) for r in ranks] == [total[:10], total[:20], total[:30]]


def test_moves(ranks):
    together(ranks, lambda r: hccl.all_gather(r.send, r.recv, N, hccl.INT32, r.comm, r.stream))
    assert all(r.get(N * RANKS) == sum((values(k) for k in range(RANKS)), []) for r in ranks)
    together(ranks, lambda r: hccl.all_gather_v(r.send, 5 + r.rank, r.recv, [5, 6, 7], [0, 5, 11], hccl.INT32, r.comm, r.stream))
    assert all(r.get(18) == values(0)[:5] + values(1)[:6] + values(2)[:7] for r in ranks)
    together(ranks, lambda r: hccl.scatter(r.send, r.recv, N, hccl.INT32, 2, r.comm, r.stream))
    assert all(r.get(N) == values(2) for r in ranks)
    together(ranks, lambda r: hccl.broadcast(r.recv if r.rank else r.send, N, hccl.INT32, 0, r.comm, r.stream))
    assert all(r.get(N) == values(0) for r in ranks[1:])
    together(ranks, lambda r: hccl.barrier(r.comm, r.stream))


def test_all_to_all(ranks):
    expected = [values(k)[:4] for k in range(RANKS)]
    together(ranks, lambda r: hccl.all_to_all(r.send, 4, hccl.INT32, r.recv, 4, hccl.INT32, r.comm, r.stream))
    assert ranks[0].get(12) == sum(expected, [])
    together(ranks, lambda r: hccl.all_to_all_v(r.send, [4] * 3, [0, N, 2 * N], hccl.INT32, r.recv, [4] * 3, [0, 4, 8], hccl.INT32,
                                                r.comm, r.stream))
    assert all(r.get(12) == sum(expected, []) for r in ranks)
    together(ranks, lambda r: hccl.all_to_all_vc(r.send, [4] * 9, hccl.INT32, r.recv, hccl.INT32, r.comm, r.stream))
    assert ranks[0].get(12) == sum(expected, [])
    with pytest.raises(ValueError, match="2 counts for 3 ranks"):
        hccl.all_to_all_v(0, [1, 2], [0, 0, 0], hccl.INT32, 0, [1, 1, 1], [0, 0, 0], hccl.INT32, ranks[0].comm, ranks[0].stream)


def test_pairs(ranks):
    def ring(r):
        items = [hccl.SendRecvItem(hccl.SEND, r.send, N, hccl.INT32, (r.rank + 1) % RANKS),
                 hccl.SendRecvItem(hccl.RECV, r.recv, N, hccl.INT32, (r.rank - 1) % RANKS)]
        return hccl.batch_send_recv(items, r.comm, r.stream)

    together(ranks, ring)
    assert all(r.get(N) == values((r.rank - 1) % RANKS) for r in ranks)
    together(ranks[:2], lambda r: hccl.recv(r.recv, N, hccl.INT32, 0, r.comm, r.stream) if r.rank else
             hccl.send(r.send, N, hccl.INT32, 1, r.comm, r.stream))
    assert ranks[1].get(N) == values(0)


def test_questions(ranks):
    assert [ok(hccl.get_rank_size(r.comm)) for r in ranks] == [RANKS] * RANKS
    name = ok(hccl.get_comm_name(ranks[0].comm))
    assert ok(hccl.comm_get_handle_with_name(name)) in [r.comm for r in ranks]
    assert ok(hccl.get_comm_async_error(ranks[0].comm)) == hccl.SUCCESS
    assert hccl.get_error_string(hccl.E_TIMEOUT) == "ranks did not come in time"
    assert ok(hccl.comm_get_status(name)) == hccl.STATUS_READY
    assert hccl.comm_get_status("nobody")[1] == hccl.E_NOT_FOUND
    assert hccl.get_comm_config_capability() > 2
    ok(hccl.set_config(hccl.DETERMINISTIC, 1))
    assert ok(hccl.get_config(hccl.DETERMINISTIC)) == 1
    assert hccl.set_config(hccl.DETERMINISTIC, 7) == hccl.E_PARA
    comm, ret = hccl.comm_get_handle_with_name("nobody")
    assert (comm, ret) == (0, hccl.E_NOT_FOUND) and "nobody" in acl.get_recent_err_msg()


def test_ranks_as_threads(device):  # pylint: disable=unused-argument
    info = ok(hccl.get_root_info())
    results = [None] * RANKS

    def work(rank):
        ok(acl.rt.set_device(0))
        config = hccl.CommConfig(hcclBufferSize=1, hcclCommName=b"threads", hcclAlgo=b"level0:NA;level1:ring")
        r = Rank(ok(hccl.comm_init_root_info_config(RANKS, info, rank, config)))
        assert ok(hccl.get_comm_name(r.comm)) == "threads"
        assert ok(hccl.config_get_info(r.comm, hccl.CONFIG_TYPE_HCCL_ALGO)) == "level0:NA;level1:ring"
        assert ok(hccl.config_get_info(r.comm, hccl.CONFIG_TYPE_OP_EXPANSION_MODE)) == 3
        part = [0, 2]
        sub = ok(hccl.create_sub_comm_config(r.comm, part if rank in part else [], 1, rank // 2, hccl.CommConfig()))
        assert bool(sub) == (rank in part)
        ok(hccl.comm_suspend(r.comm))
        ok(hccl.comm_resume(r.comm))
        ok(hccl.all_reduce(r.send, r.recv, 3, hccl.INT32, hccl.PROD, r.comm, r.stream))
        results[rank] = r.get(3)
        if sub:
            ok(hccl.comm_destroy(sub))
        r.leave()
        ok(acl.rt.reset_device(0))

    threads = [threading.Thread(target=work, args=(rank,)) for rank in range(RANKS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [[0, 1 * 4 * 7, 2 * 5 * 8]] * RANKS


def test_settings_are_checked():
    with pytest.raises(TypeError, match="hcclSpeed"):
        hccl.CommConfig(hcclSpeed=1)
    _, ret = hccl.comm_init_cluster_info("/nowhere", 0)
    assert ret and "/nowhere" in acl.get_recent_err_msg()
    _, ret = hccl.comm_init_cluster_info_mem_config('{ "version": "9" }', 0, hccl.CommConfig())
    assert ret == hccl.E_NOT_SUPPORT and "version" in acl.get_recent_err_msg()
