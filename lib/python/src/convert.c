// SPDX-License-Identifier: MIT
/*
 * Objects of Python to values of C and back, with exceptions that say which argument of which function is wrong.
 */
#include <stdarg.h>
#include <string.h>

#include "made.h"

bool acl_py_wrong_type(PyObject *o, const struct acl_py_site *site, const char *name, const char *wanted)
{
	PyObject *type = PyType_GetName(Py_TYPE(o));

	PyErr_Clear();
	if (type)
		PyErr_Format(PyExc_TypeError, "%s(): %s must be %s, not %U", site->function, name, wanted,
			     type);
	Py_XDECREF(type);
	return false;
}

static bool out_of_range(PyObject *o, const struct acl_py_site *site, const char *name, const char *range)
{
	PyErr_Clear();
	PyErr_Format(PyExc_OverflowError, "%s(): %s is %R and must be %s", site->function, name, o, range);
	return false;
}

/* An int for something with __index__(), or NULL with an exception */
static PyObject *index_of(PyObject *o, const struct acl_py_site *site, const char *name)
{
	PyObject *number;

	PyErr_Clear();
	number = PyNumber_Index(o);
	if (!number && PyErr_ExceptionMatches(PyExc_TypeError))
		acl_py_wrong_type(o, site, name, "int");
	return number;
}

static bool signed_number(PyObject *o, int64_t *value, const struct acl_py_site *site, const char *name,
			  const char *range)
{
	PyObject *number;
	int overflow = 0;

	PyErr_Clear(); /* of what acl_py_i32() tried */
	if (PyLong_Check(o)) {
		*value = PyLong_AsLongAndOverflow(o, &overflow);
		return overflow ? out_of_range(o, site, name, range) : true;
	}
	number = index_of(o, site, name);
	if (!number)
		return false;
	*value = PyLong_AsLongAndOverflow(number, &overflow);
	Py_DECREF(number);
	return overflow ? out_of_range(o, site, name, range) : true;
}

/* A number from 0 to @most; @range says so */
static bool unsigned_to(PyObject *o, uint64_t *value, uint64_t most, const struct acl_py_site *site,
			const char *name, const char *range)
{
	PyObject *number;

	PyErr_Clear(); /* of what acl_py_u64() and acl_py_u32() tried */
	if (PyLong_Check(o)) {
		*value = PyLong_AsUnsignedLong(o);
	} else {
		number = index_of(o, site, name);
		if (!number)
			return false;
		*value = PyLong_AsUnsignedLong(number);
		Py_DECREF(number);
	}
	if ((*value == UINT64_MAX && PyErr_Occurred()) || *value > most)
		return out_of_range(o, site, name, range);
	return true;
}

bool acl_py_i64(PyObject *o, int64_t *value, const struct acl_py_site *site, const char *name)
{
	return signed_number(o, value, site, name, "from -2**63 to 2**63-1");
}

bool acl_py_i32_slowly(PyObject *o, int32_t *value, const struct acl_py_site *site, const char *name)
{
	static const char range[] = "from -2**31 to 2**31-1";
	int64_t wide = 0;

	if (!signed_number(o, &wide, site, name, range))
		return false;
	*value = (int32_t)wide;
	return *value == wide ? true : out_of_range(o, site, name, range);
}

bool acl_py_u64_slowly(PyObject *o, uint64_t *value, const struct acl_py_site *site, const char *name)
{
	return unsigned_to(o, value, UINT64_MAX, site, name, "from 0 to 2**64-1");
}

bool acl_py_u32_slowly(PyObject *o, uint32_t *value, const struct acl_py_site *site, const char *name)
{
	uint64_t wide = 0;

	if (!unsigned_to(o, &wide, UINT32_MAX, site, name, "from 0 to 2**32-1"))
		return false;
	*value = (uint32_t)wide;
	return true;
}

bool acl_py_u16(PyObject *o, uint16_t *value, const struct acl_py_site *site, const char *name)
{
	uint64_t wide = 0;

	if (!unsigned_to(o, &wide, UINT16_MAX, site, name, "from 0 to 65535"))
		return false;
	*value = (uint16_t)wide;
	return true;
}

bool acl_py_u8(PyObject *o, uint8_t *value, const struct acl_py_site *site, const char *name)
{
	uint64_t wide = 0;

	if (!unsigned_to(o, &wide, UINT8_MAX, site, name, "from 0 to 255"))
		return false;
	*value = (uint8_t)wide;
	return true;
}

bool acl_py_f32(PyObject *o, float *value, const struct acl_py_site *site, const char *name)
{
	double wide = PyFloat_AsDouble(o);

	if (wide == -1.0 && PyErr_Occurred())
		return PyErr_ExceptionMatches(PyExc_TypeError) ? acl_py_wrong_type(o, site, name, "float") :
								 false;
	*value = (float)wide;
	return true;
}

bool acl_py_str(PyObject *o, const char **value, const struct acl_py_site *site, const char *name)
{
	Py_ssize_t length;

	if (!PyUnicode_Check(o))
		return acl_py_wrong_type(o, site, name, "str");
	*value = PyUnicode_AsUTF8AndSize(o, &length);
	if (!*value)
		return false;
	if (strlen(*value) != (size_t)length) {
		PyErr_Format(PyExc_ValueError, "%s(): %s has a NUL inside", site->function, name);
		return false;
	}
	return true;
}

bool acl_py_path(PyObject *o, struct acl_py_path *path, const struct acl_py_site *site, const char *name)
{
	if (PyUnicode_FSConverter(o, &path->held)) {
		path->text = PyBytes_AsString(path->held);
		return true;
	}
	if (PyErr_ExceptionMatches(PyExc_TypeError))
		return acl_py_wrong_type(o, site, name, "str, bytes or os.PathLike");
	if (PyErr_ExceptionMatches(PyExc_ValueError)) {
		PyErr_Clear();
		PyErr_Format(PyExc_ValueError, "%s(): %s is %R, which is no name of a file", site->function,
			     name, o);
	}
	return false;
}

bool acl_py_config(PyObject *o, struct acl_py_path *path, const struct acl_py_site *site, const char *name)
{
	if (Py_IsNone(o))
		return true;
	if (!acl_py_path(o, path, site, name))
		return false;
	if (!*path->text)
		path->text = NULL;
	return true;
}

bool acl_py_ipc_event(PyObject *o, aclrtIpcEventHandle *handle, const struct acl_py_site *site,
		      const char *name)
{
	Py_ssize_t size;
	char *bytes;

	if (!PyBytes_Check(o))
		return acl_py_wrong_type(o, site, name, "bytes");
	if (PyBytes_AsStringAndSize(o, &bytes, &size))
		return false;
	if (size != sizeof(handle->reserved)) {
		PyErr_Format(PyExc_ValueError, "%s(): %s has %zd bytes and must have %zu", site->function, name,
			     size, sizeof(handle->reserved));
		return false;
	}
	memcpy(handle->reserved, bytes, sizeof(handle->reserved));
	return true;
}

PyObject *acl_py_count(const struct acl_py_site *site, Py_ssize_t given, int least, int most,
		       const char *names)
{
	if (!most)
		PyErr_Format(PyExc_TypeError, "%s() takes no arguments, and %zd were given", site->function,
			     given);
	else if (least == most)
		PyErr_Format(PyExc_TypeError, "%s() takes %d argument%s (%s), and %zd were given",
			     site->function, most, most == 1 ? "" : "s", names, given);
	else
		PyErr_Format(PyExc_TypeError, "%s() takes %d to %d arguments (%s), and %zd were given",
			     site->function, least, most, names, given);
	return NULL;
}

PyObject *acl_py_tuple(int n, ...)
{
	PyObject *tuple = PyTuple_New(n), *item;
	bool failed = !tuple;
	va_list items;
	int i;

	va_start(items, n);
	for (i = 0; i < n; i++) {
		item = va_arg(items, PyObject *);
		if (!item)
			failed = true;
		else if (!tuple)
			Py_DECREF(item);
		else
			PyTuple_SetItem(tuple, i, item);
	}
	va_end(items);
	if (!failed)
		return tuple;
	Py_XDECREF(tuple);
	return NULL;
}

/* (0, 0), (1, 0), ...: what a call that succeeded returns with a small number. They are never changed, and stay */
static PyObject *small_pairs[16];

PyObject *acl_py_number(int64_t value, aclError ret)
{
	PyObject *pair;

	if (ret || value < 0 || value >= (int64_t)(sizeof(small_pairs) / sizeof(small_pairs[0])))
		return acl_py_tuple(2, PyLong_FromLong(value), PyLong_FromLong(ret));
	pair = small_pairs[value];
	if (!pair) {
		pair = acl_py_tuple(2, PyLong_FromLong(value), PyLong_FromLong(ret));
		small_pairs[value] = pair;
	}
	return Py_XNewRef(pair);
}

PyObject *acl_py_text(const char *text)
{
	if (!text)
		text = "";
	return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

PyObject *acl_py_chars(const char *text, size_t size)
{
	return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strnlen(text, size), "replace");
}
