// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#include "agent/resolution.h"

enum { PRICES = 64 };

double tac_quality_of_count(double count, double most, double gamma) {
    return pow(count / most, gamma);
}

double tac_quality_of_margin(double margin, double gamma) {
    double y = gamma * margin;
    return y > 40 ? 1 : 1 / (1 + exp(-y)); // beyond 40 the sum is 1 to the last bit
}

static double cost_of(double weight, double quality, double floor) {
    double over = 1 / (quality + floor);
    return weight == 0 ? 0 : 0.5 * weight * over * over;
}

static void fill_table(void *object, const TacResolutionOps *ops) {
    TacResolution *r = ops->resolution(object);
    for (int level = r->lowest; level <= r->finest; level++) {
        double q[TAC_QUALITIES];
        ops->qualities(object, level, q);
        r->costs[level - r->lowest] = 0;
        for (int k = 0; k < TAC_QUALITIES; k++)
            if (k != TAC_QUALITY_TIME) r->costs[level - r->lowest] += cost_of(r->weights[k], q[k], r->floor);
        r->seconds[level - r->lowest] = ops->seconds(object, level);
    }
}

// The level of least cost when a second costs `price`.
static int best_at(const TacResolution *r, double price) {
    int best = r->lowest;
    double least = INFINITY;
    for (int level = r->lowest; level <= r->finest; level++) {
        double cost = r->costs[level - r->lowest] + price * r->seconds[level - r->lowest];
        if (!(cost < least)) continue;
        least = cost;
        best = level;
    }
    return best;
}

typedef struct Total {
    double cost, seconds, weight, floor;
} Total;

static double with_time(const Total *t, const TacBudget *budget) {
    double q = tac_quality_of_margin(budget->limit - budget->scale * t->seconds, budget->gamma);
    return t->cost + cost_of(t->weight, q, t->floor);
}

// What choosing at a price comes to.
static Total at_price(void *const *objects, size_t count, const TacResolutionOps *ops, double price) {
    Total t = {0, 0, 0, 0};
    for (size_t i = 0; i < count; i++) {
        TacResolution *r = ops->resolution(objects[i]);
        r->choice = best_at(r, price);
        t.cost += r->costs[r->choice - r->lowest];
        t.seconds += r->seconds[r->choice - r->lowest];
        t.weight += r->weights[TAC_QUALITY_TIME];
        t.floor = r->floor;
    }
    return t;
}

// Each object in turn: all of its levels, the others as they are.
static void improve(void *const *objects, size_t count, const TacResolutionOps *ops, const TacBudget *budget,
                    Total *t) {
    for (size_t i = 0; i < count; i++) {
        TacResolution *r = ops->resolution(objects[i]);
        Total rest = *t, best = *t;
        rest.cost -= r->costs[r->choice - r->lowest];
        rest.seconds -= r->seconds[r->choice - r->lowest];
        double least = INFINITY;
        for (int level = r->lowest; level <= r->finest; level++) {
            Total trial = rest;
            trial.cost += r->costs[level - r->lowest];
            trial.seconds += r->seconds[level - r->lowest];
            double cost = with_time(&trial, budget);
            if (!(cost < least)) continue;
            least = cost;
            best = trial;
            r->choice = level;
        }
        // all levels hopeless: the coarsest
        if (least == INFINITY) r->choice = r->lowest;
        *t = best;
    }
}

bool tac_resolution_choose(void *const *objects, size_t count, const TacResolutionOps *ops,
                           const TacBudget *budget) {
    for (size_t i = 0; i < count; i++) fill_table(objects[i], ops);
    Total free = at_price(objects, count, ops, 0);
    if (budget->gamma * (budget->limit - budget->scale * free.seconds) > 40) return true;
    double least = with_time(&free, budget), best = 0;
    for (int k = 0; count > 1 && k < PRICES; k++) {
        double price = ldexp(1, k - 4);
        Total t = at_price(objects, count, ops, price);
        double cost = with_time(&t, budget);
        if (!(cost < least)) continue;
        least = cost;
        best = price;
    }
    Total t = at_price(objects, count, ops, best);
    improve(objects, count, ops, budget, &t);
    return false;
}

int tac_resolution_go(void *object, const TacResolutionOps *ops) {
    TacResolution *r = ops->resolution(object);
    int transitions = 0;
    for (; r->level < r->choice && ops->refine(object); r->level++) transitions++;
    for (; r->level > r->choice && ops->coarsen(object); r->level--) transitions++;
    return transitions;
}

void tac_resolution_wait(TacResolution *r, const TacPatience *patience, double time) {
    if (r->choice > r->level && time < patience->ready) r->choice = r->level;
}

void tac_resolution_learn(const TacResolution *r, int before, TacPatience *patience, double time, double step,
                          double longest) {
    if (r->level > before) patience->refined = time;
    if (r->level >= before) return;
    bool for_nothing = time - patience->refined < longest, again = time - patience->ready < longest;
    patience->wait = !for_nothing ? 0 : fmin(again ? fmax(2 * patience->wait, step) : step, longest);
    // half a step less: times are sums
    patience->ready = time + patience->wait - 0.5 * step;
}
