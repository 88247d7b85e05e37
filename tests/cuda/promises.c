// SPDX-License-Identifier: MIT
/* Promises of cuLaunchKernelEx() that no other file here has: order by priority, limits of time, attributes read back. */
#include <elf.h>

#include "cutest.h"

#define DIM(x) (dim3){ (x), 1, 1 }

static CUlaunchConfig one_block(CUstream s, CUlaunchAttribute *a, unsigned int n)
{
	return (CUlaunchConfig){ .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1,
				 .blockDimZ = 1, .hStream = s, .attrs = a, .numAttrs = n };
}

/* Order by PRIORITY -------------------------------------------------------------------------------- */

/* A kernel whose priority is behind its stream's, in either front; 0: neither */
enum lower { NO, BY_CU, BY_ACL };

static void launch_lower(enum lower by, CUstream s, void **args)
{
	CUlaunchAttribute a = { .id = CU_LAUNCH_ATTRIBUTE_PRIORITY, .value = { .priority = 5 } };
	aclrtLaunchKernelAttr b = { .id = ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_PRIORITY, .value.rsv = { 7 } };
	CUlaunchConfig config = one_block(s, &a, by == BY_CU);
	aclrtLaunchKernelCfg cfg = { &b, 1 };

	if (by == BY_ACL)
		CHECK_EQ(aclrtLaunchSIMTKernelWithArgsArray(op("work_then_count"), DIM(1), DIM(1), 0, s, &cfg, args), 0);
	else
		CU(cuLaunchKernelEx(&config, op("work_then_count"), args, NULL));
}

/* Two streams of one priority begin at the same time; which of their kernels ends first */
static uint64_t first_to_end(enum lower first, enum lower second)
{
	CUstream s = new_stream(CU_STREAM_NON_BLOCKING), t = new_stream(CU_STREAM_NON_BLOCKING);
	CUstream opens = new_stream(CU_STREAM_NON_BLOCKING);
	uint64_t steps = 20000000, one = 1, two = 2;
	CUdeviceptr p = dev_alloc(64), gate = dev_alloc(8);
	uint64_t ended;

	CU(cuCtxSynchronize());
	CU(cuStreamWaitValue64(s, gate, 1, CU_STREAM_WAIT_VALUE_GEQ));
	CU(cuStreamWaitValue64(t, gate, 1, CU_STREAM_WAIT_VALUE_GEQ));
	launch_lower(first, s, (void *[]){ &steps, &p, &one });
	launch_lower(second, t, (void *[]){ &steps, &p, &two });
	CU(cuStreamWriteValue64(opens, gate, 1, 0));
	CU(cuStreamSynchronize(s));
	CU(cuStreamSynchronize(t));
	ended = read_u64(p + 8);
	CHECK_EQ(ended + read_u64(p + 16), 3);
	return ended == 1 ? 1 : 2;
}

/*
 * On a device with one worker two kernels run in turns. Each works far longer than a turn, so the one with the
 * lower priority, although it may have begun first, ends behind the other.
 */
static void only_one_worker(void)
{
	if (!getenv("ANPU_DEVICE") || strcmp(getenv("ANPU_DEVICE"), "direct"))
		SKIP("the number of workers is decided by the test natively only");
	setenv("ANPU_DIRECT", "threads=1", 1);
	start();
	op("work_then_count");
}

static void a_lower_priority_ends_behind(void)
{
	only_one_worker();
	for (int by = BY_CU; by <= BY_ACL; by++) {
		CHECK_EQ(first_to_end((enum lower)by, NO), 2);
		CHECK_EQ(first_to_end(NO, (enum lower)by), 1);
	}
}

/* Failures ----------------------------------------------------------------------------------------- */

static void a_kernel_that_runs_too_long_has_its_code(void)
{
	CUlaunchConfig config;
	CUdeviceptr p;
	CUcontext ctx = start();
	CUfunction f = op("shy_front");
	CUstream s = new_stream(CU_STREAM_NON_BLOCKING);

	p = dev_alloc(16);
	CU(cuCtxSynchronize());
	config = one_block(s, NULL, 0);
	CHECK_EQ(aclrtSetOpExecuteTimeOutWithMs(100), 0);
	/* the word that it waits for stays 0 */
	CU(cuLaunchKernelEx(&config, f, (void *[]){ &p, &(CUdeviceptr){ p + 8 } }, NULL));
	FAILS(cuStreamSynchronize(s), CUDA_ERROR_LAUNCH_TIMEOUT, "shy_front");
	FAILS(cuLaunchKernelEx(&config, f, NULL, NULL), CUDA_ERROR_LAUNCH_TIMEOUT, "before");
	FAILS(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_TIMEOUT, "before");
	CU(cuCtxDestroy(ctx));
	start();
	CU(cuCtxSynchronize());
}

static void the_context_of_a_launch_is_the_streams(void)
{
	CUcontext first = start(), second, now;
	CUlaunchConfig config;
	CUdeviceptr p, counter;
	uint64_t four = 4;
	size_t size;
	CUstream s = new_stream(CU_STREAM_NON_BLOCKING);
	CUlibrary lib;
	CUfunction f;
	CUkernel k;

	p = dev_alloc(64);
	CU(cuCtxSynchronize());
	CU(cuLibraryLoadFromFile(&lib, OPS, NULL, NULL, 0, NULL, NULL, 0));
	CU(cuLibraryGetKernel(&k, lib, "add_counter"));
	CU(cuLibraryGetGlobal(&counter, &size, lib, "counter"));
	CU(cuMemcpyHtoD(counter, &four, 8));
	CU(cuCtxCreate(&second, 0, 0));
	/* the stream's context: its copy of the variable is 4 */
	config = one_block(s, NULL, 0);
	CU(cuLaunchKernelEx(&config, (CUfunction)k, (void *[]){ &p }, NULL));
	CU(cuStreamSynchronize(s));
	/* without a stream the current one: its copy is what the file has, 5 */
	config = one_block(NULL, NULL, 0);
	CU(cuLaunchKernelEx(&config, (CUfunction)k, (void *[]){ &(CUdeviceptr){ p + 8 } }, NULL));
	CU(cuCtxSynchronize());
	CU(cuCtxGetCurrent(&now));
	CHECK(now == second);
	CU(cuCtxSetCurrent(first));
	CHECK_EQ(read_u64(p), 4);
	CHECK_EQ(read_u64(p + 8), 5);
	/* a function belongs to a context, which the stream's has to be */
	CU(cuCtxSetCurrent(second));
	config = one_block(s, NULL, 0);
	CU(cuKernelGetFunction(&f, k));
	FAILS(cuLaunchKernelEx(&config, f, (void *[]){ &p }, NULL), CUDA_ERROR_INVALID_HANDLE, "context");
}

/* A file whose kernels are found by their names, and which cannot be loaded */
static void *broken_image(void)
{
	FILE *file = fopen(OPS, "rb");
	unsigned char *image = malloc(1 << 20);
	Elf64_Ehdr *head = (Elf64_Ehdr *)image;
	Elf64_Phdr *parts;

	CHECK(file && image && fread(image, 1, 1 << 20, file) > sizeof(*head));
	fclose(file);
	parts = (Elf64_Phdr *)(image + head->e_phoff);
	for (int i = 0; i < head->e_phnum; i++)
		parts[i].p_filesz = parts[i].p_memsz + 1; /* more in the file than in memory */
	return image;
}

/* The codes of a launch that is refused; those of kernels that fail are in launch.c */
static void each_code_is_that_of_the_launch(void)
{
	CUlaunchConfig config = one_block(NULL, NULL, 0), wrong;
	CUlibrary lib, broken;
	CUcontext ctx;
	CUkernel k, none;
	void *image;

	FAILS(cuLaunchKernelEx(&config, (CUfunction)8, NULL, NULL), CUDA_ERROR_NOT_INITIALIZED, "cuInit");
	CU(cuInit(0));
	CU(cuLibraryLoadFromFile(&lib, OPS, NULL, NULL, 0, NULL, NULL, 0));
	CU(cuLibraryGetKernel(&k, lib, "nothing"));
	FAILS(cuLibraryGetKernel(&none, lib, "no_such_kernel"), CUDA_ERROR_NOT_FOUND, "no_such_kernel");
	FAILS(cuLaunchKernelEx(&config, (CUfunction)k, NULL, NULL), CUDA_ERROR_INVALID_CONTEXT, "context");
	ctx = start();
	CU(cuLaunchKernelEx(&config, (CUfunction)k, NULL, NULL));
	FAILS(cuLaunchKernelEx(&config, NULL, NULL, NULL), CUDA_ERROR_INVALID_HANDLE, "NULL");
	FAILS(cuLaunchKernelEx(&config, (CUfunction)0x98, NULL, NULL), CUDA_ERROR_INVALID_HANDLE, "0x98");
	wrong = one_block((CUstream)0x77, NULL, 0);
	FAILS(cuLaunchKernelEx(&wrong, (CUfunction)k, NULL, NULL), CUDA_ERROR_INVALID_HANDLE, "0x77");
	wrong = config;
	wrong.gridDimY = 0;
	FAILS(cuLaunchKernelEx(&wrong, (CUfunction)k, NULL, NULL), CUDA_ERROR_INVALID_VALUE, "1x0x1");
	wrong = config;
	wrong.blockDimX = 2;
	FAILS(cuLaunchKernelEx(&wrong, (CUfunction)k, NULL, NULL), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "nothing");
	image = broken_image();
	CU(cuLibraryLoadData(&broken, image, NULL, NULL, 0, NULL, NULL, 0));
	CU(cuLibraryGetKernel(&k, broken, "nothing"));
	FAILS(cuLaunchKernelEx(&config, (CUfunction)k, NULL, NULL), CUDA_ERROR_INVALID_IMAGE, "");
	/* refused launches leave nothing behind */
	CU(cuCtxSynchronize());
	CU(cuLibraryUnload(broken));
	FAILS(cuLaunchKernelEx(&config, (CUfunction)k, NULL, NULL), CUDA_ERROR_INVALID_HANDLE, "");
	CU(cuCtxDestroy(ctx));
	free(image);
}

/* Attributes read back ----------------------------------------------------------------------------- */

enum { WINDOW, COOPERATIVE, CLUSTER, POLICY, OVERLAP, PRIORITY, MAP, DOMAIN, UPDATABLE, ATTRS };

static void make_attributes(CUlaunchAttribute *a)
{
	static char window[64];

	memset(a, 0, ATTRS * sizeof(*a));
	a[WINDOW].id = CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW;
	a[WINDOW].value.accessPolicyWindow = (CUaccessPolicyWindow){ window, 64, 0.5f, CU_ACCESS_PROPERTY_PERSISTING,
								      CU_ACCESS_PROPERTY_STREAMING };
	a[COOPERATIVE].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
	a[COOPERATIVE].value.cooperative = 1;
	a[CLUSTER].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
	a[CLUSTER].value.clusterDim.x = 2;
	a[CLUSTER].value.clusterDim.y = a[CLUSTER].value.clusterDim.z = 1;
	a[POLICY].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE;
	a[POLICY].value.clusterSchedulingPolicyPreference = CU_CLUSTER_SCHEDULING_POLICY_SPREAD;
	a[OVERLAP].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
	a[OVERLAP].value.programmaticStreamSerializationAllowed = 1;
	a[PRIORITY].id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
	a[PRIORITY].value.priority = 3;
	a[MAP].id = CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP;
	a[MAP].value.memSyncDomainMap = (CUlaunchMemSyncDomainMap){ 2, 3 };
	a[DOMAIN].id = CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN;
	a[DOMAIN].value.memSyncDomain = CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE;
	a[UPDATABLE].id = CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE;
	a[UPDATABLE].value.deviceUpdatableKernelNode.deviceUpdatable = 1;
}

static CUgraphNode only_kernel(CUgraph g)
{
	CUgraphNode nodes[8];
	CUgraphNodeType type;
	size_t n = 8;

	CU(cuGraphGetNodes(g, nodes, &n));
	for (size_t i = 0; i < n; i++) {
		CU(cuGraphNodeGetType(nodes[i], &type));
		if (type == CU_GRAPH_NODE_TYPE_KERNEL)
			return nodes[i];
	}
	FAIL("no kernel among %zu nodes", n);
}

static void check_attributes(CUgraphNode node, CUlaunchAttribute *a)
{
	CUlaunchAttributeValue v;

	CU(cuGraphKernelNodeGetAttribute(node, a[WINDOW].id, &v));
	CHECK(!memcmp(&v.accessPolicyWindow, &a[WINDOW].value, sizeof(v.accessPolicyWindow)));
	CU(cuGraphKernelNodeGetAttribute(node, a[COOPERATIVE].id, &v));
	CHECK_EQ(v.cooperative, 1);
	CU(cuGraphKernelNodeGetAttribute(node, a[CLUSTER].id, &v));
	CHECK(v.clusterDim.x == 2 && v.clusterDim.y == 1 && v.clusterDim.z == 1);
	CU(cuGraphKernelNodeGetAttribute(node, a[POLICY].id, &v));
	CHECK_EQ(v.clusterSchedulingPolicyPreference, CU_CLUSTER_SCHEDULING_POLICY_SPREAD);
	CU(cuGraphKernelNodeGetAttribute(node, a[OVERLAP].id, &v));
	CHECK_EQ(v.programmaticStreamSerializationAllowed, 1);
	CU(cuGraphKernelNodeGetAttribute(node, a[PRIORITY].id, &v));
	CHECK_EQ(v.priority, 3);
	CU(cuGraphKernelNodeGetAttribute(node, a[MAP].id, &v));
	CHECK(v.memSyncDomainMap.default_ == 2 && v.memSyncDomainMap.remote == 3);
	CU(cuGraphKernelNodeGetAttribute(node, a[DOMAIN].id, &v));
	CHECK_EQ(v.memSyncDomain, CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE);
	CU(cuGraphKernelNodeGetAttribute(node, a[UPDATABLE].id, &v));
	CHECK_EQ(v.deviceUpdatableKernelNode.deviceUpdatable, 1);
	CHECK(v.deviceUpdatableKernelNode.devNode &&
	      v.deviceUpdatableKernelNode.devNode == a[UPDATABLE].value.deviceUpdatableKernelNode.devNode);
}

/* The same task, asked by the other front */
static void check_other_front(CUgraphNode node, CUlaunchAttribute *a)
{
	uint64_t handle = (uintptr_t)a[UPDATABLE].value.deviceUpdatableKernelNode.devNode;
	aclrtLaunchKernelAttrValue v;

	CHECK_EQ(aclmdlRIKernelTaskGetAttribute(node, ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_COOPERATIVE, &v), 0);
	CHECK_EQ(v.rsv[0], 1);
	CHECK_EQ(aclmdlRIKernelTaskGetAttribute(node, ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_CLUSTER, &v), 0);
	CHECK(v.rsv[0] == 2 && v.rsv[1] == 1 && v.rsv[2] == 1);
	CHECK_EQ(aclmdlRIKernelTaskGetAttribute(node, ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_OVERLAP, &v), 0);
	CHECK_EQ(v.rsv[0], 1);
	CHECK_EQ(aclmdlRIKernelTaskGetAttribute(node, ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_PRIORITY, &v), 0);
	CHECK_EQ(v.rsv[0], 5);
	CHECK_EQ(aclmdlRIKernelTaskGetAttribute(node, ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_UPDATABLE, &v), 0);
	CHECK(v.rsv[0] == 1 && (v.rsv[2] | (uint64_t)v.rsv[3] << 32) == handle);
	CHECK_EQ(aclmdlRIKernelTaskGetAttribute(node, ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_BEGUN_EVENT, &v), ACL_ERROR_INVALID_PARAM);
}

static void recorded_launches_keep_every_attribute(void)
{
	CUlaunchAttribute a[ATTRS + 1];
	CUlaunchConfig config;
	CUlaunchAttributeValue v;
	CUdeviceptr p;
	CUevent e;
	CUstream s;
	CUgraph g;

	start();
	p = dev_alloc(64);
	s = new_stream(CU_STREAM_NON_BLOCKING);
	op("pass_on");
	CU(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
	CU(cuCtxSynchronize());
	make_attributes(a);
	memset(&a[ATTRS], 0, sizeof(a[ATTRS]));
	a[ATTRS].id = CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT;
	a[ATTRS].value.launchCompletionEvent.event = e;
	for (unsigned int n = ATTRS; n <= ATTRS + 1; n++) {
		config = one_block(s, a, n);
		config.gridDimX = 2;
		CU(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
		CU(cuLaunchKernelEx(&config, op("pass_on"), (void *[]){ &p }, NULL));
		CU(cuStreamEndCapture(s, &g));
		check_attributes(only_kernel(g), a);
		check_other_front(only_kernel(g), a);
	}
	/* without attributes a node has those that a launch has by itself */
	CU(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
	CU(cuLaunchKernel(op("nothing"), 1, 1, 1, 1, 1, 1, 0, s, NULL, NULL));
	CU(cuStreamEndCapture(s, &g));
	CU(cuGraphKernelNodeGetAttribute(only_kernel(g), CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, &v));
	CHECK_EQ(v.memSyncDomain, CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT);
	CU(cuGraphKernelNodeGetAttribute(only_kernel(g), CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &v));
	CHECK_EQ(v.cooperative, 0);
}

/* Attributes of a stream are those of launches in it that do not say otherwise */
static void recorded_launches_take_the_streams_attributes(void)
{
	CUlaunchAttribute own = { .id = CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN };
	CUlaunchAttributeValue v = { 0 };
	CUlaunchConfig config;
	CUstream s, other;
	CUdeviceptr p;
	CUgraph g;

	start();
	p = dev_alloc(64);
	op("nothing");
	s = new_stream(CU_STREAM_NON_BLOCKING);
	other = new_stream(CU_STREAM_NON_BLOCKING);
	v.memSyncDomain = CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE;
	CU(cuStreamSetAttribute(other, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, &v));
	memset(&v, 0, sizeof(v));
	v.accessPolicyWindow = (CUaccessPolicyWindow){ .base_ptr = (void *)(uintptr_t)p, .num_bytes = 64, .hitRatio = 1 };
	CU(cuStreamSetAttribute(other, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v));
	memset(&v, 0, sizeof(v));
	v.priority = 3;
	CU(cuStreamSetAttribute(other, CU_LAUNCH_ATTRIBUTE_PRIORITY, &v));
	CU(cuStreamCopyAttributes(s, other));
	CU(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
	CU(cuLaunchKernel(op("nothing"), 1, 1, 1, 1, 1, 1, 0, s, NULL, NULL));
	CU(cuStreamEndCapture(s, &g));
	CU(cuGraphKernelNodeGetAttribute(only_kernel(g), CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, &v));
	CHECK_EQ(v.memSyncDomain, CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE);
	CU(cuGraphKernelNodeGetAttribute(only_kernel(g), CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v));
	CHECK(v.accessPolicyWindow.num_bytes == 64 && (uintptr_t)v.accessPolicyWindow.base_ptr == p);
	CU(cuGraphKernelNodeGetAttribute(only_kernel(g), CU_LAUNCH_ATTRIBUTE_PRIORITY, &v));
	CHECK_EQ(v.priority, 3);
	/* a launch that asks for another domain has that, and the window of the stream */
	own.value.memSyncDomain = CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT;
	config = one_block(s, &own, 1);
	CU(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
	CU(cuLaunchKernelEx(&config, op("nothing"), NULL, NULL));
	CU(cuStreamEndCapture(s, &g));
	CU(cuGraphKernelNodeGetAttribute(only_kernel(g), CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, &v));
	CHECK_EQ(v.memSyncDomain, CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT);
	CU(cuGraphKernelNodeGetAttribute(only_kernel(g), CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v));
	CHECK_EQ(v.accessPolicyWindow.num_bytes, 64);
}

/* A stream refuses the values of an attribute that a launch refuses, with the same sentence */
static void one_judgement(CUstream s, CUlaunchAttributeID id, CUlaunchAttributeValue v, CUresult code)
{
	CUlaunchAttribute a = { .id = id, .value = v };
	CUlaunchConfig config = one_block(s, &a, 1);
	CUresult by_stream, by_launch;
	char said[400] = "";
	const char *msg;

	aclGetRecentErrMsg();
	by_stream = cuStreamSetAttribute(s, id, &v);
	msg = aclGetRecentErrMsg();
	if (by_stream)
		snprintf(said, sizeof(said), "%s", strchr(msg, ':'));
	by_launch = cuLaunchKernelEx(&config, op("nothing"), NULL, NULL);
	msg = aclGetRecentErrMsg();
	CHECK_EQ(by_stream, code);
	CHECK_EQ(by_launch, code);
	if (code && (!*said || !strstr(msg, said)))
		FAIL("attribute %d: '%s' and '%s'", (int)id, said, msg);
}

static void streams_and_launches_take_the_same_values(void)
{
	static char window[64];
	CUlaunchAttributeValue v;
	CUstream s;

	start();
	s = new_stream(CU_STREAM_NON_BLOCKING);
	for (int sync = 0; sync <= 5; sync++) {
		memset(&v, 0, sizeof(v));
		v.syncPolicy = (CUsynchronizationPolicy)sync;
		one_judgement(s, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, v,
			      sync >= CU_SYNC_POLICY_AUTO && sync <= CU_SYNC_POLICY_BLOCKING_SYNC ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
	}
	for (int i = 0; i < 6; i++) {
		memset(&v, 0, sizeof(v));
		v.accessPolicyWindow = (CUaccessPolicyWindow){ i == 1 ? NULL : window, 64, i == 2 ? 1.5f : i == 3 ? -0.5f : 0.5f,
							       i == 4 ? (CUaccessProperty)3 : CU_ACCESS_PROPERTY_PERSISTING,
							       i == 5 ? CU_ACCESS_PROPERTY_PERSISTING : CU_ACCESS_PROPERTY_STREAMING };
		one_judgement(s, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, v, i ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS);
	}
	for (int domain = -1; domain < 3; domain++) {
		memset(&v, 0, sizeof(v));
		v.memSyncDomain = (CUlaunchMemSyncDomain)domain;
		one_judgement(s, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, v, domain == 0 || domain == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
	}
	for (unsigned int i = 0; i < 3; i++) {
		memset(&v, 0, sizeof(v));
		v.memSyncDomainMap = (CUlaunchMemSyncDomainMap){ i == 1 ? 4 : 0, i == 2 ? 4 : 3 };
		one_judgement(s, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, v, i ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS);
	}
	CU(cuStreamSynchronize(s));
}

/* A function's attributes go for its launches as if these had them themselves */
static CUgraphNode recorded(CUstream s, CUlaunchAttribute *a, unsigned int n, CUdeviceptr p)
{
	CUlaunchConfig config = one_block(s, a, n);
	CUgraph g;

	config.gridDimX = 4;
	CU(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
	CU(cuLaunchKernelEx(&config, op("pass_on"), (void *[]){ &p }, NULL));
	CU(cuStreamEndCapture(s, &g));
	return only_kernel(g);
}

static void check_clusters(CUgraphNode node, unsigned int width, CUclusterSchedulingPolicy policy)
{
	CUlaunchAttributeValue v;

	CU(cuGraphKernelNodeGetAttribute(node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &v));
	CHECK(v.clusterDim.x == width && v.clusterDim.y == 1 && v.clusterDim.z == 1);
	CU(cuGraphKernelNodeGetAttribute(node, CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, &v));
	CHECK_EQ(v.clusterSchedulingPolicyPreference, policy);
}

static void functions_and_launches_say_the_same(void)
{
	CUlaunchAttribute a[2] = { { .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value = { .clusterDim = { 2, 1, 1 } } },
				   { .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
				     .value = { .clusterSchedulingPolicyPreference = CU_CLUSTER_SCHEDULING_POLICY_SPREAD } } };
	CUDA_KERNEL_NODE_PARAMS params;
	CUlaunchConfig config;
	CUgraphNode node;
	CUdeviceptr p;
	CUfunction f;
	CUstream s;
	CUgraph g;

	start();
	p = dev_alloc(64);
	s = new_stream(CU_STREAM_NON_BLOCKING);
	f = op("pass_on");
	CU(cuCtxSynchronize());
	check_clusters(recorded(s, a, 2, p), 2, CU_CLUSTER_SCHEDULING_POLICY_SPREAD);
	FAILS(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, 3), CUDA_ERROR_INVALID_VALUE, "3");
	CU(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 2));
	CU(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, CU_CLUSTER_SCHEDULING_POLICY_SPREAD));
	check_clusters(recorded(s, NULL, 0, p), 2, CU_CLUSTER_SCHEDULING_POLICY_SPREAD);
	/* a node that is added has them, too */
	params = one_thread("pass_on", (void *[]){ &p });
	params.gridDimX = 4;
	CU(cuGraphCreate(&g, 0));
	CU(cuGraphAddKernelNode(&node, g, NULL, 0, &params));
	check_clusters(node, 2, CU_CLUSTER_SCHEDULING_POLICY_SPREAD);
	/* the launch has the last word about a preference, and none about what the function requires */
	a[1].value.clusterSchedulingPolicyPreference = CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING;
	check_clusters(recorded(s, a, 2, p), 2, CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING);
	a[0].value.clusterDim.x = 4;
	config = one_block(s, a, 1);
	config.gridDimX = 4;
	FAILS(cuLaunchKernelEx(&config, f, (void *[]){ &p }, NULL), CUDA_ERROR_INVALID_VALUE, "4x1x1");
	config.numAttrs = 0;
	config.gridDimX = 3;
	FAILS(cuLaunchKernelEx(&config, f, (void *[]){ &p }, NULL), CUDA_ERROR_INVALID_CLUSTER_SIZE, "whole clusters");
}

/* This front asks about a launch that the other one has recorded */
static void tasks_of_the_other_front_tell_their_attributes(void)
{
	aclrtLaunchKernelAttr a[] = {
		{ .id = ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_COOPERATIVE, .value.rsv = { 1 } },
		{ .id = ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_CLUSTER, .value.rsv = { 2, 1, 1 } },
		{ .id = ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_OVERLAP, .value.rsv = { 1 } },
		{ .id = ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_PRIORITY, .value.rsv = { 5 } },
		{ .id = ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_UPDATABLE, .value.rsv = { 1 } },
	};
	aclrtLaunchKernelCfg cfg = { a, sizeof(a) / sizeof(a[0]) };
	CUlaunchAttribute c[ATTRS];
	CUgraphNode node;
	CUdeviceptr p;
	CUstream s;
	CUgraph g;

	start();
	p = dev_alloc(64);
	s = new_stream(CU_STREAM_NON_BLOCKING);
	op("pass_on");
	CU(cuCtxSynchronize());
	CU(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
	CHECK_EQ(aclrtLaunchSIMTKernelWithArgsArray(op("pass_on"), DIM(2), DIM(1), 0, s, &cfg, (void *[]){ &p }), 0);
	CU(cuStreamEndCapture(s, &g));
	node = only_kernel(g);
	make_attributes(c);
	c[UPDATABLE].value.deviceUpdatableKernelNode.devNode =
		(void *)(uintptr_t)(a[4].value.rsv[2] | (uint64_t)a[4].value.rsv[3] << 32);
	check_other_front(node, c);
	/* hints have no number there: set here, they are kept */
	for (int i = WINDOW; i <= DOMAIN; i++)
		CU(cuGraphKernelNodeSetAttribute(node, c[i].id, &c[i].value));
	check_attributes(node, c);
}

TAP_MAIN(TEST(a_lower_priority_ends_behind),
	 TEST(a_kernel_that_runs_too_long_has_its_code),
	 TEST(the_context_of_a_launch_is_the_streams),
	 TEST(each_code_is_that_of_the_launch),
	 TEST(streams_and_launches_take_the_same_values),
	 TEST(functions_and_launches_say_the_same),
	 TEST(recorded_launches_keep_every_attribute),
	 TEST(recorded_launches_take_the_streams_attributes),
	 TEST(tasks_of_the_other_front_tell_their_attributes))
