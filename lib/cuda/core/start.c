// SPDX-License-Identifier: MIT
/* Start and end of the library, and the way into it. */
#include <string.h>
#include <unistd.h>

#include "cuda/core/core.h"
#include "cuda/memory/memory.h"

enum { NOT_STARTED, STARTED, ENDED };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int state;
static pid_t process; /* that of cuInit(): children of fork() have nothing to give back */
static __thread const char *running;
/* A call works in the context of its stream, and leaves the thread the one that it had */
static __thread uint64_t switched_from;
static __thread bool switched;

const char *cu_begin(const char *name, const void *caller)
{
	const char *before = running;

	/* a function that another one of this API is made of: the program has called that */
	if (before)
		return before;
	running = name;
	anpu_front_name(name);
	anpu_front_site(name, caller);
	return NULL;
}

const char *cu_pause(void)
{
	const char *name = running;

	running = NULL;
	return name;
}

void cu_resume(const char *name)
{
	running = name;
	anpu_front_name(name);
}

const char *cu_running(void)
{
	return running ? running : "libcuda";
}

void cu_use_context(uint64_t context)
{
	uint64_t now = anpu_front_context();

	if (now == context)
		return;
	if (!switched) {
		switched = true;
		switched_from = now;
	}
	anpu_front_set_context(context);
}

void cu_leave(const char **before)
{
	if (*before)
		return;
	running = NULL;
	if (switched) {
		anpu_front_set_context(switched_from);
		switched = false;
	}
	anpu_front_name(NULL);
	anpu_front_site(NULL, NULL);
}

CUresult cu_ready(void)
{
	int now = atomic_load_explicit(&state, memory_order_acquire);

	if (now == STARTED)
		return CUDA_SUCCESS;
	if (now == ENDED)
		return CUDA_ERROR_DEINITIALIZED;
	return cu_fail(CUDA_ERROR_NOT_INITIALIZED, "cuInit() was not called, or has failed: call it first");
}

/* The first sentence may be about a call before cuInit() */
__attribute__((constructor)) static void begin(void)
{
	anpu_front_words("cu", cu_word, cu_number);
}

/* Destructors of the program that run behind this one's are told that nothing works any more */
__attribute__((destructor)) static void end(void)
{
	if (atomic_load(&state) == STARTED && process == getpid()) {
		cu_mem_left();
		anpu_front_left("cu");
	}
	atomic_store(&state, ENDED);
}

CUresult cuInit(unsigned int Flags)
{
	CUresult ret = CUDA_SUCCESS;
	uint32_t count = 0;
	aclError err;

	CU_BEGIN();
	if (Flags)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "Flags is %#x and must be 0", Flags);
	pthread_mutex_lock(&lock);
	if (atomic_load(&state) == ENDED)
		ret = CUDA_ERROR_DEINITIALIZED;
	if (!ret && atomic_load(&state) == NOT_STARTED) {
		err = aclInit(NULL);
		/* the program may use libacl as well */
		if (err && err != ACL_ERROR_REPEAT_INITIALIZE)
			ret = cu_code(err);
		if (!ret)
			ret = cu_code(aclrtGetDeviceCount(&count));
		anpu_front_memory_ended(cu_mem_ended);
		process = getpid();
		if (!ret)
			atomic_store_explicit(&state, STARTED, memory_order_release);
	}
	pthread_mutex_unlock(&lock);
	return ret;
}

CUresult cuDriverGetVersion(int *driverVersion)
{
	CU_BEGIN();
	CU_CHECK_PTR(driverVersion);
	*driverVersion = CUDA_VERSION;
	return CUDA_SUCCESS;
}

/* The newest form of a function that a program of the version may know; its first one if there was none yet */
static const struct cu_proc *find_proc(const char *symbol, int version)
{
	const struct cu_proc *found = NULL;
	unsigned int i;

	for (i = 0; i < cu_proc_count; i++)
		if (!strcmp(cu_procs[i].name, symbol) && (!found || cu_procs[i].since <= version))
			found = &cu_procs[i];
	return found;
}

CUresult cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
			  CUdriverProcAddressQueryResult *symbolStatus)
{
	const struct cu_proc *p;
	void (*fn)(void);
	bool known, mine;

	CU_BEGIN();
	CU_CHECK_PTR(symbol);
	CU_CHECK_PTR(pfn);
	if (flags > CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "flags is %#llx and must be 0, 1 or 2",
			       (unsigned long long)flags);
	*pfn = NULL;
	p = find_proc(symbol, cudaVersion);
	known = p && p->since <= cudaVersion && cudaVersion <= CUDA_VERSION;
	if (symbolStatus)
		*symbolStatus = !p     ? CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND
				: known ? CU_GET_PROC_ADDRESS_SUCCESS
					: CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
	if (!p)
		return cu_fail(CUDA_ERROR_NOT_FOUND, "this library has no function '%s'", symbol);
	if (!known && cudaVersion > CUDA_VERSION)
		return cu_fail(CUDA_ERROR_NOT_FOUND, "version %d is asked for and this library follows %d",
			       cudaVersion, CUDA_VERSION);
	if (!known)
		return cu_fail(CUDA_ERROR_NOT_FOUND, "'%s' exists since version %d, and cudaVersion is %d", symbol, p->since,
			       cudaVersion);
	/* programs that mean the thread's stream by 0 come by the variant of this function */
	mine = flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM ||
	       (flags == CU_GET_PROC_ADDRESS_DEFAULT && cu_default_is_thread());
	fn = mine && p->variant ? p->variant : p->symbol;
	memcpy(pfn, &fn, sizeof(fn));
	return CUDA_SUCCESS;
}

CUresult cuProfilerStart(void)
{
	CU_ENTER();
	return CUDA_SUCCESS;
}

CUresult cuProfilerStop(void)
{
	CU_ENTER();
	return CUDA_SUCCESS;
}
