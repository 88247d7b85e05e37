// SPDX-License-Identifier: MIT
/*
 * Lists and dicts of Python to arrays and structures of C.
 */
#include <string.h>

#include "made.h"

/* More than this is no text that the library returns */
#define TEXT_MAX (1 << 20)

/* The length of a sequence that is no text, or -1 with an exception */
static Py_ssize_t length_of(PyObject *o, const struct acl_py_site *site, const char *name, const char *wanted)
{
	if (!PySequence_Check(o) || PyUnicode_Check(o) || PyBytes_Check(o) || PyDict_Check(o)) {
		acl_py_wrong_type(o, site, name, wanted);
		return -1;
	}
	return PySequence_Size(o);
}

/* Room for the items of a sequence; false with an exception */
static bool make_room(PyObject *o, struct acl_py_array *v, size_t size, const struct acl_py_site *site,
		      const char *name, const char *wanted)
{
	Py_ssize_t count = length_of(o, site, name, wanted);

	if (count < 0)
		return false;
	if (!count)
		return true;
	v->items = PyMem_Calloc((size_t)count, size);
	if (!v->items) {
		PyErr_NoMemory();
		return false;
	}
	v->count = (size_t)count;
	return true;
}

/* "name[3]", for messages about an item */
static const char *item_name(char *buffer, size_t size, const char *name, size_t i)
{
	PyOS_snprintf(buffer, size, "%s[%zu]", name, i);
	return buffer;
}

/* Stores a number of Python as item @i of an array */
typedef bool (*put_number)(PyObject *o, void *items, size_t i, const struct acl_py_site *site, const char *name);

static bool put_u64(PyObject *o, void *items, size_t i, const struct acl_py_site *site, const char *name)
{
	return acl_py_u64(o, (uint64_t *)items + i, site, name);
}

static bool put_i32(PyObject *o, void *items, size_t i, const struct acl_py_site *site, const char *name)
{
	return acl_py_i32(o, (int32_t *)items + i, site, name);
}

static bool take_numbers(PyObject *o, struct acl_py_array *v, size_t size, put_number put,
			 const struct acl_py_site *site, const char *name)
{
	char where[80];
	PyObject *item;
	bool ok = true;
	size_t i;

	if (!make_room(o, v, size, site, name, "list of int"))
		return false;
	for (i = 0; i < v->count && ok; i++) {
		item = PySequence_GetItem(o, (Py_ssize_t)i);
		ok = item && put(item, v->items, i, site, item_name(where, sizeof(where), name, i));
		Py_XDECREF(item);
	}
	return ok;
}

bool acl_py_u64s(PyObject *o, struct acl_py_array *v, const struct acl_py_site *site, const char *name)
{
	return take_numbers(o, v, sizeof(uint64_t), put_u64, site, name);
}

bool acl_py_i32s(PyObject *o, struct acl_py_array *v, const struct acl_py_site *site, const char *name)
{
	return take_numbers(o, v, sizeof(int32_t), put_i32, site, name);
}

bool acl_py_dict(PyObject *o, void *to, acl_py_fill fill, const struct acl_py_site *site, const char *name)
{
	PyObject *items, *pair, *key;
	const char *text;
	bool ok = true;
	Py_ssize_t i;

	if (!PyDict_Check(o))
		return acl_py_wrong_type(o, site, name, "dict");
	/* a copy: converting a value may run code of the program, which may change the dict */
	items = PyDict_Items(o);
	for (i = 0; ok && items && i < PyList_Size(items); i++) {
		pair = PyList_GetItem(items, i);
		key = PyTuple_GetItem(pair, 0);
		ok = acl_py_str(key, &text, site, "a key of a dict") &&
		     fill(to, text, PyTuple_GetItem(pair, 1), site);
	}
	ok = ok && items;
	Py_XDECREF(items);
	return ok;
}

bool acl_py_dicts(PyObject *o, struct acl_py_array *v, size_t size, acl_py_fill fill,
		  const struct acl_py_site *site, const char *name)
{
	char where[80];
	PyObject *item;
	bool ok = true;
	size_t i;

	if (!make_room(o, v, size, site, name, "list of dict"))
		return false;
	for (i = 0; i < v->count && ok; i++) {
		item = PySequence_GetItem(o, (Py_ssize_t)i);
		ok = item && acl_py_dict(item, (char *)v->items + i * size, fill, site,
					 item_name(where, sizeof(where), name, i));
		Py_XDECREF(item);
	}
	return ok;
}

bool acl_py_unknown_key(const char *key, const char *known, const struct acl_py_site *site)
{
	PyErr_Format(PyExc_ValueError, "%s(): no key '%s': there are %s", site->function, key, known);
	return false;
}

bool acl_py_put(PyObject *dict, const char *key, PyObject *o)
{
	int err = o ? PyDict_SetItemString(dict, key, o) : -1;

	Py_XDECREF(o);
	return !err;
}

bool acl_py_same(const struct acl_py_site *site, const char *a, size_t na, const char *b, size_t nb)
{
	if (na == nb)
		return true;
	PyErr_Format(PyExc_ValueError, "%s(): %s has %zu items and %s has %zu: they must be as many", site->function,
		     a, na, b, nb);
	return false;
}

bool acl_py_room(const struct acl_py_site *site, const char *list, size_t have, const char *name,
		 size_t wanted)
{
	if (wanted <= have)
		return true;
	PyErr_Format(PyExc_ValueError, "%s(): %s is %zu, but %s has %zu items", site->function, name, wanted, list,
		     have);
	return false;
}

bool acl_py_buffer(char **buffer, int64_t size, const struct acl_py_site *site, const char *name)
{
	if (size > TEXT_MAX || size < 0) {
		PyErr_Format(PyExc_ValueError, "%s(): %s is %lld and must be from 0 to %d", site->function, name,
			     (long long)size, TEXT_MAX);
		return false;
	}
	*buffer = PyMem_Calloc((size_t)size + 1, 1);
	if (!*buffer)
		PyErr_NoMemory();
	return *buffer != NULL;
}
