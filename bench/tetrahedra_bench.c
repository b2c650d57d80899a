// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Soft solids at scale: time to load, bytes and cost per tetrahedron from ten thousand to a million, on one
// thread and on all. Costs are printed as ns per tetrahedron of one step with a fixed number of iterations,
// so that linear growth shows as a constant column.
//
//     tetrahedra_bench [largest [assembled]]
//
// `assembled` is that of ConjugateGradient: auto, true or false.

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tactus/tactus.h"

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define TRY(call)                                                                                            \
    if ((call) != TAC_OK) {                                                                                  \
        fprintf(stderr, "%s\n", error.message);                                                              \
        exit(1);                                                                                             \
    }

enum { ITERATIONS = 10, STEPS = 3 };

typedef struct Cost {
    double compile, step; // s
    size_t bytes;
} Cost;

static Cost measure(const char *mesh, const char *solver, const char *assembled, int threads) {
    TacError error;
    TacScene *scene;
    TacWorld *world;
    char text[1024];
    int n = snprintf(
        text, sizeof text,
        "<tactus version='1' dt='0.001'><node name='n'><%s/>"
        "<ConjugateGradient iterations='%d' tolerance='0' assembled='%s'/><MeshFile file='%s'/><Points/>"
        "<DiagonalMass density='1000'/><Tetrahedra young='100000'/></node></tactus>",
        solver, ITERATIONS, assembled, mesh);
    TRY(tac_scene_create(&scene, &error));
    TRY(tac_scene_parse(scene, "bench.tac", text, (size_t)n, &error));
    TacWorldDef def = tac_world_def_default();
    def.threads = threads;
    Cost cost;
    double start = now();
    TRY(tac_world_create(&world, scene, &def, &error));
    cost.compile = now() - start;
    TRY(tac_world_advance_beats(world, 1, &error));
    cost.step = 1e9;
    for (int i = 0; i < STEPS; i++) {
        start = now();
        TRY(tac_world_advance_beats(world, 1, &error));
        double seconds = now() - start;
        if (seconds < cost.step) cost.step = seconds;
    }
    cost.bytes = tac_world_stats(world).bytes;
    tac_world_destroy(world);
    tac_scene_destroy(scene);
    return cost;
}

int main(int argc, char **argv) {
    double largest = argc > 1 ? atof(argv[1]) : 1e6;
    const char *assembled = argc > 2 ? argv[2] : "auto";
    int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    TacError error;
    printf("%10s %8s | %28s | %28s | %8s\n", "tetrahedra", "load", "explicit step, ns/tet",
           "implicit step, ns/tet", "bytes");
    printf("%10s %8s | %8s %8s %10s | %8s %8s %10s | %8s\n", "", "s", "1 thread", "all", "ratio", "1 thread",
           "all", "ratio", "per tet");
    for (double want = 1e4; want <= largest * 1.001; want *= 10) {
        int side = 2;
        while (6.0 * side * side * side < want) side++;
        TacMesh mesh = {0};
        char path[] = "/tmp/tactus-bench-XXXXXX.vtu";
        int fd = mkstemps(path, 4);
        if (fd < 0) return 1;
        close(fd);
        TRY(tac_mesh_grid(&mesh, side + 1, side + 1, side + 1, tac_vec3(0, 0, 0), tac_vec3(1, 1, 1), &error));
        TRY(tac_mesh_split(&mesh, &error));
        TRY(tac_mesh_write(&mesh, path, &error));
        double tets = (double)mesh.elements[TAC_TETRAHEDRA].count;
        tac_mesh_destroy(&mesh);
        Cost e1 = measure(path, "SymplecticEuler", assembled, 1),
             en = measure(path, "SymplecticEuler", assembled, cores);
        Cost i1 = measure(path, "ImplicitEuler", assembled, 1),
             in = measure(path, "ImplicitEuler", assembled, cores);
        printf("%10.0f %8.2f | %8.1f %8.1f %10.2f | %8.1f %8.1f %10.2f | %8.0f\n", tets, i1.compile,
               1e9 * e1.step / tets, 1e9 * en.step / tets, e1.step / en.step, 1e9 * i1.step / tets,
               1e9 * in.step / tets, i1.step / in.step, (double)i1.bytes / tets);
        unlink(path);
    }
    return 0;
}
