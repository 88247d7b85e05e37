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

# kernel<<<...>>>(...)
cat >calls.cpp <<-'END'
	#include <cstdint>
	#include "kernel_operator.h"
	#define TWICE(n) (2 * (n))
	extern "C" __global__ __aicore__ void plain(__gm__ uint32_t *x) { x[block_idx] += 1; }
	template <typename T, int N> __global__ __aicore__ void fill(T *x, T v) { for (int i = 0; i < N; i++) x[i] = v; }
	extern "C" __global__ __aicore__ void trapped() { asm("trap"); }
	extern "C" __global__ __aicore__ void says() { AscendC::printf("%d <<<not a call>>>(1)\n", 5); }
	void call(uint32_t blocks, void *stream, uint32_t *x) { plain<<<blocks, nullptr, stream>>>(x); } // a<<<b>>>(c)
	void calls(void *stream, float *f)
	{
		fill<float, 3><<<TWICE(1), nullptr, stream>>>(f, 1.5f); trapped<< <1, nullptr, stream>> >();
		says<<<(1 + 1), nullptr,
		       stream>>>();
	}
	int result(void *stream) { int err = trapped<<<1, nullptr, stream>>>(); if (err) return err;
		return static_cast<int>(plain<<<1, nullptr, stream>>>(nullptr)); }
	static const char *text = "x<<<y>>>(z)"; const char *get() { return text; }
END
compiles "--host" -Wall -Wextra -Werror -MMD --host=calls_host.o -o calls.o calls.cpp
says "-MMD names the source that has calls" "$(cat calls.d)" ' calls\.cpp$'
text=$("$ANPUCC" --print-kernels --host=calls_host.o -o calls.o calls.cpp | grep -c '^[^ ].*bytes of arguments')
is "a template that is only called has a kernel, too" "$text" 4
runs "the kernels run" --expect=0=1 calls.o plain 'u32[1]'
faults "asm(\"trap\")" "breakpoint" calls.o trapped
echo 'void call(unsigned, void *, unsigned *); void calls(void *, float *); const char *get(); int result(void *); int main() { call(1, 0, 0); calls(0, 0); return !get() || result(0) != 107002; }' >main.cpp
check "a program links with it" g++ -o calls main.cpp calls_host.o -L"$TOP/build/lib" -lascendcl
cp calls.cpp again.cpp
sed -i 's/void call/void more/; s/calls(/mores(/; s/get()/gets_()/; s/const char \*text/const char *texts/; s/return text/return texts/; s/result/results/' again.cpp
sed -i 's/plain/plain2/g; s/trapped/trapped2/g; s/says/says2/g; s/fill/fill2/g' again.cpp
compiles "another one" --host=again_host.o -o again.o again.cpp
check "two of them in one program" g++ -o calls main.cpp calls_host.o again_host.o -L"$TOP/build/lib" -lascendcl
check "the value of a call is its code" env LD_LIBRARY_PATH="$TOP/build/lib" ./calls
text=$(LD_LIBRARY_PATH="$TOP/build/lib" ./calls 2>&1)
says "without a device each launch says that it failed" "$text" "launching plain<<<1>>> failed with 107002"
cat >told.cpp <<-'END'
	#include "kernel_operator.h"
	extern "C" __global__ __aicore__ void told(GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
	{ *reinterpret_cast<__gm__ uint32_t *>(y) = AscendC::GetSysWorkSpacePtr() == workspace && AscendC::GetUserWorkspace(AscendC::GetSysWorkSpacePtr()) == workspace; }
END
compiles "a kernel of a framework" -Wno-unused-parameter -o told.o told.cpp
runs "the system's workspace is the argument of that name" --expect=0=1 told.o told 'u32[1]' 'u8[64]' null
compiles "--host without host code" --host=none.o -o k.o --launcher-include=tiling.h -I. k.cpp
misused "--host with two sources" "one source" --host=h.o calls.cpp again.cpp

# without the structure's header C++ passes what the caller has, and C is told what to do
compiles "a structure by value without its header" --launchers=n -I. -o k.o k.cpp
cat >by_value.cpp <<-'END'
	#include "tiling.h"
	#include "n/aclrtlaunch_by_value.h"
	struct other { char c; };
	int main() { tiling t = { 1, 2, 3 }; return (int)ACLRT_LAUNCH_KERNEL(by_value)(1, 0, nullptr, WHAT); }
END
for compiler in "gcc -std=gnu11" "g++ -std=c++11 -x c++"; do
	check "${compiler%% *} takes its launchers" $compiler -Wall -Wextra -Werror -I"$TOP/include" -In -c n/k_launchers.c -o n/k.o
done
check "C++ passes it" g++ -DWHAT=t -I"$TOP/include" -In -o by_value by_value.cpp n/k.o -L"$TOP/build/lib" -lascendcl
for what in '&t' 'static_cast<const tiling *>(&t)' 'reinterpret_cast<uint8_t *>(&t)' 'static_cast<void *>(&t)'; do
	check "C++ passes it by the pointer $what" g++ -DWHAT="$what" -I"$TOP/include" -In -o by_value by_value.cpp n/k.o -L"$TOP/build/lib" -lascendcl
done
text=$(g++ -DWHAT='reinterpret_cast<other *>(&t)' -I"$TOP/include" -In -c by_value.cpp -o /dev/null 2>&1)
says "C++ refuses a pointer to another structure" "$text" "argument t is the structure .*tiling of 12 bytes, or a pointer to one"
text=$(g++ -DWHAT='(other{0})' -I"$TOP/include" -In -c by_value.cpp -o /dev/null 2>&1)
says "C++ refuses another structure" "$text" "argument t is the structure .*tiling of 12 bytes"
text=$(echo '#include "aclrtlaunch_by_value.h"' | gcc -x c -I"$TOP/include" -In -c - -o /dev/null 2>&1)
says "C is told what to do" "$text" "kernel by_value takes a structure by value.*--launcher-include"
source_file c.c <<-'END'
	ANPU_KERNEL void f(_Complex float c, float *y) { *y = __real__ c; }
END
refused "a complex number by value" "'c' of kernel 'f'.*pass a pointer" c.c --launchers=l
: >file
text=$("$ANPUCC" --launchers=file -I. --launcher-include=tiling.h -o k.o k.cpp 2>&1)
is "a file where the directory should be: status" $? 1
says "a file where the directory should be" "$text" "^anpucc: error: 'file'"
finish
