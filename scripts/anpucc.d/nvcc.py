# SPDX-License-Identifier: MIT
"""Options of nvcc, so that a Makefile whose NVCC is anpucc makes the files of kernels that its programs load."""
import re

from errors import UsageError

# Kinds of output: always an operator file, under the name that the option would give it
KINDS = {"-cubin": ".cubin", "-fatbin": ".fatbin", "-ptx": ".ptx"}
# Options that say how PTX is made or what the host's compiler and linker get, of which there is nothing here; with a value
# in the next word, or behind "="
WITHOUT_EFFECT = {"-use_fast_math", "-m64", "-extended-lambda", "-expt-extended-lambda", "-expt-relaxed-constexpr",
                  "-resource-usage", "-res-usage", "-dc", "-dw", "-device-c", "-device-w", "-keep", "-lcuda", "-lcudart",
                  "-lcudadevrt", "-restrict", "-source-in-ptx"}
# Options of the compiler that programs call at run time, for libraries that hand such calls to anpucc
WITHOUT_EFFECT |= {"-minimal", "-default-device", "-device-as-default-execution-space", "-device-int128", "-no-source-include",
                   "-disable-warnings", "-extra-device-vectorization"}
VALUE_WITHOUT_EFFECT = {"-Xptxas", "-ptxas-options", "-Xcompiler", "-compiler-options", "-Xlinker", "-Xnvlink", "-Xfatbin",
                        "-ccbin", "-compiler-bindir", "-maxrregcount", "-machine", "-ftz", "-prec-div", "-prec-sqrt",
                        "-rdc", "-relocatable-device-code", "-diag-suppress", "-default-stream", "-threads", "-code",
                        "-gpu-code", "-cudart", "-builtin-initializer-list", "-builtin-move-forward"}
ARCHITECTURE = {"-arch", "-gpu-architecture", "-gencode", "-generate-code"}
DEBUG = {"-lineinfo", "-generate-line-info", "-G", "-device-debug"}


def take(opts, arg, rest):
    """Whether arg is an option of nvcc, whose value is taken from rest and whose effect goes into opts."""
    name, equals, value = arg.partition("=")
    name = name[1:] if name.startswith("--") else name
    if name in KINDS and not equals:
        opts.suffix = KINDS[name]
    elif name == "-preprocess" and not equals:
        opts.stop = "-E"
    elif name in DEBUG:
        opts.debug = True
    elif name in WITHOUT_EFFECT and not equals:
        pass
    elif name in VALUE_WITHOUT_EFFECT | ARCHITECTURE | {"-fmad"}:
        if not equals:
            if not rest:
                raise UsageError(f"{arg} needs a value")
            value = rest.pop(0)
        if name in ARCHITECTURE:
            architecture(opts, arg, value)
        elif name == "-fmad" and value == "false":
            opts.compiler.append("-ffp-contract=off")  # programs compare with the host's products and sums, each rounded
    elif name == "-std" and arg.startswith("--"):
        opts.compiler.append(arg[1:])
    else:
        return False
    return True


def architecture(opts, arg, value):
    """__CUDA_ARCH__ of sources, which they choose their ways by."""
    found = re.search(r"\b(?:sm|compute|lto)_(\d+)[af]?\b", value)
    if found:
        opts.cuda_arch = int(found.group(1)) * 10
    elif value not in ("native", "all", "all-major"):
        raise UsageError(f"{arg}: '{value}' is no architecture of the form sm_90; the AI core itself is chosen with --cpu=")
