#!/bin/bash
# SPDX-License-Identifier: MIT
# The driver as its reviewers look at it: no warning at W=1, of sparse, of checkpatch --strict, of kernel-doc, of coccicheck.
. "$(dirname "$0")/tap.sh"

LINUX=$TOP/build/cache/linux-source
OUT=$TOP/build/tests/driver
KMAKE=(make -C kernel KDIR="$TOP/build/guest/kdir" CHECKPATCH="$LINUX/scripts/checkpatch.pl"
	KERNEL_DOC="$LINUX/scripts/kernel-doc" COCCI="$LINUX/scripts/coccinelle")

# Runs a command, shows what it printed, and fails if it failed or any line is a warning
quiet()
{
	local status=0
	"$@" >"$WORK/log" 2>&1 || status=$?
	if [ $status != 0 ] || grep -E '(warning|error|WARNING|ERROR|CHECK):' "$WORK/log"; then
		tail -n 40 "$WORK/log"
		return 1
	fi
}

# One build for both: sparse looks at each file before the compiler, whose warnings at W=1 are asked for always.
it_builds_without_a_warning_at_w_1()
{
	rm -rf "$OUT"
	quiet env -u MAKEFLAGS "${KMAKE[@]}" O="$OUT" -j"$(nproc)" sparse
	cp "$WORK/log" "$WORK/built"
	test -s "$OUT/anpu.ko"
}

sparse_has_nothing_to_say()
{
	command -v sparse
	test "$(grep -c '^  CHECK ' "$WORK/built")" = "$(find kernel -name '*.c' | wc -l)"
}

checkpatch_strict_has_nothing_to_say()
{
	test -f "$LINUX/scripts/checkpatch.pl"
	quiet "${KMAKE[@]}" checkpatch
}

kernel_doc_has_nothing_to_say()
{
	quiet "${KMAKE[@]}" kernel-doc
}

kernel_doc_of_the_contracts_is_complete()
{
	perl "$LINUX/scripts/kernel-doc" -none -Werror include/uapi/drm/anpu_accel.h include/uapi/drm/anpu_packet.h include/anpu/anpu_hw.h
}

# Every structure that programs see is described, field by field: -Wall asks for what has no comment at all, too.
the_uapi_is_documented()
{
	perl "$LINUX/scripts/kernel-doc" -sphinx-version 3.0 -rst include/uapi/drm/anpu_accel.h >"$WORK/rst"
	sed -nE 's/^(struct|enum) (drm_anpu_[a-z_0-9]+) \{.*/\2/p' include/uapi/drm/anpu_accel.h | while read -r name; do
		grep -qE "^\.\. c:(struct|enum):: $name\$" "$WORK/rst" || { echo "$name has no kernel-doc"; exit 1; }
	done
}

# finds PATCH TEXT: is there something to find, that is found and said; FILE is in $WORK/wrong
finds()
{
	! scripts/coccicheck "$LINUX/scripts/coccinelle" "$WORK/wrong" "$1" >"$WORK/log" 2>&1 && grep -q "$2" "$WORK/log" ||
		{ cat "$WORK/log"; return 1; }
}

coccicheck_finds_what_is_wrong()
{
	mkdir -p "$WORK/wrong"
	cat >"$WORK/wrong/wrong.c" <<-'END'
		void f(struct s *s, char *p)
		{
			scoped_guard(mutex, &s->lock) {
				if (p)
					kfree(p);
			}
		}
	END
	finds free/ifnullfree 'wrong.c:.*WARNING: NULL check before some freeing functions is not needed'
	# What spatch itself would pass over: a function it does not understand, a patch that takes too long.
	echo 'int g(void) { return no_macro(of) { this kind }; }' >"$WORK/wrong/wrong.c"
	finds free/ifnullfree 'wrong.c: not understood'
	for i in $(seq 3000); do echo "int g$i(int a, int b) { int r; if (a > b) { r = a; } else { r = b; } return r; }"; done >"$WORK/wrong/wrong.c"
	! scripts/coccicheck -t 1 "$LINUX/scripts/coccinelle" "$WORK/wrong" misc/minmax >"$WORK/log" 2>&1
	cat "$WORK/log"
	grep -qi 'timeout' "$WORK/log"
	! scripts/coccicheck "$LINUX/scripts/coccinelle" kernel no/such/patch
}

coccicheck_has_nothing_to_say()
{
	# misc/minmax takes as long as all others together: make -C kernel coccicheck has it, too
	scripts/coccicheck -k "$TOP/build/guest/kdir" "$LINUX/scripts/coccinelle" kernel \
		'^(api|free|iterators|locks|null|tests)/|^misc/([^m]|m[^i])'
}

# Barriers, page sizes and formats of another architecture. Debian's arm64 kernel lacks DRM_ACCEL, so that its one function of
# that which the driver needs is the only one that may be missing.
it_builds_for_arm64()
{
	rm -rf "$OUT.arm64"
	make -C kernel KDIR="$TOP/build/arm64/kdir" O="$OUT.arm64" KCFLAGS=-DCONFIG_DRM_ACCEL=1 KBUILD_MODPOST_WARN=1 W=1 >"$WORK/log" 2>&1 ||
		{ tail -n 40 "$WORK/log"; return 1; }
	! grep -E '(warning|error|WARNING|ERROR):' "$WORK/log" | grep -v '^WARNING: modpost: "accel_open" '
	readelf -h "$OUT.arm64/anpu.ko" | grep -q AArch64
	rm -rf "$OUT.arm64"
}

# As dkms would: the variables of dkms.conf, and its command in a copy of the sources that knows no other tree.
dkms_builds_it()
{
	make -s -C kernel dkms DESTDIR="$WORK/root"
	cd "$WORK"/root/usr/src/anpu-*
	kernel_source_dir=$TOP/build/guest/kdir
	. ./dkms.conf
	test "$PWD" = "$WORK/root/usr/src/$PACKAGE_NAME-$PACKAGE_VERSION"
	quiet ${MAKE[0]}
	test -s "${BUILT_MODULE_LOCATION[0]}/${BUILT_MODULE_NAME[0]}.ko"
	! grep -rlF "$TOP" --include='*.[ch]' --include=Kbuild --include=Makefile kernel include
}

# DKMS passes over a kernel that lacks what Kconfig asks for, and not over one that has it.
dkms_knows_which_kernels_are_fit()
{
	local name kernel_source_dir=/nowhere
	. kernel/dkms.conf
	sed -n 's/^\tdepends on //p' kernel/Kconfig | grep -oE '(^|[ &])[A-Z0-9_]+' | grep -oE '[A-Z0-9_]+' >"$WORK/depends"
	cat "$WORK/depends"
	grep -qx DRM_ACCEL "$WORK/depends"
	while read -r name; do
		grep -qw "CONFIG_$name" <<<"$BUILD_EXCLUSIVE_CONFIG"
		grep -q "^CONFIG_$name=[ym]" build/guest/kdir/.config
	done <"$WORK/depends"
}

every_parameter_is_described()
{
	local modinfo
	modinfo=$(PATH=$PATH:/usr/sbin:/sbin command -v modinfo)
	"$modinfo" "$OUT/anpu.ko" >"$WORK/info"
	cat "$WORK/info"
	grep -q '^license: *Dual MIT/GPL' "$WORK/info"
	grep -q '^description: *.' "$WORK/info"
	grep -q '^alias: *pci:v00001234d000011E9' "$WORK/info"
	# a parameter without a description is listed as "name:type"
	! grep -E '^parm: *[a-z_]+:(\(|u?int|bool|byte|u?long|u?short|charp)' "$WORK/info" | grep -vE ':.*\(.*\)$'
	sed -n 's/^parm: *\([a-z_0-9]*\):.*/\1/p' "$WORK/info" | while read -r name; do
		grep -q "$name" Documentation/driver.md || { echo "Documentation/driver.md does not name $name"; exit 1; }
	done
}

# Where the kernel that runs has its headers, and what is said where it has none. The project's Makefile exports KDIR.
without_kdir_it_takes_the_kernel_that_runs()
{
	local build=/lib/modules/$(uname -r)/build
	env -u KDIR make -C kernel -pn clean >"$WORK/log"
	grep -qxF 'KDIR = /lib/modules/$(shell uname -r)/build' "$WORK/log"
	test -e "$build/Makefile" && return
	! env -u KDIR make -C kernel O="$WORK/host" >"$WORK/log" 2>&1
	grep -qF "$build is no kernel's build directory" "$WORK/log"
	grep -qF "KDIR=" "$WORK/log"
}

# A missing barrier shows on x86 once in thousands of submissions, if at all: between the store of wptr, or of the shadow
# doorbell, and the load of polling there is one each.
submit_has_its_barriers()
{
	test "$(objdump -d "$OUT/stream/anpu_submit.o" | grep -c mfence)" -ge 2
}

for name in it_builds_without_a_warning_at_w_1 sparse_has_nothing_to_say \
	checkpatch_strict_has_nothing_to_say kernel_doc_has_nothing_to_say kernel_doc_of_the_contracts_is_complete the_uapi_is_documented \
	dkms_builds_it dkms_knows_which_kernels_are_fit without_kdir_it_takes_the_kernel_that_runs submit_has_its_barriers every_parameter_is_described; do
	test_that $name
done
compiler=$(sed -nE 's/^CC *=.*[ )](gcc-[0-9]+).*/aarch64-linux-gnu-\1/p' build/arm64/kdir/.kernelvariables 2>/dev/null)
if [ -z "$compiler" ]; then
	skip it_builds_for_arm64 "the headers of arm64's kernel are not there: scripts/setup check"
elif ! command -v "$compiler" >/dev/null; then
	skip it_builds_for_arm64 "$compiler is not installed: scripts/setup check"
else
	test_that it_builds_for_arm64
fi
cocci=(coccicheck_finds_what_is_wrong coccicheck_has_nothing_to_say)
why=
command -v spatch >/dev/null || why="spatch is not installed: scripts/setup check"
[ -d "$LINUX/scripts/coccinelle" ] || why="linux-source's scripts/coccinelle are not there: scripts/setup check"
for name in "${cocci[@]}"; do
	if [ "$why" ]; then
		skip "$name" "$why"
	else
		test_that "$name"
	fi
done
finish
