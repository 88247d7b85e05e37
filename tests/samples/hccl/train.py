#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Trains a small language model on several ranks, each with its part of every batch; gradients are summed up by HCCL.

usage: train.py [--ranks=N] [--steps=N] [--size=small|story]    starts N ranks as processes, 4 if not said
       torchrun --nproc_per_node 4 train.py                     the launcher starts them

The model, its text and its gradients are those of the sample story (../story/train.py). In the end rank 0 trains once more, alone, and
compares the weights: it adds up the parts in the order that Documentation/hccl.md states for a ring, so every bit is the same.
"""

import argparse
import multiprocessing
import multiprocessing.connection
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../story"))
import train as story  # noqa: E402  pylint: disable=wrong-import-position

LINE = 64  # bytes: parts of a ring begin at multiples of it


def check(ret):
    if ret:
        import acl  # pylint: disable=import-outside-toplevel
        sys.exit("failed with %d: %s" % (ret, acl.get_recent_err_msg()))


def place():
    """Rank, number of ranks, rank on this machine, and where rank 0 gives the root info to the others."""
    e = os.environ
    rank, ranks = int(e["RANK"]), int(e["WORLD_SIZE"])
    # torchrun itself listens at MASTER_PORT
    return rank, ranks, int(e.get("LOCAL_RANK", rank)), (e.get("MASTER_ADDR", "127.0.0.1"), int(e.get("MASTER_PORT", "29500")) + 1)


def share_root_info(rank, ranks, address):
    """From rank 0 to all others, by what Python has for that."""
    import acl.hccl  # pylint: disable=import-outside-toplevel
    if rank == 0:
        info, ret = acl.hccl.get_root_info()
        check(ret)
        with multiprocessing.connection.Listener(address, backlog=ranks, authkey=b"train.py") as listener:
            for _ in range(1, ranks):
                with listener.accept() as connection:
                    connection.send_bytes(info)
        return info
    while True:
        try:
            with multiprocessing.connection.Client(address, authkey=b"train.py") as connection:
                return connection.recv_bytes()
        except ConnectionRefusedError:
            pass  # rank 0 is not there yet


class Ranks:
    """This rank among the others: its device, its communicator, and sums of vectors of one length."""

    def __init__(self, length):
        import acl  # pylint: disable=import-outside-toplevel
        import acl.hccl
        self.acl, self.bytes, self.length = acl, 4 * length, length
        self.rank, self.ranks, local, address = place()
        check(acl.init())
        devices, ret = acl.rt.get_device_count()
        check(ret)
        self.device = local % devices
        check(acl.rt.set_device(self.device))
        self.stream, ret = acl.rt.create_stream()
        check(ret)
        self.buffer, ret = acl.rt.malloc(self.bytes, 0)
        check(ret)
        config = acl.hccl.CommConfig(hcclAlgo=b"level0:NA;level1:ring")
        self.comm, ret = acl.hccl.comm_init_root_info_config(self.ranks, share_root_info(self.rank, self.ranks, address), self.rank,
                                                             config)
        check(ret)

    def sum(self, vector):
        acl, to_device, to_host = self.acl, 1, 2
        check(acl.rt.memcpy(self.buffer, self.bytes, vector.ctypes.data, self.bytes, to_device))
        check(acl.hccl.all_reduce(self.buffer, self.buffer, self.length, acl.hccl.FP32, acl.hccl.SUM, self.comm, self.stream))
        check(acl.rt.synchronize_stream(self.stream))
        check(acl.rt.memcpy(vector.ctypes.data, self.bytes, self.buffer, self.bytes, to_host))
        return vector

    def leave(self):
        acl = self.acl
        check(acl.hccl.comm_destroy(self.comm))
        check(acl.rt.free(self.buffer))
        check(acl.rt.destroy_stream(self.stream))
        check(acl.rt.reset_device(self.device))
        check(acl.finalize())


def sum_as_a_ring(vectors):
    """Part p begins with the element of rank p + 1, to which those of p + 2, p + 3, ... are added, rank p's last."""
    ranks, size = len(vectors), vectors[0].nbytes
    lines = -(-size // LINE)
    total = np.empty_like(vectors[0])
    for p in range(ranks):
        part = slice(lines * p // ranks * LINE // 4, min(lines * (p + 1) // ranks * LINE, size) // 4)
        total[part] = vectors[(p + 1) % ranks][part]
        for k in range(2, ranks + 1):
            total[part] += vectors[(p + k) % ranks][part]
    return total


def flat(arrays):
    return np.concatenate([a.ravel() for a in arrays]).astype(np.float32)


def gradient(p, tokens, targets):
    loss, g = story.loss_and_gradients(p, tokens, targets)
    return loss, flat([g[name] for name in p])


def step(p, total, ranks, rate):
    """Goes down the mean gradient: the same arithmetic on all ranks, so weights stay the same on all."""
    total = total / np.float32(ranks)
    at = 0
    for value in p.values():
        value -= np.float32(rate) * total[at:at + value.size].reshape(value.shape)
        at += value.size


def batches(encoded, ranks, steps):
    """All ranks know all batches; each takes its rows."""
    random = np.random.default_rng(7)
    for _ in range(steps):
        tokens, targets = story.cut(encoded, random, 2 * ranks)
        yield [(tokens[2 * r:2 * r + 2], targets[2 * r:2 * r + 2]) for r in range(ranks)]


def start(size):
    if size == "small":
        story.TOKENS, story.WIDTH, story.HEADS, story.LAYERS, story.HIDDEN, story.CONTEXT = 128, 32, 2, 2, 64, 32
        story.HEAD = story.WIDTH // story.HEADS
    text = story.prose()
    if size == "small":
        text = text[:20000]
    return story.new_parameters(np.random.default_rng(1)), story.make_tokens(text)[2]


def work(options):
    p, encoded = start(options.size)
    ranks = Ranks(sum(v.size for v in p.values()))
    losses = []
    for rows in batches(encoded, ranks.ranks, options.steps):
        loss, mine = gradient(p, *rows[ranks.rank])
        losses.append(loss)
        step(p, ranks.sum(mine), ranks.ranks, 0.5)
    ranks.leave()
    if ranks.rank:
        return 0
    print("%d ranks, %d parameters, %d steps: loss %.3f, then %.3f" % (ranks.ranks, ranks.length, options.steps, losses[0], losses[-1]))
    alone, _ = start(options.size)
    for rows in batches(encoded, ranks.ranks, options.steps):
        step(alone, sum_as_a_ring([gradient(alone, *row)[1] for row in rows]), ranks.ranks, 0.5)
    same = all((p[name].view(np.uint32) == alone[name].view(np.uint32)).all() for name in p)
    print("one rank reaches %s weights" % ("the same" if same else "other"))
    return 0 if same and losses[-1] < losses[0] else 1


def one_of(rank, ranks, options):
    os.environ.update(RANK=str(rank), WORLD_SIZE=str(ranks), LOCAL_RANK=str(rank))
    sys.exit(work(options))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--size", choices=("small", "story"), default="small")
    options = parser.parse_args()
    if "RANK" in os.environ:
        return work(options)
    processes = [multiprocessing.Process(target=one_of, args=(rank, options.ranks, options)) for rank in range(options.ranks)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    return max(abs(process.exitcode) for process in processes)


if __name__ == "__main__":
    sys.exit(main())
