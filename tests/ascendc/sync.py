# SPDX-License-Identifier: MIT
"""Inputs and references of the operators whose blocks wait for each other."""


def block_sync(Tensor):
    for blocks in (1, 5, 40):
        x = list(range(blocks))
        want, total = [], 0
        for value in x:
            total += value + 2
            want.append(total)
        yield f"running_sums of {blocks} blocks", "running_sums", blocks, [
            Tensor("s32", x), Tensor("s32", [0] * blocks, want), Tensor("s32", [0] * (blocks * 16 + 8))]
    for used in (1, 3, 30):
        yield f"some_blocks: {used} of 32", "some_blocks", 32, [
            Tensor("s32", [0] * 32, [10] * used + [0] * (32 - used)), Tensor("s32", [0] * 256), used]
    yield "in_turn", "in_turn", 20, [Tensor("s32", [0] * 41, [40] + list(range(20)) * 2), Tensor("s32", [5] * 8)]
    for blocks in (1, 3, 40):
        yield f"counting in {blocks} blocks", "counting", blocks, [
            Tensor("s32", [0] * blocks, [100 * (i + 1) + i * (i + 1) // 2 for i in range(blocks)])]
    yield "looking", "looking", 20, [Tensor("s32", [0, 0], [7, 8])]


def units_custom(Tensor):
    """Kernels for other units in one source; vector cores have 8 numbers each."""
    def apart(numbers):
        return [n for number in numbers for n in (number, 0, 0, 0, 0, 0, 0, 0)]
    for blocks in (1, 3):
        yield f"hand_over, {blocks} blocks", "hand_over", blocks, [
            Tensor("s32", [0] * blocks * 16, apart([2020, 201] * blocks)), Tensor("s32", [0] * blocks * 8, apart([2221] * blocks))]
        for kernel, first in (("on_vectors", 110), ("on_cubes", 200), ("declared", 300)):
            yield f"{kernel}, {blocks} blocks", kernel, blocks, [
                Tensor("s32", [0] * blocks * 8, apart(range(first, first + blocks)))]


def guarded_custom(Tensor):
    yield "guarded", "guarded", 3, [Tensor("s32", [0] * 24, [400] + [0] * 7 + [401] + [0] * 7 + [402] + [0] * 7)]


def parted_custom(Tensor):
    for blocks in (1, 3):
        numbers = [float(i) for i in range(blocks * 128)]
        yield f"parted, {blocks} blocks", "parted", blocks, [
            Tensor("f32", numbers, [2 * n for n in numbers]), Tensor("f16", [1.0] * 256), Tensor("f16", [0.5] * 256),
            Tensor("f32", [0.0] * blocks * 256, [8.0] * blocks * 256)]


def one_unit_custom(Tensor):
    yield "one_unit", "one_unit", 3, [Tensor("s32", [0] * 24, [530] * 8 + [531] * 8 + [532] * 8)]


def one_cube_custom(Tensor):
    yield "one_cube", "one_cube", 2, [Tensor("f16", [0.0] * 256), Tensor("s32", [0] * 16, [600] + [0] * 7 + [601] + [0] * 7)]


def either_custom(Tensor):
    yield "either", "either", 2, [Tensor("f16", [0.0] * 256), Tensor("s32", [0] * 16, [700] + [0] * 7 + [701] + [0] * 7)]
