# SPDX-License-Identifier: MIT
# Debian packages that must be installed on the machine itself.

is_installed()
{
	[ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null | cut -c 1-2)" = ii ]
}

# The package that stands for a line's alternatives: one that is installed, else the first that exists.
choose_alternative()
{
	local name names
	IFS='|' read -ra names <<<"$1"
	for name in "${names[@]}"; do
		! is_installed "$name" || { echo "$name"; return; }
	done
	for name in "${names[@]}"; do
		! apt-cache show "$name" >/dev/null 2>&1 || { echo "$name"; return; }
	done
	echo "${names[0]}"
}

# missing_packages PURPOSE...: those of scripts/packages.txt that are not installed
missing_packages()
{
	local purpose names rest wanted=" $* " installed
	installed=$(dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' | sed -n 's/^ii //p')
	while read -r purpose names rest; do
		case $wanted in *" $purpose "*) ;; *) continue ;; esac
		grep -qxF -f <(tr '|' '\n' <<<"$names") <<<"$installed" || echo "$names"
	done <"$TOP/scripts/packages.txt"
}

as_root()
{
	if [ "$(id -u)" = 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

apt_install()
{
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -y -q --no-install-recommends install "$@"
}

# Whether we may become root: sudo without a password, or with one that it can ask for.
can_become_root()
{
	[ "$(id -u)" != 0 ] || return 0
	command -v sudo >/dev/null || return 1
	sudo -n true 2>/dev/null || { [ -t 2 ] && say "  sudo may ask for your password" && sudo -v; }
}

# install_packages NAME...
install_packages()
{
	local log=$LOGS/apt-install.log
	if ! can_become_root; then
		say "$PROGRAM: these packages are missing, and neither root nor sudo is available; as root, run:"
		say "apt-get install $*"
		exit 1
	fi
	step "installing $*" apt-install apt_install "$@" && return
	# A fresh machine has no lists of packages, an old one has stale ones.
	step "reading the lists of packages" apt-update-system as_root apt-get -q update ||
		apt_explain "$LOGS/apt-update-system.log" "reading the lists of packages"
	step "installing $*" apt-install apt_install "$@" && return
	say "to install them by hand, as root: apt-get install $*"
	apt_explain "$log" "installing packages"
}

setup_packages()
{
	local missing names chosen=()
	missing=$(missing_packages "$@")
	[ -n "$missing" ] || return 0
	for names in $missing; do
		chosen+=("$(choose_alternative "$names")")
	done
	install_packages "${chosen[@]}"
}
