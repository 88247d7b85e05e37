/* SPDX-License-Identifier: MIT */
/*
 * The room launch: binaries of operators, their functions, launches, and what operators print.
 *
 * Uses: util, core, device, memory, stream, copy.
 * Private: elf.h, elf_internal.h
 */
#ifndef ANPU_LAUNCH_H
#define ANPU_LAUNCH_H

#include "copy/copy.h"
#include "launch/binary.h"

/* Told to other rooms: a binary ends, and its exception callback with it */
struct anpu_launch_hooks {
	void (*binary_end)(struct anpu_binary *bin);
};
extern const struct anpu_launch_hooks anpu_launch_hooks;

/* Shared by all ways of launching */
struct anpu_launch {
	struct anpu_func *func;	    /* referenced */
	struct anpu_stream *stream; /* referenced */
	struct anpu_pkt_kernel pkt;
};

/* Looks everything up and checks it; prepares the packet without its arguments */
aclError anpu_launch_begin(struct anpu_launch *l, aclrtFuncHandle func, uint32_t blocks,
			   const aclrtLaunchKernelCfg *cfg, aclrtStream stream);
/* The same for a kernel with another limit of cores, to be checked when that is in the packet */
aclError anpu_launch_prepare(struct anpu_launch *l, aclrtFuncHandle func, uint32_t blocks,
			     const aclrtLaunchKernelCfg *cfg, aclrtStream stream);
aclError anpu_launch_check_limit(const struct anpu_pkt_kernel *pkt, const char *name);
/* 107000 for a kernel that only the launches with grid and block can start */
aclError anpu_launch_check_plain(const struct anpu_launch *l);
/* Are these arguments of the program enough, and the places of addresses in them */
aclError anpu_launch_check_args(const struct anpu_launch *l, size_t size, const aclrtPlaceHolderInfo *holders, size_t count);
/* Copies arguments, points the placeholders into the copy, submits */
aclError anpu_launch_host_args(struct anpu_launch *l, const void *args, size_t size,
			       const aclrtPlaceHolderInfo *holders, size_t count);
void anpu_launch_end(struct anpu_launch *l);
/* Arguments of a launch as the program gives them; the library writes addresses where the holders are */
struct anpu_kernel_args {
	const void *data;
	size_t size;
	const aclrtPlaceHolderInfo *holders;
	size_t holder_count;
};
/* anpu_front_launch() inside of another call */
aclError anpu_launch_grid(struct anpu_front_launch *f, enum anpu_front_why *why, uint64_t *seq);
/*
 * front.c: launches with a configuration, for rooms that keep them instead of queueing them. Looks everything up and
 * checks it, and writes what follows from the kernel into @f; bytes in front of and for the arguments; writes them, and their place into the packet
 */
aclError anpu_launch_configure(struct anpu_launch *l, struct anpu_front_launch *f, enum anpu_front_why *why);
uint32_t anpu_launch_bytes(const struct anpu_launch *l, const struct anpu_front_launch *f);
void anpu_launch_write(struct anpu_launch *l, const struct anpu_front_launch *f, void *block, uint64_t va);
/* check.c: the checking mode looks at the pointers among the arguments: before it is submitted, and after */
void anpu_launch_check(const struct anpu_launch *l, const struct anpu_kernel_args *args);
/* The same at a parameter of a list, of which @size bytes were given */
void anpu_launch_check_param(const struct anpu_launch *l, unsigned int i, size_t size);
bool anpu_launch_ask(const struct anpu_launch *l, const struct anpu_kernel_args *args, uint64_t va, void *behind,
		     uint64_t *ticket);
void anpu_launch_reads(const struct anpu_launch *l, uint64_t seq);
void anpu_launch_races(const struct anpu_launch *l, const struct anpu_kernel_args *args, uint64_t seq,
		       uint64_t ticket);
/* The same of a kernel that was recorded into a graph with its arguments at @va, and when that runs as the stream's task @seq */
void anpu_launch_recorded(const struct anpu_launch *l, const struct anpu_kernel_args *args, uint64_t va);
void anpu_launch_replayed(struct anpu_stream *s, uint64_t args, uint64_t seq);
/* Another graph has a copy of them at @to */
void anpu_launch_copied(uint64_t from, uint64_t to);
/*
 * Such a kernel is about to be executed: asks the device what it does there, by a question at @behind, which is behind the arguments;
 * NULL: there is no room for one, or it would be one too many
 */
void anpu_launch_replay(struct anpu_device *dev, const struct anpu_pkt_kernel *pkt, void *behind);
/* The memory that such a kernel is known to use; @a has room for ANPU_LAUNCH_USES */
#define ANPU_LAUNCH_USES 12
unsigned int anpu_launch_uses(uint64_t args, struct anpu_access *a);
/* limits.c: max_cores of a kernel that this thread launches on the stream */
uint8_t anpu_limit_cores(const struct anpu_stream *s, uint8_t core_type);
/* The function of a handle with a reference, or NULL after acl_fail() */
struct anpu_func *anpu_func_find(aclrtFuncHandle handle);

/* print.c: output of operators ----------------------------------------------------------------- */

/* Tells STREAM_CREATE where the device is to put it, if the driver knows print buffers. 0 or -errno */
int anpu_print_start(struct anpu_device *dev, struct drm_anpu_stream_create *create);
/* Operators may run from now on: makes the ring for their texts. 0 or -errno */
int anpu_print_ring(struct anpu_device *dev);
/* Is there a ring */
bool anpu_print_active(struct anpu_device *dev);
/* Writes what has arrived to stdout */
void anpu_print_drain(struct anpu_device *dev);
void anpu_print_free(struct anpu_device *dev);

#endif /* ANPU_LAUNCH_H */
