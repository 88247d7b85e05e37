#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The samples as a user builds and runs them: copied out of this tree, built by make and by CMake
# against an installed tree alone, run in one VM with two devices; what each prints must be exactly
# what its expected.txt has.
. "$(dirname "$0")/tap.sh"

# Below the current directory, which the VM sees
HERE=build/tests/samples
PREFIX=$TOP/$HERE/prefix
CHAPTERS="hello copies streams events callbacks arguments launches kernelcall exceptions ipc vmm graph devices story"
# Nothing of this tree or this user may be found by accident
CLEAN="env -u CPATH -u LIBRARY_PATH -u LD_LIBRARY_PATH -u PKG_CONFIG_PATH -u CMAKE_PREFIX_PATH -u MAKEFLAGS"

rm -rf "$HERE"
mkdir -p "$HERE"

install_and_copy()
{
	make -s -C lib install PREFIX="$PREFIX"
	make -s -C lib/tools install PREFIX="$PREFIX"
	cp -r tests/samples "$HERE/src"
	rm -rf "$HERE/src/vadd"
}

every_chapter_is_there()
{
	# pages and builds name exactly the samples that exist
	(cd tests/samples && for d in */; do
		[ ! -f "$d/expected.txt" ] || echo "${d%/}"
	done) | sort >"$WORK/there"
	tr ' ' '\n' <<<"$CHAPTERS" | sort | diff - "$WORK/there"
	local chapter
	for chapter in $CHAPTERS; do
		grep -q "(../tests/samples/$chapter/" Documentation/samples.md
		grep -qE "^CHAPTERS := .*\b$chapter\b" tests/samples/Makefile
		grep -qE "^foreach\(chapter .*\b$chapter\b" tests/samples/CMakeLists.txt
	done
}

make_builds_them()
{
	cd "$HERE/src"
	$CLEAN make OUT=../make PKG_CONFIG_PATH="$PREFIX/lib/pkgconfig" ANPUCC="$PREFIX/bin/anpucc" \
		CFLAGS="-O2 -Werror" CXXFLAGS="-O2 -Werror"
}

cmake_builds_them()
{
	command -v cmake
	cd "$HERE/src"
	$CLEAN cmake -B ../cmake -DCMAKE_PREFIX_PATH="$PREFIX" -DCMAKE_C_FLAGS=-Werror \
		-DCMAKE_CXX_FLAGS=-Werror .
	$CLEAN cmake --build ../cmake
}

cmake_refuses_another_version()
{
	mkdir -p "$WORK/other"
	printf '%s\n' 'cmake_minimum_required(VERSION 3.16)' 'project(other C)' \
		'find_package(AscendCL 99 REQUIRED)' >"$WORK/other/CMakeLists.txt"
	fails_with 1 cmake -B "$WORK/other/build" -DCMAKE_PREFIX_PATH="$PREFIX" "$WORK/other" -- AscendCL 99
}

a_moved_tree_works_for_cmake()
{
	cp -r "$HERE/prefix" "$WORK/moved"
	mkdir -p "$WORK/one"
	cp tests/samples/hello/hello.c tests/samples/hello/hello.op.c tests/samples/common/sample.h "$WORK/one"
	printf '%s\n' 'cmake_minimum_required(VERSION 3.16)' 'project(one C)' \
		'find_package(AscendCL REQUIRED)' 'add_executable(hello hello.c)' \
		'target_link_libraries(hello PRIVATE AscendCL::ascendcl)' \
		'anpu_add_operators(ops OUTPUT hello.o SOURCE hello.op.c)' >"$WORK/one/CMakeLists.txt"
	$CLEAN cmake -B "$WORK/one/build" -DCMAKE_PREFIX_PATH="$WORK/moved" "$WORK/one"
	$CLEAN cmake --build "$WORK/one/build"
	ldd "$WORK/one/build/hello" | grep -F "$WORK/moved/lib/anpu/libascendcl.so"
	test -s "$WORK/one/build/hello.o"
}

the_installed_library_is_used()
{
	local program
	for program in $(programs); do
		ldd "$program" | grep -F "$PREFIX/lib/anpu/libascendcl.so"
	done
}

# Programs of both builds, without the two of ipc
programs()
{
	local build chapter name
	for build in make cmake; do
		for chapter in $CHAPTERS; do
			for name in "$chapter" "$chapter-cpp"; do
				[ ! -x "$HERE/$build/$chapter/$name" ] || echo "$HERE/$build/$chapter/$name"
			done
		done
	done
}

# Without a device each says which call failed and why
without_a_device_they_say_so()
{
	local program
	for program in $(programs); do
		fails_with 1 "$program" -- device
	done
	fails_with 1 "$HERE/make/hello/hello" -- "hello.c:" aclrtGetDeviceCount 207004
}

# One boot for all: each program's output, errors and status in files beside it
run_all()
{
	local program build
	{
		for program in $(programs); do
			echo "$program >$program.out 2>$program.err; echo \$? >$program.status"
		done
		for build in make cmake; do
			program=$HERE/$build/ipc/ipc
			echo "${program}_producer /tmp/ipc-$build >$program.out 2>$program.err &"
			echo "${program}_consumer /tmp/ipc-$build >>$program.err 2>&1"
			echo "echo \$? >$program.consumed; wait \$!; echo \$? >$program.status"
		done
	} >"$HERE/all.sh"
	scripts/anpu-run --no-tty --device hbm=256M --device hbm=256M sh "$HERE/all.sh"
}

# The test of one program: $PROGRAM
prints_what_it_should()
{
	cat "$PROGRAM.err"
	test ! -e "$PROGRAM.consumed" || test "$(cat "$PROGRAM.consumed")" = 0
	test "$(cat "$PROGRAM.status")" = 0
	diff "tests/samples/$CHAPTER/expected.txt" "$PROGRAM.out"
	test ! -s "$PROGRAM.err"
}

for name in install_and_copy every_chapter_is_there make_builds_them cmake_builds_them \
	cmake_refuses_another_version a_moved_tree_works_for_cmake the_installed_library_is_used \
	without_a_device_they_say_so run_all; do
	test_that $name
done
for PROGRAM in $(programs) $HERE/make/ipc/ipc $HERE/cmake/ipc/ipc; do
	CHAPTER=$(basename "$(dirname "$PROGRAM")")
	name=${PROGRAM#"$HERE"/}
	eval "${name//[^a-z]/_}_prints_what_it_should() { prints_what_it_should; }"
	test_that "${name//[^a-z]/_}_prints_what_it_should"
done
finish
