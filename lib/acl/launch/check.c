// SPDX-License-Identifier: MIT
/* The checking mode's look at the pointers that a kernel is launched with. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <anpu/anpu_isa.h>

#include "launch/elf.h"
#include "launch/launch.h"

#define POINTERS 32
/* Bytes of a tensor that are looked at before the launch */
#define AHEAD 32

struct pointer {
	uint64_t va;
	bool read; /* a pointer to const */
	const char *name;
	const char *type;
};

/* Is it "const float *" */
static bool to_const(const char *type)
{
	const char *star = strchr(type, '*'), *word = strstr(type, "const");

	return star && word && word < star;
}

/* Bytes of what "const float *" points to; 1: it may be anything */
static unsigned int pointee(const char *type)
{
	static const struct {
		const char *name;
		unsigned int size;
	} types[] = {
		{ "float", 4 }, { "double", 8 }, { "half", 2 }, { "_Float16", 2 }, { "__half", 2 }, { "__bf16", 2 },
		{ "bfloat16_t", 2 }, { "short", 2 }, { "unsigned short", 2 }, { "short unsigned int", 2 }, { "int16_t", 2 },
		{ "uint16_t", 2 }, { "int", 4 }, { "unsigned int", 4 }, { "int32_t", 4 }, { "uint32_t", 4 }, { "long", 8 },
		{ "unsigned long", 8 }, { "long unsigned int", 8 }, { "long int", 8 }, { "int64_t", 8 }, { "uint64_t", 8 },
	};
	size_t i, n;

	for (bool more = true; more;) {
		more = !strncmp(type, "const ", 6);
		type += more ? 6 : 0;
		if (!strncmp(type, "volatile ", 9)) {
			type += 9;
			more = true;
		}
	}
	n = strcspn(type, "*");
	while (n && type[n - 1] == ' ')
		n--;
	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (strlen(types[i].name) == n && !memcmp(type, types[i].name, n))
			return types[i].size;
	return 1;
}

/* Does the library itself write this argument, with the address of data behind the arguments */
static bool is_held(const struct anpu_kernel_args *args, uint32_t offset)
{
	size_t i;

	for (i = 0; i < args->holder_count; i++)
		if (args->holders[i].addrOffset == offset)
			return true;
	return false;
}

static unsigned int read_pointers(const struct anpu_launch *l, const struct anpu_kernel_args *args,
				  struct pointer *out)
{
	struct anpu_elf_kernel kernel;
	struct anpu_meta_param p;
	unsigned int i, n = 0;

	if (!l->func->params || anpu_elf_find(l->func->binary->image, l->func->name, &kernel) || !kernel.meta)
		return 0;
	for (i = 0; i < l->func->param_count && n < POINTERS; i++) {
		memcpy(&p, l->func->params + i * sizeof(p), sizeof(p));
		if (p.kind != ANPU_PARAM_POINTER || p.offset + 8u > args->size || is_held(args, p.offset))
			continue;
		memcpy(&out[n].va, (const char *)args->data + p.offset, 8);
		out[n].name = anpu_elf_string(&kernel.meta->param_names, i);
		out[n].type = anpu_elf_string(&kernel.meta->param_types, i);
		out[n].read = to_const(out[n].type);
		n += out[n].va != 0; /* NULL may say that there is no such tensor */
	}
	return n;
}

/* An allocation of a pool has ended in the order of a stream, and may be there a while */
static void look_at_pool(const struct anpu_launch *l, const struct pointer *p)
{
	struct anpu_device *dev = l->stream->obj.dev;
	const struct anpu_region *region;
	char what[1200];
	bool ended;

	pthread_mutex_lock(&dev->lock);
	region = anpu_region_find_locked(dev, p->va);
	ended = region && region->kind == ANPU_REGION_POOL && !anpu_allocated_locked(region, p->va);
	pthread_mutex_unlock(&dev->lock);
	if (ended && anpu_ended_text(p->va, what, sizeof(what)))
		anpu_finding("use-after-free", NULL, "kernel '%s' gets %#llx as its parameter '%s', %s", l->func->name,
			     (unsigned long long)p->va, p->name, what);
}

/* Memory of the host that is not pinned, or nothing at all */
static void look_at_place(const struct anpu_launch *l, const struct pointer *p)
{
	char what[1200];
	struct anpu_mem mem;

	if (anpu_in_device_range((void *)(uintptr_t)p->va)) {
		look_at_pool(l, p);
		return;
	}
	if (anpu_is_pinned((void *)(uintptr_t)p->va))
		return;
	mem = (struct anpu_mem){ .place = ANPU_PLACE_PAGEABLE, .addr = p->va };
	if (anpu_mem_look_host(&mem, 0, "argument") || mem.place == ANPU_PLACE_PINNED)
		return;
	anpu_address_text(l->stream->obj.dev, p->va, what, sizeof(what));
	anpu_finding("host-pointer", NULL, "kernel '%s' gets %#llx as its parameter '%s', which is %s",
		     l->func->name, (unsigned long long)p->va, p->name, what);
}

/* Copies take any address, and numbers that begin between two elements are others */
static void look_at_alignment(const struct anpu_launch *l, const struct pointer *p)
{
	unsigned int size = pointee(p->type);

	if (p->va % size && (anpu_in_device_range((void *)(uintptr_t)p->va) || anpu_is_pinned((void *)(uintptr_t)p->va)))
		anpu_finding("alignment", NULL, "kernel '%s' gets %#llx as its parameter '%s' of type %s, which is no multiple of %u: "
			     "offsets are in bytes where a pointer is a void * or a number", l->func->name,
			     (unsigned long long)p->va, p->name, p->type, size);
}

/* Memory that nothing has written, and no task is going to: all streams are idle */
static void look_at_content(const struct anpu_launch *l, const struct pointer *p)
{
	struct anpu_mem mem;
	char what[300], name[64];

	if (!p->read || !anpu_in_device_range((void *)(uintptr_t)p->va))
		return;
	if (!anpu_streams_idle(l->stream->obj.dev) || !anpu_mem_at((void *)(uintptr_t)p->va, &mem))
		return;
	if (anpu_is_unwritten(&mem, min_u64(AHEAD, mem.size - (mem.addr - mem.base)))) {
		snprintf(name, sizeof(name), "%.63s", l->func->name);
		snprintf(what, sizeof(what), "kernel '%s', launched with it as its parameter '%.63s',", name,
			 p->name);
		anpu_unwritten_look(&mem, anpu_window_of(&mem), min_u64(AHEAD, mem.size - (mem.addr - mem.base)), what, NULL);
	}
	anpu_mem_done(&mem);
}

/* More arguments than the kernel has parameters: the library cannot know that another kernel was meant */
static void look_at_size(const struct anpu_launch *l, const struct anpu_kernel_args *args)
{
	if (!l->func->args_size || args->holder_count || args->size > ANPU_ARGS_MAX ||
	    args->size <= align_up(l->func->args_size, 8))
		return;
	anpu_finding("arguments", NULL,
		     "argsSize is %zu, and the %u parameters of kernel '%s' take %u bytes: the kernel does not see the rest, look "
		     "whether it is the one that is meant", args->size, l->func->param_count, l->func->name,
		     l->func->args_size);
}

void anpu_launch_check_param(const struct anpu_launch *l, unsigned int i, size_t size)
{
	struct anpu_elf_kernel kernel;
	struct anpu_meta_param p;

	if (!anpu_checking() || !l->func->params || i >= l->func->param_count)
		return;
	memcpy(&p, l->func->params + i * sizeof(p), sizeof(p));
	if (size >= p.size || anpu_elf_find(l->func->binary->image, l->func->name, &kernel) || !kernel.meta)
		return;
	anpu_finding("arguments", NULL, "parameter %u of kernel '%s', '%s' of type %s, has %u bytes, and %zu were appended for it: the kernel "
		     "finds zeros in the rest", i, l->func->name, anpu_elf_string(&kernel.meta->param_names, i),
		     anpu_elf_string(&kernel.meta->param_types, i), p.size, size);
}

/* Are 8 bytes a usual number as a double, and no usual one as a float? */
static bool is_double(uint64_t bits)
{
	float f;
	double d;

	memcpy(&f, &bits, sizeof(f));
	memcpy(&d, &bits, sizeof(d));
	return bits >> 32 && bits >> 32 != UINT32_MAX && fabs(d) > 1e-6 && fabs(d) < 1e9 && !(fabsf(f) > 1e-12f && fabsf(f) < 1e12f);
}

/* A small integer: as a float it is closer to 0 than any number that a program reckons with */
static bool is_integer(uint64_t bits)
{
	return bits && bits < 1u << 22;
}

/* Parameter @i, whose slot holds a usual double or an integer: the slot of a float means a variable of the wrong type */
static void look_at_float(const struct anpu_launch *l, unsigned int i, uint64_t bits)
{
	struct anpu_elf_kernel kernel;
	double value;

	if (anpu_elf_find(l->func->binary->image, l->func->name, &kernel) || !kernel.meta ||
	    strcmp(anpu_elf_string(&kernel.meta->param_types, i), "float"))
		return;
	memcpy(&value, &bits, sizeof(value));
	if (is_integer(bits))
		anpu_finding("arguments", NULL, "parameter %u of kernel '%s', '%s' of type float, gets the integer %llu, whose bits are no "
			     "usual number as a float", i, l->func->name, anpu_elf_string(&kernel.meta->param_names, i),
			     (unsigned long long)bits);
	else
		anpu_finding("arguments", NULL, "parameter %u of kernel '%s', '%s' of type float, gets the 8 bytes of the double %g, of which "
			     "the kernel reads the lowest 4", i, l->func->name, anpu_elf_string(&kernel.meta->param_names, i), value);
}

static void look_at_floats(const struct anpu_launch *l, const struct anpu_kernel_args *args)
{
	struct anpu_meta_param p;
	uint64_t bits;
	unsigned int i;

	for (i = 0; l->func->params && i < l->func->param_count; i++) {
		memcpy(&p, l->func->params + i * sizeof(p), sizeof(p));
		if (p.kind != ANPU_PARAM_VALUE || p.offset % 8 || p.offset + 8u > args->size || is_held(args, p.offset))
			continue;
		memcpy(&bits, (const char *)args->data + p.offset, sizeof(bits));
		if (is_double(bits) || is_integer(bits))
			look_at_float(l, i, bits);
	}
}

/* A kernel of a graph runs later, when others may have written what it reads */
static bool is_recorded(struct anpu_stream *s)
{
	bool recorded;

	pthread_mutex_lock(&s->lock);
	recorded = anpu_stream_recorded(s);
	pthread_mutex_unlock(&s->lock);
	return recorded;
}

void anpu_launch_check(const struct anpu_launch *l, const struct anpu_kernel_args *args)
{
	struct pointer p[POINTERS];
	unsigned int n = read_pointers(l, args, p), i;
	bool recorded = is_recorded(l->stream);

	look_at_size(l, args);
	look_at_floats(l, args);
	for (i = 0; i < n; i++) {
		look_at_place(l, &p[i]);
		look_at_alignment(l, &p[i]);
		if (!recorded)
			look_at_content(l, &p[i]);
	}
}

/* Stream locked: a kernel of a graph runs several times, perhaps with other arguments, and is not asked about */
bool anpu_launch_ask(const struct anpu_launch *l, const struct anpu_kernel_args *args, uint64_t va, void *behind,
		     uint64_t *ticket)
{
	uint64_t pointers[POINTERS];
	struct pointer p[POINTERS];
	struct anpu_check_ask ask;
	unsigned int n, i;

	if (anpu_stream_recorded(l->stream))
		return false;
	n = read_pointers(l, args, p);
	for (i = 0; i < n; i++)
		pointers[i] = p[i].va;
	if (!anpu_uses_ask(l->stream->obj.dev, pointers, n, va, &ask, ticket))
		return false;
	memcpy(behind, &ask, sizeof(ask));
	return true;
}

/* The kernel reads its arguments in device memory. */
void anpu_launch_reads(const struct anpu_launch *l, uint64_t seq)
{
	struct anpu_access a = { .va = l->pkt.args, .size = l->pkt.args_size };

	snprintf(a.what, sizeof(a.what), "kernel '%.50s'", l->func->name);
	anpu_races_task(l->stream, seq, &a, 1);
}

void anpu_launch_races(const struct anpu_launch *l, const struct anpu_kernel_args *args, uint64_t seq,
		       uint64_t ticket)
{
	struct anpu_access a[POINTERS];
	struct pointer p[POINTERS];
	unsigned int n = read_pointers(l, args, p), i;

	for (i = 0; i < n; i++) {
		a[i] = (struct anpu_access){ .va = p[i].va, .write = !p[i].read, .ticket = ticket, .index = i };
		snprintf(a[i].what, sizeof(a[i].what), "kernel '%.50s'", l->func->name);
	}
	anpu_races_task(l->stream, seq, a, n);
}

/* Kernels of graphs -------------------------------------------------------------------------------- */

#define RECORDED 1024

/* Pointers among the arguments of kernels that were recorded into graphs, found by the address of the arguments */
static struct recorded {
	uint64_t args;
	unsigned int n;
	uint64_t va[ANPU_LAUNCH_USES];
	bool read[ANPU_LAUNCH_USES], write[ANPU_LAUNCH_USES];
	char name[48];
	uint64_t ticket; /* of the question of the latest execution, 0: there was none */
} recorded[RECORDED];
static pthread_mutex_t recorded_lock = PTHREAD_MUTEX_INITIALIZER;

static struct recorded *recorded_at(uint64_t args)
{
	return &recorded[(args * 0x9e3779b97f4a7c15ull >> 54) % RECORDED]; /* arguments of several graphs lie alike in their regions */
}

/*
 * Before an execution, and in graphs of many kernels, the device is not asked. A kernel that has a pointer to const has the others to
 * write there, else it is only known to use them.
 */
void anpu_launch_recorded(const struct anpu_launch *l, const struct anpu_kernel_args *args, uint64_t va)
{
	struct recorded r = { .args = va };
	struct pointer p[POINTERS];
	unsigned int n = read_pointers(l, args, p), i;
	bool any_const = false;

	for (i = 0; i < n; i++)
		any_const |= p[i].read;
	for (i = 0; i < n && i < ANPU_LAUNCH_USES; i++) {
		r.va[i] = p[i].va;
		r.read[i] = p[i].read;
		r.write[i] = !p[i].read && (any_const || n == 1);
	}
	r.n = i;
	snprintf(r.name, sizeof(r.name), "%s", l->func->name);
	pthread_mutex_lock(&recorded_lock);
	*recorded_at(va) = r;
	pthread_mutex_unlock(&recorded_lock);
}

void anpu_launch_copied(uint64_t from, uint64_t to)
{
	struct recorded r;

	pthread_mutex_lock(&recorded_lock);
	r = *recorded_at(from);
	if (r.args == from) {
		r.args = to;
		r.ticket = 0;
		*recorded_at(to) = r;
	}
	pthread_mutex_unlock(&recorded_lock);
}

void anpu_launch_replay(struct anpu_device *dev, const struct anpu_pkt_kernel *pkt, void *behind)
{
	uint64_t args = pkt->args + (pkt->hdr.flags & ANPU_KERNEL_LAUNCH ? ANPU_LAUNCH_SIZE : 0), ticket = 0;
	struct anpu_check_ask ask = { 0 };
	struct recorded r;

	pthread_mutex_lock(&recorded_lock);
	r = *recorded_at(pkt->args);
	pthread_mutex_unlock(&recorded_lock);
	if (r.args != pkt->args)
		return;
	if (behind && !anpu_uses_ask(dev, r.va, r.n, args, &ask, &ticket))
		ticket = 0;
	if (behind)
		memcpy(behind, &ask, sizeof(ask));
	pthread_mutex_lock(&recorded_lock);
	if (recorded_at(pkt->args)->args == pkt->args)
		recorded_at(pkt->args)->ticket = ticket;
	pthread_mutex_unlock(&recorded_lock);
}

unsigned int anpu_launch_uses(uint64_t args, struct anpu_access *a)
{
	struct recorded r;
	unsigned int i;

	pthread_mutex_lock(&recorded_lock);
	r = *recorded_at(args);
	pthread_mutex_unlock(&recorded_lock);
	if (r.args != args)
		return 0;
	for (i = 0; i < r.n; i++) {
		a[i] = (struct anpu_access){ .va = r.va[i], .write = r.ticket ? !r.read[i] : r.write[i], .ticket = r.ticket, .index = i };
		snprintf(a[i].what, sizeof(a[i].what), "kernel '%.40s' of a graph", r.name);
	}
	return r.n;
}

void anpu_launch_replayed(struct anpu_stream *s, uint64_t args, uint64_t seq)
{
	struct anpu_access a[ANPU_LAUNCH_USES];
	unsigned int n = anpu_launch_uses(args, a);

	if (n)
		anpu_races_task(s, seq, a, n);
}
