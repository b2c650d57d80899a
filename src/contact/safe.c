// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Safe contact: making it, going through one instant, saving and restoring. See safe.h.

#define _GNU_SOURCE
#include "base/wall_clock.h"
#include "contact/layer_room.h"
#include "contact/safe_parts.h"

double tac_safe_wall(void) {
    return tac_wall_seconds();
}

void tac_safe_spend(double *row, double *since) {
    double now = tac_safe_wall();
    *row += now - *since;
    *since = now;
}

// --- making -----------------------------------------------------------------------------------------------

static bool take_movers(TacSafe *safe, const TacSafeDef *def) {
    bool any = false;
    for (size_t i = 0; i < def->support_count; i++) any = any || def->supports[i].mover;
    if (!any) return true;
    safe->movers = tac_arena_array(&safe->arena, def->support_count, sizeof *safe->movers);
    for (size_t i = 0; safe->movers && i < def->support_count; i++) safe->movers[i] = def->supports[i].mover;
    return safe->movers;
}

// Mostly its mass is the same along all axes that are free.
static bool take_kind(TacSafe *safe, uint32_t support, const TacSafeSupport *from) {
    const TacMatter *m = from->matter;
    TacSupportKind kind = {.matter = m,
                           .x = m->vectors[TAC_X],
                           .v = m->vectors[TAC_V],
                           .dv = m->vectors[TAC_DV],
                           .times = m->times,
                           .x_size = (uint8_t)m->position_size,
                           .v_size = (uint8_t)m->velocity_size,
                           .inertia = from->inertia,
                           .weight = from->weight};
    bool even = true;
    for (int k = 0; k < 3; k++)
        even = even && (from->inverse_mass[k] == 0 || from->inverse_mass[k] == from->bound);
    for (int k = 0; k < 3; k++)
        kind.axes[k] = even ? (from->inverse_mass[k] > 0 ? 1 : 0) : from->inverse_mass[k];
    kind.bound = even ? 0 : from->bound;
    tac_store3(kind.g, tac_matter_fall(from->matter, from->index));
    safe->supports[support].w = even ? from->bound : 1;
    return tac_safe_set_kind(safe, support, &kind);
}

static bool take_supports(TacSafe *safe, const TacSafeDef *def) {
    safe->supports = tac_arena_array(&safe->arena, def->support_count + 1, sizeof *safe->supports);
    safe->watches = tac_arena_array(&safe->arena, def->support_count + 1, sizeof *safe->watches);
    safe->most_speeds = tac_arena_array(&safe->arena, def->support_count + 1, sizeof *safe->most_speeds);
    if (!safe->supports || !safe->watches || !safe->most_speeds) return false;
    safe->support_count = def->support_count;
    for (size_t i = 0; i < def->support_count; i++) {
        const TacSafeSupport *from = &def->supports[i];
        safe->supports[i] = (TacSupport){.index = from->index,
                                         .regular = (int8_t)from->regular,
                                         .frame = from->matter->kind == TAC_RIGID3};
        if (!take_kind(safe, (uint32_t)i, from)) return false;
    }
    return take_movers(safe, def);
}

static double bound_of(const TacSafe *safe, uint32_t vertex) {
    const TacVertex *v = &safe->vertices[vertex];
    double sum = 0;
    for (uint32_t i = 0; i < v->count; i++) {
        TacSafeCarrier c = tac_safe_carrier(safe, v, i);
        const TacSupport *s = &safe->supports[c.support];
        sum += c.weight * c.weight * tac_support_bound(s);
        if (!v->frame || !s->kind->inertia || tac_support_bound(s) == 0) continue;
        const double *m = s->kind->inertia->moments;
        sum += tac_dot(safe->locals[vertex], safe->locals[vertex]) / fmin(m[0], fmin(m[1], m[2]));
    }
    return sum;
}

static bool take_locals(TacSafe *safe, const TacSafeDef *def) {
    bool frames = false;
    for (size_t i = 0; i < safe->support_count; i++) frames = frames || safe->supports[i].frame;
    if (!frames) return true;
    safe->locals = tac_arena_array(&safe->arena, def->vertex_count + 1, sizeof *safe->locals);
    safe->seats = tac_arena_array(&safe->arena, def->vertex_count + 1, sizeof *safe->seats);
    for (size_t i = 0; safe->locals && i < def->vertex_count; i++) safe->locals[i] = def->vertices[i].local;
    return safe->locals && safe->seats;
}

// A vertex that is a point itself has its support alone.
static bool is_support(const TacSafe *safe, const TacSafeDef *def, const TacSafeVertex *v) {
    const TacSafeCarrier *c = &def->carriers[v->first];
    return v->count == 1 && c->weight == 1 && !safe->supports[c->support].frame;
}

static void take_carriers(TacSafe *safe, const TacSafeDef *def) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < def->vertex_count; i++) {
        const TacSafeVertex *from = &def->vertices[i];
        const TacSafeCarrier *c = &def->carriers[from->first];
        TacVertex *v = &safe->vertices[i];
        *v = (TacVertex){.first = at, .count = from->count, .support = TAC_SAFE_NONE};
        v->frame = safe->supports[c->support].frame;
        if (is_support(safe, def, from))
            v->support = c->support;
        else
            for (uint32_t k = 0; k < from->count; k++) safe->carriers[at++] = c[k];
    }
}

// Mostly those of the supports, which are known already.
static bool take_rests(TacSafe *safe, const TacSafeDef *def) {
    bool same = true;
    for (uint32_t i = 0; same && i < def->vertex_count; i++)
        same = safe->vertices[i].support != TAC_SAFE_NONE && tac_safe_rest(safe, i) == def->vertices[i].rest;
    if (same) return true;
    const double **rests = tac_arena_array(&safe->arena, def->vertex_count, sizeof *rests);
    for (size_t i = 0; rests && i < def->vertex_count; i++) rests[i] = def->vertices[i].rest;
    safe->rests = rests;
    return rests;
}

static bool take_vertices(TacSafe *safe, const TacSafeDef *def) {
    size_t carriers = 0, carried = 0, n = def->vertex_count;
    for (size_t i = 0; i < n; i++) {
        carried += def->vertices[i].count;
        carriers += is_support(safe, def, &def->vertices[i]) ? 0 : def->vertices[i].count;
    }
    safe->vertex_count = n;
    safe->vertices = tac_arena_array(&safe->arena, n + 1, sizeof *safe->vertices);
    safe->lore = tac_arena_array(&safe->arena, n + 1, sizeof *safe->lore);
    safe->plans = tac_arena_array(&safe->arena, n + 1, sizeof *safe->plans);
    safe->courses = tac_arena_array(&safe->arena, n + 1, sizeof *safe->courses);
    safe->swept = tac_arena_array(&safe->arena, n + 1, sizeof *safe->swept);
    safe->paces = tac_arena_array(&safe->arena, n + 1, sizeof *safe->paces);
    safe->first_resting = tac_arena_array(&safe->arena, n + 2, sizeof *safe->first_resting);
    safe->carriers = calloc(carriers + 1, sizeof *safe->carriers);
    safe->carried = calloc(carried + 1, sizeof *safe->carried);
    if (!safe->vertices || !safe->lore || !safe->plans || !safe->courses || !safe->swept || !safe->paces ||
        !safe->first_resting || !safe->carriers || !safe->carried)
        return false;
    take_carriers(safe, def);
    if (!take_locals(safe, def) || !take_rests(safe, def)) return false;
    for (uint32_t i = 0; i < n; i++) {
        TacVertex *v = &safe->vertices[i];
        safe->lore[i] = (TacVertexLore){.trend = {.span = -1}};
        v->bound = bound_of(safe, i);
        for (uint32_t j = 0; j < v->count; j++)
            safe->supports[tac_safe_carrier(safe, v, j).support].vertex_count++;
    }
    // the vertices of each support
    uint32_t at = 0;
    for (size_t i = 0; i < safe->support_count; i++) {
        safe->supports[i].first_vertex = at;
        at += safe->supports[i].vertex_count;
        safe->supports[i].vertex_count = 0;
    }
    for (size_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < safe->vertices[i].count; j++) {
            TacSupport *s = &safe->supports[tac_safe_carrier(safe, &safe->vertices[i], j).support];
            safe->carried[s->first_vertex + s->vertex_count++] = (uint32_t)i;
        }
    return true;
}

// Solid is never less than was asked for.
static float at_least(double radius) {
    float f = (float)radius;
    return (double)f < radius ? nextafterf(f, INFINITY) : f;
}

static TacPrimitive make_primitive(const TacSafe *safe, uint32_t skin, TacPrimitiveKind kind, size_t number,
                                   const int32_t *corners) {
    const TacSafeSkin *s = &safe->skins[skin];
    TacPrimitive p = {.skin = skin & ((1u << TAC_SAFE_SKIN_BITS) - 1),
                      .first_pair = {TAC_SAFE_NONE, TAC_SAFE_NONE},
                      .kind = (unsigned)kind & 3u};
    for (int i = 0; i <= (int)kind; i++) {
        p.v[i] = s->first_vertex + (corners ? (uint32_t)corners[i] : (uint32_t)number);
        p.movable = p.movable || safe->vertices[p.v[i]].bound > 0;
    }
    return p;
}

static bool take_primitives(TacSafe *safe) {
    size_t points = 0, edges = 0, faces = 0;
    bool own = false;
    for (size_t s = 0; s < safe->skin_count; s++) {
        own = own || safe->skins[s].radii;
        points += safe->skins[s].vertex_count;
        edges += safe->skins[s].edge_count;
        faces += safe->skins[s].face_count;
    }
    safe->primitive_count = points + edges + faces;
    safe->point_count = points;
    safe->edge_count = edges;
    safe->primitives = tac_arena_array(&safe->arena, safe->primitive_count + 1, sizeof *safe->primitives);
    safe->around = tac_arena_array(&safe->arena, points + 2 * edges + 3 * faces + 1, sizeof *safe->around);
    safe->skin_radii = tac_arena_array(&safe->arena, safe->skin_count + 1, sizeof *safe->skin_radii);
    if (own) safe->radii = tac_arena_array(&safe->arena, points, sizeof *safe->radii);
    if (!safe->primitives || !safe->around || !safe->skin_radii || (own && !safe->radii)) return false;
    size_t p = 0, e = points, f = points + edges;
    for (uint32_t s = 0; s < safe->skin_count; s++) {
        const TacSafeSkin *skin = &safe->skins[s];
        safe->skin_radii[s] = at_least(skin->radius);
        for (size_t i = 0; i < skin->vertex_count; i++) {
            safe->primitives[p] = make_primitive(safe, s, TAC_PRIMITIVE_POINT, i, NULL);
            safe->primitives[p].ball = skin->balls;
            safe->balls = safe->balls || skin->balls;
            if (safe->radii) safe->radii[p] = at_least(skin->radii ? skin->radii[i] : skin->radius);
            p++;
        }
        for (size_t i = 0; i < skin->edge_count; i++) {
            safe->primitives[e] = make_primitive(safe, s, TAC_PRIMITIVE_EDGE, i, skin->edges + 2 * i);
            safe->primitives[e++].bare = !skin->bare || skin->bare[i];
        }
        for (size_t i = 0; i < skin->face_count; i++)
            safe->primitives[f++] = make_primitive(safe, s, TAC_PRIMITIVE_FACE, i, skin->faces + 3 * i);
    }
    for (size_t s = 0; s < safe->skin_count; s++) {
        safe->skins[s].edges = NULL;
        safe->skins[s].bare = NULL;
    }
    // the primitives around each vertex
    for (size_t i = 0; i < safe->primitive_count; i++)
        for (int k = 0; k <= safe->primitives[i].kind; k++)
            safe->lore[safe->primitives[i].v[k]].primitive_count++;
    uint32_t at = 0;
    for (size_t i = 0; i < safe->vertex_count; i++) {
        safe->lore[i].first_primitive = at;
        at += safe->lore[i].primitive_count;
        safe->lore[i].primitive_count = 0;
    }
    for (size_t i = 0; i < safe->primitive_count; i++)
        for (int k = 0; k <= safe->primitives[i].kind; k++) {
            TacVertexLore *v = &safe->lore[safe->primitives[i].v[k]];
            safe->around[v->first_primitive + v->primitive_count++] = (uint32_t)i;
        }
    return true;
}

// Typical lengths: the mean of the edges around a vertex.
static bool measure_scales(TacSafe *safe) {
    double *sums = calloc(2 * safe->vertex_count + 1, sizeof *sums);
    if (!sums) return false;
    for (uint32_t i = 0; i < safe->primitive_count; i++) {
        const TacPrimitive *p = &safe->primitives[i];
        int corners = p->kind + 1;
        float radius = (float)tac_safe_radius(safe, i);
        for (int k = 0; k < corners; k++)
            safe->lore[p->v[k]].thick = fmaxf(safe->lore[p->v[k]].thick, radius);
        for (int k = 0; corners > 1 && k < corners; k++) {
            double a[3], b[3];
            uint32_t v = p->v[k], w = p->v[(k + 1) % corners];
            tac_safe_place(
                safe, v,
                *tac_support_time(&safe->supports[tac_safe_carrier(safe, &safe->vertices[v], 0).support]), a);
            tac_safe_place(
                safe, w,
                *tac_support_time(&safe->supports[tac_safe_carrier(safe, &safe->vertices[w], 0).support]), b);
            double length = tac_norm(tac_sub(tac_load3(a), tac_load3(b)));
            sums[2 * v] += length;
            sums[2 * v + 1] += 1;
        }
    }
    for (uint32_t i = 0; i < safe->vertex_count; i++) {
        double radius = tac_safe_radius(safe, i); // vertex i is primitive i
        double mean = sums[2 * i + 1] > 0 ? sums[2 * i] / sums[2 * i + 1] : 2 * radius;
        safe->lore[i].scale = (float)fmax(mean, safe->most_eta);
        safe->swept[i].wanted = (float)(0.02 * safe->most_eta);
        safe->courses[i].wanted = (float)(0.1 * safe->most_eta);
        safe->paces[i].wanted = (float)(0.05 * safe->most_speed);
    }
    free(sums);
    return true;
}

// Points have boxes; edges and faces are hulls of theirs.
static TacStatus make_trees(TacSafe *safe, TacError *error) {
    size_t edges = safe->edge_count, faces = safe->primitive_count - safe->point_count - edges;
    TacMovingTree *points = &safe->trees[TAC_PRIMITIVE_POINT];
    TAC_TRY(tac_moving_tree_create(points, safe->def.k, safe->point_count, error));
    if (safe->locals) {
        safe->bodies = tac_arena_array(&safe->arena, safe->vertex_count, sizeof *safe->bodies);
        if (!safe->bodies) return tac_fail_memory(error, 0);
        tac_safe_bodies(safe, safe->bodies);
        points->kin = safe->bodies;
    }
    const size_t stride = sizeof(TacPrimitive) / sizeof(uint32_t);
    const TacPrimitive *edge = safe->primitives + safe->point_count, *face = edge + edges;
    TAC_TRY(tac_moving_tree_create_hulls(&safe->trees[TAC_PRIMITIVE_EDGE], points, 2, edge->v, stride, edges,
                                         error));
    return tac_moving_tree_create_hulls(&safe->trees[TAC_PRIMITIVE_FACE], points, 3, face->v, stride, faces,
                                        error);
}

static TacStatus create(TacSafe *safe, const TacSafeDef *def, TacError *error) {
    safe->base = def->base;
    safe->team = def->team;
    safe->def = *def;
    safe->free_pair = TAC_SAFE_NONE;
    safe->stats.deepest = TAC_RULER_CLASSES;
    safe->stats.closest = INFINITY;
    safe->skin_count = def->skin_count;
    if (def->skin_count >> TAC_SAFE_SKIN_BITS)
        return tac_fail(error, TAC_BAD_INPUT, "%zu skins are too many for safe contact", def->skin_count);
    safe->skins = tac_arena_array(&safe->arena, def->skin_count + 1, sizeof *safe->skins);
    if (!safe->skins) return tac_fail_memory(error, 0);
    if (def->skin_count) memcpy(safe->skins, def->skins, def->skin_count * sizeof *safe->skins);
    TAC_TRY(tac_safe_take_types(safe, def, error));
    if (!take_supports(safe, def) || !tac_safe_take_flights(safe) || !take_vertices(safe, def) ||
        !take_primitives(safe) || !measure_scales(safe) || !tac_safe_find_flat(safe, &(bool){false}) ||
        !tac_safe_find_peers(safe) || !tac_safe_take_hubs(safe) || !tac_safe_take_hastes(safe))
        return tac_fail_memory(error, 0);
    tac_safe_find_round(safe);
    tac_safe_find_directions(safe);
    tac_safe_limit_speeds(safe);
    tac_safe_measure_bodies(safe);
    tac_safe_share_falls(safe);
    TAC_TRY(make_trees(safe, error));
    tac_safe_set_windows(safe);
    return def->front && def->cull ? tac_safe_front_create(safe, error) : TAC_OK;
}

TacStatus tac_safe_create(TacSafe **result, const TacSafeDef *def, TacError *error) {
    TacSafe *safe = calloc(1, sizeof *safe);
    *result = safe;
    if (!safe) return tac_fail_memory(error, sizeof *safe);
    TacStatus status = create(safe, def, error);
    if (status != TAC_OK) {
        tac_safe_destroy(safe);
        *result = NULL;
    }
    return status;
}

void tac_safe_destroy(TacSafe *safe) {
    if (!safe) return;
    tac_safe_audit_end(safe);
    tac_safe_free_reshaped(safe);
    TacSafeList *lists[] = {&safe->touched,     &safe->dirty_vertices, &safe->dirty_primitives,
                            &safe->dirty_pairs, &safe->free_lives,     &safe->fresh,
                            &safe->free_deep,   &safe->free_arms};
    void *blocks[] = {safe->carriers, safe->carried,    safe->pairs,   safe->certificates, safe->failed,
                      safe->resting,  safe->table,      safe->lives,   safe->grips,        safe->born,
                      safe->kicks,    safe->members,    safe->order,   safe->verdicts,     safe->settled,
                      safe->kicked,   safe->deep_grips, safe->reaches, safe->arms_of,      safe->arms};
    for (size_t i = 0; i < TAC_COUNT(lists); i++) free(lists[i]->items);
    for (size_t i = 0; i < TAC_COUNT(safe->pushed); i++) free(safe->pushed[i].items);
    for (size_t i = 0; i < TAC_COUNT(blocks); i++) free(blocks[i]);
    for (int k = 0; k < 3; k++) tac_moving_tree_destroy(&safe->trees[k]);
    for (size_t i = 0; i < TAC_COUNT(safe->finds); i++) {
        free(safe->finds[i].keys);
        free(safe->finds[i].hits.ids);
    }
    tac_layer_rooms_free(safe->rooms);
    tac_safe_front_destroy(safe->front);
    tac_ruler_destroy(&safe->ruler);
    tac_wheel_destroy(&safe->vertex_wheel);
    tac_wheel_destroy(&safe->pair_wheel);
    tac_arena_destroy(&safe->arena);
    free(safe);
}

// --- putting right what is in doubt -----------------------------------------------------------------------

static bool is_doubtful(TacSafe *safe, const TacPair *pair, unsigned what) {
    TacLevel level = tac_safe_level(safe, pair);
    if (level != TAC_LEVEL_PLAN && level != TAC_LEVEL_COURSE) return what & TAC_MARK_PLANS;
    if (!(what & (level == TAC_LEVEL_PLAN ? TAC_MARK_PLANS : TAC_MARK_COURSES))) return false;
    safe->stats.certificates_rescheduled++;
    return !tac_safe_stays_apart(safe, &safe->certificates[pair->certificate], level);
}

// The pairs of one list of a primitive.
static void mark_list(TacSafe *safe, uint32_t first, unsigned what) {
    for (uint32_t link = first; link != TAC_SAFE_NONE;) {
        const TacPair *pair = &safe->pairs[link / 2];
        if (!pair->dirty && (pair->armed >= 0 || is_doubtful(safe, pair, what)))
            tac_safe_mark_pair(safe, link / 2);
        link = pair->next[link % 2];
    }
}

void tac_safe_mark_around(TacSafe *safe, uint32_t vertex, unsigned what) {
    const TacVertexLore *v = &safe->lore[vertex];
    for (uint32_t i = 0; i < v->primitive_count; i++) {
        const TacPrimitive *p = &safe->primitives[safe->around[v->first_primitive + i]];
        if (what & TAC_MARK_ARMED) mark_list(safe, p->first_pair[1], what);
        if (what & (TAC_MARK_PLANS | TAC_MARK_COURSES)) mark_list(safe, p->first_pair[0], what);
    }
}

// Until it is looked at next, what a pair may come nearer than was promised is taken off its margin.
void tac_safe_hurry_around(TacSafe *safe, uint32_t vertex, double faster, TacTick now) {
    const TacVertexLore *v = &safe->lore[vertex];
    if (!(faster > 0)) return;
    for (uint32_t i = 0; i < v->primitive_count; i++) {
        const TacPrimitive *p = &safe->primitives[safe->around[v->first_primitive + i]];
        for (uint32_t link = p->first_pair[1]; link != TAC_SAFE_NONE;) {
            TacPair *pair = &safe->pairs[link / 2];
            TacTick period = (TacTick)1 << tac_ruler_class_of(&safe->ruler, link / 2);
            pair->margin -= (float)(faster * tac_safe_seconds(safe, period - (now & (period - 1))));
            if (!(pair->margin > 0)) tac_safe_mark_pair(safe, link / 2);
            link = pair->next[link % 2];
        }
    }
}

void tac_safe_mark_resting(TacSafe *safe, uint32_t vertex) {
    if (safe->vertices[vertex].late) {
        tac_safe_mark_around(safe, vertex, TAC_MARK_PLANS);
        return;
    }
    for (uint32_t i = safe->first_resting[vertex]; i < safe->first_resting[vertex + 1]; i++) {
        uint32_t pair = safe->resting[i];
        const TacPair *p = &safe->pairs[pair];
        bool there = p->a != TAC_SAFE_NONE && !p->dirty && p->armed < 0;
        if (there && is_doubtful(safe, p, TAC_MARK_PLANS)) tac_safe_mark_pair(safe, pair);
    }
}

// A plan that was broken before the next sweep.
static void mend(TacSafe *safe, uint32_t vertex, TacTick now) {
    TacVertex *v = &safe->vertices[vertex];
    tac_safe_make_plan(safe, vertex, now, true);
    tac_safe_file_plan(safe, vertex, now);
    safe->broken += !v->broken; // whoever breaks one over and over would in any window
    v->broken = true;
    v->dirty = false;
    safe->stats.plans++;
}

// What rests on plans that are new; when all of them are, so that nothing is asked about one that is not yet.
static void ask_resting(TacSafe *safe, uint32_t vertex, TacTick now) {
    if (tac_safe_on_course(safe, vertex, now)) {
        tac_safe_mark_resting(safe, vertex);
    } else {
        tac_safe_stray(safe, vertex, now);
        tac_safe_mark_around(safe, vertex, TAC_MARK_PLANS | TAC_MARK_COURSES);
    }
}

// Pairs that are judged before any of their verdicts is applied: enough for all threads, and little memory.
enum { AT_ONCE = 1024 };

typedef struct Judge {
    TacSafe *safe;
    TacTick now;
    size_t from;
} Judge;

static void judge_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Judge *judge = data;
    TacSafe *safe = judge->safe;
    for (size_t i = begin; i < end; i++)
        tac_safe_verdict(safe, safe->dirty_pairs.items[judge->from + i], judge->now, &safe->verdicts[i]);
}

static TacStatus certify(TacSafe *safe, TacTick now, TacError *error) {
    TacSafeList *dirty = &safe->dirty_pairs;
    for (size_t i = 0; i < dirty->count; i++)
        TAC_TRY(tac_safe_follow_nest(safe, dirty->items[i], now, error));
    TacStatus status = TAC_OK;
    size_t most = dirty->count < AT_ONCE ? dirty->count : AT_ONCE;
    if (!tac_grow_bare(&safe->verdicts, &safe->verdict_capacity, most, sizeof *safe->verdicts))
        return tac_fail_memory(error, 0);
    for (size_t from = 0; from < dirty->count && status == TAC_OK; from += AT_ONCE) {
        size_t count = dirty->count - from < AT_ONCE ? dirty->count - from : AT_ONCE;
        Judge judge = {safe, now, from};
        tac_team_run(safe->team, count, tac_team_grain(safe->team, count, 16), judge_chunk, &judge);
        for (size_t i = 0; i < count && status == TAC_OK; i++)
            status = tac_safe_apply_verdict(safe, dirty->items[from + i], &safe->verdicts[i], now, error);
    }
    dirty->count = 0;
    return status;
}

TacStatus tac_safe_put_right(TacSafe *safe, TacTick now, TacError *error) {
    TacSafeList *broken = &safe->dirty_vertices;
    TacSafeStats *stats = &safe->stats;
    while (broken->count || safe->dirty_pairs.count || tac_safe_front_waits(safe)) {
        double time = tac_safe_wall();
        if (broken->count) {
            for (size_t i = 0; i < broken->count; i++) mend(safe, broken->items[i], now);
            tac_safe_spend(&stats->planning, &time);
            for (size_t i = 0; i < broken->count; i++) ask_resting(safe, broken->items[i], now);
            broken->count = 0;
            tac_safe_spend(&stats->certificates_rescheduling, &time);
        }
        if (safe->dirty_primitives.count || tac_safe_front_waits(safe))
            TAC_TRY(tac_safe_update_boxes(safe, false, &time, now, error));
        TAC_TRY(certify(safe, now, error));
        tac_safe_spend(&stats->certificates_processing, &time);
        if (safe->out_of_memory) return tac_fail_memory(error, 0);
    }
    return TAC_OK;
}

static void forget_all(TacSafe *safe) {
    for (uint32_t i = 0; i < safe->pair_used; i++)
        if (safe->pairs[i].a != TAC_SAFE_NONE) tac_safe_remove_pair(safe, i);
    for (uint32_t i = 0; i < safe->vertex_count; i++) {
        tac_wheel_cancel(&safe->vertex_wheel, i);
        safe->vertices[i].dirty = false;
        safe->lore[i].trend.span = -1;
        safe->vertices[i].kicks_of_plan = 0;
    }
    for (uint32_t i = 0; i < safe->frame_count; i++) {
        tac_wheel_cancel(&safe->vertex_wheel, (uint32_t)safe->vertex_count + i);
        safe->body_plans[i].marked = -1;
        safe->body_plans[i].kicks = 0;
    }
    for (size_t i = 0; i < safe->primitive_count; i++) safe->primitives[i].dirty = false;
    memset(safe->dirty_kinds, 0, sizeof safe->dirty_kinds);
    for (size_t i = 0; i < safe->support_count; i++) safe->supports[i].touched = false;
    safe->dirty_vertices.count = safe->dirty_pairs.count = safe->dirty_primitives.count = 0;
    safe->touched.count = safe->kicked_count = safe->free_lives.count = safe->live_count = 0;
    safe->free_deep.count = safe->deep_count = 0;
    safe->free_arms.count = safe->arm_count = 0;
    tac_safe_front_forget(safe);
    // wheels may be ahead of the time that is gone back to
    safe->vertex_wheel.from = safe->pair_wheel.from = 0;
}

// Nothing is known of what was before.
static TacStatus begin(TacSafe *safe, TacTick now, bool births, TacError *error) {
    TAC_TRY(tac_wheel_advance(&safe->vertex_wheel, now, &(const uint32_t *){NULL}, &(size_t){0}, error));
    TAC_TRY(tac_wheel_advance(&safe->pair_wheel, now, &(const uint32_t *){NULL}, &(size_t){0}, error));
    for (uint32_t i = 0; i < safe->support_count; i++) tac_safe_forget_flight(safe, i);
    safe->starting = true;
    safe->births = births;
    TacStatus status = tac_safe_sweep(safe, now, error);
    safe->starting = safe->births = false;
    TAC_TRY(status);
    if (births) tac_safe_start_nests(safe, now);
    TAC_TRY(tac_safe_put_right(safe, now, error));
    tac_safe_trim_lists(safe);
    return tac_safe_list_resting(safe, error);
}

TacStatus tac_safe_start(TacSafe *safe, TacTick now, TacError *error) {
    for (uint32_t i = 0; i < safe->support_count; i++)
        if (tac_safe_is_fast(safe, i)) return tac_safe_fail_fast(safe, i, now, error);
    safe->near = (TacStartReport){.largest = INFINITY};
    return begin(safe, now, true, error);
}

// --- one instant ------------------------------------------------------------------------------------------

TacTick tac_safe_next(const TacSafe *safe, TacTick from, TacTick limit) {
    TacTick next = tac_ruler_next(&safe->ruler, from - 1);
    TacTick sweep = tac_safe_sweep_tick(safe);
    if (next > sweep) next = sweep;
    if (next > limit) next = limit;
    next = tac_safe_front_next(safe, next);
    return tac_wheel_next(&safe->pair_wheel, tac_wheel_next(&safe->vertex_wheel, next));
}

// Everything is planned anew.
static TacStatus sweep_all(TacSafe *safe, TacTick now, TacError *error) {
    TAC_TRY(tac_wheel_advance(&safe->vertex_wheel, now, &(const uint32_t *){NULL}, &(size_t){0}, error));
    TAC_TRY(tac_wheel_advance(&safe->pair_wheel, now, &(const uint32_t *){NULL}, &(size_t){0}, error));
    TAC_TRY(tac_safe_sweep(safe, now, error));
    TAC_TRY(tac_safe_put_right(safe, now, error));
    double time = tac_safe_wall();
    TacStatus status = tac_safe_list_resting(safe, error);
    tac_safe_spend(&safe->stats.checking, &time);
    return status;
}

TacStatus tac_safe_renew_falls(TacSafe *safe, TacTick now, TacError *error) {
    uint32_t i = 0;
    while (i < safe->support_count && !tac_safe_falls_anew(&safe->supports[i])) i++;
    if (i == safe->support_count) return TAC_OK;
    if (!safe->uneven) { // what bends the same way for all was left out of what plans promise
        safe->uneven = true;
        TAC_TRY(sweep_all(safe, now, error));
    }
    for (; i < safe->support_count; i++) {
        if (!tac_safe_falls_anew(&safe->supports[i])) continue;
        tac_safe_take_fall(safe, i);
        TAC_TRY(tac_safe_moved(safe, i, 1, now, error));
    }
    tac_safe_share_falls(safe);
    return TAC_OK;
}

TacStatus tac_safe_expire(TacSafe *safe, TacTick now, TacError *error) {
    const uint32_t *ids;
    size_t count;
    bool front = tac_safe_front_next(safe, now + 1) <= now;
    if (front) TAC_TRY(tac_safe_front_expire(safe, now, error));
    if (now >= tac_safe_sweep_tick(safe)) return sweep_all(safe, now, error);
    if (!front && tac_wheel_next(&safe->pair_wheel, tac_wheel_next(&safe->vertex_wheel, now + 1)) > now)
        return TAC_OK;
    double time = tac_safe_wall();
    TAC_TRY(tac_wheel_advance(&safe->vertex_wheel, now, &ids, &count, error));
    safe->stats.expired += count;
    safe->stats.checks += count;
    for (size_t i = 0; i < count; i++) {
        if (ids[i] < safe->vertex_count)
            tac_safe_check_plan(safe, ids[i], now);
        else
            tac_safe_check_body(safe, safe->first_frame + ids[i] - (uint32_t)safe->vertex_count, now);
    }
    TAC_TRY(tac_wheel_advance(&safe->pair_wheel, now, &ids, &count, error));
    safe->stats.expired += count;
    for (size_t i = 0; i < count; i++) tac_safe_mark_pair(safe, ids[i]);
    tac_safe_spend(&safe->stats.checking, &time);
    return tac_safe_put_right(safe, now, error);
}

TacStatus tac_safe_kick(TacSafe *safe, TacTick now, TacError *error) {
    double start = tac_safe_wall();
    TacStatus status = tac_safe_do_kicks(safe, now, error);
    safe->stats.kicking += tac_safe_wall() - start;
    return status;
}

TacStatus tac_safe_moved(TacSafe *safe, uint32_t first, size_t count, TacTick now, TacError *error) {
    for (size_t i = 0; i < count; i++) {
        const TacSupport *s = &safe->supports[first + i];
        tac_safe_forget_flight(safe, (uint32_t)(first + i));
        for (uint32_t k = 0; k < s->vertex_count; k++) {
            uint32_t vertex = safe->carried[s->first_vertex + k];
            safe->vertices[vertex].late = true;                 // what slept rests on nothing
            tac_safe_mark_around(safe, vertex, TAC_MARK_ARMED); // what they saw may be gone
            tac_safe_mark_dirty(safe, vertex);
        }
        if (s->frame) tac_safe_plan_body(safe, (uint32_t)(first + i), now);
    }
    return tac_safe_put_right(safe, now, error);
}

const TacMatter *tac_safe_support_matter(const TacSafe *safe, uint32_t support, uint32_t *point) {
    *point = safe->supports[support].index;
    return safe->supports[support].kind->matter;
}

// --- saving -----------------------------------------------------------------------------------------------

typedef struct SavedLive {
    uint64_t key; // of its pair
    TacLive live;
} SavedLive;
_Static_assert(sizeof(SavedLive) == 48, "no gaps");

// As it is saved, the same for all pairs: what has no room or no anchor is 0.
typedef struct SavedGrip {
    TacGrip near; // `deep` is 0
    TacDeepGrip deep;
} SavedGrip;

static size_t saved_live(const TacSafe *safe) {
    return sizeof(SavedLive) + (safe->rough ? sizeof(SavedGrip) : 0) + (safe->round ? sizeof(TacArms) : 0);
}

static bool remembers(const TacPair *p) {
    return p->a != TAC_SAFE_NONE && p->live != TAC_SAFE_NONE;
}

size_t tac_safe_save_bytes(const TacSafe *safe) {
    size_t n = 0;
    for (size_t i = 0; i < safe->pair_used; i++) n += remembers(&safe->pairs[i]);
    return sizeof(uint64_t) + n * saved_live(safe) + tac_safe_nest_bytes(safe) +
           tac_safe_reshaped_bytes(safe) + tac_safe_haste_bytes(safe);
}

static bool is_anchored(const TacSafe *safe, uint32_t live, int slot) {
    return safe->lives[live].anchored & 1u << slot;
}

static void save_live(const TacSafe *safe, const TacPair *p, char *at) {
    uint32_t i = p->live;
    SavedLive saved = {.key = tac_safe_key(p->a, p->b), .live = safe->lives[i]};
    memcpy(at, &saved, sizeof saved);
    if (!safe->rough) return;
    SavedGrip grip = {.near = safe->grips[i]};
    grip.near.deep = 0;
    if (tac_safe_is_deeply_anchored(safe, i))
        memcpy(grip.deep.near, safe->deep_grips[safe->grips[i].deep].near, sizeof grip.deep.near);
    for (int k = TAC_ANCHORS_NEAR; k < TAC_ANCHORS; k++)
        if (is_anchored(safe, i, k))
            memcpy(grip.deep.anchor[k - TAC_ANCHORS_NEAR], tac_safe_anchor(safe, i, k),
                   sizeof *grip.deep.anchor);
    memcpy(at + sizeof saved, &grip, sizeof grip);
    if (!safe->round) return;
    TacArms arms = {0};
    if (tac_safe_has_arms(safe, i)) arms = safe->arms[safe->arms_of[i]];
    memcpy(at + sizeof saved + sizeof grip, &arms, sizeof arms);
}

void tac_safe_save(const TacSafe *safe, void *to) {
    uint64_t n = 0;
    char *at = (char *)to + sizeof n;
    for (uint32_t i = 0; i < safe->pair_used; i++) {
        if (!remembers(&safe->pairs[i])) continue;
        save_live(safe, &safe->pairs[i], at);
        at += saved_live(safe);
        n++;
    }
    tac_safe_save_nests(safe, at);
    at += tac_safe_nest_bytes(safe);
    tac_safe_save_reshaped(safe, at);
    tac_safe_save_hastes(safe, at + tac_safe_reshaped_bytes(safe));
    memcpy(to, &n, sizeof n);
}

// Appends what a pair remembered.
static bool restore_live(TacSafe *safe, const TacLive *saved, uint32_t pair, const char *saved_grip) {
    if (!tac_safe_grow_lives(safe)) return false;
    uint32_t i = (uint32_t)safe->live_count++;
    safe->lives[i] = *saved;
    safe->pairs[pair].live = i;
    if (!safe->rough) return true;
    SavedGrip grip;
    memcpy(&grip, saved_grip, sizeof grip);
    safe->grips[i] = grip.near;
    safe->grips[i].deep = TAC_SAFE_NONE;
    if (!tac_safe_take_arms(safe, &safe->pairs[pair])) return false;
    if (tac_safe_has_arms(safe, i))
        memcpy(&safe->arms[safe->arms_of[i]], saved_grip + sizeof grip, sizeof *safe->arms);
    if (!tac_safe_is_deeply_anchored(safe, i)) return true;
    if (!tac_safe_take_deep(safe, i)) return false;
    safe->deep_grips[safe->grips[i].deep] = grip.deep;
    return true;
}

TacStatus tac_safe_restore(TacSafe *safe, const void *data, size_t bytes, TacTick now, TacError *error) {
    uint64_t n;
    if (bytes < sizeof n) return tac_fail(error, TAC_BAD_INPUT, "the snapshot is damaged");
    memcpy(&n, data, sizeof n);
    size_t nests = tac_safe_nest_bytes(safe), lives = sizeof n + n * saved_live(safe);
    size_t hastes = lives + nests + tac_safe_reshaped_bytes(safe);
    if (n > bytes / saved_live(safe) || bytes < hastes ||
        !tac_safe_restore_hastes(safe, (const char *)data + hastes, bytes - hastes) ||
        !tac_safe_restore_nests(safe, (const char *)data + lives))
        return tac_fail(error, TAC_BAD_INPUT, "the snapshot is damaged");
    tac_safe_restore_reshaped(safe, (const char *)data + lives + nests);
    forget_all(safe);
    if (!tac_safe_find_flat(safe, &(bool){false}) || !tac_safe_find_hubs(safe))
        return tac_fail_memory(error, 0);
    for (uint32_t i = 0; i < safe->support_count; i++) tac_safe_take_fall(safe, i);
    tac_safe_share_falls(safe);
    TAC_TRY(begin(safe, now, false, error));
    for (uint64_t i = 0; i < n; i++) {
        const char *at = (const char *)data + sizeof n + i * saved_live(safe);
        SavedLive saved;
        memcpy(&saved, at, sizeof saved);
        uint32_t pair = tac_safe_find_pair(safe, (uint32_t)(saved.key >> 32), (uint32_t)saved.key);
        if (pair == TAC_SAFE_NONE) continue;
        if (!restore_live(safe, &saved.live, pair, at + sizeof saved)) return tac_fail_memory(error, 0);
        if ((int)saved.live.mates > safe->pairs[pair].armed) tac_safe_mark_pair(safe, pair);
    }
    return tac_safe_put_right(safe, now, error); // clocks with which pairs keep up were not known before
}

// All that is known, made anew with the same memory.
static TacStatus begin_again(TacSafe *safe, TacTick now, TacError *error) {
    size_t bytes = tac_safe_save_bytes(safe);
    void *memory = malloc(bytes);
    if (!memory) return tac_fail_memory(error, bytes);
    tac_safe_save(safe, memory);
    TacStatus status = tac_safe_restore(safe, memory, bytes, now, error);
    free(memory);
    return status;
}

TacStatus tac_safe_put(TacSafe *safe, uint32_t first, size_t count, TacTick now, TacError *error) {
    bool held = false, changed = false;
    for (size_t i = 0; i < count; i++) held = held || tac_safe_never_moves(&safe->supports[first + i]);
    if (held && !tac_safe_find_flat(safe, &changed)) return tac_fail_memory(error, 0);
    return changed ? begin_again(safe, now, error) : tac_safe_moved(safe, first, count, now, error);
}
