// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The builder that all readers of mesh files fill: arrays that double, numbers refused at their line, indices
// checked at the end. Wedges and pyramids wait until all points are known and are then cut into tetrahedra,
// the common quads along the diagonal through their smallest point number, so that neighbours agree (J.
// Dompierre et al., "How to subdivide pyramids, prisms and hexahedra into tetrahedra", 1999).

#include "base/memory.h"
#include "geometry/mesh_file.h"
#include "geometry/topology.h"

static TacStatus grow(void *data, size_t *capacity, size_t need, size_t size, TacError *error) {
    return tac_grow(data, capacity, need, size) ? TAC_OK : tac_fail_memory(error, need * size);
}

TacStatus tac_mesh_builder_point(TacMeshBuilder *builder, double x, double y, double z, TacError *error) {
    if (!isfinite(x) || !isfinite(y) || !isfinite(z))
        return tac_fail_at(error, TAC_BAD_INPUT, builder->name, builder->line, 0,
                           "point %zu has a coordinate that is not a finite number", builder->point_count);
    if (builder->point_count >= INT32_MAX)
        return tac_fail_at(error, TAC_BAD_INPUT, builder->name, builder->line, 0,
                           "the mesh has more than %d points", INT32_MAX);
    size_t n = builder->point_count;
    if (n == builder->point_capacity)
        TAC_TRY(grow(&builder->points, &builder->point_capacity, n + 1, 3 * sizeof(double), error));
    double *p = builder->points + 3 * n;
    p[0] = x;
    p[1] = y;
    p[2] = z;
    builder->point_count = n + 1;
    return TAC_OK;
}

TacStatus tac_mesh_builder_radius(TacMeshBuilder *builder, double radius, TacError *error) {
    if (!isfinite(radius) || radius <= 0)
        return tac_fail_at(error, TAC_BAD_INPUT, builder->name, builder->line, 0,
                           "the radius of ball %zu is %g; a positive number was expected",
                           builder->radius_count, radius);
    TAC_TRY(
        grow(&builder->radii, &builder->radius_capacity, builder->radius_count + 1, sizeof(double), error));
    builder->radii[builder->radius_count++] = radius;
    return TAC_OK;
}

// Checks indices as far as can be done before the last point is known, and stores them as 32 bits.
static TacStatus store(TacMeshBuilder *builder, const int64_t *indices, int count, int32_t *place,
                       TacError *error) {
    for (int i = 0; i < count; i++) {
        if (indices[i] < 0 || indices[i] >= INT32_MAX)
            return tac_fail_at(error, TAC_BAD_INPUT, builder->name, builder->line, 0,
                               "the point number %lld (counted from 0) is out of range",
                               (long long)indices[i]);
        place[i] = (int32_t)indices[i];
        if (place[i] > builder->largest) {
            builder->largest = place[i];
            builder->largest_line = builder->line;
        }
    }
    return TAC_OK;
}

TacStatus tac_mesh_builder_element(TacMeshBuilder *builder, TacElement kind, const int64_t *indices,
                                   TacError *error) {
    int size = tac_element_size(kind);
    size_t n = builder->elements[kind].count;
    if (n == builder->elements[kind].capacity)
        TAC_TRY(grow(&builder->elements[kind].indices, &builder->elements[kind].capacity, n + 1,
                     (size_t)size * sizeof(int32_t), error));
    TAC_TRY(store(builder, indices, size, builder->elements[kind].indices + n * (size_t)size, error));
    builder->elements[kind].count = n + 1;
    return TAC_OK;
}

TacStatus tac_mesh_builder_polygon(TacMeshBuilder *builder, const int64_t *indices, size_t corners,
                                   TacError *error) {
    if (corners == 4) return tac_mesh_builder_element(builder, TAC_QUADS, indices, error);
    for (size_t i = 2; i < corners; i++) {
        int64_t triangle[3] = {indices[0], indices[i - 1], indices[i]};
        TAC_TRY(tac_mesh_builder_element(builder, TAC_TRIANGLES, triangle, error));
    }
    return TAC_OK;
}

TacStatus tac_mesh_builder_wedge(TacMeshBuilder *builder, const int64_t indices[6], TacError *error) {
    size_t n = builder->wedge_count;
    TAC_TRY(grow(&builder->wedges, &builder->wedge_capacity, n + 1, 6 * sizeof(int32_t), error));
    TAC_TRY(store(builder, indices, 6, builder->wedges + 6 * n, error));
    builder->wedge_count = n + 1;
    return TAC_OK;
}

TacStatus tac_mesh_builder_pyramid(TacMeshBuilder *builder, const int64_t indices[5], TacError *error) {
    size_t n = builder->pyramid_count;
    TAC_TRY(grow(&builder->pyramids, &builder->pyramid_capacity, n + 1, 5 * sizeof(int32_t), error));
    TAC_TRY(store(builder, indices, 5, builder->pyramids + 5 * n, error));
    builder->pyramid_count = n + 1;
    return TAC_OK;
}

// Pushes the tetrahedra of one cut element, all turned over when together they have a negative volume.
static TacStatus push_pieces(TacMeshBuilder *builder, int64_t pieces[][4], int count, TacError *error) {
    double volume = 0;
    for (int i = 0; i < count; i++) {
        int32_t t[4];
        for (int j = 0; j < 4; j++) t[j] = (int32_t)pieces[i][j];
        volume += tac_tetrahedron_volume(builder->points, t);
    }
    for (int i = 0; i < count; i++) {
        if (volume < 0) {
            int64_t swap = pieces[i][0];
            pieces[i][0] = pieces[i][1];
            pieces[i][1] = swap;
        }
        TAC_TRY(tac_mesh_builder_element(builder, TAC_TETRAHEDRA, pieces[i], error));
    }
    return TAC_OK;
}

static int32_t smaller(int32_t a, int32_t b) {
    return a < b ? a : b;
}

static TacStatus cut_wedge(TacMeshBuilder *builder, const int32_t *wedge, TacError *error) {
    // the numberings of a wedge that bring each of its corners to the front
    static const int turns[6][6] = {{0, 1, 2, 3, 4, 5}, {1, 2, 0, 4, 5, 3}, {2, 0, 1, 5, 3, 4},
                                    {3, 5, 4, 0, 2, 1}, {4, 3, 5, 1, 0, 2}, {5, 4, 3, 2, 1, 0}};
    int front = 0;
    for (int i = 1; i < 6; i++)
        if (wedge[i] < wedge[front]) front = i;
    int32_t v[6];
    for (int i = 0; i < 6; i++) v[i] = wedge[turns[front][i]];

    // two quads are cut at the front corner; the third one across from it is free
    if (smaller(v[1], v[5]) < smaller(v[2], v[4])) {
        int64_t pieces[3][4] = {{v[0], v[1], v[2], v[5]}, {v[0], v[1], v[5], v[4]}, {v[0], v[4], v[5], v[3]}};
        return push_pieces(builder, pieces, 3, error);
    }
    int64_t pieces[3][4] = {{v[0], v[1], v[2], v[4]}, {v[0], v[4], v[2], v[5]}, {v[0], v[4], v[5], v[3]}};
    return push_pieces(builder, pieces, 3, error);
}

static TacStatus cut_pyramid(TacMeshBuilder *builder, const int32_t *v, TacError *error) {
    if (smaller(v[0], v[2]) < smaller(v[1], v[3])) {
        int64_t pieces[2][4] = {{v[0], v[1], v[2], v[4]}, {v[0], v[2], v[3], v[4]}};
        return push_pieces(builder, pieces, 2, error);
    }
    int64_t pieces[2][4] = {{v[1], v[2], v[3], v[4]}, {v[1], v[3], v[0], v[4]}};
    return push_pieces(builder, pieces, 2, error);
}

static bool uses_points(const TacMeshBuilder *builder) {
    size_t count = builder->wedge_count + builder->pyramid_count;
    for (int kind = 0; kind < TAC_ELEMENT_KINDS; kind++) count += builder->elements[kind].count;
    return count > 0;
}

static TacStatus check(TacMeshBuilder *builder, TacError *error) {
    if (builder->point_count == 0)
        return tac_fail_at(error, TAC_BAD_INPUT, builder->name, 0, 0, "holds no points");
    if (uses_points(builder) && (size_t)builder->largest >= builder->point_count)
        return tac_fail_at(error, TAC_BAD_INPUT, builder->name, builder->largest_line, 0,
                           "an element uses point %d (counted from 0), but there are only %zu points",
                           (int)builder->largest, builder->point_count);
    if (builder->radius_count && builder->radius_count != builder->point_count)
        return tac_fail_at(error, TAC_BAD_INPUT, builder->name, 0, 0, "holds %zu radii for %zu points",
                           builder->radius_count, builder->point_count);
    return TAC_OK;
}

// Gives back what doubling took too much; keeps the larger block where that fails.
static void *shrink(void *data, size_t bytes) {
    if (bytes == 0) {
        free(data);
        return NULL;
    }
    void *smaller_block = realloc(data, bytes);
    return smaller_block ? smaller_block : data;
}

static TacStatus cut_all(TacMeshBuilder *builder, TacError *error) {
    for (size_t i = 0; i < builder->wedge_count; i++)
        TAC_TRY(cut_wedge(builder, builder->wedges + 6 * i, error));
    for (size_t i = 0; i < builder->pyramid_count; i++)
        TAC_TRY(cut_pyramid(builder, builder->pyramids + 5 * i, error));
    return TAC_OK;
}

TacStatus tac_mesh_builder_finish(TacMeshBuilder *builder, TacMesh *mesh, TacError *error) {
    *mesh = (TacMesh){0};
    TacStatus status = check(builder, error);
    if (status == TAC_OK) status = cut_all(builder, error);
    if (status != TAC_OK) {
        tac_mesh_builder_destroy(builder);
        return status;
    }
    mesh->point_count = builder->point_count;
    mesh->points = shrink(builder->points, builder->point_count * 3 * sizeof(double));
    mesh->radii = shrink(builder->radii, builder->radius_count * sizeof(double));
    builder->points = builder->radii = NULL;
    for (int kind = 0; kind < TAC_ELEMENT_KINDS; kind++) {
        size_t count = builder->elements[kind].count;
        size_t bytes = count * (size_t)tac_element_size((TacElement)kind) * sizeof(int32_t);
        mesh->elements[kind].count = count;
        mesh->elements[kind].indices = shrink(builder->elements[kind].indices, bytes);
        builder->elements[kind].indices = NULL;
    }
    tac_mesh_builder_destroy(builder);
    return TAC_OK;
}

void tac_mesh_builder_destroy(TacMeshBuilder *builder) {
    free(builder->points);
    free(builder->radii);
    free(builder->wedges);
    free(builder->pyramids);
    for (int kind = 0; kind < TAC_ELEMENT_KINDS; kind++) free(builder->elements[kind].indices);
    *builder = (TacMeshBuilder){0};
}
