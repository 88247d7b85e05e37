#!/bin/bash
# SPDX-License-Identifier: MIT
# The device belongs to one QEMU binary: building it for another is refused, and the launcher sees a change.
. "$(dirname "$0")/tap.sh"
cd "$WORK" || exit 1

stock=$(readlink -f "$(command -v qemu-system-x86_64)")
plugin=$TOP/build/qemu/plugin/anpu.so
symbol=$(sed -nE 's/.*"symbol": "([^"]*)".*/\1/p' "$plugin.stamp")

# The stock binary, built from some other source as far as its stamp tells
mkdir bin
sed "s/$symbol/${symbol%??????}000000/g" "$stock" >bin/qemu-system-x86_64
chmod +x bin/qemu-system-x86_64

mkdir -p build/qemu
ln -s "$TOP/build/qemu/source" build/qemu/source
out=$(PATH=$WORK/bin:$PATH ANPU_BUILD=$WORK/build "$TOP/scripts/build-qemu-plugin" 2>&1)
is "the plugin is not built for a binary from another source" $? 3
says "and the reason is told" "$out" "build/qemu/source is not the source of $WORK/bin/qemu-system-x86_64"
check "nothing is left" test ! -e build/qemu/plugin/anpu.so

# matches BINARY: what the launcher asks at every start
matches()
{
	/usr/bin/python3 - "$TOP" "$plugin" "$1" <<-'PY'
	import sys
	sys.dont_write_bytecode = True
	sys.path.insert(0, sys.argv[1] + "/scripts/vm")
	import qemu
	sys.exit(not qemu.plugin_matches(*sys.argv[2:]))
	PY
}
check "the launcher takes the binary that the plugin was built for" matches "$stock"
cp "$stock" copy
check "a copy of it, too: the stamp is inside" matches "$WORK/copy"
matches "$WORK/bin/qemu-system-x86_64"
is "but not a binary with another stamp" $? 1

out=$(ANPU_DEVICE_DIR=$WORK/nowhere ANPU_BUILD=$WORK/build "$TOP/scripts/build-qemu-plugin" 2>&1)
is "without the list of sources the build ends" $? 1
says "with a sentence" "$out" "^build-qemu-plugin: the device's list of sources, $WORK/nowhere/sources.mk, is missing"
mkdir device
printf 'ANPU_GLUE_SRCS := a.c\n' >device/sources.mk
printf 'int broken(\n' >device/a.c
out=$(ANPU_DEVICE_DIR=$WORK/device ANPU_BUILD=$WORK/build "$TOP/scripts/build-qemu-plugin" 2>&1)
is "a source that does not compile ends the build" $? 1
says "with the compiler's words" "$out" "a.c:1:.*error"
printf 'void no_such_qemu_function(void);\nvoid f(void);\nvoid f(void)\n{\n\tno_such_qemu_function();\n}\n' >device/a.c
out=$(ANPU_DEVICE_DIR=$WORK/device ANPU_BUILD=$WORK/build "$TOP/scripts/build-qemu-plugin" 2>&1)
is "a function that QEMU does not export is found when building" $? 1
says "and named" "$out" "does not export what the device calls: no_such_qemu_function"

out=$(ANPU_QEMU=wrong "$TOP/scripts/build-qemu" 2>&1)
says "a bad ANPU_QEMU is explained" "$out" "^build-qemu: ANPU_QEMU is 'wrong': it may be 'plugin' or 'full'"
echo other >build/qemu/source-kind
out=$(ANPU_QEMU=plugin ANPU_BUILD=$WORK/build "$TOP/scripts/build-qemu" 2>&1)
says "a plugin without its source is explained" "$out" "the source of the installed QEMU cannot be had"

# The glue with stand-ins for QEMU and the model: what is not called is not linked
glue()
{
	mkdir -p glue
	ln -sfn "$TOP/build/qemu/plugin/gen" glue/gen
	make -s -f "$TOP/scripts/lib/qemu-device.mk" DEVICE="$TOP/tests/vm/glue" SRC="$TOP/build/qemu/source" OUT="$PWD/glue" \
		INCLUDE="$TOP/include" "$PWD/glue/obj/$1.o" >glue/log 2>&1 &&
		gcc -static -o "glue/$1" "glue/obj/$1.o" -Wl,--unresolved-symbols=ignore-all -lglib-2.0 >>glue/log 2>&1 ||
		{ sed 's/^/# /' glue/log; return 1; }
	"glue/$1" >glue/out || { sed 's/^/# /' glue/out; return 1; }
}
check "nothing finds the model of a device that is unplugged" glue unplug
check "memory of a device that is passed through is no RAM" glue memory

if [ -x "$TOP/build/qemu/full/qemu-system-x86_64" ]; then
	out=$(ANPU_QEMU=full "$TOP/scripts/anpu-run" --no-tty --no-module --timeout 100 \
		cat /sys/bus/pci/devices/0000:00:04.0/device </dev/null)
	is "a QEMU with the device built in runs the VM with it" "$out" 0x11e9
else
	skip "a QEMU with the device built in runs the VM with it" "there is no full build: make qemu-full"
fi

finish
