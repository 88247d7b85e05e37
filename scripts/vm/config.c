// SPDX-License-Identifier: MIT
/* Decodes VM_CONFIG, see proto.h. */
#include <stdlib.h>
#include <string.h>

#include "init.h"

static size_t count_records(const char *data, size_t len, char tag)
{
	size_t n = 0;

	for (const char *p = data; p < data + len; p += strlen(p) + 1)
		n += *p == tag;
	return n;
}

static char **alloc_strings(size_t n)
{
	char **v = calloc(n + 1, sizeof(*v));

	if (!v)
		fail(125, "no memory for %zu strings of the command line and environment", n);
	return v;
}

static void add_module(struct vm_config *cfg, const char *path)
{
	if (cfg->nr_modules == ARRAY_MAX)
		fail(125, "more than %d modules to load", ARRAY_MAX);
	cfg->modules[cfg->nr_modules++] = (struct vm_module){ .path = path, .params = "" };
}

static void add_share(struct vm_config *cfg, const char *share)
{
	if (cfg->nr_shares == ARRAY_MAX)
		fail(125, "more than %d writable directories", ARRAY_MAX);
	cfg->shares[cfg->nr_shares++] = share;
}

/**
 * config_parse() - decode the payload of VM_CONFIG
 * @cfg: filled in; its strings point into @data
 * @data: the records, with a NUL behind the last one
 * @len: bytes of @data
 */
void config_parse(struct vm_config *cfg, char *data, size_t len)
{
	size_t nr_args = 0, nr_env = 0;

	*cfg = (struct vm_config){
		.argv = alloc_strings(count_records(data, len, 'a')),
		.envp = alloc_strings(count_records(data, len, 'e')),
		.cwd = "/",
	};
	for (char *p = data, *next; p < data + len; p = next) {
		char *value = p + 1;

		next = p + strlen(p) + 1;
		switch (*p) {
		case 'a':
			cfg->argv[nr_args++] = value;
			break;
		case 'e':
			cfg->envp[nr_env++] = value;
			break;
		case 'c':
			cfg->cwd = value;
			break;
		case 'u':
			cfg->user = value;
			break;
		case 'w':
			add_share(cfg, value);
			break;
		case 'm':
			add_module(cfg, value);
			break;
		case 'p':
			if (cfg->nr_modules)
				cfg->modules[cfg->nr_modules - 1].params = value;
			break;
		case 'M':
			cfg->module_dir = value;
			break;
		case 't':
			cfg->tty = value;
			break;
		case 'T':
			cfg->time = value;
			break;
		case 'R':
			cfg->random = value;
			break;
		case 'E':
			cfg->tty_stderr = true;
			break;
		case 'l':
			cfg->log_level = atoi(value);
			break;
		default:
			fail(125, "init does not know the record '%s': run make again", p);
		}
	}
	if (!cfg->argv[0])
		fail(125, "no program to run");
}
