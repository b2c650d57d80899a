// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// See selection.h.

#include "constraint/selection.h"
#include "base/memory.h"

TacVec3 tac_place_of(const TacMatter *matter, const double *x, size_t point) {
    const double *p = x + point * (size_t)matter->position_size;
    switch (matter->kind) {
    case TAC_VEC1: return tac_vec3(p[0], 0, 0);
    case TAC_VEC2:
    case TAC_RIGID2: return tac_vec3(p[0], p[1], 0);
    default: return tac_vec3(p[0], p[1], p[2]);
    }
}

static void add(TacSelection *selection, uint8_t *taken, size_t point) {
    if (taken[point]) return;
    taken[point] = 1;
    selection->list[selection->count++] = (int32_t)point;
}

static TacStatus add_points(TacSelection *selection, uint8_t *taken, TacSetup *setup, const TacMatter *matter,
                            TacError *error) {
    for (size_t i = 0; i < selection->points.count; i++) {
        int32_t point = selection->points.data[i];
        if (point < 0 || (size_t)point >= matter->count)
            return tac_setup_fail(setup, error, "points", "there is no point %d; %s has points 0 to %zu",
                                  point, matter->base.path, matter->count - 1);
        add(selection, taken, (size_t)point);
    }
    return TAC_OK;
}

static bool is_inside(TacVec3 p, const double box[6]) {
    return p.x >= box[0] && p.y >= box[1] && p.z >= box[2] && p.x <= box[3] && p.y <= box[4] && p.z <= box[5];
}

static TacStatus fail_empty_box(TacSetup *setup, const TacMatter *matter, TacError *error) {
    const double *x = matter->vectors[TAC_X_REST];
    TacVec3 low = tac_place_of(matter, x, 0), high = low;
    for (size_t i = 1; i < matter->count; i++) {
        TacVec3 p = tac_place_of(matter, x, i);
        low = tac_vec3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = tac_vec3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    return tac_setup_fail(setup, error, "box",
                          "no point of %s is inside; they reach from %g %g %g to %g %g %g", matter->base.path,
                          low.x, low.y, low.z, high.x, high.y, high.z);
}

static TacStatus add_box(TacSelection *selection, uint8_t *taken, TacSetup *setup, const TacMatter *matter,
                         const double box[6], TacError *error) {
    for (int a = 0; a < 3; a++)
        if (!(box[a] <= box[a + 3]))
            return tac_setup_fail(setup, error, "box",
                                  "the low corner of a box is above its high corner: %g %g %g, %g %g %g",
                                  box[0], box[1], box[2], box[3], box[4], box[5]);
    bool any = false;
    for (size_t i = 0; i < matter->count; i++) {
        if (!is_inside(tac_place_of(matter, matter->vectors[TAC_X_REST], i), box)) continue;
        add(selection, taken, i);
        any = true;
    }
    return any ? TAC_OK : fail_empty_box(setup, matter, error);
}

TacStatus tac_selection_find(TacSelection *selection, TacSetup *setup, const TacMatter *matter,
                             bool all_by_default, TacError *error) {
    bool by_points = tac_setup_given(setup, "points"), by_box = tac_setup_given(setup, "box");
    if (!by_points && !by_box && !all_by_default)
        return tac_setup_fail(setup, error, NULL,
                              "needs points (their numbers) or box (a low and a high corner)");
    if (by_points && !selection->points.count)
        return tac_setup_fail(setup, error, "points", "points is empty");
    if (selection->box.count % 6 || (by_box && !selection->box.count))
        return tac_setup_fail(setup, error, "box", "box has %zu numbers; 6 for each box were expected",
                              selection->box.count);
    uint8_t *taken = tac_setup_alloc(setup, matter->count, sizeof *taken);
    selection->list = tac_setup_alloc(setup, matter->count, sizeof *selection->list);
    if (!taken || !selection->list) return tac_fail_memory(error, matter->count * sizeof(int32_t));

    TAC_TRY(add_points(selection, taken, setup, matter, error));
    for (size_t b = 0; b < selection->box.count; b += 6)
        TAC_TRY(add_box(selection, taken, setup, matter, selection->box.data + b, error));
    for (size_t i = 0; !by_points && !by_box && i < matter->count; i++) add(selection, taken, i);
    return TAC_OK;
}

TacStatus tac_selection_hold(const TacSelection *selection, TacSetup *setup, TacMatter *matter, unsigned what,
                             TacError *error) {
    if (!matter->held) matter->held = tac_setup_alloc(setup, matter->count, sizeof *matter->held);
    if (!matter->held) return tac_fail_memory(error, matter->count);
    for (size_t i = 0; i < selection->count; i++) matter->held[selection->list[i]] |= (uint8_t)what;
    return TAC_OK;
}
