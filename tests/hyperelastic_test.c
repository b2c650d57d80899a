// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// HyperelasticTetrahedra: energies against closed forms in the stretches, forces and stiffness against
// differences, small strain against linear elements, and what every elastic law must do.

#include "fem_checks.h"

#include "law/hyperelastic.h"

typedef struct Material {
    const char *name;
    size_t count;
    double parameters[TAC_MATERIAL_MOST];
    double (*energy)(const double *p, const double l[3]); // of the principal stretches
} Material;

// --- energies of the stretches, written apart -------------------------------------------------------------

static double first(const double l[3]) {
    return l[0] * l[0] + l[1] * l[1] + l[2] * l[2];
}

static double second(const double l[3]) {
    return l[0] * l[0] * l[1] * l[1] + l[1] * l[1] * l[2] * l[2] + l[2] * l[2] * l[0] * l[0];
}

static double volume(const double l[3]) {
    return l[0] * l[1] * l[2];
}

static double log_part(double k, const double l[3]) {
    return 0.5 * k * pow(log(volume(l)), 2);
}

static double neo_hookean(const double *p, const double l[3]) {
    return 0.5 * p[0] * (first(l) - 3 - 2 * log(volume(l))) + log_part(p[1], l);
}

static double stable(const double *p, const double l[3]) {
    double alpha = 1 + p[0] / (p[0] + p[1]);
    return 0.5 * p[0] * (first(l) - 3) + 0.5 * (p[0] + p[1]) * pow(volume(l) - alpha, 2);
}

static double kirchhoff(const double *p, const double l[3]) {
    double squares = 0, trace = 0;
    for (int i = 0; i < 3; i++) {
        double e = 0.5 * (l[i] * l[i] - 1);
        squares += e * e;
        trace += e;
    }
    return p[0] * squares + 0.5 * p[1] * trace * trace;
}

static double mooney(const double *p, const double l[3]) {
    double j = volume(l);
    return p[0] * (first(l) * pow(j, -2.0 / 3) - 3) + p[1] * (second(l) * pow(j, -4.0 / 3) - 3) +
           log_part(p[2], l);
}

static double arruda(const double *p, const double l[3]) {
    double b = first(l) * pow(volume(l), -2.0 / 3), n = 8;
    return p[0] * (0.5 * (b - 3) + (b * b - 9) / (20 * n) + 11 * (pow(b, 3) - 27) / (1050 * n * n) +
                   19 * (pow(b, 4) - 81) / (7000 * n * n * n) +
                   519 * (pow(b, 5) - 243) / (673750 * n * n * n * n)) +
           log_part(p[1], l);
}

static double veronda(const double *p, const double l[3]) {
    double j = volume(l);
    return p[0] * (exp(p[1] * (first(l) * pow(j, -2.0 / 3) - 3)) - 1) -
           0.5 * p[0] * p[1] * (second(l) * pow(j, -4.0 / 3) - 3) + log_part(p[2], l);
}

static double ogden(const double *p, const double l[3]) {
    double sum = 0;
    for (int i = 0; i < 3; i++) sum += pow(l[i] * pow(volume(l), -1.0 / 3), p[1]);
    return p[0] / (p[1] * p[1]) * (sum - 3) + log_part(p[2], l);
}

static double costa(const double *p, const double l[3]) {
    const double b[3] = {p[2], p[4], p[7]};
    double q = 0, j = volume(l);
    for (int i = 0; i < 3; i++) q += b[i] * pow(0.5 * (l[i] * l[i] - 1), 2);
    return 0.5 * p[0] * (exp(pow(j, -4.0 / 3) * q) - 1) + p[1] * (j * log(j) - j);
}

static const Material MATERIALS[] = {
    {"neo-hookean", 2, {3000, 20000}, neo_hookean},
    {"stable-neo-hookean", 2, {3000, 20000}, stable},
    {"saint-venant-kirchhoff", 2, {3000, 20000}, kirchhoff},
    {"mooney-rivlin", 3, {2000, 1500, 30000}, mooney},
    {"arruda-boyce", 2, {3000, 20000}, arruda},
    {"veronda-westman", 3, {1000, 2.5, 20000}, veronda},
    {"ogden", 3, {4000, 5, 20000}, ogden},
    {"ogden", 3, {4000, -3, 20000}, ogden},
    {"costa", 8, {900, 20000, 6, 5, 4, 3.5, 3, 2.5}, costa},
};

// --- helpers ----------------------------------------------------------------------------------------------

static const int CUBE[3] = {2, 2, 2};

static void make_solid(LawBench *bench, const TacTopology *topology, const Material *material) {
    *bench = (LawBench){0};
    TacMatter *matter = bench_matter(bench, TAC_VEC3, topology->mesh.point_count, topology->mesh.points);
    bench_law(bench, &tac_hyperelastic_class, matter, NULL, topology);
    bench_reals(bench, "parameters", material->count, material->parameters);
    bench_choice(bench, "material", material->name);
    assert_int_equal(bench_init(bench), TAC_OK);
}

// --- tests ------------------------------------------------------------------------------------------------

// A cube stretched along its axes: the pull on a face is the derivative of the energy by that stretch.
static void stretched_cubes_pull_as_they_should(void **state) {
    (void)state;
    TacRandom random = tac_random(91, 1);
    TacTopology topology;
    make_block(&topology, CUBE, tac_vec3(1, 1, 1), 0.2, true, &random);
    for (size_t m = 0; m < TAC_COUNT(MATERIALS); m++)
        for (int trial = 0; trial < 5; trial++) {
            LawBench bench;
            make_solid(&bench, &topology, &MATERIALS[m]);
            double l[3];
            for (int i = 0; i < 3; i++) l[i] = trial ? 1 + 0.3 * noise(&random) : 1;
            TacMat3 stretch = {{{l[0], 0, 0}, {0, l[1], 0}, {0, 0, l[2]}}};
            deform(&bench, &random, &stretch, 0);
            bench_force(&bench, TAC_F);
            const double one[3] = {1, 1, 1}, *p = MATERIALS[m].parameters;
            double rest = MATERIALS[m].energy(p, one), found = bench_energy(&bench);
            assert_true(fabs(found - (MATERIALS[m].energy(p, l) - rest)) < 1e-9 * 2e4);
            for (int i = 0; i < 3; i++) {
                double up[3] = {l[0], l[1], l[2]}, down[3] = {l[0], l[1], l[2]}, pull = 0, h = 1e-5;
                up[i] += h;
                down[i] -= h;
                double expected = (MATERIALS[m].energy(p, up) - MATERIALS[m].energy(p, down)) / (2 * h);
                for (size_t n = 0; n < bench.matter[0]->count; n++)
                    if (topology.mesh.points[3 * n + (size_t)i] > 1 - 1e-9)
                        pull -= bench.matter[0]->vectors[TAC_F][3 * n + (size_t)i];
                if (!(fabs(pull - expected) < 1e-5 * 2e4))
                    fail_msg("%s: %g %g", MATERIALS[m].name, pull, expected);
            }
            bench_end(&bench);
        }
    tac_mesh_destroy(&topology.mesh);
}

static void forces_and_stiffness_are_derivatives(void **state) {
    (void)state;
    TacRandom random = tac_random(92, 1);
    TacTopology topology;
    make_block(&topology, CUBE, tac_vec3(1, 1, 1), 0.2, true, &random);
    for (size_t m = 0; m < TAC_COUNT(MATERIALS); m++) {
        LawBench bench;
        make_solid(&bench, &topology, &MATERIALS[m]);
        TacMat3 turn = random_rotation(&random), stretch = random_stretch(&random, 0.15),
                a = tac_mat3_mul(&turn, &stretch);
        deform(&bench, &random, &a, 0.02);
        bench_random(&bench, &random, TAC_Q, 1);
        double gradient = bench_gradient_error(&bench, TAC_Q, 1e-6);
        double change = bench_stiffness_error(&bench, TAC_Q, 1e-5);
        if (!(gradient < 1e-6 && change < 1e-6))
            fail_msg("%s: gradient off by %g, stiffness by %g", MATERIALS[m].name, gradient, change);
        expect_matrix_as_changes(&bench, &random);
        // as at rest, where stretches are equal
        deform(&bench, &random, &turn, 0);
        assert_true(bench_stiffness_error(&bench, TAC_Q, 1e-5) < 1e-6);
        bench_end(&bench);
    }
    tac_mesh_destroy(&topology.mesh);
}

static void solids_turn_freely_and_balance(void **state) {
    (void)state;
    TacRandom random = tac_random(93, 1);
    TacTopology topology;
    make_block(&topology, CUBE, tac_vec3(1, 1, 1), 0.2, true, &random);
    for (size_t m = 0; m < TAC_COUNT(MATERIALS); m++) {
        LawBench bench;
        make_solid(&bench, &topology, &MATERIALS[m]);
        TacMat3 stretch = random_stretch(&random, 0.2);
        deform(&bench, &random, &stretch, 0.02);
        bench_force(&bench, TAC_F);
        double scale = bench_norm(&bench, TAC_F);
        assert_true(scale > 1);
        assert_true(tac_norm(resultant(&bench, TAC_F)) < 1e-12 * scale);
        assert_true(tac_norm(torque(&bench, TAC_F)) < 1e-11 * scale);
        for (int trial = 0; trial < 5; trial++) {
            TacMat3 turn = random_rotation(&random);
            deform(&bench, &random, &turn, 0);
            bench_force(&bench, TAC_F);
            assert_true(bench_norm(&bench, TAC_F) < 1e-10 * scale);
            assert_true(fabs(bench_energy(&bench)) < 1e-10 * scale);
        }
        bench_end(&bench);
    }
    tac_mesh_destroy(&topology.mesh);
}

// Crushed, flat and inverted elements: finite, pushing back; those of invariants still by an energy.
static void crushed_elements_push_back(void **state) {
    (void)state;
    TacRandom random = tac_random(94, 1);
    TacTopology topology;
    const int one[3] = {1, 1, 1};
    make_block(&topology, one, tac_vec3(1, 1, 1), 0, true, &random);
    for (size_t m = 0; m < TAC_COUNT(MATERIALS); m++) {
        bool invariants = strcmp(MATERIALS[m].name, "ogden") && strcmp(MATERIALS[m].name, "costa");
        for (int trial = 0; trial < 4; trial++) {
            LawBench bench;
            make_solid(&bench, &topology, &MATERIALS[m]);
            const double heights[] = {0.015, 1e-9, 0, -0.5};
            TacMat3 flat = {{{1, 0, 0}, {0, 1, 0}, {0, 0, heights[trial]}}};
            deform(&bench, &random, &flat, 0);
            bench_force(&bench, TAC_F);
            assert_true(bench_finite(&bench, TAC_F) && isfinite(bench_energy(&bench)));
            double push = 0;
            for (size_t n = 0; n < 8; n++)
                if (topology.mesh.points[3 * n + 2] > 0.5) push += bench.matter[0]->vectors[TAC_F][3 * n + 2];
            // Saint-Venant-Kirchhoff gives way when crushed
            if (strcmp(MATERIALS[m].name, "saint-venant-kirchhoff")) assert_true(push > 1);
            bench_random(&bench, &random, TAC_Q, 1);
            if (invariants && trial != 0) assert_true(bench_gradient_error(&bench, TAC_Q, 1e-7) < 1e-5);
            bench_end(&bench);
        }
        // to a point
        LawBench bench;
        make_solid(&bench, &topology, &MATERIALS[m]);
        TacMat3 point = {0};
        deform(&bench, &random, &point, 0);
        bench_force(&bench, TAC_F);
        assert_true(bench_finite(&bench, TAC_F) && isfinite(bench_energy(&bench)));
        bench_end(&bench);
    }
    tac_mesh_destroy(&topology.mesh);
}

// From Young's modulus and Poisson's ratio all materials are, at small strain, the linear one.
static void small_strain_is_linear_elasticity(void **state) {
    (void)state;
    TacRandom random = tac_random(95, 1);
    TacTopology topology;
    make_block(&topology, CUBE, tac_vec3(1, 1, 1), 0.2, true, &random);
    const double young = 1e4, poisson = 0.3;
    const char *const names[] = {"neo-hookean",   "stable-neo-hookean", "saint-venant-kirchhoff",
                                 "mooney-rivlin", "arruda-boyce",       "ogden"};
    for (size_t m = 0; m < TAC_COUNT(names); m++) {
        LawBench both[2];
        memset(both, 0, sizeof both);
        for (int b = 0; b < 2; b++) {
            TacMatter *matter =
                bench_matter(&both[b], TAC_VEC3, topology.mesh.point_count, topology.mesh.points);
            bench_law(&both[b], b ? &tac_tetrahedra_class : &tac_hyperelastic_class, matter, NULL, &topology);
            bench_reals(&both[b], "young", 1, &young);
            bench_reals(&both[b], "poisson", 1, &poisson);
            bench_choice(&both[b], b ? "method" : "material", b ? "small" : names[m]);
            assert_int_equal(bench_init(&both[b]), TAC_OK);
            bench_force(&both[b], TAC_F);
            TacRandom same = tac_random(96, m);
            bench_random(&both[b], &same, TAC_Q, 1);
            bench_change(&both[b], TAC_Q, TAC_P, 1, 0);
        }
        double size = bench_norm(&both[1], TAC_P);
        for (size_t i = 0; i < 3 * topology.mesh.point_count; i++) {
            double a = both[0].matter[0]->vectors[TAC_P][i], b = both[1].matter[0]->vectors[TAC_P][i];
            if (!(fabs(a - b) < 1e-9 * size)) fail_msg("%s: %g %g", names[m], a, b);
        }
        bench_end(&both[0]);
        bench_end(&both[1]);
    }
    tac_mesh_destroy(&topology.mesh);
}

// --- setting up -------------------------------------------------------------------------------------------

static TacTopology shared;

static void solid_to_be(LawBench *bench) {
    TacMatter *matter = bench_matter(bench, TAC_VEC3, shared.mesh.point_count, shared.mesh.points);
    bench_law(bench, &tac_hyperelastic_class, matter, NULL, &shared);
}

static void ogden_to_be(LawBench *bench) {
    solid_to_be(bench);
    const double young = 1e4;
    bench_choice(bench, "material", "ogden");
    bench_reals(bench, "young", 1, &young);
}

static void expect_refusal(const char *material, const char *attribute, size_t count, const double *values,
                           const char *says) {
    LawBench bench = {0};
    solid_to_be(&bench);
    bench_choice(&bench, "material", material);
    if (attribute) bench_reals(&bench, attribute, count, values);
    assert_int_equal(bench_init(&bench), TAC_BAD_INPUT);
    if (!strstr(bench.error.message, says)) fail_msg("\"%s\" does not say \"%s\"", bench.error.message, says);
    bench_end(&bench);
}

static void bad_solids_are_refused(void **state) {
    (void)state;
    TacRandom random = tac_random(97, 1);
    make_block(&shared, CUBE, tac_vec3(1, 1, 1), 0, true, &random);
    bench_try_without_memory(ogden_to_be);
    const double numbers[3] = {1000, 0, 1000}, negative[2] = {1, -2};
    expect_refusal("neo-hookean", NULL, 0, NULL, "needs young");
    expect_refusal("costa", NULL, 0, NULL, "needs its 8 parameters");
    expect_refusal("neo-hookean", "parameters", 3, numbers, "has 3 numbers; this material has 2");
    expect_refusal("ogden", "parameters", 3, numbers, "must not be 0");
    expect_refusal("stable-neo-hookean", "parameters", 2, negative, "above 0");
    for (int i = 0; i < 4; i++)
        shared.mesh.elements[TAC_TETRAHEDRA].indices[4 + i] = shared.mesh.elements[TAC_TETRAHEDRA].indices[4];
    const double young = 1;
    expect_refusal("neo-hookean", "young", 1, &young, "tetrahedron 1");
    tac_mesh_destroy(&shared.mesh);
}

static void solids_give_the_same_bits_on_every_team(void **state) {
    (void)state;
    TacRandom random = tac_random(98, 1);
    const int many[3] = {9, 9, 9};
    make_block(&shared, many, tac_vec3(1, 1, 1), 0.1, true, &random);
    for (size_t m = 0; m < TAC_COUNT(MATERIALS); m += 6) {
        LawBench bench;
        make_solid(&bench, &shared, &MATERIALS[m]);
        TacMat3 a = random_stretch(&random, 0.1);
        deform(&bench, &random, &a, 0.005);
        expect_same_bits(&bench, &random);
        bench_end(&bench);
    }
    tac_mesh_destroy(&shared.mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stretched_cubes_pull_as_they_should),
        cmocka_unit_test(forces_and_stiffness_are_derivatives),
        cmocka_unit_test(solids_turn_freely_and_balance),
        cmocka_unit_test(crushed_elements_push_back),
        cmocka_unit_test(small_strain_is_linear_elasticity),
        cmocka_unit_test(bad_solids_are_refused),
        cmocka_unit_test(solids_give_the_same_bits_on_every_team),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
