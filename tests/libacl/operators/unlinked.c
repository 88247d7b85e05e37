// SPDX-License-Identifier: MIT
/*
 * Not an operator: compiled to a relocatable object, which was not linked, and to an image whose
 * relocations name a symbol that nothing defines.
 */
extern unsigned long somewhere_else;
extern unsigned long not_defined_here(unsigned long x);

unsigned long *pointer = &somewhere_else;

void store(unsigned long *p);

void store(unsigned long *p)
{
	*p = not_defined_here(*pointer);
}
