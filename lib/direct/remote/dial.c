// SPDX-License-Identifier: MIT
/*
 * Finding the server, and starting it when there is none: the first process of a user does that, and the
 * server ends after the last one. A lock beside the socket keeps two from starting one each.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "direct.h"
#include "remote/remote.h"

#define PROGRAM "anpu-server"
/* A server that ends while somebody calls it hangs up: the next call finds a new one */
#define TRIES	20

extern char **environ;

static const char *socket_path(void)
{
	const char *wish = getenv("ANPU_DEVICE");

	return wish && !strncmp(wish, "server:", 7) ? wish + 7 : NULL;
}

/* Beside this library; in bin/ of the same prefix; or wherever programs are found */
static void find_program(char *path)
{
	static const char *const places[] = { "%.*s/" PROGRAM, "%.*s/../../bin/" PROGRAM };
	Dl_info here;
	const char *slash;

	copy_text(path, PATH_MAX, PROGRAM);
	if (!dladdr(&environ, &here) && !dladdr((const void *)(uintptr_t)socket_path, &here))
		return;
	(void)dladdr((const void *)(uintptr_t)socket_path, &here);
	slash = here.dli_fname ? strrchr(here.dli_fname, '/') : NULL;
	for (unsigned int i = 0; slash && i < ARRAY_SIZE(places); i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(path, PATH_MAX, places[i], (int)(slash - here.dli_fname), here.dli_fname);
#pragma GCC diagnostic pop
		if (!access(path, X_OK))
			return;
	}
	copy_text(path, PATH_MAX, PROGRAM);
}

/* The program becomes the server in a child of its own when it is ready, so this waits for that */
static int start_server(const char *where, char *why, size_t size)
{
	char program[PATH_MAX];
	char *argv[] = { program, "--daemon", "--socket", (char *)where, NULL };
	posix_spawnattr_t attr;
	sigset_t none, all;
	int err, status = 0;
	pid_t pid;

	find_program(program);
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
	err = posix_spawnp(&pid, program, NULL, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	if (err) {
		copy_text(why, size, "%s cannot be started: %s", program, strerror(err));
		return -err;
	}
	/* the program's own handler of SIGCHLD may have taken the status; connecting shows what it was */
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!status)
		return 0;
	copy_text(why, size, "%s did not start: run it by hand to see why: %s --socket %s", program, program, where);
	return -ECONNREFUSED;
}

static int try_connect(const struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	if (!connect(fd, (const struct sockaddr *)address, sizeof(*address)))
		return fd;
	close(fd);
	return -errno;
}

static bool is_missing(int err)
{
	return err == -ENOENT || err == -ECONNREFUSED;
}

static int connect_or_start(const struct sockaddr_un *address, char *why, size_t size)
{
	char lock[sizeof(address->sun_path) + 8];
	int fd = try_connect(address), held, err = 0;

	if (fd >= 0 || !is_missing(fd))
		return fd;
	copy_text(lock, sizeof(lock), "%s.lock", address->sun_path);
	held = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (held < 0) {
		err = -errno;
		copy_text(why, size, "%s cannot be made: %s", lock, strerror(-err));
		return err;
	}
	while (flock(held, LOCK_EX) && errno == EINTR)
		;
	fd = try_connect(address);
	if (is_missing(fd))
		err = start_server(address->sun_path, why, size);
	close(held);
	if (err)
		return err;
	return is_missing(fd) ? try_connect(address) : fd;
}

/* The server of somebody else, who may have been first in /tmp, is not used */
static bool is_own(int socket)
{
	struct ucred who;
	socklen_t size = sizeof(who);

	return !getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) && (who.uid == geteuid() || !who.uid);
}

static ssize_t greet(int socket, uint32_t node, struct anpu_welcome *w, int *fd)
{
	struct anpu_hello hello = { .magic = ANPU_HELLO_MAGIC, .protocol = ANPU_PROTOCOL, .node = node };
	const char *devices = getenv("ANPU_DIRECT"), *gdb = getenv("ANPU_GDB");
	struct iovec out = { &hello, sizeof(hello) }, in = { w, sizeof(*w) };
	int err;

	copy_text(hello.devices, sizeof(hello.devices), "%s", devices ? devices : "");
	copy_text(hello.gdb, sizeof(hello.gdb), "%s", gdb ? gdb : "");
	err = anpu_send(socket, &out, 1, -1);
	return err ? err : anpu_receive(socket, &in, 1, fd);
}

static int dial(uint32_t node, struct anpu_welcome *w, int *fd)
{
	struct sockaddr_un address;
	char where[ANPU_TEXT_MAX];
	int err, socket, got_fd = -1;
	ssize_t n = 0;

	*w = (struct anpu_welcome){ 0 };
	err = anpu_server_address(socket_path(), &address, where, sizeof(where));
	if (err) {
		copy_text(w->why, sizeof(w->why), "%s", where);
		return err;
	}
	for (int i = 0; i < TRIES; i++) {
		socket = connect_or_start(&address, w->why, sizeof(w->why));
		if (socket < 0) {
			if (!*w->why)
				copy_text(w->why, sizeof(w->why), "no connection to %s: %s", where, strerror(-socket));
			return socket;
		}
		if (!is_own(socket)) {
			close(socket);
			copy_text(w->why, sizeof(w->why), "%s belongs to another user", where);
			return -EPERM;
		}
		n = greet(socket, node, w, &got_fd);
		if (n == sizeof(*w) && !w->error && (node == ANPU_ASK || got_fd >= 0)) {
			*fd = got_fd;
			return socket;
		}
		if (got_fd >= 0)
			close(got_fd);
		close(socket);
		if (n == sizeof(*w))
			return w->error ? (int)w->error : -EPROTO;
	}
	copy_text(w->why, sizeof(w->why), "the server at %s hangs up", where);
	return -ECONNRESET;
}

/* A thread that is cancelled goes on, as in open() of a node that does not wait */
int remote_dial(uint32_t node, struct anpu_welcome *w, int *fd)
{
	int state, socket;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	socket = dial(node, w, fd);
	pthread_setcancelstate(state, NULL);
	return socket;
}
