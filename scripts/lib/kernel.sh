# SPDX-License-Identifier: MIT
# The VM's kernel: Debian's 6.12 image and headers, unpacked under build/guest and never installed.

GUEST=$BUILD/guest
KERNEL_DEBS=$CACHE/kernel

# The newest 6.12 of flavour amd64 (not cloud, not rt) that has both headers and an image.
find_kernel()
{
	local release
	for release in $(apt_private apt-cache pkgnames linux-headers-6.12. |
			 sed -nE 's/^linux-headers-(6\.12\.[0-9]+[^-]*)-amd64$/\1/p' | sort -rV); do
		[ -n "$(apt_candidate "linux-headers-$release-amd64")" ] || continue
		for image in "linux-image-$release-amd64" "linux-image-$release-amd64-unsigned"; do
			[ -z "$(apt_candidate "$image")" ] || { echo "$release $image"; return 0; }
		done
	done
	return 1
}

fetch_kernel()
{
	local release image name debs=()
	apt_update
	read -r release image < <(find_kernel) || true
	[ -n "$image" ] || die "the package sources have no Linux 6.12 for amd64: on Debian 12 add bookworm-security" \
		"to apt's sources, on Debian 13 trixie, then run it again"
	for name in "$image" "linux-headers-$release-amd64" "linux-headers-$release-common" "linux-kbuild-$release"; do
		debs+=("$name=$(apt_candidate "$name")")
	done
	rm -rf "$KERNEL_DEBS"
	fetch_debs "$KERNEL_DEBS" "${debs[@]}"
}

unpack_debs()
{
	local deb
	rm -rf "$GUEST/root" "$GUEST/headers" "$GUEST/modules"
	mkdir -p "$GUEST/root" "$GUEST/headers"
	for deb in "$KERNEL_DEBS"/linux-image-*.deb; do
		echo "unpacking ${deb##*/}"
		dpkg-deb -x "$deb" "$GUEST/root.new" && mv "$GUEST/root.new"/* "$GUEST/root/" && rmdir "$GUEST/root.new"
	done
	# usr-merged packages have usr/lib/modules only
	[ -d "$GUEST/root/lib" ] || ln -s usr/lib "$GUEST/root/lib"
	for deb in "$KERNEL_DEBS"/linux-headers-*.deb "$KERNEL_DEBS"/linux-kbuild-*.deb; do
		echo "unpacking ${deb##*/}"
		dpkg-deb -x "$deb" "$GUEST/headers"
	done
}

# The headers' makefiles name /usr/src: let them name build/guest instead.
relocate_headers()
{
	local src=$GUEST/headers/usr/src dir
	dir=$(echo "$src"/linux-headers-*-amd64)
	grep -rlI --include=Makefile --include=.kernelvariables -e /usr/src/ "$src"/*/Makefile "$src"/*/.kernelvariables |
		xargs -r sed -i "s|/usr/src/|$src/|g"
	ln -sfn "headers/usr/src/${dir##*/}" "$GUEST/kdir"
	[ -d "$dir/scripts/mod" ] || die "the kernel headers in $dir are not complete: run make distclean, then make"
}

unpack_kernel()
{
	set -e
	unpack_debs
	relocate_headers
	"$TOP/scripts/build-guest" "$GUEST/root" "$GUEST"
}

setup_kernel()
{
	local compiler
	stamp_valid kernel "$GUEST/root" "$GUEST/headers" "$GUEST/vmlinux" && return
	announce_repair kernel
	need_space 900 "the kernel of the VM"
	debs_intact "$KERNEL_DEBS" || fetch_kernel
	step "unpacking the kernel and its headers" kernel unpack_kernel ||
		explain "$LOGS/kernel.log" "unpacking the kernel"
	compiler=$(sed -nE 's/^CC *=.*[ )](gcc-[0-9]+).*/\1/p' "$GUEST/kdir/.kernelvariables")
	[ -z "$compiler" ] || command -v "x86_64-linux-gnu-$compiler" >/dev/null || install_packages "$compiler"
	stamp_write kernel "$GUEST/root" "$GUEST/headers" "$GUEST/vmlinux" <"$KERNEL_DEBS/SHA256SUMS"
}
