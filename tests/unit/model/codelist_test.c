// SPDX-License-Identifier: MIT
/* Files of operators that processes tell gdb of (struct anpu_code_list): what gdb hears, and lists that make no sense. */
#include <arpa/inet.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness.h"

#define FILES	0x7f0000000000ULL
#define IMAGE	(FILES + 4096)
#define CODE	0x200000000ULL

static struct dev *d;
static struct anpu_code_list *list;
static struct anpu_code_file *file;
static uint8_t *image;

/* The process of an address space, with a list of its own; the last one that was made is the current one */
static struct tq *process(unsigned int asid)
{
	uint64_t at = hbm_alloc(d, 4 * 4096, 4096);
	struct tq *q = tq_new(d, asid, 6);

	list = hbm_ptr(d, at);
	file = hbm_ptr(d, at + 4096);
	image = hbm_ptr(d, at + 2 * 4096);
	as_map(d, asid, ANPU_CODE_LIST_VA, 4096, at, ANPU_PTE_READ, ANPU_PAGE_4K);
	as_map(d, asid, FILES, 2 * 4096, at + 4096, ANPU_PTE_READ, ANPU_PAGE_4K);
	as_map(d, asid, CODE, 2 << 20, 0, PTE_RX, ANPU_PAGE_2M);
	tq_context(q)->asid = asid;
	tq_start(q);
	list->magic = ANPU_CODE_LIST_MAGIC;
	return q;
}

static void make_image(uint64_t va)
{
	Elf64_Ehdr h = { .e_ident = ELFMAG, .e_phoff = sizeof(h), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1 };
	Elf64_Phdr p = { .p_type = PT_LOAD, .p_vaddr = va };

	memcpy(image, &h, sizeof(h));
	memcpy(image + sizeof(h), &p, sizeof(p));
}

static void list_file(unsigned int i, uint64_t serial, const char *name, uint64_t next)
{
	file[i] = (struct anpu_code_file){ .next = next, .serial = serial, .base = 0x300000000ULL + (uint64_t)i * 4096,
					   .image = IMAGE, .size = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) };
	strcpy(file[i].name, name);
}

static uint64_t file_at(unsigned int i)
{
	return FILES + i * sizeof(*file);
}

static void launch(struct tq *q)
{
	union anpu_packet p = p_kernel(CODE + PROGRAM(d, { FAKE_END, 0, 0 }), 1);
	uint64_t errors = tq_errors(q);

	list->serial++;
	tq_run(q, &p);
	ok(tq_errors(q) == errors, "the kernel of queue %u is not concerned", q->id);
}

/* gdb's question, without gdb; the answer is valid until the next one, "" at the end of the connection */
static const char *ask(int fd, const char *question)
{
	static char answer[65536];
	unsigned char sum = 0, byte;
	size_t n = 0;

	if (question) {
		for (const char *c = question; *c; c++)
			sum = (unsigned char)(sum + *c);
		dprintf(fd, "$%s#%02x", question, sum);
	}
	do {
		if (read(fd, &byte, 1) != 1)
			return "";
	} while (byte != '$');
	while (read(fd, &byte, 1) == 1 && byte != '#' && n + 1 < sizeof(answer))
		answer[n++] = (char)byte;
	answer[n] = 0;
	if (read(fd, &byte, 1) == 1 && read(fd, &byte, 1) == 1)
		(void)!write(fd, "+", 1);
	return answer;
}

static int gdb_comes(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)anpu_model_gdb_port(d->m)),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (connect(fd, (struct sockaddr *)&at, sizeof(at)))
		die("no connection to the stub");
	if (!strstr(ask(fd, "?"), "T05"))
		die("the stub does not answer");
	return fd;
}

static const char *libraries(int fd)
{
	return ask(fd, "qXfer:libraries:read::0,4000");
}

static bool hears(const char *name)
{
	int fd = gdb_comes();
	bool is = strstr(libraries(fd), name);

	(void)ask(fd, "D");
	close(fd);
	return is;
}

static void test_list(struct tq *q)
{
	launch(q);
	ok(!hears("<library "), "an empty list has no files");
	list->first = file_at(0);
	list_file(0, 1, "/a/one.o", file_at(1));
	list_file(1, 2, "two.o", 0);
	launch(q);
	ok(hears("/one.o\"><segment address=\"0x300000400\"/>") && hears("/two.o\"><segment address=\"0x300001400\"/>"),
	   "files have their names and the addresses of their first segments");
	list->first = file_at(1);
	list_file(1, 2, "two.o", file_at(2));
	list_file(2, 3, "three.o", 0);
	launch(q);
	ok(!hears("one.o") && hears("/2/two.o") && hears("/3/three.o"), "a file that left the list is not there, and others stay");
	list->first = file_at(2);
	list->serial--;
	launch(q);
	ok(hears("two.o"), "without a new serial nobody looks");
}

/* Each ends the list, or makes it empty, and nothing else */
static void test_nonsense(struct tq *q)
{
	list->first = file_at(0);
	list_file(0, 11, "self.o", file_at(0));
	launch(q);
	ok(hears("self.o"), "a list that bites its tail has an end");
	list_file(0, 12, "good.o", FILES + (1ULL << 40));
	launch(q);
	ok(hears("good.o"), "a file that is not mapped ends the list");
	list_file(0, 13, "good.o", file_at(1) + 4);
	launch(q);
	ok(hears("good.o"), "so does an address that is not aligned");
	list_file(0, 14, "bad.o", file_at(1));
	file[0].image = 0;
	list_file(1, 15, "behind.o", 0);
	launch(q);
	ok(!hears("bad.o") && hears("behind.o"), "a file without an image is left out");
	list_file(0, 16, "bad.o", file_at(1));
	file[0].size = ~0ULL;
	launch(q);
	ok(!hears("bad.o") && hears("behind.o"), "so is one whose size makes no sense");
	list_file(0, 17, "bad.o", file_at(1));
	file[0].size = 8;
	launch(q);
	ok(!hears("bad.o") && hears("behind.o"), "and one that is no ELF file");
	list_file(0, 18, "", 0);
	memset(file[0].name, '<', sizeof(file[0].name));
	launch(q);
	ok(hears("/____"), "a name without an end has one");
	list->first = ~7ULL;
	launch(q);
	ok(!hears("<library "), "a list at the end of all addresses is empty");
	list->magic = 0;
	list->first = file_at(1);
	launch(q);
	ok(!hears("behind.o"), "without the magic there is no list");
	list->magic = ANPU_CODE_LIST_MAGIC;
}

static void leave(unsigned int asid)
{
	as_clear(d, asid);
	invalidate(d, asid);
}

static void test_programs(void)
{
	struct tq *first, *second;
	struct anpu_code_list *other;
	int fd = gdb_comes();

	(void)ask(fd, "D");
	close(fd);
	/* a gdb has been there, so nothing waits */
	second = process(2);
	list->first = file_at(0);
	make_image(0x400);
	list_file(0, 1, "second.o", 0);
	other = list;
	first = process(1);
	list->first = file_at(0);
	make_image(0x400);
	list_file(0, 1, "first.o", 0);
	launch(first);
	other->serial++;
	launch(second);
	ok(hears("first.o") && !hears("second.o"), "gdb has the program that was the first to launch");
	fd = gdb_comes();
	(void)ask(fd, "QStartNoAckMode");
	(void)libraries(fd);
	/* without a block there is nothing to go on: it is told of files, then goes on */
	dprintf(fd, "$vCont;c#a8");
	(void)ask(fd, NULL);
	dprintf(fd, "$vCont;c#a8");
	/* a kernel that ends shows that nothing stands any more */
	launch(first);
	tq_stop(first);
	leave(1);
	ok(!strcmp(ask(fd, NULL), "W00"), "its end is told");
	ok(!strcmp(ask(fd, NULL), ""), "and ends the connection");
	close(fd);
	other->serial++;
	launch(second);
	ok(!hears("first.o") && hears("second.o"), "then it is the next one's turn");
	tq_free(first);
	tq_free(second);
}

int main(void)
{
	struct anpu_config cfg = config_small();
	struct tq *q;

	cfg.gdb = "fault:0";
	d = dev_new(&cfg);
	ok(reg(d, ANPU_REG_CAPS) & ANPU_CAP_CODE_LIST, "a device with a stub looks at lists");
	q = process(1);
	make_image(0x400);
	test_list(q);
	test_nonsense(q);
	tq_free(q);
	dev_free(d);

	cfg.gdb = "0";
	cfg.several = true;
	d = dev_new(&cfg);
	test_programs();
	dev_free(d);
	return done_testing();
}
