# SPDX-License-Identifier: MIT
"""Which QEMU runs the VM, with which accelerator, and its command line."""
import json
import mmap
import os
import subprocess
import sys

from errors import VmError

PROBE_SECONDS = 6
# Measured: the fastest boot under software emulation (no firmware tables that nobody reads, no legacy devices).
MACHINE = "q35,smm=off,hpet=off,sata=off,smbus=off"
# Without "fast string operations": the kernel and C libraries then copy by plain moves, which TCG translates, not by
# rep movsb, which it steps through byte by byte. Measured: memset of 64 MiB in the VM 4 to 12 times faster.
# Without cmpxchg16b: TCG of QEMU 7.2 now and then takes the flags after it from a stale state, and a trap flag out of
# nowhere makes the kernel's allocator stop with a debug exception.
TCG_CPU = "max,-erms,-fsrm,-cx16"
# What the kernel need not do at each start here. Measured in instructions of a boot, of 0.83 billion in all:
#   jent_mod_init                    an entropy source that nothing here asks for: it times the processor
#   ftrace_check_for_weak_functions  92 million: which of 45,000 functions have been replaced by others
#   trace_eval_init                  67 million: names of numbers in the formats of trace events, for programs that parse them
#   bpf_*                            54 million: types of the whole kernel for BPF's hooks; BPF itself stays
#   load_system_certificate_list     29 million: who signs modules, which have no signature here
NOT_STARTED = ("jent_mod_init", "ftrace_check_for_weak_functions", "trace_eval_init", "bpf_tcp_ca_kfunc_init",
               "bpf_dummy_struct_ops_init", "load_system_certificate_list")
# rodata=off: once its read-only memory is protected the kernel looks at every page of its address space for one that is
# writable and executable, 132 million. --append rodata=on, which comes later, turns the protection on again.
CMDLINE = ("console=ttyS0 panic=-1 mitigations=off nokaslr tsc=reliable no_timer_check cryptomgr.notests rodata=off "
           f"initcall_blacklist={','.join(NOT_STARTED)} 8250.nr_uarts=1 i8042.nokbd i8042.noaux")


def identity(path):
    """What changes when a file is replaced."""
    info = os.stat(path)
    return [path, info.st_size, info.st_mtime_ns]


class Qemu:
    """A QEMU binary and how it gets the device."""

    def __init__(self, binary, plugin=None, firmware=(), environment=()):
        self.binary = binary
        self.environment = environment
        self.plugin = plugin
        self.firmware = firmware

    def command(self):
        words = ["/usr/bin/env", *self.environment, self.binary] if self.environment else [self.binary]
        for directory in self.firmware:
            words += ["-L", directory]
        if self.plugin:
            words += ["-plugin", f"file={self.plugin}"]
        return words


def stock_binary():
    for directory in os.environ.get("PATH", "/usr/bin").split(":"):
        path = os.path.join(directory, "qemu-system-x86_64")
        if os.access(path, os.X_OK):
            return os.path.realpath(path)
    raise VmError("qemu-system-x86_64 is not installed: run scripts/setup")


def plugin_matches(plugin, binary):
    """Whether the plugin was built from the source of this very binary. qemu_stamp is a symbol in both."""
    try:
        with open(plugin + ".stamp", encoding="utf-8") as f:
            stamp = json.load(f)
    except (OSError, ValueError):
        return False
    if stamp.get("binary") == identity(binary):
        return True
    with open(binary, "rb") as f, mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ) as data:
        return data.find(stamp["symbol"].encode()) >= 0


def sanitizer(plugin):
    """The environment of a QEMU whose plugin has AddressSanitizer. QEMU itself frees little when it ends."""
    with open(os.path.join(os.path.dirname(plugin), "preload"), encoding="utf-8") as f:
        return [f"LD_PRELOAD={f.read().strip()}", "ASAN_OPTIONS=detect_leaks=0", "UBSAN_OPTIONS=print_stacktrace=1"]


def rebuild(place):
    """The installed QEMU was replaced: fetch its source and build the device for it, or QEMU itself."""
    print("anpu-run: the installed QEMU changed, building the device for it", file=sys.stderr)
    for script in ("setup", "build-qemu"):
        if subprocess.run([os.path.join(place.scripts, script)], stdout=2, check=False).returncode:
            raise VmError("the device could not be built for the installed QEMU (see above)")


def choose(place, with_device, may_rebuild=True):
    """The QEMU to use: the stock one with the plugin, or the full build if that is what was built or asked for."""
    full = os.path.join(place.qemu, "full/qemu-system-x86_64")
    wish = os.environ.get("ANPU_QEMU", "")
    plugin = os.path.join(place.qemu, "sanitize" if wish == "sanitize" else "plugin", "anpu.so")
    if wish not in ("", "full", "plugin", "sanitize"):
        raise VmError(f"ANPU_QEMU is '{wish}': it may be 'plugin' or 'full', or 'sanitize' for tests")
    if wish == "full" and not os.path.exists(full):
        raise VmError(f"ANPU_QEMU=full, but there is no full build of QEMU: {place.remedy('qemu-full')}")
    if wish == "full" or (not wish and os.path.exists(full) and not os.path.exists(plugin)):
        return Qemu(full, firmware=("/usr/share/qemu", "/usr/share/seabios"))
    binary = stock_binary()
    if not with_device:
        return Qemu(binary)
    if not os.path.exists(plugin):
        remedy = "run ANPU_QEMU=sanitize scripts/build-qemu" if wish == "sanitize" else place.remedy("qemu")
        raise VmError(f"the device is not built ({plugin}): {remedy}, or give --no-device")
    if not plugin_matches(plugin, binary):
        if not may_rebuild or not place.scripts:
            raise VmError(f"the device was built for another QEMU than {binary}: {place.remedy('qemu')}")
        rebuild(place)
        return choose(place, with_device, may_rebuild=False)
    return Qemu(binary, plugin, environment=sanitizer(plugin) if wish == "sanitize" else ())


def machine(accel, smp, memory):
    accel_words = ["-accel", "tcg,thread=multi"] if accel == "tcg" else ["-accel", "kvm"]
    # TCG before QEMU 8 leaves out memory barriers of a machine that can only have one CPU. The device's threads are
    # others that look at the guest's memory: a store would pass a load, and a doorbell or a wake-up would get lost.
    cpus = f"{smp},maxcpus={max(smp, 2)}" if accel == "tcg" else str(smp)
    return [*accel_words, "-cpu", TCG_CPU if accel == "tcg" else "host", "-smp", cpus, "-m", memory,
            "-M", MACHINE, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"]


def kernel_files(guest):
    return [os.path.join(guest, name) for name in ("vmlinux", "initramfs.cpio")]


def kernel(place, guest, append):
    vmlinux, initramfs = kernel_files(guest)
    for path in (vmlinux, initramfs):
        if not os.path.exists(path):
            raise VmError(f"the VM is not built ({path}): {place.remedy()}")
    return ["-kernel", vmlinux, "-initrd", initramfs, "-append", f"{CMDLINE} {append}".strip()]


def probe_kvm(place, qemu):
    """Boots the VM's kernel under KVM and waits for its init to answer: nested KVM often opens, then hangs."""
    command = [*qemu.command(), *machine("kvm", 1, "256M"), "-serial", "stdio",
               *kernel(place, place.guest, "quiet anpu.probe")]
    try:
        result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, timeout=PROBE_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return False
    return b"anpu-probe-ok" in result.stdout


def cached_accel(path, key):
    try:
        with open(path, encoding="utf-8") as f:
            cached = json.load(f)
        return cached["accel"] if cached["key"] == key else None
    except (OSError, ValueError, KeyError):
        return None


def cache_accel(path, key, accel):
    """A user who may not write there, or has no home directory, waits for the probe at each start instead."""
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(f"{path}.{os.getpid()}", "w", encoding="utf-8") as f:
            json.dump({"key": key, "accel": accel}, f)
        os.replace(f"{path}.{os.getpid()}", path)
    except OSError:
        pass


def choose_accel(place, qemu):
    wish = os.environ.get("ANPU_ACCEL", "")
    if wish in ("kvm", "tcg"):
        if wish == "kvm" and not os.access("/dev/kvm", os.R_OK | os.W_OK):
            raise VmError("ANPU_ACCEL=kvm, but /dev/kvm cannot be opened: load kvm_intel or kvm_amd and join group kvm")
        return wish
    if wish:
        raise VmError(f"ANPU_ACCEL is '{wish}': it may be 'kvm' or 'tcg'")
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return "tcg"
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as f:
        key = [f.read().strip(), identity(qemu.binary), identity(os.path.join(place.guest, "vmlinux"))]
    cache = os.path.join(place.cache, "kvm-probe")
    accel = cached_accel(cache, key)
    if not accel:
        accel = "kvm" if probe_kvm(place, qemu) else "tcg"
        cache_accel(cache, key, accel)
    return accel


def share(tag, path, read_only):
    """A directory of the host as a 9p file system. security_model=none: files belong to whoever runs QEMU."""
    option = path.replace(",", ",,")
    return ["-fsdev", f"local,id={tag},path={option},security_model=none,multidevs=remap"
            + (",readonly=on" if read_only else ""),
            "-device", f"virtio-9p-pci,fsdev={tag},mount_tag={tag}"]


def ports(console, channels):
    """The serial console and the virtio ports, each on the socket whose descriptor is given. At PCI slot 1 the ports
    are the first virtio device, /dev/vport0pN, whatever else is added."""
    words = ["-chardev", f"socket,id=console,fd={console}", "-serial", "chardev:console",
             "-device", "virtio-serial-pci,max_ports=8,addr=1"]
    for number, (name, fd) in enumerate(channels, 1):
        words += ["-chardev", f"socket,id={name},fd={fd}",
                  "-device", f"virtserialport,chardev={name},nr={number},name=anpu.{name}"]
    return words
