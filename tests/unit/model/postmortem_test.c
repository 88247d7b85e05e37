// SPDX-License-Identifier: MIT
/* The core file of a kernel that failed (cfg.core): its memory is what the device had, to the last byte, and zeros are holes. */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"

#define VA	0x7f0000000000ULL
#define BLOCKS	12

static struct dev *d;
static struct tq *q;

/*
 * A kernel whose last block fails while the others wait for it: the file has them all, which are more than a page of
 * notes. The address space has its code, and @size bytes at VA.
 */
static void fails(const char *path, uint64_t memory, uint64_t size, const char *what)
{
	struct anpu_config c = config_small();
	uint64_t code;
	union anpu_packet p;

	c.core = path;
	c.cores = BLOCKS;
	d = dev_new(&c);
	d->hbm_next = memory + size;
	code = hbm_alloc(d, 4096, 4096);
	d->hbm_next = code;
	p = p_kernel(0x10000000 + PROGRAM(d, { FAKE_ILLEGAL, BLOCKS - 1, 0 }, { FAKE_SYNCALL, 0, 0 }) - code, BLOCKS);
	p.kernel.sched_mode = ANPU_SCHED_BATCH;
	as_map(d, 1, VA, size, memory, PTE_RW, ANPU_PAGE_4K);
	as_map(d, 1, 0x10000000, 4096, code, PTE_RX, ANPU_PAGE_4K);
	q = tq_started(d, 3, 1, 0);
	/* what the file has of it */
	for (uint64_t i = 0; i < size; i++)
		((uint8_t *)hbm_ptr(d, memory))[i] = i < 4096 || i >= 3 * 4096 ? 1 + i % 251 : 0;
	tq_fails(q, &p, ANPU_FAULT_ILLEGAL, "", what);
	tq_free(q);
}

static void test_file(const char *path)
{
	const uint64_t memory = 8 << 20, size = 4 * 4096;
	uint8_t *bytes = malloc(size);
	Elf64_Ehdr h;
	Elf64_Phdr p;
	struct stat st;
	uint64_t end = 0;
	bool found = false;
	int fd;

	fails(path, memory, size, "a kernel fails");
	fd = open(path, O_RDONLY);
	ok(fd >= 0 && pread(fd, &h, sizeof(h), 0) == sizeof(h) && !memcmp(h.e_ident, ELFMAG, SELFMAG) && h.e_type == ET_CORE,
	   "an ELF file is left");
	for (unsigned int i = 0; i < h.e_phnum; i++) {
		if (pread(fd, &p, sizeof(p), (off_t)(h.e_phoff + i * sizeof(p))) != sizeof(p))
			die("no program header %u", i);
		if (p.p_offset < end || p.p_offset - end >= 4096)
			die("program header %u: from 0x%llx, and the one before ends at 0x%llx", i, (unsigned long long)p.p_offset,
			    (unsigned long long)end);
		end = p.p_offset + p.p_filesz;
		if (p.p_type == PT_NOTE)
			ok(p.p_filesz > 4096, "all blocks are told: %llu bytes of notes", (unsigned long long)p.p_filesz);
		if (p.p_type != PT_LOAD || p.p_vaddr != VA)
			continue;
		found = p.p_filesz == size && p.p_memsz == size && p.p_flags == (PF_R | PF_W);
		ok(pread(fd, bytes, size, (off_t)p.p_offset) == (ssize_t)size && !memcmp(bytes, hbm_ptr(d, memory), size),
		   "the memory is there, to its last byte");
		/* so that there is nothing behind it that could hide what becomes of its end */
		is(p.p_offset + p.p_filesz, end, "  at the end of the file");
	}
	ok(found, "as a segment of its own");
	if (fstat(fd, &st))
		die("fstat");
	ok((uint64_t)st.st_size == end, "the file ends with its last segment: %llu, %llu",
	   (unsigned long long)st.st_size, (unsigned long long)end);
	/* the scratchpads, which this core does not have, show whether the file system has holes */
	ok(lseek(fd, 4096, SEEK_HOLE) != 4096 || lseek(fd, (off_t)(end - size) + 4096, SEEK_HOLE) == (off_t)(end - size) + 4096,
	   "pages of zeros are holes");
	close(fd);
	free(bytes);
	dev_free(d);
}

/* Zeros to the end: the file is as long. The second failure writes no file. */
static void test_hole(const char *path)
{
	union anpu_packet p;
	struct stat st;

	fails(path, 8 << 20, 3 * 4096, "a kernel whose memory ends with zeros");
	if (stat(path, &st))
		die("no file");
	ok(st.st_size % 4096 == 0 && st.st_size > 2 << 19, "has a file of whole pages: %llu", (unsigned long long)st.st_size);
	unlink(path);
	p = p_kernel(0, 1);
	q = tq_started(d, 4, 1, 0);
	tq_run(q, &p);
	is(tq_errors(q), 1, "another one fails");
	ok(access(path, F_OK), "and leaves no file");
	tq_free(q);
	dev_free(d);
}

/* Nothing can be written there: the failure is told as without it. */
static void test_nowhere(void)
{
	fails("/no/such/folder/core", 8 << 20, 4096, "a kernel whose file cannot be written");
	dev_free(d);
}

int main(void)
{
	char path[] = "/tmp/anpu-core-XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0)
		die("no temporary file");
	close(fd);
	test_file(path);
	test_hole(path);
	test_nowhere();
	unlink(path);
	return done_testing();
}
