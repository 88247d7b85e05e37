/* SPDX-License-Identifier: MIT */
/* The client of anpu-server: declarations that its source files share. */
#ifndef ANPU_REMOTE_H
#define ANPU_REMOTE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <drm/anpu_accel.h>

#include "remote/protocol.h"

/**
 * struct remote - an open node of the server's
 * @fd: what the program has as its descriptor: readable while there are events
 * @names: what the server says that it is called
 * @socket: the connection, -1 in a child of fork(), which makes one of its own when it has a use for it
 * @lock: of the connection's questions, and of the channels
 * @channel: all channels, @n; @idle: those that no call is on, @n_idle
 */
struct remote {
	struct remote *next_free;
	unsigned int number;
	struct drm_anpu_names names;
	int fd;
	int socket;
	unsigned int refs;
	pthread_mutex_t lock;
	int *channel, *idle;
	unsigned int n, n_idle, max;
};

/* A connection (dial.c): the socket, or -errno; for a node with its descriptor. @w: what the server said */
int remote_dial(uint32_t node, struct anpu_welcome *w, int *fd);

/* One call (call.c): @parts of the question, @n; the answer goes to @reply and @room, @m: 0 or -errno */
int remote_call(struct remote *r, const struct iovec *parts, int n, int fd, struct anpu_reply *reply,
		const struct iovec *room, int m, int *got_fd, size_t *got);
/* Is the request answered without the server? */
bool remote_knows(unsigned long request, const void *arg);
int remote_ioctl(struct remote *r, unsigned long request, void *arg);

/*
 * Memory of the program (pages.c): fills the object @handle, which has been made, with the pages of a range;
 * 0 or -errno, and then the object is to be closed
 */
int pages_fill(struct remote *r, uint32_t handle, const struct drm_anpu_bo_create *args);
/* The object has been closed; @used: the device may still use its memory */
void pages_closed(struct remote *r, uint32_t handle, bool used);
/* The node has been closed */
void pages_forget(struct remote *r);
/* Around fork() */
void pages_before_fork(void);
void pages_after_fork(bool child);

#endif /* ANPU_REMOTE_H */
