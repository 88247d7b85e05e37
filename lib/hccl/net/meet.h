/* SPDX-License-Identifier: MIT */
/*
 * Messages between ranks and root over a socket of this machine whose messages have ends (SOCK_SEQPACKET), or over
 * TCP between machines.
 *
 *	rank -> root  HELLO; EXCHANGE with data, as often as wanted; FAIL with a sentence; BYE
 *	root -> rank  WELCOME with shared memory, when all have come, or REFUSED with a code and a sentence;
 *		      EXCHANGE with everybody's data; FAIL with a sentence; BYE: no rank of the root's process is
 *		      left, so its end is no failure. A code in WELCOME says so from the beginning; without one, rank
 *		      and pid are those of the first rank there
 */
#ifndef HCCL_MEET_H
#define HCCL_MEET_H

#include "hccl_inside.h"

#define MEET_MAGIC   0x6c636348U
#define MEET_VERSION 3
/* Bytes of one rank's data in an exchange */
#define MEET_DATA    256

/* The code of a MEET_FAIL for a rank that ended: what others do already may need nothing more of it */
#define MEET_ENDED HCCL_E_UNAVAIL

enum meet_kind { MEET_HELLO = 1, MEET_WELCOME, MEET_REFUSED, MEET_EXCHANGE, MEET_FAIL, MEET_BYE };

struct meet_message {
	uint32_t magic, version, kind, code;
	uint8_t job[16];
	uint32_t ranks, rank;
	uint64_t shared; /* bytes of each rank in the memory of all; of EXCHANGE: bytes behind the message */
	int64_t pid;
	uint32_t size;	 /* of data[] that counts */
	uint32_t pad;
	char data[HCCL_TEXT]; /* a sentence or what is exchanged */
};

/* Into @addr for an abstract name; its length */
unsigned int meet_sockaddr(const struct hccl_address *a, void *addr);

#endif
