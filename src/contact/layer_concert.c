// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Laws of layers that solve together; see layer_concert.h.

#include "contact/layer_law_parts.h"

// Whether two holds of one pair are all of it.
static bool are_mates(const TacLayerHold *a, const TacLayerHold *b) {
    return a->others == b->count && b->others == a->count;
}

static void set_mate(TacLayerLaw *law, uint32_t hold, const TacLayerLaw *other, uint32_t mate) {
    law->room->beside[hold].mate = (TacLayerMate){.law = other->place, .hold = mate};
}

// Holds of each law are in the order of pairs that all of them have looked at.
static void mate_laws(TacLayerLaw *a, TacLayerLaw *b) {
    for (uint32_t i = 0, k = 0; i < a->hold_count && k < b->hold_count;) {
        size_t first = a->room->holds[i].rank, second = b->room->holds[k].rank;
        if (first == second && are_mates(&a->room->holds[i], &b->room->holds[k])) {
            set_mate(a, i, b, k);
            set_mate(b, k, a, i);
        }
        i += first <= second;
        k += second <= first;
    }
}

bool tac_layer_laws_meet(TacLayerLaw *const *laws, size_t count, TacTick now) {
    for (uint32_t i = 0; i < count; i++) {
        TacLayerLaw *law = laws[i];
        TacLayerRoom *room = law->room;
        if (!tac_grow_bare(&room->beside, &room->beside_capacity, law->hold_count, sizeof *room->beside))
            return false;
        law->together = laws;
        law->place = i;
        for (uint32_t k = 0; k < law->hold_count; k++) set_mate(law, k, law, k);
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = i + 1; k < count; k++) mate_laws(laws[i], laws[k]);
    return tac_layer_laws_bear(laws, count, now);
}

// Another agent finds it after this one.
static bool is_doubted(const TacLayerLaw *law, const TacLayerHold *h) {
    const TacLayerMate *mate = tac_layer_mate(law, h);
    return mate && law->together[mate->law]->agent >= law->agent;
}

size_t tac_layer_law_doubts(TacLayerLaw *law, const double *from, double *to) {
    size_t n = 0;
    for (size_t i = 0; i < law->hold_count; i++) {
        const TacLayerHold *h = &law->room->holds[i];
        if (!is_doubted(law, h)) continue;
        for (int k = 0; k < h->lines; k++, n++) {
            if (from) *tac_layer_away(law, h, k) = from[n];
            if (to) to[n] = *tac_layer_away(law, h, k);
        }
    }
    return n;
}

size_t tac_layer_law_change(const TacLayerLaw *law, const double *told, float *change, double *most) {
    size_t n = 0;
    for (size_t i = 0; i < law->hold_count; i++) {
        const TacLayerHold *h = &law->room->holds[i];
        if (!is_doubted(law, h)) continue;
        for (int k = 0; k < h->lines; k++, n++)
            change[n] = tac_layer_change(*tac_layer_away(law, h, k) - told[n], most);
    }
    return n;
}

static void hear_holds(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const TacLayerHolds *all = data;
    for (size_t i = begin; i < end; i++) {
        TacLayerHold *h = &all->law->room->holds[i];
        if (tac_layer_mate(all->law, h) || tac_layer_bears(all->law, h))
            tac_layer_set_course(all->law, h, h->course, all->sight);
    }
}

void tac_layer_law_hear(TacLayerLaw *law) {
    tac_layer_on_holds(&(TacLayerHolds){.law = law, .sight = &law->sight}, hear_holds);
}

// How its points go, but for how they give way to the push as the other law takes them to.
static double told(const TacLayerLaw *law, const TacLayerHold *h, int k, const TacLayerHolds *all) {
    const TacForesight *sight = all->sight;
    const TacLayerMate *mate = tac_layer_mate(law, h);
    const TacLayerLaw *theirs = law->together[mate->law];
    const TacLayerSide *us = &tac_layer_side(theirs, &theirs->room->holds[mate->hold])[k];
    double own = tac_layer_find_impulse(law, h, k, sight, all->v, all->dv);
    return own - sight->change * us->inverse * tac_layer_effect(law, h, k)->impulse;
}

static void tell_holds(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const TacLayerHolds *all = data;
    const TacLayerLaw *law = all->law;
    for (size_t i = begin; i < end; i++) {
        TacLayerHold *h = &law->room->holds[i];
        const TacLayerMate *mate = tac_layer_mate(law, h);
        // what is borne is told when all have solved
        for (int k = 0; tac_layer_bears(law, h) && k < h->lines; k++)
            tac_layer_find_impulse(law, h, k, all->sight, all->v, all->dv);
        if (!mate) continue;
        const TacLayerLaw *theirs = law->together[mate->law];
        const TacLayerHold *other = &theirs->room->holds[mate->hold];
        for (int k = 0; k < h->lines; k++) *tac_layer_away(theirs, other, k) = told(law, h, k, all);
    }
}

void tac_layer_law_tell(TacLayerLaw *law, const double *v, const double *dv) {
    tac_layer_on_holds(&(TacLayerHolds){.law = law, .sight = &law->sight, .v = v, .dv = dv}, tell_holds);
}

void tac_layer_law_agree(TacLayerLaw *law) {
    for (size_t i = 0; i < law->hold_count; i++) {
        TacLayerHold *h = &law->room->holds[i];
        const TacLayerMate *mate = tac_layer_mate(law, h);
        if (!tac_layer_is_led(law, mate)) continue;
        const TacLayerLaw *theirs = law->together[mate->law];
        const TacLayerHold *other = &theirs->room->holds[mate->hold];
        if (h->lines > 1) tac_layer_slip(law, h)->grip = tac_layer_slip(theirs, other)->grip;
        tac_layer_set_course(law, h, other->course, &law->sight);
    }
}

double tac_layer_law_little(const TacLayerLaw *law) {
    const double part = 0.004;
    double little = INFINITY;
    for (size_t i = 0; i < law->hold_count; i++)
        little = tac_smaller(little, part * law->sight.old * tac_layer_hold_slow(law, &law->room->holds[i]));
    return little;
}
