#!/bin/bash
# SPDX-License-Identifier: MIT
# anpucc --launchers: headers and source that a host's compilers take, and what is refused.
. "$(dirname "$0")/common.sh"

HOST="-Wall -Wextra -Wpedantic -Werror -I$TOP/include -I. -Il -c -o host.o"

# host NAME COMPILER [OPTION...] FILE: compiles without a word
host()
{
	local name=$1 text
	shift
	text=$("$@" $HOST 2>&1)
	is "$name" "$? $text" "0 "
}

cat >tiling.h <<-'END'
	#pragma once
	#include <stdint.h>
	typedef struct tiling { uint32_t rows, columns; float scale; } tiling;
END
source_file k.cpp <<-'END'
	#include "tiling.h"
	ANPU_KERNEL void pointers(const float *x, float *y, void *z) { (void)x; (void)y; (void)z; }
	ANPU_KERNEL void scalars(bool a, char b, short c, unsigned d, long e, float f, double g, _Float16 h)
	{ (void)a; (void)b; (void)c; (void)d; (void)e; (void)f; (void)g; (void)h; }
	ANPU_KERNEL void nothing() {}
	ANPU_KERNEL void names(int stream, int blockDim, int args, int, int) { (void)stream; (void)blockDim; (void)args; }
	ANPU_KERNEL void by_value(float *y, tiling t) { *y = t.scale * t.rows; }
END
compiles "--launchers" --launchers=l/m --launcher-include=tiling.h -I. -o k.o k.cpp
mv l/m l2 && rmdir l && mv l2 l
for k in pointers scalars nothing names by_value; do
	check "a header for $k" test -s "l/aclrtlaunch_$k.h"
	echo "#include \"aclrtlaunch_$k.h\"" >>all.c
done
cat >>all.c <<-'END'
	int main(void)
	{
		tiling t = { 1, 2, 3 };
		unsigned char *p = 0;
		return (int)(ACLRT_LAUNCH_KERNEL(pointers)(1, 0, p, p, p) +
			ACLRT_LAUNCH_KERNEL(scalars)(1, 0, true, 'x', 1, 2, 3, 4.0f, 5.0, aclFloatToFloat16(1)) +
			ACLRT_LAUNCH_KERNEL(nothing)(1, 0) + ACLRT_LAUNCH_KERNEL(names)(1, 0, 1, 2, 3, 4, 5) +
			ACLRT_LAUNCH_KERNEL(by_value)(1, 0, p, t));
	}
END
for file in l/k_launchers.c all.c; do
	host "gcc takes ${file#l/}" gcc -std=gnu11 $file
	host "gcc takes ${file#l/} as C11" gcc -std=c11 $file
	host "g++ takes ${file#l/}" g++ -std=c++11 -x c++ $file
	host "clang takes ${file#l/}" clang -std=gnu11 $file
	host "clang++ takes ${file#l/}" clang++ -std=c++20 -x c++ $file
done
check "and all is defined" gcc -I"$TOP/include" -I. -Il -o all all.c l/k_launchers.c -L"$TOP/build/lib" -lascendcl

refused "a structure by value without its header" "'t' of kernel 'by_value'.*tiling.*--launcher-include" \
	k.cpp --launchers=l -I.
source_file c.c <<-'END'
	ANPU_KERNEL void f(_Complex float c, float *y) { *y = __real__ c; }
END
refused "a complex number by value" "'c' of kernel 'f'.*pass a pointer" c.c --launchers=l
: >file
text=$("$ANPUCC" --launchers=file -I. --launcher-include=tiling.h -o k.o k.cpp 2>&1)
is "a file where the directory should be: status" $? 1
says "a file where the directory should be" "$text" "^anpucc: error: 'file'"
finish
