/* SPDX-License-Identifier: MIT */
/*
 * Sorting of region proposals, as chips have it that lack Sort32(): a proposal is eight elements, x1, y1, x2, y2, score, label and
 * two more. The functions run on the scalar unit.
 */
#ifndef ASCENDC_VECTOR_PROPOSAL_H
#define ASCENDC_VECTOR_PROPOSAL_H

#include "../adv/scratch.h"
#include "sort.h"

namespace AscendC {

namespace detail {

/* Proposals that a repeat of the functions has */
constexpr uint32_t proposals = 16;
enum { proposal_score = 4, proposal_fields = 6 };

template <class T> struct Proposal {
	T field[8];
};

template <class T> ASCENDC_FN Proposal<T> *proposals_at(const LocalTensor<T> &tensor)
{
	static_assert(std::is_same_v<T, float> || std::is_same_v<T, half>, "AscendC: proposals are of float or half");
	return reinterpret_cast<Proposal<T> *>(tensor.GetPhyAddr());
}

template <class T> ASCENDC_FN T *numbers_at(const LocalTensor<T> &tensor)
{
	return reinterpret_cast<T *>(tensor.GetPhyAddr());
}

ASCENDC_FN void check_field(int32_t field)
{
	if (field < 0 || field >= proposal_fields)
		anpu_trap("ProposalConcat, ProposalExtract: the mode is 0 to 5, for x1, y1, x2, y2, score, label");
}

} // namespace detail

/** ProposalConcat() - puts 16 numbers per repeat into a field of as many proposals: 0 to 5, x1, y1, x2, y2, score, label */
template <class T>
ASCENDC_FN void ProposalConcat(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeatTimes, const int32_t modeNumber)
{
	detail::Proposal<T> *to = detail::proposals_at(dst);
	const T *from = detail::numbers_at(src);

	detail::check_field(modeNumber);
	detail::settle();
	for (uint32_t i = 0; i < uint32_t(repeatTimes) * detail::proposals; i++)
		to[i].field[modeNumber] = from[i];
	detail::settle();
}

/** ProposalExtract() - the numbers of a field of 16 proposals per repeat */
template <class T>
ASCENDC_FN void ProposalExtract(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeatTimes, const int32_t modeNumber)
{
	const detail::Proposal<T> *from = detail::proposals_at(src);
	T *to = detail::numbers_at(dst);

	detail::check_field(modeNumber);
	detail::settle();
	for (uint32_t i = 0; i < uint32_t(repeatTimes) * detail::proposals; i++)
		to[i] = from[i].field[modeNumber];
	detail::settle();
}

/** Concat() and Extract() with the number of a field: older names of ProposalConcat() and ProposalExtract() */
template <class T>
ASCENDC_FN void Concat(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeatTimes, const int32_t modeNumber)
{
	ProposalConcat(dst, src, repeatTimes, modeNumber);
}

template <class T>
ASCENDC_FN void Extract(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeatTimes, const int32_t modeNumber)
{
	ProposalExtract(dst, src, repeatTimes, modeNumber);
}

/** RpSort16() - each 16 proposals in descending order of their scores; equal ones keep their order */
template <class T> ASCENDC_FN void RpSort16(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeatTimes)
{
	const detail::Proposal<T> *from = detail::proposals_at(src);
	detail::Proposal<T> *to = detail::proposals_at(dst);

	detail::settle();
	for (uint32_t i = 0; i < uint32_t(repeatTimes) * detail::proposals; i++) {
		detail::Proposal<T> moved = from[i];
		uint32_t at = i;

		for (; at % detail::proposals && to[at - 1].field[detail::proposal_score] < moved.field[detail::proposal_score]; at--)
			to[at] = to[at - 1];
		to[at] = moved;
	}
	detail::settle();
}

namespace detail {

/* Merges lists of proposals; taken becomes how many of each list are in the result, which has their sum. */
template <class T>
ASCENDC_FN uint32_t merge_proposals(Proposal<T> *to, const Proposal<T> *const list[4], const uint32_t length[4], bool suspends,
				    uint32_t taken[4])
{
	uint32_t total = 0, exhausted = 0;

	while (!exhausted || !suspends) {
		int best = -1;

		for (int i = 0; i < 4; i++)
			if (taken[i] < length[i] && (best < 0 || list[best][taken[best]].field[proposal_score] <
						     list[i][taken[i]].field[proposal_score]))
				best = i;
		if (best < 0)
			break;
		to[total++] = list[best][taken[best]++];
		exhausted = taken[best] == length[best];
	}
	return total;
}

} // namespace detail

/**
 * MrgSort4() - merges up to four lists of proposals that are sorted in descending order; of equal scores the lower list's comes first.
 * With repeats the sets of lists follow each other. GetMrgSortResult() says how many of each list were taken.
 */
template <class T> ASCENDC_FN void MrgSort4(const LocalTensor<T> &dst, const MrgSortSrcList<T> &src, const MrgSort4Info &params)
{
	const LocalTensor<T> *lists[4] = {&src.src1, &src.src2, &src.src3, &src.src4};
	uint32_t length[4] = {}, taken[4] = {}, set = 0;

	detail::settle();
	for (int i = 0; i < 4; i++) {
		length[i] = params.validBit >> i & 1 ? params.elementLengths[i] : 0;
		set += length[i];
	}
	for (uint32_t r = 0; r < params.repeatTimes; r++) {
		const detail::Proposal<T> *from[4] = {};

		for (int i = 0; i < 4; i++) {
			taken[i] = 0;
			from[i] = length[i] ? detail::proposals_at(*lists[i]) + r * set : nullptr;
		}
		detail::merge_proposals(detail::proposals_at(dst) + r * set, from, length, params.ifExhaustedSuspension, taken);
	}
	anpu_set_csr_vcount(taken[0] | taken[1] << 16 | uint64_t(taken[2]) << 32 | uint64_t(taken[3]) << 48);
	detail::settle();
}

} // namespace AscendC

#endif
