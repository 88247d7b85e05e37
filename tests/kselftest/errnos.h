/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Which errors each ioctl may give, as anpu_accel.h documents them: the one table that the fuzzer and
 * the tests with failing allocations compare with.
 */
#ifndef ANPU_TEST_ERRNOS_H
#define ANPU_TEST_ERRNOS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include <drm/anpu_accel.h>

enum known_ioctl {
	IOCTL_DEV_QUERY,
	IOCTL_BO_CREATE,
	IOCTL_BO_MMAP_OFFSET,
	IOCTL_VM_BIND,
	IOCTL_STREAM_CREATE,
	IOCTL_STREAM_DESTROY,
	IOCTL_SUBMIT,
	IOCTL_WAIT,
	IOCTL_STREAM_GET_STATE,
	IOCTL_EVENT_SUBSCRIBE,
	IOCTL_RESET,
	IOCTL_STREAM_SET,
	IOCTL_SUBMIT_JOB,
	IOCTL_GEM_CLOSE,
	IOCTL_PRIME_EXPORT,
	IOCTL_PRIME_IMPORT,
	IOCTL_COUNT
};

struct documented {
	const char *name;
	unsigned long request;
	unsigned int size;
	int errors[8];
};

#define IOCTL(name, type, ...) \
	[IOCTL_##name] = { #name, DRM_IOCTL_ANPU_##name, sizeof(struct drm_anpu_##type), { __VA_ARGS__ } }

static const struct documented documented[IOCTL_COUNT] = {
	IOCTL(DEV_QUERY, dev_query, EOPNOTSUPP),
	IOCTL(BO_CREATE, bo_create, ENOSPC, EOPNOTSUPP),
	IOCTL(BO_MMAP_OFFSET, bo_mmap_offset, ENOENT),
	IOCTL(VM_BIND, vm_bind, EEXIST, ENOENT, EACCES, ENOSPC, E2BIG),
	IOCTL(STREAM_CREATE, stream_create, EACCES, ENOSPC, EBUSY, EOPNOTSUPP),
	IOCTL(STREAM_DESTROY, stream_destroy, ENOENT),
	IOCTL(SUBMIT, submit, ENOENT, EAGAIN, EPERM, ECANCELED),
	IOCTL(WAIT, wait, ENOENT, ETIME, E2BIG, ECANCELED, EBADF, EOPNOTSUPP),
	IOCTL(STREAM_GET_STATE, stream_get_state, ENOENT, ENODATA),
	IOCTL(EVENT_SUBSCRIBE, event_subscribe),
	IOCTL(RESET, reset, ENOENT, EPERM, ETIMEDOUT, EOPNOTSUPP),
	IOCTL(STREAM_SET, stream_set, ENOENT, EACCES, EOPNOTSUPP),
	IOCTL(SUBMIT_JOB, submit_job, ENOENT, EAGAIN, EPERM, ECANCELED, E2BIG, EBADF, EMFILE,
	      EOPNOTSUPP),
	/* DRM's own */
	[IOCTL_GEM_CLOSE] = { "GEM_CLOSE", DRM_IOCTL_GEM_CLOSE, sizeof(struct drm_gem_close), {} },
	[IOCTL_PRIME_EXPORT] = { "PRIME_HANDLE_TO_FD", DRM_IOCTL_PRIME_HANDLE_TO_FD,
		sizeof(struct drm_prime_handle), { ENOENT, EOPNOTSUPP, EMFILE } },
	[IOCTL_PRIME_IMPORT] = { "PRIME_FD_TO_HANDLE", DRM_IOCTL_PRIME_FD_TO_HANDLE,
		sizeof(struct drm_prime_handle), { EBADF, EOPNOTSUPP } },
};

/* Is @error one that ioctl @which may give? The rules for all ioctls are at the head of the header. */
static inline bool is_documented(enum known_ioctl which, int error)
{
	static const int always[] = { 0, EINVAL, EFAULT, ENODEV, EIO, ENOMEM, EINTR };

	for (size_t i = 0; i < sizeof(always) / sizeof(*always); i++) {
		if (error == always[i])
			return true;
	}
	for (size_t i = 0; i < sizeof(documented->errors) / sizeof(int); i++) {
		if (error == documented[which].errors[i])
			return true;
	}
	return false;
}

#endif /* ANPU_TEST_ERRNOS_H */
