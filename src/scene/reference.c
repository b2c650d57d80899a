// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The reference pages, in Markdown, made from the tables of the classes: what stands in docs/components.md is
// what the loader accepts. tests/reference_test.c holds the two together.

#include "scene/sink.h"
#include "scene/tree.h"

#include <stdio.h>
#include <string.h>

// What a kind of component is for, on the page of all.
static const char *const kind_intros[TAC_KIND_COUNT] = {
    [TAC_KIND_TOPOLOGY] = "A mesh in a node: read from a file, written out, or generated. Matter takes its "
                          "points from the nearest one, laws their elements, pictures what is drawn. All of "
                          "them place their mesh in the same order: split, weld, scale, rotation, "
                          "translation.",
    [TAC_KIND_MATTER] = "What can move: points, or frames, each with a position and a velocity. Without a "
                        "solver, in its node or above, matter flies freely.",
    [TAC_KIND_MASS] = "What the matter of a node weighs. Whatever a solver moves needs one, and mass lives "
                      "at one level of a chain of maps.",
    [TAC_KIND_LAW] = "Forces from positions and velocities. A law whose matter belongs to one solver is part "
                     "of that solver's step; any other law kicks on its own clock.",
    [TAC_KIND_CONSTRAINT] = "Points that do not move freely: they stay, or move as they are told.",
    [TAC_KIND_SOLVER] = "Makes its node and all below it an agent: turns their forces into kicks, at its own "
                        "step. A node has one at most.",
    [TAC_KIND_LINEAR_SOLVER] = "Solves the equations of an implicit solver in the same node.",
    [TAC_KIND_MAP] = "Matter that follows other matter: positions and velocities go down, forces come back "
                     "up.",
    [TAC_KIND_JOINT] = "Ties between matter, kept by the solver Spook: rods, hinges, motors, limits.",
    [TAC_KIND_COLLISION] = "The shape with which matter touches other things, and what it is made of.",
    [TAC_KIND_PROBE] = "A number that is watched over time and recorded.",
    [TAC_KIND_SETTING] = "What holds for the world or a node: gravity, looks, the camera, what is recorded.",
};

// --- pieces -----------------------------------------------------------------------------------------------

// Text that Markdown must not read as markup, also inside a table.
static void say(TacPage *page, const char *text) {
    static const char *const replacements[] = {"\\|", "\\*", "&lt;", " ", " "};
    tac_page_escaped(page, text, "|*<\n\r", replacements);
}

static void say_choice(void *data, const char *name, size_t length, size_t i) {
    char text[64];
    snprintf(text, sizeof text, "%.*s", (int)(length < 63 ? length : 63), name);
    tac_page_put(data, i ? ", `" : "`", text, "`");
}

static void say_allowed(TacPage *page, const TacAttribute *a) {
    static const char *const ranges[] = {"", "> 0", ">= 0", "0 to 1"};
    if (a->type == TAC_CHOICE)
        tac_each_choice(a->accepts, say_choice, page);
    else if (a->type == TAC_LINK)
        say(page, a->accepts ? a->accepts : "any");
    else
        tac_page_put(page, ranges[a->range]);
}

static void say_default(TacPage *page, const TacAttribute *a) {
    if (!a->initial)
        tac_page_put(page, "**required**");
    else if (*a->initial)
        tac_page_put(page, "`", a->initial, "`");
}

// --- tables -----------------------------------------------------------------------------------------------

static bool has(const TacClass *cls, bool outputs) {
    for (size_t i = 0; i < cls->attribute_count; i++)
        if (((cls->attributes[i].flags & TAC_OUTPUT) != 0) == outputs) return true;
    return false;
}

static void say_attribute(TacPage *page, const TacAttribute *a) {
    tac_page_put(page, "| `", a->name, "` | ", a->type == TAC_CHOICE ? "choice" : tac_type_name(a->type),
                 " | ");
    say(page, a->unit);
    tac_page_put(page, " | ");
    say_default(page, a);
    tac_page_put(page, " | ");
    say_allowed(page, a);
    tac_page_put(page, " | ");
    say(page, a->doc);
    tac_page_put(page, a->flags & TAC_LIVE ? " May change while time runs. |\n" : " |\n");
}

static void say_output(TacPage *page, const TacAttribute *a) {
    tac_page_put(page, "| `", a->name, "` | ", tac_type_name(a->type), " | ");
    say(page, a->unit);
    tac_page_put(page, " | ");
    say(page, a->doc);
    tac_page_put(page, " |\n");
}

static void say_attributes(TacPage *page, const TacClass *cls) {
    if (has(cls, false))
        tac_page_put(page,
                     "\n| attribute | type | unit | default | allowed | meaning |\n|---|---|---|---|---|---|"
                     "\n");
    for (size_t i = 0; i < cls->attribute_count; i++)
        if (!(cls->attributes[i].flags & TAC_OUTPUT)) say_attribute(page, &cls->attributes[i]);
    if (has(cls, true))
        tac_page_put(page, "\nWhat it makes, for links such as `@name.points`:\n\n| output | type | unit | "
                           "meaning |\n|---|---|---|---|\n");
    for (size_t i = 0; i < cls->attribute_count; i++)
        if (cls->attributes[i].flags & TAC_OUTPUT) say_output(page, &cls->attributes[i]);
}

// --- pages ------------------------------------------------------------------------------------------------

static void say_matter_kinds(TacPage *page, const TacClass *cls) {
    if (!cls->kinds) return;
    tac_page_put(page, " Works on ");
    bool any = false;
    for (int k = 0; k < TAC_MATTER_KINDS; k++) {
        if (!(cls->kinds & 1u << k)) continue;
        tac_page_put(page, any ? ", " : "", tac_matter_kind_name((TacMatterKind)k));
        any = true;
    }
    tac_page_put(page, ".");
}

static void say_class(TacPage *page, const TacClass *cls, const char *heading) {
    tac_page_put(page, heading, " ", cls->name, "\n\n");
    say(page, cls->doc);
    say_matter_kinds(page, cls);
    tac_page_put(page, "\n");
    say_attributes(page, cls);
}

static bool has_kind(const TacScene *scene, TacComponentKind kind) {
    for (size_t i = 0; i < tac_scene_class_count(scene); i++)
        if (tac_scene_class(scene, i)->kind == kind) return true;
    return false;
}

static void say_kind_title(TacPage *page, TacComponentKind kind) {
    const char *name = tac_component_kind_name(kind);
    char first[2] = {(char)(name[0] - 'a' + 'A'), 0};
    tac_page_put(page, first, name + 1);
}

// One line for each kind: the names of its components, as links down the page.
static void say_contents(TacPage *page, const TacScene *scene) {
    tac_page_put(page, "| kind | components |\n|---|---|\n");
    for (int kind = 0; kind < TAC_KIND_COUNT; kind++) {
        if (!has_kind(scene, (TacComponentKind)kind)) continue;
        tac_page_put(page, "| ", tac_component_kind_name((TacComponentKind)kind), " |");
        for (size_t i = 0; i < tac_scene_class_count(scene); i++) {
            const TacClass *cls = tac_scene_class(scene, i);
            if ((int)cls->kind != kind) continue;
            tac_page_put(page, " [", cls->name, "](#");
            for (const char *p = cls->name; *p; p++) {
                char lower[2] = {(char)(*p >= 'A' && *p <= 'Z' ? *p - 'A' + 'a' : *p), 0};
                tac_page_put(page, lower);
            }
            tac_page_put(page, ")");
        }
        tac_page_put(page, " |\n");
    }
}

static void say_all(TacPage *page, const TacScene *scene) {
    tac_page_put(
        page,
        "<!-- SPDX-FileCopyrightText: The Tactus authors -->\n<!-- SPDX-License-Identifier: MIT -->\n\n"
        "# Components\n\n"
        "Everything that a scene can be made of, by kind. This page is made from the tables that the loader "
        "itself uses (`tactus components --all`); `tactus components NAME` shows one component. "
        "[scenes.md](scenes.md) says how scenes are written.\n\n"
        "Every component may have a `name`, unique in its node. Instead of a value every attribute takes a "
        "link, `@component.attribute`, to a value of the same type, and parts of it may be parameters, "
        "`${...}`. Quantities are in SI units; `1` is a pure number. Without a default, and not required, an "
        "attribute means what its sentence says.\n\n");
    say_contents(page, scene);
    for (int kind = 0; kind < TAC_KIND_COUNT; kind++) {
        if (!has_kind(scene, (TacComponentKind)kind)) continue;
        tac_page_put(page, "\n## ");
        say_kind_title(page, (TacComponentKind)kind);
        tac_page_put(page, "\n\n", kind_intros[kind], "\n");
        for (size_t i = 0; i < tac_scene_class_count(scene); i++) {
            const TacClass *cls = tac_scene_class(scene, i);
            if ((int)cls->kind == kind) say_class(page, cls, "\n###");
        }
    }
}

bool tac_scene_reference(const TacScene *scene, const char *name, TacSink sink, void *data) {
    TacPage page = {sink, data, false};
    const TacClass *cls = name ? tac_scene_find_class(scene, name) : NULL;
    if (name && !cls) return false;
    if (!cls) {
        say_all(&page, scene);
        return !page.stopped;
    }
    tac_page_put(&page, "# ", cls->name, "\n\nKind: ", tac_component_kind_name(cls->kind), "\n\n");
    say(&page, cls->doc);
    say_matter_kinds(&page, cls);
    tac_page_put(&page, "\n");
    say_attributes(&page, cls);
    return !page.stopped;
}
