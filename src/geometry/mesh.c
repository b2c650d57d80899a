// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The mesh itself: its arrays, its checks, and what can be said of it as a whole.

#include "base/memory.h"
#include "geometry/topology.h"

static const struct {
    const char *name;
    int size;
} kinds[TAC_ELEMENT_KINDS] = {
    {"edges", 2}, {"triangles", 3}, {"quads", 4}, {"tetrahedra", 4}, {"hexahedra", 8},
};

int tac_element_size(TacElement kind) {
    return (unsigned)kind < TAC_ELEMENT_KINDS ? kinds[kind].size : 0;
}

const char *tac_element_name(TacElement kind) {
    return (unsigned)kind < TAC_ELEMENT_KINDS ? kinds[kind].name : "";
}

// NULL for nothing is a success here.
static bool take(void *place, size_t count, size_t size) {
    void *block = count && count <= PTRDIFF_MAX / size ? calloc(count, size) : NULL;
    memcpy(place, &block, sizeof block);
    return block || !count;
}

TacStatus tac_mesh_create(TacMesh *mesh, size_t points, const size_t counts[TAC_ELEMENT_KINDS],
                          TacError *error) {
    *mesh = (TacMesh){0};
    if (points > INT32_MAX) return tac_fail(error, TAC_BAD_USAGE, "a mesh has at most %d points", INT32_MAX);
    size_t bytes = points * 3 * sizeof(double);
    bool good = take(&mesh->points, points, 3 * sizeof(double));
    if (good) mesh->point_count = points;
    for (int kind = 0; good && kind < TAC_ELEMENT_KINDS; kind++) {
        size_t size = (size_t)kinds[kind].size * sizeof(int32_t);
        good = take(&mesh->elements[kind].indices, counts[kind], size);
        bytes = good ? bytes : counts[kind] * size;
        if (good) mesh->elements[kind].count = counts[kind];
    }
    if (good) return TAC_OK;
    tac_mesh_destroy(mesh);
    return tac_fail_memory(error, bytes);
}

void tac_mesh_destroy(TacMesh *mesh) {
    if (!mesh) return;
    free(mesh->points);
    free(mesh->radii);
    for (int kind = 0; kind < TAC_ELEMENT_KINDS; kind++) free(mesh->elements[kind].indices);
    *mesh = (TacMesh){0};
}

TacStatus tac_mesh_copy(TacMesh *copy, const TacMesh *mesh, TacError *error) {
    size_t counts[TAC_ELEMENT_KINDS];
    for (int kind = 0; kind < TAC_ELEMENT_KINDS; kind++) counts[kind] = mesh->elements[kind].count;
    TacMesh made;
    *copy = (TacMesh){0};
    TAC_TRY(tac_mesh_create(&made, mesh->point_count, counts, error));
    if (mesh->point_count) memcpy(made.points, mesh->points, mesh->point_count * 3 * sizeof(double));
    for (int kind = 0; kind < TAC_ELEMENT_KINDS; kind++)
        if (counts[kind])
            memcpy(made.elements[kind].indices, mesh->elements[kind].indices,
                   counts[kind] * (size_t)kinds[kind].size * sizeof(int32_t));
    if (mesh->radii && mesh->point_count) {
        made.radii = malloc(mesh->point_count * sizeof(double));
        if (!made.radii) {
            tac_mesh_destroy(&made);
            return tac_fail_memory(error, mesh->point_count * sizeof(double));
        }
        memcpy(made.radii, mesh->radii, mesh->point_count * sizeof(double));
    }
    *copy = made;
    return TAC_OK;
}

static TacStatus validate_points(const TacMesh *mesh, TacError *error) {
    if (mesh->point_count > INT32_MAX)
        return tac_fail(error, TAC_BAD_INPUT, "the mesh has more than %d points", INT32_MAX);
    for (size_t i = 0; i < 3 * mesh->point_count; i++)
        if (!isfinite(mesh->points[i]))
            return tac_fail(error, TAC_BAD_INPUT,
                            "point %zu has the coordinate %g; finite numbers were expected", i / 3,
                            mesh->points[i]);
    for (size_t i = 0; mesh->radii && i < mesh->point_count; i++)
        if (!isfinite(mesh->radii[i]) || mesh->radii[i] <= 0)
            return tac_fail(error, TAC_BAD_INPUT, "point %zu has the radius %g; a positive one was expected",
                            i, mesh->radii[i]);
    return TAC_OK;
}

TacStatus tac_mesh_validate(const TacMesh *mesh, TacError *error) {
    TAC_TRY(validate_points(mesh, error));
    for (int kind = 0; kind < TAC_ELEMENT_KINDS; kind++) {
        size_t size = (size_t)kinds[kind].size, count = mesh->elements[kind].count * size;
        const int32_t *indices = mesh->elements[kind].indices;
        for (size_t i = 0; i < count; i++)
            if (indices[i] < 0 || (size_t)indices[i] >= mesh->point_count)
                return tac_fail(error, TAC_BAD_INPUT,
                                "element %zu of the %s uses point %d, but there are only %zu points",
                                i / size, kinds[kind].name, (int)indices[i], mesh->point_count);
    }
    return TAC_OK;
}

// Sine of an angle in degrees, exact for multiples of a right angle.
static double sine(double degrees) {
    double turn = remainder(degrees, 360);
    if (turn == 0 || fabs(turn) == 180) return 0;
    if (fabs(turn) == 90) return turn > 0 ? 1 : -1;
    return sin(turn * (TAC_PI / 180));
}

// About x, then about y, then about z.
static TacMat3 turn_xyz(TacVec3 degrees) {
    double sx = sine(degrees.x), cx = sine(degrees.x + 90), sy = sine(degrees.y), cy = sine(degrees.y + 90),
           sz = sine(degrees.z), cz = sine(degrees.z + 90);
    TacMat3 x = {{{1, 0, 0}, {0, cx, -sx}, {0, sx, cx}}};
    TacMat3 y = {{{cy, 0, sy}, {0, 1, 0}, {-sy, 0, cy}}};
    TacMat3 z = {{{cz, -sz, 0}, {sz, cz, 0}, {0, 0, 1}}};
    TacMat3 yx = tac_mat3_mul(&y, &x);
    return tac_mat3_mul(&z, &yx);
}

void tac_mesh_transform(TacMesh *mesh, TacVec3 scale, TacVec3 rotation_degrees, TacVec3 translation) {
    TacMat3 turn = turn_xyz(rotation_degrees);
    for (size_t i = 0; i < mesh->point_count; i++) {
        TacVec3 p = tac_load3(mesh->points + 3 * i);
        p = tac_vec3(p.x * scale.x, p.y * scale.y, p.z * scale.z);
        tac_store3(mesh->points + 3 * i, tac_add(tac_mat3_apply(&turn, p), translation));
    }

    // balls stay balls: of the same volume as the ellipsoids would have, or of the larger size when flattened
    double volume = scale.x * scale.y * scale.z;
    double size = volume != 0 ? cbrt(fabs(volume)) : fmax(fabs(scale.x), fmax(fabs(scale.y), fabs(scale.z)));
    for (size_t i = 0; mesh->radii && i < mesh->point_count; i++) mesh->radii[i] *= size;
    if (volume < 0) tac_mesh_reverse(mesh);
}

void tac_mesh_bounds(const TacMesh *mesh, TacVec3 *low, TacVec3 *high) {
    *low = *high = mesh->point_count ? tac_load3(mesh->points) : tac_vec3(0, 0, 0);
    for (size_t i = 1; i < mesh->point_count; i++) {
        TacVec3 p = tac_load3(mesh->points + 3 * i);
        *low = tac_vec3(fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z));
        *high = tac_vec3(fmax(high->x, p.x), fmax(high->y, p.y), fmax(high->z, p.z));
    }
}

// Volume between a triangle and the first point of the mesh (not the origin: far meshes stay precise).
static double cone_volume(const TacMesh *mesh, int32_t i, int32_t j, int32_t k) {
    int32_t corners[4] = {0, i, j, k};
    return tac_tetrahedron_volume(mesh->points, corners);
}

double tac_mesh_volume(const TacMesh *mesh) {
    double volume = 0;
    for (size_t i = 0; i < mesh->elements[TAC_TETRAHEDRA].count; i++)
        volume += tac_tetrahedron_volume(mesh->points, mesh->elements[TAC_TETRAHEDRA].indices + 4 * i);
    for (size_t i = 0; i < mesh->elements[TAC_HEXAHEDRA].count; i++)
        volume += tac_hexahedron_volume(mesh->points, mesh->elements[TAC_HEXAHEDRA].indices + 8 * i);
    if (mesh->elements[TAC_TETRAHEDRA].count || mesh->elements[TAC_HEXAHEDRA].count) return volume;

    // the divergence theorem over the surface
    const int32_t *t = mesh->elements[TAC_TRIANGLES].indices, *q = mesh->elements[TAC_QUADS].indices;
    for (size_t i = 0; i < mesh->elements[TAC_TRIANGLES].count; i++, t += 3)
        volume += cone_volume(mesh, t[0], t[1], t[2]);
    for (size_t i = 0; i < mesh->elements[TAC_QUADS].count; i++, q += 4)
        volume += cone_volume(mesh, q[0], q[1], q[2]) + cone_volume(mesh, q[0], q[2], q[3]);
    return volume;
}
