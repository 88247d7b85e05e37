// SPDX-License-Identifier: MIT
/*
 * acl.util: addresses of Python's objects, objects of what lies at an address, and threads for callbacks.
 */
#include <string.h>

#include "made.h"

/* Protected by Python's lock: threads of start_thread() that were not stopped, by their number */
static PyObject *threads;

/* The address of an object's memory; the caller keeps the object, as the documents say */
static PyObject *address_of(PyObject *o, int flags, const struct acl_py_site *site, const char *name,
			    const char *wanted)
{
	Py_buffer view;
	void *address;

	if (PyObject_GetBuffer(o, &view, flags)) {
		PyErr_Clear();
		acl_py_wrong_type(o, site, name, wanted);
		return NULL;
	}
	address = view.buf;
	acl_py_given(o, address, (size_t)view.len, site);
	PyBuffer_Release(&view);
	return PyLong_FromVoidPtr(address);
}

static PyObject *bytes_to_ptr(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.util.bytes_to_ptr" };

	(void)self;
	if (nargs != 1)
		return acl_py_count(&site, nargs, 1, 1, "bytes_data");
	return address_of(args[0], PyBUF_SIMPLE, &site, "bytes_data", "bytes, or another contiguous buffer");
}

static PyObject *bytes_out_to_ptr(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.util.bytes_out_to_ptr" };

	(void)self;
	if (nargs != 1)
		return acl_py_count(&site, nargs, 1, 1, "bytes_out");
	/* programs let copies write into bytes that they have just made, so these count as writable */
	return address_of(args[0], PyBytes_Check(args[0]) ? PyBUF_SIMPLE : PyBUF_WRITABLE, &site, "bytes_out",
			  "bytes, or another writable contiguous buffer");
}

/* Reads address and size of host memory; false with an exception */
static bool take_memory(PyObject *const *args, void **ptr, size_t *size, const struct acl_py_site *site)
{
	if (!acl_py_handle(args[0], ptr, site, "ptr") || !acl_py_size(args[1], size, site, "size"))
		return false;
	if (*size > PY_SSIZE_T_MAX) {
		PyErr_Format(PyExc_OverflowError, "%s(): size is %R and must be below 2**63", site->function, args[1]);
		return false;
	}
	if (*ptr || !*size)
		return true;
	PyErr_Format(PyExc_ValueError, "%s(): ptr is 0", site->function);
	return false;
}

static PyObject *ptr_to_bytes(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.util.ptr_to_bytes" };
	size_t size = 0;
	void *ptr;

	(void)self;
	if (nargs != 2)
		return acl_py_count(&site, nargs, 2, 2, "ptr, size");
	if (!take_memory(args, &ptr, &size, &site))
		return NULL;
	acl_py_looks(&site, ptr, size);
	return PyBytes_FromStringAndSize(ptr, (Py_ssize_t)size);
}

static PyObject *vector_to_bytes(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.util.vector_to_bytes" };
	/* begin, end and end of room, as the C++ library of Linux lays out a vector */
	char *const *vector;
	void *ptr;

	(void)self;
	if (nargs != 1)
		return acl_py_count(&site, nargs, 1, 1, "ptr");
	if (!acl_py_handle(args[0], &ptr, &site, "ptr"))
		return NULL;
	vector = ptr;
	if (!vector || vector[1] < vector[0])
		return PyErr_Format(PyExc_ValueError, "%s(): ptr is %R, where no std::vector is", site.function, args[0]);
	return PyBytes_FromStringAndSize(vector[0], vector[1] - vector[0]);
}

/* numpy ------------------------------------------------------------------------------------------------------- */

static PyObject *numpy_to_ptr(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.util.numpy_to_ptr" };

	(void)self;
	if (nargs != 1)
		return acl_py_count(&site, nargs, 1, 1, "data");
	return address_of(args[0], PyBUF_STRIDES, &site, "data", "numpy.ndarray");
}

static PyObject *numpy_contiguous_to_ptr(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.util.numpy_contiguous_to_ptr" };
	PyObject *numpy, *array, *address;

	(void)self;
	if (nargs != 1)
		return acl_py_count(&site, nargs, 1, 1, "data_in");
	numpy = PyImport_ImportModule("numpy");
	if (!numpy)
		return NULL;
	array = PyObject_GetAttrString(numpy, "ndarray");
	if (array && PyObject_IsInstance(args[0], array) != 1) {
		if (!PyErr_Occurred())
			acl_py_wrong_type(args[0], &site, "data_in", "numpy.ndarray");
		Py_DECREF(array);
		Py_DECREF(numpy);
		return NULL;
	}
	Py_XDECREF(array);
	array = PyObject_CallMethod(numpy, "ascontiguousarray", "O", args[0]);
	Py_DECREF(numpy);
	if (!array)
		return NULL;
	address = address_of(array, PyBUF_STRIDES, &site, "data_in", "numpy.ndarray");
	if (address)
		return acl_py_tuple(2, address, array);
	Py_DECREF(array);
	return NULL;
}

/* numpy's dtype of a type number of its C interface */
static const char *dtype_name(int32_t type)
{
	static const char *const names[] = { "?",  "b",	 "B",  "h",  "H",  "i",	 "I", "l",
					     "L",  "q",	 "Q",  "f",  "d",  "g",	 "F", "D",
					     "G",  NULL, NULL, NULL, NULL, NULL, NULL, "e" };

	return type >= 0 && (size_t)type < sizeof(names) / sizeof(names[0]) ? names[type] : NULL;
}

/* Bytes of an array; -1 with an exception */
static Py_ssize_t array_size(PyObject *numpy, PyObject *shape, const char *dtype)
{
	PyObject *type = PyObject_CallMethod(numpy, "dtype", "s", dtype), *item, *prod, *total = NULL;
	Py_ssize_t size = -1;

	item = type ? PyObject_GetAttrString(type, "itemsize") : NULL;
	prod = item ? PyImport_ImportModule("math") : NULL;
	if (prod)
		total = PyObject_CallMethod(prod, "prod", "(O)", shape);
	if (total)
		size = PyLong_AsSsize_t(total);
	if (size >= 0 && size <= PY_SSIZE_T_MAX / 32)
		size *= PyLong_AsSsize_t(item);
	else if (!PyErr_Occurred())
		PyErr_SetString(PyExc_ValueError, "acl.util.ptr_to_numpy(): shape has no size that memory can have");
	Py_XDECREF(total);
	Py_XDECREF(prod);
	Py_XDECREF(item);
	Py_XDECREF(type);
	return PyErr_Occurred() ? -1 : size;
}

/* An array over memory that it does not own */
static PyObject *array_over(PyObject *numpy, void *ptr, PyObject *shape, const char *dtype, Py_ssize_t size)
{
	PyObject *memory = PyMemoryView_FromMemory(ptr, size, PyBUF_WRITE), *flat = NULL, *array = NULL;

	if (memory)
		flat = PyObject_CallMethod(numpy, "frombuffer", "Os", memory, dtype);
	if (flat)
		array = PyObject_CallMethod(flat, "reshape", "(O)", shape);
	Py_XDECREF(flat);
	Py_XDECREF(memory);
	return array;
}

static PyObject *ptr_to_numpy(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.util.ptr_to_numpy" };
	PyObject *numpy, *array = NULL;
	const char *dtype;
	int32_t type = 0;
	Py_ssize_t size;
	void *ptr;

	(void)self;
	if (nargs != 3)
		return acl_py_count(&site, nargs, 3, 3, "ptr, shape, type");
	if (!acl_py_handle(args[0], &ptr, &site, "ptr") || !acl_py_i32(args[2], &type, &site, "type"))
		return NULL;
	if (!PyTuple_Check(args[1]) && !PyList_Check(args[1]))
		return acl_py_wrong_type(args[1], &site, "shape", "tuple") ? NULL : NULL;
	dtype = dtype_name(type);
	if (!dtype)
		return PyErr_Format(PyExc_ValueError, "%s(): type is %d, which is no number of numpy's C interface",
				    site.function, (int)type);
	if (!ptr)
		return PyErr_Format(PyExc_ValueError, "%s(): ptr is 0", site.function);
	numpy = PyImport_ImportModule("numpy");
	if (!numpy)
		return NULL;
	size = array_size(numpy, args[1], dtype);
	if (!size)
		array = PyObject_CallMethod(numpy, "zeros", "Os", args[1], dtype);
	if (size > 0)
		acl_py_looks(&site, ptr, (size_t)size);
	if (size > 0)
		array = array_over(numpy, ptr, args[1], dtype, size);
	Py_DECREF(numpy);
	return array;
}

/* Threads ------------------------------------------------------------------------------------------------------- */

/* A daemon: a program that does not stop it ends all the same */
static PyObject *new_thread(PyObject *fn, PyObject *list)
{
	PyObject *threading = PyImport_ImportModule("threading"), *type = NULL, *args = NULL, *named = NULL;
	PyObject *thread = NULL, *none = PyTuple_New(0);

	if (threading)
		type = PyObject_GetAttrString(threading, "Thread");
	if (type && none)
		named = Py_BuildValue("{s:O,s:(O),s:O}", "target", fn, "args", list, "daemon", Py_True);
	if (named)
		thread = PyObject_Call(type, none, named);
	if (thread) {
		args = PyObject_CallMethod(thread, "start", NULL);
		if (!args)
			Py_CLEAR(thread);
	}
	Py_XDECREF(args);
	Py_XDECREF(named);
	Py_XDECREF(none);
	Py_XDECREF(type);
	Py_XDECREF(threading);
	return thread;
}

static PyObject *start_thread(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.util.start_thread" };
	PyObject *thread, *ident;
	int err;

	(void)self;
	if (nargs != 2)
		return acl_py_count(&site, nargs, 2, 2, "func, args_list");
	if (!acl_py_function(args[0], false, &site, "func"))
		return NULL;
	if (!threads)
		threads = PyDict_New();
	thread = threads ? new_thread(args[0], args[1]) : NULL;
	ident = thread ? PyObject_GetAttrString(thread, "ident") : NULL;
	err = ident ? PyDict_SetItem(threads, ident, thread) : -1;
	Py_XDECREF(thread);
	if (!err)
		return acl_py_tuple(2, ident, PyLong_FromLong(ACL_SUCCESS));
	Py_XDECREF(ident);
	return NULL;
}

static PyObject *stop_thread(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.util.stop_thread" };
	PyObject *thread, *key, *joined;
	uint64_t ident = 0;

	(void)self;
	if (nargs != 1)
		return acl_py_count(&site, nargs, 1, 1, "thread_id");
	if (!acl_py_u64(args[0], &ident, &site, "thread_id"))
		return NULL;
	key = PyLong_FromUnsignedLongLong(ident);
	thread = key && threads ? PyDict_GetItemWithError(threads, key) : NULL;
	/* a thread cannot wait for its own end */
	if (!thread || ident == PyThread_get_thread_ident()) {
		Py_XDECREF(key);
		return PyErr_Occurred() ? NULL : PyLong_FromLong(ACL_ERROR_INVALID_PARAM);
	}
	Py_INCREF(thread);
	joined = PyObject_CallMethod(thread, "join", NULL);
	if (joined && PyDict_GetItemWithError(threads, key) == thread && PyDict_DelItem(threads, key))
		Py_CLEAR(joined);
	Py_DECREF(thread);
	Py_DECREF(key);
	if (!joined)
		return NULL;
	Py_DECREF(joined);
	return PyLong_FromLong(ACL_SUCCESS);
}

static PyObject *callback_failures(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.util.callback_failures" };

	(void)self;
	(void)args;
	if (nargs)
		return acl_py_count(&site, nargs, 0, 0, "");
	return PyLong_FromLongLong(acl_py_call_failures());
}

#define METHOD(name, signature, text)                                                                   \
	{                                                                                               \
		#name, (PyCFunction)(void *)name, METH_FASTCALL, #name signature "\n--\n\n" text "\n"   \
	}

PyMethodDef acl_util_methods[] = {
	METHOD(bytes_to_ptr, "(bytes_data, /)",
	       "The address of the memory of a bytes object.\n\n    ptr = acl.util.bytes_to_ptr(bytes_data)\n\n"
	       "The object must live as long as the address is used. Any contiguous buffer will do."),
	METHOD(bytes_out_to_ptr, "(bytes_out, /)",
	       "The address of memory that a copy is to write.\n\n    ptr = acl.util.bytes_out_to_ptr(bytes_out)\n\n"
	       "bytes_out is a writable contiguous buffer, such as a bytearray, or a bytes object that nobody else\n"
	       "has. It must live as long as the address is used."),
	METHOD(ptr_to_bytes, "(ptr, size, /)",
	       "A bytes object with a copy of host memory.\n\n    bytes_data = acl.util.ptr_to_bytes(ptr, size)\n\n"
	       "size is in bytes. An address that is no host memory ends the process, as in C."),
	METHOD(vector_to_bytes, "(ptr, /)",
	       "A bytes object with a copy of what a std::vector of C++ holds.\n\n"
	       "    bytes_data = acl.util.vector_to_bytes(ptr)\n\n"
	       "ptr is the address of the vector. One that is none ends the process, as in C."),
	METHOD(numpy_to_ptr, "(data, /)",
	       "The address of the first item of a numpy array.\n\n    ptr = acl.util.numpy_to_ptr(data)\n\n"
	       "The array must live as long as the address is used."),
	METHOD(numpy_contiguous_to_ptr, "(data_in, /)",
	       "The address of a numpy array whose rows lie behind each other.\n\n"
	       "    ptr, data_out = acl.util.numpy_contiguous_to_ptr(data_in)\n\n"
	       "data_out is data_in if its rows do, or a copy; it must live as long as the address is used."),
	METHOD(ptr_to_numpy, "(ptr, shape, type, /)",
	       "A numpy array over host memory, without a copy.\n\n"
	       "    data = acl.util.ptr_to_numpy(ptr, shape, type)\n\n"
	       "shape is a tuple, type a number of numpy's C interface: 1 int8, 2 uint8, 5 int32, 7 int64, 11 float32,\n"
	       "12 float64, 23 float16 and so on. The memory must live as long as the array is used."),
	METHOD(start_thread, "(func, args_list, /)",
	       "Starts a thread that runs func(args_list).\n\n"
	       "    thread_id, ret = acl.util.start_thread(func, args_list)\n\n"
	       "thread_id is what acl.rt.subscribe_report() takes, and equal to the thread's threading.get_ident()."),
	METHOD(stop_thread, "(thread_id, /)",
	       "Waits until a thread of start_thread() has ended.\n\n    ret = acl.util.stop_thread(thread_id)\n\n"
	       "Returns 0, or ACL_ERROR_INVALID_PARAM for what is no such thread, or the caller itself. The thread's\n"
	       "function has to be told to return before."),
	METHOD(callback_failures, "()",
	       "How many functions of the program have raised an exception when the library called them.\n\n"
	       "    count = acl.util.callback_failures()\n\n"
	       "Each was printed by sys.unraisablehook."),
	{ 0 },
};
