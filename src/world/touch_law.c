// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Forces of hands, pins and the sphere on one matter. With p the place held, r its arm on a frame:
//
//     f = k (target - p) - c dp/dt,  torque r x f;      the sphere: f = k (R - |p - c|) n
//
// In the stiffness the arm's turning is left out: what is left is symmetric and never pushes.

#include "world/touch_law.h"
#include "base/memory.h"
#include "world/world.h"

// --- places -----------------------------------------------------------------------------------------------

static TacVec3 arm_of(const TacMatter *m, const TacHold *hold, const double *x) {
    const double *p = x + (size_t)m->position_size * hold->point;
    if (m->kind == TAC_RIGID3) return tac_rotate(tac_load_quat(p + 3), hold->local);
    if (m->kind != TAC_RIGID2) return tac_vec3(0, 0, 0);
    double c = cos(p[2]), s = sin(p[2]);
    return tac_vec3(c * hold->local.x - s * hold->local.y, s * hold->local.x + c * hold->local.y, 0);
}

// Numbers of a place in the vectors of this kind.
static size_t dimensions(TacMatterKind kind) {
    return kind == TAC_VEC1 ? 1 : kind == TAC_VEC2 || kind == TAC_RIGID2 ? 2 : 3;
}

static TacVec3 origin_of(const TacMatter *m, const double *x, size_t point) {
    const double *p = x + (size_t)m->position_size * point;
    size_t d = dimensions(m->kind);
    return tac_vec3(p[0], d > 1 ? p[1] : 0, d > 2 ? p[2] : 0);
}

TacVec3 tac_hold_place(const TacMatter *m, const TacHold *hold, const double *x) {
    return tac_add(origin_of(m, x, hold->point), arm_of(m, hold, x));
}

// The velocity of a place with this arm.
static TacVec3 velocity_at(const TacMatter *m, const double *v, size_t point, TacVec3 arm) {
    const double *w = v + (size_t)m->velocity_size * point;
    size_t d = dimensions(m->kind);
    TacVec3 linear = tac_vec3(w[0], d > 1 ? w[1] : 0, d > 2 ? w[2] : 0);
    if (m->kind == TAC_RIGID3) return tac_add(linear, tac_cross(tac_load3(w + 3), arm));
    if (m->kind == TAC_RIGID2) return tac_add(linear, tac_cross(tac_vec3(0, 0, w[2]), arm));
    return linear;
}

// A force on a place with this arm.
static void push_at(const TacMatter *m, double *f, size_t point, TacVec3 arm, TacVec3 force) {
    double *g = f + (size_t)m->velocity_size * point;
    size_t d = dimensions(m->kind);
    g[0] += force.x;
    if (d > 1) g[1] += force.y;
    if (d > 2) g[2] += force.z;
    if (m->kind == TAC_RIGID3) tac_add3(g + 3, tac_cross(arm, force));
    if (m->kind == TAC_RIGID2) g[2] += arm.x * force.y - arm.y * force.x;
}

TacVec3 tac_hold_force(const TacMatter *m, const TacHold *hold, const double *x, const double *v) {
    TacVec3 arm = arm_of(m, hold, x), place = tac_hold_place(m, hold, x);
    TacVec3 pull = tac_scale(tac_sub(hold->target, place), hold->stiffness);
    TacVec3 f = tac_axpy(pull, -hold->damping, velocity_at(m, v, hold->point, arm));
    size_t d = dimensions(m->kind);
    return tac_vec3(f.x, d > 1 ? f.y : 0, d > 2 ? f.z : 0);
}

// --- the sphere -------------------------------------------------------------------------------------------

// How deep a point is inside, along which normal; not positive: outside.
static double depth_of(const TacTouchLaw *self, const double *x, size_t point, TacVec3 *normal) {
    const TacTouchState *s = &self->hands->state;
    TacVec3 away = tac_sub(origin_of(self->law.matter[0], x, point), s->center);
    double square = tac_dot(away, away);
    if (square >= s->radius * s->radius) return 0;
    double distance = sqrt(square);
    *normal = distance > 0 ? tac_scale(away, 1 / distance) : tac_vec3(0, 1, 0);
    return s->radius - distance;
}

// The stiffness of its push on each point; 0: it does not push this matter.
static double push_stiffness(const TacTouchLaw *self, const double *x) {
    double k = self->hands->state.radius > 0 ? self->hands->sphere_stiffness[self->index] : 0;
    if (k == 0 || !self->shares) return k;
    size_t inside = 0;
    TacVec3 normal;
    for (size_t i = 0; i < self->law.matter[0]->count; i++) inside += depth_of(self, x, i, &normal) > 0;
    return inside ? k / (double)inside : k;
}

// --- operations -------------------------------------------------------------------------------------------

static bool holds_here(const TacTouchLaw *self, const TacHold *hold) {
    return hold->used && hold->matter == self->index;
}

static void force(void *data, const TacContext *context, const TacLawVectors *vectors) {
    (void)context;
    const TacTouchLaw *self = data;
    const TacMatter *m = self->law.matter[0];
    const double *x = vectors->x[0];
    for (size_t i = 0; i < TAC_HOLDS; i++) {
        const TacHold *hold = &self->hands->state.holds[i];
        if (holds_here(self, hold))
            push_at(m, vectors->f[0], hold->point, arm_of(m, hold, x),
                    tac_hold_force(m, hold, x, vectors->v[0]));
    }
    double k = push_stiffness(self, x);
    for (size_t i = 0; k > 0 && i < m->count; i++) {
        TacVec3 normal;
        double depth = depth_of(self, x, i, &normal);
        if (depth > 0) push_at(m, vectors->f[0], i, tac_vec3(0, 0, 0), tac_scale(normal, k * depth));
    }
}

static void force_change(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                         double b) {
    (void)context;
    const TacTouchLaw *self = data;
    const TacMatter *m = self->law.matter[0];
    const double *x = vectors->x[0];
    for (size_t i = 0; i < TAC_HOLDS; i++) {
        const TacHold *hold = &self->hands->state.holds[i];
        if (!holds_here(self, hold)) continue;
        TacVec3 arm = arm_of(m, hold, x);
        TacVec3 d = velocity_at(m, vectors->v[0], hold->point, arm);
        push_at(m, vectors->f[0], hold->point, arm, tac_scale(d, -(k * hold->stiffness + b * hold->damping)));
    }
    double stiffness = k == 0 ? 0 : push_stiffness(self, x);
    for (size_t i = 0; stiffness > 0 && i < m->count; i++) {
        TacVec3 normal, none = {0, 0, 0};
        if (depth_of(self, x, i, &normal) <= 0) continue;
        double along = tac_dot(normal, velocity_at(m, vectors->v[0], i, none));
        push_at(m, vectors->f[0], i, none, tac_scale(normal, -k * stiffness * along));
    }
}

// Adds the block of a place with this arm that resists motion along `axis` (or along all axes: NULL).
static void add_block(const TacMatter *m, size_t point, TacVec3 arm, const TacVec3 *axis, double s,
                      TacMatrix *matrix) {
    size_t n = (size_t)m->velocity_size;
    double block[36] = {0}, unit[6] = {0}, column[6];
    TacMatter one = *m; // the same kind, alone
    one.count = 1;
    for (size_t j = 0; j < n; j++) {
        memset(unit, 0, sizeof unit);
        memset(column, 0, sizeof column);
        unit[j] = 1;
        TacVec3 d = velocity_at(&one, unit, 0, arm);
        push_at(&one, column, 0, arm, tac_scale(axis ? tac_scale(*axis, tac_dot(*axis, d)) : d, s));
        for (size_t i = 0; i < n; i++) block[n * i + j] = column[i];
    }
    tac_matrix_add(matrix, 0, point, 0, point, block);
}

static void stiffness(void *data, const TacContext *context, const TacLawVectors *vectors, double k, double b,
                      TacMatrix *matrix) {
    (void)context;
    const TacTouchLaw *self = data;
    const TacMatter *m = self->law.matter[0];
    const double *x = vectors->x[0];
    for (size_t i = 0; i < TAC_HOLDS; i++) {
        const TacHold *hold = &self->hands->state.holds[i];
        if (holds_here(self, hold))
            add_block(m, hold->point, arm_of(m, hold, x), NULL, -(k * hold->stiffness + b * hold->damping),
                      matrix);
    }
    // a block for every point, so that the structure stays while the sphere moves
    double push = push_stiffness(self, x);
    for (size_t i = 0; push > 0 && i < m->count; i++) {
        TacVec3 normal = {0, 0, 0};
        double depth = depth_of(self, x, i, &normal);
        add_block(m, i, tac_vec3(0, 0, 0), &normal, depth > 0 ? -k * push : 0, matrix);
    }
}

static const TacLawOps ops = {.force = force, .force_change = force_change, .stiffness = stiffness};

const TacClass tac_touch_class = {
    .name = "Hand",
    .kind = TAC_KIND_LAW,
    .doc = "What hands, pins and the solid sphere do to one matter.",
    .size = sizeof(TacTouchLaw),
    .ops.law = &ops,
};

// --- masses -----------------------------------------------------------------------------------------------

bool tac_touch_implicit(const TacWorld *world, size_t matter) {
    uint32_t owner = world->hands.owner[matter];
    return owner != UINT32_MAX && world->tickers[owner].solver->base.cls->ops.solver->needs_linear;
}

double tac_touch_step(const TacWorld *world, size_t matter) {
    uint32_t owner = world->hands.owner[matter];
    return owner == UINT32_MAX ? world->base.beat : world->tickers[owner].step;
}

bool tac_touch_can_carry(const TacWorld *world, size_t matter) {
    uint32_t owner = world->hands.owner[matter];
    if (owner == UINT32_MAX || !world->tickers[owner].program.linear) return true;
    for (const TacMap *map = world->hands.map[matter]; map; map = tac_touch_map(world, map->parent)) {
        const TacMapOps *map_ops = map->base.cls->ops.map;
        if (!map_ops->jacobian || (map_ops->force_change && !map_ops->stiffness)) return false;
    }
    return true;
}

// Mass that is carried up through maps cannot be divided by: the mean of its points stands for all of them.
static double carried_mass(TacWorld *world, size_t root) {
    TacHands *h = &world->hands;
    for (size_t i = 0; i < world->matter_count; i++) {
        TacMatter *m = world->matters[i];
        const TacMass *mass = h->mass[i];
        if (!mass || h->root[i] != root) continue;
        memset(m->vectors[TAC_A], 0, tac_vector_size(m, TAC_A) * sizeof(double));
        for (size_t k = 0; k < m->count; k++) m->vectors[TAC_A][(size_t)m->velocity_size * k] = 1;
        double kinetic =
            mass->base.cls->ops.mass->kinetic((void *)mass, m->vectors[TAC_X_SHOWN], m->vectors[TAC_A]);
        return 2 * kinetic / (double)m->count;
    }
    return 0;
}

static void clear(const TacMatter *m, TacVector v) {
    memset(m->vectors[v], 0, tac_vector_size(m, v) * sizeof(double));
}

// TAC_F of the root from TAC_F of matter that follows it.
static void carry_up(TacWorld *world, const TacContext *context, const TacMatter *m) {
    for (const TacMap *map; (map = tac_touch_map(world, m)); m = map->parent) {
        double *const *up = map->parent->vectors, *const *down = map->child->vectors;
        clear(map->parent, TAC_F);
        map->base.cls->ops.map->force((void *)map, context, up[TAC_X_SHOWN], down[TAC_X_SHOWN], down[TAC_F],
                                      up[TAC_F]);
    }
}

double tac_touch_mass(TacWorld *world, const TacHold *hold) {
    static const TacVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    tac_world_show(world);
    const TacMatter *m = world->matters[hold->matter];
    size_t root_index = world->hands.root[hold->matter];
    const TacMatter *root = world->matters[root_index];
    const TacMass *mass = world->hands.mass[root_index];
    if (!mass) return carried_mass(world, root_index);
    TacContext context = {tac_world_time(world), world->base.beat, world->team};
    double most = 0;
    for (size_t k = 0; k < dimensions(m->kind); k++) {
        clear(m, TAC_F);
        push_at(m, m->vectors[TAC_F], hold->point, arm_of(m, hold, m->vectors[TAC_X_SHOWN]), axes[k]);
        carry_up(world, &context, m);
        const double *f = root->vectors[TAC_F];
        double *a = root->vectors[TAC_A], inverse = 0;
        mass->base.cls->ops.mass->divide((void *)mass, &context, root->vectors[TAC_X_SHOWN], f, a);
        for (size_t i = 0; i < tac_vector_size(root, TAC_F); i++) inverse += f[i] * a[i];
        if (inverse > most) most = inverse;
    }
    return most > 0 && isfinite(most) ? 1 / most : 0;
}

double tac_touch_least_mass(TacWorld *world, size_t matter) {
    enum { SAMPLES = 16 };
    const TacMatter *m = world->matters[matter];
    double least = INFINITY;
    const TacMass *mass = world->hands.mass[matter];
    if (!m->mapped && mass) {
        // every point by its own unit force
        TacContext context = {tac_world_time(world), world->base.beat, world->team};
        tac_world_show(world);
        clear(m, TAC_F);
        for (size_t i = 0; i < m->count; i++) m->vectors[TAC_F][(size_t)m->velocity_size * i] = 1;
        mass->base.cls->ops.mass->divide((void *)mass, &context, m->vectors[TAC_X_SHOWN], m->vectors[TAC_F],
                                         m->vectors[TAC_A]);
        for (size_t i = 0; i < m->count; i++) {
            double a = m->vectors[TAC_A][(size_t)m->velocity_size * i];
            if (a > 0) least = fmin(least, 1 / a);
        }
        return isfinite(least) ? least : 0;
    }
    size_t every = m->count / SAMPLES + 1;
    for (size_t i = 0; i < m->count; i += every) {
        TacHold hold = {.matter = matter, .point = i};
        double shown = tac_touch_mass(world, &hold);
        if (shown > 0) least = fmin(least, shown);
    }
    return isfinite(least) ? least : 0;
}
