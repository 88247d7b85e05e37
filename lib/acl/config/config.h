/* SPDX-License-Identifier: MIT */
/*
 * The room config: launches with attributes that need streams, events and graphs besides the kernel.
 *
 * Uses: util, core, device, memory, stream, copy, sync, launch, graph.
 */
#ifndef ANPU_CONFIG_H
#define ANPU_CONFIG_H

#include "graph/graph.h"
#include "launch/launch.h"
#include "sync/sync.h"

#endif /* ANPU_CONFIG_H */
