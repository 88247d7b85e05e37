/* SPDX-License-Identifier: MIT */
/* anpu-server: declarations that its source files share. */
#ifndef ANPU_SERVER_H
#define ANPU_SERVER_H

#include <pthread.h>
#include <stdbool.h>

#include "remote/protocol.h"

struct channel;

/**
 * struct client - an open node of a client, or a process that is there
 * @socket: the connection
 * @file: descriptor of the engine's, -1: none
 * @ending: it is going away; like @file and the list under a lock of client.c
 * @lock: of the channels; @none: there is none any more
 */
struct client {
	struct client *next, *prev;
	int socket;
	int file;
	bool ending;
	pthread_mutex_t lock;
	pthread_cond_t none;
	struct channel *channels;
	unsigned int n;
};

/* Starts a thread that serves the client until it hangs up; takes over the socket. 0 or -errno */
int client_begin(int socket);
/* The number of clients; client_ended is a descriptor that polls readable after one has ended */
unsigned int client_count(void);
extern int client_ended;

/*
 * Waits until the server has released everything of clients whose processes have ended. The kernel closes a process's
 * files before its parent sees it end, so the parent may count on memory being free again; here it may, too.
 */
void clients_settle(const struct client *but);

/* Makes another channel. Returns the client's end of it, or -errno */
int channel_make(struct client *c);
/* Ends all calls of a client and closes its channels */
void channels_end(struct client *c);

/* Starts a detached thread with all signals blocked; 0 or -errno */
int server_thread(void *(*run)(void *arg), void *arg);

#endif /* ANPU_SERVER_H */
