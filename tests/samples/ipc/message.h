/* SPDX-License-Identifier: MIT */
/* The messages that the two programs exchange through a local socket. */
#ifndef MESSAGE_H
#define MESSAGE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { KEY_SIZE = 65, WORDS = 1024 };

static inline void message_failed(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

static inline struct sockaddr_un message_address(const char *path)
{
	struct sockaddr_un address = { AF_UNIX, "" };

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	return address;
}

static inline void message_send(int fd, const void *data, size_t size)
{
	if (write(fd, data, size) != (ssize_t)size)
		message_failed("telling the other program");
}

static inline void message_receive(int fd, void *data, size_t size)
{
	if (recv(fd, data, size, MSG_WAITALL) != (ssize_t)size)
		message_failed("hearing from the other program");
}

#endif /* MESSAGE_H */
