# Libraries of kernels that programs launch themselves: ascendc_library and its companions.
#
# Names, arguments and results are those of CANN's ascendc.cmake (guide "基于样例工程完成Kernel直调"): each source defines
# one kernel, ACLRT_LAUNCH_KERNEL(<kernel>)(<blocks>, <stream>, <arguments>...) of aclrtlaunch_<kernel>.h launches it, and
# HAVE_WORKSPACE and HAVE_TILING say what its last parameters are.
if(COMMAND ascendc_library)
  return()
endif()
if(CMAKE_VERSION VERSION_LESS 3.20)
  message(FATAL_ERROR "the simulated toolkit needs CMake 3.20 or later (for depfiles of custom commands)")
endif()
cmake_policy(VERSION 3.20...4.0)
get_filename_component(_ASC_LAUNCH_ROOT "${CMAKE_CURRENT_LIST_DIR}/../../.." REALPATH)
set(_ASC_LAUNCH_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/kernel_library.py)

if(NOT SOC_VERSION MATCHES "^[Aa]scend910(B[0-9]|B4-1|_93[0-9][0-9])$")
  message(FATAL_ERROR "SOC_VERSION '${SOC_VERSION}' does not support, the simulated toolkit has the kernel API of Ascend910B "
                      "and Ascend910_93 chips")
endif()
if(NOT DEFINED RUN_MODE)
  set(RUN_MODE npu)
endif()
if(NOT RUN_MODE STREQUAL "npu")
  message(FATAL_ERROR "RUN_MODE '${RUN_MODE}' does not support: the simulated toolkit runs kernels on its device, npu")
endif()
if(NOT DEFINED ASCEND_PYTHON_EXECUTABLE)
  set(ASCEND_PYTHON_EXECUTABLE python3)
endif()

# What the programs around the kernels are compiled with.
add_library(host_intf_pub INTERFACE)
target_compile_definitions(host_intf_pub INTERFACE _GLIBCXX_USE_CXX11_ABI=0)
target_include_directories(host_intf_pub SYSTEM INTERFACE ${_ASC_LAUNCH_ROOT}/include)
target_link_directories(host_intf_pub INTERFACE ${_ASC_LAUNCH_ROOT}/lib64)

# ascendc_library(<target> STATIC|SHARED <source>...)
function(ascendc_library target type)
  string(TOUPPER ${type} type)
  if(NOT type MATCHES "^(STATIC|SHARED)$")
    message(FATAL_ERROR "ascendc_library(${target}): target_type ${type} does not support, the support list is SHARED STATIC")
  endif()
  if(NOT ARGN)
    message(FATAL_ERROR "ascendc_library(${target}): no source")
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_kernels)
  set(headers ${CMAKE_BINARY_DIR}/include/${target})
  set(arguments)
  foreach(property DEFINITIONS OPTIONS INCLUDES)
    string(TOLOWER ${property} name)
    list(APPEND arguments "--${name}=$<JOIN:$<TARGET_PROPERTY:${target},ASC_${property}>,$<SEMICOLON>>")
  endforeach()
  set(stubs)
  foreach(source IN LISTS ARGN)
    get_filename_component(source "${source}" ABSOLUTE)
    get_filename_component(stem "${source}" NAME_WE)
    execute_process(
      COMMAND ${ASCEND_PYTHON_EXECUTABLE} ${_ASC_LAUNCH_SCRIPT} name ${source}
      RESULT_VARIABLE code OUTPUT_VARIABLE kernel ERROR_VARIABLE errors OUTPUT_STRIP_TRAILING_WHITESPACE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    if(NOT code EQUAL 0)
      message(FATAL_ERROR "ascendc_library(${target}): ${errors}")
    endif()
    set(stub ${folder}/${kernel}_stub.cpp)
    set(header ${headers}/aclrtlaunch_${kernel}.h)
    add_custom_command(
      OUTPUT ${stub} ${header} ${folder}/${kernel}.o ${folder}/${kernel}.json
      COMMAND ${CMAKE_COMMAND} -E env CXX=${CMAKE_CXX_COMPILER} ${ASCEND_PYTHON_EXECUTABLE} ${_ASC_LAUNCH_SCRIPT} build ${source}
              --root=${_ASC_LAUNCH_ROOT} --soc=${SOC_VERSION} --folder=${folder} --headers=${headers}
              --depfile=${folder}/${kernel}.d ${arguments}
      DEPENDS ${source} ${_ASC_LAUNCH_SCRIPT} ${_ASC_LAUNCH_ROOT}/bin/asc_opc
      DEPFILE ${folder}/${kernel}.d
      COMMENT "Compiling kernel ${kernel} for launches"
      VERBATIM)
    list(APPEND stubs ${stub} ${header})
  endforeach()
  add_library(${target} ${type} ${stubs})
  set_target_properties(${target} PROPERTIES ASC_DEFINITIONS "" ASC_OPTIONS "" ASC_INCLUDES "")
  target_include_directories(${target} PUBLIC ${headers})
  target_include_directories(${target} SYSTEM PUBLIC ${_ASC_LAUNCH_ROOT}/include)
  target_link_directories(${target} PUBLIC ${_ASC_LAUNCH_ROOT}/lib64)
  target_link_libraries(${target} PUBLIC ascendcl)
endfunction()

function(ascendc_compile_definitions target scope)
  set_property(TARGET ${target} APPEND PROPERTY ASC_DEFINITIONS ${ARGN})
endfunction()

# Options behind -forward-options-to-host-compiler are the stubs', the others the kernels'.
function(ascendc_compile_options target scope)
  set(options ${ARGN})
  list(FIND options -forward-options-to-host-compiler at)
  if(NOT at EQUAL -1)
    list(SUBLIST options ${at} -1 host)
    list(POP_FRONT host)
    list(SUBLIST options 0 ${at} options)
    target_compile_options(${target} PRIVATE ${host})
  endif()
  set_property(TARGET ${target} APPEND PROPERTY ASC_OPTIONS ${options})
endfunction()

function(ascendc_include_directories target scope)
  foreach(folder IN LISTS ARGN)
    get_filename_component(folder "${folder}" ABSOLUTE)
    set_property(TARGET ${target} APPEND PROPERTY ASC_INCLUDES ${folder})
  endforeach()
endfunction()

function(ascendc_fatbin_library target)
  message(FATAL_ERROR "ascendc_fatbin_library(${target}): the simulated toolkit has no loading of kernel binaries (aclrtBinary...); "
                      "use ascendc_library")
endfunction()
