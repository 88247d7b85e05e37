#!/bin/bash
# SPDX-License-Identifier: MIT
# Every mistake in an operator or an installation ends in a sentence that tells what to do.
. "$(dirname "$0")/common.sh"

source_file good.c <<<'ANPU_KERNEL void f(int *p) { *p = 1; }'

# The toolchain ---------------------------------------------------------------------------------
mkdir bin empty
ANPUCC_CLANG=/nonexistent/clang refused "ANPUCC_CLANG names nothing" "ANPUCC_CLANG names '/nonexistent/clang'" good.c
ANPUCC_CLANG='' ANPUCC_LLD='' SEARCH=$PWD/empty refused "no clang" "clang was not found: .*apt-get install clang lld" good.c
ln -s "$(command -v clang-14 || command -v clang)" bin/clang-14
ANPUCC_CLANG='' ANPUCC_LLD='' SEARCH=$PWD/bin refused "no lld" "ld.lld was not found: .*apt-get install clang lld" good.c
printf '#!/bin/sh\necho "clang version 11.0.1"\n' >old-clang
printf '#!/bin/sh\necho "some other compiler"\n' >other-clang
printf '#!/bin/sh\nexit 1\n' >broken-clang
printf '#!/bin/sh\n[ "$1" = --version ] && echo "clang version 19.1" || kill -9 $$\n' >killed-clang
chmod +x old-clang other-clang broken-clang killed-clang
ANPUCC_CLANG=$PWD/old-clang refused "old clang" "is version 11, operators need clang 14 or newer; install" good.c
ANPUCC_CLANG=$PWD/other-clang refused "not clang" "it is not LLVM's clang" good.c
ANPUCC_CLANG=$PWD/broken-clang refused "broken clang" "the installation of clang is broken" good.c
ANPUCC_CLANG=$PWD/killed-clang refused "clang is killed" "clang was killed by signal 9 .*memory is short" good.c
echo 'raise ModuleNotFoundError("No module", name="elftools")' >empty/elftools.py
PYTHONPATH=$PWD/empty refused "no pyelftools" "apt-get install python3-pyelftools" good.c

# Files -----------------------------------------------------------------------------------------
refused "missing source" "source file 'missing.c' does not exist" missing.c
refused "the output's folder is missing" "the folder 'no/such' of the output does not exist" good.c -o no/such/x.o
mkdir taken.o
refused "the output is a folder" "'taken.o'|Is a directory" good.c -o taken.o
echo 'int broken(' >broken.c
refused "a syntax error" "clang refused 'broken.c', see its messages above" broken.c
echo '#include "gone.h"' >include.c
says "a missing header is clang's message" "$("$ANPUCC" include.c 2>&1)" "include.c:1:10: fatal error: 'gone.h' file not found"

# Kernels ---------------------------------------------------------------------------------------
echo 'void f(void) {}' >none.c
refused "no kernel" "no kernel found in none.c: mark the operator's entry function with ANPU_KERNEL" none.c
source_file returns.c <<<'ANPU_KERNEL int f(void) { return 1; }'
refused "a kernel that returns something" "kernel 'f' \(returns.c:2\) returns a value" returns.c
source_file static.c <<<'static ANPU_KERNEL void f(void) {}'
refused "a static kernel" "kernel 'f' is static" static.c
source_file varargs.c <<<'ANPU_KERNEL void f(int n, ...) { (void)n; }'
refused "a variadic kernel" "kernel 'f' \(varargs.c:2\) takes a variable number of arguments" varargs.c
source_file class.cpp <<-'END'
	struct S { int a; virtual int f() { return a; } };
	ANPU_KERNEL void f(S s, int *p) { S copy = s; *p = copy.f(); }
END
refused "a parameter with virtual functions" "parameter 1 's' of kernel 'f' .* is of class 'S' that has virtual" class.cpp
source_file packed.c <<-'END'
	struct __attribute__((packed)) s { char c; float f; };
	ANPU_KERNEL void f(struct s s, float *p) { *p = s.f; }
END
refused "a small packed structure" "at most 16 bytes that is packed" packed.c
source_file vector.c <<-'END'
	typedef float v4 __attribute__((vector_size(16)));
	ANPU_KERNEL void f(v4 v, float *p) { *p = v[0]; }
END
refused "a vector parameter" "is a vector type, .*pass a pointer" vector.c
source_file huge.c <<-'END'
	struct huge { char c[70000]; };
	ANPU_KERNEL void f(const struct huge h, char *p) { *p = h.c[3]; }
END
refused "too many bytes of parameters" "(70008 bytes of parameters, more than 65535)|(needs [0-9]+ bytes of stack)" huge.c
source_file empty.cpp <<-'END'
	struct Nothing {};
	ANPU_KERNEL void f(Nothing n, int *p) { (void)n; *p = 1; }
END
refused "a parameter without members" "is of a type without members" empty.cpp

# The halves of a MIX kernel are launched as one.
source_file halves.c <<-'END'
	ANPU_KERNEL void f_mix_aic(int *p, int n) { *p = n; }
	ANPU_KERNEL void f_mix_aiv(int *p, long n) { *p = (int)n; }
END
refused "MIX halves with other parameters" "'f_mix_aic' \(halves.c:2\) and 'f_mix_aiv' \(halves.c:3\), the halves of a MIX kernel, have different parameters" halves.c

# A source that parts its work by unit is nothing without a half that does not compile: the messages are that half's.
cat >unit.cpp <<-'END'
	#include "kernel_operator.h"
	extern "C" __global__ __aicore__ void f(GM_ADDR x)
	{
	#if defined(__DAV_C220_CUBE__)
		no_such_function(x);
	#elif defined(__DAV_C220_VEC__)
		AscendC::TPipe pipe;
		AscendC::TBuf<AscendC::TPosition::VECCALC> buf;
		AscendC::GlobalTensor<half> g;

		pipe.InitBuffer(buf, 256);
		g.SetGlobalBuffer((__gm__ half *)x);
		AscendC::DataCopy(g, buf.Get<half>(), 128);
	#endif
	}
END
sed '/elif/,/DataCopy/d' unit.cpp >alone.cpp
for source in unit alone; do
	text=$("$ANPUCC" -o out.o $source.cpp 2>&1)
	is "a half that does not compile ($source): status" $? 1
	says "  and its message" "$text" "$source.cpp:5:.* error: use of undeclared identifier 'no_such_function'"
done

source_file records.c <<-'END'
	ANPU_KERNEL void f_mix_aic(int *p) { *p = 1; }
	ANPU_KERNEL void f_mix_aiv(int *p) { ANPU_KERNEL_META(ANPU_META_MIX_RATIO, 1 | 2 << 16); *p = 1; }
END
refused "a record of the vector half" "have different ANPU_KERNEL_META records of type 3; write it in the cube half" records.c
source_file types.c <<-'END'
	ANPU_KERNEL void f_mix_aic(int *p) { ANPU_KERNEL_META(ANPU_META_KERNEL_TYPE, ANPU_META_TYPE_AIV); *p = 1; }
	ANPU_KERNEL void f_mix_aiv(int *p) { *p = 1; }
END
refused "the type of the other half" "'f_mix_aic' \(types.c:2\) has the ANPU_META_KERNEL_TYPE of the other half" types.c

# Symbols ---------------------------------------------------------------------------------------
source_file undefined.c <<-'END'
	void helper(int);
	ANPU_KERNEL void f(void) { helper(1); }
END
refused "undefined symbol" "undefined symbol 'helper', used at undefined.c:3, it is declared but no source defines it" undefined.c
source_file libm.c <<-'END'
	float nextafterf(float);
	ANPU_KERNEL void f(float *p) { *p = nextafterf(*p); }
END
refused "nextafterf" "undefined symbol 'nextafterf'.*no mathematical library" libm.c
source_file heap.c <<-'END'
	void *malloc(unsigned long);
	ANPU_KERNEL void f(void **p) { *p = malloc(4); }
END
refused "malloc" "undefined symbol 'malloc'.*no heap" heap.c
source_file new.cpp <<<'ANPU_KERNEL void f(int **p) { *p = new int; }'
refused "new" "undefined symbol 'operator new\(unsigned long\)'.*no heap" new.cpp
source_file printf.c <<-'END'
	int printf(const char *, ...);
	ANPU_KERNEL void f(int n) { printf("%d\n", n); }
END
refused "printf" "undefined symbol 'printf'.*anpu_print" printf.c
source_file atomic.c <<<'ANPU_KERNEL void f(__int128 *p) { __atomic_fetch_add(p, 1, 5); }'
refused "atomics" "undefined symbol '__atomic_fetch_add_16'.*of 4 and 8 bytes" atomic.c
source_file quad.c <<<'ANPU_KERNEL void f(long double *p) { *p = *p * *p; }'
refused "long double" "undefined symbol '__multf3'.*long double" quad.c
source_file guard.cpp <<-'END'
	int start(int *p);
	struct S { int v; S(int *p) : v(*p) {} };
	ANPU_KERNEL void f(int *p) { static S s(p); *p = s.v; }
END
refused "a static local with a constructor" "undefined symbol '__cxa_guard_acquire'.*'static' in a function" guard.cpp
source_file both.c <<-'END'
	int shared = 1;
	ANPU_KERNEL void f(int *p) { *p = shared; }
END
echo 'int shared = 2;' >twice.c
refused "a symbol defined twice" "the linker refused the operator: duplicate symbol: shared" both.c twice.c

# Features that an AI core does not have --------------------------------------------------------------
source_file tls.c <<-'END'
	static _Thread_local int t;
	ANPU_KERNEL void f(int *p) { *p = t++; }
END
refused "a thread-local variable" "tls.c: 't' is thread-local" tls.c
source_file tls.cpp <<-'END'
	thread_local int t;
	ANPU_KERNEL void f(int *p) { *p = t++; }
END
refused "a thread-local variable of C++" "tls.cpp: 't' is thread-local" tls.cpp
source_file ctor.cpp <<-'END'
	struct S { int v; S(); };
	S::S() : v(3) { __asm__ volatile(""); }
	static S with_constructor;
	ANPU_KERNEL void f(int *p) { *p = with_constructor.v; }
END
refused "a global constructor" "ctor.cpp has global variables that need a constructor .*with_constructor" ctor.cpp
source_file dtor.c <<-'END'
	__attribute__((destructor)) static void bye(void) { __asm__ volatile(""); }
	ANPU_KERNEL void f(int *p) { *p = 1; }
END
refused "a destructor function" "dtor.c has functions that should run when the program ends" dtor.c
source_file frame.c <<-'END'
	static int sum(volatile char *p) { int s = 0; for (int i = 0; i < 40000; i++) s += p[i]; return s; }
	ANPU_KERNEL void f(int *p) { volatile char big[40000]; big[*p] = 1; *p = sum(big); }
END
refused "too large a stack frame" "frame.c: function 'f' needs 4[0-9]+ bytes of stack, the AI core has 32 KiB" frame.c
source_file fits.c <<-'END'
	ANPU_KERNEL void f(int *p) { volatile char big[30000]; big[*p] = 1; *p = big[4]; }
END
compiles "a frame of 30000 bytes is fine" -o fits.o fits.c
source_file absolute.c <<-'END'
	int table[4];
	ANPU_KERNEL void f(int *p)
	{
		__asm__ volatile("lui a1, %%hi(table)\naddi a1, a1, %%lo(table)" : : : "a1");
		*p = table[1];
	}
END
refused "an absolute address" "unsupported relocation .* against 'table'.*absolute.c:5" absolute.c
source_file ifunc.c <<-'END'
	static int one(void) { return 1; }
	static void *choose(void) { void *p = (void *)one; __asm__("" : "+r"(p)); return p; }
	int chosen(void) __attribute__((ifunc("choose")));
	ANPU_KERNEL void f(int *p) { *p = chosen(); }
END
refused "ifunc" "unsupported relocation R_RISCV_IRELATIVE" ifunc.c
source_file meta.c <<-'END'
	__attribute__((noinline)) static void helper(int *p) { ANPU_KERNEL_META(ANPU_META_BLOCK_COUNT, 4); *p = 1; }
	ANPU_KERNEL void f(int *p) { helper(p); }
END
refused "ANPU_KERNEL_META outside of a kernel" "ANPU_KERNEL_META stands in a function that is not a kernel" meta.c
finish
