/* SPDX-License-Identifier: MIT */
/*
 * How `anpu-smi hang PID` asks a program what its streams and threads wait for. libacl keeps a file in memory (memfd) of this
 * layout, named ANPU_HANG_NAME, while a device is open. Who may open /proc/PID/fd (the same user, root) finds it there, and
 * opens the pipe whose number it has, too. A byte that is written into the pipe is answered by a report in the file.
 */
#ifndef ANPU_HANG_REPORT_H
#define ANPU_HANG_REPORT_H

#include <stdint.h>

#define ANPU_HANG_NAME		"anpu-hang-report"
#define ANPU_HANG_MAGIC		0x474e41484e504eULL
#define ANPU_HANG_VERSION	1
/** ANPU_HANG_SIZE - bytes of the file */
#define ANPU_HANG_SIZE		(1U << 20)

/**
 * struct anpu_hang_report - the beginning of the file, the text follows
 * @pid: of the process, as that sees its number
 * @pipe: descriptor of the pipe's end that is written to, in the process
 * @turn: odd while a report is being written; twice the number of reports
 * @size: bytes of the latest text
 */
struct anpu_hang_report {
	uint64_t magic;
	uint32_t version;
	uint32_t pid;
	int32_t pipe;
	uint32_t turn;
	uint32_t size;
	uint32_t reserved;
};

_Static_assert(sizeof(struct anpu_hang_report) == 32, "layout of the report");

#endif /* ANPU_HANG_REPORT_H */
