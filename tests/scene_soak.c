// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Random scenes out of everything that the registry has: `scene_soak SEED` builds many, with values that are
// usual, odd or hostile, and tries each out. A new class takes part without a line here.

#define _GNU_SOURCE
#include "base/random.h"
#include "scene_trial.h"

#include <stdio.h>
#include <string.h>

enum { SCENES = 400, MOST_NODES = 5, MOST_REPAIRS = 4, LONGEST = 400 };

typedef struct Maker {
    TacRandom random;
    TacScene *scene;
    TacNodeId nodes[MOST_NODES];
    size_t node_count;
    char paths[64][128]; // of components made so far
    size_t path_count;
} Maker;

static size_t below(Maker *m, size_t n) {
    return (size_t)(tac_random_bits(&m->random) % n);
}

static bool one_in(Maker *m, size_t n) {
    return below(m, n) == 0;
}

// --- values
// -------------------------------------------------------------------------------------------------

static const char *pick(Maker *m, const char *const *texts, size_t count) {
    return texts[below(m, count)];
}

#define PICK(m, ...)                                                                                         \
    pick(m, (const char *const[]){__VA_ARGS__},                                                              \
         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static const char *real_text(Maker *m) {
    if (one_in(m, 4))
        return PICK(m, "0", "-1", "1e-300", "1e300", "1e-9", "1.7976931348623157e308", "5e-324");
    return PICK(m, "1", "0.5", "2", "10", "0.01", "100", "0.3", "-0.25", "0.005");
}

static const char *int_text(Maker *m) {
    if (one_in(m, 8))
        return PICK(m, "-1", "2147483647", "2147483648", "9223372036854775807", "1000000", "99999");
    // just outside of the small meshes, now and then
    if (one_in(m, 12)) return PICK(m, "8", "9", "12", "18", "26", "27", "33", "40");
    return PICK(m, "0", "1", "2", "3", "4", "5", "7");
}

static void append(char text[LONGEST], const char *more) {
    size_t n = strlen(text);
    snprintf(text + n, LONGEST - n, "%s%s", n ? " " : "", more);
}

static void make_list(Maker *m, bool whole, char text[LONGEST]) {
    size_t count = one_in(m, 3) ? below(m, 13) : (const size_t[]){1, 2, 3, 4, 6, 8, 9, 12}[below(m, 8)];
    if (!whole && one_in(m, 2)) count = 1;                       // one for all
    if (whole && count > 2 && one_in(m, 2)) count &= ~(size_t)1; // pairs
    for (size_t i = 0; i < count; i++) append(text, whole ? int_text(m) : real_text(m));
    if (whole && one_in(m, 10)) append(text, PICK(m, "0-2", "0-20-3", "3-1", "0-9999999", "0-99999999"));
}

static void make_choice(Maker *m, const char *choices, char text[LONGEST]) {
    size_t count = 1;
    for (const char *p = choices; *p; p++) count += *p == '|';
    for (size_t skip = below(m, count); skip > 0; skip--) choices = strchr(choices, '|') + 1;
    snprintf(text, LONGEST, "%.*s", (int)strcspn(choices, "|"), choices);
}

// A link to something made before, or to nothing.
static void make_link(Maker *m, const TacAttribute *a, char text[LONGEST]) {
    if (m->path_count == 0 || one_in(m, 20)) {
        snprintf(text, LONGEST, "@%s", PICK(m, "nothing", "", "/", "..", "../..", "/world", ".", "a/../b"));
        return;
    }
    // mostly of the right kind or type
    for (int tries = 0; tries < 30; tries++) {
        const char *path = m->paths[below(m, m->path_count)];
        const TacClass *cls = tac_scene_class_of(m->scene, tac_scene_find(m->scene, path));
        if (!cls || !cls->attribute_count) continue;
        const TacAttribute *there = &cls->attributes[below(m, cls->attribute_count)];
        bool fits = a->type == TAC_LINK ? !strcmp(tac_component_kind_name(cls->kind), a->accepts)
                                        : there->type == a->type;
        if (!fits && !one_in(m, 40)) continue;
        snprintf(text, LONGEST, a->type == TAC_LINK ? "@%s" : "@%s.%s", path, there->name);
        return;
    }
}

static void make_value(Maker *m, const TacAttribute *a, char text[LONGEST]) {
    text[0] = 0;
    if (a->type == TAC_LINK || one_in(m, 12)) {
        make_link(m, a, text);
        return;
    }
    switch (a->type) {
    case TAC_BOOL: append(text, PICK(m, "true", "false")); break;
    case TAC_INT: append(text, int_text(m)); break;
    case TAC_REAL: append(text, real_text(m)); break;
    case TAC_VECTOR:
        for (int k = 0; k < 3; k++) append(text, real_text(m));
        break;
    case TAC_CHOICE: make_choice(m, a->accepts, text); break;
    case TAC_PATH:
        append(text,
               PICK(m, "/dev/zero", "/dev/stdin", "/", "", "none.obj", "/dev/null%d.obj", "%s%s%n.obj"));
        break;
    case TAC_REALS: make_list(m, false, text); break;
    case TAC_INTS: make_list(m, true, text); break;
    default: append(text, PICK(m, "x", "xy", "", "zz", "%s", "w")); break;
    }
}

// --- scenes
// -------------------------------------------------------------------------------------------------

static TacComponentId add(Maker *m, TacNodeId node, const char *class_name) {
    TacComponentId id = {0, 0};
    if (tac_scene_add(m->scene, node, class_name, NULL, &id, NULL) != TAC_OK) return id;
    // its path, for links: the node's name is unique in the whole scene
    if (m->path_count < 64) {
        const char *above = tac_scene_node_name(m->scene, node);
        const char *top = tac_scene_node_name(m->scene, tac_scene_node_parent(m->scene, node));
        snprintf(m->paths[m->path_count++], sizeof m->paths[0], "%s%s%s%s/%s", top && *top ? "/" : "",
                 top && *top ? top : "", above && *above ? "/" : "", above && *above ? above : "",
                 tac_scene_name(m->scene, id));
    }
    return id;
}

static void set_at_random(Maker *m, TacComponentId id, size_t one_of) {
    const TacClass *cls = tac_scene_class_of(m->scene, id);
    char text[LONGEST];
    for (size_t i = 0; cls && i < cls->attribute_count; i++) {
        const TacAttribute *a = &cls->attributes[i];
        if (a->initial && !one_in(m, one_of)) continue;
        make_value(m, a, text);
        TacError error = {0};
        if (tac_scene_set(m->scene, id, a->name, text, &error) != TAC_OK && !error.message[0]) abort();
    }
}

// Something that works, so that most of what is added to it does, too.
static void make_base(Maker *m, TacNodeId node) {
    if (one_in(m, 2)) add(m, node, PICK(m, "SymplecticEuler", "ImplicitEuler"));
    bool frames = one_in(m, 3);
    if (!frames) {
        TacComponentId mesh = add(m, node, PICK(m, "Grid", "Box", "Sheet", "Line", "Ball", "Torus"));
        tac_scene_set(m->scene, mesh, "divisions", "2", NULL);
        tac_scene_set(m->scene, mesh, "sides", "4", NULL);
        tac_scene_set(m->scene, mesh, "rings", "5", NULL);
        if (one_in(m, 2)) tac_scene_set(m->scene, mesh, "split", "true", NULL);
    }
    set_at_random(m, add(m, node, frames ? "Frames" : "Points"), 40);
    if (one_in(m, 6)) return;
    TacComponentId mass = add(m, node, frames || one_in(m, 2) ? "UniformMass" : "DiagonalMass");
    set_at_random(m, mass, 40);
    tac_scene_set(m->scene, mass, "density", "10", NULL);
}

static void make_scene(Maker *m) {
    m->nodes[m->node_count++] = tac_scene_root(m->scene);
    set_at_random(m, tac_scene_world(m->scene), 30);
    size_t wanted = 1 + below(m, MOST_NODES - 1);
    while (m->node_count <= wanted && m->node_count < MOST_NODES) {
        char name[16];
        snprintf(name, sizeof name, "n%zu", m->node_count);
        TacNodeId parent = m->nodes[m->node_count > 2 ? below(m, 2) : 0], node;
        if (tac_scene_add_node(m->scene, parent, name, &node, NULL) != TAC_OK) abort();
        m->nodes[m->node_count++] = node;
        make_base(m, node);
    }
    size_t more = 1 + below(m, 6), classes = tac_scene_class_count(m->scene);
    for (size_t i = 0; i < more; i++) {
        const TacClass *cls = tac_scene_class(m->scene, below(m, classes));
        bool acts =
            cls->kind == TAC_KIND_LAW || cls->kind == TAC_KIND_MAP || cls->kind == TAC_KIND_CONSTRAINT;
        if (!strcmp(cls->name, "World") || (!acts && !one_in(m, 3))) continue;
        TacComponentId id = add(m, m->nodes[below(m, m->node_count)], cls->name);
        set_at_random(m, id, 3);
        if (one_in(m, 20)) tac_scene_remove(m->scene, id, NULL);
    }
    if (one_in(m, 30)) tac_scene_remove_node(m->scene, m->nodes[below(m, m->node_count)], NULL);
}

// Messages begin with the path of the component at fault: "/n1/springs (Springs): ...".
static bool remove_culprit(Maker *m, const char *message) {
    char path[256];
    snprintf(path, sizeof path, "%.*s", (int)strcspn(message, " "), message);
    return path[0] == '/' && tac_scene_remove(m->scene, tac_scene_find(m->scene, path), NULL) == TAC_OK;
}

int main(int argc, char **argv) {
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    size_t accepted = 0;
    for (uint64_t i = 0; i < SCENES; i++) {
        Maker m = {.random = tac_random(seed, i)};
        if (tac_scene_create(&m.scene, NULL) != TAC_OK) return 1;
        make_scene(&m);
        // without what it does not like, the rest may work
        TacError error = {0};
        bool good = try_scene(m.scene, false, &error);
        for (int k = 0; k < MOST_REPAIRS && !good && remove_culprit(&m, error.message); k++)
            good = try_scene(m.scene, false, &error);
        accepted += good;
        tac_scene_destroy(m.scene);
    }
    printf("%zu of %d scenes became worlds\n", accepted, SCENES);
    return accepted > SCENES / 4 ? 0 : 1;
}
