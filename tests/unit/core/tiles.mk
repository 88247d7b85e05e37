# SPDX-License-Identifier: MIT
# Tests of the tile operations: make -C tests/unit/core -f tiles.mk check
TOP ?= $(abspath $(dir $(lastword $(MAKEFILE_LIST)))/../../..)
BUILD ?= $(TOP)/build
here := $(TOP)/tests/unit/core
out := $(BUILD)/tiles
DEVICE := $(TOP)/qemu-device
include $(DEVICE)/model/core/sources-tile.mk

CC ?= gcc
tile_tests := tile_cube tile_dma tile_elem tile_fuzz tile_math tile_overflow tile_repred tile_vector
srcs := $(ANPU_TILE_SRCS) model/core/mem.c
# as compiled for use: objects of the model's library, without those that tile_test.c stands in for
model := $(BUILD)/model/libanpu-model.a
fast := $(srcs:%.c=$(BUILD)/model/plain/%.o)
# -g1: variables for a debugger are half of the time that sanitised kernels take to compile
flags := -std=gnu11 -g1 -pthread -MMD -MP -Wall -Wextra -Wno-unused-parameter -D_GNU_SOURCE \
	-I$(TOP)/include -I$(DEVICE) -I$(DEVICE)/model
# the kernels for AVX-512, on any host; they take a minute to compile, and are tried under ASan only
emulated := $(if $(filter x86_64,$(shell uname -m)),$(out)/asan/kern_emulated.o)
asan := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
# the plain kernels are looked at by UBSan, too; the others are the same text for other vectors, and take half as long without it
asan_only := $(emulated) $(addprefix $(out)/asan/model/core/tile/,kern_avx2.o kern_avx512.o)
$(asan_only): asan += -fno-sanitize=undefined

$(emulated): flags += -Wno-psabi

# threads share what the copies write; kernels, slow to compile, see none of it
tsan := -O1 -fsanitize=thread
tsan_srcs := $(filter-out model/core/tile/kern_%,$(srcs))

all: $(tile_tests:%=$(out)/fast/%) $(tile_tests:%=$(out)/asan/%) $(out)/tsan/tile_threads

$(fast): | $(model) ;
$(model): FORCE
	@$(MAKE) -s -C $(DEVICE)
FORCE:

$(out)/asan/%.o: $(DEVICE)/%.c
	@mkdir -p $(@D)
	$(CC) $(flags) $(asan) -c -o $@ $<
$(out)/fast/%.o: $(here)/%.c
	@mkdir -p $(@D)
	$(CC) -O2 $(flags) -c -o $@ $<
$(out)/asan/%.o: $(here)/%.c
	@mkdir -p $(@D)
	$(CC) $(flags) $(asan) -c -o $@ $<

$(tile_tests:%=$(out)/fast/%): $(out)/fast/%: $(out)/fast/%.o $(out)/fast/tile_test.o $(fast)
	$(CC) -pthread -o $@ $^ -lm
$(tile_tests:%=$(out)/asan/%): $(out)/asan/%: $(out)/asan/%.o $(out)/asan/tile_test.o $(srcs:%.c=$(out)/asan/%.o) $(emulated)
	$(CC) -pthread $(asan) -o $@ $^ -lm

$(out)/tsan/%.o: $(DEVICE)/%.c
	@mkdir -p $(@D)
	$(CC) $(flags) $(tsan) -c -o $@ $<
$(out)/tsan/%.o: $(here)/%.c
	@mkdir -p $(@D)
	$(CC) $(flags) $(tsan) -c -o $@ $<
$(out)/tsan/tile_threads: $(out)/tsan/tile_threads.o $(out)/tsan/tile_test.o $(tsan_srcs:%.c=$(out)/tsan/%.o) \
		$(filter $(BUILD)/model/plain/model/core/tile/kern_%,$(fast))
	$(CC) -pthread $(tsan) -o $@ $^ -lm

# figures of this host, not a test
bench: $(out)/fast/tile_bench
	@$<
$(out)/fast/tile_bench: $(out)/fast/tile_bench.o $(out)/fast/tile_test.o $(fast)
	$(CC) -pthread -o $@ $^ -lm

# every F32 argument of the functions, a quarter of an hour
exhaust: $(out)/fast/tile_exhaust
	$<
$(out)/fast/tile_exhaust.o: flags += -O3 -fno-math-errno -march=native
$(out)/fast/tile_exhaust: $(out)/fast/tile_exhaust.o $(out)/fast/tile_test.o $(fast)
	$(CC) -pthread -o $@ $^ -lm -lmvec

# every test program, as compiled for use and under AddressSanitizer and UBSan, threads under
# ThreadSanitizer; prints failures
check: all
	@fail=0; for t in $(tile_tests:%=fast/%) $(tile_tests:%=asan/%) tsan/tile_threads; do \
		$(out)/$$t > $(out)/$$t.tap 2>&1 || { fail=1; grep -v '^ok' $(out)/$$t.tap | head -40; }; \
		echo "$$t: $$(grep -c '^ok' $(out)/$$t.tap) ok, $$(grep -c '^not ok' $(out)/$$t.tap) not ok"; \
	done; exit $$fail

.PHONY: all bench check exhaust FORCE
-include $(shell find $(out) -name '*.d' 2>/dev/null)
