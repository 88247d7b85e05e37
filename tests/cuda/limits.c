// SPDX-License-Identifier: MIT
/* Where what is accepted ends: the last byte, thread or edge that is, and the first that is not; and images of which one number is wrong. */
#include <elf.h>
#include <stdio.h>

#include "cutest.h"

/* Blocks of as many threads as there may be reach the next rule: this kernel has one */
static void threads_of_a_block(void)
{
	static const unsigned int blocks[][3] = { { 1024, 1, 1 }, { 1, 1024, 1 }, { 1, 1, 1024 }, { 32, 32, 1 }, { 1, 32, 32 }, { 8, 8, 16 },
						  { 2, 1, 1 } };
	CUfunction f;

	start();
	f = op("nothing");
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
		FAILS(cuLaunchKernel(f, 1, 1, 1, blocks[i][0], blocks[i][1], blocks[i][2], 0, NULL, NULL, NULL),
		      CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "'nothing' can have 1");
	FAILS(cuLaunchKernel(f, 1, 1, 1, 513, 2, 1, 0, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE, "513x2x1 threads, and 1024 are the most");
}

/* The last row needs its own width only */
static void rows_of_memory(void)
{
	enum { PITCH = 64, WIDTH = 24, ROWS = 8, LAYERS = 4 };
	static const size_t huge[] = { SIZE_MAX, SIZE_MAX / 2 + 2, 1UL << 58 };
	CUDA_MEMCPY3D c = { .srcMemoryType = CU_MEMORYTYPE_HOST, .srcPitch = WIDTH, .srcHeight = 2, .dstMemoryType = CU_MEMORYTYPE_DEVICE,
			    .dstPitch = PITCH, .dstHeight = 2, .WidthInBytes = WIDTH, .Height = 2, .Depth = LAYERS };
	static char host[WIDTH * ROWS];
	CUdeviceptr p, end;

	start();
	p = dev_alloc(PITCH * ROWS);
	end = p + PITCH * ROWS;
	CU(cuMemsetD2D8(p + PITCH - WIDTH, PITCH, 1, WIDTH, ROWS));
	FAILS(cuMemsetD2D8(p + PITCH - WIDTH + 1, PITCH, 1, WIDTH, ROWS), CUDA_ERROR_INVALID_VALUE, "has 471 bytes from that address on");
	CU(cuMemsetD2D32(p + PITCH - WIDTH, PITCH, 1, WIDTH / 4, ROWS));
	FAILS(cuMemsetD2D32(p + PITCH - WIDTH + 4, PITCH, 1, WIDTH / 4, ROWS), CUDA_ERROR_INVALID_VALUE, "472 bytes at");
	CU(cuMemsetD8(end - 1, 1, 1));
	FAILS(cuMemsetD8(end - 1, 1, 2), CUDA_ERROR_INVALID_VALUE, "2 bytes at");
	for (size_t i = 0; i < sizeof(huge) / sizeof(huge[0]); i++) {
		FAILS(cuMemsetD2D8(p, PITCH, 1, WIDTH, huge[i]), CUDA_ERROR_INVALID_VALUE, "");
		FAILS(cuMemsetD32(p, 1, huge[i]), CUDA_ERROR_INVALID_VALUE, "");
	}
	/* layers are two rows apart */
	c.srcHost = host;
	c.dstDevice = p + PITCH - WIDTH;
	CU(cuMemcpy3D(&c));
	c.dstDevice++;
	FAILS(cuMemcpy3D(&c), CUDA_ERROR_INVALID_VALUE, "472 bytes at");
	c.dstDevice--;
	c.Depth++;
	FAILS(cuMemcpy3D(&c), CUDA_ERROR_INVALID_VALUE, "600 bytes at");
	c.Depth = SIZE_MAX / PITCH / 2 + 2;
	FAILS(cuMemcpy3D(&c), CUDA_ERROR_INVALID_VALUE, "18446744073709551615 bytes at");
	/* a row that just fits into its pitch, and one that does not */
	c.Depth = 1;
	c.dstDevice = p;
	c.dstXInBytes = PITCH - WIDTH;
	CU(cuMemcpy3D(&c));
	c.dstXInBytes++;
	FAILS(cuMemcpy3D(&c), CUDA_ERROR_INVALID_VALUE, "24 bytes that begins at byte 41 does not fit into a pitch of 64");
	CU(cuMemFree(p));
}

static void sizes_of_attributes(void)
{
	int32_t values[4] = { 0 };
	CUdeviceptr p;

	start();
	CU(cuMemAllocManaged(&p, 1 << 21, CU_MEM_ATTACH_GLOBAL));
	CU(cuMemRangeGetAttribute(values, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, 1 << 21));
	FAILS(cuMemRangeGetAttribute(values, 0, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, 1 << 21), CUDA_ERROR_INVALID_VALUE, "dataSize is 0");
	FAILS(cuMemRangeGetAttribute(values, 8, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, 1 << 21), CUDA_ERROR_INVALID_VALUE, "dataSize is 8");
	for (size_t n = 1; n <= 4; n++)
		CU(cuMemRangeGetAttribute(values, 4 * n, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, p, 1 << 21));
	for (size_t n = 0; n <= 15; n += 5)
		FAILS(cuMemRangeGetAttribute(values, n, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, p, 1 << 21), CUDA_ERROR_INVALID_VALUE,
		      "must be 4, for ACCESSED_BY a multiple of 4");
	FAILS(cuMemRangeGetAttribute(values, 4, (CUmem_range_attribute)0, p, 1 << 21), CUDA_ERROR_INVALID_VALUE, "attribute is 0");
	CU(cuMemFree(p));
}

/* As many as there is room for, and none behind that */
static void edges_and_room(void)
{
	CUgraphNode a, b, c, from[4], to[4];
	CUgraph g, other;
	CUgraphNode far;
	CUstream s;
	CUDA_KERNEL_NODE_PARAMS p;
	size_t n;

	start();
	CU(cuGraphCreate(&g, 0));
	CU(cuGraphCreate(&other, 0));
	a = add_kernel(g, NULL, "nothing", NULL);
	b = add_kernel(g, a, "nothing", NULL);
	c = add_kernel(g, b, "nothing", NULL);
	far = add_kernel(other, NULL, "nothing", NULL);
	for (size_t room = 0; room <= 3; room++) {
		memset(from, 0x55, sizeof(from));
		memset(to, 0x55, sizeof(to));
		n = room;
		CU(cuGraphGetEdges(g, from, to, &n));
		CHECK_EQ(n, room < 2 ? room : 2);
		for (size_t i = 0; i < room; i++)
			CHECK(from[i] == (i == 0 ? a : i == 1 ? b : NULL) && to[i] == (i == 0 ? b : i == 1 ? c : NULL));
		CHECK((uintptr_t)from[room] == 0x5555555555555555 && (uintptr_t)to[room] == 0x5555555555555555);
	}
	n = 77;
	FAILS(cuGraphGetEdges((CUgraph)&n, NULL, NULL, &n), CUDA_ERROR_INVALID_VALUE, "");
	CHECK_EQ(n, 77);
	/* what a recording goes on behind is in its graph, once */
	s = new_stream(CU_STREAM_NON_BLOCKING);
	FAILS(cuStreamBeginCaptureToGraph(s, g, &far, NULL, 1, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_ERROR_INVALID_VALUE, "");
	FAILS(cuStreamBeginCaptureToGraph(s, g, (CUgraphNode[]){ a, a }, NULL, 2, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_ERROR_INVALID_VALUE,
	      "same node");
	CU(cuGraphKernelNodeGetParams(a, &p));
	CHECK(p.func);
	p.kern = (CUkernel)p.func;
	FAILS(cuGraphKernelNodeSetParams(a, &p), CUDA_ERROR_INVALID_VALUE, "both given");
	FAILS(cuGraphKernelNodeSetAttribute(a, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, NULL), CUDA_ERROR_INVALID_VALUE, "value is NULL");
	CU(cuGraphDestroy(g));
	CU(cuGraphDestroy(other));
}

/* Each dependency once, and all of them written or none */
static void a_picture_has_all_edges(void)
{
	char place[] = "/tmp/cuda-limits-XXXXXX", line[200];
	CUgraphNode a, b;
	int arrows = 0, ends = 0;
	CUgraph g;
	FILE *f;

	CHECK(mkstemp(place) >= 0);
	start();
	CU(cuGraphCreate(&g, 0));
	a = add_kernel(g, NULL, "nothing", NULL);
	b = add_kernel(g, a, "nothing", NULL);
	(void)add_kernel(g, b, "nothing", NULL);
	CU(cuGraphDebugDotPrint(g, place, 0));
	f = fopen(place, "r");
	CHECK(f);
	while (fgets(line, sizeof(line), f)) {
		arrows += strstr(line, "->") != NULL;
		ends += strstr(line, "node0 -> node1;") || strstr(line, "node1 -> node2;");
	}
	fclose(f);
	unlink(place);
	CHECK_EQ(arrows, 2);
	CHECK_EQ(ends, 2);
	FAILS(cuGraphDebugDotPrint(g, "/dev/full", 0), CUDA_ERROR_OPERATING_SYSTEM, "cannot be written to its end");
	FAILS(cuGraphDebugDotPrint(g, "/nowhere/graph.dot", 0), CUDA_ERROR_OPERATING_SYSTEM, "/nowhere/graph.dot");
	CU(cuGraphDestroy(g));
}

/* A node answers only questions about the kind that it was recorded or added as */
static void on_host(void *data)
{
	(void)data;
}

static CUresult ask(CUgraphNode node, int kind)
{
	CUDA_MEMSET_NODE_PARAMS fill;
	CUDA_MEMCPY3D copy;
	CUDA_HOST_NODE_PARAMS host;

	return kind == 0 ? cuGraphMemsetNodeGetParams(node, &fill) : kind == 1 ? cuGraphMemcpyNodeGetParams(node, &copy) :
		cuGraphHostNodeGetParams(node, &host);
}

static void kinds_of_nodes(void)
{
	CUgraphNode nodes[4], added[4];
	CUDA_MEMCPY3D copy = { .srcMemoryType = CU_MEMORYTYPE_DEVICE, .dstMemoryType = CU_MEMORYTYPE_DEVICE, .WidthInBytes = 8, .Height = 1,
			       .Depth = 1 };
	CUgraphNodeType type;
	CUcontext ctx = start();
	CUgraph g, own;
	CUdeviceptr p = dev_alloc(64);
	CUstream s = new_stream(CU_STREAM_NON_BLOCKING);
	size_t n = 4;

	CU(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
	CU(cuMemsetD32Async(p, 1, 4, s));
	CU(cuMemcpyDtoDAsync(p + 32, p, 16, s));
	CU(cuLaunchHostFunc(s, on_host, NULL));
	CU(cuLaunchKernel(op("nothing"), 1, 1, 1, 1, 1, 1, 0, s, NULL, NULL));
	CU(cuStreamEndCapture(s, &g));
	CU(cuGraphGetNodes(g, nodes, &n));
	CHECK_EQ(n, 4);
	CU(cuGraphCreate(&own, 0));
	copy.srcDevice = p;
	copy.dstDevice = p + 32;
	CU(cuGraphAddMemsetNode(&added[0], own, NULL, 0, &(CUDA_MEMSET_NODE_PARAMS){ .dst = p, .elementSize = 4, .width = 1, .height = 1 },
				ctx));
	CU(cuGraphAddMemcpyNode(&added[1], own, NULL, 0, &copy, ctx));
	CU(cuGraphAddHostNode(&added[2], own, NULL, 0, &(CUDA_HOST_NODE_PARAMS){ .fn = on_host }));
	added[3] = add_kernel(own, NULL, "nothing", NULL);
	for (int i = 0; i < 4; i++) {
		int is;

		CU(cuGraphNodeGetType(nodes[i], &type));
		is = type == CU_GRAPH_NODE_TYPE_MEMSET ? 0 : type == CU_GRAPH_NODE_TYPE_MEMCPY ? 1 : type == CU_GRAPH_NODE_TYPE_HOST ? 2 : 3;
		for (int kind = 0; kind < 3; kind++) {
			if (kind == is)
				FAILS(ask(nodes[i], kind), CUDA_ERROR_NOT_SUPPORTED, "was recorded");
			else
				FAILS(ask(nodes[i], kind), CUDA_ERROR_INVALID_VALUE, "the node is no");
			if (kind == i)
				CU(ask(added[i], kind));
			else
				FAILS(ask(added[i], kind), CUDA_ERROR_INVALID_VALUE, "the node is no");
		}
	}
	FAILS(ask((CUgraphNode)&n, 0), CUDA_ERROR_INVALID_VALUE, "0x");
	CU(cuGraphDestroy(g));
	CU(cuGraphDestroy(own));
	CU(cuMemFree(p));
}

/* Images ------------------------------------------------------------------------------------------- */

static char image[1 << 20], changed[1 << 20];
static size_t image_size;
static char path[] = "/tmp/cuda-limits-XXXXXX";

/* Nobody finds a kernel in it, and nothing worse happens */
static void has_no_kernel(const char *what)
{
	CUlibrary library;
	CUkernel kernel;
	unsigned int n = 0;
	FILE *f = fopen(path, "w");

	/* in memory only the image itself says how long it is */
	CHECK(f && fwrite(changed, 1, image_size, f) == image_size);
	CHECK(!fclose(f));
	if (cuLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0))
		return;
	if (!cuLibraryGetKernelCount(&n, library) && n)
		FAIL("%s: the library has %u kernels", what, n);
	if (!cuLibraryGetKernel(&kernel, library, "nothing"))
		FAIL("%s: the library has a kernel", what);
	CU(cuLibraryUnload(library));
}

static void images_with_a_wrong_number(void)
{
	Elf64_Ehdr *e = (Elf64_Ehdr *)changed;
	Elf64_Shdr *s;
	CUlibrary library;
	unsigned int n;
	FILE *f = fopen(OPS, "r");

	CHECK(f && mkstemp(path) >= 0);
	image_size = fread(image, 1, sizeof(image), f);
	fclose(f);
	start();
	memcpy(changed, image, image_size);
	CU(cuLibraryLoadData(&library, changed, NULL, NULL, 0, NULL, NULL, 0));
	CU(cuLibraryGetKernelCount(&n, library));
	CHECK_OP(n, >, 5);
	CU(cuLibraryUnload(library));
#define WITH(change) do { \
	memcpy(changed, image, image_size); \
	s = (Elf64_Shdr *)(changed + e->e_shoff); \
	(void)s; \
	change; \
	has_no_kernel(#change); \
} while (0)
	WITH(e->e_shentsize++);
	WITH(e->e_shentsize = 0);
	WITH(e->e_shstrndx = e->e_shnum);
	WITH(e->e_shstrndx = 0xffff);
	WITH(e->e_shnum = 0);
	WITH(e->e_shoff = 1UL << 40);
	WITH(e->e_shoff = UINT64_MAX - 64);
	WITH(s[e->e_shstrndx].sh_offset = 1UL << 40);
	WITH(s[e->e_shstrndx].sh_offset = UINT64_MAX);
	unlink(path);
}

TAP_MAIN(TEST(threads_of_a_block),
	 TEST(rows_of_memory),
	 TEST(sizes_of_attributes),
	 TEST(edges_and_room),
	 TEST(kinds_of_nodes),
	 TEST(a_picture_has_all_edges),
	 TEST(images_with_a_wrong_number))
