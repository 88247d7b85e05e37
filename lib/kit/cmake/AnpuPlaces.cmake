# SPDX-License-Identifier: MIT
#
# Where things are, for a file that has been included from lib/kit/cmake of the source tree, or from lib/anpu/cmake of
# an installation, by itself or by a link: _anpu_include, _anpu_library, ANPUCC, BISHENG and the target AscendCL::ascendcl.
get_filename_component(_anpu_here "${CMAKE_CURRENT_LIST_FILE}" REALPATH)
get_filename_component(_anpu_here "${_anpu_here}" DIRECTORY)
get_filename_component(_anpu_prefix "${_anpu_here}/../../.." ABSOLUTE)
set(_anpu_include "${_anpu_prefix}/include")
if(EXISTS "${_anpu_prefix}/scripts/anpucc.d")
	set(_anpu_library "${_anpu_prefix}/build/lib/libascendcl.so")
	set(_anpu_programs "${_anpu_prefix}/scripts")
else()
	set(_anpu_library "${_anpu_prefix}/lib/anpu/libascendcl.so")
	set(_anpu_programs "${_anpu_prefix}/bin")
endif()
if(NOT EXISTS "${_anpu_library}")
	message(FATAL_ERROR "${_anpu_library} is missing: run make in ${_anpu_prefix}, or make install again")
endif()

# The library names libdrm.so.2 itself, and its headers need none of libdrm's: programs link the target alone.
if(NOT TARGET AscendCL::ascendcl)
	add_library(AscendCL::ascendcl SHARED IMPORTED)
	set_target_properties(AscendCL::ascendcl PROPERTIES
		IMPORTED_LOCATION "${_anpu_library}"
		IMPORTED_SONAME libascendcl.so
		INTERFACE_INCLUDE_DIRECTORIES "${_anpu_include}")
endif()

find_program(ANPUCC anpucc HINTS "${_anpu_programs}" DOC "compiler of operators")
find_program(BISHENG bisheng HINTS "${_anpu_programs}" DOC "compiler of operators and host code in one file")
