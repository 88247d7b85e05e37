# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# source this file: programs, build files and launchers find the toolkit tree by these variables
if [ -n "${BASH_SOURCE:-}" ]; then
	_anpu_home=$(cd "$(dirname "${BASH_SOURCE:-}")" && pwd)
elif [ -n "${ZSH_VERSION:-}" ]; then
	# shellcheck disable=SC2296
	_anpu_home=$(eval 'cd "${${(%):-%x}:h}" && pwd')
else
	# other shells do not tell which file they read
	_anpu_home=${ASCEND_TOOLKIT_HOME:-@HOME@}
fi

# _anpu_first VARIABLE DIRECTORY: puts it first, once
_anpu_first()
{
	eval "_anpu_old=\${$1:-}"
	# shellcheck disable=SC2154
	case ":$_anpu_old:" in
	*":$2:"*) ;;
	*) eval "export $1=\"\$2\${_anpu_old:+:\$_anpu_old}\"" ;;
	esac
}

export ASCEND_TOOLKIT_HOME="$_anpu_home"
export ASCEND_HOME_PATH="$_anpu_home"
export TOOLCHAIN_HOME="$_anpu_home"
# What the version files say, for programs that ask the library; aclrtGetVersion() is the API's version all the same
export ANPU_CANN_VERSION="${ANPU_CANN_VERSION:-@VERSION@}"
_anpu_first PATH "$_anpu_home/bin"
_anpu_first LD_LIBRARY_PATH "$_anpu_home/lib64"
_anpu_first CMAKE_PREFIX_PATH "$_anpu_home/lib64/cmake"
if [ -d "$_anpu_home/python/site-packages" ]; then
	_anpu_first PYTHONPATH "$_anpu_home/python/site-packages"
fi
unset _anpu_home _anpu_old
unset -f _anpu_first
