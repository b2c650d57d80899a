// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// `safe_soak SEED [FIRST [COUNT]]`: random scenes of tests/safe_scenes.h, audited. Nothing may ever meet; few may
// end with the progress error, and none that is mild. `safe_soak SEED NUMBER 0` prints a scene.

#include "safe_scenes.h"

int main(int argc, char **argv) {
    if (argc < 2 || argc > 4) {
        fprintf(stderr, "usage: safe_soak SEED [FIRST [COUNT]]\n");
        return 2;
    }
    uint64_t seed = strtoull(argv[1], NULL, 10), first = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    uint64_t count = argc > 3 ? strtoull(argv[3], NULL, 10) : 10;
    static Throw t;
    char why[1100] = "";
    int outcomes[4] = {0};
    if (argc > 3 && !count) {
        make_throw(&t, seed, first);
        puts(t.text);
        return 0;
    }
    for (uint64_t i = first; i < first + count; i++) {
        Outcome outcome = run_throw(&t, seed, i, why, sizeof why);
        outcomes[outcome]++;
        if (outcome != OUTCOME_WRONG) continue;
        fprintf(stderr, "scene %llu of seed %s (%g m/s, %g m, mass ratio %g): %s\n%s\n",
                (unsigned long long)i, argv[1], t.speed, t.thickness, t.ratio, why, t.text);
        return 1;
    }
    printf("%d clean, %d without progress, %d refused\n", outcomes[0], outcomes[1], outcomes[2]);
    // a twentieth may; ten scenes are few
    return 20 * outcomes[OUTCOME_PROGRESS] > (int)count + 30;
}
