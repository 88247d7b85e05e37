// SPDX-License-Identifier: MIT
/*
 * Between machines: which address of this one others connect to, and the sockets by which ranks meet. Data do not go
 * through these, see wire.c.
 *
 *	HCCL_IF_IP		the address
 *	HCCL_SOCKET_IFNAME	else the interface: "eth,en" begins so, "=eth0" is that, "^eth", "^=eth0" is not
 *	HCCL_WHITELIST_DISABLE	0: only addresses of HCCL_WHITELIST_FILE may connect
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/json.h"
#include "net/net.h"

/* A kernel that runs now, and its network: what shares both is one machine here */
uint64_t hccl_net_machine(void)
{
	char boot[64] = "";
	uint64_t words[9] = { 0 };
	struct stat st;
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		(void)!read(fd, boot, sizeof(boot) - 1);
		close(fd);
	}
	memcpy(words, boot, sizeof(boot));
	if (!stat("/proc/self/ns/net", &st))
		words[8] = st.st_ino;
	return hccl_mix(1, words, ARRAY_SIZE(words));
}

/* Does the list of names in @text, which may begin with ^ and =, want the interface */
static bool wanted(const char *text, const char *name)
{
	bool inverse = *text == '^', exact, found = false;
	size_t n;

	text += inverse;
	exact = *text == '=';
	for (text += exact; *text; text += n + (text[n] == ',')) {
		n = strcspn(text, ",");
		found = found || (n && !strncmp(text, name, n) && (!exact || !name[n]));
	}
	return found != inverse;
}

/* Less is better; -1: not at all */
static int rate(const struct ifaddrs *i, const char *pattern)
{
	if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET || !(i->ifa_flags & IFF_UP))
		return -1;
	if (pattern && *pattern)
		return wanted(pattern, i->ifa_name) ? 0 : -1;
	if (i->ifa_flags & IFF_LOOPBACK)
		return 2;
	return !strncmp(i->ifa_name, "docker", 6);
}

static HcclResult by_interface(const char *pattern, char ip[HCCL_IP])
{
	struct ifaddrs *all, *best = NULL;

	if (getifaddrs(&all))
		return hccl_fail(HCCL_E_SYSCALL, "the interfaces of this machine cannot be listed: %s", strerror(errno));
	for (struct ifaddrs *i = all; i; i = i->ifa_next)
		if (rate(i, pattern) >= 0 && (!best || rate(i, pattern) < rate(best, pattern)))
			best = i;
	if (best)
		inet_ntop(AF_INET, &((struct sockaddr_in *)(void *)best->ifa_addr)->sin_addr, ip, HCCL_IP);
	freeifaddrs(all);
	if (!best && pattern && *pattern)
		return hccl_fail(HCCL_E_PARA, "HCCL_SOCKET_IFNAME is '%.80s', and no interface with an IPv4 address fits",
				 pattern);
	return HCCL_SUCCESS;
}

HcclResult hccl_net_own(char ip[HCCL_IP])
{
	const char *wish = getenv("HCCL_IF_IP");
	uint8_t room[16];

	memset(ip, 0, HCCL_IP);
	if (!wish || !*wish)
		return by_interface(getenv("HCCL_SOCKET_IFNAME"), ip);
	if (inet_pton(AF_INET, wish, room) != 1 && inet_pton(AF_INET6, wish, room) != 1)
		return hccl_fail(HCCL_E_PARA, "HCCL_IF_IP is '%.60s' and must be an address like 192.168.1.2", wish);
	snprintf(ip, HCCL_IP, "%s", wish);
	return HCCL_SUCCESS;
}

bool hccl_net_interface(char name[64])
{
	const char *ip = getenv("HCCL_IF_IP"), *pattern = getenv("HCCL_SOCKET_IFNAME");
	char wish[HCCL_IP], here[HCCL_IP];
	struct ifaddrs *all;
	bool found = false;

	if ((!(ip && *ip) && !(pattern && *pattern)) || hccl_net_own(wish) || getifaddrs(&all))
		return false;
	for (struct ifaddrs *i = all; i && !found; i = i->ifa_next) {
		if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET)
			continue;
		inet_ntop(AF_INET, &((struct sockaddr_in *)(void *)i->ifa_addr)->sin_addr, here, sizeof(here));
		found = !strcmp(here, wish);
		if (found)
			snprintf(name, 64, "%s", i->ifa_name);
	}
	freeifaddrs(all);
	return found;
}

static struct addrinfo *resolve(const char *ip, uint16_t port, int flags)
{
	struct addrinfo hint = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | flags };
	struct addrinfo *found = NULL;
	char service[8];

	snprintf(service, sizeof(service), "%u", port);
	return getaddrinfo(ip, service, &hint, &found) ? NULL : found;
}

/* A machine that is gone without a word is noticed in some seconds */
static void tune(int fd)
{
	int on = 1, idle = 1, count = 5, ms = 5000;

	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	(void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &idle, sizeof(idle));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof(ms));
}

int hccl_net_listen(const char *ip, uint16_t *port)
{
	struct addrinfo *at = resolve(ip, *port, AI_PASSIVE);
	struct sockaddr_storage mine;
	socklen_t size = sizeof(mine);
	int on = 1, fd = at ? socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;

	if (fd >= 0) {
		(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
		if (bind(fd, at->ai_addr, at->ai_addrlen) || listen(fd, 1024) || getsockname(fd, (void *)&mine, &size)) {
			close(fd);
			fd = -1;
		} else {
			*port = ntohs(mine.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&mine)->sin6_port :
				      ((struct sockaddr_in *)&mine)->sin_port);
		}
	}
	if (at)
		freeaddrinfo(at);
	return fd;
}

int hccl_net_connect(const char *ip, uint16_t port)
{
	struct addrinfo *at = resolve(ip, port, 0);
	int err, fd = at ? socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
	int on = 2000;

	if (!at)
		errno = EINVAL;
	if (fd >= 0) {
		(void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &on, sizeof(on));
		if (connect(fd, at->ai_addr, at->ai_addrlen)) {
			err = errno;
			close(fd);
			errno = err;
			fd = -1;
		} else {
			tune(fd);
		}
	}
	if (at)
		freeaddrinfo(at);
	return fd;
}

int hccl_net_accept(int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

	if (fd >= 0)
		tune(fd);
	return fd;
}

/* The list of who may connect -------------------------------------------------------------------- */

struct search {
	char ip[HCCL_IP];
	bool found;
};

static int look(void *user, const struct anpu_json_text *keys, unsigned int depth, enum anpu_json_kind kind,
		struct anpu_json_text v)
{
	struct search *s = user;

	if (depth >= 1 && kind == ANPU_JSON_STRING && keys[0].size == 7 && !memcmp(keys[0].at, "host_ip", 7))
		s->found = s->found || (v.size == strlen(s->ip) && !memcmp(v.at, s->ip, v.size));
	return 0;
}

static bool listed(const char *path, struct search *s)
{
	static const size_t most = 1 << 20;
	char *text = malloc(most), why[128];
	FILE *f = path ? fopen(path, "r") : NULL;
	size_t n = f && text ? fread(text, 1, most, f) : 0;

	if (f)
		fclose(f);
	if (!n || anpu_json_read(text, n, look, s, why, sizeof(why)))
		s->found = false;
	free(text);
	return s->found;
}

bool hccl_net_allowed(int fd)
{
	const char *off = getenv("HCCL_WHITELIST_DISABLE");
	struct sockaddr_storage from;
	socklen_t size = sizeof(from);
	struct search s = { .found = false };

	if (!off || strcmp(off, "0"))
		return true;
	if (getpeername(fd, (void *)&from, &size) ||
	    getnameinfo((void *)&from, size, s.ip, sizeof(s.ip), NULL, 0, NI_NUMERICHOST))
		return false;
	return listed(getenv("HCCL_WHITELIST_FILE"), &s);
}
