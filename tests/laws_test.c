// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Springs, Plane and ConstantForce against closed forms and against differences of their own energy and
// force.

#include "law_harness.h"

#include "base/team.h"
#include "law/laws.h"
#include "law/setup.h"

static const TacMatterKind KINDS[] = {TAC_VEC1, TAC_VEC2, TAC_VEC3, TAC_RIGID2, TAC_RIGID3};

// Random places in a box of side 2, orientations set to the identity.
static TacMatter *scattered(LawBench *bench, TacRandom *random, TacMatterKind kind, size_t count) {
    size_t size = (size_t)tac_position_size(kind);
    double *x = bench_take(bench, size * count, sizeof *x);
    for (size_t i = 0; i < size * count; i++) x[i] = tac_random_between(random, -1, 1);
    for (size_t i = 0; kind == TAC_RIGID3 && i < count; i++)
        tac_store_quat(x + 7 * i + 3, tac_quat_identity());
    return bench_matter(bench, kind, count, x);
}

// Directions that laws on places can answer: nothing in the orientations.
static void random_direction(LawBench *bench, TacRandom *random, TacVector d) {
    bench_random(bench, random, d, 1);
    for (int k = 0; k < 2; k++) {
        TacMatter *m = bench->matter[k];
        for (size_t i = 0; i < m->count; i++) {
            if (m->kind == TAC_RIGID2) m->vectors[d][3 * i + 2] = 0;
            if (m->kind == TAC_RIGID3) memset(m->vectors[d] + 6 * i + 3, 0, 3 * sizeof(double));
        }
    }
}

// --- springs ----------------------------------------------------------------------------------------------

typedef struct SpringCase {
    TacMatterKind kind;
    bool two, pull_only, stable;
    double damping;
} SpringCase;

// 40 springs between random points: some stretched, some compressed.
static void make_springs(LawBench *bench, TacRandom *random, SpringCase s) {
    enum { POINTS = 15, SPRINGS = 40 };
    *bench = (LawBench){0};
    TacMatter *first = scattered(bench, random, s.kind, POINTS);
    TacMatter *second = s.two ? scattered(bench, random, s.kind, POINTS) : NULL;
    bench_law(bench, &tac_springs_class, first, second, NULL);
    int32_t pairs[2 * SPRINGS];
    double stiffness[SPRINGS], lengths[SPRINGS];
    for (int i = 0; i < SPRINGS; i++) {
        pairs[2 * i] = (int32_t)(tac_random_bits(random) % POINTS);
        pairs[2 * i + 1] =
            (int32_t)((size_t)pairs[2 * i] + 1 + tac_random_bits(random) % (POINTS - 1)) % POINTS;
        stiffness[i] = tac_random_between(random, 10, 100);
        lengths[i] = tac_random_between(random, 0, 2);
    }
    bench_ints(bench, "pairs", 2 * SPRINGS, pairs);
    bench_reals(bench, "stiffness", SPRINGS, stiffness);
    bench_reals(bench, "lengths", SPRINGS, lengths);
    bench_reals(bench, "damping", 1, &s.damping);
    bench_bool(bench, "pull_only", s.pull_only);
    bench_bool(bench, "stable", s.stable);
    assert_int_equal(bench_init(bench), TAC_OK);
}

static void spring_force_is_minus_the_gradient(void **state) {
    (void)state;
    TacRandom random = tac_random(1, 1);
    for (size_t kind = 0; kind < TAC_COUNT(KINDS); kind++)
        for (int form = 0; form < 4; form++) {
            LawBench bench;
            make_springs(&bench, &random, (SpringCase){KINDS[kind], form & 1, form & 2, true, 0});
            random_direction(&bench, &random, TAC_Q);
            assert_true(bench_gradient_error(&bench, TAC_Q, 1e-6) < 1e-7);
            bench_end(&bench);
        }
}

static void spring_stiffness_is_exact_when_asked(void **state) {
    (void)state;
    TacRandom random = tac_random(2, 1);
    for (size_t kind = 0; kind < TAC_COUNT(KINDS); kind++)
        for (int form = 0; form < 4; form++) {
            LawBench bench;
            make_springs(&bench, &random, (SpringCase){KINDS[kind], form & 1, form & 2, false, 3});
            random_direction(&bench, &random, TAC_Q);
            assert_true(bench_stiffness_error(&bench, TAC_Q, 1e-6) < 1e-6);
            bench_end(&bench);
        }
}

static void spring_damping_is_linear_in_velocity(void **state) {
    (void)state;
    TacRandom random = tac_random(3, 1);
    for (size_t kind = 0; kind < TAC_COUNT(KINDS); kind++) {
        LawBench bench;
        make_springs(&bench, &random, (SpringCase){KINDS[kind], true, false, true, 3});
        bench_force(&bench, TAC_A);
        random_direction(&bench, &random, TAC_V);
        bench_force(&bench, TAC_B);
        bench_change(&bench, TAC_V, TAC_P, 0, 1);
        assert_true(bench_norm(&bench, TAC_P) > 1);
        for (int k = 0; k < 2; k++)
            for (size_t i = 0; i < tac_vector_size(bench.matter[k], TAC_F); i++) {
                double *const *all = bench.matter[k]->vectors;
                assert_true(fabs(all[TAC_B][i] - all[TAC_A][i] - all[TAC_P][i]) < 1e-10);
            }
        // it takes energy
        assert_true(bench_dot(&bench, TAC_V, TAC_P) < 0);
        bench_end(&bench);
    }
}

static void spring_stiffness_is_symmetric_and_never_softens(void **state) {
    (void)state;
    TacRandom random = tac_random(4, 1);
    LawBench bench;
    make_springs(&bench, &random, (SpringCase){TAC_VEC3, true, false, true, 3});
    bench_force(&bench, TAC_F);
    for (int i = 0; i < 50; i++) {
        bench_random(&bench, &random, TAC_Q, 1);
        bench_random(&bench, &random, TAC_R, 1);
        bench_change(&bench, TAC_Q, TAC_A, 0.7, 0.2);
        bench_change(&bench, TAC_R, TAC_B, 0.7, 0.2);
        double uv = bench_dot(&bench, TAC_R, TAC_A), vu = bench_dot(&bench, TAC_Q, TAC_B);
        assert_true(fabs(uv - vu) < 1e-12 * bench_norm(&bench, TAC_A) * bench_norm(&bench, TAC_R));
        assert_true(bench_dot(&bench, TAC_Q, TAC_A) <= 0);
    }
    bench_end(&bench);
}

// One spring from the origin to (length, 0, 0).
static void make_one_spring(LawBench *bench, double length, double rest, bool pull_only, bool stable) {
    *bench = (LawBench){0};
    double x[6] = {0, 0, 0, length, 0, 0}, stiffness = 50, damping = 2;
    int32_t pair[2] = {0, 1};
    bench_law(bench, &tac_springs_class, bench_matter(bench, TAC_VEC3, 2, x), NULL, NULL);
    bench_ints(bench, "pairs", 2, pair);
    bench_reals(bench, "stiffness", 1, &stiffness);
    bench_reals(bench, "damping", 1, &damping);
    bench_reals(bench, "lengths", 1, &rest);
    bench_bool(bench, "pull_only", pull_only);
    bench_bool(bench, "stable", stable);
    assert_int_equal(bench_init(bench), TAC_OK);
}

static void one_spring_pulls_as_hooke_says(void **state) {
    (void)state;
    LawBench bench;
    make_one_spring(&bench, 1.5, 1, false, true);
    bench.matter[0]->vectors[TAC_V][3] = 0.25;
    bench.matter[0]->vectors[TAC_V][4] = 9; // across: no damping
    bench_force(&bench, TAC_F);
    const double *f = bench.matter[0]->vectors[TAC_F];
    assert_true(fabs(f[0] - (50 * 0.5 + 2 * 0.25)) < 1e-13 && f[0] == -f[3]);
    assert_true(f[1] == 0 && f[2] == 0 && f[4] == 0 && f[5] == 0);
    assert_true(fabs(bench_energy(&bench) - 0.5 * 50 * 0.25) < 1e-13);
    bench_end(&bench);
}

// Across a compressed spring, the exact stiffness is that of a column about to buckle; the stable one is
// none.
static void stable_springs_drop_only_negative_stiffness(void **state) {
    (void)state;
    const double across[3] = {0, 1, 0};
    for (int stable = 0; stable < 2; stable++)
        for (int stretched = 0; stretched < 2; stretched++) {
            LawBench bench;
            make_one_spring(&bench, stretched ? 2 : 0.5, 1, false, stable);
            bench_force(&bench, TAC_F);
            memcpy(bench.matter[0]->vectors[TAC_Q] + 3, across, sizeof across);
            bench_change(&bench, TAC_Q, TAC_P, 1, 0);
            double exact = stretched ? -50 * 1.0 / 2 : 50 * 0.5 / 0.5;
            double expected = stable && !stretched ? 0 : exact;
            assert_true(fabs(bench.matter[0]->vectors[TAC_P][4] - expected) < 1e-12);
            bench_end(&bench);
        }
}

// Without what turning does, a spring resists along itself only.
static void springs_that_do_not_turn_have_no_stiffness_across(void **state) {
    (void)state;
    for (int stretched = 0; stretched < 2; stretched++) {
        LawBench bench;
        make_one_spring(&bench, stretched ? 2 : 0.5, 1, false, false);
        bench_bool(&bench, "turns", false);
        bench_force(&bench, TAC_F);
        assert_true(fabs(bench.matter[0]->vectors[TAC_F][0] - (stretched ? 50 : -25)) < 1e-12);
        bench.matter[0]->vectors[TAC_Q][3] = 3;
        bench.matter[0]->vectors[TAC_Q][4] = 7;
        bench_change(&bench, TAC_Q, TAC_P, 1, 0);
        assert_true(fabs(bench.matter[0]->vectors[TAC_P][3] + 50 * 3) < 1e-12);
        assert_true(bench.matter[0]->vectors[TAC_P][4] == 0);
        bench_end(&bench);
    }
}

// SOFA's view of the damping: the force turns with the spring, and does not grow with the speed.
static void damping_may_turn_instead(void **state) {
    (void)state;
    LawBench bench;
    make_one_spring(&bench, 2, 1, false, false);
    bench_bool(&bench, "damping_turns", true);
    bench.matter[0]->vectors[TAC_V][3] = 5; // 10 N of damping on top of 50 N
    bench_force(&bench, TAC_F);
    assert_true(fabs(bench.matter[0]->vectors[TAC_F][0] - 60) < 1e-12);
    bench.matter[0]->vectors[TAC_Q][3] = 1;
    bench.matter[0]->vectors[TAC_Q][4] = 1;
    bench_change(&bench, TAC_Q, TAC_P, 1, 1);
    assert_true(fabs(bench.matter[0]->vectors[TAC_P][3] + 50) < 1e-12);
    assert_true(fabs(bench.matter[0]->vectors[TAC_P][4] + 60.0 / 2) < 1e-12);
    bench_end(&bench);
}

static void springs_without_length_are_harmless(void **state) {
    (void)state;
    for (int form = 0; form < 8; form++) {
        double rest = form & 1 ? 1 : 0;
        LawBench bench;
        make_one_spring(&bench, 0, rest, form & 2, form & 4);
        bench.matter[0]->vectors[TAC_V][3] = 1;
        bench_force(&bench, TAC_F);
        assert_true(bench_norm(&bench, TAC_F) == 0);
        bench.matter[0]->vectors[TAC_Q][4] = 1;
        bench_change(&bench, TAC_Q, TAC_P, 1, 1);
        assert_true(bench_finite(&bench, TAC_P));
        // without a rest length the spring is k d in every direction, at zero too
        assert_true(bench.matter[0]->vectors[TAC_P][4] == (rest > 0 ? 0 : -50));
        bench_end(&bench);
    }
}

static void strings_go_slack_and_never_push(void **state) {
    (void)state;
    LawBench bench;
    make_one_spring(&bench, 0.9, 1, true, true);
    bench.matter[0]->vectors[TAC_V][3] = 5;
    bench_force(&bench, TAC_F);
    assert_true(bench_norm(&bench, TAC_F) == 0 && bench_energy(&bench) == 0);
    bench.matter[0]->vectors[TAC_Q][3] = 1;
    bench.matter[0]->vectors[TAC_Q][4] = 1;
    bench_change(&bench, TAC_Q, TAC_P, 1, 1);
    assert_true(bench_norm(&bench, TAC_P) == 0);
    bench_end(&bench);

    // stretched a little, its ends approaching fast
    make_one_spring(&bench, 1.01, 1, true, true);
    bench.matter[0]->vectors[TAC_V][3] = -5;
    bench_force(&bench, TAC_F);
    assert_true(bench_norm(&bench, TAC_F) == 0);
    bench_end(&bench);
}

static void springs_follow_the_edges_of_a_mesh(void **state) {
    (void)state;
    LawBench bench = {0};
    TacTopology topology = {0};
    assert_int_equal(tac_mesh_grid(&topology.mesh, 3, 3, 3, tac_vec3(0, 0, 0), tac_vec3(1, 1, 1), NULL),
                     TAC_OK);
    TacMatter *matter = bench_matter(&bench, TAC_VEC3, 27, topology.mesh.points);
    bench_law(&bench, &tac_springs_class, matter, NULL, &topology);
    double stiffness = 8;
    bench_reals(&bench, "stiffness", 1, &stiffness);
    assert_int_equal(bench_init(&bench), TAC_OK);
    bench_force(&bench, TAC_F);
    assert_true(bench_norm(&bench, TAC_F) == 0);
    // twice the size: 54 edges of the grid, each 0.5 longer
    for (size_t i = 0; i < 81; i++) matter->vectors[TAC_X][i] *= 2;
    assert_true(fabs(bench_energy(&bench) - 54 * 0.5 * 8 * 0.25) < 1e-12);
    tac_mesh_destroy(&topology.mesh);
    bench_end(&bench);
}

static void bad_springs_are_refused(void **state) {
    (void)state;
    const struct {
        int32_t pairs[3];
        size_t count, stiffnesses;
        const char *says;
    } cases[] = {{{0, 2, 0}, 2, 1, "point 2"},
                 {{0, -1, 0}, 2, 1, "point -1"},
                 {{1, 1, 0}, 2, 1, "begins and ends"},
                 {{0, 1, 0}, 3, 1, "3 numbers"},
                 {{0, 1, 0}, 2, 2, "2 numbers"}};
    const double x[6] = {0, 0, 0, 1, 0, 0}, stiffness[2] = {1, 1};
    for (size_t i = 0; i < TAC_COUNT(cases); i++) {
        LawBench bench = {0};
        bench_law(&bench, &tac_springs_class, bench_matter(&bench, TAC_VEC3, 2, x), NULL, NULL);
        bench_ints(&bench, "pairs", cases[i].count, cases[i].pairs);
        bench_reals(&bench, "stiffness", cases[i].stiffnesses, stiffness);
        assert_int_equal(bench_init(&bench), TAC_BAD_INPUT);
        assert_non_null(strstr(bench.error.message, cases[i].says));
        bench_end(&bench);
    }
    // points of the plane with points of space; and nothing that says where springs are
    for (int two = 0; two < 2; two++) {
        LawBench bench = {0};
        TacMatter *other = two ? bench_matter(&bench, TAC_VEC2, 2, x) : NULL;
        bench_law(&bench, &tac_springs_class, bench_matter(&bench, TAC_VEC3, 2, x), other, NULL);
        bench_reals(&bench, "stiffness", 1, stiffness);
        assert_int_equal(bench_init(&bench), TAC_BAD_INPUT);
        assert_non_null(strstr(bench.error.message, two ? "Vec2" : "pairs"));
        bench_end(&bench);
    }
}

// Several blocks of springs; forces start from something that is not zero.
static void springs_give_the_same_bits_on_every_team(void **state) {
    (void)state;
    enum { POINTS = 900, SPRINGS = 2 * TAC_LAW_BLOCK + 777 };
    for (int form = 0; form < 3; form++) {
        TacRandom random = tac_random(7, (uint64_t)form);
        LawBench bench = {0};
        TacMatterKind kind = form == 2 ? TAC_RIGID3 : TAC_VEC3;
        TacMatter *first = scattered(&bench, &random, kind, POINTS);
        TacMatter *second = form ? scattered(&bench, &random, kind, POINTS) : NULL;
        bench_law(&bench, &tac_springs_class, first, second, NULL);
        int32_t *pairs = bench_take(&bench, 2 * SPRINGS, sizeof *pairs);
        for (size_t i = 0; i < SPRINGS; i++) {
            pairs[2 * i] = (int32_t)(tac_random_bits(&random) % POINTS);
            pairs[2 * i + 1] =
                (int32_t)((size_t)pairs[2 * i] + 1 + tac_random_bits(&random) % (POINTS - 1)) % POINTS;
        }
        double stiffness = 10, damping = 1, length = 0.7;
        bench_ints(&bench, "pairs", 2 * SPRINGS, pairs);
        bench_reals(&bench, "stiffness", 1, &stiffness);
        bench_reals(&bench, "damping", 1, &damping);
        bench_reals(&bench, "lengths", 1, &length);
        assert_int_equal(bench_init(&bench), TAC_OK);
        bench_random(&bench, &random, TAC_V, 1);

        TacVector to[2][2] = {{TAC_A, TAC_B}, {TAC_P, TAC_Q}};
        for (int threads = 0; threads < 2; threads++) {
            if (threads) assert_int_equal(tac_team_create(&bench.context.team, 3, NULL), TAC_OK);
            TacRandom start = tac_random(8, 1);
            bench_random(&bench, &start, to[threads][0], 1);
            bench_random(&bench, &start, to[threads][1], 1);
            TacLawVectors force = bench_vectors(&bench, TAC_V, to[threads][0]);
            TacLawVectors change = bench_vectors(&bench, TAC_V, to[threads][1]);
            tac_springs_class.ops.law->force(bench.law, &bench.context, &force);
            tac_springs_class.ops.law->force_change(bench.law, &bench.context, &change, 0.3, 0.4);
        }
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < 2; i++)
                assert_memory_equal(bench.matter[k]->vectors[to[0][i]], bench.matter[k]->vectors[to[1][i]],
                                    tac_vector_size(first, TAC_F) * sizeof(double));
        tac_team_destroy(bench.context.team);
        bench_end(&bench);
    }
}

// --- plane ------------------------------------------------------------------------------------------------

static TacVec3 normal_within(TacMatterKind kind) {
    switch (kind) {
    case TAC_VEC1: return tac_vec3(-2, 0, 0);
    case TAC_VEC2:
    case TAC_RIGID2: return tac_vec3(1, 3, 0);
    default: return tac_vec3(1, 3, -2);
    }
}

static void make_plane(LawBench *bench, TacRandom *random, TacMatterKind kind, double damping,
                       double friction) {
    *bench = (LawBench){0};
    bench_law(bench, &tac_plane_class, scattered(bench, random, kind, 50), NULL, NULL);
    bench_vector(bench, "normal", normal_within(kind));
    bench_real(bench, "offset", -0.1);
    bench_real(bench, "radius", 0.2);
    bench_real(bench, "stiffness", 300);
    bench_real(bench, "damping", damping);
    bench_real(bench, "friction", friction);
    bench_real(bench, "slip_speed", 0.5);
    assert_int_equal(bench_init(bench), TAC_OK);
}

static void plane_force_is_minus_the_gradient(void **state) {
    (void)state;
    TacRandom random = tac_random(11, 1);
    for (size_t kind = 0; kind < TAC_COUNT(KINDS); kind++) {
        LawBench bench;
        make_plane(&bench, &random, KINDS[kind], 5, 0.5);
        random_direction(&bench, &random, TAC_Q);
        assert_true(bench_gradient_error(&bench, TAC_Q, 1e-6) < 1e-7);
        bench_end(&bench);
    }
}

static void plane_change_is_the_derivative(void **state) {
    (void)state;
    TacRandom random = tac_random(12, 1);
    for (size_t kind = 0; kind < TAC_COUNT(KINDS); kind++) {
        LawBench bench;
        make_plane(&bench, &random, KINDS[kind], 5, 0.5);
        random_direction(&bench, &random, TAC_Q);
        assert_true(bench_stiffness_error(&bench, TAC_Q, 1e-7) < 1e-6);

        // by velocity: slow against the slip speed, where friction is linear
        random_direction(&bench, &random, TAC_V);
        size_t n = tac_vector_size(bench.matter[0], TAC_V);
        double *const *all = bench.matter[0]->vectors;
        for (size_t i = 0; i < n; i++) all[TAC_V][i] *= 1e-6;
        bench_force(&bench, TAC_A);
        for (size_t i = 0; i < n; i++) all[TAC_V][i] *= -1;
        bench_force(&bench, TAC_B);
        bench_change(&bench, TAC_V, TAC_P, 0, -2);
        for (size_t i = 0; i < n; i++) all[TAC_Q][i] = all[TAC_P][i] - (all[TAC_A][i] - all[TAC_B][i]);
        assert_true(bench_norm(&bench, TAC_P) > 0);
        assert_true(bench_norm(&bench, TAC_Q) < 1e-5 * bench_norm(&bench, TAC_P));
        bench_end(&bench);
    }
}

// One point on the ground y = 1, radius 0.5, at height y with velocity (vx, vy, 0).
static const double *ground_force(LawBench *bench, double y, double vx, double vy) {
    *bench = (LawBench){0};
    const double x[3] = {4, y, -3};
    bench_law(bench, &tac_plane_class, bench_matter(bench, TAC_VEC3, 1, x), NULL, NULL);
    bench_real(bench, "offset", 1);
    bench_real(bench, "radius", 0.5);
    bench_real(bench, "stiffness", 100);
    bench_real(bench, "damping", 3);
    bench_real(bench, "friction", 0.4);
    assert_int_equal(bench_init(bench), TAC_OK);
    bench->matter[0]->vectors[TAC_V][0] = vx;
    bench->matter[0]->vectors[TAC_V][1] = vy;
    bench_force(bench, TAC_F);
    return bench->matter[0]->vectors[TAC_F];
}

static void ground_pushes_damps_and_rubs(void **state) {
    (void)state;
    LawBench bench;
    // above: nothing
    const double *f = ground_force(&bench, 1.51, -1, -1);
    assert_true(f[0] == 0 && f[1] == 0 && f[2] == 0 && bench_energy(&bench) == 0);
    bench_end(&bench);
    // 0.1 deep, sinking and sliding: Coulomb's law to the square of slip over sliding speed
    f = ground_force(&bench, 1.4, 2, -0.5);
    assert_true(fabs(f[1] - (10 + 1.5)) < 1e-12);
    assert_true(f[0] < 0 && fabs(f[0] + 0.4 * f[1]) < 1e-5 && -f[0] <= 0.4 * f[1] && f[2] == 0);
    assert_true(fabs(bench_energy(&bench) - 0.5 * 100 * 0.01) < 1e-12);
    bench_end(&bench);
    // leaving faster than the push: no pull, no friction, no stiffness
    f = ground_force(&bench, 1.4, 2, 4);
    assert_true(f[0] == 0 && f[1] == 0);
    bench.matter[0]->vectors[TAC_Q][1] = 1;
    bench_change(&bench, TAC_Q, TAC_P, 1, 1);
    assert_true(bench_norm(&bench, TAC_P) == 0);
    bench_end(&bench);
}

static void plane_normal_becomes_unit_and_must_fit(void **state) {
    (void)state;
    TacRandom random = tac_random(13, 1);
    LawBench bench;
    make_plane(&bench, &random, TAC_VEC3, 0, 0);
    const TacPlane *plane = (const TacPlane *)bench.law;
    assert_true(fabs(tac_norm(plane->normal) - 1) < 1e-15 && plane->normal.y > 0 && plane->offset == -0.1);
    bench_end(&bench);

    const struct {
        TacMatterKind kind;
        TacVec3 normal;
    } cases[] = {
        {TAC_VEC3, {0, 0, 0}}, {TAC_VEC3, {NAN, 0, 1}}, {TAC_VEC2, {0, 1, 1}}, {TAC_VEC1, {0, 1, 0}}};
    for (size_t i = 0; i < TAC_COUNT(cases); i++) {
        bench = (LawBench){0};
        bench_law(&bench, &tac_plane_class, scattered(&bench, &random, cases[i].kind, 3), NULL, NULL);
        bench_vector(&bench, "normal", cases[i].normal);
        assert_int_equal(bench_init(&bench), TAC_BAD_INPUT);
        assert_non_null(strstr(bench.error.message, "normal"));
        bench_end(&bench);
    }
}

// --- constant force ---------------------------------------------------------------------------------------

static void constant_forces_add_up(void **state) {
    (void)state;
    const double x[12] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 5, 0};
    const double one[3] = {1, 2, 3}, each[6] = {1, 2, 3, 4, 5, 6};
    const int32_t points[2] = {1, 3};
    const struct {
        const char *name;
        size_t count, numbers;
        const double *given;
        double sum[3], energy;
    } cases[] = {{"force", 0, 3, one, {4, 8, 12}, -(6 + 10)},
                 {"force", 2, 3, one, {2, 4, 6}, -(1 + 3 + 10)},
                 {"force", 2, 6, each, {5, 7, 9}, -(1 + 12 + 25)},
                 {"total", 0, 3, one, {1, 2, 3}, -(6 + 10) / 4.0},
                 {"total", 2, 3, one, {1, 2, 3}, -(1 + 3 + 10) / 2.0}};
    for (size_t c = 0; c < TAC_COUNT(cases); c++) {
        LawBench bench = {0};
        bench_law(&bench, &tac_constant_force_class, bench_matter(&bench, TAC_VEC3, 4, x), NULL, NULL);
        bench_reals(&bench, cases[c].name, cases[c].numbers, cases[c].given);
        if (cases[c].count) bench_ints(&bench, "points", cases[c].count, points);
        assert_int_equal(bench_init(&bench), TAC_OK);
        bench_force(&bench, TAC_F);
        const double *f = bench.matter[0]->vectors[TAC_F];
        for (size_t k = 0; k < 3; k++)
            assert_true(fabs(f[k] + f[3 + k] + f[6 + k] + f[9 + k] - cases[c].sum[k]) < 1e-14);
        assert_true(!cases[c].count || (f[0] == 0 && f[6] == 0));
        assert_true(fabs(bench_energy(&bench) - cases[c].energy) < 1e-13);
        bench_end(&bench);
    }
}

static void constant_forces_turn_frames(void **state) {
    (void)state;
    const double x[7] = {1, 2, 3, 0, 0.6, 0, 0.8}, wrench[6] = {1, 0, 0, 0, 7, 0};
    LawBench bench = {0};
    bench_law(&bench, &tac_constant_force_class, bench_matter(&bench, TAC_RIGID3, 1, x), NULL, NULL);
    bench_reals(&bench, "force", 6, wrench);
    assert_int_equal(bench_init(&bench), TAC_OK);
    bench_force(&bench, TAC_F);
    assert_memory_equal(bench.matter[0]->vectors[TAC_F], wrench, sizeof wrench);
    assert_true(bench_energy(&bench) == -1);
    bench_end(&bench);
}

static void bad_constant_forces_are_refused(void **state) {
    (void)state;
    const double x[6] = {0}, numbers[6] = {0};
    const int32_t beyond = 2;
    for (int c = 0; c < 6; c++) {
        LawBench bench = {0};
        bench_law(&bench, &tac_constant_force_class, bench_matter(&bench, TAC_VEC3, 2, x), NULL, NULL);
        if (c >= 1) bench_reals(&bench, "force", c == 2 ? 4 : 3, numbers);
        if (c == 3) bench_reals(&bench, "total", 3, numbers);
        if (c == 4) bench_ints(&bench, "points", 1, &beyond);
        if (c == 5) bench_ints(&bench, "points", 0, NULL);
        assert_int_equal(bench_init(&bench), c == 1 ? TAC_OK : TAC_BAD_INPUT);
        bench_end(&bench);
    }
}

// --- without memory ---------------------------------------------------------------------------------------

static void many_springs_to_be(LawBench *bench) {
    enum { SPRINGS = TAC_LAW_TEAM_LEAST };
    const double x[6] = {0, 0, 0, 1, 0, 0}, stiffness = 1;
    bench_law(bench, &tac_springs_class, bench_matter(bench, TAC_VEC3, 2, x),
              bench_matter(bench, TAC_VEC3, 2, x), NULL);
    int32_t *pairs = bench_take(bench, 2 * SPRINGS, sizeof *pairs);
    bench_ints(bench, "pairs", 2 * SPRINGS, pairs);
    bench_reals(bench, "stiffness", 1, &stiffness);
}

static void plane_to_be(LawBench *bench) {
    const double x[3] = {0};
    bench_law(bench, &tac_plane_class, bench_matter(bench, TAC_VEC3, 1, x), NULL, NULL);
}

static void constant_force_to_be(LawBench *bench) {
    const double x[3] = {0};
    bench_law(bench, &tac_constant_force_class, bench_matter(bench, TAC_VEC3, 1, x), NULL, NULL);
    bench_reals(bench, "force", 3, x);
}

static void laws_without_memory_say_so(void **state) {
    (void)state;
    bench_try_without_memory(many_springs_to_be);
    bench_try_without_memory(plane_to_be);
    bench_try_without_memory(constant_force_to_be);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spring_force_is_minus_the_gradient),
        cmocka_unit_test(spring_stiffness_is_exact_when_asked),
        cmocka_unit_test(spring_damping_is_linear_in_velocity),
        cmocka_unit_test(spring_stiffness_is_symmetric_and_never_softens),
        cmocka_unit_test(one_spring_pulls_as_hooke_says),
        cmocka_unit_test(stable_springs_drop_only_negative_stiffness),
        cmocka_unit_test(springs_that_do_not_turn_have_no_stiffness_across),
        cmocka_unit_test(damping_may_turn_instead),
        cmocka_unit_test(springs_without_length_are_harmless),
        cmocka_unit_test(strings_go_slack_and_never_push),
        cmocka_unit_test(springs_follow_the_edges_of_a_mesh),
        cmocka_unit_test(bad_springs_are_refused),
        cmocka_unit_test(springs_give_the_same_bits_on_every_team),
        cmocka_unit_test(plane_force_is_minus_the_gradient),
        cmocka_unit_test(plane_change_is_the_derivative),
        cmocka_unit_test(ground_pushes_damps_and_rubs),
        cmocka_unit_test(plane_normal_becomes_unit_and_must_fit),
        cmocka_unit_test(constant_forces_add_up),
        cmocka_unit_test(constant_forces_turn_frames),
        cmocka_unit_test(bad_constant_forces_are_refused),
        cmocka_unit_test(laws_without_memory_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
