// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Wires: what transitions keep, stability from 1 kg to 100 t, periods and shapes against closed forms, and the
// swinging box of the document's figure 4 against a fine reference.

#define _GNU_SOURCE
#include "agent/resolution.h"
#include "agent/wire.h"
#include "base/random.h"
#include "scene_checks.h"
#include "world/world.h"

#include <math.h>

static void beats(TacWorld *world, int n) {
    TacError error = {0};
    if (tac_world_advance_beats(world, n, &error) != TAC_OK) fail_msg("%s", error.message);
}

static TacMatter *matter_of(TacWorld *world, const char *path) {
    TacMatter *m = tac_world_get_matter(world, tac_world_find(world, path));
    assert_non_null(m);
    return m;
}

static double number(TacWorld *world, const char *path, size_t i) {
    TacReals list = tac_world_reals(world, tac_world_find(world, path), "resolution");
    assert_true(i < list.count);
    return list.data[i];
}

static void near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.12g is not %.12g within %g", value, expected, tolerance);
}

// --- transitions ------------------------------------------------------------------------------------------

typedef struct Sums {
    double mass;
    TacVec3 centre, momentum;
} Sums;

static Sums sums_of(TacWorld *w) {
    const TacMatter *m = matter_of(w, "/n/points");
    TacMass *mass = w->all.masses[0];
    Sums s = {0, {0, 0, 0}, {0, 0, 0}};
    // the mass of one point is what its unit velocity carries
    double unit[3 * 33], out[3 * 33];
    TacContext context = {0, 0.01, NULL};
    for (size_t i = 0; i < 3 * m->count; i++) {
        unit[i] = 1;
        out[i] = 0;
    }
    mass->base.cls->ops.mass->product(mass, &context, m->vectors[TAC_X], unit, out, 1);
    for (size_t i = 0; i < m->count; i++) {
        s.mass += out[3 * i];
        s.centre = tac_axpy(s.centre, out[3 * i], tac_load3(m->vectors[TAC_X] + 3 * i));
        s.momentum = tac_axpy(s.momentum, out[3 * i], tac_load3(m->vectors[TAC_V] + 3 * i));
    }
    s.centre = tac_scale(s.centre, 1 / s.mass);
    return s;
}

// A wire of 33 points that nothing holds, all live, with any velocities; straight or curved.
static TacWorld *loose_wire(const char *transition, bool curved, TacRandom *random) {
    char text[600];
    snprintf(text, sizeof text,
             "<tactus version='1' dt='0.01' gravity='0 0 0'><node name='n'><Spook/><Line divisions='32' "
             "from='0 0 0' to='3 "
             "-4 0'/><Points/><Wire mass='2' length='6' level='5' transition='%s'/></node></tactus>",
             transition);
    TacWorld *w = world_of(text);
    const TacMatter *m = matter_of(w, "/n/points");
    for (size_t i = 0; i < 3 * m->count; i++) m->vectors[TAC_V][i] = tac_random_between(random, -5, 5);
    for (size_t i = 0; curved && i < m->count; i++) m->vectors[TAC_X][3 * i + 2] = 0.5 * sin((double)i / 6);
    return w;
}

static void test_transitions_keep_mass_and_momentum(void **state) {
    (void)state;
    TacRandom random = tac_random(3, 1);
    static const int tour[] = {4, 3, 5, 2, 0, 1, 5, 0, 5};
    for (int document = 0; document < 2; document++)
        for (int trial = 0; trial < 20; trial++) {
            TacWorld *w = loose_wire(document ? "document" : "halves", trial % 2, &random);
            Sums before = sums_of(w);
            near(before.mass, 2, 1e-14);
            for (size_t k = 0; k < sizeof tour / sizeof *tour; k++) {
                Sums start = sums_of(w);
                tac_wire_change_level(tac_world_get(w, tac_world_find(w, "/n/wire")), tour[k]);
                Sums after = sums_of(w);
                near(after.mass, 2, 1e-14);
                near(tac_norm(tac_sub(after.momentum, before.momentum)), 0, 1e-12);
                // the centre of mass stays when pieces are refined, and when straight ones are coarsened
                bool finer = k > 0 && tour[k] > tour[k - 1];
                if (!document && (finer || trial % 2 == 0))
                    near(tac_norm(tac_sub(after.centre, start.centre)), 0, 1e-12);
            }
            tac_world_destroy(w);
        }
}

static void test_coarsening_a_curve_reports_its_shift(void **state) {
    (void)state;
    TacRandom random = tac_random(5, 1);
    TacWorld *w = loose_wire("halves", true, &random);
    Sums before = sums_of(w);
    tac_wire_change_level(tac_world_get(w, tac_world_find(w, "/n/wire")), 4);
    Sums after = sums_of(w);
    double shift = tac_norm(tac_sub(after.centre, before.centre));
    assert_true(shift > 1e-6);
    near(number(w, "/n/wire", TAC_WIRE_SHIFT), shift, 1e-12);
    tac_world_destroy(w);
}

static void test_uniform_motion_stays_uniform(void **state) {
    (void)state;
    TacRandom random = tac_random(4, 1);
    TacWorld *w = loose_wire("halves", true, &random);
    const TacMatter *m = matter_of(w, "/n/points");
    for (size_t i = 0; i < m->count; i++) tac_store3(m->vectors[TAC_V] + 3 * i, tac_vec3(1.1, -2.3, 0.7));
    static const int tour[] = {2, 5, 0, 3, 1, 5};
    for (size_t k = 0; k < sizeof tour / sizeof *tour; k++) {
        tac_wire_change_level(tac_world_get(w, tac_world_find(w, "/n/wire")), tour[k]);
        for (size_t i = 0; i < m->count; i++)
            near(tac_norm(tac_sub(tac_load3(m->vectors[TAC_V] + 3 * i), tac_vec3(1.1, -2.3, 0.7))), 0, 1e-12);
    }
    tac_world_destroy(w);
}

// The document's rule makes new points next to the ends up to 40 % too fast, as the design notes; ours not.
static void test_documents_rule_is_as_written(void **state) {
    (void)state;
    TacRandom random = tac_random(6, 1);
    TacWorld *w = loose_wire("document", false, &random);
    const TacMatter *m = matter_of(w, "/n/points");
    TacComponent *wire = tac_world_get(w, tac_world_find(w, "/n/wire"));
    tac_wire_change_level(wire, 1);
    for (size_t i = 0; i < m->count; i++) tac_store3(m->vectors[TAC_V] + 3 * i, tac_vec3(1, 0, 0));
    tac_wire_change_level(wire, 2);
    // kappa = 5/3 - 1; from an end (1 neighbour) and the middle (2): 2/3 (1 + 1/2)
    near(m->vectors[TAC_V][3 * 8], 2.0 / 3 * 1.5, 1e-14);
    tac_wire_change_level(wire, 1);
    // 3/5 (1 + 1) in the middle, 3/5 (1 + 1/2) at the ends
    near(m->vectors[TAC_V][3 * 16], 3.0 / 5 * 2, 1e-14);
    near(m->vectors[TAC_V][0], 3.0 / 5 * 1.5, 1e-14);
    tac_world_destroy(w);
}

// Carried points stay on the lines between live ones while time runs, and forces on them are not lost.
static void test_carried_points(void **state) {
    (void)state;
    TacWorld *w =
        world_of("<tactus version='1' dt='0.01' gravity='0 0 0'><node name='n'><Spook/><Line divisions='8' "
                 "to='4 0 0'/><Points/><Wire mass='2' lowest='1' finest='1'/><ConstantForce points='3' "
                 "force='0 6 0'/></node></tactus>");
    beats(w, 50);
    const double *x = tac_world_positions(w, tac_world_find(w, "/n/points"));
    for (size_t i = 0; i < 8; i++)
        for (size_t k = 0; k < 3; k++) {
            double t = (double)(i % 4) / 4;
            size_t a = i < 4 ? 0 : 12, b = a + 12;
            near(x[3 * i + k], (1 - t) * x[a + k] + t * x[b + k], 1e-12);
        }
    // all of the force accelerates all of the mass
    TacMomentum p = tac_world_momentum(w);
    near(p.linear.y, 6 * 0.505, 1e-9); // in the middle of the kick at 0.5 s
    tac_world_destroy(w);
}

// --- qualities --------------------------------------------------------------------------------------------

static void test_qualities_follow_the_document(void **state) {
    (void)state;
    near(tac_quality_of_count(17, 33, 2), (17.0 / 33) * (17.0 / 33), 1e-15);
    for (double y = -3; y < 3; y += 0.37)
        near(tac_quality_of_margin(y, 10), 1 - 1 / (1 + exp(10 * y)), 1e-12);
    // however hopeless, qualities stay apart
    assert_true(tac_quality_of_margin(-30, 10) > tac_quality_of_margin(-31, 10));
    assert_true(tac_quality_of_margin(1e9, 10) == 1);
}

typedef struct Toy {
    TacResolution resolution;
    double want;
    int refined, coarsened;
} Toy;

static TacResolution *toy_resolution(void *self) {
    return &((Toy *)self)->resolution;
}

static void toy_qualities(const void *self, int level, double q[TAC_QUALITIES]) {
    for (int k = 0; k < TAC_QUALITIES; k++) q[k] = 1;
    q[TAC_QUALITY_ACCURACY] = tac_quality_of_count(level + 1, 10, 2);
    q[TAC_QUALITY_ROBUSTNESS] = tac_quality_of_margin(((const Toy *)self)->want - level, 20);
}

static double toy_seconds(const void *self, int level) {
    (void)self;
    return 0.001 * (level + 1);
}

static bool toy_refine(void *self) {
    ((Toy *)self)->refined++;
    return true;
}

static bool toy_coarsen(void *self) {
    ((Toy *)self)->coarsened++;
    return true;
}

static const TacResolutionOps toy_ops = {toy_resolution, toy_qualities, toy_seconds, toy_refine, toy_coarsen};

static void test_any_object_can_adapt(void **state) {
    (void)state;
    Toy toy = {.resolution = {.finest = 9, .level = 2, .weights = {1, 1, 1, 1}, .floor = 1e-150},
               .want = 6.9};
    void *const objects[] = {&toy};
    const TacBudget plenty = {1, 1, 1000};
    tac_resolution_choose(objects, 1, &toy_ops, &plenty);
    assert_int_equal(tac_resolution_go(&toy, &toy_ops), 4);
    assert_true(toy.resolution.level == 6 && toy.refined == 4 && toy.coarsened == 0);
    toy.want = -100; // nothing is robust: the coarsest is the least bad
    tac_resolution_choose(objects, 1, &toy_ops, &plenty);
    assert_int_equal(tac_resolution_go(&toy, &toy_ops), 6);
    assert_true(toy.resolution.level == 0 && toy.coarsened == 6);
}

static double total_cost(Toy *toys, const int *levels, size_t n, const TacBudget *budget) {
    double sum = 0, seconds = 0;
    for (size_t i = 0; i < n; i++) {
        double q[TAC_QUALITIES];
        toy_qualities(&toys[i], levels[i], q);
        for (int k = 0; k < TAC_QUALITIES; k++)
            if (k != TAC_QUALITY_TIME) sum += 0.5 * toys[i].resolution.weights[k] / (q[k] * q[k]);
        seconds += toy_seconds(NULL, levels[i]);
    }
    double q = tac_quality_of_margin(budget->limit - seconds, budget->gamma);
    return sum + 0.5 * (double)n / (q * q);
}

// Three objects that share little time, against all of their 10^3 combinations.
static void test_time_is_shared_well(void **state) {
    (void)state;
    TacRandom random = tac_random(9, 1);
    for (int trial = 0; trial < 100; trial++) {
        Toy toys[3];
        void *const objects[] = {&toys[0], &toys[1], &toys[2]};
        for (size_t i = 0; i < 3; i++)
            toys[i] = (Toy){.resolution = {.finest = 9,
                                           .weights = {0, pow(10, tac_random_between(&random, 0, 3)), 1, 1},
                                           .floor = 1e-150},
                            .want = tac_random_between(&random, 0, 12)};
        const TacBudget budget = {tac_random_between(&random, 0.003, 0.03), 1, 3000};
        tac_resolution_choose(objects, 3, &toy_ops, &budget);
        int chosen[3], levels[3];
        for (size_t i = 0; i < 3; i++) chosen[i] = toys[i].resolution.choice;
        double ours = total_cost(toys, chosen, 3, &budget), least = INFINITY;
        for (int all = 0; all < 1000; all++) {
            levels[0] = all % 10;
            levels[1] = all / 10 % 10;
            levels[2] = all / 100;
            least = fmin(least, total_cost(toys, levels, 3, &budget));
        }
        // costs span many orders of magnitude; ours are never far above the least
        if (!(ours <= 2 * least)) fail_msg("trial %d: %g, the least is %g", trial, ours, least);
    }
}

// --- stability --------------------------------------------------------------------------------------------

#define LOAD_SCENE                                                                                           \
    "<tactus version='1' dt='0.016666666666666666' gravity='0 -9.8 0'><node name='n'><Spook/><node "         \
    "name='box'><Frames "                                                                                    \
    "positions='%g %g 0 0 0 0 1'/><UniformMass mass='%g' box='0.5 0.5 0.5'/></node><node name='wire'><Line " \
    "divisions='32' from='0 0 0' to='%g %g 0'/><Points/><Wire mass='1' length='10' end='@../box/frames' "    \
    "lowest='%d'/>"                                                                                          \
    "%s</node></node></tactus>"

static TacWorld *hang(double load, double x, double y, int lowest, const char *hold) {
    char text[1200];
    snprintf(text, sizeof text, LOAD_SCENE, x, y, load, x, y, lowest, hold);
    return world_of(text);
}

#define HELD "<FixedPoints points='0'/>"
// up by 5 m and down again, twice
#define HOISTED                                                                                              \
    "<ScriptedMotion points='0' times='0 10 20 30 40 60' offsets='0 0 0 0 5 0 0 0 0 0 5 0 0 0 0 0 0 0'/>"

// The largest kinetic energy on the way.
static double peak_kinetic(TacWorld *w, int seconds) {
    double most = 0;
    for (int i = 0; i < 60 * seconds; i++) {
        beats(w, 1);
        most = fmax(most, tac_world_energy(w).kinetic);
    }
    return most;
}

static void test_loads_of_all_sizes_are_stable(void **state) {
    (void)state;
    static const double loads[] = {1, 3, 10, 40, 100, 300, 1000, 1e4, 1e5};
    for (size_t k = 0; k < sizeof loads / sizeof *loads; k++) {
        double load = loads[k];
        // dropped from the side, 2 m below the ceiling: it falls, is caught, swings
        TacWorld *w = hang(load, 9.6, -2, 0, HELD);
        double peak = peak_kinetic(w, 60), put_in = (load + 1) * 9.8 * 8;
        if (!(peak < 1.02 * put_in)) fail_msg("dropped %g kg: %g J of %g J", load, peak, put_in);
        assert_true(peak > 0.3 * put_in);
        double y = tac_world_positions(w, tac_world_find(w, "/n/box/frames"))[1];
        if (!(y > -10.5 && y < -1)) fail_msg("dropped %g kg: at %g m", load, y);
        tac_world_destroy(w);
        // hoisted at 0.5 m/s: kinetic energy is that of the hoisting, and some bouncing after it starts
        w = hang(load, 0, -10, 0, HOISTED);
        peak = peak_kinetic(w, 60);
        put_in = 0.5 * (load + 1) * 0.25;
        if (!(peak < 6 * put_in)) fail_msg("hoisted %g kg: %g J of %g J", load, peak, put_in);
        near(tac_world_positions(w, tac_world_find(w, "/n/box/frames"))[1], -10, 0.3);
        tac_world_destroy(w);
    }
}

// Loads on wires of other lengths and masses, caught when the wire was slack and fine: no mass is flung aside in the step in which it
// becomes taut, and its end stays with the load while it coarsens.
static void test_loads_are_caught_by_wires_of_all_kinds(void **state) {
    (void)state;
    static const double kinds[][8] = {
        // length, load, mass of the wire, divisions, where the load starts, and how fast
        {48.1406542, 2729.88, 0.327134, 32, 14.296694, 3.3493842, -2.36276, 2.68602},
        {1.18354578, 92503.5, 0.869038, 32, 0.356969897, -0.0685825938, -0.573077, 0.980431},
        {45.7953262, 29.4418, 0.220961, 32, -37.629814, -23.6326061, 0.442928, 2.27728},
        {1.70170564, 4553.63, 4.17648, 16, -0.991384794, 0.533873428, 2.27677, 2.86671}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const double *k = kinds[i];
        char text[1200];
        snprintf(
            text, sizeof text,
            "<tactus version='1' dt='0.016666666666666666' gravity='0 -9.8 0'><node name='n'><Spook/><node "
            "name='box'><Frames positions='%.17g %.17g 0 0 0 0 1' velocities='%.17g %.17g 0 0 0 "
            "0'/><UniformMass "
            "mass='%.17g' box='0.5 0.5 0.5'/></node><node name='wire'><Line divisions='%g' to='%.17g %.17g "
            "0'/><Points/>"
            "<Wire mass='%.17g' length='%.17g' end='@../box/frames'/><FixedPoints "
            "points='0'/></node></node></tactus>",
            k[4], k[5], k[6], k[7], k[1], k[3], k[4], k[5], k[2], k[0]);
        TacWorld *w = world_of(text);
        double put_in = (k[1] + k[2]) * (9.8 * (k[0] + k[5]) + 0.5 * (k[6] * k[6] + k[7] * k[7])),
               peak = peak_kinetic(w, 60);
        if (!(peak < 1.02 * put_in)) fail_msg("%g kg on %g m: %g J of %g J", k[1], k[0], peak, put_in);
        const double *box = tac_world_positions(w, tac_world_find(w, "/n/box/frames"));
        assert_true(hypot(box[0], box[1]) < 1.02 * k[0]);
        tac_world_destroy(w);
    }
}

// A massless cable at its hardest; with less tension masses come back. Loads are carried all the same.
static void test_massless_below_level_zero(void **state) {
    (void)state;
    static const double loads[] = {1, 1000, 1e5};
    for (size_t k = 0; k < 3; k++) {
        TacWorld *w = hang(loads[k], 9.6, -2, -1, HELD);
        double put_in = (loads[k] + 1) * 9.8 * 8, peak = 0, lowest = 9, finest = -9, total = 0;
        for (int i = 0; i < 1200; i++) {
            beats(w, 1);
            TacEnergy e = tac_world_energy(w);
            peak = fmax(peak, e.kinetic);
            total = e.total;
            lowest = fmin(lowest, number(w, "/n/wire/wire", TAC_WIRE_LEVEL));
            finest = fmax(finest, number(w, "/n/wire/wire", TAC_WIRE_LEVEL));
        }
        assert_true(peak < 1.02 * put_in && peak > 0.3 * put_in);
        assert_true(isfinite(total));
        if (k == 0) assert_true(finest >= 3);
        if (k > 0) assert_true(lowest == -1);
        const double *box = tac_world_positions(w, tac_world_find(w, "/n/box/frames"));
        near(hypot(box[0], box[1]), 10, 0.1);
        tac_world_destroy(w);
    }
    // hanging still it pulls with the load's weight
    TacWorld *w = hang(1e4, 0, -10, -1, HELD);
    beats(w, 300);
    near(number(w, "/n/wire/wire", TAC_WIRE_TENSION), 9.8e4, 10);
    near(number(w, "/n/wire/wire", TAC_WIRE_MASSES), 0, 0);
    // there and back, nothing is lost
    TacMomentum before = tac_world_momentum(w);
    tac_wire_change_level(tac_world_get(w, tac_world_find(w, "/n/wire/wire")), 0);
    TacMomentum after = tac_world_momentum(w);
    near(tac_norm(tac_sub(after.linear, before.linear)), 0, 1e-12);
    tac_world_destroy(w);
}

static void test_fixed_full_resolution_fails(void **state) {
    (void)state;
    TacWorld *w = hang(100, 9.6, -2, 5, HELD);
    double put_in = 101 * 9.8 * 8, peak = peak_kinetic(w, 20);
    assert_true(peak > 2 * put_in);
    tac_world_destroy(w);
}

// Without a load the wire itself may be fine: it is.
static void test_unloaded_wires_are_fine(void **state) {
    (void)state;
    TacWorld *w =
        world_of("<tactus version='1' dt='0.016666666666666666'><node name='n'><Spook/><Line divisions='32' "
                 "to='0 -10 0'/><Points/><Wire mass='1'/><FixedPoints points='0'/></node></tactus>");
    beats(w, 600);
    // tension is at most its own weight, 9.81 N: N_crit = 30
    near(number(w, "/n/wire", TAC_WIRE_CRITICAL), 30 * sqrt(10 / number(w, "/n/wire", TAC_WIRE_TENSION)),
         1e-9);
    assert_true(number(w, "/n/wire", TAC_WIRE_LEVEL) >= 4);
    TacReals tensions = tac_world_reals(w, tac_world_find(w, "/n/wire"), "tensions");
    assert_int_equal(tensions.count, 32);
    near(tensions.data[0], 9.81, 0.35);
    tac_world_destroy(w);
}

// --- closed forms -----------------------------------------------------------------------------------------

static void test_pendulum_period(void **state) {
    (void)state;
    // a 100 kg load on a wire of 1 kg, swinging by 3 degrees: very nearly a point on a massless rod; the wire's
    // mass m makes it (1 + m/2M)/(1 + m/3M) of the square of the period
    double angle = 3 * TAC_PI / 180;
    TacWorld *w = hang(100, 10 * sin(angle), -10 * cos(angle), 0, HELD);
    double first = -1, last = -1, before = 1;
    int passed = 0;
    for (int i = 1; i < 60 * 40; i++) {
        beats(w, 1);
        double x = tac_world_positions(w, tac_world_find(w, "/n/box/frames"))[0];
        if (before < 0 && x >= 0) {
            last = (i - x / (x - before)) / 60;
            if (first < 0)
                first = last;
            else
                passed++;
        }
        before = x;
    }
    assert_true(passed >= 4);
    // the box turns with the wire's end free, so its inertia does not matter
    double expected =
        2 * TAC_PI * sqrt(10 / 9.8 * (1 + 1.0 / 300) / (1 + 1.0 / 200)) * (1 + angle * angle / 16);
    near((last - first) / passed, expected, 0.01 * expected);
    tac_world_destroy(w);
}

// The catenary: y = a cosh(x/a) with 2 a sinh(span/2a) = length.
static void test_catenary_shape(void **state) {
    (void)state;
    const double span = 8, length = 10;
    double low = 0.1, high = 100;
    for (int i = 0; i < 200; i++) {
        double a = 0.5 * (low + high);
        *(2 * a * sinh(span / (2 * a)) > length ? &low : &high) = a;
    }
    double a = low, sag = a * (cosh(span / (2 * a)) - 1);
    TacWorld *w = world_of(
        "<tactus version='1' dt='0.016666666666666666' gravity='0 -10 0'><node name='n'><Spook/><Line "
        "divisions='32' to='8 0 0'/><Points/><Wire mass='2' length='10' lowest='5'/><FixedPoints "
        "points='0 32'/><Damping coefficient='0.3'/></node></tactus>");
    beats(w, 60 * 60);
    const double *x = tac_world_positions(w, tac_world_find(w, "/n/points"));
    near(-x[3 * 16 + 1], sag, 0.01 * sag);
    for (size_t i = 0; i <= 32; i++) {
        // at arc length s from the middle: x = a asinh(s/a), y = sqrt(a^2 + s^2)
        double s = ((double)i - 16) / 32 * length;
        near(x[3 * i], 4 + a * asinh(s / a), 0.01 * span);
        near(x[3 * i + 1], sqrt(a * a + s * s) - a - sag, 0.01 * length);
    }
    // tension in the middle is the weight per metre times a
    TacReals tensions = tac_world_reals(w, tac_world_find(w, "/n/wire"), "tensions");
    near(tensions.data[16], 2.0 / 10 * 10 * a, 0.01 * 2 * a);
    // and at the ends that of what hangs on them besides: all but half a segment's
    double top = 2 * hypot(a, 5 * 31.0 / 32);
    near(tensions.data[0], top, 0.01 * top);
    tac_world_destroy(w);
}

// Periods of other lengths, loads and angles: all within 1 %.
static void test_pendulums_of_many_kinds(void **state) {
    (void)state;
    static const double lengths[] = {2, 25}, loads[] = {5, 3000}, angles[] = {0.03, 0.3};
    for (size_t k = 0; k < 8; k++) {
        double length = lengths[k % 2], load = loads[k / 2 % 2], angle = angles[k / 4];
        char text[1000];
        double x = length * sin(angle), y = -length * cos(angle);
        snprintf(
            text, sizeof text,
            "<tactus version='1' dt='0.016666666666666666' gravity='0 -9.8 0'><node name='n'><Spook/><node "
            "name='box'><Points positions='%.17g %.17g 0'/><UniformMass mass='%g'/></node><node "
            "name='wire'><Line "
            "divisions='32' to='%.17g %.17g 0'/><Points/><Wire mass='1' end='@../box/points'/><FixedPoints "
            "points='0'/></node></node></tactus>",
            x, y, load, x, y);
        TacWorld *w = world_of(text);
        double first = -1, last = -1, before = 1;
        int passed = 0;
        for (int i = 1; passed < 3 && i < 60 * 60; i++) {
            beats(w, 1);
            double now = tac_world_positions(w, tac_world_find(w, "/n/box/points"))[0];
            if (before < 0 && now >= 0) {
                last = (i - now / (now - before)) / 60;
                if (first < 0)
                    first = last;
                else
                    passed++;
            }
            before = now;
        }
        assert_int_equal(passed, 3);
        double wire = 1 / load, a2 = angle * angle;
        double expected = 2 * TAC_PI * sqrt(length / 9.8 * (1 + wire / 3) / (1 + wire / 2)) *
                          (1 + a2 / 16 + 11 * a2 * a2 / 3072);
        near((last - first) / passed, expected, 0.01 * expected);
        tac_world_destroy(w);
    }
}

// Catenaries from taut to slack, of light and heavy wires: the lowest point within 1 % of the length.
static void test_catenaries_of_many_kinds(void **state) {
    (void)state;
    static const double spans[] = {2, 6, 9.7}, masses[] = {0.2, 30};
    for (size_t k = 0; k < 6; k++) {
        double span = spans[k % 3], mass = masses[k / 3], low = 0.05, high = 100;
        for (int i = 0; i < 200; i++) {
            double a = 0.5 * (low + high);
            *(2 * a * sinh(span / (2 * a)) > 10 ? &low : &high) = a;
        }
        double sag = low * (cosh(span / (2 * low)) - 1);
        char text[700];
        snprintf(
            text, sizeof text,
            "<tactus version='1' dt='0.016666666666666666' gravity='0 -10 0'><node name='n'><Spook/><Line "
            "divisions='32' to='%.17g 0 0'/><Points/><Wire mass='%g' length='10' lowest='5'/><FixedPoints "
            "points='0 32'/><Damping coefficient='%g'/></node></tactus>",
            span, mass, 0.1 * mass);
        TacWorld *w = world_of(text);
        beats(w, 60 * 30);
        const double *x = tac_world_positions(w, tac_world_find(w, "/n/points"));
        for (size_t i = 0; i <= 32; i++) {
            double s = ((double)i - 16) / 32 * 10;
            near(x[3 * i], span / 2 + low * asinh(s / low), 0.1);
            near(x[3 * i + 1], sqrt(low * low + s * s) - low - sag, 0.1);
        }
        TacReals tensions = tac_world_reals(w, tac_world_find(w, "/n/wire"), "tensions");
        // where a segment is not longer than the bend
        if (low > 1) near(tensions.data[16], mass * low, 0.02 * mass * low);
        tac_world_destroy(w);
    }
}

static void test_elastic_stretch(void **state) {
    (void)state;
    // 100 kg on EA = 1e5 N: 0.98 % of 10 m, and half of the wire's own weight
    TacWorld *w = world_of(
        "<tactus version='1' dt='0.016666666666666666' gravity='0 -9.8 0'><node name='n'><Spook/><node "
        "name='box'><Points positions='0 -10 0'/><UniformMass mass='100'/></node><node name='wire'><Line "
        "divisions='4' to='0 -10 0'/><Points/><Wire mass='1' stretch='1e5' end='@../box/points'/>"
        "<FixedPoints points='0'/></node></node></tactus>");
    beats(w, 1200);
    near(tac_world_positions(w, tac_world_find(w, "/n/box/points"))[1], -10 - 10 * 100.5 * 9.8 / 1e5, 1e-4);
    tac_world_destroy(w);
}

// A stiff wire is a beam.
static void test_bending_like_a_beam(void **state) {
    (void)state;
    // a beam on two ends sinks by 5 w L^4 / (384 EI)
    TacWorld *w = world_of("<tactus version='1' dt='0.005' gravity='0 -10 0'><node name='n'><Spook/><Line "
                           "divisions='16' to='1 0 0'/>"
                           "<Points/><Wire mass='0.2' bend='10' lowest='4'/><Damping "
                           "coefficient='0.05'/><FixedPoints points='0'/>"
                           "<FixedPoints name='roller' points='16' directions='yz'/></node></tactus>");
    beats(w, 4000);
    double y = tac_world_positions(w, tac_world_find(w, "/n/points"))[3 * 8 + 1];
    double expected = -5 * 2.0 / (384 * 10.0);
    near(y, expected, 0.02 * fabs(expected));
    tac_world_destroy(w);
}

static void test_materials(void **state) {
    (void)state;
    TacWorld *w =
        world_of("<tactus version='1' dt='0.01' gravity='0 -10 0'><node name='n'><Spook/><Line divisions='4' "
                 "to='0 -100 0'/><Points/><Wire material='steel' diameter='0.02'/><FixedPoints points='0'/>"
                 "</node></tactus>");
    beats(w, 1500);
    // 1.6 kg/m as in makers' tables, so 100 m weigh 1.6 kN; EA = 16 MN lets that stretch it by half a centimetre
    TacReals tensions = tac_world_reals(w, tac_world_find(w, "/n/wire"), "tensions");
    near(tensions.data[0], 1596, 320);
    double y = tac_world_positions(w, tac_world_find(w, "/n/points"))[3 * 4 + 1];
    near(y, -100 - 100 * 159.6 * 10 / 2 / 1.616e7, 1e-3);
    tac_world_destroy(w);
}

// --- figure 4 ---------------------------------------------------------------------------------------------

enum { FRAMES = 480 };

typedef struct Swing {
    double load[FRAMES][2], middle[FRAMES][2], level[FRAMES], tension[FRAMES];
} Swing;

static void swing(Swing *out, int lowest, const char *step, const char *dip) {
    char text[1400];
    snprintf(
        text, sizeof text,
        "<tactus version='1' dt='0.016666666666666666' gravity='0 -9.8 0'><node name='n'><Spook step='%s' "
        "dips='5 7 "
        "%s'/><node name='box'><Frames positions='0 -10 0 0 0 0 1' velocities='14 0 0 0 0 0'/><UniformMass "
        "mass='100' "
        "box='0.6 0.6 0.6'/></node><node name='wire'><Line divisions='32' to='0 -10 0'/><Points/><Wire "
        "mass='1' "
        "end='@../box/frames' lowest='%d' cost='0.0001'/><FixedPoints points='0'/></node></node></tactus>",
        step, dip, lowest);
    TacWorld *w = world_of(text);
    for (int i = 0; i < FRAMES; i++) {
        beats(w, 1);
        const double *x = tac_world_positions(w, tac_world_find(w, "/n/box/frames"));
        const double *p = tac_world_positions(w, tac_world_find(w, "/n/wire/points")) + 3 * 16;
        for (int k = 0; k < 2; k++) {
            out->load[i][k] = x[k];
            out->middle[i][k] = p[k];
        }
        out->level[i] = number(w, "/n/wire/wire", TAC_WIRE_LEVEL);
        out->tension[i] = number(w, "/n/wire/wire", TAC_WIRE_TENSION);
    }
    tac_world_destroy(w);
}

static double farthest(double a[FRAMES][2], double b[FRAMES][2]) {
    double most = 0;
    for (int i = 0; i < FRAMES; i++) most = fmax(most, hypot(a[i][0] - b[i][0], a[i][1] - b[i][1]));
    return most;
}

static double best_level(const Swing *s, double from, double to) {
    double most = 0;
    for (int i = (int)(60 * from); i < (int)(60 * to); i++) most = fmax(most, s->level[i]);
    return most;
}

static void test_figure_4(void **state) {
    (void)state;
    static Swing ours, no_dip, reference;
    swing(&ours, 0, "0", "0.0001");
    swing(&no_dip, 0, "0", "1");
    swing(&reference, 5, "0.00083333333333333333", "1");
    // within 2 % and 5 % of the length of the fine reference
    near(farthest(ours.load, reference.load), 0, 0.2);
    near(farthest(ours.middle, reference.middle), 0, 0.5);
    // coarse where it pulls hard
    for (int i = 0; i < FRAMES; i++)
        if (ours.tension[i] > 2000) assert_true(ours.level[i] <= 1);
    // fine at the turning point near 2 s; the dip coarsens the one near 6 s
    near(best_level(&ours, 1.5, 2.5), 5, 0);
    assert_true(best_level(&ours, 5.5, 6.5) < best_level(&no_dip, 5.5, 6.5));
    double with = 0, without = 0;
    for (int i = 300; i < 420; i++) {
        with += ours.level[i];
        without += no_dip.level[i];
    }
    assert_true(with < without);
}

// Turns from finer to coarser and back, each within a fifth of a second of the one before, in the second from `from` on.
static int quick_turns(const double level[FRAMES], int from) {
    int turns = 0, last = -FRAMES, direction = 0;
    for (int i = from + 1; i < from + 60; i++) {
        int now = (level[i] > level[i - 1]) - (level[i] < level[i - 1]);
        if (now == 0) continue;
        turns += direction == -now && i - last <= 12;
        direction = now;
        last = i;
    }
    return turns;
}

// A load of 3 kg at its turning points pulls about as hard as two levels apart would have it: without patience the wire goes
// back and forth every second or third step.
static void test_levels_do_not_flicker(void **state) {
    (void)state;
    static double level[2][FRAMES];
    double changes[2];
    int most[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        char text[1000];
        snprintf(
            text, sizeof text,
            "<tactus version='1' dt='0.016666666666666666' gravity='0 -9.8 0'><node name='n'><Spook/><node "
            "name='box'><Frames positions='0 -10 0 0 0 0 1' velocities='14 0 0 0 0 0'/><UniformMass mass='3' "
            "box='0.6 0.6 0.6'/></node><node name='wire'><Line divisions='32' to='0 -10 0'/><Points/><Wire "
            "mass='1' end='@../box/frames' %s/><FixedPoints points='0'/></node></node></tactus>",
            k ? "" : "patience='0'");
        TacWorld *w = world_of(text);
        for (int i = 0; i < FRAMES; i++) {
            beats(w, 1);
            level[k][i] = number(w, "/n/wire/wire", TAC_WIRE_LEVEL);
        }
        changes[k] = number(w, "/n/wire/wire", TAC_WIRE_CHANGES);
        for (int i = 0; i + 60 < FRAMES; i++) {
            int turns = quick_turns(level[k], i);
            most[k] = turns > most[k] ? turns : most[k];
        }
        tac_world_destroy(w);
    }
    assert_true(changes[1] < 0.7 * changes[0]);
    assert_true(most[0] > 15);
    assert_true(most[1] <= 12); // waits of 1, 2, 4, 8, 16 and 30 steps fill a second, with two turns each
}

// The view makes the wire that it looks at finer than its like.
static void test_focus_refines(void **state) {
    (void)state;
    const char *wire =
        "<node name='%s'><Line divisions='32' from='%d 0 0' to='%d -10 0'/><Points/><Wire mass='1' "
        "focus='%s' cost='0.0002'/><FixedPoints points='0'/></node>";
    char a[400], b[400], text[1200];
    snprintf(a, sizeof a, wire, "a", 0, 0, "2 4 1000");
    snprintf(b, sizeof b, wire, "b", 5, 5, "4 6 1000");
    snprintf(text, sizeof text,
             "<tactus version='1' dt='0.016666666666666666'><node name='n'><Spook "
             "time_limit='0.004'/>%s%s</node></tactus>",
             a, b);
    TacWorld *w = world_of(text);
    beats(w, 180);
    double level_a = number(w, "/n/a/wire", TAC_WIRE_LEVEL), level_b = number(w, "/n/b/wire", TAC_WIRE_LEVEL);
    assert_true(level_a > level_b);
    beats(w, 120);
    level_a = number(w, "/n/a/wire", TAC_WIRE_LEVEL);
    level_b = number(w, "/n/b/wire", TAC_WIRE_LEVEL);
    assert_true(level_b > level_a);
    tac_world_destroy(w);
}

// Measured time: when no step can be quick enough the wire stays coarse, when any is it does not.
static void test_measured_time_counts(void **state) {
    (void)state;
    for (int plenty = 0; plenty < 2; plenty++) {
        char text[600];
        snprintf(text, sizeof text,
                 "<tactus version='1' dt='0.016666666666666666'><node name='n'><Spook costs='measured' "
                 "time_limit='%s'/><Line divisions='32' to='0 -10 0'/><Points/><Wire mass='1' "
                 "gamma_time='1e9'/><FixedPoints "
                 "points='0'/></node></tactus>",
                 plenty ? "1000" : "1e-9");
        TacWorld *w = world_of(text);
        beats(w, 60);
        if (plenty)
            assert_true(number(w, "/n/wire", TAC_WIRE_LEVEL) >= 3);
        else
            near(number(w, "/n/wire", TAC_WIRE_LEVEL), 0, 0);
        tac_world_destroy(w);
    }
}

// --- bad input --------------------------------------------------------------------------------------------

#define WIRE(line, wire) IN_NODE("<Spook/><Line divisions='" line "' to='0 -1 0'/><Points/>" wire)

static void test_bad_wires_are_refused(void **state) {
    (void)state;
    REFUSED(WIRE("6", "~<Wire mass='1'/>"), "7 points", "2, 3, 5, 9");
    REFUSED(WIRE("4", "~<Wire/>"), "needs a mass");
    REFUSED(WIRE("4", "<Wire mass='~0'/>"), "positive");
    REFUSED(WIRE("4", "<Wire mass='~-1'/>"), "positive");
    REFUSED(WIRE("4", "<Wire mass='1' length='~0'/>"), "positive");
    REFUSED(WIRE("4", "<Wire mass='1' length='~0.5'/>"), "0.25 m long");
    REFUSED(WIRE("4", "<Wire mass='1' lowest='~3'/>"), "-1 to 2");
    REFUSED(WIRE("4", "~<Wire mass='1' lowest='-1'/>"), "tied", "held");
    REFUSED(WIRE("4", "<Wire mass='1' lowest='1' level='~0'/>"), "1 to 2");
    REFUSED(WIRE("4", "<Wire mass='1' finest='~3'/>"), "0 to 2");
    REFUSED(WIRE("4", "<Wire density='~1000'/>"), "diameter");
    REFUSED(WIRE("4", "<Wire mass='1' end='~@points'/>"), "itself");
    REFUSED(WIRE("4", "<Wire mass='1' focus='~1 2'/>"), "begin, end and factor");
    REFUSED(WIRE("4", "~<Wire mass='1'/><FixedPoints points='2'/>"), "inner points", "two wires");
    REFUSED(
        IN_NODE(
            "<Spook/><node name='b'><Frames positions='0 -2 0 0 0 0 1'/><UniformMass/></node><node "
            "name='w'><Line "
            "divisions='4' to='0 -1 0'/><Points/><Wire mass='1' end='~@../b/frames' end_at='0 0 0'/></node>"),
        "1 m from where it is tied");
    REFUSED(IN_NODE("<Spook/><Points positions='0 0 0 0 0 0 0 0 0'/>~<Wire mass='1'/>"), "no length");
}

// Safe contact follows wires of any levels (reshape_test), over nodes and drums (node_pairs_test).
static void test_safe_worlds_take_wires(void **state) {
    (void)state;
#define SAFE(wire)                                                                                           \
    "<tactus version='1' dt='0.01'><Contact thickness='0.01'/><node name='n'><Spook/><node "                 \
    "name='w'><Frames/>"                                                                                     \
    "<UniformMass/></node><Line divisions='4' from='-1 -1 0' to='1 -1 0'/><Points/>" wire                    \
    "<Skin/></node></tactus>"
    static const char *const scenes[] = {
        SAFE("<Wire mass='1' finest='1'/>"),
        SAFE("<Wire mass='1' lowest='2' wheels='@w/frames' wheel_points='0' radii='0.5' senses='-1' "
             "start_drum='true'/>"),
    };
    for (size_t i = 0; i < 2; i++) {
        TacWorld *w = world_of(scenes[i]);
        beats(w, 3);
        tac_world_destroy(w);
    }
}

// Nothing that is only strange is refused, and nothing of it blows up: a wire through the body that it hangs on (they do not
// touch), one that is tied to the same body twice, one that starts slack in a heap, the heaviest load that is let through.
static void test_strange_wires_are_stable(void **state) {
    (void)state;
    static const char *const scenes[] = {
        "<node name='b'><Frames positions='0 -0.5 0 0 0 0 1'/><UniformMass mass='50' box='2 2 "
        "2'/></node><node "
        "name='w'><Line divisions='16' to='0 -1 0'/><Points/><Wire mass='1' end='@../b/frames' end_at='0 "
        "-0.5 "
        "0'/><FixedPoints points='0'/></node>",
        "<node name='b'><Frames velocities='0 0 0 3 2 1'/><UniformMass mass='5' box='2 2 2'/><BallJoint "
        "at='0 0 "
        "0'/></node><node name='w'><Line divisions='16' from='-1 1 0' to='1 1 0'/><Points/><Wire mass='1' "
        "length='4' "
        "start='@../b/frames' start_at='-1 1 0' end='@../b/frames' end_at='1 1 0'/></node>",
        "<node name='w'><Line divisions='32' to='0.001 0 0'/><Points/><Wire mass='1' "
        "length='50'/><FixedPoints "
        "points='0'/></node>",
        "<node name='b'><Points positions='0 -1 0'/><UniformMass mass='1e9'/></node><node name='w'><Line "
        "divisions='32' "
        "to='0 -1 0'/><Points/><Wire mass='1' end='@../b/points'/><FixedPoints points='0'/></node>"};
    for (size_t k = 0; k < 4; k++) {
        char text[1200];
        snprintf(text, sizeof text,
                 "<tactus version='1' dt='0.016666666666666666'><node name='n'><Spook/>%s</node></tactus>",
                 scenes[k]);
        TacWorld *w = world_of(text);
        double start = tac_world_energy(w).total, scale = fabs(start) + 100;
        for (int i = 0; i < 600; i++) {
            beats(w, 1);
            double now = tac_world_energy(w).total;
            if (!(now < start + 0.05 * scale))
                fail_msg("scene %zu, step %d: %g J from %g J", k, i, now, start);
        }
        tac_world_destroy(w);
    }
}

static void test_a_load_beyond_all_digits_is_refused(void **state) {
    (void)state;
    REFUSED(
        IN_NODE(
            "~<Spook/><node name='b'><Points positions='0 -1 0'/><UniformMass mass='1e12'/></node><node "
            "name='w'><Line divisions='32' to='0 -1 0'/><Points/><Wire mass='1' end='@../b/points'/></node>"),
        "times the lightest", "lighter");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transitions_keep_mass_and_momentum),
        cmocka_unit_test(test_coarsening_a_curve_reports_its_shift),
        cmocka_unit_test(test_uniform_motion_stays_uniform),
        cmocka_unit_test(test_documents_rule_is_as_written),
        cmocka_unit_test(test_carried_points),
        cmocka_unit_test(test_qualities_follow_the_document),
        cmocka_unit_test(test_any_object_can_adapt),
        cmocka_unit_test(test_time_is_shared_well),
        cmocka_unit_test(test_loads_of_all_sizes_are_stable),
        cmocka_unit_test(test_loads_are_caught_by_wires_of_all_kinds),
        cmocka_unit_test(test_massless_below_level_zero),
        cmocka_unit_test(test_fixed_full_resolution_fails),
        cmocka_unit_test(test_unloaded_wires_are_fine),
        cmocka_unit_test(test_pendulum_period),
        cmocka_unit_test(test_catenary_shape),
        cmocka_unit_test(test_pendulums_of_many_kinds),
        cmocka_unit_test(test_catenaries_of_many_kinds),
        cmocka_unit_test(test_elastic_stretch),
        cmocka_unit_test(test_bending_like_a_beam),
        cmocka_unit_test(test_materials),
        cmocka_unit_test(test_figure_4),
        cmocka_unit_test(test_levels_do_not_flicker),
        cmocka_unit_test(test_focus_refines),
        cmocka_unit_test(test_measured_time_counts),
        cmocka_unit_test(test_bad_wires_are_refused),
        cmocka_unit_test(test_safe_worlds_take_wires),
        cmocka_unit_test(test_strange_wires_are_stable),
        cmocka_unit_test(test_a_load_beyond_all_digits_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
