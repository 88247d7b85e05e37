// SPDX-License-Identifier: MIT
/* Conditional nodes: which of their graphs run, how often, what is told about them, and what they refuse. */
#include <unistd.h>

#include "cutest.h"

static CUgraphConditionalHandle condition(CUgraph g, unsigned int value)
{
	CUgraphConditionalHandle handle;

	CU(cuGraphConditionalHandleCreate(&handle, g, NULL, value, CU_GRAPH_COND_ASSIGN_DEFAULT));
	return handle;
}

/* A node behind @behind, if that is one; its graphs in @body */
static CUgraphNode add_choice(CUgraph g, CUgraphNode behind, CUgraphConditionalNodeType type, CUgraphConditionalHandle handle,
			      CUgraph *body, unsigned int n)
{
	CUgraphNodeParams p = { .type = CU_GRAPH_NODE_TYPE_CONDITIONAL, .conditional = { .handle = handle, .type = type, .size = n } };
	CUgraphNode node;

	CU(cuGraphAddNode(&node, g, &behind, behind != NULL, &p));
	for (unsigned int i = 0; i < n; i++) {
		body[i] = p.conditional.phGraph_out[i];
		CHECK(body[i]);
	}
	return node;
}

static CUgraphNode add_store(CUgraph g, CUgraphNode behind, CUdeviceptr p, uint64_t value)
{
	return add_kernel(g, behind, "store", (void *[]){ &p, &value });
}

static CUgraphNode add_increment(CUgraph g, CUgraphNode behind, CUdeviceptr p)
{
	return add_kernel(g, behind, "increment", (void *[]){ &p });
}

static void run(CUgraphExec exec)
{
	CU(cuGraphLaunch(exec, NULL));
	CU(cuStreamSynchronize(NULL));
}

static void end(CUgraph g, CUgraphExec exec)
{
	CU(cuGraphExecDestroy(exec));
	CU(cuGraphDestroy(g));
}

/* A kernel in front of the node sets the condition to @value, which is @before at the start of the launch */
static uint64_t of_two(unsigned int n, uint64_t value, unsigned int before, bool set)
{
	CUdeviceptr out = dev_alloc(8);
	CUgraphConditionalHandle handle;
	CUgraphNode node = NULL;
	CUgraphExec exec;
	CUgraph g, body[2];
	uint64_t result;

	CU(cuGraphCreate(&g, 0));
	handle = condition(g, before);
	node = add_store(g, NULL, out, 1);
	if (set)
		node = add_store(g, node, handle, value);
	node = add_choice(g, node, CU_GRAPH_COND_TYPE_IF, handle, body, n);
	add_store(body[0], NULL, out, 100);
	if (n > 1)
		add_store(body[1], NULL, out, 200);
	add_increment(g, node, out);
	exec = instantiated(g);
	run(exec);
	run(exec); /* the condition has its default again */
	result = read_u64(out);
	end(g, exec);
	CU(cuMemFree(out));
	return result;
}

static void one_of_two_graphs_runs(void)
{
	start();
	CHECK_EQ(of_two(1, 0, 0, false), 2);
	CHECK_EQ(of_two(1, 0, 7, false), 101);
	CHECK_EQ(of_two(1, 3, 0, true), 101);
	CHECK_EQ(of_two(1, 0, 1, true), 2);
	CHECK_EQ(of_two(2, 0, 1, true), 201);
	CHECK_EQ(of_two(2, 1ULL << 40, 0, true), 101);
}

static void a_graph_runs_while_a_word_is_not_0(void)
{
	CUgraphConditionalHandle handle;
	CUdeviceptr sum, left;
	CUgraphNode node;
	CUgraphExec exec;
	CUgraph g, body;

	start();
	sum = dev_alloc(8);
	left = dev_alloc(8);
	CU(cuGraphCreate(&g, 0));
	handle = condition(g, 1);
	node = add_store(g, NULL, left, (uint64_t)-5);
	node = add_choice(g, node, CU_GRAPH_COND_TYPE_WHILE, handle, &body, 1);
	add_increment(g, node, sum);
	/* in the body: one more each, and the condition is what is left */
	node = add_increment(body, NULL, sum);
	node = add_increment(body, node, left);
	add_kernel(body, node, "load_store", (void *[]){ &handle, &left });
	exec = instantiated(g);
	run(exec);
	CHECK_EQ(read_u64(sum), 6);
	run(exec);
	CHECK_EQ(read_u64(sum), 12);
	end(g, exec);
}

static void a_kernel_sets_a_condition(void)
{
	CUDA_KERNEL_NODE_PARAMS k = { .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1 };
	CUgraphConditionalHandle handle;
	CUdeviceptr left, sum;
	CUgraphNode node;
	CUgraphExec exec;
	CUmodule module;
	CUgraph g, body;

	start();
	left = dev_alloc(8);
	sum = dev_alloc(8);
	CU(cuMemsetD32(left, 4, 1));
	CU(cuModuleLoad(&module, MANAGED_OPS));
	CU(cuModuleGetFunction(&k.func, module, "count_down"));
	CU(cuGraphCreate(&g, 0));
	handle = condition(g, 1);
	add_choice(g, NULL, CU_GRAPH_COND_TYPE_WHILE, handle, &body, 1);
	k.kernelParams = (void *[]){ &left, &handle };
	CU(cuGraphAddKernelNode(&node, body, NULL, 0, &k));
	add_increment(body, node, sum);
	exec = instantiated(g);
	run(exec);
	CHECK_EQ(read_u64(sum), 4);
	end(g, exec);
}

static void the_graph_of_a_number_runs(void)
{
	CUgraphConditionalHandle handle;
	CUdeviceptr out;
	CUgraphNode node, set;
	CUgraphExec exec;
	CUgraph g, body[3];

	start();
	out = dev_alloc(8);
	CU(cuGraphCreate(&g, 0));
	CU(cuGraphConditionalHandleCreate(&handle, g, NULL, 9, 0));
	set = add_store(g, NULL, handle, 0);
	node = add_choice(g, set, CU_GRAPH_COND_TYPE_SWITCH, handle, body, 3);
	for (uint64_t i = 0; i < 3; i++)
		add_store(body[i], NULL, out, 10 + i);
	add_increment(g, node, out);
	exec = instantiated(g);
	for (uint64_t i = 0; i < 5; i++) {
		CUDA_KERNEL_NODE_PARAMS k = one_thread("store", (void *[]){ &handle, &i });

		CU(cuMemsetD32(out, 0, 2));
		CU(cuGraphExecKernelNodeSetParams(exec, set, &k));
		run(exec);
		CHECK_EQ(read_u64(out), i < 3 ? 11 + i : 1);
	}
	end(g, exec);
}

/* A loop in a loop with a choice; all three conditions belong to the outermost graph */
static void nodes_are_inside_of_each_other(void)
{
	CUgraphConditionalHandle outer, inner, odd;
	CUdeviceptr rounds, steps, count;
	CUgraphNode node;
	CUgraphExec exec;
	CUgraph g, body, loop, one;

	start();
	rounds = dev_alloc(8);
	steps = dev_alloc(8);
	count = dev_alloc(8);
	CU(cuGraphCreate(&g, 0));
	outer = condition(g, 1);
	inner = condition(g, 0);
	odd = condition(g, 1);
	node = add_store(g, NULL, rounds, (uint64_t)-3);
	add_choice(g, node, CU_GRAPH_COND_TYPE_WHILE, outer, &body, 1);
	node = add_store(body, NULL, steps, (uint64_t)-4);
	node = add_store(body, node, inner, 1);
	node = add_choice(body, node, CU_GRAPH_COND_TYPE_WHILE, inner, &loop, 1);
	node = add_increment(body, node, rounds);
	add_kernel(body, node, "load_store", (void *[]){ &outer, &rounds });
	node = add_choice(loop, NULL, CU_GRAPH_COND_TYPE_IF, odd, &one, 1);
	add_increment(one, NULL, count);
	node = add_increment(loop, node, steps);
	add_kernel(loop, node, "load_store", (void *[]){ &inner, &steps });
	exec = instantiated(g);
	run(exec);
	CHECK_EQ(read_u64(count), 12);
	CU(cuGraphDestroy(g)); /* what was instantiated goes on, and so do its conditions */
	run(exec);
	CHECK_EQ(read_u64(count), 24);
	CU(cuGraphExecDestroy(exec));
}

/* As programs do that record: the node is added to the graph of the recording, its graph is recorded, too */
static void conditions_are_recorded(void)
{
	CUgraphNodeParams p = { .type = CU_GRAPH_NODE_TYPE_CONDITIONAL };
	CUgraphConditionalHandle handle;
	CUstreamCaptureStatus status;
	const CUgraphNode *behind;
	CUstream s, other;
	CUdeviceptr out;
	uint64_t one = 1, zero = 0;
	CUgraphNode node;
	CUgraphExec exec;
	CUgraph g, got;
	size_t n;

	start();
	out = dev_alloc(8);
	CU(cuStreamCreate(&s, 0));
	CU(cuStreamCreate(&other, 0));
	CU(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
	CU(cuLaunchKernel(op("store"), 1, 1, 1, 1, 1, 1, 0, s, (void *[]){ &out, &one }, NULL));
	CU(cuStreamGetCaptureInfo(s, &status, NULL, &g, &behind, &n));
	handle = condition(g, 1);
	p.conditional = (CUDA_CONDITIONAL_NODE_PARAMS){ .handle = handle, .type = CU_GRAPH_COND_TYPE_WHILE, .size = 1 };
	CU(cuGraphAddNode(&node, g, behind, n, &p));
	CU(cuStreamUpdateCaptureDependencies(s, &node, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
	CU(cuStreamBeginCaptureToGraph(other, p.conditional.phGraph_out[0], NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_RELAXED));
	CU(cuLaunchKernel(op("increment"), 1, 1, 1, 1, 1, 1, 0, other, (void *[]){ &out }, NULL));
	CU(cuLaunchKernel(op("store"), 1, 1, 1, 1, 1, 1, 0, other, (void *[]){ &handle, &zero }, NULL));
	CU(cuStreamEndCapture(other, &got));
	CHECK(got == p.conditional.phGraph_out[0]);
	CU(cuLaunchKernel(op("increment"), 1, 1, 1, 1, 1, 1, 0, s, (void *[]){ &out }, NULL));
	CU(cuStreamEndCapture(s, &got));
	CHECK(got == g);
	exec = instantiated(g);
	run(exec);
	CHECK_EQ(read_u64(out), 3);
	end(g, exec);
}

/* A kernel of a body takes other parameters, by its node and with its graph */
static void bodies_change_in_what_was_instantiated(void)
{
	CUgraphExecUpdateResultInfo info;
	CUDA_KERNEL_NODE_PARAMS k;
	uint64_t value = 30;
	CUdeviceptr out;
	CUgraphExec exec;
	CUgraph g[3], body[3];
	CUgraphNode node[3];

	start();
	out = dev_alloc(8);
	for (int i = 0; i < 3; i++) {
		CU(cuGraphCreate(&g[i], 0));
		add_choice(g[i], NULL, i < 2 ? CU_GRAPH_COND_TYPE_IF : CU_GRAPH_COND_TYPE_WHILE, condition(g[i], 1), &body[i], 1);
		node[i] = add_store(body[i], NULL, out, 10 + i);
	}
	exec = instantiated(g[0]);
	run(exec);
	CHECK_EQ(read_u64(out), 10);
	k = one_thread("store", (void *[]){ &out, &value });
	CU(cuGraphExecKernelNodeSetParams(exec, node[0], &k));
	run(exec);
	CHECK_EQ(read_u64(out), 30);
	CU(cuGraphExecUpdate(exec, g[1], &info));
	CU(cuGraphDestroy(g[1])); /* its condition stays with what was updated */
	run(exec);
	CHECK_EQ(read_u64(out), 11);
	FAILS(cuGraphExecUpdate(exec, g[2], &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, "");
	run(exec);
	CHECK_EQ(read_u64(out), 11);
	CU(cuGraphExecDestroy(exec));
	CU(cuGraphDestroy(g[0]));
	CU(cuGraphDestroy(g[2]));
}

/* A graph that is changed while it runs becomes a copy, which has the jumps and the default of the condition, too */
static void a_loop_changes_while_it_runs(void)
{
	CUgraphConditionalHandle handle;
	CUdeviceptr left, out, done;
	uint64_t us = 50000, value = 2;
	CUgraphNode node, count;
	CUDA_KERNEL_NODE_PARAMS k;
	CUgraphExec exec;
	CUgraph g, body;

	start();
	left = dev_alloc(8);
	out = dev_alloc(8);
	done = dev_alloc(8);
	CU(cuGraphCreate(&g, 0));
	handle = condition(g, 1);
	node = add_store(g, NULL, left, (uint64_t)-2);
	add_choice(g, node, CU_GRAPH_COND_TYPE_WHILE, handle, &body, 1);
	node = add_kernel(body, NULL, "spin_then_store", (void *[]){ &us, &done, &us });
	count = add_increment(body, node, out);
	node = add_increment(body, count, left);
	add_kernel(body, node, "load_store", (void *[]){ &handle, &left });
	exec = instantiated(g);
	CU(cuGraphLaunch(exec, NULL));
	k = one_thread("store", (void *[]){ &done, &value });
	CU(cuGraphExecKernelNodeSetParams(exec, count, &k));
	CU(cuStreamSynchronize(NULL));
	CHECK_EQ(read_u64(out), 2);
	run(exec);
	CHECK_EQ(read_u64(out), 2);
	CHECK_EQ(read_u64(done), 2);
	CHECK_EQ(read_u64(left), 0);
	end(g, exec);
}

static void such_graphs_have_rules(void)
{
	CUgraphNodeParams p = { .type = CU_GRAPH_NODE_TYPE_CONDITIONAL };
	CUDA_GRAPH_INSTANTIATE_PARAMS how = { .flags = 0 };
	CUgraphConditionalHandle handle, foreign;
	CUgraphNode node, inside;
	CUDA_HOST_NODE_PARAMS host = { .fn = (CUhostFn)(uintptr_t)1 };
	CUgraph g, other, body;
	CUgraphNodeType type;
	CUgraphExec exec;
	char dot[] = "/tmp/anpu-conditions-XXXXXX";

	start();
	CU(cuGraphCreate(&g, 0));
	CU(cuGraphCreate(&other, 0));
	FAILS(cuGraphConditionalHandleCreate(&handle, g, NULL, 0, 2), CUDA_ERROR_INVALID_VALUE, "flags is 0x2");
	FAILS(cuGraphConditionalHandleCreate(NULL, g, NULL, 0, 0), CUDA_ERROR_INVALID_VALUE, "pHandle_out is NULL");
	foreign = condition(other, 0);
	handle = condition(g, 1);
	/* a condition that no node has */
	FAILS(cuGraphInstantiateWithParams(&exec, g, &how), CUDA_ERROR_INVALID_VALUE, "has a condition that no node");
	CHECK_EQ(how.result_out, CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED);
	p.conditional = (CUDA_CONDITIONAL_NODE_PARAMS){ .handle = 12, .size = 1 };
	FAILS(cuGraphAddNode(&node, g, NULL, 0, &p), CUDA_ERROR_INVALID_VALUE, "is no condition");
	p.conditional.handle = foreign;
	FAILS(cuGraphAddNode(&node, g, NULL, 0, &p), CUDA_ERROR_INVALID_VALUE, "of another graph");
	p.conditional.handle = handle;
	p.conditional.size = 3;
	FAILS(cuGraphAddNode(&node, g, NULL, 0, &p), CUDA_ERROR_INVALID_VALUE, "size is 3");
	p.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
	p.conditional.size = 2;
	FAILS(cuGraphAddNode(&node, g, NULL, 0, &p), CUDA_ERROR_INVALID_VALUE, "size is 2");
	p.conditional.type = (CUgraphConditionalNodeType)3;
	p.conditional.size = 1;
	FAILS(cuGraphAddNode(&node, g, NULL, 0, &p), CUDA_ERROR_INVALID_VALUE, "type is 3");
	p.conditional.type = CU_GRAPH_COND_TYPE_IF;
	p.conditional.ctx = (CUcontext)(uintptr_t)64;
	FAILS(cuGraphAddNode(&node, g, NULL, 0, &p), CUDA_ERROR_INVALID_VALUE, "ctx is 0x40");
	p.conditional.ctx = NULL;
	node = add_choice(g, NULL, CU_GRAPH_COND_TYPE_IF, handle, &body, 1);
	FAILS(cuGraphAddNode(&inside, g, NULL, 0, &p), CUDA_ERROR_INVALID_VALUE, "another node has");
	FAILS(cuGraphNodeSetParams(node, &p), CUDA_ERROR_NOT_SUPPORTED, "conditional ones (13), whose parameters stay");
	CU(cuGraphNodeGetType(node, &type));
	CHECK_EQ(type, CU_GRAPH_NODE_TYPE_CONDITIONAL);
	CHECK(mkstemp(dot) >= 0);
	CU(cuGraphDebugDotPrint(g, dot, 0));
	CHECK(unlink(dot) == 0);
	FAILS(cuGraphDestroy(body), CUDA_ERROR_INVALID_VALUE, "ends with that");
	FAILS(cuGraphClone(&other, g), CUDA_ERROR_NOT_SUPPORTED, "cannot be cloned");
	FAILS(cuGraphAddChildGraphNode(&inside, other, NULL, 0, g), CUDA_ERROR_NOT_SUPPORTED, "cannot be cloned");
	FAILS(cuMemFree(handle), CUDA_ERROR_INVALID_VALUE, "memory of a graph");
	/* a body has no functions of the program */
	CU(cuGraphAddHostNode(&inside, body, NULL, 0, &host));
	FAILS(cuGraphInstantiate(&exec, g, 0), CUDA_ERROR_NOT_SUPPORTED, "node 0 of a conditional node's graph");
	CU(cuGraphDestroyNode(inside));
	exec = instantiated(g); /* an empty body does nothing */
	run(exec);
	CU(cuGraphExecDestroy(exec));
	/* a node that is gone has given its condition back */
	CU(cuGraphDestroyNode(node));
	FAILS(cuGraphInstantiate(&exec, g, 0), CUDA_ERROR_INVALID_VALUE, "has a condition that no node");
	add_choice(g, NULL, CU_GRAPH_COND_TYPE_SWITCH, handle, &body, 1);
	exec = instantiated(g);
	run(exec);
	end(g, exec);
	CU(cuGraphDestroy(other));
}

TAP_MAIN(TEST(one_of_two_graphs_runs), TEST(a_graph_runs_while_a_word_is_not_0), TEST(a_kernel_sets_a_condition),
	 TEST(the_graph_of_a_number_runs),
	 TEST(nodes_are_inside_of_each_other), TEST(conditions_are_recorded), TEST(bodies_change_in_what_was_instantiated),
	 TEST(a_loop_changes_while_it_runs), TEST(such_graphs_have_rules))
