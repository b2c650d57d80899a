// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// SOFA's joints: springs between frames, written in a small language of their own. See sofa.h and sofa_parts.h.
//
//     BEGIN_SPRING a b [FREE_AXIS x y z rx ry rz] [KS_T soft hard] [KS_R soft hard] [KS_B blocked] [KD damping]
//                  [R_LIM_X low high] [R_LIM_Y low high] [R_LIM_Z low high] [REST_T x y z] [REST_R x y z w] END_SPRING
//
// A free axis has the soft stiffness and, beyond its limits, the blocked one; others have the hard one.

#include "base/text.h"
#include "scene/sofa_parts.h"

#include <math.h>

typedef struct Joints {
    int32_t *pairs;
    double *stiffness, *turning, *limits, *blocked, *damping;
    size_t count;
} Joints;

typedef struct Reader {
    TacSofa *s;
    const TacSofaAttribute *from;
    const char *p, *end;
} Reader;

static void skip_blanks(Reader *r) {
    while (r->p < r->end && strchr(" \t\r\n", *r->p)) r->p++;
}

static bool word(Reader *r, char name[24]) {
    skip_blanks(r);
    size_t n = 0;
    while (r->p < r->end && !strchr(" \t\r\n", *r->p)) {
        if (n < 23) name[n++] = *r->p;
        r->p++;
    }
    name[n] = 0;
    return n > 0;
}

static bool numbers(Reader *r, const char *of, double *list, size_t count) {
    for (size_t i = 0; i < count; i++) {
        skip_blanks(r);
        if (tac_read_real(&r->p, r->end, &list[i]) && isfinite(list[i])) continue;
        tac_sofa_complain(r->s, r->from->place, "spring: %s needs %zu numbers", of, count);
        return false;
    }
    return true;
}

// One joint, after BEGIN_SPRING.
static bool read_joint(Reader *r, Joints *all, size_t n, bool *rest_given) {
    static const struct {
        const char *name;
        size_t count;
    } words[] = {{"FREE_AXIS", 6}, {"KS_T", 2},    {"KS_R", 2},    {"KS_B", 1},   {"KD", 1},
                 {"R_LIM_X", 2},   {"R_LIM_Y", 2}, {"R_LIM_Z", 2}, {"REST_T", 3}, {"REST_R", 4}};
    double ends[2], values[TAC_COUNT(words)][6] = {{0, 0, 0, 1, 1, 1}, {0, 10000},  {0, 10000}, {0}, {0},
                                                   {-1e5, 1e5},        {-1e5, 1e5}, {-1e5, 1e5}};
    char name[24];
    if (!numbers(r, "BEGIN_SPRING", ends, 2)) return false;
    while (word(r, name) && strcmp(name, "END_SPRING")) {
        size_t k = 0;
        while (k < TAC_COUNT(words) && strcmp(words[k].name, name)) k++;
        if (k == TAC_COUNT(words)) {
            tac_sofa_complain(r->s, r->from->place, "spring: \"%s\" is no word of a joint", name);
            return false;
        }
        if (!numbers(r, name, values[k], words[k].count)) return false;
        *rest_given = *rest_given || k == 8;
    }
    double blocked = values[3][0] != 0 ? values[3][0] : values[2][1] / 100;
    for (size_t i = 0; i < 2; i++) {
        if (ends[i] != floor(ends[i]) || fabs(ends[i]) > INT32_MAX) {
            tac_sofa_complain(r->s, r->from->place, "spring: %g is no frame", ends[i]);
            return false;
        }
        all->pairs[2 * n + i] = (int32_t)ends[i];
    }
    for (size_t i = 0; i < 3; i++) {
        double low = values[5 + i][0], high = values[5 + i][1];
        bool free_move = values[0][i] != 0, free_turn = values[0][3 + i] != 0 && low != high;
        all->stiffness[3 * n + i] = values[1][free_move ? 0 : 1];
        all->turning[3 * n + i] = values[2][free_turn ? 0 : 1];
        all->blocked[3 * n + i] = free_turn ? blocked : 0;
        all->limits[6 * n + 2 * i] = low;
        all->limits[6 * n + 2 * i + 1] = high;
    }
    all->damping[n] = values[4][0];
    return true;
}

bool tac_sofa_build_joint_springs(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    const TacSofaAttribute *a = tac_sofa_attribute(o, "spring");
    size_t most = 0, n = 0;
    for (const char *p = a ? a->value : NULL; p && (p = strstr(p, "BEGIN_SPRING")); p++) most++;
    if (!most) {
        tac_sofa_complain(s, o->element->place, "%s needs spring, with BEGIN_SPRING and END_SPRING",
                          o->cls->name);
        return false;
    }
    Joints all = {tac_sofa_new_ints(s, 2 * most),
                  tac_sofa_new_reals(s, 3 * most),
                  tac_sofa_new_reals(s, 3 * most),
                  tac_sofa_new_reals(s, 6 * most),
                  tac_sofa_new_reals(s, 3 * most),
                  tac_sofa_new_reals(s, most),
                  most};
    if (!all.pairs || !all.stiffness || !all.turning || !all.limits || !all.blocked || !all.damping)
        return false;
    Reader r = {s, a, a->value, a->value + strlen(a->value)};
    char name[24];
    bool rest_given = false;
    while (n < most && word(&r, name)) {
        if (strcmp(name, "BEGIN_SPRING")) {
            tac_sofa_complain(s, a->place, "spring: expected BEGIN_SPRING, found \"%s\"", name);
            return false;
        }
        if (!read_joint(&r, &all, n++, &rest_given)) return false;
    }
    // a rest that is given is one that is measured there: as the frames are placed
    return tac_sofa_set_ints(s, o, id, "pairs", all.pairs, 2 * n) &&
           tac_sofa_set_reals(s, o, id, "stiffness", all.stiffness, 3 * n) &&
           tac_sofa_set_reals(s, o, id, "turning_stiffness", all.turning, 3 * n) &&
           tac_sofa_set_reals(s, o, id, "limits", all.limits, 6 * n) &&
           tac_sofa_set_reals(s, o, id, "limit_stiffness", all.blocked, 3 * n) &&
           tac_sofa_set_reals(s, o, id, "damping", all.damping, n) &&
           tac_sofa_set_reals(s, o, id, "turning_damping", all.damping, n) &&
           tac_sofa_set(s, o, id, "rest", rest_given ? "placed" : "joined");
}
