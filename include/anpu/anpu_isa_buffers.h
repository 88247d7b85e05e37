/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A library of operators tells the checking mode of buffers in scratchpads by bits of addresses: see isa.md, Buffers. */
#ifndef ANPU_ISA_BUFFERS_H
#define ANPU_ISA_BUFFERS_H

/**
 * ANPU_OUTSIDE - bit of an address below 4 GiB that is set, in the checking mode, in the address of a part of a tensor that
 * does not begin inside of the tensor's buffer: no window is there, and the fault says so
 */
#define ANPU_OUTSIDE	0x40000000

#endif /* ANPU_ISA_BUFFERS_H */
