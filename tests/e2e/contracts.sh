#!/bin/bash
# SPDX-License-Identifier: MIT
# The contracts are headers: each compiles alone on both of its sides. The suite runs before anything is fetched; what needs Linux's
# scripts (kernel-doc of the headers) is in driver-build.sh.
. "$(dirname "$0")/tap.sh"

DRM=$(pkg-config --cflags libdrm 2>/dev/null || echo -I/usr/include/libdrm)
CHECKS=(-Wall -Wextra -Werror -fsyntax-only)

# host HEADER: in C and C++, as a program of the host includes it
host()
{
	local language
	for language in c:c11 c:gnu17 c++:c++14 c++:c++20; do
		# shellcheck disable=SC2086
		echo "#include <$1>" | ${CC:-cc} -x "${language%:*}" -std="${language#*:}" "${CHECKS[@]}" \
			-Iinclude -Iinclude/uapi $DRM -
	done
}

# core HEADER: in C and C++ for the AI core, with nothing but the compiler
core()
{
	local language clang
	clang=$(compgen -c clang | grep -E '^clang(-[0-9]+)?$' | sort -V | head -n 1)
	for language in c:c11 c++:c++17; do
		echo "#include <$1>" | "$clang" -x "${language%:*}" -std="${language#*:}" "${CHECKS[@]}" \
			--target=riscv64 -march=rv64imfd -ffreestanding -nostdlibinc -Iinclude -
	done
}

the_uapi_compiles_for_programs() { host drm/anpu_accel.h; }
packets_compile_for_programs() { host drm/anpu_packet.h; host anpu/anpu_packet.h; }
nothing_moved_in_the_datasheet() { host anpu/anpu_hw_check.h; }
nothing_moved_in_the_uapi() { host anpu/anpu_accel_check.h; }
# Structures have the same layout in programs of 32 bits, whose ioctls the driver takes as they are, and no padding.
nothing_moves_for_programs_of_32_bits()
{
	echo '#include <anpu/anpu_accel_check.h>' | "${CC:-cc}" -m32 -ffreestanding -x c -std=gnu17 "${CHECKS[@]}" -Wpadded \
		-Iinclude -Iinclude/uapi ${DRM/#-I/-isystem } -isystem "/usr/include/$("${CC:-cc}" -print-multiarch)" -
}
the_datasheet_compiles_for_the_device() { host anpu/anpu_hw.h; }
the_instruction_set_compiles_for_the_device() { host anpu/anpu_isa.h; }
the_instruction_set_compiles_for_operators() { core anpu/anpu_isa.h; }
the_intrinsics_compile_for_operators() { core anpu/anpu_intrin.h; }

# Documentation/direct.md tells why a program runs in one engine only; each other one runs in both
programs_of_one_engine_have_a_reason()
{
	/usr/bin/python3 - <<-'END'
		import re, sys
		text = {n: open(n).read() for n in ("Documentation/direct.md", "tests/suites", "tests/libacl/direct", "tests/direct/kselftest",
		                                    "tests/kselftest/Makefile")}
		page = text["Documentation/direct.md"].split("### Tests of one engine only")[1].split("\n## ")[0]
		told = {kind: {p for k, names in re.findall(r"^\| (libacl|uAPI): (.*?) \|", page, re.M) if k == kind
		               for p in re.findall(r"`(\w+)`", names)} for kind in ("libacl", "uAPI")}
		made = re.sub(r"\\\n", " ", text["tests/kselftest/Makefile"])
		uapi = set(" ".join(re.findall(r"^TEST_GEN_PROGS(?:_EXTENDED)? [:+]?= (.*)$", made, re.M)).split())
		body = text["tests/direct/kselftest"].split("programs() {")[1].split("\n}")[0]
		native = {w for w in re.findall(r"^\t(?:echo )?(\w+)(?: -|$)", body, re.M)} & uapi | {"userptr"}
		vm = set()
		for command in re.findall(r"^libacl\S*\s+\d+\s+(.*)$", text["tests/suites"], re.M):
		    vm |= set(re.sub(r".*tests/vm-suite build/tests/libacl ", "", command).split()) if "vm-suite" in command else \
		          set(re.findall(r"build/tests/libacl/(\w+)$", command))
		here = set(re.findall(r"^libacl\s.*build/tests/libacl (.*)$", text["tests/suites"], re.M)[0].split())
		here -= set(re.findall(r"^\t(\w+) .*$", text["tests/libacl/direct"].split("<<-'END'")[1].split("END")[0], re.M))
		here |= {"twodevices", "peers", "nomemory", "engine"}
		wrong = {"uAPI": (uapi - native) ^ told["uAPI"], "libacl": (vm - here) ^ (told["libacl"] - {"engine"})}
		print(len(uapi), len(native), len(vm), wrong)
		sys.exit(any(wrong.values()) or len(native) < 10 or len(here) < 50)
	END
}

every_error_of_the_uapi_has_a_test() { tests/e2e/uapi-errors; }

every_file_names_its_licence()
{
	local missing
	missing=$(git ls-files | grep -vE '^LICENSES/|\.md$|\.txt$|/data/|\.weights$|\.ipynb$|\.gitignore$|\.clang-format$|\.editorconfig$' |
		while read -r file; do
			head -n 3 "$file" | grep -q 'SPDX-License-Identifier: ' || echo "$file"
		done)
	echo "$missing"
	test -z "$missing"
}

nothing_tracked_names_this_machine()
{
	! git grep -nI -e "$TOP" -- . ':!tests/e2e/contracts.sh'
}

for name in the_uapi_compiles_for_programs packets_compile_for_programs \
	nothing_moved_in_the_datasheet nothing_moved_in_the_uapi nothing_moves_for_programs_of_32_bits \
	the_datasheet_compiles_for_the_device the_instruction_set_compiles_for_the_device \
	the_instruction_set_compiles_for_operators the_intrinsics_compile_for_operators \
	programs_of_one_engine_have_a_reason every_error_of_the_uapi_has_a_test every_file_names_its_licence nothing_tracked_names_this_machine; do
	test_that $name
done
finish
