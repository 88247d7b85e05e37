/* SPDX-License-Identifier: MIT */
/*
 * Inside libacl: the objects and the helpers that its files share, a header per noun.
 *
 * Locks, in the order in which they nest: the device table (device/device.c), a context's, a stream's, that
 * of peer access (device/peermap.c), a device's, the list of its streams (sync/events.c), callbacks, the host
 * memory table, the handle registry. Whoever uses an object holds a reference, so a concurrent
 * destroy only makes its handle unknown.
 */
#ifndef ANPU_LIB_H
#define ANPU_LIB_H

#include <anpu/anpu_accel_check.h>

#include "core/base.h"
#include "launch/binary.h"
#include "sync/callback.h"
#include "graph/capture.h"
#include "device/context.h"
#include "copy/copy.h"
#include "device/device.h"
#include "sync/events.h"
#include "core/handle.h"
#include "launch/launch.h"
#include "memory/mem.h"
#include "stream/order.h"
#include "device/peer.h"
#include "memory/region.h"
#include "stream/slot.h"
#include "stream/stream.h"

#endif /* ANPU_LIB_H */
