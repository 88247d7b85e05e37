/* SPDX-License-Identifier: MIT */
/*
 * The messages between a client and anpu-server, over a socket (SOCK_SEQPACKET).
 *
 * A process connects once to ask (struct hello with node ANPU_ASK) and once for each node that it opens.
 * The connection of a node carries doorbells, which nobody answers, and asks for channels: sockets
 * that the server makes, on which one call at a time is made and answered, so a call that waits is in
 * the way of no other. The end of the connection is the end of the open node.
 *
 * Both sides are of one build: another version is refused. A server believes nothing that it reads.
 */
#ifndef ANPU_PROTOCOL_H
#define ANPU_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/un.h>

#include <drm/anpu_accel.h>

#define ANPU_HELLO_MAGIC	0x55504e41534552ULL
#define ANPU_PROTOCOL		3
#define ANPU_ASK		0xffffffffU
#define ANPU_TEXT_MAX		1024
#define ANPU_GDB_MAX		64

/* Largest argument of an ioctl; more bytes that a call brings along or gets, all operations of a VM_BIND */
#define ANPU_ARG_MAX		256
#define ANPU_DATA_MAX		(176U << 10)
/* A message that the kernel's limit for senders lets through */
#define ANPU_MESSAGE_MAX	(ANPU_DATA_MAX + 1024)

/**
 * struct anpu_hello - the first message of a connection
 * @devices: what the process's ANPU_DIRECT is, empty: whatever the server has
 * @gdb: what its ANPU_GDB is, likewise
 */
struct anpu_hello {
	uint64_t magic;
	uint32_t protocol;
	uint32_t node;
	char devices[ANPU_TEXT_MAX];
	char gdb[ANPU_GDB_MAX];
};

/**
 * struct anpu_welcome - its answer; for a node with the descriptor that polls
 * @error: 0 or -errno
 * @nodes: of the server, as a mask
 * @why: a sentence about @error
 * @names: what programs are told of the node
 * @gdb_port: of the node, where gdb can come, 0: it cannot
 */
struct anpu_welcome {
	int64_t error;
	uint64_t nodes;
	char why[ANPU_TEXT_MAX];
	struct drm_anpu_names names;
	uint32_t gdb_port;
	uint32_t pad;
};

enum anpu_note_kind { ANPU_NOTE_CHANNEL, ANPU_NOTE_BELL };

/* On the connection of a node */
struct anpu_note {
	uint32_t kind;
	uint32_t queue;
	uint64_t wptr;
};

enum anpu_call_kind { ANPU_CALL_IOCTL, ANPU_CALL_MMAP, ANPU_CALL_READ, ANPU_CALL_PIECE };

/**
 * struct anpu_call - on a channel, followed by @arg bytes of argument and by data
 * @number: IOCTL: the request; MMAP: offset; READ: bytes wanted
 * @size: MMAP: bytes; IOCTL: room for what is written behind a pointer
 */
struct anpu_call {
	uint32_t kind;
	uint32_t arg;
	uint64_t number;
	uint64_t size;
	int32_t prot;
	int32_t flags;
};

/**
 * struct anpu_reply - followed by the argument, and by data
 * @result: 0, bytes, or -errno; a call that failed may have an argument
 * @at: MMAP: offset in the descriptor that comes along; without one the client maps pages of its own.
 *	GEM_CLOSE: 1 if something else still uses the object, such as a mapping of the device's
 */
struct anpu_reply {
	int64_t result;
	uint32_t arg;
	uint32_t pad;
	uint64_t at;
};

/**
 * struct anpu_piece - the argument of a PIECE, with a descriptor: a part of an object of the program's memory
 * @handle: of the object, which BO_CREATE has made without any memory
 * @offset: in the object; @at: in the file; @size: bytes; all of whole pages
 */
struct anpu_piece {
	uint32_t handle;
	uint32_t pad;
	uint64_t offset;
	uint64_t at;
	uint64_t size;
};

/* Direction of the pointer in the argument of an ioctl, from the program's side */
enum anpu_pointer { ANPU_NO_POINTER, ANPU_POINTER_IN, ANPU_POINTER_OUT };

struct anpu_layout {
	enum anpu_pointer kind;
	size_t at;		/* of the pointer in the argument */
	size_t element;		/* IN: bytes of an element of the struct drm_anpu_array there */
};

/* The layout of a request's argument; false if the server does not serve the request */
bool anpu_layout(unsigned long request, struct anpu_layout *layout);

/* Sends one message, with a descriptor if @fd is not -1; 0 or -errno */
int anpu_send(int socket, const struct iovec *parts, int n, int fd);
/*
 * Receives one message. Returns its size, 0 if the other side has closed the socket, or -errno. @fd gets the
 * descriptor that came with it, or -1; with @fd NULL the kernel drops a descriptor
 */
ssize_t anpu_receive(int socket, const struct iovec *parts, int n, int *fd);
/* The address of the server's socket; 0 or -errno. @text gets its path, or the reason for the error */
int anpu_server_address(const char *path, struct sockaddr_un *address, char *text, size_t size);

#endif /* ANPU_PROTOCOL_H */
