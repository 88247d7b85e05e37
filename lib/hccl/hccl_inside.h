/* SPDX-License-Identifier: MIT */
/*
 * The library's inside. From below:
 *
 *	error.c	    sentences and codes
 *	net/meet.c  ranks find each other and exchange what they have to say, over sockets; net.c between machines
 *	comm.c	    communicators: their making and their end
 *	net/reach.c a rank's memory, and how it reaches that of the others
 *	net/import.c  memory of other processes that windows are in
 *	net/wire.c  UCX between the memory of several machines
 *	net/window.c  memory of the machine in place of the devices', for processes whose devices are their own
 *	watch.c	    a thread per rank that hears of the end of others
 *	suspend.c   communicators that are stopped, and go on
 *	memory.c    what programs say of their memory
 *	symwin.c    memory of a rank that others find by the communicator
 *	check/	    the checking mode: do all ranks call the same, and is what is sent what is received
 *	algo/link.c chunks from rank to rank, as tasks of a stream
 *	algo/reduce.c  dst = dst op src, as a task
 *	algo/	    the algorithms; algo/algo.c says which
 *	calls.c	    the functions that programs call; init.c, ranktable.c, group.c
 */
#ifndef HCCL_INSIDE_H
#define HCCL_INSIDE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include <hccl/hccl.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define HCCL_MAX_RANKS	1024
/*
 * Chunks on their way from one rank to another. With one, ranks in a ring that pass a chunk on would all hold theirs
 * and wait for room at the next.
 */
#define HCCL_SLOTS	2
#define HCCL_TEXT	400

/* A clock that never goes back */
static inline int64_t hccl_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

/* error.c -------------------------------------------------------------------------------------- */

/* Notes the function of the API that the thread is in; failures name it until the next call of hccl_enter() */
void hccl_enter(const char *api);
const char *hccl_api(void);
/* The same at the beginning of a public function, until it returns: tasks are told with the place of this call of the program */
int hccl_begin(const char *api, const void *caller);
void hccl_leave(const int *begun);
#define HCCL_ENTER()                                                           \
	int hccl_begun_ __attribute__((cleanup(hccl_leave), unused)) =         \
		hccl_begin(__func__, __builtin_return_address(0))
/* Returns @code after adding a sentence to aclGetRecentErrMsg() */
HcclResult hccl_fail(HcclResult code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A function of libacl failed, which has its sentence already: HCCL_E_MEMORY or HCCL_E_RUNTIME */
HcclResult hccl_fail_acl(aclError err, const char *what);
/* The sentence of the last hccl_fail() of this thread */
const char *hccl_last_text(void);

/* net/meet.c ----------------------------------------------------------------------------------- */

#define HCCL_IP 46 /* bytes of an address in words */

/* Of one communicator in the making; the name of the root's socket, and where others machines find it */
struct hccl_address {
	char name[64];
	uint8_t job[16];
	char ip[HCCL_IP]; /* empty: only on this machine */
	uint16_t port;
	uint64_t machine; /* of the root, see net.c */
};

struct hccl_meeting; /* a rank's connection to the root */
struct hccl_comm;

/*
 * Listens at @addr and serves as many ranks as the first to come says in a thread of its own. With an ip in @addr others machines
 * can come, and port 0 becomes the one that is taken
 */
HcclResult hccl_meet_serve(struct hccl_address *addr);
/* net/net.c: equal for processes that share a running kernel and its network */
uint64_t hccl_net_machine(void);
/*
 * Joins; @late: the root may not listen yet. @fd: shared memory of all ranks with @shared bytes, or -1 for a rank of
 * another machine than the root's. If @parent is not NULL, its failure ends waiting for others, until hccl_meet_joined()
 */
HcclResult hccl_meet_join(const struct hccl_address *addr, uint32_t ranks, uint32_t rank, bool late, size_t shared,
			  struct hccl_comm *parent, struct hccl_meeting **out, int *fd);
/*
 * A rank of the process that has called hccl_meet_serve() failed before it joined: the root ends, and says so to those of @ranks that
 * have come
 */
void hccl_meet_abandon(const struct hccl_address *addr, uint32_t ranks, uint32_t rank);
void hccl_meet_joined(struct hccl_meeting *m);
/* Everybody's @size bytes into @all, in the order of ranks */
HcclResult hccl_meet_exchange(struct hccl_meeting *m, const void *mine, size_t size, void *all);
/*
 * Waits for news: 1: @text is of a failure, 0: hccl_meet_end() was called, -1: the root is gone, 2: @ms have passed, 3:
 * hccl_meet_wake() was called, 4: @text is of a rank that ended
 */
int hccl_meet_news(struct hccl_meeting *m, int ms, char text[HCCL_TEXT]);
/* A sentence about the end of the root's process */
void hccl_meet_name_root(const struct hccl_meeting *m, char text[HCCL_TEXT]);
void hccl_meet_wake(struct hccl_meeting *m);
/* Tells all others that this rank fails */
void hccl_meet_tell(struct hccl_meeting *m, const char *text);
/* Ends hccl_meet_news(), orderly for the others */
void hccl_meet_end(struct hccl_meeting *m);
void hccl_meet_free(struct hccl_meeting *m);
/* Seconds of HCCL_CONNECT_TIMEOUT */
#define HCCL_CONNECT_MAX 7200
int hccl_connect_seconds(void);

/* comm.c --------------------------------------------------------------------------------------- */

/* A collective as all ranks must call it; in memory that they share */
struct hccl_note {
	_Atomic uint64_t number; /* of the call, from 1; 0: nothing or being written */
	uint64_t count, more;	 /* @more: of counts that all must have, mixed */
	uint32_t type, op, root;
	uint32_t recorded; /* calls of the rank so far that were recorded into a graph */
	char call[24];
	char site[96];
};

#define HCCL_NOTES 32

/* A call of the checking mode that sends to another rank or receives from it */
struct hccl_pair_note {
	_Atomic uint64_t number; /* of what goes between these two in this direction, from 1; 0: nothing, or being written */
	uint64_t count, after;	 /* @after: collectives that the rank has called before */
	uint32_t peer, type;
	uint32_t sends, pad;
	char call[24];
	char site[96];
};

/* As many as one call can have, and more */
#define HCCL_PAIR_NOTES(ranks) (64 + 4 * (ranks))

/* The part of a rank that all others of this machine see; others have copies of what matters to them */
enum hccl_left {
	HCCL_THERE,
	HCCL_LEAVING, /* HcclCommDestroy() was called, in the checking mode */
	HCCL_LEFT     /* all its tasks have run, and there will be no others */
};

/* Memory of a rank that others may find, see symwin.c; in memory that they share */
struct hccl_window_card {
	_Atomic uint64_t number; /* of the rank's windows, from 1; 0: none, or being written */
	uint64_t base, size;
	uint64_t token;		 /* of the process, see hccl_process_token() */
	int32_t device;
	char key[65];		 /* for other processes; empty: they cannot reach it */
};

/* Of a rank at a time */
#define HCCL_WINDOWS 32

struct hccl_public {
	struct hccl_window_card windows[HCCL_WINDOWS];
	_Atomic uint64_t registered; /* windows so far */
	_Atomic uint64_t called; /* collectives so far */
	_Atomic uint32_t left;	 /* enum hccl_left */
	char call[24];		 /* the latest; may be torn, and is only shown */
	/* what its watcher saw last: when, in ms (0: never), and the rank that its stream waited for then, + 1, or 0 */
	_Atomic int64_t seen;
	_Atomic uint32_t waits_for;
	uint64_t pairs_noted;
	struct hccl_note notes[HCCL_NOTES];
	struct hccl_pair_note pairs[]; /* number i is in the place i modulo HCCL_PAIR_NOTES */
};

static inline size_t hccl_public_bytes(uint32_t ranks)
{
	return sizeof(struct hccl_public) + HCCL_PAIR_NOTES(ranks) * sizeof(struct hccl_pair_note);
}

struct hccl_peer {
	char *base;    /* its words, as this rank's device sees them, and without a wire all of its slots behind them */
	char *slots;   /* its slots for this rank's chunks, likewise */
	char key[65];  /* of memory that was imported, or of this rank's that was exported, else empty */
	int64_t pid;
	int32_t device;
};

enum hccl_algo { HCCL_ALGO_AUTO, HCCL_ALGO_RING, HCCL_ALGO_HD, HCCL_ALGO_TREE, HCCL_ALGO_PAIRWISE, HCCL_ALGO_MESH,
		 HCCL_ALGO_MACHINES };

enum hccl_call {
	CALL_ALLREDUCE, CALL_REDUCE, CALL_BROADCAST, CALL_REDUCESCATTER, CALL_ALLGATHER, CALL_SCATTER, CALL_ALLTOALL,
	CALL_BARRIER, CALL_PAIR, CALLS
};

/* Some of the ranks: number i is ranks[i * step] */
struct hccl_group {
	const uint32_t *ranks;
	uint32_t step, n, me;
};

struct hccl_settings {
	uint64_t buffer;    /* bytes */
	int64_t seconds;    /* limit of a wait, 0: none */
	enum hccl_algo algo[CALLS];
	char algo_text[HCCL_COMM_ALGO_MAX_LENGTH]; /* as it was said; empty: not */
	char name[COMM_NAME_MAX_LENGTH]; /* empty: the library makes one */
	bool check;
};

struct hccl_comm {
	struct hccl_comm *next;	/* of all, under the lock of comm.c */
	uint32_t users;		/* calls inside, under the lock of comm.c */
	char name[COMM_NAME_MAX_LENGTH];
	uint32_t rank, ranks;
	struct hccl_settings set;
	struct hccl_address addr;
	pthread_t maker;	/* which has called HcclCommInit...() */
	int32_t device;
	bool own_device;	/* HcclCommInitAll() has set it */
	aclrtContext context;
	aclrtContext hold;	/* of the library: keeps the device and its memory, see comm.c */
	struct hccl_meeting *meeting;
	char *board;		/* of all ranks, see hccl_public_of() */
	size_t board_size;
	int board_fd;		/* what that is a mapping of; -1 when all are reached */
	char *base;		/* this rank's memory: words, then slots */
	size_t base_size;
	char *window;		/* mapping of the machine's memory that has @base; NULL: it is the device's */
	size_t window_size;
	bool window_shared;	/* with the ranks of this machine */
	struct hccl_wire *wire;	/* carries what is in @window to the others; NULL: they map it */
	uint64_t slot_bytes;
	struct hccl_peer *peers;
	uint32_t *places;	/* what @all and @grid are in */
	uint32_t *grid;		/* ranks by machine, as many for each */
	uint32_t machines;	/* 0: they do not have as many ranks each */
	struct hccl_group all;
	struct hccl_group here, across; /* of this rank's machine; those that have its place on the others */
	uint32_t *tx, *rx;	/* chunks of the call that is being queued, by rank */
	uint64_t *sent, *received; /* calls so far that send to a rank, or receive from it; of the checking mode */
	aclrtBinHandle binary;
	pthread_mutex_t lock;	/* a call is queued; protects what follows */
	aclrtEvent done;	/* behind the latest call */
	aclrtStream stream;	/* of that; NULL: none */
	uint64_t serial;	/* of the latest wait */
	bool graphs;		/* a call was recorded, and may run at any time */
	pthread_t watcher;
	bool watched;
	pthread_mutex_t news;	/* protects what follows; short, nothing is called with it held */
	_Atomic int broken;	/* HcclResult */
	char why[HCCL_TEXT];
	_Atomic bool suspended;
	bool asked;		/* the watcher is to resume */
	bool deaf;		/* the watcher has ended */
	pthread_cond_t answered;
	uint64_t resumed;	/* how often */
	int32_t *dropped;	/* what aclrtStreamGetId() says of streams whose tasks were dropped */
	size_t n_dropped;
	uint32_t recorded;	/* how many were */
};

static inline struct hccl_public *hccl_public_of(const struct hccl_comm *c, uint32_t rank)
{
	return (struct hccl_public *)(void *)(c->board + rank * hccl_public_bytes(c->ranks));
}

void hccl_settings_default(struct hccl_settings *s);
/* Leaves @out alone if the variable is not set */
HcclResult hccl_env_number(const char *name, long least, long most, long *out);
/* Of HCCL_IF_BASE_PORT: 32 ports from there on */
#define HCCL_PORT_MIN 1024
#define HCCL_PORT_MAX 65520
/* Environment, then @config, which may be NULL */
HcclResult hccl_settings_read(struct hccl_settings *s, const HcclCommConfig *config);
/* @parent: NULL, or a communicator that all of the ranks have in common, without which they cannot meet */
HcclResult hccl_comm_make(const struct hccl_address *addr, uint32_t ranks, uint32_t rank, bool late, struct hccl_comm *parent,
			  const struct hccl_settings *set, struct hccl_comm **out);
/* Finds what the program has, and keeps it until hccl_comm_put(); NULL after hccl_fail() */
struct hccl_comm *hccl_comm_get(HcclComm comm, HcclResult *ret);
void hccl_comm_put(struct hccl_comm *c);
/* From now on all calls fail; the first reason stays */
void hccl_comm_break(struct hccl_comm *c, HcclResult code, const char *why);
/* The code and sentence of that, or HCCL_SUCCESS */
HcclResult hccl_comm_broken(struct hccl_comm *c);
/* The same, or HCCL_E_SUSPENDING */
HcclResult hccl_comm_stopped(struct hccl_comm *c);
/* Streams with tasks of this rank's calls that have not run, also of graphs that run: the first @room into @list; how many there are */
size_t hccl_busy_streams(const struct hccl_comm *c, aclrtStream *list, size_t room);
/* Does @fn to each communicator of the process until one returns true */
bool hccl_comm_each(bool (*fn)(struct hccl_comm *c, void *arg), void *arg);

/* net/reach.c: memory of this rank, and of all others */
HcclResult hccl_reach_all(struct hccl_comm *c);
/* Equal for ranks of one process only: numbers of processes are used again */
uint64_t hccl_process_token(void);
/* Others' memory, and this rank's */
void hccl_close_peers(struct hccl_comm *c);
void hccl_free_memory(struct hccl_comm *c);
/* Writes what a rank's words are before the first call */
void hccl_first_words(char *at, uint32_t ranks);
/* The same into this rank's memory, wherever that is */
HcclResult hccl_write_words(struct hccl_comm *c);

/*
 * net/import.c: where the thread's device, which is @device, has the memory of another process that has this key. Ranks of
 * this process that are on one device have one mapping, and each ends its use: aclrtIpcMemClose() cannot say whose mapping it ends
 */
HcclResult hccl_import(const char *key, int32_t device, void **at);
void hccl_import_end(const struct hccl_comm *c, const char *key);
/* aclrtIpcMemClose() with the communicator's context: a key may be imported by several devices, and the thread's is meant */
void hccl_close_key(const struct hccl_comm *c, const char *key);

/* net/window.c: @base and @peers in memory of this machine, which all ranks map and register with their devices */
HcclResult hccl_window_open(struct hccl_comm *c);
void hccl_window_close(struct hccl_comm *c);

/* net/wire.c: between machines, UCX takes what tasks put into the window to the others and puts into it what they send */
HcclResult hccl_wire_load(struct hccl_comm *c);
/* This rank's address in UCX, at @at: its bytes */
const void *hccl_wire_address(const struct hccl_comm *c, size_t *bytes);
/* @addresses: all ranks', @stride bytes apart. From now on a thread carries */
HcclResult hccl_wire_start(struct hccl_comm *c, const char *addresses, size_t stride);
/* Tells rank @to where the root of a communicator of some of the ranks listens */
HcclResult hccl_wire_post(struct hccl_comm *c, uint32_t to, const struct hccl_address *addr);
/* Waits for that; @addr has the job, and gets the rest */
HcclResult hccl_wire_fetch(struct hccl_comm *c, struct hccl_address *addr);
/* Notes of the checking mode, to the rank that it is about or to all; they arrive some time, or the connection is lost */
void hccl_wire_note_pair(struct hccl_comm *c, const struct hccl_pair_note *n);
void hccl_wire_note_all(struct hccl_comm *c, const struct hccl_note *n);
/* Forgets what tasks have written, and what others sent before they have done so, too */
HcclResult hccl_wire_restart(struct hccl_comm *c);
/* Takes what is left to the others, and ends */
void hccl_wire_end(struct hccl_comm *c);

/* watch.c */
HcclResult hccl_watch(struct hccl_comm *c);
/* In each thread of the library that may end calls of the communicator: it needs the device for that */
void hccl_thread_begins(struct hccl_comm *c);
void hccl_watch_end(struct hccl_comm *c);
/* Drops the tasks of calls, of a communicator that has failed */
void hccl_watch_abort(struct hccl_comm *c);
/* The same of one that is suspended: what comes later into its streams is no failure */
void hccl_watch_drop(struct hccl_comm *c);

/* symwin.c: the communicator ends */
void hccl_windows_end(struct hccl_comm *c);

/* suspend.c: for the watcher, which has been asked to resume */
void hccl_resume_asked(struct hccl_comm *c);

/* check/ --------------------------------------------------------------------------------------- */

struct hccl_what {
	const char *call;
	uint64_t count, more;
	uint32_t type, op, root;
	bool recorded; /* into a graph */
	const void *site;
};

/* Every collective by this rank's host; in the checking mode compares it with what others have called */
HcclResult hccl_check(struct hccl_comm *c, const struct hccl_what *w);
/* One message of a call of this rank to or from another rank; messages are noted in the order in which they go there */
struct hccl_pair_what {
	const char *call;
	bool sends;
	uint32_t peer, type;
	uint64_t count;
	const void *site;
};
/* The rank leaves: in the checking mode, sends between it and ranks that have left before, which were not received, are told */
void hccl_check_left(struct hccl_comm *c);
/* In the checking mode: parts of recvBuf by rank, in elements, must not overlap */
void hccl_check_apart(HcclComm comm, const uint64_t *counts, const uint64_t *at, uint32_t ranks);
HcclResult hccl_check_pair(struct hccl_comm *c, const struct hccl_pair_what *w);
/* Where the program called, as text that other processes understand */
void hccl_name_site(const void *site, char *buf, size_t size);
/* All ranks are told, and the calls end; returns @code */
HcclResult hccl_check_failed(struct hccl_comm *c, const char *text);
/* For wire.c: a note of rank @from has come, which this rank's own are compared with */
HcclResult hccl_note_came(struct hccl_comm *c, uint32_t from, const struct hccl_note *n);
HcclResult hccl_pair_note_came(struct hccl_comm *c, uint32_t from, const struct hccl_pair_note *n);
uint64_t hccl_mix(uint64_t seed, const uint64_t *values, size_t n);

/* algo/link.c ----------------------------------------------------------------------------------- */

/* One call of one rank while it is being queued. The first failure stays, and nothing is queued behind it */
struct hccl_run {
	struct hccl_comm *c;
	aclrtStream stream;
	HcclDataType type;
	HcclReduceOp op;
	uint32_t elem; /* bytes of an element */
	HcclResult ret;
};

/* Words and slots in a rank's memory; the slots for chunks of rank @from, in the memory of rank @owner, at @offset */
size_t hccl_words_bytes(uint32_t ranks);
uint64_t hccl_slots_offset(const struct hccl_comm *c, uint32_t owner, uint32_t from);
uint64_t *hccl_word_filled(char *base, uint32_t ranks, uint32_t from, uint32_t slot);
uint64_t *hccl_word_free(char *base, uint32_t ranks, uint32_t to, uint32_t slot);
/* Words that say: the slot of rank @owner is filled for this rank; rank @by has read a slot of this rank */
uint64_t *hccl_word_shown(char *base, uint32_t ranks, uint32_t owner, uint32_t slot);
uint64_t *hccl_word_seen(char *base, uint32_t ranks, uint32_t by, uint32_t slot);

/* In front of the words: what the tasks do, for who watches them */
struct hccl_state {
	uint64_t waits; /* serial number of the wait << 16 | rank that is waited for + 1, or 0 between calls */
	uint64_t turns; /* calls that have begun, also those of graphs */
	uint64_t never; /* always 0: a wait for it fails */
};
struct hccl_state *hccl_state_of(char *base);
/* Around the tasks of a call */
void link_begin(struct hccl_run *r);
void link_end(struct hccl_run *r);

/* A copy on this rank */
void link_copy(struct hccl_run *r, void *dst, const void *src, uint64_t bytes);
/* At most slot_bytes to rank @to: waits for room there, copies, says so */
void link_send(struct hccl_run *r, uint32_t to, const void *src, uint64_t bytes);
/* Waits for the next chunk of rank @from, and where it is; link_release() gives the room back */
void *link_wait(struct hccl_run *r, uint32_t from);
void link_release(struct hccl_run *r, uint32_t from);
/* Both around a copy */
void link_recv(struct hccl_run *r, uint32_t from, void *dst, uint64_t bytes);
/* Both around dst = dst op chunk */
void link_recv_reduce(struct hccl_run *r, uint32_t from, void *dst, uint64_t bytes);

/*
 * Without a wire, ranks read each other's slots. Between link_wait() for a chunk of rank @from and its release, link_show() lets
 * rank @to read what this rank has made of the chunk; link_shown() waits until rank @to has done so.
 */
void link_show(struct hccl_run *r, uint32_t from, uint32_t to);
void link_shown(struct hccl_run *r, uint32_t from, uint32_t to);
/* Copies what rank @owner shows: its @turn'th chunk of rank @from in this call */
void link_see(struct hccl_run *r, uint32_t owner, uint32_t from, uint64_t turn, void *dst, uint64_t bytes);
/*
 * The same for this rank's own chunk, which nobody else reads: it may fill the slot again. The owner, which shows it last of all that it does
 * with it, calls link_pass() instead of link_shown() and link_release()
 */
void link_see_own(struct hccl_run *r, uint32_t owner, uint64_t turn, void *dst, uint64_t bytes);
void link_pass(struct hccl_run *r, uint32_t from);

/* Pieces of memory that are sent to or come from one rank, one behind the other */
struct hccl_piece {
	char *at;
	uint64_t bytes;
};
struct hccl_flow {
	uint32_t peer;
	const struct hccl_piece *piece;
	uint64_t pieces;
	uint64_t at; /* within the first */
};

/* Sends and receives in turn, so that ranks that do it with each other go on; @reduce: what comes is reduced */
void link_exchange(struct hccl_run *r, struct hccl_flow tx, struct hccl_flow rx, bool reduce);

/* algo/reduce.c */
uint32_t hccl_type_size(HcclDataType type); /* 0: no such type */
const char *hccl_type_name(HcclDataType type);
bool hccl_can_reduce(HcclDataType type);
void hccl_reduce(struct hccl_run *r, void *dst, const void *src, uint64_t bytes);
HcclResult hccl_reduce_load(struct hccl_comm *c);

/* Algorithms ------------------------------------------------------------------------------------ */

/* A part of a buffer, in bytes */
struct hccl_part {
	uint64_t at, bytes;
};

void ring_allreduce(struct hccl_run *r, char *send, char *recv, uint64_t bytes);
/* The result of part r->c->rank goes to @recv */
void ring_reducescatter(struct hccl_run *r, char *send, const struct hccl_part *parts, char *recv);
/* This rank's part is in @recv already */
void ring_allgather(struct hccl_run *r, char *recv, const struct hccl_part *parts);
void ring_broadcast(struct hccl_run *r, char *buf, uint64_t bytes, uint32_t root);
void ring_reduce(struct hccl_run *r, char *send, char *recv, uint64_t bytes, uint32_t root);
void mesh_allreduce(struct hccl_run *r, char *send, char *recv, uint64_t bytes);
/* @parts by number in the group; the result of this rank's goes to @recv */
void mesh_reducescatter(struct hccl_run *r, const struct hccl_group *g, char *send, const struct hccl_part *parts, char *recv);
void mesh_allgather(struct hccl_run *r, const struct hccl_group *g, char *recv, const struct hccl_part *parts);
void machines_allreduce(struct hccl_run *r, char *send, char *recv, uint64_t bytes);
/* As mesh_reducescatter() with all ranks; there are several machines */
void machines_reducescatter(struct hccl_run *r, char *send, const struct hccl_part *parts, char *recv);
void machines_allgather(struct hccl_run *r, char *recv, const struct hccl_part *parts);
/* Fills groups; @machines: of each rank, a number */
void hccl_find_groups(struct hccl_comm *c, const uint64_t *machines);
void halving_allreduce(struct hccl_run *r, char *recv, uint64_t bytes);
void doubling_allreduce(struct hccl_run *r, char *recv, uint64_t bytes);
void tree_broadcast(struct hccl_run *r, char *buf, uint64_t bytes, uint32_t root);
void tree_reduce(struct hccl_run *r, char *send, char *recv, uint64_t bytes, uint32_t root);
void tree_barrier(struct hccl_run *r);
/* tx[i] and rx[i] are the pieces to and from rank i, ntx[i] and nrx[i] of them */
void pairwise(struct hccl_run *r, struct hccl_piece **tx, const uint32_t *ntx, struct hccl_piece **rx,
	      const uint32_t *nrx);
/* @bytes for each rank, of the root's @send */
void scatter(struct hccl_run *r, char *send, char *recv, uint64_t bytes, uint32_t root);

/* algo/algo.c */
HcclResult hccl_algo_read(const char *text, enum hccl_algo algo[CALLS]);
enum hccl_algo hccl_algo_of(const struct hccl_run *r, enum hccl_call call, uint64_t bytes);
/* Parts of equal size, but for the last ones */
void hccl_parts(struct hccl_part *parts, uint32_t n, uint64_t bytes, uint32_t elem);

/* ranktable.c ------------------------------------------------------------------------------------ */

struct hccl_table {
	uint32_t ranks;
	int32_t device; /* of the rank that was asked for */
	char ip[HCCL_IP]; /* of rank 0's server, if there are several, else empty */
	bool with_root;	/* the rank is on that server */
};

HcclResult hccl_table_read(const char *text, size_t size, const char *name, uint32_t rank, struct hccl_table *out);

/* group.c ---------------------------------------------------------------------------------------- */

/* A call that has been put off until HcclGroupEnd() */
struct hccl_later {
	struct hccl_later *next;
	HcclResult (*run)(struct hccl_later *l);
	HcclComm comm;	    /* NULL: the call makes one */
	uint64_t number;    /* of the group's calls */
	bool done;	    /* with one before it */
	aclrtContext context;
	bool pair;	    /* HcclSend() or HcclRecv(): @item; @run is not used */
	HcclSendRecvItem item;
	aclrtStream stream;
	const void *site;
	const char *name;   /* as @api, of a text that stays */
	void *kept;	    /* freed with it */
	char api[40];
	HcclResult ret;
	char text[HCCL_TEXT];
};

bool hccl_grouped(void);
/* The checking mode: the communicator ends, and a group of this thread has a call of it */
void hccl_check_held_back(HcclComm comm);
/* Takes @l, whose memory group.c frees */
HcclResult hccl_put_off(struct hccl_later *l);

/* pair.c: sends and receives that do not wait for each other, now */
HcclResult hccl_batch(const HcclSendRecvItem *items, uint32_t n, const char *api, HcclComm comm, aclrtStream stream,
		      const void *site);

#endif
