# What is installed where, in four components:
#
#   program     bin/warptune, man pages, completions
#   templates   share/warptune-0.1/templates
#   runtime     what applications link to launch tuned kernels, its headers, find_package(warptune)
#   tuner       what applications link to tune (needs runtime)
#
# Everything but the program carries the version that the interface is stable for (major.minor) in its path, as CMake's own
# share/cmake-3.25 and GLib's include/glib-2.0 do: several versions lie side by side in one prefix, and find_package() takes the
# one asked for. All paths are relative to the prefix, which may be moved as a whole.
include(GNUInstallDirs)
set(WARPTUNE_VERSIONED warptune-${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(WARPTUNE_INSTALL_DATADIR ${CMAKE_INSTALL_DATADIR}/${WARPTUNE_VERSIONED})
set(WARPTUNE_INSTALL_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR}/${WARPTUNE_VERSIONED})
set(WARPTUNE_INSTALL_LIBDIR ${CMAKE_INSTALL_LIBDIR}/${WARPTUNE_VERSIONED})
set(WARPTUNE_INSTALL_CMAKEDIR ${CMAKE_INSTALL_LIBDIR}/cmake/${WARPTUNE_VERSIONED})
# Where the program finds its data, from its own folder.
file(RELATIVE_PATH WARPTUNE_DATA_FROM_PROGRAM "/${CMAKE_INSTALL_BINDIR}" "/${WARPTUNE_INSTALL_DATADIR}")

# What warptune::runtime and warptune::runtime_host are made of; and what only the program is. All other libraries are the tuner's.
set(WARPTUNE_RUNTIME_LIBRARIES search system compile device backend_cuda backend_host kernel data manifest source t1 files cache wisdom
    runtime runtime_host)
set(WARPTUNE_PROGRAM_LIBRARIES doctor serve cli)

function(warptune_install_library name exported)
  if(exported IN_LIST WARPTUNE_PROGRAM_LIBRARIES)
    return()
  endif()
  set(component tuner)
  set(export warptuneTunerTargets)
  if(exported IN_LIST WARPTUNE_RUNTIME_LIBRARIES)
    set(component runtime)
    set(export warptuneRuntimeTargets)
  endif()
  install(TARGETS ${name} EXPORT ${export} ARCHIVE DESTINATION ${WARPTUNE_INSTALL_LIBDIR} COMPONENT ${component})
endfunction()

# After all targets: the headers, the templates, and what find_package() reads.
function(warptune_install_package)
  include(CMakePackageConfigHelpers)
  set(warptune_TEMPLATES ${WARPTUNE_INSTALL_DATADIR}/templates)
  configure_package_config_file(tuner/package/warptuneConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/warptuneConfig.cmake
                                INSTALL_DESTINATION ${WARPTUNE_INSTALL_CMAKEDIR} PATH_VARS warptune_TEMPLATES)
  write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/warptuneConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/warptuneConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/warptuneConfigVersion.cmake
                tuner/package/WarptuneTunedHeader.cmake
          DESTINATION ${WARPTUNE_INSTALL_CMAKEDIR} COMPONENT runtime)
  foreach(part Program Runtime Tuner)
    string(TOLOWER ${part} component)
    install(EXPORT warptune${part}Targets NAMESPACE warptune:: DESTINATION ${WARPTUNE_INSTALL_CMAKEDIR} COMPONENT ${component})
  endforeach()

  foreach(component runtime tuner)
    set(published ${CMAKE_CURRENT_BINARY_DIR}/published/${component})
    install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" \"-DWARPTUNE_SOURCE=${CMAKE_CURRENT_SOURCE_DIR}\"
                                  \"-DFOLDER=${published}\" -DCOMPONENT=${component}
                                  -P \"${CMAKE_CURRENT_SOURCE_DIR}/tuner/package/headers.cmake\" COMMAND_ERROR_IS_FATAL ANY)"
            COMPONENT ${component})
    install(DIRECTORY ${published}/ DESTINATION ${WARPTUNE_INSTALL_INCLUDEDIR} COMPONENT ${component})
  endforeach()

  install(DIRECTORY templates/ DESTINATION ${WARPTUNE_INSTALL_DATADIR}/templates COMPONENT templates
          PATTERN ".recording" EXCLUDE
          PATTERN "bugs.toml" EXCLUDE
          REGEX "/templates/include/warptune$" EXCLUDE)  # those lie among the C++ headers
  install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
endfunction()
