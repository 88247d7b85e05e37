# SPDX-License-Identifier: MIT
"""The modules of the VM's kernel: what depends on what, and their decompressed contents."""
import gzip
import lzma
import os
import struct
import subprocess
import tempfile


class ModuleError(Exception):
    pass


def normalise(name):
    return name.replace("-", "_")


class ModuleTree:
    """One lib/modules/RELEASE directory with the modules.dep that depmod wrote."""

    def __init__(self, directory):
        self.directory = directory
        self.paths = {}
        self.depends = {}
        self.builtin = set()
        try:
            with open(os.path.join(directory, "modules.dep"), encoding="utf-8") as f:
                for line in f:
                    path, needs = line.rstrip("\n").split(":")
                    self.paths[self.name_of(path)] = path
                    self.depends[self.name_of(path)] = [self.name_of(n) for n in needs.split()]
            with open(os.path.join(directory, "modules.builtin"), encoding="utf-8") as f:
                self.builtin = {self.name_of(line.rstrip("\n")) for line in f}
        except OSError as error:
            raise ModuleError(f"cannot read the list of the VM's modules: {error}; run make") from error

    @staticmethod
    def name_of(path):
        return normalise(os.path.basename(path).split(".ko")[0])

    def closure(self, names):
        """The modules and everything they need, in an order in which they can be loaded."""
        order = []
        for name in map(normalise, names):
            if name in self.builtin:
                continue
            if name not in self.paths:
                raise ModuleError(f"the VM's kernel has no module {name}")
            # modules.dep lists what must be loaded first last.
            for needed in [*reversed(self.depends[name]), name]:
                if needed not in order:
                    order.append(needed)
        return order

    def file(self, name):
        return os.path.join(self.directory, self.paths[name])


def loadable(path):
    """A module's file as the VM loads it: decompressed and slim."""
    return slim(unpacked(path))


def unpacked(path):
    with open(path, "rb") as f:
        data = f.read()
    if path.endswith(".xz"):
        return lzma.decompress(data)
    if path.endswith(".gz"):
        return gzip.decompress(data)
    if path.endswith(".zst"):
        return subprocess.run(["zstd", "-dcq"], input=data, check=True, capture_output=True).stdout
    return data


SIGNATURE_MAGIC = b"~Module signature appended~\n"
SIGNATURE_HEAD = struct.Struct(">8xI")


def slim(data):
    """A module without its signature, its BTF and what debuggers read. Checking the first, parsing the BTF of the whole kernel
    and copying the rest take most of a module's load time under emulation; the VM neither enforces signatures nor traces types."""
    if data.endswith(SIGNATURE_MAGIC):
        end = len(data) - len(SIGNATURE_MAGIC) - SIGNATURE_HEAD.size
        data = data[:end - SIGNATURE_HEAD.unpack_from(data, end)[0]]
    with tempfile.NamedTemporaryFile(suffix=".ko") as f:
        f.write(data)
        f.flush()
        result = subprocess.run(["objcopy", "--strip-debug", "-R", ".BTF", "-R", ".BTF.base", f.name], capture_output=True, check=False)
        if result.returncode:
            raise ModuleError(f"objcopy failed: {result.stderr.decode(errors='replace').strip()}")
        # objcopy replaces the file: read the new one by its name.
        with open(f.name, "rb") as new:
            return new.read()


def needed_by(path):
    """The modules that the module file at path says it depends on."""
    with open(path, "rb") as f:
        data = f.read()
    # .modinfo is a list of NUL-terminated key=value strings.
    at = data.find(b"\0depends=")
    if at < 0:
        raise ModuleError(f"{path} is not a kernel module: it has no .modinfo")
    value = data[at + 9:data.index(b"\0", at + 9)].decode()
    return [name for name in value.split(",") if name]
