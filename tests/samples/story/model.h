/* SPDX-License-Identifier: MIT */
/* The sizes of the model, for operators and host alike; train.py writes weights of these sizes. */
#ifndef MODEL_H
#define MODEL_H

#define TOKENS	512 /* different pieces of text */
#define WIDTH	64  /* numbers that describe a token between the layers */
#define HEADS	4
#define HEAD	(WIDTH / HEADS)
#define PAIRS	(HEAD / 2) /* pairs of numbers that positions rotate */
#define LAYERS	4
#define HIDDEN	192
#define CONTEXT 128 /* tokens that the model can look back at */
#define ROWS	16  /* tokens that one step can take, the side of a fractal of the cube unit */
#define EPSILON 1e-5f

#define QKV	(3 * WIDTH)
#define GATE_UP (2 * HIDDEN)

/* Where the generation is; in device memory, so that a step is the same tasks each time */
struct progress {
	unsigned int position; /* tokens that the caches have */
	unsigned int rows;     /* tokens that the step takes, up to ROWS */
};

#endif /* MODEL_H */
