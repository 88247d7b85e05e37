// SPDX-License-Identifier: MIT
#ifndef SCALE_ADD_CUSTOM_TILING_H
#define SCALE_ADD_CUSTOM_TILING_H
#include "register/tilingdata_base.h"
#include "tiling/tiling_api.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ScaleAddPart)
  TILING_DATA_FIELD_DEF(uint8_t, hasBias);
  TILING_DATA_FIELD_DEF(uint64_t, total);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ScaleAddPartOp, ScaleAddPart)

BEGIN_TILING_DATA_DEF(ScaleAddCustomTilingData)
  TILING_DATA_FIELD_DEF(uint32_t, tile);
  TILING_DATA_FIELD_DEF(float, scale);
  TILING_DATA_FIELD_DEF_ARR(int16_t, 3, shifts);
  TILING_DATA_FIELD_DEF_STRUCT(ScaleAddPart, part);
  TILING_DATA_FIELD_DEF(uint8_t, last);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ScaleAddCustom, ScaleAddCustomTilingData)
}
#endif
