#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes a wheel of the module acl with libascendcl.so, libhccl.so and the direct engine inside: what pip calls, and make wheel.

usage: backend.py DIRECTORY     writes anpu_acl-VERSION-cp311-abi3-linux_x86_64.whl there
"""

import base64
import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.join(TOP, "build")
DRM_LICENCE = "/usr/share/doc/libdrm2/copyright"
TAG = "cp311-abi3-linux_x86_64"
METADATA = """Metadata-Version: 2.1
Name: anpu-acl
Version: %s
Summary: The AscendCL runtime API for Python, on the emulated NPU ANPU
License: MIT
Requires-Python: >=3.11
Provides-Extra: easy
Requires-Dist: numpy; extra == "easy"
Requires-Dist: tqdm; extra == "easy"

acl.rt, acl.mdl and acl.util as the AscendCL documents have them, and acl.easy, a layer of objects over them. The device
is inside the process (ANPU_DEVICE=direct), or in ANPU's virtual machine: anpu-run python3 program.py.
"""
WHEEL = "Wheel-Version: 1.0\nGenerator: anpu\nRoot-Is-Purelib: false\nTag: %s\n" % TAG


def version():
    """That of the tree; acl.get_version() tells the API's."""
    return subprocess.run([os.path.join(TOP, "scripts/version")], check=True, capture_output=True, text=True).stdout.strip()


def files():
    """What goes into the wheel: names there and files here."""
    package = os.path.join(BUILD, "python/acl")
    for directory, folders, names in os.walk(package):
        folders[:] = sorted(f for f in folders if f != "__pycache__")
        for name in sorted(names):
            path = os.path.join(directory, name)
            yield os.path.relpath(path, os.path.dirname(package)), path
    for name in "libascendcl.so", "libanpu-direct.so", "libhccl.so", "anpu-server":
        yield "acl/" + name, os.path.join(BUILD, "lib", name)
    # for machines that have none, such as a minimal container in which nobody is root
    yield "acl/libdrm.so.2", drm()
    if os.path.exists(DRM_LICENCE):
        yield "acl/libdrm.copyright", DRM_LICENCE


def drm():
    """The file of libdrm.so.2 that libascendcl.so finds here."""
    lines = subprocess.run(["ldd", os.path.join(BUILD, "lib/libascendcl.so")], check=True, capture_output=True, text=True).stdout
    for line in lines.splitlines():
        words = line.split()
        if words[:2] == ["libdrm.so.2", "=>"] and len(words) > 2 and words[2].startswith("/"):
            return words[2]
    raise SystemExit("backend.py: libdrm.so.2, which libascendcl.so needs, is not on this machine: install libdrm2")


def is_binary(path):
    return ".so" in os.path.basename(path) or path.endswith("anpu-server")


def content(path):
    """What a file is in the wheel; libraries and programs have no debug information there."""
    if not is_binary(path):
        with open(path, "rb") as file:
            return file.read()
    with tempfile.NamedTemporaryFile() as stripped:
        subprocess.run(["strip", "--strip-unneeded", "-o", stripped.name, path], check=True)
        return stripped.read()


class Wheel:
    """A wheel being written; the same files always give the same bytes."""

    def __init__(self, path):
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.record = []

    def add(self, name, data, mode=0o644):
        info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        info.external_attr = (0o100000 | mode) << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(info, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append("%s,sha256=%s,%d" % (name, digest, len(data)))

    def finish(self, info):
        self.add(info + "/METADATA", (METADATA % version()).encode())
        self.add(info + "/WHEEL", WHEEL.encode())
        # The list does not say what itself is
        self.add(info + "/RECORD", ("\n".join(self.record + [info + "/RECORD,,"]) + "\n").encode())
        self.zip.close()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 517: builds and writes the wheel, returns its name."""
    del config_settings, metadata_directory
    subprocess.run(["make", "-s", "-C", os.path.join(TOP, "lib")], check=True, stdout=sys.stderr)
    subprocess.run(["make", "-s", "-C", os.path.join(TOP, "lib/direct")], check=True, stdout=sys.stderr)
    subprocess.run(["make", "-s", "-C", os.path.join(TOP, "lib/hccl")], check=True, stdout=sys.stderr)
    subprocess.run(["make", "-s", "-C", HERE], check=True, stdout=sys.stderr)
    os.makedirs(wheel_directory, exist_ok=True)
    name = "anpu_acl-%s-%s.whl" % (version(), TAG)
    wheel = Wheel(os.path.join(wheel_directory, name))
    for inside, path in files():
        wheel.add(inside, content(path), 0o755 if is_binary(inside) else 0o644)
    wheel.finish("anpu_acl-%s.dist-info" % version())
    return name


def build_sdist(sdist_directory, config_settings=None):
    """PEP 517: there is none, because the module is built from the whole tree."""
    del sdist_directory, config_settings
    raise RuntimeError("the module acl is built from ANPU's whole tree: install from there, or make a wheel (make wheel)")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    print(os.path.join(sys.argv[1], build_wheel(sys.argv[1])))
