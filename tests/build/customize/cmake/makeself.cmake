execute_process(
  COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/util/pack.sh ${CPACK_TEMPORARY_DIRECTORY} ${CPACK_PACKAGE_FILE_NAME}
  RESULT_VARIABLE code ERROR_VARIABLE errors)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "CPack Command error: ${code}\n${errors}")
endif()
execute_process(COMMAND cp ${CPACK_TEMPORARY_DIRECTORY}/${CPACK_PACKAGE_FILE_NAME} ${CPACK_PACKAGE_DIRECTORY}/)
