// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What the two families of VTK files share: the cell types (VTK's vtkCellType.h) and structured grids.

#ifndef TACTUS_GEOMETRY_VTK_CELLS_H
#define TACTUS_GEOMETRY_VTK_CELLS_H

#include "geometry/mesh_file.h"

enum {
    TAC_VTK_VERTEX = 1,
    TAC_VTK_LINE = 3,
    TAC_VTK_POLY_LINE = 4,
    TAC_VTK_TRIANGLE = 5,
    TAC_VTK_TRIANGLE_STRIP = 6,
    TAC_VTK_POLYGON = 7,
    TAC_VTK_QUAD = 9,
    TAC_VTK_TETRA = 10,
    TAC_VTK_HEXAHEDRON = 12,
};

// Adds one cell as elements: pixels and voxels in our order, strips and fans as triangles, prisms and
// pyramids as the builder cuts them, cells of higher order by their corners. Vertices, polyhedra and unknown
// types are skipped. Too few points for the type are TAC_BAD_INPUT at the builder's line.
TacStatus tac_vtk_add_cell(TacMeshBuilder *builder, int64_t type, const int64_t *points, size_t count,
                           TacError *error);

// Adds the cells of a grid of sizes[0] x sizes[1] x sizes[2] points, the first axis running fastest, whose
// first point is number 0: hexahedra, or quads or edges where one or two sizes are 1.
TacStatus tac_vtk_add_grid(TacMeshBuilder *builder, const size_t sizes[3], TacError *error);

// The type written for each kind of element.
int tac_vtk_type(TacElement kind);

#endif
