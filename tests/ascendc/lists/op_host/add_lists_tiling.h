/* SPDX-License-Identifier: MIT */
#ifndef ADD_LISTS_TILING_H
#define ADD_LISTS_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {
constexpr static int LONGEST_LIST = 4;
BEGIN_TILING_DATA_DEF(AddListsTilingData)
TILING_DATA_FIELD_DEF(uint32_t, count);
TILING_DATA_FIELD_DEF_ARR(int64_t, LONGEST_LIST, sizes);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(AddLists, AddListsTilingData)
}

#endif
