// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Lennard-Jones and smoothed particles: against sums over all pairs, closed forms and finite differences; the
// same bits for any number of threads.

#include "law_harness.h"

#include "base/team.h"
#include "law/laws.h"
#include "law/neighbours.h"

static double *cloud(TacRandom *random, size_t count, double size) {
    double *x = calloc(3 * count, sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < 3 * count; i++) x[i] = tac_random_between(random, -size, size);
    return x;
}

static void start(LawBench *bench, const TacClass *cls, size_t count, const double *x) {
    *bench = (LawBench){0};
    bench_law(bench, cls, bench_matter(bench, TAC_VEC3, count, x), NULL, NULL);
}

static void init(LawBench *bench) {
    if (bench_init(bench) != TAC_OK) fail_msg("%s", bench->error.message);
}

// --- neighbours -------------------------------------------------------------------------------------------

typedef struct Found {
    size_t count;
    double sum;
} Found;

static void count_one(void *data, const TacNeighbour *other, const double d[3], double square) {
    Found *found = data;
    found->count++;
    found->sum += (double)(other->index + 1) * square + d[0] + 2 * d[1] + 3 * d[2];
}

static void test_neighbours_are_those_of_all_pairs(void **state) {
    (void)state;
    enum { N = 600 };
    // dense, sparse, far from the origin, flung out of all cells that are counted, and so few that cells
    // share buckets
    const double sizes[] = {1, 40, 1, 1, 1};
    const double offsets[] = {0, 0, 1e6, 3e9, 0};
    for (int k = 0; k < 5; k++) {
        const size_t count = k == 4 ? 5 : N;
        TacRandom random = tac_random(5, (uint64_t)k);
        double *x = cloud(&random, N, sizes[k]);
        for (size_t i = 0; i < 3 * count; i++) x[i] += i % 2 ? offsets[k] : -offsets[k];
        LawBench bench = {0};
        TacNeighbours grid;
        double reach = k == 1 ? 9 : k == 4 ? 1.2 : 0.3;
        assert_int_equal(tac_neighbours_create(&grid, &bench.setup, count, reach, NULL), TAC_OK);
        tac_neighbours_sort(&grid, x, 3, 3);
        size_t all = 0;
        for (size_t i = 0; i < count; i++) {
            Found found = {0, 0}, expected = {0, 0};
            tac_neighbours_visit(&grid, i, count_one, &found);
            for (uint32_t j = 0; j < count; j++) {
                double d[3], square = 0;
                for (int c = 0; c < 3; c++) {
                    d[c] = x[3 * j + (size_t)c] - x[3 * i + (size_t)c];
                    square += d[c] * d[c];
                }
                if (j != i && square < reach * reach)
                    count_one(&expected, &(TacNeighbour){.index = j}, d, square);
            }
            assert_int_equal(found.count, expected.count);
            assert_true(fabs(found.sum - expected.sum) <= 1e-9 * (1 + fabs(expected.sum)));
            all += found.count;
        }
        assert_true(all > count);
        free(x);
        bench_end(&bench);
    }
}

// --- Lennard-Jones ----------------------------------------------------------------------------------------

static void make_lennard_jones(LawBench *bench, size_t count, const double *x) {
    start(bench, &tac_lennard_jones_class, count, x);
    bench_real(bench, "depth", 2.5);
    bench_real(bench, "distance", 0.4);
    bench_real(bench, "cutoff", 1.1);
    bench_bool(bench, "stable", false);
}

static void test_two_bodies(void **state) {
    (void)state;
    const double places[] = {0.1, 0.2, 0.3, 0.5, 0.2, 0.3};
    LawBench bench;
    make_lennard_jones(&bench, 2, places);
    init(&bench);
    // at the lowest point of the energy nothing pulls
    bench_force(&bench, TAC_F);
    assert_true(bench_norm(&bench, TAC_F) < 1e-12);
    double rest = bench_energy(&bench), s = pow(0.4 / 1.1, 6);
    assert_true(fabs(rest + 2.5 - 2.5 * (2 * s - s * s)) < 1e-12);
    // U'' = 72 e / d0^2 there: the period of the pair
    double *d = bench.matter[0]->vectors[TAC_R];
    d[0] = -0.5;
    d[3] = 0.5;
    bench_change(&bench, TAC_R, TAC_P, 1, 0);
    assert_true(fabs(bench.matter[0]->vectors[TAC_P][3] + 72 * 2.5 / (0.4 * 0.4)) < 1e-9);
    // the well known force at twice the distance
    bench.matter[0]->vectors[TAC_X][3] = 0.1 + 0.8;
    bench_force(&bench, TAC_F);
    double expected = 12 * 2.5 / 0.4 * (pow(2, -13) - pow(2, -7));
    assert_true(fabs(bench.matter[0]->vectors[TAC_F][3] - expected) < 1e-12);
    // beyond the cut-off nothing
    bench.matter[0]->vectors[TAC_X][3] = 0.1 + 1.1000001;
    bench_force(&bench, TAC_F);
    assert_true(bench_norm(&bench, TAC_F) == 0 && bench_energy(&bench) == 0);
    bench_end(&bench);
}

// A grid of points, each shaken: near enough to feel each other, not so near that forces explode.
static double *shaken_grid(TacRandom *random, size_t n, double spacing) {
    double *x = calloc(3 * n * n * n, sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < n * n * n; i++) {
        const size_t c[3] = {i % n, i / n % n, i / n / n};
        for (size_t k = 0; k < 3; k++)
            x[3 * i + k] = spacing * ((double)c[k] + tac_random_between(random, -0.15, 0.15));
    }
    return x;
}

static void test_lennard_jones_derivatives(void **state) {
    (void)state;
    enum { N = 5 };
    for (int kind = 0; kind < 3; kind++) {
        TacRandom random = tac_random(11, (uint64_t)kind);
        double *x = shaken_grid(&random, N, 0.45);
        LawBench bench;
        make_lennard_jones(&bench, N * N * N, x);
        if (kind == 1) {
            bench_real(&bench, "attraction", 8);
            bench_real(&bench, "repulsion", 9);
            bench_real(&bench, "depth", -50);
        }
        // away from the cut-off, where the force jumps
        bench_real(&bench, "cutoff", 5);
        if (kind == 2) bench_real(&bench, "damping", 0.7);
        init(&bench);
        bench_random(&bench, &random, TAC_R, 1);
        assert_true(bench_gradient_error(&bench, TAC_R, 1e-6) < 1e-7);
        assert_true(bench_stiffness_error(&bench, TAC_R, 1e-6) < 1e-6);
        // symmetric
        bench_random(&bench, &random, TAC_S, 1);
        bench_force(&bench, TAC_F);
        bench_change(&bench, TAC_R, TAC_P, 1, 0);
        bench_change(&bench, TAC_S, TAC_Q, 1, 0);
        double size = bench_norm(&bench, TAC_P) * bench_norm(&bench, TAC_S);
        assert_true(fabs(bench_dot(&bench, TAC_S, TAC_P) - bench_dot(&bench, TAC_R, TAC_Q)) < 1e-12 * size);
        free(x);
        bench_end(&bench);
    }
}

// Momentum: forces add up to nothing, and so do their moments.
static void check_momentum(LawBench *bench) {
    const TacMatter *m = bench->matter[0];
    TacVec3 sum = {0, 0, 0}, moment = {0, 0, 0};
    double size = 0;
    for (size_t i = 0; i < m->count; i++) {
        TacVec3 f = tac_load3(m->vectors[TAC_F] + 3 * i);
        sum = tac_add(sum, f);
        moment = tac_add(moment, tac_cross(tac_load3(m->vectors[TAC_X] + 3 * i), f));
        size += tac_norm(f);
    }
    assert_true(size > 0);
    assert_true(tac_norm(sum) < 1e-12 * size && tac_norm(moment) < 1e-12 * size);
}

static void check_threads(LawBench *bench) {
    size_t n = tac_vector_size(bench->matter[0], TAC_F);
    double *one = malloc(n * sizeof *one);
    assert_non_null(one);
    bench_force(bench, TAC_F);
    double energy = bench_energy(bench);
    memcpy(one, bench->matter[0]->vectors[TAC_F], n * sizeof *one);
    for (int threads = 2; threads < 6; threads += 3) {
        assert_int_equal(tac_team_create(&bench->context.team, threads, NULL), TAC_OK);
        bench_force(bench, TAC_F);
        assert_memory_equal(one, bench->matter[0]->vectors[TAC_F], n * sizeof *one);
        assert_true(bench_energy(bench) == energy);
        tac_team_destroy(bench->context.team);
        bench->context.team = NULL;
    }
    free(one);
}

static void test_lennard_jones_momentum_and_threads(void **state) {
    (void)state;
    enum { N = 12 };
    TacRandom random = tac_random(3, 1);
    double *x = shaken_grid(&random, N, 0.45);
    LawBench bench;
    make_lennard_jones(&bench, N * N * N, x);
    init(&bench);
    bench_force(&bench, TAC_F);
    check_momentum(&bench);
    check_threads(&bench);
    free(x);
    bench_end(&bench);
}

// The sum over all pairs, with the cap on attraction as SOFA has it, and its damping of whole velocities.
static void test_lennard_jones_against_all_pairs(void **state) {
    (void)state;
    enum { N = 200 };
    TacRandom random = tac_random(17, 1);
    double *x = cloud(&random, N, 1.5), f[3 * N] = {0};
    LawBench bench;
    start(&bench, &tac_lennard_jones_class, N, x);
    bench_real(&bench, "attraction", 8);
    bench_real(&bench, "repulsion", 9);
    bench_real(&bench, "depth", -50);
    bench_real(&bench, "cutoff", 1.2);
    bench_real(&bench, "strongest", 2);
    bench_real(&bench, "damping", 0.3);
    init(&bench);
    bench_random(&bench, &random, TAC_V, 1);
    const double *v = bench.matter[0]->vectors[TAC_V];
    double a = -50 / (1 - 8.0 / 9), b = -50 / (9.0 / 8 - 1);
    for (size_t j = 1; j < N; j++)
        for (size_t i = 0; i < j; i++) {
            TacVec3 u = tac_sub(tac_load3(x + 3 * j), tac_load3(x + 3 * i));
            double d = tac_norm(u);
            if (d >= 1.2) continue;
            double pull = fmin(a * 8 * pow(d, -9) - b * 9 * pow(d, -10), 2);
            TacVec3 g =
                tac_axpy(tac_scale(u, pull / d), 0.3, tac_sub(tac_load3(v + 3 * j), tac_load3(v + 3 * i)));
            tac_add3(f + 3 * i, g);
            tac_add3(f + 3 * j, tac_scale(g, -1));
        }
    bench_force(&bench, TAC_F);
    double most = 0, size = 0;
    for (size_t i = 0; i < 3 * N; i++) {
        most = fmax(most, fabs(f[i] - bench.matter[0]->vectors[TAC_F][i]));
        size = fmax(size, fabs(f[i]));
    }
    assert_true(size > 1 && most < 1e-12 * size);
    free(x);
    bench_end(&bench);
}

// In a periodic box every pair feels its nearest image; with powers that are whole numbers and with others.
// Balls that have left the box act as if they had not. Boxes may be periodic along some axes only.
static void test_lennard_jones_in_a_box(void **state) {
    (void)state;
    enum { N = 12, ALL = N * N * N };
    const double side = 0.45 * N, cutoff = 1.7,
                 boxes[3][3] = {{side, side, side}, {side, 0, side}, {0, 0, side}};
    const double powers[3][2] = {{6, 12}, {3, 5}, {6.5, 7.3}};
    for (int kind = 0; kind < 3; kind++) {
        TacRandom random = tac_random(41, (uint64_t)kind);
        double *x = shaken_grid(&random, N, 0.45), *f = calloc(3 * ALL, sizeof *f);
        assert_non_null(f);
        const double *box = boxes[kind], alpha = powers[kind][0], beta = powers[kind][1];
        for (size_t i = 0; i < 3 * ALL; i++)
            if (i % 7 == 0) x[i] += box[i % 3] * (double)((int)(i % 5) - 2);
        LawBench bench;
        start(&bench, &tac_lennard_jones_class, ALL, x);
        bench_real(&bench, "distance", 0.5);
        bench_real(&bench, "attraction", alpha);
        bench_real(&bench, "repulsion", beta);
        bench_real(&bench, "cutoff", cutoff);
        bench_vector(&bench, "box", tac_vec3(box[0], box[1], box[2]));
        init(&bench);
        double a = pow(0.5, alpha) / (1 - alpha / beta), b = pow(0.5, beta) / (beta / alpha - 1), energy = 0;
        double floor = b * pow(cutoff, -beta) - a * pow(cutoff, -alpha);
        for (size_t j = 1; j < ALL; j++)
            for (size_t i = 0; i < j; i++) {
                double d[3], square = 0;
                for (size_t k = 0; k < 3; k++) {
                    d[k] = x[3 * j + k] - x[3 * i + k];
                    if (box[k] > 0) d[k] = remainder(d[k], box[k]);
                    square += d[k] * d[k];
                }
                double r = sqrt(square);
                if (r >= cutoff) continue;
                double pull = (a * alpha * pow(r, -alpha) - b * beta * pow(r, -beta)) / square;
                energy += b * pow(r, -beta) - a * pow(r, -alpha) - floor;
                for (size_t k = 0; k < 3; k++) {
                    f[3 * i + k] += pull * d[k];
                    f[3 * j + k] -= pull * d[k];
                }
            }
        bench_force(&bench, TAC_F);
        double most = 0, size = 0;
        for (size_t i = 0; i < 3 * ALL; i++) {
            most = fmax(most, fabs(f[i] - bench.matter[0]->vectors[TAC_F][i]));
            size = fmax(size, fabs(f[i]));
        }
        assert_true(size > 1 && most < 1e-11 * size);
        assert_true(fabs(bench_energy(&bench) / energy - 1) < 1e-11);
        check_threads(&bench);
        free(x);
        free(f);
        bench_end(&bench);
    }
}

static void test_lennard_jones_refuses(void **state) {
    (void)state;
    const double x[] = {0, 0, 0, 1, 0, 0};
    LawBench bench;
    start(&bench, &tac_lennard_jones_class, 2, x);
    bench_real(&bench, "repulsion", 6);
    assert_int_equal(bench_init(&bench), TAC_BAD_INPUT);
    bench_end(&bench);
    start(&bench, &tac_lennard_jones_class, 2, x);
    bench_real(&bench, "distance", 1e200);
    assert_int_equal(bench_init(&bench), TAC_BAD_INPUT);
    bench_end(&bench);
    start(&bench, &tac_lennard_jones_class, 2, x);
    bench_vector(&bench, "box", tac_vec3(4, 0, 0));
    assert_int_equal(bench_init(&bench), TAC_BAD_INPUT);
    bench_end(&bench);
    // points in one place, and points that are nowhere, do no harm to others
    const double same[] = {0, 0, 0, 0, 0, 0, 0.5, 0, 0};
    start(&bench, &tac_lennard_jones_class, 3, same);
    init(&bench);
    bench_force(&bench, TAC_F);
    assert_true(bench_finite(&bench, TAC_F));
    bench.matter[0]->vectors[TAC_X][0] = NAN;
    bench.matter[0]->vectors[TAC_X][4] = INFINITY;
    bench_force(&bench, TAC_F);
    bench_end(&bench);
}

// --- smoothed particles -----------------------------------------------------------------------------------

static void make_fluid(LawBench *bench, size_t count, const double *x, const char *kernel) {
    start(bench, &tac_smoothed_particles_class, count, x);
    bench_real(bench, "radius", 0.5);
    bench_real(bench, "mass", 0.02);
    bench_real(bench, "density", 1.5);
    bench_real(bench, "pressure", 40);
    bench_real(bench, "viscosity", 0);
    bench_choice(bench, "kernel", kernel);
}

// In a fine lattice every kernel adds up to the density of the lattice: kernels have the integral 1. Seen by
// what a single particle in its middle feels when it is pushed: nothing, and by the energy of all.
static void test_density_of_a_lattice(void **state) {
    (void)state;
    static const char *const kernels[] = {"mueller", "cubic"};
    enum { N = 21 };
    double *x = calloc(3 * N * N * N, sizeof *x);
    assert_non_null(x);
    const double spacing = 0.1;
    for (size_t i = 0; i < N * N * N; i++) {
        const size_t c[3] = {i % N, i / N % N, i / N / N};
        for (size_t k = 0; k < 3; k++) x[3 * i + k] = spacing * (double)c[k];
    }
    for (int k = 0; k < 2; k++) {
        // a fluid at rest at the density of the lattice pushes no particle that is deep inside
        for (int dense = 0; dense < 2; dense++) {
            LawBench bench;
            make_fluid(&bench, N * N * N, x, kernels[k]);
            double lattice = 0.02 / (spacing * spacing * spacing);
            bench_real(&bench, "density", lattice);
            init(&bench);
            if (dense) bench.matter[0]->vectors[TAC_X][3 * (N * N * (N / 2) + N * (N / 2) + N / 2)] += 0.03;
            bench_force(&bench, TAC_F);
            const double *f = bench.matter[0]->vectors[TAC_F];
            size_t middle = N * N * (N / 2) + N * (N / 2) + N / 2;
            double inside = tac_norm(tac_load3(f + 3 * middle)), edge = tac_norm(tac_load3(f));
            if (dense)
                assert_true(inside > 1e-4 * edge);
            else
                assert_true(inside < 1e-3 * edge);
            bench_end(&bench);
        }
    }
    free(x);
}

// The same densities, pressures and viscosities from sums over all pairs, written from the papers.
static void test_fluid_against_all_pairs(void **state) {
    (void)state;
    enum { N = 300 };
    const double h = 0.5, m = 0.02, rho0 = 1.5, k = 40, mu = 0.7, pi = 3.14159265358979323846;
    TacRandom random = tac_random(23, 1);
    double *x = cloud(&random, N, 0.8), rho[N], f[3 * N] = {0};
    LawBench bench;
    make_fluid(&bench, N, x, "mueller");
    bench_real(&bench, "viscosity", mu);
    init(&bench);
    bench_random(&bench, &random, TAC_V, 1);
    const double *v = bench.matter[0]->vectors[TAC_V];
    for (size_t i = 0; i < N; i++) {
        rho[i] = 0;
        for (size_t j = 0; j < N; j++) {
            double r = tac_norm(tac_sub(tac_load3(x + 3 * i), tac_load3(x + 3 * j)));
            if (r < h) rho[i] += m * 315 / (64 * pi * pow(h, 9)) * pow(h * h - r * r, 3);
        }
    }
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            TacVec3 d = tac_sub(tac_load3(x + 3 * i), tac_load3(x + 3 * j));
            double r = tac_norm(d);
            if (i == j || r >= h) continue;
            double both = k * (rho[i] - rho0) / (rho[i] * rho[i]) + k * (rho[j] - rho0) / (rho[j] * rho[j]);
            double slope = -45 / (pi * pow(h, 6)) * (h - r) * (h - r);
            TacVec3 g = tac_scale(d, -m * m * both * slope / r);
            double lap = 45 / (pi * pow(h, 6)) * (h - r);
            g = tac_axpy(g, mu * m * m / (rho[i] * rho[j]) * lap,
                         tac_sub(tac_load3(v + 3 * j), tac_load3(v + 3 * i)));
            tac_add3(f + 3 * i, g);
        }
    bench_force(&bench, TAC_F);
    double most = 0, size = 0;
    for (size_t i = 0; i < 3 * N; i++) {
        most = fmax(most, fabs(f[i] - bench.matter[0]->vectors[TAC_F][i]));
        size = fmax(size, fabs(f[i]));
    }
    assert_true(size > 1e-3 && most < 1e-11 * size);
    free(x);
    bench_end(&bench);
}

// With one kernel for all, pressure is the gradient of the energy.
static void test_fluid_energy(void **state) {
    (void)state;
    enum { N = 6 };
    TacRandom random = tac_random(29, 1);
    double *x = shaken_grid(&random, N, 0.22);
    LawBench bench;
    make_fluid(&bench, N * N * N, x, "cubic");
    init(&bench);
    bench_random(&bench, &random, TAC_R, 1);
    assert_true(bench_gradient_error(&bench, TAC_R, 1e-5) < 1e-7);
    bench_force(&bench, TAC_F);
    check_momentum(&bench);
    free(x);
    bench_end(&bench);
}

// Viscosity takes energy away and keeps momentum; the artificial one does nothing to particles that part.
static void test_viscosity(void **state) {
    (void)state;
    enum { N = 200 };
    static const char *const kinds[] = {"laplacian", "artificial"};
    for (int kind = 0; kind < 2; kind++) {
        TacRandom random = tac_random(31, (uint64_t)kind);
        double *x = cloud(&random, N, 0.6);
        LawBench bench;
        make_fluid(&bench, N, x, kind ? "cubic" : "mueller");
        bench_real(&bench, "pressure", 0);
        bench_real(&bench, "viscosity", 0.5);
        bench_choice(&bench, "viscosity_type", kinds[kind]);
        init(&bench);
        bench_random(&bench, &random, TAC_V, 1);
        bench_force(&bench, TAC_F);
        assert_true(bench_dot(&bench, TAC_F, TAC_V) < -1e-6);
        const TacMatter *m = bench.matter[0];
        TacVec3 sum = {0, 0, 0};
        for (size_t i = 0; i < N; i++) sum = tac_add(sum, tac_load3(m->vectors[TAC_F] + 3 * i));
        assert_true(tac_norm(sum) < 1e-12 * bench_norm(&bench, TAC_F));
        memcpy(m->vectors[TAC_V], x, 3 * N * sizeof *x);
        bench_force(&bench, TAC_F);
        assert_true(kind == 0 || bench_norm(&bench, TAC_F) == 0);
        free(x);
        bench_end(&bench);
    }
}

// A drop is pulled together where its surface is, and by the same amount all around.
static void test_surface_tension(void **state) {
    (void)state;
    enum { N = 9 };
    double *x = calloc(3 * N * N * N, sizeof *x);
    assert_non_null(x);
    size_t count = 0;
    for (size_t i = 0; i < N * N * N; i++) {
        TacVec3 p = tac_vec3((double)(i % N) - 4, (double)(i / N % N) - 4, (double)(i / N / N) - 4);
        if (tac_norm(p) < 4.2) tac_store3(x + 3 * count++, tac_scale(p, 0.2));
    }
    LawBench bench;
    make_fluid(&bench, count, x, "mueller");
    bench_real(&bench, "pressure", 0);
    bench_real(&bench, "tension", 3);
    init(&bench);
    bench_force(&bench, TAC_F);
    double inward = 0;
    TacVec3 sum = {0, 0, 0};
    for (size_t i = 0; i < count; i++) {
        TacVec3 p = tac_load3(x + 3 * i), f = tac_load3(bench.matter[0]->vectors[TAC_F] + 3 * i);
        sum = tac_add(sum, f);
        if (tac_norm(p) > 0.7) inward -= tac_dot(f, tac_unit(p));
    }
    assert_true(inward > 0);
    assert_true(tac_norm(sum) < 1e-10 * bench_norm(&bench, TAC_F));
    free(x);
    bench_end(&bench);
}

static void test_fluid_threads(void **state) {
    (void)state;
    enum { N = 14 };
    TacRandom random = tac_random(37, 1);
    double *x = shaken_grid(&random, N, 0.2);
    LawBench bench;
    make_fluid(&bench, N * N * N, x, "mueller");
    bench_real(&bench, "viscosity", 0.5);
    bench_real(&bench, "tension", 1);
    init(&bench);
    bench_random(&bench, &random, TAC_V, 1);
    check_threads(&bench);
    free(x);
    bench_end(&bench);
}

static void make_small_fluid(LawBench *bench) {
    const double x[] = {0, 0, 0, 0.1, 0, 0};
    make_fluid(bench, 2, x, "cubic");
    bench_real(bench, "tension", 1);
}

static void make_small_gas(LawBench *bench) {
    const double x[] = {0, 0, 0, 0.1, 0, 0};
    make_lennard_jones(bench, 2, x);
}

static void test_without_memory(void **state) {
    (void)state;
    bench_try_without_memory(make_small_fluid);
    bench_try_without_memory(make_small_gas);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_neighbours_are_those_of_all_pairs),
        cmocka_unit_test(test_two_bodies),
        cmocka_unit_test(test_lennard_jones_derivatives),
        cmocka_unit_test(test_lennard_jones_momentum_and_threads),
        cmocka_unit_test(test_lennard_jones_against_all_pairs),
        cmocka_unit_test(test_lennard_jones_in_a_box),
        cmocka_unit_test(test_lennard_jones_refuses),
        cmocka_unit_test(test_density_of_a_lattice),
        cmocka_unit_test(test_fluid_against_all_pairs),
        cmocka_unit_test(test_fluid_energy),
        cmocka_unit_test(test_viscosity),
        cmocka_unit_test(test_surface_tension),
        cmocka_unit_test(test_fluid_threads),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
