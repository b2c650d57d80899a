// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Material: what links to it gets is what would have been written; presets agree with what is known of their
// stuffs from elsewhere (the speed of sound, the weight of cloth), not only with themselves.

#define _GNU_SOURCE
#include "scene_checks.h"

#include <math.h>

#define MASS_OF(preset, attribute)                                                                           \
    "<tactus version='1' gravity='0 0 0'><Material name='m' preset='" preset "'/>"                           \
    "<node name='n'><Points positions='0 0 0' velocities='1 0 0'/><UniformMass mass='@/m." attribute         \
    "'/></node></tactus>"

// A number of a material, as a mass that moves at 1 m/s has it for its momentum.
static double number_of(const char *text) {
    TacWorld *world = world_of(text);
    double value = tac_world_momentum(world).linear.x;
    tac_world_destroy(world);
    return value;
}

static uint64_t hash_after(const char *text) {
    TacWorld *world = world_of(text);
    TacError error = {0};
    if (tac_world_advance_beats(world, 5, &error) != TAC_OK) fail_msg("%s", error.message);
    uint64_t hash = tac_world_hash(world);
    tac_world_destroy(world);
    return hash;
}

#define BAR(material, density, young, poisson, damping)                                                      \
    SCENE(material "<node name='n'><ImplicitEuler damping_stiffness='" damping                               \
                   "'/><Grid counts='3 3 3' split='true'/><Points/><DiagonalMass density='" density          \
                   "'/><Tetrahedra young='" young "' poisson='" poisson                                      \
                   "'/><FixedPoints box='-1 -1 -1 2 2 0.1'/></node>")

static void a_link_is_what_would_have_been_written(void **state) {
    (void)state;
    uint64_t linked = hash_after(BAR("<Material name='m' density='900' young='3e4' poisson='0.4' loss='0'/>",
                                     "@/m.density", "@/m.young", "@/m.poisson", "@/m.damping"));
    uint64_t written = hash_after(BAR("", "900", "3e4", "0.4", "0"));
    uint64_t softer = hash_after(BAR("", "900", "2.9e4", "0.4", "0"));
    assert_true(linked == written);
    assert_true(linked != softer);
}

static void what_is_given_beats_the_preset(void **state) {
    (void)state;
    double own =
        number_of("<tactus version='1' gravity='0 0 0'><Material name='m' preset='steel' density='7'/>"
                  "<node name='n'><Points positions='0 0 0' velocities='1 0 0'/>"
                  "<UniformMass mass='@/m.density'/></node></tactus>");
    assert_true(own == 7);
}

static void presets_agree_with_what_is_known_elsewhere(void **state) {
    (void)state;
    // the speed of sound along a thin bar is sqrt(E / density): about 5,100 m/s in steel, 5,000 in spruce, 40 in
    // soft rubber
    assert_true(fabs(sqrt(number_of(MASS_OF("steel", "young")) / number_of(MASS_OF("steel", "density"))) -
                     5150) < 100);
    assert_true(
        fabs(sqrt(number_of(MASS_OF("wood", "young")) / number_of(MASS_OF("wood", "density"))) - 5000) < 500);
    assert_true(fabs(sqrt(number_of(MASS_OF("rubber", "young")) / number_of(MASS_OF("rubber", "density"))) -
                     40) < 10);
    // measured by weighing: shirts 0.15 kg/m^2, that denim 0.324
    assert_true(fabs(number_of(MASS_OF("cotton", "area_density")) - 0.1503) < 0.002);
    assert_true(fabs(number_of(MASS_OF("denim", "area_density")) - 0.324) < 0.005);
    // shear waves in liver, sqrt(E / (2 (1 + nu) density)): 1 to 2 m/s by elastography
    double liver =
        sqrt(number_of(MASS_OF("soft_tissue", "young")) / 2.9 / number_of(MASS_OF("soft_tissue", "density")));
    assert_true(liver > 1 && liver < 2);
    // a twentieth of a second of loss at 5 Hz
    double damping = number_of(MASS_OF("soft_tissue", "damping"));
    assert_true(fabs(damping - number_of(MASS_OF("soft_tissue", "loss")) / (2 * 3.14159265358979 * 5)) <
                1e-9);
}

static void what_makes_no_sense_is_refused(void **state) {
    (void)state;
    REFUSED(SCENE("<Material preset='~stell'/>"), "steel");
    REFUSED(SCENE("<Material poisson='~0.5'/>"), "below 0.5");
    REFUSED(SCENE("<Material density='~-1'/>"), "density");
    REFUSED(SCENE("<Material ~damping='1'/>"), "damping is what Material makes");
    REFUSED(BAR("<Material name='m'/>", "1", "~@/m.young", "0.3", "0"), "nothing is given there");
    REFUSED(BAR("<Material name='m'/>", "1", "~@/m.preset", "0.3", "0"), "list of numbers was expected");
    REFUSED(BAR("<Material name='m' loss='0'/>", "1", "~@/m.loss", "0.3", "0"), "positive");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_link_is_what_would_have_been_written),
        cmocka_unit_test(what_is_given_beats_the_preset),
        cmocka_unit_test(presets_agree_with_what_is_known_elsewhere),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
