// SPDX-License-Identifier: MIT
/* Graphs as text: for a person, and as events that a browser's tracing page shows. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "graph/inside.h"

static const char *name_of(const struct anpu_graph *g, const struct graph_task *t)
{
	static const char *const control[] = {
		[GRAPH_COND] = "condition",	     [GRAPH_LABEL] = "label",
		[GRAPH_SWITCH_LABEL] = "switch label", [GRAPH_SWITCH_STREAM] = "switch stream",
		[GRAPH_ACTIVE] = "active stream",    [GRAPH_END] = "end",
		[GRAPH_CHOICE] = "choice",	     [GRAPH_SKIP] = "skip",
	};
	static const char *const type[] = {
		[ACL_MODEL_RI_TASK_KERNEL] = "kernel",
		[ACL_MODEL_RI_TASK_EVENT_RECORD] = "event record",
		[ACL_MODEL_RI_TASK_EVENT_WAIT] = "event wait",
		[ACL_MODEL_RI_TASK_EVENT_RESET] = "event reset",
		[ACL_MODEL_RI_TASK_VALUE_WRITE] = "value write",
		[ACL_MODEL_RI_TASK_VALUE_WAIT] = "value wait",
	};
	static const char *const opcode[ANPU_OP_COUNT] = {
		[ANPU_OP_COPY] = "copy",	[ANPU_OP_COPY_2D] = "copy 2D",
		[ANPU_OP_COPY_DESC] = "copy by descriptor", [ANPU_OP_FILL] = "fill",
		[ANPU_OP_SEM_SIGNAL] = "notify record",	    [ANPU_OP_SEM_WAIT] = "notify wait",
		[ANPU_OP_REDUCE] = "reduction",
		[ANPU_OP_RANDOM] = "random numbers",
	};
	uint8_t op = t->count ? g->packets[t->first].hdr.opcode : 0;

	if (t->control != GRAPH_PLAIN)
		return control[t->control];
	if (t->type != ACL_MODEL_RI_TASK_DEFAULT)
		return type[t->type];
	if (t->call)
		return "host function";
	return op < ANPU_OP_COUNT && opcode[op] ? opcode[op] : "task";
}

static const union anpu_packet *kernel_of(const struct anpu_graph *g, const struct graph_task *t)
{
	return t->type == ACL_MODEL_RI_TASK_KERNEL ? &g->packets[t->first] : NULL;
}

/* The name of a kernel, without characters that a JSON text cannot have as they are */
static void kernel_name(const struct anpu_graph *g, const struct graph_task *t, char *buf, size_t n)
{
	const union anpu_packet *pkt = kernel_of(g, t);
	char *p;

	snprintf(buf, n, "%s", name_of(g, t));
	if (pkt)
		anpu_symbolise(g->obj.dev, pkt->kernel.entry, buf, n, true);
	for (p = buf; *p; p++)
		if (*p == '"' || *p == '\\' || (unsigned char)*p < ' ')
			*p = '?';
	if (!*buf)
		snprintf(buf, n, "kernel");
}

static void print_json_task(FILE *f, const struct anpu_graph *g, uint32_t i, bool verbose)
{
	const struct graph_task *t = &g->tasks[i];
	const union anpu_packet *pkt = kernel_of(g, t);
	char name[256];

	kernel_name(g, t, name, sizeof(name));
	fprintf(f,
		"%s\n{\"name\":\"%s\",\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%u,\"dur\":1,"
		"\"args\":{"
		"\"model id\":%u,\"stream id\":%u,\"task id\":%u,\"task "
		"type\":\"%s\",\"disabled\":%s",
		i ? "," : "", name, g->id, t->lane, i, g->id, t->lane, i, name_of(g, t),
		t->disabled ? "true" : "false");
	if (pkt && verbose)
		fprintf(f,
			",\"numBlocks\":%u,\"args\":\"%#" PRIx64
			"\",\"argsSize\":%u,\"entry\":\"%#" PRIx64 "\"",
			pkt->kernel.grid_x, (uint64_t)pkt->kernel.args, pkt->kernel.args_size,
			(uint64_t)pkt->kernel.entry);
	graph_info_print(f, t);
	fputs("}}", f);
}

/* A finished graph with a reference, locked */
static aclError lock_ready(aclmdlRI modelRI, struct anpu_graph **g)
{
	ACL_CHECK_PTR(modelRI);
	*g = graph_find(modelRI);
	if (!*g)
		return ACL_ERROR_RT_INVALID_HANDLE;
	pthread_mutex_lock(&(*g)->lock);
	if ((*g)->state == GRAPH_READY)
		return ACL_SUCCESS;
	pthread_mutex_unlock(&(*g)->lock);
	graph_put(*g);
	return acl_fail(ACL_ERROR_RT_MODEL_CAPTURED, "the graph is still being recorded or built");
}

aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char *path, uint32_t flags)
{
	struct anpu_graph *g;
	aclError ret;
	uint32_t i;
	FILE *f;
	int err;

	ACL_ENTER();
	ACL_CHECK_PTR(path);
	if (flags > ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "flags is %#x and must be 0 or 1", flags);
	ret = lock_ready(modelRI, &g);
	if (ret)
		return ret;
	f = fopen(path, "we");
	err = f ? 0 : errno;
	if (f) {
		fputs("[", f);
		for (i = 0; i < g->task_count; i++)
			print_json_task(f, g, i, flags & ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE);
		fputs("\n]\n", f);
		err = ferror(f) ? EIO : 0;
		if (fclose(f) && !err)
			err = errno;
	}
	graph_unlock(g);
	if (err)
		return acl_fail(f ? ACL_ERROR_RT_FILE_WRITE : ACL_ERROR_RT_FILE_OPEN,
				"'%s' cannot be %s: %s", path, f ? "written" : "opened for writing",
				strerror(err));
	return ACL_SUCCESS;
}

aclError aclmdlRIDebugPrint(aclmdlRI modelRI)
{
	struct anpu_graph *g;
	char name[256];
	aclError ret;
	uint32_t i;

	ACL_ENTER();
	ret = lock_ready(modelRI, &g);
	if (ret)
		return ret;
	printf("graph %u%s%s: device %d, %u streams, %u tasks\n", g->id, *g->name ? " " : "",
	       g->name, g->obj.dev->id, g->lane_count, g->task_count);
	for (i = 0; i < g->task_count; i++) {
		kernel_name(g, &g->tasks[i], name, sizeof(name));
		printf("  stream %u, task %u: %s%s\n", g->tasks[i].lane, i, name,
		       g->tasks[i].disabled ? ", disabled" : "");
	}
	fflush(stdout);
	graph_unlock(g);
	return ACL_SUCCESS;
}
