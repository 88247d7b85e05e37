/* SPDX-License-Identifier: MIT */
/*
 * What the files of the Python module share: conversion of arguments and results, leaving and entering Python, lists
 * of methods. Python's limited API only, so that one file serves Python 3.11 and later.
 */
#ifndef ACL_PY_H
#define ACL_PY_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <assert.h>
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
extern PyMethodDef acl_methods[], acl_rt_methods[], acl_mdl_methods[], acl_util_methods[], acl_media_methods[];

/*
 * Conversions of arguments: false with an exception that names function and parameter. A number may be anything
 * with __index__(), such as numpy's. What is an int and fits needs no call but Python's own.
 *
 * A long has the 64 bits of what is converted here. Python reads a long digit by digit, and a long long by way of an
 * array of bytes, which takes ten times as long for an address.
 */
static_assert(sizeof(long) == sizeof(uint64_t), "addresses and counts are converted by way of long");

bool acl_py_i32_slowly(PyObject *o, int32_t *value, const struct acl_py_site *site, const char *name);
bool acl_py_u32_slowly(PyObject *o, uint32_t *value, const struct acl_py_site *site, const char *name);
bool acl_py_u64_slowly(PyObject *o, uint64_t *value, const struct acl_py_site *site, const char *name);
bool acl_py_u16(PyObject *o, uint16_t *value, const struct acl_py_site *site, const char *name);
bool acl_py_i64(PyObject *o, int64_t *value, const struct acl_py_site *site, const char *name);

static inline bool acl_py_u64(PyObject *o, uint64_t *value, const struct acl_py_site *site, const char *name)
{
	if (PyLong_CheckExact(o)) {
		*value = PyLong_AsUnsignedLong(o);
		if (*value != UINT64_MAX)
			return true;
	}
	return acl_py_u64_slowly(o, value, site, name);
}

static inline bool acl_py_u32(PyObject *o, uint32_t *value, const struct acl_py_site *site, const char *name)
{
	uint64_t wide;

	if (PyLong_CheckExact(o)) {
		wide = PyLong_AsUnsignedLong(o);
		*value = (uint32_t)wide;
		if (wide <= UINT32_MAX)
			return true;
	}
	return acl_py_u32_slowly(o, value, site, name);
}

static inline bool acl_py_i32(PyObject *o, int32_t *value, const struct acl_py_site *site, const char *name)
{
	long wide;

	if (PyLong_CheckExact(o)) {
		wide = PyLong_AsLong(o);
		*value = (int32_t)wide;
		if (wide == *value && wide != -1)
			return true;
	}
	return acl_py_i32_slowly(o, value, site, name);
}

static inline bool acl_py_size(PyObject *o, size_t *value, const struct acl_py_site *site, const char *name)
{
	return acl_py_u64(o, (uint64_t *)value, site, name);
}

static inline bool acl_py_handle(PyObject *o, void **value, const struct acl_py_site *site, const char *name)
{
	return acl_py_u64(o, (uint64_t *)value, site, name);
}

/* An address; None is NULL */
static inline bool acl_py_ptr(PyObject *o, void **value, const struct acl_py_site *site, const char *name)
{
	*value = NULL;
	return Py_IsNone(o) ? true : acl_py_u64(o, (uint64_t *)value, site, name);
}

bool acl_py_f32(PyObject *o, float *value, const struct acl_py_site *site, const char *name);
/* Text without a NUL, which is valid as long as the object */
bool acl_py_str(PyObject *o, const char **value, const struct acl_py_site *site, const char *name);
bool acl_py_u8(PyObject *o, uint8_t *value, const struct acl_py_site *site, const char *name);

/* The name of a file; what acl_py_config() makes of None and "" is NULL */
struct acl_py_path {
	const char *text;
	PyObject *held;
};

bool acl_py_path(PyObject *o, struct acl_py_path *path, const struct acl_py_site *site, const char *name);
bool acl_py_config(PyObject *o, struct acl_py_path *path, const struct acl_py_site *site, const char *name);
bool acl_py_ipc_event(PyObject *o, aclrtIpcEventHandle *handle, const struct acl_py_site *site,
		      const char *name);

/* A list in C, to be given back with PyMem_Free(items) */
struct acl_py_array {
	void *items;
	size_t count;
};

bool acl_py_u64s(PyObject *o, struct acl_py_array *v, const struct acl_py_site *site, const char *name);
bool acl_py_i32s(PyObject *o, struct acl_py_array *v, const struct acl_py_site *site, const char *name);

/* Stores the item of a dict in a structure; false with an exception */
typedef bool (*acl_py_fill)(void *to, const char *key, PyObject *o, const struct acl_py_site *site);

/* A dict, and a list of dicts, each of which has @size bytes */
bool acl_py_dict(PyObject *o, void *to, acl_py_fill fill, const struct acl_py_site *site, const char *name);
bool acl_py_dicts(PyObject *o, struct acl_py_array *v, size_t size, acl_py_fill fill,
		  const struct acl_py_site *site, const char *name);
/* false, with a ValueError that names the keys there are */
bool acl_py_unknown_key(const char *key, const char *known, const struct acl_py_site *site);
/* Puts an object into a dict, which takes it over; false if there is none, with an exception */
bool acl_py_put(PyObject *dict, const char *key, PyObject *o);
/* Are two lists of the same length; does a list have room for a number; false with a ValueError */
bool acl_py_same(const struct acl_py_site *site, const char *a, size_t na, const char *b, size_t nb);
bool acl_py_room(const struct acl_py_site *site, const char *list, size_t have, const char *name,
		 size_t wanted);
/* Memory for a text of @size characters, and a NUL more; to be given back with PyMem_Free() */
bool acl_py_buffer(char **buffer, int64_t size, const struct acl_py_site *site, const char *name);
/* str of an array of characters that may have no NUL */
PyObject *acl_py_chars(const char *text, size_t size);
bool acl_py_wrong_type(PyObject *o, const struct acl_py_site *site, const char *name, const char *wanted);

/* Configurations: .given is NULL if there is nothing to configure */
struct acl_py_launch_cfg {
	aclrtLaunchKernelCfg *given;
	aclrtLaunchKernelCfg cfg;
};

struct acl_py_load_options {
	aclrtBinaryLoadOptions *given;
	aclrtBinaryLoadOptions all;
};

struct acl_py_malloc_cfg {
	aclrtMallocConfig *given;
	aclrtMallocConfig cfg;
};

bool acl_py_launch_cfg(PyObject *o, struct acl_py_launch_cfg *v, const struct acl_py_site *site,
		       const char *name);
bool acl_py_load_options(PyObject *o, struct acl_py_load_options *v, const struct acl_py_site *site,
			 const char *name);
bool acl_py_malloc_cfg(PyObject *o, struct acl_py_malloc_cfg *v, const struct acl_py_site *site,
		       const char *name);
/* Values of launch attributes, by their number */
bool acl_py_set_attribute(aclrtLaunchKernelAttr *attr, uint64_t value);
uint64_t acl_py_get_attribute(const aclrtLaunchKernelAttr *attr);

/* NULL, with the TypeError of a call with the wrong number of arguments */
PyObject *acl_py_count(const struct acl_py_site *site, Py_ssize_t given, int least, int most,
		       const char *names);

/* A tuple of n objects, which it takes over; NULL if one of them is */
PyObject *acl_py_tuple(int n, ...);
/* The tuple (value, ret) */
PyObject *acl_py_number(int64_t value, aclError ret);
/* str of what the library returned; "" for NULL */
PyObject *acl_py_text(const char *text);

/*
 * places.c: notes which line of Python the thread's next call comes from, for the library to ask, and that it is over. With
 * Python's lock; an exception that is set stays. Calls of acl_py_keep() are asked when the library needs it.
 */
void acl_py_place(void);
void acl_py_no_place(void);
/* The innermost place of the thread's Python, "f() at prog.py:3" */
void acl_py_place_text(char *buf, size_t size);
void acl_py_places_begin(void);
/* A function of Python looks at memory by an address: has the program got that? */
void acl_py_looks(const struct acl_py_site *site, const void *ptr, size_t size);
/* In the checking mode: the program has been given the address of an object, and has to keep that while it uses the address */
void acl_py_given(PyObject *o, const void *address, size_t size, const struct acl_py_site *site);
/* In the checking mode: sizes of objects (objects.c) */
void acl_py_objects_begin(void);

/*
 * Other threads of Python run between acl_py_leave() and acl_py_enter(). The second is false with an exception if a
 * handler of a signal raised one. acl_py_wait() is acl_py_leave() for calls that may wait for long: in the main thread
 * the library asks now and then whether a signal has come.
 */
PyThreadState *acl_py_leave(void);
PyThreadState *acl_py_wait(void);
bool acl_py_enter(PyThreadState *thread);

/*
 * A call that sleeps seldom keeps Python's lock until it is about to: what acl_py_keep() returns goes to
 * acl_py_kept(), which is false with an exception as acl_py_enter().
 */
struct acl_py_keep {
	PyThreadState *left;	   /* where the call left Python, NULL if it has not */
	struct acl_py_keep *outer; /* of a call that this one is in the middle of */
};

void acl_py_keep(struct acl_py_keep *keep);
bool acl_py_kept(struct acl_py_keep *keep);
/* Is the thread in such a call, with Python's lock */
bool acl_py_is_kept(void);

/*
 * Functions of the program. An entry has a function and what it gets, and a number that stands for it in C; it goes
 * when acl_py_forget() is called, or when the library has said that it will not call it again.
 */
uintptr_t acl_py_remember(PyObject *fn, PyObject *arg);
void acl_py_forget(uintptr_t id);
/* The function and its argument, with references; false if the entry is gone */
bool acl_py_recall(uintptr_t id, PyObject **fn, PyObject **arg);
/* Drops what the library has said it will not call again */
void acl_py_drop_ended(void);
/* The entry does not run again; from any thread, without Python's lock */
void acl_py_ended(uintptr_t id);
int acl_py_calls_start(PyObject *module);
long long acl_py_call_failures(void);

/* Objects whose pointers the library follows; numbers that are none of the kind count as NULL */
enum acl_py_live { ACL_PY_DATA_BUFFER, ACL_PY_STREAM_CONFIG, ACL_PY_EXCEPTION_INFO, ACL_PY_LIVE_KINDS };

void acl_py_live_add(enum acl_py_live kind, const void *object);
void acl_py_live_drop(enum acl_py_live kind, const void *object);
bool acl_py_data_buffer(PyObject *o, void **value, const struct acl_py_site *site, const char *name);
bool acl_py_stream_config(PyObject *o, void **value, const struct acl_py_site *site, const char *name);
bool acl_py_exception_info(PyObject *o, void **value, const struct acl_py_site *site, const char *name);

/* A function of the library's threads enters Python and leaves it; false when Python ends or has ended */
bool acl_py_begin(PyGILState_STATE *state);
void acl_py_finish(PyGILState_STATE state);
/* Calls a function of the program; what it raises goes to sys.unraisablehook, is counted, and NULL is returned */
PyObject *acl_py_call(PyObject *fn, const char *format, ...);
/* Is it callable, or None if that is allowed; false with an exception */
bool acl_py_function(PyObject *o, bool or_none, const struct acl_py_site *site, const char *name);
/* A binary was unloaded: its exception callback is gone */
void acl_py_binary_gone(void *binary);

#endif
