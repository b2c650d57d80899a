// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Sums over nested layers; see layers.h.

#include "contact/layers.h"

static double cubes_to(double l) {
    double half = 0.5 * l * (l + 1);
    return half * half;
}

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

static double powers_to(const TacLayers *layers, double l) {
    return l < TAC_LAYER_TABLE ? layers->table[(int)l] : asymptotic(l) + layers->constant;
}

// The last layer whose stable period, 2 ticks1 / (l (l+1)), is at least 2^e ticks.
static double last_layer(double ticks1, int e) {
    double most = ldexp(ticks1, -e); // l (l+1) / 2 is at most this
    double l = floor(0.5 * (sqrt(8 * most + 1) - 1));
    while (0.5 * (l + 1) * (l + 2) <= most) l++;
    while (l > 0 && 0.5 * l * (l + 1) > most) l--;
    return l;
}

bool tac_layers_init(TacLayers *layers, TacTimebase base, double eta1, double v_ref, int finer,
                     double longest) {
    *layers = (TacLayers){.eta1 = eta1, .strength = (v_ref / eta1) * (v_ref / eta1), .tick = base.tick};
    const double s = 0.05;
    double ticks1 = ldexp(2 * s * eta1 / v_ref / base.tick, -finer);
    layers->step = ticks1 * base.tick;
    layers->first = tac_ruler_class(base, fmin(layers->step, fmax(longest, layers->step / 8)));
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
        layers->cubes[k] = cubes_to(hi);
        layers->powers[k] = powers_to(layers, hi);
        layers->limit[k] = eta1 / root4(hi + 1);
        layers->period[k] = ldexp(base.tick, layers->first - k);
    }
    return true;
}

// The last live layer at a gap: eta(l) > gap.
static double live_layers(const TacLayers *layers, double gap) {
    double q = layers->eta1 / gap, q2 = q * q;
    return ceil(q2 * q2) - 1;
}

// Adds one class's part up to the last live layer.
static void add_class(const TacLayers *layers, int k, double gap, double live, TacLayerKick *kick) {
    double before = k ? layers->hi[k - 1] : 0;
    if (!(live > before) || layers->hi[k] == before) return;
    bool whole = live >= layers->hi[k];
    double cubes = (whole ? layers->cubes[k] : cubes_to(live)) - (k ? layers->cubes[k - 1] : 0);
    double powers = (whole ? layers->powers[k] : powers_to(layers, live)) - (k ? layers->powers[k - 1] : 0);
    double force = layers->eta1 * powers - gap * cubes;
    if (!(force > 0)) return;
    kick->impulse += layers->period[k] * force;
    kick->stiffness += layers->period[k] * cubes;
    if (kick->shallowest < 0) kick->shallowest = k;
    kick->deepest = k;
}

double tac_layers_growing_limit(const TacLayers *layers, int nest, int k) {
    if (k < 0) return layers->eta1;
    return 1.01 * layers->limit[k] * tac_nest_largest(nest);
}

// Impulses are periods times forces, 2^-s / c; stiffness is against displacements that are not scaled.
static TacLayerKick scaled_kick(TacLayerKick kick, TacNest nest) {
    double factor = 1 / ((double)((uint64_t)1 << nest.shift) * nest.scale);
    kick.impulse *= factor;
    kick.stiffness *= factor / nest.scale;
    return kick;
}

TacLayerKick tac_layers_kick_class(const TacLayers *layers, TacNest nest, double gap, int k) {
    TacLayerKick kick = {0, 0, -1, -1};
    double scaled = gap / nest.scale;
    if (k < layers->count) add_class(layers, k, scaled, live_layers(layers, scaled), &kick);
    return scaled_kick(kick, nest);
}

TacLayerKick tac_layers_kick(const TacLayers *layers, TacNest nest, double gap, int due) {
    TacLayerKick kick = {0, 0, -1, -1};
    double scaled = gap / nest.scale;
    if (scaled >= layers->eta1) return kick;
    double live = live_layers(layers, scaled);
    int k = layers->first - (due + nest.shift);
    for (k = k < 0 ? 0 : k; k < layers->count && (!k || layers->hi[k - 1] < live); k++)
        add_class(layers, k, scaled, live, &kick);
    return scaled_kick(kick, nest);
}

double tac_layers_force(const TacLayers *layers, TacNest nest, double gap, double *stiffness) {
    double scaled = gap / nest.scale;
    *stiffness = 0;
    if (scaled >= layers->eta1) return 0;
    double live = live_layers(layers, scaled), cubes = cubes_to(live);
    *stiffness = cubes / (nest.scale * nest.scale);
    return fmax(0, layers->eta1 * powers_to(layers, live) - scaled * cubes) / nest.scale;
}

double tac_layers_energy(const TacLayers *layers, TacNest nest, double gap) {
    // potentials per layer l: l^3/2 (eta(l) - d)^2 = l^(5/2) eta1^2/2 - l^(11/4) eta1 d + l^3 d^2/2
    double scaled = gap / nest.scale;
    if (scaled >= layers->eta1) return 0;
    double live = live_layers(layers, scaled), sum = 0;
    if (live > 1e6) live = 1e6; // deeper than any run gets
    for (double l = 1; l <= live; l++) {
        double g = layers->eta1 / root4(l) - scaled;
        sum += 0.5 * l * l * l * g * g;
    }
    return sum;
}
