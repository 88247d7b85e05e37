// SPDX-License-Identifier: MIT
/*
 * Profiling: each aclprofStart() begins a timeline (Documentation/timeline.md), which aclprofStop() writes to a
 * file of its own in the folder of aclprofInit(). Stamps, ranges and steps are slices of the calling thread's track.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <acl/acl_prof.h>

#include "front.h"

#define PUSHES	32
#define RANGES	256
#define MESSAGE 128

struct aclprofConfig {
	uint64_t data;
};

struct aclprofStepInfo {
	uint64_t begin; /* 0: ACL_STEP_START was not told */
};

struct stamp {
	char message[MESSAGE];
};

struct range {
	bool used;
	uint64_t begin;
	char message[MESSAGE];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* all of these */
static char folder[PATH_MAX];
static bool begun, running;
static unsigned int files;
static struct range ranges[RANGES];

static __thread struct range pushed[PUSHES];
static __thread unsigned int depth;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static aclError stop_locked(const char *api)
{
	int err = anpu_front_trace(NULL);

	running = false;
	return err ? kit_fail(api, ACL_ERROR_PROFILING_FAILURE, "the profile in %s cannot be written: %s", folder,
			      strerror(-err))
		   : ACL_SUCCESS;
}

aclError aclprofInit(const char *profilerResultPath, size_t length)
{
	aclError ret = ACL_SUCCESS;
	struct stat st;

	if (!profilerResultPath || !length || length >= sizeof(folder) - 64)
		return kit_fail(__func__, ACL_ERROR_INVALID_PARAM, "profilerResultPath is NULL, or length %zu is not 1 to %zu",
				length, sizeof(folder) - 65);
	pthread_mutex_lock(&lock);
	if (begun) {
		ret = kit_fail(__func__, ACL_ERROR_PROF_ALREADY_RUN, "profiling has begun already, in %s: call aclprofFinalize() first",
			       folder);
	} else {
		memcpy(folder, profilerResultPath, length);
		folder[length] = 0;
		if (stat(folder, &st) || !S_ISDIR(st.st_mode) || access(folder, W_OK))
			ret = kit_fail(__func__, ACL_ERROR_INVALID_FILE, "'%s' is no folder that this program can write to: make it first",
				       folder);
		else
			begun = true;
	}
	pthread_mutex_unlock(&lock);
	if (!ret)
		anpu_front_trace_prepare();
	return ret;
}

aclError aclprofFinalize(void)
{
	aclError ret = ACL_SUCCESS;

	pthread_mutex_lock(&lock);
	if (!begun)
		ret = kit_fail(__func__, ACL_ERROR_PROF_NOT_RUN, "aclprofInit() was not called");
	else if (running)
		ret = stop_locked(__func__);
	begun = false;
	pthread_mutex_unlock(&lock);
	return ret;
}

aclprofConfig *aclprofCreateConfig(uint32_t *deviceIdList, uint32_t deviceNums, aclprofAicoreMetrics aicoreMetrics,
				   const aclprofAicoreEvents *aicoreEvents, uint64_t dataTypeConfig)
{
	aclprofConfig *config;

	(void)aicoreMetrics; /* the timeline has no such figures: Documentation/timeline.md */
	(void)aicoreEvents;
	if (deviceNums && !deviceIdList) {
		kit_fail(__func__, ACL_ERROR_INVALID_PARAM, "deviceIdList is NULL and deviceNums is %u", deviceNums);
		return NULL;
	}
	config = malloc(sizeof(*config));
	if (config)
		config->data = dataTypeConfig;
	else
		kit_fail(__func__, ACL_ERROR_BAD_ALLOC, "no memory for a configuration");
	return config;
}

aclError aclprofDestroyConfig(const aclprofConfig *profilerConfig)
{
	if (!profilerConfig)
		return kit_fail(__func__, ACL_ERROR_INVALID_PARAM, "profilerConfig is NULL");
	free((void *)(uintptr_t)profilerConfig);
	return ACL_SUCCESS;
}

static aclError start_locked(const char *api)
{
	char path[PATH_MAX];
	int err;

	snprintf(path, sizeof(path), "%.*s/anpu_%d_%u.json", (int)sizeof(folder) - 64, folder, getpid(), files++);
	err = anpu_front_trace(path);
	if (err == -EBUSY)
		return kit_fail(api, ACL_ERROR_PROF_API_CONFLICT,
				"a timeline is recorded already, because ANPU_TRACE is in the environment or the configuration of aclInit() "
				"has profiler: leave that out");
	if (err)
		return kit_fail(api, ACL_ERROR_PROFILING_FAILURE, "'%.255s' cannot be written: %s", path, strerror(-err));
	running = true;
	return ACL_SUCCESS;
}

aclError aclprofStart(const aclprofConfig *profilerConfig)
{
	aclError ret;

	if (!profilerConfig)
		return kit_fail(__func__, ACL_ERROR_INVALID_PARAM, "profilerConfig is NULL");
	pthread_mutex_lock(&lock);
	if (!begun)
		ret = kit_fail(__func__, ACL_ERROR_PROF_NOT_RUN, "aclprofInit() was not called");
	else if (running)
		ret = kit_fail(__func__, ACL_ERROR_PROF_ALREADY_RUN, "profiling runs already: call aclprofStop() first");
	else
		ret = start_locked(__func__);
	pthread_mutex_unlock(&lock);
	return ret;
}

aclError aclprofStop(const aclprofConfig *profilerConfig)
{
	aclError ret;

	if (!profilerConfig)
		return kit_fail(__func__, ACL_ERROR_INVALID_PARAM, "profilerConfig is NULL");
	pthread_mutex_lock(&lock);
	ret = running ? stop_locked(__func__)
		      : kit_fail(__func__, ACL_ERROR_PROF_NOT_RUN, "profiling does not run: call aclprofStart() first");
	pthread_mutex_unlock(&lock);
	return ret;
}

/* Steps, stamps and ranges ------------------------------------------------------------------------ */

aclprofStepInfo *aclprofCreateStepInfo(void)
{
	aclprofStepInfo *step = calloc(1, sizeof(*step));

	if (!step)
		kit_fail(__func__, ACL_ERROR_BAD_ALLOC, "no memory for a step");
	return step;
}

void aclprofDestroyStepInfo(aclprofStepInfo *stepinfo)
{
	free(stepinfo);
}

/* The time is the calling thread's: what is queued in @stream by then has its own place in the timeline */
aclError aclprofGetStepTimestamp(aclprofStepInfo *stepInfo, aclprofStepTag tag, aclrtStream stream)
{
	(void)stream;
	if (!stepInfo || (tag != ACL_STEP_START && tag != ACL_STEP_END))
		return kit_fail(__func__, ACL_ERROR_INVALID_PARAM, "stepInfo is NULL, or tag %d does not exist", (int)tag);
	if (tag == ACL_STEP_START) {
		stepInfo->begin = now();
		return ACL_SUCCESS;
	}
	if (!stepInfo->begin)
		return kit_fail(__func__, ACL_ERROR_INVALID_PARAM, "the step was not begun: pass ACL_STEP_START first");
	anpu_front_mark("step", stepInfo->begin, now());
	stepInfo->begin = 0;
	return ACL_SUCCESS;
}

void *aclprofCreateStamp(void)
{
	struct stamp *stamp = calloc(1, sizeof(*stamp));

	if (!stamp)
		kit_fail(__func__, ACL_ERROR_BAD_ALLOC, "no memory for a stamp");
	return stamp;
}

void aclprofDestroyStamp(void *stamp)
{
	free(stamp);
}

aclError aclprofSetStampTraceMessage(void *stamp, const char *msg, uint32_t msgLen)
{
	struct stamp *s = stamp;

	if (!s || !msg || msgLen >= MESSAGE)
		return kit_fail(__func__, ACL_ERROR_INVALID_PARAM, "stamp or msg is NULL, or msgLen %u is above %d", msgLen,
				MESSAGE - 1);
	memcpy(s->message, msg, msgLen);
	s->message[msgLen] = 0;
	return ACL_SUCCESS;
}

aclError aclprofPush(void *stamp)
{
	if (!stamp)
		return kit_fail(__func__, ACL_ERROR_INVALID_PARAM, "stamp is NULL");
	if (depth == PUSHES)
		return kit_fail(__func__, ACL_ERROR_PROFILING_FAILURE, "%d stamps are pushed in this thread: call aclprofPop()",
				PUSHES);
	pushed[depth].begin = now();
	strcpy(pushed[depth++].message, ((struct stamp *)stamp)->message);
	return ACL_SUCCESS;
}

aclError aclprofPop(void)
{
	if (!depth)
		return kit_fail(__func__, ACL_ERROR_PROFILING_FAILURE, "no stamp is pushed in this thread");
	depth--;
	anpu_front_mark(pushed[depth].message, pushed[depth].begin, now());
	return ACL_SUCCESS;
}

aclError aclprofMark(void *stamp)
{
	uint64_t at = now();

	if (!stamp)
		return kit_fail(__func__, ACL_ERROR_INVALID_PARAM, "stamp is NULL");
	anpu_front_mark(((struct stamp *)stamp)->message, at, at);
	return ACL_SUCCESS;
}

aclError aclprofRangeStart(void *stamp, uint32_t *rangeId)
{
	uint32_t i;

	if (!stamp || !rangeId)
		return kit_fail(__func__, ACL_ERROR_INVALID_PARAM, "stamp or rangeId is NULL");
	pthread_mutex_lock(&lock);
	for (i = 0; i < RANGES && ranges[i].used; i++)
		;
	if (i < RANGES) {
		ranges[i].used = true;
		ranges[i].begin = now();
		strcpy(ranges[i].message, ((struct stamp *)stamp)->message);
	}
	pthread_mutex_unlock(&lock);
	if (i == RANGES)
		return kit_fail(__func__, ACL_ERROR_PROFILING_FAILURE, "%d ranges are open: call aclprofRangeStop()", RANGES);
	*rangeId = i;
	return ACL_SUCCESS;
}

aclError aclprofRangeStop(uint32_t rangeId)
{
	struct range range = { 0 };

	pthread_mutex_lock(&lock);
	if (rangeId < RANGES) {
		range = ranges[rangeId];
		ranges[rangeId].used = false;
	}
	pthread_mutex_unlock(&lock);
	if (!range.used)
		return kit_fail(__func__, ACL_ERROR_INVALID_PARAM, "range %u is not open", rangeId);
	anpu_front_mark(range.message, range.begin, now());
	return ACL_SUCCESS;
}
