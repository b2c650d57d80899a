// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What can be seen of a world (world/look.h): tensions and stresses against Hooke's law, layers against the gaps they
// belong to, flight plans and boxes against where vertices are, edges of k-DOPs against solids with known edges; and what
// looking and selecting do (the user's focus).

#define _GNU_SOURCE
#include "agent/wire.h"
#include "contact/safe_look.h"
#include "law/stress.h"
#include "look_checks.h"

// --- tension ----------------------------------------------------------------------------------------------

static void test_springs_show_their_pull(void **state) {
    (void)state;
    TacWorld *w = world_of(
        "<tactus version='1' dt='0.01' gravity='0 0 0'><node name='n'><SymplecticEuler/>"
        "<Points positions='0 0 0  1.5 0 0  1.5 0.6 0  5 5 5' velocities='0 0 0  2 0 0  0 0 0  0 0 0'/>"
        "<UniformMass/><Springs pairs='0 1  1 2' stiffness='100' damping='0.5' "
        "lengths='1'/></node></tactus>");
    float *t = numbers(w, TAC_SCALAR_TENSION, "/n/points");
    assert_non_null(t);
    near((double)t[0], 100 * 0.5 + 0.5 * 2, 1e-4); // pulled, and getting longer
    near((double)t[1], 51, 1e-4);                  // the larger of the two that end there
    near((double)t[2], -40, 1e-4);                 // a push
    near((double)t[3], 0, 0);
    free(t);
    assert_null(numbers(w, TAC_SCALAR_STRESS, "/n/points"));
    assert_false(tac_world_can_show(w, TAC_SCALAR_STRESS));
    assert_false(tac_world_can_show(w, TAC_SCALAR_LAYER));
    tac_world_destroy(w);
}

static void test_strings_show_no_push(void **state) {
    (void)state;
    TacWorld *w =
        world_of("<tactus version='1' dt='0.01' gravity='0 0 0'><node name='n'><SymplecticEuler/>"
                 "<Points positions='0 0 0  0.5 0 0  2 0 0'/><UniformMass/>"
                 "<Springs pairs='0 1  1 2' stiffness='10' lengths='1' pull_only='true'/></node></tactus>");
    float *t = numbers(w, TAC_SCALAR_TENSION, "/n/points");
    near((double)t[0], 0, 0);
    near((double)t[1], 5, 1e-5);
    free(t);
    tac_world_destroy(w);
}

// A hanging wire carries at every place what hangs below it.
static void test_wires_show_tension_level_and_masses(void **state) {
    (void)state;
    TacWorld *w = world_of(
        "<tactus version='1' dt='0.01' gravity='0 -10 0'><node name='n'><Spook/><Line divisions='16' "
        "to='0 -4 0'/><Points/><Wire mass='2' lowest='2' finest='2'/><FixedPoints "
        "points='0'/></node></tactus>");
    beats(w, 400);
    float *t = numbers(w, TAC_SCALAR_TENSION, "/n/points"),
          *level = numbers(w, TAC_SCALAR_RESOLUTION, "/n/points");
    assert_true(t && level);
    // four segments of half a kilogram: below the first live point hang 2 kg less a quarter that is held
    near((double)t[1], 10 * 1.75, 0.05);
    near((double)t[15], 10 * 0.25, 0.05);
    for (int i = 0; i < 17; i++) near((double)level[i], 2, 0);
    TacNodeMark marks[64];
    assert_int_equal(tac_world_nodes(w, marks, 3), 5); // told how many there are, and no more written
    assert_int_equal(tac_world_nodes(w, marks, 64), 5);
    tac_world_show(w);
    const double *x = w->matters[0]->vectors[TAC_X_SHOWN];
    for (size_t k = 0; k < 5; k++) {
        assert_int_equal(marks[k].kind, TAC_NODE_MASS);
        near(tac_norm(tac_sub(marks[k].place, tac_load3(x + 3 * 4 * k))), 0, 0);
    }
    free(t);
    free(level);
    tac_world_destroy(w);
}

// --- stress -----------------------------------------------------------------------------------------------

static void test_stretches_are_those_of_known_matrices(void **state) {
    (void)state;
    TacMat3 turn = tac_quat_matrix(tac_quat_from_vector(tac_vec3(0.7, -1.1, 0.4))),
            other = tac_quat_matrix(tac_quat_from_vector(tac_vec3(-0.2, 0.5, 2.1)));
    static const double given[][3] = {{1, 1, 1}, {2, 1, 1}, {3, 2, 0.5}, {1, 0, 0}, {1 + 1e-6, 1, 1 - 1e-6}};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        TacMat3 d = {{{given[i][0], 0, 0}, {0, given[i][1], 0}, {0, 0, given[i][2]}}};
        TacMat3 f = tac_mat3_mul(&turn, &d);
        f = tac_mat3_mul(&f, &other);
        double s[3];
        tac_stress_stretches(&f, s);
        for (int a = 0; a < 3; a++) { // in any order
            double least = INFINITY;
            for (int b = 0; b < 3; b++) least = fmin(least, fabs(s[b] - given[i][a]));
            near(least, 0, given[i][a] == 0 ? 1e-7 : 1e-8);
        }
    }
}

// A body stretched along x by `e`, and turned: every element has the same stress.
static double stress_of(const char *law, const char *generator, double e, TacVec3 turn) {
    char text[800];
    snprintf(text, sizeof text,
             "<tactus version='1' dt='0.01' gravity='0 0 0'><node name='n'><SymplecticEuler/>%s<Points/>"
             "<UniformMass mass='1'/>%s</node></tactus>",
             generator, law);
    TacWorld *w = world_of(text);
    TacMatter *m = w->matters[0];
    TacMat3 r = tac_quat_matrix(tac_quat_from_vector(turn));
    for (size_t i = 0; i < m->count; i++) {
        double *x = m->vectors[TAC_X] + 3 * i;
        tac_store3(x, tac_mat3_apply(&r, tac_vec3((1 + e) * x[0], x[1], x[2])));
    }
    w->shown = -1;
    float *s = numbers(w, TAC_SCALAR_STRESS, "/n/points");
    assert_non_null(s);
    for (size_t i = 1; i < m->count; i++) near((double)s[i], (double)s[0], 1e-3 * fabs((double)s[0]) + 1e-3);
    double value = (double)s[0];
    free(s);
    tac_world_destroy(w);
    return value;
}

static void test_elements_show_von_mises_stress(void **state) {
    (void)state;
    const double young = 1e6, nu = 0.25, mu = young / (2 * (1 + nu)),
                 lambda = young * nu / ((1 + nu) * (1 - 2 * nu));
    const char *tets = "<Grid counts='3 3 3' split='true'/>", *hexes = "<Grid counts='3 3 3'/>",
               *sheet = "<Sheet divisions='2'/>";
    const TacVec3 turns[] = {{0, 0, 0}, {0.3, -0.9, 0.5}};
    for (int k = 0; k < 2; k++) {
        // sheared in no plane: the stress along x differs from the others by 2 mu e
        near(stress_of("<Tetrahedra young='1e6' poisson='0.25'/>", tets, 0.1, turns[k]), 2 * mu * 0.1, 20);
        near(stress_of("<Hexahedra young='1e6' poisson='0.25'/>", hexes, 0.1, turns[k]), 2 * mu * 0.1, 20);
        // in the plane: sigma_x = (2 mu' + gamma) e, sigma_y = gamma e, plane stress
        double gamma = young * nu / (1 - nu * nu), a = (young / (1 + nu) + gamma) * 0.1, b = gamma * 0.1;
        near(stress_of("<Triangles young='1e6' poisson='0.25' thickness='0.01'/>", sheet, 0.1, turns[k]),
             sqrt(a * a - a * b + b * b), 20);
        // Saint Venant-Kirchhoff: S of the Green strain, sigma = F S F^T / J
        double strain = 0.5 * (1.1 * 1.1 - 1), sx = (2 * mu + lambda) * strain * 1.1,
               sy = lambda * strain / 1.1;
        near(stress_of(
                 "<HyperelasticTetrahedra material='saint-venant-kirchhoff' young='1e6' poisson='0.25'/>",
                 tets, 0.1, turns[k]),
             sx - sy, 30);
    }
    // all materials agree where strain is small
    static const char *const materials[] = {"neo-hookean", "stable-neo-hookean", "mooney-rivlin",
                                            "arruda-boyce", "ogden"};
    for (size_t i = 0; i < sizeof materials / sizeof *materials; i++) {
        char law[200];
        snprintf(law, sizeof law, "<HyperelasticTetrahedra material='%s' young='1e6' poisson='0.25'/>",
                 materials[i]);
        near(stress_of(law, tets, 1e-4, turns[1]), 2 * mu * 1e-4, 0.05);
    }
}

// A skin that hangs on tetrahedra shows what they show, mixed as its points are.
static void test_followers_show_what_they_follow(void **state) {
    (void)state;
    TacWorld *w = world_of(
        "<tactus version='1' dt='0.01' gravity='0 0 0'><node name='n'><SymplecticEuler/>"
        "<Points positions='0 0 0  2 0 0  0 1 0'/><UniformMass/>"
        "<Springs pairs='0 1' stiffness='10' lengths='1'/>"
        "<node name='c'><Points positions='0 1 0  2 0 0'/><SubsetMap points='2 1'/></node></node></tactus>");
    float *t = numbers(w, TAC_SCALAR_TENSION, "/n/c/points");
    assert_non_null(t);
    near((double)t[0], 0, 0);
    near((double)t[1], 10, 1e-5);
    free(t);
    tac_world_destroy(w);
    // points carried by two frames, which are pulled by springs of 10 and 30 N: by weights of 1/4 and 3/4
    w = world_of("<tactus version='1' dt='0.01' gravity='0 0 0'><node name='n'><SymplecticEuler/>"
                 "<Frames positions='0 0 0 0 0 0 1  2 0 0 0 0 0 1  2 4 0 0 0 0 1'/><UniformMass/>"
                 "<Springs pairs='0 1  1 2' stiffness='10' lengths='1'/>"
                 "<node name='c'><Points positions='1 3 0  0 1 0'/><SkinningMap frames='0 1  0 0' "
                 "weights='1 3  1 1'/></node></node></tactus>");
    t = numbers(w, TAC_SCALAR_TENSION, "/n/c/points");
    assert_non_null(t);
    near((double)t[0], 0.25 * 10 + 0.75 * 30, 1e-4);
    near((double)t[1], 10, 1e-5);
    free(t);
    tac_world_destroy(w);
}

// --- safe contact -----------------------------------------------------------------------------------------

static TacWorld *falling_ball(void) {
    return world_of("<tactus version='1' dt='0.001' gravity='0 -10 0'>"
                    "<Contact method='safe' thickness='0.01' restitution='0' speed='0.2'/>"
                    "<node name='floor'><Mesh at='-5 0 -5  5 0 -5  0 0 7' with_triangles='0 2 1'/><Points/>"
                    "<FixedPoints points='0-2'/><Skin/></node>"
                    "<node name='ball'><Points positions='0 0.13 0'/><UniformMass mass='1'/>"
                    "<Balls radius='0.1'/></node></tactus>");
}

static void test_layers_follow_from_the_gap(void **state) {
    (void)state;
    TacWorld *w = falling_ball();
    bool touched = false, deeper = false;
    for (int i = 0; i < 200; i++) {
        beats(w, 1);
        tac_world_show(w);
        double gap = w->matters[matter_index(w, "/ball/points")]->vectors[TAC_X_SHOWN][1] - 0.1;
        float *layer = numbers(w, TAC_SCALAR_LAYER, "/ball/points");
        // l is live below thickness l^(-1/4)
        double live = 0;
        while (gap < 0.01 * pow(live + 1, -0.25) && live < 1000) live++;
        near(layer ? (double)layer[0] : 0, live, 0);
        touched = touched || live == 1;
        deeper = deeper || live > 2;
        double pairs, layers;
        tac_safe_look_counts(w->safe, w->now, &pairs, &layers);
        near(pairs, live > 0, 0);
        near(layers, live, 0);
        free(layer);
    }
    assert_true(touched && deeper);
    tac_world_destroy(w);
}

static void test_plans_and_boxes_hold_the_vertices(void **state) {
    (void)state;
    TacWorld *w = falling_ball();
    TacPlanLook plans[8];
    TacBoxLook look;
    TacKdop boxes[8];
    for (int i = 0; i < 100; i++) {
        beats(w, 1);
        tac_world_show(w);
        assert_int_equal(tac_safe_look_plans(w->safe, w->now, plans, 8), 4);
        assert_int_equal(tac_safe_look_boxes(w->safe, &look, boxes, 8), 4);
        assert_int_equal(look.axes, 7); // of 14 directions
        int seen = 0;
        for (size_t v = 0; v < 4; v++) {
            TacMatter *m = w->matters[matter_index(w, v < 3 ? "/floor/points" : "/ball/points")];
            TacVec3 x = tac_load3(m->vectors[TAC_X_SHOWN] + 3 * (v < 3 ? v : 0));
            for (size_t p = 0; p < 4; p++) { // in the order of skins, which is not ours
                TacVec3 off = tac_sub(x, tac_load3(plans[p].from));
                bool in_tube = fmax(fabs(off.x), fmax(fabs(off.y), fabs(off.z))) <= plans[p].rho * (1 + 1e-9);
                bool in_box = true;
                for (int a = 0; a < look.axes; a++) {
                    double reach = tac_dot(look.directions[a], x);
                    in_box = in_box && reach >= boxes[p].low[a] && reach <= boxes[p].high[a];
                }
                seen += in_tube && in_box;
            }
        }
        assert_int_equal(seen, 4);
    }
    assert_int_equal(tac_safe_look_plans(w->safe, w->now, plans, 2), 2);
    assert_int_equal(tac_safe_look_plans(w->safe, w->now, plans, 0), 0);
    tac_world_destroy(w);
}

// --- k-DOPs -----------------------------------------------------------------------------------------------

static size_t edges_of(int k, double diagonal, double side, double *length) {
    TacKdop dop;
    TacVec3 along[TAC_KDOP_AXES], ends[200][2];
    int axes = tac_kdop_axes(k);
    for (int i = 0; i < axes; i++) {
        along[i] = tac_kdop_axis(axes, i);
        double n = tac_norm(along[i]);
        double reach = n < 1.1 ? 1 : n < 1.5 ? side : diagonal;
        dop.high[i] = reach + tac_dot(along[i], tac_vec3(3, 4, 5)); // away from the origin
        dop.low[i] = -reach + tac_dot(along[i], tac_vec3(3, 4, 5));
    }
    size_t n = tac_kdop_edges(&dop, along, axes, ends, 200);
    *length = 0;
    for (size_t e = 0; e < n; e++) {
        *length += tac_norm(tac_sub(ends[e][0], ends[e][1]));
        for (int i = 0; i < 2 * axes; i++) {
            double reach = tac_dot(along[i / 2], ends[e][i % 2]);
            assert_true(reach < dop.high[i / 2] + 1e-9 && reach > dop.low[i / 2] - 1e-9);
        }
    }
    return n;
}

static void test_edges_of_known_solids(void **state) {
    (void)state;
    double length;
    assert_int_equal(edges_of(6, 0, 0, &length), 12); // a cube of side 2
    near(length, 24, 1e-9);
    assert_int_equal(edges_of(14, 2.5, 0, &length), 36);   // a cube with its corners cut off
    near(length, 12 * 1 + 24 * 0.5 * sqrt(2), 1e-9);       // cuts at half a metre from each corner
    assert_int_equal(edges_of(26, 2.2, 1.7, &length), 72); // corners and edges cut off
    assert_int_equal(edges_of(14, 5, 0, &length), 12);     // planes that cut nothing
    TacKdop empty;
    TacVec3 along[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, ends[12][2];
    tac_kdop_clear(&empty);
    assert_int_equal(tac_kdop_edges(&empty, along, 3, ends, 12), 0);
    TacKdop half = {{-INFINITY, 0, 0}, {1, 1, 1}};
    assert_int_equal(tac_kdop_edges(&half, along, 3, ends, 12), 0);
}

// --- the user's focus -------------------------------------------------------------------------------------

static TacWorld *two_wires(void) {
    static const char wire[] =
        "<node name='%s'><Line divisions='32' from='%d 0 0' to='%d -10 0'/><Points/><Wire mass='1' "
        "cost='0.0002'/><FixedPoints points='0'/></node>";
    char a[400], b[400], text[1200];
    snprintf(a, sizeof a, wire, "a", 0, 0);
    snprintf(b, sizeof b, wire, "b", 9, 9);
    snprintf(text, sizeof text,
             "<tactus version='1' dt='0.01'><node name='n'><Spook time_limit='0.004'/>%s%s</node></tactus>",
             a, b);
    return world_of(text);
}

static double level(TacWorld *w, const char *path) {
    return tac_world_reals(w, tac_world_find(w, path), "resolution").data[TAC_WIRE_LEVEL];
}

static void look_at(TacWorld *w, double x) {
    const TacInput input = {.kind = TAC_INPUT_CAMERA, .a = {x, -5, 20}, .b = {x, -5, 0}};
    assert_int_equal(tac_world_input(w, &input, NULL), TAC_OK);
}

static void test_what_is_looked_at_is_finer(void **state) {
    (void)state;
    TacWorld *w = two_wires();
    beats(w, 100);
    near(level(w, "/n/a/wire"), level(w, "/n/b/wire"), 0);
    look_at(w, 0);
    beats(w, 100);
    assert_true(level(w, "/n/a/wire") > level(w, "/n/b/wire"));
    assert_true(w->matters[0]->focus > 0.9 && w->matters[1]->focus < 0.1);
    look_at(w, 9);
    beats(w, 100);
    assert_true(level(w, "/n/a/wire") < level(w, "/n/b/wire"));
    look_at(w, 1000);
    const TacInput pick = {.kind = TAC_INPUT_SELECT, .component = tac_world_find(w, "/n/a/wire")};
    assert_int_equal(tac_world_input(w, &pick, NULL), TAC_OK);
    beats(w, 100);
    assert_true(level(w, "/n/a/wire") > level(w, "/n/b/wire"));
    near(w->matters[0]->focus, 1, 0);
    near(w->matters[1]->focus, 0, 1e-9);
    const TacInput nothing = {.kind = TAC_INPUT_SELECT};
    assert_int_equal(tac_world_input(w, &nothing, NULL), TAC_OK);
    assert_int_equal(tac_world_grab(w, 3, tac_world_find(w, "/n/b/points"), 32, tac_vec3(9, -10, 0), 1, NULL),
                     TAC_OK);
    beats(w, 100);
    assert_true(level(w, "/n/a/wire") < level(w, "/n/b/wire"));
    tac_world_destroy(w);
}

// The log of inputs has looks and selections in it, and gives the same bits: also where somebody else looks at energies
// and saves on the way.
static void test_looking_can_be_replayed(void **state) {
    (void)state;
    TacWorld *a = two_wires(), *b = two_wires();
    for (int i = 0; i < 6; i++) {
        look_at(a, i % 2 ? 9 : 0);
        beats(a, 20);
        if (i == 3) {
            const TacInput pick = {.kind = TAC_INPUT_SELECT, .component = tac_world_find(a, "/n/b/points")};
            assert_int_equal(tac_world_input(a, &pick, NULL), TAC_OK);
        }
    }
    size_t count, bytes = tac_world_snapshot_size(b);
    const TacInput *inputs = tac_world_inputs(a, &count);
    assert_int_equal(count, 7);
    void *kept = malloc(bytes);
    for (size_t i = 0; i < count; i++) {
        while (tac_world_tick(b) < inputs[i].tick) {
            tac_world_energy(b);
            beats(b, 1);
        }
        tac_world_energy(b); // computes the instant at which the input comes
        assert_int_equal(tac_world_input(b, &inputs[i], NULL), TAC_OK);
        assert_int_equal(tac_world_save(b, kept, bytes, NULL), TAC_OK);
        assert_int_equal(tac_world_restore(b, kept, bytes, NULL), TAC_OK);
    }
    while (tac_world_tick(b) < tac_world_tick(a)) beats(b, 1);
    assert_true(tac_world_hash(a) == tac_world_hash(b));
    free(kept);
    tac_world_destroy(a);
    tac_world_destroy(b);
}

// The same through a file, into a world that is let run in one go; and what is no such file is refused with its line.
static void test_inputs_go_through_a_file(void **state) {
    (void)state;
    TacWorld *a = two_wires(), *b = two_wires();
    TacError error = {0};
    const char *path = "look_test.tacin";
    for (int i = 0; i < 5; i++) {
        look_at(a, i % 2 ? 9 : 0.1 * i);
        if (i == 2)
            assert_int_equal(
                tac_world_grab(a, 1, tac_world_find(a, "/n/b/points"), 32, tac_vec3(9, -9, 1.0 / 3), 7, NULL),
                TAC_OK);
        if (i == 4) assert_int_equal(tac_world_release(a, 1, NULL, NULL), TAC_OK);
        assert_int_equal(tac_world_advance(a, 0.0731, NULL), TAC_OK); // between beats
    }
    assert_int_equal(tac_world_save_inputs(a, path, &error), TAC_OK);
    assert_int_equal(tac_world_replay_inputs(b, path, &error), TAC_OK);
    assert_int_equal(tac_world_advance(b, 0.36, &error), TAC_OK);
    double tick = tac_world_beat(b) / ldexp(1, 40); // of a beat of 10 ms
    int64_t left = tac_world_tick(a) - tac_world_tick(b);
    assert_int_equal(tac_world_advance(b, (double)left * tick, &error), TAC_OK);
    assert_int_equal(tac_world_tick(a), tac_world_tick(b));
    size_t count;
    tac_world_inputs(b, &count);
    assert_int_equal(count, 7);
    assert_true(tac_world_hash(a) == tac_world_hash(b));
    // going back in time, the same is done again
    size_t bytes = tac_world_snapshot_size(b);
    void *kept = malloc(bytes);
    TacWorld *c = two_wires();
    assert_int_equal(tac_world_replay_inputs(c, path, &error), TAC_OK);
    assert_int_equal(tac_world_advance(c, 0.05, &error), TAC_OK);
    assert_int_equal(tac_world_save(c, kept, bytes, &error), TAC_OK);
    assert_int_equal(tac_world_advance(c, 0.2, &error), TAC_OK);
    assert_int_equal(tac_world_restore(c, kept, bytes, &error), TAC_OK);
    left = tac_world_tick(a) - tac_world_tick(c);
    assert_int_equal(tac_world_advance(c, (double)left * tick, &error), TAC_OK);
    assert_true(tac_world_hash(a) == tac_world_hash(c));
    tac_world_destroy(c);
    free(kept);
    static const struct {
        const char *text, *says;
        int line;
    } bad[] = {{"", "tactus-inputs 1", 0},
               {"tactus-inputs 2\n", "tactus-inputs 1", 1},
               {"tactus-inputs 1\nbeat 0.02\n", "0.02 s; this one's is 0.01 s", 2},
               {"tactus-inputs 1\nbeat 0.01\n-1 drag 0 0 0 0 0 0 0 0 0 -\n", "a tick", 3},
               {"tactus-inputs 1\nbeat 0.01\n1 pull 0 0 0 0 0 0 0 0 0 -\n", "grab, drag", 3},
               {"tactus-inputs 1\nbeat 0.01\n1 drag 8 0 0 0 0 0 0 0 0 -\n", "hand", 3},
               {"tactus-inputs 1\nbeat 0.01\n1 drag 0 0 0 0 nan 0 0 0 0 -\n", "seven numbers", 3},
               {"tactus-inputs 1\nbeat 0.01\n1 drag 0 0 0 0\n", "seven numbers", 3},
               {"tactus-inputs 1\nbeat 0.01\n1 pin 0 0 0 0 0 0 0 0 0 /n/c\n", "/n/c", 3},
               {"tactus-inputs 1\nbeat 0.01\n5 camera 0 0 0 0 0 0 0 0 0 -\n4 camera 0 0 0 0 0 0 0 0 0 -\n",
                "order", 4}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(bad[i].text, file);
        fclose(file);
        if (tac_world_replay_inputs(b, path, &error) != TAC_BAD_INPUT ||
            !strstr(error.message, bad[i].says) || error.line != bad[i].line)
            fail_msg("%s: line %d, %s", bad[i].text, error.line, error.message);
    }
    remove(path);
    tac_world_destroy(a);
    tac_world_destroy(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_springs_show_their_pull),
        cmocka_unit_test(test_strings_show_no_push),
        cmocka_unit_test(test_wires_show_tension_level_and_masses),
        cmocka_unit_test(test_stretches_are_those_of_known_matrices),
        cmocka_unit_test(test_elements_show_von_mises_stress),
        cmocka_unit_test(test_followers_show_what_they_follow),
        cmocka_unit_test(test_layers_follow_from_the_gap),
        cmocka_unit_test(test_plans_and_boxes_hold_the_vertices),
        cmocka_unit_test(test_edges_of_known_solids),
        cmocka_unit_test(test_what_is_looked_at_is_finer),
        cmocka_unit_test(test_looking_can_be_replayed),
        cmocka_unit_test(test_inputs_go_through_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
