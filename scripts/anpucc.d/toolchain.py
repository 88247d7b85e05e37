# SPDX-License-Identifier: MIT
"""Finds clang and lld, and knows the flags that make them build code for the AI core."""
import os
import re
import shutil
import subprocess

from errors import OperatorError

MIN_VERSION = 14
# The tested version first, then the newest.
VERSIONS = [14] + list(range(30, 14, -1))
INSTALL = "install it with: apt-get install clang lld"

# The AI core is RV64 IMAFD + Zicsr + Zfh, nothing compressed (anpu_isa.h).
MARCH = "rv64imafd_zfh"
TARGET = ["--target=riscv64", "-march=" + MARCH, "-mabi=lp64d", "-mcmodel=medany", "-mno-relax"]
# Everything of an operator is linked into one image, so that no symbol needs the GOT.
CODEGEN = [
    "-ffreestanding", "-nostdlibinc", "-fPIE", "-fdirect-access-external-data", "-fvisibility=hidden",
    "-fno-stack-protector", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-fno-math-errno",
    "-ffunction-sections", "-fdata-sections", "-fno-common",
]
# Without it clang makes an integer of a constant of type _Float16 that is read by its name: it compiles wrong code, or crashes.
HALF = ["-Xclang", "-fnative-half-type"]
CXX = ["-fno-exceptions", "-fno-rtti"]


class Toolchain:
    """One clang and one ld.lld."""

    def __init__(self):
        self.clang = find("ANPUCC_CLANG", "clang", "clang")
        self.lld = find("ANPUCC_LLD", "ld.lld", "lld")

    def compile_command(self, source, output, options, language):
        cmd = [self.clang] + TARGET + CODEGEN
        if language == "c++":
            cmd += CXX
        cmd += ["-Wno-unused-command-line-argument"] if language.startswith("assembler") else HALF
        return cmd + options + ["-x", language, "-c", source, "-o", output]

    def undefined_values(self):
        """Options by which a variable without a value may be an argument, as that of lanes that give a shuffle nothing."""
        name = re.search(r"-(\d+)$", self.clang)
        text = "" if name else subprocess.run([self.clang, "--version"], capture_output=True, text=True, check=True).stdout
        found = name or re.search(r"version (\d+)\.", text)
        old = found and int(found.group(1)) == MIN_VERSION
        return ["-Xclang", "-disable-noundef-analysis" if old else "-no-enable-noundef-analysis"]

    def link_command(self, objects, output, options):
        return [self.lld, "-m", "elf64lriscv", "-pie", "--no-dynamic-linker", "--no-undefined",
                "-z", "norelro", "--entry=0", "--discard-locals", "--gc-sections",
                "--hash-style=sysv", "--color-diagnostics=never", "--error-limit=0",
                "-o", output] + options + objects


def find(variable, name, package):
    """The program that $variable names, or the best of name-14, name-N, name."""
    named = os.environ.get(variable)
    if named:
        path = shutil.which(named)
        if not path:
            raise OperatorError(f"{variable} names '{named}', which is not a program; unset it or "
                                f"give the path of {name} {MIN_VERSION} or newer")
        return checked(path, name, package)
    for version in VERSIONS:
        path = shutil.which(f"{name}-{version}")
        if path:
            return path
    path = shutil.which(name)
    if path:
        return checked(path, name, package)
    raise OperatorError(f"{name} was not found: operators are compiled with clang and lld "
                        f"{MIN_VERSION} or newer; {INSTALL}")


def checked(path, name, package):
    """path, if it is of a version that can build for the AI core."""
    try:
        text = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as err:
        raise OperatorError(f"'{path} --version' failed ({err}): the installation of {package} is "
                            f"broken; {INSTALL}") from err
    found = re.search(r"(?:version|LLD) (\d+)\.", text)
    if not found:
        raise OperatorError(f"'{path}' does not say which version it is: it is not LLVM's {name}; "
                            f"{INSTALL}")
    if int(found.group(1)) < MIN_VERSION:
        raise OperatorError(f"'{path}' is version {found.group(1)}, operators need {name} "
                            f"{MIN_VERSION} or newer; {INSTALL}")
    return path
