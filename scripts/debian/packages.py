# SPDX-License-Identifier: MIT
"""The Debian packages: what is in each, by patterns of paths of the installation below /usr, and what each needs."""

MAINTAINER = "The ANPU developers <maintainers@users.noreply.a-seed-acb84ee0.example>"

# Of the patterns that fit a path, the one that stands first here counts. {version} is that of the packages, {qemu} that of
# the QEMU that the plugin was built for, which does not load into another one.
PACKAGES = {
    "libascendcl1": {
        "section": "libs", "arch": "any", "synopsis": "AscendCL runtime API on the emulated NPU ANPU",
        "text": "libascendcl.so gives programs the functions aclrt*: devices, memory, streams, events, launches. The device is in the"
                " process (libanpu-direct.so), in a server for several processes (anpu-server) or in anpu-run's virtual machine. Libraries beside"
                " it have the calls of launchers (rt*) and tensor objects. They stand in a private directory, as POSIX ACLs"
                " have the name libacl.",
        "files": ["lib/anpu/libascendcl.so", "lib/anpu/lib[!a]*.so", "lib/anpu/libacl_*.so",
                  "lib/anpu/libascend_hal.so", "lib/anpu/libanpu*.so", "lib/anpu/anpu-server", "lib/anpu/anpu-devices", "lib/anpu/direct/*", "lib/anpu/cuda/lib*.so.*"],
        "depends": "{shlibs}", "recommends": "anpu-tools (= {version})",
    },
    "qemu-system-anpu": {
        "section": "otherosfs", "arch": "any", "synopsis": "emulated NPU as a plugin for QEMU",
        "text": "With this plugin qemu-system-x86_64 has the device anpu, a PCI NPU with AI cores, which anpu-run uses. It fits"
                " one version of QEMU.",
        "files": ["lib/anpu/qemu/*"], "depends": "{shlibs}, qemu-system-x86 (= {qemu})",
    },
    "python3-acl": {
        "section": "python", "arch": "any", "synopsis": "AscendCL runtime API for Python on the emulated NPU ANPU",
        "text": "The modules acl.rt, acl.mdl and acl.util as their documents have them, and acl.easy with objects and numpy arrays.",
        "files": ["lib/python3*/*"], "depends": "{shlibs}, python3 (>= 3.11), libascendcl1 (= {version})",
        "recommends": "python3-numpy",
    },
    "libascendcl-dev": {
        "section": "libdevel", "arch": "any", "synopsis": "AscendCL runtime API - headers and the toolkit tree",
        "text": "Headers, files for pkg-config and CMake, manual pages, and /usr/lib/anpu/toolkit, the tree that build files find"
                " by ASCEND_HOME_PATH after its set_env.sh.",
        "files": ["include/acl/*", "include/anpu-cuda/*", "include/[!a]*", "lib/anpu/libacl.so", "lib/anpu/cuda/*", "lib/anpu/cmake/*", "lib/anpu/toolkit/*", "lib/cmake/*",
                  "lib/pkgconfig/*", "share/man/man3/*"],
        "depends": "libascendcl1 (= {version}), anpu-tools (= {version})",
    },
    "anpu-dkms": {
        "section": "kernel", "arch": "all", "synopsis": "driver of the emulated NPU ANPU - source for DKMS",
        "text": "The Linux driver anpu, which is built for the installed kernels from 6.12 on. anpu-run needs it not: it brings a"
                " kernel with the driver along.",
        "files": ["src/*"], "depends": "dkms, make, gcc",
    },
    "anpu-tools": {
        "section": "devel", "arch": "any", "synopsis": "compile, test and run operators and programs for the NPU ANPU",
        "text": "anpucc and bisheng compile operators, anpu-op runs and checks them on this machine, anpu-run runs programs in a"
                " virtual machine with the NPU, npu-smi tells about devices.",
        "files": ["bin/*", "include/*", "lib/anpu/*", "share/*"],
        "depends": "{shlibs}, python3 (>= 3.11), python3-pyelftools, clang, lld, binutils",
        "recommends": "qemu-system-anpu (= {version}), libascendcl-dev (= {version}), g++",
        "suggests": "anpu-dkms, anpu-doc",
    },
    "anpu-doc": {
        "section": "doc", "arch": "all", "synopsis": "emulated NPU ANPU - documentation",
        "text": "The manual of the API, operators, tools, driver and device, as Markdown.",
        "files": [], "depends": "",
    },
}

COPYRIGHT = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: ANPU

Files: *
Copyright: 2026 The ANPU developers
License: Expat

Files: usr/src/* usr/include/anpu/*
Copyright: 2026 The ANPU developers
License: GPL-2.0-only or Expat

Files: usr/lib/anpu/qemu/*
Copyright: 2026 The ANPU developers
License: GPL-2.0-or-later
Comment: The plugin is built with headers of QEMU, whose source is Debian's package qemu.

Files: usr/lib/anpu/guest/*
Copyright: Linus Torvalds and others
License: GPL-2.0-only
Comment: vmlinux and the modules are those of Debian's package linux-image, release {release}, whose source is
 Debian's package linux; anpu.ko is built for it.

"""

# Modules of Python are compiled when a package is installed, because those that root's programs compile would stay
COMPILED = {
    "postinst": """#!/bin/sh
set -e
if [ "$1" = configure ] && command -v py3compile >/dev/null; then
	py3compile -p {name}{private}
fi
""",
    "prerm": """#!/bin/sh
set -e
if command -v py3clean >/dev/null; then
	py3clean -p {name}
fi
""",
}


def compiled(name, private=""):
    """The scripts of a package that has modules of Python, in public directories or below a private one."""
    return {script: text.replace("{name}", name).replace("{private}", private) for script, text in COMPILED.items()}


MAINTAINER_SCRIPTS = {
    "python3-acl": compiled("python3-acl"),
    "anpu-tools": compiled("anpu-tools", " /usr/lib/anpu"),
    "anpu-dkms": {
        "postinst": """#!/bin/sh
set -e
if [ "$1" = configure ]; then
	/usr/lib/dkms/common.postinst anpu {upstream} "" "" "$2"
fi
""",
        "prerm": """#!/bin/sh
set -e
if [ "$1" = remove ] || [ "$1" = upgrade ] || [ "$1" = deconfigure ]; then
	dkms remove -m anpu -v {upstream} --all >/dev/null 2>&1 || [ ! -d /var/lib/dkms/anpu/{upstream} ]
fi
""",
    },
}

# What lintian calls errors and why they are meant to be so
OVERRIDES = {
    "anpu-tools": ["statically-linked-binary [usr/lib/anpu/guest/*]", "unstripped-binary-or-object [usr/lib/anpu/guest/*]",
                   "unstripped-static-library *", "arch-dependent-file-in-usr-share *"],
    "libascendcl-dev": ["library-not-linked-against-libc *", "static-library-has-unneeded-sections *",
                        "no-code-sections [libtiling_api.a*]", "no-code-sections *"],
}
