// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What the loose scheduler costs: nanoseconds of processor time per activation from 10 to 100,000 agents, with both
// rules, sleep and the window's upkeep. Prints a table; asserts nothing.

#define _GNU_SOURCE

#include "base/random.h"
#include "time/loose.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double measure(uint32_t agents, unsigned rules) {
    enum { ROUNDS = 3, ACTIVATIONS = 2000000 };
    const TacTick step = (TacTick)1 << 36, cost = (TacTick)1 << 30;
    TacLoose loose;
    if (tac_loose_create(&loose, agents, 10, 2, NULL) != TAC_OK) exit(1);
    TacRandom random = tac_random(1, 1);
    for (uint32_t id = 0; id < agents; id++) {
        TacLooseAgentDef def = {.threshold = 2 * step,
                                .ratio = tac_random_between(&random, 0.2, 1),
                                .c1 = 0.1,
                                .priority = (int)(tac_random_bits(&random) % 11),
                                .rules = rules};
        tac_loose_add(&loose, id, &def);
    }
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double start = now_ns();
        for (int i = 0; i < ACTIVATIONS; i++) {
            uint32_t id;
            while (tac_loose_take(&loose, &id, 1) == 0)
                tac_loose_set_now(&loose, tac_loose_next_wake(&loose));
            tac_loose_set_now(&loose, loose.now + cost);
            tac_loose_finish(&loose, id, loose.agents[id].time + step, cost);
        }
        double each = (now_ns() - start) / ACTIVATIONS;
        best = each < best ? each : best;
    }
    tac_loose_destroy(&loose);
    return best;
}

int main(void) {
    printf("%10s %16s %16s %16s   ns per activation\n", "agents", "priority rule", "sleep rule", "both");
    for (uint32_t n = 10; n <= 100000; n *= 10)
        printf("%10u %16.1f %16.1f %16.1f\n", n, measure(n, TAC_LOOSE_BY_PRIORITY),
               measure(n, TAC_LOOSE_BY_SLEEP), measure(n, TAC_LOOSE_BY_PRIORITY | TAC_LOOSE_BY_SLEEP));
    return 0;
}
