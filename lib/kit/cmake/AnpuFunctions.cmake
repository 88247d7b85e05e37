# SPDX-License-Identifier: MIT
#
# What AscendCLConfig.cmake and ascendc.cmake have in common:
#
#   anpu_add_operators(TARGET OUTPUT FILE.o SOURCE FILE.c|FILE.cpp [OPTIONS ...])
#
# compiles operators for the NPU with the build; under the names that Ascend C's projects use there are
#
#   ascendc_library(TARGET STATIC|SHARED|OBJECT SOURCE...)
#   ascendc_include_directories(TARGET PRIVATE DIRECTORY...)
#   ascendc_compile_definitions(TARGET PRIVATE NAME[=VALUE]...)
#   ascendc_compile_options(TARGET PRIVATE OPTION...)
#
#   ascendc_fatbin_library(TARGET SOURCE...)
#
# ascendc_library() makes a library that has the operators inside, with the host's functions of the same sources, which
# launch them by KERNEL<<<blocks, nullptr, stream>>>(...), or ACLRT_LAUNCH_KERNEL() of its headers aclrtlaunch_KERNEL.h.
# ascendc_fatbin_library() makes TARGET.o for aclrtBinaryLoadFromFile(), installed as fatbin/TARGET/TARGET.o.

set(_anpu_modules "${CMAKE_CURRENT_LIST_DIR}")

function(anpu_add_operators target)
	cmake_parse_arguments(PARSE_ARGV 1 op "" "OUTPUT;SOURCE" "OPTIONS")
	if(NOT ANPUCC)
		message(FATAL_ERROR "anpu_add_operators(${target}): anpucc is not installed in "
			"its bin directory; install it or set ANPUCC")
	endif()
	if(NOT op_OUTPUT OR NOT op_SOURCE)
		message(FATAL_ERROR "anpu_add_operators(${target}) needs OUTPUT and SOURCE")
	endif()
	get_filename_component(source "${op_SOURCE}" ABSOLUTE)
	get_filename_component(output "${op_OUTPUT}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
	get_filename_component(directory "${output}" DIRECTORY)
	file(MAKE_DIRECTORY "${directory}")
	set(included)
	if(NOT CMAKE_VERSION VERSION_LESS 3.20)
		set(included DEPFILE "${output}.d")
	endif()
	add_custom_command(OUTPUT "${output}"
		COMMAND "${ANPUCC}" ${op_OPTIONS} -MD -MP -MF "${output}.d" -o "${output}" "${source}"
		DEPENDS "${source}" ${included}
		COMMENT "Compiling operators ${op_SOURCE}" VERBATIM)
	add_custom_target(${target} ALL DEPENDS "${output}")
endfunction()

# A property of the target as options of the compiler, when the build is generated; its values may be generator expressions, of which
# some are nothing then
function(_anpu_options out target property flag)
	set(values "$<FILTER:$<TARGET_GENEX_EVAL:${target},$<TARGET_PROPERTY:${target},${property}>>,EXCLUDE,^$>")
	set(${out} "$<$<BOOL:${values}>:${flag}$<JOIN:${values},;${flag}>>" PARENT_SCOPE)
endfunction()

# The AI core that SOC_VERSION names, and what RUN_MODE adds: programs run on the device in the VM, which is both the NPU
# and the simulator, or in CPU mode on the device model in their own process
function(_anpu_cpu out target)
	if(RUN_MODE AND NOT RUN_MODE MATCHES "^(npu|sim|onboard|cpu)$")
		message(FATAL_ERROR "RUN_MODE is ${RUN_MODE}, for ${target}: npu, sim and cpu are built")
	endif()
	set(mode)
	if(RUN_MODE STREQUAL "cpu")
		set(mode --run-mode=cpu)
	endif()
	if(SOC_VERSION)
		execute_process(COMMAND "${ANPUCC}" "--cpu=${SOC_VERSION}" --list-cpus RESULT_VARIABLE unknown
			OUTPUT_QUIET ERROR_QUIET)
		if(unknown)
			message(FATAL_ERROR "SOC_VERSION is ${SOC_VERSION}, for ${target}, which is no name that "
				"anpucc knows: anpucc --list-cpus shows them")
		endif()
		set(${out} "--cpu=${SOC_VERSION}" ${mode} PARENT_SCOPE)
	else()
		set(${out} ${mode} PARENT_SCOPE)
	endif()
endfunction()

function(ascendc_library target kind)
	if(NOT kind MATCHES "^(STATIC|SHARED|OBJECT)$")
		message(FATAL_ERROR "ascendc_library(${target} ${kind}): the second word must be STATIC, "
			"SHARED or OBJECT")
	endif()
	if(NOT ANPUCC)
		message(FATAL_ERROR "ascendc_library(${target}): anpucc is not installed in "
			"its bin directory; install it or set ANPUCC")
	endif()
	if(NOT ARGN)
		message(FATAL_ERROR "ascendc_library(${target}) needs at least one source")
	endif()
	_anpu_options(includes ${target} ANPU_INCLUDES "-I")
	_anpu_options(definitions ${target} ANPU_DEFINITIONS "-D")
	_anpu_options(options ${target} ANPU_OPTIONS "")
	_anpu_cpu(cpu ${target})
	get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
	set(directory "${CMAKE_CURRENT_BINARY_DIR}/${target}_launchers")
	file(MAKE_DIRECTORY "${directory}")
	set(launchers)
	foreach(name ${ARGN})
		get_filename_component(source "${name}" ABSOLUTE)
		get_filename_component(base "${name}" NAME_WE)
		set(output "${directory}/${base}.o")
		set(launcher "${directory}/${base}_launchers.c")
		set(host "${directory}/${base}_host.o")
		set(included)
		if(NOT CMAKE_VERSION VERSION_LESS 3.20)
			set(included DEPFILE "${output}.d")
		endif()
		add_custom_command(OUTPUT "${launcher}" "${host}"
			COMMAND "${ANPUCC}" ${cpu} "${includes}" "${definitions}" "${options}" -MD -MP
				-MF "${output}.d" -MT "${launcher}" -o "${output}"
				"--launchers=${directory}" "--host=${host}" "${source}"
			DEPENDS "${source}" ${included} BYPRODUCTS "${output}"
			COMMENT "Compiling operators ${name}" COMMAND_EXPAND_LISTS VERBATIM)
		if(NOT "C" IN_LIST languages)
			set_source_files_properties("${launcher}" PROPERTIES LANGUAGE CXX)
		endif()
		set_source_files_properties("${host}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
		list(APPEND launchers "${launcher}" "${host}")
	endforeach()
	add_library(${target} ${kind} ${launchers})
	set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
	target_include_directories(${target} PUBLIC "${directory}")
	target_link_libraries(${target} PUBLIC AscendCL::ascendcl)
	if(kind STREQUAL "SHARED")
		# where run.sh of such projects looks for it
		install(TARGETS ${target} LIBRARY DESTINATION lib)
	endif()
	if(RUN_MODE STREQUAL "cpu")
		find_package(tikicpulib REQUIRED CONFIG PATHS "${_anpu_modules}" NO_DEFAULT_PATH)
		target_link_libraries(${target} PUBLIC tikicpulib::anpu)
	endif()
endfunction()

function(ascendc_fatbin_library target)
	if(NOT ANPUCC)
		message(FATAL_ERROR "ascendc_fatbin_library(${target}): anpucc is not installed in "
			"its bin directory; install it or set ANPUCC")
	endif()
	if(NOT ARGN)
		message(FATAL_ERROR "ascendc_fatbin_library(${target}) needs at least one source")
	endif()
	_anpu_cpu(cpu ${target})
	_anpu_options(includes ${target} ANPU_INCLUDES "-I")
	_anpu_options(definitions ${target} ANPU_DEFINITIONS "-D")
	_anpu_options(options ${target} ANPU_OPTIONS "")
	set(output "${CMAKE_CURRENT_BINARY_DIR}/fatbin/${target}/${target}.o")
	file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/fatbin/${target}")
	set(sources)
	foreach(name ${ARGN})
		get_filename_component(source "${name}" ABSOLUTE)
		list(APPEND sources "${source}")
	endforeach()
	set(included)
	if(NOT CMAKE_VERSION VERSION_LESS 3.20)
		set(included DEPFILE "${output}.d")
	endif()
	add_custom_command(OUTPUT "${output}"
		COMMAND "${ANPUCC}" ${cpu} "${includes}" "${definitions}" "${options}" -MD -MP
			-MF "${output}.d" -o "${output}" ${sources}
		DEPENDS ${sources} ${included}
		COMMENT "Compiling operators ${target}.o" COMMAND_EXPAND_LISTS VERBATIM)
	add_custom_target(${target} ALL DEPENDS "${output}")
	install(FILES "${output}" DESTINATION fatbin/${target})
endfunction()

function(_anpu_append target property)
	set(words ${ARGN})
	list(REMOVE_ITEM words PRIVATE PUBLIC INTERFACE)
	set_property(TARGET ${target} APPEND PROPERTY ${property} ${words})
endfunction()

function(ascendc_include_directories target)
	set(words)
	foreach(word ${ARGN})
		if(NOT word MATCHES "^(PRIVATE|PUBLIC|INTERFACE)$")
			get_filename_component(word "${word}" ABSOLUTE)
		endif()
		list(APPEND words "${word}")
	endforeach()
	_anpu_append(${target} ANPU_INCLUDES ${words})
endfunction()

function(ascendc_compile_definitions target)
	set(words ${ARGN})
	list(TRANSFORM words REPLACE "^-D" "") # as target_compile_definitions() takes them
	_anpu_append(${target} ANPU_DEFINITIONS ${words})
endfunction()

function(ascendc_compile_options target)
	_anpu_append(${target} ANPU_OPTIONS ${ARGN})
endfunction()
