#!/bin/sh
# SPDX-License-Identifier: MIT
# The API's list, headers, library and status page agree; the headers compile for everybody; the
# installation keeps away from POSIX ACLs' libacl. TAP. Needs build/lib (make -C lib).
set -u
TOP=$(cd "$(dirname "$0")/../../.." && pwd)
OUT=$TOP/build/tests/unit-lib
LIB=$TOP/build/lib/libascendcl.so
GEN="/usr/bin/python3 $TOP/lib/gen-api.py"
mkdir -p "$OUT"
n=0
failed=0

# check NAME COMMAND...: one test, the command's output as notes when it fails
check() {
	name=$1
	shift
	n=$((n + 1))
	if "$@" >"$OUT/log" 2>&1; then
		echo "ok $n - $name"
	else
		failed=$((failed + 1))
		sed 's/^/# /' "$OUT/log" | head -20
		echo "not ok $n - $name"
	fi
}

WARN="-Wall -Wextra -Wundef -Wpedantic -Werror -fsyntax-only -I$TOP/include"
HERE=$TOP/tests/unit/lib
cp "$HERE/layouts.c" "$OUT/layouts.cc"

compilers() {
	for c in "$@"; do
		command -v "$c" >/dev/null && echo "$c"
	done
}
for c in $(compilers gcc clang-14); do
	for std in c89 c99 gnu89 c11 c17; do
		check "headers and layouts: $c -std=$std" "$c" -std=$std $WARN "$HERE/layouts.c"
	done
done
for c in $(compilers g++ clang++-14); do
	for std in c++98 c++03 c++11 c++14 c++17 c++20; do
		check "headers and layouts: $c -std=$std" "$c" -std=$std $WARN "$OUT/layouts.cc"
	done
done

# each_header_alone STANDARD LANGUAGE
each_header_alone() {
	for h in "$TOP"/include/acl/*.h "$TOP"/include/acl/error_codes/*.h; do
		printf '#include "%s"\nextern int declared;\n' "${h#"$TOP"/include/}" |
			gcc -std="$1" $WARN -x "$2" - || return 1
	done
}
check "every header compiles alone: c89" each_header_alone c89 c
check "every header compiles alone: c11" each_header_alone c11 c
check "every header compiles alone: c++98" each_header_alone c++98 c++

# A program of another width must not get as far as the layouts: compiling ends with a sentence
refused_for_32_bits() {
	for width in -m32 -mx32; do
		! echo '#include <acl/acl.h>' | gcc $width $WARN -x c - 2>"$OUT/width" || return 1
		grep 'error.*64-bit programs' "$OUT/width" || { cat "$OUT/width"; return 1; }
	done
}
if [ "$(uname -m)" = x86_64 ]; then
	check "32-bit programs are told so by the headers" refused_for_32_bits
fi

prototypes_agree() {
	$GEN redeclare >"$OUT/redeclare.c" && gcc -std=c11 $WARN "$OUT/redeclare.c"
}
check "prototypes of the list and the headers agree" prototypes_agree

declared_agree() {
	echo '#include "acl/acl.h"' | gcc -E -P -I"$TOP/include" -x c - |
		tr '\n' ' ' | grep -o 'visibility("default"))) [^;(]*(' | sed 's/($//; s/.*[ *]//' |
		LC_ALL=C sort >"$OUT/declared"
	$GEN names | LC_ALL=C sort | diff - "$OUT/declared"
}
check "the headers declare exactly the list" declared_agree

# What is built has a manual, every page of which groff formats without a warning
manual_pages() {
	rm -rf "$OUT/man"
	/usr/bin/python3 "$TOP/lib/gen-man.py" "$OUT/man/man3" || return 1
	grep -q 'aclrtMalloc' "$OUT/man/man3/acl_rt_memory.3" || return 1
	grep -q 'man3/acl_rt_memory.3' "$OUT/man/man3/aclrtMalloc.3" || return 1
	command -v groff >/dev/null || return 0
	[ -z "$(groff -man -Tascii -ww -z "$OUT"/man/man3/acl_*.3 2>&1 | tee "$OUT/groff" | head -1)" ] ||
		{ cat "$OUT/groff"; return 1; }
}
check "manual pages" manual_pages

exported_agree() {
	nm -D --defined-only "$LIB" | awk '$2 ~ /[TW]/ { print $3 }' | LC_ALL=C sort >"$OUT/exported"
	$GEN exported | LC_ALL=C sort | diff - "$OUT/exported"
}
check "the library exports exactly the list and the private door" exported_agree

count_404() {
	[ "$($GEN names | wc -l)" -eq 404 ]
}
check "the list has 404 functions" count_404

# A function is called built in the list if and only if a source file defines it
built_agree() {
	nm --defined-only "$TOP"/build/lib/gen/unbuilt.o | awk '$2 == "T" { print $3 }' |
		LC_ALL=C sort >"$OUT/unbuilt"
	awk -F '\t' '!/^#/ && $4 != "built" { print $1 }' "$TOP/lib/api.list" | LC_ALL=C sort |
		diff - "$OUT/unbuilt" || return 1
	for c in "$TOP"/lib/acl/*/*.c; do
		o=${c#"$TOP"/lib/}
		nm --defined-only "$TOP/build/lib/${o%.c}.o"
	done | awk '$2 == "T" && $3 ~ /^acl[A-Zrms]/ { print $3 }' | grep -v '^acl_' |
		LC_ALL=C sort >"$OUT/built"
	awk -F '\t' '!/^#/ && $4 == "built" { print $1 }' "$TOP/lib/api.list" | LC_ALL=C sort |
		diff - "$OUT/built"
}
check "built in the list means defined in lib/acl" built_agree

status_current() {
	$GEN status | diff "$TOP/Documentation/status.md" -
}
check "Documentation/status.md is current (make -C lib status)" status_current

check "every function that is built has a test in Documentation/coverage.md (make -C lib status)" \
	"$TOP/lib/gen-coverage.py" --check
check "the tests that Documentation/semantics.md names exist" "$TOP/tests/unit/lib/rules.py"

# Every built function has a page; groff and, where it is installed, mandoc find nothing to complain of
man_pages() {
	make -s -C "$TOP/lib" man || return 1
	man=$TOP/build/man/man3
	for f in $(awk -F '\t' '$4 == "built" { print $1 }' "$TOP/lib/api.list"); do
		page=$(sed -n 's,^\.so man3/,,p' "$man/$f.3") || return 1
		grep -q "^\.SS $f()" "$man/$page" || { echo "no page for $f"; return 1; }
	done
	for f in "$man"/acl_*.3; do
		groff -man -Tascii -ww -z "$f" 2>&1
		! command -v mandoc >/dev/null || mandoc -Tlint -Wwarning "$f" 2>&1
	done >"$OUT/lint"
	cat "$OUT/lint"
	[ ! -s "$OUT/lint" ]
}
if command -v groff >/dev/null; then
	check "manual pages are complete and well-formed" man_pages
else
	n=$((n + 1))
	echo "ok $n - manual pages are complete and well-formed # SKIP groff is not installed"
fi

soname() {
	readelf -d "$LIB" | grep -q 'SONAME.*\[libascendcl.so\]'
}
check "SONAME is libascendcl.so" soname

# libgcc_s has _Unwind_Resume(): a thread that is cancelled, or an exception, leaves through the library's frames
only_libc_and_libdrm() {
	needed=$(readelf -d "$LIB" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -v ld-linux | LC_ALL=C sort | xargs)
	echo "NEEDED: $needed"
	[ "$needed" = "libc.so.6 libdrm.so.2 libgcc_s.so.1" ]
}
check "the library needs nothing but the C library, the compiler's and libdrm" only_libc_and_libdrm

installs() {
	rm -rf "$OUT/dest"
	make -s -C "$TOP/lib" install PREFIX=/opt/anpu DESTDIR="$OUT/dest" || return 1
	[ -f "$OUT/dest/opt/anpu/share/man/man3/aclrtMalloc.3" ] || return 1
	(cd "$OUT/dest" && find . -type f -o -type l | grep -v -e '/include/acl/' -e '/share/man/man3/acl' |
		LC_ALL=C sort) >"$OUT/files"
	diff - "$OUT/files" <<-LIST
	./opt/anpu/lib/anpu/cmake/ASCConfig.cmake
	./opt/anpu/lib/anpu/cmake/AnpuFunctions.cmake
	./opt/anpu/lib/anpu/cmake/AnpuPlaces.cmake
	./opt/anpu/lib/anpu/cmake/CMakeASCCompiler.cmake.in
	./opt/anpu/lib/anpu/cmake/CMakeASCInformation.cmake
	./opt/anpu/lib/anpu/cmake/CMakeDetermineASCCompiler.cmake
	./opt/anpu/lib/anpu/cmake/CMakeTestASCCompiler.cmake
	./opt/anpu/lib/anpu/cmake/ascendc.cmake
	./opt/anpu/lib/anpu/cmake/tikicpulib-config.cmake
	./opt/anpu/lib/anpu/libacl.so
	./opt/anpu/lib/anpu/libascendcl.so
	./opt/anpu/lib/cmake/AscendCL/AscendCLConfig.cmake
	./opt/anpu/lib/cmake/AscendCL/AscendCLConfigVersion.cmake
	./opt/anpu/lib/cmake/AscendCL/ascendc.cmake
	./opt/anpu/lib/pkgconfig/ascendcl.pc
	LIST
}
check "installs only into its own directory, and no libacl.so.1" installs

builds_from_install() {
	printf '#include <acl/acl.h>\nint main(void) { return aclInit(NULL) || aclFinalize(); }\n' >"$OUT/p.c"
	flags=$(PKG_CONFIG_PATH="$OUT/dest/opt/anpu/lib/pkgconfig" \
		PKG_CONFIG_SYSROOT_DIR="$OUT/dest" pkg-config --cflags --libs ascendcl) || return 1
	gcc -o "$OUT/p" "$OUT/p.c" $flags || return 1
	LD_LIBRARY_PATH="$OUT/dest/opt/anpu/lib/anpu" "$OUT/p"
}
check "a program builds by pkg-config and runs" builds_from_install

posix_acl_untouched() {
	LD_LIBRARY_PATH="$TOP/build/lib" ls -l "$OUT" >/dev/null
}
check "coreutils run with the library's directory in LD_LIBRARY_PATH" posix_acl_untouched

echo "1..$n"
[ "$failed" -eq 0 ]
