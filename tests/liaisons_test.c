// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Liaisons: forces against their definition, lists of neighbours against sums over all pairs, and derivatives
// against differences.

#include "law_harness.h"

#include "base/team.h"
#include "law/laws.h"
#include "law/pieces.h"

// A law as a model file would write it.
typedef struct Drawn {
    size_t count;
    double slopes[4], thresholds[4], zero;
} Drawn;

static const Drawn spring = {1, {-1}, {0}, 0.05};
static const Drawn bubble = {2, {-1, 1}, {0, 0.1}, 0.1};
static const Drawn ball = {2, {0, -1}, {0, 0.3}, 0.3};
static const Drawn sticky = {3, {0, 20, -50}, {0, 0.4, 0.3}, 0.4};
static const Drawn odd = {4, {-2, 3, -7, 1}, {0, 0.5, 0.2, 0.9}, 0.33};

static void start(LawBench *bench, TacMatterKind kind, size_t count, const double *x, const Drawn *law) {
    *bench = (LawBench){0};
    bench_law(bench, &tac_liaisons_class, bench_matter(bench, kind, count, x), NULL, NULL);
    bench_reals(bench, "slopes", law->count, law->slopes);
    bench_reals(bench, "thresholds", law->count, law->thresholds);
    bench_real(bench, "zero", law->zero);
}

static void begin(LawBench *bench) {
    if (bench_init(bench) != TAC_OK) fail_msg("%s", bench->error.message);
}

// The force at a distance, by going there from `zero` with the slopes that hold on the way.
static double force_by_walking(const Drawn *law, double d) {
    double low = fmin(d, law->zero), high = fmax(d, law->zero), sum = 0;
    for (size_t i = 0; i < law->count; i++) {
        double until = i == 0 ? high : fmin(high, law->thresholds[i]);
        if (until > low) sum += law->slopes[i] * (until - low);
    }
    return d > law->zero ? sum : -sum;
}

static double *cloud(TacRandom *random, size_t count, double size) {
    double *x = calloc(3 * count, sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < 3 * count; i++) x[i] = tac_random_between(random, -size, size);
    return x;
}

// --- one pair ---------------------------------------------------------------------------------------------

static void test_force_is_what_slopes_say(void **state) {
    (void)state;
    static const Drawn *const laws[] = {&spring, &bubble, &ball, &sticky, &odd};
    for (size_t l = 0; l < 5; l++)
        for (double d = 0.01; d < 1.2; d += 0.013) {
            const double x[] = {0, 0, 0, 0.6 * d, 0, 0.8 * d};
            LawBench bench;
            start(&bench, TAC_VEC3, 2, x, laws[l]);
            begin(&bench);
            bench_force(&bench, TAC_F);
            const double *f = bench.matter[0]->vectors[TAC_F];
            double expected = force_by_walking(laws[l], d);
            // positive pushes the second one away from the first
            assert_true(fabs(f[3] - 0.6 * expected) < 1e-14 && fabs(f[5] - 0.8 * expected) < 1e-14);
            assert_true(f[0] == -f[3] && f[1] == 0 && f[2] == -f[5]);
            bench_end(&bench);
        }
    // what the document says of its examples
    assert_true(force_by_walking(&spring, 0.05) == 0 && force_by_walking(&spring, 0.06) < 0);
    assert_true(force_by_walking(&bubble, 0.05) == 0 && force_by_walking(&bubble, 0.15) < 0);
    assert_true(force_by_walking(&ball, 0.35) == 0 && force_by_walking(&ball, 0.2) > 0);
}

static void test_energy_is_the_work(void **state) {
    (void)state;
    static const Drawn *const laws[] = {&spring, &bubble, &ball, &sticky, &odd};
    for (size_t l = 0; l < 5; l++) {
        TacPieces pieces;
        TacError error = {0};
        const char *attribute;
        TacReals slopes = {laws[l]->slopes, laws[l]->count},
                 thresholds = {laws[l]->thresholds, laws[l]->count};
        assert_int_equal(tac_pieces_make(&pieces, slopes, thresholds, laws[l]->zero, NAN, &attribute, &error),
                         TAC_OK);
        // work from 1.1 inwards, by many small steps of the walked force
        double work = 0, at = 1.1;
        const double h = 1e-5;
        while (at > 0.01) {
            work += force_by_walking(laws[l], at - 0.5 * h) * h;
            at -= h;
        }
        double gained = tac_pieces_energy(&pieces, at) - tac_pieces_energy(&pieces, 1.1);
        assert_true(fabs(gained - work) < 1e-8);
        // counted from beyond the reach, or from where there is no force
        double rest = tac_pieces_energy(&pieces, isfinite(pieces.reach) ? 2 : laws[l]->zero);
        assert_true(fabs(rest) < 1e-15);
    }
}

static void test_reach_is_found(void **state) {
    (void)state;
    const struct {
        const Drawn *law;
        double reach;
    } known[] = {{&spring, INFINITY}, {&bubble, INFINITY}, {&ball, 0.3}, {&sticky, 0.4}, {&odd, INFINITY}};
    for (size_t l = 0; l < 5; l++) {
        TacPieces pieces;
        TacError error = {0};
        const char *attribute;
        TacReals slopes = {known[l].law->slopes, known[l].law->count};
        TacReals thresholds = {known[l].law->thresholds, known[l].law->count};
        tac_pieces_make(&pieces, slopes, thresholds, known[l].law->zero, NAN, &attribute, &error);
        assert_true(pieces.reach == known[l].reach);
    }
}

// Viscosity acts where the law does, or within its own reach; it never pushes sideways and only takes energy.
static void test_viscosity(void **state) {
    (void)state;
    const struct {
        const Drawn *law;
        double distance, reach;
        bool acts;
    } cases[] = {{&spring, 0.05, NAN, true}, {&bubble, 0.09, NAN, false}, {&bubble, 0.11, NAN, true},
                 {&ball, 0.29, NAN, true},   {&ball, 0.31, NAN, false},   {&ball, 0.31, 0.5, true},
                 {&ball, 0.29, 0.2, false},  {&sticky, 0.35, NAN, true},  {&sticky, 0.41, NAN, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double x[] = {0, 0, 0, cases[i].distance, 0, 0};
        LawBench bench;
        start(&bench, TAC_VEC3, 2, x, cases[i].law);
        bench_real(&bench, "viscosity", 2);
        if (!isnan(cases[i].reach)) bench_real(&bench, "viscosity_reach", cases[i].reach);
        begin(&bench);
        double *v = bench.matter[0]->vectors[TAC_V];
        v[3] = 0.7;
        v[4] = 5; // sideways
        bench_force(&bench, TAC_F);
        const double *f = bench.matter[0]->vectors[TAC_F];
        double still = force_by_walking(cases[i].law, cases[i].distance);
        assert_true(fabs(f[3] - still + (cases[i].acts ? 2 * 0.7 : 0)) < 1e-13);
        assert_true(f[4] == 0 && f[0] == -f[3]);
        bench_end(&bench);
    }
}

// --- three pieces for V_n ---------------------------------------------------------------------------------

static double v_n(double depth, double s, double n, double d) {
    return depth * (pow(s / d, 2 * n) - 2 * pow(s / d, n));
}

static void test_fit(void **state) {
    (void)state;
    const double exponents[] = {1, 2, 3, 6, 9}, depth = 0.7, s = 0.2;
    for (size_t e = 0; e < 5; e++) {
        const double x[] = {0, 0, 0, 1, 0, 0};
        LawBench bench = {0};
        bench_law(&bench, &tac_liaisons_class, bench_matter(&bench, TAC_VEC3, 2, x), NULL, NULL);
        bench_choice(&bench, "fit", "lennard-jones");
        bench_real(&bench, "depth", depth);
        bench_real(&bench, "distance", s);
        bench_real(&bench, "exponent", exponents[e]);
        begin(&bench);
        double *place = bench.matter[0]->vectors[TAC_X], strongest = 0, ours = 0, where = 0, here = 0;
        for (double d = s; d < 30 * s; d += 1e-4 * s) {
            double pull =
                (v_n(depth, s, exponents[e], d + 1e-7) - v_n(depth, s, exponents[e], d - 1e-7)) / 2e-7;
            if (pull > strongest) {
                strongest = pull;
                where = d;
            }
            place[3] = d;
            bench_force(&bench, TAC_F);
            if (-bench.matter[0]->vectors[TAC_F][3] > ours) {
                ours = -bench.matter[0]->vectors[TAC_F][3];
                here = d;
            }
        }
        assert_true(fabs(ours / strongest - 1) < 1e-3 && fabs(where - here) < 2e-3 * s);
        // at rest, with the whole depth
        place[3] = s;
        bench_force(&bench, TAC_F);
        assert_true(fabs(bench.matter[0]->vectors[TAC_F][3]) < 1e-12 * strongest);
        assert_true(fabs(bench_energy(&bench) + depth) < 1e-12);
        place[3] = 1000 * s;
        assert_true(bench_energy(&bench) == 0);
        bench_end(&bench);
    }
}

// --- many pairs -------------------------------------------------------------------------------------------

// Adds to f what a law with viscosity does between all pairs of first and second, found one by one.
typedef struct Sum {
    const Drawn *law;
    double viscosity;
    size_t dimension;
} Sum;

static void add_pair(const Sum *sum, const double *xa, const double *va, double *fa, const double *xb,
                     const double *vb, double *fb) {
    double d[3] = {0, 0, 0}, square = 0, along = 0;
    for (size_t k = 0; k < sum->dimension; k++) {
        d[k] = xb[k] - xa[k];
        square += d[k] * d[k];
    }
    double length = sqrt(square), f = force_by_walking(sum->law, length);
    if (!(length > 0) || fabs(f) < 1e-15) return;
    for (size_t k = 0; k < sum->dimension; k++) along += d[k] / length * (vb[k] - va[k]);
    f -= sum->viscosity * along;
    for (size_t k = 0; k < sum->dimension; k++) {
        fa[k] -= f * d[k] / length;
        fb[k] += f * d[k] / length;
    }
}

static void check_same(const LawBench *bench, int side, const double *f) {
    const TacMatter *m = bench->matter[side];
    double most = 0, size = 0;
    for (size_t i = 0; i < tac_vector_size(m, TAC_F); i++) {
        most = fmax(most, fabs(f[i] - m->vectors[TAC_F][i]));
        size = fmax(size, fabs(f[i]));
    }
    assert_true(size > 0);
    assert_true(most < 1e-12 * size);
}

// Balls that move a little at a time: lists get old, and are made again. One of them may be far out.
static void check_with_outlier(TacMatterKind kind, size_t n, const Drawn *law, double size, double outlier) {
    TacRandom random = tac_random(7, n);
    double *x = cloud(&random, n, size), *f = calloc(3 * n, sizeof *f);
    assert_non_null(f);
    x[0] += outlier;
    LawBench bench;
    start(&bench, kind, n, x, law);
    bench_real(&bench, "viscosity", 0.3);
    begin(&bench);
    size_t d = (size_t)bench.matter[0]->velocity_size;
    const Sum sum = {law, 0.3, d};
    for (int step = 0; step < 25; step++) {
        bench_random(&bench, &random, TAC_V, 1);
        bench_move(&bench, TAC_V, 0.02 * size);
        const double *at = bench.matter[0]->vectors[TAC_X], *v = bench.matter[0]->vectors[TAC_V];
        memset(f, 0, 3 * n * sizeof *f);
        for (size_t j = 1; j < n; j++)
            for (size_t i = 0; i < j; i++)
                add_pair(&sum, at + d * i, v + d * i, f + d * i, at + d * j, v + d * j, f + d * j);
        bench_force(&bench, TAC_F);
        check_same(&bench, 0, f);
    }
    free(x);
    free(f);
    bench_end(&bench);
}

static void check_agglomerate(TacMatterKind kind, size_t n, const Drawn *law, double size) {
    check_with_outlier(kind, n, law, size, 0);
}

// Lists are made in single precision where it is good enough: just so, and where it is not at all.
static void test_far_places(void **state) {
    (void)state;
    check_with_outlier(TAC_VEC3, 500, &sticky, 1.2, 500);
    check_with_outlier(TAC_VEC3, 500, &sticky, 1.2, 1e4);
    check_with_outlier(TAC_VEC3, 500, &sticky, 1.2, -1e10);
    check_with_outlier(TAC_VEC2, 300, &sticky, 2, 1e16);
}

static void test_agglomerates_against_all_pairs(void **state) {
    (void)state;
    check_agglomerate(TAC_VEC3, 40, &spring, 0.2);
    check_agglomerate(TAC_VEC3, 45, &odd, 0.4);
    check_agglomerate(TAC_VEC3, 500, &sticky, 1.2); // lists
    check_agglomerate(TAC_VEC3, 90, &ball, 1.5);    // hardly anybody is near
    check_agglomerate(TAC_VEC2, 30, &bubble, 0.2);
    check_agglomerate(TAC_VEC2, 300, &sticky, 2);
    check_agglomerate(TAC_VEC1, 100, &ball, 5);
}

// Everybody is near everybody: rows longer than can be kept.
static void test_crowds(void **state) {
    (void)state;
    check_agglomerate(TAC_VEC3, 1200, &ball, 0.05);
}

// Two groups, in two matters or in one, also where they overlap.
static void check_groups(bool one_matter, size_t n, size_t m) {
    TacRandom random = tac_random(9, n);
    size_t all = n + m;
    double *x = cloud(&random, all, 0.8), *f = calloc(3 * all, sizeof *f), *g = calloc(3 * all, sizeof *g);
    int32_t *points = calloc(n, sizeof *points), *others = calloc(m, sizeof *others);
    assert_true(f && g && points && others);
    LawBench bench;
    start(&bench, TAC_VEC3, all, x, &sticky);
    if (!one_matter) {
        bench.law->matter[1] = bench.matter[1] = bench_matter(&bench, TAC_VEC3, all, x);
        bench_random(&bench, &random, TAC_X, 0.8);
    }
    bench_mark(&bench, "other");
    for (size_t i = 0; i < n; i++) points[i] = (int32_t)(2 * i % all);
    for (size_t j = 0; j < m; j++) others[j] = (int32_t)(all - 1 - j);
    bench_ints(&bench, "points", n, points);
    bench_ints(&bench, "others", m, others);
    bench_real(&bench, "viscosity", 0.1);
    begin(&bench);
    bench_random(&bench, &random, TAC_V, 1);
    const Sum sum = {&sticky, 0.1, 3};
    double *second = one_matter ? f : g;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            size_t a = 3 * (size_t)points[i], b = 3 * (size_t)others[j];
            if (one_matter && a == b) continue;
            add_pair(&sum, bench.matter[0]->vectors[TAC_X] + a, bench.matter[0]->vectors[TAC_V] + a, f + a,
                     bench.matter[1]->vectors[TAC_X] + b, bench.matter[1]->vectors[TAC_V] + b, second + b);
        }
    bench_force(&bench, TAC_F);
    check_same(&bench, 0, f);
    if (!one_matter) check_same(&bench, 1, g);
    // the energy is that of the same pairs
    bench_random(&bench, &random, TAC_R, 1);
    bench_clear(&bench, TAC_V);
    assert_true(bench_gradient_error(&bench, TAC_R, 1e-6) < 1e-6);
    free(x);
    free(f);
    free(g);
    free(points);
    free(others);
    bench_end(&bench);
}

static void test_groups_against_all_pairs(void **state) {
    (void)state;
    for (int one = 0; one < 2; one++) {
        check_groups(one, 11, 12);   // all pairs
        check_groups(one, 150, 151); // lists
    }
}

// Exact derivatives, away from the corners of the law (which random distances hardly ever hit).
static void test_derivatives(void **state) {
    (void)state;
    const struct {
        const Drawn *law;
        size_t n;
        double size;
    } cases[] = {{&spring, 12, 0.2}, {&odd, 20, 0.5}, {&sticky, 200, 0.8}};
    for (size_t i = 0; i < 3; i++) {
        TacRandom random = tac_random(13, i);
        double *x = cloud(&random, cases[i].n, cases[i].size);
        LawBench bench;
        start(&bench, TAC_VEC3, cases[i].n, x, cases[i].law);
        bench_bool(&bench, "stable", false);
        bench_real(&bench, "viscosity", 0.4);
        begin(&bench);
        bench_random(&bench, &random, TAC_R, 1);
        assert_true(bench_gradient_error(&bench, TAC_R, 1e-7) < 1e-5);
        assert_true(bench_stiffness_error(&bench, TAC_R, 1e-8) < 1e-5);
        // what velocities do: B d is the force that velocities d add
        bench_force(&bench, TAC_F);
        bench_change(&bench, TAC_R, TAC_P, 0, 1);
        memcpy(bench.matter[0]->vectors[TAC_V], bench.matter[0]->vectors[TAC_R], 3 * cases[i].n * sizeof *x);
        bench_force(&bench, TAC_Q);
        double most = 0;
        double *const *all = bench.matter[0]->vectors;
        for (size_t k = 0; k < 3 * cases[i].n; k++)
            most = fmax(most, fabs(all[TAC_Q][k] - all[TAC_F][k] - all[TAC_P][k]));
        assert_true(most < 1e-12 * bench_norm(&bench, TAC_Q));
        free(x);
        bench_end(&bench);
    }
}

// A stable stiffness never gives energy to any motion.
static void test_stable(void **state) {
    (void)state;
    TacRandom random = tac_random(19, 1);
    double *x = cloud(&random, 100, 0.5);
    LawBench bench;
    start(&bench, TAC_VEC3, 100, x, &sticky);
    begin(&bench);
    bench_force(&bench, TAC_F);
    for (int i = 0; i < 20; i++) {
        bench_random(&bench, &random, TAC_R, 1);
        bench_change(&bench, TAC_R, TAC_P, 1, 0);
        assert_true(bench_dot(&bench, TAC_R, TAC_P) < 0);
    }
    free(x);
    bench_end(&bench);
}

static void check_threads(size_t n, const Drawn *law, double size) {
    TacRandom random = tac_random(23, n);
    double *x = cloud(&random, n, size), *one = malloc(3 * n * sizeof *one);
    assert_non_null(one);
    LawBench bench;
    start(&bench, TAC_VEC3, n, x, law);
    bench_real(&bench, "viscosity", 0.1);
    begin(&bench);
    bench_random(&bench, &random, TAC_V, 1);
    bench_force(&bench, TAC_F);
    double energy = bench_energy(&bench);
    memcpy(one, bench.matter[0]->vectors[TAC_F], 3 * n * sizeof *one);
    for (int threads = 2; threads < 6; threads += 3) {
        // a fresh law, so that its lists are built by the team
        LawBench other;
        start(&other, TAC_VEC3, n, x, law);
        bench_real(&other, "viscosity", 0.1);
        begin(&other);
        memcpy(other.matter[0]->vectors[TAC_V], bench.matter[0]->vectors[TAC_V], 3 * n * sizeof *one);
        assert_int_equal(tac_team_create(&other.context.team, threads, NULL), TAC_OK);
        bench_force(&other, TAC_F);
        assert_memory_equal(one, other.matter[0]->vectors[TAC_F], 3 * n * sizeof *one);
        assert_true(bench_energy(&other) == energy);
        tac_team_destroy(other.context.team);
        bench_end(&other);
    }
    free(one);
    free(x);
    bench_end(&bench);
}

static void test_threads(void **state) {
    (void)state;
    check_threads(300, &odd, 0.5);
    check_threads(4000, &sticky, 1.5);
}

// Looking from elsewhere does not change what follows, to the last bit.
static void test_looking_changes_nothing(void **state) {
    (void)state;
    enum { N = 600 };
    TacRandom random = tac_random(29, 1);
    double *x = cloud(&random, N, 1);
    LawBench plain, watched;
    LawBench *both[] = {&plain, &watched};
    for (int b = 0; b < 2; b++) {
        start(both[b], TAC_VEC3, N, x, &sticky);
        begin(both[b]);
        bench_force(both[b], TAC_F);
    }
    for (int step = 0; step < 30; step++) {
        bench_random(&plain, &random, TAC_R, 1);
        memcpy(watched.matter[0]->vectors[TAC_R], plain.matter[0]->vectors[TAC_R], 3 * N * sizeof *x);
        for (int b = 0; b < 2; b++) bench_move(both[b], TAC_R, 0.005);
        // far away and back
        double *place = watched.matter[0]->vectors[TAC_X];
        double *kept = malloc(3 * N * sizeof *kept);
        assert_non_null(kept);
        memcpy(kept, place, 3 * N * sizeof *kept);
        for (size_t i = 0; i < 3 * N; i++) place[i] *= 0.7;
        bench_energy(&watched);
        memcpy(place, kept, 3 * N * sizeof *kept);
        free(kept);
        for (int b = 0; b < 2; b++) bench_force(both[b], TAC_F);
        assert_memory_equal(plain.matter[0]->vectors[TAC_F], watched.matter[0]->vectors[TAC_F],
                            3 * N * sizeof *x);
    }
    free(x);
    for (int b = 0; b < 2; b++) bench_end(both[b]);
}

// --- bad input --------------------------------------------------------------------------------------------

// Balls in one place, and balls that are nowhere, do no harm to others.
static void test_places_without_a_line(void **state) {
    (void)state;
    for (size_t n = 3; n < 200; n += 150) {
        TacRandom random = tac_random(31, n);
        double *x = cloud(&random, n, 0.3);
        memcpy(x + 3, x, 3 * sizeof *x);
        LawBench bench;
        start(&bench, TAC_VEC3, n, x, &sticky);
        bench_real(&bench, "viscosity", 1);
        begin(&bench);
        bench_force(&bench, TAC_F);
        bench_change(&bench, TAC_V, TAC_P, 1, 1);
        assert_true(bench_finite(&bench, TAC_F) && bench_finite(&bench, TAC_P));
        bench.matter[0]->vectors[TAC_X][0] = NAN;
        bench.matter[0]->vectors[TAC_X][4] = INFINITY;
        bench_force(&bench, TAC_F);
        for (size_t i = 6; i < 3 * n; i++) assert_true(isfinite(bench.matter[0]->vectors[TAC_F][i]));
        free(x);
        bench_end(&bench);
    }
}

static void refuse(void (*spoil)(LawBench *bench)) {
    const double x[] = {0, 0, 0, 1, 0, 0};
    LawBench bench;
    start(&bench, TAC_VEC3, 2, x, &sticky);
    spoil(&bench);
    assert_int_equal(bench_init(&bench), TAC_BAD_INPUT);
    assert_true(strlen(bench.error.message) > 10);
    bench_end(&bench);
}

static void too_few_thresholds(LawBench *bench) {
    bench_reals(bench, "thresholds", 2, sticky.thresholds);
}
static void first_threshold_not_zero(LawBench *bench) {
    bench_reals(bench, "thresholds", 3, (const double[]){0.1, 0.2, 0.3});
}
static void no_zero(LawBench *bench) {
    bench_real(bench, "zero", NAN);
}
static void huge(LawBench *bench) {
    bench_reals(bench, "slopes", 3, (const double[]){1e308, 1e308, 1e308});
    bench_real(bench, "zero", 100);
}
static void no_such_point(LawBench *bench) {
    bench_ints(bench, "points", 1, (const int32_t[]){2});
}
static void twice(LawBench *bench) {
    bench_ints(bench, "others", 2, (const int32_t[]){1, 1});
}
static void fit_and_slopes(LawBench *bench) {
    bench_choice(bench, "fit", "lennard-jones");
}

static void test_refusals(void **state) {
    (void)state;
    refuse(too_few_thresholds);
    refuse(first_threshold_not_zero);
    refuse(no_zero);
    refuse(huge);
    refuse(no_such_point);
    refuse(twice);
    refuse(fit_and_slopes);
}

static void make_few(LawBench *bench) {
    const double x[] = {0, 0, 0, 1, 0, 0};
    start(bench, TAC_VEC3, 2, x, &sticky);
}

static void make_many(LawBench *bench) {
    TacRandom random = tac_random(1, 1);
    double *x = cloud(&random, 100, 1);
    start(bench, TAC_VEC3, 100, x, &sticky);
    free(x);
}

static void test_without_memory(void **state) {
    (void)state;
    bench_try_without_memory(make_few);
    bench_try_without_memory(make_many);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_force_is_what_slopes_say),
        cmocka_unit_test(test_energy_is_the_work),
        cmocka_unit_test(test_reach_is_found),
        cmocka_unit_test(test_viscosity),
        cmocka_unit_test(test_fit),
        cmocka_unit_test(test_agglomerates_against_all_pairs),
        cmocka_unit_test(test_far_places),
        cmocka_unit_test(test_crowds),
        cmocka_unit_test(test_groups_against_all_pairs),
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_stable),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_looking_changes_nothing),
        cmocka_unit_test(test_places_without_a_line),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
