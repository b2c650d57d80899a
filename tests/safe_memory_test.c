// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What a cloth at rest takes: bytes per vertex for contact, for everything and at the worst moment; whether they are all
// counted, and that what an impact needs is given back after it.

#define _GNU_SOURCE
#include "contact/layer_room.h"
#include "contact/safe_parts.h"
#include "safe_checks.h"
#include "world/world.h"

#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t heap(void) {
    struct mallinfo2 all = mallinfo2();
    return all.uordblks + all.hblkhd;
}

#define SOLVER   "<SymplecticEuler step='0.00015625'/>"
#define SPRINGS  "<Springs stiffness='50' damping='0.005'/>"
#define SHELL    "<Triangles young='5000' thickness='0.001'/><ShellBending stiffness='1e-7'/>"
#define IMPLICIT "<ImplicitEuler step='0.005'/>"

// A cloth that comes to lie on a floor, with friction.
static TacWorld *make_cloth_of(int divisions, double spacing, const char *solver, const char *laws) {
    return MAKE("<tactus version='1'><Contact thickness='0.002' friction='0.3' restitution='0'/>"
                "<node name='floor'><Sheet divisions='1' width='4' depth='4'/><Points/><Skin/></node>"
                "<node name='cloth'>%s"
                "<Sheet divisions='%d' width='%g' depth='%g'/><Points translation='0 0.00201 0'/>"
                "<UniformMass mass='2e-5'/>%s<Skin/></node></tactus>",
                solver, divisions, divisions * spacing, divisions * spacing, laws);
}

static TacWorld *make_cloth(int divisions, double spacing) {
    return make_cloth_of(divisions, spacing, SOLVER, SPRINGS);
}

static void test_a_resting_cloth_takes_less_than_2_KB_per_vertex(void **state) {
    (void)state;
    TacWorld *world = make_cloth(64, 0.01);
    advance(world, 0.01);
    TacContactStats contact = tac_world_contact_stats(world);
    double points = (double)tac_world_stats(world).points;
    assert_true((double)contact.armed > points); // all of it lies there
    double each = (double)contact.bytes / points;
    if (!(each < 1095)) fail_msg("%g bytes per vertex", each);
    tac_world_destroy(world);
}

// Of everything, as the report counts it, at rest.
static double counted_each(const TacWorld *world) {
    TacWorldStats stats = tac_world_stats(world);
    return ((double)tac_world_contact_stats(world).bytes + (double)stats.bytes) / (double)stats.points;
}

static void expect_little(const char *solver, const char *laws, double most) {
    TacWorld *world = make_cloth_of(96, 0.01, solver, laws), *empty = make_cloth_of(2, 0.01, solver, laws);
    advance(world, 0.002);
    double each =
        counted_each(world) -
        counted_each(empty) * 13 / 9413; // 9 and 4 points: lists that are there however few there are
    if (!(each < most)) fail_msg("%g bytes per vertex with %s%s", each, solver, laws);
    tac_world_destroy(world);
    tac_world_destroy(empty);
}

static void test_laws_come_cheap(void **state) {
    (void)state;
    expect_little(SOLVER, SPRINGS, 1420);
    expect_little(SOLVER, SHELL, 1545);
    // each part on its own clock: nothing is kept twice
    expect_little("", SPRINGS, 1425);
    expect_little("", SHELL, 1580);
    // and what they take while they solve is counted
    expect_little(IMPLICIT, SPRINGS, 1595);
    expect_little(IMPLICIT, SHELL, 1860);
}

// What implicit solvers ask of laws is kept only for them.
static void test_explicit_solvers_do_not_pay_for_implicit_ones(void **state) {
    (void)state;
    TacWorld *plain = make_cloth_of(32, 0.01, SOLVER, SHELL),
             *stiff = make_cloth_of(32, 0.01, IMPLICIT, SHELL);
    advance(plain, 0.005);
    advance(stiff, 0.005);
    size_t kept = 0;
    for (size_t i = 0; i < stiff->kept_count; i++) {
        assert_true(*stiff->kept[i].keeps);
        assert_false(*plain->kept[i].keeps);
        kept += stiff->kept[i].bytes;
    }
    assert_true((double)kept > 150 * (double)tac_world_stats(stiff).points);
    assert_true(plain->arena.bytes - tac_world_stats(plain).bytes == kept);
    assert_true(stiff->arena.bytes == tac_world_stats(stiff).bytes);
    tac_world_destroy(plain);
    tac_world_destroy(stiff);
}

// Two cloths, the upper one turned, on each other and on the floor.
static TacWorld *make_two(int divisions, double spacing, const char *lower, const char *upper,
                          const char *laws) {
    double size = divisions * spacing;
    return MAKE("<tactus version='1'><Contact thickness='0.002' friction='0.3' restitution='0'/>"
                "<node name='floor'><Sheet divisions='1' width='4' depth='4'/><Points/><Skin/></node>"
                "<node name='lower'>%s<Sheet divisions='%d' width='%g' depth='%g'/>"
                "<Points translation='0 0.00201 0'/><UniformMass mass='2e-5'/>%s<Skin/></node>"
                "<node name='upper'>%s<Sheet divisions='%d' width='%g' depth='%g'/>"
                "<Points translation='0 0.00402 0' rotation='0 20 0'/><UniformMass mass='2e-5'/>%s"
                "<Skin/></node></tactus>",
                lower, divisions, size, size, laws, upper, divisions, size, size, laws);
}

static TacWorld *make_stack_of(int divisions, double spacing, const char *solver, const char *laws) {
    return make_two(divisions, spacing, solver, solver, laws);
}

// Steps of different lengths.
static TacWorld *make_unlike_stack(int divisions, double spacing, const char *solver, const char *laws) {
    return make_two(divisions, spacing, solver, "<ImplicitEuler step='0.006'/>", laws);
}

static TacWorld *make_stack(const char *solver) {
    return make_stack_of(32, 0.01, solver, SPRINGS);
}

typedef TacWorld *(*Make)(int divisions, double spacing, const char *solver, const char *laws);

// The most that a process of its own ever has in memory, while cloth of so many divisions is made and comes to rest.
static double worst_kilobytes(Make make, int divisions, const char *solver, const char *laws) {
    malloc_trim(0); // it begins with what is here
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        mallopt(M_MMAP_THRESHOLD, 128 * 1024);
        TacWorld *world = make(divisions, 0.01, solver, laws);
        advance(world, make == make_cloth_of ? 0.002 : 0.003); // the upper one has farther to fall
        _exit(0);
    }
    struct rusage usage;
    int how;
    assert_int_equal(wait4(child, &how, 0, &usage), child);
    assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    return (double)usage.ru_maxrss;
}

static void expect_worst(Make make, const char *solver, const char *laws, double most) {
    int sheets = make == make_cloth_of ? 1 : 2, divisions = sheets == 2 ? 64 : 112;
    double points = sheets * ((divisions + 1) * (divisions + 1) - 9);
    double more = worst_kilobytes(make, divisions, solver, laws) - worst_kilobytes(make, 2, solver, laws);
    if (!(more * 1024 / points < most))
        fail_msg("%g bytes per vertex of %d with %s%s", more * 1024 / points, sheets, solver, laws);
}

// Starting takes no more than lying there: that is what the memory of a machine must do for.
static void test_the_start_takes_no_more_than_the_rest(void **state) {
    (void)state;
    if (heap() == 0) skip(); // who checks addresses has memory of its own
    expect_worst(make_cloth_of, SOLVER, SPRINGS, 1445);
    expect_worst(make_cloth_of, SOLVER, SHELL, 1555);
    expect_worst(make_cloth_of, "", SHELL, 1560);
    expect_worst(make_cloth_of, IMPLICIT, SPRINGS, 1630);
    expect_worst(make_cloth_of, IMPLICIT, SHELL, 1890);
    expect_worst(make_stack_of, SOLVER, SPRINGS, 2800);
    expect_worst(make_unlike_stack, IMPLICIT, SPRINGS, 3500);
    expect_worst(make_stack_of, IMPLICIT, SPRINGS, 4300);
}

static size_t rooms_of(TacWorld *world) {
    size_t count = 0;
    for (const TacLayerRoom *room = world->safe->rooms; room; room = room->next) count++;
    return count;
}

// What is there for each pair, and for each that is looked at: kicks are not.
static void test_pairs_come_cheap(void **state) {
    (void)state;
    TacWorld *world = make_stack(SOLVER);
    advance(world, 0.06);
    TacContactStats contact = tac_world_contact_stats(world);
    double points = (double)tac_world_stats(world).points, each = (double)contact.bytes / points;
    assert_true((double)contact.armed > 4 * points);
    // what is not looked at lies so far apart that it is no pair
    if (!((double)contact.pairs < 1.12 * (double)contact.armed))
        fail_msg("%g pairs, %g armed, per point", (double)contact.pairs / points,
                 (double)contact.armed / points);
    if (!(each < 2000)) fail_msg("%g bytes per vertex of two cloths", each);
    double of_pairs = ((double)contact.bytes - 1042 * points) / (double)contact.pairs;
    if (!(of_pairs < 150))
        fail_msg("%g bytes per pair, of %g, %g armed, per point", of_pairs, (double)contact.pairs / points,
                 (double)contact.armed / points);
    // agents that solve one after the other share a room; those that solve together, as their steps are alike, have one each
    const char *const uppers[] = {"<ImplicitEuler step='0.006'/>", IMPLICIT};
    for (size_t rooms = 1; rooms <= 2; rooms++) {
        TacWorld *stiff = make_two(32, 0.01, IMPLICIT, uppers[rooms - 1], SPRINGS);
        advance(stiff, 0.06);
        TacContactStats solved = tac_world_contact_stats(stiff);
        double more = ((double)solved.bytes - (double)contact.bytes) / (double)solved.armed;
        assert_int_equal(rooms_of(stiff), rooms);
        if (!(more < (rooms == 1 ? 91 : 240)))
            fail_msg("%g bytes more per armed pair, with %zu rooms", more, rooms);
        tac_world_destroy(stiff);
    }
    tac_world_destroy(world);
}

// Of points that are held and fall alike; one that is pinned has a kind of its own until it is let go.
static size_t kinds_of(const TacSafe *safe) {
    size_t kinds = 0, users = 0;
    for (size_t i = 0; i < safe->support_count; i++) {
        const TacSupportKind *kind = safe->supports[i].kind;
        if (i && kind == safe->supports[i - 1].kind) continue;
        kinds++;
        users += kind->users;
    }
    for (const TacSupportKind *kind = safe->free_kinds; kind; kind = kind->next) kinds += kind->users;
    assert_true(users >= safe->support_count);
    return kinds;
}

static void test_points_share_what_they_have_in_common(void **state) {
    (void)state;
    enum { MIDDLE = 12, FLOOR = 4 };
    TacWorld *world = make_cloth(4, 0.01);
    const TacSafe *safe = world->safe;
    TacComponentId cloth = tac_world_find(world, "/cloth/points");
    size_t all = kinds_of(safe), taken = safe->kind_count;
    assert_int_equal(all, 2); // the floor and the cloth
    for (int i = 0; i < 100; i++) {
        assert_int_equal(tac_world_pin(world, cloth, MIDDLE, NULL), TAC_OK);
        assert_int_equal(kinds_of(safe), all + 2); // before it, it, and behind it
        for (uint32_t k = 0; k < safe->support_count; k++) {
            const TacSupport *s = &safe->supports[k];
            bool falls = k >= FLOOR && k != FLOOR + MIDDLE;
            if (falls != (s->kind->g[1] < 0)) fail_msg("support %u falls at %g", k, s->kind->g[1]);
        }
        assert_int_equal(tac_world_unpin(world, cloth, MIDDLE, NULL), TAC_OK);
        assert_int_equal(kinds_of(safe), all);
    }
    assert_int_equal(safe->kind_count, taken);
    tac_world_destroy(world);
}

// Neighbours in a mesh nearly as fine as the layers are thick never meet: while they lie still, they are no pairs.
static void test_a_fine_cloth_takes_little_more(void **state) {
    (void)state;
    TacWorld *world = make_cloth(64, 0.0032);
    advance(world, 0.01);
    TacContactStats contact = tac_world_contact_stats(world);
    double points = (double)tac_world_stats(world).points;
    assert_true((double)contact.pairs > points);
    double each = (double)contact.bytes / points;
    if (!(each < 1110)) fail_msg("%g bytes per vertex, %g pairs", each, (double)contact.pairs / points);
    tac_world_destroy(world);
}

static void test_what_is_counted_is_what_is_taken(void **state) {
    (void)state;
    size_t before = heap();
    TacWorld *world = make_cloth(64, 0.01);
    advance(world, 0.01);
    size_t taken = heap() - before;
    if (taken > 0) { // who checks addresses counts elsewhere
        // what is there for implicit solvers, and was never written to, is taken from nobody
        double counted = (double)tac_world_contact_stats(world).bytes + (double)world->arena.bytes;
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
        // first: nothing was taken and given back yet
        cmocka_unit_test(test_the_start_takes_no_more_than_the_rest),
        cmocka_unit_test(test_a_resting_cloth_takes_less_than_2_KB_per_vertex),
        cmocka_unit_test(test_laws_come_cheap),
        cmocka_unit_test(test_pairs_come_cheap),
        cmocka_unit_test(test_explicit_solvers_do_not_pay_for_implicit_ones),
        cmocka_unit_test(test_points_share_what_they_have_in_common),
        cmocka_unit_test(test_a_fine_cloth_takes_little_more),
        cmocka_unit_test(test_what_is_counted_is_what_is_taken),
        cmocka_unit_test(test_room_for_deep_anchors_is_taken_and_given_back),
        cmocka_unit_test(test_lists_are_trimmed_when_most_of_them_is_unused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
