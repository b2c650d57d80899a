// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What SOFA's loaders, grids, containers and topological mappings come to: a mesh, in SOFA's order of points and
// elements, on which the results of capped iterations and of elements' frames depend. See sofa.h.

#include "base/text.h"
#include "scene/sofa.h"

#include <math.h>

enum { MOST_GRID_POINTS = 5000000 };

// --- lists of elements ------------------------------------------------------------------------------------

static bool replace(TacSofa *s, TacMesh *mesh, TacElement kind, const int32_t *indices, size_t count) {
    size_t numbers = count * (size_t)tac_element_size(kind);
    int32_t *kept = malloc((numbers ? numbers : 1) * sizeof *kept);
    if (!kept) return tac_sofa_no_memory(s);
    if (numbers) memcpy(kept, indices, numbers * sizeof *kept);
    free(mesh->elements[kind].indices);
    mesh->elements[kind].indices = kept;
    mesh->elements[kind].count = count;
    return true;
}

static bool replace_points(TacSofa *s, TacMesh *mesh, const double *points, size_t count) {
    double *kept = malloc((count ? 3 * count : 1) * sizeof *kept);
    if (!kept) return tac_sofa_no_memory(s);
    if (count) memcpy(kept, points, 3 * count * sizeof *kept);
    free(mesh->points);
    free(mesh->radii);
    mesh->radii = NULL;
    mesh->points = kept;
    mesh->point_count = count;
    return true;
}

static bool note_mesh(TacSofa *s, const TacSofaObject *object, TacStatus status, const TacError *error) {
    if (status == TAC_OK) return true;
    tac_sofa_note(s, object->element->place, error);
    return false;
}

// --- files ------------------------------------------------------------------------------------------------

static TacVec3 by_letters(TacSofa *s, TacSofaObject *o, const char *const names[3], TacVec3 v) {
    return tac_vec3(tac_sofa_real(s, o, names[0], v.x), tac_sofa_real(s, o, names[1], v.y),
                    tac_sofa_real(s, o, names[2], v.z));
}

// Scale, then rotation, then translation, as given to loaders.
static void transform(TacSofa *s, TacSofaObject *o) {
    static const char *const moves[] = {"dx", "dy", "dz"}, *const turns[] = {"rx", "ry", "rz"};
    TacVec3 one = tac_vec3(1, 1, 1), none = tac_vec3(0, 0, 0);
    TacVec3 scale = tac_sofa_vector(s, o, "scale", tac_sofa_vector(s, o, "scale3d", one));
    TacVec3 rotation = by_letters(s, o, turns, tac_sofa_vector(s, o, "rotation", none));
    TacVec3 translation = by_letters(s, o, moves, tac_sofa_vector(s, o, "translation", none));
    tac_mesh_transform(&o->mesh, scale, rotation, translation);
}

static bool split_quads(TacSofa *s, TacMesh *mesh) {
    size_t triangles = mesh->elements[TAC_TRIANGLES].count, quads = mesh->elements[TAC_QUADS].count;
    if (!quads) return true;
    int32_t *all = tac_sofa_new_ints(s, 3 * triangles + 6 * quads);
    if (!all) return false;
    if (triangles) memcpy(all, mesh->elements[TAC_TRIANGLES].indices, 3 * triangles * sizeof *all);
    for (size_t i = 0; i < quads; i++) {
        const int32_t *q = mesh->elements[TAC_QUADS].indices + 4 * i;
        const int32_t both[6] = {q[0], q[1], q[2], q[0], q[2], q[3]};
        memcpy(all + 3 * triangles + 6 * i, both, sizeof both);
    }
    return replace(s, mesh, TAC_TRIANGLES, all, triangles + 2 * quads) &&
           replace(s, mesh, TAC_QUADS, NULL, 0);
}

static bool read_file(TacSofa *s, TacSofaObject *o) {
    const char *name = tac_sofa_text(s, o, "filename");
    if (!name) name = tac_sofa_text(s, o, "fileTopology");
    if (!name || !*name) {
        tac_sofa_complain(s, o->element->place, "%s needs filename", o->cls->name);
        return false;
    }
    const TacSofaAttribute *at = tac_sofa_attribute(o, "filename");
    TacPlace place = at ? at->place : o->element->place;
    const char *path = tac_sofa_find_file(s, o->element->folder, name);
    if (!path) {
        tac_sofa_complain(s, place,
                          "%.200s was not found beside the scene, in share or examples above it, or in "
                          "$SOFA_DATA_PATH",
                          name);
        return false;
    }
    TacError error;
    TacStatus status = tac_mesh_read(&o->mesh, path, &error);
    if (status != TAC_OK) {
        tac_sofa_note(s, place, &error);
        return false;
    }
    transform(s, o);
    return !tac_sofa_bool(s, o, "triangulate", false) || split_quads(s, &o->mesh);
}

// --- grids ------------------------------------------------------------------------------------------------

// xmin and the others are read as 32-bit numbers there. Kept from the optimiser, which has been seen to drop the
// rounding where three of them are scaled side by side.
static double single(double x) {
    volatile float rounded = (float)x;
    return rounded;
}

static TacVec3 limits_of(TacSofa *s, TacSofaObject *o, const char *const names[3], double scale) {
    return tac_vec3(scale * single(tac_sofa_real(s, o, names[0], 0)),
                    scale * single(tac_sofa_real(s, o, names[1], 0)),
                    scale * single(tac_sofa_real(s, o, names[2], 0)));
}

static bool has_all(const TacSofaObject *o, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!tac_sofa_attribute(o, names[i])) return false;
    return true;
}

typedef struct Grid {
    int n[3];
    TacVec3 origin;
} Grid;

static bool measure_grid(TacSofa *s, TacSofaObject *o, Grid *grid) {
    static const char *const sizes[] = {"nx", "ny", "nz"};
    static const char *const limits[] = {"xmin", "ymin", "zmin", "xmax", "ymax", "zmax"};
    TacVec3 low = tac_sofa_vector(s, o, "min", tac_vec3(0, 0, 0));
    TacVec3 high = tac_sofa_vector(s, o, "max", tac_vec3(1, 1, 1));
    TacVec3 n = tac_sofa_vector(s, o, "n", tac_vec3(2, 2, 2));
    if (has_all(o, sizes, 3)) n = by_letters(s, o, sizes, n);
    if (has_all(o, limits, 6)) {
        double scale = single(tac_sofa_real(s, o, "scale", 1));
        low = limits_of(s, o, limits, scale);
        high = limits_of(s, o, limits + 3, scale);
    }
    const double l[3] = {low.x, low.y, low.z}, h[3] = {high.x, high.y, high.z};
    double counts[3] = {n.x, n.y, n.z}, start[3] = {l[0], l[1], l[2]};
    double width = tac_sofa_real(s, o, "cellWidth", 0);
    for (int k = 0; k < 3; k++) {
        if (width > 0) counts[k] = ceil((h[k] - l[k]) / width) + 1;
        counts[k] = floor(counts[k]);
    }
    // as SOFA: a grid that cannot be becomes the smallest
    bool good = counts[0] >= 1 && counts[1] >= 1 && counts[2] >= 1;
    if (!good) {
        tac_sofa_remark(s, o->element->place,
                        "a grid needs at least one point along each axis; 2 2 2 is taken");
        counts[0] = counts[1] = counts[2] = 2;
    }
    if (!(counts[0] * counts[1] * counts[2] <= MOST_GRID_POINTS)) {
        tac_sofa_complain(s, o->element->place, "a grid of %g x %g x %g points is too large", counts[0],
                          counts[1], counts[2]);
        return false;
    }
    for (int k = 0; k < 3; k++) {
        grid->n[k] = o->grid[k] = (int)counts[k];
        o->cell[k] = grid->n[k] > 1 ? (h[k] - l[k]) / (grid->n[k] - 1) : h[k] - l[k];
        if (grid->n[k] == 1 && k < 2) start[k] = (h[k] + l[k]) / 2;
    }
    grid->origin = tac_sofa_vector(s, o, "p0", tac_vec3(start[0], start[1], start[2]));
    return true;
}

static size_t at(const Grid *g, int x, int y, int z) {
    return (size_t)x + (size_t)g->n[0] * ((size_t)y + (size_t)g->n[1] * (size_t)z);
}

// Quads of the planes spanned by the axes a and b, in SOFA's order.
static int32_t *quads_of(const Grid *g, int a, int b, int32_t *q) {
    int end[3] = {g->n[0], g->n[1], g->n[2]};
    end[a]--;
    end[b]--;
    for (int z = 0; z < end[2]; z++)
        for (int y = 0; y < end[1]; y++)
            for (int x = 0; x < end[0]; x++) {
                const int corners[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
                for (int c = 0; c < 4; c++) {
                    int p[3] = {x, y, z};
                    p[a] += corners[c][0];
                    p[b] += corners[c][1];
                    *q++ = (int32_t)at(g, p[0], p[1], p[2]);
                }
            }
    return q;
}

static void fill_hexahedra(const Grid *g, int32_t *h) {
    for (int z = 0; z + 1 < g->n[2]; z++)
        for (int y = 0; y + 1 < g->n[1]; y++)
            for (int x = 0; x + 1 < g->n[0]; x++)
                for (int up = 0; up < 2; up++) {
                    *h++ = (int32_t)at(g, x, y, z + up);
                    *h++ = (int32_t)at(g, x + 1, y, z + up);
                    *h++ = (int32_t)at(g, x + 1, y + 1, z + up);
                    *h++ = (int32_t)at(g, x, y + 1, z + up);
                }
}

static size_t product(int a, int b, int c) {
    return a > 0 && b > 0 && c > 0 ? (size_t)a * (size_t)b * (size_t)c : 0;
}

static bool is_line(const Grid *g) {
    return (g->n[0] > 1) + (g->n[1] > 1) + (g->n[2] > 1) == 1;
}

static bool make_grid(TacSofa *s, TacSofaObject *o) {
    Grid g;
    if (!measure_grid(s, o, &g)) return false;
    const int *n = g.n;
    size_t counts[TAC_ELEMENT_KINDS] = {0};
    counts[TAC_HEXAHEDRA] = product(n[0] - 1, n[1] - 1, n[2] - 1);
    counts[TAC_QUADS] = product(n[0] - 1, n[1] - 1, n[2]) + product(n[0] - 1, n[1], n[2] - 1) +
                        product(n[0], n[1] - 1, n[2] - 1);
    counts[TAC_TRIANGLES] = 2 * counts[TAC_QUADS];
    if (is_line(&g)) counts[TAC_EDGES] = product(n[0], n[1], n[2]) - 1;
    TacError error;
    if (!note_mesh(s, o, tac_mesh_create(&o->mesh, product(n[0], n[1], n[2]), counts, &error), &error))
        return false;
    double *p = o->mesh.points;
    for (int z = 0; z < n[2]; z++)
        for (int y = 0; y < n[1]; y++)
            for (int x = 0; x < n[0]; x++) {
                *p++ = g.origin.x + o->cell[0] * x;
                *p++ = g.origin.y + o->cell[1] * y;
                *p++ = g.origin.z + o->cell[2] * z;
            }
    if (counts[TAC_HEXAHEDRA]) fill_hexahedra(&g, o->mesh.elements[TAC_HEXAHEDRA].indices);
    for (size_t i = 0; i < counts[TAC_EDGES]; i++) {
        o->mesh.elements[TAC_EDGES].indices[2 * i] = (int32_t)i;
        o->mesh.elements[TAC_EDGES].indices[2 * i + 1] = (int32_t)i + 1;
    }
    if (!counts[TAC_QUADS]) return true;
    int32_t *q = o->mesh.elements[TAC_QUADS].indices, *t = o->mesh.elements[TAC_TRIANGLES].indices;
    quads_of(&g, 1, 2, quads_of(&g, 0, 2, quads_of(&g, 0, 1, q)));
    for (size_t i = 0; i < counts[TAC_QUADS]; i++, q += 4, t += 6) {
        const int32_t both[6] = {q[0], q[1], q[2], q[0], q[2], q[3]};
        memcpy(t, both, sizeof both);
    }
    return true;
}

// --- cutting hexahedra ------------------------------------------------------------------------------------

static void exchange(int32_t c[8], const int (*pairs)[2]) {
    for (int i = 0; i < 4; i++) {
        int32_t t = c[pairs[i][0]];
        c[pairs[i][0]] = c[pairs[i][1]];
        c[pairs[i][1]] = t;
    }
}

int32_t *tac_sofa_cut_hexahedra(TacSofa *s, const TacSofaObject *topology, bool swap, bool mirrored,
                                size_t *count) {
    static const int along_x[4][2] = {{0, 1}, {3, 2}, {4, 5}, {7, 6}};
    static const int along_y[4][2] = {{0, 3}, {1, 2}, {4, 7}, {5, 6}};
    static const int along_z[4][2] = {{0, 4}, {1, 5}, {2, 6}, {3, 7}};
    static const int plain[6][4] = {{0, 5, 1, 6}, {0, 1, 3, 6}, {1, 3, 6, 2},
                                    {6, 3, 0, 7}, {6, 7, 0, 5}, {7, 5, 4, 0}};
    static const int other[6][4] = {{0, 5, 6, 1}, {0, 1, 6, 3}, {1, 3, 2, 6},
                                    {6, 3, 7, 0}, {6, 7, 5, 0}, {7, 5, 0, 4}};
    size_t cells = topology->mesh.elements[TAC_HEXAHEDRA].count;
    // the pattern alternates along the axes of a grid
    size_t nx = topology->grid[0] > 1 ? (size_t)topology->grid[0] - 1 : 2;
    size_t ny = topology->grid[1] > 1 ? (size_t)topology->grid[1] - 1 : 1;
    int32_t *list = tac_sofa_new_ints(s, 24 * cells);
    *count = 6 * cells;
    for (size_t i = 0; list && i < cells; i++) {
        int32_t c[8];
        memcpy(c, topology->mesh.elements[TAC_HEXAHEDRA].indices + 8 * i, sizeof c);
        bool turned = false;
        if (swap && i % nx % 2 == 0) exchange(c, along_x), turned = !turned;
        if (swap && i / nx % ny % 2 == 1) exchange(c, along_y), turned = !turned;
        if (swap && i / (nx * ny) % 2 == 1) exchange(c, along_z), turned = !turned;
        const int(*pattern)[4] = turned && mirrored ? other : plain;
        for (int t = 0; t < 6; t++)
            for (int k = 0; k < 4; k++) list[24 * i + 4 * (size_t)t + (size_t)k] = c[pattern[t][k]];
    }
    return list;
}

// --- borders ----------------------------------------------------------------------------------------------

typedef struct Face {
    int32_t key[4];
    uint32_t index;
} Face;

static int compare_faces(const void *a, const void *b) {
    int order = memcmp(((const Face *)a)->key, ((const Face *)b)->key, sizeof(int32_t[4]));
    if (order) return order;
    return ((const Face *)a)->index < ((const Face *)b)->index ? -1 : 1;
}

// Parts (edges of triangles, quads of hexahedra) that belong to one element only, in the order of the elements.
static bool border(TacSofa *s, const TacMesh *mesh, TacElement of, const int *parts, size_t each,
                   TacElement kind, TacMesh *out) {
    size_t corners = (size_t)tac_element_size(of), size = (size_t)tac_element_size(kind);
    size_t n = mesh->elements[of].count * each, kept = 0;
    if (n > UINT32_MAX) return tac_sofa_no_memory(s);
    Face *faces = malloc((n ? n : 1) * sizeof *faces);
    uint8_t *single_face = calloc(n ? n : 1, 1);
    int32_t *list = malloc((n ? n : 1) * size * sizeof *list);
    if (!faces || !single_face || !list) {
        free(faces);
        free(single_face);
        free(list);
        return tac_sofa_no_memory(s);
    }
    for (size_t i = 0; i < n; i++) {
        const int32_t *e = mesh->elements[of].indices + corners * (i / each);
        Face f = {.key = {-1, -1, -1, -1}, .index = (uint32_t)i};
        for (size_t k = 0; k < size; k++) {
            // sorted by insertion
            int32_t v = e[parts[i % each * size + k]];
            size_t j = k;
            for (; j > 0 && f.key[j - 1] > v; j--) f.key[j] = f.key[j - 1];
            f.key[j] = v;
        }
        faces[i] = f;
    }
    qsort(faces, n, sizeof *faces, compare_faces);
    for (size_t i = 0; i < n; i++) {
        bool before = i > 0 && !memcmp(faces[i].key, faces[i - 1].key, sizeof faces[i].key);
        bool after = i + 1 < n && !memcmp(faces[i].key, faces[i + 1].key, sizeof faces[i].key);
        single_face[faces[i].index] = !before && !after;
    }
    for (size_t i = 0; i < n; i++) {
        if (!single_face[i]) continue;
        const int32_t *e = mesh->elements[of].indices + corners * (i / each);
        for (size_t k = 0; k < size; k++) list[kept * size + k] = e[parts[i % each * size + k]];
        kept++;
    }
    bool good = replace(s, out, kind, list, kept);
    free(faces);
    free(single_face);
    free(list);
    return good;
}

// --- topological mappings ---------------------------------------------------------------------------------

static bool flip(TacMesh *mesh, TacElement kind) {
    size_t size = (size_t)tac_element_size(kind);
    for (size_t i = 0; i < mesh->elements[kind].count; i++) {
        int32_t *e = mesh->elements[kind].indices + size * i, t = e[1];
        e[1] = e[size - 1];
        e[size - 1] = t;
    }
    return true;
}

// --- points from elements ---------------------------------------------------------------------------------

// Edges as a container of tetrahedra or triangles finds them: in the order in which elements come upon them.
static int32_t *edges_in_order(TacSofa *s, const TacMesh *mesh, size_t *count) {
    static const int of_tetrahedron[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    static const int of_triangle[3][2] = {{1, 2}, {2, 0}, {0, 1}};
    bool solid = mesh->elements[TAC_TETRAHEDRA].count > 0;
    TacElement kind = solid ? TAC_TETRAHEDRA : TAC_TRIANGLES;
    const int(*pairs)[2] = solid ? of_tetrahedron : of_triangle;
    size_t each = solid ? 6 : 3, corners = (size_t)tac_element_size(kind),
           n = each * mesh->elements[kind].count;
    *count = 0;
    Face *faces = malloc((n ? n : 1) * sizeof *faces);
    int32_t *list = tac_sofa_new_ints(s, 2 * n);
    if (!faces || !list || n > UINT32_MAX) {
        free(faces);
        tac_sofa_no_memory(s);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        const int32_t *e = mesh->elements[kind].indices + corners * (i / each);
        int32_t a = e[pairs[i % each][0]], b = e[pairs[i % each][1]];
        faces[i] = (Face){.key = {a < b ? a : b, a < b ? b : a, 0, 0}, .index = (uint32_t)i};
    }
    qsort(faces, n, sizeof *faces, compare_faces);
    // the first of each, marked by its place in the order of elements
    uint8_t *first = calloc(n ? n : 1, 1);
    for (size_t i = 0; first && i < n; i++)
        first[faces[i].index] = i == 0 || memcmp(faces[i].key, faces[i - 1].key, sizeof faces[i].key) != 0;
    for (size_t i = 0; first && i < n; i++) {
        const int32_t *e = mesh->elements[kind].indices + corners * (i / each);
        if (!first[i]) continue;
        list[2 * *count] = e[pairs[i % each][0]];
        list[2 * (*count)++ + 1] = e[pairs[i % each][1]];
    }
    if (!first) tac_sofa_no_memory(s);
    free(faces);
    bool good = first != NULL;
    free(first);
    return good ? list : NULL;
}

// What a place (x, y, z) inside an element gives to its corners.
static void weigh_corners(TacElement kind, const double *at, double w[8]) {
    double x = at[0], y = at[1], z = at[2];
    switch (kind) {
    case TAC_EDGES: w[0] = 1 - x, w[1] = x; return;
    case TAC_TRIANGLES: w[0] = 1 - x - y, w[1] = x, w[2] = y; return;
    case TAC_TETRAHEDRA: w[0] = 1 - x - y - z, w[1] = x, w[2] = y, w[3] = z; return;
    default:
        for (int c = 0; c < tac_element_size(kind); c++) {
            bool right = c % 4 == 1 || c % 4 == 2, far = c % 4 > 1, up = c > 3;
            w[c] = (right ? x : 1 - x) * (far ? y : 1 - y) * (kind == TAC_QUADS ? 1 : up ? z : 1 - z);
        }
    }
}

// Mesh2PointTopologicalMapping: points at given places in every element of a kind.
static bool add_places(TacSofa *s, TacSofaObject *mapping, const TacMesh *in, const char *attribute, int kind,
                       double **points, size_t *count, size_t *capacity) {
    TacReals at;
    if (!tac_sofa_reals(s, mapping, attribute, &at)) return false;
    if (at.count % 3) {
        tac_sofa_complain(s, mapping->element->place, "%s has %zu numbers, not a multiple of 3", attribute,
                          at.count);
        return false;
    }
    size_t corners = kind < 0 ? 1 : (size_t)tac_element_size((TacElement)kind);
    size_t n = kind < 0 ? in->point_count : in->elements[kind].count;
    const int32_t *indices = kind < 0 ? NULL : in->elements[kind].indices;
    if (kind == TAC_EDGES && at.count && !n && !(indices = edges_in_order(s, in, &n))) return false;
    if (n * (at.count / 3) > MOST_GRID_POINTS) {
        tac_sofa_complain(s, mapping->element->place, "%s makes too many points", attribute);
        return false;
    }
    for (size_t e = 0; e < n; e++)
        for (size_t k = 0; k + 3 <= at.count; k += 3) {
            double w[8] = {1};
            TacVec3 sum = tac_vec3(0, 0, 0);
            if (kind >= 0) weigh_corners((TacElement)kind, at.data + k, w);
            for (size_t c = 0; c < corners; c++) {
                size_t v = indices ? (size_t)indices[corners * e + c] : e;
                sum = tac_add(sum, tac_scale(tac_load3(in->points + 3 * v), w[c]));
            }
            if (kind < 0) sum = tac_add(sum, tac_load3(at.data + k));
            if (!tac_grow(points, capacity, 3 * (*count + 1), sizeof **points)) return tac_sofa_no_memory(s);
            tac_store3(*points + 3 * (*count)++, sum);
        }
    return true;
}

static bool make_places(TacSofa *s, TacSofaObject *mapping, const TacMesh *in, TacMesh *out) {
    static const struct {
        const char *attribute;
        int kind; // -1: points
    } kinds[] = {{"pointBaryCoords", -1},
                 {"edgeBaryCoords", TAC_EDGES},
                 {"triangleBaryCoords", TAC_TRIANGLES},
                 {"quadBaryCoords", TAC_QUADS},
                 {"tetraBaryCoords", TAC_TETRAHEDRA},
                 {"hexaBaryCoords", TAC_HEXAHEDRA}};
    double *points = NULL;
    size_t count = 0, capacity = 0;
    bool good = true;
    for (size_t k = 0; good && k < TAC_COUNT(kinds); k++)
        good = add_places(s, mapping, in, kinds[k].attribute, kinds[k].kind, &points, &count, &capacity);
    good = good && replace_points(s, out, points, count);
    free(points);
    return good;
}

static bool fill_from(TacSofa *s, TacSofaObject *o, TacSofaObject *mapping, const TacSofaObject *from) {
    static const int edges_of[3][2] = {{1, 2}, {2, 0}, {0, 1}};
    static const int faces_of[4][3] = {{1, 2, 3}, {0, 3, 2}, {1, 3, 0}, {0, 2, 1}};
    static const int quads_of_hexa[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                            {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
    const char *name = mapping->cls->name;
    const TacMesh *in = &from->mesh;
    TacMesh *out = &o->mesh;
    bool flipped = tac_sofa_bool(s, mapping, "flipNormals", false);
    if (!strcmp(name, "Mesh2PointTopologicalMapping")) return make_places(s, mapping, in, out);
    if (!out->point_count && !replace_points(s, out, in->points, in->point_count)) return false;
    if (!strcmp(name, "Hexa2TetraTopologicalMapping")) {
        size_t count;
        int32_t *cut =
            tac_sofa_cut_hexahedra(s, from, tac_sofa_bool(s, mapping, "swapping", false), true, &count);
        return cut && replace(s, out, TAC_TETRAHEDRA, cut, count);
    }
    if (!strcmp(name, "Tetra2TriangleTopologicalMapping"))
        return border(s, in, TAC_TETRAHEDRA, &faces_of[0][0], 4, TAC_TRIANGLES, out) &&
               (!flipped || flip(out, TAC_TRIANGLES));
    if (!strcmp(name, "Hexa2QuadTopologicalMapping"))
        return border(s, in, TAC_HEXAHEDRA, &quads_of_hexa[0][0], 6, TAC_QUADS, out) &&
               (!flipped || flip(out, TAC_QUADS));
    if (!strcmp(name, "Triangle2EdgeTopologicalMapping"))
        return border(s, in, TAC_TRIANGLES, &edges_of[0][0], 3, TAC_EDGES, out);
    if (!strcmp(name, "Quad2TriangleTopologicalMapping")) {
        TacMesh copy = {0};
        TacError error;
        if (!note_mesh(s, mapping, tac_mesh_copy(&copy, in, &error), &error)) return false;
        bool good = replace(s, &copy, TAC_TRIANGLES, NULL, 0) && split_quads(s, &copy) &&
                    replace(s, out, TAC_TRIANGLES, copy.elements[TAC_TRIANGLES].indices,
                            copy.elements[TAC_TRIANGLES].count);
        tac_mesh_destroy(&copy);
        return good && (!flipped || flip(out, TAC_TRIANGLES));
    }
    // IdentityTopologicalMapping
    for (int k = 0; k < TAC_ELEMENT_KINDS; k++)
        if (!replace(s, out, (TacElement)k, in->elements[k].indices, in->elements[k].count)) return false;
    return true;
}

static bool fill_by_mapping(TacSofa *s, TacSofaObject *o) {
    TacSofaObject *mapping = o->filled_by;
    TacSofaObject *from = tac_sofa_link(s, mapping, "input", tac_sofa_has_mesh);
    if (!from && !tac_sofa_attribute(mapping, "input") && s->nodes[mapping->node].parent != TAC_NONE)
        from = tac_sofa_topology_of(s, s->nodes[mapping->node].parent);
    if (!from || !tac_sofa_has_mesh(from) || from == o) {
        tac_sofa_complain(s, mapping->element->place, "%s finds no topology as its input",
                          mapping->cls->name);
        return false;
    }
    return tac_sofa_make_mesh(s, from) && fill_from(s, o, mapping, from);
}

// --- containers -------------------------------------------------------------------------------------------

static bool check_indices(TacSofa *s, const TacSofaObject *o) {
    for (int k = 0; k < TAC_ELEMENT_KINDS; k++) {
        size_t numbers = o->mesh.elements[k].count * (size_t)tac_element_size((TacElement)k);
        for (size_t i = 0; i < numbers; i++) {
            int32_t v = o->mesh.elements[k].indices[i];
            if (v >= 0 && (size_t)v < o->mesh.point_count) continue;
            tac_sofa_complain(s, o->element->place, "%s names point %d; there are %zu, from 0",
                              tac_element_name((TacElement)k), v, o->mesh.point_count);
            return false;
        }
    }
    return true;
}

// Elements without points of their own are between those of the state beside them.
static bool borrow_points(TacSofa *s, TacSofaObject *o) {
    int32_t most = -1;
    for (int k = 0; k < TAC_ELEMENT_KINDS; k++) {
        size_t numbers = o->mesh.elements[k].count * (size_t)tac_element_size((TacElement)k);
        for (size_t i = 0; i < numbers; i++) {
            int32_t v = o->mesh.elements[k].indices[i];
            if (v < 0 || v >= MOST_GRID_POINTS) {
                tac_sofa_complain(s, o->element->place, "%s names point %d", tac_element_name((TacElement)k),
                                  v);
                return false;
            }
            if (v > most) most = v;
        }
    }
    if (o->mesh.point_count || most < 0) return true;
    TacSofaObject *state = tac_sofa_state_of(s, o->node);
    bool placed =
        state && state->progress != TAC_SOFA_BUSY &&
        (tac_sofa_attribute(state, "position") || tac_sofa_attribute(state, "src") || state->node != o->node);
    if (placed && !tac_sofa_make_state(s, state)) return false;
    size_t count = placed ? state->points : (size_t)most + 1,
           each = placed ? (size_t)tac_position_size(state->kind) : 0;
    double *points = tac_sofa_new_reals(s, 3 * count);
    if (!points) return false;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 3 && k < each; k++) points[3 * i + k] = state->rest.data[each * i + k];
    return replace_points(s, &o->mesh, points, count);
}

static bool make_container(TacSofa *s, TacSofaObject *o) {
    TacReals points;
    if (!tac_sofa_attribute(o, "src") && tac_sofa_attribute(o, "filename") && !read_file(s, o)) return false;
    if (!tac_sofa_reals(s, o, "position", &points)) return false;
    if (points.count && !replace_points(s, &o->mesh, points.data, points.count / 3)) return false;
    for (int k = 0; k < TAC_ELEMENT_KINDS; k++) {
        TacInts list;
        size_t each = (size_t)tac_element_size((TacElement)k);
        if (!tac_sofa_ints(s, o, tac_element_name((TacElement)k), &list)) return false;
        if (list.count % each) {
            tac_sofa_complain(s, o->element->place, "%s has %zu numbers, not a multiple of %zu",
                              tac_element_name((TacElement)k), list.count, each);
            return false;
        }
        if (list.count && !replace(s, &o->mesh, (TacElement)k, list.data, list.count / each)) return false;
    }
    if (o->filled_by && !fill_by_mapping(s, o)) return false;
    return borrow_points(s, o) && check_indices(s, o);
}

// A line of points from the origin along x.
static bool make_string(TacSofa *s, TacSofaObject *o) {
    double n = floor(tac_sofa_real(s, o, "resolution", 2));
    if (!(n >= 2 && n <= MOST_GRID_POINTS)) {
        tac_sofa_complain(s, o->element->place, "resolution is %g; at least 2 is needed", n);
        return false;
    }
    TacError error;
    TacStatus made = tac_mesh_line(&o->mesh, (int)n - 1, tac_vec3(0, 0, 0), tac_vec3(1, 0, 0), &error);
    if (!note_mesh(s, o, made, &error)) return false;
    for (size_t i = 0; i < o->mesh.point_count; i++) o->mesh.points[3 * i] = (double)i / (n - 1);
    transform(s, o);
    return true;
}

// Points of another object, placed anew.
static bool make_transformed(TacSofa *s, TacSofaObject *o) {
    TacReals points;
    if (!tac_sofa_reals(s, o, "input_position", &points)) return false;
    if (!replace_points(s, &o->mesh, points.data, points.count / 3)) return false;
    transform(s, o);
    return true;
}

// From a file, or from points and faces that are given.
static bool make_sparse(TacSofa *s, TacSofaObject *o) {
    bool file = tac_sofa_attribute(o, "fileTopology") || tac_sofa_attribute(o, "filename");
    if (file ? !read_file(s, o) : !make_container(s, o)) return false;
    TacMesh surface = o->mesh;
    memset(&o->mesh, 0, sizeof o->mesh);
    bool good = tac_sofa_make_sparse_grid(s, o, &surface);
    tac_mesh_destroy(&surface);
    return good;
}

static bool is_any_of(const char *name, const char *const *list, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!strcmp(name, list[i])) return true;
    return false;
}

static bool make(TacSofa *s, TacSofaObject *o) {
    static const char *const grids[] = {"RegularGridTopology", "RegularGrid"};
    if (is_any_of(o->cls->name, grids, TAC_COUNT(grids))) return make_grid(s, o);
    if (!strcmp(o->cls->name, "StringMeshCreator")) return make_string(s, o);
    if (!strncmp(o->cls->name, "SparseGrid", 10)) return make_sparse(s, o);
    if (!strcmp(o->cls->name, "TransformEngine")) return make_transformed(s, o);
    return o->cls->role == TAC_SOFA_MESH ? read_file(s, o) : make_container(s, o);
}

bool tac_sofa_make_mesh(TacSofa *s, TacSofaObject *o) {
    if (o->progress == TAC_SOFA_DONE) return true;
    if (o->progress == TAC_SOFA_BUSY)
        tac_sofa_complain(s, o->element->place, "%s \"%.60s\" depends on itself", o->cls->name, o->name);
    if (o->progress != TAC_SOFA_NEW) return false;
    o->progress = TAC_SOFA_BUSY;
    bool good = make(s, o);
    o->progress = good ? TAC_SOFA_DONE : TAC_SOFA_FAILED;
    return good;
}
