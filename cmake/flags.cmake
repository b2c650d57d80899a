# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

# How everything of ours is compiled: one target, tactus_flags, that all others link.

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

add_library(tactus_flags INTERFACE)
target_compile_options(tactus_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wvla)
if(TACTUS_WERROR)
  target_compile_options(tactus_flags INTERFACE -Werror)
  # What gcc warns of after optimising depends on the processor and on sanitizers: shown, but no reason to fail.
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    target_compile_options(tactus_flags INTERFACE -Wno-error=maybe-uninitialized -Wno-error=array-bounds
                                                  -Wno-error=stringop-overflow -Wno-error=format-truncation)
  endif()
endif()

# Results must be the same to the last bit for every processor and compiler: no contraction into fused
# multiply-adds, never -ffast-math. Without errno, sqrt is one instruction; nobody looks at the flags that operations raise, so
# loops may compute both sides of a choice, and be vectorised: that changes no number.
target_compile_options(tactus_flags INTERFACE -ffp-contract=off -fno-math-errno -fno-trapping-math)

if(TACTUS_ARCH)
  target_compile_options(tactus_flags INTERFACE -march=${TACTUS_ARCH})
endif()

if(TACTUS_SANITIZE)
  set(sanitize_options -fsanitize=${TACTUS_SANITIZE} -fno-omit-frame-pointer)
  if(TACTUS_SANITIZE MATCHES "undefined")
    list(APPEND sanitize_options -fno-sanitize-recover=all)
  endif()
  target_compile_options(tactus_flags INTERFACE ${sanitize_options})
  target_link_options(tactus_flags INTERFACE ${sanitize_options})
endif()

if(TACTUS_FUZZ)
  target_compile_options(tactus_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
