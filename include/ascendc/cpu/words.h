/* SPDX-License-Identifier: MIT */
/* Words of operators for the host's own compiler, where a program declares a kernel that another file defines. */
#ifndef ASCENDC_CPU_WORDS_H
#define ASCENDC_CPU_WORDS_H

#include <stdint.h>

#ifndef __global__
#define __global__
#endif
#ifndef __aicore__
#define __aicore__
#endif
#ifndef __gm__
#define __gm__
#endif
#ifndef GM_ADDR
#define GM_ADDR	uint8_t *
#endif
#ifdef __FLT16_MAX__
typedef _Float16 half;
#endif

#endif
