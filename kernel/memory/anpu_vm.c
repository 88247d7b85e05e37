// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Address spaces: which range shows what, and VM_BIND.
 *
 * A bind changes the tree of mappings first and keeps what it takes to undo that; it makes page
 * tables; only when nothing can fail any more it writes them.
 */
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "anpu_bo.h"
#include "anpu_mmu.h"
#include "anpu_peer.h"
#include "anpu_vm.h"
#include "device/anpu_device.h"
#include "device/anpu_drv.h"
#include "diag/anpu_trace.h"
#include "reset/anpu_pm.h"

/**
 * struct anpu_bind - a VM_BIND under way
 * @vm: address space
 * @ops: operations
 * @bos: their objects; of equal ones in a row the first is a reference
 * @spare: mappings that operations can use
 * @n_spare: how many are left
 * @last: the newest mapping, if nothing was removed since
 * @next: what follows @last in the address space, or NULL
 * @count: of operations
 * @added: mappings that were not there before
 * @removed: mappings that were
 * @flush: the device may know something that is not true any more
 */
struct anpu_bind {
	struct anpu_vm *vm;
	struct drm_anpu_vm_bind_op *ops;
	struct anpu_bo **bos;
	struct anpu_mapping **spare;
	u32 n_spare;
	struct anpu_mapping *last;
	struct anpu_mapping *next;
	u32 count;
	struct list_head added;
	struct list_head removed;
	bool flush;
};

/* Mappings ------------------------------------------------------------------------------------- */

static struct kmem_cache *anpu_mapping_cache;

static u64 anpu_mapping_size(const struct anpu_mapping *mapping)
{
	return mapping->last - mapping->va + 1;
}

static struct anpu_mapping *to_anpu_mapping(struct rb_node *node)
{
	return rb_entry_safe(node, struct anpu_mapping, rb);
}

static void anpu_mapping_link(struct anpu_vm *vm, struct anpu_mapping *mapping,
			      struct rb_node *parent, struct rb_node **link)
{
	rb_link_node(&mapping->rb, parent, link);
	rb_insert_color(&mapping->rb, &vm->mappings);
	vm->mapped += anpu_mapping_size(mapping);
}

static void anpu_mapping_insert(struct anpu_vm *vm, struct anpu_mapping *mapping)
{
	struct rb_node **link = &vm->mappings.rb_node, *parent = NULL;

	while (*link) {
		parent = *link;
		link = mapping->va < to_anpu_mapping(parent)->va ? &parent->rb_left :
								    &parent->rb_right;
	}
	anpu_mapping_link(vm, mapping, parent, link);
}

static void anpu_mapping_remove(struct anpu_vm *vm, struct anpu_mapping *mapping)
{
	rb_erase(&mapping->rb, &vm->mappings);
	vm->mapped -= anpu_mapping_size(mapping);
}

/*
 * From now on the mapping is found when its object is revoked. False if that has happened already,
 * but a @part of a mapping may be in the list as long as that is.
 */
static bool anpu_mapping_show(struct anpu_mapping *mapping, bool part)
{
	struct anpu_bo *bo = mapping->bo;

	if (bo->type != ANPU_BO_PEER)
		return true;
	guard(spinlock)(&mapping->vm->adev->peer_lock);
	if (!part && !bo->live)
		return false;
	list_add(&mapping->bo_link, &bo->mappings);
	return true;
}

/* The device has forgotten the mapping. */
static void anpu_mapping_hide(struct anpu_mapping *mapping)
{
	if (mapping->bo->type != ANPU_BO_PEER)
		return;
	guard(spinlock)(&mapping->vm->adev->peer_lock);
	list_del_init(&mapping->bo_link);
}

/*
 * If it can be the object's last reference, not under anpu_vm.lock: revocation takes that while it
 * holds locks that the end of an imported object needs.
 */
static void anpu_mapping_free(struct anpu_mapping *mapping)
{
	anpu_mapping_hide(mapping);
	anpu_bo_put(mapping->bo);
	kmem_cache_free(anpu_mapping_cache, mapping);
}

/* The first mapping that has a part of the range. */
static struct anpu_mapping *anpu_mapping_find(struct anpu_vm *vm, u64 va, u64 size)
{
	struct rb_node *node = vm->mappings.rb_node;
	struct anpu_mapping *found = NULL;

	while (node) {
		struct anpu_mapping *mapping = to_anpu_mapping(node);

		if (mapping->last < va) {
			node = node->rb_right;
		} else {
			found = mapping;
			node = node->rb_left;
		}
	}
	return found && found->va <= va + size - 1 ? found : NULL;
}

/* Is a range behind the newest mapping and before the next one? Large binds go upwards. */
static bool anpu_bind_follows(struct anpu_bind *bind, u64 va, u64 size)
{
	return bind->last && va > bind->last->last &&
	       (!bind->next || bind->next->va > va + size - 1);
}

static void anpu_bind_insert(struct anpu_bind *bind, struct anpu_mapping *mapping)
{
	if (anpu_bind_follows(bind, mapping->va, anpu_mapping_size(mapping))) {
		struct rb_node *parent = &bind->last->rb, **link = &parent->rb_right;

		/* The next mapping is then the leftmost below this one. */
		if (*link) {
			parent = &bind->next->rb;
			link = &parent->rb_left;
		}
		anpu_mapping_link(bind->vm, mapping, parent, link);
	} else {
		anpu_mapping_insert(bind->vm, mapping);
		bind->next = to_anpu_mapping(rb_next(&mapping->rb));
	}
	bind->last = mapping;
}

/* @whole: the mapping that this one is a part of, or NULL */
static int anpu_bind_add(struct anpu_bind *bind, u64 va, u64 size, struct anpu_bo *bo, u64 offset,
			 u32 flags, struct anpu_mapping *whole)
{
	struct anpu_mapping *mapping;

	if (bind->n_spare)
		mapping = bind->spare[--bind->n_spare];
	else
		mapping = kmem_cache_alloc(anpu_mapping_cache, GFP_KERNEL_ACCOUNT);
	if (!mapping)
		return -ENOMEM;
	mapping->va = va;
	mapping->last = va + size - 1;
	mapping->bind = bind->vm->binds;
	mapping->fresh = !whole || (whole->bind == bind->vm->binds && whole->fresh);
	mapping->offset = offset;
	mapping->flags = flags;
	mapping->vm = bind->vm;
	mapping->bo = bo;
	INIT_LIST_HEAD(&mapping->bo_link);
	if ((!whole || !list_empty(&whole->bo_link)) && !anpu_mapping_show(mapping, whole)) {
		kmem_cache_free(anpu_mapping_cache, mapping);
		return -EBUSY;
	}
	drm_gem_object_get(&bo->base);
	anpu_bind_insert(bind, mapping);
	list_add_tail(&mapping->link, &bind->added);
	return 0;
}

/* Takes a mapping out. A mapping of this bind vanishes, an older one may come back. */
static void anpu_bind_remove(struct anpu_bind *bind, struct anpu_mapping *mapping)
{
	anpu_mapping_remove(bind->vm, mapping);
	bind->last = NULL;
	if (mapping->bind == bind->vm->binds) {
		list_del(&mapping->link);
		anpu_mapping_free(mapping);
	} else {
		list_add(&mapping->link, &bind->removed);
	}
	bind->flush = true;
}

/* Takes a range out of all mappings; the parts of them outside of it stay. */
static int anpu_bind_cut(struct anpu_bind *bind, u64 va, u64 size)
{
	struct anpu_mapping *mapping = anpu_mapping_find(bind->vm, va, size), *next;
	u64 last = va + size - 1;

	for (; mapping && mapping->va <= last; mapping = next) {
		struct anpu_bo *bo = mapping->bo;
		u64 start = mapping->va, end = mapping->last;
		int ret = 0;

		next = to_anpu_mapping(rb_next(&mapping->rb));
		/*
		 * The parts are linked first, which may fail: that they overlap the whole does no
		 * harm.
		 */
		if (start < va)
			ret = anpu_bind_add(bind, start, va - start, bo, mapping->offset,
					    mapping->flags, mapping);
		if (!ret && end > last)
			ret = anpu_bind_add(bind, last + 1, end - last, bo,
					    mapping->offset + (last + 1 - start), mapping->flags,
					    mapping);
		if (ret)
			return ret;
		anpu_bind_remove(bind, mapping);
	}
	return 0;
}

static void anpu_bind_undo(struct anpu_bind *bind)
{
	struct anpu_mapping *mapping, *next;

	list_for_each_entry_safe(mapping, next, &bind->added, link) {
		anpu_mapping_remove(bind->vm, mapping);
		anpu_mapping_free(mapping);
	}
	list_for_each_entry(mapping, &bind->removed, link)
		anpu_mapping_insert(bind->vm, mapping);
	INIT_LIST_HEAD(&bind->removed);
}

/* VM_BIND -------------------------------------------------------------------------------------- */

/*
 * Finds the object of an operation; the operation before has a reference if it is the same object.
 */
static int anpu_bind_object(struct anpu_bind *bind, struct drm_file *drm_file, u32 i)
{
	const struct drm_anpu_vm_bind_op *op = &bind->ops[i];
	struct anpu_bo *before = i ? bind->bos[i - 1] : NULL;

	if (before && op->op != DRM_ANPU_VM_UNMAP && op->handle == op[-1].handle) {
		bind->bos[i] = before;
		return 0;
	}
	bind->bos[i] = anpu_bo_lookup(drm_file, op->handle);
	if (!bind->bos[i])
		return -ENOENT;
	/* The same object by another handle: the reference of the operation before is enough. */
	if (bind->bos[i] == before)
		anpu_bo_put(before);
	return 0;
}

static int anpu_bind_check(struct anpu_bind *bind, struct drm_file *drm_file, u32 i)
{
	const struct drm_anpu_vm_bind_op *op = &bind->ops[i];
	const u32 known = DRM_ANPU_VM_READ | DRM_ANPU_VM_WRITE | DRM_ANPU_VM_EXEC;
	struct anpu_bo *bo;
	int ret;

	if (op->pad || !op->size || !PAGE_ALIGNED(op->va | op->size | op->offset) ||
	    op->va < ANPU_VA_START || op->va >= ANPU_VA_END || op->size > ANPU_VA_END - op->va)
		return -EINVAL;
	if (op->op == DRM_ANPU_VM_UNMAP)
		return op->flags || op->handle || op->offset ? -EINVAL : 0;
	if (op->op != DRM_ANPU_VM_MAP && op->op != DRM_ANPU_VM_REPLACE)
		return -EINVAL;
	if (op->flags & ~known || !(op->flags & DRM_ANPU_VM_READ) ||
	    (op->flags & DRM_ANPU_VM_WRITE && op->flags & DRM_ANPU_VM_EXEC))
		return -EINVAL;

	ret = anpu_bind_object(bind, drm_file, i);
	if (ret)
		return ret;
	bo = bind->bos[i];
	if (op->offset > bo->base.size || op->size > bo->base.size - op->offset)
		return -EINVAL;
	if (op->flags & DRM_ANPU_VM_WRITE && bo->flags & DRM_ANPU_BO_READONLY)
		return -EACCES;
	return anpu_import_validate(bo);
}

/* Is any mapping in the range? */
static bool anpu_bind_mapped(struct anpu_bind *bind, u64 va, u64 size)
{
	return !anpu_bind_follows(bind, va, size) && anpu_mapping_find(bind->vm, va, size);
}

static int anpu_bind_op(struct anpu_bind *bind, const struct drm_anpu_vm_bind_op *op,
			struct anpu_bo *bo)
{
	int ret;

	if (fatal_signal_pending(current))
		return -EINTR;
	if (op->op == DRM_ANPU_VM_MAP) {
		if (anpu_bind_mapped(bind, op->va, op->size))
			return -EEXIST;
	} else {
		ret = anpu_bind_cut(bind, op->va, op->size);
		if (ret)
			return ret;
	}
	if (op->op != DRM_ANPU_VM_UNMAP) {
		ret = anpu_bind_add(bind, op->va, op->size, bo, op->offset, op->flags, NULL);
		if (ret)
			return ret;
	}
	return anpu_mmu_prepare(bind->vm, op->va, op->size, bo, op->offset);
}

static void anpu_mapping_write(const struct anpu_mapping *mapping)
{
	anpu_mmu_map(mapping->vm, mapping->va, anpu_mapping_size(mapping), mapping->bo,
		     mapping->offset, mapping->flags);
}

/* Clears the entries of a mapping that was removed, but for the parts that stay. */
static void anpu_bind_clear(struct anpu_vm *vm, const struct anpu_mapping *old)
{
	struct anpu_mapping *part = anpu_mapping_find(vm, old->va, anpu_mapping_size(old));
	u64 at = old->va;

	for (; part && part->va <= old->last; part = to_anpu_mapping(rb_next(&part->rb))) {
		if (part->fresh)
			continue;
		if (part->va > at)
			anpu_mmu_clear(vm, at, part->va - at);
		at = part->last + 1;
	}
	if (at <= old->last)
		anpu_mmu_clear(vm, at, old->last + 1 - at);
}

/*
 * Cannot fail. When it is done the device uses nothing that was unmapped. Mappings that a later
 * operation of the same bind has replaced are never written: the time depends on the outcome.
 */
static void anpu_bind_commit(struct anpu_bind *bind)
{
	struct anpu_mapping *mapping;
	LIST_HEAD(unused);

	list_for_each_entry(mapping, &bind->removed, link)
		anpu_bind_clear(bind->vm, mapping);
	list_for_each_entry(mapping, &bind->added, link) {
		if (mapping->fresh)
			anpu_mapping_write(mapping);
	}
	for (u32 i = 0; i < bind->count; i++) {
		const struct drm_anpu_vm_bind_op *op = &bind->ops[i];

		trace_anpu_bind(bind->vm, op);
		/* MAP has filled the tables that it prepared: none of them is empty. */
		if (op->op != DRM_ANPU_VM_MAP)
			anpu_mmu_prune(bind->vm, op->va, op->size, &unused);
	}
	if (bind->flush || !list_empty(&unused))
		anpu_mmu_flush(bind->vm->adev, bind->vm->asid);
	anpu_mmu_free_tables(bind->vm, &unused);

	/* Their objects are let go of without the lock. */
	list_for_each_entry(mapping, &bind->removed, link)
		anpu_mapping_hide(mapping);
}

static void anpu_bind_abort(struct anpu_bind *bind, u32 tried)
{
	LIST_HEAD(unused);

	anpu_bind_undo(bind);
	for (u32 i = 0; i < tried; i++)
		anpu_mmu_prune(bind->vm, bind->ops[i].va, bind->ops[i].size, &unused);
	/* The device may have walked through the empty tables. */
	if (!list_empty(&unused))
		anpu_mmu_flush(bind->vm->adev, bind->vm->asid);
	anpu_mmu_free_tables(bind->vm, &unused);
}

static int anpu_bind_run(struct anpu_bind *bind, u32 *failed)
{
	guard(mutex)(&bind->vm->lock);
	bind->vm->binds++;
	for (u32 i = 0; i < bind->count; i++) {
		int ret = anpu_bind_op(bind, &bind->ops[i], bind->bos[i]);

		if (ret) {
			*failed = i;
			anpu_bind_abort(bind, i + 1);
			return ret;
		}
	}
	anpu_bind_commit(bind);
	return 0;
}

/* @copied: how many operations could be read; return: why not all */
static int anpu_bind_copy(struct anpu_bind *bind, const struct drm_anpu_array *array, u32 *copied)
{
	size_t size = sizeof(*bind->ops);
	int ret = 0;

	/* Reads all operations in one go; if that fails, one by one, to tell which one failed. */
	*copied = bind->count;
	if (array->stride == size &&
	    !copy_from_user(bind->ops, u64_to_user_ptr(array->array), size * bind->count))
		return 0;
	for (*copied = 0; *copied < bind->count; ++*copied) {
		ret = anpu_copy_element(&bind->ops[*copied], size, array, *copied);
		if (ret)
			break;
	}
	return ret;
}

/* @copied, @error: what anpu_bind_copy() said; an earlier operation that is refused comes first */
static int anpu_bind_check_all(struct anpu_bind *bind, struct drm_file *drm_file, u32 copied,
			       int error, u32 *failed)
{
	for (u32 i = 0; i < bind->count; i++) {
		int ret = i < copied ? anpu_bind_check(bind, drm_file, i) : error;

		if (ret) {
			*failed = i;
			drm_dbg_driver(drm_file->minor->dev, "VM_BIND: operation %u refused: %d\n",
				       i, ret);
			return ret;
		}
	}
	return 0;
}

static int anpu_bind_alloc(struct anpu_bind *bind)
{
	bind->ops = kvcalloc(bind->count, sizeof(*bind->ops), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	bind->bos = kvcalloc(bind->count, sizeof(*bind->bos), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	return bind->ops && bind->bos ? 0 : -ENOMEM;
}

/* One allocation for all mappings costs a fraction of one for each. */
static int anpu_bind_spare(struct anpu_bind *bind)
{
	u32 maps = 0;

	for (u32 i = 0; i < bind->count; i++)
		maps += bind->ops[i].op != DRM_ANPU_VM_UNMAP;
	if (maps < 2)
		return 0;
	bind->spare = kvmalloc_array(maps, sizeof(*bind->spare),
				     GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!bind->spare)
		return -ENOMEM;
	bind->n_spare = kmem_cache_alloc_bulk(anpu_mapping_cache, GFP_KERNEL_ACCOUNT, maps,
					      (void **)bind->spare);
	return bind->n_spare ? 0 : -ENOMEM;
}

static void anpu_bind_free(struct anpu_bind *bind)
{
	struct anpu_mapping *mapping, *next;

	list_for_each_entry_safe(mapping, next, &bind->removed, link)
		anpu_mapping_free(mapping);
	for (u32 i = 0; bind->bos && i < bind->count; i++) {
		if (!i || bind->bos[i] != bind->bos[i - 1])
			anpu_bo_put(bind->bos[i]);
	}
	if (bind->n_spare)
		kmem_cache_free_bulk(anpu_mapping_cache, bind->n_spare, (void **)bind->spare);
	kvfree(bind->spare);
	kvfree(bind->bos);
	kvfree(bind->ops);
}

/* The part that needs the device, after everything was read from the process's memory */
static int anpu_bind_present(struct anpu_bind *bind, struct drm_file *drm_file, u32 copied,
			     int error, u32 *failed)
{
	struct anpu_device *adev = bind->vm->adev;
	int ret;

	CLASS(anpu_presence, presence)(adev);
	CLASS(anpu_enter, idx)(&adev->drm);
	if (idx < 0)
		return idx;
	if (anpu_cut_off(adev))
		return anpu_dead_error(adev);
	ret = anpu_bind_check_all(bind, drm_file, copied, error, failed);
	if (!ret)
		ret = anpu_bind_spare(bind);
	return ret ?: anpu_bind_run(bind, failed);
}

int anpu_vm_bind_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	struct drm_anpu_vm_bind *args = data;
	struct anpu_bind bind = {
		.vm = to_anpu_file(drm_file)->vm,
		.count = args->ops.count,
		.added = LIST_HEAD_INIT(bind.added),
		.removed = LIST_HEAD_INIT(bind.removed),
	};
	u32 copied;
	int ret;

	if (args->pad)
		return -EINVAL;
	args->failed = 0;
	if (bind.count > DRM_ANPU_MAX_BIND_OPS)
		return -E2BIG;

	ret = anpu_bind_alloc(&bind);
	if (!ret) {
		ret = anpu_bind_copy(&bind, &args->ops, &copied);
		ret = anpu_bind_present(&bind, drm_file, copied, ret, &args->failed);
	}
	if (!ret)
		args->failed = bind.count;
	anpu_bind_free(&bind);
	return ret;
}

/* Revoked mappings are still in the tree, without memory behind them. */
static bool anpu_mapping_shown(struct anpu_mapping *mapping)
{
	if (mapping->bo->type != ANPU_BO_PEER)
		return true;
	guard(spinlock)(&mapping->vm->adev->peer_lock);
	return !list_empty(&mapping->bo_link);
}

/**
 * anpu_vm_restore() - write the page tables of an address space anew
 * @vm: address space, which no queue uses
 *
 * They are what its mappings say, whatever happened to them in HBM.
 */
void anpu_vm_restore(struct anpu_vm *vm)
{
	guard(mutex)(&vm->lock);
	anpu_mmu_restore(vm);
	for (struct rb_node *node = rb_first(&vm->mappings); node; node = rb_next(node)) {
		struct anpu_mapping *mapping = to_anpu_mapping(node);

		if (anpu_mapping_shown(mapping))
			anpu_mapping_write(mapping);
	}
}

/**
 * anpu_vm_zap() - clear the entries of an object that was revoked; its mappings stay, empty
 * @vm: address space
 * @bo: PEER object
 * @flush: the device may know the entries
 */
void anpu_vm_zap(struct anpu_vm *vm, struct anpu_bo *bo, bool flush)
{
	struct rb_node *node;
	LIST_HEAD(unused);

	guard(mutex)(&vm->lock);
	for (node = rb_first(&vm->mappings); node; node = rb_next(node)) {
		struct anpu_mapping *mapping = to_anpu_mapping(node);

		cond_resched();
		if (mapping->bo != bo || list_empty(&mapping->bo_link))
			continue;
		anpu_mapping_hide(mapping);
		anpu_mmu_clear(vm, mapping->va, anpu_mapping_size(mapping));
		anpu_mmu_prune(vm, mapping->va, anpu_mapping_size(mapping), &unused);
	}
	if (flush)
		anpu_mmu_flush(vm->adev, vm->asid);
	anpu_mmu_free_tables(vm, &unused);
}

static const char *anpu_mapping_type(const struct anpu_mapping *mapping)
{
	static const char * const types[] = { "hbm", "system", "userptr" };
	u32 type = mapping->bo->type;

	if (type < ARRAY_SIZE(types))
		return types[type];
	if (type != ANPU_BO_PEER)
		return "imported";
	return list_empty(&mapping->bo_link) ? "revoked" : "peer";
}

/**
 * anpu_vm_print() - print the mappings of an address space
 * @vm: address space
 * @p: printer
 * @max: mappings to print at most
 */
void anpu_vm_print(struct anpu_vm *vm, struct drm_printer *p, unsigned long max)
{
	struct anpu_mapping *mapping;
	u64 at = 0;

	/*
	 * The address space's owner may wait for a reset, which waits for the list that is walked
	 * here.
	 */
	if (!mutex_trylock(&vm->lock)) {
		drm_printf(p, "asid %u: busy\n", vm->asid);
		return;
	}
	drm_printf(p, "asid %u: mapped %llu, page tables %u, top at %#llx\n", vm->asid,
		   vm->mapped, vm->tables, vm->root->addr);
	while (at < ANPU_VA_END && (mapping = anpu_mapping_find(vm, at, ANPU_VA_END - at))) {
		if (!max--) {
			drm_puts(p, "  and more\n");
			break;
		}
		drm_printf(p, "  %012llx-%012llx %c%c%c %s + %#llx\n", mapping->va,
			   mapping->last + 1, mapping->flags & DRM_ANPU_VM_READ ? 'r' : '-',
			   mapping->flags & DRM_ANPU_VM_WRITE ? 'w' : '-',
			   mapping->flags & DRM_ANPU_VM_EXEC ? 'x' : '-',
			   anpu_mapping_type(mapping), mapping->offset);
		at = mapping->last + 1;
	}
	mutex_unlock(&vm->lock);
}

/* Init and fini -------------------------------------------------------------------------------- */

/**
 * anpu_vm_module_init() - what all address spaces share
 *
 * Return: 0 or -ENOMEM.
 */
int anpu_vm_module_init(void)
{
	anpu_mapping_cache = KMEM_CACHE(anpu_mapping, SLAB_ACCOUNT);
	return anpu_mapping_cache ? 0 : -ENOMEM;
}

/** anpu_vm_module_fini() - when no address space is left */
void anpu_vm_module_fini(void)
{
	kmem_cache_destroy(anpu_mapping_cache);
}

/**
 * anpu_vm_create() - make an empty address space
 * @adev: device, in a section of anpu_enter()
 * @user: who pays for its page tables
 *
 * Return: the address space, or an error pointer: -ENOSPC if the device has no more.
 */
struct anpu_vm *anpu_vm_create(struct anpu_device *adev, struct anpu_user *user)
{
	struct anpu_vm *vm = kzalloc(sizeof(*vm), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!vm)
		return ERR_PTR(-ENOMEM);
	vm->adev = adev;
	vm->user = user;
	vm->mappings = RB_ROOT;
	mutex_init(&vm->lock);
	ret = anpu_mmu_init(vm);
	if (ret) {
		kfree(vm);
		return ERR_PTR(ret);
	}
	return vm;
}

/**
 * anpu_vm_destroy() - end of an address space that no queue uses any more
 * @vm: address space
 */
void anpu_vm_destroy(struct anpu_vm *vm)
{
	struct anpu_mapping *mapping;
	struct rb_node *node;

	/* After this, revocation of an object does not find this address space any more. */
	scoped_guard(mutex, &vm->adev->import_lock) {
		for (node = rb_first(&vm->mappings); node; node = rb_next(node))
			anpu_mapping_hide(to_anpu_mapping(node));
	}
	/* The device forgets the address space first, then its memory is free for others. */
	anpu_mmu_fini(vm);
	while ((mapping = anpu_mapping_find(vm, 0, ANPU_VA_END))) {
		anpu_mapping_remove(vm, mapping);
		anpu_mapping_free(mapping);
		cond_resched();
	}
	mutex_destroy(&vm->lock);
	kfree(vm);
}
