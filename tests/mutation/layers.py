# SPDX-License-Identifier: MIT
"""What is built and tested for the kernel, for libacl and for the model."""
import glob
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Which programs come first: patterns of files, and what is run for them. What follows is every other program of the layer, the
# fast ones first.
NEAREST = {
    "kernel": [
        ("*/anpu_bo.c", "bo mmap away"), ("*/anpu_user.c", "limits"), ("*/anpu_debugfs.c", "away diag"),
        ("*/anpu_drv.c", "dev_query bo stream diag"), ("*/anpu_device.c", "dev_query diag"), ("*/anpu_userptr.c", "userptr"), ("*/anpu_peer.c", "two prime"),
        ("*/anpu_mmu.c", "vm_bind recycle"), ("*/anpu_vm.c", "vm_bind"), ("*/anpu_stream.c", "stream submit ring death"),
        ("*/anpu_submit.c", "submit event"), ("*/anpu_map.c", "mmap userq"), ("*/anpu_event.c", "event diag"),
        ("*/anpu_wa[ik]*.c", "wait waiters"), ("*/anpu_reset.c", "reset state"), ("*/anpu_pm.c", "away unbind"),
        ("*/anpu_watchdog.c", "errors state reset"), ("*/anpu_d*.c", "dev_query diag"), ("*/anpu_hbm.c", "bo recycle"),
    ],
    "lib": [
        ("*/core/json.c", "config"), ("*/core/handle.c", "rules threads"), ("*/launch/elf*.c", "binary functions symbols"),
        ("*/launch/hostsym.c", "symbols"), ("*/memory/region.c", "memory vmm ipc managed"), ("*/memory/share.c", "ipc vmm"),
        ("*/memory/address.c", "faults vmm"),
        ("*/memory/memory.c", "faults mempool vmm"), ("*/stream/stream.c", "capture"), ("*/memory/cpumap.c", "vmm"), ("*/pool/arena.c", "mempool allocator"),
        ("*/stream/longwait.c", "waits"), ("*/stream/overflow.c", "overflow"), ("*/stream/fault.c", "faults exception"),
        ("*/stream/ring.c", "fullring stream"), ("*/stream/slot.c", "fullring stream packets"),
        ("*/stream/order.c", "eventorder stream"), ("*/sync/events.c", "event ipcsync"), ("*/diag/fault.c", "faults exception"),
        ("*/copy/*", "copy batch memset reduce random"), ("*/core/*", "init errors config options functions"),
        ("*/device/*", "device context info limits"), ("*/diag/*", "exception faults overflow"),
        ("*/graph/*", "graph capture graphtask graphbuild"), ("*/launch/*", "binary launch args hostargs print symbols"),
        ("*/memory/*", "memory mempool vmm allocator managed hostreg"), ("*/stream/*", "stream abort callback hostfunc"),
        ("*/sync/*", "event notify eventorder ipcsync"),
    ],
    "model": [
        ("*/core/tile/*", "tile/*"), ("*/core/check*", "core/test_check*"), ("*/core/jit/*", "core/test_jit core/test_int"),
        ("*/core/sync.c", "core/test_sys device/sync_test"), ("*/core/*fp*", "core/test_fp"), ("*/core/*", "core/*"),
        ("*/shadow.c", "model/shadow_test"), ("*/busy.c", "model/busy_test"), ("*/dma.c", "model/packet_test model/long_test model/limit_test"),
        ("*/event.c", "model/queue_test"), ("*/inject.c", "model/inject_test"), ("*/job.c", "model/sched_test"),
        ("*/manager.c", "model/watch_test model/regs_test"), ("*/mmu.c", "model/mmu_test"), ("*/pool.c", "model/sched_test"),
        ("*/print.c", "model/print_test"), ("*/random.c", "model/random_test"), ("*/reduce.c", "model/reduce_test"),
        ("*/sema.c", "model/jump_test model/packet_test"), ("*/*.c", "model/queue_test model/regs_test"),
    ],
}


def words_of(pattern, text):
    match = re.search(pattern, text, re.M)
    if not match:
        sys.exit("tests/mutants: no list of test programs matches %s" % pattern)
    return match[1].replace("\\\n", " ").split()


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


class InVm:
    """Programs of a directory that the VM runs. @check is one that passes whenever the device works; @command starts a VM, or,
    where programs need none, is what they run with on this machine (@native)."""

    def __init__(self, directory, programs, command, check, native=False):
        self.directory, self.programs, self.command, self.check, self.native = directory, programs, command, check, native


class OnHost:
    """Programs that are built and run one by one; @build and @run have {p} for the program."""

    def __init__(self, groups):
        self.groups = groups
        self.programs = ["%s/%s" % (group, name) for group, (names, _, _) in groups.items() for name in names]

    def steps(self, names, tree):
        """Name, command that builds, command that runs."""
        for name in names:
            group, program = name.split("/")
            _, build, run = self.groups[group]
            yield name, build.format(p=program, b=tree + "/build"), run.format(p=program, b=tree + "/build")


# Programs of tests/unit/lib that test a source by itself, on the host
LIB_UNITS = [("*/launch/elf*.c", "elf"), ("*/core/handle.c", "handle"), ("*/core/error.c", "handle"), ("*/core/json.c", "json"),
             ("*/core/tree.c", "tree"), ("*/diag/fault.c", "faulttext")]


def callers_of(path, programs):
    """Programs of libacl that call the functions of the API that a source has: those first that have most of the calls."""
    functions = set(re.findall(r"^\w[\w\s*]*?\b(acl\w+)\(", read(os.path.join(TOP, path)), re.M))
    calls = {p: read("%s/tests/libacl/%s.c" % (TOP, p)) for p in programs}
    score = dict.fromkeys(programs, 0.0)
    for function in functions:
        counts = {p: len(re.findall(r"\b%s\b" % function, text)) for p, text in calls.items()}
        for program, count in counts.items():
            score[program] += count / (sum(counts.values()) or 1)
    return sorted((p for p in programs if score[p] > 0.1), key=lambda p: -score[p])


def kernel_tests():
    names = words_of(r"^TEST_GEN_PROGS :=((?:.*\\\n)*.*)$", read(TOP + "/tests/kselftest/Makefile"))
    return InVm("build/tests/kselftest", names, "scripts/anpu-run --no-tty --device hbm=256M,cores=4 --module {pristine}", None)


def lib_tests():
    """The programs of the suite libacl that need no driver: those that tests/libacl/direct runs."""
    needs = re.search(r"<<-'END'\n(.*?)\n\s*END", read(TOP + "/tests/libacl/direct"), re.S)
    needs = {line.split()[0] for line in needs[1].splitlines()}
    tests = lib_vm_tests()
    return InVm(tests.directory, [p for p in tests.programs if p not in needs],
                "env ANPU_DEVICE=direct ANPU_DIRECT=hbm=512M", "init", True)


def lib_vm_tests():
    command = re.search(r"^libacl\s+\d+\s+(.*?) tests/vm-suite build/tests/libacl (.*)$", read(TOP + "/tests/suites"), re.M)
    return InVm("build/tests/libacl", command[2].split(), command[1], "init")


def model_tests():
    def found(pattern):
        return sorted(os.path.basename(f)[:-2] for f in glob.glob(TOP + pattern))

    core = [n for n in found("/tests/unit/core/test_*.c") if n not in ("test_isa", "test_program")]
    core_run = " && ".join("ANPU_JIT=%s {b}/tests/unit-core/fast/{p}" % mode for mode in ("on", "eager", "off"))
    tiles = words_of(r"^tile_tests :=(.*?)$", read(TOP + "/tests/unit/core/tiles.mk"))
    devices = words_of(r"^TESTS\s+:=(.*?)$", read(TOP + "/tests/unit/device/Makefile"))
    return OnHost({
        "model": (found("/tests/unit/model/*_test.c"), "make -s -C qemu-device programs VARIANTS=plain TESTS={p}",
                  "{b}/model/plain/bin/{p}"),
        "core": (core, "make -s -C tests/unit/core {b}/tests/unit-core/fast/{p}", core_run),
        "tile": (tiles, "make -s -C tests/unit/core -f tiles.mk {b}/tiles/fast/{p}", "{b}/tiles/fast/{p}"),
        "device": (devices, "make -s -C tests/unit/device {b}/tests/unit-device/plain/{p} {b}/tests/unit-device/ops.o",
                   "OPS={b}/tests/unit-device/ops.o {b}/tests/unit-device/plain/{p}"),
    })


DRIVER = "make -s -C kernel KDIR=$PWD/build/guest/kdir"
SELFTESTS = """
make -s -C tests/kselftest OUTPUT=$PWD/build/tests/kselftest SELFTESTS=$PWD/build/cache/linux-source/tools/testing/selftests \
	KHDR_INCLUDES="$(pkg-config --cflags libdrm)" ANPU_INCLUDES="-I$PWD/include -I$PWD/include/uapi"
"""
# Test programs and the direct engine are what the tree has: no mutant changes them.
NATIVE = """
make -s -C {top}/lib/direct && make -s -C {top}/tests tests && rm -rf build/tests/libacl build/operators && mkdir -p build/tests &&
cp -r {top}/build/tests/libacl build/tests/ && cp -r {top}/build/operators build/ && cp {top}/build/lib/libanpu-direct.so build/lib/
""".format(top=TOP)
LIB_SOURCES, LIB_BUILD = ["lib/acl/*/*.c"], "make -s -C lib WARN=-Wall"
# Sources, what compiles them, where the object of a source is, what has to be there before, and the tests
LAYERS = {
    "kernel": (["kernel/anpu_*.c"], DRIVER, lambda f: "build/kernel/" + os.path.basename(f)[:-2] + ".o",
               "mkdir -p build/tests/kselftest && " + SELFTESTS.strip(), kernel_tests),
    "lib": (LIB_SOURCES, LIB_BUILD, lambda f: "build/lib/acl/" + f[len("lib/acl/"):-2] + ".o", NATIVE, lib_tests),
    "lib-vm": (LIB_SOURCES, LIB_BUILD, lambda f: "build/lib/acl/" + f[len("lib/acl/"):-2] + ".o",
               DRIVER + " && make -s -C tests", lib_vm_tests),
    "model": (["qemu-device/model/*.c", "qemu-device/model/core/*.c", "qemu-device/model/core/jit/*.c",
               "qemu-device/model/core/tile/*.c"], "make -s -C qemu-device WARN=-Wall",
              lambda f: "build/model/plain/" + f[len("qemu-device/"):-2] + ".o", "true", model_tests),
}
# A change in the kernels of tile operations compiles for minutes, as each function exists for each width of vectors.
# The peer files need two devices, as the suite libacl-two has.
LEFT_OUT = ["*/kern_*.c", "*/anpu_trace.c", "lib/acl/*/peer*.c"]
NEAREST["lib-vm"] = NEAREST["lib"]
