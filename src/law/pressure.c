// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Pressure: a fluid that pushes on one side of a surface of triangles and quads (SOFA's
// SurfacePressureForceField). Each corner of a triangle (a, b, c) gets p (b - a) x (c - a) / 6, along the normal
// of its winding; quads are two triangles. With `conserving`, the pressure follows the volume enclosed, as
// that of an ideal gas does: p = p0 V0 / V.
//
// The stiffness is what turning and stretching the faces does; it is symmetric where the surface is closed.
// How a gas grows stiffer is left out of it, as in SOFA: it would couple all points. A closed surface has an
// energy, -p V, or -p0 V0 ln(V / V0) of a gas; an open one has none.

#include "base/memory.h"
#include "law/laws.h"

enum { GRAIN = 2048 };

typedef struct Pressure {
    TacLaw law;
    double pressure;
    TacInts given_triangles, given_quads;
    bool conserving, stiff, closed;
    double volume;     // at rest, or as given
    size_t count;      // of triangles
    int32_t *corners;  // three per triangle
    double *pushes;    // per triangle
    uint32_t *start;   // by point: its triangles
    uint32_t *members; // ascending
} Pressure;

static TacVec3 corner(const Pressure *self, const double *x, size_t t, int k) {
    return tac_load3(x + 3 * (size_t)self->corners[3 * t + (size_t)k]);
}

static double volume_of(const Pressure *self, const double *x) {
    double sum = 0;
    for (size_t t = 0; t < self->count; t++)
        sum += tac_dot(tac_cross(corner(self, x, t, 0), corner(self, x, t, 1)), corner(self, x, t, 2));
    return sum / 6;
}

static double pressure_at(const Pressure *self, const double *x) {
    return self->conserving ? self->pressure * self->volume / volume_of(self, x) : self->pressure;
}

typedef struct Call {
    const Pressure *self;
    const TacLawVectors *vectors;
    double factor;
    bool changes;
} Call;

static void push_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    const Pressure *self = c->self;
    const double *x = c->vectors->x[0], *d = c->vectors->v[0];
    for (size_t t = begin; t < end; t++) {
        TacVec3 a = corner(self, x, t, 0), ab = tac_sub(corner(self, x, t, 1), a),
                ac = tac_sub(corner(self, x, t, 2), a), push;
        if (c->changes) {
            TacVec3 da = corner(self, d, t, 0), db = tac_sub(corner(self, d, t, 1), da),
                    dc = tac_sub(corner(self, d, t, 2), da);
            push = tac_add(tac_cross(db, ac), tac_cross(ab, dc));
        } else {
            push = tac_cross(ab, ac);
        }
        tac_store3(self->pushes + 3 * t, tac_scale(push, c->factor));
    }
}

static void gather_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    const Pressure *self = c->self;
    for (size_t p = begin; p < end; p++) {
        TacVec3 sum = {0, 0, 0};
        for (uint32_t i = self->start[p]; i < self->start[p + 1]; i++)
            sum = tac_add(sum, tac_load3(self->pushes + 3 * (size_t)self->members[i]));
        tac_add3(c->vectors->f[0] + 3 * p, sum);
    }
}

static void push_all(Call *call, const TacContext *context) {
    tac_team_run(context->team, call->self->count, GRAIN, push_chunk, call);
    tac_team_run(context->team, call->self->law.matter[0]->count, GRAIN, gather_chunk, call);
}

static void force(void *data, const TacContext *context, const TacLawVectors *vectors) {
    const Pressure *self = data;
    Call call = {self, vectors, pressure_at(self, vectors->x[0]) / 6, false};
    push_all(&call, context);
}

static void force_change(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                         double b) {
    (void)b;
    const Pressure *self = data;
    if (!self->stiff || k == 0) return;
    Call call = {self, vectors, k * pressure_at(self, vectors->x[0]) / 6, true};
    push_all(&call, context);
}

static double energy(void *data, const TacContext *context, const TacLawVectors *vectors) {
    (void)context;
    const Pressure *self = data;
    if (!self->closed) return 0;
    double volume = volume_of(self, vectors->x[0]);
    return self->conserving ? -self->pressure * self->volume * log(volume / self->volume)
                            : -self->pressure * volume;
}

// d(push on every corner) / d(corner k) = s [edge opposite to k]x
static void add_blocks(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                       double b, TacMatrix *matrix) {
    (void)context;
    (void)b;
    const Pressure *self = data;
    if (!self->stiff) return;
    double s = k * pressure_at(self, vectors->x[0]) / 6;
    for (size_t t = 0; t < self->count; t++)
        for (int j = 0; j < 3; j++) {
            TacVec3 e = tac_scale(tac_sub(corner(self, vectors->x[0], t, (j + 2) % 3),
                                          corner(self, vectors->x[0], t, (j + 1) % 3)),
                                  s);
            const double block[9] = {0, -e.z, e.y, e.z, 0, -e.x, -e.y, e.x, 0};
            for (size_t i = 0; i < 3; i++)
                tac_matrix_add(matrix, 0, (size_t)self->corners[3 * t + i], 0,
                               (size_t)self->corners[3 * t + (size_t)j], block);
        }
}

static const TacLawOps ops = {
    .force = force, .force_change = force_change, .energy = energy, .stiffness = add_blocks};

// --- setting up -------------------------------------------------------------------------------------------

// Elements of one kind that are pushed: those listed, or all unless others are listed.
static TacStatus count_faces(TacSetup *setup, const char *name, TacInts given, bool listed, size_t there,
                             size_t *count, TacError *error) {
    *count = listed ? given.count : there;
    for (size_t i = 0; i < given.count; i++)
        if (given.data[i] < 0 || (size_t)given.data[i] >= there)
            return tac_setup_fail(setup, error, name, "the topology has no %s %d; it has %zu of them", name,
                                  given.data[i], there);
    return TAC_OK;
}

static TacStatus take_faces(Pressure *self, const TacMesh *mesh, TacSetup *setup, TacError *error) {
    bool listed = self->given_triangles.count || self->given_quads.count;
    size_t triangles, quads;
    TAC_TRY(count_faces(setup, "triangles", self->given_triangles, listed,
                        mesh->elements[TAC_TRIANGLES].count, &triangles, error));
    TAC_TRY(count_faces(setup, "quads", self->given_quads, listed, mesh->elements[TAC_QUADS].count, &quads,
                        error));
    self->count = triangles + 2 * quads;
    if (!self->count)
        return tac_setup_fail(setup, error, NULL, "the topology has no triangles and no quads to push on");
    self->corners = tac_setup_alloc(setup, 3 * self->count, sizeof *self->corners);
    if (!self->corners) return tac_fail_memory(error, 3 * self->count * sizeof *self->corners);
    for (size_t i = 0; i < triangles; i++) {
        size_t t = listed ? (size_t)self->given_triangles.data[i] : i;
        memcpy(self->corners + 3 * i, mesh->elements[TAC_TRIANGLES].indices + 3 * t, 3 * sizeof(int32_t));
    }
    for (size_t i = 0; i < quads; i++) {
        const int32_t *q =
            mesh->elements[TAC_QUADS].indices + 4 * (listed ? (size_t)self->given_quads.data[i] : i);
        const int32_t two[6] = {q[0], q[1], q[2], q[0], q[2], q[3]};
        memcpy(self->corners + 3 * (triangles + 2 * i), two, sizeof two);
    }
    return TAC_OK;
}

// Triangles by point: a counting sort.
static TacStatus list_members(Pressure *self, TacSetup *setup, TacError *error) {
    size_t points = self->law.matter[0]->count, n = 3 * self->count;
    if (n >= UINT32_MAX) return tac_setup_fail(setup, error, NULL, "has too many faces: %zu", self->count);
    self->start = tac_setup_alloc(setup, points + 1, sizeof *self->start);
    self->members = tac_setup_alloc(setup, n, sizeof *self->members);
    self->pushes = tac_setup_alloc(setup, n, sizeof(double));
    if (!self->start || !self->members || !self->pushes) return tac_fail_memory(error, n * sizeof(double));
    for (size_t i = 0; i < n; i++) self->start[self->corners[i]]++;
    for (size_t p = 1; p <= points; p++) self->start[p] += self->start[p - 1];
    for (size_t i = n; i-- > 0;) self->members[--self->start[self->corners[i]]] = (uint32_t)(i / 3);
    return TAC_OK;
}

typedef struct Side {
    int32_t low, high, up; // up: 1 when it runs from low to high, -1 otherwise
} Side;

static int by_ends(const void *left, const void *right) {
    const Side *a = left, *b = right;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    return a->high < b->high ? -1 : a->high > b->high;
}

// Closed: every edge is run through as often one way as the other.
static TacStatus see_whether_closed(Pressure *self, TacError *error) {
    size_t n = 3 * self->count;
    Side *sides = calloc(n, sizeof *sides);
    if (!sides) return tac_fail_memory(error, n * sizeof *sides);
    for (size_t i = 0; i < n; i++) {
        int32_t a = self->corners[i], b = self->corners[i - i % 3 + (i + 1) % 3];
        sides[i] = a < b ? (Side){a, b, 1} : (Side){b, a, -1};
    }
    qsort(sides, n, sizeof *sides, by_ends);
    self->closed = true;
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (i && by_ends(&sides[i], &sides[i - 1])) {
            self->closed = self->closed && sum == 0;
            sum = 0;
        }
        sum += sides[i].up;
    }
    self->closed = self->closed && sum == 0;
    free(sides);
    return TAC_OK;
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    Pressure *self = data;
    const TacMatter *matter = self->law.matter[0];
    const TacTopology *topology = tac_setup_topology(setup);
    if (!topology || topology->mesh.point_count != matter->count)
        return tac_setup_fail(setup, error, NULL,
                              "needs a topology with as many points as the matter has (%zu)", matter->count);
    TAC_TRY(take_faces(self, &topology->mesh, setup, error));
    TAC_TRY(list_members(self, setup, error));
    TAC_TRY(see_whether_closed(self, error));
    self->law.inner = self->closed; // what it does to all of a closed surface is nothing
    if (isnan(self->volume)) self->volume = volume_of(self, matter->vectors[TAC_X]);
    if (self->conserving && !(self->volume > 0))
        return tac_setup_fail(
            setup, error, "conserving",
            "the surface encloses %g m^3: its faces must be wound so that normals point out", self->volume);
    return TAC_OK;
}

static const TacAttribute attributes[] = {
    TAC_LAW_ATTRIBUTES(Pressure, law),
    {"pressure", TAC_REAL, offsetof(Pressure, pressure), "Pa", "0",
     "Pushes along the normals of the faces' winding; negative against them.", NULL, TAC_ANY, TAC_LIVE},
    {"triangles", TAC_INTS, offsetof(Pressure, given_triangles), "1", "",
     "Which of the topology's triangles are pushed; by default all faces.", NULL, TAC_NOT_NEGATIVE, 0},
    {"quads", TAC_INTS, offsetof(Pressure, given_quads), "1", "",
     "Which of the topology's quads are pushed; by default all faces.", NULL, TAC_NOT_NEGATIVE, 0},
    {"conserving", TAC_BOOL, offsetof(Pressure, conserving), "", "false",
     "Whether the pressure grows as the volume shrinks, like that of a gas.", NULL, TAC_ANY, 0},
    {"volume", TAC_REAL, offsetof(Pressure, volume), "m^3", "",
     "At which the pressure is the one given; by default the volume at the start.", NULL, TAC_POSITIVE, 0},
    {"stiff", TAC_BOOL, offsetof(Pressure, stiff), "", "true",
     "Whether implicit solvers see how turning faces changes the force.", NULL, TAC_ANY, 0},
};

const TacClass tac_pressure_class = {
    .name = "Pressure",
    .kind = TAC_KIND_LAW,
    .doc = "A pressure on the triangles and quads of a surface, constant or like that of an enclosed gas.",
    .size = sizeof(Pressure),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .kinds = 1u << TAC_VEC3,
    .init = init,
    .ops.law = &ops,
};
