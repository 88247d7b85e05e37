// SPDX-License-Identifier: MIT
/*
 * A small language model that continues a text, as its tokens come: a transformer that train.py has
 * trained on this project's documentation. Every layer runs on the NPU, as operators in Ascend C; the same
 * model in plain C then has to choose the same tokens.
 *
 * usage: story [--tokens=N] [--temperature=T] [--seed=N] [--no-graph] [--times] [--weights=FILE] [TEXT]
 */
#include <getopt.h>
#include <math.h>
#include <time.h>
#include <unistd.h>

#include "story.h"

struct options {
	int tokens, graph, times;
	float temperature;
	uint64_t seed;
	const char *weights, *text;
};

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void usage(void)
{
	fprintf(stderr,
		"usage: story [--tokens=N] [--temperature=T] [--seed=N] [--no-graph] [--times] [--weights=FILE] [TEXT]\n"
		"  --tokens=N       at most so many tokens, of the text and after it; %d at most\n"
		"  --temperature=T  0 takes the likeliest token each time, 1 (or more) dares more; default 0.7\n"
		"  --seed=N         another story\n"
		"  --no-graph       launches every operator of every step instead of a recorded graph\n"
		"  --times          says how fast it was, as on a terminal\n",
		CONTEXT);
	exit(2);
}

static double number_of(const char *text, double least, double most)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= least && value <= most)) {
		fprintf(stderr, "story: '%s' is not a number from %g to %g\n", text, least, most);
		usage();
	}
	return value;
}

static void parse(struct options *o, int argc, char **argv)
{
	const struct option names[] = {
		{ "tokens", required_argument, NULL, 'n' },	 { "temperature", required_argument, NULL, 't' },
		{ "seed", required_argument, NULL, 's' },	 { "weights", required_argument, NULL, 'w' },
		{ "no-graph", no_argument, &o->graph, 0 },	 { "times", no_argument, &o->times, 1 },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
		if (c == 'n')
			o->tokens = (int)number_of(optarg, 2, CONTEXT);
		else if (c == 't')
			o->temperature = (float)number_of(optarg, 0, 100);
		else if (c == 's')
			o->seed = (uint64_t)number_of(optarg, 0, 1e15);
		else if (c == 'w')
			o->weights = optarg;
		else if (c)
			usage();
	}
	if (argc - optind > 1)
		usage();
	if (optind < argc)
		o->text = argv[optind];
}

/* splitmix64 */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

/*
 * The greatest of logits / temperature + noise is a token drawn by its probability, if the noise is
 * distributed as Gumbel's. So the device draws, and the reference can draw the same.
 */
static float (*make_noise(const struct options *o))[TOKENS]
{
	float (*noise)[TOKENS] = calloc(CONTEXT, sizeof(*noise));
	uint64_t state = o->seed;

	if (!noise) {
		perror("story");
		exit(EXIT_FAILURE);
	}
	for (int i = 0; i < CONTEXT * TOKENS && o->temperature > 0; i++) {
		double uniform = ((next_random(&state) >> 12) + 0.5) / (1ULL << 52);

		noise[0][i] = (float)-log(-log(uniform));
	}
	return noise;
}

static struct model *open_model(const struct options *o, const char *argv0)
{
	struct model *m = malloc(sizeof(*m));
	const char *slash = strrchr(argv0, '/');
	char path[4096];

	if (!m) {
		perror("story");
		exit(EXIT_FAILURE);
	}
	snprintf(path, sizeof(path), "%.*sstory.weights", slash ? (int)(slash - argv0) + 1 : 0, argv0);
	load_model(m, o->weights ? o->weights : path);
	return m;
}

/* All tokens, of which the first @count are there already */
static void tell(struct npu *npu, const struct model *m, const struct options *o, uint32_t *tokens, int count)
{
	double began = seconds(), prompted;
	int total = count;

	for (int i = 0; i < count; i++)
		print_token(m, tokens[i]);
	fflush(stdout);
	tokens[total++] = npu_prompt(npu, tokens, count);
	prompted = seconds();
	if (o->graph)
		npu_record(npu);
	for (;;) {
		print_token(m, tokens[total - 1]);
		fflush(stdout);
		if (total == o->tokens)
			break;
		tokens[total++] = npu_next(npu);
	}
	putchar('\n');
	if (o->times || isatty(STDOUT_FILENO))
		printf("[%.0f tokens/s after the first, which took %.1f ms; the device worked %.0f %% of the time]\n",
		       (total - count - 1) / (seconds() - prompted), (prompted - began) * 1e3,
		       npu_milliseconds(npu) / 10 / (seconds() - began));
}

static int compare(struct reference *r, const struct model *m, const uint32_t *tokens, int count, int total)
{
	for (int i = 0; i + 1 < total; i++) {
		uint32_t next = reference_next(r, tokens[i]);

		if (i + 1 < count || next == tokens[i + 1])
			continue;
		printf("token %d differs: the NPU chose '", i + 1);
		print_token(m, tokens[i + 1]);
		printf("', the model in plain C '");
		print_token(m, next);
		printf("'\n");
		return EXIT_FAILURE;
	}
	printf("The model in plain C chose the same %d tokens.\n", total - count);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	struct options o = { .tokens = CONTEXT, .graph = 1, .temperature = 0.7f, .seed = 1, .text = "The device" };
	uint32_t tokens[CONTEXT + 1];
	float (*noise)[TOKENS];
	struct reference *r;
	struct model *m;
	struct npu *npu;
	float sharpness;
	int count, status;

	parse(&o, argc, argv);
	m = open_model(&o, argv[0]);
	count = to_tokens(m, o.text, tokens, o.tokens - 1);
	if (count < 1) {
		fprintf(stderr, "story: the text has to be of characters that the documentation has, and not empty\n");
		return EXIT_FAILURE;
	}
	noise = make_noise(&o);
	sharpness = o.temperature > 0 ? 1 / o.temperature : 1;
	npu = npu_open(m, argv[0], sharpness, noise);
	tell(npu, m, &o, tokens, count);
	npu_close(npu);
	r = reference_open(m, sharpness, noise);
	status = compare(r, m, tokens, count, o.tokens);
	reference_close(r);
	free(noise);
	free(m);
	return status;
}
