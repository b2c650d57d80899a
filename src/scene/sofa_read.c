// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// From SOFA's XML to elements, and from elements to nodes and objects. See sofa.h.
//
// Includes are elements of another file put in place: attributes of the include go before those of the file,
// a root named Group is replaced by its children, one named _Merge_ is merged with what stands there already.

#define _GNU_SOURCE
#include "base/text.h"
#include "scene/sofa.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

enum { MOST_INCLUDES = 1000, MOST_ELEMENTS = 1000000, DEEPEST_INCLUDE = 16, HIGHEST_FOLDER = 16 };

// --- messages ---------------------------------------------------------------------------------------------

void tac_sofa_note(TacSofa *s, TacPlace place, const TacError *error) {
    tac_notes_error(&s->notes, place, error);
}

void tac_sofa_complain(TacSofa *s, TacPlace place, const char *format, ...) {
    va_list args;
    va_start(args, format);
    tac_notes_complain(&s->notes, place, format, args);
    va_end(args);
}

void tac_sofa_remark(TacSofa *s, TacPlace place, const char *format, ...) {
    va_list args;
    va_start(args, format);
    tac_notes_remark(&s->notes, place, format, args);
    va_end(args);
}

bool tac_sofa_no_memory(TacSofa *s) {
    tac_notes_no_memory(&s->notes);
    return false;
}

// --- files ------------------------------------------------------------------------------------------------

static const char *folder_of(TacSofa *s, const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? tac_arena_text_n(s->arena, path, (size_t)(slash - path)) : ".";
}

static const char *if_readable(TacSofa *s, const char *folder, size_t length, const char *middle,
                               const char *name) {
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%.*s/%s%s", (int)length, folder, middle, name);
    if (n < 0 || (size_t)n >= sizeof path || access(path, R_OK) != 0) return NULL;
    const char *kept = tac_arena_text(s->arena, path);
    if (!kept) tac_sofa_no_memory(s);
    return kept;
}

const char *tac_sofa_find_file(TacSofa *s, const char *folder, const char *name) {
    const char *found = NULL;
    if (name[0] == '/') return access(name, R_OK) == 0 ? name : NULL;
    if ((found = if_readable(s, folder, strlen(folder), "", name))) return found;
    // share and examples stand somewhere above the scene
    char full[PATH_MAX];
    if (realpath(folder, full)) {
        size_t length = strlen(full);
        for (int up = 0; up < HIGHEST_FOLDER; up++) {
            if ((found = if_readable(s, full, length, "share/", name))) return found;
            if ((found = if_readable(s, full, length, "examples/", name))) return found;
            while (length > 0 && full[length - 1] != '/') length--;
            if (length == 0) break;
            length--;
        }
    }
    const char *list = getenv("SOFA_DATA_PATH");
    while (list && *list) {
        size_t n = strcspn(list, ":;");
        if (n && (found = if_readable(s, list, n, "", name))) return found;
        list += n + (list[n] != 0);
    }
    return NULL;
}

// --- elements ---------------------------------------------------------------------------------------------

static TacSofaAttribute *attribute_of(const TacSofaElement *e, const char *name) {
    for (size_t i = 0; i < e->count; i++)
        if (!strcmp(e->attributes[i].name, name)) return &e->attributes[i];
    return NULL;
}

static const char *value_of(const TacSofaElement *e, const char *name) {
    const TacSofaAttribute *a = attribute_of(e, name);
    return a ? a->value : NULL;
}

static bool set_attribute(TacSofa *s, TacSofaElement *e, TacSofaAttribute a) {
    TacSofaAttribute *there = attribute_of(e, a.name);
    if (there) {
        *there = a;
        return true;
    }
    if (e->count == e->capacity) {
        size_t capacity = 2 * e->capacity + 4;
        TacSofaAttribute *bigger = tac_arena_array(s->arena, capacity, sizeof *bigger);
        if (!bigger) return tac_sofa_no_memory(s);
        if (e->count) memcpy(bigger, e->attributes, e->count * sizeof *bigger);
        e->attributes = bigger;
        e->capacity = capacity;
    }
    e->attributes[e->count++] = a;
    return true;
}

static void append(TacSofaElement *parent, TacSofaElement *child) {
    child->next = NULL;
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
}

// All children of `from`, behind those of `to`.
static void splice(TacSofaElement *to, TacSofaElement *from) {
    for (TacSofaElement *c = from->first, *next; c; c = next) {
        next = c->next;
        append(to, c);
    }
    from->first = from->last = NULL;
}

static bool same_text(const char *a, const char *b) {
    return a && b ? !strcmp(a, b) : a == b;
}

static bool merge(TacSofa *s, TacSofaElement *to, TacSofaElement *from) {
    for (size_t i = 0; i < from->count; i++)
        if (strcmp(from->attributes[i].name, "name") && !set_attribute(s, to, from->attributes[i]))
            return false;
    for (TacSofaElement *c = from->first, *next; c; c = next) {
        next = c->next;
        TacSofaElement *twin = to->first;
        while (twin &&
               !(same_text(twin->tag, c->tag) && same_text(value_of(twin, "name"), value_of(c, "name"))))
            twin = twin->next;
        if (!twin)
            append(to, c);
        else if (!merge(s, twin, c))
            return false;
    }
    return true;
}

// An attribute of an include: on every element that has it, or on those of one name.
static void override(TacSofaElement *e, const char *element_name, const TacSofaAttribute *a) {
    TacSofaAttribute *there = attribute_of(e, a->name);
    if (there && (!element_name || same_text(value_of(e, "name"), element_name))) {
        there->value = a->value;
        there->place = a->place;
    }
    for (TacSofaElement *c = e->first; c; c = c->next) override(c, element_name, a);
}

static TacSofaElement *convert(TacSofa *s, const TacXmlElement *x, const char *folder, int depth);

static bool is_open(const TacSofa *s, const char *path) {
    char ours[PATH_MAX], theirs[PATH_MAX];
    if (!realpath(path, ours)) return false;
    for (size_t i = 0; i < s->opened_count; i++)
        if (realpath(s->opened[i], theirs) && !strcmp(ours, theirs)) return true;
    return false;
}

static void warn_repairs(TacSofa *s, const TacXml *xml, const char *path) {
    for (size_t i = 0; i < xml->warning_count; i++)
        tac_sofa_remark(s, (TacPlace){path, xml->warnings[i].line, xml->warnings[i].column}, "%s",
                        xml->warnings[i].message);
}

// The root of another file; NULL after a complaint.
static TacSofaElement *read_other(TacSofa *s, const char *path, TacPlace place, int depth) {
    if (depth >= DEEPEST_INCLUDE || is_open(s, path)) {
        tac_sofa_complain(s, place, "%.400s includes itself, or files are included more than %d deep", path,
                          DEEPEST_INCLUDE);
        return NULL;
    }
    if (++s->includes > MOST_INCLUDES) {
        tac_sofa_complain(s, place, "the scene includes more than %d files", MOST_INCLUDES);
        return NULL;
    }
    if (!tac_grow(&s->documents, &s->document_capacity, s->document_count + 1, sizeof *s->documents) ||
        !tac_grow(&s->opened, &s->opened_capacity, s->opened_count + 1, sizeof *s->opened)) {
        tac_sofa_no_memory(s);
        return NULL;
    }
    TacXml *xml = calloc(1, sizeof *xml);
    if (!xml) {
        tac_sofa_no_memory(s);
        return NULL;
    }
    s->documents[s->document_count++] = xml;
    TacError error;
    if (tac_xml_read(xml, path, true, &error) != TAC_OK) {
        tac_sofa_note(s, place, &error);
        return NULL;
    }
    warn_repairs(s, xml, path);
    const char *folder = folder_of(s, path);
    if (!folder) {
        tac_sofa_no_memory(s);
        return NULL;
    }
    s->opened[s->opened_count++] = path;
    TacSofaElement *root = convert(s, xml->root, folder, depth + 1);
    s->opened_count--;
    return root;
}

// Puts the root of an included file, with the attributes of the include, into `parent`.
static bool include(TacSofa *s, TacSofaElement *parent, const TacSofaElement *at, TacSofaElement *root) {
    for (size_t i = 0; i < at->count; i++) {
        TacSofaAttribute a = at->attributes[i];
        const char *split = strstr(a.name, "__");
        if (!strcmp(a.name, "href") || !strcmp(a.name, "name")) continue;
        if (!split) {
            override(root, NULL, &a);
            continue;
        }
        const char *element = tac_arena_text_n(s->arena, a.name, (size_t)(split - a.name));
        if (!element) return tac_sofa_no_memory(s);
        a.name = split + 2;
        override(root, element, &a);
    }
    const TacSofaAttribute *name = attribute_of(at, "name");
    if (name && !set_attribute(s, root, *name)) return false;
    const char *called = value_of(root, "name");
    if (!strcmp(root->tag, "Group") || (called && !strcmp(called, "Group")))
        splice(parent, root);
    else if (!strcmp(root->tag, "_Merge_") || (called && !strcmp(called, "_Merge_")))
        return merge(s, parent, root);
    else
        append(parent, root);
    return true;
}

static bool add_include(TacSofa *s, TacSofaElement *parent, TacSofaElement *at, int depth) {
    const char *href = value_of(at, "href");
    if (!href) {
        tac_sofa_complain(s, at->place, "<include> needs href");
        return true;
    }
    const char *path = tac_sofa_find_file(s, at->folder, href);
    if (!path) {
        tac_sofa_complain(s, at->place,
                          "%.200s was not found beside the scene, in share or examples above it, or in "
                          "$SOFA_DATA_PATH",
                          href);
        return true;
    }
    TacSofaElement *root = read_other(s, path, at->place, depth);
    return root ? include(s, parent, at, root) : s->notes.worst != TAC_NO_MEMORY;
}

// A tag that is not known may be the name of a file in Objects/.
static bool add_macro(TacSofa *s, TacSofaElement *parent, TacSofaElement *e, int depth, bool *found) {
    char name[256];
    snprintf(name, sizeof name, "Objects/%.200s.xml", e->tag);
    const char *path = strchr(e->tag, '/') ? NULL : tac_sofa_find_file(s, e->folder, name);
    *found = path != NULL;
    if (!path) return true;
    TacSofaElement *root = read_other(s, path, e->place, depth);
    return root ? include(s, parent, e, root) : s->notes.worst != TAC_NO_MEMORY;
}

static bool is_node(const TacSofaElement *e) {
    return !strcmp(e->tag, "Node") || !strcmp(e->tag, "Group");
}

static TacSofaElement *new_element(TacSofa *s, const TacXmlElement *x, const char *folder) {
    if (++s->elements > MOST_ELEMENTS) {
        tac_sofa_complain(s, (TacPlace){x->file, x->line, x->column},
                          "the scene has more than a million elements");
        return NULL;
    }
    TacSofaElement *e = tac_arena_alloc(s->arena, sizeof *e);
    const char *file = tac_arena_text(s->arena, x->file);
    const TacXmlAttribute *type = !strcmp(x->name, "Object") ? tac_xml_attribute(x, "type") : NULL;
    const char *tag = tac_arena_text(s->arena, type ? type->value : x->name);
    if (!e || !file || !tag) {
        tac_sofa_no_memory(s);
        return NULL;
    }
    *e = (TacSofaElement){.tag = tag, .folder = folder, .place = {file, x->line, x->column}};
    for (size_t i = 0; i < x->attribute_count; i++) {
        const TacXmlAttribute *a = &x->attributes[i];
        if (a == type) continue;
        TacSofaAttribute kept = {a->name, a->value, {file, a->line, a->column}};
        if (!set_attribute(s, e, kept)) return NULL;
    }
    return e;
}

// Depth is limited by the XML reader and by the chain of includes.
static TacSofaElement *convert(TacSofa *s, const TacXmlElement *x, const char *folder, int depth) {
    TacSofaElement *e = new_element(s, x, folder);
    for (const TacXmlElement *c = x->first_child; e && c; c = c->next) {
        TacSofaElement *child = NULL;
        if (!strcmp(c->name, "include") || !strcmp(c->name, "Include")) {
            child = new_element(s, c, folder);
            if (!child || !add_include(s, e, child, depth)) return NULL;
            continue;
        }
        child = convert(s, c, folder, depth);
        if (!child) return NULL;
        bool macro = false;
        if (!is_node(child) && !tac_sofa_find_class(child->tag) && !add_macro(s, e, child, depth, &macro))
            return NULL;
        if (macro) continue;
        if (!strcmp(child->tag, "Group"))
            splice(e, child);
        else
            append(e, child);
    }
    return e;
}

// --- nodes and objects ------------------------------------------------------------------------------------

static void explain_unknown(TacSofa *s, const TacSofaElement *e) {
    const char *names[1024];
    size_t n = 0;
    for (size_t i = 0; i < tac_sofa_class_count && n < TAC_COUNT(names); i++)
        names[n++] = tac_sofa_classes[i].name;
    const char *near = tac_nearest(e->tag, names, n);
    tac_sofa_complain(s, e->place, "lacks \"%.60s\": no such component of SOFA is known here%s%s%s", e->tag,
                      near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

static const char *name_object(TacSofa *s, const TacSofaElement *e, uint32_t first) {
    const char *given = value_of(e, "name");
    if (given) return given;
    size_t same = 1;
    for (size_t i = first; i < s->object_count; i++) same += !strcmp(s->objects[i].element->tag, e->tag);
    return tac_arena_format(s->arena, "%s%zu", e->tag, same);
}

static bool is_active(const TacSofaElement *e) {
    const char *active = value_of(e, "activated");
    return !active || (strcmp(active, "0") && strcmp(active, "false"));
}

static bool add_object(TacSofa *s, TacSofaElement *e, uint32_t node) {
    const TacSofaClass *cls = tac_sofa_find_class(e->tag);
    if (!cls) {
        explain_unknown(s, e);
        return true;
    }
    if (!tac_grow(&s->objects, &s->object_capacity, s->object_count + 1, sizeof *s->objects))
        return tac_sofa_no_memory(s);
    const char *name = name_object(s, e, s->nodes[node].first);
    if (!name) return tac_sofa_no_memory(s);
    cls = tac_sofa_element_class(cls, value_of(e, "template"));
    s->objects[s->object_count++] = (TacSofaObject){.element = e, .cls = cls, .name = name, .node = node};
    s->nodes[node].count++;
    if (e->first)
        tac_sofa_remark(s, e->first->place, "<%.40s> inside of <%.40s> is passed over", e->first->tag,
                        e->tag);
    return true;
}

static bool add_node(TacSofa *s, TacSofaElement *e, uint32_t parent) {
    if (!is_active(e)) return true;
    if (!tac_grow(&s->nodes, &s->node_capacity, s->node_count + 1, sizeof *s->nodes))
        return tac_sofa_no_memory(s);
    uint32_t node = (uint32_t)s->node_count++;
    const char *name = value_of(e, "name");
    s->nodes[node] = (TacSofaNode){
        .name = name ? name : "", .parent = parent, .first = (uint32_t)s->object_count, .element = e};
    for (TacSofaElement *c = e->first; c; c = c->next)
        if (!is_node(c) && !add_object(s, c, node)) return false;
    for (TacSofaElement *c = e->first; c; c = c->next)
        if (is_node(c) && !add_node(s, c, node)) return false;
    return true;
}

bool tac_sofa_read(TacSofa *s, const char *path, const TacXml *xml) {
    const char *folder = folder_of(s, path);
    if (!folder || !tac_grow(&s->opened, &s->opened_capacity, 1, sizeof *s->opened))
        return tac_sofa_no_memory(s);
    s->opened[s->opened_count++] = path;
    warn_repairs(s, xml, path);
    TacSofaElement *root = convert(s, xml->root, folder, 0);
    if (!root) return false;
    if (!is_node(root)) {
        tac_sofa_complain(s, root->place, "expected <Node>, found <%.40s>", root->tag);
        return false;
    }
    return add_node(s, root, TAC_NONE);
}

// --- entry ------------------------------------------------------------------------------------------------

bool tac_sofa_is_path(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && (!strcmp(dot, ".scn") || !strcmp(dot, ".SCN"));
}

bool tac_sofa_is_document(const TacXml *xml) {
    return xml->root && !strcmp(xml->root->name, "Node");
}

static void destroy(TacSofa *s) {
    for (size_t i = 0; i < s->object_count; i++) tac_mesh_destroy(&s->objects[i].mesh);
    for (size_t i = 0; i < s->document_count; i++) {
        tac_xml_destroy(s->documents[i]);
        free(s->documents[i]);
    }
    free(s->documents);
    free(s->opened);
    free(s->nodes);
    free(s->objects);
}

TacStatus tac_sofa_load(TacScene *scene, const char *path, const TacXml *xml, TacError *error) {
    return tac_sofa_include(scene, path, xml, (TacNodeId){0, 0}, error);
}

TacStatus tac_sofa_include(TacScene *scene, const char *path, const TacXml *xml, TacNodeId node,
                           TacError *error) {
    TacError local;
    if (!error) error = &local;
    TacSofa s = {
        .scene = scene, .arena = &scene->arena, .notes = {.scene = scene, .first = error}, .into = node};
    if (tac_sofa_read(&s, path, xml)) tac_sofa_build(&s);
    destroy(&s);
    return s.notes.worst;
}
