// SPDX-License-Identifier: MIT
/*
 * Start and end of the runtime in a process, and its configuration.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/core.h"
#include "core/profile.h"
#include "util/util.h"

#define CONFIG_MAX (1 << 20)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t references;
static struct anpu_site first_call; /* of aclInit(), in the checking mode */
static pid_t first_process;
static atomic_int default_device = -1;

int anpu_default_device(void)
{
	return atomic_load(&default_device);
}

struct parse {
	int default_device; /* -1: none */
	int process_messages;
	struct anpu_profile *profile;
	char *why;
	size_t why_size;
};

/* A number, in quotes or without: @name is told when it is not from 0 to @max */
static int take_number(struct parse *p, const char *name, enum anpu_json_kind kind,
		       struct anpu_json_text value, long max, int *number)
{
	char digits[8] = "", *end;
	long n;

	if ((kind == ANPU_JSON_STRING || kind == ANPU_JSON_NUMBER) && value.size < sizeof(digits))
		memcpy(digits, value.at, value.size);
	n = strtol(digits, &end, 10);
	if (*digits && !*end && n >= 0 && n <= max) {
		*number = (int)n;
		return 0;
	}
	snprintf(p->why, p->why_size, "%s is '%.*s' and must be a number from 0 to %ld", name,
		 (int)(value.size < 32 ? value.size : 32), value.at, max);
	return -1;
}

/* Keys that this runtime does not know belong to other parts of a full installation */
static int take_option(void *user, const struct anpu_json_text *keys, unsigned int depth,
		       enum anpu_json_kind kind, struct anpu_json_text value)
{
	struct parse *p = user;

	if (!depth && kind != ANPU_JSON_OBJECT) {
		snprintf(p->why, p->why_size, "the text is no JSON object in braces");
		return -1;
	}
	if (depth == 1 && anpu_json_is(keys[0], "err_msg_mode"))
		return take_number(p, "err_msg_mode", kind, value, 1, &p->process_messages);
	if (depth == 2 && anpu_json_is(keys[0], "defaultDevice") && anpu_json_is(keys[1], "default_device"))
		return take_number(p, "defaultDevice.default_device", kind, value, 9999999,
				   &p->default_device);
	if (depth == 2 && anpu_json_is(keys[0], "profiler"))
		return anpu_profile_option(p->profile, keys[1], kind, value, p->why, p->why_size);
	return 0;
}

/* The file's content, to be freed, or NULL after acl_fail() */
static char *read_file(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *text = NULL;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st)) {
		acl_fail(ACL_ERROR_INVALID_FILE, "the configuration '%s' cannot be read: %s", path,
			 strerror(errno));
	} else if (!S_ISREG(st.st_mode) || st.st_size > CONFIG_MAX) {
		acl_fail(ACL_ERROR_INVALID_FILE,
			 "the configuration '%s' is no file of at most %d bytes", path, CONFIG_MAX);
	} else {
		text = malloc(st.st_size + 1);
		n = text ? read(fd, text, st.st_size) : -1;
		if (n < 0) {
			acl_fail(ACL_ERROR_INVALID_FILE,
				 "the configuration '%s' cannot be read: %s", path,
				 strerror(errno));
			free(text);
			text = NULL;
		} else {
			*size = n;
		}
	}
	if (fd >= 0)
		close(fd);
	return text;
}

/* With the file's content in @content, to be freed, if there is a file */
static aclError read_config(const char *path, char **content, size_t *content_size, struct anpu_profile *profile)
{
	char why[200] = "";
	struct parse p = { .default_device = -1, .profile = profile, .why = why, .why_size = sizeof(why) };
	size_t size = 0;
	char *text;
	int err;

	if (!path || !*path)
		return ACL_SUCCESS;
	text = read_file(path, &size);
	if (!text)
		return ACL_ERROR_INVALID_FILE;
	*content = text;
	*content_size = size;
	err = anpu_json_read(text, size, take_option, &p, why, sizeof(why));
	if (err)
		return acl_fail(ACL_ERROR_PARSE_FILE, "the configuration '%s' cannot be used: %s",
				path, why);
	atomic_store(&default_device, p.default_device);
	acl_error_mode(p.process_messages);
	return ACL_SUCCESS;
}

/*
 * The last reference is gone: ends everything. The lock is not held, because hooks may call this
 * library
 */
static aclError end_use(void)
{
	aclError ret = anpu_hooks_finalize(), ended, written;

	pthread_mutex_lock(&lock);
	if (!references) { /* otherwise another thread has called aclInit() again meanwhile */
		atomic_store(&default_device, -1);
		acl_error_mode(false);
	}
	pthread_mutex_unlock(&lock);
	/* without the lock: this waits for callbacks, which may call aclInit() */
	ended = anpu_process_end();
	written = anpu_profile_end();
	anpu_trace_save();
	if (ret || ended)
		return ret ? ret : ended;
	return written;
}

/* Takes back the first reference after a hook has failed */
static void undo_init(void)
{
	pthread_mutex_lock(&lock);
	references = 0;
	pthread_mutex_unlock(&lock);
	end_use();
}

aclError aclInit(const char *configPath)
{
	struct anpu_profile profile = { .on = false };
	aclError ret = ACL_SUCCESS;
	bool first = false;
	char *text = NULL;
	size_t size = 0;

	ACL_ENTER();
	pthread_mutex_lock(&lock);
	if (references) {
		references++;
		ret = acl_fail(ACL_ERROR_REPEAT_INITIALIZE,
			       "the runtime is initialised already, which this call may ignore: it "
			       "counts as reference %llu",
			       (unsigned long long)references);
	} else {
		ret = read_config(configPath, &text, &size, &profile);
		first = !ret;
		references = first;
	}
	pthread_mutex_unlock(&lock);
	if (first && anpu_checking()) {
		anpu_site_here(&first_call);
		first_process = getpid();
	}
	if (first) {
		ret = anpu_profile_begin(&profile);
		if (!ret)
			ret = anpu_hooks_init(text, size);
		if (ret)
			undo_init();
	}
	free(text);
	return ret;
}

static aclError not_initialised(void)
{
	return acl_fail(ACL_ERROR_REPEAT_FINALIZE, "the runtime is not initialised: aclInit() was "
						   "not called, or aclFinalize() was already");
}

/* Gives back @count references at most; with @left those that remain */
static aclError finalize(uint64_t count, uint64_t *left)
{
	uint64_t before;

	pthread_mutex_lock(&lock);
	before = references;
	references -= min_u64(before, count);
	if (left)
		*left = references;
	pthread_mutex_unlock(&lock);
	if (!before)
		return not_initialised();
	return before > count ? ACL_SUCCESS : end_use();
}

/* No lock, as a thread that had it may be gone. Libraries in front begin for themselves, and a child of fork() has nothing to give back */
void anpu_init_left(void)
{
	if (references && first_call.api && !strcmp(first_call.api, "aclInit") && first_process == getpid())
		anpu_finding("leak", &first_call,
			     "the program ends without aclFinalize(), which gives everything back and looks for what was never freed; "
			     "the call that began is");
}

void anpu_init_missing(void)
{
	static atomic_flag told = ATOMIC_FLAG_INIT;
	struct anpu_site site;
	bool missing;

	if (!anpu_checking())
		return;
	pthread_mutex_lock(&lock);
	missing = !references;
	pthread_mutex_unlock(&lock);
	anpu_site_here(&site);
	if (missing && site.api && !strcmp(site.api, "aclrtSetDevice") && !atomic_flag_test_and_set(&told))
		anpu_finding("call", &site, "aclInit() comes before any other call: here nothing needs it, and on other devices what "
			     "the runtime needs may not be there");
}

aclError aclFinalize(void)
{
	ACL_ENTER();
	return finalize(UINT64_MAX, NULL);
}

aclError aclFinalizeReference(uint64_t *refCount)
{
	ACL_ENTER();
	return finalize(1, refCount);
}
