// SPDX-License-Identifier: MIT
/*
 * Every function of lib/api.list that is built, with one argument that is wrong: a handle that is garbage, has ended or is of another
 * kind, a pointer that is NULL, a number that is no enumerator; and all of them without a context and behind aclFinalize(). Each is refused with the code
 * that the headers say and a sentence that names the function, or it is in a table below that says why not.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>

#include "../acltest.h"

#define MOST_WORDS	24

struct parameter {
	char type[64];
	char name[64];
	bool pointer, callback, handle, number;
};

struct function {
	char name[80];
	void *symbol;
	bool code;
	int n;
	struct parameter p[16];
};

static struct function functions[500];
static int n_functions;

/* Kinds of handles, one live object of each, and one that has ended */
enum kind { STREAM, EVENT, CONTEXT, NOTIFY, COUNTER, LABEL, LABELS, POOL, MODEL, BINARY, PHYSICAL, ALLOCATOR, FUNCTION, ARGS, TASK,
	GROUP, COND, KINDS };

static const char *const kind_names[KINDS] = {
	"aclrtStream", "aclrtEvent", "aclrtContext", "aclrtNotify", "aclrtCntNotify", "aclrtLabel", "aclrtLabelList", "aclrtMemPool",
	"aclmdlRI", "aclrtBinHandle", "aclrtDrvMemHandle", "aclrtAllocatorDesc", "aclrtFuncHandle", "aclrtArgsHandle", "aclmdlRITask",
	"aclrtTaskGrp", "aclmdlRICondHandle",
};

static void *live[KINDS], *ended[KINDS];
static char *memory;
static char plain[4096];

/* Parameters ----------------------------------------------------------------------------------------- */

static int kind_of(const char *type)
{
	for (int k = 0; k < KINDS; k++)
		if (!strcmp(type, kind_names[k]))
			return k;
	return -1;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

/* "const T *name" or "T name" */
static void read_parameter(struct parameter *p, char *text)
{
	static const char *const numbers[] = { "size_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "int8_t", "int16_t", "int32_t",
		"int64_t", "int", "bool", "aclFloat16", NULL };
	char *end = text + strlen(text), *name;

	while (end > text && end[-1] == ' ')
		*--end = 0;
	for (name = end; name > text && name[-1] != ' ' && name[-1] != '*'; name--)
		;
	snprintf(p->name, sizeof(p->name), "%s", name);
	*name = 0;
	while (*text == ' ')
		text++;
	while (!strncmp(text, "const ", 6))
		text += 6;
	snprintf(p->type, sizeof(p->type), "%.*s", (int)strcspn(text, " *"), text);
	p->callback = !strchr(text, '*') && (ends_with(p->type, "Callback") || ends_with(p->type, "CallBack") ||
					     ends_with(p->type, "Func"));
	p->pointer = p->callback || strchr(text, '*') || !strcmp(p->type, "aclrtAllocator");
	p->handle = !strchr(text, '*') && kind_of(p->type) >= 0;
	for (int i = 0; numbers[i]; i++)
		p->number |= !strcmp(p->type, numbers[i]);
}

static bool read_function(struct function *f, char *prototype)
{
	char *arguments = strchr(prototype, '('), *end = strrchr(prototype, ')'), *one, *next;

	*arguments++ = 0;
	*end = 0;
	f->code = !strncmp(prototype, "aclError ", 9);
	f->n = 0;
	if (!strcmp(arguments, "void"))
		return true;
	for (one = arguments; one; one = next) {
		next = strchr(one, ',');
		if (next)
			*next++ = 0;
		if (!strcmp(one, " ..."))
			break;
		read_parameter(&f->p[f->n++], one);
	}
	return true;
}

static void read_list(void)
{
	FILE *list = fopen("lib/api.list", "r");
	char line[1024];

	CHECK(list);
	while (fgets(line, sizeof(line), list)) {
		struct function *f = &functions[n_functions];
		char state[256], prototype[400];

		if (line[0] == '#' || sscanf(line, "%79[^\t]\t%*[^\t]\t%*[^\t]\t%255[^\t]\t%399[^\t]", f->name, state, prototype) != 3)
			continue;
		/* numbers of the FPU are passed elsewhere, and these two take and give nothing else */
		if (strcmp(state, "built") || strstr(f->name, "Float16"))
			continue;
		f->symbol = dlsym(RTLD_DEFAULT, f->name);
		CHECK(f->symbol);
		read_function(f, prototype);
		n_functions++;
	}
	fclose(list);
	CHECK_OP(n_functions, >, 300);
}

/* Calls ---------------------------------------------------------------------------------------------- */

static const char *calling;

static void say_where(int signal)
{
	static const char text[] = "# it ends in ";

	if (write(1, text, sizeof(text) - 1) < 0 || write(1, calling, strlen(calling)) < 0 || write(1, "\n", 1) < 0)
		_exit(1);
	_exit(128 + signal);
}

/* Functions look at the wrong argument only if their other arguments have these values */
static const struct {
	const char *function, *parameter;
	long value;
} wanted[] = {
	{ "aclrtReduceAsync", "count", 4 }, { "*", "timeout", 1 }, { "*", "numBlocks", 1 }, { "*", "reserve", 0 }, { "*", "rsv", 0 }, { "*", "maxLen", 64 },
	{ "*", "len", 64 }, { "*", "outputSize", 64 }, { "*", "shareType", 1 }, { "*", "length", 8 }, { "*", "count", 1 },
	{ "*", "numBatches", 1 }, { "*", "numAttrs", 1 }, { "*", "numPrefetchLocs", 1 },
	{ "aclrtReduceAsync", "kind", ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM }, { "aclrtMemcpyAsyncWithDesc", "kind", ACL_MEMCPY_INNER_DEVICE_TO_DEVICE },
	{ "aclrtMemcpyAsyncWithOffset", "kind", ACL_MEMCPY_INNER_DEVICE_TO_DEVICE },
	{ "aclrtMemcpy2dAsync", "kind", ACL_MEMCPY_HOST_TO_DEVICE },
};

/* For any kind of callback: what it returns is no error to any of them */
static long do_nothing(void)
{
	return 0;
}

static long plausible(const struct function *f, const struct parameter *p)
{
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if ((wanted[i].function[0] == '*' || !strcmp(wanted[i].function, f->name)) &&
		    !strcmp(wanted[i].parameter, p->name) && (!p->pointer || !wanted[i].value))
			return wanted[i].value;
	if (strstr(p->name, "hreadId"))
		return (long)pthread_self();
	if (p->handle)
		return (long)live[kind_of(p->type)];
	if (p->callback)
		return (long)do_nothing;
	if (p->pointer)
		return (long)memory;
	return !strcmp(p->type, "size_t") ? 8 : 0;
}

typedef long any(long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long);

/* Calls a function whose argument @place is @value and all others are plausible */
static long call(const struct function *f, int place, long value)
{
	long w[MOST_WORDS] = { 0 };
	any *fn;
	int n = 0;

	memset(memory, 0, 4096);
	for (int i = 0; i < f->n; i++) {
		const struct parameter *p = &f->p[i];

		if (!p->pointer && !strcmp(p->type, "dim3")) {
			w[n++] = 1L << 32 | 1;
			w[n++] = 1;
			continue;
		}
		w[n++] = i == place ? value : plausible(f, p);
	}
	memcpy(&fn, &f->symbol, sizeof(fn));
	calling = f->name;
	aclGetRecentErrMsg();
	return fn(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13], w[14], w[15], w[16], w[17],
		  w[18], w[19]);
}

/* Structures by value that are larger than two words, and what callbacks are given of an exception: there is nothing else of that type */
static bool untried(const struct function *f)
{
	for (int i = 0; i < f->n; i++)
		if (!strcmp(f->p[i].type, "aclrtExceptionInfo"))
			return true;
	return !strcmp(f->name, "aclrtIpcOpenEventHandle") || !strcmp(f->name, "aclmdlRIAddCondTask");
}

static void make_all(void)
{
	start();
	signal(SIGSEGV, say_where);
	signal(SIGABRT, say_where);
	memory = pinned_alloc(65536);
	read_list();
}

static bool in(const char *const *list, const char *name)
{
	while (*list && strcmp(*list, name))
		list++;
	return *list;
}

static int wrong;

static void complain(const struct function *f, const char *what, long ret, const char *message)
{
	tap_note("%s, %s: %d, %s", f->name, what, (aclError)ret, message ? message : "(no message)");
	wrong++;
}

/* Refused: with a code, and a sentence that names the function */
static void check_refused(const struct function *f, const char *what, long ret)
{
	const char *message = aclGetRecentErrMsg();

	if (!f->code)
		return;
	if ((aclError)ret == ACL_SUCCESS || !message || !strstr(message, f->name))
		complain(f, what, ret, message);
}

/* They make a context, end the process's use of the library, or free what they are given */
static const char *const left_out[] = {
	"aclInit", "aclFinalize", "aclFinalizeReference", "aclrtSetDevice", "aclrtCreateContext", "aclrtSetCurrentContext",
	"aclrtDestroyStreamConfigHandle", "aclDestroyDataBuffer", NULL
};

/* Handles -------------------------------------------------------------------------------------------- */

static void make_live(void)
{
	aclrtMemPoolProps props = { .location = { 0, ACL_MEM_LOCATION_TYPE_DEVICE } };
	aclrtContext context, first;



	ACL(aclrtGetCurrentContext(&first));
	ACL(aclrtCreateContext(&context, 0));
	ACL(aclrtSetCurrentContext(first));
	live[CONTEXT] = context;
	live[STREAM] = new_stream();
	ACL(aclrtCreateEventExWithFlag(&live[EVENT], ACL_EVENT_SYNC));
	ACL(aclrtCreateNotify(&live[NOTIFY], 0));
	ACL(aclrtCntNotifyCreate(&live[COUNTER], ACL_NOTIFY_DEFAULT));
	ACL(aclrtCreateLabel(&live[LABEL]));
	ACL(aclrtCreateLabelList(&live[LABEL], 1, &live[LABELS]));
	live[BINARY] = load(OPS);
	live[FUNCTION] = op("store");
	live[ALLOCATOR] = aclrtAllocatorCreateDesc();
	ACL(aclrtKernelArgsInit(live[FUNCTION], &live[ARGS]));
	ACL(aclrtMemPoolCreate(&live[POOL], &props));
	ACL(aclmdlRIBuildBegin(&live[MODEL], 0));

}

static void make_ended(void)
{
	ended[STREAM] = new_stream();
	ACL(aclrtDestroyStream(ended[STREAM]));
	ACL(aclrtCreateEventExWithFlag(&ended[EVENT], ACL_EVENT_SYNC));
	ACL(aclrtDestroyEvent(ended[EVENT]));
	ACL(aclrtCreateNotify(&ended[NOTIFY], 0));
	ACL(aclrtDestroyNotify(ended[NOTIFY]));
	ACL(aclrtCntNotifyCreate(&ended[COUNTER], ACL_NOTIFY_DEFAULT));
	ACL(aclrtCntNotifyDestroy(ended[COUNTER]));
	ACL(aclrtCreateLabel(&ended[LABEL]));
	ACL(aclrtDestroyLabel(ended[LABEL]));
	ended[BINARY] = load(OPS);
	ACL(aclrtBinaryUnLoad(ended[BINARY]));
}

/* Functions that look at another argument first, of which there is none that is right in all calls */
static const char *const elsewhere[] = {
	"aclrtActiveStream", "aclrtSwitchStream", "aclmdlRICaptureTaskUpdateBegin", "aclrtMemcpyToSymbolAsync",
	"aclrtMemcpyFromSymbolAsync", "aclrtEventElapsedTime", "aclrtRandomNumAsync", NULL
};

/* Functions that take any value for a handle */
static const char *const any_handle[] = {
	/* makes one, in memory that may have anything in it */
	"aclrtKernelArgsInitByUserMem",
	/* a stream that has ended has no allocator any more */
	"aclrtAllocatorUnregister",
	NULL
};

static int wrong_handles(const struct function *f, int place)
{
	const struct parameter *p = &f->p[place];
	int kind = kind_of(p->type), tried = 0;
	long values[] = { 0x1238, (long)plain, (long)memory, (long)ended[kind], (long)live[kind == STREAM ? EVENT : STREAM] };

	for (int v = 0; v < 5; v++) {
		char what[100];
		long ret;

		if (!values[v])
			continue;
		snprintf(what, sizeof(what), "%s %#lx", p->name, values[v]);
		ret = call(f, place, values[v]);
		tried++;
		if ((aclError)ret != ACL_ERROR_RT_INVALID_HANDLE && !in(elsewhere, f->name))
			complain(f, what, ret, aclGetRecentErrMsg());
		else
			check_refused(f, what, ret);
	}
	return tried;
}

/* Garbage, addresses of memory, a handle that has ended and one of another kind are 107017, whichever of the arguments it is */
static void handles(void)
{
	int tried = 0;

	make_all();
	make_live();
	make_ended();
	for (int i = 0; i < n_functions; i++) {
		const struct function *f = &functions[i];

		for (int place = 0; place < f->n && f->code && !untried(f) && !in(any_handle, f->name); place++)
			if (f->p[place].handle)
				tried += wrong_handles(f, place);
	}
	CHECK_EQ(wrong, 0);
	CHECK_OP(tried, >, 900);
}

/* Pointers ------------------------------------------------------------------------------------------ */

/* Whether rules.c makes sure of that one */
static bool is_early(const struct function *f, int place)
{
#define REFUSES_NULL(f, place, name) { #f, place },
	static const struct {
		const char *function;
		int place;
	} early[] = {
#include "nulls.h"
	};
#undef REFUSES_NULL
	size_t n = sizeof(early) / sizeof(early[0]);

	while (n && (early[n - 1].place != place || strcmp(early[n - 1].function, f->name)))
		n--;
	return n;
}

/* The code with which a pointer is refused that is looked at behind other arguments; ACL_SUCCESS if it need not be refused */
static aclError late_code(const struct function *f, int place)
{
#define REFUSES_NULL(f, name, code) { #f, name, code },
	static const struct {
		const char *function, *name;
		aclError code;
	} late[] = {
#include "latenulls.h"
	};

	for (size_t i = 0; i < sizeof(late) / sizeof(late[0]); i++)
		if (!strcmp(late[i].function, f->name) && !strcmp(late[i].name, f->p[place].name))
			return late[i].code;
	return ACL_SUCCESS;
}

static void check_null(const struct function *f, int place)
{
	aclError wanted_code = late_code(f, place);
	const char *message;
	char text[160];
	bool told;
	long ret;

	ret = call(f, place, 0);
	message = aclGetRecentErrMsg();
	snprintf(text, sizeof(text), "%.79s: %.63s is NULL", f->name, f->p[place].name);
	told = message && strstr(message, text);
	if (wanted_code ? !told || (f->code && (aclError)ret != wanted_code) : told && !is_early(f, place))
		complain(f, wanted_code ? f->p[place].name : "a pointer that no table has", ret, message);
	else if (f->code && (aclError)ret != ACL_SUCCESS && (!message || !strstr(message, f->name)))
		complain(f, f->p[place].name, ret, message);
}

/* Each pointer is NULL and all others are not: what is refused for that is in one of two tables, with its name and code */
static void null_pointers(void)
{
	int tried = 0;

	make_all();
	make_live();
	for (int i = 0; i < n_functions; i++) {
		const struct function *f = &functions[i];

		for (int place = 0; place < f->n && !untried(f) && !in(left_out, f->name); place++) {
			if (!f->p[place].pointer)
				continue;
			check_null(f, place);
			tried++;
		}
	}
	CHECK_EQ(wrong, 0);
	CHECK_OP(tried, >, 300);
}

/* Numbers ------------------------------------------------------------------------------------------- */

/* Functions that take any number: a policy that does not exist is no error, and there is no memory of kinds that do not exist */
static const char *const any_number[] = {
	"aclrtMalloc", "aclrtMallocAlign32", "aclrtMallocCached", "aclrtGetMemInfo", NULL
};

/* What is no enumerator is refused, as large and as negative as it may be */
static void numbers_that_are_no_enumerators(void)
{
	int tried = 0;

	make_all();
	make_live();
	for (int i = 0; i < n_functions; i++) {
		const struct function *f = &functions[i];

		for (int place = 0; place < f->n && f->code && !untried(f) && !in(any_number, f->name); place++) {
			const struct parameter *p = &f->p[place];

			if (p->handle || p->pointer || p->number || !strcmp(p->type, "dim3") || strstr(p->type, "Location"))
				continue;
			check_refused(f, p->name, call(f, place, 0x7ffffff0));
			check_refused(f, p->name, call(f, place, -1));
			tried++;
		}
	}
	CHECK_EQ(wrong, 0);
	CHECK_OP(tried, >, 50);
}

/* States --------------------------------------------------------------------------------------------- */

/* A list of arguments is the thread's, and keeps only bytes until something is launched with it; a description is of no device */
static const char *const survive[] = {
	"aclrtKernelArgsAppend", "aclrtKernelArgsAppendPlaceHolder", "aclrtAllocatorDestroyDesc", NULL
};

static bool has_handle(const struct function *f, const char *type)
{
	for (int i = 0; i < f->n; i++)
		if (f->p[i].handle && (!type || !strcmp(f->p[i].type, type)))
			return true;
	return false;
}

/* Who has no context has no stream either, not even by NULL; and no call makes one by itself */
static void without_a_context(void)
{
	int32_t id;

	signal(SIGSEGV, say_where);
	memory = host_alloc(65536);
	read_list();
	for (int i = 0; i < n_functions; i++) {
		const struct function *f = &functions[i];
		long ret;

		if (untried(f) || in(left_out, f->name))
			continue;
		ret = call(f, -1, 0);
		if (f->code && has_handle(f, "aclrtStream"))
			check_refused(f, "without a context", ret);
		if (aclrtGetDevice(&id) != ACL_ERROR_RT_CONTEXT_NULL)
			FAIL("%s has made a context", f->name);
	}
	CHECK_EQ(wrong, 0);
}

/* Behind aclFinalize() all handles are of the past, and nothing follows them */
static void behind_the_end(void)
{
	int32_t id;

	make_all();
	make_live();
	ACL(aclFinalize());
	memory = host_alloc(65536);
	for (int i = 0; i < n_functions; i++) {
		const struct function *f = &functions[i];
		long ret;

		if (untried(f) || in(left_out, f->name))
			continue;
		ret = call(f, -1, 0);
		if (f->code && has_handle(f, NULL) && !in(any_handle, f->name) && !in(survive, f->name))
			check_refused(f, "behind aclFinalize()", ret);
		if (aclrtGetDevice(&id) != ACL_ERROR_RT_CONTEXT_NULL)
			FAIL("%s has made a context", f->name);
	}
	CHECK_EQ(wrong, 0);
}

TAP_MAIN(TEST(handles), TEST(null_pointers), TEST(numbers_that_are_no_enumerators), TEST(without_a_context), TEST(behind_the_end))
