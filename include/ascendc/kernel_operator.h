/* SPDX-License-Identifier: MIT */
/*
 * Ascend C: the language in which operators are written, over the tile operations of the AI core.
 * Documentation/ascendc.md is the manual, with a table of what exists.
 */
#ifndef ASCENDC_KERNEL_OPERATOR_H
#define ASCENDC_KERNEL_OPERATOR_H

#include "adv/interpolate.h"
#include "adv/logic.h"
#include "adv/math.h"
#include "adv/mixed.h"
#include "adv/norm.h"
#include "adv/quantize.h"
#include "adv/random.h"
#include "adv/reduce.h"
#include "adv/refused.h"
#include "adv/rows.h"
#include "adv/shape.h"
#include "adv/topk.h"
#include "adv/transdata.h"
#include "adv/softmax.h"
#include "adv/sort.h"
#include "core/blocks.h"
#include "core/builtins.h"
#include "core/debug.h"
#include "core/layout.h"
#include "core/list.h"
#include "core/math.h"
#include "core/pipe.h"
#include "core/queue.h"
#include "core/sync.h"
#include "core/tiling.h"
#include "cube/fixpipe.h"
#include "cube/image.h"
#include "cube/load.h"
#include "cube/mmad.h"
#include "move/atomic.h"
#include "move/copy.h"
#include "move/dimensions.h"
#include "move/pad.h"
#include "reg/arrange.h"
#include "simt/thread.h"
#ifdef ANPU_SIMT_NAMES
#include "simt/names.h"
#endif
#ifdef ANPU_RAW_NAMES
#include "vector/builtins.h"
#endif
#include "vector/binary.h"
#include "vector/cast.h"
#include "vector/compare.h"
#include "vector/dequant.h"
#include "vector/flexible.h"
#include "vector/fused.h"
#include "vector/gather.h"
#include "vector/mask.h"
#include "vector/proposal.h"
#include "vector/reduce.h"
#include "vector/scalar.h"
#include "vector/sort.h"
#include "vector/transpose.h"
#include "vector/unary.h"

#endif
