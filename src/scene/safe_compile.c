// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Compiling safe contact: from skins, maps and masses to the flat lists that safe contact works on.
//
// Each skin becomes vertices, edges and faces. A vertex of mapped matter is followed up through the maps to
// what can be kicked: several points with weights (barycentric, identity, subset maps), or a place of one
// frame (rigid maps). All matter that is reached so keeps a time per point from then on.

#include "constraint/joint.h"
#include "contact/shape_surface.h"
#include "scene/compile.h"
#include "world/concert.h"
#include "world/momentum.h"
#include "world/stride.h"

enum { MOST_CARRIERS = 64 };

// What a skin is made of. Models that a ContactPair names, or that meet others by nodes, have a row of their own.
typedef struct Stuff {
    const TacContactMaterial *material; // NULL: the world's
    const TacComponent *model;          // NULL: any other
} Stuff;

typedef struct Lists {
    TacSafeSupport *supports;
    size_t support_count, support_capacity;
    TacSafeVertex *vertices;
    size_t vertex_count, vertex_capacity;
    TacSafeCarrier *carriers;
    size_t carrier_count, carrier_capacity;
    TacSafeSkin *skins;
    size_t skin_count, skin_capacity;
    Stuff *materials;
    size_t material_count, material_capacity;
    TacSafeContact *contacts;
    uint32_t movers;         // numbers that were given to them
    uint32_t *first_support; // by matter; TAC_NONE: none yet
} Lists;

// The long ones.
static void free_points(Lists *l) {
    free(l->supports);
    free(l->vertices);
    free(l->carriers);
    l->supports = NULL;
    l->vertices = NULL;
    l->carriers = NULL;
}

static void free_lists(Lists *l) {
    free_points(l);
    void *blocks[] = {l->skins, l->materials, l->contacts};
    for (size_t i = 0; i < TAC_COUNT(blocks); i++) free(blocks[i]);
}

// --- supports ---------------------------------------------------------------------------------------------

// One over the mass of each point of matter, by asking its mass what a unit force does.
TacStatus tac_compile_inverse_masses(const TacCompile *c, size_t index, double **result, TacError *error) {
    const TacMatter *m = c->world->matters[index];
    const TacMass *mass = c->mass_of[index];
    size_t n = tac_vector_size(m, TAC_V);
    double *unit = malloc((n + 1) * sizeof *unit), *out = calloc(n + 1, sizeof *out);
    *result = out;
    if (!unit || !out) {
        free(unit);
        free(out);
        *result = NULL;
        return tac_fail_memory(error, n * sizeof *out);
    }
    for (size_t i = 0; i < n; i++) unit[i] = i % (size_t)m->velocity_size < 3;
    TacContext context = {0, c->world->base.beat, NULL};
    if (mass) mass->base.cls->ops.mass->divide((void *)mass, &context, m->vectors[TAC_X], unit, out);
    free(unit);
    return TAC_OK;
}

static int finer_of(int a, int b) {
    return b >= 0 && b < a ? b : a;
}

// The class at which something kicks each point of matter anyway, into its supports.
static void find_regular(const TacWorld *world, const TacMatter *m, TacSafeSupport *supports) {
    for (size_t t = 0; t < world->ticker_count; t++) {
        const TacTicker *ticker = &world->tickers[t];
        const TacBatch *batch = ticker->batch;
        bool off = tac_ticker_is_free(ticker);
        if (!off && tac_ruler_class_of(&world->causal.ruler, (uint32_t)t) < 0)
            continue; // merged later, or never
        for (size_t i = 0; batch && batch->matter == m && i < batch->count; i++) {
            int *regular = &supports[batch->points[i]].regular;
            *regular = finer_of(*regular, ticker->ruler_class);
        }
        for (size_t k = 0; k < ticker->program.matter_count && !batch; k++)
            for (size_t i = 0; ticker->program.matters[k] == m && i < m->count; i++) {
                int *regular = &supports[i].regular;
                if (!off) *regular = finer_of(*regular, ticker->ruler_class);
                if (off && *regular == TAC_RULER_CLASSES) *regular = TAC_SAFE_OFF_RULER;
            }
    }
}

// Whether no law and no joint acts on matter, nor a constraint.
static bool has_weight_alone(const TacWorld *world, const TacMatter *m) {
    for (size_t t = 0; t < world->ticker_count; t++) {
        const TacTicker *ticker = &world->tickers[t];
        const TacProgram *p = &ticker->program;
        bool acts = p->law_count || p->joint_count || p->constraint_count;
        if (ticker->batch && ticker->batch->matter == m) return false;
        for (size_t k = 0; k < p->matter_count && acts && !ticker->batch; k++)
            if (p->matters[k] == m) return false;
    }
    return true;
}

bool tac_compile_adapts(const TacMass *mass) {
    const TacJointOps *own = mass ? tac_joint_ops(&mass->base) : NULL;
    return own && own->adapts && own->adapts(mass);
}

static TacStatus check_matter(const TacCompile *c, size_t index, TacError *error) {
    const TacMatter *m = c->world->matters[index];
    const TacSolver *solver = c->solver_of[index];
    const TacMass *mass = c->mass_of[index];
    if (m->kind != TAC_VEC3 && m->kind != TAC_RIGID3)
        return tac_compile_fail(c, &m->base, error, "safe contact works on points and frames in space");
    if (solver && tac_solver_moves(solver))
        return tac_compile_fail(c, &solver->base, error,
                                "%s is not kick-then-drift and cannot take part in safe contact; take "
                                "SymplecticEuler or ImplicitEuler",
                                solver->base.cls->name);
    if (mass && mass->base.cls == &tac_matrix_mass_class)
        return tac_compile_fail(
            c, &mass->base, error,
            "safe contact kicks single points and needs a mass for each: take UniformMass "
            "or DiagonalMass");
    if (c->carried[index])
        return tac_compile_fail(c, &m->base, error,
                                "safe contact needs its own mass, not one that is carried up by a map");
    return TAC_OK;
}

TacStatus tac_compile_own_times(TacCompile *c, TacMatter *m, TacError *error) {
    if (m->times) return TAC_OK;
    m->times = tac_arena_array(&c->world->arena, m->count, sizeof *m->times);
    if (!m->times) return tac_fail_memory(error, m->count * sizeof *m->times);
    return tac_compile_declare_state(c->world, m->times, m->count * sizeof *m->times, error);
}

// Which points of a matter its constraints move together: those whose every motion they forbid.
static TacStatus find_movers(const TacCompile *c, Lists *l, const TacMatter *m, TacSafeSupport *supports,
                             TacError *error) {
    size_t n = tac_vector_size(m, TAC_V), each = (size_t)m->velocity_size;
    TacContext context = {0, c->world->base.beat, NULL};
    for (size_t i = 0; i < c->count; i++) {
        TacConstraint *told = (TacConstraint *)c->instances[i].component;
        if (told->base.cls->kind != TAC_KIND_CONSTRAINT || told->matter != m || !told->as_one) continue;
        double *free_motion = malloc((n + 1) * sizeof *free_motion);
        if (!free_motion) return tac_fail_memory(error, n * sizeof *free_motion);
        for (size_t k = 0; k < n; k++) free_motion[k] = 1;
        told->base.cls->ops.constraint->project(told, &context, free_motion);
        l->movers++;
        for (size_t k = 0; k < m->count; k++) {
            const double *v = free_motion + each * k;
            if (v[0] == 0 && v[1] == 0 && v[2] == 0) supports[k].mover = l->movers;
        }
        free(free_motion);
    }
    return TAC_OK;
}

static TacStatus add_supports(TacCompile *c, Lists *l, size_t index, TacError *error) {
    TacWorld *world = c->world;
    TacMatter *m = world->matters[index];
    TAC_TRY(check_matter(c, index, error));
    const TacMass *mass = c->mass_of[index];
    double *inverse;
    TAC_TRY(tac_compile_own_times(c, m, error));
    if (!tac_grow(&l->supports, &l->support_capacity, l->support_count + m->count, sizeof *l->supports))
        return tac_fail_memory(error, m->count * sizeof *l->supports);
    TAC_TRY(tac_compile_inverse_masses(c, index, &inverse, error));
    if (tac_compile_adapts(mass)) {
        const TacJointOps *own = tac_joint_ops(&mass->base);
        m->carried = own->lines(mass);
        for (size_t i = 0; i < 3 * m->count; i++) inverse[i] = own->most_inverse(mass, i / 3);
    }
    l->first_support[index] = (uint32_t)l->support_count;
    const TacVec3 *weight = mass && has_weight_alone(world, m) ? &mass->gravity : NULL;
    for (size_t i = 0; i < m->count; i++) {
        TacSafeSupport *s = &l->supports[l->support_count++];
        *s = (TacSafeSupport){.matter = m, .index = (uint32_t)i, .regular = TAC_RULER_CLASSES};
        unsigned held = m->held ? m->held[i] : 0;
        for (int k = 0; k < 3; k++) {
            bool free_axis = !(held & TAC_HELD_WHOLLY) && !(held & (unsigned)TAC_HELD_X << k);
            s->inverse_mass[k] = free_axis ? inverse[i * (size_t)m->velocity_size + (size_t)k] : 0;
            s->bound = fmax(s->bound, s->inverse_mass[k]);
        }
        s->weight = weight;
        if (m->kind == TAC_RIGID3 && mass && s->bound > 0) s->inertia = tac_mass_inertia(mass, i);
    }
    free(inverse);
    find_regular(world, m, l->supports + l->first_support[index]);
    return find_movers(c, l, m, l->supports + l->first_support[index], error);
}

// --- vertices ---------------------------------------------------------------------------------------------

// Where a point of (mapped) matter hangs.
typedef struct Hanging {
    size_t matter;
    size_t point;
    double weight;
} Hanging;

static TacStatus fail_map(const TacCompile *c, const TacMap *map, TacError *error) {
    return tac_compile_fail(
        c, &map->base, error,
        "safe contact goes through maps that carry points by fixed weights or by one frame; "
        "%s does neither",
        map->base.cls->name);
}

// Replaces each carried point by what carries it, until nothing is carried. Frames end the way up.
static TacStatus follow_up(const TacCompile *c, const TacMatter *matter, size_t point, Hanging *list,
                           size_t *count, TacVec3 *local, TacError *error) {
    list[0] = (Hanging){tac_compile_matter_index(c, matter), point, 1};
    *count = 1;
    for (;;) {
        const TacMap *map = c->map_of[list[0].matter];
        if (!map) return TAC_OK;
        const TacMapOps *ops = map->base.cls->ops.map;
        if (!ops->jacobian) return fail_map(c, map, error);
        Hanging above[MOST_CARRIERS];
        size_t n = 0, parent_matter = tac_compile_matter_index(c, map->parent);
        const double *px = map->parent->vectors[TAC_X], *cx = map->child->vectors[TAC_X];
        bool frame = map->parent->kind == TAC_RIGID3;
        for (size_t i = 0; i < *count; i++) {
            size_t parent;
            double block[36];
            for (size_t k = 0; ops->jacobian((void *)map, px, cx, list[i].point, k, &parent, block); k++) {
                bool plain = frame || (block[1] == 0 && block[4] == block[0] && block[8] == block[0]);
                if (n == MOST_CARRIERS || !plain || (frame && (k || *count > 1)))
                    return fail_map(c, map, error);
                if (!frame && block[0] == 0) continue;
                above[n++] = (Hanging){parent_matter, parent, frame ? 1 : list[i].weight * block[0]};
                if (!frame) continue;
                const double *at = px + 7 * parent;
                *local = tac_rotate_back(tac_load_quat(at + 3),
                                         tac_sub(tac_load3(cx + 3 * list[i].point), tac_load3(at)));
            }
        }
        memcpy(list, above, n * sizeof *above);
        *count = n;
        if (frame && c->map_of[parent_matter]) return fail_map(c, map, error);
    }
}

static TacStatus add_vertex(TacCompile *c, Lists *l, const TacMatter *matter, size_t point, TacError *error) {
    Hanging list[MOST_CARRIERS];
    size_t count;
    TacVec3 local = {0, 0, 0};
    TAC_TRY(follow_up(c, matter, point, list, &count, &local, error));
    if (!tac_grow(&l->vertices, &l->vertex_capacity, l->vertex_count + 1, sizeof *l->vertices) ||
        !tac_grow(&l->carriers, &l->carrier_capacity, l->carrier_count + count, sizeof *l->carriers))
        return tac_fail_memory(error, 0);
    const double *rest = matter->kind == TAC_VEC3 ? matter->vectors[TAC_X_REST] : NULL;
    l->vertices[l->vertex_count++] = (TacSafeVertex){.first = (uint32_t)l->carrier_count,
                                                     .count = (uint32_t)count,
                                                     .local = local,
                                                     .rest = rest ? rest + 3 * point : NULL};
    for (size_t i = 0; i < count; i++) {
        if (l->first_support[list[i].matter] == TAC_NONE) TAC_TRY(add_supports(c, l, list[i].matter, error));
        l->carriers[l->carrier_count++] =
            (TacSafeCarrier){l->first_support[list[i].matter] + (uint32_t)list[i].point, list[i].weight};
    }
    return TAC_OK;
}

// --- skins and materials ----------------------------------------------------------------------------------

static bool has_pair(const TacMaterials *materials, const TacComponent *model) {
    for (size_t i = 0; i < materials->pair_count; i++)
        if (materials->pairs[i]->first_model == model || materials->pairs[i]->second_model == model)
            return true;
    return false;
}

static TacStatus material_row(const TacCompile *c, Lists *l, const TacCollision *model, int *row,
                              TacError *error) {
    bool named = has_pair(&c->world->materials, &model->base) || tac_compile_has_nodes(c, &model->base);
    Stuff stuff = {model->material, named ? &model->base : NULL};
    size_t i = 0;
    while (i < l->material_count &&
           (l->materials[i].material != stuff.material || l->materials[i].model != stuff.model))
        i++;
    if (i == l->material_count) {
        if (!tac_grow(&l->materials, &l->material_capacity, i + 1, sizeof *l->materials))
            return tac_fail_memory(error, 0);
        l->materials[l->material_count++] = stuff;
    }
    *row = (int)i;
    return TAC_OK;
}

// The number of a solver that foresees layers; TAC_SAFE_BY_ANY: it does not.
static uint32_t number_of(const TacCompile *c, size_t matter) {
    const TacSolver *solver = c->solver_of[matter];
    size_t first = 0;
    if (!solver || !solver->base.cls->ops.solver->foresight) return TAC_SAFE_BY_ANY;
    if (c->world->matters[matter]->kind != TAC_VEC3) return TAC_SAFE_BY_ANY;
    while (c->solver_of[first] != solver) first++;
    return TAC_SAFE_BY_SOLVERS + (uint32_t)first;
}

// Who moves the vertices from the first one on: a TacSafeSolver.
static uint32_t who_moves(const TacCompile *c, const Lists *l, uint32_t first) {
    uint32_t all = TAC_SAFE_BY_NONE, one = all;
    const TacMatter *last = NULL;
    for (size_t i = l->vertices[first].first; i < l->carrier_count; i++) {
        const TacSafeSupport *s = &l->supports[l->carriers[i].support];
        if (!(s->bound > 0)) continue;
        if (s->matter != last) one = number_of(c, tac_compile_matter_index(c, s->matter));
        if (all != TAC_SAFE_BY_NONE && one != all) return TAC_SAFE_BY_ANY;
        last = s->matter;
        all = one;
    }
    return all;
}

// How fast can what a solver moves swing?
static double swing_of(const TacCompile *c, uint32_t solver) {
    double most = 0;
    if (solver < TAC_SAFE_BY_SOLVERS) return 0;
    for (size_t i = 0; i < c->world->ticker_count; i++) {
        const TacTicker *t = &c->world->tickers[i];
        if (t->solver && t->solver == c->solver_of[solver - TAC_SAFE_BY_SOLVERS])
            most = fmax(most, tac_compile_highest_frequency(c->world, t));
    }
    return most;
}

// A skin whose vertices are the last of the list.
static TacStatus close_skin(const TacCompile *c, Lists *l, const TacCollision *model, TacSafeSkin s,
                            TacError *error) {
    s.name = model->base.path;
    s.group = (uint64_t)1 << model->group;
    s.mask = model->mask;
    s.self = model->self;
    s.first_vertex = (uint32_t)l->vertex_count - s.vertex_count;
    s.solver = s.vertex_count ? who_moves(c, l, s.first_vertex) : TAC_SAFE_BY_NONE;
    s.swing = swing_of(c, s.solver);
    TAC_TRY(material_row(c, l, model, &s.material, error));
    l->skins[l->skin_count++] = s;
    return TAC_OK;
}

// A ball on each point or frame.
static TacStatus add_balls(TacCompile *c, Lists *l, const TacBallsModel *balls, TacError *error) {
    if (!tac_grow(&l->skins, &l->skin_capacity, l->skin_count + 1, sizeof *l->skins))
        return tac_fail_memory(error, 0);
    const TacMatter *m = balls->collision.matter;
    TacSafeSkin s = {.balls = true, .radii = balls->solid, .vertex_count = (uint32_t)m->count};
    for (size_t i = 0; i < m->count; i++) TAC_TRY(add_vertex(c, l, m, i, error));
    return close_skin(c, l, &balls->collision, s, error);
}

static TacStatus add_skin(TacCompile *c, Lists *l, const TacSkin *skin, TacError *error) {
    if (!tac_grow(&l->skins, &l->skin_capacity, l->skin_count + 1, sizeof *l->skins))
        return tac_fail_memory(error, 0);
    TacSafeSkin s = {.radius = skin->radius,
                     .vertex_count = (uint32_t)skin->vertex_count,
                     .edges = skin->edges,
                     .faces = skin->faces,
                     .edge_count = skin->edge_count,
                     .face_count = skin->face_count,
                     .bare = skin->bare};
    for (size_t i = 0; i < skin->vertex_count; i++)
        TAC_TRY(add_vertex(c, l, skin->head.matter, skin->vertices[i], error));
    return close_skin(c, l, &skin->head, s, error);
}

// A place of a frame that nothing carries.
static TacStatus add_frame_vertex(TacCompile *c, Lists *l, const TacMatter *matter, size_t frame,
                                  TacVec3 local, TacError *error) {
    size_t index = tac_compile_matter_index(c, matter);
    if (c->map_of[index]) return fail_map(c, c->map_of[index], error);
    if (!tac_grow(&l->vertices, &l->vertex_capacity, l->vertex_count + 1, sizeof *l->vertices) ||
        !tac_grow(&l->carriers, &l->carrier_capacity, l->carrier_count + 1, sizeof *l->carriers))
        return tac_fail_memory(error, 0);
    if (l->first_support[index] == TAC_NONE) TAC_TRY(add_supports(c, l, index, error));
    l->vertices[l->vertex_count++] =
        (TacSafeVertex){.first = (uint32_t)l->carrier_count, .count = 1, .local = local};
    l->carriers[l->carrier_count++] = (TacSafeCarrier){l->first_support[index] + (uint32_t)frame, 1};
    return TAC_OK;
}

// The same `count` numbers for each of `times` copies, each `step` further.
static int32_t *repeated(TacArena *arena, const int32_t *list, size_t count, size_t times, size_t step) {
    int32_t *all = tac_arena_array(arena, count * times, sizeof *all);
    for (size_t i = 0; all && i < count * times; i++)
        all[i] = list[i % count] + (int32_t)(step * (i / count));
    return all;
}

static TacStatus fail_surface(const TacCompile *c, const TacShapeModel *shape, TacError *error) {
    TacError why = *error;
    return tac_compile_fail(c, &shape->collision.base, error, "it has no surface: %s", why.message);
}

// The surface of a shape on each of its frames.
static TacStatus add_shape(TacCompile *c, Lists *l, const TacShapeModel *shape, TacError *error) {
    if (!tac_grow(&l->skins, &l->skin_capacity, l->skin_count + 1, sizeof *l->skins))
        return tac_fail_memory(error, 0);
    TacArena *arena = &c->world->arena;
    TacShapeSurface surface;
    TacStatus made = tac_shape_surface(&surface, shape, arena, error);
    if (made == TAC_NO_MEMORY) return made;
    if (made != TAC_OK) return fail_surface(c, shape, error);
    size_t n = shape->count;
    uint8_t *bare = tac_arena_array(arena, n * surface.edge_count, sizeof *bare);
    if (n * surface.vertex_count > INT32_MAX / 4 || !bare) return tac_fail_memory(error, 0);
    for (size_t i = 0; i < n * surface.edge_count; i++) bare[i] = surface.bare[i % surface.edge_count];
    TacSafeSkin s = {.radius = surface.radius,
                     .balls = surface.balls,
                     .vertex_count = (uint32_t)(n * surface.vertex_count),
                     .edges = repeated(arena, surface.edges, 2 * surface.edge_count, n, surface.vertex_count),
                     .faces = repeated(arena, surface.faces, 3 * surface.face_count, n, surface.vertex_count),
                     .edge_count = n * surface.edge_count,
                     .face_count = n * surface.face_count,
                     .bare = bare};
    if (!s.edges || !s.faces) return tac_fail_memory(error, 0);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < surface.vertex_count; k++)
            TAC_TRY(
                add_frame_vertex(c, l, shape->collision.matter, shape->frame[i], surface.vertices[k], error));
    return close_skin(c, l, &shape->collision, s, error);
}

static TacSafeContact contact_of(const TacCompile *c, const Stuff *a, const Stuff *b, double speed) {
    const TacWorld *world = c->world;
    TacContactNumbers n =
        tac_materials_between(&world->materials, a->model, a->material, b->model, b->material);
    const TacContactSetting *setting = world->materials.setting;
    double otherwise = setting ? setting->thickness : 0.001;
    return (TacSafeContact){.thickness = n.thickness > 0 ? n.thickness : otherwise,
                            .v_ref = speed,
                            .restitution = n.restitution,
                            .friction = n.friction,
                            .excluded = n.excluded || tac_compile_meet_by_nodes(c, a->model, b->model)};
}

// A speed that is usual in a scene of this size: that of a fall through a tenth of it.
static double usual_speed(const TacCompile *c, double gravity) {
    TacVec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t m = 0; m < c->world->matter_count; m++) {
        const TacMatter *matter = c->world->matters[m];
        if (!matter->times) continue;
        for (size_t i = 0; i < matter->count; i++) {
            TacVec3 p = tac_load3(matter->vectors[TAC_X] + i * (size_t)matter->position_size);
            low = tac_vec3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
            high = tac_vec3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
        }
    }
    double size = tac_norm(tac_sub(high, low));
    double speed = isfinite(size) ? sqrt(0.2 * gravity * size) : 1;
    return fmin(fmax(speed, 0.2), 5);
}

// What begins near is kept apart all the same, by thinner layers: whoever wrote the scene may not mean that.
static TacStatus judge_near(const TacCompile *c, const TacContactSetting *setting, TacError *error) {
    char text[sizeof error->message];
    TacError remark;
    if (setting && setting->near == TAC_NEAR_REFUSE) return tac_safe_refuse_near(c->world->safe, error);
    if (!tac_safe_near_text(c->world->safe, text, sizeof text)) return TAC_OK;
    tac_compile_fail(c, setting ? &setting->base : &c->world->settings->base, &remark, "%s", text);
    tac_tree_message(c->scene, false, &remark);
    return TAC_OK;
}

// Skins that joints tie, once these have closed, have nests of their own.
static TacStatus note_joints(const TacCompile *c, const Lists *l, TacError *error) {
    for (size_t i = 0; i < c->count; i++) {
        const TacComponent *joint = c->instances[i].component;
        TacMatter *tied[TAC_LINK_ENDS];
        if (joint->cls->kind != TAC_KIND_JOINT) continue;
        size_t n = tac_joint_matters(joint, tied, TAC_LINK_ENDS);
        for (size_t a = 0; a < n; a++)
            for (size_t b = a + 1; b < n; b++) {
                uint32_t first = l->first_support[tac_compile_matter_index(c, tied[a])];
                uint32_t second = l->first_support[tac_compile_matter_index(c, tied[b])];
                if (tied[a] == tied[b] || first == TAC_NONE || second == TAC_NONE) continue;
                TAC_TRY(tac_safe_may_tie(c->world->safe, (TacSafeSpan){first, (uint32_t)tied[a]->count},
                                         (TacSafeSpan){second, (uint32_t)tied[b]->count}, error));
            }
    }
    return TAC_OK;
}

static TacStatus make_safe(TacCompile *c, Lists *l, TacError *error) {
    TacWorld *world = c->world;
    double gravity = tac_norm(tac_compile_gravity(c, TAC_NONE));
    const TacContactSetting *setting = world->materials.setting;
    double speed =
        !setting || isnan(setting->speed) ? usual_speed(c, gravity > 0 ? gravity : 9.81) : setting->speed;
    size_t m = l->material_count;
    l->contacts = calloc(m * m + 1, sizeof *l->contacts);
    if (!l->contacts) return tac_fail_memory(error, 0);
    for (size_t i = 0; i < m * m; i++)
        l->contacts[i] = contact_of(c, &l->materials[i / m], &l->materials[i % m], speed);
    TacSafeDef def = {.base = world->base,
                      .team = world->team,
                      .supports = l->supports,
                      .support_count = l->support_count,
                      .vertices = l->vertices,
                      .vertex_count = l->vertex_count,
                      .carriers = l->carriers,
                      .skins = l->skins,
                      .skin_count = l->skin_count,
                      .contacts = l->contacts,
                      .material_count = m,
                      .gravity = gravity,
                      .k = setting && setting->k ? (int)setting->k : 14,
                      .vagueness = setting ? setting->vagueness : 1,
                      .cone = setting && setting->cone,
                      .cull = !setting || setting->cull,
                      .front = setting && setting->tree == TAC_TREE_FRONT};
    TacStatus status = tac_safe_create(&world->safe, &def, error);
    free_points(l); // contact has its own; what follows needs the room
    for (size_t i = 0; i < world->matter_count && status == TAC_OK; i++)
        if (world->matters[i]->carried)
            status =
                tac_safe_allow_reshape(world->safe, l->first_support[i], world->matters[i]->count, error);
    if (status == TAC_OK) status = tac_world_reshape_all(world, error);
    if (status == TAC_OK) status = tac_safe_check_start(world->safe, error);
    if (status == TAC_OK) status = tac_compile_node_pairs(c, l->skins, l->skin_count, error);
    if (status == TAC_OK) status = note_joints(c, l, error);
    if (status == TAC_OK) status = tac_safe_start(world->safe, 0, error);
    if (status == TAC_OK) status = judge_near(c, setting, error);
    if (status != TAC_BAD_INPUT) return status;
    TacError why = *error;
    return tac_compile_fail(c, setting ? &setting->base : &world->settings->base, error, "%s", why.message);
}

// --- implicit agents --------------------------------------------------------------------------------------

// Spook takes layers in as rows, implicit solvers as laws; explicit ones do not look ahead.
static bool keeps_joints(const TacTicker *t) {
    return t->solver && t->solver->base.cls->ops.solver->keeps_joints;
}

static bool is_explicit(const TacTicker *t) {
    return !t->solver->base.cls->ops.solver->foresight && !keeps_joints(t);
}

// Whether layers and its kicks have to do with each other.
static bool meets_layers(const TacTicker *t) {
    if (!t->solver || t->ruler_class < TAC_MOST_PARTS) return false;
    for (size_t k = 0; k < t->program.matter_count; k++)
        if (t->program.matters[k]->times) return true;
    return false;
}

// Of implicit solvers: layers are laws of points, so they push frames unforeseen.
static bool moves_frames(const TacTicker *t) {
    for (size_t k = 0; k < t->program.matter_count; k++)
        if (t->program.matters[k]->times && t->program.matters[k]->kind != TAC_VEC3) return true;
    return false;
}

// Of an agent whose kick comes in parts.
static unsigned kept_vectors(const TacTicker *t) {
    return 1u << TAC_PART | (tac_ticker_is_free(t) && !is_explicit(t) ? 1u << TAC_AHEAD : 0);
}

// Live layers become the first laws of the agent's program.
static TacStatus add_layer_laws(TacWorld *world, TacTicker *t, TacError *error) {
    TacProgram *p = &t->program;
    TacLaw **laws = tac_arena_array(&world->arena, p->law_count + p->matter_count, sizeof *laws);
    t->layers = tac_arena_array(&world->arena, p->matter_count, sizeof *t->layers);
    if (!laws || !t->layers) return tac_fail_memory(error, 0);
    for (size_t k = 0; k < p->matter_count; k++) {
        TacMatter *m = p->matters[k];
        TAC_TRY(tac_compile_take_vectors(world, m, kept_vectors(t), error));
        if (!m->times || m->kind != TAC_VEC3) continue;
        TacLayerLaw *law = tac_arena_alloc(&world->arena, sizeof *law);
        if (!law) return tac_fail_memory(error, sizeof *law);
        law->law.base = m->base;
        law->law.base.cls = &tac_layer_law_class;
        law->law.matter[0] = m;
        law->safe = world->safe;
        law->first_support = world->first_support[m->base.index];
        laws[t->layer_count] = &law->law;
        t->layers[t->layer_count++] = law;
    }
    if (p->law_count) memcpy(laws + t->layer_count, p->laws, p->law_count * sizeof *laws);
    p->laws = laws;
    p->law_count += t->layer_count;
    p->layer_count = t->layer_count;
    return TAC_OK;
}

// Live layers become rows of the agent's joints.
static TacStatus add_layer_rows(const TacCompile *c, TacTicker *t, TacError *error) {
    TacWorld *world = c->world;
    TacProgram *p = &t->program;
    TacComponent **joints = tac_arena_array(&world->arena, p->joint_count + 1, sizeof *joints);
    TacLayerRows *rows = tac_arena_alloc(&world->arena, sizeof *rows);
    uint32_t *first = tac_arena_array(&world->arena, p->matter_count, sizeof *first);
    TacMatter **matters = tac_arena_array(&world->arena, p->matter_count, sizeof *matters);
    if (!joints || !rows || !first || !matters) return tac_fail_memory(error, sizeof *rows);
    rows->joint.base = t->solver->base;
    rows->joint.base.cls = &tac_layer_rows_class;
    rows->safe = world->safe;
    rows->matters = matters;
    rows->first_support = first;
    for (size_t k = 0; k < p->matter_count; k++) {
        TacMatter *m = p->matters[k];
        TAC_TRY(tac_compile_take_vectors(world, m, kept_vectors(t), error));
        if (!m->times) continue;
        rows->over_nodes = rows->over_nodes || tac_compile_goes_over_nodes(c, m);
        matters[rows->matter_count] = m;
        first[rows->matter_count++] = world->first_support[m->base.index];
    }
    TAC_TRY(tac_layer_rows_create(rows, &world->arena, error));
    if (p->joint_count) memcpy(joints, p->joints, p->joint_count * sizeof *joints);
    joints[p->joint_count++] = &rows->joint.base;
    p->joints = joints;
    t->layer_rows = rows;
    return TAC_OK;
}

static TacStatus take_layers(const TacCompile *c, TacTicker *t, TacError *error) {
    if (keeps_joints(t)) return add_layer_rows(c, t, error);
    t->blind = !is_explicit(t) && moves_frames(t);
    if (!is_explicit(t)) return add_layer_laws(c->world, t, error);
    for (size_t k = 0; k < t->program.matter_count; k++)
        TAC_TRY(tac_compile_take_vectors(c->world, t->program.matters[k], kept_vectors(t), error));
    return TAC_OK;
}

// Of all layers on its matter: the class of the outermost ones.
static int layer_class(const TacWorld *world, const TacTicker *t) {
    int e = t->ruler_class;
    size_t count = t->is_merge ? world->matter_count : t->program.matter_count; // anybody may be merged in it
    for (size_t k = 0; k < count; k++) {
        const TacMatter *m = t->is_merge ? world->matters[k] : t->program.matters[k];
        uint32_t first = m->times ? world->first_support[m->base.index] : UINT32_MAX;
        if (first == UINT32_MAX) continue; // it carries no skin
        int of_matter = tac_safe_layer_class(world->safe, first, m->count);
        if (of_matter < e) e = of_matter;
    }
    return e;
}

static TacStatus add_parts(TacCompile *c, TacError *error) {
    TacWorld *world = c->world;
    TAC_TRY(tac_compile_batch_parts(c, error));
    size_t n = world->ticker_count;
    TacTicker *tickers = world->tickers; // with room for as many again
    for (size_t i = 0; i < n; i++) {
        if (tickers[i].solver) TAC_TRY(tac_momentum_survey(&tickers[i], error));
        if (!meets_layers(&tickers[i])) continue;
        TAC_TRY(take_layers(c, &tickers[i], error));
        TAC_TRY(tac_compile_declare_state(world, &tickers[i].in_parts, sizeof tickers[i].in_parts, error));
        TacStride *stride = tac_arena_alloc(&world->arena, sizeof *stride);
        if (!stride) return tac_fail_memory(error, sizeof *stride);
        TAC_TRY(tac_compile_declare_state(world, stride, sizeof *stride, error));
        tickers[i].stride = stride;
        world->has_strides = true;
        tickers[i].layer_class = layer_class(world, &tickers[i]);
        tickers[i].parts = (uint32_t)world->ticker_count;
        TacTicker *part = &tickers[world->ticker_count++];
        *part = (TacTicker){.name = tickers[i].name,
                            .what = "parts of a kick",
                            .is_law = true,
                            .is_part = true,
                            .whole = (uint32_t)i,
                            .ruler_class = tac_stride_part_class(&tickers[i], tickers[i].ruler_class)};
        part->step = ldexp(world->base.tick, part->ruler_class);
        part->program.matters = tickers[i].program.matters;
        part->program.matter_count = tickers[i].program.matter_count;
    }
    TAC_TRY(tac_world_seat_concerts(world, error));
    return tac_hands_widen(world, error);
}

// Mapped matter where its maps put it.
static void place_mapped(TacWorld *world) {
    tac_world_show(world);
    for (size_t i = 0; i < world->all.other_count; i++) {
        const TacMatter *m = world->all.others[i];
        memcpy(m->vectors[TAC_X], m->vectors[TAC_X_SHOWN], tac_vector_size(m, TAC_X) * sizeof(double));
    }
    world->shown = -1;
}

TacStatus tac_compile_mark_colliding(TacCompile *c, uint8_t *const *marks, TacError *error) {
    place_mapped(c->world);
    for (size_t i = 0; i < c->count; i++) {
        const TacCollision *model = (const TacCollision *)c->instances[i].component;
        const TacSkin *skin = model->base.cls == &tac_skin_class ? (const TacSkin *)model : NULL;
        if (!skin && model->base.cls != &tac_balls_model_class) continue;
        size_t n = skin ? skin->vertex_count : model->matter->count;
        for (size_t k = 0; k < n; k++) {
            Hanging list[MOST_CARRIERS];
            size_t count, point = skin ? skin->vertices[k] : k;
            TacVec3 local;
            TAC_TRY(follow_up(c, model->matter, point, list, &count, &local, error));
            for (size_t j = 0; j < count; j++)
                if (marks[list[j].matter]) marks[list[j].matter][list[j].point] = 1;
        }
    }
    return TAC_OK;
}

TacStatus tac_compile_safe(TacCompile *c, TacError *error) {
    TacWorld *world = c->world;
    if (!c->safe) return TAC_OK;
    Lists l = {0};
    l.first_support = tac_arena_array(&world->arena, world->matter_count, sizeof *l.first_support);
    if (!l.first_support) return tac_fail_memory(error, 0);
    for (size_t i = 0; i < world->matter_count; i++) l.first_support[i] = TAC_NONE;
    place_mapped(world);
    TacStatus status = TAC_OK;
    for (size_t i = 0; i < c->count && status == TAC_OK; i++) {
        const TacComponent *model = c->instances[i].component;
        if (model->cls == &tac_skin_class) status = add_skin(c, &l, (const TacSkin *)model, error);
        if (model->cls == &tac_balls_model_class)
            status = add_balls(c, &l, (const TacBallsModel *)model, error);
        if (model->cls == &tac_shape_model_class)
            status = add_shape(c, &l, (const TacShapeModel *)model, error);
    }
    uint32_t *by_component = tac_arena_array(&world->arena, c->count, sizeof *by_component);
    for (size_t i = 0; by_component && i < world->matter_count; i++)
        by_component[world->matters[i]->base.index] = l.first_support[i];
    world->first_support = by_component;
    if (!by_component && status == TAC_OK) status = tac_fail_memory(error, 0);
    if (status == TAC_OK) status = make_safe(c, &l, error);
    for (size_t i = 0; i < c->count; i++)
        if (c->instances[i].component->cls == &tac_skin_class)
            tac_skin_forget_edges((TacSkin *)c->instances[i].component);
    free_lists(&l);
    return status == TAC_OK ? add_parts(c, error) : status;
}
