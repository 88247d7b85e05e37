/* SPDX-License-Identifier: MIT */
/*
 * The room copy: copies between any two places, fills, reductions, random numbers, values, and hints
 * about memory in a stream.
 *
 * Uses: util, core, device, memory, stream.
 */
#ifndef ANPU_COPY_H
#define ANPU_COPY_H

#include "stream/stream.h"

/* The device ends, and its stream of synchronous copies */
void anpu_copy_end(struct anpu_device *dev);
/* The stream of synchronous copies; NULL after acl_fail(). Call and use with copy_lock held */
struct anpu_stream *anpu_copy_stream(struct anpu_device *dev);
/* One packet on that stream, waited for and reported */
aclError anpu_run_packet(struct anpu_device *dev, union anpu_packet pkt);
/* Looks at both ranges of a copy; 107000 if it does not fit */
aclError anpu_check_copy(void *dst, size_t dest_max, const void *src, size_t count,
			 struct anpu_mem *d, struct anpu_mem *s);
/* Queues a copy, or does it in the stream's order where that cannot be */
aclError anpu_copy_async(struct anpu_mem *d, struct anpu_mem *s, uint64_t count,
			 struct anpu_stream *stream);
/* Copies between any two places that anpu_mem_look() has found, by the best way there is */
aclError anpu_copy_sync(struct anpu_mem *dst, struct anpu_mem *src, uint64_t count);
void anpu_cpu_copy(char *dst, const char *src, uint64_t count);
/* Can the stream's device reach it without the CPU's help */
bool anpu_reachable(const struct anpu_mem *mem, const struct anpu_stream *stream);
/* As anpu_mem_look(), for memory that a task of the stream uses; @name of it for messages */
aclError anpu_mem_look_reached(const void *ptr, uint64_t size, const char *name,
			       const struct anpu_stream *stream, struct anpu_mem *mem);
/* Does the kind of an asynchronous copy fit the places */
aclError anpu_check_kind(const struct anpu_mem *dst, const struct anpu_mem *src,
			 aclrtMemcpyKind kind);

/* peer.c */
/*
 * Copies from one device to another by one of them, which reaches the other's memory. @done is false
 * if that is not open, does not pay, or this machine cannot do it: then nothing has been copied.
 */
aclError anpu_peer_copy(const struct anpu_mem *dst, const struct anpu_mem *src, uint64_t count,
			bool *done);

#endif /* ANPU_COPY_H */
