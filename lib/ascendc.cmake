# SPDX-License-Identifier: MIT
#
# Projects of Ascend C include this file: include(${ASCENDC_CMAKE_DIR}/ascendc.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/AscendCLConfig.cmake)

# Their programs name the library by its file
if(NOT TARGET ascendcl)
	add_library(ascendcl INTERFACE IMPORTED)
	target_link_libraries(ascendcl INTERFACE AscendCL::ascendcl)
endif()
