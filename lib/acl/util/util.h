/* SPDX-License-Identifier: MIT */
/*
 * The room util: what knows nothing of a runtime. Texts, ordered sets, source lines, files of this process, locks across fork(),
 * and JSON.
 *
 * Uses: no other room.
 * Private: none
 */
#ifndef ANPU_UTIL_H
#define ANPU_UTIL_H

#include "util/forks.h"
#include "util/json.h"
#include "util/lines.h"
#include "util/module.h"
#include "util/text.h"
#include "util/tree.h"

#endif /* ANPU_UTIL_H */
