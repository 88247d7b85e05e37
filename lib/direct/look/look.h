/* SPDX-License-Identifier: MIT */
/* anpu-devices: what its two files share. */
#ifndef ANPU_LOOK_H
#define ANPU_LOOK_H

#include <stdint.h>

/* Where the proc of the machine is */
extern const char *root;

/* A descriptor of another process, named by its number in @fds, if it is a file in memory whose name begins so; -1 */
int open_memory(int fds, const char *number, const char *name);
/* The number that a process has for itself: the last one in its innermost name space */
uint32_t own_number(int pid);

/* Prints the report of <anpu/anpu_hang_report.h> of a process; the exit status */
int print_hang(const char *process);

#endif /* ANPU_LOOK_H */
