/* SPDX-License-Identifier: MIT */
/* A mistake in a source whose path is longer than what is kept of a path */
static volatile aclError far_away; /* makes the call no jump */

static void __attribute__((noinline)) a_mistake_far_away(void)
{
#line 7 "/a_folder_whose_name_is_longer_than_it_had_to_be/a_folder_whose_name_is_longer_than_it_had_to_be/a_folder_whose_name_is_longer_than_it_had_to_be/a_folder_whose_name_is_longer_than_it_had_to_be/a_folder_whose_name_is_longer_than_it_had_to_be/a_folder_whose_name_is_longer_than_it_had_to_be/the_end_of_the_path.c"
	far_away = aclrtFree(NULL);
}
