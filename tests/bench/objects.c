// SPDX-License-Identifier: MIT
/*
 * Does an object cost more when there are many? For each kind some are made and destroyed, 100 at a
 * time; then as many as a program may have, up to 100,000, destroyed in the order in which they were
 * made, backwards and in random order. A sample is what one object of 100 costs, making and
 * destroying added, so both results have the same unit and their ratio says it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <acl/acl.h>

#include "objects.h"
#include "stats.h"

#define ACL(call) do { \
	aclError err_ = (call); \
	if (err_ != ACL_SUCCESS) { \
		const char *msg_ = aclGetRecentErrMsg(); \
		fprintf(stderr, "bench: %s returned %d: %s\n", #call, err_, msg_ ? msg_ : ""); \
		exit(1); \
	} \
} while (0)

#define BATCH 100
#define MOST  100000

/* Where an object is remembered: a handle or an address, or the text of a key */
union object {
	void *p;
	char key[32];
};

struct kind {
	const char *name;     /* of the result */
	const char *name_100; /* of its floor */
	uint32_t most;
	void (*make)(union object *o);
	void (*destroy)(union object *o);
};

static aclrtStream stream;
static aclrtMemPool pool;
static aclrtContext context;
static void *shared;
static const char *image;

/* The kinds ------------------------------------------------------------------------------------- */

static void make_event(union object *o)
{
	ACL(aclrtCreateEvent(&o->p));
}

static void destroy_event(union object *o)
{
	ACL(aclrtDestroyEvent(o->p));
}

static void make_notify(union object *o)
{
	ACL(aclrtCreateNotify(&o->p, 0));
}

static void destroy_notify(union object *o)
{
	ACL(aclrtDestroyNotify(o->p));
}

static void make_label(union object *o)
{
	ACL(aclrtCreateLabel(&o->p));
}

static void destroy_label(union object *o)
{
	ACL(aclrtDestroyLabel(o->p));
}

static void make_stream(union object *o)
{
	ACL(aclrtCreateStream(&o->p));
}

static void destroy_stream(union object *o)
{
	ACL(aclrtDestroyStream(o->p));
}

static void make_context(union object *o)
{
	ACL(aclrtCreateContext(&o->p, 0));
}

static void destroy_context(union object *o)
{
	ACL(aclrtDestroyContext(o->p));
}

static void make_memory(union object *o)
{
	ACL(aclrtMalloc(&o->p, 480, ACL_MEM_MALLOC_NORMAL_ONLY));
}

static void destroy_memory(union object *o)
{
	ACL(aclrtFree(o->p));
}

static void make_big_memory(union object *o)
{
	ACL(aclrtMalloc(&o->p, 2 << 20, ACL_MEM_MALLOC_NORMAL_ONLY));
}

static void make_host_memory(union object *o)
{
	ACL(aclrtMallocHost(&o->p, 4096));
}

static void destroy_host_memory(union object *o)
{
	ACL(aclrtFreeHost(o->p));
}

static void make_registered(union object *o)
{
	ACL(aclrtHostRegisterV2(o->p, 4096, ACL_HOST_REG_MAPPED));
}

static void destroy_registered(union object *o)
{
	ACL(aclrtHostUnregister(o->p));
}

static void make_pool(union object *o)
{
	aclrtMemPoolProps props = { .location = { .type = ACL_MEM_LOCATION_TYPE_DEVICE } };

	ACL(aclrtMemPoolCreate(&o->p, &props));
}

static void destroy_pool(union object *o)
{
	ACL(aclrtMemPoolDestroy(o->p));
}

static void make_block(union object *o)
{
	ACL(aclrtMemPoolMallocAsync(&o->p, 512, pool, stream));
}

static void destroy_block(union object *o)
{
	ACL(aclrtMemPoolFreeAsync(o->p, stream));
}

static void make_range(union object *o)
{
	ACL(aclrtReserveMemAddress(&o->p, 2 << 20, 0, NULL, 0));
}

static void destroy_range(union object *o)
{
	ACL(aclrtReleaseMemAddress(o->p));
}

static void make_physical(union object *o)
{
	aclrtPhysicalMemProp prop = { .location = { .type = ACL_MEM_LOCATION_TYPE_DEVICE } };

	prop.memAttr = ACL_HBM_MEM_HUGE;
	ACL(aclrtMallocPhysical(&o->p, 2 << 20, &prop, 0));
}

static void destroy_physical(union object *o)
{
	ACL(aclrtFreePhysical(o->p));
}

static void make_binary(union object *o)
{
	aclrtFuncHandle func;

	ACL(aclrtBinaryLoadFromFile(image, NULL, &o->p));
	ACL(aclrtBinaryGetFunction(o->p, "empty", &func));
}

static void destroy_binary(union object *o)
{
	ACL(aclrtBinaryUnLoad(o->p));
}

static void make_graph(union object *o)
{
	ACL(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	ACL(aclrtMemsetAsync(shared, 64, 0, 64, stream));
	ACL(aclmdlRICaptureEnd(stream, &o->p));
}

static void destroy_graph(union object *o)
{
	ACL(aclmdlRIDestroy(o->p));
}

static void make_allocator(union object *o)
{
	o->p = aclrtAllocatorCreateDesc();
}

static void destroy_allocator(union object *o)
{
	ACL(aclrtAllocatorDestroyDesc(o->p));
}

/* No object of the library: what its memory alone costs, when there is so much of it */
static void make_calloc(union object *o)
{
	o->p = calloc(1, 160);
	if (!o->p) {
		perror("bench: calloc");
		exit(1);
	}
}

static void destroy_calloc(union object *o)
{
	free(o->p);
}

static void make_key(union object *o)
{
	ACL(aclrtIpcMemGetExportKey(shared, 64, o->key, sizeof(o->key), 0));
}

static void destroy_key(union object *o)
{
	ACL(aclrtIpcMemClose(o->key));
}

/*
 * As many as a program may have, or as can be made in a few seconds: a process has at most 65,535 labels,
 * the device's addresses are for 32,768 pieces of 2 MiB, a process may have 65,530 mappings, and there are queues, device memory and
 * open files
 */
static const struct kind kinds[] = {
	{ "object_calloc", "object_calloc_100", MOST, make_calloc, destroy_calloc },
	{ "object_event", "object_event_100", MOST, make_event, destroy_event },
	{ "object_notify", "object_notify_100", MOST, make_notify, destroy_notify },
	{ "object_label", "object_label_100", 65500, make_label, destroy_label },
	{ "object_stream", "object_stream_100", 1000, make_stream, destroy_stream },
	{ "object_context", "object_context_100", 1000, make_context, destroy_context },
	{ "object_memory", "object_memory_100", MOST, make_memory, destroy_memory },
	{ "object_memory_2m", "object_memory_2m_100", 300, make_big_memory, destroy_memory },
	{ "object_host", "object_host_100", 10000, make_host_memory, destroy_host_memory },
	{ "object_registered", "object_registered_100", 5000, make_registered, destroy_registered },
	{ "object_pool", "object_pool_100", MOST, make_pool, destroy_pool },
	{ "object_pool_block", "object_pool_block_100", MOST, make_block, destroy_block },
	{ "object_range", "object_range_100", 20000, make_range, destroy_range },
	{ "object_physical", "object_physical_100", 300, make_physical, destroy_physical },
	{ "object_binary", "object_binary_100", 300, make_binary, destroy_binary },
	{ "object_graph", "object_graph_100", 2000, make_graph, destroy_graph },
	{ "object_allocator", "object_allocator_100", MOST, make_allocator, destroy_allocator },
	{ "object_ipc_key", "object_ipc_key_100", 5000, make_key, destroy_key },
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* Measuring ------------------------------------------------------------------------------------- */

static void *get(size_t size)
{
	void *p = malloc(size);

	if (!p) {
		perror("bench: objects");
		exit(1);
	}
	return p;
}

enum order { FORWARDS, BACKWARDS, RANDOM, ORDERS };

static void put_in_order(uint32_t *order, uint32_t n, enum order how)
{
	uint64_t state = 1;

	for (uint32_t i = 0; i < n; i++)
		order[i] = how == BACKWARDS ? n - 1 - i : i;
	for (uint32_t i = n; how == RANDOM && i > 1; i--) {
		uint32_t j, swap;

		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		j = (uint32_t)(state >> 33) % i;
		swap = order[i - 1];
		order[i - 1] = order[j];
		order[j] = swap;
	}
}

/* Makes @n objects, a multiple of BATCH, and destroys them: a sample per batch */
static void rounds(const struct kind *k, union object *objects, uint32_t *order, uint32_t n,
		   enum order how, uint64_t *ns)
{
	uint64_t t;

	put_in_order(order, n, how);
	for (uint32_t i = 0; i < n; i += BATCH) {
		t = bench_now();
		for (uint32_t j = i; j < i + BATCH; j++)
			k->make(&objects[j]);
		ns[i / BATCH] = bench_now() - t;
	}
	for (uint32_t i = 0; i < n; i += BATCH) {
		t = bench_now();
		for (uint32_t j = i; j < i + BATCH; j++)
			k->destroy(&objects[order[j]]);
		ns[i / BATCH] = (ns[i / BATCH] + bench_now() - t) / BATCH;
	}
}

static void bench_kind(const struct kind *k, uint32_t most, union object *objects, uint32_t *order)
{
	uint32_t few = bench_samples(20), batches = most / BATCH;
	uint64_t *many = get(ORDERS * batches * sizeof(*many));
	uint64_t *floor = get(ORDERS * few * sizeof(*floor));

	rounds(k, objects, order, BATCH, FORWARDS, floor); /* what is made once, is made now */
	/* in turn, so that other work on the machine meets both */
	for (enum order how = FORWARDS; how < ORDERS; how++) {
		for (uint32_t i = 0; i < few; i++)
			rounds(k, objects, order, BATCH, how, &floor[how * few + i]);
		rounds(k, objects, order, most, how, &many[how * batches]);
	}
	bench_add(k->name_100, BENCH_NS, floor, ORDERS * few, 0, NULL);
	bench_add(k->name, BENCH_NS, many, ORDERS * batches, 0, k->name_100);
	free(many);
	free(floor);
}

/* Registering takes pages of the program's, each of which is one more object */
static char *pages_for(union object *objects, uint32_t n)
{
	char *pages = aligned_alloc(4096, (size_t)n * 4096);

	if (!pages) {
		perror("bench: pages");
		exit(1);
	}
	for (uint32_t i = 0; i < n; i++)
		objects[i].p = pages + (size_t)i * 4096;
	return pages;
}

void bench_objects(const char *operators, bool quick, const char *only)
{
	aclrtMemPoolProps props = { .location = { .type = ACL_MEM_LOCATION_TYPE_DEVICE } };
	struct rlimit files = { MOST, MOST };
	union object *objects = get(MOST * sizeof(*objects));
	uint32_t *order = get(MOST * sizeof(*order));
	char path[256];

	if (setrlimit(RLIMIT_NOFILE, &files))
		perror("bench: setrlimit");
	snprintf(path, sizeof(path), "%s/empty.o", operators);
	image = path;
	ACL(aclrtGetCurrentContext(&context));
	ACL(aclrtCreateStream(&stream));
	ACL(aclrtMemPoolCreate(&pool, &props));
	ACL(aclrtMalloc(&shared, 4096, ACL_MEM_MALLOC_NORMAL_ONLY));
	for (size_t i = 0; i < KINDS; i++) {
		const struct kind *k = &kinds[i];
		uint32_t most = quick && k->most > 2 * BATCH ? 2 * BATCH : k->most;
		char *pages;

		if (only && strcmp(k->name + strlen("object_"), only))
			continue;
		pages = k->make == make_registered ? pages_for(objects, most) : NULL;
		bench_kind(k, most, objects, order);
		free(pages);
		ACL(aclrtSetCurrentContext(context));
	}
	ACL(aclrtFree(shared));
	ACL(aclrtMemPoolDestroy(pool));
	ACL(aclrtDestroyStream(stream));
	free(order);
	free(objects);
}
