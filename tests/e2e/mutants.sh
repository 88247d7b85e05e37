#!/bin/bash
# SPDX-License-Identifier: MIT
# tests/mutants, in a tree with one source and one test program: which mutants are found, survive and do not count.
. "$(dirname "$0")/tap.sh"

TREE=$WORK/tree

# file NAME: from standard input
file()
{
	mkdir -p "$(dirname "$TREE/$1")"
	cat >"$TREE/$1"
}

make_tree()
{
	file qemu-device/model/limit.c <<-'EOF'
		/* at most n > 7, "n > 7" */
		#define MOST (3 + 4)
		int most(int n)
		{
			if (n > 7)
				n = 7;
			return n;
		}
		int sum(const int *v, int n)
		{
			int s = 0;
			for (int i = 0; i < n; i++)
				s += v[i];
			return s;
		}
		int root(int n)
		{
			int i = 0;
			while (i * i < n)
				i++;
			return i;
		}
	EOF
	file tests/unit/model/limit_test.c <<-'EOF'
		#include <stdio.h>
		int most(int n);
		int sum(const int *v, int n);
		int root(int n);
		int main(void)
		{
			int v[3] = { 1, 2, 4 };
			printf("%sok 1 - at most seven\n", most(7) == 7 && most(9) == 7 && most(8) == 7 && most(5) == 5 ? "" : "not ");
			printf("ok 2 - fails often # TODO\n");
			printf("%sok 3 - the sum\n", sum(v, 3) == 7 ? "" : "not ");
			printf("%sok 4 - the root\n", root(9) == 3 ? "" : "not ");
			return 0;
		}
	EOF
	file qemu-device/Makefile <<-'EOF'
		OUT := $(abspath ../build/model/plain)
		all: $(OUT)/model/limit.o
		programs: $(TESTS:%=$(OUT)/bin/%)
		$(OUT)/model/limit.o: model/limit.c; mkdir -p $(@D) && gcc -g -O0 -c -o $@ $<
		$(OUT)/bin/%: ../tests/unit/model/%.c $(OUT)/model/limit.o; mkdir -p $(@D) && gcc -o $@ $^
	EOF
	echo "tile_tests :=" | file tests/unit/tile/Makefile
	echo "TESTS	:=" | file tests/unit/device/Makefile
	cp -r tests/mutants tests/mutation "$TREE/tests"
	git init -q "$TREE"
	echo build | file .gitignore
	STATE=$TREE/build/mutants/model.json
}

mutants() { "$TREE/tests/mutants" "$@" model; }

# became ID STATE: what the state file says of a mutant
became() { python3 -c 'import json, sys
states = {r["id"]: r["state"] for r in json.load(open(sys.argv[1]))["results"]}
print(states)
sys.exit(states.get(sys.argv[2]) != sys.argv[3])' "$STATE" "qemu-device/model/limit.c:$1" "$2"; }

code_is_changed_and_nothing_else()
{
	mutants --list >"$WORK/list"
	cat "$WORK/list"
	grep -q '^qemu-device/model/limit.c:5:compare:1$' "$WORK/list"
	! grep -E 'limit.c:([12]|3):' "$WORK/list"
}

a_seed_gives_the_same_order()
{
	mutants --list --seed 3 >"$WORK/list3"
	mutants --list --seed 3 | cmp - "$WORK/list3"
	! cmp -s "$WORK/list" "$WORK/list3"
}

tests_kill_and_equivalent_mutants_survive()
{
	mutants -n 100 --patience 1 >"$WORK/said"
	cat "$WORK/said"
	became 5:compare:2 killed		# n <= 7
	became 5:compare:1 survived		# n >= 7 is n > 7 where 7 becomes 7
	became 6:constant:1 killed		# n = 8
	became 13:arithmetic:1 killed		# s -= v[i]
	grep -q '^+if (n >= 7)' "$WORK/said"
	grep -q "limit_test: not ok 3 - the sum" "$WORK/said"
}

a_mutant_that_never_ends_is_killed()
{
	became 20:statement:1 killed		# i++ is missing
	grep -q "limit.c:20:statement:1 .*hangs" "$WORK/said"
}

the_same_object_does_not_count()
{
	sed -i 's/^return n;/return n; n = n - 0;/' "$TREE/qemu-device/model/limit.c"
	mutants -n 100 --patience 1 -o statement >"$WORK/said"
	cat "$WORK/said"
	became 7:statement:1 same
	git -C "$TREE" add -A
}

the_tree_is_untouched()
{
	[ -z "$(git -C "$TREE" diff --name-only)" ]
}

a_run_goes_on_where_it_ended()
{
	mutants -n 2 --patience 1
	mutants -n 4 --patience 1 --continue >"$WORK/said"
	cat "$WORK/said"
	[ "$(grep -cE '^ +[0-9]+ (killed|survived)' "$WORK/said")" = 2 ]
	grep -q "of 4 mutants killed" "$WORK/said"
}

survivors_are_tried_again()
{
	sed -i 's/sum(v, 3) == 7/sum(v, 3) < 8/' "$TREE/tests/unit/model/limit_test.c"
	mutants -n 100 --patience 1 >"$WORK/said"
	became 13:arithmetic:1 survived		# s -= v[i]
	git -C "$TREE" checkout -q tests/unit/model/limit_test.c
	mutants --again --patience 1 >"$WORK/said"
	cat "$WORK/said"
	became 13:arithmetic:1 killed
	became 5:compare:1 survived
}

known_equivalents_do_not_count()
{
	printf '%s\n' '' qemu-device/model/limit.c '-if (n > 7)' '+if (n >= 7)' '= 7 becomes 7' >>"$TREE/tests/mutation/equivalent"
	mutants -n 100 --patience 1 -o compare >"$WORK/said"
	cat "$WORK/said"
	became 5:compare:1 equivalent
	became 5:compare:2 killed
	grep -q "1 change nothing" "$WORK/said"
	git -C "$TREE" checkout -q tests/mutation/equivalent
}

a_mutant_that_does_not_compile_does_not_count()
{
	sed -i 's/^return i;/static int twice[1 - 1 + 1]; return i + twice[0] - 0;/' "$TREE/qemu-device/model/limit.c"
	sed -n 21p "$TREE/qemu-device/model/limit.c"
	mutants -n 100 --patience 1 -o arithmetic >"$WORK/said"
	cat "$WORK/said"
	became 21:arithmetic:2 invalid		# int twice[1 - 1 - 1]
	became 13:arithmetic:1 killed
	git -C "$TREE" checkout -q qemu-device/model/limit.c
}

# Programs that do not reach a mutant do not run for it
only_tests_that_reach_a_mutant_run()
{
	printf '%s\n' 'int most(int n);' 'int main(void) { return most(3) != 3; }' | file tests/unit/model/other_test.c
	sed -i 's/sum(v, 3) == 7/sum(v, 3) < 8/' "$TREE/tests/unit/model/limit_test.c"
	mutants -n 100 --patience 1 >"$WORK/said"
	cat "$WORK/said"
	grep -q 'limit.c:13:arithmetic:1 .* 1 tests pass' "$WORK/said"
	grep -q 'limit.c:5:compare:1 .* 2 tests pass' "$WORK/said"
	rm "$TREE/tests/unit/model/other_test.c"
	git -C "$TREE" checkout -q tests/unit/model/limit_test.c
}

# What a map knows is not measured again: its tests say at once what no test executes, and a source or a test may change behind it.
a_map_says_what_runs()
{
	local state=build/mutants/model/map.json

	printf '%s\n' 'int never(int n)' '{' '	n += 1;' '	return n;' '}' >>"$TREE/qemu-device/model/limit.c"
	mutants --map | tee "$WORK/said"
	grep -q '^[0-9]* of [0-9]* statements are executed by 1 tests; 0 functions' "$WORK/said"
	mutants -n 100 --patience 1 >"$WORK/said"
	cat "$WORK/said"
	grep -q 'the map knows 1 tests; 0 others' "$WORK/said"
	grep -q '^ *1 survived .*limit.c:2[56]:.*not covered' "$WORK/said"
	grep -q 'of those that survive are not covered$' "$WORK/said"
	became 13:arithmetic:1 killed
	became 25:arithmetic:1 survived		# n -= 1 in never()

	# The same statement in another line; a new statement has the tests of its source.
	sed -i '1i /* a new line */' "$TREE/qemu-device/model/limit.c"
	sed -i 's/^return i;/i += n < 0;\n&/' "$TREE/qemu-device/model/limit.c"
	mutants -n 100 --patience 1 -o arithmetic >"$WORK/said"
	cat "$WORK/said"
	grep -q 'the map knows 1 tests; 0 others' "$WORK/said"
	became 14:arithmetic:1 killed
	became 22:arithmetic:1 survived		# i -= n < 0
	grep -q 'limit.c:22:arithmetic:1 .* 1 tests pass' "$WORK/said"

	# A test that has changed since is measured again.
	printf '%s\n' 'int never(int n);' 'int main(void) { return never(3) != 4; }' | file tests/unit/model/other_test.c
	mutants -n 100 --patience 1 -o arithmetic >"$WORK/said"
	cat "$WORK/said"
	rm "$TREE/tests/unit/model/other_test.c" "$TREE/$state"
	git -C "$TREE" checkout -q qemu-device/model/limit.c
	grep -q 'the map knows 1 tests; 1 others' "$WORK/said"
	grep -q 'killed .*limit.c:27:arithmetic:1 .*model/other_test' "$WORK/said"
}

# A change of one's own: does a test notice that it is missing?
a_patch_is_tried()
{
	sed -i 's/n = 7;/n = 6;/' "$TREE/qemu-device/model/limit.c"
	git -C "$TREE" diff >"$WORK/patch"
	git -C "$TREE" checkout -q qemu-device/model/limit.c
	mutants --patch "$WORK/patch" >"$WORK/said"
	cat "$WORK/said"
	grep -q "patch: killed: model/limit_test: not ok 1 - at most seven" "$WORK/said"
}

# Several changes are built and tried in one go, like a run's mutants.
several_patches_make_a_table()
{
	for n in 5 6; do
		sed -i "s/n = 7;/n = $n;/" "$TREE/qemu-device/model/limit.c"
		git -C "$TREE" diff >"$WORK/seven-is-$n"
		git -C "$TREE" checkout -q qemu-device/model/limit.c
	done
	mutants --patch "$WORK/seven-is-5" --patch "$WORK/seven-is-6" >"$WORK/said"
	cat "$WORK/said"
	grep -q "killed .* seven-is-5 .*at most seven" "$WORK/said"
	grep -q "^2 of 2 mutants killed" "$WORK/said"
}

# Neither at first nor for a mutant
only_chosen_programs_run()
{
	printf '%s\n' 'int most(int n);' 'int main(void) { return most(3) != 3; }' | file tests/unit/model/other_test.c
	mutants -n 100 --patience 1 -o compare --programs 'model/oth*' >"$WORK/said"
	cat "$WORK/said"
	rm "$TREE/tests/unit/model/other_test.c"
	grep -q '^without a mutant all 1 tests pass' "$WORK/said"
	grep -q 'survived .*limit.c:5:compare:1 .*, others have not run' "$WORK/said"
	fails_with 1 mutants --programs model/limit -- "no program model/limit"
}

one_mutant_is_repeated()
{
	mutants --repeat qemu-device/model/limit.c:6:constant:1 >"$WORK/said"
	cat "$WORK/said"
	grep -q "limit.c:6:constant:1: killed: model/limit_test: not ok 1 - at most seven" "$WORK/said"
	fails_with 1 mutants --repeat qemu-device/model/limit.c:6:constant:9 -- "no mutant"
}

tests_that_fail_without_a_mutant_are_told()
{
	sed -i 's/== 7/== 8/' "$TREE/tests/unit/model/limit_test.c"
	fails_with 1 mutants -- "without a mutant this fails: model/limit_test: not ok 1"
}

# The lists of programs stand in files that are moved and renamed for other reasons.
every_layer_finds_its_programs()
{
	PYTHONDONTWRITEBYTECODE=1 python3 - <<-'EOF'
		import sys
		sys.path.insert(0, "tests/mutation")
		import coverage
		import layers
		for name, (_, _, _, tests) in layers.LAYERS.items():
		    programs = tests().programs()
		    print(name, len(programs))
		    assert programs, name
		none = coverage.digest_of(["no such program"])
		for name, test in layers.lib_tests().tests.items():
		    assert coverage.digest_of(test["argv"]) != none, name
		assert "event" in layers.callers_of("lib/acl/sync/event.c", layers.lib_tests().programs())
	EOF
}

make_tree
test_that code_is_changed_and_nothing_else
test_that a_seed_gives_the_same_order
test_that tests_kill_and_equivalent_mutants_survive
test_that a_mutant_that_never_ends_is_killed
test_that the_same_object_does_not_count
test_that the_tree_is_untouched
test_that a_run_goes_on_where_it_ended
test_that survivors_are_tried_again
test_that known_equivalents_do_not_count
test_that a_mutant_that_does_not_compile_does_not_count
test_that only_tests_that_reach_a_mutant_run
test_that a_map_says_what_runs
test_that a_patch_is_tried
test_that several_patches_make_a_table
test_that only_chosen_programs_run
test_that one_mutant_is_repeated
test_that tests_that_fail_without_a_mutant_are_told
test_that every_layer_finds_its_programs
finish
