// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Axes of plots: where the ticks are (round numbers: 1, 2 or 5 times a power of ten) and what stands beside
// them. Numbers too long to be read are shortened: a power of ten or a constant that all labels share is
// taken out and written once, as the axis' note. Pure functions of their arguments; no locale.

#ifndef TACTUS_RECORD_PLOT_AXES_H
#define TACTUS_RECORD_PLOT_AXES_H

#include "tactus/base.h"

#define TAC_MOST_TICKS 32
#define TAC_MOST_MINOR 256

typedef struct TacAxis {
    double low, high; // at its two ends
    bool logarithmic;
    int count, minor_count;
    double ticks[TAC_MOST_TICKS];
    char labels[TAC_MOST_TICKS][48];
    double minor[TAC_MOST_MINOR]; // small ticks without labels; logarithmic axes only
    char note[64];                // "×10⁻⁶", "+ 12.5", or both; empty when the labels say all
} TacAxis;

// An axis over [low, high] with about `wanted` labelled ticks. Both ends must be finite and low < high;
// positive where it is logarithmic.
TacAxis tac_axis_make(double low, double high, bool logarithmic, int wanted);

// Where a value lies: 0 at the low end, 1 at the high one.
double tac_axis_place(const TacAxis *axis, double value);

// Widens [*low, *high] by `margin` of its length at both ends, and a range of no length to one around its
// value.
void tac_axis_pad(double *low, double *high, bool logarithmic, double margin);

// A number with this many decimals and a point, whatever the locale.
void tac_text_fixed(char *text, size_t size, double value, int decimals);

#endif
