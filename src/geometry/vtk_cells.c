// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// VTK's cells as elements of a mesh: see vtk_cells.h.

#include "geometry/vtk_cells.h"
#include "base/memory.h"

typedef enum Shape {
    SKIPPED,
    EDGE,
    POLY_LINE,
    TRIANGLE,
    STRIP,
    POLYGON,
    QUADRATIC_POLYGON,
    PIXEL,
    QUAD,
    TETRAHEDRON,
    VOXEL,
    HEXAHEDRON,
    WEDGE,
    PYRAMID,
    PRISM_OF_5,
    PRISM_OF_6,
} Shape;

// By VTK's number. Cells of higher order list their corners first.
static const unsigned char shapes[] = {
    [3] = EDGE,        [4] = POLY_LINE,    [5] = TRIANGLE,     [6] = STRIP,       [7] = POLYGON,
    [8] = PIXEL,       [9] = QUAD,         [10] = TETRAHEDRON, [11] = VOXEL,      [12] = HEXAHEDRON,
    [13] = WEDGE,      [14] = PYRAMID,     [15] = PRISM_OF_5,  [16] = PRISM_OF_6, [21] = EDGE,
    [22] = TRIANGLE,   [23] = QUAD,        [24] = TETRAHEDRON, [25] = HEXAHEDRON, [26] = WEDGE,
    [27] = PYRAMID,    [28] = QUAD,        [29] = HEXAHEDRON,  [30] = QUAD,       [31] = WEDGE,
    [32] = WEDGE,      [33] = HEXAHEDRON,  [34] = TRIANGLE,    [35] = EDGE,       [36] = QUADRATIC_POLYGON,
    [37] = PYRAMID,    [68] = EDGE,        [69] = TRIANGLE,    [70] = QUAD,       [71] = TETRAHEDRON,
    [72] = HEXAHEDRON, [73] = WEDGE,       [74] = PYRAMID,     [75] = EDGE,       [76] = TRIANGLE,
    [77] = QUAD,       [78] = TETRAHEDRON, [79] = HEXAHEDRON,  [80] = WEDGE,      [81] = PYRAMID,
};

static const unsigned char fewest_points[] = {0, 2, 0, 3, 0, 0, 0, 4, 4, 4, 8, 8, 6, 5, 10, 12};

static TacStatus add_strip(TacMeshBuilder *builder, const int64_t *points, size_t count, TacError *error) {
    for (size_t i = 2; i < count; i++) {
        size_t odd = i & 1;
        int64_t corners[3] = {points[i - 2 + odd], points[i - 1 - odd], points[i]};
        TAC_TRY(tac_mesh_builder_element(builder, TAC_TRIANGLES, corners, error));
    }
    return TAC_OK;
}

static TacStatus add_poly_line(TacMeshBuilder *builder, const int64_t *points, size_t count,
                               TacError *error) {
    for (size_t i = 1; i < count; i++)
        TAC_TRY(tac_mesh_builder_element(builder, TAC_EDGES, points + i - 1, error));
    return TAC_OK;
}

// A prism over a polygon of n corners as n - 2 wedges.
static TacStatus add_prism(TacMeshBuilder *builder, const int64_t *points, size_t n, TacError *error) {
    for (size_t i = 2; i < n; i++) {
        int64_t corners[6] = {points[0], points[i - 1],     points[i],
                              points[n], points[n + i - 1], points[n + i]};
        TAC_TRY(tac_mesh_builder_wedge(builder, corners, error));
    }
    return TAC_OK;
}

TacStatus tac_vtk_add_cell(TacMeshBuilder *builder, int64_t type, const int64_t *points, size_t count,
                           TacError *error) {
    Shape shape = type >= 0 && type < (int64_t)sizeof shapes ? (Shape)shapes[type] : SKIPPED;
    if (count < fewest_points[shape])
        return tac_fail_at(error, TAC_BAD_INPUT, builder->name, builder->line, 0,
                           "a cell of type %lld needs at least %d points and has %zu", (long long)type,
                           fewest_points[shape], count);
    switch (shape) {
    case EDGE: return tac_mesh_builder_element(builder, TAC_EDGES, points, error);
    case POLY_LINE: return add_poly_line(builder, points, count, error);
    case TRIANGLE: return tac_mesh_builder_element(builder, TAC_TRIANGLES, points, error);
    case STRIP: return add_strip(builder, points, count, error);
    case POLYGON: return tac_mesh_builder_polygon(builder, points, count, error);
    case QUADRATIC_POLYGON: return tac_mesh_builder_polygon(builder, points, count / 2, error);
    case QUAD: return tac_mesh_builder_element(builder, TAC_QUADS, points, error);
    case TETRAHEDRON: return tac_mesh_builder_element(builder, TAC_TETRAHEDRA, points, error);
    case HEXAHEDRON: return tac_mesh_builder_element(builder, TAC_HEXAHEDRA, points, error);
    case WEDGE: return tac_mesh_builder_wedge(builder, points, error);
    case PYRAMID: return tac_mesh_builder_pyramid(builder, points, error);
    case PRISM_OF_5: return add_prism(builder, points, 5, error);
    case PRISM_OF_6: return add_prism(builder, points, 6, error);
    case PIXEL: {
        int64_t corners[4] = {points[0], points[1], points[3], points[2]};
        return tac_mesh_builder_element(builder, TAC_QUADS, corners, error);
    }
    case VOXEL: {
        int64_t corners[8] = {points[0], points[1], points[3], points[2],
                              points[4], points[5], points[7], points[6]};
        return tac_mesh_builder_element(builder, TAC_HEXAHEDRA, corners, error);
    }
    case SKIPPED: break;
    }
    return TAC_OK;
}

TacStatus tac_vtk_add_grid(TacMeshBuilder *builder, const size_t sizes[3], TacError *error) {
    // the axes along which there are cells, and how far apart neighbours stand in the list of points
    size_t strides[3] = {1, sizes[0], sizes[0] * sizes[1]};
    size_t cells[3] = {1, 1, 1}, steps[3] = {0, 0, 0};
    int axes = 0;
    for (int a = 0; a < 3; a++) {
        if (!sizes[a]) return TAC_OK;
        if (sizes[a] == 1) continue;
        cells[axes] = sizes[a] - 1;
        steps[axes++] = strides[a];
    }
    static const TacElement kinds[4] = {TAC_EDGES, TAC_EDGES, TAC_QUADS, TAC_HEXAHEDRA};
    if (!axes) return TAC_OK;

    for (size_t k = 0; k < cells[2]; k++)
        for (size_t j = 0; j < cells[1]; j++)
            for (size_t i = 0; i < cells[0]; i++) {
                int64_t p = (int64_t)(i * steps[0] + j * steps[1] + k * steps[2]);
                int64_t x = (int64_t)steps[0], y = (int64_t)steps[1], z = (int64_t)steps[2];
                int64_t corners[8] = {p, p + x, p + x + y, p + y, p + z, p + x + z, p + x + y + z, p + y + z};
                TAC_TRY(tac_mesh_builder_element(builder, kinds[axes], corners, error));
            }
    return TAC_OK;
}

int tac_vtk_type(TacElement kind) {
    static const int types[TAC_ELEMENT_KINDS] = {TAC_VTK_LINE, TAC_VTK_TRIANGLE, TAC_VTK_QUAD, TAC_VTK_TETRA,
                                                 TAC_VTK_HEXAHEDRON};
    return types[kind];
}
