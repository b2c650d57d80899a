// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// From pairs of objects that may touch to patches: jobs, shared by a team, and what is remembered of each contact.
// See touch.h, rule 3. A look goes through these steps:
//
//     list jobs     in the order of keys, without pairs that cannot touch                 (one thread)
//     run jobs      hits and pairs of balls into lists; points of two shapes in place      (team: jobs; rows of balls)
//     place         where each job's patches begin; contacts of each element               (one thread)
//     fill          patches with their past and what they push with                        (team: chunks of patches)
//     tell          what began and ended                                                   (one thread)

#include "contact/touch.h"

#include "base/team.h"

enum {
    JOBS = 32,     // per chunk
    PATCHES = 512, // per chunk
    AHEAD = 8,     // pairs, for which memory is asked
    MANY = 512     // balls of one model that are worth a team
};

void tac_narrow_free(TacNarrow *narrow) {
    for (size_t i = 0; i < narrow->list_capacity; i++) {
        free(narrow->lists[i].hits);
        free(narrow->lists[i].pairs.items);
    }
    free(narrow->jobs);
    free(narrow->lists);
    free(narrow->sorted);
    free(narrow->starts);
    free(narrow->changes);
}

bool tac_touch_are_balls(const TacTouch *touch, uint32_t object) {
    return touch->models[touch->objects[object].model].model->base.cls != &tac_shape_model_class;
}

// --- jobs -------------------------------------------------------------------------------------------------

// Shapes of one model on the same frame are one body.
static bool same_body(const TacTouch *touch, const TacTouchObject *a, const TacTouchObject *b) {
    const TacTouchModel *p = &touch->models[a->model], *q = &touch->models[b->model];
    if (p->model->matter != q->model->matter) return false;
    return tac_touch_place(p, a->element) == tac_touch_place(q, b->element);
}

static bool can_touch(const TacTouch *touch, uint32_t a, uint32_t b) {
    const TacTouchObject *p = &touch->objects[a], *q = &touch->objects[b];
    if (touch->models[p->model].model->matter->idle || touch->models[q->model].model->matter->idle)
        return false;
    if (tac_touch_between(touch, p->model, q->model)->apart) return false;
    if (tac_touch_are_balls(touch, a) || tac_touch_are_balls(touch, b)) return true;
    return a != b && (p->moves || q->moves) && !same_body(touch, p, q);
}

static bool list_jobs(TacTouch *touch, const TacZonePair *pairs, size_t count) {
    TacNarrow *n = &touch->narrow;
    TacPatches *now = &touch->now;
    if (!tac_grow(&n->jobs, &n->job_capacity, count, sizeof *n->jobs)) return false;
    n->job_count = 0;
    now->cache_count = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t a = pairs[i].a, b = pairs[i].b;
        if (!can_touch(touch, a, b)) continue;
        bool shapes = !tac_touch_are_balls(touch, a) && !tac_touch_are_balls(touch, b);
        n->jobs[n->job_count++] =
            (TacTouchJob){.a = a, .b = b, .cache = shapes ? (uint32_t)now->cache_count++ : UINT32_MAX};
    }
    size_t points = TAC_CONVEX_CONTACTS * now->cache_count;
    if (!tac_grow(&now->caches, &now->cache_capacity, now->cache_count, sizeof *now->caches) ||
        !tac_grow(&now->points, &now->point_capacity, points, sizeof *now->points))
        return false;
    if (points) memset(now->points, 0, points * sizeof *now->points);
    return true;
}

static bool is_many(const TacTouch *touch, const TacTouchJob *job) {
    return job->a == job->b && touch->models[touch->objects[job->a].model].count >= MANY;
}

static void run_jobs(void *data, size_t begin, size_t end, size_t chunk) {
    TacTouch *touch = data;
    TacTouchList *list = &touch->narrow.lists[chunk];
    list->hit_count = list->pairs.count = 0;
    list->full = false;
    list->old = SIZE_MAX;
    for (size_t i = begin; i < end && !list->full; i++) {
        TacTouchJob *job = &touch->narrow.jobs[i];
        if (is_many(touch, job)) continue;
        bool balls_a = tac_touch_are_balls(touch, job->a), balls_b = tac_touch_are_balls(touch, job->b);
        job->list = (uint32_t)chunk;
        if (!balls_a && !balls_b)
            list->full = !tac_touch_shapes(touch, job, list);
        else if (balls_a && balls_b)
            list->full = !tac_touch_balls(touch, job, list);
        else
            list->full = !tac_touch_shape_and_balls(touch, job, list);
    }
}

bool tac_narrow_grow_lists(TacNarrow *n, size_t count) {
    n->list_count = count;
    return tac_grow(&n->lists, &n->list_capacity, count, sizeof *n->lists); // new ones are zero
}

static bool run_all(TacTouch *touch, TacTeam *team) {
    TacNarrow *n = &touch->narrow;
    n->sorted_count = 0;
    for (size_t i = 0; i < n->job_count; i++)
        if (is_many(touch, &n->jobs[i]) && !tac_touch_many_balls(touch, team, &n->jobs[i])) return false;
    if (!tac_narrow_grow_lists(n, tac_chunks(n->job_count, JOBS))) return false;
    tac_team_run(team, n->job_count, JOBS, run_jobs, touch);
    for (size_t i = 0; i < n->list_count; i++)
        if (n->lists[i].full) return false;
    return true;
}

// --- places -----------------------------------------------------------------------------------------------

static const TacBallPair *pairs_of(const TacNarrow *n, const TacTouchJob *job) {
    return (job->list == UINT32_MAX ? n->sorted : n->lists[job->list].pairs.items) + job->first;
}

static uint32_t patches_of(const TacTouchJob *job) {
    return job->cache == UINT32_MAX ? job->count : 1;
}

// Two shapes have more; so has whatever an implicit agent has to do with, and everything in loose worlds.
static bool has_more(const TacTouch *touch, const TacTouchJob *job) {
    return job->cache != UINT32_MAX || touch->is_view ||
           touch->models[touch->objects[job->a].model].implicit ||
           touch->models[touch->objects[job->b].model].implicit;
}

static bool place_jobs(TacTouch *touch) {
    TacNarrow *n = &touch->narrow;
    TacPatches *now = &touch->now;
    size_t patches = 0, mores = 0;
    touch->run_count = 0;
    if (!tac_grow(&touch->runs, &touch->run_capacity, n->job_count, sizeof *touch->runs)) return false;
    for (size_t i = 0; i < n->job_count; i++) {
        TacTouchJob *job = &n->jobs[i];
        uint32_t count = patches_of(job);
        if (patches + count > UINT32_MAX / 2) return false;
        job->patch = (uint32_t)patches;
        job->more = has_more(touch, job) ? (uint32_t)mores : UINT32_MAX;
        patches += count;
        if (job->more != UINT32_MAX) mores += count;
        if (count)
            touch->runs[touch->run_count++] =
                (TacTouchRun){job->patch, count, touch->objects[job->a].model, touch->objects[job->b].model};
    }
    if (!tac_grow(&now->patches, &now->capacity, patches, sizeof *now->patches) ||
        !tac_grow(&now->mores, &now->more_capacity, mores, sizeof *now->mores))
        return false;
    now->count = patches;
    now->more_count = mores;
    return true;
}

static void count_job(TacTouch *touch, const TacTouchJob *job) {
    const TacNarrow *n = &touch->narrow;
    if (!job->count) return;
    const TacTouchObject *a = &touch->objects[job->a], *b = &touch->objects[job->b];
    uint32_t *loads_a = touch->models[a->model].loads, *loads_b = touch->models[b->model].loads;
    bool balls_a = tac_touch_are_balls(touch, job->a), balls_b = tac_touch_are_balls(touch, job->b);
    if (balls_a && balls_b) {
        const TacBallPair *pairs = pairs_of(n, job);
        for (uint32_t k = 0; k < job->count; k++) {
            loads_a[pairs[k].a]++;
            loads_b[pairs[k].b]++;
        }
    } else if (balls_a || balls_b) {
        const TacTouchHit *hits = n->lists[job->list].hits + job->first;
        for (uint32_t k = 0; k < job->count; k++) (balls_a ? loads_a : loads_b)[hits[k].ball]++;
        *(balls_a ? &loads_b[b->element] : &loads_a[a->element]) += job->count;
    } else if (job->count) {
        loads_a[a->element]++;
        loads_b[b->element]++;
    }
}

static void count_loads(TacTouch *touch) {
    for (size_t m = 0; m < touch->model_count; m++)
        memset(touch->models[m].loads, 0, touch->models[m].count * sizeof *touch->models[m].loads);
    for (size_t i = 0; i < touch->narrow.job_count; i++) count_job(touch, &touch->narrow.jobs[i]);
}

// --- patches ----------------------------------------------------------------------------------------------

typedef struct Fill {
    TacTouch *touch;
    double seconds;
} Fill;

size_t tac_patches_find(const TacPatches *patches, const TacPatchKey *key) {
    size_t low = 0, high = patches->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        bool less = tac_patch_compare(&patches->patches[middle].key, key) < 0;
        *(less ? &low : &high) = less ? middle + 1 : middle;
    }
    return low;
}

static size_t find_job(const TacNarrow *n, uint32_t patch) {
    size_t low = 0, high = n->job_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        bool less = n->jobs[middle].patch + patches_of(&n->jobs[middle]) <= patch;
        *(less ? &low : &high) = less ? middle + 1 : middle;
    }
    return low;
}

static const double *place_at(const TacTouchModel *m, uint32_t ball) {
    const TacMatter *matter = m->model->matter;
    return matter->vectors[TAC_X_SHOWN] + ball * (size_t)matter->position_size;
}

static TacVec3 place_of(const TacTouchModel *m, uint32_t ball) {
    return tac_load3(place_at(m, ball));
}

static void fill_balls(TacTouch *touch, const TacTouchJob *job, uint32_t begin, uint32_t end) {
    const TacBallPair *pairs = pairs_of(&touch->narrow, job);
    uint32_t model_a = touch->objects[job->a].model, model_b = touch->objects[job->b].model;
    const TacTouchModel *p = &touch->models[model_a], *q = &touch->models[model_b];
    const double *radii_a = ((const TacBallsModel *)p->model)->radii;
    const double *radii_b = ((const TacBallsModel *)q->model)->radii;
    double extra = tac_touch_between(touch, model_a, model_b)->extra;
    for (uint32_t i = begin; i < end; i++) {
        const TacBallPair *pair = &pairs[i - job->patch];
        if (i + AHEAD < end) __builtin_prefetch(place_at(q, pair[AHEAD].b));
        TacVec3 a = place_of(p, pair->a), d = tac_sub(place_of(q, pair->b), a);
        double length = tac_norm(d), radius = radii_a[pair->a];
        double depth = radius + radii_b[pair->b] + extra - length;
        TacVec3 n = length > 0 ? tac_scale(d, 1 / length) : tac_vec3(0, 1, 0);
        touch->now.patches[i] = (TacPatch){.key = {job->a, job->b, pair->a, pair->b},
                                           .count = 1,
                                           .normal = n,
                                           .centre = tac_axpy(a, radius - 0.5 * depth, n),
                                           .depth = depth};
    }
}

static void fill_hits(TacTouch *touch, const TacTouchJob *job, uint32_t begin, uint32_t end) {
    if (begin == end) return;
    const TacTouchHit *hits = touch->narrow.lists[job->list].hits + job->first;
    bool first = tac_touch_are_balls(touch, job->a);
    uint32_t element = touch->objects[first ? job->b : job->a].element;
    for (uint32_t i = begin; i < end; i++) {
        const TacTouchHit *hit = &hits[i - job->patch];
        TacPatchKey key = {job->a, job->b, first ? hit->ball : element, first ? element : hit->ball};
        touch->now.patches[i] = (TacPatch){.key = key,
                                           .count = 1,
                                           .normal = first ? tac_scale(hit->normal, -1) : hit->normal,
                                           .centre = hit->point,
                                           .depth = hit->depth};
    }
}

static void fill_shapes(TacTouch *touch, const TacTouchJob *job) {
    touch->now.patches[job->patch] =
        (TacPatch){.key = {job->a, job->b, touch->objects[job->a].element, touch->objects[job->b].element},
                   .count = (uint8_t)job->count,
                   .cache_plus_1 = job->cache + 1,
                   .normal = job->normal};
}

static void fill_job(TacTouch *touch, const TacTouchJob *job, uint32_t begin, uint32_t end) {
    if (job->cache != UINT32_MAX)
        fill_shapes(touch, job);
    else if (tac_touch_are_balls(touch, job->a) && tac_touch_are_balls(touch, job->b))
        fill_balls(touch, job, begin, end);
    else
        fill_hits(touch, job, begin, end);
    for (uint32_t i = begin; job->more != UINT32_MAX && i < end; i++) {
        uint32_t more = job->more + i - job->patch;
        touch->now.patches[i].more_plus_1 = more + 1;
        touch->now.mores[more] = (TacPatchMore){0};
    }
}

static void remember(TacTouch *touch, TacPatch *patch, const TacPatch *was) {
    patch->touching = was->touching;
    patch->impulse = patch->count && !was->touching ? 0 : was->impulse;
    patch->hit = was->hit;
    patch->age = was->age;
    if (!patch->count) {
        patch->normal = was->normal;
        patch->centre = was->centre;
    }
    bool goes_on = patch->count && was->count;
    if (goes_on) patch->slide = was->slide;
    if (!patch->more_plus_1 || !was->more_plus_1) return;
    TacPatchMore *more = &touch->now.mores[patch->more_plus_1 - 1];
    const TacPatchMore *old = &touch->before.mores[was->more_plus_1 - 1];
    more->approach = old->approach;
    more->part = old->part;
    if (!goes_on) return;
    patch->drag = was->drag;
    more->twist = old->twist;
    more->carried = old->carried;
    memcpy(more->earlier, old->earlier, sizeof more->earlier);
    more->sum = old->sum;
    more->since = old->since;
    more->sticks = old->sticks;
    more->slips = old->slips;
    more->seen = old->seen;
    more->solved = old->solved;
    more->sunk = old->sunk;
    memcpy(more->was, old->was, sizeof more->was);
}

static void note(uint32_t *list, uint32_t *count, size_t which) {
    if (*count < TAC_TOUCH_NOTES) list[*count] = (uint32_t)which;
    ++*count;
}

// Both generations are sorted by key: one walk hands on what is remembered, and notes who is gone or new.
static void remember_range(TacTouch *touch, uint32_t begin, uint32_t end, TacTouchChanges *changes) {
    TacPatches *now = &touch->now;
    const TacPatches *before = &touch->before;
    size_t old = changes->last;
    for (uint32_t i = begin; i < end; i++) {
        TacPatch *patch = &now->patches[i];
        int order = 1;
        for (; old < before->count; old++) {
            order = tac_patch_compare(&before->patches[old].key, &patch->key);
            if (order >= 0) break;
            note(changes->gone, &changes->gone_count, old);
        }
        if (order == 0) remember(touch, patch, &before->patches[old++]);
        if (patch->touching != (patch->count > 0)) note(changes->turned, &changes->turned_count, i);
    }
    changes->last = old;
}

static bool same_models(const TacTouch *touch, const TacTouchJob *p, const TacTouchJob *q) {
    return touch->objects[p->a].model == touch->objects[q->a].model &&
           touch->objects[p->b].model == touch->objects[q->b].model;
}

static void fill_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    const Fill *fill = data;
    TacTouch *touch = fill->touch;
    const TacNarrow *n = &touch->narrow;
    TacTouchChanges changes = {.first = SIZE_MAX};
    // jobs between the same models are answered together: `open` is the first patch that is not
    uint32_t at = (uint32_t)begin, open = at;
    const TacTouchJob *last = NULL;
    for (const TacTouchJob *job = &n->jobs[find_job(n, at)]; at < end; job++) {
        uint32_t stop = job->patch + patches_of(job);
        if (stop > end) stop = (uint32_t)end;
        if (stop <= at) continue; // an empty job
        if (last && !same_models(touch, last, job)) {
            tac_touch_respond(touch, open, at, fill->seconds);
            open = at;
        }
        fill_job(touch, job, at, stop);
        if (changes.first == SIZE_MAX)
            changes.first = changes.last = tac_patches_find(&touch->before, &touch->now.patches[at].key);
        remember_range(touch, at, stop, &changes);
        last = job;
        at = stop;
    }
    tac_touch_respond(touch, open, at, fill->seconds);
    touch->narrow.changes[chunk] = changes;
}

// --- what began and ended ---------------------------------------------------------------------------------

static void tell_gone(TacTouch *touch, size_t old, double time) {
    const TacPatch *was = &touch->before.patches[old];
    if (was->touching) tac_touch_tell(touch, TAC_CONTACT_ENDS, was, time);
}

static void tell_turned(TacTouch *touch, size_t i, double time) {
    TacPatch *patch = &touch->now.patches[i];
    bool touching = patch->count > 0;
    if (touching == (patch->touching != 0)) return;
    tac_touch_tell(touch, touching ? TAC_CONTACT_BEGINS : TAC_CONTACT_ENDS, patch, time);
    patch->touching = touching;
}

// Of one chunk that has more of them than were noted: old patches that lie between two of now.
static void tell_many_gone(TacTouch *touch, const TacTouchChanges *c, size_t at, size_t end, double time) {
    for (size_t old = c->first; old < c->last; old++) {
        const TacPatchKey *key = &touch->before.patches[old].key;
        while (at < end && tac_patch_compare(&touch->now.patches[at].key, key) < 0) at++;
        if (at == end || tac_patch_compare(&touch->now.patches[at].key, key)) tell_gone(touch, old, time);
    }
}

// What was noted is gone through, not all patches: at any time few begin or end.
static void tell_all(TacTouch *touch, double time) {
    const TacTouchChanges *changes = touch->narrow.changes;
    size_t count = touch->now.count, chunks = tac_chunks(count, PATCHES), seen = 0;
    for (size_t i = 0; i < chunks; i++) {
        const TacTouchChanges *c = &changes[i];
        size_t begin = i * PATCHES, end = begin + PATCHES < count ? begin + PATCHES : count;
        for (; seen < c->first; seen++) tell_gone(touch, seen, time); // between two chunks
        if (c->gone_count > TAC_TOUCH_NOTES) tell_many_gone(touch, c, begin, end, time);
        for (uint32_t k = 0; k < c->gone_count && c->gone_count <= TAC_TOUCH_NOTES; k++)
            tell_gone(touch, c->gone[k], time);
        seen = c->last;
    }
    for (; seen < touch->before.count; seen++) tell_gone(touch, seen, time);
    for (size_t i = 0; i < chunks; i++) {
        const TacTouchChanges *c = &changes[i];
        size_t begin = i * PATCHES, end = begin + PATCHES < count ? begin + PATCHES : count;
        bool noted = c->turned_count <= TAC_TOUCH_NOTES;
        for (uint32_t k = 0; noted && k < c->turned_count; k++) tell_turned(touch, c->turned[k], time);
        for (size_t k = begin; !noted && k < end; k++) tell_turned(touch, k, time);
    }
}

// --- a look -----------------------------------------------------------------------------------------------

// What was found last becomes what is remembered.
static void turn_page(TacTouch *touch) {
    TacPatches old = touch->before;
    touch->before = touch->now;
    touch->now = old;
    touch->now.count = touch->now.cache_count = touch->now.more_count = 0;
}

TacStatus tac_touch_find(TacTouch *touch, TacTeam *team, const TacZonePair *pairs, size_t count,
                         double seconds, double time, TacError *error) {
    turn_page(touch);
    TacNarrow *n = &touch->narrow;
    if (!list_jobs(touch, pairs, count) || !run_all(touch, team) || !place_jobs(touch) ||
        !tac_grow(&n->changes, &n->change_capacity, tac_chunks(touch->now.count, PATCHES),
                  sizeof *n->changes)) {
        touch->now.count = touch->run_count = 0;
        return tac_fail_memory(error, 0);
    }
    // a view's elements carry what their agents have published
    if (!touch->is_view) count_loads(touch);
    Fill fill = {touch, seconds};
    tac_team_run(team, touch->now.count, PATCHES, fill_chunk, &fill);
    tell_all(touch, time);
    return TAC_OK;
}
