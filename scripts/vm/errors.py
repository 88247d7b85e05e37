# SPDX-License-Identifier: MIT
"""Exit statuses of anpu-run that are not the program's own, and the exception that carries one."""

KERNEL_FAULT = 123
TIMEOUT = 124
FAILED = 125


class VmError(Exception):
    """One sentence for the user and an exit status."""

    def __init__(self, text, status=FAILED):
        super().__init__(text)
        self.status = status
