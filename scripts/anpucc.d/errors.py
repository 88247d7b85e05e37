# SPDX-License-Identifier: MIT
"""Errors that the user can correct: one sentence that says what was wrong, where, and what to do."""
import sys


class OperatorError(Exception):
    """The operator cannot be built; the text is complete sentences for the user."""


class UsageError(OperatorError):
    """The command line is wrong."""


def warn(text):
    print(f"anpucc: warning: {text}", file=sys.stderr)
