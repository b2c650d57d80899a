// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Components of SOFA whose attributes need more than a new name: springs of meshes and grids, lumped masses,
// choices and lists in SOFA's forms. See sofa.h; the formulas and orders are SOFA's, so that results agree.

#include "scene/sofa_parts.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>

// --- springs ----------------------------------------------------------------------------------------------

typedef struct Spring {
    int32_t ends[2];
    double stiffness, damping, length;
    uint64_t key; // both ends, the smaller first
    size_t order;
} Spring;

typedef struct Springs {
    Spring *list;
    size_t count, capacity;
    bool failed;
} Springs;

static void add_spring(Springs *springs, int32_t a, int32_t b, double stiffness, double damping,
                       double length) {
    if (a == b) return;
    if (!tac_grow(&springs->list, &springs->capacity, springs->count + 1, sizeof *springs->list)) {
        springs->failed = true;
        return;
    }
    uint64_t low = (uint32_t)(a < b ? a : b), high = (uint32_t)(a < b ? b : a);
    springs->list[springs->count] =
        (Spring){{a, b}, stiffness, damping, length, low << 32 | high, springs->count};
    springs->count++;
}

static int by_key(const void *a, const void *b) {
    const Spring *x = a, *y = b;
    return x->key != y->key ? (x->key < y->key ? -1 : 1) : x->order < y->order ? -1 : 1;
}

static int by_order(const void *a, const void *b) {
    return ((const Spring *)a)->order < ((const Spring *)b)->order ? -1 : 1;
}

// Of springs between the same points the first one stays.
static void keep_first(Springs *springs) {
    size_t kept = 0;
    if (springs->count) qsort(springs->list, springs->count, sizeof *springs->list, by_key);
    for (size_t i = 0; i < springs->count; i++)
        if (!kept || springs->list[i].key != springs->list[kept - 1].key)
            springs->list[kept++] = springs->list[i];
    springs->count = kept;
    if (kept) qsort(springs->list, kept, sizeof *springs->list, by_order);
}

// Hands the springs to our component and frees them. A law without springs is taken out again.
static bool set_springs(TacSofa *s, TacSofaObject *o, TacComponentId id, Springs *springs) {
    size_t n = springs->count;
    TacError error;
    bool good = !springs->failed || tac_sofa_no_memory(s);
    if (good && n == 0) {
        free(springs->list);
        tac_sofa_remark(s, o->element->place, "%s has no springs", o->cls->name);
        return tac_scene_remove(s->scene, id, &error) == TAC_OK;
    }
    int32_t *pairs = good ? tac_sofa_new_ints(s, 2 * n) : NULL;
    double *stiffness = good ? tac_sofa_new_reals(s, n) : NULL,
           *damping = good ? tac_sofa_new_reals(s, n) : NULL;
    double *lengths = good ? tac_sofa_new_reals(s, n) : NULL;
    good = good && pairs && stiffness && damping && lengths;
    for (size_t i = 0; good && i < n; i++) {
        const Spring *spring = &springs->list[i];
        pairs[2 * i] = spring->ends[0];
        pairs[2 * i + 1] = spring->ends[1];
        stiffness[i] = spring->stiffness;
        damping[i] = spring->damping;
        lengths[i] = spring->length;
    }
    free(springs->list);
    return good && tac_sofa_set_ints(s, o, id, "pairs", pairs, 2 * n) &&
           tac_sofa_set_reals(s, o, id, "stiffness", stiffness, n) &&
           tac_sofa_set_reals(s, o, id, "damping", damping, n) &&
           tac_sofa_set_reals(s, o, id, "lengths", lengths, n) && tac_sofa_set(s, o, id, "stable", "false") &&
           tac_sofa_set(s, o, id, "damping_turns", "true");
}

static double one_or_each(TacReals list, size_t i, double otherwise) {
    return list.count == 0 ? otherwise : list.data[i < list.count ? i : list.count - 1];
}

// spring="i j stiffness damping length ...", or lists of each.
bool tac_sofa_build_springs(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    TacReals springs, stiffness, damping, lengths;
    TacInts ends[2];
    if (!tac_sofa_reals(s, o, "spring", &springs) || !tac_sofa_reals(s, o, "stiffness", &stiffness) ||
        !tac_sofa_reals(s, o, "damping", &damping) || !tac_sofa_reals(s, o, "lengths", &lengths) ||
        !tac_sofa_ints(s, o, "indices1", &ends[0]) || !tac_sofa_ints(s, o, "indices2", &ends[1]))
        return false;
    if (tac_sofa_attribute(o, "filename")) {
        tac_sofa_complain(s, o->element->place, "lacks springs from files (filename of %s)", o->cls->name);
        return false;
    }
    if (springs.count % 5) {
        tac_sofa_complain(
            s, o->element->place,
            "spring has %zu numbers; 5 for each spring were expected (two points, stiffness, damping, "
            "length)",
            springs.count);
        return false;
    }
    Springs all = {0};
    for (size_t i = 0; i + 5 <= springs.count; i += 5) {
        const double *v = springs.data + i;
        if (v[0] != floor(v[0]) || v[1] != floor(v[1]) || fabs(v[0]) > INT32_MAX || fabs(v[1]) > INT32_MAX) {
            tac_sofa_complain(s, o->element->place, "spring %zu joins %g and %g, which are no points", i / 5,
                              v[0], v[1]);
            free(all.list);
            return false;
        }
        // two ends on one point of two states are two points
        Spring *last;
        add_spring(&all, (int32_t)v[0], v[0] == v[1] ? -1 : (int32_t)v[1], v[2], v[3], v[4]);
        last = all.count ? &all.list[all.count - 1] : NULL;
        if (last && v[0] == v[1]) last->ends[1] = (int32_t)v[1];
    }
    for (size_t i = 0; i < ends[0].count && i < ends[1].count; i++) {
        add_spring(&all, ends[0].data[i], ends[0].data[i] == ends[1].data[i] ? -1 : ends[1].data[i],
                   one_or_each(stiffness, i, 100), one_or_each(damping, i, 5), one_or_each(lengths, i, 0));
        if (!all.failed) all.list[all.count - 1].ends[1] = ends[1].data[i];
    }
    return set_springs(s, o, id, &all);
}

static double distance(const TacSofaObject *state, int32_t a, int32_t b) {
    size_t each = (size_t)tac_position_size(state->kind), n = each == 7 ? 3 : each;
    if (a < 0 || b < 0 || (size_t)a >= state->points || (size_t)b >= state->points) return 0;
    double square = 0;
    for (size_t k = 0; k < n; k++) {
        double d = state->rest.data[each * (size_t)b + k] - state->rest.data[each * (size_t)a + k];
        square += d * d;
    }
    return sqrt(square);
}

static void add_between(Springs *springs, const TacSofaObject *state, int32_t a, int32_t b, double stiffness,
                        double damping) {
    double l = distance(state, a, b), over = l > 0 ? 1 / l : 1;
    add_spring(springs, a, b, stiffness * over, damping * over, l);
}

// Along edges, and between all corners of an element, lines first.
bool tac_sofa_build_mesh_springs(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    static const char *const names[][2] = {{"linesStiffness", "linesDamping"},
                                           {"trianglesStiffness", "trianglesDamping"},
                                           {"quadsStiffness", "quadsDamping"},
                                           {"tetrahedraStiffness", "tetrahedraDamping"},
                                           {"cubesStiffness", "cubesDamping"}};
    TacSofaObject *topology = tac_sofa_used_topology(s, o), *state = tac_sofa_state_of(s, o->node);
    if (!topology || !state || !tac_sofa_make_mesh(s, topology)) {
        tac_sofa_complain(s, o->element->place, "%s finds no topology", o->cls->name);
        return false;
    }
    double all = tac_sofa_real(s, o, "stiffness", 0), all_damping = tac_sofa_real(s, o, "damping", 0);
    Springs springs = {0};
    for (int kind = 0; kind < TAC_ELEMENT_KINDS; kind++) {
        double k = tac_sofa_real(s, o, names[kind][0], all),
               c = tac_sofa_real(s, o, names[kind][1], all_damping);
        if (kind == TAC_TETRAHEDRA) {
            k = tac_sofa_real(s, o, "tetrasStiffness", k);
            c = tac_sofa_real(s, o, "tetrasDamping", c);
        }
        if (k == 0 && c == 0) continue;
        const int32_t *elements = topology->mesh.elements[kind].indices;
        size_t count = topology->mesh.elements[kind].count,
               corners = (size_t)tac_element_size((TacElement)kind);
        int32_t *edges = NULL;
        TacError error;
        if (kind == TAC_EDGES && count == 0) {
            if (tac_mesh_all_edges(&topology->mesh, &edges, &count, &error) != TAC_OK) {
                free(springs.list);
                return tac_sofa_no_memory(s);
            }
            elements = edges;
        }
        for (size_t e = 0; e < count; e++)
            for (size_t a = 0; a < corners; a++)
                for (size_t b = a + 1; b < corners; b++)
                    add_between(&springs, state, elements[corners * e + a], elements[corners * e + b], k, c);
        free(edges);
    }
    keep_first(&springs);
    if (springs.count && !springs.failed && tac_sofa_bool(s, o, "noCompression", false) &&
        !tac_sofa_set(s, o, id, "pull_only", "true")) {
        free(springs.list);
        return false;
    }
    return set_springs(s, o, id, &springs);
}

// Springs of a regular grid: along the axes, across faces, across cells.
bool tac_sofa_build_grid_springs(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    static const int lines[][6] = {{0, 0, 0, 1, 0, 0}, {0, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 0, 1}};
    static const int faces[][6] = {{0, 0, 0, 1, 1, 0}, {1, 0, 0, 0, 1, 0}, {0, 0, 0, 1, 0, 1},
                                   {1, 0, 0, 0, 0, 1}, {0, 0, 0, 0, 1, 1}, {0, 1, 0, 0, 0, 1}};
    static const int cubes[][6] = {
        {0, 0, 0, 1, 1, 1}, {1, 0, 0, 0, 1, 1}, {0, 1, 0, 1, 0, 1}, {0, 0, 1, 1, 1, 0}};
    static const struct {
        const int (*pairs)[6];
        size_t count;
        const char *stiffness, *damping;
    } groups[] = {{lines, 3, "linesStiffness", "linesDamping"},
                  {faces, 6, "quadsStiffness", "quadsDamping"},
                  {cubes, 4, "cubesStiffness", "cubesDamping"}};
    TacSofaObject *grid = tac_sofa_first_topology(s, o->node), *state = tac_sofa_state_of(s, o->node);
    if (!grid && state) grid = tac_sofa_first_topology(s, state->node);
    if (!grid || !tac_sofa_make_mesh(s, grid) || !grid->grid[0]) {
        tac_sofa_complain(s, o->element->place, "%s needs a RegularGridTopology in its node", o->cls->name);
        return false;
    }
    const int *n = grid->grid;
    double all = tac_sofa_real(s, o, "stiffness", 100), all_damping = tac_sofa_real(s, o, "damping", 5);
    Springs springs = {0};
    for (size_t g = 0; g < TAC_COUNT(groups); g++) {
        double k = tac_sofa_real(s, o, groups[g].stiffness, all);
        double c = tac_sofa_real(s, o, groups[g].damping, all_damping);
        for (size_t p = 0; p < groups[g].count && (k != 0 || c != 0); p++) {
            const int *d = groups[g].pairs[p];
            int size[3];
            double square = 0;
            for (int a = 0; a < 3; a++) {
                size[a] = d[a] || d[3 + a] ? 1 : 0;
                square += size[a] * grid->cell[a] * grid->cell[a];
            }
            double length = sqrt(square), over = length > 0 ? 1 / length : 1;
            for (int z = 0; z + size[2] < n[2]; z++)
                for (int y = 0; y + size[1] < n[1]; y++)
                    for (int x = 0; x + size[0] < n[0]; x++) {
                        int a = x + d[0] + n[0] * (y + d[1] + n[1] * (z + d[2]));
                        int b = x + d[3] + n[0] * (y + d[4] + n[1] * (z + d[5]));
                        add_spring(&springs, a, b, k * over, c * over, length);
                    }
        }
    }
    return set_springs(s, o, id, &springs);
}

// --- masses -----------------------------------------------------------------------------------------------

// Moments where they are enough; a tensor for each of two frames, whose six numbers would be read as three each.
static bool set_inertia(TacSofa *s, TacSofaObject *o, TacComponentId id, double mass, const double m[9],
                        size_t frames) {
    double list[12] = {mass * m[0], mass * m[4], mass * m[8], mass * m[1], mass * m[2], mass * m[5]};
    bool straight = m[1] == 0 && m[2] == 0 && m[5] == 0;
    memcpy(list + 6, list, 6 * sizeof *list);
    return tac_sofa_set_real(s, o, id, "mass", mass) && tac_sofa_set_reals(s, o, id, "inertia", list,
                                                                           straight      ? 3
                                                                           : frames == 2 ? 12
                                                                                         : 6);
}

// The number or numbers behind a word of a rigid mass file.
static bool read_rigid_file(TacSofa *s, TacSofaObject *o, const char *name, double *mass, double matrix[9]) {
    const char *path = tac_sofa_find_file(s, o->element->folder, name);
    char *text = NULL;
    size_t bytes;
    TacError error;
    if (!path) {
        tac_sofa_complain(s, o->element->place, "%.200s was not found", name);
        return false;
    }
    if (tac_read_whole_file(path, 1000000, &text, &bytes, &error) != TAC_OK) {
        tac_sofa_note(s, o->element->place, &error);
        return false;
    }
    for (const char *p = text, *end = text + bytes; p && p < end;) {
        double v;
        if (!strncmp(p, "vertexMass", 10)) {
            p += 10;
            if (tac_read_real(&p, end, &v)) *mass = v;
        } else if (!strncmp(p, "mass", 4)) {
            p += 4;
            if (tac_read_real(&p, end, &v)) *mass = v;
        } else if (!strncmp(p, "inrt", 4)) {
            p += 4;
            for (int i = 0; i < 9 && tac_read_real(&p, end, &v); i++) matrix[i] = v;
        }
        p = memchr(p, '\n', (size_t)(end - p));
        if (p) p++;
    }
    free(text);
    return true;
}

bool tac_sofa_build_uniform_mass(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    TacSofaObject *state = tac_sofa_state_of(s, o->node);
    double matrix[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, mass = 1;
    TacReals vertex;
    if (!state || !tac_sofa_reals(s, o, "vertexMass", &vertex)) return false;
    if (!vertex.count && !tac_sofa_reals(s, o, "mass", &vertex)) return false;
    bool rigid = state->kind == TAC_RIGID3 || state->kind == TAC_RIGID2;
    const char *file = tac_sofa_text(s, o, "filename");
    if (file && rigid && !read_rigid_file(s, o, file, &mass, matrix)) return false;
    if (vertex.count) mass = vertex.data[0];
    // mass, volume and inertia for each kg
    if (vertex.count >= 11) memcpy(matrix, vertex.data + 2, sizeof matrix);
    if (state->kind == TAC_RIGID2 && vertex.count >= 3) matrix[0] = vertex.data[2];
    TacReals total;
    if (!tac_sofa_reals(s, o, "totalMass", &total)) return false;
    if (!total.count) tac_sofa_reals(s, o, "totalmass", &total);
    if (total.count) mass = total.data[0] / (double)state->points;
    if (state->kind == TAC_RIGID3) return set_inertia(s, o, id, mass, matrix, state->points);
    return tac_sofa_set_real(s, o, id, "mass", mass) &&
           (state->kind != TAC_RIGID2 || tac_sofa_set_real(s, o, id, "inertia", mass * matrix[0]));
}

static double element_size(TacElement kind, const TacVec3 *p) {
    switch (kind) {
    case TAC_EDGES: return tac_norm(tac_sub(p[1], p[0]));
    case TAC_TRIANGLES: return 0.5 * tac_norm(tac_cross(tac_sub(p[1], p[0]), tac_sub(p[2], p[0])));
    case TAC_QUADS:
        return 0.5 * (tac_norm(tac_cross(tac_sub(p[1], p[0]), tac_sub(p[2], p[0]))) +
                      tac_norm(tac_cross(tac_sub(p[2], p[0]), tac_sub(p[3], p[0]))));
    case TAC_TETRAHEDRA:
        return fabs(tac_dot(tac_sub(p[3], p[0]), tac_cross(tac_sub(p[1], p[0]), tac_sub(p[2], p[0])))) / 6;
    default: {
        static const int ring[] = {1, 2, 3, 7, 4, 5, 1};
        double size = 0;
        for (int k = 0; k < 6; k++)
            size += fabs(tac_dot(tac_sub(p[6], p[0]),
                                 tac_cross(tac_sub(p[ring[k]], p[0]), tac_sub(p[ring[k + 1]], p[0])))) /
                    6;
        return size;
    }
    }
}

// Shares of every element at its corners, for a density of 1; the total. Hexahedra go before tetrahedra, quads
// before triangles, and only one kind counts.
static bool lump(TacSofa *s, TacSofaObject *o, const TacSofaObject *state, const TacMesh *mesh, double *m,
                 double *total) {
    static const TacElement order[] = {TAC_HEXAHEDRA, TAC_TETRAHEDRA, TAC_QUADS, TAC_TRIANGLES, TAC_EDGES};
    size_t each = (size_t)tac_position_size(state->kind);
    *total = 0;
    for (size_t k = 0; k < TAC_COUNT(order); k++) {
        size_t corners = (size_t)tac_element_size(order[k]), count = mesh->elements[order[k]].count;
        if (!count) continue;
        for (size_t e = 0; e < count; e++) {
            const int32_t *v = mesh->elements[order[k]].indices + corners * e;
            TacVec3 p[8];
            for (size_t c = 0; c < corners; c++) {
                if (v[c] < 0 || (size_t)v[c] >= state->points) {
                    tac_sofa_complain(s, o->element->place, "the topology names point %d; the state has %zu",
                                      v[c], state->points);
                    return false;
                }
                const double *x = state->positions.data + each * (size_t)v[c];
                p[c] = tac_vec3(x[0], each > 1 ? x[1] : 0, each > 2 && state->kind != TAC_RIGID2 ? x[2] : 0);
            }
            double share = element_size(order[k], p) / (double)corners;
            for (size_t c = 0; c < corners; c++) {
                m[v[c]] += share;
                *total += share;
            }
        }
        return true;
    }
    tac_sofa_complain(s, o->element->place, "%s finds a topology without elements", o->cls->name);
    return false;
}

bool tac_sofa_build_diagonal_mass(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    TacSofaObject *state = tac_sofa_state_of(s, o->node), *topology = tac_sofa_used_topology(s, o);
    TacReals given, total, density;
    if (!state || !tac_sofa_reals(s, o, "vertexMass", &given) || !tac_sofa_reals(s, o, "totalMass", &total) ||
        !tac_sofa_reals(s, o, "massDensity", &density))
        return false;
    if (!given.count && !tac_sofa_reals(s, o, "mass", &given)) return false;
    double *m = tac_sofa_new_reals(s, state->points), sum;
    if (!m) return false;
    if (given.count && !total.count && !density.count) {
        for (size_t i = 0; i < state->points; i++) m[i] = one_or_each(given, i, 1);
    } else {
        if (!topology || !tac_sofa_make_mesh(s, topology)) {
            tac_sofa_complain(s, o->element->place, "%s finds no topology", o->cls->name);
            return false;
        }
        if (!lump(s, o, state, &topology->mesh, m, &sum)) return false;
        double factor = total.count || !density.count ? one_or_each(total, 0, 1) / sum : density.data[0];
        for (size_t i = 0; i < state->points; i++) m[i] *= factor;
    }
    return tac_sofa_set_reals(s, o, id, "masses", m, state->points);
}

// A total of 1 kg where nothing is said.
bool tac_sofa_build_matrix_mass(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    bool total = tac_sofa_attribute(o, "totalMass"), density = tac_sofa_attribute(o, "massDensity");
    if (tac_sofa_attribute(o, "vertexMass") && !total && !density) {
        tac_sofa_complain(s, o->element->place, "lacks vertexMass of %s: give totalMass or massDensity",
                          o->cls->name);
        return false;
    }
    // SOFA puts a part of each element's mass on its edges, also where that is not the consistent mass
    return tac_sofa_set(s, o, id, "by_edges", "true") &&
           (total || density || tac_sofa_set(s, o, id, "total", "1"));
}

// --- laws -------------------------------------------------------------------------------------------------

static bool set_choice(TacSofa *s, TacSofaObject *o, TacComponentId id, const char *from,
                       const char *otherwise, const char *to, const char *const (*pairs)[2], size_t count) {
    const char *text = tac_sofa_text(s, o, from);
    if (!text) text = otherwise;
    for (size_t i = 0; i < count; i++)
        if (!strcmp(pairs[i][0], text)) return tac_sofa_set(s, o, id, to, pairs[i][1]);
    const char *names[32];
    for (size_t i = 0; i < count && i < TAC_COUNT(names); i++) names[i] = pairs[i][0];
    const char *near = tac_nearest(text, names, count < TAC_COUNT(names) ? count : TAC_COUNT(names));
    tac_sofa_complain(s, o->element->place, "lacks %s=\"%.40s\" of %s%s%s%s", from, text, o->cls->name,
                      near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    return false;
}

bool tac_sofa_build_tetrahedra(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    // SOFA takes the rotation of the matrix of edges, not of the deformation gradient
    static const char *const methods[][2] = {{"large", "qr"},     {"qr", "qr"},     {"polar", "edges"},
                                             {"polar2", "edges"}, {"svd", "edges"}, {"small", "small"},
                                             {"none", "small"},   {"Large", "qr"}};
    double limit = tac_sofa_real(s, o, "plasticMaxThreshold", 0);
    bool set =
        !(limit > 0) ||
        (tac_sofa_set_real(s, o, id, "plastic_limit", limit) &&
         tac_sofa_set_real(s, o, id, "plastic_yield", tac_sofa_real(s, o, "plasticYieldThreshold", 0.0001)) &&
         tac_sofa_set_real(s, o, id, "plastic_creep", tac_sofa_real(s, o, "plasticCreep", 0.9)) &&
         tac_sofa_set(s, o, id, "plastic_by_volume", "true"));
    if (!set) return false;
    return set_choice(s, o, id, "method", "large", "method", methods, TAC_COUNT(methods));
}

bool tac_sofa_build_linear_elements(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    return tac_sofa_set(s, o, id, "method", "small");
}

bool tac_sofa_build_corotational_tetrahedra(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    static const char *const methods[][2] = {
        {"triangle", "qr"}, {"polar", "polar"}, {"stable_polar", "polar"}, {"identity", "small"}};
    return set_choice(s, o, id, "rotationMethod", "triangle", "method", methods, TAC_COUNT(methods));
}

bool tac_sofa_build_corotational_hexahedra(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    static const char *const methods[][2] = {
        {"hexahedron", "large"}, {"polar", "polar"}, {"stable_polar", "polar"}, {"identity", "small"}};
    return set_choice(s, o, id, "rotationMethod", "hexahedron", "method", methods, TAC_COUNT(methods));
}

// Cells of a sparse grid are as stiff as they are full.
static bool set_fills(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    const TacSofaObject *topology = tac_sofa_used_topology(s, o);
    if (!topology || !topology->fills.count) return true;
    TacReals young;
    if (!tac_sofa_reals(s, o, "youngModulus", &young)) return false;
    double *each = tac_sofa_new_reals(s, topology->fills.count);
    for (size_t i = 0; each && i < topology->fills.count; i++)
        each[i] = one_or_each(young, i, 5000) * topology->fills.data[i];
    return each && tac_sofa_set_reals(s, o, id, "young", each, topology->fills.count);
}

bool tac_sofa_build_hexahedra(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    static const char *const methods[][2] = {
        {"large", "large"}, {"polar", "polar"}, {"small", "small"}, {"none", "small"}};
    return set_fills(s, o, id) &&
           set_choice(s, o, id, "method", "large", "method", methods, TAC_COUNT(methods));
}

// Hexahedra that bring their mass along: a MatrixMass beside them.
bool tac_sofa_build_solid(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    TacSofaObject *state = tac_sofa_state_of(s, o->node), *topology = tac_sofa_used_topology(s, o);
    if (!tac_sofa_build_hexahedra(s, o, id) || !state) return false;
    TacComponentId mass = tac_sofa_add_beside(s, o, id, "MatrixMass", "mass");
    bool lumped = tac_sofa_bool(s, o, "lumpedMass", false);
    return mass.index1 && tac_sofa_set_link(s, o, mass, "matter", state->made) &&
           tac_sofa_set_real(s, o, mass, "density", tac_sofa_real(s, o, "density", 1)) &&
           tac_sofa_set(s, o, mass, lumped ? "lumped" : "even", "true") &&
           (!topology || !topology->fills.count ||
            tac_sofa_set_reals(s, o, mass, "fills", topology->fills.data, topology->fills.count));
}

bool tac_sofa_build_triangles(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    static const char *const methods[][2] = {{"large", "large"}, {"small", "small"}};
    // all but the optimised one measure strain over the triangle as it is now
    bool now = strcmp(o->cls->name, "TriangularFEMForceFieldOptim") != 0;
    return (!now || tac_sofa_set(s, o, id, "shape_now", "true")) &&
           set_choice(s, o, id, "method", "large", "method", methods, TAC_COUNT(methods));
}

// There every quad lies in the xy plane, and its sides are those of now.
bool tac_sofa_build_plates(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    return tac_sofa_set(s, o, id, "axes", "world") && tac_sofa_set(s, o, id, "shape_now", "true");
}

bool tac_sofa_build_beams(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    return tac_sofa_set(s, o, id, "axes", "frame");
}

bool tac_sofa_build_hyperelastic(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    static const char *const materials[][2] = {{"ArrudaBoyce", "arruda-boyce"},
                                               {"StVenantKirchhoff", "saint-venant-kirchhoff"},
                                               {"NeoHookean", "neo-hookean"},
                                               {"StableNeoHookean", "stable-neo-hookean"},
                                               {"MooneyRivlin", "mooney-rivlin"},
                                               {"VerondaWestman", "veronda-westman"},
                                               {"Costa", "costa"},
                                               {"Ogden", "ogden"}};
    return set_choice(s, o, id, "materialName", "ArrudaBoyce", "material", materials, TAC_COUNT(materials));
}

// SOFA takes the normal as it is written: its length scales distances, and pushes once more.
bool tac_sofa_build_plane(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    TacReals normal;
    if (!tac_sofa_reals(s, o, "normal", &normal)) return false;
    double length = normal.count == 3 ? tac_norm(tac_load3(normal.data)) : 1;
    if (!(length > 0)) length = 1; // refused where the plane is made
    return tac_sofa_set_real(s, o, id, "offset", tac_sofa_real(s, o, "d", 0) / length) &&
           tac_sofa_set_real(s, o, id, "stiffness",
                             tac_sofa_real(s, o, "stiffness", 500) * length * length) &&
           tac_sofa_set_real(s, o, id, "depth_damping", tac_sofa_real(s, o, "damping", 5) * length);
}

// forces for each point, or one force for all, or a total that is shared out.
bool tac_sofa_build_constant_force(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    TacReals each, one, total;
    TacSofaObject *state = tac_sofa_state_of(s, o->node);
    if (!state || !tac_sofa_reals(s, o, "forces", &each) || !tac_sofa_reals(s, o, "force", &one) ||
        !tac_sofa_reals(s, o, "totalForce", &total))
        return false;
    if (total.count) return tac_sofa_set_reals(s, o, id, "total", total.data, total.count);
    if (one.count) return tac_sofa_set_reals(s, o, id, "force", one.data, one.count);
    // one for each point named: the last one again where there are fewer
    size_t size = (size_t)tac_velocity_size(state->kind), n = state->points;
    TacInts indices;
    if (!tac_sofa_ints(s, o, "indices", &indices) || each.count < size) return each.count >= size;
    if (indices.count) n = indices.count;
    size_t last = each.count / size - 1;
    double *list = tac_sofa_new_reals(s, n * size);
    for (size_t i = 0; list && i < n; i++)
        memcpy(list + size * i, each.data + size * (i < last ? i : last), size * sizeof *list);
    return list && tac_sofa_set_reals(s, o, id, "force", list, n * size);
}

bool tac_sofa_build_particles(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    static const char *const kernels[][2] = {{"0", "mueller"}, {"1", "cubic"}};
    static const char *const kinds[][2] = {{"0", "none"}, {"1", "laplacian"}, {"2", "artificial"}};
    double tension = tac_sofa_real(s, o, "surfaceTension", 0);
    return set_choice(s, o, id, "kernelType", "0", "kernel", kernels, TAC_COUNT(kernels)) &&
           set_choice(s, o, id, "viscosityType", "1", "viscosity_type", kinds, TAC_COUNT(kinds)) &&
           (!(tension > 0) || tac_sofa_set_real(s, o, id, "tension", tension));
}

bool tac_sofa_build_lennard_jones(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    return tac_sofa_set_real(s, o, id, "depth", -tac_sofa_real(s, o, "p0", 1));
}

// Another state whose points are the rest shape.
bool tac_sofa_build_rest_springs(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    TacSofaObject *target = tac_sofa_link(s, o, "external_rest_shape", tac_sofa_is_state);
    if (!target) return true;
    return tac_sofa_set_link(s, o, id, "target", target->made);
}

bool tac_sofa_build_ellipsoid(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    TacSofaObject *carrier = tac_sofa_link(s, o, "object2", tac_sofa_is_state);
    if (carrier && carrier->made.index1 && !tac_sofa_set_link(s, o, id, "carrier", carrier->made))
        return false;
    return !tac_sofa_has(s, id, "as_sofa") || tac_sofa_set(s, o, id, "as_sofa", "true");
}

bool tac_sofa_build_damping(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    return tac_sofa_bool(s, o, "implicit", false) || tac_sofa_set(s, o, id, "explicitly", "true");
}

bool tac_sofa_build_pressure(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    if (tac_sofa_bool(s, o, "pulseMode", false)) {
        tac_sofa_complain(s, o->element->place, "lacks pulseMode of %s", o->cls->name);
        return false;
    }
    return tac_sofa_bool(s, o, "useTangentStiffness", true) || tac_sofa_set(s, o, id, "stiff", "false");
}

// --- maps and solvers -------------------------------------------------------------------------------------

// Which frame carries which point: a number for each point, or how many points each frame carries, in their order.
// Other lists are passed over there.
static bool set_carriers(TacSofa *s, TacSofaObject *o, TacComponentId id, const char *attribute) {
    const TacSofaObject *parent = tac_sofa_parent_of(s, o), *child = tac_sofa_output_of(s, o);
    TacInts list;
    if (!tac_sofa_attribute(o, attribute)) return true;
    if (!parent || !child || !tac_sofa_ints(s, o, attribute, &list)) return false;
    bool counts = list.count == parent->points && list.count != child->points;
    if (list.count == child->points && strcmp(attribute, "repartition"))
        return tac_sofa_set_ints(s, o, id, "frames", list.data, list.count);
    int32_t *frames = tac_sofa_new_ints(s, child->points);
    size_t n = 0;
    if (!frames) return false;
    for (size_t k = 0; k < list.count; k++)
        for (int32_t c = 0; c < list.data[k] && n <= child->points; c++, n++)
            if (n < child->points) frames[n] = (int32_t)k;
    if ((counts || !strcmp(attribute, "repartition")) && n == child->points)
        return tac_sofa_set_ints(s, o, id, "frames", frames, n);
    tac_sofa_remark(s, o->element->place, "%s has %zu numbers for %zu points: it is passed over", attribute,
                    list.count, child->points);
    return true;
}

bool tac_sofa_build_rigid_map(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    static const char *const stiffness[][2] = {
        {"0", "none"}, {"1", "exact"}, {"2", "symmetric"}, {"3", "symmetric"}};
    const char *geometric = tac_sofa_text(s, o, "geometricStiffness");
    bool frames = !strcmp(tac_scene_class_of(s->scene, id)->name, "FrameMap");
    if (tac_sofa_bool(s, o, "globalToLocalCoords", false) && !tac_sofa_set(s, o, id, "local", "false"))
        return false;
    if (!set_carriers(s, o, id, "rigidIndexPerPoint") || !set_carriers(s, o, id, "repartition")) return false;
    if (frames)
        return tac_sofa_set(s, o, id, "geometric", geometric && strcmp(geometric, "0") ? "true" : "false");
    return set_choice(s, o, id, "geometricStiffness", "0", "geometric", stiffness, TAC_COUNT(stiffness));
}

bool tac_sofa_build_barycentric_map(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    TacSofaObject *parent = tac_sofa_link(s, o, "input", tac_sofa_is_state);
    if (!parent && s->nodes[o->node].parent != TAC_NONE)
        parent = tac_sofa_state_of(s, s->nodes[o->node].parent);
    TacSofaObject *topology = tac_sofa_link(s, o, "input_topology", tac_sofa_is_topology);
    if (!topology && parent) topology = tac_sofa_topology_of(s, parent->node);
    if (topology && topology->made_mesh.index1)
        return tac_sofa_set_link(s, o, id, "topology", topology->made_mesh);
    return true;
}

bool tac_sofa_build_conjugate_gradient(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    const char *matrix = tac_sofa_text(s, o, "template");
    bool assembled = matrix && strcmp(matrix, "GraphScattered") && *matrix;
    if (!assembled || !tac_sofa_has(s, id, "assembled")) return true;
    return tac_sofa_set(s, o, id, "assembled", "true");
}

// The inverse of the first matrix, for good.
bool tac_sofa_build_precomputed(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    return tac_sofa_set(s, o, id, "once", "true");
}

// Which approximate inverse: by the class of the component that is linked to. Squares are compared there, of the
// residual as the approximate inverse sees it, and a solve begins with the last solution.
bool tac_sofa_build_preconditioned(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    static const char *const kinds[][2] = {{"JacobiPreconditioner", "jacobi"},
                                           {"BlockJacobiPreconditioner", "block-jacobi"},
                                           {"SSORPreconditioner", "ssor"},
                                           {"SSORLinearSolver", "ssor"}};
    const char *attribute = tac_sofa_attribute(o, "preconditioner") ? "preconditioner" : "preconditioners";
    TacSofaObject *helper = tac_sofa_link(s, o, attribute, NULL);
    if (!tac_sofa_set(s, o, id, "measure", "squares") || !tac_sofa_set(s, o, id, "warm", "true"))
        return false;
    if (!helper && tac_sofa_attribute(o, attribute)) return false;
    if (!helper || !tac_sofa_bool(s, o, "use_precond", true))
        return tac_sofa_set(s, o, id, "preconditioner", "none");
    for (size_t i = 0; i < TAC_COUNT(kinds); i++)
        if (!strcmp(helper->cls->name, kinds[i][0]))
            return tac_sofa_set(s, o, id, "preconditioner", kinds[i][1]) &&
                   (strcmp(kinds[i][1], "ssor") ||
                    (tac_sofa_set(s, o, id, "sweep", "numbers") &&
                     tac_sofa_set_real(s, o, id, "relaxation", tac_sofa_real(s, helper, "omega", 1))));
    // everything else there factors the matrix, now and then
    double steps = tac_sofa_real(s, helper, "update_step", 1);
    return tac_sofa_set(s, o, id, "preconditioner", "direct") &&
           (!(steps > 1) || !strcmp(helper->cls->name, "WarpPreconditioner") ||
            tac_sofa_set_real(s, o, id, "refresh", steps));
}

// Lengths are counted from those at rest, unless the scene wants them as they are.
bool tac_sofa_build_distance_map(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    static const char *const stiffness[][2] = {{"0", "none"},      {"1", "exact"},
                                               {"2", "stable"},    {"None", "none"},
                                               {"Exact", "exact"}, {"Stabilized", "stable"}};
    TacSofaObject *topology = tac_sofa_used_topology(s, o);
    const TacSofaObject *parent = tac_sofa_link(s, o, "input", tac_sofa_is_state);
    if (!parent && s->nodes[o->node].parent != TAC_NONE)
        parent = tac_sofa_state_of(s, s->nodes[o->node].parent);
    if (!topology || !parent || !tac_sofa_make_mesh(s, topology)) {
        tac_sofa_complain(s, o->element->place, "%s finds no topology with edges", o->cls->name);
        return false;
    }
    size_t n = topology->mesh.elements[TAC_EDGES].count;
    const int32_t *edges = topology->mesh.elements[TAC_EDGES].indices;
    TacReals given;
    double *lengths = tac_sofa_new_reals(s, n);
    if (!lengths || !tac_sofa_reals(s, o, "restLengths", &given)) return false;
    // squares are counted from 0
    bool squared = !strcmp(o->cls->name, "SquareDistanceMapping");
    if (squared && !tac_sofa_set(s, o, id, "squared", "true")) return false;
    bool absolute = !squared && !tac_sofa_bool(s, o, "computeDistance", false);
    for (size_t i = 0; i < n; i++)
        lengths[i] = absolute ? one_or_each(given, i, distance(parent, edges[2 * i], edges[2 * i + 1])) : 0;
    return set_choice(s, o, id, "geometricStiffness", "Stabilized", "geometric", stiffness,
                      TAC_COUNT(stiffness)) &&
           tac_sofa_set_ints(s, o, id, "pairs", edges, 2 * n) &&
           (!absolute || tac_sofa_set_reals(s, o, id, "lengths", lengths, n));
}

bool tac_sofa_build_bending(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    bool opposite = strcmp(o->cls->name, "FastTriangularBendingSprings") != 0;
    return tac_sofa_set(s, o, id, "way", opposite ? "opposite" : "quadratic") &&
           tac_sofa_set(s, o, id, "stable", "false") && tac_sofa_set(s, o, id, "damping_turns", "true");
}

// --- maps -------------------------------------------------------------------------------------------------

bool tac_sofa_build_skinning(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    return tac_sofa_set(s, o, id, "geometric", "none");
}
