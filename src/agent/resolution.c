// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#include "agent/resolution.h"

double tac_quality_of_count(double count, double most, double gamma) {
    return pow(count / most, gamma);
}

double tac_quality_of_margin(double margin, double gamma) {
    return 1 / (1 + exp(-gamma * margin));
}

double tac_resolution_cost(const TacResolution *r, const TacResolutionOps *ops, const void *self, int level) {
    double q[TAC_QUALITIES], sum = 0;
    ops->qualities(self, level, q);
    for (int k = 0; k < TAC_QUALITIES; k++) {
        double over = 1 / (q[k] + r->floor);
        sum += 0.5 * r->weights[k] * over * over;
    }
    return sum;
}

int tac_resolution_best(const TacResolution *r, const TacResolutionOps *ops, const void *self) {
    int best = r->lowest;
    double least = tac_resolution_cost(r, ops, self, best);
    for (int level = r->lowest + 1; level <= r->finest; level++) {
        double cost = tac_resolution_cost(r, ops, self, level);
        if (!(cost < least)) continue;
        least = cost;
        best = level;
    }
    return best;
}

int tac_resolution_adapt(TacResolution *r, const TacResolutionOps *ops, void *self) {
    int best = tac_resolution_best(r, ops, self), transitions = 0;
    for (; r->level < best; r->level++, transitions++) ops->refine(self);
    for (; r->level > best; r->level--, transitions++) ops->coarsen(self);
    return transitions;
}
