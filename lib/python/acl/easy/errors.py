# SPDX-License-Identifier: MIT
"""Failed calls as exceptions."""

import functools
from typing import Any, Callable, Optional

import acl

__all__ = ["AclError", "call", "error_name"]


@functools.lru_cache(maxsize=1)
def _names() -> "dict[int, str]":
    """The errors' names by code; ACL_ERROR_RT_* and the older ACL_ERROR_* have codes of their own."""
    return {value: name for name, value in vars(acl).items()
            if name.startswith("ACL_ERROR") and isinstance(value, int)}


def error_name(code: int) -> str:
    """The name of an error code in the headers, such as ACL_ERROR_RT_PARAM_INVALID, or "" if it has none."""
    return _names().get(code, "")


class AclError(RuntimeError):
    """A call failed.

    code: the error code, for example 107000
    name: its name in the headers, for example "ACL_ERROR_RT_PARAM_INVALID"
    function: the function that failed, for example "acl.rt.memcpy"
    sentence: what was wrong and what to do, as acl.get_recent_err_msg() tells; may be ""
    """

    def __init__(self, code: int, function: str, sentence: str = "") -> None:
        self.code = code
        self.name = error_name(code)
        self.function = function
        self.sentence = sentence.strip()
        super().__init__(code, function, self.sentence)

    def __str__(self) -> str:
        text = "%s() returned %d" % (self.function, self.code)
        if self.name:
            text += " (%s)" % self.name
        return text + (": " + self.sentence if self.sentence else "")


def failed(code: int, function: str) -> AclError:
    """The exception for a call of this thread that has just returned code."""
    return AclError(code, function, acl.get_recent_err_msg() or "")


def name_of(function: Callable[..., Any]) -> str:
    """How messages call a function of acl, for example acl.rt.malloc."""
    return "%s.%s" % (getattr(function, "__module__", None) or "acl", getattr(function, "__name__", "?"))


def at_exit(end: Callable[[], None], error: Optional[BaseException]) -> None:
    """Ends what a with statement began. A failure of that is not raised if another error left the statement: that one
    tells more."""
    try:
        end()
    except AclError:
        if error is None:
            raise


def call(function: Callable[..., Any], *arguments: Any, allow: "tuple[int, ...]" = ()) -> Any:
    """Calls a function of the exact layer and returns its results without the error code.

    call(acl.rt.malloc, 64, 0) returns the pointer; a function that only returns a code gives None, several results
    come as a tuple. AclError is raised unless the code is 0 or one of allow.
    """
    returned = function(*arguments)
    values: "Optional[tuple[Any, ...]]" = returned if isinstance(returned, tuple) else None
    code = values[-1] if values else returned
    if code != 0 and code not in allow:
        raise failed(code, name_of(function))
    if values is None:
        return None
    return values[0] if len(values) == 2 else values[:-1]
