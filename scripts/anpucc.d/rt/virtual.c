// SPDX-License-Identifier: MIT
/* provides: __cxa_pure_virtual */
/* Tables of C++ classes name this function for those that a class only declares; it is called while an object is being made or ended. */
#include <anpu/anpu_intrin.h>

void __cxa_pure_virtual(void);

void __cxa_pure_virtual(void)
{
	anpu_trap("a pure virtual function was called: in a constructor or destructor of its class, or by an object that has ended");
}
