#!/bin/bash
# SPDX-License-Identifier: MIT
# The driver as patches for the kernel: they are made, apply, are what checkpatch likes, and what they add builds.
. "$(dirname "$0")/tap.sh"

LINUX=$TOP/build/cache/linux-source
KDIR_HERE=$TOP/build/guest/kdir
# Debian keeps a kernel's headers apart from what depends on its configuration
COMMON=$(sed -n 's#^include \(.*\)/Makefile$#\1#p' "$KDIR_HERE/Makefile" 2>/dev/null)
OUT=$TOP/build/tests/upstream

for tool in unifdef pandoc git; do
	command -v $tool >/dev/null || { echo "1..0 # skip $tool is missing: scripts/setup check installs it"; exit 0; }
done
rm -rf "$OUT"
mkdir -p "$OUT"

the_series_is_made()
{
	scripts/make-series "$OUT/linux"
	test "$(find "$OUT/linux/series" -name '000[1-5]-*.patch' | wc -l)" = 5
	test -e "$OUT/linux/series/0000-cover-letter.patch"
}

it_is_the_same_bytes_each_time()
{
	scripts/make-series "$WORK/again"
	diff -r "$OUT/linux/series" "$WORK/again/series"
}

it_applies_to_the_kernel()
{
	mkdir "$WORK/kernel"
	cd "$LINUX"
	cp --parents -t "$WORK/kernel" MAINTAINERS drivers/accel/Kconfig drivers/accel/Makefile Documentation/accel/index.rst \
		tools/testing/selftests/Makefile
	cd "$WORK/kernel"
	local patch
	for patch in "$OUT"/linux/series/000[1-5]-*.patch; do
		patch -s -p1 --fuzz=0 <"$patch"
	done
	grep -q 'anpu/Kconfig' drivers/accel/Kconfig
	grep -q 'CONFIG_DRM_ACCEL_ANPU.*anpu/' drivers/accel/Makefile
	grep -q 'anpu/index' Documentation/accel/index.rst
	grep -q '^TARGETS += drivers/accel/anpu$' tools/testing/selftests/Makefile
	diff -r -x .git . "$OUT/linux/tree"
}

# TRACE_EVENT has a style of its own; the datasheet's bits are also read by the selftests, which have no BIT(). Tests in userspace are
# like other selftests, which checkpatch does not know.
checkpatch_likes_it()
{
	local patch
	cd "$WORK" # checkpatch leaves a file where it is called
	for patch in "$OUT"/linux/series/000[1235]-*.patch; do
		perl "$LINUX/scripts/checkpatch.pl" --no-tree --strict --quiet --max-line-length=100 \
			--ignore FILE_PATH_CHANGES,OPEN_ENDED_LINE,PARENTHESIS_ALIGNMENT,BIT_MACRO,CAMELCASE "$patch"
	done
}

nothing_of_it_asks_which_kernel_it_is()
{
	! grep -rnE 'ANPU_HAVE_|LINUX_VERSION_CODE|<anpu/' "$OUT/linux/tree/drivers" "$OUT/linux/tree/include"
}

the_driver_builds_in_its_place()
{
	local tree=$OUT/linux/tree
	cp -r "$tree" "$WORK/built"
	make -s -C "$KDIR_HERE" M="$WORK/built/drivers/accel/anpu" CONFIG_DRM_ACCEL_ANPU=m W=1 \
		KCFLAGS="-I$tree/include/uapi -I${COMMON:-$KDIR_HERE}/include/uapi/drm -Werror" modules >"$WORK/log" 2>&1 ||
		{ tail -n 30 "$WORK/log"; return 1; }
	! grep -E 'warning|error' "$WORK/log"
	test -s "$WORK/built/drivers/accel/anpu/anpu.ko"
}

the_selftests_build_in_their_place()
{
	local tests=$WORK/built/tools/testing/selftests
	cp -r "$LINUX"/tools/testing/selftests/{lib.mk,kselftest.h,kselftest_harness.h,kselftest} "$tests"
	mkdir "$WORK/out"
	make -s -C "$tests/drivers/accel/anpu" OUTPUT="$WORK/out" KHDR_INCLUDES="-I$WORK/built/include/uapi $(pkg-config --cflags libdrm)" \
		"$WORK/out/dev_query" "$WORK/out/fuzz"
}

test_that the_series_is_made
test_that it_is_the_same_bytes_each_time
test_that it_applies_to_the_kernel
test_that checkpatch_likes_it
test_that nothing_of_it_asks_which_kernel_it_is
test_that the_driver_builds_in_its_place
test_that the_selftests_build_in_their_place
finish
