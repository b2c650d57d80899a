// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Loose contact: objects, their bounds, patches from one look to the next, events. See touch.h.

#include "contact/touch.h"

#include "geometry/convex_bounds.h"

enum { EVENTS = 4096, EVENTS_OF_VIEW = 32 };

// --- numbers ---------------------------------------------------------------------------------------------

// What comes back of the speed of approach, from a spring and a damper that never pull (T. Schwager, T. Poeschel,
// "Coefficient of restitution and linear-dashpot model revisited", 2007).
static double restitution_of(double zeta) {
    if (zeta > 1) {
        double s = sqrt(zeta * zeta - 1);
        return exp(-zeta / s * log((zeta + s) / (zeta - s)));
    }
    double s = sqrt(1 - zeta * zeta);
    return s > 0 ? exp(-zeta / s * (TAC_PI - atan2(2 * zeta * s, 1 - 2 * zeta * zeta))) : exp(-2);
}

double tac_touch_damping_ratio(double restitution) {
    const double most = 2.5; // gives back 0.03; what should give back less is damped like that
    double low = 0, high = most;
    if (restitution >= 1) return 0;
    if (restitution <= restitution_of(most)) return most;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        *(restitution_of(middle) > restitution ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

// --- setting up -------------------------------------------------------------------------------------------

static bool is_shape(const TacTouchModel *m) {
    return m->model->base.cls == &tac_shape_model_class;
}

static double thickness_of(const TacTouchModel *m) {
    return m->model->material ? m->model->material->thickness : 0;
}

static TacTouchNumbers numbers_between(const TacTouch *touch, const TacTouchModel *a,
                                       const TacTouchModel *b) {
    TacTouchNumbers n = {.numbers =
                             tac_materials_between(touch->materials, &a->model->base, a->model->material,
                                                   &b->model->base, b->model->material)};
    n.apart = n.numbers.excluded || !tac_collision_may_touch(a->model, b->model) || (!a->moves && !b->moves);
    n.ratio = tac_touch_damping_ratio(n.numbers.restitution);
    n.extra = n.numbers.thickness - thickness_of(a) - thickness_of(b);
    return n;
}

static TacStatus make_objects(TacTouch *touch, TacArena *arena, TacError *error) {
    size_t n = 0;
    for (size_t m = 0; m < touch->model_count; m++) {
        TacTouchModel *model = &touch->models[m];
        model->touch = touch;
        model->first_object = (uint32_t)n;
        model->object_count = is_shape(model) ? (uint32_t)model->count : 1;
        n += model->object_count;
    }
    touch->objects = tac_arena_array(arena, n, sizeof *touch->objects);
    if (!touch->objects) return tac_fail_memory(error, n * sizeof *touch->objects);
    touch->object_count = n;
    for (size_t m = 0; m < touch->model_count; m++) {
        TacTouchModel *model = &touch->models[m];
        for (uint32_t i = 0; i < model->object_count; i++)
            touch->objects[model->first_object + i] =
                (TacTouchObject){.model = (uint32_t)m,
                                 .element = i,
                                 .moves = model->moves && (!is_shape(model) || isfinite(model->masses[i]))};
    }
    return TAC_OK;
}

TacStatus tac_touch_create(TacTouch *touch, TacArena *arena, const TacMaterials *materials,
                           TacTouchModel *models, size_t count, TacError *error) {
    *touch = (TacTouch){.materials = materials, .models = models, .model_count = count, .last = -1};
    touch->zones = &touch->own_zones;
    int k = materials->setting ? (int)materials->setting->k : 0;
    touch->own_zones.axes = tac_kdop_axes(k ? k : 6);
    TAC_TRY(make_objects(touch, arena, error));
    touch->numbers = tac_arena_array(arena, count * count, sizeof *touch->numbers);
    touch->a_start = tac_arena_array(arena, count + 1, sizeof *touch->a_start);
    touch->b_start = tac_arena_array(arena, count + 1, sizeof *touch->b_start);
    touch->events = tac_arena_array(arena, EVENTS, sizeof *touch->events);
    touch->event_capacity = EVENTS;
    if (!touch->numbers || !touch->a_start || !touch->b_start || !touch->events)
        return tac_fail_memory(error, 0);
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b < count; b++)
            touch->numbers[a * count + b] = numbers_between(touch, &models[a], &models[b]);
    for (size_t m = 0; m < count; m++) {
        if (!is_shape(&models[m]) && !tac_ball_rows_alloc(&models[m].rows, arena, models[m].count))
            return tac_fail_memory(error, 0);
        for (size_t i = 0; i < models[m].count; i++)
            models[m].heavy = models[m].heavy || !isfinite(models[m].masses[i]);
    }
    return TAC_OK;
}

static void free_patches(TacPatches *p) {
    free(p->patches);
    free(p->points);
    free(p->caches);
    free(p->mores);
}

void tac_touch_destroy(TacTouch *touch) {
    tac_zones_free(&touch->own_zones);
    free_patches(&touch->now);
    free_patches(&touch->before);
    tac_narrow_free(&touch->narrow);
    free(touch->pairs);
    free(touch->runs);
    free(touch->b_list);
}

// --- bounds -----------------------------------------------------------------------------------------------

// In loose worlds others look for it where it was a step ago, or will be.
static void grow_by_flight(const TacTouch *touch, const TacTouchModel *m, uint32_t frame,
                           const TacTouchObject *o, TacKdop *bounds) {
    const double *v = m->model->matter->vectors[TAC_V_SHOWN] + 6 * (size_t)frame;
    double reach = 0;
    for (int k = 0; k < 3; k++) reach = fmax(reach, bounds->high[k] - bounds->low[k]);
    reach += tac_norm(
        tac_sub(o->pose.position, tac_load3(m->model->matter->vectors[TAC_X_SHOWN] + 7 * (size_t)frame)));
    double speed = tac_norm(tac_load3(v)) + reach * tac_norm(tac_load3(v + 3));
    tac_kdop_grow(bounds, touch->zones->axes, speed * m->step);
}

// What stands still keeps its bounds.
static TacStatus place_shapes(TacTouch *touch, const TacTouchModel *m, TacError *error) {
    const TacShapeModel *shape = (const TacShapeModel *)m->model;
    const double *x = m->model->matter->vectors[TAC_X_SHOWN];
    for (uint32_t i = 0; i < m->object_count; i++) {
        const double *frame = x + 7 * (size_t)shape->frame[i];
        TacTouchObject *object = &touch->objects[m->first_object + i];
        if (object->placed && !memcmp(object->frame, frame, sizeof object->frame)) continue;
        TacQuat q = tac_load_quat(frame + 3);
        object->pose.position = tac_add(tac_load3(frame), tac_rotate(q, shape->position));
        object->pose.rotation = tac_quat_mul(q, shape->turn);
        TacKdop bounds;
        tac_convex_bounds(&shape->convex, object->pose, touch->zones->axes, &bounds);
        if (m->past) grow_by_flight(touch, m, shape->frame[i], object, &bounds);
        object->placed = false;
        TAC_TRY(tac_zones_set(touch->zones, m->first_object + i, &bounds, error));
        object->placed = true;
        memcpy(object->frame, frame, sizeof object->frame);
    }
    return TAC_OK;
}

static TacStatus place_balls(TacTouch *touch, TacTeam *team, TacTouchModel *m, TacError *error) {
    const TacBallsModel *balls = (const TacBallsModel *)m->model;
    const TacMatter *matter = m->model->matter;
    const double *x = matter->vectors[TAC_X_SHOWN];
    size_t stride = (size_t)matter->position_size, self = (size_t)(m - touch->models);
    double extra = fmax(0, tac_touch_between(touch, (uint32_t)self, (uint32_t)self)->extra);
    tac_ball_rows_build(&m->rows, team, x, stride, balls->radii, balls->largest, extra);
    TacKdop bounds;
    tac_kdop_clear(&bounds);
    memcpy(bounds.low, m->rows.low, sizeof m->rows.low);
    memcpy(bounds.high, m->rows.high, sizeof m->rows.high);
    for (size_t i = 0; touch->zones->axes > 3 && i < m->count; i++)
        tac_kdop_add_ball(&bounds, touch->zones->axes, tac_load3(x + i * stride), balls->radii[i]);
    return tac_zones_set(touch->zones, m->first_object, &bounds, error);
}

TacStatus tac_touch_place_model(TacTouch *touch, TacTeam *team, TacTouchModel *model, TacError *error) {
    // another model stands for it: it is nowhere
    bool idle = model->model->matter->idle;
    for (uint32_t i = 0; idle && i < model->object_count; i++) {
        tac_zones_remove(touch->zones, model->first_object + i);
        touch->objects[model->first_object + i].placed = false;
    }
    if (idle) return TAC_OK;
    return is_shape(model) ? place_shapes(touch, model, error) : place_balls(touch, team, model, error);
}

// --- what began and ended ---------------------------------------------------------------------------------

static void pass_on(TacTouch *touch, const TacContactEvent *event) {
    if (touch->event_count == touch->event_capacity) {
        touch->event_first = (touch->event_first + 1) % touch->event_capacity;
        touch->event_count--;
        touch->events_lost++;
    }
    touch->events[(touch->event_first + touch->event_count++) % touch->event_capacity] = *event;
}

void tac_touch_tell(TacTouch *touch, TacContactEventKind kind, const TacPatch *patch, double time) {
    TacContactEvent event = {.kind = kind,
                             .time = time,
                             .model_a = touch->objects[patch->key.a].model,
                             .model_b = touch->objects[patch->key.b].model,
                             .element_a = patch->key.ia,
                             .element_b = patch->key.ib,
                             .point = patch->centre,
                             .normal = patch->normal,
                             .impulse = kind == TAC_CONTACT_ENDS ? patch->impulse : 0};
    pass_on(touch, &event);
}

// --- which patches belong to which model ------------------------------------------------------------------

static TacStatus list_by_model(TacTouch *touch, TacError *error) {
    if (!tac_grow(&touch->b_list, &touch->b_capacity, touch->run_count, sizeof *touch->b_list))
        return tac_fail_memory(error, 0);
    size_t models = touch->model_count;
    memset(touch->a_start, 0, (models + 1) * sizeof *touch->a_start);
    memset(touch->b_start, 0, (models + 1) * sizeof *touch->b_start);
    for (size_t i = 0; i < touch->run_count; i++) {
        const TacTouchRun *run = &touch->runs[i];
        touch->a_start[run->model_a + 1]++;
        touch->b_start[run->model_b + 1] += run->model_a != run->model_b;
    }
    for (size_t m = 0; m < models; m++) {
        touch->a_start[m + 1] += touch->a_start[m];
        touch->b_start[m + 1] += touch->b_start[m];
    }
    for (size_t i = 0; i < touch->run_count; i++) {
        const TacTouchRun *run = &touch->runs[i];
        if (run->model_a != run->model_b) touch->b_list[touch->b_start[run->model_b]++] = (uint32_t)i;
    }
    for (size_t m = models; m > 0; m--) touch->b_start[m] = touch->b_start[m - 1];
    touch->b_start[0] = 0;
    return TAC_OK;
}

// --- one look ---------------------------------------------------------------------------------------------

// Pairs come sorted; a model's balls among themselves come before its pairs with later objects.
static TacStatus add_own_balls(TacTouch *touch, const TacZonePair *pairs, size_t count, size_t *all,
                               TacError *error) {
    size_t models = 0, next = 0;
    for (size_t m = 0; m < touch->model_count; m++) models += !is_shape(&touch->models[m]);
    if (!tac_grow(&touch->pairs, &touch->pair_capacity, count + models, sizeof *touch->pairs))
        return tac_fail_memory(error, 0);
    *all = 0;
    for (size_t m = 0; m < touch->model_count; m++) {
        if (is_shape(&touch->models[m])) continue;
        uint32_t own = touch->models[m].first_object;
        for (; next < count && pairs[next].a < own; next++) touch->pairs[(*all)++] = pairs[next];
        touch->pairs[(*all)++] = (TacZonePair){own, own};
    }
    for (; next < count; next++) touch->pairs[(*all)++] = pairs[next];
    return TAC_OK;
}

TacStatus tac_touch_update(TacTouch *touch, TacTeam *team, int64_t now, double seconds, double time,
                           TacError *error) {
    for (size_t m = 0; m < touch->model_count; m++)
        TAC_TRY(tac_touch_place_model(touch, team, &touch->models[m], error));
    const TacZonePair *pairs;
    size_t count;
    TAC_TRY(tac_zones_pairs(touch->zones, &pairs, &count, error));
    TAC_TRY(add_own_balls(touch, pairs, count, &count, error));
    TAC_TRY(tac_touch_find(touch, team, touch->pairs, count, seconds, time, error));
    TAC_TRY(list_by_model(touch, error));
    touch->last = now;
    return TAC_OK;
}

// --- views ------------------------------------------------------------------------------------------------

TacStatus tac_touch_view(TacTouch *view, const TacTouch *world, TacArena *arena, TacError *error) {
    *view = (TacTouch){.materials = world->materials,
                       .models = world->models,
                       .model_count = world->model_count,
                       .objects = world->objects,
                       .object_count = world->object_count,
                       .numbers = world->numbers,
                       .zones = (TacZones *)&world->own_zones,
                       .is_view = true,
                       .last = -1,
                       .event_capacity = EVENTS_OF_VIEW};
    view->events = tac_arena_array(arena, EVENTS_OF_VIEW, sizeof *view->events);
    return view->events ? TAC_OK : tac_fail_memory(error, EVENTS_OF_VIEW * sizeof *view->events);
}

TacStatus tac_touch_look(TacTouch *view, const TacZonePair *pairs, size_t count, int64_t now, double seconds,
                         double time, TacError *error) {
    view->time = time;
    TAC_TRY(tac_touch_find(view, NULL, pairs, count, seconds, time, error));
    view->last = now;
    return TAC_OK;
}

static bool tells(const TacTouch *touch, const TacTouchModel *first) {
    return !touch->is_view || first->touch == touch || !first->moves;
}

bool tac_touch_tells_of(const TacTouch *touch, const TacPatch *patch) {
    return tells(touch, &touch->models[touch->objects[patch->key.a].model]);
}

void tac_touch_hand_on_events(TacTouch *view, TacTouch *world) {
    for (; view->event_count > 0; view->event_count--) {
        const TacContactEvent *e = &view->events[view->event_first];
        if (tells(view, &world->models[e->model_a])) pass_on(world, e);
        view->event_first = (view->event_first + 1) % view->event_capacity;
    }
    world->events_lost += view->events_lost;
    view->events_lost = 0;
}

void tac_touch_count_loads(const TacTouch *view, TacTouchModel *model) {
    memset(model->loads, 0, model->count * sizeof *model->loads);
    for (size_t i = 0; i < view->now.count; i++) {
        const TacPatch *p = &view->now.patches[i];
        if (&view->models[view->objects[p->key.a].model] == model) model->loads[p->key.ia] += p->count > 0;
        if (&view->models[view->objects[p->key.b].model] == model) model->loads[p->key.ib] += p->count > 0;
    }
}

// --- saving -----------------------------------------------------------------------------------------------

typedef struct Saved {
    uint64_t patches, caches, mores;
    int64_t last;
} Saved;

enum { POINTS = TAC_CONVEX_CONTACTS };

static uint64_t bytes_of(const Saved *saved) {
    return sizeof *saved + saved->patches * sizeof(TacPatch) + saved->caches * sizeof(TacConvexCache) +
           saved->caches * POINTS * sizeof(TacTouchPoint) + saved->mores * sizeof(TacPatchMore);
}

static Saved saved_of(const TacTouch *touch) {
    const TacPatches *p = &touch->now;
    return (Saved){p->count, p->cache_count, p->more_count, touch->last};
}

size_t tac_touch_save_bytes(const TacTouch *touch) {
    Saved saved = saved_of(touch);
    return (size_t)bytes_of(&saved);
}

static void put(char **at, const void *data, size_t bytes) {
    if (bytes) memcpy(*at, data, bytes);
    *at += bytes;
}

void tac_touch_save(const TacTouch *touch, void *to) {
    const TacPatches *p = &touch->now;
    Saved saved = saved_of(touch);
    char *at = to;
    put(&at, &saved, sizeof saved);
    put(&at, p->patches, p->count * sizeof *p->patches);
    put(&at, p->caches, p->cache_count * sizeof *p->caches);
    put(&at, p->points, p->cache_count * POINTS * sizeof *p->points);
    put(&at, p->mores, p->more_count * sizeof *p->mores);
}

static bool patch_fits(const TacTouch *touch, const TacPatch *p, const Saved *saved) {
    if (p->key.a >= touch->object_count || p->key.b >= touch->object_count || p->key.a > p->key.b)
        return false;
    if (p->cache_plus_1 > saved->caches || p->more_plus_1 > saved->mores ||
        p->count > (p->cache_plus_1 ? POINTS : 1))
        return false;
    const TacTouchModel *a = &touch->models[touch->objects[p->key.a].model];
    const TacTouchModel *b = &touch->models[touch->objects[p->key.b].model];
    bool needs_more = p->cache_plus_1 || touch->is_view || a->implicit || b->implicit;
    return p->key.ia < a->count && p->key.ib < b->count && (p->more_plus_1 > 0) == needs_more;
}

static void take(const char **at, void *to, size_t bytes) {
    if (bytes) memcpy(to, *at, bytes);
    *at += bytes;
}

// Runs of patches of the same two objects.
static bool find_runs(TacTouch *touch) {
    const TacPatches *p = &touch->now;
    touch->run_count = 0;
    for (size_t i = 0; i < p->count; i++) {
        const TacPatchKey *key = &p->patches[i].key, *last = i ? &p->patches[i - 1].key : NULL;
        if (last && last->a == key->a && last->b == key->b) {
            touch->runs[touch->run_count - 1].count++;
            continue;
        }
        if (!tac_grow(&touch->runs, &touch->run_capacity, touch->run_count + 1, sizeof *touch->runs))
            return false;
        touch->runs[touch->run_count++] = (TacTouchRun){.first = (uint32_t)i,
                                                        .count = 1,
                                                        .model_a = touch->objects[key->a].model,
                                                        .model_b = touch->objects[key->b].model};
    }
    return true;
}

TacStatus tac_touch_restore(TacTouch *touch, const void *data, size_t bytes, TacError *error) {
    Saved saved;
    TacPatches *p = &touch->now;
    const uint64_t most = 1u << 28;
    if (bytes < sizeof saved) return tac_fail(error, TAC_BAD_INPUT, "the snapshot is damaged");
    memcpy(&saved, data, sizeof saved);
    if (saved.patches > most || saved.caches > most || saved.mores > most || bytes_of(&saved) != bytes)
        return tac_fail(error, TAC_BAD_INPUT, "the snapshot is damaged");
    p->count = p->cache_count = p->more_count = touch->run_count = 0;
    if (!tac_grow(&p->patches, &p->capacity, saved.patches, sizeof *p->patches) ||
        !tac_grow(&p->caches, &p->cache_capacity, saved.caches, sizeof *p->caches) ||
        !tac_grow(&p->points, &p->point_capacity, POINTS * saved.caches, sizeof *p->points) ||
        !tac_grow(&p->mores, &p->more_capacity, saved.mores, sizeof *p->mores))
        return tac_fail_memory(error, bytes);
    const char *at = (const char *)data + sizeof saved;
    take(&at, p->patches, saved.patches * sizeof *p->patches);
    take(&at, p->caches, saved.caches * sizeof *p->caches);
    take(&at, p->points, saved.caches * POINTS * sizeof *p->points);
    take(&at, p->mores, saved.mores * sizeof *p->mores);
    for (size_t i = 0; i < saved.patches; i++)
        if (!patch_fits(touch, &p->patches[i], &saved) ||
            (i && tac_patch_compare(&p->patches[i - 1].key, &p->patches[i].key) >= 0))
            return tac_fail(error, TAC_BAD_INPUT, "the snapshot is damaged");
    p->count = saved.patches;
    p->cache_count = saved.caches;
    p->more_count = saved.mores;
    touch->last = saved.last;
    if (!find_runs(touch)) return tac_fail_memory(error, 0);
    return touch->is_view ? TAC_OK : list_by_model(touch, error);
}
