# `cpack` in a build folder: one archive with everything, which may be unpacked anywhere, and two Debian packages as Debian divides
# them: `warptune`, the program with its templates, and `libwarptune-dev`, what programs are built with. Meant for the preset
# `release` (`cpack --preset release`), whose program needs few libraries; other presets give packages of what they built.
set(CPACK_PACKAGE_NAME warptune)
set(CPACK_PACKAGE_VENDOR "Warptune")
set(CPACK_PACKAGE_CONTACT "Warptune's authors <warptune@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
    "Compiles configurations of a CUDA kernel at run time, verifies and measures them, and hands the best ones back as C++ headers,\
 as JSON, or to a program at run time. Without a GPU, kernels run on the processor (needs a C++ compiler).")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_RESOURCE_FILE_README ${PROJECT_SOURCE_DIR}/README.md)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES OFF)  # static libraries would lose what links them; the release's program is stripped by its link

set(CPACK_PACKAGE_FILE_NAME warptune-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_COMPONENT_PROGRAM_GROUP program)
set(CPACK_COMPONENT_TEMPLATES_GROUP program)
set(CPACK_COMPONENT_RUNTIME_GROUP development)
set(CPACK_COMPONENT_TUNER_GROUP development)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_HOMEPAGE "")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME warptune)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
# Without a GPU, the host backend compiles.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "g++")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "libpq5, libwarptune-dev, nvidia-cuda-toolkit")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libwarptune-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
# What the static libraries link and find_package(warptune) asks for.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "warptune (= ${PROJECT_VERSION}), libboost-context-dev, libfmt-dev, libsqlite3-dev, libsqlitecpp-dev, nlohmann-json3-dev, zlib1g-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "cmake")

include(CPack)
cpack_add_component_group(program DISPLAY_NAME "The program" DESCRIPTION "The command line and its kernel templates")
cpack_add_component_group(development DISPLAY_NAME "The libraries"
                          DESCRIPTION "What programs link that launch tuned kernels, or tune kernels of their own")
