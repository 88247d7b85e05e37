/* SPDX-License-Identifier: MIT */
/*
 * The private door for libraries in front of this one, continued: graphs whose tasks are added, changed and removed
 * one by one, as the driver API has them. It is not installed. Graphs with labels, switches and conditions of
 * AscendCL are refused with 207000. Include core/front.h in front of it.
 */
#ifndef ANPU_GRAPH_FRONT_H
#define ANPU_GRAPH_FRONT_H

enum anpu_front_node_type {
	ANPU_NODE_KERNEL,
	ANPU_NODE_COPY,
	ANPU_NODE_FILL,
	ANPU_NODE_HOST,
	ANPU_NODE_RECORD, /* an event outside of the graph */
	ANPU_NODE_WAIT,
	ANPU_NODE_VALUE,
	ANPU_NODE_OTHER,
};

/* A graph without tasks, for the device of the thread's context */
ANPU_FRONT_CALL aclError anpu_front_graph_new(aclmdlRI *out);
/*
 * A graph with the same tasks, ready to run. @same: its tasks are copies of what those of @from are copies of, else of
 * those. @take: it takes over what kernels change tasks by. Tasks that stand for graphs become the tasks of these.
 */
ANPU_FRONT_CALL aclError anpu_front_graph_copy(aclmdlRI from, bool same, bool take, aclmdlRI *out);
/* The same for a graph that does not run: tasks that stand for graphs stay such tasks, and stand for the same ones */
ANPU_FRONT_CALL aclError anpu_front_graph_clone(aclmdlRI from, aclmdlRI *out);
/*
 * Has graph @b the shape of @a: as many tasks, of the same kinds? Else ACL_ERROR_RT_MODEL_UPDATE_FAILED, and *bad is the number of the first task
 * that differs, UINT32_MAX if it is their count. Of what @a's tasks are copies of, those of @b become ones, too; what
 * is disabled in @a is disabled in @b.
 */
ANPU_FRONT_CALL aclError anpu_front_graph_adopt(aclmdlRI a, aclmdlRI b, uint32_t *bad);
/* Makes what was changed count for executions from now on. It must not be running */
ANPU_FRONT_CALL aclError anpu_front_graph_renew(aclmdlRI graph);
/* Is it being recorded still; false: it has ended, which is no failure that has a sentence */
ANPU_FRONT_CALL bool anpu_front_graph_recording(aclmdlRI graph, bool *recording);
/* Is it being executed; has it tasks that kernels change */
ANPU_FRONT_CALL aclError anpu_front_graph_state(aclmdlRI graph, bool *running, bool *updatable);
/* Its tasks in the order of their calls, at most @room; *n is the number of all. Events that only order tasks are none */
ANPU_FRONT_CALL aclError anpu_front_graph_nodes(aclmdlRI graph, aclmdlRITask *tasks, uint32_t room, uint32_t *n);
/* Task @i of those that were not removed */
ANPU_FRONT_CALL aclError anpu_front_graph_task(aclmdlRI graph, uint32_t i, aclmdlRITask *out);
/* The task of @graph that is a copy of @of; 107000: there is none */
ANPU_FRONT_CALL aclError anpu_front_graph_find(aclmdlRI graph, aclmdlRITask of, aclmdlRITask *out);
/* Adds a kernel */
ANPU_FRONT_CALL aclError anpu_front_graph_add(aclmdlRI graph, const struct anpu_front_launch *l,
					      enum anpu_front_why *why, aclmdlRITask *out);

/*
 * Adds one task that does what the recorded graph @from does, or nothing if that is NULL. @from has one task, or copies,
 * fills and at most one host function
 */
ANPU_FRONT_CALL aclError anpu_front_graph_append(aclmdlRI graph, aclmdlRI from, aclmdlRITask *out);
/* Lets a task of a graph that does not run do what @from does from now on; anpu_front_graph_renew() comes behind it */
ANPU_FRONT_CALL aclError anpu_front_node_replace(aclmdlRITask task, aclmdlRI from);
/* The task stands for all tasks of another graph of the same device, as that will be when a copy is made */
ANPU_FRONT_CALL aclError anpu_front_node_stand_for(aclmdlRITask task, aclmdlRI graph);
#define ANPU_FRONT_MOST_BODIES 65536
/*
 * The task runs one of the @n graphs, or one as often as wanted, by the aligned 8 bytes of device memory at @va, as aclmdlRIAddCondTask() says it.
 * Graphs and word stay until the task's graph and its copies end. 207000: the device knows no jumps
 */
ANPU_FRONT_CALL aclError anpu_front_node_choose(aclmdlRITask task, aclmdlRICondTaskType type, uint64_t va, const aclmdlRI *bodies,
						uint32_t n);
/* Each execution of copies of the graph, and of graphs that have it, sets the aligned 8 bytes at @va first */
ANPU_FRONT_CALL aclError anpu_front_graph_word(aclmdlRI graph, uint64_t va, uint64_t value);
/* Brings the tasks into this order; @tasks has all that anpu_front_graph_nodes() tells. The graph does not run */
ANPU_FRONT_CALL aclError anpu_front_graph_sort(aclmdlRI graph, const aclmdlRITask *tasks, uint32_t n);

/* Begins to record into a graph that has tasks; what is recorded comes behind none of them, unless set_ends says so */
ANPU_FRONT_CALL aclError anpu_front_capture_into(aclrtStream stream, aclmdlRI graph, aclmdlRICaptureMode mode);
/* order.c: tasks of a recording behind which the stream's next one comes, at most @room; *n is the number of all */
ANPU_FRONT_CALL aclError anpu_front_capture_ends(aclrtStream stream, aclmdlRITask *tasks, uint32_t room, uint32_t *n);
/* It comes behind these from now on: @add, also behind those that it comes behind already */
ANPU_FRONT_CALL aclError anpu_front_capture_set_ends(aclrtStream stream, const aclmdlRITask *tasks, uint32_t n, bool add);
/* A task of a graph that is recorded comes behind another one, too */
ANPU_FRONT_CALL aclError anpu_front_graph_pair(aclmdlRI graph, aclmdlRITask from, aclmdlRITask to);
/* The checking mode: tells of tasks that use the same memory, and of which neither comes behind the other by any of these pairs */
ANPU_FRONT_CALL aclError anpu_front_graph_look(aclmdlRI graph, const aclmdlRITask (*pairs)[2], size_t n);
/* Which recorded tasks wait for which: pairs @first and later ones, at most @room; *n is the number of all pairs */
ANPU_FRONT_CALL aclError anpu_front_graph_pairs(aclmdlRI graph, uint32_t first, aclmdlRITask (*pairs)[2], uint32_t room,
						uint32_t *n);

ANPU_FRONT_CALL aclError anpu_front_node_type(aclmdlRITask task, enum anpu_front_node_type *type);
/* The graph of a task */
ANPU_FRONT_CALL aclError anpu_front_node_graph(aclmdlRITask task, aclmdlRI *graph);
/* The last task that this thread has recorded */
ANPU_FRONT_CALL aclError anpu_front_node_last(aclmdlRITask *out);
/* A kernel's launch; @l's params point to its own values, which stay until it is changed or its graph ends */
ANPU_FRONT_CALL aclError anpu_front_node_get(aclmdlRITask task, struct anpu_front_launch *l);
ANPU_FRONT_CALL aclError anpu_front_node_set(aclmdlRITask task, const struct anpu_front_launch *l,
					     enum anpu_front_why *why);
ANPU_FRONT_CALL aclError anpu_front_node_remove(aclmdlRITask task);
ANPU_FRONT_CALL aclError anpu_front_node_enable(aclmdlRITask task, bool enable);
ANPU_FRONT_CALL aclError anpu_front_node_enabled(aclmdlRITask task, bool *enabled);
/* Address of the structure by which kernels change the task (anpu/graph_node.h), 0: none. @make: gives it one */
ANPU_FRONT_CALL aclError anpu_front_node_updatable(aclmdlRITask task, bool make, uint64_t *node);

/*
 * The streams of the thread's device with a task that has not run and waits for a word in these bytes, or writes one, also in a
 * graph that they execute: the first @room of them into @list. Returns how many there are.
 */
ANPU_FRONT_CALL size_t anpu_front_users(const void *base, size_t size, aclrtStream *list, size_t room);

#endif
