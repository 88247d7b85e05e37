/* SPDX-License-Identifier: MIT */
/*
 * The other program: opens the memory by its key, lets an operator work on it, and tells.
 *
 * usage: ipc_consumer SOCKET
 */
#include "message.h"
#include "sample.h"

static int connect_producer(const char *path)
{
	struct sockaddr_un address = message_address(path);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (fd < 0)
		message_failed("socket");
	/* it may not listen yet */
	for (int i = 0; connect(fd, reinterpret_cast<sockaddr *>(&address), sizeof(address)); i++) {
		if (i == 1000)
			message_failed(path);
		usleep(10000);
	}
	return fd;
}

int main(int argc, char **argv)
{
	char key[KEY_SIZE];
	int32_t self = 0;
	void *memory = nullptr;

	if (argc != 2) {
		fprintf(stderr, "usage: ipc_consumer SOCKET\n");
		return 2;
	}
	CHECK(aclInit(nullptr));
	CHECK(aclrtSetDevice(0));
	CHECK(aclrtDeviceGetBareTgid(&self));
	int fd = connect_producer(argv[1]);
	message_send(fd, &self, sizeof(self));
	message_receive(fd, key, sizeof(key));
	CHECK(aclrtIpcMemImportByKey(&memory, key, 0));

	aclrtBinHandle binary = sample_load(argv[0], "ipc");
	struct {
		void *words;
		uint64_t n;
	} args = { memory, WORDS };
	CHECK(aclrtLaunchKernelWithHostArgs(sample_function(binary, "multiply_by_3"), 4, nullptr,
					    nullptr, &args, sizeof(args), nullptr, 0));
	CHECK(aclrtSynchronizeStream(nullptr));

	CHECK(aclrtIpcMemClose(key)); /* unmaps it here; the producer keeps it */
	message_send(fd, "", 1);
	CHECK(aclrtBinaryUnLoad(binary));
	CHECK(aclrtResetDevice(0));
	CHECK(aclFinalize());
	close(fd);
	return 0;
}
