// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// A program that uses the library: builds a pendulum by calls, lets time run, reads its state without a copy.
//
//     cc examples/embed/pendulum.c $(pkg-config --cflags --libs --static tactus) -o pendulum && ./pendulum

#include <stdio.h>
#include <tactus/tactus.h>

#define TRY(call)                                                                                            \
    if ((call) != TAC_OK) return fprintf(stderr, "%s\n", error.message), 1

int main(void) {
    TacError error = {0};
    TacScene *scene;
    TacWorld *world;
    TacNodeId node;
    TacComponentId solver, points, mass, fixed, springs;

    // a node with two points, a mass, a spring between them, and a solver of its own
    TRY(tac_scene_create(&scene, &error));
    TRY(tac_scene_add_node(scene, tac_scene_root(scene), "pendulum", &node, &error));
    TRY(tac_scene_add(scene, node, "SymplecticEuler", NULL, &solver, &error));
    TRY(tac_scene_set(scene, solver, "step", "0.001", &error));
    TRY(tac_scene_add(scene, node, "Points", "points", &points, &error));
    TRY(tac_scene_set_reals(scene, points, "positions", (double[]){0, 0, 0, 1, 0, 0}, 6, &error));
    TRY(tac_scene_add(scene, node, "UniformMass", NULL, &mass, &error));
    TRY(tac_scene_add(scene, node, "FixedPoints", NULL, &fixed, &error));
    TRY(tac_scene_set_ints(scene, fixed, "points", (int32_t[]){0}, 1, &error));
    TRY(tac_scene_add(scene, node, "Springs", NULL, &springs, &error));
    TRY(tac_scene_set_ints(scene, springs, "pairs", (int32_t[]){0, 1}, 2, &error));
    TRY(tac_scene_set(scene, springs, "stiffness", "10000", &error));

    // compile it and let two seconds pass
    TacWorldDef def = tac_world_def_default();
    TRY(tac_world_create(&world, scene, &def, &error));
    for (int i = 0; i <= 20; i++) {
        const double *x = tac_world_positions(world, points);
        printf("%.1f s: (%6.3f, %6.3f)  energy %.4f J\n", tac_world_time(world), x[3], x[4],
               tac_world_energy(world).total);
        TRY(tac_world_advance(world, 0.1, &error));
    }
    tac_world_destroy(world);
    tac_scene_destroy(scene);
    return 0;
}
