// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What safe contact takes at rest: bytes per vertex, whether they are all counted, and that what an impact needs is given
// back after it.

#include "contact/safe_parts.h"
#include "safe_checks.h"
#include "world/world.h"

#include <malloc.h>

// A cloth that comes to lie on a floor, with friction.
static TacWorld *make_cloth(int divisions, double spacing) {
    return MAKE("<tactus version='1'><Contact thickness='0.002' friction='0.3' restitution='0'/>"
                "<node name='floor'><Sheet divisions='1' width='4' depth='4'/><Points/><Skin/></node>"
                "<node name='cloth'><SymplecticEuler step='0.00015625'/>"
                "<Sheet divisions='%d' width='%g' depth='%g'/><Points translation='0 0.00201 0'/>"
                "<UniformMass mass='2e-5'/><Springs stiffness='50' damping='0.005'/><Skin/></node></tactus>",
                divisions, divisions * spacing, divisions * spacing);
}

static void test_a_resting_cloth_takes_less_than_2_KB_per_vertex(void **state) {
    (void)state;
    TacWorld *world = make_cloth(64, 0.01);
    advance(world, 0.01);
    TacContactStats contact = tac_world_contact_stats(world);
    double points = (double)tac_world_stats(world).points;
    assert_true((double)contact.armed > points); // all of it lies there
    double each = (double)contact.bytes / points;
    if (!(each < 1900)) fail_msg("%g bytes per vertex", each);
    tac_world_destroy(world);
}

// Neighbours in a mesh nearly as fine as the layers are thick are pairs, too, though they never meet.
static void test_a_fine_cloth_takes_little_more(void **state) {
    (void)state;
    TacWorld *world = make_cloth(64, 0.0032);
    advance(world, 0.01);
    TacContactStats contact = tac_world_contact_stats(world);
    double points = (double)tac_world_stats(world).points;
    assert_true((double)contact.pairs > 4 * points);
    double each = (double)contact.bytes / points;
    if (!(each < 2700)) fail_msg("%g bytes per vertex, %g pairs", each, (double)contact.pairs / points);
    tac_world_destroy(world);
}

static size_t heap(void) {
    struct mallinfo2 all = mallinfo2();
    return all.uordblks + all.hblkhd;
}

static void test_what_is_counted_is_what_is_taken(void **state) {
    (void)state;
    size_t before = heap();
    TacWorld *world = make_cloth(64, 0.01);
    advance(world, 0.01);
    size_t taken = heap() - before;
    if (taken > 0) { // who checks addresses counts elsewhere
        double counted = (double)tac_world_contact_stats(world).bytes + (double)tac_world_stats(world).bytes;
        if (!(fabs(counted - (double)taken) < 0.04 * (double)taken))
            fail_msg("%g bytes counted, %zu taken", counted, taken);
    }
    tac_world_destroy(world);
}

// A box hits the floor and bounces: meanwhile its pairs have anchors for many classes of layers.
static TacWorld *make_box(void) {
    return MAKE("<tactus version='1' gravity='0 0 0'><Contact thickness='0.01' friction='0.3' "
                "restitution='1' speed='1'/>"
                "<node name='floor'><Sheet divisions='1' width='4' depth='4'/><Points/><Skin/></node>"
                "<node name='rigid'><Frames positions='0 0.0502 0 0 0 0 1' velocities='1 -3 0 0 0 0'/>"
                "<UniformMass mass='1' box='0.08 0.08 0.08'/><Shape size='0.08 0.08 0.08'/></node></tactus>");
}

static size_t deep_in_use(const TacWorld *world) {
    return world->safe->deep_count - world->safe->free_deep.count;
}

// Pairs with anchors in their fourth class or deeper.
static size_t deeply_anchored(const TacWorld *world) {
    size_t count = 0;
    for (size_t i = 0; i < world->safe->live_count; i++) count += world->safe->lives[i].anchored >> 3 != 0;
    return count;
}

static void test_room_for_deep_anchors_is_taken_and_given_back(void **state) {
    (void)state;
    TacError error;
    TacWorld *world = make_box(), *other = make_box();
    assert_int_equal(deep_in_use(world), 0);
    void *saved = NULL;
    size_t bytes = 0;
    for (int i = 0; i < 400 && !saved; i++) {
        advance(world, 1e-5);
        if (deeply_anchored(world) < 4) continue;
        bytes = tac_world_snapshot_size(world);
        saved = malloc(bytes);
        assert_non_null(saved);
        assert_int_equal(tac_world_save(world, saved, bytes, &error), TAC_OK);
    }
    assert_non_null(saved);
    assert_true(deep_in_use(world) >= 4);
    assert_int_equal(tac_world_restore(other, saved, bytes, &error), TAC_OK);
    assert_int_equal(deep_in_use(other), deep_in_use(world));
    advance(world, 0.3);
    advance(other, 0.3);
    assert_true(tac_world_hash(world) == tac_world_hash(other));
    assert_true(places(world, "/rigid/frames")[1] > 0.2);
    assert_int_equal(deep_in_use(world), 0);
    free(saved);
    tac_world_destroy(world);
    tac_world_destroy(other);
}

static void test_lists_are_trimmed_when_most_of_them_is_unused(void **state) {
    (void)state;
    uint32_t *list = NULL;
    size_t capacity = 0;
    assert_true(tac_grow(&list, &capacity, 10000, sizeof *list));
    size_t whole = capacity;
    for (uint32_t i = 0; i < 10000; i++) list[i] = i;
    tac_trim(&list, &capacity, 5000, sizeof *list);
    assert_int_equal(capacity, whole);
    tac_trim(&list, &capacity, 1000, sizeof *list);
    assert_true(capacity >= 1000 && capacity < 2000);
    for (uint32_t i = 0; i < 1000; i++) assert_int_equal(list[i], i);
    tac_trim(&list, &capacity, 0, sizeof *list);
    assert_true(capacity > 0 && capacity < 200);
    free(list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_resting_cloth_takes_less_than_2_KB_per_vertex),
        cmocka_unit_test(test_a_fine_cloth_takes_little_more),
        cmocka_unit_test(test_what_is_counted_is_what_is_taken),
        cmocka_unit_test(test_room_for_deep_anchors_is_taken_and_given_back),
        cmocka_unit_test(test_lists_are_trimmed_when_most_of_them_is_unused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
