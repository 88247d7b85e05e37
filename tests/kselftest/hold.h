/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Means to have two things meet that otherwise meet by luck: a page that holds whoever touches it,
 * where in the kernel a task is, and who gets the processor.
 */
#ifndef ANPU_TEST_HOLD_H
#define ANPU_TEST_HOLD_H

#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>

#include "anpu_test.h"

/* A page that is not there: who touches it, in an ioctl, too, sleeps until page_release(). */
struct held_page {
	int fd;
	void *page;
};

/* Returns 0 or -errno: a kernel may have no userfaultfd. */
static inline int page_hold(struct held_page *held)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = {
		.range.len = PAGE, .mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	/* Of one that blocks poll() says nothing. */
	held->fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (held->fd < 0)
		return -errno;
	held->page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	reg.range.start = (uintptr_t)held->page;
	if (held->page == MAP_FAILED || ioctl(held->fd, UFFDIO_API, &api) ||
	    ioctl(held->fd, UFFDIO_REGISTER, &reg))
		return -errno;
	return 0;
}

/* Comes back when somebody is held. */
static inline int page_held(struct held_page *held)
{
	struct pollfd pfd = { .fd = held->fd, .events = POLLIN };

	return poll(&pfd, 1, 30000 * anpu_slow()) == 1 && pfd.revents == POLLIN ? 0 : -ETIME;
}

/* They go on, and find this there. */
static inline int page_release(struct held_page *held, const void *data, size_t size)
{
	_Alignas(4096) char page[PAGE] = {};
	struct uffdio_copy copy = {
		.dst = (uintptr_t)held->page, .src = (uintptr_t)page, .len = PAGE,
	};

	memcpy(page, data, size);
	return ioctl(held->fd, UFFDIO_COPY, &copy) ? -errno : 0;
}

/* Is any of the tasks whose files match, /proc/PID/stack, in that function of the kernel? */
static inline bool stack_has(const char *pattern, const char *function)
{
	bool found = false;
	glob_t stacks;

	if (glob(pattern, 0, NULL, &stacks))
		return false;
	for (size_t i = 0; i < stacks.gl_pathc && !found; i++) {
		char text[4096];

		read_some(stacks.gl_pathv[i], text, sizeof(text));
		found = strstr(text, function);
	}
	globfree(&stacks);
	return found;
}

/* Does a thread sleep in that function? */
static inline bool asleep_in(pid_t tid, const char *function)
{
	char path[64], text[256];

	snprintf(path, sizeof(path), "/proc/self/task/%d/stack", tid);
	if (!tid || !stack_has(path, function))
		return false;
	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	read_some(path, text, sizeof(text));
	/* Its state is behind the name. */
	return strstr(text, ") D ") || strstr(text, ") S ");
}

/* 0: as any program; else before all those, and before who has a lower one. Returns 0 or -errno. */
static inline int set_first(pid_t tid, int priority)
{
	struct sched_param param = { .sched_priority = priority };

	return sched_setscheduler(tid, priority ? SCHED_FIFO : SCHED_OTHER, &param) ? -errno : 0;
}

/* Only while nobody else wants the processor, nearly. Returns 0 or -errno. */
static inline int set_last(pid_t tid)
{
	struct sched_param param = { .sched_priority = 0 };

	return sched_setscheduler(tid, SCHED_IDLE, &param) ? -errno : 0;
}

/* Wants the processor all the time, so that who is set_last() stays where in the kernel it is. */
struct hog {
	pthread_t thread;
	_Atomic bool stop;
};

static inline void *hog_main(void *arg)
{
	struct hog *hog = arg;

	while (!hog->stop)
		;
	return NULL;
}

static inline int hog_start(struct hog *hog)
{
	hog->stop = false;
	return pthread_create(&hog->thread, NULL, hog_main, hog);
}

static inline void hog_stop(struct hog *hog)
{
	hog->stop = true;
	pthread_join(hog->thread, NULL);
}

/* With a priority: until that is so, the processor is for those alone who have no lower one. */
static inline bool hog_until(const _Atomic bool *done)
{
	int64_t end = late();

	while (!*done && now_ns() < end)
		sched_yield();
	return *done;
}

#endif /* ANPU_TEST_HOLD_H */
