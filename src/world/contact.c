// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Loose contact in a causal world, and what can be asked about contact (tactus/contact.h).
//
// Contacts are found once for an instant, from the state that everybody would be seen in then: matter that ticks has
// arrived, other matter is looked at on its flight, which changes nothing. What each agent makes of them is its law's.

#include "tactus/contact.h"
#include "world/loose.h"
#include "world/world.h"

static bool somebody_touches(const TacWorld *world) {
    for (size_t i = 0; i < world->due_count; i++)
        if (world->tickers[world->due[i]].touches) return true;
    return false;
}

static void tell_due(TacWorld *world) {
    TacWorldTouch *w = world->touch;
    for (size_t m = 0; m < w->model_count; m++) w->models[m].due = false;
    for (size_t i = 0; i < world->due_count; i++) {
        const TacTicker *t = &world->tickers[world->due[i]];
        for (size_t k = 0; t->touches && k < t->program.law_count; k++)
            if (t->program.laws[k]->base.cls == &tac_touch_law_class)
                ((TacTouchModel *)t->program.laws[k])->due = true;
    }
}

// Each of those that tick looks for itself.
static void look_with_skins(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    TacWorldTouch *w = data;
    for (size_t i = begin; i < end; i++) w->skins[i].lost = !tac_skin_look(&w->skins[i]);
}

static TacStatus touch_with_skins(TacWorld *world, TacError *error) {
    TacWorldTouch *w = world->touch;
    tac_team_run(world->team, w->skin_count, 1, look_with_skins, w);
    for (size_t i = 0; i < w->skin_count; i++)
        if (w->skins[i].lost) return tac_fail_memory(error, 0);
    return TAC_OK;
}

TacStatus tac_world_touch(TacWorld *world, TacTick now, TacError *error) {
    if (!world->touch || !somebody_touches(world)) return TAC_OK;
    TacWorldTouch *w = world->touch;
    double time = tac_seconds(world->base, now);
    for (size_t i = 0; i < w->root_count; i++) {
        TacMatter *m = w->roots[i];
        if (m->idle) continue;
        tac_world_locate(world, m, now, m->vectors[TAC_X_SHOWN], m->vectors[TAC_V_SHOWN]);
    }
    TacContext context = {time, world->base.beat, world->team};
    for (size_t i = 0; i < w->map_count; i++) {
        TacMap *map = w->maps[i];
        if (map->child->idle) continue;
        const TacMapOps *ops = map->base.cls->ops.map;
        double *const *from = map->parent->vectors, *const *to = map->child->vectors;
        ops->position(map, &context, from[TAC_X_SHOWN], to[TAC_X_SHOWN]);
        ops->velocity(map, &context, from[TAC_X_SHOWN], to[TAC_X_SHOWN], from[TAC_V_SHOWN], to[TAC_V_SHOWN]);
    }
    world->shown = -1;
    tell_due(world);
    int64_t last = w->touch.last;
    double seconds = last >= 0 ? tac_seconds(world->base, now - last) : 0;
    TacStatus status = tac_touch_update(&w->touch, world->team, now, seconds, time, error);
    if (status == TAC_OK) status = touch_with_skins(world, error);
    if (status != TAC_OK) world->failed = true;
    tac_world_take_touch_events(world);
    return status;
}

// --- asking -----------------------------------------------------------------------------------------------

// Points of one patch after the other, as one touch knows them; n were there before.
static size_t loose_points(const TacTouch *touch, TacContactPoint *points, size_t most, size_t n) {
    const TacPatches *now = &touch->now;
    for (size_t i = 0; i < now->count; i++) {
        const TacPatch *patch = &now->patches[i];
        TacTouchPoint own;
        if (!tac_touch_tells_of(touch, patch)) continue;
        const TacTouchPoint *of_patch = tac_patch_points(now, patch, &own);
        for (uint32_t k = 0; k < patch->count; k++) {
            const TacTouchPoint *p = &of_patch[k];
            if (!(p->push > 0)) continue;
            if (n < most)
                points[n] = (TacContactPoint){p->at, tac_scale(patch->normal, -1), -p->depth, p->push};
            n++;
        }
    }
    return n;
}

// Contacts of skins; those of two that move are known to both, and told by the first.
static size_t skin_points(const TacWorldTouch *touch, TacContactPoint *points, size_t most, size_t n) {
    for (size_t i = 0; i < touch->skin_count; i++)
        for (size_t k = 0; k < touch->skins[i].count; k++) {
            const TacSkinContact *c = &touch->skins[i].contacts[k];
            if (!(c->push > 0) || (touch->skins[c->other].moves && c->other < i)) continue;
            if (n < most) points[n] = (TacContactPoint){c->at, c->normal, -c->depth, c->push};
            n++;
        }
    return n;
}

static size_t all_points(const TacWorld *world, TacContactPoint *points, size_t most) {
    const TacWorldLoose *loose = world->loose;
    size_t n = loose ? 0 : loose_points(&world->touch->touch, points, most, 0);
    for (size_t i = 0; loose && i < loose->count; i++)
        if (loose->bodies[i].model_count) n = loose_points(&loose->bodies[i].view, points, most, n);
    return skin_points(world->touch, points, most, n);
}

size_t tac_world_contact_points(TacWorld *world, TacContactPoint *points, size_t most) {
    if (world->touch) return all_points(world, points, most);
    if (!world->safe) return 0;
    TacSafePlace *places = calloc(most + 1, sizeof *places);
    if (!places) return 0;
    size_t n = tac_safe_places(world->safe, world->now, places, most);
    for (size_t i = 0; i < n && i < most; i++)
        points[i] = (TacContactPoint){tac_load3(places[i].place), tac_load3(places[i].normal), places[i].gap,
                                      places[i].force};
    free(places);
    return n;
}

size_t tac_world_contact_count(const TacWorld *world) {
    if (world->safe) return tac_safe_places(world->safe, world->now, NULL, 0);
    return world->touch ? all_points(world, NULL, 0) : 0;
}

// --- the table of materials -------------------------------------------------------------------------------

static bool has_models(const TacWorld *world, bool without_material) {
    for (size_t i = 0; i < world->component_count; i++) {
        const TacComponent *c = world->components[i];
        if (c->cls->kind != TAC_KIND_COLLISION) continue;
        if (!without_material || !((const TacCollision *)c)->material) return true;
    }
    return false;
}

// The i-th material in use; the default one first. False: there are fewer.
static bool material_at(const TacWorld *world, size_t i, const TacContactMaterial **material) {
    *material = NULL;
    if (has_models(world, true)) {
        if (i == 0) return true;
        i--;
    }
    if (i >= world->materials.material_count) return false;
    *material = world->materials.materials[i];
    return true;
}

static TacContactRow row_of(const TacWorld *world, const char *first, const char *second,
                            TacContactNumbers numbers) {
    static const char *const rules[] = {[TAC_COMBINE_GEOMETRIC] = "geometric",
                                        [TAC_COMBINE_AVERAGE] = "average",
                                        [TAC_COMBINE_LEAST] = "least",
                                        [TAC_COMBINE_MOST] = "most"};
    const TacContactSetting *setting = world->materials.setting;
    if (world->safe && !(numbers.thickness > 0)) numbers.thickness = setting ? setting->thickness : 0.001;
    return (TacContactRow){.first = first,
                           .second = second,
                           .combine = rules[setting ? setting->combine : TAC_COMBINE_GEOMETRIC],
                           .friction = numbers.friction,
                           .restitution = numbers.restitution,
                           .stiffness = numbers.stiffness,
                           .damping = numbers.damping,
                           .thickness = numbers.thickness,
                           .excluded = numbers.excluded};
}

// Of the i-th ContactPair of two models.
static bool models_row(const TacWorld *world, size_t row, TacContactRow *out) {
    const TacMaterials *materials = &world->materials;
    for (size_t i = 0; i < materials->pair_count; i++) {
        const TacContactPair *pair = materials->pairs[i];
        if (!pair->first_model || row-- > 0) continue;
        const TacCollision *a = (const TacCollision *)pair->first_model,
                           *b = (const TacCollision *)pair->second_model;
        TacContactNumbers n = tac_materials_between(materials, &a->base, a->material, &b->base, b->material);
        n.excluded = n.excluded || !tac_collision_may_touch(a, b);
        *out = row_of(world, a->base.path, b->base.path, n);
        return true;
    }
    return false;
}

bool tac_world_contact_row(const TacWorld *world, size_t row, TacContactRow *out) {
    if (!has_models(world, false)) return false;
    size_t n = world->materials.material_count + (has_models(world, true) ? 1 : 0), first = 0;
    while (first < n && row >= n - first) row -= n - first++;
    const TacContactMaterial *a, *b;
    if (first >= n) return models_row(world, row, out);
    if (!material_at(world, first, &a) || !material_at(world, first + row, &b)) return false;
    *out = row_of(world, a ? a->base.path : "", b ? b->base.path : "",
                  tac_materials_combine(&world->materials, a, b));
    return true;
}

bool tac_world_contact_model(const TacWorld *world, size_t model, TacContactModel *out) {
    for (size_t i = 0; i < world->component_count; i++) {
        const TacComponent *c = world->components[i];
        if (c->cls->kind != TAC_KIND_COLLISION || model-- > 0) continue;
        const TacCollision *m = (const TacCollision *)c;
        *out = (TacContactModel){.path = c->path,
                                 .material = m->material ? m->material->base.path : "",
                                 .group = (int)m->group,
                                 .mask = m->mask,
                                 .self = m->self};
        return true;
    }
    return false;
}
