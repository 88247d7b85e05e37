/* SPDX-License-Identifier: MIT */
/* Programs that want a part of runtime/rt.h get all of it */
#include "rt.h"
