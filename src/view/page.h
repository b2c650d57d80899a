// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The page: made by the build from the folder TACTUS_PAGE_DIR (index.html, app.js, app.css).

#ifndef TACTUS_VIEW_PAGE_H
#define TACTUS_VIEW_PAGE_H

#include <stddef.h>

extern const unsigned char tac_page_index_html[], tac_page_app_js[], tac_page_app_css[];
extern const size_t tac_page_index_html_bytes, tac_page_app_js_bytes, tac_page_app_css_bytes;

#endif
