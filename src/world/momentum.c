// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Kicks that keep the momentum of an agent; see momentum.h.

#include "world/momentum.h"
#include "constraint/joint.h"
#include "math/symmetric.h"

#include <string.h>

// Of the vectors that solvers leave behind: one that nobody reads any more.
#define SPARE TAC_B

// --- what it weighs ---------------------------------------------------------------------------------------

static const TacMass *mass_of(const TacProgram *p, const TacMatter *m) {
    for (size_t i = 0; i < p->mass_count; i++)
        if (p->masses[i]->matter == m) return p->masses[i];
    return NULL;
}

// Masses of single points or frames: plain or inverse ones.
typedef struct Weights {
    const double *plain, *inverse; // both NULL: it has none
    const TacMass *mass;
} Weights;

static Weights weights_of(const TacProgram *p, const TacMatter *m) {
    Weights w = {.mass = mass_of(p, m)};
    const TacJointOps *own = w.mass ? w.mass->base.cls->ops.mass->joint : NULL;
    if (own) w.inverse = own->inverse_masses(w.mass);
    if (w.mass && !own) w.plain = tac_mass_of_points(w.mass);
    return w;
}

static double weight(const Weights *w, size_t i) {
    if (w->plain) return w->plain[i];
    return w->inverse && w->inverse[i] > 0 ? 1 / w->inverse[i] : 0;
}

// --- does it hang together? -------------------------------------------------------------------------------

// Points and frames of all matter of a program, in its order: each with another one of its piece, or itself.
typedef struct Pieces {
    const TacProgram *program;
    uint32_t *next;
    size_t count; // of pieces
} Pieces;

static uint32_t first_of(Pieces *p, uint32_t i) {
    while (p->next[i] != i) i = p->next[i] = p->next[p->next[i]];
    return i;
}

static void join(Pieces *p, uint32_t a, uint32_t b) {
    a = first_of(p, a);
    b = first_of(p, b);
    if (a == b) return;
    p->next[b] = a;
    p->count--;
}

// Where the points of a matter begin; false: it is not the program's.
static bool find_points(const TacProgram *p, const TacMatter *matter, uint32_t *first) {
    *first = 0;
    for (size_t i = 0; i < p->matter_count; i++) {
        if (p->matters[i] == matter) return true;
        *first += (uint32_t)p->matters[i]->count;
    }
    return false;
}

// Laws that do not tell their elements may tie anything, or nothing.
static void join_by_law(Pieces *pieces, const TacLaw *law) {
    const TacLawOps *ops = law->base.cls->ops.law;
    uint32_t first;
    bool lone = !law->matter[1] || law->matter[1] == law->matter[0];
    if (!ops->part || !lone || !find_points(pieces->program, law->matter[0], &first)) return;
    for (size_t i = 0; i < ops->part_count(law); i++) {
        TacPart part;
        ops->part(law, i, &part);
        for (size_t k = 1; k < part.count; k++)
            join(pieces, first + (uint32_t)part.points[0], first + (uint32_t)part.points[k]);
    }
}

static void join_by_joint(Pieces *pieces, const TacComponent *joint) {
    const TacJointOps *ops = tac_joint_ops(joint);
    const TacMatter *known[2] = {NULL, NULL}; // many ties in a row are of the same matter
    uint32_t first[2];
    bool found[2] = {false, false}; // the world is nobody's
    TacTie tie;
    for (size_t i = 0; ops->tie && ops->tie(joint, i, &tie); i++) {
        for (int k = 0; k < 2; k++) {
            if (tie.matter[k] == known[k]) continue;
            known[k] = tie.matter[k];
            found[k] = find_points(pieces->program, known[k], &first[k]);
        }
        if (found[0] && found[1])
            join(pieces, first[0] + (uint32_t)tie.point[0], first[1] + (uint32_t)tie.point[1]);
    }
}

static size_t count_points(const TacProgram *p) {
    size_t count = 0;
    for (size_t i = 0; i < p->matter_count; i++) count += p->matters[i]->count;
    return count;
}

void tac_momentum_survey_in(TacTicker *t, uint32_t *room) {
    const TacProgram *p = &t->program;
    Pieces pieces = {p, room, count_points(p)};
    for (uint32_t i = 0; i < pieces.count; i++) room[i] = i;
    for (size_t i = p->layer_count; i < p->law_count; i++) join_by_law(&pieces, p->laws[i]);
    for (size_t i = 0; i < p->joint_count; i++) join_by_joint(&pieces, p->joints[i]);
    t->hangs_together = pieces.count == 1;
}

TacStatus tac_momentum_survey(TacTicker *t, TacError *error) {
    size_t count = count_points(&t->program);
    uint32_t *room = calloc(count + 1, sizeof *room);
    if (!room) return tac_fail_memory(error, count * sizeof *room);
    tac_momentum_survey_in(t, room);
    free(room);
    return TAC_OK;
}

static bool has_open_joint(const TacProgram *p) {
    for (size_t i = 0; i < p->joint_count; i++)
        if (tac_joint_is_open(p->joints[i])) return true;
    return false;
}

bool tac_momentum_is_own(const TacTicker *t) {
    const TacProgram *p = &t->program;
    if (!t->hangs_together || has_open_joint(p)) return false;
    if (t->layer_rows && t->layer_rows->over_nodes) return false;
    for (size_t i = 0; i < p->constraint_count; i++)
        if (!p->constraints[i]->released) return false;
    for (size_t i = 0; i < p->mass_count; i++) {
        const TacMatter *m = p->masses[i]->matter;
        Weights w = weights_of(p, m);
        if (m->mapped || (m->kind != TAC_VEC3 && m->kind != TAC_RIGID3) || (!w.plain && !w.inverse))
            return false;
    }
    return true;
}

bool tac_momentum_bears_parts(const TacTicker *t) {
    const TacProgram *p = &t->program;
    bool pulls = false;
    for (size_t i = 0; i < p->constraint_count; i++)
        if (!p->constraints[i]->released) return true;
    for (size_t i = 0; i < p->law_count; i++) pulls = pulls || p->laws[i]->inner;
    return !pulls || tac_momentum_is_own(t);
}

bool tac_momentum_may_change(const TacTicker *t) {
    const TacProgram *p = &t->program;
    bool adapts = false;
    for (size_t i = 0; i < p->joint_count; i++) {
        const TacJointOps *ops = tac_joint_ops(p->joints[i]);
        if (ops->vanishes && ops->vanishes(p->joints[i])) return false;
        adapts = adapts || (ops->adapts && ops->adapts(p->joints[i]));
    }
    return adapts && tac_momentum_is_own(t);
}

// --- sums -------------------------------------------------------------------------------------------------

// Over points, seen from one of them so that no digits are lost far from the origin: masses, m x, m x x, pushes and how
// they turn.
enum { MASS, X, Y, Z, XX, YY, ZZ, XY, XZ, YZ, PUSH_X, PUSH_Y, PUSH_Z, TURN_X, TURN_Y, TURN_Z, NUMBERS };

typedef struct Sums {
    double of[NUMBERS];
    TacMat3 inertia; // of frames by themselves
} Sums;

enum { MOST_CHUNKS = 64, GRAIN = 1024 };

typedef struct Summing {
    const TacMatter *matter;
    Weights weights;
    const double *kick; // changes of velocity; or forces
    bool forces;
    TacVec3 origin;
    Sums *chunks;
} Summing;

// What turns by itself.
static void add_frame(const Summing *c, size_t i, Sums *s) {
    const TacInertia *inertia = tac_mass_inertia(c->weights.mass, i);
    TacQuat q = tac_load_quat(c->matter->vectors[TAC_X] + 7 * i + 3);
    TacVec3 kick = tac_load3(c->kick + 6 * i + 3),
            turn = c->forces ? kick : tac_inertia_apply(inertia, q, kick);
    s->of[TURN_X] += turn.x;
    s->of[TURN_Y] += turn.y;
    s->of[TURN_Z] += turn.z;
    for (int k = 0; k < 3; k++) {
        TacVec3 column = tac_inertia_apply(inertia, q, tac_vec3(k == 0, k == 1, k == 2));
        s->inertia.m[0][k] += column.x;
        s->inertia.m[1][k] += column.y;
        s->inertia.m[2][k] += column.z;
    }
}

static void sum_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    const Summing *c = data;
    size_t px = (size_t)c->matter->position_size, pv = (size_t)c->matter->velocity_size;
    Sums s = {0};
    for (size_t i = begin; i < end; i++) {
        const double *at = c->matter->vectors[TAC_X] + px * i, *kick = c->kick + pv * i;
        double w = weight(&c->weights, i), n = c->forces ? 1 : w;
        double x = at[0] - c->origin.x, y = at[1] - c->origin.y, z = at[2] - c->origin.z;
        double mx = w * x, my = w * y, mz = w * z, a = n * kick[0], b = n * kick[1], d = n * kick[2];
        const double of[NUMBERS] = {
            w,      mx,     my, mz, mx * x, my * y,        mz * z,        mx * y,
            mx * z, my * z, a,  b,  d,      y * d - z * b, z * a - x * d, x * b - y * a};
        for (int k = 0; k < NUMBERS; k++) s.of[k] += of[k];
    }
    for (size_t i = begin; c->matter->kind == TAC_RIGID3 && i < end; i++) add_frame(c, i, &s);
    c->chunks[chunk] = s;
}

static void add_sums(Sums *to, const Sums *s) {
    for (int k = 0; k < NUMBERS; k++) to->of[k] += s->of[k];
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) to->inertia.m[a][b] += s->inertia.m[a][b];
}

// An agent as a whole, and what a kick (or a force) does to it.
typedef struct Whole {
    double mass;
    TacVec3 centre;
    TacMat3 inertia;    // about the centre
    TacVec3 push, turn; // N s and N m s, the latter about the centre; of forces, N and N m
} Whole;

static Whole whole_from(const Sums *s, TacVec3 origin) {
    const double *of = s->of, mass = of[MASS];
    Whole w = {.mass = mass, .push = tac_load3(of + PUSH_X), .inertia = s->inertia};
    if (!(mass > 0)) return w;
    TacVec3 c = tac_scale(tac_load3(of + X), 1 / mass);
    double xx = of[XX] - mass * c.x * c.x, yy = of[YY] - mass * c.y * c.y, zz = of[ZZ] - mass * c.z * c.z,
           xy = of[XY] - mass * c.x * c.y, xz = of[XZ] - mass * c.x * c.z, yz = of[YZ] - mass * c.y * c.z;
    const double about[3][3] = {{yy + zz, -xy, -xz}, {-xy, xx + zz, -yz}, {-xz, -yz, xx + yy}};
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) w.inertia.m[a][b] += about[a][b];
    w.centre = tac_add(origin, c);
    w.turn = tac_sub(tac_load3(of + TURN_X), tac_cross(c, w.push));
    return w;
}

static Whole look(const TacTicker *t, const TacContext *context, TacVector kick, bool forces) {
    const TacProgram *p = &t->program;
    Sums chunks[MOST_CHUNKS], sums = {0};
    TacVec3 origin = {0, 0, 0};
    bool begun = false;
    for (size_t k = 0; k < p->matter_count; k++) {
        const TacMatter *m = p->matters[k];
        Summing c = {m, weights_of(p, m), m->vectors[kick], forces, origin, chunks};
        if (!c.weights.mass || !m->count) continue;
        if (!begun) c.origin = origin = tac_load3(m->vectors[TAC_X]);
        begun = true;
        size_t grain = (m->count + MOST_CHUNKS - 1) / MOST_CHUNKS;
        if (grain < GRAIN) grain = GRAIN;
        tac_team_run(context->team, m->count, grain, sum_chunk, &c);
        for (size_t i = 0; i < tac_chunks(m->count, grain); i++) add_sums(&sums, &chunks[i]);
    }
    return whole_from(&sums, origin);
}

// --- mending ----------------------------------------------------------------------------------------------

typedef struct Motion {
    const TacMatter *matter;
    double *v; // what it is added to
    TacVec3 centre, drift, spin;
} Motion;

static void move_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Motion *motion = data;
    const TacMatter *m = motion->matter;
    const double *x = m->vectors[TAC_X];
    double *dv = motion->v;
    size_t px = (size_t)m->position_size, pv = (size_t)m->velocity_size;
    for (size_t i = begin; i < end; i++) {
        TacVec3 r = tac_sub(tac_load3(x + px * i), motion->centre);
        tac_add3(dv + pv * i, tac_add(motion->drift, tac_cross(motion->spin, r)));
        if (pv == 6) tac_add3(dv + 6 * i + 3, motion->spin);
    }
}

static void move_rigidly(const TacTicker *t, const TacContext *context, TacVector v, TacVec3 centre,
                         TacVec3 drift, TacVec3 spin) {
    for (size_t k = 0; k < t->program.matter_count; k++) {
        const TacMatter *m = t->program.matters[k];
        Motion motion = {m, m->vectors[v], centre, drift, spin};
        if (!mass_of(&t->program, m)) continue;
        tac_team_run(context->team, motion.matter->count, GRAIN, move_chunk, &motion);
    }
}

TacVec3 tac_momentum_turn(const TacTicker *t, const TacContext *context, TacVector kick) {
    return look(t, context, kick, false).turn;
}

void tac_momentum_keep_turn(const TacTicker *t, const TacContext *context, double share, TacVector kick,
                            TacVec3 turn) {
    const TacVec3 none = {0, 0, 0};
    Whole w = look(t, context, kick, false);
    TacVec3 spin = tac_solve_symmetric(&w.inertia, tac_sub(turn, w.turn));
    move_rigidly(t, context, TAC_DV, w.centre, none, tac_scale(spin, share));
}

void tac_momentum_turn_by(const TacTicker *t, const TacContext *context, TacVec3 turn) {
    const TacVec3 none = {0, 0, 0};
    Whole w = look(t, context, TAC_DV, false);
    move_rigidly(t, context, TAC_DV, w.centre, none, tac_solve_symmetric(&w.inertia, turn));
}

// Whether what pushes and turns this matter does so to what has the mass: itself, or what it follows.
static bool is_own_matter(const TacProgram *p, const TacMatter *m) {
    for (size_t i = p->map_count; m->mapped && i-- > 0;) { // bottom up
        if (p->maps[i]->child != m) continue;
        if (!p->maps[i]->faithful) return false;
        m = p->maps[i]->parent;
    }
    return mass_of(p, m) != NULL;
}

static bool is_own_law(const TacProgram *p, const TacLaw *law) {
    for (int k = 0; k < 2; k++)
        if (law->matter[k] && !is_own_matter(p, law->matter[k])) return false;
    return law->inner;
}

// Whether forces as they are now say all that acts from outside (rule 1).
static bool forces_tell(const TacTicker *t) {
    const TacProgram *p = &t->program;
    const TacSolverOps *ops = t->solver->base.cls->ops.solver;
    if (!ops->forces_tell || !ops->forces_tell(t->solver, p)) return false;
    for (size_t i = p->layer_count; ops->foresight && i < p->law_count; i++) {
        const TacLaw *law = p->laws[i];
        if (law->base.cls->ops.law->force_change && !is_own_law(p, law)) return false;
    }
    return true;
}

// The torque that a law leaves though it acts within its matter alone. Its forces balance.
static TacVec3 torque_of(TacLaw *law, const TacContext *context) {
    TacVec3 sum = {0, 0, 0}, origin = tac_load3(law->matter[0]->vectors[TAC_X]);
    for (int k = 0; k < 2; k++) {
        const TacMatter *m = law->matter[k];
        if (m) memset(m->vectors[SPARE], 0, tac_vector_size(m, SPARE) * sizeof(double));
    }
    const TacLawVectors vectors = tac_law_vectors(law, TAC_V, SPARE);
    law->base.cls->ops.law->force(law, context, &vectors);
    for (int k = 0; k < 2; k++) {
        const TacMatter *m = law->matter[k];
        if (!m || (k && m == law->matter[0])) continue;
        size_t px = (size_t)m->position_size, pv = (size_t)m->velocity_size;
        const double *x = m->vectors[TAC_X], *f = m->vectors[SPARE];
        for (size_t i = 0; i < m->count; i++) {
            TacVec3 arm = tac_sub(tac_load3(x + px * i), origin);
            sum = tac_add(sum, tac_cross(arm, tac_load3(f + pv * i)));
            if (pv == 6) sum = tac_add(sum, tac_load3(f + 6 * i + 3));
        }
    }
    return sum;
}

// Of all its laws: what acts from outside turns it by the rest.
static TacVec3 torque_within(const TacTicker *t, const TacContext *context) {
    const TacProgram *p = &t->program;
    TacVec3 sum = {0, 0, 0};
    for (size_t i = p->layer_count; i < p->law_count; i++)
        if (p->laws[i]->lopsided && is_own_law(p, p->laws[i]))
            sum = tac_add(sum, torque_of(p->laws[i], context));
    return sum;
}

static void make_up(const TacTicker *t, const TacContext *context, TacVector v, const Whole *now,
                    TacVec3 push, TacVec3 turn) {
    if (!(now->mass > 0)) return;
    push = tac_sub(push, now->push);
    turn = tac_sub(turn, now->turn);
    if (tac_norm(push) == 0 && tac_norm(turn) == 0) return;
    move_rigidly(t, context, v, now->centre, tac_scale(push, 1 / now->mass),
                 tac_solve_symmetric(&now->inertia, turn));
}

void tac_momentum_mend(const TacTicker *t, const TacContext *context) {
    if (!forces_tell(t)) return;
    Whole wanted = look(t, context, TAC_F, true), kick = look(t, context, TAC_DV, false);
    double h = context->step;
    TacVec3 outer = tac_sub(wanted.turn, torque_within(t, context));
    make_up(t, context, TAC_DV, &kick, tac_scale(wanted.push, h), tac_scale(outer, h));
}

TacMoment tac_momentum_now(const TacTicker *t, const TacContext *context) {
    Whole w = look(t, context, TAC_V, false);
    return (TacMoment){w.push, w.turn};
}

void tac_momentum_restore(const TacTicker *t, const TacContext *context, TacMoment before) {
    Whole w = look(t, context, TAC_V, false);
    make_up(t, context, TAC_V, &w, before.push, before.turn);
}
