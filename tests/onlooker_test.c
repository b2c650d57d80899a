// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Whether anybody looks never changes what happens. The same things are done to two worlds at the same ticks, by hands,
// pins, the sphere, throws, changed attributes and set states; one is looked at in every way before and after each of them,
// the other never. They have the same bits; so has a third that is given the log of inputs and runs in one go.

#define _GNU_SOURCE
#include "base/random.h"
#include "look_checks.h"

static const char safe_scene[] =
    "<tactus version='1' dt='0.005' gravity='0 -9.81 0'>"
    "<Contact method='safe' thickness='0.02' friction='0.3' restitution='0.3' speed='1'/>"
    "<node name='floor'><Sheet divisions='1' width='6' depth='6'/><Points/><FixedPoints points='0-3'/><Skin/>"
    "</node>"
    "<node name='cloth'><ImplicitEuler/><Sheet divisions='3' width='0.6' depth='0.6' translation='0 0.05 0'/>"
    "<Points/><UniformMass mass='0.02'/><MeshSprings triangles='30'/><Skin/></node>"
    "<node name='free'><Points positions='0.9 0.3 0  1.3 0.3 0' velocities='0 -1 0  0 0 0'/>"
    "<UniformMass mass='0.1'/><Springs name='springs' pairs='0 1' stiffness='20'/>"
    "<Balls radius='0.1'/></node>"
    "<node name='one'><Points positions='-1 0.15 0'/><UniformMass mass='0.1'/><Balls "
    "radius='0.1'/></node>"
    "<node name='body'><Spook/><Frames positions='0 0.6 1 0 0 0 1'/><UniformMass mass='1' box='0.3 0.3 0.3'/>"
    "<node name='skin'><Box low='-0.15 -0.15 -0.15' high='0.15 0.15 "
    "0.15'/><Points/><RigidMap/><Skin/></node></node></tactus>";

static const char causal_scene[] =
    "<tactus version='1' dt='0.01' gravity='0 -9.81 0'>"
    "<node name='cloth'><ImplicitEuler/><Sheet divisions='3' width='0.6' depth='0.6'/><Points/>"
    "<UniformMass mass='0.02'/><Triangles young='1e4' thickness='0.001'/><FixedPoints points='0'/></node>"
    "<node name='soft'><ImplicitEuler/><Grid counts='2 2 2' split='true'/><Points/><UniformMass mass='0.1'/>"
    "<Tetrahedra young='1e3' plastic_yield='1e-4' plastic_limit='0.1' plastic_creep='0.3'/>"
    "<FixedPoints points='0 1'/></node>"
    "<node name='free'><Points positions='0 0 3  1 0 3  2 0 3'/><UniformMass mass='0.1'/>"
    "<Springs name='springs' pairs='0 1' stiffness='20' period='0.0007'/>"
    "<ConditionalLinks pairs='1 2' states='whole broken' stiffness='30 0' damping='0 0' rest='1 0' "
    "transitions='whole to broken when distance above 1.5'/></node>"
    "<node name='exact'><RungeKutta4 step='0.00333333333333333333'/><Points positions='0 0 5  1 0 5'/>"
    "<UniformMass mass='0.1'/><Springs pairs='0 1' stiffness='20'/></node>"
    "<node name='body'><Spook/><Frames positions='0 2 1 0 0 0 1'/><UniformMass mass='1' box='0.3 0.3 0.3'/>"
    "<node name='wire'><Line divisions='16' from='0 2 1' to='2 2 1'/><Points/><Wire mass='0.1' "
    "cost='0.0002' start='@/body/frames'/></node></node></tactus>";

static const char loose_scene[] =
    "<tactus version='1' dt='0.01' gravity='0 -9.81 0' scheduler='loose'>"
    "<node name='ground'><Frames/><Shape shape='half_space'/></node>"
    "<node name='body'><SymplecticEuler/><Agent by_sleep='true' adaptive='true' rest='true'/>"
    "<Frames positions='0 0.16 0 0.01 0.02 0 1'/><UniformMass mass='1' box='0.3 0.3 0.3'/>"
    "<Shape size='0.3 0.3 0.3'/></node>"
    "<node name='one'><SymplecticEuler/><Agent frequency='150' rest='true'/><Frames positions='0.05 0.5 0 0 "
    "0 0 "
    "1'/><UniformMass mass='0.2' box='0.2 0.2 0.2'/><Shape shape='sphere' radius='0.1'/></node>"
    "<node name='cloth'><ImplicitEuler/><Agent priority='2'/><Sheet divisions='3' width='0.6' depth='0.6' "
    "translation='2 0.4 0'/><Points/><UniformMass mass='0.02'/><MeshSprings name='springs' triangles='30'/>"
    "<FixedPoints points='0'/><Balls radius='0.05'/></node></tactus>";

typedef struct Kind {
    const char *name, *scene;
    const char *matters[5];
} Kind;

static const Kind kinds[] = {
    {"safe", safe_scene, {"/cloth/points", "/free/points", "/one/points", "/body/frames", NULL}},
    {
        "causal",
        causal_scene,
        {"/cloth/points", "/soft/points", "/free/points", "/exact/points", "/body/frames"},
    },
    {"loose", loose_scene, {"/body/frames", "/one/frames", "/cloth/points", NULL, NULL}},
};

typedef struct Deed {
    TacInput input;
    char state;     // 'v', 'x': sets velocities or positions of the matter instead
    double advance; // s, afterwards
} Deed;

static TacVec3 somewhere(TacRandom *r, double reach) {
    return tac_vec3(tac_random_between(r, -reach, reach), tac_random_between(r, 0.3, 0.3 + reach),
                    tac_random_between(r, -reach, reach));
}

static Deed think_of(const TacWorld *w, const Kind *kind, TacRandom *r, bool states) {
    static const TacInputKind likely[] = {TAC_INPUT_GRAB,    TAC_INPUT_DRAG,   TAC_INPUT_DRAG,
                                          TAC_INPUT_RELEASE, TAC_INPUT_PIN,    TAC_INPUT_UNPIN,
                                          TAC_INPUT_SPHERE,  TAC_INPUT_SPHERE, TAC_INPUT_GRAB,
                                          TAC_INPUT_CAMERA,  TAC_INPUT_SELECT};
    size_t matters = 0;
    while (matters < 5 && kind->matters[matters]) matters++;
    Deed d = {.input.kind = likely[tac_random_bits(r) % TAC_COUNT(likely)]};
    d.input.hand = (int)(tac_random_bits(r) % 3);
    d.input.component = tac_world_find(w, kind->matters[tac_random_bits(r) % matters]);
    d.input.point = tac_random_bits(r) % tac_world_point_count(w, d.input.component);
    d.input.a = somewhere(r, 0.5);
    d.input.b = somewhere(r, 2);
    d.input.value =
        d.input.kind == TAC_INPUT_SPHERE ? (tac_random_bits(r) % 3 ? 0.2 : 0) : tac_random_between(r, 0.5, 5);
    if (d.input.kind == TAC_INPUT_RELEASE) d.input.value = (double)(tac_random_bits(r) % 2);
    if (states && tac_random_bits(r) % 6 == 0) d.state = 'v';
    // beats, and what lies between them; some things are done at the same tick
    uint64_t when = tac_random_bits(r) % 4;
    double beat = tac_world_beat(w);
    d.advance = when == 0   ? 0
                : when == 1 ? tac_random_between(r, 0, 3) * beat
                            : (double)(1 + tac_random_bits(r) % 4) * beat;
    return d;
}

static void look(TacWorld *w) {
    tac_world_energy(w);
    tac_world_momentum(w);
    tac_world_hash(w);
    TacScalarSheet *sheet;
    assert_int_equal(tac_scalar_sheet_create(&sheet, w, NULL), TAC_OK);
    for (int what = 0; what <= TAC_SCALAR_LAYER; what++) tac_scalar_sheet_fill(sheet, what);
    tac_scalar_sheet_destroy(sheet);
    TacVec3 force, place;
    for (int hand = 0; hand < TAC_HANDS; hand++) tac_world_hand_force(w, hand, &force, &place);
    size_t bytes = tac_world_snapshot_size(w);
    void *kept = malloc(bytes);
    assert_int_equal(tac_world_save(w, kept, bytes, NULL), TAC_OK);
    free(kept);
    tac_world_positions(w, tac_world_matter(w, 0));
}

static void set_state(TacWorld *w, const Deed *d) {
    TacMatter *m = tac_world_get_matter(w, d->input.component);
    size_t n = tac_vector_size(m, TAC_V);
    double *v = malloc(n * sizeof *v);
    memcpy(v, tac_world_velocities(w, d->input.component), n * sizeof *v);
    v[0] += d->input.a.x;
    assert_int_equal(tac_world_set_state(w, d->input.component, NULL, v, NULL), TAC_OK);
    free(v);
}

// Runs; where time is looked at, in pieces with looks between them.
static void run(TacWorld *w, double seconds, bool looked_at) {
    TacError error = {0};
    int64_t ticks = (int64_t)llround(seconds / w->base.tick), from = tac_world_tick(w);
    for (int piece = 1; piece <= (looked_at ? 3 : 1); piece++) {
        int64_t target = from + (looked_at && piece < 3 ? ticks / 3 * piece : ticks);
        if (looked_at) look(w);
        TacStatus status = tac_world_advance(w, (double)(target - tac_world_tick(w)) * w->base.tick, &error);
        if (status != TAC_OK) fail_msg("%s", error.message);
        assert_int_equal(tac_world_tick(w), target);
    }
}

static void play(TacWorld *w, const Kind *kind, uint64_t seed, bool states, bool looked_at) {
    TacRandom r = tac_random(seed, 0);
    for (int i = 0; i < 25; i++) {
        Deed d = think_of(w, kind, &r, states);
        if (looked_at) look(w);
        if (d.state)
            set_state(w, &d);
        else
            tac_world_input(w, &d.input, NULL); // some make no sense, and are refused in both worlds
        if (looked_at && i % 2) look(w);
        run(w, d.advance, looked_at);
    }
    run(w, 3 * tac_world_beat(w), looked_at);
}

static void compare(TacWorld *a, TacWorld *b, const char *kind, uint64_t seed, const char *who) {
    if (tac_world_hash(a) != tac_world_hash(b))
        fail_msg("%s world, seed %llu: other bits %s", kind, (unsigned long long)seed, who);
}

static void test_nobody_who_looks_changes_anything(void **state) {
    (void)state;
    for (size_t k = 0; k < TAC_COUNT(kinds); k++)
        for (uint64_t seed = 1; seed <= 16; seed++) {
            TacWorld *alone = world_of(kinds[k].scene), *seen = world_of(kinds[k].scene);
            bool states = seed % 2 == 0;
            play(alone, &kinds[k], seed, states, false);
            play(seen, &kinds[k], seed, states, true);
            compare(alone, seen, kinds[k].name, seed, "where somebody looked");
            tac_world_destroy(alone);
            tac_world_destroy(seen);
        }
}

static void test_the_log_gives_the_same_bits(void **state) {
    (void)state;
    const char *path = "onlooker_test.tacin";
    for (size_t k = 0; k < TAC_COUNT(kinds); k++)
        for (uint64_t seed = 101; seed <= 110; seed++) {
            TacError error = {0};
            TacWorld *seen = world_of(kinds[k].scene), *again = world_of(kinds[k].scene);
            play(seen, &kinds[k], seed, false, true);
            assert_int_equal(tac_world_save_inputs(seen, path, &error), TAC_OK);
            if (tac_world_replay_inputs(again, path, &error) != TAC_OK) fail_msg("%s", error.message);
            run(again, (double)tac_world_tick(seen) * again->base.tick, false);
            compare(seen, again, kinds[k].name, seed, "from the log");
            size_t first, second;
            tac_world_inputs(seen, &first);
            tac_world_inputs(again, &second);
            assert_true(first == second && first > 5);
            tac_world_destroy(seen);
            tac_world_destroy(again);
        }
    remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nobody_who_looks_changes_anything),
        cmocka_unit_test(test_the_log_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
