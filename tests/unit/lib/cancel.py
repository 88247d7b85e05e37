#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A thread that is cancelled leaves no lock of libacl behind.

A function of the API either disables cancellation (ACL_ENTER()), or reaches no cancellation point of the C library
(ACL_ENTER_SHORT()). This test follows the calls in the machine code of build/lib/libascendcl.so, including those through
constant tables and to functions whose address is taken. Functions that disable cancellation by themselves
(ACL_UNCANCELLED()) are where it stops. TAP.

usage: cancel.py [FUNCTION...]   tells what these reach, by which calls
"""

import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
LIBRARY = os.path.join(TOP, "build/lib/libascendcl.so")
# What short functions may call of other libraries: none of these is a cancellation point (pthreads(7)).
HARMLESS = set("""
_Unwind_Resume __errno_location __gcc_personality_v0 __cxa_finalize calloc malloc free realloc posix_memalign memchr memcmp
memcpy memmove memset strcasecmp strchr strcmp strcpy strcspn strlen strncat strncmp strncpy strnlen strrchr strspn strstr
strtol strtoull getenv getpid gettid snprintf sprintf vsnprintf clock_gettime qsort pthread_mutex_lock pthread_mutex_unlock
pthread_mutex_init pthread_mutex_destroy pthread_once pthread_key_create pthread_setspecific pthread_self
pthread_cond_broadcast pthread_cond_signal __tls_get_addr pthread_setcancelstate __ctype_b_loc dladdr
""".split())
DISABLES = ("pthread_setcancelstate", "acl_no_cancel", "acl_uncancelled")
# Sets the state that ACL_ENTER() has kept, which a short function has not
ALLOWS = "acl_cancel_allow"
UNKNOWN = "an address that is not known"


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def pointers():
    """{address: function at that address} of the library's data, as the loader fills it."""
    found = {}
    for line in run("readelf", "-rW", LIBRARY).splitlines():
        match = re.match(r"([0-9a-f]+)\s+\S+\s+R_X86_64_(RELATIVE|64|GLOB_DAT|JUMP_SLOT)\s+(?:[0-9a-f]+\s+(\S+) \+ )?([0-9a-f]+)", line)
        if match:
            found[int(match[1], 16)] = match[3].split("@")[0] if match[3] else int(match[4], 16)
    return found


class Function:
    """What the code of a function calls: addresses, names of other libraries, UNKNOWN."""

    def __init__(self, name, data):
        self.name, self.data, self.called = name, data, set()
        self.registers, self.before = {}, ("", "")

    def jump(self, what, operands, target):
        """A call or a jump. Of a table the address was loaded before; a switch adds to it, and stays in the function."""
        place = re.match(r"\*(?:(-?0x[0-9a-f]+)?\((%\w+)\))?", operands)
        if place and target:
            self.called.add(self.data.get(int(target[1], 16), UNKNOWN))
        elif place and place[2] in self.registers:
            self.called.add(self.data.get(self.registers[place[2]] + int(place[1] or "0", 16), UNKNOWN))
        elif place and (what[:4] == "call" or self.before != ("add", operands[1:])):
            self.called.add(UNKNOWN)
        elif target and "@plt" in target[2]:
            self.called.add(target[2].split("@")[0])
        elif target and target[2].split("+")[0] != self.name:
            self.called.add(int(target[1], 16))

    def line(self, what, operands):
        target = re.search(r"(?:^|# )([0-9a-f]+) <([^>]+)>", operands)
        operands = operands.split("#")[0].strip()
        last = operands.split(",")[-1]
        if re.match(r"call|(notrack |bnd )?j[a-z]+", what):
            self.jump(what, operands, target)
        self.before = what, last
        if what[:4] == "call":
            self.registers = {r: a for r, a in self.registers.items() if r in ("%rbx", "%rbp", "%r12", "%r13", "%r14", "%r15")}
        else:
            self.registers.pop(last, None)
        if what == "lea" and target:
            self.registers[last] = int(target[1], 16)
            self.called.add(int(target[1], 16))


def calls():
    """{address of a function: (its name, set of what it calls)}"""
    functions, data, current = {}, pointers(), None
    for line in run("objdump", "-d", "--no-show-raw-insn", LIBRARY).splitlines():
        begin = re.match(r"([0-9a-f]+) <(\S+)>:$", line)
        code = re.match(r"\s+[0-9a-f]+:\s+((?:notrack |bnd |lock |rep \w* ?)?\S+)\s*(.*)", line)
        if begin:
            current = functions.setdefault(int(begin[1], 16), Function(begin[2], data))
        elif code and current and not current.name.endswith("@plt"):
            current.line(code[1], code[2])
    # A jump into the middle of a function, and addresses of data, are none of these.
    return {at: (f.name, {c for c in f.called if isinstance(c, str) or c in functions}) for at, f in functions.items()}


def reached(functions, start):
    """{what is reached: what calls it}, not through functions that disable cancellation."""
    found, todo = {start: None}, [start]
    while todo:
        at = todo.pop()
        called = functions[at][1]
        if at != start and disables(functions, at):
            continue
        for c in called:
            if c not in found:
                found[c] = at
                if not isinstance(c, str):
                    todo.append(c)
    return found


def bad(functions, start):
    """The ways to cancellation points, as text."""
    found, ways = reached(functions, start), []
    for what in found:
        name = what if isinstance(what, str) else functions[what][0]
        if name == ALLOWS or isinstance(what, str) and what not in HARMLESS:
            way, at = [name], found[what]
            while at is not None:
                way.append(functions[at][0])
                at = found[at]
            ways.append(" <- ".join(way))
    return sorted(ways)


def disables(functions, at):
    """Whether a function disables cancellation by itself."""
    names = {c if isinstance(c, str) else functions[c][0] for c in functions[at][1]}
    return functions[at][0] != ALLOWS and bool(names & set(DISABLES))


def main():
    functions = calls()
    api = {name: at for at, (name, _) in functions.items() if re.match(r"acl[A-Z]|aclrt|anpu_front_", name) and "." not in name}
    if sys.argv[1:]:
        for name in sys.argv[1:]:
            print("\n".join(bad(functions, api[name])) or name + " reaches no cancellation point")
        return 0
    short = sorted(n for n, at in api.items() if not disables(functions, at))
    wrong = {n: bad(functions, api[n]) for n in short}
    wrong = {n: ways for n, ways in wrong.items() if ways}
    print("1..1")
    for name, ways in wrong.items():
        print("# %s does not disable cancellation and reaches %s" % (name, "; ".join(ways[:3])))
    print("%s 1 - %d functions are short and reach no cancellation point" % ("not ok" if wrong else "ok", len(short) - len(wrong)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
