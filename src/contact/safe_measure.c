// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What safe contact is asked about itself: energy in its layers, where they push, and how much of everything there is. Changes
// nothing.

#include "contact/layer_room.h"
#include "contact/safe_parts.h"

double tac_safe_energy(const TacSafe *safe, TacTick now) {
    double sum = 0;
    for (uint32_t i = 0; i < safe->pair_used; i++) {
        const TacPair *p = &safe->pairs[i];
        if (p->a == TAC_SAFE_NONE || p->armed < 0) continue;
        uint32_t v[4];
        int na, n = tac_safe_vertices(safe, p, v, &na);
        double q[4][3];
        for (int k = 0; k < n; k++) tac_safe_place(safe, v[k], now, q[k]);
        TacSafeClosest closest = tac_safe_closest(safe, p, q);
        tac_safe_share(safe, p, q, &closest, now);
        double gap = closest.distance - tac_safe_pair_radius(safe, p);
        if (gap > 0)
            sum += closest.part * p->r1 *
                   tac_layers_energy(&safe->types[p->type].layers, tac_safe_nest(safe, p, now), gap);
    }
    return sum;
}

size_t tac_safe_places(const TacSafe *safe, TacTick now, TacSafePlace *places, size_t most) {
    size_t count = 0;
    for (uint32_t i = 0; i < safe->pair_used; i++) {
        const TacPair *p = &safe->pairs[i];
        if (p->a == TAC_SAFE_NONE || p->armed < 0) continue;
        uint32_t v[4];
        int na, n = tac_safe_vertices(safe, p, v, &na);
        double q[4][3], stiffness;
        for (int k = 0; k < n; k++) tac_safe_place(safe, v[k], now, q[k]);
        TacSafeClosest c = tac_safe_closest(safe, p, q);
        tac_safe_share(safe, p, q, &c, now);
        double gap = c.distance - tac_safe_pair_radius(safe, p);
        TacNest nest = tac_safe_nest(safe, p, now);
        double force = 0;
        if (gap > 0)
            force = c.part * p->r1 * tac_layers_force(&safe->types[p->type].layers, nest, gap, &stiffness);
        if (!(force > 0)) continue;
        if (count < most) {
            TacSafePlace *to = &places[count];
            *to = (TacSafePlace){.gap = gap, .force = force};
            for (int k = 0; k < 3; k++) {
                to->normal[k] = c.normal[k];
                for (int j = 0; j < na; j++) to->place[k] += c.weight[j] * q[j][k];
            }
        }
        count++;
    }
    return count;
}

// Clocks of armed pairs, and certificates and plans that end early.
static size_t clock_bytes(const TacSafe *safe) {
    const TacRuler *ruler = &safe->ruler;
    size_t bytes =
        ruler->slot_capacity * sizeof *ruler->slots + ruler->scratch_capacity * sizeof *ruler->scratch;
    for (int e = 0; e < TAC_RULER_CLASSES; e++)
        bytes += ruler->classes[e].capacity * sizeof *ruler->classes[e].list;
    const TacWheel *wheels[] = {&safe->vertex_wheel, &safe->pair_wheel};
    for (size_t i = 0; i < TAC_COUNT(wheels); i++)
        bytes += wheels[i]->capacity * sizeof *wheels[i]->entries +
                 wheels[i]->due_capacity * sizeof *wheels[i]->due;
    return bytes;
}

TacSafeStats tac_safe_stats(const TacSafe *safe) {
    TacSafeStats s = safe->stats;
    s.pairs = safe->pair_count;
    for (uint32_t i = 0; i < safe->pair_used; i++)
        s.armed += safe->pairs[i].a != TAC_SAFE_NONE && safe->pairs[i].armed >= 0;
    size_t per_vertex = sizeof *safe->vertices + sizeof *safe->lore + sizeof *safe->hubs +
                        (safe->locals ? sizeof *safe->locals + sizeof *safe->seats : 0) +
                        (safe->bodies ? sizeof *safe->bodies : 0) + (safe->loads ? sizeof *safe->loads : 0) +
                        (safe->rests ? sizeof *safe->rests : 0) + sizeof *safe->plans + sizeof *safe->swept +
                        sizeof *safe->courses + sizeof *safe->paces + sizeof *safe->first_resting;
    s.bytes =
        safe->pair_capacity * sizeof *safe->pairs + safe->certificate_capacity * sizeof *safe->certificates +
        safe->live_capacity * sizeof *safe->lives + safe->grip_capacity * sizeof *safe->grips +
        safe->arm_capacity * sizeof *safe->arms + safe->arm_of_capacity * sizeof *safe->arms_of +
        safe->deep_capacity * sizeof *safe->deep_grips + safe->failed_capacity * sizeof *safe->failed +
        safe->verdict_capacity * sizeof *safe->verdicts + safe->kick_capacity * sizeof *safe->kicks +
        safe->reach_capacity * sizeof *safe->reaches + safe->member_capacity * sizeof *safe->members +
        safe->order_capacity * sizeof *safe->order + safe->resting_capacity * sizeof *safe->resting +
        safe->table_size * sizeof *safe->table + safe->settled_capacity +
        safe->kind_count * sizeof *safe->free_kinds +
        safe->support_count * (sizeof *safe->supports + sizeof *safe->watches + sizeof *safe->hastes +
                               sizeof *safe->most_speeds + (safe->movers ? sizeof *safe->movers : 0)) +
        safe->vertex_count * per_vertex + safe->primitive_count * sizeof *safe->primitives +
        safe->frame_count *
            (sizeof *safe->bends + sizeof *safe->crowds + sizeof *safe->flights + sizeof *safe->body_plans) +
        tac_safe_front_bytes(safe->front) + tac_layer_rooms_bytes(safe->rooms) + clock_bytes(safe);
    const TacSafeList *lists[] = {&safe->free_lives,       &safe->touched,     &safe->dirty_vertices,
                                  &safe->dirty_primitives, &safe->dirty_pairs, &safe->fresh,
                                  &safe->free_deep,        &safe->free_arms};
    for (size_t i = 0; i < TAC_COUNT(lists); i++) s.bytes += lists[i]->capacity * sizeof *lists[i]->items;
    for (size_t i = 0; i < TAC_COUNT(safe->pushed); i++)
        s.bytes += safe->pushed[i].capacity * sizeof *safe->pushed[i].items;
    for (size_t i = 0; i < safe->vertex_count; i++)
        s.bytes += safe->vertices[i].count *
                       ((safe->vertices[i].support == TAC_SAFE_NONE ? sizeof *safe->carriers : 0) +
                        sizeof *safe->carried) +
                   safe->lore[i].primitive_count * sizeof *safe->around;
    for (size_t i = 0; i < TAC_MOVING_TREE_PARTS; i++)
        s.bytes += safe->finds[i].capacity * sizeof *safe->finds[i].keys +
                   safe->finds[i].hits.capacity * sizeof *safe->finds[i].hits.ids;
    for (int k = 0; k < 3; k++) s.bytes += tac_moving_tree_bytes(&safe->trees[k]);
    return s;
}
