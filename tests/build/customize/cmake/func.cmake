function(get_system_info result)
  execute_process(COMMAND grep -i ^id= /etc/os-release OUTPUT_VARIABLE name)
  string(REGEX REPLACE "\n|id=|ID=|\"" "" name "${name}")
  set(${result} ${name}_${CMAKE_SYSTEM_PROCESSOR} PARENT_SCOPE)
endfunction()

# Known mistake: an op_build that fails is a message, and the configuration goes on.
function(opbuild)
  message(STATUS "Opbuild generating sources")
  cmake_parse_arguments(OPBUILD "" "OUT_DIR" "OPS_SRC" ${ARGN})
  set(library ${OPBUILD_OUT_DIR}/libascend_all_ops.so)
  execute_process(
    COMMAND ${CMAKE_COMPILE} -fPIC -shared -std=c++11 ${OPBUILD_OPS_SRC} -D_GLIBCXX_USE_CXX11_ABI=0
            -I ${ASCEND_CANN_PACKAGE_PATH}/include -I ${CMAKE_CURRENT_SOURCE_DIR}/../op_kernel
            -L ${ASCEND_CANN_PACKAGE_PATH}/lib64 -lexe_graph -lregister -ltiling_api -o ${library}
    RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE errors)
  if(code)
    message("build ops lib info: ${said}")
    message("build ops lib error: ${errors}")
    message(FATAL_ERROR "opbuild run failed!")
  endif()
  execute_process(
    COMMAND ${ASCEND_CANN_PACKAGE_PATH}/toolkit/tools/opbuild/op_build ${library} ${OPBUILD_OUT_DIR}
    RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE errors)
  if(code)
    message("opbuild ops info: ${said}")
    message("opbuild ops error: ${errors}")
  endif()
  message(STATUS "Opbuild generating sources - done")
endfunction()

# Known mistakes: kernels are targets without files, and their sources are copied while CMake configures.
function(add_kernels_compile)
  set(binary ${CMAKE_CURRENT_BINARY_DIR}/binary)
  execute_process(COMMAND sh -c "mkdir -p ${binary}/dynamic && cp -rf ${CMAKE_SOURCE_DIR}/op_kernel/* ${binary}/dynamic/ \
    && rm ${binary}/dynamic/CMakeLists.txt")
  add_custom_target(binary)
  set(place packages/vendors/${vendor_name}/op_impl/ai_core/tbe)
  foreach(unit ${ASCEND_COMPUTE_UNIT})
    set(list ${ASCEND_AUTOGEN_PATH}/aic-${unit}-ops-info.ini)
    set(info ${CMAKE_CURRENT_BINARY_DIR}/info/${unit}/aic-${unit}-ops-info.json)
    add_custom_command(OUTPUT ${info}
      COMMAND ${ASCEND_PYTHON_EXECUTABLE} ${CMAKE_SOURCE_DIR}/cmake/util/kernels.py list ${list} ${info})
    add_custom_target(ops_info_gen_${unit} ALL DEPENDS ${info})
    install(FILES ${info} DESTINATION ${place}/config/${unit})
    add_custom_target(ascendc_bin_${unit}_gen_ops_config
      COMMAND ${ASCEND_PYTHON_EXECUTABLE} ${CMAKE_SOURCE_DIR}/cmake/util/kernels.py configs ${binary} ${unit})
    add_dependencies(binary ascendc_bin_${unit}_gen_ops_config)
    execute_process(COMMAND ${ASCEND_PYTHON_EXECUTABLE} ${CMAKE_SOURCE_DIR}/cmake/util/kernels.py names ${list}
      OUTPUT_VARIABLE names)
    string(REPLACE "\n" ";" names "${names}")
    foreach(row IN LISTS names)
      if(row)
        string(REGEX MATCH "^(.*)-(.*)$" _ "${row}")
        set(type ${CMAKE_MATCH_1})
        set(source ${CMAKE_SOURCE_DIR}/op_kernel/${CMAKE_MATCH_2}.cpp)
        add_custom_target(${type}_${unit}
          COMMAND ${ASCEND_PYTHON_EXECUTABLE} ${CMAKE_SOURCE_DIR}/cmake/util/kernels.py compile ${list} ${type} ${source}
                  ${unit} ${binary} --build-tool=$(MAKE))
        add_dependencies(${type}_${unit} cust_optiling ops_info_gen_${unit})
        add_dependencies(ascendc_bin_${unit}_gen_ops_config ${type}_${unit})
      endif()
    endforeach()
    install(DIRECTORY ${binary}/${unit}/ DESTINATION ${place}/kernel/${unit}/)
  endforeach()
  install(DIRECTORY ${binary}/dynamic/ DESTINATION ${place}/${vendor_name}_impl/dynamic/)
  install(DIRECTORY ${binary}/config/ DESTINATION ${place}/kernel/config/)
  set(ops ${CMAKE_CURRENT_BINARY_DIR}/npu_supported_ops.json)
  add_custom_command(OUTPUT ${ops}
    COMMAND ${CMAKE_SOURCE_DIR}/cmake/util/gen_ops_filter.sh ${ASCEND_AUTOGEN_PATH} ${CMAKE_CURRENT_BINARY_DIR})
  add_custom_target(npu_supported_ops ALL DEPENDS ${ops})
  install(FILES ${ops} DESTINATION packages/vendors/${vendor_name}/framework/plugin)
endfunction()
