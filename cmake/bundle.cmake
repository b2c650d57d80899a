# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

# One step of making the page of the live view, with a message that says what to do when it fails:
#   cmake -DNPM=npm -DFOLDER=web "-DARGUMENTS=run;build" -P cmake/bundle.cmake

execute_process(COMMAND ${NPM} ${ARGUMENTS} WORKING_DIRECTORY "${FOLDER}" RESULT_VARIABLE failed
                OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(failed)
  list(JOIN ARGUMENTS " " words)
  message(FATAL_ERROR "${output}\nThe page of the live view cannot be built: npm ${words} failed in ${FOLDER} (above). "
                      "npm ci needs the network once. Without it, set TACTUS_PAGE_DIR to a folder that has the page's "
                      "index.html, app.js and app.css, or to src/view/placeholder for a page that shows text only.")
endif()
