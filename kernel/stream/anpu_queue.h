/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef ANPU_QUEUE_H
#define ANPU_QUEUE_H

#include <linux/types.h>

struct anpu_busy;
struct anpu_stream;

int anpu_stream_start(struct anpu_stream *stream);
bool anpu_stream_kill(struct anpu_stream *stream);
void anpu_stream_stop_begin(struct anpu_stream *stream);
bool anpu_stream_wait_stopped(struct anpu_stream *stream);
void anpu_stream_stop_end(struct anpu_stream *stream, u32 gen);
int anpu_stream_command(struct anpu_stream *stream, u32 cmd, u32 arg);
void anpu_stream_busy(const struct anpu_stream *stream, struct anpu_busy *sum);
void anpu_stream_account_end(struct anpu_stream *stream, bool there);

#endif /* ANPU_QUEUE_H */
