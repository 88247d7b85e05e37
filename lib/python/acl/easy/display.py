# SPDX-License-Identifier: MIT
"""How objects show themselves in text and in notebooks."""

import html
import importlib
import sys
from typing import Any, Iterable, Optional


def size(nbytes: float) -> str:
    """A number of bytes as people say it."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if nbytes < 1024 or unit == "GiB":
            break
        nbytes /= 1024
    return "%g %s" % (round(nbytes, 1), unit)


def table(title: str, rows: "Iterable[tuple[str, str]]") -> str:
    """A table of names and values in HTML; everything in it is escaped."""
    lines = "".join("<tr><th style='text-align:left'>%s</th><td style='text-align:left'>%s</td></tr>"
                    % (html.escape(name), html.escape(value)) for name, value in rows)
    return "<table><caption style='text-align:left'><b>%s</b></caption>%s</table>" % (html.escape(title), lines)


def grid(title: str, heads: "Iterable[str]", rows: "Iterable[Iterable[str]]") -> str:
    """A table with a row of headings in HTML."""
    head = "".join("<th style='text-align:left'>%s</th>" % html.escape(h) for h in heads)
    body = "".join("<tr>%s</tr>" % "".join("<td style='text-align:left'>%s</td>" % html.escape(c) for c in row)
                   for row in rows)
    return ("<table><caption style='text-align:left'><b>%s</b></caption><tr>%s</tr>%s</table>"
            % (html.escape(title), head, body))


class Progress:
    """tqdm's bar for a long copy, or nothing.

    wanted: True always, False never, None if the copy is long and a person looks. Without tqdm there is no bar.
    """
    LONG = 64 << 20

    def __init__(self, nbytes: int, what: str, wanted: Optional[bool]) -> None:
        self.bar: Any = None
        if wanted is None:
            wanted = nbytes >= self.LONG and sys.stderr is not None and sys.stderr.isatty()
        if wanted:
            try:
                self.bar = importlib.import_module("tqdm.auto").tqdm(
                    total=nbytes, desc=what, unit="B", unit_scale=True, unit_divisor=1024)
            except ImportError:
                pass

    def add(self, nbytes: int) -> None:
        if self.bar is not None:
            self.bar.update(nbytes)

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.close()
