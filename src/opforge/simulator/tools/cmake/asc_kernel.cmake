# Kernel binaries: which source belongs to which op, its options, and the library they form. The commands themselves are
# made when the package is finished (asc_package.cmake), because only then all options are known.

# npu_op_kernel_sources(<target> KERNEL_DIR <dir> [OP_TYPE <type> KERNEL_FILE <file>] [COMPUTE_UNIT <unit>...])
function(npu_op_kernel_sources target)
  cmake_parse_arguments(SRC "" "KERNEL_DIR;OP_TYPE;KERNEL_FILE" "COMPUTE_UNIT" ${ARGN})
  if((SRC_OP_TYPE AND NOT SRC_KERNEL_FILE) OR (SRC_KERNEL_FILE AND NOT SRC_OP_TYPE))
    message(FATAL_ERROR "npu_op_kernel_sources(${target}): OP_TYPE and KERNEL_FILE must exist at the same time")
  endif()
  if(SRC_COMPUTE_UNIT)
    message(FATAL_ERROR "npu_op_kernel_sources(${target}): COMPUTE_UNIT is not supported by the simulated toolkit; "
                        "SoCs of one architecture share kernel sources")
  endif()
  set(type ALL)
  if(SRC_OP_TYPE)
    set(type ${SRC_OP_TYPE})
  endif()
  set_property(GLOBAL APPEND PROPERTY _ASC_KERNEL_${target}_SOURCES "--source=${type}=${SRC_KERNEL_DIR}=${SRC_KERNEL_FILE}")
endfunction()

# npu_op_kernel_options(<target> ALL|<OpType> [COMPUTE_UNIT <unit>...] OPTIONS <option>...)
function(npu_op_kernel_options target type)
  cmake_parse_arguments(OPT "" "" "COMPUTE_UNIT;OPTIONS" ${ARGN})
  if(NOT OPT_OPTIONS)
    message(FATAL_ERROR "Must provide options for npu_op_kernel_options")
  endif()
  if(OPT_COMPUTE_UNIT)
    message(FATAL_ERROR "npu_op_kernel_options(${target}): COMPUTE_UNIT is not supported by the simulated toolkit; "
                        "SoCs of one architecture share kernel binaries")
  endif()
  foreach(option IN LISTS OPT_OPTIONS)
    set_property(GLOBAL APPEND PROPERTY _ASC_KERNEL_${target}_OPTIONS "--option=${type}=${option}")
  endforeach()
endfunction()

# npu_op_kernel_library(<target> SRC_BASE <dir> TILING_LIBRARY <target>)
function(npu_op_kernel_library target)
  cmake_parse_arguments(LIB "" "SRC_BASE;TILING_LIBRARY" "" ${ARGN})
  foreach(needed SRC_BASE TILING_LIBRARY)
    if(NOT LIB_${needed})
      message(FATAL_ERROR "must provide ${needed} for npu_op_kernel_library")
    endif()
  endforeach()
  get_filename_component(base "${LIB_SRC_BASE}" ABSOLUTE)
  set_property(GLOBAL PROPERTY _ASC_TARGET_${target}_TYPE KERNEL)
  set_property(GLOBAL PROPERTY _ASC_KERNEL_${target}_BASE ${base})
endfunction()

# The custom commands of one kernel library; sets <result> to the binaries they make, or <targets> to targets without
# files, as CANN's functions have them, which each make builds again.
function(_asc_kernel_commands target vendor result targets)
  get_property(base GLOBAL PROPERTY _ASC_KERNEL_${target}_BASE)
  get_property(sources GLOBAL PROPERTY _ASC_KERNEL_${target}_SOURCES)
  get_property(options GLOBAL PROPERTY _ASC_KERNEL_${target}_OPTIONS)
  get_property(autogen GLOBAL PROPERTY _ASC_AUTOGEN)
  set(work ${CMAKE_BINARY_DIR}/kernels)
  # Messages name the user's file, not the copy that is compiled, and binaries are the same from whatever folder.
  set(maps ${CMAKE_BINARY_DIR}=. ${ASC_SOURCE_PREFIX_MAP})
  foreach(map IN LISTS maps)
    list(APPEND options "--option=ALL=-ffile-prefix-map=${map}")
  endforeach()
  execute_process(
    COMMAND ${ASCEND_PYTHON_EXECUTABLE} ${_ASC_SCRIPTS}/kernel_columns.py --autogen ${autogen} --base ${base} --work ${work}
            "--units=${ASCEND_COMPUTE_UNIT}" ${sources} ${options}
    RESULT_VARIABLE code OUTPUT_VARIABLE columns ERROR_VARIABLE errors)
  if(NOT code EQUAL 0)
    message(NOTICE "${errors}")
    message(FATAL_ERROR "the kernels of ${target} cannot be compiled")
  endif()
  string(REGEX REPLACE "\n$" "" columns "${columns}")
  string(REPLACE "\n" ";" columns "${columns}")
  set(made)
  set(loose_targets)
  _asc_awkward(loose-targets loose)
  foreach(column IN LISTS columns)
    string(REPLACE "|" ";" fields "${column}")
    list(GET fields 0 name)
    list(GET fields 1 impl)
    list(GET fields 2 param)
    list(GET fields 3 soc)
    list(GET fields 4 source)
    list(GET fields 5 folder)
    list(GET fields 6 function)
    set(object ${folder}/${name}.o)
    # As in CANN's functions, which want make's own job server: $(MAKE) is nothing that Ninja takes.
    set(command ${ASCEND_PYTHON_EXECUTABLE} ${_ASC_SCRIPTS}/compile_kernel.py --compiler=${CMAKE_CXX_COMPILER}
        --build-tool=$(MAKE) ${ASC_ROOT}/bin/asc_opc ${impl} --main_func=${function} --input_param=${param}
        --soc_version=${soc} --output=${folder} --impl_mode=high_performance,optional --simplified_key_mode=0
        --op_mode=dynamic --depfile=${folder}/${name}.d)
    if(loose)
      get_filename_component(unit ${folder} NAME)
      add_custom_target(${name}_${unit} COMMAND ${command} COMMENT "Compiling kernel ${name}" VERBATIM)
      list(APPEND loose_targets ${name}_${unit})
      continue()
    endif()
    add_custom_command(
      OUTPUT ${object} ${folder}/${name}.json
      COMMAND ${command}
      DEPENDS ${impl} ${param} ${source} ${ASC_ROOT}/bin/asc_opc
      DEPFILE ${folder}/${name}.d
      COMMENT "Compiling kernel ${name}"
      VERBATIM)
    list(APPEND made ${object} ${folder}/${name}.json)
  endforeach()
  set(${result} "${made}" PARENT_SCOPE)
  set(${targets} "${loose_targets}" PARENT_SCOPE)
endfunction()
