// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// From a scene to a world: scenes built by calls, and the rules of ownership (src/scene/compile.h): who moves
// what, what is refused, which laws keep their own clock.

#define _GNU_SOURCE
#include "scene_checks.h"

#include <math.h>

// --- building by calls
// --------------------------------------------------------------------------------------

static void test_handles_have_generations(void **state) {
    (void)state;
    TacScene *s = empty_scene();
    TacError error = {0};
    TacNodeId a, b, again;
    TacComponentId points, mass, other;
    assert_true(tac_scene_exists(s, tac_scene_world(s)));
    assert_false(tac_scene_exists(s, (TacComponentId){0, 0}));
    assert_false(tac_scene_node_exists(s, (TacNodeId){99, 1}));
    assert_int_equal(tac_scene_add_node(s, tac_scene_root(s), "a", &a, &error), TAC_OK);
    assert_int_equal(tac_scene_add_node(s, a, "b", &b, &error), TAC_OK);
    assert_int_equal(tac_scene_add(s, b, "Points", NULL, &points, &error), TAC_OK);
    assert_int_equal(tac_scene_add(s, b, "UniformMass", "m", &mass, &error), TAC_OK);
    assert_string_equal(tac_scene_name(s, points), "points");

    // a removed component's handle is refused by everything, and its name is free again
    assert_int_equal(tac_scene_remove(s, mass, &error), TAC_OK);
    assert_false(tac_scene_exists(s, mass));
    assert_int_equal(tac_scene_set(s, mass, "mass", "1", &error), TAC_BAD_USAGE);
    assert_int_equal(tac_scene_remove(s, mass, &error), TAC_BAD_USAGE);
    assert_null(tac_scene_name(s, mass));
    assert_null(tac_scene_class_of(s, mass));
    assert_int_equal(tac_scene_add(s, b, "UniformMass", "m", &other, &error), TAC_OK);
    assert_false(tac_scene_exists(s, mass));
    assert_true(tac_scene_exists(s, other));

    // a removed node takes all below with it
    assert_int_equal(tac_scene_remove_node(s, a, &error), TAC_OK);
    assert_false(tac_scene_node_exists(s, a));
    assert_false(tac_scene_node_exists(s, b));
    assert_false(tac_scene_exists(s, points));
    assert_int_equal(tac_scene_add(s, b, "Points", NULL, &other, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_scene_add_node(s, b, "x", &again, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_scene_add_node(s, tac_scene_root(s), "a", &again, &error), TAC_OK);
    assert_false(tac_scene_node_exists(s, a));
    assert_int_equal(tac_scene_nodes(s, NULL, 0), 2);

    // the root and the world stay
    assert_int_equal(tac_scene_remove_node(s, tac_scene_root(s), &error), TAC_BAD_USAGE);
    assert_int_equal(tac_scene_remove(s, tac_scene_world(s), &error), TAC_BAD_USAGE);
    tac_scene_destroy(s);
}

static void test_names_made_and_refused(void **state) {
    (void)state;
    TacScene *s = empty_scene();
    TacError error = {0};
    TacNodeId n;
    TacComponentId c[4], bad;
    assert_int_equal(tac_scene_add_node(s, tac_scene_root(s), NULL, &n, &error), TAC_OK);
    assert_string_equal(tac_scene_node_name(s, n), "node");
    for (int i = 0; i < 3; i++) assert_int_equal(tac_scene_add(s, n, "Plane", "", &c[i], &error), TAC_OK);
    assert_string_equal(tac_scene_name(s, c[0]), "plane");
    assert_string_equal(tac_scene_name(s, c[1]), "plane1");
    assert_string_equal(tac_scene_name(s, c[2]), "plane2");
    assert_int_equal(tac_scene_add(s, n, "Plane", "plane3", &c[3], &error), TAC_OK);
    assert_int_equal(tac_scene_add(s, n, "Plane", NULL, &c[3], &error), TAC_OK);
    assert_string_equal(tac_scene_name(s, c[3]), "plane4");
    assert_int_equal(tac_scene_add(s, n, "Plane", "plane", &bad, &error), TAC_BAD_INPUT);
    assert_int_equal(tac_scene_add(s, n, "Plane", "a b", &bad, &error), TAC_BAD_INPUT);
    assert_true(bad.index1 == 0);
    assert_int_equal(tac_scene_add(s, n, "Plan", NULL, &bad, &error), TAC_BAD_INPUT);
    assert_non_null(strstr(error.message, "did you mean \"Plane\"?"));
    tac_scene_destroy(s);
}

static void test_setting_values(void **state) {
    (void)state;
    TacScene *s = empty_scene();
    TacError error = {0};
    TacNodeId n;
    TacComponentId points, springs;
    const double x[] = {0, 0, 0, 1, 0, 0}, wrong[] = {0, NAN, 0};
    const int32_t pairs[] = {0, 1}, negative[] = {0, -1};
    assert_int_equal(tac_scene_add_node(s, tac_scene_root(s), "n", &n, &error), TAC_OK);
    assert_int_equal(tac_scene_add(s, n, "Points", NULL, &points, &error), TAC_OK);
    assert_int_equal(tac_scene_add(s, n, "Springs", NULL, &springs, &error), TAC_OK);
    assert_int_equal(tac_scene_set_reals(s, points, "positions", x, 6, &error), TAC_OK);
    assert_int_equal(tac_scene_set_reals(s, points, "positions", wrong, 3, &error), TAC_BAD_INPUT);
    assert_int_equal(tac_scene_set_reals(s, points, "scale", x, 6, &error), TAC_BAD_INPUT);
    assert_int_equal(tac_scene_set_reals(s, points, "scale", x + 3, 3, &error), TAC_OK);
    assert_int_equal(tac_scene_set_reals(s, springs, "pairs", x, 2, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_scene_set_ints(s, springs, "pairs", pairs, 2, &error), TAC_OK);
    assert_int_equal(tac_scene_set_ints(s, springs, "pairs", negative, 2, &error), TAC_BAD_INPUT);
    assert_int_equal(tac_scene_set_ints(s, springs, "stiffness", pairs, 2, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_scene_set(s, springs, "stifness", "1", &error), TAC_BAD_INPUT);
    assert_non_null(strstr(error.message, "did you mean \"stiffness\"?"));
    assert_int_equal(error.line, 0);

    assert_int_equal(tac_scene_set_by_path(s, "/n/springs.stiffness=4", &error), TAC_OK);
    assert_int_equal(tac_scene_set_by_path(s, "/n/sprigs.stiffness=4", &error), TAC_BAD_INPUT);
    assert_non_null(strstr(error.message, "did you mean /n/springs?"));
    assert_int_equal(tac_scene_set_by_path(s, "/n/springs.stiffness", &error), TAC_BAD_USAGE);
    assert_int_equal(tac_scene_set_by_path(s, "n/springs.stiffness=1", &error), TAC_BAD_USAGE);
    assert_int_equal(tac_scene_set_by_path(s, "/n/springs=1", &error), TAC_BAD_USAGE);
    assert_int_equal(tac_scene_set_by_path(s, "/world.dt=0.5", &error), TAC_OK);

    TacComponentId found = tac_scene_find(s, "/n/springs");
    assert_true(found.index1 == springs.index1 && found.generation == springs.generation);
    assert_true(tac_scene_find(s, "/n/nothing").index1 == 0);
    assert_true(tac_scene_find(s, "/n").index1 == 0);
    assert_true(tac_scene_find(s, "").index1 == 0);
    assert_true(tac_scene_find_node(s, "/n").index1 == n.index1);
    assert_true(tac_scene_find_node(s, "/x").index1 == 0);
    tac_scene_destroy(s);
}

// The same scene by calls and from text is the same world, bit by bit; and a scene outlives being compiled.
static void test_calls_and_text_agree(void **state) {
    (void)state;
    const char *text =
        "<tactus version='1' dt='0.01' gravity='0 -3 0.1'><node name='n'><ImplicitEuler damping_mass='0.1'/>"
        "<Points positions='0 0 0 1 0 0 1 1 0.3' velocities='0 0 1'/><UniformMass mass='0.1'/>"
        "<Springs pairs='0 1 1 2 0 2' stiffness='100 50 25' damping='0.1'/>"
        "<FixedPoints points='0'/></node></tactus>";
    TacWorld *from_text = world_of(text);

    TacScene *s = empty_scene();
    TacError error = {0};
    TacNodeId n;
    TacComponentId c;
    const double x[] = {0, 0, 0, 1, 0, 0, 1, 1, 0.3}, k[] = {100, 50, 25}, v[] = {0, 0, 1};
    const int32_t pairs[] = {0, 1, 1, 2, 0, 2};
    assert_int_equal(tac_scene_set(s, tac_scene_world(s), "gravity", "0 -3 0.1", &error), TAC_OK);
    assert_int_equal(tac_scene_add_node(s, tac_scene_root(s), "n", &n, &error), TAC_OK);
    assert_int_equal(tac_scene_add(s, n, "ImplicitEuler", NULL, &c, &error), TAC_OK);
    assert_int_equal(tac_scene_set(s, c, "damping_mass", "0.1", &error), TAC_OK);
    assert_int_equal(tac_scene_add(s, n, "Points", NULL, &c, &error), TAC_OK);
    assert_int_equal(tac_scene_set_reals(s, c, "positions", x, 9, &error), TAC_OK);
    assert_int_equal(tac_scene_set_reals(s, c, "velocities", v, 3, &error), TAC_OK);
    assert_int_equal(tac_scene_add(s, n, "UniformMass", NULL, &c, &error), TAC_OK);
    assert_int_equal(tac_scene_set_by_path(s, "/n/uniformMass.mass=0.1", &error), TAC_OK);
    assert_int_equal(tac_scene_add(s, n, "Springs", NULL, &c, &error), TAC_OK);
    assert_int_equal(tac_scene_set_ints(s, c, "pairs", pairs, 6, &error), TAC_OK);
    assert_int_equal(tac_scene_set_reals(s, c, "stiffness", k, 3, &error), TAC_OK);
    assert_int_equal(tac_scene_set_reals(s, c, "damping", v + 2, 1, &error), TAC_OK);
    assert_int_equal(tac_scene_set(s, c, "damping", "0.1", &error), TAC_OK);
    assert_int_equal(tac_scene_add(s, n, "FixedPoints", NULL, &c, &error), TAC_OK);
    assert_int_equal(tac_scene_set(s, c, "points", "0", &error), TAC_OK);

    TacWorldDef def = tac_world_def_default();
    TacWorld *w[3];
    assert_int_equal(tac_world_create(&w[0], s, &def, &error), TAC_OK);
    assert_int_equal(tac_world_create(&w[1], s, &def, &error), TAC_OK);
    assert_int_equal(tac_scene_set_by_path(s, "/n/uniformMass.mass=0.2", &error), TAC_OK);
    assert_int_equal(tac_world_create(&w[2], s, &def, &error), TAC_OK);
    tac_scene_destroy(s);
    uint64_t start = tac_world_hash(from_text);
    assert_int_equal(tac_world_advance_beats(from_text, 50, &error), TAC_OK);
    for (int i = 0; i < 3; i++) assert_int_equal(tac_world_advance_beats(w[i], 50, &error), TAC_OK);
    assert_true(tac_world_hash(from_text) != start);
    assert_true(tac_world_hash(w[0]) == tac_world_hash(from_text));
    assert_true(tac_world_hash(w[1]) == tac_world_hash(from_text));
    assert_true(tac_world_hash(w[2]) != tac_world_hash(from_text));
    for (int i = 0; i < 3; i++) tac_world_destroy(w[i]);
    tac_world_destroy(from_text);
}

// --- what is refused
// ----------------------------------------------------------------------------------------

#define CARRIED                                                                                              \
    "<node name='body'><SymplecticEuler/><Frames name='f'/><UniformMass/>"                                   \
    "<node name='skin'><Points name='p' positions='1 0 0 0 1 0'/><RigidMap/>%s</node></node>"

static char *in_skin(const char *component) {
    static char text[1024];
    snprintf(text, sizeof text, SCENE(CARRIED), component);
    return text;
}

static void test_mapped_matter(void **state) {
    (void)state;
    REFUSED(in_skin("~<UniformMass/>"), "/body/skin/p follows /body/f", "/body/uniformMass", "one level");
    REFUSED(in_skin("~<FixedPoints points='0'/>"), "/body/skin/p follows other matter", "constrain /body/f");
    REFUSED(in_skin("~<RigidMap/>"), "/body/skin/p follows already", "/body/skin/rigidMap");
    REFUSED(SCENE("<node name='n'><Points name='a' positions='0 0 0'/>~<IdentityMap parent='@a'/></node>"),
            "cannot follow itself");
    REFUSED(SCENE("<node name='n'><Points positions='0 0 0'/>~<IdentityMap/></node>"),
            "found no matter above");
}

static void test_mass_is_needed(void **state) {
    (void)state;
    REFUSED(IN_NODE("<SymplecticEuler name='s'/>\n~<Points positions='0 0 0'/>"), "/n/s moves it",
            "add a UniformMass or DiagonalMass");
    REFUSED(SCENE("<SymplecticEuler/><node name='a'>~<Points positions='0 0 0'/></node>"), "needs a mass");
    REFUSED(SMALL_AGENT("~<UniformMass name='second'/>"), "has a mass already: /n/uniformMass");
    // nothing moves what is held whole, so it weighs nothing
    tac_world_destroy(world_of(IN_NODE("<SymplecticEuler/>" THREE_POINTS "<FixedPoints points='0-2'/>")));
    // nor what no solver moves
    tac_world_destroy(world_of(IN_NODE(THREE_POINTS)));
}

static void test_one_solver_in_a_node(void **state) {
    (void)state;
    REFUSED(SMALL_AGENT("~<ImplicitEuler/>"), "has a solver already: /n/symplecticEuler");
    // one inside another is an agent of its own
    TacWorld *w = world_of(SCENE("<SymplecticEuler/><node name='a'><Points positions='0 0 0'/><UniformMass/>"
                                 "<node name='b'><ImplicitEuler/><Points positions='0 0 0 1 0 0'/>"
                                 "<UniformMass/></node></node>"));
    assert_int_equal(tac_world_stats(w).agents, 2);
    assert_string_equal(tac_world_agent(w, 0).name, "/");
    assert_int_equal(tac_world_agent(w, 0).points, 1);
    assert_string_equal(tac_world_agent(w, 1).name, "/a/b");
    assert_string_equal(tac_world_agent(w, 1).solver, "ImplicitEuler");
    assert_int_equal(tac_world_agent(w, 1).points, 2);
    tac_world_destroy(w);
}

static void test_idle_solver_is_remarked(void **state) {
    (void)state;
    TacScene *s = empty_scene();
    TacError error;
    TacWorld *w = try_text(
        s,
        SCENE("<node name='a'>\n<SymplecticEuler/></node>"
              "<node name='b'><SymplecticEuler/>" THREE_POINTS "<UniformMass/></node>"
              "<node name='c'><SymplecticEuler/></node><node name='d'><SymplecticEuler/>" THREE_POINTS
              "<UniformMass/></node>"),
        &error);
    assert_non_null(w);
    assert_int_equal(tac_scene_message_count(s), 2);
    assert_false(tac_scene_message(s, 0)->is_error);
    assert_int_equal(tac_scene_message(s, 0)->error.line, 2);
    assert_non_null(strstr(tac_scene_message(s, 0)->error.message, "/a/symplecticEuler"));
    assert_non_null(strstr(tac_scene_message(s, 1)->error.message, "/c/symplecticEuler"));
    tac_world_destroy(w);
    tac_scene_destroy(s);
}

static void test_gravity_comes_before_its_mass(void **state) {
    (void)state;
    REFUSED(IN_NODE(THREE_POINTS "~<UniformMass/><Gravity acceleration='0 0 0'/>"), "comes later",
            "move it before");
    TacWorld *w = world_of(SCENE("<Gravity acceleration='0 -1 0'/><node name='a'><Gravity acceleration='2 0 "
                                 "0'/><node name='b'><Points positions='0 0 0'/><UniformMass/></node></node>"
                                 "<node name='c'><Points positions='0 0 0'/><UniformMass/></node>"));
    TacError error;
    assert_int_equal(tac_world_advance(w, 1, &error), TAC_OK);
    const double *b = tac_world_velocities(w, tac_world_find(w, "/a/b/points"));
    assert_true(fabs(b[0] - 2) < 1e-12 && b[1] == 0);
    const double *c = tac_world_velocities(w, tac_world_find(w, "/c/points"));
    assert_true(fabs(c[1] + 1) < 1e-12 && c[0] == 0);
    tac_world_destroy(w);
}

// --- maps
// ---------------------------------------------------------------------------------------------------

// A chain of three maps is followed from the top down, whatever the order of matter and maps in the file.
static void test_map_chain_in_any_order(void **state) {
    (void)state;
    const char *matter[] = {"<Points name='a' positions='1 0 0 2 0 0 3 0 0'/>",
                            "<Points name='b' positions='0 0 0 0 0 0'/>",
                            "<Points name='c' positions='0 0 0'/>"};
    const char *maps[] = {"<RigidMap parent='@/n/f' child='@a'/>",
                          "<SubsetMap parent='@a' child='@b' points='0 2'/>",
                          "<SubsetMap parent='@b' child='@c' points='1'/>"};
    double first[3];
    for (int order = 0; order < 4; order++) {
        int m = order & 1 ? 2 : 0, p = order & 2 ? 2 : 0;
        char text[1024];
        snprintf(text, sizeof text,
                 "<tactus version='1' gravity='0 0 0' dt='0.01'><node name='n'><SymplecticEuler/>"
                 "<Frames name='f' velocities='1 0 0 0 0 2'/><UniformMass/></node>%s%s%s%s%s%s</tactus>",
                 matter[m], matter[1], matter[2 - m], maps[p], maps[1], maps[2 - p]);
        TacWorld *w = world_of(text);
        TacError error;
        const double *x = tac_world_positions(w, tac_world_find(w, "/c"));
        assert_true(x[0] == 3 && x[1] == 0);
        assert_int_equal(tac_world_advance(w, 0.25, &error), TAC_OK);
        // the frame has moved by 0.25 and turned by half a radian
        x = tac_world_positions(w, tac_world_find(w, "/c"));
        assert_true(fabs(x[0] - (0.25 + 3 * cos(0.5))) < 1e-9);
        assert_true(fabs(x[1] - 3 * sin(0.5)) < 1e-9);
        if (order == 0) memcpy(first, x, sizeof first);
        assert_memory_equal(x, first, sizeof first);
        tac_world_destroy(w);
    }
}

static void test_upward_chain_is_remarked(void **state) {
    (void)state;
    TacScene *s = empty_scene();
    TacError error;
    TacWorld *w = try_text(s,
                           SCENE("<Points name='a' positions='0 0 0'/><Points name='b' positions='0 0 0'/>"
                                 "<Points name='c' positions='0 0 0'/>\n"
                                 "<IdentityMap parent='@b' child='@c'/>\n"
                                 "<IdentityMap parent='@a' child='@b'/>"),
                           &error);
    assert_non_null(w);
    assert_int_equal(tac_scene_message_count(s), 1);
    assert_int_equal(tac_scene_message(s, 0)->error.line, 2);
    assert_non_null(strstr(tac_scene_message(s, 0)->error.message, "from the top down"));
    tac_world_destroy(w);
    tac_scene_destroy(s);
}

static void test_circles_of_maps(void **state) {
    (void)state;
    TacScene *s = empty_scene();
    TacError error;
    assert_null(try_text(s,
                         SCENE("<Points name='a' positions='0 0 0'/><Points name='b' positions='0 0 0'/>"
                               "<Points name='c' positions='0 0 0'/>"
                               "<IdentityMap parent='@a' child='@b'/><IdentityMap parent='@b' child='@c'/>"
                               "<IdentityMap parent='@c' child='@a'/>"),
                         &error));
    assert_int_equal(error.status, TAC_BAD_INPUT);
    assert_true(error.line == 1 && error.column > 0);
    assert_non_null(strstr(error.message, "circle"));
    tac_scene_destroy(s);
}

// `links` maps under each other, written from the bottom up, with a law at the bottom on its own clock.
static TacWorld *long_chain(int links, TacError *error) {
    char *text = calloc(1, 200 * (size_t)links + 500);
    assert_non_null(text);
    char *p = text + sprintf(text, "<tactus version='1'>");
    for (int i = 0; i <= links; i++) p += sprintf(p, "<Points name='p%d' positions='0 0 0'/>", i);
    p += sprintf(p, "<UniformMass matter='@p0'/>");
    for (int i = links; i > 0; i--) p += sprintf(p, "<IdentityMap parent='@p%d' child='@p%d'/>", i - 1, i);
    sprintf(p, "<ConstantForce matter='@p%d' force='0 9.81 0'/></tactus>", links);
    TacScene *s = empty_scene();
    TacWorld *w = try_text(s, text, error);
    tac_scene_destroy(s);
    free(text);
    return w;
}

static void test_long_chains(void **state) {
    (void)state;
    TacError error;
    TacWorld *w = long_chain(64, &error);
    assert_non_null(w);
    assert_int_equal(tac_world_advance(w, 1, &error), TAC_OK);
    // gravity is met by the force at the other end
    assert_true(fabs(tac_world_positions(w, tac_world_find(w, "/p64"))[1]) < 0.06);
    tac_world_destroy(w);
    assert_null(long_chain(65, &error));
    assert_non_null(strstr(error.message, "longer than 64"));
    assert_null(long_chain(1000, &error));
}

// --- laws on their own clock
// --------------------------------------------------------------------------------

#define TWO_AGENTS                                                                                           \
    "<node name='a'><SymplecticEuler step='0.02'/><Points positions='0 0 0'/><UniformMass/></node>"          \
    "<node name='b'><ImplicitEuler/><Points positions='2 0 0'/><UniformMass mass='3'/></node>"

static void test_law_between_two_agents(void **state) {
    (void)state;
    TacWorld *w = world_of(
        "<tactus version='1' dt='0.01' gravity='0 0 0'>" TWO_AGENTS
        "<Springs name='tie' matter='@/a/points' other='@/b/points' pairs='0 0' stiffness='10' lengths='1' "
        "period='0.003'/></tactus>");
    TacWorldStats stats = tac_world_stats(w);
    assert_int_equal(stats.agents, 2);
    assert_int_equal(stats.free_laws, 1);
    TacAgentInfo law = tac_world_agent(w, 2);
    assert_true(law.is_law);
    assert_string_equal(law.name, "/tie");
    assert_string_equal(law.solver, "Springs");
    // rounded down to the beat over a power of two
    assert_true(law.on_ruler && fabs(law.step - 0.0025) < 1e-15);
    TacError error;
    assert_int_equal(tac_world_advance(w, 0.5, &error), TAC_OK);
    assert_int_equal(tac_world_agent(w, 2).kicks, 200);
    assert_int_equal(tac_world_agent(w, 0).kicks, 25);
    assert_int_equal(tac_world_agent(w, 1).kicks, 50);
    // it pulls both alike
    TacMomentum m = tac_world_momentum(w);
    const double *v = tac_world_velocities(w, tac_world_find(w, "/a/points"));
    assert_true(v[0] > 0.1);
    assert_true(tac_norm(m.linear) < 1e-12);
    tac_world_destroy(w);
}

// A law whose matter, at the roots of its maps, has one owner is part of that agent.
static void test_law_inside_an_agent(void **state) {
    (void)state;
    char text[1024];
    snprintf(text, sizeof text, SCENE(CARRIED), "<Springs pairs='0 1' stiffness='1' period='0.001'/>");
    TacWorld *w = world_of(text);
    assert_int_equal(tac_world_stats(w).agents, 1);
    assert_int_equal(tac_world_stats(w).free_laws, 0);
    tac_world_destroy(w);
    // and one on matter that nobody owns is on its own clock, which is the beat
    w = world_of(IN_NODE(THREE_POINTS "<UniformMass/><Springs pairs='0 1' stiffness='1'/>"));
    assert_int_equal(tac_world_stats(w).agents, 0);
    assert_int_equal(tac_world_stats(w).free_laws, 1);
    assert_true(tac_world_agent(w, 0).step == 0.01);
    tac_world_destroy(w);
}

static void test_law_on_wrong_matter(void **state) {
    (void)state;
    REFUSED(SCENE("~<Plane/>"), "found no matter in its node or above", "put Points or Frames before it");
    REFUSED(
        SCENE("<node name='n'><Frames/><Grid split='true'/><UniformMass/>~<Tetrahedra young='1'/></node>"),
        "/n/frames is Rigid3", "this works on Vec3");
    REFUSED(SCENE("<node name='a'><Points positions='0 0 0'/><UniformMass/></node><node name='b'><Points "
                  "dimension='2' positions='0 0'/><UniformMass/><Springs stiffness='1' pairs='0 0' "
                  "other='~@/a/points'/></node>"),
            "/b/points is Vec2 but /a/points is Vec3");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_handles_have_generations),
        cmocka_unit_test(test_names_made_and_refused),
        cmocka_unit_test(test_setting_values),
        cmocka_unit_test(test_calls_and_text_agree),
        cmocka_unit_test(test_mapped_matter),
        cmocka_unit_test(test_mass_is_needed),
        cmocka_unit_test(test_one_solver_in_a_node),
        cmocka_unit_test(test_idle_solver_is_remarked),
        cmocka_unit_test(test_gravity_comes_before_its_mass),
        cmocka_unit_test(test_map_chain_in_any_order),
        cmocka_unit_test(test_upward_chain_is_remarked),
        cmocka_unit_test(test_circles_of_maps),
        cmocka_unit_test(test_long_chains),
        cmocka_unit_test(test_law_between_two_agents),
        cmocka_unit_test(test_law_inside_an_agent),
        cmocka_unit_test(test_law_on_wrong_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
