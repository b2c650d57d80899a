// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// `ccd_soak SEED`: many random cases of every family of tests/ccd_families.h.

#include "ccd_families.h"

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        Family family;
        int count;
    } families[] = {
        {"integer motions", integer_motions, 40000}, {"touching motions", touching_motions, 40000},
        {"thick motions", thick_motions, 3000},      {"other words", other_words, 20000},
        {"orientations", orientations, 100000},      {"static meetings", static_meetings, 100000},
        {"flat meetings", flat_meetings, 100000},    {"triangle soups", triangle_soups, 300},
        {"thrown motions", thrown_motions, 3000},
    };
    if (argc != 2) {
        fprintf(stderr, "usage: ccd_soak SEED\n");
        return 2;
    }
    uint64_t seed = strtoull(argv[1], NULL, 10);
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        static Case c;
        c = (Case){.random = tac_random(seed, f + 1)};
        for (int i = 0; i < families[f].count; i++) {
            const char *problem = families[f].family(&c);
            if (!problem) continue;
            fprintf(stderr, "%s, case %d of seed %s: %s\n", families[f].name, i, argv[1], problem);
            return 1;
        }
        const Tally *t = &c.tally;
        printf("%-17s %6d: clear %ld, hit %ld, unsure %ld, spent %ld; exactly: crossing %ld, apart %ld, "
               "touching %ld; at most %d cells\n",
               families[f].name, families[f].count, t->states[0], t->states[1], t->states[2], t->spent,
               t->strict_hits, t->misses, t->touches, t->most_cells);
    }
    return 0;
}
