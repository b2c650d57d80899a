// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// tactus check: reads and compiles a scene, runs nothing, and says what it found.

#include "commands.h"
#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES_SHOWN = 200, MOST_AGENTS_SHOWN = 100, MOST_MARGINS_SHOWN = 12, MOST_CONTACT_ROWS = 1000 };

typedef struct CheckOptions {
    AppSceneOptions scene; // first, for APP_SCENE_OPTIONS
    bool json;
} CheckOptions;

static const AppOption options[] = {
    APP_SCENE_OPTIONS,
    {.name = "json",
     .kind = APP_FLAG,
     .offset = offsetof(CheckOptions, json),
     .doc = "Prints one JSON object, on one line; messages are in it as well."},
};

static int check(int argc, char **argv);

const AppCommand app_check_command = {
    .name = "check",
    .arguments = "SCENE",
    .summary = "says what is in a scene, and what is wrong with it",
    .text =
        "Reads a scene and makes its world, but lets no time run. Says what it found: parameters, the tree "
        "of nodes and components, agents with their solvers and steps, laws on their own clocks, what holds "
        "where "
        "materials touch, sizes. "
        "All errors are shown, each with file, line and column, and the exit code is 3 if there is one.",
    .examples = "  tactus check beam.tac\n"
                "  tactus check beam.tac --set n=200          would it fit into memory?\n"
                "  tactus check beam.tac --json | jq .agents\n",
    .options = options,
    .option_count = APP_COUNT(options),
    .least = 1,
    .most = 1,
    .run = check,
};

// What is looked at: a scene and, where it could be made, its world.
typedef struct Report {
    const char *path;
    TacScene *scene;
    TacWorld *world;
    const TacRecordingDef *def;
    TacNodeId *nodes;
    size_t node_count;
    TacComponentId *components; // of one node; as many as the largest has
    size_t next_track;          // of the matter that comes next in the tree
    TacMargin *margins;
    size_t margin_count;
} Report;

typedef struct Elements {
    size_t edges, triangles, tetrahedra;
} Elements;

static Elements elements_of(const TacTrackDef *track) {
    return (Elements){track->mesh.edges.count / 2, track->mesh.triangles.count / 3,
                      track->mesh.tetrahedra.count / 4};
}

static Elements all_elements(const TacRecordingDef *def) {
    Elements all = {0};
    for (size_t i = 0; i < def->track_count; i++) {
        Elements e = elements_of(&def->tracks[i]);
        all.edges += e.edges;
        all.triangles += e.triangles;
        all.tetrahedra += e.tetrahedra;
    }
    return all;
}

// --- the tree ---------------------------------------------------------------------------------------------

static size_t depth_of(const Report *r, TacNodeId node) {
    size_t depth = 0;
    for (node = tac_scene_node_parent(r->scene, node); node.index1;
         node = tac_scene_node_parent(r->scene, node))
        depth++;
    return depth;
}

static bool list_nodes(Report *r) {
    r->node_count = tac_scene_nodes(r->scene, NULL, 0);
    r->nodes = calloc(r->node_count + 1, sizeof *r->nodes);
    if (!r->nodes) return false;
    tac_scene_nodes(r->scene, r->nodes, r->node_count);
    size_t most = 1;
    for (size_t i = 0; i < r->node_count; i++) {
        size_t count = tac_scene_components(r->scene, r->nodes[i], NULL, 0);
        if (count > most) most = count;
    }
    r->components = calloc(most, sizeof *r->components);
    return r->components != NULL;
}

// Matter has tracks in the order of the tree; a name that does not agree has none.
static const TacTrackDef *track_of(Report *r, const TacClass *cls, const char *name) {
    if (cls->kind != TAC_KIND_MATTER || r->next_track >= r->def->track_count) return NULL;
    const TacTrackDef *track = &r->def->tracks[r->next_track];
    const char *slash = strrchr(track->name, '/');
    if (strcmp(slash ? slash + 1 : track->name, name) != 0) return NULL;
    r->next_track++;
    return track;
}

static void put_elements(Elements e) {
    if (e.tetrahedra) printf(", %s", app_elements(e.tetrahedra, TAC_TETRAHEDRA).text);
    if (e.triangles) printf(", %s", app_elements(e.triangles, TAC_TRIANGLES).text);
    if (e.edges) printf(", %s", app_elements(e.edges, TAC_EDGES).text);
}

static void put_counts(const TacTrackDef *track) {
    bool frames = track->kind == TAC_RIGID2 || track->kind == TAC_RIGID3;
    printf(", %s", app_number_of(track->point_count, frames ? "frame" : "point").text);
    put_elements(elements_of(track));
}

static void put_tree(Report *r) {
    AppStyle style = app_style(stdout);
    printf("\n%sScene%s\n", style.bold, style.off);
    for (size_t i = 0; i < r->node_count && i < MOST_NODES_SHOWN; i++) {
        int indent = 2 + 2 * (int)depth_of(r, r->nodes[i]);
        const char *name = tac_scene_node_name(r->scene, r->nodes[i]);
        printf("%*s", indent, "");
        app_put(stdout, *name ? name : "/");
        putchar('\n');
        size_t count = tac_scene_components(r->scene, r->nodes[i], NULL, 0);
        tac_scene_components(r->scene, r->nodes[i], r->components, count);
        for (size_t k = 0; k < count; k++) {
            const TacClass *cls = tac_scene_class_of(r->scene, r->components[k]);
            const char *own = tac_scene_name(r->scene, r->components[k]);
            printf("%*s%s%s%s ", indent + 4, "", style.dim, cls->name, style.off);
            app_put(stdout, own);
            const TacTrackDef *track = track_of(r, cls, own);
            if (track) put_counts(track);
            putchar('\n');
        }
    }
    if (r->node_count > MOST_NODES_SHOWN)
        printf("  ... and %s more nodes\n", app_count(r->node_count - MOST_NODES_SHOWN).text);
}

// --- text -------------------------------------------------------------------------------------------------

static void put_parameters(const Report *r) {
    AppStyle style = app_style(stdout);
    size_t count = tac_scene_parameter_count(r->scene);
    if (!count) return;
    printf("\n%sParameters%s\n", style.bold, style.off);
    for (size_t i = 0; i < count; i++) {
        TacParameterInfo p = tac_scene_parameter(r->scene, i);
        fputs("  ", stdout);
        app_put(stdout, p.name);
        fputs(" = ", stdout);
        app_put(stdout, p.value ? p.value : "");
        if (p.doc && *p.doc) {
            fputs("    ", stdout);
            app_put(stdout, p.doc);
        }
        putchar('\n');
    }
}

static void put_tickers(const Report *r, const char *title, size_t from, size_t to) {
    AppStyle style = app_style(stdout);
    if (from == to) return;
    printf("\n%s%s%s\n", style.bold, title, style.off);
    for (size_t i = from; i < to && i < from + MOST_AGENTS_SHOWN; i++) {
        TacAgentInfo agent = tac_world_agent(r->world, i);
        fputs("  ", stdout);
        app_put(stdout, agent.name);
        printf("  %s, step %g s%s", agent.solver, agent.step, agent.on_ruler ? "" : " (its own clock)");
        if (!agent.is_law) printf(", %s", app_number_of(agent.points, "point").text);
        putchar('\n');
    }
    if (to - from > MOST_AGENTS_SHOWN) printf("  ... and %zu more\n", to - from - MOST_AGENTS_SHOWN);
}

// Points of one matter that are equally near to their limit, from all over it.
typedef struct Alike {
    TacMargin margin; // of the first run
    size_t runs;
} Alike;

static int by_value(double a, double b) {
    return (a > b) - (a < b);
}

static int by_kind(const void *a, const void *b) {
    const TacMargin *p = &((const Alike *)a)->margin, *q = &((const Alike *)b)->margin;
    int order = by_value(p->matter.index1, q->matter.index1);
    if (!order) order = by_value(p->used, q->used);
    if (!order) order = by_value(p->mass, q->mass);
    if (!order) order = by_value(p->stiffness, q->stiffness);
    if (!order) order = by_value(p->viscosity, q->viscosity);
    return order ? order : by_value((double)p->first, (double)q->first);
}

static bool are_alike(const TacMargin *a, const TacMargin *b) {
    return a->matter.index1 == b->matter.index1 && a->used == b->used && a->mass == b->mass &&
           a->stiffness == b->stiffness && a->viscosity == b->viscosity;
}

static int worst_first(const void *a, const void *b) {
    const TacMargin *p = &((const Alike *)a)->margin, *q = &((const Alike *)b)->margin;
    int order = by_value(q->used, p->used);
    if (!order) order = by_value(p->matter.index1, q->matter.index1);
    return order ? order : by_value((double)p->first, (double)q->first);
}

// Returns how many kinds there are, without those that no link limits; `list` has room for all margins.
static size_t gather_alike(const Report *r, Alike *list) {
    size_t kinds = 0;
    size_t count = 0;
    for (size_t i = 0; i < r->margin_count; i++)
        if (r->margins[i].used > 0) list[count++] = (Alike){r->margins[i], 1};
    qsort(list, count, sizeof *list, by_kind);
    for (size_t i = 0; i < count; i++)
        if (kinds && are_alike(&list[kinds - 1].margin, &list[i].margin)) {
            list[kinds - 1].margin.count += list[i].margin.count;
            list[kinds - 1].runs++;
        } else
            list[kinds++] = list[i];
    qsort(list, kinds, sizeof *list, worst_first);
    return kinds;
}

static void put_alike(const Report *r, const Alike *alike, AppStyle style) {
    const TacMargin *m = &alike->margin;
    bool bad = !(m->used < 1);
    fputs("  ", stdout);
    app_put(stdout, tac_world_path(r->world, m->matter));
    if (alike->runs > 1)
        printf(" %zu and %s more like it", m->first, app_count(m->count - 1).text);
    else
        printf(m->count > 1 ? " %zu-%zu" : " %zu", m->first, m->first + m->count - 1);
    printf("  %s%.3g %% of the limit%s%s: M %g kg, K %g N/m, Z %g N s/m; steps up to %.4g s (%.5g Hz)\n",
           bad ? style.yellow : "", 100 * m->used, bad ? ", stable only while not all links act" : "",
           bad ? style.off : "", m->mass, m->stiffness, m->viscosity, m->largest_step, 1 / m->largest_step);
}

// How much of the largest stable step the masses use, the worst first.
static void put_margins(const Report *r) {
    AppStyle style = app_style(stdout);
    if (!r->margin_count) return;
    Alike *list = malloc(r->margin_count * sizeof *list);
    if (!list) return;
    size_t kinds = gather_alike(r, list), shown = kinds < MOST_MARGINS_SHOWN ? kinds : MOST_MARGINS_SHOWN;
    printf("\n%sStability%s  K T^2 + 2 Z T < 4 M, with the steepest pieces of all links\n", style.bold,
           style.off);
    for (size_t i = 0; i < shown; i++) put_alike(r, &list[i], style);
    if (kinds > shown) printf("  ... and %s further from it\n", app_count(kinds - shown).text);
    free(list);
    for (size_t i = 0; i < r->margin_count; i++)
        if (!r->margins[i].whole) {
            printf("  some laws do not say how steep they are: the limit may be lower\n");
            break;
        }
}

static size_t count_remarks(const TacScene *scene) {
    size_t remarks = 0;
    for (size_t i = 0; i < tac_scene_message_count(scene); i++)
        remarks += !tac_scene_message(scene, i)->is_error;
    return remarks;
}

static const char *rule_in_words(const char *combine) {
    if (!strcmp(combine, "geometric")) return "their geometric mean";
    if (!strcmp(combine, "average")) return "their average";
    return !strcmp(combine, "least") ? "the least" : "the most";
}

static void put_contact_row(const TacContactRow *row) {
    char names[160], stiffness[32] = "chosen", damping[32] = "chosen";
    snprintf(names, sizeof names, "%s, %s", *row->first ? row->first : "(default)",
             *row->second ? row->second : "(default)");
    if (row->stiffness > 0) snprintf(stiffness, sizeof stiffness, "%.4g", row->stiffness);
    if (row->damping >= 0) snprintf(damping, sizeof damping, "%.4g", row->damping);
    fputs("  ", stdout);
    app_put(stdout, names);
    int blanks = 36 - (int)strlen(names);
    if (row->excluded)
        printf("%*s do not touch\n", blanks > 0 ? blanks : 0, "");
    else
        printf("%*s %8.4g %11.4g %11s %11s %9.4g\n", blanks > 0 ? blanks : 0, "", row->friction,
               row->restitution, stiffness, damping, row->thickness);
}

// Which models are choosy, and how.
static void put_contact_models(const Report *r) {
    TacContactModel model;
    size_t shown = 0;
    for (size_t i = 0; tac_world_contact_model(r->world, i, &model); i++) {
        if (model.group == 0 && model.mask == UINT64_MAX && model.self) continue;
        if (shown++ == MOST_CONTACT_ROWS) break;
        fputs("  ", stdout);
        app_put(stdout, model.path);
        printf(": group %d, touches ", model.group);
        if (model.mask == UINT64_MAX) fputs("all groups", stdout);
        if (model.mask == 0) fputs("no group", stdout);
        for (int g = 0; g < 64 && model.mask != UINT64_MAX; g++)
            if (model.mask >> g & 1)
                printf("%s %d", model.mask & (((uint64_t)1 << g) - 1) ? "," : "group", g);
        puts(model.self ? ", its own parts too" : ", not its own parts");
    }
}

// What holds where materials meet, or models that a ContactPair names; nothing where nothing can touch.
static void put_contact(const Report *r) {
    AppStyle style = app_style(stdout);
    TacContactRow row;
    for (size_t i = 0; i < MOST_CONTACT_ROWS && tac_world_contact_row(r->world, i, &row); i++) {
        if (i == 0)
            printf("\n%sContact%s  friction and restitution of two materials: %s\n"
                   "  %-36s %8s %11s %11s %11s %9s\n",
                   style.bold, style.off, rule_in_words(row.combine), "materials", "friction", "restitution",
                   "stiffness", "damping", "thickness");
        put_contact_row(&row);
    }
    put_contact_models(r);
}

static void put_text(Report *r, bool briefly) {
    AppStyle style = app_style(stdout);
    TacWorldStats stats = tac_world_stats(r->world);
    Elements e = all_elements(r->def);
    size_t remarks = count_remarks(r->scene);
    fputs(style.bold, stdout);
    app_put(stdout, r->path);
    printf("%s: a scene of %s component%s, %g s at a beat of %g s, %g frames per second\n", style.off,
           app_count(stats.components).text, stats.components == 1 ? "" : "s", tac_world_duration(r->world),
           tac_world_beat(r->world), tac_world_fps(r->world));
    if (*tac_world_title(r->world)) {
        fputs("  ", stdout);
        app_put(stdout, tac_world_title(r->world));
        fputs("\n", stdout);
    }
    put_parameters(r);
    if (!briefly) {
        put_tree(r);
        put_tickers(r, "Agents", 0, stats.agents);
        put_tickers(r, "Laws on their own clock", stats.agents, stats.agents + stats.free_laws);
        put_margins(r);
        put_contact(r);
    }
    printf("\n%sAltogether%s\n  %s", style.bold, style.off, app_number_of(stats.points, "point").text);
    put_elements(e);
    printf("\n  %s, %s on %s own clock, %s of memory\n", app_number_of(stats.agents, "agent").text,
           app_number_of(stats.free_laws, "law").text, stats.free_laws == 1 ? "its" : "their",
           app_bytes(stats.bytes).text);
    if (remarks)
        printf("  %s: see above\n", app_number_of(remarks, "remark").text);
    else
        printf("  no errors, no remarks\n");
}

// --- JSON -------------------------------------------------------------------------------------------------

static void put_parameters_json(AppJson *json, const TacScene *scene) {
    app_json_open(json, "parameters", '[');
    for (size_t i = 0; i < tac_scene_parameter_count(scene); i++) {
        TacParameterInfo p = tac_scene_parameter(scene, i);
        app_json_open(json, NULL, '{');
        app_json_text(json, "name", p.name);
        app_json_text(json, "value", p.value);
        app_json_text(json, "default", p.initial);
        app_json_text(json, "doc", p.doc);
        app_json_close(json, '}');
    }
    app_json_close(json, ']');
}

static void put_elements_json(AppJson *json, size_t points, Elements e) {
    app_json_number(json, "points", points);
    app_json_number(json, "tetrahedra", e.tetrahedra);
    app_json_number(json, "triangles", e.triangles);
    app_json_number(json, "edges", e.edges);
}

static void put_nodes_json(AppJson *json, Report *r) {
    app_json_open(json, "nodes", '[');
    for (size_t i = 0; i < r->node_count; i++) {
        app_json_open(json, NULL, '{');
        app_json_text(json, "name", tac_scene_node_name(r->scene, r->nodes[i]));
        app_json_number(json, "depth", depth_of(r, r->nodes[i]));
        app_json_open(json, "components", '[');
        size_t count = tac_scene_components(r->scene, r->nodes[i], NULL, 0);
        tac_scene_components(r->scene, r->nodes[i], r->components, count);
        for (size_t k = 0; k < count; k++) {
            const TacClass *cls = tac_scene_class_of(r->scene, r->components[k]);
            const char *own = tac_scene_name(r->scene, r->components[k]);
            app_json_open(json, NULL, '{');
            app_json_text(json, "class", cls->name);
            app_json_text(json, "name", own);
            app_json_text(json, "kind", tac_component_kind_name(cls->kind));
            const TacTrackDef *track = track_of(r, cls, own);
            if (track) put_elements_json(json, track->point_count, elements_of(track));
            app_json_close(json, '}');
        }
        app_json_close(json, ']');
        app_json_close(json, '}');
    }
    app_json_close(json, ']');
}

static void put_agents_json(AppJson *json, const Report *r, size_t count) {
    app_json_open(json, "agents", '[');
    for (size_t i = 0; i < count; i++) {
        TacAgentInfo agent = tac_world_agent(r->world, i);
        app_json_open(json, NULL, '{');
        app_json_text(json, "name", agent.name);
        app_json_text(json, "solver", agent.solver);
        app_json_bool(json, "is_law", agent.is_law);
        app_json_real(json, "step", agent.step);
        app_json_bool(json, "on_ruler", agent.on_ruler);
        app_json_number(json, "points", agent.points);
        app_json_close(json, '}');
    }
    app_json_close(json, ']');
}

static void put_margins_json(AppJson *json, const Report *r) {
    app_json_open(json, "stability", '[');
    for (size_t i = 0; i < r->margin_count; i++) {
        const TacMargin *m = &r->margins[i];
        app_json_open(json, NULL, '{');
        app_json_text(json, "matter", tac_world_path(r->world, m->matter));
        app_json_number(json, "first", m->first);
        app_json_number(json, "count", m->count);
        app_json_real(json, "mass", m->mass);
        app_json_real(json, "stiffness", m->stiffness);
        app_json_real(json, "viscosity", m->viscosity);
        app_json_real(json, "used", m->used);
        app_json_real(json, "step", m->step);
        app_json_real(json, "largest_step", m->largest_step);
        app_json_bool(json, "whole", m->whole);
        app_json_close(json, '}');
    }
    app_json_close(json, ']');
}

static void put_contact_json(AppJson *json, const Report *r) {
    TacContactRow row;
    app_json_open(json, "contact", '[');
    for (size_t i = 0; i < MOST_CONTACT_ROWS && tac_world_contact_row(r->world, i, &row); i++) {
        app_json_open(json, NULL, '{');
        app_json_text(json, "first", row.first);
        app_json_text(json, "second", row.second);
        app_json_text(json, "combine", row.combine);
        app_json_bool(json, "excluded", row.excluded);
        app_json_real(json, "friction", row.friction);
        app_json_real(json, "restitution", row.restitution);
        app_json_real(json, "stiffness", row.stiffness);
        app_json_real(json, "damping", row.damping);
        app_json_real(json, "thickness", row.thickness);
        app_json_close(json, '}');
    }
    app_json_close(json, ']');
}

static void put_models_json(AppJson *json, const Report *r) {
    TacContactModel model;
    app_json_open(json, "collision_models", '[');
    for (size_t i = 0; i < MOST_CONTACT_ROWS && tac_world_contact_model(r->world, i, &model); i++) {
        app_json_open(json, NULL, '{');
        app_json_text(json, "path", model.path);
        app_json_text(json, "material", model.material);
        app_json_number(json, "group", (uint64_t)model.group);
        app_json_open(json, "mask", '[');
        for (int g = 0; g < 64; g++)
            if (model.mask >> g & 1) app_json_number(json, NULL, (uint64_t)g);
        app_json_close(json, ']');
        app_json_bool(json, "self", model.self);
        app_json_close(json, '}');
    }
    app_json_close(json, ']');
}

static void put_json(Report *r) {
    TacWorldStats stats = tac_world_stats(r->world);
    AppJson json = app_json(stdout);
    app_json_open(&json, NULL, '{');
    app_json_text(&json, "scene", r->path);
    app_json_bool(&json, "good", true);
    app_json_real(&json, "beat", tac_world_beat(r->world));
    app_json_real(&json, "duration", tac_world_duration(r->world));
    app_json_real(&json, "fps", tac_world_fps(r->world));
    put_parameters_json(&json, r->scene);
    put_nodes_json(&json, r);
    put_agents_json(&json, r, stats.agents + stats.free_laws);
    put_margins_json(&json, r);
    put_contact_json(&json, r);
    put_models_json(&json, r);
    app_json_number(&json, "components", stats.components);
    app_json_number(&json, "free_laws", stats.free_laws);
    put_elements_json(&json, stats.points, all_elements(r->def));
    app_json_number(&json, "memory", stats.bytes);
    app_messages_json(&json, r->scene, NULL);
    app_json_close(&json, '}');
}

// `error`: what kept the world from being made, or NULL.
static void put_bad_json(const char *path, const TacScene *scene, const TacError *error) {
    AppJson json = app_json(stdout);
    app_json_open(&json, NULL, '{');
    app_json_text(&json, "scene", path);
    app_json_bool(&json, "good", false);
    app_messages_json(&json, scene, error);
    app_json_close(&json, '}');
}

// --- the command ------------------------------------------------------------------------------------------

int app_check_scene(const char *path, const AppSceneOptions *scene_options, bool json, bool briefly) {
    Report r = {.path = path};
    TacError error, *why = NULL;
    int code = app_read_scene(&r.scene, path, scene_options, NULL, true);
    if (code == APP_DONE) {
        TacWorldDef def = tac_world_def_default();
        code = app_create_world(&r.world, r.scene, &def, false, &error);
        if (code != APP_DONE) why = &error;
        if (!json) app_put_comments(r.scene);
    }
    if (code == APP_DONE) {
        r.def = tac_world_recording_def(r.world, NULL);
        if (!list_nodes(&r) || tac_world_margins(r.world, &r.margins, &r.margin_count, &error) != TAC_OK)
            code = app_out_of_memory();
        else if (json)
            put_json(&r);
        else
            put_text(&r, briefly);
    } else if (json && r.scene) {
        put_bad_json(path, r.scene, why);
    }
    free(r.nodes);
    free(r.components);
    free(r.margins);
    tac_world_destroy(r.world);
    tac_scene_destroy(r.scene);
    return code;
}

static int check(int argc, char **argv) {
    CheckOptions o = {0};
    AppTexts arguments = {0};
    AppParsed parsed = app_parse(&app_check_command, argc, argv, &o, &arguments);
    int code = parsed == APP_PARSED ? app_check_scene(arguments.items[0], &o.scene, o.json, false)
                                    : app_parsed_code(parsed);
    app_texts_free(&arguments);
    app_free_values(&app_check_command, &o);
    return code;
}
