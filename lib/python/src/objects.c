// SPDX-License-Identifier: MIT
/*
 * The checking mode's look at the objects of Python whose memory the program hands over: an address says nothing of a size,
 * but the variables of the function that calls, and of its callers, do.
 */
#include <stdio.h>
#include <string.h>

#include "acl_py.h"

#include "core/front.h"

#define CALLERS 4
#define BASES	8 /* views of views */

/* A search finds the object with most bytes from @at on; @covered: that one has all of them */
struct search {
	const char *at;
	size_t size;
	bool covered;
	bool gaps; /* of the object that has been found: its elements do not lie behind each other */
	size_t left;
	char name[64];
	char type[64];
};

/*
 * Objects whose addresses acl.util has given away, kept a while: one to which only this refers has been given up by the
 * program, and another one would lie there by now
 */
#define GIVEN 64

static struct given {
	PyObject *o;
	const char *address;
	size_t size;
	const char *function;
	char place[200];
} given[GIVEN];
static unsigned int given_next;
static bool looks;

void acl_py_given(PyObject *o, const void *address, size_t size, const struct acl_py_site *site)
{
	struct given *g = &given[given_next % GIVEN];
	PyObject *before = g->o;

	if (!looks)
		return;
	given_next++;
	Py_INCREF(o);
	*g = (struct given){ .o = o, .address = address, .size = size, .function = site->function };
	acl_py_place_text(g->place, sizeof(g->place));
	Py_XDECREF(before);
}

/* Does the range begin in an object that is kept here only */
static const struct given *given_up(const char *at)
{
	unsigned int n;

	for (n = 0; n < GIVEN; n++)
		if (given[n].o && Py_REFCNT(given[n].o) == 1 && at >= given[n].address && at < given[n].address + given[n].size)
			return &given[n];
	return NULL;
}

static void copy_name(PyObject *o, char *buf, size_t size)
{
	PyObject *bytes = o ? PyUnicode_AsUTF8String(o) : NULL;
	const char *text = bytes ? PyBytes_AsString(bytes) : NULL;

	snprintf(buf, size, "%s", text ? text : "?");
	Py_XDECREF(bytes);
	PyErr_Clear();
}

static void found(struct search *s, PyObject *name, PyObject *o, size_t left, bool gaps)
{
	PyObject *type = PyObject_GetAttrString((PyObject *)Py_TYPE(o), "__name__");

	s->left = left;
	s->gaps = gaps;
	copy_name(name, s->name, sizeof(s->name));
	copy_name(type, s->type, sizeof(s->type));
	Py_XDECREF(type);
}

/* Compares the bytes of one object with the range */
static void look_at(struct search *s, PyObject *name, PyObject *o)
{
	Py_buffer view;
	const char *begin;
	size_t left;

	if (PyObject_GetBuffer(o, &view, PyBUF_FULL_RO)) {
		PyErr_Clear();
		return;
	}
	begin = view.buf;
	left = s->at >= begin && s->at < begin + view.len ? (size_t)(begin + view.len - s->at) : 0;
	if (left && PyBuffer_IsContiguous(&view, 'A')) {
		s->covered |= left >= s->size;
		if (left > s->left && !s->gaps)
			found(s, name, o, left, false);
	} else if (s->at == begin && s->size == (size_t)view.len) {
		found(s, name, o, left, true);
	}
	PyBuffer_Release(&view);
}

/* An object, and what it is a view of */
static void look_at_bases(struct search *s, PyObject *name, PyObject *o)
{
	unsigned int n;

	Py_INCREF(o);
	for (n = 0; o && n < BASES && PyObject_CheckBuffer(o); n++) {
		PyObject *base;

		look_at(s, name, o);
		base = PyObject_GetAttrString(o, "base");
		if (!base)
			PyErr_Clear();
		Py_DECREF(o);
		o = base;
	}
	Py_XDECREF(o);
}

#define OPTIMIZED 1 /* CO_OPTIMIZED: variables are no dictionary's, and f_locals is a copy that the frame keeps */

static bool is_function(PyObject *frame)
{
	PyObject *code = PyObject_GetAttrString(frame, "f_code");
	PyObject *flags = code ? PyObject_GetAttrString(code, "co_flags") : NULL;
	bool yes = flags && PyLong_AsLong(flags) & OPTIMIZED;

	Py_XDECREF(flags);
	Py_XDECREF(code);
	PyErr_Clear();
	return yes;
}

/* The copy of a function's variables would keep objects that the program ends with del; not if the program has it, too */
static void forget_copy(PyObject *frame, PyObject *dict)
{
	if (Py_REFCNT(dict) == 2 && is_function(frame))
		PyDict_Clear(dict);
}

static void look_at_dict(struct search *s, PyObject *frame, const char *which)
{
	PyObject *dict = PyObject_GetAttrString(frame, which), *name, *value;
	Py_ssize_t at = 0;

	while (dict && PyDict_Check(dict) && PyDict_Next(dict, &at, &name, &value))
		if (PyObject_CheckBuffer(value))
			look_at_bases(s, name, value);
	if (dict && PyDict_Check(dict) && !strcmp(which, "f_locals"))
		forget_copy(frame, dict);
	Py_XDECREF(dict);
	PyErr_Clear();
}

static void look_at_frames(struct search *s)
{
	PyObject *frame = (PyObject *)PyEval_GetFrame(), *back;
	unsigned int n;

	Py_XINCREF(frame);
	for (n = 0; frame && n < CALLERS; n++) {
		look_at_dict(s, frame, "f_locals");
		look_at_dict(s, frame, "f_globals");
		back = PyObject_GetAttrString(frame, "f_back");
		if (!back || back == Py_None) {
			PyErr_Clear();
			Py_CLEAR(back);
		}
		Py_DECREF(frame);
		frame = back;
	}
	Py_XDECREF(frame);
}

/* The call has left Python, or keeps its lock */
static bool find(const void *at, size_t size, char *buf, size_t room)
{
	struct search s = { .at = at, .size = size };
	PyGILState_STATE state;
	const struct given *up;
	int collects;

	if (!PyGILState_GetThisThreadState())
		return false;
	state = PyGILState_Ensure();
	collects = PyGC_Disable(); /* as in acl_py_place() */
	up = given_up(at);
	if (up)
		snprintf(buf, room, "the address that %s() gave in %s of an object that the program has not kept: keep it in a variable",
			 up->function, up->place);
	else if (!PyErr_Occurred())
		look_at_frames(&s);
	if (collects)
		PyGC_Enable();
	PyGILState_Release(state);
	if (up)
		return true;
	if (s.gaps)
		snprintf(buf, room, "the address of '%s', an object of type %s whose elements do not lie behind each other: "
			 "numpy.ascontiguousarray() makes an array that can be copied", s.name, s.type);
	else if (s.left && !s.covered)
		snprintf(buf, room, "the address of '%s', an object of type %s with %zu bytes from there on: look at its shape and dtype",
			 s.name, s.type, s.left);
	return s.gaps || (s.left && !s.covered);
}

void acl_py_looks(const struct acl_py_site *site, const void *ptr, size_t size)
{
	acl_py_place();
	anpu_front_looks(site->function, ptr, size);
	acl_py_no_place();
}

void acl_py_objects_begin(void)
{
	looks = true;
	anpu_front_objects(find);
}
