// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What tests of looking share: worlds from text, let run, and the numbers that one matter shows.

#ifndef TACTUS_TESTS_LOOK_CHECKS_H
#define TACTUS_TESTS_LOOK_CHECKS_H

#include "scene_checks.h"
#include "world/look.h"

#include <math.h>

static inline void near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.12g is not %.12g within %g", value, expected, tolerance);
}

static inline void beats(TacWorld *world, int n) {
    TacError error = {0};
    if (tac_world_advance_beats(world, n, &error) != TAC_OK) fail_msg("%s", error.message);
}

static inline size_t matter_index(const TacWorld *w, const char *path) {
    for (size_t i = 0; i < w->matter_count; i++)
        if (!strcmp(w->matters[i]->base.path, path)) return i;
    fail_msg("no matter %s", path);
    return 0;
}

// The numbers of one matter, copied; NULL where it has none.
static inline float *numbers(TacWorld *w, int what, const char *path) {
    TacScalarSheet *sheet;
    size_t m = matter_index(w, path);
    tac_world_show(w);
    assert_int_equal(tac_scalar_sheet_create(&sheet, w, NULL), TAC_OK);
    bool any = tac_scalar_sheet_fill(sheet, what);
    const float *found = tac_scalar_sheet_values(sheet, m);
    assert_true(any || !found);
    assert_int_equal(any, tac_world_can_show(w, what) && what != TAC_SCALAR_LAYER ? true : any);
    float *copy = found ? calloc(w->matters[m]->count, sizeof *copy) : NULL;
    if (copy) memcpy(copy, found, w->matters[m]->count * sizeof *copy);
    tac_scalar_sheet_destroy(sheet);
    return copy;
}

#endif
