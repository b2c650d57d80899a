// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Feeds a fuzz harness without libFuzzer, so that any compiler will do: every file of a corpus as it is, and
// N seeded mutants in all, as many of each.
//
//     fuzz_X [--mutants N] [--seed N] FILE-OR-FOLDER...
//
// The input that a harness dies on, or takes more than 20 seconds for, is kept: the message says where.

#define _GNU_SOURCE

#include "base/random.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SECONDS_PER_INPUT = 20, LARGEST_INPUT = 1 << 22 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Present only where a sanitizer is linked in.
__attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)(void));

// What is being tried, for the handlers below.
static const uint8_t *current_data;
static size_t current_size;
static char crash_path[4096];

typedef struct Job {
    TacRandom random;
    int mutants, of_each;
    size_t files;
    size_t inputs;
} Job;

// Keeps the current input; only calls that a signal handler may make.
static void keep_input(void) {
    static const char text[] = "\nfuzz: the input is kept as ";
    int file = open(crash_path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file < 0) return;
    bool kept = write(file, current_data, current_size) == (ssize_t)current_size;
    close(file);
    if (!kept || write(2, text, sizeof text - 1) < 0 || write(2, crash_path, strlen(crash_path)) < 0) return;
    if (write(2, "\n", 1) < 0) return;
}

static void on_signal(int number) {
    static const char slow[] = "fuzz: an input took too long\n";
    if (number == SIGALRM && write(2, slow, sizeof slow - 1) < 0) _exit(1);
    keep_input();
    _exit(1);
}

static void feed(Job *job, const uint8_t *data, size_t size) {
    // a copy of exactly this size, so that a sanitizer sees every read behind it
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy) {
        fprintf(stderr, "fuzz: no memory for an input of %zu bytes\n", size);
        exit(1);
    }
    if (size) memcpy(copy, data, size);
    current_data = copy;
    current_size = size;
    alarm(SECONDS_PER_INPUT);
    LLVMFuzzerTestOneInput(copy, size);
    alarm(0);
    free(copy);
    job->inputs++;
}

static size_t below(Job *job, size_t n) {
    return (size_t)(tac_random_bits(&job->random) % n);
}

// Changes `data` in place; the result is never longer. Returns its size.
static size_t mutate_once(Job *job, uint8_t *data, size_t size) {
    static const uint8_t telling[] = {0,   1,   0x7f, 0x80, 0xff, '<', '>', '"',
                                      '&', '/', '-',  '.',  '9',  'e', ' ', '\n'};
    if (size == 0) return 0;
    size_t at = below(job, size), other = below(job, size);
    size_t room = size - (at > other ? at : other);
    size_t length = 1 + below(job, room < 64 ? room : 64);
    switch (below(job, 6)) {
    case 0: data[at] ^= (uint8_t)(1u << below(job, 8)); return size;
    case 1: data[at] = telling[below(job, sizeof telling)]; return size;
    case 2: data[at] = (uint8_t)tac_random_bits(&job->random); return size;
    case 3: memmove(data + at, data + other, length); return size;
    case 4: memmove(data + at, data + at + length, size - at - length); return size - length;
    default: return at;
    }
}

static void feed_mutants(Job *job, const uint8_t *data, size_t size) {
    uint8_t *mutant = malloc(size ? size : 1);
    if (!mutant) return;
    for (int i = 0; i < job->of_each; i++) {
        if (size) memcpy(mutant, data, size);
        size_t mutant_size = size;
        for (size_t changes = 1 + below(job, 4); changes > 0; changes--)
            mutant_size = mutate_once(job, mutant, mutant_size);
        feed(job, mutant, mutant_size);
    }
    free(mutant);
}

static bool feed_file(Job *job, const char *path) {
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(LARGEST_INPUT);
    bool good = file && data;
    if (good) {
        size_t size = fread(data, 1, LARGEST_INPUT, file);
        good = !ferror(file);
        if (good) {
            feed(job, data, size);
            feed_mutants(job, data, size);
            job->files++;
        }
    }
    if (!good) fprintf(stderr, "fuzz: cannot read %s\n", path);
    if (file) fclose(file);
    free(data);
    return good;
}

static int is_visible(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

// Files of a folder in the order of their names, so that a seed gives the same mutants everywhere.
static bool feed_path(Job *job, const char *path) {
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISDIR(about.st_mode)) return feed_file(job, path);
    struct dirent **entries;
    int count = scandir(path, &entries, is_visible, alphasort);
    if (count < 0) {
        fprintf(stderr, "fuzz: there is no corpus %s\n", path);
        return false;
    }
    bool good = true;
    if (count > 0) job->of_each = (job->mutants + count - 1) / count;
    for (int i = 0; i < count; i++) {
        char inner[4096];
        if (snprintf(inner, sizeof inner, "%s/%s", path, entries[i]->d_name) < (int)sizeof inner)
            good = feed_path(job, inner) && good;
        free(entries[i]);
    }
    free(entries);
    return good;
}

int main(int argc, char **argv) {
    Job job = {.mutants = 0};
    uint64_t seed = 1;
    int first = 1;
    for (; first + 1 < argc && strncmp(argv[first], "--", 2) == 0; first += 2) {
        if (strcmp(argv[first], "--mutants") == 0) job.mutants = atoi(argv[first + 1]);
        if (strcmp(argv[first], "--seed") == 0) seed = strtoull(argv[first + 1], NULL, 10);
    }
    job.of_each = job.mutants;
    job.random = tac_random(seed, 0);

    const char *folder = getenv("TACTUS_BUILD");
    const char *slash = strrchr(argv[0], '/');
    snprintf(crash_path, sizeof crash_path, "%s/crash-%s-%llu", folder ? folder : ".",
             slash ? slash + 1 : argv[0], (unsigned long long)seed);
    if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(keep_input);
    signal(SIGALRM, on_signal);
    if (!__sanitizer_set_death_callback) {
        signal(SIGSEGV, on_signal);
        signal(SIGABRT, on_signal);
        signal(SIGFPE, on_signal);
    }

    feed(&job, (const uint8_t *)"", 0);
    bool good = true;
    for (int i = first; i < argc; i++) good = feed_path(&job, argv[i]) && good;
    printf("%zu inputs from %zu files\n", job.inputs, job.files);
    if (job.files == 0) fprintf(stderr, "fuzz: the corpus is empty\n");
    return good && job.files > 0 ? 0 : 1;
}
