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

static void put_components(const TacScene *scene, TacPage *page, const TacSceneNode *node) {
    for (uint32_t i = node->first_component; i != TAC_NONE; i = scene->components[i].next) {
        const TacSceneComponent *c = &scene->components[i];
        if (!c->alive || i == 0) continue; // the first is the world: its attributes stand on <tactus>
        indent(page, node->depth);
        tac_page_put(page, "<", c->cls->name, " name=\"", c->name, "\"");
        put_attributes(page, c);
        tac_page_put(page, "/>\n");
    }
}

static void close_nodes(TacPage *page, uint32_t *open, uint32_t depth) {
    for (; *open > depth; (*open)--) {
        indent(page, *open - 1);
        tac_page_put(page, "</node>\n");
    }
}

bool tac_scene_write(const TacScene *scene, TacSink sink, void *data) {
    TacPage page = {sink, data, false};
    tac_page_put(&page, "<tactus version=\"1\"");
    put_attributes(&page, &scene->components[0]);
    tac_page_put(&page, ">\n");
    uint32_t open = 0; // nodes, below the root
    for (uint32_t n = 0; n != TAC_NONE && !page.stopped; n = tac_tree_next_node(scene, n)) {
        const TacSceneNode *node = &scene->nodes[n];
        if (n > 0) {
            close_nodes(&page, &open, node->depth - 1);
            indent(&page, node->depth - 1);
            tac_page_put(&page, "<node name=\"", node->name, "\">\n");
            open = node->depth;
        }
        put_components(scene, &page, node);
    }
    close_nodes(&page, &open, 0);
    tac_page_put(&page, "</tactus>\n");
    return !page.stopped;
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
