/* SPDX-License-Identifier: MIT */
/* anpu-server: what its parts know of each other. */
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

/* A thread of its own that answers the client, and ends it; takes over the socket. 0 or -errno */
int client_begin(int socket);
/* How many there are; @ended: a descriptor that polls readable after one has ended */
unsigned int client_count(void);
extern int client_ended;

/*
 * The kernel gives back what a process had before it is gone for its parent. This waits until all whose
 * processes are gone have been given back here, so that who comes or looks after them finds it so.
 */
void clients_settle(const struct client *but);

/* One more channel: the client's end of it, or -errno */
int channel_make(struct client *c);
/* All calls end, and no channel is left */
void channels_end(struct client *c);

/* A thread without signals that nobody joins; 0 or -errno */
int server_thread(void *(*run)(void *arg), void *arg);

#endif /* ANPU_SERVER_H */
