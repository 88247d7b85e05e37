/* SPDX-License-Identifier: MIT */
/* Where newer programs ask for memory of equal size on all ranks, HcclCommSymWinRegister(): it is in hccl.h with the rest */
#ifndef HCCL_SYM_WIN_H_
#define HCCL_SYM_WIN_H_

#include <hccl/hccl.h>

#endif /* HCCL_SYM_WIN_H_ */
