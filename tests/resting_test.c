// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Tests of loose contact at rest and in a hit, with whatever sizes, masses, materials, steps and solvers somebody may
// choose: stacks stand, boxes and hulls stick and slide on slopes as Coulomb says, hits give back what the restitution says.

#define _GNU_SOURCE
#include "world_fixture.h"

#include <math.h>

// --- stacks -----------------------------------------------------------------------------------------------

enum { BOXES = 10 };

typedef struct Stack {
    const char *attributes, *solver;
    double step, wide, high, mass, restitution, friction;
    double seconds;
    int turn;   // degrees, of each box against the one below; 0: 7
    bool mixed; // steps, priorities, sizes, masses, and every fourth solver differ
} Stack;

static void write_box(FILE *f, const Stack *s, int i, double *top) {
    double wide = s->wide, high = s->high, mass = s->mass;
    if (s->mixed) {
        fprintf(f, "<node name='b%d'><%s step='%.17g'/><Agent priority='%d'/>", i,
                i % 4 == 3 ? "ImplicitEuler" : s->solver, s->step / (1 << i % 3), i * 7 % 11);
        wide *= 1 - 0.05 * (i % 4);
        high *= 1 - 0.1 * (i % 3);
        mass *= 1 + 0.5 * (i % 3);
    } else {
        fprintf(f, "<node name='b%d'><%s/>", i, s->solver);
    }
    fprintf(f,
            "<Frames rotation='0 %d 0' translation='%g %.17g 0'/><UniformMass mass='%g' box='%g %g %g'/>"
            "<Shape size='%g %g %g' material='@/m'/></node>",
            s->turn * i, 0.025 * wide * (i % 3), *top + 0.5 * high, mass, wide, high, wide, wide, high, wide);
    *top += high;
}

// Each box a little aside of and turned against the one below.
static TacWorld *stack(const Stack *s) {
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fprintf(f,
            "<tactus version='1' dt='%g' %s><ContactMaterial name='m' restitution='%g' friction='%g'/><node "
            "name='ground'><Frames/><Shape shape='half_space' material='@/m'/></node>",
            s->step, s->attributes, s->restitution, s->friction);
    double top = 0;
    for (int i = 0; i < BOXES; i++) write_box(f, s, i, &top);
    fprintf(f, "</tactus>");
    fclose(f);
    TacWorld *world = world_of(text);
    free(text);
    return world;
}

static double tilt(const double *x) {
    TacVec3 up = tac_rotate(tac_load_quat(x + 3), tac_vec3(0, 1, 0));
    return acos(fmin(1, up.y)) * 180 / TAC_PI;
}

static void stacks_stand(void **state) {
    (void)state;
    static const char implicit[] = "ImplicitEuler", symplectic[] = "SymplecticEuler",
                      loose[] = "scheduler='loose'";
    static const Stack stacks[] = {
        {"", implicit, 0.005, 0.2, 0.2, 1, 0, 0.5, 60, 7, false},
        {"", implicit, 0.005, 0.05, 0.05, 0.1, 0.5, 0.4, 60, 7, false},
        {"", implicit, 0.004, 1, 0.4, 200, 0.8, 0.5, 60, 7, false},
        {"", implicit, 0.004, 0.2, 0.2, 1, 0.5, 0.5, 60, 7, false},
        {"", implicit, 0.002, 0.3, 0.1, 2, 0.3, 0.3, 20, 7, false},
        {"", implicit, 0.001, 0.2, 0.3, 5, 0.2, 0.8, 6, 7, false},
        {loose, implicit, 0.004, 0.2, 0.2, 1, 0.5, 0.5, 20, 7, false},
        {"", symplectic, 0.00025, 0.2, 0.2, 1, 0.8, 0.5, 2, 7, false},
        {"", symplectic, 0.00025, 0.3, 0.1, 2, 0, 0.3, 2, 7, false},
        // each an explicit agent on a time of its own
        {loose, symplectic, 0.00025, 0.2, 0.2, 1, 0, 0.5, 2, 25, false},
        {loose, symplectic, 0.00025, 0.3, 0.1, 2, 0.5, 0.3, 2, 40, true},
        {loose, symplectic, 0.0002, 0.2, 0.2, 1, 0, 0.5, 1, 15, true},
        {loose, "ExplicitEuler", 0.0001, 0.2, 0.2, 1, 0, 0.5, 1, 30, false},
    };
    for (size_t k = 0; k < sizeof stacks / sizeof stacks[0]; k++) {
        TacWorld *world = stack(&stacks[k]);
        double start[BOXES][7];
        char path[32];
        for (int i = 0; i < BOXES; i++) {
            snprintf(path, sizeof path, "/b%d/frames", i);
            memcpy(start[i], positions(world, path), sizeof start[i]);
        }
        for (int part = 0; part < 20; part++) {
            advance(world, stacks[k].seconds / 20);
            for (int i = 0; i < BOXES; i++) {
                snprintf(path, sizeof path, "/b%d/frames", i);
                const double *x = positions(world, path);
                double moved = tac_norm(tac_sub(tac_load3(x), tac_load3(start[i])));
                if (!(moved < 0.001) || !(tilt(x) < 1))
                    fail_msg("stack %zu: box %d moved %g mm and tilts %g degrees after %g s", k, i,
                             1e3 * moved, tilt(x), tac_world_time(world));
            }
        }
        tac_world_destroy(world);
    }
}

// A box falls on another one, and implicit solvers of different steps move them: nothing gets faster than it fell.
static void different_steps_feed_nothing(void **state) {
    (void)state;
    static const double steps[][2] = {{0.001, 0.00025}, {0.00025, 0.001}, {0.001, 0.0005}};
    for (size_t k = 0; k < 6; k++) {
        char *text;
        assert_true(
            asprintf(&text,
                     "<tactus version='1' dt='0.001' %s><ContactMaterial name='m' friction='0.5' "
                     "restitution='0.2'/><node name='g'><Frames/><Shape shape='half_space' material='@/m'/>"
                     "</node><node name='a'><ImplicitEuler step='%g'/><Frames translation='0 0.1 0'/>"
                     "<UniformMass mass='1' box='0.2 0.2 0.2'/><Shape size='0.2 0.2 0.2' material='@/m'/>"
                     "</node><node name='b'><ImplicitEuler step='%g'/><Frames translation='0.05 0.6 0.02' "
                     "rotation='10 20 30'/><UniformMass mass='1' box='0.2 0.2 0.2'/><Shape "
                     "size='0.2 0.2 0.2' material='@/m'/></node></tactus>",
                     k < 3 ? "" : "scheduler='loose'", steps[k % 3][0], steps[k % 3][1]) > 0);
        TacWorld *world = world_of(text);
        free(text);
        double fallen = sqrt(2 * 9.81 * 0.6);
        for (int i = 0; i < 200; i++) {
            advance(world, 0.005);
            for (int n = 0; n < 2; n++) {
                double speed = tac_norm(tac_load3(velocities(world, n ? "/b/frames" : "/a/frames")));
                if (!(speed < fallen))
                    fail_msg("pair %zu: %c goes at %g m/s after %g s", k, n ? 'b' : 'a', speed,
                             tac_world_time(world));
            }
        }
        tac_world_destroy(world);
    }
}

// --- slopes -----------------------------------------------------------------------------------------------

#define BRICK "<Shape size='0.4 0.2 0.4' material='@/m'/>"
// More corners than a pair of shapes has contact points.
#define NINE_SIDES                                                                                           \
    "<node name='hull'><Cylinder radius='0.2' height='0.2' sides='9' rings='1' rotation='0 40 0'/><Points/>" \
    "<RigidMap/><Shape shape='polyhedron' matter='@../frames' material='@/m'/></node>"

typedef struct Slider {
    const char *attributes, *solver;
    double step;
    const char *model;
} Slider;

static TacWorld *slope_world(const Slider *s, double mu, double slope) {
    char *text;
    double degrees = atan(slope) * 180 / TAC_PI;
    assert_true(asprintf(&text,
                         "<tactus version='1' dt='%g' %s><ContactMaterial name='m' friction='%g'/><node "
                         "name='ground'><Frames rotation='0 0 %.17g'/><Shape shape='half_space' "
                         "material='@/m'/></node><node name='box'>%s<Frames positions='0 0.1 0 0 0 0 1' "
                         "rotation='0 0 %.17g'/><UniformMass mass='2' box='0.4 0.2 0.4'/>%s</node></tactus>",
                         s->step, s->attributes, mu, degrees, s->solver, degrees, s->model) > 0);
    TacWorld *world = world_of(text);
    free(text);
    return world;
}

static double speed_down(TacWorld *world, double slope) {
    const double *v = velocities(world, "/box/frames");
    return -(v[0] * cos(atan(slope)) + v[1] * sin(atan(slope)));
}

static void slopes_hold_and_let_slide(void **state) {
    (void)state;
    static const Slider ways[] = {{"", "<SymplecticEuler/>", 0.001, BRICK},
                                  {"scheduler='loose'", "<SymplecticEuler/>", 0.001, BRICK},
                                  {"", "<ImplicitEuler/>", 0.001, BRICK},
                                  {"", "<ImplicitEuler/>", 0.004, BRICK},
                                  {"scheduler='loose'", "<ImplicitEuler/>", 0.004, BRICK},
                                  {"", "<SymplecticEuler/>", 0.001, NINE_SIDES},
                                  {"scheduler='loose'", "<SymplecticEuler/>", 0.001, NINE_SIDES},
                                  {"", "<ImplicitEuler/>", 0.004, NINE_SIDES},
                                  {"scheduler='loose'", "<ImplicitEuler/>", 0.004, NINE_SIDES}};
    const double frictions[] = {0.1, 0.5, 1}, over[] = {1.02, 1.5};
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++)
        for (int k = 0; k < 3; k++) {
            double mu = frictions[k];
            TacWorld *world = slope_world(&ways[w], mu, 0.98 * mu);
            double start[3];
            memcpy(start, positions(world, "/box/frames"), sizeof start);
            advance(world, 2);
            double settled[3];
            memcpy(settled, positions(world, "/box/frames"), sizeof settled);
            advance(world, 8);
            TacVec3 at = tac_load3(positions(world, "/box/frames"));
            double moved = tac_norm(tac_sub(at, tac_load3(start))),
                   crept = tac_norm(tac_sub(at, tac_load3(settled)));
            if (!(moved < 0.001) || !(crept < 1e-5))
                fail_msg("way %zu, friction %g: moved %g mm, %g mm of it after 2 s", w, mu, 1e3 * moved,
                         1e3 * crept);
            tac_world_destroy(world);
            for (int i = 0; i < 2; i++) {
                double slope = over[i] * mu, expected = 9.81 * cos(atan(slope)) * (slope - mu);
                world = slope_world(&ways[w], mu, slope);
                advance(world, 0.5); // while it settles
                double v = speed_down(world, slope);
                advance(world, 2);
                double a = (speed_down(world, slope) - v) / 2;
                if (!(fabs(a / expected - 1) < 0.03))
                    fail_msg("way %zu, friction %g, slope %g: %g m/s^2, not %g", w, mu, slope, a, expected);
                tac_world_destroy(world);
            }
        }
}

// --- hits -------------------------------------------------------------------------------------------------

// Speed at which a body comes back through the height at which it touched, over that at which it came.
static double bounce(const char *attributes, const char *solver, double step, double e, const char *model,
                     double high) {
    const double v0 = sqrt(2 * 9.81 * high);
    char *text;
    assert_true(asprintf(&text,
                         "<tactus version='1' dt='%g' %s><ContactMaterial name='m' restitution='%g'/><node "
                         "name='ground'><Frames/><Shape shape='half_space' material='@/m'/></node><node "
                         "name='ball'>%s<Frames translation='0 %.17g 0'/><UniformMass mass='1' box='0.2 "
                         "0.2 0.2'/>%s</node></tactus>",
                         step, attributes, e, solver, 0.1 + high, model) > 0);
    TacWorld *world = world_of(text);
    free(text);
    bool hit = false;
    double back = 0;
    for (double t = 0; t < v0 / 9.81 + 0.4 && back == 0; t += step) {
        advance(world, step);
        double y = positions(world, "/ball/frames")[1];
        if (y < 0.1) hit = true;
        if (hit && y >= 0.1) back = velocities(world, "/ball/frames")[1];
    }
    tac_world_destroy(world);
    return back / v0;
}

// Wherever in a step they come.
static void hits_give_back_what_they_should(void **state) {
    (void)state;
    static const char *const models[] = {"<Balls radius='0.1' material='@/m'/>",
                                         "<Shape shape='sphere' radius='0.1' material='@/m'/>",
                                         "<Shape size='0.2 0.2 0.2' material='@/m'/>"};
    static const struct {
        const char *attributes, *solver;
        double step;
    } ways[] = {{"", "<SymplecticEuler/>", 0.0005},
                {"", "<SymplecticEuler/>", 0.002},
                {"", "<ExplicitEuler/>", 0.0005},
                {"", "<RungeKutta4/>", 0.001},
                {"", "<ImplicitEuler/>", 0.0005},
                {"", "<ImplicitEuler/>", 0.002},
                {"scheduler='loose'", "<SymplecticEuler/>", 0.001},
                {"scheduler='loose'", "<ImplicitEuler/>", 0.002}};
    const double restitutions[] = {0, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 1};
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++)
        for (int m = 0; m < 3; m++)
            for (int k = 0; k < 27; k++) {
                double e = restitutions[k % 9], high = 1 + k / 9 * 0.33 * sqrt(2 * 9.81) * ways[w].step;
                double got = bounce(ways[w].attributes, ways[w].solver, ways[w].step, e, models[m], high);
                // explicit solvers may see a hit up to a step late, of the eight that it takes
                double off = e > 0.5 || strstr(ways[w].solver, "Implicit") ? 0.06 : 0.11;
                if (!(fabs(got - e) < off))
                    fail_msg("way %zu, model %d: restitution %g comes out as %g", w, m, e, got);
            }
}

// Two of equal mass, one at rest, e = 1: all goes over, for implicit agents too; and momentum with it.
static void implicit_agents_bounce_off_each_other(void **state) {
    (void)state;
    const double restitutions[] = {0, 0.5, 1};
    for (int k = 0; k < 3; k++) {
        double e = restitutions[k];
        char *text;
        assert_true(asprintf(&text,
                             "<tactus version='1' dt='0.002' gravity='0 0 0'><ContactMaterial name='m' "
                             "restitution='%g'/><node name='a'><ImplicitEuler/><Frames velocities='1 0 0 0 0 "
                             "0'/><UniformMass mass='1' inertia='4e-3 4e-3 4e-3'/><Shape shape='sphere' "
                             "radius='0.1' material='@/m'/></node><node name='b'><ImplicitEuler/><Frames "
                             "translation='0.4 0 0'/><UniformMass mass='3' inertia='4e-3 4e-3 4e-3'/><Shape "
                             "shape='sphere' radius='0.1' material='@/m'/></node></tactus>",
                             e) > 0);
        TacWorld *world = world_of(text);
        free(text);
        advance(world, 1);
        double a = velocities(world, "/a/frames")[0], b = velocities(world, "/b/frames")[0];
        if (!(fabs(a + 3 * b - 1) < 1e-3)) fail_msg("e = %g: a momentum of %g", e, a + 3 * b);
        if (!(fabs(b - a - e) < 0.05)) fail_msg("e = %g: they part with %g", e, b - a);
        tac_world_destroy(world);
    }
}

// Implicit agents that touch do not hold each other up: two boxes, one on the other, fall as one does, and a pair that
// moves along together goes on.
static void what_touches_moves_along_together(void **state) {
    (void)state;
    static const char *const pairs[] = {"translation='0 0.1995 0'", "translation='0.1995 0 0'"};
    for (int k = 0; k < 2; k++) {
        char *text;
        assert_true(
            asprintf(&text,
                     "<tactus version='1' dt='0.004' gravity='0 %s 0'><node name='a'><ImplicitEuler/><Frames "
                     "velocities='0.5 0 0 0 0 0'/><UniformMass mass='1' box='0.2 0.2 0.2'/><Shape size='0.2 "
                     "0.2 0.2'/></node><node name='b'><ImplicitEuler/><Frames %s velocities='0.5 0 0 0 0 "
                     "0'/><UniformMass mass='1' box='0.2 0.2 0.2'/><Shape size='0.2 0.2 "
                     "0.2'/></node></tactus>",
                     k == 0 ? "-9.81" : "0", pairs[k]) > 0);
        TacWorld *world = world_of(text);
        free(text);
        advance(world, 0.4);
        double x = 0.5 * (velocities(world, "/a/frames")[0] + velocities(world, "/b/frames")[0]);
        double y = 0.5 * (velocities(world, "/a/frames")[1] + velocities(world, "/b/frames")[1]);
        if (!(fabs(x - 0.5) < 0.01)) fail_msg("%d: they go on with %g m/s", k, x);
        if (k == 0 && !(fabs(y + 9.81 * 0.4) < 0.1)) fail_msg("they fall with %g m/s", y);
        tac_world_destroy(world);
    }
}

// Explicit agents of a loose world see each other where they were; a pile of them comes to rest all the same.
static void explicit_agents_of_a_loose_world_come_to_rest(void **state) {
    (void)state;
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fprintf(f, "<tactus version='1' dt='0.0005' scheduler='loose'><node name='ground'><Frames/><Shape "
               "shape='half_space'/></node>");
    for (int i = 0; i < BOXES; i++)
        fprintf(f,
                "<node name='b%d'><SymplecticEuler/><Frames translation='0 %.17g 0'/><UniformMass mass='1' "
                "box='0.2 "
                "0.2 0.2'/><Shape size='0.2 0.2 0.2'/></node>",
                i, 0.2 * (i + 0.5));
    fprintf(f, "</tactus>");
    fclose(f);
    TacWorld *world = world_of(text);
    free(text);
    advance(world, 3);
    for (int i = 0; i < BOXES; i++) {
        char path[32];
        snprintf(path, sizeof path, "/b%d/frames", i);
        double speed = tac_norm(tac_load3(velocities(world, path)));
        if (!(speed < 1e-3)) fail_msg("box %d moves with %g m/s", i, speed);
    }
    tac_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_stand),
        cmocka_unit_test(different_steps_feed_nothing),
        cmocka_unit_test(slopes_hold_and_let_slide),
        cmocka_unit_test(hits_give_back_what_they_should),
        cmocka_unit_test(implicit_agents_bounce_off_each_other),
        cmocka_unit_test(what_touches_moves_along_together),
        cmocka_unit_test(explicit_agents_of_a_loose_world_come_to_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
