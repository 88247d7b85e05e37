/* SPDX-License-Identifier: MIT */
/*
 * The state that Ascend C keeps for a block. A variable of an operator would be one for all blocks, so the
 * lowest ASCENDC_STATE_BYTES of the block's own stack window hold it; they are zero when a block
 * starts. An operator that uses its whole stack of 32 KiB would overwrite it.
 */
#ifndef ASCENDC_CORE_STATE_H
#define ASCENDC_CORE_STATE_H

#include "enums.h"

namespace AscendC {

class TPipe;

namespace detail {

#define ASCENDC_STATE_BYTES	256	/* then variables of the block: scripts/anpucc.d/objects.py */

/* An image in L1 for LoadData(): its size, and padding to the left, right, top and bottom */
struct Image {
	uint16_t height, width;
	uint8_t pad[4];
};

/**
 * struct State - of the block that runs
 * @pipe: the TPipe made last, for GetTPipePtr()
 * @workspace: what SetSysWorkspace() was told, or the kernel's argument of that name
 * @counter: the mask counts elements (SetMaskCount())
 * @count: the number of elements in that mode, of SetVectorMask()
 * @dequant: SetDeqScale() was called with another scale than 1
 * @matmuls: objects of Matmul<> that were initialised; they take turns with the halves of L0C
 * @turn: of WaitPreBlock(): the number of this core's next turn
 * @mutexes: of AllocMutexID(), by bit
 * @mutex: the pipe that had each one last, plus 1; bit 7: has it
 * @deq_word: of SetDeqScale(): the word of one scale, or the address of 16 words
 * @nd_num, @src_nd, @dst_nd: of SetFixpipeNz2ndFlag()
 * @events: flags that are in use, by pair of pipes
 * @images, @image_pad: of SetFmatrix(), for the left and the right matrix, and SetLoadDataPaddingValue()
 * @squeezed: bytes that Squeeze() of registers has made; @last_squeezed: elements of the last one
 * @thread_dim: threads of the VF call that runs, in x, y, z
 * @unwaited: flags of FreeTensor() that no AllocTensor() has waited for, by pair of pipes
 */
struct State {
	TPipe *pipe;
	uint8_t *workspace;
	uint64_t deq_word;
	uint64_t image_pad;
	Image images[2];
	uint32_t counter;
	uint32_t count;
	uint32_t dequant;
	uint16_t nd_num, src_nd, dst_nd;
	uint16_t matmuls;
	uint32_t turn;
	uint32_t mutexes;
	uint32_t thread_dim[3];
	uint32_t squeezed;
	uint32_t last_squeezed;
	uint8_t mutex[32];
	uint8_t events[static_cast<size_t>(HardEvent::MAX)];
	uint8_t unwaited[static_cast<size_t>(HardEvent::MAX)];
};
static_assert(sizeof(State) <= ASCENDC_STATE_BYTES);
static_assert(__builtin_offsetof(State, workspace) == 8);	/* scripts/anpucc.d/thunk.py */

ASCENDC_FN State *state()
{
	return reinterpret_cast<State *>(static_cast<uintptr_t>(ANPU_STACK_BASE));
}

} // namespace detail
} // namespace AscendC

#endif
