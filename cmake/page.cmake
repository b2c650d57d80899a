# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

# The page of the live view, embedded into the library: page.c in the build folder, from
#   TACTUS_PAGE_DIR           where that is set: any folder with index.html, app.js and app.css
#   web/dist                  where there is a web folder; built by npm when its sources change
#   src/view/placeholder      otherwise: frames as text

set(TACTUS_PAGE_DIR "" CACHE PATH "Folder with index.html, app.js and app.css of the live view; empty: built from web/")

set(page_source "${PROJECT_BINARY_DIR}/page.c")
set(page_dir "${TACTUS_PAGE_DIR}")
set(page_depends "")
if(NOT page_dir AND EXISTS "${PROJECT_SOURCE_DIR}/web/package.json")
  set(page_dir "${PROJECT_SOURCE_DIR}/web/dist")
  find_program(TACTUS_NPM npm)
  if(TACTUS_NPM)
    set(web "${PROJECT_SOURCE_DIR}/web")
    file(GLOB_RECURSE web_sources CONFIGURE_DEPENDS web/src/*)
    file(GLOB web_scripts CONFIGURE_DEPENDS web/*.mjs web/*.js)
    set(bundle ${CMAKE_COMMAND} -DNPM=${TACTUS_NPM} -DFOLDER=${web})
    set(bundle_script "${PROJECT_SOURCE_DIR}/cmake/bundle.cmake")
    add_custom_command(
      OUTPUT "${web}/node_modules/.package-lock.json"
      COMMAND ${bundle} "-DARGUMENTS=ci;--no-audit;--no-fund" -P "${bundle_script}"
      COMMAND ${CMAKE_COMMAND} -E touch "${web}/node_modules/.package-lock.json"
      DEPENDS "${web}/package.json" "${web}/package-lock.json"
      COMMENT "Fetching what the page of the live view is made of"
      VERBATIM)
    add_custom_command(
      OUTPUT "${page_dir}/index.html" "${page_dir}/app.js" "${page_dir}/app.css"
      COMMAND ${bundle} "-DARGUMENTS=run;build" -P "${bundle_script}"
      COMMAND ${CMAKE_COMMAND} -E touch "${page_dir}/index.html" "${page_dir}/app.js" "${page_dir}/app.css"
      DEPENDS ${web_sources} ${web_scripts} "${web}/node_modules/.package-lock.json"
      COMMENT "Bundling the page of the live view"
      VERBATIM)
  elseif(NOT EXISTS "${page_dir}/app.js")
    message(FATAL_ERROR "The page of the live view needs npm to be built (./setup.sh installs it); or set "
                        "TACTUS_PAGE_DIR to a folder that has it built.")
  endif()
  set(page_depends "${page_dir}/index.html" "${page_dir}/app.js" "${page_dir}/app.css")
elseif(NOT page_dir)
  set(page_dir "${PROJECT_SOURCE_DIR}/src/view/placeholder")
endif()
if(NOT page_depends)
  set(page_depends "${page_dir}/index.html" "${page_dir}/app.js" "${page_dir}/app.css")
endif()

add_custom_command(
  OUTPUT "${page_source}"
  COMMAND ${CMAKE_COMMAND} -DFOLDER=${page_dir} -DOUTPUT=${page_source} -P "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
  DEPENDS ${page_depends} "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
  COMMENT "Embedding the page of the live view")
