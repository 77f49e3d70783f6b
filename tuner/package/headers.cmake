# The installed headers, all of them: where each is in the tree, and what programs include it as, below <warptune/>. A public
# header includes public headers only, and installing refuses one that does not: so nothing is installed by accident, and what
# lower layers lend to the interface is written down here. (Installing whole folders, as it once was, made every internal header
# part of the interface, and "search/..." a name in everybody's include path.)
set(WARPTUNE_PUBLIC_HEADERS
    # Tuning: kernels of the program's own, and templates.
    tuner/library/api/tuner.h tuner.h
    tuner/library/api/tune.h tune.h
    tuner/library/api/array.h array.h
    tuner/library/api/names.h names.h
    tuner/library/api/run.h run.h
    tuner/library/api/tuner_result.h tuner_result.h
    tuner/library/api/values.h values.h
    # Launching tuned kernels.
    tuner/library/runtime/runtime.h runtime.h
    tuner/library/runtime/host.h runtime_host.h
    # What tuning is told and tells.
    tuner/measure/cache/cache_options.h tuner/cache_options.h
    tuner/device/backend_options.h tuner/backend_options.h
    tuner/device/element_type.h tuner/element_type.h
    tuner/device/launch_geometry.h tuner/launch_geometry.h
    tuner/kernel/role.h tuner/role.h
    tuner/measure/evaluator_options.h tuner/evaluator_options.h
    tuner/measure/sampling/policy.h tuner/policy.h
    tuner/measure/sampling/same_bits.h tuner/same_bits.h
    tuner/session/request.h tuner/request.h
    tuner/session/result.h tuner/result.h
    tuner/session/queue/work.h tuner/work.h
    tuner/measure/workers/program.h tuner/program.h
    # The store.
    db/records.h db/records.h
    db/session_state.h db/session_state.h
    db/store.h db/store.h
    db/store_access.h db/store_access.h
    # Search spaces and strategies.
    search/budget.h search/budget.h
    search/configuration.h search/configuration.h
    search/error.h search/error.h
    search/expected_output.h search/expected_output.h
    search/models/earlier_trials.h search/earlier_trials.h
    search/expression/expression.h search/expression.h
    search/parameter.h search/parameter.h
    search/random.h search/random.h
    search/space/search_space.h search/search_space.h
    search/strategies/strategy.h search/strategy.h
    search/trial.h search/trial.h
    search/value.h search/value.h)

# In the tree <warptune/x.h> is a line that includes the header where it is; calls handle(SOURCE NAME) of the caller for each.
macro(warptune_for_each_public_header handle)
  set(_headers ${WARPTUNE_PUBLIC_HEADERS})
  while(_headers)
    list(POP_FRONT _headers _source _name)
    cmake_language(CALL ${handle} "${_source}" "${_name}")
  endwhile()
endmacro()

function(warptune_forward_header source name)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/include/warptune/${name} CONTENT "#include \"${source}\"\n" @ONLY)
endfunction()

# Copies a header to FOLDER/warptune/NAME, its includes as programs spell them.
function(warptune_publish_header source name)
  file(READ "${WARPTUNE_SOURCE}/${source}" text)
  string(REGEX MATCHALL "#include \"[^\"]+\"" includes "${text}")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE "#include \"([^\"]+)\"" "\\1" included "${include}")
    list(FIND WARPTUNE_PUBLIC_HEADERS "${included}" place)
    if(place EQUAL -1)
      message(FATAL_ERROR "${source} is installed and includes ${included}, which tuner/package/headers.cmake does not list: "
                          "list it if programs are to see it, or make do without it")
    endif()
    math(EXPR place "${place} + 1")
    list(GET WARPTUNE_PUBLIC_HEADERS ${place} public)
    string(REPLACE "${include}" "#include <warptune/${public}>" text "${text}")
  endforeach()
  file(WRITE "${FOLDER}/warptune/${name}" "${text}")
endfunction()

# tuner/library/runtime/ is the component runtime, all else is the tuner's.
function(warptune_publish_if_wanted source name)
  set(component tuner)
  if(source MATCHES "^tuner/library/runtime/")
    set(component runtime)
  endif()
  if(component STREQUAL COMPONENT)
    warptune_publish_header(${source} ${name})
  endif()
endfunction()

# As a script, cmake -DWARPTUNE_SOURCE=... -DFOLDER=... -DCOMPONENT=runtime|tuner -P headers.cmake: writes what is to be installed
# of a component into FOLDER.
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  file(REMOVE_RECURSE "${FOLDER}")
  warptune_for_each_public_header(warptune_publish_if_wanted)
endif()
