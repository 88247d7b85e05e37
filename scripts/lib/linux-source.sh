# SPDX-License-Identifier: MIT
# The few files of Linux's source that are used: the selftest harness, checkpatch, coccinelle's scripts, and what scripts/make-series changes. The package is 150 MB and
# unpacks to ten times that, so it is read as a stream and only these files are kept.

LINUX_DEB=$CACHE/linux-source-deb
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
	scripts/coccinelle
	MAINTAINERS
	Documentation/accel/index.rst
	drivers/accel/Kconfig
	drivers/accel/Makefile
	drivers/gpu/drm/drm_auth.c
	drivers/gpu/drm/drm_crtc_internal.h
	drivers/gpu/drm/drm_internal.h
	drivers/gpu/drm/drm_ioctl.c
	tools/testing/selftests/Makefile
)

# fetch_linux_source [VERSION]: the package into LINUX_DEB; that version, or the newest there is
fetch_linux_source()
{
	local version=${1:-}
	debs_intact "$LINUX_DEB" && [[ -z $version || -e $(echo "$LINUX_DEB"/*_"${version#*:}"_all.deb) ]] && return
	apt_update
	rm -rf "$LINUX_DEB"
	if [ -z "$version" ] || ! apt_private apt-cache show "linux-source-6.12=$version" >/dev/null 2>&1; then
		[ -z "$version" ] || say "    the package sources have no source of Linux $version any more: taking the newest 6.12"
		version=$(apt_candidate linux-source-6.12)
	fi
	[ -n "$version" ] ||
		die "the package sources have no linux-source-6.12, which is needed: add ${CODENAME}-security to apt's sources"
	fetch_debs "$LINUX_DEB" "linux-source-6.12=$version"
}

# The source as a tar archive, to standard output
linux_source_tar()
{
	dpkg-deb --fsys-tarfile "$LINUX_DEB"/*.deb | tar -xO --wildcards './usr/src/linux-source-*.tar.xz' | xz -dc
}

extract_linux_parts()
{
	set -e -o pipefail
	rm -rf "$LINUX_PARTS.new"
	mkdir -p "$LINUX_PARTS.new"
	linux_source_tar |
		tar -x -C "$LINUX_PARTS.new" --strip-components=1 "${LINUX_PART_LIST[@]/#/linux-source-6.12/}"
	rm -rf "$LINUX_PARTS"
	mv "$LINUX_PARTS.new" "$LINUX_PARTS"
}

setup_linux_source()
{
	local wanted="${LINUX_PART_LIST[*]}" sums
	stamp_valid linux-source "$LINUX_PARTS" && grep -qxF "$wanted" "$CACHE/linux-source.stamp" && return
	announce_repair linux-source
	need_space 400 "the source of the kernel's test harness"
	fetch_linux_source
	step "extracting the test harness from linux-source-6.12 (about a minute)" linux-source extract_linux_parts ||
		explain "$LOGS/linux-source.log" "extracting from linux-source-6.12"
	sums=$(cat "$LINUX_DEB/SHA256SUMS")
	rm -rf "$LINUX_DEB"
	stamp_write linux-source "$LINUX_PARTS" < <(printf '%s\n' "$sums" "$wanted")
}
