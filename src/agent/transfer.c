// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Passing the state of a thing from one model of it to another. See transfer.h for the rules.

#include "agent/transfer.h"
#include "law/rotation.h"
#include "map/element_tree.h"
#include "math/symmetric.h"
#include "matter/matter.h"

#include <math.h>

// --- models -----------------------------------------------------------------------------------------------

TacStatus tac_model_weigh(TacModel *model, TacArena *arena, TacError *error) {
    const TacMatter *m = model->matter;
    size_t n = tac_vector_size(m, TAC_V), each = (size_t)m->velocity_size;
    model->masses = tac_arena_array(arena, m->count, sizeof *model->masses);
    double *unit = calloc(n + 1, sizeof *unit), *out = calloc(n + 1, sizeof *out);
    bool good = model->masses && unit && out;
    for (size_t i = 0; good && i < m->count; i++) unit[each * i] = 1;
    // row sums: of a mass that is not lumped, what each point shows to a uniform push
    TacContext context = {0, 0, NULL};
    if (good)
        model->mass->base.cls->ops.mass->product(model->mass, &context, m->vectors[TAC_X], unit, out, 1);
    model->total = 0;
    for (size_t i = 0; good && i < m->count; i++) {
        model->masses[i] = out[each * i];
        model->total += out[each * i];
    }
    free(unit);
    free(out);
    return good ? TAC_OK : tac_fail_memory(error, n * sizeof *unit);
}

bool tac_model_is_held(const TacModel *model) {
    const TacMatter *m = model->matter;
    for (size_t i = 0; m->held && i < m->count; i++)
        if (m->held[i]) return true;
    return false;
}

static const double *place(const TacMatter *m, const double *x, size_t i) {
    return x + (size_t)m->position_size * i;
}

// Seen from the first point, so that what a long sum of masses loses does not count for the way from the origin.
static TacVec3 centre_of(const TacModel *model, const double *x) {
    TacVec3 first = tac_load3(x), sum = {0, 0, 0};
    for (size_t i = 1; i < model->matter->count; i++)
        sum = tac_axpy(sum, model->masses[i], tac_sub(tac_load3(place(model->matter, x, i)), first));
    return tac_axpy(first, 1 / model->total, sum);
}

// Angular momentum is summed up about the centre: far from the origin digits would be lost.
TacMotion tac_model_motion(const TacModel *model) {
    const TacMatter *m = model->matter;
    double *const *all = m->vectors, *from_centre = all[TAC_X_SHOWN];
    TacMotion motion = {.mass = model->total, .centre = centre_of(model, all[TAC_X])};
    memcpy(from_centre, all[TAC_X], tac_vector_size(m, TAC_X) * sizeof(double));
    for (size_t i = 0; i < m->count; i++)
        tac_add3(from_centre + (size_t)m->position_size * i, tac_scale(motion.centre, -1));
    model->mass->base.cls->ops.mass->momentum(model->mass, from_centre, all[TAC_V], &motion.linear,
                                              &motion.angular);
    return motion;
}

// --- rigid motion of the whole ------------------------------------------------------------------------------

// v += V + omega x (x - c), frames turning along.
static void add_rigid(const TacModel *model, const double *x, double *v, TacVec3 centre, TacVec3 linear,
                      TacVec3 spin) {
    const TacMatter *m = model->matter;
    size_t each = (size_t)m->velocity_size;
    for (size_t i = 0; i < m->count; i++) {
        TacVec3 r = tac_sub(tac_load3(place(m, x, i)), centre);
        tac_add3(v + each * i, tac_add(linear, tac_cross(spin, r)));
        if (each == 6) tac_add3(v + each * i + 3, spin);
    }
}

// How angular momentum about the centre answers to spin: column by column, whatever the mass is.
static TacMat3 inertia_of(const TacModel *model) {
    const TacMatter *m = model->matter;
    tac_model_motion(model); // leaves places seen from the centre
    const double *x = m->vectors[TAC_X_SHOWN];
    double *field = m->vectors[TAC_A];
    TacMat3 inertia;
    for (int k = 0; k < 3; k++) {
        const TacVec3 axis = {k == 0, k == 1, k == 2}, none = {0, 0, 0};
        TacVec3 linear = none, angular = none;
        memset(field, 0, tac_vector_size(m, TAC_A) * sizeof *field);
        add_rigid(model, x, field, none, none, axis);
        model->mass->base.cls->ops.mass->momentum(model->mass, x, field, &linear, &angular);
        inertia.m[0][k] = angular.x;
        inertia.m[1][k] = angular.y;
        inertia.m[2][k] = angular.z;
    }
    return inertia;
}

void tac_model_set_motion(const TacModel *model, const TacMotion *wanted) {
    const TacMatter *m = model->matter;
    double *x = m->vectors[TAC_X], *v = m->vectors[TAC_V];
    // twice: what the first round leaves is rounding, and the second takes it away
    for (int round = 0; round < 2; round++) {
        TacVec3 shift = tac_sub(wanted->centre, centre_of(model, x));
        for (size_t i = 0; i < m->count; i++) tac_add3(x + (size_t)m->position_size * i, shift);
    }
    TacVec3 centre = centre_of(model, x);
    TacMat3 inertia = inertia_of(model);
    for (int round = 0; round < 2; round++) {
        const TacVec3 none = {0, 0, 0};
        TacMotion now = tac_model_motion(model);
        // over the mass as each model sums it up: long sums of masses round, each in its own way
        TacVec3 linear =
            tac_sub(tac_scale(wanted->linear, 1 / wanted->mass), tac_scale(now.linear, 1 / model->total));
        add_rigid(model, x, v, centre, linear, none);
        now = tac_model_motion(model);
        add_rigid(model, x, v, centre, none,
                  tac_solve_symmetric(&inertia, tac_sub(wanted->angular, now.angular)));
    }
}

// --- points on points -------------------------------------------------------------------------------------

// Volumes carry best, then surfaces, then lines.
static TacElement best_kind(const TacMesh *mesh) {
    static const TacElement order[] = {TAC_TETRAHEDRA, TAC_HEXAHEDRA, TAC_TRIANGLES, TAC_QUADS, TAC_EDGES};
    for (size_t k = 0; mesh && k < TAC_COUNT(order); k++)
        if (mesh->elements[order[k]].count) return order[k];
    return TAC_ELEMENT_KINDS;
}

// A point that sits on a corner is that corner, to the last bit.
static void snap(double *weights, size_t width) {
    const double near = 1e-9;
    for (size_t k = 0; k < width; k++)
        if (fabs(weights[k] - 1) < near) {
            for (size_t j = 0; j < width; j++) weights[j] = j == k;
            return;
        }
    for (size_t k = 0; k < width; k++)
        if (fabs(weights[k]) < near * near) weights[k] = 0;
}

static TacStatus bind_each(const TacElementTree *tree, const TacMatter *riders, size_t width,
                           int32_t *parents, double *weights, TacError *error) {
    for (size_t i = 0; i < riders->count; i++) {
        size_t element;
        TacFit fit;
        bool found =
            tac_element_tree_find(tree, tac_load3(riders->vectors[TAC_X_REST] + 3 * i), &element, &fit);
        double sum = found ? fit.distance2 : NAN;
        for (size_t k = 0; found && k < width; k++) sum += fit.weights[k];
        if (!isfinite(sum))
            return tac_fail(error, TAC_BAD_INPUT, "point %zu of %s finds no element of the other model", i,
                            riders->base.path);
        snap(fit.weights, width);
        for (size_t k = 0; k < width; k++) {
            parents[width * i + k] = tree->indices[width * element + k];
            weights[width * i + k] = fit.weights[k];
        }
    }
    return TAC_OK;
}

static TacStatus bind_points(const TacModel *carrier, const TacModel *riders, TacArena *arena, size_t *width,
                             int32_t **parents, double **weights, TacError *error) {
    TacElement kind = best_kind(carrier->mesh);
    if (kind == TAC_ELEMENT_KINDS)
        return tac_fail(
            error, TAC_BAD_INPUT,
            "%s has no topology with elements that could carry the points of %s; add one beside it",
            carrier->matter->base.path, riders->matter->base.path);
    size_t n = riders->matter->count;
    *width = (size_t)tac_element_size(kind);
    *parents = tac_arena_array(arena, n * *width, sizeof **parents);
    *weights = tac_arena_array(arena, n * *width, sizeof **weights);
    if (!*parents || !*weights) return tac_fail_memory(error, n * *width * sizeof **weights);
    TacElementTree tree;
    TAC_TRY(tac_element_tree_build(&tree, kind, carrier->matter->vectors[TAC_X_REST],
                                   carrier->mesh->elements[kind].indices, carrier->mesh->elements[kind].count,
                                   error));
    TacStatus status = bind_each(&tree, riders->matter, *width, *parents, *weights, error);
    tac_element_tree_destroy(&tree);
    return status;
}

static TacStatus find_shares(TacTransfer *t, TacArena *arena, TacError *error) {
    t->share = tac_arena_array(arena, t->coarse->matter->count, sizeof *t->share);
    if (!t->share) return tac_fail_memory(error, 0);
    for (size_t i = 0; i < t->fine->matter->count; i++)
        for (size_t k = 0; k < t->width; k++)
            t->share[t->parents[t->width * i + k]] += t->weights[t->width * i + k] * t->fine->masses[i];
    return TAC_OK;
}

static void mix(const int32_t *parents, const double *weights, size_t width, size_t count, const double *in,
                double *out) {
    for (size_t i = 0; i < count; i++) {
        TacVec3 sum = {0, 0, 0};
        for (size_t k = 0; k < width; k++)
            if (weights[width * i + k] != 0)
                sum =
                    tac_axpy(sum, weights[width * i + k], tac_load3(in + 3 * (size_t)parents[width * i + k]));
        tac_store3(out + 3 * i, sum);
    }
}

// D^-1 P^T M v
static void restrict_velocities(const TacTransfer *t, const double *v_fine, double *v_coarse) {
    size_t n = t->coarse->matter->count;
    memset(v_coarse, 0, 3 * n * sizeof *v_coarse);
    for (size_t i = 0; i < t->fine->matter->count; i++)
        for (size_t k = 0; k < t->width; k++)
            tac_add3(v_coarse + 3 * (size_t)t->parents[t->width * i + k],
                     tac_scale(tac_load3(v_fine + 3 * i), t->weights[t->width * i + k] * t->fine->masses[i]));
    for (size_t i = 0; i < n; i++) {
        if (t->share[i] > 0)
            tac_store3(v_coarse + 3 * i, tac_scale(tac_load3(v_coarse + 3 * i), 1 / t->share[i]));
        else
            mix(t->back_parents + t->back_width * i, t->back_weights + t->back_width * i, t->back_width, 1,
                v_fine, v_coarse + 3 * i);
    }
}

// --- on frames ----------------------------------------------------------------------------------------------

static TacMat3 outer(TacVec3 a, TacVec3 b, double s) {
    return (TacMat3){{{s * a.x * b.x, s * a.x * b.y, s * a.x * b.z},
                      {s * a.y * b.x, s * a.y * b.y, s * a.y * b.z},
                      {s * a.z * b.x, s * a.z * b.y, s * a.z * b.z}}};
}

static void add_matrix(TacMat3 *a, const TacMat3 *b) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) a->m[i][k] += b->m[i][k];
}

// The inertia tensor of mass m at r.
static TacMat3 inertia_at(TacVec3 r, double m) {
    TacMat3 a = outer(r, r, -m);
    for (int k = 0; k < 3; k++) a.m[k][k] += m * tac_dot(r, r);
    return a;
}

// Of a frame's own mass: its inertia in world axes, and its spread (second moments) from its own axes at rest to the
// world's now.
static void own_tensors(const TacModel *model, size_t i, TacQuat now, TacQuat rest, TacMat3 *inertia,
                        TacMat3 *spread) {
    const TacInertia *own = tac_mass_inertia(model->mass, i);
    double all = own ? 0.5 * (own->moments[0] + own->moments[1] + own->moments[2]) : 0;
    TacQuat axes = own ? own->axes : tac_quat_identity();
    TacMat3 in_world = tac_quat_matrix(tac_quat_mul(now, axes)),
            at_rest = tac_quat_matrix(tac_quat_mul(rest, axes));
    *inertia = *spread = (TacMat3){{{0}}};
    for (int k = 0; own && k < 3; k++) {
        TacVec3 u = {in_world.m[0][k], in_world.m[1][k], in_world.m[2][k]};
        TacVec3 w = {at_rest.m[0][k], at_rest.m[1][k], at_rest.m[2][k]};
        TacMat3 a = outer(u, u, own->moments[k]), b = outer(u, w, all - own->moments[k]);
        add_matrix(inertia, &a);
        add_matrix(spread, &b);
    }
}

static int32_t nearest_frame(const TacMatter *frames, TacVec3 at) {
    int32_t best = 0;
    double least = INFINITY;
    for (size_t i = 0; i < frames->count; i++) {
        TacVec3 d = tac_sub(at, tac_load3(frames->vectors[TAC_X_REST] + 7 * i));
        if (!(tac_dot(d, d) < least)) continue;
        least = tac_dot(d, d);
        best = (int32_t)i;
    }
    return best;
}

static TacStatus bind_to_frames(TacTransfer *t, TacArena *arena, TacError *error) {
    const double most = 2e9; // distances, a few seconds of them
    const TacMatter *c = t->coarse->matter, *f = t->fine->matter;
    if ((double)c->count * (double)f->count > most)
        return tac_fail(error, TAC_BAD_INPUT,
                        "%zu frames of %s are too many to look for the nearest of each of %zu points",
                        c->count, c->base.path, f->count);
    t->frames = tac_arena_array(arena, f->count, sizeof *t->frames);
    t->arms = tac_arena_array(arena, f->count, sizeof *t->arms);
    t->turns = tac_arena_array(arena, f->count, sizeof *t->turns);
    t->riders = tac_arena_array(arena, c->count, sizeof *t->riders);
    if (!t->frames || !t->arms || !t->turns || !t->riders)
        return tac_fail_memory(error, f->count * sizeof *t->arms);
    for (size_t i = 0; i < f->count; i++) {
        const double *x = place(f, f->vectors[TAC_X_REST], i);
        t->frames[i] = nearest_frame(c, tac_load3(x));
        const double *frame = c->vectors[TAC_X_REST] + 7 * (size_t)t->frames[i];
        TacQuat q = tac_load_quat(frame + 3);
        t->arms[i] = tac_rotate_back(q, tac_sub(tac_load3(x), tac_load3(frame)));
        t->turns[i] = f->kind == TAC_RIGID3 ? tac_quat_mul(tac_quat_conjugate(q), tac_load_quat(x + 3))
                                            : tac_quat_identity();
        t->riders[t->frames[i]].mass += t->fine->masses[i];
    }
    for (size_t i = 0; i < f->count; i++) {
        TacRiders *r = &t->riders[t->frames[i]];
        if (r->mass > 0) r->rest = tac_axpy(r->rest, t->fine->masses[i] / r->mass, t->arms[i]);
    }
    for (size_t i = 0; i < c->count; i++)
        if (!(t->riders[i].mass > 0))
            return tac_fail(
                error, TAC_BAD_INPUT,
                "frame %zu of %s has nothing of %s near it: are both models of one thing, the finer one "
                "last?",
                i, c->base.path, f->base.path);
    return TAC_OK;
}

static void carry_riders(const TacTransfer *t, const double *xc, const double *vc, double *xf, double *vf) {
    const TacMatter *f = t->fine->matter;
    bool turns = f->kind == TAC_RIGID3;
    for (size_t i = 0; i < f->count; i++) {
        const double *frame = xc + 7 * (size_t)t->frames[i], *speed = vc + 6 * (size_t)t->frames[i];
        TacQuat q = tac_load_quat(frame + 3);
        TacVec3 arm = tac_rotate(q, t->arms[i]), spin = tac_load3(speed + 3);
        double *x = xf + (size_t)f->position_size * i, *v = vf + (size_t)f->velocity_size * i;
        tac_store3(x, tac_add(tac_load3(frame), arm));
        tac_store3(v, tac_add(tac_load3(speed), tac_cross(spin, arm)));
        if (!turns) continue;
        tac_store_quat(x + 3, tac_quat_unit(tac_quat_mul(q, t->turns[i])));
        tac_store3(v + 3, spin);
    }
}

static TacQuat quat_of(const TacMat3 *r) {
    double t = r->m[0][0] + r->m[1][1] + r->m[2][2];
    int k = t > 0                                                  ? 3
            : r->m[0][0] >= r->m[1][1] && r->m[0][0] >= r->m[2][2] ? 0
            : r->m[1][1] >= r->m[2][2]                             ? 1
                                                                   : 2;
    double yz = r->m[2][1] - r->m[1][2], zx = r->m[0][2] - r->m[2][0], xy = r->m[1][0] - r->m[0][1];
    if (k == 3) return tac_quat_unit((TacQuat){yz, zx, xy, 1 + t});
    int i = (k + 1) % 3, j = (k + 2) % 3;
    double p[3], w = k == 0 ? yz : k == 1 ? zx : xy;
    p[k] = 1 + r->m[k][k] - r->m[i][i] - r->m[j][j];
    p[i] = r->m[i][k] + r->m[k][i];
    p[j] = r->m[j][k] + r->m[k][j];
    return tac_quat_unit((TacQuat){p[0], p[1], p[2], w});
}

static void add_up_centres(const TacTransfer *t, const double *xf, const double *vf) {
    const TacMatter *f = t->fine->matter;
    for (size_t i = 0; i < t->coarse->matter->count; i++) {
        TacRiders *r = &t->riders[i];
        *r = (TacRiders){.mass = r->mass, .rest = r->rest};
    }
    for (size_t i = 0; i < f->count; i++) {
        TacRiders *r = &t->riders[t->frames[i]];
        double part = t->fine->masses[i] / r->mass;
        r->centre = tac_axpy(r->centre, part, tac_load3(place(f, xf, i)));
        r->linear = tac_axpy(r->linear, part, tac_load3(vf + (size_t)f->velocity_size * i));
    }
}

static void add_up_spins(const TacTransfer *t, const double *xf, const double *vf) {
    const TacMatter *f = t->fine->matter;
    for (size_t i = 0; i < f->count; i++) {
        TacRiders *r = &t->riders[t->frames[i]];
        const double *x = place(f, xf, i), *v = vf + (size_t)f->velocity_size * i;
        TacVec3 d = tac_sub(tac_load3(x), r->centre), u = tac_sub(tac_load3(v), r->linear);
        TacMat3 spread = outer(d, tac_sub(t->arms[i], r->rest), t->fine->masses[i]);
        TacMat3 inertia = inertia_at(d, t->fine->masses[i]);
        add_matrix(&r->spread, &spread);
        add_matrix(&r->inertia, &inertia);
        r->angular = tac_axpy(r->angular, t->fine->masses[i], tac_cross(d, u));
        if (f->kind != TAC_RIGID3) continue;
        own_tensors(t->fine, i, tac_load_quat(x + 3), t->turns[i], &inertia, &spread);
        add_matrix(&r->spread, &spread);
        add_matrix(&r->inertia, &inertia);
        r->angular = tac_add(r->angular, tac_mat3_apply(&inertia, tac_load3(v + 3)));
    }
}

static void fit_frames(const TacTransfer *t, const double *xf, const double *vf, double *xc, double *vc) {
    add_up_centres(t, xf, vf);
    add_up_spins(t, xf, vf);
    for (size_t i = 0; i < t->coarse->matter->count; i++) {
        const TacRiders *r = &t->riders[i];
        TacMat3 rotation = tac_rotation_svd(&r->spread);
        TacVec3 arm = tac_scale(tac_mat3_apply(&rotation, r->rest), -1);
        TacVec3 spin = tac_solve_symmetric(&r->inertia, r->angular);
        tac_store3(xc + 7 * i, tac_add(r->centre, arm));
        tac_store_quat(xc + 7 * i + 3, quat_of(&rotation));
        tac_store3(vc + 6 * i, tac_add(r->linear, tac_cross(spin, arm)));
        tac_store3(vc + 6 * i + 3, spin);
    }
}

// --- both ---------------------------------------------------------------------------------------------------

TacStatus tac_transfer_bind(TacTransfer *t, const TacModel *coarse, const TacModel *fine, TacArena *arena,
                            TacError *error) {
    *t = (TacTransfer){.coarse = coarse, .fine = fine, .on_frames = coarse->matter->kind == TAC_RIGID3};
    if (t->on_frames) return bind_to_frames(t, arena, error);
    if (fine->matter->kind == TAC_RIGID3)
        return tac_fail(
            error, TAC_BAD_INPUT,
            "%s has frames and %s, which comes before it, has points: models go from coarse to fine, and "
            "frames come before points",
            fine->matter->base.path, coarse->matter->base.path);
    TAC_TRY(bind_points(coarse, fine, arena, &t->width, &t->parents, &t->weights, error));
    TAC_TRY(bind_points(fine, coarse, arena, &t->back_width, &t->back_parents, &t->back_weights, error));
    return find_shares(t, arena, error);
}

void tac_transfer_down(const TacTransfer *t, const double *xc, const double *vc, double *xf, double *vf) {
    if (t->on_frames) {
        carry_riders(t, xc, vc, xf, vf);
        return;
    }
    mix(t->parents, t->weights, t->width, t->fine->matter->count, xc, xf);
    mix(t->parents, t->weights, t->width, t->fine->matter->count, vc, vf);
}

void tac_transfer_up(const TacTransfer *t, const double *xf, const double *vf, double *xc, double *vc) {
    if (t->on_frames) {
        fit_frames(t, xf, vf, xc, vc);
        return;
    }
    mix(t->back_parents, t->back_weights, t->back_width, t->coarse->matter->count, xf, xc);
    restrict_velocities(t, vf, vc);
}

// Rule 2. TAC_X_SHOWN has the places before: what held points keep.
static void keep_held(const TacModel *model) {
    const TacMatter *m = model->matter;
    size_t px = (size_t)m->position_size, pv = (size_t)m->velocity_size;
    for (size_t i = 0; m->held && !model->scripted && i < m->count; i++) {
        if (!(m->held[i] & TAC_HELD_WHOLLY)) continue;
        memcpy(m->vectors[TAC_X] + px * i, m->vectors[TAC_X_SHOWN] + px * i, px * sizeof(double));
        memset(m->vectors[TAC_V] + pv * i, 0, pv * sizeof(double));
    }
}

static TacTransferReport finish(const TacModel *new, const TacMotion *before) {
    if (tac_model_is_held(new))
        keep_held(new);
    else
        tac_model_set_motion(new, before);
    TacMotion after = tac_model_motion(new);
    return (TacTransferReport){tac_norm(tac_sub(after.linear, before->linear)),
                               tac_norm(tac_sub(after.centre, before->centre))};
}

static void note_places(const TacModel *model) {
    const TacMatter *m = model->matter;
    memcpy(m->vectors[TAC_X_SHOWN], m->vectors[TAC_X], tac_vector_size(m, TAC_X) * sizeof(double));
}

TacTransferReport tac_transfer_refine(const TacTransfer *t) {
    double *const *c = t->coarse->matter->vectors, *const *f = t->fine->matter->vectors;
    TacMotion before = tac_model_motion(t->coarse);
    note_places(t->fine);
    tac_transfer_down(t, c[TAC_X], c[TAC_V], f[TAC_X], f[TAC_V]);
    return finish(t->fine, &before);
}

TacTransferReport tac_transfer_coarsen(const TacTransfer *t) {
    double *const *c = t->coarse->matter->vectors, *const *f = t->fine->matter->vectors;
    TacMotion before = tac_model_motion(t->fine);
    note_places(t->coarse);
    tac_transfer_up(t, f[TAC_X], f[TAC_V], c[TAC_X], c[TAC_V]);
    return finish(t->coarse, &before);
}
