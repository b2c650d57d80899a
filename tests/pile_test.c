// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Piles that move: the contacts that a world finds are those that looking at every pair finds, at every step that is
// looked at, and nothing depends on the number of threads. Two clouds of balls (frames of several sizes, and points)
// fall onto each other, turned bricks and the ground.

#define _GNU_SOURCE
#include "scene_checks.h"

#include <math.h>

#include "world/world.h"

enum { FRAMES = 900, POINTS = 200, BRICKS = 9, MOST_PAIRS = 20000 };

#define EXTRA 0.01 // thickness between the two clouds, m

static double radius_of_frame(int i) {
    return 0.04 + 0.005 * (i % 5);
}

static TacWorld *pile(int threads) {
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fprintf(f, "<tactus version='1' dt='0.002'><ContactMaterial name='m' friction='0.4' stiffness='2e4'/>"
               "<node name='ground'><Frames/><Shape shape='half_space' material='@/m'/></node>");
    fprintf(f, "<node name='bricks'><Frames positions='");
    for (int i = 0; i < BRICKS; i++) {
        TacQuat q = tac_quat_from_vector(tac_vec3(0.1 * i, 0.3 * i, -0.1 * i));
        fprintf(f, "%g 0.3 %g %.17g %.17g %.17g %.17g ", 0.4 * (i % 3) - 0.4, 0.4 * (i / 3) - 0.4, q.x, q.y,
                q.z, q.w);
    }
    fprintf(f, "'/><Shape size='0.25 0.1 0.25' material='@/m'/></node>");
    fprintf(f, "<node name='frames'><SymplecticEuler/><Frames positions='");
    for (int i = 0; i < FRAMES; i++) {
        int place = i * 389 % FRAMES; // neighbours in space are not neighbours in number
        fprintf(f, "%g %g %g 0 0 0 1 ", 0.13 * (place % 10) - 0.6 + 0.002 * (i % 7),
                0.6 + 0.13 * (place / 100), 0.13 * (place / 10 % 10) - 0.6 + 0.003 * (i % 5));
    }
    fprintf(f,
            "'/><UniformMass mass='0.5' inertia='4e-4 4e-4 4e-4'/><Balls name='b' material='@/m' radius='");
    for (int i = 0; i < FRAMES; i++) fprintf(f, "%g ", radius_of_frame(i));
    fprintf(f, "'/></node><node name='points'><SymplecticEuler/><Points positions='");
    for (int i = 0; i < POINTS; i++)
        fprintf(f, "%g %g %g ", 0.11 * (i % 10) - 0.5, 1.9 + 0.1 * (i / 100), 0.11 * (i / 10 % 10) - 0.5);
    fprintf(f,
            "'/><UniformMass mass='0.3'/><Balls name='b' radius='0.04' material='@/m'/></node>"
            "<ContactPair first_model='@/frames/b' second_model='@/points/b' thickness='%g'/></tactus>",
            EXTRA);
    fclose(f);
    TacScene *scene = empty_scene();
    TacError error;
    char line[2048];
    TacWorldDef def = tac_world_def_default();
    def.threads = threads;
    TacWorld *world = NULL;
    if (tac_scene_parse(scene, "pile.tac", text, strlen(text), &error) != TAC_OK ||
        tac_world_create(&world, scene, &def, &error) != TAC_OK)
        fail_msg("%s", tac_error_text(&error, line, sizeof line));
    tac_scene_destroy(scene);
    free(text);
    return world;
}

static void advance(TacWorld *world, int64_t beats) {
    TacError error = {0};
    char line[2048];
    if (tac_world_advance_beats(world, beats, &error) != TAC_OK)
        fail_msg("%s", tac_error_text(&error, line, sizeof line));
}

// --- looking at every pair --------------------------------------------------------------------------------

enum { GROUND, BRICK, FRAME, POINT }; // models, in the order of the scene

typedef struct Meeting {
    uint32_t model_a, a, model_b, b;
    double depth;
} Meeting;

typedef struct Meetings {
    Meeting items[MOST_PAIRS];
    size_t count;
} Meetings;

static const TacMatter *matter_of(const TacWorld *world, size_t i) {
    return world->matters[i];
}

// Where everything was when contacts were last looked for: at its own last kick.
static TacVec3 centre(const TacWorld *world, uint32_t model, uint32_t i) {
    const TacMatter *m = matter_of(world, model);
    return tac_load3(m->vectors[TAC_X] + (size_t)m->position_size * i);
}

static double radius(uint32_t model, uint32_t i) {
    return model == FRAME ? radius_of_frame((int)i) : 0.04;
}

static void add(Meetings *all, Meeting meeting) {
    if (!(meeting.depth > 0)) return;
    assert_true(all->count < MOST_PAIRS);
    all->items[all->count++] = meeting;
}

static double clamp(double x, double half) {
    return x < -half ? -half : x > half ? half : x;
}

// Distance of a point from a brick; negative inside.
static double from_brick(const TacWorld *world, uint32_t brick, TacVec3 p) {
    const double *frame = matter_of(world, BRICK)->vectors[TAC_X] + 7 * brick;
    TacVec3 q = tac_rotate_back(tac_load_quat(frame + 3), tac_sub(p, tac_load3(frame)));
    TacVec3 d = {q.x - clamp(q.x, 0.125), q.y - clamp(q.y, 0.05), q.z - clamp(q.z, 0.125)};
    double inside = fmax(fabs(q.x) - 0.125, fmax(fabs(q.y) - 0.05, fabs(q.z) - 0.125));
    return inside < 0 ? inside : tac_norm(d);
}

static void search(const TacWorld *world, Meetings *all) {
    static const uint32_t counts[] = {1, BRICKS, FRAMES, POINTS};
    all->count = 0;
    for (uint32_t model = FRAME; model <= POINT; model++)
        for (uint32_t i = 0; i < counts[model]; i++) {
            TacVec3 p = centre(world, model, i);
            double r = radius(model, i);
            add(all, (Meeting){GROUND, 0, model, i, r - p.y});
            for (uint32_t b = 0; b < BRICKS; b++)
                add(all, (Meeting){BRICK, b, model, i, r - from_brick(world, b, p)});
            for (uint32_t other = model; other <= POINT; other++)
                for (uint32_t j = other == model ? i + 1 : 0; j < counts[other]; j++) {
                    double d = tac_norm(tac_sub(centre(world, other, j), p));
                    double extra = other == model ? 0 : EXTRA;
                    add(all, (Meeting){model, i, other, j, r + radius(other, j) + extra - d});
                }
        }
}

static int compare(const void *a, const void *b) {
    const Meeting *p = a, *q = b;
    const uint32_t of_p[] = {p->model_a, p->model_b, p->a, p->b},
                   of_q[] = {q->model_a, q->model_b, q->a, q->b};
    for (int k = 0; k < 4; k++)
        if (of_p[k] != of_q[k]) return of_p[k] < of_q[k] ? -1 : 1;
    return 0;
}

// --- what the world has found -----------------------------------------------------------------------------

static void take(const TacWorld *world, Meetings *all) {
    const TacTouch *touch = &world->touch->touch;
    all->count = 0;
    for (size_t i = 0; i < touch->now.count; i++) {
        const TacPatch *p = &touch->now.patches[i];
        if (i) assert_true(tac_patch_compare(&touch->now.patches[i - 1].key, &p->key) < 0);
        assert_int_equal(p->count, 1);
        assert_int_equal(p->touching, 1);
        add(all, (Meeting){touch->objects[p->key.a].model, p->key.ia, touch->objects[p->key.b].model,
                           p->key.ib, p->depth});
    }
}

static void check(const TacWorld *world) {
    static Meetings expected, found;
    search(world, &expected);
    take(world, &found);
    qsort(expected.items, expected.count, sizeof *expected.items, compare);
    qsort(found.items, found.count, sizeof *found.items, compare);
    size_t i = 0, k = 0;
    while (i < expected.count || k < found.count) {
        int order = i == expected.count ? 1
                    : k == found.count  ? -1
                                        : compare(&expected.items[i], &found.items[k]);
        // who touches by less than rounding may be seen by one and not by the other
        if (order < 0) assert_true(expected.items[i].depth < 1e-13);
        if (order > 0) assert_true(found.items[k].depth < 1e-13);
        if (order == 0) assert_true(fabs(expected.items[i].depth - found.items[k].depth) < 1e-12);
        i += order <= 0;
        k += order >= 0;
    }
}

// --- what they push with ----------------------------------------------------------------------------------

// One side of a contact, as it was when contacts were last looked for (nobody has looked at the world since).
typedef struct Side {
    TacVec3 x, v, w;
    double mass, contacts;
} Side;

static Side side_of(const TacWorld *world, uint32_t object, uint32_t element) {
    const TacTouch *touch = &world->touch->touch;
    uint32_t model = touch->objects[object].model;
    const TacMatter *m = matter_of(world, model);
    const double *v = m->vectors[TAC_V_SHOWN] + (size_t)m->velocity_size * element;
    Side s = {.x = tac_load3(m->vectors[TAC_X_SHOWN] + (size_t)m->position_size * element),
              .v = tac_load3(v),
              .w = m->velocity_size == 6 ? tac_load3(v + 3) : tac_vec3(0, 0, 0),
              .mass = model == FRAME   ? 0.5
                      : model == POINT ? 0.3
                                       : INFINITY};
    for (size_t i = 0; i < touch->now.count; i++) {
        const TacPatchKey *key = &touch->now.patches[i].key;
        s.contacts += (key->a == object && key->ia == element) + (key->b == object && key->ib == element);
    }
    return s;
}

static TacVec3 velocity_at(const Side *s, TacVec3 at) {
    return tac_add(s->v, tac_cross(s->w, tac_sub(at, s->x)));
}

static void near(TacVec3 a, TacVec3 b, double scale) {
    assert_true(tac_norm(tac_sub(a, b)) <= 1e-11 * (scale + tac_norm(a)));
}

// The rules of contact/touch.h, one contact at a time, as one would write them down; `was` is the same contact a step
// ago, or NULL.
static bool check_push(const TacWorld *world, const TacPatch *patch, const TacPatch *was) {
    const double h = 0.002, g = 9.81, friction = 0.4, stiffness = 1e4; // two springs of 2e4 in a row
    Side a = side_of(world, patch->key.a, patch->key.ia), b = side_of(world, patch->key.b, patch->key.ib);
    double softness = a.contacts / a.mass + b.contacts / b.mass;
    double mass = a.mass < INFINITY ? a.mass * b.mass / (a.mass + b.mass) : b.mass;
    double k = fmin(stiffness, 1.2 / (softness * h * h)), most_c = 0.9 / (softness * h);
    TacVec3 n = patch->normal, v = tac_sub(velocity_at(&b, patch->centre), velocity_at(&a, patch->centre));
    TacVec3 slide = was ? was->slide : tac_vec3(0, 0, 0);
    bool hit = was ? was->hit : -tac_dot(v, n) > 4 * g * h;
    double age = was ? (double)was->age + h : 0, swing = 2 * TAC_PI * sqrt(mass / k);
    double restitution = world->touch->touch.numbers[0].numbers.restitution;
    double ratio = hit && age <= swing ? tac_touch_damping_ratio(restitution) : 1;
    double c = fmin(2 * ratio * sqrt(k * mass), most_c), c_slide = fmin(sqrt(k * mass), 0.2 * most_c);
    double push = fmax(0, k * patch->depth - c * tac_dot(v, n));
    TacVec3 along = tac_axpy(v, -tac_dot(v, n), n);
    TacVec3 across = tac_axpy(slide, -tac_dot(slide, n), n);
    if (tac_norm(across) > 0) across = tac_scale(across, tac_norm(slide) / tac_norm(across));
    slide = tac_axpy(across, h, along);
    TacVec3 drag = tac_axpy(tac_scale(slide, -k), -c_slide, along);
    bool slides = tac_norm(drag) > friction * push;
    if (slides) {
        drag = tac_scale(drag, friction * push / tac_norm(drag));
        slide = tac_scale(tac_axpy(drag, c_slide, along), -1 / k);
    }
    assert_int_equal(hit, patch->hit);
    assert_true(fabs(push - patch->push) <= 1e-9 * (1 + push));
    near(drag, patch->drag, 100);
    near(slide, patch->slide, 0.01);
    return slides;
}

static void contacts_push_as_the_rules_say(void **state) {
    (void)state;
    TacWorld *world = pile(1);
    size_t slides = 0, sticks = 0, lasts = 0;
    const TacTouch *touch = &world->touch->touch;
    for (int i = 0; i < 12; i++) {
        advance(world, 20 + i);
        size_t old = 0;
        for (size_t k = 0; k < touch->now.count; k += 1 + k % 3) {
            const TacPatch *patch = &touch->now.patches[k];
            const TacPatch *was = NULL;
            while (old < touch->before.count &&
                   tac_patch_compare(&touch->before.patches[old].key, &patch->key) < 0)
                old++;
            if (old < touch->before.count &&
                !tac_patch_compare(&touch->before.patches[old].key, &patch->key)) {
                was = &touch->before.patches[old];
                lasts++;
            }
            bool one = check_push(world, patch, was);
            slides += one;
            sticks += !one;
        }
    }
    assert_true(slides > 100 && sticks > 100 && lasts > 100);
    tac_world_destroy(world);
}

static void all_pairs_are_found(void **state) {
    (void)state;
    TacWorld *world = pile(2);
    size_t most = 0;
    for (int i = 0; i < 40; i++) {
        advance(world, 1 + i % 17);
        check(world);
        size_t count = world->touch->touch.now.count;
        most = count > most ? count : most;
    }
    assert_true(most > FRAMES); // it is a pile
    tac_world_destroy(world);
}

// --- threads ----------------------------------------------------------------------------------------------

typedef struct Told {
    size_t begins, ends;
    double impulse;
} Told;

static Told listen(TacWorld *world) {
    TacContactEvent events[256];
    Told told = {0, 0, 0};
    uint64_t lost;
    for (size_t n; (n = tac_world_events(world, events, 256, &lost)) > 0;)
        for (size_t i = 0; i < n; i++) {
            told.begins += events[i].kind == TAC_CONTACT_BEGINS;
            told.ends += events[i].kind == TAC_CONTACT_ENDS;
            told.impulse += events[i].impulse;
        }
    return told;
}

// Whoever touches has begun and not ended, at every step, also while next to nothing changes.
static void beginnings_and_ends_add_up(void **state) {
    (void)state;
    TacWorld *world = pile(1);
    size_t begins = 0, ends = 0;
    for (int i = 0; i < 1200; i++) {
        advance(world, 1);
        Told now = listen(world);
        begins += now.begins;
        ends += now.ends;
        assert_int_equal(begins - ends, world->touch->touch.now.count);
    }
    tac_world_destroy(world);
}

// Many pairs, each by itself, of which one after the other is taken apart: one end is told each time, wherever its patch
// lies among those that are looked at together.
static void every_end_is_told(void **state) {
    (void)state;
    enum { PAIRS = 1100 };
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fprintf(f,
            "<tactus version='1' dt='1e-6' gravity='0 0 0'>"
            "<ContactMaterial name='m' stiffness='1'/><node name='n'><SymplecticEuler/><Points positions='");
    for (int i = 0; i < 2 * PAIRS; i++) fprintf(f, "%d %g 0 ", i / 2, 0.19 * (i % 2));
    fprintf(f, "'/><UniformMass mass='1'/><Balls radius='0.1' material='@/m'/></node></tactus>");
    fclose(f);
    TacWorld *world = world_of(text);
    free(text);
    advance(world, 1);
    assert_int_equal(listen(world).begins, PAIRS);
    TacComponentId points = tac_world_matter(world, 0);
    double *x = calloc(6 * PAIRS, sizeof *x);
    assert_non_null(x);
    for (size_t i = 508; i < 516; i++) {
        memcpy(x, tac_world_positions(world, points), 6 * PAIRS * sizeof *x);
        x[6 * i + 1] -= 0.3;
        TacError error;
        assert_int_equal(tac_world_set_state(world, points, x, NULL, &error), TAC_OK);
        advance(world, 1);
        Told told = listen(world);
        assert_int_equal(told.begins, 0);
        assert_int_equal(told.ends, 1);
    }
    free(x);
    tac_world_destroy(world);
}

static void threads_change_nothing(void **state) {
    (void)state;
    enum { TURNS = 40 };
    static uint64_t hashes[TURNS];
    static Told told[TURNS];
    for (int threads = 1; threads <= 3; threads++) {
        TacWorld *world = pile(threads);
        for (int i = 0; i < TURNS; i++) {
            advance(world, 6);
            uint64_t hash = tac_world_hash(world);
            Told now = listen(world);
            if (threads == 1) {
                hashes[i] = hash;
                told[i] = now;
            }
            assert_true(hash == hashes[i]);
            assert_true(now.begins == told[i].begins && now.ends == told[i].ends);
            assert_true(now.impulse == told[i].impulse);
        }
        tac_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pairs_are_found), cmocka_unit_test(contacts_push_as_the_rules_say),
        cmocka_unit_test(beginnings_and_ends_add_up), cmocka_unit_test(every_end_is_told),
        cmocka_unit_test(threads_change_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
