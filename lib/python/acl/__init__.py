# SPDX-License-Identifier: MIT
"""The AscendCL runtime for Python, as documented: acl.rt, acl.mdl, acl.util and the functions and constants of acl.

Each function is called as in C, but returns its results: value, ret = acl.rt.create_event(). Pointers and handles are
int. help(acl.rt.launch_kernel) tells what a function takes and returns. acl.easy is a second layer with objects.
"""

from ._acl import *  # noqa: F401,F403
from ._acl import mdl, rt, util  # noqa: F401
