// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Generators: grids, boxes, balls and turned shapes. Lengths in m. Surfaces are closed, share their points
// and have outward normals. The order of points is part of the behaviour: scenes refer to points by number.
//
// Cylinders, cones and capsules are turned from a profile around y. For a torus `sides` go around the tube
// and `rings` around the axis, as if a cylinder were bent; a capsule's `rings` count for each of its two caps
// and its `length` is that of the straight part between them.

#include "base/memory.h"
#include "geometry/topology.h"

// More would be a mistake in a scene rather than a wish.
static const double most_items = 1e8;

static TacStatus check_count(const char *what, int value, int least, TacError *error) {
    if (value >= least) return TAC_OK;
    return tac_fail(error, TAC_BAD_USAGE, "%s is %d; at least %d was expected", what, value, least);
}

static TacStatus check_total(const char *what, double total, TacError *error) {
    if (total <= most_items) return TAC_OK;
    return tac_fail(error, TAC_BAD_USAGE, "%s would have %.3g points or elements; at most %.0e are made",
                    what, total, most_items);
}

static TacStatus check_length(const char *what, double value, bool zero_allowed, TacError *error) {
    if (isfinite(value) && (zero_allowed ? value >= 0 : value > 0)) return TAC_OK;
    return tac_fail(error, TAC_BAD_USAGE, "%s is %g m; a %s number was expected", what, value,
                    zero_allowed ? "finite, not negative" : "positive");
}

static TacStatus check_corners(TacVec3 low, TacVec3 high, TacError *error) {
    TacVec3 size = tac_sub(high, low);
    if (isfinite(size.x) && isfinite(size.y) && isfinite(size.z)) return TAC_OK;
    return tac_fail(error, TAC_BAD_USAGE, "the corners must be finite");
}

static TacStatus create(TacMesh *mesh, size_t points, TacElement kind, size_t count, TacError *error) {
    size_t counts[TAC_ELEMENT_KINDS] = {0};
    if ((unsigned)kind < TAC_ELEMENT_KINDS) counts[kind] = count;
    return tac_mesh_create(mesh, points, counts, error);
}

static int32_t *put3(int32_t *out, size_t a, size_t b, size_t c) {
    out[0] = (int32_t)a;
    out[1] = (int32_t)b;
    out[2] = (int32_t)c;
    return out + 3;
}

// Corners a b c d around the quad.
static int32_t *put_quad_as_triangles(int32_t *out, size_t a, size_t b, size_t c, size_t d) {
    return put3(put3(out, a, b, c), a, c, d);
}

// The i-th of `pieces` + 1 places from low to high, exact at both ends.
static double place(double low, double high, size_t i, size_t pieces) {
    if (i == pieces && pieces > 0) return high;
    return i == 0 ? low : low + (high - low) * ((double)i / (double)pieces);
}

// Grids

// A grid with corners low and high is mirrored when it runs down an odd number of the axes that it fills.
static bool mirrored(const int n[3], TacVec3 low, TacVec3 high) {
    double size[3] = {high.x - low.x, high.y - low.y, high.z - low.z};
    bool odd = false;
    for (int axis = 0; axis < 3; axis++) odd ^= n[axis] > 1 && size[axis] < 0;
    return odd;
}

static void put_hexahedra(int32_t *out, const int n[3]) {
    size_t x = (size_t)n[0], y = (size_t)n[1], z = (size_t)n[2], row = x, layer = x * y;
    const size_t corners[8] = {0, 1, row + 1, row, layer, layer + 1, layer + row + 1, layer + row};
    for (size_t k = 0; k + 1 < z; k++)
        for (size_t j = 0; j + 1 < y; j++)
            for (size_t i = 0; i + 1 < x; i++)
                for (int c = 0; c < 8; c++) *out++ = (int32_t)(k * layer + j * row + i + corners[c]);
}

// Quads of a flat grid with the normal along its flat axis; `u` and `v` follow it in the order x y z x y.
static void put_quads(int32_t *out, const int n[3], int u, int v) {
    const size_t strides[3] = {1, (size_t)n[0], (size_t)n[0] * (size_t)n[1]};
    // the lower-numbered axis runs fastest
    int inner = u < v ? u : v, outer = u < v ? v : u;
    for (int j = 0; j + 1 < n[outer]; j++)
        for (int i = 0; i + 1 < n[inner]; i++) {
            size_t a = (size_t)i * strides[inner] + (size_t)j * strides[outer];
            *out++ = (int32_t)a;
            *out++ = (int32_t)(a + strides[u]);
            *out++ = (int32_t)(a + strides[u] + strides[v]);
            *out++ = (int32_t)(a + strides[v]);
        }
}

static void put_edges(int32_t *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        *out++ = (int32_t)i;
        *out++ = (int32_t)i + 1;
    }
}

static void put_grid_points(double *p, const int n[3], TacVec3 low, TacVec3 high) {
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++, p += 3) {
                p[0] = place(low.x, high.x, (size_t)i, (size_t)n[0] - 1);
                p[1] = place(low.y, high.y, (size_t)j, (size_t)n[1] - 1);
                p[2] = place(low.z, high.z, (size_t)k, (size_t)n[2] - 1);
            }
}

TacStatus tac_mesh_grid(TacMesh *mesh, int nx, int ny, int nz, TacVec3 low, TacVec3 high, TacError *error) {
    *mesh = (TacMesh){0};
    const int n[3] = {nx, ny, nz};
    int dimensions = (nx > 1) + (ny > 1) + (nz > 1);
    TAC_TRY(check_count("the number of points along x", nx, 1, error));
    TAC_TRY(check_count("the number of points along y", ny, 1, error));
    TAC_TRY(check_count("the number of points along z", nz, 1, error));
    TAC_TRY(check_total("the grid", (double)nx * ny * nz, error));
    TAC_TRY(check_corners(low, high, error));

    static const TacElement kinds[4] = {TAC_ELEMENT_KINDS, TAC_EDGES, TAC_QUADS, TAC_HEXAHEDRA};
    size_t count = 1;
    for (int axis = 0; axis < 3; axis++) count *= n[axis] > 1 ? (size_t)n[axis] - 1 : 1;
    TAC_TRY(create(mesh, (size_t)nx * (size_t)ny * (size_t)nz, kinds[dimensions], count, error));
    put_grid_points(mesh->points, n, low, high);
    int flat = nz == 1 ? 2 : ny == 1 ? 1 : 0;
    if (dimensions == 3) put_hexahedra(mesh->elements[TAC_HEXAHEDRA].indices, n);
    if (dimensions == 2) put_quads(mesh->elements[TAC_QUADS].indices, n, (flat + 1) % 3, (flat + 2) % 3);
    if (dimensions == 1) put_edges(mesh->elements[TAC_EDGES].indices, count);
    if (mirrored(n, low, high)) tac_mesh_reverse(mesh);
    return TAC_OK;
}

TacStatus tac_mesh_line(TacMesh *mesh, int n, TacVec3 a, TacVec3 b, TacError *error) {
    *mesh = (TacMesh){0};
    TAC_TRY(check_count("the number of edges", n, 1, error));
    TAC_TRY(check_total("the line", n, error));
    TAC_TRY(check_corners(a, b, error));
    TAC_TRY(create(mesh, (size_t)n + 1, TAC_EDGES, (size_t)n, error));
    for (size_t i = 0; i <= (size_t)n; i++)
        tac_store3(mesh->points + 3 * i,
                   tac_vec3(place(a.x, b.x, i, (size_t)n), place(a.y, b.y, i, (size_t)n),
                            place(a.z, b.z, i, (size_t)n)));
    put_edges(mesh->elements[TAC_EDGES].indices, (size_t)n);
    return TAC_OK;
}

TacStatus tac_mesh_sheet(TacMesh *mesh, int n, int m, double width, double depth, TacError *error) {
    *mesh = (TacMesh){0};
    TAC_TRY(check_count("the number of pieces along x", n, 1, error));
    TAC_TRY(check_count("the number of pieces along z", m, 1, error));
    TAC_TRY(check_total("the sheet", 2.0 * n * m, error));
    TAC_TRY(check_length("the width", width, false, error));
    TAC_TRY(check_length("the depth", depth, false, error));
    size_t row = (size_t)n + 1, rows = (size_t)m + 1;
    TAC_TRY(create(mesh, row * rows, TAC_TRIANGLES, 2 * (size_t)n * (size_t)m, error));
    for (size_t i = 0; i < row * rows; i++)
        tac_store3(mesh->points + 3 * i, tac_vec3(place(-width / 2, width / 2, i % row, (size_t)n), 0,
                                                  place(-depth / 2, depth / 2, i / row, (size_t)m)));
    // around each square so that y is up; the first corner, and with it the diagonal, alternates
    int32_t *out = mesh->elements[TAC_TRIANGLES].indices;
    for (size_t j = 0; j < (size_t)m; j++)
        for (size_t i = 0; i < (size_t)n; i++) {
            size_t a = j * row + i;
            const size_t square[4] = {a, a + row, a + row + 1, a + 1};
            size_t turn = (i + j) % 2;
            out = put_quad_as_triangles(out, square[turn], square[turn + 1], square[turn + 2],
                                        square[(turn + 3) % 4]);
        }
    return TAC_OK;
}

// Boxes

// The number of a point of the surface of a cube divided n times: a full bottom layer, rings, a full top
// layer.
static size_t box_point(size_t n, size_t i, size_t j, size_t k) {
    size_t row = n + 1, layer = row * row, ring = 4 * n;
    if (k == 0) return j * row + i;
    if (k == n) return layer + (n - 1) * ring + j * row + i;
    size_t around = j == 0 ? i : i == n ? n + j : j == n ? 3 * n - i : 4 * n - j;
    return layer + (k - 1) * ring + around;
}

// The two sides across `axis`, each with its normal outward.
static int32_t *put_box_sides(int32_t *out, size_t n, int axis) {
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (size_t side = 0; side < 2; side++)
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n; i++) {
                size_t q[4];
                for (size_t c = 0; c < 4; c++) {
                    size_t at[3];
                    at[axis] = side * n;
                    at[u] = i + (c == 1 || c == 2);
                    at[v] = j + (c >= 2);
                    q[c] = box_point(n, at[0], at[1], at[2]);
                }
                out = side ? put_quad_as_triangles(out, q[0], q[1], q[2], q[3])
                           : put_quad_as_triangles(out, q[0], q[3], q[2], q[1]);
            }
    return out;
}

TacStatus tac_mesh_box(TacMesh *mesh, int n, TacVec3 low, TacVec3 high, TacError *error) {
    *mesh = (TacMesh){0};
    TAC_TRY(check_count("the number of divisions", n, 1, error));
    TAC_TRY(check_total("the box", 12.0 * n * n, error));
    TAC_TRY(check_corners(low, high, error));
    size_t m = (size_t)n;
    TAC_TRY(create(mesh, 6 * m * m + 2, TAC_TRIANGLES, 12 * m * m, error));
    for (size_t k = 0; k <= m; k++)
        for (size_t j = 0; j <= m; j++) {
            // inner rows of inner layers have points at their ends only
            bool inner = k > 0 && k < m && j > 0 && j < m;
            for (size_t i = 0; i <= m; i += inner ? m : 1)
                tac_store3(mesh->points + 3 * box_point(m, i, j, k),
                           tac_vec3(place(low.x, high.x, i, m), place(low.y, high.y, j, m),
                                    place(low.z, high.z, k, m)));
        }
    int32_t *out = mesh->elements[TAC_TRIANGLES].indices;
    for (int axis = 0; axis < 3; axis++) out = put_box_sides(out, m, axis);
    if (mirrored((const int[3]){2, 2, 2}, low, high)) tac_mesh_reverse(mesh);
    return TAC_OK;
}

// Turned shapes

// A profile of `count` (radius, y) pairs from bottom to top, turned around y in `sides` steps. A radius of 0
// is a single point.
static TacStatus turn(TacMesh *mesh, const double *profile, size_t count, size_t sides, TacError *error) {
    size_t points = 0, triangles = 0;
    for (size_t i = 0; i < count; i++) {
        bool ring = profile[2 * i] > 0;
        points += ring ? sides : 1;
        // each ring has one triangle per side towards each of its neighbours
        if (ring) triangles += sides * ((size_t)(i > 0) + (size_t)(i + 1 < count));
    }
    TAC_TRY(create(mesh, points, TAC_TRIANGLES, triangles, error));
    double *p = mesh->points;
    for (size_t i = 0; i < count; i++) {
        double radius = profile[2 * i];
        for (size_t s = 0; s < (radius > 0 ? sides : 1); s++, p += 3) {
            double angle = 2 * TAC_PI * (double)s / (double)sides;
            tac_store3(p, tac_vec3(radius * cos(angle), profile[2 * i + 1], -radius * sin(angle)));
        }
    }
    int32_t *out = mesh->elements[TAC_TRIANGLES].indices;
    size_t lower = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        bool low_ring = profile[2 * i] > 0, high_ring = profile[2 * i + 2] > 0;
        size_t upper = lower + (low_ring ? sides : 1);
        for (size_t s = 0; s < sides; s++) {
            size_t next = (s + 1) % sides;
            size_t a = lower + (low_ring ? s : 0), b = lower + (low_ring ? next : 0);
            size_t c = upper + (high_ring ? next : 0), d = upper + (high_ring ? s : 0);
            if (low_ring) out = put3(out, a, b, c);
            if (high_ring) out = put3(out, a, c, d);
        }
        lower = upper;
    }
    return TAC_OK;
}

static TacStatus check_sides(const char *what, int sides, int rings, int least_rings, TacError *error) {
    TAC_TRY(check_count("the number of sides", sides, 3, error));
    TAC_TRY(check_count("the number of rings", rings, least_rings, error));
    return check_total(what, 4.0 * sides * ((double)rings + 2), error);
}

TacStatus tac_mesh_cylinder(TacMesh *mesh, int sides, int rings, double radius, double top_radius,
                            double height, TacError *error) {
    *mesh = (TacMesh){0};
    TAC_TRY(check_sides("the cylinder", sides, rings, 1, error));
    TAC_TRY(check_length("the radius", radius, false, error));
    TAC_TRY(check_length("the top radius", top_radius, true, error));
    TAC_TRY(check_length("the height", height, false, error));
    size_t pieces = (size_t)rings, count = 0;
    double *profile = malloc((pieces + 3) * 2 * sizeof *profile);
    if (!profile) return tac_fail_memory(error, (pieces + 3) * 2 * sizeof *profile);
    profile[count++] = 0;
    profile[count++] = -height / 2;
    for (size_t i = 0; i <= pieces; i++) {
        profile[count++] = place(radius, top_radius, i, pieces);
        profile[count++] = place(-height / 2, height / 2, i, pieces);
    }
    if (top_radius > 0) {
        profile[count++] = 0;
        profile[count++] = height / 2;
    }
    TacStatus status = turn(mesh, profile, count / 2, (size_t)sides, error);
    free(profile);
    return status;
}

TacStatus tac_mesh_capsule(TacMesh *mesh, int sides, int rings, double radius, double length,
                           TacError *error) {
    *mesh = (TacMesh){0};
    TAC_TRY(check_sides("the capsule", sides, rings, 1, error));
    TAC_TRY(check_length("the radius", radius, false, error));
    TAC_TRY(check_length("the length", length, true, error));
    size_t pieces = (size_t)rings, count = 0, room = (2 * pieces + 2) * 2;
    double *profile = malloc(room * sizeof *profile);
    if (!profile) return tac_fail_memory(error, room * sizeof *profile);
    for (size_t i = 0; i <= pieces; i++) {
        double angle = TAC_PI / 2 * (double)i / (double)pieces;
        profile[count++] = i == 0 ? 0 : radius * sin(angle);
        profile[count++] = -length / 2 - radius * cos(angle) * (i < pieces);
    }
    // the upper cap mirrors the lower one; without a straight part both share the widest ring
    for (size_t i = length > 0 ? pieces + 1 : pieces; i-- > 0;) {
        profile[count++] = profile[2 * i];
        profile[count++] = -profile[2 * i + 1];
    }
    TacStatus status = turn(mesh, profile, count / 2, (size_t)sides, error);
    free(profile);
    return status;
}

TacStatus tac_mesh_torus(TacMesh *mesh, int sides, int rings, double radius, double tube_radius,
                         TacError *error) {
    *mesh = (TacMesh){0};
    TAC_TRY(check_sides("the torus", sides, rings, 3, error));
    TAC_TRY(check_length("the radius", radius, false, error));
    TAC_TRY(check_length("the tube's radius", tube_radius, false, error));
    size_t n = (size_t)sides, m = (size_t)rings;
    TAC_TRY(create(mesh, n * m, TAC_TRIANGLES, 2 * n * m, error));
    int32_t *out = mesh->elements[TAC_TRIANGLES].indices;
    for (size_t r = 0; r < m; r++)
        for (size_t s = 0; s < n; s++) {
            double around = 2 * TAC_PI * (double)r / (double)m, tube = 2 * TAC_PI * (double)s / (double)n;
            double far = radius + tube_radius * cos(tube);
            tac_store3(mesh->points + 3 * (r * n + s),
                       tac_vec3(far * cos(around), tube_radius * sin(tube), -far * sin(around)));
            size_t next_r = (r + 1) % m * n, next_s = (s + 1) % n;
            out = put_quad_as_triangles(out, r * n + s, next_r + s, next_r + next_s, r * n + next_s);
        }
    return TAC_OK;
}

// Balls

static const double golden = 1.61803398874989484820;

static TacStatus icosahedron(TacMesh *mesh, TacError *error) {
    const double t = golden;
    const double points[12][3] = {{-1, t, 0},  {1, t, 0},  {-1, -t, 0}, {1, -t, 0}, {0, -1, t},  {0, 1, t},
                                  {0, -1, -t}, {0, 1, -t}, {t, 0, -1},  {t, 0, 1},  {-t, 0, -1}, {-t, 0, 1}};
    static const int32_t faces[60] = {0, 11, 5,  0, 5,  1, 0, 1, 7, 0, 7,  10, 0, 10, 11, 1, 5, 9, 5, 11,
                                      4, 11, 10, 2, 10, 7, 6, 7, 1, 8, 3,  9,  4, 3,  4,  2, 3, 2, 6, 3,
                                      6, 8,  3,  8, 9,  4, 9, 5, 2, 4, 11, 6,  2, 10, 8,  6, 7, 9, 8, 1};
    TAC_TRY(create(mesh, 12, TAC_TRIANGLES, 20, error));
    for (size_t i = 0; i < 12; i++) tac_store3(mesh->points + 3 * i, tac_unit(tac_load3(points[i])));
    memcpy(mesh->elements[TAC_TRIANGLES].indices, faces, sizeof faces);
    return TAC_OK;
}

// Pairs i < j in ascending order, with the first pair of each i.
typedef struct EdgeTable {
    int32_t *edges;
    size_t count;
    size_t *first;
} EdgeTable;

static TacStatus edge_table_create(EdgeTable *table, const TacMesh *mesh, TacError *error) {
    TAC_TRY(tac_mesh_all_edges(mesh, &table->edges, &table->count, error));
    table->first = calloc(mesh->point_count + 1, sizeof *table->first);
    if (!table->first) {
        free(table->edges);
        return tac_fail_memory(error, (mesh->point_count + 1) * sizeof *table->first);
    }
    for (size_t e = 0; e < table->count; e++) table->first[table->edges[2 * e] + 1]++;
    for (size_t i = 0; i < mesh->point_count; i++) table->first[i + 1] += table->first[i];
    return TAC_OK;
}

static size_t find_edge(const EdgeTable *table, int32_t a, int32_t b) {
    int32_t low = a < b ? a : b, high = a < b ? b : a;
    size_t e = table->first[low];
    while (table->edges[2 * e + 1] != high) e++;
    return e;
}

// Four triangles for each one; the new points, one per edge, lie on the unit sphere.
static TacStatus subdivide(TacMesh *mesh, TacError *error) {
    EdgeTable table;
    TAC_TRY(edge_table_create(&table, mesh, error));
    size_t old = mesh->point_count, triangles = mesh->elements[TAC_TRIANGLES].count;
    TacMesh finer;
    TacStatus status = create(&finer, old + table.count, TAC_TRIANGLES, 4 * triangles, error);
    if (status == TAC_OK) {
        memcpy(finer.points, mesh->points, old * 3 * sizeof(double));
        for (size_t e = 0; e < table.count; e++) {
            TacVec3 a = tac_load3(mesh->points + 3 * (size_t)table.edges[2 * e]);
            TacVec3 b = tac_load3(mesh->points + 3 * (size_t)table.edges[2 * e + 1]);
            tac_store3(finer.points + 3 * (old + e), tac_unit(tac_add(a, b)));
        }
        int32_t *out = finer.elements[TAC_TRIANGLES].indices;
        for (size_t i = 0; i < triangles; i++) {
            const int32_t *t = mesh->elements[TAC_TRIANGLES].indices + 3 * i;
            size_t m[3], c[3];
            for (int k = 0; k < 3; k++) {
                m[k] = old + find_edge(&table, t[k], t[(k + 1) % 3]);
                c[k] = (size_t)t[k];
            }
            out = put3(put3(out, c[0], m[0], m[2]), m[0], c[1], m[1]);
            out = put3(put3(out, m[2], m[1], c[2]), m[0], m[1], m[2]);
        }
        tac_mesh_destroy(mesh);
        *mesh = finer;
    }
    free(table.edges);
    free(table.first);
    return status;
}

TacStatus tac_mesh_icosphere(TacMesh *mesh, int subdivisions, double radius, TacError *error) {
    enum { MOST_SUBDIVISIONS = 7 };
    *mesh = (TacMesh){0};
    if (subdivisions < 0 || subdivisions > MOST_SUBDIVISIONS)
        return tac_fail(error, TAC_BAD_USAGE, "the number of subdivisions is %d; 0 to %d was expected",
                        subdivisions, MOST_SUBDIVISIONS);
    TAC_TRY(check_length("the radius", radius, false, error));
    TacStatus status = icosahedron(mesh, error);
    for (int i = 0; status == TAC_OK && i < subdivisions; i++) status = subdivide(mesh, error);
    if (status != TAC_OK) tac_mesh_destroy(mesh);
    for (size_t i = 0; i < 3 * mesh->point_count; i++) mesh->points[i] *= radius;
    return status;
}

// Cubes around the centre become spheres. On each, a cube's point goes where the lengths of its surface are
// distorted least among the closed forms (P. Nowell, "Mapping a cube to a sphere", 2005).
static TacVec3 cube_to_ball(TacVec3 p) {
    double shell = fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z)));
    if (shell == 0) return p;
    double x = p.x / shell, y = p.y / shell, z = p.z / shell, xx = x * x, yy = y * y, zz = z * z;
    return tac_vec3(shell * x * sqrt(1 - yy / 2 - zz / 2 + yy * zz / 3),
                    shell * y * sqrt(1 - zz / 2 - xx / 2 + zz * xx / 3),
                    shell * z * sqrt(1 - xx / 2 - yy / 2 + xx * yy / 3));
}

// Six tetrahedra of one cell around its diagonal that points away from the centre, so that each has a corner
// below the surface and none is flattened when edges of the cube become round. Neighbours agree, since the
// cut of a face depends on the two axes along it alone.
static int32_t *put_cell(int32_t *out, size_t n, const size_t at[3]) {
    static const int steps[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                    {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    bool odd = false;
    int32_t corners[8];
    for (int c = 0; c < 8; c++) {
        size_t q[3];
        odd = false;
        for (int axis = 0; axis < 3; axis++) {
            bool flip = 2 * at[axis] + 1 < n;
            q[axis] = at[axis] + (size_t)(flip ? 1 - steps[c][axis] : steps[c][axis]);
            odd ^= flip;
        }
        corners[c] = (int32_t)((q[2] * (n + 1) + q[1]) * (n + 1) + q[0]);
    }
    for (int piece = 0; piece < 6; piece++, out += 4) {
        for (int c = 0; c < 4; c++) out[c] = corners[tac_hexahedron_pieces[piece][c]];
        if (odd) tac_element_reverse(TAC_TETRAHEDRA, out);
    }
    return out;
}

TacStatus tac_mesh_ball(TacMesh *mesh, int n, double radius, TacError *error) {
    *mesh = (TacMesh){0};
    TAC_TRY(check_count("the number of cells along the diameter", n, 1, error));
    TAC_TRY(check_total("the ball", 6.0 * n * n * n, error));
    TAC_TRY(check_length("the radius", radius, false, error));
    size_t cells = (size_t)n, row = cells + 1;
    TAC_TRY(create(mesh, row * row * row, TAC_TETRAHEDRA, 6 * cells * cells * cells, error));
    double *p = mesh->points;
    for (size_t i = 0; i < row * row * row; i++, p += 3) {
        TacVec3 cube = tac_vec3(place(-1, 1, i % row, cells), place(-1, 1, i / row % row, cells),
                                place(-1, 1, i / (row * row), cells));
        tac_store3(p, tac_scale(cube_to_ball(cube), radius));
    }
    int32_t *out = mesh->elements[TAC_TETRAHEDRA].indices;
    for (size_t i = 0; i < cells * cells * cells; i++)
        out = put_cell(out, cells, (const size_t[3]){i % cells, i / cells % cells, i / (cells * cells)});
    return TAC_OK;
}
