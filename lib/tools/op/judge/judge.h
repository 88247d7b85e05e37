/* SPDX-License-Identifier: MIT */
/* anpu-op judge: verdicts on operators for programs. */
#ifndef OP_JUDGE_H
#define OP_JUDGE_H

#include "op/judge/process.h"

/**
 * op_judge() - the command line behind "judge"
 * @operate: what anpu-op does with an ordinary command line, in a process of its own
 *
 * Return: the exit status
 */
int op_judge(int argc, char **argv, op_operate *operate);

#endif /* OP_JUDGE_H */
