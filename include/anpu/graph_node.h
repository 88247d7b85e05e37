/* SPDX-License-Identifier: MIT */
/*
 * Kernels that change a later kernel of the graph that they run in. A node of a graph that was made device-updatable
 * (Documentation/launch.md) has a structure in memory that kernels reach; its address is the node's handle. The queue
 * fetches each packet of a graph when the one in front has completed, so what a kernel writes there counts in the same
 * launch of the graph, and in later ones.
 */
#ifndef ANPU_GRAPH_NODE_H
#define ANPU_GRAPH_NODE_H

#include <stddef.h>
#include <stdint.h>

#define ANPU_NODE_MAGIC 0x45444f4e55504e41ULL

/**
 * struct anpu_node_param - where a parameter is
 * @offset: in a C struct of the parameters, as launches take it in @extra
 * @at: in the node's argument block
 * @size: bytes
 */
struct anpu_node_param {
	uint32_t offset;
	uint32_t at;
	uint32_t size;
};

/* Places in a KERNEL packet, in numbers of 32 bits: three of the grid, and one with the cluster's three bytes */
#define ANPU_NODE_WORDS	  16
#define ANPU_NODE_GRID	  7
#define ANPU_NODE_CLUSTER 10
/* The first number of a packet that does nothing; the others are 0 */
#define ANPU_NODE_NOP	  1

/**
 * struct anpu_graph_node - a device-updatable kernel node
 * @magic: ANPU_NODE_MAGIC while the node lives
 * @packet: address of its packet in the list that the device executes
 * @args: address of its first parameter
 * @enabled: 0: the packet does nothing
 * @most_blocks: most that its grid may have
 * @params: number of parameters
 * @image: the packet while it is enabled
 * @param: the parameters
 */
struct anpu_graph_node {
	uint64_t magic;
	uint64_t packet;
	uint64_t args;
	uint32_t enabled;
	uint32_t most_blocks;
	uint32_t params;
	uint32_t reserved;
	uint32_t image[ANPU_NODE_WORDS];
	struct anpu_node_param param[];
};

#ifdef __riscv

/* Makes the packet what the structure says. Its header, which has the operation, comes last */
static inline void anpu_node_write(struct anpu_graph_node *n)
{
	volatile uint32_t *p = (volatile uint32_t *)(uintptr_t)n->packet;
	int i;

	for (i = ANPU_NODE_WORDS - 1; i >= 0; i--)
		p[i] = n->enabled ? n->image[i] : i ? 0 : ANPU_NODE_NOP;
}

static inline int anpu_node_valid(const struct anpu_graph_node *n)
{
	return n && n->magic == ANPU_NODE_MAGIC;
}

/* Stores bytes of parameters; @offset in the C struct. 0, or 1: they are not all in it */
static inline int anpu_node_set_param(struct anpu_graph_node *n, size_t offset, const void *value, size_t size)
{
	const volatile uint8_t *from = (const volatile uint8_t *)value;
	const struct anpu_node_param *p;
	volatile uint8_t *to;
	size_t i, end;
	uint32_t k;

	if (!anpu_node_valid(n) || !n->params || (size && !value))
		return 1;
	p = &n->param[n->params - 1];
	end = p->offset + p->size;
	if (offset > end || size > end - offset)
		return 1;
	for (k = 0; k < n->params; k++) {
		p = &n->param[k];
		to = (volatile uint8_t *)(uintptr_t)(n->args + p->at);
		for (i = offset > p->offset ? offset - p->offset : 0; i < p->size && p->offset + i < offset + size; i++)
			to[i] = from[p->offset + i - offset];
	}
	return 0;
}

/* 0, or 1: a number is 0, the blocks are too many, or they make no whole clusters */
static inline int anpu_node_set_grid(struct anpu_graph_node *n, uint32_t x, uint32_t y, uint32_t z)
{
	const uint32_t want[3] = { x, y, z };
	uint32_t cluster;
	uint64_t blocks = 1;
	int i;

	if (!anpu_node_valid(n))
		return 1;
	for (i = 0; i < 3; i++) {
		cluster = n->image[ANPU_NODE_CLUSTER] >> 8 * i & 255;
		if (!want[i] || want[i] > n->most_blocks || (cluster && want[i] % cluster))
			return 1;
		blocks *= want[i];
		if (blocks > n->most_blocks)
			return 1;
	}
	for (i = 0; i < 3; i++)
		n->image[ANPU_NODE_GRID + i] = want[i];
	anpu_node_write(n);
	return 0;
}

static inline int anpu_node_set_enabled(struct anpu_graph_node *n, int enabled)
{
	if (!anpu_node_valid(n))
		return 1;
	n->enabled = enabled != 0;
	anpu_node_write(n);
	return 0;
}

#endif /* __riscv */

#endif /* ANPU_GRAPH_NODE_H */
