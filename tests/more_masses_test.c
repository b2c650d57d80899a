// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// MatrixMass, masses on matter that follows other matter, laws that only look at other matter, and every law
// and map with a matrix of its own against the same without one.

#define _GNU_SOURCE
#include "world_fixture.h"

#include "base/random.h"
#include "world/world.h"

static void refuse(const char *inside, const char *says) {
    char text[2048];
    snprintf(text, sizeof text, "<tactus version='1'>%s</tactus>", inside);
    TacScene *scene = empty_scene();
    TacError error;
    TacWorld *w = try_text(scene, text, &error);
    assert_null(w);
    if (!strstr(error.message, says)) fail_msg("\"%s\" does not say %s", error.message, says);
    tac_scene_destroy(scene);
}

static double gap(const double *a, const double *b, size_t n) {
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

// --- matrix mass ------------------------------------------------------------------------------------------

static TacMass *mass_at(TacWorld *w, const char *path) {
    TacComponent *c = tac_world_get(w, tac_world_find(w, path));
    assert_non_null(c);
    return (TacMass *)c;
}

static const char *const meshes[] = {"<Grid counts='4 3 3' split='true'/>", "<Grid counts='4 3 3'/>",
                                     "<Sheet divisions='4'/>", "<Grid counts='4 3 1'/>",
                                     "<Line divisions='5'/>"};

static void test_matrix_mass(void **state) {
    (void)state;
    for (size_t k = 0; k < 5; k++)
        for (int lumped = 0; lumped < 2; lumped++) {
            TacWorld *w =
                make_world("<tactus version='1' gravity='1 -2 3'><node name='a'><SymplecticEuler/>%s<Points/>"
                           "<MatrixMass name='m' total='5' lumped='%s'/></node></tactus>",
                           meshes[k], lumped ? "true" : "false");
            TacMass *mass = mass_at(w, "/a/m");
            const TacMassOps *ops = mass->base.cls->ops.mass;
            const TacMatter *m = mass->matter;
            size_t n = 3 * m->count;
            double *v = calloc(5 * n, sizeof *v), *p = v + n, *a = p + n, *u = a + n, *q = u + n;
            assert_non_null(v);
            TacRandom random = tac_random(3, k);
            const TacContext context = {0};
            for (size_t i = 0; i < n; i++) {
                v[i] = tac_random_between(&random, -1, 1);
                u[i] = tac_random_between(&random, -1, 1);
            }
            ops->product(mass, &context, m->vectors[TAC_X], v, p, 1);
            ops->product(mass, &context, m->vectors[TAC_X], u, q, 2);
            // symmetric, positive, and divided by it gives back
            double vp = 0, up = 0, vq = 0;
            for (size_t i = 0; i < n; i++) {
                vp += v[i] * p[i];
                up += u[i] * p[i];
                vq += v[i] * q[i];
            }
            assert_true(vp > 0 && fabs(2 * up - vq) < 1e-13 * 5);
            assert_true(fabs(ops->kinetic(mass, m->vectors[TAC_X], v) - 0.5 * vp) < 1e-13 * vp);
            ops->divide(mass, &context, m->vectors[TAC_X], p, a);
            assert_true(gap(a, v, n) < 1e-12);
            // everything moves alike: the mass is the total, and the weight that of all points
            for (size_t i = 0; i < n; i++) v[i] = i % 3 == 1;
            TacVec3 linear = {0, 0, 0}, angular = {0, 0, 0};
            ops->momentum(mass, m->vectors[TAC_X], v, &linear, &angular);
            assert_true(tac_norm(tac_sub(linear, tac_vec3(0, 5, 0))) < 1e-13);
            memset(p, 0, n * sizeof *p);
            ops->weight(mass, &context, m->vectors[TAC_X], p);
            memset(q, 0, n * sizeof *q);
            for (size_t i = 0; i < n; i++) v[i] = (const double[]){1, -2, 3}[i % 3];
            ops->product(mass, &context, m->vectors[TAC_X], v, q, 1);
            assert_true(gap(p, q, n) < 1e-13);
            free(v);
            tac_world_destroy(w);
        }
    refuse("<node name='a'><Grid/><Points/><MatrixMass/></node>", "either density or total");
    refuse("<node name='a'><Points positions='0 0 0'/><MatrixMass total='1'/></node>", "needs a topology");
}

// One tetrahedron: the integrals of its shape functions, m/10 and m/20.
static void test_mass_of_a_tetrahedron(void **state) {
    (void)state;
    TacWorld *w =
        make_world("<tactus version='1'><node name='a'><ImplicitEuler/><Mesh at='0 0 0 1 0 0 0 1 0 0 0 1' "
                   "with_tetrahedra='0 1 2 3'/><Points/><MatrixMass name='m' density='12'/></node></tactus>");
    TacMass *mass = mass_at(w, "/a/m");
    const TacContext context = {0};
    double d[12] = {1}, out[12] = {0};
    mass->base.cls->ops.mass->product(mass, &context, NULL, d, out, 1);
    for (int i = 0; i < 4; i++) assert_true(fabs(out[3 * i] - 12.0 / 6 * (i ? 0.05 : 0.1)) < 1e-15);
    tac_world_destroy(w);
}

// A brick: 1/27, 1/54, 1/108 and 1/216 of its mass; with SOFA's numbers 1/20 and 1/40.
static void test_mass_of_a_brick(void **state) {
    (void)state;
    for (int by_edges = 0; by_edges < 2; by_edges++) {
        TacWorld *w = make_world(
            "<tactus version='1'><node name='a'><ImplicitEuler/><Grid counts='2 2 2' high='2 3 5'/>"
            "<Points/><MatrixMass name='m' total='216' by_edges='%s'/></node></tactus>",
            by_edges ? "true" : "false");
        TacMass *mass = mass_at(w, "/a/m");
        const double *x = positions(w, "/a/points");
        const TacContext context = {0};
        double d[24] = {1}, out[24] = {0};
        mass->base.cls->ops.mass->product(mass, &context, NULL, d, out, 1);
        for (int i = 0; i < 8; i++) {
            int apart = (x[3 * i] > 0) + (x[3 * i + 1] > 0) + (x[3 * i + 2] > 0);
            double expected =
                by_edges ? (const double[]){10.8, 5.4, 0, 0}[apart] : (const double[]){8, 4, 2, 1}[apart];
            assert_true(fabs(out[3 * i] - expected) < 1e-13);
        }
        tac_world_destroy(w);
    }
}

// SOFA's brick that couples all corners alike: 8/27 between any two, and the weight of what is in it.
static void test_even_mass_of_a_brick(void **state) {
    (void)state;
    TacWorld *w =
        make_world("<tactus version='1' gravity='0 0 -2'><node name='a'><ImplicitEuler/><Grid counts='3 2 2' "
                   "high='2 3 5'/><Points/><MatrixMass name='m' density='10' even='true' fills='1 0.5'/>"
                   "</node></tactus>");
    TacMass *mass = mass_at(w, "/a/m");
    const double *x = positions(w, "/a/points");
    const TacContext context = {0};
    double d[36] = {1}, out[36] = {0}, f[36] = {0}, sum = 0, whole = 10 * 15;
    assert_true(x[0] == 0); // a corner of the full brick
    mass->base.cls->ops.mass->product(mass, &context, NULL, d, out, 1);
    for (int i = 0; i < 12; i++)
        assert_true(fabs(out[3 * i] - (x[3 * i] < 1.5 ? whole * 8 / 27 : 0)) < 1e-12);
    mass->base.cls->ops.mass->weight(mass, &context, x, f);
    for (int i = 0; i < 12; i++) {
        double part = x[3 * i] < 0.5 ? 1 : x[3 * i] < 1.5 ? 1.5 : 0.5;
        assert_true(fabs(f[3 * i + 2] + 2 * part * whole / 8) < 1e-12);
        sum -= f[3 * i + 2];
    }
    assert_true(fabs(sum - 2 * 1.5 * whole) < 1e-11);
    tac_world_destroy(w);
}

// With fixed points: the explicit solver finds the acceleration that leaves them where they are.
static void test_matrix_mass_with_fixed_points(void **state) {
    (void)state;
    double x[2][36 * 3];
    static const char *const solvers[] = {"<SymplecticEuler/>",
                                          "<ImplicitEuler/><ConjugateGradient tolerance='1e-14'/>"};
    for (int s = 0; s < 2; s++) {
        TacWorld *w = make_world(
            "<tactus version='1' dt='1e-6'><node name='a'>%s<Grid counts='4 3 3' split='true'/>"
            "<Points/><MatrixMass density='10'/><Tetrahedra young='1e4'/><FixedPoints box='-1 -1 -1 "
            "0.1 2 2'/></node></tactus>",
            solvers[s]);
        beats(w, 50);
        memcpy(x[s], positions(w, "/a/points"), sizeof x[s]);
        tac_world_destroy(w);
    }
    // both have fallen by about 1e-8 m; explicit and implicit differ by less than their order
    assert_true(fabs(x[0][105] - 1) < 1e-6 && gap(x[0], x[1], 108) < 1e-12);
}

// --- mass on mapped matter --------------------------------------------------------------------------------

// Four corner masses on a frame are the body that they make: the same motion as with the inertia given.
static void test_mass_carried_up(void **state) {
    (void)state;
    static const char *const bodies[] = {"<node name='c'><Points positions='1 1 0 -1 1 0 1 -1 0 -1 -1 0 0 0 "
                                         "2 0 0 -2'/><RigidMap/><UniformMass "
                                         "mass='0.5'/><ConstantForce points='0' force='0 0 1'/></node>",
                                         "<UniformMass mass='3' inertia='6 6 4'/><node name='c'><Points "
                                         "positions='1 1 0'/><RigidMap/><ConstantForce "
                                         "points='0' force='0 0 1'/></node>"};
    double x[2][7], energy[2], momentum[2][3];
    for (int k = 0; k < 2; k++) {
        TacWorld *w =
            make_world("<tactus version='1' dt='0.001' gravity='0 -1 0'><node name='b'><ImplicitEuler/>"
                       "<ConjugateGradient tolerance='1e-14'/><Frames/>%s</node></tactus>",
                       bodies[k]);
        beats(w, 300);
        memcpy(x[k], positions(w, "/b/frames"), sizeof x[k]);
        energy[k] = tac_world_energy(w).kinetic;
        tac_store3(momentum[k], tac_world_momentum(w).angular);
        tac_world_destroy(w);
    }
    // what spinning does by itself is part of free flight only where the frame has the mass: second order
    assert_true(fabs(x[0][1]) > 0.03 && fabs(x[0][3]) > 1e-3);
    assert_true(gap(x[0], x[1], 7) < 1e-4);
    assert_true(energy[0] > 0.1 && fabs(energy[0] - energy[1]) < 1e-3 * energy[0]);
    assert_true(gap(momentum[0], momentum[1], 3) < 1e-3);
}

// Two levels and a linear map: exactly the mass of the parent's points.
static void test_mass_through_two_maps(void **state) {
    (void)state;
    static const char *const ways[] = {
        "<node name='c'><Points positions='0 0 0 0 0 0'/><SubsetMap points='1 0'/><node name='d'><Points "
        "positions='0 0 0 0 0 0'/><IdentityMap/><DiagonalMass masses='3 2'/></node></node>",
        "<DiagonalMass masses='2 3'/>"};
    double x[2][6];
    for (int k = 0; k < 2; k++) {
        TacWorld *w = make_world(
            "<tactus version='1' dt='0.01'><node name='b'><ImplicitEuler damping_mass='0.1'/>"
            "<ConjugateGradient tolerance='1e-14'/><Points positions='0 0 0 1 0 0'/><Springs pairs='0 "
            "1' stiffness='50' lengths='0.5'/>%s</node></tactus>",
            ways[k]);
        beats(w, 100);
        memcpy(x[k], positions(w, "/b/points"), sizeof x[k]);
        tac_world_destroy(w);
    }
    assert_true(fabs(x[0][1]) > 1 && gap(x[0], x[1], 6) < 1e-10);
}

static void test_masses_at_two_levels(void **state) {
    (void)state;
    refuse("<node name='b'><ImplicitEuler/><Frames/><UniformMass/><node name='c'><Points positions='0 0 "
           "0'/><RigidMap/>"
           "<UniformMass/></node></node>",
           "which has a mass already");
    refuse("<node name='b'><SymplecticEuler/><Frames/><node name='c'><Points positions='0 0 0'/><RigidMap/>"
           "<UniformMass/></node></node>",
           "SymplecticEuler cannot use");
    refuse("<node name='b'><Frames/><node name='c'><Points positions='0 0 "
           "0'/><RigidMap/><UniformMass/></node></node>",
           "has no solver");
    refuse("<node name='b'><ImplicitEuler/><Frames/><node name='c'><Points positions='0 0 0'/><RigidMap/>"
           "<UniformMass/></node></node><node name='d'><Points positions='1 0 0'/><UniformMass/></node>"
           "<Springs matter='@/b/c/points' other='@/d/points' pairs='0 0' stiffness='1'/>",
           "no solver owns it");
}

// --- laws that only look ----------------------------------------------------------------------------------

// A stiff spring to what others move is solved implicitly by whom it pulls: stable at steps that would blow up.
static void test_watching(void **state) {
    (void)state;
    static const char *const targets[] = {
        "<Points positions='0 0 0'/><ScriptedMotion speed='1 0 0'/>",
        "<Points positions='0 0 0' velocities='1 0 0'/>",
        "<SymplecticEuler/><Points positions='0 0 0' velocities='1 0 0'/><UniformMass/>"};
    for (int k = 0; k < 3; k++)
        for (int threads = 1; threads < 3; threads++) {
            TacScene *scene = empty_scene();
            char text[1024];
            snprintf(
                text, sizeof text,
                "<tactus version='1' dt='0.01' gravity='0 0 0'><node name='t'>%s</node><node name='a'>"
                "<ImplicitEuler/><Points positions='0 1 0'/><UniformMass/><RestSprings target='@/t/points' "
                "stiffness='1e7'/></node></tactus>",
                targets[k]);
            TacError error;
            TacWorldDef def = tac_world_def_default();
            def.threads = threads;
            TacWorld *w = NULL;
            assert_int_equal(tac_scene_parse(scene, "t.tac", text, strlen(text), &error), TAC_OK);
            if (tac_world_create(&w, scene, &def, &error) != TAC_OK) fail_msg("%s", error.message);
            tac_scene_destroy(scene);
            assert_int_equal(tac_world_stats(w).free_laws, 0);
            beats(w, 100);
            const double *x = positions(w, "/a/points"), *t = positions(w, "/t/points");
            assert_true(fabs(t[0] - 1) < 1e-12); // feels nothing
            assert_true(fabs(x[0] - t[0]) < 0.05 && fabs(x[1]) < 0.01);
            tac_world_destroy(w);
        }
}

// --- matrices ---------------------------------------------------------------------------------------------

#define CLOTH "<Sheet divisions='5' across='4'/><Points/><UniformMass total='1'/><FixedPoints points='0 5'/>"

static const char *const assembled[] = {
    CLOTH "<MeshSprings triangles='50' triangles_damping='0.1'/><BendingSprings stiffness='0.1'/>",
    CLOTH
    "<MeshSprings edges='1' triangles='50'/><BendingSprings way='opposite' stiffness='5' damping='0.1'/>",
    CLOTH "<Springs stiffness='100'/><Pressure pressure='3'/>",
    CLOTH "<Springs stiffness='100'/><EllipsoidForce centers='0 -0.3 0' radii='0.5 0.3 0.4' stiffness='100'/>"
          "<Damping coefficient='0.1 0.2 0.3'/><Plane offset='-0.5' stiffness='1000' friction='0.3'/>",
    CLOTH "<RestSprings stiffness='20' active='1 0 1'/>",
    "<Grid counts='4 3 3' split='true'/><Points/><MatrixMass total='2'/><Tetrahedra "
    "young='1e3'/><FixedPoints "
    "points='0 4 8'/>",
    "<Points positions='0 0 0 1 0 0 0 1 0 1 1 0.1'/><UniformMass/><LennardJones depth='5' damping='0.1' "
    "stable='false'/>",
    "<Line divisions='6' to='2 0 0'/><Points/><UniformMass/><FixedPoints points='0'/><node name='l'><Points "
    "dimension='1' positions='0 0 0 0 0 0'/><DistanceMap/><RestSprings stiffness='500'/></node>",
    "<Frames positions='0 0 0 0 0 0 1 1 0 0 0 0 0 1 2 0 0 0 0 0 1'/><UniformMass/><RestSprings points='0' "
    "stiffness='100' angular_stiffness='50'/><node name='l'><Points positions='0 0.5 0 1 0.5 0 1.5 0.2 0'/>"
    "<SkinningMap nearest='2'/><ConstantForce force='0.3 1 0.2'/><Springs pairs='0 1 1 2' "
    "stiffness='30'/></node>",
};

static void test_assembled_is_the_same(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof assembled / sizeof assembled[0]; k++) {
        double x[2][256];
        size_t n = 0;
        for (int a = 0; a < 2; a++) {
            TacWorld *w = make_world(
                "<tactus version='1' dt='0.01'><node name='a'><ImplicitEuler damping_stiffness='0.02'/>"
                "<ConjugateGradient iterations='500' tolerance='1e-13' assembled='%s'/>%s</node></tactus>",
                a ? "true" : "false", assembled[k]);
            beats(w, 20);
            TacMatter *m = w->matters[0];
            n = tac_vector_size(m, TAC_X);
            assert_true(n <= 256);
            memcpy(x[a], tac_world_positions(w, tac_world_find(w, m->base.path)), n * sizeof(double));
            tac_world_destroy(w);
        }
        if (!(gap(x[0], x[1], n) < 1e-8)) fail_msg("scene %zu differs by %g", k, gap(x[0], x[1], n));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matrix_mass),
        cmocka_unit_test(test_mass_of_a_tetrahedron),
        cmocka_unit_test(test_mass_of_a_brick),
        cmocka_unit_test(test_even_mass_of_a_brick),
        cmocka_unit_test(test_matrix_mass_with_fixed_points),
        cmocka_unit_test(test_mass_carried_up),
        cmocka_unit_test(test_mass_through_two_maps),
        cmocka_unit_test(test_masses_at_two_levels),
        cmocka_unit_test(test_watching),
        cmocka_unit_test(test_assembled_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
