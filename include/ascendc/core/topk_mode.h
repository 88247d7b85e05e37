/* SPDX-License-Identifier: MIT */
/* For the AI core and for op_host: where TopK() writes its rows. */
#ifndef ASCENDC_CORE_TOPK_MODE_H
#define ASCENDC_CORE_TOPK_MODE_H

namespace AscendC {

enum class TopKMode { TOPK_NORMAL, TOPK_NSMALL };

} // namespace AscendC

#endif
