/* SPDX-License-Identifier: MIT */
/*
 * One program for all launchers: its rank, and where to find the others, come from the environment that torchrun, Slurm,
 * Open MPI, MPICH or a plain script has made. Rank 0 gives the root info to the others at MASTER_ADDR.
 *
 *	for i in 0 1 2 3; do RANK=$i WORLD_SIZE=4 ./launch & done; wait
 *	torchrun --no_python --nproc_per_node 4 ./launch
 *	srun -n 4 ./launch		(MASTER_ADDR=host of task 0)
 *	mpirun -n 4 ./launch
 */
#define _GNU_SOURCE
#include <netdb.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "sample.h"

#include <hccl/hccl.h>

struct place {
	uint32_t rank, ranks, local;
	const char *root;
	char port[16];
};

/* The first of @names that is in the environment, as a number */
static int number(const char *const names[], uint32_t *out)
{
	for (; *names; names++) {
		const char *text = getenv(*names);
		char *end;

		if (!text || !*text)
			continue;
		*out = (uint32_t)strtoul(text, &end, 10);
		if (*end) {
			fprintf(stderr, "%s is '%s', which is no number\n", *names, text);
			exit(2);
		}
		return 1;
	}
	return 0;
}

static struct place find_place(void)
{
	static const char *const rank[] = { "RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", NULL };
	static const char *const ranks[] = { "WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", NULL };
	static const char *const local[] = { "LOCAL_RANK", "SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", NULL };
	static const char *const port[] = { "MASTER_PORT", NULL };
	struct place p = { 0, 1, 0, getenv("MASTER_ADDR"), "" };
	uint32_t number_of_port = 29500;

	if (number(rank, &p.rank) != number(ranks, &p.ranks) || p.rank >= p.ranks) {
		fprintf(stderr, "rank %u of %u: set RANK and WORLD_SIZE, or use a launcher\n", p.rank, p.ranks);
		exit(2);
	}
	/* a script that says nothing about it has one machine */
	if (!number(local, &p.local))
		p.local = p.rank;
	if (!p.root)
		p.root = getenv("SLURM_LAUNCH_NODE_IPADDR");
	if (!p.root)
		p.root = "127.0.0.1";
	number(port, &number_of_port);
	/* torchrun itself listens at MASTER_PORT */
	snprintf(p.port, sizeof(p.port), "%u", number_of_port + 1);
	return p;
}

static struct addrinfo *address(const struct place *p, int flags)
{
	struct addrinfo hint = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM, .ai_flags = flags }, *found;
	int err = getaddrinfo(p->root, p->port, &hint, &found);

	if (err) {
		fprintf(stderr, "MASTER_ADDR is '%s': %s\n", p->root, gai_strerror(err));
		exit(2);
	}
	return found;
}

static void give(const struct place *p, const HcclRootInfo *info)
{
	struct addrinfo *at = address(p, AI_PASSIVE);
	int one = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(listener, at->ai_addr, at->ai_addrlen) || listen(listener, 1024)) {
		perror("bind");
		exit(1);
	}
	for (uint32_t i = 1; i < p->ranks; i++) {
		int fd = accept(listener, NULL, NULL);

		if (fd < 0 || send(fd, info, sizeof(*info), MSG_NOSIGNAL) != sizeof(*info))
			perror("a rank that asks for the root info");
		close(fd);
	}
	close(listener);
	freeaddrinfo(at);
}

static void get(const struct place *p, HcclRootInfo *info)
{
	struct addrinfo *at = address(p, 0);
	struct timespec pause = { .tv_nsec = 20000000 };

	/* rank 0 may not be there yet: a minute */
	for (int i = 0; i < 3000; i++) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

		if (!connect(fd, at->ai_addr, at->ai_addrlen) && recv(fd, info, sizeof(*info), MSG_WAITALL) == sizeof(*info)) {
			close(fd);
			freeaddrinfo(at);
			return;
		}
		close(fd);
		nanosleep(&pause, NULL);
	}
	fprintf(stderr, "rank 0 is not reached at %s, port %s\n", p->root, p->port);
	exit(1);
}

static HcclComm join(const struct place *p)
{
	HcclRootInfo info;
	uint32_t devices;
	HcclComm comm;

	CHECK(aclrtGetDeviceCount(&devices));
	/* several ranks may have one device */
	CHECK(aclrtSetDevice((int32_t)(p->local % devices)));
	if (p->rank) {
		get(p, &info);
	} else {
		CHECK((aclError)HcclGetRootInfo(&info));
		give(p, &info);
	}
	CHECK((aclError)HcclCommInitRootInfo(p->ranks, &info, p->rank, &comm));
	return comm;
}

int main(void)
{
	struct place p = find_place();
	aclrtStream stream;
	int32_t device;
	float number = (float)p.rank + 1, *buf;
	HcclComm comm;

	CHECK(aclInit(NULL));
	comm = join(&p);
	buf = sample_device_memory(sizeof(number));
	CHECK(aclrtCreateStream(&stream));
	CHECK(aclrtMemcpy(buf, sizeof(number), &number, sizeof(number), ACL_MEMCPY_HOST_TO_DEVICE));
	CHECK((aclError)HcclAllReduce(buf, buf, 1, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comm, stream));
	CHECK(aclrtSynchronizeStream(stream));
	CHECK(aclrtMemcpy(&number, sizeof(number), buf, sizeof(number), ACL_MEMCPY_DEVICE_TO_HOST));
	printf("rank %u of %u: the sum is %g\n", p.rank, p.ranks, number);
	CHECK((aclError)HcclCommDestroy(comm));
	CHECK(aclrtFree(buf));
	CHECK(aclrtDestroyStream(stream));
	CHECK(aclrtGetDevice(&device));
	CHECK(aclrtResetDevice(device));
	CHECK(aclFinalize());
	return 0;
}
