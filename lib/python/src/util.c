// SPDX-License-Identifier: MIT
/*
 * acl.util: addresses of Python's objects, and objects of what lies at an address.
 */
#include <string.h>

#include "acl_py.h"

/* The address of an object's memory; the caller keeps the object, as the documents say */
static PyObject *address_of(PyObject *o, bool writable, const struct acl_py_site *site, const char *name)
{
	Py_buffer view;
	void *address;

	if (PyObject_GetBuffer(o, &view, writable ? PyBUF_WRITABLE : PyBUF_SIMPLE)) {
		PyObject *type = PyType_GetName(Py_TYPE(o));

		PyErr_Clear();
		if (type)
			PyErr_Format(PyExc_TypeError, "%s(): %s must be a %scontiguous buffer, such as bytes, not %U",
				     site->function, name, writable ? "writable " : "", type);
		Py_XDECREF(type);
		return NULL;
	}
	address = view.buf;
	PyBuffer_Release(&view);
	return PyLong_FromVoidPtr(address);
}

static PyObject *bytes_to_ptr(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.util.bytes_to_ptr" };

	(void)self;
	if (nargs != 1)
		return acl_py_count(&site, nargs, 1, 1, "bytes_data");
	return address_of(args[0], false, &site, "bytes_data");
}

static PyObject *ptr_to_bytes(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.util.ptr_to_bytes" };
	size_t size = 0;
	void *ptr;

	(void)self;
	if (nargs != 2)
		return acl_py_count(&site, nargs, 2, 2, "ptr, size");
	if (!acl_py_handle(args[0], &ptr, &site, "ptr") || !acl_py_size(args[1], &size, &site, "size"))
		return NULL;
	if (size > PY_SSIZE_T_MAX) {
		PyErr_Format(PyExc_OverflowError, "%s(): size is %zu and must be below 2**63", site.function, size);
		return NULL;
	}
	if (!ptr && size) {
		PyErr_Format(PyExc_ValueError, "%s(): ptr is 0", site.function);
		return NULL;
	}
	return PyBytes_FromStringAndSize(ptr, (Py_ssize_t)size);
}

PyMethodDef acl_util_methods[] = {
	{ "bytes_to_ptr", (PyCFunction)(void *)bytes_to_ptr, METH_FASTCALL,
	  "bytes_to_ptr(bytes_data, /)\n--\n\n"
	  "The address of the memory of a bytes object, which must live as long as the address is used.\n" },
	{ "ptr_to_bytes", (PyCFunction)(void *)ptr_to_bytes, METH_FASTCALL,
	  "ptr_to_bytes(ptr, size, /)\n--\n\nA bytes object with a copy of size bytes of host memory at ptr.\n" },
	{ 0 },
};
