// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What to try next; see mixing.h.

#include "math/mixing.h"
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>

#include <math.h>

static float *step_of(const TacMixing *m, size_t k) {
    return m->past + 2 * m->size * k;
}

static float *led_to(const TacMixing *m, size_t k) {
    return step_of(m, k) + m->size;
}

static double dot(const float *a, const float *b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)a[i] * (double)b[i];
    return sum;
}

static void add(float *to, double s, const float *from, size_t n) {
    for (size_t i = 0; i < n; i++) to[i] += (float)s * from[i];
}

bool tac_mixing_begin(TacMixing *m, size_t size) {
    m->size = size;
    m->known = m->next = 0;
    return tac_grow_bare(&m->told, &m->told_capacity, size, sizeof *m->told) &&
           tac_grow_bare(&m->change, &m->change_capacity, size, sizeof *m->change);
}

static void scale(float *a, double s, size_t n) {
    for (size_t i = 0; i < n; i++) a[i] *= (float)s;
}

void tac_mixing_learn(TacMixing *m) {
    const double little = 1e-4; // of it, what is new: with less, that would be rounding
    size_t n = m->size;
    float *step = step_of(m, m->next), *led = led_to(m, m->next);
    add(led, 1, m->change, n); // where it was before was taken from it
    add(step, 1, led, n);
    double size = dot(led, led, n);
    for (unsigned k = 0; k < m->known; k++) {
        if (k == m->next) continue;
        double part = dot(led_to(m, k), led, n);
        add(led, -part, led_to(m, k), n);
        add(step, -part, step_of(m, k), n);
    }
    double left = dot(led, led, n);
    bool useful = left > little * little * size;
    if (!useful && m->known <= m->next) return; // its place is free again
    scale(step, useful ? 1 / sqrt(left) : 0, n);
    scale(led, useful ? 1 / sqrt(left) : 0, n);
    if (m->known <= m->next) m->known++;
    m->next = (m->next + 1) % TAC_MIXING_PAST;
}

bool tac_mixing_step(TacMixing *m) {
    size_t n = m->size;
    if (!tac_grow_bare(&m->past, &m->past_capacity, 2 * n * (m->next + 1), sizeof *m->past)) return false;
    double much[TAC_MIXING_PAST];
    for (unsigned k = 0; k < m->known; k++) much[k] = dot(led_to(m, k), m->change, n);
    // its own place may be that of a step that still counts
    float *step = step_of(m, m->next), *led = led_to(m, m->next);
    for (size_t i = 0; i < n; i++) {
        double by = (double)m->change[i];
        for (unsigned k = 0; k < m->known; k++) by -= much[k] * (double)step_of(m, k)[i];
        double was = m->told[i];
        m->told[i] += by;
        step[i] = (float)(m->told[i] - was); // as it was rounded
        led[i] = -m->change[i];
    }
    return true;
}

bool tac_mixing_mark(TacMixing *m) {
    if (!tac_grow_bare(&m->first, &m->first_capacity, m->size, sizeof *m->first)) return false;
    for (size_t i = 0; i < m->size; i++) m->first[i] = (float)m->told[i];
    return true;
}

void tac_mixing_return(TacMixing *m) {
    for (size_t i = 0; i < m->size; i++) m->told[i] = (double)m->first[i];
}

void tac_mixing_free(TacMixing *m) {
    free(m->told);
    free(m->change);
    free(m->first);
    free(m->past);
    *m = (TacMixing){0};
}

size_t tac_mixing_bytes(const TacMixing *m) {
    return m->told_capacity * sizeof *m->told + m->change_capacity * sizeof *m->change +
           m->first_capacity * sizeof *m->first + m->past_capacity * sizeof *m->past;
}
