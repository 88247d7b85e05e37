// SPDX-License-Identifier: MIT
/*
 * Devices: what ANPU_DIRECT describes, switching one on, resetting it, and what can be asked of it.
 *
 * A device that was switched on stays so until the process ends: it costs threads that sleep, and its
 * memory is given back as soon as programs free it.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "direct.h"

#define RESET_PATIENCE_NS	10000000000ULL

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct device devices[MAX_DEVICES];
static char log_name[MAX_DEVICES][256];
static char inject_text[MAX_DEVICES][1024];
static char record_name[MAX_DEVICES][512];
static char core_name[MAX_DEVICES][512];
static char gdb_text[MAX_DEVICES][64];
static int count;
static char wrong[480];			/* what is wrong with ANPU_DIRECT */
/* Of ANPU_DIRECT, which is copied once in a process: that needs no memory which could be missing */
#define LIST_MAX	8192
static struct device *table[MAX_DEVICES];
static _Atomic unsigned int table_n;

/* ANPU_DIRECT ------------------------------------------------------------------------------------ */

static bool complain(const char *what, const char *value, const char *allowed)
{
	copy_text(wrong, sizeof(wrong), "ANPU_DIRECT has %s=%s, which must be %s", what, value, allowed);
	return false;
}

static bool number(const char *text, uint64_t *value, bool suffix)
{
	char *end;

	errno = 0;
	if (*text < '0' || *text > '9')
		return false;
	*value = strtoull(text, &end, 0);
	if (suffix && *end) {
		const char *at = strchr("KMGT", *end);
		int shift = at ? 10 * (int)(at - "KMGT" + 1) : 0;

		if (!at || *value > UINT64_MAX >> shift)
			return false;
		*value <<= shift;
		end++;
	}
	return !*end && !errno;
}

static bool set_number(struct anpu_config *c, const char *name, const char *value, bool *known)
{
	const struct { const char *name; unsigned int *to; } field[] = {
		{ "cores", &c->cores }, { "queues", &c->queues }, { "threads", &c->threads },
		{ "spin-us", &c->spin_us },
	};
	uint64_t n;

	for (unsigned int i = 0; i < ARRAY_SIZE(field); i++) {
		if (strcmp(name, field[i].name))
			continue;
		*known = true;
		if (!number(value, &n, false) || n > UINT32_MAX)
			return complain(name, value, "a number");
		*field[i].to = (unsigned int)n;
	}
	return true;
}

static bool set_switch(struct anpu_config *c, const char *name, const char *value, bool *known)
{
	const struct { const char *name; bool *to; } field[] = {
		{ "deterministic", &c->deterministic }, { "check", &c->check }, { "jit", &c->jit },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(field); i++) {
		if (strcmp(name, field[i].name))
			continue;
		*known = true;
		if (strcmp(value, "on") && strcmp(value, "off"))
			return complain(name, value, "on or off");
		*field[i].to = !strcmp(value, "on");
	}
	return true;
}

static bool set_property(struct device *dev, char *text)
{
	char *value = strchr(text, '=');
	bool known = false;

	if (!value) {
		copy_text(wrong, sizeof(wrong), "ANPU_DIRECT has '%s', which is no PROPERTY=VALUE", text);
		return false;
	}
	*value++ = 0;
	if (!set_number(&dev->config, text, value, &known) || !set_switch(&dev->config, text, value, &known))
		return false;
	if (!strcmp(text, "hbm"))
		return number(value, &dev->config.hbm_size, true) ||
		       complain(text, value, "a size such as 512M or 2G");
	if (!strcmp(text, "x-hide-caps"))
		return number(value, &dev->config.hide_caps, false) || complain(text, value, "a number");
	if (!strcmp(text, "log")) {
		copy_text(log_name[dev->number], sizeof(log_name[0]), "%s", value);
		return true;
	}
	if (!strcmp(text, "record")) {
		copy_text(record_name[dev->number], sizeof(record_name[0]), "%s", value);
		return true;
	}
	if (!strcmp(text, "core")) {
		copy_text(core_name[dev->number], sizeof(core_name[0]), "%s", value);
		return true;
	}
	if (!strcmp(text, "gdb")) {
		copy_text(gdb_text[dev->number], sizeof(gdb_text[0]), "%s", value);
		return true;
	}
	if (!strcmp(text, "soc") || !strcmp(text, "cann")) {
		anpu_config_name(*text == 's' ? dev->config.soc : dev->config.cann, value);
		return true;
	}
	if (!strcmp(text, "inject")) {
		copy_text(inject_text[dev->number], sizeof(inject_text[0]), "%s", value);
		return true;
	}
	if (known)
		return true;
	copy_text(wrong, sizeof(wrong), "ANPU_DIRECT has the property %s; there are hbm, cores, queues, threads, "
		  "spin-us, deterministic, check, jit, inject, record, core, gdb, soc, cann and log", text);
	return false;
}

/* Devices behind the first one have their number behind the name; %p is the number of the process */
static void name_file(char *to, unsigned int i, const char *env)
{
	const char *pid = strstr(env, "%p");
	char number[16] = "";

	if (i)
		copy_text(number, sizeof(number), ".%u", i);
	if (pid)
		copy_text(to, sizeof(record_name[0]), "%.*s%d%s%s", (int)(pid - env), env, getpid(), pid + 2,
			  number);
	else
		copy_text(to, sizeof(record_name[0]), "%s%s", env, number);
}

/* The second device listens at the next port, and so on, unless any port will do */
static void name_port(char *to, unsigned int i, const char *env)
{
	const char *port = env + strcspn(env, "0123456789");
	unsigned long n = strtoul(port, NULL, 10);

	if (strspn(port, "0123456789") == strlen(port) && n)
		copy_text(to, sizeof(gdb_text[0]), "%.*s%lu", (int)(port - env), env, n + i);
	else
		copy_text(to, sizeof(gdb_text[0]), "%s", env);
}

static void set_gdb(struct device *dev)
{
	char *text = gdb_text[dev->number];
	const char *env = getenv("ANPU_GDB");

	if (!*text && env && *env)
		name_port(text, dev->number, env);
	dev->config.gdb = *text ? text : NULL;
	dev->config.several = shared_device;
}

static bool describe(unsigned int i, char *text)
{
	struct device *dev = &devices[i];
	const char *env = getenv("ANPU_INJECT");
	char *save, *item, why[400];

	dev->number = i;
	anpu_config_default(&dev->config);
	dev->config.event_queues = 1;
	dev->config.peers = true;
	for (item = strtok_r(text, ",", &save); item; item = strtok_r(NULL, ",", &save))
		if (!set_property(dev, item))
			return false;
	if (!*inject_text[i] && env)
		copy_text(inject_text[i], sizeof(inject_text[0]), "%s", env);
	env = getenv("ANPU_RECORD");
	if (!*record_name[i] && env && *env)
		name_file(record_name[i], i, env);
	env = getenv("ANPU_CORE");
	if (!*core_name[i] && env && *env)
		name_file(core_name[i], i, env);
	dev->config.core = *core_name[i] ? core_name[i] : NULL;
	dev->config.record = *record_name[i] ? record_name[i] : NULL;
	anpu_config_inject(&dev->config, inject_text[i]);
	set_gdb(dev);
	if (anpu_config_check(&dev->config, why, sizeof(why)))
		return true;
	copy_text(wrong, sizeof(wrong), "ANPU_DIRECT: %s", why);
	return false;
}

static void read_list(void)
{
	const char *env = getenv("ANPU_DIRECT") ?: "";
	static char all[LIST_MAX];
	char *rest = all, *one;
	int n = 0;

	if (strlen(env) >= sizeof(all))
		copy_text(wrong, sizeof(wrong), "ANPU_DIRECT has more than %zu characters", sizeof(all) - 1);
	else
		strcpy(all, env);
	while ((one = strsep(&rest, ";"))) {
		if (n == MAX_DEVICES)
			copy_text(wrong, sizeof(wrong), "ANPU_DIRECT has more than %d devices", MAX_DEVICES);
		if (n == MAX_DEVICES || !describe(n, one))
			break;
		n++;
	}
	count = *wrong ? -1 : n;
}

int device_list(char *why, size_t size)
{
	pthread_once(&once, read_list);
	if (count < 0)
		copy_text(why, size, "%s", wrong);
	return count;
}

struct device *const *device_table(unsigned int *n)
{
	*n = atomic_load(&table_n);
	return table;
}

/* Callbacks of the model ------------------------------------------------------------------------- */

/* DMA addresses are addresses of the process; what may go away is guarded where it is used */
static bool dev_map(void *ctx, uint64_t dma, uint64_t len, bool write, struct anpu_mapping *map)
{
	guard_rearm();
	*map = (struct anpu_mapping){ .ptr = (void *)(uintptr_t)dma, .len = len };
	return true;
}

static void dev_raise(void *ctx, unsigned int vector)
{
	struct guard *g = guard_suspend();

	event_drain(ctx);
	guard_resume(g);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static uint64_t dev_clock(void *ctx)
{
	return now_ns();
}

static void dev_print(void *ctx, unsigned int queue, uint32_t task, uint32_t block, const char *text,
		      size_t len)
{
	struct device *dev = ctx;

	fprintf(dev->log, "%.6f queue %u task %u block %u: %.*s\n", now_ns() / 1e9, queue, task, block,
		(int)len, text);
	fflush(dev->log);
}

static void dev_note(void *ctx, const char *text)
{
	const struct device *dev = ctx;

	fprintf(stderr, "anpu: device %u: %s\n", dev->number, text);
}

/* The process that has an address space of a server's; 0: there is none any more */
static pid_t owner_of(struct device *dev, uint32_t asid)
{
	pid_t pid = 0;

	pthread_mutex_lock(&dev->event_lock);
	for (unsigned int i = 0; i < ARRAY_SIZE(dev->files); i++)
		if (dev->files[i] && dev->files[i]->vm.asid == asid)
			pid = (pid_t)dev->files[i]->pid;
	pthread_mutex_unlock(&dev->event_lock);
	return pid;
}

/* gdb's user wants the program to end: it may clean up */
static void dev_kill(void *ctx, uint32_t asid)
{
	pid_t pid = shared_device ? owner_of(ctx, asid) : getpid();

	if (pid > 0)
		kill(pid, SIGTERM);
}

/* Registers -------------------------------------------------------------------------------------- */

uint64_t device_read(struct device *dev, uint64_t reg)
{
	return anpu_model_read(dev->model, reg, 8);
}

void device_write(struct device *dev, uint64_t reg, uint64_t value)
{
	anpu_model_write(dev->model, reg, value, 8);
}

bool device_gone(struct device *dev)
{
	return dev->config.plan && anpu_model_gone(dev->model);
}

/* Fresh from reset: tables, events, and queues may start */
static void program(struct device *dev)
{
	device_write(dev, ANPU_REG_ASID_TABLE, dev->asid_table);
	device_write(dev, ANPU_REG_QUEUE_TABLE, dev->queue_table);
	event_enable(dev);
	device_write(dev, ANPU_REG_CONTROL, ANPU_CONTROL_ENABLE);
}

/* Switching on ----------------------------------------------------------------------------------- */

static int take_tables(struct device *dev)
{
	struct hbm *h = &dev->hbm;

	dev->asid_table = hbm_take(h, dev->config.asids * sizeof(uint64_t));
	dev->queue_table = hbm_take(h, dev->config.queues * sizeof(struct anpu_queue_context));
	if (!dev->asid_table || !dev->queue_table)
		return -ENOMEM;
	dev->asids = (void *)(h->cpu + dev->asid_table);
	dev->contexts = (void *)(h->cpu + dev->queue_table);
	dev->streams = calloc(dev->config.queues, sizeof(*dev->streams));
	dev->owner = calloc(dev->config.queues, sizeof(*dev->owner));
	return dev->streams && dev->owner ? event_init(dev) : -ENOMEM;
}

static int start_model(struct device *dev, char *why, size_t size)
{
	struct anpu_host_ops ops = {
		.map = dev_map,
		.raise = dev_raise,
		.clock = dev_clock,
		.print = dev->log ? dev_print : NULL,
		.note = dev_note,
		.kill = dev_kill,
		.guard = guard_run,
	};

	dev->config.hbm = dev->hbm.cpu;
	dev->model = anpu_model_create(&dev->config, &ops, dev, why, size);
	if (!dev->model)
		return -ENOMEM;
	dev->caps = device_read(dev, ANPU_REG_CAPS);
	program(dev);
	return 0;
}

/* A device that could not be made whole: the next call tries again from the beginning */
static void switch_off(struct device *dev)
{
	free(dev->streams);
	free(dev->owner);
	dev->streams = NULL;
	dev->owner = NULL;
	if (dev->log)
		fclose(dev->log);
	dev->log = NULL;
	hbm_fini(&dev->hbm);
}

static int switch_on(struct device *dev, char *why, size_t size)
{
	int err = hbm_init(&dev->hbm, dev->config.hbm_size);

	if (err) {
		copy_text(why, size, "no addresses or memory for hbm=%lluM: raise the limit (ulimit -v)",
			  (unsigned long long)dev->config.hbm_size >> 20);
		return err;
	}
	pthread_mutex_init(&dev->lock, NULL);
	pthread_mutex_init(&dev->event_lock, NULL);
	pthread_mutex_init(&dev->reset_lock, NULL);
	pthread_mutex_init(&dev->tlb_lock, NULL);
	pthread_mutex_init(&dev->busy_lock, NULL);
	if (*log_name[dev->number]) {
		dev->log = fopen(log_name[dev->number], "ae");
		if (!dev->log)
			fprintf(stderr, "anpu: log=%s cannot be opened: %s\n", log_name[dev->number],
				strerror(errno));
	}
	copy_text(why, size, "the memory for its tables cannot be had");
	err = take_tables(dev);
	if (!err)
		err = start_model(dev, why, size);
	dev->hbm.total = dev->hbm.left;
	if (err)
		switch_off(dev);
	else
		list_make(dev);
	dev->hbm.dev = dev;
	return err;
}

/* gdb is told how the program ends */
#ifdef __GLIBC__
static void tell_end(int status, void *arg)
{
	struct device *dev = arg;

	anpu_model_exits(dev->model, status);
}
#endif

static void watch_end(struct device *dev)
{
#ifdef __GLIBC__
	if (dev->config.gdb)
		(void)on_exit(tell_end, dev);
#endif
}

void devices_exit(void)
{
	for (unsigned int i = 0; i < atomic_load(&table_n); i++)
		anpu_model_exits(table[i]->model, 0);
}

void devices_forked(void)
{
	for (unsigned int i = 0; i < atomic_load(&table_n); i++)
		anpu_model_forked(table[i]->model);
}

struct device *device_get(unsigned int n)
{
	struct device *dev = &devices[n];
	char why[400] = "";

	if (count < 0 || n >= (unsigned int)count)
		return NULL;
	pthread_mutex_lock(&lock);
	if (!dev->ready) {
		guard_init();
		dev->ready = !switch_on(dev, why, sizeof(why));
		if (dev->ready) {
			table[atomic_load(&table_n)] = dev;
			atomic_fetch_add(&table_n, 1);
			watch_end(dev);
		} else {
			fprintf(stderr, "anpu: device %u cannot be made: %s\n", n, why);
		}
	}
	pthread_mutex_unlock(&lock);
	return dev->ready ? dev : NULL;
}

/* Reset ------------------------------------------------------------------------------------------ */

static bool reset_model(struct device *dev)
{
	uint64_t end = now_ns() + RESET_PATIENCE_NS;

	device_write(dev, ANPU_REG_CONTROL, ANPU_CONTROL_RESET);
	while (device_read(dev, ANPU_REG_CONTROL) & ANPU_CONTROL_RESET ||
	       !(device_read(dev, ANPU_REG_STATUS) & ANPU_STATUS_READY)) {
		if (now_ns() > end)
			return false;
		sched_yield();
	}
	return true;
}

/* Event lock held: all streams die, with or without the pages that programs have of them */
static void kill_all(struct device *dev, bool revoke)
{
	for (unsigned int i = 0; i < dev->config.queues; i++) {
		struct stream *s = dev->streams[i];

		if (!s)
			continue;
		wait_kill(s);
		if (!revoke)
			continue;
		atomic_store(&s->stopped, true);
		stream_revoke(s, false);
	}
}

void device_wedge(struct device *dev)
{
	atomic_store(&dev->wedged, true);
	list_state(dev);
}

int device_reset(struct device *dev)
{
	bool back;

	pthread_mutex_lock(&dev->reset_lock);
	pthread_mutex_lock(&dev->event_lock);
	kill_all(dev, false);
	pthread_mutex_unlock(&dev->event_lock);
	back = reset_model(dev);
	if (back)
		program(dev);
	else
		device_wedge(dev);
	atomic_fetch_add(&dev->resets, 1);
	list_state(dev);
	pthread_mutex_lock(&dev->event_lock);
	kill_all(dev, true);
	pthread_mutex_unlock(&dev->event_lock);
	pthread_mutex_unlock(&dev->reset_lock);
	wait_wake(NULL);
	event_reset_all(dev);
	return back ? 0 : -ETIMEDOUT;
}

void device_names(unsigned int n, struct drm_anpu_names *names)
{
	*names = (struct drm_anpu_names){ 0 };
	if (count < 0 || n >= (unsigned int)count || devices[n].config.hide_caps & ANPU_CAP_NAMES)
		return;
	memcpy(names->soc, devices[n].config.soc, sizeof(names->soc));
	memcpy(names->cann, devices[n].config.cann, sizeof(names->cann));
}

unsigned int device_gdb_port(unsigned int n)
{
	struct device *dev = count > 0 && n < (unsigned int)count && devices[n].config.gdb ? device_get(n) : NULL;

	return dev ? anpu_model_gdb_port(dev->model) : 0;
}

/* DEV_QUERY -------------------------------------------------------------------------------------- */

static uint32_t info_flags(uint64_t caps)
{
	static const struct { uint64_t cap; uint32_t flag; } pair[] = {
		{ ANPU_CAP_DETERMINISTIC, DRM_ANPU_INFO_DETERMINISTIC },
		{ ANPU_CAP_PRINT, DRM_ANPU_INFO_PRINT },
		{ ANPU_CAP_ABORT, DRM_ANPU_INFO_ABORT },
		{ ANPU_CAP_HALT, DRM_ANPU_INFO_GROUP },
		{ ANPU_CAP_JUMP, DRM_ANPU_INFO_JUMP },
		{ ANPU_CAP_REDUCE, DRM_ANPU_INFO_REDUCE },
		{ ANPU_CAP_MAX_CORES, DRM_ANPU_INFO_MAX_CORES },
		{ ANPU_CAP_RANDOM, DRM_ANPU_INFO_RANDOM },
		{ ANPU_CAP_END_TASK, DRM_ANPU_INFO_END_TASK },
		{ ANPU_CAP_BUSY, DRM_ANPU_INFO_BUSY },
		{ ANPU_CAP_PRIORITY, DRM_ANPU_INFO_PRIORITY },
		{ ANPU_CAP_OVERFLOW, DRM_ANPU_INFO_OVERFLOW },
		{ ANPU_CAP_LAUNCH, DRM_ANPU_INFO_LAUNCH },
		{ ANPU_CAP_TRACE, DRM_ANPU_INFO_TRACE },
		{ ANPU_CAP_CODE_LIST, DRM_ANPU_INFO_CODE_LIST },
	};
	uint32_t flags = DRM_ANPU_INFO_HBM_MMAP | DRM_ANPU_INFO_USER_QUEUES;

	for (unsigned int i = 0; i < ARRAY_SIZE(pair); i++)
		if (caps & pair[i].cap)
			flags |= pair[i].flag;
	return flags;
}

static void query_info(struct device *dev, struct drm_anpu_info *info)
{
	uint64_t version = device_read(dev, ANPU_REG_VERSION), cores = device_read(dev, ANPU_REG_CORES);

	*info = (struct drm_anpu_info){
		.device_id = ANPU_PCI_DEVICE,
		.hw_version = (uint32_t)version,
		.isa_version = version >> 32 & 0xffff,
		.cores = cores & 0xffff,
		.vector_cores = (cores & 0xffff) * (cores >> 16 & 0xffff),
		.max_streams = dev->config.queues - 1,
		.flags = info_flags(dev->caps),
		.max_blocks = dev->caps & ANPU_CAP_BLOCKS ? ANPU_MAX_BLOCKS : ANPU_MAX_RELATED_BLOCKS,
		.hbm_size = dev->config.hbm_size,
		.va_start = VA_START,
		.va_end = VA_END,
		.page_size = PAGE,
		.huge_page_size = ANPU_PAGE_2M,
		.default_timeout_us = device_read(dev, ANPU_REG_TIMEOUT),
		/* devices of the process stand in slots of a bus that no machine has */
		.pci_address = (uint64_t)(dev->number + 1) << 8,
	};
}

static void query_memory(struct file *file, struct drm_anpu_memory_info *info)
{
	struct device *dev = file->dev;
	uint64_t spare;

	pthread_mutex_lock(&dev->lock);
	/* page tables count by sixteens, so that a few more or less do not show */
	spare = round_up(dev->hbm.tables, ANPU_PAGE_64K) - dev->hbm.tables;
	spare = min_u64(spare, dev->hbm.left);
	*info = (struct drm_anpu_memory_info){
		.hbm_total = dev->hbm.total,
		.hbm_free = dev->hbm.left - spare,
		.hbm_largest = dev->hbm.left - spare,
		.own_hbm = file->own_hbm,
		.own_system = file->own_system,
	};
	pthread_mutex_unlock(&dev->lock);
}

static void query_clock(struct device *dev, struct drm_anpu_clock_info *info)
{
	uint64_t first = device_read(dev, ANPU_REG_CLOCK), now = now_ns();
	uint64_t last = device_read(dev, ANPU_REG_CLOCK);

	*info = (struct drm_anpu_clock_info){ .device_ns = first + (last - first) / 2,
					      .monotonic_ns = now,
					      .error_ns = (last - first + 1) / 2 };
}

static void query_busy(struct device *dev, struct drm_anpu_busy_info *info)
{
	pthread_mutex_lock(&dev->busy_lock);
	info->device_ns = device_read(dev, ANPU_REG_BUSY_AT);
	info->cube_ns = device_read(dev, ANPU_REG_BUSY_CUBE);
	info->vector_ns = device_read(dev, ANPU_REG_BUSY_VECTOR);
	pthread_mutex_unlock(&dev->busy_lock);
}

int device_query(struct file *file, void *data)
{
	static const uint32_t sizes[] = {
		[DRM_ANPU_QUERY_INFO] = sizeof(struct drm_anpu_info),
		[DRM_ANPU_QUERY_MEMORY] = sizeof(struct drm_anpu_memory_info),
		[DRM_ANPU_QUERY_CLOCK] = sizeof(struct drm_anpu_clock_info),
		[DRM_ANPU_QUERY_BUSY] = sizeof(struct drm_anpu_busy_info),
		[DRM_ANPU_QUERY_NAMES] = sizeof(struct drm_anpu_names),
	};
	struct drm_anpu_dev_query *args = data;
	union {
		struct drm_anpu_info info;
		struct drm_anpu_memory_info memory;
		struct drm_anpu_clock_info clock;
		struct drm_anpu_busy_info busy;
		struct drm_anpu_names names;
	} out;
	uint32_t size;

	if (args->type >= ARRAY_SIZE(sizes))
		return -EINVAL;
	if (args->type == DRM_ANPU_QUERY_BUSY && !(file->dev->caps & ANPU_CAP_BUSY))
		return -EOPNOTSUPP;
	size = sizes[args->type];
	if (args->type == DRM_ANPU_QUERY_INFO)
		query_info(file->dev, &out.info);
	else if (args->type == DRM_ANPU_QUERY_MEMORY)
		query_memory(file, &out.memory);
	else if (args->type == DRM_ANPU_QUERY_CLOCK)
		query_clock(file->dev, &out.clock);
	else if (args->type == DRM_ANPU_QUERY_NAMES)
		device_names(file->number, &out.names);
	else
		query_busy(file->dev, &out.busy);
	if (args->pointer &&
	    guard_copy((void *)(uintptr_t)args->pointer, &out, min_u64(size, args->size)))
		return -EFAULT;
	args->size = size;
	return 0;
}
