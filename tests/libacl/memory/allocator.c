// SPDX-License-Identifier: MIT
/* The program's own allocators, as a library would ask for them. */
#include "../acltest.h"

static int object, another;

static void *alloc(aclrtAllocator allocator, size_t size)
{
	CHECK(allocator == &object);
	return dev_alloc(size);
}

static void give_back(aclrtAllocator allocator, aclrtAllocatorBlock block)
{
	CHECK(allocator == &object);
	ACL(aclrtFree(block));
}

static void *alloc_near(aclrtAllocator allocator, size_t size, aclrtAllocatorAddr addr)
{
	(void)addr;
	return alloc(allocator, size);
}

static void *address_of(aclrtAllocatorBlock block)
{
	return block;
}

static aclrtAllocatorDesc new_desc(void)
{
	aclrtAllocatorDesc desc = aclrtAllocatorCreateDesc();

	CHECK(desc);
	ACL(aclrtAllocatorSetObjToDesc(desc, &object));
	ACL(aclrtAllocatorSetAllocFuncToDesc(desc, alloc));
	ACL(aclrtAllocatorSetFreeFuncToDesc(desc, give_back));
	ACL(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, address_of));
	return desc;
}

struct found {
	aclrtAllocatorDesc desc;
	aclrtAllocator object;
	aclrtAllocatorAllocFunc alloc;
	aclrtAllocatorFreeFunc free;
	aclrtAllocatorAllocAdviseFunc advise;
	aclrtAllocatorGetAddrFromBlockFunc addr;
};

static aclError ask(aclrtStream stream, struct found *f)
{
	return aclrtAllocatorGetByStream(stream, &f->desc, &f->object, &f->alloc, &f->free,
					 &f->advise, &f->addr);
}

static void a_library_allocates_with_it(void)
{
	aclrtAllocatorDesc desc;
	aclrtAllocatorBlock block;
	struct found f;
	aclrtStream a, b;

	start();
	a = new_stream();
	b = new_stream();
	desc = new_desc();
	ACL(aclrtAllocatorRegister(a, desc));
	FAILS(ask(b, &f), ACL_ERROR_RT_PARAM_INVALID, "no allocator");
	ACL(ask(a, &f));
	CHECK(f.desc == desc && f.object == &object && f.alloc == alloc && f.free == give_back &&
	      !f.advise && f.addr == address_of);
	block = f.alloc(f.object, 64);
	write_u64(f.addr(block), 5);
	LAUNCH(op("increment"), 1, a, U64(f.addr(block)));
	ACL(aclrtSynchronizeStream(a));
	CHECK_EQ(read_u64(f.addr(block)), 6);
	f.free(f.object, block);
}

static void the_last_registration_counts(void)
{
	aclrtAllocatorDesc desc, other;
	struct found f;
	aclrtStream a;

	start();
	a = new_stream();
	desc = new_desc();
	ACL(aclrtAllocatorRegister(a, desc));
	/* a registration is not touched by what happens to its description */
	ACL(aclrtAllocatorSetObjToDesc(desc, &another));
	ACL(aclrtAllocatorDestroyDesc(desc));
	ACL(ask(a, &f));
	CHECK(f.object == &object);
	other = new_desc();
	ACL(aclrtAllocatorSetAllocAdviseFuncToDesc(other, alloc_near));
	ACL(aclrtAllocatorRegister(a, other));
	ACL(ask(a, &f));
	CHECK(f.desc == other && f.advise == alloc_near);
	ACL(aclrtAllocatorUnregister(a));
	FAILS(ask(a, &f), ACL_ERROR_RT_PARAM_INVALID, "aclrtAllocatorUnregister");
	ACL(aclrtAllocatorUnregister(a));
	ACL(aclrtAllocatorDestroyDesc(other));
}

static void a_stream_takes_its_registration_along(void)
{
	aclrtAllocatorDesc desc;
	struct found f;
	aclrtStream a;

	start();
	desc = new_desc();
	for (int i = 0; i < 100; i++) {
		a = new_stream();
		FAILS(ask(a, &f), ACL_ERROR_RT_PARAM_INVALID);
		ACL(aclrtAllocatorRegister(a, desc));
		ACL(aclrtDestroyStream(a));
		FAILS(ask(a, &f), ACL_ERROR_RT_INVALID_HANDLE, "stream");
	}
	ACL(aclrtAllocatorUnregister(a));
}

static void wrong_arguments(void)
{
	aclrtAllocatorDesc desc;
	aclrtStream a;
	struct found f;

	start();
	a = new_stream();
	desc = aclrtAllocatorCreateDesc();
	CHECK(desc);
	FAILS(aclrtAllocatorRegister(a, desc), ACL_ERROR_INVALID_PARAM, "SetObjToDesc");
	ACL(aclrtAllocatorSetObjToDesc(desc, &object));
	FAILS(aclrtAllocatorRegister(a, desc), ACL_ERROR_INVALID_PARAM, "SetAllocFuncToDesc");
	ACL(aclrtAllocatorSetAllocFuncToDesc(desc, alloc));
	FAILS(aclrtAllocatorRegister(a, desc), ACL_ERROR_INVALID_PARAM, "SetFreeFuncToDesc");
	ACL(aclrtAllocatorSetFreeFuncToDesc(desc, give_back));
	FAILS(aclrtAllocatorRegister(a, desc), ACL_ERROR_INVALID_PARAM, "GetAddrFromBlock");
	ACL(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, address_of));
	FAILS(aclrtAllocatorRegister(NULL, desc), ACL_ERROR_INVALID_PARAM, "stream");
	FAILS(aclrtAllocatorRegister(a, NULL), ACL_ERROR_INVALID_PARAM, "allocatorDesc");
	FAILS(aclrtAllocatorRegister(desc, desc), ACL_ERROR_RT_INVALID_HANDLE, "description");
	FAILS(aclrtAllocatorRegister(a, a), ACL_ERROR_RT_INVALID_HANDLE, "a stream");
	FAILS(aclrtAllocatorSetObjToDesc(NULL, &object), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtAllocatorSetObjToDesc(desc, NULL), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtAllocatorSetAllocFuncToDesc(desc, NULL), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtAllocatorSetFreeFuncToDesc(desc, NULL), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtAllocatorSetAllocAdviseFuncToDesc(desc, NULL), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, NULL), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtAllocatorSetAllocFuncToDesc(a, alloc), ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclrtAllocatorSetFreeFuncToDesc(a, give_back), ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclrtAllocatorSetAllocAdviseFuncToDesc(a, alloc_near), ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(a, address_of),
	      ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(ask(NULL, &f), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtAllocatorGetByStream(a, NULL, &f.object, &f.alloc, &f.free, &f.advise, &f.addr),
	      ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtAllocatorGetByStream(a, &f.desc, NULL, &f.alloc, &f.free, &f.advise, &f.addr),
	      ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtAllocatorGetByStream(a, &f.desc, &f.object, NULL, &f.free, &f.advise, &f.addr),
	      ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtAllocatorGetByStream(a, &f.desc, &f.object, &f.alloc, NULL, &f.advise, &f.addr),
	      ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtAllocatorGetByStream(a, &f.desc, &f.object, &f.alloc, &f.free, NULL, &f.addr),
	      ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtAllocatorGetByStream(a, &f.desc, &f.object, &f.alloc, &f.free, &f.advise, NULL),
	      ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtAllocatorUnregister(NULL), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtAllocatorDestroyDesc(NULL), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtAllocatorDestroyDesc(a), ACL_ERROR_RT_INVALID_HANDLE);
	ACL(aclrtAllocatorDestroyDesc(desc));
	FAILS(aclrtAllocatorDestroyDesc(desc), ACL_ERROR_RT_INVALID_HANDLE, "destroyed");
}

TAP_MAIN(TEST(a_library_allocates_with_it),
	 TEST(the_last_registration_counts),
	 TEST(a_stream_takes_its_registration_along),
	 TEST(wrong_arguments))
