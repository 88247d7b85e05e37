/* SPDX-License-Identifier: MIT */
/*
 * Ordered sets whose nodes lie in the objects that they order, so that adding and removing never
 * fails for want of memory: addresses, sizes, numbers of what a program may have by the hundred
 * thousand. Every operation takes steps in proportion to the logarithm of the set's size.
 */
#ifndef ANPU_TREE_H
#define ANPU_TREE_H

#include <stdint.h>

struct acl_node {
	struct acl_node *child[2]; /* smaller, larger */
	uint64_t priority;	   /* random: no node has a child with a higher one */
	uint64_t key;
	uint64_t tie;	/* orders nodes with the same key */
	uint64_t value; /* that acl_tree_find_below() compares */
	uint64_t least; /* the smallest value in the subtree */
};

/* An empty set is NULL. Key, tie and value are set by the caller and do not change in the set */
void acl_tree_add(struct acl_node **root, struct acl_node *node);
void acl_tree_remove(struct acl_node **root, struct acl_node *node);
/* The node with this key and tie, or NULL */
struct acl_node *acl_tree_find(struct acl_node *root, uint64_t key, uint64_t tie);
/* The node with the largest key that is not above @key, or NULL; of those with that key, the last */
struct acl_node *acl_tree_floor(struct acl_node *root, uint64_t key);
/* The node with the smallest key from @key on whose value is at most @limit, or NULL */
struct acl_node *acl_tree_find_below(struct acl_node *root, uint64_t key, uint64_t limit);

#endif /* ANPU_TREE_H */
