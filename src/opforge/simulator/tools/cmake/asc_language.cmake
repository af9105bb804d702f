# What find_package(ASC) gives a project that is no operator project: ascendc_library and its companions for .asc sources.

function(ascendc_library target type)
  string(TOUPPER ${type} type)
  if(NOT type MATCHES "^(STATIC|SHARED)$")
    message(FATAL_ERROR "ascendc_library(${target}): target_type ${type} does not support, the support list is SHARED STATIC")
  endif()
  set_source_files_properties(${ARGN} PROPERTIES LANGUAGE ASC)
  add_library(${target} ${type} ${ARGN})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${target} SYSTEM INTERFACE ${ASC_ROOT}/include)
  target_link_directories(${target} INTERFACE ${ASC_ROOT}/lib64)
  target_link_libraries(${target} INTERFACE ascendcl)
endfunction()

function(ascendc_compile_definitions target scope)
  target_compile_definitions(${target} ${scope} ${ARGN})
endfunction()

# Options behind -forward-options-to-host-compiler are the host's, the others the kernels'.
function(ascendc_compile_options target scope)
  string(REPLACE "-forward-options-to-host-compiler" "-Xaicore-end;-Xhost-start" options "${ARGN}")
  set(last -Xaicore-end)
  if("-Xhost-start" IN_LIST options)
    set(last -Xhost-end)
  endif()
  target_compile_options(${target} ${scope} -Xaicore-start ${options} ${last})
endfunction()

function(ascendc_include_directories target scope)
  target_include_directories(${target} ${scope} ${ARGN})
endfunction()

function(ascendc_fatbin_library target)
  message(FATAL_ERROR "ascendc_fatbin_library(${target}): the simulated toolkit has no loading of kernel binaries (aclrtBinary...); "
                      "use ascendc_library")
endfunction()

foreach(_asc_function npu_op_code_gen npu_op_library npu_op_kernel_sources npu_op_kernel_library npu_op_package)
  cmake_language(EVAL CODE "
    macro(${_asc_function})
      message(FATAL_ERROR \"${_asc_function}: ASCEND_COMPUTE_UNIT is not set; set it before find_package(ASC)\")
    endmacro()")
endforeach()
