#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The timeline (ANPU_TRACE) of a program with streams, events, graphs, values and copies, and what anpu-trace makes of it.

usage: timeline.py     (the device is that of the environment: ANPU_DEVICE=direct, or the driver in the VM), TAP
"""

import collections
import ctypes
import html.parser
import json
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUGS = "build/tests/diagnosis/bugs"
TOOL = "scripts/anpu-trace"
CONFLICT = 148047  # ACL_ERROR_PROF_API_CONFLICT
results = []


def ok(good, name, note=""):
    results.append(good)
    if not good and note:
        print("".join(f"# {line}\n" for line in str(note)[:2000].splitlines()), end="")
    print(f"{'' if good else 'not '}ok {len(results)} - {name}", flush=True)


def run(*command, **env):
    return subprocess.run(command, cwd=TOP, env=dict(os.environ, **env), capture_output=True, text=True, timeout=120,
                          check=False)


class Page(html.parser.HTMLParser):
    """Collects what a page would load, and its script."""

    def __init__(self):
        super().__init__()
        self.loads, self.tables, self.tag, self.script = [], 0, "", ""

    def handle_starttag(self, tag, attrs):
        self.tag = tag
        self.tables += tag == "table"
        self.loads += [value for key, value in attrs if key in ("src", "href")]

    def handle_data(self, data):
        if self.tag == "script":
            self.script += data


def time_in_use(events):
    """What the counter of AI cores in use says of all of them together, in us."""
    steps = [(e["ts"], e["args"]["cores"]) for e in events if e["ph"] == "C" and e["name"] == "AI cores in use"]
    return sum(cores * (after - at) for (at, cores), (after, _) in zip(steps, steps[1:]))


def check_events(events, name):
    slices = [e for e in events if e["ph"] == "X"]
    of = lambda cat: [e for e in slices if e["cat"] == cat]
    calls, kernels, blocks = of("call"), of("kernel"), of("block")
    ok({"aclrtMalloc", "aclrtLaunchKernelWithHostArgs", "aclrtSynchronizeStream"} <= {e["name"] for e in calls},
       f"{name}: calls of the API", {e["name"] for e in calls})
    ok({"fill", "copy"} == {e["name"] for e in kernels}, f"{name}: kernels by their names", {e["name"] for e in kernels})
    # 3 rounds of each on two streams, clean_placeholder, clean_graph, clean_waits
    ok(len([e for e in kernels if e["name"] == "fill"]) == 5 and len([e for e in kernels if e["name"] == "copy"]) == 7,
       f"{name}: each launch is there once", [(e["name"], e["ts"]) for e in kernels])
    # fill has two blocks in the three rounds
    ok(len([e for e in blocks if e["name"] == "fill" and "goes_on" not in e["args"]]) == 8, f"{name}: each block is there once",
       [(e["name"], e["args"]) for e in blocks])
    key = lambda e: (e["args"]["task"], e["args"].get("stream", e["tid"]))
    inside = {key(k): k for k in kernels}
    ok(all(inside[key(b)]["ts"] <= b["ts"] and
           b["ts"] + b["dur"] <= inside[key(b)]["ts"] + inside[key(b)]["dur"] + 0.002 for b in blocks if key(b) in inside),
       f"{name}: blocks are within their kernels")
    first = min(e["ts"] for e in calls)
    last = max(e["ts"] + e["dur"] for e in calls)
    ok(all(first <= e["ts"] and e["ts"] + e["dur"] <= last for e in kernels), f"{name}: device and host have one clock")
    begun, ended = ({e["id"]: e for e in events if e["ph"] == ph} for ph in "sf")
    submits = [i for i in ended if i.startswith("submit")]
    ok(len(submits) > 10 and all(begun[i]["ts"] <= ended[i]["ts"] for i in submits), f"{name}: arrows from submission to task")
    syncs = [i for i in ended if i.startswith("sync") and i in begun]
    ok(len(syncs) >= 3, f"{name}: arrows from records to waits", ended.keys())
    copies = [e for e in of("copy") if e["name"] == "copy device to host"]
    ok(copies and all(e["args"]["bytes"] == 400 for e in copies), f"{name}: copies with their bytes", of("copy"))
    ok(len(of("graph")) == 1, f"{name}: the graph's replay", of("graph"))
    counters = {e["name"] for e in events if e["ph"] == "C"}
    ok({"device memory", "AI cores in use", "queue of stream 2"} <= counters, f"{name}: counters", counters)
    cores = [e["args"]["cores"] for e in events if e["ph"] == "C" and e["name"] == "AI cores in use"]
    ok(all(a != b for a, b in zip(cores, cores[1:])) and cores[-1] == 0, f"{name}: a counter only when it changes", cores)
    ok(abs(time_in_use(events) - sum(e["dur"] for e in blocks)) < 0.1, f"{name}: AI cores are in use as long as blocks run",
       (time_in_use(events), blocks))
    times = collections.defaultdict(list)
    for e in events:
        if e["ph"] == "C":
            times[e["pid"], e["name"]].append(e["ts"])
    first, last = min(e["ts"] for e in slices), max(e["ts"] + e["dur"] for e in slices)
    # uses are counted by intervals, so the last change may come one after the end
    wrong = {n: t for n, t in times.items() if t != sorted(t) or t[0] < 0 or t[0] > last or t[-1] > last + max(last - first, 1e6)}
    ok(not wrong, f"{name}: counters go forward, within the time of the trace", wrong)
    mine = [e for e in events if e["name"] == "anpu_trace"]
    ok(len(mine) == 1 and mine[0]["args"]["lost"] == 0, f"{name}: nothing is lost")


def check_tool(path, folder):
    done = run(TOOL, "check", path)
    ok(done.returncode == 0, "anpu-trace check", done.stderr)
    done = run(TOOL, "summary", path)
    ok(done.returncode == 0 and re.search(r"\n  copy +7 ", done.stdout) and "Time of device 0" in done.stdout, "anpu-trace summary",
       done.stdout + done.stderr)
    done = run(TOOL, "summary", "--json", path)
    sums = json.loads(done.stdout)
    device = sums["devices"][0]
    ok({row["name"]: row["count"] for row in sums["operators"]} == {"fill": 5, "copy": 7} and
       abs(device["any_core_us"] + sum(device["idle_us"].values()) - device["from_first_to_last_task_us"]) <
       0.01 * device["from_first_to_last_task_us"] + 1, "  and its JSON, whose times add up", sums)
    page = os.path.join(folder, "page.html")
    done = run(TOOL, "html", path, page)
    parser = Page()
    with open(page, encoding="utf-8") as file:
        parser.feed(file.read())
    data = json.loads(re.search(r"^const data = (.*);$", parser.script, re.M).group(1).replace("<\\/", "</"))
    ok(done.returncode == 0 and parser.tables >= 4 and not parser.loads and "http" not in parser.script,
       "anpu-trace html: a page that loads nothing", parser.loads)
    ok({"device 0 stream 2", "device 0 core 0"} & {t["name"] for t in data["tracks"]} and "fill" in data["names"],
       "  with the tracks", [t["name"] for t in data["tracks"]])


def check_ends(folder):
    """Programs that end in other ways."""
    path = os.path.join(folder, "cut.json")
    with open(os.path.join(folder, "whole.json"), encoding="utf-8") as whole, open(path, "w", encoding="utf-8") as cut:
        cut.write(whole.read()[:5000])
    ok(run(TOOL, "summary", path).returncode == 0, "a file whose end is missing is read")
    done = run(TOOL, "summary", BUGS)
    ok(done.returncode == 1 and "anpu-trace: " in done.stderr, "a file that is no trace is refused", done.stderr)
    done = run(BUGS, "chk_clean", ANPU_TRACE="/nonexistent/x.json")
    ok("CODE 0" in done.stdout and "ANPU_TRACE: '/nonexistent/x.json' cannot be written" in done.stderr,
       "a file that cannot be written is told, and the program runs", done.stdout + done.stderr)
    path = os.path.join(folder, "fault.json")
    run(BUGS, "op_null", ANPU_TRACE=path)
    with open(path, encoding="utf-8") as file:
        failed = [e for e in json.load(file) if e.get("args", {}).get("failed")]
    ok({e["cat"] for e in failed} == {"kernel", "block"}, "a kernel that fails says so", failed)
    run(BUGS, "chk_clean", ANPU_TRACE=os.path.join(folder, "pid-%p.json"))
    ok(any(re.fullmatch(r"pid-\d+\.json", name) for name in os.listdir(folder)), "%p is the process's number", os.listdir(folder))


def check_unloaded(folder):
    """A program that unloads its operators before its streams end."""
    path = os.path.join(folder, "unloaded.json")
    data = "tests/samples/vadd/data/anscombe-"
    done = run("build/samples/vadd/vadd", data + "x.txt", data + "y.txt", os.path.join(folder, "sum.txt"), ANPU_TRACE=path)
    ok(done.returncode == 0, "an operator that was unloaded: the program runs", done.stdout + done.stderr)
    with open(path, encoding="utf-8") as file:
        events = json.load(file)
    kernels = [e["name"] for e in events if e.get("cat") in ("kernel", "block")]
    ok(len(kernels) > 1 and set(kernels) == {"vadd_f32"}, "  it has its name", kernels)
    check_pipes(events, path, folder)


def check_pipes(events, path, folder):
    """Time by pipe of vadd_f32, which copies to UB, adds and copies back; blocks behind the tensors' end do nothing."""
    blocks = [e for e in events if e.get("cat") == "block"]
    timed = [e for e in blocks if "pipes_us" in e["args"]]
    ok(timed and len(timed) < len(blocks) and all(set(e["args"]["pipes_us"]) == {"V", "MTE2", "MTE3"} for e in timed),
       "pipes of blocks: those that the operator uses", blocks)
    ok(all(sum(e["args"]["pipes_us"].values()) <= e["dur"] + 0.002 for e in timed), "  which share the block's time", timed)
    lines = {pipe: [e["args"]["pipes"] for e in events if e["ph"] == "C" and e["name"] == f"pipe {pipe} in use"]
             for pipe in ("V", "M", "MTE1", "MTE2", "MTE3", "FIX")}
    ok(all(bool(line) == (pipe in ("V", "MTE2", "MTE3")) and not (line and line[-1]) for pipe, line in lines.items()),
       "  counters of pipes", lines)
    row = json.loads(run(TOOL, "summary", "--json", path).stdout)["pipes"][0]
    sums = {pipe: sum(e["args"]["pipes_us"][pipe] for e in timed) for pipe in ("V", "MTE2", "MTE3")}
    ok(row["name"] == "vadd_f32" and set(row["pipes_us"]) == {"S", *sums} and abs(sum(row["pipes_us"].values()) - row["us"]) < 0.01 and
       all(abs(row["pipes_us"][pipe] - us) < 0.01 for pipe, us in sums.items()), "  the summary adds them up, S has the rest", row)
    text = run(TOOL, "summary", path).stdout
    ok(re.search(r"Time of AI cores, by pipe\n +operator +time +S +V +MTE2 +MTE3\n +vadd_f32 .* %\n", text), "  by operator", text)
    page = os.path.join(folder, "pipes.html")
    run(TOOL, "html", path, page)
    parser = Page()
    with open(page, encoding="utf-8") as file:
        parser.feed(file.read())
    names = [use["name"] for use in json.loads(re.search(r"^const data = (.*);$", parser.script, re.M).group(1))["use"]]
    ok(names == ["AI cores in use", "pipe V in use", "pipe MTE2 in use", "pipe MTE3 in use"], "  and plotted", names)


def check_operations(folder):
    """Single tile operations of vadd_f32: two copies to UB, a sum and a copy back in each block that has elements."""
    path = os.path.join(folder, "operations.json")
    data = "tests/samples/vadd/data/anscombe-"
    done = run("build/samples/vadd/vadd", data + "x.txt", data + "y.txt", os.path.join(folder, "sum.txt"), ANPU_TRACE=path,
               ANPU_TRACE_OPERATIONS="1")
    with open(path, encoding="utf-8") as file:
        events = json.load(file)
    operations = [e for e in events if e.get("cat") == "operation"]
    key = lambda e: (e["args"]["stream"], e["args"]["task"], e["args"]["block"])
    by_block, turns = collections.defaultdict(list), collections.defaultdict(list)
    for e in events:
        if e.get("cat") == "operation":
            by_block[key(e)].append(e)
        elif e.get("cat") == "block" and "pipes_us" in e["args"]:
            turns[key(e)].append(e)
    ok(done.returncode == 0 and by_block and set(by_block) == set(turns), "operations: of the blocks whose pipes were at work", done.stderr)
    # rows whose ends are no multiples of 32 bytes are copied by DMA_PAD
    kinds = lambda list_: [(e["name"].replace("_PAD", "_LIN"), e["args"]["pipe"]) for e in sorted(list_, key=lambda e: e["ts"])]
    ok(all(kinds(list_) == [("DMA_LIN", "MTE2"), ("DMA_LIN", "MTE2"), ("VBIN", "V"), ("DMA_LIN", "MTE3")] for list_ in by_block.values()),
       "  in their order, with pipes", [kinds(list_) for list_ in by_block.values()])
    ok(all(any(turn["ts"] <= e["ts"] and e["ts"] + e["dur"] <= turn["ts"] + turn["dur"] + 0.002 for turn in turns[k])
           for k, list_ in by_block.items() for e in list_), "  within turns of their blocks", operations)
    ok(all(abs(sum(e["dur"] for e in list_ if e["args"]["pipe"] == pipe) -
               sum(turn["args"]["pipes_us"].get(pipe, 0) for turn in turns[k])) < 0.01
           for k, list_ in by_block.items() for pipe in ("V", "MTE2", "MTE3")), "  whose times are those of the pipes", operations)
    ok(all(e["args"]["where"].startswith("vadd_f32") for e in operations), "  with their places", operations)
    ok({e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name" and e["pid"] == 50} ==
       {f"core {core} {pipe}" for core in {e["tid"] for list_ in turns.values() for e in list_} for pipe in ("V", "MTE2", "MTE3")}, "  on a track for each pipe of a core")
    rows = json.loads(run(TOOL, "summary", "--json", path).stdout)["operations"]
    ok(sum(row["count"] for row in rows) == len(operations) and {row["operator"] for row in rows} == {"vadd_f32"} and
       abs(sum(row["us"] for row in rows) - sum(e["dur"] for e in operations)) < 0.1, "  the summary adds them up by place", rows)
    text = run(TOOL, "summary", path).stdout
    ok(re.search(r"Tile operations, by line\n +place +operator +operation +pipe +count +time +longest\n +vadd_f32", text) and
       not run(TOOL, "check", path).returncode, "  and has a table of them", text)


def check_places(folder):
    """An operator in Ascend C that was compiled with -g: places are lines of its source, not of the headers."""
    path = os.path.join(folder, "places.json")
    run(BUGS, "asc_add", ANPU_TRACE=path, ANPU_TRACE_OPERATIONS="1")
    with open(path, encoding="utf-8") as file:
        where = {e["args"]["where"] for e in json.load(file) if e.get("cat") == "operation"}
    ok(where and all(re.search(r"\(\) at [a-z/]*\.cpp:\d+", text) for text in where), "operations of Ascend C have the lines of their author", where)


def profile(folder):
    """A process that profiles itself with the aclprof calls; run by check_profile()."""
    acl = ctypes.CDLL("build/lib/libascendcl.so", ctypes.RTLD_GLOBAL)
    prof = ctypes.CDLL("build/kit/libmsprofiler.so")
    prof.aclprofCreateConfig.restype = prof.aclprofCreateStamp.restype = ctypes.c_void_p
    stamp, config = ctypes.c_void_p(prof.aclprofCreateStamp()), ctypes.c_void_p(prof.aclprofCreateConfig(None, 0, 255, None, 0))
    codes = [acl.aclInit(None), prof.aclprofInit(folder.encode(), len(folder)), acl.aclrtSetDevice(0)]
    memory = ctypes.c_void_p()
    codes += [acl.aclrtMalloc(ctypes.byref(memory), 4096, 0), prof.aclprofSetStampTraceMessage(stamp, b"my step", 7)]
    for _ in range(2):
        codes += [prof.aclprofStart(config), prof.aclprofPush(stamp), acl.aclrtMemsetAsync(memory, 4096, 1, 4096, None),
                  acl.aclrtSynchronizeStream(None), prof.aclprofPop(), prof.aclprofStop(config),
                  acl.aclrtMemsetAsync(memory, 4096, 2, 4096, None), acl.aclrtSynchronizeStream(None)]
    codes += [prof.aclprofFinalize(), acl.aclFinalize()]
    return any(codes)


def check_profile(folder):
    done = run("/usr/bin/python3", "tests/diagnosis/timeline.py", "--profile", folder)
    files = [os.path.join(folder, name) for name in os.listdir(folder) if name.startswith("anpu_")]
    ok(done.returncode == 0 and len(files) == 2, "aclprofStart and aclprofStop, twice", (done.stderr, files))
    for path in files:
        with open(path, encoding="utf-8") as file:
            slices = [e["name"] for e in json.load(file) if e["ph"] == "X"]
        ok(slices.count("fill") == 1 and slices.count("my step") == 1 and "aclrtMalloc" not in slices,
           "  each file has what was between them", slices)


def configured(config, here):
    """A process in @here whose configuration asks for a timeline; run by check_configured(). Tells what aclprofStart() says."""
    acl = ctypes.CDLL(TOP + "/build/lib/libascendcl.so", ctypes.RTLD_GLOBAL)
    prof = ctypes.CDLL(TOP + "/build/kit/libmsprofiler.so")
    prof.aclprofCreateConfig.restype = ctypes.c_void_p
    os.chdir(here)
    os.makedirs("prof", exist_ok=True)
    memory = ctypes.c_void_p()
    codes = [acl.aclInit(config.encode()), acl.aclrtSetDevice(0), acl.aclrtMalloc(ctypes.byref(memory), 4096, 0),
             acl.aclrtMemsetAsync(memory, 4096, 1, 4096, None), acl.aclrtSynchronizeStream(None), prof.aclprofInit(b"prof", 4)]
    conflict = prof.aclprofStart(ctypes.c_void_p(prof.aclprofCreateConfig(None, 0, 255, None, 0)))
    codes += [prof.aclprofFinalize(), acl.aclFinalize()]
    # of the second run nothing is asked for
    codes += [acl.aclInit(None), acl.aclrtSetDevice(0), acl.aclFinalize()]
    print(conflict)
    return any(codes)


def check_configured(folder):
    """profiler in the file of aclInit()."""
    config, here, other = (os.path.join(folder, name) for name in ("acl.json", "here", "other"))
    os.mkdir(here)
    os.mkdir(other)

    def timeline_of(text, where, conflict, says=""):
        with open(config, "w", encoding="utf-8") as file:
            file.write(text)
        done = run("/usr/bin/python3", "tests/diagnosis/timeline.py", "--configured", config, here)
        files = [os.path.join(where, name) for name in os.listdir(where) if name.startswith("anpu_")]
        slices = []
        for path in files:
            with open(path, encoding="utf-8") as file:
                slices = [e["name"] for e in json.load(file) if e["ph"] == "X"]
            os.remove(path)
        good = done.returncode == 0 and done.stdout.split() == [str(conflict)] and says in done.stderr
        return good and bool(says) == bool(done.stderr.strip()), len(files), slices, done.stderr

    profiler = '{"profiler": {"output": "%s", "aic_metrics": "PipeUtilization", "switch": "%s"}}'
    good, count, slices, stderr = timeline_of(profiler % (other.replace("/", "\\/"), "on"), other, CONFLICT)
    ok(good and count == 1 and slices.count("fill") == 1 and slices.count("aclrtSetDevice") == 1,
       "profiler in the configuration records from aclInit() to aclFinalize()", (count, slices, stderr))
    good, count, slices, stderr = timeline_of(profiler % (other, "off"), other, 0)
    ok(good and not count, "  not if its switch is off", (count, stderr))
    nowhere = os.path.join(folder, "nowhere")
    good, count, slices, stderr = timeline_of(profiler % (nowhere, "on"), here, CONFLICT, says="'%s', is no folder" % nowhere)
    ok(good and count == 1 and "fill" in slices, "  into the current folder, if there is no such folder as it names", (count, stderr))
    good, count, slices, stderr = timeline_of('{"profiler": {"switch": "on"}}', here, CONFLICT)
    ok(good and count == 1, "  and if it names none", (count, stderr))
    with open(config, "w", encoding="utf-8") as file:
        file.write(profiler % (other, "on"))
    done = run("/usr/bin/python3", "-c", "import ctypes, os, sys\nacl = ctypes.CDLL('build/lib/libascendcl.so')\n"
               "acl.aclInit(sys.argv[1].encode())\nchild = os.fork()\ncodes = [acl.aclrtSetDevice(0), acl.aclFinalize()]\n"
               "sys.exit(any(codes) or child and os.waitpid(child, 0)[1])", config)
    calls = []
    for name in os.listdir(other):
        with open(os.path.join(other, name), encoding="utf-8") as file:
            calls.append([e["name"] for e in json.load(file) if e["ph"] == "X"].count("aclrtSetDevice"))
    ok(done.returncode == 0 and calls == [1], "  for the process alone, not for a child of fork()", (done, calls))
    with open(config, "w", encoding="utf-8") as file:
        file.write(profiler % ("a\\u0041", "on"))
    done = run("/usr/bin/python3", "-c", "import ctypes, sys\nacl = ctypes.CDLL('build/lib/libascendcl.so')\n"
               "acl.aclGetRecentErrMsg.restype = ctypes.c_char_p\n"
               "print(acl.aclInit(sys.argv[1].encode()), acl.aclGetRecentErrMsg())", config)
    ok("100006" in done.stdout and "profiler.output must be the path of a folder" in done.stdout, "  a path that is none is refused", done)


def check_fork(folder):
    """A child of fork() has a file of its own if the name has its number."""
    run("/usr/bin/python3", "-c", "import ctypes, os\nacl = ctypes.CDLL('build/lib/libascendcl.so')\n"
        "if os.fork():\n    os.wait()\nelse:\n    acl.aclInit(None)", ANPU_TRACE=os.path.join(folder, "fork-%p.json"))
    texts = []
    for name in os.listdir(folder):
        if name.startswith("fork-"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                texts.append("aclInit" in file.read())
    ok(sorted(texts) == [False, True], "a child of fork() has a timeline of its own", texts)


def check_copies(folder):
    """Which synchronous copies could be asynchronous: the one in front of each launch, not the one at the end."""
    path = os.path.join(folder, "copies.json")
    done = run("build/tests/diagnosis/gdb/program", "scale", "add", ANPU_TRACE=path)
    sync = json.loads(run(TOOL, "summary", "--json", path).stdout)["synchronous_copies"]
    text = run(TOOL, "summary", path).stdout
    ok(sync["count"] == 3 and sync["before_a_launch"] == 2 and 0 < sync["before_a_launch_us"] < sync["us"] and
       "2 of them" in text, "copies that could have been asynchronous", (done.stderr, sync))


LEAVES = """
import ctypes, os, sys
acl = ctypes.CDLL("build/lib/libascendcl.so")
child = os.fork()
if child:
    os.waitpid(child, 0)
    sys.exit()
stream, p = ctypes.c_void_p(), ctypes.c_void_p()
acl.aclInit(None)
acl.aclrtSetDevice(0)
acl.aclrtCreateStream(ctypes.byref(stream))
acl.aclrtMalloc(ctypes.byref(p), ctypes.c_size_t(1 << 20), 0)
acl.aclrtMemsetAsync(p, ctypes.c_size_t(1 << 20), 7, ctypes.c_size_t(1 << 20), stream)
acl.aclrtSynchronizeStream(stream)
acl.{end}
os._exit(0)
"""


def check_leaves(folder):
    """A child of fork() that ends without exit() or the end of main()."""
    for end in ("aclFinalize()", "aclrtResetDevice(0)", "aclrtFree(p)"):
        path = os.path.join(folder, end[:8] + "-%p.json")
        done = run("/usr/bin/python3", "-c", LEAVES.format(end=end), ANPU_TRACE=path)
        files = [os.path.join(folder, name) for name in os.listdir(folder) if name.startswith(end[:8])]
        sums = [json.loads(run(TOOL, "summary", "--json", name).stdout or "{}") for name in files]
        seen = {row["name"] for s in sums for kind in ("calls", "copies") for row in s.get(kind, [])}
        ok(len(files) == 2 and {"aclrtMemsetAsync", "aclrtSynchronizeStream", "fill"} <= seen,
           f"_exit() behind {end} loses nothing", (done.stderr, files, seen))


THREADS = """
import ctypes, threading
acl = ctypes.CDLL("build/lib/libascendcl.so")
def work():
    acl.aclrtSetDevice(0)
    for _ in range(20000):
        acl.aclrtSynchronizeStream(None)
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
acl.aclFinalize()
"""


def check_threads(folder):
    """Several threads, each with more calls than one piece of the library's memory holds."""
    path = os.path.join(folder, "threads.json")
    done = run("/usr/bin/python3", "-c", THREADS, ANPU_TRACE=path)
    with open(path, encoding="utf-8") as file:
        calls = [e for e in json.load(file) if e.get("cat") == "call" and e["name"] == "aclrtSynchronizeStream"]
    by_thread = {}
    for call in calls:
        by_thread.setdefault(call["tid"], []).append(call["ts"])
    ok(sorted(map(len, by_thread.values())) == [20000] * 3 and "lacks" not in done.stderr,
       "three threads: every call of each is there", (done.stderr, {t: len(v) for t, v in by_thread.items()}))


LONG = """
import ctypes, time
acl = ctypes.CDLL("build/lib/libascendcl.so")
binary, function, size = ctypes.c_void_p(), ctypes.c_void_p(), 32
codes = [acl.aclrtSetDevice(0), acl.aclrtBinaryLoadFromFile(b"build/operators/empty.o", None, ctypes.byref(binary)),
         acl.aclrtBinaryGetFunction(binary, b"empty_args", ctypes.byref(function))]
for pause in 0, 1.2, 1.4:
    time.sleep(pause)
    codes += [acl.aclrtLaunchKernelWithHostArgs(function, 1, None, None, bytes(size), ctypes.c_size_t(size), None, ctypes.c_size_t(0)), acl.aclrtSynchronizeStream(None)]
codes += [acl.aclrtResetDevice(0)]
exit(any(codes))
"""


def check_long(folder):
    """Three blocks, in a timeline that is so long that the steps of its counters get wider while it is written."""
    path = os.path.join(folder, "long.json")
    done = run("/usr/bin/python3", "-c", LONG, ANPU_TRACE=path)
    with open(path, encoding="utf-8") as file:
        events = json.load(file)
    blocks = [e for e in events if e.get("cat") == "block"]
    steps = [e for e in events if e["ph"] == "C" and e["name"] == "AI cores in use"]
    ok(not done.returncode and len(blocks) == 3 and abs(time_in_use(events) - sum(e["dur"] for e in blocks)) < 0.1,
       "a long timeline: AI cores are in use as long as blocks run", (done.stderr, time_in_use(events), blocks))
    ok(all(any(s["args"]["cores"] and s["ts"] <= b["ts"] + b["dur"] and b["ts"] < s["ts"] + 400 for s in steps) for b in blocks),
       "  and when they run", (steps, blocks))


MARKS = """
import ctypes, struct
ctypes.CDLL(None).prctl(15, b"a\\tname", 0, 0, 0)
acl = ctypes.CDLL("build/lib/libascendcl.so")
stream, graph, memory = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
codes = [acl.aclrtSetDevice(0), acl.aclrtCreateStream(ctypes.byref(stream)), acl.aclrtMalloc(ctypes.byref(memory), 4096, 0)]
codes += [acl.aclrtMemsetAsync(memory, 4096, 1, 4096, stream), acl.aclrtProfTrace(b"step one", 8, stream),
          acl.aclrtMemsetAsync(memory, 4096, 1, 4096, stream),
          acl.aclrtProfTrace(struct.pack("<QQH", 7, 1 << 40, 0xabc), 18, stream),
          acl.aclmdlRICaptureBegin(stream, 0), acl.aclrtProfTrace(b"in a graph", 10, stream),
          acl.aclmdlRICaptureEnd(stream, ctypes.byref(graph)),
          acl.aclmdlRIExecuteAsync(graph, stream), acl.aclmdlRIExecuteAsync(graph, stream), acl.aclrtSynchronizeStream(stream),
          acl.aclmdlRIDestroy(graph), acl.aclrtResetDevice(0)]
exit(any(codes))
"""


def check_marks(folder):
    """aclrtProfTrace(): marks in the order of a stream, text or bytes, and in each replay of a graph."""
    path = os.path.join(folder, "marks.json")
    done = run("/usr/bin/python3", "-c", MARKS, ANPU_TRACE=path)
    with open(path, encoding="utf-8") as file:
        events = json.load(file)
    ok("a\tname" in [e["args"].get("name") for e in events if e["ph"] == "M"], "a thread whose name has a control character",
       [e for e in events if e["ph"] == "M"])
    tasks = [e for e in events if e["ph"] == "X" and e["pid"] >= 10 and e["cat"] in ("mark", "copy")]
    names = [e["name"] for e in sorted(tasks, key=lambda e: e["ts"])]
    ok(done.returncode == 0 and names == ["fill", "step one", "fill", "0x0700000000000000" "0000000000010000" "bc0a",
                                          "in a graph", "in a graph"], "marks of aclrtProfTrace", (done.stderr, names))
    ok(run(TOOL, "check", path).returncode == 0, "  and the file keeps the format's rules")


def main():
    os.chdir(TOP)
    if sys.argv[1:2] == ["--profile"]:
        return profile(sys.argv[2])
    if sys.argv[1:2] == ["--configured"]:
        return configured(*sys.argv[2:])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "whole.json")
        done = run(BUGS, "chk_clean", ANPU_TRACE=path)
        ok("CODE 0" in done.stdout and not done.stderr.strip().replace("\n", "").startswith("anpu: ANPU"), "a program runs with it",
           done.stdout + done.stderr)
        with open(path, encoding="utf-8") as file:
            check_events(json.load(file), "ANPU_TRACE")
        check_tool(path, folder)
        check_ends(folder)
        check_unloaded(folder)
        check_operations(folder)
        check_places(folder)
        check_profile(folder)
        check_configured(folder)
        check_fork(folder)
        check_leaves(folder)
        check_copies(folder)
        check_threads(folder)
        check_long(folder)
        check_marks(folder)
    print(f"1..{len(results)}")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
