// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Beams between frames, along the topology's edges: twelve degrees of freedom, linear in their own frame,
// which turns with the first end (Przemieniecki, "Theory of matrix structural analysis", 1968, section 5.6;
// SOFA's BeamFEMForceField has the same matrix and frame).
//
// Seen from the first end a, the second end b has moved by d (3) and turned by t (3: a rotation vector) from
// where it is at rest. With the 12x12 matrix K of a straight beam,
//
//     forces and torques = -R K (0, 0, d, t)
//
// both ends, R from the beam's axes to the world. K balances forces, and torques as long as d is small beside
// the length. A change of force is -R K R^T applied to the changes of both ends, R held.
//
// Two choices of axes: along the edge at rest, or (`axes` frame, SOFA's) those of frame a, whose x must then
// lie along the beam, and t is seen from b at rest.

#include "base/memory.h"
#include "law/elements.h"
#include "law/laws.h"

typedef enum BeamAxes { AXES_EDGE, AXES_FRAME } BeamAxes;

// A section, as far as stress needs it: its area (m^2), and what turns moments into the stress at its rim (m^3).
typedef struct Rim {
    double area, bend_y, bend_z, twist;
    bool round;
} Rim;

typedef struct Beam {
    double k[12][12];
    Rim rim;
    TacVec3 arm;      // from a to b at rest, in frame a
    TacQuat turn;     // from frame a to frame b at rest
    TacQuat section;  // from the beam's axes to frame a
    TacMat3 rotation; // R as of the last force
} Beam;

typedef struct Beams {
    TacLaw law;
    TacReals young, poisson, radius, inner_radius, width, height;
    TacInts given_edges;
    int axes; // BeamAxes
    bool shear;
    TacElements elements;
    Beam *beams;
} Beams;

typedef struct Call {
    Beams *self;
    const TacLawVectors *vectors;
    double k;
} Call;

// --- one beam ---------------------------------------------------------------------------------------------

// The rotation vector of a quaternion, at most half a turn.
static TacVec3 rotation_vector(TacQuat q) {
    if (q.w < 0) q = (TacQuat){-q.x, -q.y, -q.z, -q.w};
    TacVec3 axis = {q.x, q.y, q.z};
    double sine = tac_norm(axis);
    // 2 atan(s / c) / s by its first term where s is small
    double scale = sine < 1e-9 ? 2 / (q.w > 0 ? q.w : 1) : 2 * atan2(sine, q.w) / sine;
    return tac_scale(axis, scale);
}

// Displacement and rotation of b seen from a, in the beam's axes; and these axes.
static void deform(const Beams *self, const Beam *beam, const double *a, const double *b, double d[6],
                   TacQuat *axes) {
    TacQuat qa = tac_quat_unit(tac_load_quat(a + 3)), qb = tac_quat_unit(tac_load_quat(b + 3));
    TacQuat turn = tac_quat_mul(tac_quat_conjugate(qa), qb), rest_back = tac_quat_conjugate(beam->turn);
    TacVec3 moved = tac_sub(tac_rotate_back(qa, tac_sub(tac_load3(b), tac_load3(a))), beam->arm);
    bool frame = self->axes == AXES_FRAME;
    TacVec3 turned = rotation_vector(frame ? tac_quat_mul(rest_back, turn) : tac_quat_mul(turn, rest_back));
    tac_store3(d, tac_rotate_back(beam->section, moved));
    tac_store3(d + 3, tac_rotate_back(beam->section, turned));
    *axes = tac_quat_mul(qa, beam->section);
}

// K[., first..] d
static void local_forces(const Beam *beam, const double *d, int first, double local[12]) {
    for (int i = 0; i < 12; i++) {
        local[i] = 0;
        for (int j = first; j < 12; j++) local[i] += beam->k[i][j] * d[j - first];
    }
}

// f = scale R K[., first..] d
static void beam_forces(const Beam *beam, const TacMat3 *r, const double *d, int first, double scale,
                        double *out) {
    double local[12];
    local_forces(beam, d, first, local);
    for (int i = 0; i < 12; i += 3)
        tac_store3(out + i, tac_scale(tac_mat3_apply(r, tac_load3(local + i)), scale));
}

// --- operations -------------------------------------------------------------------------------------------

static void batch_forces(const void *data, size_t batch, double *out) {
    const Call *c = data;
    const double *x = c->vectors->x[0];
    size_t used = tac_elements_used(&c->self->elements, batch);
    for (size_t lane = 0; lane < used; lane++) {
        size_t e = TAC_WIDTH * batch + lane;
        const int32_t *v = c->self->elements.nodes + 2 * e;
        Beam *beam = &c->self->beams[e];
        double d[6];
        TacQuat axes;
        deform(c->self, beam, x + 7 * (size_t)v[0], x + 7 * (size_t)v[1], d, &axes);
        beam->rotation = tac_quat_matrix(axes);
        beam_forces(beam, &beam->rotation, d, 6, -1, out + 12 * lane);
    }
}

static void batch_changes(const void *data, size_t batch, double *out) {
    const Call *c = data;
    size_t used = tac_elements_used(&c->self->elements, batch);
    for (size_t lane = 0; lane < used; lane++) {
        size_t e = TAC_WIDTH * batch + lane;
        const int32_t *v = c->self->elements.nodes + 2 * e;
        const Beam *beam = &c->self->beams[e];
        double d[12];
        for (size_t i = 0; i < 4; i++) {
            const double *from = c->vectors->v[0] + 6 * (size_t)v[i / 2] + 3 * (i % 2);
            tac_store3(d + 3 * i, tac_mat3_apply_back(&beam->rotation, tac_load3(from)));
        }
        beam_forces(beam, &beam->rotation, d, 0, -c->k, out + 12 * lane);
    }
}

static void force(void *data, const TacContext *context, const TacLawVectors *vectors) {
    Beams *self = data;
    Call call = {.self = self, .vectors = vectors};
    tac_elements_force(&self->elements, context->team, batch_forces, &call, vectors->f[0]);
}

static void force_change(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                         double b) {
    (void)b;
    Beams *self = data;
    Call call = {.self = self, .vectors = vectors, .k = k};
    if (k != 0) tac_elements_force(&self->elements, context->team, batch_changes, &call, vectors->f[0]);
}

static void batch_energy(const void *data, size_t batch, double *each) {
    const Call *c = data;
    const double *x = c->vectors->x[0];
    size_t used = tac_elements_used(&c->self->elements, batch);
    for (size_t lane = 0; lane < used; lane++) {
        size_t e = TAC_WIDTH * batch + lane;
        const int32_t *v = c->self->elements.nodes + 2 * e;
        const Beam *beam = &c->self->beams[e];
        double d[6];
        TacQuat axes;
        deform(c->self, beam, x + 7 * (size_t)v[0], x + 7 * (size_t)v[1], d, &axes);
        each[lane] = 0;
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++) each[lane] += 0.5 * d[i] * beam->k[6 + i][6 + j] * d[j];
    }
}

static double energy(void *data, const TacContext *context, const TacLawVectors *vectors) {
    Beams *self = data;
    Call call = {.self = self, .vectors = vectors};
    return tac_elements_energy(&self->elements, context->team, batch_energy, &call);
}

// The block of ends i and j: R K R^T in four parts.
static void end_block(const Beam *beam, int i, int j, double k, double block[36]) {
    TacMat3 back = tac_mat3_transpose(&beam->rotation);
    for (int p = 0; p < 4; p++) {
        int row = 3 * (p / 2), column = 3 * (p % 2);
        TacMat3 part;
        for (int q = 0; q < 9; q++)
            part.m[q / 3][q % 3] = beam->k[6 * i + row + q / 3][6 * j + column + q % 3];
        part = tac_mat3_mul(&beam->rotation, &part);
        part = tac_mat3_mul(&part, &back);
        for (int q = 0; q < 9; q++) block[6 * (row + q / 3) + column + q % 3] = -k * part.m[q / 3][q % 3];
    }
}

static void stiffness(void *data, const TacContext *context, const TacLawVectors *vectors, double k, double b,
                      TacMatrix *matrix) {
    (void)context;
    (void)vectors;
    (void)b;
    const Beams *self = data;
    for (size_t e = 0; e < self->elements.count; e++) {
        const int32_t *v = self->elements.nodes + 2 * e;
        for (int n = 0; n < 4; n++) {
            double block[36];
            end_block(&self->beams[e], n / 2, n % 2, k, block);
            tac_matrix_add(matrix, 0, (size_t)v[n / 2], 0, (size_t)v[n % 2], block);
        }
    }
}

static size_t part_count(const void *data) {
    return ((const Beams *)data)->elements.count;
}

static void part(const void *data, size_t e, TacPart *result) {
    const int32_t *v = ((const Beams *)data)->elements.nodes + 2 * e;
    *result = (TacPart){.points = {(size_t)v[0], (size_t)v[1]}, .count = 2};
}

static const TacLawOps ops = {.force = force,
                              .force_change = force_change,
                              .energy = energy,
                              .stiffness = stiffness,
                              .part_count = part_count,
                              .part = part};

// --- setting up -------------------------------------------------------------------------------------------

typedef struct Section {
    double area, iy, iz, torsion; // m^2; m^4
    double shear_area;            // m^2, for Timoshenko's beams
    Rim rim;
} Section;

static Section round_section(double outer, double inner, double nu) {
    double area = TAC_PI * (outer * outer - inner * inner);
    double i = TAC_PI * (outer * outer * outer * outer - inner * inner * inner * inner) / 4;
    Rim rim = {area, i / outer, i / outer, 2 * i / outer, true};
    return (Section){area, i, i, 2 * i, area * 6 * (1 + nu) / (7 + 6 * nu), rim};
}

static Section rectangular_section(double width, double height, double nu) {
    double area = width * height, a = fmax(width, height), b = fmin(width, height), ratio = b / a;
    // Saint-Venant's torsion, to 0.5 %
    double torsion = a * b * b * b * (1.0 / 3 - 0.21 * ratio * (1 - ratio * ratio * ratio * ratio / 12));
    // the shear of torsion is largest in the middle of the longer side (Roark, to some percent)
    Rim rim = {area, area * height / 6, area * width / 6, a * b * b / (3 + 1.8 * ratio), false};
    return (Section){area,    width * height * height * height / 12, height * width * width * width / 12,
                     torsion, area * 10 * (1 + nu) / (12 + 11 * nu), rim};
}

// K of a straight beam along x, with Timoshenko's shear where shear_area is not 0.
static void fill_matrix(double k[12][12], const Section *s, double young, double nu, double length,
                        bool shear) {
    double g = young / (2 * (1 + nu)), l2 = length * length;
    double eiy = young * s->iy, eiz = young * s->iz;
    double phi_y = shear ? 12 * eiz / (g * s->shear_area * l2) : 0;
    double phi_z = shear ? 12 * eiy / (g * s->shear_area * l2) : 0;
    double y = eiz / (1 + phi_y), z = eiy / (1 + phi_z);
    memset(k, 0, 144 * sizeof(double));
    k[0][0] = k[6][6] = young * s->area / length;
    k[1][1] = k[7][7] = 12 * y / (l2 * length);
    k[2][2] = k[8][8] = 12 * z / (l2 * length);
    k[3][3] = k[9][9] = g * s->torsion / length;
    k[4][4] = k[10][10] = (4 + phi_z) * z / length;
    k[5][5] = k[11][11] = (4 + phi_y) * y / length;
    k[6][0] = -k[0][0];
    k[7][1] = -k[1][1];
    k[8][2] = -k[2][2];
    k[9][3] = -k[3][3];
    k[10][4] = (2 - phi_z) * z / length;
    k[11][5] = (2 - phi_y) * y / length;
    k[4][2] = k[10][2] = -6 * z / l2;
    k[8][4] = k[10][8] = 6 * z / l2;
    k[5][1] = k[11][1] = 6 * y / l2;
    k[7][5] = k[11][7] = -6 * y / l2;
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < i; j++) k[j][i] = k[i][j];
}

// The least rotation that takes x to a unit vector.
static TacQuat turn_from_x(TacVec3 to) {
    if (to.x < -1 + 1e-12) return (TacQuat){0, 0, 1, 0};
    return tac_quat_unit((TacQuat){0, -to.z, to.y, 1 + to.x});
}

static TacStatus fill_beam(Beams *self, TacSetup *setup, size_t e, TacError *error) {
    const int32_t *v = self->elements.nodes + 2 * e;
    const double *x = self->law.matter[0]->vectors[TAC_X_REST];
    const double *a = x + 7 * (size_t)v[0], *b = x + 7 * (size_t)v[1];
    TacQuat qa = tac_quat_unit(tac_load_quat(a + 3)), qb = tac_quat_unit(tac_load_quat(b + 3));
    Beam *beam = &self->beams[e];
    beam->arm = tac_rotate_back(qa, tac_sub(tac_load3(b), tac_load3(a)));
    beam->turn = tac_quat_mul(tac_quat_conjugate(qa), qb);
    double length = tac_norm(beam->arm);
    if (!(length > 0) || !isfinite(length))
        return tac_setup_fail(setup, error, NULL, "beam %zu (frames %d %d) has no length at rest", e, v[0],
                              v[1]);
    beam->section = self->axes == AXES_FRAME ? tac_quat_identity() : turn_from_x(tac_unit(beam->arm));
    beam->rotation = tac_quat_matrix(tac_quat_mul(qa, beam->section));

    double young = tac_elements_value(self->young, e), nu = tac_elements_value(self->poisson, e);
    double outer = tac_elements_value(self->radius, e), inner = tac_elements_value(self->inner_radius, e);
    if (!self->width.count && !(inner < outer))
        return tac_setup_fail(setup, error, "inner_radius", "inner_radius is %g; it must be below radius, %g",
                              inner, outer);
    Section section = self->width.count ? rectangular_section(tac_elements_value(self->width, e),
                                                              tac_elements_value(self->height, e), nu)
                                        : round_section(outer, inner, nu);
    fill_matrix(beam->k, &section, young, nu, length, self->shear);
    beam->rim = section.rim;
    return TAC_OK;
}

// All edges of the topology, or those that are listed.
static TacStatus take_edges(Beams *self, TacSetup *setup, TacError *error) {
    const TacMesh *mesh;
    TAC_TRY(tac_elements_mesh(&mesh, setup, self->law.matter[0], "edges", error));
    const int32_t *all = mesh->elements[TAC_EDGES].indices;
    size_t count = mesh->elements[TAC_EDGES].count;
    TacElementsDef def = {"edges", all, count, 2, 6, mesh->point_count, false};
    if (self->given_edges.count) {
        def.count = self->given_edges.count;
        int32_t *some = tac_setup_alloc(setup, 2 * def.count, sizeof *some);
        if (!some) return tac_fail_memory(error, 2 * def.count * sizeof *some);
        for (size_t i = 0; i < def.count; i++) {
            int32_t edge = self->given_edges.data[i];
            if (edge < 0 || (size_t)edge >= count)
                return tac_setup_fail(setup, error, "edges", "there is no edge %d; the topology has %zu",
                                      edge, count);
            some[2 * i] = all[2 * edge];
            some[2 * i + 1] = all[2 * edge + 1];
        }
        def.indices = some;
    }
    return tac_elements_make(&self->elements, setup, &def, error);
}

static TacStatus check_numbers(const Beams *self, TacSetup *setup, TacError *error) {
    const char *const names[] = {"young", "poisson", "radius", "inner_radius", "width", "height"};
    const TacReals lists[] = {self->young,        self->poisson, self->radius,
                              self->inner_radius, self->width,   self->height};
    if ((self->width.count == 0) != (self->height.count == 0))
        return tac_setup_fail(setup, error, self->width.count ? "width" : "height",
                              "a rectangular section needs both width and height");
    for (size_t i = 0; i < TAC_COUNT(names); i++)
        if (lists[i].count || i < 4)
            TAC_TRY(tac_elements_check(setup, names[i], lists[i], self->elements.count, error));
    return tac_elements_check_poisson(setup, self->poisson, 1, error);
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    Beams *self = data;
    self->law.inner = self->law.lopsided = true; // they balance as if they were not bent
    TAC_TRY(take_edges(self, setup, error));
    TAC_TRY(check_numbers(self, setup, error));
    self->beams = tac_setup_alloc(setup, self->elements.count, sizeof *self->beams);
    if (!self->beams) return tac_fail_memory(error, self->elements.count * sizeof *self->beams);
    for (size_t e = 0; e < self->elements.count; e++) TAC_TRY(fill_beam(self, setup, e, error));
    return TAC_OK;
}

static const TacAttribute attributes[] = {
    TAC_LAW_ATTRIBUTES(Beams, law),
    {"young", TAC_REALS, offsetof(Beams, young), "Pa", NULL,
     "Young's modulus: one for all beams, or one each.", NULL, TAC_POSITIVE, 0},
    {"poisson", TAC_REALS, offsetof(Beams, poisson), "1", "0.3",
     "Poisson's ratio, for torsion and shear: one for all beams, or one each.", NULL, TAC_NOT_NEGATIVE, 0},
    {"radius", TAC_REALS, offsetof(Beams, radius), "m", "0.1",
     "Of a round section: one for all beams, or one each.", NULL, TAC_POSITIVE, 0},
    {"inner_radius", TAC_REALS, offsetof(Beams, inner_radius), "m", "0",
     "Of a pipe's bore: one for all beams, or one each.", NULL, TAC_NOT_NEGATIVE, 0},
    {"width", TAC_REALS, offsetof(Beams, width), "m", "",
     "Of a rectangular section, along y of its axes; instead of radius.", NULL, TAC_POSITIVE, 0},
    {"height", TAC_REALS, offsetof(Beams, height), "m", "",
     "Of a rectangular section, along z of its axes; instead of radius.", NULL, TAC_POSITIVE, 0},
    {"shear", TAC_BOOL, offsetof(Beams, shear), "", "false",
     "Short beams give way to shear too (Timoshenko); otherwise sections stay square to the axis "
     "(Euler-Bernoulli).",
     NULL, TAC_ANY, 0},
    {"axes", TAC_CHOICE, offsetof(Beams, axes), "", "edge",
     "Where a beam's x lies: along its edge at rest (edge), or along x of its first frame (frame, as in "
     "SOFA).",
     "edge|frame", TAC_ANY, 0},
    {"edges", TAC_INTS, offsetof(Beams, given_edges), "1", "",
     "The edges of the topology that are beams; by default all.", NULL, TAC_NOT_NEGATIVE, 0},
};

// Von Mises' stress at the rim of a section, from the force along the beam and the moments there: pull and bending
// together, and the shear of torsion. (The shear across the beam is nothing at the rim.)
static double rim_stress(const Rim *rim, double pull, const double moment[3]) {
    double y = moment[1] / rim->bend_y, z = moment[2] / rim->bend_z, shear = moment[0] / rim->twist;
    double along = fabs(pull) / rim->area + (rim->round ? hypot(y, z) : fabs(y) + fabs(z));
    return sqrt(along * along + 3 * shear * shear);
}

// The pull along each beam, or the stress of its ends, as shown.
static void scalars(const void *data, TacScalar what, TacScalarSheet *sheet) {
    const Beams *self = data;
    const TacMatter *m = self->law.matter[0];
    const double *x = m->vectors[TAC_X_SHOWN];
    bool tension = what == TAC_SCALAR_TENSION, stress = what == TAC_SCALAR_STRESS;
    float *to = tension || stress ? tac_scalar_sheet_of(sheet, m) : NULL;
    for (size_t e = 0; to && e < self->elements.count; e++) {
        const int32_t *v = self->elements.nodes + 2 * e;
        const Beam *beam = &self->beams[e];
        double d[6], local[12];
        TacQuat axes;
        deform(self, beam, x + 7 * (size_t)v[0], x + 7 * (size_t)v[1], d, &axes);
        local_forces(beam, d, 6, local);
        for (size_t end = 0; end < 2; end++)
            tac_scalar_raise(to + v[end],
                             tension ? local[6] : rim_stress(&beam->rim, local[6], local + 6 * end + 3));
    }
}

const TacClass tac_beams_class = {
    .name = "Beams",
    .kind = TAC_KIND_LAW,
    .doc = "Elastic beams between frames, along the topology's edges: stretch, shear, bending and torsion of "
           "straight linear elements that turn with their first end (corotational), as SOFA's "
           "BeamFEMForceField.",
    .size = sizeof(Beams),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .kinds = 1u << TAC_RIGID3,
    .init = init,
    .ops.law = &ops,
    .scalars = scalars,
};
