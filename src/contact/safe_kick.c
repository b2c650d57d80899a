// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// An instant of layers: which pairs tick, what they see (safe_sight.c), how that is added to what they push, and what
// follows.

#include "contact/safe_wide.h"

// --- memory -----------------------------------------------------------------------------------------------

bool tac_safe_take_deep(TacSafe *safe, uint32_t live) {
    TacSafeList *left = &safe->free_deep;
    if (!left->count && !tac_grow_bare(&safe->deep_grips, &safe->deep_capacity, safe->deep_count + 1,
                                       sizeof *safe->deep_grips))
        return false;
    safe->grips[live].deep = left->count ? left->items[--left->count] : (uint32_t)safe->deep_count++;
    return true;
}

void tac_safe_leave_deep(TacSafe *safe, uint32_t live) {
    if (!safe->grips || safe->grips[live].deep == TAC_SAFE_NONE) return;
    tac_safe_push(safe, &safe->free_deep, safe->grips[live].deep);
    safe->grips[live].deep = TAC_SAFE_NONE;
}

bool tac_safe_grow_lives(TacSafe *safe) {
    size_t need = safe->live_count + 1;
    return tac_grow_bare(&safe->lives, &safe->live_capacity, need, sizeof *safe->lives) &&
           (!safe->round ||
            tac_grow_bare(&safe->arms_of, &safe->arm_of_capacity, need, sizeof *safe->arms_of)) &&
           (!safe->rough || tac_grow_bare(&safe->grips, &safe->grip_capacity, need, sizeof *safe->grips));
}

static TacStatus take_memory(TacSafe *safe, uint32_t id, TacError *error) {
    uint32_t slot;
    if (safe->free_lives.count) {
        slot = safe->free_lives.items[--safe->free_lives.count];
    } else {
        if (!tac_safe_grow_lives(safe)) return tac_fail_memory(error, 0);
        slot = (uint32_t)safe->live_count++;
    }
    safe->lives[slot] = (TacLive){.tick = TAC_SAFE_NEVER};
    if (safe->grips) safe->grips[slot] = (TacGrip){.deep = TAC_SAFE_NONE};
    safe->pairs[id].live = slot;
    return tac_safe_take_arms(safe, &safe->pairs[id]) ? TAC_OK : tac_fail_memory(error, 0);
}

// Pairs that tick now, gathered over the classes due, in the order of their primitives: kicks are added in it; neighbours
// share what they look at; threads find most pairs where they were the last time; and those of two edges come last.
static TacStatus gather(TacSafe *safe, uint64_t classes, size_t *count, size_t *edges, TacError *error) {
    enum { AHEAD = 16 };
    const uint32_t *members;
    size_t n, all = 0;
    *edges = 0;
    for (uint64_t left = classes; left; left &= left - 1) {
        tac_ruler_members(&safe->ruler, __builtin_ctzll(left), &n);
        all += n;
    }
    if (!tac_grow_bare(&safe->order, &safe->order_capacity, all, sizeof *safe->order))
        return tac_fail_memory(error, 0);
    *count = 0;
    for (; classes; classes &= classes - 1) {
        members = tac_ruler_members(&safe->ruler, __builtin_ctzll(classes), &n);
        for (size_t i = 0; i < n; i++) {
            if (i + AHEAD < n) __builtin_prefetch(&safe->pairs[members[i + AHEAD]]);
            uint64_t first = safe->pairs[members[i]].a;
            *edges += first < safe->point_count;
            safe->order[(*count)++] = first << 32 | members[i];
        }
    }
    tac_safe_put_in_order(safe, safe->order, all);
    return TAC_OK;
}

// --- looking ------------------------------------------------------------------------------------------------

// Some of those that tick, of which everything is still near when they are pushed, and of which kicks take little memory.
// Those of vertices come before those of edges, both in the order of their places. So it is looked at in parts: each is a
// stretch of the ones and a stretch of the others that lie together, and threads find what they look at and push where they
// left it.
typedef struct Piece {
    TacSafeLook look;
    size_t vertices, count; // pairs of vertices, and all
    size_t parts;
} Piece;

// Whole batches, so that none goes half empty.
static size_t border(size_t count, size_t parts, size_t i) {
    size_t at = TAC_SAFE_WIDE * (tac_chunks(count, TAC_SAFE_WIDE) * i / parts);
    return at < count ? at : count;
}

static TacSafeStretch stretch(const Piece *piece, size_t part, bool edges) {
    size_t count = edges ? piece->count - piece->vertices : piece->vertices;
    size_t from = edges ? piece->vertices : 0;
    return (TacSafeStretch){from + border(count, piece->parts, part),
                            from + border(count, piece->parts, part + 1)};
}

// What the kicks of a stretch push.
static TacSafeReach *reach_at(const Piece *piece, size_t part, bool edges) {
    return &piece->look.safe->reaches[2 * part + edges];
}

static void note_reach(const Piece *piece, size_t part, bool edges) {
    TacSafeStretch s = stretch(piece, part, edges);
    TacSafeReach reach = TAC_SAFE_REACHES_NONE;
    const TacSafeKick *kicks = piece->look.safe->kicks;
    for (size_t i = s.begin; i < s.end; i++)
        if (kicks[i].count) tac_safe_reach_on(&reach, kicks[i].reach);
    *reach_at(piece, part, edges) = reach;
}

static void look_at_parts(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Piece *piece = data;
    for (size_t part = begin; part < end; part++) {
        const TacSafeStretch stretches[2] = {stretch(piece, part, false), stretch(piece, part, true)};
        tac_safe_look(&piece->look, stretches);
        for (int edges = 0; edges < 2; edges++) note_reach(piece, part, edges);
    }
}

static bool begin_piece(Piece *piece, size_t count) {
    enum { LEAST = 64 };
    TacSafe *safe = piece->look.safe;
    size_t first = piece->look.first, edges = piece->look.edges > first ? piece->look.edges - first : 0;
    piece->count = count;
    piece->vertices = edges < count ? edges : count;
    piece->parts = tac_chunks(count, tac_team_grain(safe->team, count, LEAST));
    return tac_grow_bare(&safe->reaches, &safe->reach_capacity, 2 * piece->parts, sizeof *safe->reaches);
}

// Pairs that are live for the first time, or pressed deeper than ever, get room for what they remember and are looked at
// again.
static TacStatus look_again_at(const Piece *piece, size_t i, TacSafeReach *reach, TacError *error) {
    TacSafe *safe = piece->look.safe;
    uint32_t pair = (uint32_t)piece->look.pairs[piece->look.first + i];
    const TacSafeStretch one[2] = {{i, i + 1}, {i + 1, i + 1}};
    while (safe->kicks[i].cramped) {
        uint32_t live = safe->pairs[pair].live;
        if (live == TAC_SAFE_NONE)
            TAC_TRY(take_memory(safe, pair, error));
        else if (!tac_safe_take_deep(safe, live))
            return tac_fail_memory(error, 0);
        tac_safe_look(&piece->look, one);
        if (safe->kicks[i].count) tac_safe_reach_on(reach, safe->kicks[i].reach);
    }
    return TAC_OK;
}

static TacStatus look_again(const Piece *piece, TacError *error) {
    TacSafe *safe = piece->look.safe;
    for (int edges = 0; edges < 2; edges++) // in order
        for (size_t part = 0; safe->cramped && part < piece->parts; part++) {
            TacSafeStretch s = stretch(piece, part, edges);
            for (size_t i = s.begin; i < s.end; i++)
                TAC_TRY(look_again_at(piece, i, reach_at(piece, part, edges), error));
        }
    safe->cramped = false;
    return TAC_OK;
}

// --- pushing ------------------------------------------------------------------------------------------------

// Supports are shared out among threads: each goes through all kicks that may push some of its own, and adds what is for
// these. So sums have one order, and who looks at a pair finds most of what it needs where it was pushed.
typedef struct Push {
    const Piece *piece;
    size_t parts;
    uint32_t first[TAC_SAFE_PUSHERS + 1]; // support of each part
} Push;

// Of one part.
typedef struct Pusher {
    TacSafe *safe;
    TacTick now;
    uint32_t first, count; // supports
    TacSafeList *touched;
} Pusher;

// From the centre of a frame to where its part of a kick acts, by a vertex.
static TacVec3 arm_of(const TacSafe *safe, const TacSafeKick *kick, int j, TacQuat turn) {
    TacVec3 arm = tac_rotate(turn, safe->locals[kick->v[j]]);
    bool second = j >= kick->side;
    return kick->lever[second] == 0 ? arm : tac_add(arm, tac_safe_arm(kick->normal, kick->lever, second));
}

// By the j-th vertex of a pair, of which the support has a part.
static void push_support(const Pusher *p, uint32_t support, const TacSafeKick *kick, int j, double part) {
    TacSafe *safe = p->safe;
    TacSupport *s = &safe->supports[support];
    if (support - p->first >= p->count || tac_support_bound(s) == 0) return;
    tac_safe_reach(safe, s, p->now);
    double weight = kick->weight[j], w = weight * part;
    double *dv = tac_support_dv(s);
    for (int k = 0; k < 3; k++) dv[k] += w * tac_support_w(s, k) * kick->impulse[k];
    if (s->kind->inertia && safe->vertices[kick->v[j]].frame) {
        TacQuat q = tac_load_quat(tac_support_x(s) + 3);
        TacVec3 turn = tac_cross(arm_of(safe, kick, j, q), tac_scale(tac_load3(kick->impulse), weight));
        tac_add3(dv + 3, tac_inertia_solve(s->kind->inertia, q, turn));
    }
    if (kick->stiff > 0)
        tac_safe_note_haste(safe, support, w * w * tac_support_bound(s) * (double)kick->stiff, p->now);
    if (s->touched) return;
    s->touched = true;
    tac_safe_push(safe, p->touched, support);
}

static void push_vertex(const Pusher *p, const TacSafeKick *kick, int j) {
    const TacVertex *v = &p->safe->vertices[kick->v[j]];
    if (v->bound == 0) return; // a wall's
    if (v->support != TAC_SAFE_NONE) {
        push_support(p, v->support, kick, j, 1);
        return;
    }
    for (uint32_t i = 0; i < v->count; i++) {
        TacSafeCarrier carrier = tac_safe_carrier(p->safe, v, i);
        push_support(p, carrier.support, kick, j, carrier.weight);
    }
}

static bool concerns(const Pusher *p, TacSafeReach reach) {
    return reach.first < p->first + p->count && reach.last >= p->first;
}

static void push_stretch(const Pusher *p, TacSafeStretch s) {
    for (size_t i = s.begin; i < s.end; i++) {
        const TacSafeKick *kick = &p->safe->kicks[i];
        if (!kick->count || !concerns(p, kick->reach)) continue;
        for (int j = 0; j < kick->count; j++) push_vertex(p, kick, j);
    }
}

static void push_part(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Push *push = data;
    const Piece *piece = push->piece;
    TacSafe *safe = piece->look.safe;
    for (size_t part = begin; part < end; part++) {
        Pusher p = {safe, piece->look.now, push->first[part], push->first[part + 1] - push->first[part],
                    part ? &safe->pushed[part - 1] : &safe->touched};
        for (int edges = 0; edges < 2; edges++)
            for (size_t i = 0; i < piece->parts; i++)
                if (concerns(&p, *reach_at(piece, i, edges))) push_stretch(&p, stretch(piece, i, edges));
    }
}

// Supports in parts with about as many kicks each, as some of them tell.
static void share_supports(Push *push) {
    enum { BINS = 256, SOME = 256 };
    const Piece *piece = push->piece;
    const TacSafe *safe = piece->look.safe;
    size_t of_bin[BINS] = {0}, all = 0, before = 0, bin = 0, supports = safe->support_count;
    for (size_t i = 0; i < piece->count; i += piece->count / SOME + 1) {
        const TacSafeKick *kick = &safe->kicks[i];
        if (!kick->count || kick->reach.first > kick->reach.last) continue;
        of_bin[BINS * (size_t)kick->reach.first / supports]++;
        all++;
    }
    for (size_t part = 1; part < push->parts; part++) {
        while (bin < BINS && before * push->parts < all * part) before += of_bin[bin++];
        push->first[part] = (uint32_t)(supports * bin / BINS);
    }
}

// As many parts as there are threads; an audit is told of one after the other.
static void share_out(Push *push) {
    enum { LEAST = 96 };
    const TacSafe *safe = push->piece->look.safe;
    size_t threads = (size_t)tac_team_size(safe->team), most = push->piece->count / LEAST;
    push->parts = safe->witness || threads == 1 ? 1 : threads < most ? threads : most;
    if (push->parts < 1) push->parts = 1;
    if (push->parts > TAC_SAFE_PUSHERS) push->parts = TAC_SAFE_PUSHERS;
    push->first[0] = 0;
    push->first[push->parts] = (uint32_t)safe->support_count;
    if (push->parts > 1) share_supports(push);
}

static void push_all(const Piece *piece) {
    TacSafe *safe = piece->look.safe;
    Push push = {.piece = piece};
    share_out(&push);
    tac_team_run(safe->team, push.parts, 1, push_part, &push);
    for (size_t part = 1; part < push.parts; part++) {
        TacSafeList *list = &safe->pushed[part - 1];
        for (size_t i = 0; i < list->count; i++) tac_safe_push(safe, &safe->touched, list->items[i]);
        list->count = 0;
    }
}

// --- what follows ---------------------------------------------------------------------------------------------

void tac_safe_tell_meetings(TacSafe *safe, TacSkinMeetings *meetings) {
    safe->meetings = meetings;
}

// Most kicks know it: then nothing else is fetched.
static uint16_t place_of_meeting(const TacSafe *safe, const TacSafeKick *kick) {
    if (kick->meeting != TAC_NO_MEETING) return kick->meeting;
    const TacPair *p = &safe->pairs[kick->pair];
    return tac_meetings_place(safe->meetings, safe->primitives[p->a].skin, safe->primitives[p->b].skin);
}

// The first between two skins says where; others may have been looked at before it was told.
static void tell_meeting(const TacSafe *safe, const TacSafeKick *kick, TacTick now) {
    if (tac_meetings_add(safe->meetings, place_of_meeting(safe, kick), now, kick->push)) return;
    const TacPair *p = &safe->pairs[kick->pair];
    uint32_t first = safe->primitives[p->a].skin, second = safe->primitives[p->b].skin;
    double point[3] = {0, 0, 0}, x[3];
    for (int j = 0; j < kick->count; j++) {
        if (!(kick->weight[j] > 0)) continue; // the first side's
        tac_safe_place(safe, kick->v[j], now, x);
        for (int k = 0; k < 3; k++) point[k] += kick->weight[j] * x[k];
    }
    int e = tac_layers_class(&safe->types[p->type].layers, 0, 0);
    TacSkinKick meeting = {.first = first,
                           .second = second,
                           .now = now,
                           .pause = (TacTick)2 << (e < 0 ? 0 : e),
                           .push = kick->push,
                           .normal = kick->normal,
                           .point = point};
    tac_meetings_note(safe->meetings, &meeting);
}

static TacStatus fail_through(const TacSafe *safe, const TacSafeKick *kick, TacTick now, TacError *error) {
    const TacPair *p = &safe->pairs[kick->pair];
    const TacPrimitive *a = &safe->primitives[p->a], *b = &safe->primitives[p->b];
    return tac_fail(error, TAC_FAILED, "at %g s primitive %u of %s and %u of %s met (gap %g m)",
                    tac_safe_seconds(safe, now), tac_safe_number(safe, p->a), safe->skins[a->skin].name,
                    tac_safe_number(safe, p->b), safe->skins[b->skin].name, kick->gap);
}

// It has no old anchors.
static void note_fresh(TacSafe *safe, uint32_t pair) {
    uint32_t live = safe->pairs[pair].live;
    if (!tac_safe_is_deeply_anchored(safe, live)) tac_safe_leave_deep(safe, live);
    tac_safe_push(safe, &safe->fresh, pair);
}

// Where pairs that push the body under a vertex are counted; NULL: it is on none that can be kicked.
static TacCrowd *crowd_at(const TacSafe *safe, uint32_t vertex) {
    const TacVertex *v = &safe->vertices[vertex];
    if (!v->frame || v->bound == 0) return NULL;
    return &safe->crowds[tac_safe_carrier(safe, v, 0).support - safe->first_frame];
}

enum { EMPTIED, COUNTED, SPREAD, NOTED, MOST_CROWD = 1023 };

// With whose clock a pair keeps up: what presses a body from above and from below at different instants would throw it to and
// fro. Not more often than what it bears itself asks for: one deep pair is no reason for all others to hurry.
static uint32_t clock_of(const TacMember *member, TacCrowd most) {
    return most.deepest < member->wanted ? most.deepest : member->wanted;
}

// Pairs remember that, and how many others push the same body: what they damp, they damp together.
static void note_crowd(TacSafe *safe, const TacMember *member, TacCrowd most) {
    TacPair *p = &safe->pairs[member->pair];
    TacLive *live = &safe->lives[p->live];
    live->crowd = (most.pairs < MOST_CROWD ? most.pairs : MOST_CROWD) & MOST_CROWD;
    live->mates = clock_of(member, most) & 63;
    if ((int)live->mates > p->armed) tac_safe_mark_pair(safe, member->pair);
}

// False: nothing is other than before.
static bool count_crowd(TacSafe *safe, const TacMember *member, int pass) {
    TacCrowd most = {0, 0};
    TacCrowd *crowds[4] = {0};
    int bodies = 0;
    const TacCrowd *last = NULL; // the vertices of one side are on one body
    uint32_t v[4];
    int side, n = tac_safe_vertices(safe, &safe->pairs[member->pair], v, &side);
    for (int j = 0; j < n; j++) {
        TacCrowd *crowd = crowd_at(safe, v[j]);
        if (!crowd || crowd == last) continue;
        last = crowd;
        crowds[bodies++] = crowd;
        if (pass == EMPTIED) *crowd = (TacCrowd){0, 0};
        if (pass == COUNTED) crowd->pairs++;
        if (pass == COUNTED && member->live > crowd->deepest) crowd->deepest = member->live;
        if (crowd->pairs > most.pairs) most.pairs = crowd->pairs;
        if (crowd->deepest > most.deepest) most.deepest = crowd->deepest;
    }
    if (pass == NOTED) note_crowd(safe, member, most);
    bool changed = false;
    for (int i = 0; pass == SPREAD && i < bodies; i++) {
        changed = changed || crowds[i]->deepest < clock_of(member, most);
        if (crowds[i]->deepest < clock_of(member, most)) crowds[i]->deepest = clock_of(member, most);
    }
    return changed;
}

// Who keeps up with another is kept up with in turn, from body to body, as far as loads ask for it: nothing depends on the
// order.
static void count_crowds(TacSafe *safe) {
    for (int pass = EMPTIED; pass <= NOTED; pass++)
        for (bool again = true; again;) {
            again = false;
            for (size_t i = 0; i < safe->member_count; i++)
                again = count_crowd(safe, &safe->members[i], pass) || again;
        }
}

// It pushed with all of its live layers.
static TacStatus add_member(TacSafe *safe, const TacSafeKick *kick, TacError *error) {
    if (!tac_grow_bare(&safe->members, &safe->member_capacity, safe->member_count + 1, sizeof *safe->members))
        return tac_fail_memory(error, 0);
    safe->members[safe->member_count++] = (TacMember){kick->pair, kick->live, kick->wanted};
    return TAC_OK;
}

// What follows from kicks besides pushes, one by one.
static TacStatus conclude(TacSafe *safe, const TacSafeKick *kick, TacTick now, TacError *error) {
    if (kick->gap < safe->stats.closest) safe->stats.closest = kick->gap;
    if (!(kick->gap > 0)) return fail_through(safe, kick, now, error);
    if (kick->doubtful) tac_safe_mark_pair(safe, kick->pair);
    if (!kick->count) {
        safe->null_looks += !kick->near; // shorter windows would not do without the others
        return TAC_OK;
    }
    safe->stats.kicks++;
    if (safe->born_count) tac_safe_feel_nest(safe, &safe->pairs[kick->pair], kick->deep, now);
    if (kick->crawls) return tac_safe_fail_crawling(safe, kick->pair, kick->deepest, now, error);
    if (safe->meetings) tell_meeting(safe, kick, now);
    if (safe->reshaped) tac_safe_feel_reshaped(safe, kick, now);
    if (kick->fresh) note_fresh(safe, kick->pair);
    return TAC_OK;
}

static TacStatus conclude_all(TacSafe *safe, size_t count, TacTick now, TacError *error) {
    for (size_t i = 0; i < count; i++) {
        const TacSafeKick *kick = &safe->kicks[i];
        TAC_TRY(conclude(safe, kick, now, error));
        if (safe->crowds && kick->count && kick->whole) TAC_TRY(add_member(safe, kick, error));
    }
    return TAC_OK;
}

// Looks at pairs, and pushes those that kick apart, piece by piece. Pushes are added to what matter is kicked by, and what
// follows from them is for later: nobody who looks sees it.
static TacStatus look_and_push(Piece *piece, size_t count, TacError *error) {
    enum { ALONE = 256, TOGETHER = 1024 };
    TacSafeLook *look = &piece->look;
    TacSafe *safe = look->safe;
    size_t threads = (size_t)tac_team_size(safe->team), most = threads > 1 ? TOGETHER * threads : ALONE;
    size_t size = count < most ? count : most;
    if (!tac_grow_bare(&safe->kicks, &safe->kick_capacity, size, sizeof *safe->kicks))
        return tac_fail_memory(error, 0);
    for (look->first = 0; look->first < count; look->first += size) {
        size_t n = count - look->first < size ? count - look->first : size;
        if (!begin_piece(piece, n)) return tac_fail_memory(error, 0);
        tac_team_run(safe->team, piece->parts, 1, look_at_parts, piece);
        TAC_TRY(look_again(piece, error));
        push_all(piece);
        TAC_TRY(conclude_all(safe, n, look->now, error));
    }
    return TAC_OK;
}

TacStatus tac_safe_do_kicks(TacSafe *safe, TacTick now, TacError *error) {
    uint64_t classes = tac_ruler_due(&safe->ruler, now);
    safe->fresh.count = 0;
    if (!classes) return TAC_OK;
    size_t count = 0, edges = 0;
    TAC_TRY(gather(safe, classes, &count, &edges, error));
    int due = now ? __builtin_ctzll((uint64_t)now) : 62;
    Piece piece = {.look = {safe, now, due, safe->order, edges, 0}};
    safe->member_count = 0;
    TAC_TRY(look_and_push(&piece, count, error));
    safe->stats.looks += count;
    count_crowds(safe);
    return safe->out_of_memory ? tac_fail_memory(error, 0) : TAC_OK;
}
