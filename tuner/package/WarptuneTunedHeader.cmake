# warptune_tuned_header(TARGET TEMPLATE FROM FILE | STORE FILE
#                       [FORMAT header|defines] [OUTPUT NAME] [DEVICE NAME] [PREFIX TEXT])
#
# Writes the tuned configurations of the template TEMPLATE as <TEMPLATE>_tuned.h when TARGET is built, again whenever the
# source changes, and lets TARGET include it as "<TEMPLATE>_tuned.h". TEMPLATE is a kernel's name, or the path of its template's
# folder or manifest; the folder's name then names the header.
#
#   FROM     a wisdom file (`warptune export TEMPLATE --format wisdom`), such as one that is checked in
#   STORE    a store that `warptune tune` filled
#   FORMAT   of the two that are headers; default header
#   OUTPUT   another name for the header
#   DEVICE   only winners of this device
#   PREFIX   of macros: for several kernels with parameters of one name in one file
function(warptune_tuned_header target template)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "FROM;STORE;FORMAT;OUTPUT;DEVICE;PREFIX" "")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "warptune_tuned_header: unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT TARGET warptune::program)
    message(FATAL_ERROR "warptune_tuned_header(${target} ${template}): the program that writes headers is not installed beside the "
                        "libraries: install Warptune's component program (Debian: the package warptune)")
  endif()
  if((arg_FROM AND arg_STORE) OR NOT (arg_FROM OR arg_STORE))
    message(FATAL_ERROR "warptune_tuned_header(${target} ${template}): give either FROM, a wisdom file, or STORE, a store")
  endif()
  if(NOT arg_FORMAT)
    set(arg_FORMAT header)
  elseif(NOT arg_FORMAT MATCHES "^(header|defines)$")
    message(FATAL_ERROR "warptune_tuned_header(${target} ${template}): FORMAT ${arg_FORMAT} is no header: give header or defines")
  endif()
  get_filename_component(name "${template}" NAME)
  if(name STREQUAL "template.toml")
    get_filename_component(name "${template}" DIRECTORY)
    get_filename_component(name "${name}" NAME)
  endif()
  if(template MATCHES "/")
    cmake_path(ABSOLUTE_PATH template BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
  endif()
  if(NOT arg_OUTPUT)
    set(arg_OUTPUT "${name}_tuned.h")
  endif()

  set(source "${arg_FROM}${arg_STORE}")
  cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
  if(arg_FROM)
    set(choice --from "${source}")
  else()
    set(choice --db "${source}")
  endif()
  if(arg_DEVICE)
    list(APPEND choice --device "${arg_DEVICE}")
  endif()

  if(arg_PREFIX)
    list(APPEND choice --prefix "${arg_PREFIX}")
  endif()

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}.warptune")
  file(MAKE_DIRECTORY "${folder}")
  add_custom_command(
    OUTPUT "${folder}/${arg_OUTPUT}"
    COMMAND warptune::program export "${template}" ${choice} --format "${arg_FORMAT}" --output "${folder}/${arg_OUTPUT}"
    DEPENDS "${source}" warptune::program
    COMMENT "Writing ${arg_OUTPUT} from ${source}"
    VERBATIM)
  target_sources(${target} PRIVATE "${folder}/${arg_OUTPUT}")
  target_include_directories(${target} PRIVATE "${folder}")
endfunction()
