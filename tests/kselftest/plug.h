/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Asks the host to do something to the device by a file in the current directory, which it removes when it is done; see
 * plug.py.
 */
#ifndef ANPU_PLUG_H
#define ANPU_PLUG_H

#include "anpu_test.h"

/* @what is "unplug", "plug", or "aer" with the error's name as @text. It appears there with its text, and at once. */
static inline int ask_host(const char *what, const char *text)
{
	char name[32];
	int fd, len = strlen(text);

	snprintf(name, sizeof(name), "%s.new", what);
	fd = open(name, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	if (write(fd, text, len) != len || close(fd) || rename(name, what))
		return -errno;
	return SOON(access(what, F_OK)) ? 0 : -ETIME;
}

#endif /* ANPU_PLUG_H */
