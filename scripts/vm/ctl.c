// SPDX-License-Identifier: MIT
/* The control port: frames from and to scripts/anpu-run. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "init.h"

#define FRAME_MAX	(64u << 20)

static int ctl = -1;

void ctl_open(void)
{
	/* The kernel finds the ports after it has started init: wait for the last one. */
	while (access(VM_PORT_ERR, F_OK))
		usleep(1000);
	ctl = open(VM_PORT_CTL, O_RDWR | O_CLOEXEC);
	if (ctl < 0)
		fail(125, "cannot open %s: %s", VM_PORT_CTL, strerror(errno));
}

int ctl_fd(void)
{
	return ctl;
}

/**
 * write_all() - write everything, waiting as long as it takes
 * @fd: descriptor, blocking or not
 * @data: bytes to write
 * @len: how many
 */
void write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EAGAIN) {
			struct pollfd pfd = { .fd = fd, .events = POLLOUT };

			poll(&pfd, 1, -1);
		} else if (n < 0 && errno != EINTR) {
			return;		/* the host is gone, and with it soon this VM */
		} else if (n > 0) {
			p += n;
			len -= n;
		}
	}
}

void ctl_send(enum vm_frame_type type, const void *data, size_t len)
{
	struct vm_frame frame = { .type = type, .len = len };
	char buf[sizeof(frame) + 4096];

	if (ctl < 0)
		return;
	if (len > sizeof(buf) - sizeof(frame)) {
		len = sizeof(buf) - sizeof(frame);
		frame.len = len;
	}
	memcpy(buf, &frame, sizeof(frame));
	if (len)
		memcpy(buf + sizeof(frame), data, len);
	write_all(ctl, buf, sizeof(frame) + len);
}

/* Returns false when the host has closed the port and nothing is left to read. */
static bool read_all(void *data, size_t len)
{
	static bool connected;
	char *p = data;

	while (len) {
		ssize_t n = read(ctl, p, len);

		if (n > 0) {
			connected = true;
			p += n;
			len -= n;
		} else if (n == 0) {
			/* Until the host's "open" message arrives, a port seems closed. */
			if (connected)
				return false;
			usleep(1000);
		} else if (errno != EINTR) {
			return false;
		}
	}
	return true;
}

/**
 * ctl_receive() - read one frame
 * @type: its type
 * @len: bytes in it
 *
 * Return: the payload with a NUL behind it, to be freed by the caller, or NULL when the host hung
 * up.
 */
char *ctl_receive(enum vm_frame_type *type, size_t *len)
{
	struct vm_frame frame;
	char *data;

	if (!read_all(&frame, sizeof(frame)) || frame.len > FRAME_MAX)
		return NULL;
	data = malloc(frame.len + 1);
	if (!data || !read_all(data, frame.len)) {
		free(data);
		return NULL;
	}
	data[frame.len] = '\0';
	*type = frame.type;
	*len = frame.len;
	return data;
}

/**
 * ctl_wait_closed() - wait until the host has read everything and hung up
 *
 * However slowly it reads: what the ports still hold would be lost with the machine.
 */
void ctl_wait_closed(void)
{
	struct pollfd pfd = { .fd = ctl };

	while (poll(&pfd, 1, 0) != 1 || !(pfd.revents & POLLHUP))
		usleep(10000);
}
