# SPDX-License-Identifier: MIT
"""scripts/ascendc-op on the operator project in project/: its tiling function decides, its kernel computes."""
import os
import shutil
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
    return own_structure() or own_among_others()


def census_of(files):
    """What the census says of files, which are pairs of name and text."""
    with tempfile.TemporaryDirectory() as tmp:
        for name, text in files:
            os.makedirs(os.path.dirname(os.path.join(tmp, name)), exist_ok=True)
            with open(os.path.join(tmp, name), "w", encoding="utf-8") as file:
                file.write(text)
        done = subprocess.run([os.path.join(os.path.dirname(OP), "ascendc-census"), tmp], capture_output=True, encoding="utf-8", check=False)
    return done.stdout + done.stderr


def own_among_others():
    """An operator whose op_host has another operator's definition and tiling data, too; its kernel names classes of both headers."""
    header = "BEGIN_TILING_DATA_DEF({0})\nTILING_DATA_FIELD_DEF(uint32_t, n);\nEND_TILING_DATA_DEF;\nREGISTER_TILING_DATA_CLASS({1}, {0})\n"
    define = 'this->Input("x").ParamType(REQUIRED).DataType({{ge::{0}}});\n'
    said = census_of((
        ("op_host/a_tiling.h", header.format("ATiling", "A")), ("op_host/b_tiling.h", header.format("BTiling", "B")),
        ("op_host/a.cpp", define.format("DT_FLOAT16")), ("op_host/b.cpp", define.format("DT_BF16")), ("op_host/c.cpp", define.format("DT_INT8")),
        ("op_kernel/b.cpp", '#include "kernel_operator.h"\nstatic_assert(AscendC::IsSameType<DTYPE_X, bfloat16_t>::value);\n'
                            '__aicore__ inline uint32_t both(const ATiling *a, const BTiling *b) { return a->n + b->n; }\n'
                            'extern "C" __global__ __aicore__ void b(GM_ADDR x, GM_ADDR tiling)\n'
                            '{ GET_TILING_DATA(data, tiling); ATiling a{1}; *x = both(&a, &data); }\n')))
    return "" if "1 of 1 files with a kernel compile" in said else said


def own_structure():
    """A source with the structure of its tiling data, beside another project whose op_host has one of that name."""
    said = census_of((("other/op_host/t.h", "BEGIN_TILING_DATA_DEF(OwnTiling)\nTILING_DATA_FIELD_DEF(uint32_t, n);\nEND_TILING_DATA_DEF;\n"),
                      ("one/own.cpp", '#include "kernel_operator.h"\nstruct OwnTiling { uint32_t n; };\n'
                       'extern "C" __global__ __aicore__ void own(GM_ADDR p, GM_ADDR tiling)\n'
                       '{ GET_TILING_DATA_WITH_STRUCT(OwnTiling, data, tiling); *p = data.n; }\n')))
    return "" if "1 of 1 files with a kernel compile" in said else said


RUNS = (("right", "x * 2", ""), ("wrong", "x * 2 + (x > 3)", "numbers differ by up to"), ("not tried", "no_module.x", "needs the Python module no_module"))


def runs(word, formula, why):
    """What is wrong with the answer of ascendc-runs for the project with a script gen_data.py that expects formula, or nothing."""
    with tempfile.TemporaryDirectory() as tmp:
        shutil.copytree(FOLDER, os.path.join(tmp, "p"))
        os.makedirs(os.path.join(tmp, "p", "examples"))
        with open(os.path.join(tmp, "p", "examples", "gen_data.py"), "w", encoding="utf-8") as file:
            file.write("import numpy\n" + ("import no_module\n" if "no_module" in formula else "") +
                       "x = numpy.random.uniform(-4, 4, (7, 30)).astype('float16')\nx.tofile('./input/input_x.bin')\n" +
                       f"({formula}).astype('float16').tofile('./output/golden.bin')\n")
        done = subprocess.run([os.path.join(os.path.dirname(OP), "ascendc-runs"), tmp], capture_output=True, encoding="utf-8", check=False)
    good = done.stdout.startswith(word) and why in done.stdout and (done.returncode == 0) == (word == "right")
    return "" if good else done.stdout + done.stderr


def whole_blocks():
    """What is wrong with a kernel that copies whole blocks of 32 bytes: it may read behind the end of its input, but not under --check."""
    with tempfile.TemporaryDirectory() as tmp:
        shutil.copytree(FOLDER, os.path.join(tmp, "p"))
        source = os.path.join(tmp, "p", "op_kernel", "scale_add_custom.cpp")
        with open(source, encoding="utf-8") as file:
            text = file.read()
        with open(source, "w", encoding="utf-8") as file:
            file.write(text.replace("DataCopyPad(a, xGm[at], copy, pad);", "DataCopy(a, xGm[at], AlignUp(now, 32 / uint32_t(sizeof(T))));"))
        command = [OP, "--build", tmp, os.path.join(tmp, "p"), "ScaleAddCustom", "x=f32[5]=1,2,3,4,5"]
        freely, checked = (subprocess.run(command + rest, capture_output=True, encoding="utf-8", check=False) for rest in ([], ["--", "--check"]))
    good = "y): f32[5] changed: 2 4 6 8 10" in freely.stdout and checked.returncode and "first byte behind argument 0" in checked.stderr
    return "" if good else freely.stdout + freely.stderr + checked.stdout + checked.stderr


def other_spelling():
    """What is wrong with a project whose files spell the operator's name with other underscores than the framework does."""
    with tempfile.TemporaryDirectory() as tmp:
        shutil.copytree(FOLDER, os.path.join(tmp, "p"))
        for old, new in (("op_host/scale_add_custom_tiling.h", "op_host/s_c_a_l_e_add_custom_tiling.h"),
                         ("op_kernel/scale_add_custom.cpp", "op_kernel/s_c_a_l_e_add_custom.cpp")):
            os.rename(os.path.join(tmp, "p", old), os.path.join(tmp, "p", new))
        done = subprocess.run([OP, os.path.join(tmp, "p"), "ScaleAddCustom", "x=f32[5]=1,2,3,4,5"], capture_output=True, encoding="utf-8",
                              check=False)
    return "" if "argument 2 (y): f32[5] changed: 2 4 6 8 10" in done.stdout else done.stdout + done.stderr
