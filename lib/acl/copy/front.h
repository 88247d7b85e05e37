/* SPDX-License-Identifier: MIT */
/*
 * The private door for libraries in front of this one, continued: tasks on words of memory, and a copy. It is not
 * installed. All of them can be recorded into a graph.
 */
#ifndef ANPU_COPY_FRONT_H
#define ANPU_COPY_FRONT_H

#include <stdint.h>

#include <acl/acl.h>

/* Queues adding @n to the word of 8 bytes at @addr, which the stream's device reaches */
__attribute__((visibility("default"))) aclError anpu_front_add(uint64_t *addr, uint64_t n, aclrtStream stream);

/*
 * Queues a wait until the word at @addr is 1; the same step that sees the 1 sets it to 0. After @limit_us microseconds
 * the task fails as aclrtWaitAndResetNotify() does; UINT64_MAX: no limit.
 */
__attribute__((visibility("default"))) aclError anpu_front_await(uint64_t *addr, uint64_t limit_us, aclrtStream stream);

/*
 * Drops the stream's tasks, as aclrtStreamAbort() does, and queues a wait for the word at @addr that fails at once. Every thread that
 * synchronises the stream is told of the abort or of that wait, whenever it comes.
 */
__attribute__((visibility("default"))) aclError anpu_front_abort(uint64_t *addr, aclrtStream stream);

/* Queues a copy between memory that the stream's device reaches, of whatever place: also from host memory to host memory */
__attribute__((visibility("default"))) aclError anpu_front_copy(void *dst, const void *src, size_t bytes,
								aclrtStream stream);

/* As aclrtMemcpyAsync() of the kind ACL_MEMCPY_DEFAULT, which refuses copies from host memory to host memory */
__attribute__((visibility("default"))) aclError anpu_front_copy_any(void *dst, const void *src, size_t bytes, aclrtStream stream);

/* As aclrtValueWait() for a word of 4 bytes */
__attribute__((visibility("default"))) aclError anpu_front_wait(uint32_t *addr, uint32_t value, uint32_t flag, aclrtStream stream);

#endif
