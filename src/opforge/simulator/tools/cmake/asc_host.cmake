# Host libraries: code generation from OpDefs (npu_op_code_gen) and the libraries the runtime loads (npu_op_library).

# The compile options and folders that every host library shares, as CANN's intf_pub.
if(NOT TARGET intf_pub)
  add_library(intf_pub INTERFACE)
  target_compile_options(intf_pub INTERFACE -std=c++11 -fPIC -O1)
  target_compile_definitions(intf_pub INTERFACE _GLIBCXX_USE_CXX11_ABI=0)
  target_include_directories(intf_pub SYSTEM INTERFACE ${ASC_ROOT}/include)
  target_link_directories(intf_pub INTERFACE ${ASC_ROOT}/lib64)
endif()

# npu_op_code_gen(SRC <file>... PACKAGE <name> OUT_DIR <dir> [JOIN_OP_DEF <bool>] [JOBS <n>]
#                 [COMPILE_OPTIONS ...] [LINK_OPTIONS ...] [OPTIONS <key> <value>...])
# Runs while configuring, because the project's own file(GLOB) looks for the generated sources; a changed op_host
# source, or a header it includes, configures again before anything is built.
function(npu_op_code_gen)
  cmake_parse_arguments(GEN "" "OUT_DIR;PACKAGE;JOIN_OP_DEF;JOBS" "SRC;COMPILE_OPTIONS;LINK_OPTIONS;OPTIONS" ${ARGN})
  foreach(needed SRC OUT_DIR PACKAGE)
    if(NOT GEN_${needed})
      message(FATAL_ERROR "npu_op_code_gen: ${needed} is missing")
    endif()
  endforeach()
  if(GEN_OPTIONS)
    message(FATAL_ERROR "npu_op_code_gen: OPTIONS ${GEN_OPTIONS} is not supported by the simulated toolkit")
  endif()
  set(sources)
  foreach(source IN LISTS GEN_SRC)
    get_filename_component(source "${source}" ABSOLUTE)
    list(APPEND sources "${source}")
  endforeach()
  execute_process(
    COMMAND ${ASCEND_PYTHON_EXECUTABLE} ${_ASC_SCRIPTS}/code_gen.py --root ${ASC_ROOT} --out ${GEN_OUT_DIR}
            --work ${CMAKE_BINARY_DIR}/code_gen --compiler ${CMAKE_CXX_COMPILER} "--units=${ASCEND_COMPUTE_UNIT}"
            "--options=${GEN_COMPILE_OPTIONS}" "--link-options=${GEN_LINK_OPTIONS}" -- ${sources}
    RESULT_VARIABLE code OUTPUT_VARIABLE read_files ERROR_VARIABLE errors)
  # What was read also counts when it failed: repairing the source must configure again.
  string(REPLACE "\n" ";" read_files "${read_files}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources} ${read_files} ${ASC_ROOT}/tools/opbuild/op_build)
  if(NOT code EQUAL 0)
    message(NOTICE "${errors}")  # FATAL_ERROR would wrap the compiler's lines
    message(FATAL_ERROR "opbuild run failed!")
  endif()
  if(errors)
    message(STATUS "${errors}")
  endif()
  set_property(GLOBAL PROPERTY _ASC_${GEN_PACKAGE}_AUTOGEN ${GEN_OUT_DIR})
  set_property(GLOBAL PROPERTY _ASC_AUTOGEN ${GEN_OUT_DIR})
endfunction()

# npu_op_library(<target> ACLNN|TILING|GRAPH <source>...)
function(npu_op_library target type)
  string(TOUPPER ${type} type)
  set(sources ${ARGN})
  if(type STREQUAL "ACLNN")
    set(name cust_opapi)
    set(libraries nnopbase ascendcl)
    set(definitions)
  elseif(type STREQUAL "TILING")
    set(name cust_opmaster_rt2.0)
    set(libraries exe_graph register tiling_api)
    set(definitions OP_TILING_LIB)
  elseif(type STREQUAL "GRAPH")
    set(name cust_opsproto_rt2.0)
    set(libraries exe_graph register tiling_api)
    set(definitions OP_PROTO_LIB)
  else()
    message(FATAL_ERROR "npu_op_library: type ${type} does not support, the support list is ACLNN TILING GRAPH")
  endif()
  if(NOT sources)
    message(FATAL_ERROR "npu_op_library(${target} ${type}): no source; did npu_op_code_gen run before?")
  endif()
  add_library(${target} SHARED ${sources})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name})
  target_compile_definitions(${target} PRIVATE ${definitions})
  # Where a tiling function has crashed is told by its line, of the user's file (nnopbase/op_crash.cpp).
  target_compile_options(${target} PRIVATE -gdwarf-4 -g1 "-fdebug-prefix-map=${CMAKE_BINARY_DIR}=.")
  foreach(map IN LISTS ASC_SOURCE_PREFIX_MAP)
    target_compile_options(${target} PRIVATE "-fdebug-prefix-map=${map}")
  endforeach()
  target_link_libraries(${target} PRIVATE intf_pub)
  if(TARGET cust_intf_pub)
    target_link_libraries(${target} PRIVATE cust_intf_pub)
  endif()
  # The runtime's libraries come from the activated environment: no RPATH to this machine's toolkit may stay inside.
  set_target_properties(${target} PROPERTIES SKIP_BUILD_RPATH TRUE)
  get_property(autogen GLOBAL PROPERTY _ASC_AUTOGEN)
  target_include_directories(${target} PRIVATE ${autogen})
  # As options, not among the libraries: those would not be quoted, and the toolkit may lie in a folder with spaces.
  target_link_options(${target} PRIVATE -Wl,--no-undefined "-Wl,-rpath-link,${ASC_ROOT}/lib64")
  target_link_libraries(${target} PRIVATE ${libraries})
  set_property(GLOBAL PROPERTY _ASC_TARGET_${target}_TYPE ${type})
endfunction()

# Tiling on the device needs an AI CPU, which the simulator does not have.
function(npu_op_device_tiling_library target type)
  message(FATAL_ERROR "npu_op_device_tiling_library(${target}): the simulated toolkit has no AI CPU; tiling runs on the host")
endfunction()
