// SPDX-License-Identifier: MIT
/*
 * How programs get communicators, and what they ask of them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "hccl_inside.h"
#include "net/net.h"

/* In HcclRootInfo */
struct root_info {
	char magic[8];
	struct hccl_address addr;
	char host[64];
};

_Static_assert(sizeof(struct root_info) <= 256, "some programs pass on no more than 256 bytes");

static const char magic[8] = "ANPUhc2";

static void host_name(char out[64])
{
	memset(out, 0, 64);
	(void)gethostname(out, 63); /* an empty name is as good as any: it is only compared */
}

static HcclResult check_ranks(uint32_t ranks, uint32_t rank)
{
	if (!ranks || ranks > HCCL_MAX_RANKS)
		return hccl_fail(HCCL_E_PARA, "nRanks is %u and must be 1 to %d", ranks, HCCL_MAX_RANKS);
	if (rank >= ranks)
		return hccl_fail(HCCL_E_PARA, "rank is %u and must be below the number of ranks, %u", rank, ranks);
	return HCCL_SUCCESS;
}

static HcclResult make_info(struct root_info *info)
{
	uint64_t name[2];
	HcclResult ret;

	memset(info, 0, sizeof(*info));
	memcpy(info->magic, magic, sizeof(magic));
	host_name(info->host);
	if (getrandom(name, sizeof(name), 0) != sizeof(name) ||
	    getrandom(info->addr.job, sizeof(info->addr.job), 0) != sizeof(info->addr.job))
		return hccl_fail(HCCL_E_SYSCALL, "no random numbers: %s", strerror(errno));
	snprintf(info->addr.name, sizeof(info->addr.name), "anpu-hccl-%016llx%016llx", (unsigned long long)name[0],
		 (unsigned long long)name[1]);
	info->addr.machine = hccl_net_machine();
	ret = hccl_net_own(info->addr.ip);
	return ret ? ret : hccl_meet_serve(&info->addr);
}

HcclResult HcclGetRootInfo(HcclRootInfo *rootInfo)
{
	struct root_info info;
	HcclResult ret;

	HCCL_ENTER();
	if (!rootInfo)
		return hccl_fail(HCCL_E_PTR, "rootInfo is NULL");
	ret = make_info(&info);
	if (ret)
		return ret;
	/* The rest is nobody's: some programs have room for less than HCCL_ROOT_INFO_BYTES, and pass on as much */
	memcpy(rootInfo->internal, &info, sizeof(info));
	return HCCL_SUCCESS;
}

static HcclResult join(uint32_t ranks, const struct root_info *info, uint32_t rank, const HcclCommConfig *config,
		       HcclComm *comm)
{
	struct hccl_settings set;
	struct hccl_comm *c;
	char host[64];
	HcclResult ret = check_ranks(ranks, rank);

	if (ret)
		return ret;
	if (memcmp(info->magic, magic, sizeof(magic)))
		return hccl_fail(HCCL_E_PARA, "rootInfo is not what HcclGetRootInfo() of this version has written");
	host_name(host);
	if (info->addr.machine != hccl_net_machine() && !info->addr.ip[0])
		return hccl_fail(HCCL_E_TCP_CONNECT, "rootInfo was made on the machine '%.63s', which had no address for "
				 "others, and this is '%s': set HCCL_IF_IP or HCCL_SOCKET_IFNAME there", info->host, host);
	ret = hccl_settings_read(&set, config);
	if (!ret)
		ret = hccl_comm_make(&info->addr, ranks, rank, false, NULL, &set, &c);
	if (!ret)
		*comm = c;
	return ret;
}

/* HcclCommInitRootInfoConfig() in a group */
struct later_init {
	struct hccl_later l;
	uint32_t ranks, rank;
	struct root_info info;
	bool has_config;
	HcclCommConfig config;
	HcclComm *out;
};

static HcclResult run_later(struct hccl_later *l)
{
	struct later_init *i = (void *)l;

	return join(i->ranks, &i->info, i->rank, i->has_config ? &i->config : NULL, i->out);
}

static HcclResult put_off(uint32_t ranks, const struct root_info *info, uint32_t rank, const HcclCommConfig *config,
			  HcclComm *comm)
{
	struct later_init *i = calloc(1, sizeof(*i));

	if (!i)
		return hccl_fail(HCCL_E_MEMORY, "no memory for a call in a group");
	i->l.run = run_later;
	i->ranks = ranks;
	i->rank = rank;
	i->info = *info;
	i->has_config = config != NULL;
	if (config)
		i->config = *config;
	i->out = comm;
	return hccl_put_off(&i->l);
}

static HcclResult init(uint32_t ranks, const HcclRootInfo *rootInfo, uint32_t rank, const HcclCommConfig *config,
		       HcclComm *comm)
{
	struct root_info info;

	if (!rootInfo || !comm)
		return hccl_fail(HCCL_E_PTR, "%s is NULL", rootInfo ? "comm" : "rootInfo");
	memcpy(&info, rootInfo->internal, sizeof(info));
	info.addr.name[sizeof(info.addr.name) - 1] = 0;
	info.addr.ip[sizeof(info.addr.ip) - 1] = 0;
	return hccl_grouped() ? put_off(ranks, &info, rank, config, comm) : join(ranks, &info, rank, config, comm);
}

HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo *rootInfo, uint32_t rank, HcclComm *comm)
{
	HCCL_ENTER();
	return init(nRanks, rootInfo, rank, NULL, comm);
}

HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks, const HcclRootInfo *rootInfo, uint32_t rank,
				      const HcclCommConfig *config, HcclComm *comm)
{
	HCCL_ENTER();
	if (!config)
		return hccl_fail(HCCL_E_PTR, "config is NULL");
	return init(nRanks, rootInfo, rank, config, comm);
}

/* All ranks in one process --------------------------------------------------------------------- */

struct one {
	pthread_t thread;
	uint32_t ranks, rank;
	int32_t device;
	const struct root_info *info;
	HcclComm comm;
	HcclResult ret;
	bool started;
	char text[HCCL_TEXT];
};

static void *init_one(void *arg)
{
	struct one *o = arg;
	aclError err = aclrtSetDevice(o->device);

	hccl_enter("HcclCommInitAll");
	if (err)
		o->ret = hccl_fail(HCCL_E_PARA, "device %d of rank %u cannot be used (aclrtSetDevice() returned %d)",
				   o->device, o->rank, err);
	else
		o->ret = join(o->ranks, o->info, o->rank, NULL, &o->comm);
	if (!o->ret)
		((struct hccl_comm *)o->comm)->own_device = true;
	else if (!err)
		(void)aclrtResetDevice(o->device);
	snprintf(o->text, sizeof(o->text), "%s", o->ret ? hccl_last_text() : "");
	return NULL;
}

/* The sentence that tells the cause: others only say that a rank has failed */
static HcclResult first_failure(const struct one *all, uint32_t n)
{
	const struct one *why = NULL;

	for (uint32_t i = 0; i < n; i++)
		if (all[i].ret && (!why || (why->ret == HCCL_E_REMOTE && all[i].ret != HCCL_E_REMOTE)))
			why = &all[i];
	return why ? hccl_fail(why->ret, "rank %u: %s", why->rank, why->text) : HCCL_SUCCESS;
}

static HcclResult init_all(uint32_t n, const int32_t *devices, HcclComm *comms, struct one *all)
{
	struct root_info info;
	HcclResult ret = make_info(&info);
	uint32_t missing = n;
	int err = 0;

	if (ret)
		return ret;
	for (uint32_t i = 0; i < n; i++) {
		all[i].ranks = n;
		all[i].rank = i;
		all[i].device = devices[i];
		all[i].info = &info;
		err = err ? err : pthread_create(&all[i].thread, NULL, init_one, &all[i]);
		all[i].started = !err;
		missing = err && missing == n ? i : missing;
	}
	/* the others would wait for it */
	if (missing < n)
		hccl_meet_abandon(&info.addr, n, missing);
	for (uint32_t i = 0; i < n; i++)
		if (all[i].started)
			pthread_join(all[i].thread, NULL);
	ret = err ? hccl_fail(HCCL_E_SYSCALL, "a thread for a rank cannot be made: %s", strerror(err)) :
		first_failure(all, n);
	for (uint32_t i = 0; i < n; i++) {
		if (!ret)
			comms[i] = all[i].comm;
		else if (all[i].comm)
			(void)HcclCommDestroy(all[i].comm);
	}
	return ret;
}

HcclResult HcclCommInitAll(uint32_t ndev, int32_t *devices, HcclComm *comms)
{
	struct one *all;
	uint32_t count = 0;
	HcclResult ret;

	HCCL_ENTER();
	if (!devices || !comms)
		return hccl_fail(HCCL_E_PTR, "%s is NULL", devices ? "comms" : "devices");
	if (!ndev || ndev > HCCL_MAX_RANKS)
		return hccl_fail(HCCL_E_PARA, "ndev is %u and must be 1 to %d", ndev, HCCL_MAX_RANKS);
	(void)aclrtGetDeviceCount(&count);
	for (uint32_t i = 0; i < ndev; i++)
		if (devices[i] < 0 || (uint32_t)devices[i] >= count)
			return hccl_fail(HCCL_E_PARA, "devices[%u] is %d and there are the devices 0 to %d: several ranks may "
					 "have one, and anpu-run --device ... or ANPU_DIRECT=\"cores=2;cores=2;...\", one "
					 "part for each, give more", i, devices[i], (int)count - 1);
	all = calloc(ndev, sizeof(*all));
	if (!all)
		return hccl_fail(HCCL_E_MEMORY, "no memory for %u ranks", ndev);
	ret = init_all(ndev, devices, comms, all);
	free(all);
	return ret;
}

/* Ranks that know of each other already ---------------------------------------------------------- */

/* An address that all ranks make out of what they know */
static void derive(struct hccl_address *addr, const char *kind, uint64_t a, uint64_t b)
{
	uint64_t job[2] = { a, b };

	memset(addr, 0, sizeof(*addr));
	memcpy(addr->job, job, sizeof(addr->job));
	snprintf(addr->name, sizeof(addr->name), "anpu-hccl-%s-%016llx%016llx", kind, (unsigned long long)a,
		 (unsigned long long)b);
}

/* Rank 0, at whose root the others meet; without it the next try would find the root of this one */
static HcclResult host(struct hccl_address *addr, uint32_t ranks, struct hccl_comm *parent, const struct hccl_settings *set,
		       struct hccl_comm **out)
{
	HcclResult ret = hccl_comm_make(addr, ranks, 0, false, parent, set, out);

	if (ret)
		hccl_meet_abandon(addr, ranks, 0);
	return ret;
}

static HcclResult join_known(struct hccl_address *addr, uint32_t ranks, uint32_t rank, struct hccl_comm *parent,
			     const struct hccl_settings *set, HcclComm *comm)
{
	struct hccl_comm *c;
	HcclResult ret = rank ? hccl_comm_make(addr, ranks, rank, true, parent, set, &c) : hccl_meet_serve(addr);

	if (!ret && !rank)
		ret = host(addr, ranks, parent, set, &c);
	if (!ret)
		*comm = c;
	return ret;
}

/* Published default of HCCL_IF_BASE_PORT */
#define BASE_PORT 60000

/* Ranks of other servers than the root's know it by the table, and the port by the environment, as do all of them */
static HcclResult table_address(struct hccl_address *addr, const struct hccl_table *table)
{
	long port = BASE_PORT;
	HcclResult ret = table->ip[0] ? hccl_env_number("HCCL_IF_BASE_PORT", HCCL_PORT_MIN, HCCL_PORT_MAX, &port) : HCCL_SUCCESS;

	if (ret || !table->ip[0])
		return ret;
	memcpy(addr->ip, table->ip, sizeof(addr->ip));
	addr->port = (uint16_t)port;
	addr->machine = table->with_root ? hccl_net_machine() : 0;
	return HCCL_SUCCESS;
}

static HcclResult init_table(const char *text, size_t size, const char *name, uint32_t rank, const HcclCommConfig *config,
			     HcclComm *comm)
{
	uint64_t a = hccl_mix(size, NULL, 0), b = ~a, word;
	struct hccl_settings set;
	struct hccl_address addr;
	struct hccl_table table;
	int32_t device;
	HcclResult ret = hccl_table_read(text, size, name, rank, &table);

	if (!ret)
		ret = hccl_settings_read(&set, config);
	if (ret)
		return ret;
	if (aclrtGetDevice(&device))
		return hccl_fail(HCCL_E_RUNTIME, "the thread has no device: call aclrtSetDevice(%d) before", table.device);
	if (device != table.device)
		return hccl_fail(HCCL_E_PARA, "%.120s gives rank %u device %d, and the thread's is %d: call "
				 "aclrtSetDevice(%d) before", name, rank, table.device, device, table.device);
	for (size_t i = 0; i < size; i++) {
		word = (uint8_t)text[i];
		a = hccl_mix(a, &word, 1);
		b = hccl_mix(b, &a, 1);
	}
	derive(&addr, "table", a, b);
	ret = table_address(&addr, &table);
	return ret ? ret : join_known(&addr, table.ranks, rank, NULL, &set, comm);
}

/* HcclCommInitClusterInfo() and its relatives in a group */
struct later_table {
	struct hccl_later l;
	char *text; /* of l.kept, as is @name behind it */
	const char *name;
	size_t size;
	uint32_t rank;
	bool has_config;
	HcclCommConfig config;
	HcclComm *out;
};

static HcclResult run_table(struct hccl_later *l)
{
	struct later_table *t = (void *)l;

	return init_table(t->text, t->size, t->name, t->rank, t->has_config ? &t->config : NULL, t->out);
}

static HcclResult put_off_table(const char *text, size_t size, const char *name, uint32_t rank, const HcclCommConfig *config,
				HcclComm *comm)
{
	struct later_table *t = calloc(1, sizeof(*t));
	char *kept = malloc(size + strlen(name) + 1);

	if (!t || !kept) {
		free(t);
		free(kept);
		return hccl_fail(HCCL_E_MEMORY, "no memory for a call in a group");
	}
	t->text = memcpy(kept, text, size);
	t->name = strcpy(kept + size, name);
	t->size = size;
	t->rank = rank;
	t->has_config = config != NULL;
	if (config)
		t->config = *config;
	t->out = comm;
	t->l.run = run_table;
	t->l.kept = kept;
	return hccl_put_off(&t->l);
}

static HcclResult join_table(const char *text, size_t size, const char *name, uint32_t rank, const HcclCommConfig *config,
			     HcclComm *comm)
{
	return (hccl_grouped() ? put_off_table : init_table)(text, size, name, rank, config, comm);
}

#define TABLE_MAX (16 << 20)

static HcclResult read_file(const char *path, char **text, size_t *size)
{
	FILE *f = fopen(path, "r");
	struct stat st;

	*text = NULL;
	if (!f || fstat(fileno(f), &st) || !S_ISREG(st.st_mode) || st.st_size > TABLE_MAX) {
		HcclResult ret = hccl_fail(HCCL_E_OPEN_FILE_FAILURE, "the rank table %.200s cannot be read: %s", path,
					   f ? "it is no file of at most 16 MiB" : strerror(errno));

		if (f)
			fclose(f);
		return ret;
	}
	*text = malloc((size_t)st.st_size + 1);
	*size = *text ? fread(*text, 1, (size_t)st.st_size, f) : 0;
	fclose(f);
	return *text ? HCCL_SUCCESS : hccl_fail(HCCL_E_MEMORY, "no memory for the rank table %.200s", path);
}

static HcclResult init_file(const char *path, uint32_t rank, const HcclCommConfig *config, HcclComm *comm)
{
	size_t size;
	char *text;
	HcclResult ret;

	if (!path)
		path = getenv("RANK_TABLE_FILE");
	if (!path || !comm)
		return hccl_fail(HCCL_E_PTR, "%s", comm ? "clusterInfo is NULL, and RANK_TABLE_FILE is not in the environment" :
				 "comm is NULL");
	ret = read_file(path, &text, &size);
	if (!ret)
		ret = join_table(text, size, path, rank, config, comm);
	free(text);
	return ret;
}

HcclResult HcclCommInitClusterInfo(const char *clusterInfo, uint32_t rank, HcclComm *comm)
{
	HCCL_ENTER();
	return init_file(clusterInfo, rank, NULL, comm);
}

HcclResult HcclCommInitClusterInfoConfig(const char *clusterInfo, uint32_t rank, HcclCommConfig *config, HcclComm *comm)
{
	HCCL_ENTER();
	if (!config)
		return hccl_fail(HCCL_E_PTR, "config is NULL");
	return init_file(clusterInfo, rank, config, comm);
}

HcclResult HcclCommInitClusterInfoMemConfig(const char *rankTableString, uint32_t rank, HcclCommConfig *config,
					    HcclComm *comm)
{
	HCCL_ENTER();
	if (!rankTableString || !config || !comm)
		return hccl_fail(HCCL_E_PTR, "%s is NULL", !rankTableString ? "rankTableString" : config ? "comm" : "config");
	return join_table(rankTableString, strlen(rankTableString), "rankTableString", rank, config, comm);
}

static HcclResult check_members(const struct hccl_comm *c, uint32_t n, const uint32_t *ids, uint32_t me)
{
	if (!n || n > c->ranks)
		return hccl_fail(HCCL_E_PARA, "rankNum is %u and the communicator has %u ranks", n, c->ranks);
	if (me >= n || ids[me] != c->rank)
		return hccl_fail(HCCL_E_PARA, "subCommRankId is %u, and rankIds has this rank, %u, at another place or not at "
				 "all", me, c->rank);
	for (uint32_t i = 0; i < n; i++) {
		if (ids[i] >= c->ranks)
			return hccl_fail(HCCL_E_PARA, "rankIds[%u] is %u and the communicator has %u ranks", i, ids[i],
					 c->ranks);
		for (uint32_t k = 0; k < i; k++)
			if (ids[k] == ids[i])
				return hccl_fail(HCCL_E_PARA, "rankIds[%u] and rankIds[%u] are both %u", k, i, ids[i]);
	}
	return HCCL_SUCCESS;
}

/* Where rank 0 listens, the others of several machines hear by the communicator that there is */
static HcclResult join_far(struct hccl_comm *parent, struct hccl_address *addr, uint32_t n, const uint32_t *ids, uint32_t me,
			   const struct hccl_settings *set, HcclComm *out)
{
	struct hccl_comm *c;
	HcclResult ret = HCCL_SUCCESS;

	if (me) {
		ret = hccl_wire_fetch(parent, addr);
	} else {
		addr->machine = hccl_net_machine();
		ret = hccl_net_own(addr->ip);
		if (!ret)
			ret = hccl_meet_serve(addr);
		for (uint32_t i = 1; i < n && !ret; i++)
			ret = hccl_wire_post(parent, ids[i], addr);
	}
	if (!ret)
		ret = me ? hccl_comm_make(addr, n, me, false, parent, set, &c) : host(addr, n, parent, set, &c);
	if (!ret)
		*out = c;
	return ret;
}

/* The others say only that one of them has given up: why is said by the communicator that has failed, or is about to hear of it */
static HcclResult parents_failure(struct hccl_comm *c, HcclResult ret)
{
	struct timespec pause = { .tv_nsec = 10000000 };
	HcclResult why;

	for (int i = 0; i < 100 && ret == HCCL_E_REMOTE && !atomic_load(&c->broken); i++)
		nanosleep(&pause, NULL);
	why = hccl_comm_broken(c);
	return why ? why : ret;
}

static HcclResult create_sub(struct hccl_comm *c, uint32_t n, const uint32_t *ids, uint64_t id, uint32_t me,
			     const HcclCommConfig *config, HcclComm *out)
{
	struct hccl_settings set;
	struct hccl_address addr;
	/* mixed by itself first: else number 4 with rank 0 alone would be number 5 with rank 1 alone */
	uint64_t a = hccl_mix(1, &id, 1), b;
	HcclResult ret = check_members(c, n, ids, me);

	if (!ret)
		ret = hccl_settings_read(&set, config);
	if (ret)
		return ret;
	for (uint32_t i = 0; i < n; i++) {
		b = ids[i];
		a = hccl_mix(a, &b, 1);
	}
	memcpy(&b, c->addr.job, sizeof(b));
	b = hccl_mix(b, &a, 1);
	derive(&addr, "sub", a, b);
	ret = c->wire ? join_far(c, &addr, n, ids, me, &set, out) : join_known(&addr, n, me, c, &set, out);
	return ret ? parents_failure(c, ret) : HCCL_SUCCESS;
}

/* HcclCreateSubCommConfig() in a group */
struct later_sub {
	struct hccl_later l;
	uint32_t n, me;
	uint64_t id;
	HcclCommConfig config;
	HcclComm *out;
};

static HcclResult run_sub(struct hccl_later *l)
{
	struct later_sub *s = (void *)l;
	HcclResult ret = HCCL_SUCCESS;
	struct hccl_comm *c = hccl_comm_get(l->comm, &ret);

	if (!c)
		return ret;
	ret = create_sub(c, s->n, l->kept, s->id, s->me, &s->config, s->out);
	hccl_comm_put(c);
	return ret;
}

static HcclResult put_off_sub(struct hccl_comm *c, uint32_t n, const uint32_t *ids, uint64_t id, uint32_t me,
			      const HcclCommConfig *config, HcclComm *out)
{
	HcclResult ret = check_members(c, n, ids, me);
	struct later_sub *s;

	if (ret)
		return ret;
	s = calloc(1, sizeof(*s));
	if (s)
		s->l.kept = malloc(n * sizeof(*ids));
	if (!s || !s->l.kept) {
		free(s);
		return hccl_fail(HCCL_E_MEMORY, "no memory for a call in a group");
	}
	memcpy(s->l.kept, ids, n * sizeof(*ids));
	s->n = n;
	s->id = id;
	s->me = me;
	s->config = *config;
	s->out = out;
	s->l.run = run_sub;
	s->l.comm = c;
	/* a stream of its own: those of one communicator are made in their order, those of others at the same time */
	s->l.stream = (aclrtStream)c;
	return hccl_put_off(&s->l);
}

HcclResult HcclCreateSubCommConfig(HcclComm *comm, uint32_t rankNum, uint32_t *rankIds, uint64_t subCommId,
				   uint32_t subCommRankId, HcclCommConfig *config, HcclComm *subComm)
{
	struct hccl_comm *c;
	HcclResult ret = HCCL_SUCCESS;

	HCCL_ENTER();
	if (!comm || !subComm)
		return hccl_fail(HCCL_E_PTR, "%s is NULL", comm ? "subComm" : "comm");
	c = hccl_comm_get(*comm, &ret);
	if (!c)
		return ret;
	*subComm = NULL;
	if (rankIds && !config)
		ret = hccl_fail(HCCL_E_PTR, "config is NULL");
	else if (!rankIds && rankNum)
		ret = hccl_fail(HCCL_E_PTR, "rankIds is NULL and rankNum %u: a rank that is not in the new communicator "
				"passes 0", rankNum);
	else if (rankIds)
		ret = (hccl_grouped() ? put_off_sub : create_sub)(c, rankNum, rankIds, subCommId, subCommRankId, config, subComm);
	hccl_comm_put(c);
	return ret;
}

/* Questions --------------------------------------------------------------------------------------- */

HcclResult HcclGetRankId(HcclComm comm, uint32_t *rank)
{
	struct hccl_comm *c;
	HcclResult ret = HCCL_SUCCESS;

	HCCL_ENTER();
	if (!rank)
		return hccl_fail(HCCL_E_PTR, "rank is NULL");
	c = hccl_comm_get(comm, &ret);
	if (!c)
		return ret;
	*rank = c->rank;
	hccl_comm_put(c);
	return HCCL_SUCCESS;
}

HcclResult HcclGetRankSize(HcclComm comm, uint32_t *rankSize)
{
	struct hccl_comm *c;
	HcclResult ret = HCCL_SUCCESS;

	HCCL_ENTER();
	if (!rankSize)
		return hccl_fail(HCCL_E_PTR, "rankSize is NULL");
	c = hccl_comm_get(comm, &ret);
	if (!c)
		return ret;
	*rankSize = c->ranks;
	hccl_comm_put(c);
	return HCCL_SUCCESS;
}

HcclResult HcclGetCommName(HcclComm comm, char *commName)
{
	struct hccl_comm *c;
	HcclResult ret = HCCL_SUCCESS;

	HCCL_ENTER();
	if (!commName)
		return hccl_fail(HCCL_E_PTR, "commName is NULL");
	c = hccl_comm_get(comm, &ret);
	if (!c)
		return ret;
	strcpy(commName, c->name);
	hccl_comm_put(c);
	return HCCL_SUCCESS;
}

/* Ranks that are threads have the same name: the one that the thread has made, else one of its device, else any */
enum { NAME_MADE, NAME_DEVICE, NAME_ANY };

struct name {
	const char *name;
	int32_t device;
	int kind;
	HcclComm found;
};

static bool has_name(struct hccl_comm *c, void *arg)
{
	struct name *n = arg;

	if (strcmp(c->name, n->name) || (n->kind == NAME_DEVICE && n->device != c->device) ||
	    (n->kind == NAME_MADE && (n->device != c->device || !pthread_equal(c->maker, pthread_self()))))
		return false;
	n->found = c;
	return true;
}

HcclResult HcclCommGetHandleWithName(const char *commName, HcclComm *comm)
{
	struct name n = { .name = commName };

	HCCL_ENTER();
	if (!commName || !comm)
		return hccl_fail(HCCL_E_PTR, "%s is NULL", commName ? "comm" : "commName");
	if (aclrtGetDevice(&n.device))
		n.kind = NAME_ANY;
	while (!hccl_comm_each(has_name, &n) && n.kind < NAME_ANY)
		n.kind++;
	if (!n.found)
		return hccl_fail(HCCL_E_NOT_FOUND, "no communicator of this process is called '%.127s'", commName);
	*comm = n.found;
	return HCCL_SUCCESS;
}

/* There is one way between two devices, and nothing to switch: the published code for that is success, with a warning */
HcclResult HcclCommWorkingDevNicSet(HcclComm comm, uint32_t *ranks, bool *useBackup, uint32_t nRanks)
{
	struct hccl_comm *c;
	HcclResult ret = HCCL_SUCCESS;

	HCCL_ENTER();
	c = hccl_comm_get(comm, &ret);
	if (!c)
		return ret;
	if (!ranks || !useBackup)
		ret = hccl_fail(HCCL_E_PTR, "%s is NULL", ranks ? "useBackup" : "ranks");
	else if (!nRanks || nRanks > c->ranks)
		ret = hccl_fail(HCCL_E_PARA, "nRanks is %u and the communicator has %u ranks", nRanks, c->ranks);
	for (uint32_t i = 0; i < nRanks && !ret; i++)
		if (ranks[i] >= c->ranks)
			ret = hccl_fail(HCCL_E_PARA, "ranks[%u] is %u and the communicator has %u ranks", i, ranks[i], c->ranks);
	if (!ret)
		aclAppLog(ACL_WARNING, __func__, __FILE__, __LINE__, "communicator %s: devices have no network cards of their "
			  "own, so none was switched", c->name);
	hccl_comm_put(c);
	return ret;
}

HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult *asyncError)
{
	struct hccl_comm *c;
	HcclResult ret = HCCL_SUCCESS;

	HCCL_ENTER();
	if (!asyncError)
		return hccl_fail(HCCL_E_PTR, "asyncError is NULL");
	c = hccl_comm_get(comm, &ret);
	if (!c)
		return ret;
	*asyncError = hccl_comm_stopped(c);
	hccl_comm_put(c);
	return HCCL_SUCCESS;
}
