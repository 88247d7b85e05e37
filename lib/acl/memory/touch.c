// SPDX-License-Identifier: MIT
/*
 * The checking mode's look at what the program itself does with memory that copies use meanwhile. The pages
 * of pinned memory from which a copy reads cannot be written by the program until it knows that the copy is
 * done, and those into which it writes cannot be touched; the device has mappings of its own. An access is
 * told with its line, and goes on. A page that has other bytes of the allocation, too, stays open, because a
 * system call that the program makes with those would fail. The handler also tells accesses of the program to
 * device memory, and of the library to memory that the program has passed and not got: these end the program
 * as always.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unwind.h>

#include <anpu/anpu_isa.h>

#include "memory/memory.h"

#define COPIES 256
#define PAGE   4096ull

/* A copy that uses pinned memory of the host; stream 0: none. The allocation has @end - @base bytes */
struct copy {
	int32_t stream;
	uint64_t seq;
	uint64_t va, size;
	uint64_t base, end;
	uint64_t source; /* of a copy to the host, in device memory; else 0 */
	struct anpu_site site;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* nests inside of all others */
static struct copy copies[COPIES];
static struct sigaction before;

static uint64_t first_page(const struct copy *c)
{
	return c->va & ~(PAGE - 1);
}

static uint64_t end_page(const struct copy *c)
{
	return align_up(c->va + c->size, PAGE);
}

/* Lock held: do copies use all bytes from @at to @end, with @writers only those that write there */
static bool covered(uint64_t at, uint64_t end, bool writers)
{
	bool more = true;

	while (at < end && more) {
		more = false;
		for (unsigned int i = 0; i < COPIES; i++) {
			const struct copy *c = &copies[i];

			if (!c->stream || (writers && !c->source) || at - c->va >= c->size)
				continue;
			at = c->va + c->size;
			more = true;
		}
	}
	return at >= end;
}

/* A failure leaves pages open: then nothing is told of them */
static void close_pages(uint64_t from, uint64_t to, int rights)
{
	if (from < to)
		(void)mprotect((void *)(uintptr_t)from, to - from, rights);
}

/* Lock held: a page of which a copy has a part is closed as far as copies have all of it that is the allocation's */
static void protect_edge(const struct copy *c, uint64_t page)
{
	uint64_t from = max_u64(page, c->base), to = min_u64(page + PAGE, c->end);

	if (covered(from, to, true))
		close_pages(page, page + PAGE, PROT_NONE);
	else if (covered(from, to, false))
		close_pages(page, page + PAGE, PROT_READ);
}

static void protect(const struct copy *c)
{
	uint64_t first = align_up(c->va, PAGE), last = (c->va + c->size) & ~(PAGE - 1);

	close_pages(first, last, c->source ? PROT_NONE : PROT_READ);
	if (first_page(c) < first)
		protect_edge(c, first_page(c));
	if (last < end_page(c) && last >= first)
		protect_edge(c, last);
}

/* Opens the pages of copies that are over, and closes those that others need. Lock held */
static void open_pages(const struct copy *over)
{
	unsigned int round, i;

	(void)mprotect((void *)(uintptr_t)first_page(over), end_page(over) - first_page(over), PROT_READ | PROT_WRITE);
	for (round = 0; round < 2; round++) /* those that cannot be touched at last, as they are the stricter ones */
		for (i = 0; i < COPIES; i++)
			if (copies[i].stream && !copies[i].source == !round && first_page(&copies[i]) < end_page(over) &&
			    first_page(over) < end_page(&copies[i]))
				protect(&copies[i]);
}

/* Where the program is that a signal has interrupted: frames from there on, without those of the C library */
struct where {
	const void *fault;
	bool reached;
	bool library, engine; /* whose the first of them is, if it is not the program's */
	unsigned int n;
	struct anpu_site *site;
};

static bool named(const Dl_info *info, const char *name)
{
	const char *slash = strrchr(info->dli_fname, '/');

	return !strncmp(slash ? slash + 1 : info->dli_fname, name, strlen(name));
}

static _Unwind_Reason_Code one_frame(struct _Unwind_Context *context, void *arg)
{
	struct where *w = arg;
	int exact = 0;
	const char *pc = (const char *)_Unwind_GetIPInfo(context, &exact);
	Dl_info info;

	w->reached |= pc == w->fault;
	if (!w->reached)
		return _URC_NO_REASON;
	if (!pc || w->n == ANPU_SITE_DEPTH)
		return _URC_END_OF_STACK;
	if (!dladdr(pc, &info) || !info.dli_fname)
		memset(&info, 0, sizeof(info));
	if (!w->n && info.dli_fname && (named(&info, "libc.so") || named(&info, "ld-")))
		return _URC_NO_REASON;
	if (!w->n && info.dli_fname) {
		w->library = named(&info, "libascendcl") || named(&info, "libcuda.so") || named(&info, "libhccl.so");
		w->engine = named(&info, "libanpu-direct");
	}
	w->site->pc[w->n++] = pc + exact; /* places are asked for by return addresses */
	return _URC_NO_REASON;
}

static struct where whose(const ucontext_t *context, struct anpu_site *site)
{
	struct where w = { .site = site };

	memset(site, 0, sizeof(*site));
#if defined(__x86_64__)
	w.fault = (const void *)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	w.fault = (const void *)context->uc_mcontext.pc;
#endif
	(void)_Unwind_Backtrace(one_frame, &w);
	if (w.n && w.n < ANPU_SITE_DEPTH)
		site->pc[w.n] = NULL;
	return w;
}

/* Is it the program that has done it, and where */
static bool by_program(const ucontext_t *context, struct anpu_site *site, char *text, size_t size)
{
	struct where w = whose(context, site);

	if (w.library || w.engine || !w.n)
		return false;
	/* of a program that is no machine code it also takes the callers: the innermost place may be a library's */
	if (anpu_site_now(site))
		anpu_site_places(site, text, size);
	else
		anpu_front_place(site->pc[0], text, size);
	return true;
}

static bool is_write(const ucontext_t *context)
{
#if defined(__x86_64__)
	return context->uc_mcontext.gregs[REG_ERR] & 2;
#else
	(void)context;
	return false;
#endif
}

/* An access to a page that is closed: opens it, and tells of it if the byte is the copy's */
static bool touched(uint64_t addr, const ucontext_t *context)
{
	struct copy found = { .stream = 0 }, page = { .va = addr & ~(PAGE - 1), .size = PAGE };
	char text[640], submitted[1000];
	struct anpu_site site;
	bool ours = false;
	unsigned int i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < COPIES; i++) {
		if (!copies[i].stream || addr < first_page(&copies[i]) || addr >= end_page(&copies[i]))
			continue;
		ours = true;
		if (addr - copies[i].va < copies[i].size && (!found.stream || copies[i].source))
			found = copies[i];
	}
	if (ours)
		(void)mprotect((void *)(uintptr_t)page.va, PAGE, PROT_READ | PROT_WRITE);
	pthread_mutex_unlock(&lock);
	/* a function in a stream comes before the copies behind it, and nobody knows which those are */
	if (!ours || !found.stream || acl_in_host_callback() || !by_program(context, &site, text, sizeof(text)))
		return ours;
	anpu_site_text(&found.site, submitted, sizeof(submitted));
	anpu_finding("race", &site,
		     "%s %s pinned memory at %#llx, byte %llu of those that a copy of stream %d %s, which is not known to be "
		     "done: synchronise the stream before. That was submitted by %s", text,
		     found.source && !is_write(context) ? "reads" : "writes", (unsigned long long)addr,
		     (unsigned long long)(addr - found.va), found.stream, found.source ? "writes" : "reads", submitted);
	return true;
}

/* The copy that anpu_cpu_copy() makes in this thread */
static __thread struct {
	uint64_t dst, src, count;
} copying;

void anpu_touch_cpu_copy(const void *dst, const void *src, uint64_t count)
{
	copying.dst = (uintptr_t)dst;
	copying.src = (uintptr_t)src;
	copying.count = count;
}

/* Bytes from @at on until the first page that the process has not mapped, @count if there is none */
static uint64_t mapped(uint64_t at, uint64_t count)
{
	unsigned char in_core;
	uint64_t page;

	for (page = at & ~(PAGE - 1); page < at + count; page += PAGE)
		if (mincore((void *)(uintptr_t)page, PAGE, &in_core))
			return page > at ? page - at : 0;
	return count;
}

/* Which pointer of a copy the address belongs to, and what is wrong with the bytes there */
static void which_pointer(uint64_t addr, char *text, size_t size)
{
	const char *name = addr - copying.dst < copying.count ? "dst" : "src";
	uint64_t base = *name == 'd' ? copying.dst : copying.src, there;

	snprintf(text, size, ": check the pointer");
	if (addr - base >= copying.count)
		return;
	there = mapped(base, copying.count);
	if (!there)
		snprintf(text, size, ", byte %llu of %s, which is %#llx and no address of the program: check the pointer",
			 (unsigned long long)(addr - base), name, (unsigned long long)base);
	else if (there < copying.count)
		snprintf(text, size, ", byte %llu of %s, which is %#llx: the program has %llu bytes there, and the copy wants %llu or more: check "
			 "its count, and whether the memory was freed", (unsigned long long)(addr - base), name, (unsigned long long)base,
			 (unsigned long long)there, (unsigned long long)copying.count);
	else
		snprintf(text, size, ", byte %llu of %s, which is %#llx: check how that memory was mapped, and whether it is constant",
			 (unsigned long long)(addr - base), name, (unsigned long long)base);
}

/* Returns the function that made it, or "" */
static const char *what_is(uint64_t addr, char *text, size_t size)
{
	char made[1000], bytes[16];
	struct anpu_mem mem;
	const char *api;

	snprintf(text, size, "device memory that is not allocated");
	if (!anpu_mem_at((void *)(uintptr_t)addr, &mem))
		return "";
	api = mem.region->site.api;
	anpu_site_text(&mem.region->site, made, sizeof(made));
	snprintf(text, size, "byte %llu of the %s of device memory at %#llx, made by %s", (unsigned long long)(addr - mem.base),
		 acl_bytes(mem.size, bytes), (unsigned long long)mem.base, made);
	anpu_mem_done(&mem);
	return api ? api : "";
}

/* An access that ends the program, unless that has a handler of its own */
static void tell_wrong(uint64_t addr, const ucontext_t *context)
{
	char text[640] = "", what[1200], copy[32] = "aclrtMemcpy", pointer[300];
	struct anpu_site site;
	bool program = by_program(context, &site, text, sizeof(text));

	if (whose(context, &site).engine) /* it has a way out, and a task fails */
		return;
	if (anpu_in_device_range((void *)(uintptr_t)addr)) {
		/* in the words of who made it, as the program is in no call */
		anpu_reword(what_is(addr, what, sizeof(what)), copy, sizeof(copy));
		anpu_finding("host-access", &site, "%s %s %#llx, %s: only the device reaches its memory, copy it with %s()",
			     program ? text : "a call", is_write(context) ? "writes" : "reads", (unsigned long long)addr, what,
			     copy);
	} else if (program && anpu_ended_brief(addr, what, sizeof(what))) {
		anpu_finding("host-access", &site, "%s %s %#llx, in the %s", text, is_write(context) ? "writes" : "reads",
			     (unsigned long long)addr, what);
	} else if (!program) {
		anpu_site_here(&site);
		which_pointer(addr, pointer, sizeof(pointer));
		anpu_finding("host-pointer", &site,
			     "this call %s memory of the host at %#llx, which the program has not got, or may not %s%s",
			     is_write(context) ? "writes" : "reads", (unsigned long long)addr,
			     is_write(context) ? "write" : "read", pointer);
	}
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	static __thread bool inside;
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	uint64_t addr = (uintptr_t)info->si_addr;

	if (info->si_code > 0 && !inside) {
		inside = true;
		if (touched(addr, context)) {
			inside = false;
			return;
		}
		tell_wrong(addr, context);
		inside = false;
	}
	if (before.sa_flags & SA_SIGINFO) {
		before.sa_sigaction(sig, info, context);
	} else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
		before.sa_handler(sig);
	} else {
		sigaction(sig, &dfl, NULL); /* the access is repeated, and ends the process */
		if (info->si_code <= 0)
			raise(sig);
	}
}

/* Programs and the engine may have put handlers of their own in front since the last time; lock held */
static bool install(void)
{
	struct sigaction sa = { .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK }, now;

	sa.sa_sigaction = on_fault;
	sigemptyset(&sa.sa_mask);
	if (sigaction(SIGSEGV, NULL, &now))
		return false;
	if (now.sa_flags & SA_SIGINFO && now.sa_sigaction == on_fault)
		return true;
	before = now;
	return !sigaction(SIGSEGV, &sa, NULL);
}

void anpu_touch_start(void)
{
	if (!anpu_checking())
		return;
	pthread_mutex_lock(&lock);
	(void)install();
	pthread_mutex_unlock(&lock);
}

void anpu_touch_copy(int32_t stream, uint64_t seq, uint64_t va, uint64_t size, uint64_t source)
{
	struct copy c = { .stream = stream, .seq = seq, .va = va, .size = size, .source = source };
	unsigned int i;

	if (!size || !anpu_mallocd_host((void *)(uintptr_t)va, &c.base, &c.end))
		return;
	anpu_site_here(&c.site);
	pthread_mutex_lock(&lock);
	for (i = 0; i < COPIES && copies[i].stream; i++)
		;
	if (i < COPIES && install()) {
		copies[i] = c;
		protect(&c);
		open_pages(&(struct copy){ .va = va, .size = 0 });
	}
	pthread_mutex_unlock(&lock);
}

/* Tells of bytes that a copy has brought to the host and that no task had written */
static void look_at_result(const struct copy *c)
{
	const char *data = (const char *)(uintptr_t)c->va;
	char made[1000] = "memory that was freed since";
	uint64_t i, bytes = 0, first = 0;
	struct anpu_mem mem;
	uint32_t pair[2];

	for (i = -c->source % 4; i + 8 <= c->size; i += 4) {
		memcpy(pair, data + i, sizeof(pair));
		if (pair[0] != ANPU_UNWRITTEN || pair[1] != ANPU_UNWRITTEN)
			continue;
		if (!bytes)
			first = i;
		bytes = i + 8 - first;
	}
	if (!bytes)
		return;
	if (anpu_mem_at((void *)(uintptr_t)c->source, &mem)) {
		anpu_site_text(&mem.region->site, made, sizeof(made));
		anpu_mem_done(&mem);
	}
	anpu_finding("uninitialised", &c->site,
		     "a copy of stream %d has brought %llu bytes to the host that nothing had written, the first from %#llx, made "
		     "by %s; it was submitted by", c->stream, (unsigned long long)bytes,
		     (unsigned long long)(c->source + first), made);
}

/* The copies of a stream up to @seq, or all that use a range if @size is not 0, are over */
static void end(int32_t stream, uint64_t seq, uint64_t va, uint64_t size)
{
	struct copy over;
	unsigned int i;

	for (i = 0; i < COPIES; i++) {
		pthread_mutex_lock(&lock);
		over = copies[i];
		if (!over.stream || (size ? over.va >= va + size || va >= over.va + over.size
					  : over.stream != stream || over.seq > seq)) {
			pthread_mutex_unlock(&lock);
			continue;
		}
		copies[i].stream = 0;
		open_pages(&over);
		pthread_mutex_unlock(&lock);
		if (!size && over.source)
			look_at_result(&over);
	}
}

void anpu_touch_done(int32_t stream, uint64_t seq)
{
	end(stream, seq, 0, 0);
}

void anpu_touch_freed(uint64_t va, uint64_t size)
{
	end(0, 0, va, size);
}
