# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

# Tests and benchmarks, found by their names:
#   tests/X_test.c            a cmocka program                        label: unit (threads, where it uses them)
#   tests/X_test.py, .sh      a script that drives the command        label: script
#   tests/X_soak.c            a long test: `X_soak SEED`              labels: sample (a few seeds), soak (many)
#   tests/fuzz_X.c            a fuzz harness, corpus in tests/corpus/X   labels: fuzz, soak
#   bench/X_bench.c           a benchmark; built, not run
# Other files in tests/ and bench/ are helpers that all of their folder may use.

if(TACTUS_TESTS STREQUAL "OFF")
  return()
endif()

enable_testing()
find_package(Python3 COMPONENTS Interpreter)
pkg_check_modules(CMOCKA QUIET IMPORTED_TARGET cmocka)
if(NOT (CMOCKA_FOUND AND Python3_FOUND))
  if(TACTUS_TESTS STREQUAL "AUTO")
    message(STATUS "No tests: they need cmocka and Python 3 (./setup.sh test installs them)")
    return()
  endif()
  message(FATAL_ERROR "Tests need cmocka and Python 3: ./setup.sh test installs them")
endif()

# Tests look inside the library, which a shared one does not allow: they get a static one of the same objects.
if(BUILD_SHARED_LIBS)
  add_library(tactus_inside STATIC $<TARGET_OBJECTS:tactus_objects>)
  set_target_properties(tactus_inside PROPERTIES LINKER_LANGUAGE C)
else()
  add_library(tactus_inside ALIAS tactus)
endif()

set(test_environment
    TACTUS_BINARY=$<TARGET_FILE:tactus_command>
    TACTUS_LIBRARY=$<TARGET_FILE:tactus>
    TACTUS_SOURCE=${PROJECT_SOURCE_DIR}
    TACTUS_BUILD=${PROJECT_BINARY_DIR}
    TACTUS_SANITIZE=${TACTUS_SANITIZE}
    ASAN_OPTIONS=allocator_may_return_null=1:detect_stack_use_after_return=1
    UBSAN_OPTIONS=print_stacktrace=1
    LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/cmake/leaks-of-others.txt:print_suppressions=0
    TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1)

# A program of tests/ or bench/ with the whole inside of the library in reach.
function(add_inner_program name folder source)
  add_executable(${name} ${source})
  target_include_directories(${name} PRIVATE src include ${folder})
  target_link_libraries(${name} PRIVATE ${ARGN} tactus_inside tactus_dependencies tactus_flags)
  # exports: plugins that a test loads find the library's functions in it
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${folder}"
                                           ENABLE_EXPORTS ON)
endfunction()

# Registers a test with what all of them share.
function(add_house_test name seconds labels)
  # sanitizers make everything up to ten times slower, that of threads even more
  if(TACTUS_SANITIZE MATCHES "thread")
    math(EXPR seconds "6 * ${seconds}")
  elseif(TACTUS_SANITIZE)
    math(EXPR seconds "3 * ${seconds}")
  endif()
  add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties(${name} PROPERTIES TIMEOUT ${seconds} LABELS "${labels}"
                                          ENVIRONMENT "${test_environment}")
endfunction()

# --- helpers -------------------------------------------------------------------------------------------------

file(GLOB test_helpers CONFIGURE_DEPENDS tests/*.c)
list(FILTER test_helpers EXCLUDE REGEX "(_test|_soak|/fuzz_[^/]*)\\.c$")
set(test_support PkgConfig::CMOCKA)
if(test_helpers)
  add_library(test_support STATIC ${test_helpers})
  target_include_directories(test_support PRIVATE src include tests)
  target_link_libraries(test_support PRIVATE tactus_flags tactus_dependencies PkgConfig::CMOCKA)
  list(PREPEND test_support test_support)
endif()

# --- examples of programs ------------------------------------------------------------------------------------

# They use the public headers only, as an outside program would.
file(GLOB embed_sources CONFIGURE_DEPENDS examples/embed/*.c)
foreach(source IN LISTS embed_sources)
  cmake_path(GET source STEM name)
  add_executable(example_${name} ${source})
  target_link_libraries(example_${name} PRIVATE tactus tactus_flags)
  add_house_test(example_${name} 60 unit $<TARGET_FILE:example_${name}>)
endforeach()

# --- fuzz harnesses ------------------------------------------------------------------------------------------

# With libFuzzer they search; without it, tests/fuzz_main.c feeds them the corpus and seeded mutants of it.
file(GLOB fuzz_sources CONFIGURE_DEPENDS tests/fuzz_*.c)
list(FILTER fuzz_sources EXCLUDE REGEX "/fuzz_main\\.c$")
if(NOT TACTUS_FUZZ)
  add_library(fuzz_main OBJECT tests/fuzz_main.c)
  target_include_directories(fuzz_main PRIVATE src include)
  target_link_libraries(fuzz_main PRIVATE tactus_flags)
endif()
add_custom_target(fuzz)
foreach(source IN LISTS fuzz_sources)
  cmake_path(GET source STEM name)
  string(REGEX REPLACE "^fuzz_" "" subject ${name})
  set(corpus "${PROJECT_SOURCE_DIR}/tests/corpus/${subject}")
  if(TACTUS_FUZZ)
    add_inner_program(${name} tests ${source})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  else()
    add_inner_program(${name} tests ${source} fuzz_main)
    add_house_test(${name} 300 fuzz $<TARGET_FILE:${name}> --mutants 20000 "${corpus}")
    add_house_test(${name}_soak 86400 soak ${Python3_EXECUTABLE} -B tests/soak.py
                   --state ${PROJECT_BINARY_DIR}/soak.state --seeds 100
                   $<TARGET_FILE:${name}> --mutants 200000 --seed {seed} "${corpus}")
  endif()
  add_dependencies(fuzz ${name})
endforeach()
if(TACTUS_FUZZ)
  return()
endif()

# --- unit tests ----------------------------------------------------------------------------------------------

file(GLOB unit_tests CONFIGURE_DEPENDS tests/*_test.c)
foreach(source IN LISTS unit_tests)
  cmake_path(GET source STEM name)
  add_inner_program(${name} tests ${source} ${test_support})
  file(STRINGS ${source} threaded REGEX "tac_team_create|pthread_create|threads" LIMIT_COUNT 1)
  set(labels unit)
  if(threaded)
    list(APPEND labels threads)
  endif()
  if(name MATCHES "^(team|threads|view)_test$")
    list(APPEND labels tsan)
  endif()
  add_house_test(${name} 300 "${labels}" $<TARGET_FILE:${name}>)
endforeach()

# --- sabotage ------------------------------------------------------------------------------------------------

# Safe contact built with a fault of its own choice: the program's objects take the place of the library's.
set(sabotages clean layers late sagitta reshape)
foreach(sabotage IN LISTS sabotages)
  list(FIND sabotages ${sabotage} number)
  set(expected caught)
  if(number EQUAL 0)
    set(expected clean)
  endif()
  add_inner_program(sabotage_${sabotage} tests tests/sabotage/sabotage.c)
  target_sources(sabotage_${sabotage} PRIVATE src/contact/safe.c src/contact/safe_pair.c
                 src/contact/safe_plan.c src/contact/safe_body.c src/contact/safe_sweep.c
                 src/contact/safe_reshape.c)
  target_compile_definitions(sabotage_${sabotage} PRIVATE TACTUS_SABOTAGE=${number})
  add_house_test(sabotage_${sabotage} 120 unit $<TARGET_FILE:sabotage_${sabotage}> ${expected})
endforeach()

# --- scripts -------------------------------------------------------------------------------------------------

file(GLOB script_tests CONFIGURE_DEPENDS tests/*_test.py tests/*_test.sh)
if(TACTUS_SANITIZE)
  # these two look at the files of a plain build
  list(FILTER script_tests EXCLUDE REGEX "/(house|install)_test\\.")
endif()
foreach(source IN LISTS script_tests)
  cmake_path(GET source STEM name)
  if(source MATCHES "\\.py$")
    add_house_test(${name} 300 script ${Python3_EXECUTABLE} -B ${source})
    # a whole test that lacks something says "skipped: why"
    set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped: ")
  else()
    add_house_test(${name} 300 script bash ${source})
  endif()
endforeach()

# --- soak tests ----------------------------------------------------------------------------------------------

set(sample_seeds 3)
if(TACTUS_SANITIZE)
  set(sample_seeds 1)
endif()
file(GLOB soak_tests CONFIGURE_DEPENDS tests/*_soak.c)
foreach(source IN LISTS soak_tests)
  cmake_path(GET source STEM name)
  add_inner_program(${name} tests ${source} ${test_support})
  add_house_test(${name}_sample 300 sample ${Python3_EXECUTABLE} -B tests/soak.py
                 --sample ${sample_seeds} $<TARGET_FILE:${name}> {seed})
  add_house_test(${name} 86400 soak ${Python3_EXECUTABLE} -B tests/soak.py
                 --state ${PROJECT_BINARY_DIR}/soak.state --seeds 1000 $<TARGET_FILE:${name}> {seed})
endforeach()
# the same scenes behind the live view
add_house_test(view_soak_sample 300 sample ${Python3_EXECUTABLE} -B tests/soak.py --sample ${sample_seeds}
               ${Python3_EXECUTABLE} -B tests/view_soak.py $<TARGET_FILE:abuse_soak> {seed})
add_house_test(view_soak 86400 soak ${Python3_EXECUTABLE} -B tests/soak.py
               --state ${PROJECT_BINARY_DIR}/soak.state --seeds 200
               ${Python3_EXECUTABLE} -B tests/view_soak.py $<TARGET_FILE:abuse_soak> {seed})

# mixed worlds by the command
add_house_test(mixed_soak_sample 300 sample ${Python3_EXECUTABLE} -B tests/soak.py --sample ${sample_seeds}
               ${Python3_EXECUTABLE} -B tests/mixed_soak.py {seed})
add_house_test(mixed_soak 86400 soak ${Python3_EXECUTABLE} -B tests/soak.py
               --state ${PROJECT_BINARY_DIR}/soak.state --seeds 200
               ${Python3_EXECUTABLE} -B tests/mixed_soak.py {seed})

# --- benchmarks ----------------------------------------------------------------------------------------------

file(GLOB bench_helpers CONFIGURE_DEPENDS bench/*.c)
set(bench_programs ${bench_helpers})
list(FILTER bench_programs INCLUDE REGEX "_bench\\.c$")
list(FILTER bench_helpers EXCLUDE REGEX "_bench\\.c$")
set(bench_support "")
if(bench_helpers)
  add_library(bench_support STATIC ${bench_helpers})
  target_include_directories(bench_support PRIVATE src include bench)
  target_link_libraries(bench_support PRIVATE tactus_flags tactus_dependencies)
  set(bench_support bench_support)
endif()
add_custom_target(bench)
foreach(source IN LISTS bench_programs)
  cmake_path(GET source STEM name)
  add_inner_program(${name} bench ${source} ${bench_support})
  add_dependencies(bench ${name})
endforeach()

# --- other libraries, for comparison -------------------------------------------------------------------------

# `make peers` installs these libraries and builds target `peers`; the command finds the programs beside itself and says
# what is missing. A program is built only where its libraries are. Never part of the product.
include(CheckLanguage)
if(NOT CMAKE_CXX_COMPILER)
  unset(CMAKE_CXX_COMPILER CACHE) # it may have been installed since
endif()
check_language(CXX)
if(CMAKE_CXX_COMPILER AND NOT TACTUS_SANITIZE)
  enable_language(CXX)
  pkg_check_modules(PEER_CCD QUIET IMPORTED_TARGET ccd)
  pkg_check_modules(PEER_FCL QUIET IMPORTED_TARGET fcl)
  pkg_check_modules(PEER_ODE QUIET IMPORTED_TARGET ode)
  pkg_check_modules(PEER_BULLET QUIET IMPORTED_TARGET bullet)
  add_custom_target(peers)
  function(add_peer name source)
    add_executable(${name} EXCLUDE_FROM_ALL bench/peers/${source})
    target_include_directories(${name} PRIVATE include src bench bench/peers)
    target_compile_features(${name} PRIVATE cxx_std_17)
    target_compile_options(${name} PRIVATE -O3 $<$<BOOL:${TACTUS_ARCH}>:-march=${TACTUS_ARCH}>)
    target_link_libraries(${name} PRIVATE ${ARGN})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bench/peers")
    add_dependencies(peers ${name})
  endfunction()
  if(PEER_CCD_FOUND AND PEER_FCL_FOUND)
    # it asks for an older C++ than its own headers' users need
    set_property(TARGET PkgConfig::PEER_FCL PROPERTY INTERFACE_COMPILE_OPTIONS "")
    foreach(peer gjk_peers gjk_agree)
      add_peer(${peer} ${peer}.cpp tactus PkgConfig::PEER_CCD PkgConfig::PEER_FCL)
    endforeach()
  endif()
  if(PEER_ODE_FOUND)
    add_peer(spheres_ode spheres_ode.cpp PkgConfig::PEER_ODE)
  endif()
  if(PEER_BULLET_FOUND)
    add_peer(spheres_bullet spheres_bullet.cpp PkgConfig::PEER_BULLET)
  endif()
  # Debian's MuJoCo comes without a file for pkg-config
  find_library(PEER_MUJOCO mujoco)
  find_path(PEER_MUJOCO_INCLUDE mujoco/mujoco.h)
  if(PEER_MUJOCO AND PEER_MUJOCO_INCLUDE)
    foreach(peer spheres_mujoco wires_mujoco)
      add_peer(${peer} ${peer}.cpp ${PEER_MUJOCO})
      target_include_directories(${peer} SYSTEM PRIVATE ${PEER_MUJOCO_INCLUDE})
    endforeach()
  endif()
endif()
