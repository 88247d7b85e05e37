// SPDX-License-Identifier: MIT
/*
 * Findings of the checking mode: a paragraph each on standard error; on request a JSON object each in a
 * file, an exit status, and findings that are left out. A place that has made the same mistake before is
 * counted and not told again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/core.h"
#include "core/front.h"

#define KNOWN	 1024 /* places that are remembered */
#define SHOWN	 200  /* findings that are told */
#define TEXT_MAX 3000
#define RULES	 64

struct place {
	const char *kind;
	struct anpu_site site;
};

struct rule {
	char kind[32];
	char part[160];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* nests inside of all others */
static struct place known[KNOWN];
static unsigned int places, findings, again, suppressed;
static struct rule rules[RULES];
static unsigned int rule_count;
static int json = -1;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool started;

/* A line "KIND:TEXT": findings of that kind, or * for any, whose text has TEXT in it */
static void read_rules(const char *path)
{
	FILE *f = fopen(path, "re");
	char line[256], *colon;

	if (!f) {
		fprintf(stderr, "anpu: ANPU_CHECK_SUPPRESS: '%s' cannot be read: %s\n", path, strerror(errno));
		return;
	}
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		colon = strchr(line, ':');
		if (!*line || *line == '#')
			continue;
		if (!colon || rule_count == RULES) {
			fprintf(stderr, "anpu: %s: '%s' is no KIND:TEXT, or there are more than %d: it is ignored\n",
				path, line, RULES);
			continue;
		}
		*colon = 0;
		snprintf(rules[rule_count].kind, sizeof(rules[0].kind), "%.31s", line);
		snprintf(rules[rule_count++].part, sizeof(rules[0].part), "%.159s", colon + 1);
	}
	fclose(f);
}

static void start(void)
{
	const char *file = getenv("ANPU_CHECK_SUPPRESS"), *out = getenv("ANPU_CHECK_JSON");

	started = true;
	/* A child of fork() has findings of its own, whatever other threads were at. */
	anpu_forks_free(&lock);
	if (file && *file)
		read_rules(file);
	if (!out || !*out)
		return;
	json = open(out, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (json < 0)
		fprintf(stderr, "anpu: ANPU_CHECK_JSON: '%s' cannot be written: %s\n", out, strerror(errno));
}

static bool is_suppressed(const char *kind, const char *text)
{
	unsigned int i;

	for (i = 0; i < rule_count; i++)
		if ((!strcmp(rules[i].kind, "*") || !strcmp(rules[i].kind, kind)) &&
		    strstr(text, rules[i].part))
			return true;
	return false;
}

static bool same(const struct anpu_site *a, const struct anpu_site *b)
{
	unsigned int i;

	for (i = 0; i < ANPU_SITE_DEPTH && a->pc[i] == b->pc[i]; i++)
		if (!a->pc[i])
			return a->api == b->api;
	return i == ANPU_SITE_DEPTH && a->api == b->api;
}

/* Lock held */
static bool seen(const char *kind, const struct anpu_site *site)
{
	unsigned int i;

	for (i = 0; i < places; i++)
		if (!strcmp(known[i].kind, kind) && same(&known[i].site, site))
			return true;
	if (places < KNOWN)
		known[places++] = (struct place){ kind, *site };
	return false;
}

static void write_json(const char *kind, const char *text, const char *where)
{
	char quoted[2 * TEXT_MAX], *to = quoted;
	const char *from;

	for (from = text; *from && to < quoted + sizeof(quoted) - 8; from++) {
		if (*from == '"' || *from == '\\')
			*to++ = '\\';
		if ((unsigned char)*from >= ' ')
			*to++ = *from;
		else
			to += sprintf(to, "\\u%04x", (unsigned char)*from);
	}
	*to = 0;
	dprintf(json, "{\"kind\": \"%s\", \"process\": %d, \"call\": \"%s\", \"text\": \"%s\"}\n", kind, getpid(),
		where, quoted);
}

static void report(const char *kind, const struct anpu_site *site, char *text)
{
	char where[1000];
	bool tell;

	pthread_once(&once, start);
	pthread_mutex_lock(&lock);
	tell = !seen(kind, site);
	again += !tell;
	pthread_mutex_unlock(&lock);
	if (!tell)
		return;
	anpu_site_text(site, where, sizeof(where));
	if (site->api)
		anpu_reword(site->api, text, TEXT_MAX);
	pthread_mutex_lock(&lock);
	if (is_suppressed(kind, text) || is_suppressed(kind, where)) {
		suppressed++;
	} else if (findings++ < SHOWN) {
		fprintf(stderr, "anpu: check: %s: %s%s%s%s\n", kind, text, *where ? " [" : "", where,
			*where ? "]" : "");
		if (json >= 0)
			write_json(kind, text, where);
	}
	pthread_mutex_unlock(&lock);
}

void anpu_finding(const char *kind, const struct anpu_site *site, const char *fmt, ...)
{
	struct anpu_site here;
	char text[TEXT_MAX];
	va_list args;

	if (!anpu_checking())
		return;
	if (!site) {
		anpu_site_here(&here);
		site = &here;
	}
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	report(kind, site, text);
}

void anpu_front_finding(const char *kind, const char *text)
{
	ACL_UNCANCELLED();

	anpu_finding(kind, NULL, "%s", text);
}

/* Waits whose time was up ---------------------------------------------------------------------------- */

#define OVERDUE 32

/* An object that a call gave up waiting for, and the first such call. The program may wait again, with success then */
struct overdue {
	const void *object;
	struct anpu_site site;
	char text[900];
};

static struct overdue overdue[OVERDUE];

static bool is_timeout(int code)
{
	return code == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT || code == ACL_ERROR_RT_EVENT_SYNC_TIMEOUT;
}

/* Lock held: the object's place, or one that is free; NULL: there is none */
static struct overdue *overdue_of(const void *object)
{
	struct overdue *unused = NULL;
	unsigned int i;

	for (i = 0; i < OVERDUE; i++) {
		if (overdue[i].object == object)
			return &overdue[i];
		if (!overdue[i].object && !unused)
			unused = &overdue[i];
	}
	return unused;
}

static void note_wait(const void *object, int code)
{
	ACL_UNCANCELLED();
	struct overdue now = { .object = object }, *o;

	if (is_timeout(code)) {
		anpu_site_here(&now.site);
		acl_latest_sentence(now.text, sizeof(now.text));
	}
	pthread_mutex_lock(&lock);
	o = overdue_of(object);
	if (o && !is_timeout(code))
		o->object = NULL;
	else if (o && !o->object)
		*o = now;
	pthread_mutex_unlock(&lock);
}

void anpu_finding_waited(const void *object, int code)
{
	if (anpu_checking())
		note_wait(object, code);
}

/* The process ends */
static void tell_overdue(void)
{
	unsigned int i;

	for (i = 0; i < OVERDUE; i++)
		if (overdue[i].object)
			anpu_finding("timeout", &overdue[i].site,
				     "%s. The program has gone on, and ends without having waited for this with success",
				     overdue[i].text);
}

/* Failures that are no mistakes: something was done already, or has not happened yet */
static bool expected(int code)
{
	switch (code) {
	case ACL_ERROR_REPEAT_INITIALIZE:
	case ACL_ERROR_REPEAT_FINALIZE:
	case ACL_ERROR_RT_STREAM_SYNC_TIMEOUT: /* see tell_overdue() */
	case ACL_ERROR_RT_EVENT_SYNC_TIMEOUT:
	case ACL_ERROR_RT_REPORT_TIMEOUT:
	case ACL_ERROR_RT_THREAD_SUBSCRIBE: /* the end of a loop around aclrtProcessReport() */
	case ACL_ERROR_RT_NO_DEVICE:
	case ACL_ERROR_RT_MEMORY_ALLOCATION:
		return true;
	default:
		return false;
	}
}

void anpu_finding_call(int code, const char *text)
{
	if (!anpu_checking() || expected(code))
		return;
	anpu_finding(anpu_is_task_code(code) ? "task" : "call", NULL, "%s", text);
}

/* The library is never unloaded, so this runs when the process ends */
static void __attribute__((destructor)) sum_up(void)
{
	const char *text = getenv("ANPU_CHECK_STATUS");
	int status = text ? atoi(text) : 0;

	tell_overdue();
	anpu_init_left();
	if (!started)
		return;
	fprintf(stderr, "anpu: check: %u finding%s", findings, findings == 1 ? "" : "s");
	if (again)
		fprintf(stderr, ", %u more at the same places", again);
	if (suppressed)
		fprintf(stderr, ", %u suppressed", suppressed);
	fputc('\n', stderr);
	if (!findings || !status)
		return;
	fflush(NULL);
	_exit(status);
}
