// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What rests in worlds with safe contact does not move, however its meshes are divided and however exactly things lie upon each
// other: aligned stacks, bodies above the seams of a floor, light things under heavy ones. And what was left out for that,
// edges and vertices inside flat parts, is missed by nobody: nothing passes through folds, ridges or spikes.

#include "safe_checks.h"

static const double thickness = 0.004;

// A floor of so many squares a side, which never moves.
static int put_floor(char *to, size_t room, int divisions) {
    return snprintf(to, room,
                    "<node name='floor'><Sheet divisions='%d' width='4' depth='4'/><Points/><Skin/></node>",
                    divisions);
}

// The fastest vertex at ever different moments of a beat, m/s.
static double fastest(TacWorld *world, int moments) {
    double most = 0;
    for (int k = 0; k < moments; k++) {
        advance(world, 1.3e-3);
        for (size_t m = 0; m < tac_world_matter_count(world); m++) {
            TacComponentId id = tac_world_matter(world, m);
            if (tac_world_kind(world, id) != TAC_VEC3) continue; // frames are seen by what they carry
            const double *v = tac_world_velocities(world, id);
            for (size_t i = 0; i < tac_world_point_count(world, id); i++)
                most = fmax(most, tac_norm(tac_load3(v + 3 * i)));
        }
    }
    return most;
}

// --- soft bodies on each other ------------------------------------------------------------------------------

typedef struct Soft {
    double young, step, ratio; // Pa, s, of the masses of the upper and the lower one
    double friction, slope;    // of the floor: part of what friction holds
} Soft;

// Two blocks, each with a solver of its own, the upper one not quite above the lower one.
static const char *soft_scene(const Soft *s, const char *looking) {
    static char text[4096];
    double angle = atan(s->slope * s->friction), high = s->slope > 0 ? 0.1 : 0.2;
    int at = snprintf(text, sizeof text,
                      "<tactus version='1' dt='0.005' gravity='%.17g %.17g 0'><Contact method='safe' "
                      "restitution='0' thickness='%g' friction='%g' %s/>",
                      9.81 * sin(angle), -9.81 * cos(angle), thickness, s->friction, looking);
    at += put_floor(text + at, sizeof text - (size_t)at, 1);
    for (int i = 0; i < 2; i++) {
        double x = i ? -0.09 : -0.1, y = i ? 0.0145 + high : 0.0045, z = i ? -0.087 : -0.1;
        at +=
            snprintf(text + at, sizeof text - (size_t)at,
                     "<node name='b%d'><ImplicitEuler step='%.17g' damping_stiffness='0.01'/><SparseDirect/>"
                     "<Grid counts='3 3 3' low='%g %g %g' high='%g %g %g' split='true'/><Points/>"
                     "<UniformMass total='%g'/><Tetrahedra young='%g' poisson='0.3'/><Damping "
                     "coefficient='0.02'/><Skin/></node>",
                     i, s->step, x, y, z, x + 0.2, y + high, z + 0.2, i ? 4 * s->ratio : 4, s->young);
    }
    snprintf(text + at, sizeof text - (size_t)at, "</tactus>");
    return text;
}

static TacWorld *soft_blocks(const Soft *s) {
    return make_world(soft_scene(s, ""), 1);
}

// Where the middle of a block is, across the floor.
static double middle_of(TacWorld *world, const char *path) {
    TacComponentId id = tac_world_find(world, path);
    const double *x = tac_world_positions(world, id);
    size_t n = tac_world_point_count(world, id);
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[3 * i];
    return sum / (double)n;
}

// What each solver would guess of the other one must not rock them, nor let them creep.
static void test_soft_bodies_lie_on_each_other(void **state) {
    (void)state;
    const Soft cases[] = {{1e6, 0.005, 1, 0.3, 0},   {1e6, 0.005, 3, 0.3, 0},   {1e6, 0.01, 1, 0.3, 0},
                          {1e6, 0.005, 1, 0.8, 0},   {3e5, 0.005, 1, 0.3, 0},   {3e6, 0.0025, 1, 0.3, 0},
                          {3e6, 0.005, 1, 0.3, 0.9}, {1e6, 0.005, 1, 0.3, 0.9}, {1e6, 1. / 60, 1, 0.3, 0.9},
                          {1e5, 0.0025, 1, 0.3, 0},  {3e5, 0.0025, 1, 0.3, 0},  {3e5, 0.01, 1, 0.3, 0},
                          {3e6, 0.005, 1, 0.3, 0},   {1e7, 0.005, 1, 0.3, 0},   {3e6, 1. / 60, 1, 0.3, 0},
                          {3e6, 0.005, 3, 0.3, 0},   {1e7, 1. / 60, 1, 0.3, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const Soft *s = &cases[i];
        TacWorld *world = soft_blocks(s);
        advance(world, 3);
        double from[2] = {middle_of(world, "/b0/points"), middle_of(world, "/b1/points")};
        double most = fastest(world, 40);
        uint64_t kicks = tac_world_stats(world).agent_kicks;
        advance(world, 1);
        kicks = tac_world_stats(world).agent_kicks - kicks;
        double way = fmax(fabs(middle_of(world, "/b0/points") - from[0]),
                          fabs(middle_of(world, "/b1/points") - from[1]));
        print_message("%g Pa, %g s, ratio %g, friction %g, slope %g: %.3f mm/s, %.4f mm\n", s->young, s->step,
                      s->ratio, s->friction, s->slope, 1e3 * most, 1e3 * way);
        assert_true(most < 1e-3);
        assert_true(way < 1e-5);
        assert_true((double)kicks * s->step < 2.1); // nobody's step is cut
        tac_world_destroy(world);
    }
}

// What they find together follows from where they are, and from nothing that looks, threads or saves.
static void test_soft_bodies_on_each_other_have_the_same_bits(void **state) {
    (void)state;
    const Soft s = {3e6, 0.005, 1, 0.3, 0};
    const double end = 0.2;
    TacWorld *world = soft_blocks(&s);
    advance(world, end);
    uint64_t hash = tac_world_hash(world);
    tac_world_destroy(world);
    const char *const looking[] = {"", "tree='front'", "cull='false'", "vagueness='3'"};
    for (size_t i = 0; i < sizeof looking / sizeof *looking; i++) {
        world = make_world(soft_scene(&s, looking[i]), i == 0 ? 3 : 1);
        advance(world, end);
        assert_true(tac_world_hash(world) == hash);
        tac_world_destroy(world);
    }
    expect_resumed(soft_blocks(&s), soft_blocks(&s), 0.12, end, hash);
}

// --- boxes on soft bodies -------------------------------------------------------------------------------------

// A rigid box on a soft block, which knows how the box gives way to all that pushes it at once, whoever moves the box.
static const char *borne_scene(const char *solver, double young, double step, double restitution,
                               const char *looking) {
    static char text[4096];
    int at = snprintf(text, sizeof text,
                      "<tactus version='1' dt='0.01'><Contact thickness='0.002' friction='0.5' "
                      "restitution='%g' %s/>",
                      restitution, looking);
    at += put_floor(text + at, sizeof text - (size_t)at, 1);
    snprintf(
        text + at, sizeof text - (size_t)at,
        "<node name='soft'><ImplicitEuler step='%g' damping_stiffness='0.002'/><Grid counts='4 3 4' "
        "low='-0.1 -0.05 -0.1' high='0.1 0.05 0.1' split='true' surface='true'/><Points translation='0 "
        "0.055 0'/><UniformMass total='1'/><Tetrahedra young='%g'/><Skin/></node>"
        "<node name='box'>%s<Frames positions='0.01 0.16 0 0 0 0 1'/><UniformMass mass='1' box='0.15 0.1 "
        "0.15'/><node name='k'><Box low='-0.075 -0.05 -0.075' high='0.075 0.05 0.075'/><Points/>"
        "<RigidMap/><Skin/></node></node></tactus>",
        step, young, solver);
    return text;
}

static void test_boxes_lie_on_soft_bodies(void **state) {
    (void)state;
    const struct {
        const char *solver;
        double young, step, restitution;
    } cases[] = {{"", 1e6, 0.01, 0},
                 {"", 1e5, 0.01, 0},
                 {"", 1e6, 0.0025, 0.5},
                 {"<SymplecticEuler/>", 1e6, 0.01, 0},
                 {"<ImplicitEuler/>", 1e6, 0.01, 0},
                 {"<Spook step='0.005'/>", 1e6, 0.01, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        TacWorld *world = make_world(
            borne_scene(cases[i].solver, cases[i].young, cases[i].step, cases[i].restitution, ""), 1);
        advance(world, 2.5);
        double most = fastest(world, 60);
        print_message("%s %g Pa, %g s: %.3f mm/s\n", cases[i].solver, cases[i].young, cases[i].step,
                      1e3 * most);
        assert_true(most < 8e-4);
        tac_world_destroy(world);
    }
}

static void test_boxes_on_soft_bodies_have_the_same_bits(void **state) {
    (void)state;
    const double end = 0.25;
    const char *const looking[] = {"", "", "tree='front'", "cull='false'", "vagueness='3'"};
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof looking / sizeof *looking; i++) {
        TacWorld *world = make_world(borne_scene("", 1e6, 0.01, 0, looking[i]), i == 0 ? 3 : 1);
        advance(world, end);
        if (i == 0) hash = tac_world_hash(world);
        assert_true(tac_world_hash(world) == hash);
        tac_world_destroy(world);
    }
    TacWorld *first = make_world(borne_scene("", 1e6, 0.01, 0, ""), 1),
             *second = make_world(borne_scene("", 1e6, 0.01, 0, ""), 1);
    expect_resumed(first, second, 0.14, end, hash);
}

// --- cost ---------------------------------------------------------------------------------------------------

// Pairs that lie on what does not fall with them are as certain between two looks as any: which layers to look at is not asked
// anew at each change of pace.
static void test_what_rests_is_hardly_judged(void **state) {
    (void)state;
    static char text[2048];
    int at = snprintf(text, sizeof text, "<tactus version='1'><Contact thickness='0.002'/>");
    at += put_floor(text + at, sizeof text - (size_t)at, 1);
    snprintf(text + at, sizeof text - (size_t)at,
             "<node name='cloth'><SymplecticEuler step='0.0005'/><Sheet divisions='12' width='0.25' "
             "depth='0.25' translation='0.3 0.0021 0.1'/><Points/><UniformMass mass='0.012'/>"
             "<Springs stiffness='50'/><Skin/></node></tactus>");
    TacWorld *world = make_world(text, 1);
    advance(world, 0.2);
    TacContactStats stats = tac_world_contact_stats(world);
    print_message("%.0f looks, %.0f certificates processed\n", (double)stats.looks,
                  (double)stats.certificates_processed);
    assert_true(stats.looks > 500000);
    assert_true(stats.certificates_processed < stats.looks / 50);
    tac_world_destroy(world);
}

// --- stacks -------------------------------------------------------------------------------------------------

typedef struct Stack {
    int boxes, divisions;
    double growth; // mass of each box over that of the one below
    double restitution, x, settle, most, friction;
} Stack;

// Boxes exactly on top of each other.
static TacWorld *stack(const Stack *s) {
    static char text[8192];
    int at = snprintf(text, sizeof text,
                      "<tactus version='1'><Contact method='safe' restitution='%g' thickness='%g' "
                      "friction='%g'/>",
                      s->restitution, thickness, s->friction);
    at += put_floor(text + at, sizeof text - (size_t)at, s->divisions);
    for (int i = 0; i < s->boxes; i++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "<node name='b%d'><Frames positions='%g %.17g 0 0 0 0 1'/><UniformMass mass='%g' "
                       "box='0.2 0.1 0.2'/><node name='s'><Box low='-0.1 -0.05 -0.1' high='0.1 0.05 0.1'/>"
                       "<Points/><RigidMap/><Skin/></node></node>",
                       i, s->x, 0.05 + 1.1 * thickness + i * (0.1 + 1.1 * thickness), pow(s->growth, i));
    snprintf(text + at, sizeof text - (size_t)at, "</tactus>");
    return make_world(text, 1);
}

// Lets it settle; then no vertex may be faster than that, nor the second box move far.
static void expect_still(const Stack *s, double far) {
    TacWorld *world = stack(s);
    advance(world, s->settle);
    TacVec3 before = tac_load3(places(world, "/b1/frames"));
    double most = fastest(world, 60);
    double moved = tac_norm(tac_sub(tac_load3(places(world, "/b1/frames")), before));
    if (!(most < s->most && moved < far))
        fail_msg("%d boxes, each %g times the last, e = %g, friction %g: a vertex moves at %g m/s, and a box "
                 "by %g m",
                 s->boxes, s->growth, s->restitution, s->friction, most, moved);
    tac_world_destroy(world);
}

// Velocities go up and down between kicks by the weight times a layer's period: some tenths of a millimetre a second.
static void test_aligned_stacks_are_still(void **state) {
    (void)state;
    const Stack stacks[] = {
        {5, 1, 1, 0, 0.1, 0.5, 6e-4, 0.4},
        {3, 12, 1, 0.8, 0.1, 0.5, 6e-4, 0.4},
        {2, 1, 1, 0.3, 0, 0.4, 6e-4, 0.4}, // corners above the floor's seam
        {3, 1, 0.2, 0, 0.1, 0.5, 6e-4, 0.4},
    };
    for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) expect_still(&stacks[i], 5e-6);
}

// A box that carries many times what it weighs is pressed from above and from below at the same instants. Heavy ones on soft
// layers rock for a while.
static void test_loads_are_borne_quietly(void **state) {
    (void)state;
    const Stack stacks[] = {
        {2, 1, 30, 0, 0.1, 2, 1e-3, 0.4},
        {2, 1, 100, 0, 0.3, 1.5, 1e-3, 0.5},
        {2, 1, 100, 0.3, 0.1, 2, 1e-3, 0.5},
        {3, 1, 10, 0, 0.1, 2, 1e-3, 0.5}, // a hundred on ten on one
    };
    for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) expect_still(&stacks[i], 2e-5);
}

// Nothing holds them but that nothing pushes them aside.
static void test_smooth_stacks_stay(void **state) {
    (void)state;
    const Stack stacks[] = {
        {2, 1, 1, 0, 0.1, 1.5, 1e-3, 0},
        {2, 1, 1, 0.5, 0.3, 1.5, 1e-3, 0},
        {3, 1, 1, 0, 0.1, 1.5, 1e-3, 0},
    };
    for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) expect_still(&stacks[i], 8e-5);
}

// A number from 0 to 1.
static double some(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) / 16777216.0;
}

// Boxes of many sizes and masses on top of each other, each turned, a little aside of the one below.
static TacWorld *turned(int boxes, uint32_t seed) {
    static char text[8192];
    int at = snprintf(text, sizeof text,
                      "<tactus version='1'><Contact method='safe' restitution='%g' thickness='%g' "
                      "friction='0.4'/>",
                      seed % 2 ? 0 : 0.3, thickness);
    at += put_floor(text + at, sizeof text - (size_t)at, 1);
    double top = 0;
    for (int i = 0; i < boxes; i++) {
        double x = 0.06 + 0.06 * some(&seed), y = 0.03 + 0.04 * some(&seed), z = 0.06 + 0.06 * some(&seed);
        double mass = pow(10, some(&seed) - 0.5), turn = 1.5 * some(&seed);
        double aside = 0.03 * some(&seed) - 0.015, before = 0.03 * some(&seed) - 0.015;
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "<node name='b%d'><Frames positions='%.17g %.17g %.17g 0 %.17g 0 %.17g'/><UniformMass "
                       "mass='%g' box='%g %g %g'/><node name='s'><Box low='-%g -%g -%g' high='%g %g %g'/>"
                       "<Points/><RigidMap/><Skin/></node></node>",
                       i, aside, top + y + 1.1 * thickness, before, sin(turn), cos(turn), mass, 2 * x, 2 * y,
                       2 * z, x, y, z, x, y, z);
        top += 2 * y + 1.1 * thickness;
    }
    snprintf(text + at, sizeof text - (size_t)at, "</tactus>");
    return make_world(text, 1);
}

// They rock as a whole on what gives way below them, and soon do so no longer.
static void test_turned_stacks_settle(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        TacWorld *world = turned(3 + (int)i, 7 + i);
        advance(world, 2);
        double most = fastest(world, 60);
        if (!(most < 1e-3)) fail_msg("%d boxes: a vertex moves at %g m/s", 3 + (int)i, most);
        tac_world_destroy(world);
    }
}

// --- floors -------------------------------------------------------------------------------------------------

// A floor is a plane: what lies on it feels nothing of how it is divided, nor where its seams are.
static void test_seams_are_not_felt(void **state) {
    (void)state;
    static const struct {
        int divisions;
        double x;
    } floors[] = {{1, 0.713}, {1, 0}, {1, 0.1}, {16, 0.713}, {40, 0.1}};
    double height = 0;
    size_t armed = 0;
    for (size_t i = 0; i < sizeof floors / sizeof *floors; i++) {
        char text[4096];
        int at = snprintf(text, sizeof text,
                          "<tactus version='1'><Contact method='safe' restitution='0' thickness='%g' "
                          "friction='0.4'/>",
                          thickness);
        at += put_floor(text + at, sizeof text - (size_t)at, floors[i].divisions);
        double x = floors[i].x;
        snprintf(text + at, sizeof text - (size_t)at,
                 "<node name='body'><ImplicitEuler step='0.005' damping_stiffness='0.01'/><SparseDirect/>"
                 "<Grid counts='3 3 3' low='%g 0.0041 -0.1' high='%g 0.2041 0.1' split='true'/><Points/>"
                 "<UniformMass total='4'/><Tetrahedra young='1e6' poisson='0.3'/><Skin/></node></tactus>",
                 x - 0.1, x + 0.1);
        TacWorld *world = make_world(text, 1);
        advance(world, 1.2);
        double most = fastest(world, 30), y = 0;
        for (size_t k = 0; k < 27; k++) y += places(world, "/body/points")[3 * k + 1] / 27;
        if (i == 0) height = y;
        if (i == 0) armed = tac_world_contact_stats(world).armed;
        if (!(most < 1e-4 && fabs(y - height) < 2e-6))
            fail_msg("floor %zu: moves at %g m/s, and lies %g m too high", i, most, y - height);
        // a vertex may lie above several faces, at most six of them; no edge touches a floor of many faces
        assert_true(tac_world_contact_stats(world).armed <= 6 * armed);
        tac_world_destroy(world);
    }
}

// Nothing but the floor's seams could push a cloth that lies on it without friction, and they lie aslant below every vertex
// beside them: what they push away moves faster and faster.
static void test_seams_push_nobody_aside(void **state) {
    (void)state;
    const int divisions[] = {1, 6};
    for (size_t i = 0; i < sizeof divisions / sizeof divisions[0]; i++) {
        static char text[2048];
        snprintf(text, sizeof text,
                 "<tactus version='1' dt='0.0025'><Contact thickness='0.057' friction='0' restitution='0.3'/>"
                 "<node name='floor'><Sheet divisions='%d' width='62' depth='62'/><Points/><Skin/></node>"
                 "<node name='cloth'><ImplicitEuler/><Sheet divisions='8' width='8.33756' depth='8.33756' "
                 "translation='0 0.06 0'/><Points/><UniformMass total='1.31'/>"
                 "<Springs stiffness='39.7' damping='0'/><Skin/></node></tactus>",
                 divisions[i]);
        TacWorld *world = make_world(text, 1);
        advance(world, 14);
        TacVec3 p = tac_world_momentum(world).linear;
        print_message("floor of %d x %d: %.2g kg m/s aside\n", divisions[i], divisions[i], hypot(p.x, p.z));
        assert_true(hypot(p.x, p.z) < 1e-9); // in a second, its weight gives 13
        tac_world_destroy(world);
    }
}

// Nor does what is thrown at them: beside a seam, a ball leaves as it does anywhere else.
static void test_seams_throw_nobody_aside(void **state) {
    (void)state;
    const double restitutions[] = {0.5, 1}, beside[] = {0, 1e-5, 1e-3};
    for (size_t i = 0; i < 6; i++) {
        double place = 0.1 + beside[i / 2] / sqrt(2);
        static char text[1024];
        snprintf(text, sizeof text,
                 "<tactus version='1' gravity='0 0 0'><Contact thickness='0.01' friction='0' "
                 "restitution='%g'/><node name='floor'><Sheet divisions='1' width='2' depth='2'/><Points/>"
                 "<Skin/></node><node name='ball'><Points positions='%.17g 0.1 %.17g' velocities='0 -1 0'/>"
                 "<UniformMass/><Balls radius='0.02'/></node></tactus>",
                 restitutions[i % 2], place, 0.2 - place);
        TacWorld *world = make_world(text, 1);
        advance(world, 0.3);
        const double *v = speeds(world, "/ball/points");
        assert_true(fabs(v[1] - restitutions[i % 2]) < 0.01);
        assert_true(hypot(v[0], v[2]) < 1e-12);
        tac_world_destroy(world);
    }
}

// Jointed boxes with steps of their own, on nine tenths of the slope that friction holds, on and off the seam.
static void test_jointed_boxes_hold_above_seams(void **state) {
    (void)state;
    static const double steps[] = {0.001, 1.0 / 60}, xs[] = {0.3, 0.45, 0.5, 0.62};
    for (int i = 0; i < 8; i++) {
        double x = xs[i / 2], angle = atan(0.45), y = 0.10501;
        TacWorld *world = MAKE(
            "<tactus version='1' dt='0.005' gravity='%.17g %.17g 0'><Contact method='safe' restitution='0' "
            "thickness='0.005' friction='0.5'/><node name='floor'><Sheet divisions='1' width='8' "
            "depth='8'/><Points/><Skin/></node><node name='thing'><Spook step='%.17g'/><Frames "
            "positions='%g %g 0.5 0 0 0 1  %g %g 0.5 0 0 0 1'/><UniformMass total='4' box='0.2 0.2 0.2'/>"
            "<LockJoint point='0' other='@frames' other_point='1' at='%g %g 0.5' compliance='1e-6'/><Shape "
            "size='0.2 0.2 0.2'/></node></tactus>",
            9.81 * sin(angle), -9.81 * cos(angle), steps[i % 2], x, y, x + 0.22, y, x + 0.11, y);
        advance(world, 1);
        TacVec3 before = tac_load3(places(world, "/thing/frames"));
        advance(world, 0.3);
        double crept = tac_norm(tac_sub(tac_load3(places(world, "/thing/frames")), before));
        if (!(crept < 5e-6)) fail_msg("%g s at %g m: crept by %g m", steps[i % 2], x, crept);
        tac_world_destroy(world);
    }
}

// Two boxes on a hinge, laid over a step: the one that hangs down leans with a corner on the other, and its weight presses them together
// as by a lever. Neither may tremble for that, nor the hinge hang loose.
static void test_hinged_boxes_lie_over_a_step(void **state) {
    (void)state;
    const struct {
        double step, friction, restitution, x;
    } cases[] = {{0.005, 0.5, 0.3, 0}, {0.005, 0.3, 0.3, 0}, {0.01, 0.5, 0.3, 0}, {0.005, 0.5, 0.3, 0.03}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double x = cases[i].x;
        TacWorld *world =
            MAKE("<tactus version='1' dt='0.01'><Contact thickness='0.002' friction='%g' restitution='%g'/>"
                 "<node name='floor'><Sheet divisions='1' width='4' depth='4'/><Points/><Skin/></node>"
                 "<node name='step'><Box low='-0.1 0.0021 -0.1' high='0.1 0.1 0.1'/><Points/><Skin/></node>"
                 "<node name='arm'><Spook step='%g'/><Frames positions='%g 0.16 0 0 0 0 1  %g 0.16 0.003 0 0 "
                 "0 1'/><UniformMass mass='1' box='0.2 0.1 0.1'/><HingeJoint name='hinge' point='0' "
                 "other='@frames' other_point='1' at='%g 0.16 0' axis='0 0 1'/>"
                 "<node name='a'><Box low='-0.1 -0.05 -0.05' high='0.1 0.05 0.05'/><Points/><RigidMap "
                 "frame='0'/><Skin/></node><node name='b'><Box low='-0.1 -0.05 -0.05' high='0.1 0.05 0.05'/>"
                 "<Points/><RigidMap frame='1'/><Skin/></node></node></tactus>",
                 cases[i].friction, cases[i].restitution, cases[i].step, x, x + 0.22, x + 0.11);
        advance(world, 2.5);
        double most = fastest(world, 200);
        const double *frames = places(world, "/arm/frames");
        const TacVec3 arm = {0.11, 0, 0}, other = {-0.11, 0, -0.003};
        TacVec3 a = tac_add(tac_load3(frames), tac_rotate(tac_load_quat(frames + 3), arm));
        TacVec3 b = tac_add(tac_load3(frames + 7), tac_rotate(tac_load_quat(frames + 10), other));
        double apart = tac_norm(tac_sub(a, b));
        print_message("step %g s, friction %g: %.3f mm/s, hinge %.3f mm apart\n", cases[i].step,
                      cases[i].friction, 1e3 * most, 1e3 * apart);
        assert_true(most < 1e-3);
        assert_true(apart < 1e-3);
        tac_world_destroy(world);
    }
}

// A cube, on nine tenths of slopes that friction holds, gentle and steep: it lands, sticks and does not walk. Layers of all
// thicknesses push often enough for it to seem still, in small worlds and in large ones.
static void test_cubes_stick_on_steep_slopes(void **state) {
    (void)state;
    static const struct {
        double friction, restitution, thickness, size, floor;
    } cubes[] = {{0.5, 0, 0.005, 0.2, 8}, {0.6, 0, 0.005, 0.2, 8}, {0.8, 0.5, 0.005, 0.2, 8},
                 {0.9, 0, 0.002, 0.2, 8}, {0.7, 0, 0.02, 0.2, 8},  {0.7, 0.2, 0.005, 0.1, 0.5},
                 {0.6, 0, 0.05, 2, 20}};
    for (size_t i = 0; i < sizeof cubes / sizeof *cubes; i++) {
        double angle = atan(0.9 * cubes[i].friction), half = 0.5 * cubes[i].size;
        TacWorld *world = MAKE(
            "<tactus version='1' gravity='%.17g %.17g 0'><Contact method='safe' restitution='%g' "
            "thickness='%g' friction='%g'/><node name='floor'><Sheet divisions='1' width='%g' "
            "depth='%g'/><Points/><Skin/></node><node name='b'><Frames positions='%g %g 0 0 0 0 1'/>"
            "<UniformMass mass='1' box='%g %g %g'/><node name='s'><Box low='-%g -%g -%g' high='%g %g %g'/>"
            "<Points/><RigidMap/><Skin/></node></node></tactus>",
            9.81 * sin(angle), -9.81 * cos(angle), cubes[i].restitution, cubes[i].thickness,
            cubes[i].friction, cubes[i].floor, cubes[i].floor, 0.1 * cubes[i].size,
            half + 1.05 * cubes[i].thickness, 2 * half, 2 * half, 2 * half, half, half, half, half, half,
            half);
        advance(world, 2);
        TacVec3 before = tac_load3(places(world, "/b/frames"));
        double most = fastest(world, 100);
        double crept = tac_norm(tac_sub(tac_load3(places(world, "/b/frames")), before));
        if (!(crept < 1e-6 && most < 1e-3)) fail_msg("cube %zu: at %g m/s, crept by %g m", i, most, crept);
        tac_world_destroy(world);
    }
}

// --- nothing is missed --------------------------------------------------------------------------------------

// A flat cloth of few points comes down on something that never moves.
static TacWorld *draped(const char *mesh) {
    return MAKE(
        "<tactus version='1' dt='0.005'><Contact method='safe' restitution='0' thickness='0.004' "
        "friction='0.3'/><node name='fixed'>%s<Points/><Skin/></node><node name='cloth'><SymplecticEuler "
        "step='0.00125'/><Sheet divisions='3' width='0.5' depth='0.5'/><Points translation='0.02 0.3 "
        "0.013' velocities='0 -2 0'/><UniformMass total='0.3'/><Springs stiffness='60' "
        "damping='0.05'/><Skin/></node></tactus>",
        mesh);
}

static double lowest(TacWorld *world) {
    double low = INFINITY;
    for (size_t i = 0; i < 16; i++) low = fmin(low, places(world, "/cloth/points")[3 * i + 1]);
    return low;
}

// Ridges, hardly visible ones, too; the edge of a sheet that is folded back onto itself in one plane; two flat fans that share
// a point.
static void test_what_is_not_flat_holds(void **state) {
    (void)state;
    static const char *const meshes[] = {
        "<Mesh at='-1 0 -1  1 0 -1  0 0.2 0.05  0 0.2 0.9  -1 0 1  1 0 1' with_triangles='0 2 4  2 3 4  2 1 "
        "5  2 5 3'/>",
        "<Mesh at='-1 0 -1  1 0 -1  -1 0 1  1 1e-9 1' with_triangles='0 1 2  1 3 2'/>",
        "<Mesh at='-0.03 0.1 -1  -0.03 0.1 1  -1 0.1 0  -0.9 0.1 0.3' with_triangles='0 1 2  1 0 3'/>",
        "<Mesh at='0 0.1 0  0.4 0.1 0  0.1 0.1 0.4  -0.4 0.1 0.1  -0.1 0.1 -0.4  0 0.2 0.001  0 0.1 0.4' "
        "with_triangles='0 1 2  0 2 3  0 3 4  0 4 1  0 5 6'/>",
    };
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++) {
        TacWorld *world = draped(meshes[i]);
        advance_audited(world, 0.5);
        tac_world_destroy(world);
    }
}

// Of a floor that lies flat, the middle is drawn up to a spike, under a cloth that lies on it; then it is put back. What was
// inside a flat part is not any more, and in a world that goes on from there, neither.
static void test_a_floor_that_is_put_elsewhere(void **state) {
    (void)state;
    static const char mesh[] = "<Sheet divisions='2' width='4' depth='4'/>";
    TacError error;
    double flat[27], spike[27];
    TacWorld *world = draped(mesh);
    assert_int_equal(tac_world_audit(world, &error), TAC_OK);
    TacComponentId floor = tac_world_find(world, "/fixed/points");
    assert_int_equal(tac_world_point_count(world, floor), 9);
    memcpy(flat, places(world, "/fixed/points"), sizeof flat);
    memcpy(spike, flat, sizeof flat);
    spike[3 * 4 + 1] = 0.2; // below the cloth still
    assert_int_equal(tac_world_set_state(world, floor, spike, NULL, &error), TAC_OK);
    size_t bytes = tac_world_snapshot_size(world);
    void *saved = malloc(bytes);
    assert_int_equal(tac_world_save(world, saved, bytes, &error), TAC_OK);
    advance(world, 0.35);
    assert_int_equal(tac_world_audit_summary(world).violations, 0);
    TacWorld *second = draped(mesh);
    assert_int_equal(tac_world_restore(second, saved, bytes, &error), TAC_OK);
    advance(second, 0.35);
    assert_true(tac_world_hash(second) == tac_world_hash(world));
    assert_int_equal(tac_world_set_state(world, floor, flat, NULL, &error), TAC_OK);
    advance(world, 0.6);
    assert_int_equal(tac_world_audit_summary(world).violations, 0);
    assert_true(lowest(world) > 0);
    free(saved);
    tac_world_destroy(world);
    tac_world_destroy(second);
}

// Bodies whose faces are divided meet, exactly aligned and not, fast and slowly.
static void test_divided_bodies_do_not_meet(void **state) {
    (void)state;
    for (int i = 0; i < 8; i++) {
        double speed = i % 2 ? 30 : 2;
        static const char *const turns[] = {"0 0 0 1", "0.3 0.1 0.2 0.92",
                                            "0 0.38268343236509 0 0.92387953251129", "0.5 0.5 0.5 0.5"};
        TacWorld *world = MAKE(
            "<tactus version='1' dt='0.005'><Contact method='safe' restitution='0.4' thickness='0.003' "
            "friction='0.3'/><node name='a'><Frames positions='0 0 0 0 0 0 1'/><UniformMass mass='1' "
            "box='0.2 "
            "0.2 0.2'/><node name='s'><Grid counts='4 3 4' low='-0.1 -0.1 -0.1' high='0.1 0.1 0.1' "
            "split='true'/><Points/><RigidMap/><Skin/></node></node><node name='b'><Frames positions='%g "
            "0.36 "
            "0 %s' velocities='0 %g 0 0 %g 0'/><UniformMass mass='2' box='0.2 0.2 0.2'/><node "
            "name='s'><Grid counts='3 4 3' low='-0.1 -0.1 -0.1' high='0.1 0.1 0.1' split='true'/><Points/>"
            "<RigidMap/><Skin/></node></node></tactus>",
            i < 4 ? 0 : 0.13, turns[i % 4], -speed, i % 3 ? 0.5 : 0);
        advance_audited(world, 0.3 / speed + 0.05);
        assert_true(tac_world_contact_stats(world).kicks > 0);
        tac_world_destroy(world);
    }
}

// Walls that move as told are as flat as floors. Turning ones stay flat, too.
static void test_seams_of_moving_walls_are_not_felt(void **state) {
    (void)state;
    const char *const ways[] = {"times='0 0.5' offsets='0 0 0  0 %g 0'", "speed='0 %g 0'",
                                "times='0 0.5' offsets='0 0 0  0 %g 0' rotations='0 0 0  0 1 0'"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char low[200], high[200];
        double way = i == 1 ? 0.2 : 0.1;
        snprintf(low, sizeof low, ways[i], way);
        snprintf(high, sizeof high, ways[i], -way);
        snprintf(scene_text, sizeof scene_text,
                 "<tactus version='1' dt='0.01' gravity='0 0 0'><Contact method='safe' thickness='0.001' "
                 "friction='0' restitution='0'/><node name='a'><Frames positions='0 0.2 0 0 0 0 1'/>"
                 "<UniformMass mass='1' box='0.1 0.1 0.1'/><node name='skin'><Box low='-0.05 -0.05 -0.05' "
                 "high='0.05 0.05 0.05'/><Points/><RigidMap/><Skin/></node></node>"
                 "<node name='low'><Sheet divisions='1' width='0.5' depth='0.5' translation='0 0.1 0'/>"
                 "<Points/><ScriptedMotion %s/><Skin/></node>"
                 "<node name='high'><Sheet divisions='1' width='0.5' depth='0.5' translation='0 0.3 0'/>"
                 "<Points/><ScriptedMotion %s/><Skin/></node></tactus>",
                 low, high);
        TacWorld *world = make_world(scene_text, 1);
        advance_audited(world, 0.2479);
        assert_true(tac_world_contact_stats(world).kicks > 0);
        TacVec3 spin = tac_world_momentum(world).angular;
        if (!(tac_norm(spin) < 1e-9)) fail_msg("walls %zu: it spins with %g kg m^2/s", i, tac_norm(spin));
        tac_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_rests_is_hardly_judged),
        cmocka_unit_test(test_aligned_stacks_are_still),
        cmocka_unit_test(test_soft_bodies_lie_on_each_other),
        cmocka_unit_test(test_soft_bodies_on_each_other_have_the_same_bits),
        cmocka_unit_test(test_boxes_lie_on_soft_bodies),
        cmocka_unit_test(test_boxes_on_soft_bodies_have_the_same_bits),
        cmocka_unit_test(test_loads_are_borne_quietly),
        cmocka_unit_test(test_smooth_stacks_stay),
        cmocka_unit_test(test_turned_stacks_settle),
        cmocka_unit_test(test_seams_are_not_felt),
        cmocka_unit_test(test_seams_push_nobody_aside),
        cmocka_unit_test(test_seams_throw_nobody_aside),
        cmocka_unit_test(test_jointed_boxes_hold_above_seams),
        cmocka_unit_test(test_hinged_boxes_lie_over_a_step),
        cmocka_unit_test(test_cubes_stick_on_steep_slopes),
        cmocka_unit_test(test_seams_of_moving_walls_are_not_felt),
        cmocka_unit_test(test_what_is_not_flat_holds),
        cmocka_unit_test(test_a_floor_that_is_put_elsewhere),
        cmocka_unit_test(test_divided_bodies_do_not_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
