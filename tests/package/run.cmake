# cmake -DBUILD=… -DSOURCE=… -DWORK=… -P run.cmake: installs the build into a folder of its own and uses it from projects outside the
# tree with find_package: the consumer and the examples. Fails at the first step that does.
set(consumer "${WORK}/consumer-source")
set(build "${WORK}/consumer")
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
file(COPY "${SOURCE}/consumer/" DESTINATION "${consumer}")
file(COPY "${SOURCE}/../../examples/vector_add.wisdom.json" DESTINATION "${consumer}")

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${WORK}" OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  set(output "${output}" PARENT_SCOPE)
endfunction()
function(require text pattern)
  if(NOT text MATCHES "${pattern}")
    message(FATAL_ERROR "expected '${pattern}', got '${text}'")
  endif()
endfunction()
set(configure -G Ninja "-DCMAKE_PREFIX_PATH=${WORK}/installed" "-DCMAKE_CXX_FLAGS=${FLAGS}")

run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/installed")
run("${WORK}/installed/bin/warptune" space gemm --device host)

# The tuner, and a header from a wisdom file, made again when the file changes.
run("${CMAKE_COMMAND}" -S "${consumer}" -B "${build}" ${configure})
run("${CMAKE_COMMAND}" --build "${build}")
run("${build}/consumer")
run("${build}/from_wisdom")
require("${output}" "^BLOCK=[0-9]+ of [0-9]+")
file(READ "${consumer}/vector_add.wisdom.json" wisdom)
string(REGEX REPLACE "(\"configuration\":{\"BLOCK\":)[0-9]+" "\\1 77" wisdom "${wisdom}")
file(WRITE "${consumer}/vector_add.wisdom.json" "${wisdom}")
run("${CMAKE_COMMAND}" --build "${build}")
run("${build}/from_wisdom")
require("${output}" "^BLOCK=77 ")

# A header from the store that the consumer filled.
run("${CMAKE_COMMAND}" -S "${consumer}" -B "${build}" "-DSTORE=${WORK}/consumer.db")
run("${CMAKE_COMMAND}" --build "${build}")
run("${build}/from_store")
require("${output}" "^BLOCK=[0-9]+ of 1")

# The examples as a project of their own: the tuner interface and the runtime.
run("${CMAKE_COMMAND}" -S "${SOURCE}/../../examples" -B "${WORK}/examples" ${configure})
run("${CMAKE_COMMAND}" --build "${WORK}/examples")
run("${CMAKE_CTEST_COMMAND}" --test-dir "${WORK}/examples" --output-on-failure)
