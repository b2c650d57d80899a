// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Shapes in safe worlds: their surfaces reach as far as the shapes do, are closed, and hold things up where they
// should; and one scene runs loose and safe.

#include "safe_checks.h"

#include "base/random.h"
#include "contact/shape_surface.h"

// How far a surface reaches along a direction.
static double reach(const TacShapeSurface *s, TacVec3 d) {
    double most = -INFINITY;
    for (size_t i = 0; i < s->vertex_count; i++) most = fmax(most, tac_dot(d, s->vertices[i]));
    return most + s->radius;
}

// The same of the shape itself, by its closed form.
static double shape_reach(const TacShapeModel *m, TacVec3 d) {
    double flat = sqrt(d.x * d.x + d.z * d.z), half = 0.5 * m->height;
    switch ((TacConvexKind)m->kind) {
    case TAC_CONVEX_SPHERE: return m->radius + m->rounding;
    case TAC_CONVEX_CAPSULE: return m->radius + half * fabs(d.y) + m->rounding;
    case TAC_CONVEX_BOX:
        return 0.5 * (fabs(d.x) * m->size.x + fabs(d.y) * m->size.y + fabs(d.z) * m->size.z) + m->rounding;
    case TAC_CONVEX_CYLINDER: return m->radius * flat + half * fabs(d.y) + m->rounding;
    default: return fmax(half * d.y, m->radius * flat - half * d.y) + m->rounding; // a cone
    }
}

// Six times the volume inside the faces; and every edge has two faces, which name it both ways.
static double volume6(const TacShapeSurface *s) {
    double sum = 0;
    for (size_t f = 0; f < s->face_count; f++) {
        const int32_t *c = s->faces + 3 * f;
        sum += tac_dot(s->vertices[c[0]], tac_cross(s->vertices[c[1]], s->vertices[c[2]]));
    }
    return sum;
}

static void test_surfaces_reach_as_far_as_their_shapes(void **state) {
    (void)state;
    static const int kinds[] = {TAC_CONVEX_SPHERE, TAC_CONVEX_BOX, TAC_CONVEX_CAPSULE, TAC_CONVEX_CYLINDER,
                                TAC_CONVEX_CONE};
    TacRandom random = tac_random(5, 0);
    for (size_t k = 0; k < TAC_COUNT(kinds); k++) {
        TacShapeModel m = {.kind = kinds[k],
                           .size = {0.3, 0.2, 0.5},
                           .radius = 0.2,
                           .height = 0.6,
                           .rounding = 0.01,
                           .turn = tac_quat_identity()};
        TacArena arena = {0};
        TacShapeSurface s;
        TacError error;
        assert_int_equal(tac_shape_surface(&s, &m, &arena, &error), TAC_OK);
        // polygons of 24 sides reach by up to one minus cos 7.5 degrees too little, and by half of that too much
        bool round = m.kind == TAC_CONVEX_CYLINDER || m.kind == TAC_CONVEX_CONE;
        double tolerance = round ? 0.006 * m.radius : 1e-14;
        for (int i = 0; i < 200; i++) {
            TacVec3 d = {tac_random_between(&random, -1, 1), tac_random_between(&random, -1, 1),
                         tac_random_between(&random, -1, 1)};
            d = tac_scale(d, 1 / tac_norm(d));
            double got = reach(&s, d), expected = shape_reach(&m, d);
            if (!(fabs(got - expected) < tolerance)) fail_msg("kind %d: %g for %g", m.kind, got, expected);
        }
        if (m.kind == TAC_CONVEX_BOX) {
            assert_int_equal(s.edge_count, 12); // none across a face
            assert_true(fabs(volume6(&s) / 6 - 0.3 * 0.2 * 0.5) < 1e-15);
        }
        double bottom = TAC_PI * m.radius * m.radius * m.height;
        if (m.kind == TAC_CONVEX_CYLINDER) assert_true(fabs(volume6(&s) / 6 / bottom - 1) < 1e-12);
        if (m.kind == TAC_CONVEX_CONE) assert_true(fabs(volume6(&s) / 2 / bottom - 1) < 1e-12);
        if (round || m.kind == TAC_CONVEX_BOX) // Euler: V - E + F = 2, with F the polygons
            assert_true(s.face_count > 3 && s.vertex_count + s.face_count - s.edge_count >= 2);
        tac_arena_destroy(&arena);
    }
}

// Turned and moved in its frame.
static void test_surfaces_stand_where_their_shapes_do(void **state) {
    (void)state;
    TacShapeModel m = {.kind = TAC_CONVEX_CAPSULE,
                       .radius = 0.1,
                       .height = 0.4,
                       .position = {1, 2, 3},
                       .turn = tac_quat_from_vector(tac_vec3(0, 0, TAC_PI / 2))};
    TacArena arena = {0};
    TacShapeSurface s;
    TacError error;
    assert_int_equal(tac_shape_surface(&s, &m, &arena, &error), TAC_OK);
    assert_int_equal(s.vertex_count, 2);
    // upright turned about z: along x
    assert_true(tac_norm(tac_sub(s.vertices[0], tac_vec3(1.2, 2, 3))) < 1e-15);
    assert_true(tac_norm(tac_sub(s.vertices[1], tac_vec3(0.8, 2, 3))) < 1e-15);
    assert_true(s.bare[0] && s.radius == 0.1);
    tac_arena_destroy(&arena);
}

static const char *scene_with(const char *contact) {
    snprintf(
        scene_text, sizeof scene_text,
        "<tactus version='1'><Contact %s thickness='0.002' friction='0.4' restitution='0'/>"
        "<node name='ground'><Frames/><Shape shape='half_space'/></node>"
        "<node name='boxes'><Frames positions='0 0.055 0 0 0 0 1  0.02 0.162 0.01 0 0.1 0 1'/>"
        "<UniformMass mass='1' box='0.1 0.1 0.1'/><Shape shape='box' size='0.1 0.1 0.1'/></node>"
        "<node name='ball'><Frames positions='0.3 0.06 0 0 0 0 1'/>"
        "<UniformMass mass='1' box='0.1 0.1 0.1'/><Shape shape='sphere' radius='0.05'/></node>"
        "<node name='lying'><Frames positions='-0.3 0.045 0 0 0 0.70710678118654752 0.70710678118654752'/>"
        "<UniformMass mass='1' box='0.1 0.2 0.1'/><Shape shape='capsule' radius='0.04' height='0.1'/></node>"
        "<node name='drum'><Frames positions='0 0.055 0.3 0 0 0 1'/>"
        "<UniformMass mass='1' box='0.1 0.1 0.1'/><Shape shape='cylinder' radius='0.04' height='0.1'/></node>"
        "<node name='gem'><Frames positions='0.3 0.055 -0.3 0 0 0 1'/>"
        "<UniformMass mass='1' box='0.1 0.1 0.1'/><Box low='-0.05 -0.05 -0.05' high='0.05 0.05 0.05'/>"
        "<Shape shape='polyhedron'/></node></tactus>",
        contact);
    return scene_text;
}

static void test_one_scene_runs_loose_and_safe(void **state) {
    (void)state;
    static const char *const names[] = {"boxes", "ball", "lying", "drum", "gem"};
    static const double heights[] = {0.05, 0.05, 0.04, 0.05, 0.05};
    for (int safe = 0; safe < 2; safe++) {
        TacWorld *world = make_world(scene_with(safe ? "method='safe'" : "method='loose'"), 1);
        if (safe)
            advance_audited(world, 0.6);
        else
            advance(world, 0.6);
        for (int i = 0; i < 5; i++) {
            char path[64];
            snprintf(path, sizeof path, "/%s/frames", names[i]);
            double y = places(world, path)[1];
            // safe contact holds things up by its thickness, loose contact lets them sink in
            if (!(fabs(y - heights[i] - 0.001) < (safe ? 0.0015 : 0.015)))
                fail_msg("%s: %s at %g m", safe ? "safe" : "loose", path, y);
        }
        assert_true(tac_world_contact_count(world) > 8);
        tac_world_destroy(world);
    }
}

// Frames of one Shape touch each other, and none touches itself; a start inside each other is refused.
static void test_frames_of_one_shape_touch_each_other(void **state) {
    (void)state;
    TacError error;
    TacWorld *world = try_world(
        "<tactus version='1' gravity='0 0 0'><Contact method='safe'/><node name='a'>"
        "<Frames positions='0 0 0 0 0 0 1  0.05 0.05 0.05 0 0 0 1'/><UniformMass mass='1' box='1 1 1'/>"
        "<Shape shape='box' size='0.1 0.1 0.1' rounding='0.001'/></node></tactus>",
        1, &error);
    assert_null(world);
    assert_non_null(strstr(error.message, "of /a/shape"));
    world = MAKE("<tactus version='1' gravity='0 0 0'><Contact method='safe' restitution='1' friction='0'/>"
                 "<node name='a'><Frames positions='0 0 0 0 0 0 1  0.2 0 0 0 0 0 1' "
                 "velocities='1 0 0 0 0 0  -1 0 0 0 0 0'/><UniformMass mass='1' box='0.1 0.1 0.1'/>"
                 "<Shape shape='box' size='0.1 0.1 0.1' rounding='0.001'/></node></tactus>");
    advance_audited(world, 0.1);
    const double *v = speeds(world, "/a/frames");
    assert_true(fabs(v[0] + 1) < 0.02 && fabs(v[6] - 1) < 0.02);
    tac_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_surfaces_reach_as_far_as_their_shapes),
        cmocka_unit_test(test_surfaces_stand_where_their_shapes_do),
        cmocka_unit_test(test_one_scene_runs_loose_and_safe),
        cmocka_unit_test(test_frames_of_one_shape_touch_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
