# SPDX-License-Identifier: MIT
# The kernel's headers for arm64, of the version that the VM's kernel has: the driver is compiled for arm64 by a test, and
# never run there. What runs on the machine itself while a module is built (scripts of linux-kbuild) is amd64's.

ARM64=$BUILD/arm64
ARM64_DEBS=$CACHE/kernel-arm64

apt_arm64()
{
	apt_private "$1" -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Dir::State::lists="$CACHE/apt/lists-arm64" \
		-o Dir::Cache::pkgcache="" -o Dir::Cache::srcpkgcache="" "${@:2}"
}

download_arm64()
{
	mkdir -p "$CACHE/apt/lists-arm64/partial" "$ARM64_DEBS" && cd "$ARM64_DEBS" && rm -f ./*.deb &&
		apt_arm64 apt-get update && apt_arm64 apt-get download "$1" &&
		sha256sum ./*.deb >SHA256SUMS.new && mv SHA256SUMS.new SHA256SUMS
}

# Makes arm64's directory usable where it is: it names /usr/src, and its scripts are a link to those of amd64.
unpack_arm64()
{
	local headers=$GUEST/headers/usr src=$ARM64.new/usr/src dir
	set -e
	rm -rf "$ARM64.new"
	mkdir -p "$ARM64.new/usr/lib"
	dpkg-deb -x "$ARM64_DEBS"/linux-headers-*-arm64_*.deb "$ARM64.new"
	for dir in "$headers"/lib/linux-kbuild-*; do
		ln -s "$dir" "$ARM64.new/usr/lib/"
	done
	dir=$(echo "$src"/linux-headers-*-arm64)
	sed -i "s|/usr/src/|$headers/src/|g" "$dir/Makefile"
	ln -s "usr/src/${dir##*/}" "$ARM64.new/kdir"
	rm -rf "$ARM64"
	mv "$ARM64.new" "$ARM64"
}

# setup_arm64: nothing else needs it, so that it cannot be had is said and is no error
setup_arm64()
{
	local name
	name=$(basename "$(echo "$GUEST"/headers/usr/src/linux-headers-*-amd64)")
	name=${name%-amd64}-arm64
	if ! debs_intact "$ARM64_DEBS" || ! ls "$ARM64_DEBS/$name"_*.deb >/dev/null 2>&1; then
		apt_configure
		step "downloading $name" apt-arm64 download_arm64 "$name" ||
			{ say "  $name cannot be had, see $LOGS/apt-arm64.log: the driver is not compiled for arm64"; return 0; }
	fi
	[ -e "$ARM64/usr/src/$name/.config" ] && [ -e "$ARM64/kdir/Makefile" ] && return
	step "unpacking $name" arm64 unpack_arm64 || say "  $name cannot be unpacked, see $LOGS/arm64.log"
}
