// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Which points make the faces, edges and pieces of each kind of element, and what follows from that:
// surfaces, edges, splitting, welding (declared in tactus/geometry.h, done in topology.c and weld.c).
//
// Faces and edges are found by sorting them by their point numbers with counting sorts, one per column: time
// linear in elements and points, whatever the mesh looks like, and no hashing that a hostile file could
// defeat. Numbers of points and elements must be valid (tac_mesh_validate).

#ifndef TACTUS_GEOMETRY_TOPOLOGY_H
#define TACTUS_GEOMETRY_TOPOLOGY_H

#include "tactus/geometry.h"

extern const int tac_tetrahedron_faces[4][3]; // outward when the volume is positive
// Outward when the volume is positive; each starts at an end of the diagonal along which
// tac_hexahedron_pieces cut it, so that a fan from its first corner agrees with them.
extern const int tac_hexahedron_faces[6][4];
// Six tetrahedra around the diagonal 0-6 (H. W. Kuhn, 1960).
extern const int tac_hexahedron_pieces[6][4];

// Signed volumes, m^3. The hexahedron's is that of its pieces.
double tac_tetrahedron_volume(const double *points, const int32_t corners[4]);
double tac_hexahedron_volume(const double *points, const int32_t corners[8]);

// Turns one element inside out: normals and signed volume change sign.
void tac_element_reverse(TacElement kind, int32_t *corners);
void tac_mesh_reverse(TacMesh *mesh);

#endif
