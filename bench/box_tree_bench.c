// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What the dynamic tree of boxes costs for each k: a crumpling sheet of thin slanted boxes, built, asked for all
// pairs, moved and asked again leaf by leaf. Prints a table; asserts nothing.

#define _GNU_SOURCE

#include "base/random.h"
#include "geometry/box_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SIDE = 200, COUNT = SIDE * SIDE, ROUNDS = 5 };

static double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

// A sheet in folds, each cell of it one box with a margin.
static TacVec3 sheet_at(double u, double v, double time) {
    double fold = 3 * sin(0.3 * u + time) + 2 * sin(0.23 * v + 0.7 * time);
    return tac_vec3(0.6 * u + 0.3 * fold, 0.6 * v - 0.2 * fold, fold);
}

static TacDop cell_box(int k, int cell, double time) {
    TacDop box = tac_dop_empty();
    for (int corner = 0; corner < 4; corner++)
        tac_dop_add_ball(&box, k, sheet_at(cell % SIDE + corner % 2, cell / SIDE + corner / 2, time), 0.05);
    return box;
}

static void report(int k) {
    static TacDop boxes[COUNT];
    TacBoxTree tree;
    TacIds found = {0};
    if (tac_box_tree_create(&tree, k, NULL) != TAC_OK) return;
    double start = now_ns();
    for (int i = 0; i < COUNT; i++) boxes[i] = cell_box(k, i, 0);
    double made = now_ns();
    if (tac_box_tree_build(&tree, boxes, COUNT, NULL) != TAC_OK) return;
    double built = now_ns();
    if (tac_box_tree_pairs(&tree, &found, NULL) != TAC_OK) return;
    double paired = now_ns();
    size_t pairs = found.count / 2, hits = 0;
    double moving = 0, asking = 0;
    for (int round = 1; round <= ROUNDS; round++) {
        for (int i = 0; i < COUNT; i++) boxes[i] = cell_box(k, i, 0.05 * round);
        double begin = now_ns();
        for (int32_t i = 0; i < COUNT; i++) tac_box_tree_move(&tree, i, &boxes[i]);
        double moved = now_ns();
        for (int32_t i = 0; i < COUNT; i++) {
            found.count = 0;
            if (tac_box_tree_find(&tree, &boxes[i], i, &found, NULL) != TAC_OK) return;
            hits += found.count;
        }
        moving += moved - begin;
        asking += now_ns() - moved;
    }
    double n = COUNT, m = n * ROUNDS;
    printf("k %2d: make %4.0f ns  build %4.0f ns  pairs %5.0f ns (%.1f per leaf)  move %5.0f ns  ask %5.0f "
           "ns (%.1f "
           "found)  height %d  quality %.0f\n",
           k, (made - start) / n, (built - made) / n, (paired - built) / n, (double)pairs / n, moving / m,
           asking / m, (double)hits / m, tac_box_tree_height(&tree), tac_box_tree_quality(&tree));
    free(found.ids);
    tac_box_tree_destroy(&tree);
}

int main(void) {
    printf("%d leaves, per leaf:\n", COUNT);
    report(6);
    report(14);
    report(18);
    report(26);
    return 0;
}
