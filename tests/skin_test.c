// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The material skin: that a skin is closed, outside of all balls, around all of them and tight; and that an elastic one is
// where the balance of its tension with the balls inside says, in closed form.

#define _GNU_SOURCE
#include "scene_checks.h"

#include "geometry/wrap.h"
#include "tactus/math.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

static void assert_near(double a, double b, double most) {
    if (!(fabs(a - b) <= most)) fail_msg("%.15g is not %.15g within %g", a, b, most);
}

// --- geometry ---------------------------------------------------------------------------------------------

static TacMesh wrapped(TacWrapDef def) {
    TacMesh mesh;
    TacError error = {0};
    if (tac_wrap(&mesh, &def, &error) != TAC_OK) fail_msg("%s", error.message);
    assert_int_equal(tac_mesh_validate(&mesh, &error), TAC_OK);
    return mesh;
}

// How often a closed surface of triangles goes around a place, by the solid angles that its triangles take.
static double turns_around(const double *points, const int32_t *triangles, size_t count, TacVec3 p) {
    double angle = 0;
    for (size_t i = 0; i < count; i++) {
        TacVec3 a = tac_sub(tac_load3(points + 3 * triangles[3 * i]), p);
        TacVec3 b = tac_sub(tac_load3(points + 3 * triangles[3 * i + 1]), p);
        TacVec3 c = tac_sub(tac_load3(points + 3 * triangles[3 * i + 2]), p);
        double la = tac_norm(a), lb = tac_norm(b), lc = tac_norm(c);
        angle += 2 * atan2(tac_dot(a, tac_cross(b, c)),
                           la * lb * lc + tac_dot(a, b) * lc + tac_dot(b, c) * la + tac_dot(c, a) * lb);
    }
    return angle / (4 * PI);
}

static double nearest(const double *balls, size_t count, TacVec3 p) {
    double d = INFINITY;
    for (size_t i = 0; i < count; i++) d = fmin(d, tac_norm(tac_sub(p, tac_load3(balls + 3 * i))));
    return d;
}

static void test_a_single_ball_has_a_round_skin(void **state) {
    (void)state;
    const double ball[3] = {3, -2, 5};
    TacMesh mesh = wrapped((TacWrapDef){.balls = ball, .count = 1, .distance = 0.5, .spacing = 0.1});
    double volume = 0;
    for (size_t i = 0; i < mesh.point_count; i++)
        assert_near(nearest(ball, 1, tac_load3(mesh.points + 3 * i)), 0.5, 1e-11);
    for (size_t i = 0; i < mesh.elements[TAC_TRIANGLES].count; i++) {
        TacVec3 corner[3];
        for (int k = 0; k < 3; k++)
            corner[k] =
                tac_sub(tac_load3(mesh.points + 3 * mesh.elements[TAC_TRIANGLES].indices[3 * i + (size_t)k]),
                        tac_load3(ball));
        volume += tac_dot(corner[0], tac_cross(corner[1], corner[2])) / 6;
    }
    // edges of a fifth of the radius: chords, so a little less
    assert_true(volume < 4 * PI / 3 * 0.125 && volume > 0.98 * 4 * PI / 3 * 0.125);
    tac_mesh_destroy(&mesh);
}

static void test_a_heap_is_inside_and_nothing_comes_near(void **state) {
    (void)state;
    enum { BALLS = 40 };
    double balls[3 * BALLS];
    uint64_t random = 7;
    for (size_t i = 0; i < 3 * BALLS; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        balls[i] = (double)(random >> 11) * 0x1p-53 * (i % 3 == 0 ? 0.3 : 0.1); // longer than wide
    }
    TacMesh mesh = wrapped((TacWrapDef){.balls = balls, .count = BALLS, .distance = 0.02, .spacing = 0.015});
    TacMeshReport report;
    TacError error = {0};
    assert_int_equal(tac_mesh_report(&mesh, &report, &error), TAC_OK);
    assert_true(report.closed);
    for (size_t i = 0; i < mesh.point_count; i++)
        assert_true(nearest(balls, BALLS, tac_load3(mesh.points + 3 * i)) >= 0.02);
    for (size_t i = 0; i < BALLS; i++)
        assert_near(turns_around(mesh.points, mesh.elements[TAC_TRIANGLES].indices,
                                 mesh.elements[TAC_TRIANGLES].count, tac_load3(balls + 3 * i)),
                    1, 1e-9);
    const int32_t *t = mesh.elements[TAC_TRIANGLES].indices;
    double longest = 0, shortest = INFINITY;
    for (size_t i = 0; i < 3 * mesh.elements[TAC_TRIANGLES].count; i++) {
        size_t next = i % 3 == 2 ? i - 2 : i + 1;
        double edge =
            tac_norm(tac_sub(tac_load3(mesh.points + 3 * t[i]), tac_load3(mesh.points + 3 * t[next])));
        longest = fmax(longest, edge);
        shortest = fmin(shortest, edge);
    }
    // rays that meet the skin aslant make edges longer; near the middle they are shorter
    if (longest > 4 * 0.015 || shortest < 0.15 * 0.015) fail_msg("edges of %g to %g m", shortest, longest);
    tac_mesh_destroy(&mesh);
}

// Between two balls far apart a film would close up; it stays as far from the middle as from a ball.
static void test_a_neck_stays_open(void **state) {
    (void)state;
    const double balls[6] = {-1, 0.5, 0, 1, 0.5, 0}, middle[3] = {0, 0.5, 0};
    TacMesh mesh = wrapped((TacWrapDef){.balls = balls, .count = 2, .distance = 0.2, .spacing = 0.1});
    double neck = INFINITY;
    for (size_t i = 0; i < mesh.point_count; i++)
        neck = fmin(neck, nearest(middle, 1, tac_load3(mesh.points + 3 * i)));
    assert_near(neck, 0.2, 1e-9);
    tac_mesh_destroy(&mesh);
}

// A tight line around two discs is their convex hull: two half circles and two straight pieces.
static void test_a_flat_skin_is_tight(void **state) {
    (void)state;
    const double balls[6] = {-0.5, 0.2, 0, 0.5, 0.2, 0};
    TacMesh mesh =
        wrapped((TacWrapDef){.balls = balls, .count = 2, .distance = 0.3, .spacing = 0.02, .flat = true});
    double length = 0, area = 0;
    for (size_t i = 0; i < mesh.elements[TAC_EDGES].count; i++) {
        const int32_t *e = mesh.elements[TAC_EDGES].indices + 2 * i;
        TacVec3 a = tac_load3(mesh.points + 3 * e[0]), b = tac_load3(mesh.points + 3 * e[1]);
        assert_true(a.z == 0);
        length += tac_norm(tac_sub(b, a));
        area += 0.5 * (a.x * b.y - a.y * b.x);
    }
    assert_near(length, 2 + 2 * PI * 0.3, 0.002 * length);
    assert_near(area, 0.6 + PI * 0.09, 0.005 * area);
    tac_mesh_destroy(&mesh);
}

static void test_what_cannot_be_wrapped_is_refused(void **state) {
    (void)state;
    const double ball[3] = {0, 0, 0}, nowhere[3] = {0, NAN, 0}, far_away[6] = {0, 0, 0, 1e9, 0, 0};
    TacMesh mesh;
    TacError error = {0};
    const TacWrapDef bad[] = {{.balls = ball, .count = 0, .distance = 1, .spacing = 1},
                              {.balls = ball, .count = 1, .distance = 0, .spacing = 1},
                              {.balls = nowhere, .count = 1, .distance = 1, .spacing = 1},
                              {.balls = ball, .count = 1, .distance = 1, .spacing = 1e-9},
                              {.balls = ball, .count = 1, .distance = 1, .spacing = 1e-9, .flat = true},
                              {.balls = ball, .count = 1, .distance = 1, .spacing = 1.01},
                              {.balls = far_away, .count = 2, .distance = 1, .spacing = 1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(tac_wrap(&mesh, &bad[i], &error), TAC_BAD_INPUT);
    REFUSED(
        "<tactus version='1'><node name='a'><MaterialSkin around='~@/b/points' distance='1'/><Points/></node>"
        "<node name='b'><Points positions='0 0 0'/></node></tactus>",
        "before");
    REFUSED("<tactus version='1'><node name='b'><Frames positions='0 0 0 0 0 0 1'/></node><node "
            "name='a'><MaterialSkin "
            "around='~@/b/frames' distance='1'/><Points/></node></tactus>",
            "not points in space");
    REFUSED(
        "<tactus version='1'><node name='b'><Points positions='0 0 0'/></node><node name='a'>~<MaterialSkin "
        "around='@/b/points' distance='1' spacing='1e-7'/><Points/></node></tactus>",
        "edges");
}

// --- matter -----------------------------------------------------------------------------------------------

// A flat skin of n points around one ball: pushed out by k (s - d), held in by two links of K (l - l0) at the angle of a
// polygon. Both are linear in d, with l = 2 d sin(pi/n), so the place of balance is known.
static void test_tension_balances_what_is_inside(void **state) {
    (void)state;
    TacWorld *world =
        world_of("<tactus version='1' dt='0.001' gravity='0 0 0'><node name='drop'><SymplecticEuler/>"
                 "<node name='inside'><Points positions='0 0 0'/><UniformMass mass='1'/></node>"
                 "<node name='skin'><MaterialSkin name='skin' around='@/drop/inside/points' distance='0.5' "
                 "spacing='0.1' "
                 "tension='0.3' flat='true'/><Points rest='@skin.rest'/><UniformMass mass='0.01'/>"
                 "<Springs stiffness='200' damping='0.1'/><Damping coefficient='0.05'/>"
                 "<Liaisons matter='@points' other='@/drop/inside/points' slopes='0 -40' thresholds='0 0.5' "
                 "zero='0.5'/>"
                 "</node></node></tactus>");
    TacError error;
    assert_int_equal(tac_world_advance(world, 10, &error), TAC_OK);
    TacComponentId skin = tac_world_find(world, "/drop/skin/points");
    size_t n = tac_world_point_count(world, skin);
    const double *x = tac_world_positions(world, skin);
    const double s = sin(PI / (double)n), rest = 2 * 0.5 * s * 0.7;
    // k (S - d) = 2 s K (2 d s - l0)
    double expected = (40 * 0.5 + 2 * s * 200 * rest) / (40 + 4 * s * s * 200);
    assert_true(expected < 0.49 && expected > 0.3);
    for (size_t i = 0; i < n; i++) assert_near(hypot(x[3 * i], x[3 * i + 1]), expected, 1e-6);
    tac_world_destroy(world);
}

// Springs to where the skin is at rest bring it there: smaller by its tension about the middle of its own points. It
// has points every half distance when nobody says how far apart.
static void test_rest_is_smaller_about_the_middle(void **state) {
    (void)state;
    const double balls[6] = {1, 2, 0, 1.4, 2, 0};
    TacWorld *world = world_of(
        "<tactus version='1' dt='0.01' gravity='0 0 0'><node name='n'><SymplecticEuler/><node name='inside'>"
        "<Points positions='1 2 0 1.4 2 0'/><UniformMass/></node><node name='skin'><MaterialSkin name='skin' "
        "around='@/n/inside/points' distance='0.5' tension='0.3' flat='true'/><Points rest='@skin.rest'/>"
        "<UniformMass mass='1'/><RestSprings stiffness='20'/><Damping "
        "coefficient='6'/></node></node></tactus>");
    TacMesh mesh =
        wrapped((TacWrapDef){.balls = balls, .count = 2, .distance = 0.5, .spacing = 0.25, .flat = true});
    TacComponentId skin = tac_world_find(world, "/n/skin/points");
    TacError error = {0};
    size_t n = tac_world_point_count(world, skin);
    assert_int_equal(n, mesh.point_count);
    if (tac_world_advance(world, 20, &error) != TAC_OK) fail_msg("%s", error.message);
    const double *x = tac_world_positions(world, skin);
    TacVec3 middle = tac_vec3(0, 0, 0);
    for (size_t i = 0; i < n; i++) middle = tac_axpy(middle, 1 / (double)n, tac_load3(mesh.points + 3 * i));
    for (size_t i = 0; i < n; i++) {
        TacVec3 rest = tac_axpy(middle, 0.7, tac_sub(tac_load3(mesh.points + 3 * i), middle));
        assert_near(tac_norm(tac_sub(rest, tac_load3(x + 3 * i))), 0, 1e-9);
    }
    tac_mesh_destroy(&mesh);
    tac_world_destroy(world);
}

// What a skin hands on to others: a line of springs along all its edges pulls every point of a circle alike; a pressure
// on all its triangles blows it up without pushing it away.
static void test_others_take_its_points_and_links(void **state) {
    (void)state;
    TacError error = {0};
    TacWorld *world = world_of(
        "<tactus version='1' dt='0.01' gravity='0 0 0'><node name='n'><SymplecticEuler/><node name='inside'>"
        "<Points positions='1 2 0'/><UniformMass/></node>"
        "<node name='line'><MaterialSkin name='skin' around='@/n/inside/points' distance='0.5' flat='true'/>"
        "</node><node name='a'><Points positions='@/n/line/skin.points'/><UniformMass mass='1'/>"
        "<Springs pairs='@/n/line/skin.edges' stiffness='1' lengths='0.1'/></node>"
        "<node name='net'><MaterialSkin name='skin' around='@/n/inside/points' distance='0.5'/></node>"
        "<node name='b'><Mesh at='@/n/net/skin.points' with_triangles='@/n/net/skin.triangles'/><Points/>"
        "<UniformMass mass='1'/><Pressure pressure='1'/></node></node></tactus>");
    TacComponentId line = tac_world_find(world, "/n/a/points"), net = tac_world_find(world, "/n/b/points");
    if (tac_world_advance_beats(world, 1, &error) != TAC_OK) fail_msg("%s", error.message);
    size_t n = tac_world_point_count(world, line);
    const double *x = tac_world_positions(world, line), *v = tac_world_velocities(world, line);
    // edges of a polygon: two pulls of (2 r sin(pi/n) - 0.1) N at the angle of its corners
    double pull = 2 * sin(PI / (double)n) * (2 * 0.5 * sin(PI / (double)n) - 0.1) * 0.01;
    for (size_t i = 0; i < n; i++) {
        TacVec3 out = tac_sub(tac_load3(x + 3 * i), tac_vec3(1, 2, 0));
        assert_near(tac_dot(out, tac_load3(v + 3 * i)) / tac_norm(out), -pull, 1e-9);
    }
    n = tac_world_point_count(world, net);
    x = tac_world_positions(world, net);
    v = tac_world_velocities(world, net);
    TacVec3 sum = tac_vec3(0, 0, 0);
    for (size_t i = 0; i < n; i++) {
        sum = tac_add(sum, tac_load3(v + 3 * i));
        assert_true(tac_dot(tac_sub(tac_load3(x + 3 * i), tac_vec3(1, 2, 0)), tac_load3(v + 3 * i)) > 0);
    }
    assert_near(tac_norm(sum), 0, 1e-12);
    tac_world_destroy(world);
}

// A drop in its skin falls on a floor: no ball leaves it, and no point of the skin is lost.
static void test_a_skin_holds_a_falling_drop(void **state) {
    (void)state;
    TacWorld *world = world_of(
        "<tactus version='1' dt='0.0005'><node name='drop'><SymplecticEuler/><node name='inside'>"
        "<BallFill shape='sphere' radius='0.05' ball_radii='0.015' translation='0 0.1 0'/><Points/>"
        "<UniformMass mass='0.002'/><Liaisons fit='lennard-jones' depth='0.0005' distance='0.024' "
        "exponent='4' "
        "viscosity='0.05'/><Plane offset='0' stiffness='200' damping='0.4' radius='0.018'/></node>"
        "<node name='skin'><MaterialSkin name='skin' around='@/drop/inside/points' distance='0.02' "
        "spacing='0.015' "
        "tension='0.3'/><Points rest='@skin.rest'/><UniformMass mass='0.0002'/><Springs stiffness='6' "
        "damping='0.004'/><Liaisons matter='@points' other='@/drop/inside/points' slopes='0 -250' "
        "thresholds='0 0.02' zero='0.02' viscosity='0.02'/><Plane offset='0' stiffness='40' "
        "damping='0.02'/></node>"
        "</node></tactus>");
    TacComponentId inside = tac_world_find(world, "/drop/inside/points"),
                   skin = tac_world_find(world, "/drop/skin/points");
    TacError error;
    size_t balls = tac_world_point_count(world, inside);
    // the same wrap around the same start has the triangles
    TacMesh mesh = wrapped((TacWrapDef){
        .balls = tac_world_positions(world, inside), .count = balls, .distance = 0.02, .spacing = 0.015});
    assert_int_equal(mesh.point_count, tac_world_point_count(world, skin));
    for (int i = 0; i < 10; i++) {
        assert_int_equal(tac_world_advance(world, 0.08, &error), TAC_OK);
        const double *x = tac_world_positions(world, inside), *y = tac_world_positions(world, skin);
        for (size_t b = 0; b < balls; b++)
            assert_near(turns_around(y, mesh.elements[TAC_TRIANGLES].indices,
                                     mesh.elements[TAC_TRIANGLES].count, tac_load3(x + 3 * b)),
                        1, 1e-6);
    }
    tac_mesh_destroy(&mesh);
    tac_world_destroy(world);
}

// --- model files ------------------------------------------------------------------------------------------

static TacWorld *world_of_model(const char *text) {
    TacScene *scene;
    TacWorld *world;
    TacError error = {0};
    assert_int_equal(tac_scene_create(&scene, &error), TAC_OK);
    if (tac_scene_parse(scene, "model.ca", text, strlen(text), &error) != TAC_OK)
        fail_msg("%d:%d: %s", error.line, error.column, error.message);
    TacWorldDef def = tac_world_def_default();
    if (tac_world_create(&world, scene, &def, &error) != TAC_OK) fail_msg("%s", error.message);
    tac_scene_destroy(scene);
    return world;
}

// At rest, pulls along the net and pushes from inside balance in every point; so they do in the sum of all, each
// multiplied with its place (Clausius): what links pull times their lengths is what balls push times their distances.
static void test_a_model_file_has_a_skin(void **state) {
    (void)state;
    const double k = 30, inner = 400, reach = 0.3, tension = 0.25,
                 balls[9] = {0, 0, 0, 0.3, 0.1, 0, 0.1, 0.2, 0.2};
    TacWorld *world =
        world_of_model("RATE 2000\nVISCOSITY .05\nDEFMASS m 1\nDEFMASS m_skin .01\n"
                       "DEFFI fi_skin 1 (-30,0) [0]\nVISCFI fi_skin .05\n"
                       "DEFFI fi_inside 2 (0,0) (-400,.3) [.3]\n"
                       "DEFMOB heap 3 m\nPOSIT heap (0,0,0) (.3,.1,0) (.1,.2,.2)\nHOLD heap\n"
                       "DEFSKIN skin heap m_skin fi_skin .3 [.25]\nLINKGRP skin heap fi_inside\n"
                       "COLOUR skin (1,.5,0)\n");
    TacError error = {0};
    TacMesh mesh =
        wrapped((TacWrapDef){.balls = balls, .count = 3, .distance = reach, .spacing = 0.5 * reach});
    TacComponentId skin = tac_world_find(world, "/skin/balls");
    const double *x = tac_world_positions(world, skin);
    assert_int_equal(tac_world_point_count(world, skin), mesh.point_count);
    assert_memory_equal(x, mesh.points, 3 * mesh.point_count * sizeof *x);
    if (tac_world_advance(world, 8, &error) != TAC_OK) fail_msg("%s", error.message);
    x = tac_world_positions(world, skin);
    double pulled = 0, pushed = 0;
    for (size_t t = 0; t < 3 * mesh.elements[TAC_TRIANGLES].count; t++) {
        int32_t a = mesh.elements[TAC_TRIANGLES].indices[t];
        int32_t b = mesh.elements[TAC_TRIANGLES].indices[t % 3 == 2 ? t - 2 : t + 1];
        double now = tac_norm(tac_sub(tac_load3(x + 3 * a), tac_load3(x + 3 * b)));
        double start = tac_norm(tac_sub(tac_load3(mesh.points + 3 * a), tac_load3(mesh.points + 3 * b)));
        // each edge stands in two triangles
        pulled += 0.5 * k * (now - (1 - tension) * start) * now;
    }
    for (size_t i = 0; i < mesh.point_count; i++)
        for (size_t b = 0; b < 3; b++) {
            TacVec3 p = tac_load3(x + 3 * i), d = tac_sub(p, tac_load3(balls + 3 * b));
            double away = tac_norm(d);
            if (away < reach) pushed += inner * (reach - away) * tac_dot(d, p) / away;
        }
    assert_true(pulled > 0.1);
    assert_near(pulled, pushed, 1e-5 * pulled);
    tac_mesh_destroy(&mesh);
    tac_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_single_ball_has_a_round_skin),
        cmocka_unit_test(test_a_heap_is_inside_and_nothing_comes_near),
        cmocka_unit_test(test_a_neck_stays_open),
        cmocka_unit_test(test_a_flat_skin_is_tight),
        cmocka_unit_test(test_what_cannot_be_wrapped_is_refused),
        cmocka_unit_test(test_tension_balances_what_is_inside),
        cmocka_unit_test(test_rest_is_smaller_about_the_middle),
        cmocka_unit_test(test_others_take_its_points_and_links),
        cmocka_unit_test(test_a_skin_holds_a_falling_drop),
        cmocka_unit_test(test_a_model_file_has_a_skin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
