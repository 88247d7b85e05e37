// SPDX-License-Identifier: MIT
/*
 * LD_PRELOAD: programs that use /dev/accel/accelN by system calls, such as the driver's own tests, find
 * the direct engine there, or anpu-server with ANPU_DEVICE=server. What they do with other files goes to the C library.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <anpu/anpu_engine.h>

#define MAX_FDS 65536

static const struct anpu_engine *engine;
static bool nodes[MAX_FDS];
/* The engine itself calls these functions, too, for files of its own */
static __thread int inside;

#define ENGINE(call) do { inside++; call; inside--; } while (0)

#define REAL(name) ({                                                     \
	static __typeof__(&name) real_;                                  \
	if (!real_)                                                      \
		real_ = (__typeof__(&name))dlsym(RTLD_NEXT, #name);      \
	real_;                                                           \
})

__attribute__((constructor)) static void load(void)
{
	void *library = dlopen(ANPU_DIRECT_LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	const struct anpu_engine *(*get)(void);
	const char *wish = getenv("ANPU_DEVICE");
	bool server = wish && !strncmp(wish, "server", 6);

	if (!library) {
		fprintf(stderr, "interpose: %s\n", dlerror());
		_exit(125);
	}
	get = (const struct anpu_engine *(*)(void))dlsym(library, server ? ANPU_SERVER_SYMBOL : ANPU_DIRECT_SYMBOL);
	engine = get();
}

static int is_node(int fd)
{
	return !inside && fd >= 0 && fd < MAX_FDS && nodes[fd];
}

static int open_node(const char *path, int flags)
{
	unsigned int number;
	char end;
	int fd;

	if (inside || sscanf(path, "/dev/accel/accel%u%c", &number, &end) != 1)
		return -2;
	ENGINE(fd = engine->open(number));
	if (fd < 0) {
		errno = -fd;
		return -1;
	}
	if (flags & O_NONBLOCK)
		(void)fcntl(fd, F_SETFL, O_NONBLOCK);
	nodes[fd] = true;
	return fd;
}

static int open_any(const char *path, int flags, mode_t mode, int (*real)(const char *, int, ...))
{
	int fd = open_node(path, flags);

	return fd == -2 ? real(path, flags, mode) : fd;
}

#define MODE(flags) ({                                  \
	mode_t mode_ = 0;                              \
	if ((flags) & (O_CREAT | __O_TMPFILE)) {        \
		va_list ap_;                           \
		va_start(ap_, flags);                  \
		mode_ = va_arg(ap_, mode_t);           \
		va_end(ap_);                           \
	}                                              \
	mode_;                                         \
})

int open(const char *path, int flags, ...)
{
	return open_any(path, flags, MODE(flags), REAL(open));
}

int open64(const char *path, int flags, ...)
{
	return open_any(path, flags, MODE(flags), REAL(open64));
}

int close(int fd)
{
	if (!is_node(fd))
		return REAL(close)(fd);
	nodes[fd] = false;
	ENGINE(engine->close(fd));
	return 0;
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	void *arg;
	int ret;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (!is_node(fd))
		return REAL(ioctl)(fd, request, arg);
	ENGINE(ret = engine->ioctl(fd, request, arg));
	if (!ret)
		return 0;
	errno = -ret;
	return -1;
}

/* A descriptor of the engine's own file is mapped by the engine: the file itself may only stand for memory */
static int is_dmabuf(int fd)
{
	char path[64], name[64] = "";

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return readlink(path, name, sizeof(name) - 1) > 0 && !strncmp(name, "/memfd:anpu-hbm-object", 22);
}

static void *map(void *addr, size_t size, int prot, int flags, int fd, off_t offset,
		 __typeof__(&mmap) real)
{
	void *p;

	if (!engine || inside || flags & MAP_ANONYMOUS || (!is_node(fd) && !is_dmabuf(fd)))
		return real(addr, size, prot, flags, fd, offset);
	ENGINE(p = engine->mmap(addr, size, prot, flags, fd, offset));
	return p;
}

void *mmap(void *addr, size_t size, int prot, int flags, int fd, off_t offset)
{
	return map(addr, size, prot, flags, fd, offset, REAL(mmap));
}

void *mmap64(void *addr, size_t size, int prot, int flags, int fd, off_t offset)
{
	return map(addr, size, prot, flags, fd, offset, REAL(mmap64));
}

int munmap(void *addr, size_t size)
{
	int ret;

	if (!engine || inside)
		return REAL(munmap)(addr, size);
	ENGINE(ret = engine->munmap(addr, size));
	if (!ret)
		return 0;
	errno = -ret;
	return -1;
}

ssize_t read(int fd, void *buf, size_t size)
{
	ssize_t n;

	if (!is_node(fd))
		return REAL(read)(fd, buf, size);
	ENGINE(n = engine->read(fd, buf, size));
	if (n >= 0)
		return n;
	errno = (int)-n;
	return -1;
}
