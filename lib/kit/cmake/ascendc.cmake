# SPDX-License-Identifier: MIT
#
# Projects of Ascend C include this file, by one of many paths: include(${ASCENDC_CMAKE_DIR}/ascendc.cmake)
get_filename_component(_anpu_cmake "${CMAKE_CURRENT_LIST_FILE}" REALPATH)
get_filename_component(_anpu_cmake "${_anpu_cmake}" DIRECTORY)
include("${_anpu_cmake}/AnpuPlaces.cmake")
include("${_anpu_cmake}/AnpuFunctions.cmake")

# Their programs name the library by its file, and what the host's compiler needs by targets of these names
if(NOT TARGET ascendcl)
	add_library(ascendcl INTERFACE IMPORTED)
	target_link_libraries(ascendcl INTERFACE AscendCL::ascendcl)
endif()
foreach(_anpu_name intf_pub host_intf_pub)
	if(NOT TARGET ${_anpu_name})
		add_library(${_anpu_name} INTERFACE)
		target_link_libraries(${_anpu_name} INTERFACE AscendCL::ascendcl)
		# <tiling/tiling_api.h> and its kin, and the libraries that programs name for them
		target_include_directories(${_anpu_name} SYSTEM INTERFACE "${_anpu_include}/ascendc")
		foreach(_anpu_tree build/toolkit lib/anpu/toolkit)
			if(EXISTS "${_anpu_prefix}/${_anpu_tree}/lib64")
				target_link_directories(${_anpu_name} INTERFACE "${_anpu_prefix}/${_anpu_tree}/lib64")
			endif()
		endforeach()
	endif()
endforeach()
