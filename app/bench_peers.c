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

// A word that a shell takes as it is. False: too long.
static bool add_quoted(char *to, size_t size, const char *word) {
    size_t n = strlen(to);
    if (n + 3 >= size) return false;
    to[n++] = '\'';
    for (; *word; word++) {
        if (n + 6 >= size) return false;
        if (*word == '\'') {
            memcpy(to + n, "'\\''", 4);
            n += 4;
        } else {
            to[n++] = *word;
        }
    }
    memcpy(to + n, "' ", 3);
    return true;
}

static FILE *start_peer(const char *name, const char *needs, const char *file) {
    char path[4096], command[8192] = "";
    if (!path_of(name, path, sizeof path)) {
        fprintf(stderr, "%s is not there to compare with: `make peers` installs %s and builds it\n", name,
                needs);
        return NULL;
    }
    fflush(stdout);
    bool fits =
        add_quoted(command, sizeof command, path) && (!file || add_quoted(command, sizeof command, file));
    FILE *output = fits ? popen(command, "r") : NULL;
    if (!output) fprintf(stderr, "%s cannot be run\n", path);
    return output;
}

static bool ended_well(FILE *output, const char *name) {
    int status = pclose(output);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
    fprintf(stderr, "%s failed\n", name);
    return false;
}

static void read_number(const char *line, const char *name, double *number) {
    const char *found = strstr(line, name);
    if (found) *number = strtod(found + strlen(name), NULL);
}

int app_bench_ask_peer(const char *name, const char *needs, const char *file, AppPeerResult *result) {
    char line[512];
    FILE *output = start_peer(name, needs, file);
    if (!output) return 1;
    while (fgets(line, sizeof line, output)) {
        if (!strncmp(line, "no room: ", 9)) {
            snprintf(result->no_room, sizeof result->no_room, "%.120s", line + 9);
            result->no_room[strcspn(result->no_room, "\n")] = 0;
        }
        read_number(line, "rate=", &result->rate);
        read_number(line, "steps=", &result->steps);
        read_number(line, "height=", &result->height);
    }
    if (!ended_well(output, name)) return 1;
    if (result->rate > 0 || result->no_room[0]) return 0;
    fprintf(stderr, "%s has measured nothing\n", name);
    return 1;
}

int app_bench_run_peer(const char *name, const char *needs, double *rates, size_t count) {
    char line[512];
    size_t found = 0;
    FILE *output = start_peer(name, needs, NULL);
    if (!output) return 1;
    while (fgets(line, sizeof line, output)) {
        if (!strstr(line, "rate="))
            fputs(line, stdout);
        else if (found++ < count)
            read_number(line, "rate=", &rates[found - 1]);
    }
    if (!ended_well(output, name)) return 1;
    if (found >= count) return 0;
    fprintf(stderr, "%s has measured %zu things, not %zu\n", name, found, count);
    return 1;
}

int app_bench_gjk(AppBench *bench) {
    static const char *const motions[] = {"hulls of 32, coherent motion", "hulls of 32, random pairs"};
    double rates[2][3]; // ours, libccd's, FCL's
    int code = app_bench_run_peer("gjk_peers", "libccd-dev, libfcl-dev and a C++ compiler", rates[0], 6);
    for (size_t i = 0; code == 0 && i < 4; i++) {
        AppBenchRow row = {
            .unit = "M queries/s", .ours = rates[i / 2][0], .theirs = rates[i / 2][1 + i % 2], .threads = 1};
        snprintf(row.scene, sizeof row.scene, "%s", motions[i / 2]);
        snprintf(row.other, sizeof row.other, "%s", i % 2 ? "FCL" : "libccd");
        app_bench_add(bench, row);
    }
    return code ? code : app_bench_close(bench, rates[0][0] / fmax(rates[0][1], rates[0][2]), "measured");
}
