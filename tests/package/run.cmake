# cmake -DBUILD=… -DSOURCE=… -DWORK=… -P run.cmake: installs the build into a folder of its own, builds the consumer against it with
# find_package, and runs it. Fails at the first step that does.
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
foreach(step IN ITEMS
    "${CMAKE_COMMAND}|--install|${BUILD}|--prefix|${WORK}/installed"
    "${CMAKE_COMMAND}|-S|${SOURCE}/consumer|-B|${WORK}/consumer|-G|Ninja|-DCMAKE_PREFIX_PATH=${WORK}/installed|-DCMAKE_CXX_FLAGS=${FLAGS}"
    "${CMAKE_COMMAND}|--build|${WORK}/consumer"
    "${WORK}/consumer/consumer"
    "${WORK}/installed/bin/warptune|space|gemm|--device|host")
  string(REPLACE "|" ";" command "${step}")
  execute_process(COMMAND ${command} WORKING_DIRECTORY "${WORK}" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endforeach()
