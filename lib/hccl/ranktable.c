// SPDX-License-Identifier: MIT
/*
 * Rank tables: JSON that says which ranks there are and which devices they have.
 *
 *	{ "version": "1.0", "status": "completed", "server_count": "1", "server_list": [ { "server_id": "here",
 *	  "device": [ { "device_id": "0", "rank_id": "0" }, { "device_id": "1", "rank_id": "1" } ] } ] }
 *
 * or, in an older form without a version, in which each device may be an "instance" with the rank in it:
 *
 *	{ "status": "completed", "group_count": "1", "group_list": [ { "group_name": "all", "instance_list": [
 *	  { "server_id": "here", "rank_id": "0", "devices": [ { "device_id": "0" } ] },
 *	  { "server_id": "here", "rank_id": "1", "devices": [ { "device_id": "1" } ] } ] } ] }
 *
 * Without any rank_id there, ranks have the order of the table. With several servers, "host_ip" of the one that has rank 0,
 * or else its "server_id", is the address at which its ranks listen, or the name of one. Other names may be there and are not
 * looked at: they are about network cards.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/json.h"
#include "net/net.h"

/* Names of lists on the way to a server and on to its devices */
static const struct form {
	const char *lists[3];
	unsigned int levels;
} forms[] = {
	{ { "server_list", "device" }, 2 },
	{ { "group_list", "instance_list", "devices" }, 3 },
};

struct entry {
	long rank, device; /* -1: not said */
	const char *rank_at, *device_at;
	uint32_t server;
};

struct server {
	struct anpu_json_text id, ip; /* size 0: not said */
	const char *at;
	long rank; /* of its only device, in the older form; -1: not said */
	const char *rank_at;
	uint32_t devices;
};

struct table {
	const char *text;
	const char *last; /* value that was read before */
	struct entry *entries;
	uint32_t count, room;
	struct server *server;
	uint32_t servers;
	long server_count; /* -1: not said */
	const char *server_count_at;
	bool version, groups; /* @groups: the older form */
	HcclResult code;
	char why[256];
};

static void place(const struct table *t, const char *at, unsigned int *line, unsigned int *column)
{
	*line = 1;
	*column = 1;
	for (const char *p = t->text; p < at; p++) {
		*column = *p == '\n' ? 1 : *column + 1;
		*line += *p == '\n';
	}
}

static int bad(struct table *t, HcclResult code, const char *at, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
static int bad(struct table *t, HcclResult code, const char *at, const char *fmt, ...)
{
	unsigned int line, column;
	va_list args;
	int used;

	place(t, at, &line, &column);
	used = snprintf(t->why, sizeof(t->why), "line %u, column %u: ", line, column);
	va_start(args, fmt);
	vsnprintf(t->why + used, sizeof(t->why) - (size_t)used, fmt, args);
	va_end(args);
	t->code = code;
	return -1;
}

static int number(struct table *t, const char *name, struct anpu_json_text v, long most, long *out)
{
	char digits[16];
	char *end;

	snprintf(digits, sizeof(digits), "%.*s", (int)(v.size < 15 ? v.size : 15), v.at);
	*out = strtol(digits, &end, 10);
	if (!v.size || v.size > 15 || *end || *out < 0 || *out > most || digits[0] == '+' || digits[0] == ' ')
		return bad(t, HCCL_E_PARA, v.at, "%s is \"%.15s\" and must be a number from 0 to %ld", name, digits, most);
	return 0;
}

static int new_entry(struct table *t)
{
	struct entry *more;

	if (t->count == HCCL_MAX_RANKS)
		return bad(t, HCCL_E_PARA, t->last, "more than %d ranks", HCCL_MAX_RANKS);
	if (t->count == t->room) {
		t->room = t->room ? 2 * t->room : 16;
		more = realloc(t->entries, t->room * sizeof(*more));
		if (!more)
			return bad(t, HCCL_E_MEMORY, t->last, "no memory for %u ranks", t->room);
		t->entries = more;
	}
	t->server[t->servers - 1].devices++;
	t->entries[t->count++] = (struct entry){ -1, -1, t->last, t->last, t->servers - 1 };
	return 0;
}

static int new_server(struct table *t)
{
	struct server *more;

	if (t->servers == HCCL_MAX_RANKS)
		return bad(t, HCCL_E_PARA, t->last, "more than %d servers", HCCL_MAX_RANKS);
	more = realloc(t->server, (t->servers + 1) * sizeof(*more));
	if (!more)
		return bad(t, HCCL_E_MEMORY, t->last, "no memory for %u servers", t->servers + 1);
	t->server = more;
	t->server[t->servers++] = (struct server){ .at = t->last, .rank = -1 };
	return 0;
}

static int in_server(struct table *t, const struct anpu_json_text *key, struct anpu_json_text v)
{
	struct server *s = &t->server[t->servers - 1];

	if (anpu_json_is(*key, "server_id"))
		s->id = v;
	else if (anpu_json_is(*key, "host_ip"))
		s->ip = v;
	if (!t->groups || !anpu_json_is(*key, "rank_id"))
		return 0;
	s->rank_at = v.at;
	return number(t, "rank_id", v, HCCL_MAX_RANKS - 1, &s->rank);
}

static int in_entry(struct table *t, const struct anpu_json_text *key, struct anpu_json_text v)
{
	struct entry *e = &t->entries[t->count - 1];

	if (anpu_json_is(*key, "rank_id")) {
		e->rank_at = v.at;
		return number(t, "rank_id", v, HCCL_MAX_RANKS - 1, &e->rank);
	}
	if (anpu_json_is(*key, "device_id")) {
		e->device_at = v.at;
		return number(t, "device_id", v, 1023, &e->device);
	}
	return 0;
}

static int at_top(struct table *t, const struct anpu_json_text *key, struct anpu_json_text v)
{
	if (anpu_json_is(*key, "status") && !anpu_json_is(v, "completed"))
		return bad(t, HCCL_E_UNAVAIL, v.at, "status is \"%.*s\" and must be \"completed\": the table is not ready",
			   (int)(v.size < 40 ? v.size : 40), v.at);
	if (anpu_json_is(*key, "server_count")) {
		t->server_count_at = v.at;
		return number(t, "server_count", v, HCCL_MAX_RANKS, &t->server_count);
	}
	if (!anpu_json_is(*key, "version"))
		return 0;
	t->version = true;
	if (anpu_json_is(v, "1.0") || anpu_json_is(v, "1.2"))
		return 0;
	return bad(t, HCCL_E_NOT_SUPPORT, v.at, "version is \"%.*s\" and must be \"1.0\" or \"1.2\"",
		   (int)(v.size < 40 ? v.size : 40), v.at);
}

/* How many lists of the form lead to a value, the value itself counted if it is one */
static unsigned int lists_to(const struct form *f, const struct anpu_json_text *keys, unsigned int depth)
{
	unsigned int n = 0;

	/* elements of lists have no key */
	while (n < f->levels && 2 * n < depth && anpu_json_is(keys[2 * n], f->lists[n]))
		n++;
	return n;
}

/* Is it something else than what the table has there, with @lists on the way to it */
static bool wrong_kind(const struct anpu_json_text *keys, unsigned int depth, unsigned int lists, enum anpu_json_kind kind,
		       const char **what)
{
	static const char *const texts[] = { "version", "status", "server_count", "server_id", "host_ip", "rank_id", "device_id" };

	*what = "must be a list";
	if (depth % 2 && lists == (depth + 1) / 2)
		return kind != ANPU_JSON_ARRAY;
	*what = "must have objects: { ... }";
	if (depth && depth % 2 == 0 && lists == depth / 2)
		return kind != ANPU_JSON_OBJECT;
	*what = "must be text or a number";
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (depth % 2 && lists == depth / 2 && anpu_json_is(keys[depth - 1], texts[i]))
			return kind != ANPU_JSON_STRING && kind != ANPU_JSON_NUMBER;
	return false;
}

static int value(void *user, const struct anpu_json_text *keys, unsigned int depth, enum anpu_json_kind kind,
		 struct anpu_json_text v)
{
	struct table *t = user;
	bool older = depth && anpu_json_is(keys[0], forms[1].lists[0]);
	const struct form *f = &forms[older];
	unsigned int lists = lists_to(f, keys, depth);
	bool scalar = kind == ANPU_JSON_STRING || kind == ANPU_JSON_NUMBER;
	const struct anpu_json_text *name = &keys[depth > 1 && !keys[depth - 1].size ? depth - 2 : depth - (depth > 0)];
	const char *what;

	if (depth && keys[depth - 1].size)
		t->last = keys[depth - 1].at;
	if (scalar)
		t->last = v.at;
	if (wrong_kind(keys, depth, lists, kind, &what))
		return bad(t, HCCL_E_PARA, scalar ? v.at : t->last, "\"%.*s\" %s", (int)name->size, name->at, what);
	t->groups = t->groups || older;
	if (lists != depth / 2)
		return 0;
	if (depth == 1)
		return scalar ? at_top(t, &keys[0], v) : 0;
	if (depth % 2)
		return !scalar ? 0 : lists == f->levels ? in_entry(t, &keys[depth - 1], v) :
		       lists == f->levels - 1 ? in_server(t, &keys[depth - 1], v) : 0;
	return !depth ? 0 : lists == f->levels ? new_entry(t) : lists == f->levels - 1 ? new_server(t) : 0;
}

/* The older form: ranks are those of instances, or are not said at all */
static int number_ranks(struct table *t)
{
	bool said = false;

	for (uint32_t i = 0; i < t->servers; i++) {
		const struct server *s = &t->server[i];

		said = said || s->rank >= 0;
		if (s->rank >= 0 && s->devices != 1)
			return bad(t, HCCL_E_PARA, s->rank_at, "an instance has rank_id %ld and %u devices, and must have one",
				   s->rank, s->devices);
	}
	for (uint32_t i = 0; i < t->count; i++)
		said = said || t->entries[i].rank >= 0;
	for (uint32_t i = 0; i < t->count; i++) {
		struct entry *e = &t->entries[i];

		if (!said) {
			e->rank = (long)i;
		} else if (e->rank < 0) {
			e->rank = t->server[e->server].rank;
			e->rank_at = e->rank < 0 ? e->rank_at : t->server[e->server].rank_at;
		}
	}
	return 0;
}

/* Each rank once, from 0 on, with a device */
static int check(struct table *t)
{
	if (t->groups && number_ranks(t))
		return -1;
	if (!t->version && !t->groups)
		return bad(t, HCCL_E_PARA, t->text, "\"version\" is missing");
	if (t->server_count >= 0 && t->server_count != (long)t->servers)
		return bad(t, HCCL_E_PARA, t->server_count_at, "server_count is %ld and \"server_list\" has %u servers",
			   t->server_count, t->servers);
	if (!t->count)
		return bad(t, HCCL_E_PARA, t->text, "there is no rank: \"server_list\" with \"device\" is missing or empty");
	for (uint32_t i = 0; i < t->count; i++) {
		const struct entry *e = &t->entries[i];

		if (e->rank < 0)
			return bad(t, HCCL_E_PARA, e->rank_at, "a device without \"rank_id\" is behind this");
		if (e->device < 0)
			return bad(t, HCCL_E_PARA, e->device_at, "a device without \"device_id\" is behind this");
		if (e->rank >= t->count)
			return bad(t, HCCL_E_PARA, e->rank_at, "rank_id is %ld and there are %u ranks, which are numbered from 0 "
				   "on", e->rank, t->count);
		for (uint32_t k = 0; k < i; k++)
			if (t->entries[k].rank == e->rank)
				return bad(t, HCCL_E_PARA, e->rank_at, "rank_id %ld is there already", e->rank);
	}
	return 0;
}

/* In the older form one server has several instances */
static bool same_server(const struct server *a, const struct server *b)
{
	return a == b || (a->id.size && a->id.size == b->id.size && !memcmp(a->id.at, b->id.at, a->id.size));
}

/* Where the others find rank 0, if that is on one of several servers */
static int find_root(struct table *t, uint32_t rank, struct hccl_table *out)
{
	const struct server *s = NULL;
	struct anpu_json_text ip;
	char name[256] = "";
	uint32_t mine = 0;
	bool several = false;

	for (uint32_t i = 0; i < t->count; i++) {
		if (!t->entries[i].rank)
			s = &t->server[t->entries[i].server];
		if (t->entries[i].rank == (long)rank)
			mine = t->entries[i].server;
	}
	memset(out->ip, 0, sizeof(out->ip));
	for (uint32_t i = 0; i < t->servers; i++)
		several = several || !same_server(s, &t->server[i]);
	out->with_root = same_server(s, &t->server[mine]);
	if (!several)
		return 0;
	ip = s->ip.size ? s->ip : s->id;
	if (ip.size && ip.size < sizeof(name))
		memcpy(name, ip.at, ip.size);
	if (!name[0] || !hccl_net_lookup(name, out->ip))
		return bad(t, HCCL_E_PARA, ip.size ? ip.at : s->at, "the server of rank 0 has \"%.*s\" as \"host_ip\" or "
			   "\"server_id\", and the other servers need an address like 192.168.1.2, or a name of one",
			   (int)(ip.size < 60 ? ip.size : 60), ip.size ? ip.at : "");
	return 0;
}

HcclResult hccl_table_read(const char *text, size_t size, const char *name, uint32_t rank, struct hccl_table *out)
{
	struct table t = { .text = text, .last = text, .server_count = -1 };
	HcclResult ret = HCCL_SUCCESS;

	if (anpu_json_read(text, size, value, &t, t.why, sizeof(t.why)))
		ret = t.code ? t.code : HCCL_E_PARA;
	else if (check(&t))
		ret = t.code;
	if (ret)
		hccl_fail(ret, "%.120s: %s", name, t.why);
	if (!ret && rank >= t.count)
		ret = hccl_fail(HCCL_E_PARA, "rank is %u and %.120s has %u ranks", rank, name, t.count);
	for (uint32_t i = 0; i < t.count && !ret; i++)
		if (t.entries[i].rank == rank)
			out->device = (int32_t)t.entries[i].device;
	if (!ret && find_root(&t, rank, out))
		ret = hccl_fail(t.code, "%.120s: %s", name, t.why);
	out->ranks = t.count;
	free(t.entries);
	free(t.server);
	return ret;
}
