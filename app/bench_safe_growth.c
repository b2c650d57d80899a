// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The third part of `tactus bench safe`: what a point costs where there are more of them, with as many contacts each, and
// what a hit costs everybody else that goes a thousand times as deep. N log N, and nothing, is asked for.

#include "bench_safe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "<tactus version='1' gravity='0 %s 0'><Contact method='safe' thickness='0.002' speed='1' "

// --- scenes -----------------------------------------------------------------------------------------------

static const char cloth_text[] =
    HEAD "restitution='0.2' friction='0.3'/><node name='floor'><Sheet divisions='1' width='9' depth='9'/>"
         "<Points/><Skin/></node><node name='cloth'><SymplecticEuler step='0.00015625'/>"
         "<Sheet divisions='%d' width='%g' depth='%g'/><Points translation='0 0.00201 0'/>"
         "<UniformMass mass='2e-5'/><Springs stiffness='50' damping='0.005'/><Skin/></node>%s</tactus>";

// Far away a ball flies to and fro between two plates.
static const char deep_node[] =
    "<ContactMaterial name='steel' restitution='1'/><node name='plates'><Mesh at='19 0 -1  "
    "21 0 -1  20 0 2  19 0.5 -1  21 0.5 -1  20 0.5 2' "
    "with_triangles='0 1 2  3 4 5'/><Points/><Skin material='@/steel'/></node>"
    "<node name='ball'><Points positions='20.1 0.25 0.03' velocities='0 1000 0'/><UniformMass mass='1'/>"
    "<Balls radius='0.01' material='@/steel'/></node>";

// A cloth that comes to lie on a floor: all of it touches.
static char *cloth_scene(int divisions, bool deep) {
    size_t size = sizeof cloth_text + sizeof deep_node + 256;
    char *text = malloc(size);
    double width = 0.01 * divisions;
    if (text) snprintf(text, size, cloth_text, "-9.81", divisions, width, width, deep ? deep_node : "");
    return text;
}

static char *deep_scene(void) {
    size_t size = sizeof deep_node + 256;
    char *text = malloc(size);
    if (text) snprintf(text, size, HEAD "friction='0'/>%s</tactus>", "-9.81", deep_node);
    return text;
}

static size_t put_walls(char *text, size_t size, double half) {
    size_t n = 0;
    for (int i = 0; i < 4; i++) {
        double place = i % 2 ? half : -half;
        n += (size_t)snprintf(text + n, size - n,
                              "<node name='wall%d'><Sheet divisions='1' width='%g' depth='%g' rotation='%s' "
                              "translation='%g 0 %g'/><Points/><Skin/></node>",
                              i, 3 * half, 3 * half, i < 2 ? "0 0 90" : "90 0 0", i < 2 ? place : 0,
                              i < 2 ? 0 : place);
    }
    return n;
}

// Balls that fly about between four walls at 1 m/s, as many to an area whatever their number.
static char *balls_scene(int side) {
    size_t count = (size_t)side * (size_t)side, size = 2048 + 64 * count, n = 0;
    char *text = malloc(size);
    if (!text) return NULL;
    double spacing = 0.03, half = 0.5 * spacing * side;
    n += (size_t)snprintf(text + n, size - n, HEAD "restitution='1' friction='0'/>", "0");
    n += put_walls(text + n, size - n, half);
    n += (size_t)snprintf(text + n, size - n, "<node name='balls'><Points positions='");
    for (int i = 0; i < side * side; i++)
        n += (size_t)snprintf(text + n, size - n, "%.4f 0 %.4f ", spacing * (i % side + 0.5) - half,
                              spacing * (i / side + 0.5) - half);
    n += (size_t)snprintf(text + n, size - n, "' velocities='");
    for (int i = 0; i < side * side; i++) // no two fly alike
        n += (size_t)snprintf(text + n, size - n, "%.3f 0 %.3f ", cos(2.399963 * i), sin(2.399963 * i));
    snprintf(text + n, size - n, "'/><UniformMass mass='0.01'/><Balls radius='0.008'/></node></tactus>");
    return text;
}

// --- measuring --------------------------------------------------------------------------------------------

// Frees the text.
static int measure(const AppBench *bench, char *text, double time, int tries, AppSafeResult *result) {
    int code = text ? app_safe_run_best(text, time, (int)bench->options.threads, tries, result) : APP_FAILED;
    free(text);
    return code;
}

typedef struct Growth {
    const char *name;
    char *(*scene)(int size);
    int sizes[3];
    double time; // s
} Growth;

static char *plain_cloth(int divisions) {
    return cloth_scene(divisions, false);
}

// What a point costs in the largest, beside what it may by N log N from the smallest.
static int add_growth(AppBench *bench, const Growth *growth) {
    AppSafeResult few, many;
    int sizes = bench->options.quick ? 2 : 3;
    for (int i = 0; i < sizes; i++) {
        int code = measure(bench, growth->scene(growth->sizes[i]), growth->time, i < 2 ? 3 : 1, &many);
        if (code != APP_DONE) return code;
        if (i == 0) few = many;
        double each = many.seconds / growth->time / (double)many.points;
        printf("%-22s %10s %10.3f %18.3f %18.1f\n", growth->name, app_count(many.points).text, many.seconds,
               1e3 * each, (double)many.contact.looks / growth->time / (double)many.points);
    }
    double most = few.seconds / (double)few.points * log((double)many.points) / log((double)few.points);
    AppBenchRow row = {.unit = "ms a point and s",
                       .less = true,
                       .ours = 1e3 * many.seconds / growth->time / (double)many.points,
                       .theirs = 1e3 * most / growth->time,
                       .threads = (int)bench->options.threads};
    snprintf(row.scene, sizeof row.scene, "%s, %s points", growth->name, app_count(many.points).text);
    snprintf(row.other, sizeof row.other, "N log N from %s", app_count(few.points).text);
    app_bench_add(bench, row);
    return APP_DONE;
}

static int add_deep(AppBench *bench) {
    AppSafeResult cloth, deep, both;
    int divisions = bench->options.quick ? 24 : 96;
    double time = 0.1;
    int code = measure(bench, cloth_scene(divisions, false), time, 3, &cloth);
    if (code == APP_DONE) code = measure(bench, deep_scene(), time, 3, &deep);
    if (code == APP_DONE) code = measure(bench, cloth_scene(divisions, true), time, 3, &both);
    if (code != APP_DONE) return code;
    printf("cloth %.3f s, a ball at 1,000 m/s elsewhere %.3f s; both in one world %.3f s\n", cloth.seconds,
           deep.seconds, both.seconds);
    AppBenchRow row = {.unit = "s",
                       .less = true,
                       .ours = both.seconds,
                       .theirs = cloth.seconds + deep.seconds,
                       .other = "each alone, together",
                       .threads = (int)bench->options.threads};
    snprintf(row.scene, sizeof row.scene, "cloth, and a deep hit elsewhere");
    app_bench_add(bench, row);
    return APP_DONE;
}

int app_bench_safe_growth(AppBench *bench) {
    static const Growth growths[] = {{"cloth at rest", plain_cloth, {24, 48, 192}, 0.1},
                                     {"balls that fly about", balls_scene, {24, 48, 96}, 0.1}};
    printf("%-22s %10s %10s %18s %18s\n", "scene", "points", "time, s", "ms a point and s",
           "looks a point, s");
    int code = APP_DONE;
    for (size_t i = 0; code == APP_DONE && i < APP_COUNT(growths); i++) code = add_growth(bench, &growths[i]);
    return code == APP_DONE ? add_deep(bench) : code;
}
