// SPDX-License-Identifier: MIT
/*
 * Every function of lib/cuda/api.list that is built, with one argument that is wrong: a handle that is garbage, has ended or is of
 * another kind, a device that does not exist, a pointer that is NULL, a number that is no enumerator; and all of them before cuInit(), without a
 * context, and behind the end of the context that their handles belong to. Each is refused with the API's code and a sentence that names the
 * function, or it is in a table below that says why not.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>

#include "cutest.h"

#define MOST_WORDS	16

struct parameter {
	char type[64];
	char name[64];
	bool pointer, callback, handle, number;
};

struct function {
	char name[80];
	void *symbol;
	int n;
	struct parameter p[16];
};

static struct function functions[500];
static int n_functions;

/* Kinds of handles, with the codes of one that is none; one live object of each, and one that has ended */
enum kind { CONTEXT, STREAM, EVENT, MODULE, FUNCTION, LIBRARY, KERNEL, GRAPH, NODE, EXEC, POOL, LINK, OBJECT, PHYSICAL, KINDS };

static const struct {
	const char *type;
	CUresult code;
} kinds[KINDS] = {
	{ "CUcontext", CUDA_ERROR_INVALID_CONTEXT },
	{ "CUstream", CUDA_ERROR_INVALID_HANDLE },
	{ "CUevent", CUDA_ERROR_INVALID_HANDLE },
	{ "CUmodule", CUDA_ERROR_INVALID_HANDLE },
	{ "CUfunction", CUDA_ERROR_INVALID_HANDLE },
	{ "CUlibrary", CUDA_ERROR_INVALID_HANDLE },
	{ "CUkernel", CUDA_ERROR_INVALID_HANDLE },
	{ "CUgraph", CUDA_ERROR_INVALID_VALUE },
	{ "CUgraphNode", CUDA_ERROR_INVALID_VALUE },
	{ "CUgraphExec", CUDA_ERROR_INVALID_VALUE },
	{ "CUmemoryPool", CUDA_ERROR_INVALID_VALUE },
	{ "CUlinkState", CUDA_ERROR_INVALID_HANDLE },
	{ "CUuserObject", CUDA_ERROR_INVALID_VALUE },
	{ "CUmemGenericAllocationHandle", CUDA_ERROR_INVALID_VALUE },
};

static void *live[KINDS], *ended[KINDS];
static CUdeviceptr device_memory;
static char *memory;
static char plain[4096];
static char *image; /* the file OPS */

/* Parameters ----------------------------------------------------------------------------------------- */

static int kind_of(const char *type)
{
	for (int k = 0; k < KINDS; k++)
		if (!strcmp(type, kinds[k].type))
			return k;
	return -1;
}

static bool is_number(const char *type)
{
	static const char *const numbers[] = { "size_t", "int", "unsigned", "cuuint32_t", "cuuint64_t", "CUdeviceptr", "CUdevice", "float",
					       "CUresult", NULL };

	for (int i = 0; numbers[i]; i++)
		if (!strcmp(type, numbers[i]))
			return true;
	return false;
}

/* "const T *name" or "T name" */
static void read_parameter(struct parameter *p, char *text)
{
	char *end = text + strlen(text), *name;

	for (name = end; name > text && name[-1] != ' ' && name[-1] != '*'; name--)
		;
	snprintf(p->name, sizeof(p->name), "%s", name);
	*name = 0;
	while (*text == ' ')
		text++;
	while (!strncmp(text, "const ", 6))
		text += 6;
	snprintf(p->type, sizeof(p->type), "%.*s", (int)strcspn(text, " *"), text);
	p->callback = !strchr(text, '*') && (!strcmp(p->type, "CUhostFn") || !strcmp(p->type, "CUstreamCallback") ||
					     !strcmp(p->type, "CUoccupancyB2DSize"));
	p->pointer = p->callback || strchr(text, '*');
	p->handle = !strchr(text, '*') && kind_of(p->type) >= 0;
	p->number = !p->pointer && is_number(p->type);
}

/* The suffix of a symbol, of "=_v2@12000" and the like */
static void read_suffix(char *out, const char *field)
{
	field += strspn(field, "-+=");
	sprintf(out, "%.*s", (int)strcspn(field, "@"), field);
}

/* Fields are separated by single tabs, and may be empty */
static int split(char *line, char **fields, int most)
{
	int n = 0;

	for (char *one; n < most && (one = strsep(&line, "\t")); n++)
		fields[n] = one;
	return n;
}

static void read_list(void)
{
	FILE *list = fopen("lib/cuda/api.list", "r");
	char line[1024], symbol[100], suffix[20], *fields[7], *arguments, *one;

	CHECK(list);
	while (fgets(line, sizeof(line), list)) {
		struct function *f = &functions[n_functions];

		if (line[0] == '#' || split(line, fields, 7) != 7 || strcmp(fields[2], "built"))
			continue;
		read_suffix(suffix, fields[3]);
		snprintf(f->name, sizeof(f->name), "%s", fields[0]);
		snprintf(symbol, sizeof(symbol), "%.79s%s", fields[0], suffix);
		f->symbol = dlsym(RTLD_DEFAULT, symbol);
		CHECK(f->symbol);
		arguments = fields[5];
		while (strcmp(fields[5], "void") && (one = strsep(&arguments, ",")))
			read_parameter(&f->p[f->n++], one);
		n_functions++;
	}
	fclose(list);
	CHECK_OP(n_functions, >, 280);
}

/* Calls ---------------------------------------------------------------------------------------------- */

static const char *calling = "";

static void say_where(int signal)
{
	static const char text[] = "# it ends in ";

	if (write(1, text, sizeof(text) - 1) < 0 || write(1, calling, strlen(calling)) < 0 || write(1, "\n", 1) < 0)
		_exit(1);
	_exit(128 + signal);
}

/* For any kind of callback */
static long do_nothing(void)
{
	return 0;
}

/* Functions look at the wrong argument only if their other arguments have these values */
static const struct {
	const char *function, *parameter;
	long value;
} wanted[] = {
	{ "*", "gridDimX", 1 }, { "*", "gridDimY", 1 }, { "*", "gridDimZ", 1 }, { "*", "blockDimX", 1 }, { "*", "blockDimY", 1 },
	{ "*", "blockDimZ", 1 }, { "*", "grid_width", 1 }, { "*", "grid_height", 1 }, { "*", "extra", 0 }, { "*", "x", 1 }, { "*", "y", 1 },
	{ "*", "z", 1 }, { "*", "numOptions", 0 }, { "*", "numJitOptions", 0 }, { "*", "numLibraryOptions", 0 }, { "*", "jitOptions", 0 },
	{ "*", "numDependencies", 0 }, { "*", "count", 1 }, { "*", "initialRefcount", 1 }, { "cuUserObjectCreate", "flags", 1 },
	{ "*", "len", 64 }, { "*", "blockSize", 32 }, { "*", "numBlocks", 1 }, { "*", "numAttributes", 1 }, { "*", "Height", 1 },
	{ "*", "Width", 8 }, { "*", "dstPitch", 64 }, { "*", "ElementSizeBytes", 4 }, { "cuMemAllocManaged", "flags", 1 },
	{ "cuStreamAttachMemAsync", "flags", 1 }, { "cuMemAddressReserve", "addr", 0 }, { "cuMemAddressReserve", "size", 2 << 20 },
	{ "cuMemAddressReserve", "alignment", 0 }, { "*", "cudaVersion", 12040 }, { "cuStreamWaitValue32", "value", 0 },
	{ "cuMemAdvise", "advice", 1 }, { "cuGraphDebugDotPrint", "path", (long)"/dev/null" }, { "cuDeviceGetByPCIBusId", "pciBusId", (long)"0000:00:00.0" },
	{ "cuGraphDebugDotPrint", "flags", 0 }, { "*", "numFunctions", 1 }, { "*", "numKernels", 1 }, { "*", "symbol", (long)"cuInit" }, { "*", "attrib", 1 }, { "*", "fname", (long)OPS }, { "cuModuleGetGlobal", "name", (long)"counter" },
	{ "cuLibraryGetGlobal", "name", (long)"counter" }, { "*", "paramIndex", 0 }, { "cuLinkAddFile", "path", (long)OPS }, { "*", "fileName", (long)OPS },
};

static long plausible(const struct function *f, const struct parameter *p)
{
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if ((wanted[i].function[0] == '*' || !strcmp(wanted[i].function, f->name)) &&
		    !strcmp(wanted[i].parameter, p->name) && (!p->pointer || !wanted[i].value || wanted[i].value > 4096))
			return wanted[i].value;
	if (p->handle)
		return (long)live[kind_of(p->type)];
	if (p->callback)
		return (long)do_nothing;
	if (!strcmp(p->name, "image") || !strcmp(p->name, "fatCubin") || !strcmp(p->name, "code"))
		return (long)image;
	if (p->pointer)
		return (long)memory;
	if (!strcmp(p->type, "CUdeviceptr"))
		return (long)device_memory;
	return !strcmp(p->type, "size_t") ? 8 : 0;
}

typedef CUresult any(long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long);

/* Calls a function whose argument @place is @value and all others are plausible */
static CUresult call(const struct function *f, int place, long value)
{
	long w[MOST_WORDS] = { 0 };
	any *fn;

	memset(memory, 0, 4096);
	for (int i = 0; i < f->n; i++)
		w[i] = i == place ? value : plausible(f, &f->p[i]);
	memcpy(&fn, &f->symbol, sizeof(fn));
	calling = f->name;
	aclGetRecentErrMsg();
	return fn(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13], w[14], w[15]);
}

/* Structures by value that are larger than two words */
static bool untried(const struct function *f)
{
	for (int i = 0; i < f->n; i++)
		if (!f->p[i].pointer && strstr(f->p[i].type, "CUipc"))
			return true;
	return false;
}

static bool in(const char *const *list, const char *name)
{
	while (*list && strcmp(*list, name))
		list++;
	return *list;
}

static int wrong;

static void complain(const struct function *f, const char *what, CUresult ret, const char *message)
{
	tap_note("%s, %s: %d, %s", f->name, what, (int)ret, message ? message : "(no message)");
	wrong++;
}

/* Refused with that code, or with any if it is CUDA_SUCCESS, and with a sentence that names the function */
static void check_refused(const struct function *f, const char *what, CUresult ret, CUresult code)
{
	const char *message = aclGetRecentErrMsg();
	char start[100];

	snprintf(start, sizeof(start), "E%d %.79s", (int)ret, f->name);
	if (!ret || (code && ret != code) || !message || strncmp(message, start, strlen(start)))
		complain(f, what, ret, message);
}

static void read_image(void)
{
	FILE *f = fopen(OPS, "r");

	image = malloc(1 << 20);
	CHECK(f && image && fread(image, 1, 1 << 20, f));
	fclose(f);
}

static void ready(void)
{
	signal(SIGSEGV, say_where);
	signal(SIGABRT, say_where);
	read_list();
	read_image();
}

/* Objects -------------------------------------------------------------------------------------------- */

static void make_graph(void)
{
	CU(cuGraphCreate((CUgraph *)&live[GRAPH], 0));
	CU(cuGraphAddEmptyNode((CUgraphNode *)&live[NODE], live[GRAPH], NULL, 0));
	CU(cuGraphInstantiate((CUgraphExec *)&live[EXEC], live[GRAPH], 0));
}

/* In the current context */
static void make_live(void)
{
	CUmemPoolProps props = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } };
	CUmemAllocationProp physical = { .type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } };

	CU(cuCtxGetCurrent((CUcontext *)&live[CONTEXT]));
	CU(cuMemHostAlloc((void **)&memory, 65536, 0));
	device_memory = dev_alloc(65536);
	live[STREAM] = new_stream(0);
	CU(cuEventCreate((CUevent *)&live[EVENT], 0));
	CU(cuModuleLoad((CUmodule *)&live[MODULE], OPS));
	CU(cuModuleGetFunction((CUfunction *)&live[FUNCTION], live[MODULE], "nothing"));
	CU(cuLibraryLoadFromFile((CUlibrary *)&live[LIBRARY], OPS, NULL, NULL, 0, NULL, NULL, 0));
	CU(cuLibraryGetKernel((CUkernel *)&live[KERNEL], live[LIBRARY], "nothing"));
	make_graph();
	CU(cuMemPoolCreate((CUmemoryPool *)&live[POOL], &props));
	CU(cuLinkCreate(0, NULL, NULL, (CUlinkState *)&live[LINK]));
	CU(cuUserObjectCreate((CUuserObject *)&live[OBJECT], plain, (CUhostFn)(void *)do_nothing, 1, 1));
	CU(cuMemCreate((CUmemGenericAllocationHandle *)&live[PHYSICAL], 2 << 20, &physical, 0));
	CU(cuCtxSynchronize());
}

static void make_ended(void)
{
	CUcontext other;

	make_live();
	memcpy(ended, live, sizeof(ended));
	CU(cuStreamDestroy(ended[STREAM]));
	CU(cuEventDestroy(ended[EVENT]));
	CU(cuModuleUnload(ended[MODULE]));
	CU(cuLibraryUnload(ended[LIBRARY]));
	CU(cuGraphExecDestroy(ended[EXEC]));
	CU(cuGraphDestroy(ended[GRAPH]));
	CU(cuMemPoolDestroy(ended[POOL]));
	CU(cuLinkDestroy(ended[LINK]));
	CU(cuUserObjectRelease(ended[OBJECT], 1));
	CU(cuMemRelease((CUmemGenericAllocationHandle)(uintptr_t)ended[PHYSICAL]));
	CU(cuCtxCreate(&other, 0, 0));
	CU(cuCtxDestroy(other));
	ended[CONTEXT] = other;
	make_live();
}

/* Handles -------------------------------------------------------------------------------------------- */

/* Functions that look at what a structure or another argument has first, of which there is none that is right in all calls */
static const char *const elsewhere[] = {
	"cuMemPrefetchAsync", "cuMemcpy2DAsync", "cuMemcpy3DAsync", "cuMemcpy3DPeerAsync", "cuStreamBatchMemOp", "cuGraphAddKernelNode",
	"cuGraphAddNode", "cuGraphEventRecordNodeSetEvent", "cuGraphExecEventRecordNodeSetEvent", "cuGraphEventWaitNodeSetEvent",
	"cuGraphExecEventWaitNodeSetEvent", NULL
};

static int wrong_handles(const struct function *f, int place)
{
	const struct parameter *p = &f->p[place];
	int kind = kind_of(p->type), tried = 0;
	long values[] = { 0x1238, (long)plain, (long)memory, (long)ended[kind], (long)live[kind == STREAM ? EVENT : STREAM] };

	for (int v = 0; v < 5; v++) {
		char what[100];
		CUresult ret;

		if (!values[v])
			continue;
		snprintf(what, sizeof(what), "%s %#lx (%d)", p->name, values[v], v);
		ret = call(f, place, values[v]);
		check_refused(f, what, ret, in(elsewhere, f->name) ? CUDA_SUCCESS : kinds[kind].code);
		tried++;
	}
	return tried;
}

static void handles(void)
{
	int tried = 0;

	start();
	ready();
	make_ended();
	for (int i = 0; i < n_functions; i++) {
		const struct function *f = &functions[i];

		for (int place = 0; place < f->n && !untried(f); place++)
			if (f->p[place].handle)
				tried += wrong_handles(f, place);
	}
	CHECK_EQ(wrong, 0);
	CHECK_OP(tried, >, 500);
}

/* Devices -------------------------------------------------------------------------------------------- */

static void devices(void)
{
	static const int values[] = { -1, 64, 0x7fffffff, (int)0x80000000 };
	int tried = 0;

	start();
	ready();
	make_live();
	for (int i = 0; i < n_functions; i++) {
		const struct function *f = &functions[i];

		for (int place = 0; place < f->n; place++)
			for (int v = 0; v < 4 && !f->p[place].pointer && !strcmp(f->p[place].type, "CUdevice"); v++, tried++)
				check_refused(f, f->p[place].name, call(f, place, values[v]),
					      strstr(f->name, "cuMemAdvise") || strstr(f->name, "cuMemPrefetch")
						      ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_DEVICE);
	}
	CHECK_EQ(wrong, 0);
	CHECK_OP(tried, >, 100);
}

/* Addresses ------------------------------------------------------------------------------------------ */

/* A place of the host is as good, or any address is a wish */
static const char *const any_address[] = { "cuMemcpy", "cuMemcpyAsync", "cuMemAddressReserve", NULL };

/* No memory of the device is there */
static void addresses(void)
{
	static const unsigned long values[] = { 16, 0x1238000, ~0ul };
	int tried = 0;

	start();
	ready();
	make_live();
	for (int i = 0; i < n_functions; i++) {
		const struct function *f = &functions[i];

		for (int place = 0; place < f->n && !untried(f) && !in(any_address, f->name); place++)
			for (int v = 0; v < 3 && !f->p[place].pointer && !strcmp(f->p[place].type, "CUdeviceptr"); v++, tried++)
				check_refused(f, f->p[place].name, call(f, place, (long)values[v]),
					      strcmp(f->name, "cuMemGetAddressRange") ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_NOT_FOUND);
	}
	CHECK_EQ(wrong, 0);
	CHECK_OP(tried, >, 100);
}

/* Pointers ------------------------------------------------------------------------------------------- */

/* Pointers that may be NULL: there is nothing, or it is not asked for */
static const struct {
	const char *function, *parameter;
} optional[] = {
	{ "*", "options" }, { "*", "optionValues" }, { "*", "jitOptions" }, { "*", "jitOptionsValues" }, { "*", "libraryOptions" },
	{ "*", "libraryOptionValues" }, { "*", "dependencies" }, { "*", "dependencyData" }, { "*", "edgeData" }, { "*", "userData" },
	{ "*", "kernelParams" }, { "*", "extra" }, { "*", "id_out" }, { "*", "graph_out" }, { "*", "dependencies_out" },
	{ "*", "edgeData_out" }, { "*", "numDependencies_out" }, { "*", "symbolStatus" }, { "*", "paramsArray" },
	{ "*", "ctxCreateParams" }, { "cuCtxPopCurrent", "pctx" }, { "*", "leastPriority" }, { "*", "greatestPriority" },
	{ "cuModuleGetGlobal", "dptr" }, { "cuModuleGetGlobal", "bytes" }, { "cuLibraryGetGlobal", "dptr" },
	{ "cuLibraryGetGlobal", "bytes" }, { "cuLibraryGetManaged", "dptr" }, { "cuLibraryGetManaged", "bytes" },
	{ "cuLinkAddData", "name" }, { "*", "pbase" }, { "*", "psize" }, { "cuGraphGetNodes", "nodes" }, { "*", "rootNodes" },
	{ "*", "dependentNodes" }, { "cuGraphAddDependencies", "from" }, { "cuGraphAddDependencies", "to" },
	{ "cuGraphRemoveDependencies", "from" }, { "cuGraphRemoveDependencies", "to" }, { "cuUserObjectCreate", "ptr" },
	{ "*", "paramSize" }, { "*", "phErrorNode" }, { "*", "logBuffer" }, { "*", "hErrorNode_out" },
};

static bool may_be_null(const struct function *f, const struct parameter *p)
{
	for (size_t i = 0; i < sizeof(optional) / sizeof(optional[0]); i++)
		if ((optional[i].function[0] == '*' || !strcmp(optional[i].function, f->name)) &&
		    !strcmp(optional[i].parameter, p->name))
			return true;
	return false;
}

static void check_null(const struct function *f, int place)
{
	CUresult ret = call(f, place, 0);
	const char *message;
	char text[100];

	if (!may_be_null(f, &f->p[place])) {
		check_refused(f, f->p[place].name, ret, CUDA_ERROR_INVALID_VALUE);
		return;
	}
	message = aclGetRecentErrMsg();
	snprintf(text, sizeof(text), "%.60s is NULL", f->p[place].name);
	if (message && strstr(message, text))
		complain(f, f->p[place].name, ret, message);
}

static void null_pointers(void)
{
	int tried = 0;

	start();
	ready();
	make_live();
	for (int i = 0; i < n_functions; i++) {
		const struct function *f = &functions[i];

		/* that one would go on recording */
		for (int place = 0; place < f->n && !untried(f) && strcmp(f->name, "cuStreamBeginCaptureToGraph"); place++)
			if (f->p[place].pointer) {
				check_null(f, place);
				tried++;
			}
	}
	CHECK_EQ(wrong, 0);
	CHECK_OP(tried, >, 300);
}

/* Numbers -------------------------------------------------------------------------------------------- */

static void numbers_that_are_no_enumerators(void)
{
	int tried = 0;

	start();
	ready();
	make_live();
	for (int i = 0; i < n_functions; i++) {
		const struct function *f = &functions[i];

		for (int place = 0; place < f->n && !untried(f); place++) {
			const struct parameter *p = &f->p[place];

			if (p->handle || p->pointer || p->number || strstr(p->type, "Location"))
				continue;
			check_refused(f, p->name, call(f, place, 0x7ffffff0), CUDA_ERROR_INVALID_VALUE);
			check_refused(f, p->name, call(f, place, -1), CUDA_ERROR_INVALID_VALUE);
			tried++;
		}
	}
	CHECK_EQ(wrong, 0);
	CHECK_OP(tried, >, 30);
}

/* Flags of which no bit has a meaning */
static void flags(void)
{
	int tried = 0;

	start();
	ready();
	make_live();
	for (int i = 0; i < n_functions; i++) {
		const struct function *f = &functions[i];

		for (int place = 0; place < f->n && !untried(f); place++) {
			const struct parameter *p = &f->p[place];

			if (p->pointer || (strcmp(p->name, "flags") && strcmp(p->name, "Flags")))
				continue;
			check_refused(f, p->name, call(f, place, 0x20000000), CUDA_ERROR_INVALID_VALUE);
			tried++;
		}
	}
	CHECK_EQ(wrong, 0);
	CHECK_OP(tried, >, 40);
}

/* States --------------------------------------------------------------------------------------------- */


/* Functions that work before cuInit(), too */
static const char *const before_all[] = {
	"cuInit", "cuDriverGetVersion", "cuGetErrorName", "cuGetErrorString", "cuGetProcAddress", NULL
};

static void before_cuInit(void)
{
	ready();
	memory = plain;
	for (int i = 0; i < n_functions; i++)
		if (!untried(&functions[i]) && !in(before_all, functions[i].name))
			check_refused(&functions[i], "before cuInit()", call(&functions[i], -1, 0), CUDA_ERROR_NOT_INITIALIZED);
	CHECK_EQ(wrong, 0);
}

/* Functions that make contexts, or end them */
static const char *const of_contexts[] = {
	"cuCtxCreate", "cuCtxDestroy", "cuCtxPushCurrent", "cuCtxSetCurrent", NULL
};

/* These functions need no context: their objects belong to none, or they look at no device */
static const char *const without[] = {
	"cuCtxGetCurrent", "cuModuleGetLoadingMode", "cuLibraryLoadData", "cuLibraryLoadFromFile", "cuThreadExchangeStreamCaptureMode",
	"cuUserObjectCreate", "cuProfilerStart", "cuProfilerStop", "cuMemAddressReserve", "cuMemCreate", "cuMemMap", "cuMemSetAccess",
	"cuMemImportFromShareableHandle", NULL
};

static bool needs_no_context(const struct function *f)
{
	return in(before_all, f->name) || in(without, f->name) || !strncmp(f->name, "cuDevice", 8);
}

static void without_a_context(void)
{
	CUcontext now;
	int none = 0;

	CU(cuInit(0));
	ready();
	memory = plain;
	for (int i = 0; i < n_functions; i++) {
		const struct function *f = &functions[i];
		CUresult ret;

		if (untried(f) || in(of_contexts, f->name))
			continue;
		ret = call(f, -1, 0);
		/* handles, which are NULL here, may be told first */
		if (!needs_no_context(f))
			check_refused(f, "without a context", ret, CUDA_SUCCESS);
		none += ret == CUDA_ERROR_INVALID_CONTEXT;
		CU(cuCtxGetCurrent(&now));
		if (now)
			FAIL("%s has made a context", f->name);
	}
	CHECK_EQ(wrong, 0);
	CHECK_OP(none, >, 100);
}

/* The objects of these functions belong to no context, so they outlive all of them */
static const char *const survive[] = {
	"cuLinkAddFile", "cuLinkDestroy", "cuLibraryUnload", "cuKernelGetName", "cuKernelGetLibrary", "cuLibraryGetKernelCount",
	"cuLibraryEnumerateKernels", "cuGraphExecGetFlags", "cuUserObjectRetain", "cuUserObjectRelease", NULL
};

static void of_the_past(const char *what)
{
	memory = plain;
	for (int i = 0; i < n_functions; i++) {
		const struct function *f = &functions[i];
		bool has = false;

		for (int k = 0; k < f->n; k++)
			has |= f->p[k].handle;
		if (!untried(f) && has && !in(survive, f->name))
			check_refused(f, what, call(f, -1, 0), CUDA_SUCCESS);
	}
	CHECK_EQ(wrong, 0);
}

static void behind_the_end_of_a_context(void)
{
	CUcontext ctx = start();

	ready();
	make_live();
	CU(cuCtxDestroy(ctx));
	of_the_past("behind cuCtxDestroy()");
}

static void make_primary(void)
{
	CUcontext ctx;

	CU(cuInit(0));
	ready();
	CU(cuDevicePrimaryCtxRetain(&ctx, 0));
	CU(cuCtxSetCurrent(ctx));
	make_live();
}

static void behind_a_reset(void)
{
	make_primary();
	CU(cuDevicePrimaryCtxReset(0));
	of_the_past("behind cuDevicePrimaryCtxReset()");
}

static void behind_a_release(void)
{
	make_primary();
	CU(cuDevicePrimaryCtxRelease(0));
	of_the_past("behind cuDevicePrimaryCtxRelease()");
}

TAP_MAIN(TEST(handles), TEST(devices), TEST(addresses), TEST(null_pointers), TEST(numbers_that_are_no_enumerators), TEST(flags),
	 TEST(before_cuInit), TEST(without_a_context), TEST(behind_the_end_of_a_context), TEST(behind_a_reset), TEST(behind_a_release))
