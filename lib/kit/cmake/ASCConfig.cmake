# SPDX-License-Identifier: MIT
#
# find_package(ASC) before project(... LANGUAGES ASC CXX): .asc files, and others with the source property LANGUAGE ASC,
# have operators and host code in one file and are compiled by bisheng. CMAKE_ASC_ARCHITECTURES and CMAKE_ASC_RUN_MODE
# choose core and mode for all of them.
get_filename_component(_anpu_cmake "${CMAKE_CURRENT_LIST_FILE}" REALPATH)
get_filename_component(_anpu_cmake "${_anpu_cmake}" DIRECTORY)
list(APPEND CMAKE_MODULE_PATH "${_anpu_cmake}")
set(ASC_DIR_OF_MODULES "${_anpu_cmake}")
set(ASC_FOUND TRUE)
