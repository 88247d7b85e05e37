// SPDX-License-Identifier: MIT
/*
 * The engine's part for a server of several processes: memory in files that are safe to give to another process,
 * mappings made by a client, and the end of a client's process.
 *
 * A client gets files of its own objects and of its streams' pages, and nothing else. Seals keep the size
 * as it is, so nobody can take pages away under the device, and keep status pages from being written.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "direct.h"
#include "remote/protocol.h"

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE	0x0010
#endif

#define SIZE_SEALS	(F_SEAL_SHRINK | F_SEAL_GROW)

bool shared_device;

int shared_file(const char *name, uint64_t size)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -errno;
	if (!ftruncate(fd, size) && !fcntl(fd, F_ADD_SEALS, SIZE_SEALS))
		return fd;
	close(fd);
	return -ENOMEM;
}

int shared_file_end_writing(int fd)
{
	return fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) ? -errno : 0;
}

uint64_t shared_file_size(int fd, bool *hbm)
{
	char path[64], name[64] = "";
	int seals = fcntl(fd, F_GET_SEALS);
	struct statfs fs;
	struct stat st;

	/* huge pages, which may run out at any access, are in another file system */
	if (seals < 0 || (seals & SIZE_SEALS) != SIZE_SEALS || fstatfs(fd, &fs) || fs.f_type != TMPFS_MAGIC ||
	    fstat(fd, &st) || st.st_size <= 0 || !aligned(st.st_size, PAGE))
		return 0;
	copy_text(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (readlink(path, name, sizeof(name) - 1) < 0)
		return 0;
	*hbm = !strncmp(name, "/memfd:anpu-hbm ", 16);
	return *hbm || !strncmp(name, "/memfd:anpu-system ", 19) ? st.st_size : 0;
}

/*
 * Files in memory only: one on disk, or of a file system that a process serves, could make a thread of the
 * device wait without an end. A file that shrinks under the device is a fault of the task that uses it.
 */
static int check_piece(const struct bo *bo, const struct anpu_piece *piece, int file)
{
	struct statfs fs;
	struct stat st;

	if (bo->type != DRM_ANPU_BO_USERPTR || piece->pad || !piece->size ||
	    !aligned(piece->offset | piece->at | piece->size, PAGE) || piece->offset > bo->size ||
	    piece->size > bo->size - piece->offset || piece->at > INT64_MAX || piece->size > INT64_MAX - piece->at)
		return -EINVAL;
	if (file < 0)
		return -EBADF;
	if (fstat(file, &st) || !S_ISREG(st.st_mode) || fstatfs(file, &fs) || fs.f_type != TMPFS_MAGIC)
		return -EOPNOTSUPP;
	return 0;
}

int bo_piece(struct bo *bo, const struct anpu_piece *piece, int file)
{
	int prot = bo->flags & DRM_ANPU_BO_READONLY ? PROT_READ : PROT_READ | PROT_WRITE;
	int err = check_piece(bo, piece, file);
	void *p;

	if (err)
		return err;
	/* mapped elsewhere first, as a mapping that cannot be made would leave a hole that others fill */
	p = mmap(NULL, piece->size, prot, MAP_SHARED | MAP_NORESERVE, file, piece->at);
	if (p == MAP_FAILED)
		return -errno;
	if (mremap(p, piece->size, piece->size, MREMAP_MAYMOVE | MREMAP_FIXED, bo->cpu + piece->offset) != MAP_FAILED)
		return 0;
	err = -errno;
	bo->torn = true;
	munmap(p, piece->size);
	return err;
}
