// SPDX-License-Identifier: MIT
/* Variables of operators by name, and by a variable of the program that has the same name. */
#include "../acltest.h"

/* Stand-ins: only their addresses are used */
extern uint64_t tally, samples[16], fixed, unheard_of;
uint64_t tally, samples[16], fixed, unheard_of;

void store(void);
void aclrtlaunch_add_to_tally(void);
void no_kernel(void);
void store(void) { }
void aclrtlaunch_add_to_tally(void) { }
void no_kernel(void) { }

static aclrtBinHandle load_lazy(const char *path)
{
	aclrtBinaryLoadOption option = { ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD, { .isLazyLoad = 1 } };
	aclrtBinaryLoadOptions options = { &option, 1 };
	aclrtBinHandle bin;

	ACL(aclrtBinaryLoadFromFile(path, &options, &bin));
	return bin;
}

static void globals_of_a_binary(void)
{
	uint64_t *value = NULL, *array = NULL, *constant = NULL;
	aclrtBinHandle bin;
	size_t size = 0;

	start();
	bin = load(OPS);
	ACL(aclrtBinaryGetGlobal(bin, "tally", (void **)&value, &size));
	CHECK_EQ(size, 8);
	CHECK_EQ(read_u64(value), 1000);
	write_u64(value, 5);
	LAUNCH(op("add_to_tally"), 1, NULL, 37);
	ACL(aclrtSynchronizeStream(NULL));
	/* op() has a binary of its own, with variables of their own */
	CHECK_EQ(read_u64(value), 5);
	ACL(aclrtBinaryGetGlobal(bin, "samples", (void **)&array, NULL));
	ACL(aclrtBinaryGetGlobal(bin, "samples", NULL, &size));
	CHECK_EQ(size, 16 * 8);
	CHECK_EQ(read_u64(array + 15), 0);
	ACL(aclrtBinaryGetGlobal(bin, "fixed", (void **)&constant, &size));
	CHECK_EQ(read_u64(constant), 77);
	/* it is memory with edges, which is not the program's to free */
	FAILS(aclrtMemset(array, 200, 0, 16 * 8 + 1), ACL_ERROR_RT_PARAM_INVALID, "leaves");
	FAILS(aclrtFree(array), ACL_ERROR_RT_PARAM_INVALID, "variable");
	ACL(aclrtBinaryUnLoad(bin));
	FAILS(aclrtMemset(array, 8, 0, 8), ACL_ERROR_RT_PARAM_INVALID);
}

static void lazy_binaries_are_uploaded(void)
{
	aclrtBinHandle bin;
	uint64_t *value = NULL;
	size_t size;

	start();
	bin = load_lazy(OPS);
	ACL(aclrtBinaryGetGlobal(bin, "tally", (void **)&value, &size));
	CHECK_EQ(read_u64(value), 1000);
}

static void wrong_globals(void)
{
	aclrtBinHandle bin;
	void *p;
	size_t size;

	start();
	bin = load(OPS);
	FAILS(aclrtBinaryGetGlobal(NULL, "tally", &p, &size), ACL_ERROR_INVALID_PARAM, "binHandle");
	FAILS(aclrtBinaryGetGlobal(bin, NULL, &p, &size), ACL_ERROR_INVALID_PARAM, "name");
	FAILS(aclrtBinaryGetGlobal(bin, "tally", NULL, NULL), ACL_ERROR_INVALID_PARAM, "dptr");
	FAILS(aclrtBinaryGetGlobal(bin, "counters", &p, &size), ACL_ERROR_RT_SYMBOL_NOT_FOUND,
	      "counters", "ops.o");
	FAILS(aclrtBinaryGetGlobal(bin, "store", &p, &size), ACL_ERROR_RT_SYMBOL_NOT_FOUND, "store");
	FAILS(aclrtBinaryGetGlobal(&p, "tally", &p, &size), ACL_ERROR_RT_INVALID_HANDLE);
}

static void a_kernel_by_its_number(void)
{
	aclrtFuncHandle func = NULL, again = NULL;
	aclrtBinHandle bin;
	uint64_t *p;

	start();
	p = dev_alloc(8);
	bin = load_lazy(OPS);
	ACL(aclrtBinaryGetFunctionByEntry(bin, 1234567, &func));
	LAUNCH(func, 1, NULL, U64(p));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(p), 1234567);
	ACL(aclrtBinaryGetFunction(bin, "keyed", &again));
	CHECK(func == again);
	FAILS(aclrtBinaryGetFunctionByEntry(bin, 4, &func), ACL_ERROR_RT_KERNEL_LOOKUP, "0 kernels",
	      "4");
	FAILS(aclrtBinaryGetFunctionByEntry(bin, 0, &func), ACL_ERROR_RT_KERNEL_LOOKUP, "kernels");
	FAILS(aclrtBinaryGetFunctionByEntry(NULL, 1, &func), ACL_ERROR_INVALID_PARAM, "binHandle");
	FAILS(aclrtBinaryGetFunctionByEntry(bin, 1, NULL), ACL_ERROR_INVALID_PARAM, "funcHandle");
	FAILS(aclrtBinaryGetFunctionByEntry(func, 1, &func), ACL_ERROR_RT_INVALID_HANDLE);
}

static void by_the_program_s_own_name(void)
{
	uint64_t *address = NULL, value = 7;
	aclrtFuncHandle func = NULL;
	size_t size = 0;

	start();
	FAILS(aclrtGetSymbolAddress(&tally, (void **)&address), ACL_ERROR_RT_SYMBOL_NOT_FOUND,
	      "0 binaries", "tally");
	load(OPS);
	ACL(aclrtGetSymbolAddress(&tally, (void **)&address));
	ACL(aclrtGetSymbolSize(&tally, &size));
	CHECK_EQ(size, 8);
	CHECK_EQ(read_u64(address), 1000);
	ACL(aclrtMemcpyToSymbol(&tally, &value, 8, 0, ACL_MEMCPY_HOST_TO_DEVICE));
	ACL(aclrtGetFuncBySymbol((void *)aclrtlaunch_add_to_tally, &func));
	LAUNCH(func, 1, NULL, 3);
	ACL(aclrtSynchronizeStream(NULL));
	ACL(aclrtMemcpyFromSymbol(&value, 8, &tally, 8, 0, ACL_MEMCPY_DEVICE_TO_HOST));
	CHECK_EQ(value, 10);
	ACL(aclrtGetFuncBySymbol((void *)store, &func));
	LAUNCH(func, 1, NULL, U64(address), 99);
	ACL(aclrtSynchronizeStream(NULL));
	ACL(aclrtMemcpyFromSymbol(&value, 8, &tally, 8, 0, ACL_MEMCPY_DEFAULT));
	CHECK_EQ(value, 99);
	CHECK_EQ(tally, 0);
	/* what was loaded last counts */
	load_lazy(OPS);
	ACL(aclrtMemcpyFromSymbol(&value, 8, &tally, 8, 0, ACL_MEMCPY_DEFAULT));
	CHECK_EQ(value, 1000);
}

static void copies_in_stream_order(void)
{
	uint64_t *in, *out, *dev, on_stack[4] = { 1, 2, 3, 4 };
	aclrtStream stream;

	start();
	stream = new_stream();
	dev = dev_alloc(16 * 8);
	in = pinned_alloc(16 * 8);
	out = pinned_alloc(16 * 8);
	for (uint64_t i = 0; i < 16; i++)
		in[i] = i * i;
	op("copy_samples");
	ACL(aclrtMemcpyToSymbolAsync(samples, in, 16 * 8, 0, ACL_MEMCPY_HOST_TO_DEVICE, stream));
	LAUNCH(op("copy_samples"), 1, stream, U64(dev));
	ACL(aclrtMemcpyFromSymbolAsync(out, 16 * 8, samples, 15 * 8, 8, ACL_MEMCPY_DEFAULT, stream));
	ACL(aclrtSynchronizeStream(stream));
	for (uint64_t i = 0; i < 16; i++)
		CHECK_EQ(read_u64(dev + i), i * i + 77);
	for (uint64_t i = 0; i < 15; i++)
		CHECK_EQ(out[i], (i + 1) * (i + 1));
	/* pageable memory is copied before the call returns */
	ACL(aclrtMemcpyToSymbolAsync(samples, on_stack, 32, 64, ACL_MEMCPY_DEFAULT, stream));
	memset(on_stack, 0, sizeof(on_stack));
	ACL(aclrtMemcpyFromSymbolAsync(on_stack, 32, samples, 32, 64, ACL_MEMCPY_DEVICE_TO_HOST,
				       stream));
	CHECK_EQ(on_stack[3], 4);
}

static void wrong_symbols(void)
{
	uint64_t value = 0, on_stack;
	aclrtFuncHandle func;
	aclrtStream other;
	size_t size;
	void *p;

	start();
	load(OPS);
	other = new_stream();
	ACL(aclrtDestroyStream(other));
	FAILS(aclrtGetSymbolAddress(NULL, &p), ACL_ERROR_INVALID_PARAM, "symbol");
	FAILS(aclrtGetSymbolAddress(&tally, NULL), ACL_ERROR_INVALID_PARAM, "devPtr");
	FAILS(aclrtGetSymbolAddress(&on_stack, &p), ACL_ERROR_RT_INVALID_SYMBOL, "name");
	FAILS(aclrtGetSymbolAddress(&samples[1], &p), ACL_ERROR_RT_INVALID_SYMBOL, "begins");
	FAILS(aclrtGetSymbolAddress((void *)8, &p), ACL_ERROR_RT_INVALID_SYMBOL);
	FAILS(aclrtGetSymbolAddress(&unheard_of, &p), ACL_ERROR_RT_SYMBOL_NOT_FOUND, "unheard_of");
	FAILS(aclrtGetSymbolSize(&unheard_of, &size), ACL_ERROR_RT_SYMBOL_NOT_FOUND, "unheard_of");
	FAILS(aclrtGetSymbolSize(&tally, NULL), ACL_ERROR_INVALID_PARAM, "size");
	FAILS(aclrtGetFuncBySymbol((void *)no_kernel, &func), ACL_ERROR_RT_INVALID_DEVICE_FUNCTION,
	      "no_kernel");
	FAILS(aclrtGetFuncBySymbol(NULL, &func), ACL_ERROR_INVALID_PARAM, "symbol");
	FAILS(aclrtGetFuncBySymbol((void *)store, NULL), ACL_ERROR_INVALID_PARAM, "funcHandle");
	FAILS(aclrtGetFuncBySymbol(&on_stack, &func), ACL_ERROR_RT_INVALID_SYMBOL);
	FAILS(aclrtMemcpyToSymbol(&tally, NULL, 8, 0, ACL_MEMCPY_DEFAULT), ACL_ERROR_INVALID_PARAM,
	      "src");
	FAILS(aclrtMemcpyFromSymbol(NULL, 8, &tally, 8, 0, ACL_MEMCPY_DEFAULT),
	      ACL_ERROR_INVALID_PARAM, "dst");
	FAILS(aclrtMemcpyToSymbol(&tally, &value, 8, 1, ACL_MEMCPY_DEFAULT),
	      ACL_ERROR_RT_PARAM_INVALID, "leave", "tally");
	FAILS(aclrtMemcpyToSymbol(&tally, &value, 8, SIZE_MAX, ACL_MEMCPY_DEFAULT),
	      ACL_ERROR_RT_PARAM_INVALID, "leave");
	FAILS(aclrtMemcpyFromSymbol(&value, 8, &tally, 9, 0, ACL_MEMCPY_DEFAULT),
	      ACL_ERROR_RT_PARAM_INVALID, "leave");
	FAILS(aclrtMemcpyFromSymbol(&value, 7, &tally, 8, 0, ACL_MEMCPY_DEFAULT),
	      ACL_ERROR_RT_PARAM_INVALID, "destMax is 7");
	FAILS(aclrtMemcpyToSymbol(&tally, &value, 8, 0, ACL_MEMCPY_DEVICE_TO_HOST),
	      ACL_ERROR_INVALID_PARAM, "kind");
	FAILS(aclrtMemcpyFromSymbol(&value, 8, &tally, 8, 0, ACL_MEMCPY_HOST_TO_DEVICE),
	      ACL_ERROR_INVALID_PARAM, "kind");
	FAILS(aclrtMemcpyToSymbol(&fixed, &value, 8, 0, ACL_MEMCPY_DEFAULT),
	      ACL_ERROR_RT_PARAM_INVALID, "constant", "fixed");
	FAILS(aclrtMemcpyToSymbolAsync(&tally, &value, 8, 0, ACL_MEMCPY_DEFAULT, other),
	      ACL_ERROR_RT_INVALID_HANDLE, "stream");
	FAILS(aclrtMemcpyFromSymbolAsync(&value, 8, &tally, 8, 0, ACL_MEMCPY_DEFAULT, other),
	      ACL_ERROR_RT_INVALID_HANDLE, "stream");
}

TAP_MAIN(TEST(globals_of_a_binary),
	 TEST(lazy_binaries_are_uploaded),
	 TEST(wrong_globals),
	 TEST(a_kernel_by_its_number),
	 TEST(by_the_program_s_own_name),
	 TEST(copies_in_stream_order),
	 TEST(wrong_symbols))
