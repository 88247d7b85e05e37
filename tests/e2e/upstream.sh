#!/bin/bash
# SPDX-License-Identifier: MIT
# The driver as patches for the kernel, and the device as patches for QEMU: they are made, apply, are what checkpatch likes, and what they add builds.
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
	test "$(find "$OUT/linux/series" -name '000[1-6]-*.patch' | wc -l)" = 6
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
		drivers/gpu/drm/drm_auth.c drivers/gpu/drm/drm_ioctl.c tools/testing/selftests/Makefile
	cd "$WORK/kernel"
	local patch
	for patch in "$OUT"/linux/series/000[1-6]-*.patch; do
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
	for patch in "$OUT"/linux/series/000[12346]-*.patch; do
		perl "$LINUX/scripts/checkpatch.pl" --no-tree --strict --quiet --max-line-length=100 \
			--ignore FILE_PATH_CHANGES,OPEN_ENDED_LINE,PARENTHESIS_ALIGNMENT,BIT_MACRO,CAMELCASE "$patch"
	done
}

nothing_of_it_asks_which_kernel_it_is()
{
	! grep -rnE 'ANPU_HAVE_|LINUX_VERSION_CODE|<anpu/' "$OUT/linux/tree/drivers" "$OUT/linux/tree/include"
}

# DRM's two functions refuse files without a master before they follow the pointer
drms_files_compile_with_the_fix()
{
	local fixed=$WORK/drm file
	mkdir "$fixed"
	cp "$LINUX"/drivers/gpu/drm/drm_{internal,crtc_internal}.h "$OUT"/linux/tree/drivers/gpu/drm/drm_{auth,ioctl}.c "$fixed"
	echo 'obj-m := drm_auth.o drm_ioctl.o' >"$fixed/Kbuild"
	make -s -C "$KDIR_HERE" M="$fixed" KCFLAGS=-Werror drm_auth.o drm_ioctl.o
	for file in drm_auth drm_ioctl; do
		diff "$LINUX/drivers/gpu/drm/$file.c" "$fixed/$file.c" >"$WORK/fix" || true
		test "$(grep -c '^>' "$WORK/fix")" = 5
		! grep '^<' "$WORK/fix"
	done
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

# For QEMU ---------------------------------------------------------------------------------------

QEMU=$TOP/build/qemu/source
GENERATED=$TOP/build/qemu/plugin/gen

qemus_series_is_made()
{
	scripts/make-qemu-series "$OUT/qemu"
	test "$(find "$OUT/qemu/series" -name '000[1-5]-*.patch' | wc -l)" = 5
	test -e "$OUT/qemu/series/0000-cover-letter.patch"
	scripts/make-qemu-series "$WORK/again-qemu"
	diff -r "$OUT/qemu/series" "$WORK/again-qemu/series"
}

it_applies_to_qemu()
{
	local patch
	mkdir "$WORK/qemu"
	(cd "$QEMU" && cp --parents -t "$WORK/qemu" MAINTAINERS hw/misc/Kconfig hw/misc/meson.build docs/specs/index.rst tests/qtest/meson.build)
	cd "$WORK/qemu"
	for patch in "$OUT"/qemu/series/000[1-5]-*.patch; do
		patch -s -p1 --fuzz=0 <"$patch"
	done
	grep -q "^subdir('anpu')$" hw/misc/meson.build
	grep -q '^source anpu/Kconfig$' hw/misc/Kconfig
	grep -q 'anpu/index' docs/specs/index.rst
	diff -r -x .git . "$OUT/qemu/tree"
}

# The model is a library with a style of its own, as other libraries in subprojects are.
qemus_checkpatch_likes_the_device()
{
	local patch
	cd "$WORK"
	for patch in "$OUT"/qemu/series/000[2-5]-*.patch; do
		perl "$QEMU/scripts/checkpatch.pl" --no-tree --terse "$patch" >"$WORK/said" || true
		! grep -E 'ERROR|WARNING' "$WORK/said" | grep -v 'does MAINTAINERS need updating'
	done
}

nothing_of_it_asks_which_qemu_it_is()
{
	! grep -rnE 'anpu_compat|ANPU_PLUGIN|QEMU_VERSION|__has_include' "$OUT/qemu/tree/hw" "$OUT/qemu/tree/tests"
}

the_device_compiles_in_its_place()
{
	local tree=$OUT/qemu/tree file
	local flags=(-std=gnu11 -fsyntax-only -Wall -Werror -Wno-unused -fno-strict-aliasing -fwrapv -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64
		-D_LARGEFILE_SOURCE -iquote "$GENERATED" -I"$GENERATED" -iquote "$QEMU" -iquote "$QEMU/include" -I"$QEMU/include" -iquote "$QEMU/tests/qtest"
		-iquote "$QEMU/host/include/x86_64" -iquote "$QEMU/host/include/generic" -iquote "$QEMU/tcg/i386" -isystem "$GENERATED/linux-headers"
		-isystem "$QEMU/linux-headers" -I"$tree/subprojects/libanpu" -I"$tree/subprojects/libanpu/model" -I"$tree/subprojects/libanpu/include")
	read -ra glib < <(pkg-config --cflags glib-2.0)
	for file in "$tree"/hw/misc/anpu/*.c; do
		gcc "${flags[@]}" "${glib[@]}" -DCOMPILING_SYSTEM_VS_USER "$file"
	done
	gcc "${flags[@]}" "${glib[@]}" "$tree/tests/qtest/anpu-test.c"
}

# Every source that the subproject's list names is there, and needs no header from outside
the_model_compiles_in_its_place()
{
	local model=$OUT/qemu/tree/subprojects/libanpu file
	sed -n "s/^  '\(.*\.c\)',$/\1/p" "$model/meson.build" >"$WORK/sources"
	test "$(wc -l <"$WORK/sources")" -gt 50
	while read -r file; do
		gcc -std=gnu11 -M -D_GNU_SOURCE -I"$model" -I"$model/model" -I"$model/include" "$model/$file"
	done <"$WORK/sources" >"$WORK/needed"
	! grep -F "$TOP/include" "$WORK/needed"
}

# Minutes: where a full QEMU was built before, or is asked for by ANPU_QEMU=full
all_of_qemu_builds_and_its_qtest_passes()
{
	scripts/build-qemu-full qtest
}

test_that the_series_is_made
test_that it_is_the_same_bytes_each_time
test_that it_applies_to_the_kernel
test_that checkpatch_likes_it
test_that nothing_of_it_asks_which_kernel_it_is
test_that drms_files_compile_with_the_fix
test_that the_driver_builds_in_its_place
test_that the_selftests_build_in_their_place
test_that qemus_series_is_made
test_that it_applies_to_qemu
test_that qemus_checkpatch_likes_the_device
test_that nothing_of_it_asks_which_qemu_it_is
if [ -d "$GENERATED" ]; then
	test_that the_device_compiles_in_its_place
else
	skip "the device compiles in its place" "the stock QEMU is not what the device was built for"
fi
test_that the_model_compiles_in_its_place
if [ -x build/qemu/full/qemu-system-x86_64 ] || [ "${ANPU_QEMU:-}" = full ]; then
	test_that all_of_qemu_builds_and_its_qtest_passes
else
	skip "all of QEMU builds and its QTest passes" "it takes minutes: ANPU_QEMU=full tests/e2e/upstream.sh"
fi
finish
