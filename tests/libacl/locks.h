/* SPDX-License-Identifier: MIT */
/* Locks that the program and the libraries take, see locks.c */
#ifndef LOCKS_H
#define LOCKS_H

#include <pthread.h>

/* How many this thread has; 0 where the C library's functions have no place before them */
int locks_held(void);

#endif /* LOCKS_H */
