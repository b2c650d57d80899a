// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Loose contact: objects, their bounds, patches from one look to the next, events. See touch.h.

#include "contact/touch.h"

#include "geometry/convex_bounds.h"

enum { EVENTS = 4096, EVENTS_OF_VIEW = 32 };

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
    touch->own_zones.axes = tac_kdop_axes(materials->setting ? (int)materials->setting->k : 6);
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
    for (size_t m = 0; m < count; m++)
        if (!is_shape(&models[m]) && !tac_touch_alloc_grid(&models[m], arena))
            return tac_fail_memory(error, 0);
    return TAC_OK;
}

static void free_patches(TacPatches *p) {
    free(p->patches);
    free(p->points);
    free(p->caches);
}

void tac_touch_destroy(TacTouch *touch) {
    tac_zones_free(&touch->own_zones);
    free_patches(&touch->now);
    free_patches(&touch->before);
    free(touch->b_list);
    free(touch->nearby);
}

// --- bounds -----------------------------------------------------------------------------------------------

static TacStatus place_shapes(TacTouch *touch, const TacTouchModel *m, TacError *error) {
    const TacShapeModel *shape = (const TacShapeModel *)m->model;
    const double *x = m->model->matter->vectors[TAC_X_SHOWN];
    for (uint32_t i = 0; i < m->object_count; i++) {
        const double *frame = x + 7 * (size_t)shape->frame[i];
        TacQuat q = tac_load_quat(frame + 3);
        TacTouchObject *object = &touch->objects[m->first_object + i];
        object->pose.position = tac_add(tac_load3(frame), tac_rotate(q, shape->position));
        object->pose.rotation = tac_quat_mul(q, shape->turn);
        TacKdop bounds;
        tac_convex_bounds(&shape->convex, object->pose, touch->zones->axes, &bounds);
        TAC_TRY(tac_zones_set(touch->zones, m->first_object + i, &bounds, error));
    }
    return TAC_OK;
}

static TacStatus place_balls(TacTouch *touch, TacTouchModel *m, TacError *error) {
    const TacBallsModel *balls = (const TacBallsModel *)m->model;
    const TacMatter *matter = m->model->matter;
    const double *x = matter->vectors[TAC_X_SHOWN];
    TacKdop bounds;
    tac_kdop_clear(&bounds);
    for (size_t i = 0; i < m->count; i++)
        tac_kdop_add_ball(&bounds, touch->zones->axes, tac_load3(x + i * (size_t)matter->position_size),
                          balls->radii[i]);
    tac_touch_build_grid(m);
    return tac_zones_set(touch->zones, m->first_object, &bounds, error);
}

// --- patches ----------------------------------------------------------------------------------------------

static int compare_keys(const TacPatchKey *p, const TacPatchKey *q) {
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    if (p->b != q->b) return p->b < q->b ? -1 : 1;
    if (p->ia != q->ia) return p->ia < q->ia ? -1 : 1;
    return p->ib < q->ib ? -1 : p->ib > q->ib;
}

static void pass_on(TacTouch *touch, const TacContactEvent *event) {
    if (touch->event_count == touch->event_capacity) {
        touch->event_first = (touch->event_first + 1) % touch->event_capacity;
        touch->event_count--;
        touch->events_lost++;
    }
    touch->events[(touch->event_first + touch->event_count++) % touch->event_capacity] = *event;
}

static void tell(TacTouch *touch, TacContactEventKind kind, const TacPatch *patch, double time) {
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

TacPatch *tac_touch_add(TacTouch *touch, TacPatchKey key, bool with_cache) {
    TacPatches *now = &touch->now;
    if (!tac_grow(&now->patches, &now->capacity, now->count + 1, sizeof *now->patches)) return NULL;
    if (with_cache &&
        !tac_grow(&now->caches, &now->cache_capacity, now->cache_count + 1, sizeof *now->caches))
        return NULL;
    TacPatch *patch = &now->patches[now->count++];
    *patch = (TacPatch){.key = key, .point = (uint32_t)now->point_count};
    if (with_cache) {
        now->caches[now->cache_count++] = (TacConvexCache){0};
        patch->cache_plus_1 = (uint32_t)now->cache_count;
    }
    return patch;
}

bool tac_touch_add_point(TacTouch *touch, TacPatch *patch, TacVec3 at, double depth, double weight) {
    TacPatches *now = &touch->now;
    if (!tac_grow(&now->points, &now->point_capacity, now->point_count + 1, sizeof *now->points))
        return false;
    now->points[now->point_count++] = (TacTouchPoint){.at = at, .depth = depth, .weight = weight};
    patch->count++;
    return true;
}

// Both generations are sorted by key: one walk hands on what is remembered, and finds what is gone.
static void remember(TacTouch *touch, double time) {
    TacPatches *now = &touch->now, *before = &touch->before;
    size_t old = 0;
    for (size_t i = 0; i <= now->count; i++) {
        TacPatch *patch = i < now->count ? &now->patches[i] : NULL;
        for (; old < before->count && (!patch || compare_keys(&before->patches[old].key, &patch->key) < 0);
             old++)
            if (before->patches[old].touching) tell(touch, TAC_CONTACT_ENDS, &before->patches[old], time);
        if (!patch || old == before->count || compare_keys(&before->patches[old].key, &patch->key)) continue;
        const TacPatch *was = &before->patches[old];
        patch->touching = was->touching;
        patch->impulse = was->impulse;
        patch->centre = was->centre;
        patch->age = was->age;
        patch->part = was->part;
        patch->approach = was->approach;
        if (!patch->count) patch->normal = was->normal;
        if (patch->count && was->count) {
            patch->slide = was->slide;
            patch->twist = was->twist;
            patch->drag = was->drag;
            patch->carried = was->carried;
            patch->sticks = was->sticks;
            patch->slips = was->slips;
        }
        old++;
    }
}

static void tell_changes(TacTouch *touch, double time) {
    for (size_t i = 0; i < touch->now.count; i++) {
        TacPatch *patch = &touch->now.patches[i];
        bool touching = patch->count > 0;
        if (touching && !patch->touching) {
            patch->impulse = 0;
            tell(touch, TAC_CONTACT_BEGINS, patch, time);
        }
        if (!touching && patch->touching) tell(touch, TAC_CONTACT_ENDS, patch, time);
        patch->touching = touching;
    }
}

// Which patches belong to which model.
static TacStatus list_by_model(TacTouch *touch, TacError *error) {
    const TacPatches *now = &touch->now;
    if (!tac_grow(&touch->b_list, &touch->b_capacity, now->count, sizeof *touch->b_list))
        return tac_fail_memory(error, 0);
    size_t models = touch->model_count;
    memset(touch->a_start, 0, (models + 1) * sizeof *touch->a_start);
    memset(touch->b_start, 0, (models + 1) * sizeof *touch->b_start);
    for (size_t i = 0; i < now->count; i++) {
        touch->a_start[touch->objects[now->patches[i].key.a].model + 1]++;
        touch->b_start[touch->objects[now->patches[i].key.b].model + 1]++;
    }
    for (size_t m = 0; m < models; m++) {
        touch->a_start[m + 1] += touch->a_start[m];
        touch->b_start[m + 1] += touch->b_start[m];
    }
    for (size_t i = 0; i < now->count; i++)
        touch->b_list[touch->b_start[touch->objects[now->patches[i].key.b].model]++] = (uint32_t)i;
    for (size_t m = models; m > 0; m--) touch->b_start[m] = touch->b_start[m - 1];
    touch->b_start[0] = 0;
    return TAC_OK;
}

// --- one look ---------------------------------------------------------------------------------------------

// Shapes of one model on the same frame are one body.
static bool same_body(const TacTouch *touch, const TacTouchObject *a, const TacTouchObject *b) {
    const TacTouchModel *p = &touch->models[a->model], *q = &touch->models[b->model];
    if (p->model->matter != q->model->matter) return false;
    if (!is_shape(p) || !is_shape(q)) return false;
    return tac_touch_place(p, a->element) == tac_touch_place(q, b->element);
}

static bool narrow(TacTouch *touch, uint32_t a, uint32_t b) {
    const TacTouchObject *p = &touch->objects[a], *q = &touch->objects[b];
    const TacTouchModel *mp = &touch->models[p->model], *mq = &touch->models[q->model];
    if (tac_touch_between(touch, p->model, q->model)->apart || (p->model == q->model && !mp->model->self))
        return true;
    if (is_shape(mp) && is_shape(mq)) {
        if ((!p->moves && !q->moves) || same_body(touch, p, q)) return true;
        return tac_touch_shapes(touch, (TacPatchKey){a, b, p->element, q->element});
    }
    return tac_touch_balls(touch, a, b);
}

// Pairs come sorted; a model's balls among themselves come before its pairs with later objects.
static bool narrow_all(TacTouch *touch, const TacZonePair *pairs, size_t count) {
    size_t next = 0;
    for (uint32_t a = 0; a < touch->object_count; a++) {
        if (!is_shape(&touch->models[touch->objects[a].model]) && !narrow(touch, a, a)) return false;
        for (; next < count && pairs[next].a == a; next++)
            if (!narrow(touch, a, pairs[next].b)) return false;
    }
    return true;
}

TacStatus tac_touch_place_model(TacTouch *touch, TacTouchModel *model, TacError *error) {
    return is_shape(model) ? place_shapes(touch, model, error) : place_balls(touch, model, error);
}

// What was found last becomes what is remembered.
static void turn_page(TacTouch *touch) {
    TacPatches old = touch->before;
    touch->before = touch->now;
    touch->now = old;
    touch->now.count = touch->now.point_count = touch->now.cache_count = 0;
}

TacStatus tac_touch_update(TacTouch *touch, int64_t now, double seconds, double time, TacError *error) {
    for (size_t m = 0; m < touch->model_count; m++)
        TAC_TRY(tac_touch_place_model(touch, &touch->models[m], error));
    const TacZonePair *pairs;
    size_t count;
    TAC_TRY(tac_zones_pairs(touch->zones, &pairs, &count, error));
    turn_page(touch);
    if (!narrow_all(touch, pairs, count)) return tac_fail_memory(error, 0);
    remember(touch, time);
    TAC_TRY(list_by_model(touch, error));
    tac_touch_respond(touch, seconds);
    tell_changes(touch, time);
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
    turn_page(view);
    view->time = time;
    for (size_t i = 0; i < count; i++)
        if (!narrow(view, pairs[i].a, pairs[i].b)) return tac_fail_memory(error, 0);
    remember(view, time);
    tac_touch_respond(view, seconds);
    tell_changes(view, time);
    view->last = now;
    return TAC_OK;
}

void tac_touch_hand_on_events(TacTouch *view, TacTouch *world) {
    for (; view->event_count > 0; view->event_count--) {
        const TacContactEvent *e = &view->events[view->event_first];
        if (world->models[e->model_a].touch == view || !world->models[e->model_a].moves) pass_on(world, e);
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
    uint64_t patches, points, caches;
    int64_t last;
} Saved;

size_t tac_touch_save_bytes(const TacTouch *touch) {
    const TacPatches *p = &touch->now;
    return sizeof(Saved) + p->count * sizeof *p->patches + p->point_count * sizeof *p->points +
           p->cache_count * sizeof *p->caches;
}

void tac_touch_save(const TacTouch *touch, void *to) {
    const TacPatches *p = &touch->now;
    Saved saved = {p->count, p->point_count, p->cache_count, touch->last};
    char *at = to;
    memcpy(at, &saved, sizeof saved);
    at += sizeof saved;
    if (p->count) memcpy(at, p->patches, p->count * sizeof *p->patches);
    at += p->count * sizeof *p->patches;
    if (p->point_count) memcpy(at, p->points, p->point_count * sizeof *p->points);
    at += p->point_count * sizeof *p->points;
    if (p->cache_count) memcpy(at, p->caches, p->cache_count * sizeof *p->caches);
}

static bool patch_fits(const TacTouch *touch, const TacPatch *p, const Saved *saved) {
    if (p->key.a >= touch->object_count || p->key.b >= touch->object_count || p->key.a > p->key.b)
        return false;
    if (p->point > saved->points || p->count > saved->points - p->point || p->cache_plus_1 > saved->caches)
        return false;
    const TacTouchModel *a = &touch->models[touch->objects[p->key.a].model];
    const TacTouchModel *b = &touch->models[touch->objects[p->key.b].model];
    return p->key.ia < a->count && p->key.ib < b->count;
}

TacStatus tac_touch_restore(TacTouch *touch, const void *data, size_t bytes, TacError *error) {
    Saved saved;
    TacPatches *p = &touch->now;
    if (bytes < sizeof saved) return tac_fail(error, TAC_BAD_INPUT, "the snapshot is damaged");
    memcpy(&saved, data, sizeof saved);
    const uint64_t most = 1u << 30;
    if (saved.patches > most || saved.points > most || saved.caches > most ||
        sizeof saved + saved.patches * sizeof *p->patches + saved.points * sizeof *p->points +
                saved.caches * sizeof *p->caches !=
            bytes)
        return tac_fail(error, TAC_BAD_INPUT, "the snapshot is damaged");
    if (!tac_grow(&p->patches, &p->capacity, saved.patches, sizeof *p->patches) ||
        !tac_grow(&p->points, &p->point_capacity, saved.points, sizeof *p->points) ||
        !tac_grow(&p->caches, &p->cache_capacity, saved.caches, sizeof *p->caches))
        return tac_fail_memory(error, bytes);
    const char *at = (const char *)data + sizeof saved;
    p->count = p->point_count = p->cache_count = 0;
    if (saved.patches) memcpy(p->patches, at, saved.patches * sizeof *p->patches);
    at += saved.patches * sizeof *p->patches;
    if (saved.points) memcpy(p->points, at, saved.points * sizeof *p->points);
    at += saved.points * sizeof *p->points;
    if (saved.caches) memcpy(p->caches, at, saved.caches * sizeof *p->caches);
    for (size_t i = 0; i < saved.patches; i++)
        if (!patch_fits(touch, &p->patches[i], &saved) ||
            (i && compare_keys(&p->patches[i - 1].key, &p->patches[i].key) >= 0))
            return tac_fail(error, TAC_BAD_INPUT, "the snapshot is damaged");
    p->count = saved.patches;
    p->point_count = saved.points;
    p->cache_count = saved.caches;
    touch->last = saved.last;
    return touch->is_view ? TAC_OK : list_by_model(touch, error);
}
