// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Things that begin nearer than the thickness of safe contact: what is remarked on, what `near` refuses, and that the
// thickness that is named is the largest without such pairs.

#include "safe_checks.h"

#include "base/random.h"
#include "tactus/geometry.h"

#define FLOOR "<node name='floor'><Sheet divisions='1' width='4' depth='4'/><Points/><Skin/></node>"

// --- what is said -----------------------------------------------------------------------------------------

typedef struct Start {
    bool refused;
    char said[1024]; // of such pairs, as a remark or by refusing; empty: nothing
} Start;

static TacWorld *begin(const char *text, int threads, Start *start) {
    TacError error = {0};
    TacScene *scene;
    TacWorldDef def = tac_world_def_default();
    TacWorld *world = NULL;
    *start = (Start){.refused = true};
    def.threads = threads;
    assert_int_equal(tac_scene_create(&scene, &error), TAC_OK);
    if (tac_scene_parse(scene, "test.tac", text, strlen(text), &error) == TAC_OK)
        start->refused = tac_world_create(&world, scene, &def, &error) != TAC_OK;
    if (start->refused) {
        assert_int_equal(error.status, TAC_BAD_INPUT);
        memcpy(start->said, error.message, sizeof start->said);
    }
    for (size_t i = 0; i < tac_scene_message_count(scene); i++) {
        const TacSceneMessage *message = tac_scene_message(scene, i);
        if (!message->is_error && strstr(message->error.message, "nearer than the thickness"))
            memcpy(start->said, message->error.message, sizeof start->said);
    }
    tac_scene_destroy(scene);
    return world;
}

static Start start_of(const char *text, int threads) {
    Start start;
    tac_world_destroy(begin(text, threads, &start));
    return start;
}

static void expect(const Start *start, bool refused, size_t count, const char *const *pieces) {
    if (start->refused != refused) fail_msg("%s: %s", refused ? "accepted" : "refused", start->said);
    const char *at = start->said;
    for (size_t i = 0; i < count; i++) {
        if (!strstr(at, pieces[i]))
            fail_msg("no \"%s\", after what is before it, in: %s", pieces[i], start->said);
        at = strstr(at, pieces[i]) + strlen(pieces[i]);
    }
}

#define EXPECT(start, refused, ...)                                                                          \
    expect(start, refused, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *),                \
           (const char *const[]){__VA_ARGS__})

// Balls over one face of a floor, the 7th of them the nearest: 2^-11 m, others 2^-10 m. Radii that floats can hold.
static void make_balls(const char *contact, const char *others, int count) {
    size_t n = (size_t)snprintf(scene_text, sizeof scene_text,
                                "<tactus version='1'>\n<Contact method='safe' %s/>" FLOOR
                                "%s<node name='balls'><Points positions='",
                                contact, others);
    for (int i = 0; i < count; i++)
        n += (size_t)snprintf(scene_text + n, sizeof scene_text - n, "%g %.17g -1.9 ", 0.25 * (i - 6),
                              0.0625 + (i == 7 ? 0x1p-11 : 0x1p-10));
    snprintf(scene_text + n, sizeof scene_text - n,
             "'/><UniformMass mass='1'/><Balls radius='0.0625'/></node></tactus>");
}

static void test_a_remark_names_the_nearest(void **state) {
    (void)state;
    make_balls("thickness='0.002'", "", 12);
    Start start = start_of(scene_text, 1);
    EXPECT(&start, false,
           "12 pairs are nearer than the thickness at the start; layers between them are thinner",
           "Nearest are vertex 7 of /balls/balls and face ", "of /floor/skin, 0.000488281 m apart",
           "With no thickness above 0.000488281 m");
    make_balls("thickness='0.002' near='thinner'", "", 1);
    start = start_of(scene_text, 1);
    EXPECT(&start, false, "1 pair is nearer than", "vertex 0 of /balls/balls and face ",
           "With no thickness above 0.000976562 m");
    // what is as far apart as it is thick is not near
    make_balls("thickness='0.0009765625'", "", 7);
    start = start_of(scene_text, 1);
    assert_string_equal(start.said, "");
    make_balls("thickness='0.0009765625' near='refuse'", "", 7);
    assert_false(start_of(scene_text, 1).refused);
}

// Numbers with few digits are not made less.
static void test_a_round_thickness_stays_round(void **state) {
    (void)state;
    const double gaps[] = {0.125, 0.5, 0.0625, 1};
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++)
        for (int accepted = 0; accepted <= 1; accepted++) {
            snprintf(
                scene_text, sizeof scene_text,
                "<tactus version='1'><Contact method='safe' thickness='%.17g' near='refuse'/>" FLOOR
                "<node name='ball'><Points positions='0 %.17g -1'/><UniformMass/><Balls radius='0.0625'/>"
                "</node></tactus>",
                accepted ? gaps[i] : 2 * gaps[i], 0.0625 + gaps[i]);
            Start start = start_of(scene_text, 1);
            char words[64];
            snprintf(words, sizeof words, "With no thickness above %.6g m (", gaps[i]);
            if (accepted)
                assert_string_equal(start.said, "");
            else
                EXPECT(&start, true, words);
        }
}

// Two beads, 1.4 mm apart at rest, 5 mm above a floor.
static Start start_beads(double apart, double thickness) {
    snprintf(scene_text, sizeof scene_text,
             "<tactus version='1'><Contact thickness='%.17g' near='refuse'/>" FLOOR
             "<node name='beads'><Line divisions='1' to='%.17g 0 0'/><Points translation='0 0.0053 -1' "
             "rest='0 0 0  0.002 0 0'/><UniformMass/>"
             "<Balls radius='0.0003'/></node></tactus>",
             thickness, apart + 0.0006);
    return start_of(scene_text, 1);
}

static void test_what_is_as_near_at_rest_does_not_count(void **state) {
    (void)state;
    Start start = start_beads(0.0014, 0.0045);
    assert_string_equal(start.said, "");
    start = start_beads(0.0014, 0.01);
    EXPECT(&start, true, "2 pairs are", "vertex 0 of /beads/balls and face", "above 0.00499999 m");
    // crowded
    start = start_beads(0.0002, 0.0045);
    EXPECT(&start, true, "vertex 0 of /beads/balls and vertex 1 of /beads/balls", "above 0.000199999 m");
    // so little that their nests of a sixteenth have room; but not those of layers of 1 mm
    start = start_beads(0.0008, 0.01);
    EXPECT(&start, true, "2 pairs are", "vertex 0 of /beads/balls and face", "above 0.000799999 m");
    start = start_beads(0.0008, 0.001);
    EXPECT(&start, true, "1 pair is", "vertex 0 of /beads/balls and vertex 1 of /beads/balls");
}

static void test_a_refusal_names_the_first_ten(void **state) {
    (void)state;
    make_balls("thickness='0.002' near='refuse'", "", 3);
    Start start = start_of(scene_text, 1);
    EXPECT(&start, true,
           "/contact (Contact): 3 pairs are nearer than the thickness at the start, and near is refuse: ",
           "vertex 0 of /balls/balls and face ", " of /floor/skin; vertex 1 of /balls/balls and face ",
           "; vertex 2 of /balls/balls and face ", " of /floor/skin. With no thickness above 0.000976562 m");
    // by skins, then by elements: edges of the first skins come before vertices of later ones
    const char *wires =
        "<node name='a'><Mesh at='3 1 0  3 1 1  4 1 0  4 1 1' with_edges='0 1 2 3'/><Points/>"
        "<UniformMass/><Skin/></node><node name='b'>"
        "<Mesh at='2.5 1.0015 0.5  4.5 1.0015 0.5' with_edges='0 1'/><Points/><UniformMass/><Skin/></node>";
    make_balls("thickness='0.002' near='refuse'", wires, 12);
    start = start_of(scene_text, 1);
    EXPECT(&start, true, "14 pairs are",
           "refuse: edge 0 of /a/skin and edge 0 of /b/skin; "
           "edge 1 of /a/skin and edge 0 of /b/skin; vertex 0 of /balls/balls",
           "vertex 7 of /balls/balls and face ", "skin; and others. With no thickness above 0.000488281 m");
    assert_null(strstr(start.said, "vertex 8"));
}

// Ten of them, however long their names are, and still the thickness.
static void test_long_names_leave_room_for_the_thickness(void **state) {
    (void)state;
    size_t n = (size_t)snprintf(
        scene_text, sizeof scene_text,
        "<tactus version='1'><Contact method='safe' near='refuse' thickness='0.002'/>" FLOOR);
    for (int i = 0; i < 12; i++)
        n += (size_t)snprintf(
            scene_text + n, sizeof scene_text - n,
            "<node name='a_node_with_a_name_as_long_as_names_may_become_when_they_say_everything_%d'><Points "
            "positions='%g %.17g -1.9'/><UniformMass mass='1'/><Balls radius='0.0625'/></node>%s",
            i, 0.25 * (i - 6), 0.0625 + 0x1p-10, i < 11 ? "" : "</tactus>");
    Start start = start_of(scene_text, 1);
    EXPECT(&start, true, "12 pairs are", "_0/balls and ", "_9/balls and ", "; and others",
           "above 0.000976562 m", "none");
}

// --- who looks --------------------------------------------------------------------------------------------

static void test_the_same_is_said_whoever_looks(void **state) {
    (void)state;
    static const char *const some[] = {"",
                                       "tree='front'",
                                       "cull='false'",
                                       "k='6'",
                                       "k='26' tree='front'",
                                       "vagueness='0'",
                                       "cone='true' vagueness='100'"};
    for (int refuse = 0; refuse <= 1; refuse++) {
        Start first = {0};
        for (size_t i = 0; i < 2 * sizeof some / sizeof *some; i++) {
            snprintf(scene_text, sizeof scene_text,
                     "<tactus version='1'><Contact thickness='0.004' %s near='%s'/>" FLOOR
                     "<node name='cloth'><SymplecticEuler step='0.00125'/><Sheet divisions='12' width='0.1' "
                     "depth='0.1'/>"
                     "<Points translation='0.01 0.0007 0.02'/><UniformMass mass='0.005'/>"
                     "<Springs stiffness='60'/><Skin/></node>"
                     "<node name='rigid'><Frames positions='0.012 0.0211 0.023 0 0.1 0 1'/>"
                     "<UniformMass mass='0.05' box='0.06 0.04 0.05'/><node name='box'>"
                     "<Box low='-0.03 -0.02 -0.025' high='0.03 0.02 "
                     "0.025'/><Points/><RigidMap/><Skin/></node></node>"
                     "</tactus>",
                     some[i / 2], refuse ? "refuse" : "thinner");
            Start start = start_of(scene_text, i % 2 ? 3 : 1);
            assert_int_equal(start.refused, refuse);
            if (!i) first = start;
            if (strcmp(start.said, first.said))
                fail_msg("%s, %d threads:\n%s\n%s", some[i / 2], i % 2 ? 3 : 1, start.said, first.said);
        }
        EXPECT(&first, refuse, " pairs are nearer", "/cloth/skin and ", "With no thickness above 0.000");
    }
}

static void test_thinner_is_what_is_done_by_default(void **state) {
    (void)state;
    uint64_t hash[2];
    for (int said = 0; said <= 1; said++) {
        Start start;
        make_balls(said ? "thickness='0.002' near='thinner'" : "thickness='0.002'", "", 8);
        TacWorld *world = begin(scene_text, 1, &start);
        assert_non_null(world);
        advance(world, 0.05);
        assert_true(tac_world_contact_stats(world).kicks > 100);
        hash[said] = tac_world_hash(world);
        tac_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
    // nor does a scene without such pairs begin otherwise where they are refused
    for (int refuse = 0; refuse <= 1; refuse++) {
        make_balls(refuse ? "thickness='0.0004' near='refuse'" : "thickness='0.0004'", "", 8);
        TacWorld *world = make_world(scene_text, 1);
        advance(world, 0.05);
        hash[refuse] = tac_world_hash(world);
        tac_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

// --- random scenes ----------------------------------------------------------------------------------------

enum { THINGS = 5, MATERIALS = 3, SCENES = 40 };

// Things upon each other, each a little above the one before.
typedef struct Stack {
    char things[1 << 14];
    size_t length;
    double thickness, materials[MATERIALS]; // m
    int made_of[THINGS];                    // MATERIALS: of none
    double top;
} Stack;

static double few(TacRandom *random, double low, double high) {
    return pow(10, tac_random_between(random, log10(low), log10(high)));
}

static void add(Stack *stack, const char *format, ...) {
    va_list list;
    va_start(list, format);
    stack->length +=
        (size_t)vsnprintf(stack->things + stack->length, sizeof stack->things - stack->length, format, list);
    va_end(list);
    assert_true(stack->length < sizeof stack->things);
}

// Cloth that is crowded: at rest its points are farther apart than they begin. Some is so fine that it lies nearer than
// its thickness at rest.
static void add_cloth(Stack *stack, TacRandom *random, double turn, double y) {
    TacMesh mesh = {0};
    double width = few(random, 0.01, 0.2), stretched = tac_random_between(random, 1, 2.6);
    assert_int_equal(tac_mesh_sheet(&mesh, 5, 5, width, width, NULL), TAC_OK);
    add(stack, "<Sheet divisions='5' width='%.17g' depth='%.17g'/>", width, width);
    add(stack, "<Points rotation='0 %.17g 0' translation='0 %.17g 0' rest='", turn, y);
    for (size_t i = 0; i < 3 * mesh.point_count; i++) add(stack, "%.9g ", stretched * mesh.points[i]);
    add(stack, "'/><UniformMass/><Skin");
    tac_mesh_destroy(&mesh);
}

static void add_thing(Stack *stack, TacRandom *random, int number) {
    int kind = (int)(tac_random_bits(random) % 5), of = stack->made_of[number];
    double size = few(random, 0.02, 0.3), radius = 0.1 * size, turn = tac_random_between(random, 0, 90);
    double low = stack->top + few(random, 1e-6, 5e-3), high = low + 2 * size;
    add(stack, "<node name='thing%d'>", number);
    if (kind == 0) add_cloth(stack, random, turn, low);
    if (kind == 0) high = low;
    if (kind == 1)
        add(stack,
            "<Box low='%.17g 0 %.17g' high='%.17g %.17g %.17g'/><Points rotation='0 %.17g 0' "
            "translation='0 %.17g 0'/><UniformMass/><Skin",
            -size, -size, size, 2 * size, size, turn, low);
    if (kind == 2)
        add(stack,
            "<Sphere subdivisions='1' radius='%.17g'/><Points rotation='0 %.17g 0' translation='0 %.17g 0'/>"
            "<UniformMass/><Skin",
            size, turn, low + size);
    if (kind == 3) {
        add(stack,
            "<Line divisions='3' from='%.17g 0 0' to='%.17g 0 0'/><Points rotation='0 %.17g 0' "
            "translation='0 %.17g 0'/><UniformMass/><Skin radius='%.17g'",
            -size, size, turn, low + radius, radius);
        high = low + 2 * radius;
    }
    if (kind == 4)
        add(stack, "<Points positions='%.17g %.17g 0  0 %.17g 0'/><UniformMass/><Balls radius='%.17g'",
            2 * size + few(random, 1e-6, 5e-3), low + size, low + size, size);
    add(stack, " name='it'");
    if (of < MATERIALS) add(stack, " material='@/m%d'", of);
    add(stack, "/></node>");
    stack->top = high;
}

static void make_stack(Stack *stack, uint64_t seed) {
    TacRandom random = tac_random(seed, 5);
    *stack = (Stack){.thickness = few(&random, 2e-4, 2e-2)};
    for (int i = 0; i < MATERIALS; i++) stack->materials[i] = few(&random, 1e-4, 1e-2);
    for (int i = 0; i < THINGS; i++) {
        stack->made_of[i] = (int)(tac_random_bits(&random) % (MATERIALS + 1));
        add_thing(stack, &random, i);
    }
}

static double thickness_between(const Stack *stack, int a, int b) {
    const int of[2] = {stack->made_of[a], stack->made_of[b]};
    double sum = 0;
    for (int i = 0; i < 2; i++) sum += of[i] < MATERIALS ? stack->materials[of[i]] : 0;
    return sum > 0 ? sum : stack->thickness;
}

// Where nothing is thicker than `most`.
static Start start_stack(const Stack *stack, double most, const char *near) {
    static char text[1 << 16];
    size_t n = (size_t)snprintf(text, sizeof text,
                                "<tactus version='1'><Contact method='safe' thickness='%.17g' near='%s'/>",
                                stack->thickness, near);
    for (int i = 0; i < MATERIALS; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "<ContactMaterial name='m%d' thickness='%.17g'/>", i,
                              stack->materials[i]);
    n += (size_t)snprintf(text + n, sizeof text - n, "%s", stack->things);
    for (int i = 0; i < THINGS * THINGS; i++) {
        int a = i / THINGS, b = i % THINGS;
        if (a > b || !(thickness_between(stack, a, b) > most)) continue;
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "<ContactPair first_model='@/thing%d/it' second_model='@/thing%d/it' "
                              "thickness='%.17g'/>",
                              a, b, most);
    }
    snprintf(text + n, sizeof text - n, "</tactus>");
    Start start = start_of(text, 1);
    if (start.refused && !strstr(start.said, "near is refuse")) fail_msg("%s\n%s", start.said, text);
    return start;
}

static double number_after(const Start *start, const char *words) {
    const char *at = strstr(start->said, words);
    if (!at) fail_msg("no \"%s\" in \"%s\"", words, start->said);
    return strtod(at + strlen(words), NULL);
}

static void test_the_named_thickness_is_the_largest(void **state) {
    (void)state;
    static Stack stack;
    int near = 0;
    for (uint64_t seed = 0; seed < SCENES; seed++) {
        make_stack(&stack, seed);
        Start thinner = start_stack(&stack, INFINITY, "thinner"),
              refused = start_stack(&stack, INFINITY, "refuse");
        assert_false(thinner.refused);
        assert_int_equal(refused.refused, thinner.said[0] != 0);
        if (!refused.refused) continue;
        near++;
        double most = number_after(&refused, "With no thickness above ");
        assert_true(most == number_after(&thinner, "With no thickness above "));
        assert_true(strtol(strstr(refused.said, ": ") + 2, NULL, 10) ==
                    strtol(strstr(thinner.said, ": ") + 2, NULL, 10));
        // up to there, all are accepted without a word
        for (double less = most; less > 1e-7; less *= 0.6) {
            Start start = start_stack(&stack, less, less == most ? "refuse" : "thinner");
            if (start.refused || start.said[0])
                fail_msg("scene %d, %g of %g m: %s", (int)seed, less, most, start.said);
        }
        if (start_stack(&stack, most, "thinner").said[0]) fail_msg("scene %d: it is remarked on", (int)seed);
        double above = (1 + 1e-5) * most;
        if (!start_stack(&stack, above, "refuse").refused || !start_stack(&stack, above, "thinner").said[0])
            fail_msg("scene %d: more than %.17g m would do", (int)seed, most);
    }
    assert_true(near > SCENES / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_remark_names_the_nearest),
        cmocka_unit_test(test_a_round_thickness_stays_round),
        cmocka_unit_test(test_what_is_as_near_at_rest_does_not_count),
        cmocka_unit_test(test_a_refusal_names_the_first_ten),
        cmocka_unit_test(test_long_names_leave_room_for_the_thickness),
        cmocka_unit_test(test_the_same_is_said_whoever_looks),
        cmocka_unit_test(test_thinner_is_what_is_done_by_default),
        cmocka_unit_test(test_the_named_thickness_is_the_largest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
