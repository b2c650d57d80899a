// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Ticks and their labels: see record/plot_axes.h.

#include "record/plot_axes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MINUS_SIGN "\u2212"

void tac_text_fixed(char *text, size_t size, double value, int decimals) {
    int length = snprintf(text, size, "%.*f", decimals, value);
    if (length < 0 || (size_t)length >= size) {
        snprintf(text, size, "%s", "?");
        return;
    }
    // the locale may have put anything where the point belongs
    char *from = text, *to = text;
    bool pointed = false;
    for (; *from; from++) {
        bool plain = (*from >= '0' && *from <= '9') || *from == '-';
        if (plain)
            *to++ = *from;
        else if (!pointed)
            *to++ = '.', pointed = true;
    }
    *to = 0;
    // no "-0.00"
    if (text[0] == '-' && strspn(text + 1, "0.") == strlen(text + 1)) memmove(text, text + 1, strlen(text));
}

// The same with a true minus sign, for people.
static void show_number(char *text, size_t size, double value, int decimals) {
    char plain[400];
    tac_text_fixed(plain, sizeof plain, value, decimals);
    if (plain[0] == '-')
        snprintf(text, size, MINUS_SIGN "%.*s", (int)size - 4, plain + 1);
    else
        snprintf(text, size, "%.*s", (int)size - 1, plain);
}

static void show_power(char *text, size_t size, int exponent) {
    static const char *const raised[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                         "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    char digits[16];
    snprintf(digits, sizeof digits, "%d", exponent < 0 ? -exponent : exponent);
    int used = snprintf(text, size, "10%s", exponent < 0 ? "\u207b" : "");
    for (const char *d = digits; *d && used >= 0 && (size_t)used < size; d++)
        used += snprintf(text + used, size - (size_t)used, "%s", raised[*d - '0']);
}

double tac_axis_place(const TacAxis *axis, double value) {
    if (axis->logarithmic) return (log10(value) - log10(axis->low)) / (log10(axis->high) - log10(axis->low));
    return (value - axis->low) / (axis->high - axis->low);
}

void tac_axis_pad(double *low, double *high, bool logarithmic, double margin) {
    double size = fmax(fabs(*low), fabs(*high));
    if (logarithmic) {
        double ratio = *high / *low < 1.0001 ? 2 : pow(*high / *low, margin);
        if (!isfinite(ratio)) ratio = 10;
        *low = fmax(*low / ratio, 1e-307);
        *high = fmin(*high * ratio, 1e307);
        return;
    }
    double range = *high - *low;
    // what differs by less than numbers can tell is constant
    double pad = range > 1e-13 * size ? margin * range : size > 0 ? 0.1 * size : 1;
    *low -= pad;
    *high += pad;
}

// 1, 2 or 5 times a power of ten, at least `least`.
static double round_step(double least) {
    double power = pow(10, floor(log10(least)));
    double lead = least / power;
    // a hair of tolerance: 2.0000000001 is 2
    return power * (lead <= 1.000001 ? 1 : lead <= 2.000001 ? 2 : lead <= 5.000001 ? 5 : 10);
}

// Decimals that a multiple of `step` needs.
static int decimals_of(double step) {
    double needed = -floor(log10(step) + 1e-6);
    return needed <= 0 ? 0 : needed > 15 ? 15 : (int)needed;
}

// A constant worth taking out of labels that go in steps of `step`: where they would have more than six
// digits.
static double shared_constant(double low, double high, double step) {
    double size = fmax(fabs(low), fabs(high));
    if (size / step < 1e6) return 0;
    double unit = pow(10, ceil(log10(high - low)) + 1);
    return round((0.5 * low + 0.5 * high) / unit) * unit;
}

// Makes the point a point, and drops zeros behind it that say nothing.
static void drop_zeros(char *number) {
    for (char *c = number; *c; c++)
        if (*c == ',') *c = '.';
    if (!strchr(number, '.') || strchr(number, 'e')) return;
    char *last = number + strlen(number) - 1;
    while (*last == '0') *last-- = 0;
    if (*last == '.') *last = 0;
}

static void write_note(TacAxis *axis, double constant, double unit, int exponent) {
    size_t used = 0, size = sizeof axis->note;
    if (exponent != 0) {
        char power[40];
        show_power(power, sizeof power, exponent);
        used += (size_t)snprintf(axis->note, size, "\u00d7%s", power);
    }
    if (constant == 0) return;
    char number[48];
    // enough digits for the last one that matters
    if (fabs(constant) < 1e9 && fabs(constant) > 1e-4)
        show_number(number, sizeof number, fabs(constant), decimals_of(unit));
    else
        snprintf(number, sizeof number, "%.15g", fabs(constant));
    drop_zeros(number);
    snprintf(axis->note + used, size - used, "%s%s %s", used ? "  " : "", constant < 0 ? MINUS_SIGN : "+",
             number);
}

static void make_linear(TacAxis *axis, int wanted) {
    double step = round_step((axis->high - axis->low) / wanted);
    // at least two ticks, or the scale cannot be read
    for (int i = 0; i < 4 && floor(axis->high / step) - ceil(axis->low / step) < 1; i++)
        step = round_step(0.4 * step);
    double constant = shared_constant(axis->low, axis->high, step);
    double size = fmax(fabs(axis->low - constant), fabs(axis->high - constant));
    int exponent = size >= 1e5 || size < 1e-2 ? 3 * (int)floor(log10(size) / 3) : 0;
    double scale = pow(10, exponent);
    int decimals = decimals_of(step / scale);
    double first = ceil((axis->low - constant) / step - 1e-6);
    for (int i = 0; axis->count < TAC_MOST_TICKS; i++) {
        double offset = (first + i) * step, value = constant + offset;
        if (!(offset <= axis->high - constant + 1e-6 * step)) break;
        axis->ticks[axis->count] = value;
        show_number(axis->labels[axis->count], sizeof axis->labels[0], offset / scale, decimals);
        axis->count++;
    }
    write_note(axis, constant, step, exponent);
}

static void add_log_tick(TacAxis *axis, double value, int exponent, int lead) {
    if (axis->count == TAC_MOST_TICKS) return;
    char *label = axis->labels[axis->count];
    size_t size = sizeof axis->labels[0];
    axis->ticks[axis->count++] = value;
    if (exponent >= -3 && exponent <= 4) {
        show_number(label, size, value, exponent < 0 ? -exponent : 0);
        return;
    }
    char power[24];
    show_power(power, sizeof power, exponent);
    if (lead == 1)
        snprintf(label, size, "%s", power);
    else
        snprintf(label, size, "%d\u00b7%s", lead, power);
}

static void make_logarithmic(TacAxis *axis, int wanted) {
    int from = (int)floor(log10(axis->low)), to = (int)ceil(log10(axis->high));
    double decades = log10(axis->high) - log10(axis->low);
    // less than half a decade: a linear scale's numbers read better
    if (decades < 0.5) {
        make_linear(axis, wanted);
        return;
    }
    int every = (int)ceil(decades / wanted);
    if (every < 1) every = 1;
    bool halves = decades < 2.5;
    for (int e = from; e <= to; e++)
        for (int lead = 1; lead <= 9; lead++) {
            double value = lead * pow(10, e);
            if (value < axis->low || value > axis->high) continue;
            bool labelled = lead == 1 ? e % every == 0 : halves && (lead == 2 || lead == 5);
            if (labelled)
                add_log_tick(axis, value, e, lead);
            else if ((every == 1 || lead == 1) && axis->minor_count < TAC_MOST_MINOR)
                axis->minor[axis->minor_count++] = value;
        }
}

TacAxis tac_axis_make(double low, double high, bool logarithmic, int wanted) {
    TacAxis axis = {.low = low, .high = high, .logarithmic = logarithmic};
    if (wanted < 2) wanted = 2;
    if (wanted > TAC_MOST_TICKS / 2) wanted = TAC_MOST_TICKS / 2;
    if (logarithmic)
        make_logarithmic(&axis, wanted);
    else
        make_linear(&axis, wanted);
    return axis;
}
