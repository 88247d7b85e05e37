# SPDX-License-Identifier: MIT
"""The samples in Python, as a user starts them; each prints what the file of its name has."""

import os
import re
import subprocess
import sys

import pytest

from conftest import TOP

SAMPLES = os.path.join(TOP, "tests/samples/python")
NAMES = sorted(f[:-3] for f in os.listdir(SAMPLES) if f.endswith(".py"))
OPERATORS = {"argument_list": ["build/tests/python/arguments.o"]}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Output, errors and status of each sample, and of the page's program."""
    directory = tmp_path_factory.mktemp("samples")
    jobs = ["%s=%s" % (name, "=".join([os.path.join(SAMPLES, name + ".py"), *OPERATORS.get(name, [])])) for name in NAMES]
    with open(os.path.join(TOP, "Documentation/python.md"), encoding="utf-8") as page:
        (directory / "page.py").write_text(re.search(r"```python\n(.*?)```", page.read(), re.S)[1])
    jobs.append("page=%s" % (directory / "page.py"))
    run = subprocess.run([sys.executable, os.path.join(TOP, "tests/python/run_samples.py"), str(directory), *jobs],
                         cwd=TOP, stdout=subprocess.PIPE, text=True, check=True)
    return {name: ((directory / (name + ".out")).read_text(), (directory / (name + ".err")).read_text(), int(status))
            for name, status in (line.split() for line in run.stdout.splitlines())}


@pytest.mark.parametrize("name", NAMES)
def test_sample(results, name):
    with open(os.path.join(SAMPLES, name + ".py"), encoding="utf-8") as file:
        if "import numpy" in file.read():
            pytest.importorskip("numpy", reason="python3-numpy is missing")
    with open(os.path.join(SAMPLES, name + ".txt"), encoding="utf-8") as file:
        expected = file.read()
    out, errors, status = results[name]
    assert (errors, status) == ("", 0)
    assert out == expected


def test_program_of_the_page(results):
    """The first program of Documentation/python.md."""
    pytest.importorskip("numpy", reason="python3-numpy is missing")
    out, errors, status = results["page"]
    assert (out, errors, status) == ("[11. 22. 33.]\n", "", 0)
