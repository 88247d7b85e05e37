#!/bin/bash
# SPDX-License-Identifier: MIT
# --json: one document that Python reads, with everything in it, and statuses that scripts can rely on.
. "$(dirname "$0")/common.sh"

# json NAME STATUS EXPRESSION ARGUMENT...: with the document as j, the Python expression is true
json()
{
	local name=$1 want=$2 expression=$3 status
	shift 3
	"$OP" --json "$@" >out.json 2>err </dev/null
	status=$?
	if [ "$status" = "$want" ] && /usr/bin/python3 -c "import json, sys
j = json.load(open('out.json', encoding='utf-8'))
sys.exit(not ($expression))"; then
		result 0 "$name"
	else
		result 1 "$name"
		echo "# status $status, wanted $want, and: $expression"
		sed 's/^/# /' out.json err
	fi
}

add=(ops.o add f32[2,4]=iota f32[8]=1 f32[2,4] 8)
json "what ran" 0 "j['operator'] == 'ops.o' and j['kernel'] == 'add' and j['status'] == 'right' and j['exit_status'] == 0" "${add[@]}"
json "counts and times" 0 "j['blocks'] == 1 and j['sub_blocks'] == 1 and j['tile_operations'] == 4 and j['instructions'] > 10 and
	j['runs'] == 1 and 0 < j['least_ns'] == j['median_ns'] and j['threads'] == 1" "${add[@]}"
json "tensors" 0 "j['tensors'][2] == {'argument': 2, 'name': 'z', 'type': 'f32', 'shape': [2, 4], 'changed': True,
	'first': [1, 2, 3, 4, 5, 6, 7, 8]} and not j['tensors'][0]['changed'] and len(j['tensors']) == 3" "${add[@]}"
json "--print" 0 "len(j['tensors'][0]['first']) == 2" --print=2 "${add[@]}"
json "no checks, no fault, no profile" 0 "j['checks'] == [] and 'fault' not in j and 'pipes' not in j and j['printed'] == ''" "${add[@]}"
json "numbers that JSON has not" 0 "j['tensors'][0]['first'] == ['inf', '-inf', 'nan', 1.5]" ops.o add f32=inf,-inf,nan,1.5 f32[1] f32[1] 0
json "integers of 64 bits" 0 "j['tensors'][0]['first'] == [18446744073709551615]" ops.o takes u64=18446744073709551615
json "runs" 0 "j['runs'] == 4 and j['least_ns'] <= j['median_ns']" --repeat=4 "${add[@]}"
json "a MIX kernel" 0 "j['sub_blocks'] == 3 and j['blocks'] == 2 and j['threads'] == 2" --threads=2 --blocks=2 \
	mix.o mul1 f16[512] f16[512] f32[512] u32[2]
json "a check" 0 "j['checks'] == [{'argument': 2, 'name': 'z', 'expected': '1,2,3,4,5,6,7,8', 'right': True, 'elements': 8,
	'different': 0, 'max_difference': 0, 'max_relative': 0, 'max_ulp': 0, 'mismatches': []}]" --expect=z=1,2,3,4,5,6,7,8 "${add[@]}"
json "one that fails" 1 "j['status'] == 'wrong' and j['exit_status'] == 1 and j['checks'][0]['different'] == 1 and
	j['checks'][0]['max_difference'] == 2 and j['checks'][0]['max_relative'] == 0.5 and
	j['checks'][0]['mismatches'] == [{'index': '0,1', 'got': 2, 'expected': 4}]" --expect=2=1,4,3,4,5,6,7,8 "${add[@]}"
json "NaN in a check" 1 "j['checks'][0]['max_ulp'] == 'nan' and j['checks'][0]['max_difference'] == 'inf'" --expect=z=nan "${add[@]}"
json "a fault" 3 "j['status'] == 'fault' and j['fault']['cause'] == 'unmapped memory' and j['fault']['function'] == 'faults' and
	j['fault']['access'] == 'write' and j['fault']['address'] == 0x700000000 and j['fault']['size'] == 4 and
	j['fault']['block'] == 0 and j['tensors'] == []" ops.o faults u32[1]
if "$OP" --disassemble ops.o faults | grep -q 'ops\.c:'; then
	line=$(grep -n 'the faulting line' ops.c | cut -d: -f1)
	json "its source line" 3 "j['fault']['file'].endswith('ops.c') and j['fault']['line'] == $line" ops.o faults u32[1]
fi
json "a deadlock" 3 "j['fault']['cause'] == 'deadlock' and 'cross flag 2' in j['fault']['message']" --blocks=3 ops.o waits_for_nobody
json "a write beside a tensor" 3 "j['fault']['cause'] == 'unmapped memory' and
	j['fault']['message'].endswith('is the first byte behind argument 0 (out) of 12 bytes')" ops.o overrun u32[3] 3
json "what is printed" 0 "j['printed'] == 'a \"quote\" \\\\ and\\ttab, \\u00e9 and \\u00ff\\n'" ops.o prints
json "a profile" 0 "[p for p in j['pipes'] if p['pipe'] == 'MTE2'][0]['bytes'] == 64 and
	[o for o in j['operations'] if o['operation'] == 'VBIN ADD F32'][0]['count'] == 1 and
	{p['pipe'] for p in j['pipes']} == {'S', 'V', 'MTE2', 'MTE3'}" --profile "${add[@]}"
json "a trace does not disturb it" 0 "j['status'] == 'right'" --trace=tiles "${add[@]}"
check "it is on standard error" grep -q '^  0 .*VBIN' err
json "a list of kernels" 0 "j[0] == {'name': 'add', 'core': 'any', 'parameters': [
	{'name': 'x', 'type': 'const float *', 'size': 8, 'pointer': True}, {'name': 'y', 'type': 'const float *', 'size': 8, 'pointer': True},
	{'name': 'z', 'type': 'float *', 'size': 8, 'pointer': True}, {'name': 'n', 'type': 'uint32_t', 'size': 4, 'pointer': False}]}
	and 'vector' in [k['core'] for k in j]" --list ops.o
gives "--json=FILE" 0 'changed: 1 2 3' --json=file.json "${add[@]}"
check "has the document" /usr/bin/python3 -c 'import json; assert json.load(open("file.json"))["status"] == "right"'
gives "--json into a missing folder" 1 "cannot write 'gone/x'" --json=gone/x "${add[@]}"
gives "--json onto a full disk" 1 "cannot write '/dev/full'" --json=/dev/full "${add[@]}"
gives "a faulty command line makes no document" 2 '^anpu-op: ' --json ops.o nope
lacks "not even a part" '^\{'
finish
