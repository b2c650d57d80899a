// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Integer time (design: "Time").
//
// A world has a beat; one beat is 2^bits ticks, and every instant of the world is a whole number of ticks
// since its start. Equal times are equal integers, sums of periods are exact, nothing drifts. Seconds appear
// only at the border: what comes in is rounded once, what goes out is one product.
//
// bits = 40 + floor(log2(beat / 10 ms)) keeps the tick between 0.9e-14 s and 1.8e-14 s whatever the beat,
// fine enough for an impact at 1,000 m/s with a mass ratio of 10^6, and coarse enough that int64_t reaches 23
// hours. A tick that were a power of two of a second would make seconds exact too, but then a beat of 10 ms
// would not be a whole number of ticks, and the ruler lives on whole beats. Outside of beats from 2e-14 s to
// 80 s the bits are clamped (1..52): a longer beat reaches farther, a shorter one less far.
//
// Instants lie in [0, TAC_TICK_NEVER). Header only; touches nothing.

#ifndef TACTUS_TIME_TICKS_H
#define TACTUS_TIME_TICKS_H

#include <float.h>
#include <math.h>
#include <stdint.h>

typedef int64_t TacTick;

#define TAC_TICK_NEVER    INT64_MAX
#define TAC_TICK_BITS_MIN 1
#define TAC_TICK_BITS_MAX 52
#define TAC_RULER_CLASSES 63 // periods 2^0 .. 2^62 ticks

typedef struct TacTimebase {
    double beat; // seconds
    int bits;    // one beat is 2^bits ticks
    double tick; // seconds per tick, exactly beat * 2^-bits
} TacTimebase;

// The timebase of a beat in seconds. All zero when the beat is not a positive, finite, normal number: ask
// tick > 0.
static inline TacTimebase tac_timebase(double beat) {
    if (!(beat >= 4 * DBL_MIN) || !(beat <= DBL_MAX)) return (TacTimebase){0, 0, 0};
    double tens_of_ms = beat / 0.01;
    int bits = TAC_TICK_BITS_MAX;
    if (tens_of_ms < 0x1p12) {
        // the ratio is m * 2^exponent with m in [1/2, 1)
        int exponent;
        (void)frexp(tens_of_ms, &exponent);
        bits = 40 + exponent - 1;
    }
    if (bits < TAC_TICK_BITS_MIN) bits = TAC_TICK_BITS_MIN;
    return (TacTimebase){beat, bits, ldexp(beat, -bits)};
}

// One rounding below 2^53 ticks (82 s on a 10 ms beat) and for whole beats; two above.
static inline double tac_seconds(TacTimebase base, TacTick ticks) {
    return (double)ticks * base.tick;
}

// The nearest tick; saturates at INT64_MIN and TAC_TICK_NEVER, which is also the answer for NaN.
static inline TacTick tac_ticks_round(TacTimebase base, double seconds) {
    double ticks = seconds / base.tick;
    if (!(ticks < 0x1p63)) return TAC_TICK_NEVER;
    if (ticks < -0x1p63) return INT64_MIN;
    return llround(ticks);
}

// The last tick that is not after `seconds` (exact below 2^53 ticks, never after above), for times that must
// not be missed. Saturates at INT64_MIN and TAC_TICK_NEVER; NaN gives INT64_MIN: look at once.
static inline TacTick tac_ticks_floor(TacTimebase base, double seconds) {
    double ticks = floor(seconds / base.tick);
    if (!(ticks >= -0x1p63)) return INT64_MIN;
    if (ticks >= 0x1p63) return TAC_TICK_NEVER;
    // the division may have rounded up to the next tick; the fused sign is exact
    if (fma(ticks, base.tick, -seconds) > 0) ticks = fmin(ticks - 1, nextafter(ticks, -INFINITY));
    return ticks < -0x1p63 ? INT64_MIN : (TacTick)ticks;
}

// The class of the longest period that a clock may have: the largest e in 0..62 whose period, 2^e ticks, is
// at most `longest_period` seconds. -1 when even one tick is too long (and for NaN).
static inline int tac_ruler_class(TacTimebase base, double longest_period) {
    double ticks = longest_period / base.tick;
    if (!(ticks >= 1)) return -1;
    if (ticks >= 0x1p63) return TAC_RULER_CLASSES - 1;
    // a quotient below a power of two never rounds up to it: at least one double lies between
    int exponent;
    (void)frexp(ticks, &exponent);
    return exponent - 1;
}

#endif
