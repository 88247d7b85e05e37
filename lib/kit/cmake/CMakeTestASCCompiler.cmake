# SPDX-License-Identifier: MIT
if(NOT CMAKE_ASC_COMPILER_WORKS)
	execute_process(COMMAND "${CMAKE_ASC_COMPILER}" --version RESULT_VARIABLE _asc_result OUTPUT_VARIABLE _asc_text
		ERROR_VARIABLE _asc_text)
	if(NOT _asc_result EQUAL 0)
		message(FATAL_ERROR "${CMAKE_ASC_COMPILER} --version ends with ${_asc_result}: ${_asc_text}")
	endif()
	set(CMAKE_ASC_COMPILER_WORKS 1 CACHE INTERNAL "")
endif()
