#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""anpu-smi beside a machine that this test makes: files as the driver's, whose counters it moves."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
SMI = os.path.join(TOP, "scripts", "anpu-smi")
BUS = "0000:00:05.0"
FDINFO = """drm-driver:\tanpu
drm-client-id:\t{client}
drm-pdev:\t{bus}
drm-total-hbm:\t{hbm} KiB
drm-total-system:\t12 KiB
drm-total-hbm-driver:\t40 KiB
drm-engine-npu:\t{work} ns
drm-engine-cube:\t{work} ns
drm-engine-vector:\t0 ns
"""
QUEUES = """queue asid prio state submitted completed errors busy_ns program
    3    1    4     0         9         7      1 5000 trainer one[41] stream 2
    4    2    4     0         1         1      0 100 other[42] stream 1 dead
"""


def write(root, path, text):
    path = os.path.join(root, path.lstrip("/"))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def machine(root, debugfs):
    device = f"{root}/sys/devices/{BUS}"
    for name, text in {"hbm_total": 256 << 20, "hbm_free": 192 << 20, "cores": 4, "vector_cores": 4, "resets": 2,
                       "queues_total": 64, "cube_busy_time_us": 1000, "vector_busy_time_us": 0}.items():
        write(root, f"/sys/devices/{BUS}/anpu/{name}", f"{text}\n")
    os.makedirs(f"{root}/sys/class/accel/accel0")
    os.makedirs(f"{root}/sys/drivers/anpu")
    os.symlink(device, f"{root}/sys/class/accel/accel0/device")
    os.symlink(f"{root}/sys/drivers/anpu", f"{device}/driver")
    for pid, client in ((41, 7), (42, 8)):
        write(root, f"/proc/{pid}/comm", f"program {pid}\n")
        write(root, f"/proc/{pid}/fdinfo/5", FDINFO.format(bus=BUS, client=client, hbm=1024 * client, work=1))
        write(root, f"/proc/{pid}/fdinfo/6", FDINFO.format(bus=BUS, client=client, hbm=1024 * client, work=1))
    if debugfs:
        write(root, f"/sys/kernel/debug/accel/{BUS}/queues", QUEUES)


def run(*args):
    return subprocess.run([SMI, *args], capture_output=True, text=True, check=False, timeout=60)


def smi(root, *args):
    done = run("--root", root, "--interval", "0.05", *args)
    assert done.returncode == 0 and not done.stderr, done
    return done.stdout


def what_root_sees(root):
    machine(root, True)
    device, = json.loads(smi(root, "--json"))["devices"]
    assert (device["cores"], device["resets"], device["state"]) == (4, 2, "ok"), device
    assert (device["queues_used"], device["failed_tasks"], device["hbm_used"]) == (2, 1, 64 << 20), device
    one, two = device["processes"]
    assert (one["pid"], one["hbm"], one["host"]) == (41, 7 << 20, 12 << 10), one
    assert one["streams"] == [{"pid": 41, "stream": 2, "queue": 3, "priority": 4, "submitted": 9, "completed": 7,
                               "failed": 1, "busy_ns": 5000, "state": "stopped", "last_fault": None}], one
    assert two["streams"][0]["state"] == "dead", two
    text = smi(root)
    assert "cube 0.0 %, vector 0.0 %" in text and "resets 2" in text and "not modelled: temperature" in text, text


def what_others_see(root):
    machine(root, False)
    device, = json.loads(smi(root, "--json"))["devices"]
    assert device["queues_used"] is None and device["failed_tasks"] is None, device
    assert device["processes"][0]["streams"] is None and "queues     - of 64" in smi(root), device


def use_of_an_interval(root):
    machine(root, True)
    with subprocess.Popen([SMI, "--root", root, "--json", "--interval", "0.3", "--loop", "--count", "2"],
                          stdout=subprocess.PIPE, text=True) as process:
        first = json.loads(process.stdout.readline())["devices"][0]
        write(root, f"/sys/devices/{BUS}/anpu/cube_busy_time_us", "999999999\n")
        write(root, "/proc/41/fdinfo/5", FDINFO.format(bus=BUS, client=7, hbm=1, work=10 ** 12))
        write(root, "/proc/41/fdinfo/6", FDINFO.format(bus=BUS, client=7, hbm=1, work=10 ** 12))
        second = json.loads(process.stdout.readline())["devices"][0]
    assert (first["cube_percent"], second["cube_percent"], second["vector_percent"]) == (0, 100, 0), (first, second)
    assert second["processes"][0]["cube_percent"] == 100 and second["processes"][1]["cube_percent"] == 0, second


def no_such_device(root):
    machine(root, True)
    done = run("--root", root, "-i", "3")
    assert done.returncode == 1 and done.stderr == "anpu-smi: -i 3: there is no such device; there are 0 (accel0)\n", done
    assert json.loads(smi(root, "-i", "accel0", "--json"))["devices"][0]["bus"] == BUS
    done = run("--root", root + "/nothing")
    assert done.returncode == 1 and done.stderr.startswith("anpu-smi: no device"), done


def options_of(text):
    return set(re.findall(r"(?<![\w-])--?[a-z]+\b", text))


def manual_pages(_):
    """They have the options that --help has, and nothing that groff complains of."""
    for program in ("anpu-smi", "npu-smi"):
        page = os.path.join(TOP, "scripts", "man", program + ".1")
        with open(page, encoding="utf-8") as file:
            lines = file.read().replace("\\-", "-")
        told = subprocess.run([os.path.join(TOP, "scripts", program), "--help"], capture_output=True, text=True, check=True)
        usage = told.stdout.split("\n\n")[0] + told.stdout.split("\n\n")[1] if program == "anpu-smi" else told.stdout
        # of anpu-run's options the pages tell, too
        missing = (options_of(usage) ^ options_of(lines)) - {"--direct", "--server", "-h", "--help"}
        assert not missing, missing
        if shutil.which("groff"):
            done = subprocess.run(["groff", "-man", "-Tascii", "-ww", "-z", page], capture_output=True, text=True, check=False)
            assert not done.stderr, done


def main():
    tests = (what_root_sees, what_others_see, use_of_an_interval, no_such_device, manual_pages)
    failed = 0
    print(f"1..{len(tests)}")
    for n, test in enumerate(tests, 1):
        with tempfile.TemporaryDirectory() as root:
            try:
                test(root)
                print(f"ok {n} - smi: {test.__name__}")
            except AssertionError as error:
                failed = 1
                print(f"# {error}\nnot ok {n} - smi: {test.__name__}")
    return failed


sys.exit(main())
