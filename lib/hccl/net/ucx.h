/* SPDX-License-Identifier: MIT */
/* UCX, loaded when it is needed: a library without ranks on several machines needs none. */
#ifndef HCCL_UCX_H
#define HCCL_UCX_H

#include "net/net.h"

#if __has_include(<ucp/api/ucp.h>)
#define HCCL_HAVE_UCX 1
#include <ucp/api/ucp.h>

#define HCCL_UCP_CALLS(X)                                                                                                  \
	X(init_version) X(cleanup) X(config_read) X(config_modify) X(config_release) X(worker_create) X(worker_destroy)  \
	X(worker_get_address) X(worker_release_address) X(worker_set_am_recv_handler) X(worker_progress) X(ep_create)     \
	X(ep_close_nbx) X(am_send_nbx) X(request_check_status) X(request_free)

#define HCCL_UCP_MEMBER(name) __typeof__(&ucp_##name) name;
struct hccl_ucx {
	HCCL_UCP_CALLS(HCCL_UCP_MEMBER)
	const char *(*status_string)(ucs_status_t status);
};

/* NULL after hccl_fail() */
const struct hccl_ucx *hccl_ucx_load(void);

#endif
#endif
