# SPDX-License-Identifier: MIT
"""anpucc's main: compile the sources, find the kernels, make their entry thunks, link."""
import base64
import os
import re
import subprocess
import sys
import tempfile

import elftools  # noqa: F401 (a missing module is reported before anything else happens)

import cuda
import options as cmdline
from cpus import find_cpu, list_cpus
from errors import OperatorError, UsageError
from hostcode import ROUNDS, Strip, has_host_code
from toolchain import Toolchain

# Who made an operator file: it changes when the files that are made of the same source do, not with each release
PRODUCER = "anpucc 1.0"
# Messages quote sources, which may be in any encoding.
# How headers of operators mark functions for the AI core, or for the host as well
MARK = r"\[\s*(?:aicore|host)(?:\s*,\s*(?:aicore|host))*\s*\]"
# Options of clang whose next word is a directory of headers
SEARCHED = ("-isystem", "-idirafter", "-iquote", "-I")
TEXT = {"encoding": "utf-8", "errors": "replace"}


def main(args):
    """Runs anpucc; the exit status is 0, 1 for a faulty operator, 2 for a faulty command line."""
    try:
        if "--help" in args or "-h" in args:
            print(cmdline.USAGE)
        elif "--version" in args:
            print("anpucc", version())
        elif "--list-cpus" in args:
            # beside --cpu= a question whether there is such a name
            for arg in args:
                if arg.startswith("--cpu="):
                    find_cpu(arg.split("=", 1)[1])
            list_cpus()
        else:
            opts = cmdline.parse(args)
            with tempfile.TemporaryDirectory(prefix="anpucc-") as tmp:
                Build(opts, tmp).run()
    except UsageError as err:
        print(f"anpucc: error: {err}", file=sys.stderr)
        return 2
    except OperatorError as err:
        print(f"anpucc: error: {err}", file=sys.stderr)
        return 1
    except OSError as err:
        where = f"'{err.filename}': " if err.filename else ""
        print(f"anpucc: error: {where}{err.strerror}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def version():
    """The version of the tree: what scripts/version prints, or the file lib/anpu/version of an installation."""
    path = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "version")
    if os.access(path, os.X_OK):
        return subprocess.run([path], check=True, stdout=subprocess.PIPE, **TEXT).stdout.strip()
    try:
        with open(path, **TEXT) as file:
            return file.read().strip()
    except FileNotFoundError:
        return "(make -C lib/kit install has not written lib/anpu/version)"


class Build:
    """One run: sources to an operator, with its temporary files in tmp."""

    def __init__(self, opts, tmp):
        from isa import Isa, include_dir
        self.opts, self.tmp = opts, tmp
        self.isa = Isa()
        self.tools = Toolchain()
        include = self.apart(include_dir())
        self.common = ["-isystem", include, "-isystem", os.path.join(include, "anpu", "libc"),
                       "-isystem", os.path.join(include, "ascendc"),
                       "-idirafter", os.path.join(include, "anpu", "libc", "host")]
        self.threads = any(cuda.is_cuda(source) for source in opts.sources)
        if self.threads:
            self.common = cuda.include_flags(include) + self.common
            opts.compiler = cuda.behind(opts.compiler) + cuda.environment()
        self.common += ["-D" + macro for macro in opts.cpu.macros + (("__ANPU_DEBUG__=1",) if opts.debug else ())]
        self.deps = []
        self.ratio, self.parts = None, {}
        self.copies = {}
        self.taken = set()

    def apart(self, include):
        """The directory of our headers; one with links to them where the host's own stand beside them, as in /usr/include."""
        if not os.path.exists(os.path.join(include, "stdint.h")):
            return include
        own = os.path.join(self.tmp, "include")
        os.mkdir(own)
        for name in ("anpu", "ascendc"):
            os.symlink(os.path.join(include, name), os.path.join(own, name))
        return own

    def run(self):
        for source in self.opts.sources:
            if not os.path.isfile(source):
                raise OperatorError(f"source file '{source}' does not exist")
        self.add_tiling()
        if self.opts.stop:
            self.stop_early()
            return
        objects = self.compile_sources()
        symbols = self.read_symbols(objects)
        variables = list(symbols.variables)
        objects = [path for _, path in objects] + self.add_runtime(symbols)
        kernels, types = self.find_kernels(symbols, objects)
        if self.opts.launchers:
            from launchers import check_launchers, write_launchers
            check_launchers(kernels, self.opts)
        thunk = self.compile_thunks(kernels, types, symbols.of_block)
        # A thunk copies large structures with memcpy.
        self.read_symbols([("entry thunks", thunk)], symbols)
        # programs find variables by their names, also those that no kernel uses
        kept = variables if self.threads else []
        self.link_operator(kernels, objects + [thunk] + self.add_runtime(symbols), kept)
        if self.opts.launchers:
            write_launchers(kernels, self.opts)
        if self.opts.host:
            from hostpass import host_object
            host_object(self.tools, self.opts, self.tmp)
        if self.opts.show:
            show(kernels)
        if self.opts.want_deps:
            self.write_depfile()

    # Compiling --------------------------------------------------------------------------------

    def user_flags(self, language):
        stack = self.isa.constant("ANPU_THREAD_STACK" if self.threads else "ANPU_STACK_SIZE")
        flags = self.common + [self.opts.optimise, "-gdwarf-4", "-Wframe-larger-than=" + str(stack),
                               "-Werror=frame-larger-than", "-ffile-prefix-map=" + os.getcwd() + "=."]
        if language == "c++":
            # the layout of a class whose constructors are the host's
            flags += ["-Xclang", "-fno-use-ctor-homing"] + self.tools.undefined_values()
        if language == "c++" and not self.threads:
            # threadIdx.x and its kin are properties; sources use int32_t and size_t before they include anything
            flags += ["-fdeclspec", "-include", "stdint.h", "-include", "stddef.h"]
        if language == "c++" and not any(o.startswith("-std=") for o in self.opts.compiler):
            flags.append("-std=c++17")
        if self.threads and language == "c++":
            flags += cuda.first_header() + cuda.FLAGS + ([f"-D__CUDA_ARCH__={self.opts.cuda_arch}"] if self.opts.cuda_arch else [])
        if language.startswith("assembler"):
            return self.common + [o for o in self.opts.compiler if not o.startswith("-std=")]
        return flags + self.opts.compiler

    def add_tiling(self):
        """--tiling=HEADER: an operator project's tiling structures, which stand in a namespace of the host's."""
        if not self.opts.tiling:
            return
        from tiling import class_of, kernels_in, structures
        for header in self.opts.tiling:
            if not os.path.isfile(header):
                raise OperatorError(f"the header '{header}' of --tiling does not exist")
        key = next((o.split("=", 1)[1] for o in self.opts.compiler if o.startswith("-DANPU_TILING_KEY=")), "")
        known = class_of(self.opts.tiling, kernels_in(self.opts.sources), key)
        path = os.path.join(self.tmp, "tiling.h")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(structures(header, known) for header in self.opts.tiling)
        self.opts.compiler += ["-include", path]

    def compile_sources(self):
        """Compiles all sources, as many at a time as there are CPUs; returns [(source, object)]."""
        jobs = []
        for number, source in enumerate(self.opts.sources):
            language = self.opts.language_of(source)
            out = os.path.join(self.tmp, f"{number}.o")
            flags = self.user_flags(language)
            if self.opts.want_deps and language != "assembler":
                dep = os.path.join(self.tmp, f"{number}.d")
                flags = flags + ["-MD" if self.opts.dep_system else "-MMD", "-MF", dep, "-MT", "x"]
                self.deps.append(dep)
            if language == "c++" and not cuda.is_cuda(source):
                from apinames import flags_for
                from mix import names_without_namespace
                flags = self.math_flags(source, number) + flags_for(source, self.opts.compiler, self.tmp, number) + flags
                flags += names_without_namespace(source, self.opts.compiler)
            given = self.without_calls(source, number) if language == "c++" else source
            if cuda.is_cuda(source):
                given = cuda.rewrite(source, given, os.path.join(self.tmp, f"{number}-cuda.cpp"))
                self.copies[given] = source
                flags = flags + cuda.overlay(source, self.opts.compiler, self.tmp, number)
            kind = ""
            if language == "c++" and not cuda.is_cuda(source):
                given, kind = self.with_template(source, given, flags, number)
            if given != source:
                flags = flags + ["-iquote", os.path.dirname(source) or "."]
            jobs += self.halves(source, given, out, flags, language, kind)
        host = {source for source in self.opts.sources if self.opts.language_of(source) == "c++" and
                has_host_code(source, self.opts.compiler)}
        failed = self.run_all(jobs, self.keeps_back if not host else lambda text: True)
        for source in dict.fromkeys(source for source, _ in failed):
            commands, text = [c for s, _, c in jobs if s == source], "".join(t for s, t in failed if s == source)
            text, shown = self.second_try(source, commands, source in host, text)
            if text:
                sys.stderr.write("" if shown else text)
                frame_errors(text, self.isa)
                cuda.assembly_errors(source, text)
                raise OperatorError(f"clang refused '{source}', see its messages above")
        for _, out, command in jobs:
            self.rename_half(out, command)
        return [(source, out) for source, out, _ in jobs]

    def second_try(self, source, commands, host, text):
        """Compiles a source that clang refused without the code of the host, or without marks that clang does not know; (the messages
        that remain, whether they have been shown)."""
        if cuda.is_cuda(source) and cuda.kept_words(text):
            return "".join(self.with_headers(source, command) for command in commands), False
        if host and not re.search(MARK, text):
            return self.without_host_code(source, commands, text), False
        if self.keeps_back(text):
            return "".join(self.without_marks(source, command) for command in commands), False
        return text, not host

    def math_flags(self, source, number):
        """Options for a source whose kernels are called like functions of <math.h>."""
        from mathnames import header, names_taken
        names = names_taken(source, self.opts.compiler)
        if not names:
            return []
        self.taken.update(names)
        path = os.path.join(self.tmp, f"{number}-math.h")
        with open(path, "w", encoding="utf-8") as file:
            file.write(header(names))
        return ["-include", path]

    def with_template(self, source, given, flags, number):
        """A copy of the source whose kernel's template has the arguments of the tiling key, and the type of kernel that they have; else
        the source as it is given, and nothing."""
        from templates import Templates, has_template
        if not has_template(source, self.opts.compiler):
            return given, ""
        flags = flags + (["-iquote", os.path.dirname(source) or "."] if given != source else [])
        made = Templates(source, self.tools.compile_command(given, "-", flags, "c++"), self.trace)
        if not made.lists:
            return given, ""
        made.choose(self.opts.compiler)
        copy = os.path.join(self.tmp, f"{number}-template.cpp")
        made.write(given, copy)
        self.copies[copy] = source
        return copy, made.kind()

    def halves(self, source, given, out, flags, language, kind=""):
        """The jobs for one source: two, if its kernels are MIX kernels. kind is a type of kernel that a template's selection says."""
        if language != "c++":
            return [(source, out, self.tools.compile_command(given, out, flags, language))]
        from mix import HALVES, guarded_unit, parts_of, ratio_of
        ratio = ratio_of(source, self.opts.compiler, kind)
        self.parts.update(parts_of(source, self.opts.compiler, kind))
        unit = guarded_unit(source) if not ratio else None
        if unit:
            flags, self.parts[""] = flags + [unit[0]], unit[1]
        elif not ratio and not kind:
            ratio, flags = self.parted(source, given, out, flags)
        if not ratio:
            return [(source, out, self.tools.compile_command(given, out, flags, language))]
        if len(self.opts.sources) > 1:
            raise OperatorError(f"'{source}' has MIX kernels; it has to be the only source of its operator file")
        self.ratio = ratio
        return [(source, out[:-2] + suffix + ".o",
                 self.tools.compile_command(given, out[:-2] + suffix + ".o", flags + [macro], language))
                for macro, suffix, _ in HALVES]

    def parted(self, source, given, out, flags):
        """The ratio of MIX kernels and the flags for a source that states no type and parts its work by the unit that it runs on: what
        it is shows in the code that both units have."""
        from mix import HALVES, OTHER_UNIT, asks_for_unit, empty_kernels, kind_of_work, units_of_kernels
        if "" in self.parts or not asks_for_unit(source, self.opts.compiler, os.path.dirname(os.path.dirname(self.isa.path))):
            return None, flags
        work = [self.work_of(source, given, out[:-2] + suffix + "-probe.o", flags + [macro]) for macro, suffix, _ in HALVES]
        if None in work:
            # neither half can be left out where each unit has kernels of its own, or if nothing is left of one without them: the messages are theirs
            whole = out[:-2] + "-probe.o"
            both = units_of_kernels(source) >= set(OTHER_UNIT) - {""}
            nothing = not both and self.work_of(source, given, whole, flags) is not None and empty_kernels(whole)
            return ((1, 2) if both or nothing else None), flags
        kind = kind_of_work(*work)
        if isinstance(kind, int):
            self.parts[""] = kind
            return None, flags + [HALVES[kind - 2][0]]
        return kind, flags

    def work_of(self, source, given, probe, flags):
        """The tile operations of a source's code, or None if it does not compile."""
        from mix import tile_operations
        command = self.tools.compile_command(given, probe, flags + ["-O2", "-w"], "c++")
        failed = self.run_all([(source, probe, command)], lambda text: True)
        if failed and self.second_try(source, [command], has_host_code(source, self.opts.compiler), failed[0][1])[0]:
            return None
        return tile_operations(probe, self.isa)

    def rename_half(self, out, command):
        """Gives a half of MIX kernels names of its own."""
        from mix import HALVES, rename
        for macro, suffix, _ in HALVES:
            if self.ratio and macro in command and out.endswith(suffix + ".o"):
                rename(out, suffix)

    def keeps_back(self, text):
        """Whether a source has the mark of functions for the AI core in the form that clang does not know, or words of CUDA's in
        headers."""
        return "decomposition declaration" in text or bool(re.search(MARK, text)) or (self.threads and cuda.kept_words(text))

    def without_marks(self, source, command):
        """Compiles a source that has been preprocessed, without the words [aicore] that headers of operators define for
        themselves; the messages if that fails."""
        text, plain = os.path.join(self.tmp, "marked.ii"), os.path.join(self.tmp, "plain.ii")
        said = self.preprocess(source, command, text)
        if said:
            return said
        with open(text, encoding="utf-8", errors="surrogateescape") as file:
            given = re.sub(MARK, "", file.read())
        with open(plain, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(given)
        compiled = preprocessed(command, plain)
        compiled[compiled.index("-x") + 1] = "c++-cpp-output"
        failed = self.run_all([(source, plain, compiled)], lambda text: True)
        return failed[0][1] if failed else ""

    def preprocess(self, source, command, text):
        """Writes text, what a command that compiles makes of its source before that; the messages if that fails."""
        expand = list(command)
        expand[expand.index("-c")] = "-E"
        expand[expand.index("-o") + 1] = text
        failed = self.run_all([(source, text, expand)], lambda text: True)
        return failed[0][1] if failed else ""

    def with_headers(self, source, command, stop="-c"):
        """Compiles a source of CUDA's whose headers or macros have words that clang does not know as they stand, or goes as far as stop
        says; the messages."""
        text, plain = os.path.join(self.tmp, "cuda.ii"), os.path.join(self.tmp, "cuda.cpp")
        said = self.preprocess(source, command[:1] + cuda.KEEP + command[1:], text)
        if said:
            return said
        cuda.rewrite_expanded(text, plain)
        compiled = [stop if word == "-c" else word for word in preprocessed(command, plain)]
        failed = self.run_all([(source, plain, compiled[:1] + cuda.KEPT + compiled[1:])], lambda text: True)
        return failed[0][1] if failed else ""

    def without_host_code(self, source, commands, text):
        """Compiles a source without what is the host's in it and its headers. If that fails, the messages of the first
        compilation that found all headers, and of the last one: what the host's functions lack is in the first only."""
        given = commands[0][commands[0].index("-c") + 1]
        folders = [word for before, word in zip(commands[0], commands[0][1:]) if before in SEARCHED]
        folders += [word[2:] for word in commands[0] if word.startswith("-I")]
        strip = Strip(self.tmp, source, given, os.path.dirname(os.path.dirname(self.isa.path)))
        messages = first = text
        for _ in range(ROUNDS):
            if not strip.learn(messages, folders):
                break
            failed = list(self.run_all([(source, "", c + strip.options()) for c in commands], lambda text: True))
            if not failed:
                return ""
            messages = "".join(said for _, said in failed)
            if "file not found" in first:
                first = messages
        return first if first == messages else first + messages

    def without_calls(self, source, number):
        """A copy of the source without kernel<<<...>>>(...), or the source if it has none."""
        from hostpass import has_calls, rewrite
        if not has_calls(source):
            return source
        copy = os.path.join(self.tmp, f"{number}.cpp")
        rewrite(source, copy, True)
        self.copies[copy] = source
        return copy

    def run_all(self, jobs, keeps_back=lambda text: False):
        """Runs commands in parallel, shows what they print (but what keeps_back() holds for) and returns those that
        failed."""
        width = os.cpu_count() or 1
        failed = []
        for at in range(0, len(jobs), width):
            running = []
            for source, _, command in jobs[at:at + width]:
                self.trace(command)
                running.append((source, subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                                         stderr=subprocess.PIPE, **TEXT)))
            for source, process in running:
                text = process.communicate()[1]
                if not process.returncode or not keeps_back(text):
                    sys.stderr.write(text)
                if process.returncode < 0:
                    raise OperatorError(f"clang was killed by signal {-process.returncode} while it compiled "
                                        f"'{source}'; if that is 9, memory is short")
                if process.returncode:
                    failed.append((source, text))
        return failed

    def trace(self, command):
        if self.opts.verbose:
            print("+ " + " ".join(command), file=sys.stderr)

    def stop_early(self):
        """-E and -S: clang's own output for one source."""
        source = self.opts.sources[0]
        language = self.opts.language_of(source)
        given, flags = source, self.user_flags(language)
        if cuda.is_cuda(source):
            given = cuda.rewrite(source, source, os.path.join(self.tmp, "0-cuda.cpp"))
            flags = flags + cuda.overlay(source, self.opts.compiler, self.tmp, 0) + ["-iquote", os.path.dirname(source) or "."]
        command = self.tools.compile_command(given, self.opts.output or "-", flags, language)
        stopped = [self.opts.stop if word == "-c" else word for word in command]
        failed = self.run_all([(source, "", stopped)], self.keeps_back)
        if failed and self.keeps_back(failed[0][1]) and cuda.is_cuda(source):
            failed = self.with_headers(source, command, self.opts.stop)
        if failed:
            sys.stderr.write(failed if isinstance(failed, str) else "")
            raise OperatorError(f"clang refused '{source}', see its messages above")

    # Linking ----------------------------------------------------------------------------------

    def read_symbols(self, objects, symbols=None):
        from objects import Symbols, scan
        symbols = symbols or Symbols()
        for source, path in objects:
            scan(path, source, symbols, self.threads)
        if not symbols.kernels:
            raise OperatorError(f"no kernel found in {', '.join(self.opts.sources)}: mark the operator's "
                                f"entry function with ANPU_KERNEL (anpu/anpu_intrin.h) or __global__ "
                                f"__aicore__ (kernel_operator.h)")
        return symbols

    def add_runtime(self, symbols):
        """Compiles what is still missing of the run-time library; returns the objects."""
        from mathnames import plain, rename
        from runtime import FLAGS, sources_for
        paths = []
        while True:
            needed = sources_for(plain(symbols.missing()))
            if not needed:
                return paths
            jobs = []
            for source in needed:
                out = os.path.join(self.tmp, "rt-" + os.path.basename(source) + ".o")
                jobs.append((source, out, self.tools.compile_command(source, out, self.common + FLAGS, "c")))
            for source, _ in self.run_all(jobs):
                raise OperatorError(f"the run-time library's {os.path.basename(source)} does not compile "
                                    f"with '{self.tools.clang}', see the messages above")
            for _, out, _ in jobs if self.taken else []:
                rename(out, self.taken)
            self.read_symbols([(source, out) for source, out, _ in jobs], symbols)
            paths += [out for _, out, _ in jobs]

    def find_kernels(self, symbols, objects):
        """Links once without thunks, so that all debug information is in its final form, and reads it."""
        from ctypes_of import CTypes
        from kernels import read_kernels
        image = os.path.join(self.tmp, "first.elf")
        self.link(objects, image, [f"--undefined={name}" for name in symbols.kernels])
        types = CTypes()
        kernels = read_kernels(image, types, halves=self.parts if self.ratio else None)
        if any(kernel.alias for kernel in kernels):
            from mix import take_own_names
            take_own_names(kernels, objects)
        if self.threads:
            cuda.set_records(kernels, image, self.isa)
        if self.ratio or self.parts:
            from mix import set_records
            set_records(kernels, self.ratio, self.parts)
        return kernels, types

    def compile_thunks(self, kernels, types, of_block=False):
        from objects import BLOCK_AT
        from thunk import thunk_source
        source, out = os.path.join(self.tmp, "entry.cpp"), os.path.join(self.tmp, "entry.o")
        with open(source, "w", encoding="utf-8") as file:
            at = self.isa.constant("ANPU_STACK_BASE") + BLOCK_AT if of_block else None
            file.write(thunk_source(kernels, types, self.isa, f"{PRODUCER} {self.opts.cpu.name}", at))
        command = self.tools.compile_command(source, out, ["-O2", "-w", "-std=c++17"], "c++")
        self.trace(command)
        done = subprocess.run(command, capture_output=True, check=False, **TEXT)
        if done.returncode:
            names = ", ".join(f"'{k.symbol}'" for k in kernels)
            self.trace(done.stderr.splitlines())
            if "layout" in done.stderr:
                raise OperatorError(f"a structure of at most 16 bytes that is packed or has unusual "
                                    f"alignment is passed by value to a kernel ({names}); pass a pointer "
                                    f"to it instead")
            raise OperatorError(f"the entry thunks of {names} do not compile; report it with the "
                                f"source:\n{done.stderr}")
        return out

    def link_operator(self, kernels, objects, kept):
        from objects import check_image
        prefix = self.isa.constant("ANPU_ENTRY_PREFIX")
        flags = [f"--undefined={prefix}{k.symbol}" for k in kernels] + [f"--undefined={name}" for name in kept]
        if not self.opts.debug:
            flags.append("--strip-debug")
        image = os.path.join(self.tmp, "operator.o")
        self.link(objects, image, flags)
        check_image(image, self.threads)
        move(image, self.opts.output, as_text if self.opts.suffix == ".ptx" else bytes)

    def link(self, objects, output, flags):
        command = self.tools.link_command(objects, output, flags)
        self.trace(command)
        done = subprocess.run(command, capture_output=True, check=False, **TEXT)
        if done.returncode:
            explain_link(done.stderr)

    def write_depfile(self):
        """Merges the dependencies of all sources into one rule."""
        files = []
        for path in self.deps:
            with open(path, encoding="utf-8") as file:
                rule = file.read().replace("\\\n", " ")
            names = [self.copies.get(f, f) for f in re.split(r"(?<!\\)\s+", rule.split(":", 1)[1].strip())]
            files += [f for f in names if f not in files]
        targets = " ".join(self.opts.dep_targets or [self.opts.output])
        with open(self.opts.depfile, "w", encoding="utf-8") as out:
            out.write(f"{targets}: \\\n  " + " \\\n  ".join(files) + "\n")
            if self.opts.dep_phony:
                out.writelines(f"\n{name}:\n" for name in files[1:])


def preprocessed(command, plain):
    """The command for its source plain, in which headers are already."""
    words = [plain if word == command[command.index("-c") + 1] else word for word in command]
    return [word for i, word in enumerate(words)
            if word not in ("-MD", "-MMD") and "-MF" not in words[max(0, i - 1):i + 1] and
            "-MT" not in words[max(0, i - 1):i + 1] and "-include" not in words[max(0, i - 1):i + 1]]


def as_text(data):
    """An operator file for programs that read PTX into a string, which ends at the first zero: libcuda's module/text.c reads it."""
    return b"// operator file of anpucc as text: %d\n" % len(data) + base64.encodebytes(data)


def move(image, output, form=bytes):
    """Puts the operator in place whole or not at all."""
    from labels import drop_labels
    with open(image, "rb") as file:
        data = form(drop_labels(file.read()))
    folder = os.path.dirname(output) or "."
    if not os.path.isdir(folder):
        raise OperatorError(f"the folder '{folder}' of the output does not exist")
    if os.path.exists(output) and not os.path.isfile(output):
        # a pipe, or /dev/null, which a file would take the place of for everybody if the user is root
        with open(output, "wb") as file:
            file.write(data)
        return
    part = f"{output}.{os.getpid()}.new"
    try:
        with open(part, "wb") as file:
            file.write(data)
        os.replace(part, output)
    except OSError:
        if os.path.exists(part):
            os.unlink(part)
        raise


def frame_errors(text, isa):
    """Explains clang's message about a function whose local variables do not fit into the stack."""
    found = re.search(r"^(\S+?):\d+:\d+: error: stack frame size \((\d+)\) exceeds limit \(\d+\) in (?:function )?'(\S+)'",
                      text, re.M)
    if found:
        kib = isa.constant("ANPU_STACK_SIZE") // 1024
        raise OperatorError(f"{found.group(1)}: function '{found.group(3)}' needs {found.group(2)} bytes of "
                            f"stack, the AI core has {kib} KiB; put large arrays into a scratchpad (UB) or "
                            f"into global memory")


def explain_link(text):
    """Turns ld.lld's messages into sentences."""
    from runtime import likely_cause
    errors = []
    for part in re.split(r"^ld\.lld: error: |^ld\.lld-\d+: error: ", text, flags=re.M)[1:]:
        symbol = re.match(r"undefined (?:hidden |protected )?symbol: (.*)", part)
        absolute = (re.match(r"relocation (R_RISCV_\w+) cannot be used against (?:local )?(?:symbol )?'?([^;'\n]*)", part) or
                    re.match(r"(cannot preempt) symbol: (\S+)", part))
        place = re.search(r">>> referenced by (\S+:\d+)", part) or re.search(r">>> referenced by (.*)", part)
        where = f", used at {place.group(1)}," if place and not place.group(1).startswith("/") else ""
        if absolute:
            kind = absolute.group(1).replace("cannot preempt", "(absolute)")
            errors.append(f"unsupported relocation {kind} against '{absolute.group(2).strip()}'"
                          f"{where.rstrip(',')}: the code contains an absolute address, but where an operator "
                          f"lies is not known before it is loaded; in assembly, use la")
            continue
        if not symbol:
            errors.append("the linker refused the operator: " + " ".join(part.split()).replace(">>>", ";"))
            continue
        errors.append(f"undefined symbol '{symbol.group(1)}'{where or ':'} {likely_cause(symbol.group(1))}")
    raise OperatorError("\nanpucc: error: ".join(dict.fromkeys(errors)) or f"the linker failed:\n{text}")


def show(kernels):
    """--print-kernels."""
    for kernel in kernels:
        print(f"{kernel.symbol}: {kernel.args_size} bytes of arguments, {kernel.where}")
        for param in kernel.params:
            print(f"  +{param.offset:<5} {param.size:>5} bytes  {param.text} {param.name}")
