// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Every loop that several threads share, once and briefly: laws, maps, masses and linear solvers on matter of a few
// thousand points, many agents side by side, both kinds of contact, both schedulers, agents that merge and sleep, two
// worlds at a time. Three threads must come to the bits of one. This is what the thread sanitizer runs (`make tsan`), so
// scenes are as small as the loops' grains allow.

#define _GNU_SOURCE
#include "world_fixture.h"

#include <pthread.h>

static uint64_t run(const char *text, int threads, int beats) {
    TacWorld *world = world_on(threads, text);
    TacError error = {0};
    char line[2048];
    for (int i = 0; i < beats; i++) {
        if (tac_world_advance_beats(world, 1, &error) != TAC_OK)
            fail_msg("%s", tac_error_text(&error, line, sizeof line));
        tac_world_energy(world);
    }
    uint64_t hash = tac_world_hash(world);
    tac_world_destroy(world);
    return hash;
}

static void same(const char *text, int beats) {
    assert_true(run(text, 3, beats) == run(text, 1, beats));
}

#define WORLD(attributes, text) "<tactus version='1' dt='0.01' " attributes ">" text "</tactus>"
#define NODE(text)              "<node name='n'>" text "</node>"

static void test_laws_and_linear_solvers(void **state) {
    (void)state;
    static const char *const solvers[] = {
        "<SymplecticEuler step='0.00125'/>", "<ImplicitEuler/><SparseDirect/>",
        "<ImplicitEuler/><PreconditionedConjugateGradient iterations='5'/>",
        "<ImplicitEuler/><MinimalResidual iterations='5'/>",
        "<ImplicitEuler/><ConjugateGradient iterations='5' assembled='false'/>"};
    static const char *const bodies[] = {
        "<Grid counts='9 8 8' split='true'/><Points/><DiagonalMass density='100'/><Tetrahedra young='2000'/>"
        "<FixedPoints points='0-20'/>",
        "<Grid counts='9 8 8'/><Points/><UniformMass total='5'/><Hexahedra young='2000'/>",
        "<Grid counts='9 8 8' split='true'/><Points/><UniformMass total='5'/><HyperelasticTetrahedra "
        "young='2000'/>",
        "<Sheet divisions='24'/><Points/><UniformMass total='1'/><Springs stiffness='20' damping='0.01'/>"
        "<ShellBending stiffness='1e-5'/><Triangles young='100' thickness='0.01'/>",
        "<Sheet divisions='30'/><Points/><UniformMass total='1'/><Springs stiffness='20' damping='0.01' "
        "pull_only='true'/><ShellBending stiffness='1e-5'/><BendDamping damping='1e-6'/><EdgeDamping "
        "damping='0.001'/>",
    };
    for (size_t s = 0; s < sizeof solvers / sizeof solvers[0]; s++)
        for (size_t b = s % 2; b < sizeof bodies / sizeof bodies[0]; b += 2) {
            char text[2000];
            snprintf(text, sizeof text, WORLD("", NODE("%s%s")), solvers[s], bodies[b]);
            same(text, 2);
        }
}

// Loops over single points have long chunks.
static void test_many_points(void **state) {
    (void)state;
#define SHEET                                                                                                \
    "<Sheet divisions='95' split='true'/><Points/><UniformMass total='1'/><Springs "                         \
    "stiffness='2'/><RestSprings "                                                                           \
    "stiffness='1'/><Damping coefficient='0.01'/><Plane stiffness='5'/><Pressure pressure='0.1'/>"
    same(WORLD("", NODE("<SymplecticEuler/>" SHEET)), 1);
    same(WORLD("", NODE("<ImplicitEuler/><ConjugateGradient iterations='2' assembled='false'/>" SHEET)), 1);
    same(WORLD("", NODE("<ImplicitEuler/><ConjugateGradient iterations='2' assembled='true'/>" SHEET)), 1);
    same(WORLD("", NODE("<RungeKutta4/>" SHEET)), 1);
}

static void test_pairs_of_particles(void **state) {
    (void)state;
    same(WORLD("",
               NODE("<SymplecticEuler/><Grid counts='12 12 12' high='13 13 13'/><Points velocities='1 0 0'/>"
                    "<UniformMass/><LennardJones depth='6' cutoff='2.2'/>")),
         2);
    same(WORLD(
             "",
             NODE("<SymplecticEuler/><Grid counts='12 12 12' high='1 1 1'/><Points/><UniformMass mass='0.5'/>"
                  "<SmoothedParticles/>")),
         2);
}

static void test_maps(void **state) {
    (void)state;
    same(WORLD("", NODE("<ImplicitEuler/><Grid counts='5 5 5' split='true'/><Points/><UniformMass total='5'/>"
                        "<Tetrahedra young='2000'/><node name='m'><Sphere subdivisions='4' radius='0.4' "
                        "translation='0.5 "
                        "0.5 0.5'/><Points/><BarycentricMap/><Damping coefficient='0.001'/></node>")),
         2);
    same(WORLD("", NODE("<SymplecticEuler/><Frames/><UniformMass box='1 2 3'/><node name='m'><Sphere "
                        "subdivisions='4'/>"
                        "<Points/><RigidMap/><Damping coefficient='0.0001'/></node>")),
         2);
}

// Agents side by side: more of them than twice the threads.
static void test_many_agents(void **state) {
    (void)state;
    char text[6000];
    size_t n = (size_t)snprintf(text, sizeof text, "<tactus version='1' dt='0.01'>");
    for (int i = 0; i < 14; i++)
        n += (size_t)snprintf(
            text + n, sizeof text - n,
            "<node name='a%d'><ImplicitEuler step='%s'/><Line divisions='8' from='0 0 %d' to='1 0 "
            "%d'/><Points/><UniformMass/><Springs stiffness='100'/></node>",
            i, i % 2 ? "0.01" : "0.005", i, i);
    snprintf(text + n, sizeof text - n, "</tactus>");
    same(text, 4);
}

static void test_safe_contact(void **state) {
    (void)state;
    same(WORLD("", "<Contact method='safe' thickness='0.01' friction='0.4'/><node name='floor'><Sheet "
                   "divisions='1' width='3' "
                   "depth='3'/><Points/><FixedPoints points='0-3'/><Skin/></node><node "
                   "name='n'><ImplicitEuler/><Sheet "
                   "divisions='9' translation='0 0.012 0'/><Points/><UniformMass total='0.3'/><Springs "
                   "stiffness='50'/>"
                   "<Skin/></node><node name='box'><Spook step='0.005'/><Agent adaptive='true' rest='true' "
                   "still='9' "
                   "patience='0.01'/><Frames positions='0 0.2 0 0 0 0 1'/><UniformMass box='0.2 0.2 "
                   "0.2'/><node name='s'><Box "
                   "low='-0.1 -0.1 -0.1' high='0.1 0.1 0.1'/><Points/><RigidMap/><Skin/></node></node>"),
         5);
}

static void test_loose_contact_and_merging(void **state) {
    (void)state;
    same(WORLD("", "<Contact method='loose' friction='0.4'/><node name='ground'><Frames/><Shape "
                   "shape='half_space'/></node>"
                   "<node name='a'><Spook/><Frames positions='0 0.1 0 0 0 0 1'/><UniformMass box='0.2 0.2 "
                   "0.2'/><Shape "
                   "size='0.2 0.2 0.2'/></node><node name='b'><SymplecticEuler step='0.005'/><Frames "
                   "positions='0.05 0.29 0 0 0 "
                   "0 1'/><UniformMass box='0.2 0.2 0.2'/><Shape size='0.2 0.2 0.2'/><BallJoint name='link' "
                   "other='@/a/frames' "
                   "open='true'/></node><node name='heap'><SymplecticEuler/><Grid counts='8 8 8' low='1 0.1 "
                   "0' high='1.6 0.7 "
                   "0.6'/><Points/><UniformMass mass='0.01'/><Balls radius='0.05'/></node>"
                   "<Trigger when='time' value='0.02' then='close' what='@b/link'/>"
                   "<Trigger when='time' value='0.04' then='open' what='@b/link'/>"),
         6);
}

static void test_the_loose_scheduler(void **state) {
    (void)state;
    char text[6000];
    size_t n = (size_t)snprintf(
        text, sizeof text,
        "<tactus version='1' dt='0.01' scheduler='loose'><node name='ground'><Frames/><Shape "
        "shape='half_space'/></node>");
    for (int i = 0; i < 17; i++) // groups of an eighth
        n += (size_t)snprintf(
            text + n, sizeof text - n,
            "<node name='a%d'><SymplecticEuler/><Agent adaptive='true' rest='true'/><Frames "
            "positions='%g %g 0 0 0 0 1'/><UniformMass box='0.2 0.2 0.2'/><Shape size='0.2 0.2 "
            "0.2'/></node>",
            i, 0.15 * (i % 5), 0.1 + 0.21 * (i / 5));
    snprintf(text + n, sizeof text - n, "</tactus>");
    same(text, 5);
}

static void *live(void *result) {
    *(uint64_t *)result =
        run(WORLD("", NODE("<ImplicitEuler/><Sheet divisions='20'/><Points/><UniformMass total='1'/>"
                           "<Springs stiffness='20'/>")),
            2, 3);
    return NULL;
}

// Two worlds in two threads do not see each other.
static void test_two_worlds(void **state) {
    (void)state;
    pthread_t threads[2];
    uint64_t hashes[2];
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&threads[i], NULL, live, &hashes[i]), 0);
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_true(hashes[0] == hashes[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_laws_and_linear_solvers),
        cmocka_unit_test(test_many_points),
        cmocka_unit_test(test_pairs_of_particles),
        cmocka_unit_test(test_maps),
        cmocka_unit_test(test_many_agents),
        cmocka_unit_test(test_safe_contact),
        cmocka_unit_test(test_loose_contact_and_merging),
        cmocka_unit_test(test_the_loose_scheduler),
        cmocka_unit_test(test_two_worlds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
