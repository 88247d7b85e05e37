/* SPDX-License-Identifier: MIT */
/* What is loaded of an operator inside the program, on each device, when it was asked for. */
#define ANPU_MODULE_DEVICES 64

struct anpu_module {
	const void *image;
	size_t size;
	size_t kernels;
	const char *const *names;
	pthread_mutex_t lock;
	aclrtBinHandle bin[ANPU_MODULE_DEVICES];
	aclrtFuncHandle *func[ANPU_MODULE_DEVICES]; /* of each kernel, NULL before it is used */
};

/* The device may have been reset, and what was loaded is gone with it; locked */
static void anpu_module_forget_stale(struct anpu_module *m, int32_t device)
{
	aclrtBinHandle bin;
	size_t i;

	for (i = 0; i < m->kernels && !m->func[device][i]; i++)
		;
	if (i == m->kernels || !aclrtFunctionGetBinary(m->func[device][i], &bin))
		return;
	(void)aclGetRecentErrMsg(); /* that is no failure of the caller's */
	for (i = 0; i < m->kernels; i++)
		m->func[device][i] = NULL;
	m->bin[device] = NULL;
}

static aclError anpu_module_load(struct anpu_module *m, int32_t device, size_t kernel)
{
	aclError err = ACL_SUCCESS;

	if (!m->func[device])
		m->func[device] = (aclrtFuncHandle *)calloc(m->kernels, sizeof(aclrtFuncHandle));
	if (!m->func[device])
		return ACL_ERROR_BAD_ALLOC;
	anpu_module_forget_stale(m, device);
	if (!m->bin[device])
		err = aclrtBinaryLoadFromData(m->image, m->size, NULL, &m->bin[device]);
	if (!err && !m->func[device][kernel])
		err = aclrtBinaryGetFunction(m->bin[device], m->names[kernel],
					     &m->func[device][kernel]);
	return err;
}

/* The kernel on the calling thread's device */
static aclError anpu_module_find(struct anpu_module *m, size_t kernel, aclrtFuncHandle *func)
{
	int32_t device;
	aclError err = aclrtGetDevice(&device);

	if (err)
		return err;
	if (device < 0 || device >= ANPU_MODULE_DEVICES)
		return ACL_ERROR_RT_INVALID_DEVICEID;
	pthread_mutex_lock(&m->lock);
	err = anpu_module_load(m, device, kernel);
	if (!err)
		*func = m->func[device][kernel];
	pthread_mutex_unlock(&m->lock);
	return err;
}
