// SPDX-License-Identifier: MIT
/*
 * Memory of the host that goes away while the device uses it (anpu_host_ops.guard): what was under way fails with the address, and
 * leaves nothing behind that would keep an invalidation from ending or a mapping from being returned.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "harness.h"

#define VA	0x7f0000000000ULL	/* d->ram by mappings that stay */
#define MOVING	0x7e0000000000ULL	/* the same by mappings that are returned */
#define TARGET	0x7d0000000000ULL	/* HBM */
#define CODE	0x7c0000000000ULL	/* programs and what they are launched with */
#define HOLE	(2ULL << 20)		/* this page of d->ram goes away */

static struct dev *d;
static struct tq *q;
static uint64_t target, code;

/* Each thread that runs something guarded comes back here */
static __thread sigjmp_buf *back;
static __thread uint64_t missing;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (!back) {
		/* repeated without this handler, it ends the test */
		signal(sig, SIG_DFL);
		return;
	}
	missing = (uintptr_t)info->si_addr;
	siglongjmp(*back, 1);
}

static bool guarded(void *ctx, void (*fn)(void *arg), void *arg, uint64_t *addr)
{
	sigjmp_buf here, *outer = back;

	(void)ctx;
	if (sigsetjmp(here, 0)) {
		back = outer;
		*addr = missing;
		return false;
	}
	back = &here;
	fn(arg);
	back = outer;
	return true;
}

static void setup(void)
{
	struct sigaction sa = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER };
	struct anpu_config c = config_small();

	sigaction(SIGSEGV, &sa, NULL);
	d = dev_new_guarded(&c, guarded);
	target = hbm_alloc(d, 4 << 20, ANPU_PAGE_2M);
	as_map(d, 1, VA, RAM_SIZE, DMA_PLAIN, PTE_RW | ANPU_PTE_SYSTEM, ANPU_PAGE_4K);
	as_map(d, 1, MOVING, RAM_SIZE, DMA_TRANSIENT, PTE_RW | ANPU_PTE_SYSTEM, ANPU_PAGE_4K);
	as_map(d, 1, TARGET, 4 << 20, target, PTE_RW, ANPU_PAGE_2M);
	code = hbm_alloc(d, ANPU_PAGE_2M, ANPU_PAGE_2M);
	as_map(d, 1, CODE, ANPU_PAGE_2M, code, PTE_RX, ANPU_PAGE_2M);
	q = tq_started(d, 3, 1, 0);
	/* what is allocated from here on is reached at CODE */
	d->hbm_next = code;
}

static void goes(void)
{
	if (mprotect(d->ram + HOLE, 4096, PROT_NONE))
		die("mprotect");
}

static void returns(void)
{
	if (mprotect(d->ram + HOLE, 4096, PROT_READ | PROT_WRITE))
		die("mprotect");
}

/* Is the failure told as one of memory in the page that went away? */
static void told(uint64_t seq, const char *what)
{
	const struct anpu_fault *f = tq_last_fault(q);
	uint64_t at = f ? f->addr - (uintptr_t)d->ram : 0;

	ok(f && f->seq == seq && f->cause == ANPU_FAULT_BUS && strstr(f->message, "is not there") && at >= HOLE &&
	   at < HOLE + 4096, "%s: %s", what, f ? f->message : "no failure");
	is(atomic_load(&d->transient), 0, "  mappings are returned");
	/* it ends only if no thread holds an address space */
	invalidate(d, ANPU_TLB_ALL);
}

static void fails(const union anpu_packet *p, const char *what)
{
	union anpu_packet copy = p_copy(VA + 64, TARGET + 64, 8);
	uint64_t errors = tq_errors(q), seq;

	goes();
	seq = tq_run(q, p);
	is(tq_errors(q), errors + 1, what);
	told(seq, what);
	returns();
	store64(d->ram + 64, seq);
	tq_run(q, &copy);
	ok(tq_errors(q) == errors + 1 && load64(hbm_ptr(d, target + 64)) == seq, "  the queue goes on");
}

static void test_packets(void)
{
	static const uint64_t spaces[] = { VA, MOVING };
	union anpu_packet p;

	for (int i = 0; i < 2; i++) {
		uint64_t at = spaces[i] + HOLE;

		p = p_copy(at + 128, TARGET, 64);
		fails(&p, "a copy from there");
		p = p_copy(TARGET, at + 128, 64);
		fails(&p, "a copy to there");
		p = p_fill(at, 64, 1, 8);
		fails(&p, "a fill");
		p = p_signal(at + 8, 1, ANPU_SEM_ADD);
		fails(&p, "a semaphore that is signalled");
		p = p_wait(at + 8, 1, ANPU_SEM_EQ, 0);
		fails(&p, "one that is waited for");
		p = p_timestamp(at);
		fails(&p, "a time stamp");
		p = p_indirect(at, 2);
		fails(&p, "packets of an INDIRECT");
		p = p_copy(spaces[i] + HOLE - (1 << 20), TARGET, 2 << 20);
		fails(&p, "a large copy");
		p = p_copy(spaces[i] + HOLE - (2 << 20), spaces[i] + (4 << 20), 4 << 20);
		fails(&p, "a copy for all workers");
	}
}

static void test_kernels(void)
{
	uint64_t entry = PROGRAM(d, { FAKE_LOAD, 0, VA + HOLE });
	union anpu_packet p = p_kernel(CODE + (entry - code), 1);

	fails(&p, "an operator of one block");
	p = p_kernel(CODE + (entry - code), 9);
	fails(&p, "an operator of several");
	ok(tq_last_fault(q)->opcode == ANPU_OP_KERNEL && tq_last_fault(q)->block < 9, "  with the block");
}

/* The semaphore of a parked queue goes away: it is looked at now and then, and the wait fails. */
static void test_parked(void)
{
	union anpu_packet p = p_wait(VA + HOLE + 8, 1, ANPU_SEM_EQ, ANPU_TIMEOUT_NEVER);
	uint64_t seq;

	store64(d->ram + HOLE + 8, 0);
	seq = tq_push(q, &p);
	tq_ring(q);
	ok(tq_wait_state(q, ANPU_QUEUE_PARKED), "a queue is parked");
	goes();
	ok(tq_wait(q, seq), "  its semaphore goes away");
	told(seq, "  that ends the wait");
	returns();
}

/* The words of a launch: written by whoever ends the kernel. */
static void test_words(void)
{
	uint64_t at = hbm_alloc(d, 4096, 4096), entry = PROGRAM(d, { FAKE_END, 0, 0 });
	struct anpu_kernel_launch *l = hbm_ptr(d, at);
	union anpu_packet p;

	for (int i = 0; i < 2; i++) {
		*l = (struct anpu_kernel_launch){ .size = ANPU_LAUNCH_SIZE, .block_x = 1, .block_y = 1, .block_z = 1 };
		if (i) {
			l->triggered = VA + HOLE + 16;
			l->triggered_value = 5;
		} else {
			l->begun = VA + HOLE + 16;
			l->begun_value = 5;
		}
		p = p_kernel(CODE + (entry - code), 1);
		p.hdr.flags = ANPU_KERNEL_LAUNCH;
		p.kernel.args = CODE + (at - code);
		fails(&p, i ? "the word that all blocks have triggered" : "the word that all blocks have begun");
		is(tq_last_fault(q)->access, ANPU_ACCESS_WRITE, "  is written");
	}
}

/* A print buffer fails the operator, a trace buffer fails nothing. */
static void test_buffers(void)
{
	uint64_t entry = PROGRAM(d, { FAKE_PRINT, 0, 0 }), errors;
	union anpu_packet p;

	tq_stop(q);
	tq_context(q)->print = VA + HOLE;
	tq_start(q);
	p = p_kernel(CODE + (entry - code), 1);
	fails(&p, "the print buffer");
	is(tq_last_fault(q)->access, ANPU_ACCESS_WRITE, "  is written");
	tq_stop(q);
	tq_context(q)->print = 0;
	tq_context(q)->trace = VA + HOLE;
	tq_start(q);
	errors = tq_errors(q);
	goes();
	tq_run(q, &p);
	is(tq_errors(q), errors, "a trace buffer that goes away is no failure");
	invalidate(d, ANPU_TLB_ALL);
	returns();
}

int main(void)
{
#ifdef __SANITIZE_THREAD__
	printf("ok 1 - # SKIP ThreadSanitizer ends a program whose handler of SIGSEGV jumps\n1..1\n");
	return 0;
#endif
	setup();
	test_packets();
	test_kernels();
	test_parked();
	test_words();
	test_buffers();
	tq_free(q);
	dev_free(d);
	return done_testing();
}
