#!/bin/bash
# SPDX-License-Identifier: MIT
#
# deterministic=on from end to end: two VMs, the same float sums, bit for bit.
set -u

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
OUT=$TOP/build/tests/e2e
OPS=$TOP/build/tests/unit-device/ops.o
mkdir -p "$OUT"
cd "$TOP" || exit 1

echo 1..2
if ! make -s -C tests/unit/device "$OPS" >/dev/null ||
	! cc -O1 -Iinclude -Iinclude/uapi -o "$OUT/deterministic" tests/e2e/deterministic.c -Lbuild/lib \
		-Wl,-rpath,"$TOP/build/lib" -lascendcl; then
	echo "not ok 1 - the program builds"
	exit 1
fi
sums()
{
	scripts/anpu-run --no-tty --device deterministic=on,hbm=256M build/tests/e2e/deterministic \
		"${OPS#"$TOP"/}" 2>&1 | tee -a "$OUT/deterministic.log" | grep '^sums '
}
: >"$OUT/deterministic.log"
first=$(sums)
second=$(sums)
status=0
if [ -n "$first" ]; then
	echo "ok 1 - atomic float sums in three streams: $first"
else
	echo "not ok 1 - atomic float sums in three streams"
	sed 's/^/# /' "$OUT/deterministic.log"
	status=1
fi
if [ "$first" = "$second" ] && [ -n "$second" ]; then
	echo "ok 2 - another VM gives the same bits"
else
	echo "not ok 2 - another VM gives the same bits, not ${second:-nothing}"
	status=1
fi
exit $status
