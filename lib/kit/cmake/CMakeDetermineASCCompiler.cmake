# SPDX-License-Identifier: MIT
# CMake asks this file which program compiles the language ASC.
get_filename_component(_asc_here "${CMAKE_CURRENT_LIST_FILE}" REALPATH)
get_filename_component(_asc_here "${_asc_here}" DIRECTORY)
if(NOT CMAKE_ASC_COMPILER)
	# scripts/ of the source tree, bin/ of an installation
	find_program(CMAKE_ASC_COMPILER bisheng HINTS "${_asc_here}/../../../scripts" "${_asc_here}/../../../bin"
		DOC "compiler of Ascend C")
endif()
if(NOT CMAKE_ASC_COMPILER)
	message(FATAL_ERROR "bisheng was not found: source set_env.sh of the toolkit tree, or set CMAKE_ASC_COMPILER")
endif()
mark_as_advanced(CMAKE_ASC_COMPILER)
set(CMAKE_ASC_COMPILER_ENV_VAR ASC)
configure_file("${_asc_here}/CMakeASCCompiler.cmake.in" "${CMAKE_PLATFORM_INFO_DIR}/CMakeASCCompiler.cmake" @ONLY)
