// SPDX-License-Identifier: MIT
/*
 * The module acl._acl: functions of acl itself, the constants, and the modules acl.rt, acl.mdl, acl.util and acl.media,
 * which are made here and put into sys.modules, so that "import acl.rt" finds them.
 */
#include <string.h>

#include "acl_py.h"

static int add_part(PyObject *module, const char *name, PyMethodDef *methods, const char *doc)
{
	PyObject *part = PyModule_New(name), *modules = PySys_GetObject("modules");
	int err = -1;

	if (part && modules && !PyModule_AddFunctions(part, methods) && !PyModule_SetDocString(part, doc) &&
	    !PyDict_SetItemString(modules, name, part))
		err = PyModule_AddObjectRef(module, strrchr(name, '.') + 1, part);
	Py_XDECREF(part);
	return err;
}

static int add_constants(PyObject *module)
{
	const struct acl_py_constant *c;
	PyObject *value;
	int err = 0;

	for (c = acl_py_constants; c->name && !err; c++) {
		value = PyLong_FromLongLong(c->value);
		err = value ? PyModule_AddObjectRef(module, c->name, value) : -1;
		Py_XDECREF(value);
	}
	return err;
}

static int fill(PyObject *module)
{
	if (PyInterpreterState_GetID(PyInterpreterState_Get())) {
		PyErr_SetString(PyExc_ImportError,
				"acl works in the main interpreter only: its callbacks run in threads "
				"that belong to no sub-interpreter");
		return -1;
	}
	if (acl_py_calls_start(module) || PyModule_AddFunctions(module, acl_methods) || add_constants(module))
		return -1;
	if (add_part(module, "acl.rt", acl_rt_methods,
		     "The runtime: devices, contexts, streams, events, memory, operators.\n\nEach function "
		     "returns an error code, or a tuple whose last item is one."))
		return -1;
	if (add_part(module, "acl.mdl", acl_mdl_methods, "Graphs of tasks (aclmdlRI*)."))
		return -1;
	if (add_part(module, "acl.media", acl_media_methods, "Memory for pictures; the device has no units for them."))
		return -1;
	return add_part(module, "acl.util", acl_util_methods,
			"Addresses of Python's objects, and threads for callbacks.");
}

static PyModuleDef_Slot slots[] = {
	{ Py_mod_exec, fill },
	{ 0 },
};

static struct PyModuleDef definition = {
	.m_base = PyModuleDef_HEAD_INIT,
	.m_name = "acl._acl",
	.m_doc = "The functions of the package acl in C.",
	.m_slots = slots,
};

PyMODINIT_FUNC PyInit__acl(void);

PyMODINIT_FUNC PyInit__acl(void)
{
	return PyModuleDef_Init(&definition);
}
