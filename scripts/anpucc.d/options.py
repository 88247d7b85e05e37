# SPDX-License-Identifier: MIT
"""The command line: what anpucc understands itself and what it hands on to clang."""
import os
from dataclasses import dataclass, field

import nvcc
from cpus import find_cpu
from nothing import NOTHING
from errors import UsageError

USAGE = """usage: anpucc [options] -o OPERATOR.o SOURCE...
Compiles operator sources (C, C++, RISC-V assembly) to one operator binary for aclrtBinaryLoadFromFile.

  -o FILE             the operator binary (default: the first source's name with .o)
  --cpu=NAME          the AI core to compile for, or a SoC name (default: anpu-v1); --list-cpus shows all
  -O0 -O1 -O2 -O3 -Os optimisation (default: -O2)
  -g                  keep debug information in the operator
  -I DIR -D NAME[=V] -U NAME -include FILE -isystem DIR -std=NAME -W... -w -f... -x LANGUAGE
                      as for clang
  --tiling=HEADER     have the sources know the tiling structures of HEADER (BEGIN_TILING_DATA_DEF; repeat);
                      GET_TILING_DATA reads the one of the kernel's operator
  -MD -MF FILE -MT NAME -MP
                      write a dependency file for make (default name: OPERATOR.d)
  -E, -S              only preprocess, or compile to assembly, one source
  -v                  show the commands and what was found in the sources
  --print-kernels     list the kernels and the layout of their arguments
  --launchers=DIR     also write DIR/aclrtlaunch_KERNEL.h for each kernel and DIR/OPERATOR_launchers.c, with
                      which a host program calls ACLRT_LAUNCH_KERNEL(KERNEL)(blocks, stream, arguments...)
  --host=FILE.o       also write an object for the host with the source's other functions and the operator
                      inside, where KERNEL<<<blocks, nullptr, stream>>>(arguments...) launches a kernel
  --run-mode=MODE     npu and sim are the same; cpu: for a host program in CPU mode (Documentation/cpu-mode.md), whose
                      --host object has a function KERNEL(arguments...) that runs the kernel
  --launcher-include=HEADER
                      have them include HEADER, which declares structures that kernels take by value
  -arch=sm_XX -cubin -fatbin -ptx --preprocess -lineinfo -use_fast_math -Xptxas X ...
                      as nvcc has them: sm_XX is what a source NAME.cu finds in __CUDA_ARCH__, the output is an operator binary
                      whatever its name (Documentation/simt.md)
  --version, --help
Documentation/operators.md tells how an operator is written."""

LANGUAGES = {".c": "c", ".cc": "c++", ".cpp": "c++", ".cxx": "c++", ".C": "c++", ".cce": "c++", ".asc": "c++", ".cu": "c++",
             ".s": "assembler", ".S": "assembler-with-cpp"}
TAKES_VALUE = ("-I", "-D", "-U", "-include", "-isystem", "-idirafter", "-iquote", "-imacros")
HANDED_ON = ("-I", "-D", "-U", "-include", "-isystem", "-idirafter", "-iquote", "-imacros", "-std=",
             "-W", "-w", "-f", "-pedantic", "-P", "-C", "-H", "-ansi")
REFUSED = {
    "-l": "operators are not linked with libraries; name the sources instead",
    "-L": "operators are not linked with libraries; name the sources instead",
    "-shared": "an operator binary always is one position-independent image; leave the option out",
    "-static": "an operator binary always is one position-independent image; leave the option out",
    "-march": "choose the AI core with --cpu= (see --list-cpus)",
    "-mcpu": "choose the AI core with --cpu= (see --list-cpus)",
    "-mabi": "the calling convention of operators is fixed (lp64d)",
    "--target": "anpucc only compiles for the AI core; choose it with --cpu= (see --list-cpus)",
    "-target": "anpucc only compiles for the AI core; choose it with --cpu= (see --list-cpus)",
    "-flto": "link-time optimisation is not supported; leave the option out",
    "-fexceptions": "operators cannot throw exceptions; leave the option out",
    "-frtti": "operators have no run-time type information; leave the option out",
    "-pthread": "operators have no threads: blocks are the unit of parallel work",
}


@dataclass
class Options:
    """A parsed command line."""
    sources: list = field(default_factory=list)
    output: str = ""
    cpu: object = None
    optimise: str = "-O2"
    debug: bool = False
    verbose: bool = False
    show: bool = False
    compiler: list = field(default_factory=list)
    language: str = ""
    depfile: str = ""
    want_deps: bool = False
    dep_targets: list = field(default_factory=list)
    dep_phony: bool = False
    dep_system: bool = True
    stop: str = ""
    launchers: str = ""
    host: str = ""
    launcher_includes: list = field(default_factory=list)
    tiling: list = field(default_factory=list)
    cpu_mode: bool = False
    suffix: str = ".o"
    cuda_arch: int = 0

    def language_of(self, source):
        if self.language:
            return self.language
        suffix = os.path.splitext(source)[1]
        if suffix not in LANGUAGES:
            kinds = " ".join(LANGUAGES)
            raise UsageError(f"'{source}' is not a kind of source that anpucc compiles ({kinds}); "
                             f"for another suffix say -x c or -x c++ before it")
        return LANGUAGES[suffix]


def parse(args):
    """The command line as Options; raises UsageError."""
    opts = Options()
    cpu = "anpu-v1"
    args = list(args)
    while args:
        arg = args.pop(0)
        if arg.startswith(("--cpu=", "--npu-arch=", "--soc-version=")):
            cpu = arg.split("=", 1)[1]
        elif arg.startswith("--launchers="):
            opts.launchers = arg.split("=", 1)[1] or "."
        elif arg.startswith("--run-mode="):
            set_mode(opts, arg.split("=", 1)[1])
        elif arg.startswith("--tiling="):
            opts.tiling.append(arg.split("=", 1)[1])
        elif arg.startswith("--host="):
            opts.host = arg.split("=", 1)[1]
        elif arg.startswith("--launcher-include="):
            opts.launcher_includes.append(arg.split("=", 1)[1])
        elif not nvcc.take(opts, arg, args) and not simple(opts, arg) and not valued(opts, arg, args):
            other(opts, arg, args)
    opts.cpu = find_cpu(cpu)
    if not opts.sources:
        raise UsageError("no source files; anpucc --help tells how it is used")
    if opts.stop and len(opts.sources) > 1:
        raise UsageError(f"{opts.stop} takes one source file, {len(opts.sources)} are given")
    if opts.host and len(opts.sources) > 1:
        raise UsageError(f"--host takes one source file, {len(opts.sources)} are given")
    check_output(opts)
    if opts.want_deps and not opts.depfile:
        opts.depfile = os.path.splitext(opts.output)[0] + ".d"
    return opts


def set_mode(opts, mode):
    """--run-mode: the macros of CPU mode are those that sources ask for; faults there name lines."""
    if mode not in ("npu", "sim", "cpu"):
        raise UsageError(f"--run-mode={mode}: npu, sim and cpu are built")
    if mode == "cpu" and not opts.cpu_mode:
        opts.cpu_mode = opts.debug = True
        opts.compiler += ["-DASCENDC_CPU_DEBUG=1", "-D__CCE_KT_TEST__=1"]


def check_output(opts):
    """Chooses the output's name and refuses to overwrite a source."""
    if not opts.output and not opts.stop:
        opts.output = os.path.splitext(os.path.basename(opts.sources[0]))[0] + opts.suffix
    for source in opts.sources:
        if opts.output and os.path.realpath(source) == os.path.realpath(opts.output):
            raise UsageError(f"the output '{opts.output}' is also a source; choose another name for -o")


def simple(opts, arg):
    """Options without a value."""
    if arg == "-g" or arg.startswith("-g") and arg[2:].isdigit():
        opts.debug = arg != "-g0"
    elif arg in ("-v", "--verbose"):
        opts.verbose = True
    elif arg == "--print-kernels":
        opts.show = True
    elif arg.startswith("-O") and arg[2:] in ("", "0", "1", "2", "3", "s", "z", "fast", "g"):
        opts.optimise = arg
    elif arg in ("-MD", "-MMD"):
        opts.want_deps = True
        opts.dep_system = arg == "-MD"
    elif arg == "-MP":
        opts.dep_phony = True
    elif arg in ("-E", "-S"):
        opts.stop = arg
    else:
        # -c is what Makefiles say to get an object from one source: here that always is so.
        return arg in ("-c", "-fPIC", "-fpic", "-fPIE", "-fpie", "-pie")
    return True


def valued(opts, arg, rest):
    """Options whose value may be glued to them or stand in the next word."""
    for name in ("-o", "-x", "-MF", "-MT", "-MQ"):
        if not arg.startswith(name):
            continue
        value = arg[len(name):]
        if not value:
            if not rest:
                raise UsageError(f"{name} needs a value")
            value = rest.pop(0)
        if name == "-o":
            opts.output = value
        elif name == "-x":
            if value not in ("c", "c++", "assembler", "assembler-with-cpp", "none"):
                raise UsageError(f"-x {value}: anpucc compiles c, c++, assembler and assembler-with-cpp")
            opts.language = "" if value == "none" else value
        elif name == "-MF":
            opts.depfile, opts.want_deps = value, True
        else:
            opts.dep_targets.append(value.replace("$", "$$") if name == "-MQ" else value)
        return True
    return False


def other(opts, arg, rest):
    """Sources, options for clang, and what is refused."""
    if not arg.startswith("-") or arg == "-":
        if arg == "-":
            raise UsageError("anpucc does not read a source from standard input; give a file")
        opts.sources.append(arg)
        return
    if NOTHING.match(arg):
        return
    if arg == "-mllvm" and rest and NOTHING.match(rest[0]):
        # as in bisheng: ascendc_compile_options() hands such words to anpucc
        rest.pop(0)
        return
    for name, why in REFUSED.items():
        if arg == name or arg.startswith(name + "=") or name in ("-l", "-L") and arg.startswith(name):
            raise UsageError(f"{arg} is not for operators: {why}")
    if not arg.startswith(HANDED_ON):
        raise UsageError(f"unknown option '{arg}'; anpucc --help lists the options")
    opts.compiler.append(arg)
    if arg in TAKES_VALUE:
        if not rest:
            raise UsageError(f"{arg} needs a value")
        opts.compiler.append(rest.pop(0))
