/* SPDX-License-Identifier: MIT */
/* The interface of graph engines, whose groups and tasks need such an engine: nothing here has one. */
#ifndef HCCL_HCOM_H_
#define HCCL_HCOM_H_

#error "hccl/hcom.h is not built: its calls belong to a graph engine. Use the communicators of hccl/hccl.h, whose calls aclmdlRICaptureBegin() records"

#endif /* HCCL_HCOM_H_ */
