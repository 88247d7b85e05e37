/* SPDX-License-Identifier: MIT */
/* The same header by the path that newer programs use */
#include "../rt.h"
