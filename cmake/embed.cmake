# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

# Writes the page into a C file, as src/view/page.h declares it:
#   cmake -DFOLDER=web/dist -DOUTPUT=page.c -P cmake/embed.cmake

set(text "// Made by cmake/embed.cmake; not to be changed by hand.\n\n#include \"view/page.h\"\n")
foreach(file index.html app.js app.css)
  if(NOT EXISTS "${FOLDER}/${file}")
    message(FATAL_ERROR "The page of the live view is not whole: ${FOLDER}/${file} is missing. "
                        "Build it (cd web; npm ci; npm run build), or set TACTUS_PAGE_DIR to a folder that has "
                        "index.html, app.js and app.css.")
  endif()
  file(READ "${FOLDER}/${file}" hex HEX)
  string(LENGTH "${hex}" digits)
  math(EXPR bytes "${digits} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  # lines that a person can look at
  string(REGEX REPLACE "((0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,))" "\\1\n" hex "${hex}")
  string(REPLACE "." "_" name "${file}")
  string(APPEND text "\nconst size_t tac_page_${name}_bytes = ${bytes};\n"
                     "const unsigned char tac_page_${name}[] = {\n${hex}0};\n")
endforeach()
file(WRITE "${OUTPUT}" "${text}")
