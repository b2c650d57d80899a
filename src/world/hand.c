// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What hands do to programs and to time. See hand.h for the rules; touch_law.c has the forces, input.c what
// comes from outside.

#include "world/hand.h"
#include "base/memory.h"
#include "world/account.h"
#include "world/loose.h"
#include "world/touch_law.h"

// --- setup ------------------------------------------------------------------------------------------------

static size_t index_of(const TacWorld *world, const TacMatter *matter) {
    // in the order of the file: bisect
    size_t low = 0, high = world->matter_count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        *(world->matters[middle]->base.index <= matter->base.index ? &low : &high) = middle;
    }
    return low;
}

const TacMap *tac_touch_map(const TacWorld *world, const TacMatter *matter) {
    return world->hands.map[index_of(world, matter)];
}

void tac_hands_find_owners(TacWorld *world) {
    TacHands *h = &world->hands;
    for (size_t i = 0; i < world->matter_count; i++) h->owner[i] = UINT32_MAX;
    for (size_t t = 0; t < world->agent_count; t++) {
        const TacProgram *p = &world->tickers[t].program;
        if (!world->tickers[t].solver || world->tickers[t].idle) continue;
        for (size_t k = 0; k < p->matter_count; k++) h->owner[index_of(world, p->matters[k])] = (uint32_t)t;
    }
    for (size_t i = 0; i < world->matter_count; i++) h->owner[i] = h->owner[h->root[i]];
}

static void find_roots(TacWorld *world) {
    TacHands *h = &world->hands;
    for (size_t i = 0; i < world->matter_count; i++) h->root[i] = (uint32_t)i;
    for (size_t i = 0; i < world->all.mass_count; i++)
        h->mass[index_of(world, world->all.masses[i]->matter)] = world->all.masses[i];
    // from the top down, so that a parent's root is known before its child's
    for (size_t i = 0; i < world->all.map_count; i++) {
        size_t parent = index_of(world, world->all.maps[i]->parent);
        size_t child = index_of(world, world->all.maps[i]->child);
        h->map[child] = world->all.maps[i];
        h->root[child] = h->root[parent];
        h->laws[parent].takes_sphere = false;
    }
}

static void make_laws(TacWorld *world) {
    TacHands *h = &world->hands;
    for (size_t i = 0; i < world->matter_count; i++) {
        TacMatter *m = world->matters[i];
        TacTouchLaw *law = &h->laws[i];
        law->law.base = m->base;
        law->law.base.cls = &tac_touch_class;
        law->law.matter[0] = m;
        law->hands = h;
        law->index = i;
        law->takes_sphere = true;
    }
}

TacStatus tac_hands_widen(TacWorld *world, TacError *error) {
    size_t *counts = tac_arena_array(&world->arena, world->ticker_count, sizeof *counts);
    if (!counts) return tac_fail_memory(error, world->ticker_count * sizeof *counts);
    world->hands.law_counts = counts;
    for (size_t t = 0; t < world->ticker_count; t++) {
        TacProgram *p = &world->tickers[t].program;
        counts[t] = p->law_count;
        if (!world->tickers[t].solver) continue;
        size_t most = p->law_count + p->matter_count + p->other_count;
        TacLaw **laws = tac_arena_array(&world->arena, most, sizeof *laws);
        if (!laws) return tac_fail_memory(error, most * sizeof *laws);
        if (p->law_count) memcpy(laws, p->laws, p->law_count * sizeof *laws);
        p->laws = laws;
    }
    return TAC_OK;
}

TacStatus tac_hands_setup(TacWorld *world, TacError *error) {
    TacHands *h = &world->hands;
    TacArena *arena = &world->arena;
    size_t n = world->matter_count;
    TacProgram *p = &h->free;
    h->sphere_stiffness = tac_arena_array(arena, n, sizeof *h->sphere_stiffness);
    h->laws = tac_arena_array(arena, n, sizeof *h->laws);
    h->owner = tac_arena_array(arena, n, sizeof *h->owner);
    h->root = tac_arena_array(arena, n, sizeof *h->root);
    h->map = tac_arena_array(arena, n, sizeof *h->map);
    h->mass = tac_arena_array(arena, n, sizeof *h->mass);
    h->needed = tac_arena_array(arena, n, sizeof *h->needed);
    h->pinned = tac_arena_array(arena, n, sizeof *h->pinned);
    p->matters = tac_arena_array(arena, n, sizeof *p->matters);
    p->others = tac_arena_array(arena, n, sizeof *p->others);
    p->maps = tac_arena_array(arena, n, sizeof *p->maps);
    p->masses = tac_arena_array(arena, n, sizeof *p->masses);
    p->laws = tac_arena_array(arena, n, sizeof *p->laws);
    p->constraints = tac_arena_array(arena, world->component_count, sizeof *p->constraints);
    if (!h->sphere_stiffness || !h->laws || !h->owner || !h->root || !h->map || !h->mass || !h->needed ||
        !h->pinned || !p->matters || !p->others || !p->maps || !p->masses || !p->laws || !p->constraints)
        return tac_fail_memory(error, 0);
    for (size_t i = 0; i < n; i++) {
        const TacMatter *m = world->matters[i];
        if (!tac_matter_falls(m)) continue;
        h->pinned[i] = tac_arena_array(arena, m->count, sizeof *h->pinned[i]);
        if (!h->pinned[i]) return tac_fail_memory(error, m->count);
    }
    make_laws(world);
    find_roots(world);
    tac_hands_find_owners(world);
    // an explicit kick that goes up through maps adds up there: it is shared
    for (size_t i = 0; i < n; i++)
        h->laws[i].shares = world->matters[i]->mapped && !tac_touch_implicit(world, i);
    return tac_hands_widen(world, error);
}

void tac_hands_destroy(TacHands *hands) {
    free(hands->inputs);
    free(hands->script);
}

// --- programs ---------------------------------------------------------------------------------------------

static bool is_touched(const TacHands *h, size_t matter) {
    if (h->state.radius > 0 && h->sphere_stiffness[matter] > 0) return true;
    for (size_t i = 0; i < TAC_HOLDS; i++)
        if (h->state.holds[i].used && h->state.holds[i].matter == matter) return true;
    return false;
}

// What matter that is needed follows is needed too.
static void need_all_above(TacWorld *world) {
    TacHands *h = &world->hands;
    for (size_t i = world->all.map_count; i-- > 0;) // from the bottom up
        if (h->needed[index_of(world, world->all.maps[i]->child)])
            h->needed[index_of(world, world->all.maps[i]->parent)] = 1;
}

// What nobody owns: the touched matter, what it follows, and the masses and constraints of that.
static void arrange_free(TacWorld *world) {
    TacHands *h = &world->hands;
    TacProgram *p = &h->free;
    p->matter_count = p->other_count = p->map_count = p->mass_count = p->constraint_count = 0;
    if (p->law_count == 0) return;
    need_all_above(world);
    for (size_t i = 0; i < world->matter_count; i++) {
        TacMatter *m = world->matters[i];
        if (!h->needed[i]) continue;
        if (m->mapped)
            p->others[p->other_count++] = m;
        else
            p->matters[p->matter_count++] = m;
    }
    for (size_t i = 0; i < world->all.map_count; i++)
        if (h->needed[index_of(world, world->all.maps[i]->child)])
            p->maps[p->map_count++] = world->all.maps[i];
    for (size_t i = 0; i < world->matter_count; i++)
        if (h->needed[i] && h->mass[i] && !world->matters[i]->mapped) p->masses[p->mass_count++] = h->mass[i];
    for (size_t i = 0; i < world->component_count; i++) {
        TacConstraint *c = (TacConstraint *)world->components[i];
        if (c->base.cls->kind == TAC_KIND_CONSTRAINT && h->needed[index_of(world, c->matter)])
            p->constraints[p->constraint_count++] = c;
    }
}

// What is pinned does not fall.
static void mark_pins(TacWorld *world) {
    TacHands *h = &world->hands;
    for (size_t i = 0; i < world->matter_count; i++) {
        TacMatter *m = world->matters[i];
        if (m->pinned) memset(h->pinned[i], 0, m->count);
        m->pinned = NULL;
    }
    for (size_t i = TAC_HANDS; i < TAC_HOLDS; i++) {
        const TacHold *pin = &h->state.holds[i];
        uint8_t *marks = pin->used ? h->pinned[pin->matter] : NULL;
        if (!marks) continue;
        marks[pin->point] = 1;
        world->matters[pin->matter]->pinned = marks;
    }
}

bool tac_hands_arrange(TacWorld *world) {
    TacHands *h = &world->hands;
    for (size_t i = 0; i < TAC_HOLDS; i++) {
        const TacHold *hold = &h->state.holds[i];
        if (!hold->used) continue;
        if (hold->matter >= world->matter_count || hold->point >= world->matters[hold->matter]->count)
            return false;
    }
    for (size_t t = 0; t < world->ticker_count; t++) world->tickers[t].program.law_count = h->law_counts[t];
    memset(h->needed, 0, world->matter_count);
    h->free.law_count = 0;
    for (size_t i = 0; i < world->matter_count; i++) {
        if (!is_touched(h, i)) continue;
        bool owned = h->owner[i] != UINT32_MAX;
        TacProgram *p = owned ? &world->tickers[h->owner[i]].program : &h->free;
        p->laws[p->law_count++] = &h->laws[i].law;
        if (!owned) h->needed[i] = 1;
    }
    arrange_free(world);
    mark_pins(world);
    return true;
}

// --- time -------------------------------------------------------------------------------------------------

bool tac_hands_due(const TacWorld *world, TacTick now) {
    return world->hands.free.law_count > 0 && (now & (((TacTick)1 << world->base.bits) - 1)) == 0;
}

TacTick tac_hands_next(const TacWorld *world, TacTick from) {
    TacTick beat = (TacTick)1 << world->base.bits;
    if (world->hands.free.law_count == 0 || from > TAC_TICK_NEVER - beat) return TAC_TICK_NEVER;
    return (from + beat - 1) & ~(beat - 1);
}

static bool is_flat_angle(const TacMatter *m, size_t k) {
    return m->kind == TAC_RIGID2 && k == 2;
}

// Puts a pinned point back, at now: somebody may have set its state.
static void hold_pin(TacWorld *world, const TacHold *pin, TacMatter *m, TacTick now) {
    size_t nx = (size_t)m->position_size, nv = (size_t)m->velocity_size;
    double *x = m->vectors[TAC_X] + nx * pin->point, *v = m->vectors[TAC_V] + nv * pin->point;
    uint32_t first = m->times ? world->first_support[m->base.index] : UINT32_MAX;
    if (m->times && m->times[pin->point] != now) {
        if (world->audited && first != UINT32_MAX)
            tac_safe_tell(world->safe, first + (uint32_t)pin->point, now);
        m->times[pin->point] = now;
    }
    memset(v, 0, nv * sizeof *v);
    const double place[3] = {pin->target.x, pin->target.y, pin->target.z};
    bool falls = tac_matter_falls(m);
    for (size_t k = 0; falls && k < 3 && k < nx && !is_flat_angle(m, k); k++) x[k] = place[k];
    if (m->arrival > m->time) {
        memcpy(m->vectors[TAC_X_NEXT] + nx * pin->point, x, nx * sizeof *x);
        memset(m->vectors[TAC_V_NEXT] + nv * pin->point, 0, nv * sizeof *v);
    }
    if (first != UINT32_MAX) tac_safe_kicked_support(world->safe, first + (uint32_t)pin->point);
}

// What is pinned and can be held at now; NULL otherwise. Matter whose points have one time is held where it is kicked, at
// its own time, which may be ahead of now under the loose scheduler; in the middle of an instant only if it falls by itself.
static TacMatter *matter_of_pin(const TacWorld *world, const TacHold *pin, TacTick now) {
    TacMatter *m = pin->used ? world->matters[pin->matter] : NULL;
    if (!m || m->mapped || m->idle || (!m->times && m->time != now && !world->loose)) return NULL;
    return m->times || !world->prepared || tac_matter_falls(m) ? m : NULL;
}

// Kicks of layers that wait to be added, so that they do not set a pinned point in motion until the next instant: when that
// is depends on who is looked at.
static void take_kicks(const TacMatter *m, size_t point) {
    size_t n = (size_t)m->velocity_size;
    double *v = m->vectors[TAC_V] + n * point, *dv = m->vectors[TAC_DV] + n * point;
    for (size_t k = 0; k < n; k++) {
        v[k] += dv[k];
        dv[k] = 0;
    }
}

void tac_hands_hold_pins(TacWorld *world, TacTick now) {
    const TacHold *pins = world->hands.state.holds + TAC_HANDS;
    bool any = false;
    for (size_t i = 0; i < TAC_PINS; i++) {
        const TacMatter *m = matter_of_pin(world, &pins[i], now);
        any = any || m;
        if (m && m->times && !world->prepared) take_kicks(m, pins[i].point);
    }
    if (!any) return;
    TacTick past = world->now;
    world->now = now;
    TacJump before = tac_account_before_jump(world);
    for (size_t i = 0; i < TAC_PINS; i++) {
        TacMatter *m = matter_of_pin(world, &pins[i], now);
        if (m) hold_pin(world, &pins[i], m, now);
        if (m && world->loose) tac_world_loose_show(world, m);
    }
    tac_account_after_jump(world, TAC_BOOK_HANDS, &before);
    world->now = past;
    world->shown = -1;
}
