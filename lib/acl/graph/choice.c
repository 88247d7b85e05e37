// SPDX-License-Identifier: MIT
/*
 * The private door (graph/front.h): tasks that run one of several graphs, or one as often as a word says. A graph that
 * is changed has one such task, GRAPH_CHOICE; copies that run have the tasks of all these graphs, and jumps between them:
 *
 *	if:	skip else; body; skip end; else: body; end:
 *	while:	top: skip end; body; skip top; end:
 *	switch:	skip case 0 .. n-1; skip end; body; skip end; ... end:
 *
 * So tasks of a body have places of their own, at which they can be changed.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/inside.h"

_Static_assert(ANPU_FRONT_MOST_BODIES == ANPU_MAX_INDIRECT, "a jump to each");

/* Behind all tasks, one that goes on elsewhere if the word at @va is @value, or always if @va is 0; *at: its number */
static aclError add_skip(struct anpu_graph *c, uint64_t va, uint64_t value, uint32_t *at)
{
	struct graph_jump *j = graph_jump_new();
	struct graph_task *t = j ? graph_task_new(c, 0, ACL_MODEL_RI_TASK_DEFAULT) : NULL;

	if (!t) {
		if (j)
			graph_jump_free(j);
		return acl_last_failure();
	}
	j->left = va;
	j->right = value;
	t->control = GRAPH_SKIP;
	c->skips = true;
	t->jump = j;
	*at = c->task_count - 1;
	return ACL_SUCCESS;
}

static void set_skip(struct anpu_graph *c, uint32_t at, uint32_t to)
{
	c->tasks[at].jump->skip = (int32_t)(to - at);
}

static aclError add_if(struct anpu_graph *c, const struct graph_jump *j, bool same)
{
	uint32_t skip, end;
	aclError ret = add_skip(c, j->left, 0, &skip);

	if (!ret)
		ret = graph_sub_copy(c, j->bodies[0], same);
	if (!ret && j->n > 1) {
		ret = add_skip(c, 0, 0, &end);
		if (!ret)
			set_skip(c, skip, c->task_count);
		skip = end;
		if (!ret)
			ret = graph_sub_copy(c, j->bodies[1], same);
	}
	if (!ret)
		set_skip(c, skip, c->task_count);
	return ret;
}

static aclError add_while(struct anpu_graph *c, const struct graph_jump *j, bool same)
{
	uint32_t top, again;
	aclError ret = add_skip(c, j->left, 0, &top);

	if (!ret)
		ret = graph_sub_copy(c, j->bodies[0], same);
	if (!ret)
		ret = add_skip(c, 0, 0, &again);
	if (ret)
		return ret;
	set_skip(c, again, top);
	set_skip(c, top, c->task_count);
	return ACL_SUCCESS;
}

static aclError add_switch(struct anpu_graph *c, const struct graph_jump *j, bool same)
{
	uint32_t *ends = calloc(j->n + 1, sizeof(*ends)), first = c->task_count, i, skip;
	aclError ret = ends ? ACL_SUCCESS : acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a graph");

	for (i = 0; i < j->n && !ret; i++)
		ret = add_skip(c, j->left, i, &skip);
	if (!ret)
		ret = add_skip(c, 0, 0, &ends[j->n]);
	for (i = 0; i < j->n && !ret; i++) {
		set_skip(c, first + i, c->task_count);
		ret = graph_sub_copy(c, j->bodies[i], same);
		if (!ret)
			ret = add_skip(c, 0, 0, &ends[i]);
	}
	for (i = 0; i <= j->n && !ret; i++)
		set_skip(c, ends[i], c->task_count);
	free(ends);
	return ret;
}

/* The task's own copy has no packets: it is the end that skips lead to */
aclError graph_choice_copy(struct anpu_graph *c, const struct graph_task *t, bool same)
{
	uint64_t origin = same ? t->origin : t->number;
	const struct graph_jump *j = t->jump;
	struct graph_task *end;
	aclError ret;

	if (j->cond_type == ACL_MODEL_RI_COND_TYPE_IF)
		ret = add_if(c, j, same);
	else if (j->cond_type == ACL_MODEL_RI_COND_TYPE_WHILE)
		ret = add_while(c, j, same);
	else
		ret = add_switch(c, j, same);
	end = ret ? NULL : graph_task_new(c, 0, ACL_MODEL_RI_TASK_DEFAULT);
	if (!end)
		return ret ? ret : acl_last_failure();
	end->origin = origin;
	return ACL_SUCCESS;
}

aclError graph_skip_copy(struct anpu_graph *c, const struct graph_task *t)
{
	uint32_t at;
	aclError ret = add_skip(c, t->jump->left, t->jump->right, &at);

	if (!ret)
		c->tasks[at].jump->skip = t->jump->skip;
	return ret;
}

bool graph_skips_alike(const struct graph_task *t, const struct graph_task *u)
{
	return t->jump->skip == u->jump->skip && t->jump->right == u->jump->right && !t->jump->left == !u->jump->left;
}

static aclError add_words(struct anpu_graph *g, const struct graph_word *words, uint32_t n)
{
	struct graph_word *more;

	if (!n)
		return ACL_SUCCESS;
	more = realloc(g->words, (g->word_count + n) * sizeof(*more));
	if (!more)
		return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a graph");
	g->words = more;
	memcpy(&more[g->word_count], words, n * sizeof(*more));
	g->word_count += n;
	return ACL_SUCCESS;
}

aclError graph_words_copy(struct anpu_graph *c, const struct anpu_graph *g)
{
	return add_words(c, g->words, g->word_count);
}

/* The door ------------------------------------------------------------------------------------------------ */

aclError anpu_front_graph_word(aclmdlRI graph, uint64_t va, uint64_t value)
{
	struct graph_word word = { va, value };
	struct anpu_graph *g;
	aclError ret;

	ACL_ENTER();
	g = graph_find_locked(graph);
	if (!g)
		return ACL_ERROR_RT_INVALID_HANDLE;
	ret = add_words(g, &word, 1);
	graph_unlock(g);
	return ret;
}

/* The graphs of the handles, referenced, of the same device */
static aclError take_bodies(struct graph_jump *j, const struct anpu_device *dev, const aclmdlRI *bodies, uint32_t n)
{
	j->bodies = calloc(n, sizeof(*j->bodies));
	if (!j->bodies)
		return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a graph");
	for (; j->n < n; j->n++) {
		j->bodies[j->n] = graph_find(bodies[j->n]);
		if (!j->bodies[j->n])
			return ACL_ERROR_RT_INVALID_HANDLE;
		if (j->bodies[j->n]->obj.dev != dev) {
			j->n++;
			return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "the graphs belong to different devices");
		}
	}
	return ACL_SUCCESS;
}

aclError anpu_front_node_choose(aclmdlRITask task, aclmdlRICondTaskType type, uint64_t va, const aclmdlRI *bodies, uint32_t n)
{
	struct graph_jump *j;
	struct anpu_graph *g;
	struct graph_task *t;
	aclError ret;

	ACL_ENTER();
	j = graph_jump_new();
	if (!j)
		return acl_last_failure();
	ret = graph_lock_task(task, &g, &t);
	if (!ret) {
		ret = graph_check_jumps(g->obj.dev);
		if (!ret)
			ret = take_bodies(j, g->obj.dev, bodies, n);
		if (!ret) {
			j->cond_type = type;
			j->left = va;
			t->control = GRAPH_CHOICE;
			t->jump = j;
		}
		graph_unlock(g);
	}
	if (ret)
		graph_jump_free(j);
	return ret;
}
