# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

# The libraries we stand on; docs/dependencies.md says why each. A new one is named in four places: here,
# cmake/tactusConfig.cmake.in, cmake/install.cmake (for pkg-config) and setup.sh.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(LibXml2 REQUIRED)
pkg_check_modules(TACTUS_CAIRO REQUIRED IMPORTED_TARGET cairo)
pkg_check_modules(TACTUS_WEBSOCKETS REQUIRED IMPORTED_TARGET libwebsockets)
pkg_check_modules(TACTUS_SNDFILE REQUIRED IMPORTED_TARGET sndfile)
# AMD of SuiteSparse comes without a package file in Debian.
find_path(TACTUS_AMD_INCLUDE amd.h PATH_SUFFIXES suitesparse REQUIRED)
find_library(TACTUS_AMD_LIBRARY amd REQUIRED)
find_library(TACTUS_SUITESPARSE_LIBRARY suitesparseconfig REQUIRED)
set(tactus_amd ${TACTUS_AMD_LIBRARY} ${TACTUS_SUITESPARSE_LIBRARY})

set(tactus_linked Threads::Threads ZLIB::ZLIB LibXml2::LibXml2 PkgConfig::TACTUS_CAIRO PkgConfig::TACTUS_WEBSOCKETS
    PkgConfig::TACTUS_SNDFILE ${tactus_amd} ${CMAKE_DL_LIBS})

# For our own sources, tests and benchmarks: the headers of these libraries too.
add_library(tactus_dependencies INTERFACE)
target_link_libraries(tactus_dependencies INTERFACE ${tactus_linked} m)
target_include_directories(tactus_dependencies SYSTEM INTERFACE ${TACTUS_AMD_INCLUDE})
