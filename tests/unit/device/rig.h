/* SPDX-License-Identifier: MIT */
/*
 * Real operators on the whole model: ops.c, compiled by anpucc, is loaded into the device of
 * tests/unit/model/harness.h, which here has its real AI cores.
 */
#ifndef DEVICE_RIG_H
#define DEVICE_RIG_H

#include "harness.h"

/* Address space 1: all of the HBM as data, and the operators. */
#define ASID	1
#define DATA_VA	0x100000000ULL
#define CODE_VA	0x2000000000ULL

/** rig_new() - a device with the operators of the file in OPS loaded */
struct dev *rig_new(const struct anpu_config *cfg);
void rig_free(struct dev *d);
/** rig_queue() - a queue of address space 1; priority 0 to 7 */
struct tq *rig_queue(struct dev *d, unsigned int id, unsigned int priority);
/** rig_alloc() - zeroed memory, as its HBM address; operators see it at va() */
uint64_t rig_alloc(struct dev *d, uint64_t size);
static inline uint64_t va(uint64_t hbm)
{
	return DATA_VA + hbm;
}

/** rig_kernel() - a launch of an operator by name, with arguments of 8 bytes; a pair is a MIX of 1 and 2 */
union anpu_packet rig_kernel(struct dev *d, const char *name, uint32_t blocks, unsigned int n,
			     const uint64_t *args);
#define KERNEL(d, name, blocks, ...) ({						\
	const uint64_t args_[] = { __VA_ARGS__ };				\
	rig_kernel(d, name, blocks, sizeof(args_) / sizeof(args_[0]), args_); })

/** rig_text() - what operators have printed so far, with queue and block in front of each text */
const char *rig_text(void);
void rig_forget_text(void);

#endif /* DEVICE_RIG_H */
