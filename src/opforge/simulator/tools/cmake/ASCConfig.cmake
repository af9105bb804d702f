# find_package(ASC) of the simulated toolkit: the npu_op_* functions with which operator projects are built, and the
# language ASC (project(... LANGUAGES ASC)) of sources that hold host and device code.
#
# Names, arguments and results are those of CANN's own functions (asc-devkit cmake/asc, documentation "算子工程编译拓展"),
# so that a project's CMake files work on either. What differs is dependency tracking: code generation runs again when an
# op_host source changes, each kernel binary is a file with its own inputs, and a failing compiler leaves no old binary.
# docs/toolkit_differences.md lists every difference, and how tests turn each off.
if(DEFINED ASC_ROOT)
  return()
endif()
if(CMAKE_VERSION VERSION_LESS 3.20)
  message(FATAL_ERROR "the simulated toolkit needs CMake 3.20 or later (for depfiles of custom commands)")
endif()
cmake_policy(VERSION 3.20...4.0)
get_filename_component(ASC_ROOT "${CMAKE_CURRENT_LIST_DIR}/../../.." REALPATH)
include(${CMAKE_CURRENT_LIST_DIR}/asc_awkward.cmake)

if(DEFINED ASCEND_CANN_PACKAGE_PATH AND EXISTS "${ASCEND_CANN_PACKAGE_PATH}")
  get_filename_component(_asc_asked "${ASCEND_CANN_PACKAGE_PATH}" REALPATH)
  if(NOT _asc_asked STREQUAL ASC_ROOT)
    message(FATAL_ERROR "ASCEND_CANN_PACKAGE_PATH is ${ASCEND_CANN_PACKAGE_PATH}, but find_package(ASC) found the toolkit "
                        "at ${ASC_ROOT}. Give both the same toolkit.")
  endif()
endif()
set(ASCEND_CANN_PACKAGE_PATH ${ASC_ROOT})

list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR}/languages)
set(ASC_FOUND TRUE)
if(NOT DEFINED ASCEND_COMPUTE_UNIT)  # no operator project
  include(${CMAKE_CURRENT_LIST_DIR}/asc_language.cmake)
  return()
endif()

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
if(NOT DEFINED ASCEND_PYTHON_EXECUTABLE)
  set(ASCEND_PYTHON_EXECUTABLE python3)
endif()
if(NOT DEFINED ASCEND_AUTOGEN_PATH)
  set(ASCEND_AUTOGEN_PATH ${CMAKE_BINARY_DIR}/autogen)
endif()
if(NOT DEFINED ENABLE_SOURCE_PACKAGE)
  set(ENABLE_SOURCE_PACKAGE True)
endif()
if(NOT DEFINED ENABLE_BINARY_PACKAGE)
  set(ENABLE_BINARY_PACKAGE True)
endif()
if(NOT DEFINED vendor_name)
  set(vendor_name customize)
endif()
if(ENABLE_CROSS_COMPILE)
  message(FATAL_ERROR "ENABLE_CROSS_COMPILE is not supported: the simulated toolkit builds for this machine only")
endif()

set(_ASC_UNITS ascend310b ascend310p ascend910 ascend910b ascend910_93 ascend950)
if(NOT ASCEND_COMPUTE_UNIT)
  message(FATAL_ERROR "ASCEND_COMPUTE_UNIT is not set; give one or more of: ${_ASC_UNITS}")
endif()
foreach(_asc_unit IN LISTS ASCEND_COMPUTE_UNIT)
  if(NOT _asc_unit IN_LIST _ASC_UNITS)
    message(FATAL_ERROR "COMPUTE_UNIT ${_asc_unit} does not support, the support list is ${_ASC_UNITS}")
  endif()
endforeach()

set(_ASC_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/scripts)
include(${CMAKE_CURRENT_LIST_DIR}/asc_host.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/asc_kernel.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/asc_package.cmake)
