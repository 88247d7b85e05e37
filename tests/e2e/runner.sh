#!/bin/bash
# SPDX-License-Identifier: MIT
# tests/run counts results, and the end of its output explains failures. tests/debug/full --continue runs the rest.
. "$(dirname "$0")/tap.sh"

# Lines of a run's end that CI shows
TAIL=70

# suites LINE...: writes them, runs them, and keeps the end of what was said and the status
suites()
{
	printf '%s\n' "$@" >"$WORK/suites"
	status=0
	env -u ANPU_SLOW tests/run -s "$WORK/suites" -o "$WORK/logs" >"$WORK/said" 2>&1 || status=$?
	tail -n $TAIL "$WORK/said" | tee "$WORK/tail"
}

says()
{
	local words
	for words; do
		grep -qF -- "$words" "$WORK/tail" || { echo "the end of the output lacks '$words'"; return 1; }
	done
}

never_says() { ! grep -F -- "$1" "$WORK/tail"; }

# program NAME: from standard input
program()
{
	{ echo "#!/bin/bash"; cat; } >"$WORK/$1"
	chmod +x "$WORK/$1"
}

program good <<'END'
echo "# nothing to tell"
echo "ok 1 - fine"
echo "ok 2 - left # SKIP no such thing"
echo "1..2"
END

# As the kernel's harness does it: before the result; many lines, of which the first and the last matter.
program before <<'END'
echo "1..3"
echo "# of the first"
echo "ok 1 one"
echo "#  RUN           two ..."
echo "# seed 0x1234"
for ((i = 0; i < 500; i++)); do echo "# trace $i"; done
echo "# Expected 0 == 1"
echo "not ok 2 two"
echo "#  RUN           three ..."
echo "# of the third"
echo "ok 3 three"
exit 1
END

# Other harnesses print diagnostics behind the result.
program behind <<'END'
echo "not ok 1 - first"
echo "#   want 5, got 6"
echo "ok 2 - second"
echo "1..2"
exit 1
END

program silent <<'END'
echo "1..2"
echo "ok 1 - first"
echo "something broke"
exit 3
END

program many <<'END'
for ((i = 1; i < 100; i++)); do echo "# about $i"; echo "not ok $i - number $i"; done
echo "1..99"
exit 1
END

program busy <<'END'
/usr/bin/python3 -c "import time
while time.process_time() < 0.3:
    pass"
echo "ok 1 - fine"
echo "1..1"
END

a_suites_processor_time_is_told()
{
	suites "a 10 $WORK/good" "b 100 $WORK/busy"
	awk '$1 == "b" && $(NF - 1) >= 0.3 { found = 1 } END { exit !found }' "$WORK/said"
}

what_passes_is_only_counted()
{
	suites "a 10 $WORK/good"
	[ $status = 0 ]
	[ "$(tail -n 1 "$WORK/said")" = "1 passed, 0 failed, 1 skipped" ]
	never_says "nothing to tell"
}

a_failure_is_explained_in_the_end()
{
	suites "a 10 $WORK/before" "b 10 $WORK/good"
	[ $status = 1 ]
	[ "$(tail -n 1 "$WORK/said")" = "3 passed, 1 failed, 1 skipped" ]
	sed -n '/^---/,$p' "$WORK/said" >"$WORK/tail"
	says "--- a (" "seed 0x1234" "Expected 0 == 1" "not ok 2 two"
	never_says "of the first"
	never_says "of the third"
}

lines_behind_the_result_belong_to_it()
{
	suites "a 10 $WORK/behind"
	says "not ok 1 - first" "want 5, got 6"
}

a_suite_that_breaks_off_shows_its_end()
{
	suites "a 10 $WORK/silent"
	[ $status = 1 ]
	says "something broke" "the suite planned 2 tests but ran 1 (exit status 3)"
}

a_suite_without_time_is_a_failure()
{
	suites "a 3 echo 'ok 1'; echo the last words; exec sleep 1000"
	[ $status = 1 ]
	says "the last words" "did not end within 3 s"
}

many_failures_fit()
{
	suites "a 10 $WORK/many" "b 10 $WORK/before" "c 10 $WORK/many" "d 10 $WORK/many" \
		"e 10 $WORK/many" "f 10 $WORK/many" "g 10 $WORK/many" "h 10 $WORK/many"
	sed -n '/^---/,$p' "$WORK/said" >"$WORK/tail"
	[ "$(wc -l <"$WORK/tail")" -le $((TAIL + 10)) ]
	says "--- a (" "more failed" "more suites"
}

# debug_full OPTIONS...: tests/debug/full where two suites are quick, one of them as $WORK/before, and kernels are not built
debug_full()
{
	local tree=$WORK/tree
	mkdir -p "$tree/tests/debug" "$tree/scripts" "$tree/build/debug/kasan/driver"
	cp tests/debug/full "$tree/tests/debug"
	cp tests/run "$tree/tests"
	printf "#!/bin/sh\necho ok 1\n" >"$tree/tests/debug/detect"
	printf "#!/bin/sh\n" >"$tree/scripts/build-debug-kernel"
	chmod +x "$tree/tests/debug/detect" "$tree/scripts/build-debug-kernel"
	echo 6.12 >"$tree/build/debug/kasan/release"
	echo key >"$tree/build/debug/kasan/key"
	printf '%s\n' "model 10 false" "kselftest 10 $WORK/good" "libacl-x 10 $WORK/sometimes" >"$tree/tests/suites"
	status=0
	"$tree/tests/debug/full" "$@" >"$WORK/said" 2>&1 || status=$?
	tee "$WORK/tail" <"$WORK/said"
}

# The suites that it has run, in one line
ran() { sed -n 's/^kasan [0-9/]*: \([^ ]*\), begun.*/\1/p' "$WORK/said" | xargs; }

debug_runs_go_on_where_they_failed()
{
	cp "$WORK/before" "$WORK/sometimes"
	echo "a driver" >"$WORK/ko"
	mkdir -p "$WORK/tree/build/debug/kasan/driver"
	cp "$WORK/ko" "$WORK/tree/build/debug/kasan/driver/anpu.ko"
	debug_full kasan
	[ $status = 1 ]
	[ "$(ran)" = "detect kselftest libacl-x" ]
	[ "$(tail -n 1 "$WORK/said")" = "4 passed, 1 failed, 1 skipped" ]
	cp "$WORK/good" "$WORK/sometimes"
	debug_full --continue kasan
	[ $status = 0 ]
	[ "$(ran)" = libacl-x ]
	[ "$(tail -n 1 "$WORK/said")" = "3 passed, 0 failed, 2 skipped" ]
	# A suite that passed once and failed later counts as failed. Without --continue all suites run.
	cp "$WORK/before" "$WORK/sometimes"
	debug_full kasan libacl-x
	[ "$(ran)" = libacl-x ]
	debug_full --continue kasan
	[ "$(ran)" = libacl-x ]
	debug_full kasan
	[ "$(ran)" = "detect kselftest libacl-x" ]
	# Nor is it the same with another driver.
	echo "another driver" >"$WORK/tree/build/debug/kasan/driver/anpu.ko"
	debug_full --continue kasan
	[ "$(ran)" = "detect kselftest libacl-x" ]
}

debug_runs_know_kinds_and_suites()
{
	debug_full kasam
	[ $status = 2 ]
	says "unknown kind of kernel 'kasam': use kasan or kcsan"
	debug_full kasan model
	[ $status = 2 ]
	says "no suite named 'model'; there are: detect kselftest libacl-x"
}

test_that what_passes_is_only_counted
test_that a_suites_processor_time_is_told
test_that a_failure_is_explained_in_the_end
test_that lines_behind_the_result_belong_to_it
test_that a_suite_that_breaks_off_shows_its_end
test_that a_suite_without_time_is_a_failure
test_that many_failures_fit
test_that debug_runs_go_on_where_they_failed
test_that debug_runs_know_kinds_and_suites
finish
