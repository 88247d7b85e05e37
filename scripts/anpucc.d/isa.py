# SPDX-License-Identifier: MIT
"""The numbers of include/anpu/anpu_isa.h that anpucc needs, read from the header itself."""
import os
import re

from errors import OperatorError

HERE = os.path.dirname(os.path.realpath(__file__))


def include_dir():
    """The directory that holds anpu/anpu_isa.h: of the source tree or of the installation."""
    for up in ("../../include", "../../../include"):
        path = os.path.normpath(os.path.join(HERE, up))
        if os.path.isfile(os.path.join(path, "anpu", "anpu_isa.h")):
            return path
    raise OperatorError(f"the headers that belong to anpucc (anpu/anpu_isa.h) are neither in "
                        f"{os.path.normpath(os.path.join(HERE, '../../include'))} nor in "
                        f"{os.path.normpath(os.path.join(HERE, '../../../include'))}: the "
                        f"installation is incomplete, run make install again")


class Isa:
    """Constants and X-macro tables of anpu_isa.h."""

    def __init__(self, path=None):
        self.path = path or os.path.join(include_dir(), "anpu", "anpu_isa.h")
        with open(self.path, encoding="utf-8") as file:
            self.text = file.read()
        part = os.path.join(os.path.dirname(self.path), "anpu_isa_threads.h")
        if os.path.isfile(part):
            with open(part, encoding="utf-8") as file:
                self.text += file.read()

    def constant(self, name):
        """The value of a plain #define."""
        found = re.search(r'^#define\s+' + name + r'\s+(\S.*?)\s*(?:/\*.*)?$', self.text, re.M)
        if not found:
            raise OperatorError(f"{self.path} does not define {name}: anpucc and the header are of "
                                f"different versions")
        value = found.group(1)
        return value.strip('"') if value.startswith('"') else int(value, 0)

    def table(self, name):
        """The rows of #define NAME(X) as lists of words, strings without their quotes."""
        found = re.search(r'^#define\s+' + name + r'\(X\)\s*\\\n((?:.*\\\n)*.*)$', self.text, re.M)
        if not found:
            raise OperatorError(f"{self.path} has no table {name}: anpucc and the header are of "
                                f"different versions")
        rows = []
        for row in re.finditer(r'X\(((?:[^()"]|"(?:[^"\\]|\\.)*")*)\)', found.group(1)):
            words = re.findall(r'"(?:[^"\\]|\\.)*"|[^,\s][^,]*', row.group(1))
            rows.append([w.strip()[1:-1] if w.strip().startswith('"') else w.strip() for w in words])
        return rows

    def meta(self, record):
        for row in self.table("ANPU_META_RECORDS"):
            if row[0] == record:
                return int(row[1], 0)
        raise OperatorError(f"{self.path} has no meta record {record}")
