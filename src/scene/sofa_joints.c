// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What ties bodies together softly: SOFA's joints, and springs on distances between points of several states. See
// sofa.h and sofa_parts.h. Joints are written in a small language of their own:
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

// --- distances between states -----------------------------------------------------------------------------

enum { MOST_STATES = 16 };

bool tac_sofa_is_between(const TacSofaObject *state) {
    return state->mapped_by && !strcmp(state->mapped_by->cls->name, "DistanceMultiMapping");
}

// The states that a map with several inputs has, in their order.
static size_t inputs_of(TacSofa *s, TacSofaObject *map, TacSofaObject *states[MOST_STATES]) {
    const TacSofaAttribute *a = tac_sofa_attribute(map, "input");
    size_t n = 0;
    for (const char *p = a ? a->value : ""; *p;) {
        p += strspn(p, " \t\r\n");
        if (!*p) break;
        TacSofaObject *state = n < MOST_STATES ? tac_sofa_follow(s, map, p, tac_sofa_is_state) : NULL;
        if (!state || !tac_sofa_is_state(state) || !state->made.index1) {
            tac_sofa_complain(s, a->place, "input: \"%.60s\" leads to no state", p);
            return 0;
        }
        states[n++] = state;
        p += strcspn(p, " \t\r\n");
    }
    return n;
}

typedef struct Between {
    TacSofaObject *law, *map, *states[MOST_STATES];
    size_t state_count, edge_count;
    const int32_t *edges; // of the map's topology, whose points are...
    TacInts points;       // ...state and point for each
    TacReals stiffness, lengths;
    bool measured; // lengths at rest are those of the points
} Between;

static bool read_between(TacSofa *s, Between *b) {
    TacSofaObject *topology = tac_sofa_used_topology(s, b->map);
    b->state_count = inputs_of(s, b->map, b->states);
    if (!b->state_count) return false;
    if (!topology || !tac_sofa_make_mesh(s, topology)) {
        tac_sofa_complain(s, b->map->element->place, "%s finds no topology with edges", b->map->cls->name);
        return false;
    }
    b->edge_count = topology->mesh.elements[TAC_EDGES].count;
    b->edges = topology->mesh.elements[TAC_EDGES].indices;
    if (!tac_sofa_ints(s, b->map, "indexPairs", &b->points) ||
        !tac_sofa_reals(s, b->law, "stiffness", &b->stiffness) ||
        !tac_sofa_reals(s, b->map, "restLengths", &b->lengths))
        return false;
    b->measured = tac_sofa_bool(s, b->map, "computeDistance", false) ||
                  tac_sofa_bool(s, b->map, "applyRestPosition", false) || !b->lengths.count;
    for (size_t i = 0; i < 2 * b->edge_count; i++) {
        size_t at = 2 * (size_t)b->edges[i];
        bool good = at + 1 < b->points.count && b->points.data[at] >= 0 && b->points.data[at + 1] >= 0 &&
                    (size_t)b->points.data[at] < b->state_count &&
                    (size_t)b->points.data[at + 1] < b->states[b->points.data[at]]->points;
        if (good) continue;
        tac_sofa_complain(s, b->map->element->place,
                          "indexPairs names no state and point for point %d of the edges", b->edges[i]);
        return false;
    }
    return true;
}

static const double *rest_of(const Between *b, int32_t point) {
    const TacSofaObject *state = b->states[b->points.data[2 * point]];
    return state->rest.data + (size_t)tac_position_size(state->kind) * (size_t)b->points.data[2 * point + 1];
}

// The springs from one state to another.
static bool add_pair(TacSofa *s, const Between *b, int32_t from, int32_t to) {
    int32_t *pairs = tac_sofa_new_ints(s, 2 * b->edge_count);
    double *stiffness = tac_sofa_new_reals(s, b->edge_count), *lengths = tac_sofa_new_reals(s, b->edge_count);
    size_t n = 0;
    if (!pairs || !stiffness || !lengths) return false;
    for (size_t e = 0; e < b->edge_count; e++) {
        int32_t ends[2] = {b->edges[2 * e], b->edges[2 * e + 1]};
        if (b->points.data[2 * ends[0]] != from || b->points.data[2 * ends[1]] != to) continue;
        const double *x = rest_of(b, ends[0]), *y = rest_of(b, ends[1]);
        double square = 0;
        for (int k = 0; k < 3; k++) square += (y[k] - x[k]) * (y[k] - x[k]);
        pairs[2 * n] = b->points.data[2 * ends[0] + 1];
        pairs[2 * n + 1] = b->points.data[2 * ends[1] + 1];
        size_t last = b->stiffness.count - 1;
        stiffness[n] = b->stiffness.count ? b->stiffness.data[e < last ? e : last] : 100;
        size_t end = b->lengths.count - 1;
        lengths[n++] = b->measured ? sqrt(square) : b->lengths.data[e < end ? e : end];
    }
    if (!n) return true;
    const char *geometric = tac_sofa_text(s, b->map, "geometricStiffness");
    bool none = geometric && (!strcmp(geometric, "0") || !strcmp(geometric, "None"));
    bool exact = geometric && (!strcmp(geometric, "1") || !strcmp(geometric, "Exact"));
    TacComponentId id = tac_sofa_add_in(s, b->law, b->law->node, "Springs", b->law->name);
    return id.index1 && tac_sofa_set_link(s, b->law, id, "matter", b->states[from]->made) &&
           (from == to || tac_sofa_set_link(s, b->law, id, "other", b->states[to]->made)) &&
           tac_sofa_set_ints(s, b->law, id, "pairs", pairs, 2 * n) &&
           tac_sofa_set_reals(s, b->law, id, "stiffness", stiffness, n) &&
           tac_sofa_set_reals(s, b->law, id, "lengths", lengths, n) &&
           tac_sofa_set(s, b->law, id, "stable", exact ? "false" : "true") &&
           (!none || tac_sofa_set(s, b->law, id, "turns", "false"));
}

bool tac_sofa_add_between(TacSofa *s, TacSofaObject *law, TacSofaObject *map) {
    Between b = {.law = law, .map = map};
    if (strcmp(law->cls->name, "RestShapeSpringsForceField") || tac_sofa_attribute(law, "points") ||
        tac_sofa_attribute(law, "indices") || tac_sofa_attribute(law, "external_rest_shape")) {
        tac_sofa_complain(
            s, law->element->place,
            "lacks %s on distances between several states: only RestShapeSpringsForceField on all of "
            "them is to be had",
            law->cls->name);
        return false;
    }
    if (!read_between(s, &b)) return false;
    for (int32_t from = 0; from < (int32_t)b.state_count; from++)
        for (int32_t to = 0; to < (int32_t)b.state_count; to++)
            if (!add_pair(s, &b, from, to)) return false;
    return true;
}
