// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Reads .tac files: Tactus XML, version 1. docs/scenes.md describes the format.
//
//     <tactus version="1" dt="0.01" gravity="0 -9.81 0">
//       <param name="n" default="10" doc="Pieces along the beam."/>
//       <node name="beam"> <Grid counts="${n+1} 3 3"/> <Points/> ... </node>
//       <include file="table.tac" name="table" height="0.7"/>
//     </tactus>
//
// An element inside a node is a node, an include, or a component named by its class. Reading goes on after an
// error, so that one reading shows all of them.

#define _GNU_SOURCE
#include "base/text.h"
#include "scene/ca.h"
#include "scene/expression.h"
#include "scene/sofa.h"
#include "scene/xml.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

enum { DEEPEST_INCLUDE = 16, MOST_INCLUDES = 10000, FORMAT_VERSION = 1, MOST_COMPONENTS = 1000000 };

typedef struct Loader {
    TacScene *scene;
    const TacXml *xml;
    const char *file; // in the scene's arena
    TacScope scope;
    size_t scope_capacity;      // 0: the scope is the scene's own list
    const struct Loader *above; // the file that included this one
    int depth;
    int *includes;   // read so far, by all files of the scene
    TacStatus worst; // of everything so far
    TacError *first; // receives the first error
} Loader;

// --- messages ---------------------------------------------------------------------------------------------

static void note(Loader *l, const TacError *error) {
    tac_tree_message(l->scene, true, error);
    if (l->worst != TAC_OK) return;
    l->worst = error->status;
    if (l->first) *l->first = *error;
}

static TacPlace place_of(const Loader *l, const TacXmlElement *e) {
    return (TacPlace){l->file, e->line, e->column};
}

static TacPlace name_place(const Loader *l, const TacXmlAttribute *a) {
    return (TacPlace){l->file, a->line, a->column};
}

// Notes an error of a call that did not know the place.
static void note_at(Loader *l, TacPlace place, const TacError *error) {
    TacError placed = *error;
    if (!placed.line)
        tac_fail_at(&placed, error->status, place.file, place.line, place.column, "%s", error->message);
    note(l, &placed);
}

static void complain(Loader *l, TacPlace place, const char *format, ...) TAC_PRINTF(3, 4);

static void complain(Loader *l, TacPlace place, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    TacError error;
    tac_fail_at(&error, TAC_BAD_INPUT, place.file, place.line, place.column, "%s", text);
    note(l, &error);
}

// A file that could not be read is the fault of the line that includes it; that there was no memory is nobody's.
static void complain_of_file(Loader *l, const TacXmlElement *e, const char *path, const TacError *why) {
    TacError error;
    TacStatus status = why->status == TAC_NO_MEMORY ? TAC_NO_MEMORY : TAC_BAD_INPUT;
    tac_fail_at(&error, status, l->file, e->line, e->column, "%.400s: %s", path, why->message);
    note(l, &error);
}

// --- attributes -------------------------------------------------------------------------------------------

// Parameters put in. NULL when that failed (and was noted).
static const char *expanded(Loader *l, const TacXmlAttribute *a) {
    const char *text;
    TacError error;
    if (tac_expand(&l->scene->arena, &l->scope, a->value, &text, &error) == TAC_OK) return text;
    note_at(l, (TacPlace){l->file, a->value_line, a->value_column}, &error);
    return NULL;
}

static void set_attribute(Loader *l, TacComponentId id, const TacXmlAttribute *a) {
    const char *text = expanded(l, a);
    if (!text) return;
    TacError error;
    TacPlace value_place = {l->file, a->value_line, a->value_column};
    TacStatus status = tac_tree_set(l->scene, id, a->name, text, name_place(l, a), value_place, &error);
    if (status == TAC_OK) return;
    // an error inside the value was counted on one line; the file may have broken it over several, and where
    // parameters were put in, only where the value begins is known
    bool inside = error.line == a->value_line && error.column > a->value_column;
    if (inside && text == a->value) {
        size_t offset = (size_t)(error.column - a->value_column);
        tac_xml_value_place(l->xml, a, offset, &error.line, &error.column);
    } else if (inside) {
        error.column = a->value_column;
    }
    note_at(l, name_place(l, a), &error);
}

// --- elements ---------------------------------------------------------------------------------------------

static void load_children(Loader *l, const TacXmlElement *parent, TacNodeId node);
static void load_include(Loader *l, const TacXmlElement *e, TacNodeId parent);

static void check_attributes(Loader *l, const TacXmlElement *e, const char *const *allowed, size_t count) {
    for (size_t i = 0; i < e->attribute_count; i++) {
        bool known = false;
        for (size_t k = 0; k < count; k++) known = known || !strcmp(e->attributes[i].name, allowed[k]);
        if (known) continue;
        const char *near = tac_nearest(e->attributes[i].name, allowed, count);
        complain(l, name_place(l, &e->attributes[i]), "<%s> has no attribute \"%.60s\"%s%s%s", e->name,
                 e->attributes[i].name, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    }
}

static const char *value_of(const TacXmlElement *e, const char *name) {
    const TacXmlAttribute *a = tac_xml_attribute(e, name);
    return a ? a->value : NULL;
}

static void check_text(Loader *l, const TacXmlElement *e) {
    if (*e->text)
        complain(l, place_of(l, e), "<%s> contains the text \"%.20s\"; values belong in attributes", e->name,
                 e->text);
}

static void load_parameter(Loader *l, const TacXmlElement *e) {
    static const char *const allowed[] = {"name", "default", "doc"};
    check_attributes(l, e, allowed, TAC_COUNT(allowed));
    const char *name = value_of(e, "name"), *initial = value_of(e, "default"), *doc = value_of(e, "doc");
    if (!name || !initial) {
        complain(l, place_of(l, e), "<param> needs name and default");
        return;
    }
    TacParameter *p = NULL;
    for (size_t i = 0; i < l->scope.count; i++)
        if (!strcmp(l->scope.parameters[i].name, name)) p = &l->scope.parameters[i];
    if (p && p->declared) {
        complain(l, place_of(l, e), "parameter \"%.60s\" is declared twice", name);
        return;
    }
    if (!p) {
        size_t *capacity = l->above ? &l->scope_capacity : &l->scene->parameter_capacity;
        if (!tac_grow(&l->scope.parameters, capacity, l->scope.count + 1, sizeof *l->scope.parameters)) {
            l->worst = tac_fail_memory(l->first, 0);
            return;
        }
        p = &l->scope.parameters[l->scope.count++];
        *p = (TacParameter){.name = tac_arena_text(&l->scene->arena, name)};
    }
    p->declared = true;
    p->initial = tac_arena_text(&l->scene->arena, initial);
    p->doc = tac_arena_text(&l->scene->arena, doc ? doc : "");
    if (!p->name || !p->initial || !p->doc) l->worst = tac_fail_memory(l->first, 0);
    if (!l->above) {
        l->scene->parameters = l->scope.parameters;
        l->scene->parameter_count = l->scope.count;
    }
}

static void load_node(Loader *l, const TacXmlElement *e, TacNodeId parent) {
    static const char *const allowed[] = {"name"};
    check_attributes(l, e, allowed, TAC_COUNT(allowed));
    check_text(l, e);
    const TacXmlAttribute *name = tac_xml_attribute(e, "name");
    const char *text = name ? expanded(l, name) : NULL;
    TacNodeId node;
    TacError error;
    if (tac_scene_add_node(l->scene, parent, text, &node, &error) != TAC_OK) {
        note_at(l, name ? name_place(l, name) : place_of(l, e), &error);
        return;
    }
    TacSceneNode *made = tac_tree_node(l->scene, node);
    made->place = place_of(l, e);
    load_children(l, e, node);
}

static void load_component(Loader *l, const TacXmlElement *e, TacNodeId node) {
    check_text(l, e);
    const TacXmlAttribute *name = tac_xml_attribute(e, "name");
    const char *text = name ? expanded(l, name) : NULL;
    TacComponentId id;
    TacError error;
    if (l->scene->component_count >= MOST_COMPONENTS) {
        complain(l, place_of(l, e), "the scene has more than a million components");
        return;
    }
    if (tac_scene_add(l->scene, node, e->name, text, &id, &error) != TAC_OK) {
        note_at(l, place_of(l, e), &error);
        return;
    }
    tac_tree_component(l->scene, id)->place = place_of(l, e);
    for (size_t i = 0; i < e->attribute_count; i++)
        if (&e->attributes[i] != name) set_attribute(l, id, &e->attributes[i]);
    if (e->first_child)
        complain(l, place_of(l, e->first_child),
                 "<%s> is a component and contains nothing; close it before <%.40s>", e->name,
                 e->first_child->name);
}

static void load_children(Loader *l, const TacXmlElement *parent, TacNodeId node) {
    for (const TacXmlElement *e = parent->first_child; e && l->worst != TAC_NO_MEMORY; e = e->next) {
        if (!strcmp(e->name, "node"))
            load_node(l, e, node);
        else if (!strcmp(e->name, "include"))
            load_include(l, e, node);
        else if (!strcmp(e->name, "param")) {
            // those of the root were read first
            if (parent != l->xml->root)
                complain(l, place_of(l, e), "<param> stands directly inside <tactus>");
        } else if (!strcmp(e->name, "World"))
            complain(l, place_of(l, e),
                     "the world's attributes stand on <tactus>, not in an element of their own");
        else
            load_component(l, e, node);
    }
}

// --- files ------------------------------------------------------------------------------------------------

static void check_version(Loader *l, const TacXmlElement *root) {
    const TacXmlAttribute *version = tac_xml_attribute(root, "version");
    if (!version)
        complain(l, place_of(l, root), "<tactus> needs version=\"%d\"", FORMAT_VERSION);
    else if (strcmp(version->value, "1"))
        complain(l, name_place(l, version), "version \"%.20s\" is not known; this program reads version %d",
                 version->value, FORMAT_VERSION);
}

// The attributes of <tactus>: of the world, or, in an included file, of its node.
static void load_root_attributes(Loader *l, const TacXmlElement *root, TacNodeId node) {
    check_version(l, root);
    for (size_t i = 0; i < root->attribute_count; i++) {
        const TacXmlAttribute *a = &root->attributes[i];
        if (!strcmp(a->name, "version")) continue;
        if (!l->above) {
            set_attribute(l, tac_scene_world(l->scene), a);
        } else if (!strcmp(a->name, "gravity")) {
            // an included scene keeps its own gravity
            TacComponentId id;
            TacError error;
            if (tac_scene_add(l->scene, node, "Gravity", NULL, &id, &error) != TAC_OK) {
                note_at(l, name_place(l, a), &error);
                continue;
            }
            tac_tree_component(l->scene, id)->place = name_place(l, a);
            TacXmlAttribute renamed = *a;
            renamed.name = "acceleration";
            set_attribute(l, id, &renamed);
        } else if (strcmp(a->name, "title") && strcmp(a->name, "duration")) {
            TacError remark;
            tac_fail_at(&remark, TAC_OK, l->file, a->line, a->column,
                        "%s of an included file has no effect: the including scene decides", a->name);
            tac_tree_message(l->scene, false, &remark);
        }
    }
}

static void load_document(Loader *l, TacNodeId node) {
    const TacXmlElement *root = l->xml->root;
    if (strcmp(root->name, "tactus")) {
        complain(l, place_of(l, root), "expected <tactus version=\"1\">, found <%.40s>%s", root->name,
                 strcmp(root->name, "mujoco") ? ""
                                              : ": models of MuJoCo are not read; docs/coming-from-mujoco.md "
                                                "says what to write");
        return;
    }
    check_text(l, root);
    // parameters first: the root's own attributes may use them
    for (const TacXmlElement *e = root->first_child; e; e = e->next)
        if (!strcmp(e->name, "param")) load_parameter(l, e);
    load_root_attributes(l, root, node);
    load_children(l, root, node);
}

static const char *folder_of(TacScene *scene, const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash) return "";
    return tac_arena_text_n(&scene->arena, path, slash == path ? 1 : (size_t)(slash - path));
}

// Values for the included file's parameters: all attributes of <include> but file and name.
static void pass_parameters(Loader *l, const TacXmlElement *e, Loader *into) {
    for (size_t i = 0; i < e->attribute_count; i++) {
        const TacXmlAttribute *a = &e->attributes[i];
        if (!strcmp(a->name, "file") || !strcmp(a->name, "name")) continue;
        const char *value = expanded(l, a);
        char *name = tac_arena_text(&l->scene->arena, a->name);
        if (!value || !name) continue;
        if (!tac_grow(&into->scope.parameters, &into->scope_capacity, into->scope.count + 1,
                      sizeof *into->scope.parameters)) {
            l->worst = tac_fail_memory(l->first, 0);
            return;
        }
        value = tac_arena_text(&l->scene->arena, value);
        if (!value) {
            l->worst = tac_fail_memory(l->first, 0);
            return;
        }
        into->scope.parameters[into->scope.count++] = (TacParameter){.name = name, .value = value};
    }
}

// Parameters that were given but that the file does not declare.
static void check_undeclared(Loader *l, const Loader *of, TacPlace place) {
    for (size_t i = 0; i < of->scope.count; i++) {
        if (of->scope.parameters[i].declared) continue;
        const char *names[64];
        size_t n = 0;
        for (size_t k = 0; k < of->scope.count && n < TAC_COUNT(names); k++)
            if (of->scope.parameters[k].declared) names[n++] = of->scope.parameters[k].name;
        const char *near = tac_nearest(of->scope.parameters[i].name, names, n);
        complain(l, place, "%s has no parameter \"%.60s\"%s%s%s", of->file, of->scope.parameters[i].name,
                 near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    }
}

static bool includes_itself(const Loader *l, const char *path) {
    char ours[PATH_MAX], theirs[PATH_MAX];
    if (!realpath(path, ours)) return false;
    for (; l; l = l->above)
        if (realpath(l->file, theirs) && !strcmp(ours, theirs)) return true;
    return false;
}

// A CORDIS-ANIMA model in a scene: its own agent, with its own gravity and rate.
static void load_model(Loader *l, const TacXmlElement *e, const char *path, TacNodeId node) {
    static const char *const allowed[] = {"file", "name"};
    check_attributes(l, e, allowed, TAC_COUNT(allowed));
    TacError error;
    TacStatus status = tac_ca_read(l->scene, path, node, &error);
    if (status == TAC_OK) return;
    if (!error.line)
        complain_of_file(l, e, path, &error);
    else if (l->worst == TAC_OK && l->first)
        *l->first = error; // its messages are noted already
    if (l->worst == TAC_OK) l->worst = status;
}

// A SOFA scene in a node: its own gravity, and its dt as the step of its solvers.
static void load_sofa(Loader *l, const TacXmlElement *e, const char *path, const TacXml *xml,
                      TacNodeId node) {
    static const char *const allowed[] = {"file", "name"};
    check_attributes(l, e, allowed, TAC_COUNT(allowed));
    const char *file = tac_arena_text(&l->scene->arena, path);
    TacError error;
    TacStatus status =
        file ? tac_sofa_include(l->scene, file, xml, node, &error) : tac_fail_memory(&error, 0);
    if (status == TAC_OK) return;
    if (l->worst == TAC_OK && l->first) *l->first = error; // its messages are noted already
    if (l->worst == TAC_OK) l->worst = status;
}

static void load_included(Loader *l, const TacXmlElement *e, const char *path, TacNodeId node) {
    TacXml xml = {0};
    TacError error;
    if (tac_ca_is_path(path)) {
        load_model(l, e, path, node);
        return;
    }
    if (tac_xml_read(&xml, path, tac_sofa_is_path(path), &error) != TAC_OK) {
        if (error.line) // a bad one has its own places
            note(l, &error);
        else
            complain_of_file(l, e, path, &error);
        return;
    }
    if (tac_sofa_is_document(&xml)) {
        load_sofa(l, e, path, &xml, node);
        tac_xml_destroy(&xml);
        return;
    }
    Loader inner = {.scene = l->scene,
                    .xml = &xml,
                    .file = tac_arena_text(&l->scene->arena, path),
                    .scope = {.expanded = &l->scene->expanded_bytes},
                    .above = l,
                    .depth = l->depth + 1,
                    .includes = l->includes,
                    .worst = l->worst,
                    .first = l->first};
    if (inner.file) {
        pass_parameters(l, e, &inner);
        const char *folder = folder_of(l->scene, inner.file);
        tac_tree_node(l->scene, node)->folder = folder ? folder : "";
        load_document(&inner, node);
        if (inner.worst != TAC_OK && l->worst == TAC_OK) l->worst = inner.worst;
        check_undeclared(l, &inner, place_of(l, e));
    } else {
        l->worst = tac_fail_memory(l->first, 0);
    }
    free(inner.scope.parameters);
    tac_xml_destroy(&xml);
}

static void load_include(Loader *l, const TacXmlElement *e, TacNodeId parent) {
    const TacXmlAttribute *file = tac_xml_attribute(e, "file"), *name = tac_xml_attribute(e, "name");
    if (!file) {
        complain(l, place_of(l, e), "<include> needs file");
        return;
    }
    const char *wanted = expanded(l, file), *text = name ? expanded(l, name) : NULL;
    if (!wanted) return;
    const char *folder = tac_tree_node(l->scene, parent)->folder;
    const char *path =
        *wanted == '/' || !*folder ? wanted : tac_arena_format(&l->scene->arena, "%s/%s", folder, wanted);
    if (!path) {
        l->worst = tac_fail_memory(l->first, 0);
        return;
    }
    if (l->depth >= DEEPEST_INCLUDE || includes_itself(l, path)) {
        complain(l, name_place(l, file), "%.400s includes itself, or files are included more than %d deep",
                 path, DEEPEST_INCLUDE);
        return;
    }
    if (++*l->includes > MOST_INCLUDES) {
        complain(l, place_of(l, e), "the scene includes more than %d files", MOST_INCLUDES);
        return;
    }
    TacNodeId node;
    TacError error;
    if (tac_scene_add_node(l->scene, parent, text, &node, &error) != TAC_OK) {
        note_at(l, name ? name_place(l, name) : place_of(l, e), &error);
        return;
    }
    tac_tree_node(l->scene, node)->place = place_of(l, e);
    load_included(l, e, path, node);
}

// --- entry ------------------------------------------------------------------------------------------------

static TacStatus load(TacScene *scene, const char *path, TacXml *xml, TacError *error) {
    if (scene->component_count != 1 || scene->node_count != 1)
        return tac_fail(error, TAC_BAD_USAGE, "a scene file is read into an empty scene only");
    TacError first;
    int includes = 0;
    Loader l = {.scene = scene,
                .xml = xml,
                .file = tac_arena_text(&scene->arena, path),
                .scope = {scene->parameters, scene->parameter_count, &scene->expanded_bytes},
                .includes = &includes,
                .first = error ? error : &first};
    if (!l.file) return tac_fail_memory(error, 0);
    scene->file = l.file;
    if (tac_sofa_is_document(xml)) return tac_sofa_load(scene, l.file, xml, error);
    scene->nodes[0].folder = folder_of(scene, l.file);
    scene->components[0].place = place_of(&l, xml->root);
    if (!scene->nodes[0].folder) return tac_fail_memory(error, 0);
    load_document(&l, tac_scene_root(scene));
    check_undeclared(&l, &l, place_of(&l, xml->root));
    return l.worst;
}

static TacStatus load_and_free(TacScene *scene, const char *path, TacXml *xml, TacStatus read,
                               TacError *error) {
    if (read == TAC_OK)
        read = load(scene, path, xml, error);
    else if (error)
        tac_tree_message(scene, true, error);
    tac_xml_destroy(xml);
    return read;
}

// A CORDIS-ANIMA model; `text` is NULL where it is to be read.
static TacStatus load_model_alone(TacScene *scene, const char *path, const char *text, size_t bytes,
                                  TacError *error) {
    if (scene->component_count != 1 || scene->node_count != 1)
        return tac_fail(error, TAC_BAD_USAGE, "a scene file is read into an empty scene only");
    scene->file = tac_arena_text(&scene->arena, path);
    scene->nodes[0].folder = folder_of(scene, path);
    if (!scene->file || !scene->nodes[0].folder) return tac_fail_memory(error, 0);
    if (scene->parameter_count)
        return tac_fail(error, TAC_BAD_INPUT, "%s: a CORDIS-ANIMA model has no parameter \"%s\"", path,
                        scene->parameters[0].name);
    TacNodeId root = tac_scene_root(scene);
    TacError local, *why = error ? error : &local;
    why->line = 0;
    TacStatus status =
        text ? tac_ca_parse(scene, path, text, bytes, root, why) : tac_ca_read(scene, path, root, why);
    if (status != TAC_OK && !why->line) tac_tree_message(scene, true, why);
    return status;
}

TacStatus tac_scene_read(TacScene *scene, const char *path, TacError *error) {
    if (tac_ca_is_path(path)) return load_model_alone(scene, path, NULL, 0, error);
    TacXml xml = {0};
    TacStatus read = tac_xml_read(&xml, path, tac_sofa_is_path(path), error);
    return load_and_free(scene, path, &xml, read, error);
}

TacStatus tac_scene_parse(TacScene *scene, const char *name, const char *text, size_t bytes,
                          TacError *error) {
    if (tac_ca_is_path(name)) return load_model_alone(scene, name, text, bytes, error);
    TacXml xml = {0};
    TacStatus read = tac_xml_parse(&xml, name, text, bytes, tac_sofa_is_path(name), error);
    return load_and_free(scene, name, &xml, read, error);
}
