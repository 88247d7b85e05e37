// SPDX-License-Identifier: MIT
/*
 * anpu-server: devices in a process of their own, for the processes of one user. It listens at a socket;
 * processes with ANPU_DEVICE=server start it when they find none, and then it ends after the last of them.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "direct.h"
#include "server/server.h"

/* The server ends if no client connects within this time: the process that started it may have been killed */
#define FIRST_CLIENT_MS	30000
/* Time between attempts to take the lock, which a process holds while it starts a server or connects */
#define LOCK_MS		50

static struct sockaddr_un address;
static bool ends_with_clients;

static void usage(FILE *to)
{
	fprintf(to, "usage: anpu-server [--socket PATH] [--daemon]\n"
		    "\n"
		    "Serves the devices that ANPU_DIRECT describes to this user's processes that have ANPU_DEVICE=server\n"
		    "(or server:PATH). They start it themselves when there is none.\n"
		    "\n"
		    "  --socket PATH  listen there, not at the user's usual place\n"
		    "  --daemon       leave the terminal when it listens, and end after the last client\n");
}

int server_thread(void *(*run)(void *arg), void *arg)
{
	pthread_attr_t attr;
	pthread_t thread;
	int err;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, 512 << 10);
	err = pthread_create(&thread, &attr, run, arg);
	pthread_attr_destroy(&attr);
	return -err;
}

/* Takes the lock that serialises starting a server, connecting, and ending one; a descriptor, or -errno */
static int take_lock(bool wait)
{
	char path[sizeof(address.sun_path) + 8];
	int fd, err = 0;

	copy_text(path, sizeof(path), "%s.lock", address.sun_path);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	while (flock(fd, LOCK_EX | (wait ? 0 : LOCK_NB)) && (err = errno) == EINTR)
		err = 0;
	if (!err)
		return fd;
	close(fd);
	return -err;
}

static bool somebody_answers(void)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	bool yes = fd >= 0 && !connect(fd, (struct sockaddr *)&address, sizeof(address));

	if (fd >= 0)
		close(fd);
	return yes;
}

static int listen_there(void)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	mode_t mask = umask(0177);
	int err = 0;

	(void)unlink(address.sun_path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, 128))
		err = -errno;
	umask(mask);
	if (err && fd >= 0)
		close(fd);
	return err ? err : fd;
}

/* The process that starts this daemon holds the lock until it listens; a daemon started by hand takes it itself */
static int begin_listening(void)
{
	int lock = ends_with_clients ? -1 : take_lock(true), fd;

	if (!ends_with_clients && lock < 0)
		fd = lock;
	else
		fd = somebody_answers() ? -EADDRINUSE : listen_there();
	if (lock >= 0)
		close(lock);
	if (fd == -EADDRINUSE)
		fprintf(stderr, "anpu-server: a server listens at %s already\n", address.sun_path);
	else if (fd < 0)
		fprintf(stderr, "anpu-server: cannot listen at %s: %s\n", address.sun_path, strerror(-fd));
	return fd;
}

static int become_daemon(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	pid_t pid = null < 0 ? -1 : fork();

	if (pid < 0) {
		fprintf(stderr, "anpu-server: %s\n", strerror(errno));
		return -1;
	}
	if (pid)
		_exit(0);
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	close(null);
	return 0;
}

static void accept_all(int listener)
{
	struct ucred who;
	socklen_t size = sizeof(who);
	int fd;

	while ((fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) || (who.uid != geteuid() && who.uid) ||
		    client_begin(fd))
			close(fd);
	}
	/* without descriptors the connection stays in the queue until somebody ends */
	if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
		usleep(10000);
}

/* The last client has ended: nobody may connect between the last look and the end, and be left alone */
static void end_if_alone(int listener)
{
	struct pollfd fd = { .fd = listener, .events = POLLIN };
	int lock = take_lock(false);

	/* somebody has removed the directory of the socket, so nobody can connect */
	if (lock == -ENOENT || lock == -ENOTDIR)
		_exit(0);
	if (lock < 0)
		return;
	if (!poll(&fd, 1, 0) && !client_count()) {
		(void)unlink(address.sun_path);
		devices_exit();
		_exit(0);
	}
	close(lock);
}

static void serve(int listener, int signals)
{
	struct pollfd fds[] = { { .fd = listener, .events = POLLIN }, { .fd = signals, .events = POLLIN },
				{ .fd = client_ended, .events = POLLIN } };
	bool had_one = false, alone = false;
	uint64_t counter;

	for (;;) {
		int ready = poll(fds, ARRAY_SIZE(fds),
				 !ends_with_clients ? -1 : alone ? LOCK_MS : had_one ? -1 : FIRST_CLIENT_MS);

		if (ready < 0 && errno != EINTR)
			return;
		if (fds[1].revents && ready > 0) {
			(void)unlink(address.sun_path);
			_exit(0);
		}
		if (fds[0].revents && ready > 0) {
			accept_all(listener);
			had_one = true;
		}
		if (fds[2].revents && ready > 0)
			(void)!read(client_ended, &counter, sizeof(counter));
		alone = ends_with_clients && !client_count() && (had_one || !ready);
		if (alone)
			end_if_alone(listener);
	}
}

static int parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "socket", required_argument, NULL, 's' }, { "daemon", no_argument, NULL, 'd' },
		{ "help", no_argument, NULL, 'h' }, { 0 },
	};
	const char *path = NULL;
	char text[ANPU_TEXT_MAX];
	int o;

	while ((o = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		if (o == 's')
			path = optarg;
		else if (o == 'd')
			ends_with_clients = true;
		else {
			usage(o == 'h' ? stdout : stderr);
			exit(o == 'h' ? 0 : 2);
		}
	}
	if (optind < argc) {
		usage(stderr);
		exit(2);
	}
	if (!anpu_server_address(path, &address, text, sizeof(text)))
		return 0;
	fprintf(stderr, "anpu-server: %s\n", text);
	return -1;
}

int main(int argc, char **argv)
{
	struct rlimit limit;
	char why[320];
	sigset_t end;
	int listener, signals;

	if (parse(argc, argv))
		return 1;
	shared_device = true;
	if (device_list(why, sizeof(why)) < 0)
		fprintf(stderr, "anpu-server: %s\n", why);
	/* each object of a client's has a file here */
	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
	sigemptyset(&end);
	sigaddset(&end, SIGTERM);
	sigaddset(&end, SIGINT);
	sigaddset(&end, SIGHUP);
	sigprocmask(SIG_BLOCK, &end, NULL);
	listener = begin_listening();
	if (listener < 0 || (ends_with_clients && become_daemon()))
		return 1;
	signals = signalfd(-1, &end, SFD_CLOEXEC);
	serve(listener, signals);
	return 1;
}
