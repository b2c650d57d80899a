// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Meshes, their files and their generators. Usable without a world.
//
// A TacMesh is a set of points and the elements between them. Every reader and every generator fills one;
// every reader treats its file as hostile: sizes are checked against what the file can hold before memory is
// taken, indices against the number of points, numbers against NaN and infinity. On failure the mesh is left
// empty.

#ifndef TACTUS_GEOMETRY_H
#define TACTUS_GEOMETRY_H

#include "tactus/base.h"
#include "tactus/math.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TacElement {
    TAC_EDGES,
    TAC_TRIANGLES,
    TAC_QUADS,
    TAC_TETRAHEDRA,
    TAC_HEXAHEDRA,
    TAC_ELEMENT_KINDS
} TacElement;

// Points per element of each kind: 2, 3, 4, 4, 8. A tetrahedron (a, b, c, d) has positive volume when d lies
// on the side of (a, b, c) to which its right-handed normal points: dot(d-a, cross(b-a, c-a)) > 0. A
// hexahedron lists its lower quad, then its upper one (the order of VTK and Gmsh).
TAC_API int tac_element_size(TacElement kind);
TAC_API const char *tac_element_name(TacElement kind); // "edges", "triangles", ...

// Owns its arrays. A zeroed struct is a valid empty mesh.
typedef struct TacMesh {
    size_t point_count;
    double *points; // xyz, m
    struct {
        size_t count;
        int32_t *indices; // tac_element_size(kind) per element, 0-based
    } elements[TAC_ELEMENT_KINDS];
    double *radii; // one per point, m; NULL unless the mesh is a list of balls
} TacMesh;

// Takes zeroed arrays of these sizes. counts[kind] elements of each kind.
TAC_API TacStatus tac_mesh_create(TacMesh *mesh, size_t points, const size_t counts[TAC_ELEMENT_KINDS],
                                  TacError *error);
TAC_API void tac_mesh_destroy(TacMesh *mesh);
TAC_API TacStatus tac_mesh_copy(TacMesh *copy, const TacMesh *mesh, TacError *error);

// Indices in range, coordinates finite, radii positive.
TAC_API TacStatus tac_mesh_validate(const TacMesh *mesh, TacError *error);

// Scale, then rotate (x, then y, then z, in degrees), then translate. Reverses elements when mirrored.
TAC_API void tac_mesh_transform(TacMesh *mesh, TacVec3 scale, TacVec3 rotation_degrees, TacVec3 translation);

// The outer triangles of tetrahedra and hexahedra (quads split), wound so that normals point outward; meshes
// without volume elements give their own triangles and split quads. Point numbers are kept.
TAC_API TacStatus tac_mesh_surface(const TacMesh *mesh, int32_t **triangles, size_t *count, TacError *error);

// Every edge of every element once, as pairs i < j in ascending order.
TAC_API TacStatus tac_mesh_all_edges(const TacMesh *mesh, int32_t **edges, size_t *count, TacError *error);

// Replaces hexahedra by six tetrahedra each, all cut along the diagonal from corner 0 to corner 6 so that the
// faces of grid neighbours agree, and quads by two triangles each.
TAC_API TacStatus tac_mesh_split(TacMesh *mesh, TacError *error);

// Merges points closer than `distance` (0: only identical ones) and drops elements that collapse.
TAC_API TacStatus tac_mesh_weld(TacMesh *mesh, double distance, TacError *error);

// Splits triangles at the middles of their edges until no edge is longer than `longest`, in m. The surface stays where
// it is, and closed where it is closed. Fails, and changes nothing, where that takes more than `most` triangles, and where
// there are other elements.
TAC_API TacStatus tac_mesh_refine(TacMesh *mesh, double longest, size_t most, TacError *error);

TAC_API double
tac_mesh_volume(const TacMesh *mesh); // of its tetrahedra and hexahedra, or enclosed by its surface
TAC_API void tac_mesh_bounds(const TacMesh *mesh, TacVec3 *low, TacVec3 *high); // zeros for an empty mesh

// What can be said of a mesh as a whole. Its surface is that of tac_mesh_surface.
typedef struct TacMeshReport {
    size_t unused_points;     // that no element has
    size_t parts;             // pieces that share no point
    size_t surface_triangles; // quads count as two
    size_t open_edges;        // of the surface: one triangle alone has it
    size_t crowded_edges;     // more than two have it
    size_t turned_edges;      // two have it, and one of them is wound the wrong way
    size_t pinched_points;    // where the surface touches itself in a point
    size_t slivers;           // triangles of the surface and tetrahedra of a quality below TAC_SLIVER
    size_t inverted;          // tetrahedra and hexahedra without a positive volume
    bool closed;              // a surface without open edges
    bool manifold;            // no crowded edges, no pinched points
    bool oriented;            // no turned edges
    double worst_quality;     // 1: all are regular; 0: something is flat
    double shortest_edge, longest_edge; // m, of the surface and of tetrahedra
    double area;                        // m^2, of the surface
    double volume;     // m^3, as tac_mesh_volume; means something where it is closed and oriented
    TacVec3 low, high; // m
} TacMeshReport;

// A triangle's quality is 4 sqrt(3) area / (sum of squared edges), a tetrahedron's 12 (3 volume)^(2/3) / (sum of
// squared edges): 1 where it is regular, 0 where it is flat.
#define TAC_SLIVER 0.1

// Takes O(n log n) time for n elements. Whether the mesh intersects itself is asked in tactus/ccd.h.
TAC_API TacStatus tac_mesh_report(const TacMesh *mesh, TacMeshReport *report, TacError *error);

// Winds triangles and quads so that neighbours agree: outward where a piece is closed, each piece on its own (so a
// hollow's inner wall counts as a body), and as most of them are where it is open. Turns tetrahedra and hexahedra of
// negative volume. `turned`, unless NULL, receives how many elements were turned. Fails, and changes nothing, where a
// surface has one side only (a Moebius strip).
TAC_API TacStatus tac_mesh_orient(TacMesh *mesh, size_t *turned, TacError *error);

// Reads a mesh; the content decides where the extension does not: Wavefront OBJ, STL (text, binary), PLY
// (text, binary of both orders), Gmsh 1, 2 and 4 (text, binary), VTK legacy (text, binary) and VTU (text,
// base64, raw; zlib), sphere lists (.sph), this library's own writers' output.
TAC_API TacStatus tac_mesh_read(TacMesh *mesh, const char *path, TacError *error);

// The same from memory; `name` stands for the path in messages and its extension decides as above.
TAC_API TacStatus tac_mesh_parse(TacMesh *mesh, const char *name, const void *data, size_t bytes,
                                 TacError *error);

// Writes by extension: .obj .stl .ply .msh (2.2) .vtk .vtu. Written beside and renamed.
TAC_API TacStatus tac_mesh_write(const TacMesh *mesh, const char *path, TacError *error);

// Generators. Lengths in m; `low` and `high` are corners. They fail only for want of memory or on bad counts.
// nx, ny, nz count points along each axis; 1 flattens that axis (a 2D or 1D grid of quads or edges).
TAC_API TacStatus tac_mesh_grid(TacMesh *mesh, int nx, int ny, int nz, TacVec3 low, TacVec3 high,
                                TacError *error);
// A closed box surface of triangles, each side divided n times.
TAC_API TacStatus tac_mesh_box(TacMesh *mesh, int n, TacVec3 low, TacVec3 high, TacError *error);
// An icosahedron whose triangles are split `subdivisions` times, pushed to the radius (0..7).
TAC_API TacStatus tac_mesh_icosphere(TacMesh *mesh, int subdivisions, double radius, TacError *error);
// Closed, along y, centred. `sides` >= 3 around, `rings` >= 1 pieces along; cone: top radius may be 0.
TAC_API TacStatus tac_mesh_cylinder(TacMesh *mesh, int sides, int rings, double radius, double top_radius,
                                    double height, TacError *error);
TAC_API TacStatus tac_mesh_capsule(TacMesh *mesh, int sides, int rings, double radius, double length,
                                   TacError *error);
TAC_API TacStatus tac_mesh_torus(TacMesh *mesh, int sides, int rings, double radius, double tube_radius,
                                 TacError *error);
// A rectangle of triangles in the xz plane centred at the origin, n by m pieces, alternating diagonals.
TAC_API TacStatus tac_mesh_sheet(TacMesh *mesh, int n, int m, double width, double depth, TacError *error);
// The same with squares halved up to `halvings` times (0 to 8) where they meet one of `count` rectangles (x and z of a
// corner, then of the opposite one), and around them so that neighbours differ by one halving at most.
TAC_API TacStatus tac_mesh_graded_sheet(TacMesh *mesh, int n, int m, double width, double depth,
                                        const double *rectangles, size_t count, int halvings,
                                        TacError *error);
// A line of n edges from a to b.
TAC_API TacStatus tac_mesh_line(TacMesh *mesh, int n, TacVec3 a, TacVec3 b, TacError *error);
// A band along a chain of straight lines whose corners (xyz each) are rounded to this radius where there is
// room; `across` cells wide, of cells about as long as wide, row by row: across + 1 points in each. It lies level
// where `up` is not zero, else it turns as little as it can.
TAC_API TacStatus tac_mesh_ribbon(TacMesh *mesh, const double *corners, size_t count, double rounding,
                                  int across, double width, TacVec3 up, TacError *error);

// Knots, loosely tied of level bands: nothing touches, and parts that are not neighbours stay a gap apart.
typedef enum TacKnot {
    TAC_REEF_KNOT,       // two bands: that with its ends to the left (-x), then the other
    TAC_REEF_KNOT_LEFT,  // the first alone
    TAC_REEF_KNOT_RIGHT, // the second alone
    TAC_BOWLINE,         // one band: its first end towards -z; a cylinder along y of radius 1.5 widths fits
                         // into its loop, at (0.85, 0, 5.55) widths
} TacKnot;

// Ends go on straight for `length`. The gap is at most a fifth of the width.
TAC_API TacStatus tac_mesh_knot(TacMesh *mesh, TacKnot knot, int across, double width, double length,
                                double gap, TacError *error);
// A spike along y: four sliver triangles from a tip at `height` down to a square of this half diagonal at y = 0.
TAC_API TacStatus tac_mesh_nail(TacMesh *mesh, double radius, double height, TacError *error);
// n by m of them, centred, their middles `spacing` apart along x and z.
TAC_API TacStatus tac_mesh_nail_bed(TacMesh *mesh, int n, int m, double spacing, double radius, double height,
                                    TacError *error);
// Tetrahedra that fill a ball, from a grid of `n` cells along the diameter mapped to the ball.
TAC_API TacStatus tac_mesh_ball(TacMesh *mesh, int n, double radius, TacError *error);

#ifdef __cplusplus
}
#endif

#endif
