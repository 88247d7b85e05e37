// SPDX-License-Identifier: MIT
/*
 * Which machines may join, beside those that know the root info:
 *
 *	HCCL_WHITELIST_DISABLE	0: only addresses of HCCL_WHITELIST_FILE; 1, or not set: all
 *	HCCL_WHITELIST_FILE	{ "host_ip": [ "192.168.1.2", "192.168.1.3" ] }
 */
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "util/json.h"
#include "net/net.h"

#define FILE_MAX (1 << 20)

struct search {
	char ip[NI_MAXHOST];
	uint32_t addresses; /* in the list */
	bool found;
};

static int look(void *user, const struct anpu_json_text *keys, unsigned int depth, enum anpu_json_kind kind,
		struct anpu_json_text v)
{
	struct search *s = user;

	if (depth < 1 || kind != ANPU_JSON_STRING || keys[0].size != 7 || memcmp(keys[0].at, "host_ip", 7))
		return 0;
	s->addresses++;
	s->found = s->found || anpu_json_is(v, s->ip);
	return 0;
}

static HcclResult read_list(struct search *s)
{
	const char *path = getenv("HCCL_WHITELIST_FILE");
	char *text, why[128];
	HcclResult ret = HCCL_SUCCESS;
	size_t n;
	FILE *f;

	if (!path || !*path)
		return hccl_fail(HCCL_E_PARA, "HCCL_WHITELIST_DISABLE is 0, and HCCL_WHITELIST_FILE is not set: it must name a file "
				 "like { \"host_ip\": [ \"192.168.1.2\" ] }");
	f = fopen(path, "r");
	if (!f)
		return hccl_fail(HCCL_E_OPEN_FILE_FAILURE, "HCCL_WHITELIST_FILE is '%.200s', which cannot be read: %s", path,
				 strerror(errno));
	text = malloc(FILE_MAX);
	n = text ? fread(text, 1, FILE_MAX, f) : 0;
	fclose(f);
	if (!text)
		ret = hccl_fail(HCCL_E_MEMORY, "no memory for %.200s", path);
	else if (anpu_json_read(text, n, look, s, why, sizeof(why)))
		ret = hccl_fail(HCCL_E_PARA, "%.200s (HCCL_WHITELIST_FILE): %s", path, why);
	else if (!s->addresses)
		ret = hccl_fail(HCCL_E_PARA, "%.200s (HCCL_WHITELIST_FILE) has no list of addresses \"host_ip\"", path);
	free(text);
	return ret;
}

static bool enabled(void)
{
	const char *off = getenv("HCCL_WHITELIST_DISABLE");

	return off && !strcmp(off, "0");
}

HcclResult hccl_whitelist_check(void)
{
	const char *off = getenv("HCCL_WHITELIST_DISABLE");
	struct search s = { .addresses = 0 };

	if (off && *off && strcmp(off, "0") && strcmp(off, "1"))
		return hccl_fail(HCCL_E_PARA, "HCCL_WHITELIST_DISABLE is '%.40s' in the environment and must be 0 or 1", off);
	return enabled() ? read_list(&s) : HCCL_SUCCESS;
}

bool hccl_whitelist_allows(int fd, char why[HCCL_TEXT])
{
	struct sockaddr_storage from;
	socklen_t size = sizeof(from);
	struct search s = { .addresses = 0 };

	if (!enabled())
		return true;
	if (getpeername(fd, (void *)&from, &size) ||
	    getnameinfo((void *)&from, size, s.ip, sizeof(s.ip), NULL, 0, NI_NUMERICHOST))
		snprintf(s.ip, sizeof(s.ip), "an unknown address");
	else if (!read_list(&s) && s.found)
		return true;
	snprintf(why, HCCL_TEXT, "the root of the communicator refuses %.80s: HCCL_WHITELIST_DISABLE is 0 there, and its "
		 "HCCL_WHITELIST_FILE does not list that address", s.ip);
	return false;
}
