// SPDX-License-Identifier: MIT
/*
 * HcclCommConfigInit() as a symbol: hccl.h defines it in the program, and some programs look for it with dlsym().
 */
#define HcclCommConfigInit in_the_header
#include <hccl/hccl.h>
#undef HcclCommConfigInit

__attribute__((visibility("default"))) void HcclCommConfigInit(HcclCommConfig *config);

void HcclCommConfigInit(HcclCommConfig *config)
{
	in_the_header(config);
}
