# SPDX-License-Identifier: MIT
"""Operators of a file made by anpucc, called like functions."""

import difflib
import os
from typing import Any, Iterator, NamedTuple, Optional, Union

import acl

from . import display
from ._buffer import address
from .array import Array
from .device import Device
from .dtypes import DType
from .errors import AclError, call, failed
from .host import HostArray
from .memory import Used
from .metadata import KernelInfo, Parameter, read_kernels
from .stream import Stream, stream_of

__all__ = ["Kernel", "Operators"]

UNKNOWN = "?"


class _Copied(NamedTuple):
    """A numpy array that was given for a pointer: its copy on the device, and whether it comes back."""
    array: Array
    host: Any
    back: bool


class Kernel:
    """An operator, called with one argument for each of its parameters:

        add(x, y, z, n, blocks=8, stream=s)

    A pointer takes a device array, a host array (whose memory the device reads and writes itself), None, or an address
    as an int. It also takes a numpy array or anything else with a buffer: that is copied to the device, and back
    if the operator does not say const; such a call waits for the operator. Values are checked against the parameter's type.
    blocks is how many blocks run. Without a stream the work goes where the with statement says, else to the default stream.
    A fault of the operator is an AclError of the next synchronize().
    """

    def __init__(self, operators: "Operators", info: KernelInfo, handle: int) -> None:
        self._operators = operators
        self.info = info
        self.name = self.__name__ = info.name
        self.handle = handle
        self.__doc__ = "%s, on %s core of the device." % (self, info.core)

    @property
    def device(self) -> Device:
        return self._operators.device

    @property
    def parameters(self) -> "tuple[Parameter, ...]":
        return self.info.parameters or ()

    # Arguments ---------------------------------------------------------------------------------------

    def _wrong(self, number: int, parameter: Parameter, text: str) -> str:
        return "%s: argument %d (%s) %s" % (self.name, number, parameter, text)

    def _takes(self, number: int, parameter: Parameter, kind: DType) -> None:
        wants = parameter.dtype
        # A pointer to bytes is what Ascend C has for every tensor; bfloat16 has no type of its own in C
        if wants is None or wants == kind or wants.itemsize == 1 or (wants.name == "uint16" and kind.name == "bfloat16"):
            return
        raise TypeError(self._wrong(number, parameter, "points to %s, but the array has %s" % (wants, kind)))

    def _pointer(self, number: int, parameter: Parameter, value: Any, copied: "list[_Copied]", used: "list[Used]") -> int:
        if isinstance(value, (Array, HostArray)):
            self._takes(number, parameter, value.dtype)
            if value.device is not self.device:
                raise ValueError(self._wrong(number, parameter, "is an array of device %d, but the operator is on "
                                             "device %d" % (value.device.index, self.device.index)))
            used.append(value.memory)
            return value.ptr
        if value is None:
            return 0
        if hasattr(value, "__index__") and not getattr(value, "shape", False):
            return int(value.__index__())
        try:
            view = memoryview(value)
        except TypeError:
            raise TypeError(self._wrong(number, parameter, "takes an array, not %s" % type(value).__name__)) from None
        back = not parameter.read_only
        if back and view.readonly:
            raise ValueError(self._wrong(number, parameter, "may be written by the operator, but %s is read-only: "
                                         "give a writable array" % type(value).__name__))
        if self.device._captures:
            raise TypeError(self._wrong(number, parameter, "has to be a device array while work is recorded, because a "
                                        "copy of %s would not be recorded" % type(value).__name__))
        array = Array._of(self.device, value, None, None, False)
        self._takes(number, parameter, array.dtype)
        copied.append(_Copied(array, value, back))
        used.append(array.memory)
        return array.ptr

    def _value(self, number: int, parameter: Parameter, value: Any) -> bytes:
        kind = parameter.dtype
        if isinstance(value, (bytes, bytearray, memoryview)):
            data = bytes(value)
            if len(data) != parameter.size:
                raise ValueError(self._wrong(number, parameter, "has %d bytes, but %d were given"
                                             % (parameter.size, len(data))))
            return data
        try:
            if kind is not None and kind.itemsize == parameter.size:
                return kind.pack(value)
            if hasattr(value, "__index__"):
                number_ = value.__index__()
                return int(number_).to_bytes(parameter.size, "little", signed=number_ < 0)
        except (TypeError, ValueError):
            raise TypeError(self._wrong(number, parameter, "does not take %s" % type(value).__name__)) from None
        except OverflowError:
            raise OverflowError(self._wrong(number, parameter, "does not take %r: it does not fit" % (value,))) from None
        raise TypeError(self._wrong(number, parameter, "takes %d bytes as a bytes object, not %s"
                                    % (parameter.size, type(value).__name__)))

    def _in_order(self, arguments: "tuple[Any, ...]", named: "dict[str, Any]") -> "list[Any]":
        """All arguments in the order of the parameters, after the rules of Python's functions."""
        values = list(arguments)
        for parameter in self.parameters[len(values):]:
            if parameter.name not in named:
                break
            values.append(named.pop(parameter.name))
        if named:
            name = next(iter(named))
            known = any(p.name == name for p in self.parameters)
            raise TypeError("%s got %s '%s'; it is %s" % (self.name, "several values or too few before" if known
                                                          else "an unknown argument", name, self))
        if self.info.parameters is not None and len(values) != len(self.parameters):
            raise TypeError("%s takes %d arguments, but %d were given: %s"
                            % (self.name, len(self.parameters), len(values), self))
        return values

    def _block(self, values: "list[Any]", copied: "list[_Copied]", used: "list[Used]") -> bytearray:
        """The argument block."""
        block = bytearray(self.info.args_size)
        for number, (parameter, value) in enumerate(zip(self.parameters, values)):
            if parameter.pointer:
                pointer = self._pointer(number, parameter, value, copied, used)
                data = (pointer & (1 << 64) - 1).to_bytes(8, "little")
            else:
                data = self._value(number, parameter, value)
            block[parameter.offset:parameter.offset + len(data)] = data
        return block

    # Calls -------------------------------------------------------------------------------------------

    def __call__(self, *arguments: Any, blocks: int = 1, stream: Optional[Stream] = None, **named: Any) -> None:
        self._operators._alive()
        if self.info.parameters is None:
            raise TypeError("the file does not describe the parameters of %s: compile it with anpucc, or use "
                            "acl.rt.launch_kernel_with_host_args()" % self.name)
        target = stream_of(self.device, stream)
        copied: "list[_Copied]" = []
        used: "list[Used]" = [self._operators]
        block = self._block(self._in_order(arguments, named), copied, used)
        handle = target._use()
        with memoryview(block) as view:
            call(acl.rt.launch_kernel_with_host_args, self.handle, blocks, handle, None,
                 address(view) if block else 0, len(block), [], 0)
        ticket = target._ticket()
        for thing in used:
            thing.use(target, ticket)
        if copied:
            target.synchronize()
            for copy in copied:
                if copy.back:
                    self._back(copy)

    def _back(self, copy: _Copied) -> None:
        view = memoryview(copy.host)
        if view.c_contiguous:
            copy.array.copy_to(copy.host)
        else:
            copy.host[...] = copy.array.numpy()

    def __str__(self) -> str:
        if self.info.parameters is None:
            return "%s(%s)" % (self.name, UNKNOWN)
        return "%s(%s)" % (self.name, ", ".join(str(p) for p in self.parameters))

    def __repr__(self) -> str:
        return "<Kernel %s>" % self

    def _repr_html_(self) -> str:
        rows = [(p.name, p.type or ("pointer" if p.pointer else "value"), "%d bytes" % p.size) for p in self.parameters]
        return display.grid("%s, %s core" % (self.name, self.info.core), ("parameter", "type", "size"), rows)


class Operators(Used):
    """The operators of a file. Each is an attribute or found by its name: ops.add is ops["add"].

        ops = npu.load("vadd.o")
        ops.vadd_f32(x, y, z, 1000)
    """

    def __init__(self, device: Device, source: "Union[str, bytes, os.PathLike[str], bytearray, memoryview]") -> None:
        if isinstance(source, (bytes, bytearray, memoryview)):
            self.path: Optional[str] = None
            data = bytes(source)
        else:
            self.path = os.fspath(source)
            with open(self.path, "rb") as file:
                data = file.read()
        self._infos = read_kernels(data)
        device.activate()
        with memoryview(data) as view:
            self.handle = self._load(address(view) if data else 0, len(data))
        self._kernels: "dict[str, Kernel]" = {}
        super().__init__(device)

    @staticmethod
    def _load(ptr: int, length: int) -> int:
        binary = acl.rt.create_binary(ptr, length)
        if not binary:
            raise failed(acl.rt.peek_at_last_error(0), "acl.rt.create_binary")
        try:
            return int(call(acl.rt.binary_load, binary))
        finally:
            acl.rt.destroy_binary(binary)

    def _give_back(self) -> None:
        self.device._release(acl.rt.binary_unload, self.handle, self._busy)

    def __getitem__(self, name: str) -> Kernel:
        self._alive()
        known = self._kernels.get(name)
        if known is None:
            self.device.activate()
            try:
                handle = int(call(acl.rt.binary_get_function, self.handle, name))
            except AclError as error:
                if name in self._infos:
                    raise
                near = difflib.get_close_matches(name, self._infos, 1)
                raise KeyError("%s has no kernel '%s'%s; it has %s" % (
                    self.path or "this file", name, ", did you mean '%s'?" % near[0] if near else "",
                    ", ".join(self._infos) or "none")) from error
            info = self._infos.get(name) or KernelInfo(name, "any", None, 0)
            known = self._kernels[name] = Kernel(self, info, handle)
        return known

    def __getattr__(self, name: str) -> Kernel:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __dir__(self) -> "list[str]":
        return sorted(set(super().__dir__()) | set(self._infos))

    def __iter__(self) -> "Iterator[str]":
        return iter(self._infos)

    def __len__(self) -> int:
        return len(self._infos)

    def __contains__(self, name: object) -> bool:
        return name in self._infos

    def __repr__(self) -> str:
        if self.closed:
            return "<Operators, closed>"
        return "<Operators of %s: %s>" % (self.path or "bytes", ", ".join(self._infos))

    def _repr_html_(self) -> str:
        rows = [(i.name, i.core, ", ".join(str(p) for p in i.parameters) if i.parameters is not None else UNKNOWN)
                for i in self._infos.values()]
        return display.grid("Operators of %s" % (self.path or "bytes"), ("kernel", "core", "parameters"), rows)
