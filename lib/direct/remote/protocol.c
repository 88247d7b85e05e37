// SPDX-License-Identifier: MIT
/* Messages between clients and anpu-server. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <drm/anpu_accel.h>

#include "remote/protocol.h"

bool anpu_layout(unsigned long request, struct anpu_layout *layout)
{
#define IN(type, member, what)	{ ANPU_POINTER_IN, offsetof(struct type, member.array), sizeof(struct what) }
	*layout = (struct anpu_layout){ ANPU_NO_POINTER, 0, 0 };
	switch (_IOC_NR(request)) {
	case _IOC_NR(DRM_IOCTL_ANPU_WAIT):
		*layout = (struct anpu_layout)IN(drm_anpu_wait, items, drm_anpu_wait_item);
		return true;
	case _IOC_NR(DRM_IOCTL_ANPU_VM_BIND):
		*layout = (struct anpu_layout)IN(drm_anpu_vm_bind, ops, drm_anpu_vm_bind_op);
		return true;
	case _IOC_NR(DRM_IOCTL_ANPU_SUBMIT):
		*layout = (struct anpu_layout){ ANPU_POINTER_IN, offsetof(struct drm_anpu_submit, packets.array), 64 };
		return true;
	case _IOC_NR(DRM_IOCTL_ANPU_DEV_QUERY):
		*layout = (struct anpu_layout){ ANPU_POINTER_OUT, offsetof(struct drm_anpu_dev_query, pointer), 0 };
		return true;
	case _IOC_NR(DRM_IOCTL_ANPU_STREAM_GET_STATE):
		*layout = (struct anpu_layout){ ANPU_POINTER_OUT,
						offsetof(struct drm_anpu_stream_get_state, fault), 0 };
		return true;
	case _IOC_NR(DRM_IOCTL_ANPU_BO_CREATE):
	case _IOC_NR(DRM_IOCTL_ANPU_BO_MMAP_OFFSET):
	case _IOC_NR(DRM_IOCTL_ANPU_STREAM_CREATE):
	case _IOC_NR(DRM_IOCTL_ANPU_STREAM_DESTROY):
	case _IOC_NR(DRM_IOCTL_ANPU_STREAM_SET):
	case _IOC_NR(DRM_IOCTL_ANPU_SUBMIT_JOB):
	case _IOC_NR(DRM_IOCTL_ANPU_EVENT_SUBSCRIBE):
	case _IOC_NR(DRM_IOCTL_ANPU_RESET):
	case _IOC_NR(DRM_IOCTL_GEM_CLOSE):
	case _IOC_NR(DRM_IOCTL_PRIME_HANDLE_TO_FD):
	case _IOC_NR(DRM_IOCTL_PRIME_FD_TO_HANDLE):
		return true;
	}
	return false;
#undef IN
}

union control {
	struct cmsghdr head;
	char room[CMSG_SPACE(sizeof(int))];
};

int anpu_send(int socket, const struct iovec *parts, int n, int fd)
{
	union control control = { 0 };
	struct msghdr msg = { .msg_iov = (struct iovec *)parts, .msg_iovlen = n };

	if (fd >= 0) {
		control.head = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET,
						 .cmsg_type = SCM_RIGHTS };
		memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_LEN(sizeof(int));
	}
	while (sendmsg(socket, &msg, MSG_NOSIGNAL) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

/* The room is for one descriptor: the kernel closes what there is more of */
static int take_fd(struct msghdr *msg)
{
	struct cmsghdr *head = CMSG_FIRSTHDR(msg);
	int fd = -1;

	if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
	    head->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&fd, CMSG_DATA(head), sizeof(fd));
	return fd;
}

ssize_t anpu_receive(int socket, const struct iovec *parts, int n, int *fd)
{
	union control control;
	struct msghdr msg = { .msg_iov = (struct iovec *)parts, .msg_iovlen = n };
	ssize_t got;

	do {
		msg.msg_control = fd ? &control : NULL;
		/* room for one descriptor, and not for a second that alignment would let in */
		msg.msg_controllen = fd ? CMSG_LEN(sizeof(int)) : 0;
		got = recvmsg(socket, &msg, MSG_CMSG_CLOEXEC);
	} while (got < 0 && errno == EINTR);
	if (fd)
		*fd = got < 0 ? -1 : take_fd(&msg);
	if (got >= 0 && msg.msg_flags & MSG_TRUNC)
		got = -EMSGSIZE;
	return got == -1 ? -errno : got;
}

/* A directory that nobody else can write to */
static int own_directory(const char *path)
{
	struct stat st;

	if (mkdir(path, 0700) && errno != EEXIST)
		return -errno;
	if (lstat(path, &st))
		return -errno;
	return S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 022) ? 0 : -EPERM;
}

int anpu_server_address(const char *path, struct sockaddr_un *address, char *text, size_t size)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	char place[sizeof(address->sun_path)];
	int err = 0, n;

	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (path && *path) {
		n = snprintf(place, sizeof(place), "%s", path);
	} else if (runtime && *runtime == '/' && !access(runtime, W_OK)) {
		n = snprintf(place, sizeof(place), "%s/anpu-server", runtime);
	} else {
		n = snprintf(place, sizeof(place), "/tmp/anpu-%u", (unsigned int)geteuid());
		err = own_directory(place);
		n += snprintf(place + n, sizeof(place) - n, "/server");
	}
	if (err)
		snprintf(text, size, "the directory of %s is not this user's own: %s", place, strerror(-err));
	else if (n >= (int)sizeof(place))
		snprintf(text, size, "the path of a socket has at most %d characters, %.60s... has %d",
			 (int)sizeof(place) - 1, path, n);
	else
		snprintf(text, size, "%s", place);
	if (err || n >= (int)sizeof(place))
		return err ? err : -ENAMETOOLONG;
	memcpy(address->sun_path, place, n + 1);
	return 0;
}
