/* SPDX-License-Identifier: MIT */
/* Binaries of operators, and their functions. */
#ifndef ANPU_BINARY_H
#define ANPU_BINARY_H

#include "stream/stream.h"

struct anpu_image;

struct anpu_binary {
	struct acl_obj obj;
	pthread_mutex_t lock;
	struct anpu_image *image;   /* parsed, see elf.h */
	struct anpu_region *region; /* NULL until it is on the device */
	uint64_t base;		    /* address of the image's address 0 */
	char *name;		    /* file name, for messages */
	struct anpu_func *funcs;    /* given out, each with a reference */
	uint64_t serial;	    /* a later one was loaded later */
	struct anpu_region *listed; /* codelist.c: what a debugger is told, NULL: nothing */
	struct anpu_binary *next_listed;
	aclrtOpExceptionCallback on_exception; /* diag/exception.c: under its lock */
	void *on_exception_data;
	bool ended;
};

struct anpu_func {
	struct acl_obj obj;
	struct anpu_binary *binary; /* referenced */
	uint64_t entry;
	uint8_t core_type; /* enum anpu_core_type */
	uint8_t mix_ratio;
	uint8_t sched_mode;
	int32_t aiv_entry;
	uint32_t threads;     /* most of a block; 0: it has none */
	uint32_t shared_size; /* bytes of static shared variables */
	uint32_t cluster[3];  /* blocks of a cluster that it is written for; 0: any */
	uint32_t args_size; /* bytes that its parameters need, 0: unknown */
	uint32_t param_count;
	const uint8_t *params; /* records in the image */
	uint64_t code_size;
	uint64_t aiv_size; /* of a pair's vector part */
	char *name;
	struct anpu_func *next; /* of the same binary */
};

/* Ends a binary that is out of the registry: its functions, its memory. Drops a reference */
void anpu_binary_end(struct anpu_binary *bin);
/* The device ends, and its binaries */
void anpu_binaries_end(struct anpu_device *dev);
/* "name+0x10 in file.o" for an address in a loaded binary, with @bare a kernel's name; else "" */
void anpu_symbolise(struct anpu_device *dev, uint64_t addr, char *buf, size_t n, bool bare);
/* The arguments of gdb's add-symbol-file for the binary that has an address, or "" */
void anpu_code_base(struct anpu_device *dev, uint64_t addr, char *buf, size_t n);
/* "f() at a.c:3, inlined into g() at a.c:9" for an address in a binary that has lines; else "" */
void anpu_code_lines(struct anpu_device *dev, uint64_t addr, char *buf, size_t n);

/* codelist.c: tells a debugger of the device where the file is, if there may be one; and that it is not there any more */
void anpu_code_list_add(struct anpu_binary *bin);
void anpu_code_list_remove(struct anpu_device *dev, struct anpu_binary *bin);
/* The device is released */
void anpu_code_list_free(struct anpu_device *dev);

/* Start and size of the variable in the binary's region that holds @va. Device locked */
bool anpu_binary_variable(const struct anpu_region *region, uint64_t va, uint64_t *base,
			  uint64_t *size);
/* Address and size of a variable of the binary; uploads it. *va is 0 if it has none of that name */
aclError anpu_binary_global(struct anpu_binary *bin, const char *name, uint64_t *va, uint64_t *size,
			    bool *writable);
/* The handle of the binary's kernel of that name */
aclError anpu_binary_function(struct anpu_binary *bin, const char *name, aclrtFuncHandle *func);
/* Has the binary a kernel of that name */
bool anpu_binary_has_kernel(struct anpu_binary *bin, const char *name);

/* hostsym.c: the name of what the program itself has at an address; false if it has none */
bool anpu_host_symbol(const void *ptr, char *name, size_t size);

#endif /* ANPU_BINARY_H */
