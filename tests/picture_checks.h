// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What tests of plots and pictures share: a folder of their own that goes away, and statuses that must be good. Include
// it after cmocka.h.

#ifndef TACTUS_TESTS_PICTURE_CHECKS_H
#define TACTUS_TESTS_PICTURE_CHECKS_H

#include "tactus/record.h"

#include <cairo.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// fontconfig keeps what it found about fonts where the leak checker cannot see it
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libfontconfig";
}

static char folder[] = "/tmp/tactus-picture-XXXXXX";
static char place_text[256];

static const char *place(const char *name) {
    snprintf(place_text, sizeof place_text, "%s/%s", folder, name);
    return place_text;
}

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : 1;
}

static int remove_folder(void **state) {
    (void)state;
    cairo_debug_reset_static_data();
    char command[300];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

static void must(TacStatus status, const TacError *error) {
    char text[1600];
    if (status != TAC_OK) fail_msg("%s", tac_error_text(error, text, sizeof text));
}

#endif
