// SPDX-License-Identifier: MIT
/*
 * Address spaces: which range shows what, and VM_BIND.
 *
 * A bind works on a copy of the list of mappings, which replaces the list when nothing can fail any
 * more, so all of its operations happen or none.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "direct.h"

/**
 * struct bind - a VM_BIND under way
 * @bo: object of each operation, referenced
 * @map: the mappings as they will be, each with a reference of its own
 * @flush: the device may know something that is not true any more
 */
struct bind {
	struct vm *vm;
	struct drm_anpu_vm_bind_op *ops;
	struct bo **bo;
	uint32_t count;
	struct mapping *map;
	unsigned int n, max;
	bool flush;
};

int vm_init(struct vm *vm, struct device *dev)
{
	int err;

	*vm = (struct vm){ .dev = dev };
	pthread_mutex_init(&vm->lock, NULL);
	pthread_mutex_lock(&dev->lock);
	err = mmu_space_init(vm);
	pthread_mutex_unlock(&dev->lock);
	return err;
}

/* The list of mappings ------------------------------------------------------------------------- */

/* The first mapping that ends behind an address */
static unsigned int first_behind(const struct bind *b, uint64_t va)
{
	unsigned int low = 0, high = b->n;

	while (low < high) {
		unsigned int mid = low + (high - low) / 2;

		if (b->map[mid].va + b->map[mid].size <= va)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static int insert(struct bind *b, unsigned int i, const struct mapping *m)
{
	struct mapping *list = b->map;

	if (b->n == b->max) {
		list = realloc(list, 2 * (b->max + 8) * sizeof(*list));
		if (!list)
			return -ENOMEM;
		b->map = list;
		b->max = 2 * (b->max + 8);
	}
	memmove(list + i + 1, list + i, (b->n - i) * sizeof(*list));
	list[i] = *m;
	b->n++;
	bo_get(m->bo);
	return 0;
}

/* Takes a range out of all mappings; what is outside of it stays */
static int cut(struct bind *b, uint64_t va, uint64_t size)
{
	unsigned int i = first_behind(b, va);
	uint64_t end = va + size;
	int err = 0;

	while (!err && i < b->n && b->map[i].va < end) {
		struct mapping m = b->map[i], part;
		uint64_t last = m.va + m.size;

		b->flush = true;
		memmove(b->map + i, b->map + i + 1, (b->n - i - 1) * sizeof(m));
		b->n--;
		if (last > end) {
			part = m;
			part.va = end;
			part.size = last - end;
			part.offset += end - m.va;
			err = insert(b, i, &part);
		}
		if (!err && m.va < va) {
			part = m;
			part.size = va - m.va;
			err = insert(b, i++, &part);
		}
		bo_put(m.bo);
	}
	return err;
}

/* VM_BIND -------------------------------------------------------------------------------------- */

static int check_op(struct bind *b, struct file *file, uint32_t i)
{
	const struct drm_anpu_vm_bind_op *op = &b->ops[i];
	const uint32_t known = DRM_ANPU_VM_READ | DRM_ANPU_VM_WRITE | DRM_ANPU_VM_EXEC;

	if (op->pad || !op->size || !aligned(op->va | op->size | op->offset, PAGE) ||
	    op->va < VA_START || op->va >= VA_END || op->size > VA_END - op->va)
		return -EINVAL;
	if (op->op == DRM_ANPU_VM_UNMAP)
		return op->flags || op->handle || op->offset ? -EINVAL : 0;
	if (op->op != DRM_ANPU_VM_MAP && op->op != DRM_ANPU_VM_REPLACE)
		return -EINVAL;
	if (op->flags & ~known || !(op->flags & DRM_ANPU_VM_READ) ||
	    (op->flags & DRM_ANPU_VM_WRITE && op->flags & DRM_ANPU_VM_EXEC))
		return -EINVAL;
	b->bo[i] = bo_lookup(file, op->handle);
	if (!b->bo[i])
		return -ENOENT;
	if (op->offset > b->bo[i]->size || op->size > b->bo[i]->size - op->offset)
		return -EINVAL;
	return op->flags & DRM_ANPU_VM_WRITE && b->bo[i]->flags & DRM_ANPU_BO_READONLY ? -EACCES : 0;
}

static int do_op(struct bind *b, uint32_t i)
{
	const struct drm_anpu_vm_bind_op *op = &b->ops[i];
	struct mapping m = { op->va, op->size, b->bo[i], op->offset, op->flags };
	unsigned int at = first_behind(b, op->va);
	int err;

	if (op->op == DRM_ANPU_VM_MAP) {
		if (at < b->n && b->map[at].va < op->va + op->size)
			return -EEXIST;
	} else {
		err = cut(b, op->va, op->size);
		if (err)
			return err;
	}
	if (op->op == DRM_ANPU_VM_UNMAP)
		return 0;
	return insert(b, first_behind(b, op->va), &m);
}

/* Device locked: all tables, or an error */
static int prepare(struct bind *b, uint32_t *failed)
{
	for (uint32_t i = 0; i < b->count; i++) {
		const struct drm_anpu_vm_bind_op *op = &b->ops[i];
		int err = mmu_prepare(b->vm, op->va, op->size, b->bo[i], op->offset);

		if (err) {
			*failed = i;
			return err;
		}
	}
	return 0;
}

/* Does the next operation take away all that this one does? */
static bool is_undone(const struct bind *b, uint32_t i)
{
	const struct drm_anpu_vm_bind_op *op = &b->ops[i], *next = op + 1;

	return i + 1 < b->count && next->op != DRM_ANPU_VM_MAP && next->va <= op->va &&
	       next->va + next->size >= op->va + op->size;
}

/*
 * Device locked. What a later operation takes away again is written, too, and cleared there, unless that
 * is the next one, so that a range that is replaced again and again is written once.
 */
static void commit(struct bind *b)
{
	for (uint32_t i = 0; i < b->count; i++) {
		const struct drm_anpu_vm_bind_op *op = &b->ops[i];
		struct mapping m = { op->va, op->size, b->bo[i], op->offset, op->flags };

		if (is_undone(b, i))
			continue;
		if (op->op != DRM_ANPU_VM_MAP)
			mmu_clear(b->vm, op->va, op->size);
		if (op->op != DRM_ANPU_VM_UNMAP)
			mmu_map(b->vm, &m);
	}
}

/* Gives back what the operations left empty, when the device has forgotten it */
static void tidy(struct bind *b, uint32_t tried)
{
	struct device *dev = b->vm->dev;
	uint64_t *unused = NULL;
	unsigned int n = 0;

	pthread_mutex_lock(&dev->lock);
	for (uint32_t i = 0; i < tried; i++)
		mmu_prune(b->vm, b->ops[i].va, b->ops[i].size, &unused, &n);
	pthread_mutex_unlock(&dev->lock);
	if (b->flush || n)
		mmu_flush(dev, b->vm->asid);
	pthread_mutex_lock(&dev->lock);
	for (unsigned int i = 0; i < n; i++)
		mmu_give_table(dev, unused[i]);
	pthread_mutex_unlock(&dev->lock);
	free(unused);
}

static int copy_list(struct bind *b)
{
	b->n = b->vm->n;
	b->max = b->n + b->count + 8;
	b->map = malloc(b->max * sizeof(*b->map));
	if (!b->map)
		return -ENOMEM;
	if (b->n)
		memcpy(b->map, b->vm->map, b->n * sizeof(*b->map));
	for (unsigned int i = 0; i < b->n; i++)
		bo_get(b->map[i].bo);
	return 0;
}

static void drop_list(struct mapping *map, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		bo_put(map[i].bo);
	free(map);
}

/* Tables and entries of all operations, when the list is as it will be: 0 or -ENOSPC */
static int write_tables(struct bind *b, uint32_t *failed)
{
	struct device *dev = b->vm->dev;
	int err;

	pthread_mutex_lock(&dev->lock);
	err = prepare(b, failed);
	if (!err)
		commit(b);
	pthread_mutex_unlock(&dev->lock);
	return err;
}

static void install(struct bind *b)
{
	b->vm->map = b->map;
	b->vm->n = b->n;
	b->vm->max = b->max;
}

static int run_all(struct bind *b, uint32_t *failed)
{
	struct mapping *old = b->vm->map;
	unsigned int old_n = b->vm->n;
	int err = copy_list(b);

	if (err)
		return err;
	for (uint32_t i = 0; !err && i < b->count; i++) {
		err = do_op(b, i);
		*failed = err ? i : 0;
	}
	if (!err) {
		err = write_tables(b, failed);
		b->flush &= !err;
		tidy(b, b->count);
	}
	if (err) {
		drop_list(b->map, b->n);
		return err;
	}
	install(b);
	drop_list(old, old_n);
	return 0;
}

/* One operation changes the list in place: with room in it, nothing can fail once tables are written */
static int run_one(struct bind *b)
{
	const struct drm_anpu_vm_bind_op *op = b->ops;
	struct vm *vm = b->vm;
	uint32_t failed;
	unsigned int at;
	int err;

	if (vm->n + 2 > vm->max) {
		struct mapping *list = realloc(vm->map, 2 * (vm->max + 8) * sizeof(*list));

		if (!list)
			return -ENOMEM;
		vm->map = list;
		vm->max = 2 * (vm->max + 8);
	}
	b->map = vm->map;
	b->n = vm->n;
	b->max = vm->max;
	at = first_behind(b, op->va);
	if (op->op == DRM_ANPU_VM_MAP && at < b->n && b->map[at].va < op->va + op->size)
		return -EEXIST;
	err = write_tables(b, &failed);
	if (!err) {
		(void)do_op(b, 0);
		install(b);
	}
	tidy(b, 1);
	return err;
}

static int read_ops(struct bind *b, struct file *file, const struct drm_anpu_array *array, uint32_t *failed)
{
	for (uint32_t i = 0; i < b->count; i++) {
		int err = guard_element(&b->ops[i], sizeof(*b->ops), array, i);

		if (!err)
			err = check_op(b, file, i);
		if (err) {
			*failed = i;
			return err;
		}
	}
	return 0;
}

int vm_bind(struct file *file, void *data)
{
	struct drm_anpu_vm_bind *args = data;
	struct bind b = { .vm = &file->vm, .count = args->ops.count };
	int err;

	if (args->pad)
		return -EINVAL;
	args->failed = 0;
	if (b.count > DRM_ANPU_MAX_BIND_OPS)
		return -E2BIG;
	if (file->dev->wedged)
		return -EIO;
	b.ops = calloc(b.count + 1, sizeof(*b.ops));
	b.bo = calloc(b.count + 1, sizeof(*b.bo));
	err = b.ops && b.bo ? read_ops(&b, file, &args->ops, &args->failed) : -ENOMEM;
	if (!err) {
		pthread_mutex_lock(&b.vm->lock);
		err = b.count == 1 ? run_one(&b) : run_all(&b, &args->failed);
		pthread_mutex_unlock(&b.vm->lock);
	}
	if (!err)
		args->failed = b.count;
	for (uint32_t i = 0; b.bo && i < b.count; i++)
		bo_put(b.bo[i]);
	free(b.ops);
	free(b.bo);
	return err;
}

/* End of an address space that no queue uses any more */
void vm_fini(struct vm *vm)
{
	struct drm_anpu_vm_bind_op all = { .op = DRM_ANPU_VM_UNMAP, .va = VA_START,
					   .size = VA_END - VA_START };
	struct bind b = { .vm = vm, .ops = &all, .count = 1, .flush = true };

	mmu_clear(vm, all.va, all.size);
	tidy(&b, 1);
	drop_list(vm->map, vm->n);
	vm->map = NULL;
	vm->n = 0;
	mmu_space_fini(vm);
	pthread_mutex_destroy(&vm->lock);
}
