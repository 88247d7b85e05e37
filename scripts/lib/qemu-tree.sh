# SPDX-License-Identifier: MIT
# The device in a tree of QEMU's source, as it would stand upstream: the model, which knows nothing of QEMU, is subprojects/libanpu, the device is
# hw/misc/anpu. The full build (scripts/build-qemu-full) and the patches (scripts/make-qemu-series) have the same tree.
# The callers set DEVICE, the folder of the device's sources.

# make_list NAME: a variable of sources.mk
make_list()
{
	printf 'include %s/sources.mk\nall:\n\t@echo $(%s)\n' "$DEVICE" "$1" | make -s --no-print-directory -f -
}

# meson_list WORDS...: 'a', 'b'
meson_list()
{
	[ $# = 0 ] || { printf "'%s', " "$@" | sed 's/, $//'; }
}

# meson_lines WORDS...: one in a line
meson_lines()
{
	printf "  '%s',\n" "$@"
}

# The headers of include/ that the model and the device include, as the compiler finds them
device_headers()
{
	local file
	for file in "$@"; do
		gcc -MM -D_GNU_SOURCE -I"$TOP/include" -I"$DEVICE/model" "$DEVICE/$file" || return
	done | tr -s ' \\' '\n' | sed -n "s#^$TOP/include/##p" | sed 's#anpu/\.\./##' | sort -u
}

# place_model DIRECTORY: the subproject
place_model()
{
	local srcs flags file
	read -ra srcs < <(make_list ANPU_MODEL_SRCS)
	read -ra flags < <(make_list ANPU_MODEL_CFLAGS)
	mkdir -p "$1/include"
	cp -r "$DEVICE/model" "$1/"
	find "$1/model" -type f ! -name '*.[chS]' ! -name '*.inc' ! -name '*.def' -delete
	cp "$TOP/LICENSES/MIT.txt" "$1/LICENSE"
	while read -r file; do
		mkdir -p "$(dirname "$1/include/$file")"
		cp "$TOP/include/$file" "$1/include/$file"
	done < <(device_headers "${srcs[@]}")
	cat >"$1/meson.build" <<-EOT
		# SPDX-License-Identifier: MIT
		project('libanpu', 'c', license: 'MIT', default_options: ['c_std=gnu11'])

		anpu_inc = include_directories('.', 'model', 'include')

		anpu_model = static_library('anpu-model', files(
		$(meson_lines "${srcs[@]}")
		  ),
		  include_directories: anpu_inc,
		  c_args: [$(meson_list "${flags[@]}")],
		  dependencies: dependency('threads'),
		  build_by_default: false)

		# Other functions of the model may have names that its user has, too:
		# only anpu_* leaves it.
		anpu_object = custom_target('anpu-model.o',
		  output: 'anpu-model.o',
		  input: anpu_model.extract_all_objects(recursive: true),
		  command: ['sh', '-c',
		            'ld -r -o "\$0" "\$@" && objcopy -w -G "anpu_*" "\$0"',
		            '@OUTPUT@', '@INPUT@'])

		libanpu_dep = declare_dependency(
		  include_directories: anpu_inc,
		  link_with: static_library('anpu', anpu_object, build_by_default: false),
		  dependencies: dependency('threads'))
	EOT
}

# place_device DIRECTORY SOFTMMU: the device, which SOFTMMU.add() of hw/misc/meson.build takes
place_device()
{
	local glue flags
	read -ra glue < <(make_list ANPU_GLUE_SRCS)
	read -ra flags < <(make_list ANPU_GLUE_CFLAGS)
	mkdir -p "$1"
	cp "$DEVICE"/anpu_{compat,dma,pci}.h "${glue[@]/#/$DEVICE/}" "$1/"
	cat >"$1/Kconfig" <<-EOT
		config ANPU
		    bool
		    default y if PCI_DEVICES
		    depends on PCI && MSI_NONBROKEN
	EOT
	cat >"$1/meson.build" <<-EOT
		libanpu = subproject('libanpu').get_variable('libanpu_dep')
		anpu = declare_dependency(dependencies: libanpu,
		                          compile_args: [$(meson_list "${flags[@]}")])
		$2.add(when: 'CONFIG_ANPU', if_true: [
		  files($(meson_list "${glue[@]}")),
		  anpu,
		])
	EOT
}

# softmmu_of TREE: what hw/misc/meson.build calls the set of all sources of system emulation
softmmu_of()
{
	grep -q '^softmmu_ss' "$1/hw/misc/meson.build" && echo softmmu_ss || echo system_ss
}

# replace FILE: standard input, in a file of its own and not in the one that a hard link shares
replace()
{
	cat >"$1.new" && mv "$1.new" "$1" || die "editing $1 failed"
}

# enter_device TREE: hw/misc knows of it
enter_device()
{
	{ cat "$1/hw/misc/Kconfig" && printf '\nsource anpu/Kconfig\n'; } | replace "$1/hw/misc/Kconfig"
	{ cat "$1/hw/misc/meson.build" && printf "\nsubdir('anpu')\n"; } | replace "$1/hw/misc/meson.build"
}

# enter_qtest TREE
enter_qtest()
{
	local file=$1/tests/qtest/meson.build
	sed -e "0,/^qtests_i386 = /s/^qtests_i386 = .*/&\n  (config_all_devices.has_key('CONFIG_ANPU') ? ['anpu-test'] : []) + \\\\/" \
		-e "0,/^qtests = {/s/^qtests = {/&\n  'anpu-test': libanpu.partial_dependency(includes: true),/" "$file" | replace "$file"
	[ "$(grep -c anpu-test "$file")" = 2 ] || die "$file has no lists qtests_i386 and qtests"
}
