// SPDX-License-Identifier: MIT
/*
 * From a graph's tasks to the array of packets that the device executes, conditional tasks and jumps
 * included. It is made twice: the first time to see how long it gets and where everything stands,
 * the second time with the addresses.
 *
 *	variables get their values		a graph that was built by hand:
 *	tasks, in the order of their calls	lane 0 .. n-1 become active or not
 *	  if:	   JUMP else; body; JUMP end; else: body; end:
 *	  while:   top: JUMP end; body; JUMP top; end:		next: JUMP to each lane that is active
 *	  switch:  JUMP case 0 .. n-1; JUMP end; bodies; end:	      JUMP end of all
 *	  skip:	   JUMP to where another task begins
 *							lane 0: not active; tasks; JUMP next
 */
#include <stdlib.h>
#include <string.h>

#include "graph/inside.h"

struct list {
	union anpu_packet *packets; /* NULL the first time */
	uint32_t *table;	    /* likewise: targets of all switches by label */
	uint32_t count, entries;
	uint64_t list_va;
	uint64_t words_va; /* one per lane: it is active */
	uint64_t table_va;
	uint32_t *lane_at; /* where each begins */
	uint32_t next;	   /* the dispatcher */
	bool lanes;	   /* one behind the other */
	bool over;
};

static uint32_t emit(struct list *l, const union anpu_packet *pkt)
{
	if (l->count == ANPU_MAX_INDIRECT) {
		l->over = true;
		return 0;
	}
	if (l->packets)
		l->packets[l->count] = *pkt;
	return l->count++;
}

static void emit_jump(struct list *l, uint32_t target)
{
	union anpu_packet pkt = { .jump = { .hdr = { .opcode = ANPU_OP_JUMP,
						     .flags = ANPU_JUMP_ALWAYS },
					    .target = target } };

	emit(l, &pkt);
}

/* Jumps if the word compares so; the target may be set later */
static uint32_t emit_if(struct list *l, uint64_t addr, uint32_t cond, uint64_t value,
			uint32_t target)
{
	union anpu_packet pkt = { .jump = {
					  .hdr.opcode = ANPU_OP_JUMP,
					  .addr = addr,
					  .value = value,
					  .mask = UINT64_MAX,
					  .cond = cond,
					  .width = 8,
					  .target = target,
				  } };

	return emit(l, &pkt);
}

static void set_target(struct list *l, uint32_t at, uint32_t target)
{
	if (l->packets && !l->over)
		l->packets[at].jump.target = target;
}

static void emit_task(struct list *l, struct anpu_graph *g, struct graph_task *t);

static void emit_all(struct list *l, struct anpu_graph *g)
{
	uint32_t i;

	g->list_va = l->list_va;
	for (i = 0; i < g->task_count; i++)
		emit_task(l, g, &g->tasks[i]);
}

static void emit_if_task(struct list *l, const struct graph_jump *j)
{
	uint32_t skip = emit_if(l, j->cond->va, ANPU_SEM_EQ, 0, 0), end;

	emit_all(l, j->bodies[0]);
	if (j->n == 1) {
		set_target(l, skip, l->count);
		return;
	}
	end = l->count;
	emit_jump(l, 0);
	set_target(l, skip, l->count);
	emit_all(l, j->bodies[1]);
	set_target(l, end, l->count);
}

static void emit_while_task(struct list *l, const struct graph_jump *j)
{
	uint32_t top = emit_if(l, j->cond->va, ANPU_SEM_EQ, 0, 0);

	emit_all(l, j->bodies[0]);
	emit_jump(l, top);
	set_target(l, top, l->count);
}

static void emit_switch_task(struct list *l, const struct graph_jump *j)
{
	uint32_t first = l->count, i;

	for (i = 0; i < j->n; i++)
		emit_if(l, j->cond->va, ANPU_SEM_EQ, i, 0);
	emit_jump(l, 0);
	/* each body ends with a jump to the end, whose place is filled in when it is known */
	for (i = 0; i < j->n; i++) {
		set_target(l, first + i, l->count);
		emit_all(l, j->bodies[i]);
		emit_jump(l, 0);
	}
	set_target(l, first + j->n, l->count);
	for (i = 1; i < j->n && l->packets && !l->over; i++)
		l->packets[l->packets[first + i].jump.target - 1].jump.target = l->count;
	set_target(l, l->count - 1, l->count);
}

static void emit_cond(struct list *l, const struct graph_jump *j)
{
	if (j->cond_type == ACL_MODEL_RI_COND_TYPE_IF)
		emit_if_task(l, j);
	else if (j->cond_type == ACL_MODEL_RI_COND_TYPE_WHILE)
		emit_while_task(l, j);
	else
		emit_switch_task(l, j);
}

/* Jumps to the label whose number is in a word of memory */
static void emit_switch_label(struct list *l, const struct anpu_graph *g,
			      const struct graph_jump *j)
{
	union anpu_packet pkt = { .jump = {
					  .hdr = { .opcode = ANPU_OP_JUMP,
						   .flags = ANPU_JUMP_TABLE },
					  .addr = j->left,
					  .value = l->table_va + 4ULL * l->entries,
					  .width = 4,
					  .target = j->n,
				  } };
	uint32_t i;

	emit(l, &pkt);
	for (i = 0; i < j->n; i++, l->entries++)
		if (l->table)
			l->table[l->entries] = g->tasks[j->labels->label[i]->task].at;
}

static void emit_switch_stream(struct list *l, const struct graph_jump *j)
{
	union anpu_packet pkt = { .jump = {
					  .hdr = { .opcode = ANPU_OP_JUMP,
						   .flags = ANPU_JUMP_MEMORY | ANPU_JUMP_SIGNED },
					  .addr = j->left,
					  .value = j->right,
					  .mask = UINT64_MAX,
					  .cond = j->op,
					  .width = j->width,
					  .target = l->lane_at[j->lane],
				  } };

	emit(l, &pkt);
	if (j->other != NO_LANE)
		emit_jump(l, l->lane_at[j->other]);
}

static void emit_skip(struct list *l, const struct graph_task *t)
{
	const struct graph_jump *j = t->jump;
	uint32_t target = t[j->skip].at; /* known the second time */

	if (j->left)
		emit_if(l, j->left, ANPU_SEM_EQ, j->right, target);
	else
		emit_jump(l, target);
}

static void emit_set(struct list *l, uint64_t va, uint64_t value)
{
	union anpu_packet pkt = anpu_signal_packet(va, value, 0, ANPU_SEM_SET);

	emit(l, &pkt);
}

static void set_active(struct list *l, uint32_t lane, bool active)
{
	emit_set(l, l->words_va + 8ULL * lane, active);
}

static void emit_task(struct list *l, struct anpu_graph *g, struct graph_task *t)
{
	static const union anpu_packet nop = { .hdr.opcode = ANPU_OP_NOP };
	uint32_t i;

	t->at = l->count;
	if (t->removed)
		return;
	switch (t->control) {
	case GRAPH_PLAIN:
		for (i = 0; i < t->count; i++)
			emit(l, t->disabled ? &nop : &g->packets[t->first + i]);
		break;
	case GRAPH_COND:
		if (!t->disabled)
			emit_cond(l, t->jump);
		break;
	case GRAPH_LABEL:
		break;
	case GRAPH_SWITCH_LABEL:
		emit_switch_label(l, g, t->jump);
		break;
	case GRAPH_SWITCH_STREAM:
		emit_switch_stream(l, t->jump);
		break;
	case GRAPH_ACTIVE:
		set_active(l, t->jump->lane, true);
		break;
	case GRAPH_END:
		/* without jumps, the tasks of the next stream would follow */
		if (l->lanes)
			emit_jump(l, l->next);
		break;
	case GRAPH_CHOICE:
		break;
	case GRAPH_SKIP:
		emit_skip(l, t);
		break;
	}
}

static void emit_lanes(struct list *l, struct anpu_graph *g)
{
	uint32_t n = g->lane_count, i, t;

	for (i = 0; i < n; i++)
		set_active(l, i, g->lanes[i].head);
	l->next = l->count;
	for (i = 0; i < n; i++)
		emit_if(l, l->words_va + 8ULL * i, ANPU_SEM_NE, 0, l->lane_at[i]);
	/* to behind the last packet, whose place is filled in when it is known */
	i = l->count;
	emit_jump(l, 0);
	n = i;
	for (i = 0; i < g->lane_count; i++) {
		l->lane_at[i] = l->count;
		set_active(l, i, false);
		for (t = 0; t < g->task_count; t++)
			if (g->tasks[t].lane == i)
				emit_task(l, g, &g->tasks[t]);
		emit_jump(l, l->next);
	}
	set_target(l, n, l->count);
}

/* Conditions of the graph and the bodies in it */
static void emit_conds(struct list *l, const struct anpu_graph *g)
{
	const struct graph_cond *c;
	uint32_t i, b;

	for (c = g->conds; c; c = c->next) {
		if (!c->assign)
			continue;
		emit_set(l, c->va, c->initial);
	}
	for (i = 0; i < g->task_count; i++)
		if (g->tasks[i].control == GRAPH_COND)
			for (b = 0; b < g->tasks[i].jump->n; b++)
				emit_conds(l, g->tasks[i].jump->bodies[b]);
}

static void emit_words(struct list *l, const struct anpu_graph *g)
{
	uint32_t i;

	for (i = 0; i < g->word_count; i++)
		emit_set(l, g->words[i].va, g->words[i].value);
}

static void emit_graph(struct list *l, struct anpu_graph *g)
{
	l->count = 0;
	l->entries = 0;
	l->over = false;
	g->list_va = l->list_va;
	emit_words(l, g);
	emit_conds(l, g);
	l->lanes = graph_has_control(g);
	if (l->lanes)
		emit_lanes(l, g);
	else
		emit_all(l, g);
}

/* Bodies that were never recorded would silently do nothing */
static aclError check_bodies(const struct anpu_graph *g)
{
	aclError ret = ACL_SUCCESS;
	uint32_t i, b;

	for (i = 0; i < g->task_count && !ret; i++) {
		const struct graph_task *t = &g->tasks[i];

		for (b = 0; t->control == GRAPH_COND && b < t->jump->n && !ret; b++) {
			if (__atomic_load_n(&t->jump->bodies[b]->state, __ATOMIC_ACQUIRE) !=
			    GRAPH_READY)
				ret = acl_fail(ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING,
					       "body %u of conditional task %u %s: record it with "
					       "aclmdlRICaptureToModelRIBegin() and end that first",
					       b, i,
					       t->jump->bodies[b]->used
						       ? "is being recorded or void"
						       : "was not recorded");
			else
				ret = check_bodies(t->jump->bodies[b]);
		}
	}
	return ret;
}

/* Puts the list into memory of its own, which replaces what there was */
static aclError upload(struct anpu_graph *g, struct list *l)
{
	uint64_t words = (uint64_t)l->count * ANPU_PACKET_SIZE;
	uint64_t table = words + 8ULL * g->lane_count;
	struct anpu_region *region;
	char *window;
	int err;

	err = anpu_region_new(g->obj.dev, ANPU_REGION_INTERNAL, DRM_ANPU_BO_SYSTEM,
			      table + 4ULL * l->entries, DRM_ANPU_VM_READ | DRM_ANPU_VM_WRITE,
			      &region);
	if (err)
		return anpu_fail_ioctl(g->obj.dev, err, "allocating room for a graph");
	anpu_region_get(region);
	window = anpu_region_window(region);
	if (!window) {
		graph_drop_region(region);
		return acl_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
				"room for a graph cannot be mapped");
	}
	l->packets = (union anpu_packet *)window;
	l->table = (uint32_t *)(window + table);
	l->list_va = region->va;
	l->words_va = region->va + words;
	l->table_va = region->va + table;
	emit_graph(l, g);
	if (g->region)
		graph_drop_region(g->region);
	g->region = region;
	return ACL_SUCCESS;
}

aclError graph_compile(struct anpu_graph *g)
{
	struct list l = { .lane_at = calloc(g->lane_count + 1, sizeof(*l.lane_at)) };
	aclError ret;

	if (!l.lane_at)
		return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a graph");
	ret = check_bodies(g);
	if (!ret)
		emit_graph(&l, g);
	if (!ret && l.over)
		ret = acl_fail(ACL_ERROR_RT_OVER_LIMIT,
			       "a graph can have %d tasks, what conditions and jumps need included",
			       ANPU_MAX_INDIRECT);
	if (!ret && l.count)
		ret = upload(g, &l);
	if (!ret) {
		g->list_count = l.count;
		graph_nodes_place(g);
	}
	free(l.lane_at);
	return ret;
}
