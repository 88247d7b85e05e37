// SPDX-License-Identifier: MIT
/* aclrtBinaryLoadFromFile, aclrtBinaryLoadFromData, aclrtBinaryGetFunction, aclrtBinaryUnLoad. */
#include <elf.h>
#include <sys/stat.h>

#include "../acltest.h"

struct image {
	uint8_t *data;
	size_t size;
};

static struct image read_file(const char *path)
{
	struct image image = { 0 };
	FILE *f = fopen(path, "rb");

	CHECK(f);
	fseek(f, 0, SEEK_END);
	image.size = (size_t)ftell(f);
	rewind(f);
	image.data = host_alloc(image.size);
	CHECK_EQ(fread(image.data, 1, image.size, f), image.size);
	fclose(f);
	return image;
}

static const char *write_file(const char *name, const void *data, size_t size)
{
	static char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/%s", name);
	f = fopen(path, "wb");
	CHECK(f);
	CHECK_EQ(fwrite(data, 1, size, f), size);
	fclose(f);
	return path;
}

static void check_works(aclrtBinHandle bin)
{
	aclrtFuncHandle func;
	uint64_t *word = dev_alloc(8);

	ACL(aclrtBinaryGetFunction(bin, "store", &func));
	LAUNCH(func, 1, NULL, U64(word), 0x77);
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(word), 0x77);
	ACL(aclrtFree(word));
}

static void load_relative_and_absolute(void)
{
	char path[4096];

	start();
	check_works(load(OPS));
	CHECK(realpath(OPS, path));
	check_works(load(path));
}

static void null_is_100000(void)
{
	aclrtFuncHandle func;
	aclrtBinHandle bin;

	start();
	FAILS(aclrtBinaryLoadFromFile(NULL, NULL, &bin), ACL_ERROR_INVALID_PARAM, "binPath");
	FAILS(aclrtBinaryLoadFromFile(OPS, NULL, NULL), ACL_ERROR_INVALID_PARAM, "binHandle");
	FAILS(aclrtBinaryLoadFromData(NULL, 64, NULL, &bin), ACL_ERROR_INVALID_PARAM, "data");
	FAILS(aclrtBinaryLoadFromData(&bin, 0, NULL, &bin), ACL_ERROR_INVALID_PARAM, "length");
	FAILS(aclrtBinaryUnLoad(NULL), ACL_ERROR_INVALID_PARAM, "binHandle");
	bin = load(OPS);
	FAILS(aclrtBinaryGetFunction(NULL, "store", &func), ACL_ERROR_INVALID_PARAM, "binHandle");
	FAILS(aclrtBinaryGetFunction(bin, NULL, &func), ACL_ERROR_INVALID_PARAM, "kernelName");
	FAILS(aclrtBinaryGetFunction(bin, "store", NULL), ACL_ERROR_INVALID_PARAM, "funcHandle");
}

static void without_a_device_is_107002(void)
{
	aclrtBinHandle bin;

	ACL(aclInit(NULL));
	FAILS(aclrtBinaryLoadFromFile(OPS, NULL, &bin), ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice");
}

static void missing_file_is_107009(void)
{
	aclrtBinHandle bin;

	start();
	FAILS(aclrtBinaryLoadFromFile("/nonexistent/op.o", NULL, &bin), ACL_ERROR_RT_FILE_OPEN,
	      "/nonexistent/op.o", "No such file");
	FAILS(aclrtBinaryLoadFromFile("", NULL, &bin), ACL_ERROR_RT_FILE_OPEN);
	FAILS(aclrtBinaryLoadFromFile("/tmp", NULL, &bin), ACL_ERROR_RT_FILE_OPEN, "/tmp",
	      "directory");
}

static void unreadable_file_is_107009(void)
{
	const char *path = write_file("acl-unreadable.o", "x", 1);
	aclrtBinHandle bin;

	start();
	CHECK_EQ(chmod(path, 0), 0);
	/* root reads everything */
	if (setgid(65534) || setuid(65534))
		SKIP("cannot become another user");
	FAILS(aclrtBinaryLoadFromFile(path, NULL, &bin), ACL_ERROR_RT_FILE_OPEN,
	      "acl-unreadable.o", "Permission denied");
}

static void device_files_and_pipes_are_refused(void)
{
	aclrtBinHandle bin;

	start();
	CHECK(aclrtBinaryLoadFromFile("/dev/zero", NULL, &bin) != ACL_SUCCESS);
	CHECK(aclGetRecentErrMsg());
	mkfifo("/tmp/acl-fifo", 0600);
	CHECK(aclrtBinaryLoadFromFile("/tmp/acl-fifo", NULL, &bin) != ACL_SUCCESS);
	unlink("/tmp/acl-fifo");
	CHECK(aclGetRecentErrMsg());
}

static void empty_and_text_files_are_100003(void)
{
	static const char text[] = "#!/bin/sh\necho this is no operator but it is long enough to be one "
				   "as far as the size of an ELF header is concerned\n";
	aclrtBinHandle bin;

	start();
	FAILS(aclrtBinaryLoadFromFile(write_file("acl-empty.o", "", 0), NULL, &bin),
	      ACL_ERROR_INVALID_FILE, "acl-empty.o", "empty");
	FAILS(aclrtBinaryLoadFromFile(write_file("acl-text.o", text, sizeof(text)), NULL, &bin),
	      ACL_ERROR_INVALID_FILE, "acl-text.o", "ELF");
	FAILS(aclrtBinaryLoadFromFile(write_file("acl-short.o", "\177EL", 3), NULL, &bin),
	      ACL_ERROR_INVALID_FILE, "acl-short.o", "ELF");
}

static void every_truncation_is_100003(void)
{
	struct image image;
	size_t accepted = 0;

	start();
	image = read_file(OPS);
	for (size_t n = 1; n < image.size; n += n < 400 ? 1 : 97) {
		const char *path = write_file("acl-cut.o", image.data, n);
		aclrtBinHandle bin;
		aclError err = aclrtBinaryLoadFromFile(path, NULL, &bin);

		if (err == ACL_SUCCESS) {
			accepted++;
			continue;
		}
		CHECK_EQ(err, ACL_ERROR_INVALID_FILE);
		check_facts(aclGetRecentErrMsg(), "acl-cut.o", NULL);
	}
	/* Section headers are last: without them there are no symbols, so none can be accepted */
	CHECK_EQ(accepted, 0);
	FAILS(aclrtBinaryLoadFromFile(write_file("acl-cut.o", image.data, image.size / 2), NULL,
				      &(aclrtBinHandle){ NULL }),
	      ACL_ERROR_INVALID_FILE, "truncated");
}

static void x86_program_is_100003(void)
{
	aclrtBinHandle bin;

	start();
	FAILS(aclrtBinaryLoadFromFile("/bin/ls", NULL, &bin), ACL_ERROR_INVALID_FILE, "/bin/ls",
	      "x86-64", "RISC-V", "anpucc");
	FAILS(aclrtBinaryLoadFromFile("/proc/self/exe", NULL, &bin), ACL_ERROR_INVALID_FILE,
	      "x86-64");
}

static void relocatable_object_is_100003(void)
{
	aclrtBinHandle bin;

	start();
	FAILS(aclrtBinaryLoadFromFile("build/tests/libacl/unlinked.o", NULL, &bin),
	      ACL_ERROR_INVALID_FILE, "unlinked.o", "ET_REL", "anpucc");
}

static void open_relocations_are_100003(void)
{
	aclrtBinHandle bin;

	start();
	FAILS(aclrtBinaryLoadFromFile("build/tests/libacl/undefined.o", NULL, &bin),
	      ACL_ERROR_INVALID_FILE, "undefined.o", "relocation");
}

static void foreign_headers_are_100003(void)
{
	static const struct {
		size_t offset;
		uint8_t value;
		const char *fact;
	} bad[] = {
		{ EI_CLASS, ELFCLASS32, "64-bit" },
		{ EI_DATA, ELFDATA2MSB, "little-endian" },
		{ offsetof(Elf64_Ehdr, e_type), ET_REL, "ET_REL" },
		{ offsetof(Elf64_Ehdr, e_type), ET_EXEC, "ET_EXEC" },
		{ offsetof(Elf64_Ehdr, e_type), ET_CORE, "type" },
		{ offsetof(Elf64_Ehdr, e_machine), EM_AARCH64, "AArch64" },
		{ offsetof(Elf64_Ehdr, e_machine), 77, "77" },
	};

	start();
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct image image = read_file(OPS);
		aclrtBinHandle bin;

		image.data[bad[i].offset] = bad[i].value;
		aclGetRecentErrMsg();
		CHECK_EQ(aclrtBinaryLoadFromData(image.data, image.size, NULL, &bin),
			 ACL_ERROR_INVALID_FILE);
		check_facts(aclGetRecentErrMsg(), bad[i].fact, NULL);
		free(image.data);
	}
}

/* A damaged file is an operator or an error with a sentence, and never a crash */
static void damaged_files_never_crash(void)
{
	struct image image;
	uint64_t random = 5;
	uint8_t *copy;

	start();
	image = read_file(OPS);
	copy = host_alloc(image.size);
	for (int i = 0; i < 3000; i++) {
		uint32_t flips = 1 + next_random(&random) % 8;
		/* Headers first, then anything; section headers stand at the end */
		size_t range = i % 3 == 0 ? 64 + 56 * 8 : image.size;
		size_t base = i % 3 == 1 ? image.size - 64 * 30 : 0;
		aclrtBinHandle bin = NULL;
		aclError err;

		if (i % 3 == 1)
			range = 64 * 30;
		memcpy(copy, image.data, image.size);
		while (flips--) {
			static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff, 0xfe, 8, 64 };

			copy[base + next_random(&random) % range] = values[next_random(&random) % 8];
		}
		err = aclrtBinaryLoadFromData(copy, image.size, NULL, &bin);
		if (err == ACL_SUCCESS) {
			aclrtFuncHandle func;

			if (aclrtBinaryGetFunction(bin, "store", &func))
				CHECK(aclGetRecentErrMsg());
			ACL(aclrtBinaryUnLoad(bin));
		} else {
			CHECK(err == ACL_ERROR_INVALID_FILE || err == ACL_ERROR_RT_MEMORY_ALLOCATION);
			CHECK(aclGetRecentErrMsg());
		}
	}
}

static void data_is_copied(void)
{
	struct image image;
	aclrtBinHandle bin;

	start();
	image = read_file(OPS);
	ACL(aclrtBinaryLoadFromData(image.data, image.size, NULL, &bin));
	memset(image.data, 0xff, image.size);
	free(image.data);
	check_works(bin);
}

static void lazy_load_works(void)
{
	aclrtBinaryLoadOption option = { .type = ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD,
					 .value.isLazyLoad = 1 };
	aclrtBinaryLoadOptions options = { &option, 1 };
	struct image image;
	aclrtBinHandle bin;
	size_t size;
	void *addr;

	start();
	ACL(aclrtBinaryLoadFromFile(OPS, &options, &bin));
	check_works(bin);
	ACL(aclrtBinaryUnLoad(bin));
	image = read_file(OPS);
	ACL(aclrtBinaryLoadFromData(image.data, image.size, &options, &bin));
	memset(image.data, 0, image.size);
	check_works(bin);
	option.value.isLazyLoad = 0;
	ACL(aclrtBinaryLoadFromFile(OPS, &options, &bin));
	check_works(bin);
	/* Never used, never loaded */
	option.value.isLazyLoad = 1;
	ACL(aclrtBinaryLoadFromFile(OPS, &options, &bin));
	addr = &option;
	size = 1;
	ACL(aclrtBinaryGetDevAddress(bin, &addr, &size));
	CHECK(!addr && !size);
	ACL(aclrtBinaryUnLoad(bin));
}

static void options_are_checked(void)
{
	aclrtBinaryLoadOption option = { .type = (aclrtBinaryLoadOptionType)4711 };
	aclrtBinaryLoadOptions options = { &option, 1 }, none = { NULL, 0 }, null = { NULL, 1 };
	aclrtBinHandle bin;

	start();
	ACL(aclrtBinaryLoadFromFile(OPS, &none, &bin));
	FAILS(aclrtBinaryLoadFromFile(OPS, &options, &bin), ACL_ERROR_INVALID_PARAM, "4711");
	FAILS(aclrtBinaryLoadFromFile(OPS, &null, &bin), ACL_ERROR_INVALID_PARAM, "options");
	/* A lazy load finds a bad file at once */
	option = (aclrtBinaryLoadOption){ .type = ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD,
					  .value.isLazyLoad = 1 };
	FAILS(aclrtBinaryLoadFromFile("/bin/ls", &options, &bin), ACL_ERROR_INVALID_FILE, "x86-64");
}

static void unknown_kernel_is_507027_and_lists_the_known(void)
{
	aclrtFuncHandle func;
	aclrtBinHandle bin;

	start();
	bin = load(VADD);
	FAILS(aclrtBinaryGetFunction(bin, "vadd_f31", &func), ACL_ERROR_RT_KERNEL_LOOKUP, "vadd_f31",
	      "vadd_f32", "vadd.o");
	FAILS(aclrtBinaryGetFunction(bin, "", &func), ACL_ERROR_RT_KERNEL_LOOKUP, "vadd_f32");
	FAILS(aclrtBinaryGetFunction(bin, "__anpu_entry_vadd_f32", &func),
	      ACL_ERROR_RT_KERNEL_LOOKUP);
}

static void a_kernel_is_found_again(void)
{
	aclrtFuncHandle a, b;
	aclrtBinHandle bin;

	start();
	bin = load(OPS);
	ACL(aclrtBinaryGetFunction(bin, "store", &a));
	ACL(aclrtBinaryGetFunction(bin, "store", &b));
	CHECK(a == b);
	ACL(aclrtBinaryGetFunction(bin, "increment", &b));
	CHECK(a != b);
}

static void unload_ends_the_handles(void)
{
	aclrtFuncHandle func;
	aclrtBinHandle bin;
	uint64_t args[2];

	start();
	args[0] = U64(dev_alloc(8));
	args[1] = 1;
	bin = load(OPS);
	ACL(aclrtBinaryGetFunction(bin, "store", &func));
	ACL(aclrtBinaryUnLoad(bin));
	FAILS(aclrtBinaryUnLoad(bin), ACL_ERROR_RT_INVALID_HANDLE, "binHandle");
	FAILS(aclrtBinaryGetFunction(bin, "store", &func), ACL_ERROR_RT_INVALID_HANDLE, "binHandle");
	FAILS(aclrtLaunchKernelWithHostArgs(func, 1, NULL, NULL, args, 16, NULL, 0),
	      ACL_ERROR_RT_INVALID_HANDLE, "func");
}

static void other_values_are_no_binaries(void)
{
	aclrtFuncHandle func;
	int local = 0;

	start();
	FAILS(aclrtBinaryUnLoad(&local), ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclrtBinaryUnLoad(new_stream()), ACL_ERROR_RT_INVALID_HANDLE, "stream");
	FAILS(aclrtBinaryUnLoad(op("store")), ACL_ERROR_RT_INVALID_HANDLE, "function");
	FAILS(aclrtBinaryGetFunction(dev_alloc(64), "store", &func), ACL_ERROR_RT_INVALID_HANDLE);
}

static void unload_gives_the_memory_back(void)
{
	size_t before = 0;

	start();
	for (int i = 0; i < 300; i++) {
		aclrtBinHandle bin = load(OPS);
		aclrtFuncHandle func;

		ACL(aclrtBinaryGetFunction(bin, "store", &func));
		ACL(aclrtBinaryUnLoad(bin));
		if (i == 10)
			before = free_hbm();
	}
	CHECK_EQ(free_hbm(), before);
}

static void loads_are_independent(void)
{
	aclrtBinHandle a, b;
	aclrtFuncHandle fa, fb;
	uint64_t *word;

	start();
	word = dev_alloc(8);
	a = load(OPS);
	b = load(OPS);
	ACL(aclrtBinaryGetFunction(a, "count_up", &fa));
	ACL(aclrtBinaryGetFunction(b, "count_up", &fb));
	for (uint64_t i = 1; i <= 3; i++) {
		LAUNCH(fa, 1, NULL, U64(word));
		ACL(aclrtSynchronizeStream(NULL));
		CHECK_EQ(read_u64(word), 100 + i);
	}
	LAUNCH(fb, 1, NULL, U64(word));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(word), 101);
	ACL(aclrtBinaryUnLoad(a));
	check_works(b);
	/* A fresh load starts with fresh data, also where an old one was */
	a = load(OPS);
	ACL(aclrtBinaryGetFunction(a, "count_up", &fa));
	LAUNCH(fa, 1, NULL, U64(word));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(word), 101);
}

TAP_MAIN(TEST(load_relative_and_absolute),
	 TEST(null_is_100000),
	 TEST(without_a_device_is_107002),
	 TEST(missing_file_is_107009),
	 TEST(unreadable_file_is_107009),
	 TEST(device_files_and_pipes_are_refused),
	 TEST(empty_and_text_files_are_100003),
	 TEST(every_truncation_is_100003),
	 TEST(x86_program_is_100003),
	 TEST(relocatable_object_is_100003),
	 TEST(open_relocations_are_100003),
	 TEST(foreign_headers_are_100003),
	 TEST(damaged_files_never_crash),
	 TEST(data_is_copied),
	 TEST(lazy_load_works),
	 TEST(options_are_checked),
	 TEST(unknown_kernel_is_507027_and_lists_the_known),
	 TEST(a_kernel_is_found_again),
	 TEST(unload_ends_the_handles),
	 TEST(other_values_are_no_binaries),
	 TEST(unload_gives_the_memory_back),
	 TEST(loads_are_independent))
