// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// A light cloth that heavy things press from two sides: layers that tick once a swing of its points must not throw them to and
// fro (src/contact/safe_haste.c). Both scenes were found by safe_soak, and ended with a cloth that blew up.

#define _GNU_SOURCE
#include "base/memory.h"
#include "world_fixture.h"

// 160 g of cloth between a box, a cloth and a wire of 240 kg a point; the wire is deep in few of its pairs, the other cloth less so
// in many.
static const char *const BETWEEN_CLOTH_AND_WIRE =
    "<tactus version='1' dt='0.01' gravity='0 -9.81 0'><Contact method='safe' "
    "thickness='0.042427072971261082' restitution='0.280113' friction='0.603' speed='1' %s/>"
    "<node name='o0'><Frames positions='0.33974044640534312 0.0056925239083869469 "
    "0.042810388692039882 0.388077 -0.837108 0.385547 1' velocities='-0.64563545604999106 "
    "0.018905286175604392 -0.037657037594034562 -0.10882588794141732 0.18361816810743484 "
    "-0.0033079115244811874'/><UniformMass mass='242.451' box='0.1 0.05 0.1'/><node name='skin'>"
    "<Box low='-0.05 -0.05 -0.05' high='0.05 0.05 0.05'/><Points/><RigidMap/><Skin/></node>"
    "</node><node name='o1'><ImplicitEuler step='0.0025000000000000001'/><Sheet divisions='3' "
    "width='0.15' depth='0.15' rotation='74.6179 327.696 219.847'/><Points "
    "translation='0.01395586589798529 0.041400929188348923 0.34214256401491877' "
    "velocities='-0.075416067882287774 -0.1679554609751541 -0.62026122260578054'/><UniformMass "
    "mass='242.451'/><Springs stiffness='1.55168e+06'/><Skin/></node><node name='o2'>"
    "<SymplecticEuler step='0.0025000000000000001'/><Sheet divisions='3' width='0.15' "
    "depth='0.15' rotation='76.5321 326.309 273.629'/><Points translation='-0.34237903873387221 "
    "0.014457101977996489 -0.0057353412570663106' velocities='0.6405648145980839 "
    "-0.081315017482305435 0.041051073864086081'/><UniformMass mass='0.01'/><Springs "
    "stiffness='64'/><Skin/></node><node name='o3'><SymplecticEuler "
    "step='0.0025000000000000001'/><Line divisions='3' from='0.046927431693578367 "
    "-0.0034444294425222677 -0.40610488787458909' to='-0.0052253623707781867 "
    "-0.083039139067524886 -0.27747841987133426'/><Points velocities='-0.0087191029871990806 "
    "0.12723520366695043 0.63431520920245033'/><UniformMass mass='242.451'/><Springs "
    "stiffness='1.55168e+06'/><Skin radius='0.000333252'/></node></tactus>";

// 160 g of cloth between a ball and a cloth of 910 kg a point.
static const char *const BETWEEN_BALL_AND_CLOTH =
    "<tactus version='1' dt='0.01' gravity='0 0 0'><Contact method='safe' "
    "thickness='0.0027137799602448623' restitution='0.320201' friction='0.181487' speed='1' %s/>"
    "<node name='o0'><Points positions='0.29975000229715709 0.046864478895200998 "
    "-0.042255990115885954' velocities='-0.056080225053805735 -0.009128278429748931 "
    "0.015563875422800959'/><UniformMass mass='910.508'/><Balls radius='0.085218'/></node><node "
    "name='o1'><ImplicitEuler step='0.0025000000000000001'/><Sheet divisions='3' width='0.15' "
    "depth='0.15' rotation='116.111 272.778 272.935'/><Points translation='-0.02143888264302353 "
    "-0.017559172469470863 0.30195365023267762' velocities='-0.00019869064183454974 "
    "-0.00019020671411590966 -0.05891074325441617'/><UniformMass mass='0.01'/><Springs "
    "stiffness='64'/><Skin/></node><node name='o2'><ImplicitEuler step='0.0025000000000000001'/>"
    "<Sheet divisions='3' width='0.15' depth='0.15' rotation='132.636 31.2216 58.0345'/><Points "
    "translation='-0.30071736460778414 0.016367471600930578 0.034708777004794175' "
    "velocities='0.058003500068473941 -0.0086799626242624623 -0.0055500951344044066'/>"
    "<UniformMass mass='910.508'/><Springs stiffness='5.82725e+06'/><Skin/></node><node "
    "name='o3'><SymplecticEuler step='0.0025000000000000001'/><Sheet divisions='3' width='0.15' "
    "depth='0.15' rotation='19.6528 247.778 277.406'/><Points translation='0.037253440642809749 "
    "0.010646708760738033 -0.30041273897438536' velocities='-0.0072099634490725793 "
    "-0.0036162229412450208 0.058356582199913312'/><UniformMass mass='0.01'/><Springs "
    "stiffness='64'/><Skin/></node></tactus>";

static double fastest(TacWorld *world, const char *path) {
    const double *v = velocities(world, path);
    double most = 0;
    for (size_t i = 0; i < 16; i++) most = fmax(most, tac_norm(tac_load3(v + 3 * i)));
    return most;
}

// Things meet at no more than 5 m/s there, at 0.1 m/s here.
static void test_what_is_pressed_between_heavy_things_is_not_thrown(void **state) {
    (void)state;
    TacWorld *world = make_world(BETWEEN_CLOTH_AND_WIRE, "");
    for (int i = 0; i < 60; i++) {
        beats(world, 1);
        if (!(fastest(world, "/o2/points") < 12)) fail_msg("%g m/s", fastest(world, "/o2/points"));
    }
    tac_world_destroy(world);
    world = make_world(BETWEEN_BALL_AND_CLOTH, "");
    for (int i = 0; i < 500; i++) {
        beats(world, 1);
        if (!(fastest(world, "/o3/points") < 1)) fail_msg("%g m/s", fastest(world, "/o3/points"));
    }
    tac_world_destroy(world);
}

static void test_hurrying_is_the_same_for_all_ways_of_looking(void **state) {
    (void)state;
    static const char *const ways[] = {"vagueness='0'", "vagueness='10'", "cone='true' k='26'",
                                       "tree='front'"};
    uint64_t expected = hash_after(make_world(BETWEEN_CLOTH_AND_WIRE, ""), 0.6);
    for (size_t i = 0; i < TAC_COUNT(ways); i++)
        assert_int_equal(hash_after(make_world(BETWEEN_CLOTH_AND_WIRE, ways[i]), 0.6), expected);
    assert_int_equal(hash_after(make_world_on(3, BETWEEN_CLOTH_AND_WIRE, ""), 0.6), expected);
}

// While layers hurry.
static void test_hurrying_goes_on_after_a_resume(void **state) {
    (void)state;
    uint64_t expected = hash_after(make_world(BETWEEN_CLOTH_AND_WIRE, ""), 0.5);
    for (int i = 0; i < 8; i++) {
        TacWorld *first = make_world(BETWEEN_CLOTH_AND_WIRE, "");
        TacWorld *second = make_world(BETWEEN_CLOTH_AND_WIRE, "");
        beats(first, 42 + i);
        hand_over(first, second);
        tac_world_destroy(first);
        assert_int_equal(hash_after(second, 0.01 * (8 - i)), expected);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_pressed_between_heavy_things_is_not_thrown),
        cmocka_unit_test(test_hurrying_is_the_same_for_all_ways_of_looking),
        cmocka_unit_test(test_hurrying_goes_on_after_a_resume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
