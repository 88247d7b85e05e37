# SPDX-License-Identifier: MIT
"""One run of a VM: carries the standard streams, signals and the terminal between the host and init in the VM."""
import errno
import fcntl
import os
import re
import select
import signal
import socket
import stat
import struct
import subprocess
import sys
import termios
import time
import tty

import protocol
from errors import FAILED, KERNEL_FAULT, TIMEOUT, VmError
import qemu as qemu_lib
import splats

CHUNK = 65536
# A pipe that polls as writable takes this much without blocking.
PIPE_CHUNK = 4096
LOG_MAX = 1 << 20
FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
ESCAPE = b"\x1d\x1d\x1d"


class Output:
    """One output stream on its way from the VM's port to the host's descriptor."""

    def __init__(self, sock, fd, number):
        self.sock = sock
        self.fd = fd
        self.number = number
        self.pending = bytearray()
        self.received = 0
        self.broken = False
        self.chunk = CHUNK if stat.S_ISREG(os.fstat(fd).st_mode) else PIPE_CHUNK

    def receive(self):
        try:
            data = self.sock.recv(CHUNK)
        except (BlockingIOError, ConnectionResetError):
            return
        self.received += len(data)
        if not self.broken:
            self.pending += data

    def flush(self):
        """Writes a piece. Returns False when the reader is gone for good."""
        try:
            written = os.write(self.fd, self.pending[:self.chunk])
            del self.pending[:written]
        except BlockingIOError:
            pass
        except OSError as error:
            self.broken = True
            self.pending.clear()
            if error.errno != errno.EPIPE:
                raise VmError(f"cannot write the program's output: {error.strerror}") from error
            return False
        return True


class DoesNotGoOn(VmError):
    """A machine that was kept booted is of no use: it has to boot."""


class BootPanic(VmError):
    """The VM's kernel panicked while it booted, before it was told what to run and which driver to load."""

    def __init__(self):
        super().__init__("the VM's kernel panicked while it booted", KERNEL_FAULT)


class Session:
    """Everything between the start of QEMU and the exit status."""

    def __init__(self, options, records, booted=None):
        self.options = options
        self.records = records
        self.booted = booted    # of this machine, if it may be kept booted
        self.goes_on = bool(booted and booted.exists)
        self.tty = options.tty
        self.started = time.monotonic()
        self.deadline = self.started + options.timeout if options.timeout else None
        self.boot_deadline = self.started + options.boot_timeout / (2 if self.goes_on else 1)
        self.log = bytearray()
        self.qemu_errors = bytearray()
        self.control_in = bytearray()
        self.control_out = bytearray()
        self.stdin_pending = bytearray()
        self.stdin_open = True
        self.stdin_eof_sent = False
        self.stdin_sent = 0
        self.typed = b""
        self.ready = False
        self.log_mark = 0
        self.running = False
        self.boot_seconds = None
        self.exit = None
        self.interrupts = 0
        self.signals = []
        self.saved_terminal = None
        self.monitor = None

    # -- start and end -------------------------------------------------------------------------------------------

    def start(self, qemu, arguments, log_file):
        pairs = [socket.socketpair() for _ in range(5)]
        ours, theirs = [p[0] for p in pairs], [p[1] for p in pairs]
        for sock in ours:
            sock.setblocking(False)
        self.console, self.control, self.stdin, out, err = ours
        self.outputs = [Output(out, 1, 1), Output(err, 2, 2)]
        self.log_file = log_file
        channels = zip(("ctl", "in", "out", "err"), (s.fileno() for s in theirs[1:]))
        words = [*qemu.command(), *qemu_lib.ports(theirs[0].fileno(), channels), *arguments]
        if self.goes_on:
            words += self.booted.arguments()
            self.ready = True
            self.send_config()
        elif self.booted and self.booted.wanted:
            self.monitor, monitor = socket.socketpair()
            theirs.append(monitor)
            words += ["-chardev", f"socket,id=monitor,fd={monitor.fileno()}", "-mon", "chardev=monitor,mode=control"]
        # QEMU must not outlive us, and must not get the terminal's Ctrl-C.
        self.process = subprocess.Popen(
            ["/usr/bin/setpriv", "--pdeathsig", "KILL", "--", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, pass_fds=[s.fileno() for s in theirs], start_new_session=True)
        for sock in theirs:
            sock.close()
        os.set_blocking(self.process.stdout.fileno(), False)
        self.pidfd = os.pidfd_open(self.process.pid)

    def stop(self):
        self.drain()
        self.control.close()
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        while self.read_console():
            pass

    def drain(self):
        self.read_qemu_errors()
        while self.read_console():
            pass

    def enter_terminal(self):
        if not self.tty or not os.isatty(0):
            return
        self.saved_terminal = termios.tcgetattr(0)
        tty.setraw(0, termios.TCSADRAIN)

    def leave_terminal(self):
        if self.saved_terminal:
            termios.tcsetattr(0, termios.TCSADRAIN, self.saved_terminal)
            self.saved_terminal = None

    # -- what arrives --------------------------------------------------------------------------------------------

    def read_console(self):
        try:
            data = self.console.recv(CHUNK)
        except (BlockingIOError, ConnectionResetError):
            return False
        if not data:
            return False
        if self.log_file:
            self.log_file.write(data)
            self.log_file.flush()
        self.log += data
        if len(self.log) > LOG_MAX:
            del self.log[LOG_MAX // 2:-LOG_MAX // 2]
        return True

    def read_qemu_errors(self):
        try:
            data = os.read(self.process.stdout.fileno(), CHUNK)
        except BlockingIOError:
            return
        if len(self.qemu_errors) < LOG_MAX:
            self.qemu_errors += data
        self.tell_gdb()

    def tell_gdb(self):
        """What the device says of gdb the user has to know while the program waits."""
        for line in re.findall(rb".*anpu: (gdb: .*)\n", self.qemu_errors):
            say(line.decode(errors="replace"))
        self.qemu_errors = bytearray(re.sub(rb".*anpu: gdb: .*\n", b"", self.qemu_errors))

    def read_stdin(self):
        try:
            data = os.read(0, CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""      # a terminal that hung up
        if not data:
            self.stdin_open = False
        elif self.saved_terminal:
            self.typed = (self.typed + data)[-len(ESCAPE):]
            if self.typed == ESCAPE:
                raise VmError("stopped by Ctrl-] Ctrl-] Ctrl-]")
        self.stdin_pending += data

    def read_control(self):
        try:
            self.control_in += self.control.recv(CHUNK)
        except (BlockingIOError, ConnectionResetError):
            return
        while (message := protocol.take_frame(self.control_in)):
            self.handle(*message)

    def handle(self, kind, payload):
        if kind == protocol.READY:
            self.ready = True
            self.log_mark = len(self.log)
            if self.monitor:
                if splats.first(self.log, 0) < 0:
                    self.booted.save(self.monitor)
                self.monitor.close()
            self.send_config()
        elif kind == protocol.STARTED:
            self.running = True
            self.boot_seconds = time.monotonic() - self.started
            self.enter_terminal()
        elif kind == protocol.STDIN_CLOSED:
            self.stdin_open = False
            self.stdin_eof_sent = True
            self.stdin_pending.clear()
        elif kind == protocol.FAIL:
            self.drain()
            status = struct.unpack_from("<I", payload)[0]
            said = self.log[self.log_mark:].decode(errors="replace").strip()
            text = payload[4:].decode(errors="replace")
            raise VmError(text + (f"\nthe VM's kernel said:\n{said}" if said else ""), status)
        elif kind == protocol.EXIT:
            self.exit = protocol.EXIT_PAYLOAD.unpack(payload)
            if self.booted:
                self.booted.compare_clocks(self.exit[4] / 1e9, time.monotonic() - self.started - self.boot_seconds)

    # -- what is sent --------------------------------------------------------------------------------------------

    def send_config(self):
        # A machine that goes on from where another one stopped has that one's time and random numbers.
        seconds, nanoseconds = divmod(time.time_ns(), 1_000_000_000)
        now = [("T", f"{seconds} {nanoseconds}".encode()), ("R", os.urandom(32).hex().encode())]
        self.control_out += protocol.frame(protocol.CONFIG, protocol.config([*self.records, *now]))

    def send_stdin(self):
        try:
            sent = self.stdin.send(self.stdin_pending[:CHUNK])
        except (BlockingIOError, ConnectionResetError, BrokenPipeError):
            return
        del self.stdin_pending[:sent]
        self.stdin_sent += sent

    def end_stdin(self):
        if self.running and not self.stdin_open and not self.stdin_pending and not self.stdin_eof_sent:
            self.control_out += protocol.frame(protocol.STDIN_EOF, struct.pack("<Q", self.stdin_sent))
            self.stdin_eof_sent = True

    def send_control(self):
        try:
            del self.control_out[:self.control.send(self.control_out)]
        except (BlockingIOError, ConnectionResetError, BrokenPipeError):
            pass

    def handle_signals(self):
        while self.signals:
            number = self.signals.pop(0)
            if number == signal.SIGWINCH:
                self.control_out += protocol.frame(protocol.WINSIZE, struct.pack("<HH", *window_size()))
                continue
            self.interrupts += number in (signal.SIGINT, signal.SIGTERM)
            if not self.running or self.interrupts > 2:
                raise VmError(f"stopped by {signal.Signals(number).name}", 128 + number)
            self.control_out += protocol.frame(protocol.SIGNAL, struct.pack("<I", number))

    # -- the loop ------------------------------------------------------------------------------------------------

    def check_time(self):
        now = time.monotonic()
        if self.deadline and now > self.deadline:
            raise VmError(f"the program did not end within {self.options.timeout:g} s, the VM was stopped", TIMEOUT)
        if not self.running and now > self.boot_deadline:
            last = self.log[-500:].decode(errors="replace").strip()
            if self.goes_on:
                raise DoesNotGoOn(f"it did not start the program within {self.options.boot_timeout / 2:g} s")
            raise VmError(f"the VM did not start the program within {self.options.boot_timeout:g} s; "
                          + (f"its kernel's last words:\n{last}" if last else "its kernel said nothing"))

    def wait(self):
        """One poll over everything that may move. Returns the descriptors that are ready."""
        wanted = {self.wakeup.fileno(): select.POLLIN, self.console.fileno(): select.POLLIN,
                  self.pidfd: select.POLLIN, self.process.stdout.fileno(): select.POLLIN,
                  self.control.fileno(): select.POLLIN | (select.POLLOUT if self.control_out else 0)}
        if self.running and self.stdin_open and len(self.stdin_pending) < CHUNK:
            wanted[0] = select.POLLIN
        if self.stdin_pending:
            wanted[self.stdin.fileno()] = select.POLLOUT
        for output in self.outputs:
            if len(output.pending) < 4 * CHUNK:
                wanted[output.sock.fileno()] = select.POLLIN
            if output.pending:
                wanted[output.fd] = select.POLLOUT
        poller = select.poll()
        for fd, events in wanted.items():
            poller.register(fd, events)
        return {fd for fd, _ in poller.poll(250)}

    def move(self, ready):
        if self.wakeup.fileno() in ready:
            self.wakeup.recv(512)
        self.handle_signals()
        self.read_console()
        self.read_qemu_errors()
        if 0 in ready and self.stdin_open:
            self.read_stdin()
        if self.stdin_pending:
            self.send_stdin()
        self.end_stdin()
        if self.control_out:
            self.send_control()
        for output in self.outputs:
            if output.sock.fileno() in ready:
                output.receive()
            if output.pending and output.fd in ready and not output.flush():
                self.control_out += protocol.frame(protocol.CLOSE, struct.pack("<I", output.number))
        self.read_control()

    def finished(self):
        if not self.exit:
            return False
        _, _, out_bytes, err_bytes, _ = self.exit
        counts = zip(self.outputs, (out_bytes, err_bytes))
        return all(o.received >= count and not o.pending for o, count in counts)

    def run(self):
        """Carries the streams until the program has ended. Returns its exit status."""
        self.wakeup, wakeup_write = socket.socketpair()
        self.wakeup.setblocking(False)
        wakeup_write.setblocking(False)
        signal.set_wakeup_fd(wakeup_write.fileno(), warn_on_full_buffer=False)
        for number in (*FORWARDED, signal.SIGWINCH):
            signal.signal(number, lambda n, _: self.signals.append(n))
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        while not self.finished():
            ready = self.wait()
            self.move(ready)
            self.check_time()
            if self.pidfd in ready:
                raise self.unexpected_end()
        status, tainted = self.exit[:2]
        return KERNEL_FAULT if tainted else status

    def unexpected_end(self):
        self.drain()
        if b"Kernel panic" in self.log:
            return VmError("the VM's kernel panicked", KERNEL_FAULT) if self.ready else BootPanic()
        text = self.qemu_errors.decode(errors="replace").strip()
        self.qemu_errors.clear()
        if self.goes_on and not self.running:
            return DoesNotGoOn(text or f"QEMU ended with status {self.process.wait()}")
        if not self.ready:
            hint = " (does KVM work here? try ANPU_ACCEL=tcg)" if os.environ.get("ANPU_ACCEL") == "kvm" else ""
            return VmError(f"QEMU ended with status {self.process.wait()} before the VM was up{hint}: "
                           f"{text or 'no message'}")
        what = "all of the program's output had arrived" if self.exit else "the program ended"
        return VmError(f"the VM stopped before {what}" + (f": {text}" if text else ""), FAILED)

    def fault_log(self):
        """The kernel's messages from the first fault on."""
        at = splats.first(self.log, self.log_mark)
        return bytes(self.log[at:]) if at >= 0 else b""


def window_size():
    """Rows and columns of the terminal."""
    try:
        return struct.unpack("HHHH", fcntl.ioctl(0, termios.TIOCGWINSZ, b"\0" * 8))[:2]
    except OSError:
        return 24, 80


def say(text):
    sys.stderr.write(f"anpu-run: {text}\n")
    sys.stderr.flush()
