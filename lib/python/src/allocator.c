// SPDX-License-Identifier: MIT
/*
 * The program's own allocators. The library keeps their functions for other libraries, and calls none. A function in C
 * gets nothing that says which description it belongs to, so each description with functions has a set of its own: a
 * slot.
 */
#include "made.h"

#define SLOTS 8

enum { ALLOC, FREE, ADVISE, ADDRESS, FUNCTIONS };

/* Protected by Python's lock */
static struct slot {
	aclrtAllocatorDesc desc; /* NULL: its description is destroyed */
	unsigned int streams;	 /* that it is registered for */
	PyObject *fn[FUNCTIONS];
} slots[SLOTS];
/* Streams that have a slot: stream -> its index */
static PyObject *registered;

/* Calls a function of a slot; what it returns is an address */
static void *run(unsigned int slot, unsigned int which, unsigned int n, const unsigned long long *v)
{
	PyGILState_STATE state;
	PyObject *fn, *result;
	void *address = NULL;

	if (!acl_py_begin(&state))
		return NULL;
	fn = slots[slot].fn[which];
	if (fn) {
		Py_INCREF(fn);
		result = n == 1 ? acl_py_call(fn, "(K)", v[0]) :
			 n == 2 ? acl_py_call(fn, "(KK)", v[0], v[1]) :
				  acl_py_call(fn, "(KKK)", v[0], v[1], v[2]);
		if (result && PyLong_Check(result))
			address = PyLong_AsVoidPtr(result);
		if (PyErr_Occurred())
			PyErr_WriteUnraisable(fn);
		Py_XDECREF(result);
		Py_DECREF(fn);
	}
	acl_py_finish(state);
	return address;
}

#define VALUES(...) ((const unsigned long long[]){ __VA_ARGS__ })
#define SLOT(i)                                                                                              \
	static void *alloc_##i(aclrtAllocator o, size_t size)                                                \
	{                                                                                                    \
		return run(i, ALLOC, 2, VALUES((uintptr_t)o, size));                                         \
	}                                                                                                    \
	static void free_##i(aclrtAllocator o, aclrtAllocatorBlock block)                                    \
	{                                                                                                    \
		(void)run(i, FREE, 2, VALUES((uintptr_t)o, (uintptr_t)block));                               \
	}                                                                                                    \
	static void *advise_##i(aclrtAllocator o, size_t size, aclrtAllocatorAddr address)                   \
	{                                                                                                    \
		return run(i, ADVISE, 3, VALUES((uintptr_t)o, size, (uintptr_t)address));                    \
	}                                                                                                    \
	static void *address_##i(aclrtAllocatorBlock block)                                                  \
	{                                                                                                    \
		return run(i, ADDRESS, 1, VALUES((uintptr_t)block));                                         \
	}

SLOT(0)
SLOT(1)
SLOT(2)
SLOT(3)
SLOT(4)
SLOT(5)
SLOT(6)
SLOT(7)

#define SET(i) { alloc_##i, free_##i, advise_##i, address_##i }

static const struct {
	aclrtAllocatorAllocFunc alloc;
	aclrtAllocatorFreeFunc free;
	aclrtAllocatorAllocAdviseFunc advise;
	aclrtAllocatorGetAddrFromBlockFunc address;
} sets[SLOTS] = { SET(0), SET(1), SET(2), SET(3), SET(4), SET(5), SET(6), SET(7) };

static void drop_if_unused(struct slot *s)
{
	unsigned int i;

	for (i = 0; i < FUNCTIONS && !s->desc && !s->streams; i++)
		Py_CLEAR(s->fn[i]);
}

/* Forgets the slot of a stream, if it has one */
static void leave_stream(PyObject *stream)
{
	PyObject *index = registered ? PyDict_GetItemWithError(registered, stream) : NULL;
	struct slot *s = index ? &slots[PyLong_AsLong(index)] : NULL;

	if (s && !PyDict_DelItem(registered, stream)) {
		s->streams--;
		drop_if_unused(s);
	}
	PyErr_Clear();
}

/* Forgets streams that have ended since; their registration ended with them */
static void leave_ended_streams(void)
{
	PyObject *keys = registered ? PyDict_Keys(registered) : NULL, *key;
	aclrtAllocatorGetAddrFromBlockFunc address;
	aclrtAllocatorAllocAdviseFunc advise;
	aclrtAllocatorAllocFunc alloc;
	aclrtAllocatorFreeFunc give;
	aclrtAllocatorDesc desc;
	aclrtAllocator object;
	Py_ssize_t i;

	for (i = 0; keys && i < PyList_Size(keys); i++) {
		key = PyList_GetItem(keys, i);
		if (aclrtAllocatorGetByStream(PyLong_AsVoidPtr(key), &desc, &object, &alloc, &give, &advise, &address))
			leave_stream(key);
	}
	PyErr_Clear();
	Py_XDECREF(keys);
}

/* The slot of a description, a new one if @add; NULL if there is none */
static struct slot *slot_of(aclrtAllocatorDesc desc, bool add)
{
	struct slot *s;

	for (s = slots; s < slots + SLOTS; s++)
		if (s->desc == desc && desc)
			return s;
	if (add)
		leave_ended_streams();
	for (s = slots; add && s < slots + SLOTS; s++) {
		if (s->desc || s->streams)
			continue;
		s->desc = desc;
		return s;
	}
	return NULL;
}

static aclError set_in_c(unsigned int which, aclrtAllocatorDesc desc, const struct slot *s)
{
	size_t i = (size_t)(s - slots);

	switch (which) {
	case ALLOC:
		return aclrtAllocatorSetAllocFuncToDesc(desc, sets[i].alloc);
	case FREE:
		return aclrtAllocatorSetFreeFuncToDesc(desc, sets[i].free);
	case ADVISE:
		return aclrtAllocatorSetAllocAdviseFuncToDesc(desc, sets[i].advise);
	default:
		return aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, sets[i].address);
	}
}

static PyObject *set_function(const struct acl_py_site *site, unsigned int which, PyObject *const *args,
			      Py_ssize_t nargs)
{
	aclrtAllocatorDesc desc;
	PyObject *old = NULL;
	struct slot *s;
	aclError ret;
	bool mine;

	if (nargs != 2)
		return acl_py_count(site, nargs, 2, 2, "allocator_desc, func");
	if (!acl_py_handle(args[0], &desc, site, "allocator_desc") || !acl_py_function(args[1], false, site, "func"))
		return NULL;
	mine = slot_of(desc, false) != NULL;
	s = slot_of(desc, desc != NULL);
	if (!s && desc)
		return PyErr_Format(PyExc_MemoryError, "%s(): %d descriptions have functions already", site->function,
				    SLOTS);
	ret = set_in_c(which, desc, s ? s : slots);
	if (ret) {
		if (s && !mine)
			s->desc = NULL;
		return PyLong_FromLong(ret);
	}
	old = s->fn[which];
	Py_INCREF(args[1]);
	s->fn[which] = args[1];
	Py_XDECREF(old);
	return PyLong_FromLong(ret);
}

PyObject *py_aclrtAllocatorSetAllocFuncToDesc(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.allocator_set_alloc_func_to_desc" };

	(void)self;
	return set_function(&site, ALLOC, args, nargs);
}

PyObject *py_aclrtAllocatorSetFreeFuncToDesc(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.allocator_set_free_func_to_desc" };

	(void)self;
	return set_function(&site, FREE, args, nargs);
}

PyObject *py_aclrtAllocatorSetAllocAdviseFuncToDesc(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.allocator_set_alloc_advise_func_to_desc" };

	(void)self;
	return set_function(&site, ADVISE, args, nargs);
}

PyObject *py_aclrtAllocatorSetGetAddrFromBlockFuncToDesc(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.allocator_set_get_addr_from_block_func_to_desc" };

	(void)self;
	return set_function(&site, ADDRESS, args, nargs);
}

PyObject *py_aclrtAllocatorDestroyDesc(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.allocator_destroy_desc" };
	aclrtAllocatorDesc desc;
	struct slot *s;
	aclError ret;

	(void)self;
	if (nargs != 1)
		return acl_py_count(&site, nargs, 1, 1, "allocator_desc");
	if (!acl_py_handle(args[0], &desc, &site, "allocator_desc"))
		return NULL;
	ret = aclrtAllocatorDestroyDesc(desc);
	s = ret ? NULL : slot_of(desc, false);
	if (s) {
		s->desc = NULL;
		drop_if_unused(s);
	}
	return PyLong_FromLong(ret);
}

PyObject *py_aclrtAllocatorRegister(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.allocator_register" };
	PyObject *key, *index;
	aclrtAllocatorDesc desc;
	struct slot *s;
	void *stream;
	aclError ret;
	int err = 0;

	(void)self;
	if (nargs != 2)
		return acl_py_count(&site, nargs, 2, 2, "stream, allocator_desc");
	if (!acl_py_handle(args[0], &stream, &site, "stream") ||
	    !acl_py_handle(args[1], &desc, &site, "allocator_desc"))
		return NULL;
	ret = aclrtAllocatorRegister(stream, desc);
	s = ret ? NULL : slot_of(desc, false);
	if (!s)
		return PyLong_FromLong(ret);
	key = PyLong_FromVoidPtr(stream);
	index = PyLong_FromSsize_t(s - slots);
	if (!registered)
		registered = PyDict_New();
	if (key && index && registered) {
		leave_stream(key);
		err = PyDict_SetItem(registered, key, index);
		s->streams += !err;
	}
	Py_XDECREF(key);
	Py_XDECREF(index);
	return err || PyErr_Occurred() ? NULL : PyLong_FromLong(ret);
}

PyObject *py_aclrtAllocatorUnregister(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.allocator_unregister" };
	PyObject *key;
	void *stream;
	aclError ret;

	(void)self;
	if (nargs != 1)
		return acl_py_count(&site, nargs, 1, 1, "stream");
	if (!acl_py_handle(args[0], &stream, &site, "stream"))
		return NULL;
	ret = aclrtAllocatorUnregister(stream);
	key = ret ? NULL : PyLong_FromVoidPtr(stream);
	if (key)
		leave_stream(key);
	Py_XDECREF(key);
	return PyLong_FromLong(ret);
}

/* The program's function of a slot; an address for a function of another library, None for none */
static PyObject *function_of(const struct slot *s, unsigned int which, void *address)
{
	if (!address)
		Py_RETURN_NONE;
	if (!s || !s->fn[which])
		return PyLong_FromVoidPtr(address);
	Py_INCREF(s->fn[which]);
	return s->fn[which];
}

PyObject *py_aclrtAllocatorGetByStream(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.allocator_get_by_stream" };
	aclrtAllocatorGetAddrFromBlockFunc address = NULL;
	aclrtAllocatorAllocAdviseFunc advise = NULL;
	aclrtAllocatorAllocFunc alloc = NULL;
	aclrtAllocatorFreeFunc give = NULL;
	aclrtAllocatorDesc desc = NULL;
	aclrtAllocator object = NULL;
	const struct slot *s = NULL;
	void *stream;
	aclError ret;
	size_t i;

	(void)self;
	if (nargs != 1)
		return acl_py_count(&site, nargs, 1, 1, "stream");
	if (!acl_py_handle(args[0], &stream, &site, "stream"))
		return NULL;
	ret = aclrtAllocatorGetByStream(stream, &desc, &object, &alloc, &give, &advise, &address);
	for (i = 0; i < SLOTS; i++)
		if (alloc && alloc == sets[i].alloc)
			s = &slots[i];
	return acl_py_tuple(7, PyLong_FromVoidPtr(desc), PyLong_FromVoidPtr(object),
			    function_of(s, ALLOC, (void *)alloc), function_of(s, FREE, (void *)give),
			    function_of(s, ADVISE, (void *)advise), function_of(s, ADDRESS, (void *)address),
			    PyLong_FromLong(ret));
}
