// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Building and looking at the authoring tree. See tree.h.

#include "scene/tree.h"
#include "base/text.h"

#include <ctype.h>
#include <dlfcn.h>

enum { MOST_MESSAGES = 100, DEEPEST = 256, LONGEST_PATH = 1000 };

// --- classes ----------------------------------------------------------------------------------------------

static TacStatus add_class(TacScene *scene, const TacClass *cls, TacError *error) {
    if (!tac_grow(&scene->classes, &scene->class_capacity, scene->class_count + 1, sizeof *scene->classes))
        return tac_fail_memory(error, 0);
    scene->classes[scene->class_count++] = cls;
    return TAC_OK;
}

const TacClass *tac_scene_find_class(const TacScene *scene, const char *name) {
    for (size_t i = 0; i < scene->class_count; i++)
        if (!strcmp(scene->classes[i]->name, name)) return scene->classes[i];
    return NULL;
}

const char *tac_scene_nearest_class(const TacScene *scene, const char *name) {
    const char *names[256];
    size_t n = 0;
    for (size_t i = 0; i < scene->class_count && n < TAC_COUNT(names); i++)
        names[n++] = scene->classes[i]->name;
    return tac_nearest(name, names, n);
}

size_t tac_scene_class_count(const TacScene *scene) {
    return scene->class_count;
}

const TacClass *tac_scene_class(const TacScene *scene, size_t i) {
    return i < scene->class_count ? scene->classes[i] : NULL;
}

uint32_t tac_class_attribute(const TacClass *cls, const char *name) {
    for (size_t i = 0; i < cls->attribute_count; i++)
        if (!strcmp(cls->attributes[i].name, name)) return (uint32_t)i;
    return TAC_NONE;
}

// What attributes are called elsewhere, and here. Only where the class has the second.
static const char *same_as(const TacClass *cls, const char *name) {
    static const char *const table[][2] = {
        {"youngModulus", "young"},
        {"poissonRatio", "poisson"},
        {"totalMass", "total"},
        {"massDensity", "density"},
        {"rho", "density"},
        {"indices", "points"},
        {"path", "file"},
        {"filename", "file"},
        {"fov", "field_of_view"},
        {"fovy", "field_of_view"},
        {"fieldOfView", "field_of_view"},
        {"mu", "friction"},
        {"k", "stiffness"},
        {"pos", "translation"},
    };
    for (size_t i = 0; i < TAC_COUNT(table); i++)
        if (!strcmp(name, table[i][0]) && tac_class_attribute(cls, table[i][1]) != TAC_NONE)
            return table[i][1];
    return NULL;
}

TacStatus tac_class_find_attribute(const TacClass *cls, const char *name, TacPlace place, uint32_t *index,
                                   TacError *error) {
    *index = tac_class_attribute(cls, name);
    if (*index != TAC_NONE) return TAC_OK;
    const char *names[64];
    size_t n = 0;
    for (size_t i = 0; i < cls->attribute_count && n < TAC_COUNT(names); i++)
        if (!(cls->attributes[i].flags & TAC_OUTPUT)) names[n++] = cls->attributes[i].name;
    // the other way to write balls, which there once was
    if (!strcmp(cls->name, "Skin") && !strcmp(name, "balls"))
        return tac_fail_at(error, TAC_BAD_INPUT, place.file, place.line, place.column,
                           "Skin has no attribute \"balls\": the component Balls puts a ball on each point");
    const char *near = same_as(cls, name);
    if (!near) near = tac_nearest(name, names, n);
    if (near)
        return tac_fail_at(error, TAC_BAD_INPUT, place.file, place.line, place.column,
                           "%s has no attribute \"%s\"; did you mean \"%s\"?", cls->name, name, near);
    return tac_fail_at(error, TAC_BAD_INPUT, place.file, place.line, place.column,
                       "%s has no attribute \"%s\" (`tactus components %s` lists what it has)", cls->name,
                       name, cls->name);
}

// --- classes of others ------------------------------------------------------------------------------------

// How much of a component's struct its head takes.
static size_t head_size(TacComponentKind kind) {
    switch (kind) {
    case TAC_KIND_LAW: return sizeof(TacLaw);
    case TAC_KIND_MAP: return sizeof(TacMap);
    case TAC_KIND_MASS: return sizeof(TacMass);
    case TAC_KIND_CONSTRAINT: return sizeof(TacConstraint);
    case TAC_KIND_JOINT: return sizeof(TacJoint);
    case TAC_KIND_TOPOLOGY: return sizeof(TacTopology);
    case TAC_KIND_MATTER: return sizeof(TacMatter);
    default: return sizeof(TacComponent);
    }
}

static bool is_class_name(const char *name) {
    if (!name || !isalpha((unsigned char)name[0])) return false;
    size_t length = 1;
    while (isalnum((unsigned char)name[length]) || name[length] == '_') length++;
    return name[length] == '\0' && length <= 60;
}

static TacStatus check_attribute(const TacClass *cls, const TacAttribute *a, TacError *error) {
    if (!a->name || !*a->name || !a->unit || !a->doc)
        return tac_fail(error, TAC_BAD_USAGE, "an attribute of %s lacks its name, its unit or its text",
                        cls->name);
    size_t size = tac_type_size(a->type);
    if (size == 0)
        return tac_fail(error, TAC_BAD_USAGE, "%s of %s has no type that there is", a->name, cls->name);
    if (a->offset > cls->size || cls->size - a->offset < size || a->offset < sizeof(TacComponent))
        return tac_fail(error, TAC_BAD_USAGE, "%s of %s lies outside of its struct, or in its head", a->name,
                        cls->name);
    if ((a->type == TAC_LINK || a->type == TAC_CHOICE) && !a->accepts)
        return tac_fail(error, TAC_BAD_USAGE, "%s of %s does not say what it accepts", a->name, cls->name);
    return TAC_OK;
}

static TacStatus check_class(const TacScene *scene, const TacClass *cls, TacError *error) {
    if (!cls || !is_class_name(cls->name))
        return tac_fail(error, TAC_BAD_USAGE,
                        "a class needs a name of letters, digits and _ that begins with a letter");
    if (tac_scene_find_class(scene, cls->name))
        return tac_fail(error, TAC_BAD_INPUT, "there is a component %s already", cls->name);
    if ((unsigned)cls->kind >= TAC_KIND_COUNT || !cls->doc)
        return tac_fail(error, TAC_BAD_USAGE, "%s lacks its kind or its text", cls->name);
    if (cls->size < head_size(cls->kind))
        return tac_fail(error, TAC_BAD_USAGE, "%s is smaller (%zu bytes) than the head of a %s (%zu)",
                        cls->name, cls->size, tac_component_kind_name(cls->kind), head_size(cls->kind));
    if (cls->kind == TAC_KIND_LAW && (!cls->ops.law || !cls->ops.law->force))
        return tac_fail(error, TAC_BAD_USAGE, "%s is a law without a force", cls->name);
    for (size_t i = 0; i < cls->attribute_count; i++)
        TAC_TRY(check_attribute(cls, &cls->attributes[i], error));
    return TAC_OK;
}

TacStatus tac_scene_add_class(TacScene *scene, const TacClass *cls, TacError *error) {
    TAC_TRY(check_class(scene, cls, error));
    return add_class(scene, cls, error);
}

TacStatus tac_scene_load_plugin(TacScene *scene, const char *path, TacError *error) {
    // a bare name would be searched in system folders; a plugin is a file that the user points at
    char full[4096];
    snprintf(full, sizeof full, "%s%s", strchr(path, '/') ? "" : "./", path);
    if (!tac_grow(&scene->plugins, &scene->plugin_capacity, scene->plugin_count + 1, sizeof *scene->plugins))
        return tac_fail_memory(error, 0);
    void *handle = dlopen(full, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return tac_fail_at(error, TAC_BAD_INPUT, path, 0, 0, "is not a plugin that loads: %s", dlerror());
    scene->plugins[scene->plugin_count++] = handle;
    const TacPlugin *plugin = dlsym(handle, "tac_plugin");
    if (!plugin)
        return tac_fail_at(error, TAC_BAD_INPUT, path, 0, 0,
                           "is not a plugin: it does not define tac_plugin");
    if (plugin->abi != TAC_COMPONENT_ABI)
        return tac_fail_at(error, TAC_BAD_INPUT, path, 0, 0,
                           "was made for component interface %u; this is %u", plugin->abi, TAC_COMPONENT_ABI);
    for (size_t i = 0; i < plugin->class_count; i++) {
        TacError why;
        if (tac_scene_add_class(scene, plugin->classes[i], &why) != TAC_OK)
            return tac_fail_at(error, why.status, path, 0, 0, "%s", why.message);
    }
    return TAC_OK;
}

// --- handles ----------------------------------------------------------------------------------------------

TacSceneNode *tac_tree_node(const TacScene *scene, TacNodeId id) {
    if (id.index1 == 0 || id.index1 > scene->node_count) return NULL;
    TacSceneNode *node = &scene->nodes[id.index1 - 1];
    return node->alive && node->generation == id.generation ? node : NULL;
}

TacSceneComponent *tac_tree_component(const TacScene *scene, TacComponentId id) {
    if (id.index1 == 0 || id.index1 > scene->component_count) return NULL;
    TacSceneComponent *component = &scene->components[id.index1 - 1];
    return component->alive && component->generation == id.generation ? component : NULL;
}

TacComponentId tac_tree_component_id(const TacScene *scene, uint32_t index) {
    return index == TAC_NONE ? (TacComponentId){0, 0}
                             : (TacComponentId){index + 1, scene->components[index].generation};
}

TacNodeId tac_tree_node_id(const TacScene *scene, uint32_t index) {
    return index == TAC_NONE ? (TacNodeId){0, 0} : (TacNodeId){index + 1, scene->nodes[index].generation};
}

TacNodeId tac_scene_root(const TacScene *scene) {
    return tac_tree_node_id(scene, 0);
}
TacComponentId tac_scene_world(const TacScene *scene) {
    return tac_tree_component_id(scene, 0);
}
bool tac_scene_node_exists(const TacScene *scene, TacNodeId node) {
    return tac_tree_node(scene, node) != NULL;
}
bool tac_scene_exists(const TacScene *scene, TacComponentId id) {
    return tac_tree_component(scene, id) != NULL;
}

// --- building ---------------------------------------------------------------------------------------------

static bool is_name(const char *name) {
    if (!*name) return false;
    for (const char *p = name; *p; p++) {
        bool good = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
                    *p == '_' || *p == '-' || (unsigned char)*p >= 0x80;
        if (!good) return false;
    }
    return true;
}

static uint32_t child_named(const TacScene *scene, uint32_t node, const char *name, size_t length) {
    const TacName *entry = tac_names_find(&scene->names, node, name, length);
    return entry ? entry->child : TAC_NONE;
}

static uint32_t component_named(const TacScene *scene, uint32_t node, const char *name, size_t length) {
    const TacName *entry = tac_names_find(&scene->names, node, name, length);
    return entry ? entry->component : TAC_NONE;
}

static bool is_taken(const TacScene *scene, uint32_t node, const char *name) {
    const TacName *entry = tac_names_find(&scene->names, node, name, strlen(name));
    return entry && (entry->child != TAC_NONE || entry->component != TAC_NONE);
}

// base, then base1, base2, ...; the search goes on where the last one ended.
static void make_fresh(const TacScene *scene, uint32_t parent, const char *base, char fresh[128]) {
    snprintf(fresh, 128, "%.100s", base);
    if (!is_taken(scene, parent, fresh)) return;
    TacName *entry = tac_names_find(&scene->names, parent, fresh, strlen(fresh));
    do snprintf(fresh, 128, "%.100s%u", base, entry->next_fresh++);
    while (is_taken(scene, parent, fresh));
}

// The name given, checked, or a fresh one; kept, with an entry for its owner to fill.
static TacStatus choose_name(TacScene *scene, uint32_t parent, const char *name, const char *base,
                             TacName **entry, TacError *error) {
    char fresh[128];
    if (name && *name) {
        if (!is_name(name))
            return tac_fail(error, TAC_BAD_INPUT, "\"%.60s\" is not a name: use letters, digits, _ and -",
                            name);
        if (is_taken(scene, parent, name))
            return tac_fail(error, TAC_BAD_INPUT, "there is something named \"%.100s\" in this node already",
                            name);
    } else {
        make_fresh(scene, parent, base, fresh);
        name = fresh;
    }
    if (scene->nodes[parent].path_length + 1 + strlen(name) > LONGEST_PATH)
        return tac_fail(error, TAC_BAD_INPUT,
                        "\"%.60s\" and the names above it make a path of more than %d bytes", name,
                        LONGEST_PATH);
    const char *kept = tac_arena_text(&scene->arena, name);
    *entry = kept ? tac_names_add(&scene->names, parent, kept) : NULL;
    return *entry ? TAC_OK : tac_fail_memory(error, 0);
}

TacStatus tac_scene_add_node(TacScene *scene, TacNodeId parent_id, const char *name, TacNodeId *id,
                             TacError *error) {
    *id = (TacNodeId){0, 0};
    if (!tac_tree_node(scene, parent_id))
        return tac_fail(error, TAC_BAD_USAGE, "the parent node does not exist");
    uint32_t parent = parent_id.index1 - 1;
    if (scene->nodes[parent].depth >= DEEPEST)
        return tac_fail(error, TAC_BAD_INPUT, "nodes are nested deeper than %d", DEEPEST);
    if (!tac_grow(&scene->nodes, &scene->node_capacity, scene->node_count + 1, sizeof *scene->nodes))
        return tac_fail_memory(error, 0);
    TacName *entry;
    TAC_TRY(choose_name(scene, parent, name, "node", &entry, error));
    uint32_t index = (uint32_t)scene->node_count++;
    entry->child = index;
    uint32_t above = scene->nodes[parent].path_length;
    scene->nodes[index] = (TacSceneNode){.name = entry->text,
                                         .folder = scene->nodes[parent].folder,
                                         .parent = parent,
                                         .first_child = TAC_NONE,
                                         .last_child = TAC_NONE,
                                         .next = TAC_NONE,
                                         .first_component = TAC_NONE,
                                         .last_component = TAC_NONE,
                                         .generation = 1,
                                         .depth = scene->nodes[parent].depth + 1,
                                         .path_length = above + 1 + (uint32_t)strlen(entry->text),
                                         .alive = true};
    TacSceneNode *p = &scene->nodes[parent];
    if (p->last_child == TAC_NONE)
        p->first_child = index;
    else
        scene->nodes[p->last_child].next = index;
    p->last_child = index;
    *id = tac_tree_node_id(scene, index);
    return TAC_OK;
}

TacStatus tac_scene_add(TacScene *scene, TacNodeId node_id, const char *class_name, const char *name,
                        TacComponentId *id, TacError *error) {
    *id = (TacComponentId){0, 0};
    if (!tac_tree_node(scene, node_id)) return tac_fail(error, TAC_BAD_USAGE, "the node does not exist");
    uint32_t node = node_id.index1 - 1;
    const TacClass *cls = tac_scene_find_class(scene, class_name);
    if (!cls) {
        const char *near = tac_scene_nearest_class(scene, class_name);
        // one that begins otherwise may be far from what was meant
        bool sure = near && (near[0] | 32) == (class_name[0] | 32);
        return tac_fail(error, TAC_BAD_INPUT, "there is no component \"%.60s\"%s%s%s%s", class_name,
                        near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "",
                        sure   ? ""
                        : near ? " One from a plugin must be loaded first (--plugin FILE)"
                               : "; one from a plugin must be loaded first (--plugin FILE)");
    }
    char base[64];
    snprintf(base, sizeof base, "%.60s", cls->name);
    if (base[0] >= 'A' && base[0] <= 'Z') base[0] = (char)(base[0] - 'A' + 'a');
    TacValue *values = tac_arena_array(&scene->arena, cls->attribute_count, sizeof *values);
    if (!values || !tac_grow(&scene->components, &scene->component_capacity, scene->component_count + 1,
                             sizeof *scene->components))
        return tac_fail_memory(error, 0);
    TacName *entry;
    TAC_TRY(choose_name(scene, node, name, base, &entry, error));
    uint32_t index = (uint32_t)scene->component_count++;
    entry->component = index;
    scene->components[index] = (TacSceneComponent){.cls = cls,
                                                   .name = entry->text,
                                                   .node = node,
                                                   .next = TAC_NONE,
                                                   .generation = 1,
                                                   .alive = true,
                                                   .values = values};
    TacSceneNode *n = &scene->nodes[node];
    if (n->last_component == TAC_NONE)
        n->first_component = index;
    else
        scene->components[n->last_component].next = index;
    n->last_component = index;
    *id = tac_tree_component_id(scene, index);
    return TAC_OK;
}

TacStatus tac_scene_remove(TacScene *scene, TacComponentId id, TacError *error) {
    TacSceneComponent *c = tac_tree_component(scene, id);
    if (!c) return tac_fail(error, TAC_BAD_USAGE, "the component does not exist");
    if (id.index1 == 1) return tac_fail(error, TAC_BAD_USAGE, "the World component cannot be removed");
    TacSceneNode *node = &scene->nodes[c->node];
    uint32_t index = id.index1 - 1, before = TAC_NONE;
    for (uint32_t i = node->first_component; i != index; i = scene->components[i].next) before = i;
    if (before == TAC_NONE)
        node->first_component = c->next;
    else
        scene->components[before].next = c->next;
    if (node->last_component == index) node->last_component = before;
    tac_names_find(&scene->names, c->node, c->name, strlen(c->name))->component = TAC_NONE;
    c->alive = false;
    c->generation++;
    return TAC_OK;
}

TacStatus tac_scene_remove_node(TacScene *scene, TacNodeId id, TacError *error) {
    TacSceneNode *node = tac_tree_node(scene, id);
    if (!node) return tac_fail(error, TAC_BAD_USAGE, "the node does not exist");
    if (id.index1 == 1) return tac_fail(error, TAC_BAD_USAGE, "the root cannot be removed");
    uint32_t index = id.index1 - 1, before = TAC_NONE;
    TacSceneNode *parent = &scene->nodes[node->parent];
    for (uint32_t i = parent->first_child; i != index; i = scene->nodes[i].next) before = i;
    if (before == TAC_NONE)
        parent->first_child = node->next;
    else
        scene->nodes[before].next = node->next;
    if (parent->last_child == index) parent->last_child = before;
    tac_names_find(&scene->names, node->parent, node->name, strlen(node->name))->child = TAC_NONE;
    // everything below goes with it; nodes are in the list after their parents
    node->alive = false;
    node->generation++;
    for (size_t i = index + 1; i < scene->node_count; i++) {
        TacSceneNode *n = &scene->nodes[i];
        if (n->alive && n->parent != TAC_NONE && !scene->nodes[n->parent].alive) {
            n->alive = false;
            n->generation++;
        }
    }
    for (size_t i = 0; i < scene->component_count; i++) {
        TacSceneComponent *c = &scene->components[i];
        if (c->alive && !scene->nodes[c->node].alive) {
            c->alive = false;
            c->generation++;
        }
    }
    return TAC_OK;
}

// --- values -----------------------------------------------------------------------------------------------

static TacStatus settable(const TacSceneComponent *c, const char *attribute, TacPlace place, uint32_t *index,
                          TacError *error) {
    TAC_TRY(tac_class_find_attribute(c->cls, attribute, place, index, error));
    if (c->cls->attributes[*index].flags & TAC_OUTPUT)
        return tac_fail_at(error, TAC_BAD_INPUT, place.file, place.line, place.column,
                           "%s is what %s makes; it can be linked to, not set", attribute, c->cls->name);
    return TAC_OK;
}

TacStatus tac_tree_set(TacScene *scene, TacComponentId id, const char *attribute, const char *text,
                       TacPlace attribute_place, TacPlace value_place, TacError *error) {
    TacSceneComponent *c = tac_tree_component(scene, id);
    if (!c) return tac_fail(error, TAC_BAD_USAGE, "the component does not exist");
    uint32_t i;
    TAC_TRY(settable(c, attribute, attribute_place, &i, error));
    TacValue value;
    TAC_TRY(tac_value_parse(&scene->arena, &c->cls->attributes[i], text, value_place,
                            scene->nodes[c->node].folder, &value, error));
    c->values[i] = value;
    return TAC_OK;
}

TacStatus tac_scene_set(TacScene *scene, TacComponentId id, const char *attribute, const char *text,
                        TacError *error) {
    TacPlace nowhere = {NULL, 0, 0};
    return tac_tree_set(scene, id, attribute, text, nowhere, nowhere, error);
}

// The place of a value that a call may set.
static TacStatus find_value(TacScene *scene, TacComponentId id, const char *attribute,
                            TacSceneComponent **component, uint32_t *index, TacError *error) {
    *component = tac_tree_component(scene, id);
    if (!*component) return tac_fail(error, TAC_BAD_USAGE, "the component does not exist");
    return settable(*component, attribute, (TacPlace){0}, index, error);
}

TacStatus tac_scene_set_reals(TacScene *scene, TacComponentId id, const char *attribute, const double *values,
                              size_t count, TacError *error) {
    TacSceneComponent *c;
    uint32_t i;
    TacValue value;
    TAC_TRY(find_value(scene, id, attribute, &c, &i, error));
    TAC_TRY(tac_value_from_reals(&scene->arena, &c->cls->attributes[i], values, count, &value, error));
    c->values[i] = value;
    return TAC_OK;
}

TacStatus tac_scene_set_ints(TacScene *scene, TacComponentId id, const char *attribute, const int32_t *values,
                             size_t count, TacError *error) {
    TacSceneComponent *c;
    uint32_t i;
    TacValue value;
    TAC_TRY(find_value(scene, id, attribute, &c, &i, error));
    TAC_TRY(tac_value_from_ints(&scene->arena, &c->cls->attributes[i], values, count, &value, error));
    c->values[i] = value;
    return TAC_OK;
}

// The path nearest to one that does not exist, for messages.
static TacStatus fail_no_component(TacScene *scene, const char *path, size_t length, TacError *error) {
    char wanted[256];
    snprintf(wanted, sizeof wanted, "%.*s", (int)(length < 255 ? length : 255), path);
    const char *paths[512];
    size_t n = 0;
    TacArena arena = {0};
    for (size_t i = 0; i < scene->component_count && n < TAC_COUNT(paths); i++)
        if (scene->components[i].alive) {
            paths[n] = tac_tree_path(scene, (uint32_t)i, &arena);
            n += paths[n] != NULL;
        }
    const char *near = tac_nearest(wanted, paths, n);
    tac_fail(error, TAC_BAD_INPUT, "there is no component %s%s%s%s", wanted, near ? "; did you mean " : "",
             near ? near : "", near ? "?" : "");
    tac_arena_destroy(&arena);
    return TAC_BAD_INPUT;
}

TacStatus tac_scene_set_by_path(TacScene *scene, const char *assignment, TacError *error) {
    const char *equals = strchr(assignment, '=');
    const char *dot = NULL;
    for (const char *p = assignment; equals && p < equals; p++)
        if (*p == '.') dot = p;
    if (assignment[0] != '/' || !equals || !dot)
        return tac_fail(error, TAC_BAD_USAGE, "\"%.100s\": expected /node/component.attribute=value",
                        assignment);
    uint32_t index = tac_tree_follow(scene, 0, assignment, (size_t)(dot - assignment));
    if (index == TAC_NONE) return fail_no_component(scene, assignment, (size_t)(dot - assignment), error);
    char attribute[128];
    snprintf(attribute, sizeof attribute, "%.*s", (int)(equals - dot - 1), dot + 1);
    return tac_scene_set(scene, tac_tree_component_id(scene, index), attribute, equals + 1, error);
}

// --- finding ----------------------------------------------------------------------------------------------

// A component by a path of names below `node`.
static uint32_t descend(const TacScene *scene, uint32_t node, const char *path, size_t length) {
    while (node != TAC_NONE) {
        size_t n = 0;
        while (n < length && path[n] != '/') n++;
        if (n == length) return component_named(scene, node, path, n);
        if (n == 2 && path[0] == '.' && path[1] == '.')
            node = scene->nodes[node].parent;
        else if (n > 0 && !(n == 1 && path[0] == '.'))
            node = child_named(scene, node, path, n);
        path += n + 1;
        length -= n + 1;
    }
    return TAC_NONE;
}

uint32_t tac_tree_follow(const TacScene *scene, uint32_t node, const char *path, size_t length) {
    if (length == 0) return TAC_NONE;
    if (path[0] == '/') return descend(scene, 0, path + 1, length - 1);
    if (path[0] == '.') return descend(scene, node, path, length);
    // a bare name, or a path that starts with one: here, then upward
    for (; node != TAC_NONE; node = scene->nodes[node].parent) {
        uint32_t found = descend(scene, node, path, length);
        if (found != TAC_NONE) return found;
    }
    return TAC_NONE;
}

TacComponentId tac_scene_find(const TacScene *scene, const char *path) {
    return tac_tree_component_id(scene, tac_tree_follow(scene, 0, path, strlen(path)));
}

TacNodeId tac_scene_find_node(const TacScene *scene, const char *path) {
    uint32_t node = 0;
    while (*path == '/') path++;
    while (*path && node != TAC_NONE) {
        size_t n = strcspn(path, "/");
        node = child_named(scene, node, path, n);
        path += n;
        while (*path == '/') path++;
    }
    return tac_tree_node_id(scene, node);
}

uint32_t tac_tree_next_node(const TacScene *scene, uint32_t node) {
    if (scene->nodes[node].first_child != TAC_NONE) return scene->nodes[node].first_child;
    while (node != TAC_NONE && scene->nodes[node].next == TAC_NONE) node = scene->nodes[node].parent;
    return node == TAC_NONE ? TAC_NONE : scene->nodes[node].next;
}

// A node's path, from its end, into the bytes before `end`.
static void write_path(const TacScene *scene, uint32_t node, char *end) {
    for (; scene->nodes[node].parent != TAC_NONE; node = scene->nodes[node].parent) {
        size_t n = strlen(scene->nodes[node].name);
        end -= n + 1;
        end[0] = '/';
        memcpy(end + 1, scene->nodes[node].name, n);
    }
}

char *tac_tree_node_path(const TacScene *scene, uint32_t node, TacArena *arena) {
    size_t length = scene->nodes[node].path_length;
    if (length == 0) return tac_arena_text(arena, "/");
    char *path = tac_arena_alloc(arena, length + 1);
    if (path) write_path(scene, node, path + length);
    return path;
}

char *tac_tree_path(const TacScene *scene, uint32_t component, TacArena *arena) {
    const TacSceneComponent *c = &scene->components[component];
    size_t above = scene->nodes[c->node].path_length, n = strlen(c->name);
    char *path = tac_arena_alloc(arena, above + 1 + n + 1);
    if (!path) return NULL;
    write_path(scene, c->node, path + above);
    path[above] = '/';
    memcpy(path + above + 1, c->name, n);
    return path;
}

// --- looking ----------------------------------------------------------------------------------------------

void tac_tree_message(TacScene *scene, bool is_error, const TacError *error) {
    if (scene->message_count >= MOST_MESSAGES) return;
    if (!tac_grow(&scene->messages, &scene->message_capacity, scene->message_count + 1,
                  sizeof *scene->messages))
        return;
    scene->messages[scene->message_count++] = (TacSceneMessage){is_error, *error};
}

size_t tac_scene_message_count(const TacScene *scene) {
    return scene->message_count;
}

const TacSceneMessage *tac_scene_message(const TacScene *scene, size_t i) {
    return i < scene->message_count ? &scene->messages[i] : NULL;
}

size_t tac_scene_nodes(const TacScene *scene, TacNodeId *nodes, size_t capacity) {
    size_t n = 0;
    for (uint32_t i = 0; i != TAC_NONE; i = tac_tree_next_node(scene, i), n++)
        if (n < capacity) nodes[n] = tac_tree_node_id(scene, i);
    return n;
}

const char *tac_scene_node_name(const TacScene *scene, TacNodeId id) {
    const TacSceneNode *node = tac_tree_node(scene, id);
    return node ? node->name : NULL;
}

TacNodeId tac_scene_node_parent(const TacScene *scene, TacNodeId id) {
    const TacSceneNode *node = tac_tree_node(scene, id);
    return tac_tree_node_id(scene, node ? node->parent : TAC_NONE);
}

size_t tac_scene_components(const TacScene *scene, TacNodeId id, TacComponentId *components,
                            size_t capacity) {
    const TacSceneNode *node = tac_tree_node(scene, id);
    size_t n = 0;
    for (uint32_t i = node ? node->first_component : TAC_NONE; i != TAC_NONE;
         i = scene->components[i].next, n++)
        if (n < capacity) components[n] = tac_tree_component_id(scene, i);
    return n;
}

const char *tac_scene_name(const TacScene *scene, TacComponentId id) {
    const TacSceneComponent *c = tac_tree_component(scene, id);
    return c ? c->name : NULL;
}

const TacClass *tac_scene_class_of(const TacScene *scene, TacComponentId id) {
    const TacSceneComponent *c = tac_tree_component(scene, id);
    return c ? c->cls : NULL;
}

// --- parameters -------------------------------------------------------------------------------------------

TacStatus tac_scene_set_parameter(TacScene *scene, const char *name, const char *value, TacError *error) {
    if (!is_name(name)) return tac_fail(error, TAC_BAD_USAGE, "\"%.60s\" is not a parameter's name", name);
    TacParameter *p = NULL;
    for (size_t i = 0; i < scene->parameter_count; i++)
        if (!strcmp(scene->parameters[i].name, name)) p = &scene->parameters[i];
    if (!p) {
        if (!tac_grow(&scene->parameters, &scene->parameter_capacity, scene->parameter_count + 1,
                      sizeof *scene->parameters))
            return tac_fail_memory(error, 0);
        p = &scene->parameters[scene->parameter_count++];
        *p = (TacParameter){.name = tac_arena_text(&scene->arena, name)};
    }
    p->value = tac_arena_text(&scene->arena, value);
    return p->name && p->value ? TAC_OK : tac_fail_memory(error, 0);
}

size_t tac_scene_parameter_count(const TacScene *scene) {
    return scene->parameter_count;
}

TacParameterInfo tac_scene_parameter(const TacScene *scene, size_t i) {
    if (i >= scene->parameter_count) return (TacParameterInfo){0};
    const TacParameter *p = &scene->parameters[i];
    return (TacParameterInfo){p->name, p->initial, p->doc, p->value ? p->value : p->initial};
}

// --- life -------------------------------------------------------------------------------------------------

TacStatus tac_scene_create(TacScene **result, TacError *error) {
    *result = NULL;
    TacScene *scene = calloc(1, sizeof *scene);
    if (!scene) return tac_fail_memory(error, sizeof *scene);
    scene->arena.limit = tac_machine_memory() / 2;
    TacStatus status = TAC_OK;
    for (size_t i = 0; tac_builtin_classes[i] && status == TAC_OK; i++)
        status = add_class(scene, tac_builtin_classes[i], error);
    if (status == TAC_OK && !tac_grow(&scene->nodes, &scene->node_capacity, 1, sizeof *scene->nodes))
        status = tac_fail_memory(error, 0);
    if (status == TAC_OK) {
        scene->node_count = 1;
        scene->nodes[0] = (TacSceneNode){.name = "",
                                         .folder = "",
                                         .parent = TAC_NONE,
                                         .first_child = TAC_NONE,
                                         .last_child = TAC_NONE,
                                         .next = TAC_NONE,
                                         .first_component = TAC_NONE,
                                         .last_component = TAC_NONE,
                                         .generation = 1,
                                         .alive = true};
        TacComponentId world;
        status = tac_scene_add(scene, tac_scene_root(scene), "World", "world", &world, error);
    }
    if (status != TAC_OK) {
        tac_scene_destroy(scene);
        return status;
    }
    *result = scene;
    return TAC_OK;
}

void tac_scene_destroy(TacScene *scene) {
    if (!scene) return;
    for (size_t i = 0; i < scene->plugin_count; i++) dlclose(scene->plugins[i]);
    free(scene->plugins);
    free(scene->classes);
    free(scene->parameters);
    free(scene->messages);
    free(scene->components);
    free(scene->nodes);
    tac_names_destroy(&scene->names);
    tac_arena_destroy(&scene->arena);
    free(scene);
}
