// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Pairs that push the same point; see layer_loads.h.

#include "contact/layer_loads.h"
#include "contact/safe_parts.h"

bool tac_layer_loads_add(TacLayerLoads *loads, uint32_t support, uint32_t pair, double weight,
                         const double normal[3]) {
    if (!tac_grow(&loads->list, &loads->capacity, loads->count + 1, sizeof *loads->list)) return false;
    TacLayerLoad *load = &loads->list[loads->count++];
    *load = (TacLayerLoad){.support = support, .pair = pair};
    for (int k = 0; k < 3; k++) load->push[k] = weight * normal[k];
    return true;
}

// All on one support; `order` from first to last.
static void find_group(TacLayerLoads *loads, const TacSupport *s, size_t first, size_t last) {
    double all[3] = {0, 0, 0};
    for (size_t i = first; i < last; i++)
        for (int k = 0; k < 3; k++) all[k] += loads->list[loads->order[i].item].push[k];
    for (size_t i = first; i < last; i++) {
        TacLayerLoad *load = &loads->list[loads->order[i].item];
        for (int k = 0; k < 3 && s->bound > 0; k++)
            load->more += s->w[k] * load->push[k] * (all[k] - load->push[k]);
    }
}

bool tac_layer_loads_find(TacLayerLoads *loads, const TacSafe *safe) {
    size_t n = loads->count;
    if (!tac_grow(&loads->order, &loads->order_capacity, 2 * n, sizeof *loads->order)) return false;
    for (size_t i = 0; i < n; i++)
        loads->order[i] = (TacKeyed){(uint64_t)loads->list[i].support << 32 | i, i};
    tac_sort_keyed(loads->order, n);
    for (size_t first = 0, last; first < n; first = last) {
        uint32_t support = loads->list[loads->order[first].item].support;
        for (last = first; last < n && loads->list[loads->order[last].item].support == support;) last++;
        find_group(loads, &safe->supports[support], first, last);
    }
    return true;
}

void tac_layer_loads_free(TacLayerLoads *loads) {
    free(loads->list);
    free(loads->order);
}
