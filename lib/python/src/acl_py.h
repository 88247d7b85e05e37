/* SPDX-License-Identifier: MIT */
/*
 * What the files of the Python module share: conversion of arguments and results, leaving and entering Python, lists
 * of methods. Python's limited API only, so that one file serves Python 3.11 and later.
 */
#ifndef ACL_PY_H
#define ACL_PY_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl.h"

/* The Python function that is called, for messages */
struct acl_py_site {
	const char *function;
};

/* An integer of the headers; the last has no name */
struct acl_py_constant {
	const char *name;
	long long value;
};

extern const struct acl_py_constant acl_py_constants[];
extern PyMethodDef acl_methods[], acl_rt_methods[], acl_mdl_methods[], acl_util_methods[];

/*
 * Conversions of arguments: false with an exception that names function and parameter. A number may be anything
 * with __index__(), such as numpy's.
 */
bool acl_py_i32(PyObject *o, int32_t *value, const struct acl_py_site *site, const char *name);
bool acl_py_u32(PyObject *o, uint32_t *value, const struct acl_py_site *site, const char *name);
bool acl_py_u16(PyObject *o, uint16_t *value, const struct acl_py_site *site, const char *name);
bool acl_py_i64(PyObject *o, int64_t *value, const struct acl_py_site *site, const char *name);
bool acl_py_u64(PyObject *o, uint64_t *value, const struct acl_py_site *site, const char *name);
bool acl_py_size(PyObject *o, size_t *value, const struct acl_py_site *site, const char *name);
bool acl_py_handle(PyObject *o, void **value, const struct acl_py_site *site, const char *name);
/* An address; None is NULL */
bool acl_py_ptr(PyObject *o, void **value, const struct acl_py_site *site, const char *name);
bool acl_py_f32(PyObject *o, float *value, const struct acl_py_site *site, const char *name);
/* Text without a NUL, which is valid as long as the object */
bool acl_py_str(PyObject *o, const char **value, const struct acl_py_site *site, const char *name);
/* The name of a file, valid as long as *held; the other one takes None and "" for no file */
bool acl_py_path(PyObject *o, const char **value, PyObject **held, const struct acl_py_site *site,
		 const char *name);
bool acl_py_config(PyObject *o, const char **value, PyObject **held, const struct acl_py_site *site,
		   const char *name);

/* NULL, with the TypeError of a call with the wrong number of arguments */
PyObject *acl_py_count(const struct acl_py_site *site, Py_ssize_t given, int least, int most,
		       const char *names);

/* A tuple of n objects, which it takes over; NULL if one of them is */
PyObject *acl_py_tuple(int n, ...);
/* str of what the library returned; "" for NULL */
PyObject *acl_py_text(const char *text);

/*
 * Other threads of Python run between these two. The second one is false with an exception if a signal's handler
 * raised one meanwhile.
 */
PyThreadState *acl_py_leave(void);
bool acl_py_enter(PyThreadState *thread);

#endif
