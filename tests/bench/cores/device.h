/* SPDX-License-Identifier: MIT */
/*
 * The model as a device in this process, and a small driver for it: kernels run through its queues,
 * scheduler and page tables, without a VM. All devices share one memory, one address space and the
 * operators in it; they differ in the number of their threads.
 *
 * Whatever fails here ends the program with a sentence.
 */
#ifndef CORES_DEVICE_H
#define CORES_DEVICE_H

#include <stddef.h>
#include <stdint.h>

struct device;

/**
 * struct kernel - what is launched
 * @entry: where its blocks start
 * @flags: ANPU_KERNEL_*
 * @threads: of a block, 0: launched without a struct anpu_kernel_launch
 * @shared: bytes of static shared variables
 */
struct kernel {
	uint64_t entry;
	uint16_t flags;
	uint32_t threads;
	uint32_t shared;
};

/** memory_init() - make the memory of all devices, @size bytes, a power of 2 */
void memory_init(uint64_t size);

/** memory_alloc() - @size bytes of it, zero, aligned to 2 MiB; never freed */
void *memory_alloc(uint64_t size);

/** memory_va() - the address at which operators see a pointer of memory_alloc() */
uint64_t memory_va(const void *p);

/** kernel_load() - a kernel of an operator file */
struct kernel kernel_load(const char *path, const char *name);

/** device_new() - a device whose blocks run on @threads threads */
struct device *device_new(unsigned int threads);
void device_free(struct device *d);

/**
 * device_run() - run a kernel @launches times, one after the other
 * @blocks: of each launch
 * @args: @slots arguments of 8 bytes
 *
 * Return: nanoseconds from before the first to after the last, by the device's clock.
 */
uint64_t device_run(struct device *d, const struct kernel *k, uint32_t blocks,
		    const uint64_t *args, size_t slots, unsigned int launches);

/** device_insns() - scalar instructions of all blocks since device_new() */
uint64_t device_insns(struct device *d);

void die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif /* CORES_DEVICE_H */
