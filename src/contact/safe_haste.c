// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Layers that must hurry because of others on the same points.
//
// Layers on clocks of their own are true to a hit, and each clock is right for its own pair. But a light point that heavy
// things press from two sides is in the layers of many pairs, and swings as fast as all of them together make it. A layer that
// ticks once a swing of its point, however weak, pushes it at the same place of every swing, harder and harder (design, "Time":
// multi-rate methods resonate): a cloth of 10 g between a body and a wire of 240 kg was thrown to and fro at 30 m/s within
// 20 ms. So points remember how stiffly they were held, and no layer on them ticks less often than every 2.5 rad of that.
//
// Rules:
//   1. Time is divided into windows, as long as the coarsest clock of any layer. A kick adds its stiffness times its period,
//      times the inverse mass that it feels, to its supports; what they have at the end of a window, over its length, is the
//      mean square of how fast they swing.
//   2. It holds in the window after that. So in a window no clock changes, and each is changed where all of them tick: nothing is
//      pushed twice for the same time.
//   3. Only pairs that lose at impacts, and whose points others kick as well: without loss nothing may change its clock; and
//      where nothing but contact pushes, layers tick together anyway (safe_sight.c).
//   4. Only kicks are noted, never looks.

#include "contact/safe_parts.h"

// Of a swing, from tick to tick.
static const double TOGETHER = 2.5; // rad

bool tac_safe_take_hastes(TacSafe *safe) {
    size_t m = safe->material_count;
    safe->haste_class = 0;
    for (size_t i = 0; i < 2 * m * m; i++) {
        const TacPairType *type = &safe->types[safe->type_of[i]];
        if (!type->excluded && type->layers.first > safe->haste_class) safe->haste_class = type->layers.first;
    }
    safe->hastes = tac_arena_array(&safe->arena, safe->support_count + 1, sizeof *safe->hastes);
    return safe->hastes;
}

// Whether the coarsest clock of all, which ticks once a window, is too slow for it.
static bool is_fast(const TacSafe *safe, float sum) {
    return (double)sum * ldexp(safe->base.tick, safe->haste_class) > TOGETHER * TOGETHER;
}

void tac_safe_note_haste(TacSafe *safe, uint32_t support, double much, TacTick now) {
    TacHaste *h = &safe->hastes[support];
    uint32_t window = tac_safe_haste_window(safe, now);
    if (h->window != window) {
        h->before = h->window + 1 == window ? h->sum : 0;
        h->sum = 0;
        h->window = window;
    }
    h->sum += (float)much;
    // from any thread, the same for all
    __atomic_store_n(&safe->last_note, window, __ATOMIC_RELAXED);
    if (is_fast(safe, h->sum)) __atomic_store_n(&safe->last_haste, window, __ATOMIC_RELAXED);
}

// What was added up in the window before.
static double sum_of(const TacHaste *h, uint32_t window) {
    return (double)(h->window == window ? h->before : h->window + 1 == window ? h->sum : 0);
}

int tac_safe_find_haste(const TacSafe *safe, const TacPair *pair, const uint32_t v[4], int n, TacTick now) {
    const TacLayers *layers = &safe->types[pair->type].layers;
    uint32_t window = tac_safe_haste_window(safe, now);
    double most = 0;
    for (int i = 0; i < n; i++) {
        const TacVertex *vertex = &safe->vertices[v[i]];
        for (uint32_t k = 0; k < vertex->count; k++)
            most = fmax(most, sum_of(&safe->hastes[tac_safe_carrier(safe, vertex, k).support], window));
    }
    double swing = sqrt(most / ldexp(safe->base.tick, safe->haste_class));
    int k = 0, shift = pair->shift & TAC_NEST_SHIFT;
    while (k + 1 < layers->count - shift && layers->period[k] * tac_halved(shift) * swing > TOGETHER) k++;
    return k;
}

// --- saving -----------------------------------------------------------------------------------------------

typedef struct Saved {
    uint32_t support;
    TacHaste haste;
} Saved;

// Older ones say nothing.
static bool counts(const TacSafe *safe, uint32_t support) {
    const TacHaste *h = &safe->hastes[support];
    return h->sum > 0 && h->window + 1 >= safe->last_note;
}

size_t tac_safe_haste_bytes(const TacSafe *safe) {
    size_t n = 0;
    for (uint32_t i = 0; i < safe->support_count; i++) n += counts(safe, i);
    return sizeof(uint64_t) + n * sizeof(Saved);
}

void tac_safe_save_hastes(const TacSafe *safe, void *to) {
    uint64_t n = 0;
    char *at = (char *)to + sizeof n;
    for (uint32_t i = 0; i < safe->support_count; i++) {
        if (!counts(safe, i)) continue;
        Saved saved = {i, safe->hastes[i]};
        memcpy(at, &saved, sizeof saved);
        at += sizeof saved;
        n++;
    }
    memcpy(to, &n, sizeof n);
}

bool tac_safe_restore_hastes(TacSafe *safe, const void *from, size_t bytes) {
    uint64_t n;
    if (bytes < sizeof n) return false;
    memcpy(&n, from, sizeof n);
    if (n > safe->support_count || bytes != sizeof n + n * sizeof(Saved)) return false;
    memset(safe->hastes, 0, safe->support_count * sizeof *safe->hastes);
    safe->last_haste = safe->last_note = 0;
    for (uint64_t i = 0; i < n; i++) {
        Saved saved;
        memcpy(&saved, (const char *)from + sizeof n + i * sizeof saved, sizeof saved);
        if (saved.support >= safe->support_count || !(saved.haste.sum >= 0) || !(saved.haste.before >= 0))
            return false;
        safe->hastes[saved.support] = saved.haste;
        uint32_t window = saved.haste.window, fast = is_fast(safe, saved.haste.sum)      ? window
                                                     : is_fast(safe, saved.haste.before) ? window - 1
                                                                                         : 0;
        if (window > safe->last_note) safe->last_note = window;
        if (fast > safe->last_haste) safe->last_haste = fast;
    }
    return true;
}
