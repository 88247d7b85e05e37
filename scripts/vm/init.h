/* SPDX-License-Identifier: MIT */
/* What the files of the VM's init share. */
#ifndef ANPU_VM_INIT_H
#define ANPU_VM_INIT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "proto.h"

#define ARRAY_MAX	64

struct vm_module {
	const char *path;
	const char *params;
};

/* The program to run and its surroundings, decoded from VM_CONFIG. Strings point into the frame. */
struct vm_config {
	char **argv;
	char **envp;
	const char *cwd;
	const char *user;
	const char *module_dir;
	const char *tty;
	const char *time;
	const char *random;
	bool tty_stderr;
	int log_level;
	const char *shares[ARRAY_MAX];
	size_t nr_shares;
	struct vm_module modules[ARRAY_MAX];
	size_t nr_modules;
};

/* init.c */
void __attribute__((noreturn, format(printf, 2, 3))) fail(int status, const char *fmt, ...);

/* config.c */
void config_parse(struct vm_config *cfg, char *data, size_t len);

/* ctl.c */
void ctl_open(void);
int ctl_fd(void);
void ctl_send(enum vm_frame_type type, const void *data, size_t len);
char *ctl_receive(enum vm_frame_type *type, size_t *len);
void ctl_wait_closed(void);
void write_all(int fd, const void *data, size_t len);

/* renew.c */
uint64_t clock_ns(void);
void renew(const struct vm_config *cfg);

/* checks.c */
void checks_begin(void);
void checks_end(const struct vm_config *cfg);

/* run.c */
void run_program(const struct vm_config *cfg, struct vm_exit *result);

#endif /* ANPU_VM_INIT_H */
