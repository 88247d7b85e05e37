/* SPDX-License-Identifier: MIT */
/*
 * The conversation between scripts/anpu-run on the host and init in the VM.
 *
 * Four virtio-serial ports: a control port that carries frames, and one port per standard stream
 * that carries the stream's bytes and nothing else. The end of a stream is told on the control
 * port, as the number of bytes that went through the stream's port, so that it can neither overtake
 * the data nor get lost.
 *
 * scripts/vm/protocol.py has the same numbers; tests/vm runs both sides against each other.
 */
#ifndef ANPU_VM_PROTO_H
#define ANPU_VM_PROTO_H

#include <stdint.h>

#define VM_PORT_CTL	"/dev/vport0p1"
#define VM_PORT_IN	"/dev/vport0p2"
#define VM_PORT_OUT	"/dev/vport0p3"
#define VM_PORT_ERR	"/dev/vport0p4"

/* A frame: this header, then @len bytes. Little endian, as both sides are x86. */
struct vm_frame {
	uint32_t type;
	uint32_t len;
};

/*
 * VM_CONFIG is a list of NUL-terminated records whose first byte says what they are:
 *   a argument    e environment    c working directory    u user (name or uid[:gid])
 *   w "tag path"  share to mount writable at path
 *   m module to load               p parameters of the module before it
 *   M "release path"  directory to show as /lib/modules/release
 *   t "rows columns"  give the program a terminal         E the terminal is its standard error, too
 *   l console log level
 *   T "seconds nanoseconds"  the time of the host            R 32 random bytes, in hexadecimal digits
 */
enum vm_frame_type {
	/* host to guest */
	VM_CONFIG = 1,
	VM_SIGNAL = 2,		/* uint32_t: signal number */
	VM_WINSIZE = 3,		/* uint16_t rows, columns */
	VM_STDIN_EOF = 4,	/* uint64_t: bytes sent in all */
	VM_CLOSE = 5,		/* uint32_t: 1 or 2, nobody reads this stream any more */
	/* guest to host */
	VM_READY = 16,		/* init runs and waits for VM_CONFIG */
	VM_STARTED = 17,	/* the program runs */
	VM_EXIT = 18,		/* struct vm_exit */
	VM_FAIL = 19,		/* uint32_t exit status, then a sentence */
	VM_STDIN_CLOSED = 20,	/* the program reads no more */
};

struct vm_exit {
	uint32_t status;	/* 0..255, or 128 + signal */
	uint32_t tainted;	/* nonzero if the kernel oopsed or warned */
	uint64_t out_bytes;
	uint64_t err_bytes;
	uint64_t run_ns;	/* by the VM's clock, from VM_STARTED on */
};

#endif /* ANPU_VM_PROTO_H */
