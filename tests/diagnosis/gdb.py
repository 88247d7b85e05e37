#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Operators of whole programs in gdb-multiarch (ANPU_GDB), in batch mode: launches, sources, binaries, blocks, faults, ends.

usage: gdb.py [TEST...]     (ANPU_DEVICE=direct), TAP; ANPU_SEED=N sends other hostile bytes; test_vm, which has a VM, runs by its name only
"""

import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = "build/tests/diagnosis/gdb/program"
LIMIT = 100
results = []


def ok(good, name, note=""):
    results.append(good)
    if not good:
        print("".join(f"# {line}\n" for line in str(note)[:5000].splitlines()), end="")
    print(f"{'' if good else 'not '}ok {len(results)} - {name}", flush=True)


def has(text, *quotes):
    """All the patterns, one behind the other."""
    at = 0
    for quote in quotes:
        found = re.compile(quote).search(text, at)
        if not found:
            return False
        at = found.end()
    return True


def line(mark, file):
    """Where the mark stands, as gdb wants it."""
    with open(os.path.join(TOP, "tests/diagnosis/gdb", file), encoding="utf-8") as source:
        for number, text in enumerate(source, 1):
            if mark in text:
                return f"{file}:{number}"
    raise ValueError(mark)


class Program:
    """One that runs with a port for gdb; what it says comes into self.text."""

    def __init__(self, *steps, wait="", before=(), **env):
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen([*before, PROGRAM, *steps], cwd=TOP, env={**os.environ, "ANPU_GDB": f"{wait}:0", **env},
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.text = ""

    def port(self):
        """The program waits when it has told this."""
        while line_ := self.process.stdout.readline():
            self.text += line_
            found = re.search(r"target remote :(\d+)", line_)
            if found:
                return found[1]
        raise RuntimeError(f"it does not wait for gdb: {self.text}")

    def read_until(self, word):
        while word not in self.text and (line_ := self.process.stdout.readline()):
            self.text += line_

    def end(self):
        try:
            self.text += self.process.communicate(timeout=LIMIT)[0]
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.text += self.process.communicate()[0] + "\nDOES NOT END"
        return self.text


def words_of(port, commands):
    words = ["gdb-multiarch", "-nx", "-batch"]
    for command in ("set confirm off", "set pagination off", "set breakpoint pending on", "directory tests", f"target remote :{port}",
                    "sharedlibrary", *commands):
        words += ["-ex", command]
    return words


def gdb_at(port, *commands):
    return subprocess.run(words_of(port, commands), cwd=TOP, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, text=True, timeout=LIMIT, check=False).stdout


def session(steps, *commands, **env):
    """What gdb says, and what the program says, which has ended."""
    program = Program(*steps.split(), **env)
    text = gdb_at(program.port(), *commands)
    return text, program.end()


def test_launches():
    text, out = session("scale add", "bt 1", "info sharedlibrary", f"break {line('SCALED', 'first.c')} if v == 3",
                        f"break {line('ADDED', 'second.c')}", "continue", "bt", "finish", "p v", "delete 1", "continue", "p x[1]",
                        "p value", "delete", "continue")
    ok(has(text, "in __anpu_entry_scale", "Yes .*first.o", "second.c:\\d+\\) pending", "Breakpoint 1, scaled \\(v=3, factor=2",
           "#1 .* in scale .*first.c", "Reading /anpu/2/second.o", "Breakpoint 2, add \\(.*value=2, n=8\\) at .*second.c",
           "= 2", "exited with code 03"), "breakpoints by line, in a binary that is loaded later, too; the end", text)
    ok(has(out, "scale: 0", "0 2 4 6", "add: 0", "2 4 6 8"), "and the program computes the same", out)
    text, out = session("scale add scale", "monitor launches", "continue", "bt 1", "continue", "bt 1", "monitor launches off", "continue")
    ok(has(text, "each launch \\(on\\)", "launch: queue \\d+, task 2", "__anpu_entry_add", "launch: queue \\d+, task 3",
           "__anpu_entry_scale", "exited with code 03"), "from launch to launch", text)


def test_steps():
    text, out = session("scale", f"break {line('SCALED', 'first.c')} if v >= 2", "continue", "up", "p i", "down", "next", "next",
                        "info registers pc a0", "p $fa0.float", "stepi", "x/2i $pc", "continue", "set var v = 10", "delete", "continue")
    ok(has(text, "Breakpoint 1, scaled \\(v=[2-7]", "= [2-7]", "pc +0x", "a0 +0x", "=> 0x", "Breakpoint 1, ", "exited"),
       "steps by line and instruction, registers", text)
    ok(re.search("^0 .*\\b20\\b", out, re.MULTILINE), "a variable that was set counts", out)
    text, out = session("scale", "break scale", "continue", "delete", "watch -l x[3]", "continue", "delete", "continue")
    ok(has(text, "atchpoint .*-location x\\[3\\]", "Old value = 3", "New value = 6", "exited"), "a watched word", text)
    text, out = session("pair", f"tbreak {line('WAITING', 'second.c')}", "continue", f"until {line('WAITED', 'second.c')}", "p x[1]",
                        "continue")
    ok(has(text, "WAITING", "WAITED", "= 5", "exited") and "6 5" in out, "steps of a block that waits for another one", text + out)


def test_blocks():
    text, out = session("meet", f"break {line('MET', 'first.c')}", "continue", "info threads",
                        "thread apply all x/1uw 0x100040", "monitor", "delete", "continue")
    ok(all(re.search(f"\\(block {i}, queue \\d+, task 1\\)", text) and f"0x100040:\t{7 + i}\n" in text for i in range(3)) and
       has(text, "UB 0x100000", "exited"), "blocks are threads, each with its scratchpads", text)
    text, out = session("parts", f"tbreak {line('CUBE', 'halves.cpp')}", "continue", "info threads",
                        f"tbreak {line('PART', 'halves.cpp')}", "continue", "info threads", "continue")
    ok(has(text, "\\* .*block 0, cube part, queue", "\\* .*block 0, vector part [01], queue", "exited"), "parts of a MIX kernel", text)
    text, out = session("turn", f"break {line('TURNED', 'threads.cu')}", "continue", "info threads", "thread apply all bt 3", "delete",
                        f"break {int(line('TURNED', 'threads.cu').split(':')[1]) + 1} if got == 2", "continue", "p got", "delete",
                        "continue")
    ok(has(text, "thread 7, queue", "in turn .*threads.cu", "Breakpoint 2, turn", "= 2", "exited"), "threads of a block", text)


def test_faults():
    text, out = session("outside add", "continue", "bt 1", "p i > 8", "monitor", "continue")
    ok(has(text, "the operator fails in block 0: read of 0x", "SIGSEGV", "in scale .*first.c:\\d+", "#0 .*scale", "= 1",
           "the operator fails", "exited with code 03"), "a fault stops at its line", text)
    ok(has(out, "outside: 507015", "add: 0"), "and the program gets its error, and goes on", out)
    program = Program("scale", "outside", wait="fault")
    port = program.port()
    text = gdb_at(port, "bt 1", "monitor", "continue")
    out = program.end()
    ok(has(out, "scale: 0", "an operator fails, and waits", "outside: 507015") and
       has(text, "in scale .*first.c", "read of 0x", "exited with code 03"), "fault: waits for gdb at the first failure", text + out)


class Raw:
    """The remote protocol without gdb."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", int(port)), timeout=LIMIT)
        self.file = self.socket.makefile("rb")

    def send(self, text):
        data = text.encode()
        self.socket.sendall(b"$" + data + b"#%02x" % (sum(data) % 256))

    def read(self):
        """The next packet; "" at the end."""
        try:
            return self.read_packet()
        except ConnectionError:
            return ""

    def read_packet(self):
        while (c := self.file.read(1)) and c != b"$":
            pass
        data = b""
        while (c := self.file.read(1)) and c != b"#":
            data += c
        self.file.read(2)
        self.socket.sendall(b"+")
        return data.decode(errors="replace")

    def ask(self, text):
        self.send(text)
        return self.read()

    def close(self):
        self.file.close()
        self.socket.close()


def test_limits():
    text, out = session("hurry scale", f"break {line('SCALED', 'first.c')}", "continue", "shell sleep 1", "next", "delete", "continue")
    ok(has(text, "Breakpoint 1, ", "exited with code 03") and has(out, "scale: 0", "0 2 4 6"),
       "no time limit ends what stands in gdb", text + out)
    program = Program("hurry", "endless")
    stub = Raw(program.port())
    first = stub.ask("?")
    stub.send("vCont;c")
    stub.socket.sendall(b"\3")
    # it has been told that a file was loaded, or stops at once
    second = stub.read()
    if "library" in second:
        stub.send("vCont;c")
        stub.socket.sendall(b"\3")
        second = stub.read()
    end = stub.ask("vKill;1")
    stub.close()
    out = program.end()
    ok(first.startswith("T05thread:") and second.startswith("T02thread:") and end == "OK" and
       program.process.returncode == -signal.SIGTERM, "an endless operator is interrupted, and the program killed",
       f"{first} {second} {end} {program.process.returncode} {out}")


def test_leaving():
    text, out = session("scale add", f"break {line('SCALED', 'first.c')}", "continue", "detach")
    ok(has(text, "Breakpoint 1, ", "detached") and has(out, "scale: 0", "0 2 4 6", "2 4 6 8"), "detach leaves the program running",
       text + out)
    program = Program("scale", "add")
    with subprocess.Popen(words_of(program.port(), [f"break {line('SCALED', 'first.c')}", "continue", "shell echo here",
                                                    "shell kill -KILL $PPID"]), cwd=TOP, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True) as debugger:
        text = debugger.communicate(timeout=LIMIT)[0]
    out = program.end()
    ok(debugger.returncode == -signal.SIGKILL and has(out, "scale: 0", "0 2 4 6", "2 4 6 8"), "a gdb that is killed does, too",
       text + out)
    program = Program("scale", "add", "scale")
    port = program.port()
    gdb_at(port, "break scale", "continue", "detach")
    out = program.end()
    ok(has(out, "scale: 0", "add: 0", "scale: 0"), "nothing waits for gdb again", out)
    text, out = session("scale leave", "continue")
    ok("exited with code 07" in text, "exit() is told", text)
    text, out = session("scale die", "continue")
    ok(has(text, "Remote connection closed|exited"), "a program that is killed ends the session", text)
    program = Program("endless")
    port = program.port()
    stub = Raw(port)
    stub.ask("?")
    program.process.terminate()
    out = program.end()
    ok(stub.read() == "" and program.process.returncode == -signal.SIGTERM, "a signal ends a program whose operator stands", out)
    stub.close()


def hostile(rng):
    """A packet, or what looks like one."""
    known = ["qXfer:features:read:target.xml:", "qXfer:libraries:read::", "m", "M", "Z0,", "z0,", "Z2,", "P", "p", "vCont;", "vCont;r",
             "vCont;s:", "Hg", "T", "qRcmd,", "qThreadExtraInfo,", "vFile:open:", "vFile:pread:", "vFile:fstat:", "g", "?", "c", "s",
             "qSupported", "vKil", "QStartNoAckMod", ""]
    tail = ["", "0", "-1", "ffffffffffffffff,ffffffffffffffff", "0,ffffffff", "7fffffffffffffff,1:00", "100000,2000", "100000,8",
            "fffffffffffffff8,10", "1,1,1", "1,ffffffffffffffff,ffffffffffffffff", "2f616e70752f312f", "20=ff", "ff=", "%s%n",
            ":;:;s;c", "a" * rng.randrange(40000), "".join(chr(rng.randrange(1, 128)) for _ in range(rng.randrange(60)))]
    data = (rng.choice(known) + rng.choice(tail)).encode()
    total = sum(data) % 256 if rng.randrange(8) else rng.randrange(256)
    packet = b"$" + data + b"#%02x" % total
    return packet if rng.randrange(6) else rng.randbytes(rng.randrange(200)) + packet[:rng.randrange(len(packet))]


def test_hostile():
    seed = int(os.environ.get("ANPU_SEED", "7"))
    rng = random.Random(seed)
    program = Program("scale", "meet", "add", "scale", ANPU_DIRECT="threads=2")
    port = program.port()
    for _ in range(30):
        try:
            with socket.create_connection(("127.0.0.1", int(port)), timeout=LIMIT) as stub:
                for _ in range(rng.randrange(60)):
                    stub.sendall(hostile(rng))
        except OSError:
            pass
        if program.process.poll() is not None:
            break
    out = program.end()
    ok(program.process.returncode == 3 and has(out, "scale: ", "meet: ", "add: ", "scale: "), "bytes that no gdb sends do no harm",
       f"seed {seed}, {program.process.returncode}: {out}")


def run(*command, **env):
    return subprocess.run(command, cwd=TOP, env=dict(os.environ, **env), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=LIMIT, check=False)


def test_refusals():
    for text in ("here", "1234x", "70000", "-", "fault:"):
        done = run(PROGRAM, "scale", ANPU_GDB=text)
        ok(done.returncode == 1 and f"gdb={text} is not possible: choose a port" in done.stdout, f"ANPU_GDB={text} is refused",
           done.stdout)
    with socket.create_server(("127.0.0.1", 0)) as other:
        done = run(PROGRAM, "scale", ANPU_GDB=f":{other.getsockname()[1]}")
        ok("nothing can listen at that port: Address already in use" in done.stdout, "a port that is not free is told", done.stdout)


class Server:
    """An anpu-server that stays when its clients have ended."""

    def __init__(self, place, wait=""):
        self.socket = os.path.join(place, "socket")
        self.gdb = f"{wait}:0"
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen(["build/lib/anpu-server", "--socket", self.socket], cwd=TOP, env=self.env(),
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        end = time.monotonic() + LIMIT
        while not os.path.exists(self.socket) and time.monotonic() < end:
            time.sleep(0.01)

    def env(self):
        return {**os.environ, "ANPU_DEVICE": f"server:{self.socket}", "ANPU_GDB": self.gdb, "ANPU_DIRECT": "hbm=256M,cores=4"}

    def program(self, *steps, **env):
        return Program(*steps, **{**self.env(), **env})

    def end(self):
        self.process.terminate()
        return self.process.communicate(timeout=LIMIT)[0]


def test_server():
    with tempfile.TemporaryDirectory(prefix="anpu-gdb.") as place:
        # a server that the program starts itself, and that ends behind it
        text, out = session("scale add outside", f"break {line('SCALED', 'first.c')} if v == 3", f"break {line('ADDED', 'second.c')}",
                            "continue", "bt", "delete 1", "continue", "p x[1]", "delete", "continue", "continue",
                            ANPU_DEVICE=f"server:{place}/own")
        ok(has(text, "Breakpoint 1, scaled \\(v=3, factor=2", "#1 .* in scale .*first.c", "Reading /anpu/2/second.o", "Breakpoint 2, add",
               "= 2", "the operator fails in block 0: read of 0x", "SIGSEGV", "in scale .*first.c", "exited normally") and
           has(out, "scale: 0", "add: 0", "2 4 6 8", "outside: 507015"), "anpu-server: breakpoints, files, a fault, the end", text + out)
        server = Server(place)
        several(server)
        server.end()
        server = Server(place, "fault")
        good = server.program("scale", "second")
        good.read_until("scale: ")
        bad = server.program("scale", "outside")
        port = bad.port()
        bad.read_until("scale: ")
        text = gdb_at(port, "bt 1", "continue")
        ok(has(text, "in scale .*first.c", "exited normally") and has(good.end(), "scale: 0") and "outside: 507015" in bad.end(),
           "fault: is any program's first failure", text + bad.text)
        server.end()


def several(server):
    """Programs of one server: gdb has one of them."""
    first = server.program("scale", "add")
    port = first.port()
    stub = Raw(port)
    stub.ask("?")
    # the program is there as soon as it has launched; before, gdb has a thread that stands for a device without blocks
    while stub.ask("qfThreadInfo") == "m1":
        time.sleep(0.01)
    others = [server.program("scale", "add", ANPU_GDB=gdb) for gdb in (":0", "")]
    outs = [other.end() for other in others]
    ok(all(has(out, "scale: 0", "add: 0", "2 4 6 8") for out in outs) and first.process.poll() is None,
       "another program of the server runs while gdb has stopped the first one", outs)
    done = run(PROGRAM, "scale", **{**server.env(), "ANPU_GDB": ":1"})
    ok(done.returncode == 1 and "ANPU_GDB is ':1' here and ':0' for the server that runs" in done.stdout,
       "another port than the server's is refused", done.stdout)
    first.process.kill()
    ok(stub.read() == "", "a program that is killed ends gdb's session")
    stub.close()
    first.end()
    # nothing waits for gdb any more, but the next program is its
    later = Raw(port)
    later.ask("?")
    later.send("vCont;c")
    last = server.program("endless")
    stop = later.read()
    end = later.ask("vKill;1") if "library" in stop else ""
    last.end()
    ok(end == "OK" and last.process.returncode == -signal.SIGTERM, "the next program has a gdb that came before; kill is for it",
       f"{stop} {end} {last.process.returncode} {last.text}")
    later.close()


def test_vm():
    text, out = session("scale outside", "info sharedlibrary", f"break {line('SCALED', 'first.c')} if v == 3", "continue", "bt",
                        "info threads", "delete", "continue", "bt 1", "continue", before=("scripts/anpu-run", "--no-tty"))
    ok(has(text, "Yes .*first.o", "Breakpoint 1, scaled \\(v=3, factor=2", "#1 .* in scale .*first.c", "\\(block [01], queue",
           "the operator fails in block 0: read of 0x", "SIGSEGV", "in scale .*first.c", "#0 .*scale", "exited normally") and
       has(out, "anpu-run: gdb: the first operator", "scale: 0", "outside: 507015"), "operators of a program in the VM", text + out)


def main():
    if not shutil.which("gdb-multiarch"):
        print("1..0 # SKIP gdb-multiarch is not installed")
        return 0
    for test in (test_launches, test_steps, test_blocks, test_faults, test_limits, test_leaving, test_hostile, test_refusals, test_server,
                 test_vm):
        if test.__name__ in sys.argv[1:] if sys.argv[1:] else test is not test_vm:
            test()
    print(f"1..{len(results)}")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
