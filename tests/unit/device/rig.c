// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/elf.h"
#include "rig.h"

static struct anpu_image *image;

static struct anpu_image *read_operators(void)
{
	const char *path = getenv("OPS");
	char why[300] = "";
	FILE *f = path ? fopen(path, "rb") : NULL;
	static uint8_t data[1 << 20];
	size_t n;

	if (!f)
		die("OPS does not name a file of operators");
	n = fread(data, 1, sizeof(data), f);
	fclose(f);
	image = anpu_elf_parse(data, n, why, sizeof(why));
	if (!image)
		die("%s %s", path, why);
	return image;
}

struct dev *rig_new(const struct anpu_config *cfg)
{
	struct dev *d = dev_new(cfg);
	uint64_t size, at;

	if (!image)
		read_operators();
	size = image->high - image->low;
	at = hbm_alloc(d, size, 4096);
	anpu_elf_place(image, CODE_VA, hbm_ptr(d, at));
	as_map(d, ASID, CODE_VA, size, at, PTE_RX, ANPU_PAGE_4K);
	as_map(d, ASID, DATA_VA, d->hbm_size, 0, PTE_RW, ANPU_PAGE_2M);
	return d;
}

void rig_free(struct dev *d)
{
	dev_free(d);
}

struct tq *rig_queue(struct dev *d, unsigned int id, unsigned int priority)
{
	struct tq *q = tq_new(d, id, 8);

	tq_context(q)->asid = ASID;
	tq_context(q)->priority = priority;
	tq_start(q);
	return q;
}

uint64_t rig_alloc(struct dev *d, uint64_t size)
{
	uint64_t at = hbm_alloc(d, size, 4096);

	memset(hbm_ptr(d, at), 0, size);
	return at;
}

union anpu_packet rig_kernel(struct dev *d, const char *name, uint32_t blocks, unsigned int n,
			     const uint64_t *args)
{
	uint64_t at = rig_alloc(d, 8 * n + 8);
	struct anpu_elf_kernel k;
	union anpu_packet p;

	if (anpu_elf_find(image, name, &k))
		die("there is no operator '%s'", name);
	memcpy(hbm_ptr(d, at), args, 8 * n);
	p = p_kernel(CODE_VA + k.entry->value - image->low, blocks);
	p.kernel.args = va(at);
	p.kernel.args_size = 8 * n + 8;
	if (k.aiv) {
		p.kernel.core_type = ANPU_CORE_MIX;
		p.kernel.mix_ratio = 2;
		p.kernel.aiv_entry = (int32_t)(k.aiv->value - k.entry->value);
	}
	return p;
}
