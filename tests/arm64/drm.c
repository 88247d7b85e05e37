// SPDX-License-Identifier: MIT
/* The one function of libdrm that libacl uses, for machines that are built for without a libdrm of theirs. */
#include <errno.h>
#include <sys/ioctl.h>

int drmIoctl(int fd, unsigned long request, void *arg);

int drmIoctl(int fd, unsigned long request, void *arg)
{
	int ret;

	do {
		ret = ioctl(fd, request, arg);
	} while (ret == -1 && (errno == EINTR || errno == EAGAIN));
	return ret;
}
