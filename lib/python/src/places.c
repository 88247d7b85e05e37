// SPDX-License-Identifier: MIT
/*
 * Where the program is that calls: the library's messages name the line of Python, which no return address tells.
 * Texts of places are made once and stay, as the library keeps them with tasks and memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl_py.h"

#include "core/front.h"

#define BUCKETS 4096
#define MOST	65536 /* places that are known; later ones have no text */
#define DEPTH	6     /* callers, in the checking mode; else there is one */

/* @code: with a reference; @text: NULL in this package itself */
struct place {
	struct place *next;
	PyObject *code;
	int line;
	char *text;
};

static struct place *places[BUCKETS];
static unsigned int count;
static unsigned int depth = 1;
static __thread const char *here[DEPTH + 1];

static char *attribute(PyObject *code, const char *name)
{
	PyObject *value = PyObject_GetAttrString(code, name), *bytes = NULL;
	const char *text = NULL;
	char *copy = NULL;

	if (value)
		bytes = PyUnicode_EncodeFSDefault(value);
	if (bytes)
		text = PyBytes_AsString(bytes);
	if (text)
		copy = strdup(text);
	Py_XDECREF(bytes);
	Py_XDECREF(value);
	PyErr_Clear();
	return copy;
}

static char *make_text(PyObject *code, int line)
{
	char *file = attribute(code, "co_filename"), *function = attribute(code, "co_qualname"), *text = NULL;
	bool ours = !file || strstr(file, "/acl/easy/") || strstr(file, "<frozen importlib") || strstr(file, "/acl/__init__.py");

	if (!ours && function && asprintf(&text, "%s%s at %s:%d", function, *function == '<' ? "" : "()", file, line) < 0)
		text = NULL;
	free(file);
	free(function);
	return text;
}

/* The place of a line, or NULL without memory */
static const struct place *place_of(PyObject *code, int line)
{
	struct place **bucket = &places[((uintptr_t)code >> 4 ^ (unsigned int)line * 31u) % BUCKETS], *p;

	for (p = *bucket; p; p = p->next)
		if (p->code == code && p->line == line)
			return p;
	p = count < MOST ? calloc(1, sizeof(*p)) : NULL;
	if (!p)
		return NULL;
	count++;
	Py_INCREF(code);
	p->code = code;
	p->line = line;
	p->text = make_text(code, line);
	p->next = *bucket;
	*bucket = p;
	return p;
}

static PyFrameObject *caller_of(PyFrameObject *frame)
{
	PyObject *back = PyObject_GetAttrString((PyObject *)frame, "f_back");

	Py_DECREF((PyObject *)frame);
	if (!back)
		PyErr_Clear();
	if (back == Py_None)
		Py_CLEAR(back);
	return (PyFrameObject *)back;
}

static void find_place(void)
{
	PyFrameObject *frame = PyEval_GetFrame();
	unsigned int n = 0;

	Py_XINCREF((PyObject *)frame);
	while (frame && n < depth) {
		PyObject *code = (PyObject *)PyFrame_GetCode(frame);
		const struct place *p = place_of(code, PyFrame_GetLineNumber(frame));

		Py_DECREF(code);
		if (p && p->text)
			here[n++] = p->text;
		frame = n < depth ? caller_of(frame) : (Py_DECREF((PyObject *)frame), NULL);
	}
	here[n] = NULL;
}

/*
 * Frames are objects, and Python 3.11 may collect garbage when it makes one. A finaliser may call the library again, and this
 * thread may hold a lock of it.
 */
void acl_py_place(void)
{
	int collects = PyGC_Disable();

	find_place();
	if (collects)
		PyGC_Enable();
}

void acl_py_no_place(void)
{
	here[0] = NULL;
}

void acl_py_place_text(char *buf, size_t size)
{
	acl_py_place();
	snprintf(buf, size, "%s", here[0] ? here[0] : "Python");
	acl_py_no_place();
}

/* A call that has not left Python is asked only now: most have no use for their place */
static const char *const *where(void)
{
	if (acl_py_is_kept())
		acl_py_place();
	return here[0] ? here : NULL;
}

/* The same for a thread that is in no call of the library, and perhaps in none of Python */
static const char *const *where_now(void)
{
	static __thread const char *now[DEPTH + 1];
	PyGILState_STATE state;

	if (!Py_IsInitialized() || !PyGILState_GetThisThreadState())
		return NULL;
	state = PyGILState_Ensure();
	if (!here[0]) {
		acl_py_place();
		memcpy(now, here, sizeof(now));
		acl_py_no_place();
	} else {
		memcpy(now, here, sizeof(now));
	}
	PyGILState_Release(state);
	return now[0] ? now : NULL;
}

void acl_py_places_begin(void)
{
	const char *check = getenv("ANPU_CHECK");

	anpu_front_at(where);
	if (!check || strcmp(check, "1"))
		return;
	depth = DEPTH;
	anpu_front_now(where_now);
	acl_py_objects_begin();
}
