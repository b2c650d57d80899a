// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// First pass of compiling: one struct per component, in the order of the file: its attributes written, its
// links resolved, its init run.

#include "base/text.h"
#include "contact/models.h"
#include "law/laws.h"
#include "scene/compile.h"

#include <stdarg.h>
#include <stdio.h>

// --- setup ------------------------------------------------------------------------------------------------

static const TacInstance *instance_of(const TacSetup *setup) {
    return &setup->compile->instances[setup->instance];
}

void *tac_setup_alloc(TacSetup *setup, size_t count, size_t size) {
    return tac_arena_array(&setup->compile->world->arena, count, size);
}

void *tac_setup_alloc_kept(TacSetup *setup, size_t count, size_t size, bool *keeps) {
    TacWorld *world = setup->compile->world;
    void *data = tac_arena_array(&world->arena, count, size);
    if (!data || !tac_grow(&world->kept, &world->kept_capacity, world->kept_count + 1, sizeof *world->kept))
        return NULL;
    world->kept[world->kept_count++] = (TacKeptForce){data, count * size, keeps};
    return data;
}

TacStatus tac_setup_hold(TacSetup *setup, double bytes, TacError *error) {
    bool countable = bytes >= 0 && bytes < (double)(SIZE_MAX / 2);
    const TacArena *arena = &setup->compile->world->arena;
    if (countable && tac_arena_count(&setup->compile->world->arena, (size_t)bytes)) return TAC_OK;
    return tac_setup_fail(setup, error, NULL, "needs about %.3g GB; the world may take %.3g GB", bytes / 1e9,
                          (double)(arena->limit ? arena->limit : SIZE_MAX / 2) / 1e9);
}

TacStatus tac_setup_state(TacSetup *setup, void *data, size_t bytes, TacError *error) {
    TacWorld *world = setup->compile->world;
    if (!tac_grow(&world->blocks, &world->block_capacity, world->block_count + 1, sizeof *world->blocks))
        return tac_fail_memory(error, 0);
    world->blocks[world->block_count++] = (TacStateBlock){data, bytes};
    return TAC_OK;
}

const TacTopology *tac_setup_topology(const TacSetup *setup) {
    return (const TacTopology *)tac_compile_nearest(setup->compile, instance_of(setup)->node,
                                                    TAC_KIND_TOPOLOGY);
}

int tac_setup_threads(const TacSetup *setup) {
    return tac_team_size(setup->compile->world->team);
}

const TacTopology *tac_setup_topology_of(const TacSetup *setup, const TacMatter *matter) {
    uint32_t node = setup->compile->instances[matter->base.index].node;
    return (const TacTopology *)tac_compile_nearest(setup->compile, node, TAC_KIND_TOPOLOGY);
}

double tac_setup_mass_of(const TacSetup *setup, const TacMatter *matter, size_t point) {
    const TacCompile *compile = setup->compile;
    size_t n = tac_vector_size(matter, TAC_V), each = (size_t)matter->velocity_size;
    for (uint32_t i = 0; i < setup->instance; i++) {
        TacMass *mass = (TacMass *)compile->instances[i].component;
        if (!mass || mass->base.cls->kind != TAC_KIND_MASS || mass->matter != matter ||
            point >= matter->count)
            continue;
        // a push on the one point alone
        double *unit = calloc(n, sizeof *unit), *out = calloc(n, sizeof *out), kg = 0;
        TacContext context = {0, 0, NULL};
        if (unit && out) {
            unit[each * point] = 1;
            mass->base.cls->ops.mass->product(mass, &context, matter->vectors[TAC_X], unit, out, 1);
            kg = out[each * point];
        }
        free(unit);
        free(out);
        return kg;
    }
    return 0;
}

static const TacSceneComponent *source_of(const TacSetup *setup) {
    return &setup->compile->scene->components[instance_of(setup)->source];
}

bool tac_setup_given(const TacSetup *setup, const char *attribute) {
    const TacSceneComponent *source = source_of(setup);
    uint32_t i = tac_class_attribute(source->cls, attribute);
    return i != TAC_NONE && source->values[i].given;
}

// Where an attribute stands, or its component when the attribute was not written.
static TacPlace place_of(const TacSetup *setup, const char *attribute) {
    const TacSceneComponent *source = source_of(setup);
    uint32_t i = attribute ? tac_class_attribute(source->cls, attribute) : TAC_NONE;
    if (i != TAC_NONE && source->values[i].given && source->values[i].place.line)
        return source->values[i].place;
    return source->place;
}

// "/node/name (Class): " before the message, with the place of the attribute.
static void place_message(const TacSetup *setup, TacError *error, TacStatus status, const char *attribute,
                          const char *format, va_list args) {
    char text[1024];
    vsnprintf(text, sizeof text, format, args);
    TacPlace place = place_of(setup, attribute);
    tac_fail_at(error, status, place.file, place.line, place.column, "%s (%s): %s",
                instance_of(setup)->component->path, source_of(setup)->cls->name, text);
}

TacStatus tac_setup_fail(TacSetup *setup, TacError *error, const char *attribute, const char *format, ...) {
    va_list args;
    va_start(args, format);
    place_message(setup, error, TAC_BAD_INPUT, attribute, format, args);
    va_end(args);
    return TAC_BAD_INPUT;
}

void tac_setup_warn(TacSetup *setup, const char *attribute, const char *format, ...) {
    TacError remark;
    va_list args;
    va_start(args, format);
    place_message(setup, &remark, TAC_OK, attribute, format, args);
    va_end(args);
    tac_tree_message(setup->compile->scene, false, &remark);
}

uint64_t tac_setup_seed(const TacSetup *setup) {
    uint64_t hash = setup->compile->world->seed ^ 0x9E3779B97F4A7C15ULL;
    for (const char *p = instance_of(setup)->component->path; *p; p++)
        hash = (hash ^ (unsigned char)*p) * 0x100000001B3ULL;
    return hash;
}

// --- links ------------------------------------------------------------------------------------------------

TacComponent *tac_compile_nearest(const TacCompile *compile, uint32_t node, TacComponentKind kind) {
    for (; node != TAC_NONE; node = compile->scene->nodes[node].parent)
        if (compile->latest[node].of_kind[kind]) return compile->latest[node].of_kind[kind];
    return NULL;
}

static TacStatus fail_link(const TacSetup *setup, const TacAttribute *attribute, const TacValue *value,
                           TacError *error, const char *format, ...) TAC_PRINTF(5, 6);

static TacStatus fail_link(const TacSetup *setup, const TacAttribute *attribute, const TacValue *value,
                           TacError *error, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    TacPlace place = value->place.line ? value->place : source_of(setup)->place;
    return tac_fail_at(error, TAC_BAD_INPUT, place.file, place.line, place.column,
                       "%s (%s): %s=\"@%.80s\": %s", instance_of(setup)->component->path,
                       source_of(setup)->cls->name, attribute->name, value->link, text);
}

// The names that a link from this node could have meant.
static const char *nearest_target(const TacCompile *compile, uint32_t node, const char *path, size_t length) {
    const char *names[512];
    size_t n = 0;
    const TacScene *scene = compile->scene;
    const char *last = path;
    for (size_t i = 0; i < length; i++)
        if (path[i] == '/') last = path + i + 1;
    char wanted[64];
    snprintf(wanted, sizeof wanted, "%.*s", (int)(length - (size_t)(last - path)), last);
    for (; node != TAC_NONE; node = scene->nodes[node].parent)
        for (uint32_t i = scene->nodes[node].first_component; i != TAC_NONE && n < TAC_COUNT(names);
             i = scene->components[i].next)
            names[n++] = scene->components[i].name;
    return tac_nearest(wanted, names, n);
}

// The instance that a link leads to; `length` characters of the link are the component's path.
static TacStatus follow(const TacSetup *setup, const TacAttribute *attribute, const TacValue *value,
                        size_t length, TacComponent **target, TacError *error) {
    const TacCompile *compile = setup->compile;
    uint32_t node = instance_of(setup)->node;
    uint32_t source = tac_tree_follow(compile->scene, node, value->link, length);
    if (source == TAC_NONE) {
        const char *near = nearest_target(compile, node, value->link, length);
        return fail_link(setup, attribute, value, error, "there is no such component%s%s%s",
                         near ? "; did you mean @" : "", near ? near : "", near ? "?" : "");
    }
    if (compile->of_source[source] == TAC_NONE)
        return fail_link(setup, attribute, value, error,
                         "that component comes later in the scene; move it before this one");
    *target = compile->instances[compile->of_source[source]].component;
    return TAC_OK;
}

// A number is a list of one: where lists are expected, a link to a number will do.
static TacStatus resolve_number_as_list(const TacSetup *setup, const TacAttribute *attribute,
                                        const TacValue *value, double number, void *self, TacError *error) {
    if (isnan(number)) return fail_link(setup, attribute, value, error, "nothing is given there");
    double *kept = tac_arena_array(&setup->compile->world->arena, 1, sizeof *kept);
    if (!kept) return tac_fail_memory(error, sizeof *kept);
    *kept = number;
    TacReals list = {kept, 1};
    memcpy((char *)self + attribute->offset, &list, sizeof list);
    const char *expected = tac_value_unfit(attribute, self);
    return expected ? fail_link(setup, attribute, value, error, "%s was expected", expected) : TAC_OK;
}

static TacStatus resolve_component(const TacSetup *setup, const TacAttribute *attribute,
                                   const TacValue *value, void *self, TacError *error) {
    TacComponent *target;
    TAC_TRY(follow(setup, attribute, value, strlen(value->link), &target, error));
    const char *kind = tac_component_kind_name(target->cls->kind);
    bool any = !attribute->accepts || !strcmp(attribute->accepts, "component");
    if (!any && strcmp(kind, attribute->accepts))
        return fail_link(setup, attribute, value, error, "%s is a %s; a %s was expected", target->path, kind,
                         attribute->accepts);
    memcpy((char *)self + attribute->offset, &target, sizeof target);
    return TAC_OK;
}

// "@component.attribute": the same value as over there.
static TacStatus resolve_value(const TacSetup *setup, const TacAttribute *attribute, const TacValue *value,
                               void *self, TacError *error) {
    const char *dot = strrchr(value->link, '.');
    if (!dot || strchr(dot, '/'))
        return fail_link(setup, attribute, value, error, "a link to a value ends in .attribute");
    TacComponent *target;
    TAC_TRY(follow(setup, attribute, value, (size_t)(dot - value->link), &target, error));
    uint32_t i;
    TacError unknown;
    if (tac_class_find_attribute(target->cls, dot + 1, (TacPlace){0}, &i, &unknown) != TAC_OK)
        return fail_link(setup, attribute, value, error, "%s", unknown.message);
    const TacAttribute *there = &target->cls->attributes[i];
    if (there->type == TAC_REAL && attribute->type == TAC_REALS) {
        double number;
        memcpy(&number, (const char *)target + there->offset, sizeof number);
        return resolve_number_as_list(setup, attribute, value, number, self, error);
    }
    if (there->type != attribute->type)
        return fail_link(setup, attribute, value, error, "%s is a %s; a %s was expected", there->name,
                         tac_type_name(there->type), tac_type_name(attribute->type));
    if (attribute->type == TAC_CHOICE && strcmp(attribute->accepts, there->accepts))
        return fail_link(setup, attribute, value, error, "%s is one of %s; one of %s was expected",
                         there->name, there->accepts, attribute->accepts);
    memcpy((char *)self + attribute->offset, (const char *)target + there->offset,
           tac_type_size(attribute->type));
    const char *expected = tac_value_unfit(attribute, self);
    return expected ? fail_link(setup, attribute, value, error, "%s was expected", expected) : TAC_OK;
}

// --- attributes -------------------------------------------------------------------------------------------

static TacStatus write_attribute(TacSetup *setup, size_t i, void *self, TacError *error) {
    TacCompile *compile = setup->compile;
    const TacSceneComponent *source = source_of(setup);
    const TacAttribute *attribute = &source->cls->attributes[i];
    const TacValue *value = &source->values[i];
    TacValue initial = {0};
    if (!value->given) {
        if (!attribute->initial)
            return tac_setup_fail(setup, error, NULL, "needs the attribute %s (%s): %s", attribute->name,
                                  tac_type_name(attribute->type), attribute->doc);
        if (*attribute->initial)
            TAC_TRY(tac_value_parse(&compile->world->arena, attribute, attribute->initial, (TacPlace){0}, "",
                                    &initial, error));
        value = &initial;
    }
    if (value->link)
        return attribute->type == TAC_LINK ? resolve_component(setup, attribute, value, self, error)
                                           : resolve_value(setup, attribute, value, self, error);
    // a scene may be gone before its world: what is stored by pointer is copied
    TacValue kept = *value;
    if (value != &initial) {
        TacArena *arena = &compile->world->arena;
        if (value->text && !(kept.text = tac_arena_text(arena, value->text)))
            return tac_fail_memory(error, 0);
        if (value->reals) {
            double *copy = tac_arena_array(arena, value->count, sizeof *copy);
            if (!copy) return tac_fail_memory(error, value->count * sizeof *copy);
            kept.reals = memcpy(copy, value->reals, value->count * sizeof *copy);
        }
        if (value->ints) {
            int32_t *copy = tac_arena_array(arena, value->count, sizeof *copy);
            if (!copy) return tac_fail_memory(error, value->count * sizeof *copy);
            kept.ints = memcpy(copy, value->ints, value->count * sizeof *copy);
        }
    }
    tac_value_store(attribute, &kept, self);
    return TAC_OK;
}

// --- heads ------------------------------------------------------------------------------------------------

static TacStatus take_matter(TacSetup *setup, TacMatter **matter, uint32_t node, TacError *error) {
    if (!*matter) *matter = (TacMatter *)tac_compile_nearest(setup->compile, node, TAC_KIND_MATTER);
    if (!*matter)
        return tac_setup_fail(setup, error, NULL,
                              "found no matter in its node or above: put Points or Frames before it");
    const TacClass *cls = instance_of(setup)->component->cls;
    if (cls->kinds && !(cls->kinds & 1u << (*matter)->kind)) {
        char fits[80] = "";
        for (int k = 0; k < TAC_MATTER_KINDS; k++)
            if (cls->kinds & 1u << k) {
                size_t n = strlen(fits);
                snprintf(fits + n, sizeof fits - n, "%s%s", n ? ", " : "",
                         tac_matter_kind_name((TacMatterKind)k));
            }
        return tac_setup_fail(setup, error, "matter", "%s is %s; this works on %s", (*matter)->base.path,
                              tac_matter_kind_name((*matter)->kind), fits);
    }
    return TAC_OK;
}

TacVec3 tac_compile_gravity(const TacCompile *compile, uint32_t node) {
    for (; node != TAC_NONE; node = compile->scene->nodes[node].parent)
        if (compile->latest[node].gravity) return compile->latest[node].gravity->acceleration;
    TacVec3 g = compile->world->settings->gravity;
    return isnan(g.x) ? tac_scale(compile->world->up, -9.81) : g;
}

// Fills in what the scene left open: the nearest matter, the gravity that holds here.
static TacStatus complete_head(TacSetup *setup, TacError *error) {
    const TacInstance *instance = instance_of(setup);
    TacComponent *c = instance->component;
    const TacSceneNode *node = &setup->compile->scene->nodes[instance->node];
    switch (c->cls->kind) {
    case TAC_KIND_LAW: {
        TacLaw *law = (TacLaw *)c;
        TAC_TRY(take_matter(setup, &law->matter[0], instance->node, error));
        if (tac_class_attribute(c->cls, "other") == TAC_NONE) return TAC_OK;
        if (!law->matter[1]) law->matter[1] = law->matter[0];
        if (law->matter[1]->kind != law->matter[0]->kind)
            return tac_setup_fail(setup, error, "other", "%s is %s but %s is %s", law->matter[0]->base.path,
                                  tac_matter_kind_name(law->matter[0]->kind), law->matter[1]->base.path,
                                  tac_matter_kind_name(law->matter[1]->kind));
        return TAC_OK;
    }
    case TAC_KIND_MASS: {
        TacMass *mass = (TacMass *)c;
        mass->gravity = tac_compile_gravity(setup->compile, instance->node);
        return take_matter(setup, &mass->matter, instance->node, error);
    }
    case TAC_KIND_CONSTRAINT: return take_matter(setup, &((TacConstraint *)c)->matter, instance->node, error);
    case TAC_KIND_MAP: {
        TacMap *map = (TacMap *)c;
        if (!map->child)
            map->child = (TacMatter *)tac_compile_nearest(setup->compile, instance->node, TAC_KIND_MATTER);
        if (!map->child) return tac_setup_fail(setup, error, NULL, "found no matter that could follow");
        uint32_t child_node = setup->compile->instances[map->child->base.index].node;
        uint32_t above = setup->compile->scene->nodes[child_node].parent;
        if (!map->parent && above != TAC_NONE)
            map->parent = (TacMatter *)tac_compile_nearest(setup->compile, above, TAC_KIND_MATTER);
        if (!map->parent)
            return tac_setup_fail(setup, error, NULL, "found no matter above %s that could be followed",
                                  node->name);
        if (map->parent == map->child)
            return tac_setup_fail(setup, error, NULL,
                                  "matter cannot follow itself: parent and child are both %s",
                                  map->child->base.path);
        return TAC_OK;
    }
    case TAC_KIND_JOINT:
        if (tac_class_attribute(c->cls, "matter") == TAC_NONE) return TAC_OK;
        return take_matter(setup, &((TacJoint *)c)->matter[0], instance->node, error);
    case TAC_KIND_COLLISION:
    case TAC_KIND_PROBE:
    case TAC_KIND_SETTING: {
        // collision models, probes and looks have their matter right behind the common head
        uint32_t i = tac_class_attribute(c->cls, "matter");
        if (i == TAC_NONE) return TAC_OK;
        TacMatter **field = (TacMatter **)(void *)((char *)c + c->cls->attributes[i].offset);
        return take_matter(setup, field, instance->node, error);
    }
    default: return TAC_OK;
    }
}

// --- one component ----------------------------------------------------------------------------------------

// The component fills the place of its tree: errors without a place get it.
static TacStatus with_place(const TacSetup *setup, TacStatus status, TacError *error) {
    bool placeable = status == TAC_BAD_INPUT || status == TAC_NO_MEMORY;
    if (!placeable || !error || error->line || error->file[0]) return status;
    TacError why = *error;
    TacPlace place = source_of(setup)->place;
    return tac_fail_at(error, status, place.file, place.line, place.column, "%s (%s): %s",
                       instance_of(setup)->component->path, source_of(setup)->cls->name, why.message);
}

// Of what is flat, the one that is most nearly level is drawn as the ground; walls and ceilings are not.
static void note_ground(TacCompile *compile, TacVec3 normal, double offset) {
    static const double least = 0.5; // cosine of the steepest
    TacGround *ground = &compile->ground;
    double level = tac_dot(normal, compile->world->up);
    if (level > (ground->visible ? tac_dot(ground->normal, compile->world->up) : least))
        *ground = (TacGround){normal, offset, true};
}

static void note_half_space(TacCompile *compile, const TacShapeModel *shape) {
    if (shape->convex.kind != TAC_CONVEX_HALF_SPACE) return;
    const double *x = shape->collision.matter->vectors[TAC_X] + 7 * (size_t)shape->frame[0];
    TacQuat q = tac_load_quat(x + 3);
    TacVec3 up = tac_rotate(tac_quat_mul(q, shape->turn), tac_vec3(0, 1, 0));
    TacVec3 at = tac_add(tac_load3(x), tac_rotate(q, shape->position));
    note_ground(compile, up, tac_dot(up, at));
}

static void note_world_settings(TacCompile *compile, TacComponent *c) {
    if (c->cls == &tac_record_class) compile->world->record = (TacRecordSetting *)c;
    if (c->cls == &tac_plane_class)
        note_ground(compile, ((const TacPlane *)c)->normal, ((const TacPlane *)c)->offset);
    if (c->cls == &tac_shape_model_class) note_half_space(compile, (TacShapeModel *)c);
    if (c->cls != &tac_world_class) return;
    compile->world->settings = (TacWorldSettings *)c;
    compile->world->up = compile->world->settings->up == 1 ? tac_vec3(0, 0, 1) : tac_vec3(0, 1, 0);
}

static TacStatus make_instance(TacCompile *compile, uint32_t source, TacError *error) {
    const TacSceneComponent *from = &compile->scene->components[source];
    TacWorld *world = compile->world;
    TacComponent *c = tac_arena_alloc(&world->arena, from->cls->size);
    char *path = tac_tree_path(compile->scene, source, &world->arena);
    char *name = tac_arena_text(&world->arena, from->name);
    char *file = from->place.file ? tac_arena_text(&world->arena, from->place.file) : NULL;
    if (!c || !path || !name || (from->place.file && !file)) return tac_fail_memory(error, from->cls->size);
    uint32_t index = (uint32_t)compile->count;
    *c = (TacComponent){from->cls, name, path, file, from->place.line, from->place.column, index};
    compile->instances[index] = (TacInstance){source, from->node, c};
    TacSetup setup = {compile, index};
    compile->count++;

    for (size_t i = 0; i < from->cls->attribute_count; i++)
        TAC_TRY(with_place(&setup, write_attribute(&setup, i, c, error), error));
    TAC_TRY(complete_head(&setup, error));
    // from here on it has something to finish
    world->components[world->component_count] = c;
    TacComponentId id = tac_tree_component_id(compile->scene, source);
    world->component_ids[2 * world->component_count] = id.index1;
    world->component_ids[2 * world->component_count + 1] = id.generation;
    world->component_count++;
    if (from->cls->init) TAC_TRY(with_place(&setup, from->cls->init(c, &setup, error), error));
    if (from->cls->kind == TAC_KIND_JOINT) // it may open and close
        TAC_TRY(tac_compile_declare_state(world, &((TacJoint *)c)->open, sizeof(bool), error));
    compile->of_source[source] = index;
    compile->latest[from->node].of_kind[from->cls->kind] = c;
    if (from->cls == &tac_gravity_class) compile->latest[from->node].gravity = (TacGravity *)c;
    if (from->cls->kind == TAC_KIND_MATTER) {
        compile->instance_of[world->matter_count] = index;
        world->matters[world->matter_count++] = (TacMatter *)c;
    }
    note_world_settings(compile, c);
    return TAC_OK;
}

TacStatus tac_compile_twin(TacCompile *compile, const TacComponent *of, TacComponent **twin,
                           TacError *error) {
    const TacClass *cls = of->cls;
    TacInstance *instance = &compile->instances[of->index];
    TacComponent *c = tac_arena_alloc(&compile->world->arena, cls->size), *first = instance->component;
    if (!c) return tac_fail_memory(error, cls->size);
    *c = *of;
    TacSetup setup = {compile, of->index};
    TacStatus status = TAC_OK;
    instance->component = c; // while it is set up
    for (size_t i = 0; i < cls->attribute_count && status == TAC_OK; i++)
        status = write_attribute(&setup, i, c, error);
    if (status == TAC_OK) status = complete_head(&setup, error);
    if (status == TAC_OK && cls->init) status = cls->init(c, &setup, error);
    status = with_place(&setup, status, error);
    instance->component = first;
    *twin = c;
    return status;
}

// A Gravity that stands behind a mass that it is meant for would go unnoticed.
static TacStatus check_gravity(TacCompile *compile, TacError *error) {
    for (uint32_t i = 0; i < compile->count; i++) {
        const TacMass *mass = (const TacMass *)compile->instances[i].component;
        if (mass->base.cls->kind != TAC_KIND_MASS) continue;
        TacVec3 g = tac_compile_gravity(compile, compile->instances[i].node);
        if (!memcmp(&g, &mass->gravity, sizeof g)) continue;
        return tac_compile_fail(
            compile, &mass->base, error,
            "a Gravity that holds for it comes later in the scene; move it before this one");
    }
    return TAC_OK;
}

// In the order in which the scene was written, so that a law may stand after the nodes it ties together.
TacStatus tac_compile_instances(TacCompile *compile, TacError *error) {
    size_t count = compile->scene->component_count;
    for (size_t i = 0; i < count; i++) {
        if (!compile->scene->components[i].alive) continue;
        tac_compile_stage(compile, "making components", 0.4 * (double)i / (double)count);
        TAC_TRY(make_instance(compile, (uint32_t)i, error));
    }
    return check_gravity(compile, error);
}
