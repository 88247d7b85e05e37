# SPDX-License-Identifier: MIT
"""Frames of the control port, see proto.h."""
import struct

CONFIG, SIGNAL, WINSIZE, STDIN_EOF, CLOSE = 1, 2, 3, 4, 5
READY, STARTED, EXIT, FAIL, STDIN_CLOSED = 16, 17, 18, 19, 20

HEAD = struct.Struct("<II")
EXIT_PAYLOAD = struct.Struct("<IIQQQ")


def frame(kind, payload=b""):
    return HEAD.pack(kind, len(payload)) + payload


def take_frame(buffer):
    """Takes the first complete frame out of a bytearray: (kind, payload), or None."""
    if len(buffer) < HEAD.size:
        return None
    kind, length = HEAD.unpack_from(buffer)
    if len(buffer) < HEAD.size + length:
        return None
    payload = bytes(buffer[HEAD.size:HEAD.size + length])
    del buffer[:HEAD.size + length]
    return kind, payload


def config(records):
    """The payload of CONFIG from (letter, bytes) pairs."""
    return b"".join(letter.encode() + value + b"\0" for letter, value in records)
