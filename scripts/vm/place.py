# SPDX-License-Identifier: MIT
"""Where the parts of the VM are: in the source tree, or in a tree that `make install` has made."""
import os
import subprocess


class Place:
    """guest: what the VM boots; driver: anpu.ko; library: the directory of libascendcl.so; qemu: the device, as a plugin
    or inside a QEMU; cache: where files may be kept that save time; scripts: what builds, None in an installed tree."""

    def __init__(self, guest, driver, library, qemu, cache, scripts=None):
        self.guest = guest
        self.driver = driver
        self.library = library
        self.qemu = qemu
        self.cache = cache
        self.scripts = scripts

    def remedy(self, target=""):
        """What to do when a part is missing that `make TARGET` builds."""
        return f"run make {target}".strip() if self.scripts else "run make install again in the source tree"


def version(program):
    """The version of the tree that an anpu-run belongs to: MAJOR.MINOR.PATCH."""
    directory = os.path.dirname(os.path.realpath(program))
    command = os.path.join(directory, "version")
    if os.path.exists(command):
        return subprocess.run([command], check=True, stdout=subprocess.PIPE, encoding="ascii").stdout.strip()
    with open(os.path.join(os.path.dirname(directory), "lib/anpu/version"), encoding="ascii") as file:
        return file.read().strip()


def find(program):
    """The place of the anpu-run whose file is given: scripts/anpu-run, or PREFIX/bin/anpu-run."""
    directory = os.path.dirname(os.path.realpath(program))
    top = os.path.dirname(directory)
    if os.path.isdir(os.path.join(directory, "vm")):
        guest = os.path.join(top, "build/guest")
        return Place(guest, os.path.join(top, "build/kernel/anpu.ko"), os.path.join(top, "build/lib"),
                     os.path.join(top, "build/qemu"), guest, directory)
    library = os.path.join(top, "lib/anpu")
    guest = os.path.join(library, "guest")
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Place(guest, os.path.join(guest, "anpu.ko"), library, os.path.join(library, "qemu"), os.path.join(cache, "anpu"))
