// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Nested penalty layers (document on safe contact, "nested potentials"; design: "Safe contact").
//
// A pair at gap d feels layer l when d < eta(l), with the energy r(l)/2 (eta(l) - d)^2:
//
//     eta(l) = eta1 l^(-1/4)        r(l) = r1 l^3        r1 = mass (v_ref / eta1)^2
//
// The sum of r(l) eta(l)^2 diverges, so no finite kick gets through. Each layer has a clock of its own whose
// period is at most
//
//     h(l) = 0.1 / sqrt(sum over k <= l of r(k) / mass) = 0.1 (eta1 / v_ref) 2 / (l (l+1))
//
// (that of one pair; it bears some tens that push together, and where there may be more, each has a smaller r1: safe_hub.c)
// rounded down to the ruler, so layers come in classes: consecutive layers share one, and all of a class is
// evaluated at once from prefix sums of l^3 and l^(11/4). The k-th class from the coarsest ticks every
// 2^(first-k) ticks and holds the layers after hi[k-1] up to hi[k]; some classes hold none.
//
// Pairs that lie nearer than eta1 in a mesh at rest, or that began nearer, have a nest scaled by c < 1: eta1 c, r1
// c^-2, and periods 2^-s, where `shift` s is the least with 2^-s <= c. Everything scales together: a nest of 2^-s
// gives the impulse of the unscaled one at d 2^s, with s more classes due. A nest of a pair that began near grows:
// certificates about it take the outermost thickness that it can have, until they are made anew.
//
// Pure arithmetic; knows nothing of pairs, points or schedulers.

#ifndef TACTUS_CONTACT_LAYERS_H
#define TACTUS_CONTACT_LAYERS_H

#include "time/ticks.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { TAC_LAYER_CLASSES = 64, TAC_LAYER_TABLE = 128 };

// s, that a thickness takes at the usual speed: longer than anybody waits, and layers can still be counted.
#define TAC_LAYERS_LONGEST 1e9

// Of that time, how long layer 1 may go without a tick.
#define TAC_LAYERS_STEP 0.1

// A nest in one number: its shift; where it grows, that it does, and by how many sixteenths of an octave it is larger
// than 2^-shift.
enum { TAC_NEST_SHIFT = 63, TAC_NEST_GROWS = 64, TAC_NEST_PART = 128 };

typedef struct TacNest {
    double scale; // c, above 0, at most 1
    int shift;    // s
} TacNest;

static inline TacNest tac_nest(double scale) {
    int exponent;
    frexp(scale, &exponent);
    return (TacNest){scale, 1 - exponent};
}

// The number of a nest that grows.
static inline int tac_nest_growing(TacNest nest) {
    double larger = nest.scale * (double)((uint64_t)1 << nest.shift); // 1 to 2
    return nest.shift | TAC_NEST_GROWS | (int)(16 * log2(larger)) * TAC_NEST_PART;
}

// The largest scale that a growing nest of this number has.
static inline double tac_nest_largest(int nest) {
    return exp2((nest / TAC_NEST_PART + 1) / 16.0 - (nest & TAC_NEST_SHIFT));
}

// 2^-times, below 1023 times, by its bits.
static inline double tac_halved(int times) {
    uint64_t bits = (uint64_t)(1023 - times) << 52;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline TacNest tac_nest_halved(int times) {
    return (TacNest){tac_halved(times), times};
}

typedef struct TacLayers {
    double eta1;                      // m
    double strength;                  // r1 per kg, 1/s^2
    double tick;                      // s
    double step;                      // s, stable period of layer 1
    int first;                        // ruler class of layer 1
    int count;                        // classes: first, first - 1, ... 0
    double hi[TAC_LAYER_CLASSES];     // last layer of the k-th class, a whole number
    double cubes[TAC_LAYER_CLASSES];  // sum of l^3 up to it
    double powers[TAC_LAYER_CLASSES]; // sum of l^(11/4) up to it
    double limit[TAC_LAYER_CLASSES];  // m: gap at which the first layer of a finer class begins
    double period[TAC_LAYER_CLASSES]; // s
    double table[TAC_LAYER_TABLE];    // sums of l^(11/4)
    double constant;                  // of the asymptotic sum
} TacLayers;

// False when layer 1 itself would have to tick more often than once a tick. eta1 is at most v_ref TAC_LAYERS_LONGEST. `finer` classes are added to the
// stable period's (0: as above; below 0: taken away). No layer ticks less often than every `longest`
// seconds, if an eighth of the stable period is enough for that.
bool tac_layers_init(TacLayers *layers, TacTimebase base, double eta1, double v_ref, int finer,
                     double longest);

// What parts more slowly than this rests rather than bounces, m/s: what falls is that fast after some of their periods. Without
// weight it is a small part of the usual speed, as it is under weight where that speed is one of falling.
double tac_layers_rest_speed(const TacLayers *layers, double gravity);

// What the layers that tick do at one instant.
typedef struct TacLayerKick {
    double impulse;          // of all, per r1: r1 times this is in N s; 0: none is live
    double stiffness;        // sum of period times r(l) over live layers that tick, per r1
    int shallowest, deepest; // classes (positions from the coarsest) that kicked; -1: none
} TacLayerKick;

// How deep a pair is in its nest.
typedef struct TacLayerDepth {
    double gap;     // m, of a nest that is not scaled
    double live;    // layers: the last with eta(l) > gap
    double pushes;  // times impulses: those are periods times forces, 2^-s / c
    double stiffer; // times stiffness, which is against displacements that are not scaled
    int shift;
} TacLayerDepth;

static inline TacLayerDepth tac_layers_depth(const TacLayers *layers, TacNest nest, double gap) {
    TacLayerDepth depth = {gap, 0, 1, 1, nest.shift};
    if (nest.scale != 1) {
        depth.gap = gap / nest.scale;
        depth.pushes = tac_halved(nest.shift) / nest.scale;
        depth.stiffer = depth.pushes / nest.scale;
    }
    double q = layers->eta1 / depth.gap, q2 = q * q;
    depth.live = ceil(q2 * q2) - 1;
    return depth;
}

// Sums of l^3 and l^(11/4) up to a layer.
static inline double tac_layers_cubes(double l) {
    double half = 0.5 * l * (l + 1);
    return half * half;
}
double tac_layers_powers(const TacLayers *layers, double l);

// Adds what one class does to `kick`, as if the nest were not scaled, where it ticks as often as class `clock`.
static inline void tac_layers_add_class_at(const TacLayers *layers, TacLayerDepth depth, int k, int clock,
                                           TacLayerKick *kick) {
    double before = k ? layers->hi[k - 1] : 0;
    if (!(depth.live > before) || layers->hi[k] == before) return;
    bool whole = depth.live >= layers->hi[k];
    double cubes = whole ? layers->cubes[k] : tac_layers_cubes(depth.live);
    double powers = whole ? layers->powers[k] : tac_layers_powers(layers, depth.live);
    cubes -= k ? layers->cubes[k - 1] : 0;
    double force = layers->eta1 * (powers - (k ? layers->powers[k - 1] : 0)) - depth.gap * cubes;
    if (!(force > 0)) return;
    kick->impulse += layers->period[clock] * force;
    kick->stiffness += layers->period[clock] * cubes;
    if (kick->shallowest < 0) kick->shallowest = k;
    kick->deepest = k;
}

static inline void tac_layers_add_class(const TacLayers *layers, TacLayerDepth depth, int k,
                                        TacLayerKick *kick) {
    tac_layers_add_class_at(layers, depth, k, k, kick);
}

static inline TacLayerKick tac_layers_scaled(TacLayerKick kick, TacLayerDepth depth) {
    kick.impulse *= depth.pushes;
    kick.stiffness *= depth.stiffer;
    return kick;
}

// What the layers that tick do. `due` is the coarsest ruler class that ticks now (the trailing zeros of the instant).
static inline TacLayerKick tac_layers_kick(const TacLayers *layers, TacLayerDepth depth, int due) {
    TacLayerKick kick = {0, 0, -1, -1};
    if (depth.gap >= layers->eta1) return kick;
    int k = layers->first - (due + depth.shift);
    for (k = k < 0 ? 0 : k; k < layers->count && (!k || layers->hi[k - 1] < depth.live); k++)
        tac_layers_add_class(layers, depth, k, &kick);
    return tac_layers_scaled(kick, depth);
}

// The finest class of which a layer is live; depth.live is at least 1.
static inline int tac_layers_deepest(const TacLayers *layers, TacLayerDepth depth) {
    int k = 0;
    while (k + 1 < layers->count && layers->hi[k] < depth.live) k++;
    return k;
}

// All live layers at once, on the clock of class k, which is none of a layer that is coarser than a live one.
static inline TacLayerKick tac_layers_kick_together(const TacLayers *layers, TacLayerDepth depth, int k,
                                                    int due) {
    TacLayerKick kick = {0, 0, -1, -1};
    if (layers->first - k - depth.shift > due) return kick;
    double cubes = tac_layers_cubes(depth.live);
    double force = layers->eta1 * tac_layers_powers(layers, depth.live) - depth.gap * cubes;
    if (!(force > 0)) return kick;
    kick.impulse = layers->period[k] * force;
    kick.stiffness = layers->period[k] * cubes;
    kick.shallowest = 0;
    kick.deepest = k;
    return tac_layers_scaled(kick, depth);
}

// The same as tac_layers_kick where no class ticks less often than `clock`: those that would, tick with it.
static inline TacLayerKick tac_layers_kick_hurried(const TacLayers *layers, TacLayerDepth depth, int clock,
                                                   int due) {
    TacLayerKick kick = {0, 0, -1, -1};
    if (depth.gap >= layers->eta1) return kick;
    int k = layers->first - (due + depth.shift);
    for (k = k <= clock ? 0 : k; k < layers->count && (!k || layers->hi[k - 1] < depth.live); k++)
        tac_layers_add_class_at(layers, depth, k, k < clock ? clock : k, &kick);
    return tac_layers_scaled(kick, depth);
}

// One class alone, on the clock of another.
static inline TacLayerKick tac_layers_kick_class_at(const TacLayers *layers, TacLayerDepth depth, int k,
                                                    int clock) {
    TacLayerKick kick = {0, 0, -1, -1};
    if (k < layers->count) tac_layers_add_class_at(layers, depth, k, clock, &kick);
    return tac_layers_scaled(kick, depth);
}
static inline TacLayerKick tac_layers_kick_class(const TacLayers *layers, TacLayerDepth depth, int k) {
    return tac_layers_kick_class_at(layers, depth, k, k);
}

// Mean force of all live layers at a gap, per r1, and its stiffness: what their kicks come to over time.
double tac_layers_force(const TacLayers *layers, TacNest nest, double gap, double *stiffness);

// Energy of all layers at a gap, per r1.
double tac_layers_energy(const TacLayers *layers, TacNest nest, double gap);

// The gap that certificates must show while classes up to k are armed; k = -1: none is. Of a nest that grows: the
// whole eta1 while none is; else what it may have before its number changes, and a little more, as that is noticed
// only when the pair is looked at.
double tac_layers_growing_limit(const TacLayers *layers, int nest, int k);
static inline double tac_layers_limit(const TacLayers *layers, int nest, int k) {
    if (nest & TAC_NEST_GROWS) return tac_layers_growing_limit(layers, nest, k);
    return (k < 0 ? layers->eta1 : layers->limit[k]) * tac_halved(nest);
}

// Ruler class of the k-th class of layers; below 0: it cannot be integrated.
static inline int tac_layers_class(const TacLayers *layers, int nest, int k) {
    return layers->first - k - (nest & TAC_NEST_SHIFT);
}

#endif
