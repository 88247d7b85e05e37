/* SPDX-License-Identifier: MIT */
/* What a device's first use asks of init.c */
#ifndef ANPU_INIT_H
#define ANPU_INIT_H

/** anpu_init_missing() - aclrtSetDevice(), in the checking mode: a finding if the program has not called aclInit() */
void anpu_init_missing(void);

#endif /* ANPU_INIT_H */
