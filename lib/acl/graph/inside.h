/* SPDX-License-Identifier: MIT */
/*
 * Inside graphs. A graph is a list of tasks in the order in which they were called for, each with
 * its packets; a task belongs to a lane, which is what one stream has put into the graph. When the
 * recording ends, the packets of all tasks become one array in device memory, which an INDIRECT
 * packet executes.
 *
 * So the tasks of a graph run one after the other, also those of different lanes: the order in
 * which they were called for is one that every event allows. In graphs that are built by hand, where
 * lanes start each other, the array has the lanes one behind the other and jumps between them;
 * list.c.
 *
 * Locks: the stream's, then the graph's, then that of the list of recordings.
 */
#ifndef ANPU_GRAPH_INSIDE_H
#define ANPU_GRAPH_INSIDE_H

#include <stdio.h>

#include "graph/graph.h"

/* Graphs inside graphs, by conditional tasks */
#define GRAPH_MAX_DEPTH 64
#define GRAPH_NAME_MAX	512

struct args_piece {
	struct args_piece *next;
	struct anpu_region *region; /* referenced */
	uint32_t used;
};

enum graph_control {
	GRAPH_PLAIN, /* its packets */
	GRAPH_COND,
	GRAPH_LABEL,
	GRAPH_SWITCH_LABEL,
	GRAPH_SWITCH_STREAM,
	GRAPH_ACTIVE,
	GRAPH_END,
	GRAPH_CHOICE, /* choice.c: one of several graphs; in a graph that does not run */
	GRAPH_SKIP    /* what becomes of it in a copy that runs: goes on at another task */
};

struct graph_task_obj;
struct graph_group;

/* Bytes that a program has given a task */
struct graph_info {
	void *data; /* NULL: none */
	size_t size;
};

struct graph_task {
	uint64_t number; /* no other task has this number */
	aclmdlRITaskType type;
	enum graph_control control;
	uint32_t lane;
	struct anpu_site site; /* the call that made it */
	uint32_t first, count; /* in the graph's packets */
	uint32_t at;	       /* in the array on the device */
	bool disabled, disable; /* now; after aclmdlRIUpdate() */
	bool has_next;
	union anpu_packet next; /* packet after aclmdlRIUpdate() */
	struct graph_args args;	/* of a kernel with host arguments */
	struct graph_args spare; /* for those of @next */
	struct graph_group *group;
	struct graph_task_obj *obj; /* its handle, once that was asked for */
	aclrtEvent event;
	uint32_t event_flags;
	uint32_t flag; /* ACL_EVENT_RECORD_*, ACL_EVENT_WAIT_* */
	struct graph_jump *jump;
	struct anpu_graph_call *call; /* a host function */
	uint32_t call_at;	      /* where its packets begin in those of the task */
	struct anpu_graph *sub;	      /* content.c: what the task stands for, referenced, or NULL */
	struct graph_info op_info, text; /* info.c */
	/* node.c: what the driver API's front does with tasks */
	uint64_t origin; /* number of the task that this one is a copy of, or 0 */
	bool removed;	 /* from its graph, where its place stays */
	void **pointers; /* to its parameters, once these were asked for */
	uint64_t node;	 /* address of the structure by which kernels change it, or 0 */
	struct anpu_graph_node *node_cpu; /* the same for the library; NULL if it belongs to a copy of the graph */
};

/* Tasks that steer a graph: parameters of those that are not GRAPH_PLAIN */
struct graph_jump {
	struct graph_cond *cond; /* referenced */
	aclmdlRICondTaskType cond_type;
	struct anpu_graph **bodies; /* COND, CHOICE: referenced */
	uint32_t n;
	struct graph_label *label;   /* LABEL: referenced */
	struct graph_labels *labels; /* SWITCH_LABEL: referenced */
	uint64_t left, right;	     /* addresses; CHOICE: left; SKIP: left, 0 for always, and a value */
	int32_t skip;		     /* SKIP: so many tasks on */
	uint32_t op;		     /* enum anpu_sem_cond */
	uint32_t width;
	uint32_t lane, other; /* SWITCH_STREAM: if so, else; ACTIVE: which. NO_LANE */
};

#define NO_LANE UINT32_MAX

/* A condition variable */
struct graph_cond {
	struct acl_obj obj;
	struct graph_cond *next; /* of its graph */
	struct anpu_graph *graph; /* without a reference: the condition ends before its graph */
	uint64_t *cpu;
	uint64_t va;
	uint32_t initial;
	bool assign; /* at the begin of each execution */
};

struct graph_label {
	struct acl_obj obj;
	struct anpu_graph *graph; /* where the label was set; compared, never followed */
	uint32_t task;
};

struct graph_labels {
	struct acl_obj obj;
	uint32_t n;
	struct graph_label *label[]; /* referenced */
};

/* A host function in a graph */
struct anpu_graph_call {
	struct anpu_graph_call *next; /* of the device */
	struct anpu_graph *graph;
	void (*fn)(void *arg);
	void *arg;
	struct anpu_slot slot; /* value: CALL_* */
	bool queued;
};

/* Tasks that aclmdlRICaptureTaskUpdateBegin() changes */
struct graph_group {
	struct acl_obj obj;
	struct graph_group *next;
	struct anpu_graph *graph; /* NULL once it has ended */
	uint32_t *tasks;
	uint32_t count, room;
	bool updating;
};

/* A graph's stream, as aclmdlRIGetStreams() tells it */
struct lane_obj {
	struct acl_obj obj;
	struct anpu_graph *graph; /* NULL once it has ended */
	uint32_t lane;
};

struct graph_task_obj {
	struct acl_obj obj;
	struct anpu_graph *graph; /* NULL once it has ended */
	uint32_t task;
};

/* Tasks of a graph behind which the next one of a lane comes; order.c */
struct graph_ends {
	uint32_t *task;
	uint32_t count;
};

/* Task @to waits for @from */
struct graph_pair {
	uint32_t from, to;
};

struct graph_lane {
	struct anpu_stream *stream; /* that records into it, referenced; NULL if none does */
	struct lane_obj *obj;	    /* once it was asked for */
	uint32_t tasks;		    /* in it */
	uint32_t last;		    /* number of its newest task + 1, or 0 */
	uint32_t *known;	    /* of each lane, up to which task this one waits for */
	struct graph_ends ends;
	bool head;		    /* BUILT: runs from the start */
	bool ended;		    /* BUILT: aclmdlRIEndTask() */
	struct graph_group *group;  /* being recorded */
};

/* An execution that may not have ended */
struct run {
	struct anpu_stream *stream; /* referenced */
	uint64_t seq;
};

/* A word of device memory that each execution sets first */
struct graph_word {
	uint64_t va, value;
};

/* An event outside of the graph that it records or waits for; changed before each execution */
struct graph_external {
	struct acl_obj *event; /* referenced */
	uint32_t task;
	bool record;
};

struct destroy_hook {
	struct destroy_hook *next;
	aclrtCallback fn;
	void *data;
};

enum graph_state { GRAPH_RECORDING, GRAPH_READY, GRAPH_VOID };

struct anpu_graph {
	struct acl_obj obj;
	pthread_mutex_t lock;
	enum graph_state state;
	uint32_t id;
	char name[GRAPH_NAME_MAX];
	uint64_t context; /* handle */
	/* the recording */
	bool built; /* by hand */
	aclmdlRICaptureMode mode;
	pid_t thread;	/* that began it */
	aclError why;	/* why the recording is void, or 0 */
	struct anpu_graph *next_recording;
	bool body; /* of a conditional task, which made it */
	uint32_t depth;
	bool used; /* a body that was recorded */
	bool in_order; /* the checking mode has looked at the order of its tasks, and told of none without */
	bool kept; /* the recording adds to a graph that the program has, and that a failure leaves */
	uint32_t origin; /* the lane in which the recording was begun */
	struct graph_lane *lanes;
	uint32_t lane_count;
	/* what it has */
	struct graph_task *tasks;
	uint32_t task_count, task_room;
	union anpu_packet *packets;
	uint32_t count, room;
	struct graph_pair *pairs; /* of what was recorded, by numbers of tasks; the order may have changed since */
	uint32_t pair_count, pair_room;
	struct args_piece *args;
	struct args_piece *nodes; /* structures by which kernels change tasks */
	struct graph_cond *conds;
	struct graph_word *words;
	uint32_t word_count;
	bool skips; /* it has tasks that go on elsewhere */
	struct graph_external *externals;
	uint32_t external_count;
	struct graph_group *groups;
	struct destroy_hook *hooks;
	struct anpu_region *vars; /* conditions; in device memory, referenced */
	uint32_t vars_used;
	bool calls;
	/* on the device */
	struct anpu_region *region; /* referenced; NULL while there is nothing */
	uint32_t list_count;
	uint64_t list_va; /* where the tasks' packets are; of a body in its graph's list */
	struct run *runs;
	size_t run_count;
	struct anpu_stream *last; /* of the latest execution of a graph with state, referenced */
	uint64_t last_seq;
	struct anpu_slot order; /* counts executions that have ended */
	uint64_t ordered;
};

/* graph.c */
/* With a handle and a reference for the caller */
struct anpu_graph *graph_new(struct anpu_device *dev);
/* With a reference; NULL after acl_fail(). The other one is also locked: graph_unlock() ends both */
struct anpu_graph *graph_find(aclmdlRI handle);
struct anpu_graph *graph_find_locked(aclmdlRI handle);
/* Takes it out of the registry and drops that reference */
void graph_unpublish(struct anpu_graph *g);
void graph_drop_region(struct anpu_region *region);
/* Is an execution under way; graph locked */
bool graph_running(struct anpu_graph *g);
static inline void graph_get(struct anpu_graph *g)
{
	acl_obj_get(&g->obj);
}
static inline void graph_put(struct anpu_graph *g)
{
	acl_obj_put(&g->obj);
}

/* capture.c: takes a graph from the list of recordings */
void graph_unlist_recording(struct anpu_graph *g);

/* record.c: locks the graph of a stream that is locked; fails if it records no more */
aclError graph_lock_of(struct anpu_stream *s);
void graph_unlock_of(struct anpu_stream *s);
/* with the graph locked */
aclError graph_lane_new(struct anpu_graph *g, struct anpu_stream *s, uint32_t *lane);
/* Room for one more at the end of an array, which may move; NULL after acl_fail() */
void *graph_grow(void *array, uint32_t count, uint32_t *room, size_t size);
/* A task without packets behind the others, NULL after acl_fail() */
struct graph_task *graph_task_new(struct anpu_graph *g, uint32_t lane, aclmdlRITaskType type);
/* info.c: numbers a new task, which is its thread's last one; frees and prints what it was given */
void graph_info_new(struct anpu_graph *g, struct graph_task *t);
void graph_info_free(struct graph_task *t);
void graph_info_print(FILE *f, const struct graph_task *t);
aclError graph_task_add(struct anpu_graph *g, struct graph_task *t, const union anpu_packet *pkt);
aclError graph_args_take(struct anpu_graph *g, uint64_t size, struct graph_args *out);
/* The same in memory that graph_nodes_move() can give another graph */
aclError graph_node_take(struct anpu_graph *g, uint64_t size, struct graph_args *out);
aclError graph_void(struct anpu_graph *g, aclError why);
/* Ends the recording of all its streams, or of one; nothing is locked */
void graph_release_streams(struct anpu_graph *g);
void graph_release_stream(struct anpu_graph *g, struct anpu_stream *s);

/* order.c: a recorded task comes behind the ends of its lane, and is that lane's end from now on; graph locked */
aclError graph_order_task(struct anpu_graph *g, const struct graph_task *t);
/* The checking mode: do tasks of a recording that has ended use the same memory without an order? Graph locked */
void graph_order_look(struct anpu_graph *g);
/* The same of kernels when the graph ends: what they do with their memory is known if it has run. Graph locked */
void graph_order_look_back(const struct anpu_graph *g);
aclError graph_ends_add(struct graph_ends *to, const struct graph_ends *from);
void graph_ends_free(struct graph_ends *e);
/* clone.c: is the task one of the driver API's nodes; graph locked */
bool graph_is_node(const struct anpu_graph *g, uint32_t i);

/* list.c: puts everything on the device; graph locked. It must not be running */
aclError graph_compile(struct anpu_graph *g);

/* switch.c */
struct graph_jump *graph_jump_new(void);
void graph_jump_free(struct graph_jump *j);
bool graph_has_control(const struct anpu_graph *g);
/* The stream of a call, bound to a graph that is being built; both locked */
aclError graph_lock_bound(aclrtStream stream, struct anpu_stream **s);
void graph_unlock_bound(struct anpu_stream *s);
/* Adds a task that jumps, both locked; takes @j over. NULL after acl_fail() */
struct graph_task *graph_add_control(struct anpu_stream *s, enum graph_control control,
				     struct graph_jump *j);
/* 207000 where nothing jumps inside of graphs */
aclError graph_check_jumps(const struct anpu_device *dev);
/* An aligned word in memory of the stream's device */
aclError graph_check_word(const void *ptr, uint32_t width, const char *name,
			  const struct anpu_stream *s);

/* cond.c */
void graph_conds_free(struct anpu_graph *g);

/* task.c */
/*
 * A handle leads to its graph only while that is known: graph_put() from another thread would free
 * it else. So the pointer is read under this lock, which comes behind the graph's.
 */
extern pthread_mutex_t graph_views_lock;
/* A graph that is not on its way out, with a reference; graph_views_lock held */
bool graph_try_get(struct anpu_graph *g);
/* The graph of a task's handle with a reference and locked */
aclError graph_lock_task(aclmdlRITask handle, struct anpu_graph **g, struct graph_task **t);
void graph_unlock(struct anpu_graph *g);
void graph_tasks_forget(struct anpu_graph *g);
/* The function that begins there with a reference, or NULL */
struct anpu_func *graph_func_at(struct anpu_device *dev, uint64_t entry);
/* The handle of a task, new if it has none; graph locked */
aclError graph_task_handle(struct anpu_graph *g, uint32_t i, aclmdlRITask *out);
/* Ends the handle of a task that was removed; graph locked */
void graph_task_forget(struct anpu_graph *g, struct graph_task *t);
/* The task's packet after aclmdlRIUpdate(), or its present one if nothing was changed */
const union anpu_packet *graph_packet_of(const struct anpu_graph *g, const struct graph_task *t);

/* node.c: what kernels change is told where their packets are now, and what they have changed is kept; graph locked */
void graph_nodes_place(struct anpu_graph *g);
void graph_nodes_read(struct anpu_graph *g);

/* clone.c: task @i of @g behind those of @c, with what it stands for; graphs locked. @keep: that stays one task */
aclError graph_task_copy(struct anpu_graph *c, struct anpu_graph *g, uint32_t i, bool same, bool keep);
/* The tasks of a graph that a task stands for, behind those of @c, whose tasks may get other memory */
aclError graph_sub_copy(struct anpu_graph *c, struct anpu_graph *sub, bool same);
/* Appends the task's packets and its function to those of @n, whose packets are the graph's last ones */
aclError graph_content_copy(struct anpu_graph *c, struct graph_task *n, const struct anpu_graph *g,
			    const struct graph_task *t);
/* choice.c: what a choice becomes in a copy that runs, or a skip of one; and the words that executions set */
aclError graph_choice_copy(struct anpu_graph *c, const struct graph_task *t, bool same);
aclError graph_skip_copy(struct anpu_graph *c, const struct graph_task *t);
bool graph_skips_alike(const struct graph_task *t, const struct graph_task *u);
aclError graph_words_copy(struct anpu_graph *c, const struct anpu_graph *g);
/* call.c: a host function of another graph, as task @t of this one; graph locked */
aclError graph_call_copy(struct anpu_graph *g, struct graph_task *t, const struct anpu_graph_call *from);

/* group.c */
aclError graph_group_check(struct anpu_graph *g, uint32_t lane, const union anpu_packet *pkt);
/* Refuses a task that is no kernel in a stream between TaskUpdateBegin and TaskUpdateEnd: a code, with its sentence */
aclError graph_update_refuse(const struct anpu_stream *s);
/* A packet of such a stream; stream locked */
aclError graph_update_record(struct anpu_stream *s, const union anpu_packet *pkt);
/* The stream ends, and its update; stream locked */
void graph_update_end(struct anpu_stream *s);
aclError graph_update_args(struct anpu_stream *s, uint64_t size, void **cpu, uint64_t *va);

/* node.c: one of this library's own launch attributes, as the task has it */
aclError graph_own_attribute(aclmdlRITask task, aclrtLaunchKernelAttrId id, aclrtLaunchKernelAttrValue *value);

#endif /* ANPU_GRAPH_INSIDE_H */
