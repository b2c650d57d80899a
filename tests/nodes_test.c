// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Contact nodes: on wires with mass (a rope that slides off a peg, momentum and mass while masses vanish and come back)
// and on edges of boxes and meshes (shortest ways, meetings that are found however fast, capstans of any number of
// edges, corners that are slipped over).

#define _GNU_SOURCE
#include "agent/wire.h"
#include "base/random.h"
#include "constraint/cable.h"
#include "world/world.h"
#include "world_fixture.h"

#include <math.h>

// --- wires with mass ----------------------------------------------------------------------------------------

// A rope over a peg, all of it free: what hangs down more on one side pulls the rest, x'' = 2 g x / L for the
// difference x of a half, so x = x0 cosh(sqrt(2 g / L) t). The arc on the peg is short.
static TacWorld *rope_over_a_peg(double x0, double friction, const char *peg, const char *wire) {
    char text[1400];
    snprintf(text, sizeof text,
             "<tactus version='1' dt='0.0166666666666666666' gravity='0 -10 0'><node name='n'><Spook/><node "
             "name='peg'><Frames/><UniformMass mass='1' inertia='1e-4 1e-4 1e-4'/>%s</node><node "
             "name='rope'><Line "
             "divisions='32' from='-0.02 %.17g 0' to='0.02 %.17g 0'/><Points/><Wire mass='2' "
             "wheels='@../peg/frames' "
             "wheel_points='0' radii='0.02' senses='-1' friction='%.17g' %s/></node></node></tactus>",
             peg, -(5 - x0), -(5 + x0), friction, wire);
    return world_of(text);
}

// The wire's mass, and its momentum from what TAC_V says.
static double sum_of(TacWorld *w, TacVec3 *momentum) {
    for (size_t i = 0; i < w->all.mass_count; i++) {
        TacMass *mass = w->all.masses[i];
        if (mass->base.cls != &tac_wire_class) continue;
        double in[3 * 65], out[3 * 65] = {0}, sum = 0;
        for (size_t k = 0; k < 3 * mass->matter->count; k++) in[k] = 1;
        TacContext context = {0, 0.01, NULL};
        mass->base.cls->ops.mass->product(mass, &context, NULL, in, out, 1);
        for (size_t k = 0; k < mass->matter->count; k++) {
            sum += out[3 * k];
            *momentum = tac_axpy(*momentum, out[3 * k], tac_load3(mass->matter->vectors[TAC_V] + 3 * k));
        }
        return sum;
    }
    return NAN;
}

static double mass_of(TacWorld *w) {
    TacVec3 momentum = {0, 0, 0};
    return sum_of(w, &momentum);
}

static void test_rope_slides_off_a_peg(void **state) {
    (void)state;
    static const int levels[] = {5, 3, 0};
    for (size_t k = 0; k < 3; k++) {
        char wire[64];
        snprintf(wire, sizeof wire, "lowest='%d' finest='%d'", levels[k], levels[k]);
        TacWorld *w = rope_over_a_peg(0.5, 0, "<FixedPoints points='0'/>", wire);
        double rate = sqrt(2 * 10 / (10 + 0.02 * TAC_PI)), before = 0;
        int changes = 0;
        for (int i = 1; i <= 90; i++) {
            beats(w, 1);
            double x = 0.5 * cosh(rate * i / 60.0);
            near(-positions(w, "/n/rope/points")[3 * 32 + 1] - 5, x, 0.01 * x);
            near(mass_of(w), 2, 1e-13);
            double masses = output(w, "/n/rope/wire", "resolution", TAC_WIRE_MASSES);
            changes += masses != before && i > 1;
            before = masses;
        }
        // 1.6 m have passed: so many masses have vanished and come back
        int passed = (int)(1.6 / 10 * (1 << levels[k]));
        if (changes < passed) fail_msg("level %d: %d changes", levels[k], changes);
        tac_world_destroy(w);
    }
}

// The same with a peg of large radius that turns with the rope: it has the inertia of as much rope more.
static void test_rope_turns_a_wheel(void **state) {
    (void)state;
    for (int level = 0; level <= 4; level += 2) {
        char text[1200];
        snprintf(
            text, sizeof text,
            "<tactus version='1' dt='0.0166666666666666666' gravity='0 -10 0'><node name='n'><Spook/><node "
            "name='wheel'><Frames/><UniformMass mass='1' inertia='0.02 0.02 0.02'/><HingeJoint/></node><node "
            "name='rope'><Line divisions='32' from='-0.2 -4 0' to='0.2 -6 0'/><Points/><Wire mass='2' "
            "wheels='@../wheel/frames' wheel_points='0' radii='0.2' senses='-1' friction='3' lowest='%d' "
            "finest='%d'/></node></node></tactus>",
            level, level);
        TacWorld *w = world_of(text);
        double length = 10 + 0.2 * TAC_PI, density = 2 / length, inertia = 0.02 / 0.04;
        double rate = sqrt(2 * 10 * density / (2 + inertia));
        beats(w, 60);
        double x = cosh(rate), v = rate * sinh(rate);
        near(-positions(w, "/n/rope/points")[3 * 32 + 1] - 5, x, 0.02 * x);
        near(velocities(w, "/n/wheel/frames")[5], -v / 0.2, 0.03 * v / 0.2);
        tac_world_destroy(w);
    }
}

// Loads on both ends of a wire with mass, over a wheel that stands: it sticks below e^(mu pi), and slides above it.
static void test_capstan_with_mass(void **state) {
    (void)state;
    for (int level = 0; level <= 4; level += 2)
        for (int slides = 0; slides < 2; slides++) {
            // of the wire 5 m hang on each side
            double limit = exp(0.3 * TAC_PI), heavy = (slides ? 1.05 : 0.95) * limit,
                   wire = 5 / (10 + 0.5 * TAC_PI);
            char text[1500];
            snprintf(text, sizeof text,
                     "<tactus version='1' dt='0.01' gravity='0 -10 0'><node name='n'><Spook/><node "
                     "name='wheel'><Frames/><UniformMass/><FixedPoints points='0'/></node><node "
                     "name='boxes'><Points "
                     "positions='-0.5 -5 0 0.5 -5 0'/><DiagonalMass masses='10 %.17g'/></node><node "
                     "name='rope'><Line "
                     "divisions='16' from='-0.5 -5 0' to='0.5 -5 0'/><Points/><Wire mass='1' "
                     "wheels='@../wheel/frames' wheel_points='0' radii='0.5' senses='-1' friction='0.3' "
                     "lowest='%d' "
                     "finest='%d' start='@../boxes/points' end='@../boxes/points' "
                     "end_point='1'/></node></node></tactus>",
                     heavy * (10 + wire) - wire, level, level);
            TacWorld *w = world_of(text);
            beats(w, 50);
            double v = velocities(w, "/n/boxes/points")[1];
            beats(w, 50);
            double a = (velocities(w, "/n/boxes/points")[1] - v) / 0.5;
            double expected = slides ? 10 * (heavy - limit) / (heavy + limit) : 0;
            near(a, expected, 0.02);
            double ratio =
                output(w, "/n/rope/wire", "tensions", 15) / output(w, "/n/rope/wire", "tensions", 0);
            near(ratio, slides ? limit : heavy, 0.03 * limit);
            tac_world_destroy(w);
        }
}

// Nothing holds anything: a wire with loads slides through a ring. Whatever vanishes and comes back, and whatever the
// ring feels of what passes it, momentum is kept; only what passed in the last step is still to be given.
static void test_momentum_is_kept_over_nodes(void **state) {
    (void)state;
    TacWorld *w = world_of(
        "<tactus version='1' dt='0.0166666666666666666' gravity='0 0 0'><node name='n'><Spook/><node "
        "name='ring'><Frames velocities='0 1 0 0 0 0'/><UniformMass mass='4'/></node><node "
        "name='boxes'><Points "
        "positions='-3 -4 0 3 -4 0' velocities='-1 -2 0 -4 3 1'/><UniformMass mass='1'/></node><node "
        "name='rope'><Line "
        "divisions='32' from='-3 -4 0' to='3 -4 0'/><Points/><Wire mass='3' wheels='@../ring/frames' "
        "wheel_points='0' "
        "lowest='4' finest='4' start='@../boxes/points' end='@../boxes/points' "
        "end_point='1'/></node></node></tactus>");
    beats(w, 1);
    TacVec3 start = tac_world_momentum(w).linear;
    double most = 0, passed = 0, was = 0;
    for (int i = 0; i < 60; i++) {
        const double *x = positions(w, "/n/boxes/points");
        double left = tac_norm(tac_sub(tac_load3(x), tac_load3(positions(w, "/n/ring/frames"))));
        beats(w, 1);
        passed += fabs(left - was);
        was = left;
        most = fmax(most, tac_norm(tac_sub(tac_world_momentum(w).linear, start)));
        near(mass_of(w), 3, 1e-13);
    }
    // some metres have passed at some metres a second: without the ring's share this would be more than 2 kg m/s
    assert_true(passed > 1);
    near(most, 0, 0.25);
    tac_world_destroy(w);
}

// Masses come and go at one level at a time, and with changes of level: the sums are kept to rounding.
static void test_transitions_over_nodes_keep_mass_and_momentum(void **state) {
    (void)state;
    TacRandom random = tac_random(3, 1);
    static const int tour[] = {4, 2, 5, 0, 3, 5, 1, 5};
    for (int trial = 0; trial < 10; trial++) {
        TacWorld *w = rope_over_a_peg(0.7 * trial / 10, 0, "<FixedPoints points='0'/>",
                                      "lowest='0' finest='5' level='5'");
        TacMatter *m = tac_world_get_matter(w, tac_world_find(w, "/n/rope/points"));
        for (size_t i = 0; i < 3 * m->count; i++) m->vectors[TAC_V][i] = tac_random_between(&random, -5, 5);
        TacVec3 before = {0, 0, 0};
        sum_of(w, &before);
        for (size_t k = 0; k < sizeof tour / sizeof *tour; k++) {
            tac_wire_change_level(tac_world_get(w, tac_world_find(w, "/n/rope/wire")), tour[k]);
            near(mass_of(w), 2, 1e-13);
            TacVec3 after = {0, 0, 0};
            sum_of(w, &after);
            near(tac_norm(tac_sub(after, before)), 0, 1e-12);
        }
        for (size_t i = 0; i < m->count; i++) tac_store3(m->vectors[TAC_V] + 3 * i, tac_vec3(1.1, -2.3, 0.7));
        for (size_t k = 0; k < sizeof tour / sizeof *tour; k++) {
            tac_wire_change_level(tac_world_get(w, tac_world_find(w, "/n/rope/wire")), tour[k]);
            for (size_t i = 0; i < m->count; i++)
                near(tac_norm(tac_sub(tac_load3(m->vectors[TAC_V] + 3 * i), tac_vec3(1.1, -2.3, 0.7))), 0,
                     1e-12);
        }
        tac_world_destroy(w);
    }
}

// A winch hoists a load on a heavy wire: what hangs weighs on the drum, the rest lies on it.
static void test_winch_with_a_heavy_wire(void **state) {
    (void)state;
    TacWorld *w = world_of(
        "<tactus version='1' dt='0.0166666666666666666' gravity='0 -10 0'><node name='n'><Spook/><node "
        "name='drum'><Frames/><UniformMass mass='50' inertia='2 2 2'/><HingeJoint/><Motor speed='1' "
        "most='1e5'/></node><node name='box'><Points positions='0.4 -10 0'/><UniformMass "
        "mass='30'/></node><node "
        "name='rope'><Line divisions='32' from='0.4 0 0' to='0.4 -10 0'/><Points/><Wire mass='20' lowest='3' "
        "finest='3' end='@../box/points' start_drum='true' wheels='@../drum/frames' wheel_points='0' "
        "radii='0.4' "
        "senses='-1' turns='4'/></node></node></tactus>");
    double density = 20 / (10 + 8 * TAC_PI * 0.4), reeled = 0;
    for (int i = 0; i < 600; i++) {
        beats(w, 1);
        near(mass_of(w), 20, 1e-12);
        double y = positions(w, "/n/box/points")[1];
        reeled = 10 + y;
        if (i < 60) continue;
        double most = 0;
        for (size_t k = 0; k < 32; k++) most = fmax(most, output(w, "/n/rope/wire", "tensions", k));
        near(most, 10 * (30 + density * -y), 12);
    }
    near(reeled, 0.4 * 10, 0.05);
    near(velocities(w, "/n/box/points")[1], 0.4, 0.01);
    tac_world_destroy(w);
}

// Adaptive over a wheel: a heavy load takes the masses away, down to none, and nothing blows up.
static void test_adaptive_over_a_wheel(void **state) {
    (void)state;
    static const double loads[] = {0.1, 10, 1000, 1e5};
    double fewest = 99, most_masses = 0;
    for (size_t k = 0; k < 4; k++) {
        char text[1500];
        snprintf(
            text, sizeof text,
            "<tactus version='1' dt='0.0166666666666666666' gravity='0 -9.8 0'><node name='n'><Spook/><node "
            "name='wheel'><Frames/><UniformMass mass='2' inertia='0.05 0.05 0.05'/><HingeJoint/></node><node "
            "name='boxes'><Points positions='-0.3 -6 0 0.3 -6 0' velocities='1 0 0.3 -0.5 0 "
            "0'/><DiagonalMass "
            "masses='%.17g %.17g'/></node><node name='rope'><Line divisions='32' from='-0.3 -6 0' to='0.3 -6 "
            "0'/><Points/><Wire mass='1' lowest='-1' wheels='@../wheel/frames' wheel_points='0' radii='0.3' "
            "senses='-1' friction='0.5' start='@../boxes/points' end='@../boxes/points' end_point='1'/>"
            "</node></node></tactus>",
            loads[k], 1.1 * loads[k]);
        TacWorld *w = world_of(text);
        // what it takes to lift the wire and what one load weighs more
        double start = 0, scale = 9.8 * 6 * (0.1 * loads[k] + 1);
        for (int i = 0; i < 600; i++) {
            beats(w, 1);
            double now = tac_world_energy(w).total;
            double masses = output(w, "/n/rope/wire", "resolution", TAC_WIRE_MASSES);
            // at the start it is a massless cable; from then on its weight is where it hangs
            if (i == 2) start = now;
            if (i > 2 && !(now < start + 0.05 * scale))
                fail_msg("%g kg, step %d: from %g J to %g J", loads[k], i, start, now);
            fewest = fmin(fewest, masses);
            most_masses = fmax(most_masses, masses);
        }
        tac_world_destroy(w);
    }
    assert_true(fewest == 0 && most_masses > 8);
}

// --- edges --------------------------------------------------------------------------------------------------

static TacCableEdge edge_of(TacVec3 a, TacVec3 b, TacVec3 n1, TacVec3 n2) {
    TacCableEdge e = {.start = a, .along = tac_sub(b, a), .normal = {tac_unit(n1), tac_unit(n2)}};
    e.low = tac_vec3(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z));
    e.high = tac_vec3(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z));
    return e;
}

// The twelve edges of the cube from -1 to 1.
static size_t cube_edges(TacCableEdge *list) {
    size_t n = 0;
    for (int axis = 0; axis < 3; axis++)
        for (int k = 0; k < 4; k++) {
            double a[3], b[3], n1[3] = {0}, n2[3] = {0};
            int u = (axis + 1) % 3, v = (axis + 2) % 3;
            a[axis] = -1;
            b[axis] = 1;
            a[u] = b[u] = n1[u] = k % 2 ? 1 : -1;
            a[v] = b[v] = n2[v] = k / 2 ? 1 : -1;
            list[n++] = edge_of(tac_load3(a), tac_load3(b), tac_load3(n1), tac_load3(n2));
        }
    return n;
}

// How long the line from p to q runs inside the cube.
static double inside_cube(TacVec3 p, TacVec3 q) {
    double a[3] = {p.x, p.y, p.z}, d[3] = {q.x - p.x, q.y - p.y, q.z - p.z}, from = 0, to = 1;
    for (int k = 0; k < 3; k++) {
        if (d[k] == 0) {
            if (fabs(a[k]) > 1) return 0;
            continue;
        }
        double s = (-1 - a[k]) / d[k], t = (1 - a[k]) / d[k];
        from = fmax(from, fmin(s, t));
        to = fmin(to, fmax(s, t));
    }
    return fmax(to - from, 0);
}

static TacVec3 mix(TacVec3 a, TacVec3 b, double t) {
    return tac_axpy(tac_scale(a, 1 - t), t, b);
}

// Lines that fly at a cube by any way: one that starts clear and whose ends stay clear meets an edge exactly when it
// first enters, found here by small steps.
static void test_meetings_are_found(void **state) {
    (void)state;
    TacRandom random = tac_random(17, 1);
    TacCableEdge list[12];
    TacCableEdges edges = {.list = list, .count = cube_edges(list), .low = {-1, -1, -1}, .high = {1, 1, 1}};
    int met = 0, missed = 0;
    for (int trial = 0; trial < 4000; trial++) {
        TacVec3 e[4];
        for (int k = 0; k < 4; k++) {
            // ends on both sides, outside
            double r = tac_random_between(&random, 2, 4), z = tac_random_between(&random, -1.5, 1.5);
            double angle = tac_random_between(&random, 0, 2 * TAC_PI);
            e[k] = tac_vec3(r * cos(angle), r * sin(angle), z);
        }
        TacCablePiece piece = {
            .p = {e[0], e[1]}, .q = {e[2], e[3]}, .except_p = SIZE_MAX, .except_q = SIZE_MAX};
        if (inside_cube(e[0], e[2]) > 0) continue;
        double first = 2;
        bool end_enters = false;
        for (int i = 0; i <= 2000 && first > 1; i++) {
            double t = i / 2000.0;
            TacVec3 p = mix(e[0], e[1], t), q = mix(e[2], e[3], t);
            if (inside_cube(p, p) > 0 || inside_cube(q, q) > 0) end_enters = true;
            if (inside_cube(p, q) > 1e-6) first = t;
        }
        if (end_enters) continue;
        TacCableMeeting m;
        bool found = tac_cable_edges_meet(&edges, &piece, &m);
        if (first > 1) {
            missed++;
            if (found && m.time < 0.999) {
                // it may have cut a corner between two small steps
                TacVec3 p = mix(e[0], e[1], m.time), q = mix(e[2], e[3], m.time);
                assert_true(inside_cube(p, q) < 1e-3);
            }
            continue;
        }
        met++;
        assert_true(found);
        near(m.time, first, 2e-3);
        // both are at the same place then
        TacVec3 on_line = mix(mix(e[0], e[1], m.time), mix(e[2], e[3], m.time), m.at);
        TacVec3 on_edge = tac_axpy(list[m.edge].start, m.part, list[m.edge].along);
        near(tac_norm(tac_sub(on_line, on_edge)), 0, 1e-9);
    }
    assert_true(met > 500 && missed > 500);
}

// A line that lies against an edge leaves it or enters it; one that runs through the inside meets no edge at all.
static void test_meetings_come_from_outside(void **state) {
    (void)state;
    TacCableEdge list[12];
    TacCableEdges edges = {.list = list, .count = cube_edges(list), .low = {-1, -1, -1}, .high = {1, 1, 1}};
    for (int inward = 0; inward < 2; inward++) {
        // across the edge y = z = 1, from above to the side
        double by = inward ? -0.3 : 0.3;
        TacCablePiece piece = {.p = {{0.2, 3, -1}, {0.2, 3 + by, -1 + by}},
                               .q = {{0.2, -1, 3}, {0.2, -1 + by, 3 + by}},
                               .except_p = SIZE_MAX,
                               .except_q = SIZE_MAX};
        TacCableMeeting m;
        assert_int_equal(tac_cable_edges_meet(&edges, &piece, &m), inward);
        if (inward) near(m.time, 0, 1e-9);
        // the same line, seen by the next step after it has left
        piece.p[0] = piece.p[1];
        piece.q[0] = piece.q[1];
        piece.p[1].y += 0.1;
        piece.q[1].y += 0.1;
        if (!inward) assert_false(tac_cable_edges_meet(&edges, &piece, &m));
    }
    // from the middle of the cube outward, all around
    for (int i = 0; i < 200; i++) {
        double a = 2 * TAC_PI * i / 200, b = a + 0.4;
        TacCablePiece piece = {
            .p = {{0, 0, 0}, {0.1, 0, 0}},
            .q = {{4 * cos(a), 4 * sin(a), sin(5 * a)}, {4 * cos(b), 4 * sin(b), sin(5 * b)}},
            .except_p = SIZE_MAX,
            .except_q = SIZE_MAX};
        TacCableMeeting m;
        assert_false(tac_cable_edges_meet(&edges, &piece, &m));
    }
}

// --- cables over edges --------------------------------------------------------------------------------------

#define CUBE                                                                                                 \
    "<node name='cube'><Box name='shape' low='-1 -1 -1' high='1 1 1'/><Frames positions='0 0 0 0 0 0 1'/>"   \
    "<UniformMass mass='5' box='2 2 2'/>%s</node>"

static TacWorld *over_cube(const char *hold, const char *more) {
    char text[2400];
    snprintf(text, sizeof text,
             "<tactus version='1' dt='0.01' gravity='0 -10 0'><node name='n'><Spook/>" CUBE
             "%s</node></tactus>",
             hold, more);
    return world_of(text);
}

#define HELD  "<FixedPoints points='0'/>"
#define EDGED "bodies='@cube/frames' body_mesh='@cube/shape'"

// Led over the top of a cube, from one side to the other and from front to back: unfolded, the shortest way is straight.
static void test_shortest_way_over_a_cube(void **state) {
    (void)state;
    TacWorld *w = over_cube(
        HELD, "<node name='b'><Points positions='3 -2 0.6'/><UniformMass mass='1'/><FixedPoints "
              "points='0'/></node><Cable start_at='-3 -2 -0.6' end='@b/points' via='0 6 0.9' " EDGED "/>");
    beats(w, 1);
    near(output(w, "/n/cable", "nodes", 0), 2, 0);
    // sqrt(4 + 9) up to the edge, 2 over the top, and down again; z rises evenly
    double side = sqrt(13), part = 0.6 - 1.2 * side / (2 * side + 2);
    for (int k = 0; k < 2; k++) {
        near(output(w, "/n/cable", "nodes", 1 + (size_t)(4 * k)), k ? 1 : -1, 1e-9);
        near(output(w, "/n/cable", "nodes", 2 + (size_t)(4 * k)), 1, 1e-9);
        near(output(w, "/n/cable", "nodes", 3 + (size_t)(4 * k)), k ? part : -part, 1e-6);
    }
    tac_world_destroy(w);
    // led below it, it lies on the lower edges
    w = over_cube(HELD,
                  "<node name='b'><Points positions='3 -0.5 0'/><UniformMass mass='1'/><FixedPoints "
                  "points='0'/></node><Cable start_at='-3 -0.5 0' end='@b/points' via='0 -6 0' " EDGED "/>");
    beats(w, 1);
    near(output(w, "/n/cable", "nodes", 0), 2, 0);
    near(output(w, "/n/cable", "nodes", 2), -1, 1e-9);
    tac_world_destroy(w);
}

// A taut line that jumps from one side of a body to the other within a step is caught, whatever its speed and however
// thin the body.
static void test_no_line_passes_a_body(void **state) {
    (void)state;
    static const double thin[] = {1, 0.01, 1e-4}, speed[] = {1, 100, 1e4};
    for (size_t i = 0; i < 9; i++) {
        double t = thin[i % 3], v = speed[i / 3];
        char text[2000];
        // two heavy points on both sides fly down past a bar; the line between them stays above it
        snprintf(
            text, sizeof text,
            "<tactus version='1' dt='0.01' gravity='0 0 0'><node name='n'><Spook/><node name='cube'><Box "
            "name='shape' low='-1 %.17g -1' high='1 0 1'/><Frames/><UniformMass mass='5' box='2 2 "
            "2'/>%s</node><node "
            "name='b'><Points positions='-5 %.17g 0 5 %.17g 0' velocities='0 %.17g 0 0 %.17g "
            "0'/><UniformMass "
            "mass='1000'/></node><Cable start='@b/points' end='@b/points' end_point='1' stretch='1e3' "
            "length='10' " EDGED "/></node></tactus>",
            -t, HELD, 0.003 * v, 0.003 * v, -v, -v);
        TacWorld *w = world_of(text);
        near(output(w, "/n/cable", "nodes", 0), 0, 0);
        beats(w, 3);
        near(output(w, "/n/cable", "nodes", 0), 2, 0);
        for (size_t k = 0; k < 2; k++) near(output(w, "/n/cable", "nodes", 2 + 4 * k), 0, 1e-9);
        tac_world_destroy(w);
    }
}

// The line goes back up: nodes are let go when it pulls outward, and found again when it comes back.
static void test_nodes_are_let_go(void **state) {
    (void)state;
    TacWorld *w =
        over_cube(HELD, "<node name='b'><Points positions='-5 1.5 0 5 1.5 0'/><UniformMass/><ScriptedMotion "
                        "points='0 1' times='0 1 2 3' offsets='0 0 0 0 -2 0 0 0 0 0 -2 0'/></node><Cable "
                        "start='@b/points' end='@b/points' end_point='1' length='12' " EDGED "/>");
    static const double expected[] = {0, 2, 0, 2};
    for (int k = 0; k < 4; k++) {
        near(output(w, "/n/cable", "nodes", 0), expected[k], 0);
        beats(w, 100);
    }
    tac_world_destroy(w);
}

// Eytelwein on prisms: over many edges or few, the tensions at the onset of slip are in the ratio e^(mu pi).
static void test_capstan_of_any_number_of_edges(void **state) {
    (void)state;
    static const int sides[] = {4, 8, 32};
    for (size_t k = 0; k < 3; k++)
        for (int slides = 0; slides < 2; slides++) {
            double limit = exp(0.3 * TAC_PI), heavy = (slides ? 1.05 : 0.95) * limit;
            char text[2000];
            snprintf(
                text, sizeof text,
                "<tactus version='1' dt='0.01' gravity='0 -10 0'><node name='n'><Spook/><node "
                "name='cube'><Cylinder "
                "name='shape' radius='0.5' height='2' sides='%d' rotation='90 0 0'/><Frames/><UniformMass "
                "mass='5'/>%s</node><node name='b'><Points positions='-0.51 -5 0 0.51 -5 0'/><DiagonalMass "
                "masses='1 "
                "%.17g'/></node><Cable start='@b/points' end='@b/points' end_point='1' via='-0.51 1 0 0.51 1 "
                "0' "
                "body_friction='0.3' " EDGED "/></node></tactus>",
                sides[k], HELD, heavy);
            TacWorld *w = world_of(text);
            beats(w, 50);
            // the line bends at half of all edges, or one more
            double nodes = output(w, "/n/cable", "nodes", 0);
            assert_true(nodes >= sides[k] / 2 - 1 && nodes <= sides[k] / 2 + 1);
            double v = velocities(w, "/n/b/points")[1];
            beats(w, 50);
            double a = (velocities(w, "/n/b/points")[1] - v) / 0.5;
            double behind = output(w, "/n/cable", "nodes", 4 * (size_t)nodes),
                   before = output(w, "/n/cable", "tensions", 0);
            near(behind / before, slides ? limit : heavy, 0.05 * limit);
            near(a, slides ? 10 * (heavy - limit) / (heavy + limit) : 0, 0.08);
            tac_world_destroy(w);
        }
}

// One end of a line over two edges is moved along them. Without friction nodes follow to the shortest way; with much of it they
// stay; between, they stop where the pull across the line is just the coefficient times what presses them on.
static void test_friction_across_the_line(void **state) {
    (void)state;
    static const double frictions[] = {0, 0.05, 2};
    double z[3];
    for (int k = 0; k < 3; k++) {
        char text[900];
        snprintf(
            text, sizeof text,
            "<node name='b'><Points positions='3 0 0'/><UniformMass mass='1'/><ScriptedMotion points='0' "
            "times='0 1 2' "
            "offsets='0 0 0 0 0 0.8 0 0 0.8'/></node><Cable start_at='-3 0 0' end='@b/points' via='0 5 0' "
            "length='8' body_friction='%g' " EDGED "/>",
            frictions[k]);
        TacWorld *w = over_cube(HELD, text);
        beats(w, 150);
        near(output(w, "/n/cable", "nodes", 0), 2, 0);
        TacVec3 line[4] = {{-3, 0, 0}, {0, 0, 0}, {0, 0, 0}, {3, 0, 0.8}};
        for (size_t i = 0; i < 2; i++)
            line[1 + i] =
                tac_vec3(output(w, "/n/cable", "nodes", 4 * i + 1), output(w, "/n/cable", "nodes", 4 * i + 2),
                         output(w, "/n/cable", "nodes", 4 * i + 3));
        z[k] = line[2].z;
        if (k == 1) {
            TacVec3 f = tac_add(tac_unit(tac_sub(line[1], line[2])), tac_unit(tac_sub(line[3], line[2])));
            near(fabs(f.z) / hypot(f.x, f.y), 0.05, 1e-3);
        }
        tac_world_destroy(w);
    }
    // sqrt(5) up, 2 over the top, sqrt(5) down
    near(z[0], 0.8 * (sqrt(5) + 2) / (2 * sqrt(5) + 2), 1e-4);
    near(z[2], 0, 1e-9);
    assert_true(z[1] > 0.05 && z[1] < z[0] - 0.02);
}

// A line over an edge, pulled towards the end of the edge and past it: it slips over the corner, from edge to edge, and off the
// cube.
static void test_corners_are_slipped_over(void **state) {
    (void)state;
    TacWorld *w = over_cube(
        HELD, "<node name='b'><Points positions='1.5 -3 0.5'/><UniformMass mass='1'/><ScriptedMotion "
              "points='0' times='0 1' offsets='0 0 0 0 0 6'/></node><Cable start_at='-4 1.5 0.5' "
              "end='@b/points' via='3 1.5 0.5' length='30' " EDGED "/>");
    near(output(w, "/n/cable", "nodes", 0), 1, 0);
    double most = 0, farthest = 0;
    for (int i = 0; i < 100; i++) {
        beats(w, 1);
        double n = output(w, "/n/cable", "nodes", 0);
        most = fmax(most, n);
        for (size_t k = 0; k < (size_t)n; k++)
            farthest = fmax(farthest, output(w, "/n/cable", "nodes", 4 * k + 3));
    }
    // it came to the corner at z = 1
    near(farthest, 1, 1e-3);
    assert_true(most >= 1);
    near(output(w, "/n/cable", "nodes", 0), 0, 0);
    tac_world_destroy(w);
}

// The planes of a convex mesh.
typedef struct Planes {
    TacVec3 normal[400];
    double offset[400];
    size_t count;
} Planes;

static void planes_of(TacWorld *w, Planes *planes) {
    const TacTopology *t = (const TacTopology *)tac_world_get(w, tac_world_find(w, "/n/cube/shape"));
    int32_t *triangles = NULL;
    assert_int_equal(tac_mesh_surface(&t->mesh, &triangles, &planes->count, NULL), TAC_OK);
    assert_true(planes->count <= 400);
    for (size_t i = 0; i < planes->count; i++) {
        TacVec3 x[3];
        for (size_t k = 0; k < 3; k++) x[k] = tac_load3(t->mesh.points + 3 * triangles[3 * i + k]);
        planes->normal[i] = tac_unit(tac_cross(tac_sub(x[1], x[0]), tac_sub(x[2], x[0])));
        planes->offset[i] = tac_dot(planes->normal[i], x[0]);
    }
    free(triangles);
}

// How much of the line from p to q is deeper inside than a thousandth of the size.
static double inside_planes(const Planes *planes, TacVec3 p, TacVec3 q) {
    double from = 0, to = 1;
    for (size_t i = 0; i < planes->count; i++) {
        double a = tac_dot(planes->normal[i], p) - 0.999 * planes->offset[i];
        double b = tac_dot(planes->normal[i], q) - 0.999 * planes->offset[i];
        if (a >= 0 && b >= 0) return 0;
        if (a >= 0) from = fmax(from, a / (a - b));
        if (b >= 0) to = fmin(to, a / (a - b));
    }
    return fmax(to - from, 0) * tac_norm(tac_sub(q, p));
}

static double way_of(const TacVec3 *line, size_t n) {
    double sum = 0;
    for (size_t k = 0; k + 1 < n; k++) sum += tac_norm(tac_sub(line[k + 1], line[k]));
    return sum;
}

// Start, nodes and end in the axes of the body; returns how many.
static size_t line_of(TacWorld *w, const TacMatter *ends, TacQuat turn, TacVec3 *line) {
    size_t n = (size_t)output(w, "/n/cable", "nodes", 0);
    line[0] = tac_rotate_back(turn, tac_load3(ends->vectors[TAC_X]));
    for (size_t k = 0; k < n; k++)
        line[1 + k] = tac_rotate_back(turn, tac_vec3(output(w, "/n/cable", "nodes", 4 * k + 1),
                                                     output(w, "/n/cable", "nodes", 4 * k + 2),
                                                     output(w, "/n/cable", "nodes", 4 * k + 3)));
    line[1 + n] = tac_rotate_back(turn, tac_load3(ends->vectors[TAC_X] + 3));
    return n + 2;
}

// An end is put elsewhere, around a ball into which the body fits, also on its way.
static void put_end(double *end, double stride, TacRandom *random) {
    TacVec3 x = tac_load3(end), d;
    d = tac_vec3(tac_random_between(random, -1, 1), tac_random_between(random, -1, 1),
                 tac_random_between(random, -1, 1));
    TacVec3 to = tac_axpy(x, stride, d);
    double far = tac_norm(to);
    to = tac_scale(to, fmin(fmax(far, 2.5), 6) / far);
    TacVec3 way = tac_sub(to, x);
    double t = fmin(fmax(-tac_dot(x, way) / tac_dot(way, way), 0), 1);
    if (tac_norm(tac_axpy(x, t, way)) > 2) tac_store3(end, to);
}

// The ends of a line are put anywhere around a body, step by step, near and far, and the body is turned: the line between
// them, over its nodes, never runs through it. In the end, at rest, it gets no longer: nothing holds it but edges.
static void never_through(const char *shape, double farthest, int trials) {
    TacRandom random = tac_random(23, 1);
    double deepest = 0, most = 0, longer = 0;
    static Planes planes;
    for (int trial = 0; trial < trials; trial++) {
        char text[1200];
        snprintf(text, sizeof text,
                 "<tactus version='1' dt='0.01'><node name='n'><Spook/><node "
                 "name='cube'>%s<Frames/><UniformMass/>" HELD
                 "</node><node name='b'><Points positions='-3 2.5 0 3 2.5 0'/><UniformMass/><FixedPoints "
                 "points='0 1'/>"
                 "</node><Cable start='@b/points' end='@b/points' end_point='1' length='1000' " EDGED
                 "/></node></tactus>",
                 shape);
        TacWorld *w = world_of(text);
        planes_of(w, &planes);
        TacMatter *ends = tac_world_get_matter(w, tac_world_find(w, "/n/b/points"));
        TacMatter *cube = tac_world_get_matter(w, tac_world_find(w, "/n/cube/frames"));
        double stride = farthest * pow(10, tac_random_between(&random, -2, 0)), before = INFINITY;
        TacVec3 line[TAC_CABLE_STOPS];
        for (int i = 0; i < 64; i++) {
            bool rests = i >= 60;
            for (size_t k = 0; k < 2 && !rests; k++) put_end(ends->vectors[TAC_X] + 3 * k, stride, &random);
            TacQuat turn = tac_load_quat(cube->vectors[TAC_X] + 3);
            if (trial % 2 && !rests) {
                TacVec3 by = {0.1 * stride * tac_random_between(&random, -1, 1), 0.1 * stride, 0};
                turn = tac_quat_mul(tac_quat_from_vector(by), turn);
                tac_store_quat(cube->vectors[TAC_X] + 3, turn);
            }
            beats(w, rests ? 20 : 1);
            size_t n = line_of(w, ends, turn, line);
            for (size_t k = 0; k + 1 < n; k++)
                deepest = fmax(deepest, inside_planes(&planes, line[k], line[k + 1]));
            most = fmax(most, (double)n - 2);
            double way = way_of(line, n);
            if (rests) longer = fmax(longer, way - before);
            before = rests ? way : INFINITY;
        }
        tac_world_destroy(w);
    }
    if (getenv("SAY")) print_message("deepest %g, most %g, longer %g\n", deepest, most, longer);
    assert_true(most >= 3);
    near(deepest, 0, 1e-9);
    near(longer, 0, 1e-3);
}

static void test_a_line_never_runs_through_a_body(void **state) {
    (void)state;
    never_through("<Box name='shape' low='-1 -1 -1' high='1 1 1'/>", 3, 400);
    never_through("<Box name='shape' low='-1.2 -0.02 -1.2' high='1.2 0.02 1.2'/>", 3, 200);
    never_through("<Cylinder name='shape' radius='1' height='2' sides='7'/>", 3, 200);
    never_through("<Box name='shape' low='-1 -1 -1' high='1 1 1' divisions='3'/>", 3, 200);
    never_through("<Sphere name='shape' radius='1.8' subdivisions='1'/>", 0.3, 100);
    // from one place to any other within a step, over 80 faces: corners that the line is drawn over one after the other
    never_through("<Sphere name='shape' radius='1.8' subdivisions='1'/>", 3, 500);
}

// The document's sliding factor: the node moves that part of the way at each step.
static void test_sliding_factor(void **state) {
    (void)state;
    double left[3];
    static const double factors[] = {0, 0.5, 1};
    for (int k = 0; k < 3; k++) {
        char text[700];
        snprintf(text, sizeof text,
                 "<node name='b'><Points positions='3 0 0'/><UniformMass mass='1'/><ScriptedMotion "
                 "points='0' times='0 "
                 "0.01 1' offsets='0 0 0 0 0 0.8 0 0 0.8'/></node><Cable start_at='-3 0 0' end='@b/points' "
                 "via='0 5 0' "
                 "length='8' sliding='%g' " EDGED "/>",
                 factors[k]);
        TacWorld *w = over_cube(HELD, text);
        beats(w, 3);
        left[k] = output(w, "/n/cable", "nodes", 7); // z of the second node
        tac_world_destroy(w);
    }
    near(left[0], 0, 1e-9);
    assert_true(left[1] > 0.05 && left[1] < left[2] - 0.02);
}

// A box that lies loose across a taut line is carried by it: forces at nodes are forces on the body.
static void test_bodies_feel_their_nodes(void **state) {
    (void)state;
    TacWorld *w =
        over_cube("", "<node name='b'><Points positions='-6 3 0 6 3 0'/><UniformMass/><FixedPoints points='0 "
                      "1'/></node><Cable start='@b/points' end='@b/points' end_point='1' via='0 -3 0' " EDGED
                      "/><Damping matter='@cube/frames' coefficient='2'/>");
    beats(w, 300);
    const double *x = positions(w, "/n/cube/frames");
    near(x[1], 0, 0.1);
    // 50 N, by two pulls of T sin(angle)
    double sine = (3 - (x[1] - 1)) / hypot(3 - (x[1] - 1), 5);
    near(output(w, "/n/cable", "tensions", 0), 25 / sine, 0.5);
    tac_world_destroy(w);
}

// A wire with mass on a cube: no mass lies between the nodes, and it hangs down on both sides with its own weight.
static void test_wire_with_mass_over_a_cube(void **state) {
    (void)state;
    for (int level = 2; level <= 5; level++) {
        char text[1000];
        snprintf(
            text, sizeof text,
            "<node name='rope'><Line divisions='32' from='-1.02 -4 0' to='1.02 -4 0'/><Points/><Wire "
            "mass='2' "
            "lowest='%d' finest='%d' via='-1.02 3 0 1.02 3 0' body_friction='0.5' bodies='@../cube/frames' "
            "body_mesh='@../cube/shape'/><Damping coefficient='0.2'/></node>",
            level, level);
        TacWorld *w = over_cube(HELD, text);
        beats(w, 300);
        const double *x = positions(w, "/n/rope/points");
        for (size_t i = 0; i <= 32; i++)
            if (!(x[3 * i + 1] >= 1 - 1e-6 || fabs(x[3 * i]) >= 1 - 1e-3))
                fail_msg("level %d: point %zu is inside, at %g %g", level, i, x[3 * i], x[3 * i + 1]);
        near(x[1], -4, 0.1);
        near(x[3 * 32 + 1], -4, 0.1);
        near(mass_of(w), 2, 1e-13);
        // just before the first edge: half of the wire less a metre of it
        double most = 0, hanging = 20 / 12.0 * 5;
        for (size_t i = 0; i < 16; i++) most = fmax(most, output(w, "/n/rope/wire", "tensions", i));
        near(most, hanging, 0.25 * hanging);
        tac_world_destroy(w);
    }
}

// --- bad input ----------------------------------------------------------------------------------------------

#define LINED(more)                                                                                          \
    IN_NODE("<Spook/><node name='cube'><Box name='shape' low='-1 -1 -1' high='1 1 "                          \
            "1'/><Frames/><UniformMass/></node>"                                                             \
            "<node name='b'><Points positions='3 0 0'/><UniformMass/></node>" more)

static void test_bad_nodes_are_refused(void **state) {
    (void)state;
    REFUSED(
        LINED("<Cable start_at='-3 0 0' end='@b/points' bodies='~@cube/frames' body_mesh='@cube/shape'/>"),
        "runs through frame 0", "via");
    REFUSED(LINED("<Cable start_at='-3 0 0' end='@b/points' bodies='~@cube/frames'/>"), "body_mesh");
    REFUSED(LINED("<Cable start_at='-3 0 0' end='@b/points' body_mesh='~@cube/shape'/>"), "needs bodies");
    REFUSED(LINED("<Cable start_at='-3 2 0' end='@b/points' bodies='@cube/frames' body_mesh='@cube/shape' "
                  "body_points='~1'/>"),
            "no frame 1");
    REFUSED(LINED("<Cable start_at='-3 2 0' end='@b/points' bodies='@cube/frames' body_mesh='@cube/shape' "
                  "via='~1 2'/>"),
            "three numbers");
    REFUSED(LINED("<Cable start_at='-3 2 0' end='@b/points' bodies='@cube/frames' body_mesh='@cube/shape' "
                  "sliding='~1.5'/>"),
            "1");
    REFUSED(
        LINED("<node name='l'><Line divisions='4'/><Points/></node><Cable start_at='-3 2 0' end='@b/points' "
              "bodies='@cube/frames' body_mesh='~@l/line'/>"),
        "needs faces");
    REFUSED(LINED("<node name='r'><Line divisions='4' from='-3 0 0' to='3 0 0'/><Points/><Wire mass='1' "
                  "bodies='~@../cube/frames' body_mesh='@../cube/shape'/></node>"),
            "runs through");
    REFUSED(LINED("<node name='r'><Line divisions='2048' from='-3 0 0' to='3 0 0'/><Points/>~<Wire mass='1' "
                  "wheels='@../cube/frames' wheel_points='0' radii='1'/></node>"),
            "1025 points");
    REFUSED(LINED("<node name='r'><Line divisions='4' from='-3 0 0' to='3 0 0'/><Points/><Wire mass='1' "
                  "start='~@../cube/frames' wheels='@../cube/frames' wheel_points='0' radii='1' "
                  "start_drum='true'/></node>"),
            "not to both");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rope_slides_off_a_peg),
        cmocka_unit_test(test_rope_turns_a_wheel),
        cmocka_unit_test(test_capstan_with_mass),
        cmocka_unit_test(test_momentum_is_kept_over_nodes),
        cmocka_unit_test(test_transitions_over_nodes_keep_mass_and_momentum),
        cmocka_unit_test(test_winch_with_a_heavy_wire),
        cmocka_unit_test(test_adaptive_over_a_wheel),
        cmocka_unit_test(test_meetings_are_found),
        cmocka_unit_test(test_meetings_come_from_outside),
        cmocka_unit_test(test_shortest_way_over_a_cube),
        cmocka_unit_test(test_no_line_passes_a_body),
        cmocka_unit_test(test_nodes_are_let_go),
        cmocka_unit_test(test_capstan_of_any_number_of_edges),
        cmocka_unit_test(test_friction_across_the_line),
        cmocka_unit_test(test_corners_are_slipped_over),
        cmocka_unit_test(test_a_line_never_runs_through_a_body),
        cmocka_unit_test(test_sliding_factor),
        cmocka_unit_test(test_bodies_feel_their_nodes),
        cmocka_unit_test(test_wire_with_mass_over_a_cube),
        cmocka_unit_test(test_bad_nodes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
