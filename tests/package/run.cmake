# cmake -DBUILD=… -DSOURCE=… -DWORK=… -DCXX=… -DFLAGS=… -P run.cmake: installs the build into a folder of its own and uses it from
# projects outside the tree with find_package: every header alone, the consumer, the examples; with the compiler of the build, and
# with the other of GCC and Clang where there is one. Fails at the first step that does.
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
set(warnings "-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror")

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${WORK}" OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  set(output "${output}" PARENT_SCOPE)
endfunction()
function(require text pattern)
  if(NOT text MATCHES "${pattern}")
    message(FATAL_ERROR "expected '${pattern}', got '${text}'")
  endif()
endfunction()
# build(SOURCE FOLDER COMPILER): a project of its own, whose warnings are errors.
function(build source folder compiler)
  run("${CMAKE_COMMAND}" -G Ninja -S "${source}" -B "${folder}" "-DCMAKE_PREFIX_PATH=${WORK}/installed"
      "-DCMAKE_CXX_COMPILER=${compiler}" "-DCMAKE_CXX_FLAGS=${warnings} ${FLAGS}" ${ARGN})
  run("${CMAKE_COMMAND}" --build "${folder}")
endfunction()

# refuse(SAYS ARGUMENT...): the command fails and says so.
function(refuse says)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${WORK}" OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
  if(status EQUAL 0)
    message(FATAL_ERROR "expected a failure: ${ARGN}")
  endif()
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  require("${output}" "${says}")
endfunction()

run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/installed")
# The program alone is found without the libraries' dependencies and without C++; a component that does not exist is named.
file(WRITE "${WORK}/header/CMakeLists.txt" "cmake_minimum_required(VERSION 3.25)
project(header LANGUAGES NONE)
find_package(warptune REQUIRED COMPONENTS \${COMPONENT})
message(STATUS \"found \${warptune_program_FOUND} \${warptune_runtime_FOUND}\")\n")
set(configure "${CMAKE_COMMAND}" -G Ninja -S "${WORK}/header" -B "${WORK}/header/build" "-DCMAKE_PREFIX_PATH=${WORK}/installed"
    -DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON)
run(${configure} -DCOMPONENT=program)
require("${output}" "found TRUE FALSE")
refuse("has no component 'runtim'; it has program, runtime, tuner, templates" ${configure} -DCOMPONENT=runtim)
run("${WORK}/installed/bin/warptune" space gemm --device host)
# The headers for kernels, which nvcc finds where programs find the others.
file(WRITE "${WORK}/sum.cu" "#include <warptune/device/look_back.cuh>
__global__ void k(float* x) { x[0] = warptune::device::warp_sum(x[threadIdx.x]); }\n")
if(NOT EXISTS "${WORK}/installed/include/warptune-0.1/warptune/device/look_back.cuh" OR
   EXISTS "${WORK}/installed/share/warptune-0.1/templates/include/warptune")
  message(FATAL_ERROR "the headers for kernels are not installed, or twice")
endif()
find_program(NVCC nvcc PATHS /usr/local/cuda/bin NO_CACHE)
if(NVCC)
  run("${NVCC}" -arch=sm_90 -std=c++17 -Werror all-warnings -I "${WORK}/installed/include/warptune-0.1" -cubin -o "${WORK}/sum.cubin" "${WORK}/sum.cu")
endif()

set(compilers "${CXX}")
if(NOT FLAGS MATCHES "sanitize")  # whose libraries are one compiler's
  find_program(OTHER NAMES clang++ clang++-14 g++ NO_CACHE)
  if(CXX MATCHES "clang")
    find_program(GNU g++ NO_CACHE)
    set(OTHER "${GNU}")
  endif()
  if(OTHER)
    list(APPEND compilers "${OTHER}")
  endif()
endif()
foreach(compiler IN LISTS compilers)
  get_filename_component(name "${compiler}" NAME)
  build("${SOURCE}/headers" "${WORK}/headers-${name}" "${compiler}")
  run("${WORK}/headers-${name}/head_of_tuner")

  # The consumer as it stands in the tree: the tuner, and a header from a wisdom file.
  set(consumer "${WORK}/consumer-${name}")
  build("${SOURCE}/consumer" "${consumer}" "${compiler}")
  run("${consumer}/consumer")
  run("${consumer}/from_wisdom")
  require("${output}" "^BLOCK_SIZE=[0-9]+ of [0-9]+")

  # The examples as a project of their own: the tuner interface and the runtime.
  build("${SOURCE}/../../examples" "${WORK}/examples-${name}" "${compiler}")
  run("${CMAKE_CTEST_COMMAND}" --test-dir "${WORK}/examples-${name}" --output-on-failure)
endforeach()

# Of a copy, for it is edited: the header is made again when the wisdom file changes, and made from the store that the consumer
# filled.
set(edited "${WORK}/edited-source")
file(COPY "${SOURCE}/consumer/" DESTINATION "${edited}")
build("${edited}" "${WORK}/edited" "${CXX}" "-DSTORE=${WORK}/consumer.db")
run("${WORK}/edited/from_store")
require("${output}" "^BLOCK_SIZE=[0-9]+ of 1")
file(READ "${edited}/vector_add.wisdom.json" wisdom)
string(REGEX REPLACE "(\"configuration\":{\"BLOCK_SIZE\":)[0-9]+" "\\1 77" wisdom "${wisdom}")
file(WRITE "${edited}/vector_add.wisdom.json" "${wisdom}")
run("${CMAKE_COMMAND}" --build "${WORK}/edited")
run("${WORK}/edited/from_wisdom")
require("${output}" "^BLOCK_SIZE=77 ")
# What is no header is refused before anything is built, and a device without a winner by the program.
refuse("FORMAT wisdom is no header" "${CMAKE_COMMAND}" "-DHEADER_OPTIONS=FORMAT\;wisdom" "${WORK}/edited")
run("${CMAKE_COMMAND}" "-DHEADER_OPTIONS=DEVICE\;NoSuch" "${WORK}/edited")
refuse("no entry" "${CMAKE_COMMAND}" --build "${WORK}/edited" --target from_wisdom)
