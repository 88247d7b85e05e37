/* SPDX-License-Identifier: MIT */
/* Shared by the tests of the driver-API front: checks of codes and sentences, a context, kernels. */
#ifndef CUTEST_H
#define CUTEST_H

#include <acl/acl.h>
#include <cuda.h>

#include "../libacl/tap.h"

/* Programs run in the top directory */
#define OPS  "build/tests/cuda/ops.o"
#define MANAGED_OPS "build/tests/cuda/managed.o"
/* The same as text, by anpucc -ptx */
#define MANAGED_TEXT "build/tests/cuda/managed.ptx"
#define HEAP_OPS "build/tests/cuda/heap.o"

/* The call succeeds */
#define CU(call) do { \
	CUresult err_ = (call); \
	if (err_ != CUDA_SUCCESS) { \
		const char *name_ = NULL, *msg_ = aclGetRecentErrMsg(); \
		if (cuGetErrorName(err_, &name_)) \
			name_ = "?"; \
		FAIL("%s returned %d (%s): %s", #call, (int)err_, name_, msg_ ? msg_ : "(no message)"); \
	} \
} while (0)

/* The call fails with @code, and the sentence has that and @fact, or none is looked at if that is "" */
#define FAILS(call, code, fact) do { \
	CUresult got_; \
	const char *msg_; \
	aclGetRecentErrMsg(); \
	got_ = (call); \
	msg_ = aclGetRecentErrMsg(); \
	if (got_ != (code)) \
		FAIL("%s returned %d, not %d: %s", #call, (int)got_, (int)(code), msg_ ? msg_ : "(no message)"); \
	if (*(fact) && (!msg_ || !strstr(msg_, (fact)))) \
		FAIL("%s: '%s' is not in: %s", #call, (fact), msg_ ? msg_ : "(no message)"); \
	if (*(fact) && (msg_[0] != 'E' || atoi(msg_ + 1) != (int)(code))) \
		FAIL("%s returned %d, and says: %s", #call, (int)(code), msg_); \
} while (0)

/* Init, and a context on device 0, current */
CUcontext start(void);
CUmodule ops(void);
CUfunction op(const char *name);
CUdeviceptr dev_alloc(size_t bytes);
uint64_t read_u64(CUdeviceptr ptr);
CUstream new_stream(unsigned int flags);
/* A kernel with arguments of 8 bytes each */
CUresult launch_args(CUfunction f, unsigned int blocks, CUstream stream, uint64_t *values, unsigned int n);
#define LAUNCH(name, blocks, stream, ...) do { \
	uint64_t values_[] = { __VA_ARGS__ }; \
	CU(launch_args(op(name), (blocks), (stream), values_, sizeof(values_) / sizeof(values_[0]))); \
} while (0)

/* Parameters of a node: a kernel of one thread. @args stays the caller's */
CUDA_KERNEL_NODE_PARAMS one_thread(const char *name, void **args);
/* A node of that, behind @behind if that is one */
CUgraphNode add_kernel(CUgraph g, CUgraphNode behind, const char *name, void **args);
CUgraphExec instantiated(CUgraph g);

#endif /* CUTEST_H */
