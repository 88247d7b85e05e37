#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Trains the language model of the sample story on the prose of this repository's documentation; it needs numpy, and a quarter of an hour of one processor.

usage: tests/samples/story/train.py [--steps=N] [--seed=N] [--out=FILE]

The model is a decoder of the usual kind: RMSNorm, rotary positions, attention with a causal mask, SwiGLU, the embedding also as the
last matrix. The file it writes is what story.c describes at its top.
"""

import argparse
import collections
import glob
import os
import re
import struct
import sys
import time

import numpy as np

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
TOKENS, WIDTH, HEADS, LAYERS, HIDDEN, CONTEXT = 512, 64, 4, 4, 192, 128
HEAD = WIDTH // HEADS
EPSILON = 1e-5
ROTARY_BASE = 10000.0
BATCH, RATE, BETA1, BETA2, DECAY = 16, 3e-3, 0.9, 0.98, 0.01
HELD_OUT = 0.03  # this part of the text is not trained on, and tells how good the model is


# Text ------------------------------------------------------------------------------------------------------------

def prose():
    """The documentation without code, tables and headings, a paragraph a line, in printable ASCII."""
    paragraphs = []
    for name in sorted(glob.glob(TOP + "/Documentation/*.md")) + [TOP + "/README.md"]:
        with open(name, encoding="utf-8") as file:
            text = re.sub(r"```.*?```", "\n", file.read(), flags=re.S)
        text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
        for block in re.split(r"\n\s*\n", text):
            lines = [line for line in block.split("\n") if not re.match(r"\||#|    |\t", line)]
            block = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", " ".join(lines))
            block = re.sub(r"\s+", " ", block.replace("**", "").replace("`", "")).strip(" -")
            block = "".join(c for c in block if " " <= c <= "~")
            if len(block) > 60:
                paragraphs.append(block)
    return "\n".join(paragraphs) + "\n"


def make_tokens(text):
    """Byte pair encoding: the characters, and then again and again the commonest pair, not across words."""
    words = collections.Counter(re.findall(r" ?[^ \n]+|\n| ", text))
    characters = sorted(set(text))
    pieces = {word: [characters.index(c) for c in word] for word in words}
    merges = []
    while len(characters) + len(merges) < TOKENS:
        pairs = collections.Counter()
        for word, count in words.items():
            for pair in zip(pieces[word], pieces[word][1:]):
                pairs[pair] += count
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        number = len(characters) + len(merges)
        merges.append(best)
        for word, piece in pieces.items():
            i = 0
            while i < len(piece) - 1:
                if (piece[i], piece[i + 1]) == best:
                    piece[i:i + 2] = [number]
                i += 1
    encoded = [token for word in re.findall(r" ?[^ \n]+|\n| ", text) for token in pieces[word]]
    return characters, merges, np.array(encoded, dtype=np.int64)


# Model ------------------------------------------------------------------------------------------------------------

def new_parameters(random):
    def matrix(rows, columns, scale=1.0):
        return (random.standard_normal((rows, columns)) * scale / np.sqrt(rows)).astype(np.float32)

    parameters = {"embedding": (random.standard_normal((TOKENS, WIDTH)) * 0.05).astype(np.float32),
                  "norm": np.ones(WIDTH, np.float32)}
    for n in range(LAYERS):
        parameters.update({
            f"{n}.norm1": np.ones(WIDTH, np.float32), f"{n}.norm2": np.ones(WIDTH, np.float32),
            f"{n}.qkv": matrix(WIDTH, 3 * WIDTH), f"{n}.out": matrix(WIDTH, WIDTH, (2 * LAYERS) ** -0.5),
            f"{n}.gate_up": matrix(WIDTH, 2 * HIDDEN), f"{n}.down": matrix(HIDDEN, WIDTH, (2 * LAYERS) ** -0.5)})
    return parameters


def rotation(length):
    angle = np.arange(length)[:, None] * ROTARY_BASE ** (-np.arange(HEAD // 2) / (HEAD // 2))
    return np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)


def rotate(x, cos, sin):
    """The last axis holds the first elements of all pairs, then the second ones."""
    a, b = x[..., :HEAD // 2], x[..., HEAD // 2:]
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], -1)


def norm(x, gain):
    inverse = 1 / np.sqrt((x * x).mean(-1, keepdims=True) + EPSILON)
    return x * inverse * gain, inverse


def norm_back(dy, x, gain, inverse):
    y = x * inverse
    dgain = (dy * y).reshape(-1, WIDTH).sum(0)
    dy = dy * gain
    return inverse * (dy - y * (dy * y).mean(-1, keepdims=True)), dgain


def loss_and_gradients(p, tokens, targets, want_gradients=True):
    batch, length = tokens.shape
    cos, sin = rotation(length)
    mask = np.triu(np.full((length, length), -1e9, np.float32), 1)
    x = p["embedding"][tokens]
    kept = []
    for n in range(LAYERS):
        before = x
        a, inverse1 = norm(x, p[f"{n}.norm1"])
        qkv = (a @ p[f"{n}.qkv"]).reshape(batch, length, 3, HEADS, HEAD).transpose(2, 0, 3, 1, 4)
        q, k, v = rotate(qkv[0], cos, sin), rotate(qkv[1], cos, sin), qkv[2]
        scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(HEAD).astype(np.float32) + mask
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        mixed = (weights @ v).transpose(0, 2, 1, 3).reshape(batch, length, WIDTH)
        x = x + mixed @ p[f"{n}.out"]
        middle = x
        m, inverse2 = norm(x, p[f"{n}.norm2"])
        gate, up = np.split(m @ p[f"{n}.gate_up"], 2, -1)
        sigmoid = 1 / (1 + np.exp(-gate))
        hidden = gate * sigmoid * up
        x = x + hidden @ p[f"{n}.down"]
        kept.append((before, a, inverse1, q, k, v, weights, mixed, middle, m, inverse2, gate, up, sigmoid, hidden))
    last, (final, inverse) = x, norm(x, p["norm"])
    logits = final @ p["embedding"].T
    logits -= logits.max(-1, keepdims=True)
    chance = np.exp(logits)
    chance /= chance.sum(-1, keepdims=True)
    rows = np.arange(batch * length)
    loss = -np.log(chance.reshape(-1, TOKENS)[rows, targets.reshape(-1)] + 1e-30).mean()
    if not want_gradients:
        return loss, None
    return loss, backward(p, tokens, targets, chance, (last, final, inverse), kept, (cos, sin))


def product_back(dy, x, w):
    return dy @ w.T, x.reshape(-1, x.shape[-1]).T @ dy.reshape(-1, dy.shape[-1])


def backward(p, tokens, targets, chance, end, kept, angles):
    batch, length = tokens.shape
    g = {}
    (last, final, inverse), (cos, sin) = end, angles
    chance.reshape(-1, TOKENS)[np.arange(batch * length), targets.reshape(-1)] -= 1
    chance /= batch * length
    g["embedding"] = chance.reshape(-1, TOKENS).T @ final.reshape(-1, WIDTH)
    dx, g["norm"] = norm_back(chance @ p["embedding"], last, p["norm"], inverse)
    for n in reversed(range(LAYERS)):
        before, a, inverse1, q, k, v, weights, mixed, middle, m, inverse2, gate, up, sigmoid, hidden = kept[n]
        dhidden, g[f"{n}.down"] = product_back(dx, hidden, p[f"{n}.down"])
        dgate = dhidden * up * sigmoid * (1 + gate * (1 - sigmoid))
        dm, g[f"{n}.gate_up"] = product_back(np.concatenate([dgate, dhidden * gate * sigmoid], -1), m, p[f"{n}.gate_up"])
        dmiddle, g[f"{n}.norm2"] = norm_back(dm, middle, p[f"{n}.norm2"], inverse2)
        dx = dx + dmiddle
        dmixed, g[f"{n}.out"] = product_back(dx, mixed, p[f"{n}.out"])
        dmixed = dmixed.reshape(batch, length, HEADS, HEAD).transpose(0, 2, 1, 3)
        dv = weights.transpose(0, 1, 3, 2) @ dmixed
        dweights = dmixed @ v.transpose(0, 1, 3, 2)
        dscores = weights * (dweights - (dweights * weights).sum(-1, keepdims=True)) / np.sqrt(HEAD).astype(np.float32)
        dq, dk = rotate(dscores @ k, cos, -sin), rotate(dscores.transpose(0, 1, 3, 2) @ q, cos, -sin)
        dqkv = np.stack([dq, dk, dv]).transpose(1, 3, 0, 2, 4).reshape(batch, length, 3 * WIDTH)
        da, g[f"{n}.qkv"] = product_back(dqkv, a, p[f"{n}.qkv"])
        dbefore, g[f"{n}.norm1"] = norm_back(da, before, p[f"{n}.norm1"], inverse1)
        dx = dx + dbefore
    np.add.at(g["embedding"], tokens.reshape(-1), dx.reshape(-1, WIDTH))
    return g


# Training ------------------------------------------------------------------------------------------------------------

def cut(encoded, random, count):
    starts = random.integers(0, len(encoded) - CONTEXT - 1, count)
    rows = encoded[starts[:, None] + np.arange(CONTEXT + 1)]
    return rows[:, :-1], rows[:, 1:]


def train(p, encoded, steps, random):
    split = int(len(encoded) * (1 - HELD_OUT))
    inside, outside = encoded[:split], encoded[split:]
    first = {name: np.zeros_like(value) for name, value in p.items()}
    second = {name: np.zeros_like(value) for name, value in p.items()}
    began = time.monotonic()
    for step in range(1, steps + 1):
        loss, gradients = loss_and_gradients(p, *cut(inside, random, BATCH))
        size = np.sqrt(sum((g * g).sum() for g in gradients.values()))
        rate = RATE * min(1, step / 40) * (0.05 + 0.95 * 0.5 * (1 + np.cos(np.pi * step / steps)))
        for name, value in p.items():
            g = gradients[name] * min(1, 1 / size)
            first[name] += (1 - BETA1) * (g - first[name])
            second[name] += (1 - BETA2) * (g * g - second[name])
            ahead = first[name] / (1 - BETA1 ** step) / (np.sqrt(second[name] / (1 - BETA2 ** step)) + 1e-8)
            value -= rate * (ahead + (DECAY * value if value.ndim == 2 else 0))
        if step % 25 == 0 or step == steps:
            held, _ = loss_and_gradients(p, *cut(outside, np.random.default_rng(1), 4), want_gradients=False)
            print(f"step {step:5d} of {steps}: loss {loss:.3f}, on text it has not seen {held:.3f}, {time.monotonic() - began:.0f} s", flush=True)


def write(path, characters, merges, p):
    """story.c's file: a header, the tokens, then all matrices in fp16 and gains in fp32."""
    names = ["embedding"]
    for n in range(LAYERS):
        names += [f"{n}.norm1", f"{n}.qkv", f"{n}.out", f"{n}.norm2", f"{n}.gate_up", f"{n}.down"]
    names.append("norm")
    with open(path, "wb") as file:
        file.write(struct.pack("<8s8I", b"ANPUSTRY", 1, TOKENS, WIDTH, HEADS, LAYERS, HIDDEN, CONTEXT, len(characters)))
        for c in characters:
            file.write(struct.pack("<2H", ord(c), 0))
        for pair in merges:
            file.write(struct.pack("<2H", *pair))
        for name in names:
            file.write(p[name].astype("<f2" if p[name].ndim == 2 else "<f4").tobytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "story.weights"))
    options = parser.parse_args()
    random = np.random.default_rng(options.seed)
    text = prose()
    characters, merges, encoded = make_tokens(text)
    p = new_parameters(random)
    print(f"{len(text)} characters, {len(encoded)} tokens, {sum(v.size for v in p.values())} parameters", flush=True)
    train(p, encoded, options.steps, random)
    write(options.out, characters, merges, p)
    print(f"wrote {options.out}")


if __name__ == "__main__":
    sys.exit(main())
