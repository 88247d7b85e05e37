#!/bin/sh
# SPDX-License-Identifier: MIT
# No NPU in the machine, no driver loaded, no node of the device, a user who may not open it: a VM for each.
cd "$(dirname "$0")/../../.." || exit 1

one()
{
	why=$1
	shift
	echo "# $why"
	# shellcheck disable=SC2086 # tests/variant gives it options
	${ANPU_RUN:-scripts/anpu-run} --no-tty "$@" --env WHY_NO_DEVICE="$why" build/tests/libacl/nodevice </dev/null || status=1
}

status=0
one device --no-device --no-module
one module --no-module
one node
one permission --user nobody
exit $status
