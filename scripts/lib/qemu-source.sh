# SPDX-License-Identifier: MIT
# QEMU's source: the one that the installed binary was built from, or, when the archive has dropped it, whatever version
# it has; that one is good for a full build only. build/qemu/source says where it is, build/qemu/source-kind which it is.

QEMU_DIR=$BUILD/qemu
QEMU_CACHE=$CACHE/qemu

qemu_installed_source()
{
	dpkg-query -W -f '${source:Version}' qemu-system-x86 2>/dev/null
}

fetch_qemu_source()
{
	local version=$1 kind=exact
	apt_update
	rm -rf "$QEMU_CACHE"
	if ! step "downloading the source of QEMU $version" apt-qemu \
			download_into "$QEMU_CACHE" source --download-only "qemu=$version"; then
		grep -qE 'Unable to find|Can.t find|404 ' "$LOGS/apt-qemu.log" ||
			apt_explain "$LOGS/apt-qemu.log" "downloading the source of QEMU"
		say "    the archive has no source of QEMU $version any more: a full build from another version will be used"
		kind=other
		step "downloading the source of QEMU" apt-qemu download_into "$QEMU_CACHE" source --download-only qemu ||
			apt_explain "$LOGS/apt-qemu.log" "downloading the source of QEMU"
	fi
	echo "$kind $version" >"$QEMU_CACHE/kind"
	(cd "$QEMU_CACHE" && sha256sum ./qemu_* kind >SHA256SUMS.new && mv SHA256SUMS.new SHA256SUMS)
}

unpack_qemu_source()
{
	rm -rf "$QEMU_DIR/source" && mkdir -p "$QEMU_DIR" &&
		dpkg-source --no-check --no-overwrite-dir -x "$QEMU_CACHE"/qemu_*.dsc "$QEMU_DIR/source"
}

setup_qemu_source()
{
	local version
	version=$(qemu_installed_source)
	[ -n "$version" ] || die "qemu-system-x86 is not installed as a Debian package: install it with apt-get"
	if stamp_valid qemu "$QEMU_DIR/source" && grep -qF " $version" "$CACHE/qemu.stamp"; then
		return
	fi
	announce_repair qemu
	need_space 900 "the source of QEMU"
	if ! { [ -s "$QEMU_CACHE/SHA256SUMS" ] && (cd "$QEMU_CACHE" && sha256sum --status -c SHA256SUMS 2>/dev/null) &&
	       grep -qF " $version" "$QEMU_CACHE/kind"; }; then
		fetch_qemu_source "$version"
	fi
	step "unpacking the source of QEMU" qemu-unpack unpack_qemu_source ||
		explain "$LOGS/qemu-unpack.log" "unpacking the source of QEMU"
	cut -d ' ' -f 1 "$QEMU_CACHE/kind" >"$QEMU_DIR/source-kind"
	stamp_write qemu "$QEMU_DIR/source" <"$QEMU_CACHE/kind"
}
