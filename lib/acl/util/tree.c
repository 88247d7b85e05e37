// SPDX-License-Identifier: MIT
/*
 * Treaps: binary search trees by key that are heaps by a random priority, which keeps them flat
 * whatever the order in which nodes come and go.
 */
#include <stdbool.h>
#include <stddef.h>

#include "util/tree.h"

static bool before(const struct acl_node *a, uint64_t key, uint64_t tie)
{
	return a->key != key ? a->key < key : a->tie < tie;
}

static void update(struct acl_node *n)
{
	int i;

	n->least = n->value;
	for (i = 0; i < 2; i++)
		if (n->child[i] && n->child[i]->least < n->least)
			n->least = n->child[i]->least;
}

/* Priorities need not be unpredictable, only unrelated to the keys (splitmix64 of the address) */
static uint64_t priority_of(const struct acl_node *n)
{
	uint64_t z = (uintptr_t)n * 0x9e3779b97f4a7c15ULL + n->key;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* Splits a tree into the nodes before @node's place and those behind it */
static void split(struct acl_node *n, const struct acl_node *node, struct acl_node **low,
		  struct acl_node **high)
{
	if (!n) {
		*low = NULL;
		*high = NULL;
	} else if (before(n, node->key, node->tie)) {
		split(n->child[1], node, &n->child[1], high);
		*low = n;
		update(n);
	} else {
		split(n->child[0], node, low, &n->child[0]);
		*high = n;
		update(n);
	}
}

/* One tree of two, all nodes of the first being before those of the second */
static struct acl_node *join(struct acl_node *low, struct acl_node *high)
{
	if (!low || !high)
		return low ? low : high;
	if (low->priority > high->priority) {
		low->child[1] = join(low->child[1], high);
		update(low);
		return low;
	}
	high->child[0] = join(low, high->child[0]);
	update(high);
	return high;
}

static struct acl_node *add(struct acl_node *n, struct acl_node *node)
{
	bool larger;

	if (!n || n->priority < node->priority) {
		split(n, node, &node->child[0], &node->child[1]);
		update(node);
		return node;
	}
	larger = before(n, node->key, node->tie);
	n->child[larger] = add(n->child[larger], node);
	update(n);
	return n;
}

void acl_tree_add(struct acl_node **root, struct acl_node *node)
{
	node->child[0] = NULL;
	node->child[1] = NULL;
	node->priority = priority_of(node);
	*root = add(*root, node);
}

static struct acl_node *without(struct acl_node *n, struct acl_node *node)
{
	bool larger;

	if (n == node)
		return join(n->child[0], n->child[1]);
	larger = before(n, node->key, node->tie);
	n->child[larger] = without(n->child[larger], node);
	update(n);
	return n;
}

void acl_tree_remove(struct acl_node **root, struct acl_node *node)
{
	*root = without(*root, node);
}

struct acl_node *acl_tree_find(struct acl_node *root, uint64_t key, uint64_t tie)
{
	struct acl_node *n = root;

	while (n && (n->key != key || n->tie != tie))
		n = n->child[before(n, key, tie)];
	return n;
}

struct acl_node *acl_tree_floor(struct acl_node *root, uint64_t key)
{
	struct acl_node *n = root, *best = NULL;

	while (n) {
		if (n->key <= key)
			best = n;
		n = n->child[n->key <= key];
	}
	return best;
}

struct acl_node *acl_tree_find_below(struct acl_node *n, uint64_t key, uint64_t limit)
{
	struct acl_node *found;

	if (!n || n->least > limit)
		return NULL;
	if (n->key < key)
		return acl_tree_find_below(n->child[1], key, limit);
	found = acl_tree_find_below(n->child[0], key, limit);
	if (found)
		return found;
	return n->value <= limit ? n : acl_tree_find_below(n->child[1], key, limit);
}
