// SPDX-License-Identifier: MIT
/*
 * Functions of the program that the library calls: how its threads enter Python, and for how long the functions are
 * kept.
 *
 * C code gets a number in place of a Python function. The dict 'kept' has the function and its argument under that number:
 *
 *	launch_callback() --> kept[id] = (fn, arg) --> the library calls run_kept(id), in a graph many times
 *	the library is done with it --> acl_py_ended(id) --> list 'ended' --> some thread with Python's lock drops it
 *
 * The library says so with locks held, when Python's lock must not be taken; so 'ended' is a list that needs no lock.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "core/front.h"
#include "made.h"

/* How often the end of Python looks whether the functions that run have returned */
#define LOOK_NS 5000000

struct ended {
	struct ended *next;
	uintptr_t id;
};

/* All of these are protected by Python's lock, unless they are atomic */
static PyObject *kept;
static uintptr_t last_id;
static long long failures;
static _Atomic(struct ended *) ended_list;
/* Functions of the program that run in threads of the library, or wait for Python's lock */
static atomic_int running;
/* Python ends: no function of the program begins any more */
static atomic_bool closing;
/* The main thread of Python, which alone handles signals */
static unsigned long main_thread;
/* The thread's call that keeps Python's lock */
static __thread struct acl_py_keep *keeping;
/* Where a waiting thread of Python left it */
static __thread PyThreadState *left_at;

/* Waiting ------------------------------------------------------------------------------------------------ */

/* Handles signals in the middle of a wait: true if a handler raised an exception, which stays set */
static bool look_for_signals(void)
{
	bool raised;

	PyEval_RestoreThread(left_at);
	raised = PyErr_CheckSignals() != 0;
	left_at = PyEval_SaveThread();
	return raised;
}

PyThreadState *acl_py_leave(void)
{
	acl_py_place();
	return PyEval_SaveThread();
}

PyThreadState *acl_py_wait(void)
{
	acl_py_place();
	if (PyThread_get_thread_ident() != main_thread)
		return PyEval_SaveThread();
	anpu_front_interrupt(look_for_signals);
	left_at = PyEval_SaveThread();
	return left_at;
}

bool acl_py_enter(PyThreadState *thread)
{
	PyEval_RestoreThread(thread);
	acl_py_no_place();
	if (left_at == thread) {
		left_at = NULL;
		anpu_front_interrupt(NULL);
		/* what came between the last look and the end of the wait; an exception may be set already */
		if (PyErr_Occurred() || PyErr_CheckSignals())
			return false;
	}
	if (atomic_load_explicit(&ended_list, memory_order_relaxed))
		acl_py_drop_ended();
	return true;
}

void acl_py_keep(struct acl_py_keep *keep)
{
	keep->left = NULL;
	keep->outer = keeping;
	keeping = keep;
}

bool acl_py_kept(struct acl_py_keep *keep)
{
	keeping = keep->outer;
	if (keep->left)
		return acl_py_enter(keep->left);
	acl_py_no_place();
	if (atomic_load_explicit(&ended_list, memory_order_relaxed))
		acl_py_drop_ended();
	return true;
}

bool acl_py_is_kept(void)
{
	return keeping && !keeping->left;
}

static void about_to_sleep(void)
{
	if (!acl_py_is_kept())
		return;
	acl_py_place();
	keeping->left = PyEval_SaveThread();
}

/* Entering Python ------------------------------------------------------------------------------------------ */

bool acl_py_begin(PyGILState_STATE *state)
{
	atomic_fetch_add(&running, 1);
	if (atomic_load(&closing)) {
		atomic_fetch_sub(&running, 1);
		return false;
	}
	*state = PyGILState_Ensure();
	return true;
}

void acl_py_finish(PyGILState_STATE state)
{
	PyGILState_Release(state);
	atomic_fetch_sub(&running, 1);
}

/* Prints the exception that a callback raised; Ctrl-C during the callback also reaches the main thread, as everywhere */
static void tell_failure(PyObject *fn)
{
	bool interrupted = PyErr_ExceptionMatches(PyExc_KeyboardInterrupt);

	failures++;
	PyErr_WriteUnraisable(fn);
	if (interrupted)
		PyErr_SetInterrupt();
}

PyObject *acl_py_call(PyObject *fn, const char *format, ...)
{
	PyObject *args, *result = NULL;
	va_list values;

	va_start(values, format);
	args = Py_VaBuildValue(format, values);
	va_end(values);
	if (args)
		result = PyObject_CallObject(fn, args);
	Py_XDECREF(args);
	if (!result)
		tell_failure(fn);
	return result;
}

long long acl_py_call_failures(void)
{
	return failures;
}

/* Keeping functions ------------------------------------------------------------------------------------------ */

uintptr_t acl_py_remember(PyObject *fn, PyObject *arg)
{
	PyObject *key = PyLong_FromUnsignedLongLong(last_id + 1), *pair = PyTuple_Pack(2, fn, arg);
	int err = -1;

	if (key && pair)
		err = PyDict_SetItem(kept, key, pair);
	Py_XDECREF(key);
	Py_XDECREF(pair);
	return err ? 0 : ++last_id;
}

void acl_py_forget(uintptr_t id)
{
	PyObject *type, *value, *trace, *key;

	/* it is also called with an exception on its way */
	PyErr_Fetch(&type, &value, &trace);
	key = PyLong_FromUnsignedLongLong(id);
	if (!key || PyDict_DelItem(kept, key))
		PyErr_Clear();
	Py_XDECREF(key);
	PyErr_Restore(type, value, trace);
}

bool acl_py_recall(uintptr_t id, PyObject **fn, PyObject **arg)
{
	PyObject *key = PyLong_FromUnsignedLongLong(id), *pair = key ? PyDict_GetItemWithError(kept, key) : NULL;

	Py_XDECREF(key);
	if (!pair) {
		PyErr_Clear();
		return false;
	}
	*fn = PyTuple_GetItem(pair, 0);
	*arg = PyTuple_GetItem(pair, 1);
	Py_INCREF(*fn);
	Py_INCREF(*arg);
	return true;
}

void acl_py_drop_ended(void)
{
	struct ended *e = atomic_exchange(&ended_list, NULL), *next;

	for (; e; e = next) {
		next = e->next;
		acl_py_forget(e->id);
		free(e);
	}
}

static int drop_later(void *arg)
{
	(void)arg;
	acl_py_drop_ended();
	return 0;
}

void acl_py_ended(uintptr_t id)
{
	struct ended *e = malloc(sizeof(*e)), *first;

	if (!e)
		return; /* the function is kept, as if it could still run */
	e->id = id;
	first = atomic_load(&ended_list);
	do
		e->next = first;
	while (!atomic_compare_exchange_weak(&ended_list, &first, e));
	/* if Python's queue is full, the next call of the library drops them */
	if (!first && !atomic_load(&closing))
		(void)Py_AddPendingCall(drop_later, NULL);
}

bool acl_py_function(PyObject *o, bool or_none, const struct acl_py_site *site, const char *name)
{
	if (PyCallable_Check(o) || (or_none && Py_IsNone(o)))
		return true;
	return acl_py_wrong_type(o, site, name, or_none ? "callable or None" : "callable");
}

/* Callbacks and host functions --------------------------------------------------------------------------------- */

static void run_kept(void *id)
{
	PyObject *fn, *arg, *result;
	PyGILState_STATE state;

	if (!acl_py_begin(&state))
		return;
	if (acl_py_recall((uintptr_t)id, &fn, &arg)) {
		result = acl_py_call(fn, "(O)", arg);
		Py_XDECREF(result);
		Py_DECREF(fn);
		Py_DECREF(arg);
	}
	acl_py_finish(state);
}

static void call_ended(void (*fn)(void *), void *arg)
{
	if (fn == run_kept)
		acl_py_ended((uintptr_t)arg);
}

PyObject *py_aclrtLaunchCallback(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.launch_callback" };
	PyThreadState *thread;
	int32_t block = 0;
	aclError ret;
	uintptr_t id;
	void *stream;

	(void)self;
	if (nargs != 4)
		return acl_py_count(&site, nargs, 4, 4, "fn, user_data_list, block_type, stream");
	if (!acl_py_function(args[0], false, &site, "fn") ||
	    !acl_py_i32(args[2], &block, &site, "block_type") ||
	    !acl_py_handle(args[3], &stream, &site, "stream"))
		return NULL;
	id = acl_py_remember(args[0], args[1]);
	if (!id)
		return NULL;
	thread = acl_py_leave();
	ret = aclrtLaunchCallback(run_kept, (void *)id, (aclrtCallbackBlockType)block, stream);
	if (!acl_py_enter(thread))
		return NULL;
	if (ret)
		acl_py_forget(id);
	return PyLong_FromLong(ret);
}

PyObject *py_aclrtLaunchHostFunc(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.launch_host_func" };
	PyThreadState *thread;
	aclError ret;
	uintptr_t id;
	void *stream;

	(void)self;
	if (nargs != 3)
		return acl_py_count(&site, nargs, 3, 3, "stream, fn, args");
	if (!acl_py_handle(args[0], &stream, &site, "stream") || !acl_py_function(args[1], false, &site, "fn"))
		return NULL;
	id = acl_py_remember(args[1], args[2]);
	if (!id)
		return NULL;
	thread = acl_py_leave();
	ret = aclrtLaunchHostFunc(stream, run_kept, (void *)id);
	if (!acl_py_enter(thread))
		return NULL;
	if (ret)
		acl_py_forget(id);
	return PyLong_FromLong(ret);
}

/* Beginning and end ------------------------------------------------------------------------------------------------ */

/* At the end of Python: functions that run may end, and no other begins. Ctrl-C ends this wait, too */
static PyObject *close_calls(PyObject *self, PyObject *unused)
{
	const struct timespec look = { .tv_nsec = LOOK_NS };
	PyThreadState *thread;

	(void)self;
	(void)unused;
	atomic_store(&closing, true);
	while (atomic_load(&running)) {
		thread = PyEval_SaveThread();
		nanosleep(&look, NULL);
		PyEval_RestoreThread(thread);
		if (PyErr_CheckSignals())
			return NULL;
	}
	Py_RETURN_NONE;
}

static PyMethodDef close_method = { "_close", close_calls, METH_NOARGS, NULL };

/* The library's threads, and what they ran, are not in the child */
static void forget_in_child(void)
{
	atomic_store(&running, 0);
	main_thread = PyThread_get_thread_ident();
}

/* threading.main_thread().ident, without importing threading: the module is imported by another thread seldom */
static unsigned long find_main_thread(void)
{
	PyObject *modules = PySys_GetObject("modules"), *threading, *thread, *ident;
	unsigned long found = PyThread_get_thread_ident();

	threading = modules ? PyDict_GetItemString(modules, "threading") : NULL;
	thread = threading ? PyObject_CallMethod(threading, "main_thread", NULL) : NULL;
	ident = thread ? PyObject_GetAttrString(thread, "ident") : NULL;
	if (ident && PyLong_Check(ident))
		found = PyLong_AsUnsignedLong(ident);
	PyErr_Clear();
	Py_XDECREF(ident);
	Py_XDECREF(thread);
	return found;
}

int acl_py_calls_start(PyObject *module)
{
	PyObject *atexit, *close = NULL, *done = NULL;

	if (kept)
		return 0; /* the module is imported once more */
	kept = PyDict_New();
	main_thread = find_main_thread();
	atexit = PyImport_ImportModule("atexit");
	if (atexit)
		close = PyCFunction_NewEx(&close_method, module, NULL);
	if (close)
		done = PyObject_CallMethod(atexit, "register", "O", close);
	Py_XDECREF(atexit);
	Py_XDECREF(close);
	Py_XDECREF(done);
	if (!kept || !done || pthread_atfork(NULL, NULL, forget_in_child))
		return -1;
	acl_py_places_begin();
	anpu_front_call_ended(call_ended);
	anpu_front_sleep(about_to_sleep);
	return 0;
}
