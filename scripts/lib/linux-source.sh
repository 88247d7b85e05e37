# SPDX-License-Identifier: MIT
# The few files of Linux's source that the tests use: the selftest harness and checkpatch. The package is 150 MB and
# unpacks to ten times that, so it is read as a stream and only these files are kept.

LINUX_PARTS=$CACHE/linux-source
LINUX_PART_LIST=(
	tools/testing/selftests/kselftest_harness.h
	tools/testing/selftests/kselftest.h
	tools/testing/selftests/kselftest
	tools/testing/selftests/lib.mk
	tools/testing/selftests/run_kselftest.sh
	scripts/checkpatch.pl
	scripts/spelling.txt
	scripts/const_structs.checkpatch
	scripts/kernel-doc
)

extract_linux_parts()
{
	set -e -o pipefail
	local deb
	deb=$(echo "$CACHE"/linux-source-deb/*.deb)
	rm -rf "$LINUX_PARTS.new"
	mkdir -p "$LINUX_PARTS.new"
	dpkg-deb --fsys-tarfile "$deb" |
		tar -xO --wildcards './usr/src/linux-source-*.tar.xz' |
		xz -dc |
		tar -x -C "$LINUX_PARTS.new" --strip-components=1 "${LINUX_PART_LIST[@]/#/linux-source-6.12/}"
	rm -rf "$LINUX_PARTS"
	mv "$LINUX_PARTS.new" "$LINUX_PARTS"
}

setup_linux_source()
{
	local dir=$CACHE/linux-source-deb sums
	stamp_valid linux-source "$LINUX_PARTS" && return
	announce_repair linux-source
	need_space 400 "the source of the kernel's test harness"
	if ! debs_intact "$dir"; then
		apt_update
		rm -rf "$dir"
		[ -n "$(apt_candidate linux-source-6.12)" ] ||
			die "the package sources have no linux-source-6.12, which make check needs: add ${CODENAME}-security to apt's sources"
		fetch_debs "$dir" "linux-source-6.12=$(apt_candidate linux-source-6.12)"
	fi
	step "extracting the test harness from linux-source-6.12 (about a minute)" linux-source extract_linux_parts ||
		explain "$LOGS/linux-source.log" "extracting from linux-source-6.12"
	sums=$(cat "$dir/SHA256SUMS")
	rm -rf "$dir"
	stamp_write linux-source "$LINUX_PARTS" <<<"$sums"
}
