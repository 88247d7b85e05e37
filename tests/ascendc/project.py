# SPDX-License-Identifier: MIT
"""scripts/ascendc-op on the operator project in project/: its tiling function decides, its kernel computes."""
import os
import subprocess
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
OP = os.path.join(os.path.dirname(os.path.dirname(HERE)), "scripts", "ascendc-op")
FOLDER = os.path.join(HERE, "project")
# What is said of each command line; the exit status is 0 if and only if the first word is not "ascendc-op:"
CASES = (
    ("half with a bias, shapes inferred", ["ScaleAddCustom", "x=f16[3,700]=iota", "bias=f16[3,700]=1", "--attr", "scale=0.5", "--", "--check"],
     "argument 2 (y): f16[2100] changed: 1 1.5 2 2.5 3"),
    ("float, an optional input is null", ["ScaleAddCustom", "x=f32[5]=1,2,3,4,5"], "argument 2 (y): f32[5] changed: 2 4 6 8 10"),
    ("its decisions", ["ScaleAddCustom", "x=f32[3000]", "--show"], '"blocks": 6,'),
    ("a missing input", ["ScaleAddCustom", "bias=f32[5]=1"], "ascendc-op: tiling fails:\nascendc-op: error: input 'x' of the operator is not given"),
    ("an unknown operator", ["Other", "x=f32[5]=1"], "ascendc-op: tiling fails:\nascendc-op: error: the sources define no operator 'Other'; "
     "they define: ScaleAddCustom"),
    ("an unknown attribute", ["ScaleAddCustom", "x=f32[5]=1", "--attr", "size=2"], "ascendc-op: tiling fails:\nascendc-op: error: the operator has no "
     "attribute 'size'"),
)


def one(case, build):
    """A case's name and what was wrong, or nothing. The program of op_host is kept in build, which is a folder."""
    name, words, want = case
    done = subprocess.run([OP, "--build", build, FOLDER] + words, capture_output=True, encoding="utf-8", check=False)
    said = done.stdout + done.stderr
    right = want in said and (done.returncode == 0) != want.startswith("ascendc-op:")
    return name, "" if right else said or f"exit status {done.returncode}"


def census():
    """What is wrong with the census of the project, or nothing: its types and its first and last tiling key are found."""
    done = subprocess.run([os.path.join(os.path.dirname(OP), "ascendc-census"), FOLDER], capture_output=True, encoding="utf-8", check=False)
    if "1 of 1 files with a kernel compile" not in done.stdout:
        return done.stdout + done.stderr
    return own_structure()


def own_structure():
    """A source with the structure of its tiling data, beside another project whose op_host has one of that name."""
    with tempfile.TemporaryDirectory() as tmp:
        for name, text in (("other/op_host/t.h", "BEGIN_TILING_DATA_DEF(OwnTiling)\nTILING_DATA_FIELD_DEF(uint32_t, n);\nEND_TILING_DATA_DEF;\n"),
                           ("one/own.cpp", '#include "kernel_operator.h"\nstruct OwnTiling { uint32_t n; };\n'
                            'extern "C" __global__ __aicore__ void own(GM_ADDR p, GM_ADDR tiling)\n'
                            '{ GET_TILING_DATA_WITH_STRUCT(OwnTiling, data, tiling); *p = data.n; }\n')):
            os.makedirs(os.path.dirname(os.path.join(tmp, name)), exist_ok=True)
            with open(os.path.join(tmp, name), "w", encoding="utf-8") as file:
                file.write(text)
        done = subprocess.run([os.path.join(os.path.dirname(OP), "ascendc-census"), tmp], capture_output=True, encoding="utf-8", check=False)
    return "" if "1 of 1 files with a kernel compile" in done.stdout else done.stdout + done.stderr
