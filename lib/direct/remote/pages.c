// SPDX-License-Identifier: MIT
/*
 * Memory of the program for devices of anpu-server: pages that the program has of its own are moved into a file
 * in memory, which both processes map from then on, the program at the same addresses. So both see each
 * other's stores at once, and the pages stay with the device when the program unmaps them, as pinned ones do.
 *
 * A page is moved by a copy. Meanwhile it can be read; a thread that writes to it is held by the
 * engine's handler of SIGSEGV until its copy is in its place. A system call of another thread that
 * writes to it just then fails with EFAULT.
 *
 * When a child is made by fork(), it gets private copies, as of any other private memory. When no object has
 * the pages any more, they become private memory again.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "direct.h"
#include "remote/maps.h"
#include "remote/remote.h"

/* So much is moved at a time: both copies are there meanwhile */
#define MOVE_MAX	(64ULL << 20)
/* Stack that moving pages and the handler of a signal need */
#define STACK_USE	(32ULL << 10)
/* A child that does not come to copy the pages within this time is not waited for */
#define FORK_MS		10000

/**
 * struct lent - a range of the program's memory that an object of the server's has
 * @piece: parts of the file, @n
 */
struct lent {
	struct lent *next;
	struct remote *r;
	uint32_t handle;
	uint64_t start;
	uint64_t end;
	struct range *piece;
	unsigned int n;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sigset_t before_lock;
static struct lent *all;
/* The file, -1: none yet; the end of what has been used of it: no part is used twice */
static int file = -1;
static struct stat file_stat;
static uint64_t file_end;
static int fork_pipe[2] = { -1, -1 };

/* The range that is being moved, by which thread, and how many have been */
static _Atomic uint64_t moving_start, moving_end;
static _Atomic uintptr_t mover;
static _Atomic uint64_t moves;
static __thread uint64_t faulted_at HANDLER_TLS;
static __thread uint64_t faulted_after HANDLER_TLS;

/* A handler of the program's must not come in between: it could call fork(), or write to what is being moved */
static void take_lock(void)
{
	sigset_t block, old;

	sigfillset(&block);
	sigdelset(&block, SIGSEGV);
	sigdelset(&block, SIGBUS);
	pthread_sigmask(SIG_BLOCK, &block, &old);
	pthread_mutex_lock(&lock);
	before_lock = old;
}

static void drop_lock(void)
{
	sigset_t old = before_lock;

	pthread_mutex_unlock(&lock);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* Moving ---------------------------------------------------------------------------------------- */

static bool is_moving(uint64_t addr)
{
	return addr >= atomic_load(&moving_start) && addr < atomic_load(&moving_end);
}

/*
 * Called in the handler of SIGSEGV: the access may have been to a page that was being moved, perhaps a while ago,
 * as this thread can have been interrupted. It is repeated once for each number of moves.
 */
static bool may_repeat(const void *at)
{
	uint64_t addr = (uintptr_t)at;

	if (!atomic_load(&moves) || atomic_load(&mover) == (uintptr_t)pthread_self())
		return false;
	if (!is_moving(addr) && faulted_at == addr && faulted_after == atomic_load(&moves))
		return false;
	while (is_moving(addr))
		sched_yield();
	faulted_at = addr;
	faulted_after = atomic_load(&moves);
	return true;
}

struct move {
	uint64_t start, size;
	uint64_t fresh;
	int prot;
	bool done;
};

/* Not memcpy(), in whose place AddressSanitizer puts one that knows what of the program's pages may be read */
static void copy_page(uint64_t to, uint64_t from)
{
	const volatile uint64_t *f = (const uint64_t *)(uintptr_t)from;
	volatile uint64_t *t = (uint64_t *)(uintptr_t)to;

	/* new memory is zero: what is zero needs no page */
	for (unsigned int i = 0; i < PAGE / 8; i++)
		if (f[i])
			t[i] = f[i];
}

static void do_move(void *arg)
{
	struct move *m = arg;
	void *start = (void *)(uintptr_t)m->start, *fresh = (void *)(uintptr_t)m->fresh;

	if (m->prot & PROT_WRITE && mprotect(start, m->size, m->prot & ~PROT_WRITE))
		return;
	for (uint64_t i = 0; i < m->size; i += PAGE)
		copy_page(m->fresh + i, m->start + i);
	if (m->prot != (PROT_READ | PROT_WRITE) && mprotect(fresh, m->size, m->prot))
		return;
	m->done = mremap(fresh, m->size, m->size, MREMAP_MAYMOVE | MREMAP_FIXED, start) != MAP_FAILED;
}

/* Does a range contain memory that this thread writes to while it moves pages: its stacks and its own variables? */
static bool has_own_state(uint64_t start, uint64_t size)
{
	uint64_t frame = (uintptr_t)__builtin_frame_address(0);
	stack_t other = { 0 };
	struct range mine[] = { { frame - STACK_USE, STACK_USE }, { (uintptr_t)pthread_self(), 1 },
				{ (uintptr_t)&errno, 1 }, { (uintptr_t)&faulted_at, 1 }, { 0, 0 } };

	if (!sigaltstack(NULL, &other) && !(other.ss_flags & SS_DISABLE))
		mine[4] = (struct range){ (uintptr_t)other.ss_sp, other.ss_size };
	for (unsigned int i = 0; i < ARRAY_SIZE(mine); i++)
		if (mine[i].start < start + size && mine[i].start + mine[i].size > start)
			return true;
	return false;
}

/* Puts @fresh, a mapping of new memory, in place of a range, with its contents. @fresh is used up */
static int move(uint64_t start, uint64_t size, int prot, void *fresh)
{
	struct move m = { .start = start, .size = size, .fresh = (uintptr_t)fresh, .prot = prot };
	uint64_t addr;
	bool readable;

	if (fresh == MAP_FAILED)
		return -ENOMEM;
	if (has_own_state(start, size)) {
		munmap(fresh, size);
		return -EOPNOTSUPP;
	}
	atomic_store(&mover, (uintptr_t)pthread_self());
	atomic_fetch_add(&moves, 1);
	atomic_store(&moving_start, start);
	atomic_store(&moving_end, start + size);
	readable = guard_run(NULL, do_move, &m, &addr);
	if (!m.done && prot & PROT_WRITE)
		(void)mprotect((void *)(uintptr_t)start, size, prot);
	atomic_store(&moving_end, 0);
	atomic_fetch_add(&moves, 1);
	atomic_store(&mover, 0);
	if (m.done)
		return 0;
	munmap(fresh, size);
	/* readable pages that cannot be moved are a part of a huge one */
	return readable ? -EOPNOTSUPP : -EFAULT;
}

/* The file -------------------------------------------------------------------------------------- */

static bool is_ours(const struct mapped *m)
{
	return file >= 0 && m->shared && m->ino == file_stat.st_ino && m->dev == file_stat.st_dev;
}

static int make_file(void)
{
	if (file >= 0)
		return 0;
	file = memfd_create("anpu-program", MFD_CLOEXEC);
	if (file < 0)
		return -errno;
	if (!fstat(file, &file_stat))
		return 0;
	close(file);
	file = -1;
	return -ENOMEM;
}

/* Moves a range of one private mapping into the file; the place there, or -errno */
static int64_t into_file(uint64_t start, uint64_t size, int prot)
{
	uint64_t at = file_end;
	void *fresh;
	int err = make_file();

	if (err)
		return err;
	if (ftruncate(file, at + size))
		return -errno;
	fresh = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, at);
	err = move(start, size, prot, fresh);
	if (err)
		return err;
	file_end = at + size;
	return at;
}

/* Does a mapping show a part of the file? */
static bool is_shown(const struct range *part)
{
	struct mapped m;

	for (uint64_t addr = 0; maps_find(addr, &m); addr = m.end)
		if (is_ours(&m) && m.offset < part->start + part->size && part->start < m.offset + (m.end - m.start))
			return true;
	return false;
}

static void give_back(const struct range *part)
{
	if (!is_shown(part))
		(void)fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, part->start, part->size);
}

/* Makes pages of the file in a range private memory again. One that cannot be is left as it is */
static void restore(uint64_t start, uint64_t end, bool free_part)
{
	struct mapped m;

	for (uint64_t addr = start; addr < end && maps_find(addr, &m) && m.start < end;) {
		uint64_t from = addr > m.start ? addr : m.start;
		uint64_t size = min_u64(min_u64(end, m.end) - from, MOVE_MAX);
		struct range part = { m.offset + (from - m.start), size };

		addr = is_ours(&m) ? from + size : m.end;
		if (is_ours(&m) &&
		    !move(from, size, m.prot,
			  mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) && free_part)
			give_back(&part);
	}
}

/* Objects --------------------------------------------------------------------------------------- */

static int send_piece(struct remote *r, const struct anpu_piece *piece, int fd)
{
	struct anpu_piece answer;
	struct anpu_call call = { .kind = ANPU_CALL_PIECE, .arg = sizeof(*piece) };
	struct iovec parts[] = { { &call, sizeof(call) }, { (void *)(uintptr_t)piece, sizeof(*piece) } };
	struct iovec room = { &answer, sizeof(answer) };
	struct anpu_reply reply;
	size_t got;
	int err = remote_call(r, parts, 2, fd, &reply, &room, 1, NULL, &got);

	return err ? err : (int)reply.result;
}

static int note_piece(struct lent *l, uint64_t at, uint64_t size)
{
	struct range *list = realloc(l->piece, (l->n + 1) * sizeof(*list));

	if (!list)
		return -ENOMEM;
	l->piece = list;
	list[l->n++] = (struct range){ at, size };
	return 0;
}

/* Memory that the program shares with others already goes to the server as it is */
static int lend_shared(const struct lent *l, const struct mapped *m, struct anpu_piece *piece, bool write)
{
	int fd = maps_open(m, write), err;

	if (fd < 0)
		return -EOPNOTSUPP;
	err = send_piece(l->r, piece, fd);
	close(fd);
	return err;
}

/* The part of a mapping that begins at @addr; bytes done, or -errno */
static int64_t lend(struct lent *l, const struct mapped *m, uint64_t addr, bool write)
{
	uint64_t size = min_u64(m->end, l->end) - addr;
	struct anpu_piece piece = { .handle = l->handle, .offset = addr - l->start, .size = size,
				    .at = m->offset + (addr - m->start) };
	int64_t at;
	int err;

	if (!(m->prot & PROT_READ) || (write && !(m->prot & PROT_WRITE)) || !strncmp(m->name, "[v", 2))
		return -EFAULT;
	if (!strcmp(m->name, "[stack]"))
		return -EOPNOTSUPP;
	if (m->shared && !is_ours(m)) {
		err = lend_shared(l, m, &piece, write);
		return err ? err : (int64_t)size;
	}
	if (!m->shared) {
		size = min_u64(size, MOVE_MAX);
		at = into_file(addr, size, m->prot);
		if (at < 0)
			return at;
		piece.size = size;
		piece.at = at;
	}
	err = note_piece(l, piece.at, size);
	if (!err)
		err = send_piece(l->r, &piece, file);
	return err ? err : (int64_t)size;
}

int pages_fill(struct remote *r, uint32_t handle, const struct drm_anpu_bo_create *args)
{
	struct lent *l = calloc(1, sizeof(*l));
	int64_t done = 0;
	struct mapped m;

	if (!l)
		return -ENOMEM;
	*l = (struct lent){ .r = r, .handle = handle, .start = args->user_ptr, .end = args->user_ptr + args->size };
	guard_rearm();
	guard_ask(may_repeat);
	take_lock();
	l->next = all;
	all = l;
	for (uint64_t addr = l->start; done >= 0 && addr < l->end; addr += done)
		done = maps_find(addr, &m) && m.start <= addr ? lend(l, &m, addr, !(args->flags & DRM_ANPU_BO_READONLY))
							      : -EFAULT;
	drop_lock();
	return done < 0 ? (int)done : 0;
}

/* Locked: the first address from @addr on that another object has, up to @end; @after: where that one ends */
static uint64_t next_lent(uint64_t addr, uint64_t end, uint64_t *after)
{
	uint64_t found = end;

	*after = end;
	for (const struct lent *l = all; l; l = l->next) {
		uint64_t from = l->start > addr ? l->start : addr;

		if (l->end <= addr || from >= found)
			continue;
		found = from;
		*after = l->end;
	}
	return found;
}

/* Locked: its memory becomes the program's own again, but for what other objects have */
static void take_back(const struct lent *l)
{
	uint64_t after;

	for (uint64_t addr = l->start; addr < l->end; addr = after) {
		uint64_t to = next_lent(addr, l->end, &after);

		if (to > addr)
			restore(addr, to, true);
	}
	/* what the program has unmapped meanwhile */
	for (unsigned int i = 0; i < l->n; i++)
		give_back(&l->piece[i]);
}

static void end_lent(struct lent **at, bool used)
{
	struct lent *l = *at;

	*at = l->next;
	/* while the device may use the pages, they stay where both see them */
	if (!used)
		take_back(l);
	free(l->piece);
	free(l);
}

void pages_closed(struct remote *r, uint32_t handle, bool used)
{
	struct lent **at;

	take_lock();
	for (at = &all; *at && ((*at)->r != r || (*at)->handle != handle); at = &(*at)->next)
		;
	if (*at)
		end_lent(at, used);
	drop_lock();
}

void pages_forget(struct remote *r)
{
	take_lock();
	for (struct lent **at = &all; *at;) {
		if ((*at)->r == r)
			end_lent(at, false);
		else
			at = &(*at)->next;
	}
	drop_lock();
}

/* fork() ---------------------------------------------------------------------------------------- */

void pages_before_fork(void)
{
	take_lock();
	if (file >= 0 && pipe2(fork_pipe, O_CLOEXEC))
		fork_pipe[0] = fork_pipe[1] = -1;
}

static void close_pipe(void)
{
	for (int i = 0; i < 2; i++)
		if (fork_pipe[i] >= 0)
			close(fork_pipe[i]);
	fork_pipe[0] = fork_pipe[1] = -1;
}

/* The parent goes on when the child has its copies, so that these are of the moment of fork() */
static void wait_for_child(void)
{
	struct pollfd fd = { .fd = fork_pipe[0], .events = POLLIN };

	if (fork_pipe[0] < 0)
		return;
	close(fork_pipe[1]);
	fork_pipe[1] = -1;
	while (poll(&fd, 1, FORK_MS) < 0 && errno == EINTR)
		;
	close_pipe();
}

static void copy_in_child(void)
{
	struct lent *l;

	if (file >= 0) {
		restore(0, UINT64_MAX, false);
		close(file);
	}
	file = -1;
	file_end = 0;
	while ((l = all)) {
		all = l->next;
		free(l->piece);
		free(l);
	}
	close_pipe();
}

void pages_after_fork(bool child)
{
	sigset_t old = before_lock;

	if (!child) {
		wait_for_child();
		drop_lock();
		return;
	}
	copy_in_child();
	pthread_mutex_init(&lock, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}
