// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Other libraries are measured by programs of their own (bench/peers), so that the command is linked with none of them.
// They are built beside it, in bench/peers, where these libraries are installed.

#define _GNU_SOURCE
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool path_of(const char *name, char *path, size_t size) {
    char self[3072];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0) return false;
    self[n] = 0;
    char *slash = strrchr(self, '/');
    if (!slash) return false;
    *slash = 0;
    return (size_t)snprintf(path, size, "%s/bench/peers/%s", self, name) < size && access(path, X_OK) == 0;
}

// Its output goes into ours, but for lines with "rate=", whose numbers `take` receives.
static int run_peer(const char *name, const char *needs, void (*take)(void *to, double rate), void *to) {
    char path[4096], line[512];
    if (!path_of(name, path, sizeof path)) {
        fprintf(stderr, "%s is not there to compare with: install %s and build again\n", name, needs);
        return 1;
    }
    fflush(stdout);
    FILE *output = popen(path, "r");
    if (!output) {
        fprintf(stderr, "%s cannot be run\n", path);
        return 1;
    }
    while (fgets(line, sizeof line, output)) {
        const char *found = strstr(line, "rate=");
        if (found)
            take(to, strtod(found + 5, NULL));
        else
            fputs(line, stdout);
    }
    int status = pclose(output);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
    fprintf(stderr, "%s failed\n", name);
    return 1;
}

static void take_last(void *to, double rate) {
    if (to) *(double *)to = rate;
}

int app_bench_run_peer(const char *name, const char *needs, double *rate) {
    if (rate) *rate = 0;
    int code = run_peer(name, needs, take_last, rate);
    if (code || !rate || *rate > 0) return code;
    fprintf(stderr, "%s gave no rate\n", name);
    return 1;
}

typedef struct Rates {
    double *items;
    size_t count, room;
} Rates;

static void take_next(void *to, double rate) {
    Rates *rates = to;
    if (rates->count < rates->room) rates->items[rates->count] = rate;
    rates->count++;
}

int app_bench_run_peer_rates(const char *name, const char *needs, double *rates, size_t count) {
    Rates found = {rates, 0, count};
    int code = run_peer(name, needs, take_next, &found);
    if (code || found.count >= count) return code;
    fprintf(stderr, "%s gave fewer rates than expected\n", name);
    return 1;
}

int app_bench_gjk(AppBench *bench) {
    static const char *const motions[] = {"hulls of 32, coherent motion", "hulls of 32, random pairs"};
    double rates[2][3]; // ours, libccd's, FCL's
    int code =
        app_bench_run_peer_rates("gjk_peers", "libccd-dev, libfcl-dev and a C++ compiler", rates[0], 6);
    for (size_t i = 0; code == 0 && i < 4; i++) {
        AppBenchRow row = {
            .unit = "M queries/s", .ours = rates[i / 2][0], .theirs = rates[i / 2][1 + i % 2], .threads = 1};
        snprintf(row.scene, sizeof row.scene, "%s", motions[i / 2]);
        snprintf(row.other, sizeof row.other, "%s", i % 2 ? "FCL" : "libccd");
        app_bench_add(bench, row);
    }
    return code ? code : app_bench_close(bench, rates[0][0] / fmax(rates[0][1], rates[0][2]), "measured");
}
