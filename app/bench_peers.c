// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Other libraries are measured by programs of their own (bench/peers), so that the command is linked with none of them.
// They are built beside it, in bench/peers, where these libraries are installed.

#define _GNU_SOURCE
#include "bench.h"

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

int app_bench_run_peer(const char *name, const char *needs, double *rate) {
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
    if (rate) *rate = 0;
    while (fgets(line, sizeof line, output)) {
        const char *found = rate ? strstr(line, "rate=") : NULL;
        if (found)
            *rate = strtod(found + 5, NULL);
        else
            fputs(line, stdout);
    }
    int status = pclose(output);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && (!rate || *rate > 0)) return 0;
    fprintf(stderr, "%s failed\n", name);
    return 1;
}

int app_bench_gjk(void) {
    int code = app_bench_run_peer("gjk_peers", "libccd-dev, libfcl-dev and a C++ compiler", NULL);
    return code ? code : app_finish_output(0);
}
