# SPDX-License-Identifier: MIT
"""A second layer over acl for Python programmers: objects that give themselves back, exceptions, numpy arrays.

    from acl import easy

    with easy.Device() as npu:
        add = npu.load("vadd.o").vadd_f32
        z = npu.empty(3)
        add(npu.array([1.0, 2.0, 3.0]), npu.array([10.0, 20.0, 30.0]), z, 3)
        print(z.numpy())

acl.rt and the rest of acl know nothing of it. Handles and addresses of its objects (x.ptr, stream.handle) may be used there.
"""

from .array import Array
from .device import Device, current_device, device_count
from .dtypes import DType, dtype
from .errors import AclError, call, error_name
from .graph import Graph
from .host import HostArray
from .metadata import KernelInfo, Parameter, read_kernels
from .operators import Kernel, Operators
from .stream import Event, Stream

__all__ = ["AclError", "Array", "DType", "Device", "Event", "Graph", "HostArray", "Kernel", "KernelInfo", "Operators",
           "Parameter", "Stream", "call", "current_device", "device_count", "dtype", "error_name", "read_kernels"]
