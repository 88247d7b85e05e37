// SPDX-License-Identifier: MIT
/* Kernels that take memory from the context's heap. */

struct Sum {
	virtual int sum() const = 0;
	virtual ~Sum() {}
};
/* A list of numbers, each of which has its own memory */
struct List : Sum {
	struct Node {
		int value;
		Node *next;
		Node(int value, Node *next) : value(value), next(next) {}
	} *first = nullptr;

	void add(int value) { first = new Node(value, first); }
	int sum() const override
	{
		int all = 0;

		for (const Node *n = first; n; n = n->next)
			all += n->value;
		return all;
	}
	~List() override
	{
		while (first) {
			Node *n = first;

			first = n->next;
			delete n;
		}
	}
};

/* Each thread makes a list and an array, which the next kernel finds, uses and frees */
extern "C" __global__ void allocate(List **lists, int **arrays, unsigned int *bad)
{
	unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
	List *l = new List;
	int *a = (int *)malloc((i % 50 + 1) * sizeof(int));

	if (!l || !a || ((uintptr_t)a | (uintptr_t)l) % 16)
		atomicAdd(bad, 1u);
	for (unsigned int k = 0; k < 4 + i % 3; k++)
		l->add((int)(i + k));
	for (unsigned int k = 0; k <= i % 50; k++)
		a[k] = (int)(i * 100 + k);
	lists[i] = l;
	arrays[i] = a;
}

extern "C" __global__ void use_and_free(List **lists, int **arrays, unsigned int *bad)
{
	unsigned int i = blockIdx.x * blockDim.x + threadIdx.x, n = 4 + i % 3;

	if (static_cast<const Sum *>(lists[i])->sum() != (int)(n * i + n * (n - 1) / 2))
		atomicAdd(bad, 1u);
	for (unsigned int k = 0; k <= i % 50; k++)
		if (arrays[i][k] != (int)(i * 100 + k))
			atomicAdd(bad, 1u);
	delete lists[i];
	free(arrays[i]);
	free(nullptr);
}

/* How many blocks of @size bytes there are, all of which it frees again */
extern "C" __global__ void fill_up(unsigned int size, unsigned int *count)
{
	void **first = nullptr, **p;

	while ((p = (void **)malloc(size))) {
		p[0] = first;
		first = p;
		(*count)++;
	}
	while (first) {
		p = (void **)first[0];
		free(first);
		first = p;
	}
}

struct Early {
	Early() { call(); }
	__attribute__((noinline)) int call() { return number(); }
	virtual int number() = 0;
};
struct Late : Early {
	int number() override { return 5; }
};
extern "C" __global__ void in_a_constructor(int *out) { *out = Late().call(); }

extern "C" __global__ void too_much() { delete[] new char[2 << 20]; }

extern "C" __global__ void free_twice()
{
	char *p = new char[100];

	delete[] p;
	delete[] p;
}
