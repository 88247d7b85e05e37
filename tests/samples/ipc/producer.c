/* SPDX-License-Identifier: MIT */
/*
 * Two programs share device memory. This one owns it: it gives the memory a name (a key), says who
 * may open it, and reads what the other one, ipc_consumer, has added.
 *
 * usage: ipc_producer SOCKET
 */
#include "message.h"
#include "sample.h"

static int accept_consumer(const char *path)
{
	struct sockaddr_un address = message_address(path);
	int listener = socket(AF_UNIX, SOCK_STREAM, 0), fd;

	if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(listener, 1))
		message_failed(path);
	fd = accept(listener, NULL, NULL);
	if (fd < 0)
		message_failed("accept");
	close(listener);
	unlink(path);
	return fd;
}

int main(int argc, char **argv)
{
	uint32_t words[WORDS];
	char key[KEY_SIZE], done;
	int32_t consumer;
	void *memory;
	int fd;

	if (argc != 2) {
		fprintf(stderr, "usage: ipc_producer SOCKET\n");
		return 2;
	}
	CHECK(aclInit(NULL));
	CHECK(aclrtSetDevice(0));
	memory = sample_device_memory(sizeof(words));
	for (uint32_t i = 0; i < WORDS; i++)
		words[i] = i;
	CHECK(aclrtMemcpy(memory, sizeof(words), words, sizeof(words), ACL_MEMCPY_HOST_TO_DEVICE));
	CHECK(aclrtIpcMemGetExportKey(memory, sizeof(words), key, sizeof(key), 0));

	fd = accept_consumer(argv[1]);
	message_receive(fd, &consumer, sizeof(consumer));
	CHECK(aclrtIpcMemSetImportPid(key, &consumer, 1));
	message_send(fd, key, sizeof(key));
	message_receive(fd, &done, 1);

	CHECK(aclrtMemcpy(words, sizeof(words), memory, sizeof(words), ACL_MEMCPY_DEVICE_TO_HOST));
	printf("producer: the consumer made it %u %u ... %u\n", words[0], words[1], words[WORDS - 1]);
	CHECK(aclrtIpcMemClose(key));
	CHECK(aclrtFree(memory));
	CHECK(aclrtResetDevice(0));
	CHECK(aclFinalize());
	close(fd);
	return 0;
}
