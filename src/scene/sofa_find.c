// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Links between SOFA's objects, and values that may be links. See sofa.h.
//
// A value "@path.data" is that data of another object: an attribute as written there, or what the object comes
// to (the points of a loader, the indices of a box). `src` links all data of a loader at once.

#include "base/text.h"
#include "scene/sofa.h"

#include <math.h>

enum { DEEPEST_LINK = 32 };

const TacSofaAttribute *tac_sofa_attribute(const TacSofaObject *object, const char *name) {
    const TacSofaElement *e = object->element;
    for (size_t i = 0; i < e->count; i++)
        if (!strcmp(e->attributes[i].name, name)) return &e->attributes[i];
    return NULL;
}

// --- what an object is ------------------------------------------------------------------------------------

bool tac_sofa_is_state(const TacSofaObject *object) {
    return object->cls->role == TAC_SOFA_STATE;
}

bool tac_sofa_is_topology(const TacSofaObject *object) {
    return object->cls->role == TAC_SOFA_TOPOLOGY;
}

bool tac_sofa_has_mesh(const TacSofaObject *object) {
    return object->cls->role == TAC_SOFA_TOPOLOGY || object->cls->role == TAC_SOFA_MESH;
}

static TacSofaObject *first_in(TacSofa *s, uint32_t node, bool (*fits)(const TacSofaObject *)) {
    const TacSofaNode *n = &s->nodes[node];
    for (uint32_t i = n->first; i < n->first + n->count; i++)
        if (fits(&s->objects[i])) return &s->objects[i];
    return NULL;
}

TacSofaObject *tac_sofa_state_of(TacSofa *s, uint32_t node) {
    for (; node != TAC_NONE; node = s->nodes[node].parent) {
        TacSofaObject *state = first_in(s, node, tac_sofa_is_state);
        if (state) return state;
    }
    return NULL;
}

TacSofaObject *tac_sofa_first_topology(TacSofa *s, uint32_t node) {
    return first_in(s, node, tac_sofa_is_topology);
}

TacSofaObject *tac_sofa_topology_of(TacSofa *s, uint32_t node) {
    const TacSofaNode *n = &s->nodes[node];
    for (uint32_t i = n->first + n->count; i-- > n->first;)
        if (tac_sofa_is_topology(&s->objects[i])) return &s->objects[i];
    for (node = n->parent; node != TAC_NONE; node = s->nodes[node].parent) {
        TacSofaObject *topology = tac_sofa_first_topology(s, node);
        if (topology) return topology;
    }
    return NULL;
}

// --- paths ------------------------------------------------------------------------------------------------

static uint32_t child_named(const TacSofa *s, uint32_t node, const char *name, size_t length) {
    for (uint32_t i = node + 1; i < s->node_count; i++)
        if (s->nodes[i].parent == node && !strncmp(s->nodes[i].name, name, length) &&
            !s->nodes[i].name[length])
            return i;
    return TAC_NONE;
}

static TacSofaObject *object_named(TacSofa *s, uint32_t node, const char *name, size_t length) {
    const TacSofaNode *n = &s->nodes[node];
    for (uint32_t i = n->first; i < n->first + n->count; i++)
        if (!strncmp(s->objects[i].name, name, length) && !s->objects[i].name[length]) return &s->objects[i];
    return NULL;
}

// Names from a node on; an object, or the one of a node that fits.
static TacSofaObject *walk(TacSofa *s, uint32_t node, const char *path, size_t length,
                           bool (*fits)(const TacSofaObject *)) {
    while (node != TAC_NONE && length > 0) {
        size_t n = 0;
        while (n < length && path[n] != '/') n++;
        bool last = n == length || n + 1 == length;
        if (n == 2 && path[0] == '.' && path[1] == '.') {
            node = s->nodes[node].parent;
        } else if (n > 0 && !(n == 1 && path[0] == '.')) {
            TacSofaObject *object = last ? object_named(s, node, path, n) : NULL;
            if (object) return object;
            node = child_named(s, node, path, n);
        }
        n += n < length;
        path += n;
        length -= n;
    }
    return node != TAC_NONE && fits ? first_in(s, node, fits) : NULL;
}

// "[-2]": the object two before this one in its node.
static TacSofaObject *preceding(TacSofa *s, const TacSofaObject *from, const char *path, size_t length) {
    const char *p = path + 1;
    int64_t steps;
    if (!tac_read_int(&p, path + length, &steps) || *p != ']') return NULL;
    int64_t i = (from - s->objects) + steps;
    const TacSofaNode *n = &s->nodes[from->node];
    return i >= n->first && i < (int64_t)n->first + n->count ? &s->objects[i] : NULL;
}

static TacSofaObject *follow(TacSofa *s, const TacSofaObject *from, const char *path, size_t length,
                             bool (*fits)(const TacSofaObject *)) {
    if (length > 0 && path[0] == '@') path++, length--;
    if (length == 0) return NULL;
    if (path[0] == '[') return preceding(s, from, path, length);
    if (path[0] == '/') return walk(s, 0, path + 1, length - 1, fits);
    if (path[0] == '.') return walk(s, from->node, path, length, fits);
    for (uint32_t node = from->node; node != TAC_NONE; node = s->nodes[node].parent) {
        TacSofaObject *found = walk(s, node, path, length, fits);
        if (found) return found;
    }
    return NULL;
}

TacSofaObject *tac_sofa_follow(TacSofa *s, const TacSofaObject *from, const char *link,
                               bool (*fits)(const TacSofaObject *)) {
    return follow(s, from, link, strcspn(link, " \t\r\n"), fits);
}

TacSofaObject *tac_sofa_link(TacSofa *s, const TacSofaObject *object, const char *attribute,
                             bool (*fits)(const TacSofaObject *)) {
    const TacSofaAttribute *a = tac_sofa_attribute(object, attribute);
    if (!a || !*a->value) return NULL;
    TacSofaObject *target = tac_sofa_follow(s, object, a->value, fits);
    if (!target) {
        const char *names[256];
        size_t n = 0;
        for (uint32_t node = object->node; node != TAC_NONE; node = s->nodes[node].parent)
            for (uint32_t i = 0; i < s->nodes[node].count && n < TAC_COUNT(names); i++)
                names[n++] = s->objects[s->nodes[node].first + i].name;
        const char *slash = strrchr(a->value, '/');
        const char *near = tac_nearest(slash ? slash + 1 : a->value + (a->value[0] == '@'), names, n);
        tac_sofa_complain(s, a->place, "%s: \"%.100s\" leads to nothing%s%s%s", attribute, a->value,
                          near ? "; did you mean @" : "", near ? near : "", near ? "?" : "");
    }
    return target;
}

// --- values -----------------------------------------------------------------------------------------------

// The data part of "@path.data": where it begins, or NULL.
static const char *data_part(const char *link) {
    const char *slash = strrchr(link, '/'), *dot = strrchr(link, '.');
    if (!dot || (slash && dot < slash) || !dot[1] || dot == link + 1 || dot[-1] == '.') return NULL;
    return dot + 1;
}

bool tac_sofa_leads_to_points(TacSofa *s, const TacSofaObject *from, const char *value) {
    const char *data = value[0] == '@' ? data_part(value) : NULL;
    const TacSofaObject *target = data ? follow(s, from, value, (size_t)(data - 1 - value), NULL) : NULL;
    return target && tac_sofa_has_mesh(target);
}

static const char *const synonyms[][2] = {
    {"tetras", "tetrahedra"}, {"hexas", "hexahedra"},          {"lines", "edges"},
    {"points", "position"},   {"rest_position", "position"},   {"tetrahedronIndices", "tetrahedra"},
    {"listRadius", "radius"}, {"output_position", "position"},
};

static const char *canonical(const char *name) {
    for (size_t i = 0; i < TAC_COUNT(synonyms); i++)
        if (!strcmp(synonyms[i][0], name)) return synonyms[i][1];
    return name;
}

static int element_kind(const char *name) {
    const char *plain = canonical(name);
    for (int k = 0; k < TAC_ELEMENT_KINDS; k++)
        if (!strcmp(plain, tac_element_name((TacElement)k))) return k;
    return -1;
}

double *tac_sofa_new_reals(TacSofa *s, size_t count) {
    double *list = tac_arena_array(s->arena, count, sizeof *list);
    if (!list) tac_sofa_no_memory(s);
    return list;
}

int32_t *tac_sofa_new_ints(TacSofa *s, size_t count) {
    int32_t *list = tac_arena_array(s->arena, count, sizeof *list);
    if (!list) tac_sofa_no_memory(s);
    return list;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',' || c == '[' || c == ']' || c == ';';
}

static bool parse_reals(TacSofa *s, const TacSofaAttribute *a, TacReals *list) {
    const char *end = a->value + strlen(a->value);
    double *values = NULL;
    size_t count = 0, capacity = 0;
    for (const char *p = a->value; p < end;) {
        if (is_blank(*p)) {
            p++;
            continue;
        }
        double v;
        if (!tac_read_real(&p, end, &v) || (p < end && !is_blank(*p))) {
            tac_sofa_complain(s, a->place, "%s: expected a number, found \"%.20s\"", a->name, p);
            free(values);
            return false;
        }
        if (!tac_grow(&values, &capacity, count + 1, sizeof *values)) {
            free(values);
            return tac_sofa_no_memory(s);
        }
        values[count++] = v;
    }
    double *kept = tac_sofa_new_reals(s, count);
    if (kept && count) memcpy(kept, values, count * sizeof *kept);
    free(values);
    *list = (TacReals){kept, count};
    return kept != NULL;
}

static bool parse_ints(TacSofa *s, const TacSofaAttribute *a, TacInts *list) {
    // the rules of our own lists are SOFA's
    const TacAttribute like = {.name = a->name, .type = TAC_INTS, .range = TAC_ANY};
    TacValue value;
    TacError error;
    if (tac_value_parse(s->arena, &like, a->value, a->place, "", &value, &error) != TAC_OK) {
        tac_sofa_note(s, a->place, &error);
        return false;
    }
    *list = (TacInts){value.ints, value.count};
    return true;
}

// Real data that an object comes to. False when it has none of that name.
static bool made_reals(TacSofa *s, TacSofaObject *object, const char *name, TacReals *list) {
    const char *plain = canonical(name);
    if (tac_sofa_has_mesh(object) && tac_sofa_make_mesh(s, object)) {
        if (!strcmp(plain, "position")) {
            *list = (TacReals){object->mesh.points, 3 * object->mesh.point_count};
            return true;
        }
        if (!strcmp(plain, "radius") && object->mesh.radii) {
            *list = (TacReals){object->mesh.radii, object->mesh.point_count};
            return true;
        }
    }
    if (tac_sofa_is_state(object) && tac_sofa_make_state(s, object)) {
        bool at_rest = !strcmp(name, "rest_position");
        if (at_rest || !strcmp(plain, "position")) {
            *list = at_rest ? object->rest : object->positions;
            return true;
        }
        if (!strcmp(name, "velocity")) {
            *list = object->velocities;
            return true;
        }
    }
    return false;
}

static bool made_ints(TacSofa *s, TacSofaObject *object, const char *name, TacInts *list) {
    int kind = element_kind(name);
    if (kind >= 0 && tac_sofa_has_mesh(object) && tac_sofa_make_mesh(s, object)) {
        *list = (TacInts){object->mesh.elements[kind].indices,
                          object->mesh.elements[kind].count * (size_t)tac_element_size((TacElement)kind)};
        return true;
    }
    if (object->cls->role == TAC_SOFA_REGION && !strcmp(name, "indices") && tac_sofa_make_region(s, object)) {
        *list = object->indices;
        return true;
    }
    return false;
}

// Where a value is: an attribute that is no link, or an object that makes it.
typedef struct Source {
    const TacSofaAttribute *text;
    TacSofaObject *object;
    const char *data;
} Source;

static const TacSofaAttribute *given(const TacSofaObject *object, const char *name) {
    const TacSofaAttribute *a = tac_sofa_attribute(object, name);
    const char *plain = canonical(name);
    if (!a && strcmp(plain, name)) a = tac_sofa_attribute(object, plain);
    for (size_t i = 0; !a && i < TAC_COUNT(synonyms); i++)
        if (!strcmp(synonyms[i][1], name) && strcmp(synonyms[i][0], "rest_position"))
            a = tac_sofa_attribute(object, synonyms[i][0]);
    return a;
}

// Whether a loader has put it to use already: its points are where it says.
static bool is_placing(const char *name) {
    static const char *const names[] = {"translation", "rotation", "scale3d", "scale"};
    for (size_t i = 0; i < TAC_COUNT(names); i++)
        if (!strcmp(names[i], name)) return true;
    return false;
}

// False: nothing is given. A link that leads nowhere is complained about and counts as nothing.
static bool find_source(TacSofa *s, TacSofaObject *object, const char *name, Source *source) {
    for (int depth = 0; depth < DEEPEST_LINK; depth++) {
        const TacSofaAttribute *a = given(object, name);
        if (a && a->value[0] != '@') {
            *source = (Source){.text = a};
            return true;
        }
        if (!a) {
            const TacSofaAttribute *src = tac_sofa_attribute(object, "src");
            TacSofaObject *loader = src ? tac_sofa_follow(s, object, src->value, tac_sofa_has_mesh) : NULL;
            if (loader && is_placing(name)) return false;
            if (depth > 0 || !loader || !tac_sofa_has_mesh(loader)) {
                // what an object itself makes; never asked of the object that is being made
                *source = (Source){.object = depth > 0 ? object : NULL, .data = name};
                return depth > 0;
            }
            *source = (Source){.object = loader, .data = name};
            return true;
        }
        const char *data = data_part(a->value);
        TacSofaObject *target =
            follow(s, object, a->value, data ? (size_t)(data - 1 - a->value) : strlen(a->value), NULL);
        if (!target) {
            tac_sofa_complain(s, a->place, "%s: \"%.100s\" leads to nothing", a->name, a->value);
            return false;
        }
        object = target;
        if (data) name = data;
        // what it makes goes before what is written there: a state's position is moved by its translation
        if (tac_sofa_has_mesh(object) || tac_sofa_is_state(object) || object->cls->role == TAC_SOFA_REGION) {
            *source = (Source){.object = object, .data = name};
            return true;
        }
    }
    tac_sofa_complain(s, object->element->place, "%s: links lead round in a circle", name);
    return false;
}

const char *tac_sofa_text(TacSofa *s, TacSofaObject *object, const char *name) {
    Source source;
    if (!find_source(s, object, name, &source)) return NULL;
    if (source.text) return source.text->value;
    const TacSofaAttribute *a = source.object ? given(source.object, source.data) : NULL;
    return a ? a->value : NULL;
}

bool tac_sofa_reals(TacSofa *s, TacSofaObject *object, const char *name, TacReals *list) {
    *list = (TacReals){NULL, 0};
    Source source;
    if (!find_source(s, object, name, &source)) return true;
    if (source.text) return parse_reals(s, source.text, list);
    if (made_reals(s, source.object, source.data, list)) return true;
    const TacSofaAttribute *a = given(source.object, source.data);
    return a && a->value[0] != '@' ? parse_reals(s, a, list) : true;
}

bool tac_sofa_ints(TacSofa *s, TacSofaObject *object, const char *name, TacInts *list) {
    *list = (TacInts){NULL, 0};
    Source source;
    if (!find_source(s, object, name, &source)) return true;
    if (source.text) return parse_ints(s, source.text, list);
    if (made_ints(s, source.object, source.data, list)) return true;
    const TacSofaAttribute *a = given(source.object, source.data);
    return a && a->value[0] != '@' ? parse_ints(s, a, list) : true;
}

double tac_sofa_real(TacSofa *s, TacSofaObject *object, const char *name, double otherwise) {
    TacReals list;
    return tac_sofa_reals(s, object, name, &list) && list.count ? list.data[0] : otherwise;
}

bool tac_sofa_bool(TacSofa *s, TacSofaObject *object, const char *name, bool otherwise) {
    const char *text = tac_sofa_text(s, object, name);
    if (!text) return otherwise;
    static const char *const no[] = {"0", "false", "False", "no", "off", "FALSE"};
    for (size_t i = 0; i < TAC_COUNT(no); i++)
        if (!strcmp(text, no[i])) return false;
    return true;
}

TacVec3 tac_sofa_vector(TacSofa *s, TacSofaObject *object, const char *name, TacVec3 otherwise) {
    TacReals list;
    if (!tac_sofa_reals(s, object, name, &list) || !list.count) return otherwise;
    return list.count >= 3   ? tac_load3(list.data)
           : list.count == 1 ? tac_vec3(list.data[0], list.data[0], list.data[0])
                             : otherwise;
}
