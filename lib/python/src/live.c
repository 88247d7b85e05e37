// SPDX-License-Identifier: MIT
/*
 * Objects that C programs pass by pointer, and whose pointers the library follows: data buffers, options of streams, and
 * what exception callbacks are told. The module knows which exist; any other number counts as NULL, for which each
 * function has an answer.
 */
#include "made.h"

/* Protected by Python's lock: a set of numbers for each kind, made at first use */
static PyObject *sets[ACL_PY_LIVE_KINDS];

void acl_py_live_add(enum acl_py_live kind, const void *object)
{
	PyObject *number = PyLong_FromVoidPtr((void *)object);

	if (!sets[kind])
		sets[kind] = PySet_New(NULL);
	/* without memory the object counts as none, and is not freed */
	if (!number || !sets[kind] || PySet_Add(sets[kind], number))
		PyErr_Clear();
	Py_XDECREF(number);
}

void acl_py_live_drop(enum acl_py_live kind, const void *object)
{
	PyObject *number = sets[kind] ? PyLong_FromVoidPtr((void *)object) : NULL;

	if (number && PySet_Discard(sets[kind], number) < 0)
		PyErr_Clear();
	Py_XDECREF(number);
}

static bool take_live(enum acl_py_live kind, PyObject *o, void **value, const struct acl_py_site *site,
		      const char *name)
{
	PyObject *number;
	int there = 0;

	if (!acl_py_handle(o, value, site, name))
		return false;
	number = sets[kind] && *value ? PyLong_FromVoidPtr(*value) : NULL;
	if (number)
		there = PySet_Contains(sets[kind], number);
	Py_XDECREF(number);
	if (there <= 0)
		*value = NULL;
	return !PyErr_Occurred();
}

bool acl_py_data_buffer(PyObject *o, void **value, const struct acl_py_site *site, const char *name)
{
	return take_live(ACL_PY_DATA_BUFFER, o, value, site, name);
}

bool acl_py_stream_config(PyObject *o, void **value, const struct acl_py_site *site, const char *name)
{
	return take_live(ACL_PY_STREAM_CONFIG, o, value, site, name);
}

bool acl_py_exception_info(PyObject *o, void **value, const struct acl_py_site *site, const char *name)
{
	return take_live(ACL_PY_EXCEPTION_INFO, o, value, site, name);
}
