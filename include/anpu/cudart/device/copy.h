/* SPDX-License-Identifier: MIT */
/* Copies by the threads of a group, and the sizes that tell what addresses are multiples of. */
#pragma once

template <class Word> static inline void anpu_copy_words(void *to, const void *from, size_t n, size_t rank, size_t threads)
{
	for (size_t i = rank; i < n; i += threads)
		((Word *)to)[i] = ((const Word *)from)[i];
}

/* Thread @rank of @threads copies its share of @bytes: every @threads-th word, which is as large as both addresses and the size allow */
static inline void anpu_copy_part(void *to, const void *from, size_t bytes, size_t rank, size_t threads)
{
	uintptr_t all = (uintptr_t)to | (uintptr_t)from | bytes;

	if (!(all & 15))
		anpu_copy_words<uint4>(to, from, bytes / 16, rank, threads);
	else if (!(all & 7))
		anpu_copy_words<uint64_t>(to, from, bytes / 8, rank, threads);
	else if (!(all & 3))
		anpu_copy_words<uint32_t>(to, from, bytes / 4, rank, threads);
	else
		anpu_copy_words<uint8_t>(to, from, bytes, rank, threads);
}

namespace cuda {
template <size_t Alignment> struct aligned_size_t {
	static constexpr size_t align = Alignment;
	size_t value;
	explicit constexpr aligned_size_t(size_t size) : value(size) {}
	constexpr operator size_t() const { return value; }
};
} /* namespace cuda */
