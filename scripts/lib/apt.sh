# SPDX-License-Identifier: MIT
# Package archives through apt, with a configuration of our own under build/cache/apt: the user's own sources plus their
# deb-src twins. The user's configuration is only read, and no root is needed.

APT_DIR=$CACHE/apt

# apt_explain LOG WHAT: turns apt's output into one sentence, and ends.
apt_explain()
{
	local log=$1 what=$2
	if grep -qE 'No space left|enough free space|not enough space' "$log"; then
		die "$what failed: the disk is full; free some space and run it again"
	elif grep -qE 'Temporary failure|Could not resolve|Unable to connect|Could not connect|Network is unreachable|Connection (failed|timed out)' "$log"; then
		die "$what failed: the package servers cannot be reached; connect to the network (or set a proxy for apt) and run it again"
	elif grep -qE 'Could not get lock|Unable to lock' "$log"; then
		die "$what failed: another package manager is running; wait until it has finished and run it again"
	elif grep -q 'Permission denied' "$log"; then
		die "$what failed: permission denied; see $log"
	fi
	say "$(grep -E '^E:' "$log" | head -n 5)"
	die "$what failed; apt's messages are in $log"
}

# One-line sources: every deb line of the distribution, as deb and as deb-src. $1: file
convert_list()
{
	awk -v code="$CODENAME" '
	$1 == "deb" || $1 == "deb-src" {
		suite = ""
		for (i = 2; i < NF; i++) {
			if ($i ~ /^\[/) { while ($i !~ /\]$/ && i < NF) i++; continue }
			suite = $(i + 1); break
		}
		if (suite == code || index(suite, code "-") == 1 || index(suite, code "/") == 1) {
			line = $0; sub(/^deb(-src)?[ \t]+/, "", line)
			print "deb " line; print "deb-src " line
		}
	}' "$1"
}

# deb822 sources: the stanzas whose suites are those of the distribution, with both types. $1: file
convert_deb822()
{
	awk -v code="$CODENAME" '
	function flush_stanza(   i, n, parts, ours) {
		n = split(suites, parts, /[ \t]+/)
		for (i = 1; i <= n; i++)
			if (parts[i] == code || index(parts[i], code "-") == 1 || index(parts[i], code "/") == 1) ours = 1
		if (ours && !disabled) printf "Types: deb deb-src\n%s\n", body
		body = suites = ""; disabled = 0
	}
	/^[ \t]*$/ { flush_stanza(); next }
	/^#/ { next }
	tolower($1) == "types:" { next }
	tolower($1) == "enabled:" { if (tolower($2) ~ /^(no|false|0|off)$/) disabled = 1; next }
	tolower($1) == "suites:" { suites = $0; sub(/^[^:]*:[ \t]*/, "", suites) }
	{ body = body $0 "\n" }
	END { flush_stanza() }' "$1"
}

apt_configure()
{
	local etc=${ANPU_APT_ETC:-/etc/apt} f
	rm -rf "$APT_DIR/sources"
	mkdir -p "$APT_DIR/sources" "$APT_DIR/lists/partial" "$APT_DIR/archives/partial"
	for f in "$etc"/sources.list "$etc"/sources.list.d/*.list; do
		[ ! -r "$f" ] || convert_list "$f" >>"$APT_DIR/sources/anpu.list"
	done
	for f in "$etc"/sources.list.d/*.sources; do
		[ ! -r "$f" ] || convert_deb822 "$f" >>"$APT_DIR/sources/anpu.sources"
	done
	find "$APT_DIR/sources" -size 0 -delete
	[ -n "$(ls "$APT_DIR/sources")" ] ||
		die "apt has no package source for Debian $CODENAME in $etc: add one, as in the Debian installation manual"
	cat >"$APT_DIR/apt.conf" <<-CONF
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
		#clear DPkg::Post-Invoke;
		Dir::Etc::sourcelist "/dev/null";
		Dir::Etc::sourceparts "$APT_DIR/sources";
		Dir::State::lists "$APT_DIR/lists";
		Dir::Cache::archives "$APT_DIR/archives";
		Dir::Cache::pkgcache "$APT_DIR/pkgcache.bin";
		Dir::Cache::srcpkgcache "$APT_DIR/srcpkgcache.bin";
		APT::Sandbox::User "root";
		APT::Get::Only-Source "true";
		Acquire::Languages "none";
		Acquire::Retries "2";
		Acquire::http::Timeout "20";
	CONF
}

apt_private()
{
	local tool=$1
	shift
	"$tool" -c "$APT_DIR/apt.conf" "$@"
}

# The list of packages, once per run of setup.
apt_update()
{
	[ -z "$APT_UPDATED" ] || return 0
	apt_configure
	step "reading the lists of packages" apt-update apt_private apt-get update ||
		grep -q '^Get\|^Hit' "$LOGS/apt-update.log" || apt_explain "$LOGS/apt-update.log" "reading the lists of packages"
	APT_UPDATED=1
}
APT_UPDATED=

# apt_candidate PACKAGE: the version that would be installed, or nothing
apt_candidate()
{
	apt_private apt-cache policy "$1" | awk '$1 == "Candidate:" && $2 != "(none)" { print $2 }'
}

download_into()
{
	mkdir -p "$1" && cd "$1" && shift && apt_private apt-get "$@"
}

# fetch_debs DIR NAME=VERSION...: packages into DIR, checked by apt against the archive's signed hashes
fetch_debs()
{
	local dir=$1
	shift
	step "downloading ${*%%=*}" apt-download download_into "$dir" download "$@" ||
		apt_explain "$LOGS/apt-download.log" "downloading ${*%%=*}"
	(cd "$dir" && sha256sum ./*.deb >SHA256SUMS.new && mv SHA256SUMS.new SHA256SUMS)
}

# debs_intact DIR: whether everything downloaded there is still as it came
debs_intact()
{
	[ -s "$1/SHA256SUMS" ] && (cd "$1" && sha256sum --status -c SHA256SUMS 2>/dev/null)
}
