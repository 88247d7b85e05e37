// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The n-th allocation (or copy from or to user memory) of a call fails, for n = 1, 2, 3, ... until the
 * call needs no more: it gives a documented error, keeps nothing, and works when it is called again.
 * Needs a kernel with fault injection: Documentation/testing.md.
 */
#include <dirent.h>
#include <glob.h>
#include <linux/udmabuf.h>
#include <sys/syscall.h>

#include "fence.h"
#include "census.h"
#include "errnos.h"

#define DRIVER		"/sys/bus/pci/drivers/anpu"
#define FAULTS		"/sys/kernel/debug/"
#define TIMES_MAX	4000

/* Exit statuses of the children. */
enum { FAILED_WELL = 0, NO_FAULT = 100, BAD = 101 };

/* The objects of a call: made anew for each n, in a process of its own. */
struct scene {
	int fd;
	int other;
	uint32_t bo;
	struct stream s;
	uint64_t *mem;
	int dmabuf;
	void *user;
	uint64_t result;
};

struct trial {
	const char *name;
	int which;		/* enum known_ioctl, -1 if it is no ioctl */
	int (*call)(struct scene *s);
	/* Undoes a call that has succeeded; without it, it is not tried again after a success. */
	void (*undo)(struct scene *s);
};

/* Calls ---------------------------------------------------------------------------------------- */

static int try_open(struct scene *s)
{
	s->other = anpu_open();
	return s->other < 0 ? s->other : 0;
}

static void undo_open(struct scene *s)
{
	close(s->other);
}

static int try_query(struct scene *s)
{
	struct drm_anpu_memory_info info;

	return memory_info(s->fd, &info);
}

static int create(struct scene *s, uint32_t type, uint64_t size, void *user)
{
	uint32_t handle;
	int ret = bo_create(s->fd, type, size, 0, (uintptr_t)user, &handle);

	s->result = handle;
	return ret;
}

static int try_hbm(struct scene *s)
{
	return create(s, DRM_ANPU_BO_HBM, 4 * MIB, NULL);
}

static int try_system(struct scene *s)
{
	return create(s, DRM_ANPU_BO_SYSTEM, 16 * PAGE, NULL);
}

static int try_userptr(struct scene *s)
{
	return create(s, DRM_ANPU_BO_USERPTR, 4 * PAGE, s->user);
}

static void undo_bo(struct scene *s)
{
	bo_close(s->fd, s->result);
}

static int try_mmap_offset(struct scene *s)
{
	struct drm_anpu_bo_mmap_offset args = { .handle = s->bo };

	return do_ioctl(s->fd, DRM_IOCTL_ANPU_BO_MMAP_OFFSET, &args);
}

static int try_mmap(struct scene *s)
{
	struct drm_anpu_bo_mmap_offset args = { .handle = s->bo };
	void *p;

	if (do_ioctl(s->fd, DRM_IOCTL_ANPU_BO_MMAP_OFFSET, &args))
		return -errno;
	p = mmap(NULL, 4 * MIB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, s->fd, args.offset);
	s->result = (uintptr_t)p;
	return p == MAP_FAILED ? -errno : 0;
}

static void undo_mmap(struct scene *s)
{
	munmap((void *)s->result, 4 * MIB);
}

/* Page faults have no error: the process must see its data all the same. */
static int try_touch(struct scene *s)
{
	uint64_t *p = bo_map(s->fd, s->bo, 4 * MIB);

	if (p == MAP_FAILED)
		return -errno;
	p[1] = 42;
	if (s->mem[1] != 42)
		_exit(BAD);
	return munmap(p, 4 * MIB) ? -errno : 0;
}

static int try_bind(struct scene *s)
{
	struct drm_anpu_vm_bind_op ops[3] = {
		{ .op = DRM_ANPU_VM_MAP, .flags = RW, .va = VA(4), .size = 4 * MIB, .handle = s->bo },
		{ .op = DRM_ANPU_VM_UNMAP, .va = VA(4) + PAGE, .size = PAGE },
		{ .op = DRM_ANPU_VM_REPLACE, .flags = RW, .va = VA(0) + MIB, .size = PAGE,
		  .handle = s->bo },
	};

	return vm_bind(s->fd, ops, 3, NULL);
}

static void undo_bind(struct scene *s)
{
	vm_unmap(s->fd, VA(4), 4 * MIB);
	vm_unmap(s->fd, VA(0) + MIB, PAGE);
}

static int try_stream(struct scene *s)
{
	struct drm_anpu_stream_create args = { .priority = 4, .ring_entries = 16,
		.flags = DRM_ANPU_STREAM_USER_QUEUE };
	int ret = do_ioctl(s->fd, DRM_IOCTL_ANPU_STREAM_CREATE, &args);

	s->result = args.stream;
	return ret;
}

static void undo_stream(struct scene *s)
{
	stream_destroy(s->fd, s->result);
}

static int try_stream_map(struct scene *s)
{
	void *p = mmap(NULL, PAGE, PROT_READ, MAP_SHARED | MAP_POPULATE, s->fd, s->s.offset);

	s->result = (uintptr_t)p;
	return p == MAP_FAILED ? -errno : 0;
}

static void undo_stream_map(struct scene *s)
{
	munmap((void *)s->result, PAGE);
}

static int try_stream_destroy(struct scene *s)
{
	struct drm_anpu_stream_destroy args = { .stream = s->s.id };

	return do_ioctl(s->fd, DRM_IOCTL_ANPU_STREAM_DESTROY, &args);
}

static int try_stream_set(struct scene *s)
{
	struct drm_anpu_stream_set args = { .stream = s->s.id };

	return do_ioctl(s->fd, DRM_IOCTL_ANPU_STREAM_SET, &args);
}

static int try_submit(struct scene *s)
{
	union anpu_packet pkts[2] = { pkt_fill(VA(0), PAGE, 3), pkt_notify(1, 2) };

	return submit(s->fd, s->s.id, pkts, 2, NULL);
}

/* A job that waits, gives out all kinds of fences, and shares an object. */
static int try_job(struct scene *s)
{
	struct drm_anpu_stream_create create = { .priority = 4, .flags = DRM_ANPU_STREAM_BOUNDED };
	static uint32_t stream, in, outs[2];
	union anpu_packet pkts[2] = { pkt_fill(VA(0), PAGE, 3), pkt_nop() };
	struct drm_anpu_job_object object = { s->bo, DRM_ANPU_OBJECT_WRITE };
	struct drm_anpu_fence waits = { .type = DRM_ANPU_FENCE_SYNCOBJ }, out[3] = {
		{ .type = DRM_ANPU_FENCE_SYNCOBJ }, { .type = DRM_ANPU_FENCE_SYNCOBJ, .point = 3 },
		{ .type = DRM_ANPU_FENCE_SYNC_FILE },
	};
	struct drm_anpu_submit_job args = { .packets = ARRAY(pkts, 2), .in = ARRAY(&waits, 1),
		.out = ARRAY(out, 3), .objects = ARRAY(&object, 1) };
	int ret;

	if (!stream && !do_ioctl(s->fd, DRM_IOCTL_ANPU_STREAM_CREATE, &create))
		stream = create.stream;
	if (!in)
		syncobj_create(s->fd, DRM_SYNCOBJ_CREATE_SIGNALED, &in);
	for (int i = 0; i < 2; i++) {
		if (!outs[i])
			syncobj_create(s->fd, 0, &outs[i]);
		out[i].handle = outs[i];
	}
	/* A call before the job may have had the failure. */
	if (!stream || !in || !outs[0] || !outs[1])
		return -ENOMEM;
	args.stream = stream;
	waits.handle = in;
	ret = do_ioctl(s->fd, DRM_IOCTL_ANPU_SUBMIT_JOB, &args);
	s->result = out[2].handle;
	return ret;
}

static void undo_job(struct scene *s)
{
	file_wait(s->result);
	close(s->result);
}

static int try_wait(struct scene *s)
{
	struct drm_anpu_wait_item items[8];

	for (int i = 0; i < 8; i++)
		items[i] = (struct drm_anpu_wait_item){ .type = DRM_ANPU_WAIT_MEMORY,
			.handle = s->bo, .mask = 0, .width = 8 };
	items[7] = (struct drm_anpu_wait_item){ .stream = s->s.id, .value = 1 };
	return wait_items(s->fd, items, 8, DRM_ANPU_WAIT_ALL, INT64_MAX, NULL);
}

static int try_state(struct scene *s)
{
	struct drm_anpu_stream_get_state state;
	struct anpu_fault fault;

	return get_state(s->fd, s->s.id, &state, 1, &fault);
}

static int try_subscribe(struct scene *s)
{
	struct drm_anpu_event_subscribe args = { .mask = 7 };

	return do_ioctl(s->fd, DRM_IOCTL_ANPU_EVENT_SUBSCRIBE, &args);
}

static int reset(struct scene *s, uint32_t scope)
{
	struct drm_anpu_reset args = { .scope = scope,
		.stream = scope == DRM_ANPU_RESET_DEVICE ? 0 : s->s.id };

	return do_ioctl(s->fd, DRM_IOCTL_ANPU_RESET, &args);
}

static int try_reset_stream(struct scene *s)
{
	return reset(s, DRM_ANPU_RESET_STREAM);
}

static int try_abort(struct scene *s)
{
	return reset(s, DRM_ANPU_ABORT_STREAM);
}

static int try_end_task(struct scene *s)
{
	struct drm_anpu_reset args = { .scope = DRM_ANPU_END_TASK, .stream = s->s.id,
				       .seq = s->s.status->completed + 1 };

	return do_ioctl(s->fd, DRM_IOCTL_ANPU_RESET, &args);
}

/* The coredump needs memory, the reset does not. */
static int try_reset_device(struct scene *s)
{
	return reset(s, DRM_ANPU_RESET_DEVICE);
}

static int export_bo(struct scene *s)
{
	struct drm_prime_handle args = { .handle = s->bo, .flags = DRM_CLOEXEC | DRM_RDWR };
	int ret = do_ioctl(s->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args);

	s->result = args.fd;
	return ret;
}

static void undo_export(struct scene *s)
{
	close(s->result);
}

static int import_bo(struct scene *s, int fd)
{
	struct drm_prime_handle args = { .fd = s->dmabuf };
	int ret = do_ioctl(fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &args);

	s->result = args.handle;
	return ret;
}

static int try_import(struct scene *s)
{
	return import_bo(s, s->other);
}

static void undo_import(struct scene *s)
{
	bo_close(s->other, s->result);
}

static int try_udmabuf(struct scene *s)
{
	return import_bo(s, s->fd);
}

static int try_gem_close(struct scene *s)
{
	return bo_close(s->fd, s->bo);
}

static int try_close(struct scene *s)
{
	return close(s->fd) ? -errno : 0;
}

static int try_fdinfo(struct scene *s)
{
	char path[64], text[4096];
	int fd, ret;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", s->fd);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return -errno;
	ret = read(fd, text, sizeof(text)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

static const struct trial trials[] = {
	{ "open", -1, try_open, undo_open },
	{ "DEV_QUERY", IOCTL_DEV_QUERY, try_query },
	{ "BO_CREATE of HBM", IOCTL_BO_CREATE, try_hbm, undo_bo },
	{ "BO_CREATE of system memory", IOCTL_BO_CREATE, try_system, undo_bo },
	{ "BO_CREATE of user memory", IOCTL_BO_CREATE, try_userptr, undo_bo },
	{ "BO_MMAP_OFFSET", IOCTL_BO_MMAP_OFFSET, try_mmap_offset },
	{ "mmap", -1, try_mmap, undo_mmap },
	{ "page faults", -1, try_touch },
	{ "VM_BIND", IOCTL_VM_BIND, try_bind, undo_bind },
	{ "STREAM_CREATE", IOCTL_STREAM_CREATE, try_stream, undo_stream },
	{ "mmap of a stream's page", -1, try_stream_map, undo_stream_map },
	{ "STREAM_DESTROY", IOCTL_STREAM_DESTROY, try_stream_destroy },
	{ "STREAM_SET", IOCTL_STREAM_SET, try_stream_set },
	{ "SUBMIT", IOCTL_SUBMIT, try_submit },
	{ "SUBMIT_JOB", IOCTL_SUBMIT_JOB, try_job, undo_job },
	{ "WAIT", IOCTL_WAIT, try_wait },
	{ "STREAM_GET_STATE", IOCTL_STREAM_GET_STATE, try_state },
	{ "EVENT_SUBSCRIBE", IOCTL_EVENT_SUBSCRIBE, try_subscribe },
	{ "RESET of a stream", IOCTL_RESET, try_reset_stream },
	{ "RESET with ABORT", IOCTL_RESET, try_abort },
	{ "RESET with END_TASK", IOCTL_RESET, try_end_task },
	{ "RESET of the device", IOCTL_RESET, try_reset_device },
	{ "PRIME_HANDLE_TO_FD", IOCTL_PRIME_EXPORT, export_bo, undo_export },
	{ "PRIME_FD_TO_HANDLE", IOCTL_PRIME_IMPORT, try_import, undo_import },
	{ "PRIME_FD_TO_HANDLE of a udmabuf", IOCTL_PRIME_IMPORT, try_udmabuf },
	{ "GEM_CLOSE", IOCTL_GEM_CLOSE, try_gem_close },
	{ "close", -1, try_close },
	{ "fdinfo", -1, try_fdinfo },
};

/* Scenes --------------------------------------------------------------------------------------- */

static int make_udmabuf(void)
{
	struct udmabuf_create create = { .size = 4 * PAGE, .flags = UDMABUF_FLAGS_CLOEXEC };
	int dev = open("/dev/udmabuf", O_RDWR), fd;

	create.memfd = memfd_create("anpu", MFD_ALLOW_SEALING);
	if (dev < 0 || ftruncate(create.memfd, create.size) || fcntl(create.memfd, F_ADD_SEALS, F_SEAL_SHRINK))
		return -1;
	fd = ioctl(dev, UDMABUF_CREATE, &create);
	close(dev);
	return fd;
}

static int make_scene(struct scene *s, const struct trial *t)
{
	union anpu_packet bad = pkt_fill(8, 8, 0);

	memset(s, 0, sizeof(*s));
	s->fd = anpu_open();
	s->mem = make_buffer(s->fd, DRM_ANPU_BO_HBM, 4 * MIB, VA(0), RW, &s->bo);
	s->user = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (s->mem == MAP_FAILED || s->user == MAP_FAILED || stream_create(s->fd, 0, 16, &s->s))
		return -1;
	s->mem[0] = 0;
	if (t->call == try_import) {
		if (export_bo(s))
			return -1;
		s->dmabuf = s->result;
		s->other = anpu_open();
	}
	if (t->call == try_udmabuf)
		s->dmabuf = make_udmabuf();
	/* A failure, for STREAM_GET_STATE. */
	return run(s->fd, s->s.id, &bad, 1);
}

static int fail_nth = -1;

static void arm(int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", n);

	if (pwrite(fail_nth, text, len, 0) != len)
		_exit(BAD);
}

/* Was there a fault? If not, it may hit what asks for it and what ends it, which copy, too. */
static bool disarm(void)
{
	char text[16] = "";
	ssize_t n = pread(fail_nth, text, sizeof(text) - 1, 0);

	while (pwrite(fail_nth, "0", 1, 0) != 1)
		;
	return n > 0 && !atoi(text);
}

static bool allowed(const struct trial *t, int ret)
{
	if (!ret)
		return true;
	/* A file of /proc that has no inode is none. */
	if (t->call == try_fdinfo && ret == -ENOENT)
		return true;
	return t->which < 0 ? ret == -ENOMEM || ret == -EFAULT || ret == -EAGAIN || ret == -ENFILE :
		is_documented(t->which, -ret);
}

/* With the n-th failing: a child's whole life. */
static int trial_once(const struct trial *t, int n)
{
	struct drm_anpu_memory_info before = {}, after = {};
	struct scene s;
	bool fault;
	int ret, again;

	if (make_scene(&s, t))
		return BAD;
	memory_info(s.fd, &before);
	arm(n);
	ret = t->call(&s);
	fault = disarm();
	if (!fault)
		return ret ? BAD : NO_FAULT;
	if (!allowed(t, ret)) {
		fprintf(stderr, "# %s, fault %d: %s\n", t->name, n, strerror(-ret));
		return BAD;
	}
	if (ret == -ENOMEM) {
		memory_info(s.fd, &after);
		if (before.own_hbm != after.own_hbm || before.own_system != after.own_system) {
			fprintf(stderr, "# %s, fault %d: memory is kept\n", t->name, n);
			return BAD;
		}
	}
	if (!ret && t->undo)
		t->undo(&s);
	/* A call that failed with EFAULT may have done its work and lost only the result. */
	if ((ret && ret != -EFAULT) || (!ret && t->undo)) {
		again = t->call(&s);
		if (again) {
			fprintf(stderr, "# %s, fault %d: then %s\n", t->name, n, strerror(-again));
			return BAD;
		}
	}
	return FAILED_WELL;
}

/* How many faults it took, or -1. */
static int trial_all(const struct trial *t)
{
	int status;

	for (int n = 1; n < TIMES_MAX; n++) {
		pid_t pid = fork();

		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			fail_nth = open("/proc/thread-self/fail-nth", O_RDWR);
			_exit(trial_once(t, n));
		}
		waitpid(pid, &status, 0);
		if (WIFEXITED(status) && WEXITSTATUS(status) == NO_FAULT)
			return n - 1;
		if (status) {
			fprintf(stderr, "# %s, fault %d: status %#x\n", t->name, n, status);
			return -1;
		}
	}
	return -1;
}

/* Tests ---------------------------------------------------------------------------------------- */

/*
 * No faults inside of drm_dev_init(): in 6.12 DRM follows an error pointer when a part of it fails
 * (drm_minor_alloc_release()).
 */
static void spare_drm(void)
{
	unsigned long start = 0, end = ~0UL, at;
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[256], name[128], text[32];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx %*c %127s", &at, name) == 2 && !strcmp(name, "drm_dev_init"))
			start = at;
	}
	for (rewind(f); start && fgets(line, sizeof(line), f);) {
		if (sscanf(line, "%lx", &at) == 1 && at > start && at < end)
			end = at;
	}
	fclose(f);
	for (int i = 0; start && i < 4; i++) {
		snprintf(line, sizeof(line), FAULTS "%s/reject-%s", i & 2 ? "failslab" :
			 "fail_page_alloc", i & 1 ? "start" : "end");
		snprintf(text, sizeof(text), "%#lx", i & 1 ? start : end);
		write_file(line, text);
	}
}

/*
 * None in the names of /proc either: the kernel makes the files of an interrupt without looking at
 * what comes out, and warns of each that is not there in the end.
 */
static void spare_proc(void)
{
	glob_t found;

	if (glob("/sys/kernel/slab/*/failslab", 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		write_file(found.gl_pathv[i],
			   strstr(found.gl_pathv[i], "/proc_dir_entry/") ? "0" : "1");
	globfree(&found);
	write_file(FAULTS "failslab/cache-filter", "1");
}

FIXTURE(failnth) {
	char device[64];
	struct census before;
	int log;
};

FIXTURE_SETUP(failnth)
{
	static const char * const files[][2] = {
		{ FAULTS "failslab/ignore-gfp-wait", "0" }, { FAULTS "failslab/verbose", "0" },
		{ FAULTS "fail_page_alloc/ignore-gfp-wait", "0" },
		{ FAULTS "fail_page_alloc/ignore-gfp-highmem", "0" },
		{ FAULTS "fail_page_alloc/min-order", "0" }, { FAULTS "fail_page_alloc/verbose", "0" },
		{ FAULTS "fail_usercopy/verbose", "0" },
	};
	struct dirent *entry;
	DIR *dir;

	if (access("/proc/self/fail-nth", W_OK) || access(FAULTS "failslab", F_OK))
		SKIP(return, "this kernel has no fault injection");
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		write_file(files[i][0], files[i][1]);
	spare_drm();
	spare_proc();
	dir = opendir(DRIVER);
	ASSERT_NE(NULL, dir);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '0')
			snprintf(self->device, sizeof(self->device), "%.60s", entry->d_name);
	}
	closedir(dir);
	self->log = klog_open();
	ASSERT_EQ(0, census_take(&self->before));
}

FIXTURE_TEARDOWN(failnth)
{
	/* For the next test, if this one has failed in between; else it is bound. */
	write_file(DRIVER "/bind", self->device);
	census_free(&self->before);
}

TEST_F_TIMEOUT(failnth, calls, 3600)
{
	int faults = 0;

	for (size_t i = 0; i < sizeof(trials) / sizeof(*trials); i++) {
		int n;

		if (trials[i].call == try_udmabuf && access("/dev/udmabuf", F_OK)) {
			TH_LOG("no /dev/udmabuf in this kernel");
			continue;
		}
		n = trial_all(&trials[i]);
		EXPECT_LE(0, n);
		TH_LOG("%s: %d", trials[i].name, n);
		faults += n < 0 ? 0 : n;
	}
	EXPECT_GT(faults, 100);
	EXPECT_EQ(0, klog_check(self->log));
	EXPECT_EQ(0, census_compare(&self->before, faults));
}

static int setting(const char *name)
{
	const char *text = getenv(name);
	int n = text ? atoi(text) : 1;

	return n > 0 ? n : 1;
}

/* Only every n-th, for who has little time: each costs a bind and an unbind. */
static int step(void)
{
	return setting("ANPU_FAILNTH_STEP");
}

/* Which is the first, to look at one again. */
static int from(void)
{
	return setting("ANPU_FAILNTH_FROM");
}

/* One write between arm() and disarm(), and nothing else that may fail. */
static int write_with_fault(const char *path, const char *text, int n, bool *fault)
{
	int fd = open(path, O_WRONLY), ret;

	arm(n);
	ret = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	*fault = disarm();
	close(fd);
	return ret;
}

/* The driver takes the device: each of its allocations fails once. */
TEST_F_TIMEOUT(failnth, bind, 3600)
{
	bool fault = true;
	int n, ret = 0;

	ASSERT_EQ(0, mlockall(MCL_CURRENT | MCL_FUTURE));
	fail_nth = open("/proc/thread-self/fail-nth", O_RDWR);
	ASSERT_EQ(0, write_file(DRIVER "/unbind", self->device));
	for (n = from(); fault && n < TIMES_MAX; n += step()) {
		ret = write_with_fault(DRIVER "/bind", self->device, n, &fault);
		/*
		 * Some allocations it can do without. For PCI a region that it cannot note is a busy
		 * one, an interrupt that it cannot note one too many, and devm_memremap() always
		 * says ENXIO.
		 */
		if (ret && ret != -ENOMEM && ret != -EFAULT && ret != -EINTR && ret != -ENODEV &&
		    ret != -EBUSY && ret != -ENXIO && ret != -ENOSPC) {
			TH_LOG("fault %d: %s", n, strerror(-ret));
			EXPECT_EQ(-ENOMEM, ret);
			break;
		}
		if (!ret)
			ASSERT_EQ(0, write_file(DRIVER "/unbind", self->device));
	}
	TH_LOG("%d faults", n - step() - 1);
	ASSERT_EQ(0, write_file(DRIVER "/bind", self->device));
	/* It did its work at last, with a fault that was not needed any more. */
	EXPECT_FALSE(fault);
	EXPECT_EQ(0, ret);
	EXPECT_EQ(0, klog_check(self->log));
	EXPECT_EQ(0, census_compare(&self->before, n));
}

/* Whatever fails meanwhile, the device is let go. */
TEST_F_TIMEOUT(failnth, unbind, 3600)
{
	bool fault = true;
	int n, fd;

	ASSERT_EQ(0, mlockall(MCL_CURRENT | MCL_FUTURE));
	fail_nth = open("/proc/thread-self/fail-nth", O_RDWR);
	for (n = from(); fault && n < TIMES_MAX; n += step()) {
		fd = anpu_open();
		ASSERT_LE(0, fd);
		write_with_fault(DRIVER "/unbind", self->device, n, &fault);
		close(fd);
		/* The write itself may have been refused. */
		write_file(DRIVER "/unbind", self->device);
		ASSERT_EQ(0, write_file(DRIVER "/bind", self->device));
	}
	EXPECT_FALSE(fault);
	EXPECT_EQ(0, klog_check(self->log));
	EXPECT_EQ(0, census_compare(&self->before, n));
}

TEST_HARNESS_MAIN
