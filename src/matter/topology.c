// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#include "matter/topology.h"
#include "base/memory.h"
#include "geometry/ball_fill.h"

// One struct serves all: each class fills what it has.
typedef struct MeshComponent {
    TacTopology topology;
    const char *file;
    TacReals given_points, given_radii;
    TacInts given[TAC_ELEMENT_KINDS];
    TacInts counts;
    TacVec3 low, high, from, to;
    int64_t divisions, sides, rings, across, halvings;
    TacReals fine;
    int curve;
    TacVec3 up;
    double length, gap, rounding, spacing;
    double radius, top_radius, tube_radius, height, width, depth;
    bool split, surface;
    TacComponent *of;
    TacReals ball_radii;
    int shape; // TacFillShape
    double depth_from, depth_to, overlap;
    bool flat;
    double weld;
    TacVec3 scale, rotation, translation;
    TacReals points, radii; // outputs
    TacInts elements[TAC_ELEMENT_KINDS];
} MeshComponent;

// --- what all share ---------------------------------------------------------------------------------------

static TacStatus check_finite(const TacMesh *mesh, TacSetup *setup, TacError *error) {
    for (size_t i = 0; i < 3 * mesh->point_count; i++)
        if (!isfinite(mesh->points[i]))
            return tac_setup_fail(setup, error, NULL,
                                  "point %zu is not at a finite place: sizes are too large", i / 3);
    return TAC_OK;
}

// The outer triangles of volume elements become elements of the mesh, for laws on its surface.
static TacStatus add_surface(TacMesh *mesh, TacError *error) {
    int32_t *triangles;
    size_t count;
    TAC_TRY(tac_mesh_surface(mesh, &triangles, &count, error));
    free(mesh->elements[TAC_TRIANGLES].indices);
    mesh->elements[TAC_TRIANGLES].indices = triangles;
    mesh->elements[TAC_TRIANGLES].count = count;
    return TAC_OK;
}

static TacStatus finish_mesh(MeshComponent *self, TacSetup *setup, TacError *error) {
    TacMesh *mesh = &self->topology.mesh;
    TAC_TRY(check_finite(mesh, setup, error));
    if (self->split) TAC_TRY(tac_mesh_split(mesh, error));
    if (!isnan(self->weld)) TAC_TRY(tac_mesh_weld(mesh, self->weld, error));
    if (self->surface) TAC_TRY(add_surface(mesh, error));
    if (self->scale.x == 0 || self->scale.y == 0 || self->scale.z == 0)
        return tac_setup_fail(setup, error, "scale", "scale must not be 0 along any axis");
    tac_mesh_transform(mesh, self->scale, self->rotation, self->translation);
    TAC_TRY(check_finite(mesh, setup, error));
    self->points = (TacReals){mesh->points, 3 * mesh->point_count};
    if (mesh->radii) self->radii = (TacReals){mesh->radii, mesh->point_count};
    for (int k = 0; k < TAC_ELEMENT_KINDS; k++)
        self->elements[k] = (TacInts){mesh->elements[k].indices,
                                      mesh->elements[k].count * (size_t)tac_element_size((TacElement)k)};
    return TAC_OK;
}

// Memory is counted before a generator takes it: for each point its place, about as many elements with at
// most eight corners, and what splitting makes of those.
static TacStatus hold(const MeshComponent *self, TacSetup *setup, double points, TacError *error) {
    const double place = 24, element = 32, split = 96;
    return tac_setup_hold(setup, points * (place + element + (self->split ? split : 0)), error);
}

// Ends an init: a generator's failure gets the component's place.
static TacStatus finish_init(MeshComponent *self, TacSetup *setup, TacStatus made, TacError *error) {
    if (made == TAC_OK) return finish_mesh(self, setup, error);
    if (made == TAC_NO_MEMORY) return made;
    TacError why = {0};
    if (error) why = *error;
    return tac_setup_fail(setup, error, NULL, "%s", why.message);
}

static void finish(void *data) {
    MeshComponent *self = data;
    tac_mesh_destroy(&self->topology.mesh);
}

// Attributes in the order name, type, field, unit, default, sentence, range.
#define PLAIN(name, type, field, unit, initial, doc, range)                                                  \
    { name, type, offsetof(MeshComponent, field), unit, initial, doc, NULL, range, 0 }
#define OUTPUT(name, type, field, unit, doc)                                                                 \
    { name, type, offsetof(MeshComponent, field), unit, "", doc, NULL, TAC_ANY, TAC_OUTPUT }

#define COMMON_ATTRIBUTES                                                                                    \
    PLAIN("split", TAC_BOOL, split, "", "false",                                                             \
          "Replaces hexahedra by six tetrahedra each and quads by two triangles each.", TAC_ANY),            \
        PLAIN("surface", TAC_BOOL, surface, "", "false",                                                     \
              "Adds the outer triangles of volume elements, for laws on its surface.", TAC_ANY),             \
        PLAIN("weld", TAC_REAL, weld, "m", "", "Merges points closer than this; not given: none.",           \
              TAC_NOT_NEGATIVE),                                                                             \
        PLAIN("scale", TAC_VECTOR, scale, "1", "1 1 1", "Stretches the mesh along each axis first.",         \
              TAC_ANY),                                                                                      \
        PLAIN("rotation", TAC_VECTOR, rotation, "deg", "0 0 0", "Then turns it about x, then y, then z.",    \
              TAC_ANY),                                                                                      \
        PLAIN("translation", TAC_VECTOR, translation, "m", "0 0 0", "Then moves it.", TAC_ANY),              \
        OUTPUT("points", TAC_REALS, points, "m", "Its points, three numbers each."),                         \
        OUTPUT("radii", TAC_REALS, radii, "m", "One per point, where the file has them."),                   \
        OUTPUT("edges", TAC_INTS, elements[TAC_EDGES], "1", "Its edges, two points each."),                  \
        OUTPUT("triangles", TAC_INTS, elements[TAC_TRIANGLES], "1", "Its triangles."),                       \
        OUTPUT("quads", TAC_INTS, elements[TAC_QUADS], "1", "Its quads."),                                   \
        OUTPUT("tetrahedra", TAC_INTS, elements[TAC_TETRAHEDRA], "1", "Its tetrahedra."),                    \
        OUTPUT("hexahedra", TAC_INTS, elements[TAC_HEXAHEDRA], "1", "Its hexahedra.")

#define CLASS(symbol, title, text, function, table)                                                          \
    const TacClass symbol = {                                                                                \
        .name = title,                                                                                       \
        .kind = TAC_KIND_TOPOLOGY,                                                                           \
        .doc = text,                                                                                         \
        .size = sizeof(MeshComponent),                                                                       \
        .attributes = table,                                                                                 \
        .attribute_count = TAC_COUNT(table),                                                                 \
        .init = function,                                                                                    \
        .finish = finish,                                                                                    \
    }

// --- from a file, from lists ------------------------------------------------------------------------------

static TacStatus mesh_file_init(void *data, TacSetup *setup, TacError *error) {
    MeshComponent *self = data;
    TacError why = {0};
    TacStatus status = tac_mesh_read(&self->topology.mesh, self->file, &why);
    if (status == TAC_BAD_INPUT) {
        char text[1600];
        return tac_setup_fail(setup, error, "file", "%s", tac_error_text(&why, text, sizeof text));
    }
    if (status != TAC_OK) {
        if (error) *error = why;
        return status;
    }
    return finish_mesh(self, setup, error);
}

static const TacAttribute mesh_file_attributes[] = {
    PLAIN("file", TAC_PATH, file, "", NULL,
          "OBJ, STL, PLY, Gmsh 1, 2 and 4, VTK legacy, VTU, or a list of spheres (.sph).", TAC_ANY),
    COMMON_ATTRIBUTES,
};

CLASS(tac_mesh_file_class, "MeshFile", "A mesh read from a file.", mesh_file_init, mesh_file_attributes);

static TacStatus mesh_init(void *data, TacSetup *setup, TacError *error) {
    MeshComponent *self = data;
    static const char *const names[] = {"with_edges", "with_triangles", "with_quads", "with_tetrahedra",
                                        "with_hexahedra"};
    if (self->given_points.count % 3)
        return tac_setup_fail(setup, error, "at", "at has %zu numbers, not a multiple of 3",
                              self->given_points.count);
    size_t n = self->given_points.count / 3, counts[TAC_ELEMENT_KINDS], listed = 0;
    for (int k = 0; k < TAC_ELEMENT_KINDS; k++) listed += self->given[k].count;
    TAC_TRY(hold(self, setup, (double)n + (double)listed / 8, error));
    for (int k = 0; k < TAC_ELEMENT_KINDS; k++) {
        size_t each = (size_t)tac_element_size((TacElement)k);
        if (self->given[k].count % each)
            return tac_setup_fail(setup, error, names[k], "%s has %zu numbers, not a multiple of %zu",
                                  names[k], self->given[k].count, each);
        counts[k] = self->given[k].count / each;
        for (size_t i = 0; i < self->given[k].count; i++)
            if (self->given[k].data[i] < 0 || (size_t)self->given[k].data[i] >= n)
                return tac_setup_fail(setup, error, names[k], "%s names point %d; there are %zu, from 0",
                                      names[k], self->given[k].data[i], n);
    }
    TacMesh *mesh = &self->topology.mesh;
    TAC_TRY(tac_mesh_create(mesh, n, counts, error));
    if (n) memcpy(mesh->points, self->given_points.data, 3 * n * sizeof(double));
    for (int k = 0; k < TAC_ELEMENT_KINDS; k++)
        if (self->given[k].count)
            memcpy(mesh->elements[k].indices, self->given[k].data, self->given[k].count * sizeof(int32_t));
    return finish_mesh(self, setup, error);
}

static const TacAttribute mesh_attributes[] = {
    PLAIN("at", TAC_REALS, given_points, "m", NULL, "The points, three numbers each.", TAC_ANY),
    PLAIN("with_edges", TAC_INTS, given[TAC_EDGES], "1", "", "Edges, two points each, from 0.",
          TAC_NOT_NEGATIVE),
    PLAIN("with_triangles", TAC_INTS, given[TAC_TRIANGLES], "1", "", "Triangles.", TAC_NOT_NEGATIVE),
    PLAIN("with_quads", TAC_INTS, given[TAC_QUADS], "1", "", "Quads.", TAC_NOT_NEGATIVE),
    PLAIN("with_tetrahedra", TAC_INTS, given[TAC_TETRAHEDRA], "1", "", "Tetrahedra.", TAC_NOT_NEGATIVE),
    PLAIN("with_hexahedra", TAC_INTS, given[TAC_HEXAHEDRA], "1", "", "Hexahedra: lower quad, then upper.",
          TAC_NOT_NEGATIVE),
    COMMON_ATTRIBUTES,
};

CLASS(tac_mesh_class, "Mesh", "A mesh written out in the scene.", mesh_init, mesh_attributes);

// --- generators -------------------------------------------------------------------------------------------

// As an int; generators refuse what is far beyond memory, with a message, long before this limit.
static int limited(int64_t n) {
    return n > INT32_MAX ? INT32_MAX : (int)n;
}

// Where 0 stands for as many as along x.
static int64_t across_of(const MeshComponent *self) {
    return self->across ? self->across : self->divisions;
}

// The init of a class that is one call: about how many points it makes, and the call, of `self` and for `mesh`.
#define GENERATOR(name, points, call)                                                                        \
    static TacStatus name(void *data, TacSetup *setup, TacError *error) {                                    \
        MeshComponent *self = data;                                                                          \
        TacMesh *mesh = &self->topology.mesh;                                                                \
        TAC_TRY(hold(self, setup, points, error));                                                           \
        return finish_init(self, setup, call, error);                                                        \
    }

static TacStatus grid_init(void *data, TacSetup *setup, TacError *error) {
    MeshComponent *self = data;
    if (self->counts.count != 3)
        return tac_setup_fail(setup, error, "counts", "counts needs three whole numbers, found %zu",
                              self->counts.count);
    const int32_t *n = self->counts.data;
    TAC_TRY(hold(self, setup, (double)n[0] * n[1] * n[2], error));
    return finish_init(self, setup,
                       tac_mesh_grid(&self->topology.mesh, n[0], n[1], n[2], self->low, self->high, error),
                       error);
}

static const TacAttribute grid_attributes[] = {
    PLAIN("counts", TAC_INTS, counts, "1", "2 2 2",
          "Points along x, y and z; a 1 flattens that axis (quads, or edges, in place of hexahedra).",
          TAC_POSITIVE),
    PLAIN("low", TAC_VECTOR, low, "m", "0 0 0", "The corner with the smallest coordinates.", TAC_ANY),
    PLAIN("high", TAC_VECTOR, high, "m", "1 1 1", "The opposite corner.", TAC_ANY),
    COMMON_ATTRIBUTES,
};

CLASS(tac_grid_class, "Grid",
      "A regular grid of hexahedra (quads, edges); split makes tetrahedra (triangles).", grid_init,
      grid_attributes);

GENERATOR(box_init, 6.0 * (double)self->divisions * (double)self->divisions,
          tac_mesh_box(mesh, limited(self->divisions), self->low, self->high, error))

static const TacAttribute box_attributes[] = {
    PLAIN("divisions", TAC_INT, divisions, "1", "1", "Pieces along each side.", TAC_POSITIVE),
    PLAIN("low", TAC_VECTOR, low, "m", "-0.5 -0.5 -0.5", "The corner with the smallest coordinates.",
          TAC_ANY),
    PLAIN("high", TAC_VECTOR, high, "m", "0.5 0.5 0.5", "The opposite corner.", TAC_ANY),
    COMMON_ATTRIBUTES,
};

CLASS(tac_box_class, "Box", "The closed surface of a box, in triangles.", box_init, box_attributes);

GENERATOR(sphere_init, 10 * pow(4, fmin((double)self->divisions, 8)),
          tac_mesh_icosphere(mesh, limited(self->divisions), self->radius, error))

static const TacAttribute sphere_attributes[] = {
    PLAIN("subdivisions", TAC_INT, divisions, "1", "3",
          "How often an icosahedron's triangles are split (0 to 7).", TAC_NOT_NEGATIVE),
    PLAIN("radius", TAC_REAL, radius, "m", "0.5", "Of the sphere.", TAC_POSITIVE),
    COMMON_ATTRIBUTES,
};

CLASS(tac_sphere_class, "Sphere", "The closed surface of a sphere, in nearly equal triangles.", sphere_init,
      sphere_attributes);

GENERATOR(cylinder_init, (double)self->sides *((double)self->rings + 1),
          tac_mesh_cylinder(mesh, limited(self->sides), limited(self->rings), self->radius,
                            isnan(self->top_radius) ? self->radius : self->top_radius, self->height, error))

static const TacAttribute cylinder_attributes[] = {
    PLAIN("sides", TAC_INT, sides, "1", "24", "Pieces around.", TAC_POSITIVE),
    PLAIN("rings", TAC_INT, rings, "1", "1", "Pieces along.", TAC_POSITIVE),
    PLAIN("radius", TAC_REAL, radius, "m", "0.5", "At the bottom.", TAC_POSITIVE),
    PLAIN("top_radius", TAC_REAL, top_radius, "m", "", "At the top; by default the same; 0 makes a cone.",
          TAC_NOT_NEGATIVE),
    PLAIN("height", TAC_REAL, height, "m", "1", "Along y.", TAC_POSITIVE),
    COMMON_ATTRIBUTES,
};

CLASS(tac_cylinder_class, "Cylinder", "The closed surface of a cylinder or cone along y, centred.",
      cylinder_init, cylinder_attributes);

GENERATOR(capsule_init, (double)self->sides *(2 * (double)self->rings + 1),
          tac_mesh_capsule(mesh, limited(self->sides), limited(self->rings), self->radius, self->height,
                           error))

static const TacAttribute capsule_attributes[] = {
    PLAIN("sides", TAC_INT, sides, "1", "24", "Pieces around.", TAC_POSITIVE),
    PLAIN("rings", TAC_INT, rings, "1", "6", "Pieces along each cap.", TAC_POSITIVE),
    PLAIN("radius", TAC_REAL, radius, "m", "0.5", "Of the caps.", TAC_POSITIVE),
    PLAIN("length", TAC_REAL, height, "m", "1", "Between the centres of the caps, along y.", TAC_POSITIVE),
    COMMON_ATTRIBUTES,
};

CLASS(tac_capsule_class, "Capsule", "The closed surface of a capsule along y, centred.", capsule_init,
      capsule_attributes);

GENERATOR(torus_init, (double)self->sides *(double)self->rings,
          tac_mesh_torus(mesh, limited(self->sides), limited(self->rings), self->radius, self->tube_radius,
                         error))

static const TacAttribute torus_attributes[] = {
    PLAIN("sides", TAC_INT, sides, "1", "16", "Pieces around the tube.", TAC_POSITIVE),
    PLAIN("rings", TAC_INT, rings, "1", "32", "Pieces around the axis, y.", TAC_POSITIVE),
    PLAIN("radius", TAC_REAL, radius, "m", "0.5", "From the axis to the middle of the tube.", TAC_POSITIVE),
    PLAIN("tube_radius", TAC_REAL, tube_radius, "m", "0.2", "Of the tube.", TAC_POSITIVE),
    COMMON_ATTRIBUTES,
};

CLASS(tac_torus_class, "Torus", "The closed surface of a torus about y, centred.", torus_init,
      torus_attributes);

static TacStatus sheet_init(void *data, TacSetup *setup, TacError *error) {
    MeshComponent *self = data;
    int64_t along = self->divisions, across = across_of(self);
    TAC_TRY(hold(self, setup, ((double)along + 1) * ((double)across + 1), error));
    if (self->fine.count % 4)
        return tac_setup_fail(setup, error, "fine",
                              "fine has %zu numbers; four were expected for each rectangle",
                              self->fine.count);
    // the finest lattice is there while it is made
    if (self->fine.count && self->halvings <= 8)
        TAC_TRY(tac_setup_hold(
            setup, 5 * ldexp((double)along, (int)self->halvings) * ldexp((double)across, (int)self->halvings),
            error));
    TacStatus made = self->fine.count
                         ? tac_mesh_graded_sheet(&self->topology.mesh, limited(along), limited(across),
                                                 self->width, self->depth, self->fine.data,
                                                 self->fine.count / 4, limited(self->halvings), error)
                         : tac_mesh_sheet(&self->topology.mesh, limited(along), limited(across), self->width,
                                          self->depth, error);
    return finish_init(self, setup, made, error);
}

static const TacAttribute sheet_attributes[] = {
    PLAIN("divisions", TAC_INT, divisions, "1", "10", "Pieces along x.", TAC_POSITIVE),
    PLAIN("across", TAC_INT, across, "1", "0", "Pieces along z; 0: as many as along x.", TAC_NOT_NEGATIVE),
    PLAIN("width", TAC_REAL, width, "m", "1", "Along x.", TAC_POSITIVE),
    PLAIN("depth", TAC_REAL, depth, "m", "1", "Along z.", TAC_POSITIVE),
    PLAIN("fine", TAC_REALS, fine, "m", "",
          "Rectangles in which it is divided more finely: x and z of a corner, then of the opposite one, for "
          "each.",
          TAC_ANY),
    PLAIN("halvings", TAC_INT, halvings, "1", "1",
          "How often squares are halved there, up to 8; around, neighbours differ by one halving.",
          TAC_NOT_NEGATIVE),
    COMMON_ATTRIBUTES,
};

CLASS(tac_sheet_class, "Sheet", "A flat rectangle of triangles in the xz plane, centred.", sheet_init,
      sheet_attributes);

GENERATOR(line_init, (double)self->divisions + 1,
          tac_mesh_line(mesh, limited(self->divisions), self->from, self->to, error))

static const TacAttribute line_attributes[] = {
    PLAIN("divisions", TAC_INT, divisions, "1", "10", "Edges along it.", TAC_POSITIVE),
    PLAIN("from", TAC_VECTOR, from, "m", "0 0 0", "Where it begins.", TAC_ANY),
    PLAIN("to", TAC_VECTOR, to, "m", "1 0 0", "Where it ends.", TAC_ANY),
    COMMON_ATTRIBUTES,
};

CLASS(tac_line_class, "Line", "A straight chain of edges.", line_init, line_attributes);

GENERATOR(ball_init, 2.2 * pow((double)self->divisions + 1, 3),
          tac_mesh_ball(mesh, limited(self->divisions), self->radius, error))

static const TacAttribute ball_attributes[] = {
    PLAIN("divisions", TAC_INT, divisions, "1", "8", "Cells along the diameter.", TAC_POSITIVE),
    PLAIN("radius", TAC_REAL, radius, "m", "0.5", "Of the ball.", TAC_POSITIVE),
    COMMON_ATTRIBUTES,
};

CLASS(tac_ball_class, "Ball", "A ball filled with tetrahedra.", ball_init, ball_attributes);

// --- ribbons and nails --------------------------------------------------------------------------------------

enum { CURVE_POINTS, CURVE_REEF, CURVE_REEF_LEFT, CURVE_REEF_RIGHT, CURVE_BOWLINE };

// Cells along a chain of corners, at most; rounding only shortens it.
static double chain_length(TacReals corners) {
    double length = 0;
    for (size_t i = 3; i + 2 < corners.count; i += 3)
        length += tac_norm(tac_sub(tac_load3(corners.data + i), tac_load3(corners.data + i - 3)));
    return length;
}

static TacStatus ribbon_init(void *data, TacSetup *setup, TacError *error) {
    MeshComponent *self = data;
    TacMesh *mesh = &self->topology.mesh;
    int across = limited(self->across);
    double row = (double)self->across + 1, cell = self->width / (double)self->across;
    if (self->curve != CURVE_POINTS) {
        static const TacKnot knots[] = {[CURVE_REEF] = TAC_REEF_KNOT,
                                        [CURVE_REEF_LEFT] = TAC_REEF_KNOT_LEFT,
                                        [CURVE_REEF_RIGHT] = TAC_REEF_KNOT_RIGHT,
                                        [CURVE_BOWLINE] = TAC_BOWLINE};
        // both ends, twice for two bands, and at most 60 widths in the knot itself
        double length = 4 * self->length + 60 * self->width;
        TAC_TRY(hold(self, setup, length / cell * row, error));
        double gap = isnan(self->gap) ? 0.2 * self->width : self->gap;
        TacStatus made =
            tac_mesh_knot(mesh, knots[self->curve], across, self->width, self->length, gap, error);
        return finish_init(self, setup, made, error);
    }
    if (self->given_points.count % 3 || self->given_points.count < 6)
        return tac_setup_fail(setup, error, "at",
                              "at has %zu numbers; three for each of two or more corners were expected",
                              self->given_points.count);
    TAC_TRY(hold(self, setup, (chain_length(self->given_points) / cell + 2) * row, error));
    double rounding = isnan(self->rounding) ? self->width : self->rounding;
    TacStatus made = tac_mesh_ribbon(mesh, self->given_points.data, self->given_points.count / 3, rounding,
                                     across, self->width, self->up, error);
    return finish_init(self, setup, made, error);
}

static const TacAttribute ribbon_attributes[] = {
    {"curve", TAC_CHOICE, offsetof(MeshComponent, curve), "", "points",
     "Along the corners in at; or a loose knot: two bands in a reef_knot, or only that with its ends to the "
     "left "
     "(-x), or to the right; a bowline.",
     "points|reef_knot|reef_knot_left|reef_knot_right|bowline", TAC_ANY, 0},
    PLAIN("at", TAC_REALS, given_points, "m", "", "The corners of the curve, three numbers each.", TAC_ANY),
    PLAIN("rounding", TAC_REAL, rounding, "m", "",
          "How round corners are where there is room; by default as much as the width.", TAC_NOT_NEGATIVE),
    PLAIN("up", TAC_VECTOR, up, "1", "0 1 0",
          "Across the band, which lies level; 0 0 0 lets it turn as little as it can.", TAC_ANY),
    PLAIN("width", TAC_REAL, width, "m", "0.04", "Of the band.", TAC_POSITIVE),
    PLAIN("across", TAC_INT, across, "1", "6", "Cells across; along it they are about as long.",
          TAC_POSITIVE),
    PLAIN("length", TAC_REAL, length, "m", "0.2", "Of each end of a knot, outside of it.", TAC_POSITIVE),
    PLAIN("gap", TAC_REAL, gap, "m", "",
          "Between parts of a knot that cross, at most a fifth of the width, which is the default.",
          TAC_POSITIVE),
    COMMON_ATTRIBUTES,
};

CLASS(tac_ribbon_class, "Ribbon",
      "A band of triangles along a curve, or tied in a loose knot. Points go row by row, across + 1 in each: "
      "the "
      "first and the last row are its ends.",
      ribbon_init, ribbon_attributes);

GENERATOR(nail_init, 5, tac_mesh_nail(mesh, self->radius, self->height, error))

static const TacAttribute nail_attributes[] = {
    PLAIN("radius", TAC_REAL, radius, "m", "0.002", "Half the diagonal of its foot.", TAC_POSITIVE),
    PLAIN("height", TAC_REAL, height, "m", "0.1", "Of its tip, along y.", TAC_POSITIVE),
    COMMON_ATTRIBUTES,
};

CLASS(tac_nail_class, "Nail", "A spike of four sliver triangles, tip first; open below.", nail_init,
      nail_attributes);

GENERATOR(nail_bed_init, 5 * (double)self->divisions * (double)across_of(self),
          tac_mesh_nail_bed(mesh, limited(self->divisions), limited(across_of(self)), self->spacing,
                            self->radius, self->height, error))

static const TacAttribute nail_bed_attributes[] = {
    PLAIN("count", TAC_INT, divisions, "1", "10", "Nails along x.", TAC_POSITIVE),
    PLAIN("across", TAC_INT, across, "1", "0", "Nails along z; 0: as many as along x.", TAC_NOT_NEGATIVE),
    PLAIN("spacing", TAC_REAL, spacing, "m", "0.03", "From tip to tip.", TAC_POSITIVE),
    PLAIN("radius", TAC_REAL, radius, "m", "0.002", "Half the diagonal of each foot.", TAC_POSITIVE),
    PLAIN("height", TAC_REAL, height, "m", "0.1", "Of the tips, along y.", TAC_POSITIVE),
    COMMON_ATTRIBUTES,
};

CLASS(tac_nail_bed_class, "NailBed", "A grid of nails, centred, five points each.", nail_bed_init,
      nail_bed_attributes);

// --- room for triangles that a map makes ---------------------------------------------------------------------

static TacStatus shards_init(void *data, TacSetup *setup, TacError *error) {
    MeshComponent *self = data;
    size_t counts[TAC_ELEMENT_KINDS] = {0};
    TAC_TRY(hold(self, setup, 3 * (double)self->divisions, error));
    if (self->divisions > INT32_MAX / 3)
        return tac_setup_fail(setup, error, "count", "there is no room for so many triangles");
    counts[TAC_TRIANGLES] = (size_t)self->divisions;
    TacStatus made = tac_mesh_create(&self->topology.mesh, 3 * counts[TAC_TRIANGLES], counts, error);
    for (size_t i = 0; made == TAC_OK && i < 3 * counts[TAC_TRIANGLES]; i++)
        self->topology.mesh.elements[TAC_TRIANGLES].indices[i] = (int32_t)i;
    return finish_init(self, setup, made, error);
}

static const TacAttribute shards_attributes[] = {
    PLAIN("count", TAC_INT, divisions, "1", "4000", "How many triangles.", TAC_POSITIVE),
    COMMON_ATTRIBUTES,
};

CLASS(tac_shards_class, "Shards",
      "Loose triangles with three points each, all at the origin: room for those that a Contour or a "
      "ParticleSurface "
      "makes.",
      shards_init, shards_attributes);

// --- balls that fill a shape ------------------------------------------------------------------------------

static TacStatus find_shape(const MeshComponent *self, TacMesh *read, const TacMesh **mesh, TacSetup *setup,
                            TacError *error) {
    if ((*self->file != 0) + (self->of != NULL) != 1)
        return tac_setup_fail(setup, error, NULL,
                              "needs file, or of: the closed mesh that is filled; or another shape");
    if (self->of) {
        *mesh = &((const TacTopology *)self->of)->mesh;
        if (!(*mesh)->point_count)
            return tac_setup_fail(setup, error, "of", "%s must stand before what is filled with it",
                                  self->of->name);
        return TAC_OK;
    }
    TacError why = {0};
    char text[1600];
    *mesh = read;
    TacStatus status = tac_mesh_read(read, self->file, &why);
    if (status == TAC_OK) return TAC_OK;
    return tac_setup_fail(setup, error, "file", "%s", tac_error_text(&why, text, sizeof text));
}

static TacStatus ball_fill_init(void *data, TacSetup *setup, TacError *error) {
    MeshComponent *self = data;
    TacMesh read = {0};
    TacBallFillDef def = {.shape = (TacFillShape)self->shape,
                          .low = self->low,
                          .high = self->high,
                          .radius = self->radius,
                          .height = self->height,
                          .radii = self->ball_radii.data,
                          .radius_count = self->ball_radii.count,
                          .from = self->depth_from,
                          .to = isnan(self->depth_to) ? INFINITY : self->depth_to,
                          .overlap = self->overlap,
                          .flat = self->flat};
    TacStatus status = def.shape == TAC_FILL_MESH ? find_shape(self, &read, &def.mesh, setup, error) : TAC_OK;
    if (status == TAC_OK) {
        TacError why = {0};
        status = tac_ball_fill(&self->topology.mesh, &def, &why);
        if (error) *error = why;
        status = finish_init(self, setup, status, error);
    }
    tac_mesh_destroy(&read);
    return status;
}

static const TacAttribute ball_fill_attributes[] = {
    {"shape", TAC_CHOICE, offsetof(MeshComponent, shape), "", "mesh", "What is filled.",
     "mesh|sphere|box|cylinder", TAC_ANY, 0},
    {"of", TAC_LINK, offsetof(MeshComponent, of), "", "", "The closed mesh that is filled.", "topology",
     TAC_ANY, 0},
    PLAIN("file", TAC_PATH, file, "", "", "Instead: a file with a closed mesh.", TAC_ANY),
    PLAIN("ball_radii", TAC_REALS, ball_radii, "m", NULL,
          "Of the balls, one or several; large ones are placed first, small ones fill the gaps.",
          TAC_POSITIVE),
    PLAIN("depth_from", TAC_REAL, depth_from, "m", "0",
          "Only what is deeper than this under the surface is filled.", TAC_NOT_NEGATIVE),
    PLAIN("depth_to", TAC_REAL, depth_to, "m", "",
          "Only what is less deep than this: a shell, such as a derm or an epiderm; by default all.",
          TAC_POSITIVE),
    PLAIN("overlap", TAC_REAL, overlap, "1", "0",
          "By how much of the sum of their radii two balls may be nearer to each other than that.",
          TAC_FRACTION),
    PLAIN("flat", TAC_BOOL, flat, "", "false", "Discs in the plane z = 0 instead of balls.", TAC_ANY),
    PLAIN("low", TAC_VECTOR, low, "m", "-0.5 -0.5 -0.5", "The corner of a box with the smallest coordinates.",
          TAC_ANY),
    PLAIN("high", TAC_VECTOR, high, "m", "0.5 0.5 0.5", "The opposite corner.", TAC_ANY),
    PLAIN("radius", TAC_REAL, radius, "m", "0.5", "Of a sphere or a cylinder.", TAC_POSITIVE),
    PLAIN("height", TAC_REAL, height, "m", "1", "Of a cylinder, along y.", TAC_POSITIVE),
    COMMON_ATTRIBUTES,
};

CLASS(tac_ball_fill_class, "BallFill",
      "Balls of several sizes that fill a closed mesh or a primitive, or a layer under its surface: "
      "ball-meshing.",
      ball_fill_init, ball_fill_attributes);
