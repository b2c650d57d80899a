// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Tension and stress that are shown, against what statics says: bars, cantilevers, shafts, plates, bent sheets, ropes,
// cloths, springs and liaisons under a known load. (look_test.c has solids, membranes and wires.)

#define _GNU_SOURCE
#include "look_checks.h"

#include <stdarg.h>

__attribute__((format(printf, 1, 2))) static TacWorld *make(const char *format, ...) {
    char text[4000];
    va_list list;
    va_start(list, format);
    int n = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    assert_true(n > 0 && (size_t)n < sizeof text);
    return world_of(text);
}

static double one(TacWorld *w, TacScalar what, const char *path, size_t point) {
    float *all = numbers(w, what, path);
    assert_non_null(all);
    double value = (double)all[point];
    free(all);
    return value;
}

// --- beams ------------------------------------------------------------------------------------------------

// Four beams in a row, clamped at the first frame, with a force and a torque on the last one, at rest.
static TacWorld *rod(const char *section, const char *load) {
    return make("<tactus version='1' dt='0.01' gravity='0 0 0'><node name='n'>"
                "<Static newton_iterations='30'/><SparseDirect/>"
                "<Line divisions='4' from='0 0 0' to='1 0 0'/><Frames positions='0 0 0 0 0 0 1  0.25 0 0 0 0 "
                "0 1  0.5 0 0 0 0 0 1  0.75 0 0 0 0 0 1  1 0 0 0 0 0 1'/><UniformMass mass='1'/>"
                "<Beams young='2e9' poisson='0.25' %s/><FixedPoints points='0'/>"
                "<ConstantForce points='4' %s/></node></tactus>",
                section, load);
}

typedef struct RodCase {
    const char *section, *load;
    double root, end; // stress where it is clamped, and at the free end, Pa
} RodCase;

static void test_beams_show_what_statics_says(void **state) {
    (void)state;
    const double pi = TAC_PI, r = 0.02, area = pi * r * r, i = pi * r * r * r * r / 4;
    const double pipe = pi * (pow(0.02, 4) - pow(0.01, 4)) / 4, wide = 0.01, high = 0.03;
    const RodCase cases[] = {
        // a stretched bar: F / A everywhere
        {"radius='0.02'", "force='100 0 0  0 0 0'", 100 / area, 100 / area},
        // a cantilever: F L r / I at the clamp, nothing at the free end
        {"radius='0.02'", "force='0 3 0  0 0 0'", 3 * 1 * r / i, 0},
        // bent by a moment: the same all along; in a pipe, too
        {"radius='0.02'", "force='0 0 0  0 0 2'", 2 * r / i, 2 * r / i},
        {"radius='0.02' inner_radius='0.01'", "force='0 0 0  0 2 0'", 2 * r / pipe, 2 * r / pipe},
        // a twisted shaft: sqrt(3) T r / (2 I)
        {"radius='0.02'", "force='0 0 0  2 0 0'", sqrt(3) * 2 * r / (2 * i), sqrt(3) * 2 * r / (2 * i)},
        // a flat bar on edge and lying: 6 F L / (b h^2)
        {"width='0.01' height='0.03'", "force='0 0 1  0 0 0'", 6 * 1 / (wide * high * high), 0},
        {"width='0.01' height='0.03'", "force='0 1 0  0 0 0'", 6 * 1 / (high * wide * wide), 0},
    };
    for (size_t k = 0; k < TAC_COUNT(cases); k++) {
        TacWorld *w = rod(cases[k].section, cases[k].load);
        beats(w, 3);
        float *s = numbers(w, TAC_SCALAR_STRESS, "/n/frames");
        assert_non_null(s);
        // small strains: the rest is that the load turns the rod
        near((double)s[0], cases[k].root, 0.01 * cases[k].root);
        near((double)s[4], cases[k].end, 0.01 * cases[k].root);
        free(s);
        near(one(w, TAC_SCALAR_TENSION, "/n/frames", 2), k == 0 ? 100 : 0, 0.1);
        tac_world_destroy(w);
    }
    // pull and bending add at the rim, with the shear of torsion as von Mises has it; where the load is, which bends
    // the rest back a little
    TacWorld *w = rod("radius='0.02'", "force='100 0 0  1.5 0 2'");
    beats(w, 3);
    double along = 100 / area + 2 * r / i, shear = 1.5 * r / (2 * i), mises = hypot(along, sqrt(3) * shear);
    near(one(w, TAC_SCALAR_STRESS, "/n/frames", 4), mises, 0.01 * mises);
    tac_world_destroy(w);
}

// --- plates and sheets --------------------------------------------------------------------------------------

// A strip of plates pulled by its end: F / (width thickness). Sheared out of its plane: 3/2 F / A at most in a beam, and
// F / A on the mean, of which von Mises makes sqrt(3).
static void test_plates_show_pull_and_shear(void **state) {
    (void)state;
    static const char *const loads[] = {"50 0 0", "0 0 50"};
    for (int k = 0; k < 2; k++) {
        TacWorld *w = make("<tactus version='1' dt='0.01' gravity='0 0 0'><node name='n'>"
                           "<Static newton_iterations='30'/><SparseDirect/>"
                           "<Grid counts='5 2 1' low='0 0 0' high='2 0.5 0'/><Points/>"
                           "<UniformMass mass='1'/><Plates young='1e9' poisson='0' thickness='0.02'/>"
                           "<FixedPoints points='0 5'/><ConstantForce points='4 9' force='%s'/>"
                           "</node></tactus>",
                           loads[k]);
        beats(w, 3);
        double area = 0.5 * 0.02, mean = 2 * 50 / area, expected = k ? sqrt(3) * mean : mean;
        near(one(w, TAC_SCALAR_STRESS, "/n/points", 2), expected, 1e-3 * expected);
        tac_world_destroy(w);
    }
}

// Two triangles bent about their common edge: the moment is the derivative of the world's energy by the angle.
static void test_bent_sheets_show_the_stress_of_their_moment(void **state) {
    (void)state;
    double energy[3], stress = 0, bent = 0.4, step = 1e-4;
    for (int k = 0; k < 3; k++) {
        double angle = bent + (k - 1) * step;
        TacWorld *w = make("<tactus version='1' dt='0.01' gravity='0 0 0'><node name='n'><SymplecticEuler/>"
                           "<Mesh at='0 1 0  0 -1 0  -1 0 0  1 0 0' with_triangles='2 3 0  3 2 1'/><Points "
                           "positions='0 %.17g %.17g  0 -1 0  -1 0 0  1 0 0'/>"
                           "<UniformMass mass='1'/><ShellBending stiffness='0.3' thickness='0.01' "
                           "flat='true'/></node></tactus>",
                           cos(angle), sin(angle));
        energy[k] = tac_world_energy(w).elastic;
        if (k == 1) stress = one(w, TAC_SCALAR_STRESS, "/n/points", 3);
        tac_world_destroy(w);
    }
    double moment = (energy[2] - energy[0]) / (2 * step) / 2; // per metre of an edge of 2 m
    assert_true(moment > 0);
    near(stress, 6 * moment / (0.01 * 0.01), 1e-5 * stress);
    TacWorld *w = make("<tactus version='1' dt='0.01'><node name='n'><SymplecticEuler/><Sheet/><Points/>"
                       "<UniformMass mass='1'/><ShellBending stiffness='0.3'/></node></tactus>");
    assert_false(tac_world_can_show(w, TAC_SCALAR_STRESS)); // of a sheet of unknown thickness
    tac_world_destroy(w);
}

// --- ropes and cloths -----------------------------------------------------------------------------------------

// A chain of five masses of 0.2 kg, hung up by its first: below link i hang 4 - i of them. A tension at a point is the
// larger one of its two links, which is that of the upper one.
static void check_chain(const char *solver, const char *links, double tolerance) {
    TacWorld *w = make("<tactus version='1' dt='0.01' gravity='0 -10 0'><node name='n'>%s"
                       "<Points positions='0 0 0  0 -1 0  0 -2 0  0 -3 0  0 -4 0'/><UniformMass mass='0.2'/>"
                       "%s<Damping coefficient='0.5'/><FixedPoints points='0'/></node></tactus>",
                       solver, links);
    beats(w, 1500);
    float *t = numbers(w, TAC_SCALAR_TENSION, "/n/points");
    assert_non_null(t);
    for (int i = 0; i < 5; i++) near((double)t[i], 0.2 * 10 * (i ? 5 - i : 4), tolerance);
    free(t);
    tac_world_destroy(w);
}

static void test_hanging_chains_carry_what_hangs_below(void **state) {
    (void)state;
    check_chain("<Spook/>", "<DistanceJoints pairs='0 1  1 2  2 3  3 4'/>", 0.01);
    check_chain("<Spook/>", "<DistanceJoints rope='true' pairs='0 1  1 2  2 3  3 4'/>", 0.01);
    check_chain("<ImplicitEuler/>", "<Springs pairs='0 1  1 2  2 3  3 4' stiffness='500'/>", 0.01);
}

// A square of cloth hung by its upper side: the cut at any height carries what hangs below. Of two triangles, with the
// weight on its two lower corners, the sides that go down and the diagonal share it: their vertical parts add up.
static void test_cloths_of_ties_carry_their_weight(void **state) {
    (void)state;
    TacWorld *w = make(
        "<tactus version='1' dt='0.01' gravity='0 -10 0'><node name='n'><Spook/>"
        "<Mesh at='0 0 0  1 0 0  0 -1 0  1 -1 0' with_triangles='0 2 1  1 2 3'/><Points/>"
        "<UniformMass mass='0.5'/><MembraneJoints name='ties' stiffness='1e4'/><Damping coefficient='1'/>"
        "<FixedPoints points='0 1'/></node></tactus>");
    beats(w, 2000);
    float *t = numbers(w, TAC_SCALAR_TENSION, "/n/points");
    TacReals all = tac_world_reals(w, tac_world_find(w, "/n/ties"), "tensions");
    assert_true(t && all.count == 5);
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < all.count; i++) least = fmin(least, all.data[i]), most = fmax(most, all.data[i]);
    for (int i = 0; i < 4; i++) assert_true((double)t[i] <= most + 1e-5 && (double)t[i] >= least - 1e-5);
    // point 3 hangs on side 1-3 alone, 5 N; whatever the diagonal takes of point 2's, side 0-2 takes the rest
    near((double)t[3], 5, 0.05);
    assert_true((double)t[0] > 3 && (double)t[0] < 5.05);
    free(t);
    tac_world_destroy(w);
}

// --- other springs --------------------------------------------------------------------------------------------

static void test_springs_to_rest_and_joints_carry_the_weight(void **state) {
    (void)state;
    TacWorld *w = make("<tactus version='1' dt='0.01' gravity='0 -10 0'><node name='n'><ImplicitEuler/>"
                       "<Points positions='0 0 0  1 0 0'/><UniformMass mass='0.3'/>"
                       "<RestSprings points='0' stiffness='200'/><Damping coefficient='5'/></node>"
                       "<node name='j'><ImplicitEuler/><Frames positions='0 0 0 0 0 0 1  0 -1 0 0 0 0 1  "
                       "3 0 0 0 0 0 1  3 1 0 0 0 0 1'/>"
                       "<UniformMass mass='2'/><JointSprings pairs='0 1  2 3' stiffness='5000' "
                       "turning_stiffness='100'/><Damping coefficient='20'/>"
                       "<FixedPoints points='0 2'/></node></tactus>");
    beats(w, 600);
    float *rest = numbers(w, TAC_SCALAR_TENSION, "/n/points"),
          *j = numbers(w, TAC_SCALAR_TENSION, "/j/frames");
    assert_true(rest && j);
    near((double)rest[0], 3, 0.01);
    near((double)rest[1], 0, 0);
    near((double)j[0], 20, 0.05); // hangs
    near((double)j[1], 20, 0.05);
    near((double)j[2], -20, 0.05); // stands
    near((double)j[3], -20, 0.05);
    free(rest);
    free(j);
    tac_world_destroy(w);
}

// Springs between opposite corners, each 3 m long at rest, after one is 0.5 m longer.
static void test_springs_across_edges_show_their_pull(void **state) {
    (void)state;
    TacWorld *w = make("<tactus version='1' dt='0.01' gravity='0 0 0'><node name='n'><SymplecticEuler/>"
                       "<Mesh at='0 1.5 0  0 -1.5 0  -1 0 0  1 0 0' with_triangles='2 3 0  3 2 1'/>"
                       "<Points/><UniformMass mass='1'/><BendingSprings way='opposite' stiffness='40'/>"
                       "</node></tactus>");
    const double moved[12] = {0, 2, 0, 0, -1.5, 0, -1, 0, 0, 1, 0, 0};
    assert_int_equal(tac_world_set_state(w, tac_world_find(w, "/n/points"), moved, NULL, NULL), TAC_OK);
    near(one(w, TAC_SCALAR_TENSION, "/n/points", 0), 20, 1e-5);
    near(one(w, TAC_SCALAR_TENSION, "/n/points", 2), 0, 0);
    tac_world_destroy(w);
}

// A spring-like liaison of 100 N/m that is at rest at 1 m and reaches to 3 m, by flat arrays and by lists.
static void test_liaisons_show_their_strongest_pull(void **state) {
    (void)state;
    static const char scene[] =
        "<tactus version='1' dt='0.01' gravity='0 0 0'><node name='n'><SymplecticEuler/>"
        "<Points positions='0 0 0  0.7 0 0  2 0 0%s'/><UniformMass mass='1'/>"
        "<Liaisons slopes='0 -100' thresholds='0 1' zero='1'/></node></tactus>";
    char far[3000] = "";
    for (int i = 0; i < 120; i++) // alone, every one of them: enough balls for lists
        snprintf(far + strlen(far), sizeof far - strlen(far), "  %d 9 0", 5 * i);
    for (int listed = 0; listed < 2; listed++) {
        TacWorld *w = make(scene, listed ? far : "");
        float *t = numbers(w, TAC_SCALAR_TENSION, "/n/points");
        assert_non_null(t);
        near((double)t[0], -30, 1e-4); // pushed away by a ball 0.3 m too near
        near((double)t[1], -30, 1e-4);
        near((double)t[2], 0, 0);
        free(t);
        tac_world_destroy(w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beams_show_what_statics_says),
        cmocka_unit_test(test_plates_show_pull_and_shear),
        cmocka_unit_test(test_bent_sheets_show_the_stress_of_their_moment),
        cmocka_unit_test(test_hanging_chains_carry_what_hangs_below),
        cmocka_unit_test(test_cloths_of_ties_carry_their_weight),
        cmocka_unit_test(test_springs_to_rest_and_joints_carry_the_weight),
        cmocka_unit_test(test_springs_across_edges_show_their_pull),
        cmocka_unit_test(test_liaisons_show_their_strongest_pull),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
