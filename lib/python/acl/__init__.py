# SPDX-License-Identifier: MIT
"""The AscendCL runtime for Python, as documented: acl.rt, acl.mdl, acl.util and the functions and constants of acl.

Each function is called as in C, but returns its results: value, ret = acl.rt.create_event(). Pointers and handles are
int. help(acl.rt.launch_kernel) tells what a function takes and returns. acl.easy is a second layer with objects.
"""

try:
    from . import _acl as _module
except ImportError as _error:
    # A machine without libdrm has the wheel's own, which libascendcl.so finds once it is loaded
    _path = __path__[0] + "/libdrm.so.2"
    if "libdrm" not in str(_error) or not __import__("os").path.exists(_path):
        raise
    __import__("ctypes").CDLL(_path)
    del _path

from ._acl import *  # noqa: F401,F403
from ._acl import mdl, media, rt, util  # noqa: F401

_PART = ("this module has the runtime part of pyACL: acl.rt, acl.util, graphs in acl.mdl, operators from *.o. Offline models (*.om), "
         "acl.op and acl.media (but for dvpp_malloc and dvpp_free) need a compiler or units that this NPU does not have; Documentation/python-api.md lists what is there")


def _explain_missing(module, title):
    """Programs that use other parts of pyACL shall learn why those are not here."""
    def __getattr__(name):
        text = "module '%s' has no attribute '%s'" % (title, name)
        raise AttributeError(text if name.startswith("__") else text + ": " + _PART, name=name, obj=module)
    return __getattr__


for _module, _title in ((rt, "acl.rt"), (mdl, "acl.mdl"), (util, "acl.util"), (media, "acl.media")):
    _module.__getattr__ = _explain_missing(_module, _title)
__getattr__ = _explain_missing(__import__("sys").modules[__name__], "acl")
del _module, _title
