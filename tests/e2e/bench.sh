#!/bin/bash
# SPDX-License-Identifier: MIT
# make bench: a table, a JSON file with every name that Documentation/bench.md promises, and a page.
. "$(dirname "$0")/tap.sh"

JSON=build/bench.json

bench_prints_a_table()
{
	rm -f $JSON
	make -s -C tests bench QUICK=1 >"$WORK/table" 2>&1 || { cat "$WORK/table"; return 1; }
	cat "$WORK/table"
	grep -q launch_sync "$WORK/table"
	test -s $JSON
}

the_json_file_has_every_name_and_is_consistent()
{
	/usr/bin/python3 - $JSON <<-'END'
	import json, sys
	results = {r["name"]: r for r in json.load(open(sys.argv[1]))["results"]}
	names = ["noop_ioctl", "doorbell_irq", "host_memcpy", "guest_memcpy", "launch_sync", "launch_async"]
	names += ["copy_%s_%s_%s" % (d, m, s) for d in ("h2d", "d2h", "d2d")
	          for m in ("pinned", "pageable") for s in ("4K", "1M", "64M")]
	names += ["noop_doorbell_irq", "noop_in_turn", "submit_one", "user_submit", "submit_wake", "wait_completed"]
	names += ["streams_1", "streams_1000", "noop_ioctl_1p", "noop_ioctl_64p", "noop_bursts_64p"]
	names += ["processes_1", "processes_64", "launch_bursts_64p"]
	names += ["vm_bind_1g_2m", "vm_bind_64m_4k", "pin_64m"]
	names += ["host_fma_peak", "host_fma_peak_all"]
	names += ["%s_%d_%s%s" % (b, s, t, a) for b, s, t in (("matmul", 512, "f32"), ("matmul", 512, "f16"),
	          ("matmul", 2048, "f32"), ("matmul", 2048, "f16"), ("matmul", 2048, "bf16"), ("matmul", 2048, "s8"), ("openblas", 512, "f32"), ("openblas", 2048, "f32"))
	          for a in ("", "_all")]
	names += ["matmul_2048_%s_per_thread" % t for t in ("f32", "f16")]
	names += ["%s%s_%s" % (h, o, t) for h in ("", "host_")
	          for o in ("vadd", "softmax", "layernorm", "reduce_sum", "reduce_max") for t in ("f32", "f16")]
	names += ["%s_%s" % (m, k) for m in ("scalar", "qemu_riscv64")
	          for k in ("saxpy", "dsum", "int_loop", "crc32", "sieve", "tiling")]
	operators = ("add leaky_relu gelu reduce_sum dropout adam softmax layer_norm rms_norm rotary gather topk moe_routing transpose matmul "
	             "matmul_api_f16 matmul_api_bf16 matmul_quantised matmul_leaky_relu matmul_leaky_relu_api matmul_batch convolution "
	             "flash_attention_f16 flash_attention_bf16").split()
	operators += ["cast_" + n for n in ("f32_f16", "f16_f32", "f32_s32", "f32_s16", "f16_s8", "s32_f32", "u8_f16")]
	names += ["ascendc_%s%s" % (o, f) for o in operators for f in ("", "_host")]
	names += ["ascendc_%s%s" % (o, f) for o in ("add", "reduce_sum", "softmax", "layer_norm", "matmul", "matmul_api_f16", "matmul_api_bf16")
	          for f in ("_intrinsics", "_beside")]
	names += ["vm_boot", "vm_start"]
	names += ["block_of_%d" % n for n in (1, 8, 64, 1024)]
	names += [p + n for p in ("vm_", "direct_") for n in ("matmul_2048_f16", "vadd_f32")]
	names += ["direct_" + n for n in ("process_start", "first_result", "noop_call", "thread_round_trip", "launch_sync", "launch_async",
	          "event_record_wait", "graph_100", "callback_round_trip")]
	names += ["direct_" + n for n in names if n.startswith("copy_")]
	names += ["object_%s%s" % (k, f) for f in ("", "_100") for k in ("calloc", "event", "notify", "label", "stream", "context",
	          "memory", "memory_2m", "host", "registered", "pool", "pool_block", "range", "physical", "binary", "graph",
	          "allocator", "ipc_key")]
	names += ["%s_allreduce_%s_%dp" % (w, s, n) for n in (2, 4) for w in ("openmpi", "hccl") for s in ("4K", "1M", "16M")]
	skipped = [s["name"] for s in json.load(open(sys.argv[1]))["skipped"] if s["skipped"]]
	# what a machine may lack
	bad = ["skipped: " + n for n in skipped if not n.startswith(("openblas_", "qemu_riscv64_", "host_fma_avx512", "openmpi_", "hccl_", "vm_start"))]
	bad += ["missing: " + n for n in names if n not in results and n not in skipped]
	for r in results.values():
	    if set(r) < {"name", "unit", "p50", "p99", "floor", "ratio", "better"}:
	        bad.append("%s lacks a field" % r["name"])
	        continue
	    if r["better"] not in ("lower", "higher") or not r["p50"] > 0 or not r["p99"] > 0:
	        bad.append("%s: strange values %s" % (r["name"], r))
	    worse = r["p99"] < r["p50"] if r["better"] == "higher" else r["p99"] > r["p50"]
	    if not worse and r["p99"] != r["p50"]:
	        bad.append("%s: p99 is better than p50" % r["name"])
	    if r["floor"] is None:
	        if r["ratio"] is not None:
	            bad.append("%s: a ratio without a floor" % r["name"])
	    elif abs(r["ratio"] - r["p50"] / results[r["floor"]]["p50"]) > 0.01 * r["ratio"] + 0.01:
	        bad.append("%s: ratio %s" % (r["name"], r["ratio"]))
	print("\n".join(bad) or "%d results" % len(results))
	sys.exit(bool(bad))
	END
}

the_documentation_explains_every_name()
{
	/usr/bin/python3 - $JSON Documentation/bench.md <<-'END'
	import itertools, json, re, sys
	names = [r["name"] for r in json.load(open(sys.argv[1]))["results"]]
	known = set()
	for text in re.findall(r"^\| `([^`]*)`", open(sys.argv[2]).read(), re.M):
	    parts = [p.strip("{}").split(",") for p in re.findall(r"\{[^}]*\}|[^{]+", text)]
	    known |= {"".join(p) for p in itertools.product(*parts)}
	missing = [n for n in names if n not in known]
	print(missing)
	sys.exit(bool(missing))
	END
}

# Every figure is on the page, with a bar where it has a floor; goals and earlier runs are drawn; nothing comes from elsewhere.
the_page_shows_every_figure()
{
	local page=${JSON%.json}.html

	mkdir -p "$WORK/runs"
	cp $JSON "$WORK/runs/20200101-000000.json"
	echo damaged >"$WORK/runs/20200101-000001.json"
	tests/bench/page $JSON "$WORK/page.html" "$WORK/runs" 2>"$WORK/said"
	grep -q '20200101-000001.json is left out' "$WORK/said"
	/usr/bin/python3 - $JSON "$page" "$WORK/page.html" <<-'END'
	import html.parser, json, sys
	class Page(html.parser.HTMLParser):
	    VOID = ("meta", "rect", "circle", "line")
	    def __init__(self):
	        super().__init__()
	        self.names, self.classes, self.open, self.bad = set(), [], [], []
	    def handle_starttag(self, tag, attrs):
	        attrs = dict(attrs)
	        self.names.add(attrs.get("id"))
	        self.classes.append(attrs.get("class"))
	        self.bad += [tag] if tag in ("script", "link", "img", "iframe") or {"src", "href"} & set(attrs) else []
	        if tag not in self.VOID:
	            self.open.append(tag)
	    def handle_startendtag(self, tag, attrs):
	        self.handle_starttag(tag, attrs) if tag in self.VOID else self.bad.append(tag)
	    def handle_endtag(self, tag):
	        if not self.open or self.open.pop() != tag:
	            self.bad.append("/" + tag)
	results = json.load(open(sys.argv[1]))["results"]
	ratios = [r for r in results if r["ratio"]]
	for path in sys.argv[2:]:
	    page = Page()
	    page.feed(open(path).read())
	    missing = [r["name"] for r in results if r["name"] not in page.names]
	    bars = sum(c in ("bar", "missed") for c in page.classes)
	    print(path, missing, page.bad, page.open, bars, len(ratios), page.classes.count("goal"))
	    if missing or page.bad or page.open or bars != len(ratios) or not page.classes.count("goal"):
	        sys.exit(1)
	# the run before this one
	sys.exit(page.classes.count("run") != len(ratios))
	END
}

test_that bench_prints_a_table
test_that the_json_file_has_every_name_and_is_consistent
test_that the_documentation_explains_every_name
test_that the_page_shows_every_figure
finish
