/* SPDX-License-Identifier: MIT */
/* Recordings, graphs and their nodes. */
#ifndef ANPU_CUDA_GRAPH_H
#define ANPU_CUDA_GRAPH_H

#include "cuda/core/core.h"
#include "cuda/stream/stream.h"
#include "graph/front.h"

/* graph/share.c: what copies of a graph use, until all of them have ended: pinned memory, or an object of the program */
struct cu_share {
	unsigned int refs; /* under cu_graph_lock */
	void *data;
	void (*end)(void *data);
};
struct cu_shares {
	struct cu_share **list;
	size_t n;
};
/* A node of an array that another one comes behind */
struct cu_edge {
	CUgraphNode from, to;
};

/* graph/memory.c: addresses that nodes of a graph allocate and free */
struct cu_memories {
	uint64_t *made, *freed;
	size_t made_n, freed_n;
};

/* graph/: graphs are libacl's, and so are their nodes; what is instantiated from one is a copy */
/* The latest answer of cuStreamGetCaptureInfo() about one stream, which programs may read until they ask again */
struct cu_told {
	struct cu_told *next;
	aclrtStream stream;
	CUgraphNode *nodes;
	CUgraphEdgeData *data;
};
struct cu_graph {
	struct cu_rec rec;
	aclmdlRI ri;
	struct cu_shares shares;
	struct cu_memories memories;
	struct cu_edge *edges;
	size_t edge_count;
	bool unsorted; /* an edge leads to a node that was added earlier */
	bool inside;   /* it belongs to a node of another graph */
	CUgraph outer; /* of a conditional node: the graph that has this node */
	bool recording; /* it was asked for while it is recorded */
	uint32_t pairs;	/* dependencies of the recording that are among edges */
	struct cu_told *told;
	bool once; /* it was instantiated, and has nodes that kernels change: not again */
};
#define CU_EXEC_OLD 4
struct cu_exec {
	struct cu_rec rec;
	aclmdlRI ri;
	aclmdlRI old[CU_EXEC_OLD]; /* what it was before changes, which may still run */
	struct cu_shares shares;
	struct cu_memories memories;
	unsigned long long flags;
};
/*
 * A record of a node, which is its key: attributes of a kernel that have no effect, or the parameters that a node of
 * another kind was made with
 */
struct cu_node {
	struct cu_rec rec;
	enum cu_content { CU_NODE_LIBACLS, CU_NODE_COPY, CU_NODE_FILL, CU_NODE_HOST, CU_NODE_EMPTY, CU_NODE_CHILD,
			  CU_NODE_RECORD, CU_NODE_WAIT, CU_NODE_ALLOC, CU_NODE_FREE, CU_NODE_CHOICE } content;
	union {
		CUDA_MEMCPY3D copy;
		CUDA_MEMSET_NODE_PARAMS fill;
		CUDA_HOST_NODE_PARAMS host;
		CUgraph child;
		CUevent event;
		CUDA_MEM_ALLOC_NODE_PARAMS alloc;
		CUdeviceptr freed;
		CUDA_CONDITIONAL_NODE_PARAMS choice; /* phGraph_out is its own */
	};
	CUaccessPolicyWindow window;
	CUlaunchMemSyncDomainMap map;
	CUlaunchMemSyncDomain domain;
	CUclusterSchedulingPolicy policy;
};
extern pthread_mutex_t cu_graph_lock;
/* Under that lock */
CUresult cu_graph_find(CUgraph handle, struct cu_graph **g);
CUresult cu_exec_find(CUgraphExec handle, struct cu_exec **e);
/* Makes the instantiated graph one that does not run, and gives its copy of a node; cu_exec_changed() ends the change */
CUresult cu_exec_node(struct cu_exec *e, CUgraphNode of, aclmdlRITask *out);
CUresult cu_exec_changed(struct cu_exec *e);
/* graph/object.c */
struct cu_object {
	struct cu_rec rec;
	unsigned int refs; /* of the program and of graphs; under cu_graph_lock */
	void *data;
	CUhostFn destroy;
};
/* Makes a graph of the recorded tasks @graph, and owns them from then on */
CUresult cu_graph_new(aclmdlRI graph, CUgraph *out);
/* All nodes of a graph in memory to be freed */
CUresult cu_nodes_of(aclmdlRI ri, aclmdlRITask **out, uint32_t *n);
CUresult cu_graph_clone(struct cu_graph *g, struct cu_graph **out);
CUresult cu_graph_end(struct cu_graph *g);
/* Forgets a graph that libacl has ended */
void cu_graph_drop(struct cu_graph *g);
/* graph/share.c */
CUresult cu_share_all(struct cu_shares *to, const struct cu_shares *from);
CUresult cu_share_add(struct cu_shares *to, void *data, void (*end)(void *data));
/* Ends @n uses of @data; false: there are fewer */
bool cu_share_drop(struct cu_shares *s, const void *data, size_t n);
void cu_share_end(struct cu_shares *s);
/* graph/memory.c: device memory that ends with graphs, unless its context ends first; @used: queued work may still use it */
CUresult cu_graph_memory_new(struct cu_ctx *ctx, size_t size, uint64_t *base);
void cu_graph_memory_end(uint64_t base, bool used);
/*
 * graph/memory.c. Under the lock: what is instantiated from a graph allocates and frees the same memory, of which there is one such at a
 * time; may it be launched, and it was; and it ends
 */
CUresult cu_memories_instantiate(const struct cu_memories *of, struct cu_memories *to, CUgraphExec exec);
CUresult cu_memories_check(const struct cu_memories *of, bool frees_first);
void cu_memories_launched(const struct cu_memories *of);
void cu_memories_exec_ended(struct cu_memories *of);
void cu_memories_end(struct cu_memories *of);
bool cu_memories_any(const struct cu_memories *of);
bool cu_memories_same(const struct cu_memories *a, const struct cu_memories *b);
/* graph/cond.c: adds a conditional node */
CUresult cu_add_conditional(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
			    CUDA_CONDITIONAL_NODE_PARAMS *params);
/* Under the lock: such a node ends; has a graph a condition that no node has; may these be the nodes of a conditional node's graph */
void cu_bodies_end(const CUDA_CONDITIONAL_NODE_PARAMS *p);
bool cu_condition_unused(CUgraph graph);
CUresult cu_check_body(const struct cu_graph *g, const aclmdlRITask *nodes, size_t n);
/* Ends a graph that belongs to a node, if it was made */
void cu_end_inside(CUgraph inside);
/* Forgets the record of a node, and ends the graphs in it */
void cu_node_end(struct cu_node *node);
/* node.c, under the lock: takes a node out of its graph */
CUresult cu_node_destroy(CUgraphNode hNode);
/* graph/content.c: adds a node that does nothing on the device, under the lock; and tells what a node was made with */
CUresult cu_content_add(CUgraphNode *out, CUgraph hGraph, const CUgraphNode *dependencies, size_t n, const struct cu_node *what);
CUresult cu_content_tell(CUgraphNode hNode, enum cu_content content, const char *kind, void *out, size_t size);
/* graph/capture.c: the graph that a stream is recorded into, and what the stream's next node comes behind */
struct cu_recorded {
	CUgraph graph;
	const CUgraphNode *ends;
	size_t n;
};
CUresult cu_recorded(CUstream hStream, struct cu_recorded *out);
/* graph/content.c */
/* The copy of a node has what is kept about that, too; a graph in it is copied */
CUresult cu_content_clone(const struct cu_node *of, CUgraphNode to);
/* graph/edges.c: checks nodes that a new one of the graph comes behind, and keeps them */
CUresult cu_check_dependencies(const struct cu_graph *g, const CUgraphNode *dependencies, size_t n);
CUresult cu_edges_add(struct cu_graph *g, const CUgraphNode *from, size_t n, CUgraphNode to);
/* any.c: a dependency waits for the end of a node, which is all zeros */
CUresult cu_check_edge_data(const CUgraphEdgeData *data, size_t n);
void cu_edges_drop(struct cu_graph *g, CUgraphNode node);
CUresult cu_edges_clone(const struct cu_graph *g, struct cu_graph *clone);
/* Takes over the dependencies of what was recorded since the last time */
CUresult cu_edges_recorded(struct cu_graph *g);
/* capture.c: frees what was told about streams */
void cu_told_end(struct cu_graph *g);
/* INVALID_VALUE for @what, while the graph is recorded */
CUresult cu_check_recorded(const struct cu_graph *g, const char *what);
/* Brings nodes into an order that all edges allow */
CUresult cu_graph_sort(struct cu_graph *g);
/* The same before copies of it are made, also of graphs in it; @shares gets what they all use */
CUresult cu_graph_ready(struct cu_graph *g, struct cu_shares *shares);
/* The record of libacl's graph, NULL if it has none */
struct cu_graph *cu_graph_with(aclmdlRI ri);
/* The graph of a node that is none of an instantiated graph */
CUresult cu_graph_of(CUgraphNode node, struct cu_graph **g);
/* Codes of nodes: INVALID_VALUE for one that is none */
CUresult cu_node_code(aclError err);
/* Keeps the attributes of a recorded launch that are hints in the record of its node: its function's, its stream's, or its own */
struct cu_func;
CUresult cu_node_keep(CUgraphNode node, const struct cu_stream *s, const struct cu_func *f, const CUlaunchConfig *c);

#endif /* ANPU_CUDA_GRAPH_H */
