/* SPDX-License-Identifier: MIT */
/*
 * A device of the direct engine tells other processes of the same user about itself by a file in memory (memfd) named
 * ANPU_LIST_NAME for each device, which the process or the server that has the device writes and lib/direct/list reads by
 * /proc/PID/fd. The file ends with its process, however that ends, and the kernel decides who may open it: the same user
 * and root. Counters of queues that exist stand in their status pages, of which the list says in which files they are.
 *
 * Layout: struct anpu_list_device, @files times struct anpu_list_file, @queues times struct anpu_list_queue.
 */
#ifndef ANPU_DEVICE_LIST_H
#define ANPU_DEVICE_LIST_H

#include <stdint.h>

#define ANPU_LIST_NAME		"anpu-device-list"
#define ANPU_LIST_MAGIC		0x545349414e504eULL
/** ANPU_LIST_VERSION - of this layout; a reader tells another one as such and shows nothing of it */
#define ANPU_LIST_VERSION	1

/** enum anpu_list_state - a device works; it does not do what it has to do; it is gone by a plan of faults */
enum anpu_list_state { ANPU_LIST_OK, ANPU_LIST_WEDGED, ANPU_LIST_GONE };

/**
 * struct anpu_list_work - sums of counters of struct anpu_queue_status, of queues that have ended
 * @cube_ns, @vector_ns, @busy_ns, @completed, @errors: as there
 */
struct anpu_list_work {
	uint64_t cube_ns;
	uint64_t vector_ns;
	uint64_t busy_ns;
	uint64_t completed;
	uint64_t errors;
};

/**
 * struct anpu_list_device - a device
 * @turn: odd while the list is being changed; a reader that sees the same even number before and after has a whole one
 * @pid: of the process that writes the list, as that sees its number. A child of fork() has the file, too, and no device
 * @server: the process is anpu-server
 * @number: of the device in its process
 * @state: enum anpu_list_state
 * @vector_cores: of all AI cores together
 * @hw_version: register VERSION
 * @resets: so far
 * @hbm_total, @hbm_free: bytes
 * @soc: name that programs are told, or empty
 * @past: of files that have been closed
 */
struct anpu_list_device {
	uint64_t magic;
	uint32_t version;
	uint32_t turn;
	uint32_t pid;
	uint32_t server;
	uint32_t number;
	uint32_t state;
	uint32_t cores;
	uint32_t vector_cores;
	uint32_t queues;
	uint32_t files;
	uint64_t hw_version;
	uint32_t resets;
	uint32_t reserved;
	uint64_t hbm_total;
	uint64_t hbm_free;
	char soc[64];
	struct anpu_list_work past;
};

/**
 * struct anpu_list_file - an open node
 * @used: not 0: it is open
 * @pid: of its program
 * @hbm, @system: bytes of objects
 * @past: of streams that have ended
 */
struct anpu_list_file {
	uint32_t used;
	uint32_t pid;
	uint64_t hbm;
	uint64_t system;
	struct anpu_list_work past;
};

/**
 * struct anpu_list_place - where a page is
 * @fd: descriptor of a file in memory, in the process that writes the list
 * @at: offset in it
 */
struct anpu_list_place {
	int32_t fd;
	uint32_t reserved;
	uint64_t at;
};

/**
 * struct anpu_list_queue - a queue
 * @file: number of its file + 1; 0: it is not in use
 * @stream: identifier in that file
 * @priority: 0 is the highest
 * @status: struct anpu_queue_status; @control: struct anpu_queue_control
 */
struct anpu_list_queue {
	uint32_t file;
	uint32_t stream;
	uint32_t priority;
	uint32_t reserved;
	struct anpu_list_place status;
	struct anpu_list_place control;
};

static inline void anpu_list_work_add(struct anpu_list_work *to, const struct anpu_list_work *more)
{
	to->cube_ns += more->cube_ns;
	to->vector_ns += more->vector_ns;
	to->busy_ns += more->busy_ns;
	to->completed += more->completed;
	to->errors += more->errors;
}

_Static_assert(sizeof(struct anpu_list_work) == 40, "layout of the device list");
_Static_assert(sizeof(struct anpu_list_device) == 184, "layout of the device list");
_Static_assert(sizeof(struct anpu_list_file) == 64, "layout of the device list");
_Static_assert(sizeof(struct anpu_list_queue) == 48, "layout of the device list");

#endif /* ANPU_DEVICE_LIST_H */
