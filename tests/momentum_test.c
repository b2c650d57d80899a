// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Agents with solvers under safe contact keep their momentum, linear and angular, as points that fly by themselves do: an
// implicit solver takes forces as they will be, and kicks are delivered in parts at places that have moved on, and neither
// may push or turn what only forces within act on.

#include "class_scenes.h"
#include "safe_checks.h"
#include "world/world.h"

// Of its angular momentum at the start: 1e-10 is what is promised.
#define KEPT 1e-10

typedef struct Change {
    double linear, angular; // of the angular momentum before, seen from a tenth of a metre
} Change;

static Change change_since(TacWorld *world, const TacMomentum *start) {
    TacMomentum now = tac_world_momentum(world);
    double size = tac_norm(start->angular);
    assert_true(size > 0);
    return (Change){0.1 * tac_norm(tac_sub(now.linear, start->linear)) / size,
                    tac_norm(tac_sub(now.angular, start->angular)) / size};
}

// Lets a world run until its layers have kicked so often.
static void expect_kept(TacWorld *world, const char *what, uint64_t kicks, double longest) {
    TacMomentum start = tac_world_momentum(world);
    double time = 0;
    do {
        advance(world, 0.0501);
        time += 0.0501;
        Change c = change_since(world, &start);
        if (!(c.linear < KEPT && c.angular < KEPT))
            fail_msg("%s: after %g s momentum has changed by %g and %g", what, time, c.linear, c.angular);
    } while (time < longest && tac_world_contact_stats(world).kicks < kicks);
    if (tac_world_contact_stats(world).kicks < kicks)
        fail_msg("%s: only %llu kicks", what, (unsigned long long)tac_world_contact_stats(world).kicks);
    tac_world_destroy(world);
}

// --- scenes -----------------------------------------------------------------------------------------------

// How much of scene_text is written.
typedef struct Text {
    size_t length;
} Text;

static void add(Text *t, const char *format, ...) {
    va_list list;
    va_start(list, format);
    t->length += (size_t)vsnprintf(scene_text + t->length, sizeof scene_text - t->length, format, list);
    va_end(list);
    assert_true(t->length < sizeof scene_text);
}

static Text *begin(const char *contact) {
    static Text t;
    t.length = 0;
    add(&t,
        "<tactus version='1' gravity='0 0 0' dt='0.01'><Contact method='safe' friction='0' restitution='0.5' "
        "thickness='0.004' %s/>",
        contact);
    return &t;
}

static TacWorld *finish(Text *t, int threads) {
    add(t, "</tactus>");
    return make_world(scene_text, threads);
}

// A block of n^3 points around c that flies and turns.
static void add_grid(Text *t, const char *name, const char *solver, const char *law, bool split, int n,
                     TacVec3 c, TacVec3 drift, TacVec3 spin) {
    const double half = 0.1;
    add(t,
        "<node name='%s'>%s<Grid counts='%d %d %d' low='%g %g %g' high='%g %g %g' split='%s' "
        "surface='%s'/><Points velocities='",
        name, solver, n, n, n, c.x - half, c.y - half, c.z - half, c.x + half, c.y + half, c.z + half,
        split ? "true" : "false", split ? "true" : "false");
    for (int i = 0; i < n * n * n; i++) {
        TacVec3 r = {i % n, i / n % n, i / (n * n)};
        r = tac_sub(tac_scale(r, 2 * half / (n - 1)), tac_vec3(half, half, half));
        TacVec3 v = tac_add(drift, tac_cross(spin, r));
        add(t, "%.4g %.4g %.4g ", v.x, v.y, v.z);
    }
    add(t, "'/><UniformMass total='1'/>%s<Skin/></node>", law);
}

static void add_block(Text *t, const char *name, const char *solver, const char *law, int n, TacVec3 c,
                      TacVec3 drift, TacVec3 spin) {
    add_grid(t, name, solver, law, true, n, c, drift, spin);
}

#define SOFT_BLOCK "<Tetrahedra young='20000' poisson='0.3'/>"
#define NET        "<Springs stiffness='200'/>"

static void add_ball(Text *t, TacVec3 at, TacVec3 v) {
    add(t,
        "<node name='ball'><Frames positions='%g %g %g 0 0 0 1' velocities='%g %g %g 1 2 3'/>"
        "<UniformMass mass='0.3' box='0.05 0.04 0.06'/><node name='s'><Sphere radius='0.05' "
        "subdivisions='1'/>"
        "<Points/><RigidMap/><Skin/></node></node>",
        at.x, at.y, at.z, v.x, v.y, v.z);
}

// Boxes in a row, each tied to the one before.
static void add_chain(Text *t, const char *solver, const char *joint, int count) {
    add(t, "<node name='rig'>%s", solver);
    for (int i = 0; i < count; i++) {
        add(t,
            "<node name='b%d'><Frames positions='%g 0 0 0 0 0 1' velocities='0 %g 0 0 0 3'/>"
            "<UniformMass mass='0.2' box='0.1 0.08 0.06'/>",
            i, 0.15 * i, 0.45 * i);
        if (i) add(t, "<%s other='@../b%d/frames' at='%g 0 0'/>", joint, i - 1, 0.15 * i - 0.075);
        add(t,
            "<node name='s'><Box low='-0.05 -0.04 -0.03' high='0.05 0.04 0.03'/><Points/><RigidMap/><Skin/>"
            "</node></node>");
    }
    add(t, "</node>");
}

// Boxes in rows of the same Frames, each tied by its number to the one before in its row. All turn about the z axis, the rows
// from the second on not at all.
static void add_rows_of_frames(Text *t, const char *solver, const char *joint, int rows, int count) {
    add(t, "<node name='rig'>%s<Frames positions='", solver);
    for (int k = 0; k < rows; k++)
        for (int i = 0; i < count; i++) add(t, "%g 0 %d 0 0 0 1 ", 0.15 * i, k);
    add(t, "' velocities='");
    for (int k = 0; k < rows; k++)
        for (int i = 0; i < count; i++) add(t, "0 %g 0 0 0 %d ", k ? 0 : 0.45 * i, k ? 0 : 3);
    add(t, "'/><UniformMass mass='0.2' box='0.1 0.08 0.06'/>");
    bool pairs = !strncmp(joint, "Distance", 8);
    for (int k = 0; k < rows; k++)
        for (int i = 1; i < count; i++) {
            int a = k * count + i - 1;
            if (pairs)
                add(t, "<%s pairs='%d %d'/>", joint, a, a + 1);
            else
                add(t, "<%s point='%d' other='@frames' other_point='%d' at='%g 0 %d'/>", joint, a, a + 1,
                    0.15 * i - 0.075, k);
        }
    for (int k = 0; k < rows * count; k++)
        add(t,
            "<node name='s%d'><Box low='-0.05 -0.04 -0.03' high='0.05 0.04 0.03'/><Points/><RigidMap "
            "frame='%d'/><Skin/></node>",
            k, k);
    add(t, "</node>");
}

// A sheet that folds up, turning, and is drawn together.
static void add_sheet(Text *t, const char *law) {
    enum { ALONG = 9, ACROSS = 6 };
    add(t,
        "<node name='cloth'><ImplicitEuler/><Sheet divisions='%d' across='%d' width='0.6' depth='0.4' "
        "split='true'/><Points velocities='",
        ALONG - 1, ACROSS - 1);
    for (int k = 0; k < ACROSS; k++)
        for (int i = 0; i < ALONG; i++) {
            double x = 0.6 * i / (ALONG - 1) - 0.3, z = 0.4 * k / (ACROSS - 1) - 0.2;
            add(t, "%.4g %.4g %.4g ", 0.3 - 0.8 * z, 6 * fabs(x) - 1 + z, 0.8 * x + 0.2);
        }
    add(t, "'/><UniformMass total='0.2'/>%s<Springs name='pull' stiffness='3' lengths='0.01' pairs='", law);
    for (int k = 0; k < ACROSS; k++)
        for (int i = 0; i < ALONG / 2; i += 2) add(t, "%d %d ", ALONG * k + i, ALONG * k + ALONG - 1 - i);
    add(t, "'/><Skin/></node>");
}

static const TacVec3 none = {0, 0, 0};

// --- nothing touches --------------------------------------------------------------------------------------

static void test_what_turns_by_itself(void **state) {
    (void)state;
    const char *solvers[] = {"<ImplicitEuler/><SparseDirect/>", "<ImplicitEuler/><ConjugateGradient/>",
                             "<ImplicitEuler trapezoidal='true' damping_stiffness='0.002'/>",
                             "<ImplicitEuler step='0.003'/>"};
    const char *laws[] = {SOFT_BLOCK, NET};
    for (size_t i = 0; i < TAC_COUNT(solvers); i++)
        for (size_t k = 0; k < TAC_COUNT(laws); k++) {
            Text *t = begin("");
            add_block(t, "block", solvers[i], laws[k], 4, none, tac_vec3(0.2, 0.1, 0), tac_vec3(3, -4, 5));
            expect_kept(finish(t, 1), solvers[i], 0, 1);
        }
}

// Laws that leave a torque by how they are found, laws on matter that follows, and what presses from within.
static void test_what_is_within_turns_nothing(void **state) {
    (void)state;
    const struct {
        const char *solver, *law;
        bool split;
    } bodies[] = {
        {"<ImplicitEuler/>", "<Tetrahedra young='20000' method='qr'/>", true},
        {"<ImplicitEuler/>", "<Tetrahedra young='20000' method='edges'/>", true},
        {"<ImplicitEuler/>", "<Hexahedra young='20000'/>", false},
        {"<ImplicitEuler step='0.003'/>", "<Hexahedra young='20000' method='polar'/>", false},
        {"<ImplicitEuler/>", SOFT_BLOCK "<Pressure pressure='500' conserving='true'/>", true},
        {"<ImplicitEuler/>",
         SOFT_BLOCK "<node name='s'><Sphere radius='0.09' subdivisions='1'/><Points/><BarycentricMap/>"
                    "<MeshSprings triangles='100'/><Pressure pressure='500'/></node>",
         true},
    };
    for (size_t i = 0; i < TAC_COUNT(bodies); i++)
        for (int hit = 0; hit < 2; hit++) {
            Text *t = begin("");
            add_grid(t, "block", bodies[i].solver, bodies[i].law, bodies[i].split, 4, none,
                     tac_vec3(0.2, 0.1, 0), tac_vec3(3, -4, 5));
            if (hit) add_ball(t, tac_vec3(0.3, 0.05, 0.03), tac_vec3(-2, 0, 0));
            expect_kept(finish(t, 1), bodies[i].law, hit ? 500 : 0, 0.5);
        }
}

// Frames that beams or springs hold together.
static void test_frames_that_bend(void **state) {
    (void)state;
    const char *laws[] = {
        "<Beams young='1e6' radius='0.01'/>",
        "<JointSprings pairs='0 1 1 2 2 3' stiffness='1000' turning_stiffness='10 20 30'/>"};
    for (size_t i = 0; i < TAC_COUNT(laws); i++) {
        Text *t = begin("");
        add(t, "<node name='rod'><ImplicitEuler/><Line divisions='3' from='0 0 0' to='0.3 0 0'/><Frames "
               "positions='0 0 0 0 0 0 1 0.1 0 0 0 0 0 1 0.2 0 0 0 0 0 1 0.3 0 0 0 0 0 1' velocities='");
        for (int k = 0; k < 4; k++) {
            TacVec3 spin = {1, 2, 3}, v = tac_cross(spin, tac_vec3(0.1 * k, 0, 0));
            add(t, "%g %g %g 1 2 3 ", v.x, v.y, v.z);
        }
        add(t,
            "'/><UniformMass mass='0.1' box='0.1 0.02 0.02'/>%s<node name='s'><Line divisions='3' "
            "from='0 0 0' to='0.3 0 0'/><Points/><RigidMap frames='0 1 2 3' local='false'/><Skin "
            "radius='0.01'/></node></node>",
            laws[i]);
        add_ball(t, tac_vec3(0.22, 0.2, 0.01), tac_vec3(0, -2, 0));
        expect_kept(finish(t, 1), laws[i], 100, 1);
    }
}

// Two blocks of one agent, far apart: what mends the one that turns must not move the one that lies still.
static void test_things_of_one_agent_are_not_one(void **state) {
    (void)state;
    Text *t = begin("");
    add(t, "<node name='agent'><ImplicitEuler/><ConjugateGradient/>");
    add_block(t, "turns", "", NET, 4, none, none, tac_vec3(3, -4, 5));
    add_block(t, "lies", "", NET, 3, tac_vec3(2, 0, 0), none, none);
    add(t, "</node>");
    TacWorld *world = finish(t, 1);
    advance(world, 0.5);
    const TacMatter *lies = world->matters[1];
    assert_int_equal(lies->count, 27);
    double fastest = 0;
    for (size_t i = 0; i < 3 * lies->count; i++) fastest = fmax(fastest, fabs(lies->vectors[TAC_V][i]));
    if (!(fastest < 1e-12)) fail_msg("what lies still moves at %g m/s", fastest);
    tac_world_destroy(world);
}

// Rows of frames, in one matter: one turns and must not move the other, which lies still.
static void test_rows_of_frames_are_not_one(void **state) {
    (void)state;
    const char *joints[] = {"BallJoint", "HingeJoint axis='0 0 1'", "LockJoint", "DistanceJoints"};
    for (size_t i = 0; i < TAC_COUNT(joints); i++) {
        Text *t = begin("");
        add_rows_of_frames(t, "<Spook/>", joints[i], 2, 3);
        add_ball(t, tac_vec3(0.2, 0.2, 0.01), tac_vec3(0, -2, 0));
        TacWorld *world = finish(t, 1);
        advance(world, 0.5);
        assert_true(tac_world_contact_stats(world).kicks > 100);
        const TacMatter *frames = world->matters[0];
        assert_int_equal(frames->count, 6);
        for (size_t k = 18; k < 36; k++)
            if (frames->vectors[TAC_V][k] != 0)
                fail_msg("%s: what lies still moves at %g", joints[i], frames->vectors[TAC_V][k]);
        tac_world_destroy(world);
    }
}

// Agents that links make one: what only open links would tie to it is a thing by itself.
static void test_what_is_merged_is_not_one_by_open_links(void **state) {
    (void)state;
    const struct {
        const char *agent, *name, *at, *joints;
    } boxes[] = {{"a", "hit", "0 0 0", ""},
                 {"a", "lies", "0 0 1", ""},
                 {"c", "c", "0.15 0 0", "<BallJoint other='@/a/hit/frames' at='0.075 0 0'/>"},
                 {"d", "d", "0.15 0 1",
                  "<BallJoint other='@/a/lies/frames' at='0.075 0 1' open='true'/><BallJoint "
                  "other='@/c/c/frames' at='0.15 0 0.5' open='true'/>"}};
    Text *t = begin("");
    for (size_t i = 0; i < TAC_COUNT(boxes); i++) {
        bool first = !i || boxes[i].agent != boxes[i - 1].agent;
        if (first) add(t, "%s<node name='%s'><Spook/>", i ? "</node>" : "", boxes[i].agent);
        add(t,
            "<node name='%s'><Frames positions='%s 0 0 0 1'/><UniformMass mass='0.2' box='0.1 0.08 0.06'/>%s"
            "<node name='s'><Box low='-0.05 -0.04 -0.03' high='0.05 0.04 0.03'/><Points/><RigidMap/><Skin/>"
            "</node></node>",
            boxes[i].name, boxes[i].at, boxes[i].joints);
    }
    add(t, "</node>");
    add_ball(t, tac_vec3(0.16, 0.2, 0.01), tac_vec3(0, -2, 0));
    TacWorld *world = finish(t, 1);
    advance(world, 0.5);
    assert_true(tac_world_contact_stats(world).kicks > 100);
    for (size_t k = 0; k < 6; k++) {
        double v = world->matters[2]->vectors[TAC_V][k];
        if (v != 0) fail_msg("what lies still moves at %g", v);
    }
    tac_world_destroy(world);
}

// --- they touch -------------------------------------------------------------------------------------------

static void test_a_sheet_folds_up(void **state) {
    (void)state;
    const char *laws[] = {"<Springs stiffness='100' damping='0.02'/>",
                          "<Triangles young='2000' thickness='0.01'/><ShellBending stiffness='1e-4'/>"};
    for (size_t i = 0; i < TAC_COUNT(laws); i++) {
        Text *t = begin("");
        add_sheet(t, laws[i]);
        expect_kept(finish(t, 1), laws[i], 20000, 3);
    }
}

// It is drawn to the ball, and goes on touching it.
static void test_a_body_is_hit_by_a_ball(void **state) {
    (void)state;
    const char *solvers[] = {"<ImplicitEuler/>", "<ImplicitEuler/><SparseDirect/>",
                             "<ImplicitEuler step='0.003'/>"};
    for (size_t i = 0; i < TAC_COUNT(solvers); i++) {
        Text *t = begin("");
        add_block(t, "block", solvers[i], SOFT_BLOCK, 4, none, none, tac_vec3(1, -2, 3));
        add_ball(t, tac_vec3(0.3, 0.05, 0.03), tac_vec3(-2, 0, 0));
        add(t, "<Springs matter='@block/points' other='@ball/s/points' pairs='21 0' stiffness='20' "
               "lengths='0.01'/>");
        expect_kept(finish(t, 1), solvers[i], 20000, 4);
    }
}

static void test_two_bodies_meet(void **state) {
    (void)state;
    const char *laws[] = {SOFT_BLOCK, NET};
    for (size_t i = 0; i < TAC_COUNT(laws); i++) {
        Text *t = begin("");
        add_block(t, "one", "<ImplicitEuler/>", laws[i], 4, none, tac_vec3(0.5, 0, 0), tac_vec3(1, -2, 3));
        add_block(t, "two", "<ImplicitEuler step='0.005'/>", laws[i], 3, tac_vec3(0.3, 0.05, 0.02),
                  tac_vec3(-1, 0, 0), tac_vec3(-2, 1, 0));
        add(t, "<Springs matter='@one/points' other='@two/points' pairs='21 13' stiffness='20' "
               "lengths='0.01'/>");
        expect_kept(finish(t, 1), laws[i], 20000, 4);
    }
}

static void test_a_chain_is_hit_by_a_ball(void **state) {
    (void)state;
    const struct {
        const char *solver, *joint;
    } chains[] = {{"<Spook/>", "BallJoint"},
                  {"<Spook/>", "HingeJoint axis='0 0 1'"},
                  {"<Spook step='0.003'/>", "BallJoint"}};
    for (size_t i = 0; i < TAC_COUNT(chains); i++) {
        Text *t = begin("");
        add_chain(t, chains[i].solver, chains[i].joint, 4);
        add_ball(t, tac_vec3(0.2, 0.3, 0.01), tac_vec3(0, -2, 0));
        add(t, "<Springs matter='@rig/b1/frames' other='@ball/frames' pairs='0 0' stiffness='20' "
               "lengths='0.01'/>");
        expect_kept(finish(t, 1), chains[i].joint, 20000, 4);
    }
}

// Frames of one matter.
static void test_a_row_of_frames_is_hit_by_a_ball(void **state) {
    (void)state;
    const struct {
        const char *solver, *joint;
        int count;
    } rows[] = {{"<Spook/>", "BallJoint", 2},
                {"<Spook/>", "BallJoint", 4},
                {"<Spook/>", "HingeJoint axis='0 0 1'", 4},
                {"<Spook/>", "PrismaticJoint axis='1 0 0' low='-0.02' high='0.02'", 4},
                {"<Spook step='0.003'/>", "LockJoint", 3},
                {"<Spook/>", "DistanceJoints", 3}};
    for (size_t i = 0; i < TAC_COUNT(rows); i++) {
        Text *t = begin("");
        add_rows_of_frames(t, rows[i].solver, rows[i].joint, 1, rows[i].count);
        add_ball(t, tac_vec3(0.2, 0.3, 0.01), tac_vec3(0, -2, 0));
        add(t, "<Springs matter='@rig/frames' other='@ball/frames' pairs='1 0' stiffness='20' "
               "lengths='0.01'/>");
        expect_kept(finish(t, 1), rows[i].joint, 5000, 4);
    }
}

// Points of one matter that are tied to each other, and the last of them to the second of two frames.
static void test_points_on_a_frame_are_hit_by_a_ball(void **state) {
    (void)state;
    const char *ties[] = {"<DistanceJoints pairs='0 1 1 2 2 3 3 0 0 2 1 3'/>",
                          "<MembraneJoints stiffness='500'/>"};
    for (size_t i = 0; i < TAC_COUNT(ties); i++) {
        Text *t = begin("");
        add(t,
            "<node name='rig'><Spook/><node name='net'><Mesh at='0 0 0 0.1 0 0 0.1 0 0.1 0 0 0.1' "
            "with_triangles='0 2 1 0 3 2'/><Points velocities='0 0 0 0 0.3 0 0 0.3 0 0 0 0'/><UniformMass "
            "total='0.1'/>%s<Skin/></node><node name='arm'><Frames positions='0.1 0 0.3 0 0 0 1 0 0 0.2 0 0 "
            "0 "
            "1' velocities='0 0 0 1 0 0 0 0 0 0 0 0'/><UniformMass mass='0.2' box='0.1 0.08 0.06'/>"
            "<BallJoint point='1' other='@../net/points' other_point='3'/><HingeJoint point='0' "
            "other='@frames' other_point='1' at='0.05 0 0.25' axis='1 0 0'/></node></node>",
            ties[i]);
        add_ball(t, tac_vec3(0.06, 0.2, 0.04), tac_vec3(0, -2, 0));
        expect_kept(finish(t, 1), ties[i], 100, 1);
    }
}

// Two boxes on a wire.
static Text *boxes_on_a_wire(const char *wire) {
    Text *t = begin("");
    add(t, "<node name='rig'><Spook/>");
    for (int i = 0; i < 2; i++)
        add(t,
            "<node name='b%d'><Frames positions='%g 0 0 0 0 0 1' velocities='0 %g 0 0 1 2'/>"
            "<UniformMass mass='0.3' box='0.1 0.1 0.1'/><node name='s'><Box low='-0.05 -0.05 -0.05' "
            "high='0.05 0.05 0.05'/><Points/><RigidMap/><Skin/></node></node>",
            i, 0.6 * i, 0.5 - i);
    add(t,
        "<node name='wire'><Line divisions='8' from='0.07 0 0' to='0.53 0 0'/><Points/><Wire mass='0.1' "
        "start='@../b0/frames' end='@../b1/frames' length='0.48' %s/><Skin radius='0.005'/></node></node>",
        wire);
    return t;
}

// Rows keep it from swinging across, and its ends are not quite where they are tied.
static void test_a_wire_is_hit_by_a_ball(void **state) {
    (void)state;
    Text *t = boxes_on_a_wire("lowest='3'");
    add_ball(t, tac_vec3(0.28, 0.2, 0.01), tac_vec3(0, -1, 0));
    expect_kept(finish(t, 1), "wire", 500, 2);
}

// It changes its resolution, which moves mass and with it spin; alone in the world, whose centre rests.
static void test_a_wire_changes_its_resolution(void **state) {
    (void)state;
    const char *wires[] = {"", "transition='document'"};
    for (size_t i = 0; i < TAC_COUNT(wires); i++) {
        TacWorld *world = finish(boxes_on_a_wire(wires[i]), 1);
        TacMomentum start = tac_world_momentum(world);
        assert_true(tac_norm(start.linear) < 1e-12);
        advance(world, 2);
        Change c = change_since(world, &start);
        if (!(c.linear < KEPT && c.angular < KEPT))
            fail_msg("wire: momentum has changed by %g and %g", c.linear, c.angular);
        assert_true(tac_world_contact_stats(world).reshapes > 5);
        tac_world_destroy(world);
    }
}

// --- what acts from outside ---------------------------------------------------------------------------------

// Pushed and pressed together by forces that are known, they gain what these give, and no more: one is explicit, the
// others are weights.
static void test_outer_forces_push_as_they_are(void **state) {
    (void)state;
    Text *t = begin("");
    add_block(t, "one", "<Gravity acceleration='0 -1 0'/><ImplicitEuler/>",
              SOFT_BLOCK "<ConstantForce points='0' force='0.3 0.2 -0.1'/>", 4, none, tac_vec3(0.5, 0, 0),
              tac_vec3(1, -2, 3));
    add_block(t, "two", "<Gravity acceleration='0 -1 0'/><ImplicitEuler/>", NET, 3, tac_vec3(0.3, 0.05, 0.02),
              tac_vec3(-1, 0, 0), tac_vec3(-2, 1, 0));
    TacWorld *world = finish(t, 1);
    TacMomentum start = tac_world_momentum(world);
    advance(world, 0.5);
    TacVec3 gained = tac_sub(tac_world_momentum(world).linear, start.linear);
    TacVec3 given = {0.5 * 0.3, 0.5 * (0.2 - 2), 0.5 * -0.1};
    assert_true(tac_world_contact_stats(world).kicks > 1000);
    if (!(tac_norm(tac_sub(gained, given)) < 1e-10 * tac_norm(given)))
        fail_msg("gained %.12g %.12g %.12g", gained.x, gained.y, gained.z);
    tac_world_destroy(world);
}

// --- the same for all -------------------------------------------------------------------------------------

// Two soft bodies, of which one is large enough for sums to be shared; or a chain and a ball.
static TacWorld *collision(bool soft, int threads, const char *contact) {
    Text *t = begin(contact);
    if (soft) {
        add_block(t, "one", "<ImplicitEuler/>", SOFT_BLOCK, 4, none, tac_vec3(0.5, 0, 0), tac_vec3(1, -2, 3));
        add(t, "<node name='large'><ImplicitEuler step='0.003'/><Grid counts='11 11 11' low='0.11 -0.1 -0.1' "
               "high='0.4 0.1 0.1' split='true'/><Points velocities='-2 0 0'/><UniformMass "
               "total='1'/>" SOFT_BLOCK "<Skin/></node>");
    } else {
        add_chain(t, "<Spook step='0.003'/>", "BallJoint", 4);
        add_ball(t, tac_vec3(0.2, 0.11, 0.01), tac_vec3(0, -2, 0));
    }
    return finish(t, threads);
}

static void expect_same(bool soft) {
    const double end = 0.06;
    TacWorld *world = collision(soft, 1, "");
    advance(world, end);
    assert_true(tac_world_contact_stats(world).kicks > 200);
    uint64_t hash = tac_world_hash(world);
    tac_world_destroy(world);
    const struct {
        int threads;
        const char *contact;
    } others[] = {{2, ""}, {5, ""}, {1, "vagueness='0'"}, {1, "vagueness='10' k='6'"}};
    for (size_t i = 0; i < TAC_COUNT(others); i++) {
        world = collision(soft, others[i].threads, others[i].contact);
        advance(world, end);
        assert_true(tac_world_hash(world) == hash);
        tac_world_destroy(world);
    }
    expect_resumed(collision(soft, 1, ""), collision(soft, 2, ""), 0.0337, end, hash);
}

static void test_the_same_for_all_threads_and_tubes(void **state) {
    (void)state;
    expect_same(true);
    expect_same(false);
}

// --- laws -------------------------------------------------------------------------------------------------

static double next(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1;
}

// All of it moved a little and turned a lot, at some speed.
static void shake(const TacMatter *m, uint64_t *seed) {
    double *x = m->vectors[TAC_X], *v = m->vectors[TAC_V];
    size_t px = (size_t)m->position_size, pv = (size_t)m->velocity_size;
    TacQuat turn = tac_quat_from_vector(tac_vec3(0.7, -1.1, 0.4));
    for (size_t i = 0; i < m->count; i++) {
        if (px == 3 || px == 7) tac_store3(x + px * i, tac_rotate(turn, tac_load3(x + px * i)));
        if (px == 7) tac_store_quat(x + 7 * i + 3, tac_quat_mul(turn, tac_load_quat(x + 7 * i + 3)));
        for (size_t k = 0; k < (px == 7 ? 3 : px); k++) x[px * i + k] += 0.05 * next(seed);
    }
    for (size_t i = 0; i < pv * m->count; i++) v[i] = next(seed);
}

// The sum of forces and their torque, of all sizes of them; the torque of those that leave one may be anything.
static double unbalance(TacLaw *law) {
    const TacContext context = {0, 0.01, NULL};
    TacLawVectors vectors = {{NULL, NULL}, {NULL, NULL}, {NULL, NULL}};
    double *forces[2] = {NULL, NULL}, size = 0;
    TacVec3 push = none, turn = none;
    int count = law->matter[1] && law->matter[1] != law->matter[0] ? 2 : 1;
    for (int k = 0; k < 2 && law->matter[k]; k++) {
        const TacMatter *m = law->matter[k];
        if (k < count) forces[k] = calloc(tac_vector_size(m, TAC_V), sizeof(double));
        vectors.x[k] = m->vectors[TAC_X];
        vectors.v[k] = m->vectors[TAC_V];
        vectors.f[k] = forces[k < count ? k : 0];
    }
    law->base.cls->ops.law->force(law, &context, &vectors);
    for (int k = 0; k < count; k++) {
        const TacMatter *m = law->matter[k];
        size_t px = (size_t)m->position_size, pv = (size_t)m->velocity_size, n = pv < 3 ? pv : 3;
        for (size_t i = 0; i < m->count; i++) {
            double f[3] = {0}, x[3] = {0};
            memcpy(f, forces[k] + pv * i, n * sizeof(double));
            memcpy(x, m->vectors[TAC_X] + px * i, n * sizeof(double));
            push = tac_add(push, tac_load3(f));
            turn = tac_add(turn, tac_cross(tac_load3(x), tac_load3(f)));
            if (pv == 6) turn = tac_add(turn, tac_load3(forces[k] + 6 * i + 3));
            size += tac_norm(tac_load3(f)) * (1 + tac_norm(tac_load3(x)));
        }
        free(forces[k]);
    }
    return size > 0 ? (tac_norm(push) + (law->lopsided ? 0 : tac_norm(turn))) / size : 0;
}

// Laws that say that they act within their matter alone do; and many do say so.
static void test_inner_laws_neither_push_nor_turn(void **state) {
    (void)state;
    size_t inner = 0, felt = 0;
    uint64_t seed = 1;
    for (size_t i = 0; i < TAC_COUNT(examples); i++) {
        TacError error;
        TacWorld *world = try_world(examples[i].text, 1, &error);
        if (!world) continue;
        for (size_t k = 0; k < world->all.law_count; k++) {
            TacLaw *law = world->all.laws[k];
            if (!law->inner) continue;
            shake(law->matter[0], &seed);
            if (law->matter[1] && law->matter[1] != law->matter[0]) shake(law->matter[1], &seed);
            double off = unbalance(law);
            inner++;
            felt += off > 0;
            if (!(off < 1e-13))
                fail_msg("%s: forces of %s push or turn it by %g of their sizes", examples[i].class_name,
                         law->base.cls->name, off);
        }
        tac_world_destroy(world);
    }
    assert_true(inner > 50 && felt > 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_turns_by_itself),
        cmocka_unit_test(test_what_is_within_turns_nothing),
        cmocka_unit_test(test_frames_that_bend),
        cmocka_unit_test(test_things_of_one_agent_are_not_one),
        cmocka_unit_test(test_rows_of_frames_are_not_one),
        cmocka_unit_test(test_what_is_merged_is_not_one_by_open_links),
        cmocka_unit_test(test_a_sheet_folds_up),
        cmocka_unit_test(test_a_body_is_hit_by_a_ball),
        cmocka_unit_test(test_two_bodies_meet),
        cmocka_unit_test(test_a_chain_is_hit_by_a_ball),
        cmocka_unit_test(test_a_row_of_frames_is_hit_by_a_ball),
        cmocka_unit_test(test_points_on_a_frame_are_hit_by_a_ball),
        cmocka_unit_test(test_a_wire_is_hit_by_a_ball),
        cmocka_unit_test(test_a_wire_changes_its_resolution),
        cmocka_unit_test(test_outer_forces_push_as_they_are),
        cmocka_unit_test(test_the_same_for_all_threads_and_tubes),
        cmocka_unit_test(test_inner_laws_neither_push_nor_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
