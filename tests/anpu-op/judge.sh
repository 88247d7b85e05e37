#!/bin/bash
# SPDX-License-Identifier: MIT
# anpu-op judge: one line of JSON for each case, whatever the operator does.
. "$(dirname "$0")/common.sh"

# judged NAME STATUS EXPRESSION ARGUMENT...: with the verdicts as the list v, the Python expression is true
judged()
{
	local name=$1 want=$2 expression=$3 status
	shift 3
	timeout 120 "$OP" judge --compiler="$ANPUCC" "$@" >out.json 2>err </dev/null
	status=$?
	if [ "$status" = "$want" ] && /usr/bin/python3 -c "import json, sys
v = [json.loads(line) for line in open('out.json', encoding='utf-8')]
sys.exit(not ($expression))"; then
		result 0 "$name"
	else
		result 1 "$name"
		echo "# status $status, wanted $want, and: $expression"
		sed 's/^/# /' out.json err
	fi
}

# refused NAME STATUS TEXT ARGUMENT...: no verdict, and a sentence
refused()
{
	local name=$1 want=$2 text=$3 status
	shift 3
	timeout 60 "$OP" judge "$@" >out.json 2>err </dev/null
	status=$?
	{ [ "$status" = "$want" ] && [ ! -s out.json ] && grep -qF -- "$text" err; }
	result $? "$name"
}

"$ANPUCC" -g -o bad.o "$TOP/tests/operators/bad.c" || exit 1
cat >fill.c <<'EOF'
#include <anpu/anpu_intrin.h>

ANPU_KERNEL void fill(void)
{
	for (;;)
		anpu_printf("a line that is printed again and again, until somebody ends it");
}

ANPU_KERNEL void short_text(void)
{
	anpu_printf("short\n");
}
EOF
printf 'int x = ;\n' >broken.c
add='f32[8]=iota f32[8]=1 f32[8] 8'

judged "a right operator" 0 "v[0]['verdict'] == 'right' and v[0]['case'] == 1 and v[0]['file'] == 'ops.o' and
	v[0]['run']['status'] == 'right' and v[0]['check']['status'] == 'right' and v[0]['seconds'] > 0 and len(v) == 1" \
	--expect=z=1,2,3,4,5,6,7,8 ops.o add $add
judged "the time of each pipe" 0 "{p['pipe']: p['bytes'] for p in v[0]['run']['pipes']}['MTE2'] == 64" ops.o add $add
judged "a source is compiled" 0 "v[0]['verdict'] == 'right' and v[0]['compile']['status'] == 'compiled' and v[0]['file'] == 'ops.c'" \
	ops.c add $add
judged "what the compiler says" 1 "v[0]['verdict'] == 'compile' and v[0]['compile']['status'] == 'failed' and
	'broken.c:1' in v[0]['compile']['diagnostics'] and 'run' not in v[0]" broken.c kernel
judged "a wrong result, with its element" 1 "v[0]['verdict'] == 'wrong' and 'expected 9' in v[0]['messages']" \
	--expect=z=1,2,3,4,5,6,7,9 ops.o add $add
judged "a fault, with its line" 1 "v[0]['verdict'] == 'fault' and 'first byte behind' in v[0]['messages']" ops.o add f32[8]=iota f32[8]=1 f32[8] 4096
judged "right by luck" 1 "v[0]['verdict'] == 'findings' and v[0]['run']['status'] == 'right' and 'race' in v[0]['check_messages']" \
	bad.o bad_race f32[16]=iota f32[16]
judged "a command line that anpu-op refuses" 1 "v[0]['verdict'] == 'refused' and v[0]['messages']" ops.o no_such_kernel
judged "an operator that never ends" 1 "v[0]['verdict'] in ('fault', 'timeout')" --seconds=2 bad.o bad_endless
judged "an operator that prints without end" 1 "v[0]['verdict'] == 'output' and 'check' not in v[0] and
	99000 <= len(v[0]['run']['printed']) <= 100000 and 'printed more than its limit' in v[0]['run']['fault']['message']" \
	--seconds=100 --output=100000 fill.c fill
judged "a text that just fits" 0 "v[0]['verdict'] == 'right' and len(v[0]['run']['printed']) == 6" --output=6 fill.c short_text
judged "a text that is a byte too long" 1 "v[0]['verdict'] == 'output' and v[0]['run']['printed'] == ''" --output=5 fill.c short_text

{
	echo "# a comment, and an empty line"
	echo
	for i in 1 2 3 4 5 6; do
		echo "--expect=z=1,2,3,4,5,6,7,8 ops.o add $add"
		echo "--expect='z=1,2,3,4,5,6,7,$i' ops.o add $add"
	done
	echo "bad.o bad_endless"
} >cases
judged "a batch in order" 1 "[c['case'] for c in v] == list(range(1, 14)) and
	[c['verdict'] for c in v] == ['right', 'wrong'] * 6 + [v[12]['verdict']] and v[12]['verdict'] in ('fault', 'timeout')" \
	--seconds=2 --batch=cases
judged "the same by several jobs" 1 "sorted(c['case'] for c in v) == list(range(1, 14)) and
	sum(c['verdict'] == 'right' for c in v) == 6 and sum(c['verdict'] == 'wrong' for c in v) == 6" --seconds=2 --jobs=3 --batch=cases
refused "no case" 2 'usage: anpu-op judge'
refused "a batch that is not there" 1 "'nowhere' cannot be read" --batch=nowhere
refused "a number that is none" 2 "'--seconds=x' needs a number above 0" --seconds=x ops.o add
refused "standard input for several jobs" 2 'for one job' --batch=- --jobs=2
is "nothing is left in /tmp" "$(find /tmp -maxdepth 1 -name 'anpu-judge-*' -newer ops.o | wc -l)" 0
finish
