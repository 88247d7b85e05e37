// SPDX-License-Identifier: MIT
/* aclrtMemcpy and aclrtMemcpyAsync. */
#include <fcntl.h>

#include "../acltest.h"

#define MIB (1UL << 20)

enum place { PAGEABLE, PINNED, DEVICE, PLACES };
static const char *const place_names[] = { "pageable", "pinned", "device" };

static void *alloc_at(enum place place, size_t size)
{
	if (place == DEVICE)
		return dev_alloc(size);
	return place == PINNED ? pinned_alloc(size) : host_alloc(size);
}

static void free_at(enum place place, void *p)
{
	if (place == DEVICE)
		ACL(aclrtFree(p));
	else if (place == PINNED)
		ACL(aclrtFreeHost(p));
	else
		free(p);
}

static aclrtMemcpyKind kind_of(enum place dst, enum place src)
{
	if (dst == DEVICE)
		return src == DEVICE ? ACL_MEMCPY_DEVICE_TO_DEVICE : ACL_MEMCPY_HOST_TO_DEVICE;
	return src == DEVICE ? ACL_MEMCPY_DEVICE_TO_HOST : ACL_MEMCPY_HOST_TO_HOST;
}

/* Host's view of memory anywhere; device memory goes through put and get copies of whole buffers */
static void write_at(enum place place, void *mem, const void *host, size_t n)
{
	if (place == DEVICE)
		ACL(aclrtMemcpy(mem, n, host, n, ACL_MEMCPY_HOST_TO_DEVICE));
	else
		memcpy(mem, host, n);
}

static void read_at(enum place place, void *host, const void *mem, size_t n)
{
	if (place == DEVICE)
		ACL(aclrtMemcpy(host, n, mem, n, ACL_MEMCPY_DEVICE_TO_HOST));
	else
		memcpy(host, mem, n);
}

static const size_t sizes[] = { 1, 2, 3, 7, 8, 9, 63, 64, 65, 1000, 4095, 4096, 4097, 65536 + 1,
				MIB - 1, 3 * MIB + 5 };

struct buffers {
	enum place dst_place, src_place;
	char *dst, *src, *shadow, *got;
	size_t total;
	bool async;
};

/* One copy between guards: exactly its bytes change */
static void check_copy(struct buffers *b, size_t dst_off, size_t src_off, size_t n)
{
	aclrtMemcpyKind kind = kind_of(b->dst_place, b->src_place);
	size_t around = n + 256;
	long at;

	memset(b->shadow, 0x5c, around);
	write_at(b->dst_place, b->dst, b->shadow, around);
	if (b->async) {
		ACL(aclrtMemcpyAsync(b->dst + dst_off, n, b->src + src_off, n, kind, NULL));
		ACL(aclrtSynchronizeStream(NULL));
	} else {
		ACL(aclrtMemcpy(b->dst + dst_off, n, b->src + src_off, n, kind));
	}
	read_at(b->src_place, b->shadow + dst_off, b->src + src_off, n);
	read_at(b->dst_place, b->got, b->dst, around);
	at = 0;
	while (at < (long)around && b->got[at] == b->shadow[at])
		at++;
	if (at < (long)around)
		FAIL("%s copy of %zu bytes from %s + %zu to %s + %zu: byte %ld is %02x, not %02x",
		     b->async ? "async" : "sync", n, place_names[b->src_place], src_off,
		     place_names[b->dst_place], dst_off, at - (long)dst_off,
		     (uint8_t)b->got[at], (uint8_t)b->shadow[at]);
}

static void copy_everywhere(bool async, bool host_to_host)
{
	static const size_t offsets[] = { 0, 1, 7, 32, 63, 64, 101 };
	const size_t total = 4 * MIB;

	start();
	for (int d = 0; d < PLACES; d++) {
		for (int s = 0; s < PLACES; s++) {
			struct buffers b = { .dst_place = d, .src_place = s, .total = total,
					     .async = async };
			char *pattern = host_alloc(total);

			if ((kind_of(d, s) == ACL_MEMCPY_HOST_TO_HOST) != host_to_host)
				continue;
			b.dst = alloc_at(d, total);
			b.src = alloc_at(s, total);
			b.shadow = host_alloc(total);
			b.got = host_alloc(total);
			fill_pattern(pattern, total, (unsigned int)(d * 3 + s));
			write_at(s, b.src, pattern, total);
			for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
				for (size_t k = 0; k < 7; k++)
					check_copy(&b, offsets[k], offsets[(k * 3 + i) % 7],
						   sizes[i]);
			free_at(d, b.dst);
			free_at(s, b.src);
			free(b.shadow);
			free(b.got);
			free(pattern);
		}
	}
}

static void sync_between_host_and_device_any_alignment(void)
{
	copy_everywhere(false, false);
}

static void async_between_host_and_device_any_alignment(void)
{
	copy_everywhere(true, false);
}

static void sync_host_to_host(void)
{
	copy_everywhere(false, true);
}

static void sync_takes_direction_from_the_pointers(void)
{
	static const aclrtMemcpyKind kinds[] = {
		ACL_MEMCPY_HOST_TO_HOST, ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST,
		ACL_MEMCPY_DEVICE_TO_DEVICE, ACL_MEMCPY_DEFAULT, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE };
	char host[64], back[64];
	void *dev;

	start();
	dev = dev_alloc(64);
	for (unsigned int i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		fill_pattern(host, 64, i);
		ACL(aclrtMemcpy(dev, 64, host, 64, kinds[i]));
		ACL(aclrtMemcpy(back, 64, dev, 64, kinds[i]));
		CHECK_PATTERN(back, 64, i);
	}
}

static void kinds_out_of_range_are_100000(void)
{
	static const int kinds[] = { -1, 6, 7, 8, 4711 };
	char host[64];
	void *dev;

	start();
	dev = dev_alloc(64);
	for (size_t i = 0; i < 5; i++) {
		aclrtMemcpyKind kind = (aclrtMemcpyKind)kinds[i];

		tap_note("kind %d", kinds[i]);
		FAILS(aclrtMemcpy(dev, 64, host, 64, kind), ACL_ERROR_INVALID_PARAM, "kind");
		if (kinds[i] == -1 || kinds[i] > 7)
			FAILS(aclrtMemcpyAsync(dev, 64, host, 64, kind, NULL),
			      ACL_ERROR_INVALID_PARAM, "kind");
	}
}

static void null_is_100000(void)
{
	char host[64];
	void *dev;

	start();
	dev = dev_alloc(64);
	FAILS(aclrtMemcpy(NULL, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM,
	      "dst", "NULL");
	FAILS(aclrtMemcpy(dev, 64, NULL, 64, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM,
	      "src", "NULL");
	FAILS(aclrtMemcpyAsync(NULL, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE, NULL),
	      ACL_ERROR_INVALID_PARAM, "dst", "NULL");
	FAILS(aclrtMemcpyAsync(dev, 64, NULL, 64, ACL_MEMCPY_HOST_TO_DEVICE, NULL),
	      ACL_ERROR_INVALID_PARAM, "src", "NULL");
}

static void longer_than_dest_max_is_107000(void)
{
	char host[128];
	void *dev;

	start();
	dev = dev_alloc(4096);
	put_pattern(dev, 4096, 1);
	FAILS(aclrtMemcpy(dev, 100, host, 128, ACL_MEMCPY_HOST_TO_DEVICE),
	      ACL_ERROR_RT_PARAM_INVALID, "100", "128", "destMax");
	FAILS(aclrtMemcpyAsync(dev, 100, host, 128, ACL_MEMCPY_HOST_TO_DEVICE, NULL),
	      ACL_ERROR_RT_PARAM_INVALID, "100", "128", "destMax");
	FAILS(aclrtMemcpy(host, 127, dev, 128, ACL_MEMCPY_DEVICE_TO_HOST),
	      ACL_ERROR_RT_PARAM_INVALID, "127", "128");
	FAILS(aclrtMemcpy(host, 0, dev, 1, ACL_MEMCPY_DEVICE_TO_HOST), ACL_ERROR_RT_PARAM_INVALID);
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_DEVICE(dev, 4096, 1);
}

static void longer_than_the_allocation_is_107000(void)
{
	size_t sizes_[] = { 4096, 4 * MIB };
	char *host;

	start();
	host = host_alloc(32 * MIB);
	for (int i = 0; i < 2; i++) {
		size_t n = sizes_[i];
		char *dev = dev_alloc(n);

		FAILS(aclrtMemcpy(dev, 32 * MIB, host, n + 4096, ACL_MEMCPY_HOST_TO_DEVICE),
		      ACL_ERROR_RT_PARAM_INVALID, "dst");
		FAILS(aclrtMemcpy(host, 32 * MIB, dev, n + 4096, ACL_MEMCPY_DEVICE_TO_HOST),
		      ACL_ERROR_RT_PARAM_INVALID, "src");
		FAILS(aclrtMemcpyAsync(dev + n / 2, 32 * MIB, host, n, ACL_MEMCPY_HOST_TO_DEVICE,
				       NULL), ACL_ERROR_RT_PARAM_INVALID, "dst");
		FAILS(aclrtMemcpy(dev, SIZE_MAX, host, SIZE_MAX, ACL_MEMCPY_HOST_TO_DEVICE),
		      ACL_ERROR_RT_PARAM_INVALID);
		FAILS(aclrtMemcpy(host, SIZE_MAX, dev, SIZE_MAX - 4096, ACL_MEMCPY_DEVICE_TO_HOST),
		      ACL_ERROR_RT_PARAM_INVALID);
	}
}

static void pinned_memory_ends_where_it_ends(void)
{
	char *pinned;
	void *dev;

	start();
	pinned = pinned_alloc(4096);
	dev = dev_alloc(64 << 10);
	FAILS(aclrtMemcpy(dev, 64 << 10, pinned, 64 << 10, ACL_MEMCPY_HOST_TO_DEVICE),
	      ACL_ERROR_RT_PARAM_INVALID, "src");
	FAILS(aclrtMemcpyAsync(pinned + 100, 64 << 10, dev, 8192, ACL_MEMCPY_DEVICE_TO_HOST, NULL),
	      ACL_ERROR_RT_PARAM_INVALID, "dst");
}

static void neighbours_are_not_one_allocation(void)
{
	char *p[64], *host = host_alloc(16384);

	start();
	for (int i = 0; i < 64; i++)
		p[i] = dev_alloc(1024);
	for (int i = 0; i < 64; i++)
		FAILS(aclrtMemcpy(p[i], 16384, host, 16384, ACL_MEMCPY_HOST_TO_DEVICE),
		      ACL_ERROR_RT_PARAM_INVALID, "dst");
}

static void freed_memory_is_refused(void)
{
	static const size_t freed_sizes[] = { 64, 4096, 8 * MIB };
	char host[64];

	start();
	for (int i = 0; i < 3; i++) {
		char *p = dev_alloc(freed_sizes[i]), *live = dev_alloc(64);

		ACL(aclrtFree(p));
		FAILS(aclrtMemcpy(p, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE),
		      ACL_ERROR_RT_PARAM_INVALID, "dst", "free");
		FAILS(aclrtMemcpy(host, 64, p, 64, ACL_MEMCPY_DEVICE_TO_HOST),
		      ACL_ERROR_RT_PARAM_INVALID, "src", "free");
		FAILS(aclrtMemcpyAsync(live, 64, p, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, NULL),
		      ACL_ERROR_RT_PARAM_INVALID, "src", "free");
	}
}

static void device_addresses_never_allocated_are_refused(void)
{
	char host[64], *p;

	start();
	p = dev_alloc(8 * MIB);
	FAILS(aclrtMemcpy(p + 512 * MIB, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE),
	      ACL_ERROR_RT_PARAM_INVALID, "dst");
	FAILS(aclrtMemcpy(host, 64, p + 1024 * MIB, 64, ACL_MEMCPY_DEVICE_TO_HOST),
	      ACL_ERROR_RT_PARAM_INVALID, "src");
}

static void count_0_touches_nothing(void)
{
	char host[64];
	void *dev;
	aclError err;

	start();
	dev = dev_alloc(64);
	put_pattern(dev, 64, 4);
	/* Not documented whether it is an error; it is either, and harmless */
	err = aclrtMemcpy(dev, 64, host, 0, ACL_MEMCPY_HOST_TO_DEVICE);
	CHECK(err == ACL_SUCCESS || err == ACL_ERROR_INVALID_PARAM);
	CHECK_DEVICE(dev, 64, 4);
}

static void async_host_to_host_is_207000(void)
{
	char a[64], b[64];
	void *pinned;

	start();
	pinned = pinned_alloc(64);
	FAILS(aclrtMemcpyAsync(a, 64, b, 64, ACL_MEMCPY_HOST_TO_HOST, NULL),
	      ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "aclrtMemcpyAsync");
	FAILS(aclrtMemcpyAsync(a, 64, b, 64, ACL_MEMCPY_DEFAULT, NULL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
	      "both host memory");
	FAILS(aclrtMemcpyAsync(pinned, 64, b, 64, ACL_MEMCPY_HOST_TO_HOST, NULL),
	      ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}

static void async_kind_must_match_the_pointers(void)
{
	char host[64], *dev, *pinned;

	start();
	dev = dev_alloc(64);
	pinned = pinned_alloc(64);
	FAILS(aclrtMemcpyAsync(dev, 64, host, 64, ACL_MEMCPY_DEVICE_TO_HOST, NULL),
	      ACL_ERROR_RT_PARAM_INVALID, "kind");
	FAILS(aclrtMemcpyAsync(host, 64, dev, 64, ACL_MEMCPY_HOST_TO_DEVICE, NULL),
	      ACL_ERROR_RT_PARAM_INVALID, "kind");
	FAILS(aclrtMemcpyAsync(dev, 64, pinned, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, NULL),
	      ACL_ERROR_RT_PARAM_INVALID, "kind");
	FAILS(aclrtMemcpyAsync(dev, 64, dev, 64, ACL_MEMCPY_HOST_TO_DEVICE, NULL),
	      ACL_ERROR_RT_PARAM_INVALID, "kind");
	FAILS(aclrtMemcpyAsync(dev, 32, dev + 32, 32, ACL_MEMCPY_DEVICE_TO_HOST, NULL),
	      ACL_ERROR_RT_PARAM_INVALID, "kind");
	FAILS(aclrtMemcpyAsync(pinned, 32, pinned + 32, 32, ACL_MEMCPY_DEVICE_TO_HOST, NULL),
	      ACL_ERROR_RT_PARAM_INVALID, "kind");
	FAILS(aclrtMemcpyAsync(pinned, 32, pinned + 32, 32, ACL_MEMCPY_HOST_TO_DEVICE, NULL),
	      ACL_ERROR_RT_PARAM_INVALID, "kind");
}

static void async_default_takes_direction_from_the_pointers(void)
{
	char *a, *b, *pinned;

	start();
	a = dev_alloc(4096);
	b = dev_alloc(4096);
	pinned = pinned_alloc(4096);
	fill_pattern(pinned, 4096, 12);
	ACL(aclrtMemcpyAsync(a, 4096, pinned, 4096, ACL_MEMCPY_DEFAULT, NULL));
	ACL(aclrtMemcpyAsync(b, 4096, a, 4096, ACL_MEMCPY_DEFAULT, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	memset(pinned, 0, 4096);
	ACL(aclrtMemcpyAsync(pinned, 4096, b, 4096, ACL_MEMCPY_DEFAULT, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_PATTERN(pinned, 4096, 12);
}

static void async_pageable_is_done_on_return(void)
{
	char *host = host_alloc(3 * MIB);
	aclrtStream stream;
	char *dev;

	start();
	stream = new_stream();
	dev = dev_alloc(3 * MIB);
	for (unsigned int i = 0; i < 8; i++) {
		size_t n = 3 * MIB >> (3 * i);

		fill_pattern(host, n, i);
		ACL(aclrtMemcpyAsync(dev, n, host, n, ACL_MEMCPY_HOST_TO_DEVICE, stream));
		/* The source may change at once */
		memset(host, 0xee, n);
		ACL(aclrtMemcpyAsync(host, n, dev, n, ACL_MEMCPY_DEVICE_TO_HOST, stream));
		/* The destination may be read at once */
		CHECK_PATTERN(host, n, i);
	}
}

static void async_pageable_keeps_its_place_in_the_stream(void)
{
	uint64_t value = 5, got = 0;
	aclrtStream stream;
	uint64_t *dev;

	start();
	stream = new_stream();
	dev = dev_alloc(64);
	LAUNCH(op("spin_then_store"), 1, stream, 200000, U64(dev), 1);
	ACL(aclrtMemcpyAsync(&got, 8, dev, 8, ACL_MEMCPY_DEVICE_TO_HOST, stream));
	CHECK_EQ(got, 1);
	LAUNCH(op("spin_then_store"), 1, stream, 200000, U64(dev), 2);
	ACL(aclrtMemcpyAsync(dev, 8, &value, 8, ACL_MEMCPY_HOST_TO_DEVICE, stream));
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(read_u64(dev), 5);
}

static void async_pinned_returns_before_it_ran(void)
{
	uint64_t *pinned, *gate;
	aclrtStream stream;
	void *dev;

	start();
	stream = new_stream();
	dev = dev_alloc(64);
	pinned = pinned_alloc(64);
	*pinned = 0;
	gate = close_host_gate(stream);
	LAUNCH(op("store"), 1, stream, U64(dev), 3);
	ACL(aclrtMemcpyAsync(pinned, 8, dev, 8, ACL_MEMCPY_DEVICE_TO_HOST, stream));
	CHECK_EQ(*(volatile uint64_t *)pinned, 0);
	open_host_gate(gate);
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(*(volatile uint64_t *)pinned, 3);
}

static void async_copies_run_in_order(void)
{
	enum { N = 300, SIZE = 5000 };
	char *pinned, *dev[3];
	aclrtStream stream;

	start();
	stream = new_stream();
	pinned = pinned_alloc(N * SIZE);
	for (int i = 0; i < 3; i++)
		dev[i] = dev_alloc(SIZE);
	for (unsigned int i = 0; i < N; i++) {
		char *slot = pinned + i * SIZE;

		fill_pattern(slot, SIZE, i);
		ACL(aclrtMemcpyAsync(dev[0], SIZE, slot, SIZE, ACL_MEMCPY_HOST_TO_DEVICE, stream));
		ACL(aclrtMemcpyAsync(dev[1], SIZE, dev[0], SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE,
				     stream));
		ACL(aclrtMemsetAsync(dev[0], SIZE, 0, SIZE, stream));
		ACL(aclrtMemcpyAsync(dev[2], SIZE, dev[1], SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE,
				     stream));
		ACL(aclrtMemcpyAsync(slot, SIZE, dev[0], SIZE, ACL_MEMCPY_DEVICE_TO_HOST, stream));
		ACL(aclrtMemcpyAsync(slot, SIZE, dev[2], SIZE, ACL_MEMCPY_DEVICE_TO_HOST, stream));
	}
	ACL(aclrtSynchronizeStream(stream));
	for (unsigned int i = 0; i < N; i++)
		CHECK_PATTERN(pinned + i * SIZE, SIZE, i);
}

static void sync_does_not_wait_for_streams(void)
{
	uint64_t *go;
	void *dev;

	start();
	dev = dev_alloc(4096);
	put_pattern(dev, 4096, 1);
	go = pinned_alloc(8);
	*go = 0;
	LAUNCH(op("wait_for_word"), 1, new_stream(), U64(go));
	put_pattern(dev, 4096, 2);
	CHECK_DEVICE(dev, 4096, 2);
	__atomic_store_n(go, 1, __ATOMIC_RELEASE);
	/* It ended because it was told to, and not by its limit of time while a copy waited */
	ACL(aclrtSynchronizeDevice());
}

static void large_copies(void)
{
	const size_t n = 64 * MIB + 4096 + 3;
	char *a = host_alloc(n), *b;
	void *d1, *d2;

	start();
	b = pinned_alloc(n);
	d1 = dev_alloc(n);
	d2 = dev_alloc(n);
	fill_pattern(a, n, 1);
	ACL(aclrtMemcpy(d1, n, a, n, ACL_MEMCPY_HOST_TO_DEVICE));
	ACL(aclrtMemcpy(d2, n, d1, n, ACL_MEMCPY_DEVICE_TO_DEVICE));
	ACL(aclrtMemcpy(b, n, d2, n, ACL_MEMCPY_DEVICE_TO_HOST));
	CHECK_PATTERN(b, n, 1);
	fill_pattern(b, n, 2);
	ACL(aclrtMemcpyAsync(d2, n, b, n, ACL_MEMCPY_HOST_TO_DEVICE, NULL));
	ACL(aclrtMemcpyAsync(d1, n, d2, n, ACL_MEMCPY_DEVICE_TO_DEVICE, NULL));
	ACL(aclrtMemcpyAsync(a, n, d1, n, ACL_MEMCPY_DEVICE_TO_HOST, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_PATTERN(a, n, 2);
}

static void source_may_be_read_only(void)
{
	const size_t n = 5 * MIB;
	char path[] = "/tmp/acl-copy-XXXXXX";
	int fd = mkstemp(path);
	char *heap = host_alloc(n), *file;
	void *dev;

	start();
	CHECK(fd >= 0);
	unlink(path);
	fill_pattern(heap, n, 6);
	CHECK_EQ(write(fd, heap, n), n);
	file = mmap(NULL, n, PROT_READ, MAP_SHARED, fd, 0);
	CHECK(file != MAP_FAILED);
	dev = dev_alloc(n);
	ACL(aclrtMemcpy(dev, n, file, n, ACL_MEMCPY_HOST_TO_DEVICE));
	CHECK_DEVICE(dev, n, 6);
	ACL(aclrtMemset(dev, n, 0, n));
	ACL(aclrtMemcpyAsync(dev, n, file, n, ACL_MEMCPY_HOST_TO_DEVICE, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_DEVICE(dev, n, 6);
}

static void destination_may_be_untouched_memory(void)
{
	const size_t n = 9 * MIB;
	void *dev;

	start();
	dev = dev_alloc(n);
	put_pattern(dev, n, 8);
	for (int i = 0; i < 3; i++) {
		char *fresh = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
				   0);

		CHECK(fresh != MAP_FAILED);
		ACL(aclrtMemcpy(fresh, n, dev, n, ACL_MEMCPY_DEVICE_TO_HOST));
		CHECK_PATTERN(fresh, n, 8);
		munmap(fresh, n);
	}
}

/* Random copies between buffers of all kinds against a model in plain memory */
static void random_copies_agree_with_a_model(void)
{
	enum { BUFFERS = 9, SIZE = 300000, STEPS = 3000 };
	char *mem[BUFFERS], *model[BUFFERS], *got = host_alloc(SIZE);
	uint64_t random = 42;

	start();
	for (int i = 0; i < BUFFERS; i++) {
		mem[i] = alloc_at(i % PLACES, SIZE);
		model[i] = host_alloc(SIZE);
		fill_pattern(model[i], SIZE, (unsigned int)i);
		write_at(i % PLACES, mem[i], model[i], SIZE);
	}
	for (int step = 0; step < STEPS; step++) {
		uint32_t d = next_random(&random) % BUFFERS, s = next_random(&random) % BUFFERS;
		size_t n = next_random(&random) % (1U << next_random(&random) % 18) + 1;
		size_t doff = next_random(&random) % (SIZE - n);
		size_t soff = next_random(&random) % (SIZE - n);
		aclrtMemcpyKind kind = kind_of(d % PLACES, s % PLACES);

		if (d == s)
			continue;
		memcpy(model[d] + doff, model[s] + soff, n);
		if (kind != ACL_MEMCPY_HOST_TO_HOST && next_random(&random) % 2) {
			ACL(aclrtMemcpyAsync(mem[d] + doff, n, mem[s] + soff, n, kind, NULL));
			ACL(aclrtSynchronizeStream(NULL));
		} else {
			ACL(aclrtMemcpy(mem[d] + doff, n, mem[s] + soff, n, kind));
		}
	}
	for (int i = 0; i < BUFFERS; i++) {
		read_at(i % PLACES, got, mem[i], SIZE);
		CHECK(!memcmp(got, model[i], SIZE));
	}
}

static void bad_stream_is_107017(void)
{
	aclrtStream stream;
	char host[64];
	void *dev;

	start();
	dev = dev_alloc(64);
	stream = new_stream();
	ACL(aclrtDestroyStream(stream));
	FAILS(aclrtMemcpyAsync(dev, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream),
	      ACL_ERROR_RT_INVALID_HANDLE, "stream");
	FAILS(aclrtMemcpyAsync(dev, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE, (aclrtStream)host),
	      ACL_ERROR_RT_INVALID_HANDLE, "stream");
}

TAP_MAIN(TEST_SECONDS(sync_between_host_and_device_any_alignment, 90),
	 TEST_SECONDS(async_between_host_and_device_any_alignment, 90),
	 TEST(sync_host_to_host),
	 TEST(sync_takes_direction_from_the_pointers),
	 TEST(kinds_out_of_range_are_100000),
	 TEST(null_is_100000),
	 TEST(longer_than_dest_max_is_107000),
	 TEST(longer_than_the_allocation_is_107000),
	 TEST(pinned_memory_ends_where_it_ends),
	 TEST(neighbours_are_not_one_allocation),
	 TEST(freed_memory_is_refused),
	 TEST(device_addresses_never_allocated_are_refused),
	 TEST(count_0_touches_nothing),
	 TEST(async_host_to_host_is_207000),
	 TEST(async_kind_must_match_the_pointers),
	 TEST(async_default_takes_direction_from_the_pointers),
	 TEST(async_pageable_is_done_on_return),
	 TEST(async_pageable_keeps_its_place_in_the_stream),
	 TEST(async_pinned_returns_before_it_ran),
	 TEST(async_copies_run_in_order),
	 TEST(sync_does_not_wait_for_streams),
	 TEST(large_copies),
	 TEST(source_may_be_read_only),
	 TEST(destination_may_be_untouched_memory),
	 TEST(random_copies_agree_with_a_model),
	 TEST(bad_stream_is_107017))
