// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// tactus bench lj, tactus bench balls: steps of many balls per second and core, beside LAMMPS in the same
// run.
//
// Both programs start from the same file: 32,000 atoms on the face-centred lattice of LAMMPS's own benchmark
// (density 0.8442, periodic), with the same velocities, and do the same steps (0.005) of the same law in
// double precision. LAMMPS is Debian's, with its fastest packaged variant (-sf opt) and the list settings of
// its benchmark; ours never misses a neighbour, theirs may. They take turns, the best of each counts, and
// seconds are those of the processor, because others use the machine too. First of all positions are compared:
// two programs that do not compute the same are not worth comparing.
//
// What a second thread gains is measured by the wall clock, step by step: the same steps are done again
// and again, with one thread and with two in turns, and the shortest time of each counts. A step takes a few
// milliseconds, so that on a machine with other work to do some run undisturbed.

#define _GNU_SOURCE
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    CELLS = 20,
    ATOMS = 4 * CELLS * CELLS * CELLS,
    STEPS = 200,
    ROUNDS = 3,
    QUICK_ROUNDS = 1,
    CHECKED_STEPS = 20,
    TIMED_STEPS = 60,
    TIMED_ROUNDS = 8,
    QUICK_TIMED_ROUNDS = 3
};

static const double DENSITY = 0.8442, STEP = 0.005, TEMPERATURE = 1.44;
static const double ENOUGH = 1.8; // processors, for a measurement of two threads

typedef struct Melt {
    double cutoff, side; // of the law, of the periodic box
    double *x, *v;       // 3 numbers per atom
    char folder[256];
} Melt;

// --- the start --------------------------------------------------------------------------------------------

// A number of the usual bell shape, from a generator that is the same everywhere.
static double bell(uint64_t *state) {
    double sum = 0;
    for (int i = 0; i < 12; i++) {
        *state += 0x9e3779b97f4a7c15u;
        uint64_t z = (*state ^ (*state >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        sum += (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
    }
    return sum - 6;
}

static void place_atoms(Melt *melt) {
    static const double within[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
    double edge = cbrt(4 / DENSITY);
    melt->side = CELLS * edge;
    uint64_t state = 1;
    double mean[3] = {0, 0, 0};
    for (size_t i = 0; i < ATOMS; i++) {
        const size_t cell[3] = {i / 4 % CELLS, i / 4 / CELLS % CELLS, i / 4 / CELLS / CELLS};
        for (size_t k = 0; k < 3; k++) {
            melt->x[3 * i + k] = edge * ((double)cell[k] + within[i % 4][k]);
            melt->v[3 * i + k] = sqrt(TEMPERATURE) * bell(&state);
            mean[k] += melt->v[3 * i + k] / ATOMS;
        }
    }
    for (size_t i = 0; i < 3 * ATOMS; i++) melt->v[i] -= mean[i % 3];
}

// --- ours -------------------------------------------------------------------------------------------------

// A world of `atoms` on a grid over the box; the melt's own state is put in afterwards.
static int make_world(TacWorld **world, double cutoff, const size_t counts[3], double side, bool periodic,
                      int threads) {
    char text[1024];
    snprintf(
        text, sizeof text,
        "<tactus version='1' dt='%.17g' gravity='0 0 0'><node name='melt'><SymplecticEuler/>"
        "<Grid counts='%zu %zu %zu' high='%.17g %.17g %.17g'/><Points name='atoms'/><UniformMass mass='1'/>"
        "<LennardJones distance='%.17g' cutoff='%.17g' box='%.17g %.17g %.17g'/></node></tactus>",
        STEP, counts[0], counts[1], counts[2], side, side, side, pow(2, 1.0 / 6), cutoff, periodic ? side : 0,
        periodic ? side : 0, periodic ? side : 0);
    TacScene *scene = NULL;
    TacError error = {0};
    TacStatus status = tac_scene_create(&scene, &error);
    if (status == TAC_OK) status = tac_scene_parse(scene, "bench", text, strlen(text), &error);
    TacWorldDef def = tac_world_def_default();
    def.threads = threads;
    if (status == TAC_OK) status = tac_world_create(world, scene, &def, &error);
    tac_scene_destroy(scene);
    return status == TAC_OK ? APP_DONE : app_report(&error);
}

static int open_melt(TacWorld **world, const Melt *melt, int threads) {
    const size_t counts[3] = {32, 25, 40};
    TacError error = {0};
    int code = make_world(world, melt->cutoff, counts, melt->side, true, threads);
    if (code != APP_DONE) return code;
    // LAMMPS kicks by half before its first drift and after its last; ours are seen between two kicks, so
    // half a kick is the only difference
    TacComponentId atoms = tac_world_find(*world, "/melt/atoms");
    return tac_world_set_state(*world, atoms, melt->x, melt->v, &error) == TAC_OK ? APP_DONE
                                                                                  : app_report(&error);
}

// Million atom-steps per second of the processor. Positions after `steps` go to `end` where it is not NULL.
static int measure_ours(const Melt *melt, int steps, double *rate, double *end) {
    TacWorld *world = NULL;
    TacError error = {0};
    int code = open_melt(&world, melt, 1);
    double used = app_bench_seconds(1);
    if (code == APP_DONE && tac_world_advance_beats(world, steps, &error) != TAC_OK)
        code = app_report(&error);
    *rate = (double)ATOMS * steps / (app_bench_seconds(1) - used) / 1e6;
    if (code == APP_DONE && end)
        memcpy(end, tac_world_positions(world, tac_world_find(world, "/melt/atoms")),
               3 * ATOMS * sizeof *end);
    tac_world_destroy(world);
    return code;
}

// --- threads ----------------------------------------------------------------------------------------------

// The shortest time that each step took, and what processors did then.
typedef struct Steps {
    double wall[TIMED_STEPS], used[TIMED_STEPS]; // s
} Steps;

static int time_steps(const Melt *melt, int threads, Steps *best) {
    TacWorld *world = NULL;
    TacError error = {0};
    int code = open_melt(&world, melt, threads);
    for (int i = 0; i < TIMED_STEPS && code == APP_DONE; i++) {
        double used = app_bench_seconds(1), start = app_seconds();
        if (tac_world_advance_beats(world, 1, &error) != TAC_OK) code = app_report(&error);
        double wall = app_seconds() - start;
        if (best->wall[i] > 0 && wall >= best->wall[i]) continue;
        best->wall[i] = wall;
        best->used[i] = app_bench_seconds(1) - used;
    }
    tac_world_destroy(world);
    return code;
}

static int measure_threads(AppBench *bench, const Melt *melt) {
    Steps best[2] = {0};
    for (int round = 0; round < (bench->options.quick ? QUICK_TIMED_ROUNDS : TIMED_ROUNDS); round++)
        for (int threads = 1; threads <= 2; threads++) {
            int code = time_steps(melt, threads, &best[threads - 1]);
            if (code != APP_DONE) return code;
        }
    double wall[2] = {0, 0}, used[2] = {0, 0};
    for (int t = 0; t < 2; t++)
        for (int i = 0; i < TIMED_STEPS; i++) {
            wall[t] += best[t].wall[i];
            used[t] += best[t].used[i];
        }
    const double steps = 1e-6 * ATOMS * TIMED_STEPS;
    AppBenchRow row = {
        .unit = "M atom-steps/s", .ours = steps / wall[1], .theirs = steps / wall[0], .threads = 2};
    snprintf(row.scene, sizeof row.scene, "32,000 atoms, cut-off %g", melt->cutoff);
    snprintf(row.other, sizeof row.other, "ours, one thread");
    app_bench_add(bench, row);
    // threads that wait spin, so two that are left alone have nearly two processors all the time
    if (used[1] < ENOUGH * wall[1])
        printf("two threads had %.2f processors at the best of times, because the machine has other work to "
               "do: their "
               "row is a lower bound\n",
               used[1] / wall[1]);
    return APP_DONE;
}

// --- LAMMPS -----------------------------------------------------------------------------------------------

static FILE *open_in(const Melt *melt, const char *name, const char *mode) {
    char path[300];
    snprintf(path, sizeof path, "%s/%s", melt->folder, name);
    FILE *file = fopen(path, mode);
    if (!file) app_say("cannot open %s", path);
    return file;
}

static bool write_data(const Melt *melt) {
    FILE *file = open_in(melt, "start.data", "w");
    if (!file) return false;
    fprintf(file, "melt\n\n%d atoms\n1 atom types\n\n", ATOMS);
    for (int k = 0; k < 3; k++) fprintf(file, "0 %.17g %clo %chi\n", melt->side, 'x' + k, 'x' + k);
    fprintf(file, "\nMasses\n\n1 1.0\n\nAtoms # atomic\n\n");
    for (int i = 0; i < ATOMS; i++)
        fprintf(file, "%d 1 %.17g %.17g %.17g\n", i + 1, melt->x[3 * i], melt->x[3 * i + 1],
                melt->x[3 * i + 2]);
    fprintf(file, "\nVelocities\n\n");
    for (int i = 0; i < ATOMS; i++)
        fprintf(file, "%d %.17g %.17g %.17g\n", i + 1, melt->v[3 * i], melt->v[3 * i + 1],
                melt->v[3 * i + 2]);
    return fclose(file) == 0;
}

static bool write_script(const Melt *melt, int steps, bool dump) {
    FILE *file = open_in(melt, "melt.in", "w");
    if (!file) return false;
    fprintf(file,
            "units lj\natom_style atomic\nread_data %s/start.data\npair_style lj/cut %.17g\n"
            "pair_coeff 1 1 1.0 1.0 %.17g\nneighbor 0.3 bin\nneigh_modify delay 0 every %s\nfix 1 all nve\n"
            "timestep %.17g\nthermo 1000\n",
            melt->folder, melt->cutoff, melt->cutoff, dump ? "1 check yes" : "20 check no", STEP);
    // the first kick of ours is a whole one: LAMMPS is given velocities that make up for it
    if (dump)
        fprintf(file,
                "dump 1 all custom %d %s/end.txt id xu yu zu\ndump_modify 1 sort id format float %%.17g\n",
                steps, melt->folder);
    fprintf(file, "run %d\n", steps);
    return fclose(file) == 0;
}

// Runs it, and reads the seconds of its loop, and how much of them it had the processor, from what it prints;
// negative when there are none.
static double run_lammps(const Melt *melt) {
    char command[600], line[512];
    snprintf(command, sizeof command, "OMP_NUM_THREADS=1 lmp -sf opt -in '%s/melt.in' -log none 2>&1",
             melt->folder);
    FILE *pipe = popen(command, "r");
    double seconds = -1, percent = 100;
    while (pipe && fgets(line, sizeof line, pipe)) {
        if (strstr(line, "% CPU use")) sscanf(line, "%lf", &percent);
        if (strncmp(line, "Loop time of ", 13) == 0) sscanf(line + 13, "%lf", &seconds);
    }
    if (pipe && pclose(pipe) != 0) seconds = -1;
    if (seconds < 0)
        app_say("LAMMPS did not run: the package lammps (the command lmp) is needed to compare with");
    return seconds * percent / 100;
}

static bool read_end(const Melt *melt, double *end) {
    FILE *file = open_in(melt, "end.txt", "r");
    char line[512];
    size_t read = 0, frame = 0;
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, "ITEM: ATOMS", 11) == 0) {
            frame++;
            read = 0;
            continue;
        }
        int id;
        double x[3];
        if (frame < 2 || sscanf(line, "%d %lf %lf %lf", &id, &x[0], &x[1], &x[2]) != 4 || id < 1 ||
            id > ATOMS)
            continue;
        memcpy(end + 3 * (id - 1), x, sizeof x);
        read++;
    }
    if (file) fclose(file);
    return read == ATOMS;
}

static void remove_files(const Melt *melt) {
    static const char *const names[] = {"start.data", "melt.in", "end.txt"};
    char path[300];
    for (size_t i = 0; i < APP_COUNT(names); i++) {
        snprintf(path, sizeof path, "%s/%s", melt->folder, names[i]);
        unlink(path);
    }
    rmdir(melt->folder);
}

// --- side by side -----------------------------------------------------------------------------------------

// Positions of both after a few steps, from a start at which both have the same velocities in the middle of a
// kick.
static int compare_ends(Melt *melt) {
    double *ours = malloc(3 * ATOMS * sizeof *ours), *theirs = malloc(3 * ATOMS * sizeof *theirs), most = 0,
           rate;
    if (!ours || !theirs) {
        free(ours);
        free(theirs);
        return app_out_of_memory();
    }
    // at rest on the lattice no force acts: half a kick and a whole one are the same there
    int code = measure_ours(melt, CHECKED_STEPS, &rate, ours);
    bool have = code == APP_DONE && write_script(melt, CHECKED_STEPS, true) && run_lammps(melt) >= 0 &&
                read_end(melt, theirs);
    if (code == APP_DONE && !have) code = APP_FAILED;
    for (size_t i = 0; i < 3 * ATOMS && have; i++) {
        // LAMMPS may count an atom from the other side of the box
        double d = ours[i] - theirs[i];
        most = fmax(most, fabs(d - melt->side * round(d / melt->side)));
    }
    free(ours);
    free(theirs);
    if (code != APP_DONE) return code;
    printf("after %d steps no coordinate differs by more than %.1e\n", CHECKED_STEPS, most);
    if (most < 1e-9) return APP_DONE;
    app_say("the two programs do not compute the same");
    return APP_FAILED;
}

// The best rates of both, million atom-steps per second.
static int measure_both(const Melt *melt, int rounds, double *ours, double *theirs) {
    *ours = *theirs = 0;
    if (!write_script(melt, STEPS, false)) return APP_FAILED;
    for (int round = 0; round < rounds; round++) {
        double rate;
        int code = measure_ours(melt, STEPS, &rate, NULL);
        if (code != APP_DONE) return code;
        double seconds = run_lammps(melt);
        if (seconds < 0) return APP_FAILED;
        *ours = fmax(*ours, rate);
        *theirs = fmax(*theirs, (double)ATOMS * STEPS / seconds / 1e6);
    }
    return APP_DONE;
}

static int run_melt(AppBench *bench, Melt *melt) {
    double ours, theirs;
    place_atoms(melt);
    if (!write_data(melt)) return APP_FAILED;
    int code = compare_ends(melt);
    if (code == APP_DONE)
        code = measure_both(melt, bench->options.quick ? QUICK_ROUNDS : ROUNDS, &ours, &theirs);
    if (code != APP_DONE) return code;
    AppBenchRow row = {.unit = "M atom-steps/s", .ours = ours, .theirs = theirs, .threads = 1};
    snprintf(row.scene, sizeof row.scene, "32,000 atoms, cut-off %g", melt->cutoff);
    snprintf(row.other, sizeof row.other, "LAMMPS -sf opt");
    app_bench_add(bench, row);
    code = measure_threads(bench, melt);
    return code == APP_DONE ? app_bench_close(bench, ours / theirs, "measured") : code;
}

static int bench_melt(AppBench *bench, double cutoff) {
    const char *base = getenv("TMPDIR");
    Melt melt = {
        .cutoff = cutoff, .x = malloc(3 * ATOMS * sizeof(double)), .v = malloc(3 * ATOMS * sizeof(double))};
    snprintf(melt.folder, sizeof melt.folder, "%.200s/tactus-bench-XXXXXX", base && *base ? base : "/tmp");
    int code = APP_FAILED;
    if (!melt.x || !melt.v)
        code = app_out_of_memory();
    else if (!mkdtemp(melt.folder))
        app_say("cannot make a folder for LAMMPS's files: %s", melt.folder);
    else {
        code = run_melt(bench, &melt);
        remove_files(&melt);
    }
    free(melt.x);
    free(melt.v);
    return code;
}

int app_bench_lj(AppBench *bench) {
    return bench_melt(bench, 2.5);
}

// Nanoseconds per ball and step from a thousand to a million, at the same density: order N.
static int measure_sizes(AppBench *bench) {
    static const size_t sides[] = {10, 22, 46, 100};
    for (size_t i = 0; i < APP_COUNT(sides) - (bench->options.quick ? 1 : 0); i++) {
        const size_t n = sides[i], counts[3] = {n, n, n};
        TacWorld *world = NULL;
        TacError error = {0};
        int code = make_world(&world, 1.12, counts, (double)(n - 1) * cbrt(1 / DENSITY), false, 1);
        if (code != APP_DONE) return code;
        int64_t steps = 2000000 / (int64_t)(n * n * n) + 10;
        TacStatus status = tac_world_advance_beats(world, 2, &error);
        double start = app_bench_seconds(1);
        if (status == TAC_OK) status = tac_world_advance_beats(world, steps, &error);
        double ns = 1e9 * (app_bench_seconds(1) - start) / (double)steps / (double)(n * n * n);
        tac_world_destroy(world);
        if (status != TAC_OK) return app_report(&error);
        AppBenchRow row = {.unit = "ns a ball and step", .less = true, .ours = ns, .threads = 1};
        snprintf(row.scene, sizeof row.scene, "%s balls, endless space", app_count(n * n * n).text);
        app_bench_add(bench, row);
    }
    return APP_DONE;
}

int app_bench_balls(AppBench *bench) {
    int code = measure_sizes(bench);
    return code == APP_DONE ? bench_melt(bench, 1.12) : code;
}
