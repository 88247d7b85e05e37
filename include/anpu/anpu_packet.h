/* SPDX-License-Identifier: MIT */
/*
 * Packets, status pages and fault records are part of the driver's uAPI, and live with it. The
 * device executes and writes the same structures, so the datasheet includes them from there.
 */
#include "../uapi/drm/anpu_packet.h"
