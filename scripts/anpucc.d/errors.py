# SPDX-License-Identifier: MIT
"""How anpucc reports what the user can mend: one sentence, what was wrong, where, what to do."""
import sys


class OperatorError(Exception):
    """The operator cannot be built; the text is complete sentences for the user."""


class UsageError(OperatorError):
    """The command line is wrong."""


def warn(text):
    print(f"anpucc: warning: {text}", file=sys.stderr)
