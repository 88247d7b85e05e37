// SPDX-License-Identifier: MIT
/*
 * libFuzzer target: operator files. What the reader accepts must be safe to place, search and name,
 * whatever it is.
 */
#include "fuzz.h"
#include "launch/elf.h"

/* larger images are checked but not placed: clearing a gigabyte would be all that is measured */
#define PLACE_MAX (1ULL << 20)

static uint64_t sum;

static void touch(const void *p, size_t n)
{
	const uint8_t *b = p;

	for (size_t i = 0; i < n; i++)
		sum += b[i];
}

static void check_segments(const struct anpu_image *image, size_t size)
{
	uint64_t end = image->low;

	require(image->segment_count && image->segment_count <= ANPU_ELF_MAX_SEGMENTS,
		"%u segments", image->segment_count);
	require(image->high - image->low <= ANPU_ELF_MAX_SPAN + ANPU_ELF_PAGE &&
		!(image->low % ANPU_ELF_PAGE) && !(image->high % ANPU_ELF_PAGE),
		"range 0x%llx to 0x%llx", (unsigned long long)image->low,
		(unsigned long long)image->high);
	for (unsigned int i = 0; i < image->segment_count; i++) {
		const struct anpu_elf_segment *s = &image->segment[i];

		require(s->vaddr >= end && s->vaddr + s->memsz <= image->high, "segment %u", i);
		require(s->filesz <= s->memsz && s->offset <= size && s->filesz <= size - s->offset,
			"segment %u is not in the file", i);
		require((s->flags & (ANPU_ELF_W | ANPU_ELF_X)) != (ANPU_ELF_W | ANPU_ELF_X),
			"segment %u is writable and executable", i);
		end = s->vaddr + s->memsz;
	}
}

static bool in_code(const struct anpu_image *image, uint64_t at)
{
	for (unsigned int i = 0; i < image->segment_count; i++)
		if ((image->segment[i].flags & ANPU_ELF_X) && at >= image->segment[i].vaddr &&
		    at - image->segment[i].vaddr + 4 <= image->segment[i].memsz)
			return !(at % 4);
	return false;
}

static void find(const struct anpu_image *image, const char *name)
{
	struct anpu_elf_kernel k;

	if (anpu_elf_find(image, name, &k))
		return;
	require(k.func && k.entry, "a kernel without code");
	require(in_code(image, k.entry->value) && (!k.aiv || in_code(image, k.aiv->value)),
		"kernel %s starts outside the code", name);
}

static void check_names(const struct anpu_image *image)
{
	char buf[300];

	for (size_t i = 0; i < image->symbol_count && i < 64; i++) {
		const struct anpu_elf_symbol *s = &image->symbol[i];
		const struct anpu_elf_symbol *at = anpu_elf_function_at(image, s->value);

		require(*s->name, "a symbol without a name");
		require(!at || (at->func && at->value <= s->value), "the wrong function");
		find(image, s->name);
		if (!strncmp(s->name, "__anpu_entry_", 13)) {
			snprintf(buf, sizeof(buf), "%s", s->name + 13);
			find(image, buf);
			/* the base name of a pair */
			if (strlen(buf) > 8) {
				buf[strlen(buf) - 8] = 0;
				find(image, buf);
			}
		}
	}
	for (size_t n = 1; n < sizeof(buf); n += 1 + n / 2) {
		memset(buf, 'x', sizeof(buf));
		anpu_elf_names(image, buf, n);
		require(memchr(buf, 0, n), "names longer than their buffer of %zu", n);
	}
}

static void check_meta(const struct anpu_image *image)
{
	for (size_t i = 0; i < image->meta_count && i < 64; i++) {
		const struct anpu_elf_meta *m = &image->meta[i];

		touch(m->name, strlen(m->name));
		touch(m->params, (size_t)m->param_count * 8);
		find(image, m->name);
	}
}

static void place(const struct anpu_image *image, uint64_t base)
{
	uint64_t size = image->high - image->low;
	uint8_t *mem;

	if (size > PLACE_MAX)
		return;
	mem = malloc(size);
	if (!mem)
		return;
	anpu_elf_place(image, base, mem);
	touch(mem, size);
	free(mem);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct anpu_image *image;
	char why[400] = "";

	image = anpu_elf_parse(data, size, why, sizeof(why));
	if (!image) {
		require(*why && memchr(why, 0, sizeof(why)), "refused without a reason");
		return 0;
	}
	check_segments(image, size);
	check_names(image);
	check_meta(image);
	place(image, 0x7f0012340000ULL + (size & 0xf) * ANPU_ELF_PAGE);
	anpu_elf_free(image);
	return 0;
}
