// SPDX-License-Identifier: MIT
/*
 * Start and end of the runtime in a process, its configuration, and versions.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "anpu_lib.h"
#include "json.h"

#define CONFIG_MAX (1 << 20)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t references;
static struct anpu_config config = { .default_device = -1 };
static bool configured;

const struct anpu_config *anpu_config(void)
{
	return &config;
}

struct parse {
	struct anpu_config config;
	char *why;
	size_t why_size;
};

static bool is(const struct anpu_json_text *t, const char *s)
{
	return t->size == strlen(s) && !memcmp(t->at, s, t->size);
}

/* Keys that this runtime does not know belong to other parts of a full installation */
static int take_option(void *user, const struct anpu_json_text *keys, unsigned int depth,
		       enum anpu_json_kind kind, struct anpu_json_text value)
{
	struct parse *p = user;
	char digits[8] = "";
	char *end;

	if (!depth && kind != ANPU_JSON_OBJECT) {
		snprintf(p->why, p->why_size, "the text is no JSON object in braces");
		return -1;
	}
	if (depth != 2 || !is(&keys[0], "defaultDevice") || !is(&keys[1], "default_device"))
		return 0;
	if ((kind == ANPU_JSON_STRING || kind == ANPU_JSON_NUMBER) && value.size < sizeof(digits))
		memcpy(digits, value.at, value.size);
	p->config.default_device = strtol(digits, &end, 10);
	if (!*digits || *end || p->config.default_device < 0) {
		snprintf(p->why, p->why_size,
			 "defaultDevice.default_device is '%.*s' and must be the number of a "
			 "device, for example \"0\"",
			 (int)(value.size < 32 ? value.size : 32), value.at);
		return -1;
	}
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

static aclError read_config(const char *path)
{
	char why[160] = "";
	struct parse p = { .config = { .default_device = -1 },
			   .why = why,
			   .why_size = sizeof(why) };
	size_t size = 0;
	char *text;
	int err;

	if (!path)
		return ACL_SUCCESS;
	text = read_file(path, &size);
	if (!text)
		return ACL_ERROR_INVALID_FILE;
	err = anpu_json_read(text, size, take_option, &p, why, sizeof(why));
	free(text);
	if (err)
		return acl_fail(ACL_ERROR_PARSE_FILE, "the configuration '%s' cannot be used: %s",
				path, why);
	config = p.config;
	return ACL_SUCCESS;
}

aclError aclInit(const char *configPath)
{
	aclError ret = ACL_SUCCESS;

	ACL_ENTER();
	pthread_mutex_lock(&lock);
	if (references) {
		references++;
		ret = acl_fail(ACL_ERROR_REPEAT_INITIALIZE,
			       "the runtime is initialised already, which this call may ignore: it "
			       "counts as reference %llu",
			       (unsigned long long)references);
	} else {
		/* only the configuration of the first call in the process counts */
		if (!configured)
			ret = read_config(configPath);
		if (!ret) {
			configured = true;
			references = 1;
		}
	}
	pthread_mutex_unlock(&lock);
	return ret;
}

/* Lock held */
static aclError finalize(void)
{
	references = 0;
	config.default_device = -1;
	configured = false;
	return anpu_contexts_end_all();
}

static aclError not_initialised(void)
{
	return acl_fail(ACL_ERROR_REPEAT_FINALIZE, "the runtime is not initialised: aclInit() was "
						   "not called, or aclFinalize() was already");
}

aclError aclFinalize(void)
{
	aclError ret;

	ACL_ENTER();
	pthread_mutex_lock(&lock);
	ret = references ? finalize() : not_initialised();
	pthread_mutex_unlock(&lock);
	return ret;
}

aclError aclFinalizeReference(uint64_t *refCount)
{
	aclError ret = ACL_SUCCESS;

	ACL_ENTER();
	pthread_mutex_lock(&lock);
	if (!references)
		ret = not_initialised();
	else if (references == 1)
		ret = finalize();
	else
		references--;
	if (refCount)
		*refCount = references;
	pthread_mutex_unlock(&lock);
	return ret;
}

aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion, int32_t *patchVersion)
{
	ACL_ENTER();
	ACL_CHECK_PTR(majorVersion);
	ACL_CHECK_PTR(minorVersion);
	ACL_CHECK_PTR(patchVersion);
	*majorVersion = ACL_MAJOR_VERSION;
	*minorVersion = ACL_MINOR_VERSION;
	*patchVersion = ACL_PATCH_VERSION;
	return ACL_SUCCESS;
}
