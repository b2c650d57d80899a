// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Levels: things with several models. What changes of models keep (against sums written down here, for cloths of grids
// and for a crate as a frame, as frames on joints and as a solid), how cloths hang at every level, who gets which
// level, and that idle models are not felt.

#define _GNU_SOURCE
#include "agent/levels.h"
#include "base/random.h"
#include "constraint/joint.h"
#include "scene_checks.h"
#include "world/world.h"

#include <math.h>

static const double ROUNDING = 1e-12; // relative

static void beats(TacWorld *world, int n) {
    TacError error = {0};
    if (tac_world_advance_beats(world, n, &error) != TAC_OK) fail_msg("%s", error.message);
}

static void near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.15g is not %.15g within %g", value, expected, tolerance);
}

static void near3(TacVec3 value, TacVec3 expected, double tolerance) {
    near(tac_norm(tac_sub(value, expected)), 0, tolerance);
}

static TacMatter *matter_of(TacWorld *world, const char *path) {
    TacMatter *m = tac_world_get_matter(world, tac_world_find(world, path));
    if (!m) fail_msg("no matter %s", path);
    return m;
}

static TacLevels *levels_at(TacWorld *world, const char *path) {
    TacComponent *c = tac_world_get(world, tac_world_find(world, path));
    if (!c || c->cls != &tac_levels_class) fail_msg("no Levels %s", path);
    return (TacLevels *)c;
}

static double number(TacWorld *world, const char *path, size_t i) {
    return levels_at(world, path)->numbers[i];
}

// --- scenes -----------------------------------------------------------------------------------------------

typedef struct Text {
    char *text;
    size_t size, length;
} Text;

static void put(Text *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(t->text + t->length, t->size - t->length, format, arguments);
    va_end(arguments);
    assert_true(n >= 0 && (size_t)n < t->size - t->length);
    t->length += (size_t)n;
}

// A cloth of 2^0 .. 2^finest pieces a side. `inside` is repeated in every model.
static void put_cloth(Text *t, const char *name, const char *levels, int finest, const char *solver,
                      const char *inside) {
    put(t, "<node name='%s'><Levels name='levels' %s/>", name, levels);
    for (int r = 0; r <= finest; r++)
        put(t, "<node name='r%d'>%s<Sheet divisions='%d'/><Points/>%s</node>", r, solver, 1 << r, inside);
    put(t, "</node>");
}

static TacWorld *cloth_world(const char *levels, int finest, const char *solver, const char *inside,
                             const char *gravity, const char *more) {
    char buffer[8192];
    Text t = {buffer, sizeof buffer, 0};
    put(&t, "<tactus version='1' dt='${1/60}' gravity='%s'>", gravity);
    put_cloth(&t, "n", levels, finest, solver, inside);
    put(&t, "%s</tactus>", more);
    return world_of(buffer);
}

#define IMPLICIT "<ImplicitEuler/><ConjugateGradient iterations='200' tolerance='1e-12'/>"
#define LUMPED   "<DiagonalMass density='0.3'/>"
#define SPRINGS  "<MeshSprings membrane='200'/>"

// A crate of 1 m and 2 kg: a frame; eight frames, locked to their neighbours; a solid of tetrahedra.
static const char *const crate =
    "<node name='n'><Levels name='levels'/>"
    "<node name='one'><SymplecticEuler/><Frames/><UniformMass mass='2' box='1 1 1'/></node>"
    "<node name='eight'><Spook/><Frames positions='-.25 -.25 -.25 0 0 0 1  .25 -.25 -.25 0 0 0 1  -.25 .25 "
    "-.25 0 0 0 "
    "1  .25 .25 -.25 0 0 0 1  -.25 -.25 .25 0 0 0 1  .25 -.25 .25 0 0 0 1  -.25 .25 .25 0 0 0 1  .25 .25 .25 "
    "0 0 0 "
    "1'/><UniformMass total='2' box='.5 .5 .5'/>%s</node>"
    "<node name='solid'><ImplicitEuler/><Grid counts='4 4 4' low='-.5 -.5 -.5' high='.5 .5 .5' split='true'/>"
    "<Points/><DiagonalMass density='2'/><Tetrahedra young='1e4'/></node></node>";

static TacWorld *crate_world(const char *gravity, const char *joints, const char *more) {
    char buffer[8192];
    Text t = {buffer, sizeof buffer, 0};
    put(&t, "<tactus version='1' dt='${1/60}' gravity='%s'>", gravity);
    put(&t, crate, joints);
    put(&t, "%s</tactus>", more);
    return world_of(buffer);
}

// --- what changes keep --------------------------------------------------------------------------------------

// Sums written down by themselves: masses by unit velocities, inertia of frames by theirs.
typedef struct Sums {
    double mass, scale, turn_scale; // sums of absolute values, for tolerances
    TacVec3 centre, linear, angular;
} Sums;

static Sums sums_of(const TacModel *model) {
    const TacMatter *m = model->matter;
    size_t px = (size_t)m->position_size, pv = (size_t)m->velocity_size, n = pv * m->count;
    Sums s = {0};
    double *out = calloc(n, sizeof *out);
    assert_non_null(out);
    TacContext context = {0, 1, NULL};
    // M v is momentum, point by point, whatever the mass is made of
    model->mass->base.cls->ops.mass->product(model->mass, &context, m->vectors[TAC_X], m->vectors[TAC_V], out,
                                             1);
    for (size_t i = 0; i < m->count; i++) {
        TacVec3 x = tac_load3(m->vectors[TAC_X] + px * i), p = tac_load3(out + pv * i);
        s.linear = tac_add(s.linear, p);
        s.angular = tac_add(s.angular, tac_cross(x, p));
        if (pv == 6) s.angular = tac_add(s.angular, tac_load3(out + pv * i + 3));
        s.scale += tac_norm(p);
        s.turn_scale += tac_norm(x) * tac_norm(p) + (pv == 6 ? tac_norm(tac_load3(out + pv * i + 3)) : 0);
    }
    double *unit = calloc(n, sizeof *unit);
    assert_non_null(unit);
    memset(out, 0, n * sizeof *out);
    for (size_t i = 0; i < m->count; i++) unit[pv * i] = 1;
    model->mass->base.cls->ops.mass->product(model->mass, &context, m->vectors[TAC_X], unit, out, 1);
    for (size_t i = 0; i < m->count; i++) {
        s.mass += out[pv * i];
        s.centre = tac_axpy(s.centre, out[pv * i], tac_load3(m->vectors[TAC_X] + px * i));
    }
    s.centre = tac_scale(s.centre, 1 / s.mass);
    free(out);
    free(unit);
    return s;
}

static const TacModel *living(const TacLevels *l) {
    return &l->models[l->state->level];
}

static void go(TacLevels *l, int level) {
    TacContext context = {0, 1.0 / 60, NULL};
    l->state->wanted = level;
    tac_levels_go(l, &context, 0);
    assert_int_equal(l->state->level, level);
    for (size_t k = 0; k < l->count; k++) assert_int_equal(l->models[k].matter->idle, (int)k != level);
}

// Any state of the finest model: bent, turned, far from the origin, with any velocities.
static void stir(const TacModel *model, TacRandom *random) {
    const TacMatter *m = model->matter;
    TacQuat q =
        tac_quat_from_vector(tac_vec3(tac_random_between(random, -2, 2), tac_random_between(random, -2, 2),
                                      tac_random_between(random, -2, 2)));
    for (size_t i = 0; i < m->count; i++) {
        double *x = m->vectors[TAC_X] + 3 * i;
        TacVec3 at = tac_load3(m->vectors[TAC_X_REST] + 3 * i);
        at = tac_add(at, tac_scale(tac_vec3(sin(5 * at.z), sin(4 * at.x + 1), cos(3 * at.x)), 0.15));
        tac_store3(x, tac_add(tac_rotate(q, at), tac_vec3(3, -2, 5)));
    }
    for (size_t i = 0; i < 3 * m->count; i++) m->vectors[TAC_V][i] = tac_random_between(random, -5, 5);
}

static void keep_all(TacWorld *w, const char *path, TacRandom *random, int changes) {
    TacLevels *l = levels_at(w, path);
    go(l, (int)l->count - 1);
    stir(living(l), random);
    Sums before = sums_of(living(l));
    for (int k = 0; k < changes; k++) {
        int level = (int)tac_random_between(random, 0, (double)l->count);
        go(l, level < (int)l->count ? level : 0);
        Sums after = sums_of(living(l));
        near(after.mass, before.mass, ROUNDING * before.mass);
        near3(after.centre, before.centre, ROUNDING * tac_norm(before.centre));
        near3(after.linear, before.linear, ROUNDING * before.scale);
        near3(after.angular, before.angular, ROUNDING * before.turn_scale);
    }
    assert_true(l->numbers[TAC_LEVELS_CHANGES] > changes / 2);
}

static void test_changes_of_a_cloth_keep_mass_and_momentum(void **state) {
    (void)state;
    static const char *const masses[] = {LUMPED, "<UniformMass total='0.3'/>", "<MatrixMass density='0.3'/>"};
    TacRandom random = tac_random(1, 1);
    for (size_t k = 0; k < sizeof masses / sizeof *masses; k++) {
        TacWorld *w = cloth_world("", 6, IMPLICIT, masses[k], "0 0 0", "");
        for (int trial = 0; trial < 5; trial++) keep_all(w, "/n/levels", &random, 20);
        tac_world_destroy(w);
    }
}

static void test_changes_of_a_crate_keep_mass_and_momentum(void **state) {
    (void)state;
    TacRandom random = tac_random(2, 1);
    TacWorld *w = crate_world("0 0 0", "", "");
    for (int trial = 0; trial < 10; trial++) keep_all(w, "/n/levels", &random, 20);
    tac_world_destroy(w);
}

static void keep_uniform(TacWorld *w, TacRandom *random) {
    TacLevels *l = levels_at(w, "/n/levels");
    const TacVec3 v = {1.1, -2.3, 0.7};
    go(l, (int)l->count - 1);
    stir(living(l), random);
    for (size_t i = 0; i < living(l)->matter->count; i++)
        tac_store3(living(l)->matter->vectors[TAC_V] + 3 * i, v);
    for (int k = 0; k < 40; k++) {
        int level = (int)tac_random_between(random, 0, (double)l->count);
        go(l, level < (int)l->count ? level : 0);
        const TacMatter *m = living(l)->matter;
        for (size_t i = 0; i < m->count; i++) {
            near3(tac_load3(m->vectors[TAC_V] + (size_t)m->velocity_size * i), v, ROUNDING * tac_norm(v));
            if (m->kind == TAC_RIGID3) near(tac_norm(tac_load3(m->vectors[TAC_V] + 6 * i + 3)), 0, 1e-11);
        }
    }
    tac_world_destroy(w);
}

static void test_uniform_motion_stays_uniform(void **state) {
    (void)state;
    TacRandom random = tac_random(3, 1);
    keep_uniform(cloth_world("", 6, IMPLICIT, LUMPED, "0 0 0", ""), &random);
    keep_uniform(cloth_world("", 6, IMPLICIT, "<MatrixMass density='0.3'/>", "0 0 0", ""), &random);
    keep_uniform(crate_world("0 0 0", "", ""), &random);
}

static double kinetic_of(const TacModel *model) {
    double *const *all = model->matter->vectors;
    return model->mass->base.cls->ops.mass->kinetic(model->mass, all[TAC_X], all[TAC_V]);
}

// A mass that is spread over the triangles turns alike at every level, so a spinning cloth keeps its spin and energy;
// a lumped one of four points turns three times harder than the plate, and must turn slower for the same momentum.
static void test_spin_of_spread_and_lumped_masses(void **state) {
    (void)state;
    for (int lumped = 0; lumped < 2; lumped++) {
        TacWorld *w = cloth_world("level='0'", 5, IMPLICIT, lumped ? LUMPED : "<MatrixMass density='0.3'/>",
                                  "0 0 0", "");
        TacLevels *l = levels_at(w, "/n/levels");
        const TacMatter *m = living(l)->matter;
        const TacVec3 spin = {0, 2, 0};
        for (size_t i = 0; i < m->count; i++)
            tac_store3(m->vectors[TAC_V] + 3 * i, tac_cross(spin, tac_load3(m->vectors[TAC_X] + 3 * i)));
        double before = kinetic_of(living(l));
        go(l, 5);
        m = living(l)->matter;
        // four corners: m a^2 / 2. A plate: m a^2 / 6, and (1 + 2/n^2) times that where it is lumped on n pieces a side
        double ratio = lumped ? 3 / (1 + 2.0 / 1024) : 1;
        for (size_t i = 0; i < m->count; i++)
            near3(tac_load3(m->vectors[TAC_V] + 3 * i),
                  tac_cross(tac_scale(spin, ratio), tac_load3(m->vectors[TAC_X] + 3 * i)), 1e-11);
        near(kinetic_of(living(l)), before * ratio, 1e-12);
        near(number(w, "/n/levels", TAC_LEVELS_ENERGY), before * (ratio - 1), 1e-12);
        tac_world_destroy(w);
    }
}

// Of a turning solid one frame has the same turn and, with the solid's momentum, its own inertia's spin.
static void test_a_crate_becomes_one_frame(void **state) {
    (void)state;
    TacWorld *w = crate_world("0 0 0", "", "");
    TacLevels *l = levels_at(w, "/n/levels");
    const TacMatter *m = living(l)->matter;
    TacQuat q = tac_quat_from_vector(tac_vec3(0.4, -1.1, 2.0));
    const TacVec3 at = {1, 2, -3}, v = {0.5, 0, -1}, spin = {1, -2, 0.5};
    for (size_t i = 0; i < m->count; i++) {
        TacVec3 arm = tac_rotate(q, tac_load3(m->vectors[TAC_X_REST] + 3 * i));
        tac_store3(m->vectors[TAC_X] + 3 * i, tac_add(at, arm));
        tac_store3(m->vectors[TAC_V] + 3 * i, tac_add(v, tac_cross(spin, arm)));
    }
    // moments of the lumped solid about its centre, over those of a box: alike about all axes but for the splitting
    Sums solid = sums_of(living(l));
    TacVec3 own = tac_sub(solid.angular, tac_cross(solid.centre, solid.linear));
    go(l, 0);
    const double *x = living(l)->matter->vectors[TAC_X], *u = living(l)->matter->vectors[TAC_V];
    TacVec3 off =
        tac_sub(solid.centre, at); // the solid is split in one direction: it is a little heavier there
    near(tac_norm(off), 0, 0.05);
    near3(tac_load3(x), solid.centre, 1e-12);
    near(fabs(q.x * x[3] + q.y * x[4] + q.z * x[5] + q.w * x[6]), 1, 1e-12);
    near3(tac_load3(u), tac_scale(solid.linear, 1 / solid.mass), 1e-12);
    near3(tac_scale(tac_load3(u + 3), 2.0 / 6), own, 1e-12); // a cube: m a^2 / 6
    // and back: the same solid, unstretched
    go(l, 2);
    m = living(l)->matter;
    for (size_t i = 1; i < m->count; i++) {
        const double *now = m->vectors[TAC_X], *rest = m->vectors[TAC_X_REST];
        near(tac_norm(tac_sub(tac_load3(now + 3 * i), tac_load3(now))),
             tac_norm(tac_sub(tac_load3(rest + 3 * i), tac_load3(rest))), 1e-12);
    }
    tac_world_destroy(w);
}

// Eight frames fit what each eighth of the solid does: here, a twist about y.
static void test_frames_follow_their_parts(void **state) {
    (void)state;
    TacWorld *w = crate_world("0 0 0", "", "");
    TacLevels *l = levels_at(w, "/n/levels");
    const TacMatter *m = living(l)->matter;
    for (size_t i = 0; i < m->count; i++) {
        TacVec3 rest = tac_load3(m->vectors[TAC_X_REST] + 3 * i);
        TacQuat q = tac_quat_from_vector(tac_vec3(0, rest.y > 0 ? 0.3 : -0.3, 0));
        tac_store3(m->vectors[TAC_X] + 3 * i, tac_rotate(q, rest));
    }
    go(l, 1);
    const TacMatter *frames = living(l)->matter;
    TacVec3 first_off = {0, 0, 0};
    for (size_t i = 0; i < frames->count; i++) {
        const double *x = frames->vectors[TAC_X] + 7 * i;
        TacQuat q = tac_quat_from_vector(tac_vec3(0, x[1] > 0 ? 0.3 : -0.3, 0));
        near(fabs(q.x * x[3] + q.y * x[4] + q.z * x[5] + q.w * x[6]), 1, 1e-9);
        // but for the lumped solid's centre, which the frames' together must have
        TacVec3 off = tac_sub(tac_load3(x), tac_rotate(q, tac_load3(frames->vectors[TAC_X_REST] + 7 * i)));
        if (i == 0) first_off = off;
        near3(off, first_off, 1e-12);
        near(tac_norm(off), 0, 0.05);
    }
    tac_world_destroy(w);
}

// Two halves of four frames each, that spin differently: two frames take up places, turns and spins exactly, for four
// cubes weigh and turn as the half that they make up.
static void test_halves_take_up_spins(void **state) {
    (void)state;
    static const char text[] =
        "<tactus version='1' dt='0.01' gravity='0 0 0'><node name='n'><Levels name='levels'/>"
        "<node name='two'><Spook/><Frames positions='-.25 0 0 0 0 0 1 .25 0 0 0 0 0 1'/><UniformMass "
        "total='2' box='.5 1 "
        "1'/></node><node name='eight'><Spook/><Frames positions='-.25 -.25 -.25 0 0 0 1  .25 -.25 -.25 0 0 "
        "0 1  -.25 .25 "
        "-.25 0 0 0 1  .25 .25 -.25 0 0 0 1  -.25 -.25 .25 0 0 0 1  .25 -.25 .25 0 0 0 1  -.25 .25 .25 0 0 0 "
        "1  .25 .25 "
        ".25 0 0 0 1'/><UniformMass total='2' box='.5 .5 .5'/></node></node></tactus>";
    TacWorld *w = world_of(text);
    TacLevels *l = levels_at(w, "/n/levels");
    const TacMatter *m = living(l)->matter;
    const TacVec3 turns[2] = {{0.3, -0.2, 0.9}, {-0.7, 0.4, 0.1}}, spins[2] = {{1, 2, -3}, {0.5, -4, 2}};
    const TacVec3 v[2] = {{1, 0, 2}, {-1, 3, 0}}, at[2] = {{-1, 2, 0}, {1, 0, 1}};
    for (size_t i = 0; i < m->count; i++) {
        size_t half = m->vectors[TAC_X_REST][7 * i] > 0;
        TacQuat q = tac_quat_from_vector(turns[half]);
        TacVec3 rest = tac_load3(m->vectors[TAC_X_REST] + 7 * i);
        TacVec3 arm = tac_rotate(q, tac_sub(rest, tac_vec3(half ? 0.25 : -0.25, 0, 0)));
        tac_store3(m->vectors[TAC_X] + 7 * i, tac_add(at[half], arm));
        tac_store_quat(m->vectors[TAC_X] + 7 * i + 3, q);
        tac_store3(m->vectors[TAC_V] + 6 * i, tac_add(v[half], tac_cross(spins[half], arm)));
        tac_store3(m->vectors[TAC_V] + 6 * i + 3, spins[half]);
    }
    go(l, 0);
    near(number(w, "/n/levels", TAC_LEVELS_ENERGY), 0, 1e-12);
    for (int again = 0; again < 2; again++) {
        const double *x = living(l)->matter->vectors[TAC_X], *u = living(l)->matter->vectors[TAC_V];
        for (size_t half = 0; half < 2; half++) {
            TacQuat q = tac_quat_from_vector(turns[half]);
            near3(tac_load3(x + 7 * half), at[half], 1e-12);
            near(fabs(q.x * x[7 * half + 3] + q.y * x[7 * half + 4] + q.z * x[7 * half + 5] +
                      q.w * x[7 * half + 6]),
                 1, 1e-12);
            near3(tac_load3(u + 6 * half), v[half], 1e-12);
            near3(tac_load3(u + 6 * half + 3), spins[half], 1e-12);
        }
        go(l, 1);
        go(l, 0);
    }
    tac_world_destroy(w);
}

// --- while time runs ------------------------------------------------------------------------------------------

// Nothing acts on a cloth that flies: any sequence of levels keeps its momentum, and energy stays bounded.
static void test_random_levels_while_flying(void **state) {
    (void)state;
    TacRandom random = tac_random(4, 1);
    TacWorld *w = cloth_world("", 5, "<ImplicitEuler/><SparseDirect/>", LUMPED SPRINGS, "0 0 0", "");
    TacLevels *l = levels_at(w, "/n/levels");
    const TacMatter *m = living(l)->matter;
    for (size_t i = 0; i < m->count; i++) {
        TacVec3 at = tac_load3(m->vectors[TAC_X] + 3 * i);
        tac_store3(m->vectors[TAC_V] + 3 * i,
                   tac_vec3(0.3 + sin(3 * at.x), cos(5 * at.z), 0.5 * at.x * at.z));
    }
    Sums before = sums_of(living(l));
    double energy = tac_world_energy(w).total;
    for (int i = 0; i < 60; i++) {
        l->state->wanted = (int64_t)tac_random_between(&random, 0, 5.999);
        beats(w, 1);
        near3(sums_of(living(l)).linear, before.linear, 1e-9);
        // (measuring prepares the next instant, which then goes where it wanted to)
        if (i % 10 == 9) assert_true(tac_world_energy(w).total < 3 * energy);
    }
    assert_true(number(w, "/n/levels", TAC_LEVELS_CHANGES) > 50);
    tac_world_destroy(w);
}

// Models with steps of two beats, one and a half: whenever they change, weight acts for all of the time, and once.
static void test_steps_may_differ(void **state) {
    (void)state;
    static const char text[] =
        "<tactus version='1' dt='0.01' gravity='0 -10 0'><node name='n'><Levels name='levels'/>"
        "<node name='a'><SymplecticEuler step='0.02'/><Frames/><UniformMass mass='2'/></node>"
        "<node name='b'><ImplicitEuler step='0.01'/><Box low='-.5 -.5 -.5' high='.5 .5 "
        ".5'/><Points/><UniformMass "
        "total='2'/></node>"
        "<node name='c'><SymplecticEuler step='0.005'/><Sphere subdivisions='1'/><Points/><UniformMass "
        "total='2'/></node>"
        "</node></tactus>";
    TacRandom random = tac_random(6, 1);
    TacWorld *w = world_of(text);
    TacLevels *l = levels_at(w, "/n/levels");
    for (int i = 0; i < 200; i++) {
        l->state->wanted = (int64_t)tac_random_between(&random, 0, 2.999);
        beats(w, 1);
        // a kick is for the time of its step, from its tick on: at most two beats ahead
        double ahead = -sums_of(living(l)).linear.y / (2 * 10) - 0.01 * (i + 1);
        assert_true(ahead > -1e-12 && ahead < 0.02 - 0.01 + 1e-12);
    }
    assert_true(number(w, "/n/levels", TAC_LEVELS_CHANGES) > 50);
    tac_world_destroy(w);
}

static void test_held_corners_stay(void **state) {
    (void)state;
    TacRandom random = tac_random(5, 1);
    TacWorld *w = cloth_world("", 5, IMPLICIT,
                              LUMPED SPRINGS "<FixedPoints box='-0.51 -1 -0.51 -0.49 1 -0.49 0.49 -1 "
                                             "-0.51 0.51 1 -0.49'/>",
                              "0 -9.81 0", "");
    TacLevels *l = levels_at(w, "/n/levels");
    for (int i = 0; i < 120; i++) {
        l->state->wanted = (int64_t)tac_random_between(&random, 0, 5.999);
        beats(w, 1);
        const TacMatter *m = living(l)->matter;
        size_t side = ((size_t)1 << l->state->level) + 1, held = 0;
        for (size_t k = 0; k < m->count; k++) {
            if (!m->held || !m->held[k]) continue;
            held++;
            near3(tac_load3(m->vectors[TAC_X] + 3 * k), tac_load3(m->vectors[TAC_X_REST] + 3 * k), 0);
        }
        assert_int_equal(held, 2);
        assert_true(side * side == m->count);
    }
    // it hangs: the middle is below where it began, and no deeper than its own size
    const double *shown = tac_world_positions(w, tac_world_find(w, "/n/r5/points"));
    double middle = shown[3 * (33 * 16 + 16) + 1];
    assert_true(middle < -0.1 && middle > -1.5);
    tac_world_destroy(w);
}

// What is released is free: from then on changes keep everything.
static void test_released_corners(void **state) {
    (void)state;
    TacRandom random = tac_random(9, 1);
    TacWorld *w = cloth_world(
        "", 3, IMPLICIT, LUMPED "<FixedPoints name='hold' points='0'/>", "0 0 0",
        "<Trigger when='time' value='0.05' then='release' what='@n/r0/hold'/><Trigger when='time' "
        "value='0.05' then='release' what='@n/r1/hold'/><Trigger when='time' value='0.05' "
        "then='release' what='@n/r2/hold'/><Trigger when='time' value='0.05' then='release' "
        "what='@n/r3/hold'/>");
    TacLevels *l = levels_at(w, "/n/levels");
    assert_true(tac_model_is_held(living(l)));
    beats(w, 10);
    assert_false(tac_model_is_held(living(l)));
    keep_all(w, "/n/levels", &random, 20);
    tac_world_destroy(w);
}

// The sag of a cloth between two edges: d^3 = 3 q L^4 / (64 Y) for a strip that is free at its sides; the diagonals
// stiffen it by up to a quarter.
static void sag_converges(const char *solver, const char *law, double fine_enough) {
    double sag[6];
    for (int r = 1; r <= 5; r++) {
        char levels[80], inside[500];
        // levels are fixed: each one settles by itself
        snprintf(levels, sizeof levels, "level='%d' lowest='%d' finest='%d'", r, r, r);
        snprintf(inside, sizeof inside,
                 LUMPED "%s<Damping coefficient='%.17g'/><FixedPoints box='-0.51 -1 -1 -0.49 1 1 "
                        "0.49 -1 -1 0.51 1 1'/>",
                 law, 0.9 / pow((double)((1 << r) + 1), 2));
        TacWorld *w = cloth_world(levels, 5, solver, inside, "0 -9.81 0", "");
        beats(w, 150);
        char path[40];
        snprintf(path, sizeof path, "/n/r%d/points", r);
        size_t side = ((size_t)1 << r) + 1;
        sag[r] = -tac_world_positions(w, tac_world_find(w, path))[3 * (side * (side / 2) + side / 2) + 1];
        tac_world_destroy(w);
        if (r > 2 && fine_enough * (1 << r) <= 1)
            assert_true(fabs(sag[r] - sag[r - 1]) < 0.6 * fabs(sag[r - 1] - sag[r - 2]));
        if (fine_enough * (1 << r) > 1) break;
        if (r >= 3) {
            double soft = cbrt(3 * 0.3 * 9.81 / (64 * 200)), stiff = cbrt(3 * 0.3 * 9.81 / (64 * 250));
            assert_true(sag[r] < soft && sag[r] > 0.98 * stiff);
        }
    }
}

static void test_sag_does_not_depend_on_the_level(void **state) {
    (void)state;
    sag_converges("<ImplicitEuler/><ConjugateGradient iterations='150' tolerance='1e-6'/>", SPRINGS,
                  1.0 / 32);
    // Spook bears 8 pieces a side here, by its own measure
    sag_converges("<Spook/>", "<MembraneJoints stiffness='200' damping='0.05'/>", 1.0 / 8);
}

// --- who gets which level -------------------------------------------------------------------------------------

#define FALLING IMPLICIT LUMPED

static void test_the_view_refines_what_it_looks_at(void **state) {
    (void)state;
    char buffer[8192];
    Text t = {buffer, sizeof buffer, 0};
    put(&t, "<tactus version='1' dt='${1/60}' gravity='0 0 0'>");
    // time for one fine cloth: a point costs 0.1 ms, and 50 ms are there
    put_cloth(&t, "a", "level='0' cost='0.0001' time_limit='0.05'", 4, IMPLICIT, LUMPED);
    put(&t, "<node name='far'>");
    put_cloth(&t, "b", "level='0' cost='0.0001' time_limit='0.05'", 4, IMPLICIT, LUMPED);
    put(&t, "</node><ViewPath times='0 0.5 0.6 1.2' eyes='0 1 3  0 1 3  20 1 3  20 1 3' targets='0 0 0  0 0 "
            "0  20 0 0  20 "
            "0 0'/></tactus>");
    // the second cloth stands 20 m away
    char *second = strstr(buffer, "<node name='far'>");
    for (char *p = second; (p = strstr(p, "<Points/>")); p++) {
        memmove(p + 30, p + 9, strlen(p + 9) + 1);
        memcpy(p, "<Points translation='20 0 0'/>", 30);
    }
    TacWorld *w = world_of(buffer);
    beats(w, 25);
    double near_level = number(w, "/a/levels", TAC_LEVELS_LEVEL),
           far_level = number(w, "/far/b/levels", TAC_LEVELS_LEVEL);
    assert_true(number(w, "/a/levels", TAC_LEVELS_ATTENTION) > 100);
    near(number(w, "/far/b/levels", TAC_LEVELS_ATTENTION), 1, 0);
    assert_true(near_level == 4 && far_level < 4);
    beats(w, 35);
    assert_true(number(w, "/far/b/levels", TAC_LEVELS_LEVEL) == 4 &&
                number(w, "/a/levels", TAC_LEVELS_LEVEL) < 4);
    // the camera of a live view takes the path's place
    TacError error;
    TacInput camera = {.kind = TAC_INPUT_CAMERA, .a = {0, 1, 3}, .b = {0, 0, 0}};
    assert_int_equal(tac_world_input(w, &camera, &error), TAC_OK);
    beats(w, 15);
    assert_true(number(w, "/a/levels", TAC_LEVELS_LEVEL) == 4 &&
                number(w, "/far/b/levels", TAC_LEVELS_LEVEL) < 4);
    // what is selected counts wherever somebody looks
    camera.b = tac_vec3(0, 1, 9);
    assert_int_equal(tac_world_input(w, &camera, &error), TAC_OK);
    TacInput select = {.kind = TAC_INPUT_SELECT, .component = tac_world_find(w, "/far/b/r4/points")};
    assert_int_equal(tac_world_input(w, &select, &error), TAC_OK);
    beats(w, 15);
    assert_true(number(w, "/far/b/levels", TAC_LEVELS_LEVEL) == 4 &&
                number(w, "/a/levels", TAC_LEVELS_LEVEL) < 4);
    tac_world_destroy(w);
}

static void test_focus_and_dips_of_the_scene(void **state) {
    (void)state;
    TacWorld *w =
        cloth_world("level='2' cost='0.0001' time_limit='0.004' focus='0.5 1 1e6' dips='1 2 0.0005' "
                    "gamma_time='2000'",
                    4, IMPLICIT, LUMPED, "0 0 0", "");
    beats(w, 20);
    double calm = number(w, "/n/levels", TAC_LEVELS_LEVEL);
    assert_true(number(w, "/n/levels", TAC_LEVELS_TIME) > 0.5);
    beats(w, 25);
    assert_true(number(w, "/n/levels", TAC_LEVELS_LEVEL) > calm);
    beats(w, 25);
    assert_true(number(w, "/n/levels", TAC_LEVELS_LEVEL) < calm);
    tac_world_destroy(w);
}

static void test_what_a_hand_holds_is_there(void **state) {
    (void)state;
    TacWorld *w =
        cloth_world("level='0' cost='0.0001' time_limit='0.001'", 4, IMPLICIT, LUMPED SPRINGS, "0 0 0", "");
    TacError error;
    beats(w, 3);
    assert_true(number(w, "/n/levels", TAC_LEVELS_LEVEL) < 4);
    TacComponentId finest = tac_world_find(w, "/n/r4/points");
    assert_int_equal(tac_world_grab(w, 0, finest, 144, tac_vec3(0, 0.5, 0), 20, &error), TAC_OK);
    beats(w, 60);
    assert_true(number(w, "/n/levels", TAC_LEVELS_LEVEL) == 4);
    assert_true(tac_world_positions(w, finest)[3 * 144 + 1] > 0.2); // it was pulled
    assert_int_equal(tac_world_release(w, 0, NULL, &error), TAC_OK);
    beats(w, 5);
    assert_true(number(w, "/n/levels", TAC_LEVELS_LEVEL) < 4);
    tac_world_destroy(w);
}

// A crate falls as one frame and is a solid when it lands.
static void test_a_blow_refines(void **state) {
    (void)state;
    static const char text[] = "<tactus version='1' dt='0.005'><node name='n'><Levels name='levels' "
                               "level='0' blow='40' memory='0.3' "
                               "costs='0.0001 0.01' time_limit='0.005' gamma_time='1000' attention='1e6'/>"
                               "<node name='one'><SymplecticEuler/><Frames positions='0 1 0 0 0 0 "
                               "1'/><UniformMass mass='2' box='1 1 1'/>"
                               "<node name='hull'><Box low='-.5 -.5 -.5' high='.5 .5 "
                               ".5'/><Points/><RigidMap/><Plane stiffness='2e4' "
                               "damping='50'/></node></node>"
                               "<node name='solid'><ImplicitEuler/><Grid counts='3 3 3' low='-.5 -.5 -.5' "
                               "high='.5 .5 .5' split='true'/>"
                               "<Points translation='0 1 0'/><DiagonalMass density='2'/><Tetrahedra "
                               "young='2e4'/><Plane stiffness='2e4' "
                               "damping='50'/></node></node></tactus>";
    TacWorld *w = world_of(text);
    beats(w, 60);
    near(number(w, "/n/levels", TAC_LEVELS_LEVEL), 0, 0);
    near(number(w, "/n/levels", TAC_LEVELS_CHANGES), 0, 0);
    beats(w, 20);
    near(number(w, "/n/levels", TAC_LEVELS_LEVEL), 1, 0);
    beats(w, 300);
    near(number(w, "/n/levels", TAC_LEVELS_LEVEL), 0, 0); // it has come to rest
    double height = tac_world_positions(w, tac_world_find(w, "/n/one/frames"))[1];
    near(height, 0.5, 0.02);
    tac_world_destroy(w);
}

// An explicit solver at 1/60 s: as one knows beforehand, w = 2/h is the limit. The adaptive cloth stays, the finest
// grid alone blows up.
static void test_robustness_of_explicit_models(void **state) {
    (void)state;
    static const char inside[] = "<DiagonalMass density='1'/><MeshSprings membrane='60'/>"
                                 "<FixedPoints box='-0.51 -1 -1 -0.49 1 1'/>";
    TacWorld *w = cloth_world("level='0'", 4, "<SymplecticEuler/>", inside, "0 -9.81 0", "");
    TacLevels *l = levels_at(w, "/n/levels");
    beats(w, 300);
    int level = (int)number(w, "/n/levels", TAC_LEVELS_LEVEL);
    assert_true(level > 0 && level < 4);
    // the table: a grid of springs k on masses m has at most w^2 = 8 k/m and more with its diagonals
    for (size_t k = 1; k < l->count; k++) assert_true(l->table[k] > 1.7 * l->table[k - 1]);
    assert_true(l->table[level] < 120 && l->table[level + 1] > 0.9 * 120);
    assert_true(isfinite(tac_world_energy(w).total) && tac_world_energy(w).kinetic < 10);
    tac_world_destroy(w);
    w = cloth_world("level='4' lowest='4'", 4, "<SymplecticEuler/>", inside, "0 -9.81 0", "");
    TacError error;
    bool lost = tac_world_advance_beats(w, 300, &error) != TAC_OK || !(tac_world_energy(w).kinetic < 10);
    assert_true(lost);
    tac_world_destroy(w);
}

// Spook's cloth between two edges coarsens when it is pulled hard: the tension of its rows is the measure.
static void test_robustness_by_tension(void **state) {
    (void)state;
    static const char inside[] =
        LUMPED "<MembraneJoints stiffness='200' damping='0.05'/><FixedPoints box='-0.51 -1 -1 "
               "-0.49 1 1 0.49 -1 -1 0.51 1 1'/>";
    TacWorld *w = cloth_world("", 5, "<Spook/>", inside, "0 -9.81 0", "");
    beats(w, 240);
    double level = number(w, "/n/levels", TAC_LEVELS_LEVEL),
           fast = number(w, "/n/levels", TAC_LEVELS_FREQUENCY);
    assert_true(level >= 2 && level <= 4);
    // tension q L^2 / (8 d) along x on both sides of a point, no more than twice that with diagonals
    double pull = 0.3 * 9.81 / (8 * 0.085), mass = 0.3 / pow(4, level);
    assert_true(fast > sqrt(2 * 2 * pull / mass) * 0.9 && fast < sqrt(2 * 4 * pull / mass) * 1.1);
    near(number(w, "/n/levels", TAC_LEVELS_CRITICAL), 60, 1e-9);
    tac_world_destroy(w);
}

// Estimates follow the living model: unmoved it is what the table says.
static void test_watching_frequencies(void **state) {
    (void)state;
    TacWorld *w =
        cloth_world("level='2' lowest='2' finest='2' watch='40'", 3, "<SymplecticEuler/>",
                    "<DiagonalMass density='1'/><MeshSprings membrane='10' stable='false'/>", "0 0 0", "");
    TacLevels *l = levels_at(w, "/n/levels");
    beats(w, 1);
    near(number(w, "/n/levels", TAC_LEVELS_FREQUENCY), l->table[2], 1e-9 * l->table[2]);
    // stretched to twice its size, springs resist crosswise as well: half as much again at most
    const TacMatter *m = living(l)->matter;
    for (size_t i = 0; i < 3 * m->count; i++) m->vectors[TAC_X][i] *= 2;
    beats(w, 1);
    double now = number(w, "/n/levels", TAC_LEVELS_FREQUENCY);
    assert_true(now > 1.02 * l->table[2] && now < 1.6 * l->table[2]);
    tac_world_destroy(w);
}

static void test_measured_costs_and_the_sphere(void **state) {
    (void)state;
    TacWorld *w =
        cloth_world("level='0' costs_from='measured' time_limit='10'", 3, IMPLICIT, LUMPED, "0 0 0", "");
    beats(w, 20);
    near(number(w, "/n/levels", TAC_LEVELS_LEVEL), 3, 0); // ten seconds are enough for anything
    assert_true(levels_at(w, "/n/levels")->measured > 0);
    near(number(w, "/n/levels", TAC_LEVELS_ATTENTION), 1, 0);
    TacError error;
    assert_int_equal(tac_world_sphere(w, tac_vec3(0, 0.3, 0), 0.2, &error), TAC_OK);
    beats(w, 1);
    near(number(w, "/n/levels", TAC_LEVELS_ATTENTION), 1000, 1e-9);
    assert_int_equal(tac_world_sphere(w, tac_vec3(0, 30, 0), 0.2, &error), TAC_OK);
    beats(w, 1);
    near(number(w, "/n/levels", TAC_LEVELS_ATTENTION), 1, 0);
    tac_world_destroy(w);
}

// --- local resolution -------------------------------------------------------------------------------------------

// Four quarters: a coarse sheet, four that are fine in one quarter, one that is fine everywhere.
static TacWorld *quarters(const char *levels, const char *inside, const char *more) {
    char buffer[8192];
    Text t = {buffer, sizeof buffer, 0};
    static const char *const sheets[] = {"divisions='4'",
                                         "divisions='4' fine='-1 -1 -0.01 -0.01' halvings='2'",
                                         "divisions='4' fine='0.01 -1 1 -0.01' halvings='2'",
                                         "divisions='4' fine='-1 0.01 -0.01 1' halvings='2'",
                                         "divisions='4' fine='0.01 0.01 1 1' halvings='2'",
                                         "divisions='16'"};
    put(&t, "<tactus version='1' dt='${1/60}' gravity='0 0 0'><node name='n'><Levels name='levels' %s/>",
        levels);
    for (size_t k = 0; k < 6; k++)
        put(&t, "<node name='m%zu'>" IMPLICIT "<Sheet width='2' depth='2' %s/><Points/>%s</node>", k,
            sheets[k], inside);
    put(&t, "</node>%s</tactus>", more);
    return world_of(buffer);
}

static void test_models_fine_in_different_places(void **state) {
    (void)state;
    TacRandom random = tac_random(7, 1);
    static const char *const masses[] = {LUMPED, "<MatrixMass density='0.3'/>"};
    for (int k = 0; k < 2; k++) {
        TacWorld *w = quarters("local='true'", masses[k], "");
        for (int trial = 0; trial < 5; trial++) keep_all(w, "/n/levels", &random, 30);
        tac_world_destroy(w);
        keep_uniform(quarters("local='true'", masses[k], ""), &random);
    }
}

static void test_the_quarter_in_view_is_fine(void **state) {
    (void)state;
    // from above; there is time for one fine quarter, not for four
    TacWorld *w = quarters("local='true' level='0' patience='0' cost='1e-5' time_limit='0.002'", LUMPED, "");
    TacLevels *l = levels_at(w, "/n/levels");
    assert_true(l->models[1].matter->count < 170 && l->models[5].matter->count > 250);
    for (int k = 0; k < 8; k++) {
        int quarter = (k * 3) % 4;
        TacError error;
        TacInput camera = {.kind = TAC_INPUT_CAMERA,
                           .a = {0, 6, 0.1},
                           .b = {quarter % 2 ? 0.5 : -0.5, 0, quarter / 2 ? 0.5 : -0.5}};
        assert_int_equal(tac_world_input(w, &camera, &error), TAC_OK);
        beats(w, 3);
        near(number(w, "/n/levels", TAC_LEVELS_LEVEL), 1 + quarter, 0);
    }
    tac_world_destroy(w);
}

// --- idle models ----------------------------------------------------------------------------------------------

// Only one of them weighs, falls, and is energy; the others are seen where it is.
static void test_idle_models_are_not_felt(void **state) {
    (void)state;
    TacWorld *w = crate_world("0 -10 0", "", "");
    near(tac_world_energy(w).kinetic, 0, 0.2);
    beats(w, 60);
    near(tac_world_momentum(w).linear.y, -2 * 10, 0.5); // 2 kg for a second, half a kick more
    near(tac_world_energy(w).kinetic, 0.5 * 2 * 100, 5);
    near(tac_world_energy(w).weight, -2 * 10 * 5, 5);
    for (int k = 0; k < 3; k++) {
        static const char *const paths[] = {"/n/one/frames", "/n/eight/frames", "/n/solid/points"};
        const TacMatter *m = matter_of(w, paths[k]);
        const double *x = tac_world_positions(w, tac_world_find(w, paths[k]));
        double sum = 0;
        for (size_t i = 0; i < m->count; i++) sum += x[(size_t)m->position_size * i + 1] / (double)m->count;
        near(sum, -5.08, 0.1);
    }
    TacError error;
    double v[6] = {0};
    assert_int_equal(tac_world_set_state(w, tac_world_find(w, "/n/one/frames"), NULL, v, &error),
                     TAC_BAD_USAGE);
    assert_non_null(strstr(error.message, "idle"));
    tac_world_destroy(w);
}

// A crate as a shape on a frame, and as points with balls, on the ground: whichever lives touches, the other does not.
static void test_idle_models_touch_nothing(void **state) {
    (void)state;
    for (int level = 0; level < 2; level++) {
        char text[1200];
        snprintf(
            text, sizeof text,
            "<tactus version='1' dt='0.005'><node name='ground'><Frames/><Shape shape='half_space'/></node>"
            "<node name='n'><Levels name='levels' level='%d' lowest='%d' finest='%d'/>"
            "<node name='one'><SymplecticEuler/><Frames positions='0 0.5 0 0 0 0 1'/><UniformMass mass='2' "
            "box='.4 "
            ".4 .4'/><Shape shape='box' size='.4 .4 .4'/></node>"
            "<node name='solid'><ImplicitEuler/><Grid counts='3 3 3' low='-.2 -.2 -.2' high='.2 .2 .2' "
            "split='true'/><Points translation='0 0.5 0'/><DiagonalMass density='31.25'/><Tetrahedra "
            "young='1e5'/><Balls radius='0.01'/></node></node></tactus>",
            level, level, level);
        TacWorld *w = world_of(text);
        beats(w, 400);
        double height = tac_world_positions(w, tac_world_find(w, "/n/one/frames"))[1];
        near(height, level ? 0.21 : 0.2, 0.02);
        assert_true(tac_world_contact_count(w) > 0);
        near(tac_world_momentum(w).linear.y, 0, 0.1);
        tac_world_destroy(w);
    }
}

// The same crate changes its model every few steps while it lands and lies there: it stays on the ground.
static void test_random_models_in_contact(void **state) {
    (void)state;
    TacRandom random = tac_random(8, 1);
    static const char text[] =
        "<tactus version='1' dt='0.005'><node name='ground'><Frames/><Shape shape='half_space'/></node>"
        "<node name='n'><Levels name='levels' level='0'/>"
        "<node name='one'><SymplecticEuler/><Frames positions='0 0.5 0 0 0 0 1'/><UniformMass mass='2' "
        "box='.4 .4 .4'/>"
        "<Shape shape='box' size='.4 .4 .4'/></node>"
        "<node name='solid'><ImplicitEuler/><Grid counts='3 3 3' low='-.2 -.2 -.2' high='.2 .2 .2' "
        "split='true'/><Points "
        "translation='0 0.5 0'/><DiagonalMass density='31.25'/><Tetrahedra young='1e5'/><Balls "
        "radius='0.001'/></node>"
        "</node></tactus>";
    TacWorld *w = world_of(text);
    TacLevels *l = levels_at(w, "/n/levels");
    for (int i = 0; i < 150; i++) {
        l->state->wanted = (int64_t)tac_random_between(&random, 0, 1.999);
        beats(w, 4);
        double height = tac_model_motion(living(l)).centre.y;
        assert_true(height > 0.15 && height < 0.51);
        w->shown = -1; // what is shown was written over
        if (i > 100) near(height, 0.2, 0.01);
    }
    assert_true(number(w, "/n/levels", TAC_LEVELS_CHANGES) > 50);
    assert_true(fabs(tac_model_motion(living(l)).linear.y) < 0.5);
    tac_world_destroy(w);
}

// --- the same bits ----------------------------------------------------------------------------------------------

static TacWorld *busy(int threads) {
    char buffer[8192];
    Text t = {buffer, sizeof buffer, 0};
    put(&t, "<tactus version='1' dt='${1/60}'>");
    put_cloth(&t, "n",
              "level='1' cost='2e-5' time_limit='0.02' gamma_time='200' weight_time='10' patience='0' "
              "focus='0.2 0.4 1000 0.6 0.8 1000'",
              5, IMPLICIT, LUMPED SPRINGS "<FixedPoints box='-0.51 -1 -0.51 -0.49 1 -0.49'/>");
    put(&t, "</tactus>");
    TacScene *scene = empty_scene();
    TacError error;
    assert_int_equal(tac_scene_parse(scene, "test.tac", buffer, strlen(buffer), &error), TAC_OK);
    TacWorldDef def = tac_world_def_default();
    def.threads = threads;
    TacWorld *w = NULL;
    assert_int_equal(tac_world_create(&w, scene, &def, &error), TAC_OK);
    tac_scene_destroy(scene);
    return w;
}

static void test_same_bits_for_threads_and_looking(void **state) {
    (void)state;
    TacWorld *w[3] = {busy(1), busy(3), busy(1)};
    for (int i = 0; i < 60; i++) {
        for (int k = 0; k < 3; k++) beats(w[k], 1);
        tac_world_energy(w[2]); // prepares the instant early
    }
    assert_true(number(w[0], "/n/levels", TAC_LEVELS_CHANGES) >= 4);
    uint64_t hash = tac_world_hash(w[0]);
    assert_true(tac_world_hash(w[1]) == hash);
    assert_true(tac_world_hash(w[2]) == hash);
    for (int k = 0; k < 3; k++) tac_world_destroy(w[k]);
}

// Saved at every tenth beat, changes of level on both sides.
static void test_same_bits_after_restore(void **state) {
    (void)state;
    TacWorld *w = busy(1), *other = busy(1);
    TacError error;
    size_t bytes = tac_world_snapshot_size(w);
    void *data = malloc(bytes);
    assert_non_null(data);
    for (int i = 0; i < 6; i++) {
        beats(w, 9);
        if (i % 2) tac_world_energy(w);
        assert_int_equal(tac_world_save(w, data, bytes, &error), TAC_OK);
        assert_int_equal(tac_world_restore(other, data, bytes, &error), TAC_OK);
        beats(other, 7);
        uint64_t later = tac_world_hash(other);
        assert_int_equal(tac_world_save(w, data, bytes, &error), TAC_OK);
        beats(w, 7);
        assert_true(tac_world_hash(w) == later);
        assert_int_equal(tac_world_restore(w, data, bytes, &error), TAC_OK);
    }
    free(data);
    tac_world_destroy(w);
    tac_world_destroy(other);
}

// --- what cannot be -------------------------------------------------------------------------------------------

#define ONE(more) "<node name='a'><SymplecticEuler/>" THREE_POINTS "<UniformMass/>" more "</node>"
#define MESH      "<Mesh at='0 0 0 1 0 0 0 1 0' with_triangles='0 1 2'/><Points/>"
#define TWO(given)                                                                                           \
    "~<Levels " given "/>"                                                                                   \
    "<node name='a'><SymplecticEuler/>" MESH "<UniformMass/></node>"                                         \
    "<node name='b'><SymplecticEuler/>" MESH "<UniformMass/></node>"

static void test_bad_input(void **state) {
    (void)state;
    REFUSED(IN_NODE("~<Levels/>"), "no agents", "two models");
    REFUSED(IN_NODE("~<Levels/>" ONE("")), "one agent");
    REFUSED(IN_NODE("~<Levels/>" ONE("") "<node name='b'><SymplecticEuler/>" MESH "<UniformMass/></node>"),
            "no topology", "/n/a/points");
    REFUSED(IN_NODE("~<Levels/>"
                    "<node name='a'><SymplecticEuler/>" MESH "<UniformMass/></node>"
                    "<node name='b'><SymplecticEuler/>" MESH "<UniformMass mass='2'/></node>"),
            "same mass", "3 kg", "6 kg");
    REFUSED(IN_NODE("~<Levels/>"
                    "<node name='a'><SymplecticEuler/>" MESH "<UniformMass total='1'/></node>"
                    "<node name='b'><SymplecticEuler/><Frames/><UniformMass/></node>"),
            "frames come before points");
    REFUSED(
        IN_NODE(
            "~<Levels/>"
            "<node name='a'><SymplecticEuler/><Sheet divisions='2'/><Points/><UniformMass total='1'/></node>"
            "<node name='b'><SymplecticEuler/><Sheet divisions='1'/><Points/><UniformMass "
            "total='1'/></node>"),
        "from coarse to fine", "/n/a/points is finer");
    REFUSED(IN_NODE("~<Levels local='true'/>"
                    "<node name='a'><SymplecticEuler/><Frames/><UniformMass total='1'/></node>"
                    "<node name='b'><SymplecticEuler/><Sheet divisions='1'/><Points/><UniformMass "
                    "total='1'/></node>"),
            "models of points", "/n/a/frames");
    REFUSED(IN_NODE("<Levels/><node name='m'>" TWO("") "</node>"), "/n/levels stands above it");
    REFUSED(IN_NODE("<Levels name='one'/>" TWO("")), "/n/one stands in the same node");
    REFUSED(IN_NODE("<Levels/><node name='c'>~<SymplecticEuler/><node name='p'>" MESH
                    "<UniformMass/></node><node name='q'>" MESH "<UniformMass/></node></node>" ONE("")),
            "2 independent matters");
    REFUSED(
        IN_NODE(
            "<Levels/><node name='c'><Spook/><Line divisions='2'/><Points/>~<Wire mass='1'/></node>" ONE("")),
        "changes its resolution itself");
    REFUSED(IN_NODE("<Levels/><node name='c'><SymplecticEuler/>~<Points dimension='2' positions='0 0 1 "
                    "1'/><UniformMass/></node>" ONE("")),
            "in space");
    REFUSED(IN_NODE("<Sheet fine='~0 0 1'/><Points/>"), "four were expected");
    REFUSED(IN_NODE("~<Sheet fine='0 0 1 1' halvings='9'/><Points/>"), "0 to 8 times");
    REFUSED(IN_NODE("~<Levels/><SymplecticEuler/>" MESH "<UniformMass/>"), "stands beside it");
    REFUSED(IN_NODE(TWO("finest='2'")), "levels 0 to 1");
    REFUSED(IN_NODE(TWO("lowest='1' finest='0'")), "lowest is 1");
    REFUSED(IN_NODE(TWO("level='0' lowest='1'")), "cannot start at level 0");
    REFUSED(IN_NODE(TWO("costs='1'")), "costs has 1 numbers", "2 models");
    REFUSED(IN_NODE("<Levels focus='~1 2'/>" ONE("")), "begin, end and factor");
    REFUSED(IN_NODE("<Levels dips='~1'/>" ONE("")), "begin, end and limit");
    REFUSED(IN_NODE("<Levels accuracies='~1 2'/>" ONE("")), "up to 1");
    REFUSED(IN_NODE("<Levels attention='~0.5'/>" ONE("")), "cannot count less");
    REFUSED(SCENE("<ViewPath times='~1 0' eyes='0 0 0 0 0 0' targets='0 0 0 0 0 0'/>"),
            "does not come after");
    REFUSED(SCENE("<ViewPath times='0 1' eyes='~0 0 0' targets='0 0 0 0 0 0'/>"), "three for each");
    REFUSED(IN_NODE("<SymplecticEuler/>" THREE_POINTS "<UniformMass/>~<MeshSprings membrane='1'/>"),
            "topology");
    REFUSED(IN_NODE("<Spook/>" THREE_POINTS "<UniformMass/>~<MembraneJoints stiffness='1'/>"), "triangles");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_changes_of_a_cloth_keep_mass_and_momentum),
        cmocka_unit_test(test_changes_of_a_crate_keep_mass_and_momentum),
        cmocka_unit_test(test_uniform_motion_stays_uniform),
        cmocka_unit_test(test_spin_of_spread_and_lumped_masses),
        cmocka_unit_test(test_a_crate_becomes_one_frame),
        cmocka_unit_test(test_frames_follow_their_parts),
        cmocka_unit_test(test_halves_take_up_spins),
        cmocka_unit_test(test_random_levels_while_flying),
        cmocka_unit_test(test_steps_may_differ),
        cmocka_unit_test(test_held_corners_stay),
        cmocka_unit_test(test_released_corners),
        cmocka_unit_test(test_sag_does_not_depend_on_the_level),
        cmocka_unit_test(test_the_view_refines_what_it_looks_at),
        cmocka_unit_test(test_focus_and_dips_of_the_scene),
        cmocka_unit_test(test_what_a_hand_holds_is_there),
        cmocka_unit_test(test_a_blow_refines),
        cmocka_unit_test(test_robustness_of_explicit_models),
        cmocka_unit_test(test_robustness_by_tension),
        cmocka_unit_test(test_watching_frequencies),
        cmocka_unit_test(test_measured_costs_and_the_sphere),
        cmocka_unit_test(test_models_fine_in_different_places),
        cmocka_unit_test(test_the_quarter_in_view_is_fine),
        cmocka_unit_test(test_idle_models_are_not_felt),
        cmocka_unit_test(test_idle_models_touch_nothing),
        cmocka_unit_test(test_random_models_in_contact),
        cmocka_unit_test(test_same_bits_for_threads_and_looking),
        cmocka_unit_test(test_same_bits_after_restore),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
