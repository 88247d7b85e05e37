# SPDX-License-Identifier: MIT
"""What is built and tested for the kernel, for libacl and for the model."""
import glob
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Which programs come first: patterns of files, and what is run for them. What follows is every other program of the layer, the
# fast ones first.
NEAREST = {
    "kernel": [
        ("*/anpu_bo.c", "bo mmap away"), ("*/anpu_user.c", "limits cgroup"), ("*/anpu_debugfs.c", "away diag"),
        ("*/anpu_drv.c", "dev_query bo stream diag cgroup"), ("*/anpu_device.c", "dev_query diag"), ("*/anpu_userptr.c", "userptr"), ("*/anpu_peer.c", "two prime"),
        ("*/anpu_mmu.c", "vm_bind recycle"), ("*/anpu_vm.c", "vm_bind"), ("*/anpu_stream.c", "stream submit ring death"),
        ("*/anpu_submit.c", "submit event"), ("*/anpu_map.c", "mmap userq"), ("*/anpu_event.c", "event diag"),
        ("*/anpu_queue.c", "reset state death busy print"), ("*/anpu_fence.c", "fence fencefate"), ("*/anpu_job.c", "fence fencefate"),
        ("*/anpu_gate.c", "fence fencefate"), ("*/anpu_sysfs.c", "dev_query busy"),
        ("*/anpu_wa[ik]*.c", "wait waiters"), ("*/anpu_reset.c", "reset state faults wedge"), ("*/anpu_pm.c", "away unbind wedge"),
        ("*/anpu_watchdog.c", "errors state reset faults hostile"), ("*/anpu_d*.c", "dev_query diag"), ("*/anpu_hbm.c", "bo recycle"),
    ],
    "lib": [
        ("*/util/json.c", "json config"), ("*/core/handle.c", "handle rules threads"), ("*/util/tree.c", "tree"),
        ("*/launch/elf*.c", "elf binary functions symbols"),
        ("*/launch/hostsym.c", "symbols"), ("*/memory/region.c", "memory vmm ipc managed"), ("*/memory/share.c", "ipc vmm"),
        ("*/memory/address.c", "faults vmm"),
        ("*/memory/memory.c", "faults mempool vmm"), ("*/stream/stream.c", "capture"), ("*/memory/cpumap.c", "vmm"), ("*/pool/arena.c", "mempool allocator"),
        ("*/stream/longwait.c", "waits"), ("*/stream/overflow.c", "overflow"), ("*/stream/fault.c", "faults exception"),
        ("*/stream/ring.c", "fullring stream"), ("*/stream/slot.c", "fullring stream packets"),
        ("*/stream/order.c", "eventorder stream"), ("*/sync/events.c", "event ipcsync"), ("*/diag/fault.c", "faulttext faults exception"),
        ("*/copy/*", "copy batch memset reduce random"), ("*/core/*", "init errors config options functions"),
        ("*/device/*", "device context info limits"), ("*/diag/*", "exception faults overflow"),
        ("*/graph/*", "graph capture graphtask graphbuild"), ("*/launch/*", "binary launch args hostargs print symbols"),
        ("*/memory/*", "memory mempool vmm allocator managed hostreg"), ("*/stream/*", "stream abort callback hostfunc"),
        ("*/sync/*", "event notify eventorder ipcsync"),
    ],
    "model": [
        ("*/core/tile/*", "tile/*"), ("*/core/check/*", "core/test_check* diagnosis/*"), ("*/core/jit/*", "core/test_jit core/test_int"),
        ("*/core/sync.c", "core/test_sys device/sync_test"), ("*/core/cluster.c", "cuda/*"), ("*/core/thread*", "core/* simt/* cuda/*"), ("*/core/*fp*", "core/test_fp"), ("*/core/*", "core/*"),
        ("*/shadow.c", "model/shadow_test"), ("*/busy.c", "model/busy_test"), ("*/dma.c", "model/packet_test model/long_test model/limit_test"),
        ("*/event.c", "model/queue_test"), ("*/inject.c", "model/inject_test"), ("*/job.c", "model/sched_test model/long_test model/packet_test"),
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


class Tests:
    """The tests of a layer, by name: what runs with which environment, in the copy of the tree. What they need is built by @prepare,
    shell commands. @command begins what runs them: a VM, or on this machine nothing or what makes their surroundings. @check is a test
    that passes whenever the device works. A name begins with its program's."""

    def __init__(self, prepare, command="", check=None):
        self.prepare, self.command, self.check = prepare, command, check
        self.vm = bool(command)
        self.tests = {}

    def add(self, name, *argv, **environment):
        self.tests[name] = {"argv": argv, "environment": environment}

    def programs(self):
        return sorted({name.split()[0] for name in self.tests})

    def without(self, programs):
        self.tests = {name: test for name, test in self.tests.items() if name.split()[0] not in programs}


# Programs of tests/unit/lib that test a source by itself, on the host
LIB_UNITS = "elf handle json tree text faulttext".split()


def source_of(library, program):
    """The source of a library's test program, which may be in a room of tests/LIBRARY; None if there is no such program."""
    found = glob.glob("%s/tests/%s/%s.c" % (TOP, library, program)) + glob.glob("%s/tests/%s/*/%s.c" % (TOP, library, program))
    return found[0] if found else None


def callers_of(path, programs):
    """Programs of libacl that call the functions of the API that a source has: those first that have most of the calls."""
    functions = set(re.findall(r"^\w[\w\s*]*?\b(acl\w+)\(", read(os.path.join(TOP, path)), re.M))
    files = {p: source_of("libacl", p) for p in programs}
    calls = {p: read(f) for p, f in files.items() if f}
    score = dict.fromkeys(calls, 0.0)
    for function in functions:
        counts = {p: len(re.findall(r"\b%s\b" % function, text)) for p, text in calls.items()}
        for program, count in counts.items():
            score[program] += count / (sum(counts.values()) or 1)
    return sorted((p for p in calls if score[p] > 0.1), key=lambda p: -score[p])


def names_in(path, pattern):
    return list(dict.fromkeys(re.findall(pattern, read(path), re.M)))


def add_kselftests(tests, programs):
    """Each test of programs of the driver by itself; programs without a harness as a whole."""
    for program in programs:
        source, binary = "%s/tests/kselftest/%s.c" % (TOP, program), "build/tests/kselftest/" + program
        names = names_in(source, r"^TEST(?:\(|_F(?:_TIMEOUT)?\(\w+, )(\w+)")
        for name in names if "TEST_HARNESS_MAIN" in read(source) else ():
            tests.add("%s %s" % (program, name), binary, "-t", name)
        if not names:
            tests.add(program, binary)


SELFTESTS_ARE_BUILT = "mkdir -p build/tests/kselftest && "


def kernel_tests():
    """The programs of the suite kselftest, and those of kselftest-machines for one NPU that fails or lies."""
    tests = Tests([SELFTESTS_ARE_BUILT + SELFTESTS.strip()],
                  "scripts/anpu-run --no-tty --device hbm=256M,cores=4,inject=on --append iomem=relaxed --module {driver} ")
    add_kselftests(tests, words_of(r"^TEST_GEN_PROGS :=((?:.*\\\n)*.*)$", read(TOP + "/tests/kselftest/Makefile")))
    add_kselftests(tests, ["faults", "collide", "hostile", "wedge"])
    # From one seed and short: longer runs are the suite kselftest-stress.
    tests.add("fuzz", "build/tests/kselftest/fuzz", ANPU_FUZZ_SECONDS="3", ANPU_FUZZ_SEED="7")
    tests.add("storm", "build/tests/kselftest/storm", ANPU_STORM_SECONDS="3", ANPU_STORM_SEED="7")
    return tests


def kernel_machines_tests():
    """The programs of the suite kselftest-machines for two NPUs, an IOMMU, and devices that fail or lie, in one VM that has all of
    that. Its programs for other machines (bounce buffers, an older device, hot-plug, suspend) need a VM each."""
    tests = Tests([SELFTESTS_ARE_BUILT + SELFTESTS.strip()],
                  "scripts/anpu-run --no-tty --device hbm=256M,cores=2,inject=on --device hbm=64M,cores=2,inject=on "
                  "--append 'intel_iommu=on iomem=relaxed' --qemu-arg=-device --qemu-arg=intel-iommu --module {driver} ")
    add_kselftests(tests, ["peer", "fencepeer", "faults", "collide", "hostile", "wedge"])
    tests.check = next(name for name in tests.tests if name.startswith("peer "))
    return tests


def add_programs(tests, library, programs, note="", **environment):
    """Each test of the programs of a library by itself. A name chooses all tests whose names contain it. @note tells those apart that
    run once more with another environment."""
    for program in programs:
        source = source_of(library, program)
        if not source:
            sys.exit("tests/mutants: tests/%s has no program '%s', which a list of test programs names" % (library, program))
        for name in names_in(source, r"\bTEST(?:_SECONDS)?\((\w+)"):
            tests.add("%s %s%s" % (program, name, note), "build/tests/%s/%s" % (library, program), name, **environment)


def add_libacl(tests, programs, note="", **environment):
    add_programs(tests, "libacl", programs, note, **environment)


def add_catalogue(tests, **environment):
    """Each seeded bug of tests/diagnosis by itself."""
    for source in ("cases", "morecases"):
        for name in names_in("%s/tests/diagnosis/%s.py" % (TOP, source), r'^    \("(\w+)", '):
            tests.add("diagnosis/catalogue " + name, "tests/diagnosis/catalogue.py", name, **environment)


def suite_programs(name):
    """The programs of a suite in the VM, without the tests that it chooses of them."""
    programs = words_of(r"^%s\s.*tests/vm-suite build/tests/%s (.*)$" % (name, name), read(TOP + "/tests/suites"))
    return list(dict.fromkeys(p.split("=")[0] for p in programs))


def libacl_suite():
    """What starts the VM of the suite libacl, and its programs."""
    command = re.search(r"^libacl\s+\d+\s+(.*?) tests/vm-suite build/tests/libacl (.*)$", read(TOP + "/tests/suites"), re.M)
    return command[1], command[2].split()


def lib_tests():
    """The programs of the suite libacl that need no driver: those that tests/libacl/direct runs, and on a server those of several
    processes; the unit tests; the programs of libraries that stand on libacl, and those of diagnosis."""
    needs = re.search(r"<<-'END'\n(.*?)\n\s*END", read(TOP + "/tests/libacl/direct"), re.S)
    needs = {line.split()[0] for line in needs[1].splitlines()}
    tests = Tests([NATIVE] + ["make -s -C tests/unit/lib CC='cc -w' $PWD/build/tests/unit-lib/" + unit for unit in LIB_UNITS])
    one, two = {"ANPU_DEVICE": "direct", "ANPU_DIRECT": "hbm=512M"}, {"ANPU_DEVICE": "direct", "ANPU_DIRECT": "hbm=256M;hbm=512M"}
    add_libacl(tests, ["engine", *(p for p in libacl_suite()[1] if p not in needs)], **one)
    add_libacl(tests, ["check", "nomemory"], ANPU_DEVICE="direct", ANPU_DIRECT="hbm=256M")
    add_libacl(tests, ["twodevices", "peers"], **two)
    # Several processes, on a server that the first of them starts: its socket is in the copy of the tree.
    server = {"ANPU_DEVICE": "server:build/server"}
    add_libacl(tests, ["ipc", "ipcsync"], ANPU_DIRECT="hbm=512M", **server)
    # The other process has the other device, as in the suite libacl-two.
    server = {"ANPU_DEVICE": "server:build/server2", "PARTNER_DEVICE": "1"}
    add_libacl(tests, ["ipc", "ipcsync"], " (two devices)", ANPU_DIRECT="hbm=256M;hbm=512M", **server)
    add_catalogue(tests, **one)
    for name in ("timeline", "inject"):
        tests.add("diagnosis/" + name, "tests/diagnosis/%s.py" % name, **one)
    for name in suite_programs("cuda"):
        tests.add("cuda/" + name, "build/tests/cuda/" + name, **one)
    for name in suite_programs("hccl"):
        tests.add("hccl/" + name, "build/tests/hccl/" + name, **two)
    for unit in LIB_UNITS:
        tests.add(unit, "build/tests/unit-lib/" + unit)
    return tests


def front_tests(library, devices):
    """The programs of a library that stands on libacl, on this machine."""
    tests = Tests([BESIDE % {"library": library}])
    add_programs(tests, library, suite_programs(library), ANPU_DEVICE="direct", ANPU_DIRECT=devices)
    return tests


def cuda_tests():
    return front_tests("cuda", "hbm=512M")


def hccl_tests():
    devices = "cores=2,hbm=256M;cores=2,hbm=256M"
    tests = front_tests("hccl", devices)
    add_programs(tests, "hccl", ["refused"], ANPU_DEVICE="direct", ANPU_DIRECT=devices)
    # Ranks that are processes have the devices of one server.
    tests.without(["apart"])
    add_programs(tests, "hccl", ["apart"], ANPU_DEVICE="server:build/server", ANPU_DIRECT=devices)
    add_programs(tests, "hccl", ["apart"], " (ucx)", ANPU_DEVICE="server:build/server", ANPU_DIRECT=devices, ANPU_HCCL_TRANSPORT="ucx")
    add_programs(tests, "hccl", ["apart"], " (a device each)", ANPU_DEVICE="direct", ANPU_DIRECT=devices)
    # Of algorithms: results, steps and bytes of up to 1,024 ranks, without a device
    tests.prepare.append(SIMULATE)
    tests.add("simulate", "build/tests/hccl/simulated")
    if not subprocess.run([TOP + "/tests/hccl/machines", "--run", "true"], check=False).returncode:
        tests.command = "tests/hccl/machines --run "
        machines = {"ANPU_DEVICE": "direct", "ANPU_DIRECT": devices, "HCCL_TEST_MACHINES": "4", "UCX_TLS": "tcp,self"}
        for name in words_of(r"^\[ \$# -gt 0 \] \|\| tests=\(([^)]*)\)", read(TOP + "/tests/hccl/machines")):
            tests.add("apart %s (machines)" % name, "build/tests/hccl/apart", name, **machines)
        add_programs(tests, "hccl", ["network"], " (machines)", **machines)
    return tests


def lib_vm_tests():
    command, programs = libacl_suite()
    tests = Tests([DRIVER, "make -s -C tests"], command + " ")
    add_libacl(tests, programs)
    tests.check = next(name for name in tests.tests if name.startswith("init "))
    return tests


def model_tests():
    def found(pattern):
        return sorted(os.path.basename(f)[:-2] for f in glob.glob(TOP + pattern))

    device = [n for n in found("/tests/unit/model/*_test.c")]
    core = [n for n in found("/tests/unit/core/test_*.c") if n not in ("test_isa", "test_program")]
    tiles = words_of(r"^tile_tests :=(.*?)$", read(TOP + "/tests/unit/tile/Makefile"))
    whole = words_of(r"^TESTS\s+:=(.*?)$", read(TOP + "/tests/unit/device/Makefile"))

    def made(command, names, where):
        return [command + "".join(" $PWD/build/%s/%s" % (where, name) for name in names)] if names else []

    tests = Tests(["make -s -C qemu-device programs WARN=-w VARIANTS=plain TESTS='%s'" % " ".join(device)] +
                  made("make -s -C tests/unit/core", core, "tests/unit-core/fast") +
                  made("make -s -C tests/unit/tile", tiles, "tests/unit-tile/fast") +
                  made("make -s -C tests/unit/device", ["plain/" + w for w in whole] + ["ops.o"] * bool(whole), "tests/unit-device"))
    # Clusters, threads, races between blocks and the checking mode are tested by programs on the whole engine, which the tree of
    # tests/e2e/mutants.sh does not have.
    if os.path.isdir(TOP + "/lib/direct"):
        tests.prepare += [ENGINE]
        engine = {"ANPU_DEVICE": "direct", "ANPU_DIRECT": "hbm=512M"}
        for name in ("grids", "launch"):
            tests.add("cuda/" + name, "build/tests/cuda/" + name, **engine)
        add_catalogue(tests, **engine)
        for name in ("core", "gdb", "inject", "replay"):
            tests.add("diagnosis/" + name, "tests/diagnosis/%s.py" % name, **engine)
        # It makes anpu-op, whose objects have all mutants of a run, with the warnings of those.
        tests.add("simt/check", "tests/simt/check", MAKEFLAGS="WARN=-w")
    for name in device:
        tests.add("model/" + name, "build/model/plain/bin/" + name)
    for name in core:
        for mode in ("on", "eager", "off"):
            tests.add("core/%s %s" % (name, mode), "build/tests/unit-core/fast/" + name, ANPU_JIT=mode)
    for name in tiles:
        tests.add("tile/" + name, "build/tests/unit-tile/fast/" + name)
    for name in whole:
        tests.add("device/" + name, "build/tests/unit-device/plain/" + name, OPS="build/tests/unit-device/ops.o")
    return tests


DRIVER = "KCFLAGS=-w make -s -C kernel KDIR=$PWD/build/guest/kdir"
SELFTESTS = """
make -s -C tests/kselftest OUTPUT=$PWD/build/tests/kselftest SELFTESTS=$PWD/build/cache/linux-source/tools/testing/selftests \
	KHDR_INCLUDES="$(pkg-config --cflags libdrm)" ANPU_INCLUDES="-I$PWD/include -I$PWD/include/uapi"
"""
# Test programs, the direct engine and other libraries are what the tree has: no mutant changes them.
NATIVE = """
make -s -C {top}/lib/direct && make -s -C {top}/lib/kit && make -s -C {top}/lib/python && make -s -C {top}/tests ascendc-operators tests diagnosis samples && mkdir -p build/tests &&
rm -rf build/tests/libacl build/tests/ascendc build/tests/diagnosis build/tests/cuda build/tests/hccl build/operators build/cuda build/kit build/samples build/python &&
cp -r {top}/build/tests/libacl {top}/build/tests/ascendc {top}/build/tests/diagnosis {top}/build/tests/cuda {top}/build/tests/hccl build/tests/ &&
cp -r {top}/build/operators {top}/build/cuda {top}/build/kit {top}/build/samples {top}/build/python build/ &&
cp {top}/build/lib/libanpu-direct.so {top}/build/lib/anpu-server {top}/build/lib/libhccl.so build/lib/
""".format(top=TOP)
# The same with the engine of the copy, which has the mutants of the model
ENGINE = """
mkdir -p build/tests build/lib && make -s -C lib/direct && make -s -C lib/tools && make -s -C {top}/lib/hccl && make -s -C {top}/lib/python && make -s -C {top}/tests tests diagnosis &&
rm -rf build/tests/diagnosis build/tests/cuda build/tests/libacl build/operators build/cuda build/kit build/python &&
cp -r {top}/build/tests/diagnosis {top}/build/tests/cuda {top}/build/tests/libacl build/tests/ && cp -r {top}/build/operators {top}/build/cuda {top}/build/kit {top}/build/python build/ &&
cp {top}/build/lib/libascendcl.so {top}/build/lib/libacl.so {top}/build/lib/libhccl.so build/lib/
""".format(top=TOP)
# Of a library that stands on libacl only itself has mutants: the rest is what the tree has.
GIVEN = "mkdir -p build/lib && cp -u {top}/build/lib/libascendcl.so {top}/build/lib/libacl.so build/lib/ && ".format(top=TOP)
BESIDE = """
make -s -C {top}/lib/direct && make -s -C {top}/tests tests && mkdir -p build/tests && rm -rf build/tests/%s build/operators build/kit &&
cp -r {top}/build/tests/%s build/tests/ && cp -r {top}/build/operators {top}/build/kit build/ &&
cp {top}/build/lib/libanpu-direct.so {top}/build/lib/anpu-server build/lib/
""".format(top=TOP).replace("%s", "%(library)s")
SIMULATE = """
gcc -O2 -g -w -std=gnu11 -D_GNU_SOURCE -iquote lib/hccl -iquote lib/acl -Iinclude tests/hccl/simulate/simulate.c \
	lib/hccl/algo/[!r]*.c lib/hccl/algo/ring.c -o build/tests/hccl/simulated
"""
KERNEL = (["kernel/*/*.c"], DRIVER, lambda f: "build/" + f[:-2] + ".o")
LIB = (["lib/acl/*/*.c"], "make -s -C lib WARN=-w", lambda f: "build/lib/acl/" + f[len("lib/acl/"):-2] + ".o")
# Sources, what compiles them, where the object of a source is, and the tests
LAYERS = {
    "kernel": (*KERNEL, kernel_tests),
    "kernel-machines": (*KERNEL, kernel_machines_tests),
    "lib": (*LIB, lib_tests),
    "lib-vm": (*LIB, lib_vm_tests),
    "cuda": (["lib/cuda/*/*.c"], GIVEN + "make -s -C lib/cuda WARN=-w", lambda f: "build/cuda/obj/" + f[len("lib/cuda/"):-2] + ".o", cuda_tests),
    "hccl": (["lib/hccl/*.c", "lib/hccl/*/*.c"], GIVEN + "make -s -C lib/hccl WARN=-w", lambda f: "build/lib/" + f[len("lib/"):-2] + ".o",
             hccl_tests),
    "model": (["qemu-device/model/*.c", "qemu-device/model/[!g]*/*.c", "qemu-device/model/core/[!l]*/*.c"], "make -s -C qemu-device WARN=-w",
              lambda f: "build/model/plain/" + f[len("qemu-device/"):-2] + ".o", model_tests),
}
# A change in the kernels of tile operations compiles for minutes, as each function exists for each width of vectors.
LEFT_OUT = ["*/kern_*.c", "*/anpu_trace.c"]
# Need two devices, as the suite libacl-two and the layer kernel-machines have; kernels, which have no environment that could choose a mutant
LEFT_OUT_OF = {"lib-vm": ["lib/acl/*/peer*.c"], "kernel": ["*/anpu_peer.c"], "hccl": ["lib/hccl/ops/*"]}
NEAREST["lib-vm"] = NEAREST["lib"]
NEAREST["cuda"] = [
    ("*/graph/*", "graphs captures nodes"), ("*/launch/*", "launch grids"), ("*/memory/*", "virtual ranges contents"),
    ("*/stream/*", "work promises"), ("*/*", "basics"),
]
NEAREST["hccl"] = [
    ("*/algo/*", "move reduce"), ("*/group.c", "group"), ("*/suspend.c", "resume"), ("*/watch.c", "fault"), ("*/net/*", "apart"),
    ("*/*", "comm"),
]
NEAREST["kernel-machines"] = [
    ("*/anpu_peer.c", "peer fencepeer"), ("*/anpu_fence*.c", "fencepeer"), ("*/anpu_reset.c", "faults wedge collide"),
    ("*/anpu_pm.c", "wedge faults"), ("*/anpu_watchdog.c", "wedge faults hostile"),
]
