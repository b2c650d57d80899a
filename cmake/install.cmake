# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

# Installs the library, its headers, the command, and what pkg-config and find_package(tactus) need.
# All files can be moved together: nothing in them names the place they were installed to.

include(CMakePackageConfigHelpers)

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/tactus")
set(pkgconfig_folder "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

install(TARGETS tactus EXPORT tactusTargets)
install(TARGETS tactus_command)
install(DIRECTORY include/tactus DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
install(DIRECTORY examples DESTINATION "${CMAKE_INSTALL_DATADIR}/tactus" OPTIONAL)

# the manual page and what shells complete with are written by the command itself
install(CODE "
  set(tactus \"$<TARGET_FILE:tactus_command>\")
  function(tactus_writes folder name)
    set(place \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/\${folder}\")
    file(MAKE_DIRECTORY \"\${place}\")
    execute_process(COMMAND \"\${tactus}\" \${ARGN} OUTPUT_FILE \"\${place}/\${name}\" COMMAND_ERROR_IS_FATAL ANY)
    message(STATUS \"Installing: \${place}/\${name}\")
  endfunction()
  tactus_writes(\"${CMAKE_INSTALL_MANDIR}/man1\" tactus.1 help --man)
  tactus_writes(\"${CMAKE_INSTALL_DATADIR}/bash-completion/completions\" tactus completion bash)
  tactus_writes(\"${CMAKE_INSTALL_DATADIR}/zsh/site-functions\" _tactus completion zsh)
")
install(FILES LICENSE NOTICE DESTINATION "${CMAKE_INSTALL_DOCDIR}")

# Python: the package, and the library that it loads beside it (a shared build installs that one anyway)
set(python_folder "${CMAKE_INSTALL_LIBDIR}/tactus/python")
install(DIRECTORY python/tactus DESTINATION "${python_folder}" FILES_MATCHING PATTERN "*.py" PATTERN "__pycache__" EXCLUDE)
if(NOT BUILD_SHARED_LIBS)
  install(FILES $<TARGET_FILE:tactus_loadable> DESTINATION "${python_folder}/tactus" OPTIONAL)
endif()

# find_package(tactus)
install(EXPORT tactusTargets NAMESPACE tactus:: DESTINATION "${package_folder}")
configure_package_config_file(cmake/tactusConfig.cmake.in "${PROJECT_BINARY_DIR}/cmake/tactusConfig.cmake"
                              INSTALL_DESTINATION "${package_folder}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cmake/tactusConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/cmake/tactusConfig.cmake"
              "${PROJECT_BINARY_DIR}/cmake/tactusConfigVersion.cmake" DESTINATION "${package_folder}")

# pkg-config: who links a static library links what it stands on as well
set(other_packages "libxml-2.0 zlib cairo libwebsockets sndfile")
set(other_libraries "-lamd -lsuitesparseconfig -pthread")
if(CMAKE_DL_LIBS)
  string(APPEND other_libraries " -l${CMAKE_DL_LIBS}")
endif()
if(BUILD_SHARED_LIBS)
  set(pc_dependencies "Requires.private: ${other_packages}\nLibs.private: ${other_libraries}\n")
else()
  set(pc_dependencies "Requires: ${other_packages}\n")
  set(pc_static_libraries " ${other_libraries}")
endif()
string(REGEX REPLACE "[^/]+" ".." prefix_from_pkgconfig "${pkgconfig_folder}")
configure_file(cmake/tactus.pc.in "${PROJECT_BINARY_DIR}/cmake/tactus.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/cmake/tactus.pc" DESTINATION "${pkgconfig_folder}")
