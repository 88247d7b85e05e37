// SPDX-License-Identifier: MIT
/*
 * Between machines: which address and port of this one others connect to, and the sockets by which ranks meet. Data do
 * not go through these, see wire.c.
 *
 *	HCCL_IF_IP			the address
 *	HCCL_SOCKET_IFNAME		else the interface: "eth,en" begins so, "=eth0" is that, "^eth", "^=eth0" is not
 *	HCCL_SOCKET_FAMILY		which address of an interface: AF_INET (also if not set) or AF_INET6
 *	HCCL_HOST_SOCKET_PORT_RANGE	ports for root infos: "60000,60050-60100" or "auto"
 *	HCCL_IF_BASE_PORT		else the first of 32, else any; also that of rank tables, see init.c
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

/* AF_INET, AF_INET6, or 0 after hccl_fail() */
static int wanted_family(void)
{
	const char *text = getenv("HCCL_SOCKET_FAMILY");

	if (!text || !*text || !strcmp(text, "AF_INET"))
		return AF_INET;
	if (!strcmp(text, "AF_INET6"))
		return AF_INET6;
	hccl_fail(HCCL_E_PARA, "HCCL_SOCKET_FAMILY is '%.40s' in the environment and must be AF_INET or AF_INET6", text);
	return 0;
}

/* Is it an address that others can reach? A link-local address is none without the name of their interface */
static bool has_address(const struct ifaddrs *i, int family)
{
	return i->ifa_addr && i->ifa_addr->sa_family == family && i->ifa_flags & IFF_UP &&
	       (family == AF_INET || !IN6_IS_ADDR_LINKLOCAL(&((struct sockaddr_in6 *)(void *)i->ifa_addr)->sin6_addr));
}

static void address_text(const struct sockaddr *a, char ip[HCCL_IP])
{
	const void *at = a->sa_family == AF_INET ? (const void *)&((const struct sockaddr_in *)(const void *)a)->sin_addr :
			 (const void *)&((const struct sockaddr_in6 *)(const void *)a)->sin6_addr;

	inet_ntop(a->sa_family, at, ip, HCCL_IP);
}

/* Less is better; -1: not at all */
static int rate(const struct ifaddrs *i, const char *pattern, int family)
{
	if (!has_address(i, family))
		return -1;
	if (pattern && *pattern)
		return wanted(pattern, i->ifa_name) ? 0 : -1;
	if (i->ifa_flags & IFF_LOOPBACK)
		return 2;
	return !strncmp(i->ifa_name, "docker", 6);
}

/* Of equal ones the first by name, so that machines whose interfaces came up in another order choose the same */
static bool better(const struct ifaddrs *i, const struct ifaddrs *best, const char *pattern, int family)
{
	int mine = rate(i, pattern, family), other = best ? rate(best, pattern, family) : 0;

	return mine >= 0 && (!best || mine < other || (mine == other && strcmp(i->ifa_name, best->ifa_name) < 0));
}

static HcclResult by_interface(const char *pattern, char ip[HCCL_IP])
{
	struct ifaddrs *all, *best = NULL;
	int family = wanted_family();
	bool named = pattern && *pattern;

	if (!family)
		return HCCL_E_PARA;
	if (getifaddrs(&all))
		return hccl_fail(HCCL_E_SYSCALL, "the interfaces of this machine cannot be listed: %s", strerror(errno));
	for (struct ifaddrs *i = all; i; i = i->ifa_next)
		if (better(i, best, pattern, family))
			best = i;
	if (best)
		address_text(best->ifa_addr, ip);
	freeifaddrs(all);
	if (best || (!named && family == AF_INET))
		return HCCL_SUCCESS;
	return hccl_fail(HCCL_E_PARA, "HCCL_SOCKET_IFNAME is '%.80s', and no interface that fits has an %s address%s",
			 named ? pattern : "", family == AF_INET ? "IPv4" : "IPv6",
			 family == AF_INET ? "" : " (HCCL_SOCKET_FAMILY) other than a link-local one");
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

bool hccl_net_lookup(const char *name, char ip[HCCL_IP])
{
	struct addrinfo hint = { .ai_socktype = SOCK_STREAM }, *found = NULL;
	uint8_t room[16];

	memset(ip, 0, HCCL_IP);
	if (strlen(name) < HCCL_IP && (inet_pton(AF_INET, name, room) == 1 || inet_pton(AF_INET6, name, room) == 1)) {
		strcpy(ip, name);
		return true;
	}
	hint.ai_family = wanted_family();
	if (!hint.ai_family || getaddrinfo(name, NULL, &hint, &found))
		return false;
	address_text(found->ai_addr, ip);
	freeaddrinfo(found);
	return true;
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
		if (!has_address(i, AF_INET) && !has_address(i, AF_INET6))
			continue;
		address_text(i->ifa_addr, here);
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

/* Which ports root infos may have --------------------------------------------------------------- */

#define RANGES_MAX 64
/* As many as are published for HCCL_IF_BASE_PORT */
#define BASE_PORTS 32

struct ports {
	struct {
		long from, to;
	} range[RANGES_MAX];
	unsigned int ranges; /* 0: any */
	const char *name; /* of the variable */
	const char *text;
};

/* "60000" or "60000-60010" up to a comma; NULL: it is not that */
static const char *read_range(struct ports *p, const char *text)
{
	long from, to;
	char *end;

	from = to = strtol(text, &end, 10);
	if (end != text && *end == '-') {
		text = end + 1;
		to = strtol(text, &end, 10);
	}
	if (end == text || (*end && *end != ',') || from < 1 || to > 65535 || from > to || p->ranges == RANGES_MAX)
		return NULL;
	p->range[p->ranges].from = from;
	p->range[p->ranges++].to = to;
	/* nothing behind a comma is no port */
	return *end && !end[1] ? NULL : *end ? end + 1 : end;
}

static HcclResult read_ports(struct ports *p)
{
	const char *at;
	long base = 0;
	HcclResult ret;

	p->ranges = 0;
	p->name = "HCCL_HOST_SOCKET_PORT_RANGE";
	p->text = at = getenv(p->name);
	if (at && *at) {
		if (!strcmp(at, "auto"))
			return HCCL_SUCCESS;
		do
			at = read_range(p, at);
		while (at && *at);
		return at ? HCCL_SUCCESS : hccl_fail(HCCL_E_PARA, "%s is '%.80s' in the environment and must be 'auto' or at most "
						     "%d ports and ranges of ports from 1 to 65535, like '60000,60050-60100'",
						     p->name, p->text, RANGES_MAX);
	}
	p->name = "HCCL_IF_BASE_PORT";
	p->text = getenv(p->name);
	ret = hccl_env_number(p->name, HCCL_PORT_MIN, HCCL_PORT_MAX, &base);
	if (!ret && base) {
		p->range[0].from = base;
		p->range[0].to = base + BASE_PORTS - 1;
		p->ranges = 1;
	}
	return ret;
}

HcclResult hccl_net_listen_free(const char *ip, uint16_t *port, int *fd)
{
	struct ports p;
	HcclResult ret = read_ports(&p);
	int err = 0;

	*fd = -1;
	*port = 0;
	if (ret)
		return ret;
	if (!p.ranges) {
		*fd = hccl_net_listen(ip, port);
		err = errno;
	}
	for (unsigned int i = 0; i < p.ranges && *fd < 0; i++) {
		for (long n = p.range[i].from; n <= p.range[i].to && n <= 65535 && *fd < 0; n++) {
			*port = (uint16_t)n;
			*fd = hccl_net_listen(ip, port);
			err = errno;
		}
	}
	if (*fd >= 0)
		return HCCL_SUCCESS;
	return hccl_fail(HCCL_E_TCP_CONNECT, "nobody can listen at %s on this machine, %s%s%s: %s (HCCL_IF_IP, HCCL_SOCKET_IFNAME)",
			 ip, p.ranges ? p.name : "any port", p.ranges ? " is " : "", p.ranges ? p.text : "", strerror(err));
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
