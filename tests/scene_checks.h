// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What tests of scenes share: loading text, compiling it, and checking a message against the place where it
// belongs. The place is marked by a ~ in the text itself, which is taken out before the text is read, so that
// lines and columns are counted by the test and not by what is tested.

#ifndef TACTUS_TESTS_SCENE_CHECKS_H
#define TACTUS_TESTS_SCENE_CHECKS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene_text.h"
#include "tactus/tactus.h"

typedef struct Marked {
    char *text; // without the mark
    int line, column;
} Marked;

static inline Marked marked(const char *with_mark) {
    Marked m = {.text = strdup(with_mark), .line = 1, .column = 1};
    assert_non_null(m.text);
    char *mark = strchr(m.text, '~');
    if (!mark) fail_msg("no ~ in the text: %s", with_mark);
    for (const char *p = m.text; p < mark; p++) {
        m.column = *p == '\n' ? 1 : m.column + 1;
        m.line += *p == '\n';
    }
    memmove(mark, mark + 1, strlen(mark));
    return m;
}

static inline TacScene *empty_scene(void) {
    TacScene *scene;
    TacError error = {0};
    assert_int_equal(tac_scene_create(&scene, &error), TAC_OK);
    return scene;
}

// Parses, and compiles where that works. The world is NULL when either failed, and `error` is filled.
static inline TacWorld *try_text(TacScene *scene, const char *text, TacError *error) {
    *error = (TacError){0};
    if (tac_scene_parse(scene, "test.tac", text, strlen(text), error) != TAC_OK) return NULL;
    TacWorldDef def = tac_world_def_default();
    TacWorld *world = NULL;
    TacStatus status = tac_world_create(&world, scene, &def, error);
    assert_int_equal(status == TAC_OK, world != NULL);
    return world;
}

static inline TacWorld *world_of(const char *text) {
    TacScene *scene = empty_scene();
    TacError error;
    TacWorld *world = try_text(scene, text, &error);
    char line[2048];
    if (!world) fail_msg("%s\n%s", tac_error_text(&error, line, sizeof line), text);
    tac_scene_destroy(scene);
    return world;
}

// The text is refused at its mark, with a message that has all of the pieces.
static inline void refuse_pieces(const char *file, int line, const char *with_mark, const char *const *pieces,
                                 size_t count) {
    Marked m = marked(with_mark);
    TacScene *scene = empty_scene();
    TacError error;
    TacWorld *world = try_text(scene, m.text, &error);
    char text[2048];
    if (world) fail_msg("%s:%d: accepted: %s", file, line, m.text);
    tac_error_text(&error, text, sizeof text);
    if (error.status != TAC_BAD_INPUT) fail_msg("%s:%d: status %d: %s", file, line, (int)error.status, text);
    if (strcmp(error.file, "test.tac") != 0 || error.line != m.line || error.column != m.column)
        fail_msg("%s:%d: expected test.tac:%d:%d, got %s", file, line, m.line, m.column, text);
    for (size_t i = 0; i < count; i++)
        if (!strstr(error.message, pieces[i]))
            fail_msg("%s:%d: expected \"%s\" in: %s", file, line, pieces[i], text);
    tac_scene_destroy(scene);
    free(m.text);
}

#define REFUSED(text, ...)                                                                                   \
    refuse_pieces(__FILE__, __LINE__, text, (const char *const[]){__VA_ARGS__},                              \
                  sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

#endif
