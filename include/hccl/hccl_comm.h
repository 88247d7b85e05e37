/* SPDX-License-Identifier: MIT */
/* Newer programs ask for communicators here and for collectives in hccl.h, and for the former in libhcomm.so: both are one. */
#ifndef HCCL_COMM_H_
#define HCCL_COMM_H_

#include <hccl/hccl.h>

#endif /* HCCL_COMM_H_ */
