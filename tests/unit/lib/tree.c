// SPDX-License-Identifier: MIT
/* The ordered sets of util/tree.h against a sorted array that is searched from end to end. */
#include "util/tree.h"
#include "tap.h"

#define NODES 300

struct item {
	struct acl_node node;
	bool in;
};

static struct item items[NODES];
static struct acl_node *root;
static uint64_t seed = 7;

static uint64_t next(uint64_t limit)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % limit;
}

static bool is_before(const struct acl_node *a, const struct acl_node *b)
{
	return a->key != b->key ? a->key < b->key : a->tie < b->tie;
}

/* The floor by its definition: the last element that is not above @key */
static struct acl_node *floor_of(uint64_t key)
{
	struct acl_node *best = NULL;

	for (int i = 0; i < NODES; i++)
		if (items[i].in && items[i].node.key <= key && (!best || is_before(best, &items[i].node)))
			best = &items[i].node;
	return best;
}

/* The first of those from @key on with such a value */
static struct acl_node *below(uint64_t key, uint64_t limit)
{
	struct acl_node *best = NULL;

	for (int i = 0; i < NODES; i++)
		if (items[i].in && items[i].node.key >= key && items[i].node.value <= limit &&
		    (!best || is_before(&items[i].node, best)))
			best = &items[i].node;
	return best;
}

static void compare(void)
{
	uint64_t key = next(60), tie = next(NODES), limit = next(12);
	struct item *i = &items[tie];

	CHECK(acl_tree_floor(root, key) == floor_of(key));
	CHECK(acl_tree_find_below(root, key, limit) == below(key, limit));
	CHECK(acl_tree_find(root, i->node.key, i->node.tie) == (i->in ? &i->node : NULL));
}

static void every_answer_is_that_of_a_search_through_all(void)
{
	for (int step = 0; step < 40000; step++) {
		uint64_t at = next(NODES);
		struct item *i = &items[at];

		if (i->in)
			acl_tree_remove(&root, &i->node);
		else
			i->node = (struct acl_node){ .key = next(50), .tie = at, .value = next(10) };
		if (!i->in)
			acl_tree_add(&root, &i->node);
		i->in = !i->in;
		compare();
	}
	for (int n = 0; n < NODES; n++)
		if (items[n].in)
			acl_tree_remove(&root, &items[n].node);
	CHECK(!root);
}

static unsigned int depth(const struct acl_node *n)
{
	unsigned int a, b;

	if (!n)
		return 0;
	a = depth(n->child[0]);
	b = depth(n->child[1]);
	return 1 + (a > b ? a : b);
}

/* Keys that come in order are what programs do, and what makes plain trees a list */
static void a_hundred_thousand_in_order_lie_flat(void)
{
	enum { N = 100000 };
	struct acl_node *nodes = calloc(N, sizeof(*nodes));

	CHECK(nodes);
	for (int i = 0; i < N; i++) {
		nodes[i].key = (uint64_t)i * 4096;
		acl_tree_add(&root, &nodes[i]);
	}
	CHECK_OP(depth(root), <, 100); /* 40 is usual, 17 the least */
	for (int i = 0; i < N; i++)
		acl_tree_remove(&root, &nodes[i]);
	CHECK(!root);
	free(nodes);
}

TAP_MAIN(TEST(every_answer_is_that_of_a_search_through_all), TEST(a_hundred_thousand_in_order_lie_flat))
