// SPDX-License-Identifier: MIT
/* See device.h. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include <anpu/anpu_hw.h>
#include <anpu/anpu_isa.h>
#include <anpu/anpu_packet.h>

#include "../../../lib/acl/launch/elf.h"
#include "../../../qemu-device/model/anpu_model.h"
#include "../stats.h"
#include "device.h"

/* Address space 1: all memory from DATA_VA on, operators from CODE_VA on. */
#define ASID		1
#define ASIDS		2
#define DATA_VA		0x200000000ULL
#define CODE_VA		0x100000000000ULL
#define RING_LOG2	11
#define MAX_LAUNCHES	1024
#define MAX_SLOTS	16

static struct {
	uint8_t *hbm;
	uint64_t size;
	uint64_t next;
	uint64_t next_code;
	uint64_t *asid_table;
} memory;

struct device {
	struct anpu_model *model;
	union anpu_packet *ring;
	struct anpu_queue_status *status;
	struct anpu_queue_control *control;
	uint64_t *args;
	uint64_t *stamps;
	uint64_t wptr;
};

void die(const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "bench: ");
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\n");
	exit(1);
}

/* Memory --------------------------------------------------------------------------------------- */

static void *carve(uint64_t size, uint64_t align)
{
	uint64_t at = (memory.next + align - 1) & ~(align - 1);

	if (at + size > memory.size)
		die("%llu bytes of HBM are too few", (unsigned long long)memory.size);
	memory.next = at + size;
	return memory.hbm + at;
}

static uint64_t hbm_address(const void *p)
{
	return (uint64_t)((const uint8_t *)p - memory.hbm);
}

void *memory_alloc(uint64_t size)
{
	return carve(size, ANPU_PAGE_2M);
}

uint64_t memory_va(const void *p)
{
	return DATA_VA + hbm_address(p);
}

/* The page table entry of an address at a level, 2 for 2 MiB and 3 for 4 KiB. */
static uint64_t *page_entry(uint64_t va, int level)
{
	uint64_t *table = (uint64_t *)(memory.hbm + (memory.asid_table[ASID] & ~ANPU_ASID_VALID));

	for (int l = 0;; l++) {
		uint64_t *entry = table + (va >> ANPU_PT_SHIFT(l) & 511);

		if (l == level)
			return entry;
		if (!*entry)
			*entry = hbm_address(carve(4096, 4096)) | ANPU_PTE_VALID;
		table = (uint64_t *)(memory.hbm + (*entry & ANPU_PTE_ADDR));
	}
}

void memory_init(uint64_t size)
{
	memory.hbm = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory.hbm == MAP_FAILED)
		die("no memory for %llu bytes of HBM: %s", (unsigned long long)size, strerror(errno));
	/* as QEMU does with the memory of its machines */
	madvise(memory.hbm, size, MADV_HUGEPAGE);
	memory.size = size;
	memory.next_code = CODE_VA;
	memory.asid_table = carve(8 * ASIDS, 4096);
	memory.asid_table[ASID] = hbm_address(carve(4096, 4096)) | ANPU_ASID_VALID;
	for (uint64_t at = 0; at < size; at += ANPU_PAGE_2M)
		*page_entry(DATA_VA + at, 2) = at | ANPU_PTE_VALID | ANPU_PTE_LEAF | ANPU_PTE_READ |
					       ANPU_PTE_WRITE;
}

/* Operators ------------------------------------------------------------------------------------ */

static struct anpu_image *read_image(const char *path)
{
	static char data[1 << 20];
	FILE *f = fopen(path, "rb");
	struct anpu_image *image;
	char why[256];
	size_t size;

	if (!f)
		die("cannot open %s: %s", path, strerror(errno));
	size = fread(data, 1, sizeof(data), f);
	fclose(f);
	image = anpu_elf_parse(data, size, why, sizeof(why));
	if (!image)
		die("%s %s", path, why);
	return image;
}

static void map_segment(const struct anpu_elf_segment *s, uint64_t base, uint64_t at)
{
	uint64_t low = s->vaddr & ~4095ULL, high = (s->vaddr + s->memsz + 4095) & ~4095ULL;
	uint64_t flags = ANPU_PTE_VALID | ANPU_PTE_LEAF | ANPU_PTE_READ;

	flags |= s->flags & ANPU_ELF_X ? ANPU_PTE_EXEC : 0;
	flags |= s->flags & ANPU_ELF_W ? ANPU_PTE_WRITE : 0;
	for (uint64_t page = low; page < high; page += 4096)
		*page_entry(base + page, 3) = (at + page) | flags;
}

struct kernel kernel_load(const char *path, const char *name)
{
	struct anpu_image *image = read_image(path);
	struct anpu_elf_kernel found;
	struct kernel k = { 0 };
	uint64_t base = memory.next_code;
	uint8_t *place;

	if (anpu_elf_find(image, name, &found) || found.aiv)
		die("%s has no plain kernel %s", path, name);
	place = carve(image->high - image->low, 4096);
	anpu_elf_place(image, base, place);
	for (unsigned int i = 0; i < image->segment_count; i++)
		map_segment(&image->segment[i], base - image->low, hbm_address(place) - image->low);
	memory.next_code += (image->high - image->low + ANPU_PAGE_2M) & ~(ANPU_PAGE_2M - 1);
	k.entry = base + (found.entry->value - image->low);
	anpu_elf_free(image);
	return k;
}

/* Devices -------------------------------------------------------------------------------------- */

static bool no_system_memory(void *ctx, uint64_t dma, uint64_t len, bool write,
			     struct anpu_mapping *map)
{
	(void)ctx;
	(void)dma;
	(void)len;
	(void)write;
	(void)map;
	return false;
}

static void no_interrupt(void *ctx, unsigned int vector)
{
	(void)ctx;
	(void)vector;
}

static uint64_t device_clock(void *ctx)
{
	(void)ctx;
	return bench_now();
}

/* Sleep for a part of what has passed: whoever waits must not disturb the workers. */
static void nap(uint64_t since)
{
	uint64_t ns = (bench_now() - since) / 8 + 20000;
	struct timespec ts = { 0, ns < 2000000 ? (long)ns : 2000000 };

	nanosleep(&ts, NULL);
}

static void start_queue(struct device *d, struct anpu_queue_context *table)
{
	uint64_t start;

	d->ring = carve(sizeof(union anpu_packet) << RING_LOG2, 4096);
	d->status = carve(4096, 4096);
	d->control = carve(4096, 4096);
	d->args = carve(4096, 4096);
	d->stamps = carve(4096, 4096);
	table[0] = (struct anpu_queue_context){
		.ring = hbm_address(d->ring),
		.status = hbm_address(d->status),
		.control = hbm_address(d->control),
		.ring_log2 = RING_LOG2,
		.asid = ASID,
	};
	start = bench_now();
	anpu_model_write(d->model, ANPU_REG_QUEUE_CMD, ANPU_QUEUE_CMD(ANPU_QUEUE_START, 0), 8);
	while (__atomic_load_n(&d->status->state, __ATOMIC_ACQUIRE) != ANPU_QUEUE_RUNNING)
		nap(start);
}

struct device *device_new(unsigned int threads)
{
	static const struct anpu_host_ops ops = { .map = no_system_memory, .raise = no_interrupt,
						  .clock = device_clock };
	struct device *d = calloc(1, sizeof(*d));
	struct anpu_queue_context *queues = carve(4096, 4096);
	struct anpu_config config;
	char err[160] = "";

	anpu_config_default(&config);
	config.hbm = memory.hbm;
	config.hbm_size = memory.size;
	config.threads = threads;
	config.cores = threads > config.cores ? threads : config.cores;
	config.asids = ASIDS;
	config.queues = 1;
	if (d)
		d->model = anpu_model_create(&config, &ops, NULL, err, sizeof(err));
	if (!d || !d->model)
		die("cannot make a device: %s", err);
	anpu_model_write(d->model, ANPU_REG_ASID_TABLE, hbm_address(memory.asid_table), 8);
	anpu_model_write(d->model, ANPU_REG_QUEUE_TABLE, hbm_address(queues), 8);
	anpu_model_write(d->model, ANPU_REG_CONTROL, ANPU_CONTROL_ENABLE, 8);
	start_queue(d, queues);
	return d;
}

void device_free(struct device *d)
{
	anpu_model_destroy(d->model);
	free(d);
}

static void push(struct device *d, const union anpu_packet *p)
{
	d->ring[d->wptr++ & ((1U << RING_LOG2) - 1)] = *p;
}

static void push_stamp(struct device *d, unsigned int i)
{
	union anpu_packet p = { .timestamp = { .hdr = { .opcode = ANPU_OP_TIMESTAMP } } };

	p.timestamp.addr = memory_va(&d->stamps[i]);
	push(d, &p);
}

/* Writes the structure that the device reads before the arguments. Returns where these begin. */
static uint64_t *push_launch(struct device *d, const struct kernel *k)
{
	struct anpu_kernel_launch launch = { .size = ANPU_LAUNCH_SIZE, .block_x = k->threads, .block_y = 1,
					     .block_z = 1, .static_scratch = k->shared };

	if (!k->threads)
		return d->args;
	memcpy(d->args, &launch, sizeof(launch));
	return d->args + sizeof(launch) / 8;
}

static void push_kernel(struct device *d, const struct kernel *k, uint32_t blocks, size_t slots)
{
	union anpu_packet p = { .kernel = { .hdr = { .opcode = ANPU_OP_KERNEL } } };

	p.kernel.hdr.flags = k->flags | (k->threads ? ANPU_KERNEL_LAUNCH : 0);
	p.kernel.entry = k->entry;
	p.kernel.args = slots ? memory_va(d->args) : 0;
	p.kernel.args_size = (uint32_t)(slots * 8);
	p.kernel.grid_x = blocks;
	p.kernel.grid_y = 1;
	p.kernel.grid_z = 1;
	push(d, &p);
}

uint64_t device_run(struct device *d, const struct kernel *k, uint32_t blocks,
		    const uint64_t *args, size_t slots, unsigned int launches)
{
	uint64_t start = bench_now();

	if (slots > MAX_SLOTS || launches > MAX_LAUNCHES)
		die("%zu arguments, %u launches: too many at once", slots, launches);
	if (slots)
		memcpy(push_launch(d, k), args, slots * 8);
	push_stamp(d, 0);
	for (unsigned int i = 0; i < launches; i++)
		push_kernel(d, k, blocks, slots);
	push_stamp(d, 1);
	__atomic_store_n(&d->control->wptr, d->wptr, __ATOMIC_SEQ_CST);
	anpu_model_doorbell(d->model, 0, d->wptr);
	while (__atomic_load_n(&d->status->completed, __ATOMIC_ACQUIRE) < d->wptr &&
	       !__atomic_load_n(&d->status->errors, __ATOMIC_ACQUIRE))
		nap(start);
	if (d->status->errors)
		die("a kernel failed in block %u: %s", d->status->fault[0].block,
		    d->status->fault[0].message);
	return d->stamps[1] - d->stamps[0];
}

uint64_t device_insns(struct device *d)
{
	struct anpu_stats stats;

	anpu_model_stats(d->model, &stats);
	return stats.insns;
}
