// SPDX-License-Identifier: MIT
/*
 * Rules for every test of libacl: after it, aclFinalize() leaves no block of the C library's memory that the library has asked
 * for, and no event descriptor or buffer of it. So a reference that nobody gives back, or a free() that is missing, fails
 * whichever test comes that way. Nothing is written behind such a block, what malloc() gives has no zeros, and what was freed
 * has no pointers; that is so for the libraries that stand on libacl as well.
 *
 * The program's malloc() stands before the C library's, for libacl too; it notes the blocks that are asked for from
 * the libraries' code. What the library keeps on purpose is told apart as it stands in a variable of the library (the table of
 * handles), in one of the thread (its messages, its list of arguments), or belongs to the program, which has to free it itself.
 *
 * Where a test leaves much, as all of the driver API's do, a block is lost if no variable leads to it any more.
 */
#define _GNU_SOURCE
#include "acltest.h"
#include "left.h"
#include "locks.h"

#ifdef __GLIBC__
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#define WEAK __attribute__((weak)) /* programs that count themselves have their own: scarce.h, keeps.h */
#define HEADS (1U << 14)
#define BEHIND 16 /* bytes behind each block of the library, which stay as they are */
#define FRESH 0xa5
#define FREED 0x5a
#define CANARY 0xc3

WEAK void *malloc(size_t size);
WEAK void *calloc(size_t n, size_t size);
WEAK void *realloc(void *p, size_t size);
WEAK void free(void *p);
WEAK char *strdup(const char *s);

/* The next definitions of these in the process: the C library's, or a sanitizer's */
static struct {
	void *(*malloc)(size_t size);
	void *(*calloc)(size_t n, size_t size);
	void *(*realloc)(void *p, size_t size);
	void (*free)(void *p);
} next;

static struct block {
	struct block *next;
	void *p, *by; /* @by: what has called malloc() or kin */
	size_t size;
	bool learnt;
} *heads[HEADS];
static atomic_int busy; /* the process of the thread that has the lock */
static atomic_bool counts, ours;
static __thread bool learns, sorts;

static const char *const names[] = { "/libascendcl.so", "/libcuda.so", "/libhccl.so" };
#define LIBRARIES (sizeof(names) / sizeof(names[0]))
#define LIBCUDA 1
#define LIBHCCL 2

/* Code and variables of the libraries, those of this thread, too */
static struct range {
	uintptr_t begin, size;
} code[LIBRARIES], data[LIBRARIES], of_thread[LIBRARIES];

static bool within_code(const void *p)
{
	for (size_t i = 0; i < LIBRARIES; i++)
		if ((uintptr_t)p - code[i].begin < code[i].size)
			return true;
	return false;
}

bool is_of_libhccl(const void *p)
{
	return (uintptr_t)p - code[LIBHCCL].begin < code[LIBHCCL].size;
}

bool is_of_libcuda(const void *p)
{
	return (uintptr_t)p - code[LIBCUDA].begin < code[LIBCUDA].size;
}

static struct range range_of(const struct dl_phdr_info *object, const ElfW(Phdr) *part)
{
	return (struct range){ object->dlpi_addr + part->p_vaddr, part->p_memsz };
}

static int look_at_object(struct dl_phdr_info *object, size_t size, void *arg)
{
	size_t n = 0;

	(void)size;
	(void)arg;
	while (n < LIBRARIES && !strstr(object->dlpi_name, names[n]))
		n++;
	for (int i = 0; n < LIBRARIES && i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];

		if (part->p_type == PT_LOAD && part->p_flags & PF_X)
			code[n] = range_of(object, part);
		else if (part->p_type == PT_LOAD && part->p_flags & PF_W)
			data[n] = range_of(object, part);
		else if (part->p_type == PT_TLS)
			of_thread[n] = (struct range){ (uintptr_t)object->dlpi_tls_data, part->p_memsz };
	}
	return 0;
}

static void __attribute__((constructor)) begin(void)
{
	const char *engine = getenv("ANPU_DEVICE"), *check = getenv("ANPU_CHECK"), *variant = getenv("ANPU_VARIANT");

	/* in the VM it would cost time and find the same; the checking mode keeps more, and sanitizers look themselves */
	if (!engine || strcmp(engine, "direct") || (check && !strcmp(check, "1")) || variant)
		return;
	dl_iterate_phdr(look_at_object, NULL);
	atomic_store(&counts, code[0].size);
}

static void find_next(void)
{
	next.free = (void (*)(void *))dlsym(RTLD_NEXT, "free");
	next.realloc = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
	next.calloc = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
	next.malloc = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
}

/* A child of fork() takes it from a thread that it does not have. */
static void lock(void)
{
	int me = getpid(), owner = 0;

	while (!atomic_compare_exchange_weak(&busy, &owner, me)) {
		if (owner == me)
			sched_yield();
		owner = owner == me ? 0 : owner;
	}
}

static void unlock(void)
{
	atomic_store(&busy, 0);
}

static struct block **head_of(const void *p)
{
	return &heads[((uintptr_t)p >> 4) * 0x9e3779b97f4a7c15ULL >> 50];
}

static bool is_librarys(const void *by)
{
	return ours && atomic_load(&counts) && within_code(by);
}

static bool is_refused(const void *by)
{
	return refuse_block && refuse_block(by);
}

static void note(void *p, size_t size, void *by)
{
	struct block *b = next.malloc(sizeof(*b));

	if (!b)
		abort();
	memset((char *)p + size, CANARY, BEHIND);
	lock();
	*b = (struct block){ .next = *head_of(p), .p = p, .by = by, .size = size, .learnt = learns };
	*head_of(p) = b;
	unlock();
}

/* Takes a block out of the table: its size, or 0 */
static size_t forget(void *p)
{
	struct block **at, *b = NULL;
	size_t size = 0;

	/* qsort() frees what is nobody's here, and the lock is this thread's then */
	if (!p || sorts || !atomic_load(&counts))
		return 0;
	lock();
	for (at = head_of(p); *at; at = &(*at)->next)
		if ((*at)->p == p) {
			b = *at;
			*at = b->next;
			break;
		}
	unlock();
	for (int i = 0; b && i < BEHIND; i++)
		if (((uint8_t *)p)[b->size + i] != CANARY) {
			static const char text[] = "# something was written behind a block of the library's memory\n";

			(void)!write(STDOUT_FILENO, text, sizeof(text) - 1);
			abort();
		}
	if (b)
		size = b->size;
	next.free(b);
	return size;
}

/* Sizes that cannot be are the C library's to refuse. */
static size_t with_behind(size_t size)
{
	return size < SIZE_MAX - BEHIND ? size + BEHIND : size;
}

void *malloc(size_t size)
{
	void *by = __builtin_return_address(0), *p;

	if (!next.malloc)
		find_next();
	ours = true;
	if (!is_librarys(by))
		return next.malloc(size);
	p = is_refused(by) ? NULL : next.malloc(with_behind(size));
	if (p) {
		memset(p, FRESH, size);
		note(p, size, by);
	}
	return p;
}

void *calloc(size_t n, size_t size)
{
	void *by = __builtin_return_address(0), *p;
	size_t all;

	if (!next.malloc)
		find_next();
	if (!is_librarys(by) || __builtin_mul_overflow(n, size, &all))
		return next.calloc(n, size);
	p = is_refused(by) ? NULL : next.calloc(1, with_behind(all));
	if (p)
		note(p, all, by);
	return p;
}

void *realloc(void *p, size_t size)
{
	void *by = __builtin_return_address(0), *new;
	size_t had;

	if (!next.malloc)
		find_next();
	if (!is_librarys(by))
		return next.realloc(p, size);
	if (is_refused(by))
		return NULL;
	had = forget(p);
	new = next.realloc(p, with_behind(size));
	if (!new) {
		note(p, had, by);
		return NULL;
	}
	if (size > had)
		memset((char *)new + had, FRESH, size - had);
	note(new, size, by);
	return new;
}

void free(void *p)
{
	size_t size;

	if (!next.malloc)
		find_next();
	size = forget(p);
	if (size)
		memset(p, FREED, size);
	next.free(p);
}

char *strdup(const char *s)
{
	void *by = __builtin_return_address(0);
	size_t size = strlen(s) + 1;
	char *p;

	if (!is_librarys(by)) {
		p = malloc(size);
	} else {
		p = next.malloc(with_behind(size));
		if (p)
			note(p, size, by);
	}
	return p ? memcpy(p, s, size) : NULL;
}

static bool points_at(const struct range *r, const void *p)
{
	for (uintptr_t at = (r->begin + 7) & ~7UL; at + 8 <= r->begin + r->size; at += 8)
		if (*(void **)at == p)
			return true;
	return false;
}

/* Callers of malloc() for what a program has to give back itself, which may be left */
static const void *of_program[32];
static int of_program_count;

static bool is_left(const struct block *b)
{
	for (int i = 0; i < of_program_count; i++)
		if (of_program[i] == b->by)
			return false;
	for (size_t i = 0; i < LIBRARIES; i++)
		if (points_at(&data[i], b->p) || points_at(&of_thread[i], b->p))
			return false;
	return true;
}

/* A block that is left, in @left */
static bool some_left(struct block *left)
{
	bool found = false;

	lock();
	for (unsigned int i = 0; i < HEADS && !found; i++)
		for (const struct block *b = heads[i]; b && !found; b = b->next)
			if (is_left(b)) {
				*left = *b;
				found = true;
			}
	unlock();
	return found;
}

/* Blocks that are reached from variables of the libraries and of the program, where nothing gives back everything */
static struct reached {
	struct block b;
	bool marked;
} *all, **queue;
static size_t all_count, queued;
static struct range of_program_data;

static int by_address(const void *a, const void *b)
{
	const struct reached *x = a, *y = b;

	return x->b.p < y->b.p ? -1 : x->b.p > y->b.p;
}

/* The block that has the byte at @at, or NULL */
static struct reached *block_of(uintptr_t at)
{
	size_t low = 0, high = all_count, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if ((uintptr_t)all[middle].b.p <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low && at - (uintptr_t)all[low - 1].b.p < all[low - 1].b.size ? &all[low - 1] : NULL;
}

static void mark_from(uintptr_t begin, size_t size)
{
	for (uintptr_t at = (begin + 7) & ~7UL; at + 8 <= begin + size; at += 8) {
		struct reached *r = block_of(*(uintptr_t *)at);

		if (r && !r->marked)
			queue[queued++] = r;
		if (r)
			r->marked = true;
	}
}

static void list_all(void)
{
	size_t room = 1;

	for (unsigned int i = 0; i < HEADS; i++)
		for (const struct block *b = heads[i]; b; b = b->next)
			room++;
	all = next.realloc(all, room * sizeof(*all));
	queue = next.realloc(queue, room * sizeof(*queue));
	if (!all || !queue)
		abort();
	all_count = 0;
	queued = 0;
	for (unsigned int i = 0; i < HEADS; i++)
		for (const struct block *b = heads[i]; b; b = b->next)
			all[all_count++] = (struct reached){ .b = *b };
	sorts = true;
	qsort(all, all_count, sizeof(*all), by_address);
	sorts = false;
}

static int look_at_program(struct dl_phdr_info *object, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	for (int i = 0; i < object->dlpi_phnum; i++)
		if (object->dlpi_phdr[i].p_type == PT_LOAD && object->dlpi_phdr[i].p_flags & PF_W)
			of_program_data = range_of(object, &object->dlpi_phdr[i]);
	return 1; /* the first is the program */
}

/* Has a thread such blocks in variables of its own? Those of other threads are not seen */
static bool is_threads(const void *by, size_t threads)
{
	for (size_t i = 0; i < threads; i++)
		if (queue[i]->b.by == by)
			return true;
	return false;
}

/* In a program of the driver API: a block that nobody can give back any more, in @left */
static bool some_lost(struct block *left)
{
	bool found = false;
	size_t threads;

	dl_iterate_phdr(look_at_program, NULL);
	lock();
	list_all();
	for (size_t i = 0; i < LIBRARIES; i++)
		mark_from(of_thread[i].begin, of_thread[i].size);
	threads = queued;
	mark_from(of_program_data.begin, of_program_data.size);
	for (size_t i = 0; i < LIBRARIES; i++)
		mark_from(data[i].begin, data[i].size);
	for (size_t i = 0; i < queued; i++)
		mark_from((uintptr_t)queue[i]->b.p, queue[i]->b.size);
	for (size_t i = 0; i < all_count && !found; i++) {
		found = code[LIBCUDA].size && !all[i].marked && !is_threads(all[i].b.by, threads);
		*left = all[i].b;
	}
	unlock();
	return found;
}

static void on_exception(aclrtExceptionInfo *info)
{
	(void)info;
}

static aclError on_init(const char *text, size_t size, void *arg)
{
	(void)text;
	(void)size;
	(void)arg;
	return ACL_SUCCESS;
}

static void on_device(int32_t id, aclrtDeviceState state, void *arg)
{
	(void)id;
	(void)state;
	(void)arg;
}

static int32_t on_abort(int32_t id, aclrtDeviceTaskAbortStage stage, uint32_t timeout, void *arg)
{
	(void)id;
	(void)stage;
	(void)timeout;
	(void)arg;
	return 0;
}

static void make_what_programs_own(void)
{
	static char image[8];
	void *p;

	aclrtSetDevice(0);
	aclrtMallocHost(&p, 1);
	aclrtMemAllocManaged(&p, 1, ACL_RT_MEM_ATTACH_GLOBAL);
	aclrtResetDevice(0);
	aclrtExceptionInfoCallbackRegister(on_exception);
	aclInitCallbackRegister(ACL_REG_TYPE_OTHER, on_init, NULL);
	aclrtRegDeviceStateCallback("left", on_device, NULL);
	aclrtSetDeviceTaskAbortCallback("left", on_abort, NULL);
	aclrtAllocatorCreateDesc();
	aclrtCreateStreamConfigHandle();
	aclrtCreateBinary(image, sizeof(image));
	aclCreateDataBuffer(image, sizeof(image));
}

/* Learns where the library asks for what programs own: these blocks are still there afterwards. */
static void learn(void)
{
	learns = true;
	make_what_programs_own();
	learns = false;
	lock();
	for (unsigned int i = 0; i < HEADS; i++)
		for (const struct block *b = heads[i]; b; b = b->next)
			if (b->learnt && of_program_count < 32)
				of_program[of_program_count++] = b->by;
	unlock();
}

static const char *descriptor_left(void)
{
	static char to[256];
	char path[40];

	for (int fd = 3; fd < 1024; fd++) {
		ssize_t n;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		n = readlink(path, to, sizeof(to) - 1);
		to[n > 0 ? n : 0] = 0;
		if (strstr(to, "[eventfd]") || strstr(to, "dmabuf"))
			return to;
	}
	return NULL;
}

static void fail_left(const char *when, const struct block *left)
{
	Dl_info info;

	dladdr(left->by, &info);
	FAIL("the library keeps %zu bytes %s, asked for at %s+%#lx", left->size, when, info.dli_fname,
	     (unsigned long)((char *)left->by - (char *)info.dli_fbase));
}

void tap_after(void)
{
	struct block left;

	if (locks_held())
		FAIL("the test has ended with %d locks held", locks_held());
	if (!atomic_load(&counts) || !ours)
		return;
	if (test_leaves) {
		UNTIL(!some_lost(&left));
		if (some_lost(&left))
			fail_left("that nothing points at", &left);
		return;
	}
	/* some tests use devices without aclInit() */
	if (aclFinalize() != ACL_SUCCESS) {
		aclInit(NULL);
		aclFinalize();
	}
	learn();
	/* a thread of the library may be about to free something */
	UNTIL(!some_left(&left));
	if (some_left(&left))
		fail_left("after aclFinalize()", &left);
	UNTIL(!descriptor_left());
	if (descriptor_left())
		FAIL("after aclFinalize() there is a descriptor of %s", descriptor_left());
}
#endif
