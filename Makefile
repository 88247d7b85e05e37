# SPDX-License-Identifier: MIT
# The top level only says what exists and in which order; each directory builds itself.

export TOP   := $(CURDIR)
export BUILD := $(TOP)/build
export KDIR  := $(BUILD)/guest/kdir

PREFIX  ?= /usr/local
DESTDIR ?=

# make V=1 shows every command.
ifndef V
MAKEFLAGS += -s --no-print-directory
endif

# Each directory compiles on all processors, unless -j says how many. The directories follow each other, so that one line
# after the other tells what is done.
.NOTPARALLEL:
jobs = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))

guest := $(BUILD)/guest/initramfs.cpio
step  := scripts/step

all: kernel lib hccl python qemu operators guest

help:
	echo 'make run        build everything, boot the VM, add a million numbers on the NPU and check the sums'
	echo 'make check      run every test'
	echo 'make check-debug    run the tests of the driver on kernels with KASAN, lockdep, kmemleak, KCSAN (hours)'
	echo 'make check-kernels  build and test the driver for the kernels of Debian 12, 13 and sid, in chroots'
	echo 'make bench      measure; a table, build/bench.json and build/bench.html'
	echo 'make coverage   which lines of libacl its suites reach'
	echo 'make shell      a shell in the VM'
	echo 'make all        build everything: kernel lib qemu operators guest'
	echo 'make deps       install and fetch what the build needs (done by the others, too)'
	echo 'make qemu-full  a QEMU with the device built in, from the same sources'
	echo 'make tools      build anpu-op, which runs operators on this machine without VM'
	echo 'make python     build the Python module acl; make wheel makes a wheel of it'
	echo 'make install    install libacl, libhccl, acl for Python, anpucc, anpu-op, ascendc-op, ascendc-census, ascendc-runs and anpu-run with its VM; PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)'
	echo 'make install-direct  the same without the VM'
	echo 'make deb        Debian packages in build/deb; make check-packages installs, uses, upgrades and removes them in chroots'
	echo 'make dist       the sources as one archive, the same bytes each time; make compile_commands.json for editors'
	echo 'make clean      remove what was built; make distclean also what was fetched'

deps:
	scripts/setup run

# Without the VM
deps-host:
	scripts/setup host

deps-check-host:
	scripts/setup host check

deps-check:
	scripts/setup run check

guest: $(guest)
$(guest): $(wildcard scripts/vm/*.[ch]) scripts/build-guest scripts/vm/modules.py | deps
	$(step) 'making what the VM boots' scripts/build-guest $(BUILD)/guest/root $(BUILD)/guest

kernel qemu: | deps
lib hccl operators ascendc-operators tests tools python: | deps-host

kernel:
	$(step) 'building the driver' $(MAKE) $(jobs) -C kernel

libacl: | deps-host
	$(step) 'building libacl' $(MAKE) $(jobs) -C lib

lib: libacl
	$(step) 'building the toolkit tree' $(MAKE) $(jobs) -C lib/kit
	$(step) 'building the direct engine' $(MAKE) $(jobs) -C lib/direct
	$(step) 'building the driver-API front' $(MAKE) $(jobs) -C lib/cuda

hccl: lib
	$(step) 'building libhccl' $(MAKE) $(jobs) -C lib/hccl

tools:
	$(step) 'building anpu-op and anpu-replay' $(MAKE) $(jobs) -C lib/tools

python: lib
	$(step) 'building the Python module' $(MAKE) $(jobs) -C lib/python

wheel: lib
	$(MAKE) -C lib/python wheel

qemu:
	scripts/build-qemu

qemu-full: | deps
	ANPU_QEMU=full scripts/build-qemu

operators ascendc-operators tests: lib
	$(step) 'building the $@' $(MAKE) $(jobs) -C tests $@

# The result comes first: what the job does not need is built behind it
run: main-job all

main-job: | deps-host
	scripts/main-job

# Suites that build what they need by themselves come first, then those that need host-parts, then those with a VM: tests/parts,
# which stands between them in tests/suites, makes what the next ones need
check: deps-check-host
	$(MAKE) -C tests check

host-parts: deps-check-host lib hccl python operators ascendc-operators tests

vm-parts: deps-check kernel qemu guest

check-debug: deps-check all
	$(MAKE) -C tests tests
	tests/debug/full

check-kernels: deps-check all
	$(MAKE) -C tests tests
	tests/kernels/check

# What it compares with may be missing: then it says so.
deps-bench:
	scripts/setup run bench || echo 'make bench: going on without them'

bench: deps-bench all
	$(MAKE) -C tests bench

coverage: all
	$(MAKE) -C tests coverage

shell: all
	scripts/anpu-run --shell

install: install-direct kernel qemu guest
	scripts/install-vm $(DESTDIR)$(PREFIX)

# Without the VM, for programs that have the device inside of them
install-direct: lib hccl tools python
	$(MAKE) -C lib install PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)
	$(MAKE) -C lib/hccl install PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)
	$(MAKE) -C lib/direct install PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)
	$(MAKE) -C lib/cuda install PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)
	$(MAKE) -C lib/python install PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)
	$(MAKE) -C lib/tools install PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)
	$(MAKE) -C lib/kit install PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)
	scripts/install-vm --direct $(DESTDIR)$(PREFIX)

# The packages are made of an installation of their own
deb: lib hccl tools python kernel qemu guest
	rm -rf $(BUILD)/deb-stage
	$(MAKE) install PREFIX=/usr DESTDIR=$(BUILD)/deb-stage
	$(MAKE) -C kernel dkms DESTDIR=$(BUILD)/deb-stage
	scripts/make-debs $(BUILD)/deb-stage $(BUILD)/deb
	rm -rf $(BUILD)/deb-stage

check-packages: deb wheel operators
	tests/packages/check

dist:
	scripts/make-dist $(BUILD)

# For editors and clangd
compile_commands.json: FORCE
	scripts/compile-commands $@

clean:
	cd $(BUILD) 2>/dev/null && rm -rf $$(ls | grep -vxE 'cache|guest|qemu') qemu/plugin || true

distclean:
	rm -rf $(BUILD)

FORCE:

.PHONY: all help deps deps-host deps-check deps-check-host deps-bench host-parts vm-parts guest kernel libacl lib hccl python wheel tools qemu qemu-full operators ascendc-operators tests run main-job check check-debug check-kernels bench coverage shell install install-direct deb check-packages dist FORCE clean distclean
