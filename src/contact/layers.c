// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Sums over nested layers; see layers.h.

#include "contact/layers.h"

// l^p for p = 11/4 - 0, 1, 3
static double root4(double l) {
    return sqrt(sqrt(l));
}

// Euler and Maclaurin, without the constant.
static double asymptotic(double n) {
    const double p = 2.75;
    double q = n * n * n / root4(n); // n^p
    return q * (n / (p + 1) + 0.5 + p / (12 * n) - p * (p - 1) * (p - 2) / (720 * n * n * n) +
                p * (p - 1) * (p - 2) * (p - 3) * (p - 4) / (30240 * n * n * n * n * n));
}

double tac_layers_powers(const TacLayers *layers, double l) {
    return l < TAC_LAYER_TABLE ? layers->table[(int)l] : asymptotic(l) + layers->constant;
}

// The last layer whose stable period, 2 ticks1 / (l (l+1)), is at least 2^e ticks.
static double last_layer(double ticks1, int e) {
    double most = ldexp(ticks1, -e); // l (l+1) / 2 is at most this
    double l = floor(0.5 * (sqrt(8 * most + 1) - 1));
    while (l < 0x1p52 && 0.5 * (l + 1) * (l + 2) <= most) l++; // beyond, adding 1 changes nothing
    while (l > 0 && l < 0x1p53 && 0.5 * l * (l + 1) > most) l--;
    return l;
}

bool tac_layers_init(TacLayers *layers, TacTimebase base, double eta1, double v_ref, int finer,
                     double longest) {
    *layers = (TacLayers){.eta1 = eta1, .strength = (v_ref / eta1) * (v_ref / eta1), .tick = base.tick};
    double ticks1 = ldexp(TAC_LAYERS_STEP * eta1 / v_ref / base.tick, -finer);
    layers->step = ticks1 * base.tick;
    double least = layers->step / (finer < 0 ? 16 : 8);
    layers->first = tac_ruler_class(base, fmin(layers->step, fmax(longest, least)));
    if (layers->first < 0) return false;
    for (int l = 1; l < TAC_LAYER_TABLE; l++) {
        double x = l;
        layers->table[l] = layers->table[l - 1] + x * x * x / root4(x);
    }
    layers->constant = layers->table[TAC_LAYER_TABLE - 1] - asymptotic(TAC_LAYER_TABLE - 1);
    layers->count = layers->first + 1;
    for (int k = 0; k < layers->count; k++) {
        double hi = last_layer(ticks1, layers->first - k);
        layers->hi[k] = hi;
        layers->cubes[k] = tac_layers_cubes(hi);
        layers->powers[k] = tac_layers_powers(layers, hi);
        layers->limit[k] = eta1 / root4(hi + 1);
        layers->period[k] = ldexp(base.tick, layers->first - k);
    }
    return true;
}

double tac_layers_rest_speed(const TacLayers *layers, double gravity) {
    const double part = 4e-3;
    return gravity > 0 ? 4 * gravity * layers->period[0] : part * layers->eta1 * sqrt(layers->strength);
}

double tac_layers_growing_limit(const TacLayers *layers, int nest, int k) {
    if (k < 0) return layers->eta1;
    return 1.01 * layers->limit[k] * tac_nest_largest(nest);
}

double tac_layers_force(const TacLayers *layers, TacNest nest, double gap, double *stiffness) {
    TacLayerDepth depth = tac_layers_depth(layers, nest, gap);
    *stiffness = 0;
    if (depth.gap >= layers->eta1) return 0;
    double cubes = tac_layers_cubes(depth.live);
    *stiffness = cubes / (nest.scale * nest.scale);
    return fmax(0, layers->eta1 * tac_layers_powers(layers, depth.live) - depth.gap * cubes) / nest.scale;
}

double tac_layers_energy(const TacLayers *layers, TacNest nest, double gap) {
    // potentials per layer l: l^3/2 (eta(l) - d)^2 = l^(5/2) eta1^2/2 - l^(11/4) eta1 d + l^3 d^2/2
    TacLayerDepth depth = tac_layers_depth(layers, nest, gap);
    if (depth.gap >= layers->eta1) return 0;
    double live = fmin(depth.live, 1e6), sum = 0; // deeper than any run gets
    for (double l = 1; l <= live; l++) {
        double g = layers->eta1 / root4(l) - depth.gap;
        sum += 0.5 * l * l * l * g * g;
    }
    return sum;
}
