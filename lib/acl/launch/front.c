// SPDX-License-Identifier: MIT
/*
 * The private door (core/front.h): launches with a configuration, and what a function can have.
 *
 * Arguments are given as pointers to the values or as one block with the layout of a C struct. The device's block
 * has each parameter in slots of 8 bytes, so both are brought into it by the kernel's records.
 */
#include <stdlib.h>
#include <string.h>

#include <anpu/anpu_isa.h>

#include "launch/launch.h"

static struct anpu_meta_param param_at(const struct anpu_func *func, uint32_t i)
{
	struct anpu_meta_param p;

	memcpy(&p, func->params + i * sizeof(p), sizeof(p));
	return p;
}

/* Of binaries without the record: numbers and pointers have the alignment of their size */
static uint32_t align_of(const struct anpu_meta_param *p)
{
	uint32_t align = p->align;

	if (align)
		return align;
	for (align = 1; align < 8 && !(p->size & align); align *= 2)
		;
	return align;
}

static void put_value(uint8_t *to, const void *from, uint32_t size)
{
	/* most values have one of these sizes, for which a call costs more than the copy */
	if (size == 8)
		memcpy(to, from, 8);
	else if (size == 4)
		memcpy(to, from, 4);
	else
		memcpy(to, from, size);
}

/* Where parameter @i begins in a block of the program that is used up to @used */
static size_t packed_offset(const struct anpu_meta_param *p, size_t used)
{
	return align_up(used, align_of(p));
}

static aclError check_params(const struct anpu_func *func, const struct anpu_front_launch *f)
{
	size_t used = 0;
	uint32_t i;

	if (!func->params)
		return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"the binary does not tell the parameters of '%s': compile it with scripts/anpucc",
				func->name);
	if (func->param_count && !f->params && !f->packed)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"'%s' has %u parameters and the launch has none: give kernelParams or extra",
				func->name, func->param_count);
	for (i = 0; i < func->param_count; i++) {
		struct anpu_meta_param p = param_at(func, i);

		if (f->params && !f->params[i])
			return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
					"kernelParams[%u] is NULL and must point at a value of %u bytes", i,
					p.size);
		used = packed_offset(&p, used) + p.size;
	}
	if (!f->params && f->packed_size < used)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"the block of parameters has %zu bytes and those of '%s' take %zu, each at a "
				"multiple of its alignment",
				f->packed_size, func->name, used);
	return ACL_SUCCESS;
}

static void pack(const struct anpu_func *func, const struct anpu_front_launch *f, uint8_t *block)
{
	size_t used = 0;
	uint32_t i;

	for (i = 0; i < func->param_count; i++) {
		struct anpu_meta_param p = param_at(func, i);
		const void *from = f->params ? f->params[i] : NULL;

		if (!from) {
			used = packed_offset(&p, used);
			from = (const uint8_t *)f->packed + used;
			used += p.size;
		}
		if (p.size % 8)
			memset(block + p.offset + p.size / 8 * 8, 0, 8);
		put_value(block + p.offset, from, p.size);
	}
}

static uint32_t cluster_blocks(const struct anpu_front_launch *f)
{
	uint32_t n = 1, i;

	for (i = 0; i < 3; i++)
		n *= f->cluster[i] > 1 ? f->cluster[i] : 1;
	return n;
}

/* Does the packet have no room for what the launch asks for? Kernels without threads seldom do. */
static bool needs_header(const struct anpu_func *func, const struct anpu_front_launch *f)
{
	return func->threads || f->overlap || f->trigger_at_start || f->begun[0] || f->triggered[0] ||
	       cluster_blocks(f) > 1;
}

/* The structure in front of the arguments */
static void put_header(const struct anpu_func *func, const struct anpu_front_launch *f, void *block)
{
	struct anpu_kernel_launch head = {
		.size = ANPU_LAUNCH_SIZE,
		.flags = (f->overlap ? ANPU_LAUNCH_OVERLAP : 0) |
			 (f->trigger_at_start ? ANPU_LAUNCH_TRIGGER_AT_START : 0),
		.begun = f->begun[0],
		.begun_value = f->begun[1],
		.triggered = f->triggered[0],
		.triggered_value = f->triggered[1],
		.block_x = f->block[0],
		.block_y = f->block[1],
		.block_z = f->block[2],
		.static_scratch = func->shared_size,
	};

	memcpy(block, &head, sizeof(head));
}

/* Of the argument block */
static uint32_t args_bytes(const struct anpu_func *func, const struct anpu_front_launch *f)
{
	return f->slots ? (uint32_t)f->slots_size : func->args_size;
}

/* The program's block as it is, with addresses in it; it will stand at @va */
static void copy_slots(const struct anpu_front_launch *f, char *block, uint64_t va)
{
	uint64_t at;
	size_t i;

	memcpy(block, f->slots, f->slots_size);
	for (i = 0; i < f->holder_count; i++) {
		at = va + f->holders[i].dataOffset;
		memcpy(block + f->holders[i].addrOffset, &at, sizeof(at));
	}
}

uint32_t anpu_launch_bytes(const struct anpu_launch *l, const struct anpu_front_launch *f)
{
	return (needs_header(l->func, f) ? ANPU_LAUNCH_SIZE : 0) + args_bytes(l->func, f);
}

void anpu_launch_write(struct anpu_launch *l, const struct anpu_front_launch *f, void *block, uint64_t va)
{
	uint32_t head = needs_header(l->func, f) ? ANPU_LAUNCH_SIZE : 0;

	if (head)
		put_header(l->func, f, block);
	if (f->slots)
		copy_slots(f, (char *)block + head, va + head);
	else
		pack(l->func, f, (uint8_t *)block + head);
	l->pkt.args = va;
	l->pkt.args_size = args_bytes(l->func, f);
	if (head) {
		l->pkt.hdr.flags |= ANPU_KERNEL_LAUNCH;
		l->pkt.dyn_scratch = f->shared;
	}
}

/**
 * struct checked - the checking mode's look at a launch
 * @block: a copy of the argument block that stays, @known: what is known of it; NULL: there is nothing to look at
 * @ticket: of the question to the device, 0: none
 */
struct checked {
	void *block;
	struct anpu_kernel_args known;
	uint64_t ticket;
};

/* Before the launch: its pointers are looked at */
static void look(struct anpu_launch *l, const struct anpu_front_launch *f, uint32_t bytes, struct checked *c)
{
	uint32_t size = args_bytes(l->func, f);

	*c = (struct checked){ .block = anpu_checking() && size ? calloc(1, bytes + 8) : NULL };
	if (!c->block)
		return;
	anpu_launch_write(l, f, c->block, 0);
	c->known = (struct anpu_kernel_args){ .data = (char *)c->block + bytes - size, .size = size, .holders = f->holders,
					      .holder_count = f->slots ? f->holder_count : 0 };
	anpu_launch_check(l, &c->known);
}

/* Behind the launch: who else uses that memory */
static void note(const struct anpu_launch *l, struct checked *c, uint64_t va, uint64_t seq, aclError ret)
{
	if (c->block && seq)
		anpu_launch_races(l, &c->known, seq, c->ticket);
	else if (c->block && !ret && va)
		anpu_launch_recorded(l, &c->known, va);
	free(c->block);
}

static aclError submit(struct anpu_launch *l, const struct anpu_front_launch *f, uint64_t *seq)
{
	uint32_t bytes = anpu_launch_bytes(l, f), room = bytes;
	uint64_t va = 0, number = 0;
	union anpu_packet pkt;
	struct checked c;
	char *block = NULL;
	aclError ret;

	look(l, f, bytes, &c);
	/* a question to the device stands behind the arguments */
	if (c.block && align_up(bytes, 8) + sizeof(struct anpu_check_ask) <= ANPU_ARGS_MAX)
		room = align_up(bytes, 8) + sizeof(struct anpu_check_ask);
	ret = anpu_stream_enter(l->stream, room);
	if (ret) {
		free(c.block);
		return ret;
	}
	if (bytes)
		ret = anpu_stream_args(l->stream, room, (void **)&block, &va);
	if (!ret) {
		anpu_launch_write(l, f, block, va);
		if (room > bytes && !anpu_launch_ask(l, &c.known, va + bytes - c.known.size, block + align_up(bytes, 8), &c.ticket))
			c.ticket = 0;
		pkt.kernel = l->pkt;
		ret = anpu_stream_submit_locked(l->stream, &pkt, &number);
	}
	pthread_mutex_unlock(&l->stream->lock);
	note(l, &c, va, number, ret);
	if (seq)
		*seq = number;
	return ret;
}

static aclError check_grid(const struct anpu_front_launch *f, uint32_t *blocks)
{
	uint64_t n = (uint64_t)f->grid[0] * f->grid[1];

	if (!f->grid[0] || !f->grid[1] || !f->grid[2] || !f->block[0] || !f->block[1] || !f->block[2])
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"the grid is %ux%ux%u and a block %ux%ux%u: none may be 0", f->grid[0],
				f->grid[1], f->grid[2], f->block[0], f->block[1], f->block[2]);
	n = n > UINT32_MAX ? UINT32_MAX : n * f->grid[2];
	*blocks = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
	return ACL_SUCCESS;
}

/* Limits of a block */
static aclError check_block(const struct anpu_func *func, const struct anpu_front_launch *f,
			    enum anpu_front_why *why)
{
	uint64_t threads = (uint64_t)f->block[0] * f->block[1], most = func->threads ? func->threads : 1;

	threads = threads > ANPU_MAX_THREADS ? threads : threads * f->block[2];
	if (threads > most) {
		*why = ANPU_FRONT_RESOURCES;
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"a block of the launch has %ux%ux%u threads and '%s' can have %u", f->block[0],
				f->block[1], f->block[2], func->name, (uint32_t)most);
	}
	if (f->shared && (!func->threads || f->shared > ANPU_UB_SIZE - func->shared_size)) {
		*why = ANPU_FRONT_RESOURCES;
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"the launch asks for %u bytes of dynamic shared memory and '%s' can have %u", f->shared,
				func->name, func->threads ? ANPU_UB_SIZE - func->shared_size : 0);
	}
	return ACL_SUCCESS;
}

/* Launches that this device has no packet for */
static aclError check_built(const struct anpu_launch *l, const struct anpu_front_launch *f)
{
	if (needs_header(l->func, f) && !(l->stream->obj.dev->info.flags & DRM_ANPU_INFO_LAUNCH))
		return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"the launch of '%s' needs a driver and a device of version 1.6", l->func->name);
	return ACL_SUCCESS;
}

static uint32_t cores_for(const struct anpu_launch *l)
{
	uint32_t cores = l->stream->obj.dev->info.cores;

	return l->pkt.max_cores && l->pkt.max_cores < cores ? l->pkt.max_cores : cores;
}

/* @grid: blocks of the launch */
static aclError check_cluster(const struct anpu_launch *l, const struct anpu_front_launch *f, uint32_t grid,
			      enum anpu_front_why *why)
{
	uint32_t most = cores_for(l), i;
	uint64_t blocks = 1;

	*why = ANPU_FRONT_CLUSTER;
	for (i = 0; i < 3; i++) {
		blocks *= f->cluster[i] > 1 ? f->cluster[i] : 1;
		blocks = blocks > UINT32_MAX ? UINT32_MAX : blocks;
		if (f->cluster[i] > 1 && f->grid[i] % f->cluster[i])
			return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
					"the grid of %ux%ux%u blocks is not made of whole clusters of %ux%ux%u",
					f->grid[0], f->grid[1], f->grid[2], f->cluster[0], f->cluster[1], f->cluster[2]);
	}
	if (most > ANPU_MAX_CLUSTER)
		most = ANPU_MAX_CLUSTER;
	if (blocks > 1 && (blocks > most || l->func->core_type == ANPU_CORE_MIX))
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"the launch asks for clusters of %ux%ux%u blocks, and those of '%s' can have %u",
				f->cluster[0], f->cluster[1], f->cluster[2], l->func->name,
				l->func->core_type == ANPU_CORE_MIX ? 1 : most);
	*why = ANPU_FRONT_OTHER;
	if (blocks > 1 && grid > ANPU_MAX_RELATED_BLOCKS)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "the grid is %ux%ux%u and one with clusters can have %u blocks",
				f->grid[0], f->grid[1], f->grid[2], ANPU_MAX_RELATED_BLOCKS);
	return ACL_SUCCESS;
}

/* All blocks at the same time */
static aclError check_together(const struct anpu_launch *l, uint32_t blocks, enum anpu_front_why *why)
{
	uint32_t cores = cores_for(l);

	if (blocks <= cores)
		return ACL_SUCCESS;
	*why = ANPU_FRONT_TOO_LARGE;
	return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			"'%s' has %u blocks that are to be there at the same time, and device %d has %u cores "
			"for them",
			l->func->name, blocks, l->stream->obj.dev->id, cores);
}

static void set_place(struct anpu_launch *l, const struct anpu_front_launch *f)
{
	l->pkt.grid_x = f->grid[0];
	l->pkt.grid_y = f->grid[1];
	l->pkt.grid_z = f->grid[2];
	if (cluster_blocks(f) > 1) {
		l->pkt.cluster_x = (uint8_t)f->cluster[0];
		l->pkt.cluster_y = (uint8_t)f->cluster[1];
		l->pkt.cluster_z = (uint8_t)f->cluster[2];
	}
	if (f->has_priority)
		l->pkt.priority = (uint8_t)f->priority;
	if (f->cooperative)
		l->pkt.sched_mode = ANPU_SCHED_BATCH;
}

/* A kernel that is written for clusters of one size has these, also if the launch does not say so */
static aclError own_cluster(const struct anpu_func *func, struct anpu_front_launch *f)
{
	const uint32_t *own = func->cluster;
	uint32_t i;

	if (!own[0])
		return ACL_SUCCESS;
	for (i = 0; i < 3; i++)
		if (f->cluster[0] && (f->cluster[i] > 1 ? f->cluster[i] : 1) != own[i])
			return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
					"the launch asks for clusters of %ux%ux%u blocks, and '%s' is written for %ux%ux%u",
					f->cluster[0], f->cluster[1], f->cluster[2], func->name, own[0], own[1], own[2]);
	memcpy(f->cluster, own, sizeof(f->cluster));
	return ACL_SUCCESS;
}

aclError anpu_launch_configure(struct anpu_launch *l, struct anpu_front_launch *f, enum anpu_front_why *why)
{
	uint32_t blocks = 0;
	aclError ret;

	*why = ANPU_FRONT_OTHER;
	ret = check_grid(f, &blocks);
	if (!ret)
		ret = anpu_launch_prepare(l, f->func, blocks, f->cfg, f->stream);
	if (ret)
		return ret;
	ret = own_cluster(l->func, f);
	set_place(l, f);
	if (!ret)
		ret = check_block(l->func, f, why);
	if (!ret)
		ret = check_built(l, f);
	if (!ret)
		ret = check_cluster(l, f, blocks, why);
	if (!ret && l->pkt.sched_mode == ANPU_SCHED_BATCH)
		ret = check_together(l, blocks, why);
	if (!ret)
		ret = f->slots ? anpu_launch_check_args(l, f->slots_size, f->holders, f->holder_count)
			       : check_params(l->func, f);
	if (ret)
		anpu_launch_end(l);
	return ret;
}

aclError anpu_front_launch(struct anpu_front_launch *f, enum anpu_front_why *why, uint64_t *seq)
{
	ACL_ENTER();
	return anpu_launch_grid(f, why, seq);
}

aclError anpu_launch_grid(struct anpu_front_launch *f, enum anpu_front_why *why, uint64_t *seq)
{
	struct anpu_launch l;
	aclError ret;

	ret = anpu_launch_configure(&l, f, why);
	if (ret)
		return ret;
	ret = submit(&l, f, seq);
	anpu_launch_end(&l);
	return ret;
}

aclError anpu_front_function(aclrtFuncHandle func, struct anpu_front_func *out)
{
	struct anpu_func *f;

	ACL_ENTER_SHORT();
	f = anpu_func_find(func);
	if (!f)
		return ACL_ERROR_RT_INVALID_HANDLE;
	*out = (struct anpu_front_func){
		.threads = f->threads ? f->threads : 1,
		.static_shared = f->shared_size,
		.dynamic_shared = f->threads && f->shared_size < ANPU_UB_SIZE ? ANPU_UB_SIZE - f->shared_size : 0,
		.cores = f->obj.dev->info.cores,
		.cluster = { f->cluster[0], f->cluster[1], f->cluster[2] },
		.max_cluster = f->core_type == ANPU_CORE_MIX		   ? 1
			       : f->obj.dev->info.cores < ANPU_MAX_CLUSTER ? f->obj.dev->info.cores
									   : ANPU_MAX_CLUSTER,
	};
	acl_obj_put(&f->obj);
	return ACL_SUCCESS;
}

aclError anpu_front_param(aclrtFuncHandle func, size_t i, size_t *offset, size_t *size)
{
	struct anpu_func *f;
	aclError ret = ACL_SUCCESS;
	size_t used = 0, k;

	ACL_ENTER_SHORT();
	f = anpu_func_find(func);
	if (!f)
		return ACL_ERROR_RT_INVALID_HANDLE;
	if (!f->params)
		ret = acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			       "the binary does not tell the parameters of '%s': compile it with scripts/anpucc", f->name);
	else if (i >= f->param_count)
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID, "paramIndex is %zu and '%s' has %u parameters", i, f->name,
			       f->param_count);
	for (k = 0; k <= i && !ret; k++) {
		struct anpu_meta_param p = param_at(f, (uint32_t)k);

		*offset = packed_offset(&p, used);
		*size = p.size;
		used = *offset + p.size;
	}
	acl_obj_put(&f->obj);
	return ret;
}
