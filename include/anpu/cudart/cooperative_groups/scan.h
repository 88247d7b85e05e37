/* SPDX-License-Identifier: MIT */
/* cooperative_groups.h has all of it. */
#pragma once
#include <cooperative_groups.h>
