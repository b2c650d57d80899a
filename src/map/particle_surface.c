// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// ParticleSurface: loose triangles that wrap particles, as the fluids of the SOFA slides are shown ("more advanced
// mapping can be applied to fluids"). Every particle is a bump in a field,
//
//     phi(x) = sum_i (1 - |x - x_i|^2 / R^2)^3      over those nearer than R
//
// and the surface is where phi is `level`: found on a lattice of cells, each cut into six tetrahedra around the same
// diagonal, so that neighbours agree on their faces and the surface has no holes (marching tetrahedra; Doi and Koide
// 1991). The child is three points for each triangle, of which there is a fixed number (see Shards): those that are
// not needed lie on the first particle, and where there are too few the surface ends. When particles spread so far
// that the lattice would need more than `nodes` nodes, its cells grow.
//
// A point of the surface moves with the particles around it, weighed by their bumps there, and its force goes to them
// by the same weights: work is kept. One thread; sums are in a fixed order.

#include "base/memory.h"
#include "law/neighbours.h"
#include "map/maps.h"
#include "map/setup.h"

enum { MOST_WIDENINGS = 200 };

typedef struct ParticleSurface {
    TacMap map;
    double radius, level, cell;
    int64_t nodes;
    TacNeighbours particles;
    double *field;
} ParticleSurface;

// --- particles around a point -----------------------------------------------------------------------------

static double bump(double square, double radius) {
    double s = 1 - square / (radius * radius);
    return s > 0 ? s * s * s : 0;
}

typedef void (*Visit)(void *data, uint32_t particle, double weight);

static int32_t cell_of(double x, double reach) {
    double c = floor(x / reach);
    return fabs(c) < 1e9 ? (int32_t)c : 0;
}

// All particles nearer than the radius, in the order in which they stand in the grid.
static void visit_around(const ParticleSurface *self, const double *x, Visit visit, void *data) {
    const TacNeighbours *grid = &self->particles;
    int32_t at[3] = {cell_of(x[0], grid->reach), cell_of(x[1], grid->reach), cell_of(x[2], grid->reach)};
    for (int32_t c = 0; c < 27; c++) {
        int32_t cell[3] = {at[0] + c % 3 - 1, at[1] + c / 3 % 3 - 1, at[2] + c / 9 - 1};
        uint32_t bucket =
            ((uint32_t)cell[0] * 73856093u ^ (uint32_t)cell[1] * 19349663u ^ (uint32_t)cell[2] * 83492791u) &
            grid->mask;
        for (uint32_t s = grid->start[bucket]; s < grid->start[bucket + 1]; s++) {
            const TacNeighbour *p = &grid->sorted[s];
            if (memcmp(p->cell, cell, sizeof cell) != 0) continue;
            double d[3] = {p->x[0] - x[0], p->x[1] - x[1], p->x[2] - x[2]};
            double w = bump(d[0] * d[0] + d[1] * d[1] + d[2] * d[2], self->radius);
            if (w > 0) visit(data, p->index, w);
        }
    }
}

typedef struct Sum {
    const double *from;
    double *to;
    double all, value[3];
} Sum;

static void add_weight(void *data, uint32_t particle, double weight) {
    (void)particle;
    ((Sum *)data)->all += weight;
}

static void add_velocity(void *data, uint32_t particle, double weight) {
    Sum *sum = data;
    sum->all += weight;
    for (int k = 0; k < 3; k++) sum->value[k] += weight * sum->from[3 * (size_t)particle + (size_t)k];
}

static void add_force(void *data, uint32_t particle, double weight) {
    const Sum *sum = data;
    for (int k = 0; k < 3; k++)
        sum->to[3 * (size_t)particle + (size_t)k] += weight / sum->all * sum->value[k];
}

// --- the lattice ------------------------------------------------------------------------------------------

typedef struct Lattice {
    double cell, low[3];
    size_t n[3]; // nodes
} Lattice;

// Around all particles; its nodes stand at whole multiples of the cell. False where particles are nowhere.
static bool lay_lattice(const ParticleSurface *self, const double *x, Lattice *lattice) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < 3 * self->map.parent->count; i++) {
        if (!isfinite(x[i])) return false;
        low[i % 3] = fmin(low[i % 3], x[i]);
        high[i % 3] = fmax(high[i % 3], x[i]);
    }
    lattice->cell = self->cell;
    for (int round = 0; round < MOST_WIDENINGS; round++, lattice->cell *= 1.25) {
        double all = 1, count[3];
        for (int k = 0; k < 3; k++) {
            double from = floor((low[k] - self->radius) / lattice->cell),
                   to = ceil((high[k] + self->radius) / lattice->cell);
            count[k] = to - from + 1;
            lattice->low[k] = from * lattice->cell;
            all *= count[k];
        }
        if (!(all <= (double)self->nodes)) continue;
        for (int k = 0; k < 3; k++) lattice->n[k] = (size_t)count[k];
        return true;
    }
    return false;
}

static void node_place(const Lattice *lattice, size_t x, size_t y, size_t z, double p[3]) {
    p[0] = lattice->low[0] + lattice->cell * (double)x;
    p[1] = lattice->low[1] + lattice->cell * (double)y;
    p[2] = lattice->low[2] + lattice->cell * (double)z;
}

static void fill_field(ParticleSurface *self, const Lattice *lattice, const double *x) {
    const size_t *n = lattice->n;
    memset(self->field, 0, n[0] * n[1] * n[2] * sizeof *self->field);
    for (size_t i = 0; i < self->map.parent->count; i++) {
        size_t from[3], to[3];
        for (int k = 0; k < 3; k++) {
            double at = x[3 * i + (size_t)k] - lattice->low[k];
            from[k] = (size_t)fmax(0, ceil((at - self->radius) / lattice->cell));
            to[k] = (size_t)fmax(0, floor((at + self->radius) / lattice->cell));
            if (to[k] >= n[k]) to[k] = n[k] - 1;
        }
        for (size_t c = from[2]; c <= to[2]; c++)
            for (size_t b = from[1]; b <= to[1]; b++)
                for (size_t a = from[0]; a <= to[0]; a++) {
                    double p[3], square = 0;
                    node_place(lattice, a, b, c, p);
                    for (int k = 0; k < 3; k++) {
                        double d = p[k] - x[3 * i + (size_t)k];
                        square += d * d;
                    }
                    self->field[a + n[0] * (b + n[1] * c)] += bump(square, self->radius);
                }
    }
}

// --- triangles --------------------------------------------------------------------------------------------

typedef struct Shards {
    double *out;
    size_t count, most; // triangles
} Shards;

typedef struct Corner {
    TacVec3 at;
    double above; // phi - level
} Corner;

// Where the field is at its level between two corners; the same point whichever comes first.
static TacVec3 crossing(const Corner *a, const Corner *b) {
    bool turn = a->at.x != b->at.x   ? a->at.x > b->at.x
                : a->at.y != b->at.y ? a->at.y > b->at.y
                                     : a->at.z > b->at.z;
    const Corner *first = turn ? b : a, *last = turn ? a : b;
    double s = first->above / (first->above - last->above);
    return tac_axpy(first->at, s, tac_sub(last->at, first->at));
}

// A triangle that looks away from `inside`.
static void emit(Shards *shards, TacVec3 a, TacVec3 b, TacVec3 c, TacVec3 inside) {
    if (shards->count == shards->most) return;
    TacVec3 normal = tac_cross(tac_sub(b, a), tac_sub(c, a));
    bool turn = tac_dot(normal, tac_sub(a, inside)) < 0;
    double *out = shards->out + 9 * shards->count++;
    tac_store3(out, a);
    tac_store3(out + 3, turn ? c : b);
    tac_store3(out + 6, turn ? b : c);
}

static void cut_tetrahedron(Shards *shards, const Corner *const t[4]) {
    const Corner *in[4], *out[4];
    int ins = 0, outs = 0;
    for (int i = 0; i < 4; i++)
        if (t[i]->above >= 0)
            in[ins++] = t[i];
        else
            out[outs++] = t[i];
    if (!ins || !outs) return;
    if (ins == 2) {
        TacVec3 p[4] = {crossing(in[0], out[0]), crossing(in[0], out[1]), crossing(in[1], out[1]),
                        crossing(in[1], out[0])};
        TacVec3 inside = tac_scale(tac_add(in[0]->at, in[1]->at), 0.5);
        emit(shards, p[0], p[1], p[2], inside);
        emit(shards, p[0], p[2], p[3], inside);
        return;
    }
    const Corner *one = ins == 1 ? in[0] : out[0], *const *others = ins == 1 ? out : in;
    TacVec3 p[3] = {crossing(one, others[0]), crossing(one, others[1]), crossing(one, others[2])};
    // from the outside, the one that is alone is what the triangle looks at
    TacVec3 inside =
        ins == 1 ? one->at : tac_sub(tac_scale(tac_add(p[0], tac_add(p[1], p[2])), 2.0 / 3), one->at);
    emit(shards, p[0], p[1], p[2], inside);
}

static void cut_cell(const ParticleSurface *self, const Lattice *lattice, size_t x, size_t y, size_t z,
                     Shards *shards) {
    static const size_t corners[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                         {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    static const int ring[7] = {1, 2, 3, 7, 4, 5, 1};
    Corner c[8];
    int above = 0;
    for (int i = 0; i < 8; i++) {
        size_t at[3] = {x + corners[i][0], y + corners[i][1], z + corners[i][2]};
        double p[3];
        c[i].above = self->field[at[0] + lattice->n[0] * (at[1] + lattice->n[1] * at[2])] - self->level;
        node_place(lattice, at[0], at[1], at[2], p);
        c[i].at = tac_load3(p);
        above += c[i].above >= 0;
    }
    if (above == 0 || above == 8) return;
    for (int k = 0; k < 6; k++) {
        const Corner *const t[4] = {&c[0], &c[6], &c[ring[k]], &c[ring[k + 1]]};
        cut_tetrahedron(shards, t);
    }
}

// --- operations -------------------------------------------------------------------------------------------

static void position(void *data, const TacContext *context, const double *parent, double *child) {
    (void)context;
    ParticleSurface *self = data;
    Shards shards = {.out = child, .most = self->map.child->count / 3};
    Lattice lattice;
    if (lay_lattice(self, parent, &lattice)) {
        fill_field(self, &lattice, parent);
        for (size_t z = 0; z + 1 < lattice.n[2]; z++)
            for (size_t y = 0; y + 1 < lattice.n[1]; y++)
                for (size_t x = 0; x + 1 < lattice.n[0]; x++) cut_cell(self, &lattice, x, y, z, &shards);
    }
    for (size_t i = 3 * shards.count; i < self->map.child->count; i++)
        memcpy(child + 3 * i, parent, 3 * sizeof *child);
}

static void velocity(void *data, const TacContext *context, const double *px, const double *cx,
                     const double *parent_v, double *child_v) {
    (void)context;
    ParticleSurface *self = data;
    tac_neighbours_sort(&self->particles, px, 3, 3);
    for (size_t i = 0; i < self->map.child->count; i++) {
        // what is not needed lies in one place
        if (i > 0 && !memcmp(cx + 3 * i, cx + 3 * (i - 1), 3 * sizeof *cx)) {
            memcpy(child_v + 3 * i, child_v + 3 * (i - 1), 3 * sizeof *child_v);
            continue;
        }
        Sum sum = {.from = parent_v};
        visit_around(self, cx + 3 * i, add_velocity, &sum);
        for (size_t k = 0; k < 3; k++) child_v[3 * i + k] = sum.all > 0 ? sum.value[k] / sum.all : 0;
    }
}

static void force(void *data, const TacContext *context, const double *px, const double *cx,
                  const double *child_f, double *parent_f) {
    (void)context;
    ParticleSurface *self = data;
    tac_neighbours_sort(&self->particles, px, 3, 3);
    for (size_t i = 0; i < self->map.child->count; i++) {
        if (child_f[3 * i] == 0 && child_f[3 * i + 1] == 0 && child_f[3 * i + 2] == 0) continue;
        Sum sum = {.to = parent_f};
        memcpy(sum.value, child_f + 3 * i, sizeof sum.value);
        visit_around(self, cx + 3 * i, add_weight, &sum);
        if (sum.all > 0) visit_around(self, cx + 3 * i, add_force, &sum);
    }
}

static const TacMapOps ops = {.position = position, .velocity = velocity, .force = force};

// --- setting up -------------------------------------------------------------------------------------------

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    ParticleSurface *self = data;
    const TacMatter *parent = self->map.parent, *child = self->map.child;
    TAC_TRY(tac_map_check_same_kind(&self->map, setup, error));
    if (parent->kind != TAC_VEC3)
        return tac_setup_fail(setup, error, NULL, "wraps points in space; %s is %s", parent->base.path,
                              tac_matter_kind_name(parent->kind));
    if (child->count % 3)
        return tac_setup_fail(setup, error, NULL,
                              "%s has %zu points; three for each triangle were expected, as Shards has them",
                              child->base.path, child->count);
    if (!(self->level < 1))
        return tac_setup_fail(setup, error, "level",
                              "level is %g; it must be above 0 and below 1, the height of one "
                              "particle's bump",
                              self->level);
    if (isnan(self->cell)) self->cell = self->radius / 3;
    if (self->nodes < 64 || self->nodes > 100000000)
        return tac_setup_fail(setup, error, "nodes", "nodes is %lld; 64 to 100,000,000 were expected",
                              (long long)self->nodes);
    TAC_TRY(tac_neighbours_create(&self->particles, setup, parent->count, self->radius, error));
    self->field = tac_setup_alloc(setup, (size_t)self->nodes, sizeof *self->field);
    if (!self->field) return tac_fail_memory(error, (size_t)self->nodes * sizeof *self->field);
    tac_map_place_child(&self->map);
    return TAC_OK;
}

static const TacAttribute attributes[] = {
    TAC_MAP_ATTRIBUTES(ParticleSurface, map),
    {"radius", TAC_REAL, offsetof(ParticleSurface, radius), "m", NULL, "How far a particle reaches.", NULL,
     TAC_POSITIVE, 0},
    {"level", TAC_REAL, offsetof(ParticleSurface, level), "1", "0.3",
     "Where the surface is: the sum of the particles' bumps there, each of which is 1 at its middle. Below "
     "1.",
     NULL, TAC_POSITIVE, 0},
    {"cell", TAC_REAL, offsetof(ParticleSurface, cell), "m", "",
     "How fine the surface is; by default a third of the radius.", NULL, TAC_POSITIVE, 0},
    {"nodes", TAC_INT, offsetof(ParticleSurface, nodes), "1", "200000",
     "The most nodes of the lattice; where more were needed, cells grow.", NULL, TAC_POSITIVE, 0},
};

const TacClass tac_particle_surface_class = {
    .name = "ParticleSurface",
    .kind = TAC_KIND_MAP,
    .doc = "A closed surface of loose triangles around particles, made anew as they move: how fluids look. "
           "Its points "
           "are three for each triangle, as Shards gives them.",
    .size = sizeof(ParticleSurface),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .init = init,
    .ops.map = &ops,
};
