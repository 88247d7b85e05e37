#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The installed tree: what a program needs is there under the right names and nothing that gets in
# the way of others; the first program of README.md builds against it alone and runs in the VM. The
# program and its commands are taken out of README.md itself, so that the page cannot rot.
. "$(dirname "$0")/tap.sh"

# In the current directory, which the VM sees
DEST=build/tests/e2e/dest
HERE=build/tests/e2e
rm -rf "$DEST"
mkdir -p "$HERE"

make_install()
{
	make -s -C lib install DESTDIR="$TOP/$DEST" PREFIX=/usr
	test -f $DEST/usr/include/acl/acl.h
	test -f $DEST/usr/lib/anpu/libascendcl.so
	test -f $DEST/usr/lib/pkgconfig/ascendcl.pc
	test -f $DEST/usr/lib/cmake/AscendCL/AscendCLConfig.cmake
}

the_soname_is_libascendcl()
{
	readelf -d $DEST/usr/lib/anpu/libascendcl.so | grep 'SONAME.*\[libascendcl\.so\]'
}

posix_acls_are_left_alone()
{
	# libacl.so.1 is what coreutils needs; no file or link of ours may have that name anywhere
	test -z "$(find $DEST -name 'libacl.so.*')"
	# and libacl.so, for programs that link -lacl, stands in the private directory only
	test "$(find $DEST -name 'libacl*')" = $DEST/usr/lib/anpu/libacl.so
	test "$(readlink $DEST/usr/lib/anpu/libacl.so)" = libascendcl.so
	test -z "$(find $DEST/usr/lib -maxdepth 1 -name '*.so*')"
}

exactly_the_api_is_exported()
{
	nm -D --defined-only build/lib/libascendcl.so | awk '{print $3}' | sed 's/@.*//' | sort >"$WORK/exported"
	/usr/bin/python3 lib/gen-api.py exported | sort >"$WORK/names"
	test "$(/usr/bin/python3 lib/gen-api.py names | wc -l)" = 404
	diff "$WORK/names" "$WORK/exported"
}

every_function_is_declared_in_a_header()
{
	/usr/bin/python3 lib/gen-api.py names >"$WORK/names"
	cat include/acl/*.h >"$WORK/headers"
	local missing
	missing=$(while read -r name; do
		grep -qE "ACL_FUNC_VISIBILITY.*\b$name\(" "$WORK/headers" || echo "$name"
	done <"$WORK/names")
	echo "$missing"
	test -z "$missing"
}

# clang by the name it has here
CLANG=$(compgen -c clang | grep -xE 'clang(-[0-9]+)?' | sort | head -n 1)

headers_alone()
{
	# $1 language, the standards
	local header standard compiler language=$1
	shift
	for compiler in "${CC:-cc}" "${CLANG:-clang}"; do
		for standard; do
			for header in acl/acl.h acl/acl_base.h acl/acl_rt.h acl/acl_mdl.h; do
				echo "#include <$header>" | $compiler -x "$language" -std="$standard" -Wall \
					-Wextra -Wpedantic -Werror -I$DEST/usr/include -fsyntax-only -
			done
		done
	done
}

headers_compile_as_c() { headers_alone c c11 c17; }
headers_compile_as_cpp() { headers_alone c++ c++11 c++14 c++17 c++20; }

no_path_of_this_tree_is_installed()
{
	! grep -rlF "$TOP" $DEST/usr/include $DEST/usr/lib/pkgconfig $DEST/usr/lib/cmake
}

readme_program()
{
	# The first block of C in README.md
	sed -n '/^```c$/,/^```$/p' README.md | sed '1d;/^```$/,$d' >"$HERE/first.c"
	grep -q 'int main' "$HERE/first.c"
	grep -q 'aclrtLaunchKernelWithHostArgs' "$HERE/first.c"
}

it_builds_against_the_installed_tree_by_pkg_config_alone()
{
	export PKG_CONFIG_SYSROOT_DIR=$TOP/$DEST PKG_CONFIG_LIBDIR=$TOP/$DEST/usr/lib/pkgconfig
	export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
	test "$(pkg-config --modversion ascendcl)" = "$(scripts/version)"
	pkg-config --variable=api_version ascendcl | grep -x '1\.[0-9]*\.[0-9]*'
	# shellcheck disable=SC2046
	${CC:-cc} -Wall -Wextra -Werror "$HERE/first.c" -o "$HERE/first" \
		$(pkg-config --cflags --libs ascendcl)
	readelf -d "$HERE/first" | grep 'NEEDED.*\[libascendcl\.so\]'
}

it_runs_in_the_vm_with_the_installed_library()
{
	local out
	out=$(scripts/anpu-run --no-tty --env LD_LIBRARY_PATH="$TOP/$DEST/usr/lib/anpu" sh -c \
		"ldd $HERE/first | grep ascendcl >&2; $HERE/first" 2>"$WORK/err") || { cat "$WORK/err"; return 1; }
	cat "$WORK/err"
	grep -q "$DEST/usr/lib/anpu/libascendcl.so" "$WORK/err"
	echo "$out"
	test "$out" = "11 22 33"
}

a_program_runs_with_the_library_that_it_names_itself()
{
	local out
	${CC:-cc} -I$DEST/usr/include "$HERE/first.c" -o "$HERE/own" -L$DEST/usr/lib/anpu -lascendcl \
		"-Wl,-rpath,\$ORIGIN/dest/usr/lib/anpu"
	# the loader says what it would load
	out=$(env -u LD_LIBRARY_PATH scripts/anpu-run --no-tty --env LD_TRACE_LOADED_OBJECTS=1 "$HERE/own")
	echo "$out"
	grep -q "libascendcl.so => .*$DEST/usr/lib/anpu/libascendcl.so" <<<"$out"
	# and one that names none has that of the tree
	${CC:-cc} -I$DEST/usr/include "$HERE/first.c" -o "$HERE/none" -L$DEST/usr/lib/anpu -lascendcl
	out=$(env -u LD_LIBRARY_PATH scripts/anpu-run --no-tty --env LD_TRACE_LOADED_OBJECTS=1 "$HERE/none")
	echo "$out"
	grep -q "libascendcl.so => $TOP/build/lib/libascendcl.so" <<<"$out"
}

the_commands_of_the_readme_work()
{
	# The two commands behind the program, in a copy of the directory's view: at the top
	local commands
	commands=$(sed -n '/cc first\.c -o first/,/anpu-run/p' README.md | sed 's/^    //')
	grep -q 'anpu-run' <<<"$commands"
	commands=${commands//first.c/$HERE/first.c}
	commands=${commands//-o first/-o $HERE/first2}
	commands=${commands//.\/first/$HERE/first2}
	echo "$commands"
	local out
	out=$(bash -e -c "$commands")
	echo "$out"
	test "$(tail -n 1 <<<"$out")" = "11 22 33"
}

the_operator_of_the_readme_compiles()
{
	# The second block of C in README.md
	sed -n '/^## Bring your own operator/,/^## Status/p' README.md |
		sed -n '/^```c$/,/^```$/p' | sed '1d;$d' >"$HERE/scale.c"
	scripts/anpucc -Wall -Wextra -Werror --print-kernels -o "$HERE/scale.o" "$HERE/scale.c" >"$HERE/kernels"
	cat "$HERE/kernels"
	grep -q '^scale' "$HERE/kernels"
}

c_and_cpp_programs_link_with_lacl_too()
{
	cat >"$HERE/lacl.c" <<-'END'
	#include <acl/acl.h>
	int main(void)
	{
		return aclInit(0) || aclFinalize();
	}
	END
	${CC:-cc} -I$DEST/usr/include "$HERE/lacl.c" -o "$HERE/lacl" -L$DEST/usr/lib/anpu -lacl
	readelf -d "$HERE/lacl" | grep 'NEEDED.*\[libascendcl\.so\]'
	${CXX:-c++} -x c++ -I$DEST/usr/include "$HERE/lacl.c" -o "$HERE/laclpp" -L$DEST/usr/lib/anpu -lascendcl
	# coreutils keep their own: ls needs POSIX ACLs' library on Debian
	LD_LIBRARY_PATH=$DEST/usr/lib/anpu ls / >/dev/null
	LD_LIBRARY_PATH=$DEST/usr/lib/anpu "$HERE/lacl"
	LD_LIBRARY_PATH=$DEST/usr/lib/anpu "$HERE/laclpp"
}

# The whole installation, moved away from where it was installed to
MOVED=$WORK/opt/anpu

anpu_run_is_installed()
{
	# What the machine needs is there, or the tests would not run
	make -s -o deps install DESTDIR="$WORK/staged" PREFIX=/opt/anpu
	mv "$WORK/staged/opt" "$WORK/opt"
	test -x "$MOVED/bin/anpu-run"
	test -s "$MOVED/lib/anpu/guest/vmlinux"
	test -s "$MOVED/lib/anpu/guest/initramfs.cpio"
	test -s "$MOVED/lib/anpu/guest/anpu.ko"
	# again, over what is there
	mv "$WORK/opt" "$WORK/staged/opt"
	scripts/install-vm "$WORK/staged/opt/anpu"
	mv "$WORK/staged/opt" "$WORK/opt"
	! grep -rlIF "$TOP" "$MOVED"
	test -z "$(find "$WORK/opt" -name '*.new' -o -name __pycache__)"
}

# Runs a command where the source tree is not there, as an ordinary user, with a user's environment
away()
{
	local user=() home=$WORK/user
	[ "$(id -u)" != 0 ] || user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	cd "$home"
	set -- env -i PATH="$MOVED/bin:/usr/bin:/bin" HOME="$home" ANPU_SLOW="${ANPU_SLOW:-1}" "$@"
	case $WORK in
	"$TOP"/*) ;; # hidden with the source tree
	*)
		if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
			# shellcheck disable=SC2016
			set -- unshare -m sh -c 'mount -t tmpfs none "$0" && exec "$@"' "$TOP" "${user[@]}" "$@"
			user=()
		fi ;;
	esac
	"${user[@]}" "$@"
}

the_installed_anpu_run_needs_no_source_tree()
{
	local out
	chmod 755 "$WORK"
	mkdir -p "$WORK/user/build/operators"
	cp "$HERE/first.c" "$WORK/user"
	cp tests/operators/vadd.c "$WORK/user"
	[ "$(id -u)" != 0 ] || chown -R 65534:65534 "$WORK/user"
	away anpucc -o build/operators/vadd.o vadd.c
	away cc -I"$MOVED/include" first.c -o first -L"$MOVED/lib/anpu" -lascendcl
	out=$(away anpu-run --no-tty sh -c 'ldd ./first | grep ascendcl; ./first; lsmod | grep -c ^anpu; touch made' 2>"$WORK/err") ||
		{ cat "$WORK/err"; return 1; }
	cat "$WORK/err"
	echo "$out"
	grep -q "libascendcl.so => $MOVED/lib/anpu/libascendcl.so" <<<"$out"
	test "$(tail -n 2 <<<"$out" | xargs)" = "11 22 33 1"
	# in the current directory, on the host
	test -f "$WORK/user/made"
	# nothing is written into the installed tree
	test -z "$(find "$MOVED" -newer "$WORK/user/vadd.c" -type f)"
}

the_installed_toolkit_builds_projects()
{
	local tree=$MOVED/lib/anpu/toolkit build=$WORK/older
	test -z "$(find "$tree" -xtype l)"
	env -i PATH=/usr/bin:/bin HOME="$WORK" bash -e -c ". $tree/set_env.sh
		test \"\$ASCEND_HOME_PATH\" = $tree
		cmake -S $TOP/tests/toolkit/older -B $build
		cmake --build $build
		cmake -S $TOP/tests/toolkit/asc -B $build-asc
		cmake --build $build-asc
		npu-smi -v"
	readelf -d "$build/main" | grep "RUNPATH.*\[$MOVED/lib/anpu"
	! grep -rlIF "$TOP/build" "$tree/"
}

the_installed_anpu_run_says_what_is_missing()
{
	local stock
	mkdir "$WORK/bin"
	stock=$(readlink -f "$(command -v qemu-system-x86_64)")
	if [ -f "$MOVED/lib/anpu/qemu/plugin/anpu.so" ]; then
		# A QEMU that was upgraded: it has another stamp
		sed 's/\(qemu_stamp[_0-9a-f]*\)[0-9a-f]\{6\}/\1000000/g' "$stock" >"$WORK/bin/qemu-system-x86_64"
		chmod 755 "$WORK/bin/qemu-system-x86_64"
		fails_with 125 env PATH="$WORK/bin:$PATH" "$MOVED/bin/anpu-run" --no-tty true -- \
			"was built for another QEMU than $WORK/bin" "make install again"
	fi
	mv "$MOVED/lib/anpu/guest/vmlinux" "$WORK/vmlinux"
	fails_with 125 "$MOVED/bin/anpu-run" --no-tty true -- "guest/vmlinux" "make install again"
	mv "$WORK/vmlinux" "$MOVED/lib/anpu/guest/vmlinux"
	mv "$MOVED/lib/anpu/vm/qemu.py" "$WORK"
	fails_with 125 "$MOVED/bin/anpu-run" --no-tty true -- "lib/anpu/vm/qemu.py is missing" "make install again"
	mv "$WORK/qemu.py" "$MOVED/lib/anpu/vm"
}

install_for_usr_local_needs_no_destdir()
{
	make -s -C lib install PREFIX="$TOP/$HERE/prefix"
	PKG_CONFIG_LIBDIR=$TOP/$HERE/prefix/lib/pkgconfig
	export PKG_CONFIG_LIBDIR
	# shellcheck disable=SC2046
	${CC:-cc} "$HERE/lacl.c" -o "$HERE/lacl3" $(pkg-config --cflags --libs ascendcl)
	# found by its rpath, without a variable
	env -u LD_LIBRARY_PATH "$HERE/lacl3"
	rm -rf "$TOP/$HERE/prefix"
}

for name in make_install the_soname_is_libascendcl posix_acls_are_left_alone \
	exactly_the_api_is_exported every_function_is_declared_in_a_header \
	headers_compile_as_c headers_compile_as_cpp \
	no_path_of_this_tree_is_installed readme_program \
	it_builds_against_the_installed_tree_by_pkg_config_alone \
	it_runs_in_the_vm_with_the_installed_library a_program_runs_with_the_library_that_it_names_itself the_commands_of_the_readme_work \
	the_operator_of_the_readme_compiles \
	c_and_cpp_programs_link_with_lacl_too install_for_usr_local_needs_no_destdir \
	anpu_run_is_installed the_installed_anpu_run_needs_no_source_tree the_installed_toolkit_builds_projects \
	the_installed_anpu_run_says_what_is_missing; do
	test_that $name
done
finish
