// SPDX-License-Identifier: MIT
/*
 * The operators of tests/ascendc/operators through libacl, as their host programs run them: the results are those of plain C
 * (tests/ascendc/host/operators), which tells the tolerance of each. Sizes that nothing divides, one block and several.
 */
#include "../../ascendc/host/operators/job.h"
#include "../acltest.h"

static aclrtFuncHandle function_of(const struct operator *o, aclrtBinHandle *bin)
{
	aclrtFuncHandle func;
	char path[256];

	snprintf(path, sizeof(path), "build/tests/ascendc/operators/%s.o", o->file);
	*bin = load(path);
	ACL(aclrtBinaryGetFunction(*bin, o->kernel, &func));
	return func;
}

static void launch(const struct operator *o, aclrtFuncHandle func, struct job *j)
{
	void *dev[JOB_TENSORS];
	size_t size[JOB_TENSORS];

	for (unsigned int i = 0; i < j->tensors; i++) {
		size[i] = job_size(&j->tensor[i]);
		dev[i] = dev_alloc(size[i]);
		ACL(aclrtMemcpy(dev[i], size[i], j->tensor[i].data, size[i], ACL_MEMCPY_HOST_TO_DEVICE));
	}
	for (unsigned int i = 0; i < j->slots; i++)
		if (j->tensor_of[i] >= 0)
			j->args[i] = U64(dev[j->tensor_of[i]]);
	ACL(aclrtLaunchKernelWithHostArgs(func, j->shape.blocks, NULL, NULL, j->args, j->slots * 8, NULL, 0));
	ACL(aclrtSynchronizeStream(NULL));
	for (unsigned int i = 0; i < j->tensors; i++) {
		struct tensor *t = &j->tensor[i];
		double is, should;
		long at;

		if (t->want)
			ACL(aclrtMemcpy(t->data, size[i], dev[i], size[i], ACL_MEMCPY_DEVICE_TO_HOST));
		ACL(aclrtFree(dev[i]));
		at = t->want ? job_check(t, t->data, o->tolerance, &is, &should) : -1;
		if (at >= 0)
			FAIL("%s in %u blocks, sizes %u %u %u %u: element %ld of tensor %u is %.9g, plain C has %.9g", o->kernel,
			     j->shape.blocks, j->shape.n[0], j->shape.n[1], j->shape.n[2], j->shape.n[3], at, i, is, should);
	}
}

/* All operators of a table, with the shapes behind the benchmark's */
static void run_table(const struct operator *table)
{
	unsigned int launches = 0;

	start();
	for (const struct operator *o = table; o->name; o++) {
		aclrtBinHandle bin;
		aclrtFuncHandle func = function_of(o, &bin);

		for (int i = 1; i < JOB_SHAPES && o->shapes[i].blocks; i++, launches++) {
			struct job j = { .shape = o->shapes[i] };

			o->make(&j);
			o->loop(&j);
			launch(o, func, &j);
			job_free(&j);
		}
		ACL(aclrtBinaryUnLoad(bin));
	}
	CHECK(launches > 0);
}

static void elementwise(void)
{
	run_table(elementwise_operators);
}

static void rows(void)
{
	run_table(row_operators);
}

static void matrices(void)
{
	run_table(matrix_operators);
}

TAP_MAIN(TEST(elementwise), TEST(rows), TEST(matrices))
