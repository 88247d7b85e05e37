# SPDX-License-Identifier: MIT
#
# find_package(tikicpulib): CPU mode (Documentation/cpu-mode.md). A target that links tikicpulib::SOC, for example
# tikicpulib::Ascend910B1, is compiled with ASCENDC_CPU_DEBUG; of its sources those with kernels go to anpucc, by a
# launcher in front of the C++ compiler. It passes on what has not that macro.
get_filename_component(_anpu_cmake "${CMAKE_CURRENT_LIST_FILE}" REALPATH)
get_filename_component(_anpu_cmake "${_anpu_cmake}" DIRECTORY)
include("${_anpu_cmake}/AnpuPlaces.cmake")
find_program(ANPU_CPU_CXX anpu-cpu-c++ HINTS "${_anpu_programs}" DOC "compiler of sources with kernels in CPU mode")
if(NOT ANPU_CPU_CXX)
	message(FATAL_ERROR "anpu-cpu-c++ is not in ${_anpu_programs}: install it or set ANPU_CPU_CXX")
endif()
if(NOT "${ANPU_CPU_CXX}" IN_LIST CMAKE_CXX_COMPILER_LAUNCHER)
	# behind a launcher that the project has: that one runs this
	list(APPEND CMAKE_CXX_COMPILER_LAUNCHER "${ANPU_CPU_CXX}")
endif()

get_filename_component(_anpu_library_dir "${_anpu_library}" DIRECTORY)
set(_anpu_cpu "${_anpu_library_dir}/libtikicpulib.so")
if(NOT EXISTS "${_anpu_cpu}")
	set(_anpu_cpu "${_anpu_library_dir}/../kit/libtikicpulib.so")
endif()
if(NOT EXISTS "${_anpu_cpu}")
	message(FATAL_ERROR "libtikicpulib.so is not in ${_anpu_library_dir}: run make, or make install again")
endif()
if(NOT TARGET tikicpulib::anpu)
	add_library(tikicpulib::anpu INTERFACE IMPORTED)
	set_target_properties(tikicpulib::anpu PROPERTIES
		INTERFACE_COMPILE_DEFINITIONS "ASCENDC_CPU_DEBUG=1;__CCE_KT_TEST__=1"
		INTERFACE_INCLUDE_DIRECTORIES "${_anpu_include};${_anpu_include}/ascendc"
		INTERFACE_LINK_LIBRARIES "${_anpu_cpu};AscendCL::ascendcl")
endif()
if(NOT TARGET ascendcl)
	add_library(ascendcl INTERFACE IMPORTED)
	target_link_libraries(ascendcl INTERFACE AscendCL::ascendcl)
endif()

# One target for each chip that anpucc knows, by its name and in lower case
execute_process(COMMAND "${ANPUCC}" --list-cpus OUTPUT_VARIABLE _anpu_known)
string(REGEX MATCHALL "Ascend[^\t]+" _anpu_known "${_anpu_known}")
foreach(_anpu_soc IN LISTS _anpu_known SOC_VERSION ASCEND_PRODUCT_TYPE)
	string(TOLOWER "${_anpu_soc}" _anpu_lower)
	string(REGEX REPLACE "^ascend" "Ascend" _anpu_upper "${_anpu_lower}")
	foreach(_anpu_name "${_anpu_soc}" "${_anpu_lower}" "${_anpu_upper}")
		if(NOT TARGET tikicpulib::${_anpu_name})
			add_library(tikicpulib::${_anpu_name} INTERFACE IMPORTED)
			target_link_libraries(tikicpulib::${_anpu_name} INTERFACE tikicpulib::anpu)
		endif()
	endforeach()
endforeach()
set(tikicpulib_FOUND TRUE)
