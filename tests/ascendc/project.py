# SPDX-License-Identifier: MIT
"""scripts/ascendc-op on the operator project in project/: its tiling function decides, its kernel computes."""
import importlib.machinery
import importlib.util
import os
import re
import shutil
import struct
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
    ("an output has its first value where the kernel writes nothing", ["ScaleAddCustom", "x=f32[5]=1,2,3,4,5", "y=f32[8]"],
     "argument 2 (y): f32[8] changed: 2 4 6 8 10 0.25 0.25 0.25"),
    ("another device", ["ScaleAddCustom", "x=f32[5]=1,2,3,4,5", "--soc", "Ascend950"], "argument 2 (y): f32[5] changed: 2 4 6 8 10"),
    ("its decisions", ["ScaleAddCustom", "x=f32[3000]", "--show"], '"blocks": 6,'),
    ("a missing input", ["ScaleAddCustom", "bias=f32[5]=1"], "ascendc-op: tiling fails:\nascendc-op: error: input 'x' of the operator is not given"),
    ("an unknown operator", ["Other", "x=f32[5]=1"], "ascendc-op: tiling fails:\nascendc-op: error: the sources define no operator 'Other'; "
     "they define: ScaleAddCustom"),
    ("types that the definition lacks", ["ScaleAddCustom", "x=s32[5]=1"], "ascendc-op: tiling fails:\nascendc-op: error: the operator's definition has no such "
     "combination of types (those at the same place in the lists go together; --any-type tries it all the same): x=DT_FLOAT,DT_FLOAT16 (given: "
     "DT_INT32) bias=DT_FLOAT,DT_FLOAT16 y=DT_FLOAT,DT_FLOAT16"),
    ("types that do not go together", ["ScaleAddCustom", "x=f16[5]=1", "bias=f32[5]=1"], "ascendc-op: tiling fails:\nascendc-op: error: the operator's "
     "definition has no such combination of types"),
    ("types that the definition lacks, with --any-type", ["ScaleAddCustom", "--any-type", "x=s32[5]=1,2,3,4,5"],
     "argument 2 (y): s32[5] changed: 2 4 6 8 10"),
    ("the operator's own message", ["ScaleAddCustom", "x=f32[5]=1", "--attr", "scale=-1"],
     "ascendc-op: tiling fails:\n[ERROR] ScaleAddCustom: scale is -1"),
    ("the same by another macro", ["ScaleAddCustom", "x=f32[5]=1", "--attr", "scale=-2"],
     "ascendc-op: tiling fails:\n[ERROR] ScaleAddCustom: scale is minus two"),
    ("a check with a message of its own", ["ScaleAddCustom", "x=f32[5]=1", "--attr", "scale=-4"],
     "ascendc-op: tiling fails:\n[ERROR] ScaleAddCustom: scale is minus four"),
    ("a check with a message", ["ScaleAddCustom", "x=f32[5]=1", "--attr", "scale=-5"], "ascendc-op: tiling fails:\n[ERROR] ScaleAddCustom: scale is minus five"),
    ("messages with a level, and with a code", ["ScaleAddCustom", "x=f32[5]=1", "--attr", "scale=-3"], "ascendc-op: tiling fails:\n"
     "[ERROR] module 63 tiling: scale is minus three\n[ERROR] module 63: recorded 3\n[ERROR] Checked: logged 3\n"
     "[ERROR] E99999: scale is -3\n[ERROR] E89999: \n[ERROR] E10003: name=scale value=-3"),
    ("an unknown attribute", ["ScaleAddCustom", "x=f32[5]=1", "--attr", "size=2"], "ascendc-op: tiling fails:\nascendc-op: error: the operator has no "
     "attribute 'size'"),
)


# A kernel that is a template: its arguments are in the tiling key
TEMPLATE = os.path.join(HERE, "template")
TEMPLATE_CASES = (
    ("template for float", ["TemplateAdd", "x=f32[4]=iota", "y=f32[4]"], "argument 1 (y): f32[4] changed: 1 2 3 4"),
    ("template for half, negative", ["TemplateAdd", "x=f16[4]=iota", "y=f16[4]", "--attr", "negative=true"],
     "argument 1 (y): f16[4] changed: -1 -2 -3 -4"),
    ("template by another selection", ["TemplateAdd", "x=f16[4]=iota", "y=f16[4]", "--attr", "mode=9", "--attr", "negative=true"],
     "argument 1 (y): f16[4] changed: -2 -4 -6 -8"),
    ("template that is a MIX kernel", ["TemplateAdd", "x=f32[4]=iota", "y=f32[4]", "--attr", "mode=100"],
     "template_add: 1 blocks of 1 cube and 2 vector parts"),
    ("the key of a template: 1 | 4 << 8 | 2 << 12 | 1 << 20", ["TemplateAdd", "x=f16[4]", "y=f16[4]", "--attr", "mode=9", "--attr", "negative=true", "--show"],
     f'"key": {1 | 4 << 8 | 2 << 12 | 1 << 20},'),
    ("template that is not selected", ["TemplateAdd", "x=f32[4]", "y=f32[4]", "--attr", "mode=9"], "ascendc-op: tiling fails:\nGET_TPL_TILING_KEY: operator "
     "'TemplateAdd' has no selection (ASCENDC_TPL_ARGS_SEL) with the values 0, 9, 2, 0"),
    ("a value that the template does not declare", ["TemplateAdd", "x=f32[4]", "y=f32[4]", "--attr", "mode=3"], "ascendc-op: tiling fails:\n"
     "GET_TPL_TILING_KEY: operator 'TemplateAdd': parameter 'MODE' cannot be 3; it is declared with 4 bits of the key and the values 1, 2, 4, 5, 9, 100"),
)


# An input and an output that are lists of tensors: 10, 100 for each dimension and 1000 for the last one are added
LISTS = os.path.join(HERE, "lists")
LISTS_CASES = (
    ("lists of two tensors", ["AddLists", "x=f32[2,3]=1,2,3,4,5,6", "x=f32[2]=7,8", "add=f32[1]=10", "y=f32[2,3]", "y=f32[2]"],
     "argument 7: f32[2,3] changed: 3211 3212 3213 3214 3215 3216\nargument 8: f32[2] changed: 2117 2118\n"),
    ("lists of one tensor", ["AddLists", "x=f32[2,1,4]=0", "add=f32[1]=10", "y=f32[2,1,4]"], "argument 6: f32[2,1,4] changed: 4310 4310 4310"),
    ("a list's types", ["AddLists", "x=f32[2]=1", "x=f16[2]=1", "add=f32[1]=10", "y=f32[2]", "y=f32[2]"], "ascendc-op: tiling fails:\n"
     "ascendc-op: error: the operator's definition has no such combination of types"),
)


def template_keys(tmp):
    """What is wrong with anpucc's answers to a key that no selection has, and to no key at all, or nothing."""
    source, obj = os.path.join(TEMPLATE, "op_kernel", "template_add.cpp"), os.path.join(tmp, "t.o")
    tools = os.path.dirname(OP)
    run = [[os.path.join(tools, "anpucc"), "-DANPU_TILING_KEY=7", "-o", obj, source], [os.path.join(tools, "anpucc"), "-o", obj, source],
           [os.path.join(os.path.dirname(tools), "build", "tools", "anpu-op"), "--cast", obj, "template_add", "null", "null", "null", "null"]]
    wrong, none, trap = (subprocess.run(command, capture_output=True, encoding="utf-8", check=False) for command in run)
    good = ("has no selection (ASCENDC_TPL_ARGS_SEL) with the tiling key 7; it has 8960, 1057536, 8961, 1057537, 1057793, 9472" in wrong.stderr and
            not none.returncode and trap.returncode and "the key is not known; compile with -DANPU_TILING_KEY=KEY" in trap.stdout + trap.stderr)
    return "" if good else wrong.stderr + none.stderr + trap.stdout + trap.stderr


def one(case, build, folder=FOLDER):
    """A case's name and what was wrong, or nothing. The program of op_host is kept in build, which is a folder."""
    name, words, want = case
    done = subprocess.run([OP, "--build", build, folder] + words, capture_output=True, encoding="utf-8", check=False)
    said = done.stdout + done.stderr
    right = want in said and (done.returncode == 0) != want.startswith("ascendc-op:")
    return name, "" if right else said or f"exit status {done.returncode}"


def census():
    """What is wrong with the census of the project, or nothing: its types and its first and last tiling key are found."""
    done = subprocess.run([os.path.join(os.path.dirname(OP), "ascendc-census"), FOLDER], capture_output=True, encoding="utf-8", check=False)
    if "1 of 1 files with a kernel compile" not in done.stdout:
        return done.stdout + done.stderr
    return macros_of_the_build() or own_structure() or own_among_others() or newest_core() or a_type_of_its_own() or paths_upwards()


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


def newest_core():
    """A kernel for the newest core in a folder of its own, with tiling data of the same name in op_host's folder of that name, and a header
    that op_host has, too."""
    header = "BEGIN_TILING_DATA_DEF(OneTiling)\nTILING_DATA_FIELD_DEF(uint32_t, {0});\nEND_TILING_DATA_DEF;\nREGISTER_TILING_DATA_CLASS(One, OneTiling)\n"
    kernel = '#include "kernel_operator.h"\n#include "shared.h"\nstatic_assert(__NPU_ARCH__ == {0});\n' \
             'extern "C" __global__ __aicore__ void one(GM_ADDR x, GM_ADDR tiling) {{ GET_TILING_DATA(data, tiling); *x = data.{1} + SHARED; }}\n'
    said = census_of((("one/op_host/one_tiling.h", header.format("plain")), ("one/op_host/arch35/one_tiling.h", header.format("newest")),
                      ("one/op_kernel/one.cpp", kernel.format(2201, "plain")), ("one/op_kernel/arch35/one.cpp", kernel.format(3510, "newest")),
                      ("common/op_host/shared.h", "#include <map>\nstd::map<int, int> none;\n"), ("common/op_kernel/shared.h", "#define SHARED 1\n")))
    return "" if "2 of 2 files with a kernel compile" in said else said


def paths_upwards():
    """A header by a path that is right where the build copies the operator to, and one that does not exist."""
    kernel = '#include "kernel_operator.h"\n#include "../../../../common/shared.h"\n{0}extern "C" __global__ __aicore__ void up(GM_ADDR x) {{ *x = SHARED; }}\n'
    said = census_of((("src/up/op_kernel/up.cpp", kernel.format("")), ("src/common/shared.h", "#define SHARED 1\n"),
                      ("src/none/op_kernel/none.cpp", kernel.format('#include "../../../common/none.h"\n'))))
    return "" if "1 of 2 files with a kernel compile" in said and "header '../../../common/none.h'" in said else said


def a_type_of_its_own():
    """A parameter of a template with a name like those that the framework defines."""
    said = census_of((("op_kernel/own.cpp", '#include "kernel_operator.h"\ntemplate <typename DTYPE_F, class DTYPE_I> class Own {};\n'
                       'extern "C" __global__ __aicore__ void own(GM_ADDR x) { Own<float, int> o; *x = sizeof(o); }\n'),))
    return "" if "1 of 1 files with a kernel compile" in said else said


def own_structure():
    """A source with the structure of its tiling data, beside another project whose op_host has one of that name."""
    said = census_of((("other/op_host/t.h", "BEGIN_TILING_DATA_DEF(OwnTiling)\nTILING_DATA_FIELD_DEF(uint32_t, n);\nEND_TILING_DATA_DEF;\n"),
                      ("one/own.cpp", '#include "kernel_operator.h"\nstruct OwnTiling { uint32_t n; };\n'
                       'extern "C" __global__ __aicore__ void own(GM_ADDR p, GM_ADDR tiling)\n'
                       '{ GET_TILING_DATA_WITH_STRUCT(OwnTiling, data, tiling); *p = data.n; }\n'), ("two/own.cpp", '#include "kernel_operator.h"\n'
                       'struct alignas(8) OwnTiling { uint32_t n; };\nextern "C" __global__ __aicore__ void own(GM_ADDR p, GM_ADDR tiling)\n'
                       '{ GET_TILING_DATA_WITH_STRUCT(OwnTiling, data, tiling); *p = data.n; }\n')))
    return "" if "2 of 2 files with a kernel compile" in said else said


def macros_of_the_build():
    """A kernel that wants what its build files define for kernels, and not what they define for others or under conditions."""
    said = census_of((("CMakeLists.txt", "set(WIDTH 64)\nadd_compile_definitions(EVERYWHERE)\n"), ("cmake/npu_lib.cmake",
                       "ascendc_library(kernels_${RUN_MODE} STATIC ${KERNEL_FILES})\nascendc_compile_definitions(kernels_${RUN_MODE} PRIVATE\n"
                       "  $<$<BOOL:$<IN_LIST:${SOC_VERSION},${OLD}>>:OLD> # a comment\n  -DHAVE_WORKSPACE TILE=32 X=${NOT_SET})\n"
                       "target_compile_definitions(main PRIVATE HOST_ONLY)\nif(SOME)\n  if(MORE)\n  endif()\n  add_compile_definitions(SOMETIMES)\nendif()\n"),
                      ("k/CMakeLists.txt", "set(ROWS 8)\nadd_ops_compile_options(ALL OPTIONS -DROWS=${ROWS} -DTILE=64 -g)\n"),
                      ("k/op_kernel/k.cpp", '#include "kernel_operator.h"\n#if !defined(EVERYWHERE) || !defined(HAVE_WORKSPACE) || defined(OLD) || defined(X) ||'
                       ' defined(HOST_ONLY) || defined(SOMETIMES)\n#error\n#endif\nstatic_assert(TILE == 64 && ROWS == 8);\n'
                       'extern "C" __global__ __aicore__ void k(GM_ADDR p) { *p = TILE; }\n')))
    return "" if "1 of 1 files with a kernel compile" in said else said


RUNS = (("right", "x * 2", ""), ("wrong", "x * 2 + (x > 3)", "numbers differ by up to", "AclNNInvocation/scripts"), ("not tried", "no_module.x", "needs the Python module no_module"))


def runs(word, formula, why, where="p/examples"):
    """What is wrong with the answer of ascendc-runs for the project p with a script gen_data.py in a folder that expects formula, or nothing."""
    with tempfile.TemporaryDirectory() as tmp:
        shutil.copytree(FOLDER, os.path.join(tmp, "p"))
        os.makedirs(os.path.join(tmp, where))
        with open(os.path.join(tmp, where, "gen_data.py"), "w", encoding="utf-8") as file:
            file.write("import numpy\n" + ("import no_module\n" if "no_module" in formula else "") +
                       "x = numpy.random.uniform(-4, 4, (7, 30)).astype('float16')\nx.tofile('./input/input_x.bin')\n" +
                       f"({formula}).astype('float16').tofile('./output/golden.bin')\n")
        done = subprocess.run([os.path.join(os.path.dirname(OP), "ascendc-runs"), tmp], capture_output=True, encoding="utf-8", check=False)
    good = done.stdout.startswith(word) and why in done.stdout and (done.returncode == 0) == (word == "right")
    return "" if good else done.stdout + done.stderr


def judges():
    """What is wrong with the answers to what scripts verify_result.py print, or nothing."""
    runs_file = os.path.join(os.path.dirname(OP), "ascendc-runs")
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("runs", importlib.machinery.SourceFileLoader("runs", runs_file)))
    module.__loader__.exec_module(module)
    bad = ""
    # inputs by the names of their files where all have one, else as they come
    for files, want in ((("input_x", "input_dy"), ["input_dy", "input_x"]), (("a", "b"), ["a", "b"]), (("dy", "input_z"), ["dy", "input_z"])):
        got = [path for path, _, _ in module.by_names(["dy", "x"], [(f, "float16", (1,)) for f in files])]
        bad += f"inputs {files} are given as {got}\n" if got != want else ""
    with tempfile.TemporaryDirectory() as tmp:
        verify = os.path.join(tmp, "verify_result.py")
        for said, want in (("error ratio: 0.0000, tolerance: 0.0001\ntest pass", ""), ("[ERROR] result error", "wrong"), ("verify failed", "wrong"), ("", "")):
            with open(verify, "w", encoding="utf-8") as file:
                file.write(f"print({said!r})\n")
            try:
                module.judge(verify, "a", "b", "", tmp)
                got = ""
            except module.Answer as answer:
                got = answer.word
            bad += f"'{said}' is {got or 'right'}\n" if got != want else ""
        # what the script is given: two files, or what the project's own texts give it if all of that is there
        for name in ("out.bin", "golden.bin", "in.bin"):
            with open(os.path.join(tmp, name), "w", encoding="utf-8"):
                pass
        with open(verify, "w", encoding="utf-8") as file:
            file.write("import sys\nprint('fail ' + ' '.join(sys.argv[1:]))\n")
        for text, want in (("", "out.bin golden.bin"), ("python3 scripts/verify_result.py out.bin golden.bin 0.01 \\\n  in.bin && echo ok\n", "out.bin golden.bin 0.01 in.bin"),
                           ("python3 $CURRENT_DIR/verify_result.py -n=2 $CURRENT_DIR/out.bin ./golden.bin\n", f"-n=2 {tmp}/out.bin ./golden.bin"),
                           ("python3 verify_result.py out.bin $GOLDEN\n", "out.bin golden.bin"), ("python3 verify_result.py out.bin none.bin\n", "out.bin golden.bin"),
                           ("# python3 verify_result.py in.bin in.bin\n", "out.bin golden.bin")):
            with open(os.path.join(tmp, "run.sh"), "w", encoding="utf-8") as file:
                file.write(text)
            try:
                module.judge(verify, os.path.join(tmp, "out.bin"), os.path.join(tmp, "golden.bin"), "", tmp)
                bad += "verify_result.py was not run\n"
            except module.Answer as answer:
                bad += f"verify_result.py was given '{answer.why}' by {text!r}\n" if answer.why != "fail " + want else ""
        os.unlink(os.path.join(tmp, "run.sh"))
        # what cmake is told for projects of the language CCE, and of another
        for text, want in (("project(a LANGUAGES CCE CXX)", "-Dsmoke_testcase=add"), ("# CCE\nproject(a CXX)", None)):
            for name in ("CMakeLists.txt", "add.cpp", "main.cpp"):
                with open(os.path.join(tmp, name), "w", encoding="utf-8") as file:
                    file.write(text)
            got = (module.operators_language(tmp) or [None])[0]
            bad += f"'{text}': {got}\n" if got != want else ""
    return bad


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


def shapes_of_files():
    """What is wrong with tensors whose type is given and whose shape is that of a file: numpy's, raw, of another type, and none."""
    with tempfile.TemporaryDirectory() as tmp:
        header = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 700), }".ljust(117) + "\n"
        with open(os.path.join(tmp, "x.npy"), "wb") as file:
            file.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + struct.pack("<2100f", *range(2100)))
        with open(os.path.join(tmp, "x.bin"), "wb") as file:
            file.write(struct.pack("<2101f", *range(2101)))
        with open(os.path.join(tmp, "odd.bin"), "wb") as file:
            file.write(b"12345")
        said = []
        for word in ("x=f32=@x.npy", "x=f32=@x.bin", "x=f16=@x.npy", "x=f32=@odd.bin", "x=f32=@none.bin"):
            done = subprocess.run([OP, "--build", tmp, FOLDER, "ScaleAddCustom", word, "--attr", "scale=2", "--show"], cwd=tmp, capture_output=True,
                                  encoding="utf-8", check=False)
            said.append(re.sub(r"\s+", "", done.stdout) + done.stderr)
    wanted = ('"dims":[3,700]', '"dims":[2101]', "elements of type f32, tensor 'x' of f16; say x=@x.npy", "5 bytes, which are no whole number of elements of f32 (4 bytes)",
              "'none.bin', the source of tensor 'x', is no file")
    return "\n".join(f"want '{want}'\n{got}" for want, got in zip(wanted, said) if want not in got)


# An operator in place with an optional input and output that are never given: the input keeps its place among the others. Its header has no semicolon behind END_TILING_DATA_DEF
IN_PLACE = (("op_host/gather_up_tiling.h", '#include "register/tilingdata_base.h"\nnamespace optiling {\nBEGIN_TILING_DATA_DEF(GatherUpTiling)\n'
             'TILING_DATA_FIELD_DEF(uint32_t, n);\nEND_TILING_DATA_DEF\nREGISTER_TILING_DATA_CLASS(GatherUp, GatherUpTiling)\n}\n'),
            ("op_host/gather_up.cpp", '''#include "gather_up_tiling.h"
#include "register/op_def_registry.h"
namespace optiling {
static ge::graphStatus Tiling(gert::TilingContext *context)
{
	GatherUpTiling tiling;
	int64_t n = context->GetInputShape(0)->GetStorageShape().GetShapeSize();

	if (n == gert::Shape::kInvalidDimValue || context->GetInputShape(1) || context->GetInputDesc(1))
		return ge::GRAPH_FAILED;
	if (!context->GetInputShape(2) || context->GetInputShape(2)->GetStorageShape().GetShapeSize() != n || context->GetInputShape(3))
		return ge::GRAPH_FAILED;
	tiling.set_n(n);
	context->SetBlockDim(1);
	tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
	context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
	return ge::GRAPH_SUCCESS;
}
}
namespace ops {
class GatherUp : public OpDef {
public:
	explicit GatherUp(const char *name) : OpDef(name)
	{
		this->Input("x").ParamType(REQUIRED).DataType({ge::DT_INT32}).Format({ge::FORMAT_ND});
		this->Input("never").ParamType(OPTIONAL).DataType({ge::DT_INT32}).Format({ge::FORMAT_ND});
		this->Input("y").ParamType(REQUIRED).DataType({ge::DT_INT32}).Format({ge::FORMAT_ND});
		this->Output("x").ParamType(REQUIRED).DataType({ge::DT_INT32}).Format({ge::FORMAT_ND});
		this->Output("also").ParamType(OPTIONAL).DataType({ge::DT_INT32}).Format({ge::FORMAT_ND});
		this->AICore().SetTiling(optiling::Tiling);
		this->AICore().AddConfig("ascend910b");
	}
};
OP_ADD(GatherUp);
class Other : public OpDef {
public:
	explicit Other(const char *name) : OpDef(name)
	{
		this->Input("y").ParamType(REQUIRED).DataType({ge::DT_INT32}).Format({ge::FORMAT_ND});
		this->Output("y").ParamType(REQUIRED).DataType({ge::DT_INT32}).Format({ge::FORMAT_ND}).InitValue(3);
		this->AICore().SetTiling([](gert::TilingContext *) { return ge::GRAPH_SUCCESS; });
		this->AICore().AddConfig("ascend910b");
	}
};
OP_ADD(Other);
}
'''), ("op_kernel/gather_up.cpp", '''#include "kernel_operator.h"
extern "C" __global__ __aicore__ void gather_up(GM_ADDR x, GM_ADDR never, GM_ADDR y, GM_ADDR out, GM_ADDR also, GM_ADDR workspace, GM_ADDR tiling)
{
	GET_TILING_DATA(data, tiling);
	if (never != nullptr || also != nullptr)
		return;
	for (uint32_t i = 0; i < data.n; i += 2)
		reinterpret_cast<__gm__ int32_t *>(x)[i] += reinterpret_cast<__gm__ int32_t *>(out)[i] + reinterpret_cast<__gm__ int32_t *>(y)[i];
}
'''))


def in_place():
    """What is wrong with an operator whose output has the name of an input: it is in the same memory, or nothing; it has no first value."""
    with tempfile.TemporaryDirectory() as tmp:
        for name, text in IN_PLACE:
            os.makedirs(os.path.dirname(os.path.join(tmp, name)), exist_ok=True)
            with open(os.path.join(tmp, name), "w", encoding="utf-8") as file:
                file.write(text)
        bad = ""
        for output, want in (([], (12, 2, 16, 4)), (["x=s32[4]=100"], (100,) * 4)):
            done = subprocess.run([OP, "--build", os.path.join(tmp, "made"), tmp, "GatherUp", "x=s32[4]=1,2,3,4"] + output + ["y=s32[4]=10", "--write", f"x={tmp}/x"],
                                  capture_output=True, encoding="utf-8", check=False)
            written = os.path.join(tmp, "x")
            numbers = struct.unpack("<4i", open(written, "rb").read()) if os.path.exists(written) else ()
            bad += "" if numbers == want else f"{numbers}\n{done.stdout}{done.stderr}"
        done = subprocess.run([OP, "--build", os.path.join(tmp, "made"), tmp, "Other", "y=s32[4]=1"], capture_output=True, encoding="utf-8", check=False)
        bad += "" if "output 'y' has an InitValue(), which would replace the input" in done.stderr else done.stdout + done.stderr
    return bad


def own_headers():
    """What is wrong with a project that has a header of its own by a name of the toolkit's."""
    with tempfile.TemporaryDirectory() as tmp:
        shutil.copytree(FOLDER, os.path.join(tmp, "p"))
        os.makedirs(os.path.join(tmp, "p", "op_host", "log"))
        with open(os.path.join(tmp, "p", "op_host", "log", "log.h"), "w", encoding="utf-8") as file:
            file.write('#include <cstdio>\n#define OP_LOGD(...)\n#define OP_LOGE(context, format, value) std::fprintf(stderr, "own: %d\\n", value)\n'
                       "#define OP_CHECK_IF(condition, log, leave) if (condition) { log; leave; }\n"
                       "#define OP_CHECK_NULL_WITH_CONTEXT(context, pointer)\n")
        done = subprocess.run([OP, os.path.join(tmp, "p"), "ScaleAddCustom", "x=f32[5]=1", "--attr", "scale=-1"], capture_output=True,
                              encoding="utf-8", check=False)
    return "" if "tiling fails:\nown: -1" in done.stdout + done.stderr else done.stdout + done.stderr


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
