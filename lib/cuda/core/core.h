/* SPDX-License-Identifier: MIT */
/*
 * Inside of the driver-API front. It stands on libacl's public functions and on the private door, lib/acl/core/front.h.
 * Handles of contexts, streams, events, modules, functions and pools are libacl's numbers; what this front keeps
 * about one of them is a record under that number (core/table.c).
 *
 * Locks: a context's, then that of the table. Neither is held while libacl is called, except that context/context.c and
 * stream/order.c queue events with the context's lock held.
 */
#ifndef ANPU_CUDA_CORE_H
#define ANPU_CUDA_CORE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <acl/acl.h>
#pragma GCC visibility push(default) /* the API, and nothing else */
#include <cuda.h>
#pragma GCC visibility pop

#include "core/front.h"

#define CU_COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define CU_PTR(addr) ((void *)(uintptr_t)(addr))

struct cu_proc {
	const char *name;
	int since; /* programs of this version and newer ones mean this form of the function */
	void (*symbol)(void);
	void (*variant)(void); /* or NULL */
};
extern const struct cu_proc cu_procs[]; /* by name, then by version */
extern const unsigned int cu_proc_count;

/* Words of sentences, see words.c; cu_symbols has the symbols that are no names in programs */
struct cu_word {
	const char *from, *to;
};
extern const struct cu_word cu_symbols[];
extern const unsigned int cu_symbol_count;
const char *cu_word(const char *word, size_t n);

/* The name of the public function that the program has called, for sentences; returns the one that it is a part of, or NULL */
const char *cu_begin(const char *name, const void *caller);
void cu_leave(const char **before);
const char *cu_running(void);
/* A function of the program runs in between: what it calls has its own name */
const char *cu_pause(void);
void cu_resume(const char *name);
/* Until the public function returns, this is the thread's context */
void cu_use_context(uint64_t context);
/* CUDA_ERROR_NOT_INITIALIZED, _DEINITIALIZED or 0 */
CUresult cu_ready(void);
#define CU_BEGIN()                                                            \
	const char *cu_before_ __attribute__((cleanup(cu_leave), unused)) =   \
		cu_begin(__func__, __builtin_return_address(0))
#define CU_ENTER()                        \
	CU_BEGIN();                       \
	do {                              \
		CUresult r_ = cu_ready(); \
		if (r_)                   \
			return r_;        \
	} while (0)
/* Records a sentence and returns @code */
CUresult cu_fail(CUresult code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#define CU_CHECK_PTR(p)                                                                 \
	do {                                                                            \
		if (!(p))                                                               \
			return cu_fail(CUDA_ERROR_INVALID_VALUE, "%s is NULL", #p);     \
	} while (0)
/* @reason: why, and what to do instead, or NULL */
CUresult cu_unbuilt(const char *name, const char *reason);
/* The CUresult for a failure of libacl, which has recorded its sentence; failures of tasks stay with the context */
CUresult cu_map(aclError code);
/* The same without effect on the context */
CUresult cu_code(aclError code);
/* The same for sentences; launch.c: the code of the launch that the thread is in, for what libacl's is made of */
int cu_number(aclError code);
CUresult cu_launch_code(CUresult ret);
#define CU_ACL(call) cu_map(call)
/*
 * The failure of a task that a wait for the current context's work, or for a stream's, has told: it stays with the context. What
 * else may be in the way of waiting is the caller's to find out. Calls that end what work uses wait so before.
 */
CUresult cu_work_failure(aclError code);
CUresult cu_await_work(void);

/* Stream 0 means the calling thread's stream from now on, until cu_default_end() */
bool cu_default_begin(void);
void cu_default_end(bool before);
bool cu_default_is_thread(void);

/* table.c ------------------------------------------------------------------------------------------ */

enum cu_type { CU_CTX = 1, CU_STREAM, CU_FUNC, CU_MODULE, CU_LIBRARY, CU_KERNEL, CU_GRAPH, CU_EXEC, CU_NODE, CU_LINK,
	       CU_OBJECT, CU_TYPES };

/* First member of each record. Memory of records is used again for the same type only, and never given back */
struct cu_rec {
	uint64_t key;
	enum cu_type type;
	struct cu_rec *next;
};

/* The record of a handle, or NULL */
void *cu_find(enum cu_type type, const void *handle);
/* A zeroed record of a handle, or NULL without memory. @handle 0: a new number, which libacl has not */
void *cu_add(enum cu_type type, const void *handle);
/* Forgets the record */
void cu_drop(void *record);
/* Calls @fn for each record of the type, which it may forget */
void cu_each(enum cu_type type, void (*fn)(void *record, void *arg), void *arg);
#define cu_handle(record) CU_PTR((record)->rec.key)

#endif /* ANPU_CUDA_CORE_H */
