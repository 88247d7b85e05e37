// SPDX-License-Identifier: MIT
/*
 * Output of operators. The device puts each text into a ring that it shares with the process; the
 * library writes what is there to stdout before a call that synchronises returns. A process has one
 * ring per device, so texts of several streams come in the order in which they were printed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <anpu/anpu_isa.h>

#include "launch/launch.h"

#define PER_CORE     (64ULL << 10)
#define PER_CORE_MIN 1024
#define UNIT	     4096

struct anpu_printer {
	/* protects reading and writing the ring; no other lock is taken inside */
	pthread_mutex_t lock;
	int device;
	unsigned int cores;
	struct anpu_region *page; /* where buf is; both are referenced */
	struct anpu_region *ring;
	struct anpu_print_buffer *buf;
	const uint8_t *bytes;
	uint64_t size;		   /* of the ring, 0 while there is none */
	uint64_t per_core;	   /* what the next ring has */
	_Atomic uint64_t lost;	   /* lost texts that standard error was told of */
	uint64_t lost_bytes;
};

static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t owner; /* the process that drains when it exits */

static struct anpu_printer *printer_of(struct anpu_device *dev)
{
	return __atomic_load_n(&dev->print, __ATOMIC_ACQUIRE);
}

/* Reading -------------------------------------------------------------------------------------- */

static bool has_news(struct anpu_printer *p)
{
	return __atomic_load_n(&p->buf->head, __ATOMIC_ACQUIRE) !=
		       __atomic_load_n(&p->buf->tail, __ATOMIC_RELAXED) ||
	       __atomic_load_n(&p->buf->lost, __ATOMIC_RELAXED) != atomic_load(&p->lost);
}

/* Copies @n bytes that begin at byte @pos of the stream of records */
static void copy_out(const struct anpu_printer *p, uint64_t pos, void *to, uint64_t n)
{
	uint64_t at = pos % p->size, first = min_u64(n, p->size - at);

	memcpy(to, p->bytes + at, first);
	memcpy((char *)to + first, p->bytes, n - first);
}

/* Writes the record at @tail to stdout; its bytes in the ring, or 0 if it is none */
static uint64_t write_record(const struct anpu_printer *p, uint64_t tail, uint64_t head)
{
	struct anpu_print_record rec;
	char text[ANPU_TEXT_MAX];
	uint64_t need;

	if (head - tail < sizeof(rec))
		return 0;
	copy_out(p, tail, &rec, sizeof(rec));
	need = sizeof(rec) + align_up(rec.size, 8);
	if (rec.size > sizeof(text) || need > head - tail)
		return 0;
	copy_out(p, tail + sizeof(rec), text, rec.size);
	fwrite(text, 1, rec.size, stdout);
	return need;
}

/*
 * Writes all records to stdout. An operator may have overwritten the buffer: nothing in it is
 * trusted. Lock held
 */
static void write_records(struct anpu_printer *p)
{
	uint64_t head = __atomic_load_n(&p->buf->head, __ATOMIC_ACQUIRE), tail = p->buf->tail;
	bool sane = p->size && !((head | tail) % 8) && head - tail <= p->size;
	uint64_t n = sane && head != tail;

	if (head == tail)
		return;
	while (n && tail != head) {
		n = write_record(p, tail, head);
		tail += n;
		if (n)
			__atomic_store_n(&p->buf->tail, tail, __ATOMIC_RELEASE);
	}
	fflush(stdout);
	if (tail == head)
		return;
	fprintf(stderr,
		"anpu: the print buffer of device %d was overwritten, by an operator or by the "
		"program: the output in it, at most %llu bytes, is lost\n",
		p->device, (unsigned long long)p->size);
	__atomic_store_n(&p->buf->tail, head, __ATOMIC_RELEASE);
	if (head % 8) {
		__atomic_store_n(&p->buf->head, 0, __ATOMIC_RELEASE);
		__atomic_store_n(&p->buf->tail, 0, __ATOMIC_RELEASE);
	}
}

static void tell_lost(struct anpu_printer *p)
{
	uint64_t lost = __atomic_load_n(&p->buf->lost, __ATOMIC_ACQUIRE);
	uint64_t bytes = __atomic_load_n(&p->buf->lost_bytes, __ATOMIC_RELAXED);

	if (lost == atomic_load(&p->lost))
		return;
	fprintf(stderr,
		"anpu: device %d: %llu texts (%llu bytes) of operator output were lost: the print "
		"buffer has %llu bytes; give it more with ANPU_PRINT_BUFFER=%lluK in the "
		"environment or aclrtDeviceSetLimit(), or synchronise more often\n",
		p->device, (unsigned long long)(lost - atomic_load(&p->lost)),
		(unsigned long long)(bytes - p->lost_bytes), (unsigned long long)p->size,
		(unsigned long long)(max_u64(p->size, PER_CORE) * 8 / 1024));
	atomic_store(&p->lost, lost);
	p->lost_bytes = bytes;
}

static __attribute__((noinline)) void drain_locked(struct anpu_printer *p)
{
	ACL_UNCANCELLED();
	write_records(p);
	tell_lost(p);
}

void anpu_print_drain(struct anpu_device *dev)
{
	struct anpu_printer *p = printer_of(dev);

	if (!p || !has_news(p))
		return;
	pthread_mutex_lock(&p->lock);
	drain_locked(p);
	pthread_mutex_unlock(&p->lock);
}

/* Not in a child that was forked: the texts are its parent's */
static void drain_at_exit(void)
{
	int id;

	if (getpid() != owner)
		return;
	for (id = 0; id < ANPU_MAX_DEVICES; id++) {
		struct anpu_device *dev = anpu_device_find(id);

		if (!dev)
			continue;
		anpu_print_drain(dev);
		anpu_device_put(dev);
	}
}

/* The buffer ------------------------------------------------------------------------------------ */

/* Bytes per core by the environment, or the default */
static uint64_t usual_size(unsigned int cores)
{
	const char *env = getenv("ANPU_PRINT_BUFFER");
	unsigned long long n;
	char *end;

	if (!env || !*env)
		return PER_CORE;
	errno = 0;
	n = strtoull(env, &end, 10);
	if (!errno && n && n <= ANPU_PRINT_MAX && (*end == 'K' || *end == 'M'))
		n *= *end++ == 'K' ? 1024 : 1 << 20;
	if (errno || *end || *env == '-' || !n || n > ANPU_PRINT_MAX) {
		fprintf(stderr,
			"anpu: ANPU_PRINT_BUFFER is '%s' and must be a number of bytes from 1 to "
			"%llu, with K or M behind it if you like: it is ignored\n",
			env, ANPU_PRINT_MAX);
		return PER_CORE;
	}
	return (n + cores - 1) / cores;
}

static int make_printer(struct anpu_device *dev)
{
	struct anpu_printer *p = calloc(1, sizeof(*p));
	int err;

	if (!p)
		return -ENOMEM;
	err = anpu_region_new(dev, ANPU_REGION_INTERNAL, DRM_ANPU_BO_SYSTEM, UNIT,
			      DRM_ANPU_VM_READ | DRM_ANPU_VM_WRITE, &p->page);
	if (err) {
		free(p);
		return err;
	}
	p->buf = anpu_region_window(p->page);
	if (!p->buf) {
		anpu_region_end(p->page);
		free(p);
		return -ENOMEM;
	}
	anpu_region_get(p->page); /* the other reference is the table of regions' */
	pthread_mutex_init(&p->lock, NULL);
	p->device = dev->id;
	p->cores = max_u64(dev->info.cores, 1);
	p->per_core = usual_size(p->cores);
	__atomic_store_n(&dev->print, p, __ATOMIC_RELEASE);
	return 0;
}

int anpu_print_start(struct anpu_device *dev, struct drm_anpu_stream_create *create)
{
	struct anpu_printer *p;
	int err = 0;

	if (!(dev->info.flags & DRM_ANPU_INFO_PRINT))
		return 0;
	pthread_mutex_lock(&start_lock);
	if (!printer_of(dev))
		err = make_printer(dev);
	p = printer_of(dev);
	pthread_mutex_unlock(&start_lock);
	if (p)
		create->print = p->page->va;
	return err;
}

/* Gives the device a ring of the wanted size; lock held, and no operator runs */
static int make_ring(struct anpu_device *dev, struct anpu_printer *p)
{
	uint64_t size = align_up(p->per_core * p->cores, UNIT);
	struct anpu_region *ring;
	void *bytes;
	int err;

	err = anpu_region_new(dev, ANPU_REGION_INTERNAL, DRM_ANPU_BO_SYSTEM, size,
			      DRM_ANPU_VM_READ | DRM_ANPU_VM_WRITE, &ring);
	if (err)
		return err;
	bytes = anpu_region_window(ring);
	if (!bytes) {
		anpu_region_end(ring);
		return -ENOMEM;
	}
	anpu_region_get(ring);
	/* an operator that another thread launches just now finds no room, which is counted */
	__atomic_store_n(&p->buf->size, 0, __ATOMIC_SEQ_CST);
	drain_locked(p);
	__atomic_store_n(&p->buf->tail, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&p->buf->head, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&p->buf->ring, ring->va, __ATOMIC_RELAXED);
	if (p->ring) {
		anpu_region_end(p->ring);
		anpu_region_put(p->ring);
	}
	p->ring = ring;
	p->bytes = bytes;
	p->size = size;
	__atomic_store_n(&p->buf->size, size, __ATOMIC_SEQ_CST);
	return 0;
}

int anpu_print_ring(struct anpu_device *dev)
{
	struct anpu_printer *p = printer_of(dev);
	int err = 0;

	if (!p)
		return 0;
	pthread_mutex_lock(&start_lock);
	if (!owner && !atexit(drain_at_exit))
		owner = getpid();
	pthread_mutex_unlock(&start_lock);
	pthread_mutex_lock(&p->lock);
	if (!p->ring)
		err = make_ring(dev, p);
	pthread_mutex_unlock(&p->lock);
	return err;
}

bool anpu_print_active(struct anpu_device *dev)
{
	struct anpu_printer *p = printer_of(dev);

	return p && __atomic_load_n(&p->buf->size, __ATOMIC_RELAXED);
}

void anpu_print_free(struct anpu_device *dev)
{
	struct anpu_printer *p = dev->print;

	if (!p)
		return;
	if (p->ring)
		anpu_region_put(p->ring);
	anpu_region_put(p->page);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

/* Limits ---------------------------------------------------------------------------------------- */

static aclError unknown_limit(aclrtDeviceLimit limit)
{
	if (limit == ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE ||
	    limit == ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE ||
	    limit == ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE)
		return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"limit %d is about SIMT units and this NPU has none", (int)limit);
	return acl_fail(ACL_ERROR_INVALID_PARAM, "limit %d does not exist", (int)limit);
}

static aclError set_print_limit(struct anpu_device *dev, size_t value)
{
	struct anpu_printer *p = printer_of(dev);
	aclError ret = ACL_SUCCESS;
	uint64_t old;
	int err;

	if (!p)
		return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"the driver of device %d knows no print buffers", dev->id);
	if (value < PER_CORE_MIN || value > ANPU_PRINT_MAX / p->cores)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"value is %zu bytes per core and must be %d to %llu on a device of "
				"%u cores",
				value, PER_CORE_MIN,
				(unsigned long long)(ANPU_PRINT_MAX / p->cores), p->cores);
	if (!anpu_streams_idle(dev))
		return acl_fail(ACL_ERROR_RT_STREAM_NOT_COMPLETE,
				"tasks of device %d are running, which may print: call "
				"aclrtSynchronizeDevice() before",
				dev->id);
	pthread_mutex_lock(&p->lock);
	old = p->per_core;
	p->per_core = value;
	err = p->ring ? make_ring(dev, p) : 0;
	if (err) {
		p->per_core = old;
		ret = anpu_fail_ioctl(dev, err, "allocating a print buffer");
	}
	pthread_mutex_unlock(&p->lock);
	return ret;
}

aclError aclrtDeviceSetLimit(aclrtDeviceLimit limit, size_t value)
{
	struct anpu_context *ctx;
	aclError ret;

	ACL_ENTER();
	ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	if (limit == ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE)
		ret = set_print_limit(ctx->obj.dev, value);
	else if (limit != ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE)
		ret = unknown_limit(limit);
	else if (value > ANPU_STACK_SIZE)
		ret = acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			       "value is %zu and the stack of an AI core always has %u bytes",
			       value, ANPU_STACK_SIZE);
	anpu_context_put(ctx);
	return ret;
}

aclError aclrtDeviceGetLimit(aclrtDeviceLimit limit, size_t *value)
{
	struct anpu_context *ctx;
	struct anpu_printer *p;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(value);
	ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	p = printer_of(ctx->obj.dev);
	if (limit == ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE)
		*value = ANPU_STACK_SIZE;
	else if (limit == ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE)
		*value = p ? p->per_core : 0;
	else
		ret = unknown_limit(limit);
	anpu_context_put(ctx);
	return ret;
}
