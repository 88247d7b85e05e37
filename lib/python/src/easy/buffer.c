// SPDX-License-Identifier: MIT
/*
 * acl.easy._buffer.HostMemory: host memory that other parts of Python may look at, by the buffer protocol and by
 * DLPack. acl.easy.HostArray is made of it, because before Python 3.12 a class written in Python cannot offer its
 * memory. The limited API, and nothing of libascendcl.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DIMENSIONS 32

/*
 * @data: NULL when it was closed
 * @exports: views and capsules that still use @data, which must not go away before them
 * @code, @bits: of DLPack
 */
struct host_memory {
	PyObject_HEAD
	char *data;
	Py_ssize_t nbytes;
	Py_ssize_t itemsize;
	Py_ssize_t exports;
	int ndim;
	Py_ssize_t shape[MAX_DIMENSIONS];
	Py_ssize_t strides[MAX_DIMENSIONS];
	char format[4];
	uint8_t code;
	uint8_t bits;
};

/* DLPack's structures, as its specification lays them out */
struct dl_tensor {
	void *data;
	int32_t device_type;
	int32_t device_id;
	int32_t ndim;
	uint8_t code;
	uint8_t bits;
	uint16_t lanes;
	int64_t *shape;
	int64_t *strides;
	uint64_t byte_offset;
};

struct dl_managed {
	struct dl_tensor tensor;
	void *context;
	void (*deleter)(struct dl_managed *);
};

#define DL_CPU 1

static struct host_memory *as_memory(PyObject *self)
{
	return (struct host_memory *)self;
}

static int closed(struct host_memory *m)
{
	if (!m->data)
		PyErr_SetString(PyExc_ValueError, "this host array was given back: its memory is gone");
	return !m->data;
}

/* Making and closing --------------------------------------------------------------------------- */

/* Reads the shape; its elements and @itemsize must fill exactly @nbytes. */
static int set_shape(struct host_memory *m, PyObject *shape)
{
	Py_ssize_t n = PyTuple_Size(shape), total = m->itemsize;

	if (n < 0)
		return -1;
	if (n > MAX_DIMENSIONS) {
		PyErr_Format(PyExc_ValueError, "an array has at most %d dimensions, not %zd", MAX_DIMENSIONS, n);
		return -1;
	}
	m->ndim = (int)n;
	for (Py_ssize_t i = n - 1; i >= 0; i--) {
		m->shape[i] = PyLong_AsSsize_t(PyTuple_GetItem(shape, i));
		if (m->shape[i] == -1 && PyErr_Occurred())
			return -1;
		m->strides[i] = total;
		if (m->shape[i] < 0 || __builtin_mul_overflow(total, m->shape[i], &total))
			total = -1;
		if (total < 0)
			break;
	}
	if (total != m->nbytes) {
		PyErr_Format(PyExc_ValueError, "this shape does not fill exactly %zd bytes", m->nbytes);
		return -1;
	}
	return 0;
}

/* _map(address, nbytes, format, itemsize, shape, code, bits): the memory that this object stands for from now on */
static PyObject *memory_map(PyObject *self, PyObject *args)
{
	struct host_memory *m = as_memory(self);
	unsigned long long address;
	const char *format;
	PyObject *shape;
	int code, bits;

	if (!PyArg_ParseTuple(args, "KnsnO!ii", &address, &m->nbytes, &format, &m->itemsize, &PyTuple_Type,
			      &shape, &code, &bits))
		return NULL;
	if (m->data) {
		PyErr_SetString(PyExc_RuntimeError, "this object has its memory already");
		return NULL;
	}
	if (!address || m->nbytes <= 0 || m->itemsize <= 0 || strlen(format) >= sizeof(m->format)) {
		PyErr_SetString(PyExc_ValueError, "a host array needs an address, a size and a format");
		return NULL;
	}
	if (set_shape(m, shape))
		return NULL;
	strcpy(m->format, format);
	m->code = (uint8_t)code;
	m->bits = (uint8_t)bits;
	m->data = (char *)(uintptr_t)address;
	Py_RETURN_NONE;
}

/* _unmap(): the address, which belongs to the caller again; None if there is none */
static PyObject *memory_unmap(PyObject *self, PyObject *unused)
{
	struct host_memory *m = as_memory(self);
	char *data = m->data;

	(void)unused;
	if (!data)
		Py_RETURN_NONE;
	if (m->exports) {
		PyErr_Format(PyExc_BufferError, "this host array cannot be given back: %zd view%s still look%s at its "
			     "memory (numpy arrays, memoryviews, DLPack)", m->exports, m->exports == 1 ? "" : "s",
			     m->exports == 1 ? "s" : "");
		return NULL;
	}
	m->data = NULL;
	return PyLong_FromVoidPtr(data);
}

/* The buffer protocol -------------------------------------------------------------------------- */

static int memory_getbuffer(PyObject *self, Py_buffer *view, int flags)
{
	struct host_memory *m = as_memory(self);

	view->obj = NULL;
	if (closed(m))
		return -1;
	view->buf = m->data;
	view->len = m->nbytes;
	view->itemsize = m->itemsize;
	view->readonly = 0;
	view->ndim = m->ndim;
	view->format = flags & PyBUF_FORMAT ? m->format : NULL;
	view->shape = flags & PyBUF_ND ? m->shape : NULL;
	view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? m->strides : NULL;
	view->suboffsets = NULL;
	view->internal = NULL;
	if (!(flags & PyBUF_ND))
		view->ndim = 1;
	Py_INCREF(self);
	view->obj = self;
	m->exports++;
	return 0;
}

static void memory_releasebuffer(PyObject *self, Py_buffer *view)
{
	(void)view;
	as_memory(self)->exports--;
}

/* DLPack --------------------------------------------------------------------------------------- */

/* Whoever took the tensor calls this when it is done, in any thread. */
static void dl_delete(struct dl_managed *managed)
{
	PyGILState_STATE state = PyGILState_Ensure();
	PyObject *self = managed->context;

	as_memory(self)->exports--;
	Py_DECREF(self);
	free(managed);
	PyGILState_Release(state);
}

/* A capsule that nobody took; one that was taken has another name and belongs to its taker. */
static void capsule_delete(PyObject *capsule)
{
	struct dl_managed *managed;

	if (!PyCapsule_IsValid(capsule, "dltensor"))
		return;
	managed = PyCapsule_GetPointer(capsule, "dltensor");
	managed->deleter(managed);
}

static PyObject *memory_dlpack(PyObject *self, PyObject *unused)
{
	struct host_memory *m = as_memory(self);
	struct dl_managed *managed;
	PyObject *capsule;
	int64_t *numbers;

	(void)unused;
	if (closed(m))
		return NULL;
	managed = malloc(sizeof(*managed) + 2 * MAX_DIMENSIONS * sizeof(*numbers));
	if (!managed)
		return PyErr_NoMemory();
	numbers = (int64_t *)(managed + 1);
	for (int i = 0; i < m->ndim; i++) {
		numbers[i] = m->shape[i];
		numbers[MAX_DIMENSIONS + i] = m->strides[i] / m->itemsize;
	}
	managed->tensor = (struct dl_tensor){
		.data = m->data, .device_type = DL_CPU, .ndim = m->ndim, .code = m->code, .bits = m->bits, .lanes = 1,
		.shape = numbers, .strides = numbers + MAX_DIMENSIONS,
	};
	managed->context = self;
	managed->deleter = dl_delete;
	capsule = PyCapsule_New(managed, "dltensor", capsule_delete);
	if (!capsule) {
		free(managed);
		return NULL;
	}
	Py_INCREF(self);
	m->exports++;
	return capsule;
}

/* address(view): where the contiguous memory of a memoryview is, which the caller keeps alive */
static PyObject *address(PyObject *module, PyObject *view)
{
	Py_buffer buffer;
	void *at;

	(void)module;
	if (PyObject_GetBuffer(view, &buffer, PyBUF_SIMPLE))
		return NULL;
	at = buffer.buf;
	PyBuffer_Release(&buffer);
	return PyLong_FromVoidPtr(at);
}

/* The type ------------------------------------------------------------------------------------- */

static PyObject *memory_address(PyObject *self, void *unused)
{
	(void)unused;
	return closed(as_memory(self)) ? NULL : PyLong_FromVoidPtr(as_memory(self)->data);
}

static PyObject *memory_exports(PyObject *self, void *unused)
{
	(void)unused;
	return PyLong_FromSsize_t(as_memory(self)->exports);
}

static void memory_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);
	freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

	release(self);
	Py_DECREF(type);
}

static PyMethodDef methods[] = {
	{ "_map", memory_map, METH_VARARGS, NULL },
	{ "_unmap", memory_unmap, METH_NOARGS, NULL },
	{ "_dlpack", memory_dlpack, METH_NOARGS, NULL },
	{ NULL, NULL, 0, NULL }
};

static PyGetSetDef attributes[] = {
	{ "ptr", memory_address, NULL, "The address, for functions of acl.rt.", NULL },
	{ "_exports", memory_exports, NULL, NULL, NULL },
	{ NULL, NULL, NULL, NULL, NULL }
};

static PyType_Slot slots[] = {
	{ Py_tp_doc, "Host memory that the buffer protocol and DLPack offer." },
	{ Py_tp_methods, methods },
	{ Py_tp_getset, attributes },
	{ Py_tp_dealloc, memory_dealloc },
	{ Py_bf_getbuffer, memory_getbuffer },
	{ Py_bf_releasebuffer, memory_releasebuffer },
	{ 0, NULL }
};

static PyType_Spec spec = {
	.name = "acl.easy._buffer.HostMemory",
	.basicsize = sizeof(struct host_memory),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
	.slots = slots,
};

static int fill(PyObject *module)
{
	PyObject *type = PyType_FromSpec(&spec);

	if (!type)
		return -1;
	if (PyModule_AddObjectRef(module, "HostMemory", type)) {
		Py_DECREF(type);
		return -1;
	}
	Py_DECREF(type);
	return 0;
}

static PyMethodDef functions[] = {
	{ "address", address, METH_O, NULL },
	{ NULL, NULL, 0, NULL }
};

static PyModuleDef_Slot module_slots[] = {
	{ Py_mod_exec, fill },
	{ 0, NULL }
};

static struct PyModuleDef module = {
	PyModuleDef_HEAD_INIT,
	.m_name = "acl.easy._buffer",
	.m_doc = "Memory of acl.easy.HostArray.",
	.m_methods = functions,
	.m_slots = module_slots,
};

PyMODINIT_FUNC PyInit__buffer(void);

PyMODINIT_FUNC PyInit__buffer(void)
{
	return PyModuleDef_Init(&module);
}
