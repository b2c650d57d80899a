// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Scenes as text again: the tree written as a .tac file, and single attributes of a running world. What was
// given is written, defaults are not; parameters and includes are gone, their values are in their place.

#include "base/text.h"
#include "scene/sink.h"
#include "scene/tree.h"
#include "world/world.h"

#include <inttypes.h>
#include <stdio.h>

// --- values -----------------------------------------------------------------------------------------------

static void put_reals(TacPage *page, const double *values, size_t count) {
    char text[TAC_REAL_TEXT];
    for (size_t i = 0; i < count; i++) {
        tac_real_text(text, values[i], 0);
        tac_page_put(page, i ? " " : "", text);
    }
}

static void put_ints(TacPage *page, const int32_t *values, size_t count) {
    char text[16];
    for (size_t i = 0; i < count; i++) {
        snprintf(text, sizeof text, "%s%" PRId32, i ? " " : "", values[i]);
        tac_page_put(page, text);
    }
}

typedef struct Choice {
    size_t wanted;
    char name[64];
} Choice;

static void take_choice(void *data, const char *name, size_t length, size_t i) {
    Choice *choice = data;
    if (i == choice->wanted) snprintf(choice->name, sizeof choice->name, "%.*s", (int)length, name);
}

static void put_whole(TacPage *page, const TacAttribute *a, int64_t value) {
    char text[24];
    Choice choice = {.wanted = value < 0 ? SIZE_MAX : (size_t)value};
    if (a->type == TAC_CHOICE) tac_each_choice(a->accepts, take_choice, &choice);
    snprintf(text, sizeof text, "%" PRId64, value);
    tac_page_put(page, a->type == TAC_CHOICE ? choice.name
                       : a->type == TAC_BOOL ? (value ? "true" : "false")
                                             : text);
}

static void put_escaped(TacPage *page, const char *text) {
    static const char *const replacements[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#10;", "&#9;", "&#13;"};
    tac_page_escaped(page, text, "&<>\"\n\t\r", replacements);
}

static void put_value(TacPage *page, const TacAttribute *a, const TacValue *value) {
    if (value->link) {
        tac_page_put(page, "@");
        put_escaped(page, value->link);
        return;
    }
    switch (a->type) {
    case TAC_BOOL:
    case TAC_INT:
    case TAC_CHOICE: put_whole(page, a, value->integer); break;
    case TAC_TEXT:
    case TAC_PATH: put_escaped(page, value->text ? value->text : ""); break;
    case TAC_INTS: put_ints(page, value->ints, value->count); break;
    default: put_reals(page, value->reals, value->count); break;
    }
}

// --- the file ---------------------------------------------------------------------------------------------

static void put_attributes(TacPage *page, const TacSceneComponent *c) {
    for (size_t i = 0; i < c->cls->attribute_count; i++) {
        if (!c->values[i].given) continue;
        tac_page_put(page, " ", c->cls->attributes[i].name, "=\"");
        put_value(page, &c->cls->attributes[i], &c->values[i]);
        tac_page_put(page, "\"");
    }
}

static void indent(TacPage *page, uint32_t depth) {
    for (uint32_t i = 0; i <= depth; i++) tac_page_put(page, "  ");
}

static void put_component(TacPage *page, const TacSceneComponent *c, uint32_t depth) {
    indent(page, depth);
    tac_page_put(page, "<", c->cls->name, " name=\"", c->name, "\"");
    put_attributes(page, c);
    tac_page_put(page, "/>\n");
}

// What of a node is still to be written, and the first component at or below it.
typedef struct Progress {
    uint32_t component, child, first;
} Progress;

// Children come after their parents in the order of the tree, so from the back all below is known.
static void find_firsts(const TacScene *scene, Progress *progress, const uint32_t *order, size_t count) {
    for (size_t i = count; i-- > 0;) {
        const TacSceneNode *node = &scene->nodes[order[i]];
        Progress *p = &progress[order[i]];
        *p = (Progress){node->first_component, node->first_child, node->first_component};
        for (uint32_t k = node->first_child; k != TAC_NONE; k = scene->nodes[k].next)
            if (scene->nodes[k].alive && progress[k].first < p->first) p->first = progress[k].first;
    }
}

// Components are made in the order in which they stand, among the nodes beside them, too.
static void put_tree(const TacScene *scene, TacPage *page, Progress *progress) {
    for (uint32_t n = 0; !page->stopped;) {
        const TacSceneNode *node = &scene->nodes[n];
        Progress *p = &progress[n];
        while (p->child != TAC_NONE && !scene->nodes[p->child].alive) p->child = scene->nodes[p->child].next;
        uint32_t c = p->component, k = p->child;
        if (c != TAC_NONE && (k == TAC_NONE || c < progress[k].first)) {
            p->component = scene->components[c].next;
            // the first of all is the world: its attributes stand on <tactus>
            if (scene->components[c].alive && c > 0) put_component(page, &scene->components[c], node->depth);
        } else if (k != TAC_NONE) {
            p->child = scene->nodes[k].next;
            indent(page, node->depth);
            tac_page_put(page, "<node name=\"", scene->nodes[k].name, "\">\n");
            n = k;
        } else if (n == 0) {
            return;
        } else {
            indent(page, node->depth - 1);
            tac_page_put(page, "</node>\n");
            n = node->parent;
        }
    }
}

bool tac_scene_write(const TacScene *scene, TacSink sink, void *data) {
    TacPage page = {sink, data, false};
    Progress *progress = calloc(scene->node_count, sizeof *progress);
    uint32_t *order = calloc(scene->node_count, sizeof *order);
    size_t count = 0;
    for (uint32_t n = 0; order && n != TAC_NONE; n = tac_tree_next_node(scene, n)) order[count++] = n;
    if (progress && order) {
        find_firsts(scene, progress, order, count);
        tac_page_put(&page, "<tactus version=\"1\"");
        put_attributes(&page, &scene->components[0]);
        tac_page_put(&page, ">\n");
        put_tree(scene, &page, progress);
        tac_page_put(&page, "</tactus>\n");
    }
    bool done = progress && order && !page.stopped;
    free(progress);
    free(order);
    return done;
}

// --- attributes of a world --------------------------------------------------------------------------------

typedef struct Buffer {
    char *text;
    size_t size, used;
} Buffer;

static bool fill(void *data, const char *text, size_t length) {
    Buffer *b = data;
    size_t room = b->size - 1 - b->used, n = length < room ? length : room;
    memcpy(b->text + b->used, text, n);
    b->used += n;
    b->text[b->used] = 0;
    return n == length;
}

static void put_field(TacPage *page, const TacAttribute *a, const void *component) {
    const char *field = (const char *)component + a->offset;
    const TacComponent *link;
    switch (a->type) {
    case TAC_BOOL: put_whole(page, a, *(const bool *)field); break;
    case TAC_INT: put_whole(page, a, *(const int64_t *)field); break;
    case TAC_CHOICE: put_whole(page, a, *(const int *)field); break;
    case TAC_REAL:
        if (!isnan(*(const double *)field)) put_reals(page, (const double *)field, 1);
        break;
    case TAC_VECTOR:
        if (!isnan(*(const double *)field)) put_reals(page, (const double *)field, 3);
        break;
    case TAC_TEXT:
    case TAC_PATH: tac_page_put(page, *(const char *const *)field); break;
    case TAC_REALS: put_reals(page, ((const TacReals *)field)->data, ((const TacReals *)field)->count); break;
    case TAC_INTS: put_ints(page, ((const TacInts *)field)->data, ((const TacInts *)field)->count); break;
    case TAC_LINK:
        link = *(TacComponent *const *)field;
        if (link) tac_page_put(page, "@", link->path);
        break;
    }
}

bool tac_world_text(const TacWorld *world, TacComponentId id, const char *attribute, char *text,
                    size_t size) {
    const TacComponent *c = tac_world_get(world, id);
    uint32_t i = c ? tac_class_attribute(c->cls, attribute) : TAC_NONE;
    if (size == 0) return false;
    *text = 0;
    if (i == TAC_NONE) return false;
    Buffer buffer = {text, size, 0};
    TacPage page = {fill, &buffer, false};
    put_field(&page, &c->cls->attributes[i], c);
    return !page.stopped;
}
