#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""anpu-smi and npu-smi beside real programs with devices of the direct engine, in themselves or in anpu-server."""
import json
import mmap
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
SMI = os.path.join(TOP, "scripts", "anpu-smi")
HOLD = os.path.join(TOP, "build", "tests", "direct", "smihold")
LIST = os.path.join(TOP, "build", "lib", "anpu-devices")
NOBODY = 65534
PATIENCE = 60


class Program:
    """A program that holds devices until the end of the with statement."""

    def __init__(self, engine="direct", devices="hbm=64M,cores=2", args=()):
        env = dict(os.environ, ANPU_DEVICE=engine, ANPU_DIRECT=devices, LD_LIBRARY_PATH=os.path.join(TOP, "build", "lib"))
        self.process = subprocess.Popen([HOLD, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=TOP, env=env)
        first = self.process.stdout.readline()
        assert first == "ready\n", first
        self.pid = self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.kill()
        self.process.wait()


def run(program, *args, user=None):
    return subprocess.run([program, *args], capture_output=True, text=True, check=False, timeout=PATIENCE, user=user,
                          extra_groups=None if user is None else [])


def devices(pid):
    """What anpu-smi says of devices in which a process has something."""
    done = run(SMI, "--json", "--loop", "--count", "1", "--interval", "0.05")
    assert done.returncode == 0 and not done.stderr, done
    return [d for d in json.loads(done.stdout)["devices"] if d["owner"] == pid or pid in [p["pid"] for p in d["processes"]]]


def until(what):
    end = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < end, "in vain"
        time.sleep(0.02)


def check_program(device, pid):
    """The device has what smihold does."""
    row, = [p for p in device["processes"] if p["pid"] == pid]
    assert row["name"] == "smihold" and row["hbm"] >= 8 << 20 and row["driver"] is None, row
    bad, = [s for s in row["streams"] if s["failed"]]
    assert (bad["failed"], bad["submitted"] - bad["completed"], bad["state"]) == (1, 1, "running"), bad
    assert "0x123400000000" in bad["last_fault"], bad
    assert [s["state"] for s in row["streams"] if not s["failed"]].count("idle") >= 1, row
    assert device["failed_tasks"] >= 1 and device["queues_used"] >= 2 and device["resets"] == 0, device
    assert (device["state"], device["cores"]) == ("ok", 2), device
    assert device["hbm_used"] >= row["hbm"] and device["hbm_total"] <= 64 << 20, device


def a_device_in_a_process():
    with Program(devices="hbm=64M,cores=2,soc=Ascend910B3;hbm=64M,cores=2") as p:
        first, second = devices(p.pid)
        assert (first["node"], second["node"]) == (f"direct:{p.pid}:0", f"direct:{p.pid}:1"), (first, second)
        assert (first["name"], second["name"]) == ("Ascend910B3", "ANPU1"), (first, second)
        check_program(first, p.pid)
        check_program(second, p.pid)
        until(lambda: devices(p.pid)[0]["cube_percent"] > 0)
        text = run(SMI, "-i", first["node"], "--interval", "0.05").stdout
        assert f"in process {p.pid} (direct:{p.pid}:0), ok, 2 AI cores" in text and "1 tasks have failed, the last: " in text, text
        os.kill(p.pid, signal.SIGSTOP)
        check_program(devices(p.pid)[0], p.pid)
        os.kill(p.pid, signal.SIGKILL)
        p.process.wait()
        assert not devices(p.pid)


def info_of(program, kind):
    return run(SMI, "info", "-t", kind, "-i", str(devices(program.pid)[0]["device"])).stdout


def the_layouts_that_scripts_parse():
    with Program() as p:
        for program in (SMI, os.path.join(TOP, "scripts", "npu-smi")):
            table = run(program, "info").stdout
            assert {len(line) for line in table.splitlines()} == {98}, table
            assert f" {p.pid} " in table and "smihold" in table, table
        # devices of other programs may come and go, and then the numbers are others
        until(lambda: f"emulated in process {p.pid}" in info_of(p, "board"))
        until(lambda: f"Process id:{p.pid}" in info_of(p, "proc-mem"))


def devices_of_a_server():
    with tempfile.TemporaryDirectory() as place:
        engine = f"server:{place}/socket"
        with Program(engine) as p, Program(engine) as q:
            device, = devices(p.pid)
            assert device["kind"] == "server" and device["owner"] not in (p.pid, q.pid), device
            assert device["node"] == f"server:{device['owner']}:0", device
            check_program(device, p.pid)
            check_program(device, q.pid)
            os.kill(q.pid, signal.SIGKILL)
            q.process.wait()
            until(lambda: not devices(q.pid))
            check_program(devices(p.pid)[0], p.pid)
            # what has failed in a client that has ended still counts; the task that was killed with it may have been failed, too
            assert devices(p.pid)[0]["failed_tasks"] >= 2, devices(p.pid)
            p.process.kill()
            p.process.wait()
            until(lambda: device["owner"] not in [d["pid"] for d in json.loads(run(LIST).stdout)["devices"]])


def a_server_whose_directory_is_gone_ends():
    place = tempfile.mkdtemp()
    with Program(f"server:{place}/socket") as p:
        server = devices(p.pid)[0]["owner"]
        shutil.rmtree(place)
    until(lambda: server not in [d["pid"] for d in json.loads(run(LIST).stdout)["devices"]])


def a_child_has_no_device():
    with Program(args=["fork"]) as p:
        done = json.loads(run(LIST).stdout)["devices"]
        assert [d["pid"] for d in done if any(f["pid"] == p.pid for f in d["processes"])] == [p.pid], done


def others_see_nothing():
    if os.geteuid():
        return "only root can become somebody else"
    with Program() as p:
        done = run(SMI, "--interval", "0.05", user=NOBODY)
        assert (done.returncode, done.stdout) == (1, "") and "no device lives here" in done.stderr, done
        assert devices(p.pid)
    return None


FALSE_LIST = """
import fcntl, os, sys
fd = os.memfd_create("anpu-device-list", os.MFD_ALLOW_SEALING)
os.write(fd, bytes.fromhex(sys.argv[1]).replace(b"PID!", os.getpid().to_bytes(4, "little")))
os.ftruncate(fd, int(sys.argv[2]))
fcntl.fcntl(fd, 1033, 6)
print("ready", flush=True)
sys.stdin.read()
"""


def false_lists_do_no_harm():
    """Files with the name of a list whose numbers lead nowhere."""
    magic = (0x545349414E504E).to_bytes(8, "little")
    huge = (0xFFFFFFFF).to_bytes(4, "little")
    heads = [b"", magic, magic + b"\1\0\0\0", magic + b"\1\0\0\0\0\0\0\0PID!" + huge * 40,
             magic + b"\1\0\0\0\1\0\0\0PID!" + bytes(20) + b"\0\1\0\0\0\1\0\0" + b"\xff" * 30000, b"\xff" * 4096]
    for head in heads:
        for size in (0, 100, mmap.PAGESIZE, 1 << 20):
            with subprocess.Popen([sys.executable, "-c", FALSE_LIST, head.hex(), str(size)], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True) as liar:
                assert liar.stdout.readline() == "ready\n"
                done = run(LIST)
                assert done.returncode == 0 and (not done.stderr or "another version" in done.stderr), done
                assert liar.pid not in [d["pid"] for d in json.loads(done.stdout)["devices"]] or size > len(head), done
                liar.stdin.close()


def what_a_program_waits_for():
    """anpu-smi hang, and what it says of programs that do not answer."""
    with Program() as p:
        done = run(SMI, "hang", str(p.pid))
        assert done.returncode == 0 and "runs kernel 'bad_endless'" in done.stdout and "end of the report" in done.stdout, done
        again = run(SMI, "hang", str(p.pid), str(p.pid))
        assert again.stdout.count("end of the report") == 2, again
        os.kill(p.pid, signal.SIGSTOP)
        done = run(SMI, "hang", str(p.pid))
        assert done.returncode == 1 and "does not answer: it is stopped" in done.stderr, done
        os.kill(p.pid, signal.SIGCONT)
        if not os.geteuid():
            done = run(SMI, "hang", str(p.pid), user=NOBODY)
            assert done.returncode == 1 and "belongs to another user" in done.stderr, done
    done = run(SMI, "hang", str(os.getpid()))
    assert done.returncode == 1 and "has no device open by libascendcl" in done.stderr, done
    done = run(SMI, "hang", "x")
    assert done.returncode == 2 and "'x' is not the number of a process" in done.stderr, done
    assert run(SMI, "hang").returncode == 2


def tests():
    return (what_a_program_waits_for, a_device_in_a_process, the_layouts_that_scripts_parse, devices_of_a_server,
            a_server_whose_directory_is_gone_ends, a_child_has_no_device,
            others_see_nothing, false_lists_do_no_harm)


def main():
    failed = 0
    print(f"1..{len(tests())}")
    for n, test in enumerate(tests(), 1):
        try:
            skip = test()
            print(f"ok {n} - smi: {test.__name__}" + (f" # SKIP {skip}" if skip else ""), flush=True)
        except (AssertionError, ValueError, subprocess.SubprocessError) as error:
            failed = 1
            print(f"# {error!r}\nnot ok {n} - smi: {test.__name__}", flush=True)
    return failed


sys.exit(main())
