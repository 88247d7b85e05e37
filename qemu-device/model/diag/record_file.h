/* SPDX-License-Identifier: MIT */
/*
 * Files of recorded runs (diag/record.c writes them, anpu-replay reads them). Documentation/replay.md tells what they are for.
 *
 * A file is a struct record_head and records, each a struct record_part and its bytes. Words are little-endian. Memory
 * starts as zeros; a PAGE is what a page has when the next task begins, if that is not what the tasks before left there.
 */
#ifndef ANPU_MODEL_RECORD_FILE_H
#define ANPU_MODEL_RECORD_FILE_H

#include <stdint.h>
#include <string.h>

#include <anpu/anpu_packet.h>

#define RECORD_MAGIC	"ANPUREC1"
#define RECORD_PAGE	4096ULL
/* An address of memory: of the HBM, or with this bit a DMA address of the host's */
#define RECORD_SYSTEM	(1ULL << 63)

enum record_kind {
	RECORD_MAP = 1,	/* u64 address space, then struct record_leaf for each of its leaves */
	RECORD_PAGE_IS,	/* u64 address, and the page; without a page it is all zeros */
	RECORD_TASK,	/* struct record_task */
	RECORD_SYNC,	/* struct record_task of a packet that is no task: told, not replayed */
	RECORD_CHANGED,	/* struct record_change for each page that the task has changed */
	RECORD_DONE	/* struct record_done: the end of the task */
};

struct record_head {
	char magic[8];
	uint64_t hbm_size;
	uint32_t cores;
	uint32_t queues;
	uint32_t asids;
	uint32_t check;
	uint32_t jit;
	uint32_t reserved;
};

struct record_part {
	uint32_t kind;
	uint32_t reserved;
	uint64_t size;
};

struct record_leaf {
	uint64_t va, pte, size;
};

struct record_task {
	uint64_t seq;
	uint64_t clock;		/* device clock when it began; what it reads of the clock counts from there */
	uint64_t print, overflow;
	uint32_t queue, asid;
	union anpu_packet pkt;
};

struct record_change {
	uint64_t addr, hash;
};

#define RECORD_OVERLAPPED	1U	/* another task was under way: whose change is whose is not known */
#define RECORD_UNREPEATABLE	2U	/* time ended it: PAGE_IS records in front have what it left */

struct record_done {
	uint32_t cause;
	uint32_t flags;
	uint64_t took;		/* nanoseconds */
};

/* Of a page; good enough that two pages with one hash are the same page */
static inline uint64_t record_hash(const void *page)
{
	uint64_t lane[4] = { 1, 2, 3, 4 }, w[4];

	for (unsigned int i = 0; i < RECORD_PAGE; i += sizeof(w)) {
		memcpy(w, (const char *)page + i, sizeof(w));
		for (unsigned int k = 0; k < 4; k++) {
			lane[k] = (lane[k] ^ w[k]) * 0x9e3779b97f4a7c15ULL;
			lane[k] ^= lane[k] >> 29;
		}
	}
	for (unsigned int k = 1; k < 4; k++)
		lane[0] = (lane[0] ^ lane[k]) * 0xbf58476d1ce4e5b9ULL + (lane[0] >> 31);
	return lane[0];
}

#endif /* ANPU_MODEL_RECORD_FILE_H */
