# SPDX-License-Identifier: MIT
# Compiles the device into a shared object for the stock QEMU. Called by scripts/build-qemu-plugin with DEVICE (the
# directory qemu-device), SRC (QEMU's source), OUT and INCLUDE (our headers). MODEL is the library of the device without
# QEMU that DEVICE's own Makefile builds, if that can be used: else its sources are compiled here.
include $(DEVICE)/sources.mk

CC := gcc
obj = $(patsubst %.c,$(OUT)/obj/%.o,$(1))
glue := $(call obj,$(ANPU_GLUE_SRCS) $(ANPU_PLUGIN_SRCS))
model := $(if $(MODEL),,$(call obj,$(ANPU_MODEL_SRCS)))

common := -m64 -O2 -g -fPIC -fvisibility=hidden -pthread -MMD -MP -Wall -I$(INCLUDE) -I$(DEVICE) -I$(DEVICE)/model
# As QEMU itself is compiled, so that its inline functions and structures mean the same here.
qemu := -std=gnu11 -fno-strict-aliasing -fno-common -fwrapv -Wno-unused \
	-D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_LARGEFILE_SOURCE -DCOMPILING_SYSTEM_VS_USER -DANPU_PLUGIN \
	-iquote $(OUT)/gen -I$(OUT)/gen -iquote $(SRC) -iquote $(SRC)/include -I$(SRC)/include \
	-iquote $(SRC)/host/include/x86_64 -iquote $(SRC)/host/include/generic -iquote $(SRC)/tcg/i386 \
	-isystem $(OUT)/gen/linux-headers -isystem $(SRC)/linux-headers \
	$(shell pkg-config --cflags glib-2.0)

$(OUT)/obj/anpu.so: $(glue) $(model) $(MODEL)
	@echo LD anpu.so
	@$(CC) -shared -pthread -Wl,-z,now -Wl,-z,noexecstack -o $@ $^ $(shell pkg-config --libs glib-2.0) -lm

$(glue): $(OUT)/obj/%.o: $(DEVICE)/%.c $(OUT)/gen/config-host.h
	@mkdir -p $(@D)
	@echo CC $(<:$(DEVICE)/%=%)
	@$(CC) $(common) $(qemu) $(ANPU_GLUE_CFLAGS) -c -o $@ $<

$(model): $(OUT)/obj/%.o: $(DEVICE)/%.c
	@mkdir -p $(@D)
	@echo CC $(<:$(DEVICE)/%=%)
	@$(CC) -std=gnu11 $(common) $(ANPU_MODEL_CFLAGS) -c -o $@ $<

ifdef MODEL
$(MODEL): FORCE
	@$(MAKE) -C $(DEVICE) $@
endif

FORCE:

$(glue) $(model): $(DEVICE)/sources.mk
-include $(glue:.o=.d) $(model:.o=.d)
