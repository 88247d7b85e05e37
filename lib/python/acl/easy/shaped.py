# SPDX-License-Identifier: MIT
"""The shape that arrays in device memory and in pinned memory have alike."""

from .device import Device
from .memory import Memory
from .source import count

__all__ = ["Shaped"]


class Shaped:
    """Memory that is looked at as an array."""

    memory: Memory
    shape: "tuple[int, ...]"

    @property
    def device(self) -> Device:
        return self.memory.device

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        """Elements."""
        return count(self.shape)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a single number has no length")
        return self.shape[0]
