// SPDX-License-Identifier: MIT
/*
 * Between machines. Tasks of the device write into this rank's copy of the others' memory, as if it were theirs: chunks
 * into slots, and words behind them. A thread sees the words, takes them back to 0, and sends the chunk, or the word
 * that gives room back, to the rank that it is for, as active messages of UCX. The thread there puts the chunk into the rank's own
 * slot and sets the word that its tasks wait for. So the tasks, their order and the results are those of ranks of
 * one machine.
 *
 * UCX is loaded when the first communicator needs it.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "net/ucx.h"

#ifndef HCCL_HAVE_UCX

HcclResult hccl_wire_load(struct hccl_comm *c)
{
	(void)c;
	return hccl_fail(HCCL_E_NOT_SUPPORT, "ranks are on several machines, and libhccl was built without UCX: install "
			 "libucx-dev and build it again");
}

const void *hccl_wire_address(const struct hccl_comm *c, size_t *bytes)
{
	(void)c;
	*bytes = 0;
	return NULL;
}

HcclResult hccl_wire_start(struct hccl_comm *c, const char *addresses, size_t stride)
{
	(void)addresses;
	(void)stride;
	return hccl_wire_load(c);
}

HcclResult hccl_wire_post(struct hccl_comm *c, uint32_t to, const struct hccl_address *addr)
{
	(void)to;
	(void)addr;
	return hccl_wire_load(c);
}

HcclResult hccl_wire_fetch(struct hccl_comm *c, struct hccl_address *addr)
{
	(void)addr;
	return hccl_wire_load(c);
}

void hccl_wire_note_pair(struct hccl_comm *c, const struct hccl_pair_note *n)
{
	(void)c;
	(void)n;
}

void hccl_wire_note_all(struct hccl_comm *c, const struct hccl_note *n)
{
	(void)c;
	(void)n;
}

HcclResult hccl_wire_restart(struct hccl_comm *c)
{
	return hccl_wire_load(c);
}

void hccl_wire_end(struct hccl_comm *c)
{
	(void)c;
}

#else

enum message { WIRE_CHUNK = 1, WIRE_FREE, WIRE_CALLED, WIRE_ADDRESS, WIRE_BYE, WIRE_NOTE, WIRE_PAIR, WIRE_KINDS };

/* In front of each message: whose it is */
struct head {
	uint8_t job[16];
	uint32_t from, slot;
	uint32_t epoch; /* how often the sender has resumed the communicator */
	uint32_t pad;
};

/* Of WIRE_CALLED: what struct hccl_public has */
struct called {
	uint64_t calls;
	int64_t seen; /* by the sender's clock: others note when it comes, as a sign that the process runs */
	uint32_t waits_for, pad;
	char call[24];
};

struct wire_peer {
	struct hccl_wire *w;
	uint32_t rank;
	ucp_ep_h ep;
	struct head heads[HCCL_SLOTS]; /* of messages on their way, all of which say the same */
	struct called said;	       /* to it, last */
	bool telling;		       /* that is on its way */
	atomic_bool left;	       /* it said WIRE_BYE */
	bool lost;
	ucs_status_t why;
};

/* Where a communicator of some of the ranks is made: received and not asked for */
struct letter {
	struct letter *next;
	struct hccl_address addr;
};

/* A message that a thread of the program has for a rank; it is freed when UCX has sent it */
struct parcel {
	struct parcel *next;
	struct wire_peer *p;
	enum message id;
	size_t size;
	char data[];
};

#define LETTERS_MAX 4096

/* UCX gives it back with each message of one kind */
struct entrance {
	struct hccl_wire *w;
	enum message id;
};

struct hccl_wire {
	struct hccl_comm *c;
	struct entrance entrances[WIRE_KINDS];
	const struct hccl_ucx *ucx;
	ucp_context_h context;
	ucp_worker_h worker;
	ucp_address_t *address;
	size_t address_size;
	struct wire_peer *peers;
	pthread_t thread;
	bool running;
	atomic_bool ending;
	uint32_t flying; /* messages that UCX has not sent yet */
	int64_t lost_at; /* when a connection was lost that was not told of; 0: none */
	int64_t said_at;
	uint32_t epoch;
	bool differs; /* what came is not what this rank has called; its tasks are to be dropped */
	atomic_bool restart; /* asked of the thread, which takes it back */
	atomic_bool mail;    /* there may be parcels */
	pthread_mutex_t lock; /* protects what follows */
	struct letter *in;
	uint32_t letters; /* in @in */
	struct parcel *parcels, **last;
};

static int64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000LL + t.tv_nsec / 1000;
}

static HcclResult failed(const struct hccl_wire *w, const char *what, ucs_status_t status)
{
	return hccl_fail(HCCL_E_NETWORK, "UCX: %s failed: %s", what, w->ucx->status_string(status));
}

/* The connection to a rank is gone that has not said that it leaves */
static void lose(struct wire_peer *p, ucs_status_t status)
{
	if (atomic_load(&p->left) || p->lost || atomic_load(&p->w->ending))
		return;
	p->lost = true;
	p->why = status;
	p->w->lost_at = now_us();
}

/* If the rank has ended, the root knows and says that; what is wrong otherwise is told when it had the time to */
#define LOST_US 500000

static void tell_lost(struct hccl_wire *w)
{
	struct hccl_comm *c = w->c;
	char text[HCCL_TEXT];

	if (!w->lost_at || now_us() - w->lost_at < LOST_US)
		return;
	w->lost_at = 0;
	if (atomic_load(&c->broken))
		return;
	for (uint32_t i = 0; i < c->ranks; i++) {
		if (!w->peers[i].lost)
			continue;
		snprintf(text, sizeof(text), "the connection of rank %u to rank %u (process %lld of another machine) failed: %s",
			 c->rank, i, (long long)c->peers[i].pid, w->ucx->status_string(w->peers[i].why));
		hccl_comm_break(c, HCCL_E_REMOTE, text);
		hccl_meet_tell(c->meeting, text);
		hccl_watch_abort(c);
		return;
	}
}

static void on_error(void *arg, ucp_ep_h ep, ucs_status_t status)
{
	(void)ep;
	lose(arg, status);
}

/* Sending ----------------------------------------------------------------------------------------- */

static void on_sent(void *request, ucs_status_t status, void *arg)
{
	struct wire_peer *p = arg;

	p->w->flying--;
	p->w->ucx->request_free(request);
	if (status != UCS_OK)
		lose(p, status);
}

/* Is the message on its way, so that @sent is called when it has left? */
static bool post_and(struct wire_peer *p, enum message id, uint32_t slot, const void *data, size_t size,
		     ucp_send_nbx_callback_t sent)
{
	ucp_request_param_t param = { .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
				      .cb.send = sent, .user_data = p };
	void *request;

	if (p->lost || atomic_load(&p->left))
		return false;
	request = p->w->ucx->am_send_nbx(p->ep, id, &p->heads[slot], sizeof(p->heads[slot]), data, size, &param);
	if (UCS_PTR_IS_ERR(request)) {
		lose(p, UCS_PTR_STATUS(request));
		return false;
	}
	p->w->flying += request != NULL;
	return request;
}

static void post(struct wire_peer *p, enum message id, uint32_t slot, const void *data, size_t size)
{
	post_and(p, id, slot, data, size, on_sent);
}

/* The value of a word that a task has set, which is taken back; 0: none has */
static uint64_t take(uint64_t *word)
{
	uint64_t value = __atomic_load_n(word, __ATOMIC_ACQUIRE);

	if (value)
		__atomic_store_n(word, 0, __ATOMIC_RELAXED);
	return value;
}

/* Sends the words and chunks that tasks have written for one rank. Returns how many messages it was */
static unsigned int carry(struct hccl_wire *w, uint32_t peer)
{
	struct hccl_comm *c = w->c;
	char *there = c->peers[peer].base;
	unsigned int n = 0;
	uint64_t value;

	for (uint32_t slot = 0; slot < HCCL_SLOTS; slot++) {
		value = take(hccl_word_filled(there, c->ranks, c->rank, slot));
		if (value)
			post(&w->peers[peer], WIRE_CHUNK, slot, c->peers[peer].slots + slot * c->slot_bytes, value - 1);
		n += value != 0;
		value = take(hccl_word_free(there, c->ranks, c->rank, slot));
		if (value)
			post(&w->peers[peer], WIRE_FREE, slot, NULL, 0);
		n += value != 0;
	}
	return n;
}

static unsigned int carry_all(struct hccl_wire *w)
{
	unsigned int n = 0;

	for (uint32_t i = 0; i < w->c->ranks; i++)
		if (i != w->c->rank)
			n += carry(w, i);
	return n;
}

static void post_all(struct hccl_wire *w, enum message id, const void *data, size_t size)
{
	for (uint32_t i = 0; i < w->c->ranks; i++)
		if (i != w->c->rank)
			post(&w->peers[i], id, 0, data, size);
}

static void on_told(void *request, ucs_status_t status, void *arg)
{
	struct wire_peer *p = arg;

	p->telling = false;
	on_sent(request, status, p);
}

#define SAY_US 100000

/*
 * How many collectives this rank has called, and whom it waits for, now and then and as often as its watcher looks, so that others can
 * name who is late or does not run. A rank that does not run takes no message, and is told no more until it does
 */
static void say_calls(struct hccl_wire *w, int64_t now)
{
	const struct hccl_public *me = hccl_public_of(w->c, w->c->rank);
	struct called said = { .calls = atomic_load(&me->called), .seen = atomic_load(&me->seen),
			       .waits_for = atomic_load(&me->waits_for) };

	if (now - w->said_at < SAY_US)
		return;
	memcpy(said.call, me->call, sizeof(said.call));
	for (uint32_t i = 0; i < w->c->ranks; i++) {
		struct wire_peer *p = &w->peers[i];

		if (i == w->c->rank || p->telling || (p->said.calls == said.calls && p->said.seen == said.seen))
			continue;
		w->said_at = now;
		p->said = said;
		p->telling = post_and(p, WIRE_CALLED, 0, &p->said, sizeof(p->said), on_told);
	}
}

static void on_parcel_sent(void *request, ucs_status_t status, void *arg)
{
	struct parcel *parcel = arg;

	on_sent(request, status, parcel->p);
	free(parcel);
}

static void post_parcel(struct hccl_wire *w, struct parcel *parcel)
{
	ucp_request_param_t param = { .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
				      .cb.send = on_parcel_sent, .user_data = parcel };
	struct wire_peer *p = parcel->p;
	void *request = NULL;

	if (!p->lost && !atomic_load(&p->left))
		request = w->ucx->am_send_nbx(p->ep, parcel->id, &p->heads[0], sizeof(p->heads[0]), parcel->data, parcel->size,
					      &param);
	if (request && !UCS_PTR_IS_ERR(request)) {
		w->flying++;
		return;
	}
	if (request)
		lose(p, UCS_PTR_STATUS(request));
	free(parcel);
}

static void post_parcels(struct hccl_wire *w)
{
	struct parcel *all, *next;

	if (!atomic_exchange(&w->mail, false))
		return;
	pthread_mutex_lock(&w->lock);
	all = w->parcels;
	w->parcels = NULL;
	w->last = &w->parcels;
	pthread_mutex_unlock(&w->lock);
	for (; all; all = next) {
		next = all->next;
		post_parcel(w, all);
	}
}

static bool put_parcel(struct hccl_wire *w, uint32_t to, enum message id, const void *data, size_t size)
{
	struct parcel *parcel = malloc(sizeof(*parcel) + size);

	if (!parcel)
		return false;
	*parcel = (struct parcel){ NULL, &w->peers[to], id, size };
	memcpy(parcel->data, data, size);
	pthread_mutex_lock(&w->lock);
	*w->last = parcel;
	w->last = &parcel->next;
	pthread_mutex_unlock(&w->lock);
	atomic_store(&w->mail, true);
	return true;
}

/* Receiving: nothing of what comes is believed ---------------------------------------------------- */

static struct wire_peer *sender(struct hccl_wire *w, enum message id, const void *header, size_t size, uint32_t *slot)
{
	struct head h;

	if (size != sizeof(h))
		return NULL;
	memcpy(&h, header, sizeof(h));
	*slot = h.slot;
	if (memcmp(h.job, w->c->addr.job, sizeof(h.job)) || h.from >= w->c->ranks || h.from == w->c->rank ||
	    h.slot >= HCCL_SLOTS)
		return NULL;
	/* a chunk of a call that was dropped; whether a rank leaves has nothing to do with calls */
	if (h.epoch != w->epoch && id != WIRE_BYE && id != WIRE_ADDRESS)
		return NULL;
	return &w->peers[h.from];
}

static void take_chunk(struct hccl_wire *w, struct wire_peer *p, uint32_t slot, const void *data, size_t size)
{
	struct hccl_comm *c = w->c;

	if (size > c->slot_bytes)
		return;
	memcpy(c->base + hccl_slots_offset(c, c->rank, p->rank) + slot * c->slot_bytes, data, size);
	__atomic_store_n(hccl_word_filled(c->base, c->ranks, p->rank, slot), 1, __ATOMIC_RELEASE);
}

static void take_free(struct hccl_wire *w, struct wire_peer *p, uint32_t slot, const void *data, size_t size)
{
	(void)data;
	(void)size;
	__atomic_store_n(hccl_word_free(w->c->base, w->c->ranks, p->rank, slot), 1, __ATOMIC_RELEASE);
}

static void take_called(struct hccl_wire *w, struct wire_peer *p, uint32_t slot, const void *data, size_t size)
{
	struct called said;

	(void)slot;
	if (size != sizeof(said))
		return;
	memcpy(&said, data, sizeof(said));
	said.call[sizeof(said.call) - 1] = 0;
	memcpy(hccl_public_of(w->c, p->rank)->call, said.call, sizeof(said.call));
	atomic_store(&hccl_public_of(w->c, p->rank)->called, said.calls);
	atomic_store(&hccl_public_of(w->c, p->rank)->waits_for, said.waits_for);
	/* by this machine's clock, in ms */
	atomic_store(&hccl_public_of(w->c, p->rank)->seen, now_us() / 1000);
}

static void take_address(struct hccl_wire *w, struct wire_peer *p, uint32_t slot, const void *data, size_t size)
{
	struct letter *l = size == sizeof(l->addr) ? calloc(1, sizeof(*l)) : NULL;

	(void)p;
	(void)slot;
	if (!l)
		return; /* whoever waits for it is told that it has not come */
	memcpy(&l->addr, data, sizeof(l->addr));
	l->addr.name[sizeof(l->addr.name) - 1] = 0;
	l->addr.ip[sizeof(l->addr.ip) - 1] = 0;
	pthread_mutex_lock(&w->lock);
	if (w->letters < LETTERS_MAX) {
		l->next = w->in;
		w->in = l;
		w->letters++;
		l = NULL;
	}
	pthread_mutex_unlock(&w->lock);
	free(l);
}

static void take_bye(struct hccl_wire *w, struct wire_peer *p, uint32_t slot, const void *data, size_t size)
{
	(void)w;
	(void)slot;
	(void)data;
	(void)size;
	atomic_store(&p->left, true);
}

/* For alignment, and because UCX takes its memory back */
static void take_note(struct hccl_wire *w, struct wire_peer *p, uint32_t slot, const void *data, size_t size)
{
	struct hccl_note n;

	(void)slot;
	if (size != sizeof(n))
		return;
	memcpy(&n, data, sizeof(n));
	w->differs = hccl_note_came(w->c, p->rank, &n) || w->differs;
}

static void take_pair(struct hccl_wire *w, struct wire_peer *p, uint32_t slot, const void *data, size_t size)
{
	struct hccl_pair_note n;

	(void)slot;
	if (size != sizeof(n))
		return;
	memcpy(&n, data, sizeof(n));
	w->differs = hccl_pair_note_came(w->c, p->rank, &n) || w->differs;
}

static void (*const takers[WIRE_KINDS])(struct hccl_wire *w, struct wire_peer *p, uint32_t slot, const void *data,
					size_t size) = {
	[WIRE_CHUNK] = take_chunk, [WIRE_FREE] = take_free, [WIRE_CALLED] = take_called, [WIRE_ADDRESS] = take_address,
	[WIRE_BYE] = take_bye, [WIRE_NOTE] = take_note, [WIRE_PAIR] = take_pair,
};

static ucs_status_t on_message(void *arg, const void *header, size_t header_size, void *data, size_t size,
			       const ucp_am_recv_param_t *param)
{
	const struct entrance *e = arg;
	uint32_t slot;
	struct wire_peer *p = sender(e->w, e->id, header, header_size, &slot);

	if (p && !(param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV))
		takers[e->id](e->w, p, slot, data, size);
	return UCS_OK;
}

/* The thread -------------------------------------------------------------------------------------- */

/* Looks often while something happens, then waits longer and longer */
static void rest(unsigned int idle)
{
	struct timespec t = { 0 };

	if (idle < 100) {
		sched_yield();
		return;
	}
	t.tv_nsec = idle < 150 ? 20000 : idle < 200 ? 100000 : 500000;
	nanosleep(&t, NULL);
}

/* Messages on their way say in which epoch they were sent, from memory of this rank: @flying is 0 */
static void restart(struct hccl_wire *w)
{
	struct hccl_comm *c = w->c;

	w->epoch++;
	for (uint32_t i = 0; i < c->ranks; i++) {
		if (i == c->rank)
			continue;
		memset(c->peers[i].base, 0, hccl_words_bytes(c->ranks));
		memset(hccl_public_of(c, i), 0, hccl_public_bytes(c->ranks));
		for (uint32_t k = 0; k < HCCL_SLOTS; k++)
			w->peers[i].heads[k].epoch = w->epoch;
		memset(&w->peers[i].said, 0, sizeof(w->peers[i].said));
	}
	hccl_first_words(c->window, c->ranks);
	atomic_store(&w->restart, false);
}

#define END_US	      5000000
#define END_BROKEN_US 200000

static void *run(void *arg)
{
	struct hccl_wire *w = arg;
	unsigned int idle = 0, turns = 0;
	int64_t end;

	hccl_thread_begins(w->c);
	while (!atomic_load(&w->ending)) {
		bool busy = w->ucx->worker_progress(w->worker) + carry_all(w) != 0;

		post_parcels(w);
		if (w->differs) {
			w->differs = false;
			hccl_watch_abort(w->c);
		}
		if (atomic_load(&w->restart) && !w->flying)
			restart(w);
		idle = busy ? 0 : idle + 1;
		if (idle % 16 == 1 || ++turns % 256 == 0) {
			say_calls(w, now_us());
			tell_lost(w);
		}
		rest(idle);
	}
	/* the tasks have ended: what they have written last goes out, and the others hear that this is no failure */
	end = now_us() + (atomic_load(&w->c->broken) ? END_BROKEN_US : END_US);
	carry_all(w);
	post_parcels(w);
	post_all(w, WIRE_BYE, NULL, 0);
	while (w->flying && now_us() < end)
		w->ucx->worker_progress(w->worker);
	return NULL;
}

/* Making and ending ------------------------------------------------------------------------------- */

static HcclResult open_context(struct hccl_wire *w)
{
	ucp_params_t params = { .field_mask = UCP_PARAM_FIELD_FEATURES, .features = UCP_FEATURE_AM };
	ucp_config_t *config;
	char interface[64];
	ucs_status_t status = w->ucx->config_read(NULL, NULL, &config);

	if (status != UCS_OK)
		return failed(w, "reading its configuration", status);
	/* messages come whole, into memory that UCX has */
	(void)w->ucx->config_modify(config, "RNDV_THRESH", "inf");
	if (hccl_net_interface(interface) && !getenv("UCX_NET_DEVICES"))
		(void)w->ucx->config_modify(config, "NET_DEVICES", interface);
	status = w->ucx->init_version(UCP_API_MAJOR, UCP_API_MINOR, &params, config, &w->context);
	w->ucx->config_release(config);
	if (status == UCS_OK)
		return HCCL_SUCCESS;
	w->context = NULL;
	return failed(w, "beginning", status);
}

static HcclResult open_worker(struct hccl_wire *w)
{
	ucp_worker_params_t params = { .field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
				       .thread_mode = UCS_THREAD_MODE_SERIALIZED };
	ucs_status_t status = w->ucx->worker_create(w->context, &params, &w->worker);

	if (status != UCS_OK) {
		w->worker = NULL;
		return failed(w, "making a worker", status);
	}
	for (enum message id = WIRE_CHUNK; id < WIRE_KINDS && status == UCS_OK; id++) {
		ucp_am_handler_param_t h = { .field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
							   UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG,
					     .id = id, .flags = UCP_AM_FLAG_WHOLE_MSG, .cb = on_message,
					     .arg = &w->entrances[id] };

		w->entrances[id] = (struct entrance){ w, id };
		status = w->ucx->worker_set_am_recv_handler(w->worker, &h);
	}
	if (status == UCS_OK)
		status = w->ucx->worker_get_address(w->worker, &w->address, &w->address_size);
	return status == UCS_OK ? HCCL_SUCCESS : failed(w, "preparing a worker", status);
}

HcclResult hccl_wire_load(struct hccl_comm *c)
{
	struct hccl_wire *w = calloc(1, sizeof(*w));
	HcclResult ret;

	if (!w)
		return hccl_fail(HCCL_E_MEMORY, "no memory for a communicator");
	w->c = c;
	w->last = &w->parcels;
	c->wire = w;
	pthread_mutex_init(&w->lock, NULL);
	w->peers = calloc(c->ranks, sizeof(*w->peers));
	w->ucx = hccl_ucx_load();
	if (!w->peers || !w->ucx)
		return w->ucx ? hccl_fail(HCCL_E_MEMORY, "no memory for %u ranks", c->ranks) : HCCL_E_NOT_SUPPORT;
	ret = open_context(w);
	return ret ? ret : open_worker(w);
}

const void *hccl_wire_address(const struct hccl_comm *c, size_t *bytes)
{
	*bytes = c->wire->address_size;
	return c->wire->address;
}

static HcclResult connect_peer(struct hccl_wire *w, uint32_t rank, const char *address)
{
	struct wire_peer *p = &w->peers[rank];
	ucp_ep_params_t params = { .field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLER |
						 UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE,
				   .address = (const ucp_address_t *)address, .err_mode = UCP_ERR_HANDLING_MODE_PEER,
				   .err_handler = { .cb = on_error, .arg = p } };
	ucs_status_t status;

	p->w = w;
	p->rank = rank;
	for (uint32_t i = 0; i < HCCL_SLOTS; i++) {
		memcpy(p->heads[i].job, w->c->addr.job, sizeof(p->heads[i].job));
		p->heads[i].from = w->c->rank;
		p->heads[i].slot = i;
	}
	status = w->ucx->ep_create(w->worker, &params, &p->ep);
	if (status == UCS_OK)
		return HCCL_SUCCESS;
	p->ep = NULL;
	return hccl_fail(HCCL_E_NETWORK, "UCX: rank %u cannot be reached: %s", rank, w->ucx->status_string(status));
}

HcclResult hccl_wire_start(struct hccl_comm *c, const char *addresses, size_t stride)
{
	struct hccl_wire *w = c->wire;
	HcclResult ret = HCCL_SUCCESS;
	sigset_t all, before;
	int err;

	for (uint32_t i = 0; i < c->ranks && !ret; i++)
		if (i != c->rank)
			ret = connect_peer(w, i, addresses + i * stride);
	if (ret)
		return ret;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&w->thread, NULL, run, w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	w->running = !err;
	return err ? hccl_fail(HCCL_E_SYSCALL, "a thread for messages cannot be made: %s", strerror(err)) : HCCL_SUCCESS;
}

HcclResult hccl_wire_post(struct hccl_comm *c, uint32_t to, const struct hccl_address *addr)
{
	return put_parcel(c->wire, to, WIRE_ADDRESS, addr, sizeof(*addr)) ? HCCL_SUCCESS :
		hccl_fail(HCCL_E_MEMORY, "no memory for a message");
}

/* Without memory for it, others miss a note, as they do if they are late; nothing else depends on it */
void hccl_wire_note_pair(struct hccl_comm *c, const struct hccl_pair_note *n)
{
	struct hccl_pair_note copy;

	memcpy(&copy, n, sizeof(copy));
	(void)put_parcel(c->wire, n->peer, WIRE_PAIR, &copy, sizeof(copy));
}

void hccl_wire_note_all(struct hccl_comm *c, const struct hccl_note *n)
{
	struct hccl_note copy;

	memcpy(&copy, n, sizeof(copy));
	for (uint32_t i = 0; i < c->ranks; i++)
		if (i != c->rank)
			(void)put_parcel(c->wire, i, WIRE_NOTE, &copy, sizeof(copy));
}

static bool take_letter(struct hccl_wire *w, struct hccl_address *addr)
{
	for (struct letter **p = &w->in; *p; p = &(*p)->next) {
		struct letter *l = *p;

		if (memcmp(l->addr.job, addr->job, sizeof(addr->job)))
			continue;
		*p = l->next;
		*addr = l->addr;
		w->letters--;
		free(l);
		return true;
	}
	return false;
}

HcclResult hccl_wire_fetch(struct hccl_comm *c, struct hccl_address *addr)
{
	struct hccl_wire *w = c->wire;
	struct timespec pause = { .tv_nsec = 5000000 };
	int left = 200 * hccl_connect_seconds();
	bool found = false;

	/* the communicator may fail meanwhile */
	for (; !found && left && !atomic_load(&c->broken); left--) {
		pthread_mutex_lock(&w->lock);
		found = take_letter(w, addr);
		pthread_mutex_unlock(&w->lock);
		if (!found)
			nanosleep(&pause, NULL);
	}
	return found ? HCCL_SUCCESS : hccl_fail(HCCL_E_TIMEOUT, "rank 0 of the new communicator has not come within %d s "
						"(HCCL_CONNECT_TIMEOUT)", hccl_connect_seconds());
}

static void free_letters(struct letter *l)
{
	struct letter *next;

	for (; l; l = next) {
		next = l->next;
		free(l);
	}
}

static void close_peer(struct hccl_wire *w, struct wire_peer *p)
{
	ucp_request_param_t param = { .op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS, .flags = UCP_EP_CLOSE_FLAG_FORCE };
	void *request = p->ep ? w->ucx->ep_close_nbx(p->ep, &param) : NULL;
	int64_t end = now_us() + END_BROKEN_US;

	if (!request || UCS_PTR_IS_ERR(request))
		return;
	while (w->ucx->request_check_status(request) == UCS_INPROGRESS && now_us() < end)
		w->ucx->worker_progress(w->worker);
	w->ucx->request_free(request);
}

HcclResult hccl_wire_restart(struct hccl_comm *c)
{
	struct hccl_wire *w = c->wire;
	struct timespec pause = { .tv_nsec = 200000 };
	int64_t end = now_us() + END_US;

	atomic_store(&w->restart, true);
	while (atomic_load(&w->restart)) {
		if (now_us() > end)
			return hccl_fail(HCCL_E_NETWORK, "messages to other ranks are not taken: the network or a machine is slow "
					 "or gone");
		nanosleep(&pause, NULL);
	}
	return HCCL_SUCCESS;
}

void hccl_wire_end(struct hccl_comm *c)
{
	struct hccl_wire *w = c->wire;

	if (!w)
		return;
	atomic_store(&w->ending, true);
	if (w->running)
		pthread_join(w->thread, NULL);
	for (uint32_t i = 0; w->peers && w->worker && i < c->ranks; i++)
		close_peer(w, &w->peers[i]);
	if (w->address)
		w->ucx->worker_release_address(w->worker, w->address);
	if (w->worker)
		w->ucx->worker_destroy(w->worker);
	if (w->context)
		w->ucx->cleanup(w->context);
	free_letters(w->in);
	while (w->parcels) {
		struct parcel *next = w->parcels->next;

		free(w->parcels);
		w->parcels = next;
	}
	pthread_mutex_destroy(&w->lock);
	free(w->peers);
	free(w);
	c->wire = NULL;
}

#endif
