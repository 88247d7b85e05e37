/* SPDX-License-Identifier: MIT */
/* Sockets between machines, see net.c. */
#ifndef HCCL_NET_H
#define HCCL_NET_H

#include "hccl_inside.h"

/* This machine's address for others; empty: it has none */
HcclResult hccl_net_own(char ip[HCCL_IP]);
/* The address that @name is, or that the machine of that name has (HCCL_SOCKET_FAMILY); false: none is known */
bool hccl_net_lookup(const char *name, char ip[HCCL_IP]);
/* The interface that the environment asks for; false: it says nothing of that */
bool hccl_net_interface(char name[64]);
/* Sockets, or -1 with errno. @port 0: any, and becomes the one that it is */
int hccl_net_listen(const char *ip, uint16_t *port);
int hccl_net_connect(const char *ip, uint16_t port);
int hccl_net_accept(int listener);
/* At a port that the environment allows for root infos, which becomes @port */
HcclResult hccl_net_listen_free(const char *ip, uint16_t *port, int *fd);

/* whitelist.c: is what the environment says of it right */
HcclResult hccl_whitelist_check(void);
/* May the other end connect; false: @why */
bool hccl_whitelist_allows(int fd, char why[HCCL_TEXT]);

#endif
