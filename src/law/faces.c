// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Sorting the sides of all faces brings those of the same edge together. See faces.h.

#include "law/faces.h"
#include "base/memory.h"
#include "tactus/math.h"

// A side of a face: from corner `corner` to the next one.
typedef struct Side {
    int32_t low, high; // its ends
    uint32_t face;
    uint32_t corner;
} Side;

static int by_ends(const void *left, const void *right) {
    const Side *a = left, *b = right;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    return a->face != b->face ? (a->face < b->face ? -1 : 1) : 0;
}

// What is left of hinges until they are put in order.
typedef struct Found {
    TacHinge hinge;
    uint32_t face, corner; // of its second face
} Found;

static int by_face(const void *left, const void *right) {
    const Found *a = left, *b = right;
    if (a->face != b->face) return a->face < b->face ? -1 : 1;
    return a->corner != b->corner ? (a->corner < b->corner ? -1 : 1) : 0;
}

// The corners next to the ends of a side, away from it: at its low end, then at its high end.
static void corners_beside(const int32_t *face, uint32_t n, const Side *side, int32_t *at_low,
                           int32_t *at_high) {
    int32_t before = face[(side->corner + n - 1) % n], after = face[(side->corner + 2) % n];
    bool upward = face[side->corner] == side->low;
    *at_low = upward ? before : after;
    *at_high = upward ? after : before;
}

static size_t match(const Side *sides, size_t n, const int32_t *faces, uint32_t corners, Found *found) {
    size_t count = 0;
    for (size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && sides[end].low == sides[begin].low;)
            if (sides[end].high == sides[begin].high)
                end++;
            else
                break;
        if (end - begin != 2) continue;
        const Side *a = &sides[begin], *b = a + 1;
        TacHinge h = {.c = a->low, .d = a->high};
        corners_beside(faces + corners * (size_t)a->face, corners, a, &h.ac, &h.ad);
        corners_beside(faces + corners * (size_t)b->face, corners, b, &h.bc, &h.bd);
        found[count++] = (Found){h, b->face, b->corner};
    }
    return count;
}

TacStatus tac_find_hinges(const TacMesh *mesh, TacElement kind, TacHinge **hinges, size_t *count,
                          TacError *error) {
    uint32_t corners = (uint32_t)tac_element_size(kind);
    const int32_t *faces = mesh->elements[kind].indices;
    size_t n = mesh->elements[kind].count * corners;
    *hinges = NULL;
    *count = 0;
    if (mesh->elements[kind].count >= UINT32_MAX)
        return tac_fail(error, TAC_BAD_INPUT, "%zu faces are too many", mesh->elements[kind].count);
    Side *sides = calloc(n + 1, sizeof *sides);
    Found *found = calloc(n / 2 + 1, sizeof *found);
    TacHinge *list = calloc(n / 2 + 1, sizeof *list);
    TacStatus status = TAC_OK;
    if (sides && found && list) {
        for (size_t i = 0; i < n; i++) {
            uint32_t face = (uint32_t)(i / corners), corner = (uint32_t)(i % corners);
            int32_t a = faces[i], b = faces[corners * (size_t)face + (corner + 1) % corners];
            sides[i] = (Side){a < b ? a : b, a < b ? b : a, face, corner};
        }
        qsort(sides, n, sizeof *sides, by_ends);
        *count = match(sides, n, faces, corners, found);
        qsort(found, *count, sizeof *found, by_face);
        for (size_t i = 0; i < *count; i++) list[i] = found[i].hinge;
        *hinges = list;
    } else {
        status = tac_fail_memory(error, n * sizeof *sides);
        free(list);
    }
    free(sides);
    free(found);
    return status;
}

static int by_both_ends(const void *left, const void *right) {
    const TacSide *a = left, *b = right;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    return a->high != b->high ? (a->high < b->high ? -1 : 1) : 0;
}

static TacVec3 at(const double *positions, int32_t point) {
    return tac_load3(positions + 3 * (size_t)point);
}

TacStatus tac_find_sides(const TacMesh *mesh, const double *positions, TacSide **sides, size_t *count,
                         TacError *error) {
    const int32_t *faces = mesh->elements[TAC_TRIANGLES].indices;
    size_t n = 3 * mesh->elements[TAC_TRIANGLES].count;
    *count = 0;
    TacSide *list = calloc(n + 1, sizeof *list);
    *sides = list;
    if (!list) return tac_fail_memory(error, n * sizeof *list);
    for (size_t i = 0; i < n; i++) {
        const int32_t *t = faces + i - i % 3;
        int32_t a = t[i % 3], b = t[(i + 1) % 3], c = t[(i + 2) % 3];
        TacVec3 d = tac_sub(at(positions, b), at(positions, a));
        TacVec3 normal = tac_cross(d, tac_sub(at(positions, c), at(positions, a)));
        list[i] = (TacSide){a < b ? a : b, a < b ? b : a, tac_norm(d), 0.5 * tac_norm(normal)};
    }
    // equal sides differ in their areas alone, and sums of two do not depend on the order
    qsort(list, n, sizeof *list, by_both_ends);
    for (size_t i = 0; i < n; i++) {
        TacSide *last = *count ? &list[*count - 1] : NULL;
        if (last && last->low == list[i].low && last->high == list[i].high)
            last->area += list[i].area;
        else
            list[(*count)++] = list[i];
    }
    return TAC_OK;
}
