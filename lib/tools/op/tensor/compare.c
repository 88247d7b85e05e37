// SPDX-License-Identifier: MIT
/* Comparing results with the expected ones. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "op/tensor/compare.h"

static bool same(const uint8_t *a, const uint8_t *b, const struct op_type *type, uint64_t distance,
		 const struct op_tolerance *t)
{
	double got = op_get(a, type), want = op_get(b, type), off = fabs(got - want);

	if (!distance)
		return true;
	/* only the same infinity is near to an infinity */
	if (!isfinite(got) || !isfinite(want))
		return false;
	if (distance <= t->ulp)
		return true;
	/* Integers of 64 bits can differ without differing as doubles. */
	if (t->relative > 0 && off <= t->relative * fmax(1, fabs(want)))
		return true;
	return (t->rtol > 0 || t->atol > 0) && off <= t->atol + t->rtol * fabs(want);
}

static void note_difference(struct op_comparison *c, size_t i, double got, double want,
			    uint64_t distance)
{
	double off = fabs(got - want), relative;

	if (!distance)
		return;
	if (isnan(off))
		off = INFINITY;
	relative = want != 0 ? off / fabs(want) : INFINITY;
	if (isnan(relative))
		relative = INFINITY;
	if (off > c->max_abs)
		c->max_abs = off;
	if (relative > c->max_rel)
		c->max_rel = relative;
	if (distance > c->max_ulp) {
		c->max_ulp = distance;
		c->worst = i;
	}
}

int op_compare(const struct op_arg *arg, const char *want, const struct op_tolerance *tolerance,
	       unsigned int limit, struct op_comparison *c)
{
	size_t size = arg->type->size;

	memset(c, 0, sizeof(*c));
	c->want = (struct op_arg){
		.kind = OP_TENSOR, .type = arg->type, .dims = arg->dims, .count = arg->count
	};
	memcpy(c->want.dim, arg->dim, sizeof(arg->dim));
	if (op_arg_source(&c->want, want, want, 0)) {
		op_comparison_free(c);
		return -1;
	}
	c->count = arg->count;
	for (size_t i = 0; i < arg->count; i++) {
		const uint8_t *a = arg->data + i * size, *b = c->want.data + i * size;
		uint64_t distance = op_distance(a, b, arg->type);

		note_difference(c, i, op_get(a, arg->type), op_get(b, arg->type), distance);
		if (same(a, b, arg->type, distance, tolerance))
			continue;
		if (c->shown < limit)
			c->index[c->shown++] = i;
		c->wrong++;
	}
	return 0;
}

void op_comparison_free(struct op_comparison *c)
{
	op_arg_free(&c->want);
}

void op_index(const struct op_arg *arg, size_t index, char *text, size_t size)
{
	size_t place[OP_MAX_DIMS];
	int used = 0;

	for (unsigned int i = arg->dims; i-- > 0;) {
		place[i] = index % arg->dim[i];
		index /= arg->dim[i];
	}
	*text = 0;
	for (unsigned int i = 0; i < arg->dims && used >= 0 && (size_t)used < size; i++)
		used += snprintf(text + used, size - (size_t)used, "%s%zu", i ? "," : "", place[i]);
}

void op_comparison_print(const struct op_comparison *c, const struct op_arg *arg, const char *name)
{
	size_t size = arg->type->size;
	char place[128], got[40], want[40];

	for (unsigned int i = 0; i < c->shown; i++) {
		size_t at = c->index[i];

		op_index(arg, at, place, sizeof(place));
		op_format(got, sizeof(got), arg->data + at * size, arg->type);
		op_format(want, sizeof(want), c->want.data + at * size, arg->type);
		fprintf(stderr, "anpu-op: %s: element %s is %s, expected %s\n", name, place, got,
			want);
	}
	op_index(arg, c->worst, place, sizeof(place));
	fprintf(stderr,
		"anpu-op: %s: %zu of %zu elements differ; largest difference %.6g, relative %.6g, ",
		name, c->wrong, c->count, c->max_abs, c->max_rel);
	if (c->max_ulp == UINT64_MAX)
		fprintf(stderr, "NaN at element %s\n", place);
	else
		fprintf(stderr, "%llu ulp at element %s\n", (unsigned long long)c->max_ulp, place);
}
