// SPDX-License-Identifier: MIT
/*
 * For cost.py: loops of calls from C, nanoseconds of one call; and a module of Python whose function does nothing, which
 * is the least that a call of a function in C can cost.
 */
#define Py_LIMITED_API 0x030b0000
#include <Python.h>
#include <time.h>

#include <acl/acl.h>

double cost_get_device(int count);
double cost_memcpy(int count, void *dst, void *src);
double cost_launch(int count, void *kernel, void *args, void *stream);

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

double cost_get_device(int count)
{
	double start = now();
	int32_t device;
	int i;

	for (i = 0; i < count; i++)
		(void)aclrtGetDevice(&device);
	return (now() - start) / count;
}

double cost_memcpy(int count, void *dst, void *src)
{
	double start = now();
	int i;

	for (i = 0; i < count; i++)
		(void)aclrtMemcpy(dst, 4096, src, 4096, ACL_MEMCPY_HOST_TO_DEVICE);
	return (now() - start) / count;
}

double cost_launch(int count, void *kernel, void *args, void *stream)
{
	double start = now();
	int i;

	for (i = 0; i < count; i++)
		(void)aclrtLaunchKernel(kernel, 1, args, 8, stream);
	return (now() - start) / count;
}

static PyObject *nothing(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	(void)self;
	(void)args;
	(void)nargs;
	Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
	{ "nothing", (PyCFunction)(void *)nothing, METH_FASTCALL, NULL },
	{ 0 },
};

static struct PyModuleDef definition = {
	.m_base = PyModuleDef_HEAD_INIT,
	.m_name = "cost_in_c",
	.m_methods = methods,
};

PyMODINIT_FUNC PyInit_cost_in_c(void);

PyMODINIT_FUNC PyInit_cost_in_c(void)
{
	return PyModule_Create(&definition);
}
