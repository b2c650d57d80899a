// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Compiling contact: collision models become models of loose contact, with a law for each that moves.
//
// First (before programs are made): who moves, and with what mass. Last (when clocks are set): with which step.

#include "scene/compile.h"

static bool takes_part(const TacComponent *c) {
    return c->cls == &tac_shape_model_class || c->cls == &tac_balls_model_class;
}

static TacMap *map_of(const TacCompile *c, const TacMatter *m) {
    return c->map_of[tac_compile_matter_index(c, m)];
}

// The mass of each point: what M makes of a unit along x everywhere.
static double *point_masses(TacCompile *c, const TacMatter *m, const TacMass *mass) {
    TacArena *arena = &c->world->arena;
    double *masses = tac_arena_array(arena, m->count, sizeof *masses);
    size_t size = (size_t)m->velocity_size, n = m->count * size;
    double *unit = tac_arena_array(arena, n, sizeof *unit), *out = tac_arena_array(arena, n, sizeof *out);
    if (!masses || !unit || !out) return NULL;
    for (size_t i = 0; i < m->count; i++) unit[size * i] = 1;
    TacContext context = {0, 0, NULL};
    mass->base.cls->ops.mass->product((void *)mass, &context, m->vectors[TAC_X], unit, out, 1);
    for (size_t i = 0; i < m->count; i++) {
        bool held = m->held && (m->held[i] & TAC_HELD_WHOLLY);
        masses[i] = !held && out[size * i] > 0 ? out[size * i] : INFINITY;
    }
    return masses;
}

// The smallest eigenvalue of a symmetric matrix.
static double smallest(const TacMat3 *of) {
    const double(*m)[3] = of->m;
    double mean = (m[0][0] + m[1][1] + m[2][2]) / 3, square = 0;
    for (int i = 0; i < 9; i++) {
        double e = m[i / 3][i % 3] - (i % 4 == 0 ? mean : 0);
        square += e * e;
    }
    double p = sqrt(square / 6);
    if (!(p > 0)) return mean;
    double a = (m[0][0] - mean) / p, b = (m[1][1] - mean) / p, c = (m[2][2] - mean) / p;
    double d = m[0][1] / p, e = m[1][2] / p, f = m[0][2] / p;
    double half = 0.5 * (a * (b * c - e * e) - d * (d * c - e * f) + f * (d * e - b * f));
    return mean + 2 * p * cos(acos(fmax(-1, fmin(1, half))) / 3 + 2 * TAC_PI / 3);
}

// The inertia of each frame where it is now: what M makes of a unit about each axis everywhere. Zero for points.
static TacMat3 *frame_inertias(TacCompile *c, const TacMatter *m, const TacMass *mass) {
    TacArena *arena = &c->world->arena;
    TacMat3 *inertias = tac_arena_array(arena, m->count, sizeof *inertias);
    size_t n = m->count * (size_t)m->velocity_size;
    double *unit = tac_arena_array(arena, n, sizeof *unit), *out = tac_arena_array(arena, n, sizeof *out);
    if (!inertias || !unit || !out) return NULL;
    TacContext context = {0, 0, NULL};
    for (size_t k = 0; m->kind == TAC_RIGID3 && k < 3; k++) {
        memset(out, 0, n * sizeof *out);
        for (size_t i = 0; i < n; i++) unit[i] = i % 6 == 3 + k;
        mass->base.cls->ops.mass->product((void *)mass, &context, m->vectors[TAC_X], unit, out, 1);
        for (size_t i = 0; i < m->count; i++)
            for (size_t row = 0; row < 3; row++) inertias[i].m[row][k] = out[6 * i + 3 + row];
    }
    return inertias;
}

// How easily an element is turned, from its frame's inertia.
static void take_inertia(TacTouchModel *model, size_t element, const TacMatter *m, const TacMat3 *inertia) {
    double least = smallest(inertia);
    if (!(least > 0)) return;
    size_t place = tac_touch_place(model, (uint32_t)element);
    TacMat3 turn = tac_quat_matrix(tac_load_quat(m->vectors[TAC_X] + 7 * place + 3));
    TacMat3 back = tac_mat3_transpose(&turn), inverse = tac_mat3_inverse(inertia);
    TacMat3 half = tac_mat3_mul(&back, &inverse);
    model->inertias[element] = least;
    model->yields[element] = tac_mat3_mul(&half, &turn);
}

// Elements get the mass of their point; what follows other matter gets an equal share of the whole.
static TacStatus take_masses(TacCompile *c, TacTouchModel *model, TacError *error) {
    TacArena *arena = &c->world->arena;
    TacMatter *matter = model->model->matter, *root = tac_compile_root(c, matter);
    const TacMass *mass = c->mass_of[tac_compile_matter_index(c, root)];
    model->masses = tac_arena_array(arena, model->count, sizeof *model->masses);
    model->inertias = tac_arena_array(arena, model->count, sizeof *model->inertias);
    model->yields = tac_arena_array(arena, model->count, sizeof *model->yields);
    model->loads = tac_arena_array(arena, model->count, sizeof *model->loads);
    double *of_points = mass ? point_masses(c, root, mass) : NULL;
    TacMat3 *inertias = mass ? frame_inertias(c, root, mass) : NULL;
    if (!model->masses || !model->inertias || !model->yields || !model->loads ||
        (mass && (!of_points || !inertias)))
        return tac_fail_memory(error, 0);
    double total = 0;
    for (size_t i = 0; of_points && i < root->count; i++)
        if (of_points[i] < INFINITY) total += of_points[i];
    for (size_t i = 0; i < model->count; i++) {
        double share = total > 0 ? total / (double)matter->count : INFINITY;
        bool own = matter == root && of_points;
        model->masses[i] = own ? of_points[tac_touch_place(model, (uint32_t)i)] : share;
        model->inertias[i] = INFINITY;
        if (own) take_inertia(model, i, root, &inertias[tac_touch_place(model, (uint32_t)i)]);
    }
    return TAC_OK;
}

double tac_compile_rayleigh(const TacSolver *solver) {
    uint32_t i = solver ? tac_class_attribute(solver->base.cls, "damping_stiffness") : TAC_NONE;
    return i == TAC_NONE ? 0
                         : *(const double *)((const char *)solver + solver->base.cls->attributes[i].offset);
}

// While a link makes matter part of another agent it is explicit.
static bool is_implicit(const TacCompile *c, const TacSolver *solver) {
    return solver && solver->base.cls->ops.solver->needs_linear &&
           c->family_of[solver->base.index] == TAC_NONE;
}

// Pushes are the same throughout a step, so Runge-Kutta moves by half of what they have made of the velocity at its end.
static double lag_of(const TacSolver *solver) {
    if (!solver || !tac_solver_moves(solver)) return 0;
    if (solver->base.cls == &tac_runge_kutta4_class) return 0.5;
    return solver->base.cls == &tac_explicit_euler_class ? 1 : 0;
}

static TacStatus make_model(TacCompile *c, TacTouchModel *model, TacCollision *collision, TacError *error) {
    *model = (TacTouchModel){.model = collision};
    model->law.base = collision->base;
    model->law.base.cls = &tac_touch_law_class;
    model->law.matter[0] = collision->matter;
    bool shape = collision->base.cls == &tac_shape_model_class;
    model->count = shape ? ((TacShapeModel *)collision)->count : collision->matter->count;
    size_t root = tac_compile_matter_index(c, tac_compile_root(c, collision->matter));
    const TacSolver *solver = c->solver_of[root];
    model->implicit = is_implicit(c, solver);
    model->bears = solver && tac_solver_moves(solver) ? 0.1 : 1;
    model->rayleigh = tac_compile_rayleigh(solver);
    model->lag = lag_of(solver);
    if (c->mass_of[root]) model->falls = c->mass_of[root]->gravity;
    model->gravity = tac_norm(model->falls);
    model->moves = c->mass_of[root] || (solver && c->carried[root]);
    return take_masses(c, model, error);
}

static TacStatus make_skin(TacCompile *c, TacSkinTouch *skin, TacSkin *model, TacError *error) {
    tac_skin_forget_edges(model); // loose skins meet by vertices and faces
    *skin = (TacSkinTouch){.skin = model, .mass = INFINITY};
    skin->law.base = model->head.base;
    skin->law.base.cls = &tac_skin_touch_class;
    skin->law.matter[0] = model->head.matter;
    TacMatter *root = tac_compile_root(c, model->head.matter);
    size_t index = tac_compile_matter_index(c, root);
    const TacSolver *solver = c->solver_of[index];
    const TacMass *mass = c->mass_of[index];
    skin->implicit = is_implicit(c, solver);
    skin->rayleigh = tac_compile_rayleigh(solver);
    skin->moves = mass || (solver && c->carried[index]);
    double *masses = mass ? point_masses(c, root, mass) : NULL, total = 0;
    if (mass && !masses) return tac_fail_memory(error, 0);
    for (size_t i = 0; masses && i < root->count; i++)
        if (masses[i] < INFINITY) total += masses[i];
    if (total > 0) skin->mass = total / (double)model->head.matter->count;
    return TAC_OK;
}

static TacStatus make_skins(TacCompile *c, TacWorldTouch *touch, size_t count, TacError *error) {
    TacWorld *world = c->world;
    touch->skins = tac_arena_array(&world->arena, count, sizeof *touch->skins);
    if (!touch->skins) return tac_fail_memory(error, count * sizeof *touch->skins);
    for (size_t i = 0; i < world->component_count; i++)
        if (world->components[i]->cls == &tac_skin_class)
            TAC_TRY(make_skin(c, &touch->skins[touch->skin_count++], (TacSkin *)world->components[i], error));
    return TAC_OK;
}

// Whoever puts both into a scene will expect them to touch.
static void remark_strangers(const TacCompile *c) {
    const TacWorld *world = c->world;
    for (size_t i = 0; i < world->component_count; i++) {
        if (world->components[i]->cls != &tac_skin_class) continue;
        TacError remark;
        tac_compile_fail(c, world->components[i], &remark,
                         "under loose contact a skin touches other skins, not shapes or balls; with <Contact "
                         "method=\"safe\"/> all of them touch");
        tac_tree_message(c->scene, false, &remark);
        return;
    }
}

// Included scenes may have one of their own, so that is no mistake; but nobody should think that it counts.
static void remark_on_more_settings(const TacCompile *c) {
    const TacWorld *world = c->world;
    const TacContactSetting *setting = world->materials.setting;
    for (size_t i = 0; i < world->component_count; i++) {
        const TacComponent *other = world->components[i];
        if (other->cls != &tac_contact_setting_class || other == &setting->base) continue;
        TacError remark;
        tac_compile_fail(c, other, &remark, "a world has one Contact: %s counts, this one does not",
                         setting->base.path);
        tac_tree_message(c->scene, false, &remark);
    }
}

TacStatus tac_compile_contact(TacCompile *c, TacError *error) {
    TacWorld *world = c->world;
    TAC_TRY(tac_materials_gather(&world->materials, &world->arena, world->components, world->component_count,
                                 error));
    const TacContactSetting *setting = world->materials.setting;
    remark_on_more_settings(c);
    size_t n = 0, skins = 0;
    for (size_t i = 0; i < world->component_count; i++) {
        n += takes_part(world->components[i]);
        skins += world->components[i]->cls == &tac_skin_class;
    }
    TacContactMethod method = setting ? (TacContactMethod)setting->method : TAC_CONTACT_AUTO;
    bool loose_time = world->settings->scheduler == 1;
    if (method == TAC_CONTACT_AUTO) method = skins && !loose_time ? TAC_CONTACT_SAFE : TAC_CONTACT_LOOSE;
    if (method == TAC_CONTACT_SAFE && loose_time)
        return tac_compile_fail(
            c, setting ? &setting->base : &world->settings->base, error,
            "safe contact needs the causal scheduler: agents that are apart in time cannot "
            "promise anything to each other");
    c->safe = method == TAC_CONTACT_SAFE;
    if (n + skins == 0 || method != TAC_CONTACT_LOOSE) return TAC_OK;
    TacWorldTouch *touch = tac_arena_alloc(&world->arena, sizeof *touch);
    if (!touch) return tac_fail_memory(error, sizeof *touch);
    touch->models = tac_arena_array(&world->arena, n, sizeof *touch->models);
    if (!touch->models) return tac_fail_memory(error, n * sizeof *touch->models);
    for (size_t i = 0; i < world->component_count; i++)
        if (takes_part(world->components[i]))
            TAC_TRY(make_model(c, &touch->models[touch->model_count++], (TacCollision *)world->components[i],
                               error));
    TAC_TRY(make_skins(c, touch, skins, error));
    if (n && skins) remark_strangers(c);
    c->touch = touch;
    return TAC_OK;
}

// --- the last part ----------------------------------------------------------------------------------------

static bool is_listed(TacMatter *const *list, size_t count, const TacMatter *m) {
    for (size_t i = 0; i < count; i++)
        if (list[i] == m) return true;
    return false;
}

// The matter of the i-th collision model: shapes and balls, then skins.
static TacMatter *matter_of(const TacWorldTouch *touch, size_t i) {
    return i < touch->model_count ? touch->models[i].model->matter
                                  : touch->skins[i - touch->model_count].skin->head.matter;
}

// Whether a model's matter is this one, or follows it.
static bool leads_to_model(const TacCompile *c, const TacMatter *m) {
    for (size_t i = 0; i < c->touch->model_count + c->touch->skin_count; i++)
        for (const TacMatter *at = matter_of(c->touch, i); at;
             at = map_of(c, at) ? map_of(c, at)->parent : NULL)
            if (at == m) return true;
    return false;
}

static TacStatus list_matter(TacCompile *c, TacError *error) {
    TacWorldTouch *touch = c->touch;
    TacArena *arena = &c->world->arena;
    const TacProgram *all = &c->world->all;
    size_t models = touch->model_count + touch->skin_count;
    touch->roots = tac_arena_array(arena, models, sizeof *touch->roots);
    touch->maps = tac_arena_array(arena, all->map_count, sizeof *touch->maps);
    if (!touch->roots || !touch->maps) return tac_fail_memory(error, 0);
    for (size_t i = 0; i < models; i++) {
        TacMatter *root = tac_compile_root(c, matter_of(touch, i));
        if (!is_listed(touch->roots, touch->root_count, root)) touch->roots[touch->root_count++] = root;
    }
    for (size_t i = 0; i < all->map_count; i++)
        if (leads_to_model(c, all->maps[i]->child)) touch->maps[touch->map_count++] = all->maps[i];
    return TAC_OK;
}

// Whether whoever kicks a model, by itself or with others that links have tied to it, ticks on the ruler, and always at the
// same rate.
static bool on_ruler(const TacCompile *c, const TacTouchModel *model) {
    const TacTicker *first = NULL;
    for (size_t t = 0; t < c->world->ticker_count; t++) {
        const TacTicker *ticker = &c->world->tickers[t];
        for (size_t k = 0; k < ticker->program.law_count; k++) {
            if (ticker->program.laws[k] != &model->law) continue;
            if (tac_ticker_is_free(ticker) || (first && ticker->ruler_class != first->ruler_class))
                return false;
            first = ticker;
        }
    }
    return first;
}

TacStatus tac_compile_contact_end(TacCompile *c, TacError *error) {
    TacWorldTouch *touch = c->touch;
    if (!touch) return TAC_OK;
    TAC_TRY(list_matter(c, error));
    for (size_t t = 0; t < c->world->ticker_count; t++) {
        TacTicker *ticker = &c->world->tickers[t];
        for (size_t k = 0; k < ticker->program.law_count; k++) {
            TacLaw *law = ticker->program.laws[k];
            bool skin = law->base.cls == &tac_skin_touch_class;
            if (!skin && law->base.cls != &tac_touch_law_class) continue;
            // what links can tie is stepped by itself or by its family: it has to bear the longer step
            double *step = skin ? &((TacSkinTouch *)law)->step : &((TacTouchModel *)law)->step;
            *step = fmax(*step, ticker->step);
            if (!skin) ((TacTouchModel *)law)->on_ruler = on_ruler(c, (TacTouchModel *)law);
            if (skin && !ticker->is_merge) ((TacSkinTouch *)law)->agent = (uint32_t)t;
            ticker->touches = true;
        }
    }
    TAC_TRY(tac_touch_create(&touch->touch, &c->world->arena, &c->world->materials, touch->models,
                             touch->model_count, error));
    TAC_TRY(tac_skin_touches_create(&touch->skin_touches, &c->world->arena, &c->world->materials,
                                    touch->skins, touch->skin_count, error));
    c->world->touch = touch;
    return TAC_OK;
}
