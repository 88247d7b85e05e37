/* SPDX-License-Identifier: MIT */
/*
 * Inside libacl: the objects and the helpers that its files share, a header per noun.
 *
 * Locks, in the order in which they nest: the device table (device.c), a context's, a stream's, that
 * of peer access (peermap.c), a device's, the list of its streams (events.c), callbacks, the host
 * memory table, the handle registry. Whoever uses an object holds a reference, so a concurrent
 * destroy only makes its handle unknown.
 */
#ifndef ANPU_LIB_H
#define ANPU_LIB_H

#include <anpu/anpu_accel_check.h>

#include "base.h"
#include "binary.h"
#include "callback.h"
#include "capture.h"
#include "context.h"
#include "copy.h"
#include "device.h"
#include "events.h"
#include "handle.h"
#include "launch.h"
#include "mem.h"
#include "order.h"
#include "peer.h"
#include "region.h"
#include "slot.h"
#include "stream.h"

#endif /* ANPU_LIB_H */
